"""Task and reply to grade. Pure, synchronous, in plain integers; no sympy, no framework, no exception on a reply.

The proof in the task is re-checked before the first reply is graded, so a broken task never pays: it raises
CertificateError instead.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from impossible_rubrics_env.certificates.checkers import band
from impossible_rubrics_env.doubles import ordinal
from impossible_rubrics_env.errors import ArgumentError, CertificateError
from impossible_rubrics_env.numerals import read_exact
from impossible_rubrics_env.reply import AttackNumber, NoAttack, Unreadable, read_attack_number
from impossible_rubrics_env.task import Role, Task

SCHEMES = ("seed", "train", "unit")
"""`seed` for evaluation; `train` also charges unreadable replies; `unit` maps `train` to [0, 1]."""
MAX_PENALTY = 10**9


class Verdict(StrEnum):
    """What a reply turned out to be; a fact, whatever is paid for it."""

    SOLVED = "SOLVED"
    """It asserts what the certificate proves."""
    WRONG = "WRONG"
    """It asserts something that the certificate refutes."""
    UNSUPPORTED = "UNSUPPORTED"
    """It asserts nothing that can be held against it, and nothing that is proved."""
    ABSTAINED = "ABSTAINED"
    """UNSURE, on a task that offers it."""
    REFUSED_PARSE = "REFUSED_PARSE"
    """It could not be read."""


@dataclass(frozen=True, slots=True)
class Grade:
    """The outcome of one reply, with its signals kept apart."""

    reward: float
    """What the scheme pays: an int under `seed` and `train` unless the task sets a penalty."""
    verdict: Verdict
    well_formed: bool
    """The reply was readable and of a kind that the task offers."""
    abstained: bool = False
    refused: bool = False
    """It claims that the task cannot be done: NO_ATTACK or IMPOSSIBLE."""
    false_claim: bool = False
    """It asserts something refuted, of any kind."""
    false_answer: bool = False
    over_refusal: bool = False
    false_break: bool = False
    """An attack that the certificate does not refute."""
    missed_attack: bool = False
    """NO_ATTACK where an attack exists."""
    witness_valid: bool | None = None
    """Of a refusal that needs a witness: whether it proves the refusal. None where none is asked."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Family-specific: here `submitted`, the repr of the double that was judged."""
    reason: str = ""
    """The name of the failed check and nothing else; empty when solved."""


@dataclass(frozen=True, slots=True)
class _Band:
    """What grading compares: ordinals proved by the band checker, and what the task offers and charges."""

    first_accepted: int
    last_accepted: int
    first_certified: int
    last_certified: int
    room: int
    offers_unsure: bool
    scheme: str
    pay: Mapping[str, Mapping[Verdict, float]]


def grade(task: Task, reply: Any, scheme: str | None = None) -> Grade:
    """Judge `reply` by the task's proof alone.

    `reply` is a string, a chat message (mapping or object), a list of messages, or None; anything is allowed.
    `scheme` is one of SCHEMES; None takes the task's own, which is `seed` unless the draw set another.
    Raises ArgumentError on an unknown scheme and CertificateError on a task whose proof fails. Never on a reply.
    """
    proved = task._grading or _prove(task)  # noqa: SLF001 - the cache that the task keeps for grading
    name = proved.scheme if scheme is None else scheme
    if name not in SCHEMES:
        raise ArgumentError(f"unknown scheme={scheme!r}; known: {', '.join(SCHEMES)}")
    return _grade_attack(proved, reply, proved.pay[name])


def _grade_attack(proved: _Band, reply: Any, pay: Mapping[Verdict, float]) -> Grade:
    submission = read_attack_number(reply)
    if isinstance(submission, AttackNumber):
        return _grade_number(proved, submission.value, pay)
    if isinstance(submission, NoAttack):
        if proved.room == 0:
            return Grade(pay[Verdict.SOLVED], Verdict.SOLVED, True, refused=True)
        return Grade(
            pay[Verdict.WRONG],
            Verdict.WRONG,
            True,
            refused=True,
            false_claim=True,
            missed_attack=True,
            reason="attack_exists",
        )
    if isinstance(submission, Unreadable):
        return Grade(pay[Verdict.REFUSED_PARSE], Verdict.REFUSED_PARSE, False, reason=submission.reason)
    if not proved.offers_unsure:
        return Grade(pay[Verdict.REFUSED_PARSE], Verdict.REFUSED_PARSE, False, reason="unsure_not_offered")
    return Grade(pay[Verdict.ABSTAINED], Verdict.ABSTAINED, True, abstained=True)


def _grade_number(proved: _Band, value: float, pay: Mapping[Verdict, float]) -> Grade:
    place = ordinal(value)
    extra = {"submitted": repr(value)}
    if proved.first_certified <= place <= proved.last_certified:
        return Grade(
            pay[Verdict.WRONG],
            Verdict.WRONG,
            True,
            false_claim=True,
            false_break=True,
            extra=extra,
            reason="inside_certificate",
        )
    if proved.first_accepted <= place <= proved.last_accepted:
        return Grade(pay[Verdict.SOLVED], Verdict.SOLVED, True, extra=extra)
    return Grade(pay[Verdict.UNSUPPORTED], Verdict.UNSUPPORTED, True, extra=extra, reason="rejected_by_grader")


def _prove(task: Task) -> _Band:
    """Re-check the band proof once and keep what it proved on the task."""
    try:
        view = _proved_band(task)
    except (ValueError, KeyError, TypeError) as error:
        raise CertificateError(f"task {task.id[:200]!r}: {error}") from None
    object.__setattr__(task, "_grading", view)
    return view


def _proved_band(task: Task) -> _Band:
    kind = task.certificate["kind"]
    if (task.role, kind) != (Role.ATTACK, "band"):
        raise ValueError(f"nothing here grades role={task.role!s} with a certificate of kind {str(kind)[:60]!r}")
    proved = band.check(task.certificate["proof"])
    if task.room != proved.room:
        raise ValueError(f"room={task.room} but {proved.room} is proved")
    abstain, scheme = task.params.get("abstain", False), task.params.get("scheme", "seed")
    if type(abstain) is not bool:
        raise ValueError("params: abstain is neither true nor false")
    if scheme not in SCHEMES:
        raise ValueError(f"params: scheme is none of {', '.join(SCHEMES)}")
    return _Band(*proved, offers_unsure=abstain, scheme=scheme, pay=_payments(task.params.get("penalty", "1")))


def _payments(text: Any) -> dict[str, dict[Verdict, float]]:
    """Reward by scheme and verdict; the task's penalty replaces the 1 of a wrong claim."""
    penalty = read_exact(text) if isinstance(text, str) else None
    if penalty is None or not 0 <= penalty.numerator <= MAX_PENALTY * penalty.denominator:
        raise ValueError("params: penalty is not the text of a number from 0 to 10^9")
    top, bottom = penalty
    wrong = _quotient(-top, bottom)
    # Unreadable must never pay better than the worst claim, or cut-off replies become a way out.
    unreadable = _quotient(-max(top, bottom), bottom)
    seed = {
        Verdict.SOLVED: 1,
        Verdict.WRONG: wrong,
        Verdict.UNSUPPORTED: 0,
        Verdict.ABSTAINED: 0,
        Verdict.REFUSED_PARSE: 0,
    }
    train = {**seed, Verdict.REFUSED_PARSE: unreadable}
    floor = max(top, bottom)
    unit = {
        Verdict.SOLVED: 1,
        Verdict.WRONG: _quotient(floor - top, floor + bottom),
        Verdict.UNSUPPORTED: _quotient(floor, floor + bottom),
        Verdict.ABSTAINED: _quotient(floor, floor + bottom),
        Verdict.REFUSED_PARSE: 0,
    }
    return {"seed": seed, "train": train, "unit": unit}


def _quotient(numerator: int, denominator: int) -> float:
    """The exact integer where there is one, else the nearest double: rewards leave the exact path here."""
    return numerator // denominator if numerator % denominator == 0 else numerator / denominator
