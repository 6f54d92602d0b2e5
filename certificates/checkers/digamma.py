"""Euler's constant and the digamma function at positive integers and at 1/2.

gamma = H_n - ln n - 1/(2n) + sum of B_2j/(2j n^2j), and what is left out lies between 0 and the first term left out
(Knopp, Theory and Application of Infinite Series, section 64). With n = 2^m, ln n = m ln 2.
Then digamma(q) = H_(q-1) - gamma and digamma(1/2) = -gamma - 2 ln 2.
"""

from typing import Any

from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.numerals import read_exact

BITS = 160
CORRECTIONS = ((1, 12), (-1, 120), (1, 252), (-1, 240), (1, 132), (-691, 32760), (1, 12))
"""B_2j/(2j) for j = 1, 2, ..., 7."""
Span = tuple[int, int]


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


def _harmonic(n: int) -> Span:
    low = sum((1 << BITS) // k for k in range(1, n + 1))
    return low, low + n


def _log_two() -> Span:
    """The sum of 1/(k 2^k); the tail beyond k = BITS is below one unit."""
    low = sum((1 << BITS - k) // k for k in range(1, BITS + 1))
    return low, low + BITS + 1


def _gamma(exponent: int, order: int) -> Span:
    n, two = 1 << exponent, _log_two()
    low, high = _harmonic(n)
    low, high = low - exponent * two[1], high - exponent * two[0]
    low, high = low - (1 << BITS - exponent - 1), high - (1 << BITS - exponent - 1)
    for j, (over, under) in enumerate(CORRECTIONS[: order + 1]):
        term = (over << BITS) // (under * n ** (2 * j + 2))
        if j < order:
            low, high = low + term, high + term + 1
        else:
            low, high = low + min(0, term), high + max(0, term + 1)
    return low, high


def check(record: dict[str, Any]) -> None:
    """Prove that Euler's constant, or a digamma value, lies in [lo, hi]. Raises CertificateError."""
    argument, exponent_text, order_text = _fields(record, "argument", "exponent", "order")
    exponent = _integer(exponent_text, "proof: exponent", 1, 12)
    order = _integer(order_text, "proof: order", 0, len(CORRECTIONS) - 1)
    low, high = _gamma(exponent, order)
    phrase = "the limit of 1 + 1/2 + ... + 1/n - ln(n) as n grows"
    if argument != "gamma":
        low, high, phrase = -high, -low, f"the value of the digamma function at {argument}"
        two = _log_two()
        extra = (
            (-2 * two[1], -2 * two[0])
            if argument == "1/2"
            else _harmonic(_integer(argument, "proof: argument", 1, 1000) - 1)
        )
        low, high = low + extra[0], high + extra[1]
    _require(record.get("statement") == phrase, "statement: does not say what the proof is about")
    first, second = _ratio(record.get("lo"), "lo endpoint"), _ratio(record.get("hi"), "hi endpoint")
    _require(first[0] << BITS <= low * first[1], "lo endpoint: above what the proof establishes")
    _require(second[0] << BITS >= high * second[1], "hi endpoint: below what the proof establishes")
