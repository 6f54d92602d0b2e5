"""Reads saved rollouts, one at a time: what `verifiers` 0.2, 0.3 and 0.4 write, and plain JSON lines.

What comes in is a file of lines; what goes out, in order, is a `Rollout` for every rollout and an `Issue` for every
line that is none. A line that is broken, too long, not strict JSON or of an unknown shape never affects its
neighbours. Nothing is graded here, and nothing in a file is run, imported or believed: the stored reward is kept
only to be compared.

A field that is null and a field that is absent are the same thing.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b
from math import inf, isfinite
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, NoReturn

MAX_LINE_BYTES = 64 * 2**20
"""Longest line that is read into memory."""
DIGEST_BYTES = 16
POLICY_AGENT = "agent"
"""The agent whose traces are scored in an episode of several agents."""

_PLAIN_FIELDS = frozenset(
    {"task", "task_id", "reply", "rollout", "attempt", "reward", "truncated", "finish_reason", "error"}
)
_LENGTH_LIMITS = frozenset(
    {"max_turns", "max_input_tokens", "max_output_tokens", "max_total_tokens", "compaction_failed", "length"}
)
_SHOWN = 120


class Finding(StrEnum):
    """Something about a line or a file that a reader of the scores must know."""

    UNREADABLE_LINE = "unreadable_line"
    """Not UTF-8, not JSON, nested beyond reason, or with a name twice in one object."""
    TRUNCATED_LINE = "truncated_line"
    """The last line: not JSON, and without a line feed at its end."""
    LONG_LINE = "long_line"
    """Longer than MAX_LINE_BYTES."""
    NOT_FINITE = "not_finite"
    """A NaN or an infinity, which no strict reader accepts."""
    UNKNOWN_FORMAT = "unknown_format"
    """JSON, but no rollout that this reader knows."""
    NO_TASK = "no_task"
    """A rollout that says neither its task nor its task's id."""
    UNKNOWN_TASK = "unknown_task"
    """A task id that this package cannot build."""
    OTHER_VERSION = "other_version"
    """A task id of another generator version, without the task itself."""
    REFUSED_TASK = "refused_task"
    """A task that is malformed or whose proof fails: nothing on it is ever paid."""
    MISSING_TASK = "missing_task"
    """A task that was expected and has no row."""
    MISSING_ROLLOUT = "missing_rollout"
    """A task with fewer rows than expected."""
    UNEXPECTED_TASK = "unexpected_task"
    """A row whose task is not among the expected ones; it is scored."""
    DUPLICATE = "duplicate"
    """A row that repeats a rollout; it is counted here and nowhere else."""
    REWARD_MISMATCH = "reward_mismatch"
    """The reward stored in the file is not the one that the proof gives; the latter counts."""
    OTHER_AGENT = "other_agent"
    """A trace of another agent than the policy, in an episode of several; it is not scored."""
    NO_REPLY = "no_reply"
    """A plain row with neither a reply nor an error; it is graded as an unreadable reply."""
    UNKNOWN_FIELD = "unknown_field"
    """A field that this reader does not know, in a plain row; the row is scored."""
    BLANK_LINE = "blank_line"


class Place(NamedTuple):
    """Where something stands: file by its position in the list, line from 1, trace of the line from 0."""

    file: int
    line: int
    trace: int = 0


class Issue(NamedTuple):
    """A finding at a place."""

    finding: Finding
    place: Place
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Rollout:
    """One rollout as it was saved."""

    place: Place
    task: str | Mapping[str, Any] | None
    """The task itself, as JSON text or object; not looked into yet."""
    task_id: str | None
    """What the row calls its task, where it does not carry it."""
    reply: Any
    """The policy's own text, a list of messages, or None."""
    failed: bool
    """The model or the framework failed, so there is no reply to judge."""
    truncated: bool
    """The reply was cut off by a limit."""
    stored_reward: float | None
    identity: bytes
    """Equal for two rows of a task only if they are the same rollout."""
    unknown_fields: tuple[str, ...] = ()


class _BadRowError(ValueError):
    """A row that is not what its format promises; the message says why."""


class _NotFiniteError(ValueError):
    """A number that strict JSON does not have."""


class _Line(NamedTuple):
    place: Place
    digest: bytes


def shown(value: Any) -> str:
    """A value for a message: ASCII, one line, bounded."""
    return ascii(value if isinstance(value, (int, float, bool, type(None))) else str(value)[:_SHOWN])


def plain(value: Any, longest: int = 400) -> str:
    """A text for a message, without quotes: ASCII, one line, bounded."""
    return ascii(str(value)[:longest])[1:-1]


def read_rollouts(
    path: str | Path, file: int = 0, on_bytes: Callable[[int], object] | None = None
) -> Iterator[Rollout | Issue]:
    """Every rollout of a file and every line that holds none. Raises OSError where the file cannot be read.

    `file` is what places call this file; `on_bytes` is told the size of each line, for a progress bar.
    """
    with Path(path).open("rb") as stream:
        for number, line in enumerate(_lines(stream), start=1):
            if on_bytes is not None:
                on_bytes(line.size)
            yield from _read_line(line, Place(file, number))


class RawLine(NamedTuple):
    """A line of a file, without its end; `content` is None where it is too long to be held."""

    content: bytes | None
    ended: bool
    """It had a line feed at its end."""
    size: int


def _lines(stream: BinaryIO) -> Iterator[RawLine]:
    """Lines split at line feeds alone; what is too long is passed over without being held."""
    while line := stream.readline(MAX_LINE_BYTES + 1):
        size = len(line)
        if size <= MAX_LINE_BYTES or line.endswith(b"\n"):
            yield RawLine(line.removesuffix(b"\n"), line.endswith(b"\n"), size)
            continue
        while (line := stream.readline(1 << 20)) and not line.endswith(b"\n"):
            size += len(line)
        yield RawLine(None, bool(line), size + len(line))


def _read_line(line: RawLine, place: Place) -> Iterator[Rollout | Issue]:
    if line.content is None:
        yield Issue(Finding.LONG_LINE, place, f"{line.size} bytes, of which {MAX_LINE_BYTES} are read")
        return
    content = line.content.strip(b" \t\r\n")
    if place.line == 1:
        content = content.removeprefix(b"\xef\xbb\xbf")
    if not content:
        yield Issue(Finding.BLANK_LINE, place)
        return
    try:
        row = parse_json(content.decode())
        yield from _read_row(row, _Line(place, digest(content)))
    except _NotFiniteError as error:
        yield Issue(Finding.NOT_FINITE, place, str(error))
    except _BadRowError as error:
        yield Issue(Finding.UNKNOWN_FORMAT, place, str(error))
    except (ValueError, RecursionError) as error:
        finding = Finding.UNREADABLE_LINE if line.ended else Finding.TRUNCATED_LINE
        yield Issue(finding, place, plain(error))


def digest(content: bytes) -> bytes:
    """A short name of some bytes, long enough that nobody can make two with one name."""
    return blake2b(content, digest_size=DIGEST_BYTES).digest()


def _unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = dict(pairs)
    if len(names) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return names


def _refuse_constant(name: str) -> NoReturn:
    raise _NotFiniteError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique_names, parse_constant=_refuse_constant)


def parse_json(text: str) -> Any:
    """Strict JSON. Raises ValueError or RecursionError."""
    return _DECODER.decode(text)


def _read_row(row: Any, line: _Line) -> Iterator[Rollout | Issue]:
    """The rollouts of a row, whose format is known by its keys."""
    if not isinstance(row, dict):
        raise _BadRowError(f"a row is an object, not {type(row).__name__}")
    if "traces" in row:
        yield from list(_read_episode(row, line))
    elif "nodes" in row:
        yield _read_trace(row, line)
    elif "completion" in row:
        yield _read_v0(row, line)
    elif not row.keys().isdisjoint(("reply", "task", "task_id")):
        yield _read_plain(row, line)
    else:
        raise _BadRowError(f"none of traces, nodes, completion, reply, task, task_id is in it: {shown(sorted(row))}")


def _read_episode(row: Mapping[str, Any], line: _Line) -> Iterator[Rollout | Issue]:
    """`verifiers` 0.3 and 0.4: the traces of the policy, or one failed rollout where there is no trace."""
    traces = _list(row, "traces")
    failed = _failed(row)
    if not traces:
        name = _object(row, "task").get("key")
        task_id = name if isinstance(name, str) else None
        yield Rollout(line.place, _spec(row), task_id, None, True, False, None, _identity(row, line))
    for number, trace in enumerate(traces):
        place = line.place._replace(trace=number)
        if not isinstance(trace, dict):
            raise _BadRowError(f"trace {number} is not an object")
        agent = _object(trace, "agent").get("name")
        if agent not in (None, POLICY_AGENT):
            yield Issue(Finding.OTHER_AGENT, place, shown(agent))
        else:
            yield _read_trace(trace, _Line(place, digest(line.digest + number.to_bytes(8))), failed=failed)


def _read_trace(trace: Mapping[str, Any], line: _Line, *, failed: bool = False) -> Rollout:
    """One trace; 0.2 writes it as a row of its own. Only what the model itself sampled is its reply."""
    sampled = [node for node in _objects(trace, "nodes") if node.get("sampled") is True]
    replies = [node for node in sampled if _object(node, "message").get("role") == "assistant"]
    return Rollout(
        line.place,
        _spec(trace),
        None,
        [node["message"] for node in replies[-1:]],
        failed or _failed(trace) or not replies,
        _trace_truncated(trace, replies),
        _trace_reward(trace),
        _identity(trace, line),
    )


def _read_v0(row: Mapping[str, Any], line: _Line) -> Rollout:
    """`results.jsonl` of v0 environments."""
    info = row.get("info")
    info = _parsed_object(info, "info") if isinstance(info, str) else _object(row, "info")
    completion = row.get("completion")
    messages = completion if isinstance(completion, (str, list)) else None
    silent = not messages or (isinstance(messages, list) and not _has_assistant(messages))
    return Rollout(
        line.place,
        _task(info.get("spec"), "info.spec"),
        None,
        messages,
        row.get("error") is not None or silent,
        _flag(row, "is_truncated"),
        _number(row.get("reward"), "reward"),
        line.digest,
    )


def _read_plain(row: Mapping[str, Any], line: _Line) -> Rollout:
    name = row.get("task_id")
    if name is not None and not isinstance(name, str):
        raise _BadRowError(f"task_id={shown(name)} is not text")
    return Rollout(
        line.place,
        _task(row.get("task"), "task"),
        name,
        row.get("reply"),
        row.get("error") is not None,
        _flag(row, "truncated") or row.get("finish_reason") == "length",
        _number(row.get("reward"), "reward"),
        _plain_identity(row, line),
        tuple(sorted(row.keys() - _PLAIN_FIELDS)),
    )


def _plain_identity(row: Mapping[str, Any], line: _Line) -> bytes:
    """The row's `rollout` and `attempt` where it has them; else the whole row, so that only a copy is a duplicate."""
    named = [row.get("rollout"), row.get("attempt")]
    if named == [None, None]:
        return line.digest
    return digest(json.dumps(named).encode())


def _identity(row: Mapping[str, Any], line: _Line) -> bytes:
    name = row.get("id")
    return digest(name.encode(errors="surrogatepass")) if isinstance(name, str) else line.digest


def _has_assistant(messages: Sequence[Any]) -> bool:
    return any(isinstance(message, dict) and message.get("role") == "assistant" for message in messages)


def _failed(row: Mapping[str, Any]) -> bool:
    """By `ok` where the row has it, since `errors` also keeps those of attempts that were repeated."""
    ok = row.get("ok")
    return bool(row.get("errors")) if ok is None else ok is not True


def _trace_truncated(trace: Mapping[str, Any], replies: Sequence[Mapping[str, Any]]) -> bool:
    if trace.get("stop_condition") in _LENGTH_LIMITS:
        return True
    calls = [call for call in _objects(trace, "calls") if call.get("error") is None]
    return any(last.get("finish_reason") == "length" for last in (*calls[-1:], *replies[-1:]))


def _trace_reward(trace: Mapping[str, Any]) -> float | None:
    """The sum of the rewards, each a number (0.2) or `{"score", "weight"}`; None where scoring did not happen."""
    parts = [_weighted(value, name) for name, value in _object(trace, "rewards").items()]
    scored = [part for part in parts if part is not None]
    return _number(sum(scored), "rewards") if scored else None


def _weighted(value: Any, name: str) -> float | None:
    if not isinstance(value, dict):
        return _number(value, name)
    score, weight = _number(value.get("score"), name), _number(value.get("weight"), name)
    return score if score is None or weight is None else score * weight


def _spec(row: Mapping[str, Any]) -> str | Mapping[str, Any] | None:
    return _task(_object(_object(row, "task"), "data").get("spec"), "task.data.spec")


def _task(value: Any, name: str) -> str | Mapping[str, Any] | None:
    if value is None or isinstance(value, (str, dict)):
        return value
    raise _BadRowError(f"{name} is neither text nor an object")


def _number(value: Any, name: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _BadRowError(f"{shown(name)} is not a number")
    try:
        number = float(value)
    except OverflowError:
        number = inf
    if not isfinite(number):
        raise _NotFiniteError(f"{shown(name)} is not finite")
    return number


def _flag(row: Mapping[str, Any], name: str) -> bool:
    value = row.get(name)
    if value is not None and not isinstance(value, bool):
        raise _BadRowError(f"{name}={shown(value)} is neither true nor false")
    return value is True


def _parsed_object(text: str, name: str) -> Mapping[str, Any]:
    try:
        value = parse_json(text)
    except (json.JSONDecodeError, RecursionError):
        raise _BadRowError(f"{name} is text, but not JSON") from None
    if not isinstance(value, dict):
        raise _BadRowError(f"{name} is not an object")
    return value


def _object(row: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = row.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _BadRowError(f"{name} is not an object")
    return value


def _list(row: Mapping[str, Any], name: str) -> list[Any]:
    value = row.get(name)
    if value is None:
        return []
    if not isinstance(value, list):
        raise _BadRowError(f"{name} is not a list")
    return value


def _objects(row: Mapping[str, Any], name: str) -> Iterable[Mapping[str, Any]]:
    values = _list(row, name)
    if not all(isinstance(value, dict) for value in values):
        raise _BadRowError(f"{name} holds something that is not an object")
    return values
