"""ASCII number text to plain integers, within stated bounds. No sympy, no float, no exception on odd text.

One grammar for every door: the JSON number grammar (`-12`, `0.5`, `1e-7`), and `p/q` in strings.
A leading `+`, a bare `.5` or `5.`, blanks, underscores and non-ASCII digits are not numbers here.
"""

import re
from typing import NamedTuple

MAX_NUMBER_CHARS = 2_000
"""Longest number text that is converted at all; the exact text of any double fits (at most 1,077 characters)."""
MAX_EXPONENT_DIGITS = 5
"""Longest exponent that is read, counted in written digits, so `1e+000001` is refused."""
MAX_EXACT_EXPONENT = 2_000
"""Largest exponent, by magnitude, that is expanded into an exact integer."""

_DECIMAL = re.compile(rf"(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]{{1,{MAX_EXPONENT_DIGITS}}}))?", re.ASCII)
_RATIO = re.compile(r"(-?)(0|[1-9][0-9]*)/([1-9][0-9]*)", re.ASCII)
_UNLIMITED_DIGITS = 640
"""`int` reads this many digits whatever digit limit the process has set (CPython's lowest one)."""


class Ratio(NamedTuple):
    """An exact rational as two integers; `denominator` is positive, lowest terms are not promised."""

    numerator: int
    denominator: int


def is_decimal(text: str) -> bool:
    """Whether `text` is, as a whole, a decimal within the bounds."""
    return len(text) <= MAX_NUMBER_CHARS and _DECIMAL.fullmatch(text) is not None


def approximate(text: str) -> float:
    """The nearest double to an exact number that this package wrote as `p/q` or `p`, for logs and tables.

    >>> approximate("-5/2"), approximate("12")
    (-2.5, 12.0)
    """
    numerator, _, denominator = text.partition("/")
    return int(numerator) / int(denominator or 1)


def read_ratio(text: str) -> Ratio | None:
    """Read `p/q` exactly; None where `text` is not one within the bounds."""
    if len(text) > MAX_NUMBER_CHARS or (match := _RATIO.fullmatch(text)) is None:
        return None
    sign, top, bottom = match.groups()
    return Ratio(-_integer(top) if sign else _integer(top), _integer(bottom))


def read_exact(text: str) -> Ratio | None:
    """Read a decimal or `p/q` exactly; None where `text` is neither, or its exponent is beyond the bound.

    >>> read_exact("-1.25e1")
    Ratio(numerator=-125, denominator=10)
    >>> read_exact("2/6")
    Ratio(numerator=2, denominator=6)
    >>> read_exact("1e99999") is None
    True
    """
    if len(text) > MAX_NUMBER_CHARS:
        return None
    match = _DECIMAL.fullmatch(text)
    if match is None:
        return read_ratio(text)
    sign, whole, fraction, exponent = match.groups()
    if exponent is None and len(text) <= _UNLIMITED_DIGITS:  # as nearly all numbers are written
        return Ratio(int(text), 1) if fraction is None else Ratio(int(sign + whole + fraction), 10 ** len(fraction))
    fraction = fraction or ""
    shift = int(exponent or 0)
    if abs(shift) > MAX_EXACT_EXPONENT:
        return None
    digits = _integer(whole + fraction)
    shift -= len(fraction)
    numerator = -digits if sign else digits
    return Ratio(numerator * 10**shift, 1) if shift >= 0 else Ratio(numerator, 10**-shift)


def _integer(digits: str) -> int:
    """The integer written in ASCII digits, in pieces that no process-wide digit limit can refuse."""
    if len(digits) <= _UNLIMITED_DIGITS:
        return int(digits)
    half = len(digits) // 2
    shift: int = 10**half
    return _integer(digits[:-half]) * shift + _integer(digits[-half:])
