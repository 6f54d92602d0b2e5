"""Values of elementary expressions: an enclosure in integers over 2^160, every rounding outward, lies in [lo, hi].

exp by its Taylor series after halving, ln by 2 artanh((m - 1)/(m + 1)), arctan after halving the angle, sin and cos by
Taylor (Lipschitz bound 1 for the spread of the argument), pi by Machin's formula. Tails are below two units.
"""

from functools import cache
from math import isqrt
from typing import Any

from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.numerals import read_exact

BITS = 160
ONE = 1 << BITS
MAX_DEPTH = 10
MAX_VALUE_BITS = 600
MAX_ARGUMENT = 64
"""Largest argument of exp, sin and cos."""
Span = tuple[int, int]


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


def _list(value: object, part: str, least: int, most: int) -> list[Any]:
    if not isinstance(value, list) or not least <= len(value) <= most:
        raise CertificateError(f"{part}: must be a list of {least} to {most} members")
    return value


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise CertificateError(message)


def _up(over: int, under: int) -> int:
    return -(-over // under)


def _mul(left: Span, right: Span) -> Span:
    products = [a * b for a in left for b in right]
    return min(products) >> BITS, -(-max(products) >> BITS)


def _div(left: Span, right: Span) -> Span:
    _require(right[0] > 0 or right[1] < 0, "proof: division by a span that holds zero")
    return min((a << BITS) // b for a in left for b in right), max(_up(a << BITS, b) for a in left for b in right)


def _odd_series(x: Span, alternating: bool) -> Span:
    """The sum of x^k/k over odd k, with alternating signs for arctan and without for artanh; 0 <= x <= 1/2."""
    low, high, k = -2, 2, 1
    square = x[0] * x[0] >> BITS, _up(x[1] * x[1], ONE)
    while x[1] > 1:
        term = x[0] // k, _up(x[1], k)
        if alternating and k % 4 == 3:
            low, high = low - term[1], high - term[0]
        else:
            low, high = low + term[0], high + term[1]
        x = x[0] * square[0] >> BITS, _up(x[1] * square[1], ONE)
        k += 2
    return low, high


@cache
def _constants() -> tuple[Span, Span]:
    """Enclosures of ln 2 and pi."""
    third, fifth, tiny = (_odd_series((ONE // n, ONE // n + 1), n != 3) for n in (3, 5, 239))
    return (2 * third[0], 2 * third[1]), (16 * fifth[0] - 4 * tiny[1], 16 * fifth[1] - 4 * tiny[0])


def _exp(n: int) -> Span:
    if n < 0:
        low, high = _exp(-n)
        return ONE * ONE // high, _up(ONE * ONE, low)
    halvings = max(0, n.bit_length() - BITS + 6)
    low, high, term, k = 0, 2, (ONE, ONE), 0
    while term[1] > 1:
        low, high, k = low + term[0], high + term[1], k + 1
        term = (term[0] * n >> BITS + halvings) // k, _up(term[1] * n, k << BITS + halvings)
    for _ in range(halvings):
        low, high = low * low >> BITS, _up(high * high, ONE)
    return low, high


def _log(n: int) -> Span:
    twos = n.bit_length() - BITS
    if 3 * n < 1 << BITS + twos + 1:
        twos -= 1
    whole = 1 << BITS + twos
    over, under = abs(n - whole) << BITS, n + whole
    low, high = _odd_series((over // under, _up(over, under)), False)
    low, high = (2 * low, 2 * high) if n >= whole else (-2 * high, -2 * low)
    two = _constants()[0]
    return low + min(twos * two[0], twos * two[1]), high + max(twos * two[0], twos * two[1])


def _atan(n: int) -> Span:
    if n < 0:
        low, high = _atan(-n)
        return -high, -low
    if n > ONE:
        low, high = _atan(ONE * ONE // n)[0], _atan(_up(ONE * ONE, n))[1]
        return _constants()[1][0] // 2 - high, _up(_constants()[1][1], 2) - low
    x: Span = (n, n)
    for _ in range(3):
        square = _mul(x, x)
        x = _div(x, (ONE + isqrt((ONE + square[0]) << BITS), ONE + isqrt((ONE + square[1]) << BITS) + 1))
    low, high = _odd_series(x, True)
    return 8 * low, 8 * high


def _circular(x: Span, k: int) -> Span:
    """Sin (k = 1) or cos (k = 0)."""
    middle = x[0] + x[1] >> 1
    size, spread = abs(middle), x[1] - middle + 2
    low = high = 0
    term, positive = (ONE, ONE) if k == 0 else (size, size), True
    while term[1] > 1 or k << BITS < 2 * size:
        low, high = (low + term[0], high + term[1]) if positive else (low - term[1], high - term[0])
        step = (k + 1) * (k + 2) << 2 * BITS
        term = term[0] * size * size // step, _up(term[1] * size * size, step)
        k, positive = k + 2, not positive
    low, high = (-high, -low) if k % 2 and middle < 0 else (low, high)
    return low - spread, high + spread


def _apply(name: str, args: list[Span]) -> Span:
    x, y = args[0], args[-1]
    if name in ("add", "sub"):
        return (x[0] + y[0], x[1] + y[1]) if name == "add" else (x[0] - y[1], x[1] - y[0])
    if name in ("mul", "div"):
        return _mul(x, y) if name == "mul" else _div(x, y)
    if name in ("exp", "sin", "cos"):
        _require(max(abs(x[0]), abs(x[1])) <= MAX_ARGUMENT * ONE, f"proof: argument of {name} too large")
        return (_exp(x[0])[0], _exp(x[1])[1]) if name == "exp" else _circular(x, 1 if name == "sin" else 0)
    if name == "arctan":
        return _atan(x[0])[0], _atan(x[1])[1]
    _require(x[0] > 0, f"proof: argument of {name} is not positive")
    return (_log(x[0])[0], _log(x[1])[1]) if name == "ln" else (isqrt(x[0] << BITS), isqrt(x[1] << BITS) + 1)


SIGNS = {"add": " + ", "sub": " - ", "mul": "*", "div": "/"}
FUNCTIONS = ("exp", "ln", "sqrt", "arctan", "sin", "cos")


def _read(node: object, depth: int) -> tuple[Span, str, int]:
    """Enclosure, text, and binding strength (1 sum, 2 product, 3 atom) of an expression."""
    _require(depth <= MAX_DEPTH, "proof: expression nested too deep")
    if isinstance(node, str):
        over, under = _ratio(node, "proof: expression")
        value = (over << BITS) // under, _up(over << BITS, under)
        return _bounded(value), node, 1 if over < 0 else 3 if under == 1 else 2
    name, *rest = _list(node, "proof: expression", 1, 3)
    if name == "pi" and not rest:
        return _constants()[1], "pi", 3
    if name in FUNCTIONS and len(rest) == 1:
        value, text, _ = _read(rest[0], depth + 1)
        return _bounded(_apply(name, [value])), f"{name}({text})", 3
    _require(isinstance(name, str) and name in SIGNS and len(rest) == 2, "proof: unknown operation in expression")
    (x, left, left_strength), (y, right, right_strength) = _read(rest[0], depth + 1), _read(rest[1], depth + 1)
    strength = 1 if name in ("add", "sub") else 2
    left = f"({left})" if left_strength < strength else left
    right = f"({right})" if right_strength < strength or (right_strength == strength and name != "add") else right
    return _bounded(_apply(name, [x, y])), left + SIGNS[name] + right, strength


def _bounded(value: Span) -> Span:
    _require(max(abs(value[0]), abs(value[1])).bit_length() <= MAX_VALUE_BITS, "proof: a value is too large")
    return value


def check(record: dict[str, Any]) -> None:
    """Prove that the expression's value lies in [lo, hi]. Raises CertificateError."""
    (node,) = _fields(record, "expression")
    value, text, _ = _read(node, 0)
    angles = " with angles in radians" if "sin(" in text or "cos(" in text else ""
    _require(record.get("statement") == f"the number {text}{angles}", "statement: does not say what the proof is about")
    low, high = _ratio(record.get("lo"), "lo endpoint"), _ratio(record.get("hi"), "hi endpoint")
    _require(low[0] << BITS <= value[0] * low[1], "lo endpoint: above what the proof establishes")
    _require(high[0] << BITS >= value[1] * high[1], "hi endpoint: below what the proof establishes")
