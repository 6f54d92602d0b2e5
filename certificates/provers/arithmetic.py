"""Integers of number theory, with values from sympy or by other means than the checker's."""

from collections.abc import Iterator
from itertools import pairwise
from math import factorial, isqrt
from typing import Any

from sympy import (
    divisor_count,
    divisor_sigma,
    euler,
    factorint,
    fibonacci,
    ilcm,
    lucas,
    n_order,
    prime,
    primepi,
    primerange,
    totient,
    tribonacci,
)

from impossible_rubrics_env.certificates.provers.drafts import Draft


def _draft(name: str, statement: str, arguments: tuple[int, ...], value: Any) -> Draft:
    slug = "-".join([name, *map(str, arguments)]).replace("--", "-minus-")
    proof = {"kind": "arithmetic", "function": name, "arguments": [str(n) for n in arguments]}
    return Draft(slug, "number-theory", statement.format(*arguments), proof, int(value))


def _moebius_sum(n: int, liouville: bool) -> int:
    total = 0
    for k in range(1, n + 1):
        exponents = factorint(k).values()
        if liouville or all(e == 1 for e in exponents):
            total += (-1) ** sum(exponents)
    return total


def _tau(n: int) -> int:
    """By the recurrence in divisor sums that follows from the logarithmic derivative of the discriminant."""
    values = [1]
    for m in range(1, n):
        values.append(sum(-24 * int(divisor_sigma(k)) * values[m - k] for k in range(1, m + 1)) // m)
    return values[-1]


def _lucas_sequence(p: int, q: int, n: int) -> int:
    """U(n) by doubling the matrix [[p, -q], [1, 0]]."""
    a, b, c, d = 1, 0, 0, 1
    for _ in range(n):
        a, b, c, d = p * a - q * c, p * b - q * d, a, b
    return c


def _primes() -> Iterator[Draft]:
    for n in (1000, 100000, 1000000):
        yield _draft("prime-count", "the number of primes below {0}", (n,), primepi(n - 1))
    for n in (1000, 100000):
        yield _draft("prime-sum", "the sum of the primes below {0}", (n,), sum(primerange(n)))
    for n in (1000, 100000):
        listed = list(primerange(n))
        pairs = sum(q - p == 2 for p, q in pairwise(listed))
        yield _draft("twin-primes", "the number of pairs of primes p, p + 2 with p + 2 below {0}", (n,), pairs)
    for n in (1000, 10000):
        yield _draft("nth-prime", "the prime number with index {0}, where 2 has index 1", (n,), prime(n))


def _functions() -> Iterator[Draft]:
    yield _draft("mertens", "the sum of the Moebius function over 1..{0}", (5000,), _moebius_sum(5000, False))
    yield _draft("mertens", "the sum of the Moebius function over 1..{0}", (200,), _moebius_sum(200, False))
    yield _draft("liouville", "the sum of the Liouville function over 1..{0}", (10000,), _moebius_sum(10000, True))
    yield _draft("totient", "Euler's totient of {0}", (360360,), totient(360360))
    pairs = "the number of pairs a <= b of positive coprime integers with b <= {0}"
    yield _draft("totient-sum", pairs, (200,), sum(int(totient(k)) for k in range(1, 201)))
    yield _draft("divisor-count", "the number of positive divisors of {0}", (720720,), divisor_count(720720))
    yield _draft("divisor-sum", "the sum of the positive divisors of {0}", (30240,), divisor_sigma(30240))
    yield _draft(
        "factorial-divisors", "the number of positive divisors of {0} factorial", (20,), divisor_count(factorial(20))
    )
    squares = [k for k in range(1, 10001) if max(factorint(k).values(), default=1) < 2]
    yield _draft("squarefree", "the number of squarefree integers from 1 to {0}", (10000,), len(squares))
    for n in (50, 90):
        yield _draft(
            "fibonacci", "the Fibonacci number with index {0}, where indices 1 and 2 have value 1", (n,), fibonacci(n)
        )
    yield _draft(
        "lucas", "the Lucas number with index {0}, where indices 0 and 1 have values 2 and 1", (40,), lucas(40)
    )
    pell = "the Pell number with index {0}, where indices 0 and 1 have values 0 and 1"
    yield _draft("pell", pell, (30,), _lucas_sequence(2, -1, 30))
    wavering = "the term a({4}) of the sequence a(0) = {0}, a(1) = {1}, a(k) = {2}*a(k-1) + ({3})*a(k-2)"
    for n in (27, 40):
        yield _draft("recurrence", wavering, (0, 1, 1, -3, n), _lucas_sequence(1, 3, n))
    yield _draft(
        "tribonacci",
        "the tribonacci number with index {0}, where indices 0, 1 and 2 have values 0, 0 and 1",
        (30,),
        tribonacci(29),
    )


def drafts() -> Iterator[Draft]:
    """Primes, arithmetic functions, recurrences and digits."""
    yield from _primes()
    yield from _functions()
    yield _draft(
        "power-mod", "the remainder of {0}^{1} on division by {2}", (7, 12345, 1000003), pow(7, 12345, 1000003)
    )
    yield _draft("order-mod", "the multiplicative order of {0} modulo {1}", (10, 9973), n_order(10, 9973))
    yield _draft(
        "collatz", "the number of Collatz steps from {0} to 1, halving and 3n + 1 each counted as one", (27,), 111
    )
    yield _draft("digit-sum-power", "the sum of the decimal digits of 2^{0}", (1000,), 1366)
    yield _draft("factorial-digits", "the number of decimal digits of {0} factorial", (100,), 158)
    # The four quarter planes x >= 0, y > 0 turned about the origin cover every point but the origin once.
    points = 1 + 4 * sum(isqrt(10000 - x * x) for x in range(101))
    yield _draft("disk", "the number of integer points (x, y) with x^2 + y^2 <= {0}^2", (100,), points)
    yield _draft("lcm", "the least common multiple of the integers from 1 to {0}", (30,), ilcm(*range(1, 31)))
    for n in (2, 12, 30):
        yield _draft("tau", "Ramanujan's tau function at {0}", (n,), _tau(n))
    for n in (10, 14):
        yield _draft(
            "euler-number", "the Euler number E_{0}, in the convention E_0 = 1, E_2 = -1, E_4 = 5", (n,), euler(n)
        )
