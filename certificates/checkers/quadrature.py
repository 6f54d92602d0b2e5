"""Integrals of rational functions and of square roots of polynomials, by sums over equal panels.

Monotone integrands lie between left and right sums; convex ones between midpoint and trapezoid sums (Hermite and
Hadamard). That a polynomial keeps its sign on [a, b] is shown by Bernstein coefficients of one sign on pieces of it.

The denominator is positive on [a, b], so rational integrands are smooth there. With root 2 the integrand f = sqrt(p) is
smooth only where p > 0; elsewhere f = 0, at finitely many points, as p is not the zero polynomial:

- increasing, decreasing: the root is an increasing function, so f goes the way p goes, zeros or not.
- convex: 2 p p'' >= p'^2 gives f'' >= 0 between zeros. At a zero inside, f has its least value, so its slope on the
  left is <= 0 <= that on the right, and the two convex pieces make a convex function.
- concave: 2 p p'' <= p'^2 gives f'' <= 0 between zeros, but a zero inside is a kink upwards (sqrt(x^2) at 0), so p > 0
  is required inside. Zeros at the ends do no harm, by continuity.
"""

from math import isqrt
from typing import Any

from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.numerals import read_exact

BITS = 128
MAX_DEGREE = 8
MAX_COEFFICIENT = 10**12
MAX_PANELS = 20000
MAX_HALVINGS = 6
Poly = list[int]
Ends = tuple[bool, bool]


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
    out = ""
    for e, value in reversed(list(enumerate(poly))):
        if value:
            symbol = {0: "", 1: "x"}.get(e, f"x^{e}")
            size = "" if abs(value) == 1 and symbol else str(abs(value))
            out += (" - " if value < 0 else " + ") + size + ("*" if size and symbol else "") + symbol
    return ("-" if out.startswith(" - ") else "") + out[3:]


def _times(left: Poly, right: Poly) -> Poly:
    out = [0] * (len(left) + len(right) - 1)
    for i, x in enumerate(left):
        for j, y in enumerate(right):
            out[i + j] += x * y
    return out


def _slope(poly: Poly) -> Poly:
    return [e * value for e, value in enumerate(poly)][1:] or [0]


def _minus(left: Poly, right: Poly) -> Poly:
    size = max(len(left), len(right))
    return [a - b for a, b in zip(left + [0] * (size - len(left)), right + [0] * (size - len(right)), strict=True)]


def _scaled(poly: Poly, factor: int) -> Poly:
    return [factor * value for value in poly]


def _at_least_zero(
    poly: Poly, a: int, b: int, d: int, strict: Ends | None = None, halvings: int = MAX_HALVINGS
) -> bool:
    """Whether poly >= 0 on [a/d, b/d] is shown by (1 + t)^n poly((a + b t)/(d (1 + t))).

    With `strict`, whether poly > 0 inside, and at the left and right ends that it marks.
    """
    total, power = [0], [1]
    for e, value in enumerate(poly):
        rest = [1]
        for _ in range(len(poly) - 1 - e):
            rest = _times(rest, [d, d])
        total = _minus(total, _scaled(_times(power, rest), -value))
        power = _times(power, [a, b])
    left, right = strict or (False, False)
    if (left and total[0] == 0) or (right and total[-1] == 0) or total[0] < 0 or total[-1] < 0:
        return False
    if min(total) >= 0:
        return strict is None or max(total) > 0
    if halvings == 0:
        return False
    halves = ((2 * a, a + b, strict and (left, True)), (a + b, 2 * b, strict and (True, right)))
    return all(_at_least_zero(poly, low, high, 2 * d, ends, halvings - 1) for low, high, ends in halves)


def _shape_poly(over: Poly, under: Poly, root: int, shape: object) -> Poly:
    """A polynomial with the sign that the shape needs to be >= 0."""
    first = _slope(over) if root == 2 else _minus(_times(_slope(over), under), _times(over, _slope(under)))
    if shape in ("increasing", "decreasing"):
        return _scaled(first, 1 if shape == "increasing" else -1)
    _require(shape in ("convex", "concave"), "proof: unknown shape")
    if root == 2:
        second = _minus(_scaled(_times(over, _slope(first)), 2), _times(first, first))
    else:
        second = _minus(_times(_slope(first), under), _scaled(_times(first, _slope(under)), 2))
    return _scaled(second, 1 if shape == "convex" else -1)


def _value(over: Poly, under: Poly, root: int, x: int, d: int) -> int:
    """Floor of the integrand at x/d, times 2^BITS."""
    top = _homogeneous(over, x, d) * d ** (len(under) - 1)
    bottom = _homogeneous(under, x, d) * d ** (len(over) - 1)
    return isqrt((top << 2 * BITS) // bottom) if root == 2 else (top << BITS) // bottom


def _homogeneous(poly: Poly, x: int, d: int) -> int:
    value, scale = 0, 1
    for coefficient in reversed(poly):
        value = value * x + coefficient * scale
        scale *= d
    return value


def check(record: dict[str, Any]) -> None:
    """Prove that the integral lies in [lo, hi]. Raises CertificateError."""
    names = ("numerator", "denominator", "root", "from", "to", "panels", "shape")
    over_list, under_list, root_text, from_text, to_text, panels_text, shape = _fields(record, *names)
    over, under = (
        [
            _integer(v, "proof: coefficients", -MAX_COEFFICIENT, MAX_COEFFICIENT)
            for v in _list(side, "proof: coefficients", 1, MAX_DEGREE + 1)
        ]
        for side in (over_list, under_list)
    )
    _require(any(over), "proof: the numerator is zero")
    root, n = _integer(root_text, "proof: root", 1, 2), _integer(panels_text, "proof: panels", 1, MAX_PANELS)
    (p, q), (r, s) = _ratio(from_text, "proof: from"), _ratio(to_text, "proof: to")
    _require(max(abs(p), q, abs(r), s) <= 10**9 and p * s < r * q, "proof: from and to are out of range")
    body = _text(over) if len([v for v in over if v]) == 1 else f"({_text(over)})"
    body = f"sqrt({_text(over)})" if root == 2 else _text(over) if under == [1] else f"{body}/({_text(under)})"
    phrase = f"the integral of {body} from {from_text} to {to_text}"
    _require(record.get("statement") == phrase, "statement: does not say what the proof is about")
    a, b, d = p * s, r * q, q * s
    _require(_at_least_zero(under, a, b, d, (True, True)), "proof: the denominator is not shown to be positive")
    if root == 2:
        inside = (False, False) if shape == "concave" else None
        shown = under == [1] and _at_least_zero(over, a, b, d, inside)
        _require(shown, f"proof: the radicand is not shown to be {'> 0 inside' if inside else '>= 0'}")
    wanted = _shape_poly(over, under, root, shape)
    _require(_at_least_zero(wanted, a, b, d), "proof: the integrand is not shown to have the shape")
    # Points are (2 a n + i (b - a))/(2 d n): even i are the ends of panels, odd i their midpoints.
    ends = [_value(over, under, root, 2 * a * n + i * (b - a), 2 * d * n) for i in range(0, 2 * n + 1, 2)]
    if shape in ("increasing", "decreasing"):
        sums = sorted((2 * sum(ends[:-1]), 2 * sum(ends[1:])))
    else:
        middles = sum(_value(over, under, root, 2 * a * n + i * (b - a), 2 * d * n) for i in range(1, 2 * n, 2))
        sums = sorted((2 * middles, 2 * sum(ends) - ends[0] - ends[-1]))
    # Each floor loses less than one unit, and either sum adds at most 2 n of them, twice each at most.
    low, high = sums[0] - 2 * n, sums[1] + 2 * n
    first, second = _ratio(record.get("lo"), "lo endpoint"), _ratio(record.get("hi"), "hi endpoint")
    _require(first[0] * 2 * n * d << BITS <= low * (b - a) * first[1], "lo endpoint: above what the proof establishes")
    _require(
        second[0] * 2 * n * d << BITS >= high * (b - a) * second[1], "hi endpoint: below what the proof establishes"
    )
