"""Write the attacks of runs for people to label, without verdicts, names of models or ids that tell something.

The first line has the instructions for whoever labels: the question that oracles are asked. Then a line an item:
`item`, `question`, `documents`, `certificate`, `answer`, and `violates`, which people fill in with true or false. The
key says which attack each item is and what the oracles said: keep it away from whoever labels. Items stand in an order
drawn by --seed. Files that exist are never written over, since labels may be in them.

Examples:

  impossible-rubrics chain export-labels runs/first --output items.jsonl --n 40

  impossible-rubrics chain export-labels runs/first runs/other-oracle --output disputed.jsonl --disagreements
"""

from pathlib import Path
from typing import Annotated

import typer

from impossible_rubrics_env.chain.labels import MAX_ITEMS, export
from impossible_rubrics_env.chain.results import read_results
from impossible_rubrics_env.commands.chain_report import MAX_SEED, check_folder, write_output
from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.release.files import plain, same_file


def chain_export_labels(
    runs: Annotated[list[Path], typer.Argument(help="Folders of runs.", metavar="RUN...")],
    output: Annotated[Path, typer.Option(help="The file of items to write, JSON lines.", show_default=False)],
    key: Annotated[Path | None, typer.Option(help="The key to write. [default: OUTPUT with .key.jsonl]")] = None,
    n: Annotated[int | None, typer.Option("--n", "-n", min=1, max=MAX_ITEMS, help="How many items, at most.")] = None,
    disagreements: Annotated[
        bool, typer.Option("--disagreements", help="Only attacks that some oracles flag and others do not.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, max=MAX_SEED, help="Of the order and the choice.")] = 0,
) -> int:
    """Export."""
    for run in runs:
        if not run.is_dir():
            raise ArgumentError(f"{plain(run)}: not the folder of a run")
    key_file = key or output.with_suffix(".key.jsonl")
    if same_file(output, key_file):
        raise ArgumentError(f"output={plain(output)} and key={plain(key_file)} are one file")
    for option, file in (("output", output), ("key", key_file)):
        if file.exists():
            raise ArgumentError(f"{option}={plain(file)} exists: labels may be in it, name another file or remove it")
        check_folder(option, file)
    items, answers = export([read_results(run) for run in runs], runs, seed=seed, most=n, disagreements=disagreements)
    write_output("key", key_file, answers)
    write_output("output", output, items)
    count = answers.count("\n")
    print(f"{count} items in {plain(output)}, after a line of instructions; their key in {plain(key_file)}")
    return 0
