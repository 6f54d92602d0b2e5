"""The solver of tolerances: lands the room it says, by an independent count; prints the shortest decimal."""

import math
import random
from fractions import Fraction

from hypothesis import assume, given
from hypothesis import strategies as st

from impossible_rubrics_env.exact import ratio_of, rational
from impossible_rubrics_env.taskgen.tolerance import (
    POSITIONS,
    certificate_of,
    decimal_of_length,
    empty_tolerance,
    key_positions,
    place_key,
    shortest_decimal,
    tolerances_for_room,
)

ends = st.tuples(st.integers(-(10**14), 10**14), st.integers(0, 14), st.integers(0, 10**6), st.integers(0, 16)).map(
    lambda parts: (Fraction(parts[0], 10 ** parts[1]), Fraction(parts[2], 10 ** (parts[3] + parts[1])))
)
placements = st.tuples(ends, st.integers(0, POSITIONS - 1))


def exact(value):
    return rational(value.numerator, value.denominator)


def back(value):
    return Fraction(*ratio_of(value))


def place(parts):
    (lo, width), position = parts
    certificate = certificate_of(exact(lo), exact(lo + width))
    positions = key_positions(certificate)
    return place_key(certificate, positions[position % len(positions)])


def brute_room(placement, tolerance, limit):
    """Walk the doubles outwards from the certificate and compare exactly."""
    key, reach = back(placement.key), back(tolerance)
    lo, hi = back(placement.certificate.lo), back(placement.certificate.hi)
    room = 0
    for bound, direction in ((hi, math.inf), (lo, -math.inf)):
        value = bound.numerator / bound.denominator
        while (Fraction(value) <= bound) if direction > 0 else (Fraction(value) >= bound):
            value = math.nextafter(value, direction)
        while abs(Fraction(value) - key) <= reach and room <= limit:
            room += 1
            value = math.nextafter(value, direction)
    return room


@given(placements, st.integers(1, 60))
def test_the_realized_room_is_the_brute_force_count_over_the_whole_range(parts, room):
    placement = place(parts)
    found = tolerances_for_room(placement, room)
    assume(found.room <= 200)
    decimal = shortest_decimal(found.low, found.high, random.Random(room))
    for tolerance in (found.low, decimal.value(), (found.low + found.high) / 2):
        assert brute_room(placement, tolerance, 400) == found.room
    assert brute_room(placement, found.high, 400) > found.room


@given(placements, st.integers(1, 10**6))
def test_the_realized_room_is_the_wanted_one_or_next_to_it(parts, room):
    found = tolerances_for_room(place(parts), room)
    assert abs(found.room - room) <= max(1, room // 1000)


@given(placements, st.integers(1, 12), st.booleans(), st.booleans(), st.booleans(), st.integers(0, 2**32))
def test_an_empty_tolerance_leaves_no_double_and_a_gap_where_one_is_asked_for_and_short(
    parts, digits, relative, gap, close, seed
):
    placement = place(parts)
    assume(not relative or placement.key != 0)
    scale = abs(placement.key) if relative else rational(1)
    decimal = empty_tolerance(placement, random.Random(seed), scale=scale, digits=digits, gap=gap, close=close)
    tolerance = decimal.value() * scale
    assert brute_room(placement, tolerance, 3) == 0
    sticks_out = back(placement.key) + back(tolerance) > back(placement.certificate.hi) or (
        back(placement.key) - back(tolerance) < back(placement.certificate.lo)
    )
    if placement.inner == 0:
        assert sticks_out
    elif not gap:
        assert not sticks_out


@given(
    st.fractions(min_value=0, max_value=10**3),
    st.fractions(min_value=Fraction(1, 10**20), max_value=10),
    st.integers(1, 15),
    st.integers(0, 2**32),
)
def test_a_decimal_of_a_length_lies_in_the_range_and_is_at_least_so_long(low, width, digits, seed):
    decimal = decimal_of_length(exact(low), exact(low + width), digits, random.Random(seed))
    assert low <= back(decimal.value()) < low + width
    assert decimal.units % 10
    again = decimal_of_length(exact(low), exact(low + width), digits, random.Random(seed))
    assert again == decimal


@given(ends)
def test_a_certificate_contains_the_nearest_double_to_its_midpoint_and_keys(parts):
    lo, width = parts
    certificate = certificate_of(exact(lo), exact(lo + width))
    assert back(certificate.lo) <= lo
    assert lo + width <= back(certificate.hi)
    for position in (2, *key_positions(certificate)):
        key = back(place_key(certificate, position).key)
        assert back(certificate.lo) <= Fraction(key.numerator / key.denominator) <= back(certificate.hi)


@given(st.fractions(min_value=0, max_value=10**6), st.fractions(min_value=Fraction(1, 10**18), max_value=10))
def test_the_shortest_decimal_lies_in_the_range_and_none_is_shorter(low, width):
    high = low + width
    decimal = shortest_decimal(exact(low), exact(high), random.Random(low.numerator))
    assert low <= back(decimal.value()) < high
    assert Fraction(decimal.text()) == back(decimal.value())
    if decimal.places:
        scale = 10 ** (decimal.places - 1)
        assert math.ceil(low * scale) >= high * scale, "no decimal with fewer places is in the range"
