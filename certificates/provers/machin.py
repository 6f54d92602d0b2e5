"""Rational multiples of pi by the arctangent formulas of Machin, Euler, Stoermer, Gauss and Hutton."""

from collections.abc import Iterator

from mpmath import mp, mpf

from impossible_rubrics_env.certificates.provers.drafts import Draft

MACHIN = ((4, 5), (-1, 239))
EULER = ((1, 2), (1, 3))
STOERMER = ((6, 8), (2, 57), (1, 239))
GAUSS = ((12, 18), (8, 57), (-5, 239))
HUTTON = ((2, 3), (1, 7))


def _draft(slug: str, statement: str, times: tuple[int, int], formula: tuple[tuple[int, int], ...]) -> Draft:
    over, under = times
    proof = {
        "kind": "machin",
        "times": str(over) if under == 1 else f"{over}/{under}",
        "terms": [[str(c), str(x)] for c, x in formula],
    }
    return Draft(slug, "constants", statement, proof, lambda: mp.pi * mpf(over) / under)


def drafts() -> Iterator[Draft]:
    """Pi and multiples of it."""
    yield _draft("pi", "the number pi", (1, 1), MACHIN)
    yield _draft("half-pi", "the number pi/2", (1, 2), EULER)
    yield _draft("tau-circle", "the number 2*pi", (2, 1), STOERMER)
    yield _draft("sphere-volume", "the volume of the unit ball, the number 4*pi/3", (4, 3), GAUSS)
    yield _draft("one-degree", "the number pi/180", (1, 180), HUTTON)
    yield _draft("disk-billion", "the number 1000000000*pi", (10**9, 1), MACHIN)
