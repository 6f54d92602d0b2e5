"""The check of answer tasks: whatever a task states that its proof or its packet does not bear out is refused."""

import dataclasses
import json
import time

import packet_samples
import pytest
from packet_samples import TASKS, answer, block, refusal

import impossible_rubrics_env as ire
from impossible_rubrics_env.certificates.packet_proofs import prove
from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.gate import forgeries
from impossible_rubrics_env.prompt import claim_format, reading_rules
from impossible_rubrics_env.reply import Unreadable, read_answer
from impossible_rubrics_env.task import Label, Rung

KINDS = ("number", "yes_no", "list", "document", "plan")


def refused(task, match):
    with pytest.raises(CertificateError, match=match) as caught:
        ire.check(task)
    assert len(str(caught.value)) < 2_000


@pytest.mark.parametrize("name", TASKS)
def test_a_task_whose_parts_agree_is_proved(name):
    task = TASKS[name]
    report = ire.check(task)
    assert report.proved == ("packet", "label", "rung", "prompt", "answers")
    assert (report.task_id, report.label, report.rung, report.room) == (task.id, task.label, task.rung, task.room)
    assert ire.check(ire.Task.from_json(task.to_json())) == report


@pytest.mark.parametrize("name", TASKS)
def test_a_clear_positive_is_as_answerable_as_a_hard_one(name):
    task = dataclasses.replace(TASKS[name], label=Label.CLEAR_POSITIVE)
    if TASKS[name].label is Label.IMPOSSIBLE:
        refused(task, "label")
    else:
        assert ire.check(task).label is Label.CLEAR_POSITIVE


@pytest.mark.parametrize("name", TASKS)
def test_another_label_rung_room_or_role_is_refused(name):
    task = TASKS[name]
    impossible = task.label is Label.IMPOSSIBLE
    for label in Label:
        fits = label is Label.IMPOSSIBLE if impossible else label in (Label.HARD_POSITIVE, Label.CLEAR_POSITIVE)
        if not fits:
            refused(dataclasses.replace(task, label=label), "label")
    for rung in Rung:
        if rung is not task.rung:
            refused(dataclasses.replace(task, rung=rung), "rung")
    for room in (None, 0, 1, 2, 3):
        if room != task.room:
            refused(dataclasses.replace(task, room=room), "room")
    refused(dataclasses.replace(task, role=ire.Role.ATTACK), "role")
    refused(dataclasses.replace(task, role=ire.Role.RUBRIC), "role")
    refused(dataclasses.replace(task, certificate={**task.certificate, "kind": "band"}), "kind")


@pytest.mark.parametrize("name", TASKS)
def test_a_prompt_that_prints_something_else_than_the_packet_is_refused(name):
    task = TASKS[name]
    documents = task.packet["documents"]
    for one in documents:
        for printed in (one["title"], one["date"], f"\n{one['id']} |"):
            refused(dataclasses.replace(task, prompt=task.prompt.replace(printed, printed + "x")), "packet")
        for sentence in one["sentences"]:
            line = f"[{sentence['id']}] {sentence['text']}"
            assert line in task.prompt
            for other in ("", sentence["text"], line + " It is said.", line.replace("]", ".]")):
                refused(dataclasses.replace(task, prompt=task.prompt.replace(line, other)), "packet")
    for heading in ("\nDocuments\n", "\nQuestion\n"):
        refused(dataclasses.replace(task, prompt=task.prompt.replace(heading, "\n")), "packet")
    refused(dataclasses.replace(task, prompt=""), "packet")
    refused(dataclasses.replace(task, prompt=task.prompt[task.prompt.index("\n\nDocuments") :]), "packet")


@pytest.mark.parametrize("name", TASKS)
def test_other_rules_or_another_reply_format_are_refused(name):
    task = TASKS[name]
    kind = task.question["kind"]
    own = claim_format(kind)
    for other in KINDS:
        if other != kind:
            refused(dataclasses.replace(task, prompt=task.prompt.replace(own, claim_format(other))), "reply format")
    for other in (claim_format(kind, abstain=False), claim_format(kind, penalty="2"), "", own + " Good luck."):
        refused(dataclasses.replace(task, prompt=task.prompt.replace(own, other)), "reply format")
    for line in reading_rules().splitlines():
        refused(dataclasses.replace(task, prompt=task.prompt.replace(f"{line}\n", "")), "reading rules")
    for params in ({"abstain": False}, {"penalty": "2"}):
        refused(dataclasses.replace(task, params={**task.params, **params}), "reply format")
    for params in ({"abstain": 1}, {"penalty": "x"}, {"scheme": "none"}):
        refused(dataclasses.replace(task, params={**task.params, **params}), "params")


def test_the_numbers_of_a_question_and_all_names_of_a_reply_are_printed():
    refused(changed("document_there", "12.5 kg", "twelve and a half kg"), "does not print 25/2")
    assert ire.check(changed("document_there", "12.5 kg", "25/2 kg"))
    refused(changed("plan_feasible", "Give x and z.", "Give x and the other."), "does not name z")
    stock = changed("list_closed", "K-4 is entered", "K-5 is entered", everywhere=True)
    refused(stock, "does not name K-4")
    half = dataclasses.replace(packet_samples.number_settled(), question={**_HALF, "presupposes": []})
    refused(half, "does not print 1/2|proved|proof")


_HALF = {"kind": "number", "target": {"x": "1"}, "resolution": "1/2"}


def changed(name, text, other, everywhere=False):
    """The sample with other words in its prompt, and in its packet too."""
    data = json.loads(TASKS[name].to_json())
    assert text in data["prompt"]
    data["prompt"] = data["prompt"].replace(text, other)
    if everywhere:
        data["packet"] = json.loads(json.dumps(data["packet"]).replace(text, json.dumps(other)[1:-1]))
    return ire.Task.from_json(data)


def test_a_sentence_of_two_lines_is_refused():
    """It could pass for two sentences, or for a document of its own."""
    text = "y came to some kg or more."
    refused(changed("number_open", text, f"{text}\n[D9.1] x came to 31.2 kg.", everywhere=True), "packet|line")


@pytest.mark.parametrize("name", TASKS)
def test_labelled_answers_that_get_another_verdict_are_refused(name):
    task = TASKS[name]
    right, wrong = task.answers
    for answers in (
        (),
        (wrong,),
        ({**right, "reply": "?"}, wrong),
        ({**right, "reply": wrong["reply"]}, wrong),
        (right, {**wrong, "reply": right["reply"]}),
        (right, {**wrong, "expected": {"reward": "0", "verdict": "WRONG"}}),
        (right, {**wrong, "expected": {"reward": "-1", "verdict": "UNSUPPORTED"}}),
        (right, {"id": "x"}),
    ):
        refused(dataclasses.replace(task, answers=answers), "answer|expected|reply")


def test_labelled_answers_are_paid_by_the_penalty():
    task = packet_samples.number_open(penalty="5/2")
    assert ire.check(task)
    assert task.answers[1]["expected"] == {"reward": "-5/2", "verdict": "WRONG"}
    assert ire.check(packet_samples.number_settled(penalty="0", scheme="train"))
    unsure = {"id": "unsure", "type": "unsure", "reply": block({"verdict": "UNSURE"})}
    for abstain, verdict in ((True, "ABSTAINED"), (False, "REFUSED_PARSE")):
        given = packet_samples.number_open(abstain=abstain)
        labelled = {**unsure, "expected": {"reward": "0", "verdict": verdict}}
        assert ire.check(dataclasses.replace(given, answers=(*given.answers, labelled)))


@pytest.mark.parametrize("name", TASKS)
def test_an_altered_proof_or_packet_is_refused(name):
    data = json.loads(TASKS[name].to_json())
    proof = data["certificate"]["proof"]
    for part in proof:
        for value in (None, [], {}, "x", 5):
            if value != proof[part]:
                altered = {**data["certificate"], "proof": {**proof, part: value}}
                refused(ire.Task.from_json({**data, "certificate": altered}), "proof|dial|defeats|main")
    for part in proof["main"]:
        for value in (None, 5, "x", ["x"], {"x": "1"}):
            if value != proof["main"][part]:
                altered = {**data["certificate"], "proof": {**proof, "main": {**proof["main"], part: value}}}
                refused(ire.Task.from_json({**data, "certificate": altered}), "proof|task")
    for packet in (None, {}, {"documents": []}, {"documents": data["packet"]["documents"][1:]}):
        refused(ire.Task.from_json({**data, "packet": packet}), "task")


def test_a_check_takes_little_time():
    for task in TASKS.values():
        start = time.process_time()
        prove(task.to_mapping())
        assert time.process_time() - start < 0.5


@pytest.mark.parametrize("kind", KINDS)
def test_the_part_that_all_prompts_share_is_short_and_no_answer(kind):
    for abstain in (True, False):
        for penalty in ("1", "0", "5/2", "0.5"):
            shared = f"{reading_rules()}\n\n{claim_format(kind, abstain, penalty)}"
            assert shared.isascii()
            assert len(shared) <= (3_200 if penalty == "1" else 3_400)
            for text in (shared, shared + "\n" + shared, claim_format(kind, abstain, penalty), reading_rules()):
                assert isinstance(read_answer(text), Unreadable)
            assert ("UNSURE" in shared) == abstain
            assert ("Stakes" in shared) == (penalty != "1")
    for example in (block(answer("1")), block(refusal("false_premise", ["D1"]))):
        assert example not in claim_format(kind)


@pytest.mark.parametrize(
    "draw",
    [{}, {"abstain": False}, {"penalty": "5/2", "scheme": "train"}, {"depth": 6}, {"split": "eval_wording"}],
    ids=str,
)
def test_drawn_tasks_are_proved_and_gated(draw):
    """Every verdict that the gate plants is the one that the proof gives."""
    for task in ire.generate("answer", n=24, seed=9, **draw):
        assert ire.check(task).proved[-1] == "answers"
        for forgery in forgeries(task):
            assert ire.grade(task, forgery.reply).verdict in forgery.allowed, (task.id, forgery.name)


def test_a_refusal_of_a_range_without_its_ends_is_labelled_with_values_inside():
    drawn = ire.generate("insufficient_evidence", n=400, kind="yes_no", labels="impossible:1")
    strict = [task for task in drawn if all(task.certificate["proof"]["main"]["limits"])][:5]
    assert len(strict) == 5
    assert all(ire.grade(task, task.answers[0]["reply"]).witness_valid for task in strict)
