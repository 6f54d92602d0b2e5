"""Cheap answers and cheap witnesses: what a look at a packet suggests, without solving it.

They measure how far guessing carries. A strategy is told that no answer is right, and names an obstruction and a
witness by a rule of thumb; a packet is sound where even the best of them is seldom right.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from impossible_rubrics_env.exact import Rational, number_text, rational
from impossible_rubrics_env.reference_policies.packet_linear import applies, floor_of, upwards
from impossible_rubrics_env.reference_policies.packet_model import (
    Booked,
    Complete,
    Count,
    Entry,
    Graded,
    Linear,
    Notice,
    Packet,
    Placed,
    Quantity,
    Stated,
)
from impossible_rubrics_env.reference_policies.packet_solving import Refusal, Value, failings

Strategy = Callable[[Packet], Refusal | None]
_HALF = rational(1, 2)
_DEPTH = 3
"""How many statements an estimate goes through."""


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


def estimate(packet: Packet, quantity: Quantity, depth: int = _DEPTH) -> Rational | None:
    """A figure of the quantity: stated, or put together from what is stated, every bound being taken for a value."""
    facts = [one.states for one in packet.in_force(Linear)]
    stated = [one.rhs for one in facts if one.single and applies(one.single, quantity, packet.wider)]
    if stated:
        return (min(stated) + max(stated)) / 2
    for fact in facts if depth else ():
        if quantity in fact.terms and not fact.single:
            others = {one: estimate(packet, one, depth - 1) for one in fact.terms if one != quantity}
            if None not in others.values():
                rest = sum((fact.terms[one] * value for one, value in others.items()), rational(0))
                return (fact.rhs - rest) / fact.terms[quantity]
    return None


def _pair(packet: Packet, value: Rational | None) -> Refusal | None:
    """The two answers next to a value; for a comparison, two values close to it on either side."""
    question = packet.question
    if value is None or question.kind not in {"number", "yes_no"}:
        return None
    if question.kind == "number":
        return _values(*(count * question.figure for count in sorted(_steps(value, question.figure))))
    return _values(value - rational(1, 1000), value + rational(1, 1000))


def _values(first: Rational, second: Rational) -> Refusal:
    return Refusal("insufficient_evidence", [number_text(first), number_text(second)])


def _by_stated_figure(packet: Packet) -> Refusal | None:
    return _pair(packet, next(_figures(packet, packet.question.quantity), None))


def _by_estimate(packet: Packet) -> Refusal | None:
    return _pair(packet, estimate(packet, packet.question.quantity))


def _by_threshold(packet: Packet) -> Refusal | None:
    """Two values on either side of the other quantity's figure."""
    return _pair(packet, estimate(packet, packet.question.other))


def _by_stated_threshold(packet: Packet) -> Refusal | None:
    """The same, where that figure is stated in so many words."""
    return _pair(packet, estimate(packet, packet.question.other, 0))


def _by_spread(packet: Packet) -> Refusal | None:
    """Two values, far from the estimate on either side, for a comparison."""
    question = packet.question
    value = None if question.kind != "yes_no" else estimate(packet, question.quantity)
    other = None if value is None else estimate(packet, question.other)
    if other is None:
        return None
    return _values(min(value, other) - rational(1, 10), max(value, other) + rational(1, 10))


def _by_register_total(packet: Packet) -> Refusal | None:
    """All entries whose place is the asked subject, with and without the largest flagged one."""
    question, wider = packet.question, packet.wider
    entries = [one.states for one in packet.in_force(Entry)]
    if question.kind not in {"number", "yes_no"} or not entries:
        return None
    named = [one for one in entries if one.place and question.quantity.subject in upwards(one.place, wider)]
    total = sum((one.amount for one in named), rational(0))
    flagged = [one for one in entries if one.place is None or one.place not in wider]
    if not flagged:
        return None
    if question.kind == "yes_no":
        return _values(total, total + flagged[0].amount)
    answers = [_steps(value, question.figure)[0] * question.figure for value in (total, total + flagged[0].amount)]
    return _values(*answers)


def _by_newest_notice(packet: Packet) -> Refusal | None:
    for document in packet.newest_first:
        for one in packet.placed(Notice):
            if one.document is document:
                return Refusal("counterevidence_trap", [document.id, one.states.document])
    return None


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


def _likeness(packet: Packet, document: str) -> int:
    """How well what a document states matches what is asked."""
    question = packet.question
    asked = [question.quantity, question.other, *question.plan.values()]
    stated = [name for one in packet.placed(Linear) if one.document.id == document for name in one.states.terms]
    if stated:
        return max(sum(a == b for a, b in zip(x, y, strict=True)) for x in stated for y in asked)
    return 0 if any(one.document.id == document for one in packet.placed(Notice)) else 2


def _required(packet: Packet) -> list[Placed[Linear]]:
    return [one for one in packet.in_force(Linear) if one.states.requirement]


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


def _by_all_requirements(packet: Packet) -> Refusal | None:
    required = [one.sentence.id for one in _required(packet)]
    return Refusal("objective_conflict", list(dict.fromkeys(required))) if required else None


def _by_premise_names(packet: Packet) -> Refusal | None:
    """The documents that state an exact figure of the two names of the premise; else all that relate them."""
    premise = packet.question.premise
    if premise is None:
        return None
    facts = [one for one in packet.in_force(Linear) if one.states.op == "="]
    exact = [one.document.id for one in facts if one.states.single in premise]
    related = [one.document.id for one in facts if not one.states.single and set(one.states.terms) & set(premise)]
    others = {name for one in facts if one.document.id in related for name in one.states.terms}
    chained = [one.document.id for one in facts if one.states.single in others]
    found = exact if len(exact) == len(premise) else [*exact, *related, *chained]
    return Refusal("false_premise", list(dict.fromkeys(found))) if found else None


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


def _by_flagged_entry(packet: Packet) -> Refusal | None:
    """The entry whose grade is open, in the asked place if one is; else one without a place."""
    question, wider = packet.question, packet.wider
    entries = [one.states for one in packet.in_force(Entry)]
    open_grade = [one for one in entries if one.grade is None]
    there = [one for one in open_grade if one.place and question.quantity.subject in upwards(one.place, wider)]
    no_place = [one for one in entries if one.place is None or (wider and one.place not in wider)]
    found = [*there, *no_place, *open_grade]
    return Refusal("impossible_exhaustiveness", [found[0].item]) if found else None


def _by_unplaced_entry(packet: Packet) -> Refusal | None:
    entries = [one.states for one in packet.in_force(Entry) if one.states.place is None]
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
    found = [one.sentence.id for one in packet.in_force(Complete)]
    return Refusal("impossible_exhaustiveness", found[:1]) if found else None


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


def _by_failings(packet: Packet) -> Refusal | None:
    """By document, an attribute by which its figures fail; the bound where none of them does."""
    if packet.question.kind in {"list", "plan"}:
        return None
    return Refusal("missing_citation", {one.id: (failings(packet, one) or ["bound"])[0] for one in packet.documents})


def _mixed(packet: Packet) -> Refusal | None:
    """By the kind of the question and what the documents are made of: the rule of thumb that is most often right."""
    kind, order = packet.question.kind, (_by_closed_premise, _by_chain)
    if _required(packet):
        pass
    elif next(packet.placed(Entry), None) is not None:
        order = (_by_flagged_entry if kind == "list" else _by_lonely_entry, _by_register_total)
    elif kind == "yes_no":
        order = (_by_threshold, _by_closed_premise)
    elif kind == "number" and packet.wider:
        order = (_by_estimate, _by_closed_premise)
    guesses = (strategy(packet) for strategy in (*order, _by_notice_on_figure, _by_newest_notice))
    return next((guess for guess in guesses if guess is not None), None)


STRATEGIES: Mapping[str, Strategy] = {
    "mixed": _mixed,
    "stated figure": _by_stated_figure,
    "estimate": _by_estimate,
    "threshold": _by_threshold,
    "stated threshold": _by_stated_threshold,
    "spread": _by_spread,
    "register total": _by_register_total,
    "newest notice": _by_newest_notice,
    "notice on subject": _by_notice_on_subject,
    "caps and demand": _by_caps_and_demand,
    "caps of demand": _by_caps_of_demand,
    "chain": _by_chain,
    "all requirements": _by_all_requirements,
    "premise names": _by_premise_names,
    "closed premise": _by_closed_premise,
    "notice on figure": _by_notice_on_figure,
    "flagged entry": _by_flagged_entry,
    "unplaced entry": _by_unplaced_entry,
    "lonely entry": _by_lonely_entry,
    "coverage": _by_coverage,
    "attributes": _by_attributes,
    "failings": _by_failings,
}
"""Rules of thumb by name."""
