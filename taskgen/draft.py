"""A packet before it has words: documents in draft, what is in force in them, and their JSON.

Blocks make drafts; a family puts them together; the wording renders each statement. Ids are given here: documents
`D1`, `D2` ... in the order they are printed, sentences `D1.1`, facts `D1.1.a`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from impossible_rubrics_env.taskgen.statements import Fact, Quantity, Statement

NOTICES = ("retracts", "corrects", "reinstates")


@dataclass(frozen=True, slots=True)
class DraftSentence:
    """A statement with the key by which notices refer to it."""

    key: str
    statement: Statement


@dataclass(frozen=True, slots=True)
class DraftDocument:
    """Sentences of one document."""

    key: str
    """Unique in the packet; becomes an id like `D3`."""
    genre: str
    """What kind of document reads so: `record`, `study`, `plan`, `register`, `reference`, `notice`, `minutes`."""
    sentences: tuple[DraftSentence, ...]
    rank: int = 0
    """Documents of a higher rank are later; those of one rank come in any order."""


def document(key: str, genre: str, statements: Sequence[Statement], rank: int = 0) -> DraftDocument:
    """A document whose sentences have the keys `key.1`, `key.2` ..."""
    sentences = tuple(DraftSentence(f"{key}.{place}", one) for place, one in enumerate(statements, 1))
    return DraftDocument(key, genre, sentences, rank)


def statements_of(documents: Iterable[DraftDocument]) -> list[Statement]:
    """All statements of these documents, in order."""
    return [sentence.statement for one in documents for sentence in one.sentences]


def changed(documents: Iterable[DraftDocument], others: Iterable[DraftDocument]) -> tuple[Statement, ...]:
    """The statements for which the other documents have something else in the same place."""
    pairs = zip(statements_of(documents), statements_of(others), strict=True)
    return tuple(one for one, other in pairs if one != other)


@dataclass(frozen=True, slots=True)
class DraftQuestion:
    """What is asked, formally and as words."""

    kind: str
    """`number`, `yes_no`, `list`, `document` or `plan`."""
    target: Any
    """As in docs/format.md."""
    words: Mapping[str, Any]
    """number: quantity, resolution (Figure); yes_no: quantity, other (Quantity), above (bool: is `quantity` > `other`
    is asked, or <); list: quantity (its subject and period), grade (Name: the lowest that qualifies); document:
    quantity, op, figure (the claim); plan: quantities."""
    resolution: str | None = None
    presupposes: tuple[Fact, ...] = ()
    premise: tuple[Quantity, Quantity] | None = None
    """The question takes for granted that the first exceeds the second."""


@dataclass(frozen=True, slots=True)
class Block:
    """The part of a packet that bears on the question."""

    documents: tuple[DraftDocument, ...]
    question: DraftQuestion
    answer: Any
    """Where settled, the right value as a reply gives it (text of a number, YES/NO, list of item keys, document key,
    None for a plan); None where open."""
    margin: tuple[str, str] | None
    """The dial as exact text: the margin by which the block is open or settled, and the unit it is measured in."""
    hops: int
    """How many facts must be combined; the dial where there is no margin."""
    decisive: str | None = None
    """Key of the document that settles the block as long as it is in force, where one was asked for."""
    correction: tuple[Statement, ...] = ()
    """What a correction of the decisive document states instead, where only that opens the block (a plan)."""
    idle: tuple[Statement, ...] = ()
    """What other documents may state: of the kind that the decisive one would, of something on which nothing turns."""
    withdrawn: tuple[Statement, ...] = ()
    """What documents may state that are out of force whatever else is."""
    edited: tuple[Statement, ...] = ()
    """Statements that an open block has otherwise than a settled one: of them, those of this block."""


class Placed(NamedTuple):
    """A fact of a draft with its ids."""

    document: str
    sentence: str
    fact: Mapping[str, Any]


@dataclass(frozen=True)
class DraftPacket:
    """Documents in the order they are printed, with their dates and ids."""

    documents: tuple[DraftDocument, ...]
    dates: tuple[str, ...]

    @cached_property
    def document_ids(self) -> dict[str, str]:
        """Id by document key."""
        return {one.key: f"D{place}" for place, one in enumerate(self.documents, 1)}

    @cached_property
    def sentence_ids(self) -> dict[str, str]:
        """Id by sentence key."""
        return {
            sentence.key: f"D{place}.{number}"
            for place, one in enumerate(self.documents, 1)
            for number, sentence in enumerate(one.sentences, 1)
        }

    @cached_property
    def _placed(self) -> list[Placed]:
        documents, sentences = self.document_ids, self.sentence_ids
        found = []
        for one in self.documents:
            for sentence in one.sentences:
                key = sentences[sentence.key]
                for letter, fact in zip("abcdefgh", sentence.statement.facts, strict=False):
                    data = {"id": f"{key}.{letter}", **fact}
                    if fact["kind"] in NOTICES:
                        scope = fact["scope"]
                        data["target"] = documents[fact["target"]]
                        data["scope"] = None if scope is None else [sentences[name] for name in scope]
                    found.append(Placed(documents[one.key], key, data))
        return found

    @cached_property
    def _notices(self) -> list[Placed]:
        """Every notice, the newest first."""
        age = {f"D{place}": (date, len(f"D{place}"), f"D{place}") for place, date in enumerate(self.dates, 1)}
        notices = [one for one in self._placed if one.fact["kind"] in NOTICES]
        return sorted(notices, key=lambda one: age[one.document], reverse=True)

    @cached_property
    def _sentences_of(self) -> dict[str, list[str]]:
        """By document id: the ids of its sentences."""
        return {f"D{place}": [name for name, _ in _numbered(place, one)] for place, one in enumerate(self.documents, 1)}

    @cached_property
    def _in_force(self) -> list[Placed]:
        decided = self.decided()
        return [one for one in self._placed if _stands(one.sentence, decided)]

    def placed(self, without: str | None = None) -> list[Placed]:
        """Every fact, with ids in place of keys.

        `without` is the id of a document that is taken as never written, together with every notice about it.
        """
        if without is None:
            return self._placed
        return [
            one
            for one in self._placed
            if one.document != without and (one.fact["kind"] not in NOTICES or one.fact["target"] != without)
        ]

    def in_force(self, without: str | None = None) -> list[Placed]:
        """The facts in force: a sentence stands unless the newest notice in force on it puts it out."""
        if without is None:
            return self._in_force
        decided = self.decided(without)
        return [one for one in self.placed(without) if _stands(one.sentence, decided)]

    def decided(self, without: str | None = None) -> dict[str, Placed]:
        """By sentence id: the notice that decides on it, where one in force does."""
        decided: dict[str, Placed] = {}
        for one in self._notices:
            target = one.fact["target"]
            if without not in (one.document, target) and _stands(one.sentence, decided):
                for sentence in one.fact["scope"] or self._sentences_of[target]:
                    decided.setdefault(sentence, one)
        return decided

    def to_json(self, render: Callable[[DraftSentence], str], title: Callable[[DraftDocument], str]) -> dict[str, Any]:
        """The packet as task JSON carries it; `render` gives a sentence its text, `title` a document its heading."""
        facts: dict[str, list[Mapping[str, Any]]] = {}
        for one in self.placed():
            facts.setdefault(one.sentence, []).append(one.fact)
        return {
            "documents": [
                {
                    "id": f"D{place}",
                    "title": title(one),
                    "date": date,
                    "sentences": [
                        {"id": name, "text": render(sentence), "facts": facts.get(name, [])}
                        for name, sentence in _numbered(place, one)
                    ],
                }
                for place, (one, date) in enumerate(zip(self.documents, self.dates, strict=True), 1)
            ]
        }


def _numbered(place: int, one: DraftDocument) -> Iterator[tuple[str, DraftSentence]]:
    return ((f"D{place}.{number}", sentence) for number, sentence in enumerate(one.sentences, 1))


def _stands(sentence: str, decided: Mapping[str, Placed]) -> bool:
    return sentence not in decided or decided[sentence].fact["kind"] == "reinstates"
