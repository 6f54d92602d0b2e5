"""Euler's constant and digamma values."""

from collections.abc import Iterator

from mpmath import mp, mpf, psi

from impossible_rubrics_env.certificates.provers.drafts import Draft


def _draft(slug: str, argument: str) -> Draft:
    proof = {"kind": "digamma", "argument": argument, "exponent": "8", "order": "6"}
    if argument == "gamma":
        phrase = "Euler's constant gamma, the limit of 1 + 1/2 + ... + 1/n - ln(n) as n grows"
        return Draft(slug, "constants", phrase, proof, lambda: +mp.euler)
    over, _, under = argument.partition("/")
    phrase = f"the value of the digamma function at {argument}"
    return Draft(slug, "constants", phrase, proof, lambda: psi(0, mpf(over) / mpf(under or 1)))


def drafts() -> Iterator[Draft]:
    """gamma, and the digamma function where it is elementary over gamma."""
    yield _draft("euler-gamma", "gamma")
    yield _draft("digamma-1", "1")
    yield _draft("digamma-half", "1/2")
    yield _draft("digamma-10", "10")
