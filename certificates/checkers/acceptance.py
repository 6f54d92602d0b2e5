"""Checks that a grader, as its task describes it, accepts exactly the interval that the band proof uses.

The interval is not recomputed the way it was made: each end is tested against the grader's own definition.
A tolerance is tested by the distance of the ends from the key; rounding by rounding the ends themselves and
values just inside and outside them. Plain integers only.
"""

import math
from collections.abc import Mapping
from typing import Any

MAX_INTEGER_DIGITS = 640
"""Longest integer in a rational: `int` converts this many digits whatever digit limit the process has set."""
MAX_DIGITS = 40

Ratio = tuple[int, int]

_FIELDS = {
    "certificate": {"shape"},
    "absolute": {"shape", "key", "tolerance"},
    "relative": {"shape", "key", "tolerance"},
    "rounding": {"shape", "key", "mode", "digits", "ties", "rounded"},
}


def check(grader: Mapping[str, Any], proof: Mapping[str, Any]) -> None:
    """Raises ValueError that names the failed part; `proof` is one that the band checker has accepted."""
    _require(isinstance(grader, Mapping) and set(grader) == _FIELDS.get(str(grader.get("shape"))), "fields")
    accept = proof["accept"]
    lo, hi = _rational(accept["lo"], "accept.lo"), _rational(accept["hi"], "accept.hi")
    closed = (accept["lo_closed"], accept["hi_closed"])
    if grader["shape"] == "certificate":
        _require(closed == (True, True), "accept")
        _require(accept["lo"] == proof["lo"] and accept["hi"] == proof["hi"], "accept")
        return
    key = _rational(grader["key"], "key")
    if grader["shape"] == "rounding":
        _check_rounding(grader, key, lo, hi, closed)
        return
    _require(closed == (True, True), "accept")
    reach = _rational(grader["tolerance"], "tolerance")
    _require(reach[0] >= 0, "tolerance")
    if grader["shape"] == "relative":
        reach = (reach[0] * abs(key[0]), reach[1] * key[1])
    _require(_equal(_minus(key, lo), reach) and _equal(_minus(hi, key), reach), "tolerance")


def _check_rounding(grader: Mapping[str, Any], key: Ratio, lo: Ratio, hi: Ratio, closed: tuple[bool, bool]) -> None:
    mode, digits, ties = grader["mode"], grader["digits"], grader["ties"]
    _require(mode in ("decimals", "significant") and ties in ("even", "away"), "mode, ties")
    _require(type(digits) is int and (mode == "significant") <= digits <= MAX_DIGITS, "digits")
    rounded = _rational(grader["rounded"], "rounded")

    def rounds_there(value: Ratio) -> bool:
        return _equal(_round(value, mode, digits, ties), rounded)

    _require(key[0] != 0 or mode == "decimals", "key")
    _require(rounds_there(key), "rounded")
    _require(rounds_there(lo) == closed[0] and rounds_there(hi) == closed[1], "accept: ends")
    width = _minus(hi, lo)
    _require(width[0] > 0, "accept")
    sliver = (width[0], width[1] * 10**6)
    _require(rounds_there(_plus(lo, sliver)) and rounds_there(_minus(hi, sliver)), "accept: too wide")
    _require(not rounds_there(_minus(lo, sliver)) and not rounds_there(_plus(hi, sliver)), "accept: too narrow")
    # Rounding is monotone, so equal results at two points hold between them; the ends are exact half units:
    _require(_is_tie(lo, mode, digits) and _is_tie(hi, mode, digits), "accept: ends are not ties")


def _round(value: Ratio, mode: str, digits: int, ties: str) -> Ratio:
    """The value rounded by the stated rule."""
    if value[0] == 0:
        return (0, 1)
    places = _places(value, mode, digits)
    top, bottom = _scaled(value, places)
    steps, rest = divmod(abs(top), bottom)
    if 2 * rest > bottom or (2 * rest == bottom and (ties == "away" or steps % 2)):
        steps += 1
    steps = -steps if top < 0 else steps
    return (steps, 10**places) if places >= 0 else (steps * 10**-places, 1)


def _is_tie(value: Ratio, mode: str, digits: int) -> bool:
    top, bottom = _scaled(value, _places(value, mode, digits))
    return (2 * top) % bottom == 0 and (2 * top // bottom) % 2 == 1


def _places(value: Ratio, mode: str, digits: int) -> int:
    """Digits kept after the point."""
    return digits if mode == "decimals" else digits - 1 - _magnitude(value)


def _magnitude(value: Ratio) -> int:
    """The e with 10^e <= |value| < 10^(e+1), found by stepping up from below log10(2) times the bit lengths."""
    top, bottom = abs(value[0]), value[1]
    exponent = (top.bit_length() - 1) * 30_102 // 100_000 - bottom.bit_length() * 30_103 // 100_000 - 1
    while _at_least(top, bottom, exponent + 1):
        exponent += 1
    return exponent


def _at_least(top: int, bottom: int, exponent: int) -> bool:
    if exponent < 0:
        return bool(top * 10**-exponent >= bottom)
    return bool(top >= bottom * 10**exponent)


def _scaled(value: Ratio, places: int) -> Ratio:
    return (value[0] * 10**places, value[1]) if places >= 0 else (value[0], value[1] * 10**-places)


def _minus(left: Ratio, right: Ratio) -> Ratio:
    return left[0] * right[1] - right[0] * left[1], left[1] * right[1]


def _plus(left: Ratio, right: Ratio) -> Ratio:
    return left[0] * right[1] + right[0] * left[1], left[1] * right[1]


def _equal(left: Ratio, right: Ratio) -> bool:
    return left[0] * right[1] == right[0] * left[1]


def _require(holds: bool, part: str) -> None:
    if not holds:
        raise ValueError(f"the grader does not match the proof at: {part}")


def _rational(text: Any, part: str) -> Ratio:
    """Numerator and positive denominator, in lowest terms, from `p` or `p/q`."""
    _require(isinstance(text, str) and text.isascii(), part)
    top, slash, bottom = text.partition("/")
    digits = top.removeprefix("-")
    _require(digits.isdigit() and (bottom.isdigit() if slash else True), part)
    _require(len(digits) <= MAX_INTEGER_DIGITS and len(bottom) <= MAX_INTEGER_DIGITS, part)
    numerator, denominator = int(top), int(bottom) if slash else 1
    _require(denominator > 0 and math.gcd(numerator, denominator) == 1, part)
    _require(text == (str(numerator) if denominator == 1 else f"{numerator}/{denominator}"), part)
    return numerator, denominator
