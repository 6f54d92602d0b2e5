"""Checks that the facts in force of some documents contradict a presupposition, and that no document is idle.

The weighted sum of their facts and of the presupposition is false; without the facts of any one of the documents, a
world satisfies the presupposition and all else that is in force. One more world shows that the facts in force agree.
As a script: `python -m impossible_rubrics_env.certificates.checkers.refutation < task.json`.
"""

import json
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

from impossible_rubrics_env.certificates.facts import fields, identifiers, rational, require
from impossible_rubrics_env.certificates.linear import contradicts, excess, weighted_sum
from impossible_rubrics_env.certificates.packet import MAX_DOCUMENTS, PRESUPPOSED, Case, read_case
from impossible_rubrics_env.numerals import Ratio

FIELDS = ("presupposition", "documents", "multipliers", "worlds", "world")


class Refutation(NamedTuple):
    """The presupposition, by its place in the question, and the documents that refute it."""

    presupposition: int
    documents: tuple[str, ...]
    margin: Ratio
    """By how much the presupposition fails."""


def check(task: Mapping[str, Any]) -> Refutation:
    """Prove that the documents refute the presupposition. Raises CertificateError that names the failed part."""
    return decide(read_case(task, "refutation", FIELDS))


def decide(case: Case) -> Refutation:
    """The same for a case."""
    place, presupposes = case.proof["presupposition"], case.question.presupposes
    require(type(place) is int and 0 <= place < len(presupposes), "proof: presupposition: no such place")
    presupposed = presupposes[place]
    cited = identifiers(case.proof["documents"], 1, MAX_DOCUMENTS, "proof: documents")
    stated = {document: {at.fact.id for at in case.packet.in_force if at.document == document} for document in cited}
    usable = {fact.id: fact for at, fact in case.packet.linear_in_force() if at.document in stated}
    multipliers = case.proof["multipliers"]
    total = weighted_sum(multipliers, {**usable, PRESUPPOSED: presupposed}, "proof: multipliers")
    require(PRESUPPOSED in multipliers, "proof: multipliers: the presupposition has no part in the sum")
    require(contradicts(total), "proof: multipliers: the sum is no contradiction")
    worlds = fields(case.proof["worlds"], cited, "proof: worlds")
    for document, facts in stated.items():
        case.world(worlds[document], f"proof: worlds: {document}", (presupposed,), facts)
    case.world(case.proof["world"], "proof: world")
    return Refutation(place, cited, excess(total, rational(multipliers[PRESUPPOSED], "proof: multipliers")))


if __name__ == "__main__":
    print(check(json.load(sys.stdin)))
