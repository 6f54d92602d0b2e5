"""Cheap witnesses: what a look at a packet suggests, without solving it.

A guesser is told that no answer is right, and names an obstruction and a witness by a rule of thumb. It is cheap by
definition: it reads names and figures; adds at most two statements up (entries of a register: those that are the asked
subject's at a glance); does not work out what is in force, and takes whatever is stated; and walks at most one step
from a part to what it belongs to. `CHEAP` holds such rules of thumb alone, and `mixed` chooses among them by the kind
of the question and what the documents are made of: for each case the one that was right most often over the six
families. A packet is sound where even `mixed` is seldom right. `STUDIED` holds rules that go further, to tell how much
more they get; they are no part of `mixed`.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from impossible_rubrics_env.exact import Rational, number_text, rational
from impossible_rubrics_env.reference_policies.packet_linear import applies, floor_of
from impossible_rubrics_env.reference_policies.packet_model import (
    Booked,
    Complete,
    Count,
    Entry,
    Graded,
    Linear,
    Notice,
    Packet,
    Part,
    Placed,
    Quantity,
    Stated,
)
from impossible_rubrics_env.reference_policies.packet_solving import Refusal, Value, failings

Strategy = Callable[[Packet], Refusal | None]
_HALF = rational(1, 2)
_ONE = rational(1)
_ZERO = rational(0)
_DEPTH = 3
"""How many statements a deep estimate goes through."""


def shallow_answer(packet: Packet) -> Value:
    """The first figure of the asked name, YES, all entries, the first document that names the claim, or the caps."""
    question = packet.question
    if question.kind == "yes_no":
        return "YES"
    if question.kind == "list":
        return [one.states.item for one in packet.placed(Entry)]
    if question.kind == "document":
        naming = (one.document.id for one in packet.placed(Linear) if _names(one.states, question.quantity))
        return next(naming, packet.documents[0].id)
    if question.kind == "plan":
        return {key: _cap(packet, one) for key, one in question.plan.items()}
    figures = [*_figures(packet, question.quantity), *_figures(packet, None), rational(0)]
    return number_text(_steps(figures[0], question.figure)[0] * question.figure)


def _names(states: Linear, quantity: Quantity) -> bool:
    return any(one.subject == quantity.subject for one in states.terms)


def _cap(packet: Packet, quantity: Quantity) -> str:
    caps = (
        one.states.rhs
        for one in packet.placed(Linear)
        if one.states.single == quantity and one.states.op in {"<=", "<", "="}
    )
    return number_text(next(caps, rational(0)))


def _figures(packet: Packet, quantity: Quantity | None) -> Iterator[Rational]:
    """Figures that are stated of a quantity in so many words, or of any."""
    for one in packet.placed(Linear):
        single = one.states.single
        if single is not None and quantity in {None, single}:
            yield one.states.rhs


def _steps(value: Rational, step: Rational) -> tuple[int, int]:
    """The nearest multiple of a step, and the second nearest."""
    below, inside = floor_of(value / step)
    nearer = value / step - below >= _HALF
    if not inside:
        return below, below + 1
    return (below + 1, below) if nearer else (below, below + 1)


# Figures of the asked quantity


def _pair(packet: Packet, value: Rational | None) -> Refusal | None:
    """The two answers next to a value."""
    question = packet.question
    if value is None or question.kind != "number":
        return None
    return _two(*(count * question.figure for count in sorted(_steps(value, question.figure))))


def _two(first: Rational, second: Rational) -> Refusal | None:
    """Two different numbers."""
    texts = [number_text(first), number_text(second)]
    return None if first == second else Refusal("insufficient_evidence", texts)


def _ends(packet: Packet, low: Rational | None, high: Rational | None) -> Refusal | None:
    """What a range suggests: its ends for a comparison; for a number the answers at its ends, or in its middle."""
    if low is None or high is None:
        return None
    question = packet.question
    if question.kind == "yes_no":
        return _two(low, high)
    first, last = (_steps(end, question.figure)[0] * question.figure for end in (low, high))
    return _pair(packet, (low + high) / 2) if first == last else _two(first, last)


def _parts(packet: Packet) -> dict[str, str]:
    """By the name of a part, what it is said to belong to."""
    return {one.states.narrower: one.states.wider for one in packet.placed(Part)}


def _stated(packet: Packet, quantity: Quantity) -> list[Linear]:
    """What is stated of a quantity alone, or of the group that it belongs to."""
    group = _parts(packet).get(quantity.subject)
    return [
        one.states
        for one in packet.placed(Linear)
        for single in (one.states.single,)
        if single and single[1:] == quantity[1:] and single.subject in {quantity.subject, group}
    ]


def _estimate(packet: Packet, quantity: Quantity) -> Rational | None:
    """A figure of the quantity: stated, or by one relation to others that are stated; every bound taken for a value."""
    figures = [one.rhs for one in _stated(packet, quantity)]
    if figures:
        return (min(figures) + max(figures)) / 2
    for one in packet.placed(Linear):
        terms = one.states.terms
        if quantity in terms and len(terms) > 1:
            known = {name: [fact.rhs for fact in _stated(packet, name)] for name in terms if name != quantity}
            if all(known.values()):
                rest = sum((terms[name] * found[0] for name, found in known.items()), _ZERO)
                return (one.states.rhs - rest) / terms[quantity]
    return None


def _by_stated_figure(packet: Packet) -> Refusal | None:
    return _pair(packet, next(_figures(packet, packet.question.quantity), None))


def _by_estimate(packet: Packet) -> Refusal | None:
    return _pair(packet, _estimate(packet, packet.question.quantity))


def _by_stated_ends(packet: Packet) -> Refusal | None:
    """The least and the greatest figure that is stated of the asked name."""
    figures = [one.rhs for one in _stated(packet, packet.question.quantity)]
    return _ends(packet, min(figures), max(figures)) if figures and _ranges(packet) else None


def _ranges(packet: Packet) -> bool:
    return packet.question.kind in {"number", "yes_no"}


def _by_bounds(packet: Packet) -> Refusal | None:
    """The closest bounds on the asked name that one statement, or two together, give."""
    return _ends(packet, *_closest(packet, packet.question.quantity)) if _ranges(packet) else None


def _by_figures_around(packet: Packet) -> Refusal | None:
    """Around the middle one of all figures for the asked period and measure."""
    asked = packet.question.quantity
    facts = [one.states for one in packet.placed(Linear)]
    figures = sorted(one.rhs for one in facts if one.single and one.single[1:] == asked[1:])
    return _pair(packet, figures[len(figures) // 2]) if figures else None


class _Span(NamedTuple):
    """The range that is stated of a group for the asked period and measure."""

    group: str
    facts: int
    low: Rational
    high: Rational


def _spans(packet: Packet) -> list[_Span]:
    asked, stated = packet.question.quantity, dict[str, list[Linear]]()
    for one in packet.placed(Linear):
        single = one.states.single
        if single and single[1:] == asked[1:] and single.subject != asked.subject:
            stated.setdefault(single.subject, []).append(one.states)
    spans = []
    for group, facts in stated.items():
        lows = [one.rhs for one in facts if one.op in {">=", ">", "="}]
        highs = [one.rhs for one in facts if one.op in {"<=", "<", "="}]
        if lows and highs and max(lows) < min(highs):
            spans.append(_Span(group, len(facts), max(lows), min(highs)))
    return spans


def _by_span(packet: Packet, choose: Callable[[list[_Span]], _Span]) -> Refusal | None:
    spans = _spans(packet) if _ranges(packet) else []
    if not spans:
        return None
    chosen = choose(spans)
    return _ends(packet, chosen.low, chosen.high)


def _by_most_stated_group(packet: Packet) -> Refusal | None:
    """The range of the group of which most is stated."""
    return _by_span(packet, lambda spans: max(spans, key=lambda one: one.facts))


def _by_most_named_group(packet: Packet) -> Refusal | None:
    """The range of the group that is named most often."""
    text = " ".join(sentence.text.lower() for document in packet.documents for sentence in document.sentences)
    return _by_span(packet, lambda spans: max(spans, key=lambda one: text.count(one.group)))


def _by_largest_group(packet: Packet) -> Refusal | None:
    """The range of the group that most is said to belong to."""
    members = Counter(_parts(packet).values())
    return _by_span(packet, lambda spans: max(spans, key=lambda one: members[one.group]))


def _by_middle_group(packet: Packet) -> Refusal | None:
    """The range in the middle of those of all groups."""
    return _by_span(packet, lambda spans: sorted(spans, key=lambda one: one.low + one.high)[len(spans) // 2])


def _by_group_around_figures(packet: Packet) -> Refusal | None:
    """The range of a group that holds most of the exact figures of others."""
    asked = packet.question.quantity
    facts = (one.states for one in packet.placed(Linear) if one.states.op == "=" and one.states.single)
    exact = [one.rhs for one in facts if next(iter(one.terms))[1:] == asked[1:]]
    return _by_span(packet, lambda spans: max(spans, key=lambda one: sum(one.low < x < one.high for x in exact)))


class _Edge(NamedTuple):
    """A least value of one group, and the next higher greatest value of another."""

    low: Rational
    high: Rational


def _bounds_of_others(packet: Packet) -> tuple[list[Rational], list[Rational]]:
    """Every least and every greatest value that is stated for the asked period and measure of other names."""
    asked = packet.question.quantity
    facts = [one.states for one in packet.placed(Linear)]
    facts = [one for one in facts if one.single and one.single[1:] == asked[1:] and one.single.subject != asked.subject]
    lows = sorted(one.rhs for one in facts if one.op in {">=", ">"})
    return lows, sorted(one.rhs for one in facts if one.op in {"<=", "<"})


def _edges(packet: Packet) -> list[_Edge]:
    """A least and a greatest value that come next to each other in the order of all of them, from the lowest up."""
    lows, highs = _bounds_of_others(packet)
    marks = sorted([(low, 0) for low in lows] + [(high, 1) for high in highs])
    return [_Edge(one[0], two[0]) for one, two in pairwise(marks) if one[1] < two[1]]


def _by_edge(packet: Packet, choose: Callable[[list[_Edge]], _Edge]) -> Refusal | None:
    edges = _edges(packet) if _ranges(packet) else []
    return _ends(packet, *choose(edges)) if edges else None


def _by_lowest_edge(packet: Packet) -> Refusal | None:
    """The lowest least value of any group with the next greatest value of another."""
    return _by_edge(packet, lambda edges: edges[0])


def _by_middle_edge(packet: Packet) -> Refusal | None:
    """Such a pair in the middle of all of them."""
    return _by_edge(packet, lambda edges: edges[len(edges) // 2])


def _by_highest_edge(packet: Packet) -> Refusal | None:
    return _by_edge(packet, lambda edges: edges[-1])


def _by_closest_edge(packet: Packet) -> Refusal | None:
    """The pair whose two values are closest."""
    return _by_edge(packet, lambda edges: min(edges, key=lambda one: one.high - one.low))


def _by_middle_bounds(packet: Packet) -> Refusal | None:
    """The middle one of all least values, and of all greatest values."""
    lows, highs = _bounds_of_others(packet)
    if not lows or not highs or not _ranges(packet):
        return None
    return _ends(packet, lows[len(lows) // 2], highs[(len(highs) - 1) // 2])


def _by_outer_bounds(packet: Packet) -> Refusal | None:
    """The second lowest least value, and the second highest greatest one: the very outermost are loose."""
    lows, highs = _bounds_of_others(packet)
    if not lows or not highs or not _ranges(packet):
        return None
    return _ends(packet, lows[min(1, len(lows) - 1)], highs[max(0, len(highs) - 2)])


def _by_figure_of_group(packet: Packet) -> Refusal | None:
    """The exact figure for the asked period and measure that is nearest to the middle one of all figures."""
    asked = packet.question.quantity
    facts = [one.states for one in packet.placed(Linear)]
    facts = [one for one in facts if one.single and one.single[1:] == asked[1:]]
    figures, exact = sorted(one.rhs for one in facts), [one.rhs for one in facts if one.op == "="]
    if not exact:
        return None
    return _pair(packet, min(exact, key=lambda one: abs(one - figures[len(figures) // 2])))


# Sums of at most two statements


class _Row(NamedTuple):
    """`terms <= rhs`, and who says so."""

    terms: Mapping[Quantity, Rational]
    rhs: Rational
    document: str
    sentence: str


def _rows(packet: Packet, like: Quantity) -> list[_Row]:
    """Statements about the period and the measure of a quantity alone, as upper bounds."""
    found = []
    for one in packet.placed(Linear):
        fact = one.states
        if all(name[1:] == like[1:] for name in fact.terms):
            for sign, ops in ((_ONE, {"<=", "<", "="}), (-_ONE, {">=", ">", "="})):
                if fact.op in ops:
                    terms = {name: sign * size for name, size in fact.terms.items()}
                    found.append(_Row(terms, sign * fact.rhs, one.document.id, one.sentence.id))
    return found


def _sums(rows: list[_Row], wanted: Mapping[Quantity, Rational]) -> Iterator[tuple[Rational, tuple[_Row, ...]]]:
    """Upper bounds on an expression that one row gives, or two added up."""
    for place, one in enumerate(rows):
        if one.terms == wanted:
            yield one.rhs, (one,)
        for other in rows[:place]:
            names = {*one.terms, *other.terms, *wanted}
            if all(one.terms.get(n, _ZERO) + other.terms.get(n, _ZERO) == wanted.get(n, _ZERO) for n in names):
                yield one.rhs + other.rhs, (one, other)


def _closest(packet: Packet, quantity: Quantity) -> tuple[Rational | None, Rational | None]:
    rows = _rows(packet, quantity)
    low = max((-rhs for rhs, _ in _sums(rows, {quantity: -_ONE})), default=None)
    return low, min((rhs for rhs, _ in _sums(rows, {quantity: _ONE})), default=None)


def _by_premise_bounds(packet: Packet) -> Refusal | None:
    """The documents of one or two statements by which the first name of the premise does not exceed the second."""
    premise = packet.question.premise
    if premise is None:
        return None
    found = list(_sums(_rows(packet, premise[0]), {premise[0]: _ONE, premise[1]: -_ONE}))
    refuting = [rows for rhs, rows in found if rhs <= 0]
    if not refuting:
        return None
    return Refusal("false_premise", list(dict.fromkeys(row.document for row in min(refuting, key=len))))


def _by_clash(packet: Packet) -> Refusal | None:
    """Two requirements that contradict each other."""
    asked = [packet.question.quantity, *packet.question.plan.values()]
    required = {one.sentence.id for one in _required(packet)}
    rows = [row for row in _rows(packet, asked[-1]) if row.sentence in required]
    found = next((pair for rhs, pair in _sums(rows, {}) if rhs < 0), None)
    return None if found is None else Refusal("objective_conflict", [row.sentence for row in found])


# Registers


def _belongs(packet: Packet) -> Mapping[str, set[str]]:
    """By item: the place that anything states of it, and what that place is said to belong to."""
    places: dict[str, set[str]] = {}
    for entry in packet.placed(Entry):
        places.setdefault(entry.states.item, set()).update({entry.states.place} - {None})  # type: ignore[arg-type]
    for booked in packet.placed(Booked):
        places.setdefault(booked.states.item, set()).add(booked.states.place)
    parts = _parts(packet)
    return {item: found | {parts[place] for place in found if place in parts} for item, found in places.items()}


def _asked_entries(packet: Packet) -> list[Entry]:
    """The entries of the register that occurs first."""
    entries = [one.states for one in packet.placed(Entry)]
    return [one for one in entries if one.register == entries[0].register]


def _by_register_total(packet: Packet) -> Refusal | None:
    """What is entered for the asked subject adds up to, with and without the first entry that no place is given of."""
    return _total(packet, _lonely)


def _by_total_of_all_unplaced(packet: Packet) -> Refusal | None:
    """The same, with and without all such entries."""
    return _total(packet, lambda entries, places: [one for one in entries if not places[one.item]])


def _total(packet: Packet, flagged: Callable[[list[Entry], Mapping[str, set[str]]], list[Entry]]) -> Refusal | None:
    entries, places = _asked_entries(packet), _belongs(packet)
    if not entries or not _ranges(packet):
        return None
    subject = packet.question.quantity.subject
    total = sum((one.amount for one in entries if subject in places[one.item]), _ZERO)
    extra = sum((one.amount for one in flagged(entries, places)), _ZERO)
    return _ends(packet, total, total + extra)


def _lonely(entries: list[Entry], places: Mapping[str, set[str]]) -> list[Entry]:
    return [one for one in entries if not places[one.item]][:1]


def _by_unbooked_entry(packet: Packet) -> Refusal | None:
    """An entry of the asked register whose place nothing states; else one whose place is booked but once."""
    places = _belongs(packet)
    booked = Counter(one.states.item for one in packet.placed(Booked))
    entries = [one for one in _asked_entries(packet) if one.place is None]
    found = sorted(entries, key=lambda one: (bool(places[one.item]), booked[one.item]))
    return Refusal("impossible_exhaustiveness", [found[0].item]) if found else None


def _by_withdrawn_booking(packet: Packet) -> Refusal | None:
    """An entry whose place or grade is stated where a notice speaks of the document or the paragraph."""
    spoken = {name for one in packet.placed(Notice) for name in (one.states.sentences or (one.states.document,))}
    stated: list[Placed[Booked] | Placed[Graded]] = [*packet.placed(Booked), *packet.placed(Graded)]
    asked = {one.item for one in _asked_entries(packet)}
    found = [
        one.states.item
        for one in stated
        if one.states.item in asked and not spoken.isdisjoint((one.document.id, one.sentence.id))
    ]
    return Refusal("impossible_exhaustiveness", found[:1]) if found else None


def _by_flagged_entry(packet: Packet) -> Refusal | None:
    """The entry whose grade is open, in the asked place if one is; else one without a place."""
    question, wider = packet.question, _parts(packet)
    entries = [one.states for one in packet.placed(Entry)]
    open_grade = [one for one in entries if one.grade is None]
    there = [one for one in open_grade if one.place and question.quantity.subject in {one.place, wider.get(one.place)}]
    no_place = [one for one in entries if one.place is None or (wider and one.place not in wider)]
    found = [*there, *no_place, *open_grade]
    return Refusal("impossible_exhaustiveness", [found[0].item]) if found else None


def _by_unplaced_entry(packet: Packet) -> Refusal | None:
    entries = [one.states for one in packet.placed(Entry) if one.states.place is None]
    return Refusal("impossible_exhaustiveness", [entries[0].item]) if entries else None


def _by_lonely_entry(packet: Packet) -> Refusal | None:
    """An entry that lacks what is asked, and whose code stands in no other paragraph."""
    question = packet.question
    texts = [sentence.text for document in packet.documents for sentence in document.sentences]
    alone = [
        one.states
        for one in packet.placed(Entry)
        if sum(one.states.item in text for text in texts) == 1
        and (one.states.place is None or one.states.grade is None)
    ]
    wanted = [one for one in alone if (one.place is None) == (question.kind != "list")]
    there = [one for one in wanted if one.place == question.quantity.subject]
    found = [*there, *wanted, *alone]
    return Refusal("impossible_exhaustiveness", [found[0].item]) if found else None


def _by_coverage(packet: Packet) -> Refusal | None:
    """The sentence on what the register holds."""
    found = [one.sentence.id for one in packet.placed(Complete)]
    return Refusal("impossible_exhaustiveness", found[:1]) if found else None


# Requirements


def _required(packet: Packet) -> list[Placed[Linear]]:
    return [one for one in packet.placed(Linear) if one.states.requirement]


def _by_caps_and_demand(packet: Packet) -> Refusal | None:
    """Every requirement on one name that is an upper bound, and the first demand on a sum."""
    required = _required(packet)
    caps = [one.sentence.id for one in required if one.states.single and one.states.op == "<="]
    demands = [one.sentence.id for one in required if not one.states.single and one.states.op == ">="]
    return Refusal("objective_conflict", [*demands[:1], *caps]) if required else None


def _by_caps_of_demand(packet: Packet) -> Refusal | None:
    """The demand on the largest sum, and the upper bounds on the names that it adds up."""
    required = _required(packet)
    demands = [one for one in required if not one.states.single and one.states.op == ">="]
    if not demands:
        return None
    demand = max(demands, key=lambda one: len(one.states.terms))
    caps = [
        one.sentence.id
        for one in required
        if one.states.op == "<=" and set(one.states.terms) <= set(demand.states.terms)
    ]
    return Refusal("objective_conflict", [demand.sentence.id, *caps])


def _by_link(packet: Packet) -> Refusal | None:
    """A lower bound on one name, an upper bound on another, and a requirement that links the two."""
    required = _required(packet)
    ends = [one for one in required if one.states.single]
    for link in (one for one in required if len(one.states.terms) == 2):
        floors = [one for one in ends if one.states.single in link.states.terms and one.states.op in {">=", ">"}]
        caps = [one for one in ends if one.states.single in link.states.terms and one.states.op in {"<=", "<"}]
        for floor in floors:
            for cap in caps:
                if floor.states.single != cap.states.single:
                    return Refusal("objective_conflict", [link.sentence.id, floor.sentence.id, cap.sentence.id])
    return None


def _by_all_requirements(packet: Packet) -> Refusal | None:
    required = [one.sentence.id for one in _required(packet)]
    return Refusal("objective_conflict", list(dict.fromkeys(required))) if required else None


# Premises and notices


def _by_premise_names(packet: Packet) -> Refusal | None:
    """The documents that state an exact figure of the two names of the premise; else all that relate them."""
    premise = packet.question.premise
    if premise is None:
        return None
    facts = [one for one in packet.placed(Linear) if one.states.op == "="]
    exact = [one.document.id for one in facts if one.states.single in premise]
    related = [one.document.id for one in facts if not one.states.single and set(one.states.terms) & set(premise)]
    others = {name for one in facts if one.document.id in related for name in one.states.terms}
    chained = [one.document.id for one in facts if one.states.single in others]
    found = exact if len(exact) == len(premise) else [*exact, *related, *chained]
    return Refusal("false_premise", list(dict.fromkeys(found))) if found else None


def _by_newest_notice(packet: Packet) -> Refusal | None:
    for document in packet.newest_first:
        for one in packet.placed(Notice):
            if one.document is document:
                return Refusal("counterevidence_trap", [document.id, one.states.document])
    return None


def _by_correction(packet: Packet) -> Refusal | None:
    """The newest notice that puts other figures in the place of a document's."""
    found = [
        (one.document.date, one.document.id, one.states.document)
        for one in packet.placed(Notice)
        if one.states.kind == "corrects"
    ]
    return Refusal("counterevidence_trap", list(max(found)[1:])) if found else None


def _by_oldest_correction(packet: Packet) -> Refusal | None:
    """The oldest notice that puts other figures in the place of a document's."""
    found = [
        (one.document.date, one.document.id, one.states.document)
        for one in packet.placed(Notice)
        if one.states.kind == "corrects"
    ]
    return Refusal("counterevidence_trap", list(min(found)[1:])) if found else None


def _by_longest_notice(packet: Packet) -> Refusal | None:
    """The notice of most paragraphs, if none has as many."""
    found = sorted(
        (len(one.document.sentences), one.document.id, one.states.document)
        for one in packet.placed(Notice)
        if one.states.kind != "reinstates"
    )
    alone = found and (len(found) == 1 or found[-1][0] > found[-2][0])
    return Refusal("counterevidence_trap", list(found[-1][1:])) if alone else None


def _by_notice_on_subject(packet: Packet) -> Refusal | None:
    """The newest notice on a document that names the asked subject, best with the asked period and measure."""
    found = []
    for one in packet.placed(Notice):
        if one.states.kind != "reinstates":
            target = next(document for document in packet.documents if document.id == one.states.document)
            found.append((_likeness(packet, target.id), one.document.date, one.document.id, target.id))
    if not found:
        return None
    best = max(found)
    return Refusal("counterevidence_trap", [best[2], best[3]]) if best[0] else None


def _targeting(packet: Packet, worth: Mapping[str, int]) -> Refusal | None:
    """The newest notice, but for one that puts back in force, on a document that is worth most."""
    found = [
        (worth[one.states.document], one.document.date, one.document.id, one.states.document)
        for one in packet.placed(Notice)
        if one.states.kind != "reinstates" and worth.get(one.states.document)
    ]
    return Refusal("counterevidence_trap", list(max(found)[2:])) if found else None


def _by_notice_on_requirement(packet: Packet) -> Refusal | None:
    """The newest notice on a document that states a requirement; a correction that states one goes first."""
    correcting = {one.document.id for one in packet.placed(Notice) if one.states.kind == "corrects"}
    required = [one.document.id for one in _required(packet)]
    corrected = {one.states.document for one in packet.placed(Notice) if one.document.id in correcting & set(required)}
    return _targeting(packet, {one: 2 if one in corrected else 1 for one in required})


def _by_notice_on_like_figure(packet: Packet) -> Refusal | None:
    """The newest notice on a document with a figure for the asked period and measure, best an exact one."""
    question, worth = packet.question, dict[str, int]()
    for one in packet.placed(Linear):
        single = one.states.single
        if single and single[1:] == question.quantity[1:]:
            near = single.subject in {question.quantity.subject, _parts(packet).get(question.quantity.subject)}
            size = (1 if near and one.states.op != "=" else 2) + (one.states.op == "=")
            worth[one.document.id] = max(size, worth.get(one.document.id, 0))
    return _targeting(packet, worth)


def _by_notice_on_claim(packet: Packet) -> Refusal | None:
    """The newest notice on a document with a figure that would bear a claim out, whoever it is about."""
    question, worth = packet.question, dict[str, int]()
    for one in packet.placed(Linear):
        single, fact = one.states.single, one.states
        if question.kind == "document" and single and single[1:] == question.quantity[1:]:
            good = fact.rhs >= question.figure if question.op == ">=" else fact.rhs <= question.figure
            worth[one.document.id] = 2 if good and fact.op in {question.op, "="} else 1
    return _targeting(packet, worth)


def _by_notice_on_news(packet: Packet) -> Refusal | None:
    """The newest notice on a document that says of an entry or a place what no other says, best of a place."""
    entries = {one.states.item: one.states for one in packet.placed(Entry)}
    given = Counter(one.states.item for one in packet.placed(Booked))
    given.update(one.item for one in entries.values() if one.place is not None)
    rated = Counter(one.states.item for one in packet.placed(Graded))
    rated.update(one.item for one in entries.values() if one.grade is not None)
    within, worth = Counter(one.states.narrower for one in packet.placed(Part)), dict[str, int]()
    for part in packet.placed(Part):
        worth[part.document.id] = 3 if within[part.states.narrower] == 1 else 1
    for booked in packet.placed(Booked):
        worth[booked.document.id] = max(worth.get(booked.document.id, 0), 3 if given[booked.states.item] == 1 else 1)
    for graded in packet.placed(Graded):
        worth[graded.document.id] = max(worth.get(graded.document.id, 0), 2 if rated[graded.states.item] == 1 else 1)
    return _targeting(packet, worth) if entries else None


def _by_notice_on_part(packet: Packet) -> Refusal | None:
    """The newest notice on a document that says that something belongs to the asked subject."""
    subject = packet.question.quantity.subject
    naming = {one.document.id for one in packet.placed(Part) if one.states.wider == subject}
    return _targeting(packet, dict.fromkeys(naming, 1))


def _likeness(packet: Packet, document: str) -> int:
    """How well what a document states matches what is asked."""
    question = packet.question
    asked = [question.quantity, question.other, *question.plan.values()]
    stated = [name for one in packet.placed(Linear) if one.document.id == document for name in one.states.terms]
    if stated:
        return max(sum(a == b for a, b in zip(x, y, strict=True)) for x in stated for y in asked)
    return 0 if any(one.document.id == document for one in packet.placed(Notice)) else 2


def _by_notice_on_figure(packet: Packet) -> Refusal | None:
    """The newest notice on a document that gives the asked quantity exactly, or that relates it to others."""
    asked = {packet.question.quantity, packet.question.other, *packet.question.plan.values()}
    worth: dict[str, int] = {}
    for one in packet.placed(Linear):
        if asked & set(one.states.terms):
            size = 1 if one.states.single and one.states.op != "=" else 2
            worth[one.document.id] = max(size, worth.get(one.document.id, 0))
    if next(packet.placed(Entry), None) is not None:
        settling: tuple[type[Stated], ...] = (Booked, Graded, Complete, Count)
        worth = dict.fromkeys((one.document.id for kind in settling for one in packet.placed(kind)), 2)
    found = [
        (worth[one.states.document], one.document.date, one.document.id, one.states.document)
        for one in packet.placed(Notice)
        if one.states.kind != "reinstates" and one.states.document in worth
    ]
    return Refusal("counterevidence_trap", list(max(found)[2:])) if found else None


# Citations


def _by_attributes(packet: Packet) -> Refusal | None:
    """By document, the first of subject, period and measure whose asked name does not occur in it, else the bound."""
    quantity, witness = packet.question.quantity, {}
    if packet.question.kind in {"list", "plan"}:
        return None
    for document in packet.documents:
        text = " ".join([document.title, *(one.text for one in document.sentences)]).lower()
        stated = [one for sentence in document.sentences for one in sentence.states if isinstance(one, Linear)]
        absent = [name for name in ("period", "measure", "subject") if getattr(quantity, name) not in text]
        witness[document.id] = "finding" if not stated else (absent or ["bound"])[0]
    return Refusal("missing_citation", witness)


def _by_quantities(packet: Packet) -> Refusal | None:
    """By document, in what the first quantity that it gives a figure of differs from the asked one; else the bound."""
    asked, witness = packet.question.quantity, {}
    if packet.question.kind in {"list", "plan"}:
        return None
    for document in packet.documents:
        stated = [
            one.states.single
            for one in packet.placed(Linear)
            if one.document is document and one.states.single is not None
        ]
        reasons = [_reason(packet, asked, one) for one in stated]
        witness[document.id] = "finding" if not reasons else max(reasons, key=_ORDER.index)
    return Refusal("missing_citation", witness)


_ORDER = ("measure", "period", "subject", "bound")


def _reason(packet: Packet, asked: Quantity, stated: Quantity) -> str:
    group = _parts(packet).get(asked.subject)
    if stated.subject not in {asked.subject, group}:
        return "subject"
    return next((name for name in ("period", "measure") if getattr(stated, name) != getattr(asked, name)), "bound")


# Rules that go further


def deep_estimate(packet: Packet, quantity: Quantity, depth: int = _DEPTH) -> Rational | None:
    """A figure of the quantity: stated, or put together from what is stated, every bound being taken for a value."""
    facts = [one.states for one in packet.in_force(Linear)]
    stated = [one.rhs for one in facts if one.single and applies(one.single, quantity, packet.wider)]
    if stated:
        return (min(stated) + max(stated)) / 2
    for fact in facts if depth else ():
        if quantity in fact.terms and not fact.single:
            others = {one: deep_estimate(packet, one, depth - 1) for one in fact.terms if one != quantity}
            if None not in others.values():
                rest = sum((fact.terms[one] * value for one, value in others.items()), rational(0))
                return (fact.rhs - rest) / fact.terms[quantity]
    return None


def _by_deep_estimate(packet: Packet) -> Refusal | None:
    return _pair(packet, deep_estimate(packet, packet.question.quantity))


def _by_chain(packet: Packet) -> Refusal | None:
    """A lower bound on one name, an upper bound on another, and the fewest requirements that link the two."""
    required = _required(packet)
    ends = [one for one in required if one.states.single]
    links = [one for one in required if len(one.states.terms) == 2]
    for floor in (one for one in ends if one.states.op in {">=", ">"}):
        paths = [([floor.sentence.id], next(iter(floor.states.terms)))]
        seen = set()
        for path, name in paths:
            caps = [one.sentence.id for one in ends if one.states.single == name and one.states.op in {"<=", "<"}]
            if caps and len(path) > 1:
                return Refusal("objective_conflict", [*path, caps[0]])
            seen.add(name)
            paths += [
                ([*path, link.sentence.id], other)
                for link in links
                if name in link.states.terms
                for other in link.states.terms
                if other not in seen
            ]
    return None


def _by_closed_premise(packet: Packet) -> Refusal | None:
    """The equations about the two names of the premise that hang together: no third name occurs in one of them only."""
    premise = packet.question.premise
    if premise is None:
        return None
    facts = [one for one in packet.in_force(Linear) if one.states.op == "=" and _beside(one.states, premise[0])]
    while True:
        uses = Counter(name for one in facts for name in one.states.terms)
        kept = [one for one in facts if all(uses[name] > 1 or name in premise for name in one.states.terms)]
        if len(kept) == len(facts):
            break
        facts = kept
    reached = set(premise)
    for _ in facts:
        reached |= {name for one in facts if reached & set(one.states.terms) for name in one.states.terms}
    found = dict.fromkeys(one.document.id for one in facts if reached & set(one.states.terms))
    return Refusal("false_premise", list(found)) if found else None


def _beside(fact: Linear, quantity: Quantity) -> bool:
    """Whether a fact is about the period and the measure of a quantity alone."""
    return all(name[1:] == quantity[1:] for name in fact.terms)


def _by_failings(packet: Packet) -> Refusal | None:
    """By document, an attribute by which its figures fail; the bound where none of them does."""
    if packet.question.kind in {"list", "plan"}:
        return None
    return Refusal("missing_citation", {one.id: (failings(packet, one) or ["bound"])[0] for one in packet.documents})


CHEAP: Mapping[str, Strategy] = {
    "stated figure": _by_stated_figure,
    "estimate": _by_estimate,
    "stated ends": _by_stated_ends,
    "bounds": _by_bounds,
    "figures around": _by_figures_around,
    "most stated group": _by_most_stated_group,
    "most named group": _by_most_named_group,
    "largest group": _by_largest_group,
    "middle group": _by_middle_group,
    "group around figures": _by_group_around_figures,
    "lowest edge": _by_lowest_edge,
    "middle edge": _by_middle_edge,
    "highest edge": _by_highest_edge,
    "closest edge": _by_closest_edge,
    "middle bounds": _by_middle_bounds,
    "outer bounds": _by_outer_bounds,
    "middle exact figure": _by_figure_of_group,
    "register total": _by_register_total,
    "total of all": _by_total_of_all_unplaced,
    "unbooked entry": _by_unbooked_entry,
    "withdrawn booking": _by_withdrawn_booking,
    "flagged entry": _by_flagged_entry,
    "unplaced entry": _by_unplaced_entry,
    "lonely entry": _by_lonely_entry,
    "coverage": _by_coverage,
    "clash": _by_clash,
    "caps and demand": _by_caps_and_demand,
    "caps of demand": _by_caps_of_demand,
    "link": _by_link,
    "all requirements": _by_all_requirements,
    "premise bounds": _by_premise_bounds,
    "premise names": _by_premise_names,
    "correction": _by_correction,
    "oldest correction": _by_oldest_correction,
    "longest notice": _by_longest_notice,
    "newest notice": _by_newest_notice,
    "notice on subject": _by_notice_on_subject,
    "notice on figure": _by_notice_on_figure,
    "notice on requirement": _by_notice_on_requirement,
    "notice on like figure": _by_notice_on_like_figure,
    "notice on claim": _by_notice_on_claim,
    "notice on news": _by_notice_on_news,
    "notice on part": _by_notice_on_part,
    "attributes": _by_attributes,
    "quantities": _by_quantities,
}
"""Cheap rules of thumb by name."""
STUDIED: Mapping[str, Strategy] = {
    "deep estimate": _by_deep_estimate,
    "chain": _by_chain,
    "closed premise": _by_closed_premise,
    "failings": _by_failings,
}
"""Rules that work more out than a cheap guess may, for comparison."""
_CHOICES: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("number", "figures"): ("middle exact figure",),
    ("number", "groups"): ("highest edge",),
    ("number", "entries"): ("notice on news",),
    ("number", "requirements"): ("correction",),
    ("yes_no", "figures"): ("notice on figure",),
    ("yes_no", "groups"): ("middle bounds",),
    ("yes_no", "entries"): ("unbooked entry", "notice on news"),
    ("yes_no", "requirements"): ("correction",),
    ("list", "entries"): ("lonely entry",),
    ("document", "groups"): ("quantities",),
    ("plan", "requirements"): ("correction",),
}
"""By the kind of the question and what the documents are made of, in the order in which they are tried.

Measured over 2400 impossible packets of the six families. Before all of them comes `premise bounds`, which seldom finds
anything and then is mostly right.
"""


def _made_of(packet: Packet) -> str:
    """What a packet's documents are made of, at a glance."""
    if _required(packet):
        return "requirements"
    if next(packet.placed(Entry), None) is not None:
        return "entries"
    return "groups" if next(packet.placed(Part), None) is not None else "figures"


def _mixed(packet: Packet) -> Refusal | None:
    """By the kind of the question and what the documents are made of: the rule of thumb that is most often right."""
    names = _CHOICES.get((packet.question.kind, _made_of(packet)), ())
    tried = ("premise bounds", *names, "notice on figure", "newest notice")
    guesses = (CHEAP[name](packet) for name in tried)
    return next((guess for guess in guesses if guess is not None), None)


STRATEGIES: Mapping[str, Strategy] = {"mixed": _mixed, **CHEAP, **STUDIED}
"""All rules of thumb by name."""
