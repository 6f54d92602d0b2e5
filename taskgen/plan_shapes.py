"""Shapes of requirements that conflict by a sum: what they compare, with which weights, and where they meet.

A shape is a list of requirements over a few quantities, a, b, c ... (0, 1, 2 ...), whose weighted sum has no quantity
left: it reads 0 <= slack, and they conflict where the slack is negative. Any one of them left out, the others have
common solutions. Each shape can be turned over: what must be reached becomes what must not be exceeded, and so on.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from sympy import QQ

from impossible_rubrics_env.exact import Rational


class Row(NamedTuple):
    """One requirement of a shape."""

    kind: str
    """`value`, `together`, `difference` or `multiple`, as statements have them."""
    names: tuple[int, ...]
    at_least: bool
    weight: int = 1
    factor: int = 1

    @property
    def terms(self) -> dict[int, int]:
        """What the figure is compared with."""
        if self.kind == "difference":
            return {self.names[0]: 1, self.names[1]: -1}
        if self.kind == "multiple":
            return {self.names[0]: 1, self.names[1]: -self.factor}
        return dict.fromkeys(self.names, 1)

    @property
    def excess(self) -> dict[int, int]:
        """The terms with the sign that makes the requirement `<=`."""
        return {name: -size if self.at_least else size for name, size in self.terms.items()}

    def size(self, values: Mapping[int, int]) -> int:
        """The terms for these values."""
        return sum(size * values[name] for name, size in self.terms.items())


@dataclass(frozen=True)
class Shape:
    """Requirements whose weighted sum is 0 <= slack."""

    name: str
    rows: tuple[Row, ...]
    larger: tuple[tuple[int, int, int], ...] = ()
    """(a, b, factor): a must be about factor times b (1: just larger), for its difference or multiple to be natural."""

    @property
    def count(self) -> int:
        """How many quantities it has."""
        return 1 + max(name for row in self.rows for name in row.names)

    def turned(self) -> "Shape":
        """The same with every requirement turned over."""
        return Shape(self.name, tuple(row._replace(at_least=not row.at_least) for row in self.rows), self.larger)


def _value(name: int, *, least: bool, weight: int = 1) -> Row:
    return Row("value", (name,), least, weight)


def _demand(count: int) -> Shape:
    rows = [Row("together", tuple(range(count)), True), *(_value(name, least=False) for name in range(count))]
    return Shape("demand", tuple(rows))


def _chain(count: int) -> Shape:
    steps = [Row("difference", (name, name + 1), True) for name in range(count - 1)]
    rows = [*steps, _value(0, least=False), _value(count - 1, least=True)]
    return Shape("chain", tuple(rows), tuple((name, name + 1, 1) for name in range(count - 1)))


def _cycle(count: int) -> Shape:
    steps = [Row("difference", (name, name + 1), True) for name in range(count - 1)]
    rows = [*steps, Row("difference", (0, count - 1), False)]
    return Shape("cycle", tuple(rows), tuple((name, name + 1, 1) for name in range(count - 1)))


def _multiples(factor: int) -> tuple[Shape, ...]:
    often = Row("multiple", (0, 1), True, 1, factor)
    seldom = Row("multiple", (0, 1), False, 1, factor)
    relation = ((0, 1, factor),)
    floor, cap = _value(1, least=True, weight=factor), _value(1, least=False, weight=factor)
    shared = Row("together", (0, 2), False)
    return (
        Shape("multiple", (often, _value(0, least=False), floor), relation),
        Shape("shared multiple", (often, shared, floor, _value(2, least=True)), relation),
        Shape("fed multiple", (seldom, Row("together", (0, 2), True), cap, _value(2, least=False)), relation),
    )


def _sums() -> tuple[Shape, ...]:
    pairs = tuple(Row("together", pair, False) for pair in ((0, 1), (1, 2), (0, 2)))
    demand = Row("together", (0, 1), True)
    shared = Row("together", (1, 2), False)
    return (
        Shape("overlap", (*pairs, Row("together", (0, 1, 2), True, 2))),
        Shape(
            "lifted",
            (demand, Row("difference", (0, 2), False), _value(1, least=False), _value(2, least=False)),
            ((0, 2, 1),),
        ),
        Shape("exchange", (demand, shared, _value(0, least=False), _value(2, least=True))),
        Shape("shift", (demand, shared, Row("difference", (0, 2), False)), ((0, 2, 1),)),
    )


SHAPES: tuple[Shape, ...] = (
    *(_demand(count) for count in (2, 3, 4)),
    *(_chain(count) for count in (2, 3, 4)),
    *(_cycle(count) for count in (3, 4)),
    *(shape for factor in (2, 3) for shape in _multiples(factor)),
    *_sums(),
)


@cache
def ways(place: int) -> Mapping[int, tuple[tuple[Rational, ...], ...]]:
    """Where the quantities can go from the point at which all requirements of a shape are met exactly.

    By the row that is loosened by one: the corners of what is then possible, each a move of every quantity.
    Without this row, the same with the opposite sign are the points that meet all but one other row exactly.
    """
    shape = SHAPES[place]
    return {
        edited: tuple(_corner(shape, edited, free) for free in range(len(shape.rows)) if free != edited)
        for edited in range(len(shape.rows))
    }


def _corner(shape: Shape, edited: int, free: int) -> tuple[Rational, ...]:
    """The move by which the edited row takes up all its slack of one, and only the free row any of it."""
    count = shape.count
    system = [
        [QQ(row.excess.get(name, 0)) for name in range(count)] + [QQ(1 if place == edited else 0)]
        for place, row in enumerate(shape.rows)
        if place != free
    ]
    pivots: list[int] = []
    for column in range(count):
        found = next((row for row in range(len(pivots), len(system)) if system[row][column]), None)
        if found is None:
            continue
        top = len(pivots)
        system[top], system[found] = system[found], system[top]
        lead = system[top][column]
        system[top] = [entry / lead for entry in system[top]]
        for row in range(len(system)):
            factor = system[row][column]
            if row != top and factor:
                system[row] = [entry - factor * other for entry, other in zip(system[row], system[top], strict=True)]
        pivots.append(column)
    return tuple(system[pivots.index(name)][-1] if name in pivots else QQ(0) for name in range(count))
