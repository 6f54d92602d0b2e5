"""The environment for `verifiers` v0 (0.2 and 0.3): `vf.load_environment("impossible-rubrics-env", ...)`.

Rows carry the task as one JSON string, because integers beyond 64 bits do not survive the framework's wire.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, cast

from impossible_rubrics_env.bindings.draw import DEFAULT_FAMILIES, Draw, open_draw, task_count
from impossible_rubrics_env.bindings.signals import MEASURES, SIGNALS, Outcome, failure, judge
from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.reply import assistant_text
from impossible_rubrics_env.task import Role, Task
from impossible_rubrics_env.taskgen.registry import role_of

try:
    import verifiers as vf
except ImportError as error:
    raise ImportError(f"load_environment needs verifiers: pip install 'verifiers>=0.2.0,<0.4' ({error})") from error

_KEPT = "impossible_rubrics_outcome"


class _Seen(NamedTuple):
    """All that an outcome depends on. Texts, not message lists, which the framework may change in place."""

    spec: str
    text: str | None
    truncated: bool
    failed: bool


def load_environment(
    *,
    num_train: int = 2000,
    num_eval: int = 200,
    families: str | Mapping[str, int] = DEFAULT_FAMILIES,
    split: str = "train",
    eval_split: str = "eval",
    **arguments: Any,
) -> Any:
    """A `vf.SingleTurnEnv` over freshly drawn tasks; the rows are made when the framework first asks for them.

    All other arguments are those of the draw. Raises ArgumentError on an unknown or bad argument, GateError where the
    grader fails its own forgeries, and ImportError on a verifiers without v0 environments.
    """
    if not hasattr(vf, "SingleTurnEnv"):
        raise ImportError(
            f"verifiers {vf.__version__} has no v0 environments: select the v1 taskset by its id instead, "
            "as in `vf-eval impossible-rubrics-env`, or install 'verifiers>=0.2.0,<0.4'"
        )
    if split == eval_split:
        raise ArgumentError(f"split and eval_split are both {split!r}: the evaluation would use training tasks")
    train = open_draw(families, split=split, **arguments)
    num_train, num_eval = task_count("num_train", num_train), task_count("num_eval", num_eval)
    metrics = _METRICS if any(role_of(name) is Role.RUBRIC for name in train.weights) else _METRICS[: len(SIGNALS)]
    rubric = vf.Rubric(funcs=[outcome, *metrics], weights=[1.0, *(0.0 for _ in metrics)])
    return vf.SingleTurnEnv(
        dataset=_rows(train, num_train),
        eval_dataset=_rows(train.with_split(eval_split), num_eval),
        rubric=rubric,
    )


def outcome(completion: Any, info: Mapping[str, Any], state: Any) -> float:
    """What the reply earns. The one place where a rollout is graded; the metrics read what it leaves in `state`."""
    return _judged(completion, info, state).reward


def _metric(name: str) -> Callable[..., float]:
    def signal(completion: Any, info: Mapping[str, Any], state: Any) -> float:
        return _judged(completion, info, state).signals.get(name, 0.0)

    signal.__name__ = signal.__qualname__ = name
    return signal


_METRICS = [_metric(name) for name in (*SIGNALS, *MEASURES)]


def _judged(completion: Any, info: Mapping[str, Any], state: Any) -> Outcome:
    """The outcome of this very rollout: graded again if anything that it depends on has changed."""
    failed = state.get("error") is not None or not completion
    seen = _Seen(info["spec"], assistant_text(completion), _truncated(state), failed)
    kept = state.get(_KEPT)
    if kept is None or kept[0] != seen:
        judged = failure() if failed else judge(seen.spec, seen.text, truncated=seen.truncated)
        kept = state[_KEPT] = (seen, judged)
    return cast("Outcome", kept[1])


def _truncated(state: Any) -> bool:
    steps = state.get("trajectory") or []
    return bool(state.get("is_truncated")) or any(step.get("is_truncated") for step in steps)


def _rows(draw: Draw, count: int) -> Callable[[], Any]:
    """A builder that the framework calls when it needs the rows."""

    def build() -> Any:
        from datasets import Dataset

        return Dataset.from_list([row_of(task) for task in draw.tasks(count)])

    return build


def row_of(task: Task) -> dict[str, Any]:
    """A row with nothing that the framework gives a meaning of its own: no `task` column, one text in `info`."""
    return {"prompt": [{"role": "user", "content": task.prompt}], "answer": "", "info": {"spec": task.to_json()}}
