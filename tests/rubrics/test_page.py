"""Every example of docs/rubrics.md is what the code reads, refuses, renders and finds."""

import json
import re
from pathlib import Path

import pytest
from rubric_cases import ids_of

from impossible_rubrics_env.certificates.checkers import subset_walk
from impossible_rubrics_env.numerals import Ratio
from impossible_rubrics_env.rubrics import language
from impossible_rubrics_env.rubrics.exploit import exploit
from impossible_rubrics_env.rubrics.language import RubricError, read_rubric
from impossible_rubrics_env.rubrics.marks import Marked
from impossible_rubrics_env.rubrics.scoring import score
from impossible_rubrics_env.rubrics.text import render

PAGE = (Path(__file__).parents[2] / "docs/rubrics.md").read_text()
IDS = ids_of(7)
FORMS = re.findall(r"^\| .* \| .* \| `([\"{].*)` \|$", PAGE.partition("Points are exact")[0], re.MULTILINE)
REFUSED = re.findall(r"^\| `(.*)` \| `(.*)` \|$", PAGE.partition("<!-- refused -->")[2], re.MULTILINE)


def parsed(text):
    return json.loads(text, parse_float=str, parse_int=str)


def block(name):
    return re.split(r"```[a-z]*\n", PAGE.partition(f"<!-- {name} -->")[2], maxsplit=1)[1].partition("\n```")[0]


EXAMPLE = parsed(block("example rubric"))


def test_every_form_has_an_example_that_is_read():
    assert len(FORMS) == 5
    for form in FORMS:
        read_rubric({"criteria": [{"text": "x", "points": 1, "if": parsed(form)}]}, IDS)


@pytest.mark.parametrize(("text", "error"), REFUSED)
def test_the_refused_examples_are_refused_in_these_words(text, error):
    with pytest.raises(RubricError) as caught:
        read_rubric(parsed(text), IDS)
    assert str(caught.value) == error


def test_four_refusals_are_shown():
    assert len(REFUSED) == 4


def test_the_bounds_are_those_of_the_reader_and_of_the_checker():
    rows = dict(re.findall(r"^\| ([^|`]+|`at_least`) \| (.*) \|$", PAGE, re.MULTILINE))
    bounds = (
        ("criteria", "1 to {}", "MAX_CRITERIA"),
        ("characters of a text", "1 to {},", "MAX_TEXT_CHARS"),
        ("points of a criterion", "-{0} to {0}", "MAX_POINTS"),
        ("characters of a number", "{}", "MAX_NUMBER_CHARS"),
        ("connectives inside each other", "{};", "MAX_NESTING"),
        ("members of a list", "1 to {},", "MAX_MEMBERS"),
        ("ids and connectives in all", "{}", "MAX_NODES"),
    )
    for row, words, name in bounds:
        assert rows[row].startswith(words.format(getattr(language, name))), row
        assert getattr(language, name) == getattr(subset_walk, name), name
    assert language.MICRO == subset_walk.GRID == 1_000_000
    assert f"more than {subset_walk.MAX_TOTALS:,} totals" in PAGE


def test_the_rendered_text_is_what_is_printed():
    told = block("rendered")
    statements = dict(re.findall(r"^(S[0-9]): (.*)$", told, re.MULTILINE))
    assert render(read_rubric(EXAMPLE, IDS), statements) == told


def test_the_worked_example_comes_to_what_the_page_says():
    marks = dict.fromkeys(IDS, "allowed") | {"S1": "required", "S2": "false", "S6": "unsupported", "S7": "unsupported"}
    marked = Marked(IDS, marks, frozenset({"S4", "S5"}), {id_: {"kind": "hedge"} for id_ in IDS})
    found = exploit(read_rubric(EXAMPLE, IDS), marked)
    assert found.claim() == json.loads(block("worked"))
    subset_walk.decide(EXAMPLE, marks, ["S4", "S5"], found.claim())
    assert (found.exploited, found.false_claim_exploited, found.margin) == (True, False, Ratio(25, 2))
    assert {score(read_rubric(EXAMPLE, IDS), held) for held in (["S1"], ["S1", "S2"])} == {60 * 10**6, 0}
