"""Prove again all that a built release says, from its folder alone.

Every file has the hash of the manifest, and no data file is there beside those. Every certificate and every contract of
tasks and published records holds. Every stored optimum (`optima.jsonl`: the best answers under the faithful rubric and
those of three flawed writers) is proved again by the independent checker, which shares no code with the walk. Then all
that the build writes of tasks, records and optima is written again and compared whole: splits, provenance, exports, and
every value of the manifest; the seed is that of the task ids. The version of the package must be the one that built it,
since nothing in the folder tells it but the manifest. Tasks are proved, not drawn again: `release build` does that.
Exit code 2 and one line that names file, task and field where something does not hold.

Examples:

  impossible-rubrics release check out/release

  impossible-rubrics release check out/release --json
"""

from pathlib import Path
from typing import Annotated

import typer

from impossible_rubrics_env.commands.options import Json, print_json, with_progress
from impossible_rubrics_env.release.built import check_release
from impossible_rubrics_env.release.files import naming


def release_check(
    release: Annotated[Path, typer.Argument(help="A folder that `release build` wrote.")],
    as_json: Json = False,
) -> None:
    """Check."""
    with naming("RELEASE", release):
        found = check_release(release, with_progress)
    if as_json:
        print_json({"files": found.files, "records": found.records, "optima_proved": found.optima})
        return
    print(
        f"{found.files} files as the manifest lists them, {found.records} tasks and records that keep every contract, "
        f"{found.optima} stored optima proved again by the independent checker"
    )
