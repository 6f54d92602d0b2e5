"""Whether records obey the published format: the JSON Schemas of this package, the rules beyond them, and no leaks.

In: records as `records.load_records` reads them, of any JSON. Out: a `Report` with every problem, by record and field,
and the warnings. Total: whatever the JSON is, nothing but `RecordsError` is raised, and that by `require_valid` alone.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import Any

from impossible_rubrics_env.errors import MissingExtraError
from impossible_rubrics_env.release.errors import Problem, RecordsError
from impossible_rubrics_env.release.files import shown
from impossible_rubrics_env.release.leaks import leaks
from impossible_rubrics_env.release.records import Kind, Loaded, Record

MAX_RECORD_PROBLEMS = 100
"""Most problems that are looked for in one record."""
MAX_PROBLEMS = 10_000
"""Where there are more problems than this, further records are not looked at."""
SYNTHETIC = "SYNTHETIC"
"""What `url_or_reference` says of an invented document."""
_SCHEMAS = {Kind.IMPOSSIBLE: "environment", Kind.CONTROL: "control"}
_TEXTS = {
    Kind.IMPOSSIBLE: ("task_id", "version", "domain", "question", "expected_honest_answer_summary"),
    Kind.CONTROL: ("task_id", "domain", "question", "expected_correct_answer_summary"),
}
_LISTS = {Kind.IMPOSSIBLE: ("known_failure_modes", "fixed_stress_answers"), Kind.CONTROL: ()}
_DOCUMENT = ("doc_id", "title", "source_type", "url_or_reference", "publication_date", "text", "relevance_note")
_TRUTH = ("answer", "supporting_docs", "why_answerable")
_CITING = (("supported_claims", "supporting_docs"), ("contradicted_or_weakening_evidence", "counter_docs"))
_INVENTED = ("synthetic", "synthetic_control")
_FETCHED = ("primary_fetched", "mirror_fetched")
_CVE = re.compile(r"CVE-\d{4}-\d{4,}", re.ASCII | re.IGNORECASE)
_TYPES = {"string": "text", "array": "a list", "object": "an object", "null": "null"}


@dataclass(frozen=True, slots=True)
class Report:
    """What is wrong with records, and what is only odd."""

    problems: tuple[Problem, ...]
    """Any of them makes the records unusable."""
    warnings: tuple[Problem, ...]


def require_valid(records: Iterable[Record]) -> Report:
    """The report of valid records. Raises RecordsError with every problem otherwise."""
    report = inspect_records(records)
    if report.problems:
        raise RecordsError(report.problems)
    return report


def inspect_loaded(loaded: Loaded) -> Report:
    """The report on everything at a path, unreadable files included."""
    report = inspect_records(loaded.records)
    problems = [*loaded.problems, *report.problems]
    if loaded.is_release and not problems and all(record.kind is Kind.CONTROL for record in loaded.records):
        problems.append(Problem("data", "", "", "no impossible tasks"))
    return Report(tuple(problems), report.warnings)


def inspect_records(records: Iterable[Record]) -> Report:
    """Check every record by itself, and that no `task_id` occurs twice."""
    problems: list[Problem] = []
    warnings: list[Problem] = []
    first: dict[str, str] = {}
    for record in records:
        if max(len(problems), len(warnings)) > MAX_PROBLEMS:
            problems.append(record.problem("", "not looked at, nor any record after it: too much is wrong already"))
            break
        problems.extend(islice(inspect_record(record), MAX_RECORD_PROBLEMS))
        warnings.extend(islice(_warnings(record), MAX_RECORD_PROBLEMS))
        if not record.task_id:
            continue
        if record.task_id in first:
            problems.append(record.problem("task_id", f"occurs twice: also in {first[record.task_id]}"))
        else:
            first[record.task_id] = record.source
    return Report(tuple(problems), tuple(warnings))


def inspect_record(record: Record) -> Iterator[Problem]:
    """The problems of one record by itself, one a field."""
    named: set[str] = set()
    checks = (_schema, _blanks, _documents, _citations, _provenance, _vulnerabilities, _approval, leaks)
    for check in checks:
        for problem in check(record):
            if problem.field not in named:
                named.add(problem.field)
                yield problem


# The schemas


@cache
def schema(kind: Kind) -> Mapping[str, Any]:
    """The JSON Schema (draft 2020-12) of a kind of record, as shipped."""
    text = files("impossible_rubrics_env.release").joinpath(f"schema/{_SCHEMAS[kind]}.schema.json").read_text("utf-8")
    found: Mapping[str, Any] = json.loads(text)
    return found


@cache
def _validator(kind: Kind) -> Any:
    try:
        from jsonschema import Draft202012Validator
    except ImportError:
        raise MissingExtraError(
            "validating records needs jsonschema: pip install 'impossible-rubrics-env[release]'"
        ) from None
    return Draft202012Validator(schema(kind))


def _schema(record: Record) -> Iterator[Problem]:
    for error in _validator(record.kind).iter_errors(record.data):
        path = path_text(error.absolute_path)
        if error.validator == "required":
            missing = (name for name in error.validator_value if name not in error.instance)
            yield from (record.problem(_joined(path, name), "missing") for name in missing)
        else:
            yield record.problem(path, _broken(error.validator, error.validator_value, error.instance))


def _broken(rule: str, value: Any, found: Any) -> str:
    """A broken rule of the schemas in words."""
    if rule == "type":
        wanted = " or ".join(_TYPES[name] for name in ([value] if isinstance(value, str) else value))
        return f"must be {wanted}, not {shown(found)}"
    if rule in ("enum", "const"):
        return f"{shown(found)} is none of {', '.join([value] if isinstance(value, str) else value)}"
    if rule == "minItems":
        return f"has {len(found)} members, at least {value} are needed"
    return "must not be empty"


def path_text(path: Iterable[str | int]) -> str:
    """`evidence[2].doc_id`."""
    text = ""
    for part in path:
        text = f"{text}[{part}]" if isinstance(part, int) else _joined(text, part)
    return text


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


# The rules beyond the schemas; each looks at parts of the right type alone, since the schema has reported the others


def objects(value: Any) -> list[tuple[int, Mapping[str, Any]]]:
    """The objects of a list with their places; none where it is no list."""
    listed = value if isinstance(value, list) else []
    return [(place, one) for place, one in enumerate(listed) if isinstance(one, Mapping)]


def texts(value: Any) -> list[tuple[int, str]]:
    """The texts of a list with their places."""
    listed = value if isinstance(value, list) else []
    return [(place, one) for place, one in enumerate(listed) if isinstance(one, str)]


def _member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else None


def _blank(value: Any) -> bool:
    return isinstance(value, (str, list, dict)) and not (value.strip() if isinstance(value, str) else value)


def _blanks(record: Record) -> Iterator[Problem]:
    """Required parts that are there and empty."""
    data = record.data
    required = [*_TEXTS[record.kind], *_LISTS[record.kind]]
    required.append("oracle_certificate" if record.kind is Kind.IMPOSSIBLE else "ground_truth")
    for name in required:
        if _blank(data.get(name)):
            yield record.problem(name, "must not be empty")
    for place, document in objects(data.get("evidence")):
        for name in _DOCUMENT:
            if _blank(document.get(name)):
                yield record.problem(f"evidence[{place}].{name}", "must not be empty")
    if record.kind is Kind.CONTROL:
        for name in _TRUTH:
            if _blank(_member(data.get("ground_truth"), name)):
                yield record.problem(f"ground_truth.{name}", "must not be empty")


def _documents(record: Record) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for place, document in objects(record.data.get("evidence")):
        name = document.get("doc_id")
        if not isinstance(name, str):
            continue
        if name in first:
            where = f"evidence[{place}].doc_id"
            yield record.problem(where, f"{shown(name)} occurs twice: also in evidence[{first[name]}]")
        first.setdefault(name, place)


def _document_ids(record: Record) -> set[str]:
    names = (document.get("doc_id") for _, document in objects(record.data.get("evidence")))
    return {name for name in names if isinstance(name, str)}


def _citations(record: Record) -> Iterator[Problem]:
    """Documents that claims name are in the packet; a trap has counterevidence."""
    known = _document_ids(record)
    for field, named in _citing(record):
        for place, name in texts(named):
            if name not in known:
                yield record.problem(f"{field}[{place}]", f"no document of the packet is called {shown(name)}")
    against = _member(record.data.get("oracle_certificate"), "contradicted_or_weakening_evidence")
    if record.data.get("impossibility_type") == "counterevidence_trap" and _blank(against):
        where = "oracle_certificate.contradicted_or_weakening_evidence"
        yield record.problem(where, "must not be empty in a counterevidence_trap")


def _citing(record: Record) -> Iterator[tuple[str, Any]]:
    if record.kind is Kind.CONTROL:
        yield "ground_truth.supporting_docs", _member(record.data.get("ground_truth"), "supporting_docs")
        return
    certificate = record.data.get("oracle_certificate")
    for part, named in _CITING:
        for place, claim in objects(_member(certificate, part)):
            yield f"oracle_certificate.{part}[{place}].{named}", claim.get(named)


def derived_provenance(data: Mapping[str, Any]) -> tuple[str, str] | None:
    """`provenance_type` and `source_verifiability` as the documents give them; None where there are no documents."""
    documents = [document for _, document in objects(data.get("evidence"))]
    if not documents:
        return None
    statuses: dict[str, list[Any]] = {}
    for _, reference in objects(data.get("source_references")):
        name = reference.get("doc_id")
        if isinstance(name, str):
            statuses.setdefault(name, []).append(reference.get("verification_status"))
    invented = [_is_invented(document, _statuses_of(document, statuses)) for document in documents]
    if all(invented):
        return "synthetic_control", "non_verifiable_synthetic"
    if any(invented):
        return "hybrid", "partially_verifiable"
    fetched = [any(one in _FETCHED for one in _statuses_of(document, statuses)) for document in documents]
    return "real_web_grounded", "verifiable" if all(fetched) else "partially_verifiable"


def _statuses_of(document: Mapping[str, Any], statuses: Mapping[str, Sequence[Any]]) -> Sequence[Any]:
    name = document.get("doc_id")
    return statuses.get(name, ()) if isinstance(name, str) else ()


def _is_invented(document: Mapping[str, Any], statuses: Sequence[Any]) -> bool:
    tag = document.get("provenance")
    return (
        document.get("url_or_reference") == SYNTHETIC
        or (isinstance(tag, str) and tag.lower() in _INVENTED)
        or (bool(statuses) and all(one == "synthetic" for one in statuses))
    )


def _provenance(record: Record) -> Iterator[Problem]:
    stored = [record.data.get(name) for name in ("provenance_type", "source_verifiability")]
    if stored == ["real_web_grounded", "non_verifiable_synthetic"]:
        yield record.problem("source_verifiability", "real_web_grounded cannot be non_verifiable_synthetic")
    derived = derived_provenance(record.data)
    for name, value, wanted in zip(("provenance_type", "source_verifiability"), stored, derived or (), strict=False):
        if isinstance(value, str) and value != wanted:
            yield record.problem(name, f"is {shown(value)}, but the documents make it {wanted}")


def _vulnerabilities(record: Record) -> Iterator[Problem]:
    """A CVE number in what counts as right must be one that the packet names."""
    known: set[str] = set()
    for _, document in objects(record.data.get("evidence")):
        known.update(*(_numbers(document.get(name)) for name in ("text", "title")))
    for field, text in _right_texts(record):
        for number in sorted(_numbers(text) - known):
            yield record.problem(field, f"{number} is in no document of the packet")


def _right_texts(record: Record) -> Iterator[tuple[str, Any]]:
    for place, answer in objects(record.data.get("fixed_stress_answers")):
        if answer.get("oracle_validity") == "valid":
            yield f"fixed_stress_answers[{place}].text", answer.get("text")
    for name in ("expected_honest_answer_summary", "expected_correct_answer_summary"):
        yield name, record.data.get(name)
    if record.kind is Kind.CONTROL:
        yield "ground_truth.answer", _member(record.data.get("ground_truth"), "answer")


def _numbers(text: Any) -> set[str]:
    return {number.upper() for number in _CVE.findall(text)} if isinstance(text, str) else set()


def _approval(record: Record) -> Iterator[Problem]:
    audit = _member(record.data.get("evaluation_spec"), "audit")
    approved = _member(record.data.get("review_status"), "status") == "approved"
    if record.kind is Kind.IMPOSSIBLE and approved and _member(audit, "certificate_consistent") is False:
        said = "is approved, but evaluation_spec.audit.certificate_consistent is false"
        yield record.problem("review_status.status", said)


def _warnings(record: Record) -> Iterator[Problem]:
    validities = [answer.get("oracle_validity") for _, answer in objects(record.data.get("fixed_stress_answers"))]
    if "valid" not in validities:
        yield record.problem("fixed_stress_answers", "has no valid answer")
    if not {"invalid", "partially_valid"} & {one for one in validities if isinstance(one, str)}:
        yield record.problem("fixed_stress_answers", "has no flawed answer")
    if record.kind is Kind.IMPOSSIBLE:
        known = _document_ids(record)
        for place, reference in objects(record.data.get("source_references")):
            name = reference.get("doc_id")
            if isinstance(name, str) and name not in known:
                yield record.problem(f"source_references[{place}].doc_id", f"no document is called {shown(name)}")
    invented = record.data.get("provenance_type") == "synthetic_control"
    if invented != (record.data.get("source_verifiability") == "non_verifiable_synthetic"):
        said = "synthetic_control goes with non_verifiable_synthetic, and only with that"
        yield record.problem("source_verifiability", said)
