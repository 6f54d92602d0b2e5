"""Independent check of a whole task: its proofs, then that label, prompt and labelled answers are what is proved."""

from collections.abc import Callable
from dataclasses import dataclass

from impossible_rubrics_env.answer_checking import check_answer_task
from impossible_rubrics_env.answer_grading import view_proved
from impossible_rubrics_env.attack_checking import check_attack_task
from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.grading import Verdict, grade, keep_view
from impossible_rubrics_env.task import Label, Role, Rung, Task


def _check_answer(task: Task) -> tuple[str, ...]:
    """The labelled answers are then graded by the proof that was checked here."""
    keep_view(task, view_proved(task, check_answer_task(task)))
    return ("packet", "label", "rung", "prompt")


def _check_set_attack(task: Task) -> tuple[str, ...]:
    from impossible_rubrics_env.rubric_checking import check_set_attack_task  # numpy is loaded for rubrics alone

    return check_set_attack_task(task)


def _check_statements(task: Task) -> tuple[str, ...]:
    from impossible_rubrics_env.rubric_checking import check_statement_task

    return check_statement_task(task)


def _check_rubric(task: Task) -> tuple[str, ...]:
    from impossible_rubrics_env.rubric_checking import check_rubric_task

    return check_rubric_task(task)


_CHECKS: dict[tuple[str, str], Callable[[Task], tuple[str, ...]]] = {
    (Role.ATTACK, "band"): check_attack_task,
    (Role.ANSWER, "packet"): _check_answer,
    (Role.ATTACK, "statements"): _check_set_attack,
    (Role.RUBRIC, "statements"): _check_rubric,
    (Role.ANSWER, "statements"): _check_statements,
}
"""By role and kind of certificate; each raises where the task states anything else than what it proves."""


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What was proved again about a task."""

    task_id: str
    label: Label
    rung: Rung
    room: int | None
    """None where the admissible submissions are not countable."""
    proved: tuple[str, ...]
    """The steps that held, in order."""


def check(task: Task) -> CheckReport:
    """Prove the task's claim again from its own data. Raises CertificateError that names the failed part."""
    if not isinstance(task, Task):
        raise CertificateError(f"check takes a Task, not {type(task).__name__}")
    try:
        steps = _steps(task)
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError) as error:
        if isinstance(error, CertificateError) and str(error).startswith("task "):
            raise
        raise CertificateError(f"task {task.id[:200]!r}: {type(error).__name__}: {error}") from None
    return CheckReport(task.id, task.label, task.rung, task.room, steps)


def _steps(task: Task) -> tuple[str, ...]:
    kind = task.certificate["kind"]
    prove = _CHECKS.get((task.role, kind)) if isinstance(kind, str) else None
    if prove is None:
        raise ValueError(f"nothing here checks role={task.role!s} with a certificate of kind {str(kind)[:60]!r}")
    steps = prove(task)
    _check_answers(task)
    return (*steps, "answers")


def _check_answers(task: Task) -> None:
    """Every labelled reply gets the verdict that it is labelled with, and one of them is right."""
    penalty = task.params["penalty"]
    pay = {Verdict.SOLVED: "1", Verdict.WRONG: "0" if penalty == "0" else f"-{penalty}"}
    verdicts = [grade(task, answer["reply"]).verdict for answer in task.answers]
    expected = [answer["expected"] for answer in task.answers]
    if [{"verdict": str(verdict), "reward": pay.get(verdict, "0")} for verdict in verdicts] != expected:
        raise ValueError(f"the labelled answers get {', '.join(verdicts)}, which is not what they are labelled with")
    if Verdict.SOLVED not in verdicts:
        raise ValueError("no labelled answer is right")
