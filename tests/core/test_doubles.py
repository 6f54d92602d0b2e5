"""Ordinals of doubles against the machine's own arithmetic, `math.nextafter` and brute force."""

import math
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from impossible_rubrics_env import doubles

LARGEST = 1.7976931348623157e308
SMALLEST_NORMAL = 2.2250738585072014e-308
SPECIAL = (0.0, -0.0, 5e-324, 1e-323, 2.225073858507201e-308, SMALLEST_NORMAL, 0.5, 1.0, 2.0, 64.0, 2.0**52, LARGEST)

finite = st.floats(allow_nan=False, allow_infinity=False)
rationals = st.one_of(
    st.fractions(),
    finite.map(Fraction),
    st.tuples(finite, finite).map(lambda pair: (Fraction(pair[0]) + Fraction(pair[1])) / 2),
    st.tuples(finite, st.integers(-3, 3)).map(lambda pair: Fraction(pair[0]) + Fraction(pair[1], 2**1080)),
)


def signed(values):
    return [value * sign for value in values for sign in (1, -1)]


def parts(value):
    return value.numerator, value.denominator


def next_up(value):
    return math.nextafter(value, math.inf)


@pytest.mark.parametrize("value", signed(SPECIAL))
def test_special_doubles_come_back_from_their_ordinals(value):
    assert doubles.from_ordinal(doubles.ordinal(value)) == value


@given(finite)
def test_any_finite_double_comes_back_from_its_ordinal(value):
    assert doubles.from_ordinal(doubles.ordinal(value)) == value


@given(finite)
def test_ordinals_of_neighbours_differ_by_one(value):
    if value < LARGEST:
        assert doubles.ordinal(next_up(value)) == doubles.ordinal(value) + 1


def test_both_zeros_are_one_value():
    assert doubles.ordinal(0.0) == doubles.ordinal(-0.0) == 0
    assert doubles.count_in((-1, 2**1080), (1, 2**1080)) == 1


def test_the_ends_of_the_range_are_the_largest_doubles():
    assert doubles.from_ordinal(doubles.MAX_ORDINAL) == LARGEST
    assert doubles.from_ordinal(-doubles.MAX_ORDINAL) == -LARGEST


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_values_that_are_not_finite_have_no_ordinal(value):
    with pytest.raises(OverflowError):
        doubles.ordinal(value)


def test_ordinals_beyond_the_range_are_refused():
    for place in (doubles.MAX_ORDINAL + 1, -doubles.MAX_ORDINAL - 1, 10**30):
        with pytest.raises(OverflowError):
            doubles.from_ordinal(place)


@given(rationals)
@example(Fraction(0))
@example(Fraction(1, 2**1074))
@example(Fraction(1, 2**1075))
@example(Fraction(-1, 2**1075))
@example(Fraction(LARGEST))
@example(Fraction(2**1024 - 1))
@example(Fraction(-(2**2000)))
@example(Fraction(2**53 - 1, 2**53))
@example(Fraction(SMALLEST_NORMAL) - Fraction(1, 2**1080))
def test_neighbours_of_a_rational_are_what_comparison_says(value):
    low, high = -doubles.MAX_ORDINAL, doubles.MAX_ORDINAL

    def exact(place):
        return Fraction(doubles.from_ordinal(place))

    up, down = doubles.at_or_above(*parts(value)), doubles.at_or_below(*parts(value))
    assert (up > high and exact(high) < value) or (exact(up) >= value and (up == low or exact(up - 1) < value))
    assert (down < low and exact(low) > value) or (exact(down) <= value and (down == high or exact(down + 1) > value))
    above, below = doubles.above(*parts(value)), doubles.below(*parts(value))
    assert (above > high and exact(high) <= value) or (
        exact(above) > value and (above == low or exact(above - 1) <= value)
    )
    assert (below < low and exact(low) >= value) or (
        exact(below) < value and (below == high or exact(below + 1) >= value)
    )


@given(rationals)
def test_the_nearest_double_is_that_of_correct_division(value):
    try:
        expected = value.numerator / value.denominator
    except OverflowError:
        with pytest.raises(OverflowError):
            doubles.nearest(*parts(value))
        return
    assert doubles.nearest(*parts(value)) == doubles.ordinal(expected)


@given(rationals)
def test_a_common_factor_changes_nothing(value):
    top, bottom = parts(value)
    assert doubles.at_or_above(top * 30, bottom * 30) == doubles.at_or_above(top, bottom)


@given(
    st.sampled_from(signed(SPECIAL)),
    st.integers(-40, 40),
    st.fractions(0, 1),
    st.integers(0, 60),
    st.fractions(0, 1),
    st.booleans(),
    st.booleans(),
)
def test_counts_in_an_interval_equal_brute_force(start, shift, low_part, length, high_part, low_closed, high_closed):
    """Around zeros, subnormals, powers of two and the ends: walk the doubles one by one and compare exactly."""
    first = min(max(doubles.ordinal(start) + shift, -doubles.MAX_ORDINAL + 70), doubles.MAX_ORDINAL - 70)
    walk = [doubles.from_ordinal(first - 2)]
    for _ in range(length + 6):
        walk.append(next_up(walk[-1]))
    exact = [Fraction(value) for value in walk]
    low = exact[1] + (exact[2] - exact[1]) * low_part
    high = exact[length + 2] + (exact[length + 3] - exact[length + 2]) * high_part
    inside = [
        value
        for value in exact
        if (low < value or (low_closed and low == value)) and (value < high or (high_closed and value == high))
    ]
    counted = doubles.count_in(parts(low), parts(high), low_closed=low_closed, high_closed=high_closed)
    assert counted == len(inside)


def test_an_empty_or_reversed_interval_holds_nothing():
    assert doubles.count_in((1, 1), (1, 1)) == 1
    assert doubles.count_in((1, 1), (1, 1), low_closed=False) == 0
    assert doubles.count_in((2, 1), (1, 1)) == 0
    assert doubles.count_in((1, 10), (1, 10)) == 0


def test_all_finite_doubles_are_counted():
    assert doubles.count_in((-(2**1024), 1), (2**1024, 1)) == 2 * doubles.MAX_ORDINAL + 1


def test_around_64_a_band_of_reals_can_hold_no_double():
    key, tolerance = Fraction(64), Fraction(1, 10**15)
    assert doubles.count_in(parts(key - tolerance), parts(key + tolerance)) == 1
