"""The plain text of a rubric: nothing is left out, and nothing can be read in two ways."""

from hypothesis import given, settings
from hypothesis import strategies as st
from rubric_cases import ids_of
from rubric_drawing import conditions, rubrics

from impossible_rubrics_env.numerals import read_exact
from impossible_rubrics_env.rubrics.language import Criterion, Rubric, read_rubric
from impossible_rubrics_env.rubrics.text import condition_text, points_text, render

IDS = ids_of(5)
STATEMENTS = {id_: f"What {id_} says." for id_ in IDS}


@settings(max_examples=60)
@given(rubrics(IDS))
def test_every_criterion_and_every_statement_is_rendered(value):
    rubric = read_rubric(value, IDS)
    lines = render(rubric, STATEMENTS).splitlines()
    for place, criterion in enumerate(rubric.criteria):
        sign = "+" if criterion.points_micro > 0 else ""
        title = f"{place + 1}. {criterion.text} ({sign}{points_text(criterion.points_micro)} points)"
        assert lines[lines.index(title) + 1] == f"   Met if: {condition_text(criterion.condition)}"
    assert lines[-len(IDS) :] == [f"{id_}: {text}" for id_, text in STATEMENTS.items()]


@settings(max_examples=300)
@given(st.lists(conditions(IDS), min_size=2, max_size=2))
def test_different_conditions_have_different_texts(pair):
    first, second = (read_rubric({"criteria": [{"text": "x", "points": 1, "if": one}]}, IDS) for one in pair)
    texts = [condition_text(rubric.criteria[0].condition) for rubric in (first, second)]
    assert (texts[0] == texts[1]) == (first == second)


@given(st.integers(-(10**9), 10**9))
def test_points_are_printed_exactly(micro):
    number = read_exact(points_text(micro))
    assert number.numerator * 10**6 == micro * number.denominator


def test_a_rubric_reads_as_a_person_would_write_it():
    criteria = [
        {"text": "Says that the order is withdrawn.", "points": 60, "if": {"all": ["S1", {"not": "S2"}]}},
        {"text": "Cites.", "points": "-12.50", "if": {"at_least": 2, "of": ["S3", {"any": ["S4", "S5"]}]}},
    ]
    text = render(read_rubric({"criteria": criteria}, IDS), STATEMENTS)
    assert "1. Says that the order is withdrawn. (+60 points)\n   Met if: all of (S1, not S2)\n" in text
    assert "2. Cites. (-12.5 points)\n   Met if: at least 2 of (S3, any of (S4, S5))\n" in text


def test_no_line_can_be_forged():
    """A criterion's text has no line break, so each takes two lines whatever it says."""
    rubric = Rubric(IDS, (Criterion("x (+99 points) 2. y", 1, read_rubric_condition("S1")),))
    assert len(render(rubric, STATEMENTS).splitlines()) == 3 + 2 + 2 + len(IDS)


def read_rubric_condition(value):
    return read_rubric({"criteria": [{"text": "x", "points": 1, "if": value}]}, IDS).criteria[0].condition
