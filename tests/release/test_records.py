"""Records are read from any of the published containers, keep all that they have, and are written as they were."""

import copy
import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.release.errors import RecordsError, ReleaseError
from impossible_rubrics_env.release.records import (
    Kind,
    Record,
    combined_exports,
    files_at,
    load_records,
    read_records,
    release_files,
    write_files,
)
from impossible_rubrics_env.release.strict_json import MAX_DEPTH, parse

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
NUMBER = st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBER | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=20,
)


def records_of(*data):
    return [Record(Kind.CONTROL if "ground_truth" in one else Kind.IMPOSSIBLE, one, "made") for one in data]


def a_release(path, environment, control):
    write_files(release_files(records_of(environment, control)), path)
    return path


@pytest.mark.parametrize("name", [None, "environments_all.json", "environments_all.jsonl"])
def test_a_release_and_its_combined_exports_give_the_same_records(tmp_path, environment, control, name):
    path = a_release(tmp_path / "release", environment, control)
    found = read_records(path / name if name else path)
    kinds = [record.kind for record in found]
    assert kinds == [Kind.IMPOSSIBLE, Kind.CONTROL]
    for record, data in zip(found, (environment, control), strict=True):
        kept = {field: record.data[field] for field in data}
        assert kept == data
        assert record.data.keys() - data.keys() <= {"env_type"}


def test_a_folder_of_exports_alone_is_read(tmp_path, environment, control):
    path = a_release(tmp_path / "release", environment, control)
    exports = tmp_path / "exports"
    exports.mkdir()
    for name in ("environments.json", "controls.jsonl"):
        (exports / name).write_bytes((path / name).read_bytes())
    assert [record.data for record in read_records(exports)] == [environment, control]


@pytest.mark.parametrize("container", ["array", "results", "lines", "blank lines", "one"])
def test_every_published_container_is_read(tmp_path, environment, container):
    other = {**environment, "task_id": "another"}
    text = {
        "array": json.dumps([environment, other]),
        "results": json.dumps({"results": [environment, other]}),
        "lines": json.dumps(environment) + "\n" + json.dumps(other),
        "blank lines": "\n\n" + json.dumps(environment) + "\r\n\n" + json.dumps(other) + "\n\n",
        "one": json.dumps(environment, indent=2),
    }[container]
    path = tmp_path / "rows.json"
    path.write_text(text, encoding="utf-8")
    wanted = [environment] if container == "one" else [environment, other]
    assert [record.data for record in read_records(path)] == wanted


@given(data=st.dictionaries(TEXT, JSON, max_size=6))
def test_what_is_read_is_written_again_to_the_byte(data):
    (record,) = records_of(data)
    text = json.dumps(record.data, indent=2, ensure_ascii=False)
    again = parse(text)
    assert again == data
    assert json.dumps(again, indent=2, ensure_ascii=False) == text


def test_a_file_is_the_same_after_reading_and_writing_it(tmp_path, environment, control):
    first = a_release(tmp_path / "first", environment, control)
    write_files(release_files(read_records(first)), tmp_path / "second")
    for name in release_files(records_of(environment, control)):
        assert (tmp_path / "second" / name).read_bytes() == (first / name).read_bytes()


def test_exports_are_sorted_tagged_and_shaped_as_published(environment, control):
    late = {**environment, "task_id": "a_first_id", "impossibility_type": "objective_conflict"}
    tagged = {**control, "task_id": "ctrl_0", "env_type": "answerable_control"}
    files = combined_exports(records_of(control, late, environment, tagged))
    both = json.loads(files["environments_all.json"])
    assert [one["task_id"] for one in both] == ["lamp_made_up_07", "a_first_id", "ctrl_0", "ctrl_made_up_01"]
    assert [one["env_type"] for one in both] == ["impossible", "impossible", "answerable_control", "answerable_control"]
    assert "env_type" not in json.loads(files["environments.json"])[0]
    assert not files["environments.json"].endswith("\n")
    assert "Grådyb" in files["environments.jsonl"]
    assert files["controls.jsonl"].count("\n") == 2


def test_exports_do_not_depend_on_the_order_of_the_records(environment, control):
    others = [{**environment, "task_id": f"made_{place}"} for place in range(5)]
    listed = records_of(environment, control, *others)
    assert release_files(listed) == release_files(listed[::-1])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        ("{", "not JSON"),
        ('{"a": 1, "a": 2}', "occurs twice"),
        ('{"a": NaN}', "NaN"),
        ('{"a": 1e999}', "too large"),
        ('{"a": "\\ud800"}', "surrogate"),
        ("[" * 5_000 + "]" * 5_000, "nested"),
        ("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), "nested"),
        ("[3]", "must be an object"),
        ("9" * 5_000, "digits"),
    ],
)
def test_a_file_that_is_no_record_is_refused_by_name(tmp_path, text, said):
    path = tmp_path / "broken.json"
    path.write_text(text)
    with pytest.raises(RecordsError, match=said) as caught:
        read_records(path)
    assert "broken.json" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_one_broken_file_of_a_release_is_named_and_the_others_are_read(tmp_path, environment, control):
    path = a_release(tmp_path / "release", environment, control)
    (path / "data/broken.json").write_bytes(b"\xff{}")
    os.mkfifo(path / "data/pipe.json")
    loaded = load_records(path)
    assert len(loaded.records) == 2
    assert [(one.source, one.message) for one in loaded.problems] == [
        ("data/broken.json", "not UTF-8 at byte 0"),
        ("data/pipe.json", "not a file"),
    ]


def test_a_broken_line_is_named(tmp_path, environment):
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(environment) + "\n{\n")
    with pytest.raises(RecordsError, match=r"rows.jsonl line 2: not JSON"):
        read_records(path)


@pytest.mark.parametrize("name", ["nothing", "empty"])
def test_a_path_without_records_is_refused(tmp_path, name):
    (tmp_path / "empty/data").mkdir(parents=True)
    with pytest.raises(ArgumentError, match=r"no such file|no records"):
        read_records(tmp_path / name)


@pytest.mark.parametrize("name", ["../escape", "a/b", "", ".hidden", "con\n", "x" * 201])
def test_an_id_that_cannot_name_a_file_is_not_written(environment, name):
    with pytest.raises(ReleaseError, match="name of a file"):
        release_files(records_of({**environment, "task_id": name}))


def test_ids_that_differ_in_case_alone_are_one_file(environment, control):
    with pytest.raises(ReleaseError, match="occurs twice"):
        release_files(records_of(environment, {**control, "task_id": environment["task_id"].upper()}))


def test_a_folder_that_holds_something_is_left_alone(tmp_path, environment, control):
    path = a_release(tmp_path / "release", environment, control)
    before = sorted(path.rglob("*"))
    with pytest.raises(ReleaseError, match="not an empty"):
        a_release(path, environment, control)
    assert sorted(path.rglob("*")) == before
    assert [one.name for one in tmp_path.iterdir()] == ["release"]


def test_the_files_that_hold_records_are_listed(tmp_path, environment, control):
    path = a_release(tmp_path / "release", environment, control)
    assert {one.relative_to(path).as_posix() for one in files_at(path)} == release_files(
        records_of(environment, control)
    ).keys()


def test_reading_does_not_change_what_it_is_given(environment, control):
    before = copy.deepcopy((environment, control))
    release_files(records_of(environment, control))
    assert (environment, control) == before
