"""Plant forgeries on freshly drawn tasks and see that none scores, and that every right reply does.

Examples:

  impossible-rubrics gate

  impossible-rubrics gate --seed 7 --split eval --json
"""

from typing import Any

from impossible_rubrics_env.commands.options import Families, Json, print_json, with_draw
from impossible_rubrics_env.gate import gate_tasks, run_gate


@with_draw(without=("mix", "order", "rungs", "labels", "shape", "tau", "room"))
def gate(families: Families = "all", as_json: Json = False, draw: dict[str, Any] | None = None) -> None:
    """Run the gate."""
    report = run_gate(gate_tasks(families, **draw or {}))
    if as_json:
        print_json({"tasks": report.tasks, "replies": report.replies, "held": True})
    else:
        print(f"gate holds: {report.replies} planted replies on {report.tasks} tasks got only verdicts they may get")
