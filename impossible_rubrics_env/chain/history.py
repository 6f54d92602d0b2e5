"""What a run store says: its records, line by line, and the state they add up to.

Each line is one JSON object in ASCII whose first field, `sum`, is the beginning of the SHA-256 of the rest. What comes
in is the bytes of a store; what goes out is a `History`. A last line that is torn or does not fit its sum is left out
and counted; any other line that does not is a StoreError, as are records that cannot follow on what was before.
docs/chain-engine.md describes the records.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeVar

from impossible_rubrics_env.chain.calls import Reply, Stop, canonical
from impossible_rubrics_env.chain.problems import StoreError

T = TypeVar("T")
FORMAT = 1
MAX_LINE_BYTES = 64 * 2**20
"""Longest line that is read, and so that is written."""
_SUM_CHARS = 16
_START = b'{"sum":"'
_LEAST_LINE = len(_START) + _SUM_CHARS + len(b'",')


class Kind(StrEnum):
    """What a record tells."""

    HEADER = "header"
    """The run: format, package version, arguments. Always the first, and only there."""
    INTENT = "intent"
    """An attempt is about to be sent."""
    ATTEMPT = "attempt"
    """An attempt ended without a reply."""
    REPLY = "reply"
    """An attempt, or a function in this process, brought a reply."""
    RESUME = "resume"
    """The run went on in a new process; names the attempts that were in flight when the last one ended."""
    END = "end"
    """A process ended in good order; says how."""


class Flight(NamedTuple):
    """An attempt of which nobody knows how it ended: it was about to be sent, or was sent, when its process died."""

    key: str
    attempt: int


@dataclass(slots=True)
class History:
    """What the records so far add up to."""

    header: Mapping[str, Any] = field(default_factory=dict)
    replies: dict[str, list[Reply]] = field(default_factory=dict)
    """By key, in order; the last one counts."""
    requests: dict[str, str] = field(default_factory=dict)
    """By key: the hash of the request."""
    attempts: dict[str, int] = field(default_factory=dict)
    """By key: the highest attempt number."""
    open: dict[Flight, int] = field(default_factory=dict)
    """Attempts in flight, and the micro-dollars reserved for each."""
    lost: list[Flight] = field(default_factory=list)
    """Attempts that were in flight when a process ended, by resume records."""
    failures: int = 0
    """Attempts that ended without a reply."""
    charged_micro_usd: int = 0
    """Costs of replies, and worst cases of attempts that may have been billed."""
    resumes: int = 0
    end: Mapping[str, Any] | None = None
    """The last end record, if nothing followed on it."""
    records: int = 0
    good_bytes: int = 0
    """Length of the file up to the end of its last good line."""
    torn_bytes: int = 0
    """Length of what follows, which is left out."""

    @property
    def spent_micro_usd(self) -> int:
        """Most that the run can have cost so far: attempts in flight count with their worst case."""
        return self.charged_micro_usd + sum(self.open.values())

    def replies_to(self, key: str, request_hash: str) -> list[Reply]:
        """The replies to a call, in order. Raises StoreError where the key was recorded with another request."""
        if self.requests.get(key, request_hash) != request_hash:
            raise StoreError(
                f"{key!a} was recorded with another prompt, model or parameters: this program no longer makes "
                "the calls of that run, start a new one"
            )
        return self.replies.get(key, [])

    def check(self, record: Mapping[str, Any]) -> None:
        """Raise StoreError where this cannot be the next record."""
        kind = _get(record, "record", str)
        if (kind == Kind.HEADER) != (self.records == 0):
            raise StoreError("the header is missing" if self.records == 0 else "a second header")
        match kind:
            case Kind.HEADER:
                _check_header(record)
            case Kind.INTENT:
                self._check_intent(record)
            case Kind.ATTEMPT:
                self._check_announced(record)
                _count(record, "charged_micro_usd")
            case Kind.REPLY:
                read_reply(record)
                self._check_request(record)
                self._check_announced(record)
            case Kind.RESUME:
                self._check_resume(record)
            case Kind.END:
                pass
            case _:
                raise StoreError(f"record={kind[:50]!a} is not one of {', '.join(Kind)}")

    def add(self, record: Mapping[str, Any]) -> None:
        """Take in the next record. Raises StoreError where it cannot be one."""
        self.check(record)
        self.end = None
        match record["record"]:
            case Kind.HEADER:
                self.header = record
            case Kind.INTENT:
                flight = self._begin(record)
                self.open[flight] = record["reserved_micro_usd"]
            case Kind.ATTEMPT:
                self.open.pop(_flight(record), None)
                self.failures += 1
                self.charged_micro_usd += record["charged_micro_usd"]
            case Kind.REPLY:
                flight = self._begin(record)
                self.open.pop(flight, None)
                reply = read_reply(record)
                self.replies.setdefault(flight.key, []).append(reply)
                self.charged_micro_usd += reply.cost_micro_usd
            case Kind.RESUME:
                for flight in map(_flight, record["in_flight"]):
                    self.charged_micro_usd += self.open.pop(flight)
                    self.lost.append(flight)
                self.resumes += 1
            case Kind.END:
                self.end = record
        self.records += 1

    def _begin(self, record: Mapping[str, Any]) -> Flight:
        """The attempt of an intent, or of a reply that none announced."""
        flight = _flight(record)
        self.requests[flight.key] = record["request"]
        self.attempts[flight.key] = max(flight.attempt, self.attempts.get(flight.key, 0))
        return flight

    def _check_intent(self, record: Mapping[str, Any]) -> None:
        flight = _flight(record)
        if flight.attempt <= self.attempts.get(flight.key, 0):
            raise StoreError(f"attempt {flight.attempt} of {flight.key!a} is announced twice")
        self._check_request(record)
        _count(record, "reserved_micro_usd")

    def _check_announced(self, record: Mapping[str, Any]) -> None:
        """Functions in this process are asked without announcing it."""
        flight = _flight(record)
        if flight not in self.open and _get(record, "announced", bool):
            raise StoreError(f"attempt {flight.attempt} of {flight.key!a} was not announced")

    def _check_request(self, record: Mapping[str, Any]) -> None:
        key, request = _get(record, "key", str), _get(record, "request", str)
        if self.requests.get(key, request) != request:
            raise StoreError(f"{key!a} stands for two requests")

    def _check_resume(self, record: Mapping[str, Any]) -> None:
        ended = set()
        for entry in _get(record, "in_flight", list):
            if not isinstance(entry, dict):
                raise StoreError("in_flight does not list attempts")
            flight = _flight(entry)
            if flight not in self.open or flight in ended:
                raise StoreError(f"attempt {flight.attempt} of {flight.key!a} was not in flight")
            ended.add(flight)


def reply_fields(reply: Reply) -> dict[str, Any]:
    """A reply as fields of a record."""
    return {
        "text": reply.text,
        "stop": str(reply.stop),
        "model_id": reply.model_id,
        "usage": {
            "input_tokens": reply.input_tokens,
            "output_tokens": reply.output_tokens,
            "known": reply.usage_known,
        },
        "milliseconds": round(reply.seconds * 1000),
        "cost_micro_usd": reply.cost_micro_usd,
    }


def read_reply(record: Mapping[str, Any]) -> Reply:
    """The reply in a record. Raises StoreError."""
    usage = _get(record, "usage", dict)
    stop = _get(record, "stop", str)
    if stop not in list(Stop):
        raise StoreError(f"stop={stop[:50]!a} is not one of {', '.join(Stop)}")
    return Reply(
        _get(record, "text", str),
        Stop(stop),
        _get(record, "model_id", str),
        _count(usage, "input_tokens"),
        _count(usage, "output_tokens"),
        _count(record, "milliseconds") / 1000,
        _count(record, "cost_micro_usd"),
        _get(usage, "known", bool),
    )


def encode(record: Mapping[str, Any]) -> bytes:
    """One line of a store, its end included. Raises StoreError where it would be longer than what is read."""
    rest = canonical(record).encode("ascii")[1:]
    line = b'%s%s",%s\n' % (_START, _sum(rest), rest)
    if len(line) > MAX_LINE_BYTES:
        raise StoreError(f"a record of {len(line)} bytes is longer than {MAX_LINE_BYTES}, the longest that is read")
    return line


def decode(line: bytes) -> dict[str, Any]:
    """The record in a line without its end. Raises StoreError where the line is not what was written."""
    rest = line[_LEAST_LINE:]
    if line[:_LEAST_LINE] != b'%s%s",' % (_START, _sum(rest)):
        raise StoreError("it does not fit its checksum")
    try:
        record = json.loads(b"{" + rest)
    except (ValueError, RecursionError) as error:
        raise StoreError(f"it is not JSON: {error}") from None
    return dict(record)


def read_history(stream: BinaryIO, path: Path) -> History:
    """Read a store. Raises StoreError with file and line where it is damaged anywhere but at its end."""
    history = History()
    bad: StoreError | None = None
    for number, line in enumerate(_lines(stream), start=1):
        if bad is not None:
            raise bad
        try:
            if not line.endswith(b"\n"):
                raise StoreError("it is cut off")  # noqa: TRY301 - one place says where
            record = decode(line[:-1])
        except StoreError as error:
            bad = StoreError(f"{path}:{number}: a damaged line: {error}; a sound copy of the store is needed")
            history.torn_bytes = len(line)
            continue
        try:
            history.add(record)
        except StoreError as error:
            raise StoreError(f"{path}:{number}: {error}") from None
        history.good_bytes += len(line)
    return history


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    """The lines with their ends; one that is too long is given as its beginning, which fits no checksum."""
    while line := stream.readline(MAX_LINE_BYTES):
        yield line


def _sum(rest: bytes) -> bytes:
    return hashlib.sha256(rest).hexdigest()[:_SUM_CHARS].encode("ascii")


def _check_header(record: Mapping[str, Any]) -> None:
    if _count(record, "format") != FORMAT:
        raise StoreError(f"format={record['format']} is not {FORMAT}: another version of the package wrote it")
    _get(record, "arguments", dict)
    _get(record, "arguments_hash", str)
    _get(record, "package", str)


def _flight(record: Mapping[str, Any]) -> Flight:
    return Flight(_get(record, "key", str), _count(record, "attempt"))


def _get(record: Mapping[str, Any], name: str, kind: type[T]) -> T:
    value = record.get(name)
    if type(value) is not kind:
        raise StoreError(f"{name} is missing or of another type than {kind.__name__}")
    return value


def _count(record: Mapping[str, Any], name: str) -> int:
    value = _get(record, name, int)
    if value < 0:
        raise StoreError(f"{name}={value} is negative")
    return value
