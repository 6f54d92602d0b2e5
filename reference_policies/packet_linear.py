"""The linear part of a packet: what its figures bound, which requirements conflict, which documents refute a premise.

A figure stated of every member of a group holds for each part of it.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from impossible_rubrics_env.exact import Rational, ratio_of, rational
from impossible_rubrics_env.reference_policies.packet_model import Linear, Packet, Placed, Quantity
from impossible_rubrics_env.simplex import Constraint, Point, Refutation, bound, feasible

_ZERO = rational(0)
NEGATION = {">": "<=", "<": ">=", ">=": "<", "<=": ">"}


class Row(NamedTuple):
    """A linear fact in force as a constraint, with where it comes from."""

    document: str
    sentence: str
    requirement: bool
    constraint: Constraint


class Ends(NamedTuple):
    """The values that an expression can take; None where there is no end."""

    low: Rational | None
    low_taken: bool
    high: Rational | None
    high_taken: bool


def upwards(name: str, wider: Mapping[str, str]) -> list[str]:
    """The name, what it belongs to, what that belongs to ..."""
    found = [name]
    while (above := wider.get(found[-1])) is not None and above not in found:
        found.append(above)
    return found


def rows_of(packet: Packet, asked: Collection[Quantity]) -> list[Row]:
    """The linear facts in force; those about groups are also stated of each quantity in `asked`."""
    rows = []
    for place, one in enumerate(packet.in_force(Linear)):
        rows.append(_row(one, f"{place}", one.states.terms))
        single = one.states.single
        rows += [
            _row(one, f"{place}.{number}", dict.fromkeys([part], *one.states.terms.values()))
            for number, part in enumerate(asked)
            if single is not None and part != single and applies(single, part, packet.wider)
        ]
    return rows


def applies(stated: Quantity, asked: Quantity, wider: Mapping[str, str]) -> bool:
    """Whether a figure of the stated quantity is one of the asked quantity."""
    return stated[1:] == asked[1:] and stated.subject in upwards(asked.subject, wider)


def _row(one: Placed[Linear], name: str, terms: Mapping[Quantity, Rational]) -> Row:
    fact = one.states
    constraint = Constraint(name, {quantity.name: size for quantity, size in terms.items()}, fact.op, fact.rhs)
    return Row(one.document.id, one.sentence.id, fact.requirement, constraint)


def near(rows: Sequence[Row], names: Iterable[str]) -> list[Row]:
    """The rows that bear on these variables, by way of others too."""
    reached, rest = set(names), list(rows)
    found: list[Row] = []
    while True:
        touching = [row for row in rest if not reached.isdisjoint(row.constraint.terms)]
        if not touching:
            return found
        found += touching
        rest = [row for row in rest if reached.isdisjoint(row.constraint.terms)]
        reached.update(name for row in touching for name in row.constraint.terms)


def ends(expression: Mapping[str, Rational], rows: Sequence[Row]) -> Ends:
    """The exact ends of an expression over what the rows allow. Raises InfeasibleError where they allow nothing."""
    constraints = [row.constraint for row in near(rows, expression)]
    low, high = bound(expression, constraints, "lower"), bound(expression, constraints, "upper")
    return Ends(low.value, low.attained, high.value, high.attained)


def possible(expression: Mapping[str, Rational], op: str, rhs: Rational, rows: Sequence[Row]) -> bool:
    """Whether `expression op rhs` in some world."""
    asked = Constraint("asked", expression, op, rhs)
    return isinstance(feasible([asked, *(row.constraint for row in near(rows, expression))]), Point)


def conflict(rows: Sequence[Row]) -> tuple[str, ...]:
    """The sentences whose requirements conflict, none of which can be left out; empty where all can be met."""
    left = [row for row in rows if row.requirement]
    while left:
        system = near(rows, left[0].constraint.terms)
        if isinstance(feasible(row.constraint for row in system), Refutation):
            members = dict.fromkeys(row.sentence for row in rows if row.requirement and row in system)
            return _needed(list(members), system, lambda row: row.sentence if row.requirement else "")
        left = [row for row in left if row not in system]
    return ()


def refuting(premise: tuple[Quantity, Quantity], rows: Sequence[Row]) -> tuple[str, ...]:
    """The documents that rule out that the first quantity exceeds the second, none idle; empty where none do."""
    first, second = premise
    claim = Constraint("premise", {first.name: rational(1), second.name: rational(-1)}, ">", _ZERO)
    system = [*near(rows, claim.terms), Row("", "", False, claim)]
    if not isinstance(feasible(row.constraint for row in system), Refutation):
        return ()
    documents = dict.fromkeys(row.document for row in rows if row in system)
    return _needed(list(documents), system, lambda row: row.document)


def _needed(names: Sequence[str], system: Sequence[Row], name_of: Callable[[Row], str]) -> tuple[str, ...]:
    """Of the names in an infeasible system, a set that keeps it infeasible and needs every member."""
    kept, system = list(names), list(system)
    for name in names:
        without = [row for row in system if name_of(row) != name]
        if isinstance(feasible(row.constraint for row in without), Refutation):
            kept.remove(name)
            system = without
    return tuple(kept)


def grid_answers(found: Ends, step: Rational) -> tuple[int | None, int | None]:
    """The first and the last multiple of `step` that is nearest to a value, as counts of steps; None where endless."""
    half = rational(1, 2)
    first = last = None
    if found.low is not None:
        first, inside = floor_of(found.low / step + half)
        first -= not inside and found.low_taken
    if found.high is not None:
        last, inside = floor_of(found.high / step + half)
        last -= not inside and not found.high_taken
    return first, last


def floor_of(value: Rational) -> tuple[int, bool]:
    """The greatest integer up to a value, and whether the value is above it."""
    numerator, denominator = ratio_of(value)
    return numerator // denominator, numerator % denominator != 0
