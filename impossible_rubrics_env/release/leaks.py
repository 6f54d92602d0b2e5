"""Leaks: what a role may not see, standing in what it does see.

A record's public part is its question and the ids and texts of its documents. It leaks where it has the record's own
`task_id` in it (ids spell out the type), the name of a type or of a private field as the format writes it, or a
sentence that was written for graders: the certificate's reasons, relevance notes, fixed answers, summaries. Claims
that a certificate calls supported are left out, since they may quote the documents.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from impossible_rubrics_env.release.errors import Problem
from impossible_rubrics_env.release.records import Record

SHORTEST_SENTENCE = 40
"""Fewest characters of a private text that counts as a leak: shorter ones may stand in a document by chance."""
MAX_ID_CHARS = 1_000
"""Longest `task_id` that is looked for."""
MAX_SENTENCES = 2_000
"""Most private texts of a record that are looked for."""
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
    private = Private(record.data)
    if len(record.task_id) > MAX_ID_CHARS:
        yield record.problem("task_id", f"has more than {MAX_ID_CHARS} characters")
        return
    if private.is_too_much:
        yield record.problem("evidence", f"has more than {MAX_SENTENCES} private texts, too many to look for")
        return
    for field, text in public_texts(record.data):
        for message in private.found_in(text):
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


class Private:
    """What of a record no role but the oracle may see, ready to be looked for in public texts."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        name = data.get("task_id")
        self._name = name if isinstance(name, str) and name.strip() and len(name) <= MAX_ID_CHARS else None
        listed = ((_plain(text), ".".join(path)) for path in _PRIVATE for text in _texts_at(data, path))
        self._sentences = dict(islice((one for one in listed if len(one[0]) >= SHORTEST_SENTENCE), MAX_SENTENCES + 1))

    @property
    def is_too_much(self) -> bool:
        """Whether there are more sentences than are looked for."""
        return len(self._sentences) > MAX_SENTENCES

    def found_in(self, text: str) -> Iterator[str]:
        """What of it a public text has, in words."""
        if self._name is not None and has_word(text, self._name):
            yield "has the record's task_id in it, which must stay out of prompts"
        word = _TELLING_WORD.search(text)
        if word:
            yield f"has {word.group()} in it, which only graders may see"
        public = _plain(text)
        if len(public) >= SHORTEST_SENTENCE:
            told = {path for sentence, path in self._sentences.items() if sentence in public}
            yield from (f"repeats {path.replace('.*', '[]')}, which only graders may see" for path in sorted(told))


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
