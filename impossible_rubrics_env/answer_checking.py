"""Check of an answer task: the packet's proof, label, room and rung, and that the prompt prints all of it."""

from collections.abc import Iterator, Mapping
from typing import Any

from impossible_rubrics_env.certificates.packet_proofs import Proved, prove
from impossible_rubrics_env.exact import number_text, rational
from impossible_rubrics_env.printed import printed_names, printed_numbers
from impossible_rubrics_env.prompt import claim_format, reading_rules
from impossible_rubrics_env.task import Label, Task
from impossible_rubrics_env.verdicts import stakes

_ANSWERABLE = (Label.HARD_POSITIVE, Label.CLEAR_POSITIVE)


def check_answer_task(task: Task) -> Proved:
    """Prove the packet's claim again, and that the task states what is proved."""
    proved = prove(task.proof_parts())
    labels = _ANSWERABLE if proved.answerable else (Label.IMPOSSIBLE,)
    if task.label not in labels:
        raise ValueError(f"it states the label {task.label}; proved is {' or '.join(labels)}")
    if (task.room, task.rung) != (proved.room, proved.dial.rung):
        stated = f"it states room={task.room} and rung={task.rung}"
        raise ValueError(f"{stated}; proved are {proved.room} and {proved.dial.rung}")
    _check_prompt(task, proved)
    return proved


def _check_prompt(task: Task, proved: Proved) -> None:
    """The prompt is an opening, the packet as it stands, the question, the reading rules and the reply format."""
    given = stakes(task.params, offers_unsure=True)
    penalty = number_text(rational(task.params.get("penalty", "1")))
    ending = claim_format(proved.kind, given.offers_unsure, penalty)
    check_packet_prompt(task.prompt, task.packet or {}, task.question, proved, ending)


def check_packet_prompt(
    prompt: str, packet: Mapping[str, Any], asked: Mapping[str, Any], proved: Proved, ending: str
) -> None:
    """The prompt is an opening, the packet as it stands, the question, the reading rules, and this ending."""
    documents = "\n\n".join(_printed(document) for document in packet["documents"])
    before, found, after = prompt.partition(f"\n\nDocuments\n\n{documents}\n\nQuestion\n")
    if not found or not before:
        raise ValueError("the prompt does not print the packet")
    if not is_line(before) or set(before) & set("[]|"):
        raise ValueError("the prompt opens with more than a line of plain text, which could hold a document of its own")
    question = after.removesuffix(f"\n\n{reading_rules()}\n\n{ending}")
    if question == after or not question:
        raise ValueError("the prompt does not end with the reading rules and the reply format of its question")
    numbers = printed_numbers(question)
    for number in _asked_numbers(asked):
        if number not in numbers:
            raise ValueError(f"the question does not print {number[:100]}")
    for text, names in ((question, proved.variables), (documents, proved.item_ids)):
        if names and (unnamed := set(names) - printed_names(text)):
            raise ValueError(f"the prompt does not name {min(unnamed)[:100]}")


def _printed(document: Mapping[str, Any]) -> str:
    """A document as the prompt prints it: a line for its title, and one for each sentence."""
    lines = [f"{document['id']} | {document['title']} | {document['date']}"]
    lines += [f"[{sentence['id']}] {sentence['text']}" for sentence in document["sentences"]]
    plain = "|" not in document["title"] and not any("[" in sentence["text"] for sentence in document["sentences"])
    if not plain or not all(map(is_line, lines)):
        raise ValueError(f"a title or a sentence of {document['id']} is more than a line of plain text")
    return "\n".join(lines)


def is_line(text: str) -> bool:
    """Whether the text is one line for every reader: printable ASCII."""
    return text.isascii() and text.isprintable()


def _asked_numbers(question: Mapping[str, Any]) -> Iterator[str]:
    """The numbers that a question cannot do without; a resolution of 1 is the unit alone."""
    if question["resolution"] not in (None, "1"):
        yield question["resolution"]
    if question["kind"] == "document":
        yield question["target"]["bound"]["value"]
