"""Which rubrics of a run are generic."""

import hashlib

import pytest

from impossible_rubrics_env.chain.generic import tell_generic
from impossible_rubrics_env.chain.offline import MACHINE


def told(*written):
    """What is told of (environment, generator, text)s."""
    rubrics = {hashlib.sha256(text.encode()).hexdigest(): text for _, _, text in written if text is not None}
    names = {text: name for name, text in rubrics.items()}
    rows = [
        {"task_id": one, "generator": by, "rubric_hash": names.get(text), "rubric_generic": None}
        for one, by, text in written
    ]
    tell_generic(rows, rubrics)
    return [row["rubric_generic"] for row in rows]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["Pay all.", "Pay  all.\n"], [True, True]),
        (["Pay all.", "Pay none."], [False, False]),
        (["Pay all.", "Pay all.", "Pay none."], [False, False, False]),
        (["Pay all."], [None]),
        (["Pay all.", None], [None, None]),
        (["Pay all.", "Pay all.", None], [True, True, None]),
    ],
)
def test_prose_is_generic_where_all_environments_have_the_same(texts, expected):
    assert told(*((f"env{place}", "g", text) for place, text in enumerate(texts))) == expected


def test_generators_are_told_apart():
    written = [("a", "one", "x"), ("b", "one", "x"), ("a", "two", "x"), ("b", "two", "y")]
    assert told(*written) == [True, True, False, False]


def test_draws_of_one_environment_do_not_tell_and_those_of_several_are_told_by_text():
    assert told(("a", "g", "x"), ("a", "g", "x")) == [None, None]
    assert told(("a", "g", "x"), ("a", "g", "y"), ("b", "g", "x"), ("b", "g", "x")) == [True, False, True, True]


def test_a_machine_part_tells_by_itself():
    classes = {True: '["answer"]', False: '["required"]'}
    for generic, listed in classes.items():
        text = f'{MACHINE}{{"criteria": [{{"text": "c", "points": 100, "if": {{"some": {listed}}}}}]}}'
        assert told(("a", "g", text)) == [generic]
        assert told(("a", "g", text), ("b", "g", text)) == [generic] * 2
