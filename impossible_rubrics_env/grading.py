"""Task and reply to grade. Pure, synchronous, in plain integers; no sympy, no framework, no exception on a reply.

The proof in the task is re-checked before the first reply is graded, so a broken task never pays: it raises
CertificateError instead.
"""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from impossible_rubrics_env.answer_grading import view_answer
from impossible_rubrics_env.attack_grading import view_attack
from impossible_rubrics_env.errors import ArgumentError, CertificateError
from impossible_rubrics_env.task import Role, Task
from impossible_rubrics_env.verdicts import MAX_PENALTY, SCHEMES, Grade, Stakes, Verdict

__all__ = ["MAX_PENALTY", "SCHEMES", "Grade", "Verdict", "grade"]


class View(Protocol):
    """What a proved task is graded by."""

    @property
    def stakes(self) -> Stakes:
        """What the task offers and charges."""

    def judge(self, reply: Any, pay: Mapping[Verdict, float]) -> Grade:
        """Judge a reply, paid as `pay` says."""


def _view_set_attack(task: Task) -> View:
    from impossible_rubrics_env.rubric_grading import view_set_attack  # numpy is loaded for rubrics alone

    return view_set_attack(task)


def _view_statements(task: Task) -> View:
    from impossible_rubrics_env.rubric_grading import view_statements

    return view_statements(task)


def _view_rubric(task: Task) -> View:
    from impossible_rubrics_env.rubric_grading import view_rubric

    return view_rubric(task)


_VIEWS: dict[tuple[str, str], Callable[[Task], View]] = {
    (Role.ATTACK, "band"): view_attack,
    (Role.ANSWER, "packet"): view_answer,
    (Role.ATTACK, "statements"): _view_set_attack,
    (Role.RUBRIC, "statements"): _view_rubric,
    (Role.ANSWER, "statements"): _view_statements,
}
"""By role and kind of certificate: what checks the proof and makes what grading compares."""


def grade(task: Task, reply: Any, scheme: str | None = None) -> Grade:
    """Judge `reply` by the task's proof alone.

    `reply` is a string, a chat message (mapping or object), a list of messages, or None; anything is allowed.
    `scheme` is one of SCHEMES; None takes the task's own, which is `seed` unless the draw set another.
    Raises ArgumentError on an unknown scheme and CertificateError on a task whose proof fails. Never on a reply.
    """
    view: View = task._grading or _prove(task)  # noqa: SLF001 - the cache that the task keeps for grading
    name = view.stakes.scheme if scheme is None else scheme
    if name not in SCHEMES:
        raise ArgumentError(f"unknown scheme={scheme!r}; known: {', '.join(SCHEMES)}")
    return view.judge(reply, view.stakes.pay[name])


def _prove(task: Task) -> View:
    """Check the task's proof once and keep what it proved on the task."""
    try:
        view = _view(task)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise CertificateError(f"task {task.id[:200]!r}: {error}") from None
    keep_view(task, view)
    return view


def keep_view(task: Task, view: View) -> None:
    """Let the task be graded by what has been proved of it."""
    object.__setattr__(task, "_grading", view)


def _view(task: Task) -> View:
    kind = task.certificate["kind"]
    make = _VIEWS.get((task.role, kind)) if isinstance(kind, str) else None
    if make is None:
        raise ValueError(f"nothing here grades role={task.role!s} with a certificate of kind {str(kind)[:60]!r}")
    return make(task)
