"""From one rollout to its reward and signals, the same for every framework. No framework, and no sympy, here.

What comes in is the task's JSON text and whatever the framework recorded as the reply; what goes out is an
`Outcome` whose signals are all floats. `grade` decides everything about the reply; this module adds only what the
framework knows: whether the reply was cut off, and whether there was one at all.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from impossible_rubrics_env.grading import Grade, Verdict, grade
from impossible_rubrics_env.numerals import approximate
from impossible_rubrics_env.task import Task

SIGNALS = (
    "solved",
    "well_formed",
    "abstained",
    "refused",
    "false_claim",
    "false_answer",
    "over_refusal",
    "false_break",
    "missed_attack",
    "witness_valid",
    "unreadable",
    "truncated",
    "failed",
)
"""Every signal, in the order of the tables. Each is 0.0 or 1.0 in every rollout."""
MEASURES = ("exploited", "false_claim_exploited", "over_refusal_rewarded", "margin", "criteria", "specificity")
"""Of a rubric that was written and read; the first three are 0.0 or 1.0, `margin` is in points (inexact here)."""

_GRADED = SIGNALS[1:10]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one rollout earned and showed."""

    reward: float
    signals: Mapping[str, float]
    """All of SIGNALS, and MEASURES where a rubric was read."""
    grade: Grade
    """Of a failed rollout: that of an empty reply, at no reward."""


def judge(spec: str, reply: Any, *, truncated: bool = False) -> Outcome:
    """Grade `reply` on the task in `spec`. Raises CertificateError on a broken task, never on a reply.

    `truncated` says that the framework saw the reply cut off. A cut-off reply that cannot be read is not counted as
    `unreadable`: the one is a limit set too low, the other a policy that does not keep to the format.
    """
    result = grade(_loaded(spec), reply)
    signals = {name: float(bool(getattr(result, name))) for name in _GRADED}
    signals["solved"] = float(result.verdict is Verdict.SOLVED)
    signals["unreadable"] = float(not result.well_formed and not truncated)
    signals["truncated"] = float(truncated)
    signals["failed"] = 0.0
    signals |= {name: _float(result.extra[name]) for name in MEASURES if name in result.extra}
    return Outcome(float(result.reward), signals, result)


def _float(value: Any) -> float:
    """A measure as frameworks log it: 0.0 where there is none; an exact one is `p/q`."""
    if isinstance(value, str):
        return approximate(value)
    return float(value or 0)


@lru_cache(maxsize=256)
def _loaded(spec: str) -> Task:
    """The task; rollouts of one task come together, and its proof is checked once for all of them."""
    return Task.from_json(spec)


def failure() -> Outcome:
    """Of a rollout without a reply, because the model or the framework failed: no refusal, and nothing unreadable."""
    signals = dict.fromkeys(SIGNALS, 0.0)
    signals["failed"] = 1.0
    return Outcome(0.0, signals, Grade(0, Verdict.REFUSED_PARSE, False, reason="failed"))
