"""Roots of integer polynomials that people know, and some that they do not."""

from collections.abc import Iterator
from typing import Any

from mpmath import mpf, polyroots

from impossible_rubrics_env.certificates.provers.drafts import Draft


def _polynomial(text: str) -> list[int]:
    """Ascending coefficients of a polynomial in x, read by sympy."""
    from sympy import Poly, Symbol, sympify

    return [int(value) for value in reversed(Poly(sympify(text.replace("^", "**")), Symbol("x")).all_coeffs())]


def _bound(text: str) -> Any:
    over, _, under = text.partition("/")
    return mpf(over) / mpf(under or 1)


def _root(poly: list[int], start: str, end: str) -> Any:
    roots = polyroots(list(reversed(poly)), maxsteps=500, extraprec=400)
    real = [root.real for root in roots if abs(root.imag) < mpf(10) ** -40]
    (found,) = [root for root in real if _bound(start) < root < _bound(end)]
    return found


def _draft(slug: str, name: str, which: str, text: str, start: str, end: str) -> Draft:
    poly = _polynomial(text)
    phrase = f"the {which} root of {text}" + (f" between {start} and {end}" if which == "only" else "")
    proof = {"kind": "poly-root", "coefficients": [str(value) for value in poly], "from": start, "to": end}
    statement = f"{name}, {phrase}" if name else phrase
    return Draft(slug, "roots", statement, proof, lambda: _root(poly, start, end))


_REAL = ("-inf", "inf")
_POSITIVE = ("0", "inf")


def drafts() -> Iterator[Draft]:
    """Named algebraic numbers first, then roots known only by their polynomial."""
    yield _draft("golden-ratio", "the golden ratio", "only positive", "x^2 - x - 1", *_POSITIVE)
    yield _draft("silver-ratio", "the silver ratio", "only positive", "x^2 - 2*x - 1", *_POSITIVE)
    yield _draft("plastic-number", "the plastic number", "only real", "x^3 - x - 1", *_REAL)
    yield _draft("tribonacci-constant", "the tribonacci constant", "only real", "x^3 - x^2 - x - 1", *_REAL)
    yield _draft("supergolden-ratio", "the supergolden ratio", "only real", "x^3 - x^2 - 1", *_REAL)
    yield _draft(
        "lehmer-number",
        "Lehmer's number",
        "largest real",
        "x^10 + x^9 - x^7 - x^6 - x^5 - x^4 - x^3 + x + 1",
        "1",
        "inf",
    )
    yield _draft(
        "honeycomb-constant",
        "the connective constant of the honeycomb lattice",
        "largest real",
        "x^4 - 4*x^2 + 2",
        "1",
        "inf",
    )
    yield _draft("quintic-unsolvable", "", "only real", "x^5 - x - 1", *_REAL)
    yield _draft("quintic-minus", "", "only real", "x^5 + x + 1", *_REAL)
    yield _draft("newton-cubic", "", "only real", "x^3 - 2*x - 5", *_REAL)
    yield _draft("casus-largest", "", "largest real", "x^3 - 3*x + 1", "1", "inf")
    yield _draft("casus-negative", "", "only negative", "x^3 - 3*x + 1", "-inf", "0")
    yield _draft("casus-middle", "", "only", "x^3 - 3*x + 1", "0", "1")
    yield _draft("wilkinson-like", "", "largest real", "x^5 - 15*x^4 + 85*x^3 - 225*x^2 + 274*x - 121", "5", "inf")
    yield _draft("cos-40-degrees", "", "largest real", "8*x^3 - 6*x + 1", "1/2", "inf")
    yield _draft("heptagon", "", "smallest real", "x^3 + x^2 - 2*x - 1", "-inf", "-3/2")
    yield _draft("large-root", "", "largest real", "x^3 - 1000000*x^2 + 1", "1000", "inf")
    yield _draft("tiny-root", "", "only positive", "x^3 + 1000000000*x - 1", *_POSITIVE)
    yield _draft("septic", "", "only real", "x^7 + 3*x^3 + 100", *_REAL)
    yield _draft("negative-cube", "", "only negative", "x^4 - 2*x^3 + x - 3", "-inf", "0")
