"""Checks what a target can be, exactly, and that more than one answer is admissible within it.

Weighted sums bound the target from both sides. An end that its sum reaches is attained by the world shown; an end that
a strict sum leaves out is approached: a point that satisfies the facts with every strict comparison made weak attains
it, and so worlds come as close to it as one likes. Worlds are convex: all between the ends is some world's value, as no
variable that facts connect to the target is an integer.
As a script: `python -m impossible_rubrics_env.certificates.checkers.range < task.json`.
"""

import json
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

from impossible_rubrics_env.certificates.facts import Integer, Linear, members, rational, require
from impossible_rubrics_env.certificates.linear import (
    End,
    both_ways,
    bound,
    compare,
    first_answer,
    holds,
    last_answer,
    multiple,
    read_world,
    value_of,
    weakened,
    weighted_sum,
)
from impossible_rubrics_env.certificates.packet import Case, read_case
from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.numerals import Ratio

FIELDS = ("lower", "upper", "worlds", "limits", "constant", "answers")


class Range(NamedTuple):
    """The values of the target expression over all worlds."""

    low: End
    high: End
    first: int
    """number: the first admissible answer, in steps."""
    last: int
    shift: Ratio
    """yes_no: the quantity named first is the target expression plus this, in every world."""


def check(task: Mapping[str, Any]) -> Range:
    """Prove the range. Raises CertificateError that names the failed part."""
    return decide(read_case(task, "range", FIELDS))


def decide(case: Case) -> Range:
    """The same for a case."""
    target = case.question.target
    if not isinstance(target, Linear):
        raise CertificateError("question: kind: a range is that of a number or a yes_no question")
    whole = {fact.variable for fact in case.packet.numeric if isinstance(fact, Integer)}
    gaps = not whole.isdisjoint(case.packet.connected(target.terms))
    require(not gaps, "packet: integers are connected to the target: its values have gaps")
    worlds = members(case.proof["worlds"], 2, 2, "proof: worlds")
    limits = members(case.proof["limits"], 2, 2, "proof: limits")
    low = _end(case, target, "lower", -1, worlds[0], limits[0])
    high = _end(case, target, "upper", 1, worlds[1], limits[1])
    first = last = 0
    if case.question.resolution is not None:
        require(case.proof["constant"] == {}, "proof: constant: only for yes_no")
        first, last = first_answer(low, case.question.resolution), last_answer(high, case.question.resolution)
        answers = [rational(text, "proof: answers") for text in members(case.proof["answers"], 2, 2, "proof: answers")]
        same = [multiple(answer, case.question.resolution) for answer in answers] == [first, last]
        require(same, "proof: answers: not the first and the last admissible ones")
        require(first != last, "proof: answers: only one is admissible")
        return Range(low, high, first, last, Ratio(0, 1))
    edge = Ratio(target.rhs, target.scale)
    require(both_ways(low, high, target.op, edge), "proof: answers: only one is admissible")
    require(case.proof["answers"] in (["YES", "NO"], ["NO", "YES"]), "proof: answers: must be YES and NO")
    return Range(low, high, first, last, _shift(case, target))


def _end(case: Case, target: Linear, side: str, sign: int, shown: Any, limit: Any) -> End:
    """The end of the range on this side, attained or approached."""
    place = "01"[sign > 0]
    end = bound(weighted_sum(case.proof[side], case.packet.usable(), f"proof: {side}"), target, sign)
    world = case.world(shown, f"proof: worlds: {place}", case.question.presupposes)
    part = f"proof: limits: {place}"
    if not end.open:
        require(limit is None, f"{part}: null where the end is attained")
        require(compare(value_of(target, world), end.value) == 0, f"proof: worlds: {place}: does not attain the end")
        return end
    point = read_world(limit, case.variables, part)
    for fact in (*case.packet.numeric, *case.question.presupposes):
        weak = weakened(fact) if isinstance(fact, Linear) else fact
        require(holds(weak, point), f"{part}: does not satisfy {fact.id} weakly")
    require(compare(value_of(target, point), end.value) == 0, f"{part}: does not attain the end")
    return end


def _shift(case: Case, target: Linear) -> Ratio:
    """The constant c of `quantity - expression == c`."""
    quantity = case.question.quantity or target
    scale = target.scale * quantity.scale
    terms = {x: size * target.scale for x, size in quantity.terms.items()}
    for x, size in target.terms.items():
        terms[x] = terms.get(x, 0) - size * quantity.scale
    terms = {x: size for x, size in terms.items() if size}
    if not terms:
        require(case.proof["constant"] == {}, "proof: constant: must be empty where nothing is to be proved")
        return Ratio(0, 1)
    usable = {key: fact for key, fact in case.packet.usable().items() if fact.op == "="}
    difference = Linear("difference", terms, "=", 0, scale)
    return bound(weighted_sum(case.proof["constant"], usable, "proof: constant"), difference, 1).value


if __name__ == "__main__":
    print(check(json.load(sys.stdin)))
