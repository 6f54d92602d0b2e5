"""The main block about requirements: a plan, or a quantity under it, where all requirements must be met.

A few requirements meet in one point but for the edited one, which leaves some slack (settled) or is missed by as much
(open): then they are the only minimal set that conflicts. All other requirements hold around that point, a little
further off than the set needs. The twins differ in one figure; nothing drawn depends on which of them is made.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.exact import ratio_of
from impossible_rubrics_env.task import Rung
from impossible_rubrics_env.taskgen import linear_block
from impossible_rubrics_env.taskgen.draft import Block, DraftDocument, DraftQuestion, document
from impossible_rubrics_env.taskgen.figures import figure_of
from impossible_rubrics_env.taskgen.knobs import Knobs
from impossible_rubrics_env.taskgen.linear_block import LARGEST, SMALLEST, Grid, aside, dealt
from impossible_rubrics_env.taskgen.linear_shapes import COARSE
from impossible_rubrics_env.taskgen.plan_shapes import SHAPES, Row, Shape, ways
from impossible_rubrics_env.taskgen.scenes import Scene
from impossible_rubrics_env.taskgen.statements import Quantity, Statement, difference, multiple, together, value

REQUIREMENTS = (8, 9, 10, 10)
"""How many there are. With so many over few quantities, several sets could conflict by what they compare, and only the
figures tell which one does."""
GENRES = ("plan", "plan", "minutes", "reference", "record", "study")
MOST_QUANTITIES = 5


class Pick(NamedTuple):
    """What the conflict is about."""

    shape: int
    edited: int
    asked: int | None
    """The quantity asked about, where a number or a yes_no is asked."""
    least: int
    most: int
    """Where the asked quantity lies if the edited requirement leaves a slack of one, from the point where all meet."""


class Limit(NamedTuple):
    """A requirement with its figure."""

    row: Row
    ticks: int
    coarse: bool

    def state(self, quantities: Sequence[Quantity], places: int, change: int = 0) -> Statement:
        """As a statement; `change` is added to the figure."""
        named = [quantities[name] for name in self.row.names]
        op = ">=" if self.row.at_least else "<="
        if self.row.kind == "multiple":
            return multiple(named[0], op, self.row.factor, named[1], requirement=True)
        ticks = self.ticks + change
        figure = figure_of(ticks // COARSE, places - 1) if self.coarse else figure_of(ticks, places)
        if self.row.kind == "together":
            return together(named, op, figure, requirement=True)
        if self.row.kind == "difference":
            return difference(named[0], named[1], op, figure, requirement=True)
        return value(named[0], op, figure, requirement=True)


@dataclass(frozen=True, slots=True)
class Conflict:
    """What twins share."""

    quantities: tuple[Quantity, ...]
    limits: tuple[Limit, ...]
    """The edited one first."""
    opened: int
    settled: int
    """What either state adds to the figure of the first."""
    hops: int
    boundary: int
    """Of the cell, or the other quantity's value, where one is asked for."""
    rising: bool
    """Whether the range lies below the boundary."""
    background: tuple[Statement, ...]
    about: int
    """About how large the quantities are, in ticks."""


def build(rng: random.Random, scene: Scene, kind: str, state: str, rung: Rung, knobs: Knobs) -> Block:
    """A block of this kind (plan, number or yes_no) and state (open, settled, clear or decisive)."""
    if kind not in {"plan", "number", "yes_no"} or state not in {"open", "settled", "clear", "decisive"}:
        raise ArgumentError(f"a plan block is about plan, number or yes_no, not {kind!r}, and not {state!r}")
    if state == "clear":
        return _clear(rng, scene, kind, rung, knobs)
    above, larger = rng.randrange(2) == 0, rng.randrange(2) == 0
    pick = rng.choice(picks(kind, larger=larger))
    grid = _grid(rng, kind, rung, knobs, pick)
    made = _conflict(rng, scene, kind, grid, pick, larger)
    first, *rest = made.limits
    edited = first.state(made.quantities, grid.places, made.opened if state == "open" else made.settled)
    stated = [edited, *(one.state(made.quantities, grid.places) for one in rest), *made.background]
    used = {name for one in stated for fact in one.facts for name in fact["terms"]} | {scene.subjects[0].key}
    stated += aside(
        rng, scene, used, knobs.distractors or rng.randint(1, 3), grid.places, SMALLEST * 10**grid.places * 4
    )
    decisive = "decisive" if state == "decisive" else None
    documents = _documents(rng, stated, edited if decisive else None, knobs)
    correction = (first.state(made.quantities, grid.places, made.opened),) if decisive else ()
    answer = None if state == "open" else _answer(kind, made, grid, above=above)
    question = _question(kind, scene, made, grid, stated, above=above)
    return Block(tuple(documents), question, answer, grid.dial, made.hops, decisive, correction, edited=(edited,))


@cache
def picks(kind: str, *, larger: bool) -> tuple[Pick, ...]:
    """All conflicts that a question of this kind may be about, whose edited figure is larger in the open state or not.

    Places from `len(SHAPES)` on are those of shapes turned over.
    """
    found = []
    for turned in (False, True):
        for place, shape in enumerate(SHAPES):
            for edited, row in enumerate(shape.rows):
                if row.kind == "multiple" or (row.at_least != turned) != larger:
                    continue
                where = place + turned * len(SHAPES)
                if kind == "plan":
                    found.append(Pick(where, edited, None, 0, 0))
                else:
                    found += _about_one(where, shape, edited, -1 if turned else 1)
    return tuple(found)


def _about_one(where: int, shape: Shape, edited: int, sign: int) -> list[Pick]:
    """The quantities of a shape that it pins to a range with ends in whole ticks.

    The edited figure is no bound of the asked quantity itself: as the range is placed by the rounding grid, or by the
    other quantity, such a bound would have other last digits in the open state than in the settled one.
    """
    if shape.name in {"cycle", "shift"}:
        return []
    found = []
    for name in range(shape.count):
        moves = [move[name] * sign for move in ways(where % len(SHAPES))[edited]]
        ends = min([*moves, 0]), max([*moves, 0])
        related = any(row.kind == "multiple" and name in row.names for row in shape.rows)
        if shape.rows[edited].names == (name,) or related:
            continue
        if all(ratio_of(end).denominator == 1 for end in ends):
            least, most = (ratio_of(end).numerator for end in ends)
            if most - least <= 3:
                found.append(Pick(where, edited, name, least, most))
    return found


def _shape(pick: Pick) -> Shape:
    shape = SHAPES[pick.shape % len(SHAPES)]
    return shape.turned() if pick.shape >= len(SHAPES) else shape


def _grid(rng: random.Random, kind: str, rung: Rung, knobs: Knobs, pick: Pick) -> Grid:
    """Digits, resolution and margin; the asked quantity's range and two margins fit into a cell."""
    grid = linear_block.draw_grid(rng, "number" if kind == "number" else "yes_no", rung, knobs.digits)
    if kind != "number":
        return grid
    parts = pick.most - pick.least + 2
    if rung is Rung.WIDE:
        step = 100 if knobs.digits or rng.randrange(2) == 0 else 1000
        places = knobs.digits or 2
        return Grid(places, step, rng.randint(COARSE + 1, max(COARSE + 1, step // parts)), COARSE)
    return grid._replace(margin=min(grid.margin, grid.step // parts))


def _conflict(rng: random.Random, scene: Scene, kind: str, grid: Grid, pick: Pick, larger: bool) -> Conflict:
    shape = _shape(pick)
    subjects = list(scene.subjects[2 if pick.asked is not None else 0 :])
    rng.shuffle(subjects)
    fresh = [Quantity(one, scene.periods[0], scene.measures[0]) for one in subjects]
    if pick.asked is None:
        asked = Quantity(scene.subjects[0], scene.periods[0], scene.measures[0])
        fresh.remove(asked)
        fresh.insert(rng.randrange(3), asked)
    else:
        fresh.insert(pick.asked, Quantity(scene.subjects[0], scene.periods[0], scene.measures[0]))
    least = max(3, shape.count)
    count = rng.choice((least, least, max(4, min(MOST_QUANTITIES, shape.count + 1))))
    quantities = fresh[:count]
    boundary, rising, start = 0, rng.randrange(2) == 0, None
    background: tuple[Statement, ...] = ()
    if pick.asked is not None:
        boundary, background, start = _placed(rng, scene, kind, grid, pick, rising, fresh[count:])
    values = _values(rng, shape, count, grid, pick.asked, start)
    core = [Limit(row, row.size(values), _is_coarse(rng, row.size(values))) for row in shape.rows]
    first = core.pop(pick.edited)._replace(coarse=False)
    free = _others(rng, shape, pick, values, grid, len(core) + 1)
    rest = [*core, *free]
    rng.shuffle(rest)
    change = grid.margin if larger else -grid.margin
    limits = (first, *rest)
    about = sum(values.values()) // len(values)
    hops = len(shape.rows)
    return Conflict(tuple(quantities), limits, change, -change, hops, boundary, rising, background, about)


def _placed(
    rng: random.Random, scene: Scene, kind: str, grid: Grid, pick: Pick, rising: bool, fresh: Sequence[Quantity]
) -> tuple[int, tuple[Statement, ...], int]:
    """The boundary, what the documents state about it, and where the asked quantity is as the requirements meet."""
    scale, margin = 10**grid.places, grid.margin
    low, top = SMALLEST * scale + 4 * margin, LARGEST * scale // 2
    background: tuple[Statement, ...] = ()
    if kind == "yes_no":
        other = Quantity(scene.subjects[1], scene.periods[0], scene.measures[0])
        boundary, sketches = linear_block.pin(rng, other, list(fresh[:3]), 2 * low, 2 * top)
        background = tuple(one.state((0, 0), grid.places, {}) for one in sketches)
    else:
        low = max(low, 4 * grid.step)
        boundary = rng.randint(low // grid.step + 1, max(top, 2 * low) // grid.step) * grid.step + grid.step // 2
    near = margin
    if kind == "number" and rng.randrange(2) == 0:
        near = grid.step - margin - (pick.most - pick.least) * margin
    start = boundary - near - pick.most * margin if rising else boundary + near - pick.least * margin
    return boundary, background, start


def _values(
    rng: random.Random, shape: Shape, count: int, grid: Grid, asked: int | None, start: int | None
) -> dict[int, int]:
    """Where all requirements of the shape meet, and a value for each quantity besides."""
    scale = 10**grid.places
    low, top = SMALLEST * scale + 8 * grid.margin, LARGEST * scale // 2
    values = {name: rng.randint(low, top) for name in range(count)}
    if rng.randrange(2) == 0:
        values = {name: size - size % COARSE for name, size in values.items()}
    if asked is not None and start is not None:
        values[asked] = start
    path = [larger for larger, _, factor in shape.larger if factor == 1] + [
        smaller for _, smaller, factor in shape.larger[-1:] if factor == 1
    ]
    for larger, smaller, factor in shape.larger:
        if factor > 1:
            values[smaller] = rng.randint(low, top // factor + low)
            values[larger] = factor * values[smaller]
    home = path.index(asked) if asked in path else 0
    for place in range(home + 1, len(path)):
        size = values[path[place - 1]]
        values[path[place]] = size - grid.margin - rng.randint(size // 10, size // 4)
    for place in reversed(range(home)):
        size = values[path[place + 1]]
        values[path[place]] = size + grid.margin + rng.randint(size // 10, size // 4)
    return values


def _is_coarse(rng: random.Random, ticks: int) -> bool:
    return rng.randrange(10) < 7 and ticks % COARSE == 0


def _others(
    rng: random.Random, shape: Shape, pick: Pick, values: Mapping[int, int], grid: Grid, members: int
) -> list[Limit]:
    """Requirements that hold wherever the conflict can be resolved, and not by much more."""
    moves = ways(pick.shape % len(SHAPES))[pick.edited]
    taken = {_key(row) for row in shape.rows}
    found: list[Limit] = []
    unnamed = [name for name in values if name >= shape.count]
    wanted = rng.choice(REQUIREMENTS) - members
    for _ in range(4 * wanted):
        if len(found) == wanted:
            break
        row = _row(rng, values, unnamed)
        if row is None or _key(row) in taken:
            continue
        needed = max((abs(sum(size * move[name] for name, size in _inner(row, shape))) for move in moves), default=0)
        top, bottom = ratio_of(needed * grid.margin)
        spare = -(-top // bottom) + rng.randint(1, 3 * grid.margin + 10**grid.places)
        limit = _limit(rng, row, row.size(values), spare)
        if limit is not None:
            taken.add(_key(row))
            found.append(limit)
            unnamed = [name for name in unnamed if name not in row.names]
    return found


def _inner(row: Row, shape: Shape) -> list[tuple[int, int]]:
    return [(name, size) for name, size in row.terms.items() if name < shape.count]


def _key(row: Row) -> tuple[str, tuple[int, ...], bool]:
    names = row.names if row.kind in {"difference", "multiple"} else tuple(sorted(row.names))
    return row.kind, names, row.at_least


def _row(rng: random.Random, values: Mapping[int, int], unnamed: Sequence[int]) -> Row | None:
    """What a further requirement is about; quantities that none names yet come first."""
    at_least = rng.randrange(2) == 0
    names = rng.sample(sorted(values), rng.choice((2, 2, 3)))
    if unnamed:
        names = [unnamed[0], *(name for name in names if name != unnamed[0])]
    kind = rng.choice(("value", "value", "together", "together", "difference", "difference", "multiple"))
    if kind == "value":
        return Row(kind, (names[0],), at_least)
    if kind == "together":
        return Row(kind, tuple(sorted(names)), at_least)
    large, small = sorted(names[:2], key=lambda name: -values[name])
    if kind == "difference":
        return Row(kind, (large, small), at_least)
    factor = values[large] // values[small] + (0 if at_least else 1)
    return Row(kind, (large, small), at_least, 1, factor) if 2 <= factor <= 5 else None


def _limit(rng: random.Random, row: Row, size: int, spare: int) -> Limit | None:
    """The figure of a requirement that holds with some room to spare; None where it would be no natural one."""
    if row.kind == "multiple":
        return Limit(row, 0, False) if (size if row.at_least else -size) >= spare else None
    ticks = size - spare if row.at_least else size + spare
    if rng.randrange(2) == 0:
        ticks -= ticks % COARSE if row.at_least else -(-ticks % COARSE)
    return Limit(row, ticks, _is_coarse(rng, ticks)) if ticks > 0 else None


def _documents(
    rng: random.Random, stated: list[Statement], alone: Statement | None, knobs: Knobs
) -> list[DraftDocument]:
    """The sentences in documents; the one that a correction replaces in one of its own."""
    kept = [one for one in stated if one is not alone]
    rng.shuffle(kept)
    count = max(rng.choice((2, 3, 3, 4)), min(knobs.documents, 5))
    documents = dealt(rng, kept, count - 1 if alone else count, genres=GENRES)
    if alone is not None:
        documents.insert(rng.randrange(len(documents) + 1), document("decisive", rng.choice(GENRES), [alone]))
    return documents


def _answer(kind: str, made: Conflict, grid: Grid, *, above: bool) -> str | None:
    if kind == "plan":
        return None
    if kind == "yes_no":
        return "YES" if made.rising != above else "NO"
    half = grid.step // 2
    return grid.text(made.boundary - half if made.rising else made.boundary + half)


def _question(
    kind: str, scene: Scene, made: Conflict, grid: Grid, stated: Sequence[Statement], *, above: bool
) -> DraftQuestion:
    if kind != "plan":
        pair = (Quantity(one, scene.periods[0], scene.measures[0]) for one in scene.subjects[:2])
        return linear_block.ask(kind, (next(pair), next(pair)), grid, above=above)
    return _plan_question(made.quantities, stated)


def _plan_question(quantities: Sequence[Quantity], stated: Sequence[Statement]) -> DraftQuestion:
    required = {name for one in stated for fact in one.facts if fact["role"] == "requirement" for name in fact["terms"]}
    named = sorted((one for one in quantities if one.variable in required), key=lambda one: one.variable)
    return DraftQuestion("plan", [one.variable for one in named], {"quantities": tuple(named)})


def _clear(rng: random.Random, scene: Scene, kind: str, rung: Rung, knobs: Knobs) -> Block:
    """Requirements that are met with much room; a number or a yes_no is stated outright besides."""
    places = knobs.digits or rng.choice((1, 2))
    scale = 10**places
    quantities = [Quantity(one, scene.periods[0], scene.measures[0]) for one in scene.subjects[2:6]]
    if kind == "plan":
        quantities[0] = Quantity(scene.subjects[0], scene.periods[0], scene.measures[0])
    values = [rng.randint(2 * SMALLEST * scale, LARGEST * scale // 2) for _ in quantities]
    limits: list[Statement] = []
    for one, size in zip(quantities, values, strict=True):
        op = rng.choice((">=", "<="))
        off = rng.randint(size // 5, size // 2)
        limits.append(value(one, op, figure_of(size - off if op == ">=" else size + off, places), requirement=True))
    total = sum(values[:3])
    op = rng.choice((">=", "<="))
    off = rng.randint(total // 5, total // 2)
    figure = figure_of(total - off if op == ">=" else total + off, places)
    limits.append(together(quantities[:3], op, figure, requirement=True))
    rng.shuffle(limits)
    if kind == "plan":
        used = {one.variable for one in quantities}
        more = aside(rng, scene, used, max(3, knobs.distractors), places, 4 * SMALLEST * scale)
        documents = dealt(rng, limits, 2, genres=GENRES) + dealt(rng, more, 1, "more")
        return Block(tuple(documents), _plan_question(quantities, limits), None, None, 1)
    return _clear_besides(rng, scene, kind, rung, knobs, limits)


def _clear_besides(
    rng: random.Random, scene: Scene, kind: str, rung: Rung, knobs: Knobs, limits: Sequence[Statement]
) -> Block:
    """The linear block's clear question, with the requirements in documents of their own."""
    block = linear_block.build(rng, scene, kind, "clear", rung, knobs)
    named = {name for one in limits for fact in one.facts for name in fact["terms"]}
    documents: list[DraftDocument] = dealt(rng, limits, 2, "rules", genres=GENRES)
    for one in block.documents:
        kept = [sentence.statement for sentence in one.sentences if not _names(sentence.statement, named)]
        if kept:
            documents.append(document(one.key, one.genre, kept))
    rng.shuffle(documents)
    return Block(tuple(documents), block.question, block.answer, block.margin, block.hops)


def _names(statement: Statement, named: set[str]) -> bool:
    facts: Sequence[Any] = statement.facts
    return any(name in named for fact in facts for name in fact.get("terms", ()))
