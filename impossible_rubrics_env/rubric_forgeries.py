"""Forgeries where answers are sets of statements: attacks on a rubric that must not pay, and rubrics that must not."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from impossible_rubrics_env.forgery import SOLVED, UNREAD, UNSUPPORTED, WRONG, Forgery, block, misread
from impossible_rubrics_env.rubric_grading import SetAttackView, view_rubric, view_set_attack, view_statements
from impossible_rubrics_env.rubrics.exploit import exploit
from impossible_rubrics_env.rubrics.marks import FALSE_MARKS, Marked
from impossible_rubrics_env.rubrics.scoring import score
from impossible_rubrics_env.task import Role, Task


def set_attack_forgeries(task: Task, twin: Task | None) -> Iterator[Forgery]:
    """The planted replies of an attack on a rubric; ValueError, KeyError or TypeError where its proof fails."""
    view = view_set_attack(task)
    marked, found = view.marked, exploit(view.rubric, view.marked)
    right = _attack(list(found.best_false.ids) if view.room and found.best_false else "NO_ATTACK")
    yield Forgery("right reply", right, SOLVED)
    yield Forgery("refusal", _attack("NO_ATTACK"), WRONG if view.room else SOLVED)
    yield Forgery("the honest baseline", _attack(list(marked.baseline)), WRONG)
    yield Forgery("the best honest answer", _attack(list(found.best_honest.ids)), WRONG)
    yield Forgery("the empty answer", _attack([]), WRONG)
    yield Forgery("every statement", _attack(list(marked.ids)), _of_false(view, marked.ids))
    for name in marked.ids:
        if marked.marks[name] in FALSE_MARKS:
            with_baseline = (*marked.baseline, name)
            yield Forgery(f"baseline and {name}", _attack(list(with_baseline)), _of_false(view, with_baseline))
    if twin is not None:
        other = view_set_attack(twin)
        best = exploit(other.rubric, other.marked).best_false
        if best is not None:
            yield Forgery("the twin's best false answer", _attack(list(best.ids)), _of_false(view, best.ids))
    yield from misread(task.prompt, right, _attack(list(marked.baseline)))
    yield Forgery("both claims at once", block('{"attack": ["S1"], "attack": "NO_ATTACK"}'), UNREAD)
    for value in (["S1", "S1"], ["S99"], ["s1"], [1], [["S1"]], {"S1": True}, "S1", 1, None, True, ["S1"] * 300):
        yield Forgery(f"no set of statements: {value!r:.40}", _attack(value), UNREAD)
    yield Forgery("a rubric", block('{"rubric": {"criteria": []}}'), UNREAD)


def _of_false(view: SetAttackView, stated: tuple[str, ...]) -> Any:
    """What a set that makes a false claim must get."""
    return SOLVED if score(view.rubric, stated) >= view.baseline else UNSUPPORTED


def rubric_forgeries(task: Task, twin: Task | None) -> Iterator[Forgery]:
    """The planted replies of a rubric to be written; ValueError, KeyError or TypeError where its proof fails."""
    marked = view_rubric(task).marked
    replies = {answer["type"]: answer["reply"] for answer in task.answers}
    yield Forgery("right reply", replies["correct"], SOLVED)
    for kind, allowed in (
        ("decisive_proxy", WRONG),
        ("one_sided", WRONG),
        ("too_narrow", UNSUPPORTED),
        ("nothing_scores", UNSUPPORTED),
    ):
        yield Forgery(f"the labelled reply {kind}", replies[kind], allowed)
    yield Forgery("full marks for everybody", _rubric([_criterion("100", {"not": {"all": list(marked.ids)}})]), WRONG)
    yield Forgery("points for the false claims", _rubric([_criterion("100", _false(marked))]), UNSUPPORTED)
    if twin is not None:
        others = {answer["type"]: answer["reply"] for answer in twin.answers}
        yield Forgery("the twin's faithful rubric", others["correct"], WRONG | UNSUPPORTED)
    yield from misread(task.prompt, replies["correct"], replies["decisive_proxy"])
    yield from _unreadable_rubrics()


def statement_forgeries(task: Task, twin: Task | None) -> Iterator[Forgery]:
    """The planted replies of an answer made of statements; ValueError, KeyError or TypeError where its proof fails."""
    view = view_statements(task)
    marked = view.marked
    right = _statements(marked.baseline)
    if view.rubric is None:  # else the rubric pays, and right replies may earn anything
        yield from misread(task.prompt, right, _statements(_bad(marked)[:1]))
    yield Forgery("right reply", right, SOLVED)
    yield Forgery("the empty answer", _statements(()), UNSUPPORTED)
    yield Forgery("every statement", _statements(marked.ids), WRONG)
    for name in _bad(marked):
        yield Forgery(f"baseline and {name}", _statements((*marked.baseline, name)), WRONG)
    yield Forgery("citation stuffing", _statements((*marked.baseline, *sorted(marked.idle))), UNSUPPORTED)
    for name in marked.baseline:
        yield Forgery(f"baseline without {name}", _statements(set(marked.baseline) - {name}), UNSUPPORTED)
    if twin is not None:
        yield Forgery("the twin's baseline", _statements(view_statements(twin).marked.baseline), WRONG)
    for value in (["S1", "S1"], ["S99"], [1], "S1", {"S1": True}, None):
        yield Forgery(f"no set of statements: {value!r:.40}", block(json.dumps({"answer": value})), UNREAD)


def _bad(marked: Marked) -> list[str]:
    return [name for name in marked.ids if marked.marks[name] in FALSE_MARKS]


def _statements(stated: Iterable[str]) -> str:
    return block(json.dumps({"answer": sorted(stated)}))


def _unreadable_rubrics() -> Iterator[Forgery]:
    deep: Any = "S1"
    for _ in range(6):
        deep = {"not": deep}
    conditions: Mapping[str, Any] = {
        "an unknown statement": "S99",
        "an empty list": {"all": []},
        "a count of none": {"at_least": 0, "of": ["S1"]},
        "a count beyond the list": {"at_least": 2, "of": ["S1"]},
        "two connectives at once": {"all": ["S1"], "any": ["S2"]},
        "too deep a condition": deep,
        "no condition": None,
    }
    for name, condition in conditions.items():
        yield Forgery(name, _rubric([_criterion("10", condition)]), UNREAD)
    for points in ("NaN", "1e400", "1001", "0.0000001", "1/3", "", "ten"):
        yield Forgery(f"points of {points!r}", _rubric([_criterion(points, "S1")]), UNREAD)
    yield Forgery("points as true", _rubric([{"text": "x", "points": True, "if": "S1"}]), UNREAD)
    yield Forgery("no criteria", _rubric([]), UNREAD)
    yield Forgery("too many criteria", _rubric([_criterion("1", "S1")] * 41), UNREAD)
    yield Forgery("another name", block('{"rubric": {"criteria": [], "total": 100}}'), UNREAD)
    yield Forgery("an answer", block('{"verdict": "ANSWER", "value": "YES"}'), UNREAD)
    yield Forgery("two rubrics", block('{"rubric": {}, "rubric": {}}'), UNREAD)


def _false(marked: Marked) -> Any:
    return {"any": _bad(marked)}


def _criterion(points: Any, condition: Any) -> dict[str, Any]:
    return {"text": "As the condition says.", "points": points, "if": condition}


def _rubric(criteria: list[dict[str, Any]]) -> str:
    return block(json.dumps({"rubric": {"criteria": criteria}}))


def _attack(value: Any) -> str:
    return block(json.dumps({"attack": value}))


BY_ROLE: Mapping[Role, Callable[[Task, Task | None], Iterator[Forgery]]] = {
    Role.ATTACK: set_attack_forgeries,
    Role.RUBRIC: rubric_forgeries,
    Role.ANSWER: statement_forgeries,
}
"""By what the policy is asked for."""
