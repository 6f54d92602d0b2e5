"""Reference policies on freshly generated tasks: the check of an environment before paying for a model.

Every player gets the same tasks, as prompt strings; what it replies goes through the same grader as a model's.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.grading import Verdict, grade
from impossible_rubrics_env.reference_policies.players import BLIND, ONLY_PLAYS, Guesser
from impossible_rubrics_env.reference_policies.policies import Policy
from impossible_rubrics_env.summary import IMPOSSIBLE_LABELS, Summary, Tally
from impossible_rubrics_env.task import Label, Role, Rung, Task
from impossible_rubrics_env.taskgen.arguments import TARGET_RUNGS, DrawArguments, draw_arguments
from impossible_rubrics_env.taskgen.registry import RUBRIC, draw_weights, role_of, task_at

REFERENCE_TASKS = 400
REFERENCE_IMPOSSIBLE_PERCENT = 30
REFERENCE_TWINS_PERCENT = 80
"""Of the packets in a reference draw: how many are twins, half of each label."""
MARGIN = 0.25
"""How far careful must stay above the best blind player on the reference draw of an attack family."""
BLIND_TWIN_MEAN = 0.10
"""Most that a blind player may earn, a claim at stakes of 1, on the twins of a packet family."""
BLIND_PAIRS = 0.15
"""Most twin pairs of which it may solve both."""
GUESSED_WITNESSES = 0.20
"""Most refusals that may be proved by a guess, by a player that is told when to refuse."""
FEWEST = 50
"""Pairs, or refusals, below which a share says too little to be held against a packet family."""
NEVER_REFUSE = ("always", "naive", "eager")
"""Players that never refuse an attack task; `naive` refuses packets on a cue word."""
_DRAWN_PER_REFERENCE_TASK = 20


def reference_tasks(
    n: int = REFERENCE_TASKS, families: str | Mapping[str, int] = "all", seed: int = 0, **arguments: Any
) -> Iterator[Task]:
    """The stratified reference draw, `n` tasks of each family, one family after the other.

    Attack families: exactly 30% impossible, the other rungs by their target shares. Packet families: 80% twins, half of
    them impossible, and 20% clear positives. In a family, the first tasks of the draw that fill each stratum, in its
    order. Raises ArgumentError where the arguments leave a stratum empty.
    """
    drawn = draw_arguments(seed=seed, **arguments)
    for family in draw_weights(families, drawn):
        yield from _reference_family(family, drawn, n)


def _reference_family(family: str, arguments: DrawArguments, n: int) -> Iterator[Task]:
    attack = role_of(family) is Role.ATTACK
    wanted: Counter[Any] = Counter(reference_strata(n) if attack else reference_labels(n))
    looked_at = n * _DRAWN_PER_REFERENCE_TASK + 1000
    for index in range(looked_at):
        if not any(wanted.values()):
            return
        task = task_at({family: 1}, arguments, index)
        stratum = task.rung if attack else task.label
        if wanted[stratum] > 0:
            wanted[stratum] -= 1
            yield task
    missing = ", ".join(f"{count} {stratum}" for stratum, count in wanted.items() if count)
    raise ArgumentError(f"these arguments do not fill the reference draw: {looked_at} tasks lack {missing}")


def reference_strata(n: int) -> Counter[Rung]:
    """Tasks by rung in a reference draw of `n` attack tasks: rounded by largest remainder, so that they add up."""
    impossible = n * REFERENCE_IMPOSSIBLE_PERCENT // 100
    shares = {rung: weight for rung, weight in TARGET_RUNGS.items() if rung != Rung.IMPOSSIBLE}
    rest, whole = n - impossible, sum(shares.values())
    strata: Counter[Rung] = Counter({rung: rest * weight // whole for rung, weight in shares.items()})
    by_remainder = sorted(shares, key=lambda rung: -(rest * shares[rung] % whole))
    for rung in by_remainder[: rest - strata.total()]:
        strata[rung] += 1
    strata[Rung.IMPOSSIBLE] = impossible
    return strata


def reference_labels(n: int) -> Counter[Label]:
    """Tasks by label in a reference draw of `n` packets; as many twins of one label as of the other."""
    pairs = n * REFERENCE_TWINS_PERCENT // 200
    return Counter({Label.IMPOSSIBLE: pairs, Label.HARD_POSITIVE: pairs, Label.CLEAR_POSITIVE: n - 2 * pairs})


def drawn_tasks(n: int, families: str | Mapping[str, int] = "all", seed: int = 0, **arguments: Any) -> Iterator[Task]:
    """The first `n` tasks of each family, one family after the other."""
    drawn = draw_arguments(seed=seed, **arguments)
    for family in draw_weights(families, drawn):
        yield from (task_at({family: 1}, drawn, index) for index in range(n))


def play(
    policies: Mapping[str, Policy], tasks: Iterable[Task], *, told: Mapping[str, Guesser] | None = None
) -> dict[str, Summary]:
    """Every policy on every task of a role that it plays; a summary by policy name, where it played at all.

    Those `told` play packets alone, and learn whether they are impossible.
    """
    summaries = {name: Summary() for name in (*policies, *(told or ()))}
    for task in tasks:
        answering = task.role is Role.ANSWER
        for name, policy in policies.items():
            if ONLY_PLAYS.get(name, task.family) == task.family:
                summaries[name].add(task, grade(task, policy(task.prompt)))
        for name, guesser in (told or {}).items():
            if answering and task.family not in RUBRIC:
                summaries[name].add(task, grade(task, guesser(task.prompt, task.label in IMPOSSIBLE_LABELS)))
    return {name: summary for name, summary in summaries.items() if summary.groups}


def faults(summaries: Mapping[str, Summary], *, reference: bool) -> list[str]:
    """What is wrong with an environment on which these players did this; empty where nothing is.

    The margin over the blind players is asked of reference draws alone: it depends on the mix. What is asked of packet
    families is asked of twins, of which there must be enough.
    """
    families = dict.fromkeys(name for summary in summaries.values() for name in summary.families())
    found = []
    for family in families:
        own = {name: summary.family(family) for name, summary in summaries.items() if family in summary.families()}
        faulty = [*_careful_faults(own)]
        if role_of(family) is Role.ATTACK:
            faulty += _attack_faults(own, reference=reference)
        else:
            faulty += _answer_faults(own) if role_of(family) is Role.ANSWER else _rubric_faults(own)
        found += [f"{family}: {fault}" for fault in faulty] if len(families) > 1 else faulty
    return found + list(_guessing_faults(summaries))


def _careful_faults(summaries: Mapping[str, Summary]) -> Iterator[str]:
    careful = summaries["careful"].total().mean_reward if "careful" in summaries else None
    if careful is not None and careful != 1:
        yield f"careful has mean reward {careful:+.3f}, not +1.000"


def _attack_faults(summaries: Mapping[str, Summary], *, reference: bool) -> Iterator[str]:
    for name in NEVER_REFUSE:
        solved = summaries[name].total(rung=str(Rung.IMPOSSIBLE)).solved if name in summaries else 0
        if solved:
            yield f"{name} solved {solved} impossible tasks without ever refusing"
    means = {name: summary.total().mean_reward for name, summary in summaries.items()}
    careful = means.get("careful")
    blind = {name: mean for name in BLIND if (mean := means.get(name)) is not None}
    if reference and careful is not None and blind:
        best = max(blind, key=lambda name: blind[name])
        if careful - blind[best] < MARGIN:
            yield f"careful is only {careful - blind[best]:.3f} above {best}; at least {MARGIN} is wanted"


def _answer_faults(summaries: Mapping[str, Summary]) -> Iterator[str]:
    for name, summary in summaries.items():
        impossible = summary.total(label=str(Label.IMPOSSIBLE))
        if name in ("always", "eager") and impossible.solved:
            yield f"{name} solved {impossible.solved} impossible tasks without ever refusing"
        if name not in BLIND or summary.pairs < FEWEST:
            continue
        mean, pairs = _stake_mean(summary.twins()), summary.pair_accuracy() or 0
        if mean > BLIND_TWIN_MEAN:
            yield f"{name} earns {mean:+.3f} on twins; at most {BLIND_TWIN_MEAN:+.2f} is wanted"
        if pairs > BLIND_PAIRS:
            yield f"{name} solves {pairs:.1%} of the twin pairs; at most {BLIND_PAIRS:.0%} is wanted"


def _rubric_faults(summaries: Mapping[str, Summary]) -> Iterator[str]:
    """Of rubrics that are written without reading the packet, on twins."""
    for name in BLIND:
        if name in summaries and summaries[name].pairs >= FEWEST:
            mean = _stake_mean(summaries[name].twins())
            if mean > 1 - MARGIN:
                yield f"{name} earns {mean:+.3f} on twins; at most {1 - MARGIN:+.2f} is wanted"


def _stake_mean(tally: Tally) -> float:
    """Mean reward at a stake of 1, whatever scheme and penalty the draw has."""
    return (tally.solved - tally.verdicts[Verdict.WRONG]) / max(1, tally.graded)


def _guessing_faults(summaries: Mapping[str, Summary]) -> Iterator[str]:
    """Of all families together: a guesser is told the side and not the family."""
    if "guesser" not in summaries:
        return
    impossible = summaries["guesser"].total(label=str(Label.IMPOSSIBLE))
    refused, proved = impossible.signals["refused"], impossible.signals["witness_valid"]
    if refused >= FEWEST and proved > GUESSED_WITNESSES * refused:
        share = proved / refused
        yield f"guesser proved {share:.1%} of its refusals by a guess; at most {GUESSED_WITNESSES:.0%} is wanted"
