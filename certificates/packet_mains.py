"""What each kind of main proof settles: how many answers are admissible, which is right, which witnesses are valid."""

from collections.abc import Callable, Mapping
from functools import cmp_to_key
from math import gcd
from types import ModuleType
from typing import Any, NamedTuple

from impossible_rubrics_env.certificates.checkers import (
    dual_bounds,
    enumeration,
    farkas,
    findings,
    minimal_conflict,
    refutation,
    world,
)
from impossible_rubrics_env.certificates.checkers import range as range_checker
from impossible_rubrics_env.certificates.discrete import read_discrete
from impossible_rubrics_env.certificates.facts import ATTRIBUTES, Integer, Linear, rational, require
from impossible_rubrics_env.certificates.findings import BOUND, NO_FINDING, grid
from impossible_rubrics_env.certificates.linear import COMPARE, compare
from impossible_rubrics_env.certificates.packet import Case, Packet, make_case
from impossible_rubrics_env.certificates.packet_lookups import (
    Answers,
    BothEnds,
    EachOf,
    Names,
    Number,
    OneOf,
    Plan,
    PlanFact,
    TwoOf,
    TwoSteps,
    Witnesses,
    Word,
)
from impossible_rubrics_env.certificates.questions import Question
from impossible_rubrics_env.certificates.register import Enumerated
from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.numerals import Ratio


class Ends(NamedTuple):
    """What was proved of the quantity that a number question asks for: it lies between the ends."""

    low: Ratio | None = None
    """None where no end was proved."""
    high: Ratio | None = None
    exact: bool = False
    """Whether these are the least and the greatest value, or limits of values, and no end is left out."""


class Settled(NamedTuple):
    """What a main proof settles."""

    room: int | None
    """How many answers are admissible; None where they are not countable."""
    right: Answers | None = None
    """None where the packet leaves no answer, or more than one."""
    answer: Ratio | str | tuple[str, ...] | None = None
    witnesses: Mapping[str, Witnesses] = {}
    """By obstruction."""
    items: tuple[str, ...] = ()
    margins: tuple[Ratio, ...] = ()
    """What the dial may say, where the proof gives it."""
    unit: Ratio | None = None
    """In what the dial must then be measured, where that is given too."""
    ends: Ends = Ends()
    """Of a number question."""


def settle(packet: Packet, question: Question, main: Any, *, without: bool = False) -> Settled:
    """Check a main proof about the packet, or a proof `without` one of its documents.

    Raises CertificateError that names the failed part.
    """
    kind = main.get("kind") if isinstance(main, Mapping) else None
    kinds = [name for name in _MAIN if without or name not in _WITHOUT_ONLY]
    if not isinstance(kind, str) or kind not in kinds:
        raise CertificateError(f"proof: main: kind: must be one of {', '.join(kinds)}")
    checker, read = _MAIN[kind]
    case = make_case(packet, question, main, kind, checker.FIELDS)
    if checker not in (enumeration, findings):
        read_discrete(packet)
    return read(case, checker.decide(case))


def _bounds(case: Case, proved: dual_bounds.OnlyAnswer) -> Settled:
    resolution = case.question.resolution
    if resolution is None:
        return Settled(1, Word(proved.answer), proved.answer, margins=(proved.distance,))
    answer = rational(proved.answer, "proof: answer")
    ends = Ends(*proved.ends)
    return Settled(1, Number(answer), answer, margins=(proved.distance,), unit=resolution, ends=ends)


def _world(case: Case, _: world.Feasible) -> Settled:
    """A plan; what is in force on its variables must be on them alone, so that it can be judged without the rest."""
    asked = case.question.target
    if not isinstance(asked, tuple):
        raise CertificateError("proof: main: a world settles a plan question")
    variables = frozenset(asked)
    required = {x for fact in case.packet.facts() if isinstance(fact, Linear) and fact.requirement for x in fact.terms}
    require(required == variables, "question: target: must be the variables of all requirements")
    facts: list[PlanFact] = []
    for fact in case.packet.numeric:
        if isinstance(fact, Linear) and not variables.isdisjoint(fact.terms):
            require(variables.issuperset(fact.terms), f"packet: {fact.id}: ties the plan to what is not part of it")
            facts.append(PlanFact(tuple(fact.terms.items()), COMPARE[fact.op], fact.rhs))
    whole = {fact.variable for fact in case.packet.numeric if isinstance(fact, Integer)}
    return Settled(None, Plan(variables, tuple(facts), tuple(sorted(whole & variables))))


def _range(case: Case, proved: range_checker.Range) -> Settled:
    target, resolution = case.question.target, case.question.resolution
    if not isinstance(target, Linear):
        raise CertificateError("question: kind: a range is that of a number or a yes_no question")
    if resolution is not None:
        step, parts = resolution
        within = (
            _less(Ratio((2 * proved.first + 1) * step, 2 * parts), proved.low.value),
            _less(proved.high.value, Ratio((2 * proved.last - 1) * step, 2 * parts)),
        )
        pair = TwoSteps(resolution, proved.first, proved.last)
        room = proved.last - proved.first + 1
        found = Settled(room, witnesses={"insufficient_evidence": pair}, margins=(_least(*within),), unit=resolution)
        return found._replace(ends=Ends(proved.low.value, proved.high.value, exact=True))
    edge = Ratio(target.rhs, target.scale)
    reach = _least(_less(edge, proved.low.value), _less(proved.high.value, edge))
    low, high = (_less(end.value, _negative(proved.shift)) for end in (proved.low, proved.high))
    return Settled(2, witnesses={"insufficient_evidence": BothEnds(low, high)}, margins=(reach,))


def _contradiction(_: Case, __: farkas.NoWorld) -> Settled:
    """No answer and no refusal to prove: for a packet that is checked without one of its documents."""
    return Settled(0)


def _conflict(_: Case, proved: minimal_conflict.MinimalConflict) -> Settled:
    return Settled(0, witnesses={"objective_conflict": Names(frozenset(proved.members))}, margins=proved.excesses)


def _refutation(_: Case, proved: refutation.Refutation) -> Settled:
    return Settled(0, witnesses={"false_premise": Names(frozenset(proved.documents))}, margins=(proved.margin,))


def _enumeration(case: Case, proved: Enumerated) -> Settled:
    resolution, items = case.question.resolution, proved.items
    ends = Ends()
    if proved.totals:
        least, greatest = (Ratio(total, proved.scale) for total in (min(proved.totals), max(proved.totals)))
        ends = Ends(least, greatest, exact=True)
    if proved.answer is not None:
        return _only(proved.answer, resolution)._replace(items=items, ends=ends)
    sentences = {sentence for document in case.packet.documents for sentence in document.sentences}
    require(sentences.isdisjoint(items), "packet: an item has the id of a sentence")
    witnesses: dict[str, Witnesses] = {}
    if proved.undecided or proved.showing:
        witnesses["impossible_exhaustiveness"] = OneOf(frozenset({*proved.undecided, *proved.showing}))
    room: int | None = 2
    if resolution is not None:
        witnesses["insufficient_evidence"] = TwoOf(resolution, proved.steps)
        room = len(proved.steps)
    elif case.question.kind == "yes_no":
        totals = proved.yes | proved.no
        if len(totals) > 1:
            least, greatest = (Ratio(total, proved.scale) for total in (min(totals), max(totals)))
            witnesses["insufficient_evidence"] = BothEnds(least, greatest)
    else:
        room = 2 ** len(proved.undecided) if proved.closed else None
        if proved.undecided:
            witnesses["insufficient_evidence"] = OneOf(frozenset(proved.undecided))
    return Settled(room, witnesses=witnesses, items=items, ends=ends)


def _findings(case: Case, proved: findings.Found) -> Settled:
    question = case.question
    ends = Ends() if question.resolution is None else Ends(*proved.span, exact=True)
    if proved.answer is not None:
        return _only(proved.answer, question.resolution)._replace(ends=ends)
    witnesses: dict[str, Witnesses] = {}
    if all(proved.failing.values()):
        witnesses["missing_citation"] = EachOf(
            len(proved.failing),
            frozenset((key, reason) for key in proved.failing for reason in _reasons(proved, key)),
        )
    room: int | None = 0
    if question.resolution is not None:
        first, last = grid(proved.span, question.resolution)
        witnesses["insufficient_evidence"] = TwoSteps(question.resolution, first, last)
        room = None if first is None or last is None else last - first + 1
    elif proved.than is not None:
        low, high = proved.span
        if low is not None and high is not None:
            witnesses["insufficient_evidence"] = BothEnds(low, high)
        room = 2
    return Settled(room, witnesses=witnesses, ends=ends)


def _reasons(proved: findings.Found, document: str) -> frozenset[str]:
    """What may be said against a document: a reader who finds no finding in it may name any attribute.

    A document about what the quantity is compared with is about another subject, but its figures may as well be said
    not to be enough.
    """
    failing = proved.failing[document]
    if failing == {NO_FINDING}:
        return frozenset({*ATTRIBUTES, BOUND, NO_FINDING})
    return failing | {BOUND} if document in proved.comparing else failing


_MAIN: dict[str, tuple[ModuleType, Callable[[Case, Any], Settled]]] = {
    "dual_bounds": (dual_bounds, _bounds),
    "world": (world, _world),
    "enumeration": (enumeration, _enumeration),
    "farkas": (farkas, _contradiction),
    "findings": (findings, _findings),
    "range": (range_checker, _range),
    "minimal_conflict": (minimal_conflict, _conflict),
    "refutation": (refutation, _refutation),
}
"""Checker and reader of every kind."""
_WITHOUT_ONLY = ("farkas",)
"""Kinds that say of a packet without one of its documents that it is not answerable, and prove no label."""


def _only(answer: int | str | tuple[str, ...], resolution: Ratio | None) -> Settled:
    """One answer: steps of the resolution, a word, or the items of a list."""
    if isinstance(answer, tuple):
        return Settled(1, Names(frozenset(answer)), answer)
    if isinstance(answer, str) or resolution is None:
        return Settled(1, Word(str(answer)), str(answer))
    top, bottom = answer * resolution.numerator, resolution.denominator
    number = Ratio(top // gcd(top, bottom), bottom // gcd(top, bottom))
    return Settled(1, Number(number), number)


def _less(left: Ratio, right: Ratio) -> Ratio:
    """Left - right."""
    top = left.numerator * right.denominator - right.numerator * left.denominator
    return Ratio(top, left.denominator * right.denominator)


def _negative(value: Ratio) -> Ratio:
    return Ratio(-value.numerator, value.denominator)


def _least(first: Ratio, second: Ratio) -> Ratio:
    return min(first, second, key=cmp_to_key(compare))
