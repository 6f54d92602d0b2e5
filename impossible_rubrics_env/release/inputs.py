"""What each role of the study sees, and nothing else: typed inputs for prompt builders, and the files of role inputs.

| role | sees | never sees |
|---|---|---|
| generator | question, ids and texts of the documents | certificate, answers, notes, `task_id` |
| attacker | the same, and the rubric | certificate, baseline, labels |
| judge | the same, the rubric and both answers | certificate, which answer is right |
| oracle | the same, the certificate and the attacker's answer | rubric and scores |

In: records. Everything is an allowlist: a field that is not named here cannot get through. A record whose question or
documents leak its private side is refused with RecordsError.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

from impossible_rubrics_env.release.errors import Problem, RecordsError, ReleaseError
from impossible_rubrics_env.release.files import listed, plain, read_text, shown
from impossible_rubrics_env.release.leaks import Private, leaks, public_texts
from impossible_rubrics_env.release.records import Kind, Record
from impossible_rubrics_env.release.strict_json import parse

MAX_INPUT_BYTES = 64 * 2**20
"""Longest file of role inputs."""
LINE_FIELDS = ("task_id", "question", "evidence")
DOCUMENT_FIELDS = ("doc_id", "text")


class Document(NamedTuple):
    """A document as roles see it."""

    doc_id: str
    text: str


@dataclass(frozen=True, slots=True)
class GeneratorInput:
    """What the writer of a rubric sees. There is no `task_id`: ids spell out the type."""

    question: str
    documents: tuple[Document, ...]

    def __post_init__(self) -> None:
        _require_types(self)


@dataclass(frozen=True, slots=True)
class AttackerInput:
    """What the attacker of a rubric sees."""

    question: str
    documents: tuple[Document, ...]
    rubric: str

    def __post_init__(self) -> None:
        _require_types(self)


@dataclass(frozen=True, slots=True)
class JudgeInput:
    """What the judge sees who scores both answers by the rubric."""

    question: str
    documents: tuple[Document, ...]
    rubric: str
    baseline: str
    """The honest answer, fixed before the attack; the judge is not told that it is honest."""
    attacker_answer: str

    def __post_init__(self) -> None:
        _require_types(self)


@dataclass(frozen=True, slots=True)
class OracleInput:
    """What the oracle sees who says whether the attacker's answer breaks the certificate."""

    question: str
    documents: tuple[Document, ...]
    certificate: Mapping[str, Any]
    """The record's `oracle_certificate`."""
    attacker_answer: str

    def __post_init__(self) -> None:
        _require_types(self)


def _require_types(seen: GeneratorInput | AttackerInput | JudgeInput | OracleInput) -> None:
    """So that a whole record cannot pass for a part of it."""
    for item in fields(seen):
        value = getattr(seen, item.name)
        if item.name == "documents":
            _require_documents(value)
        elif item.name == "certificate":
            if not isinstance(value, Mapping):
                raise TypeError(f"certificate must be a mapping, not {type(value).__name__}")
        elif not isinstance(value, str):
            raise TypeError(f"{item.name} must be text, not {type(value).__name__}")


def _require_documents(value: Any) -> None:
    pairs = isinstance(value, tuple) and all(
        isinstance(one, tuple) and len(one) == 2 and all(isinstance(part, str) for part in one) for one in value
    )
    if not pairs or not value:
        raise TypeError("documents must be a tuple of (doc_id, text) pairs, at least one")


def generator_input(record: Record) -> GeneratorInput:
    """What the generator sees of a record. Raises RecordsError where that is malformed or leaks."""
    return GeneratorInput(*_public(record))


def attacker_input(record: Record, rubric: str) -> AttackerInput:
    """What the attacker sees."""
    return AttackerInput(*_public(record), rubric)


def judge_input(record: Record, rubric: str, attacker_answer: str, baseline: str | None = None) -> JudgeInput:
    """What the judge sees; without a `baseline`, the record's own honest answer."""
    return JudgeInput(
        *_public(record), rubric, honest_answer(record) if baseline is None else baseline, attacker_answer
    )


def oracle_input(record: Record, attacker_answer: str) -> OracleInput:
    """What the oracle sees. Raises ReleaseError for a control, which has no certificate."""
    certificate = record.data.get("oracle_certificate")
    if record.kind is not Kind.IMPOSSIBLE or not isinstance(certificate, Mapping):
        raise ReleaseError(f"{record.problem('oracle_certificate', 'missing: an oracle needs it')}")
    return OracleInput(*_public(record), certificate, attacker_answer)


def honest_answer(record: Record) -> str:
    """The honest baseline: the text of the first fixed answer that is valid. Raises ReleaseError without one."""
    answers = record.data.get("fixed_stress_answers")
    for answer in answers if isinstance(answers, list) else ():
        if isinstance(answer, Mapping) and answer.get("oracle_validity") == "valid":
            text = answer.get("text")
            if isinstance(text, str):
                return text
    raise ReleaseError(f"{record.problem('fixed_stress_answers', 'has no valid answer')}")


def _public(record: Record) -> tuple[str, tuple[Document, ...]]:
    line = input_line(record)
    return line["question"], tuple(Document(one["doc_id"], one["text"]) for one in line["evidence"])


# Files of role inputs


def input_line(record: Record) -> dict[str, Any]:
    """The line of a role input file: `{"task_id", "question", "evidence": [{"doc_id", "text"}]}`.

    Raises RecordsError where the question or the evidence is empty, a document lacks its id or text, the id of a
    document occurs twice, or what is public leaks what is not.
    """
    problems = [*_faults(record), *leaks(record)]
    if problems:
        raise RecordsError(problems)
    documents = [{name: one[name] for name in DOCUMENT_FIELDS} for one in record.data["evidence"]]
    return {"task_id": record.task_id, "question": record.data["question"], "evidence": documents}


def _faults(record: Record) -> Iterator[Problem]:
    for name in ("task_id", "question"):
        value = record.data.get(name)
        if not isinstance(value, str) or not value.strip():
            yield record.problem(name, "missing, empty or no text")
    evidence = record.data.get("evidence")
    if not isinstance(evidence, list) or not evidence:
        yield record.problem("evidence", "missing, empty or no list")
        return
    seen: set[str] = set()
    for place, document in enumerate(evidence):
        if not isinstance(document, Mapping):
            yield record.problem(f"evidence[{place}]", f"must be an object, not {shown(document)}")
            continue
        for name in DOCUMENT_FIELDS:
            value = document.get(name)
            if not isinstance(value, str) or not value.strip():
                yield record.problem(f"evidence[{place}].{name}", "missing, empty or no text")
            elif name == "doc_id" and value in seen:
                yield record.problem(f"evidence[{place}].doc_id", f"{shown(value)} occurs twice")
            elif name == "doc_id":
                seen.add(value)


def role_inputs(records: Iterable[Record], task_ids: Iterable[str]) -> str:
    """The JSONL of the role inputs of these tasks, in this order.

    Raises RecordsError or ReleaseError where an id has no record, an id is there twice, or an input is refused.
    """
    held = _by_id(records)
    wanted = list(task_ids)
    without = [name for name in wanted if name not in held]
    if without:
        raise ReleaseError(f"{len(without)} ids of the split have no record: {listed(without)}")
    lines: list[dict[str, Any]] = []
    problems: list[Problem] = []
    for name in wanted:
        try:
            lines.append(input_line(held[name]))
        except RecordsError as error:
            problems.extend(error.problems)
    if problems:
        raise RecordsError(problems)
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def _by_id(records: Iterable[Record]) -> dict[str, Record]:
    held: dict[str, Record] = {}
    problems: list[Problem] = []
    for record in records:
        if not record.task_id.strip():
            problems.append(record.problem("task_id", "missing, empty or no text"))
        elif record.task_id in held:
            problems.append(record.problem("task_id", f"occurs twice: also in {held[record.task_id].source}"))
        held.setdefault(record.task_id, record)
    if problems:
        raise RecordsError(problems)
    return held


def check_inputs(path: Path, records: Iterable[Record] = ()) -> int:
    """How many role inputs a JSONL file has, all of which have the allowed fields and leak nothing.

    With the records, each input must also be what its record gives, and have nothing of the record's private side.
    Raises RecordsError that names line, id and field.
    """
    held = _by_id(records)
    problems: list[Problem] = []
    seen: set[str] = set()
    for place, text in enumerate(read_text(path, MAX_INPUT_BYTES).split("\n"), 1):
        if text.strip():
            source = f"{path.name} line {place}"
            try:
                value = parse(text)
            except ValueError as error:
                problems.append(Problem(source, "", "", str(error)))
                continue
            problems.extend(_input_problems(value, source, held, seen))
    if problems:
        raise RecordsError(problems)
    if not seen:
        raise ReleaseError(f"{plain(path)}: no role inputs")
    return len(seen)


def _input_problems(value: Any, source: str, held: Mapping[str, Record], seen: set[str]) -> Iterator[Problem]:
    if not isinstance(value, dict):
        yield Problem(source, "", "", f"a role input must be an object, not {shown(value)}")
        return
    given = Record(Kind.IMPOSSIBLE, value, source)
    yield from _foreign(given, value, LINE_FIELDS, "")
    evidence = value.get("evidence")
    for place, document in enumerate(evidence if isinstance(evidence, list) else ()):
        if isinstance(document, dict):
            yield from _foreign(given, document, DOCUMENT_FIELDS, f"evidence[{place}].")
    yield from _faults(given)
    if given.task_id in seen:
        yield given.problem("task_id", "occurs twice")
    seen.add(given.task_id)
    record = held.get(given.task_id)
    if held and record is None:
        yield given.problem("task_id", "no record has this id")
    private = Private(record.data if record else {"task_id": given.task_id})
    for field, text in public_texts(value):
        yield from (given.problem(field, message) for message in private.found_in(text))
    if record is not None:
        yield from _differences(given, record)


def _foreign(given: Record, data: Mapping[str, Any], allowed: tuple[str, ...], path: str) -> Iterator[Problem]:
    for name in data:
        if name not in allowed:
            yield given.problem(f"{path}{name}", f"leaks: a role input has nothing but {', '.join(allowed)} here")


def _differences(given: Record, record: Record) -> Iterator[Problem]:
    """Where the input says something else than its record; other fields of the record are no matter."""
    ours, theirs = dict(public_texts(given.data)), dict(public_texts(record.data))
    for field in [*ours, *(name for name in theirs if name not in ours)]:
        if ours.get(field) != theirs.get(field):
            yield given.problem(field, f"is not what {record.source} has")
