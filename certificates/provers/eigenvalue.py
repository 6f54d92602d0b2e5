"""Eigenvalues of small symmetric integer matrices."""

from collections.abc import Iterator
from typing import Any

from mpmath import eigsy, matrix

from impossible_rubrics_env.certificates.provers.drafts import Cut, Draft

Matrix = list[list[int]]


def _value(rows: Matrix, index: int) -> Any:
    values = sorted(eigsy(matrix(rows), eigvals_only=True), reverse=True)
    return values[index - 1]


def _draft(slug: str, word: str, index: int, rows: Matrix, cut: Cut | None = None) -> Draft:
    shown = ", ".join("[" + ", ".join(map(str, row)) + "]" for row in rows)
    statement = f"the {word} eigenvalue of the symmetric matrix [{shown}]"
    proof = {"kind": "eigenvalue", "matrix": [[str(value) for value in row] for row in rows], "index": str(index)}
    return Draft(slug, "eigenvalues", statement, proof, lambda: _value(rows, index), cut)


def _path(n: int, diagonal: int, beside: int) -> Matrix:
    return [[diagonal if i == j else beside if abs(i - j) == 1 else 0 for j in range(n)] for i in range(n)]


def drafts() -> Iterator[Draft]:
    """Graphs, springs, a Wilkinson matrix, integer parts of a Hilbert matrix, near ties."""
    house = [[0, 1, 0, 1, 1], [1, 0, 1, 0, 1], [0, 1, 0, 1, 0], [1, 0, 1, 0, 0], [1, 1, 0, 0, 0]]
    yield _draft("two-by-two", "largest", 1, [[2, 1], [1, 4]])
    yield _draft("two-by-two-smallest", "smallest", 2, [[1, 3], [3, -2]])
    yield _draft("path-5-largest", "largest", 1, _path(5, 0, 1))
    yield _draft("house-graph", "largest", 1, house)
    yield _draft("house-graph-second", "second largest", 2, house)
    yield _draft("spring-chain-slowest", "smallest", 4, _path(4, 2, -1))
    yield _draft("spring-chain-second", "second largest", 2, _path(6, 2, -1))
    wilkinson = [[abs(3 - i) if i == j else 1 if abs(i - j) == 1 else 0 for j in range(7)] for i in range(7)]
    yield _draft("wilkinson-7", "largest", 1, wilkinson)
    yield _draft("wilkinson-7-second", "second largest", 2, wilkinson)
    gcds = [[1, 1, 1, 1], [1, 2, 1, 2], [1, 1, 3, 1], [1, 2, 1, 4]]
    yield _draft("gcd-matrix", "largest", 1, gcds)
    yield _draft("gcd-matrix-smallest", "smallest", 4, gcds)
    pascal = [[1, 1, 1, 1, 1], [1, 2, 3, 4, 5], [1, 3, 6, 10, 15], [1, 4, 10, 20, 35], [1, 5, 15, 35, 70]]
    yield _draft("pascal-5", "largest", 1, pascal)
    yield _draft("pascal-5-smallest", "smallest", 5, pascal)
    yield _draft("pascal-5-third", "third largest", 3, pascal)
    yield _draft("huge-entries", "largest", 1, [[10**12 - 11, 1000], [1000, 7]], Cut(10**9))
    yield _draft("near-tie", "smallest", 3, [[1000, 1, 0], [1, 1000, 1], [0, 1, 1001]])
    yield _draft("negative-definite", "largest", 1, [[-5, 1, 2], [1, -7, 0], [2, 0, -4]], Cut(10**8, 0, 5))
