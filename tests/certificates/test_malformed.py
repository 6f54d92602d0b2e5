"""Whatever a record holds, a checker proves it or raises CertificateError, in bounded time."""

import copy
import time
from contextlib import suppress
from importlib import import_module

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from impossible_rubrics_env.certificates.checkers import arithmetic, count, exact_probability, exact_sum
from impossible_rubrics_env.certificates.ledger import (
    FORMAT,
    check_record,
    load_ledger,
    record_digest,
    record_from_json,
    record_to_json,
)
from impossible_rubrics_env.certificates.registry import PROOF_KINDS, checker
from impossible_rubrics_env.errors import CertificateError

ONE_OF_EACH = {record.proof["kind"]: record_to_json(record) for record in load_ledger().values()}
SECONDS = 4.0

NUMBERS = st.integers(-(10**20), 10**20).map(str) | st.fractions().map(str)
ODD_TEXT = st.sampled_from(
    ["", "-", "0", "-1", "1", "2", "1/2", "1e9", "NaN", "inf", "-inf", "\u0661", "9" * 300, "ln", "pi"]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | NUMBERS | ODD_TEXT | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


def settled(check, data):
    """Run a check: CertificateError or a proof, within the time."""
    start = time.process_time()
    with suppress(CertificateError):
        check(data)
    assert time.process_time() - start < SECONDS


def paths(node, path=()):
    yield path
    if isinstance(node, dict | list):
        for key, member in node.items() if isinstance(node, dict) else enumerate(node):
            yield from paths(member, (*path, key))


def with_value(data, path, value):
    data = copy.deepcopy(data)
    target = data
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = value
    return data


@pytest.mark.parametrize("kind", PROOF_KINDS)
@settings(max_examples=150)
@given(draw=st.data())
def test_any_value_anywhere_in_a_record_is_settled(kind, draw):
    data = ONE_OF_EACH[kind]
    places = [path for path in paths(data) if path and path[0] in ("lo", "hi", "statement", "proof")]
    changed = with_value(data, draw.draw(st.sampled_from(places)), draw.draw(JSON))
    settled(checker(kind), changed)
    settled(check_record, {**changed, "sha256": data["sha256"]})


@given(JSON)
def test_what_is_no_record_at_all_is_refused(data):
    with pytest.raises(CertificateError):
        check_record(data)
    with pytest.raises(CertificateError):
        record_from_json(data)


def hashed(data):
    return {**data, "sha256": record_digest(data)}


@pytest.mark.parametrize("field", ["format", "id", "topic", "statement", "kind", "lo", "hi", "proof", "sha256"])
@pytest.mark.parametrize(
    "value", [None, 1, 1.5, True, [], {}, "", "\u0663", "1/0", "2/4", "-0", "1.5", "01", " 1", "9" * 3000]
)
def test_a_field_of_the_wrong_shape_is_refused(field, value):
    if field == "id" and value in ("1/0", "2/4", "1.5", "01"):
        return  # slugs
    data = with_value(ONE_OF_EACH["power"], (field,), value)
    with pytest.raises(CertificateError):
        check_record(data if field == "sha256" else hashed(data))


@pytest.mark.parametrize("field", sorted(ONE_OF_EACH["power"]))
def test_a_missing_field_is_refused(field):
    data = {name: value for name, value in ONE_OF_EACH["power"].items() if name != field}
    with pytest.raises(CertificateError, match="record: the fields"):
        check_record(data)


def test_other_formats_and_kinds_are_refused():
    data = ONE_OF_EACH["power"]
    with pytest.raises(CertificateError, match="format"):
        check_record(hashed({**data, "format": FORMAT[:-1] + "2"}))
    with pytest.raises(CertificateError, match="unknown kind"):
        check_record(hashed({**data, "proof": {**data["proof"], "kind": "os"}}))
    with pytest.raises(CertificateError, match="kind"):
        check_record(hashed({**data, "kind": "real"}))
    with pytest.raises(CertificateError, match="one integer"):
        check_record(hashed({**data, "kind": "integer"}))


def test_deep_and_long_proofs_are_refused_at_once():
    deep = leaf = []
    for _ in range(100_000):
        leaf.append([])
        leaf = leaf[0]
    circular = []
    circular.append(circular)
    for node in (deep, circular, ["1"] * 10**6, "1" * 10**7, [["1"] * 10**4] * 10**4):
        data = {**ONE_OF_EACH["elementary"], "proof": {"kind": "elementary", "expression": node}}
        start = time.process_time()
        with pytest.raises(CertificateError, match="proof"):
            check_record(data)
        assert time.process_time() - start < 1
        settled(checker("elementary"), data)
    # The deep list is taken apart by hand: its destructor would recurse.
    while deep:
        deep = deep.pop()


@pytest.mark.parametrize("kind", PROOF_KINDS)
def test_absurd_sizes_are_settled_in_bounded_time(kind):
    data = ONE_OF_EACH[kind]
    for path in [path for path in paths(data["proof"]) if path][:40]:
        for value in ("9" * 1900, "1/" + "9" * 1900, "10000", "400", "64", "-" + "9" * 1000, ["9" * 1900] * 30):
            settled(checker(kind), with_value(data, ("proof", *path), value))
    for end in ("lo", "hi"):
        for value in ("9" * 1900, "-" + "9" * 1900, "1/" + "9" * 1900, "9" * 900 + "/" + "7" * 900):
            settled(checker(kind), {**data, end: value})


@pytest.mark.parametrize(
    "module", [arithmetic, count, exact_probability, exact_sum], ids=lambda module: module.__name__[-12:]
)
def test_every_named_function_is_fast_at_its_largest_arguments(module):
    for name, (_, bounds, _) in module.TABLE.items():
        arguments = [str(most) for _, most in bounds]
        kind = module.__name__.rpartition(".")[2].replace("_", "-")
        proof = {"kind": kind, "function": name, "arguments": arguments}
        statement = module.TABLE[name][0].format(*arguments)
        settled(checker(kind), {"statement": statement, "lo": "0", "hi": "0", "proof": proof})


def test_heavy_but_allowed_proofs_are_settled_in_bounded_time(monkeypatch):
    """Whatever their words, which are let pass here so that the arithmetic runs."""
    heavy = [
        {
            "kind": "quadrature",
            "numerator": ["7"] * 9,
            "denominator": ["1"] * 9,
            "root": "1",
            "from": "-1",
            "to": "999999/1000",
            "panels": "20000",
            "shape": "convex",
        },
        {
            "kind": "series",
            "scale": "1",
            "start": "1",
            "base": "1/999983",
            "linear": [["6", "12", "4"]] * 4,
            "factorials": [["6", "12", "-4"]] * 4,
            "terms": "400",
            "ratio": "1/2",
        },
        {"kind": "poly-root", "coefficients": ["9" * 39] * 24 + ["-1"], "from": "-inf", "to": "inf"},
        {"kind": "eigenvalue", "matrix": [["9" * 15] * 10] * 10, "index": "1"},
        {
            "kind": "extremum",
            "form": "polynomial",
            "sense": "minimum",
            "data": [str(7**i) for i in range(25)],
            "from": "-1",
            "to": "1",
            "point": "0",
        },
        {"kind": "power-sum", "step": "1", "offset": "1", "power": "20", "terms": "2000", "order": "30"},
        {"kind": "log-base", "base": "999", "number": "999999/999998"},
        {"kind": "power", "base": "9" * 1900, "over": "64", "under": "64"},
        {"kind": "equation", "terms": [["1", "6", "exp(x)"]] * 6, "from": "1", "to": "16", "pieces": "64"},
    ]
    for proof in heavy:
        check = checker(proof["kind"])
        module = import_module(check.__module__)
        require = module._require
        monkeypatch.setattr(module, "_require", lambda ok, text, r=require: r(ok or text.startswith("statement"), text))
        for low in ("1", "123456789/987654321", "149999/149998", "7" * 900 + "/" + "9" * 900):
            settled(check, {"statement": "", "lo": low, "hi": low, "proof": proof})
