"""Counts and rates over many grades, by family, label and rung. Holds counts, never rows.

A rollout that failed, or was never scored, is counted and stays out of the rates; its denominator says so.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any, NamedTuple

from impossible_rubrics_env.grading import Grade, Verdict
from impossible_rubrics_env.task import Label, Rung, Task

SIGNALS = (
    "well_formed",
    "abstained",
    "refused",
    "false_claim",
    "false_answer",
    "over_refusal",
    "false_break",
    "missed_attack",
    "witness_valid",
)
"""Boolean signals of a Grade that are counted as they are."""
IMPOSSIBLE_LABELS = frozenset({Label.IMPOSSIBLE, Label.UNBREAKABLE})
TWIN_LABELS = frozenset({Label.IMPOSSIBLE, Label.HARD_POSITIVE})
"""Labels of packets that look alike; the third, clear_positive, tells whether a policy refuses what is plain."""


class Group(NamedTuple):
    """What a count belongs to."""

    family: str
    label: str
    rung: str


@dataclass(slots=True)
class Tally:
    """Counts over the graded replies of one group, and over what could not be graded."""

    graded: int = 0
    failed: int = 0
    """Rollouts without a reply: the provider or the harness failed."""
    truncated: int = 0
    """Of the graded ones: cut off by a length limit."""
    reward: float = 0
    """Sum of rewards."""
    verdicts: Counter[str] = field(default_factory=Counter)
    signals: Counter[str] = field(default_factory=Counter)

    def add(self, grade: Grade, *, truncated: bool = False) -> None:
        """Count one graded reply."""
        self.graded += 1
        self.truncated += truncated
        self.reward += grade.reward
        self.verdicts[str(grade.verdict)] += 1
        for name in SIGNALS:
            self.signals[name] += bool(getattr(grade, name))

    def merge(self, other: "Tally") -> None:
        """Add the counts of another tally."""
        self.graded += other.graded
        self.failed += other.failed
        self.truncated += other.truncated
        self.reward += other.reward
        self.verdicts.update(other.verdicts)
        self.signals.update(other.signals)

    @property
    def solved(self) -> int:
        """Replies with the verdict SOLVED."""
        return self.verdicts[Verdict.SOLVED]

    @property
    def mean_reward(self) -> float | None:
        """Mean over graded replies; None where there are none."""
        return self.reward / self.graded if self.graded else None

    def shares(self) -> dict[str, int]:
        """Graded replies by what they did: answered, refused, unsure, unreadable. They add up to `graded`."""
        refused, unsure = self.signals["refused"], self.signals["abstained"]
        unreadable = self.verdicts[Verdict.REFUSED_PARSE]
        return {
            "answered": self.graded - refused - unsure - unreadable,
            "refused": refused,
            "unsure": unsure,
            "unreadable": unreadable,
        }

    def as_dict(self) -> dict[str, Any]:
        """The tally as JSON data."""
        return {
            "graded": self.graded,
            "failed": self.failed,
            "truncated": self.truncated,
            "mean_reward": self.mean_reward,
            "solved": self.solved,
            "verdicts": {str(verdict): self.verdicts[verdict] for verdict in Verdict},
            "signals": {name: self.signals[name] for name in SIGNALS},
            **self.shares(),
        }


class Discrimination(NamedTuple):
    """Telling impossible from possible by refusing: sensitivity d' and criterion c (log-linear corrected)."""

    d_prime: float
    criterion: float


@dataclass(slots=True)
class Summary:
    """Tallies by group, and twin pairs that are waiting for their other half."""

    groups: dict[Group, Tally] = field(default_factory=dict)
    pairs_by_family: Counter[str] = field(default_factory=Counter)
    """Complete twin pairs by family."""
    solved_by_family: Counter[str] = field(default_factory=Counter)
    _waiting: dict[str, tuple[str, list[bool]]] = field(default_factory=dict, repr=False)
    """By pair: the half that is ahead, and the outcomes of it that have no partner yet."""

    @staticmethod
    def merged(parts: Iterable["Summary"]) -> "Summary":
        """Summaries of different families as one."""
        whole = Summary()
        for part in parts:
            whole.pairs_by_family.update(part.pairs_by_family)
            whole.solved_by_family.update(part.solved_by_family)
            for group, tally in part.groups.items():
                whole.groups.setdefault(group, Tally()).merge(tally)
        return whole

    @property
    def pairs(self) -> int:
        """Complete twin pairs."""
        return self.pairs_by_family.total()

    @property
    def pairs_solved(self) -> int:
        """Twin pairs with both halves solved."""
        return self.solved_by_family.total()

    def families(self) -> list[str]:
        """Names of the families, in the order in which they first came."""
        return list(dict.fromkeys(group.family for group in self.groups))

    def family(self, name: str) -> "Summary":
        """What belongs to one family: the same counts, not a copy."""
        groups = {group: tally for group, tally in self.groups.items() if group.family == name}
        pairs, solved = Counter({name: self.pairs_by_family[name]}), Counter({name: self.solved_by_family[name]})
        return Summary(groups, pairs, solved)

    def add(self, task: Task, grade: Grade, *, truncated: bool = False) -> None:
        """Count one graded reply; the two halves of a twin pair may come in any order."""
        self.tally(task).add(grade, truncated=truncated)
        if task.pair_id != task.id:
            self._add_pair(task, grade.verdict == Verdict.SOLVED)

    def add_failed(self, task: Task) -> None:
        """Count a rollout that has no reply to grade."""
        self.tally(task).failed += 1

    def tally(self, task: Task) -> Tally:
        """The tally of the task's group."""
        return self.groups.setdefault(Group(task.family, str(task.label), str(task.rung)), Tally())

    def total(self, *, family: str | None = None, label: str | None = None, rung: str | None = None) -> Tally:
        """All groups that match, merged."""
        merged = Tally()
        for group, tally in self.groups.items():
            wanted = zip((family, label, rung), group, strict=True)
            if all(name is None or name == actual for name, actual in wanted):
                merged.merge(tally)
        return merged

    def rungs(self) -> Iterator[tuple[Rung, Tally]]:
        """The merged tally of every rung, hardest first."""
        for rung in Rung:
            yield rung, self.total(rung=str(rung))

    def twins(self) -> Tally:
        """Packets that are impossible or look so, merged."""
        merged = Tally()
        for label in TWIN_LABELS:
            merged.merge(self.total(label=str(label)))
        return merged

    def label_balanced_mean(self) -> float | None:
        """Mean reward with impossible and possible weighted equally; None where one of them is missing."""
        means = [tally.mean_reward for tally in self._by_side()]
        if any(mean is None for mean in means):
            return None
        return sum(mean for mean in means if mean is not None) / 2

    def pair_accuracy(self) -> float | None:
        """Share of twin pairs with both halves solved; None where no pair is complete."""
        return self.pairs_solved / self.pairs if self.pairs else None

    def discrimination(self) -> Discrimination | None:
        """Sensitivity d' and criterion of refusing; None where a side is missing.

        Log-linear correction (Hautus 1995): 0.5 is added to each count and 1 to each total, so that a perfect
        player has a finite d'.
        """
        impossible, possible = self._by_side()
        if not impossible.graded or not possible.graded:
            return None
        hit = (impossible.signals["refused"] + 0.5) / (impossible.graded + 1)
        false_alarm = (possible.signals["refused"] + 0.5) / (possible.graded + 1)
        z = NormalDist().inv_cdf
        return Discrimination(z(hit) - z(false_alarm), -(z(hit) + z(false_alarm)) / 2)

    def as_dict(self) -> dict[str, Any]:
        """The summary as JSON data: overall, and by group."""
        apart = self.discrimination()
        return {
            "overall": self.total().as_dict(),
            "label_balanced_mean": self.label_balanced_mean(),
            "pairs": self.pairs,
            "pair_accuracy": self.pair_accuracy(),
            "d_prime": apart.d_prime if apart else None,
            "criterion": apart.criterion if apart else None,
            "groups": [{**group._asdict(), **tally.as_dict()} for group, tally in sorted(self.groups.items())],
        }

    def _by_side(self) -> tuple[Tally, Tally]:
        impossible, possible = Tally(), Tally()
        for group, tally in self.groups.items():
            (impossible if group.label in IMPOSSIBLE_LABELS else possible).merge(tally)
        return impossible, possible

    def _add_pair(self, task: Task, solved: bool) -> None:
        """The n-th reply to one half makes a pair with the n-th reply to the other, never with one to itself."""
        half, outcomes = self._waiting.setdefault(task.pair_id, (task.id, []))
        if half == task.id:
            outcomes.append(solved)
            return
        self.pairs_by_family[task.family] += 1
        self.solved_by_family[task.family] += outcomes.pop(0) and solved
        if not outcomes:
            del self._waiting[task.pair_id]
