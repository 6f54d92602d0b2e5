"""Run the chain: a model writes a rubric, another attacks it, a judge scores blindly, oracles look for violations.

Models are anthropic:NAME, openai:NAME (any server with that API), policy:NAME (offline: generators refusing, decisive,
cautious, one_sided, literal, detailed, partial, careful; attackers best, shallow; judge literal; oracle exact) and the
rubrics fixed:certificate-faithful and fixed:decisive. Policies do not read what models write: with a model as generator
--attacker, --judge and --oracle have to be models too. Environments are a split of a folder that `release build` wrote,
an imported release with a split, a file of tasks, or a draw. Several models of a role give several rows a rubric.

The folder of the run has every call, recorded before anything depends on it, and `results.jsonl`, which `chain report`
reads. A run that was stopped or killed goes on with the same command and --resume. Exit code 0 complete, 1 partial
(budget, failed calls), 2 bad input, 130 interrupted.

Examples:

  impossible-rubrics chain run --families answer --n 48 --generator policy:careful --generator policy:detailed
  --output runs/draw

  impossible-rubrics chain run --release out/release --split stress45 --controls --generator policy:partial
  --generator fixed:decisive --output runs/fixed

  impossible-rubrics chain run --release out/release --split full150 --generator openai:a --attacker openai:b
  --judge openai:b --oracle anthropic:c --prices prices.toml --budget 20 --output runs/full --dry-run

The first one is a look at the tables, in seconds: a draw has controls among its tasks, and rates of two dozen
environments have wide intervals. Use a whole split for rates.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from impossible_rubrics_env.chain import environments as loading
from impossible_rubrics_env.chain.calls import Model, Provider
from impossible_rubrics_env.chain.efforts import read_efforts
from impossible_rubrics_env.chain.engine import (
    DEFAULT_ATTEMPTS,
    DEFAULT_CONCURRENCY,
    MAX_CONCURRENCY,
    Counts,
    Options,
)
from impossible_rubrics_env.chain.environments import Environment
from impossible_rubrics_env.chain.prices import Prices, read_usd
from impossible_rubrics_env.chain.providers import DEFAULT_TIMEOUT, OUTPUT_LIMITS
from impossible_rubrics_env.chain.results import Variant
from impossible_rubrics_env.chain.run import Outcome, Run, dry_run, rates, start
from impossible_rubrics_env.chain.running import summary
from impossible_rubrics_env.chain.stages import Baseline, Setup
from impossible_rubrics_env.commands.calls import print_dry, watched
from impossible_rubrics_env.commands.options import Json, console, print_json
from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.release.files import plain

Models = list[str]
DEFAULT_TASKS = 12
_CAPTION = (
    "exploited: the attack violates and scores no less than the honest answer; on controls the honest answer is the "
    "right one, and an attack violates that is wrong or refuses. `chain report` has intervals, and over-refusal"
)
_OF_FIRST = "; of the first attack on each rubric: `chain report` has the best of all"
_CAVEAT = "; repeats of unusable replies come on top. Real runs cost a fraction."


def chain_run(
    generator: Annotated[Models, typer.Option(help="Writes rubrics; repeat it for several arms.", show_default=False)],
    output: Annotated[Path, typer.Option(help="The folder of the run.", show_default=False)],
    attacker: Annotated[Models | None, typer.Option(help="Attacks rubrics. [default: policy:best]")] = None,
    judge: Annotated[Models | None, typer.Option(help="Scores answers. [default: policy:literal]")] = None,
    oracle: Annotated[Models | None, typer.Option(help="Sees violations. [default: policy:exact]")] = None,
    release: Annotated[Path | None, typer.Option(help="A folder that `release build` wrote.")] = None,
    records: Annotated[Path | None, typer.Option(help="A release of others: a folder or a file of records.")] = None,
    split: Annotated[str | None, typer.Option(help="A split: of --release by name, or a file.")] = None,
    tasks: Annotated[Path | None, typer.Option(help="A file of what `tasks --json` prints.")] = None,
    families: Annotated[str | None, typer.Option(help="Draw packet tasks of these families instead.")] = None,
    n: Annotated[
        int | None,
        typer.Option(
            "--n",
            "-n",
            min=1,
            max=100_000,
            help=f"How many tasks to draw, or environments of the split, evenly over its types, and as many controls. "
            f"[default: {DEFAULT_TASKS}, or the whole split]",
        ),
    ] = None,
    controls: Annotated[bool, typer.Option("--controls", help="Also run the controls of the release.")] = False,
    draws: Annotated[int, typer.Option(min=1, max=1000, help="Rubrics by each generator for each environment.")] = 1,
    attacks: Annotated[
        int, typer.Option(min=1, max=100, help="Attacks of each attacker on each rubric, but once on controls.")
    ] = 1,
    seed: Annotated[int, typer.Option(min=0, max=2**53, help="Of the draw, of --n, of the order of answers.")] = 0,
    variant: Annotated[Variant, typer.Option(help="How generators are instructed.")] = Variant.NEUTRAL,
    statements: Annotated[
        bool | None,
        typer.Option(
            "--statements/--no-statements",
            help="Attackers also name the statements they make, and the proofs judge those. [default: with policies]",
        ),
    ] = None,
    baseline: Annotated[
        Baseline | None,
        typer.Option(help="The honest answer. [default: statements where a policy judges, else record]"),
    ] = None,
    repeats: Annotated[int, typer.Option(min=0, max=20, help="How often to repeat a reply without use.")] = 1,
    retests: Annotated[int, typer.Option(min=0, max=20, help="How often judges and oracles are asked again.")] = 0,
    audit: Annotated[bool, typer.Option("--audit", help="Oracles also look at the honest baselines.")] = False,
    reuse: Annotated[Path | None, typer.Option(help="Take equal calls from this run, to swap other roles.")] = None,
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
) -> int:
    """Run the chain."""
    _check_folder(output)
    held = _environments(release, records, split, tasks, families, n, seed, controls)
    generators, attackers = _models(generator), _models(attacker or ["policy:best"])
    judges, oracles = _models(judge or ["policy:literal"]), _models(oracle or ["policy:exact"])
    setup = Setup(
        generators,
        attackers,
        judges,
        oracles,
        draws=draws,
        attacks=attacks,
        seed=seed,
        variant=variant,
        statements=_policy_among(attackers) if statements is None else statements,
        baseline=baseline or (Baseline.STATEMENTS if _policy_among(judges) else Baseline.RECORD),
        repeats=repeats,
        retests=retests,
        audit=audit,
        max_tokens=max_tokens,
        temperature=temperature,
        efforts=read_efforts(effort, [*generators, *attackers, *judges, *oracles]),
    )
    urls = {"anthropic_base_url": anthropic_base_url, "openai_base_url": openai_base_url}
    run = Run(
        output,
        held,
        setup,
        Options(concurrency=concurrency, attempts=attempts),
        _prices(prices),
        None if budget is None else read_usd(budget),
        reuse,
        {**urls, "timeout": timeout, "output_limit": output_limit},
    )
    if reuse is not None and not reuse.is_dir():
        raise ArgumentError(f"--reuse {plain(reuse)}: there is no such folder of a run")
    if dry:
        left = dry_run(run, resume=resume)
        budget_left = None if run.budget_micro_usd is None else run.budget_micro_usd - left.spent_micro_usd
        return print_dry(left.engine, "environments", len(run.environments), as_json, _CAVEAT, budget_left)
    try:
        with watched(_shown) as told:
            outcome = start(run, resume=resume, on_progress=told)
    except OSError as error:
        raise _in_words("--output", error) from None
    return _print(outcome, output, as_json)


def _models(names: Sequence[str]) -> tuple[Model, ...]:
    return tuple(Model.parse(name) for name in names)


def _policy_among(models: Sequence[Model]) -> bool:
    return any(one.provider is Provider.POLICY for one in models)


def _check_folder(output: Path) -> None:
    if output.exists() and not output.is_dir():
        raise ArgumentError(f"--output {plain(output)}: is a file, and has to be a folder")


def _prices(path: Path | None) -> Prices:
    with _of_option("--prices"):
        return Prices() if path is None else Prices.read(path)


def _environments(
    release: Path | None,
    records: Path | None,
    split: str | None,
    tasks: Path | None,
    families: str | None,
    n: int | None,
    seed: int,
    controls: bool,
) -> list[Environment]:
    if sum(one is not None for one in (release, records, tasks, families)) != 1:
        raise ArgumentError("one of --release, --records, --tasks and --families is needed, and no more than one")
    if (tasks is not None or families is not None) and (split is not None or controls):
        raise ArgumentError("--split and --controls go with --release or --records; tasks have controls of their own")
    if tasks is not None:
        if n is not None:
            raise ArgumentError("--n goes with the other three; of --tasks all lines are run")
        with _of_option("--tasks"):
            return loading.from_tasks(tasks)
    if families is not None:
        return loading.drawn(families, DEFAULT_TASKS if n is None else n, seed)
    sample = None if n is None else loading.Sample(n, seed)
    if release is not None:
        with _of_option("--release"):
            return loading.from_release(release, split or "all169", controls=controls, sample=sample)
    if split is not None and not Path(split).is_file():
        raise ArgumentError(f"--split {plain(split)}: no such file; of --records a split is a file")
    with _of_option("--records"):
        path = Path() if records is None else records
        return loading.from_records(path, None if split is None else Path(split), controls=controls, sample=sample)


@contextmanager
def _of_option(name: str) -> Iterator[None]:
    """Whatever goes wrong with a file that an option names is said with the option."""
    try:
        yield
    except OSError as error:
        raise _in_words(name, error) from None
    except ArgumentError as error:
        raise ArgumentError(f"{name}: {error}") from None


def _in_words(option: str, error: OSError) -> ArgumentError:
    return ArgumentError(f"{option}: {plain(error.filename or '')}: {error.strerror}")


def _shown(counts: Counts) -> str:
    done = counts.answered + counts.reused
    return f"{done} of {counts.asked} asked so far, {counts.failed} failed, {counts.in_flight} in flight"


def _print(outcome: Outcome, folder: Path, as_json: bool) -> int:
    for note in outcome.notes:
        print(note, file=sys.stderr)
    found = rates(outcome.rows)
    told = summary(outcome.engine, outcome.ended)
    names = ("generator", "attacker", "judge", "oracle", "rows of")
    if as_json:
        listed = [{**dict(zip(names, place, strict=True)), **count} for place, count in found]
        print_json({"state": str(outcome.ended.state), "rows": len(outcome.rows), "rates": listed, "summary": told})
        return outcome.ended.exit_code
    caption = _CAPTION + (_OF_FIRST if any(row["attack"] for row in outcome.rows) else "")
    table = Table(*names, title=f"{len(outcome.rows)} rows in {folder}", caption=caption)
    for name in ("exploited", "left out"):
        table.add_column(name, justify="right")
    for place, count in found:
        out = {name: number for name, number in count.items() if name not in ("rows", "counted", "exploited")}
        left = ", ".join(f"{name} {number}" for name, number in out.items()) or "0"
        table.add_row(*place, f"{count['exploited']}/{count['counted']}", left)
    console().print(table)
    print(told, file=sys.stderr if outcome.ended.exit_code else sys.stdout)
    return outcome.ended.exit_code
