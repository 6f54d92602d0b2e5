"""A release as `release build` wrote it, read again and checked: hashes, stored optima, contracts, every file whole.

In: a folder. Out: its tasks and splits by `task_id`. ReleaseError names the file, task and field that do not hold.

What the build writes of tasks, records and optima (splits, provenance, manifest, exports) is written again from those
that are there, by the same function, and compared: of the manifest nothing is taken but the hashes.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from impossible_rubrics_env.errors import ArgumentError, CertificateError
from impossible_rubrics_env.release.build import (
    FAMILY,
    PACKETS,
    PROVENANCE,
    STRESS_SPLIT,
    TASKS,
    Environment,
    places,
    require_distinct,
    written,
)
from impossible_rubrics_env.release.contracts import keep_record_contracts, keep_task_contracts
from impossible_rubrics_env.release.convert import record_id, record_of
from impossible_rubrics_env.release.errors import BuildError, ReleaseError
from impossible_rubrics_env.release.files import plain, read_text, shown
from impossible_rubrics_env.release.manifest import MANIFEST, read_manifest, require_unchanged
from impossible_rubrics_env.release.optima import FLAWED, LEAST_BROKEN, OPTIMA, Optimum, prove_optima
from impossible_rubrics_env.release.records import Record, read_records
from impossible_rubrics_env.release.splits import read_split
from impossible_rubrics_env.release.strict_json import parse
from impossible_rubrics_env.task import Task
from impossible_rubrics_env.taskgen.arguments import draw_arguments, parse_task_id, task_id

IMPOSSIBLE_SPLITS = ("all169", "full150", STRESS_SPLIT)
CONTROLS = "controls48"
MAX_BYTES = 256 * 2**20
Progress = Callable[[Iterable[Any], int, str], Iterable[Any]]
_UNREADABLE = (LookupError, TypeError, AttributeError, ValueError, ArithmeticError, RecursionError)
"""What reading a task raises that lacks a part, or has one of another type."""


@dataclass(frozen=True, slots=True)
class Release:
    """A built release: its tasks by `task_id`, its splits, and its optima, which were proved again."""

    tasks: Mapping[str, Task]
    packets: Mapping[str, Task]
    """The packet tasks that the tasks are about, in the same order."""
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
    tasks, packets = _tasks_of(folder, TASKS), _tasks_of(folder, PACKETS)
    try:
        names = [record_id(packet) for packet in packets]
    except UnicodeEncodeError:
        raise ReleaseError(f"{plain(folder)}: {PACKETS}: a lone surrogate in an id, which is no character") from None
    if len(names) != len(tasks) or len(set(names)) != len(names):
        raise ReleaseError(f"{plain(folder)}: {PACKETS}: {len(set(names))} packet tasks, but {len(tasks)} tasks")
    known = dict(zip(names, tasks, strict=True))
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
    except _UNREADABLE as error:  # marks, panel
        raise ReleaseError(f"{plain(folder)}: {TASKS}: {type(error).__name__}: {plain(error)}") from None
    release = Release(known, dict(zip(names, packets, strict=True)), splits, tuple(optima))
    _require_stress(folder, release)
    return release


def check_release(folder: Path, progress: Progress) -> Checked:
    """All that the build promises, proved again from the folder alone. Raises ReleaseError."""
    release = read_release(folder)
    records = {one.task_id: one for one in read_records(folder)}
    if records.keys() != release.tasks.keys():
        raise ReleaseError(f"{plain(folder)}: not one packet task and one record for every task")
    environments = [
        Environment(name, task, release.packets[name], records[name]) for name, task in release.tasks.items()
    ]
    files = _written_again(folder, environments, release.optima)
    _require_about(folder, files[MANIFEST])  # before the long part: the hashes, which follow from all, come last
    _require_file(folder, PROVENANCE, files[PROVENANCE])
    for one in progress(environments, len(environments), "contracts"):
        keep_task_contracts(one.name, one.task, one.packet)
        keep_record_contracts(one.packet, one.record)
        _require_derived(one.packet, one.record)
    require_distinct(environments)
    for path in (*(path for path in files if path != MANIFEST), MANIFEST):
        _require_file(folder, path, files[path])
    count = sum(1 for file in folder.rglob("*") if file.is_file())
    return Checked(count, len(records), len(release.optima))


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


# Written again


def _written_again(folder: Path, environments: Sequence[Environment], optima: Iterable[Optimum]) -> dict[str, str]:
    """Every file by path, as the build writes it of these tasks, records and optima, with the seed of the task ids."""
    by_name: dict[str, list[Optimum]] = {one.name: [] for one in environments}
    for optimum in optima:
        by_name[optimum.task_id].append(optimum)
    try:
        seed = _require_drawn(environments)
        files, _ = written(environments, by_name, seed)
    except ArgumentError as error:
        raise ReleaseError(f"{plain(folder)}: {error}") from None
    except _UNREADABLE as error:
        raise ReleaseError(f"{plain(folder)}: {TASKS}: {type(error).__name__}: {plain(error)}") from None
    return files


def _require_drawn(environments: Sequence[Environment]) -> int:
    """The seed of the tasks, whose ids are those of the benchmark that it draws, and of the packets they are about."""
    wanted = list(places())
    if len(environments) != len(wanted):
        raise ReleaseError(f"{TASKS}: {len(environments)} tasks, not {len(wanted)}")
    seed = parse_task_id(environments[0].task.id).arguments.seed
    for line, (one, place) in enumerate(zip(environments, wanted, strict=True), 1):
        task, packet = one.task, one.packet
        where = f"{TASKS} line {line}: {plain(one.name)}"
        drawn = task_id(FAMILY, task.generator_version, draw_arguments(seed=seed, **place.arguments()), place.index)
        told = {"id": drawn, "label": str(place.label), "provenance": {"packet": packet.id, **packet.provenance}}
        fault = _difference({name: getattr(task, name) for name in told} | {"label": str(task.label)}, told)
        if fault:
            raise ReleaseError(f"{where}: {fault}")
    return seed


# Compared


def _require_about(folder: Path, text: str) -> None:
    """What the manifest says beside the hashes is what the build writes."""
    found, wanted = read_manifest(folder), parse(text)
    fault = _difference({**found, "files": None}, {**wanted, "files": None})
    if fault:
        raise ReleaseError(f"{plain(folder)}: {MANIFEST}: {fault}")


def _require_file(folder: Path, path: str, text: str) -> None:
    """The file is letter for letter the text that the build writes."""
    if not (folder / path).is_file():
        raise ReleaseError(f"{plain(folder)}: {path}: no such file, but the build writes one")
    found = read_text(folder / path, MAX_BYTES)
    if found != text:
        by_line = path.endswith(".jsonl")
        where = _line_fault(found, text) if by_line else f": {_text_fault(found, text)}"
        raise ReleaseError(f"{plain(folder)}: {path}{where}")


def _line_fault(found: str, wanted: str) -> str:
    """Line, task and field of the first line that is another one."""
    pairs = enumerate(zip_longest(found.split("\n"), wanted.split("\n")), 1)
    line, one, other = next((line, one, other) for line, (one, other) in pairs if one != other)
    if not one or not other:
        return f" line {line}: not the lines that the build writes"
    written_one = json.loads(other)
    name = written_one.get("task_id") or written_one["id"]  # of a record, or of a task
    return f" line {line}: {plain(name)}: {_text_fault(one, other)}"


def _text_fault(found: str, wanted: str) -> str:
    try:
        fault = _difference(parse(found), parse(wanted))
    except ValueError as error:
        return plain(error)
    return fault or "not in the form in which the build writes it"


def _difference(found: Any, wanted: Any, path: str = "") -> str | None:
    """The first field in which two JSON values differ, and how; None where they are the same, 1 and true not."""
    if isinstance(found, Mapping) and isinstance(wanted, Mapping):
        inner = f"{path}." if path else ""
        for name in sorted({*found, *wanted}):
            if name not in found or name not in wanted:
                what = "missing" if name in wanted else "the build writes no such field"
                return f"{inner}{plain(name)}: {what}"
            fault = _difference(found[name], wanted[name], f"{inner}{plain(name)}")
            if fault:
                return fault
        return None
    if isinstance(found, list) and isinstance(wanted, list) and len(found) == len(wanted):
        faults = (_difference(*pair, f"{path}[{place}]") for place, pair in enumerate(zip(found, wanted, strict=True)))
        return next(filter(None, faults), None)
    same = type(found) is type(wanted) and found == wanted
    return None if same else f"{path}{': ' if path else ''}{shown(found)}, but the build writes {shown(wanted)}"
