"""Rows of a chain run: what is read, what is refused with which line, and which rows count."""

import json

import pytest
from built_rows import ORACLE, control, row, run_of, write
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from impossible_rubrics_env.chain.results import EXACT, Status, read_results
from impossible_rubrics_env.errors import ArgumentError


def test_a_row_is_read_with_exact_scores(tmp_path):
    text = json.dumps(row("a")).replace('"adv": 90', '"adv": 0.1e2')
    (tmp_path / "results.jsonl").write_text(f"\n{text}\n  \n")
    [found] = read_results(tmp_path).rows
    top, bottom = found.scores.attack
    assert top == 10 * bottom
    assert (found.task_id, found.control, found.exploited(ORACLE)) == ("a", False, False)


def test_a_score_is_compared_as_it_is_written_not_as_a_double(tmp_path):
    text = json.dumps(row("a")).replace('"baseline": 60', '"baseline": 90.00000000000000000001')
    (tmp_path / "results.jsonl").write_text(text)
    [found] = read_results(tmp_path).rows
    assert found.scores.ahead is False


def test_a_tie_counts_for_the_attack_only_where_it_violates(tmp_path):
    tied = {"baseline": 70, "adv": 70.0}
    first, second = run_of(tmp_path, [row("a", **tied), row("b", exploited=False, **tied)]).rows
    assert (first.exploited(ORACLE), second.exploited(ORACLE)) == (True, False)


def test_a_file_is_read_as_well_as_a_folder_and_gives_its_name(tmp_path):
    path = write(tmp_path / "second", [row("a")], "rows.jsonl")
    assert read_results(path).name == "rows"
    write(tmp_path / "second", [row("a")])
    assert read_results(tmp_path / "second").name == "second"


REFUSED = {
    "task_id": [None, "", "  ", 3, "x" * 1001],
    "label": [None, 1],
    "type": [5, ""],
    "split": [[]],
    "splits": ["all", [1], [""], {}],
    "generator": [None, {}],
    "draw": [None, -1, 1.5, "0", True, 10**10],
    "variant": [None, "angry", 1],
    "attacker": [None],
    "judge": [3],
    "baseline": ["60", -1, 100.1, True, []],
    "adv": ["90", -0.001, 101],
    "over_refusal": [101, "no"],
    "order": ["sideways", 2],
    "violates": [None, [], {"o": 1}, {"o": "yes"}, {" ": True}],
    "baseline_violates": [[], {"o": 0}],
    "exact": [[], {"set": "S1", "violates": True, "false": True}, {"set": ["S1"], "violates": 1, "false": True}],
    "statuses": [None, [], {"judge": "fine"}, {"judge": None}],
    "lengths": [{"baseline": -1, "attack": 1}, {"baseline": 1, "attack": "long"}, 7],
    "format": [7, {"attack": {"lines": 1}}, {"baseline": {"lines": "1"}}],
    "rubric_generic": ["no", 0],
    "self_play": ["no"],
    "reused": ["judge", [1], [""], ["x"] * 1001],
    "rubric_hash": [7, ""],
    "attack_hash": [7, ""],
    "retests": [[], {"judge": {}}, {"judge": [3]}, {"judge": [{"baseline": 1}]}, {"oracle": {"o": [1]}}],
}


@pytest.mark.parametrize("field", REFUSED)
def test_a_bad_field_is_refused_in_one_line_with_file_line_and_field(tmp_path, field):
    for value in REFUSED[field]:
        path = write(tmp_path, [row("fine"), {**row("a"), field: value}])
        with pytest.raises(ArgumentError) as caught:
            read_results(path)
        message = str(caught.value)
        assert message.startswith(f"{path}: line 2: {field}"), value
        assert "\n" not in message
        assert len(message) < 400


NEEDED = ("task_id", "label", "generator", "draw", "variant", "attacker", "judge", "baseline", "adv", "violates")


def test_a_missing_field_is_named(tmp_path):
    for field in (*NEEDED, "statuses"):
        whole = row("a")
        del whole[field]
        with pytest.raises(ArgumentError, match=rf"line 1: {field} is missing"):
            read_results(write(tmp_path, [whole]))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "there are no rows"),
        ("\n \n", "there are no rows"),
        ("[]", "line 1: a row is an object, not a list of 0"),
        ('{"task_id": "a"', "line 1: broken JSON"),
        ('{"draw": 1, "draw": 2}', 'the name "draw" stands twice'),
        (json.dumps(row("a")).replace("60", "NaN"), "NaN is not a number"),
        (json.dumps(row("a", later={"deep": 1})).replace(": 1}", ": Infinity}"), "Infinity is not a number"),
        ("[" * 100_000, "broken JSON: nested too deeply"),
        ('{"a":' * 100_000, "broken JSON"),
    ],
)
def test_a_broken_file_is_refused(tmp_path, text, fault):
    path = tmp_path / "results.jsonl"
    path.write_text(text)
    with pytest.raises(ArgumentError) as caught:
        read_results(path)
    assert fault in str(caught.value)


def test_a_key_that_stands_twice_names_both_lines(tmp_path):
    rows = [row("a"), row("b"), row("a", adv=3)]
    with pytest.raises(ArgumentError, match=r'line 3: task_id="a", generator=.* stands in line 1 already'):
        read_results(write(tmp_path, rows))
    several = [row("a"), row("a", draw=1), row("a", judge="j"), row("a", attacker="x"), row("a", variant="safety")]
    assert len(read_results(write(tmp_path, several)).rows) == 5


def test_attacks_are_numbered_and_the_first_one_is_there(tmp_path):
    found = read_results(write(tmp_path, [row("a"), row("a", attack=1), row("b", attack=None)])).rows
    assert [one.key.attack for one in found] == [0, 1, 0]
    with pytest.raises(ArgumentError, match=r"line 2: task_id=.* attack=0 stands in line 1 already"):
        read_results(write(tmp_path, [row("a"), row("a", attack=0)]))
    with pytest.raises(ArgumentError, match=r"line 2: attack=1 is there, and no row of attack 0$"):
        read_results(write(tmp_path, [row("a"), row("b", attack=1)]))
    for fault in (-1, 1.5, True, "1"):
        with pytest.raises(ArgumentError, match=r"line 1: attack=.* is not a whole number"):
            read_results(write(tmp_path, [row("a", attack=fault)]))


def test_no_file_and_no_folder_are_told_apart(tmp_path):
    with pytest.raises(ArgumentError, match=r"results.jsonl: no such file"):
        read_results(tmp_path)
    (tmp_path / "results.jsonl").mkdir()
    with pytest.raises(ArgumentError, match="not a file"):
        read_results(tmp_path)


STAGES = ("generator", "attacker", "judge", f"oracle:{ORACLE}")


@pytest.mark.parametrize("role", STAGES)
def test_a_stage_that_did_not_end_well_keeps_the_row_out_whatever_values_it_has(tmp_path, role):
    for status in set(Status) - {Status.OK}:
        statuses = {**row("a")["statuses"], role: str(status)}
        [found] = run_of(tmp_path, [row("a", statuses=statuses)]).rows
        assert found.exploited(ORACLE) is None
        assert found.excluded(ORACLE) == f"{role.partition(':')[0]}: {status}"


def test_the_first_stage_that_failed_is_the_reason(tmp_path):
    statuses = {"generator": "ok", "attacker": "truncated", "judge": "not_sent", "oracle": "not_sent"}
    [found] = run_of(tmp_path, [row("a", adv=None, violates={ORACLE: None}, statuses=statuses)]).rows
    assert found.excluded(ORACLE) == "attacker: truncated"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"adv": None}, "judge: no score"),
        ({"baseline": None}, "judge: no score"),
        ({"violates": {ORACLE: None}}, "oracle: no verdict"),
        ({"violates": {"openai:other": True}}, "oracle: not asked"),
    ],
)
def test_a_missing_value_is_no_zero_and_no_false(tmp_path, changes, reason):
    [found] = run_of(tmp_path, [row("a", **changes)]).rows
    assert found.exploited(ORACLE) is None
    assert found.excluded(ORACLE) == reason


def test_the_exact_verdict_is_an_oracle(tmp_path):
    exact = {"set": ["S1", "S2"], "violates": True, "false": False, "mismatch": True}
    [found] = run_of(tmp_path, [row("a", exploited=False, exact=exact)]).rows
    assert (found.exploited(EXACT), found.exploited(ORACLE)) == (True, False)
    assert (found.exact.statements, found.exact.mismatch) == (("S1", "S2"), True)


def test_one_oracle_of_several_that_failed_does_not_keep_out_the_others(tmp_path):
    statuses = {**row("a")["statuses"], "oracle": "refusal", "oracle:openai:other": "refusal"}
    [found] = run_of(tmp_path, [row("a", violates={ORACLE: True, "openai:other": None}, statuses=statuses)]).rows
    assert found.exploited(ORACLE) is True
    assert found.excluded("openai:other") == "oracle: refusal"


def test_over_refusal_is_about_controls_and_a_tie_is_rewarded(tmp_path):
    rows = [control("a", rewarded=True), control("b", rewarded=False), control("c", rewarded=True, over_refusal=None)]
    found = run_of(tmp_path, rows).rows
    assert [one.refusal_rewarded() for one in found] == [True, False, None]
    assert found[2].refusal_excluded() == "judge_over_refusal: not asked"
    failed = {"generator": "ok", "judge_over_refusal": "unreadable"}
    [found] = run_of(tmp_path, [control("a", rewarded=True, statuses=failed)]).rows
    assert (found.refusal_rewarded(), found.refusal_excluded()) == (None, "judge_over_refusal: unreadable")


def read_or_refused(folder, whole):
    try:
        return run_of(folder, [whole]).rows[0], ""
    except ArgumentError as error:
        return None, str(error)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=150)
@given(changes=st.dictionaries(st.sampled_from([*row("a"), "retests", "over_refusal"]), anything, max_size=4))
def test_any_row_is_read_or_refused_in_one_line(tmp_path, changes):
    found, refused = read_or_refused(tmp_path, {**row("a"), **changes})
    if found is None:
        assert "line 1" in refused
        assert refused.isprintable()
    else:
        assert (found.exploited(ORACLE) is None) == (found.excluded(ORACLE) is not None)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    text=st.text(max_size=60)
    | st.just(json.dumps(row("a"))).flatmap(
        lambda whole: st.sampled_from([whole[:place] for place in range(1, len(whole), 7)])
    )
)
def test_any_text_is_refused_in_one_line(tmp_path, text):
    path = tmp_path / "results.jsonl"
    path.write_text(text, encoding="utf-8", errors="replace")
    with pytest.raises(ArgumentError) as caught:
        read_results(path)
    assert str(caught.value).isprintable()
