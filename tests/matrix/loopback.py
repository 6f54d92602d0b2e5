"""A model behind an OpenAI-compatible chat endpoint on loopback, with a fixed reply for each prompt it knows.

Replies are right, wrong, unsupported, unreadable, cut off, or an HTTP 500, by the position of the task in the list.
It answers plain JSON, or server-sent events where the request asks for a stream.
"""

import json
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from impossible_rubrics_env.task import Task

KINDS = ("right", "wrong", "unsupported", "unreadable", "truncated", "failed")
"""What task 0, 1, 2, ... of a list gets, over and over."""
_ANSWERS = {"wrong": ("WRONG",), "unsupported": ("UNSUPPORTED", "ABSTAINED")}
"""Verdicts of labelled replies, the first that the task has; every other kind starts from a right one."""
EXPECTED_REWARD = {"right": 1.0, "wrong": -1.0, "unsupported": 0.0, "unreadable": 0.0, "truncated": 0.0}
"""Under the default scheme; a failed rollout has no reward of its own."""


def kind_of(index: int) -> str:
    """What the task at this index gets."""
    return KINDS[index % len(KINDS)]


def reply_of(task: Task, kind: str) -> str:
    """The text of a reply of this kind to this task."""
    if kind == "unreadable":
        return "I would rather not commit to anything here."
    wanted = _ANSWERS.get(kind, ("SOLVED",))
    labelled = {answer["expected"]["verdict"]: answer["reply"] for answer in reversed(task.answers)}
    reply = next(labelled[verdict] for verdict in wanted if verdict in labelled)
    text = f"Let me look at what is proved.\n\n{reply}"
    return text[: -len("</answer>") - 2] if kind == "truncated" else text


@dataclass
class Loopback:
    """The running server: where it is, and what it was asked."""

    url: str
    replies: dict[str, tuple[str, str]]
    """By prompt: the kind, and the text."""
    unknown: list[str] = field(default_factory=list)
    """Prompts that are not in `replies`; each got an HTTP 404."""
    requests: list[dict[str, Any]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def learn(self, tasks: Iterable[Task]) -> None:
        """Know these tasks too; a prompt that is known keeps its reply."""
        with self.lock:
            for index, task in enumerate(tasks):
                self.replies.setdefault(task.prompt, (kind_of(index), reply_of(task, kind_of(index))))

    def answer(self, body: dict[str, Any]) -> tuple[str, str]:
        """The kind and the text for a request; kind `unknown` where no message is a known prompt."""
        texts = [str(message.get("content")) for message in body.get("messages", [])]
        with self.lock:
            self.requests.append(body)
            for text in reversed(texts):
                if text in self.replies:
                    return self.replies[text]
            self.unknown.append("\n---\n".join(texts)[:2000])
        return "unknown", ""


@contextmanager
def serving(tasks: Iterable[Task]) -> Iterator[Loopback]:
    """Serve the tasks on a free port until the block ends."""
    model = Loopback("", {})
    model.learn(tasks)
    with served(model):
        yield model


@contextmanager
def served(model: Loopback) -> Iterator[None]:
    """Serve a model on a free port, and tell it the `url`, until the block ends."""

    class Handler(_Handler):
        loopback = model

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    model.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    loopback: Loopback
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the tests read what was asked from the server object."""

    def do_GET(self) -> None:
        self._send(200, {"object": "list", "data": [{"id": "stub", "object": "model"}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
        kind, text = self.loopback.answer(body)
        if kind == "failed":
            self._send(500, {"error": {"message": "the stub model is down", "type": "server_error"}})
        elif kind == "unknown":
            self._send(404, {"error": {"message": "the stub model does not know this prompt", "type": "not_found"}})
        elif body.get("stream"):
            self._stream(kind, text)
        else:
            self._send(200, _completion(kind, text))

    def _send(self, status: int, data: dict[str, Any]) -> None:
        payload = json.dumps(data).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(payload)))
        # Clients of the openai package then do not wait through their retries.
        self.send_header("x-should-retry", "false")
        self.end_headers()
        self.wfile.write(payload)

    def _stream(self, kind: str, text: str) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for chunk in _chunks(kind, text):
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True


_HEAD = {"id": "chatcmpl-stub", "created": 0, "model": "stub"}
_USAGE = {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}


def _finish(kind: str) -> str:
    return "length" if kind == "truncated" else "stop"


def _completion(kind: str, text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": _finish(kind)}
    return {**_HEAD, "object": "chat.completion", "choices": [choice], "usage": _USAGE}


def _chunks(kind: str, text: str) -> Iterator[dict[str, Any]]:
    head = {**_HEAD, "object": "chat.completion.chunk"}
    half = len(text) // 2
    for part in (text[:half], text[half:]):
        delta = {"role": "assistant", "content": part}
        yield {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": _finish(kind)}]}
    yield {**head, "choices": [], "usage": _USAGE}
