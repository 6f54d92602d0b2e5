"""The families, and the draw over one or several of them."""

import difflib
from collections.abc import Iterator, Mapping
from typing import Any, Protocol, cast

from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.task import Task
from impossible_rubrics_env.taskgen import certified_interval
from impossible_rubrics_env.taskgen.arguments import (
    DrawArguments,
    choose_weighted,
    draw_arguments,
    parse_task_id,
    read_integer,
    stream,
)


class Family(Protocol):
    """What a family module offers."""

    FAMILY: str
    VERSION: str

    def make(self, arguments: DrawArguments, index: int) -> Task:
        """Make the task at `index`."""

    def twin_index(self, arguments: DrawArguments, index: int) -> int | None:
        """Give the index of the task's twin, or None."""


_MODULES: dict[str, Family] = {certified_interval.FAMILY: cast("Family", certified_interval)}
GROUPS: dict[str, tuple[str, ...]] = {"attack": ("certified_interval",), "all": tuple(_MODULES)}
MAX_INDEX = 2**63


def make_task(family: str, seed: int = 0, index: int = 0, **params: Any) -> Task:
    """The task at `index` of a family's draw: a pure function of its arguments, the same on every machine.

    Raises ArgumentError on an unknown family or argument, or one out of range.
    """
    return _make(_module(family), draw_arguments(seed=seed, **params), index)


def generate(
    families: str | Mapping[str, int] = "all", n: int | None = None, seed: int = 0, **params: Any
) -> Iterator[Task]:
    """Tasks 0, 1, 2, ... of a draw over families; endless and lazy where `n` is None.

    `families` is a name, a group (`attack`, `all`), a comma-separated list, optionally with weights
    (`name:2,other:1`), or a mapping from name to weight. Each index belongs to one family, drawn by its weight;
    twins stay in one family. Arguments are checked at the call, not at the first task.
    """
    weights = family_weights(families)
    arguments = draw_arguments(seed=seed, **params)
    if n is not None and (not isinstance(n, int) or isinstance(n, bool) or n < 0):
        raise ArgumentError(f"n={n!r} is not a number of tasks")
    return _generate(weights, arguments, n)


def _generate(weights: Mapping[str, int], arguments: DrawArguments, n: int | None) -> Iterator[Task]:
    index = 0
    while n is None or index < n:
        yield task_at(weights, arguments, index)
        index += 1


def task_at(weights: Mapping[str, int], arguments: DrawArguments, index: int) -> Task:
    """Task `index` of a draw over weighted families."""
    if len(weights) == 1:
        (name,) = weights
    else:
        name = choose_weighted(stream(f"family/{arguments.split}/{arguments.seed}/{index // 2}"), weights)
    return _make(_module(name), arguments, index)


def twin(task: Task) -> Task:
    """The minimal-edit partner of a task. Raises ArgumentError (a ValueError) where there is none."""
    if not isinstance(task, Task):
        raise ArgumentError(f"twin takes a Task, not {type(task).__name__}")
    parsed = parse_task_id(task.id)
    module = _module(parsed.family)
    index = module.twin_index(parsed.arguments, parsed.index)
    if index is None:
        raise ArgumentError(f"task {task.id!r} has no twin; draw with mix='balanced'")
    return _make(module, parsed.arguments, index)


def rebuild(name: str) -> Task:
    """The task with this id. Raises ArgumentError where the id is unknown or of another generator version."""
    parsed = parse_task_id(name)
    module = _module(parsed.family)
    if parsed.version != module.VERSION:
        made = f"{parsed.family}@{module.VERSION}"
        raise ArgumentError(f"task id {name[:200]!r} is of another version; this package makes {made}")
    return _make(module, parsed.arguments, parsed.index)


def family_weights(families: str | Mapping[str, int]) -> dict[str, int]:
    """Weights by family name. Raises ArgumentError on unknown or repeated names and on bad weights."""
    if isinstance(families, Mapping):
        pairs = [(str(name), str(weight)) for name, weight in families.items()]
    elif isinstance(families, str):
        pairs = []
        for part in families.split(","):
            name, colon, weight = part.strip().partition(":")
            pairs.append((name, weight if colon else "1"))
    else:
        raise ArgumentError(f"families={families!r} is neither text nor a mapping from name to weight")
    weights: dict[str, int] = {}
    for name, weight in pairs:
        if not (weight.isascii() and weight.isdigit() and len(weight) <= 6 and int(weight)):
            raise ArgumentError(f"families: the weight of {name!r} is {weight!r}, not an integer from 1 to 999999")
        for member in GROUPS.get(name, (name,)):
            _module(member)
            if member in weights:
                raise ArgumentError(f"families={families!r} names {member} twice")
            weights[member] = int(weight)
    if not weights:
        raise ArgumentError("families names none")
    return weights


def _make(module: Family, arguments: DrawArguments, index: int) -> Task:
    place = None if isinstance(index, str) else read_integer(index)
    if place is None or not 0 <= place < MAX_INDEX:
        raise ArgumentError(f"index={str(index)[:200]!r} is not an integer from 0 to 2^63 - 1")
    return module.make(arguments, place)


def _module(name: str) -> Family:
    module = _MODULES.get(name) if isinstance(name, str) else None
    if module is None:
        known = [*_MODULES, *GROUPS]
        close = difflib.get_close_matches(str(name), known, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise ArgumentError(f"unknown family {str(name)[:80]!r}{hint} (families: {', '.join(_MODULES)})")
    return module
