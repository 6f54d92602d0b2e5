"""A server on loopback that speaks both providers' wire formats and does, by script, what goes wrong in real life.

A prompt names its call as `[key:NAME]`. Each request of a call takes the next step of its script; without one it is
answered. `received` counts requests by call, `answered` those that were answered in full with status 200.
"""

import collections
import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = re.compile(r"\[key:([^\]]+)\]")
MODEL_ID = "resolved-2026-11"


@dataclass(frozen=True)
class Step:
    """What happens to one request."""

    status: int = 200
    message: str = "scripted"
    code: str = "scripted_error"
    headers: dict[str, str] = field(default_factory=dict)
    seconds: float = 0
    """Before the answer."""
    drop: bool = False
    """Close the connection without a word."""
    cut: str = ""
    """`json`: a whole HTTP answer of half a JSON text; `body`: fewer bytes than announced."""
    text: str | None = None
    """Of the reply; by default it names the call."""
    stop: str = "end"
    """end, length, refusal, filter, or a provider's own word."""
    usage: bool = True
    counted: int | None = None
    """Tokens of input and of output that the server says it counted, whatever it did."""
    model_id: str = MODEL_ID
    body: Any = None
    """The whole JSON answer, instead of a reply."""


@dataclass
class Wire:
    """The running server, what it was asked, and what it is to do."""

    url: str = ""
    script: dict[str, list[Step]] = field(default_factory=dict)
    default: Step = field(default_factory=Step)
    received: collections.Counter[str] = field(default_factory=collections.Counter)
    answered: collections.Counter[str] = field(default_factory=collections.Counter)
    requests: list[tuple[str, dict[str, str], dict[str, Any]]] = field(default_factory=list)
    """Path, headers in small letters, body."""
    times: list[float] = field(default_factory=list)
    most_at_once: int = 0
    now: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> tuple[str, Step]:
        """Count a request; its call and step."""
        match = KEY.search(json.dumps(body["messages"]))
        key = match.group(1) if match else "?"
        with self.lock:
            self.requests.append((path, headers, body))
            self.times.append(time.monotonic())
            self.received[key] += 1
            self.now += 1
            self.most_at_once = max(self.most_at_once, self.now)
            steps = self.script.get(key)
            return key, steps.pop(0) if steps else self.default

    def end(self, key: str, answered: bool) -> None:
        """Count what came of it."""
        with self.lock:
            self.now -= 1
            self.answered[key] += answered


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that are killed are part of the tests."""


@contextmanager
def serving() -> Iterator[Wire]:
    """Serve on a free port until the block ends."""
    wire = Wire()

    class Handler(_Handler):
        pass

    Handler.wire = wire
    server = _Server(("127.0.0.1", 0), Handler)
    wire.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield wire
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    wire: Wire
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
        headers = {name.lower(): value for name, value in self.headers.items()}
        key, step = self.wire.begin(self.path, headers, body)
        answered = False
        try:
            time.sleep(step.seconds)
            answered = self._answer(key, step, body)
        except OSError:
            self.close_connection = True
        finally:
            self.wire.end(key, answered)

    def _answer(self, key: str, step: Step, body: dict[str, Any]) -> bool:
        if step.drop:
            self.close_connection = True
            return False
        openai = self.path == "/v1/chat/completions"
        if self.path not in ("/v1/chat/completions", "/v1/messages"):
            step = Step(404, "no such path")
        if step.body is not None:
            data = step.body
        elif step.status != 200:
            data = _error(step, openai)
        else:
            text = f"reply to {key}" if step.text is None else step.text
            data = _completion(step, text, body) if openai else _message(step, text, body)
        payload = data if isinstance(data, bytes) else json.dumps(data).encode()
        self._send(step, payload)
        return step.status == 200 and not step.cut

    def _send(self, step: Step, payload: bytes) -> None:
        sent = payload[: len(payload) // 2] if step.cut else payload
        announced = len(payload) if step.cut == "body" else len(sent)
        self.send_response(step.status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(announced))
        for name, value in step.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(sent)
        self.close_connection = self.close_connection or step.cut == "body"


def tokens(text: str) -> int:
    """How many tokens the server counts."""
    return -(-len(text) // 4)


def _input_text(body: dict[str, Any]) -> str:
    return str(body.get("system", "")) + "".join(message["content"] for message in body["messages"])


def _completion(step: Step, text: str, body: dict[str, Any]) -> dict[str, Any]:
    reasons = {"end": "stop", "length": "length", "filter": "content_filter", "refusal": "stop"}
    message = {"role": "assistant", "content": text, "refusal": None}
    if step.stop == "refusal":
        message = {"role": "assistant", "content": None, "refusal": text}
    choice = {"index": 0, "message": message, "finish_reason": reasons.get(step.stop, step.stop)}
    count, out = (tokens(_input_text(body)), tokens(text)) if step.counted is None else (step.counted,) * 2
    usage = {"prompt_tokens": count, "completion_tokens": out, "total_tokens": count + out}
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": step.model_id}
    return {**head, "choices": [choice], **({"usage": usage} if step.usage else {})}


def _message(step: Step, text: str, body: dict[str, Any]) -> dict[str, Any]:
    reasons = {"end": "end_turn", "length": "max_tokens", "filter": "refusal"}
    half = len(text) // 2
    blocks = [
        {"type": "thinking", "thinking": "not a part of the reply", "signature": "s"},
        {"type": "text", "text": text[:half]},
        {"type": "text", "text": text[half:]},
    ]
    usage = {
        "input_tokens": (tokens(_input_text(body)) if step.counted is None else step.counted) - 2,
        "cache_creation_input_tokens": 1,
        "cache_read_input_tokens": 1,
        "output_tokens": tokens(text) if step.counted is None else step.counted,
    }
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": step.model_id, "stop_sequence": None}
    reason = reasons.get(step.stop, step.stop)
    return {**head, "content": blocks, "stop_reason": reason, **({"usage": usage} if step.usage else {})}


def _error(step: Step, openai: bool) -> dict[str, Any]:
    error = {"message": step.message, "type": step.code, **({"code": step.code, "param": None} if openai else {})}
    return {"error": error, **({} if openai else {"type": "error", "request_id": "req_1"})}
