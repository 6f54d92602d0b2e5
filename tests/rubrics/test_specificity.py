"""Which criteria could have been written without reading the packet."""

import pytest

from impossible_rubrics_env.numerals import Ratio
from impossible_rubrics_env.rubrics.exploit import specificity
from impossible_rubrics_env.rubrics.language import read_rubric

MEANS = {
    **{f"S{k}": {"kind": "answer"} for k in (1, 2, 3)},
    **{f"S{k}": {"kind": "cites"} for k in (4, 5)},
    "S6": {"kind": "premise"},
    "S7": {"kind": "settled", "holds": False},
    "S8": {"kind": "settled", "holds": True},
}


def share(*pairs):
    listed = [{"text": "x", "points": points, "if": condition} for points, condition in pairs]
    return specificity(read_rubric({"criteria": listed}, tuple(MEANS)), MEANS)


@pytest.mark.parametrize(
    ("condition", "specific"),
    [
        ("S6", False),  # the only one of its kind
        ("S1", True),
        ({"not": "S6"}, False),
        ({"not": "S1"}, True),
        ({"any": ["S1", "S2", "S3"]}, False),
        ({"any": ["S1", "S2"]}, True),
        ({"at_least": 2, "of": ["S1", "S2", "S3", "S4", "S5"]}, False),
        ({"at_least": 2, "of": ["S1", "S2", "S3", "S4"]}, True),
        ({"all": [{"any": ["S1", "S2", "S3"]}, {"not": {"any": ["S4", "S5"]}}, "S6"]}, False),
        ({"all": [{"any": ["S1", "S2", "S3"]}, {"not": {"any": ["S5"]}}, "S6"]}, True),
        ({"all": [{"any": ["S1", "S2"]}, "S3"]}, True),  # each list is judged alone
        ("S7", True),  # says which way the packet goes
        ({"any": ["S7", "S8"]}, False),
    ],
    ids=str,
)
def test_a_criterion_is_generic_where_each_list_names_all_of_a_kind_or_none(condition, specific):
    assert share((10, condition)) == Ratio(int(specific), 1)


def test_specificity_is_the_share_of_absolute_points():
    generic = {"any": ["S1", "S2", "S3"]}
    assert share((30, "S1"), (-10, "S4"), (20, generic)) == Ratio(2, 3)
    assert share(("1/2", "S1"), ("-0.25", generic)) == Ratio(2, 3)
    assert share((0, "S1"), (5, generic)) == Ratio(0, 1)


def test_a_rubric_without_points_has_none():
    assert share((0, "S1")) is None
