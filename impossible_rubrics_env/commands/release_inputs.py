"""Write what a generator of rubrics may see of the tasks of a split, or check a file of such inputs.

A line a task, in the order of the split: `{"task_id", "question", "evidence": [{"doc_id", "text"}]}` and nothing else.
`task_id` is there for joining results alone and must stay out of prompts. Refused: records without question, evidence,
ids or texts, ids of the split without a record, and whatever leaks what a generator may not see. Exit code 2.

Examples:

  impossible-rubrics release inputs --records ../impossible_rubrics --split hard45.json --output inputs.jsonl

  impossible-rubrics release inputs --records ../impossible_rubrics --check inputs.jsonl
"""

import sys
from pathlib import Path
from typing import Annotated

import typer

from impossible_rubrics_env.commands.record_problems import refuse
from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.release.errors import RecordsError
from impossible_rubrics_env.release.files import naming, refuse_overwriting, write_whole
from impossible_rubrics_env.release.inputs import check_inputs, role_inputs
from impossible_rubrics_env.release.records import Record, files_at, read_records
from impossible_rubrics_env.release.splits import Split, read_split


def release_inputs(
    records: Annotated[Path | None, typer.Option(help="A release's folder, or a file of records.")] = None,
    split: Annotated[Path | None, typer.Option(help="A split manifest, or a list of ids.")] = None,
    output: Annotated[Path | None, typer.Option(help="The JSONL file to write; by default, standard output.")] = None,
    check: Annotated[Path | None, typer.Option(help="Check this file of inputs instead.")] = None,
) -> int:
    """Write or check."""
    try:
        if check is not None:
            return _check(check, records, split, output)
        if records is None or split is None:
            raise ArgumentError("nothing to write: give --records and --split, or --check")
        if output is not None:
            refuse_overwriting(output, [split, *files_at(records)])
        text = role_inputs(_records(records), _split(split).task_ids)
    except RecordsError as error:
        return refuse(error)
    if output is None:
        sys.stdout.write(text)
    else:
        with naming("--output"):
            write_whole(output, text)
    return 0


def _records(path: Path) -> tuple[Record, ...]:
    with naming("--records", path):
        return read_records(path)


def _split(path: Path) -> Split:
    with naming("--split", path):
        return read_split(path, need_name=False)


def _check(check: Path, records: Path | None, split: Path | None, output: Path | None) -> int:
    if split is not None or output is not None:
        raise ArgumentError("--check goes without --split and --output")
    held = _records(records) if records is not None else ()
    with naming("--check", check):
        count = check_inputs(check, held)
    print(f"{count} role inputs: nothing but task_id, question, doc_id and text, and no leak found")
    return 0
