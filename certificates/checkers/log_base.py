"""Logarithms to a whole base: p/q <= log_b(a) because b^p <= a^q, in integers."""

from typing import Any

from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.numerals import read_exact

MAX_EXPONENT = 150000


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


def _at_most(over: int, under: int, base: int, number: tuple[int, int]) -> bool:
    """Whether over/under <= log_base(number): in integers, base^over times q^under <= p^under for number = p/q."""
    left, right = int(number[1] ** under), int(number[0] ** under)
    if over >= 0:
        left *= base**over
    else:
        right *= base**-over
    return left <= right


def check(record: dict[str, Any]) -> None:
    """Prove lo <= log_base(number) <= hi. Raises CertificateError."""
    base_text, number_text = _fields(record, "base", "number")
    base, number = _integer(base_text, "proof: base", 2, 1000), _ratio(number_text, "proof: number")
    _require(0 < number[0] < 10**6 and number[1] < 10**6, "proof: number is out of range")
    phrase = f"the logarithm of {number_text} to base {base}"
    _require(record.get("statement") == phrase, "statement: does not say what the proof is about")
    low, high = _ratio(record.get("lo"), "lo endpoint"), _ratio(record.get("hi"), "hi endpoint")
    for end, part in ((low, "lo endpoint"), (high, "hi endpoint")):
        _require(max(abs(end[0]), end[1]) <= MAX_EXPONENT, f"{part}: too long for this proof")
    _require(_at_most(*low, base, number), "lo endpoint: above the logarithm")
    # hi >= log(number) exactly where -hi <= log(1/number).
    _require(_at_most(-high[0], high[1], base, (number[1], number[0])), "hi endpoint: below the logarithm")
