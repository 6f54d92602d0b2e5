"""What a packet task asks: the five kinds of question over linear facts, registers and findings, read from JSON."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from impossible_rubrics_env.certificates.facts import (
    MAX_STATED_CHARS,
    MAX_VALUES,
    Bound,
    Linear,
    chosen,
    fields,
    identifier,
    identifiers,
    members,
    rational,
    read_attributes,
    read_bound,
    read_fact,
    read_linear,
    require,
)
from impossible_rubrics_env.certificates.linear import MAX_VARIABLES
from impossible_rubrics_env.numerals import Ratio

MAX_PRESUPPOSED = 16
MAX_CONDITIONS = 4
KINDS = ("number", "yes_no", "list", "document", "plan")


@dataclass(frozen=True, slots=True)
class Condition:
    """What an item's attribute must be: one of the values, or at least one of them in the order of its values."""

    attribute: str
    values: frozenset[str]
    at_least: str | None


@dataclass(frozen=True, slots=True)
class Selection:
    """The items of a register that meet every condition; as the target of a number, the total of their amounts."""

    set: str
    where: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """The quantity that findings are about, by its attributes in the order of ATTRIBUTES."""

    attributes: tuple[str, ...]


Target = Linear | Selection | Asked | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked; a `number` target that is a Linear counts by its expression alone."""

    kind: str
    target: Target
    resolution: Ratio | None
    presupposes: tuple[Linear, ...]
    op: str = ""
    """yes_no over registers or findings: how the target compares with `than`."""
    than: Selection | Asked | None = None
    quantity: Linear | None = None
    """yes_no over linear facts: the quantity named first, as an expression."""
    claim: Bound | None = None
    """document: what the finding must entail."""


def read_question(value: Any) -> Question:
    """A question of any of the KINDS."""
    question = fields(value, ("kind", "target", "resolution", "presupposes"), "question")
    kind = chosen(question["kind"], KINDS, "question: kind")
    resolution = None
    if kind == "number":
        resolution = rational(question["resolution"], "question: resolution", MAX_STATED_CHARS)
        require(resolution.numerator > 0, "question: resolution: must be positive")
    else:
        require(question["resolution"] is None, "question: resolution: must be null")
    listed = members(question["presupposes"], 0, MAX_PRESUPPOSED, "question: presupposes")
    presupposes = [read_fact(fact, "question: presupposes") for fact in listed]
    linear = tuple(fact for fact in presupposes if isinstance(fact, Linear))
    require(len(linear) == len(presupposes), "question: presupposes: must be linear facts")
    return _READERS[kind](question["target"], resolution, linear)


def _number(target: Any, resolution: Ratio | None, presupposes: tuple[Linear, ...]) -> Question:
    part = "question: target"
    asked: Target
    if _names(target, "total"):
        asked = _selection(fields(target, ("total",), part)["total"], part)
    elif _names(target, "attributes"):
        asked = Asked(read_attributes(fields(target, ("attributes",), part)["attributes"], part))
    else:
        asked = _expression(target, part)
    return Question("number", asked, resolution, presupposes)


def _yes_no(target: Any, _: Ratio | None, presupposes: tuple[Linear, ...]) -> Question:
    part = "question: target"
    if not (_names(target, "total") or _names(target, "attributes")):
        names = ("terms", "op", "rhs", "quantity") if _names(target, "quantity") else ("terms", "op", "rhs")
        asked = read_linear("target", fields(target, names, part), part)
        quantity = _expression(target["quantity"], f"{part}: quantity") if len(names) == 4 else None
        return Question("yes_no", asked, None, presupposes, quantity=quantity)
    name = "total" if "total" in target else "attributes"
    compared = fields(target, (name, "op", "than"), part)
    op = chosen(compared["op"], (">", "<"), f"{part}: op")
    if name == "total":
        total, other = _selection(compared["total"], part), _selection(compared["than"], f"{part}: than")
        require(total.set == other.set, f"{part}: than: must be of the same register")
        return Question("yes_no", total, None, presupposes, op, other)
    than = fields(compared["than"], ("attributes",), f"{part}: than")["attributes"]
    sides = [read_attributes(side, part) for side in (compared["attributes"], than)]
    return Question("yes_no", Asked(sides[0]), None, presupposes, op, Asked(sides[1]))


def _list(target: Any, _: Ratio | None, presupposes: tuple[Linear, ...]) -> Question:
    return Question("list", _selection(target, "question: target"), None, presupposes)


def _document(target: Any, _: Ratio | None, presupposes: tuple[Linear, ...]) -> Question:
    part = "question: target"
    claim = fields(target, ("attributes", "bound"), part)
    asked, bound = Asked(read_attributes(claim["attributes"], part)), read_bound(claim["bound"], part)
    return Question("document", asked, None, presupposes, claim=bound)


def _plan(target: Any, _: Ratio | None, presupposes: tuple[Linear, ...]) -> Question:
    return Question("plan", identifiers(target, 1, MAX_VARIABLES, "question: target"), None, presupposes)


_READERS = {"number": _number, "yes_no": _yes_no, "list": _list, "document": _document, "plan": _plan}


def _names(target: Any, field: str) -> bool:
    """Whether the target has this field with an object in it: a variable of that name would have text."""
    return isinstance(target, Mapping) and isinstance(target.get(field), Mapping)


def _expression(terms: Any, part: str) -> Linear:
    return read_linear("target", {"terms": terms, "op": "=", "rhs": "0"}, part)


def _selection(value: Any, part: str) -> Selection:
    selection = fields(value, ("set", "where"), part)
    listed = members(selection["where"], 1, MAX_CONDITIONS, f"{part}: where")
    where = tuple(_condition(member, f"{part}: where") for member in listed)
    require(
        len({condition.attribute for condition in where}) == len(where), f"{part}: where: an attribute occurs twice"
    )
    return Selection(identifier(selection["set"], f"{part}: set"), where)


def _condition(value: Any, part: str) -> Condition:
    names = ("attribute", "values") if isinstance(value, Mapping) and "values" in value else ("attribute", "at_least")
    condition = fields(value, names, part)
    attribute = identifier(condition["attribute"], f"{part}: attribute")
    if "at_least" in names:
        return Condition(attribute, frozenset(), identifier(condition["at_least"], f"{part}: at_least"))
    return Condition(attribute, frozenset(identifiers(condition["values"], 1, MAX_VALUES, f"{part}: values")), None)
