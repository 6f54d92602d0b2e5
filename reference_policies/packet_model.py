"""A packet as a reader has it: documents, sentences, what each sentence states, and the question. Names are text.

Nothing here reads text or solves. Names are the lower-cased noun phrases of the prompt; ids are as printed.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Generic, NamedTuple, TypeVar

from impossible_rubrics_env.exact import Rational


class Quantity(NamedTuple):
    """The measure of a subject over a period."""

    subject: str
    period: str
    measure: str

    @property
    def name(self) -> str:
        """One text for the three."""
        return "|".join(self)


NOTHING = Quantity("", "", "")


@dataclass(frozen=True, slots=True)
class Linear:
    """`terms op rhs`."""

    terms: Mapping[Quantity, Rational]
    op: str
    rhs: Rational
    requirement: bool = False

    @property
    def single(self) -> Quantity | None:
        """The one quantity that it is about, if there is one."""
        return next(iter(self.terms)) if len(self.terms) == 1 else None


@dataclass(frozen=True, slots=True)
class Entry:
    """A register's entry; a place or grade of None is one that the entry does not give."""

    item: str
    register: str
    place: str | None
    grade: str | None
    amount: Rational


@dataclass(frozen=True, slots=True)
class Booked:
    """Where an item belongs, stated apart from its entry."""

    item: str
    place: str


@dataclass(frozen=True, slots=True)
class Graded:
    """An item's grade, stated apart from its entry."""

    item: str
    grade: str


@dataclass(frozen=True, slots=True)
class Part:
    """A subject of a group, or a place that belongs to a subject."""

    narrower: str
    wider: str


@dataclass(frozen=True, slots=True)
class Scale:
    """All grades from the lowest to the highest, or all subjects."""

    attribute: str
    """`grade` or `line`."""
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Complete:
    """The register holds every item of these subjects."""

    register: str
    subjects: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Count:
    """How many entries a register holds."""

    register: str
    op: str
    number: int


@dataclass(frozen=True, slots=True)
class Tally:
    """Whose totals a register gives: this measure over this period, of every subject."""

    register: str
    period: str
    measure: str


@dataclass(frozen=True, slots=True)
class Notice:
    """`retracts`, `corrects` or `reinstates` a document, or sentences of it."""

    kind: str
    document: str
    sentences: tuple[str, ...]
    """Empty: the whole document."""


Stated = Linear | Entry | Booked | Graded | Part | Scale | Complete | Count | Tally | Notice


@dataclass(frozen=True, slots=True)
class Sentence:
    """One numbered paragraph."""

    id: str
    text: str
    states: tuple[Stated, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """A dated document."""

    id: str
    title: str
    date: str
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and what the question takes for granted."""

    kind: str
    """`number`, `yes_no`, `list`, `document` or `plan`."""
    quantity: Quantity = NOTHING
    """Asked about, or first named; for a list its subject and period; NOTHING for a plan."""
    other: Quantity = NOTHING
    """What a yes_no question compares with."""
    op: str = ">"
    """Of a yes_no question, or of the claim of a document question."""
    figure: Rational = None
    """The resolution of a number, or the figure of a claim."""
    grade: str | None = None
    """The lowest grade that a list asks for."""
    plan: Mapping[str, Quantity] = field(default_factory=dict)
    """The quantities that a plan must give, by the key that a reply uses."""
    premise: tuple[Quantity, Quantity] | None = None
    """The first is taken to exceed the second."""


T = TypeVar("T", bound=Stated)


class Placed(NamedTuple, Generic[T]):
    """Something stated, and where."""

    document: Document
    sentence: Sentence
    states: T


@dataclass(frozen=True)
class Packet:
    """Documents in the order that they are printed, and the question."""

    documents: tuple[Document, ...]
    question: Question

    def placed(self, kind: type[T]) -> Iterator[Placed[T]]:
        """All statements of a kind, in force or not."""
        for document in self.documents:
            for sentence in document.sentences:
                for states in sentence.states:
                    if isinstance(states, kind):
                        yield Placed(document, sentence, states)

    def in_force(self, kind: type[T]) -> list[Placed[T]]:
        """The statements of a kind that are made by sentences in force."""
        return [one for one in self.placed(kind) if _stands(one.sentence.id, self.decided)]

    @cached_property
    def wider(self) -> dict[str, str]:
        """By the name of a part: the group, or the subject, that it belongs to."""
        return {one.states.narrower: one.states.wider for one in self.in_force(Part)}

    @cached_property
    def newest_first(self) -> list[Document]:
        """By date; of one date, the longer and then the higher id is the newer."""
        return sorted(self.documents, key=lambda one: (one.date, len(one.id), one.id), reverse=True)

    @cached_property
    def decided(self) -> dict[str, tuple[str, Notice]]:
        """By sentence id: the document of the notice that decides on it, and the notice, where one in force does."""
        sentences = {one.id: [sentence.id for sentence in one.sentences] for one in self.documents}
        decided: dict[str, tuple[str, Notice]] = {}
        for document in self.newest_first:
            for sentence in document.sentences:
                for notice in sentence.states:
                    if isinstance(notice, Notice) and _stands(sentence.id, decided):
                        for name in notice.sentences or sentences.get(notice.document, ()):
                            decided.setdefault(name, (document.id, notice))
        return decided


def _stands(sentence: str, decided: Mapping[str, tuple[str, Notice]]) -> bool:
    return sentence not in decided or decided[sentence][1].kind == "reinstates"
