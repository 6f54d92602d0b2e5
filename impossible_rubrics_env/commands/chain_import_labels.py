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
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from impossible_rubrics_env.chain.labels import Labelled, import_labels, unlabelled
from impossible_rubrics_env.chain.sections import AGAINST_RATERS, Table, rater_table
from impossible_rubrics_env.commands.chain_report import plain_text, print_table
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
    for table in _tables(found):
        if table.rows:
            print_table(out, table)


def _tables(found: Labelled) -> Iterator[Table]:
    yield rater_table(AGAINST_RATERS, "oracle", found.with_oracles)
    yield rater_table("Raters against each other", "first", found.between_raters)
    sides = [
        (rater, oracle, f"{right}/{total}")
        for rater, by_oracle in found.adjudicated.items()
        for oracle, (right, total) in by_oracle.items()
    ]
    told = "Where oracles disagree"
    yield Table(f"{told}: how often the rater takes an oracle's side", ("rater", "oracle", "its side"), (*sides,))
    columns = ("rater", "item", "environment", "rater says", "with", "against")
    yield Table(f"{told}: item by item", columns, tuple(_sided(found)))


def _sided(found: Labelled) -> Iterator[tuple[str, ...]]:
    for rater, several in found.sided.items():
        for one in several:
            says = "violates" if one.violates else "does not violate"
            sides = (", ".join(names) or "none" for names in (one.with_oracles, one.against_oracles))
            yield (rater, one.item, one.task_id, says, *sides)
