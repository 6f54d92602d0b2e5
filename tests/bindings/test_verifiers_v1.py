"""The v1 binding on the version installed for development; all versions run it in tests/matrix."""

import asyncio
import dataclasses
import functools
import itertools
import json
import types

import httpx
import impossible_rubrics_endless
import pytest
import verifiers.v1 as vf
from odd_replies import MESSAGES, TEXTS, fill
from pydantic import ValidationError
from samples import BREAKABLE, SAMPLES, UNBREAKABLE, right

import impossible_rubrics_env as ire
from impossible_rubrics_env.bindings import draw, verifiers_v1
from impossible_rubrics_env.bindings.draw import DEFAULT_FAMILIES
from impossible_rubrics_env.bindings.signals import SIGNALS, judge
from impossible_rubrics_env.errors import ArgumentError, GateError
from impossible_rubrics_env.reply import assistant_text
from impossible_rubrics_env.taskgen.arguments import DrawArguments


class Trace:
    """What scoring reads of a trace, and where it writes."""

    def __init__(self, *texts, truncated=False):
        self.assistant_messages = [types.SimpleNamespace(role="assistant", content=text) for text in texts]
        self.is_truncated = truncated
        self.metrics = {}

    def record_metrics(self, values):
        self.metrics.update(values)


def as_task(task):
    data = verifiers_v1.ImpossibleRubricsData(idx=0, name=task.id, prompt=task.prompt, spec=task.to_json())
    return verifiers_v1.ImpossibleRubricsTask(data)


def score(task, *texts, truncated=False):
    trace = Trace(*texts, truncated=truncated)
    return asyncio.run(as_task(task).outcome(trace)), trace.metrics


def taskset(**arguments):
    return verifiers_v1.ImpossibleRubricsTaskset(verifiers_v1.ImpossibleRubricsConfig(**arguments))


def test_the_lazy_names_of_the_package_are_the_classes_of_the_binding():
    assert ire.ImpossibleRubricsTaskset is verifiers_v1.ImpossibleRubricsTaskset
    assert ire.ImpossibleRubricsHarness is verifiers_v1.ImpossibleRubricsHarness
    assert ire.ImpossibleRubricsEnv is verifiers_v1.ImpossibleRubricsEnv


@pytest.mark.parametrize("module", [ire, impossible_rubrics_endless], ids=["finite", "endless"])
def test_a_module_offers_exactly_one_taskset_one_harness_and_one_env(module):
    named = [getattr(module, name) for name in module.__all__]
    for base in (vf.Taskset, vf.Harness, vf.Env):
        assert sum(isinstance(item, type) and issubclass(item, base) for item in named) == 1


def test_defect_list_against_iterable_tasks_come_one_at_a_time_or_as_a_list(monkeypatch):
    made = []
    original = verifiers_v1.ImpossibleRubricsTask.__init__
    monkeypatch.setattr(
        verifiers_v1.ImpossibleRubricsTask, "__init__", lambda self, *args: made.append(1) or original(self, *args)
    )
    source = taskset(num_tasks=1000)
    assert len(list(itertools.islice(source.load(), 3))) == len(made) == 3
    monkeypatch.setattr(verifiers_v1, "HAS_LOCAL_ENV", False)
    listed = taskset(num_tasks=5).load()
    assert isinstance(listed, list)
    assert [task.data.idx for task in listed] == [0, 1, 2, 3, 4]


def test_the_config_offers_every_argument_of_the_draw_with_its_default():
    fields = verifiers_v1.ImpossibleRubricsConfig.model_fields
    own = {name: field.default for name, field in fields.items() if name not in vf.TasksetConfig.model_fields}
    drawn = {item.name: item.default for item in dataclasses.fields(DrawArguments)}
    assert own == {**drawn, "families": DEFAULT_FAMILIES, "num_tasks": 1000}


def test_a_misspelt_argument_is_refused():
    with pytest.raises(ValidationError, match="num_taks"):
        verifiers_v1.ImpossibleRubricsConfig(num_taks=5)


@pytest.mark.parametrize(
    "arguments",
    [{"num_tasks": -1}, {"split": "test"}, {"penalty": "x"}, {"families": "certifed_interval"}, {"seed": -1}],
)
def test_a_bad_argument_stops_the_taskset_from_being_built(arguments):
    with pytest.raises(ArgumentError):
        taskset(**arguments)


def test_a_failing_gate_stops_the_taskset_from_being_built(monkeypatch):
    def fail(*_):
        raise GateError("planted")

    draw._pass_gate.cache_clear()
    monkeypatch.setattr(draw, "run_gate", fail)
    with pytest.raises(GateError, match="planted"):
        taskset()
    with pytest.raises(GateError, match="planted"):
        impossible_rubrics_endless.EndlessRubricsTaskset(verifiers_v1.DrawConfig())


def test_a_task_travels_as_one_string_of_json_and_keeps_its_id():
    for task in taskset(num_tasks=20):
        wire = json.loads(json.dumps(task.data.model_dump(mode="json")))
        assert ire.Task.from_json(wire["spec"]).id == wire["name"] == task.key
        assert all(not isinstance(value, int) or abs(value) < 2**53 for value in wire.values())


def test_every_task_passes_its_own_model_free_check():
    assert all(asyncio.run(task.validate()) for task in taskset(num_tasks=40))
    assert all(asyncio.run(task.validate()) for task in taskset(num_tasks=8, scheme="unit", penalty="3", abstain=True))


def test_the_model_free_check_fails_where_the_listed_right_reply_is_wrong():
    spec = json.loads(BREAKABLE.to_json())
    spec["answers"][0]["reply"] = right(UNBREAKABLE)
    data = verifiers_v1.ImpossibleRubricsData(idx=0, name="spoilt", prompt="", spec=json.dumps(spec))
    assert asyncio.run(verifiers_v1.ImpossibleRubricsTask(data).validate()) is False


def test_all_signals_are_recorded_with_the_reward():
    reward, metrics = score(BREAKABLE, right(BREAKABLE))
    assert reward == 1.0
    assert set(metrics) == set(SIGNALS)


def test_only_the_raw_text_of_the_last_assistant_message_counts():
    assert score(BREAKABLE, right(BREAKABLE), "done")[0] == 0.0
    assert score(BREAKABLE, "hm", right(BREAKABLE))[0] == 1.0
    assert score(BREAKABLE, None)[1]["unreadable"] == 1.0


def test_unreadable_truncated_and_failed_are_told_apart():
    assert score(BREAKABLE, "no idea")[1]["unreadable"] == 1.0
    cut = score(BREAKABLE, right(BREAKABLE)[:-4], truncated=True)[1]
    assert (cut["unreadable"], cut["truncated"], cut["failed"]) == (0.0, 1.0, 0.0)
    none = score(BREAKABLE)[1]
    assert {name for name, value in none.items() if value} == {"failed"}


def test_odd_replies_score_as_the_core_grades_them():
    for task in SAMPLES:
        for item in [*([{"role": "assistant", "content": text}] for text in TEXTS), *MESSAGES]:
            messages = fill(item, right(task))
            judged = judge(task.to_json(), messages)
            texts = [assistant_text([message]) for message in messages if message["role"] == "assistant"]
            assert score(task, *texts) == (judged.reward, judged.signals)


def test_a_burst_of_right_replies_on_a_busy_loop_all_earn_one():
    task = as_task(BREAKABLE)

    async def busy():
        for _ in range(50):
            sum(range(100_000))
            await asyncio.sleep(0)

    async def burst():
        scores = asyncio.gather(*(task.outcome(Trace(right(BREAKABLE))) for _ in range(2000)))
        return (await asyncio.gather(scores, busy()))[0]

    assert asyncio.run(burst()) == [1.0] * 2000


def harness_run(handler, monkeypatch):
    """One launch of the harness with `handler` as the framework's server."""
    transport = httpx.MockTransport(handler)
    monkeypatch.setattr(httpx, "AsyncClient", functools.partial(httpx.AsyncClient, transport=transport))
    harness = verifiers_v1.ImpossibleRubricsHarness(vf.HarnessConfig(id="impossible-rubrics-env"))
    trace = Trace()
    context = types.SimpleNamespace(model="stub")
    data = as_task(BREAKABLE).data
    launch = harness.launch(context, trace, None, "http://server/v1", "secret", {}, data)
    return asyncio.run(launch), trace


def test_the_harness_makes_one_call_with_the_prompt_and_nothing_else(monkeypatch):
    seen = []

    def handler(request):
        seen.append((request.headers["authorization"], json.loads(request.content)))
        return httpx.Response(200, json={})

    result, trace = harness_run(handler, monkeypatch)
    assert result.exit_code == 0
    assert seen == [("Bearer secret", {"model": "stub", "messages": [{"role": "user", "content": BREAKABLE.prompt}]})]
    assert trace.metrics == {}


@pytest.mark.parametrize("status", [400, 429, 500])
def test_a_call_that_fails_fails_the_rollout_and_says_so_in_its_metrics(monkeypatch, status):
    result, trace = harness_run(lambda _: httpx.Response(status, text="down"), monkeypatch)
    assert result.exit_code == 1
    assert str(status) in result.stderr
    assert {name for name, value in trace.metrics.items() if value} == {"failed"}


def test_the_endless_taskset_is_endless_by_its_class_and_yields_the_same_tasks():
    kind = impossible_rubrics_endless.EndlessRubricsTaskset
    assert kind.INFINITE is True
    assert verifiers_v1.ImpossibleRubricsTaskset.INFINITE is False
    endless = kind(verifiers_v1.DrawConfig(seed=3, families="attack"))
    finite = taskset(seed=3, num_tasks=5, families="attack")
    assert [task.key for task in endless.take(5)] == [task.key for task in finite]
    assert [task.data.idx for task in itertools.islice(endless.load(), 1500, 1502)] == [1500, 1501]
