"""Print tasks as a person would read them, or as JSON lines.

Examples:

  impossible-rubrics tasks --n 3

  impossible-rubrics tasks --n 2 --families attack --mix balanced --record golden-ratio

  impossible-rubrics tasks --n 1000 --split eval --json > tasks.jsonl
"""

from typing import Annotated, Any

import typer

from impossible_rubrics_env.commands.options import Families, with_draw, with_progress
from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.grading import Verdict
from impossible_rubrics_env.task import UNBOUNDED, Task
from impossible_rubrics_env.taskgen.registry import generate, rebuild


@with_draw()
def tasks(
    families: Families = "all",
    n: Annotated[int, typer.Option("--n", "-n", min=0, help="How many tasks.")] = 3,
    id: Annotated[str | None, typer.Option("--id", help="Print the one task with this id instead.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One task a line, as JSON.")] = False,
    draw: dict[str, Any] | None = None,
) -> None:
    """Print tasks."""
    if id and draw:
        raise ArgumentError(f"--id names one task; it goes without --{', --'.join(draw)}")
    chosen = [rebuild(id)] if id else generate(families, n=n, **draw or {})
    for task in with_progress(chosen, 1 if id else n, "tasks") if as_json else chosen:
        print(task.to_json() if as_json else _readable(task))


def _readable(task: Task) -> str:
    room = UNBOUNDED if task.room is None else task.room
    heading = f"{task.id}\n{task.label}, {task.rung}, room {room}"
    right = next(answer["reply"] for answer in task.answers if answer["expected"]["verdict"] == Verdict.SOLVED)
    return f"{heading}\n{'-' * 100}\n{task.prompt}\n{'-' * 100}\nright: {right}\n"
