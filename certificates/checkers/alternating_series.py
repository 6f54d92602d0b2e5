"""Alternating sums of (-1)^k/(a k + b)^s, accelerated.

The terms are moments of a positive measure on [0, 1], so the n-term approximation is within S/d of the sum S, where
d = T_n(3) (Cohen, Rodriguez Villegas, Zagier, "Convergence acceleration of alternating series", 2000, Proposition 1).
"""

from typing import Any

from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.numerals import read_exact

BITS = 192
MAX_TERMS = 100


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


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise CertificateError(message)


def _text(scale: str, step: int, offset: int, power: int) -> str:
    body = ("" if step == 1 else str(step)) + "k" + (f" + {offset}" if offset else "")
    times = "" if scale == "1" else f"{scale} times "
    return f"{times}the sum over k >= 0 of (-1)^k/({body})" + (f"^{power}" if power > 1 else "")


def _accelerated(step: int, offset: int, power: int, terms: int) -> tuple[int, int, int]:
    """Enclosure of d times the approximation, over 2^BITS, and d."""
    before, d = 1, 3
    for _ in range(terms - 1):
        before, d = d, 6 * d - before
    weight, c, low, high = -1, -d, 0, 0
    for k in range(terms):
        c = weight - c
        part = (c << BITS) // (step * k + offset) ** power
        low, high = low + part, high + part + 1
        weight = weight * 2 * (k + terms) * (k - terms) // ((2 * k + 1) * (k + 1))
    return low, high, d


def check(record: dict[str, Any]) -> None:
    """Prove that scale times the alternating sum lies in [lo, hi]. Raises CertificateError."""
    scale_text, *texts = _fields(record, "scale", "step", "offset", "power", "terms")
    scale = _ratio(scale_text, "proof: scale")
    bounds = (("step", 1, 100), ("offset", 1, 100), ("power", 1, 20), ("terms", 2, MAX_TERMS))
    step, offset, power, terms = (
        _integer(text, f"proof: {name}", least, most) for text, (name, least, most) in zip(texts, bounds, strict=True)
    )
    _require(scale[0] != 0, "proof: scale is zero")
    phrase = _text(scale_text, step, offset, power)
    _require(record.get("statement") == phrase, "statement: does not say what the proof is about")
    low, high, d = _accelerated(step, offset, power, terms)
    _require(low > 0, "proof: too few terms")
    # approximation/(1 + 1/d) <= S <= approximation/(1 - 1/d)
    ends = sorted(((low // (d + 1)) * scale[0], (-(-high // (d - 1))) * scale[0]))
    first, second = _ratio(record.get("lo"), "lo endpoint"), _ratio(record.get("hi"), "hi endpoint")
    _require(first[0] * scale[1] << BITS <= ends[0] * first[1], "lo endpoint: above what the proof establishes")
    _require(second[0] * scale[1] << BITS >= ends[1] * second[1], "hi endpoint: below what the proof establishes")
