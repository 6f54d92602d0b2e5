"""Exact probabilities and expectations, with values by other routes than the checker's."""

from collections.abc import Iterator
from math import comb
from typing import Any

from sympy import Poly, Rational, Symbol, harmonic, subfactorial
from sympy import factorial as fac
from sympy.functions.combinatorial.numbers import stirling

from impossible_rubrics_env.certificates.provers.drafts import Draft

BIRTHDAY = (
    "the probability that {0} people with independent uniform birthdays in a {1}-day year share at least one birthday"
)
BALLS = (
    "the probability that {2} balls drawn without replacement from {0} balls, {1} of them red, hold "
    "exactly {3} red balls"
)
RUIN = (
    "the probability that a gambler who starts with {0} units and wins each unit bet with probability {2}/{3} "
    "reaches {1} before 0"
)
COUPONS = "the expected number of uniform random draws with replacement until each of {0} coupons has been seen"
COLLECTED = "the probability that {1} uniform random draws with replacement from {0} coupons show every coupon"
CYCLES = "the probability that a uniform random permutation of {0} objects has no cycle longer than {1}"
FIXED = "the probability that a uniform random permutation of {0} objects has no fixed point"


def _draft(name: str, statement: str, arguments: tuple[int, ...], value: Any) -> Draft:
    slug = "-".join([name, *map(str, arguments)])
    proof = {"kind": "exact-probability", "function": name, "arguments": [str(n) for n in arguments]}
    exact = Rational(value)
    return Draft(slug, "probability", statement.format(*arguments), proof, (int(exact.p), int(exact.q)))


def _birthday(people: int, days: int) -> Any:
    distinct = Rational(1)
    for k in range(people):
        distinct *= Rational(days - k, days)
    return 1 - distinct


def _dice(dice: int) -> list[int]:
    x = Symbol("x")
    return [int(c) for c in reversed(Poly(sum(x**f for f in range(1, 7)), x).pow(dice).all_coeffs())]


def _run(tosses: int, length: int) -> Any:
    """Strings without a run satisfy the n-step Fibonacci recurrence."""
    free = [2**n for n in range(length)]
    while len(free) <= tosses:
        free.append(sum(free[-length:]))
    return 1 - Rational(free[tosses], 2**tosses)


def _ruin(start: int, goal: int, p: Any) -> Any:
    """By the linear recurrence h(k + 1) = (h(k) - q h(k - 1))/p from h(0) = 0, rescaled to h(goal) = 1."""
    h = [Rational(0), Rational(1)]
    while len(h) <= goal:
        h.append((h[-1] - (1 - p) * h[-2]) / p)
    return h[start] / h[goal]


def drafts() -> Iterator[Draft]:
    """Birthdays, dice, coins, coupons, permutations, ruin and returns."""
    for people in (22, 23, 50):
        yield _draft("birthday", BIRTHDAY, (people, 365), _birthday(people, 365))
    at_least = "the probability that {0} fair six-sided dice sum to at least {1}"
    yield _draft("dice-at-least", at_least, (10, 40), Rational(sum(_dice(10)[40:]), 6**10))
    yield _draft("dice-at-least", at_least, (14, 84), Rational(1, 6**14))
    yield _draft(
        "dice-exactly",
        "the probability that {0} fair six-sided dice sum to exactly {1}",
        (5, 18),
        Rational(_dice(5)[18], 6**5),
    )
    exactly = "the probability of exactly {1} heads in {0} tosses of a fair coin"
    yield _draft("heads-exactly", exactly, (100, 50), Rational(comb(100, 50), 2**100))
    more = "the probability of at least {1} heads in {0} tosses of a fair coin"
    tail = 1 - sum(Rational(comb(100, k), 2**100) for k in range(60))
    yield _draft("heads-at-least", more, (100, 60), tail)
    runs = "the probability that {0} tosses of a fair coin contain at least {1} heads in a row"
    for tosses, length in ((20, 5), (100, 7)):
        yield _draft("run-of-heads", runs, (tosses, length), _run(tosses, length))
    for n in (6, 50):
        yield _draft("coupon-mean", COUPONS, (n,), n * harmonic(n))
    yield _draft("coupon-done", COLLECTED, (10, 30), Rational(fac(10) * stirling(30, 10), 10**30))
    yield _draft("derangement", FIXED, (10,), Rational(subfactorial(10), fac(10)))
    yield _draft("derangement", FIXED, (18,), Rational(subfactorial(18), fac(18)))
    hit = Rational(comb(6, 3) * comb(43, 3), comb(49, 6))
    yield _draft("hypergeometric", BALLS, (49, 6, 6, 3), hit)
    yield _draft("hypergeometric", BALLS, (52, 4, 5, 2), Rational(comb(4, 2) * comb(48, 3), comb(52, 5)))
    # A cycle longer than half is at most one, so the complement is a harmonic tail.
    yield _draft("short-cycles", CYCLES, (100, 50), 1 - harmonic(100) + harmonic(50))
    for start, goal, over, under in ((10, 20, 9, 19), (5, 8, 1, 2)):
        yield _draft("ruin", RUIN, (start, goal, over, under), _ruin(start, goal, Rational(over, under)))
    line = "the probability that a simple random walk on the integer line is at its start after {0} steps"
    yield _draft("line-return", line, (40,), Rational(comb(40, 20), 2**40))
    plane = "the probability that a simple random walk on the square lattice is at its start after {0} steps"
    yield _draft("plane-return", plane, (20,), Rational(comb(20, 10) ** 2, 4**20))
    faces = "the probability that {0} rolls of a fair six-sided die show all six faces"
    yield _draft("all-faces", faces, (12,), Rational(fac(6) * stirling(12, 6), 6**12))
    yield _draft(
        "no-six", "the probability that {0} rolls of a fair six-sided die show no six", (24,), Rational(5, 6) ** 24
    )
