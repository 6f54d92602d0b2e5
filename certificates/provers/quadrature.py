"""Integrals of rational functions and of square roots of polynomials, by equal panels."""

from collections.abc import Iterator
from typing import Any

from mpmath import linspace, mp, mpf, polyval, quad, sqrt

from impossible_rubrics_env.certificates.provers.drafts import Cut, Draft


def _value(over: list[int], under: list[int], root: int, start: str, end: str) -> Any:
    def integrand(x: Any) -> Any:
        value = polyval(list(reversed(over)), x) / polyval(list(reversed(under)), x)
        return sqrt(value) if root == 2 else value

    (p, _, q), (r, _, s) = start.partition("/"), end.partition("/")
    with mp.workdps(40):
        return quad(integrand, linspace(mpf(p) / mpf(q or 1), mpf(r) / mpf(s or 1), 9))


def _draft(
    slug: str,
    body: str,
    sides: tuple[list[int], list[int], int],
    ends: tuple[str, str],
    effort: tuple[int, str],
    cut: Cut,
) -> Draft:
    (over, under, root), (start, end), (panels, shape) = sides, ends, effort
    proof = {
        "kind": "quadrature",
        "numerator": [str(value) for value in over],
        "denominator": [str(value) for value in under],
        "root": str(root),
        "from": start,
        "to": end,
        "panels": str(panels),
        "shape": shape,
    }
    statement = f"the integral of {body} from {start} to {end}"
    return Draft(slug, "integrals", statement, proof, lambda: _value(over, under, root, start, end), cut)


def drafts() -> Iterator[Draft]:
    """Monotone integrands give about 1/n, convex ones about 1/n^2."""
    unit = ("0", "1")
    one_over = [1, 0, 1]
    yield _draft("quad-arctan", "1/(x^2 + 1)", ([1], one_over, 1), unit, (4000, "decreasing"), Cut(3000, 0, 1))
    yield _draft("quad-quartic", "1/(x^4 + 1)", ([1], [1, 0, 0, 0, 1], 1), unit, (6000, "decreasing"), Cut(1500, 0, 1))
    yield _draft("quad-log", "1/(x + 1)", ([1], [1, 1], 1), ("0", "2"), (3000, "convex"), Cut(10**6, 1, 1))
    yield _draft("quad-arc", "sqrt(x^3 + 1)", ([1, 0, 0, 1], [1], 2), unit, (4000, "increasing"), Cut(2**11, 1, 1))
    yield _draft(
        "quad-parabola-length", "sqrt(4*x^2 + 1)", ([1, 0, 4], [1], 2), unit, (4000, "convex"), Cut(10**6, 0, 1)
    )
    yield _draft(
        "quad-circle", "sqrt(-x^2 + 1)", ([1, 0, -1], [1], 2), ("0", "1/2"), (3000, "concave"), Cut(10**7, 1, 1)
    )
    yield _draft(
        "quad-elliptic", "sqrt(-x^4 + 2)", ([2, 0, 0, 0, -1], [1], 2), unit, (4000, "decreasing"), Cut(1999, 0, 1)
    )
    yield _draft(
        "quad-rational", "x/(x^3 + 2)", ([0, 1], [2, 0, 0, 1], 1), ("1", "4"), (5000, "decreasing"), Cut(10**3)
    )
    yield _draft(
        "quad-negative", "(x^2 - 9)/(x + 1)", ([-9, 0, 1], [1, 1], 1), ("0", "2"), (5000, "concave"), Cut(10**5)
    )
    yield _draft(
        "quad-cubic-tail", "1/(x^3 + x)", ([1], [0, 1, 0, 1], 1), ("1", "10"), (8000, "convex"), Cut(10**5, 0, 1)
    )
