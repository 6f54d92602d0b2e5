"""The closed table from proof kind to checker module, imported on first use."""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from impossible_rubrics_env.errors import CertificateError

PROOF_KINDS: tuple[str, ...] = (
    "agm",
    "alternating-series",
    "arithmetic",
    "binomial-integral",
    "continued-fraction",
    "count",
    "digamma",
    "eigenvalue",
    "elementary",
    "equation",
    "exact-probability",
    "exact-sum",
    "extremum",
    "log-base",
    "machin",
    "poly-root",
    "power",
    "power-sum",
    "quadrature",
    "random-walk",
    "series",
)
"""Every proof kind; its checker is the module of the same name with underscores."""


@cache
def checker(kind: str) -> Callable[[dict[str, Any]], None]:
    """The `check` function of a proof kind. Raises CertificateError on a kind that is not in `PROOF_KINDS`."""
    if kind not in PROOF_KINDS:
        raise CertificateError(f"proof: unknown kind {kind[:60]!r}")
    module = import_module(f"impossible_rubrics_env.certificates.checkers.{kind.replace('-', '_')}")
    check: Callable[[dict[str, Any]], None] = module.check
    return check
