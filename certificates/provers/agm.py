"""Arithmetic-geometric means."""

from collections.abc import Iterator
from typing import Any

from mpmath import agm, mpf

from impossible_rubrics_env.certificates.provers.drafts import Draft


def _value(a: str, b: str) -> Any:
    (p, _, q), (r, _, s) = a.partition("/"), b.partition("/")
    return agm(mpf(p) / mpf(q or 1), mpf(r) / mpf(s or 1))


def _draft(slug: str, a: str, b: str, reciprocal: bool) -> Draft:
    proof = {"kind": "agm", "a": a, "b": b, "steps": "9", "reciprocal": "yes" if reciprocal else "no"}
    statement = ("the reciprocal of " if reciprocal else "") + f"the arithmetic-geometric mean of {a} and {b}"
    return Draft(slug, "constants", statement, proof, lambda: 1 / _value(a, b) if reciprocal else _value(a, b))


def drafts() -> Iterator[Draft]:
    """Means and reciprocal means."""
    yield _draft("agm-2-1", "2", "1", False)
    yield _draft("agm-24-6", "24", "6", False)
    yield _draft("agm-1-half-reciprocal", "1", "1/2", True)
    yield _draft("agm-million-1", "1000000", "1", False)
