"""What the facts in force say of items, registers and parts of things, indexed and free of contradiction.

In: a packet. Out: lookups. Refused, with a CertificateError: two values of one attribute, an item that is and is not in
a register, two orders of one attribute, a part of two things, things that are parts of each other.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from impossible_rubrics_env.certificates.facts import (
    Attribute,
    Contains,
    Covers,
    Fact,
    Finding,
    Member,
    Order,
    Size,
    require,
)
from impossible_rubrics_env.certificates.packet import Packet, Placed

Meaning = tuple[str | tuple[str, ...], ...]
"""What a fact says, without its id: two facts with one meaning are as good as one."""


@dataclass(frozen=True, slots=True)
class Discrete:
    """The facts in force that are no linear facts."""

    values: dict[tuple[str, str], str] = field(default_factory=dict)
    """By item and attribute."""
    wider: dict[tuple[str, str], str] = field(default_factory=dict)
    """By attribute and narrower value; never cyclic."""
    orders: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """By attribute."""
    members: dict[tuple[str, str], bool] = field(default_factory=dict)
    """By register and item."""
    covers: list[tuple[Placed, Covers]] = field(default_factory=list)
    sizes: list[tuple[Placed, Size]] = field(default_factory=list)
    findings: list[tuple[Placed, Finding]] = field(default_factory=list)
    meanings: dict[str, Meaning] = field(default_factory=dict)
    """By the id of an attribute, contains, order or member fact in force."""

    def upward(self, attribute: str, value: str) -> Iterator[str]:
        """The value, what it is a part of, what that is a part of, and so on."""
        at: str | None = value
        while at is not None:
            yield at
            at = self.wider.get((attribute, at))


def read_discrete(packet: Packet) -> Discrete:
    """The index of the facts in force."""
    found = Discrete()
    for placed in packet.in_force:
        fact = placed.fact
        if isinstance(fact, Finding):
            found.findings.append((placed, fact))
        elif isinstance(fact, Covers):
            found.covers.append((placed, fact))
        elif isinstance(fact, Size):
            found.sizes.append((placed, fact))
        else:
            _enter(found, fact)
    _require_acyclic(found.wider)
    return found


def _enter(found: Discrete, fact: Fact) -> None:
    if isinstance(fact, Attribute):
        _agree(found.values, (fact.item, fact.name), fact.value, fact.id)
        found.meanings[fact.id] = stated(fact.item, fact.name, fact.value)
    elif isinstance(fact, Member):
        _agree(found.members, (fact.set, fact.item), fact.holds, fact.id)
        found.meanings[fact.id] = ("member", fact.item, fact.set)
    elif isinstance(fact, Contains):
        _agree(found.wider, (fact.attribute, fact.narrower), fact.wider, fact.id)
        found.meanings[fact.id] = part_of(fact.attribute, fact.narrower, fact.wider)
    elif isinstance(fact, Order):
        _agree(found.orders, fact.name, fact.values, fact.id)
        found.meanings[fact.id] = ordered(fact.name, fact.values)


def stated(item: str, name: str, value: str) -> Meaning:
    """The meaning of an attribute fact."""
    return ("attribute", item, name, value)


def part_of(attribute: str, narrower: str, wider: str) -> Meaning:
    """The meaning of a contains fact."""
    return ("contains", attribute, narrower, wider)


def ordered(name: str, values: tuple[str, ...]) -> Meaning:
    """The meaning of an order fact."""
    return ("order", name, values)


def _agree(known: dict[Any, Any], key: Any, value: Any, fact: str) -> None:
    require(known.setdefault(key, value) == value, f"packet: {fact}: contradicts another fact in force")


def _require_acyclic(wider: Mapping[tuple[str, str], str]) -> None:
    ended: set[tuple[str, str]] = set()
    for start in wider:
        trail: set[tuple[str, str]] = set()
        at = start
        while at in wider and at not in ended:
            require(at not in trail, f"packet: {at[1]}: is a part of itself by the facts in force")
            trail.add(at)
            at = (at[0], wider[at])
        ended |= trail
