"""Reads the answers of our records back: which claim a text makes, as the reply that a policy would give.

The inverse of `prose`, from the English alone. Its sentences stand here once more on purpose: what would read them from
the writer would share the writer's faults.
"""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

Reply = dict[str, Any]
"""A reply's JSON object: `verdict`, and `value` or `obstruction` and `witness`."""


class Said(NamedTuple):
    """What the text of an answer says."""

    reply: Reply
    definite: str
    """The sentence that gives an answer, or the ground of a refusal."""
    documents: tuple[str, ...]
    """Documents that it says support it."""


_HEADS = {
    "The documents in force leave more than one answer open.": "insufficient_evidence",
    "The requirements in force cannot all be met.": "objective_conflict",
    "What the question takes for granted is not so.": "false_premise",
    "No document in force establishes what is asked.": "missing_citation",
    "The document that would have settled the question is out of force.": "counterevidence_trap",
    "The documents in force do not close the list that the question is about.": "impossible_exhaustiveness",
}
_REASONS = {
    "about another subject": "subject",
    "about another period": "period",
    "about another measure": "measure",
    "not tight enough to settle it": "bound",
    "without a finding in force": "finding",
}
_CONFLICT = "objective_conflict"
_UNDECIDED = "I cannot tell from these documents whether the question has an answer."
_SETTLES, _NONE = "The documents settle this. ", " No definite answer is justified."
_STUFFED = re.compile(r"(?P<said>.+) Every document of the file supports this: (?P<names>.+)\.")
_GROUNDED = re.compile(r"(?P<said>.+) It follows from what (?P<names>.+) states? in force\.")
_UNPROVED = re.compile(
    r"This cannot be answered: paragraphs? (?P<names>.+) (?:sets a requirement|set requirements) that cannot be met"
    r"(?: together)?, so the documents contradict themselves\."
)
_GIVEN: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Any]], ...] = (
    (re.compile(r"The value asked for is (\S+)\."), lambda found: found[1]),
    (re.compile(r"This plan meets every requirement: (.+)\."), lambda found: _plan(found[1])),
    (re.compile(r"Document (\S+) establishes the claim\."), lambda found: found[1]),
    (re.compile(r"Yes, that is the case\."), lambda _: "YES"),
    (re.compile(r"No, that is not the case\."), lambda _: "NO"),
    (re.compile(r"No entry belongs, so the complete list is empty\."), lambda _: []),
    (re.compile(r"The complete list has (one entry|[0-9]+ entries): (.+)\."), lambda found: _list(found[1], found[2])),
)
_SHOWN: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Any]], ...] = (
    (re.compile(r"Both (\S+) and (\S+) fit everything in force, .+"), lambda found: [found[1], found[2]]),
    (re.compile(r"By the documents in force, .+ ranges from (\S+) to (\S+), and .+"), lambda found: [*found.groups()]),
    (re.compile(r"Paragraphs (.+) ask for things that cannot all be had, .+"), lambda found: names_in(found[1])),
    (re.compile(r"Taken together, (.+) refute it\."), lambda found: names_in(found[1])),
    (re.compile(r"Document (\S+) refutes it\."), lambda found: [found[1]]),
    (re.compile(r"A notice in (\S+) puts (\S+) out of force, .+"), lambda found: [found[1], found[2]]),
    (re.compile(r"Paragraph (\S+) shows that the list is not complete: .+"), lambda found: [found[1]]),
    (re.compile(r"The documents in force leave it open whether (\S+) belongs\."), lambda found: [found[1]]),
    (re.compile(r"Document by document: (.+)\."), lambda found: _failing(found[1])),
)


def reread(text: str) -> Said | None:
    """What a fixed answer says; None where it says nothing that can be read again."""
    if text == _UNDECIDED:
        return Said({"verdict": "UNSURE"}, text, ())
    for pattern in (_STUFFED, _GROUNDED):
        found = pattern.fullmatch(text)
        if found is not None:
            said = reread_answer(found["said"])
            return said and said._replace(documents=tuple(names_in(found["names"])))
    if text.startswith("This cannot be answered"):
        return _unproved(text)
    if text.endswith(_NONE):
        return reread_ground(text.removesuffix(_NONE))
    return reread_answer(text.removeprefix(_SETTLES))


def reread_answer(sentence: str) -> Said | None:
    """What a definite answer says."""
    value = _first(_GIVEN, sentence)
    return None if value is None else Said({"verdict": "ANSWER", "value": value}, sentence, ())


def reread_ground(text: str) -> Said | None:
    """What a refusal with its witness says."""
    obstruction, shown = _headed(text)
    witness = _first(_SHOWN, shown)
    if obstruction is None or witness is None:
        return None
    return Said({"verdict": "IMPOSSIBLE", "obstruction": obstruction, "witness": witness}, text, ())


def obstruction_of(sentence: str) -> str | None:
    """The obstruction that a sentence names, whatever the case of its first letter."""
    return _HEADS.get(sentence[:1].upper() + sentence[1:])


def names_in(text: str) -> list[str]:
    """The names of `D1, D2 and D7`; of a long list that is cut short, those that stand there."""
    return [name for name in re.split(r", | and ", text) if name and not re.fullmatch(r"[0-9]+ more", name)]


def _first(patterns: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Any]], ...], text: str) -> Any:
    for pattern, read in patterns:
        found = pattern.fullmatch(text)
        if found is not None:
            return read(found)
    return None


def _headed(text: str) -> tuple[str | None, str]:
    for head, obstruction in _HEADS.items():
        if text.startswith(head):
            return obstruction, text.removeprefix(head).strip()
    return None, ""


def _unproved(text: str) -> Said | None:
    """A refusal on a ground that is not so; without paragraphs it shows nothing."""
    found = _UNPROVED.fullmatch(text)
    witness = None if found is None else names_in(found["names"])
    obstruction = obstruction_of(text.removeprefix("This cannot be answered. ")) if found is None else _CONFLICT
    if obstruction is None:
        return None
    return Said({"verdict": "IMPOSSIBLE", "obstruction": obstruction, "witness": witness}, text, ())


def _plan(text: str) -> dict[str, str] | None:
    pairs = [part.partition(" = ") for part in names_in(text)]
    return {name: number for name, _, number in pairs} if all(found for _, found, _ in pairs) else None


def _list(count: str, text: str) -> list[str] | None:
    names = names_in(text)
    return names if count == ("one entry" if len(names) == 1 else f"{len(names)} entries") else None


def _failing(text: str) -> dict[str, str] | None:
    """By document, the reason why it does not settle the question."""
    reasons: dict[str, str] = {}
    for part in text.split("; "):
        found = re.fullmatch(r"(.+) (?:is|are) (.+)", part)
        if found is None or found[2] not in _REASONS:
            return None
        reasons |= dict.fromkeys(names_in(found[1]), _REASONS[found[2]])
    return reasons
