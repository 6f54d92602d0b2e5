"""Prove again what tasks and ledger records claim, with checkers that share no code with the generator.

Examples:

  impossible-rubrics check --ledger

  impossible-rubrics check --families all --n 2000

  impossible-rubrics check --file tasks.jsonl
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from impossible_rubrics_env.certificates.ledger import check_record, load_ledger
from impossible_rubrics_env.checking import check as check_task
from impossible_rubrics_env.commands.options import Families, Json, print_json, with_draw, with_progress
from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.task import Task
from impossible_rubrics_env.taskgen.registry import generate

MAX_FAILURES_SHOWN = 20


@with_draw()
def check(
    ledger: Annotated[bool, typer.Option("--ledger", help="Check every record of the ledger.")] = False,
    families: Families = "all",
    n: Annotated[int, typer.Option("--n", "-n", min=0, help="How many drawn tasks to check.")] = 0,
    file: Annotated[Path | None, typer.Option(help="Check the tasks of this JSON-lines file.")] = None,
    as_json: Json = False,
    draw: dict[str, Any] | None = None,
) -> int:
    """Check; exit code 1 where a proof fails."""
    if not ledger and n == 0 and file is None:
        raise typer.BadParameter("nothing to check: give --ledger, --n or --file")
    proved: Counter[str] = Counter()
    failures: list[str] = []
    if ledger:
        for record in with_progress(load_ledger().values(), len(load_ledger()), "records"):
            _count(
                proved,
                failures,
                str(record.proof["kind"]),
                lambda record=record: check_record(record),
                f"{record.id}: ",
            )
    if n:
        for task in with_progress(generate(families, n=n, **draw or {}), n, "tasks"):
            _count(proved, failures, f"task {task.family}", lambda task=task: check_task(task))
    if file is not None:
        for place, line in enumerate(_lines(file), 1):
            where = f"line {place}: "
            _count(proved, failures, file.name, lambda line=line: check_task(Task.from_json(line)), where)
    if as_json:
        print_json({"proved": dict(sorted(proved.items())), "failed": len(failures), "failures": failures})
    else:
        _print(proved, failures)
    return 1 if failures else 0


def _count(proved: Counter[str], failures: list[str], kind: str, prove: Any, where: str = "") -> None:
    try:
        prove()
    except CertificateError as error:
        failures.append(f"{where}{error}")
    else:
        proved[kind] += 1


def _lines(path: Path) -> Iterator[bytes]:
    with path.open("rb") as lines:
        yield from (line for line in lines if line.strip())


def _print(proved: Counter[str], failures: list[str]) -> None:
    for kind, count in sorted(proved.items()):
        print(f"{count:6}  proved  {kind}")
    for failure in failures[:MAX_FAILURES_SHOWN]:
        print(f"FAILED  {failure}")
    if len(failures) > MAX_FAILURES_SHOWN:
        print(f"... and {len(failures) - MAX_FAILURES_SHOWN} more")
    print(f"{proved.total()} proved, {len(failures)} failed")
