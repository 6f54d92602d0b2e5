"""Checks which items of a register are in, out or undecided, and whether that leaves one answer.

The proof names, for every candidate, the facts that decide; here each status is worked out again from the facts in
force, as is whether the list is closed, and every choice of the undecided items is gone through.
As a script: `python -m impossible_rubrics_env.certificates.checkers.enumeration < task.json`.
"""

import json
import sys
from collections.abc import Mapping
from typing import Any

from impossible_rubrics_env.certificates.discrete import Discrete, read_discrete
from impossible_rubrics_env.certificates.facts import MAX_VALUES, chosen, fields, identifiers, rational, require
from impossible_rubrics_env.certificates.linear import multiple
from impossible_rubrics_env.certificates.packet import MAX_FACTS, Case, read_case
from impossible_rubrics_env.certificates.questions import Selection
from impossible_rubrics_env.certificates.register import (
    Closure,
    Enumerated,
    Standing,
    closure,
    enumerate_answers,
    standings,
)
from impossible_rubrics_env.errors import CertificateError

FIELDS = ("items", "closed", "answer", "world")


def check(task: Mapping[str, Any]) -> Enumerated:
    """Prove what is admissible. Raises CertificateError that names the failed part."""
    return decide(read_case(task, "enumeration", FIELDS))


def decide(case: Case) -> Enumerated:
    """The same for a case."""
    question, proof = case.question, case.proof
    if not isinstance(question.target, Selection):
        raise CertificateError("question: target: an enumeration decides what is asked of a register")
    discrete = read_discrete(case.packet)
    asked = standings(discrete, question.target)
    listed = fields(proof["items"], tuple(asked), "proof: items")
    for item, standing in asked.items():
        _check_item(discrete, question.target, standing, listed[item], f"proof: items: {item}")
    both = [side for side in (question.target, question.than) if isinstance(side, Selection)]
    closing = closure(discrete, both, len(asked))
    _check_closed(closing, proof["closed"])
    found = enumerate_answers(case, discrete, asked, closing)
    require(_same(case, found.answer, proof["answer"]), "proof: answer: not the only admissible answer")
    case.world(proof["world"], "proof: world", question.presupposes)
    return found


def _check_item(discrete: Discrete, asked: Selection, standing: Standing, value: Any, part: str) -> None:
    """The status, and facts in force that say what decides it; that the item is in the register may be among them."""
    shown = fields(value, ("status", "facts"), part)
    require(shown["status"] == standing.status, f"{part}: is {standing.status}")
    facts = identifiers(shown["facts"], 0, MAX_VALUES, f"{part}: facts")
    require(all(fact in discrete.meanings for fact in facts), f"{part}: facts: not in force, or decides no status")
    meanings = [discrete.meanings[fact] for fact in facts]
    said = frozenset(meaning for meaning in meanings if meaning[0] != "member" or meaning[2] != asked.set)
    require(
        len(set(meanings)) == len(meanings) and said in standing.reasons, f"{part}: facts: do not decide the status"
    )


def _check_closed(closing: Closure, value: Any) -> None:
    require((value is not None) == closing.closed, "proof: closed: null where the list is open, and only there")
    if value is not None:
        covers, size = identifiers(value, 2, 2, "proof: closed")
        require(covers in closing.covers and size in closing.sizes, "proof: closed: these facts do not close the list")


def _same(case: Case, answer: int | str | tuple[str, ...] | None, claimed: Any) -> bool:
    if answer is None or claimed is None:
        return claimed is answer
    if isinstance(answer, tuple):
        return identifiers(claimed, 0, MAX_FACTS, "proof: answer") == answer
    if isinstance(answer, str):
        return chosen(claimed, ("YES", "NO"), "proof: answer") == answer
    resolution = case.question.resolution
    return resolution is not None and multiple(rational(claimed, "proof: answer"), resolution) == answer


if __name__ == "__main__":
    print(check(json.load(sys.stdin)))
