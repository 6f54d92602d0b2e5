"""The ledger: certified numbers read from `records/*.json`, and the one door through which a record is re-proved.

Comes in: record files or dicts. Goes out: `Record`. Refused, as CertificateError naming the part: a wrong shape, a hash
that does not match, an endpoint or a proof that does not hold. Loading proves nothing and imports no checker, no sympy.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import gcd
from types import MappingProxyType
from typing import Any

from impossible_rubrics_env.certificates.names import NAMES
from impossible_rubrics_env.certificates.registry import checker
from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.numerals import Ratio, read_exact

FORMAT = "impossible-rubrics-record/1"
MAX_STATEMENT_CHARS = 600
MAX_PROOF_CHARS = 40_000
"""Longest canonical text of a proof that is looked at."""
MAX_DEPTH = 16
"""Deepest nesting of lists and objects in a proof."""

_FIELDS = frozenset({"format", "id", "topic", "statement", "kind", "lo", "hi", "proof", "sha256"})
_ID = re.compile(r"[a-z0-9][a-z0-9./-]{0,199}", re.ASCII)
_SLUG = re.compile(r"[a-z][a-z-]{0,39}", re.ASCII)
_DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)
_RATIONAL = re.compile(r"-?(?:0|[1-9][0-9]*)(?:/[1-9][0-9]*)?", re.ASCII)
_LOOKS_LIKE_A_NUMBER = re.compile(r"-?[0-9]", re.ASCII)


@dataclass(frozen=True, slots=True)
class Record:
    """One certified number: the quantity that `statement` names lies in [lo, hi]."""

    id: str
    """Slug, unique in the ledger; parametric records have ids that start with `parametric/`."""
    topic: str
    """Slug by which whole topics are held out."""
    statement: str
    """Noun phrase that fits in "Let x be {statement}."."""
    kind: str
    """`number` or `integer`; an integer has lo == hi."""
    lo: str
    """Certified lower end, `p/q` in lowest terms or `p`."""
    hi: str
    """Certified upper end, in the same form."""
    proof: Mapping[str, Any]
    """Proof data; `proof["kind"]` names the checker."""
    sha256: str
    """Hex digest over the canonical record."""

    @property
    def certified_lower(self) -> Ratio:
        """Lower end as two plain integers in lowest terms."""
        return _read_rational(self.lo, "lo endpoint")

    @property
    def certified_upper(self) -> Ratio:
        """Upper end as two plain integers in lowest terms."""
        return _read_rational(self.hi, "hi endpoint")


def _read_rational(text: object, part: str) -> Ratio:
    ratio = read_exact(text) if isinstance(text, str) and _RATIONAL.fullmatch(text) else None
    if ratio is None:
        raise CertificateError(f"{part}: must be p/q in lowest terms, or p")
    if gcd(ratio.numerator, ratio.denominator) != 1 or (ratio.denominator == 1 and "/" in str(text)) or text == "-0":
        raise CertificateError(f"{part}: must be in lowest terms")
    return ratio


def _bound_proof(value: object, depth: int, budget: int) -> int:
    """Characters left of `budget` after the value; a proof is lists, objects and text, and nothing else."""
    if depth > MAX_DEPTH:
        raise CertificateError(f"proof: nested deeper than {MAX_DEPTH}")
    if isinstance(value, str):
        budget -= len(value) + 3
        if _LOOKS_LIKE_A_NUMBER.match(value) and (value.startswith("-0") or not _RATIONAL.fullmatch(value)):
            raise CertificateError("proof: a number is not written as p or p/q in plain digits")
    elif isinstance(value, list):
        budget -= 2
        for member in value:
            budget = _bound_proof(member, depth + 1, budget)
    elif isinstance(value, dict):
        budget -= 2
        for name, member in value.items():
            budget = _bound_proof(member, depth + 1, _bound_proof(name, depth + 1, budget))
    else:
        raise CertificateError(f"proof: holds a {type(value).__name__}; integers and rationals are written as text")
    if budget < 0:
        raise CertificateError(f"proof: longer than {MAX_PROOF_CHARS} characters")
    return budget


def _match(pattern: re.Pattern[str], value: object, part: str) -> None:
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise CertificateError(f"{part}: must match {pattern.pattern}")


def _check_shape(data: object) -> dict[str, Any]:
    """Everything about a record that needs no arithmetic. Raises CertificateError naming the part."""
    if not isinstance(data, dict):
        raise CertificateError(f"record: must be an object, not {type(data).__name__}")
    if set(data) != _FIELDS:
        raise CertificateError(f"record: the fields must be {', '.join(sorted(_FIELDS))}")
    if data["format"] != FORMAT:
        raise CertificateError(f"format: must be {FORMAT!r}")
    _match(_ID, data["id"], "id")
    _match(_SLUG, data["topic"], "topic")
    _match(_DIGEST, data["sha256"], "hash")
    statement = data["statement"]
    if not isinstance(statement, str) or not 0 < len(statement) <= MAX_STATEMENT_CHARS or not statement.isascii():
        raise CertificateError(f"statement: must be ASCII text of at most {MAX_STATEMENT_CHARS} characters")
    if not isinstance(data["proof"], dict) or not isinstance(data["proof"].get("kind"), str):
        raise CertificateError("proof: must be an object with a kind")
    _bound_proof(data["proof"], 0, MAX_PROOF_CHARS)
    return data


def _check_ends(data: dict[str, Any]) -> None:
    low = _read_rational(data["lo"], "lo endpoint")
    high = _read_rational(data["hi"], "hi endpoint")
    if low.numerator * high.denominator > high.numerator * low.denominator:
        raise CertificateError("lo endpoint: above the hi endpoint")
    if data["kind"] not in ("number", "integer"):
        raise CertificateError("kind: must be number or integer")
    if data["kind"] == "integer" and (low.denominator != 1 or low != high):
        raise CertificateError("hi endpoint: an integer record has one integer as both endpoints")


def record_from_json(data: dict[str, Any]) -> Record:
    """The `Record` that `data` holds. Raises CertificateError on a wrong shape; proves nothing."""
    _check_shape(data)
    return Record(**{name: data[name] for name in Record.__slots__})


def record_to_json(record: Record) -> dict[str, Any]:
    """The JSON object of a record, the inverse of `record_from_json`."""
    return {"format": FORMAT, **{name: getattr(record, name) for name in Record.__slots__}}


def record_digest(data: dict[str, Any]) -> str:
    """Hex sha256 over the canonical JSON of the record without its own `sha256`."""
    body = {name: value for name, value in data.items() if name != "sha256"}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def check_record(record: Record | dict[str, Any]) -> None:
    """Prove a record again from its proof, in exact arithmetic.

    Raises CertificateError, and nothing else, where it does not hold up; the message starts with the part that is
    wrong: record, format, id, topic, kind, hash, lo endpoint, hi endpoint, statement or proof.
    """
    data = _check_shape(record_to_json(record) if isinstance(record, Record) else record)
    if record_digest(data) != data["sha256"]:
        raise CertificateError("hash: sha256 does not match the record")
    _check_ends(data)
    name, comma, phrase = data["statement"].partition(", ")
    if comma and name in NAMES:
        # A name is only an apposition: the proof is about the phrase behind it, which the checker compares.
        if NAMES[name] != phrase:
            raise CertificateError(f"statement: {name} does not name what follows it")
        data = {**data, "statement": phrase}
    checker(data["proof"]["kind"])(data)


@cache
def load_ledger() -> Mapping[str, Record]:
    """All records that ship with the package, in order of id. Raises CertificateError on a file of wrong shape."""
    folder = files("impossible_rubrics_env.certificates") / "records"
    texts = {
        entry.name: entry.read_text(encoding="ascii") for entry in folder.iterdir() if entry.name.endswith(".json")
    }
    records = [record_from_json(json.loads(texts[name])) for name in texts]
    return MappingProxyType({record.id: record for record in sorted(records, key=lambda record: record.id)})
