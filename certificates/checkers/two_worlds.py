"""Checks that a question has two different admissible answers, each shown by a world.

Both worlds satisfy the facts in force and the presuppositions. A value at a rounding boundary admits both neighbours.
As a script: `python -m impossible_rubrics_env.certificates.checkers.two_worlds < task.json`.
"""

import json
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

from impossible_rubrics_env.certificates.facts import Linear, members, rational, require
from impossible_rubrics_env.certificates.linear import World, holds, value_of
from impossible_rubrics_env.certificates.packet import Case, read_case
from impossible_rubrics_env.errors import CertificateError


class TwoAnswers(NamedTuple):
    """Two different admissible answers, as the proof writes them."""

    first: str
    second: str


def check(task: Mapping[str, Any]) -> TwoAnswers:
    """Prove that both answers are admissible. Raises CertificateError that names the failed part."""
    case = read_case(task, "two_worlds", ("worlds", "answers"))
    worlds = members(case.proof["worlds"], 2, 2, "proof: worlds")
    first, second = members(case.proof["answers"], 2, 2, "proof: answers")
    require(isinstance(first, str) and isinstance(second, str) and first != second, "proof: answers: must differ")
    for place, answer in enumerate((first, second)):
        world = case.world(worlds[place], f"proof: worlds: {place}", case.question.presupposes)
        require(_admits(case, world, answer), f"proof: answers: {place}: its world does not admit it")
    return TwoAnswers(first, second)


def _admits(case: Case, world: World, answer: Any) -> bool:
    target, resolution = case.question.target, case.question.resolution
    if not isinstance(target, Linear):
        raise CertificateError("question: kind: two worlds decide a number or a yes_no question")
    if resolution is None:
        require(answer in ("YES", "NO"), "proof: answers: must be YES and NO")
        return holds(target, world) is (answer == "YES")
    (top, bottom), (step, parts) = rational(answer, "proof: answers"), resolution
    require(top * parts % (bottom * step) == 0, "proof: answers: not a multiple of the resolution")
    over, under = value_of(target, world)
    return 2 * parts * abs(over * bottom - top * under) <= step * under * bottom


if __name__ == "__main__":
    print(check(json.load(sys.stdin)))
