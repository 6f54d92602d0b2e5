"""Reading of answers and refusals: total, bounded, exact; the kind of the question is all that is known of the task."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from impossible_rubrics_env.certificates import packet_proofs
from impossible_rubrics_env.numerals import Ratio
from impossible_rubrics_env.reply import MAX_MEMBERS, OBSTRUCTIONS, Answer, Refusal, Unreadable, Unsure, read_claim

KINDS = ("number", "yes_no", "list", "document", "plan")
ANSWERS = {"number": "12.5", "yes_no": "YES", "list": ["K-1", "K-2"], "document": "D3", "plan": {"x": "1", "y": 2.5}}
WITNESSES = (["31", 32], ["D1.1", "D2.3"], {"D1": "subject"}, [], {}, None)


def block(data):
    return f"<answer>{data if isinstance(data, str) else json.dumps(data)}</answer>"


def answer(value):
    return block({"verdict": "ANSWER", "value": value})


def refusal(obstruction, witness):
    return block({"verdict": "IMPOSSIBLE", "obstruction": obstruction, "witness": witness})


def value_of(kind, value):
    claim = read_claim(answer(value), kind)
    return claim.value if isinstance(claim, Answer) else claim.reason


def witness_of(witness, obstruction="insufficient_evidence"):
    claim = read_claim(refusal(obstruction, witness), "number")
    return claim.witness if isinstance(claim, Refusal) else claim.reason


def test_every_kind_reads_its_own_value():
    read = {kind: value_of(kind, ANSWERS[kind]) for kind in KINDS}
    assert read == {
        "number": Ratio(25, 2),
        "yes_no": "YES",
        "list": ("K-1", "K-2"),
        "document": "D3",
        "plan": {"x": Ratio(1, 1), "y": Ratio(5, 2)},
    }
    assert value_of("list", []) == ()
    assert value_of("yes_no", "NO") == "NO"


@pytest.mark.parametrize("kind", KINDS)
def test_values_of_another_shape_are_refused(kind):
    for value in (None, True, False, [[]], [None], {}, {"x": None}, {"x": "YES"}, {"x": {}}, "", "x" * 61, "\u0663"):
        assert isinstance(read_claim(answer(value), kind), Unreadable), value
    others = {
        "number": ("YES", "D3", ["1"], {"x": 1}),
        "yes_no": ("D3", 1, ["YES"], "yes"),
        "list": ("K-1", 1, {"x": 1}),
    }
    others |= {"document": (["D3"], {"D3": 1}), "plan": ("1", ["1"], {"x": "one"})}
    for value in others[kind]:
        assert isinstance(read_claim(answer(value), kind), Unreadable), value


@pytest.mark.parametrize(
    ("text", "ratio"),
    [
        ("12.50", (25, 2)),
        ("25/2", (25, 2)),
        ("50/4", (25, 2)),
        ("1.25e1", (25, 2)),
        ("1.25E+001", (25, 2)),
        ("0", (0, 1)),
        ("-0", (0, 1)),
        ("-0.0e30", (0, 1)),
        ("0/7", (0, 1)),
        ("-3", (-3, 1)),
        ("1e30", (10**30, 1)),
        ("1e-30", (1, 10**30)),
        ("1e+0030", (10**30, 1)),
        ("9" * 60, (10**60 - 1, 1)),
    ],
)
def test_a_number_is_read_exactly_and_in_lowest_terms(text, ratio):
    assert value_of("number", text) == Ratio(*ratio)
    assert value_of("plan", {"x": text}) == {"x": Ratio(*ratio)}
    assert witness_of([text, "7/3"]) == (Ratio(*ratio), Ratio(7, 3))


@pytest.mark.parametrize(
    "text",
    [
        *("1e31", "1e-31", "1E031", "1e100", "1e99999", "1e-99999", "1e" + "9" * 40, "9" * 61, "1." + "0" * 59, "1/0"),
        *("+1", ".5", "5.", "1_0", "0x1", "1 2", " 1", "1 ", "1e", "e1", "--1", "1/2/3", "1/-2", "1.5/2", "NaN", "inf"),
        *("\u0661", "\uff11", "1\u2009000", "12 kg", "about 12", "12,5", "1e1.5", "", "-", "/", "1\n"),
    ],
)
def test_what_is_no_number_within_the_bounds_is_refused(text):
    assert value_of("number", text) in ("number", "shape")
    assert value_of("plan", {"x": text}) in ("number", "shape")
    if text.isascii() and 0 < len(text) <= 60:
        assert witness_of([text, "1"]) == (text, "1"), "readable as ids, which are no numbers"


@pytest.mark.parametrize("obstruction", OBSTRUCTIONS)
def test_a_witness_is_read_by_its_form_whatever_the_obstruction_needs(obstruction):
    for kind in KINDS:
        for witness in WITNESSES:
            claim = read_claim(refusal(obstruction, witness), kind)
            assert isinstance(claim, Refusal), (kind, witness)
            assert claim.obstruction == obstruction
    numbers = witness_of(["31", 32], obstruction)
    assert numbers == ((Ratio(31, 1), Ratio(32, 1)) if obstruction == "insufficient_evidence" else ("31", "32"))
    assert witness_of(["D1", "D2", "D3"], obstruction) == ("D1", "D2", "D3")
    assert witness_of({"D1": "bound", "D2": "subject"}, obstruction) == {"D1": "bound", "D2": "subject"}
    assert witness_of(None, obstruction) is None


@pytest.mark.parametrize(
    ("witness", "reason"),
    [
        *((value, "witness") for value in ("D1", "", 1, 1.5, True, False)),
        *((value, "shape") for value in ([None], [["D1"]], [1, [2]], [{}], {"D1": None}, {"D1": ["x"]}, {"D1": {}})),
        *((value, "duplicate") for value in (["D1", "D1"], ["31", 31], ["31", "31.0"], ["1/2", 0.5])),
        *(
            (value, "id")
            for value in ([""], ["x" * 61], ["\u0663"], {"": "x"}, {"x" * 61: "y"}, {"x": ""}, {"x": "\xe9"})
        ),
        ([f"D{place}" for place in range(MAX_MEMBERS + 1)], "too_many"),
        ({f"D{place}": "x" for place in range(MAX_MEMBERS + 1)}, "too_many"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_is_no_witness_is_refused_by_name(witness, reason):
    assert witness_of(witness) == reason


def test_the_bounds_themselves_are_allowed():
    ids = [f"{place:060d}" for place in range(MAX_MEMBERS)]
    assert witness_of(ids, "objective_conflict") == tuple(ids)
    assert value_of("list", ids) == tuple(ids)
    assert len(witness_of(dict.fromkeys(ids, "subject"))) == MAX_MEMBERS
    assert len(value_of("plan", dict.fromkeys(ids, 1))) == MAX_MEMBERS


def test_key_sets_are_exact():
    right = {"verdict": "ANSWER", "value": "1"}
    no = {"verdict": "IMPOSSIBLE", "obstruction": "false_premise", "witness": ["D1"]}
    assert isinstance(read_claim(block(right), "number"), Answer)
    assert isinstance(read_claim(block(no), "number"), Refusal)
    assert isinstance(read_claim(block({"verdict": "UNSURE"}), "number"), Unsure)
    for whole in (right, no, {"verdict": "UNSURE"}):
        for name in whole:
            left = {key: whole[key] for key in whole if key != name}
            assert isinstance(read_claim(block(left), "number"), Unreadable), left
        for name in ("value", "obstruction", "witness", "confidence", "reason", "Verdict"):
            if name not in whole:
                assert read_claim(block({**whole, name: "1"}), "number") == Unreadable("shape")
    for verdict in ("answer", "Answer", "ANSWER ", "", None, 1, [], {}, "YES", "NO_ATTACK", ["ANSWER"]):
        assert read_claim(block({**right, "verdict": verdict}), "number") == Unreadable("shape")
    for obstruction in ("", "False_premise", "false premise", "none", None, 1, [], {}, list(OBSTRUCTIONS)):
        assert read_claim(block({**no, "obstruction": obstruction}), "number") == Unreadable("obstruction")
    assert read_claim(block('{"verdict": "ANSWER", "value": 1, "value": 2}'), "number") == Unreadable("json")
    assert read_claim(block('{"verdict": "ANSWER", "value": {"x": 1, "x": 1}}'), "plan") == Unreadable("json")
    twice = '{"verdict": "IMPOSSIBLE", "obstruction": "missing_citation", "witness": {"D1": "bound", "D1": "bound"}}'
    assert read_claim(block(twice), "document") == Unreadable("json")


@pytest.mark.parametrize("kind", KINDS)
def test_the_last_block_of_the_policys_own_last_text_is_read_alone(kind):
    right = answer(ANSWERS[kind])
    claim = read_claim(right, kind)
    assert isinstance(claim, Answer)
    fenced = f"<answer>```json\n{json.dumps({'verdict': 'ANSWER', 'value': ANSWERS[kind]})}\n```</answer>"
    for reply in (
        "Prose. " + right + " More prose.",
        "<think>" + refusal("false_premise", ["D1"]) + "</think>" + right,
        refusal("false_premise", ["D1"]) + right,
        [{"role": "user", "content": "?"}, {"role": "assistant", "content": right}],
        {"role": "assistant", "content": [{"type": "text", "text": right[:9]}, {"type": "text", "text": right[9:]}]},
        fenced,
    ):
        assert read_claim(reply, kind) == claim
    for reply in (
        right + "<answer>",
        "<think>" + right,
        [{"role": "assistant", "content": right}, {"role": "assistant", "content": ""}],
        [{"role": "user", "content": right}],
        block(json.dumps(ANSWERS[kind])),
        None,
        b"<answer></answer>",
        42,
    ):
        assert isinstance(read_claim(reply, kind), Unreadable), reply


def test_the_obstructions_are_those_of_the_checker_and_the_prompt():
    from impossible_rubrics_env.prompt import claim_format

    assert OBSTRUCTIONS == packet_proofs.OBSTRUCTIONS
    for kind in KINDS:
        assert all(f'"{name}":' in claim_format(kind) for name in OBSTRUCTIONS)


texts = st.one_of(
    st.sampled_from(
        ["ANSWER", "IMPOSSIBLE", "UNSURE", "YES", "NO", "D1", "D1.2", "31", "31.0", "-7/2", "1e30", "1e31"]
    ),
    st.sampled_from([*OBSTRUCTIONS, "subject", "", "\u0663", "x" * 61, "9" * 60, "9" * 2_001]),
    st.text(max_size=8),
)
values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), texts),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)),
    max_leaves=8,
)
claims = st.fixed_dictionaries(
    {"verdict": st.sampled_from(["ANSWER", "IMPOSSIBLE", "UNSURE"])},
    optional={"value": values, "obstruction": st.sampled_from(OBSTRUCTIONS), "witness": values, "extra": values},
)


@given(st.one_of(claims, values), st.sampled_from(KINDS))
def test_any_json_gives_a_bounded_claim_or_a_reason(data, kind):
    claim = read_claim(block(data), kind)
    if isinstance(claim, Unreadable):
        assert claim.reason.isascii()
        assert 0 < len(claim.reason) < 20
    elif isinstance(claim, Answer):
        assert data["verdict"] == "ANSWER"
        assert set(data) == {"verdict", "value"}
        assert bounded(claim.value)
        assert {"number": Ratio, "yes_no": str, "list": tuple, "document": str, "plan": dict}[kind] is type(claim.value)
    elif isinstance(claim, Refusal):
        assert set(data) == {"verdict", "obstruction", "witness"}
        assert claim.witness is None or bounded(claim.witness)
    else:
        assert data == {"verdict": "UNSURE"}


def bounded(value):
    if isinstance(value, Ratio):
        return value.denominator > 0 and max(abs(value.numerator), value.denominator) < 10**91
    if isinstance(value, str):
        return 0 < len(value) <= 60 and value.isascii()
    members = [*value, *value.values()] if isinstance(value, dict) else value
    return len(members) <= 2 * MAX_MEMBERS and all(map(bounded, members))


@given(st.text(alphabet='<>/answertihk{}[]":, \\0123456789eE+-.\u0663', max_size=80), st.sampled_from(KINDS))
def test_no_text_makes_the_reader_raise(text, kind):
    for reply in (text, block(text), answer(text), refusal("false_premise", text), [text], {"content": text}):
        assert read_claim(reply, kind) is not None


@pytest.mark.parametrize("kind", KINDS)
def test_the_longest_block_is_read_in_little_time(kind):
    """Whatever fills its 20,000 characters: members are counted before they are read, numbers are short."""
    fillings = (
        "[" + ",".join(["1"] * 9_000) + "]",
        "[" + ",".join(f'"{place}"' for place in range(2_000)) + "]",
        "{" + ",".join(f'"{place}":{place}' for place in range(1_500)) + "}",
        "9" * 19_000,
        '"' + "9" * 19_000 + '"',
        '"' + "1e" * 9_000 + '"',
        "[" * 9_000,
    )
    for filling in fillings:
        for body in (
            f'{{"verdict": "ANSWER", "value": {filling}}}',
            f'{{"verdict": "IMPOSSIBLE", "obstruction": "insufficient_evidence", "witness": {filling}}}',
        ):
            start = time.process_time()
            assert isinstance(read_claim(f"<answer>{body}</answer>", kind), Unreadable)
            assert time.process_time() - start < 0.5
