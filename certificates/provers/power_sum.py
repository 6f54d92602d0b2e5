"""Zeta values and sums of inverse powers along arithmetic progressions."""

from collections.abc import Iterator

from mpmath import mpf, zeta

from impossible_rubrics_env.certificates.provers.drafts import Draft


def _draft(slug: str, phrase: str, numbers: tuple[int, int, int], terms: int, order: int, name: str = "") -> Draft:
    step, offset, power = numbers
    proof = {
        "kind": "power-sum",
        "step": str(step),
        "offset": str(offset),
        "power": str(power),
        "terms": str(terms),
        "order": str(order),
    }
    statement = f"{name}, {phrase}" if name else phrase
    return Draft(slug, "series", statement, proof, lambda: zeta(power, mpf(offset) / step) / mpf(step) ** power)


def drafts() -> Iterator[Draft]:
    """Slowly converging sums of positive terms."""
    for power in (2, 3, 5, 7):
        yield _draft(f"zeta-{power}-sum", f"the sum over k >= 1 of 1/k^{power}", (1, 1, power), 20, 10)
    yield _draft("odd-squares", "the sum over k >= 0 of 1/(2k + 1)^2", (2, 1, 2), 20, 10)
    yield _draft("thirds-squared", "the sum over k >= 0 of 1/(3k + 1)^2", (3, 1, 2), 15, 8)
    yield _draft("tail-of-squares", "the sum over k >= 0 of 1/(k + 100)^2", (1, 100, 2), 10, 8)
    name = "the trigamma value at 1/4 divided by 16"
    yield _draft("trigamma-quarter", "the sum over k >= 0 of 1/(4k + 1)^2", (4, 1, 2), 15, 9, name)
    yield _draft("sevenths-cubed", "the sum over k >= 0 of 1/(7k + 5)^3", (7, 5, 3), 10, 6)
