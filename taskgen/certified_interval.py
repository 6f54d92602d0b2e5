"""`certified_interval`: a quantity with a proved enclosure, and a grader that may accept values the proof refutes.

The draw fixes the wording, the grader's shape and the wanted room, then looks for a quantity and a tolerance that
land it. The label is what the exact count of doubles says, never what was wanted.
"""

import random

from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.task import Rung, Task, rung_of
from impossible_rubrics_env.taskgen.acceptance import AWAY, EVEN
from impossible_rubrics_env.taskgen.arguments import (
    ANY,
    TARGET_RUNGS,
    DrawArguments,
    choose,
    choose_weighted,
    rung_weights,
    stream,
    task_id,
)
from impossible_rubrics_env.taskgen.certified_interval_graders import Plan, Rule, rule_for
from impossible_rubrics_env.taskgen.certified_interval_quantities import draw_quantity, placements_for, refuse
from impossible_rubrics_env.taskgen.certified_interval_task import FAMILY, USES, VERSION, build_task
from impossible_rubrics_env.taskgen.pairs import index_of, position_of

__all__ = ["FAMILY", "USES", "VERSION", "make", "refuse", "twin_index"]

CERTIFICATE_PERCENT = 5
"""Share of the grader shape that is unbreakable by definition: kept rare, and out of the target mix."""
TOLERANCE_SHAPES = {"absolute": 40, "relative": 30, "rounding": 30}
GAP_PERCENT = 40
"""Of impossible tasks with a tolerance: how many leave a real band that holds no double."""
TARGET_BREAKABLE = {rung: weight for rung, weight in TARGET_RUNGS.items() if rung != Rung.IMPOSSIBLE}
ATTEMPTS_A_PLAN = 60
MAX_ATTEMPTS = 20 * ATTEMPTS_A_PLAN


def make(arguments: DrawArguments, index: int) -> Task:
    """The task at `index` of the draw. Raises ArgumentError where no quantity can meet the arguments."""
    position = position_of(arguments, FAMILY, VERSION, index)
    pair, side = divmod(position, 2) if arguments.mix == "balanced" else (index, 0)
    rng = stream(arguments.stream_text(FAMILY, VERSION, pair))
    plan = _plan(rng, arguments)
    flip = rng.randrange(2)
    for attempt in range(1, MAX_ATTEMPTS + 1):
        if attempt % ATTEMPTS_A_PLAN == 0:  # a fixed record may have no grader of the planned shape and rung
            plan = _plan(rng, arguments)
        quantity = draw_quantity(rng, arguments)
        placements = placements_for(quantity, plan.shape, arguments)
        if not placements:
            continue
        placement = choose(rng, placements)
        rules = [rule_for(rng, plan, rung, placement, arguments) for rung in plan.rungs]
        landed = [rule for rule, rung in zip(rules, plan.rungs, strict=True) if rule and _lands(rule, rung, arguments)]
        if len(landed) == len(rules):
            rule = landed[(side + flip) % len(landed)]
            return build_task(arguments, index, pair, plan, quantity, placement.certificate, rule)
    name = task_id(FAMILY, VERSION, arguments, index)
    hint = " (an exact record has no width for tau to measure in)" if arguments.tau else ""
    raise ArgumentError(f"no quantity meets these arguments{hint}: {name}")


def twin_index(arguments: DrawArguments, index: int) -> int | None:
    """Index of the minimal-edit partner; None in draws without twins."""
    if arguments.mix != "balanced":
        return None
    return index_of(arguments, FAMILY, VERSION, position_of(arguments, FAMILY, VERSION, index) ^ 1)


def _plan(rng: random.Random, arguments: DrawArguments) -> Plan:
    frames = (rng.randrange(2**16), rng.randrange(2**16), rng.randrange(2**16))
    gap = rng.randrange(100) < GAP_PERCENT
    mode = choose(rng, ("decimals", "significant"))
    ties = choose(rng, (EVEN, AWAY))
    shape = _shape(rng, arguments)
    weights = rung_weights(arguments)
    breakable = {rung: weight for rung, weight in weights.items() if rung != Rung.IMPOSSIBLE}
    if arguments.mix == "balanced" and not breakable:
        raise ArgumentError(f"rungs={arguments.rungs!r}: a balanced draw needs a breakable rung")
    imitated = _harder(choose_weighted(rng, breakable or TARGET_BREAKABLE), arguments)
    if arguments.mix == "balanced":
        rungs: tuple[Rung, ...] = (imitated, Rung.IMPOSSIBLE)
    elif arguments.room:
        rungs = (rung_of(int(arguments.room)),)
    elif shape == "certificate":
        rungs = (Rung.IMPOSSIBLE,)
    else:
        rungs = (_harder(choose_weighted(rng, weights), arguments),)
    return Plan(shape, rungs, imitated, frames, gap, mode, ties)


def _harder(rung: Rung, arguments: DrawArguments) -> Rung:
    """In the harder split every breakable task is a razor."""
    return Rung.RAZOR if arguments.split == "eval_harder" and rung != Rung.IMPOSSIBLE else rung


def _shape(rng: random.Random, arguments: DrawArguments) -> str:
    if arguments.shape != ANY:
        return arguments.shape
    if arguments.tau:
        return "absolute"
    if arguments.room:
        return choose_weighted(rng, {"absolute": 4, "relative": 3})
    if not arguments.rungs and arguments.mix == "seed" and rng.randrange(100) < CERTIFICATE_PERCENT:
        return "certificate"
    return choose_weighted(rng, TOLERANCE_SHAPES)


def _lands(rule: Rule, rung: Rung, arguments: DrawArguments) -> bool:
    if arguments.tau:
        return True
    if arguments.room:
        return rule.room == int(arguments.room)
    return rung_of(rule.room) == rung
