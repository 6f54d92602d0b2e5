"""What a sentence of a packet can state: the kinds of facts, and how each is read from JSON.

In: the JSON of one fact (docs/format.md). Out: a frozen value in plain integers and names. Refused, with a
CertificateError that names the part: whatever is malformed or beyond the bounds below, which keep the time of every
check bounded. Nothing here knows documents, questions or proofs.
"""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import gcd, lcm
from typing import Any

from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.numerals import Ratio

MAX_TERMS = 16
MAX_SCOPE = 32
"""Sentences that a notice names."""
MAX_VALUES = 32
"""Values that an order, the scope of a register or a condition lists."""
MAX_COUNT = 10**6
"""Largest stated number of entries."""
MAX_STATED_CHARS = 40
"""Longest rational in a packet or a question."""
MAX_PROOF_CHARS = 200
"""Longest rational in a proof."""
COMPARISONS = ("<=", "<", "=", ">=", ">")
NOTICES = ("retracts", "corrects", "reinstates")
DIRECTIONS = ("at_least", "at_most", "exactly")
ATTRIBUTES = ("subject", "period", "measure")
"""What a finding is about."""
SCOPED = "line"
"""The attribute by which the scope of a register is stated."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,59}", re.ASCII)
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


@dataclass(frozen=True, slots=True)
class Member:
    """An item is, or is not, in a register."""

    id: str
    item: str
    set: str
    holds: bool


@dataclass(frozen=True, slots=True)
class Attribute:
    """What an item's attribute is."""

    id: str
    item: str
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Order:
    """All values of an attribute, from the lowest up."""

    id: str
    name: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Covers:
    """A register holds every item of these lines, or every item there is."""

    id: str
    set: str
    lines: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class Size:
    """How many entries a register has."""

    id: str
    set: str
    op: str
    value: int


@dataclass(frozen=True, slots=True)
class Bound:
    """An end of what a quantity can be; direction `exactly` is both ends."""

    direction: str
    value: Ratio


@dataclass(frozen=True, slots=True)
class Finding:
    """A document's own bound on the quantity that its attributes name, in the order of ATTRIBUTES."""

    id: str
    attributes: tuple[str, ...]
    bound: Bound


@dataclass(frozen=True, slots=True)
class Contains:
    """One value of an attribute is a part of another."""

    id: str
    attribute: str
    wider: str
    narrower: str


Fact = Linear | Integer | Notice | Member | Attribute | Order | Covers | Size | Finding | Contains


def require(condition: bool, message: str) -> None:
    """Raise a CertificateError with the message where the condition does not hold."""
    if not condition:
        raise CertificateError(message)


def fields(value: Any, names: Collection[str], part: str) -> Mapping[str, Any]:
    """`value`, a mapping with exactly these keys."""
    good = isinstance(value, (dict, Mapping)) and len(value) == len(names)
    if good:
        for name in names:
            if name not in value:
                good = False
                break
    if not good:
        raise CertificateError(f"{part}: the fields must be {', '.join(sorted(names))}")
    mapping: Mapping[str, Any] = value
    return mapping


def members(value: Any, least: int, most: int, part: str) -> list[Any]:
    """`value` as a list of `least` to `most` members."""
    if not (isinstance(value, (list, tuple)) and least <= len(value) <= most):
        raise CertificateError(f"{part}: must be a list of {least} to {most} members")
    return list(value)


def identifier(value: Any, part: str) -> str:
    """`value`, an id or a variable: ASCII letters, digits, `_`, `.`, `-`."""
    if not (isinstance(value, str) and _NAME.fullmatch(value)):
        raise CertificateError(f"{part}: not a name")
    return value


def identifiers(value: Any, least: int, most: int, part: str) -> tuple[str, ...]:
    """`value` as distinct names."""
    listed = tuple([identifier(member, part) for member in members(value, least, most, part)])
    require(len(set(listed)) == len(listed), f"{part}: a name occurs twice")
    return listed


def chosen(value: Any, options: Collection[str], part: str) -> str:
    """`value`, one of the options."""
    if not (isinstance(value, str) and value in options):
        raise CertificateError(f"{part}: must be one of {', '.join(options)}")
    return value


def rational(value: Any, part: str, longest: int = MAX_PROOF_CHARS) -> Ratio:
    """The number that `p` or `p/q`, in lowest terms, stands for."""
    ratio = _ratio(value) if isinstance(value, str) and len(value) <= longest else None
    if ratio is None:
        raise CertificateError(f"{part}: not a rational in text, in lowest terms, of at most {longest} characters")
    return ratio


@lru_cache(maxsize=8192)
def _ratio(text: str) -> Ratio | None:
    match = _RATIONAL.fullmatch(text)
    if match is None or text == "-0" or match[2] == "1":
        return None
    ratio = Ratio(int(match[1]), int(match[2] or 1))
    return ratio if gcd(*ratio) == 1 else None


def read_fact(value: Any, part: str) -> Fact:
    """A fact of any kind; `part` names its sentence."""
    kind = value.get("kind") if isinstance(value, (dict, Mapping)) else None
    if not isinstance(kind, str) or kind not in _KINDS:
        raise CertificateError(f"{part}: unknown kind of fact")
    names, read = _KINDS[kind]
    fact = fields(value, names, f"{part}: {kind} fact")
    key = identifier(fact["id"], f"{part}: fact id")
    return read(key, fact, f"{part}: {key}")


def read_linear(key: str, fact: Mapping[str, Any], part: str) -> Linear:
    """A comparison from its `terms`, `op` and `rhs`."""
    terms, op = fact["terms"], fact["op"]
    require(isinstance(terms, (dict, Mapping)) and 1 <= len(terms) <= MAX_TERMS, f"{part}: terms")
    require(isinstance(op, str) and op in COMPARISONS, f"{part}: op")
    factors = {identifier(x, part): rational(terms[x], f"{part}: terms", MAX_STATED_CHARS) for x in terms}
    require(all(top for top, _ in factors.values()), f"{part}: terms: a coefficient is zero")
    rhs = rational(fact["rhs"], f"{part}: rhs", MAX_STATED_CHARS)
    scale = lcm(rhs.denominator, *(bottom for _, bottom in factors.values()))
    whole = {x: top * (scale // bottom) for x, (top, bottom) in factors.items()}
    return Linear(key, whole, op, rhs.numerator * (scale // rhs.denominator), scale, fact.get("role") == "requirement")


def read_attributes(value: Any, part: str) -> tuple[str, ...]:
    """What a finding, or a question about findings, is about."""
    named = fields(value, ATTRIBUTES, f"{part}: attributes")
    return tuple(identifier(named[name], f"{part}: {name}") for name in ATTRIBUTES)


def read_bound(value: Any, part: str) -> Bound:
    """Direction and value of a finding or a claim."""
    bound = fields(value, ("direction", "value"), f"{part}: bound")
    direction = chosen(bound["direction"], DIRECTIONS, f"{part}: direction")
    return Bound(direction, rational(bound["value"], f"{part}: value", MAX_STATED_CHARS))


def _stated_linear(key: str, fact: Mapping[str, Any], part: str) -> Linear:
    chosen(fact["role"], ("background", "requirement"), f"{part}: role")
    return read_linear(key, fact, part)


def _integer(key: str, fact: Mapping[str, Any], part: str) -> Integer:
    return Integer(key, identifier(fact["variable"], f"{part}: variable"))


def _notice(key: str, fact: Mapping[str, Any], part: str) -> Notice:
    scope = None if fact["scope"] is None else identifiers(fact["scope"], 1, MAX_SCOPE, f"{part}: scope")
    return Notice(key, fact["kind"], identifier(fact["target"], f"{part}: target"), scope)


def _member(key: str, fact: Mapping[str, Any], part: str) -> Member:
    require(type(fact["holds"]) is bool, f"{part}: holds: must be true or false")
    return Member(
        key, identifier(fact["item"], f"{part}: item"), identifier(fact["set"], f"{part}: set"), fact["holds"]
    )


def _attribute(key: str, fact: Mapping[str, Any], part: str) -> Attribute:
    item, name, value = (identifier(fact[field], f"{part}: {field}") for field in ("item", "name", "value"))
    return Attribute(key, item, name, value)


def _order(key: str, fact: Mapping[str, Any], part: str) -> Order:
    values = identifiers(fact["values"], 1, MAX_VALUES, f"{part}: values")
    return Order(key, identifier(fact["name"], f"{part}: name"), values)


def _covers(key: str, fact: Mapping[str, Any], part: str) -> Covers:
    lines = None
    if fact["scope"] is not None:
        listed = fields(fact["scope"], (SCOPED,), f"{part}: scope")[SCOPED]
        lines = frozenset(identifiers(listed, 1, MAX_VALUES, f"{part}: scope"))
    return Covers(key, identifier(fact["set"], f"{part}: set"), lines)


def _size(key: str, fact: Mapping[str, Any], part: str) -> Size:
    op = chosen(fact["op"], ("=", "<=", ">="), f"{part}: op")
    top, bottom = rational(fact["value"], f"{part}: value", MAX_STATED_CHARS)
    require(bottom == 1 and 0 <= top <= MAX_COUNT, f"{part}: value: must be a count of at most {MAX_COUNT}")
    return Size(key, identifier(fact["set"], f"{part}: set"), op, top)


def _finding(key: str, fact: Mapping[str, Any], part: str) -> Finding:
    return Finding(key, read_attributes(fact["attributes"], part), read_bound(fact["bound"], part))


def _contains(key: str, fact: Mapping[str, Any], part: str) -> Contains:
    attribute, wider, narrower = (identifier(fact[x], f"{part}: {x}") for x in ("attribute", "wider", "narrower"))
    require(wider != narrower, f"{part}: nothing is a part of itself")
    return Contains(key, attribute, wider, narrower)


_KINDS: dict[str, tuple[tuple[str, ...], Callable[[str, Mapping[str, Any], str], Fact]]] = {
    "linear": (("id", "kind", "terms", "op", "rhs", "role"), _stated_linear),
    "integer": (("id", "kind", "variable"), _integer),
    **dict.fromkeys(NOTICES, (("id", "kind", "target", "scope"), _notice)),
    "member": (("id", "kind", "item", "set", "holds"), _member),
    "attribute": (("id", "kind", "item", "name", "value"), _attribute),
    "order": (("id", "kind", "name", "values"), _order),
    "covers": (("id", "kind", "set", "scope"), _covers),
    "size": (("id", "kind", "set", "op", "value"), _size),
    "finding": (("id", "kind", "attributes", "bound"), _finding),
    "contains": (("id", "kind", "attribute", "wider", "narrower"), _contains),
}
"""Fields and reader of every kind of fact."""
