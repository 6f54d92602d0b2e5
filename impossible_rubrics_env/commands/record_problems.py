"""What the subcommands about records share: problems as lines, and counts of records as tables."""

import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from rich.box import SIMPLE
from rich.table import Table

from impossible_rubrics_env.cli import BAD_INPUT
from impossible_rubrics_env.commands.options import console
from impossible_rubrics_env.release.errors import Problem, RecordsError, listing
from impossible_rubrics_env.release.files import plain
from impossible_rubrics_env.release.records import Kind, Record

_COUNTED = {
    "type": "impossibility_type",
    "domain": "domain",
    "provenance": "provenance_type",
    "verifiability": "source_verifiability",
}


def refuse(error: RecordsError) -> int:
    """Print every problem, one a line and up to a bound, and give the exit code for bad input."""
    records = {(one.source, one.task_id) for one in error.problems}
    for line in str(error).splitlines():
        print(f"error: {line}", file=sys.stderr)
    print(f"error: refused: {len(error.problems)} problems in {len(records)} records", file=sys.stderr)
    return BAD_INPUT


def warn(warnings: tuple[Problem, ...]) -> None:
    """Print the warnings, one a line and up to a bound."""
    for line in listing(warnings).splitlines():
        print(f"warning: {line}", file=sys.stderr)


def counts(records: Iterable[Record]) -> dict[str, Any]:
    """How many records there are, by kind and by each field that is counted."""
    listed = list(records)
    data: dict[str, Any] = {
        "records": len(listed),
        "impossible": sum(record.kind is Kind.IMPOSSIBLE for record in listed),
        "controls": sum(record.kind is Kind.CONTROL for record in listed),
    }
    for name, field in _COUNTED.items():
        data[name] = {
            str(kind): dict(sorted(Counter(_value(one, field) for one in listed if one.kind is kind).items()))
            for kind in Kind
        }
    return data


def _value(record: Record, field: str) -> str:
    """What a record counts as; a control of ours and theirs says which type it resembles, if any."""
    if field == "impossibility_type" and record.kind is Kind.CONTROL:
        resembled = record.data.get("looks_like_impossibility_type")
        return f"like {resembled}" if isinstance(resembled, str) and resembled else "clear"
    return str(record.data.get(field))


def print_counts(data: Mapping[str, Any]) -> None:
    """The counts as one table."""
    table = Table(box=SIMPLE, title=f"{data['records']} records", title_justify="left")
    for name in ("", "", "impossible", "controls"):
        table.add_column(name, justify="right" if name else "left")
    table.add_row("all", "", str(data["impossible"]), str(data["controls"]))
    for name in _COUNTED:
        both = data[name]
        for value in sorted({*both[Kind.IMPOSSIBLE], *both[Kind.CONTROL]}):
            cells = [str(both[kind].get(value, "")) for kind in (Kind.IMPOSSIBLE, Kind.CONTROL)]
            table.add_row(name, plain(value), *cells)
    console().print(table)
