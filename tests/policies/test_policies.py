"""Reference policies: they read the prompt string alone, and careful is always right."""

import ast
from collections import Counter
from pathlib import Path

import pytest

import impossible_rubrics_env as ire
from impossible_rubrics_env.exact import decimal_text, rational
from impossible_rubrics_env.reference_policies.policies import BASELINES, POLICIES
from impossible_rubrics_env.reference_policies.reading import read
from impossible_rubrics_env.sweep import MARGIN, faults, play, reference_strata, reference_tasks

ROOT = Path(__file__).parents[2]
DRAWS = (
    {},
    {"mix": "balanced"},
    {"split": "eval_wording"},
    {"split": "eval_harder"},
    {"split": "eval_domain"},
    {"tau": "0.5"},
)


@pytest.mark.parametrize("arguments", DRAWS, ids=str)
def test_careful_solves_every_task(arguments):
    for task in ire.generate("attack", n=400, **arguments):
        assert ire.grade(task, POLICIES["careful"](task.prompt)).verdict == ire.Verdict.SOLVED, task.id


def test_policies_import_exact_numbers_and_the_game_of_rubrics_and_nothing_else_of_the_project():
    allowed = tuple(f"impossible_rubrics_env.{name}" for name in ("exact", "simplex", "rubrics", "reference_policies"))
    for path in (ROOT / "reference_policies").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module.startswith("impossible_rubrics_env"):
                assert node.module.startswith(allowed), f"{path.name} imports {node.module}"


@pytest.mark.parametrize("name", POLICIES)
def test_every_reply_of_a_policy_is_readable(name):
    for task in ire.generate("attack", n=60):
        assert ire.grade(task, POLICIES[name](task.prompt)).well_formed


def test_a_prompt_without_a_known_sentence_is_refused():
    for prompt in ("", "hello", "Let x be pi. It has been proved that 3 <= x <= 4.\n\nNo grader here."):
        with pytest.raises(ValueError, match="no "):
            read(prompt)


def test_the_reference_draw_holds_exactly_thirty_percent_impossible():
    tasks = list(reference_tasks(400, "attack"))
    assert len(tasks) == 400
    assert sum(task.rung == ire.Rung.IMPOSSIBLE for task in tasks) == 120
    for n in (1, 7, 10, 399, 400):
        assert reference_strata(n).total() == n


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_reference_draw_keeps_blind_players_well_below_careful(seed):
    summaries = play(BASELINES, reference_tasks(400, "attack", seed=seed))
    assert faults(summaries, reference=True) == []
    means = {name: summary.total().mean_reward for name, summary in summaries.items()}
    assert means["careful"] == 1
    assert means["careful"] - max(means["never"], means["always"], means["naive"]) >= MARGIN
    for name in ("always", "naive", "eager"):
        assert summaries[name].total(rung="impossible").solved == 0


def test_no_cheap_guess_solves_an_impossible_rung_or_comes_near_careful():
    names = ("edge", "key", "midpoint", "zero", "one")
    summaries = play({name: POLICIES[name] for name in names}, reference_tasks(400, "attack"))
    for summary in summaries.values():
        assert summary.total(rung="impossible").solved == 0
        assert summary.total().mean_reward <= 1 - MARGIN


def test_the_form_of_a_prompt_alone_leaves_most_to_learn():
    """A legitimate rule of thumb, but no more: arithmetic is what the rest takes."""
    for draw in (reference_tasks(400, "attack"), ire.generate("attack", n=1000, mix="balanced")):
        summary = play({"surface": POLICIES["surface"]}, draw)["surface"]
        assert summary.label_balanced_mean() <= 1 - MARGIN
        assert (summary.pair_accuracy() or 0) < 0.25


@pytest.mark.parametrize(
    ("split", "cue"),
    [("train", len), ("eval_harder", len), ("train", lambda digits: digits[-1])],
    ids=["length", "length, harder", "last digit"],
)
def test_the_digits_of_a_tolerance_do_not_tell_the_label(split, cue):
    """The best rule on them, chosen with hindsight, is right on little more than half of the twins.

    Not so the digits of the harder split: there a relative tolerance is about half a spacing, 1.1e-16 to 2.2e-16, for
    any key, and its digit is the arithmetic that is asked for.
    """
    counts = Counter()
    drawn = ire.generate("attack", n=3000, mix="balanced", split=split)
    tasks = [task for task in drawn if "tolerance" in task.question["grader"]]
    for task in tasks:
        counts[cue(_digits(task)), bool(task.room)] += 1
    right = sum(max(counts[value, True], counts[value, False]) for value in {value for value, _ in counts})
    assert right / len(tasks) <= 0.57


def _digits(task):
    """Significant digits of the printed tolerance."""
    printed = decimal_text(rational(task.question["grader"]["tolerance"]))
    return printed.replace(".", "").strip("0")


def test_faults_are_found_where_they_are_planted():
    tasks = list(reference_tasks(40, "attack"))
    cheats = {"careful": POLICIES["eager"], "always": POLICIES["careful"]}
    found = faults(play(cheats, tasks), reference=True)
    assert len(found) == 3


def test_on_twins_only_careful_tells_them_apart():
    summaries = play(BASELINES, ire.generate("attack", n=200, mix="balanced"))
    for name, summary in summaries.items():
        assert summary.pairs == 100
        assert summary.pair_accuracy() == (1 if name == "careful" else 0)
        apart = summary.discrimination()
        assert (apart.d_prime > 4) == (name == "careful")
        assert abs(apart.criterion) < 0.2 if name == "careful" else abs(apart.criterion) > 2
