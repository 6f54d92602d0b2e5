"""Roots of integer polynomials: one root between `from` and `to` (Sturm's theorem), and a sign change over [lo, hi]."""

from itertools import pairwise
from math import gcd
from typing import Any

from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.numerals import read_exact

MAX_DEGREE = 24
MAX_COEFFICIENT = 10**40
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


def _text(poly: Poly) -> str:
    """Descending powers of x: `x^3 - 2*x + 1` (coefficients come in ascending order)."""
    parts = []
    for power in range(len(poly) - 1, -1, -1):
        size = abs(poly[power])
        if size:
            symbol = {0: "", 1: "x"}.get(power, f"x^{power}")
            body = symbol if size == 1 and symbol else f"{size}*{symbol}".rstrip("*")
            parts.append((" - " if poly[power] < 0 else " + ") + body)
    joined = "".join(parts)
    return ("-" if joined.startswith(" - ") else "") + joined[3:]


def _phrase(poly: Poly, start: str, end: str) -> str:
    word = {("-inf", "inf"): "only real", ("0", "inf"): "only positive", ("-inf", "0"): "only negative"}.get(
        (start, end)
    )
    if word is None and end == "inf":
        word = "largest real"
    if word is None and start == "-inf":
        word = "smallest real"
    if word is None:
        return f"the only root of {_text(poly)} between {start} and {end}"
    return f"the {word} root of {_text(poly)}"


def _remainder(first: Poly, second: Poly) -> Poly:
    """A positive multiple of -(first mod second), without its integer content, as a Sturm chain wants it."""
    rest, lead = list(first), second[-1]
    while len(rest) >= len(second):
        factor, shift = rest[-1], len(rest) - len(second)
        rest = [abs(lead) * value for value in rest]
        factor = factor if lead > 0 else -factor
        for place, value in enumerate(second):
            rest[place + shift] -= factor * value
        while rest and rest[-1] == 0:
            rest.pop()
    content = gcd(*rest) if rest else 1
    return [-value // content for value in rest]


def _sign(poly: Poly, point: Any) -> int:
    if point in ("inf", "-inf"):
        value = poly[-1] if point == "inf" or len(poly) % 2 else -poly[-1]
    else:
        over, under = _ratio(point, "proof: bound")
        value, scale = 0, 1
        for coefficient in reversed(poly):
            value = value * over + coefficient * scale
            scale *= under
    return (value > 0) - (value < 0)


def _changes(chain: list[Poly], point: str) -> int:
    signs = [sign for sign in (_sign(poly, point) for poly in chain) if sign]
    return sum(left != right for left, right in pairwise(signs))


def _not_after(left: Any, right: Any) -> bool:
    if left == "-inf" or right == "inf":
        return True
    if left == "inf" or right == "-inf":
        return False
    (a, b), (c, d) = _ratio(left, "proof: bound"), _ratio(right, "proof: bound")
    return a * d <= c * b


def check(record: dict[str, Any]) -> None:
    """Prove that the only root in (from, to) lies in [lo, hi]. Raises CertificateError."""
    listed, start, end = _fields(record, "coefficients", "from", "to")
    _require(start == "-inf" or _ratio(start, "proof: from") is not None, "proof: from")
    _require(end == "inf" or _ratio(end, "proof: to") is not None, "proof: to")
    members = _list(listed, "proof: coefficients", 2, MAX_DEGREE + 1)
    poly = [_integer(value, "proof: coefficients", -MAX_COEFFICIENT, MAX_COEFFICIENT) for value in members]
    _require(poly[-1] != 0, "proof: coefficients end in zero")
    _require(record.get("statement") == _phrase(poly, start, end), "statement: does not say what the proof is about")
    first, last = _sign(poly, start), _sign(poly, end)
    _require(first * last < 0, "proof: no sign change between from and to")
    chain = [poly, [power * value for power, value in enumerate(poly)][1:]]
    while rest := _remainder(chain[-2], chain[-1]):
        chain.append(rest)
    _require(_changes(chain, start) - _changes(chain, end) == 1, "proof: not exactly one root between from and to")
    low, high = record.get("lo"), record.get("hi")
    low_sign = _sign(poly, low) if _ratio(low, "lo endpoint") else 0
    high_sign = _sign(poly, high) if _ratio(high, "hi endpoint") else 0
    _require(_not_after(start, low) and _not_after(low, end) and low_sign in (0, first), "lo endpoint: above the root")
    _require(
        _not_after(start, high) and _not_after(high, end) and high_sign in (0, last), "hi endpoint: below the root"
    )
