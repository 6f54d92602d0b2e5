"""From an environment's arguments to its tasks: validated and gated before any reply is scored. No framework here."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from impossible_rubrics_env.bindings.signals import judge
from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.gate import gate_tasks, run_gate
from impossible_rubrics_env.task import Task
from impossible_rubrics_env.taskgen.arguments import DrawArguments, draw_arguments
from impossible_rubrics_env.taskgen.registry import draw_weights, task_at

DEFAULT_FAMILIES = "answer,certified_interval"
"""What the bindings draw from when nothing is said."""


@dataclass(frozen=True, slots=True)
class Draw:
    """An endless sequence of tasks; each is a pure function of the draw and its index."""

    weights: Mapping[str, int]
    arguments: DrawArguments

    def task(self, index: int) -> Task:
        """Task `index`."""
        return task_at(self.weights, self.arguments, index)

    def tasks(self, count: int | None) -> Iterator[Task]:
        """The first `count` tasks, made one at a time; endless where `count` is None."""
        index = 0
        while count is None or index < count:
            yield self.task(index)
            index += 1

    def with_split(self, split: str) -> "Draw":
        """The same draw from another split; train shares no task with the others, unless a record is fixed."""
        return replace(self, arguments=draw_arguments(**{**self.arguments.as_given(), "split": split}))


def open_draw(families: str | Mapping[str, int] = DEFAULT_FAMILIES, **arguments: Any) -> Draw:
    """Check every argument and run the gate; raises ArgumentError or GateError, so a bad environment never loads."""
    checked = draw_arguments(**arguments)
    draw = Draw(draw_weights(families, checked), checked)
    _pass_gate(tuple(draw.weights.items()), draw.arguments)
    return draw


def task_count(name: str, value: Any) -> int:
    """A number of tasks. Text of digits is read, because some command lines pass nothing else."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 10:
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= 10**9:
        raise ArgumentError(f"{name}={str(value)[:200]!r} is not a number of tasks from 0 to 10^9")
    return value


@lru_cache(maxsize=64)
def _pass_gate(weights: tuple[tuple[str, int], ...], arguments: DrawArguments) -> None:
    """Once a process for each draw, and through the scoring path of the rollouts, JSON included."""
    tasks = gate_tasks(",".join(f"{name}:{weight}" for name, weight in weights), **arguments.as_given())
    specs = {task.id: task.to_json() for task in tasks}
    run_gate(tasks, lambda task, reply: judge(specs[task.id], reply).grade)
