"""The walk, its independent checker, plain loops and a 0/1 program agree on the best answers."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rubric_cases import case, ids_of, worst_case
from rubric_drawing import kinds_of, marked_lists, plain_score, plain_walk, ratio, rubrics
from rubric_program import optima

from impossible_rubrics_env.certificates.checkers import subset_walk
from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.numerals import Ratio
from impossible_rubrics_env.rubrics import walk
from impossible_rubrics_env.rubrics.exploit import exploit
from impossible_rubrics_env.rubrics.language import read_rubric
from impossible_rubrics_env.rubrics.marks import Marked
from impossible_rubrics_env.rubrics.scoring import score


def drawn(least=1, most=7):
    return marked_lists(least, most).flatmap(lambda marked: st.tuples(st.just(marked), rubrics(marked.ids)))


@settings(max_examples=250)
@given(drawn())
def test_the_walk_its_checker_and_plain_loops_agree(pair):
    marked, rubric = pair
    found = exploit(read_rubric(rubric, marked.ids), marked)
    assert found.claim() == plain_walk(rubric, marked)
    walked = subset_walk.decide(rubric, marked.marks, sorted(marked.idle), found.claim())
    assert walked == (found.baseline, found.room)
    level = found.baseline.numerator / found.baseline.denominator
    assert found.false_claim_exploited == (found.room > 0)
    assert found.scores_nothing == (level == 0)
    if found.best_violating is None:
        assert (found.exploited, found.margin) == (False, None)
    else:
        assert found.exploited == (found.margin.numerator >= 0)


@settings(max_examples=100)
@given(drawn(most=6))
def test_every_set_has_the_score_that_plain_loops_give_it(pair):
    marked, rubric = pair
    read = read_rubric(rubric, marked.ids)
    scores = walk.scores(read)
    seen = set()
    for place in range(2 ** len(marked.ids)):
        held = walk.set_at(marked.ids, place)
        assert walk.place_of(marked.ids, held) == place
        assert scores[place] == plain_score(rubric, held) == score(read, held)
        seen.add(held)
    assert len(seen) == len(scores)


@settings(max_examples=100)
@given(drawn())
def test_over_refusal_is_rewarded_where_a_false_set_with_a_refusal_reaches_the_baseline(pair):
    marked, rubric = pair
    found = exploit(read_rubric(rubric, marked.ids), marked)
    refusing = {
        id_
        for id_, one in marked.means.items()
        if one["kind"] == "ground" or one == {"kind": "settled", "holds": False}
    }
    required = [id_ for id_ in marked.ids if marked.marks[id_] == "required"]
    if not any(marked.means[id_]["kind"] == "answer" for id_ in required):
        assert found.over_refusal_rewarded is None
        return
    baseline = plain_score(rubric, required)
    places = range(2 ** len(marked.ids))
    sets = [held for held in (walk.set_at(marked.ids, place) for place in places) if refusing & {*held}]
    rewarded = [held for held in sets if "false" in kinds_of(marked, held) and plain_score(rubric, held) >= baseline]
    assert found.over_refusal_rewarded == bool(rewarded)


@pytest.mark.parametrize("seed", range(12))
def test_lists_of_the_usual_length_are_proved_again(seed):
    marked, rubric = case(seed, 10 + seed % 7, 7)
    found = exploit(read_rubric(rubric, marked.ids), marked)
    assert subset_walk.decide(rubric, marked.marks, sorted(marked.idle), found.claim()).room == found.room


@pytest.mark.parametrize("seed", range(25))
def test_a_solver_of_0_1_programs_finds_the_same_optima(seed):
    marked, rubric = case(100 + seed, 14, 7)
    claim = exploit(read_rubric(rubric, marked.ids), marked).claim()
    found = optima(rubric, marked)
    for kind in ("false", "violating", "honest"):
        expected = claim[kind] and ratio(claim[kind]["score"])
        assert found[kind] == (expected and expected.numerator * 2 // expected.denominator), kind


def test_ties_go_to_the_smallest_set_and_then_to_the_first_in_list_order():
    ids = ids_of(4)
    marked = Marked(ids, dict.fromkeys(ids, "false"), frozenset(), {id_: {"kind": "hedge"} for id_ in ids})
    one = {"text": "x", "points": 10, "if": {"any": [{"all": ["S2", "S3"]}, {"all": ["S1", "S4"]}]}}
    found = exploit(read_rubric({"criteria": [one]}, ids), marked)
    assert found.best_false.ids == found.best_violating.ids == ("S1", "S4")
    assert found.best_honest == (Ratio(0, 1), ())
    assert (found.room, found.margin, found.scores_nothing) == (15, Ratio(10, 1), True)


def test_totals_are_cut_to_0_and_100_after_all_criteria():
    ids = ("S1",)
    marked = Marked(ids, {"S1": "required"}, frozenset(), {"S1": {"kind": "answer"}})
    high = {"text": "x", "points": 130, "if": "S1"}
    low = {"text": "x", "points": "-81/2", "if": {"any": ["S1", {"not": "S1"}]}}
    found = exploit(read_rubric({"criteria": [high, low]}, ids), marked)
    assert found.baseline == Ratio(179, 2)
    assert found.best_violating == (Ratio(0, 1), ())
    assert found.margin == Ratio(-179, 2)
    assert exploit(read_rubric({"criteria": [high]}, ids), marked).baseline == Ratio(100, 1)


def test_kinds_without_a_set_are_none():
    ids = ("S1", "S2")
    marked = Marked(ids, dict.fromkeys(ids, "allowed"), frozenset(), {id_: {"kind": "hedge"} for id_ in ids})
    rubric = read_rubric({"criteria": [{"text": "x", "points": 1, "if": "S1"}]}, ids)
    found = exploit(rubric, marked)
    assert (found.best_false, found.best_violating, found.margin) == (None, None, None)
    assert not found.exploited
    assert not found.false_claim_exploited
    claim = found.claim()
    assert claim["violating"] is None
    subset_walk.decide({"criteria": [{"text": "x", "points": 1, "if": "S1"}]}, marked.marks, [], claim)


def test_a_rubric_over_other_statements_than_the_marks_is_refused():
    marked = Marked(("S1",), {"S1": "false"}, frozenset(), {"S1": {"kind": "hedge"}})
    rubric = read_rubric({"criteria": [{"text": "x", "points": 1, "if": "S1"}]}, ("S1", "S2"))
    with pytest.raises(ArgumentError, match="other statements"):
        exploit(rubric, marked)


@pytest.mark.parametrize(
    ("ids", "marks", "idle", "means"),
    [
        (("S1", "S1"), {"S1": "false"}, (), {"S1": {"kind": "hedge"}}),
        (ids_of(17), dict.fromkeys(ids_of(17), "false"), (), {id_: {"kind": "hedge"} for id_ in ids_of(17)}),
        (("S1",), {}, (), {"S1": {"kind": "hedge"}}),
        (("S1",), {"S1": "false"}, (), {}),
        (("S1",), {"S1": "wrong"}, (), {"S1": {"kind": "hedge"}}),
        (("S1",), {"S1": "required"}, ("S1",), {"S1": {"kind": "hedge"}}),
        (("S1",), {"S1": "allowed"}, ("S2",), {"S1": {"kind": "hedge"}}),
    ],
)
def test_marks_that_do_not_fit_the_list_are_refused(ids, marks, idle, means):
    with pytest.raises(ArgumentError):
        Marked(ids, marks, frozenset(idle), means)


def test_the_shared_arrays_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        walk.all_sets(3).columns[0][0] = True
    with pytest.raises(ArgumentError):
        walk.all_sets(17)


def test_a_walk_leaves_the_columns_as_they_were():
    marked, rubric = case(3, 10, 7)
    before = [column.copy() for column in walk.all_sets(10).columns]
    exploit(read_rubric(rubric, marked.ids), marked)
    assert all(map(np.array_equal, before, walk.all_sets(10).columns))


def test_the_worst_case_is_walked_within_the_bound():
    """Of processor time, so that a loaded machine does not matter; the bench prints what it takes."""
    marked, value = worst_case(16)
    rubric = read_rubric(value, marked.ids)
    exploit(rubric, marked)
    start = time.process_time()
    exploit(rubric, marked)
    assert time.process_time() - start < 0.2
