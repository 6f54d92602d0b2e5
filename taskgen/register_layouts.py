"""Layouts of register blocks: which entries there are, where they are assigned, and what opens or settles the block.

Every layout lays out an open block and says how it is settled: by parts that change places, or by one figure. Whatever
an open block shows, its twin shows as often: entries under review, places of which nobody says where they belong,
entries without a place, subjects that a register is complete for, counts.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from impossible_rubrics_env.task import Rung
from impossible_rubrics_env.taskgen.knobs import Knobs
from impossible_rubrics_env.taskgen.scene_words import GROUPS
from impossible_rubrics_env.taskgen.scenes import Scene
from impossible_rubrics_env.taskgen.statements import Name

TWO = 2
MAX_CHAIN = 3
"""Most places that an entry is passed up through before it reaches a subject."""
STEP = 10
"""The resolution, in whole units, where a figure decides a number."""
MAX_EXTRA = 3
"""Most entries that a caller may add."""
LATER = 3
"""Entries of the asked register in a total whose places come later, and do not matter."""
ENTRIES = (9, 13)
"""Entries of the asked register in a list: from the first number to below the second."""


@dataclass(slots=True)
class Row:
    """An entry of a register; a place of None is given elsewhere or not at all, a grade of None likewise."""

    item: Name
    register: int
    place: Name | None
    grade: Name | None
    units: int
    """The amount, in units of its last printed digit."""


@dataclass(slots=True)
class Pages:
    """All that the documents will say."""

    rows: list[Row]
    links: list[list[Name]]
    """Narrower and wider: places, and what they come under."""
    covers: list[list[Name]]
    """By register: the subjects that it is complete for."""
    subjects: list[Name]
    """All there are."""
    graded: list[list[Name]] = field(default_factory=list)
    """Items whose grades come later than their entries."""
    booked: list[list[Name]] = field(default_factory=list)
    """Items whose places do."""
    counts: list[int] = field(default_factory=list)
    """By register."""
    ops: list[str] = field(default_factory=list)
    """By register: how its entries compare with the count."""
    withdrawn: list[list[Name]] = field(default_factory=list)
    """Items and places that documents give which are out of force."""
    review: list[Row] = field(default_factory=list)
    """Entries under review on which nothing turns."""
    cut: int = 0
    """How many scales stand before the places."""

    def mix(self, rng: random.Random) -> None:
        """Shuffle whatever has no order of its own."""
        parts: list[list[Any]] = [self.rows, self.links, self.graded, self.booked, self.subjects, *self.covers]
        for part in parts:
            rng.shuffle(part)
        self.cut = rng.randrange(3)

    def subjects_of(self, rows: Sequence[Row]) -> dict[str, str | None]:
        """By item: the subject that it counts under, if that is known."""
        wider = {narrower.key: wider.key for narrower, wider in self.links}
        places = {item.key: place.key for item, place in self.booked}
        places |= {row.item.key: row.place.key for row in rows if row.place is not None}
        known = {subject.key for subject in self.subjects}
        found = {}
        for row in rows:
            name = places.get(row.item.key)
            while name is not None and name not in known:
                name = wider.get(name)
            found[row.item.key] = name
        return found


SPARE = 4
"""Places on which nothing turns, of which other documents may say whose they are."""
ENTERED = 2
"""How many of them have an entry of the second register; places in the others have none."""


class Spare(NamedTuple):
    """A place on which nothing turns, a place in it, and the subject that another document may put it under."""

    place: Name
    inside: Name | None
    subject: Name


class Chain(NamedTuple):
    """Places that come one under the other, the lowest first, and the subject of the last; None where nobody says."""

    places: tuple[Name, ...]
    subject: Name | None

    @property
    def leaf(self) -> Name:
        """Where an entry goes that is to be passed up through all of it."""
        return self.names[0]

    @property
    def names(self) -> tuple[Name, ...]:
        """The places, and the subject."""
        return self.places if self.subject is None else (*self.places, self.subject)


class Laid(NamedTuple):
    """The pages of an open block, how to settle it, and its dial."""

    pages: Pages
    settle: Callable[[], None]
    late: tuple[str, Name, Name]
    """What a later document would say to settle it: the kind of statement, and its two names."""
    hops: int
    crux: Row | None = None
    """The entry that cannot be counted in or out."""
    margin: tuple[int, int] | None = None
    """The margin and its unit, in units of the last printed digit."""
    step: int = 0
    """The resolution of a number, in whole units."""


class Desk:
    """What a layout is made with: the scene, a supply of items, chains of places."""

    def __init__(self, rng: random.Random, scene: Scene, kind: str, length: int, knobs: Knobs) -> None:
        self.rng = rng
        self.scene = scene
        self.kind = kind
        self.length = length
        """Places of a chain."""
        self.digits = knobs.digits or 1 + rng.randrange(2)
        self.tenfold: int = 10**self.digits
        self.extra = min(knobs.distractors, MAX_EXTRA)
        self.asked, *others = scene.subjects[:4]
        self.others: list[Name] = others
        self.lowest = rng.randrange(1, len(scene.grades))
        """The place, in the order of grades, of the lowest grade asked for."""
        self.chains, self.loose = _trees(rng, scene) if kind != "list" and length == TWO else _chains(scene, length)
        self._items = iter(scene.items)
        self.spares = self._spares()

    def _spares(self) -> list[Spare]:
        """As many as other documents may speak of."""
        taken = {name.key for chain in (*self.chains, *self.loose) for name in chain.names}
        kind = self.scene.words["place_kind"]
        words = self.rng.sample([word for word in GROUPS if word not in taken], 2 * SPARE)
        names = [Name(word, f"the {word} {kind}") for word in words]
        inside = [None] * ENTERED + names[SPARE : 2 * SPARE - ENTERED]
        if self.kind == "list":
            inside = inside[ENTERED:]
        return [
            Spare(place, part, self.asked if self.rng.randrange(2) else self.others[0])
            for place, part in zip(names, inside, strict=False)
        ]

    def row(self, place: Name | None, grade: Name | None, units: int = 0, register: int = 0) -> Row:
        """An entry; without an amount it gets a drawn one."""
        return Row(next(self._items), register, place, grade, units or self.amount())

    def amount(self, low: int = 10, high: int = 100) -> int:
        """An amount of `low` or more and less than `high`; now and then a small one, where nothing is said."""
        if (low, high) == (10, 100) and self.rng.randrange(4) == 0:
            low, high = 2, 10
        return self.rng.randrange(low * self.tenfold, high * self.tenfold)

    def grade(self, *, high: bool | None = None) -> Name:
        """A grade, where it matters one that qualifies or one that does not."""
        grades = self.scene.grades
        chosen = grades if high is None else grades[self.lowest :] if high else grades[: self.lowest]
        return chosen[self.rng.randrange(len(chosen))]

    def chain(self, subjects: Sequence[Name], avoid: Chain | None = None) -> Chain:
        """A chain to one of the subjects; where there is no other than the one to avoid, the bare subject."""
        found = [one for one in self.chains if one.subject in subjects and one is not avoid]
        if not found:
            found = [Chain((), one) for one in subjects if avoid is None or one != avoid.subject]
        return found[self.rng.randrange(len(found))]

    def spot(self, chain: Chain) -> Name:
        """A place on a chain, most often the lowest."""
        return chain.leaf if self.rng.randrange(3) else chain.names[self.rng.randrange(len(chain.names))]

    def elsewhere(self, avoid: Chain | None = None) -> Name:
        """A place that leads to another subject than the asked one."""
        return self.spot(self.chain(self.others, avoid))

    def spots(self, subject: Name, count: int) -> list[Name]:
        """Places of a subject, each once where they are enough, so that none is told apart by how often it occurs."""
        chains = [one for one in self.chains if one.subject is subject] or [Chain((), subject)]
        leaves = [one.leaf for one in chains]
        self.rng.shuffle(leaves)
        higher = chains[0].names[:0:-1]  # the subject itself first, most often
        if self.rng.randrange(4) == 0:
            higher = higher[::-1]
        first = 1 + self.rng.randrange(2)
        names = [*leaves[:first], *higher[:1], *leaves[first:], *higher[1:]]
        return [names[number % len(names)] for number in range(count)]

    def hops(self, more: int = 0) -> int:
        """How many facts decide about an entry: it, those on its place, and so many more."""
        return 1 + more + self.length


def _trees(rng: random.Random, scene: Scene) -> tuple[list[Chain], list[Chain]]:
    """Two places come under each of three, of which the first three are of a subject, and two under one of nobody."""
    kind = scene.words["place_kind"]
    more = [Name(word, f"the {word} {kind}") for word in rng.sample(GROUPS, 4)]
    names = rng.sample([*scene.places, *more], 12)
    chains = [
        Chain((names[3 * at + leaf], names[3 * at + TWO]), subject)
        for at, subject in enumerate((*scene.subjects[:3], None))
        for leaf in range(2)
    ]
    return chains[:-2], chains[-2:]


def _chains(scene: Scene, length: int) -> tuple[list[Chain], list[Chain]]:
    """Chains to subjects, and chains to none: as many as there are places for."""
    a, b, c, d = scene.subjects[:4]
    places = scene.places
    if length == 0:
        return [Chain((), one) for one in (a, b, c, d)], [Chain((one,), None) for one in places[:2]]
    ends = {1: (a, b, a, c, b, d), 2: (a, b, c), 3: (a, b)}[length]
    chains = [Chain(places[at * length : (at + 1) * length], one) for at, one in enumerate(ends)]
    rest = places[len(ends) * length :]
    return chains, [Chain((one,), None) for one in rest] if length == 1 else [Chain(rest, None)]


def _pages(desk: Desk, rows: list[Row], graded: list[list[Name]]) -> Pages:
    """Pages with these entries; the first register is closed for the asked subject and the one it is compared with."""
    chosen = [*desk.chains, *desk.loose]
    pairs = [pair for chain in chosen for pair in zip(chain.names, chain.names[1:], strict=False)]
    links = [list(pair) for pair in dict.fromkeys(pairs)]
    subjects = desk.scene.subjects
    covers = [[*subjects[:3]], [*subjects[4:6]]]
    if desk.rng.randrange(2):
        covers[0].append(subjects[3])
    if desk.rng.randrange(2):
        covers[1].append(desk.asked)
    pages = Pages(rows, links, covers, [*subjects], graded)
    shown = sum(row.register == 0 for row in rows)
    pages.counts = [shown, shown + (1 if desk.rng.randrange(2) else -1)]
    pages.ops = [("=", "=", "<=")[desk.rng.randrange(3)], ("=", "<=", ">=")[desk.rng.randrange(3)]]
    return pages


# Lists


def _listed(desk: Desk, crux: Sequence[Row], avoid: Chain | None = None, graded: Sequence[Row] = ()) -> Pages:
    """Pages of a list: the crux, entries that qualify, that do not, and entries under review of no consequence.

    Some of those come under the asked subject, and are graded later or belong to the second register.
    """
    asked, high, low = [desk.asked], desk.grade(high=True), desk.grade(high=False)
    first = [
        desk.row(desk.spot(desk.chain(asked)), high),
        desk.row(desk.spot(desk.chain(asked)), low),
        desk.row(desk.elsewhere(), desk.grade(high=True)),
    ]
    review = [desk.row(desk.chain(desk.others, avoid).leaf, None) for _ in range(4)]
    rows = [
        *crux,
        *first,
        *review,
        desk.row(desk.loose[0].leaf, desk.grade(high=False)),
    ]
    later = [desk.row(desk.chain(asked).leaf, None) for _ in range(2)]
    second = [desk.row(desk.spot(desk.chain([*asked, *desk.others])), desk.grade(), register=1) for _ in range(2)]
    second.append(desk.row(desk.chain(asked).leaf, None, register=1))
    second.append(desk.row(desk.loose[-1].leaf, desk.grade(), register=1))
    shown = max(len(rows) + 2, desk.rng.randrange(*ENTRIES))  # so that no count is said more often of one register
    extra = [desk.row(desk.elsewhere(avoid), desk.grade()) for _ in range(shown - len(rows) - 2)]
    extra += [desk.row(desk.elsewhere(), desk.grade(), register=1) for _ in range(desk.extra)]
    named = [[row.item, desk.grade()] for row in (*later, *graded)]
    pages = _pages(desk, [*rows, *later, *second, *extra], named)
    pages.review = review
    return pages


def _swap_places(first: Row, second: Row) -> None:
    first.place, second.place = second.place, first.place


def _swap_items(first: Row, second: Row) -> None:
    first.item, second.item = second.item, first.item


def _swap_grades(first: Row, second: Row) -> None:
    first.grade, second.grade = second.grade, first.grade


def review_places(desk: Desk, _rung: Rung) -> Laid:
    """An entry under review is at a place of the asked subject, and settled at another's."""
    crux = desk.row(desk.chain([desk.asked]).leaf, None)
    other = desk.row(desk.chain(desk.others).leaf, desk.grade())
    later = []
    if desk.length == 0:  # as many entries under review beside the asked subject's name, open or settled
        other.grade, later = None, [other]
    pages = _listed(desk, [crux, other], graded=later)
    late = ("graded", crux.item, desk.grade())
    return Laid(pages, lambda: _swap_places(crux, other), late, desk.hops(), crux)


def review_tops(desk: Desk, _rung: Rung) -> Laid:
    """The place of an entry under review comes under the asked subject, and settled under another."""
    first, second = desk.chain([desk.asked]), desk.chain(desk.others)
    crux = desk.row(first.leaf, None)
    moved = [desk.row(second.leaf, desk.grade(high=True)), desk.row(desk.spot(second), desk.grade())]
    pages = _listed(desk, [crux, *moved], second)
    tops = [next(link for link in pages.links if link[0] == chain.places[-1]) for chain in (first, second)]

    def settle() -> None:
        tops[0][1], tops[1][1] = tops[1][1], tops[0][1]

    return Laid(pages, settle, ("graded", crux.item, desk.grade()), desk.hops(), crux)


def review_items(desk: Desk, _rung: Rung) -> Laid:
    """Of two entries under review the one that does not matter is graded later, and settled the one that does."""
    crux = desk.row(desk.chain([desk.asked]).leaf, None)
    other = desk.row(desk.elsewhere(), None)
    pages = _listed(desk, [crux, other], graded=[other])
    late = ("graded", crux.item, desk.grade())
    return Laid(pages, lambda: _swap_items(crux, other), late, desk.hops(1), crux)


def loose_places(desk: Desk, _rung: Rung) -> Laid:
    """An entry with a grade that qualifies is at a place of no known subject, and settled at a known one."""
    loose = desk.loose[0]
    crux = desk.row(loose.leaf, desk.grade(high=True))
    other = desk.row(desk.chain([desk.asked, *desk.others]).leaf, desk.grade(high=False))
    pages = _listed(desk, [crux, other])
    late = _claimed(desk)
    return Laid(pages, lambda: _swap_places(crux, other), late, desk.hops(), crux)


def loose_grades(desk: Desk, _rung: Rung) -> Laid:
    """An entry at a place of no known subject has a grade that qualifies, and settled one that does not."""
    loose = desk.loose[0]
    crux = desk.row(loose.leaf, desk.grade(high=True))
    other = desk.row(desk.chain([desk.asked, *desk.others]).leaf, desk.grade(high=False))
    pages = _listed(desk, [crux, other])
    late = _claimed(desk)
    return Laid(pages, lambda: _swap_grades(crux, other), late, 1 + max(1, desk.length), crux)


def coverage(desk: Desk, _rung: Rung) -> Laid:
    """The second register is complete for the asked subject, and settled the first."""
    pages = _listed(desk, [])
    stranger = desk.scene.subjects[6]
    pages.covers[0] = [stranger, *(one for one in pages.covers[0] if one != desk.asked)]
    pages.covers[1] = [desk.asked, *(one for one in pages.covers[1] if one != desk.asked)]

    def settle() -> None:
        first, second = pages.covers
        first[first.index(stranger)], second[second.index(desk.asked)] = desk.asked, stranger

    return Laid(pages, settle, ("complete", desk.asked, desk.others[0]), 2)


def counts(desk: Desk, _rung: Rung) -> Laid:
    """The first register holds one entry more than are shown, and settled as many."""
    pages = _listed(desk, [])
    shown = pages.counts[0]
    pages.counts, pages.ops[1] = [shown + 1, shown], pages.ops[0]
    return Laid(pages, pages.counts.reverse, ("", desk.asked, desk.asked), 2)


def least_counts(desk: Desk, _rung: Rung) -> Laid:
    """The first register holds at least as many entries as are shown, and settled no more."""
    pages = _listed(desk, [])
    pages.ops = [">=", pages.ops[0]]
    return Laid(pages, pages.ops.reverse, ("", desk.asked, desk.asked), 2)


def _someone(desk: Desk) -> Name:
    """The asked subject, or another."""
    return desk.asked if desk.rng.randrange(2) else desk.others[0]


# Totals


class _Sums(NamedTuple):
    """Entries of the asked subject and of the others, with no amounts yet, and those of the second register."""

    asked: list[Row]
    other: list[Row]
    """Of the subject that the question compares with."""
    rest: list[Row]


def _sums(desk: Desk) -> _Sums:
    count = 2 + desk.rng.randrange(2)
    asked, other, rest = (
        [desk.row(place, desk.grade()) for place in desk.spots(subject, number)]
        for subject, number in zip((desk.asked, *desk.others[:2]), (count, count, 2), strict=True)
    )
    top = desk.loose[-1].places[-1]  # mentioned about as often as the places that are of a subject
    places = [top, *(spare.place for spare in desk.spares[:ENTERED])]
    rest += [desk.row(place, desk.grade(), register=1) for place in places]
    rest += [desk.row(desk.elsewhere(), desk.grade(), register=1) for _ in range(desk.extra)]
    return _Sums(asked, other, rest)


def _totalled(desk: Desk, sums: _Sums, crux: Sequence[Row]) -> Pages:
    """Pages of a total: some places come later, and some grades are under review, one of which comes later.

    None of these entries matters but the crux, and what the pages say of it they say of others.
    """
    rows = [*sums.asked, *sums.other, *sums.rest, *crux]
    moved = desk.rng.sample([row for row in rows if row.register == 0 and row not in crux], LATER)
    booked = []
    for row in moved:
        if row.place is not None:
            booked.append([row.item, row.place])
            row.place = None
    plain = [row for row in rows if row.place is not None and row.place != desk.asked]
    if desk.length == 0:  # the crux changes places with an entry that may stand beside the asked subject's name
        plain = [row for row in plain if row not in crux]
    flagged = desk.rng.sample(plain, 3)
    for row in flagged:
        row.grade = None
    pages = _pages(desk, rows, [[flagged[0].item, desk.grade()]])
    pages.booked = booked
    return pages


def _split(desk: Desk, total: int, rows: Sequence[Row]) -> None:
    """Share a total out among entries."""
    weights = [desk.rng.randrange(50, 150) for _ in rows]
    left, weight = total, sum(weights)
    for row, share in zip(rows, weights, strict=True):
        row.units = left * share // weight
        left, weight = left - row.units, weight - share


def _fill(desk: Desk, sums: _Sums, units: int, step: int) -> None:
    """Amounts with which an entry of `units` matters, wherever it counts: a gap below it, or totals off the ties."""
    rng, rows = desk.rng, len(sums.asked)
    total = sum(desk.amount(20, 70) for _ in range(rows))
    gap = rng.randrange(units // 8, units - units // 8) * (1 if rng.randrange(2) else -1)
    _split(desk, total, sums.other)
    if desk.kind == "number":
        size = step * desk.tenfold
        ties = [(size // 2 - more) % size for more in (0, units)]
        total += next(more for more in range(3) if (total + more) % size not in ties)
        gap = 0
    _split(desk, total + gap, sums.asked)


def total_places(desk: Desk, rung: Rung) -> Laid:
    """An entry is at a place of no known subject; settled it has changed places with one of the second register."""
    sums, step = _sums(desk), (1, STEP)[desk.rng.randrange(2)]
    end = desk.chain([desk.asked, *desk.others])
    crux = desk.row(desk.loose[0].leaf, desk.grade(), desk.amount(11, 60))
    other = desk.row(end.leaf, desk.grade(), register=1)
    _fill(desk, sums, crux.units, step)
    late = _claimed(desk)
    if rung is not Rung.RAZOR:
        pages = _totalled(desk, sums, [crux, other])
        return Laid(pages, lambda: _swap_places(crux, other), late, desk.hops(), crux, step=step)
    places = [[row.item, row.place] for row in (crux, other) if row.place is not None]
    crux.place = other.place = None
    pages = _totalled(desk, sums, [crux, other])
    pages.booked += places

    def settle() -> None:
        places[0][1], places[1][1] = places[1][1], places[0][1]

    return Laid(pages, settle, late, desk.hops(1), crux, step=step)


def total_items(desk: Desk, _rung: Rung) -> Laid:
    """Of an entry no place is known; settled its place comes later, and not that of one of the second register."""
    sums, step = _sums(desk), (1, STEP)[desk.rng.randrange(2)]
    crux = desk.row(None, desk.grade(), desk.amount(11, 60))
    other = desk.row(None, crux.grade, register=1)
    _fill(desk, sums, crux.units, step)
    pages = _totalled(desk, sums, [crux, other])
    again = next(row for row in (*sums.asked, *sums.other, *sums.rest) if row.place is None)
    pages.graded += [[row.item, row.grade] for row in (crux, again) if row.grade is not None]
    pages.booked.append([other.item, desk.chain([desk.asked, *desk.others]).leaf])
    pages.withdrawn = [[crux.item, desk.chain([desk.asked, *desk.others]).leaf], [*pages.booked[0]]]
    late = ("booked", crux.item, desk.chain([desk.asked, *desk.others]).leaf)
    return Laid(pages, lambda: _swap_items(crux, other), late, desk.hops(), crux, step=step)


def _stray(desk: Desk, units: int) -> tuple[Row, list[list[Name]]]:
    """An entry at a place that may be anyone's, which it may be given later."""
    row = desk.row(desk.loose[0].leaf, desk.grade(), units)
    if row.place is None or desk.rng.randrange(2):
        return row, []
    booked = [[row.item, row.place]]
    row.place = None
    return row, booked


def _claimed(desk: Desk) -> tuple[str, Name, Name]:
    """What would settle whose the place is."""
    return "within", desk.loose[0].places[-1], _someone(desk)


def total_figure(desk: Desk, rung: Rung) -> Laid:
    """An entry that may be anyone's moves the total across the middle of two answers; settled it does not."""
    rng, sums, size = desk.rng, _sums(desk), STEP * desk.tenfold
    margin = rng.randrange(1, size // 10 + 1) if rung is Rung.RAZOR else rng.randrange(size // 10 + 1, size // 5)
    far = rng.randrange(max(margin, size // 5), size - 3 * margin)
    crux, booked = _stray(desk, margin + far)
    middle = rng.randrange(7, 24) * size + size // 2
    total = middle - (margin if rng.randrange(2) else far)
    settled = middle + margin if rng.randrange(2) else middle - margin - crux.units
    _split(desk, total, sums.asked)
    for row in sums.other:
        row.units = desk.amount()
    edited = max(sums.asked, key=lambda row: row.units)
    pages = _totalled(desk, sums, [crux])
    pages.booked += booked
    late = _claimed(desk)

    def settle() -> None:
        edited.units += settled - total

    return Laid(pages, settle, late, desk.hops(), crux, (margin, size), STEP)


def gap_figure(desk: Desk, rung: Rung) -> Laid:
    """An entry that may be anyone's is a little more than the gap of the totals, or, settled, a little less."""
    rng, sums = desk.rng, _sums(desk)
    margin = 1 if rung is Rung.NARROW else rng.randrange(2, 10)
    crux, booked = _stray(desk, desk.amount(5, 40))
    total = sum(desk.amount(25, 70) for _ in sums.other)
    sides = [sums.asked, sums.other]
    rng.shuffle(sides)
    _split(desk, total, sides[0])
    _split(desk, total + crux.units - margin, sides[1])
    grows = rng.randrange(2) == 0
    edited = max(sides[1 if grows else 0], key=lambda row: row.units)
    pages = _totalled(desk, sums, [crux])
    pages.booked += booked
    late = _claimed(desk)

    def settle() -> None:
        edited.units += 2 * margin if grows else -2 * margin

    return Laid(pages, settle, late, desk.hops(), crux, (margin, 1))
