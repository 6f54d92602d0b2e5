"""Fresh roots, eigenvalues, powers and minima of cosine sums, in plain integers.

Roots are isolated by Descartes' rule of signs after a shift, and found by bisection on the grid of the endpoints.
"""

import random
from itertools import pairwise

from impossible_rubrics_env.certificates.provers.enclosures import (
    Quantity,
    draw_grid,
    lowest_terms,
    polynomial_text,
    signed_sum,
)

Poly = list[int]
MAX_ROOT = 64
"""Roots beyond this are not drawn."""


def _value(poly: Poly, over: int, under: int) -> int:
    """The polynomial at over/under, times under^degree."""
    value, scale = 0, 1
    for coefficient in reversed(poly):
        value = value * over + coefficient * scale
        scale *= under
    return value


def _shifted(poly: Poly, over: int, under: int) -> Poly:
    """A positive multiple of poly(over/under + x/under), by repeated synthetic division."""
    scale = 1
    out = []
    for coefficient in reversed(poly):
        out.append(coefficient * scale)
        scale *= under
    for last in range(len(out), 1, -1):
        for i in range(1, last):
            out[i] += over * out[i - 1]
    return out[::-1]


def _variations(poly: Poly) -> int:
    signs = [value > 0 for value in poly if value]
    return sum(left != right for left, right in pairwise(signs))


def poly_root(rng: random.Random) -> Quantity | None:
    """The largest, or smallest, real root of a polynomial of degree 3 to 5; None where it is not isolated at once."""
    degree = rng.randrange(3, 6)
    poly = [rng.randrange(-20, 21) for _ in range(degree)] + [rng.randrange(1, 6)]
    mirrored = rng.randrange(2) == 1
    grid = draw_grid(rng)
    # Working with p(-x) turns the smallest root into the largest.
    folded = [-value if mirrored and e % 2 else value for e, value in enumerate(poly)]
    if folded[-1] < 0:
        folded = [-value for value in folded]
    start = next((k for k in range(MAX_ROOT, -MAX_ROOT, -1) if _value(folded, k, 1) <= 0), None)
    if start in (None, MAX_ROOT) or poly[0] == 0:
        return None
    if _value(folded, start, 1) == 0 or _variations(_shifted(folded, start, 1)) != 1:
        return None
    low, high = start * grid.scale, (start + 1) * grid.scale
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _value(folded, middle, grid.scale) <= 0 else (low, middle)
    if start * grid.scale > low - max(grid.below, grid.above) or _value(folded, low, grid.scale) == 0:
        return None
    place = -low - 1 if mirrored else low
    first, last = ("-inf", str(-start)) if mirrored else (str(start), "inf")
    word = {("0", "inf"): "only positive", ("-inf", "0"): "only negative"}.get((first, last))
    word = word or ("smallest real" if mirrored else "largest real")
    slug = ".".join(map(str, poly)) + f"/{'smallest' if mirrored else 'largest'}/{grid.slug}"
    proof = {"kind": "poly-root", "coefficients": [str(value) for value in poly], "from": first, "to": last}
    return Quantity(slug, f"the {word} root of {polynomial_text(poly)}", proof, *grid.ends(place))


def _characteristic(rows: list[Poly]) -> Poly:
    """det(x I - A), ascending, by Faddeev and LeVerrier; every division is exact."""
    size = len(rows)
    descending, current = [1], [[0] * size for _ in range(size)]
    for k in range(1, size + 1):
        for i in range(size):
            current[i][i] += descending[-1]
        current = [
            [sum(a * row[j] for a, row in zip(line, current, strict=True)) for j in range(size)] for line in rows
        ]
        descending.append(-sum(current[i][i] for i in range(size)) // k)
    return descending[::-1]


def eigenvalue(rng: random.Random) -> Quantity | None:
    """An eigenvalue of a symmetric integer matrix of size 2 to 4; None where an endpoint meets an integer one."""
    size, grid = rng.randrange(2, 5), draw_grid(rng)
    rows = [[0] * size for _ in range(size)]
    for i in range(size):
        for j in range(i + 1):
            rows[i][j] = rows[j][i] = rng.randrange(-9, 10)
    index = rng.choice((1, 1, size))
    poly, bound = _characteristic(rows), 9 * size + 1
    # All roots are real, so Descartes' rule counts those beyond a point exactly.
    low, high = -bound * grid.scale, bound * grid.scale
    while high - low > 1:
        middle = (low + high) // 2
        if _variations(_shifted(poly, middle, grid.scale)) >= index:
            low = middle
        else:
            high = middle
    ends = grid.ends(low)
    if any(_vanishing_minor(rows, *end) for end in ends):
        return None
    shown = ", ".join("[" + ", ".join(map(str, row)) + "]" for row in rows)
    word = "largest" if index == 1 else "smallest"
    triangle = ".".join(str(rows[i][j]) for i in range(size) for j in range(i + 1))
    proof = {"kind": "eigenvalue", "matrix": [[str(value) for value in row] for row in rows], "index": str(index)}
    return Quantity(
        f"{triangle}/{word}/{grid.slug}", f"the {word} eigenvalue of the symmetric matrix [{shown}]", proof, *ends
    )


def _vanishing_minor(rows: list[Poly], over: int, under: int) -> bool:
    """Whether a leading minor of A - t I is zero: a rational eigenvalue of a leading block is an integer."""
    if over % under:
        return False
    blocks = ([row[:size] for row in rows[:size]] for size in range(1, len(rows) + 1))
    return any(_value(_characteristic(block), over // under, 1) == 0 for block in blocks)


def _root_floor(number: int, degree: int) -> int:
    """Floor of the degree-th root of a nonnegative integer, by Newton's method from above."""
    if number < 2:
        return number
    guess = 1 << -(-number.bit_length() // degree)
    while True:
        following = ((degree - 1) * guess + number // guess ** (degree - 1)) // degree
        if following >= guess:
            return guess
        guess = following


def rational_power(rng: random.Random) -> Quantity | None:
    """(p/q)^(over/under); None where the base is not in lowest terms or the power is exact on the grid."""
    top, bottom, grid = rng.randrange(2, 2000), rng.choice((1, 1, rng.randrange(2, 60))), draw_grid(rng)
    under = rng.randrange(2, 8)
    over = rng.choice((1, 1, -1, rng.randrange(1, 8), -rng.randrange(1, 8)))
    base = lowest_terms(top, bottom)
    a, b = (top, bottom) if over > 0 else (bottom, top)
    size = abs(over)
    place = _root_floor(a**size * grid.scale**under // b**size, under)
    if place == 0 or place**under * b**size == a**size * grid.scale**under or place > 10**6 * grid.scale:
        return None
    if over == 1 and under in (2, 3):
        statement = f"the {'square' if under == 2 else 'cube'} root of {base}"
    else:
        statement = f"the number {f'({base})' if '/' in base else base}^({over}/{under})"
    proof = {"kind": "power", "base": base, "over": str(over), "under": str(under)}
    slug = f"{base.replace('/', '-over-')}.{over}.{under}/{grid.slug}"
    return Quantity(slug, statement, proof, *grid.ends(place))


CELLS = 24
"""Cells on each side of 0 in which the minimum is looked for."""
POINT_BITS = 40


def _chebyshev(frequency: int) -> Poly:
    """T_n by its explicit sum."""
    if frequency == 0:
        return [1]
    poly = [0] * (frequency + 1)
    value = 2 ** (frequency - 1)
    for k in range(frequency // 2 + 1):
        poly[frequency - 2 * k] = value
        m = frequency - 2 * k
        value = -value * m * (m - 1) // (4 * (k + 1) * (frequency - k - 1)) if frequency - k - 1 else 0
    return poly


def _one_critical_point(slope: Poly, low: int, high: int) -> bool:
    """Whether the slope has one root in (low/CELLS, high/CELLS): one sign variation of its Moebius transform."""
    shifted = _shifted(slope, low, CELLS)
    width = high - low
    stretched = [value * width**e for e, value in enumerate(shifted)]
    return _variations(_shifted(stretched[::-1], 1, 1)) == 1


def cosine_minimum(rng: random.Random) -> Quantity | None:
    """The minimum of a weighted sum of cosines; None at an end of [-1, 1] or where two dips compete."""
    frequencies, grid = sorted({rng.randrange(1, 7) for _ in range(3)}), draw_grid(rng)
    if len(frequencies) < 2:
        return None
    terms = [(rng.choice((1, 1, 1, -1, 2, -2, 3)), frequency) for frequency in frequencies]
    poly = [0] * (frequencies[-1] + 1)
    for weight, frequency in terms:
        for e, value in enumerate(_chebyshev(frequency)):
            poly[e] += weight * value
    samples = [_value(poly, i, CELLS) for i in range(-CELLS, CELLS + 1)]
    best = min(range(len(samples)), key=samples.__getitem__)
    if not 2 <= best <= 2 * CELLS - 2:
        return None
    # Between samples the sum dips below them by at most h^2/8 times the bound n^2 (n^2 - 1)/3 of each T_n''.
    bend = sum(abs(weight) * n * n * (n * n - 1) for weight, n in terms) * CELLS ** (frequencies[-1] - 2)
    away = min(value for i, value in enumerate(samples) if abs(i - best) >= 2)
    slope = [e * value for e, value in enumerate(poly)][1:]
    first, last = best - 2 - CELLS, best + 2 - CELLS
    if 24 * (away - samples[best]) <= bend or not _one_critical_point(slope, first, last):
        return None
    point = _bisect(slope, (first << POINT_BITS) // CELLS, (last << POINT_BITS) // CELLS + 1)
    degree = len(poly) - 1
    under = 1 << POINT_BITS * degree
    over = _value(poly, point, 1 << POINT_BITS)
    # The point is within 2^-40 of the least one, so its value is within 2^-81 max |p''| < 2^-64 of the minimum.
    margin = 1 << POINT_BITS * degree - 64
    place = (over - margin) * grid.scale // under
    if over * grid.scale > (place + grid.above) * under:
        return None
    proof = {
        "kind": "extremum",
        "form": "cosines",
        "sense": "minimum",
        "data": [[str(weight), str(frequency)] for weight, frequency in terms],
        "from": "-1",
        "to": "1",
        "point": lowest_terms(point, 1 << POINT_BITS),
    }
    shown = signed_sum([(weight, f"cos({'' if n == 1 else n}t)") for weight, n in terms])
    slug = ".".join(f"{weight}.{n}" for weight, n in terms) + f"/{grid.slug}"
    return Quantity(slug, f"the minimum over real t of {shown}", proof, *grid.ends(place))


def _bisect(slope: Poly, low: int, high: int) -> int:
    """A point over 2^POINT_BITS next to the sign change of the slope from below to above zero."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _value(slope, middle, 1 << POINT_BITS) < 0 else (low, middle)
    return low
