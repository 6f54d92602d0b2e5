"""Eigenvalues of symmetric integer matrices: the number below t is read off the leading minors of A - t I.

It is the number of sign changes among them: Jacobi's form of Sylvester's law of inertia. Every leading minor must be
nonzero, so a t where one vanishes is refused.
"""

from itertools import pairwise
from typing import Any

from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.numerals import read_exact

MAX_SIZE = 10
MAX_ENTRY = 10**15
Matrix = list[list[int]]


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


def _ordinal(index: int, size: int) -> str:
    if index == 1:
        return "largest"
    if index == size:
        return "smallest"
    return {2: "second largest", 3: "third largest"}.get(index, f"{index}th largest")


def _text(index: int, rows: Matrix) -> str:
    body = ", ".join("[" + ", ".join(map(str, row)) + "]" for row in rows)
    return f"the {_ordinal(index, len(rows))} eigenvalue of the symmetric matrix [{body}]"


def _below(rows: Matrix, text: object, part: str) -> int:
    """How many eigenvalues are less than the number, by Bareiss elimination of q A - p I."""
    over, under = _ratio(text, part)
    a = [[under * value - (over if i == j else 0) for j, value in enumerate(row)] for i, row in enumerate(rows)]
    minors, pivot = [1], 1
    for k in range(len(a)):
        _require(a[k][k] != 0, f"{part}: a leading minor vanishes there; move the endpoint")
        minors.append(a[k][k])
        for i in range(k + 1, len(a)):
            for j in range(i, len(a)):
                a[i][j] = (a[i][j] * a[k][k] - a[k][i] * a[k][j]) // pivot
        pivot = a[k][k]
    return sum((left > 0) != (right > 0) for left, right in pairwise(minors))


def check(record: dict[str, Any]) -> None:
    """Prove that the index-th largest eigenvalue (with multiplicity) lies in [lo, hi]. Raises CertificateError."""
    listed, index_text = _fields(record, "matrix", "index")
    size = len(_list(listed, "proof: matrix", 2, MAX_SIZE))
    rows = [
        [_integer(v, "proof: matrix", -MAX_ENTRY, MAX_ENTRY) for v in _list(r, "proof: matrix", size, size)]
        for r in listed
    ]
    _require(all(rows[i][j] == rows[j][i] for i in range(size) for j in range(i)), "proof: matrix is not symmetric")
    index = _integer(index_text, "proof: index", 1, size)
    _require(record.get("statement") == _text(index, rows), "statement: does not say what the proof is about")
    _require(_below(rows, record.get("lo"), "lo endpoint") <= size - index, "lo endpoint: above the eigenvalue")
    _require(_below(rows, record.get("hi"), "hi endpoint") > size - index, "hi endpoint: below the eigenvalue")
