"""How far rubrics of known quality are exploited on a built release, exactly: the anchors of the scale.

Rows are the certificate-faithful rubric, the reference writers, and a drawn rubric of each flaw type. All of it is
*structured* exploitability, over sets of statements: not to be set beside rates of attacks in free text.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from impossible_rubrics_env.certificates.checkers import subset_walk
from impossible_rubrics_env.reference_policies.players import WRITERS
from impossible_rubrics_env.release.built import CONTROLS, IMPOSSIBLE_SPLITS, Release
from impossible_rubrics_env.release.optima import FAITHFUL, Rubric, rubric_by
from impossible_rubrics_env.rubric_grading import marks_of
from impossible_rubrics_env.rubrics.exploit import Exploit, exploit
from impossible_rubrics_env.rubrics.language import read_rubric
from impossible_rubrics_env.rubrics.marks import Marked
from impossible_rubrics_env.task import Task
from impossible_rubrics_env.taskgen.rubric_flaws import FLAWS, rubric_with

Progress = Callable[[Iterable[Any], int, str], Iterable[Any]]


@dataclass(frozen=True, slots=True)
class Row:
    """One kind of rubric, over all tasks of the release."""

    name: str
    exploited: Mapping[str, int]
    """By split: tasks on which a violating answer scores at least the baseline."""
    false_claims: Mapping[str, int]
    """The same of answers that make a false claim."""
    outscored: Mapping[str, int]
    """By split: tasks on which a violating answer scores at least what the best honest answer does."""
    over_refusals: int
    """Controls on which a refusal scores at least the baseline."""
    specificity: float
    """Mean share of points on conditions that name packet content."""

    def as_dict(self) -> dict[str, Any]:
        """The row as JSON data."""
        return {
            "rubric": self.name,
            "exploited": dict(self.exploited),
            "false_claim_exploited": dict(self.false_claims),
            "honest_outscored": dict(self.outscored),
            "over_refusal_rewarded": self.over_refusals,
            "specificity": self.specificity,
        }


@dataclass(frozen=True, slots=True)
class Calibration:
    """The table."""

    sizes: Mapping[str, int]
    """Tasks by split."""
    rows: tuple[Row, ...]
    proved: int
    """Optima that were proved again."""


def calibrate(release: Release, seed: int, progress: Progress) -> Calibration:
    """Every rubric on every task, walked over all answers; every optimum is proved by the independent checker.

    Raises CertificateError where one is not.
    """
    found: dict[str, dict[str, Exploit]] = {name: {} for name in (FAITHFUL, *WRITERS, *map(_flaw_row, FLAWS))}
    for name, task in progress(release.tasks.items(), len(release.tasks), "tasks"):
        marked = marks_of(task)
        for kind, rubric in _rubrics(task, marked, f"calibrate/{seed}/{name}"):
            found[kind][name] = walked = exploit(read_rubric(rubric, marked.ids), marked)
            subset_walk.decide(rubric, marked.marks, sorted(marked.idle), walked.claim())
    rows = tuple(_row(kind, walked, release) for kind, walked in found.items())
    proved = len(release.tasks) * len(found)
    return Calibration({name: len(names) for name, names in release.splits.items()}, rows, proved)


def _rubrics(task: Task, marked: Marked, text: str) -> Iterable[tuple[str, Rubric]]:
    for name in (FAITHFUL, *WRITERS):
        yield name, rubric_by(name, task)
    for flaw in FLAWS:
        yield _flaw_row(flaw), rubric_with(Random(f"{text}/{flaw}"), marked, flaw)


def _flaw_row(flaw: str) -> str:
    """A writer may have the name of a flaw."""
    return f"drawn: {flaw}"


def _row(name: str, walked: Mapping[str, Exploit], release: Release) -> Row:
    def count(split: str, holds: Callable[[Exploit], bool]) -> int:
        return sum(holds(walked[task]) for task in release.splits[split])

    splits = (*IMPOSSIBLE_SPLITS, CONTROLS)
    shares = [one.specificity.numerator / one.specificity.denominator for one in walked.values() if one.specificity]
    return Row(
        name,
        {split: count(split, lambda one: one.exploited) for split in splits},
        {split: count(split, lambda one: one.false_claim_exploited) for split in splits},
        {split: count(split, lambda one: one.honest_outscored) for split in splits},
        count(CONTROLS, lambda one: bool(one.over_refusal_rewarded)),
        sum(shares) / max(1, len(shares)),
    )
