"""The checker refuses every altered proof, names the part, and stays within its bounds."""

import copy
import json
import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rubric_cases import case, worst_case
from rubric_drawing import marked_lists, plain_walk, rubrics

from impossible_rubrics_env.certificates.checkers import subset_walk
from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.rubrics.exploit import exploit
from impossible_rubrics_env.rubrics.language import RubricError, read_rubric


def proof(seed, n=12):
    marked, rubric = case(seed, n, 6)
    return rubric, dict(marked.marks), sorted(marked.idle), exploit(read_rubric(rubric, marked.ids), marked).claim()


def refused(*parts):
    with pytest.raises(CertificateError) as caught:
        subset_walk.decide(*parts)
    return str(caught.value)


def alterations(claim, ids):
    """By field, every claim that differs in it."""
    for field, told in claim.items():
        others = [None if told else [], {}, "S1"]
        if field == "room":
            others += [str(int(told) - 1), str(int(told) + 1), int(told)]
        elif field == "baseline":
            others += other_scores(told)
        elif told is None:
            others.append({"score": "0", "set": []})
        else:
            others += [told | {"score": score} for score in other_scores(told["score"])]
            others += [told | {"set": held} for held in other_sets(told["set"], ids)]
            others += [told | {"note": "x"}, {"score": told["score"]}, {"set": told["set"]}]
        yield from ((field, claim | {field: other}) for other in others)
        yield field, {key: value for key, value in claim.items() if key != field}


def other_scores(score):
    texts = ("0", "100", "201/2", "1/3", "-1", "", None, f"{score}.0", f"{score}/1")
    return [text for text in texts if text != score]


def other_sets(held, ids):
    """One statement more or less, an unknown one, one twice, the order turned, and no list at all."""
    changed = [[one for one in ids if (one in held) != (one == id_)] for id_ in ids]
    return [*changed, [*held, "S99"], [*held, *held] or [None], held[::-1] if len(held) > 1 else "S1", None]


@pytest.mark.parametrize("seed", range(30))
def test_every_alteration_of_the_claim_is_refused(seed):
    rubric, marks, idle, claim = proof(seed)
    subset_walk.decide(rubric, marks, idle, claim)
    count = 0
    for field, altered in alterations(claim, list(marks)):
        message = refused(rubric, marks, idle, altered)
        assert f"proof: walk: {field}" in message or message.startswith("proof: walk: the fields"), (message, altered)
        count += 1
    assert count > 40


@settings(max_examples=200)
@given(st.data())
def test_an_altered_rubric_mark_or_idle_list_passes_only_where_the_claim_still_holds(data):
    marked = data.draw(marked_lists(least=2, most=6))
    rubric = data.draw(rubrics(marked.ids, most=5))
    claim = plain_walk(rubric, marked)
    marks, idle = dict(marked.marks), set(marked.idle)
    what = data.draw(st.sampled_from(("points", "mark", "idle")))
    id_ = data.draw(st.sampled_from(marked.ids))
    if what == "points":
        rubric = copy.deepcopy(rubric)
        data.draw(st.sampled_from(rubric["criteria"]))["points"] = data.draw(st.integers(-100, 100))
    elif what == "mark":
        marks[id_] = data.draw(st.sampled_from(subset_walk.MARKS))
    else:
        idle ^= {id_}
    if any(marks[one] == "required" for one in idle):
        assert "proof: idle" in refused(rubric, marks, sorted(idle), claim)
        return
    holds = plain_walk(rubric, type(marked)(marked.ids, marks, frozenset(idle), marked.means)) == claim
    try:
        subset_walk.decide(rubric, marks, sorted(idle), claim)
    except CertificateError:
        assert not holds
    else:
        assert holds


@pytest.mark.parametrize(
    ("part", "value", "message"),
    [
        ("marks", {"S1": "false", "S3": "false"}, "proof: marks"),
        ("marks", {f"S{k}": "false" for k in range(1, 18)}, "proof: marks"),
        ("marks", {"S1": "wrong"}, "proof: marks: S1"),
        ("marks", {"S1": ["false"]}, "proof: marks: S1"),
        ("marks", [], "proof: marks"),
        ("idle", ["S1", "S1"], "proof: idle"),
        ("idle", ["S99"], "proof: idle: S99"),
        ("idle", "S1", "proof: idle"),
        ("idle", None, "proof: idle"),
        ("walk", None, "proof: walk"),
        ("walk", [], "proof: walk"),
        ("rubric", None, "rubric"),
    ],
)
def test_malformed_parts_are_named(part, value, message):
    parts = dict(zip(("rubric", "marks", "idle", "walk"), proof(5), strict=True)) | {part: value}
    assert message in refused(*parts.values())


HOSTILE = [
    None,
    "S99",
    {},
    {"all": []},
    {"all": ["S1"] * 41},
    {"none": ["S1"]},
    {"all": ["S1"], "any": ["S2"]},
    {"not": "S1", "any": ["S2"]},
    {"at_least": 3, "of": ["S1", "S2"]},
    {"at_least": True, "of": ["S1", "S2"]},
    {"at_least": "\u00b2", "of": ["S1", "S2"]},
    {"at_least": "01", "of": ["S1", "S2"]},
    {"at_least": 1, "off": ["S1", "S2"]},
    {"not": {"not": {"not": {"not": {"not": "S1"}}}}},
    {"any": [{"all": [{"not": f"S{k}"} for k in range(1, 11)] * 3} for _ in range(30)]},
]


@pytest.mark.parametrize("condition", HOSTILE, ids=str)
def test_a_condition_that_the_reader_refuses_is_refused_here_too(condition):
    _, marks, idle, claim = proof(5)
    rubric = {"criteria": [{"text": "x", "points": 1, "if": condition}]}
    with pytest.raises(RubricError):
        read_rubric(rubric, tuple(marks))
    assert refused(rubric, marks, idle, claim).startswith("rubric: ")


def test_a_condition_with_millions_of_ids_is_refused_at_once():
    _, marks, idle, claim = proof(5)
    condition = "S1"
    for _ in range(4):
        condition = {"any": [condition] * 40}
    start = time.process_time()
    message = refused({"criteria": [{"text": "x", "points": 1, "if": condition}]}, marks, idle, claim)
    assert "more than 400 ids" in message
    assert time.process_time() - start < 0.1


@pytest.mark.parametrize("points", [True, 1.5, None, "NaN", "1/3", "1e-7", 1001, "-1000.5", "0." + "0" * 59])
def test_points_that_the_reader_refuses_are_refused_here_too(points):
    _, marks, idle, claim = proof(5)
    rubric = {"criteria": [{"text": "x", "points": points, "if": "S1"}]}
    assert "criteria[0]: points" in refused(rubric, marks, idle, claim)


def test_a_rubric_that_splits_too_far_is_refused_in_bounded_time():
    marked, rubric = worst_case(16)
    claim = exploit(read_rubric(rubric, marked.ids), marked).claim()
    start = time.process_time()
    assert "totals" in refused(rubric, marked.marks, sorted(marked.idle), claim)
    assert time.process_time() - start < 2


def test_as_many_totals_as_are_allowed_are_proved_in_bounded_time():
    """Forty criteria whose points add up to at most 4,095 different totals."""
    marked, rubric = worst_case(16)
    for place, criterion in enumerate(rubric["criteria"]):
        criterion["points"] = f"{min(2**place, 134)}/40"
    claim = exploit(read_rubric(rubric, marked.ids), marked).claim()
    start = time.process_time()
    subset_walk.decide(rubric, marked.marks, sorted(marked.idle), claim)
    assert time.process_time() - start < 4


def task(seed):
    rubric, marks, idle, claim = proof(seed)
    target = {"rubric": rubric, "baseline": claim["baseline"]}
    return {
        "question": {"kind": "attack", "target": target},
        "certificate": {"proof": {"kind": "statements", "marks": marks, "idle": idle, "walk": claim}},
    }


def test_the_checker_reads_a_task_and_runs_as_a_script():
    walked = subset_walk.check(task(2))
    script = [sys.executable, "-m", "impossible_rubrics_env.certificates.checkers.subset_walk"]
    done = subprocess.run(script, input=json.dumps(task(2)), text=True, capture_output=True, check=True)
    assert done.stdout == f"{walked}\n"


def test_the_baseline_that_is_printed_must_be_the_proved_one():
    wrong = task(2)
    wrong["question"]["target"]["baseline"] = "7"
    with pytest.raises(CertificateError, match="question: baseline"):
        subset_walk.check(wrong)
    del wrong["certificate"]["proof"]["walk"]
    with pytest.raises(CertificateError, match="walk"):
        subset_walk.check(wrong)
    for junk in ({}, {"question": None, "certificate": 3}, {"question": {"target": []}}):
        with pytest.raises(CertificateError, match="task"):
            subset_walk.check(junk)
