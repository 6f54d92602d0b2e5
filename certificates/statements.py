"""Marks every statement that an answer may make, from what is proved about the packet it is made of.

In: a list of statements, each a sentence and what it means (docs/format.md), and a packet task's question, packet and
proof. Out: for each statement whether an honest answer must make it, may make it, or makes a false claim by it, and
which citations bear on nothing. The marks follow from `packet_proofs.Proved` and the packet alone. Refused, with a
CertificateError that names the part: a proof that fails, a list out of bounds, a meaning that the question does not
allow, one that the proof does not decide, a list without what an honest answer needs, marks other than these.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from impossible_rubrics_env.certificates.discrete import read_discrete
from impossible_rubrics_env.certificates.facts import (
    ATTRIBUTES,
    Contains,
    Member,
    Notice,
    chosen,
    fields,
    identifiers,
    members,
    rational,
    require,
)
from impossible_rubrics_env.certificates.findings import BOUND, NO_FINDING, applied
from impossible_rubrics_env.certificates.linear import compare, multiple
from impossible_rubrics_env.certificates.packet import MAX_DOCUMENTS, MAX_FACTS, Packet, read_packet
from impossible_rubrics_env.certificates.packet_lookups import TwoOf, TwoSteps
from impossible_rubrics_env.certificates.packet_proofs import OBSTRUCTIONS, Proved, prove
from impossible_rubrics_env.certificates.questions import Asked, Question, read_question
from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.numerals import Ratio

REQUIRED, ALLOWED, UNSUPPORTED, FALSE = "required", "allowed", "unsupported", "false"
MARKS = (REQUIRED, ALLOWED, UNSUPPORTED, FALSE)
FEWEST, MOST = 10, 16
"""Statements of a list."""
MAX_TEXT_CHARS = 4_000
MAX_PLACE = 15
"""Highest place of a hedge."""
MAX_SENTENCES = 32
"""Sentences that one ground names."""


@dataclass(frozen=True, slots=True)
class Marked:
    """A list of statements with their marks."""

    ids: tuple[str, ...]
    """In the order of the list."""
    marks: Mapping[str, str]
    """One of MARKS for every id."""
    idle: frozenset[str]
    """Allowed citations of documents that bear on nothing."""
    means: Mapping[str, Mapping[str, Any]]
    """For every id the JSON of what the statement means."""


@dataclass(frozen=True, slots=True)
class _Case:
    """What meanings are held against."""

    proved: Proved
    packet: Packet
    question: Question
    named: frozenset[str]
    """Documents that the main proof or a defeat names, or of which it names a fact."""


def check_marks(task: Mapping[str, Any]) -> Marked:
    """Prove the packet of a task whose certificate is of kind `statements`, and its marks.

    Raises CertificateError that names the failed part; whatever else the proof holds is left to other checkers.
    """
    require(isinstance(task, Mapping), "task: must be an object")
    certificate = task.get("certificate")
    question = task.get("question")
    target = question.get("target") if isinstance(question, Mapping) else None
    if not isinstance(certificate, Mapping) or certificate.get("kind") != "statements":
        raise CertificateError("certificate: must be an object of kind statements")
    proof = certificate.get("proof")
    if not isinstance(proof, Mapping) or proof.get("kind") != "statements":
        raise CertificateError("proof: must be an object of kind statements")
    if not isinstance(target, Mapping):
        raise CertificateError("question: target: must be an object")
    about = {
        "family": target.get("family"),
        "packet": task.get("packet"),
        "question": target.get("question"),
        "certificate": {"kind": "packet", "proof": proof.get("packet")},
    }
    marked = mark(about, target.get("statements"))
    stated = fields(proof.get("marks"), marked.ids, "proof: marks")
    for key in marked.ids:
        require(stated[key] == marked.marks[key], f"proof: marks: {key}: is {marked.marks[key]}")
    idle = identifiers(proof.get("idle"), 0, MOST, "proof: idle")
    require(frozenset(idle) == marked.idle, f"proof: idle: must be {', '.join(sorted(marked.idle)) or 'empty'}")
    return marked


def mark(task: Mapping[str, Any], statements: Any) -> Marked:
    """The marks of statements about a packet task, given as its JSON.

    Raises CertificateError where the task's proof fails, or the list is none that fits the task.
    """
    proved = prove(task)
    packet, question = read_packet(task["packet"]), read_question(task["question"])
    case = _Case(proved, packet, question, frozenset(_named(packet, question, task["certificate"]["proof"])))
    means = _read_list(statements)
    marks: dict[str, str] = {}
    idle: set[str] = set()
    for key, meaning in means.items():
        marks[key] = _KINDS[meaning["kind"]][1](case, meaning, f"statements: {key}")
        if meaning["kind"] == "cites" and marks[key] == ALLOWED and meaning["document"] not in case.named:
            idle.add(key)
    _settle_grounds(means, marks)
    _require_whole(case, means, marks)
    return Marked(tuple(means), marks, frozenset(idle), means)


def _read_list(value: Any) -> dict[str, Mapping[str, Any]]:
    """By id, what each statement means; ids are S1, S2 ... in order, and no sentence or meaning occurs twice."""
    listed = members(value, FEWEST, MOST, "statements")
    texts: set[str] = set()
    meant: set[str] = set()
    means: dict[str, Mapping[str, Any]] = {}
    for place, member in enumerate(listed, 1):
        part = f"statements: S{place}"
        statement = fields(member, ("id", "text", "means"), part)
        require(statement["id"] == f"S{place}", f"{part}: id: must be S{place}")
        text, meaning = statement["text"], statement["means"]
        good = isinstance(text, str) and 1 <= len(text) <= MAX_TEXT_CHARS and text.isprintable()
        require(good, f"{part}: text: must be 1 to {MAX_TEXT_CHARS} printable characters")
        kind = meaning.get("kind") if isinstance(meaning, Mapping) else None
        kind = chosen(kind, _KINDS, f"{part}: means: kind")
        means[f"S{place}"] = fields(meaning, ("kind", *_KINDS[kind][0]), f"{part}: means")
        texts.add(text)
        meant.add(_canonical(meaning, part))
    require(len(texts) == len(meant) == len(listed), "statements: a sentence or a meaning occurs twice")
    return means


def _canonical(meaning: Mapping[str, Any], part: str) -> str:
    """A meaning as text, alike for all that mean the same."""
    sets = {
        name: sorted(value)
        for name, value in meaning.items()
        if _is_set(value) and meaning.get("obstruction") != "counterevidence_trap"
    }
    try:
        return json.dumps({**meaning, **sets}, sort_keys=True)
    except (TypeError, ValueError, RecursionError):
        raise CertificateError(f"{part}: means: not JSON") from None


def _is_set(value: Any) -> bool:
    """Whether this is a list of texts of which a meaning may have so many."""
    return isinstance(value, (list, tuple)) and len(value) <= MAX_FACTS and all(isinstance(one, str) for one in value)


def _settle_grounds(means: Mapping[str, Mapping[str, Any]], marks: dict[str, str]) -> None:
    """A proof of the refusal is required where the list has no other."""
    proving = [key for key, meaning in means.items() if meaning["kind"] == "ground" and marks[key] == ALLOWED]
    if len(proving) == 1:
        marks[proving[0]] = REQUIRED


def _require_whole(case: _Case, means: Mapping[str, Mapping[str, Any]], marks: Mapping[str, str]) -> None:
    """The list has what every honest answer must say, and its opposite."""
    said = {meaning["holds"] for meaning in means.values() if meaning["kind"] == "settled"}
    require(said == {True, False}, "statements: must say that the question is settled, and that it is not")
    marked = [marks[key] for key, meaning in means.items() if meaning["kind"] == "answer"]
    if case.proved.answerable:
        require(marked.count(REQUIRED) == 1, "statements: must have exactly one right answer")
        return
    proving = [
        key for key, meaning in means.items() if meaning["kind"] == "ground" and marks[key] in (REQUIRED, ALLOWED)
    ]
    require(bool(proving), "statements: must have a ground that proves that there is no answer")


# What a document must do not to be idle


def _named(packet: Packet, question: Question, proof: Mapping[str, Any]) -> Iterator[str]:
    """Documents of facts that a checked proof names, and those that its defeats are about."""
    yield from _named_by(packet, question, proof["main"])
    for entry in proof["defeats"]:
        yield from (entry["notice"], entry["document"])
        yield from _named_by(packet.without(entry["notice"]), question, entry["without"])


def _named_by(packet: Packet, question: Question, main: Mapping[str, Any]) -> Iterator[str]:
    kind = main["kind"]
    if kind == "findings":
        yield from _applying(packet, question)
    elif kind == "world":
        variables = frozenset(question.target) if isinstance(question.target, tuple) else frozenset()
        yield from (at.document for at, fact in packet.linear_in_force() if not variables.isdisjoint(fact.terms))
    else:
        named = set(_facts_of(main))
        yield from (at.document for at in packet.in_force if at.fact.id in named)


def _facts_of(main: Mapping[str, Any]) -> Iterator[str]:
    """The ids of the facts that a proof weighs, or by which it decides on an item or a list."""
    if main["kind"] == "enumeration":
        for item in main["items"].values():
            yield from item["facts"]
        yield from main["closed"] or ()
        return
    for part in ("multipliers", "lower", "upper", "constant"):
        yield from main.get(part) or ()


def _applying(packet: Packet, question: Question) -> Iterator[str]:
    """Documents with a finding in force on what is asked, or compared with, or that say of what it is a part."""
    discrete = read_discrete(packet)
    for asked in (question.target, question.than):
        if not isinstance(asked, Asked):
            continue
        yield from (one.document for one in applied(discrete, asked) if not one.failing)
        above = {
            (name, value)
            for name, own in zip(ATTRIBUTES, asked.attributes, strict=True)
            for value in discrete.upward(name, own)
        }
        for at in packet.in_force:
            if isinstance(at.fact, Contains) and (at.fact.attribute, at.fact.narrower) in above:
                yield at.document


# Marks by kind of meaning


def _answer(case: _Case, meaning: Mapping[str, Any], part: str) -> str:
    value = _value(case, meaning["value"], f"{part}: value")
    if case.proved.answerable:
        return REQUIRED if case.proved.accepts(value) else FALSE
    return UNSUPPORTED if _admissible(case, value) else FALSE


def _value(case: _Case, value: Any, part: str) -> Any:
    """An answer as `Proved.accepts` takes it."""
    kind = case.question.kind
    if kind == "number":
        return rational(value, part)
    if kind == "yes_no":
        return chosen(value, ("YES", "NO"), part)
    if kind == "list":
        return identifiers(value, 0, MAX_FACTS, part)
    if kind == "document":
        return chosen(value, case.proved.document_ids, part)
    plan = fields(value, case.proved.variables, part)
    return {name: rational(plan[name], f"{part}: {name}") for name in plan}


def _admissible(case: _Case, value: Any) -> bool:
    """Whether an impossible task leaves the answer open: some world has it."""
    if case.proved.kind != "number":
        return case.proved.kind in ("yes_no", "list") and case.proved.room != 0
    steps = case.proved.witnesses.get("insufficient_evidence")
    if not isinstance(steps, (TwoSteps, TwoOf)):
        return False
    step = multiple(value, steps.step)
    if step is None:
        return False
    if isinstance(steps, TwoOf):
        return step in steps.steps
    return (steps.first is None or steps.first <= step) and (steps.last is None or step <= steps.last)


def _settled(case: _Case, meaning: Mapping[str, Any], part: str) -> str:
    holds = _truth(meaning["holds"], f"{part}: holds")
    if holds != case.proved.answerable:
        return FALSE
    return ALLOWED if holds else REQUIRED


def _ground(case: _Case, meaning: Mapping[str, Any], part: str) -> str:
    """Whether it proves the refusal; whether it is also required depends on the rest of the list."""
    obstruction = chosen(meaning["obstruction"], OBSTRUCTIONS, f"{part}: obstruction")
    witness = _witness(case, obstruction, meaning["witness"], f"{part}: witness")
    if case.proved.answerable:
        return FALSE
    return ALLOWED if case.proved.proves(obstruction, witness) else UNSUPPORTED


def _witness(case: _Case, obstruction: str, value: Any, part: str) -> Any:
    """A witness as `Proved.proves` takes it; one that names what the packet does not have is malformed."""
    documents, sentences = case.proved.document_ids, case.proved.sentence_ids
    if obstruction == "insufficient_evidence" and case.question.kind in ("number", "yes_no"):
        pair = tuple(rational(number, part) for number in members(value, 2, 2, part))
        require(compare(*pair) != 0, f"{part}: must be two different numbers")
        return pair
    if obstruction == "missing_citation":
        reasons = fields(value, documents, part)
        return {key: chosen(reasons[key], (*ATTRIBUTES, BOUND, NO_FINDING), f"{part}: {key}") for key in reasons}
    if obstruction == "objective_conflict":
        return _known(value, 1, MAX_SENTENCES, sentences, part)
    if obstruction == "false_premise":
        return _known(value, 1, MAX_DOCUMENTS, documents, part)
    if obstruction == "counterevidence_trap":
        return _known(value, 2, 2, documents, part)
    items = tuple(fact.item for fact in case.packet.facts() if isinstance(fact, Member))
    if obstruction == "impossible_exhaustiveness":
        return _known(value, 1, 1, (*items, *sentences), part)
    require(case.question.kind == "list", f"{part}: none for a question of this kind")
    return _known(value, 1, 1, items, part)


def _known(value: Any, least: int, most: int, known: tuple[str, ...], part: str) -> tuple[str, ...]:
    named = identifiers(value, least, most, part)
    require(set(named) <= set(known), f"{part}: not in the packet")
    return named


def _standing(case: _Case, meaning: Mapping[str, Any], part: str) -> str:
    sentence = chosen(meaning["sentence"], case.proved.sentence_ids, f"{part}: sentence")
    claimed = _truth(meaning["in_force"], f"{part}: in_force")
    return ALLOWED if claimed == _stands(case.packet, sentence) else FALSE


def _stands(packet: Packet, sentence: str) -> bool:
    deciding = packet.decided.get(sentence)
    return deciding is None or (isinstance(deciding.fact, Notice) and deciding.fact.kind == "reinstates")


def _cites(case: _Case, meaning: Mapping[str, Any], part: str) -> str:
    name = chosen(meaning["document"], case.proved.document_ids, f"{part}: document")
    document = next(one for one in case.packet.documents if one.id == name)
    stating = {at.sentence for at in document.placed() if not isinstance(at.fact, Notice)}
    out = bool(stating) and not any(_stands(case.packet, sentence) for sentence in stating)
    return UNSUPPORTED if out else ALLOWED


def _bound(case: _Case, meaning: Mapping[str, Any], part: str) -> str:
    require(case.question.kind == "number", f"{part}: only for a number")
    op = chosen(meaning["op"], (">=", "<="), f"{part}: op")
    value = rational(meaning["value"], f"{part}: value")
    if case.proved.room == 0:
        return UNSUPPORTED
    low, high, exact = case.proved.ends
    near, far = (low, high) if op == ">=" else (_opposite(high), _opposite(low))
    edge = value if op == ">=" else Ratio(-value.numerator, value.denominator)
    if near is not None and compare(near, edge) >= 0:
        return ALLOWED
    beyond = 1 if far is None else compare(far, edge)
    require(beyond < 0 or (exact and beyond > 0), f"{part}: value: the proof does not decide it")
    return FALSE if beyond < 0 else UNSUPPORTED


def _opposite(value: Ratio | None) -> Ratio | None:
    return None if value is None else Ratio(-value.numerator, value.denominator)


def _premise(case: _Case, _: Mapping[str, Any], __: str) -> str:
    return FALSE if case.proved.main == "refutation" else ALLOWED


def _hedge(_: _Case, meaning: Mapping[str, Any], part: str) -> str:
    place = meaning["place"]
    require(type(place) is int and 0 <= place <= MAX_PLACE, f"{part}: place: must be an integer from 0 to {MAX_PLACE}")
    return ALLOWED


def _truth(value: Any, part: str) -> bool:
    if value is True or value is False:
        return bool(value)
    raise CertificateError(f"{part}: must be true or false")


_KINDS: dict[str, tuple[tuple[str, ...], Callable[[_Case, Mapping[str, Any], str], str]]] = {
    "answer": (("value",), _answer),
    "settled": (("holds",), _settled),
    "ground": (("obstruction", "witness"), _ground),
    "standing": (("sentence", "in_force"), _standing),
    "cites": (("document",), _cites),
    "bound": (("op", "value"), _bound),
    "premise": ((), _premise),
    "hedge": (("place",), _hedge),
}
"""Fields of a meaning, beside its kind, and how it is marked."""
KINDS = tuple(_KINDS)
