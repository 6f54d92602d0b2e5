"""What a shallow reader can see in a prompt: tokens with names put into roles, and figures of counts and relations.

Everything here reads the prompt string and nothing else of a task. A prompt without documents is one part of text; it
has figures about its numbers and none about relations.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

_HEADING = re.compile(r"^(D\d+) \| (.*) \| (\d{4}-\d\d-\d\d)$")
_PARAGRAPH = re.compile(r"^\[(D\d+\.\d+)\] (.*)$")
_REFERENCE = re.compile(r"\bD\d+(?:\.\d+)?\b")
_TOKEN = re.compile(r"D\d+(?:\.\d+)?\b|[A-Za-z]+-\d+|[^\W\d_]+(?:['-][^\W\d_]+)*|\d+(?:[.,/:]\d+)*|[^\w\s]")
_NUMBER = re.compile(r"(?<![\w.-])\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w-]|\.\d)")
_NAME = re.compile(r"[A-Z]+-\d+|[A-Z][a-z]+(?:-[A-Z][a-z]+)*")
_SENTENCE_END = re.compile(r"(?<=[.?!])\s+")
_FIRST_STOP = re.compile(r"[,.;:]\s+")
_FLAG = re.compile(
    r"under review|not (?:yet )?(?:been )?(?:reported|settled|stated|given|decided|known)|withdrawn|pending|queried"
    r"|still to be|subject to revision|provisional|unsettled|unclear|disputed|to follow|unknown|awaits|awaiting"
)
_RESTORES = re.compile(r"reinstat|restor|back in force|stands? again|after all", re.IGNORECASE)
_CORRECTS = re.compile(r"correct|amend|replac|revis|should read|restat", re.IGNORECASE)
_BOUND = re.compile(
    r"at (?:least|most)|no (?:less|more|fewer) than|up to|or (?:more|less)|below|above|exceed|under|over"
)
_COMMON = frozenset(
    {
        "a",
        "all",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "by",
        "do",
        "does",
        "each",
        "every",
        "for",
        "from",
        "give",
    }
    | {"has", "have", "in", "is", "it", "its", "list", "more", "name", "no", "not", "of", "on", "one", "only", "or"}
    | {"nearest", "state", "than", "that", "the", "their", "there", "these", "this", "those", "to", "was", "were"}
    | {"what", "when", "which", "who", "with"}
)
ASKED = 3
"""How many of the names in the question are followed through the documents."""


class Paragraph(NamedTuple):
    """One paragraph of a document."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Document:
    """A document as it is printed."""

    id: str
    title: str
    day: int
    """Its date, as a day number."""
    paragraphs: tuple[Paragraph, ...]

    @property
    def text(self) -> str:
        """Title and paragraphs, without ids and date."""
        return "\n".join([self.title, *(one.text for one in self.paragraphs)])


@dataclass(frozen=True, slots=True)
class Reading:
    """A prompt cut into its parts."""

    opening: str
    documents: tuple[Document, ...]
    question: str
    """Empty where the prompt has no part of that name."""
    rest: str

    @property
    def parts(self) -> list[str]:
        """Question, opening, rest, then each document by printed position."""
        return [self.question, self.opening, self.rest, *(one.text for one in self.documents)]


def read_prompt(prompt: str) -> Reading:
    """The parts of a prompt; one in another layout is all opening."""
    blocks = prompt.split("\n\n")
    if "Documents" not in blocks:
        return Reading(prompt, (), "", "")
    start = blocks.index("Documents")
    place = start + 1
    documents = []
    while place < len(blocks) and (heading := _HEADING.match(blocks[place].partition("\n")[0])):
        lines = blocks[place].split("\n")[1:]
        found = [match for line in lines if (match := _PARAGRAPH.match(line))]
        day = date.fromisoformat(heading[3]).toordinal()
        paragraphs = tuple(Paragraph(match[1], match[2]) for match in found)
        documents.append(Document(heading[1], heading[2], day, paragraphs))
        place += 1
    question = ""
    if place < len(blocks) and blocks[place].startswith("Question\n"):
        question = blocks[place].partition("\n")[2]
        place += 1
    return Reading("\n\n".join(blocks[:start]), tuple(documents), question, "\n\n".join(blocks[place:]))


# Names and roles


class Asking(NamedTuple):
    """What a question is about, as far as capitals and stops show."""

    core: str
    """The asking sentence, without what it takes for granted ahead of its first stop."""
    names: list[str]
    """Names in the core that the documents know, in order."""
    granted: list[str]
    """Other such names ahead of the core."""


def asking(reading: Reading) -> Asking:
    """Take a question apart: `Given that A exceeds B, what is C? A reply is due.` asks about C."""
    sheet = "\n".join(one.text for one in reading.documents)
    common = {word.lower() for word in re.findall(r"[a-z][a-z-]+", sheet)}
    known = {name for name in _NAME.findall(sheet) if name.lower() not in common}

    def named(text: str) -> list[str]:
        return [name for name in dict.fromkeys(_NAME.findall(text)) if name in known]

    stop = _FIRST_STOP.search(reading.question)
    ahead, rest = (reading.question[: stop.start()], reading.question[stop.end() :]) if stop else ("", "")
    core = _SENTENCE_END.split(rest)[0]
    if not named(core):
        return Asking(reading.question, named(reading.question), [])
    names = named(core)
    return Asking(core, names, [name for name in named(ahead) if name not in names])


@lru_cache(maxsize=256)
def tokens(text: str) -> list[str]:
    """Words, numbers, ids and marks, in lower case. The list is shared: leave it as it is."""
    return [token.lower() for token in _TOKEN.findall(text)]


def role_tokens(reading: Reading) -> list[list[str]]:
    """The tokens of each part with names, ids and numbers put into roles, so that what is said of whom can be counted.

    `<asked1>` is the first name that is asked about, `<granted>` one of the premise; `<doc+>` and `<par+>` are
    references to what names the first; `<even+>` and `<odd+>` are numbers in the paragraphs nearest to the question.
    """
    asked = asking(reading)
    roles = dict.fromkeys(asked.granted, "<granted>")
    roles |= {name: f"<asked{min(place, ASKED)}>" for place, name in enumerate(asked.names, 1)}
    about = _about(reading, asked.names[0] if asked.names else None)
    overlaps = list(_overlaps(reading, asked.core))
    best = max((one[0] for one in overlaps), default=0)
    near = {item.text for shared, _, item in overlaps if shared == best}
    return [
        tokens(part)
        if part == reading.rest
        else [
            _role(token, roles, about, "+" if line in near else "")
            for line in part.split("\n")
            for token in _TOKEN.findall(line)
        ]
        for part in reading.parts
    ]


def _about(reading: Reading, name: str | None) -> set[str]:
    """Ids of documents and paragraphs that name it."""
    if name is None:
        return set()
    found = {one.id for one in reading.documents if name in one.text}
    return found | {item.id for one in reading.documents for item in one.paragraphs if name in item.text}


def _role(token: str, roles: Mapping[str, str], about: set[str], near: str) -> str:
    if token in roles:
        return roles[token]
    if token[0].isdigit():
        return f"<even{near}>" if token[-1] in "02468" else f"<odd{near}>"
    if _REFERENCE.fullmatch(token):
        return f"<{'par' if '.' in token else 'doc'}{'+' if token in about else '-'}>"
    if token[-1].isdigit():
        return "<item>"
    return token.lower()


# Figures


def plain_figures(reading: Reading) -> dict[str, float]:
    """Lengths and numbers by name; those that a prompt does not have are absent.

    The reading rules and the reply format do not count: they are the same in all prompts of a question kind.
    """
    body = "\n".join([reading.opening, *(one.text for one in reading.documents), reading.question])
    words = tokens(body)
    found = {
        "characters": float(len(body)),
        "tokens": float(len(words)),
        "distinct tokens": float(len(set(words))),
        "documents": float(len(reading.documents)),
        "paragraphs": float(sum(len(one.paragraphs) for one in reading.documents)),
    }
    return found | _number_figures(_NUMBER.findall(body))


def relations(reading: Reading) -> dict[str, float]:
    """What stands where and is about whom, by name; empty for a prompt without documents."""
    found: dict[str, float] = {}
    if reading.documents:
        view = _View.of(reading)
        for group in (_sizes, _asked, _notices, _dates, _flags, _nearness):
            found |= group(view)
    return found


def _number_figures(printed: Sequence[str]) -> dict[str, float]:
    found = {"numbers": float(len(printed))}
    if not printed:
        return found
    last = [int(_mantissa(text)[-1]) for text in printed]
    for digit in range(10):
        found[f"numbers ending in {digit}"] = float(last.count(digit))
    found["numbers with an even last digit"] = float(sum(digit % 2 == 0 for digit in last))
    for place in range(1, min(6, len(printed)) + 1):
        for name, index in ((f"number {place}", place - 1), (f"number {place} from the end", -place)):
            found[f"even last digit of {name}"] = float(last[index] % 2 == 0)
    places = [len(_mantissa(text).partition(".")[2]) for text in printed]
    found |= {"digits after the point": sum(places) / len(places), "whole numbers": float(places.count(0))}
    return found | _magnitudes([_value(text) for text in printed])


def _value(text: str) -> float:
    """The number, large ones cut down so that differences and variances stay finite."""
    return min(float(text), 1e30)


def _mantissa(text: str) -> str:
    return text.lower().partition("e")[0]


def _magnitudes(values: Sequence[float]) -> dict[str, float]:
    logs = [math.log10(value) if value > 0 else -20.0 for value in values]
    ordered = sorted(set(values))
    gaps = sorted(math.log10(after - before) for before, after in pairwise(ordered) if after > before)
    rising = sum(after > before for before, after in pairwise(values))
    return {
        "least magnitude": min(logs),
        "greatest magnitude": max(logs),
        "mean magnitude": sum(logs) / len(logs),
        "magnitude of the first number": logs[0],
        "magnitude of the last number": logs[-1],
        "last number less first": values[-1] - values[0],
        "numbers that occur again": float(len(values) - len(ordered)),
        "sortedness": rising / max(1, len(values) - 1),
        "least gap": gaps[0] if gaps else -20.0,
        "middle gap": gaps[len(gaps) // 2] if gaps else -20.0,
        "greatest gap": gaps[-1] if gaps else -20.0,
    }


class _Reference(NamedTuple):
    """A paragraph's mention of a document or paragraph."""

    source: int
    text: str
    target: int
    paragraph: str | None


@dataclass(frozen=True, slots=True)
class _View:
    """A packet prompt with what several groups of figures need."""

    reading: Reading
    names: list[str]
    granted: list[str]
    references: list[_Reference]
    nearest: int
    """Position of the document whose paragraph shares most words with the question."""
    overlaps: list[tuple[float, int, Paragraph]]
    """Per paragraph: shared share of the question's words, document position, itself; best first."""

    @classmethod
    def of(cls, reading: Reading) -> "_View":
        positions = {one.id: place for place, one in enumerate(reading.documents)}
        asked = asking(reading)
        overlaps = sorted(_overlaps(reading, asked.core), key=lambda one: (-one[0], one[1]))
        nearest = overlaps[0][1] if overlaps else 0
        references = list(_references(reading, positions))
        return cls(reading, asked.names, asked.granted, references, nearest, overlaps)

    @property
    def documents(self) -> tuple[Document, ...]:
        return self.reading.documents

    @property
    def paragraphs(self) -> list[tuple[int, Paragraph]]:
        return [(place, item) for place, one in enumerate(self.documents) for item in one.paragraphs]

    def name(self, place: int) -> str:
        """The asked name at a place, or one that occurs nowhere."""
        return self.names[place] if place < len(self.names) else "\0"


def _references(reading: Reading, positions: Mapping[str, int]) -> Iterator[_Reference]:
    for place, one in enumerate(reading.documents):
        for item in one.paragraphs:
            for name in dict.fromkeys(_REFERENCE.findall(item.text)):
                target = positions.get(name.partition(".")[0])
                if target is not None and target != place:
                    yield _Reference(place, item.text, target, name if "." in name else None)


def _overlaps(reading: Reading, core: str) -> Iterator[tuple[float, int, Paragraph]]:
    wanted = {word for word in tokens(core) if word[0].isalpha()} - _COMMON
    for place, one in enumerate(reading.documents):
        for item in one.paragraphs:
            yield len(wanted & set(tokens(item.text))) / max(1, len(wanted)), place, item


def _sizes(view: _View) -> dict[str, float]:
    sizes = [len(one.paragraphs) for one in view.documents]
    found = {
        "most paragraphs in a document": float(max(sizes)),
        "documents of one paragraph": float(sizes.count(1)),
        "characters of the question": float(len(view.reading.question)),
    }
    items = Counter(name for _, item in view.paragraphs for name in _NAME.findall(item.text) if name[-1].isdigit())
    return found | {"items named": float(len(items)), "items named again": float(sum(items.values()) - len(items))}


def _asked(view: _View) -> dict[str, float]:
    found = {"asked names": float(len(view.names))}
    for place, name in enumerate(view.granted[:2], 1):
        found[f"granted name {place}: times named"] = float(sum(one.text.count(name) for one in view.documents))
        found[f"granted name {place}: paragraphs"] = float(sum(name in item.text for _, item in view.paragraphs))
    for place in range(ASKED):
        name, who = view.name(place), f"asked name {place + 1}"
        inside = [index for index, one in enumerate(view.documents) if name in one.text]
        found |= {
            f"{who}: times named": float(sum(one.text.count(name) for one in view.documents)),
            f"{who}: times in the question": float(view.reading.question.count(name)),
            f"{who}: documents": float(len(inside)),
            f"{who}: titles": float(sum(name in one.title for one in view.documents)),
            f"{who}: first document": inside[0] if inside else -1.0,
            f"{who}: last document": inside[-1] if inside else -1.0,
            f"{who}: paragraphs with a bound": float(
                sum(name in item.text and bool(_BOUND.search(item.text)) for _, item in view.paragraphs)
            ),
        }
    first, second = view.name(0), view.name(1)
    found["asked names 1 and 2 in one paragraph"] = float(
        sum(first in item.text and second in item.text for _, item in view.paragraphs)
    )
    found["asked name 1 ahead of asked name 2"] = float(
        sum(0 <= item.text.find(first) < item.text.find(second) for _, item in view.paragraphs)
    )
    return found


def _notices(view: _View) -> dict[str, float]:
    name, references = view.name(0), view.references
    about = _about(view.reading, name)
    targets = [one.paragraph or view.documents[one.target].id for one in references]
    depth = _depths(len(view.documents), references)
    newest = max(references, key=lambda one: view.documents[one.source].day, default=None)
    return {
        "notices": float(len(references)),
        "documents with a notice": float(len({one.source for one in references})),
        "documents under a notice": float(len({one.target for one in references})),
        "notices of a paragraph": float(sum(one.paragraph is not None for one in references)),
        "notices that restore": float(sum(bool(_RESTORES.search(one.text)) for one in references)),
        "notices that correct": float(sum(bool(_CORRECTS.search(one.text)) for one in references)),
        "notices that name the asked one": float(sum(name in one.text for one in references)),
        "notices in documents that name the asked one": float(
            sum(view.documents[one.source].id in about for one in references)
        ),
        "notices on what names the asked one": float(sum(target in about for target in targets)),
        "notices on what does not": float(sum(target not in about for target in targets)),
        "notices on the nearest document": float(sum(one.target == view.nearest for one in references)),
        "notices on the nearest paragraph": float(
            bool(view.overlaps) and sum(one.paragraph == view.overlaps[0][2].id for one in references)
        ),
        "notices on notices": float(sum(bool(depth[one.target]) for one in references)),
        "longest chain of notices": float(max(depth.values(), default=0)),
        "chain of notices on the nearest document": float(_chain_above(view.nearest, references)),
        "chain on the nearest document is even": float(_chain_above(view.nearest, references) % 2 == 0),
        "newest notice is on the nearest document": float(newest is not None and newest.target == view.nearest),
        "newest notice is on what names the asked one": float(
            newest is not None and (newest.paragraph or view.documents[newest.target].id) in about
        ),
    }


def _depths(count: int, references: Sequence[_Reference]) -> dict[int, int]:
    """How many notices follow on each other below each document; bounded, should they run in circles."""
    depth = dict.fromkeys(range(count), 0)
    for _ in range(count):
        for one in references:
            depth[one.source] = min(count, max(depth[one.source], 1 + depth[one.target]))
    return depth


def _chain_above(place: int, references: Sequence[_Reference]) -> int:
    seen: set[int] = set()
    level, length = {place}, 0
    while level := {one.source for one in references if one.target in level} - seen:
        seen |= level
        length += 1
    return length


def _dates(view: _View) -> dict[str, float]:
    days = [one.day for one in view.documents]
    order = sorted(range(len(days)), key=lambda place: (days[place], place))
    rank = {place: number for number, place in enumerate(order)}
    named = [rank[place] for place, one in enumerate(view.documents) if view.name(0) in one.text]
    lags = [days[one.source] - days[one.target] for one in view.references]
    return {
        "days from first to last": float(max(days) - min(days)),
        "documents of one date": float(len(days) - len(set(days))),
        "sortedness of dates": sum(after > before for before, after in pairwise(days)) / max(1, len(days) - 1),
        "position of the newest document": float(order[-1]),
        "position of the oldest document": float(order[0]),
        "age rank of the nearest document": float(rank[view.nearest]),
        "age rank of the oldest that names the asked one": float(min(named, default=-1)),
        "age rank of the newest that names the asked one": float(max(named, default=-1)),
        "least days from document to notice": float(min(lags, default=-1)),
        "most days from document to notice": float(max(lags, default=-1)),
        "notices printed ahead of their target": float(sum(one.source < one.target for one in view.references)),
    }


def _flags(view: _View) -> dict[str, float]:
    flagged = [(place, item.text) for place, item in view.paragraphs if _FLAG.search(item.text)]
    found = {"flagged paragraphs": float(len(flagged))}
    found["flags"] = float(sum(len(_FLAG.findall(text)) for _, text in flagged))
    for place in range(ASKED):
        name = view.name(place)
        who = f"asked name {place + 1}"
        found[f"{who}: flagged paragraphs"] = float(sum(name in text for _, text in flagged))
        found[f"{who}: documents with a flag"] = float(
            len({index for index, _ in flagged if name in view.documents[index].text})
        )
    found["flags in the nearest document"] = float(sum(place == view.nearest for place, _ in flagged))
    found["flagged paragraphs that name an item"] = float(
        sum(bool(re.search(r"[A-Z]-\d", text)) for _, text in flagged)
    )
    return found


def _nearness(view: _View) -> dict[str, float]:
    if not view.overlaps:
        return {}
    best = view.overlaps[0][0]
    found = {
        "words shared by the nearest paragraph": best,
        "words shared by the next": view.overlaps[1][0] if len(view.overlaps) > 1 else 0.0,
        "paragraphs as near": float(sum(one[0] == best for one in view.overlaps)),
        "position of the nearest document": float(view.nearest),
    }
    asked = [_value(text) for text in _NUMBER.findall(view.reading.question)]
    stated = [_value(text) for text in _NUMBER.findall(view.overlaps[0][2].text)]
    everywhere = [_value(text) for _, item in view.paragraphs for text in _NUMBER.findall(item.text)]
    if stated and everywhere:
        found["rank of the nearest figure"] = sum(value < stated[0] for value in everywhere) / len(everywhere)
        found["nearest figure beyond the half"] = float(stated[0] % 1 >= 0.5)
    if asked and everywhere:
        found["figures above that of the question"] = sum(value > asked[-1] for value in everywhere) / len(everywhere)
        found["least distance to the question's figure"] = min(abs(value - asked[-1]) for value in everywhere)
    if asked and stated:
        found["nearest figure less the question's"] = stated[0] - asked[-1]
    return found
