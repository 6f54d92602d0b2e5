"""Checks that the facts in force have a common solution: the world shown satisfies them and the presuppositions.

As a script: `python -m impossible_rubrics_env.certificates.checkers.world < task.json`.
"""

import json
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

from impossible_rubrics_env.certificates.packet import Case, read_case

FIELDS = ("world",)


class Feasible(NamedTuple):
    """The facts in force, by id, that one world satisfies together."""

    facts: tuple[str, ...]


def check(task: Mapping[str, Any]) -> Feasible:
    """Prove that some world exists. Raises CertificateError that names the failed part."""
    return decide(read_case(task, "world", FIELDS))


def decide(case: Case) -> Feasible:
    """The same for a case."""
    case.world(case.proof["world"], "proof: world", case.question.presupposes)
    return Feasible(tuple(placed.fact.id for placed in case.packet.in_force))


if __name__ == "__main__":
    print(check(json.load(sys.stdin)))
