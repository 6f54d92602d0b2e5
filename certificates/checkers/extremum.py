"""Minima of polynomials on an interval and of cosine sums: p - lo is positive there, and p(point) <= hi.

Positive, because it is so at the ends and has no root between them (Sturm). A cosine sum is a polynomial in x = cos t
on [-1, 1], through the Chebyshev polynomials. Maxima are minima of -p.
"""

from itertools import pairwise
from math import gcd
from typing import Any

from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.numerals import read_exact

MAX_DEGREE = 24
MAX_COEFFICIENT = 10**30
Poly = list[int]


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


def _poly_text(poly: Poly) -> str:
    return _signed([(value, {0: "", 1: "x"}.get(e, f"x^{e}")) for e, value in reversed(list(enumerate(poly)))])


def _signed(parts: list[tuple[int, str]]) -> str:
    out = ""
    for value, symbol in parts:
        if value:
            size = "" if abs(value) == 1 and symbol else str(abs(value))
            out += (" - " if value < 0 else " + ") + size + ("*" if size and symbol else "") + symbol
    return ("-" if out.startswith(" - ") else "") + out[3:]


def _chebyshev(terms: list[tuple[int, int]]) -> Poly:
    total = [0] * (max(frequency for _, frequency in terms) + 1)
    before, current = [1], [0, 1]
    for n in range(len(total)):
        for weight, frequency in terms:
            if frequency == n:
                for i, value in enumerate(before):
                    total[i] += weight * value
        following = [0, *(2 * value for value in current)]
        for i, value in enumerate(before):
            following[i] -= value
        before, current = current, following
    return total


def _sign_at(poly: Poly, over: int, under: int) -> int:
    value, scale = 0, 1
    for coefficient in reversed(poly):
        value = value * over + coefficient * scale
        scale *= under
    return (value > 0) - (value < 0)


def _roots_between(poly: Poly, start: tuple[int, int], end: tuple[int, int]) -> int:
    """Distinct roots in the interval by Sturm's theorem; the ends are known not to be roots."""
    chain = [poly, [e * value for e, value in enumerate(poly)][1:]]
    while len(chain[-1]) > 1:
        rest, divisor = list(chain[-2]), chain[-1]
        lead = abs(divisor[-1])
        while len(rest) >= len(divisor):
            factor, shift = rest[-1] if divisor[-1] > 0 else -rest[-1], len(rest) - len(divisor)
            rest = [lead * value for value in rest]
            for i, value in enumerate(divisor):
                rest[i + shift] -= factor * value
            while rest and rest[-1] == 0:
                rest.pop()
        if not rest:
            break
        content = gcd(*rest)
        chain.append([-value // content for value in rest])
    counts = []
    for point in (start, end):
        signs = [sign for sign in (_sign_at(p, *point) for p in chain) if sign]
        counts.append(sum(left != right for left, right in pairwise(signs)))
    return counts[0] - counts[1]


def _cosines(data: object) -> tuple[str, Poly]:
    terms = []
    for member in _list(data, "proof: data", 1, 8):
        weight, frequency = _list(member, "proof: data", 2, 2)
        terms.append(
            (_integer(weight, "proof: data", -(10**6), 10**6), _integer(frequency, "proof: data", 1, MAX_DEGREE))
        )
    shown = _signed([(w, f"cos({'' if f == 1 else f}t)") for w, f in terms])
    return f"over real t of {shown}", _chebyshev(terms)


def check(record: dict[str, Any]) -> None:
    """Prove that the minimum, or maximum, lies in [lo, hi]. Raises CertificateError."""
    form, sense, data, from_text, to_text, point_text = _fields(record, "form", "sense", "data", "from", "to", "point")
    _require(form in ("cosines", "polynomial") and sense in ("minimum", "maximum"), "proof: unknown form or sense")
    start, end, point = (_ratio(text, "proof: from, to, point") for text in (from_text, to_text, point_text))
    if form == "cosines":
        words, poly = _cosines(data)
        _require((from_text, to_text) == ("-1", "1"), "proof: the cosine runs from -1 to 1")
    else:
        members = _list(data, "proof: data", 2, MAX_DEGREE + 1)
        poly = [_integer(v, "proof: data", -MAX_COEFFICIENT, MAX_COEFFICIENT) for v in members]
        words = f"of {_poly_text(poly)} over x from {from_text} to {to_text}"
    _require(record.get("statement") == f"the {sense} {words}", "statement: does not say what the proof is about")
    _require(any(poly[1:]), "proof: data is constant")
    _require(start[0] * end[1] < end[0] * start[1], "proof: from must be below to")
    low, high = _ratio(record.get("lo"), "lo endpoint"), _ratio(record.get("hi"), "hi endpoint")
    part, witness_part = ("lo endpoint", "hi endpoint") if sense == "minimum" else ("hi endpoint", "lo endpoint")
    if sense == "maximum":
        poly, low, high = [-value for value in poly], (-high[0], high[1]), (-low[0], low[1])
    while poly[-1] == 0:
        poly.pop()
    above = [low[1] * value for value in poly]
    above[0] -= low[0]
    positive = _sign_at(above, *start) > 0 and _sign_at(above, *end) > 0
    _require(
        positive and _roots_between(above, start, end) == 0, f"{part}: the quantity is not proved to stay on its side"
    )
    inside = start[0] * point[1] <= point[0] * start[1] and point[0] * end[1] <= end[0] * point[1]
    _require(inside, "proof: point is outside the interval")
    below = [high[1] * value for value in poly]
    below[0] -= high[0]
    _require(_sign_at(below, *point) <= 0, f"{witness_part}: the proof's point does not reach it")
