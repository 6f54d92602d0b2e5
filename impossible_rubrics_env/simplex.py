"""An exact simplex for small systems of linear constraints over free rational variables.

In: constraints with ops `<= < = > >=`, numbers as `rational` takes them. Out: a point, or the multipliers that refute
the system; the exact bound of an expression, with the multipliers that prove it. No certificate is checked here.

With w = b - a.x the distance from a constraint, the basic variables are written as affine functions of the others,
which stand at 0. A strict constraint wants w >= d for a d > 0 that is smaller than any number that occurs: constants
are pairs c + k d, compared in this order. Points and distances are counted in a unit in which every constant is an
integer, so that coefficients need not grow with the denominators of constants. Rows are integers over one common
denominator, which most often stays 1; pivots divide without rest.
Bland's rule (the smallest variable enters, the smallest leaves) makes every run end.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import gcd, lcm
from typing import Literal, NamedTuple

from sympy import QQ

from impossible_rubrics_env.errors import ArgumentError, ImpossibleRubricsError
from impossible_rubrics_env.exact import Rational, ratio_of, rational

MAX_CONSTRAINTS = 200
MAX_VARIABLES = 60
MAX_BITS = 256
"""Longest integer of a constraint whose denominators have been cleared."""
MAX_PIVOTS = 10_000
OPS = ("<=", "<", "=", ">", ">=")

Direction = Literal["lower", "upper"]
_FIRST = 2
"""Rows are the constant, its multiple of d, then the coefficients."""


class Cleared(NamedTuple):
    """The sum of the terms against top / bottom, after multiplication by the scale."""

    scale: int
    """The least that makes all terms integers."""
    terms: dict[str, int]
    top: int
    bottom: int


@dataclass(frozen=True)
class Constraint:
    """`terms op rhs`, as a linear fact has them."""

    id: str
    terms: Mapping[str, Rational]
    op: str
    rhs: Rational

    @cached_property
    def cleared(self) -> Cleared:
        """Kept, as one constraint is often a part of several systems."""
        return _cleared(self.terms, self.rhs)


@dataclass(frozen=True, slots=True)
class Point:
    """A number for every variable; all constraints hold, strict ones strictly."""

    numbers: dict[str, Rational]


@dataclass(frozen=True, slots=True)
class Refutation:
    """No point exists: the weighted sum of the constraints, each read as `<=` or `=`, is 0 <= c < 0 or 0 < 0."""

    multipliers: dict[str, Rational]
    """Coprime integers other than 0, positive but for equations. Without any one of these the rest has a solution."""


@dataclass(frozen=True, slots=True)
class Bound:
    """The infimum (`lower`) or supremum (`upper`) of an expression over the points of a system."""

    direction: Direction
    value: Rational | None
    """None where there is no bound."""
    attained: bool
    multipliers: dict[str, Rational]
    """The weighted sum reads target <= value, or -target <= -value if lower; it is strict where not attained."""
    world: Point
    """A point of the system; the value is taken here if it is attained."""
    limit: Point | None
    """Has the value and may only touch strict constraints: the way from `world` to it, without it, is of points."""
    ray: dict[str, Rational] | None
    """Without a bound: from any point, all that lies in this direction is of points, and the target runs off."""


class InfeasibleError(ImpossibleRubricsError, ValueError):
    """The constraints have no solution, so nothing on it is bounded; carries the refutation."""

    def __init__(self, refutation: Refutation) -> None:
        super().__init__(refutation)
        self.refutation = refutation

    def __str__(self) -> str:
        return f"these constraints have no common solution: {', '.join(self.refutation.multipliers)}"


@dataclass(frozen=True, slots=True)
class _System:
    """What does not change. Variables are numbers: the named ones, the distances, the target."""

    names: list[str]
    ids: list[str]
    unit: int
    """How many units make 1."""
    scales: list[int]
    """What each distance, and last the target, was multiplied by to make coefficients integers."""
    falls: list[bool]
    """Whether a variable may be below 0."""
    rises: list[bool]
    """Whether a variable may be above 0."""


@dataclass(frozen=True, slots=True)
class _Dictionary:
    """Each basic variable is its row, over the denominator, times (1, d, the variables of the columns)."""

    rows: list[list[int]]
    basic: list[int]
    columns: list[int]
    denominator: int


def feasible(constraints: Iterable[Constraint]) -> Point | Refutation:
    """A point of all constraints, or the multipliers that show there is none.

    >>> found = feasible([Constraint("a", {"x": 2}, ">", 3), Constraint("b", {"x": 1}, "<=", "3/2")])
    >>> found.multipliers == {"a": 1, "b": 2}
    True
    """
    system, start = _read(list(constraints), None)
    end = _settle(system, start)
    return end if isinstance(end, Refutation) else _world(system, end)


def bound(objective: Mapping[str, Rational], constraints: Iterable[Constraint], direction: Direction) -> Bound:
    """The exact bound of `objective` on one side. Raises InfeasibleError where the constraints have no solution."""
    if direction not in {"lower", "upper"}:
        raise ArgumentError(f"direction must be 'lower' or 'upper', got {direction!r}")
    return _bound(*_start(objective, constraints), direction)


def bounds(objective: Mapping[str, Rational], constraints: Iterable[Constraint]) -> tuple[Bound, Bound]:
    """Both bounds, lower and upper, for less work than one after the other."""
    system, settled = _start(objective, constraints)
    return _bound(system, settled, "lower"), _bound(system, settled, "upper")


def _start(objective: Mapping[str, Rational], constraints: Iterable[Constraint]) -> tuple[_System, _Dictionary]:
    """Some point of the constraints. Raises InfeasibleError."""
    system, start = _read(list(constraints), objective)
    settled = _settle(system, start)
    if isinstance(settled, Refutation):
        raise InfeasibleError(settled)
    return system, settled


def _bound(system: _System, settled: _Dictionary, direction: Direction) -> Bound:
    sign = 1 if direction == "upper" else -1
    last, free = _improve(system, settled, sign)
    if free:
        ray = _ray(system, last, free, sign)
        return Bound(direction, None, attained=False, multipliers={}, world=_world(system, last), limit=None, ray=ray)
    row, scale = last.rows[-1], last.denominator * system.scales[-1]
    weights = _weights(system, last, len(last.rows) - 1, sign)
    return Bound(
        direction,
        QQ(row[0], scale * system.unit),
        attained=row[1] == 0,
        multipliers={name: QQ(weight, scale) for name, weight in weights.items()},
        world=_world(system, last),
        limit=_point(system, last, 0, 1) if row[1] else _world(system, last),
        ray=None,
    )


def _read(constraints: list[Constraint], objective: Mapping[str, Rational] | None) -> tuple[_System, _Dictionary]:
    ids = [constraint.id for constraint in constraints]
    names = sorted({name for terms in (objective or {}, *(one.terms for one in constraints)) for name in terms})
    _check_size(ids, names)
    columns = {name: column for column, name in enumerate(names, _FIRST)}
    cleared = [one.cleared for one in constraints]
    unit = lcm(*[one.bottom for one in cleared])
    rows = []
    falls, rises = [True] * len(names), [True] * len(names)
    for one, integers in zip(constraints, cleared, strict=True):
        if one.op not in OPS:
            raise ArgumentError(f"op must be one of {' '.join(OPS)}, got {one.op!r} in {one.id!r}")
        row = _row(integers, columns, unit, -1 if one.op in {">", ">="} else 1)
        row[1] = -(unit // integers.bottom) if one.op in {"<", ">"} else 0
        rows.append(row)
        falls.append(False)
        rises.append(one.op != "=")
    if objective is not None:
        cleared.append(_cleared(objective, 0))
        rows.append(_row(cleared[-1], columns, unit, -1))
        falls.append(True)
        rises.append(True)
    basic = list(range(len(names), len(names) + len(rows)))
    scales = [one.scale for one in cleared]
    return _System(names, ids, unit, scales, falls, rises), _Dictionary(rows, basic, list(range(len(names))), 1)


def _check_size(ids: list[str], names: list[str]) -> None:
    if len(ids) > MAX_CONSTRAINTS or len(names) > MAX_VARIABLES:
        raise ArgumentError(
            f"at most {MAX_CONSTRAINTS} constraints on {MAX_VARIABLES} variables, got {len(ids)} on {len(names)}"
        )
    if len(set(ids)) < len(ids):
        twice = next(name for place, name in enumerate(ids) if name in ids[:place])
        raise ArgumentError(f"the ids of constraints must differ, got {twice!r} twice")


def _cleared(terms: Mapping[str, Rational], rhs: Rational) -> Cleared:
    top, bottom = _ratio(rhs)
    ratios = {name: _ratio(value) for name, value in terms.items()}
    scale = lcm(*[denominator for _, denominator in ratios.values()])
    integers = {name: numerator * (scale // denominator) for name, (numerator, denominator) in ratios.items()}
    common = gcd(scale, bottom)
    top, bottom = top * (scale // common), bottom // common
    longest = max([scale, *map(abs, integers.values())]) * bottom
    if max(longest, abs(top)).bit_length() > MAX_BITS:
        raise ArgumentError(f"a constraint without denominators must have integers of at most {MAX_BITS} bits")
    return Cleared(scale, integers, top, bottom)


def _row(cleared: Cleared, columns: Mapping[str, int], unit: int, sign: int) -> list[int]:
    """The row of sign * (rhs - terms)."""
    row = [0] * (_FIRST + len(columns))
    row[0] = sign * cleared.top * (unit // cleared.bottom)
    for name, size in cleared.terms.items():
        row[columns[name]] = -sign * size
    return row


def _ratio(value: Rational) -> tuple[int, int]:
    if type(value) is int:
        return value, 1
    return ratio_of(value if QQ.of_type(value) else rational(value))


def _settle(system: _System, dictionary: _Dictionary) -> _Dictionary | Refutation:
    """Moves to where every variable is in its range, or finds a row that cannot be."""
    for _ in range(MAX_PIVOTS):
        wrong = _first_wrong(system, dictionary)
        if wrong is None:
            return dictionary
        place = wrong
        row = dictionary.rows[place]
        sign = 1 if (row[0] or row[1]) < 0 else -1
        column = _entering(system, dictionary, row, sign)
        if not column:
            weights = _weights(system, dictionary, place, sign)
            common = gcd(*weights.values())
            return Refutation({name: QQ(weight // common) for name, weight in weights.items()})
        dictionary = _pivot(dictionary, place, column)
    raise _too_long()


def _first_wrong(system: _System, dictionary: _Dictionary) -> int | None:
    """The row of the smallest basic variable that is not in its range."""
    first: int | None = None
    least = 0
    for place, (label, row) in enumerate(zip(dictionary.basic, dictionary.rows, strict=True)):
        value = row[0] or row[1]
        if value and not (system.rises if value > 0 else system.falls)[label] and (first is None or label < least):
            first, least = place, label
    return first


def _improve(system: _System, dictionary: _Dictionary, sign: int) -> tuple[_Dictionary, int]:
    """Moves to the best target in the direction of `sign`; or to a column that improves it for ever, which is named."""
    for _ in range(MAX_PIVOTS):
        target = dictionary.rows[-1]
        column = _entering(system, dictionary, target, sign)
        if not column:
            return dictionary, 0
        place = _leaving(system, dictionary, column, sign if target[column] > 0 else -sign)
        if place is None:
            return dictionary, column
        dictionary = _pivot(dictionary, place, column)
    raise _too_long()


def _too_long() -> ArgumentError:
    return ArgumentError(f"the system takes more than {MAX_PIVOTS} pivots; give a smaller one")


def _allowed(system: _System, label: int, value: int) -> bool:
    """Whether a variable may be on this side of 0."""
    return value == 0 or (system.rises if value > 0 else system.falls)[label]


def _entering(system: _System, dictionary: _Dictionary, row: list[int], sign: int) -> int:
    """The column of the smallest variable that can move so that the row's goes in the direction of `sign`, or 0."""
    able = [
        (label, column)
        for column, label in enumerate(dictionary.columns, _FIRST)
        if row[column] and _allowed(system, label, sign * row[column])
    ]
    return min(able)[1] if able else 0


def _leaving(system: _System, dictionary: _Dictionary, column: int, move: int) -> int | None:
    """The row that first ends a move of the column's variable; the smallest variable's where several do."""
    best: tuple[int, int, int, int, int] | None = None
    for place, (label, row) in enumerate(zip(dictionary.basic, dictionary.rows, strict=True)):
        if _allowed(system, label, move * row[column]):
            continue
        constant, tiny, rate = row[0], row[1], abs(row[column])
        if best is None or (constant * best[2], tiny * best[2], label) < (best[0] * rate, best[1] * rate, best[3]):
            best = (constant, tiny, rate, label, place)
    return None if best is None else best[4]


def _pivot(dictionary: _Dictionary, place: int, column: int) -> _Dictionary:
    """Exchanges the variable of a row with that of a column; the pivot element becomes the denominator."""
    old = dictionary.denominator
    pivot = dictionary.rows[place][column]
    sign = 1 if pivot > 0 else -1
    source = [-sign * entry for entry in dictionary.rows[place]]
    source[column] = sign * old
    size = abs(pivot)
    rows = []
    for row in dictionary.rows:
        factor = row[column]
        if factor and size == old == 1:
            new = [entry + factor * other for entry, other in zip(row, source, strict=True)]
            new[column] = sign * factor
        elif factor:
            new = [(entry * size + factor * other) // old for entry, other in zip(row, source, strict=True)]
            new[column] = sign * factor
        else:
            new = row if size == old else [entry * size // old for entry in row]
        rows.append(new)
    rows[place] = source
    basic, columns = dictionary.basic.copy(), dictionary.columns.copy()
    basic[place], columns[column - _FIRST] = columns[column - _FIRST], basic[place]
    return _Dictionary(rows, basic, columns, size)


def _weights(system: _System, dictionary: _Dictionary, place: int, sign: int) -> dict[str, int]:
    """The constraints' multipliers, times the denominator, that make a row a bound of its variable."""
    row, first = dictionary.rows[place], len(system.names)
    found = {label: -sign * row[column] for column, label in enumerate(dictionary.columns, _FIRST) if row[column]}
    found[dictionary.basic[place]] = sign * dictionary.denominator
    return {
        name: found[label] * scale
        for label, (name, scale) in enumerate(zip(system.ids, system.scales, strict=False), first)
        if label in found
    }


def _world(system: _System, dictionary: _Dictionary) -> Point:
    """The point for a d, at most 1, that keeps every distance in its range."""
    top, bottom = 1, 1
    for label, row in zip(dictionary.basic, dictionary.rows, strict=True):
        if row[1] < 0 and not system.falls[label] and row[0] * bottom < -row[1] * top:
            top, bottom = row[0], -row[1]
    return _point(system, dictionary, top, bottom)


def _point(system: _System, dictionary: _Dictionary, top: int, bottom: int) -> Point:
    """The point for d = top / bottom."""
    scale = dictionary.denominator * bottom * system.unit
    return Point(_named(system, dictionary, lambda row: QQ(row[0] * bottom + row[1] * top, scale)))


def _ray(system: _System, dictionary: _Dictionary, column: int, sign: int) -> dict[str, Rational]:
    move = sign if dictionary.rows[-1][column] > 0 else -sign
    ray = _named(system, dictionary, lambda row: QQ(move * row[column], dictionary.denominator))
    label = dictionary.columns[column - _FIRST]
    return ray | {name: QQ(move) for name in system.names[label : label + 1]}


def _named(system: _System, dictionary: _Dictionary, number: Callable[[list[int]], Rational]) -> dict[str, Rational]:
    """The number of each named variable's row; 0 for those of columns."""
    rows = dict(zip(dictionary.basic, dictionary.rows, strict=True))
    return {name: number(rows[label]) if label in rows else QQ(0) for label, name in enumerate(system.names)}
