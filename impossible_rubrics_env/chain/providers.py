"""Sends one request to whoever answers it: the real `anthropic` and `openai` clients, or a function in this process.

What comes in is a `Request`; what goes out is an `Answer` or a `Failure`, never an exception for anything that a
network or a provider can do. The clients' own retries are off: one `send` is at most one billed call. Bodies are read
here and not by the clients, whose versions differ. Refused up front, by `check`: models whose client or key is missing,
functions that nobody gave.
"""

import asyncio
import json
import os
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC
from email.utils import parsedate_to_datetime
from importlib import import_module
from ipaddress import ip_address
from typing import Any, Protocol
from urllib.parse import urlsplit

from impossible_rubrics_env.chain.calls import MAX_REPLY_CHARS, Model, Provider, Request, Stop, well_formed
from impossible_rubrics_env.chain.problems import Failure, Outcome, Remedy
from impossible_rubrics_env.errors import ArgumentError, MissingExtraError

DEFAULT_TIMEOUT = 600.0
"""Seconds for a whole call, from connecting to the last byte."""
LONGEST_CONNECTING = 30.0
"""Seconds to make a connection in; half of a timeout that is shorter, so that one is told from the other."""
MAX_TOKEN_COUNT = 10**9
OUTPUT_LIMITS = ("max_completion_tokens", "max_tokens")
"""How Chat Completions servers call the limit of output: OpenAI's own, and the name before."""
_RETRIED = frozenset({408, 409, 425, 429})
_REFUSES_ALL = frozenset({401, 402, 403, 404})
_NO_MONEY = ("insufficient_quota", "credit balance", "spend limit", "spending limit")
_NO_MONEY_BUT_IN_429 = (*_NO_MONEY, "billing")  # ordinary rate limits link to a billing page
_FINISHED = frozenset({"stop", "end_turn", "stop_sequence"})
_REFUSED = frozenset({"content_filter", "refusal"})
_NOTHING_SENT = frozenset({"ConnectError", "ConnectTimeout", "PoolTimeout"})
"""Errors before there is a connection, by name: some versions of the clients stand on httpx, others on httpx2."""
_HOST = r"(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]+\])"
_URL = re.compile(rf"(?i:https?)://{_HOST}(?::[0-9]{{1,5}})?(?:/[!-~]{{0,2000}})?", re.ASCII)
_ALL_NUMBERS = re.compile(r"[0-9.]+|.*:.*", re.ASCII)

_DEFAULT_URLS = {Provider.ANTHROPIC: "https://api.anthropic.com", Provider.OPENAI: "https://api.openai.com/v1"}

Function = Callable[[str], str]
"""Of a prompt for a policy, of a call's key for a fixed model. Bad input raises ValueError or ArithmeticError."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One reply as a provider gave it; the engine takes secrets out of its words and shortens them."""

    text: str
    stop: Stop
    reason: str | None
    """The provider's own word for why it ended."""
    model_id: str
    input_tokens: int | None
    """None where the provider did not count."""
    output_tokens: int | None


class Sender(Protocol):
    """Whoever answers requests to one provider."""

    async def send(self, key: str, request: Request) -> Answer | Failure:
        """Send one request, once."""

    async def close(self) -> None:
        """Close connections."""


@dataclass(slots=True)
class Providers:
    """The senders of a run, each made when its first request comes."""

    policies: Mapping[str, Function] = field(default_factory=dict)
    """By name: functions of the prompt text, for `policy:NAME`."""
    fixed: Mapping[str, Function] = field(default_factory=dict)
    """By name: functions of the call's key, for `fixed:NAME`."""
    anthropic_base_url: str | None = None
    """None for ANTHROPIC_BASE_URL, else Anthropic's own; without the `/v1`."""
    openai_base_url: str | None = None
    """None for OPENAI_BASE_URL, else OpenAI's own; with the `/v1`."""
    timeout: float = DEFAULT_TIMEOUT
    output_limit: str = OUTPUT_LIMITS[0]
    """Name of the output limit in Chat Completions requests; one of OUTPUT_LIMITS."""
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)
    """Where keys and base URLs are looked up."""
    _senders: dict[Provider, Sender] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 0 < self.timeout <= 86_400:
            raise ArgumentError(f"timeout={self.timeout!r} is not a number of seconds up to a day")
        if self.output_limit not in OUTPUT_LIMITS:
            raise ArgumentError(f"output_limit={self.output_limit!r} is not one of {', '.join(OUTPUT_LIMITS)}")

    def check(self, models: Iterable[Model]) -> None:
        """Raise ArgumentError or MissingExtraError unless requests to all these models could be sent."""
        for model in models:
            if model.provider.paid:
                self._key(model.provider)
                _check_url(self._url(model.provider), model.provider)
                client_module(model.provider)
            else:
                known = self.policies if model.provider is Provider.POLICY else self.fixed
                if model.name not in known:
                    names = ", ".join(sorted(known)) or "none here"
                    raise ArgumentError(f"there is no {model}; known: {names}")

    def secrets(self) -> list[str]:
        """Keys, to be kept out of every store."""
        keys = [self.environ.get(_key_name(provider), "").strip() for provider in Provider if provider.paid]
        return [key for key in keys if key]

    def sender(self, provider: Provider) -> Sender:
        """The sender of a provider."""
        if provider not in self._senders:
            self._senders[provider] = self._make(provider)
        return self._senders[provider]

    async def close(self) -> None:
        """Close all connections."""
        for sender in self._senders.values():
            await sender.close()
        self._senders.clear()

    def _make(self, provider: Provider) -> Sender:
        if provider is Provider.POLICY:
            return FunctionSender(self.policies, by_key=False)
        if provider is Provider.FIXED:
            return FunctionSender(self.fixed, by_key=True)
        module, key, url = client_module(provider), self._key(provider), self._url(provider)
        # A redirect that is followed is a second request, sent to another address, under one reservation.
        http = module.DefaultAsyncHttpxClient(follow_redirects=False)
        if provider is Provider.ANTHROPIC:
            client = module.AsyncAnthropic(api_key=key, base_url=url, max_retries=0, http_client=http)
            return AnthropicSender(module, client, self.timeout)
        client = module.AsyncOpenAI(api_key=key, base_url=url, max_retries=0, http_client=http)
        return OpenAISender(module, client, self.timeout, self.output_limit)

    def _key(self, provider: Provider) -> str:
        name = _key_name(provider)
        key = self.environ.get(name, "").strip()
        if not key:
            hint = " (any text for a server of your own that asks for no key)" if provider is Provider.OPENAI else ""
            raise ArgumentError(f"models of {provider} need a key in the environment variable {name}{hint}")
        if not (key.isascii() and key.isprintable()):
            raise ArgumentError(f"the environment variable {name} holds characters that no key has")
        return key

    def _url(self, provider: Provider) -> str:
        given = self.anthropic_base_url if provider is Provider.ANTHROPIC else self.openai_base_url
        return given or self.environ.get(f"{provider.upper()}_BASE_URL") or _DEFAULT_URLS[provider]


def client_module(provider: Provider) -> Any:
    """The client's package. Raises MissingExtraError."""
    try:
        return import_module(str(provider))
    except ImportError:
        raise MissingExtraError(
            f"models of {provider} need its client: pip install 'impossible-rubrics-env[chain]'"
        ) from None


def _key_name(provider: Provider) -> str:
    return f"{provider.upper()}_API_KEY"


def _check_url(url: str, provider: Provider) -> None:
    """Refuse what is no plain address. The message does not quote it: it may hold a password."""
    where = f"the base URL of {provider}"
    if re.match(r"[^/]*//[^/]*@", url):
        raise ArgumentError(f"{where} holds a user name or password: leave it out, {_key_name(provider)} is sent")
    if not _is_address(url):
        raise ArgumentError(f"{where} is not http(s)://HOST[:PORT][/PATH], in ASCII and without a query")


def _is_address(url: str) -> bool:
    if not _URL.fullmatch(url) or set("?#") & set(url):
        return False
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        if _ALL_NUMBERS.fullmatch(host):
            ip_address(host)
        sound = parts.port != 0
    except ValueError:
        sound = False
    return sound


class _ClientSender(ABC):
    """What both clients have in common."""

    def __init__(self, module: Any, client: Any, timeout: float) -> None:
        self._module = module
        self._client = client
        self._timeout = timeout
        self._phases = module.Timeout(timeout, connect=min(LONGEST_CONNECTING, timeout / 2))

    async def send(self, key: str, request: Request) -> Answer | Failure:  # noqa: ARG002 - only functions see keys
        """Send one request, once, within the timeout."""
        errors = self._module
        try:
            async with asyncio.timeout(self._timeout):
                response = await self._post(request)
                body = response.http_response.content
        except TimeoutError:
            return self._late()
        except errors.APIStatusError as error:
            return status_failure(error.status_code, _detail(error), error.response.headers)
        except errors.APIConnectionError as error:  # APITimeoutError is one
            return self._unconnected(error)
        try:
            return self._read(json.loads(body), request)
        except (ValueError, RecursionError) as error:
            return Failure(Outcome.BODY, Remedy.RETRY, f"the answer is not a reply: {error}")

    def _unconnected(self, error: Exception) -> Failure:
        cause = error.__cause__ or error
        detail = f"{type(cause).__name__}: {cause}"
        if type(cause).__name__ in _NOTHING_SENT:
            return Failure(Outcome.UNREACHABLE, Remedy.RETRY, f"no connection was made: {detail}")
        if isinstance(error, self._module.APITimeoutError):
            return self._late()
        return Failure(Outcome.CONNECTION, Remedy.RETRY, f"the connection failed: {detail}")

    def _late(self) -> Failure:
        return Failure(Outcome.TIMEOUT, Remedy.RETRY, f"no answer within {self._timeout:g} seconds")

    async def close(self) -> None:
        """Close connections."""
        await self._client.close()

    @abstractmethod
    async def _post(self, request: Request) -> Any:
        """Send the request and give the client's raw response."""

    @abstractmethod
    def _read(self, body: Any, request: Request) -> Answer:
        """The reply in a body. Raises ValueError where there is none."""


class AnthropicSender(_ClientSender):
    """The Messages API."""

    async def _post(self, request: Request) -> Any:
        # Not every version of the client has these parameters; the API does.
        extra: dict[str, Any] = {}
        if request.temperature is not None:
            extra["temperature"] = request.temperature
        if request.effort is not None:
            extra["output_config"] = {"effort": request.effort}
        return await self._client.messages.with_raw_response.create(
            model=request.model.name,
            max_tokens=request.max_tokens,
            messages=[{"role": "user", "content": request.prompt}],
            **({"system": request.system} if request.system else {}),
            extra_body=extra,
            timeout=self._phases,
        )

    def _read(self, body: Any, request: Request) -> Answer:
        content = _member(body, "content", list)
        blocks = [block for block in content if isinstance(block, dict) and block.get("type") == "text"]
        text = _text("".join(_member(block, "text", str) for block in blocks))
        reason = _reason(body.get("stop_reason"))
        usage = body.get("usage")
        cached = ("cache_creation_input_tokens", "cache_read_input_tokens")
        counts = [_tokens(usage, "input_tokens"), *(_tokens(usage, name) or 0 for name in cached)]
        known = [count for count in counts if count is not None]
        return Answer(
            text,
            stop_of(text, reason),
            reason,
            _model_id(body, request),
            sum(known) if len(known) == len(counts) else None,
            _tokens(usage, "output_tokens"),
        )


class OpenAISender(_ClientSender):
    """The Chat Completions API, of OpenAI or of any server that speaks it."""

    def __init__(self, module: Any, client: Any, timeout: float, output_limit: str) -> None:
        super().__init__(module, client, timeout)
        self._output_limit = output_limit

    async def _post(self, request: Request) -> Any:
        system = [{"role": "system", "content": request.system}] if request.system else []
        options: dict[str, Any] = {self._output_limit: request.max_tokens}
        if request.temperature is not None:
            options["temperature"] = request.temperature
        if request.effort is not None:
            options["reasoning_effort"] = request.effort
        return await self._client.chat.completions.with_raw_response.create(
            model=request.model.name,
            messages=[*system, {"role": "user", "content": request.prompt}],
            **options,
            timeout=self._phases,
        )

    def _read(self, body: Any, request: Request) -> Answer:
        choices = _member(body, "choices", list)
        if not choices:
            raise ValueError("there are no choices")
        message = _member(choices[0], "message", dict)
        refusal = message.get("refusal")
        content = message.get("content")
        if isinstance(content, list):  # some servers answer in parts
            parts = [part for part in content if isinstance(part, dict) and part.get("type") == "text"]
            content = "".join(_member(part, "text", str) for part in parts)
        if content is not None and not isinstance(content, str):
            raise ValueError("the content is not text")
        text = _text(content or "")
        reason = _reason(choices[0].get("finish_reason"))
        stop = stop_of(text, reason)
        if isinstance(refusal, str) and refusal:
            text, stop = text or _text(refusal), Stop.REFUSAL
        usage = body.get("usage")
        counts = (_tokens(usage, name) for name in ("prompt_tokens", "completion_tokens"))
        return Answer(text, stop, reason, _model_id(body, request), *counts)


class FunctionSender:
    """Functions in this process."""

    def __init__(self, functions: Mapping[str, Function], *, by_key: bool) -> None:
        self._functions = functions
        self._by_key = by_key

    async def send(self, key: str, request: Request) -> Answer | Failure:
        """Ask the function; it sees the key or the prompt text, and nothing else."""
        await asyncio.sleep(0)  # others go on between two functions
        try:
            text = self._functions[request.model.name](key if self._by_key else request.prompt)
        except (ValueError, ArithmeticError) as error:
            return Failure(Outcome.POLICY, Remedy.GIVE_UP, f"{request.model} cannot answer: {error}")
        text = well_formed(text)
        return Answer(text, stop_of(text, "stop"), None, str(request.model), 0, 0)

    async def close(self) -> None:
        """Nothing to close."""


def stop_of(text: str, reason: str | None) -> Stop:
    """Why a reply ended, from the provider's own word; a word that is not known does not make a whole reply."""
    if reason in _REFUSED:
        return Stop.REFUSAL
    if reason not in _FINISHED:
        return Stop.LENGTH
    return Stop.END if text.strip() else Stop.EMPTY


def status_failure(status: int, detail: str, headers: Mapping[str, str]) -> Failure:
    """What an HTTP error means."""
    if 300 <= status < 400:
        detail = f"redirects are not followed; this one is to {headers.get('location', 'nowhere')}"
        return Failure(Outcome.STATUS, Remedy.STOP_PROVIDER, detail, status)
    lowered = detail.lower()
    words = _NO_MONEY if status == 429 else _NO_MONEY_BUT_IN_429
    no_money = status in (400, 403, 429) and any(word in lowered for word in words)
    if status in _REFUSES_ALL or no_money:
        return Failure(Outcome.STATUS, Remedy.STOP_PROVIDER, detail, status)
    if status in _RETRIED or status >= 500:
        again = headers.get("x-should-retry", "").lower() != "false"
        remedy = Remedy.RETRY if again else Remedy.GIVE_UP
        return Failure(Outcome.STATUS, remedy, detail, status, retry_after(headers, time.time()))
    return Failure(Outcome.STATUS, Remedy.GIVE_UP, detail, status)


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds to wait by `retry-after-ms` or `retry-after` (seconds or an HTTP date); None without a sound one."""
    for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
        text = headers.get(name, "").strip()
        seconds = _number(text)
        if seconds is not None:
            return seconds / unit
        if text and unit == 1:
            return _until(text, now)
    return None


def _number(text: str) -> float | None:
    if not text or len(text) > 20 or set(text) - set("0123456789.") or text.count(".") > 1 or text == ".":
        return None
    return float(text)


def _until(text: str, now: float) -> float | None:
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, moment.timestamp() - now)


def _detail(error: Any) -> str:
    """An error status in words: the body's own message where it has one, with its type or code."""
    body = error.body.get("error", error.body) if isinstance(error.body, dict) else error.body
    words: list[str] = []
    if isinstance(body, dict):
        words = [str(body[name]) for name in ("type", "code", "message") if isinstance(body.get(name), (str, int))]
    return ": ".join(words) or str(error.response.text) or str(error)


def _member(data: Any, name: str, kind: type[Any]) -> Any:
    value = data.get(name) if isinstance(data, dict) else None
    if not isinstance(value, kind):
        raise ValueError(f"there is no {name}")  # noqa: TRY004 - the caller reads every flaw of a body as one error
    return value


def _text(text: str) -> str:
    if len(text) > MAX_REPLY_CHARS:
        raise ValueError(f"its text has more than {MAX_REPLY_CHARS} characters")
    return well_formed(text)


def _reason(value: Any) -> str | None:
    return well_formed(value) if isinstance(value, str) else None


def _model_id(body: Any, request: Request) -> str:
    value = body.get("model")
    return well_formed(value) if isinstance(value, str) and value else request.model.name


def _tokens(usage: Any, name: str) -> int | None:
    value = usage.get(name) if isinstance(usage, dict) else None
    fits = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_TOKEN_COUNT
    return value if fits else None
