"""Reference policies on freshly generated tasks: the check of an environment before paying for a model.

Every player gets the same tasks, as prompt strings; what it replies goes through the same grader as a model's.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.grading import grade
from impossible_rubrics_env.reference_policies.policies import BLIND, Policy
from impossible_rubrics_env.summary import Summary
from impossible_rubrics_env.task import Rung, Task
from impossible_rubrics_env.taskgen.arguments import TARGET_RUNGS
from impossible_rubrics_env.taskgen.registry import generate

REFERENCE_TASKS = 400
REFERENCE_IMPOSSIBLE_PERCENT = 30
MARGIN = 0.25
"""How far careful must stay above the best blind player on the reference draw."""
_DRAWN_PER_REFERENCE_TASK = 20
NEVER_REFUSE = ("always", "naive", "eager")


def reference_tasks(n: int = REFERENCE_TASKS, families: str = "all", seed: int = 0, **arguments: Any) -> Iterator[Task]:
    """The stratified reference draw: exactly 30% impossible, the other rungs by their target shares.

    The first tasks of the draw that fill each stratum, in its order. Raises ArgumentError where the arguments leave
    a stratum empty.
    """
    wanted = reference_strata(n)
    looked_at = n * _DRAWN_PER_REFERENCE_TASK + 1000
    for task in generate(families, n=looked_at, seed=seed, **arguments):
        if not any(wanted.values()):
            return
        if wanted[task.rung] > 0:
            wanted[task.rung] -= 1
            yield task
    missing = ", ".join(f"{count} {rung}" for rung, count in wanted.items() if count)
    raise ArgumentError(f"these arguments do not fill the reference draw: {looked_at} tasks lack {missing}")


def reference_strata(n: int) -> Counter[Rung]:
    """Tasks by rung in a reference draw of `n`: rounded by largest remainder, so that they add up."""
    impossible = n * REFERENCE_IMPOSSIBLE_PERCENT // 100
    shares = {rung: weight for rung, weight in TARGET_RUNGS.items() if rung != Rung.IMPOSSIBLE}
    rest, whole = n - impossible, sum(shares.values())
    strata: Counter[Rung] = Counter({rung: rest * weight // whole for rung, weight in shares.items()})
    by_remainder = sorted(shares, key=lambda rung: -(rest * shares[rung] % whole))
    for rung in by_remainder[: rest - strata.total()]:
        strata[rung] += 1
    strata[Rung.IMPOSSIBLE] = impossible
    return strata


def play(policies: Mapping[str, Policy], tasks: Iterable[Task]) -> dict[str, Summary]:
    """Every policy on every task; a summary by policy name."""
    summaries = {name: Summary() for name in policies}
    for task in tasks:
        for name, policy in policies.items():
            summaries[name].add(task, grade(task, policy(task.prompt)))
    return summaries


def faults(summaries: Mapping[str, Summary], *, reference: bool) -> list[str]:
    """What is wrong with an environment on which these players did this; empty where nothing is.

    The margin over the blind players is asked of reference draws alone: it depends on the mix.
    """
    found = []
    means = {name: summary.total().mean_reward for name, summary in summaries.items()}
    careful = means.get("careful")
    if careful is not None and careful != 1:
        found.append(f"careful has mean reward {careful:+.3f}, not +1.000")
    for name in NEVER_REFUSE:
        solved = summaries[name].total(rung=str(Rung.IMPOSSIBLE)).solved if name in summaries else 0
        if solved:
            found.append(f"{name} solved {solved} impossible tasks without ever refusing")
    blind = {name: mean for name in BLIND if (mean := means.get(name)) is not None}
    if reference and careful is not None and blind:
        best = max(blind, key=lambda name: blind[name])
        if careful - blind[best] < MARGIN:
            found.append(f"careful is only {careful - blind[best]:.3f} above {best}; at least {MARGIN} is wanted")
    return found
