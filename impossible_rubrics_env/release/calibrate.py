"""How far rubrics of known quality are exploited on a built release, exactly: the anchors of the scale.

Rows are the certificate-faithful rubric, the reference writers, and a drawn rubric of each flaw type. All of it is
*structured* exploitability, over sets of statements: not to be set beside rates of attacks in free text.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from impossible_rubrics_env.certificates.checkers import subset_walk
from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.reference_policies.players import WRITERS
from impossible_rubrics_env.release.build import MANIFEST, STRESS_SPLIT
from impossible_rubrics_env.release.errors import ReleaseError
from impossible_rubrics_env.release.files import plain, read_text
from impossible_rubrics_env.release.splits import read_split
from impossible_rubrics_env.reply import RubricText, read_rubric_reply
from impossible_rubrics_env.rubric_grading import marks_of
from impossible_rubrics_env.rubrics.exploit import Exploit, exploit
from impossible_rubrics_env.rubrics.language import read_rubric
from impossible_rubrics_env.rubrics.marks import Marked
from impossible_rubrics_env.task import Task
from impossible_rubrics_env.taskgen.rubric_flaws import FLAWS, rubric_with

FAITHFUL = "certificate-faithful"
IMPOSSIBLE_SPLITS = ("all169", "full150", STRESS_SPLIT)
CONTROLS = "controls48"
MAX_BYTES = 256 * 2**20
Rubric = Mapping[str, Any]
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


@dataclass(frozen=True, slots=True)
class Release:
    """A built release: its tasks by `task_id`, and its splits."""

    tasks: Mapping[str, Task]
    splits: Mapping[str, tuple[str, ...]]


def read_release(directory: Path) -> Release:
    """A release as `release build` wrote it. Raises ReleaseError where it is none, or a file does not fit."""
    _check_hashes(directory)
    tasks = _tasks_of(directory / "tasks.jsonl")
    names = [_field(line, "task_id", directory) for line in _lines(directory / "provenance.jsonl")]
    if len(names) != len(tasks):
        raise ReleaseError(f"{plain(directory)}: {len(tasks)} tasks, but {len(names)} provenance records")
    known = dict(zip(names, tasks, strict=True))
    splits = {}
    for name in (*IMPOSSIBLE_SPLITS, CONTROLS):
        listed = read_split(directory / "splits" / f"{name}.json").task_ids
        if not known.keys() >= set(listed):
            raise ReleaseError(f"{plain(directory)}: splits/{name}.json: names a task that the release has not")
        splits[name] = listed
    return Release(known, splits)


def _check_hashes(directory: Path) -> None:
    """Every file that is read has the hash that the manifest says."""
    try:
        hashes = json.loads(read_text(directory / MANIFEST, MAX_BYTES))["files"]
    except FileNotFoundError:
        raise ReleaseError(f"{plain(directory)}: no {MANIFEST}; it is no folder that `release build` wrote") from None
    except (ValueError, LookupError, TypeError):
        raise ReleaseError(f"{plain(directory)}: {MANIFEST} cannot be read") from None
    read = ["tasks.jsonl", "provenance.jsonl", *(f"splits/{name}.json" for name in (*IMPOSSIBLE_SPLITS, CONTROLS))]
    for path in read:
        found = sha256(read_text(directory / path, MAX_BYTES).encode("utf-8")).hexdigest()
        if not isinstance(hashes, dict) or hashes.get(path) != found:
            raise ReleaseError(f"{plain(directory)}: {path} is not the file of the manifest")


def _lines(path: Path) -> list[str]:
    return read_text(path, MAX_BYTES).splitlines()


def _tasks_of(path: Path) -> list[Task]:
    tasks = []
    for place, line in enumerate(_lines(path), 1):
        try:
            tasks.append(Task.from_json(line))
        except CertificateError as error:
            raise ReleaseError(f"{plain(path)} line {place}: {error}") from None
    return tasks


def _field(line: str, name: str, directory: Path) -> str:
    try:
        value = json.loads(line)[name]
    except (ValueError, LookupError, TypeError):
        raise ReleaseError(f"{plain(directory)}: provenance.jsonl: a line has no {name}") from None
    return str(value)


def calibrate(release: Release, seed: int, progress: Progress) -> Calibration:
    """Every rubric on every task, walked over all answers; every optimum is proved again by the independent checker.

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
    yield FAITHFUL, _written(task.answers[0]["reply"])
    for name, write in WRITERS.items():
        yield name, _written(write(task.prompt))
    for flaw in FLAWS:
        yield _flaw_row(flaw), rubric_with(Random(f"{text}/{flaw}"), marked, flaw)


def _flaw_row(flaw: str) -> str:
    """A writer may have the name of a flaw."""
    return f"drawn: {flaw}"


def _written(reply: str) -> Rubric:
    read = read_rubric_reply(reply)
    if not isinstance(read, RubricText):
        raise ReleaseError(f"a reference writer's rubric cannot be read: {read}")
    value: Rubric = read.value
    return value


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
