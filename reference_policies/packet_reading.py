"""Reads the prompt of an answer task back into a packet: the prompt string and nothing else.

The layout is fixed. `packet_frames` reads sentences and `packet_questions` the question, both from the frames that
`docs/frames.md` lists.
"""

import re

from impossible_rubrics_env.reference_policies.packet_frames import read_sentence
from impossible_rubrics_env.reference_policies.packet_model import Document, Packet, Sentence
from impossible_rubrics_env.reference_policies.packet_questions import read_question

_HEADING = re.compile(r"(?P<id>D[0-9]+) \| (?P<title>.+) \| (?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2})")
_PARAGRAPH = re.compile(r"\[(?P<id>D[0-9]+\.[0-9]+)\] (?P<text>.+)")


def read_packet(prompt: str) -> Packet:
    """The packet of a prompt. Raises ValueError where the layout or a sentence is not a known one."""
    _, found, rest = prompt.partition("\n\nDocuments\n\n")
    documents, asked, rest = rest.partition("\n\nQuestion\n")
    if not found or not asked:
        raise ValueError(f"no documents and question in: {prompt[:200]!r}")
    question = read_question(rest.partition("\n\n")[0])
    return Packet(tuple(_document(block) for block in documents.split("\n\n")), question)


def _document(block: str) -> Document:
    heading, *paragraphs = block.split("\n")
    found = _HEADING.fullmatch(heading)
    if found is None:
        raise ValueError(f"no heading of a document: {heading[:200]!r}")
    return Document(found["id"], found["title"], found["date"], tuple(_sentence(line) for line in paragraphs))


def _sentence(line: str) -> Sentence:
    found = _PARAGRAPH.fullmatch(line)
    if found is None:
        raise ValueError(f"no numbered paragraph: {line[:200]!r}")
    return Sentence(found["id"], found["text"], read_sentence(found["text"]))
