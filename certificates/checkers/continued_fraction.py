"""Infinite simple continued fractions with partial quotients a k + b.

The value lies between consecutive convergents (Khinchin, Continued Fractions, section 2).
"""

from typing import Any

from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.numerals import read_exact

MAX_TERMS = 200


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
    """Prove that [first; a + b, 2a + b, 3a + b, ...] lies in [lo, hi]. Raises CertificateError."""
    first_text, step_text, offset_text, terms_text = _fields(record, "first", "step", "offset", "terms")
    first = _integer(first_text, "proof: first", -(10**12), 10**12)
    step, offset = _integer(step_text, "proof: step", 0, 10**6), _integer(offset_text, "proof: offset", -(10**6), 10**6)
    terms = _integer(terms_text, "proof: terms", 2, MAX_TERMS)
    _require(step + offset >= 1, "proof: a partial quotient is not positive")
    shown = ", ".join(str(k * step + offset) for k in range(1, 5))
    shift = "" if not offset else f" {'-' if offset < 0 else '+'} {abs(offset)}"
    rule = f"whose quotient k is {'' if step == 1 else step}k{shift}" if step else f"whose quotients are all {offset}"
    phrase = f"the infinite continued fraction [{first}; {shown}, ...] {rule} after the first"
    _require(record.get("statement") == phrase, "statement: does not say what the proof is about")
    p, before_p, q, before_q = first, 1, 1, 0
    for k in range(1, terms + 1):
        quotient = k * step + offset
        p, before_p, q, before_q = quotient * p + before_p, p, quotient * q + before_q, q
    bounds = ((p, q), (before_p, before_q))
    # Convergents with an even index are below the value, those with an odd index above.
    below, above = bounds if terms % 2 == 0 else (bounds[1], bounds[0])
    low, high = _ratio(record.get("lo"), "lo endpoint"), _ratio(record.get("hi"), "hi endpoint")
    _require(low[0] * below[1] <= below[0] * low[1], "lo endpoint: above what the proof establishes")
    _require(high[0] * above[1] >= above[0] * high[1], "hi endpoint: below what the proof establishes")
