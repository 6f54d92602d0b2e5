"""Integrals of x^m/(c + x^n)."""

from collections.abc import Iterator

from mpmath import hyp2f1, mpf

from impossible_rubrics_env.certificates.provers.drafts import Draft


def _draft(m: int, n: int, c: int, b: str, terms: int) -> Draft:
    over, _, under = b.partition("/")
    top = "1" if m == 0 else "x" if m == 1 else f"x^{m}"
    statement = f"the integral of {top}/({c} + {'x' if n == 1 else f'x^{n}'}) from 0 to {b}"
    proof = {"kind": "binomial-integral", "m": str(m), "n": str(n), "c": str(c), "b": b, "terms": str(terms)}
    slug = f"integral-x{m}-over-{c}-plus-x{n}-to-{b.replace('/', '-over-')}"

    def value() -> object:
        end, first = mpf(over) / mpf(under or 1), mpf(m + 1) / n
        return end ** (m + 1) / (c * (m + 1)) * hyp2f1(1, first, first + 1, -(end**n) / c)

    return Draft(slug, "integrals", statement, proof, value)


def drafts() -> Iterator[Draft]:
    """Logarithms, arctangents and their relatives, as integrals."""
    yield _draft(0, 5, 2, "1", 40)
    yield _draft(2, 7, 3, "1", 40)
    yield _draft(0, 1, 10, "1", 30)
    yield _draft(0, 2, 1, "1/2", 60)
    yield _draft(3, 5, 1, "3/4", 90)
    yield _draft(1, 3, 1000, "9", 300)
    yield _draft(0, 12, 7, "1", 30)
