"""What the JSON of a packet task says that statements about it are made from: standing, relevance, open values.

In: a packet task as it was drawn. Out: lookups. The proof is taken at its word here: it is the task's own, just made.
"""

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

from impossible_rubrics_env.exact import Rational, rational
from impossible_rubrics_env.task import Task
from impossible_rubrics_env.taskgen.draft import NOTICES
from impossible_rubrics_env.taskgen.packet_answers import is_answerable

_COMPARED: Mapping[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}


class Placed(NamedTuple):
    """A fact with the ids of the document and the sentence that state it."""

    document: str
    sentence: str
    fact: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Known:
    """A packet task."""

    task: Task
    question: Mapping[str, Any]
    main: Mapping[str, Any]
    documents: tuple[str, ...]
    """Ids in the order they are printed."""
    placed: Sequence[Placed]
    """Every fact."""
    decided: Mapping[str, bool]
    """Whether a sentence is in force, for those that a notice in force decides on."""
    vain: frozenset[str]
    """Documents that state facts beside notices, of which none is in force."""

    @property
    def answerable(self) -> bool:
        """Whether the proof gives an answer."""
        return is_answerable(self.main)

    def stands(self, sentence: str) -> bool:
        """Whether the sentence is in force."""
        return self.decided.get(sentence, True)

    def in_force(self) -> Iterator[Placed]:
        """The facts in force."""
        return (one for one in self.placed if self.stands(one.sentence))


def read(task: Task) -> Known:
    """The task, with its notices resolved from the newest document down."""
    documents = (task.packet or {})["documents"]
    placed = [
        Placed(one["id"], sentence["id"], fact)
        for one in documents
        for sentence in one["sentences"]
        for fact in sentence["facts"]
    ]
    decided = _decided(documents)
    stating = [one for one in placed if one.fact["kind"] not in NOTICES]
    standing = {one.document for one in stating if decided.get(one.sentence, True)}
    return Known(
        task,
        task.question,
        task.certificate["proof"]["main"],
        tuple(one["id"] for one in documents),
        placed,
        decided,
        frozenset(one.document for one in stating) - standing,
    )


def _decided(documents: Sequence[Mapping[str, Any]], without: str = "") -> dict[str, bool]:
    sentences = {one["id"]: [sentence["id"] for sentence in one["sentences"]] for one in documents}
    decided: dict[str, bool] = {}
    for one in sorted(documents, key=lambda one: (one["date"], len(one["id"]), one["id"]), reverse=True):
        for sentence in one["sentences"]:
            for fact in sentence["facts"]:
                if fact["kind"] not in NOTICES or without in {one["id"], fact["target"]}:
                    continue
                if decided.get(sentence["id"], True):
                    for name in fact["scope"] or sentences[fact["target"]]:
                        decided.setdefault(name, fact["kind"] == "reinstates")
    return decided


# Relevance


def named(known: Known) -> set[str]:
    """The documents that bear on the proof: it, or a defeat, names them or one of their facts."""
    home = {one.fact["id"]: one.document for one in known.placed}
    found = _named_by(known, known.main, home, "")
    for entry in known.task.certificate["proof"]["defeats"]:
        found |= {entry["notice"], entry["document"]}
        found |= _named_by(known, entry["without"], home, entry["notice"])
    return found


def _named_by(known: Known, main: Mapping[str, Any], home: Mapping[str, str], without: str) -> set[str]:
    if main["kind"] in {"findings", "world"}:
        decided = _decided((known.task.packet or {})["documents"], without) if without else known.decided
        facts = [one for one in known.placed if one.document != without and decided.get(one.sentence, True)]
        return _about(known.question, facts)
    parts = [main.get(part) or () for part in ("multipliers", "lower", "upper", "constant", "closed")]
    parts += [item["facts"] for item in main.get("items", {}).values()]
    return {home[name] for name in chain.from_iterable(parts) if name in home}


def _about(question: Mapping[str, Any], facts: Sequence[Placed]) -> set[str]:
    """Documents of the facts on a plan's variables; of the findings on a quantity, and of what makes it a part."""
    if question["kind"] == "plan":
        asked = set(question["target"])
        return {
            one.document for one in facts if one.fact["kind"] == "linear" and not asked.isdisjoint(one.fact["terms"])
        }
    sides = [one["attributes"] for one in (question["target"], question["target"].get("than")) if one]
    found = set()
    wider = {(one.fact["attribute"], one.fact["narrower"]): one for one in facts if one.fact["kind"] == "contains"}
    for side in sides:
        above = {}
        for name, value in side.items():
            at: str | None = value
            above[name] = {value}
            while (link := wider.get((name, at))) is not None:
                at = link.fact["wider"]
                above[name].add(at)
                found |= {one.document for one in facts if _links(one.fact, name, link.fact["narrower"])}
        found |= {
            one.document
            for one in facts
            if one.fact["kind"] == "finding"
            and all(value in above[name] for name, value in one.fact["attributes"].items())
        }
    return found


def _links(fact: Mapping[str, Any], attribute: str, narrower: str) -> bool:
    return fact["kind"] == "contains" and (fact["attribute"], fact["narrower"]) == (attribute, narrower)


def asked_names(known: Known) -> set[str]:
    """Variables of the question and of what it takes for granted."""
    found = {name for fact in known.question["presupposes"] for name in fact["terms"]}
    target = known.question["target"]
    if known.question["kind"] == "plan":
        return found | set(target)
    if "terms" in target:
        return found | set(target["terms"]) | set(target.get("quantity", ()))
    return found if {"total", "attributes", "set"} & target.keys() else found | set(target)


# Open values


class Ends(NamedTuple):
    """What is open about a quantity: it lies between the ends; a missing one is None."""

    low: Rational | None
    high: Rational | None


def ends(known: Known) -> Ends | None:
    """The least and the greatest value of what a number, or the quantity that a yes_no question names first, can be.

    Of an impossible task; None where nothing fits.
    """
    main = known.main
    if main["kind"] == "range":
        target = known.question["target"]
        terms = target.get("quantity", target.get("terms", target))
        shown = (limit or world for limit, world in zip(main["limits"], main["worlds"], strict=True))
        return Ends(*(evaluate(terms, point["numbers"]) for point in shown))
    if main["kind"] == "enumeration":
        sums = totals(known)
        return Ends(min(sums), max(sums))
    if main["kind"] == "findings":
        values = {one.fact["id"]: one.fact["bound"]["value"] for one in known.placed if one.fact["kind"] == "finding"}
        return Ends(*(name and rational(values[name]) for name in (main["lower"], main["upper"])))
    return None


def totals(known: Known) -> set[Rational]:
    """What the items that are in add up to, for every choice of the undecided ones."""
    amounts = {}
    for one in known.in_force():
        fact = one.fact
        if fact["kind"] == "linear" and fact["op"] == "=" and len(fact["terms"]) == 1:
            [(name, size)] = fact["terms"].items()
            amounts[name] = rational(fact["rhs"]) / rational(size)
    sums = {rational(0)}
    for item, found in known.main["items"].items():
        if found["status"] != "out":
            more = {total + amounts[item] for total in sums}
            sums = more if found["status"] == "in" else sums | more
    return sums


def is_admissible(known: Known, value: Rational) -> bool:
    """Whether an impossible task leaves this answer to a number question open."""
    step = rational(known.question["resolution"])
    if int((value / step).denominator) != 1:
        return False
    if known.main["kind"] == "range":
        first, last = (rational(text) for text in known.main["answers"])
        return bool(first <= value <= last)
    if known.main["kind"] == "enumeration":
        return any(abs(total - value) <= step / 2 for total in totals(known))
    span = ends(known)
    if span is None:
        return False
    return (span.low is None or value >= span.low - step / 2) and (span.high is None or value <= span.high + step / 2)


def quantity(known: Known) -> Rational:
    """A value that the compared quantity of an answerable yes_no question can have."""
    target, main = known.question["target"], known.main
    if main["kind"] == "dual_bounds":
        return evaluate(target.get("quantity", target["terms"]), main["world"]["numbers"])
    span = ends(known)
    if span is None:
        raise AssertionError(f"{known.task.id}: no value of the compared quantity")
    return span.high if span.low is None else span.low


def evaluate(terms: Mapping[str, str], numbers: Mapping[str, str]) -> Rational:
    """A linear expression at a point."""
    return sum((rational(size) * rational(numbers[name]) for name, size in terms.items()), rational(0))


def is_met(known: Known, plan: Mapping[str, str]) -> bool:
    """Whether a plan meets the facts in force that are about its variables alone."""
    facts = (one.fact for one in known.in_force() if one.fact["kind"] == "linear")
    return all(
        _COMPARED[fact["op"]](evaluate(fact["terms"], plan), rational(fact["rhs"]))
        for fact in facts
        if fact["terms"].keys() <= plan.keys()
    )
