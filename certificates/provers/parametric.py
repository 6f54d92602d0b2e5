"""Records that are drawn afresh: `draw_record(kind, rng)` makes a quantity, encloses it, and writes the proof.

Everything is a function of the random stream, which is read by `randrange` and `choice` alone, and of plain integers
and mpmath at a fixed precision, so that Python versions and sympy's ground types cannot change a byte. A draw whose
enclosure straddles an endpoint is drawn again.
"""

import random
from collections.abc import Callable
from typing import Any

from impossible_rubrics_env.certificates.ledger import FORMAT, record_digest
from impossible_rubrics_env.certificates.provers import parametric_algebra as algebra
from impossible_rubrics_env.certificates.provers import parametric_values as values
from impossible_rubrics_env.certificates.provers.enclosures import Quantity, lowest_terms
from impossible_rubrics_env.errors import ArgumentError

MAX_DRAWS = 2000
"""Draws before giving up; one in a few succeeds in the least lucky kind."""

_KINDS: dict[str, Callable[[random.Random], Quantity | None]] = {
    "cosine-minimum": algebra.cosine_minimum,
    "eigenvalue": algebra.eigenvalue,
    "function-value": values.function_value,
    "integer": values.integer,
    "integral": values.integral,
    "poly-root": algebra.poly_root,
    "rational-power": algebra.rational_power,
    "unit-fractions": values.unit_fractions,
}

PARAMETRIC_KINDS: tuple[str, ...] = tuple(_KINDS)
"""Names that `draw_record` takes."""


def draw_record(kind: str, rng: random.Random) -> dict[str, Any]:
    """A fresh record of the kind, enclosed and hashed; the caller runs `check_record` on it.

    Raises ArgumentError where `kind` is not in `PARAMETRIC_KINDS`.
    """
    if kind not in _KINDS:
        raise ArgumentError(f"kind must be one of {', '.join(PARAMETRIC_KINDS)}, got {kind!r}")
    for _ in range(MAX_DRAWS):
        quantity = _KINDS[kind](rng)
        if quantity is not None:
            return _record(kind, quantity)
    raise RuntimeError(f"no record of kind {kind!r} in {MAX_DRAWS} draws")


def _record(kind: str, quantity: Quantity) -> dict[str, Any]:
    data = {
        "format": FORMAT,
        "id": f"parametric/{kind}/{quantity.slug}",
        "topic": f"parametric-{kind}",
        "statement": quantity.statement,
        "kind": "integer" if quantity.integer else "number",
        "lo": lowest_terms(*quantity.low),
        "hi": lowest_terms(*quantity.high),
        "proof": quantity.proof,
    }
    return {**data, "sha256": record_digest(data)}
