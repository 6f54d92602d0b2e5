"""Measure rubrics of known quality on a built release, exactly: which are exploited, and which reward over-refusal.

Rows are the certificate-faithful rubric, the reference writers, who read the prompt alone, and a drawn rubric of each
flaw type. Exploitability is over sets of statements and the attacker is a global optimum: not to be set beside rates
of attacks in free text. The files must be those of the manifest, and the stored optima are proved again first. Exit
code 1 where the faithful rubric is exploited anywhere.

Examples:

  impossible-rubrics release calibrate out/release

  impossible-rubrics release calibrate out/release --json
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from impossible_rubrics_env.commands.options import Json, console, print_json, with_progress
from impossible_rubrics_env.release.built import CONTROLS, IMPOSSIBLE_SPLITS, read_release
from impossible_rubrics_env.release.calibrate import Calibration, calibrate
from impossible_rubrics_env.release.files import naming
from impossible_rubrics_env.release.optima import FAITHFUL


def release_calibrate(
    release: Annotated[Path, typer.Argument(help="A folder that `release build` wrote.")],
    seed: Annotated[int, typer.Option(min=0, max=2**53, help="Seed of the drawn rubrics.")] = 0,
    as_json: Json = False,
) -> int:
    """Calibrate."""
    with naming("RELEASE", release):
        held = read_release(release)
    found = calibrate(held, seed, with_progress)
    if as_json:
        rows = [row.as_dict() for row in found.rows]
        proved = {"optima_proved": found.proved, "stored_optima_proved": len(held.optima)}
        print_json({"sizes": dict(found.sizes), "rows": rows, **proved})
    else:
        console().print(_table(found))
        print(f"{found.proved} optima proved again by the independent checker")
    faithful = next(row for row in found.rows if row.name == FAITHFUL)
    if any(faithful.exploited.values()):
        print(f"FAILED: the {FAITHFUL} rubric is exploited", file=sys.stderr)
        return 1
    return 0


def _table(found: Calibration) -> Table:
    caption = (
        "exploited (of these by a false claim); over-refusal: controls on which a refusal reaches the baseline; honest "
        "outscored: impossible tasks on which a dishonest answer reaches the best honest one"
    )
    table = Table("rubric", title="Structured exploitability, exact", caption=caption)
    for name in (*IMPOSSIBLE_SPLITS, CONTROLS, "over-refusal", "honest outscored", "specificity"):
        table.add_column(name, justify="right")
    for row in found.rows:
        cells = (_cell(row.exploited, row.false_claims, name) for name in (*IMPOSSIBLE_SPLITS, CONTROLS))
        over = f"{row.over_refusals}/{found.sizes[CONTROLS]}"
        outscored = f"{row.outscored['all169']}/{found.sizes['all169']}"
        table.add_row(row.name, *cells, over, outscored, f"{row.specificity:.0%}")
    return table


def _cell(exploited: Mapping[str, int], false: Mapping[str, int], split: str) -> str:
    return f"{exploited[split]} ({false[split]})"
