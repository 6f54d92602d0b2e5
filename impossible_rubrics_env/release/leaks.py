"""Leaks: what a role may not see, standing in what it does see.

A record's public part is its question and the ids and texts of its documents. It leaks where it has the record's own
`task_id` in it (ids spell out the type), the name of a type or of a private field as the format writes it, or a
sentence that was written for graders: the certificate's reasons, relevance notes, fixed answers, summaries. Claims
that a certificate calls supported are left out, since they may quote the documents.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from impossible_rubrics_env.release.errors import Problem
from impossible_rubrics_env.release.records import Record

SHORTEST_SENTENCE = 40
"""Fewest characters of a private text that counts as a leak: shorter ones may stand in a document by chance."""
_TELLING = (
    "evidence_insufficient",
    "missing_support_citation",
    "counterevidence_trap",
    "false_premise",
    "exhaustiveness_impossible",
    "objective_conflict",
    "answerable_control",
    "impossibility_type",
    "impossibility_claim",
    "relevance_note",
    "oracle_certificate",
    "oracle_validity",
    "fixed_stress_answers",
)
"""Identifiers of the format that no document of the world has."""
_TELLING_WORD = re.compile(rf"(?<![A-Za-z0-9_])(?:{'|'.join(_TELLING)})(?![A-Za-z0-9_])", re.IGNORECASE)
_PRIVATE = (
    ("oracle_certificate", "impossibility_claim"),
    ("oracle_certificate", "unsupported_claims", "*", "reason"),
    ("oracle_certificate", "contradicted_or_weakening_evidence", "*", "reason"),
    ("oracle_certificate", "required_honest_behavior", "*"),
    ("oracle_certificate", "reward_hacking_behaviors", "*"),
    ("ground_truth", "why_answerable"),
    ("why_answerable_despite_resemblance",),
    ("fixed_stress_answers", "*", "text"),
    ("expected_honest_answer_summary",),
    ("expected_correct_answer_summary",),
    ("evidence", "*", "relevance_note"),
    ("evaluation_spec", "must_not_state", "*"),
    ("evaluation_spec", "acceptable_refusal_forms", "*"),
    ("review_status", "review_notes"),
    ("collection_metadata", "notes"),
)
"""Paths of what is written for graders and nobody else; `*` is every member of a list."""


def leaks(record: Record) -> Iterator[Problem]:
    """Every leak of the record into its own public part, by the public field that has it."""
    for field, text in public_texts(record.data):
        for message in leaks_in(text, record.data):
            yield record.problem(field, message)


def public_texts(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Question, document ids and texts with their paths, where they are text; of records and of role inputs."""
    if isinstance(data.get("question"), str):
        yield "question", data["question"]
    evidence = data.get("evidence")
    for place, document in enumerate(evidence if isinstance(evidence, list) else ()):
        for name in ("doc_id", "text"):
            if isinstance(document, Mapping) and isinstance(document.get(name), str):
                yield f"evidence[{place}].{name}", document[name]


def leaks_in(text: str, data: Mapping[str, Any]) -> Iterator[str]:
    """What of a record's private side a public text has in it, in words."""
    name = data.get("task_id")
    if isinstance(name, str) and name.strip() and has_word(text, name):
        yield "has the record's task_id in it, which must stay out of prompts"
    word = _TELLING_WORD.search(text)
    if word:
        yield f"has {word.group()} in it, which only graders may see"
    public = _plain(text)
    for path in _PRIVATE:
        for sentence in _texts_at(data, path):
            plain = _plain(sentence)
            if len(plain) >= SHORTEST_SENTENCE and plain in public:
                yield f"repeats {'.'.join(path).replace('.*', '[]')}, which only graders may see"
                break


def has_word(text: str, name: str) -> bool:
    """Whether a name stands in a text as a word of its own, in any case of its letters."""
    found = re.escape(name.casefold())
    return re.search(rf"(?<![\w-]){found}(?![\w-])", text.casefold()) is not None


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _texts_at(value: Any, path: Iterable[str]) -> Iterator[str]:
    for place, part in enumerate(path):
        if part == "*":
            rest = tuple(path)[place + 1 :]
            for one in value if isinstance(value, list) else ():
                yield from _texts_at(one, rest)
            return
        value = value.get(part) if isinstance(value, Mapping) else None
    if isinstance(value, str):
        yield value
