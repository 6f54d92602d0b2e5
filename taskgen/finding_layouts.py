"""Layouts of finding blocks: what each document finds, about whom, and what opens or settles the block.

Every layout lays out an open block and says how it is settled: by subjects, periods or measures that change places, or
by one figure. No document may be told apart by names: figures are given for groups, and another document says who
belongs to which group. No two findings contradict each other, whatever they are about.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from impossible_rubrics_env.task import Rung
from impossible_rubrics_env.taskgen.knobs import Knobs
from impossible_rubrics_env.taskgen.scenes import Scene
from impossible_rubrics_env.taskgen.statements import Group, Name

TICKS = 10
"""Figures may have one digit more than the claim or the figure they are compared with: ten ticks are its last unit."""
MAX_EXTRA = 3
"""Most idle documents that a caller may add."""


@dataclass(slots=True)
class Note:
    """A document's finding; `high` where it gives both ends."""

    label: Name | Group
    """Who it is about."""
    period: Name
    measure: Name
    direction: str
    ticks: int
    high: int | None = None


@dataclass(slots=True)
class Link:
    """A subject of a group, or a group in a wider one."""

    narrower: Name
    wider: Group


class Laid(NamedTuple):
    """An open block, how to settle it, and its dial."""

    notes: list[Note]
    settle: Callable[[], None]
    late: Note
    """What a later document would find to settle it."""
    figure: int
    """The figure of the claim, or the one that a yes_no question compares with, or 0; in ticks."""
    hops: int
    margin: tuple[int, int] | None = None
    """The margin and its unit, in ticks."""


class Desk:
    """What a layout is made with: groups, strangers to them, idle periods and measures."""

    def __init__(self, rng: random.Random, scene: Scene, kind: str, depth: int, knobs: Knobs) -> None:
        self.rng = rng
        self.scene = scene
        self.kind = kind
        self.depth = depth
        """Groups between the asked subject and the name by which the decisive finding is about it."""
        self.digits = knobs.digits or 1 + (rng.randrange(4) == 0)
        self.tenfold: int = 10 ** (self.digits + 1)
        """Ticks of a whole unit."""
        self.step = (1, 10)[rng.randrange(2)]
        """The resolution of a number, in whole units."""
        self.sign = 1 if rng.randrange(2) else -1
        """Whether a claim is of a least or a greatest value; which end of a range is edited."""
        self.asked = scene.subjects[0]
        self.chain = scene.groups[: max(depth, 1)]
        """Groups that the asked subject is in, each in the next."""
        self.spare = scene.groups[max(depth, 1) :]
        self.links = self._links()
        self.fixed = True
        """Whether the groups stay as they are, so that one may be named as a stranger to the asked subject."""
        self.strangers = iter(scene.subjects[5:])
        self.extra = min(knobs.distractors, MAX_EXTRA)
        idle = [rng.sample((scene.periods[1], scene.periods[3]), 2), rng.sample(scene.measures[1:], 2)]
        self.periods, self.measures = (iter(names) for names in idle)

    def _links(self) -> list[Link]:
        """Who is in which group; a group in another one, too."""
        _, _, c, d, e = self.scene.subjects[:5]
        links = [Link(self.asked, self.chain[0]), Link(c, self.chain[-1])]
        links += [Link(Name(low.key, low.text), high) for low, high in zip(self.chain, self.chain[1:], strict=False)]
        links.append(Link(d, self.spare[0] if self.spare else self.chain[0]))
        links.append(Link(e, (self.spare or self.chain)[-1]))
        return links

    @property
    def crux(self) -> Name | Group:
        """Who the decisive finding is about."""
        return self.chain[-1] if self.depth else self.asked

    def inside(self) -> Name | Group:
        """The asked subject, or a group that it is in."""
        return self.asked if self.rng.randrange(3) == 0 else self.chain[self.rng.randrange(len(self.chain))]

    def note(self, label: Name | Group, direction: str, ticks: int) -> Note:
        """A finding for the asked period and measure."""
        return Note(label, self.scene.periods[0], self.scene.measures[0], direction, ticks)

    def drawn(self, low: int, high: int) -> int:
        """Ticks from `low` to below `high`; most often without the last digit."""
        ticks = self.rng.randrange(low, max(high, low + 1))
        return ticks if self.rng.randrange(3) == 0 else ticks // TICKS * TICKS

    def level(self) -> int:
        """About how much the asked quantity is, in ticks, without the last digit."""
        low = 150 if self.kind == "number" and self.step > 1 else (20, 60, 150)[self.rng.randrange(3)]
        return self.rng.randrange(low * self.tenfold // TICKS, 5 * low * self.tenfold // TICKS) * TICKS


def _direction(sign: int) -> str:
    return "at_least" if sign > 0 else "at_most"


def _swap(first: Note, second: Note, attribute: str) -> None:
    kept = getattr(first, attribute)
    setattr(first, attribute, getattr(second, attribute))
    setattr(second, attribute, kept)


# Idle documents


class _Tempting(NamedTuple):
    """Figures with which a document would settle the question, were it about what is asked."""

    value: int
    """In ticks, and how far they are from it at least and at most."""
    near: int
    far: int
    sign: int = 0
    """On which side of it, where one bound would be enough."""


def _idle(desk: Desk, tempting: _Tempting, count: int) -> list[Note]:
    """Documents that fall short in different attributes; the first is about a group that the asked subject is in."""
    shapes = [_other_period, _other_measure]
    desk.rng.shuffle(shapes)
    first = _tempt(desk, tempting, desk.chain[desk.rng.randrange(len(desk.chain))])
    shapes[0](desk, first)
    other = _tempt(desk, tempting, _no_matter(desk))
    shapes[1](desk, other)
    strange: Name | Group = next(desk.strangers)
    if desk.fixed and desk.spare and desk.kind != "yes_no" and desk.rng.randrange(2):
        strange = desk.spare[desk.rng.randrange(len(desk.spare))]
    more = [other, _tempt(desk, tempting, strange)]
    desk.rng.shuffle(more)
    return [first, *more[: count - 1]]


def _no_matter(desk: Desk) -> Name | Group:
    """Who a document of another period or measure is about: the asked subject most often."""
    if desk.rng.randrange(3):
        return desk.inside()
    return desk.scene.subjects[1] if desk.kind == "yes_no" else next(desk.strangers)


def _tempt(desk: Desk, tempting: _Tempting, label: Name | Group) -> Note:
    side = tempting.sign or (1 if desk.rng.randrange(2) else -1)
    note = desk.note(label, "exactly", tempting.value + side * max(TICKS, desk.drawn(tempting.near, tempting.far)))
    if tempting.sign and desk.rng.randrange(3):
        note.direction = _direction(tempting.sign)
    elif desk.rng.randrange(4) == 0:
        note.high = note.ticks + desk.rng.randrange(TICKS, 2 * desk.tenfold) // TICKS * TICKS
    return note


def _other_period(desk: Desk, note: Note) -> None:
    note.period = next(desk.periods)


def _other_measure(desk: Desk, note: Note) -> None:
    note.measure = next(desk.measures)


# What is asked, and what the decisive and the weak findings say of it


class _Core(NamedTuple):
    """Findings about what is asked, in an open block."""

    bounds: list[Note]
    """What always holds: ends of a range, the value compared with."""
    strong: tuple[str, int]
    """What settles the question: direction and ticks."""
    weak: tuple[str, int]
    """What does not, and contradicts nothing."""
    tempting: _Tempting
    figure: int = 0


def _core(desk: Desk, labels: Sequence[Name | Group]) -> _Core:
    """For a block that a strong finding would settle; `labels` name the asked subject, open or settled."""
    return {"document": _claim, "number": _number, "yes_no": _comparison}[desk.kind](desk, labels)


def _claim(desk: Desk, _: Sequence[Name | Group]) -> _Core:
    rng, claimed, sign = desk.rng, desk.level(), desk.sign
    near = claimed // 6
    strong = claimed + sign * max(TICKS, desk.drawn(TICKS, near))
    if rng.randrange(3):
        weak = (_direction(sign), claimed - sign * max(TICKS, desk.drawn(TICKS, near)))
    else:
        weak = (_direction(-sign), claimed + sign * desk.drawn(claimed // 5, claimed // 3))
    return _Core([], (_direction(sign), strong), weak, _Tempting(claimed, TICKS, near, sign), claimed)


def _number(desk: Desk, labels: Sequence[Name | Group]) -> _Core:
    """No two neighbours of a figure are both right: one end and the exact value lie outside their last answers."""
    size, sign = desk.step * desk.tenfold, desk.sign
    middle = desk.level() // size * size
    value = middle - sign * max(TICKS, desk.drawn(size // 10, size * 3 // 10))
    near = middle - sign * desk.drawn(size * 4 // 10, size // 2)
    far = middle + sign * (size * (1 + desk.rng.randrange(2)) + desk.drawn(size // 10, size * 45 // 100))
    bounds = [desk.note(labels[0], _direction(sign), near), desk.note(labels[1], _direction(-sign), far)]
    return _Core(bounds, ("exactly", value), _weak(desk, min(near, far), max(near, far)), _away(desk, value))


def _comparison(desk: Desk, labels: Sequence[Name | Group]) -> _Core:
    value, unit = desk.level(), desk.tenfold
    sign = 1 if desk.rng.randrange(2) else -1
    near = max(TICKS, desk.drawn(TICKS, 2 * unit))
    low, high = (near + max(TICKS, desk.drawn(TICKS, 2 * unit)) for _ in range(2))
    strong = ("exactly" if desk.rng.randrange(2) else _direction(sign), value + sign * near)
    bounds = [
        desk.note(labels[0], "at_least", value - low),
        desk.note(labels[1], "at_most", value + high),
        desk.note(_other(desk), "exactly", value),
    ]
    return _Core(bounds, strong, _weak(desk, value - low, value + high), _close(desk, value), value)


def _weak(desk: Desk, low: int, high: int) -> tuple[str, int]:
    """A bound beyond the range."""
    if desk.rng.randrange(2):
        return "at_least", low - max(TICKS, desk.drawn(TICKS, low // 5))
    return "at_most", high + max(TICKS, desk.drawn(TICKS, high // 5))


def _away(desk: Desk, value: int) -> _Tempting:
    """Figures whose neighbours are no answers."""
    size = desk.step * desk.tenfold
    return _Tempting(value, 4 * size, max(6 * size, value // 3))


def _close(desk: Desk, value: int) -> _Tempting:
    return _Tempting(value, TICKS, 3 * desk.tenfold)


def _other(desk: Desk) -> Name | Group:
    """Who the exact figure is about that the asked quantity is compared with: a group where one is to spare."""
    other = desk.scene.subjects[1]
    if not desk.fixed or not desk.spare:
        return other
    desk.links.append(Link(other, desk.spare[0]))
    return desk.spare[0]


def _labels(desk: Desk) -> list[Name | Group]:
    """Two names under which findings are about the asked subject: not twice its own."""
    labels = [desk.inside(), desk.chain[desk.rng.randrange(len(desk.chain))]]
    desk.rng.shuffle(labels)
    return labels


def _idle_count(desk: Desk) -> int:
    """Idle documents: the fewer, the more others there are."""
    return min(3, {"document": 3, "number": 2, "yes_no": 1}[desk.kind] + desk.extra)


# Layouts


def attributes(desk: Desk, _rung: Rung) -> Laid:
    """The strong finding is about another subject, period or measure, which it and a weak finding exchange."""
    core = _core(desk, _labels(desk))
    strong, weak = desk.note(desk.crux, *core.strong), desk.note(desk.inside(), *core.weak)
    chosen = ("label", "period", "measure")[desk.rng.randrange(3)]
    if chosen == "label":
        strong.label, weak.label = next(desk.strangers), desk.crux
    elif chosen == "period":
        _other_period(desk, strong)
    else:
        _other_measure(desk, strong)
    notes = [*core.bounds, strong, weak, *_idle(desk, core.tempting, _idle_count(desk))]
    late = desk.note(desk.inside(), *core.strong)
    return Laid(notes, lambda: _swap(strong, weak, chosen), late, core.figure, 1 + desk.depth)


def members(desk: Desk, _rung: Rung) -> Laid:
    """The strong finding is about a group that the asked subject is not in; settled it has changed groups."""
    spare, desk.fixed = desk.spare[0], False
    labels: list[Name | Group] = [desk.asked, spare]
    desk.rng.shuffle(labels)
    core = _core(desk, labels)
    strong, weak = desk.note(desk.crux, *core.strong), desk.note(spare, *core.weak)
    notes = [*core.bounds, strong, weak, *_idle(desk, core.tempting, _idle_count(desk))]
    mine = next(link for link in desk.links if link.narrower == desk.asked)
    theirs = next(link for link in desk.links if link.wider == spare)
    mine.narrower, theirs.narrower = theirs.narrower, mine.narrower

    def settle() -> None:
        mine.narrower, theirs.narrower = theirs.narrower, mine.narrower

    late = desk.note(labels[desk.rng.randrange(2)], *core.strong)
    return Laid(notes, settle, late, core.figure, 1 + desk.depth)


def figure(desk: Desk, rung: Rung) -> Laid:
    """A figure falls a little short, and settled it does not."""
    return {"document": _claim_figure, "number": _number_figure, "yes_no": _comparison_figure}[desk.kind](desk, rung)


def _claim_figure(desk: Desk, rung: Rung) -> Laid:
    core, sign = _claim(desk, []), desk.sign
    margin = _margin(desk, rung)
    crux = desk.note(desk.crux, _direction(sign), core.figure - sign * margin)
    idle = _idle(desk, core.tempting, 3)
    for note in idle[:2]:  # as near to the claim as the crux, on either side
        note.ticks, note.high = core.figure + (1 if desk.rng.randrange(2) else -1) * _margin(desk, rung), None
    notes = [crux, *idle]
    if desk.rng.randrange(2):
        notes.append(desk.note(desk.inside(), *core.weak))

    def settle() -> None:
        crux.ticks += 2 * sign * margin

    return Laid(notes, settle, desk.note(desk.inside(), *core.strong), core.figure, 1 + desk.depth, (margin, TICKS))


def _margin(desk: Desk, rung: Rung) -> int:
    """A margin in ticks, of which ten are the last unit of the figure compared with."""
    low, high = {Rung.RAZOR: (1, 2), Rung.NARROW: (2, 11)}.get(rung, (11, 41))
    return desk.rng.randrange(low, high)


def _number_figure(desk: Desk, rung: Rung) -> Laid:
    """The end of a range lies beyond the middle of two answers; settled it does not."""
    rng, size, sign = desk.rng, desk.step * desk.tenfold, desk.sign
    low, high = (1, size // 10) if rung is Rung.RAZOR else (size // 10 + 1, size // 4)
    margin = desk.drawn(low, high + 1)
    margin = margin if margin >= low else rng.randrange(low, high + 1)
    middle = desk.level() // size * size + size // 2
    far = desk.drawn(size * 6 // 10, size - margin)
    labels = _labels(desk)
    edited = desk.note(labels[0], _direction(sign), middle - sign * margin)
    fixed = desk.note(labels[1], _direction(-sign), middle + sign * far)
    notes = [edited, fixed, *_idle(desk, _away(desk, middle), 3)]
    if rng.randrange(2):
        notes.append(desk.note(desk.inside(), *_weak(desk, middle - size, middle + size)))

    def settle() -> None:
        edited.ticks += 2 * sign * margin

    late = desk.note(desk.inside(), "exactly", middle + sign * (far // 2))
    return Laid(notes, settle, late, 0, 1 + desk.depth, (margin, size))


def _comparison_figure(desk: Desk, rung: Rung) -> Laid:
    """The range of the asked quantity holds the value compared with; settled one of the two has moved."""
    rng, sign, value = desk.rng, desk.sign, desk.level()
    margin = _margin(desk, rung)
    far = 2 * margin + max(TICKS, desk.drawn(TICKS, 2 * desk.tenfold))
    labels = _labels(desk)
    near = desk.note(labels[0], _direction(sign), value - sign * margin)
    compared = desk.note(_other(desk), "exactly", value)
    notes = [
        near,
        desk.note(labels[1], _direction(-sign), value + sign * far),
        compared,
        *_idle(desk, _close(desk, value), 2 + rng.randrange(2)),
    ]
    moves = margin % TICKS == 0 and rng.randrange(2) == 0

    def settle() -> None:
        if moves:
            compared.ticks -= 2 * sign * margin
        else:
            near.ticks += 2 * sign * margin

    late = desk.note(desk.inside(), "exactly", value + sign * (margin + (far - margin) // 2))
    return Laid(notes, settle, late, value, 1 + desk.depth, (margin, TICKS))
