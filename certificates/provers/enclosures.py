"""What the parametric provers share: a drawn quantity with its endpoints, and how endpoints are cut."""

import random
from dataclasses import dataclass
from math import gcd
from typing import Any

Ratio = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A drawn quantity with its proof; the ends need not be in lowest terms."""

    slug: str
    statement: str
    proof: dict[str, Any]
    low: Ratio
    high: Ratio
    integer: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """Endpoints lie on multiples of 1/scale, `below` steps under the floor of the value and `above` over it."""

    scale: int
    below: int
    above: int

    @property
    def slug(self) -> str:
        """Part of the record's id."""
        return f"{self.scale}.{self.below}.{self.above}"

    def ends(self, place: int) -> tuple[Ratio, Ratio]:
        """Endpoints where `place` is the floor of the value times `scale`."""
        return (place - self.below, self.scale), (place + self.above, self.scale)


def draw_grid(rng: random.Random) -> Grid:
    """Widths from 1e-15 to 1e-3: mostly short decimals, some dyadic fractions, some ugly denominators."""
    style = rng.randrange(8)
    if style == 0:
        scale = 1 << rng.randrange(13, 48)
    elif style == 1:
        scale = rng.randrange(10**4, 10 ** rng.randrange(5, 13))
    else:
        scale = 10 ** rng.randrange(4, 16)
    return Grid(scale, rng.choice((0, 0, 0, 1, 2)), rng.choice((1, 1, 1, 2, 4)))


def lowest_terms(over: int, under: int) -> str:
    """`p/q` in lowest terms, or `p`."""
    common = gcd(over, under)
    over, under = over // common, under // common
    return str(over) if under == 1 else f"{over}/{under}"


def signed_sum(parts: list[tuple[int, str]]) -> str:
    """`2*x - y + 3` from weights and symbols, an empty symbol being the constant."""
    out = []
    for weight, symbol in parts:
        if weight:
            size = str(abs(weight))
            body = size if not symbol else symbol if size == "1" else f"{size}*{symbol}"
            out += ["-" if weight < 0 else "+", body]
    return " ".join(out[1:] if out[0] == "+" else ["-" + out[1], *out[2:]])


def polynomial_text(poly: list[int]) -> str:
    """Descending powers of x, from ascending coefficients."""
    names = ["", "x"] + [f"x^{e}" for e in range(2, len(poly))]
    return signed_sum([(poly[e], names[e]) for e in range(len(poly) - 1, -1, -1)])
