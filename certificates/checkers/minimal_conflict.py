"""Checks that some sentences' requirements conflict, and that they are the only minimal set that does.

They have no common solution with the background facts; without any one of them all that is in force has one. So
every set of requirements that conflicts contains them all.
As a script: `python -m impossible_rubrics_env.certificates.checkers.minimal_conflict < task.json`.
"""

import json
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

from impossible_rubrics_env.certificates.packet import (
    MAX_VARIABLES,
    contradicts,
    fields,
    identifiers,
    read_case,
    require,
    weighted_sum,
)


class MinimalConflict(NamedTuple):
    """The sentences of the only minimal set of requirements that conflict."""

    members: tuple[str, ...]


def check(task: Mapping[str, Any]) -> MinimalConflict:
    """Prove that the members are the unique minimal conflict. Raises CertificateError that names the failed part."""
    case = read_case(task, "minimal_conflict", ("members", "multipliers", "worlds"))
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
    return MinimalConflict(cited)


if __name__ == "__main__":
    print(check(json.load(sys.stdin)))
