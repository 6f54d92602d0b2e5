"""Reads what models reply: two scores, a verdict, an answer with the statements that it makes.

In: the text of a reply that ended by itself. Out: the value, or the status that says why there is none. Nothing is
guessed: a reply in another form than asked for has no value, and no value is ever put in the place of a missing one.
"""

import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Generic, NoReturn, TypeVar

from impossible_rubrics_env.chain.calls import Stop
from impossible_rubrics_env.chain.results import Order, Status

T = TypeVar("T")
MOST_POINTS = 100
_MAX_JSON_CHARS = 10_000
_FENCED = re.compile(r"```[A-Za-z]*[ \t]*\r?\n(?P<inside>.*)\n```", re.DOTALL)
"""What stands inside must be one JSON value, so there is no second block in it."""
_NUMBER = re.compile(r"-?[0-9]{1,12}(?:\.[0-9]{1,6}0{0,20})?", re.ASCII)
_OPEN, _CLOSE = "<statements>", "</statements>"
MAX_TEXT_CHARS = 200_000
"""Longest rubric or answer that is passed on to another role."""


STATUS_OF = {
    Stop.END: Status.OK,
    Stop.LENGTH: Status.TRUNCATED,
    Stop.REFUSAL: Status.REFUSAL,
    Stop.EMPTY: Status.EMPTY,
}
"""By how a reply ended."""


@dataclass(frozen=True, slots=True)
class Read(Generic[T]):
    """A value, or why there is none."""

    status: Status
    value: T | None = None


@dataclass(frozen=True, slots=True)
class Scores:
    """What a judge gave the two answers, in the order in which it saw them."""

    first: float
    second: float

    def in_order(self, order: Order) -> tuple[float, float]:
        """Of the baseline and of the attack."""
        return (self.first, self.second) if order is Order.BASELINE_FIRST else (self.second, self.first)


@dataclass(frozen=True, slots=True)
class Attack:
    """An attacker's answer."""

    prose: str
    stated: tuple[str, ...] | None
    """Ids of the statements that it makes, in list order; None where they were not asked for."""


def read_text(text: str) -> Read[str]:
    """A rubric or an answer: the whole text."""
    stripped = text.strip()
    if len(stripped) > MAX_TEXT_CHARS:
        return Read(Status.UNREADABLE)
    return Read(Status.OK, stripped) if stripped else Read(Status.EMPTY)


def read_attack(text: str) -> Read[Attack]:
    """An answer in prose."""
    found = read_text(text)
    return Read(found.status, None if found.value is None else Attack(found.value, None))


def read_stated_attack(text: str, ids: Collection[str]) -> Read[Attack]:
    r"""An answer, and on its last line the ids of the statements that it makes: some of `ids`, each once.

    >>> read_stated_attack('It is so.\n<statements>["S2"]</statements>', ["S1", "S2"]).value
    Attack(prose='It is so.', stated=('S2',))
    """
    before, opened, rest = text.strip().rpartition(_OPEN)
    if not opened or not rest.endswith(_CLOSE):
        return Read(Status.UNREADABLE)
    try:
        stated = _parse(rest.removesuffix(_CLOSE))
    except ValueError:
        return Read(Status.UNREADABLE)
    sound = isinstance(stated, list) and all(isinstance(one, str) for one in stated)
    if not sound or not stated or len(set(stated)) != len(stated) or not set(ids) >= set(stated):
        return Read(Status.UNREADABLE)
    prose = read_text(before)
    if prose.value is None:
        return Read(prose.status)
    return Read(Status.OK, Attack(prose.value, tuple(one for one in ids if one in stated)))


def read_scores(text: str) -> Read[Scores]:
    """`{"first": NUMBER, "second": NUMBER}`, from 0 to 100, at most six decimals.

    >>> read_scores('{"first": 101, "second": 5}').status
    <Status.OUT_OF_RANGE: 'out_of_range'>
    >>> read_scores('{"first": NaN, "second": 5}').status
    <Status.UNREADABLE: 'unreadable'>
    """
    value = _object(text)
    if value is None or value.keys() != {"first", "second"}:
        return Read(Status.UNREADABLE)
    texts = [value["first"], value["second"]]
    if not all(isinstance(one, _Number) and _NUMBER.fullmatch(one) for one in texts):
        return Read(Status.UNREADABLE)
    first, second = map(float, texts)
    if not all(0 <= one <= MOST_POINTS for one in (first, second)):
        return Read(Status.OUT_OF_RANGE)
    return Read(Status.OK, Scores(first, second))


def read_verdict(text: str) -> Read[bool]:
    """`{"violates": true}` or `{"violates": false}`."""
    value = _object(text)
    if value is None or value.keys() != {"violates"} or not isinstance(value["violates"], bool):
        return Read(Status.UNREADABLE)
    return Read(Status.OK, value["violates"])


class _Number(str):
    """A number of JSON as it is written."""

    __slots__ = ()


def _object(text: str) -> dict[str, Any] | None:
    """The one JSON object that the text is, alone or as all that a Markdown code fence holds."""
    stripped = text.strip()
    fenced = _FENCED.fullmatch(stripped)
    try:
        value = _parse(fenced["inside"] if fenced else stripped)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _parse(text: str) -> Any:
    """Strict JSON. Raises ValueError."""
    if len(text) > _MAX_JSON_CHARS:
        raise ValueError("too long")
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_refuse, parse_float=_number, parse_int=_number)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = dict(pairs)
    if len(names) != len(pairs):
        raise ValueError("a name stands twice")
    return names


def _refuse(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number of JSON")


def _number(text: str) -> _Number:
    return _Number(text)
