"""Every answer at once: all 2^n sets of statements as numpy columns, their scores, and what kind of answer each is.

Sets stand in order of preference (smaller first, then the one whose first differing statement comes earlier in the
list), so the first maximum of an array is the one that ties are decided for. Scores are int64 counts of 1/1,000,000
points: at most 40 criteria of at most 1,000 points each, so nothing overflows.
"""

from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.rubrics.language import MICRO, AllOf, AnyOf, AtLeast, Condition, Not, Rubric, States
from impossible_rubrics_env.rubrics.marks import FALSE_MARKS, MAX_STATEMENTS, Marked

Column = npt.NDArray[np.bool_]
"""One truth value a set, in order of preference."""
Scores = npt.NDArray[np.int64]
"""One score a set, in order of preference, in 1/1,000,000 of a point."""


class Sets(NamedTuple):
    """All sets of n statements."""

    columns: tuple[Column, ...]
    """By statement: which sets hold it. Read only, as are the arrays below."""
    bits: npt.NDArray[np.int64]
    """By place: bit n - 1 - k is set where the set holds statement k."""
    places: npt.NDArray[np.int64]
    """By bits: the place of the set."""


class Kinds(NamedTuple):
    """Which sets are of which kind; a false one violates, and one that does not violate is honest."""

    false: Column
    violating: Column
    honest: Column


@lru_cache(maxsize=MAX_STATEMENTS + 1)
def all_sets(n: int) -> Sets:
    """Every set of n statements. Raises ArgumentError where n is not 0 to 16."""
    if not 0 <= n <= MAX_STATEMENTS:
        raise ArgumentError(f"statements: must be at most {MAX_STATEMENTS}, got {n}")
    masks = np.arange(1 << n, dtype=np.int64)
    sizes = sum(((masks >> bit & 1) for bit in range(n)), np.zeros_like(masks))
    bits = masks[np.lexsort((-masks, sizes))]
    places = np.empty_like(bits)
    places[bits] = masks
    columns = tuple((bits >> (n - 1 - statement) & 1).astype(np.bool_) for statement in range(n))
    for array in (bits, places, *columns):
        array.setflags(write=False)
    return Sets(columns, bits, places)


def place_of(ids: tuple[str, ...], stated: Collection[str]) -> int:
    """The place of a set of statements among all sets of the list."""
    bits = sum(1 << (len(ids) - 1 - place) for place, id_ in enumerate(ids) if id_ in stated)
    return int(all_sets(len(ids)).places[bits])


def set_at(ids: tuple[str, ...], place: int) -> tuple[str, ...]:
    """The ids of the set at a place, in list order."""
    columns = all_sets(len(ids)).columns
    return tuple(id_ for id_, column in zip(ids, columns, strict=True) if column[place])


def scores(rubric: Rubric) -> Scores:
    """The score of every set, cut to 0..100 points."""
    columns = dict(zip(rubric.ids, all_sets(len(rubric.ids)).columns, strict=True))
    total = np.zeros(1 << len(rubric.ids), dtype=np.int64)
    for criterion in rubric.criteria:
        total += meeting(criterion.condition, columns) * np.int64(criterion.points_micro)
    return np.clip(total, 0, 100 * MICRO, out=total)


def meeting(condition: Condition, columns: Mapping[str, Column]) -> Column:
    """Which sets meet the condition; `columns` has which hold each statement."""
    match condition:
        case States(id):
            return columns[id]
        case Not(member):
            return ~meeting(member, columns)
        case AllOf(members):
            return _joined(np.logical_and, members, columns)
        case AnyOf(members):
            return _joined(np.logical_or, members, columns)
        case AtLeast(count, members):
            held = np.zeros(len(next(iter(columns.values()))), dtype=np.uint8)  # a list has at most 40 members
            for member in members:
                held += meeting(member, columns).view(np.uint8)
            return held >= count


def _joined(join: np.ufunc, members: tuple[Condition, ...], columns: Mapping[str, Column]) -> Column:
    first, *others = members
    joined = meeting(first, columns).copy()  # the columns are everybody's
    for member in others:
        join(joined, meeting(member, columns), out=joined)
    return joined


def kinds(marked: Marked) -> Kinds:
    """What every set of a marked list is."""
    return _kinds(tuple(marked.marks[id_] for id_ in marked.ids), tuple(id_ in marked.idle for id_ in marked.ids))


@lru_cache(maxsize=64)
def _kinds(marks: tuple[str, ...], idle: tuple[bool, ...]) -> Kinds:
    columns = all_sets(len(marks)).columns
    false = np.zeros(1 << len(marks), dtype=np.bool_)
    lacking = np.zeros_like(false)
    cited = np.zeros(1 << len(marks), dtype=np.uint8)
    for column, mark, is_idle in zip(columns, marks, idle, strict=True):
        if mark in FALSE_MARKS:
            false |= column
        elif mark == "required":
            lacking |= ~column
        if is_idle:
            cited += column.view(np.uint8)
    violating = false | lacking | (cited >= 2)
    found = Kinds(false, violating, ~violating)
    for array in found:
        array.setflags(write=False)
    return found


def holding_any(ids: tuple[str, ...], wanted: Iterable[str]) -> Column:
    """Which sets hold at least one of the wanted statements."""
    columns = dict(zip(ids, all_sets(len(ids)).columns, strict=True))
    found = np.zeros(1 << len(ids), dtype=np.bool_)
    for id_ in wanted:
        found |= columns[id_]
    return found


def best(found: Scores, kind: Column) -> int | None:
    """The place of the best set of a kind, of equals the preferred one; None where there is no set of the kind."""
    place = int(np.argmax(np.where(kind, found, -1)))  # no score is negative
    return place if kind[place] else None


def named_lists(condition: Condition) -> list[tuple[str, ...]]:
    """The ids that each list of the condition names itself; an id that is in no list is a list of one."""
    match condition:
        case States(id):
            return [(id,)]
        case Not(member):
            return named_lists(member)
        case AllOf(members) | AnyOf(members) | AtLeast(_, members):
            own = tuple(member.id for member in members if isinstance(member, States))
            inner = [named_lists(member) for member in members if not isinstance(member, States)]
            return [own, *chain.from_iterable(inner)]
