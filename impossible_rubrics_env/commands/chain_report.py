"""Report what chain runs found: exploit rates, comparisons, swaps of judges and oracles, over-refusal, audits.

RUN is the folder of a run, or a file of its rows (`results.jsonl`). Rates have every denominator and everything that
was left out. An arm is a run, generator, prompt, attacker and judge; arms are compared in pairs by McNemar's exact
test, or, with --against, one with each other. The page of --html is one file for people who know nothing of the study.
Exit code 2 on any fault in a file: file, line, field and value are named, and outputs stay as they were.

Examples:

  impossible-rubrics chain report runs/first

  impossible-rubrics chain report runs/first runs/second --against policy:decisive --html report.html --plot plot.png

  impossible-rubrics chain report runs/first --oracle exact --json
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE
from rich.table import Table

from impossible_rubrics_env.chain import sections as parts
from impossible_rubrics_env.chain.analysis import Report, analyse
from impossible_rubrics_env.chain.page import PLOT_SUFFIXES, page, plot
from impossible_rubrics_env.chain.rates import Sampling
from impossible_rubrics_env.chain.results import read_results, results_file
from impossible_rubrics_env.commands.options import Json, console
from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.release.files import plain, refuse_overwriting, same_file, write_whole
from impossible_rubrics_env.release.statistics import (
    FEWEST_RESAMPLES,
    MOST_RESAMPLES,
    RESAMPLES,
    need_libraries,
)

MAX_SEED = 2**63 - 1


def chain_report(
    runs: Annotated[list[Path], typer.Argument(help="Folders of runs, or files of rows.", metavar="RUN...")],
    against: Annotated[str | None, typer.Option(help="Compare this arm with each other one, not all pairs.")] = None,
    oracle: Annotated[str | None, typer.Option(help="Whose verdict counts; by default the first of the rows.")] = None,
    resamples: Annotated[
        int, typer.Option(min=FEWEST_RESAMPLES, max=MOST_RESAMPLES, help="Resamples of the bootstrap.")
    ] = RESAMPLES,
    seed: Annotated[int, typer.Option(min=0, max=MAX_SEED, help="Seed of the bootstrap.")] = 0,
    plot_file: Annotated[
        Path | None,
        typer.Option("--plot", help=f"Plot exploit rate against over-refusal ({', '.join(PLOT_SUFFIXES)})."),
    ] = None,
    html_file: Annotated[Path | None, typer.Option("--html", help="Write the report as one page.")] = None,
    as_json: Json = False,
) -> int:
    """Report."""
    need_libraries()
    _check_outputs(runs, plot_file, html_file)
    found = analyse(
        [read_results(path) for path in runs], oracle=oracle, against=against, sampling=Sampling(resamples, seed)
    )
    text = page(found) if html_file is not None else ""
    image = plot(found, plot_file.suffix.lower()) if plot_file is not None else b""
    if html_file is not None:
        write_whole(html_file, text)
    if plot_file is not None:
        plot_file.write_bytes(image)
    if as_json:
        print(json.dumps(found.as_dict(), indent=2, sort_keys=True, allow_nan=False))
    else:
        _print(found)
    return 0


def _check_outputs(runs: Sequence[Path], plot_file: Path | None, html_file: Path | None) -> None:
    """Before anything is read: outputs must not be inputs, nor one another, and the plot's suffix must be known."""
    for one, other in ((one, other) for place, one in enumerate(runs) for other in runs[:place]):
        if same_file(results_file(one), results_file(other)):
            raise ArgumentError(f"{plain(one)} and {plain(other)} are one run, not two")
    for output in (plot_file, html_file):
        if output is not None:
            refuse_overwriting(output, [results_file(path) for path in runs])
    if plot_file is not None and plot_file.suffix.lower() not in PLOT_SUFFIXES:
        raise ArgumentError(f"plot={plain(plot_file)} does not end in one of {', '.join(PLOT_SUFFIXES)}")
    if plot_file is not None and html_file is not None and same_file(plot_file, html_file):
        raise ArgumentError(f"plot={plain(plot_file)} and html={plain(html_file)} are one file")


def _print(found: Report) -> None:
    out = console()
    for section in parts.sections(found):
        out.print(f"\n{plain_text(section.title)}\n", style="bold")
        out.print(plain_text(section.text), width=110)
        for one in section.tables:
            out.print(_table(one))


def _table(one: parts.Table) -> Table:
    table = Table(title=plain_text(one.caption), title_justify="left", box=SIMPLE, padding=(0, 1, 0, 0))
    for name in one.columns:
        table.add_column(name, max_width=44, overflow="fold")
    for row in one.rows:
        table.add_row(*map(plain_text, row))
    return table


def plain_text(text: str) -> str:
    """A text for a terminal: nothing in it can move the cursor or hide."""
    return "".join(one if one.isascii() and one.isprintable() else plain(one) for one in text)
