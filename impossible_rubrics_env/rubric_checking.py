"""Check of a rubric task: packet, marks and walk, label, room and rung, and that the prompt prints all of it."""

from collections.abc import Mapping
from typing import Any

from impossible_rubrics_env.answer_checking import check_packet_prompt
from impossible_rubrics_env.certificates.packet_proofs import Proved, prove
from impossible_rubrics_env.exact import number_text, rational
from impossible_rubrics_env.numerals import read_exact
from impossible_rubrics_env.prompt import (
    REQUESTS,
    attack_set_format,
    rubric_format,
    rubric_language,
    rubric_lines,
    statement_answer_format,
    statement_rules,
)
from impossible_rubrics_env.reference_policies.statement_reading import meanings
from impossible_rubrics_env.reply import OBSTRUCTIONS
from impossible_rubrics_env.rubric_grading import SetAttackView, view_rubric, view_set_attack, view_statements
from impossible_rubrics_env.rubrics.language import MICRO
from impossible_rubrics_env.task import Label, Role, Rung, Task
from impossible_rubrics_env.verdicts import stakes

_ANSWERABLE = (Label.HARD_POSITIVE, Label.CLEAR_POSITIVE)


def check_set_attack_task(task: Task) -> tuple[str, ...]:
    """Prove the packet, the marks and the walk again, and that the task states what is proved."""
    _check_shape(task, "rubric_attack")
    view, proved = view_set_attack(task), prove(_packet_task(task))
    label = Label.BREAKABLE if view.room else Label.UNBREAKABLE
    rung = _rung_of_walk(task, view)
    if (task.role, task.label, task.rung) != (Role.ATTACK, label, rung):
        raise ValueError(f"it states {task.role}, {task.label} and {task.rung}; proved are {label} and {rung}")
    given = stakes(task.params, offers_unsure=False)
    ending = attack_set_format(abstain=given.offers_unsure, penalty=_penalty(task))
    criteria = rubric_lines(task.question["target"]["rubric"])
    shown = f"{rubric_language()}\n\nRubric, one criterion a line\n{criteria}\n\nTask\n"
    _check_prompt(task, proved, shown, ending)
    return ("packet", "marks", "walk", "label", "prompt")


def check_rubric_task(task: Task) -> tuple[str, ...]:
    """Prove the packet and the marks again, and that the task states what is proved."""
    _check_shape(task, "rubric_writing")
    view_rubric(task)
    proved = _check_label(task)
    given = stakes(task.params, offers_unsure=False)
    ending = f"{rubric_language()}\n\n{rubric_format(abstain=given.offers_unsure, penalty=_penalty(task))}"
    _check_prompt(task, proved, "Task\n", ending)
    return ("packet", "marks", "panel", "label", "rung", "prompt")


def check_statement_task(task: Task) -> tuple[str, ...]:
    """Prove the packet and the marks again, and that the task states what is proved."""
    _check_shape(task, "rubric_reward")
    view = view_statements(task)
    proved = _check_label(task)
    penalty = _penalty(task) if view.rubric is None else "1"
    _check_prompt(task, proved, "Task\n", statement_answer_format(abstain=view.stakes.offers_unsure, penalty=penalty))
    return ("packet", "marks", "label", "rung", "prompt")


def _exact(meaning: Any) -> Any:
    """The meaning with every number in one form, whether it was written as a decimal or as `p/q`."""
    if isinstance(meaning, Mapping):
        return {name: _exact(one) for name, one in meaning.items()}
    if isinstance(meaning, (list, tuple)):
        return [_exact(one) for one in meaning]
    ratio = read_exact(meaning) if isinstance(meaning, str) else None
    return meaning if ratio is None else number_text(rational(ratio.numerator, ratio.denominator))


def _check_shape(task: Task, family: str) -> None:
    """Family, the question's constant fields, and whether a rubric pays."""
    question, target = task.question, task.question["target"]
    if task.family != family or question["resolution"] is not None or list(question["presupposes"]):
        raise ValueError(f"its family and question are none of {family}")
    rubric = {"attack": {"rubric", "baseline"}, "rubric": set(), "statements": set()}[question["kind"]]
    if question["kind"] == "statements" and task.params.get("paid_by") != "certificate":
        rubric = {"rubric"}
    if target.keys() != {"family", "question", "statements"} | rubric:
        raise ValueError("question: target: it has other fields than its family has, or a rubric pays that none should")


def _check_label(task: Task) -> Proved:
    """Label and rung are the packet's; gives what is proved of it."""
    proved = prove(_packet_task(task))
    if (task.label in _ANSWERABLE) != proved.answerable or task.room is not None:
        raise ValueError(f"it states {task.label} and room={task.room}, which is not what is proved")
    if task.rung != proved.dial.rung:
        raise ValueError(f"it states rung={task.rung}; proved is {proved.dial.rung}")
    return proved


def _penalty(task: Task) -> str:
    return number_text(rational(task.params.get("penalty", "1")))


def _packet_task(task: Task) -> dict[str, Any]:
    """The packet task that the statements are about, as far as its proof goes."""
    target: Mapping[str, Any] = task.question["target"]
    if target["family"] not in OBSTRUCTIONS:
        raise ValueError(f"question: family={str(target['family'])[:60]!r} is no packet family")
    proof = {"kind": "packet", "proof": task.certificate["proof"]["packet"]}
    return {"family": target["family"], "packet": task.packet, "question": target["question"], "certificate": proof}


def _rung_of_walk(task: Task, view: SetAttackView) -> Rung:
    """By how many points the best false answer has over the baseline."""
    if not view.room:
        return Rung.IMPOSSIBLE
    margin = rational(task.certificate["proof"]["walk"]["false"]["score"]) - rational(view.baseline, MICRO)
    return Rung.RAZOR if 10 * margin <= 1 else Rung.NARROW if margin <= 1 else Rung.WIDE


def _check_prompt(task: Task, proved: Proved, shown: str, ending: str) -> None:
    """The prompt is the packet's, then the statements and their rules, what is shown, a request, and the ending."""
    statements = task.question["target"]["statements"]
    listed = "\n".join(f"[{one['id']}] {one['text']}" for one in statements)
    head = f"Statements\n{listed}\n\n{statement_rules()}\n\n{shown}"
    for one in statements:
        if _exact(one["means"]) not in map(_exact, meanings(one["text"], proved.kind)):
            raise ValueError(f"statement {one['id']} does not say what it is said to mean")
    packet, found, after = task.prompt.partition(f"\n\n{head}")
    request = after.removesuffix(f"\n\n{ending}")
    if not found or request == after or request != REQUESTS[task.question["kind"]]:
        raise ValueError("the prompt does not print the statements, the rubric or the reply format as they stand")
    question = task.question["target"]["question"]
    check_packet_prompt(f"{packet}\n\n{head}", task.packet or {}, question, proved, head)
