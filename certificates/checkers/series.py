"""Hypergeometric-type series: exact partial sum, then a geometric tail bound.

The term is base^k times powers of (a k + b) and of (a k + b)!. The ratio of consecutive terms is a rational function
P/Q of k, and |P(k)| <= r Q(k) for every k beyond the last one summed, because all coefficients of r Q - |P|, shifted
there, are >= 0.
"""

from typing import Any

from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.numerals import read_exact

BITS = 192
MAX_TERMS = 400
MAX_BASE = 10**6
Factor = tuple[int, int, int]
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


def _factors(value: object, part: str) -> list[Factor]:
    out = []
    for member in _list(value, part, 0, 4):
        a, b, e = _list(member, part, 3, 3)
        factor = _integer(a, part, 1, 6), _integer(b, part, 0, 12), _integer(e, part, -4, 4)
        _require(factor[2] != 0, f"{part}: an exponent is zero")
        out.append(factor)
    return out


def _linear_text(a: int, b: int) -> str:
    return ("" if a == 1 else str(a)) + "k" + (f" + {b}" if b else "")


def _term_text(base: str, linear: list[Factor], factorials: list[Factor]) -> str:
    over: list[str] = []
    under: list[str] = []
    for factors, mark in ((linear, ""), (factorials, "!")):
        for a, b, e in factors:
            body = _linear_text(a, b)
            atom = f"({body})" if body != "k" and (mark or abs(e) > 1 or b or e < 0) else body
            atom = atom + mark if abs(e) == 1 or not mark else f"({atom}!)"
            (over if e > 0 else under).append(atom if abs(e) == 1 else f"{atom}^{abs(e)}")
    if base != "1":
        over.insert(0, f"{base}^k" if base.isdigit() else f"({base})^k")
    bottom = under[0] if len(under) == 1 else f"({'*'.join(under)})"
    return ("*".join(over) or "1") + (f"/{bottom}" if under else "")


def _times(left: Poly, right: Poly) -> Poly:
    out = [0] * (len(left) + len(right) - 1)
    for i, x in enumerate(left):
        for j, y in enumerate(right):
            out[i + j] += x * y
    return out


def _ratio_polys(at: int, linear: list[Factor], factorials: list[Factor]) -> tuple[Poly, Poly]:
    """Numerator and denominator of term(k + 1)/term(k) without the base, in j where k = at + j."""
    steps = [(a, a * at + b + a, e) for a, b, e in linear] + [(a, a * at + b, -e) for a, b, e in linear]
    steps += [(a, a * at + b + i, e) for a, b, e in factorials for i in range(1, a + 1)]
    over, under = [1], [1]
    for a, constant, e in steps:
        for _ in range(abs(e)):
            if e > 0:
                over = _times(over, [constant, a])
            else:
                under = _times(under, [constant, a])
    return over, under


def _value(poly: Poly, j: int) -> int:
    value = 0
    for coefficient in reversed(poly):
        value = value * j + coefficient
    return value


def _first_term(base: tuple[int, int], start: int, linear: list[Factor], factorials: list[Factor]) -> tuple[int, int]:
    over, under = base[0] ** start, base[1] ** start
    values = [(a * start + b, e) for a, b, e in linear]
    for a, b, e in factorials:
        values += [(i, e) for i in range(1, a * start + b + 1)]
    for value, e in values:
        over, under = (over * value**e, under) if e > 0 else (over, under * value**-e)
    _require(over != 0 and under != 0, "proof: the first term is zero or undefined")
    return over, under


def check(record: dict[str, Any]) -> None:
    """Prove that scale times the sum over k >= start lies in [lo, hi]. Raises CertificateError."""
    names = ("scale", "start", "base", "linear", "factorials", "terms", "ratio")
    scale_text, start_text, base_text, *lists, terms_text, ratio_text = _fields(record, *names)
    scale, base, ratio = (_ratio(t, "proof: scale, base, ratio") for t in (scale_text, base_text, ratio_text))
    start, terms = _integer(start_text, "proof: start", 0, 10), _integer(terms_text, "proof: terms", 1, MAX_TERMS)
    linear, factorials = _factors(lists[0], "proof: linear"), _factors(lists[1], "proof: factorials")
    _require(scale[0] != 0 and base[0] != 0 and max(abs(base[0]), base[1]) <= MAX_BASE, "proof: base out of range")
    _require(0 < ratio[0] < ratio[1] <= MAX_BASE, "proof: ratio must lie between 0 and 1")
    prefix = "" if scale_text == "1" else f"{scale_text} times "
    phrase = f"{prefix}the sum over k >= {start} of {_term_text(base_text, linear, factorials)}"
    _require(record.get("statement") == phrase, "statement: does not say what the proof is about")
    over, under = _ratio_polys(start, linear, factorials)
    top, bottom = _first_term(base, start, linear, factorials)
    low = high = 0
    for j in range(terms + 1):
        term = (top << BITS) // bottom, -((-top << BITS) // bottom)
        if j < terms:
            low, high = low + term[0], high + term[1]
            top, bottom = top * base[0] * _value(over, j), bottom * base[1] * _value(under, j)
    over, under = _ratio_polys(start + terms, linear, factorials)
    size = max(len(over), len(under))
    over, under = over + [0] * (size - len(over)), under + [0] * (size - len(under))
    slack = [ratio[0] * base[1] * q - ratio[1] * abs(base[0]) * p for p, q in zip(over, under, strict=True)]
    _require(min(slack) >= 0, "proof: ratio is not shown to bound the ratio of terms")
    # The first term left out is at most `last`; the rest is below last/(1 - ratio).
    last = max(abs(term[0]), abs(term[1]))
    tail = -(-last * ratio[1] // (ratio[1] - ratio[0]))
    ends = sorted(((low - tail) * scale[0], (high + tail) * scale[0]))
    first, second = _ratio(record.get("lo"), "lo endpoint"), _ratio(record.get("hi"), "hi endpoint")
    _require(first[0] * scale[1] << BITS <= ends[0] * first[1], "lo endpoint: above what the proof establishes")
    _require(second[0] * scale[1] << BITS >= ends[1] * second[1], "hi endpoint: below what the proof establishes")
