"""Exact rationals: whitelisted construction, text in and out, no float."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.exact import decimal_text, ratio_of, ratio_text, rational


@given(st.fractions())
def test_ratio_text_round_trips(value):
    text = ratio_text(rational(value.numerator, value.denominator))
    assert Fraction(text) == value
    assert rational(text) == rational(value.numerator, value.denominator)
    assert ratio_of(rational(text)) == (value.numerator, value.denominator)


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**20), max_value=10**20))
def test_decimals_are_read_exactly_and_printed_exactly(value):
    number = rational(format(value, "f").lstrip("+") if value == value.to_integral() else format(value, "f"))
    assert ratio_of(number) == Fraction(value).as_integer_ratio()
    printed = decimal_text(number)
    assert Fraction(Decimal(printed)) == Fraction(value)


@given(st.fractions())
def test_a_decimal_is_printed_only_where_it_terminates(value):
    text = decimal_text(rational(value.numerator, value.denominator))
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    assert (text is None) == (rest != 1)
    assert text is None or Fraction(text) == value


def test_results_are_plain_integers():
    for part in ratio_of(rational("-7/3")):
        assert type(part) is int


@pytest.mark.parametrize("value", [0.5, True, None, Fraction(1, 2), Decimal(1), [1], b"1"])
def test_only_whitelisted_types_make_a_rational(value):
    with pytest.raises(TypeError):
        rational(value)


@pytest.mark.parametrize(
    "text", ["", "0.1.2", "1_0", "٣", "1/0", "inf", "nan", "1e99999", "9" * 2001, ".5", "5.", "+1"]
)
def test_text_that_is_not_a_bounded_number_is_refused(text):
    with pytest.raises(ArgumentError):
        rational(text)
