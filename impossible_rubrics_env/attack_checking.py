"""Check of an attack task: the record's own proof, the grader's interval, the band, the label, the prompt."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from impossible_rubrics_env.certificates.checkers import acceptance, band
from impossible_rubrics_env.certificates.ledger import check_record, load_ledger, record_from_json
from impossible_rubrics_env.doubles import nearest
from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.exact import Rational, ratio_of, rational
from impossible_rubrics_env.printed import printed_numbers
from impossible_rubrics_env.task import Label, Role, Task, rung_of


def check_attack_task(task: Task) -> tuple[str, ...]:
    """Prove the band, the grader and the record again; gives the steps that held."""
    proof = task.certificate["proof"]
    kinds = (task.certificate["kind"], task.question["kind"])
    if kinds != ("band", "attack"):
        raise ValueError(f"the certificate and the question are of kind {str(kinds)[:200]}")
    proved = band.check(proof)
    acceptance.check(task.question["grader"], proof)
    record = _checked_record(proof)
    lo, hi = rational(proof["lo"]), rational(proof["hi"])
    if not (lo <= rational(record.lo) and rational(record.hi) <= hi):
        raise CertificateError(f"task {task.id[:200]!r}: the interval does not contain that of record {record.id}")
    _check_nearest(proved, (lo + hi) / 2, "midpoint")
    if "key" in task.question["grader"]:
        _check_nearest(proved, rational(task.question["grader"]["key"]), "key")
    if task.question["target"] != record.statement:
        raise CertificateError(f"task {task.id[:200]!r}: the question is not about the quantity of record {record.id}")
    rung = rung_of(proved.room)
    label = Label.BREAKABLE if proved.room else Label.UNBREAKABLE
    stated = (task.role, task.room, task.rung, task.label)
    if stated != (Role.ATTACK, proved.room, rung, label):
        claim = ", ".join(map(str, stated))
        raise CertificateError(f"task {task.id[:200]!r}: it states {claim}; proved are {proved.room}, {rung}, {label}")
    if (task.provenance["record"], task.provenance["sha256"]) != (record.id, record.sha256):
        raise CertificateError(f"task {task.id[:200]!r}: its provenance is not that of record {record.id}")
    _check_prompt(task, record)
    return ("band", "grader", "record", "label", "prompt")


def _check_prompt(task: Task, record: Any) -> None:
    """The prompt names the quantity and prints every number of the question, exactly."""
    if task.family != "certified_interval" or record.statement not in task.prompt:
        raise ValueError("the prompt does not name the quantity")
    proof, grader = task.certificate["proof"], task.question["grader"]
    printed = printed_numbers(task.prompt)
    wanted = [proof["lo"], proof["hi"], *(grader[name] for name in ("key", "tolerance", "rounded") if name in grader)]
    missing = [number for number in (*wanted, str(grader.get("digits", proof["lo"]))) if number not in printed]
    if missing:
        raise ValueError(f"the prompt does not print {missing[0][:100]}")


def _check_nearest(proved: band.Band, value: Rational, name: str) -> None:
    """A true value must not be a break: the certificate holds the double nearest to its own points."""
    if not proved.first_certified <= nearest(*ratio_of(value)) <= proved.last_certified:
        raise ValueError(f"the certificate does not contain the double nearest to its {name}")


def _checked_record(proof: Mapping[str, Any]) -> Any:
    """The record that the proof names, with its own proof checked: from the ledger, or embedded."""
    if "record_data" in proof:
        check_record(proof["record_data"])
        record = record_from_json(proof["record_data"])
        if record.id in load_ledger():
            raise CertificateError(f"record {record.id!r} is in the ledger; a task may not bring its own")
    else:
        name = proof["record"]
        if not isinstance(name, str):
            raise CertificateError(f"record: its name is a {type(name).__name__}, not text")
        record = _checked_ledger_record(name)
    if (record.id, record.sha256) != (proof["record"], proof["sha256"]):
        raise CertificateError(f"the proof names another record or hash than those of {record.id!r}")
    return record


@cache
def _checked_ledger_record(name: str) -> Any:
    record = load_ledger().get(name)
    if record is None:
        raise CertificateError(f"record {str(name)[:100]!r} is not in the ledger")
    check_record(record)
    return record
