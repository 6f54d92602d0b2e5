"""From a packet to its one answer, or to an obstruction with a witness that proves that there is none."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from impossible_rubrics_env.exact import Rational, number_text, rational
from impossible_rubrics_env.reference_policies import packet_linear as linear
from impossible_rubrics_env.reference_policies.packet_linear import Ends, Row
from impossible_rubrics_env.reference_policies.packet_model import NOTHING, Document, Linear, Packet, Question
from impossible_rubrics_env.reference_policies.packet_register import register_of
from impossible_rubrics_env.simplex import Point, feasible

Value = str | list[str] | dict[str, str]
"""An answer or a witness as a reply gives it; numbers are text."""
_ONE = rational(1)


class Refusal(NamedTuple):
    """Why no answer is right."""

    obstruction: str
    witness: Value


class Solution(NamedTuple):
    """What the packet settles."""

    answer: Value
    """The right answer; where there is none, a definite one that is near to what the packet says."""
    refusal: Refusal | None


def solve(packet: Packet) -> Solution:
    """The answer, and the refusal where no answer is right."""
    question = packet.question
    asked = {question.quantity, question.other, *question.plan.values(), *(question.premise or ())} - {NOTHING}
    rows = linear.rows_of(packet, sorted(asked))
    conflict = linear.conflict(rows)
    solution = _KINDS[question.kind](packet, _without(rows, conflict))
    if question.premise and (documents := linear.refuting(question.premise, rows)):
        return solution._replace(refusal=Refusal("false_premise", list(documents)))
    if conflict:
        return solution._replace(refusal=Refusal("objective_conflict", list(conflict)))
    return solution


def _without(rows: Sequence[Row], conflict: Sequence[str]) -> list[Row]:
    """The rows without the first sentence of a conflict, so that some answer can be named."""
    return [row for row in rows if row.sentence not in conflict[:1] or not row.requirement]


def _number(packet: Packet, rows: Sequence[Row]) -> Solution:
    quantity, step = packet.question.quantity, packet.question.figure
    if (register := register_of(packet)) is not None:
        answers = _nearest(register.totals(quantity.subject), step)
        middle = answers[len(answers) // 2]
    else:
        found = linear.ends({quantity.name: _ONE}, rows)
        answers = _of_range(*linear.grid_answers(found, step))
        middle = answers[0]
        if found.low is not None and found.high is not None:
            middle = linear.floor_of((found.low + found.high) / 2 / step + rational(1, 2))[0]
    text = number_text(middle * step)
    if len(answers) == 1:
        return Solution(text, None)
    return Solution(text, _two(answers[0] * step, answers[-1] * step))


def _two(first: Rational, second: Rational) -> Refusal:
    return Refusal("insufficient_evidence", [number_text(first), number_text(second)])


def _nearest(values: Sequence[Rational], step: Rational) -> list[int]:
    """The multiples of `step` that are nearest to a value."""
    found: set[int] = set()
    for value in values:
        found |= set(_of_range(*linear.grid_answers(Ends(value, True, value, True), step)))
    return sorted(found)


def _of_range(first: int | None, last: int | None) -> list[int]:
    """The first and the last of a range, or two of one without an end."""
    if first is None:
        return [0, 1] if last is None else [last - 1, last]
    if last is None:
        return [first, first + 1]
    return [first] if first == last else [first, last]


def _yes_no(packet: Packet, rows: Sequence[Row]) -> Solution:
    question = packet.question
    if (register := register_of(packet)) is not None:
        firsts, others = register.totals(question.quantity.subject), register.totals(question.other.subject)
        ends, gaps = (firsts[0], firsts[-1]), (firsts[0] - others[-1], firsts[-1] - others[0])
        possible = {gap > 0 if question.op == ">" else gap < 0 for gap in gaps}
    else:
        found = linear.ends({question.quantity.name: _ONE}, rows)
        ends, possible = (found.low, found.high), _sides(question, rows)
    if len(possible) == 1:
        return Solution("YES" if True in possible else "NO", None)
    low, high = (rational(0) if end is None else end for end in ends)
    return Solution("YES", _two(low, high))


def _sides(question: Question, rows: Sequence[Row]) -> set[bool]:
    """Whether the comparison can hold, and whether it can fail."""
    difference = {question.quantity.name: _ONE, question.other.name: -_ONE}
    ops = {True: question.op, False: linear.NEGATION[question.op]}
    return {side for side, op in ops.items() if linear.possible(difference, op, rational(0), rows)}


def _list(packet: Packet, _rows: Sequence[Row]) -> Solution:
    question, register = packet.question, register_of(packet)
    if register is None:
        return Solution([], None)
    found = {item: register.asked(item, question.quantity.subject, question.grade) for item in register.amounts}
    listed = [item for item, status in found.items() if status]
    undecided = [item for item, status in found.items() if status is None]
    if undecided:
        return Solution(listed, Refusal("impossible_exhaustiveness", undecided[:1]))
    opening = register.opening(question.quantity.subject)
    return Solution(listed, None if opening is None else Refusal("impossible_exhaustiveness", [opening]))


def _document(packet: Packet, _rows: Sequence[Row]) -> Solution:
    failing = {one.id: failings(packet, one) for one in packet.documents}
    for name, attributes in failing.items():
        if not attributes:
            return Solution(name, None)
    nearest = next((name for name, attributes in failing.items() if attributes[0] == "bound"), packet.documents[0].id)
    witness = {name: attributes[0] for name, attributes in failing.items()}
    return Solution(nearest, Refusal("missing_citation", witness))


def failings(packet: Packet, document: Document) -> list[str]:
    """The attributes in which all that a document finds fails the claim; empty where one finding establishes it."""
    found = [
        _fails(one.states, packet.question, packet.wider)
        for one in packet.in_force(Linear)
        if one.document is document and one.states.single is not None
    ]
    if not found:
        return ["finding"]
    shared = [name for name in found[0] if all(name in other for other in found[1:])]
    return [] if [] in found else shared or found[0]


def _fails(fact: Linear, question: Question, wider: Mapping[str, str]) -> list[str]:
    stated, asked = next(iter(fact.terms)), question.quantity
    failing = [] if stated.subject in linear.upwards(asked.subject, wider) else ["subject"]
    failing += [name for name in ("period", "measure") if getattr(stated, name) != getattr(asked, name)]
    return failing or ([] if question.kind == "document" and _entails(fact, question) else ["bound"])


def _entails(fact: Linear, question: Question) -> bool:
    """Whether a fact about one quantity implies the question's bound on it."""
    figure = fact.rhs / next(iter(fact.terms.values()))
    if question.op == "=":
        return fact.op == "=" and figure == question.figure
    sign = 1 if question.op in {">", ">="} else -1
    if fact.op != "=" and (fact.op in {">", ">="}) != (sign > 0):
        return False
    gap = sign * (figure - question.figure)
    strict = question.op in {"<", ">"} and fact.op not in {"<", ">"}
    return bool(gap > 0 if strict else gap >= 0)


def _plan(packet: Packet, rows: Sequence[Row]) -> Solution:
    plan = packet.question.plan
    found = feasible(row.constraint for row in linear.near(rows, [one.name for one in plan.values()]))
    numbers = found.numbers if isinstance(found, Point) else {}
    return Solution({key: number_text(numbers.get(one.name, rational(0))) for key, one in plan.items()}, None)


_KINDS: Mapping[str, Callable[[Packet, Sequence[Row]], Solution]] = {
    "number": _number,
    "yes_no": _yes_no,
    "list": _list,
    "document": _document,
    "plan": _plan,
}
