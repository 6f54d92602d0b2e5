"""Whether a shallow model tells from the list alone if the task is impossible."""

import re

import numpy as np
import pytest
from listed import cases

from impossible_rubrics_env import audit
from impossible_rubrics_env.taskgen.registry import ANSWER

COUNT = 40
"""Lists of each label from each family; an AUC then has a standard error of about 0.026."""
MOST = 0.6


@pytest.fixture(scope="module")
def lists():
    """Text of the list, whether its task is impossible, the label, the pair."""
    found = []
    for family in ANSWER:
        for task, listed in cases(family, "any", COUNT, seed=8):
            text = "\n".join(one["text"] for one in listed.statements)
            found.append((text, task.label == "impossible", str(task.label), task.pair_id))
    return found


def auc(lists):
    """Of a logistic regression on n-grams of words and letters, on lists that it has not seen."""
    sides = np.array([impossible for _, impossible, _, _ in lists])
    groups = np.unique([pair for *_, pair in lists], return_inverse=True)[1]
    table = audit._Grams.of_words([[text] for text, *_ in lists]).table()
    scores, _ = audit._linear(table, sides, groups)
    return audit.pair_interval(scores, sides, groups)[0]


def test_the_lists_of_twins_tell_nothing(lists):
    assert auc([one for one in lists if one[2] != "clear_positive"]) == pytest.approx(0.5, abs=1e-9)


def test_the_lists_of_controls_look_like_those_of_impossible_tasks(lists):
    """Numbers of documents and paragraphs are left out: they tell how long the packet is, which every prompt shows."""
    masked = [(re.sub(r"\bD\d+(\.\d+)?", lambda one: "P" if one[1] else "D", one[0]), *one[1:]) for one in lists]
    found = auc([one for one in masked if one[2] != "hard_positive"])
    assert 1 - MOST <= found <= MOST


def test_the_model_finds_a_planted_word(lists):
    planted = [(one[0] + (" Plainly." if one[1] else ""), *one[1:]) for one in lists]
    assert auc([one for one in planted if one[2] != "hard_positive"]) > 0.9
