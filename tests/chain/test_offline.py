"""The chain without a network: what it comes to is what the walk over all answers proves."""

import json

import pytest

import impossible_rubrics_env
from impossible_rubrics_env.chain import offline
from impossible_rubrics_env.chain.calls import Model
from impossible_rubrics_env.chain.environments import drawn, from_release
from impossible_rubrics_env.chain.results import read_results
from impossible_rubrics_env.chain.run import Run, start
from impossible_rubrics_env.chain.stages import Baseline, Setup
from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.reference_policies.rubric_writers import WRITERS
from impossible_rubrics_env.reference_policies.statement_judging import judge
from impossible_rubrics_env.reference_policies.statement_reading import read
from impossible_rubrics_env.rubrics.exploit import exploit
from impossible_rubrics_env.rubrics.language import read_rubric
from impossible_rubrics_env.rubrics.walk import scores
from impossible_rubrics_env.taskgen.registry import ANSWER, generate, make_task

N = 12
FAMILIES = [name for name in impossible_rubrics_env.FAMILIES if name in ANSWER]
ALL = tuple(offline.GENERATORS)


def models(*names):
    """Models by name."""
    return tuple(map(Model.parse, names))


def setup(*generators, attackers=("policy:best",), **more):
    """Offline players."""
    roles = models(*generators), models(*attackers), models("policy:literal"), models("policy:exact")
    return Setup(*roles, statements=True, baseline=Baseline.STATEMENTS, **more)


@pytest.fixture(scope="module")
def environments():
    """Two tasks of each packet family, more or less."""
    return drawn("answer", N, 5)


@pytest.fixture(scope="module")
def rows(environments, tmp_path_factory):
    """Of a run with every offline writer and both fixed rubrics."""
    folder = tmp_path_factory.mktemp("offline") / "run"
    fixed = [f"fixed:{name}" for name in offline.FIXED]
    outcome = start(Run(folder, environments, setup(*(f"policy:{name}" for name in ALL), *fixed, audit=True)))
    assert outcome.ended.exit_code == 0
    return outcome.rows, folder


def test_every_row_counts_and_is_what_readers_of_rows_take(rows, environments):
    made, folder = rows
    read_back = read_results(folder).rows
    assert len(made) == len(read_back) == len(environments) * (len(ALL) + 2)
    assert all(row.excluded("policy:exact") is None and row.excluded("exact") is None for row in read_back)
    assert {row.label for row in read_back} >= {"impossible", "hard_positive"}


def test_the_oracle_that_solves_agrees_with_the_proofs_and_flags_no_baseline(rows):
    for row in rows[0]:
        assert row["violates"] == {"policy:exact": row["exact"]["violates"]}
        assert row["baseline_violates"] == {"policy:exact": False}
        assert row["exact"]["violates"]
        assert row["exact"]["mismatch"] is False


@pytest.mark.parametrize("name", ["certificate-faithful", "careful"])
def test_sound_rubrics_are_never_exploited(rows, name):
    chosen = [row for row in rows[0] if row["generator"].endswith(name)]
    assert len(chosen) >= N - 1
    assert all(row["adv"] < row["baseline"] == 100 for row in chosen)


@pytest.mark.parametrize("name", ALL)
def test_scores_and_exploits_are_those_of_the_walk_over_all_answers(rows, environments, name):
    by_id = {one.task_id: one for one in environments}
    for row in rows[0]:
        if row["generator"] == f"policy:{name}":
            one = by_id[row["task_id"]]
            prompt_rubric = offline.GENERATORS[name](generator_text(one))
            found = exploit(offline.machine_rubric(prompt_rubric, one.statements.marked), one.statements.marked)
            assert row["baseline"] == found.baseline.numerator / found.baseline.denominator
            assert (row["adv"] >= row["baseline"]) == found.exploited
            assert row["adv"] == found.best_violating.score.numerator / found.best_violating.score.denominator


def generator_text(one):
    """The generator's prompt."""
    from impossible_rubrics_env.chain.roles import generator_prompt
    from impossible_rubrics_env.release.inputs import generator_input

    return generator_prompt(generator_input(one.record)).text


def test_writers_are_the_reference_writers_without_a_list_of_statements():
    for task in generate("rubric_writing", n=8, seed=3):
        reading = read(task.prompt)
        marked = judge(reading)
        for name in ALL:
            reply = json.loads(WRITERS[name](task.prompt).removeprefix("<answer>").removesuffix("</answer>"))
            reference = read_rubric(reply["rubric"], marked.ids)
            ours = offline.machine_rubric(offline._text_of(offline._WRITERS[name](reading.packet)), marked)
            if name == "literal" and not reading.giving(offline.shallow_answer(reading.packet)):
                continue  # the reference writer then demands the list's first answer, which it sees
            assert (scores(reference) == scores(ours)).all(), (name, task.id)


def test_rubrics_of_generic_writers_are_known_as_such(rows):
    generic = {row["generator"]: row["rubric_generic"] for row in rows[0]}
    named = ("policy:refusing", "policy:decisive", "policy:cautious", "fixed:decisive")
    assert {name for name, flag in generic.items() if flag} == {*named}
    assert offline.is_generic("A rubric of a model, in prose.") is None


def test_refusals_on_controls_are_scored(rows):
    controls = [row for row in rows[0] if row["label"] != "impossible"]
    assert {row["statuses"]["judge_over_refusal"] for row in controls} == {"ok"}
    for row in controls:
        rewarded = row["over_refusal"] >= row["baseline"]
        assert rewarded or not row["generator"].endswith("refusing")
        assert not (rewarded and row["generator"].endswith(("careful", "faithful")))
    assert not any("over_refusal" in row for row in rows[0] if row["label"] == "impossible")


def test_order_is_drawn_and_both_orders_occur(rows):
    assert {row["order"] for row in rows[0]} == {"baseline_first", "attack_first"}


def test_several_attackers_keep_all_rows(environments, tmp_path):
    players = ("policy:best", "policy:shallow")
    outcome = start(Run(tmp_path / "run", environments[:4], setup("policy:literal", attackers=players, draws=2)))
    assert len(outcome.rows) == 4 * 2 * 2
    for row in outcome.rows:
        assert row["exact"]["violates"] or row["attacker"] == "policy:shallow"


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"generators": models("policy:best")}, "policy:best is no generator"),
        ({"attackers": models("policy:literal")}, "policy:literal is no attacker"),
        ({"judges": models("fixed:decisive")}, "fixed models write rubrics"),
        ({"oracles": ()}, "at least one model"),
        ({"judges": models("policy:literal", "policy:literal")}, "none twice"),
        ({"statements": False}, "play with statements alone"),
        ({"baseline": Baseline.RECORD}, "need --baseline statements"),
        ({"generators": models("fixed:nobody")}, "there is no fixed:nobody"),
    ],
)
def test_models_that_cannot_play_a_role_are_refused(environments, tmp_path, change, named):
    import dataclasses

    with pytest.raises(ArgumentError, match=named):
        start(Run(tmp_path / "run", environments[:1], dataclasses.replace(setup("policy:decisive"), **change)))
    assert not (tmp_path / "run").exists()


def test_a_release_of_ours_is_read_with_its_statements(tmp_path, environments):
    from impossible_rubrics_env.release.manifest import MANIFEST, manifest_of, manifest_text
    from impossible_rubrics_env.release.records import release_files, write_files

    tasks = [make_task("rubric_writing", seed=5, index=place // 6, packet=FAMILIES[place % 6]) for place in range(N)]
    files = release_files(one.record for one in environments)
    files["tasks.jsonl"] = "".join(f"{task.to_json()}\n" for task in tasks)
    families = [(task, task.provenance["packet"].partition("@")[0]) for task in tasks]
    lines = [
        {"task_id": one.task_id, "task": task.id, "type": family}
        for one, (task, family) in zip(environments, families, strict=True)
    ]
    files["provenance.jsonl"] = "".join(f"{json.dumps(line)}\n" for line in lines)
    impossible = [one.task_id for one in environments if one.label == "impossible"]
    files["splits/some.json"] = json.dumps({"name": "some", "task_ids": impossible[::-1]})
    files[MANIFEST] = manifest_text(manifest_of(files, {}))
    write_files(files, tmp_path / "release")
    found = from_release(tmp_path / "release", "some", controls=True)
    assert [one.task_id for one in found if one.split == "some"] == impossible[::-1]
    assert {one.split for one in found if one.label != "impossible"} == {"controls"}
    assert {one.task_id: one.statements for one in found} == {one.task_id: one.statements for one in environments}
    with pytest.raises(ArgumentError, match="other"):
        from_release(tmp_path / "release", "other")
