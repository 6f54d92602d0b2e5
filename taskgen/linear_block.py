"""The main block about quantities: what the asked quantity is, or whether it exceeds another, by arithmetic.

Sentences state totals, parts, differences and multiples, from which the range of the asked quantity follows. Open: the
range crosses a rounding boundary (number) or the other quantity's exact value (yes_no). Settled: it does not. The twins
differ in one figure, the edited one; nothing that is drawn depends on which of them is made.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.exact import ratio_text, rational
from impossible_rubrics_env.task import Rung
from impossible_rubrics_env.taskgen.draft import Block, DraftDocument, DraftQuestion, document
from impossible_rubrics_env.taskgen.figures import figure_of
from impossible_rubrics_env.taskgen.knobs import Knobs
from impossible_rubrics_env.taskgen.linear_shapes import COARSE, Sketch, Slot, Tree, constant
from impossible_rubrics_env.taskgen.scenes import Scene
from impossible_rubrics_env.taskgen.statements import (
    Quantity,
    Statement,
    difference,
    filler,
    multiple,
    rounded,
    together,
    value,
)

STEPS = (*((1, 10), (1, 100), (2, 100), (2, 1000)) * 3, (1, 20), (1, 50), (2, 10), (2, 50))
"""Digits after the point, and the resolution in units of the last of them; mostly 1 or 10, as in all other blocks."""
FINE_STEPS = (10, 50, 100)
"""Resolutions for more digits than two."""
SMALLEST, LARGEST = 12, 640
"""Sizes of quantities."""
GENRES = ("record", "study", "plan", "reference", "minutes")
TOPICS = ("method", "staffing", "status", "history")
MORE_CELLS = (0, 0, 0, 1, 1, 2)
"""How many whole cells an open range covers besides the two that it ends in."""


class Grid(NamedTuple):
    """How figures are printed and what they are compared with."""

    places: int
    step: int
    """The asked resolution, in ticks."""
    margin: int
    """By how many ticks the range passes the boundary, or stays away from it."""
    unit: int
    """The unit of the margin, in ticks: the resolution, or the last digit of figures with one digit less."""

    @property
    def dial(self) -> tuple[str, str]:
        """Margin and unit as a block carries them."""
        return self.text(self.margin), self.text(self.unit)

    def text(self, ticks: int) -> str:
        """The number that so many ticks are."""
        return ratio_text(rational(ticks, 10**self.places))


@dataclass(frozen=True, slots=True)
class System:
    """All that twins share: sentences without their figures, and what the figures are in either state."""

    sketches: tuple[Sketch, ...]
    settled: tuple[int, int]
    """The range of the asked quantity, in ticks."""
    opened: tuple[int, int]
    edited: tuple[int, int]
    """The sentence and its slot whose figure differs."""
    change: int
    """What the open state adds to it."""
    boundary: int
    """The boundary that the open range passes; an edit about the other quantity moves this, and not the range."""
    rising: bool
    """Whether the settled range lies below it."""

    def statements(self, grid: Grid, *, is_open: bool) -> list[Statement]:
        """The sentences of one state; figures but the edited one are those of the settled range."""
        sentence, slot = self.edited
        return [
            one.state(self.settled, grid.places, {slot: self.change} if is_open and place == sentence else {})
            for place, one in enumerate(self.sketches)
        ]


def build(rng: random.Random, scene: Scene, kind: str, state: str, rung: Rung, knobs: Knobs) -> Block:
    """A block of this kind (number or yes_no) and state (open, settled, clear or decisive)."""
    if kind not in {"number", "yes_no"} or state not in {"open", "settled", "clear", "decisive"}:
        raise ArgumentError(f"a linear block is about number or yes_no, not {kind!r}, and not {state!r}")
    asked, other = (Quantity(one, scene.periods[0], scene.measures[0]) for one in scene.subjects[:2])
    grid = draw_grid(rng, kind, Rung.WIDE if state == "clear" else rung, knobs.digits)
    above = rng.randrange(2) == 0
    if state == "clear":
        return _clear(rng, scene, kind, (asked, other), grid, above, knobs)
    system = _system(rng, scene, kind, (asked, other), grid, knobs)
    stated = system.statements(grid, is_open=state != "settled")
    edited = stated[system.edited[0]]
    harmless = _harmless(rng, scene, system, grid, stated, knobs)
    stated += harmless
    rng.shuffle(stated)
    documents = dealt(rng, stated, max(rng.choice((2, 3, 3, 4)), min(knobs.documents, 5)))
    decisive, answer = None, None
    if state == "settled":
        answer = _answer(kind, system.boundary, grid, rising=system.rising, above=above)
    elif state == "decisive":
        decisive = "decisive"
        statement, high = _deciding(rng, kind, asked, system, grid)
        answer = _answer(kind, _last_boundary(system, grid, kind, high=high), grid, rising=not high, above=above)
        documents.append(document(decisive, rng.choice(GENRES), _with_one_more(rng, statement)))
        rng.shuffle(documents)
    question = ask(kind, (asked, other), grid, above=above)
    return Block(tuple(documents), question, answer, grid.dial, len(system.sketches), decisive, edited=(edited,))


def draw_grid(rng: random.Random, kind: str, rung: Rung, digits: int) -> Grid:
    """Digits, resolution and margin for a rung.

    A number's range ends less than one resolution past a boundary, so there a wide draw is the upper part of narrow.
    """
    places, step = rng.choice(STEPS)
    if digits:
        steps = [size for count, size in STEPS if count == digits] or FINE_STEPS
        places, step = digits, rng.choice(steps)
    if kind == "number":
        most = step * 7 // 20
        if rung is Rung.RAZOR:
            return Grid(places, step, rng.randint(1, step // 10), step)
        least = step // 10 + 1 if rung is Rung.NARROW else max(2, step // 5)
        return Grid(places, step, rng.randint(least, most), step)
    least, most = {Rung.RAZOR: (1, 1), Rung.NARROW: (2, 10)}.get(rung, (11, 40))
    return Grid(places, step, rng.randint(least, most), COARSE)


def ask(kind: str, pair: tuple[Quantity, Quantity], grid: Grid, *, above: bool) -> DraftQuestion:
    """The question about the asked quantity; for yes_no, whether it is above or below the other."""
    asked, other = pair
    if kind == "number":
        resolution = figure_of(grid.step, grid.places)
        while resolution.places and (resolution.value * 10 ** (resolution.places - 1)).denominator == 1:
            resolution = resolution._replace(places=resolution.places - 1)
        words = {"quantity": asked, "resolution": resolution}
        return DraftQuestion(kind, {asked.variable: "1"}, words, grid.text(grid.step))
    terms = {asked.variable: "1", other.variable: "-1"}
    target = {"terms": terms, "op": ">" if above else "<", "rhs": "0", "quantity": {asked.variable: "1"}}
    return DraftQuestion(kind, target, {"quantity": asked, "other": other, "above": above})


def dealt(
    rng: random.Random,
    statements: Sequence[Statement],
    count: int,
    prefix: str = "main",
    genres: Sequence[str] = GENRES,
) -> list[DraftDocument]:
    """The statements in so many documents, in their order, none empty."""
    count = min(count, len(statements))
    if count < 1:
        return []
    cuts = sorted(rng.sample(range(1, len(statements)), count - 1))
    edges = zip([0, *cuts], [*cuts, len(statements)], strict=True)
    return [
        document(f"{prefix}{place}", rng.choice(genres), statements[start:end])
        for place, (start, end) in enumerate(edges, 1)
    ]


def pin(rng: random.Random, other: Quantity, fresh: list[Quantity], low: int, top: int) -> tuple[int, list[Sketch]]:
    """Three or four equations that give a quantity its exact value, which is returned and printed in none of them."""
    steps = 2 if rng.randrange(4) or len(fresh) < 4 else 3
    chain = [fresh.pop() for _ in range(steps)]
    size = rng.randint(low // COARSE, top // (2 * COARSE)) * COARSE
    if rng.randrange(2) == 0:
        size += rng.randrange(COARSE)
    coarse = size % COARSE == 0
    sketches = [Sketch(partial(value, chain[0], "="), (Slot(constant(size), (-1, -1), coarse),))]
    for known, found in zip(chain, [*chain[1:], other], strict=True):
        size = _pin_step(rng, known, found, size, (low, top), sketches)
    return size, sketches


def _pin_step(
    rng: random.Random, known: Quantity, found: Quantity, size: int, limits: tuple[int, int], sketches: list[Sketch]
) -> int:
    low, top = limits
    form = rng.choice(("more", "less", "sum", "multiple"))
    if form == "multiple" and 2 * size <= top:
        factor = rng.randint(2, min(3, top // size))
        _turn(sketches, 0)
        sketches.append(Sketch(partial(multiple, found, "=", factor, known), ()))
        return factor * size
    ticks = rng.randint(low // 2, low + top // 8)
    if form == "sum":
        rest = rng.randint(low, top // 2)
        pair = (known, found) if rng.randrange(2) == 0 else (found, known)
        _turn(sketches, -1)
        sketches.append(Sketch(partial(_sum, pair), (Slot(constant(size + rest), (-1, -1)),)))
        return rest
    if form == "less" and size - ticks >= low:
        sketches.append(Sketch(partial(difference, known, found, "="), (Slot(constant(ticks), (1, 1)),)))
        return size - ticks
    sketches.append(Sketch(partial(difference, found, known, "="), (Slot(constant(ticks), (-1, -1)),)))
    return size + ticks


def _turn(sketches: list[Sketch], sign: int) -> None:
    """What earlier figures move is multiplied; 0 means that they cannot be the edited one."""
    for place, one in enumerate(sketches):
        slots = tuple(slot._replace(moves=(sign * slot.moves[0], sign * slot.moves[1])) for slot in one.slots)
        sketches[place] = one._replace(slots=slots)


def _sum(quantities: tuple[Quantity, ...], figure: Any) -> Statement:
    return together(quantities, "=", figure)


def _system(
    rng: random.Random, scene: Scene, kind: str, pair: tuple[Quantity, Quantity], grid: Grid, knobs: Knobs
) -> System:
    asked, other = pair
    scale = 10**grid.places
    reach = (4 if kind == "number" else 2) * grid.step + 4 * grid.margin
    low, top = max(SMALLEST * scale, 2 * reach), max(LARGEST * scale, 12 * reach)
    fresh = [Quantity(one, asked.period, asked.measure) for one in scene.subjects[1:]]
    rng.shuffle(fresh)
    pins: list[Sketch] = []
    if kind == "yes_no":
        fresh.remove(other)
        boundary, pins = pin(rng, other, fresh, low, top)
    else:
        boundary = rng.randint(low // grid.step + 1, top // (2 * grid.step)) * grid.step + grid.step // 2
    whole = Quantity(scene.whole, asked.period, asked.measure)
    room = max(0, (grid.step if kind == "number" else grid.step + 2 * grid.margin) - 2 * grid.margin - 1)
    about = {asked.variable: boundary}
    tree = Tree(rng, asked, fresh, whole, about, low, reach, top, room, strict=grid.margin >= 3)
    tree.grow(max(2, knobs.hops - len(pins) - 1) if knobs.hops else rng.choice((2, 2, 3, 3, 4)))
    sketches = (*tree.sketches, *pins)
    system = _edited(rng, kind, grid, sketches, tree.width, boundary)
    if system.edited[0] < len(tree.sketches):
        return system
    moved = system.opened[0] - system.settled[0]
    return replace(system, opened=system.settled, boundary=boundary - moved)


def _edited(
    rng: random.Random, kind: str, grid: Grid, sketches: tuple[Sketch, ...], least: int, boundary: int
) -> System:
    """Draws the edited figure, the direction of the edit, and the ranges before and after it."""
    rising, larger = rng.randrange(2) == 0, rng.randrange(2) == 0
    near = 1 if rising else 0
    sign = 1 if rising else -1
    width, away = _placed(rng, kind, grid, least)
    found = [
        (place, number, slot.moves)
        for place, one in enumerate(sketches)
        for number, slot in enumerate(one.slots)
        if slot.moves[near] and not slot.coarse and (not slot.moves[1 - near] or width >= 2 * grid.margin)
    ]
    found = [one for one in found if (one[2][near] * sign > 0) == larger] or found
    # An edit of one end alone makes the open range the wider one; one of both ends does not.
    both = [one for one in found if one[2][1 - near]]
    place, number, moves = rng.choice(both if both and rng.randrange(2) == 0 else found)
    past = grid.margin
    if moves[1 - near]:
        past = rng.choice((grid.margin, width - grid.margin))
    elif kind == "number" and abs(moves[near]) == 1:
        past += rng.choice(MORE_CELLS) * grid.step
    settled = [boundary - sign * (away + width), boundary - sign * away]
    opened = [settled[0] + (sign * (away + past) if moves[1 - near] else 0), boundary + sign * past]
    change = sign * (away + past) * moves[near]
    ends, far = tuple(sorted(settled)), tuple(sorted(opened))
    return System(sketches, (ends[0], ends[1]), (far[0], far[1]), (place, number), change, boundary, rising)


def _placed(rng: random.Random, kind: str, grid: Grid, least: int) -> tuple[int, int]:
    """The width of the settled range, and how far its nearer end stays away from the boundary."""
    margin = grid.margin
    if kind == "yes_no":
        most = max(least + 1, 2 * margin) + grid.step
        return rng.randint(max(least + 1, 2 * margin), most), margin
    width = rng.randint(least + 1, grid.step - 2 * margin)
    away = grid.step - margin - width
    return width, margin if rng.randrange(5) < 3 else away


def _answer(kind: str, boundary: int, grid: Grid, *, rising: bool, above: bool) -> str:
    """The answer on this side of a boundary: below it where rising."""
    if kind == "yes_no":
        return "YES" if rising != above else "NO"
    half = grid.step // 2
    return grid.text(boundary - half if rising else boundary + half)


def _last_boundary(system: System, grid: Grid, kind: str, *, high: bool) -> int:
    """The first boundary inside the open range, or the last one."""
    if kind == "yes_no":
        return system.boundary
    low, top = system.opened
    first = system.boundary - (system.boundary - low) // grid.step * grid.step
    return first + (top - first) // grid.step * grid.step if high else first


def _deciding(rng: random.Random, kind: str, asked: Quantity, system: System, grid: Grid) -> tuple[Statement, bool]:
    """What settles the open block: an exact figure or a bound, in the first or the last cell of the range."""
    high = rng.randrange(2) == 0
    edge = _last_boundary(system, grid, kind, high=high)
    spare = 1 if grid.margin >= 3 else 0
    if high:
        ticks = rng.randint(edge + 1, max(edge + 1, system.opened[1] - spare))
    else:
        ticks = rng.randint(min(edge - 1, system.opened[0] + spare), edge - 1)
    op = rng.choice(("=", ">=" if high else "<="))
    return value(asked, op, figure_of(ticks, grid.places)), high


def _with_one_more(rng: random.Random, statement: Statement) -> list[Statement]:
    stated = [statement, *(filler(rng.choice(TOPICS)) for _ in range(rng.choice((0, 1))))]
    rng.shuffle(stated)
    return stated


def _harmless(
    rng: random.Random, scene: Scene, system: System, grid: Grid, stated: Sequence[Statement], knobs: Knobs
) -> list[Statement]:
    """Sentences that change nothing: loose bounds of the asked quantity, and figures of other quantities."""
    asked = Quantity(scene.subjects[0], scene.periods[0], scene.measures[0])
    least, most = min(system.settled[0], system.opened[0]), max(system.settled[1], system.opened[1])
    size = 10**grid.places
    loose = []
    if rng.randrange(20) < 7:
        ticks = least - 2 * grid.step - rng.randint(0, max(size, least // 8))
        if ticks > 0:
            loose.append(value(asked, ">=", figure_of(ticks, grid.places)))
    if rng.randrange(20) < 7:
        ticks = most + 2 * grid.step + rng.randint(0, max(size, most // 8))
        loose.append(value(asked, "<=", figure_of(ticks, grid.places)))
    used = {name for one in stated for fact in one.facts for name in fact.get("terms", ())}
    count = max(0, knobs.distractors or rng.randint(2, 4))
    return loose + aside(rng, scene, used, count, grid.places, system.boundary)


def aside(rng: random.Random, scene: Scene, used: set[str], count: int, places: int, about: int) -> list[Statement]:
    """Statements about quantities that nothing else names: other subjects, periods and measures."""
    fields = [(scene.periods[0], scene.measures[0], scene.subjects[2:])]
    fields += [
        (period, measure, scene.subjects)
        for period, measure in (
            (scene.periods[1], scene.measures[0]),
            (scene.periods[3], scene.measures[0]),
            (scene.periods[0], scene.measures[1]),
            (scene.periods[0], scene.measures[2]),
        )
    ]
    stated: list[Statement] = []
    scale = 10**places
    for place in range(3 * count):
        if len(stated) == count:
            break
        period, measure, subjects = fields[rng.randrange(len(fields))]
        first = rng.randrange(len(subjects))
        pair = [Quantity(subjects[(first + next_one) % len(subjects)], period, measure) for next_one in (0, 1)]
        pair = [one for one in pair if one.variable not in used]
        if not pair:
            continue
        used.update(one.variable for one in pair)
        ticks = max(scale, rng.randint(about // 2, about + about // 2))
        stated.append(_about_others(rng, pair, ticks, places, place))
    return stated


def _about_others(rng: random.Random, pair: list[Quantity], ticks: int, places: int, place: int) -> Statement:
    if len(pair) == 2 and place % 2:
        if rng.randrange(2) == 0:
            return together(pair, rng.choice(("=", ">=", "<=")), figure_of(2 * ticks + place, places))
        return difference(pair[0], pair[1], rng.choice(("=", ">=", "<=")), figure_of(max(1, ticks // 8), places))
    if rng.randrange(10) < 3:
        return rounded(pair[0], figure_of(ticks // COARSE, places - 1))
    return value(pair[0], rng.choice(("=", "=", ">=", "<=")), figure_of(ticks, places))


def _clear(
    rng: random.Random,
    scene: Scene,
    kind: str,
    pair: tuple[Quantity, Quantity],
    grid: Grid,
    above: bool,
    knobs: Knobs,
) -> Block:
    """The asked quantity is stated outright, far from any boundary."""
    asked, other = pair
    scale = 10**grid.places
    low = max(SMALLEST * scale, 4 * grid.step)
    cell = rng.randint(low // grid.step, max(LARGEST * scale // 2, 2 * low) // grid.step) * grid.step
    off = rng.randint(-(grid.step // 8), grid.step // 8)
    stated = [value(asked, "=", figure_of(cell + off, grid.places))]
    answer, dial = grid.text(cell), None
    if kind == "yes_no":
        margin = rng.randint(scale * 3, scale * 9)
        rising = rng.randrange(2) == 0
        stated.append(value(other, "=", figure_of(cell + off + (margin if rising else -margin), grid.places)))
        answer = _answer(kind, 0, grid, rising=rising, above=above)
        dial = grid.text(margin), grid.text(grid.unit)
    used = {asked.variable, other.variable}
    stated += aside(rng, scene, used, max(4, knobs.distractors), grid.places, cell)
    rng.shuffle(stated)
    documents = dealt(rng, stated, max(rng.choice((2, 3, 3, 4)), min(knobs.documents, 5)))
    question = ask(kind, pair, grid, above=above)
    return Block(tuple(documents), question, answer, dial, 1)
