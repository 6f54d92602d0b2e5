"""What several subcommands share: the options of the draw, progress, tables, strict JSON."""

import inspect
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import Annotated, Any, TypeVar

import typer
from rich.console import Console
from rich.measure import Measurement
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from impossible_rubrics_env.taskgen.arguments import KINDS, MIXES, ORDERS, PAID_BY, SCHEMES, SHAPES, SOURCES, SPLITS

T = TypeVar("T")
NARROWEST = 80
"""Fewest columns that anything is fitted into."""
_UNBOUNDED = 10_000

Families = Annotated[str, typer.Option(help="A family, a group (answer, attack, rubric, all), or weights: a:2,b:1.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]

_DRAW: dict[str, tuple[type, str]] = {
    "seed": (int, "Seed of the draw."),
    "split": (str, f"One of {', '.join(SPLITS)}."),
    "mix": (str, f"One of {', '.join(MIXES)}; balanced draws twin pairs."),
    "rungs": (str, "Shares of the rungs: impossible:1,razor:2."),
    "labels": (str, "Shares of the labels: impossible:2,hard_positive:2,clear_positive:1."),
    "kind": (str, f"What is asked: one of {', '.join(KINDS)}."),
    "paid_by": (str, f"What pays an answer made of statements: one of {', '.join(PAID_BY)}."),
    "packet": (str, "Of rubric tasks: the packet family that they are about."),
    "depth": (int, "How many facts must be combined, or notices follow on each other."),
    "documents": (int, "Least number of documents."),
    "distractors": (int, "Sentences that state facts which do not matter."),
    "digits": (int, "Digits after the point of figures."),
    "max_chars": (int, "Most characters of a prompt."),
    "shape": (str, f"Grader shape: one of {', '.join(SHAPES)}."),
    "record": (str, "A ledger record or parametric kind by name."),
    "source": (str, f"Where quantities come from: one of {', '.join(SOURCES)}."),
    "tau": (str, "Tolerance in certificate widths around the midpoint."),
    "room": (str, "Exact number of doubles that break the grader."),
    "order": (str, f"Of balanced draws: one of {', '.join(ORDERS)}."),
    "scheme": (str, f"Reward scheme: one of {', '.join(SCHEMES)}."),
    "penalty": (str, "What a false claim costs, such as 3/2."),
    "abstain": (bool, "Offer UNSURE; by default answer families do."),
}


def with_draw(*, without: Iterable[str] = ()) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command the options of the draw; it receives those that were set as the dict `draw`."""
    names = [name for name in _DRAW if name not in set(without)]

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        own = [item for name, item in inspect.signature(command).parameters.items() if name != "draw"]

        @wraps(command)
        def wrapped(**values: Any) -> Any:
            given = {name: values.pop(name) for name in names}
            return command(**values, draw={name: value for name, value in given.items() if value is not None})

        options = [_option(name) for name in names]
        wrapped.__signature__ = inspect.Signature([*own, *options])  # type: ignore[attr-defined]
        wrapped.__annotations__ = {item.name: item.annotation for item in [*own, *options]}
        return wrapped

    return decorate


def _option(name: str) -> inspect.Parameter:
    kind, text = _DRAW[name]
    flag = f"--{name.replace('_', '-')}"
    option = typer.Option(f"{flag}/--no-{flag[2:]}" if kind is bool else flag, help=text, show_default=False)
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind | None, option]
    )


def with_progress(items: Iterable[T], total: int | None, what: str) -> Iterator[T]:
    """The items, with a progress bar on standard error while a person watches."""
    if not sys.stderr.isatty():
        yield from items
        return
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        yield from progress.track(items, total=total)


class _Tables(Console):
    """A console that gives a table the room it needs: a terminal wraps its lines, which is better than cut numbers."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print, as wide as needed."""
        free = self.options.update(max_width=_UNBOUNDED)
        needed = (Measurement.get(self, free, item).maximum for item in objects if isinstance(item, Table))
        self.width = max(self.width, NARROWEST, *needed)
        super().print(*objects, **options)


def console() -> Console:
    """Standard output for tables: as wide as the terminal or COLUMNS says, and wider where a table needs it."""
    fitting = sys.stdout.isatty() or "COLUMNS" in os.environ
    return _Tables(width=None if fitting else 140, highlight=False, markup=False, emoji=False)


def print_json(data: Any) -> None:
    """One strict JSON object on standard output."""
    print(json.dumps(data, allow_nan=False, sort_keys=True, ensure_ascii=True))
