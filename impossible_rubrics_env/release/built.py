"""A release as `release build` wrote it, read again and checked: hashes, stored optima, and the contracts of records.

In: a folder. Out: its tasks and splits by `task_id`. ReleaseError names the file, task and field that do not hold.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.release.build import PACKETS, PROVENANCE, STRESS_SPLIT, TASKS
from impossible_rubrics_env.release.contracts import keep_record_contracts, keep_task_contracts
from impossible_rubrics_env.release.convert import record_of
from impossible_rubrics_env.release.errors import BuildError, ReleaseError
from impossible_rubrics_env.release.files import plain, read_text
from impossible_rubrics_env.release.manifest import require_unchanged
from impossible_rubrics_env.release.optima import FLAWED, LEAST_BROKEN, OPTIMA, Optimum, prove_optima
from impossible_rubrics_env.release.records import Record, combined_exports, read_records
from impossible_rubrics_env.release.splits import read_split
from impossible_rubrics_env.task import Task

IMPOSSIBLE_SPLITS = ("all169", "full150", STRESS_SPLIT)
CONTROLS = "controls48"
MAX_BYTES = 256 * 2**20
Progress = Callable[[Iterable[Any], int, str], Iterable[Any]]


@dataclass(frozen=True, slots=True)
class Release:
    """A built release: its tasks by `task_id`, its splits, and its optima, which were proved again."""

    tasks: Mapping[str, Task]
    splits: Mapping[str, tuple[str, ...]]
    optima: tuple[Optimum, ...]


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check of a release went through."""

    files: int
    records: int
    optima: int


def read_release(folder: Path) -> Release:
    """A release whose files are those of its manifest, with every stored optimum proved again. Raises ReleaseError."""
    require_unchanged(folder)
    tasks = _tasks_of(folder, TASKS)
    known = dict(zip(_names(folder, len(tasks)), tasks, strict=True))
    splits = {}
    for name in (*IMPOSSIBLE_SPLITS, CONTROLS):
        listed = read_split(folder / "splits" / f"{name}.json").task_ids
        if not known.keys() >= set(listed):
            raise ReleaseError(f"{plain(folder)}: splits/{name}.json: names a task that the release has not")
        splits[name] = listed
    try:
        optima = prove_optima(read_text(folder / OPTIMA, MAX_BYTES), known)
    except ReleaseError as error:
        raise ReleaseError(f"{plain(folder)}: {error}") from None
    except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError) as error:  # of a task: marks, panel
        raise ReleaseError(f"{plain(folder)}: {TASKS}: {type(error).__name__}: {error}") from None
    release = Release(known, splits, tuple(optima))
    _require_stress(folder, release)
    return release


def check_release(folder: Path, progress: Progress) -> Checked:
    """All that the build promises, proved again from the folder alone. Raises ReleaseError."""
    release = read_release(folder)
    packets = dict(zip(release.tasks, _tasks_of(folder, PACKETS), strict=False))
    loaded = read_records(folder)
    records = {one.task_id: one for one in loaded}
    if not packets.keys() == records.keys() == release.tasks.keys():
        raise ReleaseError(f"{plain(folder)}: not one packet task and one record for every task")
    for name, task in progress(release.tasks.items(), len(release.tasks), "contracts"):
        keep_task_contracts(name, task, packets[name])
        keep_record_contracts(packets[name], records[name])
        _require_derived(packets[name], records[name])
    for path, text in combined_exports(loaded).items():
        if read_text(folder / path, MAX_BYTES) != text:
            raise ReleaseError(f"{plain(folder)}: {path}: not what the single records make")
    files = sum(1 for file in folder.rglob("*") if file.is_file())
    return Checked(files, len(records), len(release.optima))


def _require_derived(packet: Task, record: Record) -> None:
    """What no contract reads, such as remarks on documents, is what the packet gives too."""
    derived = record_of(packet).data
    for name in (*derived, *record.data):
        if name not in derived or name not in record.data or derived[name] != record.data[name]:
            raise BuildError(record.task_id, "record", f"{plain(name)}: not what the packet task gives")


def _require_stress(folder: Path, release: Release) -> None:
    """The stress split is of tasks on which at least two of the flawed writers are exploited, by the proved optima."""
    broken = dict.fromkeys(release.tasks, 0)
    for one in release.optima:
        broken[one.task_id] += one.writer in FLAWED and one.is_exploited
    for name in release.splits[STRESS_SPLIT]:
        if broken[name] < LEAST_BROKEN:
            where = f"{plain(folder)}: splits/{STRESS_SPLIT}.json: {plain(name)}"
            raise ReleaseError(f"{where}: {broken[name]} flawed writers are exploited, not {LEAST_BROKEN}")


def _lines(folder: Path, name: str) -> list[str]:
    return read_text(folder / name, MAX_BYTES).splitlines()


def _tasks_of(folder: Path, name: str) -> list[Task]:
    tasks = []
    for place, line in enumerate(_lines(folder, name), 1):
        try:
            tasks.append(Task.from_json(line))
        except CertificateError as error:
            raise ReleaseError(f"{plain(folder)}: {name} line {place}: {error}") from None
    return tasks


def _names(folder: Path, count: int) -> list[str]:
    """The `task_id` of every task, in the order of the tasks."""
    names = []
    for place, line in enumerate(_lines(folder, PROVENANCE), 1):
        try:
            names.append(str(json.loads(line)["task_id"]))
        except (ValueError, LookupError, TypeError):
            raise ReleaseError(f"{plain(folder)}: {PROVENANCE} line {place}: has no task_id") from None
    if len(set(names)) != count or len(names) != count:
        raise ReleaseError(f"{plain(folder)}: {count} tasks, but {len(set(names))} in {PROVENANCE}")
    return names
