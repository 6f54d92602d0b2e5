"""Number-theoretic integers: recomputed from a closed table of named functions by sieve, divisor loop or recurrence."""

from collections.abc import Callable
from math import comb, factorial, gcd, isqrt, lcm
from typing import Any

from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.numerals import read_exact

PIECE = 10**600
"""CPython writes this many digits whatever digit limit the process has set (its lowest is 640)."""


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


def _sieve(n: int) -> bytearray:
    """Flags of the primes up to n, by Eratosthenes."""
    flags = bytearray([0, 0]) + bytearray([1]) * (n - 1)
    for p in range(2, isqrt(n) + 1):
        if flags[p]:
            flags[p * p :: p] = bytes(len(range(p * p, n + 1, p)))
    return flags


def _primes(n: int) -> list[int]:
    return [p for p, flag in enumerate(_sieve(n)) if flag]


def _twins(n: int) -> int:
    flags = _sieve(n)
    return sum(flags[p] and flags[p - 2] for p in range(5, n))


def _sign_sum(n: int, squares_vanish: bool) -> int:
    """Sum over 1..n of the Moebius function, or of the Liouville function where squares do not vanish."""
    value = [1] * (n + 1)
    for p in _primes(n):
        power = p
        while power <= n:
            for k in range(power, n + 1, power):
                value[k] = 0 if squares_vanish and power > p else -value[k]
            power *= p
    return sum(value[1:])


def _factors(n: int) -> list[tuple[int, int]]:
    out, p = [], 2
    while n > 1:
        p = p if p * p <= n else n
        e = 0
        while n % p == 0:
            n, e = n // p, e + 1
        if e:
            out.append((p, e))
        p += 1
    return out


def _multiplicative(n: int, at_power: Callable[[int, int], int]) -> int:
    value = 1
    for p, e in _factors(n):
        value *= at_power(p, e)
    return value


def _totient(n: int) -> int:
    return _multiplicative(n, lambda p, e: (p - 1) * p ** (e - 1))


def _recurrence(start: tuple[int, ...], weights: tuple[int, ...], n: int) -> int:
    values = list(start)
    while len(values) <= n:
        values.append(sum(w * v for w, v in zip(weights, reversed(values), strict=False)))
    return values[n]


def _squarefree(n: int) -> int:
    flags = bytearray([1]) * (n + 1)
    for d in range(2, isqrt(n) + 1):
        flags[d * d :: d * d] = bytes(len(range(d * d, n + 1, d * d)))
    return sum(flags) - 1


def _disk(r: int) -> int:
    return sum(2 * isqrt(r * r - x * x) + 1 for x in range(-r, r + 1))


def _order(a: int, m: int) -> int:
    _require(gcd(a, m) == 1, "proof: arguments are not coprime, so there is no order")
    value, steps = a % m, 1
    while value != 1:
        value, steps = value * a % m, steps + 1
    return steps


def _collatz(n: int) -> int:
    steps = 0
    while n != 1:
        _require(steps < 2000, "proof: too many Collatz steps")
        n, steps = (n // 2 if n % 2 == 0 else 3 * n + 1), steps + 1
    return steps


def _tau(n: int) -> int:
    """Coefficient of q^n in q times the product of (1 - q^k)^24."""
    series = [1] + [0] * (n - 1)
    for k in range(1, n):
        for _ in range(24):
            for i in range(n - 1, k - 1, -1):
                series[i] -= series[i - k]
    return series[n - 1]


def _euler_number(n: int) -> int:
    values = [1]
    for k in range(2, n + 1, 2):
        values.append(-sum(comb(k, 2 * j) * value for j, value in enumerate(values)))
    return values[-1] if n % 2 == 0 else 0


def _decimal(n: int) -> str:
    """The digits of n > 0, in pieces that no process-wide digit limit can refuse."""
    pieces = []
    while n >= PIECE:
        n, low = divmod(n, PIECE)
        pieces.append(str(PIECE + low)[1:])
    return "".join([str(n), *reversed(pieces)])


def _prime(n: int) -> int:
    return _primes(40 + 12 * n + n * n.bit_length())[n - 1]


TABLE: dict[str, tuple[str, tuple[tuple[int, int], ...], Callable[..., int]]] = {
    "prime-count": ("the number of primes below {0}", ((2, 3000000),), lambda n: sum(_sieve(n - 1)) if n > 2 else 0),
    "prime-sum": ("the sum of the primes below {0}", ((3, 1000000),), lambda n: sum(_primes(n - 1))),
    "twin-primes": ("the number of pairs of primes p, p + 2 with p + 2 below {0}", ((6, 300000),), _twins),
    "nth-prime": ("the prime number with index {0}, where 2 has index 1", ((1, 20000),), _prime),
    "mertens": ("the sum of the Moebius function over 1..{0}", ((1, 20000),), lambda n: _sign_sum(n, True)),
    "liouville": ("the sum of the Liouville function over 1..{0}", ((1, 20000),), lambda n: _sign_sum(n, False)),
    "totient": ("Euler's totient of {0}", ((1, 10**9),), _totient),
    "totient-sum": (
        "the number of pairs a <= b of positive coprime integers with b <= {0}",
        ((1, 300),),
        lambda n: sum(gcd(a, b) == 1 for b in range(1, n + 1) for a in range(1, b + 1)),
    ),
    "divisor-count": (
        "the number of positive divisors of {0}",
        ((1, 10**9),),
        lambda n: _multiplicative(n, lambda _, e: e + 1),
    ),
    "divisor-sum": (
        "the sum of the positive divisors of {0}",
        ((1, 10**9),),
        lambda n: _multiplicative(n, lambda p, e: (p ** (e + 1) - 1) // (p - 1)),
    ),
    "factorial-divisors": (
        "the number of positive divisors of {0} factorial",
        ((1, 300),),
        lambda n: _multiplicative(factorial(n), lambda _, e: e + 1),
    ),
    "squarefree": ("the number of squarefree integers from 1 to {0}", ((1, 1000000),), _squarefree),
    "fibonacci": (
        "the Fibonacci number with index {0}, where indices 1 and 2 have value 1",
        ((0, 3000),),
        lambda n: _recurrence((0, 1), (1, 1), n),
    ),
    "lucas": (
        "the Lucas number with index {0}, where indices 0 and 1 have values 2 and 1",
        ((0, 3000),),
        lambda n: _recurrence((2, 1), (1, 1), n),
    ),
    "pell": (
        "the Pell number with index {0}, where indices 0 and 1 have values 0 and 1",
        ((0, 3000),),
        lambda n: _recurrence((0, 1), (2, 1), n),
    ),
    "recurrence": (
        "the term a({4}) of the sequence a(0) = {0}, a(1) = {1}, a(k) = {2}*a(k-1) + ({3})*a(k-2)",
        ((-1000, 1000), (-1000, 1000), (-100, 100), (-100, 100), (2, 500)),
        lambda u, v, p, q, n: _recurrence((u, v), (p, q), n),
    ),
    "tribonacci": (
        "the tribonacci number with index {0}, where indices 0, 1 and 2 have values 0, 0 and 1",
        ((0, 2000),),
        lambda n: _recurrence((0, 0, 1), (1, 1, 1), n),
    ),
    "power-mod": ("the remainder of {0}^{1} on division by {2}", ((2, 10**9), (1, 10**9), (2, 10**9)), pow),
    "order-mod": ("the multiplicative order of {0} modulo {1}", ((2, 10**6), (3, 10**6)), _order),
    "collatz": (
        "the number of Collatz steps from {0} to 1, halving and 3n + 1 each counted as one",
        ((1, 10**6),),
        _collatz,
    ),
    "digit-sum-power": (
        "the sum of the decimal digits of 2^{0}",
        ((1, 10000),),
        lambda n: sum(map(int, _decimal(2**n))),
    ),
    "factorial-digits": (
        "the number of decimal digits of {0} factorial",
        ((1, 1000),),
        lambda n: len(_decimal(factorial(n))),
    ),
    "disk": ("the number of integer points (x, y) with x^2 + y^2 <= {0}^2", ((1, 100000),), _disk),
    "lcm": ("the least common multiple of the integers from 1 to {0}", ((1, 500),), lambda n: lcm(*range(1, n + 1))),
    "tau": ("Ramanujan's tau function at {0}", ((1, 60),), _tau),
    "euler-number": (
        "the Euler number E_{0}, in the convention E_0 = 1, E_2 = -1, E_4 = 5",
        ((0, 100),),
        _euler_number,
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
