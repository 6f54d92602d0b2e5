"""Solutions of equations between elementary functions."""

from collections.abc import Iterator
from typing import Any

from mpmath import cos, exp, findroot, log, mpf, sin

from impossible_rubrics_env.certificates.provers.drafts import Draft

Term = tuple[int, int, str]
_FUNCTIONS: dict[str, Any] = {"exp(x)": exp, "exp(-x)": lambda x: exp(-x), "sin(x)": sin, "cos(x)": cos, "ln(x)": log}


def _left_side(terms: list[Term], x: Any) -> Any:
    return sum(c * x**p * (_FUNCTIONS[g](x) if g in _FUNCTIONS else 1) for c, p, g in terms)


def _draft(slug: str, shown: str, terms: list[Term], ends: tuple[int, int], pieces: int = 8, name: str = "") -> Draft:
    start, end = ends
    proof = {
        "kind": "equation",
        "terms": [[str(c), str(p), g] for c, p, g in terms],
        "from": str(start),
        "to": str(end),
        "pieces": str(pieces),
    }
    angles = " with angles in radians" if "sin(" in shown or "cos(" in shown else ""
    phrase = f"the only solution x of {shown} = 0 between {start} and {end}{angles}"
    guess = (mpf(start) + mpf(1) / 1000, mpf(end) - mpf(1) / 1000)
    return Draft(
        slug,
        "equations",
        f"{name}, {phrase}" if name else phrase,
        proof,
        lambda: findroot(lambda x: _left_side(terms, x), guess, solver="anderson", tol=mpf(10) ** -100),
    )


def drafts() -> Iterator[Draft]:
    """The Dottie number, the Omega constant, and equations of their kind."""
    yield _draft("dottie", "cos(x) - x", [(1, 0, "cos(x)"), (-1, 1, "1")], (0, 1), name="the Dottie number")
    yield _draft("omega", "x*exp(x) - 1", [(1, 1, "exp(x)"), (-1, 0, "1")], (0, 1), name="the Omega constant")
    yield _draft("tan-fixed-point", "sin(x) - x*cos(x)", [(1, 0, "sin(x)"), (-1, 1, "cos(x)")], (4, 5), 16)
    yield _draft("exp-cubed", "exp(x) - 3*x", [(1, 0, "exp(x)"), (-3, 1, "1")], (0, 1), 16)
    yield _draft("exp-quadruple", "exp(x) - 4*x", [(1, 0, "exp(x)"), (-4, 1, "1")], (2, 3), 16)
    yield _draft("exp-plus-square", "exp(x) - x^2", [(1, 0, "exp(x)"), (-1, 2, "1")], (-1, 0), 16)
    yield _draft("exp-plus-x", "exp(x) + x + 5", [(1, 0, "exp(x)"), (1, 1, "1"), (5, 0, "1")], (-6, -5), 8)
    yield _draft("ln-meets-line", "ln(x) + x - 3", [(1, 0, "ln(x)"), (1, 1, "1"), (-3, 0, "1")], (1, 3))
    yield _draft("x-ln-x", "x*ln(x) - 10", [(1, 1, "ln(x)"), (-10, 0, "1")], (5, 6), 8)
    yield _draft("kepler", "x - 1 - sin(x)", [(1, 1, "1"), (-1, 0, "1"), (-1, 0, "sin(x)")], (1, 3), 32)
    yield _draft("wien", "x - 5 + 5*exp(-x)", [(1, 1, "1"), (-5, 0, "1"), (5, 0, "exp(-x)")], (4, 5), 16)
    yield _draft("decay-crossing", "exp(-x) - x^3", [(1, 0, "exp(-x)"), (-1, 3, "1")], (0, 1), 8)
    yield _draft("cos-line", "2*cos(x) + x + 3", [(2, 0, "cos(x)"), (1, 1, "1"), (3, 0, "1")], (-3, -2), 32)
    yield _draft("million-ln", "x^6 - 1000000*ln(x)", [(1, 6, "1"), (-1000000, 0, "ln(x)")], (10, 12), 16)
