"""What commands that make paid calls share: the progress of the engine, and what a dry run would cost."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Table

from impossible_rubrics_env.chain.engine import Counts, DryEngine, Engine
from impossible_rubrics_env.chain.prices import usd
from impossible_rubrics_env.commands.options import console, print_json


@contextmanager
def watched(shown: Callable[[Counts], str]) -> Iterator[Callable[[Engine], None] | None]:
    """What the engine tells, in the words of `shown`, on standard error while a person watches."""
    if not sys.stderr.isatty():
        yield None
        return
    columns = (TextColumn("calls"), BarColumn(), TextColumn("{task.fields[shown]}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("calls", total=None, shown="")

        def tell(engine: Engine) -> None:
            counts = engine.counts
            done = counts.answered + counts.reused
            progress.update(bar, total=counts.asked, completed=done, shown=shown(counts))

        yield tell


def print_dry(
    engine: DryEngine, what: str, count: int, as_json: bool, caveat: str, left_micro_usd: int | None = None
) -> int:
    """Print how many calls a dry run would make of `count` tasks or environments, and what they cost at worst.

    Of a budget, whether that fits into what is left of it.
    """
    models = {
        name: {"calls": one.calls, "worst_case_usd": usd(one.one_micro_usd), "with_retries_usd": usd(one.all_micro_usd)}
        for name, one in [*engine.models.items(), ("all", engine.total)]
    }
    fits = None if left_micro_usd is None else engine.total.one_micro_usd <= left_micro_usd
    if as_json:
        left = {} if left_micro_usd is None else {"budget_left_usd": usd(left_micro_usd), "fits": fits}
        print_json({what: count, "models": models, **left})
        return 0
    table = Table("model", title=f"dry run: {count} {what}, nothing is sent")
    for name in ("calls", "worst case, USD", "with every retry"):
        table.add_column(name, justify="right")
    for name, one in models.items():
        table.add_row(name, str(one["calls"]), str(one["worst_case_usd"]), str(one["with_retries_usd"]))
    console().print(table)
    print(f"Worst case: every reply as long as --max-tokens allows, a token for each byte of a prompt{caveat}")
    if left_micro_usd is not None:
        told = "fits into" if fits else "is more than"
        print(f"That {told} what is left of the budget, {usd(left_micro_usd)} USD")
    return 0
