"""Report what chain runs found: exploit rates, comparisons, swaps of judges and oracles, over-refusal, audits.

RUN is the folder of a run, or a file of its rows (`results.jsonl`). Printed are how much of each run is there, what
came out, the main table, and a line for every further part; --all prints every table, and the page of --html and --json
have all of them. Rates have every denominator and everything that was left out. An arm is a run, generator, prompt,
attacker and judge; arms are compared in pairs by McNemar's exact test, or, with --against, one with each other. The
page is one file for people who know nothing of the study. --labels takes one rater's items of `chain export-labels`,
with labels: agreement of the oracles with the rater, and the exploit rate with the rater's verdict where there is one.
Exit code 2 on any fault in a file: file, line, field and value are named, and outputs stay as they were.

Examples:

  impossible-rubrics chain report runs/first

  impossible-rubrics chain report runs/first --all

  impossible-rubrics chain report runs/first runs/second --against policy:decisive --html report.html --plot plot.png

  impossible-rubrics chain report runs/first --oracle exact --json

  impossible-rubrics chain report runs/first --labels items.jsonl --key items.key.jsonl
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table

from impossible_rubrics_env.chain import sections as parts
from impossible_rubrics_env.chain.analysis import Report, analyse
from impossible_rubrics_env.chain.labels import Labels, read_labels
from impossible_rubrics_env.chain.page import PLOT_SUFFIXES, page, plot
from impossible_rubrics_env.chain.provenance import read_run
from impossible_rubrics_env.chain.rates import Sampling
from impossible_rubrics_env.chain.results import results_file
from impossible_rubrics_env.chain.wording import GLOSSARY, READING
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
_UNBOUNDED = 10_000


def chain_report(
    runs: Annotated[list[Path], typer.Argument(help="Folders of runs, or files of rows.", metavar="RUN...")],
    against: Annotated[str | None, typer.Option(help="Compare this arm with each other one, not all pairs.")] = None,
    oracle: Annotated[str | None, typer.Option(help="Whose verdict counts; by default the first of the rows.")] = None,
    labels: Annotated[Path | None, typer.Option(help="Items that one rater labelled; goes with --key.")] = None,
    key: Annotated[Path | None, typer.Option(help="The key that was written with the items.")] = None,
    resamples: Annotated[
        int, typer.Option(min=FEWEST_RESAMPLES, max=MOST_RESAMPLES, help="Resamples of the bootstrap.")
    ] = RESAMPLES,
    seed: Annotated[int, typer.Option(min=0, max=MAX_SEED, help="Seed of the bootstrap.")] = 0,
    plot_file: Annotated[
        Path | None,
        typer.Option("--plot", help=f"Plot exploit rate against over-refusal ({', '.join(PLOT_SUFFIXES)})."),
    ] = None,
    html_file: Annotated[Path | None, typer.Option("--html", help="Write the report as one page.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Print every table.")] = False,
    as_json: Json = False,
) -> int:
    """Report."""
    need_libraries()
    told = _labels(labels, key)
    _check_outputs(runs, [one for one in (labels, key) if one is not None], plot_file, html_file)
    found = analyse(
        [read_run(path) for path in runs],
        oracle=oracle,
        against=against,
        labels=told,
        sampling=Sampling(resamples, seed),
    )
    text = page(found) if html_file is not None else ""
    image = plot(found, plot_file.suffix.lower()) if plot_file is not None else b""
    if html_file is not None:
        write_output("html", html_file, text)
    if plot_file is not None:
        write_output("plot", plot_file, image)
    if as_json:
        print(json.dumps(found.as_dict(), indent=2, sort_keys=True, allow_nan=False))
    else:
        _print(found, every=every)
    return 0


def _labels(labels: Path | None, key: Path | None) -> Labels | None:
    if labels is not None and key is not None:
        return read_labels(labels, key)
    if labels is not None or key is not None:
        raise ArgumentError("labels and key go together: give the items as --labels and their key as --key")
    return None


def _check_outputs(
    runs: Sequence[Path], inputs: Sequence[Path], plot_file: Path | None, html_file: Path | None
) -> None:
    """Before anything is read: outputs must not be inputs, nor one another, and the plot's suffix must be known."""
    for one, other in ((one, other) for place, one in enumerate(runs) for other in runs[:place]):
        if same_file(results_file(one), results_file(other)):
            raise ArgumentError(f"{plain(one)} and {plain(other)} are one run, not two")
    for option, output in (("plot", plot_file), ("html", html_file)):
        if output is not None:
            refuse_overwriting(output, [*map(results_file, runs), *inputs])
            check_folder(option, output)
    if plot_file is not None and plot_file.suffix.lower() not in PLOT_SUFFIXES:
        raise ArgumentError(f"plot={plain(plot_file)} does not end in one of {', '.join(PLOT_SUFFIXES)}")
    if plot_file is not None and html_file is not None and same_file(plot_file, html_file):
        raise ArgumentError(f"plot={plain(plot_file)} and html={plain(html_file)} are one file")


def check_folder(option: str, file: Path) -> None:
    """Raise ArgumentError, before any work, where the folder of an output is not there."""
    if not file.parent.is_dir():
        raise ArgumentError(f"{option}={plain(file)}: there is no folder {plain(file.parent)}")


def write_output(option: str, file: Path, content: str | bytes) -> None:
    """Write an output. Raises ArgumentError that names its option where that fails."""
    try:
        if isinstance(content, str):
            write_whole(file, content)
        else:
            file.write_bytes(content)
    except OSError as error:
        raise ArgumentError(f"{option}={plain(file)}: {error.strerror}") from None


def _print(found: Report, *, every: bool) -> None:
    out = console()
    for line in parts.run_lines(found):
        out.print(plain_text(line))
    for place, arm in enumerate(found.arms, start=1):
        told = f"{parts.described(found, arm)}: {parts.summary(found, arm)}"
        out.print(f"\n{place}. {plain_text(told)}")
    main, *others = parts.sections(found)
    if every:
        _print_terms(out)
        for section in (main, *others):
            _print_section(out, section)
        return
    out.print()
    print_table(out, main.tables[0])
    out.print("Further parts (--all prints their tables, --html writes a page with all of them):\n")
    for section in others:
        out.print(f"{plain_text(section.title)}: {plain_text(section.result)}")


def _print_terms(out: Console) -> None:
    out.print()
    for word, meaning in (*GLOSSARY, *READING):
        out.print(f"{word}: {meaning}")


def _print_section(out: Console, section: parts.Section) -> None:
    out.print(f"\n{plain_text(section.title)}\n", style="bold")
    out.print(plain_text(section.text))
    for one in section.tables:
        print_table(out, one)


def print_table(out: Console, one: parts.Table) -> None:
    """A table where the terminal is wide enough, else its rows as texts, so that no number is broken."""
    out.print(plain_text(one.caption))
    table = _table(one)
    if Measurement.get(out, out.options.update(max_width=_UNBOUNDED), table).maximum <= out.width:
        out.print(table)
        return
    for row in one.rows:
        out.print("  " + "; ".join(f"{name}: {plain_text(cell)}" for name, cell in zip(one.columns, row, strict=True)))
    out.print()


def _table(one: parts.Table) -> Table:
    table = Table(box=SIMPLE, padding=(0, 1, 0, 0))
    for name in one.columns:
        table.add_column(name, max_width=44, overflow="fold")
    for row in one.rows:
        table.add_row(*map(plain_text, row))
    return table


def plain_text(text: str) -> str:
    """A text for a terminal: nothing in it can move the cursor or hide."""
    return "".join(one if one.isascii() and one.isprintable() else plain(one) for one in text)
