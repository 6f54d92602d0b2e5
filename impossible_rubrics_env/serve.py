"""A reference policy behind an OpenAI-compatible chat endpoint, so that any client can be tried without a key.

What comes in is the text of the last user message, and nothing else reaches the policy; what goes out is its reply,
whole or streamed, with usage numbers. Refused, each with an error body in OpenAI's form: a request that is too
large, no JSON, without a user message, or asks for several choices, and a prompt that the policy cannot read.

A token here is TOKEN_CHARS characters. `max_tokens` is obeyed: a longer reply is cut off with finish reason `length`.
"""

import asyncio
import json
import logging
import socket
import time
import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from impossible_rubrics_env.errors import ArgumentError

MAX_BODY_BYTES = 4 * 2**20
"""Longest request that is read."""
MAX_PROMPT_CHARS = 50_000
"""Longest prompt that a policy is given: far beyond any task, and short enough for its patterns."""
TOKEN_CHARS = 4
SHUTDOWN_SECONDS = 3
"""How long open requests may go on after the server was told to stop."""
_PIECE_CHARS = 16

Policy = Callable[[str], str]


class _RequestError(Exception):
    """A request that gets an error body."""

    def __init__(self, message: str, *, status: int = 400, param: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.param = param


@dataclass(frozen=True, slots=True)
class _Chat:
    """What a request asks for."""

    prompt: str
    """Text of the last user message."""
    prompt_chars: int
    """Length of all messages, for the usage numbers."""
    stream: bool
    include_usage: bool
    max_tokens: int | None


@dataclass(frozen=True, slots=True)
class _Completion:
    """A finished reply and what every form of it repeats."""

    base: Mapping[str, Any]
    text: str
    finish_reason: str
    usage: Mapping[str, int]


def application(policy: Policy, model: str) -> Starlette:
    """The endpoint of one policy, under one model name; requests may name any model."""

    async def models(_: Request) -> Response:
        card = {"id": model, "object": "model", "created": 0, "owned_by": "impossible-rubrics-env"}
        return _json({"object": "list", "data": [card]})

    async def completions(request: Request) -> Response:
        chat = _read_chat(await _read_body(request))
        completion = _complete(chat, await run_in_threadpool(_ask, policy, chat.prompt), model)
        if chat.stream:
            events = _events(completion, include_usage=chat.include_usage)
            return StreamingResponse(_encoded(events), media_type="text/event-stream")
        return _json(_whole(completion))

    return Starlette(
        routes=[Route("/v1/models", models), Route("/v1/chat/completions", completions, methods=["POST"])],
        exception_handlers={_RequestError: _on_request_error, HTTPException: _on_http_error},
    )


def open_listener(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes a free one. Raises ArgumentError where the address cannot be had."""
    if not 0 <= port <= 65_535:
        raise ArgumentError(f"port={port} is not a number from 0 to 65535")
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except (OSError, UnicodeError) as error:
        raise ArgumentError(f"host={host!r}, port={port}: {error}") from None


def base_url(listener: socket.socket) -> str:
    """Where a client on this machine finds the endpoint."""
    host, port = listener.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - read here, not bound to
    return f"http://[{host}]:{port}/v1" if ":" in host else f"http://{host}:{port}/v1"


def run(app: Starlette, listener: socket.socket) -> None:
    """Serve until a signal ends it; then open requests are finished or cut off, and the signal takes effect."""
    logging.getLogger("uvicorn.error").addFilter(_is_no_cut_off)
    config = uvicorn.Config(app, log_level="warning", lifespan="off", timeout_graceful_shutdown=SHUTDOWN_SECONDS)
    uvicorn.Server(config).run(sockets=[listener])


def _is_no_cut_off(record: logging.LogRecord) -> bool:
    """Whether a log record is anything but the traceback of a request that was cut off at the end.

    uvicorn writes one for each such request, beside one line that says how many there were.
    """
    return not (isinstance(record.exc_info, tuple) and isinstance(record.exc_info[1], asyncio.CancelledError))


def _ask(policy: Policy, prompt: str) -> str:
    try:
        return policy(prompt)
    except (ValueError, ArithmeticError) as error:
        message = f"the policy cannot read this prompt: {ascii(str(error)[:400])[1:-1]}"
        raise _RequestError(message, param="messages") from None


async def _read_body(request: Request) -> bytes:
    body = bytearray()
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > MAX_BODY_BYTES:
                raise _RequestError(f"the request is longer than {MAX_BODY_BYTES} bytes", status=413)
    except ClientDisconnect:
        raise _RequestError("the client went away before its request was whole") from None
    return bytes(body)


def _read_chat(body: bytes) -> _Chat:
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        raise _RequestError("the request is not JSON") from None
    if not isinstance(data, dict):
        raise _RequestError("the request is not a JSON object")
    texts = [(message.get("role"), _text(message.get("content"))) for message in _messages(data)]
    prompt = next((text for role, text in reversed(texts) if role == "user"), None)
    if prompt is None:
        raise _RequestError("there is no user message with text", param="messages")
    if len(prompt) > MAX_PROMPT_CHARS:
        raise _RequestError(f"the prompt is longer than {MAX_PROMPT_CHARS} characters", param="messages")
    if data.get("n") not in (None, 1):
        raise _RequestError("n: only one choice is made", param="n")
    options = data.get("stream_options")
    return _Chat(
        prompt,
        sum(len(text) for _, text in texts if text is not None),
        _flag(data, "stream"),
        isinstance(options, dict) and _flag(options, "include_usage"),
        _max_tokens(data),
    )


def _messages(data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    messages = data.get("messages")
    if not isinstance(messages, list) or not messages or not all(isinstance(message, dict) for message in messages):
        raise _RequestError("messages must be a list of at least one object", param="messages")
    return messages


def _text(content: Any) -> str | None:
    """A message's text: a string, or the text parts of a list."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    texts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
    return "".join(text for text in texts if isinstance(text, str)) if texts else None


def _flag(data: Mapping[str, Any], name: str) -> bool:
    value = data.get(name)
    if value is not None and not isinstance(value, bool):
        raise _RequestError(f"{name} must be true or false", param=name)
    return value is True


def _max_tokens(data: Mapping[str, Any]) -> int | None:
    for name in ("max_completion_tokens", "max_tokens"):
        value = data.get(name)
        if value is not None:
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise _RequestError(f"{name} must be a positive integer", param=name)
            return value
    return None


def _complete(chat: _Chat, reply: str, model: str) -> _Completion:
    kept = reply if chat.max_tokens is None else reply[: chat.max_tokens * TOKEN_CHARS]
    prompt_tokens, completion_tokens = _tokens(chat.prompt_chars), _tokens(len(kept))
    usage = {
        "prompt_tokens": prompt_tokens,
        "completion_tokens": completion_tokens,
        "total_tokens": prompt_tokens + completion_tokens,
    }
    base = {"id": f"chatcmpl-{uuid.uuid4().hex}", "created": int(time.time()), "model": model}
    return _Completion(base, kept, "stop" if kept == reply else "length", usage)


def _tokens(chars: int) -> int:
    return -(-chars // TOKEN_CHARS)


def _whole(completion: _Completion) -> dict[str, Any]:
    message = {"role": "assistant", "content": completion.text, "refusal": None}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": completion.finish_reason}
    return {**completion.base, "object": "chat.completion", "choices": [choice], "usage": completion.usage}


def _events(completion: _Completion, *, include_usage: bool) -> Iterator[dict[str, Any]]:
    """The chunks of a streamed reply; with usage asked for, every chunk has the field and the last one its numbers."""
    base = {**completion.base, "object": "chat.completion.chunk", **({"usage": None} if include_usage else {})}

    def chunk(delta: Mapping[str, str], finish_reason: str | None = None) -> dict[str, Any]:
        return {**base, "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}]}

    yield chunk({"role": "assistant", "content": ""})
    for start in range(0, len(completion.text), _PIECE_CHARS):
        yield chunk({"content": completion.text[start : start + _PIECE_CHARS]})
    yield chunk({}, completion.finish_reason)
    if include_usage:
        yield {**base, "choices": [], "usage": completion.usage}


async def _encoded(events: Iterator[dict[str, Any]]) -> AsyncIterator[str]:
    for event in events:
        yield f"data: {json.dumps(event, allow_nan=False)}\n\n"
    yield "data: [DONE]\n\n"


def _json(data: Mapping[str, Any], status: int = 200) -> Response:
    return Response(json.dumps(data, allow_nan=False), status, media_type="application/json")


def _error(message: str, status: int, param: str | None = None) -> Response:
    body = {"message": message, "type": "invalid_request_error", "param": param, "code": None}
    return _json({"error": body}, status)


async def _on_request_error(_: Request, error: _RequestError) -> Response:
    return _error(str(error), error.status, error.param)


async def _on_http_error(request: Request, error: HTTPException) -> Response:
    return _error(f"{error.detail}: {request.method} {request.url.path!a}", error.status_code)
