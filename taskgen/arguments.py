"""The arguments of a draw: names, bounds, the task id they make, and the random stream drawn from it.

The same arguments serve `make_task`, `generate`, both bindings and the command line.
"""

import difflib
import operator
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, TypeVar
from urllib.parse import parse_qsl, quote

from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.exact import ratio_of, ratio_text, rational
from impossible_rubrics_env.task import MAX_SAFE_INTEGER, Rung

T = TypeVar("T")

SPLITS = ("train", "eval", "eval_wording", "eval_domain", "eval_harder")
MIXES = ("seed", "balanced")
SHAPES = ("absolute", "relative", "rounding", "certificate")
SOURCES = ("mixed", "ledger", "parametric")
ORDERS = ("paired", "shuffled")
SCHEMES = ("seed", "train", "unit")
ANY = "any"
TARGET_RUNGS = {Rung.IMPOSSIBLE: 25, Rung.RAZOR: 35, Rung.NARROW: 25, Rung.WIDE: 15}
"""Target shares of the rungs in percent, the certificate shape apart."""
MAX_ROOM = 10**12
MAX_DENOMINATOR = 10**60
MAX_SEED = 2**63
MAX_TEXT = 200

_PRESENTATION = ("order", "scheme", "penalty", "abstain")
"""Arguments that change how a task is paid or listed, not what is drawn: the same tasks under other stakes."""


@dataclass(frozen=True, slots=True)
class DrawArguments:
    """All arguments of one draw, in their canonical form."""

    seed: int = 0
    """Integer from 0 to 2^63 - 1."""
    split: str = "train"
    """One of SPLITS; the held-out ones change wording, quantities or depth."""
    mix: str = "seed"
    """`seed`: rungs by their shares; `balanced`: twin pairs, half breakable and half not."""
    rungs: str = ""
    """Shares of the rungs as `name:weight,...`; empty for the target shares."""
    shape: str = ANY
    """Grader shape, one of SHAPES or `any`."""
    record: str = ANY
    """A ledger record or parametric kind by name, or `any`."""
    source: str = "mixed"
    """Where quantities come from, one of SOURCES."""
    tau: str = ""
    """Tolerance in certificate widths around the midpoint (absolute shape), as exact text; empty to draw the room."""
    room: str = ""
    """Exact number of doubles that break the grader; empty to draw it."""
    order: str = "paired"
    """In balanced draws: twins side by side, or shuffled within blocks of 256."""
    scheme: str = "seed"
    """Reward scheme used when `grade` is not told another."""
    penalty: str = "1"
    """What a false claim costs, as exact text; other than 1, the prompt says so."""
    abstain: bool = False
    """Whether UNSURE is offered."""

    def stream_text(self, family: str, version: str, index: int) -> str:
        """The text that seeds the random stream: the task id without the presentation arguments."""
        return task_id(family, version, _drawn_part(self), index)

    def as_params(self) -> dict[str, Any]:
        """Every argument by name, defaults included; as JSON carries it, so a seed beyond 2^53 is text."""
        params = {item.name: getattr(self, item.name) for item in fields(self)}
        return {**params, "seed": self.seed if self.seed <= MAX_SAFE_INTEGER else str(self.seed)}


@lru_cache(maxsize=256)
def _drawn_part(arguments: DrawArguments) -> DrawArguments:
    kept = (item.name for item in fields(arguments) if item.name not in _PRESENTATION)
    return DrawArguments(**{name: getattr(arguments, name) for name in kept})


def draw_arguments(**given: Any) -> DrawArguments:
    """Validate and canonicalise the arguments of a draw. Raises ArgumentError naming the argument and its value."""
    known = [item.name for item in fields(DrawArguments)]
    for name in given:
        if name not in known:
            close = difflib.get_close_matches(str(name), known, n=1)
            hint = f"; did you mean {close[0]!r}?" if close else f"; known: {', '.join(known)}"
            raise ArgumentError(f"unknown argument {str(name)[:MAX_TEXT]!r}{hint}")
    chosen: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    for name, choices in _CHOICES.items():
        if name in chosen and not (isinstance(chosen[name], str) and chosen[name] in choices):
            raise ArgumentError(f"{name}={_shown(chosen[name])} is not one of {', '.join(choices)}")
    for name, read in _READERS.items():
        if name in chosen:
            chosen[name] = read(name, chosen[name])
    arguments = DrawArguments(**chosen)
    _refuse_conflicts(arguments)
    return arguments


def _refuse_conflicts(arguments: DrawArguments) -> None:
    if arguments.tau and (arguments.room or arguments.rungs or arguments.mix == "balanced"):
        raise ArgumentError("tau fixes the tolerance: it goes with neither room, rungs nor mix='balanced'")
    if arguments.tau and arguments.shape not in (ANY, "absolute"):
        raise ArgumentError(f"tau={arguments.tau} needs shape='absolute', not {arguments.shape!r}")
    if arguments.room and arguments.shape in ("rounding", "certificate"):
        raise ArgumentError(f"room={arguments.room} cannot be set exactly with shape={arguments.shape!r}")
    if arguments.room and (arguments.rungs or arguments.mix == "balanced"):
        raise ArgumentError("room fixes the rung: it goes with neither rungs nor mix='balanced'")
    if arguments.order == "shuffled" and arguments.mix != "balanced":
        raise ArgumentError("order='shuffled' is about twins: it needs mix='balanced'")
    if arguments.shape == "certificate" and (arguments.mix == "balanced" or arguments.rungs):
        raise ArgumentError("shape='certificate' is unbreakable: it goes with neither rungs nor mix='balanced'")


def _shown(value: Any) -> str:
    return repr(value)[:MAX_TEXT]


def _read_seed(name: str, value: Any) -> int:
    seed = read_integer(value)
    if seed is None or not 0 <= seed < MAX_SEED:
        raise ArgumentError(f"{name}={_shown(value)} is not an integer from 0 to 2^63 - 1")
    return seed


def read_integer(value: Any) -> int | None:
    """A plain integer from an integer of any library, or from text of at most 20 ASCII digits; None for the rest."""
    if isinstance(value, str):
        return int(value) if value.isascii() and value.isdigit() and len(value) <= 20 else None
    if isinstance(value, bool):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None


def _read_bool(name: str, value: Any) -> bool:
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    if not isinstance(value, bool):
        raise ArgumentError(f"{name}={_shown(value)} is neither true nor false")
    return value


def _read_amount(name: str, value: Any) -> str:
    """A non-negative rational, as canonical text; floats are refused because they are not the number written."""
    if value == "":
        return ""
    if isinstance(value, float):
        raise ArgumentError(f"{name}={value!r} is a float; write it as text, such as {str(value)!r}")
    try:
        amount = rational(value)
    except (TypeError, ValueError):
        raise ArgumentError(f"{name}={_shown(value)} is not an exact number; write a decimal or p/q") from None
    if not 0 <= amount <= 10**9 or ratio_of(amount).denominator > MAX_DENOMINATOR:
        raise ArgumentError(f"{name}={_shown(value)} is not between 0 and 10^9 with a denominator of at most 10^60")
    return ratio_text(amount)


def _read_room(name: str, value: Any) -> str:
    if value == "":
        return ""
    room = read_integer(value)
    if room is None or not 0 <= room <= MAX_ROOM:
        raise ArgumentError(f"{name}={_shown(value)} is not an integer from 0 to 10^12")
    return str(room)


def _read_rungs(name: str, value: Any) -> str:
    """`impossible:1,razor:2` or a mapping, as canonical text in rung order."""
    if isinstance(value, Mapping):
        pairs = [(str(rung), str(weight)) for rung, weight in value.items()]
    elif isinstance(value, str):
        parts = [part.partition(":") for part in value.split(",") if part.strip()]
        pairs = [(rung.strip(), weight.strip()) for rung, _, weight in parts]
    else:
        raise ArgumentError(f"{name}={_shown(value)} is neither text nor a mapping from rung to weight")
    weights: dict[str, int] = {}
    for rung, weight in pairs:
        if rung not in list(Rung) or rung in weights:
            raise ArgumentError(f"{name}: {rung[:MAX_TEXT]!r} is unknown or twice; rungs are {', '.join(Rung)}")
        if not (weight.isascii() and weight.isdigit() and len(weight) <= 6):
            raise ArgumentError(f"{name}: {rung} has the weight {weight[:40]!r}; write an integer, as in {rung}:3")
        weights[rung] = int(weight)
    if pairs and not any(weights.values()):
        raise ArgumentError(f"{name}={_shown(value)} has no positive weight")
    return ",".join(f"{rung}:{weights[rung]}" for rung in Rung if weights.get(rung))


def _read_name(name: str, value: Any) -> str:
    if not isinstance(value, str) or not value or len(value) > MAX_TEXT or not value.isascii():
        raise ArgumentError(f"{name}={_shown(value)} is not the name of a record")
    return value


_CHOICES: dict[str, tuple[str, ...]] = {
    "split": SPLITS,
    "mix": MIXES,
    "shape": (ANY, *SHAPES),
    "source": SOURCES,
    "order": ORDERS,
    "scheme": SCHEMES,
}
_READERS = {
    "seed": _read_seed,
    "abstain": _read_bool,
    "tau": _read_amount,
    "penalty": _read_amount,
    "room": _read_room,
    "rungs": _read_rungs,
    "record": _read_name,
}
_DEFAULTS = DrawArguments()


def rung_weights(arguments: DrawArguments) -> dict[Rung, int]:
    """The shares in force, by rung."""
    if not arguments.rungs:
        return dict(TARGET_RUNGS)
    pairs = (part.split(":") for part in arguments.rungs.split(","))
    return {Rung(rung): int(weight) for rung, weight in pairs}


def task_id(family: str, version: str, arguments: DrawArguments, index: int | str) -> str:
    """`family@version/split/seed/index`, then `?name=value&...` for every argument that is not the default.

    With `pair-K` in place of the index it names a twin pair.
    """
    return f"{family}@{version}/{arguments.split}/{arguments.seed}/{index}{_query(arguments)}"


@lru_cache(maxsize=256)
def _query(arguments: DrawArguments) -> str:
    changed = []
    for item in fields(arguments):
        value = getattr(arguments, item.name)
        if item.name not in ("seed", "split") and value != getattr(_DEFAULTS, item.name):
            changed.append(f"{item.name}={quote(str(value).lower() if value is True else str(value), safe='/:,')}")
    return f"?{'&'.join(changed)}" if changed else ""


@dataclass(frozen=True, slots=True)
class ParsedId:
    """What a task id says."""

    family: str
    version: str
    index: int
    arguments: DrawArguments


def parse_task_id(text: str) -> ParsedId:
    """Read a task id back. Raises ArgumentError where it is not one."""
    if not isinstance(text, str) or len(text) > 2_000:
        raise ArgumentError(f"not a task id: {_shown(text)}")
    path, _, query = text.partition("?")
    parts = path.split("/")
    family, at, version = parts[0].partition("@")
    if len(parts) != 4 or not at or not (parts[3].isascii() and parts[3].isdigit() and len(parts[3]) <= 20):
        raise ArgumentError(f"not a task id: {_shown(text)}; expected family@version/split/seed/index?name=value")
    given: dict[str, Any] = {**dict(parse_qsl(query, keep_blank_values=True)), "seed": parts[2], "split": parts[1]}
    parsed = ParsedId(family, version, int(parts[3]), draw_arguments(**given))
    if task_id(family, version, parsed.arguments, parsed.index) != text:
        raise ArgumentError(f"not a task id as this package writes it: {_shown(text)}")
    return parsed


def stream(text: str) -> random.Random:
    """The random stream of a text; the same on every Python. Only integer draws are taken from it."""
    return random.Random(text)


def choose(rng: random.Random, items: Sequence[T]) -> T:
    """One of the items, uniformly."""
    return items[rng.randrange(len(items))]


def choose_weighted(rng: random.Random, weights: Mapping[T, int]) -> T:
    """One of the keys, with probability in proportion to its integer weight."""
    place = rng.randrange(sum(weights.values()))
    for item, weight in weights.items():
        place -= weight
        if place < 0:
            return item
    raise AssertionError("the weights do not add up")
