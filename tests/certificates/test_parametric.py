"""Fresh records: same stream, same bytes; short; spread over widths; unknown kinds are refused."""

import hashlib
import json
import random

import pytest
from flint import fmpq

from impossible_rubrics_env.certificates.ledger import check_record, load_ledger, record_from_json
from impossible_rubrics_env.certificates.provers.parametric import PARAMETRIC_KINDS, draw_record
from impossible_rubrics_env.errors import ArgumentError

PINNED = {
    "cosine-minimum": "e9faf2e166340b77",
    "eigenvalue": "ddb50492de1c3042",
    "function-value": "be22eb42e20bae06",
    "integer": "d717df6bfd8939c2",
    "integral": "b0e94bae2af24fda",
    "poly-root": "a1587a3545345110",
    "rational-power": "0b158825a0accde0",
    "unit-fractions": "59643c4c160f42f9",
}
"""Digest of the first 50 records a kind. A change of any moves tasks: bump the generator's version with it."""


def draws(kind, count):
    rng = random.Random(f"pinned/{kind}")
    return [draw_record(kind, rng) for _ in range(count)]


@pytest.mark.parametrize("kind", PARAMETRIC_KINDS)
def test_the_first_draws_are_pinned(kind):
    assert hashlib.sha256(json.dumps(draws(kind, 50)).encode()).hexdigest()[:16] == PINNED[kind]


@pytest.mark.parametrize("kind", PARAMETRIC_KINDS)
def test_draws_are_compact_distinct_and_proved(kind):
    records = draws(kind, 100)
    assert max(len(json.dumps(record)) for record in records) < 2048
    assert len({record["id"] for record in records}) >= 95
    for record in records:
        check_record(record)
        assert record["id"].startswith(f"parametric/{kind}/")
        assert record["id"] not in load_ledger()


def test_widths_are_spread_from_zero_to_a_thousandth():
    widths = []
    for kind in PARAMETRIC_KINDS:
        for data in draws(kind, 100):
            record = record_from_json(data)
            widths.append(fmpq(*record.certified_upper) - fmpq(*record.certified_lower))
    assert min(widths) == 0
    assert max(widths) <= fmpq(1, 1000)
    for exponent in range(4, 15):
        assert sum(fmpq(1, 10 ** (exponent + 1)) < w <= fmpq(1, 10**exponent) for w in widths) >= 10, exponent


def test_both_signs_are_drawn():
    signs = {
        kind: {fmpq(*record_from_json(data).certified_upper) > 0 for data in draws(kind, 100)}
        for kind in PARAMETRIC_KINDS
    }
    for kind in ("cosine-minimum", "eigenvalue", "function-value", "integer", "poly-root", "unit-fractions"):
        assert False in signs[kind], kind
    assert any(True in found for found in signs.values())


def test_an_unknown_kind_is_refused_with_the_list_of_kinds():
    with pytest.raises(ArgumentError, match="poly-root"):
        draw_record("roots", random.Random(0))
