"""The register of a packet: which items are in, out or undecided, what they add up to, whether the list is closed."""

from collections.abc import Mapping
from dataclasses import dataclass

from impossible_rubrics_env.exact import Rational, rational
from impossible_rubrics_env.reference_policies.packet_linear import upwards
from impossible_rubrics_env.reference_policies.packet_model import (
    Booked,
    Complete,
    Count,
    Entry,
    Graded,
    Packet,
    Placed,
    Scale,
    Tally,
)


@dataclass(frozen=True, slots=True)
class Register:
    """The entries in force of the packet's main register, and what else decides about them."""

    amounts: Mapping[str, Rational]
    """By item, in the order of the register."""
    places: Mapping[str, str]
    grades: Mapping[str, str]
    wider: Mapping[str, str]
    subjects: tuple[str, ...]
    scale: tuple[str, ...]
    covers: list[Placed[Complete]]
    sizes: list[Placed[Count]]

    def belongs(self, item: str, subject: str) -> bool | None:
        """Whether an item is the subject's; None where the packet does not decide."""
        place = self.places.get(item)
        for name in () if place is None else upwards(place, self.wider):
            if name == subject or name in self.subjects:
                return name == subject
        return None

    def qualifies(self, item: str, lowest: str) -> bool | None:
        """Whether an item has a grade from `lowest` up; None where the packet does not decide."""
        grade = self.grades.get(item)
        if grade not in self.scale or lowest not in self.scale:
            return None
        return self.scale.index(grade) >= self.scale.index(lowest)

    def asked(self, item: str, subject: str, lowest: str | None) -> bool | None:
        """Whether an item is one that a question asks for: all conditions hold, one fails, or neither is decided."""
        found = [self.belongs(item, subject), True if lowest is None else self.qualifies(item, lowest)]
        return False if False in found else (None if None in found else True)

    def totals(self, subject: str) -> list[Rational]:
        """What the subject's entries can add up to: one sum for every choice of undecided ones."""
        found = [(self.belongs(item, subject), amount) for item, amount in self.amounts.items()]
        sums = {rational(0) + sum(amount for status, amount in found if status)}
        for amount in (amount for status, amount in found if status is None):
            sums |= {total + amount for total in sums}
        return sorted(sums)

    def opening(self, subject: str) -> str | None:
        """The sentence that shows that items may be missing, "" if no sentence does; None where the list is closed."""
        narrow = [one for one in self.covers if one.states.subjects and subject not in one.states.subjects]
        if len(narrow) == len(self.covers):
            return narrow[0].sentence.id if narrow else ""
        enough = any(one.states.op in {"=", "<="} and one.states.number <= len(self.amounts) for one in self.sizes)
        more = [one for one in self.sizes if one.states.number > len(self.amounts)] or self.sizes
        return None if enough else more[0].sentence.id if more else ""


def register_of(packet: Packet) -> Register | None:
    """The register that is added up for the asked period and measure; None in a packet without one."""
    asked = packet.question.quantity
    main = next(
        (
            one.states.register
            for one in packet.placed(Tally)
            if one.states.period == asked.period and asked.measure in {"", one.states.measure}
        ),
        None,
    )
    if main is None:
        return None
    entries = [one.states for one in packet.in_force(Entry) if one.states.register == main]
    places = {one.item: one.place for one in entries if one.place}
    grades = {one.item: one.grade for one in entries if one.grade}
    scales = {one.states.attribute: one.states.values for one in packet.in_force(Scale)}
    return Register(
        amounts={one.item: one.amount for one in entries},
        places=places | {one.states.item: one.states.place for one in packet.in_force(Booked)},
        grades=grades | {one.states.item: one.states.grade for one in packet.in_force(Graded)},
        wider=packet.wider,
        subjects=scales.get("line", ()),
        scale=scales.get("grade", ()),
        covers=[one for one in packet.in_force(Complete) if one.states.register == main],
        sizes=[one for one in packet.in_force(Count) if one.states.register == main],
    )
