"""Print the band and the verdict against tau, the tolerance in certificate widths around the midpoint.

Examples:

  impossible-rubrics dial

  impossible-rubrics dial --record cosines-1-2-5 --tau 1 --tau 0.6 --tau 0.5001 --tau 0.5

  impossible-rubrics dial --record e --plot dial.png
"""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from impossible_rubrics_env.certificates.ledger import load_ledger
from impossible_rubrics_env.commands.options import Json, console, print_json
from impossible_rubrics_env.errors import ArgumentError, MissingExtraError
from impossible_rubrics_env.exact import Rational, number_text, ratio_of, rational
from impossible_rubrics_env.taskgen.certified_interval import FAMILY
from impossible_rubrics_env.taskgen.registry import make_task

DEFAULT_TAUS = ("10000001", "10001", "10", "1", "0.6", "0.51", "0.5001", "0.5")
PLOT_SUFFIXES = (".png", ".svg", ".pdf")
DEFAULT_RECORD = "golden-ratio"


def dial(
    record: Annotated[str, typer.Option(help="A ledger record by name.")] = DEFAULT_RECORD,
    tau: Annotated[list[str] | None, typer.Option(help="A tolerance in widths; repeat for several.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Also draw room against tau to this PNG or SVG file.")] = None,
    as_json: Json = False,
) -> None:
    """Print the dial of one record."""
    _require_width(record)
    rows = [_row(record, text) for text in tau or DEFAULT_TAUS]
    if plot is not None:
        _plot(record, rows, plot)
    if as_json:
        print_json({"record": record, "rows": rows})
        return
    table = Table("tau", "band, in widths", "band, absolute", "room", "rung", "is there an attack?", title=record)
    for row in rows:
        answer = "breakable" if row["room"] != "0" else "no attack exists"
        table.add_row(row["tau"], row["band_in_widths"], row["band"], row["room"], row["rung"], answer)
    console().print(table)


def _require_width(name: str) -> None:
    record = load_ledger().get(name)
    if record is None:
        raise ArgumentError(f"record={name!r} is not in the ledger")
    proof = make_task(FAMILY, record=name, shape="certificate").certificate["proof"]
    if proof["lo"] == proof["hi"]:
        raise ArgumentError(f"record={name!r} is exact: its certificate has no width to measure a tolerance in")


def _row(record: str, tau: str) -> dict[str, str]:
    task = make_task(FAMILY, record=record, tau=tau)
    proof = task.certificate["proof"]
    width = rational(proof["hi"]) - rational(proof["lo"])
    band = max(rational(0), (2 * rational(task.params["tau"]) - 1) * width)
    return {
        "tau": tau,
        "band_in_widths": number_text(band / width),
        "band": _short(band),
        "room": str(task.room),
        "rung": str(task.rung),
    }


def _short(value: Rational) -> str:
    """Three digits, for reading only."""
    numerator, denominator = ratio_of(value)
    return f"{numerator / denominator:.3g}"


def _plot(record: str, rows: list[dict[str, Any]], path: Path) -> None:
    if path.suffix.lower() not in PLOT_SUFFIXES:
        raise ArgumentError(f"--plot {str(path)!r} must end in one of {', '.join(PLOT_SUFFIXES)}")
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        raise MissingExtraError("--plot needs matplotlib: pip install 'impossible-rubrics-env[plot]'") from None
    figure, axes = pyplot.subplots(figsize=(7, 4))
    taus = [float(row["tau"]) for row in rows]
    axes.plot(taus, [float(row["room"]) for row in rows], marker="o")
    axes.set(xscale="log", xlabel="tau: tolerance in certificate widths", ylabel="room: breaking doubles", title=record)
    axes.set_yscale("symlog", linthresh=1)
    axes.axvline(0.5, linestyle=":", color="grey")
    figure.tight_layout()
    figure.savefig(path)
