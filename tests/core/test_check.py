"""Proof tampering: whatever single part of a task is made false, `grade` or `check` refuses it and names the part."""

import copy
import dataclasses
import json
from fractions import Fraction
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import impossible_rubrics_env as ire
from impossible_rubrics_env.certificates.checkers import band
from impossible_rubrics_env.certificates.ledger import load_ledger
from impossible_rubrics_env.doubles import from_ordinal, ordinals_in
from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.task import Task

NO_ATTACK = '<answer>{"attack": "NO_ATTACK"}</answer>'
RATIONALS = ("lo", "hi")
RANGES = ("accepted", "certified")
NOT_A_RATIONAL = [
    *(
        "",
        "x",
        "+5",
        "05",
        "-0",
        " 1",
        "1 ",
        "1/",
        "/2",
        "2/4",
        "1/0",
        "1/-2",
        "5/1",
        "1.5",
        "1e3",
        "1_0",
        "--1",
        "nan",
    ),
    *(
        "\u0663",
        "\uff15",
        "\u22125",
        "9" * 641,
        "9" * 10**6,
        "1/" + "9" * 10**6,
        5,
        1.5,
        None,
        True,
        [],
        ["1"],
        {"p": "1"},
    ),
]
NOT_AN_ORDINAL = [
    *("", "x", "--1", "1.0", "1e3", " 1", "1_0", "\u0663", "9" * 21, "9" * 10**6, "9" * 20, "-" + "9" * 19),
    *(5, 1.5, None, True, [], ["1"]),
]


@cache
def samples():
    """One task of every grader shape and rung, from the ledger and parametric, each as JSON text."""
    chosen = {}
    for draw in (
        {"seed": 7},
        {"seed": 8, "source": "parametric"},
        {"seed": 9, "source": "ledger"},
        {"shape": "certificate"},
    ):
        for task in ire.generate("certified_interval", n=150 if len(chosen) < 30 else 20, **draw):
            embedded = "record_data" in task.certificate["proof"]
            grader = task.question["grader"]
            chosen.setdefault((grader["shape"], grader.get("mode"), task.rung, embedded), task.to_json())
    return chosen


NAMES = [
    (shape, rung)
    for shape in ("absolute", "relative", "rounding", "certificate")
    for rung in ("impossible", "razor", "narrow", "wide")
    if shape != "certificate" or rung == "impossible"
]


def of(shape, rung):
    found = [json.loads(text) for key, text in samples().items() if (key[0], key[2]) == (shape, rung)]
    assert found, f"the sample has no {shape} task of rung {rung}"
    return found


def proof_of(data):
    return data["certificate"]["proof"]


def refusal(data, *, by_grade):
    """The message of the refusal. It must come from the first grade where the band proof itself is at fault."""
    task = Task.from_json(data)
    if by_grade:
        with pytest.raises(CertificateError) as graded:
            ire.grade(task, NO_ATTACK)
        assert len(str(graded.value)) < 1_000
    with pytest.raises(CertificateError) as checked:
        ire.check(task)
    assert len(str(checked.value)) < 1_000
    return str(graded.value if by_grade else checked.value)


def changed(data, path, value):
    result = copy.deepcopy(data)
    inner = result
    for name in path[:-1]:
        inner = inner[name]
    if value is DROP:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return result


DROP = object()
PROOF = ("certificate", "proof")


@pytest.mark.parametrize(("shape", "rung"), NAMES)
def test_the_untouched_tasks_are_proved(shape, rung):
    for data in of(shape, rung):
        report = ire.check(Task.from_json(data))
        assert str(report.rung) == rung
        assert report.proved == ("band", "grader", "record", "label", "prompt", "answers")


@pytest.mark.parametrize(("shape", "rung"), NAMES)
def test_missing_and_extra_fields_of_the_proof_are_refused(shape, rung):
    data = of(shape, rung)[0]
    for name in set(proof_of(data)) - {"record_data"}:
        assert "fails at: " in refusal(changed(data, (*PROOF, name), DROP), by_grade=True)
    for name in proof_of(data)["accept"]:
        assert "accept" in refusal(changed(data, (*PROOF, "accept", name), DROP), by_grade=True)
    assert "fields" in refusal(changed(data, (*PROOF, "reward"), 1), by_grade=True)
    assert "accept" in refusal(changed(data, (*PROOF, "accept", "note"), 1), by_grade=True)
    assert "kind" in refusal(changed(data, ("certificate", "kind"), DROP), by_grade=True)
    assert "proof" in refusal(changed(data, PROOF, DROP), by_grade=True)
    for value in (None, [], "band", 5, {}, {"kind": "two worlds"}, [[]]):
        assert "kind" in refusal(changed(data, PROOF, value), by_grade=True)
    for value in (None, [], "x", {}, 5):
        assert "accept" in refusal(changed(data, (*PROOF, "accept"), value), by_grade=True)


@pytest.mark.parametrize(("shape", "rung"), NAMES)
def test_what_is_not_written_as_a_rational_is_refused(shape, rung):
    data = of(shape, rung)[0]
    for value in NOT_A_RATIONAL:
        for name in RATIONALS:
            assert f"fails at: {name}" in refusal(changed(data, (*PROOF, name), value), by_grade=True)
            path = (*PROOF, "accept", name)
            assert f"fails at: accept.{name}" in refusal(changed(data, path, value), by_grade=True)
        for name in {"key", "tolerance", "rounded"} & set(data["question"]["grader"]):
            assert f"at: {name}" in refusal(changed(data, ("question", "grader", name), value), by_grade=False)


@pytest.mark.parametrize(("shape", "rung"), NAMES)
def test_ends_swapped_or_crossed_are_refused(shape, rung):
    for data in of(shape, rung):
        proof = proof_of(data)
        if proof["lo"] != proof["hi"]:
            assert "lo exceeds hi" in refusal(
                changed(data, (*PROOF, "lo"), f"{Fraction(proof['hi']) + 1}"), by_grade=True
            )
        crossed = f"{Fraction(proof['accept']['lo']) - 1}"
        assert "accept.lo exceeds" in refusal(changed(data, (*PROOF, "accept", "hi"), crossed), by_grade=True)


@pytest.mark.parametrize("parts", [10, 10**6, 10**12])
@pytest.mark.parametrize(("shape", "rung"), NAMES)
def test_a_certificate_narrower_than_its_record_is_refused(shape, rung, parts):
    """By however little an end is moved inward: the claim would be stronger than what the record proves."""
    for data in of(shape, rung):
        proof = proof_of(data)
        record = proof.get("record_data") or dataclasses.asdict(load_ledger()[proof["record"]])
        low, high = Fraction(record["lo"]), Fraction(record["hi"])
        inward = (high - low) / parts or abs(low) / 10**30 / parts or Fraction(1, 10**30)
        for name, end in (("lo", low + inward), ("hi", high - inward)):
            refusal(changed(data, (*PROOF, name), str(end)), by_grade=False)


@pytest.mark.parametrize("parts", [1, 10**3, 10**9])
@pytest.mark.parametrize(("shape", "rung"), NAMES)
def test_an_acceptance_interval_that_is_not_the_graders_is_refused(shape, rung, parts):
    for data in of(shape, rung):
        accept = proof_of(data)["accept"]
        low, high = Fraction(accept["lo"]), Fraction(accept["hi"])
        step = ((high - low) or Fraction(1, 10**20)) / parts
        for name, end in (("lo", low), ("hi", high)):
            for moved in (end - step, end + step):
                refusal(changed(data, (*PROOF, "accept", name), str(moved)), by_grade=False)
        for name in ("lo_closed", "hi_closed"):
            message = refusal(changed(data, (*PROOF, "accept", name), not accept[name]), by_grade=False)
            assert "accept" in message
            for value in (0, 1, "true", None, [], 1.0):
                assert name in refusal(changed(data, (*PROOF, "accept", name), value), by_grade=True)


@pytest.mark.parametrize("step", [-(2**40), -2, -1, 1, 2, 2**40])
@pytest.mark.parametrize(("shape", "rung"), NAMES)
def test_an_ordinal_that_is_off_is_refused(shape, rung, step):
    for data in of(shape, rung):
        for name in RANGES:
            for end in (0, 1):
                place = str(int(proof_of(data)[name][end]) + step)
                assert f"fails at: {name}" in refusal(changed(data, (*PROOF, name, end), place), by_grade=True)


@pytest.mark.parametrize(("shape", "rung"), NAMES)
def test_what_is_not_written_as_two_ordinals_is_refused(shape, rung):
    data = of(shape, rung)[0]
    for name in RANGES:
        for value in NOT_AN_ORDINAL:
            for end in (0, 1):
                assert f"fails at: {name}" in refusal(changed(data, (*PROOF, name, end), value), by_grade=True)
        for value in (None, [], ["1"], ["1", "2", "3"], "12", {"0": "1", "1": "2"}, [["1", "2"]], 5):
            assert f"fails at: {name}" in refusal(changed(data, (*PROOF, name), value), by_grade=True)


@pytest.mark.parametrize(("shape", "rung"), NAMES)
def test_another_room_is_refused(shape, rung):
    for data in of(shape, rung):
        room = int(proof_of(data)["room"])
        for value in (str(room + 1), str(room - 1), f"+{room}", f"0{room}", room, float(room), None, [], "9" * 10**6):
            assert "fails at: room" in refusal(changed(data, (*PROOF, "room"), value), by_grade=True)
        for value in (str(room + 1), "unbounded"):
            assert "room" in refusal(changed(data, ("room",), value), by_grade=True)


@pytest.mark.parametrize(("shape", "rung"), NAMES)
def test_another_witness_is_refused(shape, rung):
    for data in of(shape, rung):
        proof = proof_of(data)
        accepted, certified = ([int(place) for place in proof[name]] for name in RANGES)
        inside = [from_ordinal(place) for place in (certified[0], sum(certified) // 2, certified[1])]
        outside = [from_ordinal(place) for place in (accepted[0] - 1, accepted[1] + 1)]
        wild = [1e308, -1e308]
        odd = ["", "nan", "inf", "-inf", "1e400", "0x1p3", "1_0", "\u0663", "64.000", " 1.0", "1" * 31, "9" * 10**6]
        values = [*map(repr, inside + outside + wild), *odd, 5, 1.5, True, [], {}]
        if proof["room"] != "0":
            values.append(None)
        for value in values:
            assert "fails at: witness" in refusal(changed(data, (*PROOF, "witness"), value), by_grade=True)


@pytest.mark.parametrize(("shape", "rung"), NAMES)
def test_a_swapped_record_hash_or_statement_is_refused(shape, rung):
    others = [record for record in load_ledger().values() if record.topic != "integers"][:2]
    for data in of(shape, rung):
        for value in (others[0].id, "no-such-record", "", "x" * 10**6, None, 5, [], ["a"], {}):
            if value != proof_of(data)["record"]:
                message = refusal(changed(data, (*PROOF, "record"), value), by_grade=False)
                assert "record" in message
        digest = proof_of(data)["sha256"]
        for value in (others[1].sha256, digest.upper(), digest[:-1], "0" * 64, "", None, 5, []):
            if value != digest or value is None:
                assert "hash" in refusal(changed(data, (*PROOF, "sha256"), value), by_grade=False)
        target = data["question"]["target"]
        for value in (others[0].statement, target + " ", target.upper() + "!", "", None, [], 5):
            assert "quantity" in refusal(changed(data, ("question", "target"), value), by_grade=False)


def test_a_tampered_embedded_record_is_refused():
    embedded = [json.loads(text) for key, text in samples().items() if key[3]]
    assert len(embedded) > 3
    deep = []
    for _ in range(500):
        deep = [deep]
    for data in embedded:
        record = proof_of(data)["record_data"]
        for name in record:
            for value in (DROP, None, 5, [], "x", "9" * 10**5, deep):
                refusal(changed(data, (*PROOF, "record_data", name), value), by_grade=False)
        for value in (None, [], "x", {}, deep):
            assert "record" in refusal(changed(data, (*PROOF, "record_data"), value), by_grade=False)
        assert "ledger" in refusal(changed(data, (*PROOF, "record_data"), DROP), by_grade=False)


@pytest.mark.parametrize(("shape", "rung"), NAMES)
def test_another_grader_is_refused(shape, rung):
    for data in of(shape, rung):
        grader = data["question"]["grader"]
        changes = {"shape": ["absolute", "relative", "rounding", "certificate", "Absolute", "", None, ["absolute"], {}]}
        if "key" in grader:
            moved = Fraction(grader["key"]) + abs(Fraction(grader["key"])) + 1
            changes["key"] = [str(moved), str(-moved)]
        if "tolerance" in grader:
            tolerance = Fraction(grader["tolerance"])
            near = tolerance * (1 + Fraction(1, 10**25)) or Fraction(1, 10**40)
            changes["tolerance"] = [str(near), str(-tolerance - 1), str(tolerance * 2 + 1)]
        if shape == "rounding":
            digits = grader["digits"]
            changes["digits"] = [digits + 1, digits - 1, -1, 41, 10**9, str(digits), float(digits), True, None, []]
            changes["ties"] = [{"even": "away", "away": "even"}[grader["ties"]], "zero", None, [], 1]
            changes["mode"] = ["truncate", "", None, [], {}]
            changes["rounded"] = [str(Fraction(grader["rounded"]) * 2 + 1)]
        for name, values in changes.items():
            for value in values:
                if value != grader[name]:
                    message = refusal(changed(data, ("question", "grader", name), value), by_grade=False)
                    assert "grader does not match" in message
        for name in grader:
            refusal(changed(data, ("question", "grader", name), DROP), by_grade=False)
        assert "fields" in refusal(changed(data, ("question", "grader", "slack"), "1"), by_grade=False)
        for value in (None, [], "absolute", {}):
            refusal(changed(data, ("question", "grader"), value), by_grade=False)
        assert "grader" in refusal(changed(data, ("question", "grader"), DROP), by_grade=False)


@pytest.mark.parametrize(("shape", "rung"), NAMES)
def test_another_label_rung_role_or_kind_is_refused(shape, rung):
    for data in of(shape, rung):
        for name, values in {
            "label": ("breakable", "unbreakable", "impossible", "hard_positive", "clear_positive"),
            "rung": ("impossible", "razor", "narrow", "wide"),
            "role": ("answer", "rubric"),
        }.items():
            for value in values:
                if value != data[name]:
                    assert value in refusal(changed(data, (name,), value), by_grade=False)
        assert "kind" in refusal(changed(data, ("question", "kind"), "number"), by_grade=False)
        assert "kind" in refusal(changed(data, ("certificate", "kind"), "farkas"), by_grade=True)


def _band_task(record, lo, hi, key, tolerance):
    """A task that is right in every part but perhaps in where its key lies."""
    lo, hi, key, tolerance = map(Fraction, (lo, hi, key, tolerance))
    accept = (key - tolerance, key + tolerance)
    accepted = ordinals_in(accept[0].as_integer_ratio(), accept[1].as_integer_ratio())
    certified = ordinals_in(lo.as_integer_ratio(), hi.as_integer_ratio())
    common = max(0, min(accepted[1], certified[1]) - max(accepted[0], certified[0]) + 1)
    room = accepted[1] - accepted[0] + 1 - common
    above = accepted[1] > certified[1]
    data = json.loads(ire.make_task("certified_interval", shape="absolute").to_json())
    data["room"] = str(room)
    data["rung"] = "impossible" if room == 0 else "razor" if room <= 15 else "narrow" if room < 10**6 else "wide"
    data["label"] = "breakable" if room else "unbreakable"
    data["question"] |= {
        "target": record.statement,
        "grader": {"shape": "absolute", "key": str(key), "tolerance": str(tolerance)},
    }
    data["certificate"]["proof"] = {
        "kind": "band",
        "record": record.id,
        "sha256": record.sha256,
        "lo": str(lo),
        "hi": str(hi),
        "accept": {"lo": str(accept[0]), "lo_closed": True, "hi": str(accept[1]), "hi_closed": True},
        "accepted": [str(place) for place in accepted],
        "certified": [str(place) for place in certified],
        "room": str(room),
        "witness": None if room == 0 else repr(from_ordinal(certified[1] + 1 if above else certified[0] - 1)),
    }
    right = data["certificate"]["proof"]["witness"] or '"NO_ATTACK"'
    data["provenance"] = {"record": record.id, "sha256": record.sha256, "widened": False}
    numbers = (lo, hi, key, tolerance)
    data["prompt"] = f"About {record.statement}: {', '.join(map(str, numbers))}."
    data["answers"] = [
        {
            "id": "correct",
            "type": "correct",
            "reply": f'<answer>{{"attack": {right}}}</answer>',
            "expected": {"reward": "1", "verdict": "SOLVED"},
        }
    ]
    return Task.from_json(data)


def _exact_thirds():
    """A record of the ledger whose two ends are one rational that is no double."""
    for record in load_ledger().values():
        exact = Fraction(record.lo)
        if record.lo == record.hi and Fraction(float(exact)) != exact:
            return record, exact
    raise AssertionError("the ledger has no exact rational that is not a double")


def test_a_certificate_thinner_than_a_double_is_refused():
    """1/6 exactly: its own nearest double would be a break of any grader, though it is the true value rounded."""
    record, exact = _exact_thirds()
    task = _band_task(record, exact, exact, exact, abs(exact) / 1000)
    assert band.check(task.certificate["proof"]).room > 0
    with pytest.raises(CertificateError, match="nearest to its midpoint"):
        ire.check(task)
    ulp = Fraction(1, 2**52) * abs(exact)
    assert ire.check(_band_task(record, exact - ulp, exact + ulp, exact, abs(exact) / 1000)).room > 0


def test_a_key_whose_double_lies_outside_the_certificate_is_refused():
    record, exact = _exact_thirds()
    first, _ = ordinals_in((exact - abs(exact) / 10**6).as_integer_ratio(), exact.as_integer_ratio())
    below, at = Fraction(from_ordinal(first - 1)), Fraction(from_ordinal(first))
    for part, refused in ((Fraction(3, 10), True), (Fraction(7, 10), False)):
        lo = below + (at - below) * part
        task = _band_task(record, lo, exact + abs(exact) / 10**6, lo, abs(exact) / 1000)
        if refused:
            with pytest.raises(CertificateError, match="nearest to its key"):
                ire.check(task)
        else:
            assert ire.check(task).room > 0


def test_a_key_beyond_the_doubles_is_refused():
    record, exact = _exact_thirds()
    data = json.loads(_band_task(record, exact - 1, exact + 1, exact, 2).to_json())
    data["question"]["grader"]["key"] = "1" + "0" * 400
    with pytest.raises(CertificateError):
        ire.check(Task.from_json(data))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)


def _paths(value, path=()):
    yield path
    if isinstance(value, dict):
        for name in value:
            yield from _paths(value[name], (*path, name))
    if isinstance(value, list):
        for place in range(len(value)):
            yield from _paths(value[place], (*path, place))


def _at(value, path):
    for name in path:
        value = value[name]
    return value


@settings(max_examples=400)
@given(st.data())
def test_any_value_anywhere_in_the_proof_is_refused(data):
    """Any value of another kind, at any place of the proof or of the record in it."""
    task = json.loads(data.draw(st.sampled_from(sorted(samples().values()))))
    proof = proof_of(task)
    path = data.draw(st.sampled_from([path for path in _paths(proof) if path]))
    value = data.draw(json_values)
    if value == _at(proof, path) and type(value) is type(_at(proof, path)):
        return
    refusal(changed(task, (*PROOF, *path), value), by_grade=False)


@settings(max_examples=400)
@given(st.data())
def test_any_shifted_number_in_the_proof_is_refused_where_it_makes_the_claim_false(data):
    """Ordinals and the room by any amount; ends of the certificate inward, ends of the acceptance either way."""
    task = json.loads(data.draw(st.sampled_from(sorted(samples().values()))))
    proof = proof_of(task)
    shift = data.draw(st.integers(-(2**62), 2**62).filter(bool))
    name = data.draw(st.sampled_from(["accepted", "certified", "room", "accept"]))
    if name == "room":
        refusal(changed(task, (*PROOF, "room"), str(int(proof["room"]) + shift)), by_grade=True)
    elif name == "accept":
        end = data.draw(st.sampled_from(["lo", "hi"]))
        width = Fraction(proof["accept"]["hi"]) - Fraction(proof["accept"]["lo"]) or Fraction(1, 10**9)
        moved = Fraction(proof["accept"][end]) + width * Fraction(shift, 2**62)
        refusal(changed(task, (*PROOF, "accept", end), str(moved)), by_grade=False)
    else:
        end = data.draw(st.sampled_from([0, 1]))
        refusal(changed(task, (*PROOF, name, end), str(int(proof[name][end]) + shift)), by_grade=True)
