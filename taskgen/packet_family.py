"""From a packet family and an index to its task."""

from collections.abc import Mapping
from functools import lru_cache
from random import Random
from typing import Any

from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.task import Label, Role, Task
from impossible_rubrics_env.taskgen import packet_draw, packet_task
from impossible_rubrics_env.taskgen.arguments import (
    ANY,
    COMMON,
    DrawArguments,
    choose,
    choose_weighted,
    dial_weights,
    fits,
    streams,
    task_id,
)
from impossible_rubrics_env.taskgen.knobs import Knobs
from impossible_rubrics_env.taskgen.packet_draw import Family, Plan
from impossible_rubrics_env.taskgen.pairs import Place, place_of
from impossible_rubrics_env.taskgen.scenes import Scene, draw_scene

USES = COMMON | {"rungs", "labels", "depth", "documents", "distractors", "digits", "kind", "max_chars"}
"""Arguments of the draw that packet families use."""
HARDER_HOPS = 6
"""How many facts must be combined in the split `eval_harder`, where the caller does not say."""


def make(family: Family, version: str, arguments: DrawArguments, index: int) -> Task:
    """The task at an index. Raises ArgumentError where the family does not ask the wanted kind of question."""
    if arguments.kind not in (ANY, *family.kinds):
        raise ArgumentError(f"kind={arguments.kind!r}: {family.name} asks {', '.join(family.kinds)}")
    place = place_of(arguments, family.name, version, index)
    arguments = arguments.only(USES, Role.ANSWER)
    identity = {
        "id": task_id(family.name, version, arguments, index),
        "pair_id": task_id(family.name, version, arguments, place.key),
        "generator_version": version,
        "params": arguments.as_params(USES, Role.ANSWER),
    }
    for rng in streams(arguments, family.name, version, place.key):
        drawn = _by_label(family, arguments, place, rng)
        tasks = {label: _make(plan, arguments, identity) for label, plan in drawn.items()}
        if fits(arguments, (task.prompt for task in tasks.values())):
            return tasks[place.label]
    raise AssertionError("streams end with an error")


def _by_label(family: Family, arguments: DrawArguments, place: Place, rng: Random) -> Mapping[Label, Plan]:
    """The plan of the task; of its twin too where both must be short enough."""
    wanted = arguments.kind
    kind = choose_weighted(rng, family.kinds) if wanted == ANY else wanted
    block = choose(rng, family.blocks[kind])
    rung = choose_weighted(rng, dial_weights(arguments))
    harder = HARDER_HOPS if arguments.split == "eval_harder" else 0
    knobs = Knobs(arguments.documents, arguments.distractors, arguments.depth or harder, arguments.digits)
    text = f"{rng.getrandbits(64):x}"
    labels = {place.label}
    if place.twins and arguments.max_chars:
        labels = {Label.IMPOSSIBLE, Label.HARD_POSITIVE}
    return {label: Plan(family, label, kind, block, rung, knobs, text, arguments.split) for label in labels}


@lru_cache(maxsize=8)
def _scene(text: str, split: str) -> Scene:
    """The scene of a packet; kept, as twins share it and are most often made one after the other."""
    return draw_scene(Random(f"{text}/scene"), split)


def _make(plan: Plan, arguments: DrawArguments, identity: Mapping[str, Any]) -> Task:
    scene = _scene(plan.text, plan.split)
    return packet_task.make(plan, scene, packet_draw.draw(plan, scene), identity, arguments)
