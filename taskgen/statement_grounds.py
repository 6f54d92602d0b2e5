"""Three grounds on which an answer may refuse: one that proves the impossible twin, two that certainly prove nothing.

Each names another obstruction. What keeps a witness from proving anything is known from how it was made: it is no
witness that the impossible twin's proof could admit.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from impossible_rubrics_env.exact import Rational, ratio_text, rational
from impossible_rubrics_env.task import Task
from impossible_rubrics_env.taskgen import statement_facts
from impossible_rubrics_env.taskgen.draft import NOTICES
from impossible_rubrics_env.taskgen.packet_answers import is_answerable
from impossible_rubrics_env.taskgen.statement_facts import Known, is_admissible

Ground = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Pair:
    """The twins; a control without a twin has no impossible one."""

    possible: Known
    impossible: Known | None

    @property
    def sides(self) -> tuple[Known, ...]:
        """The answerable task and, where there is one, its twin."""
        return (self.possible,) if self.impossible is None else (self.possible, self.impossible)

    @property
    def broken(self) -> Known:
        """The side whose proof witnesses are held against."""
        return self.impossible or self.possible


_LIKELY: dict[str, tuple[str, ...]] = {
    "linear": ("insufficient_evidence", "false_premise", "counterevidence_trap"),
    "plan": ("objective_conflict", "false_premise", "counterevidence_trap"),
    "register": ("impossible_exhaustiveness", "false_premise", "counterevidence_trap"),
    "finding": ("missing_citation", "false_premise", "counterevidence_trap"),
}
"""What impossible tasks show, by the main block of their packets. A list that named other obstructions would give away
which of these the task is drawn for, so others are taken only where one of these cannot be made."""


def draw(rng: Random, pair: Pair, answers: Sequence[Any]) -> list[Ground]:
    """Three grounds; the first is the one that proves the impossible twin, or stands in its place.

    `answers` are those of the list, the right one first.
    """
    family = pair.possible.task.family
    lead = None if pair.impossible is None else _leading(pair, answers)
    order = rng.sample(list(_MAKERS), len(_MAKERS))
    likely = _LIKELY[pair.possible.task.provenance["block"]]
    if pair.possible.question["kind"] == "list":
        likely = (*likely, "insufficient_evidence")
    # A control leads with what its family's impossible tasks show.
    order.sort(key=lambda name: (name != family, name not in likely))
    found = [] if lead is None else [lead]
    for name in order:
        if len(found) == 3:
            break
        if lead is None or name != lead["obstruction"]:
            witness = _MAKERS[name](rng, pair, answers)
            if witness is not None:
                found.append({"kind": "ground", "obstruction": name, "witness": witness})
    return [_in_order(pair, one) for one in found]


def _leading(pair: Pair, answers: Sequence[Any]) -> Ground | None:
    """The ground that proves the impossible twin; of an open number, by the first two answers where both fit."""
    if pair.impossible is None:
        return None
    lead = _proving(pair.impossible.task)
    if lead["obstruction"] == "insufficient_evidence" and pair.possible.question["kind"] == "number":
        both = sorted(map(rational, answers[:2]))
        if all(is_admissible(pair.impossible, one) for one in both):
            return {**lead, "witness": [ratio_text(one) for one in both]}
    return lead


def _proving(impossible: Task) -> Ground:
    """The refusal that the task's certificate gives as right."""
    refusal = json.loads(impossible.certificate["claims"]["evaluation_specification"]["acceptable_refusals"][0])
    return {"kind": "ground", "obstruction": refusal["obstruction"], "witness": refusal["witness"]}


def _in_order(pair: Pair, ground: Ground) -> Ground:
    """Sets are listed as they are printed, whatever the proof's order."""
    if ground["obstruction"] not in {"objective_conflict", "false_premise"}:
        return ground
    places = {name: place for place, name in enumerate(_printed(pair.possible))}
    return {**ground, "witness": sorted(ground["witness"], key=places.__getitem__)}


def _printed(known: Known) -> Iterator[str]:
    """Ids of documents and of their sentences."""
    for one in (known.task.packet or {})["documents"]:
        yield one["id"]
        yield from (sentence["id"] for sentence in one["sentences"])


# insufficient_evidence


def _two_values(rng: Random, pair: Pair, answers: Sequence[Any]) -> list[str] | None:
    """Two values that do not both fit, or an entry that does or does not belong."""
    kind = pair.possible.question["kind"]
    if kind == "list":
        return _decided_item(rng, pair)
    if kind == "number":
        both = sorted(map(rational, answers[:2]))
        fits = pair.impossible is not None and all(is_admissible(pair.impossible, one) for one in both)
        return None if fits else [ratio_text(one) for one in both]
    return _two_ends(rng, pair) if kind == "yes_no" else None


def rival_of(rng: Random, pair: Pair, right: Rational) -> Rational:
    """An answer on the grid near the right one, by which the two can be named together.

    Where an impossible number task is open, it is so by the two: both fit. Anywhere else at most one of them does.
    """
    step = rational(pair.possible.question["resolution"])
    lead = None if pair.impossible is None else _proving(pair.impossible.task)
    open_ = lead is not None and lead["obstruction"] == "insufficient_evidence"
    near = [right + sign * size * step for size in (1, 2, 3) for sign in (1, -1)]
    rng.shuffle(near)
    far = [right + sign * size * step for size in range(4, 40) for sign in rng.sample((1, -1), 2)]
    for rival in (*near, *far):
        both = pair.impossible is not None and all(is_admissible(pair.impossible, one) for one in (right, rival))
        if rival > 0 and both == open_:
            return rival
    return next(rival for rival in near if rival > 0)


def _two_ends(rng: Random, pair: Pair) -> list[str]:
    """Two values about one that the answerable twin allows; never the two ends of what is open."""
    middle = statement_facts.quantity(pair.possible)
    span = None if pair.impossible is None else statement_facts.ends(pair.impossible)
    unit = rational(1, 100) if int(middle.denominator) > 10 else rational(1, 10)
    while True:
        both = (middle - unit * rng.randrange(1, 60), middle + unit * rng.randrange(1, 60))
        if span is None or set(both) != set(span):
            return [ratio_text(one) for one in both]


def _decided_item(rng: Random, pair: Pair) -> list[str] | None:
    """An entry that belongs or does not, by the proof of either twin."""
    items = dict(pair.possible.main.get("items", {}))
    items |= pair.broken.main.get("items", {})
    decided = [name for name, found in items.items() if found["status"] != "undecided"]
    return [rng.choice(decided)] if decided else None


# The other obstructions


def _conflict(rng: Random, pair: Pair, _: Any) -> list[str] | None:
    """Paragraphs that conflict in no way, one too many of those that do, or one too few."""
    pool = _requiring(rng, pair)
    main = pair.broken.main
    if main["kind"] != "minimal_conflict":
        return pool[: rng.choice(_SIZES)] if len(pool) > 1 else None
    conflict = list(main["members"])
    return _spoiled(rng, conflict, [one for one in pool if one not in conflict])


_SIZES = (3, 4, 4, 4, 4, 4, 5, 5, 5)
"""How many paragraphs conflict where some do, about as often."""


def _requiring(rng: Random, pair: Pair) -> list[str]:
    """Paragraphs in force in both twins: those with requirements, then figures on what is asked, then any figures."""
    asked = set().union(*(statement_facts.asked_names(side) for side in pair.sides))
    pools: list[dict[str, None]] = [{}, {}, {}]
    for one in pair.possible.in_force():
        if one.fact["kind"] == "linear" and all(side.stands(one.sentence) for side in pair.sides):
            required = one.fact["role"] == "requirement"
            pools[0 if required else 1 if asked & one.fact["terms"].keys() else 2][one.sentence] = None
    return list(dict.fromkeys(one for pool in pools for one in rng.sample(list(pool), len(pool))))


def _spoiled(rng: Random, true: list[str], others: Sequence[str]) -> list[str] | None:
    """The true set with one more or one less."""
    if others and (len(true) < 2 or rng.randrange(2)):
        return [*true, rng.choice(others)]
    return rng.sample(true, len(true) - 1) if len(true) > 1 else None


def _premise(rng: Random, pair: Pair, _: Any) -> list[str] | None:
    """Documents on what is taken for granted, which do not refute it; one too many of those that do, or one too few."""
    asked = {name for fact in pair.possible.question["presupposes"] for name in fact["terms"]}
    stating = {
        one.document: None
        for one in pair.possible.in_force()
        if one.fact["kind"] == "linear" and not asked.isdisjoint(one.fact["terms"])
    }
    rest = [one for one in pair.possible.documents if one not in stating]
    if pair.broken.main["kind"] == "refutation":
        true = list(pair.broken.main["documents"])
        return _spoiled(rng, true, [one for one in [*stating, *rest] if one not in true])
    pool = rng.sample(list(stating), len(stating)) + rng.sample(rest, len(rest))
    return pool[: rng.choice((3, 3, 3, 4))] if len(pool) > 1 else None


def _citations(rng: Random, pair: Pair, _: Any) -> dict[str, str]:
    """A reason for every document, of which one at least is wrong, or which do not matter."""
    findings = next((side.main["documents"] for side in (pair.broken, pair.possible) if "documents" in side.main
                     and side.main["kind"] == "findings"), None)  # fmt: skip
    if findings is None:
        return {one: _reason(rng, pair, one) for one in pair.possible.documents}
    reasons = {one: (findings[one] or ["bound"])[0] for one in pair.possible.documents}
    stating = [one for one in reasons if findings[one] != ["finding"]]
    reasons[rng.choice(stating or list(reasons))] = "finding" if stating else "bound"
    return reasons


def _reason(rng: Random, pair: Pair, document: str) -> str:
    if all(one.document != document or one.fact["kind"] in NOTICES for one in pair.possible.in_force()):
        return "finding"
    return rng.choice(("subject", "period", "measure", "bound"))


def _notices(rng: Random, pair: Pair, _: Any) -> list[str] | None:
    """A notice and the document it is about, where the question stays open without the notice."""
    deciding: set[str] = set()
    if pair.impossible is not None:
        defeats = pair.impossible.task.certificate["proof"]["defeats"]
        deciding = {one["notice"] for one in defeats if is_answerable(one["without"])}
    pairs = {(one.document, one.fact["target"]): None for one in pair.possible.placed if one.fact["kind"] in NOTICES}
    pool = [both for both in pairs if both[0] not in deciding]
    return list(rng.choice(pool)) if pool else None


def _open_list(rng: Random, pair: Pair, _: Any) -> list[str] | None:
    """An entry that is decided, or a paragraph that opens no list."""
    facts = list(pair.possible.in_force())
    if "items" in pair.possible.main:
        told = pair.possible.question["kind"] == "list" and pair.broken.main.get("closed", True)
        closing = {"covers", "size"} if told and rng.randrange(6) == 0 else set()
        facts = [one for one in facts if one.fact["kind"] in closing]
        if not facts:
            return _decided_item(rng, pair)
    pool = list(dict.fromkeys(one.sentence for one in facts))
    return [rng.choice(pool)] if pool else None


_MAKERS: dict[str, Callable[[Random, Pair, Any], Any]] = {
    "insufficient_evidence": _two_values,
    "objective_conflict": _conflict,
    "false_premise": _premise,
    "missing_citation": _citations,
    "counterevidence_trap": _notices,
    "impossible_exhaustiveness": _open_list,
}
"""By obstruction: a witness that proves nothing; None where none can be made for the pair."""
