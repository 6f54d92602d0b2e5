"""Fresh function values, integrals, sums of unit fractions, and integers.

Function values are hinted by mpmath (which sympy brings) in a context of its own, far beyond the grid of the endpoints.
"""

import random
from functools import cache
from typing import Any

from impossible_rubrics_env.certificates.provers.enclosures import Quantity, draw_grid, lowest_terms

HINT_BITS = 128
SAFE_BITS = 80
"""A hint closer than 2^-80 to a multiple of the grid is drawn again."""
LARGEST_INTEGER = 2**53


@cache
def _context() -> Any:
    from mpmath.ctx_mp import MPContext

    context = MPContext()
    context.prec = HINT_BITS
    return context


_FORMS: tuple[tuple[str, int, int, int], ...] = (
    ("ln", 1, 9999, 200),
    ("exp", -800, 800, 100),
    ("arctan", -2000, 2000, 300),
    ("sin", -900, 900, 120),
    ("cos", -900, 900, 120),
)
"""Function, bounds of the numerator, largest denominator."""


def function_value(rng: random.Random) -> Quantity | None:
    """C f(p/q) for an elementary f and a small weight c; None where the argument is trivial or out of the range."""
    name, least, most, largest = rng.choice(_FORMS)
    over, under, weight, grid = (
        rng.randrange(least, most + 1),
        rng.randrange(1, largest),
        rng.randrange(1, 10),
        draw_grid(rng),
    )
    if over in (0, under) or (name not in ("ln", "arctan") and abs(over) > 12 * under):
        return None
    argument = lowest_terms(over, under)
    context = _context()
    function = {"ln": context.log, "exp": context.exp, "arctan": context.atan, "sin": context.sin, "cos": context.cos}[
        name
    ]
    hint = function(context.mpf(over) / under) * weight
    scaled = int(context.floor(hint * 2**HINT_BITS))
    slack = 1 << HINT_BITS - SAFE_BITS
    place = (scaled - slack) * grid.scale >> HINT_BITS
    if place != (scaled + slack) * grid.scale >> HINT_BITS:
        return None
    node: Any = [name, argument] if weight == 1 else ["mul", str(weight), [name, argument]]
    angles = " with angles in radians" if name in ("sin", "cos") else ""
    statement = f"the number {'' if weight == 1 else f'{weight}*'}{name}({argument}){angles}"
    slug = f"{name}.{argument.replace('/', '-over-')}.{weight}/{grid.slug}"
    return Quantity(slug, statement, {"kind": "elementary", "expression": node}, *grid.ends(place))


def integral(rng: random.Random) -> Quantity | None:
    """The integral of x^m/(c + x^n) from 0 to b; None where b^n is not well below c."""
    m, n, c = rng.randrange(5), rng.randrange(1, 8), rng.randrange(2, 200)
    over, under, grid = (
        rng.choice((1, 1, 2, 3, rng.randrange(1, 20))),
        rng.choice((1, 1, 2, rng.randrange(1, 20))),
        draw_grid(rng),
    )
    if 4 * over**n > 3 * c * under**n:
        return None
    b = lowest_terms(over, under)
    # Sum the series until what is left out is far below the grid; two partial sums enclose the value.
    total, terms, left = 0, 0, 1
    while left:
        degree = terms * n + m + 1
        left = (over**degree << HINT_BITS) // (under**degree * c ** (terms + 1) * degree)
        total += left if terms % 2 == 0 else -left
        terms += 1
    slack = 1 << HINT_BITS - SAFE_BITS
    place = (total - slack) * grid.scale >> HINT_BITS
    if place != (total + slack) * grid.scale >> HINT_BITS:
        return None
    top = "1" if m == 0 else "x" if m == 1 else f"x^{m}"
    statement = f"the integral of {top}/({c} + {'x' if n == 1 else f'x^{n}'}) from 0 to {b}"
    proof = {"kind": "binomial-integral", "m": str(m), "n": str(n), "c": str(c), "b": b, "terms": str(terms)}
    slug = f"{m}.{n}.{c}.{b.replace('/', '-over-')}/{grid.slug}"
    return Quantity(slug, statement, proof, *grid.ends(place))


def unit_fractions(rng: random.Random) -> Quantity | None:
    """A sum of three to five unit fractions with signs, exact; None where it is an integer."""
    members = [rng.choice((1, 1, -1)) * rng.randrange(2, 100) for _ in range(rng.randrange(3, 6))]
    over, under = 0, 1
    for member in members:
        over, under = over * member + under, under * member
    if under < 0:
        over, under = -over, -under
    if over % under == 0:
        return None
    shown = " ".join(f"{'-' if member < 0 else '+'} 1/{abs(member)}" for member in members)
    shown = shown[2:] if members[0] > 0 else "-" + shown[2:]
    proof = {"kind": "exact-sum", "function": "unit-fractions", "arguments": [str(member) for member in members]}
    return Quantity(".".join(map(str, members)), f"the sum {shown}", proof, (over, under), (over, under))


def integer(rng: random.Random) -> Quantity | None:
    """A term of a linear recurrence, a power residue, or a binomial coefficient; None where it is beyond 2^53."""
    choice = rng.randrange(5)
    if choice < 3:
        u, v, p, q, n = (rng.randrange(*bounds) for bounds in ((-9, 10), (-9, 10), (-5, 6), (-5, 6), (5, 40)))
        before, value = u, v
        for _ in range(n - 1):
            before, value = value, p * value + q * before
        statement = f"the term a({n}) of the sequence a(0) = {u}, a(1) = {v}, a(k) = {p}*a(k-1) + ({q})*a(k-2)"
        kind, name, arguments = "arithmetic", "recurrence", [u, v, p, q, n]
    elif choice == 3:
        base, exponent, modulus = (rng.randrange(*bounds) for bounds in ((2, 1000), (2, 10**6), (1000, 10**9)))
        value = _power_residue(base, exponent, modulus)
        statement = f"the remainder of {base}^{exponent} on division by {modulus}"
        kind, name, arguments = "arithmetic", "power-mod", [base, exponent, modulus]
    else:
        n, k = rng.randrange(10, 200), rng.randrange(2, 12)
        value = 1
        for i in range(k):
            value = value * (n - i) // (i + 1)
        statement = f"the number of ways to choose {k} of {n} distinct objects"
        kind, name, arguments = "count", "binomial", [n, k]
    if not 0 < abs(value) < LARGEST_INTEGER:
        return None
    proof = {"kind": kind, "function": name, "arguments": [str(argument) for argument in arguments]}
    return Quantity(f"{name}/{'.'.join(map(str, arguments))}", statement, proof, (value, 1), (value, 1), True)


def _power_residue(base: int, exponent: int, modulus: int) -> int:
    value = 1
    for bit in f"{exponent:b}":
        value = value * value * (base if bit == "1" else 1) % modulus
    return value
