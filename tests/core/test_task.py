"""Task JSON: exact both ways, and malformed data ends in CertificateError, in bounded time, with a short message."""

import dataclasses
import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import impossible_rubrics_env as ire
from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.task import MAX_ROOM_DIGITS, MAX_SAFE_INTEGER, Label, Role, Task

FIXTURE = json.loads(Path(__file__).with_name("grading_cases.json").read_text(encoding="ascii"))["tasks"]["breakable64"]
TEXT = json.dumps(FIXTURE)
NO_ATTACK = '<answer>{"attack": "NO_ATTACK"}</answer>'
FIELDS = sorted(set(FIXTURE) - {"format"})
OTHER_TYPES = [None, True, 0, 1.5, "", "x", [], [1], {}, {"a": 1}, "9" * 5_000, [[[]]] * 3]


def _strict(text):
    def refuse(name):
        raise AssertionError(name)

    return json.loads(text, parse_constant=refuse)


def _refused(data):
    """The message of the refusal, wherever on the way to a grade or a check it comes; None where there is none."""
    try:
        task = Task.from_json(data)
        ire.grade(task, NO_ATTACK)
        ire.check(task)
    except CertificateError as error:
        return str(error)
    return None


@pytest.mark.parametrize("draw", [{}, {"mix": "balanced", "order": "shuffled"}, {"abstain": True, "penalty": "7/3"}])
def test_json_round_trips_exactly(draw):
    for task in ire.generate("certified_interval", n=30, seed=2, **draw):
        text = task.to_json()
        assert text.isascii()
        assert "\n" not in text
        assert "np." not in text
        again = Task.from_json(text)
        assert again == task
        assert again.to_json() == text
        assert Task.from_json(text.encode()) == Task.from_json(_strict(text)) == task
        assert ire.check(again) == ire.check(task)


def _integers(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [number for member in value for number in _integers(member)]
    return [value] if type(value) is int else []


def test_no_integer_in_the_json_is_beyond_what_a_double_carries():
    task = ire.make_task("certified_interval", seed=2**63 - 1)
    text = task.to_json()
    assert max(_integers(json.loads(text)), default=0) <= MAX_SAFE_INTEGER
    assert Task.from_json(text).to_json() == text
    assert Task.from_json(text).id == task.id
    grown = dataclasses.replace(task, provenance={"a": [2**53, 2**53 + 1, -(2**60)], "b": {"c": True}})
    assert json.loads(grown.to_json())["provenance"] == {"a": [2**53, str(2**53 + 1), str(-(2**60))], "b": {"c": True}}


def test_a_float_that_is_not_finite_is_never_written():
    task = dataclasses.replace(Task.from_json(FIXTURE), provenance={"x": float("nan")})
    with pytest.raises(ValueError, match="JSON"):
        task.to_json()


def test_a_task_does_not_show_its_truth():
    shown = repr(Task.from_json(FIXTURE))
    assert "witness" not in shown
    assert "accepted" not in shown


@pytest.mark.parametrize("field", [*FIELDS, "format"])
def test_a_missing_field_is_named(field):
    data = {name: value for name, value in FIXTURE.items() if name != field}
    with pytest.raises(CertificateError, match=field):
        Task.from_json(data)


def test_an_unknown_field_is_named():
    with pytest.raises(CertificateError, match=r"unknown fields.*reward"):
        Task.from_json({**FIXTURE, "reward": 1})


@pytest.mark.parametrize("field", FIELDS)
def test_a_field_of_another_type_is_refused_and_named(field):
    refused = 0
    for value in OTHER_TYPES:
        if type(value) is type(FIXTURE[field]) and field not in {"role", "label", "rung", "room"}:
            continue
        if field == "packet" and isinstance(value, dict):
            continue
        with pytest.raises(CertificateError, match=field) as caught:
            Task.from_json({**FIXTURE, field: value})
        assert len(str(caught.value)) < 400
        refused += 1
    assert refused > 5


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("role", value) for value in ("", "Attack", "ATTACK", "attacker", "x" * 10**6)),
        *(("label", value) for value in ("", "Breakable", "solvable", "unknown")),
        *(("rung", value) for value in ("", "Razor", "easy", 1)),
        *(
            ("room", value)
            for value in ("", "-1", "+1", " 1", "1.0", "1e3", "\u0663", "Unbounded", 5, "9" * (MAX_ROOM_DIGITS + 1))
        ),
        *(("format", value) for value in ("", None, "impossible-rubrics-task/2", ["impossible-rubrics-task/1"])),
    ],
)
def test_unknown_values_are_refused(field, value):
    with pytest.raises(CertificateError, match=field) as caught:
        Task.from_json({**FIXTURE, field: value})
    assert len(str(caught.value)) < 400


def test_only_attack_tasks_with_a_band_are_graded_here():
    for change in ({"role": str(role)} for role in Role if role is not Role.ATTACK):
        with pytest.raises(CertificateError, match="role"):
            ire.grade(Task.from_json({**FIXTURE, **change}), NO_ATTACK)
    for kind in (None, "", "Band", "two worlds", ["band"], "x" * 10**6):
        task = Task.from_json({**FIXTURE, "certificate": {**FIXTURE["certificate"], "kind": kind}})
        with pytest.raises(CertificateError, match="kind") as caught:
            ire.grade(task, NO_ATTACK)
        assert len(str(caught.value)) < 400


@pytest.mark.parametrize("label", [label for label in Label if label is not Label.BREAKABLE])
def test_a_label_that_is_not_proved_is_refused_by_check(label):
    task = ire.make_task("certified_interval", room=5)
    with pytest.raises(CertificateError, match=r"label|states"):
        ire.check(dataclasses.replace(task, label=label))


@pytest.mark.parametrize("cut", range(0, len(TEXT), 7))
def test_truncated_json_is_refused(cut):
    with pytest.raises(CertificateError):
        Task.from_json(TEXT[:cut])


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "null", "1", '"x"', "[]", "{}", "{", "nan", "NaN", "\ufeff" + TEXT, TEXT + TEXT, TEXT + "x"),
        *(b"", b"\xff\xfe", TEXT.encode("utf-16") + b"\x00", b"\x80" + TEXT.encode()),
        *("[" * 200_000, '{"a":' * 200_000, "9" * 10_000, '{"format": ' + "9" * 10_000 + "}"),
        TEXT.replace('"room": "', '"room": "0", "room": "'),
        TEXT.replace('"penalty": "1"', '"penalty": "1", "penalty": "2"'),
        TEXT.replace('"penalty": "1"', '"penalty": NaN'),
        TEXT.replace('"penalty": "1"', '"penalty": Infinity'),
        TEXT.replace('"provenance": {}', '"provenance": ' + "[" * 100_000),
    ],
    ids=lambda text: repr(text[:24]),
)
def test_odd_text_is_refused_in_time(text):
    start = time.process_time()
    with pytest.raises(CertificateError) as caught:
        Task.from_json(text)
    assert time.process_time() - start < 2
    assert len(str(caught.value)) < 1_200


@pytest.mark.parametrize("value", [None, 1, 1.5, True, [], object(), bytearray(TEXT.encode()), Path(), TEXT.split()])
def test_what_is_neither_text_nor_mapping_is_refused(value):
    with pytest.raises(CertificateError):
        Task.from_json(value)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=300)
@given(st.sampled_from(FIELDS), json_values)
def test_any_value_in_any_field_is_a_certificate_error_or_a_task(field, value):
    if field in {"id", "pair_id", "family", "generator_version", "prompt", "packet", "answers", "provenance"}:
        return  # free text, or nothing that grading reads
    assert _refused({**FIXTURE, field: value}) is not None


@settings(max_examples=300)
@given(st.text(max_size=40) | st.binary(max_size=40) | json_values)
def test_anything_else_is_a_certificate_error(value):
    with pytest.raises(CertificateError):
        Task.from_json(value)


@settings(max_examples=300)
@given(st.data())
def test_text_with_one_damaged_place_never_crashes(data):
    """Whatever a flipped, dropped or added character makes of a task: a refusal, or a task that grades."""
    place = data.draw(st.integers(0, len(TEXT) - 1))
    damage = data.draw(st.sampled_from(["", "0", "9", '"', "{", "]", ",", "\\", "e", "-", "\u0663", "\x00"]))
    keep = data.draw(st.booleans())
    try:
        task = Task.from_json(TEXT[:place] + damage + TEXT[place + (0 if keep else 1) :])
        ire.grade(task, NO_ATTACK)
        ire.check(task)
    except CertificateError:
        return
    pytest.fail("the fixture names a record that is in no ledger, so check refuses it in any case")
