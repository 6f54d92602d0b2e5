"""Rational powers of rationals."""

from collections.abc import Iterator

from mpmath import mpf

from impossible_rubrics_env.certificates.provers.drafts import Draft


def _draft(slug: str, statement: str, base: str, over: int, under: int) -> Draft:
    top, _, bottom = base.partition("/")
    proof = {"kind": "power", "base": base, "over": str(over), "under": str(under)}
    return Draft(slug, "roots", statement, proof, lambda: (mpf(top) / mpf(bottom or 1)) ** (mpf(over) / under))


def drafts() -> Iterator[Draft]:
    """Square and cube roots, semitone ratios and other powers that people meet."""
    for base in ("2", "3", "5", "7", "10", "1/2", "1000003"):
        yield _draft(f"sqrt-{base.replace('/', '-over-')}", f"the square root of {base}", base, 1, 2)
    for base in ("2", "3", "10", "7/3", "1000000000001"):
        yield _draft(f"cbrt-{base.replace('/', '-over-')}", f"the cube root of {base}", base, 1, 3)
    powers = [
        ("2", 7, 12),
        ("2", 1, 12),
        ("10", -1, 10),
        ("3", 5, 7),
        ("5/4", 3, 4),
        ("2", -1, 2),
        ("10", 59, 5),
        ("3", -5, 2),
    ]
    for base, over, under in powers:
        shown = base if "/" not in base else f"({base})"
        slug = f"power-{base.replace('/', '-over-')}-{over}-{under}".replace("--", "-minus-")
        yield _draft(slug, f"the number {shown}^({over}/{under})", base, over, under)
