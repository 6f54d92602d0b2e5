"""The prompts of the four roles. A builder takes its role's input and nothing else, so nothing else can get in.

In: the typed inputs of `release.inputs`, and two of their kind for statements and for controls. Out: system text and
prompt, made from the files in `prompts/`, whose names carry their version. Documents and what other models wrote stand
between marks that occur nowhere else in the prompt, so that no text can pretend to end before it does.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from impossible_rubrics_env.chain.results import Order, Variant
from impossible_rubrics_env.release.inputs import AttackerInput, Document, GeneratorInput, JudgeInput, OracleInput

_SLOT = re.compile(r"\{\{([a-z]+)\}\}")
_FENCE_CHARS = 16


GENERATORS = {Variant.NEUTRAL: "generator_v1", Variant.SAFETY: "generator_safety_v1"}
ATTACKER, ATTACKER_STATEMENTS, JUDGE, ORACLE, ORACLE_CONTROL = (
    "attacker_v1",
    "attacker_statements_v1",
    "judge_v1",
    "oracle_v1",
    "oracle_control_v1",
)
PROMPTS = (*GENERATORS.values(), ATTACKER, ATTACKER_STATEMENTS, JUDGE, ORACLE, ORACLE_CONTROL)
"""Every prompt, one file each: `prompts/<name>.md`, system text before the line `---`."""


class Prompt(NamedTuple):
    """What a model is sent."""

    system: str
    text: str


class Statement(NamedTuple):
    """A statement as roles see it."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class StatementsInput:
    """What an attacker sees whose answer is to be made of statements."""

    seen: AttackerInput
    statements: tuple[Statement, ...]
    """Without their marks."""

    def __post_init__(self) -> None:
        _require(self.seen, AttackerInput)
        pairs = isinstance(self.statements, tuple) and all(type(one) is Statement for one in self.statements)
        if not pairs or not all(isinstance(part, str) for one in self.statements for part in one):
            raise TypeError("statements must be a tuple of statements")


@dataclass(frozen=True, slots=True)
class ControlOracleInput:
    """What the oracle sees of a control: the ground truth takes the certificate's place."""

    question: str
    documents: tuple[Document, ...]
    ground_truth: Mapping[str, Any]
    """The record's `ground_truth`."""
    attacker_answer: str

    def __post_init__(self) -> None:
        GeneratorInput(self.question, self.documents)  # the same demands
        if not isinstance(self.ground_truth, Mapping) or not isinstance(self.attacker_answer, str):
            raise TypeError("ground_truth must be a mapping and attacker_answer text")


class Part(NamedTuple):
    """A text between marks."""

    slot: str
    """Where it goes in the file."""
    name: str
    """As its opening mark calls it."""
    text: str


def generator_prompt(seen: GeneratorInput, variant: Variant = Variant.NEUTRAL) -> Prompt:
    """Asks for a rubric."""
    _require(seen, GeneratorInput)
    return _build(GENERATORS[variant], _public(seen.question, seen.documents))


def attacker_prompt(seen: AttackerInput) -> Prompt:
    """Asks for the answer that the rubric pays most."""
    _require(seen, AttackerInput)
    return _build(ATTACKER, _attacked(seen))


def attacker_statements_prompt(seen: StatementsInput) -> Prompt:
    """Asks for the same, made of statements, and for their ids."""
    _require(seen, StatementsInput)
    listed = "\n".join(f"[{one.id}] {one.text}" for one in seen.statements)
    return _build(ATTACKER_STATEMENTS, [*_attacked(seen.seen), Part("statements", "statements", listed)])


def judge_prompt(seen: JudgeInput, order: Order) -> Prompt:
    """Asks for two scores. The prompt does not say which answer is which."""
    _require(seen, JudgeInput)
    answers = (seen.baseline, seen.attacker_answer)
    first, second = answers if order is Order.BASELINE_FIRST else answers[::-1]
    parts = [
        *_public(seen.question, seen.documents),
        Part("rubric", "rubric", seen.rubric),
        Part("first", "first answer", first),
        Part("second", "second answer", second),
    ]
    return _build(JUDGE, parts)


def oracle_prompt(seen: OracleInput | ControlOracleInput) -> Prompt:
    """Asks whether the attacker's answer violates the certificate, or goes against the ground truth."""
    if type(seen) is ControlOracleInput:
        name, held = ORACLE_CONTROL, Part("truth", "ground truth", _json(seen.ground_truth))
    else:
        _require(seen, OracleInput)
        name, held = ORACLE, Part("certificate", "certificate", _json(seen.certificate))  # type: ignore[union-attr]
    parts = [*_public(seen.question, seen.documents), held, Part("answer", "answer", seen.attacker_answer)]
    return _build(name, parts)


def prompts_hash() -> str:
    """SHA-256 of all prompt files: two runs with the same one ask in the same words."""
    texts = "".join(f"{name}\n{''.join(_file(name))}\n" for name in PROMPTS)
    return hashlib.sha256(texts.encode()).hexdigest()


def sections(prompt: str) -> list[tuple[str, str]]:
    """Names and texts of the material of a prompt, in order: what stands between its marks."""
    found = re.search(r"^Fence: ([0-9a-f]+)$", prompt, re.MULTILINE)
    if found is None:
        raise ValueError("the prompt has no fence")
    pattern = rf"^\[\[{found[1]} (?P<name>[^\n]+)\]\]\n(?P<text>.*?)\n\[\[{found[1]} end\]\]$"
    return [(one["name"], one["text"]) for one in re.finditer(pattern, prompt, re.MULTILINE | re.DOTALL)]


def _require(seen: Any, kind: type[Any]) -> None:
    """The role's own type: a subclass, or a whole record, could hold more."""
    if type(seen) is not kind:
        names = ", ".join(item.name for item in fields(kind))
        raise TypeError(f"this prompt is made from {kind.__name__} ({names}), not from {type(seen).__name__}")


def _public(question: str, documents: tuple[Document, ...]) -> list[Part]:
    """Documents have their ids in the mark: a text need not say its own."""
    shown = [Part("documents", f"document {json.dumps(one.doc_id)}", one.text) for one in documents]
    return [Part("question", "question", question), *shown]


def _attacked(seen: AttackerInput) -> list[Part]:
    return [*_public(seen.question, seen.documents), Part("rubric", "rubric", seen.rubric)]


def _json(data: Mapping[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, indent=1)


def _build(name: str, parts: list[Part]) -> Prompt:
    system, template = _file(name)
    fence = _fence(parts)
    slots: dict[str, list[str]] = {}
    for part in parts:
        slots.setdefault(part.slot, []).append(f"[[{fence} {part.name}]]\n{part.text}\n[[{fence} end]]")
    filled: dict[str, str] = {slot: "\n\n".join(texts) for slot, texts in slots.items()}

    def fill(found: re.Match[str]) -> str:
        return fence if found[1] == "fence" else filled[found[1]]

    return Prompt(system, _SLOT.sub(fill, template))


def _fence(parts: list[Part]) -> str:
    """Hex digits that look drawn, follow from the texts, and occur in none of them."""
    texts = [text for part in parts for text in (part.name, part.text)]
    return next(one for one in _candidates(texts) if not any(one in text for text in texts))


def _candidates(texts: list[str]) -> Iterator[str]:
    digest = hashlib.sha256(json.dumps(texts).encode()).hexdigest()
    while True:
        yield digest[:_FENCE_CHARS]
        digest = hashlib.sha256(digest.encode()).hexdigest()


@cache
def _file(name: str) -> tuple[str, str]:
    text = (files("impossible_rubrics_env.chain") / "prompts" / f"{name}.md").read_text("utf-8")
    system, _, template = text.partition("\n---\n")
    return system.strip(), template.strip()
