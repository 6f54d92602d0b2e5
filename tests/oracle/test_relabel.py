"""An oracle that reads the JSON alone agrees with every label and every answer."""

import json
import os

import pytest
from relabel import relabel

import impossible_rubrics_env as ire
from impossible_rubrics_env.exact import ratio_text, rational
from impossible_rubrics_env.taskgen.registry import GROUPS

TASKS = int(os.environ.get("ORACLE_TASKS", "40"))
"""Tasks of each family; the slow run asks for 300."""


@pytest.mark.parametrize("family", GROUPS["answer"])
def test_the_oracle_agrees_with_label_and_answer(family):
    labels = set()
    for task in ire.generate(family, n=TASKS, seed=11):
        labels.add(str(task.label))
        impossible, answer = relabel(json.loads(task.to_json()))
        assert impossible == (task.label == "impossible"), task.id
        if not impossible and task.question["kind"] != "plan":
            assert answer == stated(task), task.id
    assert labels == {"impossible", "hard_positive", "clear_positive"}


def stated(task):
    """The answer that the task's own labelled right reply gives, as the oracle writes it."""
    reply = next(one["reply"] for one in task.answers if one["expected"]["verdict"] == "SOLVED")
    value = json.loads(reply.removeprefix("<answer>").removesuffix("</answer>"))["value"]
    if task.question["kind"] == "list":
        return json.dumps(sorted(value))
    return ratio_text(rational(value)) if task.question["kind"] == "number" else value
