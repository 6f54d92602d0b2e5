"""Put tasks to models and print how they do, beside the reference policies on the same tasks.

Models are anthropic:NAME, openai:NAME (any server with that API) and policy:NAME (a reference policy, free). The tasks
are those of `sweep` with the same --draw, --families, --n, --seed and other options of the draw. Replies that are cut
off, refused by the provider or empty, and calls without a reply, are counted and stay out of the rates.

The folder of the run has every call, the tasks, and `results.jsonl`, a graded row for each task and model. A run that
was stopped or killed goes on with the same command and --resume, and pays for nothing twice. Exit code 0 complete, 1
partial (budget, failed calls), 2 bad input, 130 interrupted.

Examples:

  impossible-rubrics eval --model policy:careful --families answer --n 20 --output runs/offline

  impossible-rubrics eval --model openai:a --model anthropic:b --effort low --effort anthropic:b=none --n 40
  --prices prices.toml --budget 20 --output runs/two --dry-run

  impossible-rubrics eval --model openai:a --families attack --draw balanced --n 100 --prices prices.toml --budget 5
  --output runs/twins --resume
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from impossible_rubrics_env.chain.calls import Model, Provider
from impossible_rubrics_env.chain.efforts import read_efforts
from impossible_rubrics_env.chain.engine import (
    DEFAULT_ATTEMPTS,
    DEFAULT_CONCURRENCY,
    MAX_CONCURRENCY,
    Counts,
)
from impossible_rubrics_env.chain.evaluation import (
    Evaluation,
    Outcome,
    Score,
    Setup,
    check,
    dry_run,
    providers_of,
    start,
)
from impossible_rubrics_env.chain.prices import Prices, read_usd, usd
from impossible_rubrics_env.chain.providers import DEFAULT_TIMEOUT, OUTPUT_LIMITS
from impossible_rubrics_env.chain.running import summary
from impossible_rubrics_env.commands.calls import print_dry, watched
from impossible_rubrics_env.commands.options import Families, Json, console, print_json, with_draw, with_progress
from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.gate import gate_tasks, run_gate
from impossible_rubrics_env.reference_policies.players import BASELINES, POLICIES
from impossible_rubrics_env.release.statistics import Interval
from impossible_rubrics_env.summary import IMPOSSIBLE_LABELS, Summary, Tally
from impossible_rubrics_env.sweep import drawn_tasks, reference_tasks
from impossible_rubrics_env.task import Rung, Task
from impossible_rubrics_env.taskgen.arguments import MIXES, draw_arguments
from impossible_rubrics_env.taskgen.registry import draw_weights

DRAWS = ("reference", *MIXES)
_POSSIBLE_RUNGS = tuple(rung for rung in Rung if rung is not Rung.IMPOSSIBLE)
DEFAULT_TASKS = 40
"""Of each family, where `--n` is not given: a sweep is free, a model is not."""


@with_draw(without=("mix", "paid_by"))
def eval(  # noqa: A001 - the name of the command
    model: Annotated[list[str], typer.Option(help="Who answers; repeat it for several.", show_default=False)],
    output: Annotated[Path, typer.Option(help="The folder of the run.", show_default=False)],
    families: Families = "all",
    n: Annotated[int, typer.Option("--n", "-n", min=1, max=100_000, help="Tasks of each family.")] = DEFAULT_TASKS,
    of: Annotated[str, typer.Option("--draw", help=f"One of {', '.join(DRAWS)}.")] = "reference",
    baselines: Annotated[
        str, typer.Option(help=f"Policies beside the models, from {', '.join(POLICIES)}; or none.")
    ] = ",".join(BASELINES),
    repeats: Annotated[int, typer.Option(min=0, max=20, help="How often to repeat a reply without use.")] = 0,
    max_tokens: Annotated[int, typer.Option(min=1, max=1_000_000, help="Most output tokens of a call.")] = 8192,
    temperature: Annotated[float | None, typer.Option(min=0, max=2, help="Of every call. [default: theirs]")] = None,
    effort: Annotated[
        list[str], typer.Option(help="Reasoning effort: WORD, or MODEL=WORD for one model. [default: theirs]")
    ] = [],  # noqa: B006 - typer copies it
    concurrency: Annotated[
        int, typer.Option(min=1, max=MAX_CONCURRENCY, help="Most calls at a time.")
    ] = DEFAULT_CONCURRENCY,
    attempts: Annotated[int, typer.Option(min=1, max=100, help="Most attempts for a reply.")] = DEFAULT_ATTEMPTS,
    timeout: Annotated[float, typer.Option(min=0.1, max=86_400, help="Seconds for an attempt.")] = DEFAULT_TIMEOUT,
    anthropic_base_url: Annotated[str | None, typer.Option(help="Without the /v1.")] = None,
    openai_base_url: Annotated[str | None, typer.Option(help="With the /v1.")] = None,
    output_limit: Annotated[
        str, typer.Option(help=f"Its name in Chat Completions: {' or '.join(OUTPUT_LIMITS)}.")
    ] = OUTPUT_LIMITS[0],
    prices: Annotated[Path | None, typer.Option(help="Prices of models, TOML.")] = None,
    budget: Annotated[str | None, typer.Option(help="Most that the run may cost, in USD.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in the folder.")] = False,
    dry: Annotated[bool, typer.Option("--dry-run", help="Count calls and worst-case cost; send nothing.")] = False,
    as_json: Json = False,
    draw: dict[str, Any] | None = None,
) -> int:
    """Evaluate models."""
    given = draw or {}
    models = tuple(map(Model.parse, model))
    efforts = read_efforts(effort, models)
    setup = Setup(models, _baselines(baselines), max_tokens, temperature, efforts, repeats)
    read_prices = Prices() if prices is None else Prices.read(prices)
    read_prices.check(setup.models)
    cap = None if budget is None else read_usd(budget)
    urls = {"anthropic_base_url": anthropic_base_url, "openai_base_url": openai_base_url}
    clients = {**urls, "timeout": timeout, "output_limit": output_limit}
    if not dry:
        providers_of(setup, clients)  # before tasks are drawn, which takes a while
    tasks = _tasks(setup, of, n, families, given)
    run = Evaluation(output, tasks, setup, concurrency, attempts, read_prices, cap, clients)
    if dry:
        return print_dry(dry_run(run, resume=resume), "tasks", len(run.tasks), as_json, ".")
    run_gate(gate_tasks(families, **given))
    with watched(_shown) as told:
        outcome = start(run, resume=resume, on_progress=told)
    for note in outcome.notes:
        print(note, file=sys.stderr)
    if as_json:
        described = {"draw": of, "n": n, "families": families, "arguments": given}
        print_json({**described, **_data(outcome, cap)})
    else:
        _print(outcome, f"{n} tasks of each family, {of} draw", cap)
    return outcome.ended.exit_code


def _baselines(names: str) -> tuple[Model, ...]:
    if names.strip() in ("", "none"):
        return ()
    found = []
    for name in (part.strip() for part in names.split(",")):
        if name not in POLICIES:
            raise ArgumentError(f"baselines={names!r}: {name!r} is none of {', '.join(POLICIES)}")
        found.append(Model(Provider.POLICY, name))
    return tuple(found)


def _tasks(setup: Setup, of: str, n: int, families: str, given: dict[str, Any]) -> list[Task]:
    if of not in DRAWS:
        raise ArgumentError(f"draw={of!r} is not one of {', '.join(DRAWS)}")
    weights = draw_weights(families, draw_arguments(**given))
    check(setup, weights)
    drawn = reference_tasks(n, families, **given) if of == "reference" else drawn_tasks(n, families, mix=of, **given)
    return list(with_progress(drawn, n * len(weights), "tasks"))


def _shown(counts: Counts) -> str:
    return f"{counts.answered + counts.reused} replies, {counts.failed} failed, {counts.in_flight} in flight"


# Results


def _data(outcome: Outcome, cap: int | None) -> dict[str, Any]:
    return {
        "state": str(outcome.ended.state),
        "reason": outcome.ended.reason,
        "spent_usd": usd(outcome.engine.store.history.spent_micro_usd),
        "budget_usd": None if cap is None else usd(cap),
        "models": [_score_data(score) for score in outcome.scores],
    }


def _score_data(score: Score) -> dict[str, Any]:
    return {
        "model": str(score.model),
        "baseline": score.baseline,
        "effort": score.effort,
        "model_ids": dict(score.model_ids),
        "tasks": score.tasks,
        "usable": score.usable,
        "left_out": score.left_out(),
        "solved_interval": _interval_data(score.solved_interval()),
        "pairs_drawn": score.pairs.total(),
        "input_tokens": score.input_tokens,
        "output_tokens": score.output_tokens,
        "cost_usd": usd(score.cost_micro_usd),
        **score.summary.as_dict(),
        "rungs": {str(rung): tally.as_dict() for rung, tally in score.summary.rungs()},
        "families": {family: _family_data(score, family) for family in score.summary.families()},
    }


def _family_data(score: Score, family: str) -> dict[str, Any]:
    described = score.summary.family(family).as_dict()
    return {
        **described,
        "left_out": score.left_out(family),
        "solved_interval": _interval_data(score.solved_interval(family)),
    }


def _interval_data(interval: Interval | None) -> dict[str, float] | None:
    return interval and interval._asdict()


def _print(outcome: Outcome, title: str, cap: int | None) -> None:
    console().print(model_table(outcome.scores, title))
    for score in outcome.scores:
        named = [name for name in score.model_ids if name != str(score.model)]
        if named:
            print(f"{score.model} answered as {', '.join(named)}")
    spent = usd(outcome.engine.store.history.spent_micro_usd)
    print(f"spent: at most {spent} USD{', without a budget' if cap is None else f' of {usd(cap)} USD'}")
    told = summary(outcome.engine, outcome.ended)
    print(told, file=sys.stderr if outcome.ended.exit_code else sys.stdout)


def model_table(scores: Sequence[Score], title: str) -> Table:
    """A row a family and model, and all families together. Rates are over usable replies, and show how many."""
    families = list(dict.fromkeys(family for score in scores for family in score.summary.families()))
    rungs = [rung for rung in _POSSIBLE_RUNGS if any(_n(score.summary.total(rung=str(rung))) for score in scores)]
    twins = any(score.pairs.total() for score in scores)
    efforts = any(score.effort is not None for score in scores)
    caption = "usable: replies that are graded, of all; interval: of solved; impossible and rungs: solved of usable"
    if twins:
        caption += (
            "; balanced: impossible and possible weigh the same; pairs: both twins solved, of pairs with both usable"
        )
    table = Table("family", "model", *(["effort"] if efforts else []), title=title, caption=caption)
    rates = ["usable", "mean reward", "solved", "95% interval", "false claims", "impossible", *map(str, rungs)]
    for name in (*rates, *(["balanced", "pairs", "pair accuracy"] if twins else []), "USD", "left out"):
        table.add_column(name, justify="left" if name == "left out" else "right")
    sections = [*families, None] if len(families) > 1 else [None]
    for family in sections:
        table.add_section()
        playing = [score for score in scores if family is None or family in score.summary.families()]
        name = family or (families[0] if len(families) == 1 else "all")
        for place, score in enumerate(playing):
            head = ["" if place else name, str(score.model), *([score.effort or "-"] if efforts else [])]
            table.add_row(*head, *_cells(score, family, rungs, twins=twins))
    return table


def _cells(score: Score, family: str | None, rungs: Sequence[Rung], *, twins: bool) -> Iterator[str]:
    part = score.summary if family is None else score.summary.family(family)
    whole = part.total()
    yield f"{whole.graded}/{_n(whole)}"
    yield _signed(whole.mean_reward)
    yield f"{whole.solved}/{whole.graded}"
    interval = score.solved_interval(family)
    yield "-" if interval is None else f"{interval.low:.1%} .. {interval.high:.1%}"
    yield f"{whole.signals['false_claim']}/{whole.graded}"
    for tally in (_impossible(part), *(part.total(rung=str(rung)) for rung in rungs)):
        yield f"{tally.solved}/{tally.graded}"
    if twins:
        accuracy = part.pair_accuracy()
        drawn = score.pairs.total() if family is None else score.pairs[family]
        yield _signed(part.label_balanced_mean())
        yield f"{part.pairs_solved}/{part.pairs}" + (f" of {drawn}" if part.pairs < drawn else "")
        yield "-" if accuracy is None else f"{accuracy:.1%}"
    yield usd(score.cost_micro_usd) if family is None else ""
    yield ", ".join(f"{name} {number}" for name, number in score.left_out(family).items() if number) or "0"


def _impossible(part: Summary) -> Tally:
    """Tasks that are impossible: all those of the rung of that name, and packets of every rung."""
    merged = Tally()
    for label in IMPOSSIBLE_LABELS:
        merged.merge(part.total(label=str(label)))
    return merged


def _n(tally: Tally) -> int:
    return tally.graded + tally.failed


def _signed(value: float | None) -> str:
    return "-" if value is None else f"{value:+.3f}"
