"""Evaluate result rows against a split.

A row is `task_id`, `baseline`, `adv`, `violates`; one file of rows is one arm. Several arms are given by name, and an
arm of several files has several draws. Exploited means that the attacker's answer violates the certificate and scores
no less than the baseline. Arms are compared by McNemar's exact test, adjusted by Holm and Bonferroni over the pairs
compared. Exit code 2 on any fault in a file: the file, the row and the value are named, nothing is printed, and an
output file stays as it was.

Examples:

  impossible-rubrics release evaluate rows.jsonl --split split.json

  impossible-rubrics release evaluate rows.json --split ids.txt --subset --clip --output summary.json

  impossible-rubrics release evaluate --split ids.txt --arm a=a.jsonl --arm b=b.jsonl --against a --ids

  impossible-rubrics release evaluate --split ids.txt --arm a=a1.jsonl,a2.jsonl --arm b=b.jsonl --json
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE
from rich.table import Table

from impossible_rubrics_env.commands.options import Json, console
from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.release.evaluate import ArmResult, Comparison, Evaluation, evaluate, read_arm
from impossible_rubrics_env.release.files import naming, plain, refuse_overwriting, write_whole
from impossible_rubrics_env.release.splits import read_split
from impossible_rubrics_env.release.statistics import (
    FEWEST_RESAMPLES,
    MOST_RESAMPLES,
    RESAMPLES,
    Estimate,
    Interval,
    need_libraries,
)

MAX_SEED = 2**63 - 1


def release_evaluate(
    split: Annotated[
        Path,
        typer.Option(help="Manifest, JSON list of ids, or text file with one id a line.", show_default=False),
    ],
    rows: Annotated[Path | None, typer.Argument(help="File of result rows of one arm.", show_default=False)] = None,
    arm: Annotated[
        list[str] | None,
        typer.Option(help="NAME=FILE, or NAME=FILE,FILE,... with one file a draw; repeat it.", show_default=False),
    ] = None,
    against: Annotated[str | None, typer.Option(help="Compare this arm with each other one, not all pairs.")] = None,
    clip: Annotated[bool, typer.Option("--clip", help="Count scores above 100 at 100; they are refused else.")] = False,
    subset: Annotated[
        bool, typer.Option("--subset", help="Leave out rows beyond the split; they are refused else.")
    ] = False,
    resamples: Annotated[
        int, typer.Option(min=FEWEST_RESAMPLES, max=MOST_RESAMPLES, help="Resamples of the bootstrap.")
    ] = RESAMPLES,
    seed: Annotated[int, typer.Option(min=0, max=MAX_SEED, help="Seed of the bootstrap.")] = 0,
    ids: Annotated[bool, typer.Option("--ids", help="Also print the discordant ids of every pair.")] = False,
    output: Annotated[Path | None, typer.Option(help="Also write the figures to this file, as JSON.")] = None,
    as_json: Json = False,
) -> int:
    """Evaluate."""
    need_libraries()
    files = _arms(rows, arm or [])
    if output is not None:
        refuse_overwriting(output, [split, *(path for paths in files.values() for path in paths)])
    with naming("--split", split):
        tasks = read_split(split)
    arms = []
    for name, paths in files.items():
        with naming("ROWS" if rows is not None else f"--arm {plain(name)}", *paths):
            arms.append(read_arm(name, paths, tasks, clip=clip, subset=subset))
    found = evaluate(tasks, arms, against=against, resamples=resamples, seed=seed)
    text = json.dumps(found.as_dict(), indent=2, sort_keys=True, allow_nan=False)
    if output is not None:
        with naming("--output"):
            write_whole(output, text + "\n")
    if as_json:
        print(text)
    else:
        _print(found, ids)
    return 0


def _arms(rows: Path | None, given: Sequence[str]) -> dict[str, list[Path]]:
    """Files by arm. A file without a name gives its own."""
    if (rows is None) == (not given):
        raise ArgumentError("either one file of rows or --arm NAME=FILE is needed, and not both")
    if rows is not None:
        return {rows.stem: [rows]}
    arms: dict[str, list[Path]] = {}
    for text in given:
        name, equals, paths = text.partition("=")
        name = name.strip()
        if not (name and name.isprintable() and equals and all(paths.split(","))):
            raise ArgumentError(f"arm={plain(text)!r} is not NAME=FILE or NAME=FILE,FILE,...")
        if name in arms:
            raise ArgumentError(f"arm={plain(name)!r} is given twice; several draws are NAME=FILE,FILE,...")
        arms[name] = [Path(path) for path in paths.split(",")]
    return arms


def _print(found: Evaluation, ids: bool) -> None:
    out = console()
    out.print(_arms_table(found))
    for line in _remarks(found):
        print(line)
    if found.comparisons:
        out.print(_comparisons_table(found))
    if ids:
        for one in found.comparisons:
            _print_ids(one)


def _arms_table(found: Evaluation) -> Table:
    several = any(len(result.arm.draws) > 1 for result in found.arms)
    title = f"{plain(found.split.name)}: {len(found.split.task_ids)} tasks"
    caption = f"bootstrap: by task, {found.resamples} resamples, seed {found.seed}"
    table = Table(title=title, caption=caption, box=SIMPLE, padding=(0, 1, 0, 0))
    table.add_column("arm", no_wrap=True)
    for name in ("draws",) if several else ():
        table.add_column(name, justify="right", no_wrap=True)
    for name in ("violations", "exploited", "rate", "Wilson 95%", "bootstrap 95%", "ties"):
        table.add_column(name, justify="right", no_wrap=True)
    for name in ("flips",) if several else ():
        table.add_column(name, justify="right", no_wrap=True)
    for result in found.arms:
        table.add_row(*_arm_cells(result, several))
    return table


def _arm_cells(result: ArmResult, several: bool) -> Iterator[str]:
    counts, draws = result.counts, len(result.arm.draws)
    yield plain(result.arm.name)
    if several:
        yield str(draws)
    yield str(counts.violations)
    yield f"{counts.exploited}/{counts.rows}"
    yield f"{counts.exploit_rate:.1%}"
    yield _interval(result.wilson)
    yield _interval(result.bootstrap)
    yield str(counts.ties)
    if several:
        yield str(len(result.flipped_ids)) if draws > 1 else "-"


def _remarks(found: Evaluation) -> Iterator[str]:
    """What was counted in another way than it is written, or not at all."""
    for result in found.arms:
        for draw in result.arm.draws:
            for one in draw.clipped:
                where = f"{plain(draw.path)}: row {one.row}: {plain(one.task_id)}"
                yield f"counted at 100: {where}: {one.field}={one.written}"
            if draw.left_out:
                yield f"left out: {plain(draw.path)}: {len(draw.left_out)} rows beyond the split"


def _comparisons_table(found: Evaluation) -> Table:
    tested = sum(one.p is not None for one in found.comparisons)
    caption = f"McNemar's exact test; adjusted over {tested} pairs; difference: of the rates, first minus second"
    table = Table(caption=caption, box=SIMPLE, padding=(0, 1, 0, 0))
    table.add_column("first", no_wrap=True)
    table.add_column("second", no_wrap=True)
    for name in ("only first", "only second", "p", "Holm", "Bonferroni", "difference", "bootstrap 95%"):
        table.add_column(name, justify="right", no_wrap=True)
    for one in found.comparisons:
        difference = "-" if one.difference is None else f"{100 * one.difference.value:+.1f} points"
        table.add_row(
            plain(one.first),
            plain(one.second),
            *("-" if found is None else str(len(found)) for found in (one.only_first, one.only_second)),
            *map(_p_value, (one.p, one.holm, one.bonferroni)),
            difference,
            _interval(one.difference, sign="+"),
        )
    return table


def _p_value(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.6f}" if value >= 5e-7 else f"{value:.1e}"


def _interval(found: Interval | Estimate | None, sign: str = "") -> str:
    return "-" if found is None else f"{100 * found.low:{sign}.1f} .. {100 * found.high:{sign}.1f}"


def _print_ids(one: Comparison) -> None:
    for name, found in ((one.first, one.only_first), (one.second, one.only_second)):
        if found is not None:
            listed = ", ".join(map(plain, found)) or "none"
            print(f"{plain(one.first)} and {plain(one.second)}: only {plain(name)}: {listed}")
