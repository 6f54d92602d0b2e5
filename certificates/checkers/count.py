"""Counts of combinatorial objects: recomputed from a closed table of named functions, each in plain integers.

Every entry is (statement, bounds of each argument, function). The recurrences are the textbook ones (Stanley,
Enumerative Combinatorics); queens, tilings, independent sets and walks are counted by exhaustion.
"""

from collections.abc import Callable
from math import comb, factorial, gcd
from typing import Any

from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.numerals import read_exact


def _fields(record: dict[str, Any], *names: str) -> list[Any]:
    proof = record.get("proof")
    if not isinstance(proof, dict) or set(proof) != {"kind", *names}:
        raise CertificateError(f"proof: the fields must be kind, {', '.join(names)}")
    return [proof[name] for name in names]


def _ratio(value: object, part: str) -> tuple[int, int]:
    ratio = read_exact(value) if isinstance(value, str) else None
    if ratio is None:
        raise CertificateError(f"{part}: not an exact number in text")
    return ratio


def _integer(value: object, part: str, least: int, most: int) -> int:
    numerator, denominator = _ratio(value, part)
    if denominator != 1 or not least <= numerator <= most:
        raise CertificateError(f"{part}: must be an integer from {least} to {most}")
    return numerator


def _list(value: object, part: str, least: int, most: int) -> list[Any]:
    if not isinstance(value, list) or not least <= len(value) <= most:
        raise CertificateError(f"{part}: must be a list of {least} to {most} members")
    return value


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise CertificateError(message)


def _row(step: Callable[[list[int], int], list[int]], rows: int) -> list[int]:
    row = [1]
    for n in range(1, rows + 1):
        row = step(row, n)
    return row


def _weighted_row(weight: Callable[[int, int], int]) -> Callable[[list[int], int], list[int]]:
    """One step of T(n, k) = T(n - 1, k - 1) + weight(n, k) T(n - 1, k)."""
    return lambda row, n: [(row[k - 1] if k else 0) + (weight(n, k) * row[k] if k < n else 0) for k in range(n + 1)]


def _stirling_groups(n: int, k: int) -> int:
    return _row(_weighted_row(lambda _, k: k), n)[k] if k <= n else 0


def _stirling_cycles(n: int, k: int) -> int:
    return _row(_weighted_row(lambda n, _: n - 1), n)[k] if k <= n else 0


def _from_parts(parts: list[int], n: int) -> int:
    ways = [1] + [0] * n
    for part in parts:
        for total in range(part, n + 1):
            ways[total] += ways[total - part]
    return ways[n]


def _distinct_partitions(n: int) -> int:
    return _from_parts(list(range(1, n + 1, 2)), n)


def _derangements(n: int) -> int:
    value = 1
    for k in range(1, n + 1):
        value = k * value + (-1) ** k
    return value


def _involutions(n: int) -> int:
    before, value = 1, 1
    for k in range(1, n):
        before, value = value, value + k * before
    return value


def _zigzag(n: int) -> int:
    row = [1]
    for _ in range(n):
        sums = [0]
        for value in reversed(row):
            sums.append(sums[-1] + value)
        row = sums
    return row[-1]


def _motzkin(n: int) -> int:
    return sum(comb(n, 2 * k) * comb(2 * k, k) // (k + 1) for k in range(n // 2 + 1))


def _delannoy(m: int, n: int) -> int:
    return sum(comb(m, k) * comb(n, k) * 2**k for k in range(min(m, n) + 1))


def _eulerian(n: int, k: int) -> int:
    return sum((-1) ** j * comb(n + 1, j) * (k + 1 - j) ** n for j in range(k + 1))


def _surjections(n: int, k: int) -> int:
    return sum((-1) ** j * comb(k, j) * (k - j) ** n for j in range(k + 1))


def _necklaces(n: int, k: int) -> int:
    fixed: int = sum(k ** gcd(n, i) for i in range(n))
    return fixed // n


def _queens(n: int) -> int:
    full = (1 << n) - 1

    def place(columns: int, rising: int, falling: int) -> int:
        if columns == full:
            return 1
        found, free = 0, full & ~(columns | rising | falling)
        while free:
            bit = free & -free
            free ^= bit
            found += place(columns | bit, (rising | bit) << 1, (falling | bit) >> 1)
        return found

    return place(0, 0, 0)


def _by_rows(rows: int, masks: list[int], fits: Callable[[int, int], bool]) -> dict[int, int]:
    ways = {0: 1}
    for _ in range(rows):
        ways = {mask: sum(count for before, count in ways.items() if fits(before, mask)) for mask in masks}
    return ways


def _independent_sets(m: int, n: int) -> int:
    masks = [mask for mask in range(1 << n) if not mask & mask << 1]
    return sum(_by_rows(m, masks, lambda before, mask: not before & mask).values())


def _dominoes(m: int, n: int) -> int:
    full = (1 << n) - 1

    def fits(before: int, mask: int) -> bool:
        # `mask` marks dominoes that stick out into the next row; what is left free must split into pairs.
        free = full & ~(before | mask)
        while free & 3 == 3 or (free and not free & 1):
            free >>= 2 if free & 1 else 1
        return not before & mask and not free

    return _by_rows(m, list(range(1 << n)), fits)[0]


def _spanning_trees(m: int, n: int) -> int:
    """Kirchhoff's theorem on the grid; Bareiss elimination keeps the entries whole."""
    cells = [(i, j) for i in range(m) for j in range(n)]
    edges = {frozenset((p, q)) for p in cells for q in cells if abs(p[0] - q[0]) + abs(p[1] - q[1]) == 1}
    a = [
        [-1 if frozenset((p, q)) in edges else sum(p in e for e in edges) if p == q else 0 for q in cells]
        for p in cells
    ]
    pivot = 1
    for k in range(len(cells) - 2):
        for i in range(k + 1, len(cells) - 1):
            for j in range(k + 1, len(cells) - 1):
                a[i][j] = (a[i][j] * a[k][k] - a[i][k] * a[k][j]) // pivot
        pivot = a[k][k]
    return a[len(cells) - 2][len(cells) - 2]


def _walks(n: int) -> int:
    def extend(x: int, y: int, left: int, seen: frozenset[tuple[int, int]]) -> int:
        if not left:
            return 1
        steps = [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]
        return sum(extend(*step, left - 1, seen | {step}) for step in steps if step not in seen)

    return 4 * extend(1, 0, n - 1, frozenset({(0, 0), (1, 0)}))


def _square_tableaux(n: int) -> int:
    hooks = 1
    for i in range(n):
        for j in range(n):
            hooks *= 2 * n - i - j - 1
    return factorial(n * n) // hooks


TABLE: dict[str, tuple[str, tuple[tuple[int, int], ...], Callable[..., int]]] = {
    "factorial": ("{0} factorial", ((0, 400),), factorial),
    "binomial": ("the number of ways to choose {1} of {0} distinct objects", ((0, 1000), (0, 1000)), comb),
    "lattice-paths": (
        "the number of lattice paths from (0, 0) to ({0}, {1}) with unit steps right and up",
        ((0, 500), (0, 500)),
        lambda m, n: comb(m + n, n),
    ),
    "partitions": (
        "the number of partitions of the integer {0}",
        ((0, 400),),
        lambda n: _from_parts(list(range(1, n + 1)), n),
    ),
    "distinct-partitions": (
        "the number of partitions of the integer {0} into distinct parts",
        ((0, 400),),
        _distinct_partitions,
    ),
    "coins": (
        "the number of ways to make {0} cents from coins of 1, 5, 10, 25 and 50 cents",
        ((0, 10000),),
        lambda n: _from_parts([1, 5, 10, 25, 50], n),
    ),
    "derangements": ("the number of permutations of {0} objects without a fixed point", ((0, 300),), _derangements),
    "involutions": ("the number of permutations of {0} objects that are their own inverse", ((1, 300),), _involutions),
    "zigzag": (
        "the number of permutations of 1..{0} that alternately rise and fall, rising first",
        ((1, 200),),
        _zigzag,
    ),
    "eulerian": ("the number of permutations of 1..{0} with exactly {1} ascents", ((1, 100), (0, 99)), _eulerian),
    "cycles": (
        "the number of permutations of {0} objects with exactly {1} cycles",
        ((1, 100), (1, 100)),
        _stirling_cycles,
    ),
    "groups": (
        "the number of ways to split {0} labelled objects into {1} non-empty unlabelled groups",
        ((1, 100), (1, 100)),
        _stirling_groups,
    ),
    "bell": (
        "the number of ways to split {0} labelled objects into non-empty unlabelled groups",
        ((1, 100),),
        lambda n: sum(_row(_weighted_row(lambda _, k: k), n)),
    ),
    "surjections": (
        "the number of surjections from a set of {0} elements onto a set of {1}",
        ((1, 100), (1, 100)),
        _surjections,
    ),
    "catalan": (
        "the number of balanced strings of {0} pairs of parentheses",
        ((0, 500),),
        lambda n: comb(2 * n, n) // (n + 1),
    ),
    "motzkin": ("the number of Motzkin paths of length {0}", ((0, 300),), _motzkin),
    "delannoy": (
        "the number of lattice paths from (0, 0) to ({0}, {1}) with unit steps right, up and diagonally up-right",
        ((0, 200), (0, 200)),
        _delannoy,
    ),
    "labelled-trees": ("the number of labelled trees on {0} vertices", ((2, 200),), lambda n: n ** (n - 2)),
    "spanning-trees": ("the number of spanning trees of the {0} x {1} grid graph", ((1, 6), (2, 6)), _spanning_trees),
    "necklaces": (
        "the number of necklaces of {0} beads in {1} colours, up to rotation only",
        ((1, 200), (1, 50)),
        _necklaces,
    ),
    "dominoes": ("the number of domino tilings of a {0} x {1} board", ((1, 16), (1, 8)), _dominoes),
    "independent-sets": (
        "the number of ways to choose cells of a {0} x {1} board, possibly none, no two sharing an edge",
        ((1, 40), (1, 8)),
        _independent_sets,
    ),
    "queens": ("the number of ways to place {0} non-attacking queens on a {0} x {0} chessboard", ((1, 9),), _queens),
    "self-avoiding-walks": (
        "the number of self-avoiding walks of {0} steps on the square lattice from the origin",
        ((1, 9),),
        _walks,
    ),
    "square-tableaux": (
        "the number of standard Young tableaux of the {0} x {0} square shape",
        ((1, 12),),
        _square_tableaux,
    ),
}
"""Name of the function: statement, least and greatest value of each argument, function."""


def check(record: dict[str, Any]) -> None:
    """Prove that lo = hi = the value of the named function at the arguments. Raises CertificateError."""
    name, listed = _fields(record, "function", "arguments")
    _require(isinstance(name, str) and name in TABLE, "proof: unknown function")
    statement, bounds, function = TABLE[name]
    texts = _list(listed, "proof: arguments", len(bounds), len(bounds))
    arguments = [_integer(t, "proof: arguments", *bound) for t, bound in zip(texts, bounds, strict=True)]
    phrase = statement.format(*arguments)
    _require(record.get("statement") == phrase, "statement: does not say what the proof is about")
    value = function(*arguments)
    low, high = _ratio(record.get("lo"), "lo endpoint"), _ratio(record.get("hi"), "hi endpoint")
    _require(low[0] == value * low[1], "lo endpoint: not the exact integer")
    _require(high[0] == value * high[1], "hi endpoint: not the exact integer")
