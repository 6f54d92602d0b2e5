"""Words of the statements that an answer may make: every frame beside what it means, and how its slots are filled.

A statement is one short sentence that can be read back into its meaning: no frame of one meaning fits another's
sentence. No frame needs a unit, and none knows a label. `docs/frames.md` lists them.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from impossible_rubrics_env.exact import number_text, rational

PLACES = 3
"""Hedges that differ in what they say; `place` is one of them."""
REASONS = ("subject", "period", "measure", "bound", "finding")
"""What a document may fall short in, in the order in which a sentence lists them."""

_GROUND = '"kind": "ground", "obstruction": "{}", "witness": {}'

TRAINING: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        "answer number": (
            "The answer is {number}.",
            "The figure asked for is {number}.",
            "{number} is the value that the question asks for.",
        ),
        "answer yes": (
            "The answer is yes.",
            "The question is to be answered with yes.",
            "What the question asks about is so.",
        ),
        "answer no": (
            "The answer is no.",
            "The question is to be answered with no.",
            "What the question asks about is not so.",
        ),
        "answer list": (
            "The entries that belong are {names}, and no others.",
            "The complete list is {names}.",
            "Exactly these belong: {names}.",
        ),
        "answer empty list": (
            "Nothing is on the complete list.",
            "There is no entry that belongs.",
            "No entry belongs at all.",
        ),
        "answer document": (
            "The claim is established in {document}.",
            "{document} establishes what is claimed.",
            "It is {document} that establishes the claim.",
        ),
        "answer plan": (
            "A plan that meets everything is {plan}.",
            "The requirements are met by {plan}.",
            "This plan is right: {plan}.",
        ),
        "settled": (
            "The documents settle the question.",
            "The question can be answered from the documents.",
            "A right answer follows from the documents.",
        ),
        "not settled": (
            "The documents do not settle the question.",
            "The question cannot be answered from the documents.",
            "No right answer follows from the documents.",
        ),
        "ground insufficient_evidence number": (
            "The evidence is insufficient: both {number} and {other} fit.",
            "{number} fits the documents as well as {other} does.",
            "Both {number} and {other} are possible answers, so the question is open.",
        ),
        "ground insufficient_evidence yes_no": (
            "The evidence is insufficient: the compared quantity may be as low as {number} and as high as {other}.",
            "The compared quantity can be anything from {number} to {other}, which leaves the question open.",
            "The compared quantity has {number} as its least and {other} as its greatest value, so both answers fit.",
        ),
        "ground insufficient_evidence list": (
            "The evidence is insufficient: {item} may or may not belong.",
            "Whether {item} belongs is left open by the documents.",
            "What is said of {item} does not show whether it belongs.",
        ),
        "ground objective_conflict": (
            "The requirements in {names} cannot all be met.",
            "There is a conflict between the requirements in {names}.",
            "No plan meets the requirements in {names} together.",
        ),
        "ground false_premise": (
            "What the question takes for granted is refuted by {names}.",
            "The question rests on a false premise, as shown by {names}.",
            "The premise of the question is contradicted by {names}.",
        ),
        "ground missing_citation": (
            "No document establishes what is asked: {reasons}.",
            "Each document fails to settle the question, for these reasons: {reasons}.",
            "What is asked is established nowhere: {reasons}.",
        ),
        "ground counterevidence_trap": (
            "{document}, which would have settled the question, is put out of force by {notice}.",
            "The question would be settled by {document}, but {notice} puts that out of force.",
            "Without {notice}, which puts it out of force, {document} would settle the question.",
        ),
        "ground impossible_exhaustiveness": (
            "The list is not closed, as {shown} shows.",
            "It is because of {shown} that no complete list can be given.",
            "In view of {shown}, the list cannot be closed.",
        ),
        "in force": (
            "Paragraph {sentence} is in force.",
            "What {sentence} says still stands.",
            "{sentence} is among the paragraphs in force.",
        ),
        "out of force": (
            "Paragraph {sentence} is out of force.",
            "What {sentence} says no longer stands.",
            "{sentence} is not among the paragraphs in force.",
        ),
        "cites": (
            "This rests on {document}.",
            "The source is {document}.",
            "See {document} for this.",
        ),
        "bound >=": (
            "The quantity asked for is at least {number}.",
            "The quantity asked for is not below {number}.",
            "What is asked for amounts to {number} or more.",
        ),
        "bound <=": (
            "The quantity asked for is at most {number}.",
            "The quantity asked for is not above {number}.",
            "What is asked for amounts to {number} or less.",
        ),
        "premise": (
            "What the question takes for granted is so.",
            "The premise of the question holds.",
            "The question is right in what it takes for granted.",
        ),
        "hedge 0": (
            "More documents might change this.",
            "Further papers could lead to another result.",
            "This may change if other documents turn up.",
        ),
        "hedge 1": (
            "This goes by the given documents alone.",
            "Nothing but these papers was looked at.",
            "All of this is drawn from the papers at hand.",
        ),
        "hedge 2": (
            "A second look at the papers would do no harm.",
            "It would be wise to have this checked.",
            "Someone else should go over this.",
        ),
    }
)
HELD_OUT: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        "answer number": ("What is asked for comes to {number}.", "The number wanted here is {number}."),
        "answer yes": ("Yes is the right reply.", "The reply has to be yes."),
        "answer no": ("No is the right reply.", "The reply has to be no."),
        "answer list": ("The full list reads {names}.", "Nothing belongs but {names}."),
        "answer empty list": ("The full list has nothing on it.", "Not a single entry belongs."),
        "answer document": ("The document asked for is {document}.", "One finds the claim established by {document}."),
        "answer plan": ("With {plan}, every requirement is met.", "One right plan reads {plan}."),
        "settled": ("The papers decide what is asked.", "The papers suffice for an answer."),
        "not settled": ("The papers do not decide what is asked.", "The papers do not suffice for an answer."),
        "ground insufficient_evidence number": (
            "Neither {number} nor {other} can be ruled out as the answer.",
            "The papers allow {number} and {other} alike.",
        ),
        "ground insufficient_evidence yes_no": (
            "What is compared ranges from {number} to {other}, and so yes and no are both possible.",
            "Neither yes nor no is certain, as what is compared lies between {number} and {other}, limits counted.",
        ),
        "ground insufficient_evidence list": (
            "The papers do not decide if {item} belongs.",
            "{item} could belong and could as well not.",
        ),
        "ground objective_conflict": (
            "The demands made in {names} contradict each other.",
            "One cannot satisfy all that is demanded in {names}.",
        ),
        "ground false_premise": (
            "The starting point of the question is wrong because of {names}.",
            "Read together, these rule out what the question assumes: {names}.",
        ),
        "ground missing_citation": (
            "None of the papers gives the answer: {reasons}.",
            "Going through the papers one by one, all fall short: {reasons}.",
        ),
        "ground counterevidence_trap": (
            "{document} would have decided the matter, had {notice} not put it out of force.",
            "What would decide stood in {document} until {notice} put it out of force.",
        ),
        "ground impossible_exhaustiveness": (
            "With {shown}, the list remains open.",
            "Given {shown}, the list that is asked for cannot be called full.",
        ),
        "in force": ("The text of {sentence} counts.", "{sentence} has not lost its force."),
        "out of force": ("The text of {sentence} does not count.", "{sentence} has lost its force."),
        "cites": ("This leans on {document}.", "For this one may turn to {document}."),
        "bound >=": (
            "The quantity in question is no less than {number}.",
            "A lower limit of what is asked for is {number}.",
        ),
        "bound <=": (
            "The quantity in question is no more than {number}.",
            "An upper limit of what is asked for is {number}.",
        ),
        "premise": ("The question starts from something true.", "What the question assumes is correct."),
        "hedge 0": ("New evidence would have to be weighed as well.", "Later papers may put this in another light."),
        "hedge 1": ("No outside knowledge went into this.", "Only what was handed over has been read."),
        "hedge 2": ("A careful reader may want to confirm this.", "It does not hurt to verify this once more."),
    }
)
MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        "answer number": '"kind": "answer", "value": number',
        "answer yes": '"kind": "answer", "value": "YES"',
        "answer no": '"kind": "answer", "value": "NO"',
        "answer list": '"kind": "answer", "value": [names]',
        "answer empty list": '"kind": "answer", "value": []',
        "answer document": '"kind": "answer", "value": document',
        "answer plan": '"kind": "answer", "value": {name: number}',
        "settled": '"kind": "settled", "holds": true',
        "not settled": '"kind": "settled", "holds": false',
        "ground insufficient_evidence number": _GROUND.format("insufficient_evidence", "[number, other]"),
        "ground insufficient_evidence yes_no": _GROUND.format("insufficient_evidence", "[number, other]"),
        "ground insufficient_evidence list": _GROUND.format("insufficient_evidence", "[item]"),
        "ground objective_conflict": _GROUND.format("objective_conflict", "[names]"),
        "ground false_premise": _GROUND.format("false_premise", "[names]"),
        "ground missing_citation": _GROUND.format("missing_citation", "{document: reason}"),
        "ground counterevidence_trap": _GROUND.format("counterevidence_trap", "[notice, document]"),
        "ground impossible_exhaustiveness": _GROUND.format("impossible_exhaustiveness", "[shown]"),
        "in force": '"kind": "standing", "sentence": sentence, "in_force": true',
        "out of force": '"kind": "standing", "sentence": sentence, "in_force": false',
        "cites": '"kind": "cites", "document": document',
        "bound >=": '"kind": "bound", "op": ">=", "value": number',
        "bound <=": '"kind": "bound", "op": "<=", "value": number',
        "premise": '"kind": "premise"',
        **{f"hedge {place}": f'"kind": "hedge", "place": {place}' for place in range(PLACES)},
    }
)
"""What each frame means, for the page that lists them."""


def render(meaning: Mapping[str, Any], question_kind: str, pick: int, held_out: bool) -> str:
    """One sentence that says it; `pick` chooses the frame."""
    name, slots = _slots(meaning, question_kind)
    frames = (HELD_OUT if held_out else TRAINING)[name]
    return frames[pick % len(frames)].format_map(slots)


def listed(texts: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def printed(text: str) -> str:
    """The number as prompts print it: a decimal where it is one."""
    return number_text(rational(text))


def _slots(meaning: Mapping[str, Any], question_kind: str) -> tuple[str, dict[str, str]]:
    """Which frames say it, and what goes into them."""
    kind = meaning["kind"]
    if kind == "answer":
        return _answer(meaning["value"], question_kind)
    if kind == "ground":
        return _ground(meaning, question_kind)
    if kind == "settled":
        return ("settled" if meaning["holds"] else "not settled"), {}
    if kind == "standing":
        return ("in force" if meaning["in_force"] else "out of force"), {"sentence": meaning["sentence"]}
    if kind == "cites":
        return kind, {"document": meaning["document"]}
    if kind == "bound":
        return f"bound {meaning['op']}", {"number": printed(meaning["value"])}
    return (kind if kind == "premise" else f"hedge {meaning['place']}"), {}


def _answer(value: Any, question_kind: str) -> tuple[str, dict[str, str]]:
    if question_kind == "number":
        return "answer number", {"number": printed(value)}
    if question_kind == "yes_no":
        return f"answer {value.lower()}", {}
    if question_kind == "document":
        return "answer document", {"document": value}
    if question_kind == "plan":
        return "answer plan", {"plan": listed([f"{name} = {printed(number)}" for name, number in value.items()])}
    return ("answer list", {"names": listed(value)}) if value else ("answer empty list", {})


def _ground(meaning: Mapping[str, Any], question_kind: str) -> tuple[str, dict[str, str]]:
    obstruction, witness = meaning["obstruction"], meaning["witness"]
    name = f"ground {obstruction}"
    if obstruction == "insufficient_evidence":
        name += f" {question_kind}"
        if question_kind == "list":
            return name, {"item": witness[0]}
        return name, {"number": printed(witness[0]), "other": printed(witness[1])}
    if obstruction == "missing_citation":
        return name, {"reasons": reasons_text(witness)}
    if obstruction == "counterevidence_trap":
        return name, {"notice": witness[0], "document": witness[1]}
    if obstruction == "impossible_exhaustiveness":
        return name, {"shown": witness[0]}
    return name, {"names": listed(witness)}


def reasons_text(witness: Mapping[str, str]) -> str:
    """Every document under its reason: `D1 and D4 (subject); D2 (finding)`."""
    groups = {reason: [document for document, said in witness.items() if said == reason] for reason in REASONS}
    return "; ".join(f"{listed(documents)} ({reason})" for reason, documents in groups.items() if documents)
