"""Proofs about registers and findings: which items or documents meet the question, from the facts in force.

In: the facts in force, the question, a world of the linear facts, the ids of all documents. Out: the main proof
`enumeration` or `findings` of docs/format.md. Refused, with an ArgumentError: what neither fits, such as a total over a
register that is not closed. Nothing here knows a family.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sympy import QQ

from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.exact import Rational, ratio_of, ratio_text
from impossible_rubrics_env.taskgen.draft import DraftQuestion, Placed

ATTRIBUTES = ("subject", "period", "measure")
"""What a finding is about, in the order in which a proof names failing ones."""
MAX_UNDECIDED = 6
"""Most undecided items of a total: every choice of them is summed up."""
_Facts = Mapping[str, Any]


def prove(
    facts: Sequence[Placed], question: DraftQuestion, world: Mapping[str, Any] | None, documents: Iterable[str] = ()
) -> dict[str, Any]:
    """The main proof; `documents` are the ids of all documents, of which some may have no fact in force."""
    if "attributes" in question.target:
        proof = _findings(facts, question, documents)
    else:
        proof = _enumeration(_Register.read(facts, question), question)
    return {**proof, "world": world}


def room(facts: Sequence[Placed], question: DraftQuestion, main: Mapping[str, Any]) -> int | None:
    """How many answers the main proof leaves admissible; None where they cannot be counted."""
    if main["answer"] is not None:
        return 1
    if question.kind == "document":
        return 0
    if question.kind == "yes_no":
        return 2
    if main["kind"] == "findings":
        return len(_grid(*_range(_applying(facts, question.target["attributes"])), _number(question.resolution)))
    register = _Register.read(facts, question)
    if question.kind == "number":
        return len(_rounded_totals(register, question))
    undecided = sum(one["status"] == "undecided" for one in main["items"].values())
    return None if main["closed"] is None else 2**undecided


def _number(text: str | None) -> Rational:
    top, _, bottom = str(text).partition("/")
    return QQ(int(top), int(bottom or 1))


# Registers


class _Verdict(NamedTuple):
    """Whether a condition holds of an item (None: not decided), and the facts that say so."""

    holds: bool | None
    facts: tuple[str, ...] = ()


_UNDECIDED = _Verdict(None)
_STATUS = {True: "in", False: "out", None: "undecided"}


@dataclass(slots=True)
class _Register:
    """What the facts in force say about the asked register and its items."""

    name: str
    members: dict[str, str] = field(default_factory=dict)
    """By item: the id of the fact that makes it an entry."""
    stated: dict[tuple[str, str], _Facts] = field(default_factory=dict)
    """By item and attribute."""
    wider: dict[tuple[str, str], _Facts] = field(default_factory=dict)
    """By attribute and narrower value."""
    orders: dict[str, _Facts] = field(default_factory=dict)
    covers: list[_Facts] = field(default_factory=list)
    sizes: list[_Facts] = field(default_factory=list)
    amounts: dict[str, _Facts] = field(default_factory=dict)
    """By item: the equation that states its amount."""

    @classmethod
    def read(cls, facts: Sequence[Placed], question: DraftQuestion) -> "_Register":
        """The register that the question is about."""
        register = cls(_selections(question)[0]["set"])
        for one in facts:
            reader = _READERS.get(one.fact["kind"])
            if reader is not None:
                reader(register, one.fact)
        return register

    def verdict(self, item: str, where: Iterable[Mapping[str, Any]]) -> _Verdict:
        """All conditions together: the first failing one decides, else an undecided one."""
        found = []
        for condition in where:
            one = self._ordinal(item, condition) if "at_least" in condition else self._nominal(item, condition)
            if one.holds is False:
                return one
            found.append(one)
        if any(one.holds is None for one in found):
            return _UNDECIDED
        return _Verdict(True, tuple(dict.fromkeys(name for one in found for name in one.facts)))

    def _nominal(self, item: str, condition: Mapping[str, Any]) -> _Verdict:
        attribute = condition["attribute"]
        stated, order = self.stated.get((item, attribute)), self.orders.get(attribute)
        listed = order["values"] if order else ()
        used = []
        while stated is not None:
            used.append(stated["id"])
            value = stated["value"] if "value" in stated else stated["wider"]
            if value in condition["values"]:
                return _Verdict(True, tuple(used))
            if order and value in listed:
                return _Verdict(False, (*used, order["id"]))
            stated = self.wider.get((attribute, value))
            if len(used) > len(self.wider) + 1:
                raise ArgumentError(f"what {attribute} {value!r} is part of goes round in a circle")
        return _UNDECIDED

    def _ordinal(self, item: str, condition: Mapping[str, Any]) -> _Verdict:
        attribute = condition["attribute"]
        stated, order = self.stated.get((item, attribute)), self.orders.get(attribute)
        if stated is None or order is None or condition["at_least"] not in order["values"]:
            return _UNDECIDED
        values = order["values"]
        if stated["value"] not in values:
            return _UNDECIDED
        holds = values.index(stated["value"]) >= values.index(condition["at_least"])
        return _Verdict(holds, (stated["id"], order["id"]))

    def amount(self, item: str) -> Rational:
        """The item's amount."""
        fact = self.amounts[item]
        return _number(fact["rhs"]) / _number(fact["terms"][item])

    def closed(self, lines: Iterable[str]) -> list[str] | None:
        """Ids of a coverage of all these lines and of a size that is reached; None where the list is open."""
        asked = set(lines)
        cover = next((one for one in self.covers if one["scope"] is None or asked <= set(one["scope"]["line"])), None)
        size = next((one for one in self.sizes if one["op"] != ">=" and int(one["value"]) <= len(self.members)), None)
        return None if cover is None or size is None else [cover["id"], size["id"]]


def _read_member(register: _Register, fact: _Facts) -> None:
    if fact["holds"] and fact["set"] == register.name:
        register.members.setdefault(fact["item"], fact["id"])


def _read_attribute(register: _Register, fact: _Facts) -> None:
    known = register.stated.setdefault((fact["item"], fact["name"]), fact)
    if known["value"] != fact["value"]:
        raise ArgumentError(f"two values in force for {fact['name']} of {fact['item']!r}")


def _read_contains(register: _Register, fact: _Facts) -> None:
    known = register.wider.setdefault((fact["attribute"], fact["narrower"]), fact)
    if known["wider"] != fact["wider"]:
        raise ArgumentError(f"{fact['attribute']} {fact['narrower']!r} is part of two")


def _read_order(register: _Register, fact: _Facts) -> None:
    register.orders.setdefault(fact["name"], fact)


def _read_covers(register: _Register, fact: _Facts) -> None:
    if fact["set"] == register.name:
        register.covers.append(fact)


def _read_size(register: _Register, fact: _Facts) -> None:
    if fact["set"] == register.name:
        register.sizes.append(fact)


def _read_linear(register: _Register, fact: _Facts) -> None:
    if fact["op"] == "=" and len(fact["terms"]) == 1:
        [name] = fact["terms"]
        register.amounts[name] = fact


_READERS = {
    "member": _read_member,
    "attribute": _read_attribute,
    "contains": _read_contains,
    "order": _read_order,
    "covers": _read_covers,
    "size": _read_size,
    "linear": _read_linear,
}


def _selections(question: DraftQuestion) -> list[Mapping[str, Any]]:
    """What the question selects of the register; the second of two is what it compares with."""
    target = question.target
    if question.kind == "list":
        return [target]
    return [target["total"], target["than"]] if question.kind == "yes_no" else [target["total"]]


def _enumeration(register: _Register, question: DraftQuestion) -> dict[str, Any]:
    selections = _selections(question)
    verdicts = {
        item: [register.verdict(item, selection["where"]) for selection in selections] for item in register.members
    }
    lines = [value for one in selections for condition in one["where"] for value in _lines(condition)]
    closed = register.closed(lines)
    return {
        "kind": "enumeration",
        "items": {item: _shown(found[0]) for item, found in verdicts.items()},
        "closed": closed,
        "answer": _answer(register, question, closed, verdicts),
    }


def _lines(condition: Mapping[str, Any]) -> Sequence[str]:
    return condition["values"] if condition["attribute"] == "line" else ()


def _shown(verdict: _Verdict) -> dict[str, Any]:
    return {"status": _STATUS[verdict.holds], "facts": list(verdict.facts)}


def _answer(
    register: _Register,
    question: DraftQuestion,
    closed: list[str] | None,
    verdicts: Mapping[str, Sequence[_Verdict]],
) -> Any:
    if question.kind == "list":
        undecided = any(found[0].holds is None for found in verdicts.values())
        return (
            None if closed is None or undecided else sorted(item for item, found in verdicts.items() if found[0].holds)
        )
    if closed is None:
        raise ArgumentError(f"a {question.kind} question needs a closed register; {register.name!r} is open")
    if question.kind == "number":
        answers = _rounded_totals(register, question)
        return ratio_text(answers[0]) if len(answers) == 1 else None
    gaps = _sums(_choices(register, verdicts))
    said = {gap > 0 if question.target["op"] == ">" else gap < 0 for gap in gaps}
    return None if len(said) > 1 else "YES" if said.pop() else "NO"


def _choices(register: _Register, verdicts: Mapping[str, Sequence[_Verdict]]) -> Iterator[tuple[Rational, ...]]:
    """For every item what it may add: its amount to the first total, or as much less for the second."""
    for item, found in verdicts.items():
        amount = register.amount(item)
        adds = [sign * amount for sign, one in zip((1, -1), found, strict=False) if one.holds is not False]
        if adds:
            decided = any(one.holds for one in found)
            yield tuple(adds) if decided else (QQ(0), *adds)


def _sums(choices: Iterable[tuple[Rational, ...]]) -> set[Rational]:
    decided, sums, undecided = QQ(0), {QQ(0)}, 0
    for choice in choices:
        if len(choice) == 1:
            decided += choice[0]
            continue
        undecided += 1
        if undecided > MAX_UNDECIDED:
            raise ArgumentError(f"more than {MAX_UNDECIDED} undecided items of a total")
        sums = {total + more for total in sums for more in choice}
    return {total + decided for total in sums}


def _rounded_totals(register: _Register, question: DraftQuestion) -> list[Rational]:
    """The answers that some choice of the undecided items rounds to, in order."""
    where = question.target["total"]["where"]
    verdicts = {item: [register.verdict(item, where)] for item in register.members}
    step = _number(question.resolution)
    return sorted({answer for total in _sums(_choices(register, verdicts)) for answer in _grid(total, total, step)})


def _grid(low: Rational, high: Rational, step: Rational) -> list[Rational]:
    """The multiples of `step` within half a step of some value from `low` to `high`."""
    bottom = ratio_of(low / step - QQ(1, 2))
    top = ratio_of(high / step + QQ(1, 2))
    first, last = -(-bottom.numerator // bottom.denominator), top.numerator // top.denominator
    return [step * place for place in range(first, last + 1)]


# Findings


class _Finding(NamedTuple):
    """A bound of the asked quantity, and the fact that states it."""

    direction: str
    value: Rational
    fact: str


def _findings(facts: Sequence[Placed], question: DraftQuestion, documents: Iterable[str]) -> dict[str, Any]:
    found = _failing(facts, question.target["attributes"])
    than = _pinned(facts, question.target["than"]["attributes"]) if question.kind == "yes_no" else None
    own = {name: [one for attributes, one in stated if not attributes] for name, stated in found.items()}
    short = {}
    for name in dict.fromkeys((*documents, *(one.document for one in facts))):
        if own.get(name):
            short[name] = [] if _concluded(question, than, *_ends(own[name])) is not None else ["bound"]
        else:
            short[name] = _shared([attributes for attributes, _ in found.get(name, ())])
    low, high = _ends(one for findings in own.values() for one in findings)
    if question.kind == "document":
        answer = next((name for name, attributes in short.items() if not attributes and own.get(name)), None)
        low = high = None
    else:
        answer = _concluded(question, than, low, high)
    return {
        "kind": "findings",
        "documents": short,
        "answer": answer,
        "lower": low and low.fact,
        "upper": high and high.fact,
    }


def _failing(facts: Sequence[Placed], asked: Mapping[str, str]) -> dict[str, list[tuple[tuple[str, ...], _Finding]]]:
    """By document: its findings, each with the attributes in which it does not apply to the asked quantity."""
    wider = {
        (one.fact["attribute"], one.fact["narrower"]): one.fact["wider"]
        for one in facts
        if one.fact["kind"] == "contains"
    }
    upwards = {name: _upwards(wider, name, asked[name]) for name in ATTRIBUTES}
    found: dict[str, list[tuple[tuple[str, ...], _Finding]]] = {}
    for one in facts:
        if one.fact["kind"] == "finding":
            stated, bound = one.fact["attributes"], one.fact["bound"]
            attributes = tuple(name for name in ATTRIBUTES if stated[name] not in upwards[name])
            finding = _Finding(bound["direction"], _number(bound["value"]), one.fact["id"])
            found.setdefault(one.document, []).append((attributes, finding))
    return found


def _upwards(wider: Mapping[tuple[str, str], str], attribute: str, value: str) -> set[str]:
    """The value and all that it is a part of."""
    found = {value}
    while (above := wider.get((attribute, value))) is not None:
        if above in found:
            raise ArgumentError(f"what {attribute} {value!r} is part of goes round in a circle")
        found.add(above)
        value = above
    return found


def _applying(facts: Sequence[Placed], asked: Mapping[str, str]) -> list[_Finding]:
    return [one for found in _failing(facts, asked).values() for attributes, one in found if not attributes]


def _ends(findings: Iterable[_Finding]) -> tuple[_Finding | None, _Finding | None]:
    """The findings that bound from below and from above; the first of equals."""
    low: _Finding | None = None
    high: _Finding | None = None
    for one in findings:
        if one.direction != "at_most" and (low is None or one.value > low.value):
            low = one
        if one.direction != "at_least" and (high is None or one.value < high.value):
            high = one
    if low and high and low.value > high.value:
        raise ArgumentError(f"findings {low.fact} and {high.fact} contradict each other")
    return low, high


def _range(findings: Iterable[_Finding]) -> tuple[Rational, Rational]:
    low, high = _ends(findings)
    if low is None or high is None:
        raise ArgumentError("the findings leave the asked quantity without an end")
    return low.value, high.value


def _pinned(facts: Sequence[Placed], asked: Mapping[str, str]) -> Rational:
    low, high = _range(_applying(facts, asked))
    if low != high:
        raise ArgumentError("what a yes_no question compares with must be known exactly")
    return low


def _concluded(
    question: DraftQuestion, than: Rational | None, low: _Finding | None, high: _Finding | None
) -> str | None:
    """What these ends settle: the one answer to a number or yes_no question that they leave, YES to a claim."""
    if question.kind == "document":
        return "YES" if _entails(low, high, question.target["bound"]) else None
    if question.kind == "number":
        if low is None or high is None:
            return None
        answers = _grid(low.value, high.value, _number(question.resolution))
        return ratio_text(answers[0]) if len(answers) == 1 else None
    above = question.target["op"] == ">"
    if low is not None and (low.value > than or (low.value == than and not above)):
        return "YES" if above else "NO"
    if high is not None and (high.value < than or (high.value == than and above)):
        return "NO" if above else "YES"
    return None


def _entails(low: _Finding | None, high: _Finding | None, claim: Mapping[str, str]) -> bool:
    direction, value = claim["direction"], _number(claim["value"])
    from_below = direction == "at_most" or (low is not None and low.value >= value)
    return from_below and (direction == "at_least" or (high is not None and high.value <= value))


def _shared(failing: Sequence[tuple[str, ...]]) -> list[str]:
    """The attributes in which every finding fails."""
    if not failing:
        return ["finding"]
    return [name for name in ATTRIBUTES if all(name in attributes for attributes in failing)]
