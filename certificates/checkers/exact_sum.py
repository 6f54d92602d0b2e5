"""Exact rational sums, recomputed over one denominator: harmonic and Bernoulli numbers, unit fractions and the like."""

from collections.abc import Callable
from math import comb, factorial, gcd
from typing import Any

from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.numerals import read_exact

Value = tuple[int, int]


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


def _add(left: Value, right: Value) -> Value:
    return left[0] * right[1] + right[0] * left[1], left[1] * right[1]


def _total(terms: list[Value]) -> Value:
    """Sum by halves, so that the numbers stay of like size."""
    if len(terms) <= 1:
        return terms[0] if terms else (0, 1)
    return _add(_total(terms[: len(terms) // 2]), _total(terms[len(terms) // 2 :]))


def _power_sum(n: int, s: int) -> Value:
    return _total([(1, k**s) for k in range(1, n + 1)])


def _bernoulli(n: int) -> Value:
    """B_n with B_1 = -1/2, by Worpitzky's double sum."""
    rows = [(sum((-1) ** v * comb(k, v) * v**n for v in range(k + 1)), k + 1) for k in range(n + 1)]
    return _total(rows)


def _zeta_negative(n: int) -> Value:
    over, under = _bernoulli(n + 1)
    return (-over, under * (n + 1)) if n else (-1, 2)


def _gregory(n: int) -> Value:
    """Coefficient of x^n in x/ln(1 + x): 1 = the series times ln(1 + x)/x, solved term by term."""
    values = [(1, 1)]
    for k in range(1, n + 1):
        terms = [((-1) ** (k - i) * values[i][0], values[i][1] * (k - i + 1)) for i in range(k)]
        over, under = _total(terms)
        common = gcd(over, under)
        values.append((-over // common, under // common))
    return values[n]


TABLE: dict[str, tuple[str, tuple[tuple[int, int], ...], Callable[..., Value]]] = {
    "quotient": ("the rational number {0}/{1}", ((-(10**18), 10**18), (1, 10**18)), lambda p, q: (p, q)),
    "harmonic": ("the harmonic number 1 + 1/2 + ... + 1/{0}", ((3, 400),), lambda n: _power_sum(n, 1)),
    "power-sum": ("the sum of 1/k^{1} over k from 1 to {0}", ((1, 200), (1, 8)), _power_sum),
    "alternating-harmonic": (
        "the sum of (-1)^k/k over k from 1 to {0}",
        ((1, 400),),
        lambda n: _total([((-1) ** k, k) for k in range(1, n + 1)]),
    ),
    "bernoulli": ("the Bernoulli number B_{0}", ((2, 120),), _bernoulli),
    "zeta-negative": ("the value of the Riemann zeta function at -{0}", ((1, 100),), _zeta_negative),
    "gregory": ("the coefficient of x^{0} in the power series of x/ln(1 + x)", ((1, 40),), _gregory),
    "exp-partial": (
        "the sum of 1/k! over k from 0 to {0}",
        ((1, 100),),
        lambda n: _total([(1, factorial(k)) for k in range(n + 1)]),
    ),
    "wallis": (
        "the integral of (1 - x^2)^{0} from 0 to 1",
        ((1, 200),),
        lambda n: (4**n * factorial(n) ** 2, factorial(2 * n + 1)),
    ),
    "beta": (
        "the integral of x^{0}*(1 - x)^{1} from 0 to 1",
        ((1, 100), (1, 100)),
        lambda m, n: (factorial(m) * factorial(n), factorial(m + n + 1)),
    ),
}
"""Name: statement, least and greatest value of each argument, function."""


def _unit_fractions(texts: list[Any]) -> tuple[str, Value]:
    members = [_integer(text, "proof: arguments", -(10**9), 10**9) for text in texts]
    _require(0 not in members, "proof: arguments hold a zero")
    shown = "".join(f" {'-' if m < 0 else '+'} 1/{abs(m)}" for m in members)
    return f"the sum {('-' if members[0] < 0 else '') + shown[3:]}", _total(
        [(1 if m > 0 else -1, abs(m)) for m in members]
    )


def check(record: dict[str, Any]) -> None:
    """Prove that lo = hi = the named exact sum. Raises CertificateError."""
    name, listed = _fields(record, "function", "arguments")
    if name == "unit-fractions":
        phrase, value = _unit_fractions(_list(listed, "proof: arguments", 1, 20))
    else:
        _require(isinstance(name, str) and name in TABLE, "proof: unknown function")
        statement, bounds, function = TABLE[name]
        texts = _list(listed, "proof: arguments", len(bounds), len(bounds))
        arguments = [_integer(t, "proof: arguments", *bound) for t, bound in zip(texts, bounds, strict=True)]
        phrase, value = statement.format(*arguments), function(*arguments)
    _require(record.get("statement") == phrase, "statement: does not say what the proof is about")
    low, high = _ratio(record.get("lo"), "lo endpoint"), _ratio(record.get("hi"), "hi endpoint")
    _require(low[0] * value[1] == value[0] * low[1], "lo endpoint: not the exact value")
    _require(high[0] * value[1] == value[0] * high[1], "hi endpoint: not the exact value")
