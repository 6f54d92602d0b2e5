"""The published record format: environments (impossible tasks) and controls, read from a local path and written again.

In: the `data/` and `data_control/` folders of a release, or one of its combined exports. Out: `Record`, which keeps the
JSON object as it was read, fields that the format does not list included. Whether a record obeys the format is for
`validate` to say. The format is described in docs/release-format.md.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from impossible_rubrics_env.release.errors import Problem, RecordsError, ReleaseError
from impossible_rubrics_env.release.files import plain, read_text, shown
from impossible_rubrics_env.release.manifest import is_ours, require_unchanged
from impossible_rubrics_env.release.strict_json import parse

MAX_RECORDS = 100_000
"""Most records that are read from a folder or a file."""
MAX_RECORD_BYTES = 16 * 2**20
"""Longest file of one record."""
MAX_EXPORT_BYTES = 64 * 2**20
"""Longest file of many records: the published exports have a few megabytes."""


class Kind(StrEnum):
    """Which of the two formats a record has; the value is what `env_type` says in combined exports."""

    IMPOSSIBLE = "impossible"
    CONTROL = "answerable_control"


FOLDERS = {"data": Kind.IMPOSSIBLE, "data_control": Kind.CONTROL}
"""Folders of a release with one record a file."""
_ALL = ("environments_all.jsonl", "environments_all.json")
_SEPARATE = (("environments.jsonl", "environments.json"), ("controls.jsonl", "controls.json"))
_FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Record:
    """One record as it was read or made."""

    kind: Kind
    data: Mapping[str, Any]
    """The JSON object, with every field."""
    source: str
    """Where it was read, for messages: `data/x.json`, or `environments_all.jsonl line 3`."""

    @property
    def task_id(self) -> str:
        """The record's id; empty where it has none that is text."""
        name = self.data.get("task_id")
        return name if isinstance(name, str) else ""

    def problem(self, field: str, message: str) -> Problem:
        """A problem of this record."""
        return Problem(self.source, self.task_id, field, message)


@dataclass(frozen=True, slots=True)
class Loaded:
    """What was found at a path: the records that could be read, and what could not."""

    records: tuple[Record, ...]
    problems: tuple[Problem, ...]
    is_release: bool
    """Whether the path is a release's folder, which has impossible tasks; a file may have controls alone."""


def load_records(path: Path) -> Loaded:
    """Everything at a path: a release's folder, or one file (an array, `{"results": [...]}`, JSONL, or one record).

    Of a folder, `data/` and `data_control/` are read where there is one of them, else `environments_all`, else
    `environments` and `controls`. Where `release build` wrote the folder, it must be as its manifest says. Raises
    ReleaseError where it is not, or nothing is to be read.
    """
    if path.is_dir():
        if is_ours(path):
            require_unchanged(path)
        folders = [name for name in FOLDERS if (path / name).is_dir()]
        parts = list(_from_folders(path, folders)) if folders else list(_from_exports(path))
    else:
        parts = list(_from_file(path, path.name, None))
    records = tuple(one for one in parts if isinstance(one, Record))
    problems = tuple(one for one in parts if isinstance(one, Problem))
    if not parts:
        raise ReleaseError(f"{plain(path)}: no records")
    return Loaded(records, problems, path.is_dir())


def read_records(path: Path) -> tuple[Record, ...]:
    """The records at a path. Raises RecordsError where one cannot be read; nothing else is checked."""
    loaded = load_records(path)
    if loaded.problems:
        raise RecordsError(loaded.problems)
    return loaded.records


def files_at(path: Path) -> list[Path]:
    """The files that hold records at a path, whether `load_records` reads them or not: none may be written over."""
    if not path.is_dir():
        return [path]
    names = [*_ALL, *(name for names in _SEPARATE for name in names)]
    listed = [file for folder in FOLDERS for file in sorted((path / folder).glob("*.json"))]
    return [*listed, *(path / name for name in names if (path / name).exists())]


def _from_folders(path: Path, folders: Sequence[str]) -> Iterator[Record | Problem]:
    for folder in folders:
        files = sorted((path / folder).glob("*.json"))
        if len(files) > MAX_RECORDS:
            raise ReleaseError(f"{plain(path / folder)}: has more than {MAX_RECORDS} files")
        for file in files:
            source = f"{folder}/{file.name}"
            try:
                value = parse(_text_of(file, MAX_RECORD_BYTES))
            except ValueError as error:
                yield Problem(source, "", "", _without(file, error))
                continue
            yield _record(value, source, FOLDERS[folder])


def _text_of(path: Path, max_bytes: int) -> str:
    """The text of a regular file: a pipe would never end."""
    if not path.is_file():
        raise ReleaseError(f"{plain(path)}: not a file" if path.exists() else f"{plain(path)}: no such file")
    return read_text(path, max_bytes)


def _from_exports(path: Path) -> Iterator[Record | Problem]:
    combined = next((name for name in _ALL if (path / name).is_file()), None)
    if combined:
        yield from _from_file(path / combined, combined, None)
        return
    for names, kind in zip(_SEPARATE, Kind, strict=True):
        name = next((name for name in names if (path / name).is_file()), None)
        if name:
            yield from _from_file(path / name, name, kind)


def _from_file(path: Path, source: str, kind: Kind | None) -> Iterator[Record | Problem]:
    """The records of one file in any of the containers that the published scripts accept."""
    text = _text_of(path, MAX_EXPORT_BYTES)
    try:
        value = parse(text)
    except ValueError as error:
        if len(text.split("\n", 2)) == 1 or not text.strip():
            yield Problem(source, "", "", f"{error}" if text.strip() else "empty")
            return
        yield from _from_lines(text, source, kind, str(error))
        return
    if isinstance(value, dict) and isinstance(value.get("results"), list):
        value = value["results"]
    if isinstance(value, list):
        if len(value) > MAX_RECORDS:
            raise ReleaseError(f"{source}: has more than {MAX_RECORDS} records")
        for place, one in enumerate(value):
            yield _record(one, f"{source} [{place}]", kind)
    else:
        yield _record(value, source, kind)


def _from_lines(text: str, source: str, kind: Kind | None, fault: str) -> Iterator[Record | Problem]:
    """One record a line; blank lines are skipped. A file of which no line is JSON is reported as a whole."""
    found: list[Record | Problem] = []
    for place, line in enumerate(text.split("\n"), 1):
        if line.strip():
            if len(found) == MAX_RECORDS:
                raise ReleaseError(f"{source}: has more than {MAX_RECORDS} records")
            where = f"{source} line {place}"
            try:
                found.append(_record(parse(line), where, kind))
            except ValueError as error:
                found.append(Problem(where, "", "", str(error)))
    yield from found if any(isinstance(one, Record) for one in found) else [Problem(source, "", "", fault)]


def _record(value: Any, source: str, kind: Kind | None) -> Record | Problem:
    if not isinstance(value, dict):
        return Problem(source, "", "", f"a record must be an object, not {shown(value)}")
    return Record(kind or _kind_of(value), value, source)


def _kind_of(data: Mapping[str, Any]) -> Kind:
    """By `env_type` where it is there, else by what takes the certificate's place in a control."""
    if data.get("env_type") in list(Kind):
        return Kind(data["env_type"])
    return Kind.CONTROL if "ground_truth" in data and "oracle_certificate" not in data else Kind.IMPOSSIBLE


def _without(file: Path, error: ValueError) -> str:
    """The message without the file's path in front: the source is named already."""
    return str(error).removeprefix(f"{plain(file)}: ")


def record_text(record: Record) -> str:
    """A record's own file: indented by 2, non-ASCII text kept, names in their order."""
    return json.dumps(record.data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def combined_exports(records: Iterable[Record]) -> dict[str, str]:
    """The six combined exports by file name.

    `environments` is sorted by type and id, `controls` by id; `environments_all` has the one after the other, each
    record with its `env_type`. The records must be valid.
    """
    listed = sorted(records, key=lambda one: one.task_id)
    impossible = [one for one in listed if one.kind is Kind.IMPOSSIBLE]
    impossible.sort(key=lambda one: str(one.data.get("impossibility_type")))
    controls = [one for one in listed if one.kind is Kind.CONTROL]
    parts: dict[str, list[Mapping[str, Any]]] = {
        "environments": [one.data for one in impossible],
        "controls": [one.data for one in controls],
        "environments_all": [_tagged(one) for one in (*impossible, *controls)],
    }
    files = {}
    for name, rows in parts.items():
        files[f"{name}.json"] = json.dumps(rows, indent=2, ensure_ascii=False, allow_nan=False)
        lines = (json.dumps(row, ensure_ascii=False, allow_nan=False) for row in rows)
        files[f"{name}.jsonl"] = "".join(f"{line}\n" for line in lines)
    return files


def _tagged(record: Record) -> Mapping[str, Any]:
    return record.data if "env_type" in record.data else {**record.data, "env_type": str(record.kind)}


def release_files(records: Iterable[Record]) -> dict[str, str]:
    """Every file that the records make, by path: `data/`, `data_control/` and the six combined exports.

    The same records give the same bytes. Raises ReleaseError where an id cannot be a file name or occurs twice.
    """
    listed = list(records)
    folder_of = {kind: folder for folder, kind in FOLDERS.items()}
    files: dict[str, str] = {}
    names: set[str] = set()
    for record in sorted(listed, key=lambda one: one.task_id):
        if not _FILE_NAME.fullmatch(record.task_id):
            raise ReleaseError(f"{record.source}: task_id={shown(record.task_id)} cannot be the name of a file")
        if record.task_id.casefold() in names:
            raise ReleaseError(f"{record.source}: task_id={shown(record.task_id)} occurs twice")
        names.add(record.task_id.casefold())
        files[f"{folder_of[record.kind]}/{record.task_id}.json"] = record_text(record)
    return files | combined_exports(listed)


def require_empty(directory: Path) -> None:
    """Raise ReleaseError where something is at the path that is no empty directory."""
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise ReleaseError(f"{plain(directory)}: exists and is not an empty directory; name another or remove it")


def write_files(files: Mapping[str, str], directory: Path) -> None:
    """Write files by path into a new or empty directory, all of them or none. Raises ReleaseError."""
    import shutil
    import tempfile

    require_empty(directory)
    directory.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=f".{directory.name}.", dir=directory.parent))
    try:
        for name, text in files.items():
            (made / name).parent.mkdir(parents=True, exist_ok=True)
            (made / name).write_bytes(text.encode("utf-8"))
        made.chmod(0o755)
        made.replace(directory)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise
