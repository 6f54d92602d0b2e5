"""What the ledger holds, how it loads, and that it can be built again byte for byte."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from flint import fmpq

from impossible_rubrics_env.certificates import __main__ as command
from impossible_rubrics_env.certificates.ledger import (
    check_record,
    load_ledger,
    record_digest,
    record_from_json,
    record_to_json,
)
from impossible_rubrics_env.certificates.names import NAMES
from impossible_rubrics_env.certificates.provers.build import build, canonical_text
from impossible_rubrics_env.certificates.provers.listing import listing
from impossible_rubrics_env.certificates.registry import PROOF_KINDS

ROOT = Path(__file__).parents[2]
RECORDS = list(load_ledger().values())


def ends(record):
    return fmpq(*record.certified_lower), fmpq(*record.certified_upper)


def test_there_are_enough_records_integers_kinds_and_topics():
    assert len(RECORDS) >= 260
    assert sum(record.kind == "integer" for record in RECORDS) >= 60
    assert {record.proof["kind"] for record in RECORDS} == set(PROOF_KINDS)
    topics = Counter(record.topic for record in RECORDS)
    assert 8 <= len(topics) <= 12
    assert min(topics.values()) >= 8


def test_widths_run_from_zero_to_a_thousandth_and_none_is_wider():
    widths = [high - low for low, high in map(ends, RECORDS)]
    assert max(widths) <= fmpq(1, 1000)
    assert min(widths) == 0
    for exponent in (3, 4, 6, 9, 12, 15):
        near = [w for w in widths if fmpq(1, 10 ** (exponent + 1)) < w <= fmpq(1, 10**exponent)]
        assert len(near) >= 4, exponent


def test_magnitudes_run_from_1e_minus_12_to_1e12_with_both_signs():
    sizes = [max(abs(low), abs(high)) for low, high in map(ends, RECORDS)]
    assert min(sizes) <= fmpq(2, 10**12)
    assert max(sizes) >= 10**12
    for power in range(-12, 12, 3):
        assert any(fmpq(10) ** power <= size <= fmpq(10) ** (power + 3) for size in sizes), power
    assert sum(high < 0 for _, high in map(ends, RECORDS)) >= 40


def test_no_two_records_make_the_same_statement():
    assert len({record.statement for record in RECORDS}) == len(RECORDS)


def test_statements_fit_into_let_x_be():
    for record in RECORDS:
        assert record.statement.isascii()
        assert not record.statement.endswith(".")
        assert not record.statement.startswith(("a ", "an ", "The "))


def test_every_name_is_used():
    used = {record.statement.partition(", ")[0] for record in RECORDS}
    assert set(NAMES) <= used
    assert not any("," in name for name in NAMES)


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.id)
def test_the_record_is_proved_again_from_its_file(record):
    check_record(record)
    data = record_to_json(record)
    assert record_from_json(data) == record
    assert record_digest(data) == record.sha256
    check_record(data)


def test_records_come_in_order_of_id_under_their_file_names():
    names = sorted(path.stem for path in (ROOT / "certificates" / "records").glob("*.json"))
    assert list(load_ledger()) == names
    with pytest.raises(TypeError):
        load_ledger()["pi"] = None


def test_the_build_writes_every_record_byte_for_byte():
    built = build()
    assert set(built) == set(load_ledger())
    for name, record in built.items():
        path = ROOT / "certificates" / "records" / f"{name}.json"
        assert path.read_text(encoding="ascii") == canonical_text(record), name


def test_the_listing_in_docs_is_up_to_date():
    assert (ROOT / "docs" / "ledger.md").read_text(encoding="utf-8") == listing()


def test_loading_is_light():
    script = """
import sys, time
import impossible_rubrics_env.certificates.ledger as ledger
start = time.process_time()
assert len(ledger.load_ledger()) > 200
print(time.process_time() - start, "sympy" in sys.modules, "mpmath" in sys.modules)
"""
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    assert out[1:] == ["False", "False"]
    assert float(out[0]) < 0.25


def test_the_command_says_ok_for_every_kind(capsys):
    assert command.main() == 0
    lines = capsys.readouterr().out.splitlines()
    assert all(line.startswith("OK") for line in lines)
    assert {line.split()[1] for line in lines[:-1]} == set(PROOF_KINDS)


def test_the_command_says_failed_and_names_the_record(capsys, monkeypatch):
    broken = record_from_json({**record_to_json(load_ledger()["sqrt-2"]), "hi": "3"})
    monkeypatch.setattr(command, "load_ledger", lambda: {"sqrt-2": broken})
    assert command.main() == 1
    out = capsys.readouterr().out
    assert "FAILED power" in out
    assert "sqrt-2: hash" in out


def test_exact_ends_are_plain_integers_in_lowest_terms():
    record = load_ledger()["quotient-minus-22-7"]
    assert record.certified_lower == (-22, 7)
    assert record.certified_upper == (-22, 7)
    assert type(record.certified_lower.numerator) is int
