"""Print the target and the realized mix of a draw, by grader shape and rung.

Examples:

  impossible-rubrics mix

  impossible-rubrics mix --n 10000 --mix balanced --source parametric --json
"""

from collections import Counter
from typing import Annotated, Any

import typer
from rich.table import Table

from impossible_rubrics_env.commands.options import Families, Json, console, print_json, with_draw, with_progress
from impossible_rubrics_env.task import Rung
from impossible_rubrics_env.taskgen.arguments import draw_arguments, rung_weights
from impossible_rubrics_env.taskgen.registry import generate


@with_draw()
def mix(
    families: Families = "all",
    n: Annotated[int, typer.Option("--n", "-n", min=1, help="How many tasks to draw.")] = 2000,
    as_json: Json = False,
    draw: dict[str, Any] | None = None,
) -> None:
    """Print target and realized mix."""
    given = draw or {}
    counts: Counter[tuple[str, str]] = Counter()
    for task in with_progress(generate(families, n=n, **given), n, "tasks"):
        counts[task.question["grader"]["shape"], str(task.rung)] += 1
    target = target_shares(given)
    apart = sum(count for (shape, _), count in counts.items() if shape == "certificate")
    realized = {
        str(rung): sum(count for (shape, name), count in counts.items() if name == rung and shape != "certificate")
        for rung in Rung
    }
    if as_json:
        shares = {rung: count / max(1, n - apart) for rung, count in realized.items()}
        groups = [{"shape": shape, "rung": rung, "tasks": count} for (shape, rung), count in sorted(counts.items())]
        print_json({"n": n, "target": target, "realized": shares, "certificate_shape": apart, "groups": groups})
        return
    _print_tables(n, counts, target, realized, apart)


def target_shares(draw: dict[str, Any]) -> dict[str, float] | None:
    """Target share of every rung, the certificate shape apart; None where the draw fixes tau or room instead."""
    arguments = draw_arguments(**draw)
    if arguments.tau or arguments.room:
        return None
    weights = rung_weights(arguments)
    if arguments.mix == "balanced":
        breakable = sum(weight for rung, weight in weights.items() if rung != Rung.IMPOSSIBLE)
        weights = {rung: weight for rung, weight in weights.items() if rung != Rung.IMPOSSIBLE}
        weights[Rung.IMPOSSIBLE] = breakable
    whole = sum(weights.values())
    return {str(rung): weights.get(rung, 0) / whole for rung in Rung}


def _print_tables(
    n: int, counts: Counter[tuple[str, str]], target: dict[str, float] | None, realized: dict[str, int], apart: int
) -> None:
    table = Table("grader shape", "rung", "tasks", "share", title=f"{n} tasks by grader shape and rung")
    for (shape, rung), count in counts.most_common():
        table.add_row(shape, rung, str(count), f"{count / n:.1%}")
    console().print(table)
    tolerances = max(1, n - apart)
    title = f"Rungs of the {n - apart} tasks with a tolerance; the other {apart} have the certificate shape"
    table = Table(
        "rung",
        "target",
        "realized",
        "tasks",
        title=title,
    )
    for rung, count in realized.items():
        table.add_row(rung, f"{target[rung]:.1%}" if target else "-", f"{count / tolerances:.1%}", str(count))
    console().print(table)
