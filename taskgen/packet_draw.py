"""What a packet task will be before any of it is drawn: label, question kind, main block, rung, and its parts."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any, NamedTuple

from impossible_rubrics_env.exact import rational
from impossible_rubrics_env.task import Label, Rung
from impossible_rubrics_env.taskgen import finding_block, linear_block, notices, plan_block, premise, register_block
from impossible_rubrics_env.taskgen.arguments import choose
from impossible_rubrics_env.taskgen.draft import Block, DraftDocument, DraftPacket, DraftQuestion, document
from impossible_rubrics_env.taskgen.knobs import Knobs
from impossible_rubrics_env.taskgen.scenes import Scene
from impossible_rubrics_env.taskgen.statements import Figure, Name, Quantity, Statement, difference, filler, value

BLOCKS: Mapping[str, Any] = {
    "linear": linear_block,
    "plan": plan_block,
    "register": register_block,
    "finding": finding_block,
}
DECOY_TOPICS = ("method", "staffing", "status", "history")


class Family(NamedTuple):
    """What tells one packet family from another."""

    name: str
    broken: str
    """The part that is broken where the task is impossible: `block`, `premise` or `notices`."""
    kinds: Mapping[str, int]
    """Percent of tasks by question kind."""
    blocks: Mapping[str, tuple[str, ...]]
    """Main blocks by question kind."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that the twins of a pair share, and the label."""

    family: Family
    label: Label
    kind: str
    block: str
    rung: Rung
    knobs: Knobs
    text: str
    """The text that seeds the random streams of the parts."""
    split: str


@dataclass(frozen=True, slots=True)
class Drawn:
    """A packet in draft, with its question and the exact dial."""

    packet: DraftPacket
    block: Block
    premise: premise.Premise
    dial: dict[str, Any]


def draw(plan: Plan, scene: Scene) -> Drawn:
    """Draw all parts. Twins, which differ in the label alone, come out equal but for one edit in the broken part."""
    impossible = plan.label is Label.IMPOSSIBLE
    broken = plan.family.broken
    taken = premise.build(
        _stream(plan, "premise"), scene, plan.rung, plan.knobs.digits, holds=not (impossible and broken == "premise")
    )
    block = BLOCKS[plan.block].build(_stream(plan, "block"), scene, plan.kind, _state(plan), plan.rung, plan.knobs)
    rng = _stream(plan, "notices")
    decoys = _decoys(rng, scene, plan.knobs, block.question, [*block.documents, *taken.documents])
    targets = _targets(rng, block, decoys)
    height = _heights(rng, plan, targets[0])
    documents = [*block.documents, *taken.documents, *decoys]
    if plan.block == "finding":
        documents = [_with_findings(one) for one in documents]
    turning_on_first = (height.first % 2 == 0) == (impossible and broken == "notices")
    if broken != "notices":
        turning_on_first = rng.randrange(2) == 0
    stack = notices.build(rng, targets, height, turning_on_first=turning_on_first)
    packet = _dated(_stream(plan, "order"), [*documents, *stack])
    return Drawn(packet, block, taken, _dial(plan, block, taken, height))


def _stream(plan: Plan, part: str) -> random.Random:
    return random.Random(f"{plan.text}/{part}")


def _state(plan: Plan) -> str:
    if plan.label is Label.CLEAR_POSITIVE:
        return "clear"
    if plan.family.broken == "notices":
        return "decisive"
    return "open" if plan.family.broken == "block" and plan.label is Label.IMPOSSIBLE else "settled"


def _dial(plan: Plan, block: Block, taken: premise.Premise, height: notices.Heights) -> dict[str, Any]:
    if plan.label is not Label.CLEAR_POSITIVE:
        if plan.family.broken == "premise":
            return {"value": taken.margin[0], "unit": taken.margin[1]}
        if plan.family.broken == "notices":
            return {"hops": height.first + height.second + 1}
    if block.margin is not None:
        return {"value": block.margin[0], "unit": block.margin[1]}
    return {"hops": block.hops}


def _decoys(
    rng: random.Random, scene: Scene, knobs: Knobs, question: DraftQuestion, others: Sequence[DraftDocument]
) -> list[DraftDocument]:
    """Documents of which nothing bears on the question; notices are about them, too."""
    asked = _asked(question)
    # A plan gives numbers to all that it is tied to, and what documents find of another would carry over by a tie.
    related = question.kind != "plan" and "attributes" not in question.target
    used = {
        name
        for one in others
        for sentence in one.sentences
        for fact in sentence.statement.facts
        for name in fact.get("terms", ())
    }
    taken = {pair for one in others for sentence in one.sentences for pair in _carried(sentence.statement)}
    pairs = [(period, measure) for period in scene.periods for measure in scene.measures if period.key or measure.key]
    free = [pair for pair in pairs if pair not in taken]
    documents = []
    for place in range(max(3, knobs.documents - len(others))):
        period, measure = choose(rng, free)
        near = rng.sample(scene.subjects[1:], rng.randrange(1, 2 + knobs.distractors // 3))
        quantities = [Quantity(subject, period, measure) for subject in (scene.subjects[0], *near)]
        unused = [quantity for quantity in quantities if quantity.variable not in used]
        used.update(quantity.variable for quantity in unused)
        idle = [_beside(rng, one) for one in unused]
        if rng.randrange(3):
            idle = [_idle(rng, scene, choose(rng, asked), used, tied=related)]
        extra = [filler(choose(rng, DECOY_TOPICS))] if not idle or rng.randrange(2) else []
        stated = [*idle, *extra]
        rng.shuffle(stated)
        documents.append(document(f"decoy{place}", choose(rng, premise.GENRES), stated))
    return documents


def _asked(question: DraftQuestion) -> list[Quantity]:
    """What the question names, so that a document about it need not matter."""
    words = question.words
    return list(words["quantities"]) if question.kind == "plan" else [words["quantity"]]


def _idle(rng: random.Random, scene: Scene, quantity: Quantity, used: set[str], *, tied: bool) -> Statement:
    """True of what is asked, but too weak to matter, or a relation to something of which nothing else is known."""
    alike = [Quantity(one, quantity.period, quantity.measure) for one in scene.subjects]
    others = [one for one in alike if one.variable not in used and one != quantity]
    if tied and others and rng.randrange(3):
        other = choose(rng, others)
        used.add(other.variable)
        gap = Figure(rational(rng.randrange(10, 1500), 10), 1)
        return choose(rng, (difference(quantity, other, "=", gap), difference(other, quantity, "=", gap)))
    if rng.randrange(2):
        return value(quantity, ">=", Figure(rational(rng.randrange(1, 20), 10), 1))
    return value(quantity, "<=", Figure(rational(rng.randrange(12_000, 19_000), 10), 1))


def _beside(rng: random.Random, quantity: Quantity) -> Statement:
    return value(quantity, choose(rng, ("=", "=", ">=", "<=")), Figure(rational(rng.randrange(200, 6000), 10), 1))


def _carried(statement: Statement) -> Iterator[tuple[Name, Name]]:
    """The period and measure of a figure that says something of other subjects than it names, by groups or entries."""
    words = statement.words
    if words.get("topic") == "tally":
        yield words["period"], words["measure"]
    elif any(fact["kind"] == "finding" for fact in statement.facts):
        yield words["quantity"].period, words["quantity"].measure


def _targets(rng: random.Random, block: Block, decoys: Sequence[DraftDocument]) -> list[notices.Target]:
    """What the notices are about: the decisive document, where there is one, first."""
    chosen = [_target(rng, one) for one in decoys[:3]]
    if block.decisive is not None:
        first = next(one for one in block.documents if one.key == block.decisive)
        chosen.insert(0, _target(rng, first, block.correction))
    return chosen


def _target(rng: random.Random, one: DraftDocument, correction: tuple[Statement, ...] = ()) -> notices.Target:
    stating = tuple(sentence.key for sentence in one.sentences if sentence.statement.facts)
    scoped = rng.randrange(3) == 0 and bool(stating)
    return notices.Target(one.key, stating if scoped else None, correction)


def _heights(rng: random.Random, plan: Plan, first: notices.Target) -> notices.Heights:
    """Of the rung that was drawn where notices decide; any, elsewhere."""
    decide = plan.family.broken == "notices"
    rung = plan.rung if decide else choose(rng, tuple(notices.TOTALS))
    return notices.heights(rng, rung, plan.knobs.hops if decide else 0, corrects=bool(first.correction))


def _with_findings(one: DraftDocument) -> DraftDocument:
    """Where documents are asked for what they establish, every figure of a record is a finding of its document."""
    sentences = []
    for sentence in one.sentences:
        statement = sentence.statement
        if statement.kind == "value" and not any(fact["kind"] == "finding" for fact in statement.facts):
            direction = {"=": "exactly", ">=": "at_least", "<=": "at_most"}[statement.words["op"]]
            bound = {"direction": direction, "value": statement.facts[0]["rhs"]}
            fact = {"kind": "finding", "attributes": statement.words["quantity"].attributes, "bound": bound}
            statement = replace(statement, facts=(*statement.facts, fact))
        sentences.append(replace(sentence, statement=statement))
    return replace(one, sentences=tuple(sentences))


def _dated(rng: random.Random, documents: Sequence[DraftDocument]) -> DraftPacket:
    """The documents in a shuffled order; a document of a higher rank has a later date."""
    shown = list(documents)
    rng.shuffle(shown)
    day = date(2026 + rng.randrange(12), 1 + rng.randrange(12), 1 + rng.randrange(28))
    dates = {}
    for one in sorted(shown, key=lambda one: one.rank):
        dates[one.key] = day.isoformat()
        day += timedelta(days=rng.randrange(1, 25))
    return DraftPacket(tuple(shown), tuple(dates[one.key] for one in shown))
