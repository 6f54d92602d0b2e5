"""Number text against independent readers: `Decimal`, `float` and exact fractions."""

import json
import re
import sys
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from impossible_rubrics_env.doubles import from_ordinal, ordinal
from impossible_rubrics_env.numerals import (
    MAX_EXACT_EXPONENT,
    MAX_EXPONENT_DIGITS,
    MAX_NUMBER_CHARS,
    is_decimal,
    read_exact,
    read_ratio,
)
from impossible_rubrics_env.reply import nearest_double

JSON_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?", re.ASCII)
digits = st.text("0123456789", min_size=1, max_size=40)
whole = st.one_of(st.just("0"), st.from_regex(r"[1-9][0-9]{0,40}", fullmatch=True))
decimals = st.builds(
    lambda sign, head, tail, exponent: f"{sign}{head}{tail}{exponent}",
    st.sampled_from(["", "-"]),
    whole,
    st.one_of(st.just(""), digits.map(".{}".format)),
    st.one_of(st.just(""), st.builds("{}{}".format, st.sampled_from(["e", "E", "e+", "e-"]), st.integers(0, 400))),
)
ratios = st.builds(
    "{}{}/{}".format, st.sampled_from(["", "-"]), whole, st.from_regex(r"[1-9][0-9]{0,40}", fullmatch=True)
)
near_misses = st.one_of(
    st.text("0123456789.eE+-/_ x", max_size=12),
    st.text(st.sampled_from("0123456789.eE+-/_ \t\n\u0663\uff11\u00b2\u2212\u00a0"), max_size=8),
    st.text(max_size=6),
)


@given(st.one_of(decimals, near_misses))
def test_the_grammar_is_that_of_json_numbers(text):
    match = JSON_NUMBER.fullmatch(text)
    exponent = re.search(r"[eE][-+]?(\d+)", text)
    expected = match is not None and (exponent is None or len(exponent[1]) <= MAX_EXPONENT_DIGITS)
    assert is_decimal(text) == expected
    if expected:
        assert isinstance(json.loads(text), (int, float))


@given(st.one_of(decimals, ratios, near_misses))
def test_exact_reading_agrees_with_decimal_and_fraction(text):
    ratio = read_exact(text)
    if "/" in text:
        assert ratio == read_ratio(text)
        expected = Fraction(text) if re.fullmatch(r"-?(0|[1-9][0-9]*)/[1-9][0-9]*", text, re.ASCII) else None
    else:
        expected = Fraction(Decimal(text)) if is_decimal(text) and _exponent(text) <= MAX_EXACT_EXPONENT else None
    assert (None if ratio is None else Fraction(*ratio)) == expected
    assert ratio is None or ratio.denominator > 0


def _exponent(text):
    found = re.search(r"[eE]([-+]?\d+)", text)
    return abs(int(found[1])) if found else 0


@given(decimals)
def test_a_decimal_becomes_what_float_makes_of_it(text):
    value = float(text)
    expected = None if abs(value) == float("inf") else value
    assert nearest_double(text) == expected


@given(ratios)
@example("9007199254740993/1")
@example("1/3")
@example(f"{2**54 + 2}/{2**55}")
def test_a_ratio_becomes_the_nearest_double_and_ties_go_to_even(text):
    value = nearest_double(text)
    exact = Fraction(text)
    place = ordinal(value)
    errors = {step: abs(Fraction(from_ordinal(place + step)) - exact) for step in (-1, 0, 1)}
    assert errors[0] <= min(errors[-1], errors[1])
    if errors[0] in (errors[-1], errors[1]):
        assert place % 2 == 0


@pytest.mark.parametrize("exponent", range(-330, 310, 7))
def test_every_magnitude_is_read_as_itself(exponent):
    for text in (f"1.2345678901234567e{exponent}", f"-9.99999999999999999e{exponent}", f"0.0001e{exponent}"):
        assert nearest_double(text) == float(text)


@pytest.mark.parametrize(
    ("text", "readable"),
    [
        ("9" * MAX_NUMBER_CHARS, True),
        ("9" * (MAX_NUMBER_CHARS + 1), False),
        ("1/" + "9" * (MAX_NUMBER_CHARS - 2), True),
        ("1/" + "9" * (MAX_NUMBER_CHARS - 1), False),
        (f"1e{MAX_EXACT_EXPONENT}", True),
        (f"1e-{MAX_EXACT_EXPONENT}", True),
        (f"1e{MAX_EXACT_EXPONENT + 1}", False),
    ],
)
def test_the_bounds_are_where_they_are_stated(text, readable):
    assert (read_exact(text) is not None) == readable


@pytest.mark.parametrize("length", [640, 641, 1281, 1999])
def test_long_integers_are_exact_whatever_digit_limit_the_process_has(length):
    text = ("123456789" * 230)[:length]
    expected = int(text)
    limit = sys.get_int_max_str_digits()
    try:
        sys.set_int_max_str_digits(640)
        assert read_exact(text) == (expected, 1)
        assert read_exact("-" + text[:-1]) == (-(expected // 10), 1)
        half = text[: length // 2]
        assert nearest_double(f"{half}/{half}") == 1.0
    finally:
        sys.set_int_max_str_digits(limit)


def test_every_double_fits_in_the_length_bound():
    """The exact decimal expansion of a double may be submitted."""
    for value in (5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, -2.225073858507201e-308):
        text = format(Decimal(value), "f")
        assert nearest_double(text) == value
        assert nearest_double("{}/{}".format(*value.as_integer_ratio())) == value
