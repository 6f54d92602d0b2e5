"""The gate lets the honest grader through and stops every grader with one planted fault, naming the forgery."""

import dataclasses
import json
import re
from functools import cache
from pathlib import Path

import pytest

import impossible_rubrics_env as ire
from impossible_rubrics_env.errors import CertificateError, GateError
from impossible_rubrics_env.gate import forgeries, gate_tasks, run_gate
from impossible_rubrics_env.grading import Grade, Verdict
from impossible_rubrics_env.task import Rung, Task

FIXTURES = json.loads(Path(__file__).with_name("grading_cases.json").read_text(encoding="ascii"))["tasks"]
SOLVED = Grade(1, Verdict.SOLVED, well_formed=True)
UNSUPPORTED = Grade(0, Verdict.UNSUPPORTED, well_formed=True)
WRONG = Grade(-1, Verdict.WRONG, well_formed=True, false_claim=True)
UNREAD = Grade(0, Verdict.REFUSED_PARSE, well_formed=False)


@cache
def tasks():
    return tuple(gate_tasks("certified_interval"))


def attack(text):
    return f'<answer>{{"attack": {text}}}</answer>'


def number_in(reply):
    """The number of a readable attack, by a lax reader; None where there is none."""
    found = (
        re.fullmatch(r'.*<answer>\{"attack": "?(-?[0-9.e+/-]+)"?\}</answer>', reply or "", re.DOTALL)
        if isinstance(reply, str)
        else None
    )
    if found is None or "</think>" in reply or "<think>" in reply:
        return None
    top, _, bottom = found[1].partition("/")
    return float(top) / float(bottom or 1)


def proof_numbers(task):
    proof = task.certificate["proof"]

    def number(text):
        top, _, bottom = text.partition("/")
        return int(top) / int(bottom or 1)

    ends = (proof["lo"], proof["hi"], proof["accept"]["lo"], proof["accept"]["hi"])
    return [number(end) for end in ends]


def reads_the_first_block(task, reply):
    if isinstance(reply, str) and "</answer>" in reply:
        reply = reply[: reply.index("</answer>") + len("</answer>")]
    return ire.grade(task, reply)


def takes_the_best_of_all_blocks(task, reply):
    if isinstance(reply, str) and reply.count("<answer>") == reply.count("</answer>") == 2 and "</think>" not in reply:
        cut = reply.index("</answer>") + len("</answer>")
        return max(ire.grade(task, reply[:cut]), ire.grade(task, reply[cut:]), key=lambda grade: grade.reward)
    return ire.grade(task, reply)


def falls_back_to_a_complete_block(task, reply):
    if isinstance(reply, str) and "</answer>" in reply:
        reply = reply[: reply.rindex("</answer>") + len("</answer>")]
    return ire.grade(task, reply)


def ignores_open_think_blocks(task, reply):
    return ire.grade(task, reply.replace("<think>", "") if isinstance(reply, str) else reply)


def reads_every_role(task, reply):
    return ire.grade(task, reply[-1]["content"] if isinstance(reply, list) else reply)


def takes_the_last_of_two_names(task, reply):
    if isinstance(reply, str) and reply.count('"attack"') == 2 and reply.count("<answer>") == 1:
        return ire.grade(task, attack('"NO_ATTACK"'))
    return ire.grade(task, reply)


def finds_the_word_anywhere(task, reply):
    if isinstance(reply, str) and "<answer>" not in reply and "NO_ATTACK" in reply:
        return ire.grade(task, attack('"NO_ATTACK"'))
    return ire.grade(task, reply)


def takes_unreadable_for_a_refusal(task, reply):
    grade = ire.grade(task, reply)
    return ire.grade(task, attack('"NO_ATTACK"')) if grade.verdict is Verdict.REFUSED_PARSE else grade


def takes_unreadable_for_wrong(task, reply):
    grade = ire.grade(task, reply)
    return WRONG if grade.verdict is Verdict.REFUSED_PARSE else grade


def takes_no_reply_for_a_refusal(task, reply):
    return ire.grade(task, attack('"NO_ATTACK"') if reply is None else reply)


def takes_nan_for_a_value_outside(task, reply):
    return UNSUPPORTED if isinstance(reply, str) and "NaN" in reply else ire.grade(task, reply)


def takes_infinity_for_a_value_outside(task, reply):
    return UNSUPPORTED if reply == attack("1e400") else ire.grade(task, reply)


def takes_true_for_one(task, reply):
    return ire.grade(task, reply.replace("true", "1") if isinstance(reply, str) else reply)


def unpacks_a_list_of_one(task, reply):
    return ire.grade(task, reply.replace("[1]", "1") if isinstance(reply, str) else reply)


def reads_hexadecimal(task, reply):
    return ire.grade(task, reply.replace('"0x1p3"', "8.0") if isinstance(reply, str) else reply)


def pays_values_inside(task, reply):
    grade = ire.grade(task, reply)
    return SOLVED if grade.false_break else grade


def forgives_values_inside(task, reply):
    grade = ire.grade(task, reply)
    return UNSUPPORTED if grade.false_break else grade


def pays_misses(task, reply):
    grade = ire.grade(task, reply)
    return SOLVED if grade.verdict is Verdict.UNSUPPORTED else grade


def charges_misses(task, reply):
    grade = ire.grade(task, reply)
    return WRONG if grade.verdict is Verdict.UNSUPPORTED else grade


def pays_every_refusal(task, reply):
    grade = ire.grade(task, reply)
    return SOLVED if grade.refused else grade


def pays_no_refusal(task, reply):
    grade = ire.grade(task, reply)
    return WRONG if grade.refused else grade


def accepts_everything(_task, _reply):
    return SOLVED


def refuses_everything(_task, _reply):
    return UNREAD


def compares_floats(task, reply):
    """lo <= x <= hi and |x - key| <= tolerance in double arithmetic: the classic."""
    value = number_in(reply)
    if value is None:
        return ire.grade(task, reply)
    lo, hi, accept_lo, accept_hi = proof_numbers(task)
    if lo <= value <= hi:
        return WRONG
    key, tolerance = (accept_lo + accept_hi) / 2, (accept_hi - accept_lo) / 2
    return SOLVED if abs(value - key) <= tolerance else UNSUPPORTED


def compares_with_a_slack(task, reply):
    value = number_in(reply)
    if value is None:
        return ire.grade(task, reply)
    lo, hi, accept_lo, accept_hi = proof_numbers(task)
    slack = 1e-9 * abs(hi)
    if lo - slack <= value <= hi + slack:
        return WRONG
    return SOLVED if accept_lo <= value <= accept_hi else UNSUPPORTED


def leaves_out_the_ends_of_the_certificate(task, reply):
    value = number_in(reply)
    grade = ire.grade(task, reply)
    first, last = task.certificate["proof"]["certified"]
    from impossible_rubrics_env.doubles import ordinal

    at_end = value is not None and abs(value) < 1e300 and str(ordinal(value)) in {first, last}
    return UNSUPPORTED if at_end else grade


def leaves_out_the_ends_of_the_acceptance(task, reply):
    value = number_in(reply)
    grade = ire.grade(task, reply)
    from impossible_rubrics_env.doubles import ordinal

    at_end = value is not None and abs(value) < 1e300 and str(ordinal(value)) in task.certificate["proof"]["accepted"]
    return UNSUPPORTED if at_end and grade.verdict is Verdict.SOLVED else grade


def looks_at_one_side_only(task, reply):
    """Accepts whatever is above the certificate's low end and at most the acceptance's high end."""
    value = number_in(reply)
    grade = ire.grade(task, reply)
    if value is None or grade.verdict is not Verdict.SOLVED:
        return grade
    return grade if value > proof_numbers(task)[1] else UNSUPPORTED


def has_no_low_end(task, reply):
    value = number_in(reply)
    if value is not None and value < min(proof_numbers(task)):
        return SOLVED
    return ire.grade(task, reply)


def pays_the_key(task, reply):
    key = task.question["grader"].get("key")
    return SOLVED if key is not None and isinstance(reply, str) and f'"{key}"' in reply else ire.grade(task, reply)


def pays_a_false_claim_under_its_right_name(task, reply):
    grade = ire.grade(task, reply)
    return dataclasses.replace(grade, reward=1) if grade.false_claim else grade


def pays_an_unreadable_reply_under_its_right_name(task, reply):
    grade = ire.grade(task, reply)
    return grade if grade.well_formed else dataclasses.replace(grade, reward=1)


def pays_nothing_for_a_right_reply(task, reply):
    return dataclasses.replace(ire.grade(task, reply), reward=0)


def crashes_on_no_reply(task, reply):
    if reply is None:
        raise AttributeError("'NoneType' object has no attribute 'rfind'")
    return ire.grade(task, reply)


def crashes_on_messages(task, reply):
    return ire.grade(task, reply if reply is None else reply.strip())


FAULTS = {
    reads_the_first_block: "block|claim",
    takes_the_best_of_all_blocks: "then a false claim",
    falls_back_to_a_complete_block: "taken back",
    ignores_open_think_blocks: "open think",
    reads_every_role: "user's mouth",
    takes_the_last_of_two_names: "both claims",
    finds_the_word_anywhere: "empty reply 'NO_ATTACK'",
    takes_unreadable_for_a_refusal: "gate",
    takes_unreadable_for_wrong: "gate",
    takes_no_reply_for_a_refusal: "no reply",
    takes_nan_for_a_value_outside: "NaN",
    takes_infinity_for_a_value_outside: "1e400",
    takes_true_for_one: "true",
    unpacks_a_list_of_one: r"\[1\]",
    reads_hexadecimal: "0x1p3",
    pays_values_inside: "inside the certificate",
    forgives_values_inside: "inside the certificate",
    pays_misses: "just past",
    charges_misses: "just past",
    pays_every_refusal: "refusal",
    pays_no_refusal: "refusal|right reply",
    accepts_everything: "inside the certificate",
    refuses_everything: "right reply",
    compares_floats: "right reply|certificate|grader accepts|end of the band|key",
    compares_with_a_slack: "right reply|end of the band|just past|just before",
    leaves_out_the_ends_of_the_certificate: "end of the certificate|inside the certificate",
    leaves_out_the_ends_of_the_acceptance: "end of the band|right reply",
    looks_at_one_side_only: "end of the band|right reply",
    has_no_low_end: "just before",
    pays_the_key: "the key",
    pays_a_false_claim_under_its_right_name: "paid 1",
    pays_an_unreadable_reply_under_its_right_name: "paid 1",
    pays_nothing_for_a_right_reply: "paid 0",
    crashes_on_no_reply: "no reply made the grader fail",
    crashes_on_messages: "user's mouth made the grader fail",
}


@pytest.mark.parametrize("grader", FAULTS, ids=lambda grader: grader.__name__)
def test_a_grader_with_one_fault_does_not_pass(grader):
    with pytest.raises(GateError, match=FAULTS[grader]) as caught:
        run_gate(tasks(), grader)
    assert any(task.id in str(caught.value) for task in tasks())


@pytest.mark.parametrize(
    "draw",
    [
        *(
            {},
            {"seed": 3},
            {"abstain": True, "penalty": "5/2"},
            {"scheme": "train"},
            {"scheme": "unit", "penalty": "0"},
        ),
        *({"mix": "balanced"}, {"split": "eval_harder"}, {"split": "eval_wording"}, {"source": "parametric"}),
    ],
    ids=str,
)
def test_the_honest_grader_passes(draw):
    planted = gate_tasks("certified_interval", **draw)
    report = run_gate(planted)
    assert report.tasks == len(planted) > 6
    assert report.replies == sum(len([*forgeries(task)]) for task in planted) > 30 * len(planted)
    assert {task.question["grader"]["shape"] for task in planted} == {"absolute", "relative", "rounding", "certificate"}
    breakable = {Rung.RAZOR} if draw.get("split") == "eval_harder" else set(Rung) - {Rung.IMPOSSIBLE}
    assert {task.rung for task in planted} == {Rung.IMPOSSIBLE} | breakable


def test_the_honest_grader_passes_on_the_fixed_tasks():
    """Also near the subnormals, around zero, and where the real band holds no double."""
    planted = [Task.from_json(data) for data in FIXTURES.values()]
    assert run_gate(planted).tasks == len(planted)


def test_both_halves_of_the_gate_are_asked_for():
    impossible = [task for task in tasks() if task.room == 0]
    breakable = [task for task in tasks() if task.room]
    for given in ([], impossible, breakable, iter(())):
        with pytest.raises(GateError, match="needs tasks"):
            run_gate(given)


def test_a_broken_task_is_its_own_error():
    data = json.loads(tasks()[0].to_json())
    for value in (None, {}, {**data["certificate"]["proof"], "room": "1" + data["certificate"]["proof"]["room"]}):
        broken = Task.from_json({**data, "certificate": {**data["certificate"], "proof": value}})
        with pytest.raises(CertificateError, match="fails at"):
            run_gate([broken, *tasks()])


@pytest.mark.parametrize(
    "arguments",
    [
        {"mix": "balanced", "order": "shuffled"},
        {"mix": "balanced", "rungs": "wide:1"},
        {"tau": "0.5"},
        {"room": 0},
        {"shape": "certificate"},
        {"rungs": "razor:1"},
        {"record": "golden-ratio"},
        {"record": "factorial-10"},
        {"source": "parametric", "split": "eval_harder"},
        {"split": "eval_wording", "penalty": "0", "scheme": "unit", "abstain": True},
    ],
    ids=str,
)
def test_the_gate_follows_any_arguments_that_a_draw_takes(arguments):
    next(ire.generate("certified_interval", n=1, **arguments))
    assert run_gate(gate_tasks("certified_interval", **arguments)).tasks > 4
