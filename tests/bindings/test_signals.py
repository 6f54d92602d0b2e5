import json
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from odd_replies import MESSAGES, TEXTS, fill
from samples import BREAKABLE, SAMPLES, TASKS, UNBREAKABLE, answer, name_of, right

from impossible_rubrics_env import CertificateError, GateError, generate, grade
from impossible_rubrics_env.bindings import draw, signals
from impossible_rubrics_env.bindings.draw import open_draw, task_count
from impossible_rubrics_env.bindings.signals import MEASURES, SIGNALS, failure, judge
from impossible_rubrics_env.errors import ArgumentError

EACH = pytest.mark.parametrize("task", SAMPLES, ids=name_of)


def shown(judged):
    return {name for name, value in judged.signals.items() if value}


@EACH
def test_every_signal_is_there_and_is_zero_or_one_whatever_the_reply(task):
    for reply in [*(item["reply"] for item in task.answers), *TEXTS, None, b"bytes", 3.5, [], [{}]]:
        judged = judge(task.to_json(), reply)
        assert judged.signals.keys() - MEASURES == set(SIGNALS)
        assert all(type(value) is float for value in judged.signals.values())
        assert {judged.signals[name] for name in SIGNALS} <= {0.0, 1.0}


def test_a_rubric_that_was_read_is_measured_and_nothing_else_is():
    task = next(generate("rubric_writing", n=1))
    measured = judge(task.to_json(), right(task)).signals
    assert measured.keys() >= set(MEASURES)
    assert (measured["exploited"], measured["criteria"]) == (0.0, 3.0)
    assert measured["margin"] < 0 < measured["specificity"] <= 1
    exploited = judge(task.to_json(), answer(task, "WRONG")).signals
    assert exploited["exploited"] == exploited["false_claim_exploited"] == 1.0
    assert not judge(task.to_json(), "no rubric").signals.keys() & set(MEASURES)
    assert not judge(BREAKABLE.to_json(), right(BREAKABLE)).signals.keys() & set(MEASURES)


@EACH
def test_a_right_a_wrong_and_an_unreadable_reply_earn_plus_one_minus_one_and_zero(task):
    rewards = [judge(task.to_json(), reply).reward for reply in (right(task), answer(task, "WRONG"), "no idea")]
    assert rewards == [1.0, -1.0, 0.0]


def test_unreadable_truncated_and_failed_are_three_different_signals():
    spec = BREAKABLE.to_json()
    assert shown(judge(spec, "no idea")) == {"unreadable"}
    assert shown(judge(spec, right(BREAKABLE)[:-5], truncated=True)) == {"truncated"}
    assert shown(failure()) == {"failed"}
    assert failure().reward == 0.0


def test_a_reply_that_was_cut_off_after_its_answer_is_still_judged():
    judged = judge(BREAKABLE.to_json(), right(BREAKABLE) + " and so", truncated=True)
    assert judged.reward == 1.0
    assert shown(judged) == {"solved", "well_formed", "truncated"}


def test_a_refusal_is_a_signal_only_where_it_was_stated():
    assert "refused" in shown(judge(UNBREAKABLE.to_json(), right(UNBREAKABLE)))
    assert "refused" not in shown(judge(UNBREAKABLE.to_json(), ""))
    assert {"refused", "false_claim", "missed_attack"} <= shown(judge(BREAKABLE.to_json(), right(UNBREAKABLE)))


@EACH
def test_odd_replies_get_the_same_grade_through_the_binding_as_through_grade(task):
    for item in [*TEXTS, *MESSAGES]:
        reply = fill(item, right(task))
        assert judge(task.to_json(), reply).grade == grade(task, reply)


def test_a_batch_keeps_its_order_and_its_length():
    replies = [right(BREAKABLE), "", "I don't know.", right(BREAKABLE), right(BREAKABLE)[:-3]]
    judged = [judge(BREAKABLE.to_json(), reply) for reply in replies]
    assert [item.reward for item in judged] == [1.0, 0.0, 0.0, 1.0, 0.0]
    assert [judge(BREAKABLE.to_json(), reply) for reply in []] == []


def test_scoring_from_worker_threads_gives_the_same_rewards():
    pairs = [(task.to_json(), item["reply"]) for task in TASKS for item in task.answers] * 5
    here = [judge(*pair).reward for pair in pairs]
    with ThreadPoolExecutor(max_workers=4) as pool:
        assert list(pool.map(lambda pair: judge(*pair).reward, pairs)) == here
    assert threading.active_count() < 10


def test_long_replies_do_not_hold_up_a_pool():
    long = "9" * 10_000_000 + right(BREAKABLE)
    with ThreadPoolExecutor(max_workers=2) as pool:
        slow = [pool.submit(judge, BREAKABLE.to_json(), long) for _ in range(20)]
        quick = [pool.submit(judge, BREAKABLE.to_json(), right(BREAKABLE)) for _ in range(500)]
        assert {item.result().reward for item in slow + quick} == {1.0}


def test_a_spec_survives_json_and_holds_no_integer_that_a_double_cannot():
    for task in TASKS:
        spec = task.to_json()
        assert json.loads(json.dumps({"info": {"spec": spec}}))["info"]["spec"] == spec
        assert spec.isascii()
        json.loads(spec, parse_int=lambda text: int(text) if abs(int(text)) <= 2**53 else pytest.fail(text))


def test_a_broken_task_is_an_error_and_never_a_reward():
    spec = json.loads(BREAKABLE.to_json())
    spec["certificate"]["proof"]["lo"] = "0"
    with pytest.raises(CertificateError):
        judge(json.dumps(spec), right(BREAKABLE))


def run(code, *args):
    return subprocess.run([sys.executable, "-c", code, *args], check=True, capture_output=True, text=True).stdout


def test_importing_the_package_pulls_in_no_framework_and_no_sympy():
    heavy = "('sympy', 'numpy', 'verifiers', 'pydantic', 'datasets', 'openai', 'httpx')"
    assert run(f"import sys, impossible_rubrics_env; print([n for n in {heavy} if n in sys.modules])") == "[]\n"


def test_scoring_draws_no_task_and_imports_no_sympy():
    code = (
        "import sys; from impossible_rubrics_env.bindings.signals import judge\n"
        "print(judge(sys.argv[1], sys.argv[2]).reward,"
        " [n for n in sys.modules if n.split('.')[0] in ('sympy', 'verifiers') or 'taskgen' in n])"
    )
    assert run(code, BREAKABLE.to_json(), right(BREAKABLE)) == "1.0 []\n"


def test_wrong_arguments_are_refused_by_name():
    for arguments in ({"sede": 1}, {"split": "test"}, {"penalty": 0.5}, {"families": "certified"}, {"families": 3}):
        with pytest.raises(ArgumentError, match=next(iter(arguments)) if "families" not in arguments else "famil"):
            open_draw(**arguments)


@pytest.mark.parametrize("value", [-1, True, 1.5, "x", None, "9" * 30, 10**10])
def test_a_number_of_tasks_is_a_number(value):
    with pytest.raises(ArgumentError, match="num_train"):
        task_count("num_train", value)


def test_digits_are_read_as_a_number_of_tasks():
    assert task_count("num_train", "12") == 12


def test_a_grader_that_pays_a_forgery_stops_the_load(monkeypatch):
    def generous(spec, reply, **known):
        judged = judge(spec, reply, **known)
        return replace(judged, grade=grade(BREAKABLE, right(BREAKABLE)))

    draw._pass_gate.cache_clear()
    monkeypatch.setattr(draw, "judge", generous)
    with pytest.raises(GateError):
        open_draw(seed=77)
    monkeypatch.undo()
    open_draw(seed=77)


def test_train_and_eval_draws_share_no_task():
    train = open_draw(seed=5)
    prompts = {task.prompt for task in train.tasks(200)}
    assert not prompts & {task.prompt for task in train.with_split("eval").tasks(200)}


def test_signals_are_named_once():
    assert len(set(SIGNALS)) == len(SIGNALS) == len(signals.failure().signals)
