"""Compare labels of people with the oracles of a run.

LABELS are files of items that `chain export-labels` wrote, with `violates` filled in, one file a rater; items without a
label are counted and left out. For every oracle: agreement, sensitivity and specificity with the rater for the truth,
Cohen's kappa; and of the items on which oracles disagree, with how many of them the rater takes the oracle's side.

Examples:

  impossible-rubrics chain import-labels items.jsonl --key items.key.jsonl

  impossible-rubrics chain import-labels one.jsonl two.jsonl --key items.key.jsonl --json
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE
from rich.table import Table

from impossible_rubrics_env.chain.labels import Labelled, import_labels, unlabelled
from impossible_rubrics_env.chain.pairs import Agreement
from impossible_rubrics_env.commands.chain_report import plain_text
from impossible_rubrics_env.commands.options import Json, console


def chain_import_labels(
    labels: Annotated[list[Path], typer.Argument(help="Files of labelled items.", metavar="LABELS...")],
    key: Annotated[Path, typer.Option(help="The key that was written with the items.", show_default=False)],
    as_json: Json = False,
) -> int:
    """Import."""
    found = import_labels(labels, key)
    if as_json:
        print(json.dumps(found.as_dict(), indent=2, sort_keys=True, allow_nan=False))
    else:
        _print(found)
    return 0


def _print(found: Labelled) -> None:
    out = console()
    for rater, count in unlabelled(found):
        print(f"{plain_text(rater)}: {found.labelled[rater]} of {found.items} items have a label, {count} do not")
    out.print(_table("Oracles against raters, who are taken for the truth", "oracle", found.with_oracles))
    if found.between_raters:
        out.print(_table("Raters against each other", "first", found.between_raters))
    rows = [
        (rater, oracle, f"{right}/{total}")
        for rater, by_oracle in found.adjudicated.items()
        for oracle, (right, total) in by_oracle.items()
    ]
    if rows:
        table = Table("rater", "oracle", "right", title="Where oracles disagree", box=SIMPLE, title_justify="left")
        for row in rows:
            table.add_row(*map(plain_text, row))
        out.print(table)


def _table(title: str, first: str, agreements: Sequence[Agreement]) -> Table:
    table = Table(title=title, box=SIMPLE, padding=(0, 1, 0, 0), title_justify="left")
    columns = (first, "rater", "items", "agree", "sensitivity", "specificity", "Cohen's kappa", "only first flags")
    for name in (*columns, "only rater flags"):
        table.add_column(name, max_width=50, overflow="fold")
    for one in agreements:
        data = one.as_dict()
        kappa = "-" if one.kappa is None else f"{one.kappa.value:.2f} ({one.kappa.low:.2f} .. {one.kappa.high:.2f})"
        shares = [_share(data[name]) for name in ("agreement", "sensitivity", "specificity")]
        ids = [", ".join(names) or "none" for names in (one.only_first, one.only_second)]
        table.add_row(*map(plain_text, (one.first, one.second, str(one.items), *shares, kappa, *ids)))
    return table


def _share(found: dict[str, Any]) -> str:
    counts = f"{found['hits']}/{found['of']}"
    if found["wilson"] is None:
        return counts
    return f"{counts} ({100 * found['wilson']['low']:.0f} .. {100 * found['wilson']['high']:.0f}%)"
