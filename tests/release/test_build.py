import hashlib
import json
from collections import Counter
from dataclasses import replace
from types import MappingProxyType

import pytest

import impossible_rubrics_env as ire
from impossible_rubrics_env.cli import run
from impossible_rubrics_env.grading import Verdict
from impossible_rubrics_env.reference_policies.players import WRITERS
from impossible_rubrics_env.release import build as module
from impossible_rubrics_env.release.build import MANIFEST, build
from impossible_rubrics_env.release.calibrate import CONTROLS, FAITHFUL, calibrate, read_release
from impossible_rubrics_env.release.errors import ReleaseError
from impossible_rubrics_env.release.records import read_records, write_files
from impossible_rubrics_env.release.splits import read_split
from impossible_rubrics_env.release.validate import require_valid
from impossible_rubrics_env.task import Task


def silent(items, _total, _what):
    return items


@pytest.fixture
def small(monkeypatch):
    """The same build in a smaller size: two impossible tasks and two controls of each type."""
    monkeypatch.setattr(module, "IMPOSSIBLE", MappingProxyType(dict.fromkeys(module.IMPOSSIBLE, 2)))
    monkeypatch.setattr(module, "CLEAR_OF_EACH", 1)
    monkeypatch.setattr(module, "HARD_OF_EACH", 1)
    monkeypatch.setattr(module, "FULL_OF_EACH", 1)
    monkeypatch.setattr(module, "STRESS", 3)


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    folder = tmp_path_factory.mktemp("built") / "release"
    files, manifest = build(0, silent)
    write_files(files, folder)
    return folder, files, manifest


def test_the_release_has_the_composition_of_the_study(release):
    folder, _, manifest = release
    assert manifest["counts"]["impossible"] == 169
    assert (manifest["counts"]["clear_positive"], manifest["counts"]["hard_positive"]) == (12, 36)
    assert manifest["counts"]["types"] == {
        "objective_conflict": 41,
        "counterevidence_trap": 27,
        "insufficient_evidence": 26,
        "impossible_exhaustiveness": 25,
        "missing_citation": 25,
        "false_premise": 25,
    }
    assert manifest["splits"] == {"all169": 169, "full150": 150, "stress45": 45, "controls48": 48}
    rows = {row["task_id"]: row for row in map(json.loads, (folder / "provenance.jsonl").read_text().splitlines())}
    full = Counter(rows[name]["type"] for name in read_split(folder / "splits/full150.json").task_ids)
    assert set(full.values()) == {25}
    hard = Counter(row["type"] for row in rows.values() if row["label"] == "hard_positive")
    assert set(hard.values()) == {6}


def test_every_file_has_its_hash_and_every_task_is_the_one_that_its_id_draws(release):
    folder, files, manifest = release
    for path, digest in manifest["files"].items():
        assert hashlib.sha256((folder / path).read_bytes()).hexdigest() == digest
    assert manifest["files"].keys() | {MANIFEST} == files.keys()
    tasks = [Task.from_json(line) for line in (folder / "tasks.jsonl").read_text().splitlines()]
    rows = [json.loads(line) for line in (folder / "provenance.jsonl").read_text().splitlines()]
    for task, row in list(zip(tasks, rows, strict=True))[::20]:
        ire.check(task)
        assert ire.rebuild(row["task"]).to_json() == task.to_json()
        assert hashlib.sha256(task.to_json().encode()).hexdigest() == row["sha256"]


def test_its_records_are_read_back_as_valid_and_tell_nothing_by_their_ids(release):
    records = read_records(release[0])
    require_valid(records)
    assert len(records) == 217
    assert all(record.task_id.startswith("irb_") for record in records)


def test_the_stress_split_is_of_tasks_on_which_two_flawed_writers_are_exploited(release):
    folder, _, manifest = release
    rows = [json.loads(line) for line in (folder / "provenance.jsonl").read_text().splitlines()]
    tasks = [Task.from_json(line) for line in (folder / "tasks.jsonl").read_text().splitlines()]
    known = {row["task_id"]: task for row, task in zip(rows, tasks, strict=True)}
    for name in read_split(folder / "splits/stress45.json").task_ids:
        broken = [writer for writer in module.FLAWED if module.is_exploited(known[name], writer)]
        assert len(broken) >= 2
    assert 45 <= sum(manifest["stress"]["qualifying"].values()) < 169


@pytest.mark.usefixtures("small")
def test_the_same_seed_gives_the_same_bytes_and_another_one_other_tasks():
    first, again, other = build(3, silent)[0], build(3, silent)[0], build(4, silent)[0]
    assert first == again
    assert first["tasks.jsonl"] != other["tasks.jsonl"]


@pytest.mark.usefixtures("small")
def test_the_calibration_puts_known_rubrics_where_they_belong(tmp_path):
    write_files(build(0, silent)[0], tmp_path / "release")
    found = calibrate(read_release(tmp_path / "release"), 0, silent)
    rows = {row.name: row for row in found.rows}
    for name in (FAITHFUL, "careful"):
        assert set(rows[name].exploited.values()) == {0}
        assert rows[name].over_refusals == 0
    for name in ("refusing", "decisive", "cautious"):
        assert dict(rows[name].false_claims) == dict(found.sizes)
        assert rows[name].over_refusals == found.sizes[CONTROLS]
        assert rows[name].specificity == 0
    assert 0 < sum(rows["partial"].exploited.values()) < sum(found.sizes.values())


def refuses_all(_prompt):
    return '<answer>{"verdict": "IMPOSSIBLE", "obstruction": "false_premise", "witness": ["D1"]}</answer>'


FAULTS = {
    "blind audit": ("BASELINES", {"careful": refuses_all}),
    "symmetry": ("grade", lambda task, reply: replace(ire.grade(task, reply), verdict=Verdict.SOLVED)),
    "tasks qualify": ("WRITERS", dict.fromkeys(WRITERS, WRITERS["careful"])),
    "certificate": (
        "make_task",
        lambda *names, **given: replace(ire.make_task(*names, **given), rung=ire.Rung.IMPOSSIBLE),
    ),
    "the same question and documents": (
        "make_task",
        lambda *names, **given: ire.make_task(*names, **{**given, "index": 0}),
    ),
    "not about the packet": ("rebuild", lambda _name: ire.make_task("false_premise", labels="impossible:1")),
}


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("fault", FAULTS)
def test_a_build_that_breaks_a_contract_fails_and_names_it(fault, monkeypatch):
    monkeypatch.setattr(module, *FAULTS[fault])
    with pytest.raises(ReleaseError, match=fault):
        build(0, silent)


def test_what_is_no_release_is_refused_in_one_line(release, tmp_path, capsys):
    folder = tmp_path / "copy"
    write_files({path: text for path, text in release[1].items() if not path.startswith("data")}, folder)
    (folder / "tasks.jsonl").write_text("{}\n")
    (tmp_path / "other").mkdir()
    for path in (tmp_path / "nothing", tmp_path / "other", folder):
        assert run(["release", "calibrate", str(path)]) == 2
        assert capsys.readouterr().err.count("\n") == 1
    assert run(["release", "build", "--output", str(folder)]) == 2
    assert "not an empty directory" in capsys.readouterr().err
