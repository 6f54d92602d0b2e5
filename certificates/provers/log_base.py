"""Logarithms to whole bases."""

from collections.abc import Iterator

from mpmath import log, mpf

from impossible_rubrics_env.certificates.provers.drafts import Cut, Draft


def _draft(number: str, base: int, cut: Cut) -> Draft:
    over, _, under = number.partition("/")
    statement = f"the logarithm of {number} to base {base}"
    proof = {"kind": "log-base", "base": str(base), "number": number}
    slug = f"log-{base}-of-{number.replace('/', '-over-')}"
    return Draft(slug, "functions", statement, proof, lambda: log(mpf(over) / mpf(under or 1)) / log(base), cut)


def drafts() -> Iterator[Draft]:
    """Decimal, binary and musical logarithms, to about as far as whole powers go."""
    yield _draft("2", 10, Cut(100000))
    yield _draft("3", 2, Cut(15601, 1, 1))
    yield _draft("3/2", 2, Cut(10000))
    yield _draft("1/3", 10, Cut(10000))
    yield _draft("7", 10, Cut(1000))
    yield _draft("999/1000", 10, Cut(50000))
    yield _draft("100000", 3, Cut(4096))
