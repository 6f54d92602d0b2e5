"""Every rule of the published validator is enforced, and a broken one is named with file, record and field."""

import copy
import json
import pickle
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from impossible_rubrics_env.cli import run
from impossible_rubrics_env.release.errors import MAX_LISTED, Problem, RecordsError
from impossible_rubrics_env.release.records import FOLDERS, Kind, Loaded, Record, release_files, write_files
from impossible_rubrics_env.release.validate import (
    MAX_PROBLEMS,
    MAX_RECORD_PROBLEMS,
    _validator,
    derived_provenance,
    inspect_loaded,
    inspect_record,
    inspect_records,
    require_valid,
    schema,
)

NOTHING = object()
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


def changed(data, path, value):
    """The data with another value at a path; NOTHING takes the field away."""
    data = copy.deepcopy(data)
    *way, last = path
    held = data
    for part in way:
        held = held[part]
    if value is NOTHING:
        del held[last]
    else:
        held[last] = value
    return data


def fields_of(record):
    return {problem.field for problem in inspect_record(record)}


def field_of(path):
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def paths_of(value, path=()):
    """Every path into JSON data."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, member in items:
        yield (*path, name)
        yield from paths_of(member, (*path, name))


# What the format asks, written down once more: path to corrupt, value, and the field that must be named.
ANSWER, EVIDENCE, CERTIFICATE = ("fixed_stress_answers", 0), ("evidence", 1), ("oracle_certificate",)
SPECIFIED = {
    "environment": [
        *((("task_id",), value) for value in (NOTHING, "", 3, None)),
        *((("version",), value) for value in (NOTHING, "", "  ")),
        *((("domain",), value) for value in (NOTHING, "")),
        *((("impossibility_type",), value) for value in (NOTHING, "insufficient_evidence", 1, None, [])),
        *((("question",), value) for value in (NOTHING, "", ["q"])),
        *((("evidence_scope",), value) for value in (NOTHING, "open")),
        *((("provenance_type",), value) for value in (NOTHING, "synthetic", "hybrid", "real_web_grounded")),
        *((("source_verifiability",), value) for value in (NOTHING, "verified", "verifiable")),
        *((("evidence",), value) for value in (NOTHING, [], {}, "E1")),
        *(((*EVIDENCE, "doc_id"), value) for value in (NOTHING, "", "E1", 2)),
        *(
            ((*EVIDENCE, name), value)
            for name in ("title", "source_type", "url_or_reference", "publication_date", "text", "relevance_note")
            for value in (NOTHING, "", " \n", None, 7)
        ),
        *((("oracle_certificate",), value) for value in (NOTHING, {}, [], "no")),
        *(
            ((*CERTIFICATE, name), value)
            for name in ("impossibility_claim", "supported_claims", "unsupported_claims")
            for value in (NOTHING, 5)
        ),
        *(
            ((*CERTIFICATE, name), value)
            for name in ("contradicted_or_weakening_evidence", "required_honest_behavior", "reward_hacking_behaviors")
            for value in (NOTHING, "text")
        ),
        ((*CERTIFICATE, "contradicted_or_weakening_evidence"), []),  # the type is counterevidence_trap
        ((*CERTIFICATE, "supported_claims", 0, "supporting_docs", 0), "E9"),
        ((*CERTIFICATE, "contradicted_or_weakening_evidence", 0, "counter_docs", 0), "e3"),
        ((*CERTIFICATE, "supported_claims", 0, "claim"), NOTHING),
        ((*CERTIFICATE, "unsupported_claims", 0, "reason"), NOTHING),
        ((*CERTIFICATE, "required_honest_behavior", 0), {}),
        *((("known_failure_modes",), value) for value in (NOTHING, [], "overclaiming")),
        *((("fixed_stress_answers",), value) for value in (NOTHING, [], {})),
        *(
            ((*ANSWER, name), value)
            for name in ("answer_id", "answer_type", "text", "violated_certificate_items")
            for value in (NOTHING, 4)
        ),
        *(((*ANSWER, "oracle_validity"), value) for value in (NOTHING, "partly", None)),
        ((*ANSWER, "text"), "Affected by CVE-2031-99999, so I cannot give a number."),
        *((("expected_honest_answer_summary",), value) for value in (NOTHING, "", "It is cve-2030-11111.")),
        *((("collection_metadata",), value) for value in (NOTHING, [], "x")),
        (("collection_metadata", "source_queries"), "one"),
        *((("review_status",), value) for value in (NOTHING, "approved")),
        (("review_status", "status"), "done"),
        (("source_references",), {}),
        (("source_references", 0, "doc_id"), NOTHING),
        (("evaluation_spec", "must_state"), "no count"),
        (("evaluation_spec", "audit"), []),
    ],
    "control": [
        *((("task_id",), value) for value in (NOTHING, "")),
        *((("domain",), value) for value in (NOTHING, "")),
        *((("question",), value) for value in (NOTHING, "")),
        *((("evidence_scope",), value) for value in (NOTHING, "closed")),
        *((("provenance_type",), value) for value in (NOTHING, "hybrid")),
        *((("source_verifiability",), value) for value in (NOTHING, "verifiable")),
        *((("evidence",), value) for value in (NOTHING, [])),
        *(((*EVIDENCE, name), value) for name in ("doc_id", "text", "relevance_note") for value in (NOTHING, "")),
        (("ground_truth",), {}),
        (("ground_truth",), "Nine."),
        *((("ground_truth", "answer"), value) for value in (NOTHING, "", "CVE-2000-1234")),
        *((("ground_truth", "supporting_docs"), value) for value in (NOTHING, [], "E1")),
        (("ground_truth", "supporting_docs", 0), "E3"),
        *((("ground_truth", "why_answerable"), value) for value in (NOTHING, "", 1)),
        *((("fixed_stress_answers",), value) for value in (NOTHING, [], 5)),
        *(((*ANSWER, "answer_type"), value) for value in (NOTHING, "honest")),
        *(((*ANSWER, "oracle_validity"), value) for value in (NOTHING, "right")),
        *((("expected_correct_answer_summary",), value) for value in (NOTHING, "")),
        (("env_type",), "impossible"),
        (("looks_like_impossibility_type",), 1),
    ],
}


def test_records_that_obey_the_format_pass(environment, control, as_record):
    for data in (environment, control):
        assert list(inspect_record(as_record(data))) == []
    assert require_valid([as_record(environment), as_record(control)]).warnings == ()


@pytest.mark.parametrize(
    ("kind", "path", "value"),
    [(kind, path, value) for kind, rows in SPECIFIED.items() for path, value in rows],
    ids=lambda value: "nothing" if value is NOTHING else None,
)
def test_every_broken_rule_is_named_by_its_field(request, kind, path, value):
    data = changed(request.getfixturevalue(kind), path, value)
    folder = "data_control" if kind == "control" else "data"
    record = Record(FOLDERS[folder], data, f"{folder}/x.json")
    with pytest.raises(RecordsError) as caught:
        require_valid([record])
    assert field_of(path) in {problem.field for problem in caught.value.problems}
    line = next(line for line in str(caught.value).splitlines() if f"{field_of(path)}: " in line)
    assert line.startswith(f"{folder}/x.json: ")
    if isinstance(data.get("task_id"), str) and data["task_id"]:
        assert data["task_id"] in line


def test_every_field_of_the_format_is_corrupted_above():
    """Whatever the schemas require or restrict at the top has a row."""
    for kind, rows in ((Kind.IMPOSSIBLE, "environment"), (Kind.CONTROL, "control")):
        corrupted = {path[0] for path, _ in SPECIFIED[rows]}
        assert corrupted >= set(schema(kind)["required"])


def test_too_few_documents(environment, control, as_record):
    environment["evidence"].pop()
    environment["oracle_certificate"]["contradicted_or_weakening_evidence"][0]["counter_docs"] = ["E1"]
    control["evidence"].pop()
    for data in (environment, control):
        assert fields_of(as_record(data)) == {"evidence"}


def test_an_id_that_occurs_twice_is_refused_across_kinds(environment, control, as_record):
    control["task_id"] = environment["task_id"]
    problems = inspect_records([as_record(environment), as_record(control)]).problems
    assert [(one.field, one.task_id) for one in problems] == [("task_id", "lamp_made_up_07")]
    assert "made.json" in problems[0].message


def test_approval_needs_a_consistent_certificate(environment, control, as_record):
    environment["evaluation_spec"]["audit"]["certificate_consistent"] = False
    assert fields_of(as_record(environment)) == {"review_status.status"}
    environment["review_status"]["status"] = "needs_review"
    assert fields_of(as_record(environment)) == set()
    control["review_status"] = {"status": "approved"}
    control["evaluation_spec"] = {"audit": {"certificate_consistent": False}}
    assert fields_of(as_record(control)) == set()


@pytest.mark.parametrize(
    ("documents", "references", "wanted"),
    [
        (["SYNTHETIC", "SYNTHETIC"], {}, ("synthetic_control", "non_verifiable_synthetic")),
        (["SYNTHETIC", "https://a"], {}, ("hybrid", "partially_verifiable")),
        (["synthetic", "https://a"], {}, ("real_web_grounded", "partially_verifiable")),
        (["https://a", "https://b"], {0: ["primary_fetched"]}, ("real_web_grounded", "partially_verifiable")),
        (
            ["https://a", "https://b"],
            {0: ["snippet_only", "mirror_fetched"], 1: ["primary_fetched", "unverifiable"]},
            ("real_web_grounded", "verifiable"),
        ),
        (["https://a", "https://b"], {0: ["synthetic"]}, ("hybrid", "partially_verifiable")),
        (["https://a", "https://b"], {0: ["synthetic", "snippet_only"]}, ("real_web_grounded", "partially_verifiable")),
        (["tag:Synthetic", "tag:SYNTHETIC_CONTROL"], {}, ("synthetic_control", "non_verifiable_synthetic")),
        (["tag:synthetic, by hand", "https://b"], {}, ("real_web_grounded", "partially_verifiable")),
    ],
)
def test_provenance_is_derived_from_the_documents(documents, references, wanted):
    evidence = [{"doc_id": f"E{place}", "url_or_reference": text} for place, text in enumerate(documents)]
    for document in evidence:
        if document["url_or_reference"].startswith("tag:"):
            document |= {"provenance": document["url_or_reference"][4:], "url_or_reference": "https://c"}
    listed = [
        {"doc_id": f"E{place}", "verification_status": status}
        for place, statuses in references.items()
        for status in statuses
    ]
    assert derived_provenance({"evidence": evidence, "source_references": listed}) == wanted


def test_real_sources_cannot_be_synthetic(environment, as_record):
    environment |= {"provenance_type": "real_web_grounded", "source_verifiability": "non_verifiable_synthetic"}
    problems = {one.field: one.message for one in inspect_record(as_record(environment))}
    assert "cannot be" in problems["source_verifiability"]


def test_a_cve_number_that_the_packet_names_may_be_repeated(environment, as_record):
    environment["expected_honest_answer_summary"] = "Whatever cve-2031-12345 is about, nobody counted."
    assert fields_of(as_record(environment)) == set()
    environment["fixed_stress_answers"][1]["text"] = "It is CVE-1999-0001."  # not a valid answer
    assert fields_of(as_record(environment)) == set()


def test_warnings_are_not_fatal(environment, control, as_record):
    environment["fixed_stress_answers"][0]["oracle_validity"] = "partially_valid"
    environment["source_references"].append({"doc_id": "E9"})
    for answer in control["fixed_stress_answers"]:
        answer["oracle_validity"] = "valid"
    report = require_valid([as_record(environment), as_record(control)])
    assert [(one.field, one.message) for one in report.warnings] == [
        ("fixed_stress_answers", "has no valid answer"),
        ("source_references[1].doc_id", 'no document is called "E9"'),
        ("fixed_stress_answers", "has no flawed answer"),
    ]


def test_a_release_without_impossible_tasks_is_refused(control, as_record):
    records = (as_record(control),)
    assert inspect_loaded(Loaded(records, (), is_release=False)).problems == ()
    assert [str(one) for one in inspect_loaded(Loaded(records, (), is_release=True)).problems] == [
        "data: no impossible tasks"
    ]


@settings(max_examples=400)
@given(data=st.data())
def test_a_field_of_any_other_type_is_refused_by_name(both_kinds, data):
    """Of listed fields: what lies below extra fields is nobody's business."""
    kind, record = data.draw(st.sampled_from(list(both_kinds.items())))
    known = [
        path
        for path in paths_of(record)
        if path[0] not in ("an_extra_field", "looks_like_impossibility_type")
        and path[:2] != ("collection_metadata", "source_queries")
        and "audit" not in path
    ]
    path = data.draw(st.sampled_from(known))
    value = data.draw(st.sampled_from([17, True, 2.5]))
    broken = Record(kind, changed(record, path, value), "x")
    named = fields_of(broken)
    assert any(field == field_of(path) for field in named), (path, named)


@settings(max_examples=300)
@given(data=st.dictionaries(TEXT, JSON, max_size=4), kind=st.sampled_from(list(Kind)))
def test_arbitrary_json_is_refused_and_nothing_else_is_raised(data, kind):
    with pytest.raises(RecordsError):
        require_valid([Record(kind, data, "x")])


@settings(max_examples=300)
@given(data=st.data())
def test_arbitrary_json_in_any_field_raises_nothing_else(both_kinds, data):
    kind, record = data.draw(st.sampled_from(list(both_kinds.items())))
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(list(paths_of(record))))
        record = changed(record, path, data.draw(JSON))
    report = inspect_records([Record(kind, record, "x")])
    assert all(isinstance(problem, Problem) and "\n" not in str(problem) for problem in report.problems)


def test_the_number_of_problems_is_bounded(environment, as_record):
    environment["known_failure_modes"] = [3] * 10_000
    problems = inspect_records([as_record(environment)]).problems
    assert len(problems) == MAX_RECORD_PROBLEMS
    with pytest.raises(RecordsError) as caught:
        require_valid([as_record(environment)])
    lines = str(caught.value).splitlines()
    assert len(lines) == MAX_LISTED + 1
    assert lines[-1] == f"and {MAX_RECORD_PROBLEMS - MAX_LISTED} more problems"
    assert pickle.loads(pickle.dumps(caught.value)).problems == problems


def test_validation_stops_where_too_much_is_wrong(as_record):
    problems = inspect_records([as_record({})] * 5_000).problems
    assert MAX_PROBLEMS < len(problems) <= MAX_PROBLEMS + MAX_RECORD_PROBLEMS + 1
    assert "too much is wrong" in str(problems[-1])


def test_what_cannot_be_looked_for_in_full_is_refused(environment, as_record):
    long = {**environment, "task_id": "x" * 1_001}
    assert "task_id" in fields_of(as_record(long))
    environment["oracle_certificate"]["required_honest_behavior"] = [f"{place} {'x' * 50}" for place in range(2_001)]
    assert fields_of(as_record(environment)) == {"evidence"}


def test_messages_are_short_and_printable(environment, as_record):
    environment["evidence_scope"] = "x" * 100_000
    environment["task_id"] = "line\nbreak\x1b[31m" + "y" * 900
    (problem,) = inspect_record(as_record(environment))
    assert len(str(problem)) < 500
    assert str(problem).isprintable()


@pytest.mark.parametrize("kind", list(Kind))
def test_the_shipped_schemas_are_schemas(kind):
    Draft202012Validator.check_schema(schema(kind))
    assert schema(kind)["$schema"].endswith("2020-12/schema")


def test_import_counts_what_it_read(tmp_path, environment, control, as_record, capsys):
    write_files(release_files([as_record(environment), as_record(control)]), tmp_path / "release")
    assert run(["release", "import", str(tmp_path / "release"), "--json", "--output", str(tmp_path / "again")]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["records"], found["impossible"], found["controls"], found["warnings"]) == (2, 1, 1, 0)
    assert found["type"]["impossible"] == {"counterevidence_trap": 1}
    assert found["type"]["answerable_control"] == {"like evidence_insufficient": 1}
    assert (tmp_path / "again/data/lamp_made_up_07.json").read_bytes() == (
        tmp_path / "release/data/lamp_made_up_07.json"
    ).read_bytes()
    assert run(["release", "import", str(tmp_path / "release")]) == 0
    assert "lighthouses" in capsys.readouterr().out


def test_import_refuses_and_names_record_and_field(tmp_path, environment, control, as_record, capsys):
    write_files(release_files([as_record(environment), as_record(control)]), tmp_path / "release")
    path = tmp_path / "release/data/lamp_made_up_07.json"
    path.write_text(json.dumps(changed(environment, ("impossibility_type",), "unknown")))
    (tmp_path / "release/data/extra.json").write_text(json.dumps(changed(environment, ("question",), NOTHING)))
    assert run(["release", "import", str(tmp_path / "release")]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    lines = printed.err.splitlines()
    assert any("data/lamp_made_up_07.json: lamp_made_up_07: impossibility_type:" in line for line in lines)
    assert any("data/extra.json: lamp_made_up_07: question: missing" in line for line in lines)
    assert any("lamp_made_up_07: task_id: occurs twice" in line for line in lines)
    assert lines[-1] == "error: refused: 3 problems in 2 records"


def test_a_missing_jsonschema_is_named_with_its_remedy(monkeypatch, tmp_path, environment, as_record, capsys):
    write_files(release_files([as_record(environment)]), tmp_path / "release")
    _validator.cache_clear()
    monkeypatch.setitem(sys.modules, "jsonschema", None)
    assert run(["release", "import", str(tmp_path / "release")]) == 2
    assert "pip install 'impossible-rubrics-env[release]'" in capsys.readouterr().err
