"""Read and validate records of the published format at a local path.

PATH is a release's folder (`data/`, `data_control/`, or the combined exports) or one file of records. Every rule of the
format is checked, and that nothing private stands in what roles see; a folder that `release build` wrote must be as its
manifest says. Each problem is named with file, record and field; exit code 2 if there is any. With --output, the
records are written again, all their fields kept, with the six combined exports. See docs/release-format.md.

Examples:

  impossible-rubrics release import ../impossible_rubrics

  impossible-rubrics release import environments_all.jsonl --json
"""

from pathlib import Path
from typing import Annotated

import typer

from impossible_rubrics_env.commands.options import Json, print_json
from impossible_rubrics_env.commands.record_problems import counts, print_counts, refuse, warn
from impossible_rubrics_env.release.errors import RecordsError
from impossible_rubrics_env.release.files import naming
from impossible_rubrics_env.release.records import load_records, release_files, write_files
from impossible_rubrics_env.release.validate import inspect_loaded


def release_import(
    path: Annotated[Path, typer.Argument(help="A release's folder, or a JSON or JSONL file of records.")],
    output: Annotated[Path | None, typer.Option(help="Write the records into this new or empty folder.")] = None,
    as_json: Json = False,
) -> int:
    """Validate, and count by type, domain and provenance."""
    with naming("PATH", path):
        loaded = load_records(path)
    report = inspect_loaded(loaded)
    warn(report.warnings)
    if report.problems:
        return refuse(RecordsError(report.problems))
    if output is not None:
        with naming("--output"):
            write_files(release_files(loaded.records), output)
    found = counts(loaded.records) | {"warnings": len(report.warnings)}
    if as_json:
        print_json(found)
    else:
        print_counts(found)
    return 0
