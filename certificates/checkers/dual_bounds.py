"""Checks that one answer is admissible and no other: weighted sums of facts in force bound the target.

The sum for `upper` reads `target <= c`, the one for `lower` reads `-target <= c`. Both are compared with the edges of
the answer's rounding cell (number), or with the right hand side of the comparison (yes_no), where a sum with a strict
fact may touch what it must not reach. A world shows that the facts agree, with each other and the presuppositions.
As a script: `python -m impossible_rubrics_env.certificates.checkers.dual_bounds < task.json`.
"""

import json
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

from impossible_rubrics_env.certificates.packet import (
    Case,
    Integer,
    Linear,
    rational,
    read_case,
    require,
    weighted_sum,
)
from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.numerals import Ratio

_SIGNS = {"lower": -1, "upper": 1}
_NEGATED = {"<=": ">", "<": ">=", ">=": "<", ">": "<="}
_LIMITS = {"<=": {"upper": False}, "<": {"upper": True}, ">=": {"lower": False}, ">": {"lower": True}}
"""The sides that a comparison needs, and whether strictly; `=` needs both."""


class OnlyAnswer(NamedTuple):
    """The one admissible answer."""

    answer: str


def check(task: Mapping[str, Any]) -> OnlyAnswer:
    """Prove that every world has this answer. Raises CertificateError that names the failed part."""
    case = read_case(task, "dual_bounds", ("lower", "upper", "answer", "world"))
    target = case.question.target
    if not isinstance(target, Linear):
        raise CertificateError("question: kind: bounds decide a number or a yes_no question")
    resolution = case.question.resolution
    edges = _sides(case, target) if resolution is None else _cell(case, resolution)
    for side, sign in _SIGNS.items():
        require((side in edges) == (case.proof[side] is not None), f"proof: {side}: null where it is not needed")
        if side in edges:
            require(_keeps(case, target, side, sign, *edges[side]), f"proof: {side}: does not imply the answer")
    case.world(case.proof["world"], "proof: world", case.question.presupposes)
    return OnlyAnswer(case.proof["answer"])


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


def _keeps(case: Case, target: Linear, side: str, sign: int, edge: Ratio, strictly: bool) -> bool:
    """Whether the sum for this side keeps the target within, or strictly within, the edge."""
    usable = {fact.id: fact for _, fact in case.packet.linear_in_force()}
    total = weighted_sum(case.proof[side], usable, f"proof: {side}")
    same = total.terms.keys() == target.terms.keys() and all(
        size * target.scale == sign * target.terms[x] * total.scale for x, size in total.terms.items()
    )
    require(same, f"proof: {side}: the sum does not bound the target")
    top, bottom, strict = total.rhs, total.scale, total.op == "<"
    if _forces_integers(case, target):
        top, bottom, strict = (-(-top // bottom) - 1 if strict else top // bottom), 1, False
    gap = sign * edge.numerator * bottom - top * edge.denominator
    return gap > 0 or (gap == 0 and (strict or not strictly))


def _forces_integers(case: Case, target: Linear) -> bool:
    """Integer coefficients on variables that facts in force make integers."""
    whole = {placed.fact.variable for placed in case.packet.in_force if isinstance(placed.fact, Integer)}
    return target.terms.keys() <= whole and all(size % target.scale == 0 for size in target.terms.values())


if __name__ == "__main__":
    print(check(json.load(sys.stdin)))
