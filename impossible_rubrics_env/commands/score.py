"""Score saved rollouts again, offline, from replies and proofs alone.

Reads what verifiers 0.2, 0.3 and 0.4 write (traces.jsonl, results.jsonl) and JSON lines with `task` or `task_id` and
`reply`. Rewards in the files are compared and never used. Exit code 0: everything was scored; 1: something could not
be, or nothing was there (it is named, and the rest is scored); 2: bad arguments, an unreadable file, or two tasks of
one id.

Examples:

  impossible-rubrics score outputs/traces.jsonl

  impossible-rubrics score replies.jsonl --tasks tasks.jsonl --rollouts 4 --by label,rung

  impossible-rubrics score results.jsonl --scheme train --json --out graded.jsonl
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from impossible_rubrics_env.commands.options import Json, console, print_json
from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.gate import gate_tasks, run_gate
from impossible_rubrics_env.grading import SCHEMES
from impossible_rubrics_env.rollouts import Finding
from impossible_rubrics_env.score import UNSCORED, OnBytes, ScoreReport, score_files
from impossible_rubrics_env.summary import Group, Summary, Tally

INCOMPLETE_PERCENT = 5
"""Groups of which more than this share failed are marked: their rates cover an unknown part of the data."""

_SHARES = ("answered", "refused", "unsure", "unreadable")


def score(
    files: Annotated[list[Path], typer.Argument(help="Files of rollouts, one JSON object a line.", show_default=False)],
    tasks: Annotated[Path | None, typer.Option(help="File of tasks, one a line; each must have a row.")] = None,
    expect: Annotated[int | None, typer.Option(help="How many tasks must have a row.")] = None,
    rollouts: Annotated[int | None, typer.Option(help="How many rows each task must have.")] = None,
    scheme: Annotated[
        str | None, typer.Option(help=f"Pay by this scheme, not the task's own: {', '.join(SCHEMES)}.")
    ] = None,
    by: Annotated[str, typer.Option(help="Rows of the table: some of family, label, rung.")] = "family,label,rung",
    out: Annotated[Path | None, typer.Option(help="Also write one graded JSON line for each rollout.")] = None,
    verify: Annotated[bool, typer.Option("--verify", help="Prove every task again from its source.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 on any finding or failed rollout.")] = False,
    as_json: Json = False,
) -> int:
    """Score rollouts."""
    names = _group_names(by)
    run_gate(gate_tasks())
    with _progress(files) as on_bytes:
        report = score_files(
            files,
            scheme=scheme,
            tasks=tasks,
            expect=expect,
            rollouts=rollouts,
            verify=verify,
            out=out,
            on_bytes=on_bytes,
        )
    if as_json:
        print_json(report.as_dict())
    else:
        _print(report, names)
    clean = report.complete and not (strict and (report.findings.counts or report.overall.total().failed))
    return 0 if clean else 1


def _group_names(by: str) -> list[str]:
    names = [name.strip() for name in by.split(",")]
    if len(set(names)) < len(names) or not set(names) <= set(Group._fields):
        raise ArgumentError(f"by={by!r} is not a list of different names out of {', '.join(Group._fields)}")
    return names


@contextmanager
def _progress(files: Sequence[Path]) -> Iterator[OnBytes | None]:
    """A progress bar on standard error while a person watches."""
    if not sys.stderr.isatty():
        yield None
        return
    columns = (TextColumn("scoring"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("scoring", total=sum(path.stat().st_size for path in files if path.is_file()))
        yield lambda size: progress.advance(bar, size)


def _print(report: ScoreReport, names: Sequence[str]) -> None:
    whole = report.overall
    scheme = report.scheme or "each task's own"
    out = console()
    out.print(_counts_table(whole, names, f"{report.tasks} tasks, scheme: {scheme}"))
    out.print(_balance_table({**report.families, "all": whole} if len(report.families) > 1 else report.families))
    for finding in Finding:
        if report.findings.counts[finding]:
            _print_finding(report, finding)


def _counts_table(summary: Summary, names: Sequence[str], title: str) -> Table:
    """Counts by group: of the rollouts, which were graded, and what those did. Rates are over graded ones."""
    groups = _grouped(summary, names)
    caption = "reward: mean over graded; cut off: by a length limit, of graded; false: false claims, of graded"
    if any(map(_incomplete, groups.values())):
        caption += f"\n* over {INCOMPLETE_PERCENT}% of the rollouts failed: the rates are incomplete"
    table = Table(title=title, caption=caption, box=SIMPLE, padding=(0, 1, 0, 0))
    for name in names:
        table.add_column(name, no_wrap=True)
    for name in ("n", "failed", "graded", *_SHARES, "cut off", "reward", "solved", "false"):
        table.add_column(name, justify="right", no_wrap=True)
    for group, tally in groups.items():
        table.add_row(*group, *_cells(tally))
    table.add_section()
    table.add_row("all", *[""] * (len(names) - 1), *_cells(summary.total()))
    return table


def _grouped(summary: Summary, names: Sequence[str]) -> dict[tuple[str, ...], Tally]:
    merged: dict[tuple[str, ...], Tally] = {}
    for group, tally in sorted(summary.groups.items()):
        merged.setdefault(tuple(getattr(group, name) for name in names), Tally()).merge(tally)
    return merged


def _cells(tally: Tally) -> Iterator[str]:
    mean = tally.mean_reward
    yield str(tally.graded + tally.failed)
    yield f"{tally.failed}{'*' if _incomplete(tally) else ''}"
    yield str(tally.graded)
    yield from (str(tally.shares()[name]) for name in _SHARES)
    yield str(tally.truncated)
    yield "-" if mean is None else f"{mean:+.3f}"
    yield f"{tally.solved}/{tally.graded}"
    yield f"{tally.signals['false_claim']}/{tally.graded}"


def _incomplete(tally: Tally) -> bool:
    return 100 * tally.failed > INCOMPLETE_PERCENT * (tally.graded + tally.failed)


def _balance_table(summaries: dict[str, Summary]) -> Table:
    """What refusing more, or less, cannot buy."""
    columns = ("family", "label-balanced mean", "twin pairs solved", "pair accuracy", "d'", "criterion")
    table = Table(*columns, box=SIMPLE, padding=(0, 1, 0, 0))
    for name, summary in summaries.items():
        mean, accuracy, apart = summary.label_balanced_mean(), summary.pair_accuracy(), summary.discrimination()
        table.add_row(
            name,
            "-" if mean is None else f"{mean:+.3f}",
            f"{summary.pairs_solved}/{summary.pairs}",
            "-" if accuracy is None else f"{accuracy:.1%}",
            "-" if apart is None else f"{apart.d_prime:+.2f}",
            "-" if apart is None else f"{apart.criterion:+.2f}",
        )
    return table


def _print_finding(report: ScoreReport, finding: Finding) -> None:
    """The count of a finding and its first places; on standard error where something stays unscored."""
    stream = sys.stderr if finding in UNSCORED else sys.stdout
    count, first = report.findings.counts[finding], report.findings.first[finding]
    print(f"{finding.replace('_', ' ')}: {count}", file=stream)
    for issue in first:
        print(f"  {report.place(issue.place)}{': ' if issue.detail else ''}{issue.detail}", file=stream)
    if count > len(first):
        print("  ...", file=stream)
