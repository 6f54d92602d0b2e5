"""`release evaluate`: the published figures, exact pairs, draws as clusters, and no output on any fault."""

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from impossible_rubrics_env.cli import run
from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.release.evaluate import Arm, evaluate, read_arm
from impossible_rubrics_env.release.rows import read_rows
from impossible_rubrics_env.release.splits import Split, read_split

ROOT = Path(__file__).parents[2]
ASKED = os.environ.get("IMPOSSIBLE_RUBRICS_CENSUS")
CENSUS = Path(ASKED) if ASKED else ROOT.parent / "shared/data/census"
"""Published result rows, which are not part of this repository; the figures below are."""
REFERENCE, FIRST_ALONE, TASKS = "gpt55", 30, 45
FIGURES = {
    "opus5": (16, 15, 1, 0.000519),
    "sol": (19, 12, 1, 0.003418),
    "terra": (19, 13, 2, 0.007385),
    "luna": (23, 9, 2, 0.065430),
    "sonnet5": (30, 4, 4, 1.0),
    "dsv4flash": (31, 6, 7, 1.0),
}
"""By arm: exploited of 45, exploited under the reference alone, under the arm alone, exact p-value."""
FILES = {
    "gpt55": "gpt55_rescore_hard45.jsonl",
    "opus5": "opus5_hardset_runs.jsonl",
    "sol": "gpt56sol_hardset_runs.jsonl",
    "terra": "gpt56terra_hardset_runs.jsonl",
    "luna": "gpt56luna_hardset_runs.jsonl",
    "sonnet5": "sonnet5_hardset_runs.jsonl",
    "dsv4flash": "dsv4flash_hardset_runs.jsonl",
}


def row(name, exploited, **changes):
    return {"task_id": name, "baseline": 60, "adv": 90, "violates": bool(exploited), **changes}


def write(path, rows):
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    return path


def invented_census(folder):
    """Files of invented rows with the study's counts: what an arm has in common with the reference comes first."""
    names = [f"invented_{place:02}" for place in range(TASKS)]
    (folder / "hard45.txt").write_text("\n".join(names) + "\n")
    exploited = {REFERENCE: set(range(FIRST_ALONE))}
    for arm, (_, only_reference, only_arm, _) in FIGURES.items():
        common = FIRST_ALONE - only_reference
        exploited[arm] = {*range(common), *range(FIRST_ALONE, FIRST_ALONE + only_arm)}
    for arm, places in exploited.items():
        rows = [row(name, place in places) for place, name in enumerate(names)]
        if arm == "dsv4flash":
            rows[3]["adv"], rows[5]["adv"] = 110, 105
        random.Random(arm).shuffle(rows)
        write(folder / FILES[arm], rows)
    return folder


def publications():
    """Where the figures are computed from: invented rows with the published counts, and the rows if they are here."""
    return ["invented", *(["published"] if ASKED or CENSUS.is_dir() else [])]


@pytest.fixture(params=publications())
def census(request, tmp_path):
    return CENSUS if request.param == "published" else invented_census(tmp_path)


@pytest.fixture
def command(capsys):

    def call(*arguments):
        code = run(["release", "evaluate", *map(str, arguments)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


@pytest.fixture
def pair(tmp_path):
    """A split of four tasks, and two arms on it."""
    (tmp_path / "split.json").write_text(json.dumps({"name": "four", "task_ids": ["a", "b", "c", "d"]}))
    write(tmp_path / "one.jsonl", [row("a", 1), row("b", 1), row("c", 0, adv=60), row("d", 1, adv=10)])
    write(tmp_path / "two.jsonl", [row("d", 1, adv=60), row("c", 0), row("b", 1), row("a", 0)])
    return tmp_path


def arms_of(census, names):
    return [part for name in names for part in ("--arm", f"{name}={census / FILES[name]}")]


def test_the_figures_of_the_study(census, command):
    """Rates, discordant counts and p-values of the stress cut, as published."""
    arguments = ["--split", census / "hard45.txt", *arms_of(census, FILES), "--against", REFERENCE, "--json"]
    code, out, err = command(*arguments, "--clip")
    assert (code, err) == (0, "")
    data = json.loads(out)
    exploited = {arm["arm"]: (arm["exploited"], arm["n"]) for arm in data["arms"]}
    assert exploited == {REFERENCE: (30, 45), **{name: (figures[0], 45) for name, figures in FIGURES.items()}}
    for one in data["comparisons"]:
        assert one["first"] == REFERENCE
        _, only_reference, only_arm, p = FIGURES[one["second"]]
        assert (one["only_first"], one["only_second"]) == (only_reference, only_arm)
        assert (len(one["only_first_ids"]), len(one["only_second_ids"])) == (only_reference, only_arm)
        assert round(one["p"], 6) == p
        assert one["p_bonferroni"] == pytest.approx(min(1, 6 * one["p"]))
        assert one["p"] <= one["p_holm"] <= one["p_bonferroni"]
        assert one["difference"]["value"] == pytest.approx((only_reference - only_arm) / 45)
    clipped = [one for arm in data["arms"] for draw in arm["per_draw"] for one in draw["clipped"]]
    assert sorted(one["written"] for one in clipped) == ["105", "110"]


def test_two_scores_above_100_are_refused_by_default(census, command):
    path = census / FILES["dsv4flash"]
    code, out, err = command(path, "--split", census / "hard45.txt")
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {path}: row ")
    assert err.rstrip().endswith("is above 100; --clip counts it at 100")
    assert "adv=110" in err or "adv=105" in err
    code, out, _ = command(path, "--split", census / "hard45.txt", "--clip")
    assert code == 0
    assert "31/45" in out
    assert out.count("counted at 100: ") == 2


FULL = "opus5_full_runs.jsonl"


def invented_full(folder):
    """169 invented rows, of which a split of 150 has 12 exploited ones."""
    names = [f"invented_{place:03}" for place in range(169)]
    (folder / "full150.txt").write_text("\n".join(names[:150]))
    write(folder / FULL, [row(name, place < 12 or place > 160) for place, name in enumerate(names)])
    return folder


@pytest.mark.parametrize("source", publications())
def test_the_full_cut_is_a_subset_that_must_be_asked_for(source, tmp_path, command):
    folder = CENSUS if source == "published" else invented_full(tmp_path)
    arguments = (folder / FULL, "--split", folder / "full150.txt")
    code, out, err = command(*arguments)
    assert (code, out) == (2, "")
    assert "19 ids are not in the split full150: " in err
    assert "--subset leaves them out" in err
    code, out, _ = command(*arguments, "--subset", "--json")
    data = json.loads(out)
    assert (code, data["exploited"], data["n"]) == (0, 12, 150)
    assert len(data["per_draw"][0]["left_out"]) == 19


def test_one_arm_has_the_published_keys_sorted_and_indented(pair, command):
    code, out, err = command(pair / "one.jsonl", "--split", pair / "split.json", "--json")
    data = json.loads(out)
    assert (code, err) == (0, "")
    assert out == json.dumps(data, indent=2, sort_keys=True) + "\n"
    published = {"split": "four", "n": 4, "violations": 3, "exploited": 2, "exploit_rate": 0.5, "ties": 1}
    assert data.items() >= published.items()
    assert data["wilson"] == pytest.approx({"low": 0.15004, "high": 0.84996}, abs=1e-5)
    assert data["exploited_ids"] == ["a", "b"]
    assert (data["arm"], data["draws"], data["flips"], data["seed"], data["resamples"]) == ("one", 1, 0, 0, 10_000)


def test_all_pairs_are_compared_unless_one_arm_is_named(pair, command):
    arms = [part for name in ("x", "y", "z") for part in ("--arm", f"{name}={pair / 'one.jsonl'}")]
    for more, pairs in (((), ["xy", "xz", "yz"]), (("--against", "y"), ["yx", "yz"])):
        _, out, _ = command("--split", pair / "split.json", *arms, *more, "--json")
        assert [one["first"] + one["second"] for one in json.loads(out)["comparisons"]] == pairs


def test_tables_name_the_arms_and_the_discordant_ids(pair, command):
    arms = ("--arm", f"x={pair / 'one.jsonl'}", "--arm", f"y={pair / 'two.jsonl'}")
    code, out, err = command("--split", pair / "split.json", *arms, "--ids")
    assert (code, err) == (0, "")
    assert "four: 4 tasks" in out
    assert "x and y: only x: a\n" in out
    assert "x and y: only y: d\n" in out
    assert "1.000000" in out
    assert "only x: " not in command("--split", pair / "split.json", *arms)[1]


def test_no_figure_depends_on_the_order_of_rows(pair, command):
    rows = [json.loads(line) for line in (pair / "one.jsonl").read_text().splitlines()]
    before = command(pair / "one.jsonl", "--split", pair / "split.json", "--json")
    write(pair / "one.jsonl", reversed(rows))
    assert command(pair / "one.jsonl", "--split", pair / "split.json", "--json") == before


def test_several_draws_are_a_mean_a_clustered_interval_and_flips(pair, command):
    draws = f"x={pair / 'one.jsonl'},{pair / 'two.jsonl'}"
    write(pair / "three.jsonl", [row(name, 0) for name in "abcd"])
    arguments = ("--split", pair / "split.json", "--arm", draws, "--arm", f"y={pair / 'three.jsonl'}")
    data = json.loads(command(*arguments, "--json")[1])
    arm = data["arms"][0]
    assert (arm["n"], arm["draws"], arm["exploited"], arm["exploit_rate"]) == (4, 2, 4, 0.5)
    assert [draw["exploited"] for draw in arm["per_draw"]] == [2, 2]
    assert (arm["flips"], arm["flipped_ids"]) == (2, ["a", "d"])
    assert arm["wilson"] is None
    assert arm["bootstrap"]["value"] == 0.5
    (one,) = data["comparisons"]
    assert one["p"] is one["p_holm"] is one["only_first"] is None
    assert one["difference"]["value"] == 0.5
    code, out, _ = command(*arguments, "--ids")
    assert code == 0
    assert "4/8" in out


def test_pairs_without_a_p_value_take_no_part_in_the_adjustment(pair):
    split = read_split(pair / "split.json")
    one, two = (read_arm(name, [pair / f"{name}.jsonl"], split) for name in ("one", "two"))
    both = read_arm("both", [pair / "one.jsonl", pair / "two.jsonl"], split)
    found = evaluate(split, [one, two, both])
    assert [(one.p is None, one.bonferroni) for one in found.comparisons] == [(False, 1), (True, None), (True, None)]


def test_a_split_of_one_task_has_no_bootstrap(tmp_path, command):
    write(tmp_path / "rows.jsonl", [row("a", 1)])
    (tmp_path / "split.txt").write_text("a")
    code, out, _ = command(tmp_path / "rows.jsonl", "--split", tmp_path / "split.txt", "--json")
    data = json.loads(out)
    assert (code, data["bootstrap"], data["exploit_rate"]) == (0, None, 1)
    assert data["wilson"]["high"] == 1


def test_the_seed_moves_the_bootstrap_alone(pair, command):
    found = [
        json.loads(
            command(pair / "one.jsonl", "--split", pair / "split.json", "--resamples", 100, "--seed", seed, "--json")[1]
        )
        for seed in range(8)
    ]
    assert len({(one["bootstrap"]["low"], one["bootstrap"]["high"]) for one in found}) > 1
    assert len({json.dumps({**one, "seed": 0, "bootstrap": 0}) for one in found}) == 1


def test_output_is_written_as_a_whole(pair, command):
    output = pair / "out.json"
    code, out, _ = command(pair / "one.jsonl", "--split", pair / "split.json", "--json", "--output", output)
    assert code == 0
    assert output.read_text() == out
    assert not list(pair.glob(".*"))


def test_output_through_a_link_keeps_the_link(pair, command):
    (pair / "real.json").write_text("old")
    (pair / "link.json").symlink_to(pair / "real.json")
    assert command(pair / "one.jsonl", "--split", pair / "split.json", "--output", pair / "link.json")[0] == 0
    assert (pair / "link.json").is_symlink()
    assert json.loads((pair / "real.json").read_text())["exploited"] == 2


@pytest.mark.parametrize("name", ["one.jsonl", "split.json"])
@pytest.mark.parametrize("way", ["itself", "another spelling", "symbolic link", "hard link"])
def test_an_output_that_is_an_input_is_refused(pair, command, name, way):
    before, output = (pair / name).read_bytes(), pair / "link"
    if way == "itself":
        output = pair / name
    elif way == "another spelling":
        output = f"{pair}/../{pair.name}/./{name}"
    elif way == "symbolic link":
        output.symlink_to(pair / name)
    else:
        output.hardlink_to(pair / name)
    code, out, err = command(pair / "one.jsonl", "--split", pair / "split.json", "--output", output)
    assert (code, out) == (2, "")
    assert f"is the input {pair / name}" in err
    assert (pair / name).read_bytes() == before


def test_an_output_that_is_an_input_of_any_draw_is_refused(pair, command):
    arm = f"x={pair / 'one.jsonl'},{pair / 'two.jsonl'}"
    code, _, err = command("--split", pair / "split.json", "--arm", arm, "--output", pair / "two.jsonl")
    assert code == 2
    assert "is the input" in err


@pytest.mark.parametrize("fault", ["row", "split", "folder", "stopped"])
def test_on_a_fault_an_existing_output_is_untouched(pair, command, monkeypatch, fault):
    output = pair / "out.json"
    output.write_text("old")
    if fault == "row":
        write(pair / "one.jsonl", [row("a", 1, adv=101)])
    elif fault == "split":
        (pair / "split.json").write_text("[]")
    elif fault == "folder":
        output = pair
    else:

        def stop(*_):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", stop)
    code, out, err = command(pair / "one.jsonl", "--split", pair / "split.json", "--output", output)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert (pair / "out.json").read_text() == "old"
    assert not list(pair.glob(".*"))


def test_a_command_that_is_killed_while_it_writes_leaves_the_old_output(pair):
    output = pair / "out.json"
    output.write_text("old")
    arguments = ["release", "evaluate", f"{pair}/one.jsonl", "--split", f"{pair}/split.json", "--output", str(output)]
    code = "import os, signal; os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)\n"
    code += f"from impossible_rubrics_env.cli import run; run({arguments!r})"
    killed = subprocess.run([sys.executable, "-c", code], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert output.read_text() == "old"


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((), "either one file of rows or --arm NAME=FILE"),
        (("{one}", "--arm", "x={two}"), "and not both"),
        (("--arm", "x"), "is not NAME=FILE"),
        (("--arm", "={one}"), "is not NAME=FILE"),
        (("--arm", "x="), "is not NAME=FILE"),
        (("--arm", "x={one},"), "is not NAME=FILE"),
        (("--arm", "x\n={one}", "--arm", "x={two}"), "arm='x' is given twice"),
        (("--arm", "x\ny={one}"), "is not NAME=FILE"),
        (("--arm", "x={one},{one}"), "are one file, not two draws"),
        (("--arm", "x={one}", "--against", "x"), "against=x is none of several arms: x"),
        (("--arm", "x={one}", "--arm", "y={two}", "--against", "w"), "against=w is none of several arms: x, y"),
        (("{one}", "--resamples", "5"), "--resamples"),
        (("{one}", "--seed", "-1"), "--seed"),
        (("/no/such/rows",), "/no/such/rows"),
        (("{split}",), "row 1: task_id is missing"),
        (("{one}", "--output", "/no/such/folder/out.json"), "/no/such/folder/out.json"),
        (("{one}", "--output", "/dev/null"), "is not a regular file"),
    ],
)
def test_bad_arguments_are_one_line(pair, command, arguments, named):
    files = {"one": pair / "one.jsonl", "two": pair / "two.jsonl", "split": pair / "split.json"}
    code, out, err = command("--split", pair / "split.json", *(part.format(**files) for part in arguments))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("error: ")
    assert named in err


def test_a_hard_link_is_no_second_draw(pair, command):
    (pair / "again.jsonl").hardlink_to(pair / "one.jsonl")
    code, _, err = command("--split", pair / "split.json", "--arm", f"x={pair / 'one.jsonl'},{pair / 'again.jsonl'}")
    assert code == 2
    assert "are one file, not two draws" in err


def test_names_from_files_are_printed_in_ascii(tmp_path, command):
    (tmp_path / "split.json").write_text(r'{"name": "s\ud800\u001b[31m", "task_ids": ["\ud800", "b\n"]}')
    (tmp_path / "rows.json").write_text(
        r'[{"task_id": "\ud800", "baseline": 1, "adv": 2, "violates": true},'
        r' {"task_id": "b\n", "baseline": 1, "adv": 2, "violates": false}]'
    )
    (tmp_path / "none.json").write_text((tmp_path / "rows.json").read_text().replace("true", "false"))
    arms = ("--arm", f"x={tmp_path / 'rows.json'}", "--arm", f"y={tmp_path / 'none.json'}")
    code, out, err = command("--split", tmp_path / "split.json", *arms, "--ids")
    assert (code, err) == (0, "")
    assert "\x1b" not in out
    assert r"only x: \ud800" in out


def test_the_functions_refuse_what_the_command_cannot_pass(pair):
    split = read_split(pair / "split.json")
    arm = read_arm("x", [pair / "one.jsonl"], split)
    with pytest.raises(ArgumentError, match="different names"):
        evaluate(split, [arm, arm])
    with pytest.raises(ArgumentError, match="0 arms"):
        evaluate(split, [])
    with pytest.raises(ArgumentError, match="0 files"):
        read_arm("x", [], split)
    with pytest.raises(ArgumentError, match="is not on the split other"):
        evaluate(Split("other", ("a",)), [arm])
    unordered = Arm("x", (read_rows(pair / "two.jsonl"),))
    with pytest.raises(ArgumentError, match="is not on the split four"):
        evaluate(split, [unordered])


def test_the_help_has_examples(command):
    code, out, _ = command("--help")
    assert code == 0
    assert "impossible-rubrics release evaluate --split ids.txt" in out
