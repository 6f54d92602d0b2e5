"""Solutions of transcendental equations: one sign change over [lo, hi], and a derivative of one sign.

The left side is a sum of terms c x^p g(x) with g among 1, exp(x), exp(-x), sin(x), cos(x), ln(x). Spans are integers
over 2^160, every rounding outward; the derivative is evaluated over equal pieces that cover the interval (interval
arithmetic, Moore 1966).
"""

from itertools import pairwise
from typing import Any

from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.numerals import read_exact

BITS = 160
ONE = 1 << BITS
MAX_PIECES = 64
MAX_ARGUMENT = 16
Span = tuple[int, int]
Term = tuple[int, int, str]
DERIVATIVES = {"exp(x)": (1, "exp(x)"), "exp(-x)": (-1, "exp(-x)"), "sin(x)": (1, "cos(x)"), "cos(x)": (-1, "sin(x)")}


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


def _text(terms: list[Term]) -> str:
    out = ""
    for c, p, g in terms:
        factors = (
            ([] if abs(c) == 1 else [str(abs(c))])
            + ([] if p == 0 else ["x" if p == 1 else f"x^{p}"])
            + ([] if g == "1" else [g])
        )
        out += (" - " if c < 0 else " + ") + ("*".join(factors) or "1")
    return ("-" if out.startswith(" - ") else "") + out[3:]


def _derivative(terms: list[Term]) -> list[Term]:
    out = []
    for c, p, g in terms:
        if p:
            out.append((c * p, p - 1, g))
        if g == "ln(x)":
            out.append((c, p - 1, "1"))
        elif g != "1":
            sign, following = DERIVATIVES[g]
            out.append((c * sign, p, following))
    return out


def _mul(x: Span, y: Span) -> Span:
    products = [a * b for a in x for b in y]
    return min(products) >> BITS, -(-max(products) >> BITS)


def _taylor(n: int, k: int, step: int, flip: bool) -> Span:
    """The sum of x^k/k! over k, k + step, ..., signs alternating where `flip`, at x = n/2^BITS >= 0."""
    low = high = 0
    term, positive = ((ONE, ONE) if k == 0 else (n, n)), True
    while term[1] > 1 or k << BITS < 2 * n:
        low, high = (low + term[0], high + term[1]) if positive else (low - term[1], high - term[0])
        for _ in range(step):
            k += 1
            term = (term[0] * n >> BITS) // k, -(-term[1] * n // (k << BITS))
        positive = positive != flip
    return low - 2, high + 2


def _exp(n: int) -> Span:
    low, high = _taylor(abs(n), 0, 1, False)
    return (low, high) if n >= 0 else (ONE * ONE // high, ONE * ONE // low + 1)


def _log(n: int) -> Span:
    """ln(n/2^BITS) as e ln 2 + 2 artanh((m - 1)/(m + 1))."""
    twos = n.bit_length() - BITS
    whole = 1 << BITS + twos
    parts = []
    for over, under in ((whole - n, whole + n), (1, 3)):
        low, high, k = -2, 2, 1
        near, far = (over << BITS) // under, -((-over << BITS) // under)
        while far > 1:
            low, high = low + near // k, high + far // k + 1
            near, far, k = near * over * over // (under * under), -(-far * over * over // (under * under)), k + 2
        parts.append((2 * low, 2 * high))
    (low, high), two = parts
    return min(twos * two[0], twos * two[1]) - high, max(twos * two[0], twos * two[1]) - low


def _function(g: str, x: Span) -> Span:
    if g == "1":
        return ONE, ONE
    if g == "ln(x)":
        return _log(x[0])[0], _log(x[1])[1]
    if g == "exp(x)":
        return _exp(x[0])[0], _exp(x[1])[1]
    if g == "exp(-x)":
        return _exp(-x[1])[0], _exp(-x[0])[1]
    middle = x[0] + x[1] >> 1
    spread = x[1] - middle + 1
    low, high = _taylor(abs(middle), 0 if g == "cos(x)" else 1, 2, True)
    low, high = (-high, -low) if g == "sin(x)" and middle < 0 else (low, high)
    return max(low - spread, -ONE), min(high + spread, ONE)


def _evaluate(terms: list[Term], x: Span) -> Span:
    low = high = 0
    for c, p, g in terms:
        value = _function(g, x)
        for _ in range(abs(p)):
            value = _mul(value, x if p > 0 else (ONE * ONE // x[1], ONE * ONE // x[0] + 1))
        low, high = low + min(c * value[0], c * value[1]), high + max(c * value[0], c * value[1])
    return low, high


def _sign(span: Span) -> int:
    return (span[0] > 0) - (span[1] < 0)


def _terms(data: object) -> list[Term]:
    out = []
    for member in _list(data, "proof: terms", 1, 6):
        c, p, g = _list(member, "proof: terms", 3, 3)
        _require(g in ("1", "ln(x)", *DERIVATIVES), "proof: terms name an unknown function")
        out.append((_integer(c, "proof: terms", -(10**9), 10**9), _integer(p, "proof: terms", 0, 6), str(g)))
    return out


def check(record: dict[str, Any]) -> None:
    """Prove that the only solution between `from` and `to` lies in [lo, hi]. Raises CertificateError."""
    data, from_text, to_text, pieces_text = _fields(record, "terms", "from", "to", "pieces")
    terms, pieces = _terms(data), _integer(pieces_text, "proof: pieces", 1, MAX_PIECES)
    a, b = (
        _integer(from_text, "proof: from", -MAX_ARGUMENT, MAX_ARGUMENT),
        _integer(to_text, "proof: to", -MAX_ARGUMENT, MAX_ARGUMENT),
    )
    _require(a < b, "proof: from must be below to")
    _require(a > 0 or all(g != "ln(x)" for _, _, g in terms), "proof: ln needs a positive interval")
    angles = " with angles in radians" if any(g in ("sin(x)", "cos(x)") for _, _, g in terms) else ""
    phrase = f"the only solution x of {_text(terms)} = 0 between {a} and {b}{angles}"
    _require(record.get("statement") == phrase, "statement: does not say what the proof is about")
    slope = _derivative(terms)
    knots = [(a << BITS) + i * ((b - a) << BITS) // pieces for i in range(pieces + 1)]
    signs = {_sign(_evaluate(slope, (x, y))) for x, y in pairwise(knots)}
    _require(signs in ({1}, {-1}), "proof: the derivative is not shown to keep its sign")
    rising = signs.pop()
    for end, part, side, where in (("lo", "lo endpoint", -1, "above"), ("hi", "hi endpoint", 1, "below")):
        over, under = _ratio(record.get(end), part)
        _require(a * under <= over <= b * under, f"{part}: outside the interval of the proof")
        point = (over << BITS) // under, -((-over << BITS) // under)
        _require(_sign(_evaluate(terms, point)) == side * rising, f"{part}: {where} the solution")
