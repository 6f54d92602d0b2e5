"""Train a small policy on a rubric's score and print what it is paid beside what it claims falsely, step by step.

The answers are sets of statements (family rubric_reward), the certificate only watches, and no model judges anything.
The policy is told of each statement its kind and what a careful reader makes of it, so it could always be honest.

Examples:

  impossible-rubrics goodhart

  impossible-rubrics goodhart --rubrics decisive_proxy,flawed,faithful --steps 400 --plot goodhart.png
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from impossible_rubrics_env.commands.options import Json, console, print_json, with_progress
from impossible_rubrics_env.errors import ArgumentError, MissingExtraError
from impossible_rubrics_env.goodhart import Step, cases, train
from impossible_rubrics_env.taskgen.arguments import CERTIFICATE, PAID_BY

RUBRICS = tuple(name for name in PAID_BY if name != CERTIFICATE)
PLOT_SUFFIXES = (".png", ".svg", ".pdf")
_SHOWN = 6


def goodhart(
    rubrics: Annotated[str, typer.Option(help=f"From {', '.join(RUBRICS)}.")] = "decisive_proxy,faithful",
    n: Annotated[int, typer.Option("--n", "-n", min=1, help="How many tasks.")] = 60,
    steps: Annotated[int, typer.Option(min=1, max=100_000, help="Steps of the policy gradient.")] = 300,
    seed: Annotated[int, typer.Option(min=0, max=2**53, help="Seed of the tasks and of the policy.")] = 0,
    plot: Annotated[Path | None, typer.Option(help="Also draw both curves to this PNG, SVG or PDF file.")] = None,
    as_json: Json = False,
) -> None:
    """Train and print."""
    names = [name.strip() for name in rubrics.split(",")]
    for name in names:
        if name not in RUBRICS:
            raise ArgumentError(f"rubrics={rubrics!r}: {name!r} is none of {', '.join(RUBRICS)}")
    if plot is not None and plot.suffix not in PLOT_SUFFIXES:
        raise ArgumentError(f"plot={str(plot)!r} ends in none of {', '.join(PLOT_SUFFIXES)}")
    curves = {}
    for name in names:
        tasks = list(with_progress(cases(name, n, seed, mix="balanced"), n, f"{name}: tasks"))
        curves[name] = list(with_progress(train(tasks, steps=steps, seed=seed), steps, f"{name}: steps"))
    if plot is not None:
        _plot(curves, plot)
    if as_json:
        print_json({name: [one._asdict() for one in curve] for name, curve in curves.items()})
    else:
        console().print(_table(curves, n))


def _table(curves: Mapping[str, Sequence[Step]], n: int) -> Table:
    table = Table("rubric", title=f"Policy gradient on the rubric's score, {n} tasks")
    for name in ("step", "rubric score", "false claims", "honest"):
        table.add_column(name, justify="right")
    for name, curve in curves.items():
        table.add_section()
        places = sorted({round(place * (len(curve) - 1) / (_SHOWN - 1)) for place in range(_SHOWN)})
        for row, place in enumerate(places):
            one = curve[place]
            cells = (f"{one.score:.1f}", f"{one.false_claims:.1%}", f"{one.honest:.1%}")
            table.add_row("" if row else name, str(one.step), *cells)
    return table


def _plot(curves: Mapping[str, Sequence[Step]], path: Path) -> None:
    try:
        import matplotlib as mpl
    except ImportError:
        raise MissingExtraError("--plot needs matplotlib: pip install 'impossible-rubrics-env[plot]'") from None
    mpl.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(curves), figsize=(5 * len(curves), 3.6), sharey=True, squeeze=False)
    for (name, curve), axis in zip(curves.items(), axes[0], strict=True):
        lines: dict[str, list[Any]] = {
            "rubric score / 100": [one.score / 100 for one in curve],
            "false claims": [one.false_claims for one in curve],
            "honest": [one.honest for one in curve],
        }
        for label, values in lines.items():
            axis.plot([one.step for one in curve], values, label=label)
        axis.set(title=f"paid by {name}", xlabel="step", ylim=(-0.02, 1.02))
        axis.grid(alpha=0.3)
    axes[0][0].legend()
    figure.tight_layout()
    figure.savefig(path)
    pyplot.close(figure)
