"""Play the reference policies on freshly generated tasks and print the table.

The reference draw (the default) is stratified: exactly 30% impossible. The command fails, with exit code 1, where
careful is not perfect, a player that never refuses solves an impossible task, or careful is less than 0.25 above
the best blind player on the reference draw.

Examples:

  impossible-rubrics sweep

  impossible-rubrics sweep --n 2000 --draw balanced

  impossible-rubrics sweep --n 400 --policies careful,edge,key,midpoint,zero,one --json
"""

import sys
from collections.abc import Mapping
from typing import Annotated, Any

import typer
from rich.table import Table

from impossible_rubrics_env.commands.options import Families, Json, console, print_json, with_draw, with_progress
from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.gate import gate_tasks, run_gate
from impossible_rubrics_env.reference_policies.policies import BASELINES, POLICIES, Policy
from impossible_rubrics_env.summary import Summary
from impossible_rubrics_env.sweep import REFERENCE_TASKS, faults, play, reference_tasks
from impossible_rubrics_env.taskgen.arguments import MIXES
from impossible_rubrics_env.taskgen.registry import generate

DRAWS = ("reference", *MIXES)


@with_draw(without=("mix",))
def sweep(
    families: Families = "all",
    n: Annotated[int, typer.Option("--n", "-n", min=1, help="How many tasks.")] = REFERENCE_TASKS,
    of: Annotated[str, typer.Option("--draw", help=f"One of {', '.join(DRAWS)}.")] = "reference",
    policies: Annotated[str, typer.Option(help=f"Players, from {', '.join(POLICIES)}.")] = ",".join(BASELINES),
    as_json: Json = False,
    draw: dict[str, Any] | None = None,
) -> int:
    """Play the policies."""
    if of not in DRAWS:
        raise ArgumentError(f"draw={of!r} is not one of {', '.join(DRAWS)}")
    players = _players(policies)
    given = draw or {}
    run_gate(gate_tasks(families, **given))
    if of == "reference":
        tasks = reference_tasks(n, families, **given)
    else:
        tasks = generate(families, n=n, mix=of, **given)
    summaries = play(players, with_progress(tasks, n, "tasks"))
    found = faults(summaries, reference=of == "reference")
    if as_json:
        players_data = {name: summary.as_dict() for name, summary in summaries.items()}
        print_json({"draw": of, "n": n, "arguments": given, "players": players_data, "faults": found})
    else:
        console().print(table(summaries, f"{n} tasks, {of} draw", pairs=of == "balanced"))
        for fault in found:
            print(f"FAILED: {fault}", file=sys.stderr)
    return 1 if found else 0


def _players(names: str) -> dict[str, Policy]:
    players = {}
    for name in names.split(","):
        if name.strip() not in POLICIES:
            raise ArgumentError(f"policies={names!r}: {name.strip()!r} is none of {', '.join(POLICIES)}")
        players[name.strip()] = POLICIES[name.strip()]
    return players


def table(summaries: Mapping[str, Summary], title: str, *, pairs: bool) -> Table:
    """One row a player: mean reward, shares, false claims, solved of graded by rung; on twins also pair columns."""
    columns = ["player", "n", "mean reward", "solved", "false claims"]
    result = Table(*columns, title=title)
    for rung, _ in next(iter(summaries.values())).rungs():
        result.add_column(str(rung), justify="right")
    for name in ("pair accuracy", "d'", "criterion") if pairs else ():
        result.add_column(name, justify="right")
    for name, summary in summaries.items():
        whole = summary.total()
        mean, share = whole.reward / whole.graded, whole.solved / whole.graded
        row = [name, str(whole.graded), f"{mean:+.3f}", f"{share:.1%}", str(whole.signals["false_claim"])]
        row += [f"{tally.solved}/{tally.graded}" for _, tally in summary.rungs()]
        result.add_row(*row, *(_pair_cells(summary) if pairs else ()))
    return result


def _pair_cells(summary: Summary) -> tuple[str, str, str]:
    accuracy, apart = summary.pair_accuracy(), summary.discrimination()
    return (
        "-" if accuracy is None else f"{accuracy:.1%}",
        "-" if apart is None else f"{apart.d_prime:+.2f}",
        "-" if apart is None else f"{apart.criterion:+.2f}",
    )
