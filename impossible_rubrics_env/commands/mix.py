"""Print the target and the realized mix of a draw, by family, label, rung and what is asked.

What is asked is the kind of question of a packet, and the grader shape of an attack task.

Examples:

  impossible-rubrics mix

  impossible-rubrics mix --families answer --kind number --labels impossible:1,hard_positive:1

  impossible-rubrics mix --n 10000 --families attack --mix balanced --source parametric --json
"""

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

import typer
from rich.table import Table

from impossible_rubrics_env.commands.options import Families, Json, console, print_json, with_draw, with_progress
from impossible_rubrics_env.task import Label, Role, Rung, Task
from impossible_rubrics_env.taskgen.arguments import DrawArguments, dial_weights, draw_arguments, label_weights
from impossible_rubrics_env.taskgen.arguments import rung_weights as attack_weights
from impossible_rubrics_env.taskgen.registry import generate

CERTIFICATE = "certificate"
"""The grader shape that is unbreakable by definition; it stays out of the target mix."""


class Cell(NamedTuple):
    """What tasks are counted by."""

    role: str
    family: str
    label: str
    rung: str
    kind: str


class Shares(NamedTuple):
    """Target and realized shares of some tasks."""

    title: str
    target: Mapping[str, float] | None
    realized: Mapping[str, int]

    def as_dict(self) -> dict[str, Any]:
        """Both as shares."""
        whole = max(1, sum(self.realized.values()))
        return {"target": self.target, "realized": {name: count / whole for name, count in self.realized.items()}}


@with_draw()
def mix(
    families: Families = "all",
    n: Annotated[int, typer.Option("--n", "-n", min=1, help="How many tasks to draw.")] = 2000,
    as_json: Json = False,
    draw: dict[str, Any] | None = None,
) -> None:
    """Print target and realized mix."""
    arguments = draw_arguments(**draw or {})
    counts = Counter(cell_of(task) for task in with_progress(generate(families, n=n, **draw or {}), n, "tasks"))
    parts = {
        "attack_rungs": attack_rungs(arguments, counts),
        "packet_labels": packet_labels(arguments, counts),
        "packet_rungs": packet_rungs(arguments, counts),
    }
    if as_json:
        groups = [{**cell._asdict(), "tasks": count} for cell, count in sorted(counts.items())]
        shares = {name: part.as_dict() if sum(part.realized.values()) else None for name, part in parts.items()}
        print_json({"n": n, **shares, "groups": groups})
        return
    _print_counts(n, counts)
    for part in parts.values():
        if sum(part.realized.values()):
            _print_shares(part)


def cell_of(task: Task) -> Cell:
    """What a task is counted as."""
    question = task.question
    if "grader" in question:
        kind = question["grader"]["shape"]
    else:  # of a rubric task: what the answers are about
        kind = question["kind"] if task.role is Role.ANSWER else question["target"]["question"]["kind"]
    return Cell(str(task.role), task.family, str(task.label), str(task.rung), kind)


def attack_rungs(arguments: DrawArguments, counts: Mapping[Cell, int]) -> Shares:
    """Rungs of the attack tasks, the certificate shape apart; no target where the draw fixes tau or room instead."""
    realized = dict.fromkeys(map(str, Rung), 0)
    apart = 0
    for cell, count in counts.items():
        if cell.role == Role.ATTACK and cell.kind == CERTIFICATE:
            apart += count
        elif cell.role == Role.ATTACK:
            realized[cell.rung] += count
    tolerances = sum(realized.values())
    title = f"Rungs of the {tolerances} attack tasks with a tolerance; another {apart} have the certificate shape"
    if arguments.tau or arguments.room:
        return Shares(title, None, realized)
    weights = attack_weights(arguments)
    if arguments.mix == "balanced":
        weights[Rung.IMPOSSIBLE] = sum(weight for rung, weight in weights.items() if rung != Rung.IMPOSSIBLE)
    return Shares(title, _shares(weights, Rung), realized)


def packet_labels(arguments: DrawArguments, counts: Mapping[Cell, int]) -> Shares:
    """Labels of the packets, those that a rubric is written for among them."""
    labels = (Label.IMPOSSIBLE, Label.HARD_POSITIVE, Label.CLEAR_POSITIVE)
    realized = dict.fromkeys(map(str, labels), 0)
    for cell, count in counts.items():
        if cell.role != Role.ATTACK:
            realized[cell.label] += count
    return Shares(
        f"Labels of the {sum(realized.values())} packets", _shares(label_weights(arguments), labels), realized
    )


def packet_rungs(arguments: DrawArguments, counts: Mapping[Cell, int]) -> Shares:
    """Rungs of the packets that are impossible or look so; clear positives are wide."""
    rungs = [rung for rung in Rung if rung != Rung.IMPOSSIBLE]
    realized = dict.fromkeys(map(str, rungs), 0)
    for cell, count in counts.items():
        if cell.role != Role.ATTACK and cell.label != Label.CLEAR_POSITIVE:
            realized[cell.rung] += count
    target = _shares(dial_weights(arguments), rungs) if any(realized.values()) else None
    return Shares(f"Rungs of the {sum(realized.values())} packets that are no clear positives", target, realized)


def _shares(weights: Mapping[Any, int], names: Any) -> dict[str, float]:
    whole = sum(weights.values())
    return {str(name): weights.get(name, 0) / whole for name in names}


def _print_counts(n: int, counts: Mapping[Cell, int]) -> None:
    """For each role: a row a family and what is asked, and its tasks by label and by rung."""
    for role in Role:
        cells = {cell: count for cell, count in counts.items() if cell.role == role}
        if not cells:
            continue
        labels = [label for label in Label if any(cell.label == label for cell in cells)]
        rungs = [rung for rung in Rung if any(cell.rung == rung for cell in cells)]
        table = Table("family", "asked", title=f"{sum(cells.values())} {role} tasks of {n}, by label and by rung")
        for name in (*labels, *rungs, "tasks", "share"):
            table.add_column(name, justify="right")
        for family, kind in sorted({(cell.family, cell.kind) for cell in cells}):
            own = {cell: count for cell, count in cells.items() if (cell.family, cell.kind) == (family, kind)}
            by_label = (sum(count for cell, count in own.items() if cell.label == label) for label in labels)
            by_rung = (sum(count for cell, count in own.items() if cell.rung == rung) for rung in rungs)
            whole = sum(own.values())
            table.add_row(family, kind, *map(str, by_label), *map(str, by_rung), str(whole), f"{whole / n:.1%}")
        console().print(table)


def _print_shares(part: Shares) -> None:
    table = Table("", "target", "realized", "tasks", title=part.title)
    whole = max(1, sum(part.realized.values()))
    for name, count in part.realized.items():
        target = f"{part.target[name]:.1%}" if part.target else "-"
        table.add_row(name, target, f"{count / whole:.1%}", str(count))
    console().print(table)
