"""IEEE 754 doubles as integers: ordinals, exact values, neighbours of a rational, counts in an interval.

The ordinal of a finite double is its place in increasing order, 0 for both zeros, so that neighbours
differ by one and `ordinal(-x) == -ordinal(x)`. Everything is closed-form integer arithmetic.
Rationals come as two plain integers, `denominator > 0`; lowest terms are not needed.
"""

import struct

MAX_ORDINAL = 0x7FEF_FFFF_FFFF_FFFF
"""Ordinal of the largest finite double; `-MAX_ORDINAL` is that of the smallest."""

_BITS = struct.Struct("<q")
_DOUBLE = struct.Struct("<d")
_SIGN_CLEAR = 0x7FFF_FFFF_FFFF_FFFF
_MANTISSA = 1 << 52
_LOWEST_EXPONENT = -1074


def ordinal(value: float) -> int:
    """Place of a finite double in increasing order; both zeros are 0. Raises OverflowError on inf and nan.

    >>> ordinal(-0.0), ordinal(5e-324), ordinal(-5e-324)
    (0, 1, -1)
    """
    bits: int = _BITS.unpack(_DOUBLE.pack(value))[0]
    place = bits if bits >= 0 else -(bits & _SIGN_CLEAR)
    if not -MAX_ORDINAL <= place <= MAX_ORDINAL:
        raise OverflowError(f"not a finite double: {value!r}")
    return place


def from_ordinal(place: int) -> float:
    """The double at `place`. Raises OverflowError beyond the finite range.

    >>> from_ordinal(ordinal(1.0) + 1)
    1.0000000000000002
    """
    if not -MAX_ORDINAL <= place <= MAX_ORDINAL:
        raise OverflowError(f"no finite double has the ordinal {place}")
    value: float = _DOUBLE.unpack(_BITS.pack(abs(place)))[0]
    return -value if place < 0 else value


def _ordinal_of_quotient(numerator: int, denominator: int, round_up: bool) -> int:
    """Ordinal of the double next to a positive rational, up or down; may lie beyond MAX_ORDINAL."""
    magnitude = numerator.bit_length() - denominator.bit_length()
    if magnitude >= 0:
        below = numerator < denominator << magnitude
    else:
        below = numerator << -magnitude < denominator
    exponent = max(magnitude - below - 52, _LOWEST_EXPONENT)
    if exponent >= 0:
        denominator <<= exponent
    else:
        numerator <<= -exponent
    steps = -(-numerator // denominator) if round_up else numerator // denominator
    return (exponent - _LOWEST_EXPONENT) * _MANTISSA + steps


def at_or_above(numerator: int, denominator: int) -> int:
    """Ordinal of the first double at or above the rational; `MAX_ORDINAL + 1` where there is none.

    >>> from_ordinal(at_or_above(1, 10))
    0.1
    """
    if numerator > 0:
        return min(_ordinal_of_quotient(numerator, denominator, True), MAX_ORDINAL + 1)
    if numerator == 0:
        return 0
    return -min(_ordinal_of_quotient(-numerator, denominator, False), MAX_ORDINAL)


def at_or_below(numerator: int, denominator: int) -> int:
    """Ordinal of the first double at or below the rational; `-MAX_ORDINAL - 1` where there is none.

    >>> from_ordinal(at_or_below(1, 10))
    0.09999999999999999
    """
    return -at_or_above(-numerator, denominator)


def above(numerator: int, denominator: int) -> int:
    """Ordinal of the first double strictly above the rational; `MAX_ORDINAL + 1` where there is none."""
    return at_or_below(numerator, denominator) + 1


def below(numerator: int, denominator: int) -> int:
    """Ordinal of the first double strictly below the rational; `-MAX_ORDINAL - 1` where there is none."""
    return at_or_above(numerator, denominator) - 1


def nearest(numerator: int, denominator: int) -> int:
    """Ordinal of the nearest double, ties to even, as Python's correctly rounded division gives it.

    Raises OverflowError where the nearest is not finite.
    """
    return ordinal(numerator / denominator)


def value_of(place: int) -> tuple[int, int]:
    """Exact value of the double at `place` as numerator and denominator (a power of two).

    >>> value_of(ordinal(0.75))
    (3, 4)
    """
    return from_ordinal(place).as_integer_ratio()


def ordinals_in(
    low: tuple[int, int], high: tuple[int, int], *, low_closed: bool = True, high_closed: bool = True
) -> tuple[int, int]:
    """First and last ordinal in the rational interval; the first exceeds the last where no double is in it."""
    first = at_or_above(*low) if low_closed else above(*low)
    last = at_or_below(*high) if high_closed else below(*high)
    return first, last


def count_in(low: tuple[int, int], high: tuple[int, int], *, low_closed: bool = True, high_closed: bool = True) -> int:
    """Number of finite doubles (both zeros are one) in the rational interval.

    >>> count_in((1, 1), (2, 1)) == 2**52 + 1
    True
    """
    first, last = ordinals_in(low, high, low_closed=low_closed, high_closed=high_closed)
    return max(0, last - first + 1)
