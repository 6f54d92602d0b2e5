"""Sums of 1/(a k + b)^s over k >= 0, s >= 2, by Euler-Maclaurin.

The tail from term N on is the integral, half a term, and m corrections. The terms are completely monotone in k, so
what is left out lies between 0 and the first correction left out (Knopp, Theory and Application of Infinite Series,
section 64).
"""

from math import comb, factorial
from typing import Any

from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.numerals import read_exact

BITS = 192
MAX_TERMS = 2000
MAX_ORDER = 30


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


def _bernoulli(m: int) -> tuple[int, int]:
    """B_m for even m, by Worpitzky's sum over one denominator."""
    common = factorial(m + 1)
    value = 0
    for k in range(m + 1):
        value += sum((-1) ** v * comb(k, v) * v**m for v in range(k + 1)) * (common // (k + 1))
    return value, common


def _text(step: int, offset: int, power: int) -> str:
    if step == offset == 1:
        return f"the sum over k >= 1 of 1/k^{power}"
    return f"the sum over k >= 0 of 1/({'' if step == 1 else step}k + {offset})^{power}"


def _correction(j: int, step: int, at: int, power: int) -> tuple[int, int]:
    """B_2j/(2j)! times minus the derivative of order 2j - 1 at `at` = a N + b."""
    over, under = _bernoulli(2 * j)
    rising = 1
    for i in range(2 * j - 1):
        rising *= power + i
    return over * step ** (2 * j - 1) * rising, under * factorial(2 * j) * at ** (power + 2 * j - 1)


def check(record: dict[str, Any]) -> None:
    """Prove that the sum lies in [lo, hi]. Raises CertificateError."""
    texts = _fields(record, "step", "offset", "power", "terms", "order")
    bounds = (("step", 1, 100), ("offset", 1, 100), ("power", 2, 20), ("terms", 1, MAX_TERMS), ("order", 0, MAX_ORDER))
    step, offset, power, terms, order = (
        _integer(text, f"proof: {name}", least, most) for text, (name, least, most) in zip(texts, bounds, strict=True)
    )
    _require(record.get("statement") == _text(step, offset, power), "statement: does not say what the proof is about")
    at = step * terms + offset
    parts = [(1, (step * k + offset) ** power) for k in range(terms)]
    parts += [(1, step * (power - 1) * at ** (power - 1)), (1, 2 * at**power)]
    parts += [_correction(j, step, at, power) for j in range(1, order + 1)]
    low = sum((over << BITS) // under for over, under in parts)
    high = low + len(parts)
    over, under = _correction(order + 1, step, at, power)
    left_out = (over << BITS) // under
    low, high = low + min(0, left_out), high + max(0, left_out + 1)
    first, second = _ratio(record.get("lo"), "lo endpoint"), _ratio(record.get("hi"), "hi endpoint")
    _require(first[0] << BITS <= low * first[1], "lo endpoint: above what the proof establishes")
    _require(second[0] << BITS >= high * second[1], "hi endpoint: below what the proof establishes")
