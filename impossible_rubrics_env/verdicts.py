"""What a reply turned out to be, and what each verdict pays under each scheme."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from impossible_rubrics_env.numerals import read_exact

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
    """An answer that is not the right one, or any where the question has none."""
    over_refusal: bool = False
    """IMPOSSIBLE where the question has an answer."""
    false_break: bool = False
    """An attack that the certificate does not refute."""
    missed_attack: bool = False
    """NO_ATTACK where an attack exists."""
    witness_valid: bool | None = None
    """Of a refusal that needs a witness: whether it proves the refusal. None where none is asked."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """`submitted`, the repr of the double that was judged as an attack; `obstruction`, what a refusal named."""
    reason: str = ""
    """The name of the failed check and nothing else; empty when solved."""


@dataclass(frozen=True, slots=True)
class Stakes:
    """What a task offers and charges."""

    offers_unsure: bool
    scheme: str
    """The task's own; used where `grade` is told none."""
    pay: Mapping[str, Mapping[Verdict, float]]


def stakes(params: Mapping[str, Any], offers_unsure: bool) -> Stakes:
    """Read the stakes from a task's arguments; `offers_unsure` is the role's own choice, for tasks that make none.

    Raises ValueError that names the argument.
    """
    abstain, scheme = params.get("abstain"), params.get("scheme", "seed")
    if abstain is not None and type(abstain) is not bool:
        raise ValueError("params: abstain is neither true nor false")
    if scheme not in SCHEMES:
        raise ValueError(f"params: scheme is none of {', '.join(SCHEMES)}")
    return Stakes(offers_unsure if abstain is None else abstain, scheme, _payments(params.get("penalty", "1")))


def unreadable(reason: str, pay: Mapping[Verdict, float]) -> Grade:
    """The grade of a reply that could not be read."""
    return Grade(pay[Verdict.REFUSED_PARSE], Verdict.REFUSED_PARSE, False, reason=reason)


def unsure(offered: bool, pay: Mapping[Verdict, float]) -> Grade:
    """The grade of UNSURE."""
    if not offered:
        return unreadable("unsure_not_offered", pay)
    return Grade(pay[Verdict.ABSTAINED], Verdict.ABSTAINED, True, abstained=True)


def no_attack(exists: bool, pay: Mapping[Verdict, float]) -> Grade:
    """The grade of NO_ATTACK, by whether an attack `exists`."""
    if not exists:
        return Grade(pay[Verdict.SOLVED], Verdict.SOLVED, True, refused=True)
    wrong = Verdict.WRONG
    return Grade(pay[wrong], wrong, True, refused=True, false_claim=True, missed_attack=True, reason="attack_exists")


def false_break(reason: str, pay: Mapping[Verdict, float], extra: Mapping[str, Any] | None = None) -> Grade:
    """The grade of an attack that the certificate does not refute."""
    wrong = Verdict.WRONG
    return Grade(pay[wrong], wrong, True, false_claim=True, false_break=True, extra=extra or {}, reason=reason)


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
