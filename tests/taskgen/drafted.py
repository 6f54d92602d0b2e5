"""Blocks as packets without notices: their facts, their proofs, and what differs between twins."""

import os
import random
from functools import cache

from impossible_rubrics_env.certificates import packet_proofs
from impossible_rubrics_env.exact import rational
from impossible_rubrics_env.task import Rung
from impossible_rubrics_env.taskgen import linear_proofs
from impossible_rubrics_env.taskgen.draft import DraftPacket
from impossible_rubrics_env.taskgen.knobs import Knobs
from impossible_rubrics_env.taskgen.scenes import draw_scene

MANY = range(300)
"""For what is counted: how often something may or must occur."""
SEEDS = MANY if os.environ.get("ALL_SEEDS") else MANY[:60]
"""For what holds every time; `make test-matrix` tries all."""
RUNGS = (Rung.RAZOR, Rung.NARROW, Rung.WIDE)
STATES = ("open", "settled", "clear", "decisive")


@cache
def scene_of(seed):
    return draw_scene(random.Random(f"scene {seed}"), "train")


def built(module, seed, kind, state, rung, knobs=None):
    rng = random.Random(f"{seed} {kind} {rung}")
    return module.build(rng, scene_of(seed), kind, state, rung, knobs or Knobs())


def packet_of(documents):
    return DraftPacket(tuple(documents), tuple(f"2031-05-{day:02}" for day in range(1, len(documents) + 1)))


def main_proof(packet, question):
    return linear_proofs.prove(packet.in_force(), question, linear_proofs.variables_of(packet.placed(), question))


def task_of(packet, question, margin, family, hops=1):
    dial = {"hops": hops} if margin is None else {"value": margin[0], "unit": margin[1]}
    proof = {"kind": "packet", "main": main_proof(packet, question), "defeats": [], "dial": dial}
    asked = {
        "kind": question.kind,
        "target": question.target,
        "resolution": question.resolution,
        "presupposes": list(question.presupposes),
    }
    return {
        "family": family,
        "packet": packet.to_json(lambda _: "As filed.", lambda _: "Filed"),
        "question": asked,
        "certificate": {"kind": "packet", "claims": {}, "proof": proof},
    }


def proved(block, family="insufficient_evidence", documents=None):
    """What the independent checker proves of the block alone."""
    packet = packet_of(documents or block.documents)
    return packet_proofs.prove(task_of(packet, block.question, block.margin, family, block.hops))


def statements(block):
    return [sentence.statement for one in block.documents for sentence in one.sentences]


def shape_of(block):
    return [(one.genre, [sentence.statement.kind for sentence in one.sentences]) for one in block.documents]


def differing(first, second):
    """The pairs of numbers in which the facts of two blocks differ, once all else is the same."""
    assert shape_of(first) == shape_of(second)
    found = []
    for one, other in zip(statements(first), statements(second), strict=True):
        assert len(one.facts) == len(other.facts)
        changed = [(a, b) for a, b in zip(one.facts, other.facts, strict=True) if a != b]
        assert all({**a, "rhs": ""} == {**b, "rhs": ""} for a, b in changed)
        if changed:
            found.append((one.kind, [(rational(a["rhs"]), rational(b["rhs"])) for a, b in changed]))
    return found
