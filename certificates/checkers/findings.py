"""Checks what the findings in force leave of a quantity, and in what each document falls short of settling it.

Which findings apply, the span that they leave and the attributes in which each document fails are worked out again.
As a script: `python -m impossible_rubrics_env.certificates.checkers.findings < task.json`.
"""

import json
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

from impossible_rubrics_env.certificates.discrete import read_discrete
from impossible_rubrics_env.certificates.facts import fields, identifiers, rational, require
from impossible_rubrics_env.certificates.findings import (
    Applied,
    Span,
    applied,
    failing,
    grid,
    pinned,
    settles,
    span,
    verdicts,
)
from impossible_rubrics_env.certificates.linear import compare, multiple
from impossible_rubrics_env.certificates.packet import Case, read_case
from impossible_rubrics_env.certificates.questions import Asked
from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.numerals import Ratio

FIELDS = ("documents", "answer", "lower", "upper", "world")


class Found(NamedTuple):
    """What the findings leave; `answer` is the only admissible one, or None."""

    answer: int | str | None
    """Of a number question: in steps of the resolution."""
    span: Span
    than: Ratio | None
    """What a yes_no question compares the quantity with."""
    failing: Mapping[str, frozenset[str]]
    """By document: in what it falls short."""
    comparing: frozenset[str]
    """Documents whose findings apply to what a yes_no question compares the quantity with."""


def check(task: Mapping[str, Any]) -> Found:
    """Prove what is admissible. Raises CertificateError that names the failed part."""
    return decide(read_case(task, "findings", FIELDS))


def decide(case: Case) -> Found:
    """The same for a case."""
    question, proof = case.question, case.proof
    if not isinstance(question.target, Asked):
        raise CertificateError("question: target: findings decide what is asked of a measured quantity")
    discrete = read_discrete(case.packet)
    than = pinned(discrete, question.than) if isinstance(question.than, Asked) else None
    stated = applied(discrete, question.target)
    left = span(stated)
    keys = [document.id for document in case.packet.documents]
    of = {key: [one for one in stated if one.document == key] for key in keys}
    short = {key: failing(question, own, than) for key, own in of.items()}
    shown = fields(proof["documents"], keys, "proof: documents")
    for key, attributes in short.items():
        named = identifiers(shown[key], 0, 4, f"proof: documents: {key}")
        require(set(named) == attributes, f"proof: documents: {key}: fails in other attributes")
    answer = _answer(case, left, than, [key for key in keys if settles(question, span(of[key]), than)])
    require(_same(case, answer, proof["answer"]), "proof: answer: not the only admissible answer")
    _check_end(case, stated, left.low, "lower", "at_most")
    _check_end(case, stated, left.high, "upper", "at_least")
    case.world(proof["world"], "proof: world", question.presupposes)
    other = applied(discrete, question.than) if isinstance(question.than, Asked) else []
    return Found(answer, left, than, short, frozenset(one.document for one in other if not one.failing))


def _answer(case: Case, left: Span, than: Ratio | None, settling: list[str]) -> int | str | None:
    question = case.question
    if question.claim is not None:
        require(len(settling) < 2, "packet: several documents entail the claim")
        return settling[0] if settling else None
    if question.resolution is not None:
        first, last = grid(left, question.resolution)
        return first if first == last else None
    admissible = verdicts(left, question.op, than) if than is not None else frozenset()
    return min(admissible) if len(admissible) == 1 else None


def _same(case: Case, answer: int | str | None, claimed: Any) -> bool:
    if answer is None or claimed is None or isinstance(answer, str):
        return isinstance(claimed, str | None) and claimed == answer
    resolution = case.question.resolution
    return resolution is not None and multiple(rational(claimed, "proof: answer"), resolution) == answer


def _check_end(case: Case, stated: list[Applied], end: Ratio | None, side: str, other: str) -> None:
    """The finding that the proof names for this side binds; null where none does, and for a document question."""
    claimed = case.proof[side]
    if end is None or case.question.claim is not None:
        require(claimed is None, f"proof: {side}: null where no finding bounds what is asked")
        return
    binding = [
        one.finding.id
        for one in stated
        if not one.failing and one.finding.bound.direction != other and not compare(one.finding.bound.value, end)
    ]
    require(isinstance(claimed, str) and claimed in binding, f"proof: {side}: not a finding that binds")


if __name__ == "__main__":
    print(check(json.load(sys.stdin)))
