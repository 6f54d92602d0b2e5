"""Exact rationals that are no doubles, with values from sympy: harmonic and Bernoulli numbers, unit fractions, ..."""

from collections.abc import Iterator
from math import comb
from typing import Any

from sympy import Rational, bernoulli, factorial, harmonic, zeta

from impossible_rubrics_env.certificates.provers.drafts import Draft


def _draft(name: str, slug: str, statement: str, arguments: tuple[int, ...], value: Any) -> Draft:
    proof = {"kind": "exact-sum", "function": name, "arguments": [str(n) for n in arguments]}
    exact = Rational(value)
    return Draft(slug, "rationals", statement.format(*arguments), proof, (int(exact.p), int(exact.q)))


def _gregory(n: int) -> Any:
    """The integral of the binomial coefficient (t choose n) over t from 0 to 1."""
    from sympy import Symbol, binomial, expand_func, integrate

    t = Symbol("t")
    return integrate(expand_func(binomial(t, n)).expand(), (t, 0, 1))


def drafts() -> Iterator[Draft]:
    """Records of width zero."""
    for p, q in ((1, 6), (2, 3), (-22, 7), (355, 113), (1, 999999999989), (-1000000007, 3)):
        yield _draft(
            "quotient",
            f"quotient-{p}-{q}".replace("--", "-minus-"),
            "the rational number {0}/{1}",
            (p, q),
            Rational(p, q),
        )
    for n in (10, 30, 100):
        yield _draft("harmonic", f"harmonic-{n}", "the harmonic number 1 + 1/2 + ... + 1/{0}", (n,), harmonic(n))
    yield _draft("power-sum", "power-sum-20-2", "the sum of 1/k^{1} over k from 1 to {0}", (20, 2), harmonic(20, 2))
    yield _draft("power-sum", "power-sum-12-5", "the sum of 1/k^{1} over k from 1 to {0}", (12, 5), harmonic(12, 5))
    alternating = harmonic(10) - harmonic(20)
    yield _draft(
        "alternating-harmonic",
        "alternating-harmonic-20",
        "the sum of (-1)^k/k over k from 1 to {0}",
        (20,),
        alternating,
    )
    for n in (2, 12, 20, 30):
        yield _draft("bernoulli", f"bernoulli-{n}", "the Bernoulli number B_{0}", (n,), bernoulli(n))
    for n in (1, 3, 5, 11, 13):
        yield _draft(
            "zeta-negative", f"zeta-minus-{n}", "the value of the Riemann zeta function at -{0}", (n,), zeta(-n)
        )
    for n in (4, 7):
        yield _draft(
            "gregory", f"gregory-{n}", "the coefficient of x^{0} in the power series of x/ln(1 + x)", (n,), _gregory(n)
        )
    partial = sum(Rational(1, factorial(k)) for k in range(16))
    yield _draft("exp-partial", "exp-partial-15", "the sum of 1/k! over k from 0 to {0}", (15,), partial)
    wallis = sum(Rational((-1) ** k * comb(10, k), 2 * k + 1) for k in range(11))
    yield _draft("wallis", "wallis-10", "the integral of (1 - x^2)^{0} from 0 to 1", (10,), wallis)
    beta = sum(Rational((-1) ** k * comb(9, k), 7 + k) for k in range(10))
    yield _draft("beta", "beta-6-9", "the integral of x^{0}*(1 - x)^{1} from 0 to 1", (6, 9), beta)
    for members in ((3, 7, 11), (2, -3, 5, -7, 11), (-9, -10, -11), (17, 19, 23, 29)):
        shown = "".join(f" {'-' if m < 0 else '+'} 1/{abs(m)}" for m in members)
        statement = "the sum " + ("-" if members[0] < 0 else "") + shown[3:]
        slug = "unit-fractions-" + "-".join(map(str, map(abs, members)))
        yield _draft("unit-fractions", slug, statement, members, sum(Rational(1, m) for m in members))
