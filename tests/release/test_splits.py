"""Splits: three containers, and every rule of the published scorer."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.release import splits
from impossible_rubrics_env.release.splits import Split, read_split, split_text

GOOD = {"name": "two", "count": 2, "description": "a pair", "task_ids": ["b", "a"]}


@pytest.fixture
def read(tmp_path):

    def call(content, **options):
        path = tmp_path / "hard.txt"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_split(path, **options)

    return call


def test_a_manifest_keeps_its_order_and_its_words(read):
    assert read(json.dumps(GOOD)) == Split("two", ("b", "a"), "a pair")


def test_what_is_written_is_read_and_is_the_same_bytes(read):
    split = Split("zwölf", ("é", "a"), "words")
    assert read(split_text(split)) == split
    assert split_text(read(split_text(split))) == split_text(split)
    assert json.loads(split_text(split)) == {**split.manifest(), "count": 2}


@pytest.mark.parametrize(
    "content", ['["b", "a"]', "b\na\n", "b\r\n\r\n  a  ", "\n\nb\n\na", b"\xef\xbb\xbfb\na\n", '\n ["b",\n"a"]\n']
)
def test_a_plain_list_is_named_after_its_file(read, content):
    assert read(content) == Split("hard", ("b", "a"))


def test_lines_end_at_line_feeds_alone(read):
    assert read("a\u2028b\nc").task_ids == ("a\u2028b", "c")


def test_the_count_is_not_compared_as_in_the_published_scorer(read):
    assert read(json.dumps({**GOOD, "count": 7})).task_ids == ("b", "a")


def test_a_name_is_not_needed_where_the_caller_says_so(read):
    nameless = json.dumps({"task_ids": ["a"]})
    assert read(nameless, need_name=False) == Split("hard", ("a",))
    with pytest.raises(ArgumentError, match="name=null"):
        read(nameless)
    with pytest.raises(ArgumentError, match='name=" "'):
        read(json.dumps({"name": " ", "task_ids": ["a"]}), need_name=False)


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("3", "not 3"),
        ("null", "not null"),
        ('"a"', 'not "a"'),
        ("true", "not true"),
        ("{", "broken JSON"),
        ('["a"', "broken JSON"),
        ('["a"] []', "broken JSON"),
        ("[]", "0 task ids"),
        ('{"task_ids": ["a"]}', "name=null"),
        ('{"name": 3, "task_ids": ["a"]}', "name=3"),
        ('{"name": "  ", "task_ids": ["a"]}', 'name="  "'),
        ('{"name": "n"}', "task_ids is missing"),
        ('{"name": "n", "task_ids": "a"}', 'task_ids="a"'),
        ('{"name": "n", "task_ids": null}', "task_ids=null"),
        ('{"name": "n", "task_ids": {"a": 1}}', "task_ids=an object of 1"),
        ('{"name": "n", "task_ids": []}', "0 task ids"),
        ('{"name": "n", "task_ids": ["a", 3]}', "task id 2 is 3"),
        ('{"name": "n", "task_ids": ["a", null]}', "task id 2 is null"),
        ('{"name": "n", "task_ids": [" "]}', 'task id 1 is " "'),
        ('["a", "b", "a"]', 'task ids 1 and 3 are both "a"'),
        ("a\nb\na\n", 'task ids 1 and 3 are both "a"'),
        ('{"name": "n", "name": "m", "task_ids": ["a"]}', 'the name "name" stands twice'),
        ('{"name": "n", "task_ids": ["a"], "extra": {"b": [{"c": 1, "c": 2}]}}', 'the name "c" stands twice'),
        ('{"name": "n", "task_ids": ["a"], "extra": NaN}', "NaN is not a number"),
        (b"\xff\xfe", "not UTF-8 at byte 0"),
        ("[" * 100_000, "broken JSON"),
        (json.dumps(["a" * 1_001]), "longer than 1000 characters"),
    ],
)
def test_a_refusal_names_the_file_and_the_value(read, content, named):
    with pytest.raises(ArgumentError) as caught:
        read(content)
    assert "hard.txt: " in str(caught.value)
    assert named in str(caught.value)
    assert "\n" not in str(caught.value)


def test_sizes_are_bounded(read, monkeypatch):
    monkeypatch.setattr(splits, "MAX_SPLIT_BYTES", 10)
    with pytest.raises(ArgumentError, match="longer than 10 bytes"):
        read("a\n" * 6)
    monkeypatch.setattr(splits, "MAX_IDS", 2)
    with pytest.raises(ArgumentError, match="3 task ids; a split has 1 to 2"):
        read("a\nb\nc")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["name", "task_ids", "x"]) | st.text(), inner),
)


@given(st.binary() | st.text().map(str.encode) | json_values.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_are_a_split_or_refused(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "any.split"
    path.write_bytes(content)
    try:
        split = read_split(path)
    except ArgumentError as error:
        split, refused = None, str(error)
    if split is None:
        assert refused.isascii()
    else:
        assert split.task_ids
        assert all(name.strip() for name in split.task_ids)
        assert len(set(split.task_ids)) == len(split.task_ids)
