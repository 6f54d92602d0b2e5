"""The stored optima of a release: what the best answers under known rubrics score, to be proved again by anyone.

A line for every task and each of four rubrics: the certificate-faithful one, and those of the flawed reference writers
whom the stress split rests on. It has the rubric's hash and the walk's claim; the rubric itself is written again.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from impossible_rubrics_env.certificates.checkers import subset_walk
from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.exact import rational
from impossible_rubrics_env.reference_policies.players import WRITERS
from impossible_rubrics_env.release.errors import ReleaseError
from impossible_rubrics_env.release.files import plain, shown
from impossible_rubrics_env.release.manifest import sha256
from impossible_rubrics_env.release.strict_json import parse
from impossible_rubrics_env.reply import RubricText, read_rubric_reply
from impossible_rubrics_env.rubric_grading import marks_of
from impossible_rubrics_env.rubrics.exploit import exploit
from impossible_rubrics_env.rubrics.language import read_rubric
from impossible_rubrics_env.rubrics.marks import Marked
from impossible_rubrics_env.task import Task

OPTIMA = "optima.jsonl"
FAITHFUL = "certificate-faithful"
FLAWED = ("literal", "detailed", "partial")
"""The writers of whom at least LEAST_BROKEN must be exploited on a task of the stress split."""
LEAST_BROKEN = 2
STORED = (FAITHFUL, *FLAWED)
_FIELDS = ("task_id", "writer", "rubric_sha256", "walk")
Rubric = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Optimum:
    """The best answers of each kind under one rubric on one task."""

    task_id: str
    writer: str
    """One of STORED."""
    rubric_sha256: str
    """Of the rubric as JSON with sorted names."""
    walk: Mapping[str, Any]
    """The claim that `certificates.checkers.subset_walk` proves."""

    @property
    def is_exploited(self) -> bool:
        """Whether a dishonest answer scores at least the baseline, in the study's sense."""
        best = self.walk["violating"]
        return best is not None and rational(best["score"]) >= rational(self.walk["baseline"])

    def as_dict(self) -> dict[str, Any]:
        """The line's JSON object."""
        return {name: getattr(self, name) for name in _FIELDS}


def optima_of(name: str, task: Task) -> Iterator[Optimum]:
    """Walk the stored rubrics of a task over all answers; each claim is proved before it is given."""
    marked = marks_of(task)
    for writer in STORED:
        rubric = rubric_by(writer, task)
        claim = exploit(read_rubric(rubric, marked.ids), marked).claim()
        subset_walk.decide(rubric, marked.marks, sorted(marked.idle), claim)
        yield Optimum(name, writer, _digest(rubric), claim)


def optima_text(optima: Iterable[Optimum]) -> str:
    """The file."""
    return "".join(f"{json.dumps(one.as_dict(), sort_keys=True)}\n" for one in optima)


def prove_optima(text: str, tasks: Mapping[str, Task]) -> list[Optimum]:
    """Prove every stored optimum again, by the independent checker; the tasks are by `task_id`.

    Raises ReleaseError that names line, task, rubric and field where one does not hold, or is missing or there twice.
    """
    marked: dict[str, Marked] = {}
    found: dict[tuple[str, str], Optimum] = {}
    for place, line in enumerate(filter(None, text.split("\n")), 1):
        one = _read(line, f"{OPTIMA} line {place}", tasks)
        if one.task_id not in marked:
            marked[one.task_id] = marks_of(tasks[one.task_id])
        where = f"{OPTIMA} line {place}: {one.task_id}: {one.writer}"
        if (one.task_id, one.writer) in found:
            raise ReleaseError(f"{where}: there twice")
        _prove(one, tasks[one.task_id], marked[one.task_id], where)
        found[one.task_id, one.writer] = one
    for name in tasks:
        for writer in STORED:
            if (name, writer) not in found:
                raise ReleaseError(f"{OPTIMA}: {name}: {writer}: missing")
    return list(found.values())


def _read(line: str, where: str, tasks: Mapping[str, Task]) -> Optimum:
    try:
        value = parse(line)
    except ValueError as error:
        raise ReleaseError(f"{where}: {plain(error)}") from None
    if not isinstance(value, dict) or sorted(value) != sorted(_FIELDS):
        raise ReleaseError(f"{where}: must be an object with {', '.join(_FIELDS)}")
    one = Optimum(**value)
    if not isinstance(one.task_id, str) or one.task_id not in tasks:
        raise ReleaseError(f"{where}: task_id={shown(one.task_id)} is no task of the release")
    if one.writer not in STORED:
        raise ReleaseError(f"{where}: {one.task_id}: writer={shown(one.writer)} is none of {', '.join(STORED)}")
    return one


def _prove(one: Optimum, task: Task, marked: Marked, where: str) -> None:
    rubric = rubric_by(one.writer, task)
    if one.rubric_sha256 != _digest(rubric):
        raise ReleaseError(f"{where}: rubric_sha256: the rubric that is written here has another hash")
    try:
        subset_walk.decide(rubric, marked.marks, sorted(marked.idle), one.walk)
    except CertificateError as error:
        raise ReleaseError(f"{where}: {error}") from None


def rubric_by(writer: str, task: Task) -> Rubric:
    """The rubric of a reference writer, who reads the prompt alone, or the certificate-faithful one of the panel."""
    reply = task.answers[0]["reply"] if writer == FAITHFUL else WRITERS[writer](task.prompt)
    read = read_rubric_reply(reply)
    if not isinstance(read, RubricText):
        raise ReleaseError(f"a reference writer's rubric cannot be read: {read}")
    value: Rubric = read.value
    return value


def _digest(rubric: Rubric) -> str:
    return sha256(json.dumps(rubric, sort_keys=True).encode())
