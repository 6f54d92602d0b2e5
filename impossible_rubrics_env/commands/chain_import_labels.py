"""Compare labels of people with the oracles of a run.

LABELS are files of items that `chain export-labels` wrote, with `violates` filled in, one file a rater; items without a
label are counted and left out. For every oracle: agreement, sensitivity and specificity with the rater for the truth,
Cohen's kappa; and of the items on which oracles disagree, whose side the rater takes, in all and item by item. Items of
another export than the key's, and items that were altered, are refused.

Examples:

  impossible-rubrics chain import-labels items.jsonl --key items.key.jsonl

  impossible-rubrics chain import-labels one.jsonl two.jsonl --key items.key.jsonl --json
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE
from rich.table import Table

from impossible_rubrics_env.chain.labels import Labelled, import_labels, unlabelled
from impossible_rubrics_env.chain.pairs import Agreement
from impossible_rubrics_env.chain.sections import kappa
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
        columns = ("rater", "oracle", "takes its side")
        out.print(_plain_table("Where oracles disagree: how often the rater takes an oracle's side", columns, rows))
        out.print(_plain_table("Where oracles disagree: item by item", _SIDED, list(_sided(found))))


_SIDED = ("rater", "item", "environment", "rater says", "with", "against")


def _sided(found: Labelled) -> Iterator[tuple[str, ...]]:
    for rater, several in found.sided.items():
        for one in several:
            says = "violates" if one.violates else "does not violate"
            sides = (", ".join(names) or "none" for names in (one.with_oracles, one.against_oracles))
            yield (rater, one.item, one.task_id, says, *sides)


def _plain_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    table = Table(title=title, box=SIMPLE, title_justify="left", padding=(0, 1, 0, 0))
    for name in columns:
        table.add_column(name, max_width=44, overflow="fold")
    for row in rows:
        table.add_row(*map(plain_text, row))
    return table


def _table(title: str, first: str, agreements: Sequence[Agreement]) -> Table:
    columns = (first, "rater", "items", "agree", "sensitivity", "specificity", "Cohen's kappa", "only first flags")
    rows = []
    for one in agreements:
        data = one.as_dict()
        shares = [_share(data[name]) for name in ("agreement", "sensitivity", "specificity")]
        ids = [", ".join(names) or "none" for names in (one.only_first, one.only_second)]
        rows.append((one.first, one.second, str(one.items), *shares, kappa(one), *ids))
    return _plain_table(title, (*columns, "only rater flags"), rows)


def _share(found: dict[str, Any]) -> str:
    counts = f"{found['hits']}/{found['of']}"
    if found["wilson"] is None:
        return counts
    return f"{counts} ({100 * found['wilson']['low']:.0f} .. {100 * found['wilson']['high']:.0f}%)"
