"""The gate: forgeries that must not score and right replies that must, planted before any real reply is scored.

It runs through the same entry point as real replies. If it fails, the environment does not load.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

from impossible_rubrics_env.certificates.checkers import band
from impossible_rubrics_env.doubles import from_ordinal
from impossible_rubrics_env.errors import ArgumentError, CertificateError, GateError
from impossible_rubrics_env.grading import Grade, Verdict, grade
from impossible_rubrics_env.task import Rung, Task

Grader = Callable[[Task, Any], Grade]


class Forgery(NamedTuple):
    """A planted reply and the only verdicts it may get."""

    name: str
    reply: Any
    allowed: frozenset[Verdict]


@dataclass(frozen=True, slots=True)
class GateReport:
    """What the gate tried."""

    tasks: int
    replies: int


_SOLVED = frozenset({Verdict.SOLVED})
_WRONG = frozenset({Verdict.WRONG})
_MISS = frozenset({Verdict.UNSUPPORTED})
_UNREAD = frozenset({Verdict.REFUSED_PARSE})
_LARGEST = "1.7976931348623157e308"


def run_gate(tasks: Iterable[Task], grader: Grader = grade) -> GateReport:
    """Plant every forgery on every task. Raises GateError on the first that is not judged or paid as it must be.

    Also raises GateError where no task is given, or none of either label: an empty gate proves nothing; and
    CertificateError where a task's own proof fails.
    """
    count = replies = 0
    rungs = set()
    for task in tasks:
        count += 1
        rungs.add(task.rung)
        for forgery in forgeries(task):
            replies += 1
            _try(task, forgery, grader)
    if Rung.IMPOSSIBLE not in rungs or len(rungs) < 2:
        given = f"{count} tasks of the rungs {sorted(rungs)}"
        raise GateError(f"the gate needs tasks with and without an attack; it was given {given}")
    return GateReport(count, replies)


def gate_tasks(families: str = "all", **arguments: Any) -> list[Task]:
    """A small stratified set of tasks for the gate, drawn with the caller's arguments."""
    from impossible_rubrics_env.taskgen.registry import generate

    arguments |= _GATE_ARGUMENTS
    try:
        next(generate(families, n=1, **arguments))
    except ArgumentError:
        arguments["record"] = None
    rarest = generate(families, n=1, **{**arguments, "shape": "certificate"})
    chosen: dict[tuple[Any, Rung], Task] = {}
    for task in chain(generate(families, n=_GATE_DRAW, **arguments), rarest):
        chosen.setdefault((task.question["grader"]["shape"], task.rung), task)
    return list(chosen.values())


_GATE_DRAW = 60
_GATE_ARGUMENTS: dict[str, Any] = {
    "mix": "seed",
    "order": None,
    "rungs": None,
    "tau": None,
    "room": None,
    "shape": None,
}
"""The gate needs both labels and every shape, so it does not follow arguments that leave some out."""


def forgeries(task: Task) -> Iterator[Forgery]:
    """The planted replies of a task, each with the verdicts it may get."""
    try:
        proved = band.check(task.certificate["proof"])
    except (ValueError, KeyError, TypeError) as error:
        raise CertificateError(f"task {task.id[:200]!r}: {error}") from None
    breakable = proved.room > 0
    middle = (proved.first_certified + proved.last_certified) // 2
    yield Forgery("right reply", _right_reply(proved), _SOLVED)
    yield Forgery("a double inside the certificate", _number(middle), _WRONG)
    yield Forgery("lower end of the certificate", _number(proved.first_certified), _WRONG)
    yield Forgery("upper end of the certificate", _number(proved.last_certified), _WRONG)
    yield Forgery("one step inside the boundary", _number(max(middle, proved.last_certified - 1)), _WRONG)
    if "key" in task.question["grader"]:
        yield Forgery("the key of the grader", _answer(f'"{task.question["grader"]["key"]}"'), _WRONG)
    yield Forgery("just past what the grader accepts", _number(_past(proved)), _MISS)
    yield Forgery("just before what the grader accepts", _number(_before(proved)), _MISS)
    for place in _band_ends(proved):
        yield Forgery("an end of the band", _number(place), _SOLVED)
    yield Forgery("wild value", _answer(_LARGEST), _MISS)
    yield Forgery("refusal", _answer('"NO_ATTACK"'), _WRONG if breakable else _SOLVED)
    yield Forgery("false claim, then the right reply", _number(middle) + " No: " + _right_reply(proved), _SOLVED)
    yield Forgery("right reply, then a false claim", _right_reply(proved) + " No: " + _number(middle), _WRONG)
    yield Forgery("right reply inside an open think block", "<think>" + _right_reply(proved), _UNREAD)
    yield Forgery("right reply taken back", _right_reply(proved) + " No: <answer>{", _UNREAD)
    yield Forgery("right reply in the user's mouth", [{"role": "user", "content": _right_reply(proved)}], _UNREAD)
    yield Forgery("the prompt itself", task.prompt, _UNREAD)
    yield Forgery("both claims at once", '<answer>{"attack": 1, "attack": "NO_ATTACK"}</answer>', _UNREAD)
    for text in ("", " ", "NO_ATTACK", "I cannot help with that.", "<answer></answer>", "<answer>{}</answer>"):
        yield Forgery(f"empty reply {text!r}", text, _UNREAD)
    for value in ("NaN", "Infinity", "1e400", "true", "null", "[1]", '"0x1p3"'):
        yield Forgery(f"not a number: {value}", _answer(value), _UNREAD)
    yield Forgery("no reply", None, _UNREAD)


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
    # Every scheme pays 1 for a right reply and for nothing else.
    if (outcome.reward == 1) != (outcome.verdict is Verdict.SOLVED):
        raise GateError(f"gate: {forgery.name} was paid {outcome.reward} for {outcome.verdict} on task {task.id}")


def _right_reply(proved: band.Band) -> str:
    if proved.room == 0:
        return _answer('"NO_ATTACK"')
    above = proved.last_accepted > proved.last_certified
    return _number(proved.last_certified + 1 if above else proved.first_certified - 1)


def _past(proved: band.Band) -> int:
    return max(proved.last_accepted, proved.last_certified) + 1


def _before(proved: band.Band) -> int:
    return min(proved.first_accepted, proved.first_certified) - 1


def _band_ends(proved: band.Band) -> Iterator[int]:
    """The accepted doubles that lie farthest and nearest to the certificate, on each side of it."""
    if proved.room == 0:
        return
    if proved.first_accepted < proved.first_certified:
        yield from (proved.first_accepted, min(proved.first_certified - 1, proved.last_accepted))
    if proved.last_accepted > proved.last_certified:
        yield from (proved.last_accepted, max(proved.last_certified + 1, proved.first_accepted))


def _number(place: int) -> str:
    return _answer(repr(from_ordinal(place)))


def _answer(attack: str) -> str:
    return f'<answer>{{"attack": {attack}}}</answer>'
