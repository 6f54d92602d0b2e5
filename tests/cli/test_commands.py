"""The command line as a person uses it: output, exit codes, one clear line on bad input."""

import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest

import impossible_rubrics_env as ire
from impossible_rubrics_env.chain.calls import Model
from impossible_rubrics_env.chain.prices import Prices
from impossible_rubrics_env.cli import COMMANDS, run


def strict(text):
    def refuse(name):
        raise ValueError(name)

    return json.loads(text, parse_constant=refuse)


@pytest.fixture
def command(capsys):

    def call(*arguments):
        code = run(arguments)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_examples(command, name):
    code, out, _ = command(name, "--help")
    assert code == 0
    assert "Examples:" in out
    assert f"impossible-rubrics {name}" in out


def test_no_command_at_all_prints_the_list_of_commands(command):
    code, out, _ = command()
    assert code == 0
    assert all(name in out for name in COMMANDS)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("tasks", "--record", "no-such"), "no-such"),
        (("tasks", "--n", "x"), "--n"),
        (("tasks", "--n", "-1"), "--n"),
        (("tasks", "--id", "nonsense"), "nonsense"),
        (("tasks", "--families", "nope"), "nope"),
        (("mix", "--rungs", "razr:1"), "razr"),
        (("mix", "--mix", "even"), "even"),
        (("dial", "--record", "factorial-10"), "no width"),
        (("dial", "--tau", "x"), "tau='x'"),
        (("sweep", "--draw", "other"), "other"),
        (("sweep", "--policies", "never,nobody"), "nobody"),
        (("sweep", "--polices", "never"), "--polices"),
        (("sweep", "--families", "attack", "--policies", "guesser"), "plays certified_interval"),
        (("tasks", "--families", "attack", "--depth", "2"), "depth=2"),
        (("tasks", "--depth", "9"), "depth=9"),
        (("tasks", "--max-chars", "-1"), "max_chars=-1"),
        (("tasks", "--kind", "essay"), "essay"),
        (("mix", "--labels", "breakable:1"), "breakable"),
        (("mix", "--labels", "impossible:1", "--mix", "balanced"), "without labels"),
        (("check",), "nothing to check"),
        (("check", "--file", "/no/such/file"), "/no/such/file"),
        (("frobnicate",), "frobnicate"),
        (("gate", "--seed", "-5"), "seed=-5"),
        (("gate", "--tau", "1"), "--tau"),
        (("dial", "--plot", "dial.txt"), "dial.txt"),
        (("tasks", "--id", "certified_interval@1/train/0/0", "--seed", "3"), "goes without --seed"),
        (("tasks", "--record", "golden-ratio", "--source", "parametric"), "goes without source"),
        (("tasks", "--order", "shuffled"), "needs mix='balanced'"),
        (("tasks", "--rungs", "wide"), "wide:3"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(command, arguments, named):
    code, out, err = command(*arguments)
    assert code == 2
    assert out == ""
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert named in err


def test_the_version_is_printed(command):
    assert command("--version") == (0, ire.__version__ + "\n", "")


def test_tasks_prints_prompts_and_right_replies(command):
    code, out, _ = command("tasks", "--n", "2")
    assert code == 0
    for task in ire.generate(n=2):
        assert task.id in out
        assert task.prompt in out


def test_tasks_as_json_are_tasks(command):
    code, out, _ = command("tasks", "--n", "5", "--split", "eval", "--json")
    assert code == 0
    assert [ire.Task.from_json(line) for line in out.splitlines()] == list(ire.generate(n=5, split="eval"))


def test_tasks_rebuilds_one_task_from_its_id(command):
    name = ire.make_task("certified_interval", seed=3, index=9, mix="balanced").id
    code, out, _ = command("tasks", "--id", name, "--json")
    assert code == 0
    assert ire.Task.from_json(out).id == name


def test_mix_prints_target_and_realized(command):
    code, out, _ = command("mix", "--n", "300", "--json")
    data = strict(out)
    assert code == 0
    for part in ("attack_rungs", "packet_labels", "packet_rungs"):
        for shares in (data[part] or {}).values():
            assert sum(shares.values()) == pytest.approx(1)
    assert sum(group["tasks"] for group in data["groups"]) == 300
    assert command("mix", "--n", "50")[0] == 0
    fixed = strict(command("mix", "--n", "50", "--families", "attack", "--tau", "0.5", "--json")[1])
    assert fixed["attack_rungs"]["target"] is None
    assert fixed["packet_labels"] is None


def test_dial_prints_the_closed_form(command, tmp_path):
    plot = tmp_path / "dial.png"
    code, out, _ = command("dial", "--record", "sqrt-2", "--json", "--plot", str(plot))
    rows = {row["tau"]: row for row in strict(out)["rows"]}
    assert code == 0
    assert rows["0.5"]["room"] == "0"
    assert rows["0.51"]["band_in_widths"] == "0.02"
    assert rows["10"]["band_in_widths"] == "19"
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert "breakable" in command("dial")[1]


def test_gate_and_check_hold(command):
    assert strict(command("gate", "--json")[1])["held"] is True
    code, out, _ = command("check", "--n", "50", "--json")
    assert code == 0
    assert strict(out)["failed"] == 0


def test_check_names_the_line_of_a_broken_task(command, tmp_path):
    path = tmp_path / "tasks.jsonl"
    good = ire.make_task("certified_interval").to_json()
    path.write_text(good + "\n" + good.replace('"room":"', '"room":"9') + "\nnot json\n")
    code, out, _ = command("check", "--file", str(path))
    assert code == 1
    assert "line 2: " in out
    assert "line 3: " in out
    assert "1 proved, 2 failed" in out


def test_check_names_the_record_that_fails_and_the_part(command, monkeypatch):
    from impossible_rubrics_env.certificates.ledger import load_ledger

    broken = {**load_ledger(), "sqrt-2": replace(load_ledger()["sqrt-2"], hi="3/2")}
    monkeypatch.setattr("impossible_rubrics_env.commands.check.load_ledger", lambda: broken)
    code, out, _ = command("check", "--ledger")
    assert code == 1
    assert "FAILED  sqrt-2: hash" in out


def test_sweep_prints_the_table(command):
    families = "certified_interval,objective_conflict,missing_citation"
    code, out, _ = command("sweep", "--n", "20", "--families", families, "--json")
    data = strict(out)
    assert code == 0
    assert data["faults"] == []
    assert data["players"]["careful"]["overall"]["mean_reward"] == 1
    assert set(data["families"]) == set(families.split(","))
    assert "guesser" in data["families"]["missing_citation"]
    assert "guesser" not in data["families"]["certified_interval"]
    code, out, _ = command("sweep", "--n", "10", "--families", families)
    assert code == 0
    assert "certified_interval: 10 tasks, reference draw" in out
    assert "packets, of each family 10 tasks, reference draw" in out
    code, out, _ = command("sweep", "--n", "40", "--families", "attack", "--draw", "balanced")
    assert code == 0
    assert "pair accuracy" in out
    assert "criterion" in out


def test_a_reference_draw_that_cannot_be_filled_is_refused(command):
    code, _, err = command("sweep", "--n", "20", "--rungs", "wide:1")
    assert code == 2
    assert "do not fill the reference draw" in err


def test_sweep_fails_with_exit_code_1_where_a_fault_is_found(command, monkeypatch):
    monkeypatch.setattr("impossible_rubrics_env.commands.sweep.faults", lambda *_, **__: ["careful sleeps"])
    code, _, err = command("sweep", "--n", "20", "--families", "attack")
    assert code == 1
    assert "FAILED: careful sleeps" in err


def run_process(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "impossible_rubrics_env", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


def test_the_module_runs_as_a_program():
    result = run_process("tasks", "--n", "1")
    assert result.returncode == 0
    assert "@1/train/0/0" in result.stdout


def test_a_closed_pipe_is_no_error():
    process = subprocess.Popen(
        [sys.executable, "-m", "impossible_rubrics_env", "tasks", "--n", "2000", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdout.readline()
    process.stdout.close()
    assert b"Traceback" not in process.stderr.read()
    process.stderr.close()
    process.wait(timeout=60)


def test_without_the_extra_one_line_says_what_to_install(tmp_path):
    (tmp_path / "typer.py").write_text("raise ModuleNotFoundError(\"No module named 'typer'\", name='typer')")
    result = run_process("tasks", PYTHONPATH=str(tmp_path))
    assert result.returncode == 2
    assert result.stderr == "error: the command line needs typer: pip install 'impossible-rubrics-env[cli]'\n"


def test_an_example_of_a_price_file_is_printed(command, tmp_path):
    code, out, _ = command("chain", "prices")
    (tmp_path / "prices.toml").write_text(out)
    assert code == 0
    Prices.read(tmp_path / "prices.toml").check([Model.parse("openai:gpt-5-nano")])
