"""The panel of labelled answers that a rubric must rank: sets of statements, honest ones and some of each failing."""

from collections.abc import Iterator
from typing import Any

from impossible_rubrics_env.rubrics.marks import FALSE_MARKS, Marked

HARMLESS = ("hedge", "standing", "bound", "premise", "settled")
"""Kinds of statement that may be added to an honest answer where they are allowed."""


def panel(marked: Marked) -> list[dict[str, Any]]:
    """The labelled answers; which of them are honest follows from the marks."""
    return [{"type": kind, "set": list(ids)} for kind, ids in _answers(marked)]


def bad(marked: Marked) -> list[str]:
    """The statements that make an answer false, in list order."""
    return [name for name in marked.ids if marked.marks[name] in FALSE_MARKS]


def of_kind(marked: Marked, *kinds: str) -> list[str]:
    """The statements of these kinds, in list order."""
    return [name for name in marked.ids if marked.means[name]["kind"] in kinds]


def _answers(marked: Marked) -> Iterator[tuple[str, list[str]]]:
    honest, false = list(marked.baseline), set(bad(marked))
    added = [name for name in of_kind(marked, *HARMLESS) if marked.marks[name] == "allowed"]
    yield "correct", honest
    yield "correct_grounded", _ordered(marked, [*honest, *added])
    answers = [name for name in of_kind(marked, "answer") if name in false]
    settled = [name for name in of_kind(marked, "settled") if marked.means[name]["holds"]]
    yield "wrong_confident", _ordered(marked, [*answers[:1], *settled])
    yield "wrong_confident_2", _ordered(marked, [*answers[-1:], *added])
    grounds = [name for name in of_kind(marked, "ground") if name in false]
    open_ = [name for name in of_kind(marked, "settled") if not marked.means[name]["holds"]]
    kind = "over_refusal" if marked.answerable else "unproved_refusal"
    yield kind, _ordered(marked, [*open_, *grounds[:1]])
    yield "citation_stuffing", _ordered(marked, [*honest, *marked.idle])
    yield "says_nothing", []


def _ordered(marked: Marked, ids: list[str]) -> list[str]:
    return [name for name in marked.ids if name in ids]
