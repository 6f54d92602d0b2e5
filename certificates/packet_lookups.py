"""What grading looks up: right answers and valid witnesses of a packet task, as plain integers and names.

Nothing here proves anything, and nothing raises on whatever a reply may hold. All can be pickled.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import lcm
from typing import Any, NamedTuple

from impossible_rubrics_env.certificates.linear import multiple
from impossible_rubrics_env.numerals import Ratio


@dataclass(frozen=True, slots=True)
class Number:
    """One number is right."""

    answer: Ratio

    def accepts(self, value: Any) -> bool:
        """Whether this is the number."""
        top, bottom = self.answer
        return isinstance(value, Ratio) and value.numerator * bottom == top * value.denominator


@dataclass(frozen=True, slots=True)
class Word:
    """One text is right: YES, NO or an id."""

    answer: str

    def accepts(self, value: Any) -> bool:
        """Whether this is the text."""
        return isinstance(value, str) and value == self.answer


@dataclass(frozen=True, slots=True)
class Names:
    """Exactly these names are right, in any order: the items of a list, the ids of a witness."""

    names: frozenset[str]

    def accepts(self, value: Any) -> bool:
        """Whether these are the names, each once."""
        if not isinstance(value, tuple) or len(value) != len(self.names):
            return False
        return all(isinstance(name, str) for name in value) and self.names == set(value)


class PlanFact(NamedTuple):
    """A linear fact that a plan must meet."""

    terms: tuple[tuple[str, int], ...]
    compare: Callable[[int, int], bool]
    rhs: int


@dataclass(frozen=True, slots=True)
class Plan:
    """Any plan is right that gives exactly these variables numbers that meet every fact."""

    variables: frozenset[str]
    facts: tuple[PlanFact, ...]
    whole: tuple[str, ...]
    """Variables that must be integers."""

    def accepts(self, value: Any) -> bool:
        """Whether the plan meets every fact."""
        if not isinstance(value, (dict, Mapping)) or value.keys() != self.variables:
            return False
        for number in value.values():
            if not isinstance(number, Ratio):
                return False
        common = lcm(*[bottom for _, bottom in value.values()])
        numbers = {x: top * (common // bottom) for x, (top, bottom) in value.items()}
        for terms, compare, rhs in self.facts:
            left = 0
            for x, factor in terms:
                left += factor * numbers[x]
            if not compare(left, rhs * common):
                return False
        return all(numbers[x] % common == 0 for x in self.whole)


@dataclass(frozen=True, slots=True)
class TwoSteps:
    """Two different numbers of a grid, from `first` to `last` steps; a missing end is None."""

    step: Ratio
    first: int | None
    last: int | None

    def accepts(self, value: Any) -> bool:
        """Whether these are two such numbers."""
        if not _is_pair(value):
            return False
        steps = [multiple(number, self.step) for number in value]
        return steps[0] != steps[1] and all(self._admits(step) for step in steps)

    def _admits(self, step: int | None) -> bool:
        if step is None:
            return False
        return (self.first is None or self.first <= step) and (self.last is None or step <= self.last)


@dataclass(frozen=True, slots=True)
class TwoOf:
    """Two different numbers of a grid, among these steps."""

    step: Ratio
    steps: frozenset[int]

    def accepts(self, value: Any) -> bool:
        """Whether these are two such numbers."""
        if not _is_pair(value):
            return False
        first, last = (multiple(number, self.step) for number in value)
        return first != last and first in self.steps and last in self.steps


@dataclass(frozen=True, slots=True)
class BothEnds:
    """The least and the greatest value of a quantity, in any order."""

    least: Ratio
    greatest: Ratio

    def accepts(self, value: Any) -> bool:
        """Whether these are the two values."""
        if not _is_pair(value):
            return False
        first, second = value
        if first.numerator * second.denominator > second.numerator * first.denominator:
            first, second = second, first
        return _same(first, self.least) and _same(second, self.greatest)


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of these names, alone."""

    names: frozenset[str]

    def accepts(self, value: Any) -> bool:
        """Whether this is one of them."""
        return isinstance(value, tuple) and len(value) == 1 and isinstance(value[0], str) and value[0] in self.names


@dataclass(frozen=True, slots=True)
class PairOf:
    """One of these pairs of names, in this order."""

    pairs: frozenset[tuple[str, str]]

    def accepts(self, value: Any) -> bool:
        """Whether this is one of them."""
        return isinstance(value, tuple) and all(isinstance(name, str) for name in value) and value in self.pairs


@dataclass(frozen=True, slots=True)
class EachOf:
    """For every one of the keys, one of its names."""

    keys: int
    """How many there are."""
    pairs: frozenset[tuple[str, str]]
    """Every key with every name that it may have."""

    def accepts(self, value: Any) -> bool:
        """Whether each key, and no other, has one of its names: as many pairs as keys, and all of them allowed."""
        if not isinstance(value, (dict, Mapping)) or len(value) != self.keys:
            return False
        try:
            return self.pairs.issuperset(value.items())
        except TypeError:  # what cannot be looked up is no name
            return False


Answers = Number | Word | Names | Plan
Witnesses = TwoSteps | TwoOf | BothEnds | OneOf | PairOf | EachOf | Names


def _is_pair(value: Any) -> bool:
    """Whether this is a tuple of two Ratios; a Ratio itself is a tuple of two integers."""
    return isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], Ratio) and isinstance(value[1], Ratio)


def _same(value: Ratio, other: Ratio) -> bool:
    return value.numerator * other.denominator == other.numerator * value.denominator
