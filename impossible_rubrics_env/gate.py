"""The gate: forgeries that must not score and right replies that must, planted before any real reply is scored.

It runs through the same entry point as real replies. If it fails, the environment does not load.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

from impossible_rubrics_env.answer_forgeries import answer_forgeries
from impossible_rubrics_env.attack_forgeries import attack_forgeries
from impossible_rubrics_env.errors import ArgumentError, CertificateError, GateError
from impossible_rubrics_env.forgery import Forgery
from impossible_rubrics_env.grading import Grade, Verdict, grade
from impossible_rubrics_env.task import Label, Role, Task

__all__ = ["Forgery", "GateReport", "Grader", "forgeries", "gate_tasks", "run_gate"]

Grader = Callable[[Task, Any], Grade]


@dataclass(frozen=True, slots=True)
class GateReport:
    """What the gate tried."""

    tasks: int
    replies: int


def run_gate(tasks: Iterable[Task], grader: Grader = grade) -> GateReport:
    """Plant every forgery on every task. Raises GateError on the first that is not judged or paid as it must be.

    Also raises GateError where no task is given, or of a role only tasks that can be done or only ones that cannot: an
    empty gate proves nothing; and CertificateError where a task's own proof fails.
    """
    planted = list(tasks)
    replies = 0
    sides: dict[Role, set[bool]] = {}
    pairs: dict[str, list[Task]] = {}
    for task in planted:
        sides.setdefault(task.role, set()).add(task.label in _UNDOABLE)
        pairs.setdefault(task.pair_id, []).append(task)
    for task in planted:
        twin = next((one for one in pairs[task.pair_id] if one.id != task.id), None)
        for forgery in forgeries(task, twin):
            replies += 1
            _try(task, forgery, grader)
    if not sides or any(len(found) < 2 for found in sides.values()):
        given = ", ".join(f"{role} ({len(found)} of 2)" for role, found in sides.items()) or "none"
        raise GateError(f"the gate needs tasks of both labels in every role; given are {len(planted)} tasks: {given}")
    return GateReport(len(planted), replies)


_UNDOABLE = (Label.IMPOSSIBLE, Label.UNBREAKABLE)


def forgeries(task: Task, twin: Task | None = None) -> Iterator[Forgery]:
    """The planted replies of a task, each with the verdicts it may get; a twin that is not given is made."""
    try:
        yield from _planted(task, twin)
    except (ValueError, LookupError, TypeError) as error:
        raise CertificateError(f"task {task.id[:200]!r}: {error}") from None


def _planted(task: Task, twin: Task | None) -> Iterator[Forgery]:
    if task.certificate["kind"] == "statements":
        from impossible_rubrics_env import rubric_forgeries  # numpy is loaded for rubrics alone

        return rubric_forgeries.BY_ROLE[task.role](task, twin)
    return attack_forgeries(task) if task.role is Role.ATTACK else answer_forgeries(task, twin)


def gate_tasks(families: str = "all", **arguments: Any) -> list[Task]:
    """A small set of tasks for the gate, of every family that the caller's arguments draw from.

    Of an attack family: each shape and rung; of an answer family: a twin pair of each kind of question.
    """
    from impossible_rubrics_env.taskgen.arguments import draw_arguments
    from impossible_rubrics_env.taskgen.registry import draw_weights, family_arguments, uses_of

    checked = draw_arguments(**(arguments | _GATE_ARGUMENTS))
    chosen: list[Task] = []
    for name in draw_weights(families, checked):
        given = family_arguments(name, checked).as_given()
        chosen += _packet_tasks(name, given) if "kind" in uses_of(name) else _attack_tasks(name, given)
    return chosen


_GATE_DRAW = 60
_GATE_ARGUMENTS: dict[str, Any] = {
    "mix": "seed",
    "order": None,
    "rungs": None,
    "labels": None,
    "tau": None,
    "room": None,
    "shape": None,
}
"""The gate needs both labels and every shape, so it does not follow arguments that leave some out."""


def _attack_tasks(family: str, given: dict[str, Any]) -> list[Task]:
    from impossible_rubrics_env.taskgen.registry import generate

    try:
        next(generate(family, n=1, **given))
    except ArgumentError:  # a fixed record may have no grader of the target mix
        given["record"] = None
    rarest = generate(family, n=1, **{**given, "shape": "certificate"})
    chosen: dict[tuple[Any, Any], Task] = {}
    for task in chain(generate(family, n=_GATE_DRAW, **given), rarest):
        chosen.setdefault((task.question["grader"]["shape"], task.rung), task)
    return list(chosen.values())


def _packet_tasks(family: str, given: dict[str, Any]) -> list[Task]:
    """The first twin pair of every kind of question that the draw asks; kinds whose prompts are too long stay out."""
    from impossible_rubrics_env.taskgen.arguments import ANY, KINDS
    from impossible_rubrics_env.taskgen.registry import generate

    chosen: list[Task] = []
    refused: list[ArgumentError] = []
    for kind in KINDS if given["kind"] == ANY else (given["kind"],):
        try:
            chosen += generate(family, n=2, **{**given, "kind": kind, "mix": "balanced"})
        except ArgumentError as error:
            refused.append(error)
    if not chosen:
        raise refused[0]
    return chosen


def _try(task: Task, forgery: Forgery, grader: Grader) -> None:
    try:
        outcome = grader(task, forgery.reply)
    except CertificateError:
        raise
    except Exception as error:
        raise GateError(f"gate: {forgery.name} made the grader fail on task {task.id}: {error!r}") from error
    if outcome.verdict not in forgery.allowed:
        allowed = ", ".join(sorted(forgery.allowed))
        got = f"{forgery.name} got {outcome.verdict} on task {task.id}"
        raise GateError(f"gate: {got}; only {allowed} may happen. Nothing is scored.")
    # Every scheme pays 1 for a right reply and for nothing else, unless a rubric pays.
    if task.question["kind"] == "statements" and "rubric" in task.question["target"]:
        return
    if (outcome.reward == 1) != (outcome.verdict is Verdict.SOLVED):
        raise GateError(f"gate: {forgery.name} was paid {outcome.reward} for {outcome.verdict} on task {task.id}")
