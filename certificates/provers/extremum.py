"""Minima of cosine sums and of polynomials on intervals."""

from collections.abc import Iterator
from typing import Any

from mpmath import floor, mpf, polyroots, polyval
from sympy import Poly, Symbol, chebyshevt

from impossible_rubrics_env.certificates.provers.drafts import HINT_DIGITS, Cut, Draft

POINT_SCALE = 10**16
"""Witness points are cut to this grid; an error of 1e-16 in x moves a minimum by about its square."""


def _critical(poly: list[int], start: Any, end: Any, sign: int) -> tuple[Any, Any]:
    """The point of the interval where sign * poly is least, and its value there."""
    descending = list(reversed(poly))
    slope = [value * (len(poly) - 1 - i) for i, value in enumerate(descending[:-1])]
    roots = polyroots(slope, maxsteps=500, extraprec=500) if len(slope) > 1 else []
    real = [root.real for root in roots if abs(root.imag) < mpf(10) ** (-HINT_DIGITS // 2)]
    candidates = [start, end, *(root for root in real if start < root < end)]
    best = min(candidates, key=lambda x: sign * polyval(descending, x))
    return best, polyval(descending, best)


def _point(poly: list[int], start: int, end: int, sign: int) -> str:
    from mpmath import mp

    from impossible_rubrics_env.exact import ratio_text, rational

    with mp.workdps(HINT_DIGITS):
        best, _ = _critical(poly, mpf(start), mpf(end), sign)
        return ratio_text(rational(int(floor(best * POINT_SCALE + mpf(1) / 2)), POINT_SCALE))


def _cosine_sum(
    slug: str, shown: str, terms: list[tuple[int, int]], cut: Cut | None = None, sense: str = "minimum"
) -> Draft:
    x = Symbol("x")
    total = Poly(sum(weight * chebyshevt(frequency, x) for weight, frequency in terms), x)
    poly = [int(value) for value in reversed(total.all_coeffs())]
    sign = 1 if sense == "minimum" else -1
    proof = {
        "kind": "extremum",
        "form": "cosines",
        "sense": sense,
        "data": [[str(weight), str(frequency)] for weight, frequency in terms],
        "from": "-1",
        "to": "1",
        "point": _point(poly, -1, 1, sign),
    }
    statement = f"the {sense} over real t of {shown}"
    return Draft(slug, "extrema", statement, proof, lambda: _critical(poly, mpf(-1), mpf(1), sign)[1], cut)


def _polynomial(slug: str, text: str, start: int, end: int, sense: str, cut: Cut | None = None) -> Draft:
    from sympy import sympify

    poly = [int(v) for v in reversed(Poly(sympify(text.replace("^", "**")), Symbol("x")).all_coeffs())]
    sign = 1 if sense == "minimum" else -1
    proof = {
        "kind": "extremum",
        "form": "polynomial",
        "sense": sense,
        "data": [str(value) for value in poly],
        "from": str(start),
        "to": str(end),
        "point": _point(poly, start, end, sign),
    }
    statement = f"the {sense} of {text} over x from {start} to {end}"
    return Draft(slug, "extrema", statement, proof, lambda: _critical(poly, mpf(start), mpf(end), sign)[1], cut)


def drafts() -> Iterator[Draft]:
    """Chowla's cosine problem in small cases, then polynomials."""
    yield _cosine_sum("cosines-1-2-5", "cos(t) + cos(2t) + cos(5t)", [(1, 1), (1, 2), (1, 5)])
    yield _cosine_sum("cosines-1-2", "cos(t) + cos(2t)", [(1, 1), (1, 2)], Cut(1009, 0, 1))
    yield _cosine_sum("cosines-1-3-4", "cos(t) + cos(3t) + cos(4t)", [(1, 1), (1, 3), (1, 4)])
    yield _cosine_sum("cosines-1-2-4", "cos(t) + cos(2t) + cos(4t)", [(1, 1), (1, 2), (1, 4)])
    yield _cosine_sum("cosines-2-3-7", "cos(2t) + cos(3t) + cos(7t)", [(1, 2), (1, 3), (1, 7)])
    yield _cosine_sum("cosines-1-4-9", "cos(t) + cos(4t) + cos(9t)", [(1, 1), (1, 4), (1, 9)])
    weighted = [(3, 1), (-2, 4), (1, 6)]
    yield _cosine_sum("cosines-weighted", "3*cos(t) - 2*cos(4t) + cos(6t)", weighted)
    yield _cosine_sum("cosines-weighted-maximum", "3*cos(t) - 2*cos(4t) + cos(6t)", weighted, None, "maximum")
    yield _cosine_sum("cosines-1-2-12", "cos(t) + cos(2t) + cos(12t)", [(1, 1), (1, 2), (1, 12)])
    yield _polynomial("quartic-minimum", "x^4 - 3*x^2 + x", -2, 2, "minimum")
    yield _polynomial("quartic-maximum", "-x^4 + 2*x^3 + x - 5", -2, 3, "maximum")
    yield _polynomial("cubic-on-interval", "x^3 - 5*x + 1", 0, 3, "minimum")
    yield _polynomial("quintic-maximum", "x^5 - 7*x^3 + 2*x^2 + 3", -2, 2, "maximum")
    yield _polynomial("sextic-large", "x^6 - 1000*x^3 + x", 0, 20, "minimum", Cut(10**6))
