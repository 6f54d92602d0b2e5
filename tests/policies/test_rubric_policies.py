"""The policies for rubrics, by the real grader: attackers, writers from bad to perfect, and answers by statements."""

import json
from collections import Counter, defaultdict

import pytest

import impossible_rubrics_env as ire
from impossible_rubrics_env.reference_policies import rubric_policies, rubric_writers
from impossible_rubrics_env.reference_policies.players import BASELINES, ONLY_PLAYS, POLICIES, RUBRIC_ATTACKERS, WRITERS
from impossible_rubrics_env.reference_policies.statement_reading import read
from impossible_rubrics_env.rubrics.exploit import specificity
from impossible_rubrics_env.rubrics.language import read_rubric

PAIRS = 60
BLIND = ("never", "always", "naive", *RUBRIC_ATTACKERS)
MARGIN = 0.25
SPLITS = ("train", "eval_wording", "eval_domain", "eval_harder")
ALWAYS_EXPLOITED = ("refusing", "decisive", "cautious", "one_sided", "literal")
CONTROLS = ("hard_positive", "clear_positive")


def answer_of(reply):
    return json.loads(reply.partition("<answer>")[2].partition("</answer>")[0])


@pytest.fixture(scope="module")
def attacks():
    """Grades by player, over twins."""
    found = defaultdict(list)
    for task in ire.generate("rubric_attack", n=2 * PAIRS, mix="balanced", seed=5):
        for name, policy in {**BASELINES, **RUBRIC_ATTACKERS}.items():
            found[name].append((task, ire.grade(task, policy(task.prompt))))
    return found


@pytest.fixture(scope="module")
def written():
    """Grades by writer."""
    found = defaultdict(list)
    for task in ire.generate("rubric_writing", n=90, seed=5):
        for name, policy in WRITERS.items():
            found[name].append((task, ire.grade(task, policy(task.prompt))))
    return found


def mean(graded):
    return sum(grade.reward for _, grade in graded) / len(graded)


def test_every_attack_is_readable(attacks):
    assert all(grade.well_formed for graded in attacks.values() for _, grade in graded)


def test_careful_solves_every_attack_and_eager_those_that_exist(attacks):
    for task, grade in attacks["careful"]:
        assert grade.verdict == ire.Verdict.SOLVED, task.id
    for task, grade in attacks["eager"]:
        assert not grade.refused
        assert (grade.verdict == ire.Verdict.SOLVED) == (task.label == "breakable"), task.id


@pytest.mark.parametrize("name", BLIND)
def test_no_player_that_reads_the_rubric_alone_comes_near_careful(attacks, name):
    assert mean(attacks[name]) < 1 - MARGIN


def test_a_rubric_does_not_tell_which_of_the_two_best_paid_answers_is_honest(attacks):
    leading = Counter()
    for task, _ in attacks["careful"]:
        reading = read(task.prompt)
        marks = task.certificate["proof"]["marks"]
        honest = {name for name, mark in marks.items() if mark == "required"}
        first, second, *_ = rubric_policies.ranked(reading, reading.rubric)
        assert honest in ({*first}, {*second}), task.id
        leading[honest == {*first}] += 1
    assert min(leading.values()) > PAIRS * 2 // 3


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("family", ["rubric_attack", "rubric_writing", "rubric_reward"])
def test_careful_is_right_in_every_split(family, split):
    for task in ire.generate(family, n=16, split=split, seed=9):
        assert ire.grade(task, BASELINES["careful"](task.prompt)).verdict == ire.Verdict.SOLVED, task.id


def test_writers_are_graded_from_bad_to_perfect(written):
    for task, grade in written["careful"]:
        assert grade.verdict == ire.Verdict.SOLVED, task.id
        assert not grade.extra["exploited"], task.id
    means = [mean(graded) for graded in written.values()]
    assert means[-1] == 1
    by_name = dict(zip(written, means, strict=True))
    flawed = [by_name[name] for name in ALWAYS_EXPLOITED]
    assert max(flawed) < 0 < by_name["partial"] < 1
    assert max(flawed) < by_name["detailed"] < 1
    for name, graded in written.items():
        assert all(grade.well_formed for _, grade in graded), name
        if name in ALWAYS_EXPLOITED:
            assert all(grade.extra["exploited"] for _, grade in graded), name


def test_refusing_loses_on_controls_and_decisiveness_everywhere(written):
    for task, grade in written["refusing"]:
        if task.label in CONTROLS:
            assert grade.verdict == ire.Verdict.WRONG, task.id
            assert grade.extra["over_refusal_rewarded"], task.id
    assert {grade.verdict for _, grade in written["decisive"]} == {ire.Verdict.WRONG}
    assert {grade.verdict for _, grade in written["cautious"]} == {ire.Verdict.WRONG}


def test_a_partly_faithful_rubric_fails_by_what_it_does_not_charge_for(written):
    verdicts = Counter(grade.verdict for _, grade in written["partial"])
    assert set(verdicts) == {ire.Verdict.WRONG, ire.Verdict.SOLVED}
    for task, grade in written["partial"]:
        proof = task.certificate["proof"]
        means = {one["id"]: one["means"]["kind"] for one in task.question["target"]["statements"]}
        missed = [
            name
            for name, mark in proof["marks"].items()
            if mark in {"unsupported", "false"} and means[name] in {"cites", "premise"}
        ]
        assert (grade.verdict == ire.Verdict.WRONG) == bool(missed), task.id


def test_generic_writers_name_nothing_that_the_packet_says():
    for task in ire.generate("rubric_writing", n=20, seed=6):
        means = {one["id"]: one["means"] for one in task.question["target"]["statements"]}
        for name, policy in WRITERS.items():
            rubric = read_rubric(answer_of(policy(task.prompt))["rubric"], tuple(means))
            share = specificity(rubric, means)
            assert (share.numerator == 0) == (name in rubric_writers.GENERIC), (task.id, name)


def test_players_reply_in_the_form_that_the_prompt_asks_for():
    forms = {"rubric_attack": "attack", "rubric_writing": "rubric", "rubric_reward": "answer"}
    for family, form in forms.items():
        task = ire.make_task(family, index=1)
        for name, policy in BASELINES.items():
            assert list(answer_of(policy(task.prompt))) == [form], (family, name)


def test_every_writer_and_attacker_has_one_name():
    assert dict.fromkeys(WRITERS) == dict.fromkeys(rubric_writers.WRITERS)
    assert dict.fromkeys(RUBRIC_ATTACKERS) == dict.fromkeys(rubric_policies.GUESSERS)
    assert {name for name, family in ONLY_PLAYS.items() if family == "rubric_attack"} == set(RUBRIC_ATTACKERS)
    assert set(ONLY_PLAYS) <= set(POLICIES)


@pytest.mark.parametrize("family", ["rubric_attack", "rubric_writing", "rubric_reward"])
@pytest.mark.parametrize("name", [name for name in BASELINES if name != "never"])
def test_a_prompt_that_cannot_be_read_gets_unsure(family, name):
    prompt = ire.make_task(family, index=0).prompt.replace("\n\nDocuments\n\n", "\n\nPapers\n\n")
    assert list(answer_of(BASELINES[name](prompt)).values()) == ["UNSURE"]
