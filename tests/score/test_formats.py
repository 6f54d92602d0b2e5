"""Every format of a saved rollout is read to the same grade, and only the policy's own last text counts."""

import json

import pytest

from impossible_rubrics_env.rollouts import Finding, Rollout, read_rollouts
from impossible_rubrics_env.score import score_files


def v0(task, messages, **fields):
    row = {
        "example_id": 0,
        "prompt": [{"role": "user", "content": task.prompt}],
        "completion": messages,
        "answer": "",
        "info": {"spec": task.to_json()},
        "reward": None,
        "error": None,
        "is_truncated": False,
        "stop_condition": "max_turns_reached",
    }
    return {**row, **fields}


def trace(task, messages, **fields):
    nodes = [{"message": {"role": "user", "content": task.prompt}, "sampled": False}]
    nodes += [{"parent": 0, "message": message, "sampled": message["role"] == "assistant"} for message in messages]
    return {
        "id": "a1",
        "task": {"type": "ImpossibleRubricsTask", "data": {"idx": 0, "spec": task.to_json()}},
        "nodes": nodes,
        "rewards": {},
        "errors": [],
        **fields,
    }


def episode(task, messages, **fields):
    inner = trace(task, messages, ok=True, agent={"name": "agent"}, **fields)
    return {"id": "e1", "ok": True, "errors": [], "task": {"key": task.id}, "traces": [inner]}


def plain(task, messages, **fields):
    return {"task": task.to_json(), "reply": messages, **fields}


FORMATS = [v0, trace, episode, plain]
in_every_format = pytest.mark.parametrize("form", FORMATS)


def said(text, **fields):
    return {"role": "assistant", "content": text, **fields}


def verdicts(report):
    return {name: count for name, count in report.overall.total().as_dict()["verdicts"].items() if count}


@in_every_format
def test_a_right_and_a_wrong_reply_get_their_verdicts(form, breakable, right, wrong, save):
    report = score_files([save(form(breakable, [said(right)])), save(form(breakable, [said(wrong)]), name="b.jsonl")])
    rows = verdicts(report)
    if form in (trace, episode):  # both rows carry the same trace id
        assert (rows, report.findings.counts[Finding.DUPLICATE]) == ({"SOLVED": 1}, 1)
    else:
        assert rows == {"SOLVED": 1, "WRONG": 1}
    assert report.complete


@in_every_format
def test_rewards_and_grades_in_a_file_are_ignored(form, breakable, wrong, save):
    claim = {"rewards": {"outcome": 1.0}} if form in (trace, episode) else {"reward": 1}
    report = score_files([save(form(breakable, [said(wrong)], grade="SOLVED", **claim))])
    assert report.overall.total().mean_reward == -1
    assert report.findings.counts[Finding.REWARD_MISMATCH] == 1
    issue = report.findings.first[Finding.REWARD_MISMATCH][0]
    assert (issue.place.line, issue.detail) == (1, "stored 1.0, proved -1.0")


@pytest.mark.parametrize(
    "rewards",
    [{"outcome": 1.0}, {"outcome": {"score": 1.0, "weight": 1.0}}, {"a": {"score": 2, "weight": 0.5}, "b": None}, {}],
)
def test_stored_rewards_that_agree_or_are_absent_are_no_mismatch(rewards, breakable, right, save):
    report = score_files([save(episode(breakable, [said(right)], rewards=rewards))])
    assert not report.findings.counts


@in_every_format
def test_reasoning_tools_users_and_earlier_messages_never_count(form, breakable, right, save):
    messages = [
        said(right),
        {"role": "tool", "content": right},
        said("done", reasoning_content=right, tool_calls=[{"function": {"arguments": right}}]),
        {"role": "user", "content": right},
    ]
    report = score_files([save(form(breakable, messages))])
    assert verdicts(report) == {"REFUSED_PARSE": 1}


def test_an_assistant_message_that_the_model_did_not_sample_is_not_its_reply(breakable, right, save):
    row = trace(breakable, [said(right)])
    row["nodes"][1]["sampled"] = False
    report = score_files([save(row)])
    assert report.overall.total().failed == 1


@in_every_format
def test_an_assistant_message_without_content_is_unreadable_and_not_a_failure(form, breakable, save):
    report = score_files([save(form(breakable, [{"role": "assistant"}]))])
    assert verdicts(report) == {"REFUSED_PARSE": 1}
    assert report.overall.total().failed == 0


@pytest.mark.parametrize(
    ("form", "fields"),
    [
        (v0, {"error": {"error": "ModelError"}}),
        (v0, {"completion": []}),
        (v0, {"completion": None, "error": "boom"}),
        (v0, {"completion": [{"role": "user", "content": "hi"}]}),
        (trace, {"errors": [{"type": "ProviderError"}]}),
        (trace, {"nodes": [], "errors": None}),
        (episode, {"ok": False}),
        (episode, {"nodes": []}),
        (plain, {"error": "timeout"}),
    ],
)
def test_failed_rollouts_are_counted_and_stay_out_of_the_rates(form, fields, breakable, right, save):
    row = form(breakable, [said(right)])
    (row["traces"][0] if form is episode else row).update(fields)
    total = score_files([save(row)]).overall.total()
    assert (total.failed, total.graded, total.mean_reward) == (1, 0, None)


def test_an_episode_that_failed_in_the_end_fails_its_traces(breakable, right, save):
    row = {**episode(breakable, [said(right)]), "ok": False}
    assert score_files([save(row)]).overall.total().failed == 1


def test_an_error_of_an_attempt_that_was_repeated_with_success_does_not_fail_the_rollout(breakable, right, save):
    row = episode(breakable, [said(right)], errors=[{"type": "ProviderError"}])
    assert verdicts(score_files([save(row)])) == {"SOLVED": 1}


def test_an_episode_without_traces_is_a_failed_rollout_of_the_task_that_it_names(breakable, save):
    row = {"id": "e", "ok": False, "errors": [{"type": "X"}], "task": {"key": breakable.id}, "traces": []}
    report = score_files([save(row)])
    assert (report.overall.total().failed, report.complete) == (1, True)
    nameless = {**row, "task": None}
    report = score_files([save(nameless)])
    assert report.findings.counts == {Finding.NO_TASK: 1}


def test_traces_of_other_agents_are_named_and_not_scored(breakable, right, wrong, save):
    row = episode(breakable, [said(right)])
    row["traces"].append({**trace(breakable, [said(wrong)], ok=True), "id": "j", "agent": {"name": "judge"}})
    report = score_files([save(row)])
    assert verdicts(report) == {"SOLVED": 1}
    assert report.findings.counts == {Finding.OTHER_AGENT: 1}
    assert report.place(report.findings.first[Finding.OTHER_AGENT][0].place).endswith(":1, trace 1")


@pytest.mark.parametrize(
    ("form", "fields"),
    [
        (v0, {"is_truncated": True}),
        (trace, {"calls": [{"finish_reason": "length"}]}),
        (trace, {"stop_condition": "max_output_tokens"}),
        (episode, {"calls": [{"finish_reason": "length"}, {"error": {}, "finish_reason": "stop"}]}),
        (plain, {"finish_reason": "length"}),
        (plain, {"truncated": True}),
    ],
)
def test_a_truncated_reply_is_graded_by_its_text_and_counted_as_cut_off(form, fields, breakable, right, save):
    for text, verdict in ((right, "SOLVED"), (right[:-12], "REFUSED_PARSE"), (f"<think>{right}", "REFUSED_PARSE")):
        total = score_files([save(form(breakable, [said(text)], **fields))]).overall.total()
        assert (total.truncated, total.verdicts[verdict], total.failed) == (1, 1, 0)


def test_a_node_of_0_2_0_says_itself_that_it_was_cut_off(breakable, right, save):
    row = trace(breakable, [said(right)])
    row["nodes"][1]["finish_reason"] = "length"
    assert score_files([save(row)]).overall.total().truncated == 1


@in_every_format
def test_null_and_absent_fields_are_the_same(form, breakable, right, save):
    def with_nulls(value):
        if isinstance(value, dict):
            return {"extra": None, **{name: with_nulls(item) for name, item in value.items()}}
        return [with_nulls(item) for item in value] if isinstance(value, list) else value

    def without_nulls(value):
        if isinstance(value, dict):
            return {name: without_nulls(item) for name, item in value.items() if item is not None}
        return [without_nulls(item) for item in value] if isinstance(value, list) else value

    row = form(breakable, [said(right)])
    for variant in (with_nulls(row), without_nulls(row)):
        assert verdicts(score_files([save(variant)])) == {"SOLVED": 1}


def test_info_and_task_may_be_text_or_objects(breakable, right, save):
    spec = json.loads(breakable.to_json())
    rows = [
        v0(breakable, [said(right)], info=json.dumps({"spec": breakable.to_json()})),
        v0(breakable, [said(right)], info={"spec": spec}),
        v0(breakable, right),
        {"task": spec, "reply": right},
        {"task": breakable.to_json(), "reply": said(right)},
        {"task_id": breakable.id, "reply": [{"type": "text", "text": right}]},
        {"task_id": breakable.id, "task": spec, "reply": right},
    ]
    report = score_files([save(*rows)])
    assert (verdicts(report), report.tasks) == ({"SOLVED": 7}, 1)


def test_a_row_of_0_2_0_that_lost_its_task_on_the_bridge_is_named(breakable, right, save):
    row = trace(breakable, [said(right)])
    del row["task"]["data"]["spec"]
    assert score_files([save(row)]).findings.counts == {Finding.NO_TASK: 1}


@pytest.mark.parametrize(
    "row",
    [
        None,
        3,
        "NO_ATTACK",
        [],
        [{"reply": "x"}],
        {},
        {"id": 7},
        {"traces": 3},
        {"traces": [3]},
        {"traces": [{"nodes": [None]}]},
        {"traces": [{"agent": "x"}]},
        {"nodes": {}},
        {"nodes": [], "task": "x"},
        {"nodes": [], "rewards": {"a": "1"}},
        {"completion": "x", "info": "{"},
        {"completion": "x", "info": "[]"},
        {"completion": "x", "info": {"spec": 3}},
        {"completion": "x", "is_truncated": "no"},
        {"reply": "x", "task_id": 3},
        {"reply": "x", "task": []},
        {"reply": "x", "reward": True},
        {"reply": "x", "truncated": 1},
    ],
)
def test_rows_of_no_known_shape_are_named_and_leave_their_neighbours_alone(row, breakable, right, save):
    good = {"task": breakable.to_json(), "reply": right}
    report = score_files([save({**good, "rollout": 1}, row, {**good, "rollout": 2})])
    assert report.findings.counts == {Finding.UNKNOWN_FORMAT: 1}
    assert report.findings.first[Finding.UNKNOWN_FORMAT][0].place.line == 2
    assert verdicts(report) == {"SOLVED": 2}
    assert not report.complete


def test_a_later_bad_trace_leaves_no_half_read_episode(breakable, right, save):
    row = episode(breakable, [said(right)])
    row["traces"].append(3)
    assert [type(item) is Rollout for item in read_rollouts(save(row))] == [False]
