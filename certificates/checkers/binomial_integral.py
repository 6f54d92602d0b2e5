"""Integrals of x^m/(c + x^n) from 0 to b where b^n < c: the integrated geometric series.

It alternates with decreasing terms, so the error is below the first term left out (Leibniz).
"""

from typing import Any

from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.numerals import read_exact

BITS = 160
MAX_TERMS = 400


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


def _text(m: int, n: int, c: int, b: str) -> str:
    def power(e: int) -> str:
        return "x" if e == 1 else f"x^{e}"

    return f"the integral of {power(m) if m else '1'}/({c} + {power(n)}) from 0 to {b}"


def check(record: dict[str, Any]) -> None:
    """Prove that the integral lies in [lo, hi]. Raises CertificateError."""
    m_text, n_text, c_text, b_text, terms_text = _fields(record, "m", "n", "c", "b", "terms")
    m, n = _integer(m_text, "proof: m", 0, 40), _integer(n_text, "proof: n", 1, 40)
    c, terms = _integer(c_text, "proof: c", 1, 10**12), _integer(terms_text, "proof: terms", 1, MAX_TERMS)
    over, under = _ratio(b_text, "proof: b")
    _require(0 < over <= 10**6 and under <= 10**6, "proof: b is out of range")
    step, shrink = over**n, c * under**n
    _require(step < shrink, "proof: b^n must be less than c")
    _require(record.get("statement") == _text(m, n, c, b_text), "statement: does not say what the proof is about")
    # The term is power/(k n + m + 1), where the power is b^(k n + m + 1)/c^(k + 1), kept as an enclosure over 2^BITS.
    power_low = (over ** (m + 1) << BITS) // (c * under ** (m + 1))
    power_high = power_low + 1
    low = high = 0
    for k in range(terms):
        degree = k * n + m + 1
        near, far = power_low // degree, -(-power_high // degree)
        low, high = (low + near, high + far) if k % 2 == 0 else (low - far, high - near)
        power_low, power_high = power_low * step // shrink, -(-power_high * step // shrink)
    left_out = -(-power_high // (terms * n + m + 1))
    low, high = (low, high + left_out) if terms % 2 == 0 else (low - left_out, high)
    first, second = _ratio(record.get("lo"), "lo endpoint"), _ratio(record.get("hi"), "hi endpoint")
    _require(first[0] << BITS <= low * first[1], "lo endpoint: above what the proof establishes")
    _require(second[0] << BITS >= high * second[1], "hi endpoint: below what the proof establishes")
