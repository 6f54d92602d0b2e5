"""Reads the question of a packet: what is asked, and what is taken for granted. Written from `docs/frames.md`."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from impossible_rubrics_env.reference_policies.packet_frames import (
    listed,
    pattern_of,
    quantity_of,
    readings_of,
    relative,
    step_of,
)
from impossible_rubrics_env.reference_policies.packet_model import Linear, Quantity, Question

Slots = Mapping[str, str]

# What is taken for granted. `{first}` and `{that_second}`: the first exceeds the second.
_PREMISES = tuple(
    re.compile(pattern_of(text))
    for text in (
        "[given|we know] that {first} exceeds {that_second}, [so |]",
        "it is settled that {first} is greater than {that_second}. ",
        "as {first} is higher than {that_second}, ",
        "{second} is smaller than {that_first}. with that in mind, ",
        "since {second} falls below {that_first}, ",
        "seeing that {first} tops {that_second}, ",
        "nobody disputes that {second} trails {that_first}; ",
        "{first} is ahead of {that_second}. this being so, ",
    )
)
_KEYS = tuple(
    re.compile(text)
    for text in (
        r"use the keys (?P<keys>[^;.]+) for (?P<names>the [^;.]+), in this order; figures in ",
        r"in the reply, (?P<names>the [^;.]+) go by the keys (?P<keys>[^;.]+), in this order; give amounts in ",
    )
)


def _number(slots: Slots, _text: str) -> Question:
    return Question("number", quantity_of(slots["quantity"]), figure=step_of(slots["step"]))


def _compared(op: str) -> Callable[[Slots, str], Question]:
    def question(slots: Slots, _text: str) -> Question:
        quantity = quantity_of(slots["quantity"])
        return Question("yes_no", quantity, relative(slots["that"], quantity), op)

    return question


def _list(slots: Slots, _text: str) -> Question:
    return Question("list", Quantity(slots["subject"], slots["period"], ""), grade=slots["grade"])


def _document(slots: Slots, _text: str) -> Question:
    claim = next(iter(readings_of(slots["clause"])), ())
    if len(claim) != 1 or not isinstance(claim[0], Linear) or claim[0].single is None:
        raise ValueError(f"no claim about one quantity: {slots['clause']!r}")
    return Question("document", claim[0].single, op=claim[0].op, figure=claim[0].rhs)


def _plan(slots: Slots, text: str) -> Question:
    keys = next((found for pattern in _KEYS if (found := pattern.search(text))), None)
    if keys is None:
        raise ValueError(f"no keys for a plan in: {text!r}")
    names = [Quantity(name, slots["period"], slots["measure"]) for name in listed(keys["names"])]
    return Question("plan", plan=dict(zip(listed(keys["keys"]), names, strict=True)))


_CORES = tuple(
    (re.compile(pattern_of(text)), question)
    for question, texts in (
        (
            _number,
            (
                "[what|how large] is {quantity}, to the nearest {step}?",
                "state {quantity} to the nearest {step}.",
                "give {quantity}, rounded to the nearest {step}.",
                "what value does {quantity} have, to the nearest {step}?",
                "put a figure on {quantity}, correct to the nearest {step}.",
                "at what figure, to the nearest {step}, should {quantity} be entered?",
                "work out {quantity} to the nearest {step}.",
            ),
        ),
        (
            _compared(">"),
            (
                "is {quantity} [above|higher than] {that}?",
                "does {quantity} [exceed|top] {that}?",
                "is it the case that {quantity} is greater than {that}?",
                "say whether {quantity} is larger than {that}.",
                "decide whether {quantity} is ahead of {that}.",
                "would one be right to put {quantity} above {that}?",
            ),
        ),
        (
            _compared("<"),
            (
                "is {quantity} [below|lower than] {that}?",
                "does {quantity} [fall short of|trail] {that}?",
                "is it the case that {quantity} is less than {that}?",
                "say whether {quantity} is smaller than {that}.",
                "decide whether {quantity} is behind {that}.",
                "would one be right to put {quantity} below {that}?",
            ),
        ),
        (
            _list,
            (
                "list all {item_kinds} of {subject} for {period} with {grade_kind} {grade} or higher.",
                "which {item_kinds} of {subject} for {period} have {grade_kind} {grade} or higher?",
                "name every {item_kind} of {subject} for {period} whose {grade_kind} is {grade} or higher.",
                "which {item_kinds} of {subject} for {period} are in {grade_kind} {grade} or a higher one?",
                "give all {item_kinds} counted under {subject} for {period} that have {grade_kind} {grade} or higher.",
                "pick out the {item_kinds} for {subject} over {period} that reach {grade_kind} {grade} or better.",
                "what are all the {item_kinds} for {subject} over {period} with at least {grade_kind} {grade}?",
                "draw up the full list of {item_kinds} for {subject} over {period}, from {grade_kind} {grade} upwards.",
            ),
        ),
        (
            _document,
            (
                "which document establishes that {clause}?",
                "which of the documents shows that {clause}?",
                "name the document that proves that {clause}. ",
                "where is it established that {clause}?",
                "cite the document from which it follows that {clause}. ",
                "what document can be cited for the claim that {clause}?",
                "find the document that by itself bears out that {clause}. ",
                "on which document does the claim rest that {clause}?",
            ),
        ),
        (
            _plan,
            (
                "set {measure} for {period} for each of {subjects}.",
                "give a plan for {measure} for {period}, with one figure for each of {subjects}.",
                "what should {measure} be for {period} at each of {subjects}?",
                "plan {measure} for {period}, with one figure for each of {subjects}.",
                "state {measure} that is to be planned for {period} for each of {subjects}.",
                "fix {measure} over {period} at {subjects}, one by one.",
                "how should {measure} over {period} be set at {subjects}, one by one?",
                "propose {measure} over {period} at {subjects}, a figure apiece.",
            ),
        ),
    )
    for text in texts
)


def read_question(paragraph: str) -> Question:
    """The question of a paragraph. Raises ValueError where no frame has it."""
    text = paragraph.lower()
    start, premise = 0, None
    for pattern in _PREMISES:
        if granted := pattern.match(text):
            start, premise = granted.end(), _granted(granted.groupdict())
            break
    for pattern, question in _CORES:
        if found := pattern.match(text, start):
            asked = question(found.groupdict(), text)
            return replace(asked, premise=premise)
    raise ValueError(f"no frame has this question: {paragraph[:300]!r}")


def _granted(slots: Slots) -> tuple[Quantity, Quantity]:
    if "first" in slots:
        first = quantity_of(slots["first"])
        return first, relative(slots["that_second"], first)
    second = quantity_of(slots["second"])
    return relative(slots["that_first"], second), second
