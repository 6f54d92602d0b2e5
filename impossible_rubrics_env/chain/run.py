"""One run of the chain: its folder, its calls, and `results.jsonl`, which follows from what the folder holds alone.

A folder holds the store of calls (`calls.jsonl`), a frozen copy of the environments (`environments.jsonl`), replies
that were taken from another run (`reused.jsonl`, if any), and the rows (`results.jsonl`), written whole at the end of
every process, complete or not. `rebuild` makes the rows again from the other three.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import product
from math import lcm
from pathlib import Path
from typing import Any

from impossible_rubrics_env.chain import offline
from impossible_rubrics_env.chain.budget import Budget
from impossible_rubrics_env.chain.calls import Model, Reply, Request, Stop
from impossible_rubrics_env.chain.engine import Caller, DryEngine, Engine, Options
from impossible_rubrics_env.chain.environments import Environment, copy_text, digest_of, object_of, read_copy
from impossible_rubrics_env.chain.generic import tell_generic
from impossible_rubrics_env.chain.history import History
from impossible_rubrics_env.chain.players import check
from impossible_rubrics_env.chain.prices import Prices
from impossible_rubrics_env.chain.problems import StoppedError
from impossible_rubrics_env.chain.providers import Providers
from impossible_rubrics_env.chain.results import FILE, Variant
from impossible_rubrics_env.chain.roles import prompts_hash, sections
from impossible_rubrics_env.chain.running import Ended, run_dry
from impossible_rubrics_env.chain.running import run as run_calls
from impossible_rubrics_env.chain.stages import ROLES, Baseline, Row, Setup, Stages, key_of
from impossible_rubrics_env.chain.store import Store, read
from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.release.files import plain, read_text, write_whole

ENVIRONMENTS, REUSED = "environments.jsonl", "reused.jsonl"
MAX_REUSED_BYTES = 2**30
_OF_REPLY = ("key", "request", "text", "stop", "model_id")
"""What a line of REUSED has."""
_CHARS_OF_A_TOKEN = 4
"""A dry run takes replies to be so long; the worst case of what quotes them holds as far as that does."""
Taken = Mapping[str, tuple[str, Reply]]
Progress = Callable[[Engine], object]


@dataclass(frozen=True, slots=True)
class Run:
    """What is to be run, and where."""

    folder: Path
    environments: Sequence[Environment]
    setup: Setup
    options: Options = field(default_factory=Options)
    prices: Prices = field(default_factory=Prices)
    budget_micro_usd: int | None = None
    reuse: Path | None = None
    """The folder of another run: what it has of the same calls is taken from there."""
    clients: Mapping[str, Any] = field(default_factory=dict)
    """Further arguments of `Providers`: base URLs, timeout, environment."""

    def providers(self) -> Providers:
        """Whoever answers."""
        places = {key_of(one): one for one in self.environments}
        fixed = offline.fixed(lambda key: places[key.partition("/")[0]])
        return Providers(policies=offline.policies(), fixed=fixed, **self.clients)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run came to."""

    ended: Ended[None]
    engine: Engine
    notes: tuple[str, ...]
    """What a resume found."""
    rows: Sequence[Row]


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run has still to do."""

    engine: DryEngine
    spent_micro_usd: int
    """By what a resume has on record."""


def start(run: Run, *, resume: bool = False, on_progress: Progress | None = None) -> Outcome:
    """Make all calls that are not recorded, and write the rows. Raises ArgumentError, StoreError, OSError."""
    check(run.environments, run.setup)
    providers = run.providers()
    providers.check(run.setup.models)
    run.prices.check(run.setup.models)
    copied = copy_text(run.environments)
    reused, taken = _reused(run, resume=resume)
    arguments = _arguments(run.setup, copied, reused)
    store = (Store.resume if resume else Store.create)(run.folder, arguments, secrets=providers.secrets())
    notes = store.notes
    write_whole(run.folder / ENVIRONMENTS, copied)
    if reused:
        write_whole(run.folder / REUSED, reused)
    engine = Engine(store, providers, run.prices, Budget(run.budget_micro_usd), run.options, on_progress)
    stages = Stages(engine, run.setup, taken)
    try:
        ended = run_calls(engine, lambda: _all(stages, run.environments, run.options.concurrency))
    finally:
        rows = rebuild(run.folder)
    return Outcome(ended, engine, notes, rows)


def rebuild(folder: Path) -> list[Row]:
    """Write `results.jsonl` from what is recorded; its rows. Raises ArgumentError, StoreError, OSError."""
    rows = rows_of(folder)
    write_whole(folder / FILE, "".join(f"{json.dumps(row, allow_nan=False)}\n" for row in rows))
    return rows


def rows_of(folder: Path) -> list[Row]:
    """The rows of a run, from its records and its copies of what it was started with."""
    history = read(folder)
    arguments = history.header["arguments"]
    environments = read_copy(folder / ENVIRONMENTS, arguments["environments"])
    reused = read_text(folder / REUSED, MAX_REUSED_BYTES) if arguments["reused"] else ""
    if reused and digest_of(reused) != arguments["reused"]:
        raise ArgumentError(f"{folder / REUSED}: not the file that this run was started with")
    stages = Stages(_Recorded(history), _setup_of(arguments["setup"]), _taken(reused, folder / REUSED))
    rows = run_dry(lambda: _rows(stages, environments))
    tell_generic(rows, stages.rubrics)
    return rows


def dry_run(run: Run, *, resume: bool = False) -> Estimate:
    """Count the calls and what they can cost, without a key or a network, and without writing anything.

    What a resume has on record, and what another run's replies answer, is not counted. Raises ArgumentError,
    StoreError, OSError.
    """
    check(run.environments, run.setup)
    run.prices.check(run.setup.models)
    reused, taken = _reused(run, resume=resume)
    history = History()
    if resume:
        history = read(run.folder)
        _check_same(history, _arguments(run.setup, copy_text(run.environments), reused), run.folder)
    engine = DryEngine(run.prices, run.options, history, dry_text=_dry_text)
    run_dry(lambda: _rows(Stages(engine, run.setup, taken), run.environments))
    return Estimate(engine, history.spent_micro_usd)


def _check_same(history: History, arguments: Mapping[str, Any], folder: Path) -> None:
    """Raise ArgumentError where a resume would refuse these arguments."""
    before = history.header.get("arguments", arguments)
    setups = [{f"setup.{name}": value for name, value in one.get("setup", {}).items()} for one in (before, arguments)]
    old, new = ({**one, **setup, "setup": None} for one, setup in zip((before, arguments), setups, strict=True))
    changed = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    if changed:
        raise ArgumentError(f"{plain(folder)} is of a run with other arguments: {', '.join(changed)}")


async def _all(stages: Stages, environments: Sequence[Environment], width: int) -> None:
    await _rows(stages, environments, width)


async def _rows(stages: Stages, environments: Sequence[Environment], width: int = 1) -> list[Row]:
    """In the order of draws, generators, environments, in whatever order they are worked on.

    At most `width` rubrics are worked on at a time, those of all generators on one environment after the other: whoever
    stops a run early, or has a small budget, has whole rows then, and the same environments for every arm.
    """
    free = asyncio.Semaphore(width)
    tasks: dict[tuple[int, Model, int], asyncio.Task[list[Row]]] = {}

    async def rows(one: Environment, draw: int, generator: Model) -> list[Row]:
        async with free:
            return await stages.rows(one, draw, generator)

    draws, generators = range(stages.setup.draws), stages.setup.generators
    order = mixed(environments)
    async with asyncio.TaskGroup() as group:
        for draw, place, generator in product(draws, order, generators):
            tasks[draw, generator, place] = group.create_task(rows(environments[place], draw, generator))
    places = product(draws, generators, range(len(environments)))
    return [row for place in places for row in tasks[place].result()]


def mixed(environments: Sequence[Environment]) -> list[int]:
    """Their places in the order of work: types and controls are mixed, so that each start is like the whole."""
    groups: dict[tuple[str, str], list[int]] = {}
    for place, one in enumerate(environments):
        groups.setdefault((one.type, one.record.kind), []).append(place)
    whole = lcm(*map(len, groups.values()))
    shares = [
        ((2 * number + 1) * whole // len(places), digest_of(environments[place].task_id), place)
        for places in groups.values()
        for number, place in enumerate(places)
    ]
    return [place for *_, place in sorted(shares)]


@dataclass(frozen=True, slots=True)
class _Recorded(Caller):
    """Answers from a finished store alone."""

    history: History

    async def call(self, key: str, request: Request) -> Reply:
        replies = self.history.replies_to(key, request.hash)
        if not replies:
            raise StoppedError("there is no reply")
        return replies[-1]


def _dry_text(_key: str, request: Request) -> str:
    """A reply that lets the chain go on, as long as `max_tokens` allows where others quote it."""
    parts = {name for name, _ in sections(request.prompt)}
    if "first answer" in parts:
        return '{"first": 0, "second": 0}'
    if "answer" in parts:
        return '{"violates": false}'
    text = "x" * min(_CHARS_OF_A_TOKEN * request.max_tokens, 150_000)
    return f'{text}\n<statements>["S1"]</statements>' if "statements" in parts else text


# What a run was started with


def _arguments(setup: Setup, copied: str, reused: str) -> dict[str, Any]:
    held = asdict(setup)
    for role in ROLES:
        held[f"{role}s"] = [str(model) for model in setup.players(role)]
    held |= {"variant": str(setup.variant), "baseline": str(setup.baseline)}
    if setup.attacks == 1:
        del held["attacks"]  # stores from before there was a choice have no number, and are resumed
    return {
        "setup": held,
        "environments": digest_of(copied),
        "prompts": prompts_hash(),
        "reused": digest_of(reused) if reused else "",
    }


def _setup_of(held: Mapping[str, Any]) -> Setup:
    models = {f"{role}s": tuple(Model.parse(name) for name in held[f"{role}s"]) for role in ROLES}
    return Setup(**{**held, **models, "variant": Variant(held["variant"]), "baseline": Baseline(held["baseline"])})


def _reused(run: Run, *, resume: bool) -> tuple[str, Taken]:
    """The usable replies of another run, as the lines of a copy and by key; at a resume, those of the copy there is."""
    kept = run.folder / REUSED
    if resume and kept.is_file():
        text = read_text(kept, MAX_REUSED_BYTES)
        return text, _taken(text, kept)
    if run.reuse is None:
        return "", {}
    other = run.reuse / REUSED
    try:
        text = read_text(other, MAX_REUSED_BYTES) if other.exists() else ""
        replies = _replies(read(run.reuse))
    except OSError as error:
        raise ArgumentError(f"reuse={plain(error.filename or run.reuse)}: {error.strerror}") from None
    taken = {**_taken(text, other), **replies}
    if not taken:
        raise ArgumentError(f"{plain(run.reuse)}: the run has no replies")
    return "".join(f"{_line_of(key, *one)}\n" for key, one in taken.items()), taken


def _replies(history: History) -> dict[str, tuple[str, Reply]]:
    """By key: the hash of the request, and the reply that counts."""
    return {key: (history.requests[key], replies[-1]) for key, replies in history.replies.items()}


def _line_of(key: str, request: str, reply: Reply) -> str:
    held = (key, request, reply.text, str(reply.stop), reply.model_id)
    return json.dumps(dict(zip(_OF_REPLY, held, strict=True)))


def _taken(text: str, file: Path) -> dict[str, tuple[str, Reply]]:
    """What a copy holds. Raises ArgumentError that names file and line."""
    taken = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line:
            continue
        place = f"{plain(file)}: line {number}"
        one = object_of(line, _OF_REPLY, place)
        if one["stop"] not in list(Stop):
            raise ArgumentError(f"{place}: stop={plain(one['stop'])!r} is none of {', '.join(Stop)}")
        reply = Reply(one["text"], Stop(one["stop"]), one["model_id"], 0, 0, 0.0, 0, usage_known=False)
        taken[one["key"]] = (one["request"], reply)
    return taken


def rates(rows: Iterable[Row]) -> list[tuple[tuple[str, ...], Counter[str]]]:
    """By generator, attacker, judge, oracle and kind of row: `exploited` of `counted`, and what keeps others out.

    Of several attacks on a rubric the first one counts.
    """
    found: dict[tuple[str, ...], Counter[str]] = {}
    proved = any(row["exact"] is not None for row in rows)
    for row in (one for one in rows if not one["attack"]):
        kind = "impossible" if row["label"] == "impossible" else "control"
        for oracle, violates in _verdicts(row, proved=proved).items():
            place = (row["generator"], row["attacker"], row["judge"], oracle, kind)
            count = found.setdefault(place, Counter())
            out = _left_out(row, oracle, violates)
            count["rows"] += 1
            count["counted" if out is None else out] += 1
            if out is None:
                count["exploited"] += bool(row["adv"] >= row["baseline"] and violates)
    return list(found.items())


def _verdicts(row: Row, *, proved: bool) -> dict[str, bool | None]:
    exact = row["exact"] and row["exact"]["violates"]
    return {**row["violates"], **({"(proved)": exact} if proved else {})}


def _left_out(row: Row, oracle: str, violates: bool | None) -> str | None:
    """The first stage that keeps a row out."""
    for role in ("generator", "attacker", "judge"):
        if row["statuses"][role] != "ok":
            return f"{role}: {row['statuses'][role]}"
    if violates is None:
        return f"oracle: {row['statuses'].get(f'oracle:{oracle}', 'no verdict')}"
    return None
