"""Models as policies: each task's prompt is put to every model, and what comes back is graded by the task's proof.

A folder holds the store of calls (`calls.jsonl`), a frozen copy of the tasks (`tasks.jsonl`), and the rows
(`results.jsonl`), written whole at the end of every process, complete or not. `rebuild` makes the rows again from the
other two. Reference policies play the same tasks through the same engine, beside the models.

A reply that is cut off, refused by the provider or empty, and a call without a reply, is counted under its status and
stays out of every rate. It is never graded.
"""

import asyncio
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from itertools import count
from pathlib import Path
from typing import Any

from impossible_rubrics_env.chain.budget import Budget
from impossible_rubrics_env.chain.calls import Model, Provider, Reply, Request, Stop
from impossible_rubrics_env.chain.efforts import Efforts, effort_of
from impossible_rubrics_env.chain.engine import (
    DEFAULT_ATTEMPTS,
    DEFAULT_CONCURRENCY,
    Caller,
    DryEngine,
    Engine,
    Options,
)
from impossible_rubrics_env.chain.environments import digest_of
from impossible_rubrics_env.chain.history import History
from impossible_rubrics_env.chain.prices import Prices
from impossible_rubrics_env.chain.problems import CallError, StoppedError
from impossible_rubrics_env.chain.providers import Providers
from impossible_rubrics_env.chain.rates import Sampling, rate_of
from impossible_rubrics_env.chain.running import Ended, run_dry
from impossible_rubrics_env.chain.running import run as run_calls
from impossible_rubrics_env.chain.store import Store, read
from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.grading import Grade, Verdict, grade
from impossible_rubrics_env.reference_policies.players import ONLY_PLAYS, POLICIES
from impossible_rubrics_env.release.files import read_text, write_whole
from impossible_rubrics_env.release.statistics import Interval
from impossible_rubrics_env.summary import Summary
from impossible_rubrics_env.task import Task

TASKS, RESULTS = "tasks.jsonl", "results.jsonl"
MAX_TASKS_BYTES = 2**32
UNUSABLE_STOPS = frozenset({Stop.LENGTH, Stop.REFUSAL, Stop.EMPTY})
Progress = Callable[[Engine], object]
Row = dict[str, Any]


class Status(StrEnum):
    """Whether a task has a reply of a model that can be graded, and why not."""

    OK = "ok"
    TRUNCATED = "truncated"
    """Cut off by a limit of tokens or of the context."""
    REFUSAL = "refusal"
    """Refused by the model or the provider's filter, as the provider says; a reply IMPOSSIBLE is none."""
    EMPTY = "empty"
    FAILED = "failed"
    """Attempts were made, and none brought a reply."""
    NOT_SENT = "not_sent"
    """The run stopped before, or a policy could not answer."""


_STATUS_OF = {
    Stop.END: Status.OK,
    Stop.LENGTH: Status.TRUNCATED,
    Stop.REFUSAL: Status.REFUSAL,
    Stop.EMPTY: Status.EMPTY,
}


@dataclass(frozen=True, slots=True)
class Setup:
    """Who plays, and how requests are made."""

    models: tuple[Model, ...]
    baselines: tuple[Model, ...] = ()
    """Reference policies that play beside the models; one that is among them plays once, as a model."""
    max_tokens: int = 8192
    temperature: float | None = None
    efforts: Efforts = field(default_factory=dict)
    """Reasoning efforts of models of providers."""
    repeats: int = 0
    """How often a reply that cannot be used is asked for again; the last one counts."""

    def __post_init__(self) -> None:
        if not self.models or len(set(self.models)) != len(self.models):
            raise ArgumentError("--model: at least one model is needed, and none twice")
        if len(set(self.baselines)) != len(self.baselines):
            raise ArgumentError("--baselines: none may be named twice")
        for model in (*self.models, *self.baselines):
            if model.provider is Provider.FIXED:
                raise ArgumentError(f"{model} does not answer tasks: fixed models write rubrics for `chain run`")
            if model.provider is Provider.POLICY and model.name not in POLICIES:
                raise ArgumentError(f"there is no {model}; policies: {', '.join(POLICIES)}")
        Request(self.models[0], "", "", self.max_tokens, self.temperature)  # refuses what no request has

    @property
    def players(self) -> tuple[tuple[Model, bool], ...]:
        """Models, then the baselines that are not among them; whether each is a baseline."""
        beside = (one for one in self.baselines if one not in self.models)
        return (*((one, False) for one in self.models), *((one, True) for one in beside))

    def request(self, model: Model, task: Task) -> Request:
        """What a model is sent: the prompt, and nothing about the task besides."""
        effort = effort_of(self.efforts, model)
        return Request(model, "", task.prompt, self.max_tokens, self.temperature, effort)

    def as_dict(self) -> dict[str, Any]:
        """The setup as JSON data."""
        models = {name: [str(one) for one in getattr(self, name)] for name in ("models", "baselines")}
        return {**asdict(self), **models}

    @classmethod
    def from_dict(cls, held: Mapping[str, Any]) -> "Setup":
        """Read what `as_dict` made."""
        models = {name: tuple(map(Model.parse, held[name])) for name in ("models", "baselines")}
        return cls(**{**held, **models})


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What is to be played, and where."""

    folder: Path
    tasks: Sequence[Task]
    setup: Setup
    concurrency: int = DEFAULT_CONCURRENCY
    attempts: int = DEFAULT_ATTEMPTS
    prices: Prices = field(default_factory=Prices)
    budget_micro_usd: int | None = None
    clients: Mapping[str, Any] = field(default_factory=dict)
    """Further arguments of `Providers`: base URLs, timeout, environment."""

    @property
    def options(self) -> Options:
        """How calls are made."""
        return Options(
            concurrency=self.concurrency,
            attempts=self.attempts,
            retry_stops=UNUSABLE_STOPS if self.setup.repeats else frozenset(),
            replies=1 + self.setup.repeats,
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run came to."""

    ended: Ended[None]
    engine: Engine
    notes: tuple[str, ...]
    """What a resume found."""
    scores: Sequence["Score"]


@dataclass(slots=True)
class Score:
    """How one model or baseline did."""

    model: Model
    baseline: bool
    effort: str | None
    summary: Summary = field(default_factory=Summary)
    """Of usable replies; the others are in it as failed, by family, label and rung."""
    solved: dict[str, dict[str, list[bool]]] = field(default_factory=dict)
    """By family and pair id: whether each usable reply solved its task."""
    statuses_of: defaultdict[str, Counter[Status]] = field(default_factory=lambda: defaultdict(Counter))
    """By family."""
    model_ids: Counter[str] = field(default_factory=Counter)
    """As the provider resolved the name."""
    pairs: Counter[str] = field(default_factory=Counter)
    """By family: twin pairs of which it plays both halves, usable or not."""
    input_tokens: int = 0
    output_tokens: int = 0
    cost_micro_usd: int = 0
    """Of all replies, whether they can be used or not."""

    @property
    def statuses(self) -> Counter[Status]:
        """Tasks by what came of them."""
        return sum(self.statuses_of.values(), Counter[Status]())

    @property
    def tasks(self) -> int:
        """Tasks that it plays."""
        return self.statuses.total()

    @property
    def usable(self) -> int:
        """Replies that could be graded."""
        return self.statuses[Status.OK]

    def left_out(self, family: str | None = None) -> dict[str, int]:
        """Tasks without a usable reply, by status; of one family, or of all."""
        counts = self.statuses_of if family is None else {family: self.statuses_of[family]}
        return {
            str(status): sum(one[status] for one in counts.values()) for status in Status if status is not Status.OK
        }

    def solved_interval(self, family: str | None = None) -> Interval | None:
        """95% interval of the share of usable replies that solve their task; twins are not independent, pairs are."""
        chosen = self.solved if family is None else {family: self.solved.get(family, {})}
        outcomes = {pair: found for pairs in chosen.values() for pair, found in pairs.items()}
        return rate_of(outcomes, sampling=Sampling()).interval


def start(evaluation: Evaluation, *, resume: bool = False, on_progress: Progress | None = None) -> Outcome:
    """Make all calls that are not recorded, and write the rows. Raises ArgumentError, StoreError, OSError."""
    setup = evaluation.setup
    check(setup, {task.family for task in evaluation.tasks})
    providers = providers_of(setup, evaluation.clients)
    evaluation.prices.check(model for model, _ in setup.players)
    copied = "".join(f"{task.to_json()}\n" for task in evaluation.tasks)
    arguments = {"evaluation": setup.as_dict(), "tasks": digest_of(copied), "number_of_tasks": len(evaluation.tasks)}
    store = (Store.resume if resume else Store.create)(evaluation.folder, arguments, secrets=providers.secrets())
    notes = store.notes
    engine = Engine(
        store, providers, evaluation.prices, Budget(evaluation.budget_micro_usd), evaluation.options, on_progress
    )
    try:
        write_whole(evaluation.folder / TASKS, copied)
        ended = run_calls(engine, lambda: _all(engine, setup, evaluation.tasks, evaluation.concurrency))
    finally:
        store.close()
        scores = rebuild(evaluation.folder)
    return Outcome(ended, engine, notes, scores)


def rebuild(folder: Path) -> list[Score]:
    """Write `results.jsonl` from what is recorded; the scores. Raises ArgumentError, StoreError, OSError."""
    history = read(folder)
    arguments = history.header["arguments"]
    text = read_text(folder / TASKS, MAX_TASKS_BYTES)
    if digest_of(text) != arguments["tasks"]:
        raise ArgumentError(f"{folder / TASKS}: not the file that this run was started with")
    tasks = [Task.from_json(line) for line in text.split("\n") if line]
    scores: list[Score] = []
    lines = [f"{json.dumps(row, allow_nan=False)}\n" for row in _rows(history, arguments, tasks, scores)]
    write_whole(folder / RESULTS, "".join(lines))
    return scores


def dry_run(evaluation: Evaluation, *, resume: bool = False) -> DryEngine:
    """Count the calls (of a resume: those without a reply) and what they can cost; needs no key and no network."""
    check(evaluation.setup, {task.family for task in evaluation.tasks})
    evaluation.prices.check(model for model, _ in evaluation.setup.players)
    engine = DryEngine(evaluation.prices, evaluation.options, read(evaluation.folder) if resume else None)
    run_dry(lambda: _all(engine, evaluation.setup, evaluation.tasks, 1))
    return engine


def providers_of(setup: Setup, clients: Mapping[str, Any]) -> Providers:
    """Whoever answers. Raises ArgumentError or MissingExtraError where a key, an address or a client is missing."""
    providers = Providers(policies=POLICIES, **clients)
    providers.check(model for model, _ in setup.players)
    return providers


def check(setup: Setup, families: Collection[str]) -> None:
    """Raise ArgumentError where there is nothing to play, or a player plays none of the families."""
    if not families:
        raise ArgumentError("there are no tasks")
    for model, _ in setup.players:
        if not any(plays(model, family) for family in families):
            raise ArgumentError(f"{model} plays none of {', '.join(sorted(families))}")


def plays(model: Model, family: str) -> bool:
    """Whether a model is asked about tasks of a family: some policies play one alone, as in the sweep."""
    return model.provider is not Provider.POLICY or ONLY_PLAYS.get(model.name, family) == family


# Calls


def _calls(setup: Setup, tasks: Sequence[Task]) -> Iterator[tuple[Model, bool, Task, str]]:
    """Model, whether it is a baseline, task, and the key of the call, in the order of the rows."""
    for model, baseline in setup.players:
        places: dict[str, Iterator[int]] = {}
        for task in tasks:
            place = next(places.setdefault(task.family, count()))
            if plays(model, task.family):
                yield model, baseline, task, f"{model}/{task.family}/{place}"


async def _all(caller: Caller, setup: Setup, tasks: Sequence[Task], width: int) -> None:
    """Policies first, which are free; then models side by side.

    Each takes the first task of every family, then the second ones, so that a run that ends early has asked every
    model about the same tasks, as far as can be, and about all families.
    """
    calls = list(_calls(setup, tasks))
    for paid in (False, True):
        wanted = [call for call in calls if call[0].provider.paid is paid]
        wanted.sort(key=lambda call: int(call[3].rpartition("/")[2]))  # stable: within a place, by model and family
        waiting = iter(wanted)
        async with asyncio.TaskGroup() as group:
            for _ in range(min(width, len(wanted))):
                group.create_task(_work(caller, setup, waiting))


async def _work(caller: Caller, setup: Setup, waiting: Iterator[tuple[Model, bool, Task, str]]) -> None:
    for model, _, task, key in waiting:
        with suppress(StoppedError, CallError):  # the engine knows why; the rows say that there is no reply
            await caller.call(key, setup.request(model, task))


# Rows


def _rows(history: History, arguments: Mapping[str, Any], tasks: Sequence[Task], scores: list[Score]) -> Iterator[Row]:
    """The rows of a run, one at a time; `scores` is filled on the way."""
    setup = Setup.from_dict(arguments["evaluation"])
    halves: Counter[str] = Counter()
    for model, baseline, task, key in _calls(setup, tasks):
        request = setup.request(model, task)
        if not scores or scores[-1].model != model:
            scores.append(Score(model, baseline, request.effort))
            halves.clear()
        score = scores[-1]
        halves[task.pair_id] += 1
        score.pairs[task.family] += task.pair_id != task.id and halves[task.pair_id] == 2
        replies = history.replies_to(key, request.hash)
        reply = replies[-1] if replies else None
        status = _status(history, key, reply)
        graded = grade(task, reply.text) if reply is not None and status is Status.OK else None
        _count(score, task, status, replies, graded)
        yield _row(score, task, status, reply, graded)


def _status(history: History, key: str, reply: Reply | None) -> Status:
    if reply is not None:
        return _STATUS_OF[reply.stop]
    return Status.FAILED if history.attempts.get(key) else Status.NOT_SENT


def _count(score: Score, task: Task, status: Status, replies: Iterable[Reply], graded: Grade | None) -> None:
    score.statuses_of[task.family][status] += 1
    for reply in replies:
        score.model_ids[reply.model_id] += 1
        score.input_tokens += reply.input_tokens
        score.output_tokens += reply.output_tokens
        score.cost_micro_usd += reply.cost_micro_usd
    if graded is None:
        score.summary.add_failed(task)
    else:
        score.summary.add(task, graded)
        outcomes = score.solved.setdefault(task.family, {}).setdefault(task.pair_id, [])
        outcomes.append(graded.verdict == Verdict.SOLVED)


def _row(score: Score, task: Task, status: Status, reply: Reply | None, graded: Grade | None) -> Row:
    """One line of the results. `error` keeps `impossible-rubrics score` from grading what is not to be graded."""
    return {
        "model": str(score.model),
        "baseline": score.baseline,
        "effort": score.effort,
        "task_id": task.id,
        "pair_id": task.pair_id,
        "family": task.family,
        "label": str(task.label),
        "rung": str(task.rung),
        "status": str(status),
        "error": None if graded is not None else str(status),
        "model_id": None if reply is None else reply.model_id,
        "input_tokens": None if reply is None else reply.input_tokens,
        "output_tokens": None if reply is None else reply.output_tokens,
        "seconds": None if reply is None else reply.seconds,
        "cost_micro_usd": None if reply is None else reply.cost_micro_usd,
        "reply": None if reply is None else reply.text,
        "reward": None if graded is None else graded.reward,
        "grade": None if graded is None else asdict(graded),
    }
