"""The gallery: one twin pair a family, with the edit marked, the proof in words and the labelled replies.

In: twin pairs as tasks. Out: lines of a Markdown page. Everything shown comes from the tasks' JSON.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.explain import explain
from impossible_rubrics_env.summary import IMPOSSIBLE_LABELS
from impossible_rubrics_env.task import Task
from impossible_rubrics_env.taskgen.registry import RUBRIC, family_weights, generate

SEED = 11
LOOKED_AT = 40
"""Pairs of a family among which the shortest is chosen whose question kind was shown least."""
RULES = "\n\nReading rules\n"
"""Where the part of a packet prompt begins that is the same in all prompts of a question kind."""
_PIECE = re.compile(r"\s+|[^\s]+")


class Pair(NamedTuple):
    """The twins as JSON data."""

    impossible: Mapping[str, Any]
    possible: Mapping[str, Any]


SHOWN = "answer,certified_interval"
"""Families that have a section; those of rubrics are on a page of their own."""


def page(families: str = SHOWN, seed: int = SEED) -> Iterator[str]:
    """Lines of the page."""
    yield "# Gallery"
    yield ""
    yield "Made by `make docs` (`impossible-rubrics gallery`). One twin pair a family: the impossible task, the edit"
    yield "that makes it answerable, why each label is right, and labelled replies with their verdicts. Names in"
    yield "formulas are those of the task's JSON ([format](format.md)). `impossible-rubrics check` checks each proof."
    rules = ""
    for pair in chosen_pairs(families, seed):
        yield from section(pair)
        rules = rules or pair.impossible["prompt"].partition(RULES)[2]
    if rules:
        yield from ("", "## The end of every packet prompt", "")
        yield "The reply format names the value that the question kind asks for; the rest is always the same."
        yield from ("", *_fenced(RULES.strip() + "\n" + rules))


def chosen_pairs(families: str, seed: int) -> Iterator[Pair]:
    """One pair of each family; question kinds take turns as far as the first pairs allow."""
    shown: Counter[str] = Counter()
    wanted = list(family_weights(families))
    for family in wanted:
        if family in RUBRIC:
            raise ArgumentError(f"{family} has no section in the gallery; docs/rubrics.md is about it")
    for family in wanted:
        pairs = list(_pairs(generate(family, n=2 * LOOKED_AT, seed=seed, mix="balanced")))
        if pairs:
            best = min(pairs, key=lambda pair: (shown[_kind(pair)], len(pair.impossible["prompt"])))
            shown[_kind(best)] += 1
            yield best


def _kind(pair: Pair) -> str:
    kind: str = pair.impossible["question"]["kind"]
    return kind


def _pairs(tasks: Iterable[Task]) -> Iterator[Pair]:
    waiting: dict[str, Task] = {}
    for task in tasks:
        other = waiting.pop(task.pair_id, None)
        if other is None:
            waiting[task.pair_id] = task
        else:
            first, second = sorted((task, other), key=lambda one: one.label not in IMPOSSIBLE_LABELS)
            if (first.label in IMPOSSIBLE_LABELS) != (second.label in IMPOSSIBLE_LABELS):
                yield Pair(json.loads(first.to_json()), json.loads(second.to_json()))


def section(pair: Pair) -> Iterator[str]:
    """The part of the page about one pair."""
    impossible, possible = pair
    yield from ("", f"## `{impossible['family']}`", "")
    for task in pair:
        yield f"- {task['label'].replace('_', ' ')}, {task['rung']}, room {task['room']}: `{task['id']}`"
    yield from ("", f"**The prompt** ({impossible['label']})", "")
    yield from _fenced(impossible["prompt"].partition(RULES)[0])
    yield from ("", f"**The edit** (first {impossible['label']}, then {possible['label'].replace('_', ' ')})", "")
    yield from edit(impossible["prompt"], possible["prompt"])
    if impossible["packet"]:
        yield from ("", "**The question**", "", f"> {_question(impossible['prompt'])}")
    yield from ("", f"**Why the first is {impossible['label']}**", "", *explain(impossible))
    yield from ("", f"**Why the second is {possible['label'].replace('_', ' ')}**", "", *explain(possible, impossible))
    yield from ("", "**Replies**", "", *_replies(pair))


def _fenced(text: str) -> Iterator[str]:
    yield "```text"
    yield from text.splitlines()
    yield "```"


def _question(prompt: str) -> str:
    return prompt.partition("\n\nQuestion\n")[2].partition("\n\n")[0]


def edit(first: str, second: str) -> Iterator[str]:
    """The lines in which two prompts differ, the difference in bold."""
    before, after = first.splitlines(), second.splitlines()
    for kind, low, high, other_low, other_high in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        old, new = before[low:high], after[other_low:other_high]
        if len(old) == len(new):
            for one, other in zip(old, new, strict=True):
                yield from _marked(one, other)
        else:
            yield from (f"- gone: {_plain(line)}" for line in old)
            yield from (f"- new: {_plain(line)}" for line in new)


def _marked(first: str, second: str) -> Iterator[str]:
    pieces, others = _PIECE.findall(first), _PIECE.findall(second)
    steps = SequenceMatcher(None, pieces, others, autojunk=False).get_opcodes()
    yield f"- {''.join(_bold(pieces[low:high], kind) for kind, low, high, _, _ in steps)}"
    yield f"- {''.join(_bold(others[low:high], kind) for kind, _, _, low, high in steps)}"


def _bold(pieces: Sequence[str], kind: str) -> str:
    text = _plain("".join(pieces))
    return f"**{text}**" if kind != "equal" and text.strip() else text


def _plain(text: str) -> str:
    """Text of a prompt in which Markdown sees no marks."""
    return re.sub(r"([*_`<>|\\])", r"\\\1", text)


def _replies(pair: Pair) -> Iterator[str]:
    yield "| task | reply | kind | verdict | reward |"
    yield "|---|---|---|---|---|"
    for task in pair:
        for answer in task["answers"]:
            reply = re.sub(r"</?answer>", "", answer["reply"]).replace("|", "\\|")
            expected = answer["expected"]
            label = task["label"].replace("_", " ")
            yield f"| {label} | `{reply}` | {answer['type']} | {expected['verdict']} | {expected['reward']} |"
