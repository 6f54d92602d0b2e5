"""Runs a program of calls to its end: signals, attempts in flight, the end record, and what the run came to."""

import asyncio
import signal
from collections.abc import Callable, Coroutine, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, TypeVar

from impossible_rubrics_env.chain.engine import Engine
from impossible_rubrics_env.chain.prices import usd
from impossible_rubrics_env.chain.problems import CallError, StoppedError
from impossible_rubrics_env.errors import ImpossibleRubricsError

T = TypeVar("T")
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class State(StrEnum):
    """How a run ended."""

    COMPLETE = "complete"
    """Every call that was asked for has its reply."""
    PARTIAL = "partial"
    """Calls failed for good, or the run was stopped by the budget or a provider."""
    INTERRUPTED = "interrupted"
    """A signal stopped it."""


EXIT_CODES = {State.COMPLETE: 0, State.PARTIAL: 1, State.INTERRUPTED: 130}


@dataclass(frozen=True, slots=True)
class Ended(Generic[T]):
    """What a run came to."""

    value: T | None
    """What the program returned; None where it was stopped."""
    state: State
    reason: str
    """Why it is not complete, in words; empty where it is."""

    @property
    def exit_code(self) -> int:
        """0 complete, 1 partial, 130 interrupted."""
        return EXIT_CODES[self.state]


def summary(engine: Engine, ended: Ended[Any]) -> str:
    """One line on how the run ended, and how to go on with it."""
    replies = len(engine.store.history.replies)
    spent = usd(engine.store.history.spent_micro_usd)
    line = f"{ended.state}: {replies} calls have a reply in {engine.store.path}, at most {spent} USD spent"
    if ended.state is State.COMPLETE:
        return line
    useful = ended.state is State.INTERRUPTED or engine.reasons or engine.mendable
    more = " and a higher --budget" if engine.needs_budget else ""
    remedy = f"the same command with --resume{more} goes on" if useful else "--resume would not change that"
    return f"{line}; {ended.reason}; {remedy}"


def run(engine: Engine, main: Callable[[], Coroutine[Any, Any, T]]) -> Ended[T]:
    """Run a program that makes calls through the engine; SIGINT and SIGTERM stop it in good order.

    Closes providers and store. A StoppedError or CallError that leaves `main`, alone or in an exception group, makes
    the run partial or interrupted; any other exception is raised once attempts in flight are recorded.
    """
    return asyncio.run(supervise(engine, main, signals=True))


async def supervise(engine: Engine, main: Callable[[], Coroutine[Any, Any, T]], *, signals: bool = False) -> Ended[T]:
    """The same inside a running event loop; `signals` only in the main thread."""
    loop = asyncio.get_running_loop()
    for number in _SIGNALS if signals else ():
        loop.add_signal_handler(number, engine.interrupt)
    try:
        return await _run(engine, main)
    finally:
        for number in _SIGNALS if signals else ():
            loop.remove_signal_handler(number)
        engine.store.close()


async def _run(engine: Engine, main: Callable[[], Coroutine[Any, Any, T]]) -> Ended[T]:
    value = None
    try:
        try:
            value = await main()
        finally:
            await engine.drain()
            await engine.providers.close()
    except (StoppedError, CallError):
        pass
    except BaseExceptionGroup as group:
        others = group.split((StoppedError, CallError))[1]
        if others is not None:
            raise _chosen(others) from None
    ended = Ended(value, _state(engine), _reason(engine))
    with suppress(OSError):  # a store that cannot be written has already said so
        await engine.store.end(str(ended.state), ended.reason)
    return ended


def run_dry(main: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a program whose calls leave nothing to record: of a dry run, or of a finished store.

    Of a group of exceptions, one is raised, as by `run`.
    """
    try:
        return asyncio.run(main())
    except BaseExceptionGroup as group:
        raise _chosen(group) from None


def _chosen(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """One exception for all: a fault of the program where there is one, else the first.

    Calls that run side by side fail side by side, of one cause: a full disk is one line and not a group.
    """
    leaves = list(_leaves(group))
    return next((error for error in leaves if not isinstance(error, (ImpossibleRubricsError, OSError))), leaves[0])


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error


def _state(engine: Engine) -> State:
    if engine.interrupted:
        return State.INTERRUPTED
    return State.PARTIAL if engine.reasons or engine.failures else State.COMPLETE


def _reason(engine: Engine) -> str:
    parts = list(engine.reasons)
    if engine.failures:
        first = next(iter(engine.failures.values()))
        parts.append(f"{len(engine.failures)} calls failed for good, the first one so: {first}")
    return "; ".join(parts)
