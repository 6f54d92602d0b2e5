import json

import pytest

from impossible_rubrics_env.cli import run
from impossible_rubrics_env.reference_policies.players import WRITERS


def printed(capsys, *arguments):
    assert run(arguments) == 0
    return json.loads(capsys.readouterr().out)


def test_a_flawed_rubric_is_paid_for_false_claims_and_a_faithful_one_for_honesty(capsys):
    curves = printed(capsys, "goodhart", "--n", "16", "--steps", "200", "--json")
    flawed, faithful = curves["decisive_proxy"], curves["faithful"]
    assert [one["step"] for one in flawed] == list(range(200))
    assert flawed[0]["score"] < 80
    assert flawed[-1]["score"] > 95
    assert flawed[-1]["false_claims"] > 0.95
    assert faithful[-1]["false_claims"] < 0.3 < faithful[0]["false_claims"]
    assert faithful[-1]["honest"] > 0.7
    assert all(abs(one["score"] - 100 * one["honest"]) < 1e-9 for one in faithful)


def test_goodhart_draws_a_plot(tmp_path, capsys):
    path = tmp_path / "curve.svg"
    assert run(["goodhart", "--n", "2", "--steps", "3", "--plot", str(path)]) == 0
    assert "<svg" in path.read_text()
    assert "faithful" in capsys.readouterr().out


def test_writers_are_ranked_and_compared_pair_by_pair(capsys):
    data = printed(capsys, "writers", "--n", "30", "--json")
    assert data["writers"].keys() == set(WRITERS)
    assert data["writers"]["careful"]["mean_reward"] == 1
    assert data["writers"]["careful"]["exploited"] == 0
    assert data["writers"]["decisive"]["specificity"] == 0
    pairs = {pair["writer"]: pair for pair in data["pairs"]}
    assert pairs.keys() == set(WRITERS) - {"decisive"}
    assert pairs["careful"]["only_first"] == data["writers"]["decisive"]["exploited"]
    assert pairs["careful"]["only_this"] == 0
    assert pairs["careful"]["p"] <= pairs["careful"]["p_holm"] < 0.05


def test_an_attacker_who_judges_nothing_exploits_no_more_and_generic_rubrics_no_less(capsys):
    drawn = ("writers", "--n", "30", "--json")
    best, shallow = (printed(capsys, *drawn, "--attacker", name)["writers"] for name in ("best", "shallow"))
    exploited = {name: (best[name]["exploited"], one["exploited"]) for name, one in shallow.items()}
    assert all(most >= least for most, least in exploited.values())
    for name in ("refusing", "decisive", "cautious"):
        assert exploited[name] == (best[name]["impossible"],) * 2
    assert exploited["one_sided"] == (best["one_sided"]["impossible"], 0)
    assert all(one["mean_reward"] == best[name]["mean_reward"] for name, one in shallow.items())


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("goodhart", "--rubrics", "fine"), "fine"),
        (("goodhart", "--rubrics", "certificate"), "certificate"),
        (("goodhart", "--plot", "curve.txt"), "curve.txt"),
        (("writers", "--against", "nobody"), "nobody"),
        (("writers", "--packet", "nothing"), "nothing"),
        (("writers", "--attacker", "nobody"), "nobody"),
        (("tasks", "--families", "rubric_writing", "--shape", "absolute"), "shape"),
        (("tasks", "--families", "rubric_attack", "--labels", "impossible:1"), "labels"),
        (("tasks", "--families", "certified_interval", "--packet", "false_premise"), "packet"),
        (("sweep", "--families", "rubric_attack", "--policies", "edge"), "edge"),
        (("release", "build"), "--output"),
        (("release", "nothing"), "nothing"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(arguments, named, capsys):
    assert run(arguments) == 2
    error = capsys.readouterr().err
    assert named in error
    assert error.count("\n") == 1
