"""Rational multiples of pi by arctangents of 1/x: the Gaussian integers (x + i)^c multiply to a positive (1 + i) n.

So the sum of c arctan(1/x) is pi/4 up to a multiple of 2 pi, and its enclosure within (0, 2) leaves pi/4 alone
(3 < pi < 4).
"""

from typing import Any

from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.numerals import read_exact

BITS = 192
MAX_NAMED = 10**600
"""Numbers of a statement stay below this, so that no setting of the interpreter decides whether they print."""
MAX_POWER = 200


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


def _list(value: object, part: str, least: int, most: int) -> list[Any]:
    if not isinstance(value, list) or not least <= len(value) <= most:
        raise CertificateError(f"{part}: must be a list of {least} to {most} members")
    return value


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise CertificateError(message)


def _arctan(x: int) -> tuple[int, int]:
    """Enclosure of arctan(1/x) over 2^BITS by the alternating series; its truncation error is below one term."""
    low = high = 0
    k, power = 1, x
    while power < 1 << BITS:
        term = (1 << BITS) // (k * power)
        low, high = (low + term, high + term + 1) if k % 4 == 1 else (low - term - 1, high - term)
        k, power = k + 2, power * x * x
    return low - 1, high + 1


def _gaussian_power(x: int, c: int) -> tuple[int, int]:
    re, im = 1, 0
    for _ in range(abs(c)):
        re, im = re * x - im, re + im * x
    return (re, im) if c > 0 else (re, -im)


def check(record: dict[str, Any]) -> None:
    """Prove lo <= times * pi <= hi. Raises CertificateError."""
    times_text, listed = _fields(record, "times", "terms")
    times = _ratio(times_text, "proof: times")
    _require(0 < times[0] < MAX_NAMED and times[1] < MAX_NAMED, "proof: times must be positive and below 10^600")
    re, im, low, high = 1, 0, 0, 0
    for member in _list(listed, "proof: terms", 1, 8):
        c_text, x_text = _list(member, "proof: terms", 2, 2)
        c, x = _integer(c_text, "proof: terms", -MAX_POWER, MAX_POWER), _integer(x_text, "proof: terms", 2, 10**9)
        a, b = _gaussian_power(x, c)
        re, im = re * a - im * b, re * b + im * a
        near, far = _arctan(x)
        low, high = (low + c * near, high + c * far) if c > 0 else (low + c * far, high + c * near)
    _require(re == im > 0, "proof: terms do not add up to pi/4")
    _require(low > 0 and high < 2 << BITS, "proof: terms do not add up to pi/4")
    over = "pi" if times[0] == 1 else f"{times[0]}*pi"
    phrase = f"the number {over}" + (f"/{times[1]}" if times[1] > 1 else "")
    _require(record.get("statement") == phrase, "statement: does not say what the proof is about")
    first, second = _ratio(record.get("lo"), "lo endpoint"), _ratio(record.get("hi"), "hi endpoint")
    below = first[0] * times[1] << BITS <= 4 * low * times[0] * first[1]
    _require(below, "lo endpoint: above what the proof establishes")
    above = second[0] * times[1] << BITS >= 4 * high * times[0] * second[1]
    _require(above, "hi endpoint: below what the proof establishes")
