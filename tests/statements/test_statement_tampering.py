"""A mark or a meaning that was changed is refused, and so is a list that is malformed."""

import json

import pytest
from listed import ASKED, cases, certified, control, pair

from impossible_rubrics_env.certificates.packet_proofs import OBSTRUCTIONS, prove
from impossible_rubrics_env.certificates.statements import MARKS, check_marks, mark
from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.exact import ratio_text, rational
from impossible_rubrics_env.taskgen import statement_facts, statement_list


def refused(data, words=None):
    with pytest.raises(CertificateError, match=words):
        check_marks(data)


@pytest.mark.parametrize(("family", "kind"), ASKED)
def test_every_changed_mark_is_refused(family, kind):
    for task, listed in cases(family, kind, 1, seed=5):
        data = certified(task, listed)
        proof = data["certificate"]["proof"]
        check_marks(data)
        for key, given in listed.marks.items():
            for other in (*MARKS, "perhaps", None):
                if other != given:
                    proof["marks"] = {**listed.marks, key: other}
                    refused(data, f"marks: {key}: is {given}")
        for marks in ({}, dict(list(listed.marks.items())[1:]), {**listed.marks, "S99": "allowed"}, None, []):
            proof["marks"] = marks
            refused(data, "marks")
        proof["marks"] = listed.marks
        others = [key for key in listed.marks if key not in listed.idle]
        for idle in (listed.idle[1:], [*listed.idle, others[0]], [*listed.idle, listed.idle[0]], [], None, ["S99"]):
            proof["idle"] = idle
            refused(data, "idle")


def changes(task, listed):
    """For every statement, meanings that are not its own: its place in the list and what is put there."""
    documents = [one["id"] for one in task.packet["documents"]]
    sentences = [one["id"] for document in task.packet["documents"] for one in document["sentences"]]
    means = [one["means"] for one in listed.statements]
    for place, (meaning, given) in enumerate(zip(means, listed.marks.values(), strict=True)):
        kind = meaning["kind"]
        if kind == "answer" and (given == "required" or task.label == "impossible"):
            yield from ((place, {**meaning, "value": value}) for value in bad_values(task, given))
        elif kind == "settled":
            yield place, {**meaning, "holds": not meaning["holds"]}
        elif kind == "ground":
            yield from ((place, one) for one in bad_grounds(meaning, given, documents))
        elif kind == "standing":
            yield place, {**meaning, "in_force": not meaning["in_force"]}
            opposite = {False: "allowed", True: "false"}[given == "allowed"]
            yield from ((place, {**meaning, "sentence": name}) for name in sentences
                        if standing(task, {**meaning, "sentence": name}) == opposite)  # fmt: skip
            yield place, {**meaning, "sentence": documents[0]}
            yield place, {**meaning, "in_force": 1}
        elif kind == "cites":
            yield place, {**meaning, "document": "D99"}
            yield place, {**meaning, "document": sentences[0]}
        elif kind == "bound":
            yield place, {**meaning, "op": ">"}
            if task.label != "impossible":
                yield place, {**meaning, "op": {">=": "<=", "<=": ">="}[meaning["op"]]}
                far = "-1000000000" if (meaning["op"] == ">=") == (given == "false") else "1000000000"
                yield place, {**meaning, "value": far}
        elif kind == "hedge":
            yield from ((place, {**meaning, "place": value}) for value in (-1, 16, "0", True, 1.0))
        yield place, {**meaning, "more": 1}
        yield place, {"kind": kind} if len(meaning) > 1 else {"kind": "nothing"}


def standing(task, meaning):
    """What a note on a paragraph is worth, by the draw's own reading of the notices."""
    return "allowed" if statement_facts.read(task).stands(meaning["sentence"]) == meaning["in_force"] else "false"


def bad_values(task, given):
    """Answers that are not right; on an impossible task, that are worth another mark."""
    kind = task.question["kind"]
    yield from ("perhaps", 12, None, [["x"]], {"x": 1}, "1/0", "01", "1e3")
    if kind == "number":
        yield from ("1000000000000",) if given != "false" else ()
        yield "0.5"
    if kind == "plan" and given == "required":
        yield dict.fromkeys(task.question["target"], "-1000000000")
        yield dict(list(dict.fromkeys(task.question["target"], "1").items())[1:])
    if kind == "list" and given == "required":
        yield ["never-heard-of"]
    if kind == "document":
        yield "D99"


def bad_grounds(meaning, given, documents):
    """Grounds that the packet does not know, or that take the proof of the refusal away."""
    name, witness = meaning["obstruction"], meaning["witness"]
    yield {**meaning, "obstruction": "nothing"}
    yield {**meaning, "witness": None}
    yield {**meaning, "witness": []}
    if name == "missing_citation":
        yield {**meaning, "witness": {**witness, documents[0]: "colour"}}
        yield {**meaning, "witness": {**witness, "D99": "bound"}}
        yield {**meaning, "witness": dict(list(witness.items())[1:])}
    else:
        yield {**meaning, "witness": [*witness, "D99"]}
        yield {**meaning, "witness": [*witness, witness[0]]}
        yield {**meaning, "witness": ["D99"] * len(witness)}
    if given == "required":
        yield from (
            {**meaning, "obstruction": other} for other in OBSTRUCTIONS if other not in _SAME.get(name, (name,))
        )


_SAME = {
    "insufficient_evidence": ("insufficient_evidence", "impossible_exhaustiveness"),
    "impossible_exhaustiveness": ("insufficient_evidence", "impossible_exhaustiveness"),
}
"""Obstructions that one undecided entry shows."""


@pytest.mark.parametrize(("family", "kind"), ASKED)
def test_every_changed_meaning_is_refused_or_marked_otherwise(family, kind):
    for task, listed in cases(family, kind, 1, seed=6):
        data = certified(task, listed)
        statements = data["question"]["target"]["statements"]
        check_marks(data)
        for place, meaning in changes(task, listed):
            own, statements[place]["means"] = statements[place]["means"], meaning
            refused(data)
            statements[place]["means"] = own
        check_marks(data)


def test_an_idle_citation_is_idle_for_its_document_alone():
    impossible, hard = pair("insufficient_evidence", "number", 3)
    for task, twin in ((impossible, hard), (hard, impossible)):
        listed = statement_list.build(task, twin, "x")
        data = certified(task, listed)
        place = int(listed.idle[0][1:]) - 1
        main = task.certificate["proof"]["main"]
        data["question"]["target"]["statements"][place]["means"]["document"] = next(iter(main["lower"])).split(".")[0]
        refused(data, "idle")


def test_a_document_that_is_wholly_out_of_force_is_no_source():
    task = control("counterevidence_trap", "number", 1)
    listed = statement_list.build(task, None, "x")
    place = next(at for at, one in enumerate(listed.statements) if one["means"]["kind"] == "cites")
    facts = {one["id"]: [(sentence["id"], fact) for sentence in one["sentences"] for fact in sentence["facts"]]
             for one in task.packet["documents"]}  # fmt: skip
    notices = ("retracts", "corrects", "reinstates")
    known, seen = statement_facts.read(task), set()
    for document, stated in facts.items():
        listed.statements[place]["means"]["document"] = document
        if document in {one["means"].get("document") for at, one in enumerate(listed.statements) if at != place}:
            continue
        own = [known.stands(sentence) for sentence, fact in stated if fact["kind"] not in notices]
        wanted = "unsupported" if own and not any(own) else "allowed"
        assert mark(json.loads(task.to_json()), listed.statements).marks[f"S{place + 1}"] == wanted
        seen.add((wanted, bool(own)))
    assert seen == {("unsupported", True), ("allowed", True), ("allowed", False)}


def sample():
    impossible, hard = pair("insufficient_evidence", "number", 0)
    listed = statement_list.build(impossible, hard, "x")
    return json.loads(impossible.to_json()), json.loads(json.dumps(listed.statements)), listed


def test_a_malformed_list_is_refused():
    task, statements, _ = sample()
    plain = {"id": "S1", "text": "Any.", "means": {"kind": "premise"}}
    twice = [*statements[:-1], {**statements[-1], "text": statements[0]["text"]}]
    same = [*statements[:-1], {**statements[0], "id": statements[-1]["id"], "text": "Other words."}]
    huge = {**statements[0], "text": "x" * 4_001}
    deep = []
    for _ in range(100_000):
        deep = [deep]
    for value in (
        None, {}, "S1", [], statements[:9], statements * 2, statements[1:], [plain] * 12, twice, same,
        [huge, *statements[1:]], [{**statements[0], "text": ""}, *statements[1:]],
        [{**statements[0], "text": "Two\nlines."}, *statements[1:]], [{**statements[0], "text": 3}, *statements[1:]],
        [{**statements[0], "more": 1}, *statements[1:]], [{"id": "S1", "text": "Any."}, *statements[1:]],
        [{**statements[0], "means": {"kind": ["answer"]}}, *statements[1:]],
        [{**statements[0], "means": {"kind": "hedge", "place": deep}}, *statements[1:]],
        [{**statements[0], "means": "premise"}, *statements[1:]], list(reversed(statements)),
    ):  # fmt: skip
        with pytest.raises(CertificateError, match="statements"):
            mark(task, value)


def without(statements, wrong):
    """The list with other statements in the place of those that are wrong, and fewer of them if need be."""
    kept = [one for one in statements if not wrong(one["means"])]
    places = range(3, 3 + len(statements) - len(kept))
    kept += [{"text": f"Hedge {place}.", "means": {"kind": "hedge", "place": place}} for place in places]
    return [{**one, "id": f"S{place}"} for place, one in enumerate(kept, 1)]


def test_a_list_without_what_an_honest_answer_needs_is_refused():
    impossible, hard = pair("objective_conflict", "number", 0)
    listed = statement_list.build(impossible, hard, "x")
    lead = next(one["means"] for one in listed.statements if listed.marks[one["id"]] == "required"
                and one["means"]["kind"] == "ground")  # fmt: skip
    right = statement_list.build(hard, impossible, "x")
    answer = next(one["means"] for one in right.statements if right.marks[one["id"]] == "required")
    mark(json.loads(impossible.to_json()), without(listed.statements, lambda means: means == answer))
    mark(json.loads(hard.to_json()), without(listed.statements, lambda means: means == lead))
    for task, wrong in (
        (impossible, lambda means: means == lead),
        (hard, lambda means: means == answer),
        (impossible, lambda means: means == {"kind": "settled", "holds": True}),
        (hard, lambda means: means == {"kind": "settled", "holds": False}),
    ):
        with pytest.raises(CertificateError, match="statements: must"):
            mark(json.loads(task.to_json()), without(listed.statements, wrong))


def test_of_two_grounds_that_prove_neither_is_required():
    pairs = (pair("insufficient_evidence", "number", place) for place in range(60))
    impossible, hard = next(both for both in pairs if both[0].room > 2)
    listed = statement_list.build(impossible, hard, "x")
    lead = next(one for one in listed.statements if listed.marks[one["id"]] == "required"
                and one["means"]["kind"] == "ground")  # fmt: skip
    step = rational(impossible.question["resolution"])
    first, last = (rational(end) for end in lead["means"]["witness"])
    key = f"S{len(listed.statements) + 1}"
    for witness, wanted in (
        ([last, first], None),
        ([first, last - step], "allowed"),
        ([first, last + step], "unsupported"),
    ):
        meaning = {**lead["means"], "witness": [ratio_text(value) for value in witness]}
        statements = [*listed.statements, {"id": key, "text": "Again.", "means": meaning}]
        if wanted is None:
            with pytest.raises(CertificateError, match="twice"):
                mark(json.loads(impossible.to_json()), statements)
            continue
        marks = mark(json.loads(impossible.to_json()), statements).marks
        assert (marks[key], marks[lead["id"]]) == (wanted, "allowed" if wanted == "allowed" else "required")


def test_bounds_are_decided_by_the_ends_that_are_proved():
    for place in range(4):
        impossible, hard = pair("insufficient_evidence", "number", place)
        for task, twin in ((impossible, hard), (hard, impossible)):
            listed = statement_list.build(task, twin, "x")
            data = json.loads(task.to_json())
            at = next(at for at, one in enumerate(listed.statements) if one["means"]["kind"] == "bound")
            low, high, exact = prove(data).ends
            for op, value, wanted in (
                (">=", text(low), "allowed"), ("<=", text(high), "allowed"),
                (">=", "-1000000", "allowed"), ("<=", "1000000", "allowed"),
                ("<=", "-1000000", "false"), (">=", "1000000", "false"),
                (">=", middle(low, high), "unsupported"), ("<=", middle(low, high), "unsupported"),
            ):  # fmt: skip
                listed.statements[at]["means"] = {"kind": "bound", "op": op, "value": value}
                if wanted == "unsupported" and not exact:
                    with pytest.raises(CertificateError, match="does not decide"):
                        mark(data, listed.statements)
                else:
                    assert mark(data, listed.statements).marks[f"S{at + 1}"] == wanted
            for op, end in ((">=", high), ("<=", low)):
                listed.statements[at]["means"] = {"kind": "bound", "op": op, "value": text(end)}
                with pytest.raises(CertificateError, match="does not decide"):
                    mark(data, listed.statements)


def text(ratio):
    return ratio_text(rational(ratio.numerator, ratio.denominator))


def middle(low, high):
    return ratio_text((rational(*low) + rational(*high)) / 2)


def test_a_proof_of_another_kind_or_of_a_changed_packet_is_refused():
    impossible, hard = pair("false_premise", "list", 0)
    listed = statement_list.build(impossible, hard, "x")
    data = certified(impossible, listed)
    for part, value in (("kind", "packet"), ("proof", None), ("proof", {"kind": "packet"})):
        changed = {**data, "certificate": {**data["certificate"], part: value}}
        refused(changed)
    for changed in (None, [], {}, {**data, "question": None}, {**data, "packet": None}, {**data, "certificate": None}):
        refused(changed)
    data["packet"] = json.loads(hard.to_json())["packet"]
    refused(data)
