"""Alternating sums: Leibniz's series, Catalan's constant, Dirichlet eta and beta values."""

from collections.abc import Iterator
from typing import Any

from mpmath import mpf, zeta

from impossible_rubrics_env.certificates.provers.drafts import Draft


def _value(scale: str, step: int, offset: int, power: int) -> Any:
    """Through the Hurwitz zeta function, or its limit (the digamma function) where the power is 1."""
    from mpmath import psi

    over, _, under = scale.partition("/")
    a, b = mpf(offset) / (2 * step), mpf(offset + step) / (2 * step)
    gap = (psi(0, b) - psi(0, a)) if power == 1 else zeta(power, a) - zeta(power, b)
    return mpf(over) / mpf(under or 1) * gap / mpf(2 * step) ** power


def _draft(slug: str, name: str, body: str, numbers: tuple[int, int, int], terms: int, scale: str = "1") -> Draft:
    step, offset, power = numbers
    proof = {
        "kind": "alternating-series",
        "scale": scale,
        "step": str(step),
        "offset": str(offset),
        "power": str(power),
        "terms": str(terms),
    }
    times = "" if scale == "1" else f"{scale} times "
    phrase = f"{times}the sum over k >= 0 of (-1)^k/{body}"
    statement = f"{name}, {phrase}" if name else phrase
    return Draft(slug, "series", statement, proof, lambda: _value(scale, step, offset, power))


def drafts() -> Iterator[Draft]:
    """Sums whose partial sums converge too slowly to be summed as they stand."""
    yield _draft("catalan-constant", "Catalan's constant", "(2k + 1)^2", (2, 1, 2), 40)
    yield _draft("leibniz", "", "(2k + 1)", (2, 1, 1), 30, "4")
    yield _draft("alternating-harmonic-limit", "", "(k + 1)", (1, 1, 1), 40)
    yield _draft("minus-alternating-harmonic", "", "(k + 1)", (1, 1, 1), 30, "-1")
    yield _draft("eta-3", "the Dirichlet eta value eta(3)", "(k + 1)^3", (1, 1, 3), 40)
    yield _draft("beta-3", "the Dirichlet beta value beta(3)", "(2k + 1)^3", (2, 1, 3), 30)
    yield _draft("beta-4", "the Dirichlet beta value beta(4)", "(2k + 1)^4", (2, 1, 4), 30)
    yield _draft("cube-root-integral", "the integral of 1/(1 + x^3) from 0 to 1", "(3k + 1)", (3, 1, 1), 40)
    yield _draft("quartic-integral", "the integral of 1/(1 + x^4) from 0 to 1", "(4k + 1)", (4, 1, 1), 40)
    yield _draft("alternating-sevenths", "", "(7k + 2)", (7, 2, 1), 24, "-1000")
