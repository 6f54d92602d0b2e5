"""Solves for the tolerance that leaves a wanted number of doubles in the band.

The band is what lies within the tolerance of the key and outside the certificate. With the key at fraction f of
the width w and spacing u, the room is about (tol - min(f, 1-f) w) / u on the near side until the far side opens,
then (2 tol - w) / u: solved for tol, corrected by the exact count, and landed on the shortest decimal.
"""

import random
from dataclasses import dataclass

from impossible_rubrics_env.doubles import at_or_above, at_or_below, nearest, ordinals_in, value_of
from impossible_rubrics_env.exact import Rational, decimal_places, ratio_of, ratio_text, rational
from impossible_rubrics_env.taskgen.acceptance import leading_exponent

POSITIONS = 5
"""Keys sit at 0, 1/4, 1/2, 3/4 and 1 of the certificate."""
_CORRECTIONS = 4
_STEPS = 2**40


@dataclass(frozen=True, slots=True)
class Certificate:
    """A proved closed interval and the doubles in it."""

    lo: Rational
    hi: Rational
    first: int
    last: int
    widened: bool
    """Whether the ends were moved out to doubles, so that the interval holds the double nearest to any key."""


@dataclass(frozen=True, slots=True)
class Placement:
    """A key in a certificate, and how far the doubles outside are from it."""

    certificate: Certificate
    key: Rational
    is_middle: bool
    inner: Rational
    """Distance from the key to the nearer end."""
    above: Rational
    """Distance from the key to the first double above the certificate."""
    below: Rational
    step_above: Rational
    step_below: Rational


@dataclass(frozen=True, slots=True)
class ToleranceRange:
    """All tolerances from `low` (included) to `high` (excluded) leave exactly `room` doubles in the band."""

    low: Rational
    high: Rational
    room: int


def certificate_of(lo: Rational, hi: Rational) -> Certificate:
    """The task's certificate: the record's interval, widened to doubles where it misses its midpoint's nearest one."""
    first, last = ordinals_in(ratio_of(lo), ratio_of(hi))
    if first <= nearest(*ratio_of((lo + hi) / 2)) <= last:
        return Certificate(lo, hi, first, last, widened=False)
    first, last = at_or_below(*ratio_of(lo)), at_or_above(*ratio_of(hi))
    return Certificate(_value(first), _value(last), first, last, widened=True)


def key_positions(certificate: Certificate) -> tuple[int, ...]:
    """Positions of a key, in quarters of the width, whose nearest double the certificate contains; one if exact."""
    if certificate.lo == certificate.hi:
        return (POSITIONS // 2,)
    return tuple(
        position
        for position in range(POSITIONS)
        if certificate.first <= nearest(*ratio_of(_key(certificate, position))) <= certificate.last
    )


def place_key(certificate: Certificate, position: int) -> Placement:
    """The key at `position` / 4 of the certificate's width."""
    key = _key(certificate, position)
    above, below = _value(certificate.last + 1), _value(certificate.first - 1)
    return Placement(
        certificate,
        key,
        is_middle=position == POSITIONS // 2,
        inner=min(key - certificate.lo, certificate.hi - key),
        above=above - key,
        below=key - below,
        step_above=_value(certificate.last + 2) - above,
        step_below=below - _value(certificate.first - 2),
    )


def tolerances_for_room(placement: Placement, room: int) -> ToleranceRange:
    """Tolerances around the one that leaves `room` >= 1 doubles; the realized room is the nearest attainable.

    Where doubles on both sides are equally far from the key, odd rooms cannot be had.
    """
    tolerance = _formula(placement, room)
    for _ in range(_CORRECTIONS):
        up, down = _counts(placement, tolerance)
        missing = room - up - down
        if missing == 0:
            break
        tolerance = max(tolerance + missing * _step(placement, tolerance), min(placement.above, placement.below))
    up, down = _counts(placement, tolerance)
    events = [_distance_above(placement, up)] if up else []
    events += [_distance_below(placement, down)] if down else []
    return ToleranceRange(
        max(events),
        min(_distance_above(placement, up + 1), _distance_below(placement, down + 1)),
        up + down,
    )


@dataclass(frozen=True, slots=True)
class Decimal:
    """The exact number units / 10^places."""

    units: int
    places: int

    def value(self) -> Rational:
        """The number as a rational."""
        return rational(self.units, 10**self.places)

    def text(self) -> str:
        """Plain decimal, or scientific notation where the plain one would be long."""
        digits = str(self.units)
        if self.places <= 6 or self.places < len(digits):
            if self.places == 0:
                return digits
            digits = digits.rjust(self.places + 1, "0")
            return f"{digits[: -self.places]}.{digits[-self.places :]}"
        exponent = len(digits) - 1 - self.places
        return f"{digits[0]}{'.' + digits[1:] if len(digits) > 1 else ''}e{exponent}"


def tolerance_text(value: Rational) -> str:
    """A tolerance as the prompt prints it: a decimal where it terminates, else `p/q`."""
    numerator, denominator = ratio_of(value)
    places = decimal_places(denominator)
    if places is None:
        return ratio_text(value)
    return Decimal(numerator * 10**places // denominator, places).text()


def shortest_decimal(low: Rational, high: Rational, rng: random.Random) -> Decimal:
    """A decimal with the fewest places in [low, high), 0 <= low < high: a random one of them."""
    width = ratio_of(high - low)
    places = max(0, len(str(width.denominator)) - len(str(width.numerator)) + 1)
    scale = 10**places
    first, last = _ceiling(low * scale), _ceiling(high * scale) - 1
    while places and -(-first // 10) <= last // 10:
        first, last, places = -(-first // 10), last // 10, places - 1
    return Decimal(first + rng.randrange(last - first + 1), places)


def decimal_of_length(low: Rational, high: Rational, digits: int, rng: random.Random) -> Decimal:
    """A random decimal in [low, high), 0 <= low < high, of `digits` significant digits, or more where it takes them."""
    point = low + (high - low) * rational(rng.randrange(1, _STEPS), _STEPS)
    while True:
        places = max(0, digits - 1 - leading_exponent(point))
        units = _ceiling(point * 10**places)
        other = units - units % 10 + rng.randrange(1, 10)  # any last digit but 0, so that none tells anything
        for candidate in (units, other, other + 10, other - 10, units + 1, units - 1):
            if candidate % 10 and low <= rational(candidate, 10**places) < high:
                return Decimal(candidate, places)
        digits += 1


def empty_tolerance(
    placement: Placement, rng: random.Random, *, scale: Rational, digits: int, gap: bool, close: bool
) -> Decimal:
    """A tolerance, in units of `scale`, that leaves no double in the band and is about as long as `digits`.

    `gap`: the real band should not be empty, though no double is in it; that is given up where it takes more digits
    than asked for, and taken where it is the only way. Otherwise the accepted set is inside the certificate, and
    with `close` only just so.
    """
    opening, inner = min(placement.above, placement.below) / scale, placement.inner / scale
    if gap or not inner:
        low, high = inner + (opening - inner) / 10, inner + (opening - inner) * 97 / 100
        decimal = decimal_of_length(low, high, digits, rng)
        if not inner or len(str(decimal.units)) <= digits + 1:
            return decimal
    most = max(2, min(16, 3 * digits - 4))
    bits = rng.randrange(min(8, most - 1) if close else 1, most)
    return decimal_of_length(inner - inner / 2**bits, inner - inner / 2 ** (bits + 1), digits, rng)


def _ceiling(value: Rational) -> int:
    numerator, denominator = ratio_of(value)
    return -(-numerator // denominator)


def _formula(placement: Placement, room: int) -> Rational:
    near, far = placement.above, placement.below
    step_near, step_far = placement.step_above, placement.step_below
    if far < near:
        near, far, step_near, step_far = far, near, step_far, step_near
    one_sided = near + (room - 1) * step_near
    if one_sided < far:
        return one_sided
    return ((room - 2) * step_near * step_far + near * step_far + far * step_near) / (step_near + step_far)


def _step(placement: Placement, tolerance: Rational) -> Rational:
    """Change of tolerance that brings about one double more."""
    if tolerance < placement.below:
        return placement.step_above
    if tolerance < placement.above:
        return placement.step_below
    return placement.step_above * placement.step_below / (placement.step_above + placement.step_below)


def _counts(placement: Placement, tolerance: Rational) -> tuple[int, int]:
    """Doubles within the tolerance of the key that lie above and below the certificate."""
    certificate = placement.certificate
    up = at_or_below(*ratio_of(placement.key + tolerance)) - certificate.last
    down = certificate.first - at_or_above(*ratio_of(placement.key - tolerance))
    return max(0, up), max(0, down)


def _distance_above(placement: Placement, count: int) -> Rational:
    return _value(placement.certificate.last + count) - placement.key


def _distance_below(placement: Placement, count: int) -> Rational:
    return placement.key - _value(placement.certificate.first - count)


def _key(certificate: Certificate, position: int) -> Rational:
    return certificate.lo + (certificate.hi - certificate.lo) * rational(position, POSITIONS - 1)


def _value(place: int) -> Rational:
    return rational(*value_of(place))
