"""Checks the proof of a `certified_interval` task: which doubles the grader accepts and the certificate refutes.

The proof claims four ordinals (first and last accepted double, first and last certified double). Each is
checked in the direction opposite to the one that made it: the double is decoded to its exact rational and
compared with the interval's end, as is its neighbour beyond the end. Plain integers only.

As a script: `python band.py < task.json` prints the room that it proved, or fails.
"""

import json
import math
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

MAX_INTEGER_DIGITS = 640
"""Longest integer in a rational: `int` converts this many digits whatever digit limit the process has set."""
MAX_ORDINAL = 0x7FEF_FFFF_FFFF_FFFF

_FIELDS = {"kind", "record", "sha256", "lo", "hi", "accept", "accepted", "certified", "room", "witness"}
_ACCEPT_FIELDS = {"lo", "lo_closed", "hi", "hi_closed"}


class Band(NamedTuple):
    """What the proof establishes, in ordinals of doubles; a range is empty where its first exceeds its last."""

    first_accepted: int
    last_accepted: int
    first_certified: int
    last_certified: int
    room: int


def check(proof: Mapping[str, Any]) -> Band:
    """Prove the band again. Raises ValueError that names the failed part."""
    _require(isinstance(proof, Mapping) and proof.get("kind") == "band", "kind")
    _require(_FIELDS <= set(proof) <= _FIELDS | {"record_data"}, "fields")
    lo, hi = _rational(proof["lo"], "lo"), _rational(proof["hi"], "hi")
    _require(_compare(lo, hi) <= 0, "lo exceeds hi")
    accept = proof["accept"]
    _require(isinstance(accept, Mapping) and set(accept) == _ACCEPT_FIELDS, "accept")
    accept_lo, accept_hi = _rational(accept["lo"], "accept.lo"), _rational(accept["hi"], "accept.hi")
    for end in ("lo_closed", "hi_closed"):
        _require(type(accept[end]) is bool, f"accept.{end}")
    _require(_compare(accept_lo, accept_hi) <= 0, "accept.lo exceeds accept.hi")
    accepted = _range(proof["accepted"], "accepted")
    certified = _range(proof["certified"], "certified")
    _check_range(accepted, accept_lo, accept["lo_closed"], accept_hi, accept["hi_closed"], "accepted")
    _check_range(certified, lo, True, hi, True, "certified")
    common = max(0, min(accepted[1], certified[1]) - max(accepted[0], certified[0]) + 1)
    room = max(0, accepted[1] - accepted[0] + 1) - common
    _require(proof["room"] == str(room), "room")
    _check_witness(proof["witness"], room, accepted, certified)
    return Band(*accepted, *certified, room)


def _require(holds: bool, part: str) -> None:
    if not holds:
        raise ValueError(f"the band proof fails at: {part}")


def _rational(text: Any, part: str) -> tuple[int, int]:
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


def _compare(left: tuple[int, int], right: tuple[int, int]) -> int:
    """Sign of left - right."""
    difference = left[0] * right[1] - right[0] * left[1]
    return (difference > 0) - (difference < 0)


def _range(value: Any, part: str) -> tuple[int, int]:
    _require(isinstance(value, (list, tuple)) and len(value) == 2, part)
    first, last = (_ordinal(text, part) for text in value)
    _require(last >= first - 1, part)
    return first, last


def _ordinal(text: Any, part: str) -> int:
    _require(isinstance(text, str) and len(text) <= 20 and text.isascii(), part)
    _require(text.removeprefix("-").isdigit(), part)
    return int(text)


def _double(place: int) -> tuple[int, int]:
    """Exact value of the double with this ordinal: its bits read as exponent and significand."""
    exponent, significand = divmod(abs(place), 1 << 52)
    if exponent:
        significand += 1 << 52
        exponent -= 1
    shift = exponent - 1074
    top, bottom = (significand << shift, 1) if shift >= 0 else (significand, 1 << -shift)
    return (-top if place < 0 else top), bottom


def _check_range(
    places: tuple[int, int], lo: tuple[int, int], lo_closed: bool, hi: tuple[int, int], hi_closed: bool, part: str
) -> None:
    """The first place lies inside the low end and its predecessor does not; likewise at the high end."""
    first, last = places
    _require(first > -MAX_ORDINAL and last < MAX_ORDINAL, f"{part}: beyond the finite doubles")
    _require(_compare(lo, _double(first)) < int(lo_closed), f"{part}: the first double is below the low end")
    _require(_compare(lo, _double(first - 1)) >= lo_closed, f"{part}: an earlier double is in the interval")
    _require(_compare(_double(last), hi) < hi_closed, f"{part}: the last double is above the high end")
    _require(_compare(_double(last + 1), hi) >= hi_closed, f"{part}: a later double is in the interval")


def _check_witness(witness: Any, room: int, accepted: tuple[int, int], certified: tuple[int, int]) -> None:
    if room == 0:
        _require(witness is None, "witness: there is no room for one")
        return
    _require(isinstance(witness, str) and len(witness) <= 30 and witness.isascii(), "witness")
    try:
        numerator, denominator = float(witness).as_integer_ratio()
    except (ValueError, OverflowError):
        raise ValueError("the band proof fails at: witness") from None
    _require(repr(numerator / denominator) == witness or witness == "-0.0", "witness: not the repr of a double")
    value = (numerator, denominator)
    inside = _compare(_double(accepted[0]), value) <= 0 and _compare(value, _double(accepted[1])) <= 0
    _require(inside, "witness: the grader rejects it")
    refuted = _compare(value, _double(certified[0])) < 0 or _compare(value, _double(certified[1])) > 0
    _require(refuted, "witness: the certificate contains it")


if __name__ == "__main__":
    print(check(json.load(sys.stdin)["certificate"]["proof"]))
