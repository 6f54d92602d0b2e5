"""Scores saved rollouts again, from replies and proofs alone.

What comes in is files of rollouts; what goes out is a `ScoreReport`: tallies by family, label and rung, and every
finding with its count and its first places. Rewards in the files are compared and never used. Rows are read one at
a time; what stays in memory is one digest a row, two a task, and the tasks that were used last.

Refused, with ArgumentError: unknown arguments, and two different tasks of one id (nothing is reported or written
then). A task whose proof fails is reported and never pays.
"""

import json
import os
import stat
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.grading import SCHEMES, Grade, grade
from impossible_rubrics_env.rollouts import (
    Finding,
    Issue,
    Place,
    Rollout,
    digest,
    plain,
    read_rollouts,
    shown,
)
from impossible_rubrics_env.shelf import Held, Shelf
from impossible_rubrics_env.summary import Summary
from impossible_rubrics_env.task import Task

KEPT_PLACES = 5
"""Places that are named for each finding."""
UNSCORED = frozenset(
    {
        Finding.UNREADABLE_LINE,
        Finding.TRUNCATED_LINE,
        Finding.LONG_LINE,
        Finding.NOT_FINITE,
        Finding.UNKNOWN_FORMAT,
        Finding.NO_TASK,
        Finding.UNKNOWN_TASK,
        Finding.OTHER_VERSION,
        Finding.REFUSED_TASK,
        Finding.MISSING_TASK,
        Finding.MISSING_ROLLOUT,
    }
)
"""Findings that leave something unscored that should have been scored."""

OnBytes = Callable[[int], object]


@dataclass(slots=True)
class Findings:
    """How often each finding was made, and where first."""

    counts: Counter[Finding] = field(default_factory=Counter)
    first: dict[Finding, list[Issue]] = field(default_factory=dict)

    def add(self, issue: Issue, count: int = 1) -> None:
        """Count an issue; its place is kept if it is among the first."""
        self.counts[issue.finding] += count
        places = self.first.setdefault(issue.finding, [])
        if len(places) < KEPT_PLACES:
            places.append(issue)


@dataclass(slots=True)
class ScoreReport:
    """What was scored, and all that was found on the way."""

    files: tuple[str, ...]
    """The files of rollouts, and the file of tasks where there is one; places count in this list."""
    scheme: str | None
    """What rewards follow; None where each task's own does."""
    families: dict[str, Summary] = field(default_factory=dict)
    findings: Findings = field(default_factory=Findings)
    tasks: int = 0
    """Tasks that have a row."""

    @property
    def overall(self) -> Summary:
        """All families together; twins never belong to two."""
        return Summary.merged(self.families.values())

    @property
    def complete(self) -> bool:
        """Every line was scored or was a failed rollout or a duplicate, and nothing expected is missing."""
        return not any(self.findings.counts[finding] for finding in UNSCORED)

    def place(self, place: Place) -> str:
        """A place as `file:line`, with the trace where a line holds several."""
        trace = f", trace {place.trace}" if place.trace else ""
        return f"{plain(self.files[place.file])}:{place.line}{trace}"

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON data."""
        return {
            "files": [plain(name) for name in self.files],
            "scheme": self.scheme,
            "tasks": self.tasks,
            "complete": self.complete,
            "findings": {str(finding): self._finding(finding) for finding in Finding},
            "families": {name: summary.as_dict() for name, summary in sorted(self.families.items())},
            **self.overall.as_dict(),
        }

    def _finding(self, finding: Finding) -> dict[str, Any]:
        issues = self.findings.first.get(finding, [])
        first = [{"place": self.place(issue.place), "detail": issue.detail} for issue in issues]
        return {"count": self.findings.counts[finding], "first": first}


def score_files(
    paths: Sequence[str | Path],
    *,
    scheme: str | None = None,
    tasks: str | Path | None = None,
    expect: int | None = None,
    rollouts: int | None = None,
    verify: bool = False,
    out: str | Path | None = None,
    on_bytes: OnBytes | None = None,
) -> ScoreReport:
    """Score every rollout in the files.

    `scheme` replaces that of the tasks. `tasks` is a file with one task a line: rows may name them by id, and each
    must have a row. `expect` is how many tasks must have a row, `rollouts` how many rows each task must have.
    `verify` also proves every task from its source and compares it with the task that its id names. `out` receives
    one JSON line for each rollout, and appears only when all is done. `on_bytes` is told the bytes read.
    Raises ArgumentError on bad arguments and on two tasks of one id, OSError where a file cannot be read or written.
    """
    _check_arguments(paths, scheme, tasks, expect, rollouts, out)
    files = [*paths] if tasks is None else [*paths, tasks]
    report = ScoreReport(tuple(str(path) for path in files), scheme)
    shelf = Shelf(report.place, verify=verify)
    if tasks is not None:
        shelf.expect_tasks(Path(tasks), len(paths))
    with _writer(out) as write:
        scorer = _Scorer(report, shelf, scheme, write)
        for number, path in enumerate(paths):
            for row in read_rollouts(path, number, on_bytes):
                scorer.add(row)
        scorer.finish(expect, rollouts)
    return report


def _check_arguments(
    paths: Sequence[str | Path],
    scheme: str | None,
    tasks: str | Path | None,
    expect: int | None,
    rollouts: int | None,
    out: str | Path | None,
) -> None:
    if not paths:
        raise ArgumentError("there is no file to score")
    if scheme is not None and scheme not in SCHEMES:
        raise ArgumentError(f"unknown scheme={shown(scheme)}; known: {', '.join(SCHEMES)}")
    for name, value in (("expect", expect), ("rollouts", rollouts)):
        if value is not None and value < 1:
            raise ArgumentError(f"{name}={value} is not a positive number")
    if expect is not None and tasks is not None:
        raise ArgumentError("expect and tasks both say which tasks must have a row: give one of them")
    if tasks is not None and Path(tasks).exists() and not Path(tasks).is_file():
        raise ArgumentError(f"tasks={shown(tasks)} is not a regular file: its lines are looked up again")
    if out is not None:
        _check_output(Path(out), [*paths] if tasks is None else [*paths, tasks])


def _check_output(out: Path, read: Sequence[str | Path]) -> None:
    if os.path.realpath(out) in {os.path.realpath(path) for path in read}:
        raise ArgumentError(f"out={shown(out)} is one of the files that are read")
    with suppress(FileNotFoundError):
        if stat.S_ISREG(out.stat().st_mode):
            return
        raise ArgumentError(f"out={shown(out)} is not a regular file")


class _Scorer:
    """Counts rows into a report."""

    def __init__(
        self,
        report: ScoreReport,
        shelf: Shelf,
        scheme: str | None,
        write: Callable[[Mapping[str, Any]], None] | None,
    ) -> None:
        self._report = report
        self._shelf = shelf
        self._scheme = scheme
        self._write = write
        self._seen: set[bytes] = set()
        self._rows: dict[bytes, int] = {}

    def add(self, row: Rollout | Issue) -> None:
        """Count one rollout or one issue."""
        if isinstance(row, Issue):
            self._report.findings.add(row)
            return
        held = self._shelf.find(row)
        if isinstance(held, Issue):
            self._report.findings.add(held)
        elif self._is_new(row, held):
            self._score(row, held)

    def finish(self, expect: int | None, rollouts: int | None) -> None:
        """Find what is missing."""
        findings = self._report.findings
        self._report.tasks = len(self._rows)
        missing = [key for key in self._shelf.expected if key not in self._rows]
        for count, key in enumerate(missing):
            named = count < KEPT_PLACES
            detail = shown(self._shelf.expected_id(key)) if named else ""
            findings.add(Issue(Finding.MISSING_TASK, self._shelf.first_place(key), detail))
        if expect is not None and len(self._rows) < expect:
            detail = f"{len(self._rows)} tasks have a row, {expect} are expected"
            findings.add(Issue(Finding.MISSING_TASK, Place(0, 0), detail), expect - len(self._rows))
        for key, rows in self._rows.items():
            if rollouts is not None and rows < rollouts:
                detail = f"{rows} of {rollouts} rows"
                findings.add(Issue(Finding.MISSING_ROLLOUT, self._shelf.first_place(key), detail), rollouts - rows)
        if not self._rows and self._report.complete:
            findings.add(Issue(Finding.MISSING_ROLLOUT, Place(0, 0), "no file holds a rollout to score"))

    def _is_new(self, row: Rollout, held: Held) -> bool:
        """Whether this rollout was not counted yet. A failed attempt never stands in for one that succeeded."""
        name = digest(held.key + row.identity + bytes([row.failed]))
        if name in self._seen:
            self._report.findings.add(Issue(Finding.DUPLICATE, row.place, shown(held.task.id)))
            return False
        self._seen.add(name)
        self._rows[held.key] = self._rows.get(held.key, 0) + 1
        return True

    def _score(self, row: Rollout, held: Held) -> None:
        task = held.task
        self._note(row, held)
        summary = self._report.families.setdefault(task.family, Summary())
        outcome = None
        if row.failed:
            summary.add_failed(task)
        else:
            outcome = grade(task, row.reply, self._scheme)
            summary.add(task, outcome, truncated=row.truncated)
            self._compare(row, task, outcome)
        if self._write is not None:
            self._write(_graded_row(row, task, outcome, self._report))

    def _note(self, row: Rollout, held: Held) -> None:
        findings = self._report.findings
        if self._shelf.expected and held.key not in self._shelf.expected:
            findings.add(Issue(Finding.UNEXPECTED_TASK, row.place, shown(held.task.id)))
        if row.reply is None and not row.failed:
            findings.add(Issue(Finding.NO_REPLY, row.place))
        if row.unknown_fields:
            findings.add(Issue(Finding.UNKNOWN_FIELD, row.place, plain(", ".join(row.unknown_fields))))

    def _compare(self, row: Rollout, task: Task, outcome: Grade) -> None:
        """The stored reward was paid under the task's own scheme, so it is compared under that one."""
        if row.stored_reward is None:
            return
        paid = outcome.reward if self._scheme is None else grade(task, row.reply).reward
        if row.stored_reward != paid:
            detail = f"stored {row.stored_reward}, proved {float(paid)}"
            self._report.findings.add(Issue(Finding.REWARD_MISMATCH, row.place, detail))


def _graded_row(row: Rollout, task: Task, outcome: Grade | None, report: ScoreReport) -> dict[str, Any]:
    """One line of the output; of a failed rollout, without a grade."""
    return {
        "place": report.place(row.place),
        "task_id": task.id,
        "pair_id": task.pair_id,
        "family": task.family,
        "label": str(task.label),
        "rung": str(task.rung),
        "failed": row.failed,
        "truncated": row.truncated,
        "stored_reward": row.stored_reward,
        "grade": None if outcome is None else asdict(outcome),
    }


@contextmanager
def _writer(out: str | Path | None) -> Iterator[Callable[[Mapping[str, Any]], None] | None]:
    """Writes JSON lines to a temporary file beside `out`, which takes its place when all went well."""
    if out is None:
        yield None
        return
    with _named(out):
        target = Path(os.path.realpath(out))
        draft = target.with_name(f".{digest(os.fsencode(target.name)).hex()}.{os.getpid()}.part")
        stream = draft.open("x", encoding="ascii", newline="\n")

    def write(row: Mapping[str, Any]) -> None:
        with _named(out):
            print(json.dumps(row, allow_nan=False, sort_keys=True), file=stream)

    try:
        try:
            yield write
        finally:
            with _named(out):
                stream.close()
        with _named(out):
            draft.replace(target)
    finally:
        with suppress(FileNotFoundError):
            draft.unlink()


@contextmanager
def _named(path: str | Path) -> Iterator[None]:
    """Errors of the system name this path, which the caller gave, and not the one that stands in for it."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
