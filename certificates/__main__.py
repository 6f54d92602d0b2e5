"""`python -m impossible_rubrics_env.certificates`: prove every record of the ledger again, one line a proof kind."""

import sys
import time

from impossible_rubrics_env.certificates.ledger import Record, check_record, load_ledger
from impossible_rubrics_env.errors import CertificateError


def _failures(records: list[Record]) -> list[str]:
    failures = []
    for record in records:
        try:
            check_record(record)
        except CertificateError as error:
            failures.append(f"{record.id}: {error}")
    return failures


def main() -> int:
    """Print OK or FAILED for every proof kind; the exit code is 0 only where every record holds."""
    by_kind: dict[str, list[Record]] = {}
    for record in load_ledger().values():
        by_kind.setdefault(record.proof["kind"], []).append(record)
    failed = 0
    for kind in sorted(by_kind):
        start = time.perf_counter()
        failures = _failures(by_kind[kind])
        failed += len(failures)
        verdict = "FAILED" if failures else "OK"
        print(f"{verdict:<6} {kind:<20} {len(by_kind[kind]):>4} records {time.perf_counter() - start:8.3f} s")
        for line in failures:
            print(f"       {line}")
    total = sum(map(len, by_kind.values()))
    print(f"{'FAILED' if failed else 'OK'}: {total - failed} of {total} records proved")
    return 1 if failed or not total else 0


if __name__ == "__main__":
    sys.exit(main())
