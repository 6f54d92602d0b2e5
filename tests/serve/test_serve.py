"""The served policy answers real clients, sees the last user text alone, and refuses what it cannot use."""

import json
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest
from openai import BadRequestError
from starlette.testclient import TestClient

import impossible_rubrics_env as ire
from impossible_rubrics_env.cli import run
from impossible_rubrics_env.reference_policies.players import POLICIES
from impossible_rubrics_env.reference_policies.policies import never
from impossible_rubrics_env.serve import MAX_BODY_BYTES, SHUTDOWN_SECONDS, application, base_url, open_listener


@pytest.fixture(scope="module")
def tasks():
    return list(ire.generate(n=12, mix="balanced", seed=77))


def user(text):
    return {"role": "user", "content": text}


def test_a_real_client_gets_replies_that_solve_fresh_tasks(client, tasks):
    for task in tasks:
        completion = client.chat.completions.create(model="careful", messages=[user(task.prompt)])
        choice = completion.choices[0]
        assert ire.grade(task, choice.message).verdict == "SOLVED"
        assert (choice.finish_reason, choice.message.role, completion.model) == ("stop", "assistant", "careful")


def test_a_streamed_reply_is_the_same_text_with_usage_at_the_end(client, tasks):
    for task in tasks[:4]:
        stream = client.chat.completions.create(
            model="x", messages=[user(task.prompt)], stream=True, stream_options={"include_usage": True}
        )
        chunks = list(stream)
        text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
        assert text == POLICIES["careful"](task.prompt)
        assert [chunk.choices[0].finish_reason for chunk in chunks[:-1] if chunk.choices[0].finish_reason] == ["stop"]
        assert [chunk.usage for chunk in chunks[:-1]] == [None] * (len(chunks) - 1)
        assert chunks[-1].choices == []
        whole = client.chat.completions.create(model="x", messages=[user(task.prompt)])
        assert chunks[-1].usage == whole.usage
        assert len({chunk.id for chunk in chunks}) == 1


def test_a_stream_without_usage_ends_with_the_finish_reason(client, tasks):
    *_, last = client.chat.completions.create(model="x", messages=[user(tasks[0].prompt)], stream=True)
    assert (last.choices[0].finish_reason, last.usage) == ("stop", None)


def test_usage_adds_up(client, tasks):
    usage = client.chat.completions.create(model="x", messages=[user(tasks[0].prompt)]).usage
    assert usage.prompt_tokens == -(-len(tasks[0].prompt) // 4)
    assert usage.completion_tokens == -(-len(POLICIES["careful"](tasks[0].prompt)) // 4)
    assert usage.total_tokens == usage.prompt_tokens + usage.completion_tokens


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens"])
def test_a_reply_longer_than_allowed_is_cut_off_and_says_so(client, tasks, name):
    completion = client.chat.completions.create(model="x", messages=[user(tasks[0].prompt)], **{name: 3})
    choice = completion.choices[0]
    assert (choice.finish_reason, choice.message.content) == ("length", POLICIES["careful"](tasks[0].prompt)[:12])
    assert ire.grade(tasks[0], choice.message).verdict == "REFUSED_PARSE"


def test_the_model_is_listed(client):
    assert [model.id for model in client.models.list()] == ["careful"]


def test_the_policy_sees_the_last_user_message_and_nothing_else():
    seen = []

    def spy(prompt):
        seen.append(prompt)
        return "ok"

    messages = [
        {"role": "system", "content": "system"},
        user("earlier"),
        {"role": "assistant", "content": "reply"},
        {"role": "user", "content": [{"type": "text", "text": "la"}, {"type": "text", "text": "st"}]},
        {"role": "tool", "content": "tool"},
    ]
    client = TestClient(application(spy, "spy"))
    response = client.post("/v1/chat/completions", json={"model": "m", "messages": messages, "user": "u", "seed": 1})
    assert (response.status_code, seen) == (200, ["last"])


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[" * 100_000,
        b"9" * 5000,
        b"null",
        b"[]",
        b"{}",
        b'{"messages": []}',
        b'{"messages": "hi"}',
        b'{"messages": ["hi"]}',
        b'{"messages": [{"role": "system", "content": "hi"}]}',
        b'{"messages": [{"role": "user"}]}',
        b'{"messages": [{"role": "user", "content": null}]}',
        b'{"messages": [{"role": "user", "content": []}]}',
        b'{"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}',
        b'{"messages": [{"role": "user", "content": "hi"}]}',
        b'{"messages": [{"role": "user", "content": "\\ud835"}], "stream": true}',
        b'{"messages": [{"role": "user", "content": "hi"}], "n": 2}',
        b'{"messages": [{"role": "user", "content": "hi"}], "stream": "yes"}',
        b'{"messages": [{"role": "user", "content": "hi"}], "max_tokens": 0}',
        b'{"messages": [{"role": "user", "content": "hi"}], "max_tokens": true}',
        b'{"messages": [{"role": "user", "content": "hi"}], "stream_options": {"include_usage": 1}}',
    ],
)
def test_a_request_that_cannot_be_used_gets_an_error_body(post, body):
    response = post(body)
    assert response.status_code == 400
    error = response.json()["error"]
    assert error.keys() == {"message", "type", "param", "code"}
    assert error["type"] == "invalid_request_error"
    assert error["message"].isascii()


def test_numbers_that_no_policy_can_use_are_an_error_and_not_a_crash(post):
    for number in ("1/0", "1e99999", "9" * 3000, "0x1", "--1", "NaN"):
        prompt = f"It has been proved that {number} <= x <= {number}.\n\n|s - 1| <= 1.\n\nBreak it."
        assert post(json.dumps({"messages": [user(prompt)]}).encode()).status_code == 400


GRADERS = (
    "its key 1 to 99999999999 decimal places",
    "keeps 99999999999 significant figures of it. Its target 1 becomes",
    "keeps 1 decimals " * 2_900,
    "|s - " + "1" * 49_000,
    "keeps 1 decimals " * 20_000,
)


@pytest.mark.parametrize("grader", GRADERS, ids=range(len(GRADERS)))
def test_a_prompt_made_to_keep_a_policy_busy_is_refused_in_bounded_time(post, grader):
    prompt = f"It has been proved that 1 <= x <= 2.\n\n{grader}\n\nBreak it."
    before = time.monotonic()
    assert post(json.dumps({"messages": [user(prompt)]}).encode()).status_code == 400
    assert time.monotonic() - before < 20


def test_a_request_beyond_the_bound_is_refused(post):
    response = post(json.dumps({"messages": [user("x" * MAX_BODY_BYTES)]}).encode())
    assert response.status_code == 413
    assert str(MAX_BODY_BYTES) in response.json()["error"]["message"]


def test_the_client_raises_its_own_error_on_a_prompt_that_cannot_be_read(client):
    with pytest.raises(BadRequestError, match="the policy cannot read this prompt: no certified interval"):
        client.chat.completions.create(model="x", messages=[user("What is 2 + 2?")])


@pytest.mark.parametrize(("method", "path", "status"), [("GET", "/v2", 404), ("GET", "/v1/chat/completions", 405)])
def test_other_paths_and_methods_get_an_error_body(method, path, status):
    response = TestClient(application(never, "never")).request(method, path)
    assert response.status_code == status
    assert response.json()["error"]["type"] == "invalid_request_error"


@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_can_be_served(policy, tasks):
    client = TestClient(application(POLICIES[policy], policy))
    response = client.post("/v1/chat/completions", json={"messages": [user(tasks[0].prompt)]})
    assert response.json()["choices"][0]["message"]["content"] == POLICIES[policy](tasks[0].prompt)


def test_many_requests_at_once_get_their_own_replies(client, tasks):
    def ask(task):
        completion = client.chat.completions.create(model="x", messages=[user(task.prompt)])
        return ire.grade(task, completion.choices[0].message).verdict

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(ask, tasks * 4)) == {"SOLVED"}


def test_a_client_that_goes_away_leaves_the_server_well(careful, client, tasks):
    """The fixture that ends this server asserts that it printed no traceback."""
    port = int(careful["base_url"].rpartition(":")[2].removesuffix("/v1"))
    for sent in (b"", b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n{"):
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(sent)
    assert client.chat.completions.create(model="x", messages=[user(tasks[0].prompt)]).choices


def test_the_greeting_names_the_address_and_a_command_for_each_version(serving):
    first, code, out, err = serving("--policy", "never", "--port", "0", "--model-name", "my model")
    assert first.startswith("never answers at http://127.0.0.1:")
    assert (code, err) == (0, "")
    url = first.split()[3]
    commands = [line.strip() for line in out.splitlines() if url in line]
    assert len(commands) == 4
    assert all("-m 'my model'" in command for command in commands)
    assert not any(command.startswith("eval ") for command in commands), "eval alone is a word of the shell"


def test_a_termination_signal_ends_the_server(serving):
    _, code, _, err = serving("--port", "0", "--json", number=signal.SIGTERM)
    assert (code, err) == (-signal.SIGTERM, "")


def test_only_this_machine_can_reach_it_unless_asked_otherwise(careful):
    assert careful["base_url"].startswith("http://127.0.0.1:")
    with open_listener("0.0.0.0", 0) as listener:
        assert base_url(listener).startswith("http://127.0.0.1:")
    with open_listener("::1", 0) as listener:
        assert base_url(listener).startswith("http://[::1]:")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--policy", "clever"],
        ["--port", "65536"],
        ["--port", "-1"],
        ["--port", "http"],
        ["--host", "no such host"],
        ["--host", "x" * 100],
        ["--host", "192.0.2.1"],
        ["--colour"],
    ],
)
def test_bad_arguments_give_one_line_and_exit_with_2(arguments, capsys):
    assert run(["serve", *arguments]) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err.count("\n")) == ("", 1)
    assert captured.err.startswith("error: ")


def test_a_port_that_is_taken_gives_one_line_and_exits_with_2(careful, capsys):
    port = careful["base_url"].rpartition(":")[2].removesuffix("/v1")
    assert run(["serve", "--port", port]) == 2
    assert f"port={port}" in capsys.readouterr().err


@pytest.mark.parametrize("missing", ["starlette", "uvicorn"])
def test_a_missing_extra_gives_one_line_with_the_install_command(missing):
    code = (
        "import sys\n"
        f"sys.modules[{missing!r}] = None\n"
        "from impossible_rubrics_env.cli import run\n"
        "sys.exit(run(['serve']))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert missing in result.stderr
    assert "pip install 'impossible-rubrics-env[serve]'" in result.stderr


@pytest.mark.parametrize("again", [False, True], ids=["once", "twice"])
def test_open_requests_are_cut_off_with_one_line_at_most(again):
    """Some clients have sent headers and half a body, and stay, when the server is told to stop."""
    command = [sys.executable, "-m", "impossible_rubrics_env", "serve", "--port", "0", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    port = int(json.loads(process.stdout.readline())["base_url"].rpartition(":")[2].removesuffix("/v1"))
    with ExitStack() as connections:
        for _ in range(5):
            connection = connections.enter_context(socket.create_connection(("127.0.0.1", port)))
            connection.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n{")
        time.sleep(0.5)
        before = time.monotonic()
        process.send_signal(signal.SIGINT)
        if again:
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert time.monotonic() - before < SHUTDOWN_SECONDS + 5
    assert process.returncode == 0
    assert err.count("\n") <= 1
    assert "Traceback" not in err
