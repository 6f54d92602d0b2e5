"""docs/format.md and docs/task.schema.json say what the checkers and the replies do: every example is read by them."""

import functools
import json
import re

import pytest
from jsonschema import Draft202012Validator

import impossible_rubrics_env as ire
from impossible_rubrics_env.certificates.checkers import band, farkas, two_worlds
from impossible_rubrics_env.certificates.facts import _KINDS, read_fact
from impossible_rubrics_env.certificates.packet import read_packet
from impossible_rubrics_env.certificates.packet_mains import settle
from impossible_rubrics_env.certificates.packet_proofs import OBSTRUCTIONS, prove
from impossible_rubrics_env.certificates.questions import read_question
from impossible_rubrics_env.numerals import Ratio


@functools.cache
def page(root):
    return (root / "docs/format.md").read_text()


@functools.cache
def schema(root):
    return json.loads((root / "docs/task.schema.json").read_text())


def part(root, name):
    return Draft202012Validator({**schema(root)["$defs"][name], "$defs": schema(root)["$defs"]})


@functools.cache
def blocks(root):
    """The JSON values of every block, by the words of the comment before it."""
    decoder, found = json.JSONDecoder(), {}
    for words, text in re.findall(r"<!-- example ([a-z_ ]+) -->\n```json\n(.*?)```", page(root), re.DOTALL):
        values, rest = [], text.strip()
        while rest:
            value, end = decoder.raw_decode(rest)
            values.append(value)
            rest = rest[end:].lstrip()
        found[tuple(words.split())] = values
    return found


@pytest.fixture
def root(pytestconfig):
    return pytestconfig.rootpath


def test_every_json_block_has_a_name_and_none_occurs_twice(root):
    assert page(root).count("```json") == len(blocks(root)) == len(re.findall("<!-- example", page(root)))


def test_every_kind_of_fact_is_shown_and_read(root):
    shown = blocks(root)["facts",]
    assert {fact["kind"] for fact in shown} == set(_KINDS)
    for fact in shown:
        assert read_fact(fact, "shown").id == fact["id"]
        part(root, "fact").validate(fact)


def test_every_kind_of_question_is_shown_and_read(root):
    shown = blocks(root)["questions",]
    assert {each["kind"] for each in shown} == {"number", "yes_no", "list", "document", "plan"}
    for each in [*shown, *(value[0] for words, value in blocks(root).items() if words[0] == "question")]:
        assert read_question(each).kind == each["kind"]
        part(root, "packet_question").validate(each)


def test_every_shape_of_reply_is_shown(root):
    shown = blocks(root)["replies",]
    assert {each.get("obstruction") for each in shown} == {None, *OBSTRUCTIONS}
    for each in shown:
        part(root, "reply").validate(each)
        kinds = ("number", "yes_no", "list", "document", "plan")
        assert any(reads(each, kind) for kind in kinds), each


def reads(reply, kind):
    from impossible_rubrics_env.reply import Unreadable, read_claim

    return not isinstance(read_claim(f"<answer>{json.dumps(reply)}</answer>", kind), Unreadable)


def test_graders_and_the_band_are_of_the_schema(root):
    for each in blocks(root)["graders",]:
        part(root, "grader").validate(each)
    assert {each["shape"] for each in blocks(root)["graders",]} == {"absolute", "relative", "rounding", "certificate"}
    (proof,) = blocks(root)["band",]
    part(root, "band_proof").validate(proof)
    assert str(band.check(proof).room) == proof["room"]


def whole_proofs(root):
    return [words for words in blocks(root) if words[0] == "proof"]


def test_the_proofs_that_are_shown_hold(root):
    shown, kinds = blocks(root), set()
    for _, name, kind in whole_proofs(root):
        (packet,), (question,), (proof,) = (shown[key] for key in (("packet", name), ("question", name, kind),
                                                                  ("proof", name, kind)))  # fmt: skip
        part(root, "packet").validate(packet)
        part(root, "packet_proof").validate(proof)
        certificate = {"kind": "packet", "claims": {}, "proof": proof}
        data = {"family": "shown", "packet": packet, "question": question, "certificate": certificate}
        assert not prove(data).answerable
        kinds |= {proof["main"]["kind"], *(entry["without"]["kind"] for entry in proof["defeats"])}
    kinds |= {value[0]["kind"] for words, value in shown.items() if words[0] == "twin"}
    assert kinds == {
        "range",
        "dual_bounds",
        "world",
        "minimal_conflict",
        "refutation",
        "findings",
        "enumeration",
        "farkas",
    }


@pytest.mark.parametrize(("name", "kind", "old", "new"), [("pumps", "number", "363/10", "183/5"),
                                                          ("lots", "plan", "111/5", "113/5")])  # fmt: skip
def test_the_twins_that_are_shown_are_answerable(root, name, kind, old, new):
    shown = blocks(root)
    packet = json.loads(json.dumps(shown["packet", name][0]).replace(f'"rhs": "{old}"', f'"rhs": "{new}"'))
    (main,) = shown["twin", name, kind]
    part(root, "main").validate(main)
    assert settle(read_packet(packet), read_question(shown["question", name, kind][0]), main).right is not None


def test_the_proofs_that_stand_alone_are_read(root):
    pair, contradiction = blocks(root)["alone", "pumps", "number"]
    shown = {"packet": blocks(root)["packet", "pumps"][0], "question": blocks(root)["question", "pumps", "number"][0]}
    for proof in (pair, contradiction):
        part(root, "other_proof").validate(proof)
    assert two_worlds.check({**shown, "certificate": {"proof": pair}}) == ("24", "25")
    tight = json.loads(json.dumps(shown).replace('"rhs": "363/10"', '"rhs": "367/10"'))
    assert farkas.check({**tight, "certificate": {"proof": contradiction}}).facts == ("D1.1.b", "D2.1.a", "D3.1.a")


def test_a_contradiction_is_of_the_schema_without_a_document_alone(root):
    (proof,) = blocks(root)["proof", "lots", "plan"]
    contradiction = proof["defeats"][0]["without"]
    assert contradiction["kind"] == "farkas"
    assert not part(root, "packet_proof").is_valid({**proof, "main": contradiction})
    for broken in ({**contradiction, "answer": None}, {"kind": "farkas"}, {**contradiction, "multipliers": {}}):
        defeats = [{**proof["defeats"][0], "without": broken}]
        assert not part(root, "packet_proof").is_valid({**proof, "defeats": defeats}), broken


def test_the_witnesses_of_a_comparison_are_its_ends_and_no_values_between_them(root):
    """As the table of witnesses says."""
    shown = blocks(root)
    proof = shown["proof", "pumps", "yes_no"][0]
    data = {
        "family": "shown",
        "packet": shown["packet", "pumps"][0],
        "question": shown["question", "pumps", "yes_no"][0],
        "certificate": {"kind": "packet", "claims": {}, "proof": proof},
    }
    low, high, inside, beyond = Ratio(122, 5), Ratio(99, 4), Ratio(247, 10), Ratio(25, 1)
    proves = functools.partial(prove(data).proves, "insufficient_evidence")
    assert proves((low, high))
    assert proves((high, low))
    assert not any(proves(pair) for pair in ((low, inside), (inside, high), (Ratio(123, 5), inside), (low, beyond)))


def test_the_schema_is_one(root):
    Draft202012Validator.check_schema(schema(root))


@pytest.mark.parametrize("family", ire.FAMILIES)
def test_drawn_tasks_are_of_the_schema(root, family):
    validator = Draft202012Validator(schema(root))
    for index in range(12):
        data = json.loads(ire.make_task(family, seed=3, index=index).to_json())
        validator.validate(data)
        if data["certificate"]["kind"] == "packet":
            assert prove(data).kind == data["question"]["kind"]


def test_the_schema_refuses_what_has_another_shape(root):
    validator = Draft202012Validator(schema(root))
    data = json.loads(ire.make_task("insufficient_evidence", seed=3, index=0).to_json())
    attack = json.loads(ire.make_task("certified_interval", seed=3, index=0).to_json())
    assert validator.is_valid(data)
    for key in data:
        assert not validator.is_valid({name: value for name, value in data.items() if name != key}), key
        if key != "packet":
            assert not validator.is_valid({**data, key: None}), key
    for key in ("packet", "question", "certificate"):
        assert not validator.is_valid({**data, key: attack[key]}), key
        assert not validator.is_valid({**attack, key: data[key]}), key
    assert not validator.is_valid({**data, "note": ""})
