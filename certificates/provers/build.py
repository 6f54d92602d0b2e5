"""Write the ledger: `python -m impossible_rubrics_env.certificates.provers.build [folder]`.

Every record is proved by its checker before it is written. Needs nothing beyond sympy and its mpmath.
"""

import json
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from impossible_rubrics_env.certificates.ledger import check_record
from impossible_rubrics_env.certificates.provers.drafts import CUTS, Draft, finish
from impossible_rubrics_env.certificates.registry import PROOF_KINDS
from impossible_rubrics_env.errors import CertificateError

RECORDS = Path(__file__).parent.parent / "records"


def _drafts() -> Iterator[Draft]:
    for kind in PROOF_KINDS:
        module = import_module(f"impossible_rubrics_env.certificates.provers.{kind.replace('-', '_')}")
        yield from module.drafts()


def build() -> dict[str, dict[str, Any]]:
    """Every record by id, proved. Raises CertificateError on one that does not hold, ValueError on a repeated id."""
    records: dict[str, dict[str, Any]] = {}
    turn = 0
    for draft in _drafts():
        if draft.id in records:
            raise ValueError(f"repeated record id: {draft.id!r}")
        cut = draft.cut
        if cut is None and callable(draft.value):
            turn += 1
        record = finish(draft, cut or CUTS[turn % len(CUTS)])
        try:
            check_record(record)
        except CertificateError as error:
            raise CertificateError(f"{draft.id}: {error}") from None
        records[draft.id] = record
    return records


def canonical_text(record: dict[str, Any]) -> str:
    """The text of a record file."""
    return json.dumps(record, sort_keys=True, indent=1, ensure_ascii=True) + "\n"


def main(folder: Path) -> int:
    """Write every record, and remove files of records that are no longer made."""
    records = build()
    for path in folder.glob("*.json"):
        if path.stem not in records:
            path.unlink()
    for name, record in records.items():
        (folder / f"{name}.json").write_text(canonical_text(record), encoding="ascii")
    print(f"{len(records)} records written to {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else RECORDS))
