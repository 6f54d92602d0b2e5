"""The tasks that rows of rollouts name or carry, proved before a reply is graded, and never two of one id.

What comes in is the task's JSON, or its id; what goes out is the task, ready to grade, or an `Issue` that says why it
is not. A task is made again from its id only where neither the row nor the file of expected tasks holds it, so
grading rows that carry their tasks generates nothing and imports no sympy.
"""

import json
from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from impossible_rubrics_env import FAMILIES
from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.grading import grade
from impossible_rubrics_env.rollouts import DIGEST_BYTES, Finding, Issue, Place, Rollout, digest, plain, shown
from impossible_rubrics_env.task import Task

HELD_TASKS = 1024
"""Tasks kept ready for the next row."""
_PLACE_BYTES = (4, 8)


class Held(NamedTuple):
    """A task that is ready to grade."""

    task: Task
    key: bytes
    """Digest of its id."""
    content: bytes
    """Digest of all of it."""


class _Refusal(NamedTuple):
    """Why a task cannot be used."""

    finding: Finding
    detail: str


class Shelf:
    """The tasks of the rows. Holds those used last; of the others, a digest, so that no id means two tasks."""

    def __init__(self, say: Callable[[Place], str], *, verify: bool) -> None:
        """`say` puts a place into words; `verify` also proves each task from its source, and that its id names it."""
        self._say = say
        self._verify = verify
        self._held: OrderedDict[bytes, Held | _Refusal] = OrderedDict()
        self._known: dict[bytes, bytes] = {}
        self._expected: dict[bytes, int] = {}
        self._expected_path = Path()

    @property
    def expected(self) -> Mapping[bytes, int]:
        """Expected tasks, by the digest of the id; the values are where they stand in their file."""
        return self._expected

    def expect_tasks(self, path: Path, file: int) -> None:
        """Learn the tasks of a file, one a line. Raises ArgumentError at the first line that is no sound task."""
        self._expected_path = path
        with path.open("rb") as stream:
            offset = 0
            for number, line in enumerate(stream, start=1):
                if line.strip():
                    loaded = self._load(line.strip())
                    if isinstance(loaded, _Refusal):
                        raise ArgumentError(f"{self._say(Place(file, number))}: {loaded.detail}")
                    self._agree(loaded, Place(file, number))
                    self._expected[loaded.key] = offset
                offset += len(line)

    def find(self, rollout: Rollout) -> Held | Issue:
        """The task of a rollout. Raises ArgumentError where another task has its id."""
        if rollout.task is None and rollout.task_id is None:
            return Issue(Finding.NO_TASK, rollout.place)
        entry = self._entry(rollout)
        if isinstance(entry, _Refusal):
            return Issue(entry.finding, rollout.place, entry.detail)
        if rollout.task_id not in (None, entry.task.id):
            return Issue(Finding.REFUSED_TASK, rollout.place, f"task_id={shown(rollout.task_id)} names another task")
        self._agree(entry, rollout.place)
        return entry

    def expected_id(self, key: bytes) -> str:
        """The id of an expected task."""
        return Task.from_json(self._expected_line(key)).id

    def first_place(self, key: bytes) -> Place:
        """Where the task with this key stood first."""
        known = self._known[key][DIGEST_BYTES:]
        return Place(int.from_bytes(known[: _PLACE_BYTES[0]]), int.from_bytes(known[_PLACE_BYTES[0] :]))

    def _entry(self, rollout: Rollout) -> Held | _Refusal:
        text = rollout.task
        if text is None:
            name = f"id {rollout.task_id}"
        else:
            text = text if isinstance(text, str) else json.dumps(text, sort_keys=True)
            name = f"task {text}"
        key = _digest(name)
        entry = self._held.pop(key, None)
        if entry is None:
            entry = self._by_id(str(rollout.task_id)) if text is None else self._load(text)
        self._held[key] = entry
        if len(self._held) > HELD_TASKS:
            self._held.popitem(last=False)
        return entry

    def _by_id(self, name: str) -> Held | _Refusal:
        key = _digest(name)
        if key in self._expected:
            return self._load(self._expected_line(key))
        built = _rebuild(name)
        return built if isinstance(built, _Refusal) else self._hold(built)

    def _expected_line(self, key: bytes) -> bytes:
        with self._expected_path.open("rb") as stream:
            stream.seek(self._expected[key])
            return stream.readline()

    def _load(self, text: str | bytes) -> Held | _Refusal:
        try:
            return self._hold(Task.from_json(text), text)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            return _Refusal(Finding.REFUSED_TASK, plain(error))

    def _hold(self, task: Task, text: str | bytes = b"") -> Held | _Refusal:
        """Prove the task's band; raises ValueError or TypeError where that fails. `text` is what it was read from."""
        if task.family not in FAMILIES:
            return _Refusal(Finding.REFUSED_TASK, f"unknown family {shown(task.family)}")
        grade(task, None)
        key = _digest(task.id)
        known = self._known.get(key, b"")[:DIGEST_BYTES]
        if known == _digest(text):  # the very text that `to_json` gives, so it need not be written again
            return Held(task, key, known)
        held = Held(task, key, _digest(task.to_json()))
        return _verified(held) if self._verify and known != held.content else held

    def _agree(self, held: Held, place: Place) -> None:
        """Remember which task has this id; raises ArgumentError if it is another one."""
        known = self._known.get(held.key)
        if known is None:
            packed = [part.to_bytes(size) for part, size in zip(place, _PLACE_BYTES, strict=False)]
            self._known[held.key] = held.content + b"".join(packed)
        elif known[:DIGEST_BYTES] != held.content:
            first = self._say(self.first_place(held.key))
            raise ArgumentError(
                f"{first} and {self._say(place)} hold two different tasks with the id {shown(held.task.id)}: "
                "nothing is scored"
            )


def _digest(text: str | bytes) -> bytes:
    return digest(text.encode(errors="surrogatepass") if isinstance(text, str) else text)


def _rebuild(name: str) -> Task | _Refusal:
    """The task with this id, made afresh."""
    from impossible_rubrics_env.taskgen.arguments import parse_task_id
    from impossible_rubrics_env.taskgen.registry import rebuild

    try:
        parsed = parse_task_id(name)
        version = _version(parsed.family)
        if parsed.version != version:
            detail = f"{shown(name)} is of version {shown(parsed.version)}; this package makes version {version}"
            return _Refusal(Finding.OTHER_VERSION, detail)
        return rebuild(name)
    except ArgumentError as error:
        return _Refusal(Finding.UNKNOWN_TASK, plain(error))


@cache
def _version(family: str) -> str:
    from impossible_rubrics_env.taskgen.arguments import parse_task_id
    from impossible_rubrics_env.taskgen.registry import make_task

    return parse_task_id(make_task(family).id).version


def _verified(held: Held) -> Held | _Refusal:
    """The task, if its whole proof holds and it is the one that its id names."""
    from impossible_rubrics_env.checking import check

    check(held.task)
    built = _rebuild(held.task.id)
    if isinstance(built, _Refusal):
        return built
    if built.to_json() != held.task.to_json():
        return _Refusal(Finding.REFUSED_TASK, f"not the task that {shown(held.task.id)} names")
    return held
