"""Checks that no world exists: the weighted sum of facts in force is false, whatever numbers the variables take.

As a script: `python -m impossible_rubrics_env.certificates.checkers.farkas < task.json`.
"""

import json
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

from impossible_rubrics_env.certificates.facts import require
from impossible_rubrics_env.certificates.linear import contradicts, weighted_sum
from impossible_rubrics_env.certificates.packet import Case, read_case

FIELDS = ("multipliers",)


class NoWorld(NamedTuple):
    """The facts, by id, that have no common solution."""

    facts: tuple[str, ...]


def check(task: Mapping[str, Any]) -> NoWorld:
    """Prove that the facts in force have no common solution. Raises CertificateError that names the failed part."""
    return decide(read_case(task, "farkas", FIELDS))


def decide(case: Case) -> NoWorld:
    """The same for a case."""
    total = weighted_sum(case.proof["multipliers"], case.packet.usable(), "proof: multipliers")
    require(contradicts(total), "proof: multipliers: the sum is no contradiction")
    return NoWorld(tuple(case.proof["multipliers"]))


if __name__ == "__main__":
    print(check(json.load(sys.stdin)))
