"""The formal world model: what the documents of a packet state, which of it is in force, what a world satisfies.

In: the JSON of a packet, a question, a world, or multipliers (docs/format.md). Out: frozen values in plain integers.
Refused, with a CertificateError that names the part: whatever is malformed, or beyond the bounds below, which keep
the time of every check bounded. Nothing here knows a family, solves anything, or rounds.
"""

import operator
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from math import gcd, lcm
from typing import Any, NamedTuple

from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.numerals import Ratio

MAX_DOCUMENTS = 32
MAX_SENTENCES = 32
"""Sentences of one document."""
MAX_SENTENCE_FACTS = 8
MAX_FACTS = 256
"""Facts of the whole packet."""
MAX_TERMS = 16
MAX_VARIABLES = 64
MAX_PRESUPPOSED = 16
MAX_TEXT_CHARS = 10_000
MAX_STATED_CHARS = 40
"""Longest rational in a packet or a question."""
MAX_PROOF_CHARS = 200
"""Longest rational in a proof."""
PRESUPPOSED = "presupposed"
"""The id under which a proof names the presupposition, so no fact may carry it."""
COMPARISONS: Mapping[str, Callable[[int, int], bool]] = {
    "<=": operator.le,
    "<": operator.lt,
    "=": operator.eq,
    ">=": operator.ge,
    ">": operator.gt,
}
NOTICES = ("retracts", "corrects", "reinstates")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,59}", re.ASCII)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_RATIONAL = re.compile(r"(-?(?:0|[1-9][0-9]*))(?:/([1-9][0-9]*))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Linear:
    """A comparison of a linear expression with a number, multiplied out to integers."""

    id: str
    terms: Mapping[str, int]
    op: str
    rhs: int
    scale: int
    """Positive: `terms` and `rhs` are the stated numbers times this."""
    requirement: bool = False


@dataclass(frozen=True, slots=True)
class Integer:
    """A variable that takes integers only."""

    id: str
    variable: str


@dataclass(frozen=True, slots=True)
class Notice:
    """A statement about the standing of an older document's sentences."""

    id: str
    kind: str
    target: str
    scope: tuple[str, ...] | None


Fact = Linear | Integer | Notice


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


@dataclass(frozen=True, slots=True)
class Packet:
    """The documents and what is in force."""

    documents: tuple[Document, ...]
    """Oldest first."""
    decided: Mapping[str, Placed]
    """The notice that decides on a sentence, for every sentence that one in force covers."""
    in_force: tuple[Placed, ...]

    def linear_in_force(self) -> list[tuple[Placed, Linear]]:
        """The linear facts in force, each with its place."""
        return [(placed, placed.fact) for placed in self.in_force if isinstance(placed.fact, Linear)]

    def facts(self) -> Iterator[Fact]:
        """Every fact, in force or not."""
        return (placed.fact for document in self.documents for placed in document.placed())


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked; a `number` target is a Linear of which only the expression counts."""

    kind: str
    target: Linear | tuple[str, ...]
    resolution: Ratio | None
    presupposes: tuple[Linear, ...]


class World(NamedTuple):
    """A number for every variable: `numbers[x] / denominator`."""

    numbers: Mapping[str, int]
    denominator: int


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
        for placed in self.packet.in_force:
            fact = placed.fact
            require(fact.id in dropped or holds(fact, world), f"{part}: does not satisfy {fact.id}")
        for fact in met:
            require(holds(fact, world), f"{part}: does not satisfy the presupposition {fact.id}")
        return world


def require(condition: bool, message: str) -> None:
    """Raise a CertificateError with the message where the condition does not hold."""
    if not condition:
        raise CertificateError(message)


def fields(value: Any, names: Collection[str], part: str) -> Mapping[str, Any]:
    """`value`, a mapping with exactly these keys."""
    good = isinstance(value, Mapping) and len(value) == len(names) and all(name in value for name in names)
    require(good, f"{part}: the fields must be {', '.join(names)}")
    mapping: Mapping[str, Any] = value
    return mapping


def members(value: Any, least: int, most: int, part: str) -> list[Any]:
    """`value` as a list of `least` to `most` members."""
    good = isinstance(value, (list, tuple)) and least <= len(value) <= most
    require(good, f"{part}: must be a list of {least} to {most} members")
    return list(value)


def identifier(value: Any, part: str) -> str:
    """`value`, an id or a variable: ASCII letters, digits, `_`, `.`, `-`."""
    require(isinstance(value, str) and _NAME.fullmatch(value) is not None, f"{part}: not a name")
    return str(value)


def identifiers(value: Any, least: int, most: int, part: str) -> tuple[str, ...]:
    """`value` as distinct names."""
    listed = tuple(identifier(member, part) for member in members(value, least, most, part))
    require(len(set(listed)) == len(listed), f"{part}: a name occurs twice")
    return listed


def rational(value: Any, part: str, longest: int = MAX_PROOF_CHARS) -> Ratio:
    """The number that `p` or `p/q`, in lowest terms, stands for."""
    match = _RATIONAL.fullmatch(value) if isinstance(value, str) and len(value) <= longest else None
    if match is None or match[0] == "-0":
        raise CertificateError(f"{part}: not a rational in text, of at most {longest} characters")
    ratio = Ratio(int(match[1]), int(match[2] or 1))
    require(gcd(*ratio) == 1 and match[2] != "1", f"{part}: not in lowest terms")
    return ratio


def read_packet(value: Any) -> Packet:
    """The packet with its facts in force."""
    listed = members(fields(value, ("documents",), "packet")["documents"], 1, MAX_DOCUMENTS, "packet: documents")
    documents = tuple(sorted((_document(member) for member in listed), key=_age))
    _require_distinct((document.id for document in documents), "documents")
    _require_distinct((sentence for document in documents for sentence in document.sentences), "sentences")
    placed = [placed for document in documents for placed in document.placed()]
    require(len(placed) <= MAX_FACTS, f"packet: more than {MAX_FACTS} facts")
    _require_distinct((PRESUPPOSED, *(each.fact.id for each in placed)), "facts")
    decided = _decide(documents)
    in_force = tuple(each for each in placed if _stands(each.sentence, decided))
    return Packet(documents, decided, in_force)


def read_question(value: Any) -> Question:
    """A `number`, `yes_no` or `plan` question."""
    question = fields(value, ("kind", "target", "resolution", "presupposes"), "question")
    kind, target, resolution = question["kind"], question["target"], None
    require(kind in ("number", "yes_no", "plan"), "question: kind: must be number, yes_no or plan")
    asked: Linear | tuple[str, ...]
    if kind == "number":
        resolution = rational(question["resolution"], "question: resolution", MAX_STATED_CHARS)
        require(resolution.numerator > 0, "question: resolution: must be positive")
        asked = _linear("target", {"terms": target, "op": "=", "rhs": "0"}, "question: target")
    else:
        require(question["resolution"] is None, "question: resolution: must be null")
        if kind == "plan":
            asked = identifiers(target, 1, MAX_VARIABLES, "question: target")
        else:
            asked = _linear("target", fields(target, ("terms", "op", "rhs"), "question: target"), "question: target")
    listed = members(question["presupposes"], 0, MAX_PRESUPPOSED, "question: presupposes")
    presupposes = [_fact(fact, "question: presupposes") for fact in listed]
    linear = tuple(fact for fact in presupposes if isinstance(fact, Linear))
    require(len(linear) == len(presupposes), "question: presupposes: must be linear facts")
    return Question(kind, asked, resolution, linear)


def read_case(value: Any, kind: str, proof_fields: Collection[str]) -> Case:
    """Packet, question and proof of a task's JSON; the proof has this kind and exactly these other fields."""
    require(isinstance(value, Mapping), "task: must be an object")
    certificate = value.get("certificate")
    require(isinstance(certificate, Mapping), "certificate: must be an object")
    proof = fields(certificate.get("proof"), ("kind", *proof_fields), "proof")
    require(proof["kind"] == kind, f"proof: kind: must be {kind}")
    packet, question = read_packet(value.get("packet")), read_question(value.get("question"))
    return Case(packet, question, proof, variables(packet.facts(), question))


def variables(facts: Iterable[Fact], question: Question) -> frozenset[str]:
    """Every variable that a linear or integer fact or the question names: what a world gives numbers to."""
    facts = list(facts)
    found = {fact.variable for fact in facts if isinstance(fact, Integer)}
    target = question.target
    found.update(target if isinstance(target, tuple) else target.terms)
    for fact in (*facts, *question.presupposes):
        found.update(fact.terms if isinstance(fact, Linear) else ())
    require(len(found) <= MAX_VARIABLES, f"packet: more than {MAX_VARIABLES} variables")
    return frozenset(found)


def read_world(value: Any, wanted: Collection[str], part: str) -> World:
    """A world for exactly the wanted variables."""
    numbers = fields(fields(value, ("numbers",), part)["numbers"], sorted(wanted), f"{part}: numbers")
    ratios = {variable: rational(numbers[variable], f"{part}: {variable}") for variable in wanted}
    common = lcm(*(ratio.denominator for ratio in ratios.values()))
    return World({key: ratio.numerator * (common // ratio.denominator) for key, ratio in ratios.items()}, common)


def holds(fact: Fact, world: World) -> bool:
    """Whether the world satisfies the fact; a notice states nothing about the world."""
    if isinstance(fact, Linear):
        left = sum(factor * world.numbers[variable] for variable, factor in fact.terms.items())
        return COMPARISONS[fact.op](left, fact.rhs * world.denominator)
    return isinstance(fact, Notice) or world.numbers[fact.variable] % world.denominator == 0


def value_of(expression: Linear, world: World) -> Ratio:
    """The value of a fact's linear expression, not in lowest terms."""
    total = sum(factor * world.numbers[variable] for variable, factor in expression.terms.items())
    return Ratio(total, expression.scale * world.denominator)


def weighted_sum(value: Any, usable: Mapping[str, Linear], part: str) -> Linear:
    """The sum of usable facts, each read as `<=` or `<` and times its multiplier; again a fact `<=` or `<`.

    A multiplier is not zero, and negative only for an `=` fact; a system has a proof with one more than its variables.
    """
    good = isinstance(value, Mapping) and 1 <= len(value) <= MAX_VARIABLES + 1
    require(good, f"{part}: must be an object with 1 to {MAX_VARIABLES + 1} multipliers")
    weights = {identifier(key, part): rational(value[key], f"{part}: {identifier(key, part)}") for key in value}
    for key, (top, _) in weights.items():
        require(key in usable, f"{part}: {key}: not a fact that this proof may use")
        require(top > 0 or (top < 0 and usable[key].op == "="), f"{part}: {key}: wrong sign")
    common = lcm(*(weights[key].denominator * usable[key].scale for key in weights))
    terms: dict[str, int] = {}
    rhs = 0
    for key, (top, bottom) in weights.items():
        fact = usable[key]
        factor = top * (common // (bottom * fact.scale)) * (-1 if fact.op[0] == ">" else 1)
        rhs += factor * fact.rhs
        for variable, size in fact.terms.items():
            terms[variable] = terms.get(variable, 0) + factor * size
    strict = any(usable[key].op in ("<", ">") for key in weights)
    return Linear(part, {key: size for key, size in terms.items() if size}, "<" if strict else "<=", rhs, common)


def contradicts(fact: Linear) -> bool:
    """Whether the fact is false in every world, having no variables: `0 <= c` with c < 0, or `0 < 0`."""
    return not fact.terms and not COMPARISONS[fact.op](0, fact.rhs)


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
        _require_text(sentence["text"], f"packet: {key}: text")
        facts = members(sentence["facts"], 0, MAX_SENTENCE_FACTS, f"packet: {key}: facts")
        sentences[key] = tuple(_fact(fact, f"packet: {key}") for fact in facts)
    return Document(document["id"], day, sentences)


def _fact(value: Any, part: str) -> Fact:
    kind = value.get("kind") if isinstance(value, Mapping) else None
    if kind == "linear":
        fact = fields(value, ("id", "kind", "terms", "op", "rhs", "role"), f"{part}: linear fact")
        key = identifier(fact["id"], f"{part}: fact id")
        require(fact["role"] in ("background", "requirement"), f"{part}: {key}: role")
        return _linear(key, fact, f"{part}: {key}")
    if kind == "integer":
        fact = fields(value, ("id", "kind", "variable"), f"{part}: integer fact")
        return Integer(identifier(fact["id"], f"{part}: fact id"), identifier(fact["variable"], f"{part}: variable"))
    require(kind in NOTICES, f"{part}: unknown kind of fact")
    fact = fields(value, ("id", "kind", "target", "scope"), f"{part}: notice")
    scope = None if fact["scope"] is None else identifiers(fact["scope"], 1, MAX_SENTENCES, f"{part}: scope")
    return Notice(
        identifier(fact["id"], f"{part}: fact id"), fact["kind"], identifier(fact["target"], f"{part}: target"), scope
    )


def _linear(key: str, fact: Mapping[str, Any], part: str) -> Linear:
    terms, op = fact["terms"], fact["op"]
    require(isinstance(terms, Mapping) and 1 <= len(terms) <= MAX_TERMS, f"{part}: terms")
    require(isinstance(op, str) and op in COMPARISONS, f"{part}: op")
    factors = {
        identifier(x, f"{part}: variable"): rational(terms[x], f"{part}: terms", MAX_STATED_CHARS) for x in terms
    }
    require(all(top for top, _ in factors.values()), f"{part}: terms: a coefficient is zero")
    rhs = rational(fact["rhs"], f"{part}: rhs", MAX_STATED_CHARS)
    scale = lcm(rhs.denominator, *(bottom for _, bottom in factors.values()))
    whole = {x: top * (scale // bottom) for x, (top, bottom) in factors.items()}
    return Linear(key, whole, op, rhs.numerator * (scale // rhs.denominator), scale, fact.get("role") == "requirement")


def _age(document: Document) -> tuple[str, int, str]:
    """Sorts the oldest first; on one day D2 comes before D10."""
    return document.date, len(document.id), document.id


def _decide(documents: tuple[Document, ...]) -> dict[str, Placed]:
    """The deciding notice of every sentence that a notice in force covers, from the newest document down."""
    decided: dict[str, Placed] = {}
    older = {document.id: document for document in documents}
    for document in reversed(documents):
        del older[document.id]
        covered: set[str] = set()
        for placed in document.placed():
            if isinstance(placed.fact, Notice):
                sentences = _covered(placed.fact, older)
                require(covered.isdisjoint(sentences), f"packet: {document.id}: two notices cover one sentence")
                covered.update(sentences)
                if _stands(placed.sentence, decided):
                    decided.update((sentence, placed) for sentence in sentences if sentence not in decided)
    return decided


def _covered(notice: Notice, older: Mapping[str, Document]) -> tuple[str, ...]:
    require(notice.target in older, f"packet: {notice.id}: target: not an older document")
    sentences = older[notice.target].sentences
    require(all(x in sentences for x in notice.scope or ()), f"packet: {notice.id}: scope: not sentences of the target")
    return tuple(sentences) if notice.scope is None else notice.scope


def _stands(sentence: str, decided: Mapping[str, Placed]) -> bool:
    notice = decided[sentence].fact if sentence in decided else None
    return not isinstance(notice, Notice) or notice.kind == "reinstates"


def _require_distinct(ids: Iterable[str], part: str) -> None:
    listed = list(ids)
    require(len(set(listed)) == len(listed), f"packet: {part}: an id occurs twice or is reserved")


def _require_text(value: Any, part: str) -> None:
    require(isinstance(value, str) and len(value) <= MAX_TEXT_CHARS, f"{part}: must be text")
