"""Layouts of finding blocks: what each document finds, about whom, and what opens or settles the block.

Every layout lays out an open block and says how it is settled: by subjects, periods or measures that change places, or
by one figure. No document may be told apart by names: figures are given for groups, groups are in wider ones, and
another document says which. The two ends of what the asked quantity may be are stated of two groups, the nearer two
steps above it and the other two steps further, so that nothing near at hand joins them; what it is compared with is
stated two steps up, too. Beside them stand figures of the same kind and as large, of groups that are none of theirs:
every least value has a greatest one beside it, and which of them are about the asked quantity is drawn apart from all
else. No two findings contradict each other, whatever they are about.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from impossible_rubrics_env.task import Rung
from impossible_rubrics_env.taskgen.knobs import Knobs
from impossible_rubrics_env.taskgen.scene_words import GROUPS
from impossible_rubrics_env.taskgen.scenes import Scene
from impossible_rubrics_env.taskgen.statements import Group, Name

TICKS = 10
"""Figures may have one digit more than the claim or the figure they are compared with: ten ticks are its last unit."""
MAX_EXTRA = 3
"""Most idle documents that a caller may add."""
MOST = {"document": 16, "number": 24, "yes_no": 26}
"""Groups that a block may need."""
PLACES = {"number": 6, "yes_no": 4}
"""Least values that are stated of groups, and as many greatest ones, those of the asked quantity among them."""
TWO_SIDED = {"number": 4, "yes_no": 0}
"""How many of them are stated together with a greatest one of another place."""
STRANGE = {"document": 4} | {kind: 2 * places - TWO_SIDED[kind] - 2 for kind, places in PLACES.items()}
"""Groups of no concern of which figures are stated."""
APART = 2
"""Steps from the group of which one end is stated to that of the other."""


@dataclass(slots=True)
class Note:
    """A finding: one bound, or both; an exact figure is both at once."""

    label: Name | Group
    """Who it is about."""
    period: Name
    measure: Name
    low: int | None
    """In ticks, as is `high`."""
    high: int | None

    def move(self, ticks: int) -> None:
        """State a larger figure; only for a finding of one figure."""
        self.low = None if self.low is None else self.low + ticks
        self.high = None if self.high is None else self.high + ticks


@dataclass(slots=True)
class Link:
    """A subject of a group, or a group in a wider one."""

    narrower: Name
    wider: Group


class Laid(NamedTuple):
    """An open block, how to settle it, and its dial."""

    sheets: list[list[Note]]
    """By document."""
    settle: Callable[[], None]
    late: Note
    """What a later document would find to settle it."""
    figure: int
    """The figure of the claim, or 0; in ticks."""
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
        self.groups = _groups(rng, scene, MOST[kind])
        self.chain = [self.groups.pop() for _ in range(max(depth, 2))]
        """Groups that the asked subject is in, each in the next."""
        self.moving = False
        """Whether the asked subject is in one of two groups, which are both in the widest."""
        self.links = [Link(self.asked, self.chain[0]), *map(_within, self.chain, self.chain[1:])]
        if kind != "document":
            self._lengthen(1 + APART)
        self.beside: list[Group] = []
        """Groups that the subject is in with which a question compares the asked one."""
        self.pairs: list[list[Group]] = []
        """Groups of no concern, one in the other, of which figures are stated."""
        self.strangers = iter(scene.subjects[5 if kind == "document" else 6 :])
        """Subjects of no group."""
        self.extra = min(knobs.distractors, MAX_EXTRA)
        idle = [rng.sample((scene.periods[1], scene.periods[3]), 2), rng.sample(scene.measures[1:], 2)]
        self.periods, self.measures = (iter(names) for names in idle)

    def _lengthen(self, last: int) -> None:
        """Groups that are wider still, up to the place `last`."""
        while len(self.chain) <= last:
            wider = self.groups.pop()
            self.links.append(_within(self.chain[-1], wider))
            self.chain.append(wider)

    def widen(self) -> tuple[Link, Link]:
        """Another group in the one over the crux; the subjects that are in either group."""
        self.moving = True
        self._lengthen(self.depth + (0 if self.kind == "document" else APART))
        other = self.groups.pop()
        self.links += [_within(other, self.chain[self.depth]), Link(self.scene.subjects[4], other)]
        return self.links[0], self.links[-1]

    def surround(self) -> None:
        """Groups that the asked subject is not in."""
        _, other, c, d, e, f = self.scene.subjects[:6]
        if self.kind == "yes_no":
            self.beside = self._pair(other)
        third = e if not self.moving else None if self.kind == "document" else f
        members = [c, d, third, *[None] * (STRANGE[self.kind] - 3)]
        for member in members[: STRANGE[self.kind]]:
            pair = self._pair(member)
            self.pairs.append(pair)
            if member is None:
                self.links.append(_within(pair[1], self.groups.pop()))
        self.rng.shuffle(self.pairs)
        if self.kind != "document":
            self._add_members()

    def _add_members(self) -> None:
        """As the asked subject's groups may have two parts, so may others."""
        tops = [pair[1] for pair in self.pairs] + ([] if self.moving else [self.chain[1]])
        for top in self.rng.sample(tops, 2):
            self.links.append(_within(self.groups.pop(), top))

    def _pair(self, member: Name | None) -> list[Group]:
        low, high = self.groups.pop(), self.groups.pop()
        self.links += [] if member is None else [Link(member, low)]
        self.links.append(_within(low, high))
        return [low, high]

    @property
    def crux(self) -> Name | Group:
        """Who the decisive finding is about."""
        return self.chain[self.depth - 1] if self.depth else self.asked

    def inside(self) -> Name | Group:
        """The asked subject, or a group that it is in."""
        return self.asked if self.rng.randrange(3) == 0 else self.chain[self.rng.randrange(len(self.chain))]

    def outer(self) -> Name | Group:
        """A group that the asked subject is in, open or settled, most often by way of another."""
        nearer = self.depth if self.moving else 1
        return self.asked if self.rng.randrange(6) == 0 else self.chain[self.rng.randrange(nearer, len(self.chain))]

    def ends(self) -> tuple[Group, Group]:
        """Groups that the asked subject is in by way of others, open or settled, in either order."""
        nearer = self.depth if self.moving else 1
        first, second = self.chain[nearer], self.chain[nearer + APART]
        return (first, second) if self.rng.randrange(2) else (second, first)

    def note(self, label: Name | Group, direction: str, ticks: int) -> Note:
        """A finding for the asked period and measure."""
        low, high = (None if direction == other else ticks for other in ("at_most", "at_least"))
        return Note(label, self.scene.periods[0], self.scene.measures[0], low, high)

    def drawn(self, low: int, high: int) -> int:
        """Ticks from `low` to below `high`; most often without the last digit."""
        ticks = self.rng.randrange(low, max(high, low + 1))
        return ticks if self.rng.randrange(3) == 0 else ticks // TICKS * TICKS

    def least(self, high: int) -> int:
        """Ticks from one unit of the last digit to below `high`."""
        return max(TICKS, self.drawn(TICKS, high))

    def level(self) -> int:
        """About how much the asked quantity is, in ticks, without the last digit."""
        low = (20, 60, 150)[self.rng.randrange(3)]
        if self.kind == "yes_no" or (self.kind == "number" and self.step > 1):
            low = max(low, 150 if self.kind == "number" else 60)
        return self.rng.randrange(low * self.tenfold // TICKS, 5 * low * self.tenfold // TICKS) * TICKS


def _groups(rng: random.Random, scene: Scene, count: int) -> list[Group]:
    """Groups of the scene's kind, some named as places are that nothing else is said of."""
    names = [*zip(GROUPS, GROUPS, strict=True), *((place.key, place.key.title()) for place in scene.places)]
    kind, subject = scene.words["group_kind"], scene.words["subject_kind"]
    return [
        Group(key, f"the {word} {kind}", f"every {subject} of the {word} {kind}")
        for key, word in rng.sample(names, count)
    ]


def _within(narrower: Group, wider: Group) -> Link:
    return Link(Name(narrower.key, narrower.text), wider)


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
    if desk.kind == "document" and desk.rng.randrange(2):
        strange = desk.pairs[0][desk.rng.randrange(2)]
    more = [other, _tempt(desk, tempting, strange)]
    desk.rng.shuffle(more)
    return [first, *more[: count - 1]]


def _no_matter(desk: Desk) -> Name | Group:
    """Who a document of another period or measure is about: the asked subject most often."""
    if desk.rng.randrange(3):
        return desk.inside()
    return next(desk.strangers) if desk.kind == "document" else desk.scene.subjects[1]


def _tempt(desk: Desk, tempting: _Tempting, label: Name | Group) -> Note:
    side = tempting.sign or (1 if desk.rng.randrange(2) else -1)
    ticks = tempting.value + side * max(TICKS, desk.drawn(tempting.near, tempting.far))
    if tempting.sign and desk.rng.randrange(3):
        return desk.note(label, _direction(tempting.sign), ticks)
    note = desk.note(label, "exactly", ticks)
    if desk.rng.randrange(4) == 0:
        note.high = ticks + desk.rng.randrange(TICKS, 2 * desk.tenfold) // TICKS * TICKS
    return note


def _other_period(desk: Desk, note: Note) -> None:
    note.period = next(desk.periods)


def _other_measure(desk: Desk, note: Note) -> None:
    note.measure = next(desk.measures)


def spare(desk: Desk, laid: Laid) -> list[Note]:
    """What further documents may find of groups of no concern: as the one that would settle the block finds."""
    asked = [note for notes in laid.sheets for note in notes if not note.period.key + note.measure.key]
    stated = {note.label.key: note for note in asked}
    found = []
    for low, high in desk.pairs[1:]:
        if desk.kind == "document":
            figure = laid.figure + desk.sign * desk.least(laid.figure // 6)
            found.append(desk.note((low, high)[desk.rng.randrange(2)], _direction(desk.sign), figure))
        else:
            direction = "exactly" if desk.kind == "number" or desk.rng.randrange(4) else _direction(desk.sign)
            found.append(desk.note(high, direction, desk.drawn(*_range(desk, stated[high.key]))))
    return found


# What is asked, and what the decisive and the weak findings say of it


class _Core(NamedTuple):
    """Findings about what is asked, in an open block."""

    ends: list[Note]
    """What leaves the asked quantity its range."""
    strange: list[Note]
    """Findings about others of the same kind, one of which may be what the asked quantity is compared with."""
    strong: tuple[str, int]
    """What settles the question: direction and ticks."""
    weak: tuple[str, int]
    """What does not, and contradicts nothing."""
    tempting: _Tempting
    figure: int = 0


def _core(desk: Desk) -> _Core:
    """For a block that a strong finding would settle."""
    desk.surround()
    return {"document": _claim, "number": _number, "yes_no": _comparison}[desk.kind](desk)


def _claim(desk: Desk) -> _Core:
    rng, claimed, sign = desk.rng, desk.level(), desk.sign
    near = claimed // 6
    strong = claimed + sign * desk.least(near)
    if rng.randrange(3):
        weak = (_direction(sign), claimed - sign * desk.least(near))
    else:
        weak = (_direction(-sign), claimed + sign * desk.drawn(claimed // 5, claimed // 3))
    return _Core([], [], (_direction(sign), strong), weak, _Tempting(claimed, TICKS, near, sign), claimed)


def _number(desk: Desk) -> _Core:
    """No two neighbours of a figure are both right: one end and the exact value lie outside their last answers."""
    size, sign = desk.step * desk.tenfold, desk.sign

    def around(middle: int) -> tuple[int, int]:
        near = middle - sign * desk.drawn(size * 4 // 10, size // 2)
        far = middle + sign * (size * (1 + desk.rng.randrange(2)) + desk.drawn(size // 10, size * 45 // 100))
        return min(near, far), max(near, far)

    middles, place = _middles(desk)
    spans = [around(middle) for middle in middles]
    value = middles[place] - sign * max(TICKS, desk.drawn(size // 10, size * 3 // 10))
    ends, strange = _spread(desk, spans, place)
    return _Core(ends, strange, ("exactly", value), _weak(desk, *spans[place]), _away(desk, value))


def _middles(desk: Desk) -> tuple[list[int], int]:
    """Multiples of the resolution, so far apart that no answer is near two of them, and which is about the asked."""
    size = desk.step * desk.tenfold
    middles = [desk.level() // size * size]
    for _ in range(1, PLACES[desk.kind]):
        middles.append(middles[-1] + size * (4 + desk.rng.randrange(3)))
    return middles, desk.rng.randrange(len(middles))


def _comparison(desk: Desk) -> _Core:
    value, unit = desk.level(), desk.tenfold
    sign = 1 if desk.rng.randrange(2) else -1
    near = desk.least(2 * unit)

    def around() -> tuple[int, int]:
        return value - near - desk.least(2 * unit), value + near + desk.least(2 * unit)

    spans = [around() for _ in range(PLACES[desk.kind])]
    strong = ("exactly" if desk.rng.randrange(2) else _direction(sign), value + sign * near)
    ends, strange = _spread(desk, spans, 0)
    _loosen(desk, [*ends, *strange], unit)
    return _Core(ends, _compared(desk, value, strange), strong, _weak(desk, *spans[0]), _close(desk, value))


def _compared(desk: Desk, value: int, strange: list[Note]) -> list[Note]:
    """The value compared with, first; then figures of groups of no concern, and a value of what is in one of them."""
    first = next(note for note in strange if note.label is desk.pairs[0][1])
    other = desk.drawn(*_range(desk, first))
    return [desk.note(desk.beside[1], "exactly", value), *strange, desk.note(desk.pairs[0][0], "exactly", other)]


def _range(desk: Desk, note: Note) -> tuple[int, int]:
    """Where a value would agree with a finding."""
    reach = 2 * desk.tenfold
    low = max(TICKS, (note.high or 0) - reach) if note.low is None else -(-note.low // TICKS) * TICKS
    return low, low + reach if note.high is None else note.high


def _spread(desk: Desk, spans: Sequence[tuple[int, int]], place: int) -> tuple[list[Note], list[Note]]:
    """Findings of all ends of these spans: of the asked quantity's, the least value first, and of groups of no concern.

    A least value may be stated with the greatest one of a span further up, so no group has both ends of one span.
    """
    step, below, above = 1 + desk.rng.randrange(2), *desk.ends()
    both = desk.rng.sample(range(len(spans) - step), TWO_SIDED[desk.kind])
    stated: list[tuple[int | None, int | None]] = [(one, one + step) for one in both]
    stated += [(one, None) for one in range(len(spans)) if one not in both]
    stated += [(None, one) for one in range(len(spans)) if one - step not in both]
    labels = desk.rng.sample([pair[1] for pair in desk.pairs], len(desk.pairs))
    ends, strange = {}, []
    for lower, higher in stated:
        label = below if lower == place else above if higher == place else labels.pop()
        low, high = None if lower is None else spans[lower][0], None if higher is None else spans[higher][1]
        note = Note(label, desk.scene.periods[0], desk.scene.measures[0], low, high)
        if place in (lower, higher):
            ends[lower == place] = note
        else:
            strange.append(note)
    return [ends[True], ends[False]], strange


def _loosen(desk: Desk, notes: Sequence[Note], loose: int) -> None:
    """Some state another bound that does not matter."""
    lows = [note.low for note in notes if note.low is not None]
    highs = [note.high for note in notes if note.high is not None]
    for note in notes:
        slack = loose * 3 // 4 + desk.drawn(TICKS, 2 * loose)
        if desk.rng.randrange(3) == 0:
            if note.high is None:
                note.high = max(highs) + slack
            elif min(lows) - slack > TICKS:
                note.low = min(lows) - slack


def _weak(desk: Desk, low: int, high: int) -> tuple[str, int]:
    """A bound beyond the range, among those of others; beyond the answers next to it, too."""
    size = (desk.step if desk.kind == "number" else 1) * desk.tenfold
    gap = max(TICKS, desk.drawn(3 * size // 2 if desk.kind == "number" else TICKS, 8 * size))
    if desk.rng.randrange(2):
        return "at_least", max(TICKS, low - gap)
    return "at_most", high + gap


def _away(desk: Desk, value: int) -> _Tempting:
    """Figures whose neighbours are no answers."""
    size = desk.step * desk.tenfold
    return _Tempting(value, 4 * size, max(6 * size, value // 3))


def _close(desk: Desk, value: int) -> _Tempting:
    return _Tempting(value, TICKS, 3 * desk.tenfold)


def _idle_count(desk: Desk) -> int:
    """Idle documents: the fewer, the more others there are."""
    return min(3, {"document": 3, "number": 1, "yes_no": 1}[desk.kind] + desk.extra)


def _sheets(desk: Desk, ends: Sequence[Note], strange: Sequence[Note], single: Sequence[Note]) -> list[list[Note]]:
    """Documents: each end with a finding about others, the rest of those in tables, whatever is edited alone."""
    rest = desk.rng.sample(strange, len(strange))
    sheets = [[one, *([rest.pop()] if rest else [])] for one in ends]
    tables = -(-len(rest) // 4)
    return [*sheets, *(rest[place::tables] for place in range(tables)), *([one] for one in single)]


# Layouts


def attributes(desk: Desk, _rung: Rung) -> Laid:
    """The strong finding is about another subject, period or measure, which it and a weak finding exchange."""
    core = _core(desk)
    strong, weak = desk.note(desk.crux, *core.strong), desk.note(desk.inside(), *core.weak)
    chosen = ("label", "period", "measure")[desk.rng.randrange(3)]
    if desk.kind == "document":  # not by the asked name alone, so that names do not tell what is about it
        weak.label = desk.chain[desk.rng.randrange(len(desk.chain))]
        chosen = chosen if desk.depth else "period"
    else:  # not about the group whose range matters, which would be the one most talked about
        weak.label = desk.chain[0] if desk.depth else desk.asked
        chosen = "period" if chosen == "label" and desk.depth > 1 else chosen
    if chosen == "label":
        strong.label, weak.label = next(desk.strangers), desk.crux
    elif chosen == "period":
        _other_period(desk, strong)
    else:
        _other_measure(desk, strong)
    idle = _idle(desk, core.tempting, _idle_count(desk))
    sheets = _sheets(desk, core.ends, core.strange, [strong, weak, *idle])
    late = desk.note(desk.outer(), *core.strong)
    return Laid(sheets, lambda: _swap(strong, weak, chosen), late, core.figure, 1 + desk.depth)


def members(desk: Desk, _rung: Rung) -> Laid:
    """The strong finding is about a group that the asked subject is not in; settled it has changed groups."""
    mine, theirs = desk.widen()
    elsewhere, crux = theirs.wider, desk.crux
    core = _core(desk)
    strong, weak = desk.note(crux, *core.strong), desk.note(elsewhere, *core.weak)
    idle = _idle(desk, core.tempting, _idle_count(desk))
    sheets = _sheets(desk, core.ends, core.strange, [strong, weak, *idle])
    mine.narrower, theirs.narrower = theirs.narrower, mine.narrower

    def settle() -> None:
        mine.narrower, theirs.narrower = theirs.narrower, mine.narrower

    late = desk.note(desk.outer(), *core.strong)
    return Laid(sheets, settle, late, core.figure, 1 + desk.depth)


def figure(desk: Desk, rung: Rung) -> Laid:
    """A figure falls a little short, and settled it does not."""
    desk.surround()
    return {"document": _claim_figure, "number": _number_figure, "yes_no": _comparison_figure}[desk.kind](desk, rung)


def _claim_figure(desk: Desk, rung: Rung) -> Laid:
    core, sign = _claim(desk), desk.sign
    margin = _margin(desk, rung)
    crux = desk.note(desk.crux, _direction(sign), core.figure - sign * margin)
    idle = _idle(desk, core.tempting, 3)
    for place in range(2):  # as near to the claim as the crux, on either side
        near = core.figure + (1 if desk.rng.randrange(2) else -1) * _margin(desk, rung)
        low, high = ((end if end is None else near) for end in (idle[place].low, idle[place].high))
        idle[place].low, idle[place].high = low, high
    notes = [crux, *idle]
    if desk.rng.randrange(2):
        notes.append(desk.note(desk.inside(), *core.weak))
    late = desk.note(desk.outer(), *core.strong)
    sheets = _sheets(desk, [], [], notes)
    return Laid(sheets, lambda: crux.move(2 * sign * margin), late, core.figure, 1 + desk.depth, (margin, TICKS))


def _margin(desk: Desk, rung: Rung) -> int:
    """A margin in ticks, of which ten are the last unit of the figure compared with."""
    low, high = {Rung.RAZOR: (1, 2), Rung.NARROW: (2, 11)}.get(rung, (11, 41))
    return desk.rng.randrange(low, high)


def _number_figure(desk: Desk, rung: Rung) -> Laid:
    """The end of a range lies beyond the middle of two answers; settled it does not."""
    rng, size, sign = desk.rng, desk.step * desk.tenfold, desk.sign
    low, high = (1, size // 10) if rung is Rung.RAZOR else (size // 10 + 1, size // 4)
    middles, place = _middles(desk)
    middles = [middle + size // 2 for middle in middles]

    def reach() -> tuple[int, int]:
        margin = desk.drawn(low, high + 1)
        margin = margin if margin >= low else rng.randrange(low, high + 1)
        return margin, desk.drawn(size * 6 // 10, size - margin)

    reaches = [reach() for _ in middles]
    sides = [1 if one == place or rng.randrange(3) else -1 for one in range(len(middles))]
    spans = [
        _sorted(middle - sign * side * margin, middle + sign * far)
        for middle, side, (margin, far) in zip(middles, sides, reaches, strict=True)
    ]
    ends, strange = _spread(desk, spans, place)
    middle, (margin, far) = middles[place], reaches[place]
    weak = desk.note(desk.chain[0], *_weak(desk, middle - size, middle + size))
    idle = _idle(desk, _away(desk, middle), 1 + rng.randrange(2))
    late = desk.note(desk.outer(), "exactly", middle + sign * (far // 2))
    sheets = _sheets(desk, ends, strange, [weak, *idle])
    return Laid(sheets, lambda: _tighten(ends, sign, 2 * margin), late, 0, 1 + desk.depth, (margin, size))


def _sorted(first: int, second: int) -> tuple[int, int]:
    return (first, second) if first < second else (second, first)


def _comparison_figure(desk: Desk, rung: Rung) -> Laid:
    """The range of the asked quantity holds the value compared with; settled one of the two has moved."""
    rng, sign, value = desk.rng, desk.sign, desk.level()
    margin = _margin(desk, rung)
    far = 2 * margin + desk.least(2 * desk.tenfold)
    spans = [_sorted(value - sign * margin, value + sign * far)]
    for _ in range(1, PLACES["yes_no"]):
        side, turned = (1 if rng.randrange(count) else -1 for count in (3, 2))
        reach = 2 * margin + desk.least(2 * desk.tenfold)
        spans.append(_sorted(value - turned * side * _margin(desk, rung), value + turned * reach))
    ends, strange = _spread(desk, spans, 0)
    _loosen(desk, [*ends, *strange], desk.tenfold)
    compared, *others = _compared(desk, value, strange)
    idle = _idle(desk, _close(desk, value), 1 + rng.randrange(2))
    moves = margin % TICKS == 0 and rng.randrange(2) == 0

    def settle() -> None:
        if moves:
            compared.move(-2 * sign * margin)
        else:
            _tighten(ends, sign, 2 * margin)

    late = desk.note(desk.outer(), "exactly", value + sign * (margin + (far - margin) // 2))
    sheets = _sheets(desk, ends, [compared, *others], idle)
    return Laid(sheets, settle, late, 0, 1 + desk.depth, (margin, TICKS))


def _tighten(ends: Sequence[Note], sign: int, ticks: int) -> None:
    """Raise the least value, or lower the greatest one."""
    below, above = ends
    if sign > 0 and below.low is not None:
        below.low += ticks
    elif above.high is not None:
        above.high -= ticks
