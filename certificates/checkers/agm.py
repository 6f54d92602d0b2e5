"""Arithmetic-geometric means of positive rationals: after any number of steps the mean lies between the two (Gauss)."""

from math import isqrt
from typing import Any

from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.numerals import read_exact

BITS = 192
MAX_STEPS = 20


def _fields(record: dict[str, Any], *names: str) -> list[Any]:
    proof = record.get("proof")
    if not isinstance(proof, dict) or set(proof) != {"kind", *names}:
        raise CertificateError(f"proof: the fields must be kind, {', '.join(names)}")
    return [proof[name] for name in names]


def _ratio(value: object, part: str) -> tuple[int, int]:
    ratio = read_exact(value) if isinstance(value, str) else None
    if ratio is None:
        raise CertificateError(f"{part}: not an exact number in text")
    return ratio


def _integer(value: object, part: str, least: int, most: int) -> int:
    numerator, denominator = _ratio(value, part)
    if denominator != 1 or not least <= numerator <= most:
        raise CertificateError(f"{part}: must be an integer from {least} to {most}")
    return numerator


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise CertificateError(message)


def check(record: dict[str, Any]) -> None:
    """Prove that agm(a, b), or its reciprocal, lies in [lo, hi]. Raises CertificateError."""
    a_text, b_text, steps_text, reciprocal = _fields(record, "a", "b", "steps", "reciprocal")
    (a, p), (b, q) = _ratio(a_text, "proof: a"), _ratio(b_text, "proof: b")
    steps = _integer(steps_text, "proof: steps", 1, MAX_STEPS)
    _require(0 < b * p < a * q and a < p << 100 and q < b << 100, "proof: a and b must satisfy 0 < b < a")
    _require(reciprocal in ("yes", "no"), "proof: reciprocal must be yes or no")
    phrase = f"the arithmetic-geometric mean of {a_text} and {b_text}"
    phrase = f"the reciprocal of {phrase}" if reciprocal == "yes" else phrase
    _require(record.get("statement") == phrase, "statement: does not say what the proof is about")
    # The agm increases in both arguments, so rounding up keeps upper bounds and rounding down keeps lower bounds.
    low, high = ((a << BITS) // p, (b << BITS) // q), (-((-a << BITS) // p), -((-b << BITS) // q))
    for _ in range(steps):
        low = sum(low) >> 1, isqrt(low[0] * low[1])
        high = (sum(high) + 1) >> 1, isqrt(high[0] * high[1]) + 1
    bottom, top = min(low), max(high)
    if reciprocal == "yes":
        bottom, top = (1 << 2 * BITS) // top, (1 << 2 * BITS) // bottom + 1
    first, second = _ratio(record.get("lo"), "lo endpoint"), _ratio(record.get("hi"), "hi endpoint")
    _require(first[0] << BITS <= bottom * first[1], "lo endpoint: above what the proof establishes")
    _require(second[0] << BITS >= top * second[1], "hi endpoint: below what the proof establishes")
