"""Write the attacks of a run for people to label, without verdicts, names of models or ids that tell something.

A line an item: `item`, `question`, `documents`, `answer`, and `violates`, which people fill in: true where the answer
claims what the documents do not carry, else false. The key says which attack each item is and what the oracles said:
keep it away from whoever labels. Items stand in an order drawn by --seed.

Examples:

  impossible-rubrics chain export-labels runs/first --output items.jsonl --n 40

  impossible-rubrics chain export-labels runs/first --output disputed.jsonl --disagreements
"""

from pathlib import Path
from typing import Annotated

import typer

from impossible_rubrics_env.chain.labels import ENVIRONMENTS, MAX_ITEMS, export
from impossible_rubrics_env.chain.results import read_results, results_file
from impossible_rubrics_env.chain.store import FILE
from impossible_rubrics_env.commands.chain_report import MAX_SEED
from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.release.files import plain, refuse_overwriting, same_file, write_whole


def chain_export_labels(
    run: Annotated[Path, typer.Argument(help="The folder of a run.")],
    output: Annotated[Path, typer.Option(help="The file of items to write, JSON lines.", show_default=False)],
    key: Annotated[Path | None, typer.Option(help="The key to write. [default: OUTPUT with .key.jsonl]")] = None,
    n: Annotated[int | None, typer.Option("--n", "-n", min=1, max=MAX_ITEMS, help="How many items, at most.")] = None,
    disagreements: Annotated[
        bool, typer.Option("--disagreements", help="Only attacks that some oracles flag and others do not.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, max=MAX_SEED, help="Of the order and the choice.")] = 0,
) -> int:
    """Export."""
    if not run.is_dir():
        raise ArgumentError(f"{plain(run)}: not the folder of a run")
    key_file = key or output.with_suffix(".key.jsonl")
    for file in (output, key_file):
        refuse_overwriting(file, [results_file(run), run / FILE, run / ENVIRONMENTS])
    if same_file(output, key_file):
        raise ArgumentError(f"output={plain(output)} and key={plain(key_file)} are one file")
    items, answers = export(read_results(run), run, seed=seed, most=n, disagreements=disagreements)
    write_whole(key_file, answers)
    write_whole(output, items)
    print(f"{items.count(chr(10))} items in {plain(output)}, their key in {plain(key_file)}")
    return 0
