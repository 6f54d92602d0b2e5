"""Worlds, weighted sums of linear facts, and answers on a grid: the arithmetic of packet proofs, in plain integers."""

import operator
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from math import lcm
from typing import Any, NamedTuple

from impossible_rubrics_env.certificates.facts import Fact, Integer, Linear, fields, identifier, rational, require
from impossible_rubrics_env.numerals import Ratio

MAX_VARIABLES = 64
MAX_DENOMINATOR_BITS = 1024
"""Of the common denominator of a world's numbers."""
COMPARE: Mapping[str, Callable[[int, int], bool]] = {
    "<=": operator.le,
    "<": operator.lt,
    "=": operator.eq,
    ">=": operator.ge,
    ">": operator.gt,
}
_WEAK = {"<": "<=", ">": ">="}


class World(NamedTuple):
    """A number for every variable: `numbers[x] / denominator`."""

    numbers: Mapping[str, int]
    denominator: int


class End(NamedTuple):
    """An end of an interval; an open one does not belong to it."""

    value: Ratio
    open: bool


def read_world(value: Any, wanted: Collection[str], part: str) -> World:
    """A world for exactly the wanted variables."""
    numbers = fields(fields(value, ("numbers",), part)["numbers"], wanted, f"{part}: numbers")
    ratios = {variable: rational(numbers[variable], f"{part}: numbers") for variable in wanted}
    common = 1
    for ratio in ratios.values():
        common = lcm(common, ratio.denominator)
        require(common.bit_length() <= MAX_DENOMINATOR_BITS, f"{part}: numbers: no common denominator within the bound")
    return World({key: top * (common // bottom) for key, (top, bottom) in ratios.items()}, common)


def holds(fact: Fact, world: World) -> bool:
    """Whether the world satisfies the fact; only linear and integer facts say anything about it."""
    if isinstance(fact, Linear):
        numbers = world.numbers
        left = sum([factor * numbers[variable] for variable, factor in fact.terms.items()])
        return COMPARE[fact.op](left, fact.rhs * world.denominator)
    return not isinstance(fact, Integer) or world.numbers[fact.variable] % world.denominator == 0


def weakened(fact: Linear) -> Linear:
    """The fact with its end included."""
    return replace(fact, op=_WEAK[fact.op]) if fact.op in _WEAK else fact


def value_of(expression: Linear, world: World) -> Ratio:
    """The value of a fact's linear expression, not in lowest terms."""
    total = sum(factor * world.numbers[variable] for variable, factor in expression.terms.items())
    return Ratio(total, expression.scale * world.denominator)


def weighted_sum(value: Any, usable: Mapping[str, Linear], part: str) -> Linear:
    """The sum of usable facts, each read as `<=` or `<` and times its multiplier; again a fact `<=` or `<`.

    A multiplier is not zero, and negative only for an `=` fact; a system has a proof with one more than its variables.
    """
    good = isinstance(value, (dict, Mapping)) and 1 <= len(value) <= MAX_VARIABLES + 1
    require(good, f"{part}: must be an object with 1 to {MAX_VARIABLES + 1} multipliers")
    weights = {identifier(key, part): rational(value[key], f"{part}: {identifier(key, part)}") for key in value}
    for key, (top, _) in weights.items():
        require(key in usable, f"{part}: {key}: not a fact that this proof may use")
        require(top > 0 or (top < 0 and usable[key].op == "="), f"{part}: {key}: wrong sign")
    common = lcm(*(weights[key].denominator * usable[key].scale for key in weights))
    terms: dict[str, int] = {}
    rhs = 0
    for key, (top, bottom) in weights.items():
        fact = usable[key]
        factor = top * (common // (bottom * fact.scale)) * (-1 if fact.op[0] == ">" else 1)
        rhs += factor * fact.rhs
        for variable, size in fact.terms.items():
            terms[variable] = terms.get(variable, 0) + factor * size
    strict = any(usable[key].op in ("<", ">") for key in weights)
    return Linear(part, {key: size for key, size in terms.items() if size}, "<" if strict else "<=", rhs, common)


def contradicts(fact: Linear) -> bool:
    """Whether the fact is false in every world, having no variables: `0 <= c` with c < 0, or `0 < 0`."""
    return not fact.terms and not COMPARE[fact.op](0, fact.rhs)


def excess(total: Linear, multiplier: Ratio) -> Ratio:
    """By how much a sum contradicts, scaled so that the fact with this multiplier has the multiplier 1."""
    top, bottom = multiplier
    return Ratio(-total.rhs * bottom, total.scale * abs(top))


def bound(total: Linear, target: Linear, sign: int) -> End:
    """The end at which a sum that reads `sign * target <= c`, or `<`, keeps the target's expression."""
    same = total.terms.keys() == target.terms.keys() and all(
        size * target.scale == sign * target.terms[x] * total.scale for x, size in total.terms.items()
    )
    require(same, f"{total.id}: the sum does not bound the target")
    return End(Ratio(sign * total.rhs, total.scale), total.op == "<")


def compare(left: Ratio, right: Ratio) -> int:
    """Negative, zero or positive as left is below, at or above right."""
    return left.numerator * right.denominator - right.numerator * left.denominator


def multiple(value: Ratio, step: Ratio) -> int | None:
    """How many steps the value is, or None where it is off the grid."""
    count, rest = divmod(value.numerator * step.denominator, value.denominator * step.numerator)
    return None if rest else count


def first_answer(low: End, step: Ratio) -> int:
    """The lowest k with k * step within half a step of some value above the end: half a step itself still counts."""
    (top, bottom), unit = low.value, step.numerator
    count, rest = divmod(2 * top * step.denominator - unit * bottom, 2 * unit * bottom)
    return count + 1 if rest or low.open else count


def last_answer(high: End, step: Ratio) -> int:
    """The highest k with k * step within half a step of some value below the end."""
    return -first_answer(End(Ratio(-high.value.numerator, high.value.denominator), high.open), step)


def both_ways(low: End, high: End, op: str, edge: Ratio) -> bool:
    """Whether `value op edge` holds for some value of the interval and fails for another."""
    below, above = compare(low.value, edge), compare(high.value, edge)
    at = (below < 0 or (below == 0 and not low.open)) and (above > 0 or (above == 0 and not high.open))
    less, more = below < 0, above > 0
    yes = {"<": less, "<=": less or at, "=": at, ">=": more or at, ">": more}[op]
    no = {"<": more or at, "<=": more, "=": less or more, ">=": less, ">": less or at}[op]
    return yes and no
