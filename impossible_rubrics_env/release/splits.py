"""Splits: named lists of task ids.

What comes in is a file: a manifest object (`name`, `task_ids`, and for readers `count` and `description`), a JSON array
of ids, or a text file with one id a line. What goes out is a `Split`. Refused, with ArgumentError that names the file
and the value: everything that the published scorer refuses (a missing or blank `name`; `task_ids` missing, not a list,
empty, or with an id that is no text, blank or there twice), other JSON, a name twice in one object, and too much of it.

As in the published release, `count` tells people something and is compared with nothing.
"""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeGuard

from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.release.files import BLANKS, NumberText, json_fault, parse_value, plain, read_text, shown

MAX_SPLIT_BYTES = 16 * 2**20
MAX_IDS = 200_000
MAX_ID_CHARS = 1_000


@dataclass(frozen=True, slots=True)
class Split:
    """A named list of different task ids, in order."""

    name: str
    task_ids: tuple[str, ...]
    description: str = ""

    def manifest(self) -> dict[str, Any]:
        """The split as the object that a manifest file holds."""
        return {
            "name": self.name,
            "count": len(self.task_ids),
            "description": self.description,
            "task_ids": list(self.task_ids),
        }


def read_split(path: str | os.PathLike[str], *, need_name: bool = True) -> Split:
    """Read a split; a plain list is named after its file, as is a manifest without a name if that is allowed.

    Raises ArgumentError, and OSError where the file cannot be read.
    """
    text = read_text(path, MAX_SPLIT_BYTES)
    if not text.strip(BLANKS):
        raise ArgumentError(f"{plain(path)}: the split is empty")
    value = _parsed(text, path)
    fault = json_fault(value)
    if fault:
        raise ArgumentError(f"{plain(path)}: {fault}")
    if isinstance(value, dict):
        return _from_manifest(value, path, need_name)
    if not isinstance(value, list):
        raise ArgumentError(f"{plain(path)}: a split is an object or a list of ids, not {shown(value)}")
    return Split(Path(path).stem, _checked_ids(value, path))


def split_text(split: Split) -> str:
    """The manifest file of a split, byte for byte the same for the same split."""
    return json.dumps(split.manifest(), indent=2, ensure_ascii=False) + "\n"


def _parsed(text: str, path: str | os.PathLike[str]) -> Any:
    """The JSON value of the file, or the list of its lines where it is not JSON and does not look like it."""
    try:
        return parse_value(text)
    except ValueError as error:
        if text.lstrip(BLANKS)[0] in '{["':
            raise ArgumentError(f"{plain(path)}: broken JSON: {plain(error)}") from None
    return [name for line in text.split("\n") if (name := line.strip(BLANKS))]


def _from_manifest(value: Mapping[str, Any], path: str | os.PathLike[str], need_name: bool) -> Split:
    name = value.get("name")
    if name is None and not need_name:
        name = Path(path).stem
    if not _is_text(name) or not name.strip():
        raise ArgumentError(f"{plain(path)}: name={shown(name)} is not a text that names the split")
    if "task_ids" not in value:
        raise ArgumentError(f"{plain(path)}: task_ids is missing")
    ids, description = value["task_ids"], value.get("description")
    if not isinstance(ids, list):
        raise ArgumentError(f"{plain(path)}: task_ids={shown(ids)} is not a list")
    return Split(name, _checked_ids(ids, path), description if _is_text(description) else "")


def _checked_ids(ids: Sequence[Any], path: str | os.PathLike[str]) -> tuple[str, ...]:
    if not 1 <= len(ids) <= MAX_IDS:
        raise ArgumentError(f"{plain(path)}: {len(ids)} task ids; a split has 1 to {MAX_IDS}")
    first: dict[str, int] = {}
    for place, name in enumerate(ids, start=1):
        if not _is_text(name) or not name.strip():
            raise ArgumentError(f"{plain(path)}: task id {place} is {shown(name)}, not a text that names a task")
        if len(name) > MAX_ID_CHARS:
            raise ArgumentError(f"{plain(path)}: task id {place} is longer than {MAX_ID_CHARS} characters")
        if name in first:
            raise ArgumentError(f"{plain(path)}: task ids {first[name]} and {place} are both {shown(name)}")
        first[name] = place
    return tuple(first)


def _is_text(value: Any) -> TypeGuard[str]:
    return isinstance(value, str) and not isinstance(value, NumberText)
