"""Rational powers: lo <= base^(p/q) <= hi because lo^q <= base^p <= hi^q in integers (monotonicity of x -> x^q)."""

from typing import Any

from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.numerals import read_exact

MAX_NAMED = 10**600
"""Numbers of a statement stay below this, so that no setting of the interpreter decides whether they print."""
MAX_EXPONENT = 64


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


def _text(base: tuple[int, int], over: int, under: int) -> str:
    shown = f"{base[0]}" if base[1] == 1 else f"{base[0]}/{base[1]}"
    if over == 1 and under in (2, 3):
        return f"the {'square' if under == 2 else 'cube'} root of {shown}"
    return f"the number {shown if base[1] == 1 else f'({shown})'}^({over}/{under})"


def check(record: dict[str, Any]) -> None:
    """Prove lo <= base^(over/under) <= hi for a positive rational base. Raises CertificateError."""
    base_text, over_text, under_text = _fields(record, "base", "over", "under")
    base = _ratio(base_text, "proof: base")
    over = _integer(over_text, "proof: over", -MAX_EXPONENT, MAX_EXPONENT)
    under = _integer(under_text, "proof: under", 2, MAX_EXPONENT)
    _require(0 < base[0] < MAX_NAMED and base[1] < MAX_NAMED, "proof: base must be positive and below 10^600")
    _require(record.get("statement") == _text(base, over, under), "statement: does not say what the proof is about")
    low, high = _ratio(record.get("lo"), "lo endpoint"), _ratio(record.get("hi"), "hi endpoint")
    numerator, denominator = base if over >= 0 else (base[1], base[0])
    numerator, denominator = numerator ** abs(over), denominator ** abs(over)
    below = low[0] <= 0 or low[0] ** under * denominator <= numerator * low[1] ** under
    _require(below, "lo endpoint: above the power")
    above = high[0] > 0 and high[0] ** under * denominator >= numerator * high[1] ** under
    _require(above, "hi endpoint: below the power")
