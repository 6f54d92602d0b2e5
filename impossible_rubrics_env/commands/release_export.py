"""Draw packet tasks and write them as records of the published format.

The folder gets `data/` and `data_control/` with a file a record, and the six combined exports. Every proof is checked
again, and every record validated, before anything is written. The same draw gives the same bytes.

Examples:

  impossible-rubrics release export --n 60 --mix balanced --output out/release

  impossible-rubrics release export --families objective_conflict,false_premise --n 20 --seed 7 --output out/two
"""

from pathlib import Path
from typing import Annotated, Any

import typer

from impossible_rubrics_env.commands.options import Families, Json, print_json, with_draw, with_progress
from impossible_rubrics_env.commands.record_problems import counts, print_counts, refuse
from impossible_rubrics_env.release.convert import record_of
from impossible_rubrics_env.release.errors import RecordsError
from impossible_rubrics_env.release.files import naming
from impossible_rubrics_env.release.records import release_files, write_files
from impossible_rubrics_env.release.validate import require_valid
from impossible_rubrics_env.taskgen.registry import generate


@with_draw()
def release_export(
    output: Annotated[Path, typer.Option(help="The folder to write; it must be new or empty.")],
    families: Families = "answer",
    n: Annotated[int, typer.Option("--n", "-n", min=1, help="How many tasks.")] = 60,
    as_json: Json = False,
    draw: dict[str, Any] | None = None,
) -> int:
    """Export a draw."""
    tasks = generate(families, n=n, **draw or {})
    records = [record_of(task) for task in with_progress(tasks, n, "records")]
    try:
        require_valid(records)
    except RecordsError as error:
        return refuse(error)
    with naming("--output"):
        write_files(release_files(records), output)
    if as_json:
        print_json(counts(records))
    else:
        print_counts(counts(records))
    return 0
