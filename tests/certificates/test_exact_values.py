"""Every named function of the exact checkers against enumeration at small arguments, and against flint."""

import itertools
import math

import pytest
from flint import fmpq, fmpz

from impossible_rubrics_env.certificates.checkers import arithmetic, count, exact_probability, exact_sum
from impossible_rubrics_env.certificates.ledger import load_ledger


def permutations(n):
    return list(itertools.permutations(range(n)))


def cycles(p):
    seen, lengths = set(), []
    for start in range(len(p)):
        length, at = 0, start
        while at not in seen:
            seen.add(at)
            at, length = p[at], length + 1
        if length:
            lengths.append(length)
    return lengths


def set_partitions(n):
    """As restricted growth strings."""
    strings = [()]
    for _ in range(n):
        strings = [(*s, k) for s in strings for k in range(max(s, default=-1) + 2)]
    return strings


def partitions(n, largest):
    if n == 0:
        return [()]
    return [(k, *rest) for k in range(min(n, largest), 0, -1) for rest in partitions(n - k, k)]


def paths(m, n, steps):
    if (m, n) == (0, 0):
        return 1
    return sum(paths(m - a, n - b, steps) for a, b in steps if m >= a and n >= b)


def words(n, k):
    return itertools.product(range(k), repeat=n)


def motzkin(n):
    return sum(
        sum(w) == 0 and all(x >= 0 for x in itertools.accumulate(w)) for w in itertools.product((-1, 0, 1), repeat=n)
    )


def grid(m, n):
    return list(itertools.product(range(m), range(n)))


def beside(p, q):
    return abs(p[0] - q[0]) + abs(p[1] - q[1]) == 1


def dominoes(cells):
    if not cells:
        return 1
    first = min(cells)
    return sum(dominoes(cells - {first, other}) for other in cells if beside(first, other))


def spanning_trees(m, n):
    cells = grid(m, n)
    edges = [(p, q) for p, q in itertools.combinations(cells, 2) if beside(p, q)]
    found = 0
    for tree in itertools.combinations(edges, len(cells) - 1):
        reached, grown = {cells[0]}, True
        while grown:
            new = {q for e in tree for q in e if set(e) & reached} - reached
            reached, grown = reached | new, bool(new)
        found += len(reached) == len(cells)
    return found


def queens(n):
    return sum(
        len({c + i for i, c in enumerate(p)}) == n == len({c - i for i, c in enumerate(p)}) for p in permutations(n)
    )


def walks(n):
    found = 0
    for turns in itertools.product(((1, 0), (-1, 0), (0, 1), (0, -1)), repeat=n):
        x = y = 0
        seen = {(0, 0)}
        for a, b in turns:
            x, y = x + a, y + b
            seen.add((x, y))
        found += len(seen) == n + 1
    return found


def tableaux(n):
    def fill(shape):
        if not any(shape):
            return 1
        return sum(
            fill((*shape[:i], row - 1, *shape[i + 1 :]))
            for i, row in enumerate(shape)
            if row and (i + 1 == len(shape) or shape[i + 1] < row)
        )

    return fill((n,) * n)


def labelled_trees(n):
    edges = list(itertools.combinations(range(n), 2))
    found = 0
    for tree in itertools.combinations(edges, n - 1):
        part = list(range(n))
        for a, b in tree:
            part = [part[a] if p == part[b] else p for p in part]
        found += len(set(part)) == 1
    return found


BY_ENUMERATION = {
    ("factorial", 6): lambda: len(permutations(6)),
    ("binomial", 7, 3): lambda: len(list(itertools.combinations(range(7), 3))),
    ("lattice-paths", 3, 4): lambda: paths(3, 4, ((1, 0), (0, 1))),
    ("delannoy", 3, 4): lambda: paths(3, 4, ((1, 0), (0, 1), (1, 1))),
    ("partitions", 9): lambda: len(partitions(9, 9)),
    ("distinct-partitions", 11): lambda: sum(len(set(p)) == len(p) for p in partitions(11, 11)),
    ("coins", 60): lambda: coins(60),
    ("derangements", 6): lambda: sum(all(i != x for i, x in enumerate(p)) for p in permutations(6)),
    ("involutions", 6): lambda: sum(all(p[p[i]] == i for i in range(6)) for p in permutations(6)),
    ("zigzag", 6): lambda: sum(all((p[i] < p[i + 1]) == (i % 2 == 0) for i in range(5)) for p in permutations(6)),
    ("eulerian", 6, 2): lambda: sum(sum(a < b for a, b in itertools.pairwise(p)) == 2 for p in permutations(6)),
    ("cycles", 6, 3): lambda: sum(len(cycles(p)) == 3 for p in permutations(6)),
    ("groups", 6, 3): lambda: sum(max(s) == 2 for s in set_partitions(6)),
    ("bell", 6): lambda: len(set_partitions(6)),
    ("surjections", 5, 3): lambda: sum(len(set(w)) == 3 for w in words(5, 3)),
    ("catalan", 5): lambda: sum(
        sum(w) == 0 and all(x >= 0 for x in itertools.accumulate(w)) for w in itertools.product((-1, 1), repeat=10)
    ),
    ("motzkin", 6): lambda: motzkin(6),
    ("labelled-trees", 5): lambda: labelled_trees(5),
    ("spanning-trees", 3, 3): lambda: spanning_trees(3, 3),
    ("spanning-trees", 1, 4): lambda: spanning_trees(1, 4),
    ("necklaces", 6, 2): lambda: len({min(w[i:] + w[:i] for i in range(6)) for w in words(6, 2)}),
    ("dominoes", 4, 4): lambda: dominoes(frozenset(grid(4, 4))),
    ("dominoes", 2, 5): lambda: dominoes(frozenset(grid(2, 5))),
    ("dominoes", 3, 3): lambda: 0,
    ("independent-sets", 3, 3): lambda: sum(
        not any(beside(p, q) for p, q in itertools.combinations(s, 2))
        for k in range(10)
        for s in itertools.combinations(grid(3, 3), k)
    ),
    ("queens", 6): lambda: queens(6),
    ("self-avoiding-walks", 5): lambda: walks(5),
    ("square-tableaux", 3): lambda: tableaux(3),
}


def coins(n):
    return sum(
        1
        for a, b, c, d in itertools.product(range(2), range(3), range(7), range(13))
        if 50 * a + 25 * b + 10 * c + 5 * d <= n
    )


@pytest.mark.parametrize("key", BY_ENUMERATION, ids=str)
def test_counts_agree_with_enumeration(key):
    name, *arguments = key
    assert count.TABLE[name][2](*arguments) == BY_ENUMERATION[key]()


def test_every_count_is_enumerated():
    assert {key[0] for key in BY_ENUMERATION} == set(count.TABLE)


def prime(n):
    return n > 1 and all(n % d for d in range(2, n))


def divisors(n):
    return [d for d in range(1, n + 1) if n % d == 0]


def totient(n):
    return sum(math.gcd(k, n) == 1 for k in range(1, n + 1))


def liouville(n):
    return (-1) ** sum(e for _, e in fmpz(n).factor())


def term(start, weights, n):
    values = list(start)
    while len(values) <= n:
        values.append(sum(w * values[-1 - i] for i, w in enumerate(weights)))
    return values[n]


def tau(n):
    """Through Eisenstein series: (E4^3 - E6^2)/1728."""
    e4 = [1] + [240 * sum(d**3 for d in divisors(k)) for k in range(1, n + 1)]
    e6 = [1] + [-504 * sum(d**5 for d in divisors(k)) for k in range(1, n + 1)]

    def times(a, b):
        return [sum(a[i] * b[k - i] for i in range(k + 1)) for k in range(n + 1)]

    return (times(times(e4, e4), e4)[n] - times(e6, e6)[n]) // 1728


BY_DEFINITION = {
    ("prime-count", 97): lambda: sum(map(prime, range(97))),
    ("prime-count", 98): lambda: sum(map(prime, range(98))),
    ("prime-sum", 50): lambda: sum(filter(prime, range(50))),
    ("twin-primes", 31): lambda: sum(prime(p) and prime(p + 2) for p in range(29)),
    ("twin-primes", 32): lambda: sum(prime(p) and prime(p + 2) for p in range(30)),
    ("nth-prime", 30): lambda: list(filter(prime, range(200)))[29],
    ("mertens", 60): lambda: sum(int(fmpz(k).moebius_mu()) for k in range(1, 61)),
    ("liouville", 60): lambda: sum(map(liouville, range(1, 61))),
    ("totient", 360): lambda: totient(360),
    ("totient-sum", 20): lambda: sum(map(totient, range(1, 21))),
    ("divisor-count", 720): lambda: len(divisors(720)),
    ("divisor-sum", 720): lambda: sum(divisors(720)),
    ("factorial-divisors", 6): lambda: len(divisors(720)),
    ("squarefree", 100): lambda: sum(int(fmpz(k).moebius_mu()) != 0 for k in range(1, 101)),
    ("fibonacci", 12): lambda: int(fmpz.fib_ui(12)),
    ("lucas", 10): lambda: int(fmpz.fib_ui(9) + fmpz.fib_ui(11)),
    ("pell", 8): lambda: 408,
    ("recurrence", 2, -3, 1, -2, 7): lambda: term((2, -3), (1, -2), 7),
    ("tribonacci", 9): lambda: term((0, 0, 1), (1, 1, 1), 9),
    ("power-mod", 7, 13, 1000): lambda: 7**13 % 1000,
    ("order-mod", 10, 97): lambda: min(k for k in range(1, 97) if 10**k % 97 == 1),
    ("collatz", 6): lambda: len([6, 3, 10, 5, 16, 8, 4, 2]),
    ("digit-sum-power", 15): lambda: sum(map(int, "32768")),
    ("factorial-digits", 10): lambda: len("3628800"),
    ("disk", 7): lambda: sum(x * x + y * y <= 49 for x in range(-7, 8) for y in range(-7, 8)),
    ("lcm", 12): lambda: 27720,
    ("tau", 13): lambda: tau(13),
    ("euler-number", 12): lambda: int(fmpz.euler_number(12)),
}


@pytest.mark.parametrize("key", BY_DEFINITION, ids=str)
def test_arithmetic_agrees_with_the_definition(key):
    name, *arguments = key
    assert arithmetic.TABLE[name][2](*arguments) == BY_DEFINITION[key]()


def test_every_arithmetic_function_is_compared():
    assert {key[0] for key in BY_DEFINITION} == set(arithmetic.TABLE)


def share(outcomes, holds):
    outcomes = list(outcomes)
    return fmpq(sum(map(bool, map(holds, outcomes))), len(outcomes))


def has_run(tosses):
    return "111" in "".join(map(str, tosses))


def reach(start, goal, p):
    """Ruin by solving the linear recurrence upwards from an unknown slope."""
    h = [fmpq(0), fmpq(1)]
    while len(h) <= goal:
        h.append((h[-1] - (1 - p) * h[-2]) / p)
    return h[start] / h[goal]


BY_OUTCOMES = {
    ("birthday", 4, 7): lambda: share(words(4, 7), lambda w: len(set(w)) < 4),
    ("dice-at-least", 3, 12): lambda: share(words(3, 6), lambda w: sum(w) + 3 >= 12),
    ("dice-exactly", 3, 9): lambda: share(words(3, 6), lambda w: sum(w) + 3 == 9),
    ("heads-exactly", 7, 3): lambda: share(words(7, 2), lambda w: sum(w) == 3),
    ("heads-at-least", 7, 5): lambda: share(words(7, 2), lambda w: sum(w) >= 5),
    ("run-of-heads", 8, 3): lambda: share(words(8, 2), has_run),
    ("coupon-mean", 7): lambda: 7 * fmpq.harmonic(7),
    ("coupon-done", 3, 6): lambda: share(words(6, 3), lambda w: len(set(w)) == 3),
    ("derangement", 6): lambda: share(permutations(6), lambda p: all(i != x for i, x in enumerate(p))),
    ("hypergeometric", 8, 3, 4, 2): lambda: share(
        itertools.combinations(range(8), 4), lambda s: sum(x < 3 for x in s) == 2
    ),
    ("short-cycles", 6, 2): lambda: share(permutations(6), lambda p: max(cycles(p)) <= 2),
    ("ruin", 2, 5, 2, 5): lambda: reach(2, 5, fmpq(2, 5)),
    ("ruin", 2, 5, 1, 2): lambda: reach(2, 5, fmpq(1, 2)),
    ("line-return", 8): lambda: share(words(8, 2), lambda w: sum(w) == 4),
    ("plane-return", 6): lambda: share(words(6, 4), lambda w: w.count(0) == w.count(1) and w.count(2) == w.count(3)),
    ("all-faces", 7): lambda: share(words(7, 6), lambda w: len(set(w)) == 6),
    ("no-six", 4): lambda: share(words(4, 6), lambda w: 5 not in w),
}


@pytest.mark.parametrize("key", BY_OUTCOMES, ids=str)
def test_probabilities_agree_with_the_list_of_outcomes(key):
    name, *arguments = key
    assert fmpq(*exact_probability.TABLE[name][2](*arguments)) == BY_OUTCOMES[key]()


def test_every_probability_is_compared():
    assert {key[0] for key in BY_OUTCOMES} == set(exact_probability.TABLE)


def beta(m, n):
    return sum((fmpq((-1) ** k * math.comb(n, k), m + k + 1) for k in range(n + 1)), fmpq(0))


def total(values):
    return sum(values, fmpq(0))


BY_FLINT = {
    ("quotient", -3, 7): lambda: fmpq(-3, 7),
    ("harmonic", 25): lambda: fmpq.harmonic(25),
    ("power-sum", 9, 3): lambda: total(fmpq(1, k**3) for k in range(1, 10)),
    ("alternating-harmonic", 9): lambda: total(fmpq((-1) ** k, k) for k in range(1, 10)),
    ("bernoulli", 30): lambda: fmpq.bernoulli(30),
    ("bernoulli", 7): lambda: fmpq(0),
    ("zeta-negative", 9): lambda: -fmpq.bernoulli(10) / 10,
    ("zeta-negative", 2): lambda: fmpq(0),
    ("gregory", 5): lambda: fmpq(3, 160),
    ("gregory", 6): lambda: fmpq(-863, 60480),
    ("exp-partial", 5): lambda: fmpq(163, 60),
    ("wallis", 6): lambda: total(fmpq((-1) ** k * math.comb(6, k), 2 * k + 1) for k in range(7)),
    ("beta", 4, 5): lambda: beta(4, 5),
}


@pytest.mark.parametrize("key", BY_FLINT, ids=str)
def test_exact_sums_agree_with_flint(key):
    name, *arguments = key
    assert fmpq(*exact_sum.TABLE[name][2](*arguments)) == BY_FLINT[key]()


def test_every_exact_sum_is_compared():
    assert {key[0] for key in BY_FLINT} == set(exact_sum.TABLE)


FLINT = {
    "factorial": fmpz.fac_ui,
    "binomial": fmpz.bin_uiui,
    "lattice-paths": lambda m, n: fmpz.bin_uiui(m + n, m),
    "partitions": lambda n: fmpz(n).partitions_p() if hasattr(fmpz(n), "partitions_p") else fmpz.partitions_p(n),
    "bell": fmpz.bell_number,
    "groups": fmpz.stirling_s2,
    "fibonacci": fmpz.fib_ui,
    "totient": lambda n: fmpz(n).euler_phi(),
    "divisor-sum": lambda n: fmpz(n).divisor_sigma(1),
    "divisor-count": lambda n: fmpz(n).divisor_sigma(0),
    "mertens": lambda n: sum(fmpz(k).moebius_mu() for k in range(1, n + 1)),
    "liouville": lambda n: sum(map(liouville, range(1, n + 1))),
    "prime-count": lambda n: sum(fmpz(k).is_prime() for k in range(n)) if n <= 100000 else 78498,
    "euler-number": fmpz.euler_number,
    "power-mod": pow,
}


def test_integer_records_agree_with_flint_where_it_has_the_function():
    compared = 0
    for record in load_ledger().values():
        function = FLINT.get(record.proof.get("function"))
        if function and record.kind == "integer":
            assert int(function(*map(int, record.proof["arguments"]))) == int(record.lo), record.id
            compared += 1
    assert compared >= 30
