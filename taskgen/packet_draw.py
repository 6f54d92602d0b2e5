"""What a packet task will be before any of it is drawn: label, question kind, main block, rung, and its parts."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any, NamedTuple

from impossible_rubrics_env.task import Label, Rung
from impossible_rubrics_env.taskgen import (
    decoys,
    finding_block,
    linear_block,
    notices,
    plan_block,
    premise,
    register_block,
)
from impossible_rubrics_env.taskgen.arguments import choose
from impossible_rubrics_env.taskgen.draft import Block, DraftDocument, DraftPacket, statements_of
from impossible_rubrics_env.taskgen.knobs import Knobs
from impossible_rubrics_env.taskgen.scenes import Scene
from impossible_rubrics_env.taskgen.statements import (
    Statement,
)

BLOCKS: Mapping[str, Any] = {
    "linear": linear_block,
    "plan": plan_block,
    "register": register_block,
    "finding": finding_block,
}


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
    block = _block(plan, scene, _state(plan))
    rng = _stream(plan, "notices")
    decisive = next((one for one in block.documents if one.key == block.decisive), None)
    others = [*block.documents, *taken.documents]
    idle = decoys.build(rng, scene, plan.knobs, block, others, decisive, _shared(plan, block))
    targets = _targets(rng, block.correction, decisive, idle)
    height = _heights(rng, plan, targets[0])
    documents = [*others, *idle]
    turning_on_first = (height.first % 2 == 0) == (impossible and broken == "notices")
    if broken != "notices":
        turning_on_first = rng.randrange(2) == 0
    documents += notices.build(rng, targets, height, turning_on_first=turning_on_first)
    if plan.block == "finding":
        documents = [_with_findings(one) for one in documents]
    packet = _dated(_stream(plan, "order"), documents)
    return Drawn(packet, block, taken, _dial(plan, block, taken, height))


def _block(plan: Plan, scene: Scene, state: str) -> Block:
    block: Block = BLOCKS[plan.block].build(_stream(plan, "block"), scene, plan.kind, state, plan.rung, plan.knobs)
    return block


def _shared(plan: Plan, block: Block) -> list[Statement]:
    """The block's statements that its twin has too: what decoys may be made from, so that twins have the same ones."""
    is_twin = plan.family.broken == "block" and plan.label is not Label.CLEAR_POSITIVE
    edited = block.edited if is_twin else ()
    return [one for one in statements_of(block.documents) if one not in edited]


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


def _targets(
    rng: random.Random,
    correction: tuple[Statement, ...],
    decisive: DraftDocument | None,
    idle: Sequence[DraftDocument],
) -> list[notices.Target]:
    """What the notices are about: the decisive document, where there is one, first.

    Where only a correction opens the block, the first notice on each of them corrects, so that this tells nothing.
    """
    chosen = []
    for one in idle:
        if one.key.startswith(decoys.STALE) or one in idle[: decoys.LEAST + 1]:
            corrects = bool(correction) or (rng.randrange(5) == 0 and not one.key.startswith(decoys.STALE))
            chosen.append(_target(rng, one, decoys.correction(rng, one) if corrects else ()))
    if decisive is not None:
        chosen.insert(0, _target(rng, decisive, correction))
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
