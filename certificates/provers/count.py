"""Counts of combinatorial objects, with values from sympy and from other formulas than the checker's."""

from collections.abc import Iterator
from math import comb, factorial
from typing import Any

from sympy import bell, catalan, partition, subfactorial
from sympy.functions.combinatorial.numbers import genocchi, stirling

from impossible_rubrics_env.certificates.provers.drafts import Draft

PATHS = "the number of lattice paths from (0, 0) to ({0}, {1}) with unit steps right and up"


def _draft(name: str, statement: str, arguments: tuple[int, ...], value: Any) -> Draft:
    slug = "-".join([name, *map(str, arguments)])
    proof = {"kind": "count", "function": name, "arguments": [str(n) for n in arguments]}
    return Draft(slug, "counting", statement.format(*arguments), proof, int(value))


def _zigzag(n: int) -> int:
    """Genocchi numbers give the tangent numbers at odd n."""
    tangent: int = abs(int(genocchi(n + 1))) * 2**n // (n + 1)
    return tangent


def _coins(cents: int) -> int:
    ways = [
        (cents - 50 * a - 25 * b - 10 * c) // 5 + 1
        for a in range(cents // 50 + 1)
        for b in range((cents - 50 * a) // 25 + 1)
        for c in range((cents - 50 * a - 25 * b) // 10 + 1)
    ]
    return sum(ways)


def drafts() -> Iterator[Draft]:
    """Counts that are exact integers."""
    for n in (10, 20, 25):
        yield _draft("factorial", "{0} factorial", (n,), factorial(n))
    for n, k in ((52, 5), (49, 6), (100, 50), (40, 20)):
        yield _draft("binomial", "the number of ways to choose {1} of {0} distinct objects", (n, k), comb(n, k))
    for m, n in ((10, 10), (20, 20), (7, 30)):
        yield _draft("lattice-paths", PATHS, (m, n), comb(m + n, m))
    for n in (50, 100, 200):
        yield _draft("partitions", "the number of partitions of the integer {0}", (n,), partition(n))
    yield _draft(
        "distinct-partitions", "the number of partitions of the integer {0} into distinct parts", (100,), 444793
    )
    for n in (100, 1000):
        yield _draft(
            "coins", "the number of ways to make {0} cents from coins of 1, 5, 10, 25 and 50 cents", (n,), _coins(n)
        )
    for n in (8, 13):
        yield _draft(
            "derangements", "the number of permutations of {0} objects without a fixed point", (n,), subfactorial(n)
        )
    involutions = sum(factorial(12) // (factorial(12 - 2 * k) * factorial(k) * 2**k) for k in range(7))
    yield _draft(
        "involutions", "the number of permutations of {0} objects that are their own inverse", (12,), involutions
    )
    alternating = "the number of permutations of 1..{0} that alternately rise and fall, rising first"
    yield _draft("zigzag", alternating, (11,), _zigzag(11))
    yield _draft("eulerian", "the number of permutations of 1..{0} with exactly {1} ascents", (9, 4), 156190)
    cycles = stirling(12, 5, kind=1)
    yield _draft("cycles", "the number of permutations of {0} objects with exactly {1} cycles", (12, 5), cycles)
    split = "the number of ways to split {0} labelled objects into "
    yield _draft("groups", split + "{1} non-empty unlabelled groups", (15, 6), stirling(15, 6))
    for n in (10, 16):
        yield _draft("bell", split + "non-empty unlabelled groups", (n,), bell(n))
    onto = factorial(5) * stirling(12, 5)
    yield _draft("surjections", "the number of surjections from a set of {0} elements onto a set of {1}", (12, 5), onto)
    for n in (12, 20):
        yield _draft("catalan", "the number of balanced strings of {0} pairs of parentheses", (n,), catalan(n))
    # OEIS A001006; sympy counts its index from 1.
    yield _draft("motzkin", "the number of Motzkin paths of length {0}", (20,), 50852019)
    diagonal = "the number of lattice paths from (0, 0) to ({0}, {1}) with unit steps right, up and diagonally up-right"
    central = sum(comb(8, k) * comb(8 + k, k) for k in range(9))
    yield _draft("delannoy", diagonal, (8, 8), central)
    yield _draft("labelled-trees", "the number of labelled trees on {0} vertices", (10,), 10**8)
    yield from _boards()


def _boards() -> Iterator[Draft]:
    """Values known from the literature (OEIS A007341, A004003, A006506, A000170, A001411, A039622, A000031)."""
    yield _draft("spanning-trees", "the number of spanning trees of the {0} x {1} grid graph", (4, 4), 100352)
    yield _draft("spanning-trees", "the number of spanning trees of the {0} x {1} grid graph", (5, 5), 557568000)
    beads = "the number of necklaces of {0} beads in {1} colours, up to rotation only"
    yield _draft("necklaces", beads, (12, 2), 352)
    yield _draft("necklaces", beads, (7, 10), (10**7 + 6 * 10) // 7)
    yield _draft("dominoes", "the number of domino tilings of a {0} x {1} board", (8, 8), 12988816)
    apart = "the number of ways to choose cells of a {0} x {1} board, possibly none, no two sharing an edge"
    yield _draft("independent-sets", apart, (6, 6), 5598861)
    queens = "the number of ways to place {0} non-attacking queens on a {0} x {0} chessboard"
    yield _draft("queens", queens, (8,), 92)
    yield _draft("queens", queens, (6,), 4)
    yield _draft("queens", queens, (9,), 352)
    walks = "the number of self-avoiding walks of {0} steps on the square lattice from the origin"
    yield _draft("self-avoiding-walks", walks, (8,), 5916)
    yield _draft("square-tableaux", "the number of standard Young tableaux of the {0} x {0} square shape", (4,), 24024)
    yield _draft(
        "square-tableaux", "the number of standard Young tableaux of the {0} x {0} square shape", (5,), 701149020
    )
