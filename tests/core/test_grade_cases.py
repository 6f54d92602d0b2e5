"""Every row of `grading_cases.json`: one reply of a public bug report or of the design, and its one right grade."""

import json
from pathlib import Path

import pytest

import impossible_rubrics_env as ire
from impossible_rubrics_env.certificates.checkers import acceptance, band
from impossible_rubrics_env.grading import Verdict
from impossible_rubrics_env.task import Task

TABLE = json.loads(Path(__file__).with_name("grading_cases.json").read_text(encoding="ascii"))
CASES = TABLE["cases"]
SIGNALS = (
    "well_formed",
    "abstained",
    "refused",
    "false_claim",
    "false_answer",
    "over_refusal",
    "false_break",
    "missed_attack",
)


def _task(name):
    return Task.from_json(TABLE["tasks"][name])


def _reply(case):
    if "repeat" in case:
        return "".join(text * count for text, count in case["repeat"])
    return case["reply"]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_case_gets_the_grade_in_the_table(case):
    grade = ire.grade(_task(case["task"]), _reply(case))
    shown = {name: getattr(grade, name) for name in SIGNALS}
    assert (grade.verdict, grade.reward) == (Verdict(case["verdict"]), case["reward"]), grade
    assert [name for name in SIGNALS if shown[name]] == case["signals"]
    assert all(type(value) is bool for value in shown.values())
    assert grade.witness_valid is None
    assert dict(grade.extra) == ({"submitted": case["submitted"]} if case.get("submitted") else {})
    if case["reason"] is not None:
        assert grade.reason == case["reason"]


def test_ids_are_unique_and_every_row_names_its_source():
    assert len({case["id"] for case in CASES}) == len(CASES) > 300
    assert all(case["source"] for case in CASES)


@pytest.mark.parametrize("name", TABLE["tasks"])
def test_a_fixture_is_proved_and_its_grader_matches(name):
    task = _task(name)
    proof = task.certificate["proof"]
    assert band.check(proof).room == task.room
    acceptance.check(task.question["grader"], proof)
