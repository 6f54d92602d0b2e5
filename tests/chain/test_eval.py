"""`eval`: models and policies on the tasks of the sweep, on record, within a budget, with what does not count."""

import collections
import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest
from setting import KEYS
from wire import MODEL_ID, Step

import impossible_rubrics_env as ire
from impossible_rubrics_env.chain.calls import Model
from impossible_rubrics_env.chain.evaluation import Score, Setup, Status, rebuild
from impossible_rubrics_env.chain.store import read
from impossible_rubrics_env.cli import COMMANDS, run
from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.reference_policies.players import POLICIES
from impossible_rubrics_env.release.statistics import wilson
from impossible_rubrics_env.sweep import drawn_tasks, reference_tasks

PRICES = '["anthropic:*"]\ninput = 3\noutput = 15\n["openai:*"]\ninput = 1\noutput = 10\n'
BOTH = ("--model", "openai:m", "--model", "anthropic:m")
ONE = ("--families", "false_premise", "--draw", "balanced", "--concurrency", "1", "--max-tokens", "500")
TASKS = 6


@pytest.fixture
def command(capsys, tmp_path):
    """Run `eval` with the folder of the test as output; exit code, standard output, standard error."""

    def call(*arguments, folder="run"):
        code = run(["eval", "--output", str(tmp_path / folder), *arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


@pytest.fixture
def paid(wire, tmp_path, monkeypatch):
    """Options that reach the server, with keys and prices."""
    for name, key in KEYS.items():
        monkeypatch.setenv(name, key)
    (tmp_path / "prices.toml").write_text(PRICES)
    urls = ("--anthropic-base-url", wire.url, "--openai-base-url", f"{wire.url}/v1")
    return (*urls, "--prices", str(tmp_path / "prices.toml"), "--baselines", "none")


def drawn(n=TASKS):
    return list(drawn_tasks(n, "false_premise", mix="balanced"))


def worst(task):
    """Micro-dollars that the prompt can cost at `openai:m`."""
    return len(task.prompt.encode()) + 256 + 10 * 500


def cap():
    """USD for some of the calls: they come to much less than their worst case."""
    return f"{(max(map(worst, drawn())) + 2_000) / 10**6:.6f}"


def right(tasks):
    return [Step(text=POLICIES["careful"](task.prompt)) for task in tasks]


def rows(tmp_path, folder="run"):
    return [json.loads(line) for line in (tmp_path / folder / "results.jsonl").read_text().splitlines()]


def asked(wire):
    """How often each prompt was received by each path."""
    return collections.Counter((path, body["messages"][-1]["content"]) for path, _, body in wire.requests)


def models(out):
    return {entry["model"]: entry for entry in json.loads(out)["models"]}


# Offline


@pytest.mark.parametrize("draw", ["reference", "balanced", "seed"])
def test_policies_have_the_very_numbers_of_the_sweep(command, capsys, draw):
    drawing = (
        "--families",
        "false_premise,certified_interval,rubric_writing",
        "--n",
        "12",
        "--draw",
        draw,
        "--seed",
        "5",
    )
    names = ["never", "always", "naive", "eager", "careful", "edge"]
    run(["sweep", *drawing, "--policies", ",".join(names), "--json"])
    sweep = json.loads(capsys.readouterr().out)
    code, out, err = command(
        *("--model", "policy:careful", "--model", "policy:edge"),
        *("--baselines", "never,always,naive,eager,careful", *drawing, "--json"),
    )
    assert (code, err) == (0, "")
    assert {name.removeprefix("policy:") for name in models(out)} == set(names)
    for name, entry in models(out).items():
        wanted = sweep["players"][name.removeprefix("policy:")]
        assert {key: entry[key] for key in wanted} == wanted
        assert entry["usable"] == entry["tasks"] == wanted["overall"]["graded"]
        for family, part in entry["families"].items():
            played = sweep["families"][family][name.removeprefix("policy:")]
            assert {key: part[key] for key in played} == played
    assert not models(out)["policy:careful"]["baseline"]
    assert models(out)["policy:never"]["baseline"]
    assert json.loads(out)["spent_usd"] == "0.00"


def test_the_tasks_are_those_of_the_sweep_and_rows_are_their_grades(command, tmp_path):
    code, _, _ = command("--model", "policy:eager", "--families", "answer", "--n", "10", "--baselines", "none")
    assert code == 0
    tasks = list(reference_tasks(10, "answer"))
    assert [row["task_id"] for row in rows(tmp_path)] == [task.id for task in tasks]
    for row, task in zip(rows(tmp_path), tasks, strict=True):
        assert row["reply"] == POLICIES["eager"](task.prompt)
        assert row["reward"] == row["grade"]["reward"] == ire.grade(task, row["reply"]).reward
        assert (row["status"], row["error"]) == ("ok", None)


def test_a_policy_of_one_family_plays_that_alone(command):
    code, out, _ = command("--model", "policy:edge", "--families", "attack", "--n", "10", "--json")
    assert code == 0
    assert list(models(out)["policy:edge"]["families"]) == ["certified_interval"]
    assert models(out)["policy:edge"]["tasks"] == 10


def test_the_table_has_models_baselines_and_all_families(command):
    code, out, _ = command("--model", "policy:careful", "--families", "false_premise,missing_citation", "--n", "10")
    assert code == 0
    lines = [[cell.strip() for cell in line.split("│")[1:-1]] for line in out.splitlines() if line.startswith("│")]
    assert [line[0] for line in lines if line[0]] == ["false_premise", "missing_citation", "all"]
    whole = lines[-5:]
    assert [line[1].removeprefix("policy:") for line in whole] == ["careful", "never", "always", "naive", "eager"]
    assert whole[0][2:5] + whole[0][6:7] == ["20/20", "+1.000", "20/20", "0/20"]
    assert whole[0][5].endswith(" .. 100.0%")
    assert whole[0][-2:] == ["0.00", "0"]
    assert "spent: at most 0.00 USD, without a budget" in out


# Through both clients


def test_what_is_not_a_whole_reply_is_counted_and_in_no_rate(command, paid, wire, tmp_path):
    """Per place in the draw each model is asked once: the server's steps come in that order."""
    tasks = drawn()
    sound = [step for step in right(tasks) for _ in range(2)]
    sound[0] = sound[1] = Step(text=sound[0].text, stop="length")
    sound[2] = sound[3] = Step(text="I will not.", stop="filter")
    sound[4] = sound[5] = Step(text="")
    sound[6] = Step(text="I must decline.", stop="refusal")
    wire.script["?"] = sound
    code, out, err = command(*BOTH, *ONE, "--n", str(TASKS), *paid, "--budget", "1", "--json")
    assert (code, err) == (0, "")
    first, second = models(out)["openai:m"], models(out)["anthropic:m"]
    assert first["left_out"] == {"truncated": 1, "refusal": 2, "empty": 1, "failed": 0, "not_sent": 0}
    assert second["left_out"] == {"truncated": 1, "refusal": 1, "empty": 1, "failed": 0, "not_sent": 0}
    assert (second["tasks"], second["usable"], second["overall"]["graded"], second["overall"]["failed"]) == (6, 3, 3, 3)
    assert (first["tasks"], first["usable"], first["overall"]["graded"], first["overall"]["failed"]) == (6, 2, 2, 4)
    for entry in (first, second):
        assert entry["overall"]["mean_reward"] == 1
        assert entry["overall"]["solved"] == entry["usable"] == entry["overall"]["graded"]
        assert entry["model_ids"] == {MODEL_ID: 6}
        assert entry["pairs_drawn"] == 3
        assert (entry["pairs"], entry["pair_accuracy"]) == (1, 1)
    assert json.loads(out)["budget_usd"] == "1.00"
    for row in rows(tmp_path):
        assert (row["reward"] is None) == (row["grade"] is None) == (row["status"] != "ok")
        assert row["cost_micro_usd"] > 0
    assert set(asked(wire).values()) == {1}
    code, out, _ = command(*BOTH, *ONE, "--n", str(TASKS), *paid, "--resume")
    lines = [[cell.strip() for cell in line.split("│")[1:-1]] for line in out.splitlines() if line.startswith("│")]
    assert code == 0
    assert lines[0][:5] == ["false_premise", "openai:m", "2/6", "+1.000", "2/2"]
    assert lines[0][-1] == "truncated 1, refusal 2, empty 1"
    assert "1/1 of 3" in lines[0]
    assert len(wire.requests) == 2 * TASKS


def test_score_reads_the_rows_and_comes_to_the_same(command, paid, wire, tmp_path, capsys):
    wire.script["?"] = [Step(text="42"), Step(text="", stop="end"), *right(drawn()[2:])]
    _, out, _ = command("--model", "openai:m", *ONE, "--n", str(TASKS), *paid, "--json")
    run(["score", str(tmp_path / "run" / "results.jsonl"), "--tasks", str(tmp_path / "run" / "tasks.jsonl"), "--json"])
    scored, entry = json.loads(capsys.readouterr().out), models(out)["openai:m"]
    assert scored["complete"]
    assert scored["overall"] == entry["overall"]
    assert scored["pair_accuracy"] == entry["pair_accuracy"]
    assert scored["findings"]["reward_mismatch"]["count"] == 0


def test_prompts_parameters_and_effort_are_sent_and_shown(command, paid, wire):
    tasks = drawn(2)
    wire.default = Step(text="UNSURE")
    code, out, _ = command(*BOTH, *ONE, "--n", "2", *paid[:-1], "never", "--effort", "low", "--temperature", "0.5")
    assert code == 0
    assert "effort" in out
    assert set(asked(wire)) == {
        (path, task.prompt) for path in ("/v1/chat/completions", "/v1/messages") for task in tasks
    }
    for path, _, body in wire.requests:
        assert (body["temperature"], "system" in body, len(body["messages"])) == (0.5, False, 1)
        assert (body.get("max_tokens") or body["max_completion_tokens"]) == 500
        given = body["output_config"]["effort"] if path == "/v1/messages" else body["reasoning_effort"]
        assert given == "low"
    _, out, _ = command(
        *(*BOTH, *ONE, "--n", "2", *paid[:-1], "never", "--effort", "low", "--temperature", "0.5"),
        *("--resume", "--json"),
    )
    assert {name: entry["effort"] for name, entry in models(out).items()} == {
        "openai:m": "low",
        "anthropic:m": "low",
        "policy:never": None,
    }


def test_a_model_without_efforts_is_asked_beside_one_that_has_them(command, paid, wire):
    wire.default = Step(text="UNSURE")
    given = ("--effort", "low", "--effort", "anthropic:m=none")
    code, out, _ = command(*BOTH, *ONE, "--n", "2", *paid, *given, "--json")
    assert code == 0
    for path, _, body in wire.requests:
        assert body.get("reasoning_effort") == (None if path == "/v1/messages" else "low")
        assert "output_config" not in body
    assert {name: entry["effort"] for name, entry in models(out).items()} == {"openai:m": "low", "anthropic:m": None}


@pytest.mark.parametrize("given", ["=low", "openai:m=", "openai:x=low", "openai:m=LOW", "low high", ""])
def test_an_effort_of_nobody_or_that_is_no_word_is_one_clear_line(given, command, paid):
    code, _, err = command(*BOTH, *ONE, "--n", "2", *paid, "--effort", given)
    assert code == 2
    assert err.startswith("error: --effort=")
    assert err.count("\n") == 1


def test_an_effort_is_not_given_twice(command, paid):
    code, _, err = command(*BOTH, *ONE, "--n", "2", *paid, "--effort", "low", "--effort", "high")
    assert (code, "given twice" in err) == (2, True)


def test_twins_are_not_counted_as_independent(command):
    tasks = ("--model", "policy:always", "--families", "certified_interval", "--baselines", "none", "--n", "60")
    found = {}
    for draw in ("reference", "balanced"):
        _, out, _ = command(*tasks, "--draw", draw, "--json", folder=draw)
        entry = models(out)["policy:always"]
        solved, graded = entry["overall"]["solved"], entry["overall"]["graded"]
        found[draw] = (entry["solved_interval"], wilson(solved, graded)._asdict(), solved / graded)
        assert entry["families"]["certified_interval"]["solved_interval"] == entry["solved_interval"]
    assert found["reference"][0] == found["reference"][1]
    clustered, independent, rate = found["balanced"]
    assert clustered != independent
    assert clustered["low"] < rate < clustered["high"]


def test_unusable_replies_are_asked_for_again_where_that_is_wanted(command, paid, wire, tmp_path):
    sound = right(drawn(2))
    wire.script["?"] = [Step(text="cut", stop="length"), sound[0], Step(text=""), Step(text="")]
    code, out, _ = command("--model", "openai:m", *ONE, "--n", "2", *paid, "--repeats", "1", "--json")
    assert code == 0
    assert [row["status"] for row in rows(tmp_path)] == ["ok", "empty"]
    assert models(out)["openai:m"]["model_ids"] == {MODEL_ID: 4}


def test_a_provider_that_fails_leaves_the_other_ones_replies_and_the_run_partial(command, paid, wire, tmp_path):
    sound = right(drawn(2))
    broken = Step(401, "no such key")
    wire.script["?"] = [broken, sound[0], sound[1]]
    code, out, _ = command(*BOTH, *ONE, "--n", "2", *paid, "--json")
    assert code == 1
    assert json.loads(out)["state"] == "partial"
    assert "no such key" in json.loads(out)["reason"]
    assert [row["status"] for row in rows(tmp_path)] == ["failed", "not_sent", "ok", "ok"]
    assert models(out)["openai:m"]["overall"]["mean_reward"] is None
    assert models(out)["anthropic:m"]["overall"]["mean_reward"] == 1
    wire.script["?"] = sound
    code, out, _ = command(*BOTH, *ONE, "--n", "2", *paid, "--resume", "--json")
    assert code == 0
    assert {entry["usable"] for entry in models(out).values()} == {2}


# Budget, resume, interruption


def test_at_the_end_of_the_budget_the_run_is_partial_and_goes_on_with_more(command, paid, wire, tmp_path):
    wire.default = Step(text="UNSURE")
    drawing = ("--model", "openai:m", *ONE, "--n", str(TASKS), *paid)
    code, out, err = command(*drawing, "--budget", cap())
    assert code == 1
    assert re.search(r"spent: at most 0\.\d+ USD of 0\.0\d+ USD\n", out)
    assert err.startswith("partial: ")
    assert f"the budget of {cap().rstrip('0')} USD is used up" in err
    first = [row["status"] for row in rows(tmp_path)]
    sent = first.count("ok")
    assert 0 < sent < TASKS
    assert first == ["ok"] * sent + ["not_sent"] * (TASKS - sent)
    assert f"not_sent {TASKS - sent}" in out
    assert f"{sent}/{TASKS}" in out
    code, out, err = command(*drawing, "--budget", "5", "--resume", "--json")
    assert code == 0
    assert f"{sent} recorded replies are used again" in err
    assert models(out)["openai:m"]["usable"] == TASKS
    assert len(wire.requests) == TASKS
    assert set(asked(wire).values()) == {1}


def start(tmp_path, wire, *more, concurrency=2):
    (tmp_path / "prices.toml").write_text(PRICES)
    environment = {**os.environ, **KEYS, "OPENAI_BASE_URL": f"{wire.url}/v1"}
    words = f"eval --model openai:m --families false_premise --n 12 --baselines never --concurrency {concurrency}"
    line = [sys.executable, "-m", "impossible_rubrics_env", *words.split(), *more]
    line += ["--prices", str(tmp_path / "prices.toml"), "--output", str(tmp_path / "run")]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    # Away from the sources: the package as it is installed.
    return subprocess.Popen(line, env=environment, cwd=tmp_path, text=True, **pipes)


def until(condition):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.01)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_run_goes_on_and_pays_for_no_reply_twice(wire, tmp_path, number):
    wire.default = Step(text="UNSURE", seconds=0.3)
    process = start(tmp_path, wire)
    try:
        until(lambda: len(wire.requests) >= 4)
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
    killed = number == signal.SIGKILL
    assert process.returncode == (-signal.SIGKILL if killed else 130), err
    recorded = sum(len(replies) for key, replies in read(tmp_path / "run").replies.items() if key.startswith("openai"))
    assert 0 < recorded < 12
    if not killed:
        assert err.startswith("interrupted: ")
        assert "--resume" in err
        assert [row["status"] for row in rows(tmp_path)].count("not_sent") == 12 - recorded
    wire.default = Step(text="UNSURE")
    process = start(tmp_path, wire, "--resume", "--json")
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert models(out)["openai:m"]["usable"] == models(out)["policy:never"]["usable"] == 12
    again = [times for times in asked(wire).values() if times > 1]
    assert len(again) <= (2 if killed else 0)
    assert len(wire.requests) == 12 + len(again)
    assert not again or "in flight when the run ended" in err


def test_a_resume_with_other_arguments_is_refused_by_name(command):
    drawing = ("--model", "policy:never", "--families", "false_premise", "--n", "10", "--baselines", "none")
    assert command(*drawing)[0] == 0
    code, _, err = command(*drawing)
    assert (code, err.count("\n")) == (2, 1)
    assert "--resume" in err
    for more, named in (
        (("--seed", "1"), "tasks was"),
        (("--max-tokens", "9"), "evaluation.max_tokens was 8192 and is 9"),
    ):
        code, out, err = command(*drawing, *more, "--resume")
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert named in err
    assert command(*drawing, "--resume")[0] == 0


def test_rows_follow_from_the_folder_alone(command, tmp_path):
    command("--model", "policy:eager", "--families", "false_premise", "--n", "10")
    results = tmp_path / "run" / "results.jsonl"
    before = results.read_bytes()
    results.unlink()
    scores = rebuild(tmp_path / "run")
    assert results.read_bytes() == before
    assert [str(score.model) for score in scores][:2] == ["policy:eager", "policy:never"]
    assert all(score.usable == score.tasks == 10 for score in scores)
    tasks = tmp_path / "run" / "tasks.jsonl"
    tasks.write_text(tasks.read_text().replace("false_premise", "false_premisE", 1))
    with pytest.raises(ArgumentError, match=r"tasks\.jsonl: not the file"):
        rebuild(tmp_path / "run")


# Dry runs and bad input


def test_a_dry_run_counts_calls_and_worst_cases_and_sends_nothing(command, tmp_path, wire):
    (tmp_path / "prices.toml").write_text(PRICES)
    tasks = drawn()
    options = (*BOTH, *ONE, "--n", str(TASKS), "--prices", str(tmp_path / "prices.toml"), "--baselines", "never")
    code, out, _ = command(*options, "--dry-run", "--json")
    assert code == 0
    counted = json.loads(out)["models"]
    assert counted["openai:m"]["calls"] == counted["anthropic:m"]["calls"] == counted["policy:never"]["calls"] == TASKS
    assert counted["openai:m"]["worst_case_usd"] == f"{sum(map(worst, tasks)) / 10**6:.6f}".rstrip("0")
    assert counted["policy:never"]["worst_case_usd"] == "0.00"
    assert counted["all"]["calls"] == 3 * TASKS
    assert not (tmp_path / "run").exists()
    assert not wire.requests
    code, out, _ = command(*options, "--dry-run")
    assert code == 0
    assert "nothing is sent" in out


def test_a_dry_run_of_a_resume_counts_what_is_left(command, paid, wire):
    wire.default = Step(text="UNSURE")
    options = ("--model", "openai:m", *ONE, "--n", str(TASKS), *paid)
    command(*options, "--budget", cap())
    sent = len(wire.requests)
    _, out, _ = command(*options, "--resume", "--dry-run", "--json")
    assert json.loads(out)["models"]["openai:m"]["calls"] == TASKS - sent
    assert len(wire.requests) == sent


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((), "--model"),
        (("--model", "gpt"), "anthropic:NAME"),
        (("--model", "policy:nobody"), "policy:nobody"),
        (("--model", "policy:edge", "--families", "answer"), "plays none of"),
        (("--model", "fixed:decisive"), "chain run"),
        (("--model", "policy:never", "--model", "policy:never"), "none twice"),
        (("--model", "policy:never", "--baselines", "never,nobody"), "nobody"),
        (("--model", "policy:never", "--baselines", "never,never"), "twice"),
        (("--model", "policy:never", "--families", "nope"), "nope"),
        (("--model", "policy:never", "--draw", "other"), "other"),
        (("--model", "policy:never", "--n", "0"), "--n"),
        (("--model", "policy:never", "--seed", "-1"), "seed=-1"),
        (("--model", "policy:never", "--budget", "1e3"), "1e3"),
        (("--model", "policy:never", "--prices", "/no/such/file"), "/no/such/file"),
        (("--model", "policy:never", "--resume", "--n", "10", "--families", "false_premise"), "no run to resume"),
        (("--model", "openai:m"), "no price for openai:m"),
        (("--model", "policy:never", "--effort", "VERY HIGH", "--n", "10", "--families", "false_premise"), "effort"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(command, tmp_path, arguments, named):
    code, out, err = command(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert named in err
    assert not (tmp_path / "run" / "calls.jsonl").exists()


def test_a_missing_key_is_named_before_anything_is_drawn_up(command, tmp_path):
    (tmp_path / "prices.toml").write_text(PRICES)
    code, _, err = command(
        *("--model", "openai:m", "--families", "false_premise", "--n", "10"),
        *("--prices", str(tmp_path / "prices.toml")),
    )
    assert code == 2
    assert "OPENAI_API_KEY" in err
    assert not (tmp_path / "run").exists()


def test_the_help_has_examples(command):
    code, out, _ = command("--help")
    assert code == 0
    assert "Examples:" in out
    assert "impossible-rubrics eval" in out
    assert "eval" in COMMANDS


def test_a_score_says_what_was_left_out():
    score = Score(Model.parse("openai:m"), False, None)
    score.statuses_of["a"].update({Status.OK: 3})
    score.statuses_of["b"].update({Status.EMPTY: 2})
    assert (score.tasks, score.usable, score.left_out()["empty"], score.left_out("a")["empty"]) == (5, 3, 2, 0)
    setup = Setup((Model.parse("openai:m"),), (Model.parse("policy:never"),), efforts={"*": "low"})
    assert Setup.from_dict(json.loads(json.dumps(setup.as_dict()))) == setup
