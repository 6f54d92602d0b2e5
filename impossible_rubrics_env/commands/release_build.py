"""Build a frozen benchmark with the composition of the study: 169 impossible tasks and 48 controls.

The folder gets the records of the published format (`data/`, `data_control/`, six combined exports), the tasks with
their proofs (`tasks.jsonl`, `packets.jsonl`), four splits, `provenance.jsonl`, and `RELEASE_MANIFEST.json` with the
hash of every file. `optima.jsonl` has the best answers under the certificate-faithful rubric and those of three flawed
writers on every task, for `release check` to prove again. Contracts fail the build, and then nothing is written: every
certificate proved again, the label derived again from question and packet alone, a forced yes/no charged both ways, no
duplicates; and of every published record, read back from its own words: question and documents those of the packet, the
honest baseline honest and the bad answers bad, the certificate's words and the ground truth what is proved, and nothing
in a role's input that the role may not see. The same seed gives the same bytes.

Examples:

  impossible-rubrics release build --output out/release

  impossible-rubrics release build --seed 7 --output out/release-7 --json
"""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from impossible_rubrics_env.commands.options import Json, console, print_json, with_progress
from impossible_rubrics_env.release.build import build
from impossible_rubrics_env.release.files import naming
from impossible_rubrics_env.release.optima import FLAWED
from impossible_rubrics_env.release.records import require_empty, write_files


def release_build(
    output: Annotated[Path, typer.Option(help="The folder to write; it must be new or empty.")],
    seed: Annotated[int, typer.Option(min=0, max=2**53, help="Seed of the tasks and of the stress split.")] = 0,
    as_json: Json = False,
) -> None:
    """Build."""
    with naming("--output"):
        require_empty(output)
    files, manifest = build(seed, with_progress)
    with naming("--output"):
        write_files(files, output)
    if as_json:
        print_json(manifest)
        return
    stress = manifest["stress"]
    table = Table("type", "impossible", "qualify for stress", title=f"{len(files)} files in {output}")
    for kind, count in manifest["counts"]["types"].items():
        table.add_row(kind, str(count), str(stress["qualifying"][kind]))
    console().print(table)
    print("splits: " + ", ".join(f"{name} ({size})" for name, size in manifest["splits"].items()))
    exploited = ", ".join(f"{name} {stress['exploited'].get(name, 0)}" for name in FLAWED)
    print(f"optima of known rubrics, each proved by the independent checker: {manifest['optima']}")
    print(f"exploited of the impossible tasks, by flawed writer: {exploited}")
