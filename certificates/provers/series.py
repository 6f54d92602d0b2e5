"""Hypergeometric-type series for constants, integrals and special values."""

from collections.abc import Iterator
from typing import Any

from mpmath import besseli, besselj, erf, exp, mp, mpf, polylog, quad, sin, sqrt, zeta

from impossible_rubrics_env.certificates.provers.drafts import Cut, Draft

Factors = list[tuple[int, int, int]]


def _draft(
    slug: str,
    name: str,
    phrase: str,
    series: tuple[str, int, str, Factors, Factors],
    effort: tuple[int, str],
    value: Any,
    topic: str = "series",
    cut: Cut | None = None,
) -> Draft:
    scale, start, base, linear, factorials = series
    terms, ratio = effort
    proof = {
        "kind": "series",
        "scale": scale,
        "start": str(start),
        "base": base,
        "linear": [[str(n) for n in factor] for factor in linear],
        "factorials": [[str(n) for n in factor] for factor in factorials],
        "terms": str(terms),
        "ratio": ratio,
    }
    return Draft(slug, topic, f"{name}, {phrase}" if name else phrase, proof, value, cut)


def _named() -> Iterator[Draft]:
    over_k_factorial: Factors = [(1, 0, -1)]
    yield _draft(
        "e-series", "", "the sum over k >= 0 of 1/k!", ("1", 0, "1", [], over_k_factorial), (40, "1/2"), lambda: exp(1)
    )
    yield _draft(
        "apery",
        "Apery's constant zeta(3)",
        "-5/2 times the sum over k >= 1 of (-1)^k*(k!)^2/(k^3*(2k)!)",
        ("-5/2", 1, "-1", [(1, 0, -3)], [(1, 0, 2), (2, 0, -1)]),
        (70, "1/2"),
        lambda: zeta(3),
    )
    yield _draft(
        "zeta-2-central",
        "",
        "3 times the sum over k >= 1 of (k!)^2/(k^2*(2k)!)",
        ("3", 1, "1", [(1, 0, -2)], [(1, 0, 2), (2, 0, -1)]),
        (80, "1/2"),
        lambda: zeta(2),
    )
    yield _draft(
        "inverse-central",
        "",
        "the sum over k >= 0 of (k!)^2/(2k)!",
        ("1", 0, "1", [], [(1, 0, 2), (2, 0, -1)]),
        (80, "1/2"),
        lambda: mpf(4) / 3 + 2 * mp.pi * sqrt(3) / 27,
    )
    yield _draft(
        "dilog-half",
        "",
        "the sum over k >= 1 of (1/2)^k/k^2",
        ("1", 1, "1/2", [(1, 0, -2)], []),
        (120, "1/2"),
        lambda: polylog(2, mpf(1) / 2),
    )
    yield _draft(
        "dilog-minus-half",
        "",
        "the sum over k >= 1 of (-1/2)^k/k^2",
        ("1", 1, "-1/2", [(1, 0, -2)], []),
        (120, "1/2"),
        lambda: polylog(2, mpf(-1) / 2),
    )
    yield _draft(
        "trilog-third",
        "",
        "the sum over k >= 1 of (1/3)^k/k^3",
        ("1", 1, "1/3", [(1, 0, -3)], []),
        (90, "1/3"),
        lambda: polylog(3, mpf(1) / 3),
    )
    yield _draft(
        "squares-over-powers",
        "",
        "the sum over k >= 1 of (9/10)^k*k^2",
        ("1", 1, "9/10", [(1, 0, 2)], []),
        (390, "10/11"),
        lambda: mpf(1710),
        cut=Cut(10**6, 1, 1),
    )
    yield _draft(
        "central-walk",
        "",
        "the sum over k >= 0 of (1/5)^k*(2k)!/(k!)^2",
        ("1", 0, "1/5", [], [(2, 0, 1), (1, 0, -2)]),
        (300, "4/5"),
        lambda: sqrt(mpf(5)),
    )


def _special() -> Iterator[Draft]:
    bessel: Factors = [(1, 0, -2)]
    yield _draft(
        "bessel-i0-2",
        "the modified Bessel value I_0(2)",
        "the sum over k >= 0 of 1/(k!)^2",
        ("1", 0, "1", [], bessel),
        (40, "1/2"),
        lambda: besseli(0, 2),
    )
    yield _draft(
        "bessel-j0-2",
        "the Bessel value J_0(2)",
        "the sum over k >= 0 of (-1)^k/(k!)^2",
        ("1", 0, "-1", [], bessel),
        (40, "1/2"),
        lambda: besselj(0, 2),
    )
    yield _draft(
        "bessel-j0-5",
        "the Bessel value J_0(5)",
        "the sum over k >= 0 of (-25/4)^k/(k!)^2",
        ("1", 0, "-25/4", [], bessel),
        (60, "1/2"),
        lambda: besselj(0, 5),
    )
    yield _draft(
        "airy-like",
        "",
        "the sum over k >= 0 of (-1)^k/(k!)^3",
        ("1", 0, "-1", [], [(1, 0, -3)]),
        (30, "1/2"),
        lambda: mp.hyper([], [1, 1], -1),
    )
    yield _draft(
        "cubic-factorial",
        "",
        "the sum over k >= 0 of 1/(3k)!",
        ("1", 0, "1", [], [(3, 0, -1)]),
        (25, "1/2"),
        lambda: mp.hyper([], [mpf(1) / 3, mpf(2) / 3], mpf(1) / 27),
    )
    yield _draft(
        "double-factorial-odd",
        "",
        "the sum over k >= 0 of (-1)^k/(2k + 1)!",
        ("1", 0, "-1", [], [(2, 1, -1)]),
        (30, "1/2"),
        lambda: sin(1),
    )
    yield _draft(
        "large-series",
        "",
        "the sum over k >= 0 of 27^k/k!",
        ("1", 0, "27", [], [(1, 0, -1)]),
        (160, "1/2"),
        lambda: exp(27),
        cut=Cut(10**3),
    )


def _integrals() -> Iterator[Draft]:
    yield _draft(
        "gaussian-0-1",
        "the integral of exp(-x^2) from 0 to 1",
        "the sum over k >= 0 of (-1)^k/((2k + 1)*k!)",
        ("1", 0, "-1", [(2, 1, -1)], [(1, 0, -1)]),
        (40, "1/2"),
        lambda: sqrt(mp.pi) / 2 * erf(1),
        "integrals",
    )
    yield _draft(
        "gaussian-0-2",
        "the integral of exp(-x^2) from 0 to 2",
        "2 times the sum over k >= 0 of (-4)^k/((2k + 1)*k!)",
        ("2", 0, "-4", [(2, 1, -1)], [(1, 0, -1)]),
        (60, "1/2"),
        lambda: sqrt(mp.pi) / 2 * erf(2),
        "integrals",
    )
    yield _draft(
        "sine-integral-1",
        "the integral of sin(x)/x from 0 to 1",
        "the sum over k >= 0 of (-1)^k/((2k + 1)*(2k + 1)!)",
        ("1", 0, "-1", [(2, 1, -1)], [(2, 1, -1)]),
        (30, "1/2"),
        lambda: mp.si(1),
        "integrals",
    )
    yield _draft(
        "sine-integral-10",
        "the integral of sin(x)/x from 0 to 10",
        "10 times the sum over k >= 0 of (-100)^k/((2k + 1)*(2k + 1)!)",
        ("10", 0, "-100", [(2, 1, -1)], [(2, 1, -1)]),
        (50, "1/2"),
        lambda: mp.si(10),
        "integrals",
    )
    yield _draft(
        "fresnel-1",
        "the integral of sin(x^2) from 0 to 1",
        "the sum over k >= 0 of (-1)^k/((4k + 3)*(2k + 1)!)",
        ("1", 0, "-1", [(4, 3, -1)], [(2, 1, -1)]),
        (30, "1/2"),
        lambda: quad(lambda x: sin(x * x), [0, 1]),
        "integrals",
    )
    yield _draft(
        "fresnel-cos-1",
        "the integral of cos(x^2) from 0 to 1",
        "the sum over k >= 0 of (-1)^k/((4k + 1)*(2k)!)",
        ("1", 0, "-1", [(4, 1, -1)], [(2, 0, -1)]),
        (30, "1/2"),
        lambda: quad(lambda x: mp.cos(x * x), [0, 1]),
        "integrals",
    )
    yield _draft(
        "sophomores-cousin",
        "the integral of (exp(x) - 1)/x from 0 to 1",
        "the sum over k >= 1 of 1/(k*k!)",
        ("1", 1, "1", [(1, 0, -1)], [(1, 0, -1)]),
        (40, "1/2"),
        lambda: mp.ei(1) - mp.euler,
        "integrals",
    )
    yield _draft(
        "log-integral-half",
        "the integral of ln(1 - x)/x from 0 to 1/2",
        "-1 times the sum over k >= 1 of (1/2)^k/k^2",
        ("-1", 1, "1/2", [(1, 0, -2)], []),
        (120, "1/2"),
        lambda: -polylog(2, mpf(1) / 2),
        "integrals",
    )
    yield _draft(
        "entropy-integral",
        "the integral of ln(x)*exp(x) from 0 to 1",
        "-1 times the sum over k >= 1 of 1/(k*k!)",
        ("-1", 1, "1", [(1, 0, -1)], [(1, 0, -1)]),
        (40, "1/2"),
        lambda: mp.euler - mp.ei(1),
        "integrals",
    )


def drafts() -> Iterator[Draft]:
    """Series with known names, special functions, and integrals term by term."""
    yield from _named()
    yield from _special()
    yield from _integrals()
