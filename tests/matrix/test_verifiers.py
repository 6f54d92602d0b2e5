"""What each verifiers version does with the environment, by its own commands and its Python API."""

import collections

import jobs
from loopback import EXPECTED_REWARD, KINDS, kind_of
from running import TASKS, needs

from impossible_rubrics_env import generate
from impossible_rubrics_env.bindings.draw import DEFAULT_FAMILIES
from impossible_rubrics_env.bindings.signals import SIGNALS, judge

ALL = ("0.2.0", "0.3.1", "0.4.0")
WITH_V0 = ("0.2.0", "0.3.1")
WITH_ENDLESS = ("0.3.1", "0.4.0")
INDEX_OF = {task.id: index for index, task in enumerate(generate(DEFAULT_FAMILIES, n=TASKS))}
SHOWN = {
    "right": {"solved", "well_formed"},
    "wrong": {"well_formed", "false_claim"},
    "unsupported": {"well_formed"},
    "unreadable": {"unreadable"},
    "truncated": {"truncated"},
    "failed": {"failed"},
}
"""The signals of each kind of reply, whatever the family asks."""
BY_TASK = {"refused", "witness_valid", "abstained", "false_answer", "over_refusal", "false_break", "missed_attack"}
"""Signals that depend on the task besides: a right reply may be a refusal, and a wrong one is wrong in its own way."""


def check(rows, count=TASKS):
    """Every kind of reply has its reward and its signals, and failures are told apart."""
    assert sorted(INDEX_OF[row.task_id] for row in rows) == list(range(count))
    for row in rows:
        kind = kind_of(INDEX_OF[row.task_id])
        assert set(SIGNALS) <= set(row.metrics), kind
        shown = {name for name in SIGNALS if row.metrics[name]}
        assert shown - BY_TASK == SHOWN[kind], (kind, row)
        assert row.failed == (kind == "failed"), row
        assert row.reward == EXPECTED_REWARD.get(kind, 0.0), (kind, row)
    assert {row.reward for row in rows} == {-1.0, 0.0, 1.0}
    if count == TASKS:
        assert any(row.metrics["refused"] for row in rows)


SERVED = [("0.2.0", False), ("0.2.0", True), ("0.3.1", True), ("0.3.1", False), ("0.4.0", False)]


@needs(jobs.v1_rows, SERVED)
def test_the_v1_command_line_saves_each_reward_and_every_signal(needed):
    assert len(needed) == TASKS
    check(needed)


@needs(jobs.v0_cli_rows, WITH_V0)
def test_the_v0_command_line_saves_each_reward_and_every_signal_through_its_env_server(needed):
    check(needed)


@needs(jobs.v0_api, WITH_V0)
def test_v0_evaluate_returns_each_reward_and_every_signal(needed):
    check(needed["rows"])


@needs(jobs.v1_served, ALL)
def test_the_v1_env_server_answers_its_python_client_with_each_reward_and_every_signal(needed):
    rows = needed["rows"]
    assert [INDEX_OF[row["id"]] for row in rows] == list(range(len(KINDS)))
    for row in rows:
        kind = kind_of(INDEX_OF[row["id"]])
        assert row["reward"] == EXPECTED_REWARD.get(kind, 0.0)
        assert {name for name, value in row["metrics"].items() if value} - BY_TASK == SHOWN[kind]
        assert set(row["metrics"]) == set(SIGNALS)
        assert row["failed"] == (kind == "failed")


@needs(jobs.v1_served, ALL)
def test_workers_that_are_killed_leave_the_client_without_an_answer_and_the_test_bounded(needed):
    """No state of ours lives in a worker; that the client then waits is the framework's, and pinned here."""
    assert needed["killed"] == 2
    assert needed["after"] == "no answer"


@needs(jobs.replayed_rows, ALL)
def test_replay_reproduces_the_rewards_and_signals_of_the_run(needed, matrix, version):
    check(needed)
    first = {row.task_id: row for row in matrix.get(jobs.v1_rows, version, version == "0.3.1")}
    for row in needed:
        assert (row.reward, dict(row.metrics)) == (first[row.task_id].reward, dict(first[row.task_id].metrics))


@needs(jobs.validated, ALL)
def test_validate_finds_every_task_valid_without_a_model(needed, version):
    assert needed.count("valid=True") == 6
    assert "valid=False" not in needed
    if version != "0.2.0":
        assert '"valid_rate": 1.0' in needed


@needs(jobs.configured, ALL)
def test_a_draw_set_in_a_file_and_on_the_command_line_is_the_draw_that_runs(needed, version):
    draw = {"mix": "balanced", "scheme": "train", "penalty": 3, "abstain": True, "order": "shuffled"}
    ids = [task.id for task in generate(DEFAULT_FAMILIES, n=4, seed=5, split="eval", **draw)]
    assert needed.count("valid=True") == 4
    if version != "0.2.0":  # it prints places, not ids
        assert all(f'"name":"{name}"' in needed for name in ids)


@needs(jobs.endless_rows, WITH_ENDLESS)
def test_the_endless_taskset_runs_as_far_as_it_is_told(needed):
    check(needed, count=6)


@needs(jobs.refusal, [("0.2.0", "impossible-rubrics-endless")])
def test_the_endless_taskset_says_on_0_2_what_to_use_instead(needed):
    assert not needed.startswith("0\n")
    assert "the endless taskset needs verifiers>=0.3" in needed


@needs(
    jobs.refusal,
    [
        ("0.2.0", "impossible-rubrics-env", "--taskset.split", "nosuch"),
        ("0.3.1", "impossible-rubrics-env", "--env.taskset.split", "nosuch"),
        ("0.4.0", "impossible-rubrics-env", "--env.taskset.split", "nosuch"),
    ],
)
def test_a_bad_argument_ends_the_command_at_once_with_its_name_and_value(needed):
    assert not needed.startswith("0\n")
    assert "split='nosuch' is not one of train, eval" in needed


@needs(
    jobs.refusal,
    [
        ("0.2.0", "impossible-rubrics-env", "--taskset.num-taks", "5"),
        ("0.3.1", "impossible-rubrics-env", "--env.taskset.num-taks", "5"),
        ("0.4.0", "impossible-rubrics-env", "--env.taskset.num-taks", "5"),
    ],
)
def test_a_misspelt_argument_ends_the_command_and_is_named(needed):
    assert not needed.startswith("0\n")
    assert "num-taks" in needed or "num_taks" in needed


@needs(jobs.v0_api, WITH_V0)
def test_the_v0_rubric_grades_odd_completions_of_message_objects_as_the_core_does(needed):
    for case, scored in zip(jobs.odd_cases(), needed["odd"], strict=True):
        judged = judge(case["spec"], case["completion"])
        assert scored["reward"] == scored["outcome"] == judged.reward
        assert {name: scored[name] for name in SIGNALS} == {name: judged.signals[name] for name in SIGNALS}


@needs(jobs.v0_api, WITH_V0)
def test_v0_scoring_from_a_worker_thread_gives_the_same_rewards(needed):
    assert needed["thread"] != "MainThread"
    assert needed["threaded"] == needed["odd"]


@needs(jobs.v0_api, WITH_V0)
def test_a_burst_of_right_replies_through_the_v0_rubric_all_earn_one(needed):
    assert needed["burst_count"] == 2000
    assert needed["burst"] == [1.0]


@needs(jobs.v0_api, WITH_V0)
def test_v0_failed_and_truncated_rollouts_are_told_apart(needed):
    for name in ("failed", "empty"):
        assert {signal for signal in SIGNALS if needed[name][signal]} == {"failed"}
        assert needed[name]["reward"] == 0.0
    assert needed["truncated"]["truncated"] == 1.0
    assert needed["truncated"]["reward"] == 1.0


@needs(jobs.v0_api, WITH_V0)
def test_v0_rows_carry_messages_and_one_text_and_no_task_column_of_ours(needed):
    assert needed["roles"] == ["user"]
    assert needed["columns"] == {"prompt": "list", "answer": "str", "info": "dict", "example_id": "int"}


@needs(jobs.v0_api, WITH_V0)
def test_v0_refuses_misspelt_and_bad_arguments(needed):
    assert "unknown argument 'num_trian'" in needed["typo"]
    assert "eval_split" in needed["same_split"]
    assert "penalty=0.5 is a float" in needed["bad_value"]


@needs(jobs.v0_api, WITH_V0)
def test_the_time_to_load_two_thousand_rows_is_measured(needed, matrix, version):
    times = {name: f"{seconds:.2f}" for name, seconds in needed["times"].items()}
    matrix.measured[f"load_environment(num_train=2000) on {version}, processor seconds"] = (
        "our code: {import} importing, {gate} for the gate, {rows} making rows; with the framework: {whole}".format(
            **times
        )
    )
    assert set(times) == {"import", "gate", "rows", "whole"}


@needs(jobs.v0_refused, ["0.4.0"])
def test_load_environment_on_a_version_without_v0_says_what_to_use_instead(needed):
    assert needed == (
        "ImportError: verifiers 0.4.0 has no v0 environments: select the v1 taskset by its id instead, as in "
        "`vf-eval impossible-rubrics-env`, or install 'verifiers>=0.2.0,<0.4'"
    )


def test_every_prompt_that_reached_the_model_was_one_of_ours_unchanged(matrix):
    for mark_version, served in SERVED:
        matrix.get(jobs.v1_rows, mark_version, served)
    assert not matrix.model.unknown
    assert all(len(body["messages"]) == 1 and "tools" not in body for body in matrix.model.requests)


def test_every_kind_of_reply_and_every_version_is_counted():
    kinds = collections.Counter(kind_of(index) for index in range(TASKS))
    assert set(kinds) == set(KINDS) == set(SHOWN)
    assert all(count >= 2 for count in kinds.values())
