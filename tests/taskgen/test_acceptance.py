"""Acceptance intervals against the graders' own definitions, by an independent rounding."""

from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal
from fractions import Fraction

from hypothesis import assume, given
from hypothesis import strategies as st

from impossible_rubrics_env.exact import ratio_of, rational
from impossible_rubrics_env.taskgen.acceptance import Rounding, leading_exponent, rounds_alike

TIES = {"even": ROUND_HALF_EVEN, "away": ROUND_HALF_UP}
decimals = st.tuples(st.integers(-(10**9), 10**9), st.integers(-3, 12)).map(
    lambda pair: Decimal(pair[0]).scaleb(-pair[1])
)
near_powers = st.tuples(st.integers(-8, 8), st.integers(-30, 30), st.sampled_from((1, -1))).map(
    lambda parts: parts[2] * (Decimal(10).scaleb(parts[0]) + Decimal(parts[1]).scaleb(parts[0] - 4))
)


def rounded(value, rounding):
    """Rounding by the standard library's decimal module, which shares nothing with ours."""
    if rounding.mode == "significant":
        return Context(prec=rounding.digits, rounding=TIES[rounding.ties]).plus(value)
    return value.quantize(Decimal(1).scaleb(-rounding.digits), TIES[rounding.ties], Context(prec=60))


def exact(value):
    return rational(*Fraction(value).as_integer_ratio())


@given(
    st.one_of(decimals, near_powers),
    st.sampled_from(("decimals", "significant")),
    st.integers(0, 9),
    st.sampled_from(tuple(TIES)),
)
def test_the_interval_is_the_rounding_cell(key, mode, digits, ties):
    rounding = Rounding(mode, max(digits, mode == "significant"), ties)
    assume(key != 0 or mode == "decimals")
    target = rounded(key, rounding)
    assume(target != 0 or mode == "decimals")
    acceptance, ours = rounds_alike(exact(key), rounding)
    assert ours == exact(target)
    lo, hi = (Decimal(ratio_of(end).numerator) / ratio_of(end).denominator for end in (acceptance.lo, acceptance.hi))
    assert exact(lo) == acceptance.lo, "cell ends terminate"
    assert (rounded(lo, rounding) == target) == acceptance.lo_closed
    assert (rounded(hi, rounding) == target) == acceptance.hi_closed
    sliver = (hi - lo) / 1024
    assert rounded(lo + sliver, rounding) == target == rounded(hi - sliver, rounding)
    assert rounded(lo - sliver, rounding) != target != rounded(hi + sliver, rounding)


@given(st.fractions().filter(bool))
def test_the_leading_exponent_brackets_the_value(value):
    exponent = leading_exponent(rational(value.numerator, value.denominator))
    assert Fraction(10) ** exponent <= abs(value) < Fraction(10) ** (exponent + 1)
