"""Systems of sentences that bound one quantity: trees of equations, differences, sums and multiples, with figures.

The bounds wanted are the ends of the asked quantity's range, `low` and `high`, not yet numbers. A tree takes them from
the asked quantity to other quantities, each used in one place alone, until a sentence states them; all other figures
are drawn. So the range is exactly [low, high] whatever the ends will be, as long as it is at least `width` wide, and
every figure has known effects on the ends. Numbers are integers: units of the last printed digit, called ticks.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from impossible_rubrics_env.taskgen.figures import figure_of
from impossible_rubrics_env.taskgen.statements import (
    Quantity,
    Statement,
    between,
    difference,
    makes_up,
    multiple,
    rounded,
    together,
    value,
)

COARSE = 10
"""Ticks in a unit of a figure that is printed with one digit less."""
LARGEST_FACTOR = 4


class End(NamedTuple):
    """A bound: `const + size * (the asked quantity's low end (side 0) or high end (side 1))`."""

    const: int
    side: int
    size: int

    def plus(self, amount: int) -> "End":
        """The end moved up."""
        return self._replace(const=self.const + amount)

    def below(self, total: int) -> "End":
        """What is left of the total."""
        return End(total - self.const, self.side, -self.size)

    def times(self, factor: int) -> "End":
        """The end of a multiple."""
        return End(self.const * factor, self.side, self.size * factor)


class Slot(NamedTuple):
    """A figure of a sentence."""

    end: End
    moves: tuple[int, int]
    """By how many ticks the figure changes for a move of the low and of the high end by one; 0: it does not move it."""
    coarse: bool = False
    """Printed with one digit less, so it cannot change by a tick."""


class Sketch(NamedTuple):
    """A sentence whose figures are not yet numbers."""

    make: Callable[..., Statement]
    slots: tuple[Slot, ...]

    def state(self, ends: tuple[int, int], places: int, edit: dict[int, int]) -> Statement:
        """The statement for these ends; `edit` adds ticks to the slot at a place."""
        figures = []
        for place, slot in enumerate(self.slots):
            ticks = slot.end.const + slot.end.size * ends[slot.end.side] + edit.get(place, 0)
            figures.append(figure_of(ticks // COARSE, places - 1) if slot.coarse else figure_of(ticks, places))
        return self.make(*figures)


class Need(NamedTuple):
    """Bounds wanted of a quantity, or of the sum of several."""

    terms: tuple[Quantity, ...]
    low: End | None
    high: End | None


def constant(ticks: int) -> End:
    """A bound that is a number."""
    return End(ticks, 0, 0)


def moved(low: End | None, high: End | None, sign: int) -> tuple[int, int]:
    """The moves of a figure that moves these ends by `sign` ticks a tick."""
    moves = [0, 0]
    for end in (low, high):
        if end is not None and end.size:
            moves[end.side] = sign * end.size
    return moves[0], moves[1]


@dataclass
class Tree:
    """What is drawn so far."""

    rng: random.Random
    asked: Quantity
    fresh: list[Quantity]
    """Quantities of the same period and measure that nothing is said of yet."""
    whole: Quantity | None
    """What can be said to be made up of parts."""
    about: dict[str, int]
    """About how large each quantity is, in ticks."""
    low: int
    """Least size of a quantity, in ticks."""
    reach: int
    """How far the ends may be from where they are said to be about."""
    top: int
    """Greatest size of one."""
    room: int
    """How wide the range may become by figures that are bounded on both sides."""
    strict: bool
    """Whether some bounds are stated as exceeded, not as reached."""
    width: int = 0
    planned: int = 0
    """How many hops are still to come, each of which takes a fresh quantity."""
    sketches: list[Sketch] = field(default_factory=list)

    def add(self, make: Callable[..., Statement], *slots: Slot) -> None:
        """One more sentence."""
        self.sketches.append(Sketch(make, slots))

    def grow(self, hops: int) -> None:
        """Bounds of the asked quantity through about so many sentences that are no bounds themselves."""
        need = Need((self.asked,), End(0, 0, 1), End(0, 1, 1))
        self.planned = hops
        if hops >= 2 and len(self.fresh) > 1 and self.rng.randrange(5) < 2:
            self.split(need, hops)
        else:
            self.expand(need, hops)

    def split(self, need: Need, hops: int) -> None:
        """The two bounds by ways of their own."""
        first = self.rng.randint(1, hops - 1)
        kept = self.take()
        self.expand(need._replace(high=None), first)
        self.fresh.append(kept)
        self.expand(need._replace(low=None), hops - first)

    def expand(self, need: Need, hops: int) -> None:
        """One sentence that takes the bounds to another quantity, and the rest of the way from there."""
        if not self.fresh or (hops <= 0 and need.terms != (self.asked,)):
            self.leaf(need)
            return
        self.planned -= 1
        step = self.rng.choices(*self.steps(need, last=hops <= 1))[0]
        rest = step(need)
        if rest is None:
            return
        both = rest.low is not None and rest.high is not None
        if both and hops > 2 and len(rest.terms) == 1 < len(self.fresh) and self.rng.randrange(4) == 0:
            self.split(rest, hops - 1)
        else:
            self.expand(rest, hops - 1)

    def steps(self, need: Need, *, last: bool) -> tuple[list[Callable[[Need], Need | None]], list[int]]:
        """The ways to go on, with their weights."""
        found: list[tuple[Callable[[Need], Need | None], int]] = [(self.by_sum, 3)]
        if len(need.terms) > 1:
            return [self.by_sum, self.by_part], [2 if len(need.terms) < 4 else 0, 3]
        found.append((self.by_difference, 4))
        if _share(need) == 1 and 2 * self.about[need.terms[0].variable] < self.top:
            found.append((self.by_multiple, 2))
        if self.whole is not None:
            found.append((self.by_whole, 4))
        if last and need.low is not None and need.high is not None:
            found.append((self.by_anchor, 4))
        return [step for step, _ in found], [weight for _, weight in found]

    def take(self) -> Quantity:
        """A quantity that nothing is said of yet."""
        return self.fresh.pop()

    def amount(self, least: int, most: int) -> int:
        """Ticks; the last digits are equally likely."""
        return self.rng.randint(least, max(least, most))

    def size_of(self, need: Need) -> int:
        """About how large it is."""
        return sum(self.about[one.variable] for one in need.terms)

    def by_difference(self, need: Need) -> Need:
        """Another quantity, smaller or larger by a figure."""
        one, other = need.terms[0], self.take()
        size = self.about[one.variable]
        share = _share(need)
        ticks = self.amount(self.reach * share + self.low // 8, self.low + self.top // 8)
        smaller = size - ticks >= self.low * share and (size + ticks > self.top or self.rng.randrange(2) == 0)
        self.about[other.variable] = size - ticks if smaller else size + ticks
        op = self.op(need, flipped=not smaller)
        pair = (one, other) if smaller else (other, one)
        sign = 1 if smaller else -1
        self.add(partial(difference, *pair, op), Slot(constant(ticks), moved(need.low, need.high, sign)))
        low, high = (None if end is None else end.plus(-sign * ticks) for end in (need.low, need.high))
        return Need((other,), low, high)

    def by_sum(self, need: Need) -> Need:
        """What makes a total of it: one quantity more, or two."""
        others = [self.take()]
        if len(self.fresh) > self.planned and len(need.terms) < 3 and self.rng.randrange(10) < 3:
            others.append(self.take())
        for one in others:
            self.about[one.variable] = self.amount(self.low * _share(need), self.top // 2)
        total = self.size_of(need) + sum(self.about[one.variable] for one in others)
        quantities = [*need.terms, *others]
        self.rng.shuffle(quantities)
        op = self.op(need, flipped=False)
        make = partial(_together, tuple(quantities), op)
        self.add(make, Slot(constant(total), moved(need.low, need.high, 1)))
        low = None if need.high is None else need.high.below(total)
        high = None if need.low is None else need.low.below(total)
        return Need(tuple(others), low, high)

    def by_multiple(self, need: Need) -> Need:
        """A quantity that is several times as large."""
        one, other = need.terms[0], self.take()
        size = self.about[one.variable]
        factor = self.rng.randint(2, max(2, min(LARGEST_FACTOR, self.top // size)))
        self.about[other.variable] = factor * size
        op = self.op(need, flipped=True)
        self.add(partial(multiple, other, op, factor, one))
        low, high = (None if end is None else end.times(factor) for end in (need.low, need.high))
        return Need((other,), low, high)

    def by_whole(self, need: Need) -> Need:
        """The whole that it is a part of; the whole is stated, the other parts are what remains."""
        whole, parts = self.whole, [self.take()]
        self.whole = None
        if whole is None:
            raise ValueError("the whole is taken")
        if len(self.fresh) > self.planned and self.rng.randrange(5) < 3:
            parts.append(self.take())
        for one in parts:
            self.about[one.variable] = self.amount(self.low * _share(need), self.top // 2)
        self.about[whole.variable] = self.size_of(need) + sum(self.about[one.variable] for one in parts)
        named = [need.terms[0], *parts]
        self.rng.shuffle(named)
        self.add(partial(makes_up, whole, named))
        least, most = self.given(whole, need.low, need.high)
        low = None if need.high is None else need.high.below(most)
        high = None if need.low is None else need.low.below(least)
        return Need(tuple(parts), low, high)

    def by_part(self, need: Need) -> Need:
        """One of the terms is stated; what remains is wanted of the others."""
        least, most = self.given(need.terms[-1], need.low, need.high)
        low = None if need.low is None else need.low.plus(-least)
        high = None if need.high is None else need.high.plus(-most)
        return Need(need.terms[:-1], low, high)

    def by_anchor(self, need: Need) -> None:
        """Both bounds are stated relative to a quantity that is known."""
        one, other = need.terms[0], self.take()
        size = self.about[one.variable]
        share = _share(need)
        ticks = self.amount(self.reach * share + self.low // 8, self.low + self.top // 8)
        summed = self.rng.randrange(2) == 0
        smaller = size - ticks >= self.low * share
        if summed:
            self.about[other.variable] = self.amount(self.low, self.top // 2)
        else:
            self.about[other.variable] = size - ticks if smaller else size + ticks
        known = self.about[other.variable]
        forward = summed or smaller
        pair = (one, other) if forward else (other, one)
        for end, op in ((need.low, ">="), (need.high, "<=")):
            if end is None:
                continue
            made = partial(_together, pair, op) if summed else partial(difference, *pair, op if smaller else _FLIP[op])
            stated = end.plus(known if summed else -known) if forward else end.below(known)
            self.add(made, Slot(stated, moved(*_sided(end, op), 1 if forward else -1)))
        self.add(partial(value, other, "="), Slot(constant(known), moved(need.low, need.high, -1 if summed else 1)))

    def given(self, one: Quantity, low: End | None, high: End | None) -> tuple[int, int]:
        """States a quantity by figures of its own; the bounds it then has. Its ends move `low` and `high`."""
        size = self.about[one.variable]
        if low is None or high is None:
            op = ">=" if high is None else "<="
            op = "=" if self.rng.randrange(10) < 3 else op
            self.add(partial(value, one, op), Slot(constant(size), moved(low, high, 1)))
            return size, size
        share = max(1, abs(low.size), abs(high.size))
        spare = (self.room - self.width) // 2 * share
        form = self.rng.choice(("exact", "rounded", "apart", "between"))
        if form == "rounded" and self.room - self.width >= 2 * COARSE:
            size -= size % COARSE
            self.about[one.variable] = size
            self.width += -(-COARSE // share)
            self.add(partial(rounded, one), Slot(constant(size), moved(low, high, 1), coarse=True))
            return size - COARSE // 2, size + COARSE // 2
        if form in {"apart", "between"} and spare >= 2:
            over = self.rng.randint(1, spare // 2)
            self.width += -(-over // share)
            slots = Slot(constant(size), moved(low, None, 1)), Slot(constant(size + over), moved(None, high, 1))
            self.bounds(one, slots, together_in_one=form == "between")
            return size, size + over
        self.add(partial(value, one, "="), Slot(constant(size), moved(low, high, 1)))
        return size, size

    def bounds(self, one: Quantity, slots: tuple[Slot, Slot], *, together_in_one: bool) -> None:
        """Both bounds of a quantity, in one sentence or in two."""
        if together_in_one:
            self.add(partial(between, one), *slots)
            return
        for slot, op in zip(slots, (">=", "<="), strict=True):
            self.add(partial(value, one, op), slot)

    def leaf(self, need: Need) -> None:
        """States the bounds."""
        if need.low is not None and need.high is not None and len(need.terms) == 1 and self.rng.randrange(5) < 2:
            slots = Slot(need.low, moved(need.low, None, 1)), Slot(need.high, moved(None, need.high, 1))
            self.bounds(need.terms[0], slots, together_in_one=True)
            return
        for end, op in ((need.low, ">="), (need.high, "<=")):
            if end is None:
                continue
            sharp = op[0] if self.strict and self.rng.randrange(5) < 2 else op
            slot = Slot(end, moved(*_sided(end, op), 1))
            if len(need.terms) > 1:
                self.add(partial(_together, need.terms, op), slot)
            else:
                self.add(partial(value, need.terms[0], sharp), slot)

    def op(self, need: Need, *, flipped: bool) -> str:
        """`=` where both bounds are wanted, and at times where one is; else the one that gives it."""
        if need.low is not None and need.high is not None:
            return "="
        equal = self.rng.randrange(10) < 3
        op = ">=" if need.high is None else "<="
        return "=" if equal else _FLIP[op] if flipped else op


_FLIP = {">=": "<=", "<=": ">="}


def _share(need: Need) -> int:
    """How many ticks an end of it moves for a tick of the asked quantity's."""
    return max(abs(end.size) for end in (need.low, need.high) if end is not None)


def _sided(end: End, op: str) -> tuple[End | None, End | None]:
    return (end, None) if op == ">=" else (None, end)


def _together(quantities: tuple[Quantity, ...], op: str, figure: Any) -> Statement:
    return together(quantities, op, figure)
