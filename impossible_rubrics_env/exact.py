"""Exact rationals: sympy `QQ` elements from text and integers, and back to text. A float is never accepted.

Results do not depend on sympy's ground types (python, gmpy, flint): only `QQ` operations and plain
integers leave this module.
"""

from typing import Any

from sympy import QQ, ZZ

from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.numerals import Ratio, read_exact

MAX_DECIMAL_CHARS = 30
"""Longest decimal that `number_text` prints where `p/q` is shorter."""
Rational = Any
"""An element of sympy's `QQ`; its class is that of the ground types in use."""

_RATIONAL_TYPE = type(QQ(1, 2))
_INTEGER_TYPE = type(ZZ(1))


def rational(value: int | str | Rational, denominator: int = 1) -> Rational:
    """The rational `value / denominator`; text may be a decimal or `p/q`.

    Raises TypeError on a float or a bool, ArgumentError on text that is not a bounded number.

    >>> rational("0.1") * 10 == rational(1)
    True
    """
    if type(value) is int:
        return QQ.dtype(value, denominator)  # as QQ(value, denominator), which is called often, gets there
    if type(value) is _RATIONAL_TYPE and denominator == 1:
        return value
    if isinstance(value, str):
        ratio = read_exact(value)
        if ratio is None:
            raise ArgumentError(f"not an exact number within the bounds: {value[:60]!r}; write a decimal or p/q")
        return QQ(ratio.numerator, ratio.denominator * denominator)
    if isinstance(value, bool) or not isinstance(value, (int, _RATIONAL_TYPE, _INTEGER_TYPE)):
        raise TypeError(f"exact numbers are made from int, str or QQ elements, not {type(value).__name__}: {value!r}")
    return QQ(value) / denominator


def ratio_of(value: Rational) -> Ratio:
    """Numerator and denominator in lowest terms, as plain integers.

    >>> ratio_of(rational("0.5"))
    Ratio(numerator=1, denominator=2)
    """
    return Ratio(int(value.numerator), int(value.denominator))


def ratio_text(value: Rational) -> str:
    """`p/q` in lowest terms, or `p` for an integer: the form that JSON carries.

    >>> ratio_text(rational("0.50")), ratio_text(rational(-3))
    ('1/2', '-3')
    """
    numerator, denominator = int(value.numerator), int(value.denominator)
    return str(numerator) if denominator == 1 else f"{numerator}/{denominator}"


def decimal_places(denominator: int) -> int | None:
    """Digits after the point of a terminating decimal with this lowest-terms denominator; None where it repeats."""
    twos = (denominator & -denominator).bit_length() - 1
    rest = denominator >> twos
    fives = 0
    while rest % 5 == 0:
        rest //= 5
        fives += 1
    return max(twos, fives) if rest == 1 else None


def decimal_text(value: Rational) -> str | None:
    """The exact decimal expansion, or None where it does not terminate.

    >>> decimal_text(rational("-1/8")), decimal_text(rational("1/3"))
    ('-0.125', None)
    """
    numerator, denominator = ratio_of(value)
    places = decimal_places(denominator)
    if places is None:
        return None
    if places == 0:
        return str(numerator)
    digits = str(abs(numerator) * 10**places // denominator).rjust(places + 1, "0")
    return f"{'-' if numerator < 0 else ''}{digits[:-places]}.{digits[-places:]}"


def number_text(value: Rational) -> str:
    """The exact number as the prompt prints it: a decimal where it is short, else the shorter of decimal and p/q."""
    decimal, ratio = decimal_text(value), ratio_text(value)
    if decimal is None or (len(decimal) > MAX_DECIMAL_CHARS and len(ratio) < len(decimal)):
        return ratio
    return decimal
