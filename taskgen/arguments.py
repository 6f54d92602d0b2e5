"""The arguments of a draw: names, bounds, the task id they make, and the random stream drawn from it.

The same arguments serve `make_task`, `generate`, both bindings and the command line. A family says in `USES` which of
them it uses beside those of COMMON; the registry refuses one that nothing uses, so that an id holds only what made
its task.
"""

import difflib
import operator
import random
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any, TypeVar
from urllib.parse import parse_qsl, quote

from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.exact import ratio_of, ratio_text, rational
from impossible_rubrics_env.reply import OBSTRUCTIONS
from impossible_rubrics_env.task import MAX_SAFE_INTEGER, Label, Role, Rung

T = TypeVar("T")

SPLITS = ("train", "eval", "eval_wording", "eval_domain", "eval_harder")
MIXES = ("seed", "balanced")
SHAPES = ("absolute", "relative", "rounding", "certificate")
SOURCES = ("mixed", "ledger", "parametric")
ORDERS = ("paired", "shuffled")
SCHEMES = ("seed", "train", "unit")
KINDS = ("number", "yes_no", "list", "document", "plan")
ANY = "any"
CERTIFICATE = "certificate"
PAID_BY = (CERTIFICATE, "faithful", "decisive_proxy", "one_sided", "too_narrow", "flawed")
TARGET_RUNGS = {Rung.IMPOSSIBLE: 25, Rung.RAZOR: 35, Rung.NARROW: 25, Rung.WIDE: 15}
"""Target shares of the rungs in percent, the certificate shape apart."""
TARGET_LABELS = {Label.IMPOSSIBLE: 2, Label.HARD_POSITIVE: 2, Label.CLEAR_POSITIVE: 1}
"""Target shares of the labels in packet families."""
COMMON = frozenset({"seed", "split", "mix", "order", "scheme", "penalty", "abstain"})
"""Arguments that every family uses."""
MAX_TRIES = 64
"""How often a task that is longer than `max_chars` is drawn again."""
MAX_ROOM = 10**12
MAX_DENOMINATOR = 10**60
MAX_SEED = 2**63
MAX_TEXT = 200

_PRESENTATION = ("order", "scheme", "penalty", "abstain", "paid_by", "max_chars")
"""Arguments that change how a task is paid, listed or bounded, not what is drawn: the same tasks under other stakes."""


@dataclass(frozen=True, slots=True)
class DrawArguments:
    """All arguments of one draw, in their canonical form."""

    seed: int = 0
    """Integer from 0 to 2^63 - 1."""
    split: str = "train"
    """One of SPLITS; the held-out ones change wording, quantities or depth."""
    mix: str = "seed"
    """`seed`: rungs and labels by their shares; `balanced`: twin pairs, half of each label."""
    rungs: str = ""
    """Shares of the rungs as `name:weight,...`; empty for the target shares. Packets have no rung `impossible`."""
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
    labels: str = ""
    """Shares of the labels as `name:weight,...`; empty for the target shares."""
    kind: str = ANY
    """What is asked, one of KINDS or `any`."""
    paid_by: str = CERTIFICATE
    """What pays an answer made of statements: the certificate, or a rubric, one of PAID_BY."""
    packet: str = ANY
    """Of a rubric family: the packet family that the rubric is about, or `any`."""
    depth: int = 0
    """How many facts must be combined, or notices follow on each other; 0 leaves it to the draw, here and below."""
    documents: int = 0
    """Least number of documents."""
    distractors: int = 0
    """Sentences that state facts which do not matter."""
    digits: int = 0
    """Digits after the point of figures."""
    max_chars: int = 0
    """Most characters of a prompt; 0 for no limit. A task that is longer is drawn again."""
    order: str = "paired"
    """In balanced draws: twins side by side, or shuffled within blocks of 256."""
    scheme: str = "seed"
    """Reward scheme used when `grade` is not told another."""
    penalty: str = "1"
    """What a false claim costs, as exact text; other than 1, the prompt says so."""
    abstain: bool | None = None
    """Whether UNSURE is offered; None: in answer families, and not in attack families."""

    def stream_text(self, family: str, version: str, index: int | str) -> str:
        """The text that seeds the random stream: the task id without the presentation arguments."""
        return task_id(family, version, _drawn_part(self), index)

    def as_params(self, uses: Collection[str], role: Role) -> dict[str, Any]:
        """Every argument that a family uses, by name, defaults included; as JSON carries it, so a seed may be text."""
        params = {name: value for name, value in self.as_given().items() if name in uses or name in COMMON}
        seed = self.seed if self.seed <= MAX_SAFE_INTEGER else str(self.seed)
        return {**params, "seed": seed, "abstain": self.offers_unsure(role)}

    def as_given(self) -> dict[str, Any]:
        """Every argument by name, for `draw_arguments`."""
        return {item.name: getattr(self, item.name) for item in fields(self)}

    def changed(self) -> list[str]:
        """Names of the arguments that are not at their defaults."""
        return [name for name, value in self.as_given().items() if value != getattr(_DEFAULTS, name)]

    def offers_unsure(self, role: Role) -> bool:
        """Whether UNSURE is offered."""
        return role == Role.ANSWER if self.abstain is None else self.abstain

    def only(self, uses: Collection[str], role: Role) -> "DrawArguments":
        """The arguments as one family takes them: those it does not use, or that say its default, are unset."""
        unset = {name: getattr(_DEFAULTS, name) for name in self.changed() if name not in uses and name not in COMMON}
        if self.abstain is not None and self.abstain == (role == Role.ANSWER):
            unset["abstain"] = None
        if "labels" in uses and self.rungs:
            unset["rungs"] = _shares_text(dial_weights(self), Rung)
        return replace(self, **unset) if unset else self


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
    if arguments.labels and arguments.mix == "balanced":
        raise ArgumentError("mix='balanced' draws twins, one of each label: it goes without labels")
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


def _integer_reader(most: int) -> Callable[[str, Any], int]:
    def read(name: str, value: Any) -> int:
        number = read_integer(value)
        if number is None or number > most or number < 0:
            raise ArgumentError(f"{name}={_shown(value)} is not an integer from 0 to {most}; 0 leaves it to the draw")
        return number

    return read


def _shares_reader(members: Collection[str]) -> Callable[[str, Any], str]:
    return lambda name, value: _read_shares(name, value, members)


def _read_shares(name: str, value: Any, members: Collection[str]) -> str:
    """`impossible:1,razor:2` or a mapping, as canonical text in the order of the members."""
    if isinstance(value, Mapping):
        pairs = [(str(member), str(weight)) for member, weight in value.items()]
    elif isinstance(value, str):
        parts = [part.partition(":") for part in value.split(",") if part.strip()]
        pairs = [(member.strip(), weight.strip()) for member, _, weight in parts]
    else:
        raise ArgumentError(f"{name}={_shown(value)} is neither text nor a mapping from name to weight")
    weights: dict[str, int] = {}
    for member, weight in pairs:
        if member not in members or member in weights:
            raise ArgumentError(f"{name}: {member[:MAX_TEXT]!r} is unknown or twice; {name} are {', '.join(members)}")
        if not (weight.isascii() and weight.isdigit() and len(weight) <= 6):
            raise ArgumentError(f"{name}: {member} has the weight {weight[:40]!r}; write an integer, as in {member}:3")
        weights[member] = int(weight)
    if pairs and not any(weights.values()):
        raise ArgumentError(f"{name}={_shown(value)} has no positive weight")
    return _shares_text(weights, members)


def _shares_text(weights: Mapping[Any, int], members: Iterable[str]) -> str:
    return ",".join(f"{member}:{weights[member]}" for member in members if weights.get(member))


def _read_name(name: str, value: Any) -> str:
    if not isinstance(value, str) or not value or len(value) > MAX_TEXT or not value.isascii():
        raise ArgumentError(f"{name}={_shown(value)} is not the name of a record")
    return value


_CHOICES: dict[str, tuple[str, ...]] = {
    "split": SPLITS,
    "mix": MIXES,
    "shape": (ANY, *SHAPES),
    "source": SOURCES,
    "kind": (ANY, *KINDS),
    "packet": (ANY, *OBSTRUCTIONS),
    "paid_by": PAID_BY,
    "order": ORDERS,
    "scheme": SCHEMES,
}
_LABELS = tuple(map(str, TARGET_LABELS))
_READERS: dict[str, Callable[[str, Any], Any]] = {
    "seed": _read_seed,
    "abstain": _read_bool,
    "tau": _read_amount,
    "penalty": _read_amount,
    "room": _read_room,
    "rungs": _shares_reader(tuple(map(str, Rung))),
    "labels": _shares_reader(_LABELS),
    "record": _read_name,
    "depth": _integer_reader(8),
    "documents": _integer_reader(12),
    "distractors": _integer_reader(20),
    "digits": _integer_reader(4),
    "max_chars": _integer_reader(10**6),
}
_DEFAULTS = DrawArguments()


def rung_weights(arguments: DrawArguments) -> dict[Rung, int]:
    """The shares in force, by rung."""
    return {Rung(rung): weight for rung, weight in _weights(arguments.rungs)} or dict(TARGET_RUNGS)


def dial_weights(arguments: DrawArguments) -> dict[Rung, int]:
    """The shares in force of the rungs of a packet family, where every label has a dial: none is `impossible`."""
    weights = rung_weights(arguments)
    weights.pop(Rung.IMPOSSIBLE, None)
    if not weights:
        raise ArgumentError(f"rungs={arguments.rungs!r}: a packet is razor, narrow or wide; use labels for the rest")
    return weights


def label_weights(arguments: DrawArguments) -> dict[Label, int]:
    """The shares in force of the labels of a packet family."""
    if arguments.mix == "balanced":
        return {Label.IMPOSSIBLE: 1, Label.HARD_POSITIVE: 1}
    return {Label(label): weight for label, weight in _weights(arguments.labels)} or dict(TARGET_LABELS)


def _weights(shares: str) -> list[tuple[str, int]]:
    pairs = (part.split(":") for part in shares.split(",") if part)
    return [(name, int(weight)) for name, weight in pairs]


def task_id(family: str, version: str, arguments: DrawArguments, index: int | str) -> str:
    """`family@version/split/seed/index`, then `?name=value&...` for every argument that is not the default.

    With `pair-K` in place of the index it names a twin pair.
    """
    return f"{family}@{version}/{arguments.split}/{arguments.seed}/{index}{_query(arguments)}"


@lru_cache(maxsize=256)
def _query(arguments: DrawArguments) -> str:
    changed = []
    for name in arguments.changed():
        if name not in ("seed", "split"):
            value = getattr(arguments, name)
            text = str(value).lower() if isinstance(value, bool) else str(value)
            changed.append(f"{name}={quote(text, safe='/:,')}")
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


def streams(arguments: DrawArguments, family: str, version: str, key: int | str) -> Iterator[random.Random]:
    """The random stream of a task or pair, then others to draw it again from while its prompts exceed `max_chars`.

    Raises ArgumentError where MAX_TRIES were not enough. Without a limit, and for what fits it, the first is the one.
    """
    text = arguments.stream_text(family, version, key)
    yield stream(text)
    for again in range(1, MAX_TRIES):
        yield stream(f"{text}#again/{again}")
    raise ArgumentError(
        f"max_chars={arguments.max_chars}: {MAX_TRIES} draws of {family} were all longer; allow more characters, "
        "or ask for fewer documents, distractors or less depth"
    )


def fits(arguments: DrawArguments, prompts: Iterable[str]) -> bool:
    """Whether all prompts keep to `max_chars`."""
    return not arguments.max_chars or all(len(prompt) <= arguments.max_chars for prompt in prompts)


def choose(rng: random.Random, items: Sequence[T]) -> T:
    """One of the items, uniformly."""
    return rng.choice(items)


def choose_weighted(rng: random.Random, weights: Mapping[T, int]) -> T:
    """One of the keys, with probability in proportion to its integer weight."""
    place = rng.randrange(sum(weights.values()))
    for item, weight in weights.items():
        place -= weight
        if place < 0:
            return item
    raise AssertionError("the weights do not add up")
