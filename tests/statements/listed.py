"""Lists for pairs and controls, and tasks whose certificate is about them."""

import copy
from importlib import import_module

import impossible_rubrics_env as ire
from impossible_rubrics_env.taskgen import statement_list
from impossible_rubrics_env.taskgen.registry import ANSWER

ASKED = [(family, kind) for family in ANSWER
         for kind in import_module(f"impossible_rubrics_env.taskgen.{family}").KINDS]  # fmt: skip


def pair(family, kind, place, seed=0, **params):
    """The impossible task and its twin."""
    task = ire.make_task(family, seed=seed, index=2 * place, kind=kind, mix="balanced", **params)
    return sorted((task, ire.twin(task)), key=lambda one: one.label != "impossible")


def control(family, kind, place, seed=0, **params):
    return ire.make_task(family, seed=seed, index=place, kind=kind, labels="clear_positive:1", **params)


def cases(family, kind, count, seed=0, held_out=False):
    """`count` tasks of each label, each with its list."""
    for place in range(count):
        impossible, hard = pair(family, kind, place, seed)
        yield impossible, statement_list.build(impossible, hard, impossible.pair_id, held_out)
        yield hard, statement_list.build(hard, impossible, hard.pair_id, held_out)
        clear = control(family, kind, place, seed)
        yield clear, statement_list.build(clear, None, clear.id, held_out)


def certified(task, listed):
    """The JSON of a task about the list, as far as its marks are concerned; safe to change."""
    data = task.to_mapping()
    target = {"family": task.family, "question": data["question"], "statements": listed.statements}
    proof = {"kind": "statements", "packet": data["certificate"]["proof"], "marks": listed.marks, "idle": listed.idle}
    return copy.deepcopy({
        "packet": data["packet"],
        "question": {"kind": "rubric", "target": target, "resolution": None, "presupposes": []},
        "certificate": {"kind": "statements", "claims": {}, "proof": proof},
    })  # fmt: skip
