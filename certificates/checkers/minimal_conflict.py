"""Checks that some sentences' requirements conflict, and that they are the only minimal set that does.

They have no common solution with the background facts; without any one of them all that is in force has one. So
every set of requirements that conflicts contains them all.
As a script: `python -m impossible_rubrics_env.certificates.checkers.minimal_conflict < task.json`.
"""

import json
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

from impossible_rubrics_env.certificates.facts import fields, identifiers, rational, require
from impossible_rubrics_env.certificates.linear import MAX_VARIABLES, contradicts, excess, weighted_sum
from impossible_rubrics_env.certificates.packet import Case, read_case
from impossible_rubrics_env.numerals import Ratio

FIELDS = ("members", "multipliers", "worlds")


class MinimalConflict(NamedTuple):
    """The sentences of the only minimal set of requirements that conflict."""

    members: tuple[str, ...]
    excesses: tuple[Ratio, ...]
    """By how much they conflict, in the measure of each requirement of the sum."""


def check(task: Mapping[str, Any]) -> MinimalConflict:
    """Prove that the members are the unique minimal conflict. Raises CertificateError that names the failed part."""
    return decide(read_case(task, "minimal_conflict", FIELDS))


def decide(case: Case) -> MinimalConflict:
    """The same for a case."""
    cited = identifiers(case.proof["members"], 1, MAX_VARIABLES + 1, "proof: members")
    linear = case.packet.linear_in_force()
    required = {
        member: {fact.id for at, fact in linear if at.sentence == member and fact.requirement} for member in cited
    }
    for member, facts in required.items():
        require(bool(facts), f"proof: members: {member}: states no requirement in force")
    usable = {fact.id: fact for at, fact in linear if at.sentence in required or not fact.requirement}
    total = weighted_sum(case.proof["multipliers"], usable, "proof: multipliers")
    require(contradicts(total), "proof: multipliers: the sum is no contradiction")
    worlds = fields(case.proof["worlds"], cited, "proof: worlds")
    for member, facts in required.items():
        case.world(worlds[member], f"proof: worlds: {member}", dropped=facts)
    weights = {key: rational(weight, "proof: multipliers") for key, weight in case.proof["multipliers"].items()}
    excesses = tuple(excess(total, weight) for key, weight in weights.items() if usable[key].requirement)
    return MinimalConflict(cited, excesses)


if __name__ == "__main__":
    print(check(json.load(sys.stdin)))
