"""What each grader shape accepts, as one interval of rationals with open or closed ends."""

from dataclasses import dataclass

from impossible_rubrics_env.exact import Rational, ratio_of, rational

HALF = rational(1, 2)
EVEN = "even"
AWAY = "away"


@dataclass(frozen=True, slots=True)
class Acceptance:
    """The interval of exact values that a grader accepts."""

    lo: Rational
    lo_closed: bool
    hi: Rational
    hi_closed: bool


@dataclass(frozen=True, slots=True)
class Rounding:
    """Rounding to `digits` after the point (`decimals`) or to `digits` significant digits (`significant`)."""

    mode: str
    digits: int
    ties: str
    """`even` or `away` (from zero)."""


def within(key: Rational, tolerance: Rational) -> Acceptance:
    """All x with |x - key| <= tolerance."""
    return Acceptance(key - tolerance, True, key + tolerance, True)


def rounds_alike(key: Rational, rounding: Rounding) -> tuple[Acceptance, Rational]:
    """All x that round to what `key` rounds to, and that rounded value. `key` must not be 0 in `significant` mode.

    The cell of a power of ten is narrower on the side of zero in `significant` mode: the digits are finer there.
    """
    unit = _unit(key, rounding)
    rounded = _round(key, unit, rounding.ties)
    magnitude = abs(rounded)
    inner = outer = unit
    if rounding.mode == "significant":
        outer = _unit(rounded, rounding)
        inner = outer / 10 if magnitude == outer * 10 ** (rounding.digits - 1) else outer
    far_closed = near_closed = False
    if rounding.ties == EVEN:
        far_closed = _is_even(magnitude / outer)
        near_closed = _is_even(magnitude / inner)
    elif magnitude:
        near_closed = True
    near, far = magnitude - inner * HALF, magnitude + outer * HALF
    if rounded < 0:
        return Acceptance(-far, far_closed, -near, near_closed), rounded
    return Acceptance(near, near_closed, far, far_closed), rounded


def _unit(value: Rational, rounding: Rounding) -> Rational:
    """The unit in the last kept place of `value`."""
    places = rounding.digits
    if rounding.mode == "significant":
        places -= leading_exponent(value) + 1
    return rational(1, 10**places) if places >= 0 else rational(10**-places)


def leading_exponent(value: Rational) -> int:
    """The e with 10^e <= |value| < 10^(e+1); `value` is not 0."""
    numerator, denominator = ratio_of(abs(value))
    guess = len(str(numerator)) - len(str(denominator))
    if guess >= 0:
        return guess if numerator >= denominator * 10**guess else guess - 1
    return guess if numerator * 10**-guess >= denominator else guess - 1


def _round(value: Rational, unit: Rational, ties: str) -> Rational:
    numerator, denominator = ratio_of(abs(value) / unit)
    steps, rest = divmod(numerator, denominator)
    if 2 * rest > denominator or (2 * rest == denominator and (ties == AWAY or steps % 2 == 1)):
        steps += 1
    return (-steps if value < 0 else steps) * unit


def _is_even(steps: Rational) -> bool:
    return ratio_of(steps).numerator % 2 == 0
