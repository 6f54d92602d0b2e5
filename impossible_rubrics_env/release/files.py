"""Files of a release: bounded reading, strict JSON, and output that appears as a whole or not at all.

What comes in is a path or a text; what goes out is text, JSON data, or a written file. Refused, with ArgumentError
that names the file: more bytes than the caller allows, what is not UTF-8, what is not strict JSON, and an output that
is one of the inputs. OSError goes through, for a file that cannot be opened.

Numbers of JSON come as `NumberText`, the number as it is written, so that nothing is rounded or expanded by reading.
"""

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

from impossible_rubrics_env.errors import ArgumentError

MAX_SHOWN = 120
"""Most characters of a value in a message."""
MAX_LISTED = 20
"""Most ids in a message."""
BLANKS = " \t\r\n"
"""What JSON takes for white space."""


class NumberText(str):
    """A number of JSON as it is written, or one of NaN, Infinity and -Infinity, which JSON does not have."""

    __slots__ = ()

    @property
    def is_json(self) -> bool:
        """False for NaN, Infinity and -Infinity."""
        return not self.lstrip("-")[:1].isalpha()


class RepeatedName(dict[str, Any]):
    """An object of JSON in which a name stands twice; it holds the last value of each."""

    __slots__ = ("name",)
    name: str


def read_text(path: str | os.PathLike[str], max_bytes: int) -> str:
    """The text of a file of at most `max_bytes`, without a byte order mark.

    Raises ArgumentError where it is longer or not UTF-8, and OSError where it cannot be read.
    """
    try:
        with Path(path).open("rb") as stream:
            content = stream.read(max_bytes + 1)
    except ValueError as error:  # a path with a null character
        raise ArgumentError(f"{plain(path)}: {error}") from None
    if len(content) > max_bytes:
        raise ArgumentError(f"{plain(path)}: longer than {max_bytes} bytes")
    try:
        return content.removeprefix(b"\xef\xbb\xbf").decode()
    except UnicodeDecodeError as error:
        raise ArgumentError(f"{plain(path)}: not UTF-8 at byte {error.start}") from None


@contextmanager
def naming(what: str, *paths: str | os.PathLike[str]) -> Iterator[None]:
    """Say what a file was to be, such as `--split`, where it cannot be opened, read or written within.

    The paths must lead to something. Raises ArgumentError.
    """
    try:
        for path in paths:
            if not Path(path).exists():
                raise ArgumentError(f"{what}: {plain(path)}: no such file or folder")
        yield
    except OSError as error:
        raise ArgumentError(f"{what}: {plain(error.filename or '')}: {error.strerror or error}") from None


def parse_value(text: str) -> Any:
    """One JSON value that is the whole text. Raises ValueError where it is not, or is nested beyond reason.

    Names that stand twice and numbers that are none are marked, not refused, so that the caller can say where they
    are: see `json_fault`.
    """
    try:
        return _DECODER.decode(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def starts_with_value(text: str) -> bool:
    """Whether the text starts with a whole JSON value, whatever follows it."""
    try:
        _DECODER.raw_decode(text.lstrip(BLANKS))
    except (ValueError, RecursionError):
        return False
    return True


def json_fault(value: Any) -> str | None:
    """What strict JSON forbids, anywhere in a parsed value: a name twice in one object, or a NaN or an infinity."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, RepeatedName):
            return f"the name {shown(item.name)} stands twice in one object"
        if isinstance(item, NumberText) and not item.is_json:
            return f"{item} is not a number in JSON"
        if isinstance(item, dict):
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
    return None


def shown(value: Any) -> str:
    """A value of JSON for a message: as JSON writes it, ASCII, one line, bounded."""
    if isinstance(value, NumberText):
        text = str(value)
    elif isinstance(value, (dict, list)):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"
    else:
        text = json.dumps(value)
    return text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "..."


def plain(value: object) -> str:
    """A path, a name or an id for a message or a table: ASCII, one line, bounded, without quotes."""
    return ascii(str(value)[:1_000])[1:-1]


def listed(names: Iterable[str]) -> str:
    """Ids for a message: the first ones, and how many more there are."""
    names = list(names)
    more = f" and {len(names) - MAX_LISTED} more" if len(names) > MAX_LISTED else ""
    return ", ".join(plain(name)[:MAX_SHOWN] for name in names[:MAX_LISTED]) + more


def refuse_overwriting(output: str | os.PathLike[str], inputs: Iterable[str | os.PathLike[str]]) -> None:
    """Raise ArgumentError where `output` is one of the inputs, also by a symbolic or a hard link, or is no file."""
    for path in inputs:
        if same_file(output, path):
            raise ArgumentError(f"output={plain(output)} is the input {plain(path)}")
    if Path(output).exists() and not Path(output).is_file():
        raise ArgumentError(f"output={plain(output)} exists and is not a regular file")


def same_file(one: str | os.PathLike[str], other: str | os.PathLike[str]) -> bool:
    """Whether two paths lead to one file, also by a symbolic or a hard link; neither needs to exist."""
    with suppress(OSError):
        if Path(one).samefile(other):
            return True
    return os.path.realpath(one) == os.path.realpath(other)


def write_whole(path: str | os.PathLike[str], text: str) -> None:
    """Write a UTF-8 file that is either the old one or all of the new one, whenever the process is stopped.

    A symbolic link is kept and its target replaced. Raises OSError, which names `path`.
    """
    target = Path(os.path.realpath(path))
    draft = target.with_name(f".{uuid4().hex}.part")
    try:
        with draft.open("x", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(target)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        with suppress(OSError):
            draft.unlink()


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    whole = dict(pairs)
    if len(whole) == len(pairs):
        return whole
    marked, seen = RepeatedName(whole), set()
    for name, _ in pairs:
        if name in seen:
            marked.name = name
            break
        seen.add(name)
    return marked


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=NumberText, parse_int=NumberText, parse_constant=NumberText
)
