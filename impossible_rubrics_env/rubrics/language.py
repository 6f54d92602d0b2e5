"""The rubric language: a parsed JSON value becomes a `Rubric`, or a RubricError that names the place.

In: what `reply.read_answer` gives (numbers are text), or the same with plain integers, and the ids of the statements
that conditions may name. Out: frozen values, points as integers of 1/1,000,000. Refused: whatever is malformed or
beyond the bounds below, which keep reading and walking bounded. docs/rubrics.md describes the language, and
rubric.schema.json as far as a JSON Schema can.
"""

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from impossible_rubrics_env.errors import ImpossibleRubricsError
from impossible_rubrics_env.numerals import Ratio, read_exact

MAX_CRITERIA = 40
MAX_TEXT_CHARS = 500
"""Longest text of a criterion."""
MAX_NESTING = 4
"""Connectives inside each other; a lone id has none."""
MAX_MEMBERS = 40
"""Members of one list."""
MAX_NODES = 400
"""Ids and connectives of all conditions together."""
MAX_POINTS = 1_000
"""Largest points of a criterion, by magnitude."""
MAX_NUMBER_CHARS = 60
"""Longest text of a number."""
MICRO = 1_000_000
"""Points are whole multiples of 1/MICRO."""
MAX_JSON_DEPTH = 3 + 2 * MAX_NESTING
"""Containers inside each other in a rubric's JSON; a reply that wraps it in an object has one more."""
ROOT = "rubric"
"""The place of a fault of the whole value."""

_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Controls, line separators, marks that turn the direction of writing, and halves of a character."""
_COUNT = re.compile(r"[1-9][0-9]?", re.ASCII)


class RubricError(ImpossibleRubricsError, ValueError):
    """A rubric is malformed or too large; `place` says where, such as `criteria[2].if.all[1]`."""

    def __init__(self, place: str, message: str) -> None:
        super().__init__(place, message)
        self.place = place
        self.message = message

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


@dataclass(frozen=True, slots=True)
class States:
    """Holds where the answer makes the statement."""

    id: str


@dataclass(frozen=True, slots=True)
class AllOf:
    """Holds where every member does."""

    members: "tuple[Condition, ...]"


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Holds where some member does."""

    members: "tuple[Condition, ...]"


@dataclass(frozen=True, slots=True)
class Not:
    """Holds where its member does not."""

    member: "Condition"


@dataclass(frozen=True, slots=True)
class AtLeast:
    """Holds where at least `count` members do."""

    count: int
    members: "tuple[Condition, ...]"


Condition = States | AllOf | AnyOf | Not | AtLeast


@dataclass(frozen=True, slots=True)
class Criterion:
    """Points for the answers that meet a condition."""

    text: str
    points_micro: int
    """In 1/1,000,000 of a point; may be negative."""
    condition: Condition


@dataclass(frozen=True, slots=True)
class Rubric:
    """Criteria over the statements of one task. A set's score is the sum of its criteria's points, cut to 0..100."""

    ids: tuple[str, ...]
    """Of all statements, in list order."""
    criteria: tuple[Criterion, ...]


def read_rubric(value: Any, statement_ids: Sequence[str]) -> Rubric:
    """Read a rubric whose conditions name statements of the list. Raises RubricError; no value raises anything else."""
    _fields(value, ("criteria",), ROOT)
    listed = _list(value["criteria"], MAX_CRITERIA, "criteria")
    reader = _Conditions(frozenset(statement_ids))
    criteria = [_criterion(member, f"criteria[{place}]", reader) for place, member in enumerate(listed)]
    return Rubric(tuple(statement_ids), tuple(criteria))


def rubric_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of the language, as shipped."""
    text = resources.files("impossible_rubrics_env.rubrics").joinpath("rubric.schema.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


class _Conditions:
    """Reads the conditions of one rubric and counts their nodes."""

    def __init__(self, ids: frozenset[str]) -> None:
        self._ids = ids
        self._nodes = 0

    def read(self, value: Any, place: str, above: int = 0) -> Condition:
        """A condition with `above` connectives around it."""
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise RubricError(place, f"the conditions have more than {MAX_NODES} ids and connectives")
        if isinstance(value, str):
            if value not in self._ids:
                raise RubricError(place, f"{value[:20]!a} is no statement of the list")
            return States(value)
        if not isinstance(value, Mapping):
            raise RubricError(place, "must be a statement's id or an object")
        if above == MAX_NESTING:
            raise RubricError(place, f"more than {MAX_NESTING} connectives inside each other")
        return self._connective(value, place, above)

    def _connective(self, value: Mapping[str, Any], place: str, above: int) -> Condition:
        if len(value) == 1:
            for name, make in _LISTED.items():
                if name in value:
                    return make(self._members(value[name], f"{place}.{name}", above))
            if "not" in value:
                return Not(self.read(value["not"], f"{place}.not", above + 1))
        elif len(value) == 2 and "at_least" in value and "of" in value:
            members = self._members(value["of"], f"{place}.of", above)
            return AtLeast(_count(value["at_least"], len(members), f"{place}.at_least"), members)
        raise RubricError(place, "must have the one field all, any or not, or the two fields at_least and of")

    def _members(self, value: Any, place: str, above: int) -> tuple[Condition, ...]:
        members: dict[Condition, None] = {}
        for number, member in enumerate(_list(value, MAX_MEMBERS, place)):
            condition = self.read(member, f"{place}[{number}]", above + 1)
            if condition in members:
                raise RubricError(f"{place}[{number}]", "occurs twice in its list")
            members[condition] = None
        return tuple(members)


_LISTED: Mapping[str, Callable[[tuple[Condition, ...]], Condition]] = {"all": AllOf, "any": AnyOf}


def _criterion(value: Any, place: str, reader: _Conditions) -> Criterion:
    _fields(value, ("text", "points", "if"), place)
    text = value["text"]
    if not (isinstance(text, str) and 0 < len(text) <= MAX_TEXT_CHARS):
        raise RubricError(f"{place}.text", f"must be a text of 1 to {MAX_TEXT_CHARS} characters")
    if _UNPRINTABLE.search(text):
        raise RubricError(f"{place}.text", "holds a character that is not printed")
    points = _points_micro(value["points"], f"{place}.points")
    return Criterion(text, points, reader.read(value["if"], f"{place}.if"))


def _fields(value: Any, names: Collection[str], place: str) -> None:
    if not (isinstance(value, Mapping) and len(value) == len(names) and all(name in value for name in names)):
        raise RubricError(place, f"must be an object with exactly the fields: {', '.join(names)}")


def _list(value: Any, most: int, place: str) -> Sequence[Any]:
    if not (isinstance(value, (list, tuple)) and 0 < len(value) <= most):
        raise RubricError(place, f"must be a list of 1 to {most} members")
    return value


def _count(value: Any, most: int, place: str) -> int:
    count = int(value) if isinstance(value, str) and _COUNT.fullmatch(value) else value
    if not (type(count) is int and 1 <= count <= most):  # a truth value is an int too
        raise RubricError(place, f"must be an integer from 1 to {most}, the length of the list")
    return count


def _points_micro(value: Any, place: str) -> int:
    number = Ratio(value, 1) if type(value) is int else None
    if isinstance(value, str) and len(value) <= MAX_NUMBER_CHARS:
        number = read_exact(value)
    if number is None:
        raise RubricError(place, "must be a number: a JSON number, or a text such as 12.5 or 25/2")
    if abs(number.numerator) > MAX_POINTS * number.denominator:
        raise RubricError(place, f"must be from -{MAX_POINTS} to {MAX_POINTS}")
    micro, rest = divmod(number.numerator * MICRO, number.denominator)
    if rest:
        raise RubricError(place, f"must be a multiple of 1/{MICRO}")
    return micro
