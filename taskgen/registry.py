"""The families, and the draw over one or several of them."""

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache, lru_cache
from importlib import import_module
from typing import Any, Protocol, cast

from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.task import Role, Task
from impossible_rubrics_env.taskgen.arguments import (
    ANY,
    COMMON,
    KINDS,
    DrawArguments,
    choose_weighted,
    draw_arguments,
    parse_task_id,
    read_integer,
    stream,
    task_id,
)
from impossible_rubrics_env.taskgen.pairs import shuffled


class Family(Protocol):
    """What a family module `taskgen/<family>.py` offers.

    One that asks some kinds of question alone also has KINDS; one that can tell bad arguments before it draws also has
    `refuse(arguments)`, which raises ArgumentError.
    """

    FAMILY: str
    VERSION: str
    USES: frozenset[str]
    """Names of the arguments that it uses, beside those of COMMON."""

    def make(self, arguments: DrawArguments, index: int) -> Task:
        """Make the task at `index`."""

    def twin_index(self, arguments: DrawArguments, index: int) -> int | None:
        """Give the index of the task's twin, or None."""


ANSWER: tuple[str, ...] = (
    "insufficient_evidence",
    "objective_conflict",
    "false_premise",
    "missing_citation",
    "counterevidence_trap",
    "impossible_exhaustiveness",
)
"""Packet families: a line each, in the order of `impossible_rubrics_env.FAMILIES`."""
ATTACK = ("certified_interval",)
RUBRIC = ("rubric_attack", "rubric_writing", "rubric_reward")
GROUPS: dict[str, tuple[str, ...]] = {
    "answer": ANSWER,
    "attack": ATTACK,
    "rubric": RUBRIC,
    "all": (*ATTACK, *ANSWER, *RUBRIC),
}
_ROLES = {"certified_interval": Role.ATTACK, "rubric_attack": Role.ATTACK, "rubric_writing": Role.RUBRIC}
"""Of the families that ask for no answer."""
MAX_INDEX = 2**63


def make_task(family: str, seed: int = 0, index: int = 0, **params: Any) -> Task:
    """The task at `index` of a family's draw: a pure function of its arguments, the same on every machine.

    Raises ArgumentError on an unknown family or argument, one that the family does not use, or one out of range.
    """
    _module(family)
    arguments = draw_arguments(seed=seed, **params)
    draw_weights({family: 1}, arguments)
    return _make(family, arguments, index)


def generate(
    families: str | Mapping[str, int] = "all", n: int | None = None, seed: int = 0, **params: Any
) -> Iterator[Task]:
    """Tasks 0, 1, 2, ... of a draw over families; endless and lazy where `n` is None.

    `families` is a name, a group (`answer`, `attack`, `rubric`, `all`), a comma-separated list, optionally with weights
    (`name:2,other:1`), or a mapping from name to weight. Each index belongs to one family, drawn by its weight;
    twins stay in one family. Of several families, those take an argument that use it, and `kind` leaves out those that
    never ask it. Arguments are checked at the call, not at the first task.
    """
    arguments = draw_arguments(seed=seed, **params)
    weights = draw_weights(families, arguments)
    if n is not None and (not isinstance(n, int) or isinstance(n, bool) or n < 0):
        raise ArgumentError(f"n={n!r} is not a number of tasks")
    return _generate(weights, arguments, n)


def _generate(weights: Mapping[str, int], arguments: DrawArguments, n: int | None) -> Iterator[Task]:
    index = 0
    while n is None or index < n:
        yield task_at(weights, arguments, index)
        index += 1


def task_at(weights: Mapping[str, int], arguments: DrawArguments, index: int) -> Task:
    """Task `index` of a draw over weighted families, whose weights are those of `draw_weights`."""
    if len(weights) == 1:
        (name,) = weights
        return _make(name, arguments, index)
    if arguments.order == "shuffled":  # the pairs of all families are shuffled together, so ids say `paired`
        index = shuffled(f"families/{arguments.split}/{arguments.seed}", index)
        arguments = _paired(arguments)
    name = choose_weighted(stream(f"family/{arguments.split}/{arguments.seed}/{index // 2}"), weights)
    return _make(name, arguments, index)


def twin(task: Task) -> Task:
    """The minimal-edit partner of a task. Raises ArgumentError (a ValueError) where there is none."""
    if not isinstance(task, Task):
        raise ArgumentError(f"twin takes a Task, not {type(task).__name__}")
    parsed = parse_task_id(task.id)
    index = _module(parsed.family).twin_index(parsed.arguments, parsed.index)
    if index is None:
        raise ArgumentError(f"task {task.id!r} has no twin in its draw; with mix='balanced' every task has one")
    return _make(parsed.family, parsed.arguments, index)


def rebuild(name: str) -> Task:
    """The task with this id. Raises ArgumentError where the id is unknown or of another generator version."""
    parsed = parse_task_id(name)
    version = _module(parsed.family).VERSION
    if parsed.version != version:
        made = f"{parsed.family}@{version}"
        raise ArgumentError(f"task id {name[:200]!r} is of another version; this package makes {made}")
    draw_weights({parsed.family: 1}, parsed.arguments)
    own = task_id(parsed.family, version, family_arguments(parsed.family, parsed.arguments), parsed.index)
    if own != name:
        raise ArgumentError(f"not a task id as this package writes it: {name[:200]!r}; it would be {own[:200]!r}")
    return _make(parsed.family, parsed.arguments, parsed.index)


def draw_weights(families: str | Mapping[str, int], arguments: DrawArguments) -> dict[str, int]:
    """Weights by family name of a draw with these arguments.

    Families that never ask the wanted kind are left out. Raises ArgumentError on unknown or repeated names, on bad
    weights, and on an argument that no family drawn from uses.
    """
    weights = family_weights(families)
    if arguments.kind != ANY:
        asking = {name: weight for name, weight in weights.items() if _asks(name, arguments.kind)}
        if not asking:
            raise ArgumentError(f"kind={arguments.kind!r} is asked by none of: {', '.join(weights)}")
        weights = asking
    used = COMMON.union(*(_module(name).USES for name in weights))
    for name in arguments.changed():
        if name not in used:
            raise ArgumentError(f"{name}={getattr(arguments, name)!r} is used by none of: {', '.join(weights)}")
    for name in weights:
        family_arguments(name, arguments)
    return weights


def family_weights(families: str | Mapping[str, int]) -> dict[str, int]:
    """Weights by family name, in the order of the registry, so that the order of the names draws nothing else.

    Raises ArgumentError on unknown or repeated names and on bad weights.
    """
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
        raise ArgumentError(f"families={families!r} names none")
    return {name: weights[name] for name in GROUPS["all"] if name in weights}


@lru_cache(maxsize=256)
def family_arguments(name: str, arguments: DrawArguments) -> DrawArguments:
    """The arguments as the family takes them. Raises ArgumentError where it can draw nothing with them."""
    module = _module(name)
    own = arguments.only(module.USES, role_of(name))
    refuse = getattr(module, "refuse", None)
    if refuse is not None:
        refuse(own)
    return own


def role_of(family: str) -> Role:
    """What the tasks of a family ask of the policy."""
    return _ROLES.get(family, Role.ANSWER)


def uses_of(family: str) -> frozenset[str]:
    """Names of the arguments of the draw that a family uses, beside those that every family does."""
    return _module(family).USES


@lru_cache(maxsize=256)
def _paired(arguments: DrawArguments) -> DrawArguments:
    return replace(arguments, order="paired")


def _asks(name: str, kind: str) -> bool:
    """Whether a family asks this kind of question. One that does not use `kind` asks what it always asks."""
    module = _module(name)
    return "kind" not in module.USES or kind in getattr(module, "KINDS", KINDS)


def _make(name: str, arguments: DrawArguments, index: int) -> Task:
    place = None if isinstance(index, str) else read_integer(index)
    if place is None or not 0 <= place < MAX_INDEX:
        raise ArgumentError(f"index={str(index)[:200]!r} is not an integer from 0 to 2^63 - 1")
    return _module(name).make(family_arguments(name, arguments), place)


def _module(name: str) -> Family:
    """The module of a family, loaded on first use."""
    if not isinstance(name, str) or name not in GROUPS["all"]:
        known = [*GROUPS["all"], *GROUPS]
        if isinstance(name, str) and name in GROUPS:
            raise ArgumentError(f"{name!r} is a group; one family is wanted here: {', '.join(GROUPS[name])}")
        close = difflib.get_close_matches(str(name), known, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise ArgumentError(f"unknown family {str(name)[:80]!r}{hint} (families: {', '.join(GROUPS['all'])})")
    return _load(name)


@cache
def _load(name: str) -> Family:
    return cast("Family", import_module(f"impossible_rubrics_env.taskgen.{name}"))
