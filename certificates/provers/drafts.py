"""A draft of a record: statement and proof, and a hint of the value from which the endpoints are cut."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mpmath import floor, mp, mpf

from impossible_rubrics_env.certificates.ledger import FORMAT, record_digest
from impossible_rubrics_env.exact import ratio_text, rational

HINT_DIGITS = 60
"""Decimal digits to which hints are computed."""

Proof = dict[str, Any]
Hint = Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Cut:
    """Endpoints on the grid of 1/scale: `below` steps under the floor of the value, and `above` steps over it."""

    scale: int
    below: int = 0
    above: int = 1


@dataclass(frozen=True, slots=True)
class Draft:
    """A record before its endpoints and hash."""

    id: str
    topic: str
    statement: str
    proof: Proof
    value: Hint | int | tuple[int, int]
    """A function giving the value to HINT_DIGITS, or the exact value."""
    cut: Cut | None = None
    """How to cut the endpoints; None leaves the choice to the build."""


CUTS = (
    Cut(10**12), Cut(10**6), Cut(10**15), Cut(10**4), Cut(10**9), Cut(1000), Cut(2**40), Cut(10**10, 1, 2), Cut(10**5),
    Cut(2**20), Cut(10**8, 0, 5), Cut(999983), Cut(10**13), Cut(2**33, 3, 1), Cut(10**4, 3, 4), Cut(10**7), Cut(10**11),
    Cut(2**47), Cut(10**3), Cut(10**14), Cut(12345678901, 2, 7), Cut(10**6, 40, 60),
)  # fmt: skip
"""The endings that drafts without a cut get in turn: short decimals, dyadic fractions, uneven and ugly ones."""


def finish(draft: Draft, cut: Cut) -> dict[str, Any]:
    """The record of a draft, hashed. The claim is not checked here."""
    if callable(draft.value):
        with mp.workdps(HINT_DIGITS):
            place = int(floor(mpf(draft.value()) * cut.scale))
        low, high = rational(place - cut.below, cut.scale), rational(place + cut.above, cut.scale)
    else:
        exact = draft.value if isinstance(draft.value, tuple) else (draft.value, 1)
        low = high = rational(*exact)
    data = {
        "format": FORMAT,
        "id": draft.id,
        "topic": draft.topic,
        "statement": draft.statement,
        "kind": "integer" if isinstance(draft.value, int) else "number",
        "lo": ratio_text(low),
        "hi": ratio_text(high),
        "proof": draft.proof,
    }
    return {**data, "sha256": record_digest(data)}
