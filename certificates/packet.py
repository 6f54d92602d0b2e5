"""The documents of a packet, what of them is in force, and what a proof about them is checked against.

In: the JSON of a packet, a question and a proof (docs/format.md). Out: frozen values. Refused, with a CertificateError
that names the part: whatever is malformed, or beyond the bounds below. Nothing here knows a family or solves anything.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple

from impossible_rubrics_env.certificates.facts import (
    Fact,
    Integer,
    Linear,
    Notice,
    fields,
    identifier,
    members,
    read_fact,
    require,
)
from impossible_rubrics_env.certificates.linear import MAX_VARIABLES, World, holds, read_world
from impossible_rubrics_env.certificates.questions import Question, read_question
from impossible_rubrics_env.errors import CertificateError

MAX_DOCUMENTS = 64
MAX_SENTENCES = 32
"""Sentences of one document."""
MAX_SENTENCE_FACTS = 8
MAX_FACTS = 256
"""Facts of the whole packet."""
MAX_TEXT_CHARS = 10_000
PRESUPPOSED = "presupposed"
"""The id under which a proof names the presupposition, so no fact may carry it."""
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)


class Placed(NamedTuple):
    """A fact with the ids of the document and the sentence that state it."""

    document: str
    sentence: str
    fact: Fact


@dataclass(frozen=True, slots=True)
class Document:
    """A document's sentences, by id, with their facts."""

    id: str
    date: str
    sentences: Mapping[str, tuple[Fact, ...]]

    def placed(self) -> Iterator[Placed]:
        """Every fact of the document."""
        return (Placed(self.id, sentence, fact) for sentence, facts in self.sentences.items() for fact in facts)


class Defeat(NamedTuple):
    """A document whose notice, in force, puts out of force what another document states."""

    notice: str
    document: str


@dataclass(frozen=True, slots=True)
class Packet:
    """The documents and what is in force."""

    documents: tuple[Document, ...]
    """Oldest first."""
    decided: Mapping[str, Placed]
    """The notice that decides on a sentence, for every sentence that one in force covers."""
    in_force: tuple[Placed, ...]
    numeric: tuple[Linear | Integer, ...]
    """The facts in force that a world must satisfy."""

    def linear_in_force(self) -> list[tuple[Placed, Linear]]:
        """The linear facts in force, each with its place."""
        return [(placed, placed.fact) for placed in self.in_force if isinstance(placed.fact, Linear)]

    def usable(self) -> dict[str, Linear]:
        """The linear facts in force by id."""
        return {fact.id: fact for fact in self.numeric if isinstance(fact, Linear)}

    def connected(self, variables: Iterable[str]) -> set[str]:
        """These variables and all that linear facts in force tie to them, directly or through others."""
        found = set(variables)
        apart = [fact for fact in self.numeric if isinstance(fact, Linear)]
        while touching := [fact for fact in apart if not found.isdisjoint(fact.terms)]:
            apart = [fact for fact in apart if found.isdisjoint(fact.terms)]
            found.update(x for fact in touching for x in fact.terms)
        return found

    def facts(self) -> Iterator[Fact]:
        """Every fact, in force or not."""
        return (fact for document in self.documents for facts in document.sentences.values() for fact in facts)

    def defeats(self) -> set[Defeat]:
        """Every pair such that a notice of the first defeats a sentence of the second that states more than notices."""
        return {
            Defeat(self.decided[sentence].document, document.id)
            for document in self.documents
            for sentence, facts in document.sentences.items()
            if not _stands(sentence, self.decided) and any(not isinstance(fact, Notice) for fact in facts)
        }

    def without(self, key: str) -> "Packet":
        """The packet in which this document was never written, nor any notice about it."""
        return _resolved(
            tuple(
                Document(each.id, each.date, {at: _not_about(key, facts) for at, facts in each.sentences.items()})
                for each in self.documents
                if each.id != key
            )
        )


@dataclass(frozen=True, slots=True)
class Case:
    """What a proof is checked against."""

    packet: Packet
    question: Question
    proof: Mapping[str, Any]
    variables: frozenset[str]

    def world(self, value: Any, part: str, met: Iterable[Linear] = (), dropped: Collection[str] = ()) -> World:
        """The world, once it satisfies every fact in force but the dropped ones, and every one of `met`."""
        world = read_world(value, self.variables, part)
        for fact in self.packet.numeric:
            if not holds(fact, world) and fact.id not in dropped:
                raise CertificateError(f"{part}: does not satisfy {fact.id}")
        for fact in met:
            require(holds(fact, world), f"{part}: does not satisfy the presupposition {fact.id}")
        return world


def read_packet(value: Any) -> Packet:
    """The packet with its facts in force."""
    listed = members(fields(value, ("documents",), "packet")["documents"], 1, MAX_DOCUMENTS, "packet: documents")
    documents = tuple(sorted((_document(member) for member in listed), key=_age))
    _require_distinct((document.id for document in documents), "documents")
    _require_distinct((sentence for document in documents for sentence in document.sentences), "sentences")
    packet = _resolved(documents)
    ids = [PRESUPPOSED, *(fact.id for fact in packet.facts())]
    require(len(ids) <= MAX_FACTS + 1, f"packet: more than {MAX_FACTS} facts")
    _require_distinct(ids, "facts")
    return packet


def make_case(packet: Packet, question: Question, proof: Any, kind: str, proof_fields: Collection[str]) -> Case:
    """The case, where the proof has this kind and exactly these other fields."""
    proof = fields(proof, ("kind", *proof_fields), "proof")
    require(proof["kind"] == kind, f"proof: kind: must be {kind}")
    return Case(packet, question, proof, variables(packet.facts(), question))


def read_case(task: Any, kind: str, proof_fields: Collection[str]) -> Case:
    """Packet, question and proof of a task's JSON; of a proof of kind "packet", its main part."""
    require(isinstance(task, Mapping), "task: must be an object")
    certificate = task.get("certificate")
    require(isinstance(certificate, Mapping), "certificate: must be an object")
    proof = certificate.get("proof")
    if isinstance(proof, Mapping) and proof.get("kind") == "packet":
        proof = proof.get("main")
    packet, question = read_packet(task.get("packet")), read_question(task.get("question"))
    return make_case(packet, question, proof, kind, proof_fields)


def variables(facts: Iterable[Fact], question: Question) -> frozenset[str]:
    """Every variable that a linear or integer fact or the question names: what a world gives numbers to."""
    found: set[str] = set()
    target = question.target
    if isinstance(target, (Linear, tuple)):
        found.update(target.terms if isinstance(target, Linear) else target)
    if question.quantity is not None:
        found.update(question.quantity.terms)
    for fact in (*facts, *question.presupposes):
        if isinstance(fact, Linear):
            found.update(fact.terms)
        elif isinstance(fact, Integer):
            found.add(fact.variable)
    require(len(found) <= MAX_VARIABLES, f"packet: more than {MAX_VARIABLES} variables")
    return frozenset(found)


def _document(value: Any) -> Document:
    document = fields(value, ("id", "title", "date", "sentences"), "packet: document")
    part = f"packet: {identifier(document['id'], 'packet: document id')}"
    _require_text(document["title"], f"{part}: title")
    day = document["date"]
    require(isinstance(day, str) and _DATE.fullmatch(day) is not None, f"{part}: date: must be YYYY-MM-DD")
    try:
        date.fromisoformat(day)
    except ValueError:
        raise CertificateError(f"{part}: date: no such day") from None
    sentences: dict[str, tuple[Fact, ...]] = {}
    for member in members(document["sentences"], 1, MAX_SENTENCES, f"{part}: sentences"):
        sentence = fields(member, ("id", "text", "facts"), f"{part}: sentence")
        key = identifier(sentence["id"], f"{part}: sentence id")
        require(key not in sentences, f"{part}: sentence {key} occurs twice")
        part_of = f"packet: {key}"
        _require_text(sentence["text"], f"{part_of}: text")
        facts = members(sentence["facts"], 0, MAX_SENTENCE_FACTS, f"{part_of}: facts")
        sentences[key] = tuple([read_fact(fact, part_of) for fact in facts])
    return Document(document["id"], day, sentences)


def _age(document: Document) -> tuple[str, int, str]:
    """Sorts the oldest first; on one day D2 comes before D10."""
    return document.date, len(document.id), document.id


def _resolved(documents: tuple[Document, ...]) -> Packet:
    decided = _decide(documents)
    in_force = tuple(
        Placed(document.id, sentence, fact)
        for document in documents
        for sentence, facts in document.sentences.items()
        if _stands(sentence, decided)
        for fact in facts
    )
    numeric = tuple(placed.fact for placed in in_force if isinstance(placed.fact, (Linear, Integer)))
    return Packet(documents, decided, in_force, numeric)


def _decide(documents: tuple[Document, ...]) -> dict[str, Placed]:
    """The deciding notice of every sentence that a notice in force covers, from the newest document down."""
    decided: dict[str, Placed] = {}
    older = {document.id: document for document in documents}
    for document in reversed(documents):
        del older[document.id]
        covered: set[str] = set()
        for sentence, facts in document.sentences.items():
            for fact in facts:
                if isinstance(fact, Notice):
                    named = _covered(fact, older)
                    require(covered.isdisjoint(named), f"packet: {document.id}: two notices cover one sentence")
                    covered.update(named)
                    if _stands(sentence, decided):
                        placed = Placed(document.id, sentence, fact)
                        decided.update((at, placed) for at in named if at not in decided)
    return decided


def _covered(notice: Notice, older: Mapping[str, Document]) -> tuple[str, ...]:
    require(notice.target in older, f"packet: {notice.id}: target: not an older document")
    sentences = older[notice.target].sentences
    require(all(x in sentences for x in notice.scope or ()), f"packet: {notice.id}: scope: not sentences of the target")
    return tuple(sentences) if notice.scope is None else notice.scope


def _stands(sentence: str, decided: Mapping[str, Placed]) -> bool:
    notice = decided[sentence].fact if sentence in decided else None
    return not isinstance(notice, Notice) or notice.kind == "reinstates"


def _not_about(document: str, facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    return tuple(fact for fact in facts if not (isinstance(fact, Notice) and fact.target == document))


def _require_distinct(ids: Iterable[str], part: str) -> None:
    listed = list(ids)
    require(len(set(listed)) == len(listed), f"packet: {part}: an id occurs twice or is reserved")


def _require_text(value: Any, part: str) -> None:
    if not (isinstance(value, str) and len(value) <= MAX_TEXT_CHARS):
        raise CertificateError(f"{part}: must be text")
