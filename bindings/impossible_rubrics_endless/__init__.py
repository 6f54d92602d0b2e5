"""The endless taskset for `verifiers` 0.3 and later, selected by the id `impossible-rubrics-endless`.

A module of its own, because the framework reads endlessness off the class and takes one taskset a module.
Evaluations must be bounded with `-n`.
"""

from collections.abc import Iterator

import verifiers.v1 as vf

if not hasattr(vf, "SingleAgentEnv"):
    raise ImportError(
        "the endless taskset needs verifiers>=0.3; "
        "on 0.2 use impossible-rubrics-env with --taskset.num-tasks as large as needed"
    )

from impossible_rubrics_env.bindings.verifiers_v1 import (
    DrawConfig,
    ImpossibleRubricsEnv,
    ImpossibleRubricsHarness,
    ImpossibleRubricsTask,
    as_tasks,
    draw_of,
)

__all__ = ["EndlessRubricsTaskset", "ImpossibleRubricsEnv", "ImpossibleRubricsHarness"]


class EndlessRubricsTaskset(vf.Taskset[ImpossibleRubricsTask, DrawConfig]):
    """A draw without an end; the arguments are those of the finite taskset, without `num_tasks`."""

    INFINITE = True

    def __init__(self, config: DrawConfig) -> None:
        super().__init__(config)
        self._draw = draw_of(config)

    def load(self) -> Iterator[ImpossibleRubricsTask]:
        """Every task, made when it is asked for."""
        return as_tasks(self._draw, None, self.config.task)
