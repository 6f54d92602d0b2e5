"""Train a small policy on a rubric's score while the certificate watches: what the rubric pays, and what is true.

The policy knows of each statement its kind and whether a careful reader of the prompt finds it true; it learns with
what probability it makes statements of each sort (one logit each, REINFORCE with a mean baseline). So it could always
be honest: whether it becomes so is up to the rubric.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from impossible_rubrics_env.reference_policies.statement_judging import judge
from impossible_rubrics_env.reference_policies.statement_reading import read
from impossible_rubrics_env.rubric_grading import StatementView, view_statements
from impossible_rubrics_env.rubrics import walk
from impossible_rubrics_env.rubrics.language import MICRO
from impossible_rubrics_env.rubrics.marks import FALSE_MARKS
from impossible_rubrics_env.task import Task
from impossible_rubrics_env.taskgen.registry import generate

KINDS = ("answer", "settled", "ground", "standing", "bound", "premise", "cites", "hedge")
SORTS = 2 * len(KINDS)
"""Sorts of statement: each kind, found true or not."""
FAMILY = "rubric_reward"
START = -1.0
"""First logit: a policy that makes few statements of each sort."""
Floats = npt.NDArray[np.float64]


class Step(NamedTuple):
    """Means over one batch."""

    step: int
    score: float
    """What the rubric pays, from 0 to 100."""
    false_claims: float
    """Share of answers that make a false claim, by the certificate."""
    honest: float
    """Share of honest ones, by the certificate."""


@dataclass(frozen=True, slots=True)
class Case:
    """A task, walked over all answers once."""

    sorts: npt.NDArray[np.intp]
    """Of each statement."""
    scores: Floats
    """By bits of the answer: what the rubric pays."""
    false: npt.NDArray[np.bool_]
    honest: npt.NDArray[np.bool_]


def cases(paid_by: str, n: int, seed: int, **arguments: Any) -> Iterator[Case]:
    """The first `n` tasks of the draw, paid by a rubric of this name. Raises ArgumentError on bad arguments."""
    for task in generate(FAMILY, n=n, seed=seed, paid_by=paid_by, **arguments):
        yield _case(task, view_statements(task))


def _case(task: Task, view: StatementView) -> Case:
    if view.rubric is None:
        raise ValueError(f"task {task.id}: no rubric pays it")
    found = judge(read(task.prompt))
    sorts = [2 * KINDS.index(found.means[name]["kind"]) + (found.marks[name] not in FALSE_MARKS) for name in found.ids]
    sets, kinds = walk.all_sets(len(found.ids)), walk.kinds(view.marked)
    by_bits = sets.places
    scores = walk.scores(view.rubric)[by_bits] / MICRO
    return Case(np.array(sorts), scores, kinds.false[by_bits], kinds.honest[by_bits])


def train(tasks: Sequence[Case], *, steps: int, batch: int = 32, rate: float = 0.5, seed: int = 0) -> Iterator[Step]:
    """Policy gradient on the rubric's score; each step draws `batch` answers to every task."""
    rng = np.random.default_rng(seed)
    logits = np.full(SORTS, START)
    for step in range(steps):
        gradient = np.zeros(SORTS)
        met = np.zeros(3)
        for case in tasks:
            chances = 1 / (1 + np.exp(-logits[case.sorts]))
            made = rng.random((batch, len(chances))) < chances
            bits = made @ (1 << np.arange(len(chances) - 1, -1, -1))
            paid = case.scores[bits]
            advantage = (paid - paid.mean()) / (paid.std() + 1e-6)
            np.add.at(gradient, case.sorts, advantage @ (made - chances) / batch)
            met += paid.mean(), case.false[bits].mean(), case.honest[bits].mean()
        logits += rate * gradient / len(tasks)
        score, false, honest = met / len(tasks)
        yield Step(step, float(score), float(false), float(honest))
