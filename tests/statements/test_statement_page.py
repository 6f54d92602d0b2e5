"""The page on the format shows a list with its marks, and the schema knows the shape of every list."""

import functools
import json
import re

import pytest
from jsonschema import Draft202012Validator
from listed import ASKED, cases

from impossible_rubrics_env.certificates.statements import KINDS, mark


@pytest.fixture
def root(pytestconfig):
    return pytestconfig.rootpath


@functools.cache
def blocks(root):
    decoder, found = json.JSONDecoder(), {}
    page = (root / "docs/format.md").read_text()
    for words, text in re.findall(r"<!-- example ([a-z_ ]+) -->\n```json\n(.*?)```", page, re.DOTALL):
        values, rest = [], text.strip()
        while rest:
            value, end = decoder.raw_decode(rest)
            values.append(value)
            rest = rest[end:].lstrip()
        found[words] = values
    return found


def part(root, name):
    schema = json.loads((root / "docs/task.schema.json").read_text())
    return Draft202012Validator({**schema["$defs"][name], "$defs": schema["$defs"]})


def test_the_list_that_is_shown_has_the_marks_that_are_shown(root):
    shown = blocks(root)
    (packet,), (question,), (proof,) = (shown[f"{name} pumps{kind}"] for name, kind in
                                        (("packet", ""), ("question", " number"), ("proof", " number")))  # fmt: skip
    data = {
        "family": "shown",
        "packet": packet,
        "question": question,
        "certificate": {"kind": "packet", "proof": proof},
    }
    statements, (expected,) = shown["statements pumps number"], shown["marks pumps number"]
    marked = mark(data, statements)
    assert marked.marks == expected["marks"]
    assert marked.idle == set(expected["idle"])
    assert {one["means"]["kind"] for one in statements} == {*KINDS}
    part(root, "statement_list").validate(statements)
    part(root, "marks").validate(expected["marks"])


@pytest.mark.parametrize(("family", "kind"), ASKED)
def test_every_list_is_of_the_schema(root, family, kind):
    validator, marks = part(root, "statement_list"), part(root, "marks")
    for _, listed in cases(family, kind, 2, seed=9):
        validator.validate(listed.statements)
        marks.validate(listed.marks)


def test_every_kind_of_meaning_is_on_the_page(root):
    page = (root / "docs/format.md").read_text()
    assert all(f"| `{kind}` |" in page for kind in KINDS)
