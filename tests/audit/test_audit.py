"""Planted leaks are found and named; prompts without one pass; the command says so."""

import builtins
import json
import random
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import impossible_rubrics_env as ire
from impossible_rubrics_env.audit import (
    Sample,
    audit_family,
    audit_questions,
    need_libraries,
    pair_interval,
    samples_of,
)
from impossible_rubrics_env.audit_features import asking, plain_figures, read_prompt, relations, role_tokens
from impossible_rubrics_env.cli import run
from impossible_rubrics_env.errors import ArgumentError, MissingExtraError

sys.path.insert(0, str(Path(__file__).parent))
from synthetic import twins

PAIRS = 300


def view(report, name):
    return next(one for one in report.views if one.name == name)


def cue_names(view):
    assert len(view.cues) <= 10
    return " | ".join(cue.name for cue in view.cues)


@pytest.fixture(scope="module")
def clean():
    return audit_family("none", twins(2 * PAIRS))


def test_prompts_without_a_leak_pass_in_every_view(clean):
    assert clean.passed, clean
    assert [one.name for one in clean.views[:4]] == ["words", "roles", "relations", "question"]
    assert "without D3" in [one.name for one in clean.views]
    for one in clean.views:
        assert one.low <= one.auc <= one.high
    assert (clean.impossible, clean.possible) == (2 * PAIRS, 2 * PAIRS)


def test_the_question_of_twins_is_the_same_and_tells_nothing(clean):
    assert view(clean, "question").auc == 0.5
    assert view(clean, "question").pairs_right == 0.5


def test_the_audit_is_deterministic():
    samples = twins(30)
    assert audit_family("same", samples) == audit_family("same", samples)


def plant_word(rng, _subjects, documents, impossible):
    if rng.random() < (0.45 if impossible else 0.1):
        documents[1].append("The ledger was kept by hand.")


def test_a_planted_word_is_found_and_named():
    report = audit_family("word", twins(PAIRS, plant_word))
    assert report.passed is False
    assert view(report, "words").auc > 0.6
    assert re.search("ledger|kept|hand", cue_names(view(report, "words")))
    assert view(report, "words").cues[0].weight > 0
    assert view(report, "without D2").passed
    assert view(report, "without D1").passed is False


def plant_parity(rng, _subjects, documents, impossible):
    for lines in documents:
        for place, line in enumerate(lines):
            if line.startswith("At least"):
                digit = rng.choice("02468" if (rng.random() < 0.75) == impossible else "13579")
                lines[place] = re.sub(r"\d kg", f"{digit} kg", line)


def test_a_planted_parity_of_last_digits_is_found_and_named():
    report = audit_family("parity", twins(PAIRS, plant_parity))
    assert report.passed is False
    assert view(report, "roles").auc > 0.75
    assert "at least <even" in cue_names(view(report, "roles"))
    assert "figure: numbers with an even last digit" in cue_names(view(report, "words"))
    assert "numbers with an even last digit" in cue_names(view(report, "relations"))


def plant_target(rng, subjects, documents, impossible):
    wanted = (rng.random() < 0.85) == impossible
    fitting = (place for place, lines in enumerate(documents[:-1], 1) if (subjects[0] in str(lines)) == wanted)
    if target := next(fitting, None):
        documents[-1].append(f"D{target} is withdrawn.")


def test_a_planted_target_of_notices_is_found_though_no_word_tells():
    report = audit_family("target", twins(PAIRS, plant_target))
    assert report.passed is False
    assert view(report, "words").passed
    assert view(report, "roles").auc > 0.65
    assert "<doc+>" in cue_names(view(report, "roles"))
    assert view(report, "relations").auc > 0.65
    assert "names the asked one" in cue_names(view(report, "relations"))


def plant_flag(rng, subjects, documents, impossible):
    who = subjects[0] if (rng.random() < 0.8) == impossible else subjects[5]
    documents[0].append(f"The share of the {who} line has not been reported.")


def test_a_planted_flag_beside_the_asked_name_is_found():
    report = audit_family("flag", twins(PAIRS, plant_flag))
    assert view(report, "words").auc < 0.6
    assert view(report, "relations").auc > 0.65
    assert "asked name 1: flagged paragraphs" in cue_names(view(report, "relations"))


def test_a_direction_that_only_twins_side_by_side_show_is_reported_and_fails_nothing():
    def grow(_rng, _subjects, documents, impossible):
        if impossible:
            documents[0][0] = documents[0][0].replace(" kg", "1 kg", 1)

    report = audit_family("direction", twins(PAIRS, grow))
    assert max(one.pairs_right for one in report.views) > 0.6


def test_the_interval_covers_one_half_on_noise_and_resamples_pairs():
    rng = np.random.default_rng(3)
    sides = np.tile([True, False], 500)
    groups = np.repeat(np.arange(500), 2)
    auc, low, high = pair_interval(rng.normal(size=1000), sides, groups)
    assert low < 0.5 < high
    assert low < auc < high
    shared = np.repeat(rng.normal(size=500), 2)  # twins that score alike say nothing about their difference
    assert pair_interval(shared, sides, groups)[0] == pytest.approx(0.5)
    _, narrow_low, narrow_high = pair_interval(shared + rng.normal(size=1000) / 100, sides, groups)
    assert narrow_high - narrow_low < (high - low) / 5


def test_the_auc_agrees_with_the_library():
    from sklearn.metrics import roc_auc_score

    rng = np.random.default_rng(4)
    sides = rng.random(200) < 0.5
    scores = np.round(rng.normal(size=200) + sides, 1)
    assert pair_interval(scores, sides, np.arange(200))[0] == pytest.approx(roc_auc_score(sides, scores))


def test_families_with_one_question_pass_and_a_tell_tale_question_fails():
    same = {"one": twins(60), "two": twins(60, seed=1), "three": twins(60, seed=2)}
    report = audit_questions(same)
    assert report.passed
    assert report.allowed == pytest.approx(0.5)
    told = dict(same)
    told["three"] = [one._replace(prompt=one.prompt.replace("one figure", "a list")) for one in same["three"]]
    report = audit_questions(told)
    assert not report.passed
    assert report.low <= report.accuracy <= report.high
    assert "words: wants a" in " ".join(report.cues["three"])
    del told["one"]
    assert "words: wants a" in " ".join(audit_questions(told).cues["three"])


def test_two_few_tasks_are_refused():
    with pytest.raises(ArgumentError, match="too few"):
        audit_family("few", twins(3))


def test_labels_of_attack_tasks_count_and_other_controls_stay_out():
    tasks = list(ire.generate("certified_interval", n=4, mix="balanced"))
    samples = samples_of(tasks)
    assert [one.impossible for one in samples] == [task.label == "unbreakable" for task in tasks]
    assert samples[0].pair == samples[1].pair != samples[2].pair
    clear = replace(tasks[0], label=ire.Label.CLEAR_POSITIVE)
    assert samples_of([clear]) == []
    assert samples_of([clear], "clear_positive") == [Sample(clear.prompt, False, clear.pair_id)]


def test_without_a_twin_set_there_is_no_verdict():
    report = audit_family("clear", twins(40), contrast="clear_positive")
    assert report.passed is None
    assert report.as_dict()["passed"] is None


def test_a_missing_library_is_named_with_its_extra(monkeypatch):
    real = builtins.__import__

    def refuse(name, *rest, **named):
        if name.startswith("sklearn"):
            raise ModuleNotFoundError("no sklearn", name="sklearn")
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(MissingExtraError, match=re.escape("pip install 'impossible-rubrics-env[audit]'")):
        need_libraries()


# The command


def test_the_command_prints_a_table_cues_and_a_failure(capsys):
    assert run(["audit", "--families", "certified_interval", "--n", "400", "--cues", "3"]) == 1
    captured = capsys.readouterr()
    assert "95% interval" in captured.out
    assert "least magnitude" in captured.out
    assert "FAILED: certified_interval" in captured.err
    assert "certified_interval: words" in captured.err


def test_the_command_prints_one_json_object(capsys):
    assert run(["audit", "--families", "certified_interval", "--n", "100", "--json", "--seed", "4"]) == 1
    data = json.loads(capsys.readouterr().out)
    (family,) = data["families"]
    assert family["impossible"] == family["possible"] == 50
    assert len(family["views"][0]["cues"]) == 10
    assert data["question"] is None
    assert data["arguments"] == {"seed": 4}


@pytest.mark.parametrize(
    ("arguments", "named"), [(("--contrast", "easy"), "easy"), (("--families", "nope"), "nope"), (("--n", "6"), "few")]
)
def test_bad_input_is_one_line(capsys, arguments, named):
    assert run(["audit", "--families", "certified_interval", *arguments]) == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith("error: ")
    assert named in error


# What is read


PROMPT = """The papers concern a trial.

Documents

D1 | Record, Orwell Unit | 2031-04-09
[D1.1] The order value of the Beluvar line for the screening phase is 12.4 crowns.
[D1.2] The order value of the Calandry line for the closing phase is 12.5 crowns, grade under review.

D2 | Notice | 2031-05-01
[D2.1] Paragraph D1.1 is withdrawn.

D3 | Notice | 2031-05-02
[D3.1] D2 is in force again.

Question
As the order value of the Calandry line exceeds 3.5 crowns, what is the order value of the Beluvar line for the \
screening phase? The Orwell Unit will act on it.

Reading rules
Those."""


def test_a_prompt_is_cut_into_its_parts():
    reading = read_prompt(PROMPT)
    assert [one.id for one in reading.documents] == ["D1", "D2", "D3"]
    assert reading.documents[1].day - reading.documents[0].day == 22
    assert reading.question.startswith("As the")
    assert reading.rest == "Reading rules\nThose."
    assert read_prompt("Only text.\n\nQuestion\nWhat?").documents == ()


def test_the_question_is_taken_apart():
    asked = asking(read_prompt(PROMPT))
    assert asked.names == ["Beluvar"]
    assert asked.granted == ["Calandry"]
    assert "exceeds" not in asked.core


def test_names_numbers_and_references_become_roles():
    parts = role_tokens(read_prompt(PROMPT))
    first, second, third = (" ".join(part) for part in parts[3:])
    assert "of the <asked1> line" in first
    assert "<even+> crowns" in first
    assert "<granted> line for the closing phase is <odd> crowns" in first
    assert "paragraph <par+> is withdrawn" in second
    assert "<doc-> is in force again" in third


def test_relations_are_counted():
    found = relations(read_prompt(PROMPT))
    assert found["notices"] == 2
    assert found["longest chain of notices"] == 2
    assert found["chain of notices on the nearest document"] == 2
    assert found["notices on the nearest paragraph"] == 1
    assert found["notices on what names the asked one"] == 1
    assert found["flagged paragraphs"] == 2
    assert found["asked name 1: flagged paragraphs"] == 0
    assert found["least days from document to notice"] == 1
    assert relations(read_prompt("Only text.")) == {}


def test_numbers_of_dates_and_ids_do_not_count():
    found = plain_figures(read_prompt(PROMPT))
    assert found["numbers"] == 3
    assert found["numbers with an even last digit"] == 1
    assert found["sortedness"] == 0.5


def test_odd_prompts_are_read_without_an_error():
    rng = random.Random(5)
    lines = PROMPT.splitlines()
    for _ in range(300):
        text = "\n".join(rng.sample(lines, rng.randrange(len(lines))))
        reading = read_prompt(text)
        role_tokens(reading)
        relations(reading)
        plain_figures(reading)
    plain_figures(read_prompt(f"A number of 400 digits: {'7' * 400}, one of none: ., and 1e-400."))
