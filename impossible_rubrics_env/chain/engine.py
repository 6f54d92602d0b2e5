"""Makes the calls of a run: from the store where they are recorded, else from the provider, within the budget.

What comes in is a key and a request; what goes out is a `Reply` that is on disk. Each attempt is reserved, announced in
the store, sent, and recorded before anything follows from it. A call that cannot have a reply raises StoppedError
(the run, or the provider, has stopped) or CallError (this call failed for good); the run is then partial.

A key names a call for ever: the same key with another request is a StoreError.
"""

import asyncio
import re
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from impossible_rubrics_env.chain.budget import Budget
from impossible_rubrics_env.chain.calls import Provider, Reply, Request, Stop
from impossible_rubrics_env.chain.history import History
from impossible_rubrics_env.chain.prices import Prices, usd
from impossible_rubrics_env.chain.problems import CallError, Failure, Outcome, Remedy, StoppedError, StoreError
from impossible_rubrics_env.chain.providers import Answer, Providers, Sender
from impossible_rubrics_env.chain.retries import Backoff
from impossible_rubrics_env.chain.store import Store
from impossible_rubrics_env.errors import ArgumentError

DEFAULT_CONCURRENCY = 8
DEFAULT_ATTEMPTS = 5
MAX_CONCURRENCY = 1_000
PAID = tuple(provider for provider in Provider if provider.paid)
MAX_KEY_CHARS = 1_000
"""Longest key of a call: the longest name of an environment, three of models, and what is around them fit."""
MAX_REASON_CHARS = 100
MAX_MODEL_ID_CHARS = 200
_KEY = re.compile(rf"[!-~]{{1,{MAX_KEY_CHARS}}}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Options:
    """How calls are made."""

    concurrency: int = DEFAULT_CONCURRENCY
    """Most calls at a time; one that waits to be repeated counts."""
    attempts: int = DEFAULT_ATTEMPTS
    """Most attempts for one reply, in one process."""
    retry_stops: Collection[Stop] = frozenset()
    """Replies that end so are asked for again. Must be the same at a resume: put it into the store's arguments."""
    replies: int = 2
    """Most recorded replies of a call that is asked for again; the last one counts. The same at a resume, too."""
    give_up_after: int = 5
    """A provider is stopped after this many calls in a row that failed for good."""
    grace_seconds: float = 10.0
    """How long attempts in flight may go on after the run was told to stop."""
    backoff: Backoff = field(default_factory=Backoff)

    def __post_init__(self) -> None:
        for name, most in (("concurrency", MAX_CONCURRENCY), ("attempts", 100), ("replies", 100)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
                raise ArgumentError(f"{name}={value!r} is not a number from 1 to {most}")
        if self.give_up_after < 1:
            raise ArgumentError(f"give_up_after={self.give_up_after!r} is not a positive number")
        if Stop.END in self.retry_stops:
            raise ArgumentError("retry_stops holds end: a whole reply is not asked for again")

    @property
    def attempts_of_a_call(self) -> int:
        """Most attempts that one call can take."""
        return self.attempts * (self.replies if self.retry_stops else 1)

    def final(self, replies: Sequence[Reply]) -> Reply | None:
        """The reply that counts; None where another is to be asked for.

        It follows from what is recorded alone, so that a resume decides the same.
        """
        if not replies or (replies[-1].stop in self.retry_stops and len(replies) < self.replies):
            return None
        return replies[-1]


@dataclass(slots=True)
class Counts:
    """What a run has done so far in this process."""

    asked: int = 0
    """Calls that were asked for, each key once."""
    reused: int = 0
    """Calls answered from the store."""
    answered: int = 0
    """Calls answered by a provider or a function."""
    failed: int = 0
    """Calls that failed for good."""
    stopped: int = 0
    """Calls that were not made, or not repeated, because the run or the provider had stopped."""
    attempts: int = 0
    """Attempts that were sent."""
    in_flight: int = 0
    """Attempts that were sent and have not come back."""


@dataclass(slots=True)
class ModelEstimate:
    """Calls to one model that a dry run counted, and what they can cost."""

    calls: int = 0
    one_micro_usd: int = 0
    """Worst case with one attempt a call."""
    all_micro_usd: int = 0
    """Worst case with every attempt that may be made, each billed in full."""


class Caller(Protocol):
    """What a program of calls needs: an Engine, or a DryEngine."""

    async def call(self, key: str, request: Request) -> Reply:
        """The reply to a request."""


DryText = Callable[[str, Request], str]


class Engine:
    """The calls of one run. Use it inside one event loop; `running.run` does that, with signals and the end record."""

    def __init__(
        self,
        store: Store,
        providers: Providers,
        prices: Prices,
        budget: Budget | None = None,
        options: Options | None = None,
        on_progress: Callable[["Engine"], object] | None = None,
    ) -> None:
        self.store = store
        self.providers = providers
        self.prices = prices
        self.budget = budget or Budget()
        self.budget.spend(store.history.spent_micro_usd)
        self.options = options or Options()
        self.counts = Counts()
        self.failures: dict[str, str] = {}
        """By key: why a call failed for good."""
        self.mendable = False
        """Whether a resume may have a reply to one of them: functions in this process fail as before."""
        self.reasons: list[str] = []
        """Why the run is partial, besides failed calls; the first one first."""
        self.interrupted = False
        self.needs_budget = False
        """Whether the run can go on under a higher cap alone."""
        self._on_progress = on_progress
        self._slots = asyncio.Semaphore(self.options.concurrency)
        self._calls: dict[str, tuple[str, asyncio.Task[Reply]]] = {}
        self._seen: set[str] = set()
        self._sends: set[asyncio.Task[Answer | Failure]] = set()
        self._halted: dict[Provider, str] = {}
        self._events = {provider: asyncio.Event() for provider in Provider}
        self._failed_in_a_row: dict[Provider, int] = {}
        self._check_cap()

    async def call(self, key: str, request: Request) -> Reply:
        """The reply to a request: the recorded one, or a new one that is on disk when this returns.

        `key` names the call in the run, such as `stress/<task>/draw0/attacker`. Where the caller is cancelled, an
        attempt in flight goes on and is recorded. Raises StoppedError, CallError, StoreError, ArgumentError, OSError.
        """
        _check_key(key)
        known = self._recorded(key, request)
        if key not in self._seen:
            self._seen.add(key)
            self.counts.asked += 1
            self.counts.reused += known is not None
            self._tell()
        if known is not None:
            return known
        running = self._calls.get(key)
        if running is not None and running[0] != request.hash:
            raise StoreError(f"{key!a} stands for two requests")
        task = running[1] if running else self._start(key, request)
        return await asyncio.shield(task)

    def interrupt(self) -> None:
        """Send nothing more; give attempts in flight the grace time, and none at the second time this is called."""
        loop = asyncio.get_running_loop()
        if self.interrupted:
            self._cancel_sends()
            return
        self.interrupted = True
        self.halt("interrupted")
        loop.call_later(self.options.grace_seconds, self._cancel_sends)

    def halt(self, reason: str, providers: Iterable[Provider] = tuple(Provider)) -> None:
        """Send nothing more to these providers. Attempts in flight go on, and are not repeated."""
        new = [provider for provider in providers if provider not in self._halted]
        for provider in new:
            self._halted[provider] = reason
            self._events[provider].set()
        if new and reason not in self.reasons:
            self.reasons.append(reason)

    async def drain(self) -> None:
        """Let what is in flight come back, and nothing more be sent."""
        for provider in Provider:
            self._halted.setdefault(provider, "the run has ended")
            self._events[provider].set()
        while self._calls:
            await asyncio.wait([task for _, task in self._calls.values()])

    def _recorded(self, key: str, request: Request) -> Reply | None:
        return self.options.final(self.store.history.replies_to(key, request.hash))

    def _start(self, key: str, request: Request) -> "asyncio.Task[Reply]":
        task = asyncio.create_task(self._perform(key, request))
        self._calls[key] = (request.hash, task)
        task.add_done_callback(lambda done: self._finish(key, request.model.provider, done))
        return task

    def _finish(self, key: str, provider: Provider, task: "asyncio.Task[Reply]") -> None:
        del self._calls[key]
        error = None if task.cancelled() else task.exception()
        if error is None:
            self.counts.answered += 1
            self._failed_in_a_row[provider] = 0
            self.failures.pop(key, None)
        elif isinstance(error, StoppedError):
            self.counts.stopped += 1
        elif isinstance(error, CallError):
            self._count_failure(key, provider, str(error))
        else:
            self.halt(self.store.redactor.message(f"{type(error).__name__}: {error}"))
        self._tell()

    def _count_failure(self, key: str, provider: Provider, message: str) -> None:
        self.counts.failed += 1
        self.failures[key] = message
        self.mendable = self.mendable or provider.paid
        in_a_row = self._failed_in_a_row[provider] = self._failed_in_a_row.get(provider, 0) + 1
        if provider.paid and in_a_row >= self.options.give_up_after:
            self.halt(f"{in_a_row} calls to {provider} in a row have failed, the last one so: {message}", [provider])

    async def _perform(self, key: str, request: Request) -> Reply:
        async with self._slots:
            reply = None
            while reply is None:
                await self._ask(key, request)
                reply = self._recorded(key, request)
            return reply

    async def _ask(self, key: str, request: Request) -> None:
        """Attempt until there is one reply more."""
        provider = request.model.provider
        for tries in range(1, self.options.attempts + 1):
            failure = await self._attempt(key, request)
            if failure is None:
                return
            message = f"{request.model}: {failure}"
            if failure.remedy is Remedy.STOP_PROVIDER:
                self.halt(message, [provider])
            self._check_running(provider)
            if failure.remedy is not Remedy.RETRY:
                raise CallError(f"{key}: {message}")
            wait = self.options.backoff.wait(tries, failure.retry_after)
            if wait is None or tries == self.options.attempts:
                asked = "" if wait is not None else f", which asked to wait {failure.retry_after:.0f} seconds"
                raise CallError(f"{key}: no reply in {tries} attempts, the last one so: {message}{asked}")
            await self._pause(provider, wait)
            self._check_running(provider)

    async def _attempt(self, key: str, request: Request) -> Failure | None:
        """One attempt, reserved, announced and recorded; None if it brought a reply."""
        provider = request.model.provider
        worst = self.prices.worst_case(request)
        self._check_running(provider)
        sender = self.providers.sender(provider)  # the first time this imports a client, which takes a while
        if worst and not await self.budget.reserve(worst):
            self._stop_at_the_cap(key, worst)
        charged = 0
        try:
            self._check_running(provider)
            number = self.store.history.attempts.get(key, 0) + 1
            if provider.paid:
                charged = worst  # until it is known better
                await self.store.intend(key, number, request, worst)
            begun = time.perf_counter()
            result, error = await self._send(sender, key, request)
            seconds = round(time.perf_counter() - begun, 3)
            if isinstance(result, Failure):
                charged = worst if result.outcome.maybe_billed else 0
                await self.store.failed(key, number, request, result, seconds, charged)
                if error is not None:
                    raise error
                return result
            reply = self._reply(request, result, seconds, worst)
            charged = reply.cost_micro_usd
            await self.store.replied(key, number, request, reply, reason=result.reason)
            return None
        finally:
            self.budget.settle(worst, charged)
            self._check_cap()
            self._tell()

    async def _send(self, sender: Sender, key: str, request: Request) -> tuple[Answer | Failure, BaseException | None]:
        """What came back, and the error if it was one that nobody foresaw."""
        provider = request.model.provider
        if provider in self._halted:
            return Failure(Outcome.NOT_SENT, Remedy.GIVE_UP, self._halted[provider]), None
        task = asyncio.create_task(sender.send(key, request))
        self._sends.add(task)
        self.counts.attempts += 1
        self.counts.in_flight += 1
        self._tell()
        try:
            await asyncio.wait([task])
        finally:
            self._sends.discard(task)
            self.counts.in_flight -= 1
        if task.cancelled():
            return Failure(Outcome.INTERRUPTED, Remedy.GIVE_UP, "given up while in flight"), None
        error = task.exception()
        if error is not None:
            failure = Failure(Outcome.UNEXPECTED, Remedy.GIVE_UP, f"{type(error).__name__}: {error}")
            return self._clean(failure), error
        return self._clean(task.result()), None

    def _clean(self, result: Answer | Failure) -> Answer | Failure:
        """What came from outside, as it is stored, returned and printed: first without secrets, then cut."""
        redactor = self.store.redactor
        if isinstance(result, Failure):
            return replace(result, detail=redactor.message(result.detail))
        return replace(
            result,
            text=redactor.text(result.text),
            reason=None if result.reason is None else redactor.text(result.reason, MAX_REASON_CHARS),
            model_id=redactor.text(result.model_id, MAX_MODEL_ID_CHARS),
        )

    def _reply(self, request: Request, answer: Answer, seconds: float, worst: int) -> Reply:
        """The reply as it is stored and returned: equal to what a resume reads."""
        known = answer.input_tokens is not None and answer.output_tokens is not None
        tokens = (answer.input_tokens or 0, answer.output_tokens or 0)
        cost = self.prices.of(request.model).cost(*tokens) if known else worst
        return Reply(answer.text, answer.stop, answer.model_id, *tokens, seconds, cost, known)

    def _stop_at_the_cap(self, key: str, worst: int) -> None:
        cap, spent = self.budget.cap_micro_usd or 0, self.budget.spent_micro_usd
        self.needs_budget = True
        self.halt(
            f"the budget of {usd(cap)} USD is used up: {usd(spent)} may be spent, and {key} could cost {usd(worst)}",
            PAID,
        )
        raise StoppedError(self._halted[PAID[0]])

    def _check_cap(self) -> None:
        """Say that more was spent than the cap, once, and send nothing more."""
        budget = self.budget
        if budget.exceeded and PAID[0] not in self._halted:
            self.needs_budget = True
            cap, spent = usd(budget.cap_micro_usd or 0), usd(budget.spent_micro_usd)
            self.halt(f"{spent} USD may be spent, more than the budget of {cap} USD", PAID)

    def _check_running(self, provider: Provider) -> None:
        if provider in self._halted:
            raise StoppedError(self._halted[provider])

    async def _pause(self, provider: Provider, seconds: float) -> None:
        """Wait, or until the provider is stopped."""
        try:
            async with asyncio.timeout(seconds):
                await self._events[provider].wait()
        except TimeoutError:
            pass

    def _cancel_sends(self) -> None:
        for task in self._sends:
            task.cancel()

    def _tell(self) -> None:
        if self._on_progress is not None:
            self._on_progress(self)


class DryEngine:
    """Counts calls and what they can cost, and sends nothing.

    Replies are `dry_text(key, request)`: whatever the caller needs to make the calls that follow, as long as the
    longest real ones where the worst case is to hold. With a history, recorded replies are used and not counted.
    """

    def __init__(
        self,
        prices: Prices,
        options: Options | None = None,
        history: History | None = None,
        *,
        dry_text: DryText = lambda _key, _request: "(dry run)",
    ) -> None:
        self.prices = prices
        self.options = options or Options()
        self.models: dict[str, ModelEstimate] = {}
        """By model name."""
        self._dry_text = dry_text
        self._history = history or History()
        self._replies: dict[str, Reply] = {}

    async def call(self, key: str, request: Request) -> Reply:
        """A reply of the caller's making, after counting the call, each key once. Raises ArgumentError."""
        _check_key(key)
        recorded = self.options.final(self._history.replies_to(key, request.hash))
        if recorded is not None:
            return recorded
        if key not in self._replies:
            worst = self.prices.worst_case(request)
            estimate = self.models.setdefault(str(request.model), ModelEstimate())
            estimate.calls += 1
            estimate.one_micro_usd += worst
            estimate.all_micro_usd += worst * self.options.attempts_of_a_call
            text = self._dry_text(key, request)
            self._replies[key] = Reply(text, Stop.END, str(request.model), 0, 0, 0.0, 0, usage_known=False)
        return self._replies[key]

    @property
    def total(self) -> ModelEstimate:
        """All models together."""
        models = self.models.values()
        return ModelEstimate(
            sum(model.calls for model in models),
            sum(model.one_micro_usd for model in models),
            sum(model.all_micro_usd for model in models),
        )


def _check_key(key: str) -> None:
    if not _KEY.fullmatch(key):
        raise ArgumentError(
            f"key={key[:MAX_KEY_CHARS]!a} is not 1 to {MAX_KEY_CHARS} printable ASCII characters without blanks"
        )
