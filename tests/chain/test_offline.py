"""The chain without a network: what it comes to is what the walk over all answers proves."""

import asyncio
import json
from collections import Counter
from dataclasses import replace

import pytest
from setting import PRICES

import impossible_rubrics_env
from impossible_rubrics_env.chain import offline
from impossible_rubrics_env.chain.calls import Model, Reply, Stop
from impossible_rubrics_env.chain.environments import Environment, Sample, drawn, from_records, from_release
from impossible_rubrics_env.chain.players import check
from impossible_rubrics_env.chain.problems import CallError
from impossible_rubrics_env.chain.results import read_results
from impossible_rubrics_env.chain.roles import sections
from impossible_rubrics_env.chain.run import Run, _rows, dry_run, mixed, start
from impossible_rubrics_env.chain.stages import Baseline, Setup, Stages
from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.reference_policies.rubric_writers import WRITERS
from impossible_rubrics_env.reference_policies.statement_judging import judge
from impossible_rubrics_env.reference_policies.statement_reading import read
from impossible_rubrics_env.release.manifest import MANIFEST, manifest_of, manifest_text
from impossible_rubrics_env.release.records import Kind, release_files, write_files
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


def criterion(**fields):
    return json.dumps({"criteria": [{"text": "a", "points": 1, **fields}]})


@pytest.mark.parametrize(
    "held",
    [
        "[" * 3000,
        "[" * 60 + "]" * 60,
        "null",
        "{}",
        '{"criteria": []}',
        '{"criteria": [1]}',
        '{"criteria": [{"points": 1, "if": {"some": ["answer"]}}]}',
        '{"criteria": [{"text": "a", "points": NaN, "if": {"some": ["answer"]}}]}',
        '{"criteria": [{"text": "a", "points": 1' + "0" * 5000 + ', "if": {"some": ["answer"]}}]}',
        criterion(),
        criterion(each=5),
        criterion(**{"if": [1]}),
        criterion(**{"if": {"some": "answer"}}),
        criterion(**{"if": {"some": [["x"]]}}),
        criterion(**{"if": {"some": ["answer"]}, "each": ["answer"]}),
        '{"criteria": [' + ", ".join(['{"text": "a", "points": 1, "if": {"some": ["answer"]}}'] * 41) + "]}",
    ],
)
def test_whatever_stands_in_a_machine_part_is_read_or_refused(environments, held):
    rubric = f"A rubric.\n{offline.MACHINE}{held}"
    assert offline.is_generic(rubric) is None
    with pytest.raises(ValueError, match=r"machine part|nested|no |limit"):
        offline.machine_rubric(rubric, environments[0].statements.marked)


@pytest.mark.parametrize("value", [[1, "a"], [{}, []], {"x": 1}, None, True])
def test_an_answer_of_any_type_is_compared(environments, value):
    rubric = offline.MACHINE + criterion(**{"if": {"some": [{"answer": value}, {"answer_not": value}]}})
    assert offline.is_generic(rubric) is False
    for one in environments:
        offline.machine_rubric(rubric, one.statements.marked)


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
        ({"attacks": 2}, r"--attacks 2: policy:best \(attacker\) would attack alike each time"),
        ({"judges": models("fixed:decisive")}, "fixed models write rubrics"),
        ({"oracles": ()}, "at least one model"),
        ({"judges": models("policy:literal", "policy:literal")}, "none twice"),
        ({"statements": False}, r"policy:best \(attacker\) needs the list of statements: give --statements$"),
        (
            {"statements": False, "attackers": models("policy:best", "policy:shallow")},
            r"policy:shallow \(attacker\) need the list of statements: give --statements$",
        ),
        ({"baseline": Baseline.RECORD}, r"policy:literal \(judge\) .*: give --baseline statements$"),
        (
            {"baseline": Baseline.RECORD, "judges": models("openai:j"), "audit": True},
            r"policy:exact \(oracle\) .*: give --baseline statements or leave out --audit$",
        ),
        ({"generators": models("fixed:nobody")}, "fixed:nobody is no generator; there are fixed:certificate-faithful"),
        (
            {"generators": models("policy:careful", "openai:g")},
            r"policy:best \(attacker\), policy:literal \(judge\), policy:exact \(oracle\) cannot read the prose of "
            "openai:g: give --attacker, --judge and --oracle anthropic:NAME or openai:NAME$",
        ),
        (
            {"generators": models("openai:g"), "attackers": models("openai:a"), "judges": models("openai:j")},
            r"^policy:exact \(oracle\) cannot read the prose of openai:g, openai:a: give --oracle anthropic:NAME",
        ),
    ],
)
def test_models_that_cannot_play_are_refused_with_what_to_give(environments, tmp_path, change, named):
    run = Run(tmp_path / "run", environments[:1], replace(setup("policy:decisive"), **change), prices=PRICES)
    for go in (start, dry_run):
        with pytest.raises(ArgumentError, match=named):
            go(run)
    assert not (tmp_path / "run").exists()


KINDS = ("policy", "fixed", "model")
PLAYERS = {"policy": ("policy:decisive", "policy:best", "policy:literal", "policy:exact"), "model": ("openai:m",) * 4}


class Played:
    """Policies as they are, and models that do what their prompts ask for, in prose of their own."""

    def __init__(self, one):
        self.functions = {"policy": offline.policies(), "fixed": offline.fixed(lambda _key: one)}

    async def call(self, key, request):
        try:
            text = self.text(key, request)
        except ValueError as error:
            raise CallError(str(error)) from None
        return Reply(text, Stop.END, "m", 0, 0, 0.0, 0)

    def text(self, key, request):
        provider = str(request.model.provider)
        if provider in self.functions:
            return self.functions[provider][request.model.name](key if provider == "fixed" else request.prompt)
        parts = {name for name, _ in sections(request.prompt)}
        if "first answer" in parts:
            return '{"first": 1, "second": 2}'
        if "answer" in parts:
            return '{"violates": true}'
        return 'In words of its own.\n<statements>["S1"]</statements>' if "statements" in parts else "In its own words."


@pytest.mark.parametrize("statements", [True, False])
@pytest.mark.parametrize("oracle", ["policy", "model"])
@pytest.mark.parametrize("judge_kind", ["policy", "model"])
@pytest.mark.parametrize("attacker", ["policy", "model"])
@pytest.mark.parametrize("generator", KINDS)
def test_players_are_refused_just_where_a_call_could_not_be_answered(
    environments, generator, attacker, judge_kind, oracle, statements
):
    names = [PLAYERS[kind][place] for place, kind in enumerate(("policy", attacker, judge_kind, oracle))]
    names[0] = "fixed:decisive" if generator == "fixed" else PLAYERS[generator][0]
    baseline = Baseline.STATEMENTS if judge_kind == "policy" else Baseline.RECORD
    held = Setup(*(models(name) for name in names), statements=statements, baseline=baseline)
    [row] = asyncio.run(Stages(Played(environments[0]), held).rows(environments[0], 0, held.generators[0]))
    plays = set(row["statuses"].values()) == {"ok"}
    told = (generator != "model" and (attacker, statements) == ("policy", True)) or (
        attacker == judge_kind == oracle == "model"
    )
    assert plays == told
    for only in (environments[:1], [replace(environments[0], statements=None)]):
        imported = only[0].statements is None
        allowed = told and not (imported and (statements or {"policy"} & {generator, attacker, judge_kind, oracle}))
        if allowed:
            check(only, held)
        else:
            with pytest.raises(ArgumentError, match=r": (give|leave out) --"):
                check(only, held)


@pytest.fixture
def release(tmp_path, environments):
    """A release of ours of a dozen tasks, with a split of the impossible ones."""
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
    seal(tmp_path / "release")
    return tmp_path / "release"


def seal(folder):
    """Write the manifest of the files as they are."""
    paths = [path for path in folder.rglob("*") if path.is_file() and path.name != MANIFEST]
    files = {str(path.relative_to(folder)): path.read_text() for path in paths}
    (folder / MANIFEST).write_text(manifest_text(manifest_of(files, {})))


def test_a_release_of_ours_is_read_with_its_statements(release, environments):
    impossible = [one.task_id for one in environments if one.label == "impossible"]
    found = from_release(release, "some", controls=True)
    assert [one.task_id for one in found if one.split == "some"] == impossible[::-1]
    assert {one.split for one in found if one.label != "impossible"} == {"controls"}
    assert {one.task_id: one.statements for one in found} == {one.task_id: one.statements for one in environments}
    everything = {"name": "everything", "task_ids": [one.task_id for one in environments]}
    (release / "splits" / "all.json").write_text(json.dumps(everything))
    seal(release)
    found = from_release(release, "some", controls=True)
    memberships = {one.splits for one in found if one.label == "impossible"}
    assert memberships == {("some", "everything")}
    assert {one.splits for one in found if one.label != "impossible"} == {("controls", "everything")}
    assert [Environment.from_dict(one.as_dict()).splits for one in found] == [one.splits for one in found]
    imported = from_records(release, None)
    assert {one.splits for one in imported} == {("all", "everything", "some")}
    with pytest.raises(ArgumentError, match="other"):
        from_release(release, "other")


@pytest.mark.parametrize("seed", range(3))
def test_a_sample_of_a_release_has_types_evenly_and_as_many_controls(release, seed):
    by_id = {one.task_id: one for one in from_release(release, "some", controls=True)}
    whole = [one for one in by_id.values() if one.split == "some"]
    size = len(whole) - 2
    found = from_release(release, "some", controls=True, sample=Sample(size, seed))
    chosen = [one for one in found if one.split == "some"]
    assert len(chosen) == size
    assert [one for one in whole if one in chosen] == chosen
    assert sum(one.split == "controls" for one in found) == size
    taken, had = (Counter(one.type for one in held) for held in (chosen, whole))
    most = max(taken.values())
    assert all(taken[name] >= min(had[name], most - 1) for name in had)
    assert found == from_release(release, "some", controls=True, sample=Sample(size, seed))
    with pytest.raises(ArgumentError, match=f"n={len(whole) + 1} is more than the split some has: {len(whole)} "):
        from_release(release, "some", sample=Sample(len(whole) + 1, seed))


def test_samples_of_other_seeds_are_others(release):
    drawn_by = {
        tuple(one.task_id for one in from_release(release, "some", sample=Sample(1, seed))) for seed in range(9)
    }
    assert len(drawn_by) > 1


@pytest.mark.parametrize(
    ("name", "line", "named"),
    [
        ("provenance.jsonl", "x", r"provenance\.jsonl: line 13: not JSON"),
        ("provenance.jsonl", "[]", r"line 13: no object with the texts task_id, task, type"),
        ("provenance.jsonl", '{"task_id": 1}', r"line 13: no object with the texts"),
        ("provenance.jsonl", '{"task_id": "a", "task": "b", "type": "c"}', r"type='c' is none of"),
        ("tasks.jsonl", "[]", r"tasks\.jsonl: line 13: no object"),
        ("tasks.jsonl", "{}", r"line 13: not a task of format"),
    ],
)
def test_broken_files_of_a_release_are_named_with_the_line(release, name, line, named):
    file = release / name
    file.write_text(f"{file.read_text()}{line}\n")
    seal(release)
    with pytest.raises(ArgumentError, match=named):
        from_release(release, "some")
    file.unlink()
    with pytest.raises(ArgumentError, match=f"is no folder that `release build` wrote: it has no file {name}"):
        from_release(release, "some")


# The order of work


def test_every_start_of_the_work_is_like_the_whole(environments):
    clear = [replace(one, type="clear", record=replace(one.record, kind=Kind.CONTROL)) for one in environments[:4]]
    held = [*(replace(environments[0], type=kind) for kind in "aaaaaaaabbbb"), *clear]
    order = mixed(held)
    assert sorted(order) == list(range(len(held)))
    for end in range(1, len(held) + 1):
        counts = Counter(held[place].type for place in order[:end])
        for name, whole in (("a", 8), ("b", 4), ("clear", 4)):
            assert abs(counts[name] * len(held) - whole * end) <= len(held)


def test_groups_of_one_size_do_not_come_one_after_the_other(environments):
    kinds = [(kind, name) for kind in "abcdef" for name in ("impossible", "clear")] * 6
    held = [
        replace(
            environments[0], type=f"{kind} {name}", record=replace(environments[0].record, data={"task_id": f"t{n}"})
        )
        for n, (kind, name) in enumerate(kinds)
    ]
    sides = [held[place].type.endswith("clear") for place in mixed(held)]
    assert all(2 <= sum(sides[start : start + 12]) <= 10 for start in range(60))
    assert 0 < sum(sides[:6]) < 6


def test_arms_are_worked_on_side_by_side_and_rows_keep_their_order(environments):
    asked = []

    class Listed(Played):
        async def call(self, key, request):
            asked.append(key)
            return await super().call(key, request)

    held = setup("policy:careful", "policy:decisive", draws=2)
    rows = asyncio.run(_rows(Stages(Listed(environments[0]), held), environments))
    written = [key.split("/") for key in asked if key.endswith("/generator")]
    arms = len(environments) * 2
    assert [draw for _, draw, _, _ in written] == ["draw0"] * arms + ["draw1"] * arms
    for first, second in zip(written[::2], written[1::2], strict=True):
        assert first[:2] == second[:2]
        assert [first[2], second[2]] == ["policy:careful", "policy:decisive"]
    assert [(row["draw"], row["generator"], row["task_id"]) for row in rows] == [
        (draw, str(generator), one.task_id)
        for draw in range(2)
        for generator in held.generators
        for one in environments
    ]
