"""`impossible-rubrics score` as a person uses it: the table, strict JSON, exit codes, one line on bad input."""

import json
import os
import sys

import pytest

from impossible_rubrics_env.cli import run


def strict(text):
    def refuse(name):
        raise ValueError(name)

    return json.loads(text, parse_constant=refuse)


@pytest.fixture
def command(capsys):
    def call(*arguments):
        code = run(["score", *map(str, arguments)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


@pytest.fixture
def rows(twins, right, save):
    return save(*({"task": task.to_json(), "reply": right, "rollout": 0} for task in twins))


def test_the_table_has_counts_with_their_denominators(command, rows):
    code, out, err = command(rows)
    assert (code, err) == (0, "")
    assert [word in out for word in ("20 tasks", "razor", "reward", "d'", "twin pairs solved")] == [True] * 5
    total = next(line for line in out.splitlines() if line.strip().startswith("all"))
    assert total.split()[1:4] == ["20", "0", "20"]
    assert "/20" in total


def test_the_table_is_grouped_as_asked(command, rows):
    _, out, _ = command(rows, "--by", "label")
    assert "razor" not in out
    assert "unbreakable" in out


@pytest.mark.parametrize("by", ["", "colour", "label,label", "label,,rung"])
def test_a_bad_grouping_is_refused(command, rows, by):
    code, out, err = command(rows, "--by", by)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "by=" in err


def test_json_is_one_strict_object_with_every_finding(command, rows):
    code, out, err = command(rows, rows, "--json")
    data = strict(out)
    assert (code, err, out.count("\n")) == (0, "", 1)
    assert data["findings"]["duplicate"]["count"] == 20
    assert data["findings"]["duplicate"]["first"][0]["place"] == f"{rows}:1"
    assert data["findings"]["truncated_line"] == {"count": 0, "first": []}
    assert (data["overall"]["graded"], data["complete"]) == (20, True)


def test_what_could_not_be_scored_is_named_beside_the_table_and_exits_with_1(command, twins, right, save):
    path = save({"task": twins[0].to_json(), "reply": right}, b"{\n", b'{"task_id": "x", "re')
    code, out, err = command(path)
    assert code == 1
    assert "SOLVED" not in out
    assert "1/1" in out
    assert f"unreadable line: 1\n  {path}:2" in err
    assert f"truncated line: 1\n  {path}:3" in err


def test_strict_exits_with_1_on_any_finding_or_failure(command, rows, twins, save):
    assert command(rows, "--strict")[0] == 0
    assert command(rows, rows, "--strict")[0] == 1
    failed = save({"task_id": twins[0].id, "error": "500"}, name="failed.jsonl")
    assert command(failed)[0] == 0
    assert command(failed, "--strict")[0] == 1


def test_a_group_with_many_failures_is_marked_as_incomplete(command, twins, save):
    code, out, _ = command(save({"task_id": twins[0].id, "error": "500"}, {"task_id": twins[0].id, "reply": ""}))
    assert code == 0
    assert "1*" in out
    assert "the rates are incomplete" in out


@pytest.mark.parametrize("content", [b"", b"\n\n"], ids=["empty", "blank"])
def test_nothing_to_score_is_a_finding_and_exits_with_1(command, save, content):
    path = save(content)
    code, out, err = command(path)
    assert (code, err) == (1, f"missing rollout: 1\n  {path}:0: no file holds a rollout to score\n")
    assert "0 tasks" in out
    data = strict(command(path, "--json")[1])
    assert (data["complete"], data["findings"]["missing_rollout"]["count"]) == (False, 1)


def test_an_expected_task_without_a_row_is_named_once_where_there_are_no_rows(command, save):
    code, _, err = command(save(), "--expect", "1")
    assert (code, err.count("\n")) == (1, 2)
    assert "missing task: 1" in err


def test_tasks_from_a_pipe_are_refused_and_the_argument_is_named(command, rows):
    reading, writing = os.pipe()
    try:
        code, out, err = command(rows, "--tasks", f"/dev/fd/{reading}")
    finally:
        os.close(reading)
        os.close(writing)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"error: tasks='/dev/fd/{reading}' is not a regular file")


def test_an_output_that_cannot_be_written_is_named_as_it_was_given(command, rows, tmp_path):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "link").symlink_to(tmp_path / "no-such-folder" / "x")
    names = ("no-such-folder/out.jsonl", "x" * 300, "rows.jsonl/out", "loop", "loop/out", "link")
    for name in names:
        code, out, err = command(rows, "--out", tmp_path / name)
        assert (code, out, err.count("\n")) == (2, "", 1), name
        assert f"'{tmp_path / name}'" in err
        assert ".part" not in err
    assert {path.name for path in tmp_path.iterdir()} == {"rows.jsonl", "loop", "link"}


def test_an_output_may_have_the_longest_name_that_a_folder_takes(command, rows, tmp_path):
    out = tmp_path / ("x" * 255)
    assert command(rows, "--out", out)[0] == 0
    assert out.read_text().count("\n") == 20


def test_more_than_a_few_places_are_counted_and_not_listed(command, rows):
    _, out, _ = command(rows, rows)
    assert out.count("rows.jsonl:") == 5
    assert "duplicate: 20" in out
    assert "  ..." in out


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["no-such-file.jsonl"],
        ["/"],
        ["{rows}", "--scheme", "fair"],
        ["{rows}", "--expect", "0"],
        ["{rows}", "--expect", "many"],
        ["{rows}", "--tasks", "no-such-file.jsonl"],
        ["{rows}", "--tasks", "{rows}"],
        ["{rows}", "--out", "{rows}"],
        ["{rows}", "--out", "/no-such-folder/out.jsonl"],
        ["{rows}", "--colour"],
    ],
)
def test_bad_arguments_give_one_line_and_exit_with_2(command, rows, arguments):
    code, out, err = command(*(text.format(rows=rows) for text in arguments))
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1


def test_two_tasks_of_one_id_exit_with_2_and_print_no_score(command, twins, right, save):
    impostor = json.loads(twins[1].to_json()) | {"id": twins[0].id}
    path = save({"task": twins[0].to_json(), "reply": right}, {"task": impostor, "reply": right})
    code, out, err = command(path)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert f"{path}:1 and {path}:2" in err


def test_hostile_names_do_not_reach_the_terminal(command, twins, save):
    named = {"task_id": "\x1b[2J[red]\u202e\ud835", "reply": "x"}
    path = save(named, {"task_id": twins[0].id, "reply": "", "\x1b[2J": 1})
    code, out, err = command(path)
    assert code == 1
    assert "\x1b" not in out + err
    assert (out + err).encode()


def test_the_gate_runs_before_any_reply_is_scored(command, rows, monkeypatch):
    from impossible_rubrics_env.errors import GateError

    def closed(_):
        raise GateError("planted")

    monkeypatch.setattr(sys.modules["impossible_rubrics_env.commands.score"], "run_gate", closed)
    assert command(rows) == (2, "", "error: planted\n")
