"""The finding world: which findings apply to a quantity, what they leave of it, and why each document falls short.

A finding applies where each of its attributes equals the asked one or contains it by facts in force: what is stated for
every member of a group holds for each part.
"""

from collections.abc import Iterable
from typing import NamedTuple

from impossible_rubrics_env.certificates.discrete import Discrete
from impossible_rubrics_env.certificates.facts import ATTRIBUTES, Bound, Finding, require
from impossible_rubrics_env.certificates.linear import End, compare, first_answer, last_answer
from impossible_rubrics_env.certificates.questions import Asked, Question
from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.numerals import Ratio

BOUND = "bound"
"""What a document fails in whose findings apply and leave the question open."""
NO_FINDING = "finding"
"""What a document fails in that states no finding in force."""


class Span(NamedTuple):
    """What a quantity can be, ends included; a missing end is None."""

    low: Ratio | None
    high: Ratio | None


class Applied(NamedTuple):
    """A finding in force with its document, and the attributes in which it does not apply."""

    document: str
    finding: Finding
    failing: tuple[str, ...]


def applied(discrete: Discrete, asked: Asked) -> list[Applied]:
    """Every finding in force, held against the asked quantity."""
    above = [{*discrete.upward(name, value)} for name, value in zip(ATTRIBUTES, asked.attributes, strict=True)]
    return [
        Applied(
            placed.document,
            fact,
            tuple(
                name for name, value, good in zip(ATTRIBUTES, fact.attributes, above, strict=True) if value not in good
            ),
        )
        for placed, fact in discrete.findings
    ]


def span(findings: Iterable[Applied]) -> Span:
    """What the findings that apply leave of the quantity."""
    low = high = None
    for one in findings:
        if not one.failing:
            direction, value = one.finding.bound.direction, one.finding.bound.value
            if direction != "at_most" and (low is None or compare(value, low) > 0):
                low = value
            if direction != "at_least" and (high is None or compare(value, high) < 0):
                high = value
    require(low is None or high is None or compare(low, high) <= 0, "packet: findings in force contradict each other")
    return Span(low, high)


def pinned(discrete: Discrete, asked: Asked) -> Ratio:
    """The value of a quantity that findings in force state exactly."""
    low, high = span(applied(discrete, asked))
    if low is None or high is None or compare(low, high):
        raise CertificateError("question: than: the findings in force do not state it exactly")
    return low


def grid(left: Span, step: Ratio) -> tuple[int | None, int | None]:
    """The first and the last admissible answer, in steps; None where there is none."""
    first = None if left.low is None else first_answer(End(left.low, False), step)
    return first, None if left.high is None else last_answer(End(left.high, False), step)


def verdicts(left: Span, op: str, than: Ratio) -> frozenset[str]:
    """The admissible ones of YES and NO to `quantity op than`, op `>` or `<`."""
    above = left.high is None or compare(left.high, than) > 0
    below = left.low is None or compare(left.low, than) < 0
    yes, no = (above, left.low is None or compare(left.low, than) <= 0)
    if op == "<":
        yes, no = (below, left.high is None or compare(left.high, than) >= 0)
    return frozenset(word for word, can in (("YES", yes), ("NO", no)) if can)


def settles(question: Question, left: Span, than: Ratio | None) -> bool:
    """Whether the span leaves one answer to a number or yes_no question, or entails a document question's claim."""
    if question.claim is not None:
        return _entails(left, question.claim)
    if question.resolution is not None:
        first, last = grid(left, question.resolution)
        return first is not None and first == last
    return than is not None and len(verdicts(left, question.op, than)) == 1


def failing(question: Question, stated: list[Applied], than: Ratio | None) -> frozenset[str]:
    """What a document's findings in force fall short in; nothing where they settle the question alone."""
    if not stated:
        return frozenset({NO_FINDING})
    if any(not one.failing for one in stated):
        return frozenset() if settles(question, span(stated), than) else frozenset({BOUND})
    return frozenset.intersection(*(frozenset(one.failing) for one in stated))


def _entails(left: Span, claim: Bound) -> bool:
    low = left.low is not None and compare(left.low, claim.value) >= 0
    high = left.high is not None and compare(left.high, claim.value) <= 0
    return (low or claim.direction == "at_most") and (high or claim.direction == "at_least")
