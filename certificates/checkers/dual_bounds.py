"""Checks that one answer is admissible and no other: weighted sums of facts in force bound the target.

The sum for `upper` reads `target <= c`, the one for `lower` reads `-target <= c`. Both are compared with the edges of
the answer's rounding cell (number), or with the right hand side of the comparison (yes_no), where a sum with a strict
fact may touch what it must not reach. A world shows that the facts agree, with each other and the presuppositions.
As a script: `python -m impossible_rubrics_env.certificates.checkers.dual_bounds < task.json`.
"""

import json
import sys
from collections.abc import Mapping
from functools import cmp_to_key
from typing import Any, NamedTuple

from impossible_rubrics_env.certificates.facts import Integer, Linear, rational, require
from impossible_rubrics_env.certificates.linear import End, bound, compare, weighted_sum
from impossible_rubrics_env.certificates.packet import Case, read_case
from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.numerals import Ratio

FIELDS = ("lower", "upper", "answer", "world")
_SIGNS = {"lower": -1, "upper": 1}
_NEGATED = {"<=": ">", "<": ">=", ">=": "<", ">": "<="}
_LIMITS = {"<=": {"upper": False}, "<": {"upper": True}, ">=": {"lower": False}, ">": {"lower": True}}
"""The sides that a comparison needs, and whether strictly; `=` needs both."""


class OnlyAnswer(NamedTuple):
    """The one admissible answer."""

    answer: str
    distance: Ratio
    """Of the bounds from what would admit another: the edges of the cell, or the right hand side."""
    ends: tuple[Ratio | None, Ratio | None] = (None, None)
    """Where the sums keep the target; None for a side that the answer does not need."""


def check(task: Mapping[str, Any]) -> OnlyAnswer:
    """Prove that every world has this answer. Raises CertificateError that names the failed part."""
    return decide(read_case(task, "dual_bounds", FIELDS))


def decide(case: Case) -> OnlyAnswer:
    """The same for a case."""
    target = case.question.target
    if not isinstance(target, Linear):
        raise CertificateError("question: kind: bounds decide a number or a yes_no question")
    resolution = case.question.resolution
    edges = _sides(case, target) if resolution is None else _cell(case, resolution)
    distances: list[Ratio] = []
    ends: dict[str, Ratio | None] = dict.fromkeys(_SIGNS)
    for side, sign in _SIGNS.items():
        require((side in edges) == (case.proof[side] is not None), f"proof: {side}: null where it is not needed")
        if side in edges:
            edge, strictly = edges[side]
            end = _end(case, target, side, sign)
            ends[side] = end.value
            inside = sign * compare(edge, end.value)
            require(
                inside > 0 or (inside == 0 and (end.open or not strictly)), f"proof: {side}: does not imply the answer"
            )
            distances.append(Ratio(inside, edge.denominator * end.value.denominator))
    case.world(case.proof["world"], "proof: world", case.question.presupposes)
    return OnlyAnswer(case.proof["answer"], min(distances, key=cmp_to_key(compare)), (ends["lower"], ends["upper"]))


def _cell(case: Case, resolution: Ratio) -> dict[str, tuple[Ratio, bool]]:
    """The edges of the rounding cell, which belong to the neighbours too."""
    (top, bottom), (step, parts) = rational(case.proof["answer"], "proof: answer"), resolution
    require(top * parts % (bottom * step) == 0, "proof: answer: not a multiple of the resolution")
    center, half, under = 2 * top * parts, step * bottom, 2 * parts * bottom
    return {"lower": (Ratio(center - half, under), True), "upper": (Ratio(center + half, under), True)}


def _sides(case: Case, target: Linear) -> dict[str, tuple[Ratio, bool]]:
    """Where the comparison, or for NO its negation, puts the target."""
    answer, op = case.proof["answer"], target.op
    require(answer in ("YES", "NO"), "proof: answer: must be YES or NO")
    edge = Ratio(target.rhs, target.scale)
    if op == "=" and answer == "YES":
        return {"lower": (edge, False), "upper": (edge, False)}
    if op == "=":
        op = ">" if case.proof["upper"] is None else "<"
    elif answer == "NO":
        op = _NEGATED[op]
    return {side: (edge, strict) for side, strict in _LIMITS[op].items()}


def _end(case: Case, target: Linear, side: str, sign: int) -> End:
    """Where the sum for this side keeps the target, moved in to an integer where the target is one."""
    end = bound(weighted_sum(case.proof[side], case.packet.usable(), f"proof: {side}"), target, sign)
    if not _forces_integers(case, target):
        return end
    top, bottom = sign * end.value.numerator, end.value.denominator
    nearest = -(-top // bottom) - 1 if end.open else top // bottom
    return End(Ratio(sign * nearest, 1), False)


def _forces_integers(case: Case, target: Linear) -> bool:
    """Integer coefficients on variables that facts in force make integers."""
    whole = {placed.fact.variable for placed in case.packet.in_force if isinstance(placed.fact, Integer)}
    return target.terms.keys() <= whole and all(size % target.scale == 0 for size in target.terms.values())


if __name__ == "__main__":
    print(check(json.load(sys.stdin)))
