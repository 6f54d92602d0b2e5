"""A task as data: what the prompt says, what the certificate proves, and the JSON both travel in.

Nothing here knows a family, draws anything or grades anything.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any, NoReturn

from impossible_rubrics_env.errors import CertificateError

TASK_FORMAT = "impossible-rubrics-task/1"
UNBOUNDED = "unbounded"
MAX_SAFE_INTEGER = 2**53
"""Integers beyond this are strings in JSON, so that no reader shifts them through a double."""
MAX_ROOM_DIGITS = 640
"""Longest room: `int` converts this many digits whatever digit limit the process has set."""


class Role(StrEnum):
    """What the policy is asked to do."""

    ATTACK = "attack"
    ANSWER = "answer"
    RUBRIC = "rubric"


class Label(StrEnum):
    """Which side of the line a task lies on; attack tasks use the last two."""

    IMPOSSIBLE = "impossible"
    HARD_POSITIVE = "hard_positive"
    CLEAR_POSITIVE = "clear_positive"
    BREAKABLE = "breakable"
    UNBREAKABLE = "unbreakable"


class Rung(StrEnum):
    """How close a task is to flipping its label, easiest last."""

    IMPOSSIBLE = "impossible"
    RAZOR = "razor"
    NARROW = "narrow"
    WIDE = "wide"


RAZOR_ROOM = 15
"""Most submissions that a razor leaves."""
NARROW_ROOM = 999_999
"""Most submissions that a narrow task leaves."""


def rung_of(room: int) -> Rung:
    """The rung of a task with this many admissible submissions."""
    if room == 0:
        return Rung.IMPOSSIBLE
    if room <= RAZOR_ROOM:
        return Rung.RAZOR
    return Rung.NARROW if room <= NARROW_ROOM else Rung.WIDE


@dataclass(frozen=True, slots=True)
class Task:
    """One self-contained task. `prompt` is all that a policy may see; the rest is for graders and people."""

    id: str
    """`family@version/split/seed/index?argument=value`: enough to build the task again."""
    pair_id: str
    """Shared by the two tasks of a twin pair."""
    family: str
    role: Role
    label: Label
    rung: Rung
    room: int | None
    """Number of admissible submissions; None where they are not countable."""
    generator_version: str
    params: Mapping[str, Any]
    """Every argument of the draw, defaults included."""
    prompt: str
    packet: Mapping[str, Any] | None
    question: Mapping[str, Any]
    certificate: Mapping[str, Any] = field(repr=False)
    """`{"kind", "claims", "proof"}`; the proof alone decides every reward."""
    answers: tuple[Mapping[str, Any], ...] = field(repr=False)
    """Labelled replies with the verdict each must get."""
    provenance: Mapping[str, Any] = field(default_factory=dict)
    """Which ledger record, by name and hash, and how the parameters were landed."""
    _grading: Any = field(default=None, init=False, repr=False, compare=False)
    """The proved integers that grading compares, filled in by `grade` on first use."""

    def to_json(self) -> str:
        """The task as one line of JSON text: strict, ASCII, sorted keys, integers beyond 2^53 as strings."""
        data = self.to_mapping()
        return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)

    def to_mapping(self) -> dict[str, Any]:
        """The object that `to_json` writes."""
        data: dict[str, Any] = {"format": TASK_FORMAT}
        for item in fields(self):
            if not item.name.startswith("_"):
                data[item.name] = _portable(getattr(self, item.name))
        data["room"] = UNBOUNDED if self.room is None else str(self.room)
        return data

    def proof_parts(self) -> dict[str, Any]:
        """What the checkers of packets and statements read, as it is held: `to_json` writes the same."""
        return {name: getattr(self, name) for name in ("family", "packet", "question", "certificate")}

    @staticmethod
    def from_json(text: str | bytes | Mapping[str, Any]) -> "Task":
        """Read a task back. Raises CertificateError on anything that is not a task of this format.

        The shape is checked here; the proof is checked by `check`, and by `grade` before the first reply.
        """
        if isinstance(text, (str, bytes)):
            try:
                data = json.loads(text, object_pairs_hook=_unique_names, parse_constant=_refuse_constant)
            except (ValueError, RecursionError) as error:
                raise CertificateError(f"not a task: unreadable JSON ({error})") from None
        else:
            data = text
        if not isinstance(data, Mapping) or data.get("format") != TASK_FORMAT:
            raise CertificateError(f"not a task of format {TASK_FORMAT}")
        wanted = {item.name: item for item in fields(Task) if not item.name.startswith("_")}
        missing = sorted(wanted.keys() - data.keys())
        unknown = sorted(map(str, data.keys() - wanted.keys() - {"format"}))
        if missing or unknown:
            raise CertificateError(f"not a task: missing fields {missing}, unknown fields {unknown}"[:1_000])
        return Task(**{name: _read_field(name, data[name]) for name in wanted})


def _portable(value: Any) -> Any:
    """The value with every integer that a double cannot carry as text."""
    if isinstance(value, (dict, Mapping)):
        return {name: member if type(member) is str else _portable(member) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [member if type(member) is str else _portable(member) for member in value]
    return str(value) if type(value) is int and abs(value) > MAX_SAFE_INTEGER else value


def _unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = dict(pairs)
    if len(names) != len(pairs):
        raise ValueError("a name occurs twice in one object")
    return names


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


_ENUMS: dict[str, type[StrEnum]] = {"role": Role, "label": Label, "rung": Rung}
_TEXTS = frozenset({"id", "pair_id", "family", "generator_version", "prompt"})


def _read_field(name: str, value: Any) -> Any:
    if name in _ENUMS:
        try:
            return _ENUMS[name](value)
        except ValueError:
            raise CertificateError(f"not a task: {name}={_shown(value)} is none of {list(_ENUMS[name])}") from None
    if name == "room":
        return _read_room(value)
    if name == "answers":
        if isinstance(value, (list, tuple)) and all(isinstance(answer, Mapping) for answer in value):
            return tuple(value)
    elif name in _TEXTS:
        if isinstance(value, str):
            return value
    elif isinstance(value, Mapping) or (name == "packet" and value is None):
        return value
    raise CertificateError(f"not a task: {name} has the wrong type {type(value).__name__}")


def _read_room(value: Any) -> int | None:
    if value == UNBOUNDED:
        return None
    if isinstance(value, str) and len(value) <= MAX_ROOM_DIGITS and value.isascii() and value.isdigit():
        return int(value)
    raise CertificateError(f"not a task: room={_shown(value)} is neither a count nor {UNBOUNDED!r}")


def _shown(value: Any) -> str:
    return repr(value[:80]) if isinstance(value, str) else f"a {type(value).__name__}"
