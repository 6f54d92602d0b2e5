"""What a sentence of a packet states: its kind and words for the wording, its formal facts for the proof.

A statement is made here once, so that what is rendered and what is proved cannot differ. Facts are those of
docs/format.md without their ids, which `draft` gives. Nothing here draws, renders or proves.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from impossible_rubrics_env.exact import Rational, ratio_text, rational

Fact = Mapping[str, Any]
OPS = ("=", "<=", ">=", "<", ">")


class Name(NamedTuple):
    """Something that documents name."""

    key: str
    """As facts and replies name it: ASCII letters, digits, `-`; empty for the period and the measure asked about."""
    text: str
    """As sentences name it, in mid-sentence: `the Harrow line`."""


class Group(NamedTuple):
    """Several subjects under one name; a figure stated for each of them carries over to every part."""

    key: str
    text: str
    """The group itself: `the harbour group`."""
    each: str
    """Any member of it: `every line of the harbour group`."""


class Quantity(NamedTuple):
    """The measure of a subject over a period."""

    subject: Name | Group
    period: Name
    measure: Name

    @property
    def variable(self) -> str:
        """The variable of facts and plans."""
        return ".".join(part for part in (self.subject.key, self.period.key, self.measure.key) if part)

    @property
    def attributes(self) -> dict[str, str]:
        """The attributes of a finding about it; the asked period and measure are called `asked`."""
        return {
            "subject": self.subject.key,
            "period": self.period.key or "asked",
            "measure": self.measure.key or "asked",
        }


class Figure(NamedTuple):
    """A number as it is printed: `value` exactly, with so many digits after the point."""

    value: Rational
    places: int

    @property
    def text(self) -> str:
        """The decimal, trailing zeros included."""
        scaled = self.value * 10**self.places
        whole = int(scaled.numerator)
        if scaled.denominator != 1:
            raise ValueError(f"{ratio_text(self.value)} does not fit {self.places} places")
        digits = str(abs(whole)).rjust(self.places + 1, "0")
        text = f"{digits[: -self.places]}.{digits[-self.places :]}" if self.places else digits
        return f"-{text}" if whole < 0 else text


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence before it has words."""

    kind: str
    """Which frames may render it."""
    words: Mapping[str, Any]
    """What the frames are filled with: Names, Quantities, Figures, ops, document and sentence keys."""
    facts: tuple[Fact, ...]


def linear(terms: Mapping[str, int | Rational], op: str, rhs: Rational, *, requirement: bool = False) -> Fact:
    """A linear fact, or a presupposition, without its id."""
    return {
        "kind": "linear",
        "terms": {name: str(size) if type(size) is int else ratio_text(rational(size)) for name, size in terms.items()},
        "op": op,
        "rhs": ratio_text(rational(rhs)),
        "role": "requirement" if requirement else "background",
    }


def value(quantity: Quantity, op: str, figure: Figure, *, requirement: bool = False) -> Statement:
    """`quantity op figure`; op is one of OPS."""
    words = {"quantity": quantity, "op": op, "figure": figure, "requirement": requirement}
    return Statement("value", words, (linear({quantity.variable: 1}, op, figure.value, requirement=requirement),))


def rounded(quantity: Quantity, figure: Figure) -> Statement:
    """`quantity` is `figure` to the nearest unit of its last printed digit: half a unit either way, ends included."""
    half = rational(1, 2 * 10**figure.places)
    facts = (
        linear({quantity.variable: 1}, ">=", figure.value - half),
        linear({quantity.variable: 1}, "<=", figure.value + half),
    )
    return Statement("rounded", {"quantity": quantity, "figure": figure}, facts)


def between(quantity: Quantity, low: Figure, high: Figure) -> Statement:
    """`low <= quantity <= high`."""
    facts = (
        linear({quantity.variable: 1}, ">=", low.value),
        linear({quantity.variable: 1}, "<=", high.value),
    )
    return Statement("between", {"quantity": quantity, "low": low, "high": high}, facts)


def together(quantities: Sequence[Quantity], op: str, figure: Figure, *, requirement: bool = False) -> Statement:
    """The sum of 2 to 4 quantities of one period and measure `op figure`."""
    words = {"quantities": tuple(quantities), "op": op, "figure": figure, "requirement": requirement}
    terms = {quantity.variable: 1 for quantity in quantities}
    return Statement("together", words, (linear(terms, op, figure.value, requirement=requirement),))


def difference(first: Quantity, second: Quantity, op: str, figure: Figure, *, requirement: bool = False) -> Statement:
    """`first - second op figure`, the figure positive: by how much the first exceeds the second."""
    words = {"first": first, "second": second, "op": op, "figure": figure, "requirement": requirement}
    terms = {first.variable: 1, second.variable: -1}
    return Statement("difference", words, (linear(terms, op, figure.value, requirement=requirement),))


def multiple(first: Quantity, op: str, factor: int, second: Quantity, *, requirement: bool = False) -> Statement:
    """`first op factor * second`, the factor an integer from 2 to 5, op `<=`, `>=` or `=`."""
    words = {"first": first, "second": second, "op": op, "factor": factor, "requirement": requirement}
    terms = {first.variable: 1, second.variable: -factor}
    return Statement("multiple", words, (linear(terms, op, rational(0), requirement=requirement),))


def makes_up(whole: Quantity, parts: Sequence[Quantity]) -> Statement:
    """`whole` is the sum of its 2 to 5 parts and of nothing else."""
    terms = {whole.variable: 1} | {part.variable: -1 for part in parts}
    return Statement("makes_up", {"whole": whole, "parts": tuple(parts)}, (linear(terms, "=", rational(0)),))


def finding(quantity: Quantity, direction: str, figure: Figure) -> Statement:
    """A document's own finding; direction `at_least`, `at_most` or `exactly`. Worded as `value` is."""
    op = {"at_least": ">=", "at_most": "<=", "exactly": "="}[direction]
    bound = {"direction": direction, "value": ratio_text(figure.value)}
    words = {"quantity": quantity, "op": op, "figure": figure, "requirement": False}
    return Statement("value", words, ({"kind": "finding", "attributes": quantity.attributes, "bound": bound},))


def finding_between(quantity: Quantity, low: Figure, high: Figure) -> Statement:
    """A document's finding of both bounds. Worded as `between` is."""
    facts = tuple(
        {"kind": "finding", "attributes": quantity.attributes, "bound": {"direction": name, "value": ratio_text(end)}}
        for name, end in (("at_least", low.value), ("at_most", high.value))
    )
    return Statement("between", {"quantity": quantity, "low": low, "high": high}, facts)


def within(attribute: str, narrower: Name, wider: Name | Group) -> Statement:
    """`narrower` is a part of `wider`, and of nothing else of that kind.

    Attribute `subject`: a subject in a group (findings). Attribute `line`: a place that belongs to a subject.
    """
    fact = {"kind": "contains", "attribute": attribute, "wider": wider.key, "narrower": narrower.key}
    return Statement("within", {"attribute": attribute, "narrower": narrower, "wider": wider}, (fact,))


def entry(item: Name, register: Name, place: Name, grade: Name | None, figure: Figure) -> Statement:
    """A register's entry: the item is booked at a place (or under a subject), with a grade and an amount.

    A grade of None is one that has not been settled ("under review").
    """
    facts: list[Fact] = [
        {"kind": "member", "item": item.key, "set": register.key, "holds": True},
        {"kind": "attribute", "item": item.key, "name": "line", "value": place.key},
        linear({item.key: 1}, "=", figure.value),
    ]
    if grade is not None:
        facts.append({"kind": "attribute", "item": item.key, "name": "grade", "value": grade.key})
    words = {"item": item, "register": register, "place": place, "grade": grade, "figure": figure}
    return Statement("entry", words, tuple(facts))


def unplaced_entry(item: Name, register: Name, grade: Name, figure: Figure) -> Statement:
    """An entry whose place is not stated; another sentence may give it with `booked`."""
    facts = (
        {"kind": "member", "item": item.key, "set": register.key, "holds": True},
        linear({item.key: 1}, "=", figure.value),
        {"kind": "attribute", "item": item.key, "name": "grade", "value": grade.key},
    )
    return Statement("unplaced_entry", {"item": item, "register": register, "grade": grade, "figure": figure}, facts)


def graded(item: Name, grade: Name) -> Statement:
    """An item's grade, stated apart from its entry."""
    fact = {"kind": "attribute", "item": item.key, "name": "grade", "value": grade.key}
    return Statement("graded", {"item": item, "grade": grade}, (fact,))


def booked(item: Name, place: Name) -> Statement:
    """An item's place, or subject, stated apart from its entry."""
    fact = {"kind": "attribute", "item": item.key, "name": "line", "value": place.key}
    return Statement("booked", {"item": item, "place": place}, (fact,))


def scale(attribute: str, values: Sequence[Name]) -> Statement:
    """All values of an attribute: grades from the lowest to the highest, or (attribute `line`) all subjects."""
    fact = {"kind": "order", "name": attribute, "values": [name.key for name in values]}
    return Statement("scale", {"attribute": attribute, "values": tuple(values)}, (fact,))


def complete(register: Name, subjects: Sequence[Name]) -> Statement:
    """The register holds every item of these subjects."""
    fact = {"kind": "covers", "set": register.key, "scope": {"line": [name.key for name in subjects]}}
    return Statement("complete", {"register": register, "subjects": tuple(subjects)}, (fact,))


def count(register: Name, op: str, number: int) -> Statement:
    """How many entries the register holds: op `=`, `<=` or `>=`."""
    fact = {"kind": "size", "set": register.key, "op": op, "value": str(number)}
    return Statement("count", {"register": register, "op": op, "number": number}, (fact,))


def notice(kind: str, document: str, sentences: Sequence[str] | None = None) -> Statement:
    """`retracts`, `corrects` or `reinstates` a document, or the named sentences of it; both by their draft keys."""
    scope = None if sentences is None else tuple(sentences)
    fact = {"kind": kind, "target": document, "scope": scope}
    return Statement(kind, {"document": document, "scope": scope}, (fact,))


def filler(topic: str, **words: Any) -> Statement:
    """A sentence that states no fact; the topic picks its frames."""
    return Statement("filler", {"topic": topic, **words}, ())
