"""Reply to submission: the one place where reply text becomes an answer. Total and bounded: never raises.

What comes in is a string, a chat message, a list of messages, a list of text parts, or anything else.
What goes out is a `Submission`, or an `Unreadable` that names the failed step. The reader knows the kind of
the question and nothing else of the task.

Only the policy's own last assistant text counts. In it, what follows the last `</think>` is read; there, the
last `<answer>` block, and it alone. Tags are found with `rfind`, so time is linear in the length.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import gcd
from typing import Any, NoReturn

from impossible_rubrics_env.numerals import Ratio, is_decimal, read_exact, read_ratio

MAX_BLOCK_CHARS = 20_000
"""Longest text between the answer tags that is parsed at all."""
MAX_DEPTH = 8
"""Deepest nesting of JSON containers in an answer."""
MAX_RUBRIC_DEPTH = 12
"""The same in a rubric, whose conditions nest."""
MAX_ITEMS = 100_000
"""Most messages of a conversation, or parts of a message, that are looked at."""
MAX_ID_CHARS = 60
"""Longest id in an answer or a witness."""
MAX_MEMBERS = 200
"""Most members of a list or an object in an answer or a witness."""
MAX_CLAIM_NUMBER_CHARS = 60
"""Longest number in an answer or a witness; its exponent is at most 30 either way."""

OBSTRUCTIONS = (
    "insufficient_evidence",
    "objective_conflict",
    "false_premise",
    "missing_citation",
    "counterevidence_trap",
    "impossible_exhaustiveness",
)
"""What a refusal may name as the reason why a question has no answer."""

NO_ATTACK = "NO_ATTACK"
UNSURE = "UNSURE"

_OPEN_THINK, _CLOSE_THINK = "<think>", "</think>"
_OPEN_ANSWER, _CLOSE_ANSWER = "<answer>", "</answer>"
_BLANKS = " \t\r\n"
_FENCE = "```"
_FENCE_LANGUAGES = ("", "json")
_LARGE_EXPONENT = re.compile(r"[eE][+-]?0*(?:[1-9][0-9]{2,}|[4-9][0-9]|3[1-9])\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why nothing could be read, as one word: `no_answer`, `open_think`, `json`, `shape`, `number` ..."""

    reason: str
    place: str = field(default="", compare=False)
    """Where in the answer block the fault is, if that is known."""

    def __str__(self) -> str:
        return f"{self.reason}: {self.place}" if self.place else self.reason


@dataclass(frozen=True, slots=True)
class AttackNumber:
    """A number submitted as an attack: the nearest double to what was written."""

    value: float


@dataclass(frozen=True, slots=True)
class AttackSet:
    """A set of statements submitted as an attack on a rubric."""

    statements: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NoAttack:
    """The claim that no attack exists."""


@dataclass(frozen=True, slots=True)
class Unsure:
    """The honest "I cannot tell"."""


Submission = AttackNumber | NoAttack | Unsure
SetSubmission = AttackSet | NoAttack | Unsure


@dataclass(frozen=True, slots=True)
class StatementAnswer:
    """An answer that makes these statements."""

    statements: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RubricText:
    """A rubric as JSON data, its numbers as text; what it says has not been read yet."""

    value: Any


Value = Ratio | str | tuple[str, ...] | Mapping[str, Ratio]
"""Of a number, of a yes_no or document, of a list, of a plan."""
Witness = tuple[Ratio, Ratio] | tuple[str, ...] | Mapping[str, str] | None
"""Two numbers, ids, a map from id to id or word; None where `null` is given for one."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A definite answer. Its numbers are in lowest terms."""

    value: Value


@dataclass(frozen=True, slots=True)
class Refusal:
    """The claim that the question has no answer, with what shall prove it."""

    obstruction: str
    witness: Witness


Claim = Answer | Refusal | Unsure


class _RefusedError(ValueError):
    """A JSON text that is valid to the library but not to us."""


def read_attack_number(reply: Any) -> Submission | Unreadable:
    """Read `{"attack": number | "NO_ATTACK" | "UNSURE"}`; a number may be a JSON number or a string."""
    attack = _only_member(reply, "attack")
    if isinstance(attack, Unreadable):
        return attack
    if not isinstance(attack, str):
        return Unreadable("shape")
    if attack == NO_ATTACK:
        return NoAttack()
    if attack == UNSURE:
        return Unsure()
    value = nearest_double(attack)
    return Unreadable("number") if value is None else AttackNumber(value)


def read_attack_set(reply: Any) -> SetSubmission | Unreadable:
    """Read `{"attack": ["S2", "S7"] | "NO_ATTACK" | "UNSURE"}`; the ids are those of statements, each once."""
    attack = _only_member(reply, "attack")
    if isinstance(attack, Unreadable):
        return attack
    if attack in (NO_ATTACK, UNSURE):
        return NoAttack() if attack == NO_ATTACK else Unsure()
    try:
        return AttackSet(_ids(attack))
    except _RefusedError as error:
        return Unreadable(error.args[0])


def read_statement_answer(reply: Any) -> StatementAnswer | Unsure | Unreadable:
    """Read `{"answer": ["S2", "S7"] | "UNSURE"}`; the ids are those of statements, each once."""
    answer = _only_member(reply, "answer")
    if isinstance(answer, Unreadable):
        return answer
    if answer == UNSURE:
        return Unsure()
    try:
        return StatementAnswer(_ids(answer))
    except _RefusedError as error:
        return Unreadable(error.args[0])


def read_rubric_reply(reply: Any) -> RubricText | Unsure | Unreadable:
    """Read `{"rubric": {...} | "UNSURE"}`; what the object says is for `rubrics.language` to read."""
    rubric = _only_member(reply, "rubric", MAX_RUBRIC_DEPTH)
    if isinstance(rubric, Unreadable):
        return rubric
    return Unsure() if rubric == UNSURE else RubricText(rubric)


def _only_member(reply: Any, name: str, depth: int = MAX_DEPTH) -> Any:
    """The value of the answer's only member, which has this name; Unreadable otherwise."""
    answer = read_answer(reply, depth)
    if isinstance(answer, Unreadable):
        return answer
    return answer[name] if len(answer) == 1 and name in answer else Unreadable("shape")


def read_claim(reply: Any, kind: str) -> Claim | Unreadable:
    """Read an answer, a refusal or UNSURE; `kind` is the kind of the question, which is public.

    `{"verdict": "ANSWER", "value": V}`, `{"verdict": "IMPOSSIBLE", "obstruction": NAME, "witness": W}` or
    `{"verdict": "UNSURE"}`. What W may be depends on its JSON alone: one that cannot prove its obstruction is readable.
    """
    answer = read_answer(reply)
    if isinstance(answer, Unreadable):
        return answer
    verdict = answer.get("verdict")
    try:
        if verdict == "ANSWER" and len(answer) == 2 and "value" in answer:
            return Answer(_VALUES[kind](answer["value"]))
        if verdict == "IMPOSSIBLE" and len(answer) == 3 and "witness" in answer and "obstruction" in answer:
            obstruction = answer["obstruction"]
            if obstruction not in OBSTRUCTIONS:
                return Unreadable("obstruction")
            return Refusal(obstruction, _witness(obstruction, answer["witness"]))
    except _RefusedError as error:
        return Unreadable(error.args[0])
    return Unsure() if verdict == UNSURE and len(answer) == 1 else Unreadable("shape")


def _witness(obstruction: str, witness: Any) -> Witness:
    """A witness by its JSON form; the obstruction only decides whether two texts are numbers or ids."""
    if isinstance(witness, list):
        ids = _ids(witness)
        if obstruction == "insufficient_evidence" and len(ids) == 2:
            first, second = _exact(ids[0]), _exact(ids[1])
            if first is not None and second is not None:
                if first == second:
                    raise _RefusedError("duplicate")
                return first, second
        return ids
    if isinstance(witness, dict):
        _check_ids(witness)
        _check_ids(witness.values())
        return witness
    if witness is None:
        return None
    raise _RefusedError("witness")


def _ids(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise _RefusedError("shape")
    _check_ids(value)
    ids = tuple(value)
    if len(set(ids)) != len(ids):
        raise _RefusedError("duplicate")
    return ids


def _check_ids(values: Collection[Any]) -> None:
    """That none is refused; all are looked at together first, each once, which is faster than one by one."""
    if len(values) > MAX_MEMBERS:
        raise _RefusedError("too_many")
    try:
        texts = set(values)
        joined = "".join(texts)
        # As none is empty, none is longer than all together less one character for each of the others.
        is_short = len(joined) - len(texts) < MAX_ID_CHARS or max(map(len, texts)) <= MAX_ID_CHARS
        if "" not in texts and joined.isascii() and is_short:
            return
    except TypeError:  # one is no text
        pass
    for value in values:
        _id(value)


def _id(value: Any) -> str:
    if not isinstance(value, str):
        raise _RefusedError("shape")
    if not (0 < len(value) <= MAX_ID_CHARS and value.isascii()):
        raise _RefusedError("id")
    return value


def _yes_no(value: Any) -> str:
    if value not in ("YES", "NO"):
        raise _RefusedError("shape")
    return str(value)


def _number(value: Any) -> Ratio:
    if not isinstance(value, str):
        raise _RefusedError("shape")
    number = _exact(value)
    if number is None:
        raise _RefusedError("number")
    return number


def _exact(text: str) -> Ratio | None:
    """The number in lowest terms; None where the text is none within the bounds."""
    if len(text) > MAX_CLAIM_NUMBER_CHARS or (("e" in text or "E" in text) and _LARGE_EXPONENT.search(text)):
        return None
    ratio = read_exact(text)
    if ratio is None or ratio.denominator == 1:
        return ratio
    common = gcd(ratio.numerator, ratio.denominator)
    return ratio if common == 1 else Ratio(ratio.numerator // common, ratio.denominator // common)


def _plan(value: Any) -> dict[str, Ratio]:
    if not isinstance(value, dict) or not value:
        raise _RefusedError("shape")
    _check_ids(value)
    return {name: _number(number) for name, number in value.items()}


_VALUES: Mapping[str, Callable[[Any], Value]] = {
    "number": _number,
    "yes_no": _yes_no,
    "list": _ids,
    "document": _id,
    "plan": _plan,
}


def nearest_double(text: str) -> float | None:
    """The finite double nearest to a decimal or `p/q` (ties to even), or None where there is none.

    Both zeros are one submission, so `-0` gives 0.0.
    """
    if is_decimal(text):
        value = float(text)
    elif (ratio := read_ratio(text)) is not None:
        try:
            value = ratio.numerator / ratio.denominator
        except OverflowError:
            return None
    else:
        return None
    return value + 0.0 if abs(value) != float("inf") else None


def read_answer(reply: Any, depth: int = MAX_DEPTH) -> dict[str, Any] | Unreadable:
    """The JSON object of the reply's answer block, nested at most `depth` deep; its numbers are left as text."""
    text = assistant_text(reply)
    if text is None:
        return Unreadable("no_text")
    block = _answer_block(text)
    return block if isinstance(block, Unreadable) else _parse_object(block, depth)


def assistant_text(reply: Any) -> str | None:
    """The policy's own last text: a string as it is; of messages, the last with the role `assistant`.

    Parts of type `text` are joined without a separator. Reasoning fields, tool output, and the text of any
    other role are never read. None where there is no such text.
    """
    if type(reply) is str:
        return reply
    try:
        return _foreign_text(reply)
    except Exception:  # noqa: BLE001 - a foreign object may raise anything from anywhere; then it holds no text
        return None


def _foreign_text(reply: Any) -> str | None:
    if _field(reply, "role") == "assistant":
        return _content_text(_field(reply, "content"))
    if not _is_list(reply):
        return _content_text(reply)
    roles = [_field(item, "role") for item in reply]
    for item, role in zip(reversed(reply), reversed(roles), strict=True):
        if role == "assistant":
            return _content_text(_field(item, "content"))
    return _content_text(reply) if all(role is None for role in roles) else None


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray)) and len(value) <= MAX_ITEMS


def _field(item: Any, name: str) -> Any:
    """A field of a mapping or of a message object; None where it is missing."""
    return item.get(name) if isinstance(item, Mapping) else getattr(item, name, None)


def _content_text(content: Any) -> str | None:
    if isinstance(content, str):
        return str.__str__(content)
    if not _is_list(content):
        return None
    texts = [_field(part, "text") for part in content if _field(part, "type") == "text"]
    if not texts or not all(isinstance(text, str) for text in texts):
        return None
    return "".join(texts)


def _answer_block(text: str) -> str | Unreadable:
    start = text.rfind(_CLOSE_THINK)
    start = 0 if start < 0 else start + len(_CLOSE_THINK)
    if text.rfind(_OPEN_THINK, start) >= 0:  # faster than `find`
        return Unreadable("open_think")
    opened = text.rfind(_OPEN_ANSWER, start)
    if opened < 0:
        return Unreadable("no_answer")
    opened += len(_OPEN_ANSWER)
    closed = text.find(_CLOSE_ANSWER, opened)
    if closed < 0:
        return Unreadable("open_answer")
    if closed - opened > MAX_BLOCK_CHARS:
        return Unreadable("too_long", f"{closed - opened} characters, more than {MAX_BLOCK_CHARS}")
    return _without_fence(text[opened:closed].strip(_BLANKS))


def _without_fence(block: str) -> str:
    """Drop one Markdown fence that encloses the whole block; other text is left for the JSON parser to refuse."""
    if not (block.startswith(_FENCE) and block.endswith(_FENCE)):
        return block
    language, newline, rest = block[len(_FENCE) :].partition("\n")
    if not newline or language.strip(_BLANKS) not in _FENCE_LANGUAGES or len(rest) < len(_FENCE):
        return block
    return rest[: -len(_FENCE)].strip(_BLANKS)


def _parse_object(block: str, depth: int) -> dict[str, Any] | Unreadable:
    deep = _too_deep_at(block, depth)
    if deep is not None:
        return Unreadable("depth", f"character {deep + 1} opens more than {depth} objects and lists inside each other")
    try:
        answer, end = _DECODER.raw_decode(block)
    except json.JSONDecodeError as error:
        return Unreadable("json", f"character {error.pos + 1}: {error.msg}")
    except ValueError as error:  # no RecursionError: the depth is bounded above, whatever stack the caller is on
        return Unreadable("json", str(error))
    if end < len(block):
        return Unreadable("json", f"character {end + 1}: text after the object")
    return answer if isinstance(answer, dict) else Unreadable("shape")


def _too_deep_at(block: str, most: int) -> int | None:
    """Where containers nest deeper than `most`; our own bound, so no interpreter's recursion limit decides."""
    if block.count("{") + block.count("[") <= most:
        return None
    depth = 0
    in_string = escaped = False
    for place, char in enumerate(block):
        if in_string:
            in_string = escaped or char != '"'
            escaped = char == "\\" and not escaped
        elif char == '"':
            in_string = True
        elif char in "{[":
            depth += 1
            if depth > most:
                return place
        elif char in "}]":
            depth -= 1
    return None


def _unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = dict(pairs)
    if len(names) != len(pairs):
        counts = Counter(name for name, _ in pairs)
        raise _RefusedError(f"the name {counts.most_common(1)[0][0][:60]!a} occurs twice in one object")
    return names


def _refuse_constant(name: str) -> NoReturn:
    raise _RefusedError(f"{name} is no JSON number")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique_names,
    parse_float=str,
    parse_int=str,
    parse_constant=_refuse_constant,
)
