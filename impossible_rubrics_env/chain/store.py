"""The run store: one folder a run, with an append-only file of records, each on disk before anything depends on it.

`create` starts a run and `resume` goes on with one; both lock the file, so that no second process writes it. `read`
looks at a store without a lock. Refused, with StoreError: a store in use, one of a run with other arguments, a
damaged one. Records are written as they are given: whoever calls takes secrets out of text from outside, by
`Store.redactor`. Only arguments are checked here. What a reader would refuse is not written.

Records that wait at the same time are written and fsynced together, in a thread: fsync takes milliseconds.
"""

import asyncio
import fcntl
import os
import time
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from impossible_rubrics_env.chain.calls import Reply, Request, canonical, sha256
from impossible_rubrics_env.chain.history import (
    FORMAT,
    Flight,
    History,
    Kind,
    encode,
    read_history,
    reply_fields,
)
from impossible_rubrics_env.chain.problems import Failure, StoreError
from impossible_rubrics_env.chain.redaction import Redactor

FILE = "calls.jsonl"
_NAMED = 20
"""Attempts in flight that a note names."""
_SHOWN_CHARS = 80
"""Of an argument that differs."""


class Store:
    """An open run. Use `create` or `resume`, and `close` it."""

    def __init__(self, path: Path, descriptor: int, history: History, redactor: Redactor) -> None:
        self.path = path
        self.history = history
        """What is on disk."""
        self.redactor = redactor
        self.in_flight: tuple[Flight, ...] = tuple(history.open)
        """Attempts that were in flight when the last process ended: they may have been paid, and are made again."""
        self.notes: tuple[str, ...] = ()
        """What resuming found, one line each."""
        self._descriptor: int | None = descriptor
        self._waiting: list[tuple[bytes, Mapping[str, Any], asyncio.Future[None]]] = []
        self._unsettled: set[str] = set()
        """Keys of records that are on their way to the disk."""
        self._writer: asyncio.Task[None] | None = None
        self._broken: OSError | None = None

    @classmethod
    def create(cls, folder: str | Path, arguments: Mapping[str, Any], *, secrets: Iterable[str] = ()) -> "Store":
        """Start a run in a folder that holds none. `arguments` is JSON data: whatever must be equal at a resume.

        Raises StoreError where the folder holds a run, ArgumentError where the arguments hold a secret, OSError where
        it cannot be written.
        """
        path = Path(folder) / FILE
        redactor = Redactor(secrets)
        redactor.check(arguments)
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_APPEND, 0o666)
        except FileExistsError:
            raise StoreError(f"{path} exists: go on with that run by --resume, or name another folder") from None
        store = cls(path, descriptor, History(), redactor)
        with ExitStack() as on_error:
            on_error.callback(store.close)
            _lock(descriptor, path)
            store._write_header(arguments)
            on_error.pop_all()
        return store

    @classmethod
    def resume(cls, folder: str | Path, arguments: Mapping[str, Any], *, secrets: Iterable[str] = ()) -> "Store":
        """Go on with a run. A torn last line is cut off, attempts in flight are named; see `notes`.

        Raises StoreError where there is no run, it is in use or damaged, or its arguments differ; ArgumentError where
        the arguments hold a secret.
        """
        path = Path(folder) / FILE
        redactor = Redactor(secrets)
        redactor.check(arguments)
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_APPEND)
        except FileNotFoundError:
            raise StoreError(f"{path} does not exist: there is no run to resume") from None
        store = cls(path, descriptor, History(), redactor)
        with ExitStack() as on_error:
            on_error.callback(store.close)
            _lock(descriptor, path)
            with path.open("rb") as stream:
                store._take_over(read_history(stream, path), arguments)
            on_error.pop_all()
        return store

    async def intend(self, key: str, attempt: int, request: Request, reserved_micro_usd: int) -> None:
        """Record that an attempt is about to be sent."""
        more = {"model": str(request.model), "parameters": request.parameters, "prompt": request.prompt_hash}
        await self.append(
            {
                **_start(Kind.INTENT, key, attempt),
                **more,
                "request": request.hash,
                "reserved_micro_usd": reserved_micro_usd,
            }
        )

    async def failed(
        self, key: str, attempt: int, request: Request, failure: Failure, seconds: float, charged_micro_usd: int
    ) -> None:
        """Record how an attempt ended without a reply, and what it may have cost."""
        wait = None if failure.retry_after is None else round(failure.retry_after * 1000)
        await self.append(
            {
                **_start(Kind.ATTEMPT, key, attempt),
                "announced": request.model.provider.paid,
                "outcome": str(failure.outcome),
                "remedy": str(failure.remedy),
                "status": failure.status,
                "detail": failure.detail,
                "retry_after_milliseconds": wait,
                "milliseconds": round(seconds * 1000),
                "charged_micro_usd": charged_micro_usd,
            }
        )

    async def replied(self, key: str, attempt: int, request: Request, reply: Reply, *, reason: str | None) -> None:
        """Record a reply; `reason` is the provider's own word for why it ended."""
        await self.append(
            {
                **_start(Kind.REPLY, key, attempt),
                **reply_fields(reply),
                "announced": request.model.provider.paid,
                "model": str(request.model),
                "parameters": request.parameters,
                "prompt": request.prompt_hash,
                "request": request.hash,
                "stop_reason": reason,
            }
        )

    async def append(self, record: Mapping[str, Any]) -> None:
        """Return once the record is on disk. Raises OSError where that fails; nothing can be appended then.

        Raises StoreError, and writes nothing, where the record cannot follow on what is there.
        """
        if self._broken is not None or self._descriptor is None:
            raise self._broken or OSError(f"{self.path} is closed")
        self.history.check(record)
        line = encode(record)
        key = record.get("key", "")
        if key and key in self._unsettled:
            raise StoreError(f"{key!a} has two records at the same time")
        self._unsettled.add(key)
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((line, record, done))
        if self._writer is None:
            self._writer = asyncio.create_task(self._write_waiting())
        await asyncio.shield(done)

    async def end(self, state: str, reason: str) -> None:
        """Record that this process ends in good order."""
        await self.append({"record": str(Kind.END), "time": _now(), "state": state, "reason": reason})

    def close(self) -> None:
        """Give the file free."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    async def _write_waiting(self) -> None:
        """Write what waits, together, until nothing does."""
        while self._waiting:
            batch, self._waiting = self._waiting, []
            try:
                await asyncio.to_thread(self._write, b"".join(line for line, _, _ in batch))
            except OSError as error:
                self._broken = OSError(error.errno, f"records cannot be written: {error.strerror}", str(self.path))
            for _, record, done in batch:
                self._settle(record, done)
        self._writer = None

    def _settle(self, record: Mapping[str, Any], done: "asyncio.Future[None]") -> None:
        """Tell who waits for a record how writing it went."""
        self._unsettled.discard(record.get("key", ""))
        if self._broken is not None:
            done.set_exception(self._broken)
            return
        try:
            self.history.add(record)
        except StoreError as error:
            done.set_exception(error)
        else:
            done.set_result(None)

    def _write(self, data: bytes) -> None:
        descriptor = self._descriptor
        if descriptor is None:
            raise OSError(f"{self.path} is closed")
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)

    def _write_header(self, arguments: Mapping[str, Any]) -> None:
        record = {
            "record": str(Kind.HEADER),
            "format": FORMAT,
            "time": _now(),
            "package": _version(),
            "arguments": arguments,
            "arguments_hash": sha256(arguments),
        }
        self.history.check(record)
        self._write(encode(record))
        _sync_folder(self.path.parent)
        self.history.add(record)

    def _take_over(self, history: History, arguments: Mapping[str, Any]) -> None:
        """Check what was read, cut off a torn end, and record that the run goes on."""
        descriptor = self._descriptor
        if descriptor is None:
            raise OSError(f"{self.path} is closed")
        if history.torn_bytes:
            os.ftruncate(descriptor, history.good_bytes)
            os.fsync(descriptor)
            note = f"the last record of {self.path} was torn: its {history.torn_bytes} bytes were cut off"
            self.notes = (*self.notes, note)
        if not history.records:
            self._write_header(arguments)
            return
        if sha256(arguments) != history.header["arguments_hash"]:
            changed = "; ".join(_differences(history.header["arguments"], arguments))
            raise StoreError(f"{self.path} is of a run with other arguments: {changed}")
        self.history = history
        self.in_flight = tuple(history.open)
        self._note_resumed()
        in_flight = [flight._asdict() for flight in self.in_flight]
        record = {"record": str(Kind.RESUME), "time": _now(), "package": _version(), "in_flight": in_flight}
        self._write(encode(record))
        history.add(record)

    def _note_resumed(self) -> None:
        replies = sum(map(len, self.history.replies.values()))
        notes = [f"{replies} recorded {'reply is' if replies == 1 else 'replies are'} used again"]
        if self.in_flight:
            named = ", ".join(f"{flight.key} (attempt {flight.attempt})" for flight in self.in_flight[:_NAMED])
            more = len(self.in_flight) - _NAMED
            rest = f", and {more} more" if more > 0 else ""
            notes.append(
                f"{len(self.in_flight)} in flight when the run ended, which may have been paid and are made again: "
                f"{named}{rest}"
            )
        if self.history.header["package"] != _version():
            notes.append(f"the run was started by version {self.history.header['package']}, this is {_version()}")
        self.notes = (*self.notes, *notes)


def read(folder: str | Path) -> History:
    """What the store in a folder says, without a lock: a run may be writing. Raises StoreError, OSError."""
    path = Path(folder) / FILE
    try:
        stream = path.open("rb")
    except FileNotFoundError:
        raise StoreError(f"{path} does not exist: there is no run") from None
    with stream:
        return read_history(stream, path)


def _lock(descriptor: int, path: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise StoreError(f"{path} is in use by another process: two runs cannot write one store") from None


def _start(kind: Kind, key: str, attempt: int) -> dict[str, Any]:
    return {"record": str(kind), "time": _now(), "key": key, "attempt": attempt}


def _differences(before: Mapping[str, Any], now: Mapping[str, Any], place: str = "") -> list[str]:
    """What differs, each by its path, such as `setup.seed`."""
    shown = []
    for name in sorted({*before, *now}):
        old, new = before.get(name), now.get(name)
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            shown += _differences(old, new, f"{place}{name}.")
            continue
        old, new = (canonical(data[name]) if name in data else "not given" for data in (before, now))
        if old != new:
            shown.append("{} was {} and is {}".format(f"{place}{name}", *_excerpts(old, new)))
    return shown


def _excerpts(old: str, new: str) -> list[str]:
    """Both texts, or of long ones what surrounds the first place where they differ."""
    places = enumerate(zip(old, new, strict=False))
    same = next((place for place, (one, other) in places if one != other), min(len(old), len(new)))
    start = 0 if same < _SHOWN_CHARS // 2 else same - _SHOWN_CHARS // 4
    end = start + _SHOWN_CHARS
    return [f"{'...' if start else ''}{text[start:end]}{'...' if text[end:] else ''}" for text in (old, new)]


def _version() -> str:
    from impossible_rubrics_env import __version__

    return str(__version__)


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _sync_folder(folder: Path) -> None:
    """A new file is on disk once its folder's entry is."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
