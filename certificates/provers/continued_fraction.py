"""Infinite continued fractions with quotients in arithmetic progression."""

from collections.abc import Iterator
from typing import Any

from mpmath import mpf

from impossible_rubrics_env.certificates.provers.drafts import Draft


def _value(first: int, step: int, offset: int) -> Any:
    value = mpf(150 * step + offset)
    for k in range(149, 0, -1):
        value = k * step + offset + 1 / value
    return first + 1 / value


def _draft(slug: str, phrase: str, numbers: tuple[int, int, int], name: str = "") -> Draft:
    first, step, offset = numbers
    proof = {
        "kind": "continued-fraction",
        "first": str(first),
        "step": str(step),
        "offset": str(offset),
        "terms": "50",
    }
    statement = (f"{name}, " if name else "") + f"the infinite continued fraction {phrase} after the first"
    return Draft(slug, "constants", statement, proof, lambda: _value(first, step, offset))


def drafts() -> Iterator[Draft]:
    """The continued fraction constant, metallic means and relatives."""
    yield _draft("cf-1-2-3", "[0; 1, 2, 3, 4, ...] whose quotient k is k", (0, 1, 0), "the continued fraction constant")
    yield _draft("bronze-ratio", "[3; 3, 3, 3, 3, ...] whose quotients are all 3", (3, 0, 3), "the bronze ratio")
    yield _draft("cf-minus-5", "[-5; 7, 9, 11, 13, ...] whose quotient k is 2k + 5", (-5, 2, 5))
    yield _draft("cf-odd", "[0; 1, 3, 5, 7, ...] whose quotient k is 2k - 1", (0, 2, -1), "the hyperbolic tangent of 1")
