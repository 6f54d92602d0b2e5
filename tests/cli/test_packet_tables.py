"""What a sweep makes of packets: by family and label, on twins, and what is held against a family."""

import json
import types

import pytest

from impossible_rubrics_env.commands.sweep import packet_table
from impossible_rubrics_env.grading import Grade, Verdict
from impossible_rubrics_env.reference_policies.players import BASELINES, POLICIES, TOLD
from impossible_rubrics_env.summary import Summary
from impossible_rubrics_env.sweep import FEWEST, faults, play, reference_labels
from impossible_rubrics_env.task import Label, Role, Rung
from impossible_rubrics_env.taskgen import registry

SOLVED = Grade(1, Verdict.SOLVED, True)
PROVED = Grade(1, Verdict.SOLVED, True, refused=True, witness_valid=True)
UNPROVED = Grade(0, Verdict.UNSUPPORTED, True, refused=True, witness_valid=False)
FALSE = Grade(-1, Verdict.WRONG, True, false_claim=True, false_answer=True)
OVER = Grade(-1, Verdict.WRONG, True, refused=True, false_claim=True, over_refusal=True, witness_valid=False)


@pytest.fixture(autouse=True)
def two_packet_families(monkeypatch):
    monkeypatch.setattr(registry, "ANSWER", ("north", "south"))


def task(family, label, pair, rung=Rung.WIDE):
    name = f"{family}/{label}/{pair}"
    pair_id = name if label is Label.CLEAR_POSITIVE else f"{family}/{pair}"
    return types.SimpleNamespace(id=name, pair_id=pair_id, family=family, label=label, rung=rung)


def summary(impossible, hard, clear=(), family="north"):
    """The summary of a player that got these grades, in the order of the pairs."""
    made = Summary()
    given = {Label.IMPOSSIBLE: impossible, Label.HARD_POSITIVE: hard, Label.CLEAR_POSITIVE: clear}
    for label, grades in given.items():
        for pair, grade in enumerate(grades):
            made.add(task(family, label, pair), grade)
    return made


def cells(table):
    """The table's columns by name."""
    return {column.header: list(column.cells) for column in table.columns}


def test_a_summary_keeps_families_apart_and_adds_them_up():
    north = summary([PROVED, UNPROVED], [SOLVED, SOLVED], [OVER])
    south = summary([FALSE], [SOLVED], family="south")
    whole = Summary.merged([north, south])
    assert whole.families() == ["north", "south"]
    assert (whole.pairs, whole.pairs_solved) == (3, 1)
    assert whole.family("north").as_dict() == north.as_dict()
    assert whole.family("south").as_dict() == south.as_dict()
    assert north.pair_accuracy() == 1 / 2
    assert north.twins().mean_reward == 3 / 4
    assert north.total().mean_reward == 2 / 5
    assert whole.total().signals["witness_valid"] == 1
    json.dumps(whole.as_dict(), allow_nan=False)


def test_the_table_has_a_row_a_family_and_player_and_the_sum_of_the_families():
    families = {
        "north": {"careful": summary([PROVED], [SOLVED], [SOLVED]), "guesser": summary([UNPROVED], [FALSE], [SOLVED])},
        "south": {"careful": summary([PROVED], [SOLVED], family="south")},
    }
    table = cells(packet_table(families, "packets"))
    assert table["family"] == ["north", "", "south", "all", ""]
    assert table["player"] == ["careful", "guesser", "careful", "careful", "guesser"]
    assert table["n"] == ["3", "3", "2", "5", "3"]
    assert table["on twins"] == ["+1.000", "-0.500", "+1.000", "+1.000", "-0.500"]
    assert table["clear"] == ["1/1", "1/1", "0/0", "1/1", "1/1"]
    assert table["pair accuracy"] == ["100.0%", "0.0%", "100.0%", "100.0%", "0.0%"]
    assert table["proved"] == ["1/1", "0/1", "1/1", "2/2", "0/1"]


def test_faults_of_packet_families_are_found_where_they_are_planted():
    half = FEWEST // 2
    good = {
        "careful": summary([PROVED] * FEWEST, [SOLVED] * FEWEST),
        "never": summary([UNPROVED] * FEWEST, [OVER] * FEWEST),
        "guesser": summary([PROVED] * 10 + [UNPROVED] * 40, [FALSE] * FEWEST),
    }
    assert faults(good, reference=True) == faults(good, reference=False) == []
    bad = {
        "careful": summary([PROVED] * FEWEST, [SOLVED] * (FEWEST - 1) + [FALSE]),
        "never": summary([PROVED] * half + [UNPROVED] * half, [SOLVED] * half + [OVER] * half),
        "eager": summary([PROVED] + [FALSE] * (FEWEST - 1), [SOLVED] * FEWEST),
        "guesser": summary([PROVED] * 11 + [UNPROVED] * 39, [FALSE] * FEWEST),
    }
    found = faults(bad, reference=False)
    assert [fault.split()[0] for fault in found] == ["careful", "never", "never", "eager", "guesser"]
    few = {"never": summary([PROVED] * 5, [SOLVED] * 5), "guesser": summary([PROVED] * 5, [FALSE] * 5)}
    assert faults(few, reference=True) == []


def test_a_fault_names_its_family_where_there_are_several():
    careful = Summary.merged([summary([PROVED], [SOLVED]), summary([PROVED], [FALSE], family="south")])
    assert faults({"careful": careful}, reference=False) == ["south: careful has mean reward +0.000, not +1.000"]


def test_the_reference_draw_has_as_many_twins_of_one_label_as_of_the_other():
    assert reference_labels(400) == {Label.IMPOSSIBLE: 160, Label.HARD_POSITIVE: 160, Label.CLEAR_POSITIVE: 80}
    for n in (1, 2, 7, 399):
        labels = reference_labels(n)
        assert labels.total() == n
        assert labels[Label.IMPOSSIBLE] == labels[Label.HARD_POSITIVE]


def test_players_get_the_tasks_of_their_roles_and_guessers_alone_are_told_the_side(monkeypatch):
    seen = []
    monkeypatch.setattr("impossible_rubrics_env.sweep.grade", lambda _task, reply: seen.append(reply) or SOLVED)
    packet = types.SimpleNamespace(**vars(task("north", Label.IMPOSSIBLE, 0)), role=Role.ANSWER, prompt="p")
    told = {"guesser": lambda prompt, impossible: (prompt, impossible)}
    played = play({"careful": lambda prompt: prompt, "edge": lambda prompt: prompt}, [packet], told=told)
    assert set(played) == {"careful", "guesser"}
    assert seen == ["p", ("p", True)]


def test_every_name_is_a_player_of_one_kind():
    assert set(BASELINES) <= set(POLICIES)
    assert not set(POLICIES) & set(TOLD)
