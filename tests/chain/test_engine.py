"""Calls through the real clients: what is recorded, repeated, given up, reserved, and returned."""

import asyncio
import json
import random
import socket
import sys
import time
from email.utils import formatdate
from types import SimpleNamespace

import pytest
from setting import ARGUMENTS, BOTH, FAST, KEYS, PRICES, Setting, ask
from wire import MODEL_ID, Step, tokens

from impossible_rubrics_env.chain.calls import Model, Provider, Reply, Request, Stop
from impossible_rubrics_env.chain.engine import MAX_KEY_CHARS, DryEngine, Options
from impossible_rubrics_env.chain.environments import drawn
from impossible_rubrics_env.chain.prices import INPUT_OVERHEAD_TOKENS, Prices, usd
from impossible_rubrics_env.chain.problems import CallError, StoppedError, StoreError
from impossible_rubrics_env.chain.providers import Providers
from impossible_rubrics_env.chain.retries import Backoff
from impossible_rubrics_env.chain.running import State, run, run_dry, summary
from impossible_rubrics_env.chain.stages import Setup as StagesSetup
from impossible_rubrics_env.chain.stages import Stages, key_of
from impossible_rubrics_env.chain.store import read
from impossible_rubrics_env.errors import ArgumentError

both = pytest.mark.parametrize("model", BOTH)
WAITED = Backoff(0.01, 0.02, 0.5, random.Random(1))


def records(setting, kind=None):
    lines = (setting.folder / "calls.jsonl").read_text().splitlines()
    return [record for record in map(json.loads, lines) if kind in (None, record["record"])]


@both
def test_a_reply_is_whole_and_its_record_says_all_about_it(setting, model):
    _, ended, replies = setting.ask_all(["k"], model)
    reply = replies["k"]
    count = tokens("system text" + ask("k").prompt)
    assert (ended.state, ended.reason, ended.exit_code) == (State.COMPLETE, "", 0)
    assert (reply.text, reply.stop, reply.model_id) == ("reply to k", Stop.END, MODEL_ID)
    assert (reply.input_tokens, reply.output_tokens) == (count, 3)
    price = PRICES.of(Model.parse(model))
    assert reply.cost_micro_usd == price.cost(count, 3) > 0
    (intent,), (record,) = records(setting, "intent"), records(setting, "reply")
    request = ask("k", model)
    assert intent["request"] == record["request"] == request.hash
    assert intent["prompt"] == record["prompt"] == request.prompt_hash
    assert intent["reserved_micro_usd"] == PRICES.worst_case(request)
    assert record["parameters"] == {"max_tokens": 100, "temperature": None, "effort": None}
    assert record["stop_reason"] == ("stop" if model.startswith("openai") else "end_turn")
    assert [record["record"] for record in records(setting)] == ["header", "intent", "reply", "end"]


@both
def test_what_is_sent_is_the_request(setting, wire, model):
    async def main(engine):
        await engine.call("k", ask("k", model, temperature=0, effort="low", max_tokens=77))

    setting.run(main)
    ((path, headers, body),) = wire.requests
    user = {"role": "user", "content": ask("k").prompt}
    if model.startswith("openai"):
        assert path == "/v1/chat/completions"
        assert headers["authorization"] == f"Bearer {KEYS['OPENAI_API_KEY']}"
        messages = [{"role": "system", "content": "system text"}, user]
        assert body == {
            "model": "m",
            "messages": messages,
            "max_completion_tokens": 77,
            "temperature": 0.0,
            "reasoning_effort": "low",
        }
    else:
        assert path == "/v1/messages"
        assert KEYS["ANTHROPIC_API_KEY"] in (headers.get("x-api-key"), headers.get("authorization", "")[7:])
        rest = {"system": "system text", "temperature": 0.0, "output_config": {"effort": "low"}}
        assert body == {"model": "m", "messages": [user], "max_tokens": 77, **rest}
    assert headers["x-stainless-retry-count"] == "0"


def test_the_output_limit_goes_by_its_other_name_where_a_server_wants_that(setting, wire):
    setting.ask_all(["k"], output_limit="max_tokens")
    assert wire.requests[0][2]["max_tokens"] == 100
    assert "max_completion_tokens" not in wire.requests[0][2]


@both
@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
def test_errors_that_pass_are_waited_out_and_cost_nothing(setting, wire, model, status):
    wire.script["k"] = [Step(status), Step(status)]
    engine, ended, replies = setting.ask_all(["k"], model)
    assert ended.state is State.COMPLETE
    assert wire.received["k"] == 3
    assert [record["status"] for record in records(setting, "attempt")] == [status, status]
    assert [record["attempt"] for record in records(setting, "intent")] == [1, 2, 3]
    assert engine.budget.spent_micro_usd == replies["k"].cost_micro_usd
    assert engine.budget.reserved_micro_usd == 0


@both
@pytest.mark.parametrize("step", [Step(drop=True), Step(cut="json"), Step(cut="body"), Step(body=[1]), Step(body={})])
def test_answers_that_may_have_been_billed_are_charged_at_their_worst_case(setting, wire, model, step):
    wire.script["k"] = [step]
    engine, ended, replies = setting.ask_all(["k"], model)
    assert ended.state is State.COMPLETE
    assert wire.received["k"] == 2
    (record,) = records(setting, "attempt")
    worst = PRICES.worst_case(ask("k", model))
    assert record["outcome"] == ("connection" if step.drop or step.cut == "body" else "body")
    assert record["charged_micro_usd"] == worst
    assert engine.budget.spent_micro_usd == worst + replies["k"].cost_micro_usd
    assert read(setting.folder).spent_micro_usd == engine.budget.spent_micro_usd


@both
def test_what_was_never_connected_was_not_sent_and_costs_nothing(setting, model, monkeypatch):
    """A refused connection, and a name that there is not."""

    def unknown(*_args, **_more):
        raise socket.gaierror(-2, "Name or service not known")

    setting.options = {"attempts": 2}
    for url in ("http://127.0.0.1:1", "http://no-such-host.invalid"):
        setting.folder /= "next"
        if "invalid" in url:
            monkeypatch.setattr(socket, "getaddrinfo", unknown)
        providers = Providers(environ=KEYS, anthropic_base_url=url, openai_base_url=url)
        engine, ended, _ = setting.ask_all(["k"], model, providers=providers)
        assert (ended.state, engine.budget.spent_micro_usd) == (State.PARTIAL, 0)
        assert "no connection was made: ConnectError" in ended.reason
        failed = records(setting, "attempt")
        assert [(one["outcome"], one["charged_micro_usd"]) for one in failed] == [("unreachable", 0)] * 2
        assert read(setting.folder).spent_micro_usd == 0


@both
def test_a_connection_that_is_not_made_in_time_is_no_timeout_of_an_answer(tmp_path, model):
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen(0)
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}"
        waiting = [socket.socket() for _ in range(4)]
        for one in waiting:  # they fill the queue, so that the next one finds no place
            one.setblocking(False)
            one.connect_ex(deaf.getsockname())
        setting = Setting(url, tmp_path / "run", {"attempts": 1}, timeout=1.0)
        setting.providers().check([Model.parse(model)])
        engine, _, _ = setting.ask_all(["k"], model)
        for one in waiting:
            one.close()
    assert [one["outcome"] for one in records(setting, "attempt")] == ["unreachable"]
    assert engine.budget.spent_micro_usd == 0


@both
@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(setting, wire, model, status):
    """One attempt is one request, to the address that was given."""
    wire.script["k"] = [Step(status, headers={"location": "/v1/messages"})]
    engine, ended, _ = setting.ask_all(["k"], model)
    assert len(wire.requests) == 1
    assert (ended.state, engine.budget.spent_micro_usd) == (State.PARTIAL, 0)
    assert "redirects are not followed; this one is to /v1/messages" in ended.reason


@both
def test_a_slow_answer_is_a_timeout_and_is_tried_again(setting, wire, model):
    setting.timeout = 1.5
    wire.script["k"] = [Step(seconds=4)]
    setting.providers().check([Model.parse(model)])  # imports the client, which takes a while
    engine, ended, _ = setting.ask_all(["k"], model)
    assert ended.state is State.COMPLETE
    first, *_ = records(setting, "attempt")
    assert (first["outcome"], first["detail"]) == ("timeout", "no answer within 1.5 seconds")
    assert engine.budget.spent_micro_usd > PRICES.worst_case(ask("k", model))


@both
@pytest.mark.parametrize("header", ["retry-after", "retry-after-ms", "date"])
def test_the_wait_a_provider_asks_for_is_kept(setting, wire, model, header):
    asked = {"retry-after": ("retry-after", "0.4"), "retry-after-ms": ("retry-after-ms", "400")}
    name, value = asked.get(header) or ("retry-after", formatdate(time.time() + 3, usegmt=True))
    setting.options = {"backoff": Backoff(0.01, 0.02, 30, random.Random(1))}
    wire.script["k"] = [Step(429, headers={name: value})]
    setting.ask_all(["k"], model)
    waited = wire.times[1] - wire.times[0]
    (record,) = records(setting, "attempt")
    assert waited >= record["retry_after_milliseconds"] / 1000 > (0.3 if header != "date" else 0)


def test_a_wait_longer_than_the_limit_gives_the_call_up(setting, wire):
    wire.script["k"] = [Step(429, headers={"retry-after": "3600"})]
    engine, ended, _ = setting.ask_all(["k"])
    assert (ended.state, ended.exit_code) == (State.PARTIAL, 1)
    assert wire.received["k"] == 1
    assert "asked to wait 3600 seconds" in engine.failures["k"]


def test_a_provider_that_says_not_to_retry_is_not_asked_again(setting, wire):
    wire.script["k"] = [Step(500, headers={"x-should-retry": "false"})]
    engine, _, _ = setting.ask_all(["k"])
    assert wire.received["k"] == 1
    assert list(engine.failures) == ["k"]


@both
def test_attempts_are_bounded_and_a_failed_call_stops_no_other(setting, wire, model):
    setting.options = {"attempts": 3}
    wire.script["bad"] = [Step(503)] * 9
    engine, ended, replies = setting.ask_all(["bad", "good"], model)
    assert ended.state is State.PARTIAL
    assert wire.received["bad"] == 3
    assert set(replies) == {"good"}
    assert "no reply in 3 attempts" in engine.failures["bad"]
    assert "1 calls failed for good" in ended.reason
    resumed, ended, replies = setting.ask_all(["bad", "good"], model, resume=True)
    assert (resumed.counts.reused, wire.received["good"]) == (1, 1)
    assert wire.received["bad"] == 6
    wire.script["bad"] = []
    _, ended, replies = setting.ask_all(["bad", "good"], model, resume=True)
    assert ended.state is State.COMPLETE
    assert records(setting, "intent")[-1]["attempt"] == 7


@both
@pytest.mark.parametrize(
    ("stop", "expected"),
    [("length", Stop.LENGTH), ("filter", Stop.REFUSAL), ("refusal", Stop.REFUSAL), ("novel_reason", Stop.LENGTH)],
)
def test_cut_off_and_refused_replies_are_recorded_as_what_they_are(setting, wire, model, stop, expected):
    wire.script["k"] = [Step(stop=stop, text="no")]
    _, ended, replies = setting.ask_all(["k"], model)
    assert (ended.state, replies["k"].stop, replies["k"].text) == (State.COMPLETE, expected, "no")
    assert wire.received["k"] == 1
    _, _, again = setting.ask_all(["k"], model, resume=True)
    assert again == replies
    assert wire.received["k"] == 1


@both
def test_a_reply_without_text_is_empty(setting, wire, model):
    wire.script["k"] = [Step(text=" \n")]
    _, _, replies = setting.ask_all(["k"], model)
    assert replies["k"].stop is Stop.EMPTY


@pytest.mark.parametrize("content", [None, "", []])
def test_chat_content_that_is_null_or_no_text_is_empty(setting, wire, content):
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
    wire.script["k"] = [Step(body={"choices": [choice]})]
    _, _, replies = setting.ask_all(["k"])
    assert (replies["k"].stop, replies["k"].usage_known, replies["k"].model_id) == (Stop.EMPTY, False, "m")


@both
def test_replies_are_asked_for_again_as_configured_and_all_are_kept(setting, wire, model):
    setting.options = {"retry_stops": {Stop.EMPTY, Stop.LENGTH}, "replies": 3}
    wire.script["a"] = [Step(text=""), Step(stop="length", text="cut")]
    wire.script["b"] = [Step(text="")] * 5
    wire.script["c"] = [Step(stop="filter", text="no")]
    _, ended, replies = setting.ask_all("abc", model)
    assert ended.state is State.COMPLETE
    assert {key: reply.stop for key, reply in replies.items()} == {
        "a": Stop.END,
        "b": Stop.EMPTY,
        "c": Stop.REFUSAL,
    }
    assert (wire.received["a"], wire.received["b"], wire.received["c"]) == (3, 3, 1)
    history = read(setting.folder)
    assert [reply.stop for reply in history.replies["a"]] == [Stop.EMPTY, Stop.LENGTH, Stop.END]
    _, _, again = setting.ask_all("abc", model, resume=True)
    assert again == replies
    assert sum(wire.received.values()) == 7


@both
def test_a_reply_whose_tokens_are_not_counted_costs_its_worst_case(setting, wire, model):
    wire.script["k"] = [Step(usage=False)]
    engine, _, replies = setting.ask_all(["k"], model)
    assert (replies["k"].usage_known, replies["k"].input_tokens) == (False, 0)
    assert replies["k"].cost_micro_usd == PRICES.worst_case(ask("k", model)) == engine.budget.spent_micro_usd


@both
@pytest.mark.parametrize(
    "step",
    [
        Step(401, "Incorrect API key provided"),
        Step(402, "pay"),
        Step(403, "not allowed"),
        Step(404, "The model m does not exist"),
        Step(400, "Your credit balance is too low to access the API"),
        Step(429, "You exceeded your current quota", code="insufficient_quota"),
    ],
)
def test_a_hard_error_stops_its_provider_and_no_other(setting, wire, model, step):
    other = next(name for name in BOTH if name != model)
    setting.options = {"concurrency": 1}
    wire.script["k0"] = [step]

    async def main(engine):
        for number in range(4):
            with pytest.raises(StoppedError, match=step.message):
                await engine.call(f"k{number}", ask(f"k{number}", model))
        return await engine.call("other", ask("other", other))

    engine, ended = setting.run(main)
    assert ended.value.text == "reply to other"
    assert (ended.state, ended.exit_code) == (State.PARTIAL, 1)
    assert step.message in ended.reason
    assert (wire.received["k0"], wire.received["k1"]) == (1, 0)
    line = summary(engine, ended)
    assert line.startswith("partial: 1 calls have a reply")
    assert line.endswith("the same command with --resume goes on")


def test_a_request_that_is_refused_fails_alone_and_many_in_a_row_stop_the_provider(setting, wire):
    setting.options = {"concurrency": 1, "give_up_after": 3}
    wire.default = Step(400, "prompt is too long")
    wire.script["k1"] = [Step()]

    async def main(engine):
        outcomes = []
        for number in range(7):
            try:
                await engine.call(f"k{number}", ask(f"k{number}"))
                outcomes.append("reply")
            except (CallError, StoppedError) as error:
                outcomes.append(type(error).__name__)
        return outcomes

    _, ended = setting.run(main)
    assert ended.value == ["CallError", "reply", *["CallError"] * 3, *["StoppedError"] * 2]
    assert "3 calls to openai in a row have failed" in ended.reason


@both
def test_what_would_break_the_cap_is_not_sent(setting, wire, model):
    worst = PRICES.worst_case(ask("k00", model))
    cap = worst + 40 * 72
    engine, ended, replies = setting.ask_all([f"k{number:02}" for number in range(90)], model, cap=cap)
    assert ended.state is State.PARTIAL
    assert "is used up" in ended.reason
    assert 5 < len(replies) < 90
    assert sum(wire.received.values()) == len(replies) == engine.counts.answered
    assert engine.budget.spent_micro_usd == sum(reply.cost_micro_usd for reply in replies.values())
    assert cap - worst < engine.budget.spent_micro_usd <= cap
    _, ended, again = setting.ask_all([f"k{number:02}" for number in range(90)], model, cap=cap, resume=True)
    assert again == replies, "a resume under the same cap sends nothing more"
    _, ended, again = setting.ask_all([f"k{number:02}" for number in range(90)], model, resume=True)
    assert (ended.state, len(again)) == (State.COMPLETE, 90)


def test_spent_and_reserved_never_exceed_the_cap_even_while_attempts_fail(setting, wire):
    seen = []
    rng = random.Random(3)
    for number in range(60):
        wire.script[f"k{number}"] = [rng.choice([Step(500), Step(drop=True), Step(429), Step()]) for _ in range(3)]
    cap = 12 * PRICES.worst_case(ask("k10"))

    def watch(engine):
        seen.append(engine.budget.spent_micro_usd + engine.budget.reserved_micro_usd)

    engine, _, _ = setting.ask_all([f"k{number}" for number in range(60)], cap=cap, on_progress=watch)
    assert max(seen) <= cap
    assert engine.budget.reserved_micro_usd == 0
    assert read(setting.folder).spent_micro_usd == engine.budget.spent_micro_usd


@both
def test_more_spent_than_the_cap_is_said_and_goes_on_under_a_higher_one_alone(setting, wire, model):
    wire.script["k0"] = [Step(counted=900_000)]
    setting.options = {"concurrency": 1}
    cap = 2 * PRICES.worst_case(ask("k0", model))
    engine, ended, replies = setting.ask_all(["k0"], model, cap=cap)
    assert (ended.state, list(replies)) == (State.PARTIAL, ["k0"])
    assert (
        f"{usd(replies['k0'].cost_micro_usd)} USD may be spent, more than the budget of {usd(cap)} USD" in ended.reason
    )
    assert summary(engine, ended).endswith("; the same command with --resume and a higher --budget goes on")
    engine, ended, _ = setting.ask_all(["k0", "k1"], model, cap=cap, resume=True)
    assert (ended.state, sum(wire.received.values())) == (State.PARTIAL, 1)
    assert "more than the budget" in ended.reason
    _, ended, replies = setting.ask_all(["k0", "k1"], model, cap=10**9, resume=True)
    assert (ended.state, ended.reason, len(replies)) == (State.COMPLETE, "", 2)


def test_a_budget_that_is_used_up_needs_a_higher_one(setting, wire):
    cap = PRICES.worst_case(ask("a"))
    engine, ended, replies = setting.ask_all("ab", cap=cap)
    assert (ended.state, len(replies)) == (State.PARTIAL, 1)
    assert summary(engine, ended).endswith("; the same command with --resume and a higher --budget goes on")
    _, ended, replies = setting.ask_all("ab", cap=2 * cap, resume=True)
    assert (ended.state, len(replies), sum(wire.received.values())) == (State.COMPLETE, 2, 2)


def test_a_budget_of_nothing_sends_nothing(setting, wire):
    _, ended, replies = setting.ask_all(["a", "b"], cap=0)
    assert (ended.state, replies, wire.requests) == (State.PARTIAL, {}, [])


def test_concurrency_is_limited(setting, wire):
    wire.default = Step(seconds=0.02)
    setting.options = {"concurrency": 3}
    engine, _, replies = setting.ask_all([f"k{number}" for number in range(30)])
    assert wire.most_at_once <= 3
    assert len(replies) == engine.counts.answered == 30


def test_one_key_asked_for_at_the_same_time_is_one_call(setting, wire):
    async def main(engine):
        first, second = await asyncio.gather(*(engine.call("k", ask("k")) for _ in range(2)))
        return first, second

    engine, ended = setting.run(main)
    assert ended.value[0] == ended.value[1]
    assert (wire.received["k"], engine.counts.asked) == (1, 1)


def test_one_key_with_two_requests_is_refused(setting):
    async def main(engine):
        with pytest.raises(StoreError, match="two requests"):
            await asyncio.gather(engine.call("k", ask("k")), engine.call("k", ask("k", max_tokens=7)))
        await engine.drain()
        with pytest.raises(StoreError, match="another prompt, model or parameters"):
            await engine.call("k", ask("k", max_tokens=7))

    setting.run(main)
    _, _, again = setting.ask_all(["k"], resume=True)
    assert again["k"].text == "reply to k"

    async def other(engine):
        await engine.call("k", ask("k", "anthropic:m"))

    with pytest.raises(StoreError, match="another prompt, model or parameters"):
        setting.run(other, resume=True)


def test_a_program_that_fails_leaves_its_attempts_in_flight_recorded(setting, wire):
    wire.default = Step(seconds=0.3)

    sent = asyncio.Event()

    async def main(engine):
        async with asyncio.TaskGroup() as group:
            group.create_task(engine.call("slow", ask("slow")))
            await sent.wait()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        setting.run(main, on_progress=lambda engine: sent.set() if engine.counts.in_flight else None)
    assert list(read(setting.folder).replies) == ["slow"]


def test_stops_inside_a_task_group_end_the_run_as_partial(setting, wire):
    wire.default = Step(401, "no key")

    async def main(engine):
        async with asyncio.TaskGroup() as group:
            for number in range(5):
                group.create_task(engine.call(f"k{number}", ask(f"k{number}")))

    _, ended = setting.run(main)
    assert (ended.state, ended.value) == (State.PARTIAL, None)
    assert records(setting, "end")[-1]["state"] == "partial"


def test_policies_see_the_prompt_and_fixed_models_the_key_and_both_are_free(setting, wire):
    seen = {}

    def policy(prompt):
        seen["policy"] = prompt
        return "from the prompt"

    def fixed(key):
        seen["fixed"] = key
        return "from the key"

    async def main(engine):
        first = await engine.call("p", ask("p", "policy:mine"))
        return first, await engine.call("f", ask("f", "fixed:mine"))

    more = {"policies": {"mine": policy}, "fixed": {"mine": fixed}, "cap": 0}
    engine, ended = setting.run(main, **more)
    assert seen == {"policy": ask("p").prompt, "fixed": "f"}
    assert [reply.text for reply in ended.value] == ["from the prompt", "from the key"]
    assert (engine.budget.spent_micro_usd, ended.state, wire.requests) == (0, State.COMPLETE, [])
    seen.clear()
    _, again = setting.run(main, resume=True, **more)
    assert again.value == ended.value
    assert seen == {}


def test_a_policy_that_cannot_read_its_prompt_fails_its_call_alone(setting):
    def policy(prompt):
        if "bad" in prompt:
            raise ValueError("no question here")
        return "yes"

    engine, ended, replies = setting.ask_all(["bad", "good"], "policy:mine", policies={"mine": policy})
    assert (ended.state, list(replies)) == (State.PARTIAL, ["good"])
    assert "no question here" in engine.failures["bad"]


def test_a_policy_with_a_bug_ends_the_run_with_its_own_error(setting):
    with pytest.raises(KeyError):
        setting.ask_all(["k"], "policy:mine", policies={"mine": lambda _: {}["no"]})
    assert records(setting, "attempt")[0]["outcome"] == "unexpected"


def test_lone_surrogates_in_replies_become_text(setting, wire):
    wire.script["k"] = [Step(text="a\ud800b")]
    _, _, replies = setting.ask_all(["k"])
    assert replies["k"].text == "a�b"
    ask("k").prompt.encode()


@both
def test_secrets_reach_neither_store_nor_reply_nor_message(setting, wire, model, monkeypatch):
    monkeypatch.setenv("SOME_SERVICE_TOKEN", "foreign-secret-0123456789")
    keys = [*KEYS.values(), "foreign-secret-0123456789"]
    leak = " ".join(keys)
    wire.script["echo"] = [Step(500, f"bad header authorization: Bearer {leak}", code=keys[0]), Step(text=leak)]
    wire.script["last"] = [Step(401, f"Incorrect API key provided: {leak} sk-proj-abc***xyz")]
    setting.options = {"concurrency": 1}
    engine, ended, replies = setting.ask_all(["echo", "last"], model)
    text = (setting.folder / "calls.jsonl").read_text() + replies["echo"].text + summary(engine, ended) + ended.reason
    assert not any(key in text for key in keys)
    assert "sk-proj" not in text
    assert replies["echo"].text == "[secret] [secret] [secret]"
    _, _, again = setting.ask_all(["echo"], model, resume=True)
    assert again["echo"] == replies["echo"]


@both
def test_no_part_of_a_secret_is_left_where_text_is_cut(setting, wire, model):
    secret = KEYS["OPENAI_API_KEY"]
    setting.options = {"concurrency": 1}
    for place in (*range(440, 505, 8), 90, 190):
        key, words = f"k{place}", f"{'.' * place}{secret}{'.' * 200}"
        wire.script[key] = [Step(500, words), Step(500, body=words.encode()), Step(stop=words, model_id=words)]
        engine, ended, replies = setting.ask_all([key], model, resume=place != 440)
        text = (setting.folder / "calls.jsonl").read_text() + ended.reason + summary(engine, ended) + str(replies)
        assert secret[:9] not in text.replace("planted-openai-key-222", "")
    assert len(records(setting, "reply")[-1]["model_id"]) <= 200
    assert len(records(setting, "reply")[-1]["stop_reason"]) <= 100


def test_an_unforeseen_error_loses_its_secrets_too(setting):
    def policy(_):
        raise KeyError("." * 480 + KEYS["OPENAI_API_KEY"])

    with pytest.raises(KeyError):
        setting.ask_all(["k"], "policy:mine", policies={"mine": policy})
    assert "planted" not in (setting.folder / "calls.jsonl").read_text()


def test_a_key_that_is_a_word_of_keys_and_names_leaves_the_store_readable(setting, wire):
    environ = {"ANTHROPIC_API_KEY": "generator", "OPENAI_API_KEY": "local-model"}
    keys = ["local-model/generator", "other/generator"]
    for resume in (False, True):
        providers = Providers(environ=environ, openai_base_url=f"{wire.url}/v1")
        _, ended, replies = setting.ask_all(keys, "openai:local-model", providers=providers, resume=resume)
        assert (ended.state, list(replies)) == (State.COMPLETE, keys)
    assert replies[keys[0]].text == "reply to local-model/generator"
    assert list(read(setting.folder).replies) == keys
    assert len(wire.requests) == 2


def test_a_secret_in_a_prompt_is_sent_and_not_stored(setting, wire):
    request = Request(Model.parse("openai:m"), KEYS["OPENAI_API_KEY"], f"[key:k] {KEYS['OPENAI_API_KEY']}", 9)

    async def main(engine):
        await engine.call("k", request)

    setting.run(main)
    assert KEYS["OPENAI_API_KEY"] in wire.requests[0][2]["messages"][1]["content"]
    assert KEYS["OPENAI_API_KEY"] not in (setting.folder / "calls.jsonl").read_text()


def test_a_call_that_is_asked_for_again_and_answered_has_not_failed(setting, wire):
    wire.script["k"] = [Step(400)]

    async def main(engine):
        with pytest.raises(CallError, match="scripted"):
            await engine.call("k", ask("k"))
        return await engine.call("k", ask("k"))

    _, ended = setting.run(main)
    assert (ended.state, ended.value.text) == (State.COMPLETE, "reply to k")


def test_a_store_that_cannot_be_written_stops_the_run(setting, wire, monkeypatch):
    """A reply that cannot be recorded must not be followed by further calls."""
    engine = setting.engine()
    monkeypatch.setattr(engine.store, "_write", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))

    async def main():
        await engine.call("k", ask("k"))

    with pytest.raises(OSError, match="records cannot be written: No space left"):
        run(engine, main)
    assert wire.requests == []


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device"), StoreError("one line"), ArgumentError("one")]
)
def test_many_calls_that_fail_side_by_side_are_one_error(setting, wire, monkeypatch, error):
    wire.default = Step(seconds=0.05)
    engine = setting.engine()
    if isinstance(error, OSError):
        monkeypatch.setattr(engine.store, "_write", lambda _: (_ for _ in ()).throw(error))
    else:
        monkeypatch.setattr(engine.prices.__class__, "worst_case", lambda *_: (_ for _ in ()).throw(error))

    async def main():
        async with asyncio.TaskGroup() as group:
            for number in range(4):
                group.create_task(engine.call(f"k{number}", ask(f"k{number}")))

    with pytest.raises(type(error), match=r"No space left|one"):
        run(engine, main)


def test_the_longest_names_of_models_make_keys_that_are_taken():
    """All roles, asked again and again, for the environment with the longest name."""
    keys = []

    class Asked:
        async def call(self, key, _request):
            keys.append(key)
            role = key.removesuffix(f"/again{key.rpartition('again')[2]}").rpartition("/")[2]
            last = key.endswith("again20") or role in ("generator", "attacker")
            text = "text" if role in ("generator", "attacker") else '{"first": 1, "second": 2}' if last else "prose"
            return Reply(text, Stop.END, "m", 0, 0, 0.0, 0)

    names = [Model.parse(f"anthropic:{letter * 200}") for letter in "gajo"]
    played = StagesSetup(*((name,) for name in names), draws=1000, repeats=20, retests=20, audit=True)
    environments = drawn("answer", 2, 1)
    for one in environments:
        asyncio.run(Stages(Asked(), played).rows(one, 999, names[0]))
    assert any(key.endswith("/judge/retest20/again20") for key in keys)
    assert any(key.endswith("/judge_over_refusal/again20") for key in keys)
    rests = [len(key) - len(key.partition("/")[0]) for key in keys]
    long = len(key_of(SimpleNamespace(task_id="é" * 999)))
    assert 300 < long + max(rests) <= MAX_KEY_CHARS


def test_a_fault_of_the_program_is_raised_before_what_was_foreseen():
    async def main():
        async def fail(error):
            raise error

        async with asyncio.TaskGroup() as group:
            for error in (StoreError("foreseen"), ZeroDivisionError(), OSError(5, "foreseen")):
                group.create_task(fail(error))

    with pytest.raises(ZeroDivisionError):
        run_dry(main)


def test_a_dry_run_whose_calls_are_refused_is_one_error():
    async def main():
        async with asyncio.TaskGroup() as group:
            for number in range(3):
                group.create_task(DryEngine(PRICES).call(f"a blank {number}", ask("k")))

    with pytest.raises(ArgumentError, match="printable ASCII"):
        run_dry(main)


def test_a_dry_run_counts_calls_and_worst_cases_and_sends_nothing(wire):
    options = Options(attempts=4, retry_stops={Stop.EMPTY}, replies=2)
    dry = DryEngine(PRICES, options, dry_text=lambda key, _: f"text for {key}")

    async def main():
        for key in ("a", "b", "a"):
            assert (await dry.call(key, ask(key))).text == f"text for {key}"
        await dry.call("c", ask("c", "anthropic:m"))
        await dry.call("d", ask("d", "policy:free"))

    asyncio.run(main())
    worst = PRICES.worst_case(ask("a"))
    assert worst == PRICES.of(Model.parse("openai:m")).cost(ask("a").input_bytes + INPUT_OVERHEAD_TOKENS, 100)
    assert (dry.models["openai:m"].calls, dry.models["openai:m"].one_micro_usd) == (2, 2 * worst)
    assert dry.models["openai:m"].all_micro_usd == 8 * 2 * worst
    assert dry.models["policy:free"].all_micro_usd == 0
    assert dry.total.calls == 4
    assert wire.requests == []


def test_a_dry_run_of_a_resume_counts_what_is_left(setting):
    setting.ask_all(["a", "b"])
    dry = DryEngine(PRICES, history=read(setting.folder))
    texts = [asyncio.run(dry.call(key, ask(key))).text for key in "abc"]
    assert texts == ["reply to a", "reply to b", "(dry run)"]
    assert dry.total.calls == 1


def test_progress_is_told(setting, wire):
    wire.script["k1"] = [Step(500)]
    seen = []
    engine, _, _ = setting.ask_all(["k1", "k2"], on_progress=lambda engine: seen.append(engine.counts.in_flight))
    assert max(seen) >= 1
    assert (engine.counts.asked, engine.counts.answered, engine.counts.attempts) == (2, 2, 3)


@pytest.mark.parametrize("model", ["openai:m", "anthropic:m"])
def test_a_missing_key_is_one_clear_line(model):
    with pytest.raises(
        ArgumentError, match=f"need a key in the environment variable {model.split(':')[0].upper()}_API_KEY"
    ):
        Providers(environ={}).check([Model.parse(model)])


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_missing_client_names_the_extra(monkeypatch, provider):
    monkeypatch.setitem(sys.modules, provider, None)
    with pytest.raises(ImportError, match=r"pip install 'impossible-rubrics-env\[chain\]'"):
        Providers(environ=KEYS).check([Model.parse(f"{provider}:m")])


def test_unknown_policies_and_bad_addresses_are_refused_before_anything_is_sent():
    with pytest.raises(ArgumentError, match="there is no policy:x; known: a, b"):
        Providers(policies={"a": str, "b": str}).check([Model.parse("policy:x")])
    for url in ("ftp://x", "localhost:80", "http://", "http://x:99999"):
        with pytest.raises(ArgumentError, match="base URL of openai"):
            Providers(environ=KEYS, openai_base_url=url).check([Model.parse("openai:m")])


def test_addresses_come_from_the_environment(wire, tmp_path):
    environ = {**KEYS, "OPENAI_BASE_URL": f"{wire.url}/v1", "ANTHROPIC_BASE_URL": wire.url}
    setting = Setting(wire.url, tmp_path / "run")
    _, ended, _ = setting.ask_all(["k"], "anthropic:m", providers=Providers(environ=environ))
    assert ended.state is State.COMPLETE
    _, ended, _ = setting.ask_all(["o"], "openai:m", providers=Providers(environ=environ), resume=True)
    assert ended.state is State.COMPLETE


def test_a_paid_model_without_a_price_is_refused(setting):
    setting.prices = Prices()
    with pytest.raises(ArgumentError, match="there is no price for openai:m"):
        setting.ask_all(["k"])


def test_backoff_doubles_up_to_its_limit():
    backoff = Backoff(1, 8, 100, random.Random(0))
    waits = [backoff.wait(tries, None) for tries in range(1, 8)]
    for wait, longest in zip(waits, (1, 2, 4, 8, 8, 8, 8), strict=True):
        assert longest / 2 <= wait <= longest
    assert 5 <= backoff.wait(1, 5.0) <= 5.5
    assert backoff.wait(1, 101.0) is None
    assert FAST.wait(50, None) <= 0.04


@pytest.mark.parametrize("key", ["", "with blank", "é", "x" * 1001])
def test_keys_are_plain_words(setting, key):
    with pytest.raises(ArgumentError, match="printable ASCII"):
        setting.ask_all([key])


def test_arguments_of_the_store_are_those_of_the_run(setting):
    setting.engine().store.close()
    assert read(setting.folder).header["arguments"] == ARGUMENTS
    assert Provider.OPENAI in set(Provider)
