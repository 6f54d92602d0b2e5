"""Exact probabilities and expectations of finite experiments, counted or by dynamic programming, in integers."""

from collections.abc import Callable
from math import comb, factorial, perm
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


def _birthday(people: int, days: int) -> Value:
    return days**people - perm(days, people), days**people


def _dice_sums(dice: int) -> list[int]:
    """Ways to roll each sum, from 0 up."""
    ways = [1]
    for _ in range(dice):
        ways = [sum(ways[s - f] for f in range(1, 7) if 0 <= s - f < len(ways)) for s in range(len(ways) + 6)]
    return ways


def _dice_at_least(dice: int, total: int) -> Value:
    return sum(_dice_sums(dice)[total:]), 6**dice


def _dice_exactly(dice: int, total: int) -> Value:
    ways = _dice_sums(dice)
    return (ways[total] if total < len(ways) else 0), 6**dice


def _heads_at_least(tosses: int, heads: int) -> Value:
    return sum(comb(tosses, k) for k in range(heads, tosses + 1)), 2**tosses


def _run(tosses: int, length: int) -> Value:
    """By the number of heads that end the string so far; a run of `length` absorbs."""
    ways = [1] + [0] * (length - 1)
    for _ in range(tosses):
        ways = [sum(ways), *ways[:-1]]
    return 2**tosses - sum(ways), 2**tosses


def _coupons(kinds: int) -> Value:
    common = factorial(kinds)
    return kinds * sum(common // k for k in range(1, kinds + 1)), common


def _collected(kinds: int, draws: int) -> Value:
    return sum((-1) ** j * comb(kinds, j) * (kinds - j) ** draws for j in range(kinds + 1)), kinds**draws


def _derangement(n: int) -> Value:
    return sum((-1) ** k * factorial(n) // factorial(k) for k in range(n + 1)), factorial(n)


def _hypergeometric(population: int, good: int, drawn: int, hits: int) -> Value:
    return comb(good, hits) * comb(population - good, drawn - hits) if hits <= drawn else 0, comb(population, drawn)


def _long_cycle(n: int, length: int) -> Value:
    """No cycle is longer than `length`; by the length of the cycle that holds the last element."""
    ways = [1]
    for m in range(1, n + 1):
        ways.append(sum(perm(m - 1, k - 1) * ways[m - k] for k in range(1, min(length, m) + 1)))
    return ways[n], factorial(n)


def _ruin(start: int, goal: int, over: int, under: int) -> Value:
    """(1 - r^start)/(1 - r^goal) with r = (1 - p)/p, cleared of denominators; a fair game gives start/goal."""
    p, q = over, under - over
    if p == q:
        return start, goal
    return p ** (goal - start) * (p**start - q**start), p**goal - q**goal


def _return_home(dimension: int, steps: int) -> Value:
    """Simple random walk on the integer line or the square lattice, `steps` even."""
    ways = comb(steps, steps // 2) if steps % 2 == 0 else 0
    return ways**dimension, 2 ** (dimension * steps)


TABLE: dict[str, tuple[str, tuple[tuple[int, int], ...], Callable[..., Value]]] = {
    "birthday": (
        "the probability that {0} people with independent uniform birthdays in a {1}-day year share "
        "at least one birthday",
        ((2, 200), (2, 1000)),
        _birthday,
    ),
    "dice-at-least": (
        "the probability that {0} fair six-sided dice sum to at least {1}",
        ((1, 60), (1, 360)),
        _dice_at_least,
    ),
    "dice-exactly": (
        "the probability that {0} fair six-sided dice sum to exactly {1}",
        ((1, 60), (1, 360)),
        _dice_exactly,
    ),
    "heads-exactly": (
        "the probability of exactly {1} heads in {0} tosses of a fair coin",
        ((1, 400), (0, 400)),
        lambda n, k: (comb(n, k), 2**n),
    ),
    "heads-at-least": (
        "the probability of at least {1} heads in {0} tosses of a fair coin",
        ((1, 400), (0, 400)),
        _heads_at_least,
    ),
    "run-of-heads": (
        "the probability that {0} tosses of a fair coin contain at least {1} heads in a row",
        ((1, 400), (1, 50)),
        _run,
    ),
    "coupon-mean": (
        "the expected number of uniform random draws with replacement until each of {0} coupons has been seen",
        ((1, 100),),
        _coupons,
    ),
    "coupon-done": (
        "the probability that {1} uniform random draws with replacement from {0} coupons show every coupon",
        ((1, 60), (1, 300)),
        _collected,
    ),
    "derangement": (
        "the probability that a uniform random permutation of {0} objects has no fixed point",
        ((2, 100),),
        _derangement,
    ),
    "hypergeometric": (
        "the probability that {2} balls drawn without replacement from {0} balls, {1} of them red, hold "
        "exactly {3} red balls",
        ((1, 300), (0, 300), (1, 300), (0, 300)),
        _hypergeometric,
    ),
    "short-cycles": (
        "the probability that a uniform random permutation of {0} objects has no cycle longer than {1}",
        ((1, 120), (1, 120)),
        _long_cycle,
    ),
    "ruin": (
        "the probability that a gambler who starts with {0} units and wins each unit bet with probability {2}/{3} "
        "reaches {1} before 0",
        ((1, 60), (2, 60), (1, 99), (2, 100)),
        _ruin,
    ),
    "line-return": (
        "the probability that a simple random walk on the integer line is at its start after {0} steps",
        ((2, 300),),
        lambda n: _return_home(1, n),
    ),
    "plane-return": (
        "the probability that a simple random walk on the square lattice is at its start after {0} steps",
        ((2, 300),),
        lambda n: _return_home(2, n),
    ),
    "all-faces": (
        "the probability that {0} rolls of a fair six-sided die show all six faces",
        ((6, 100),),
        lambda n: _collected(6, n),
    ),
    "no-six": (
        "the probability that {0} rolls of a fair six-sided die show no six",
        ((1, 60),),
        lambda n: (5**n, 6**n),
    ),
}
"""Name: statement, least and greatest value of each argument, function."""


def check(record: dict[str, Any]) -> None:
    """Prove that lo = hi = the named probability or expectation. Raises CertificateError."""
    name, listed = _fields(record, "function", "arguments")
    _require(isinstance(name, str) and name in TABLE, "proof: unknown function")
    statement, bounds, function = TABLE[name]
    texts = _list(listed, "proof: arguments", len(bounds), len(bounds))
    arguments = [_integer(t, "proof: arguments", *bound) for t, bound in zip(texts, bounds, strict=True)]
    _require(
        name != "ruin" or (arguments[0] < arguments[1] and arguments[2] < arguments[3]), "proof: arguments out of order"
    )
    _require(name != "hypergeometric" or max(arguments[1:3]) <= arguments[0], "proof: arguments out of order")
    phrase, value = statement.format(*arguments), function(*arguments)
    _require(record.get("statement") == phrase, "statement: does not say what the proof is about")
    low, high = _ratio(record.get("lo"), "lo endpoint"), _ratio(record.get("hi"), "hi endpoint")
    _require(low[0] * value[1] == value[0] * low[1], "lo endpoint: not the exact value")
    _require(high[0] * value[1] == value[0] * high[1], "hi endpoint: not the exact value")
