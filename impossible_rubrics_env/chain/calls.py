"""What a call is: the model that is asked, the request, the reply; and the hashes that name a request.

What comes in is text from options and prompts; what goes out is frozen data. Refused, with ArgumentError: model names
that are not `provider:NAME`, prompts that are not Unicode text, parameters out of range.
"""

import hashlib
import json
import math
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from unicodedata import normalize

from impossible_rubrics_env.errors import ArgumentError

MAX_OUTPUT_TOKENS = 1_000_000
"""Largest `max_tokens` of a request."""
MAX_PROMPT_CHARS = 8_000_000
"""Longest system text or prompt."""
MAX_REPLY_CHARS = 5_000_000
"""Longest text of a reply: in a store, where a character takes up to 12 bytes, it fits into a line that is read."""
_NAME = re.compile(r"[!-~]{1,200}", re.ASCII)
EFFORT = re.compile(r"[a-z]{1,20}", re.ASCII)
_HASH_FORMAT = 1


class Provider(StrEnum):
    """Who answers."""

    ANTHROPIC = "anthropic"
    """The Messages API, through the `anthropic` client."""
    OPENAI = "openai"
    """The Chat Completions API, through the `openai` client, at any base URL."""
    POLICY = "policy"
    """A function of the prompt text, run in this process."""
    FIXED = "fixed"
    """A function of the call's key, run in this process: what it returns does not follow from the prompt."""

    @property
    def paid(self) -> bool:
        """Whether calls leave this process and may cost money."""
        return self in (Provider.ANTHROPIC, Provider.OPENAI)


class Stop(StrEnum):
    """Why a reply ended."""

    END = "end"
    """The model finished, and there is text."""
    LENGTH = "length"
    """It was cut off: the limit of tokens, of the context, or a reason that is not known to mean a whole reply."""
    REFUSAL = "refusal"
    """The model or the provider's filter refused."""
    EMPTY = "empty"
    """It finished without text."""


@dataclass(frozen=True, slots=True)
class Model:
    """A model as it is named on the command line."""

    provider: Provider
    name: str

    @classmethod
    def parse(cls, text: str) -> "Model":
        """Read `anthropic:NAME`, `openai:NAME`, `policy:NAME` or `fixed:NAME`. Raises ArgumentError on anything else.

        >>> Model.parse("openai:llama3:8b")
        Model(provider=<Provider.OPENAI: 'openai'>, name='llama3:8b')
        """
        provider, colon, name = text.partition(":")
        if not colon or provider not in list(Provider) or not _NAME.fullmatch(name):
            known = ", ".join(f"{known}:NAME" for known in Provider)
            raise ArgumentError(f"model={text[:200]!a} is not one of {known} (NAME without blanks)")
        return cls(Provider(provider), name)

    def __str__(self) -> str:
        return f"{self.provider}:{self.name}"


@dataclass(frozen=True, slots=True)
class Request:
    """Everything a model is sent."""

    model: Model
    system: str
    """System text; empty for none."""
    prompt: str
    """The one user message."""
    max_tokens: int
    """Most tokens of output, thinking included."""
    temperature: float | None = None
    """None leaves it to the provider."""
    effort: str | None = None
    """Reasoning effort as the provider names it, such as `low`; None leaves it to the provider."""

    def __post_init__(self) -> None:
        for name, text in (("system", self.system), ("prompt", self.prompt)):
            _check_text(name, text)
        if isinstance(self.max_tokens, bool) or not 1 <= self.max_tokens <= MAX_OUTPUT_TOKENS:
            raise ArgumentError(f"max_tokens={self.max_tokens!r} is not a number from 1 to {MAX_OUTPUT_TOKENS}")
        if self.temperature is not None:
            if not (math.isfinite(self.temperature) and 0 <= self.temperature <= 2):
                raise ArgumentError(f"temperature={self.temperature!r} is not a number from 0 to 2")
            object.__setattr__(self, "temperature", float(self.temperature))
        if self.effort is not None and not EFFORT.fullmatch(self.effort):
            raise ArgumentError(f"effort={self.effort[:50]!a} is not a word in small letters, such as low")

    @property
    def parameters(self) -> dict[str, Any]:
        """What is set besides model and text, as JSON data."""
        return {"max_tokens": self.max_tokens, "temperature": self.temperature, "effort": self.effort}

    @property
    def prompt_hash(self) -> str:
        """SHA-256 of system text and prompt, in hex: the same for every model."""
        return sha256({"format": _HASH_FORMAT, "system": self.system, "prompt": self.prompt})

    @property
    def hash(self) -> str:
        """SHA-256 of the whole request, in hex."""
        text = {"system": self.system, "prompt": self.prompt}
        return sha256({"format": _HASH_FORMAT, "model": str(self.model), **text, **self.parameters})

    @property
    def input_bytes(self) -> int:
        """Bytes of system text and prompt in UTF-8: no tokenizer over bytes makes more tokens than that.

        Some tokenizers bring text into the form NFKC first, where a character of 3 bytes can become 18 characters.
        So each text counts in the longer one of its two forms.
        """
        return sum(max(_bytes(text), _bytes(normalize("NFKC", text))) for text in (self.system, self.prompt))


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered, whole or not: `stop` says which."""

    text: str
    stop: Stop
    model_id: str
    """The model as the provider named it in the reply."""
    input_tokens: int
    """As the provider counted them, cached ones included; 0 where it did not say."""
    output_tokens: int
    seconds: float
    """From sending the attempt to its reply."""
    cost_micro_usd: int
    """By the price file, rounded up; the reserved worst case where the provider did not count tokens."""
    usage_known: bool = True
    """Whether the provider counted tokens."""


def canonical(data: Any) -> str:
    """One ASCII text for equal JSON data. Raises ValueError on NaN and infinities."""
    return json.dumps(data, allow_nan=False, ensure_ascii=True, sort_keys=True, separators=(",", ":"))


def sha256(data: Any) -> str:
    """SHA-256 of canonical JSON, in hex."""
    return hashlib.sha256(canonical(data).encode("ascii")).hexdigest()


def well_formed(text: str) -> str:
    """The text with U+FFFD in place of lone surrogates, which JSON can carry and UTF-8 cannot."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _bytes(text: str) -> int:
    return len(text.encode())


def _check_text(name: str, text: str) -> None:
    if not isinstance(text, str):
        raise ArgumentError(f"{name} is {type(text).__name__}, not text")
    if len(text) > MAX_PROMPT_CHARS:
        raise ArgumentError(f"{name} has {len(text)} characters, more than {MAX_PROMPT_CHARS}")
    if well_formed(text) != text:
        raise ArgumentError(f"{name} holds a lone surrogate, which is not Unicode text")
