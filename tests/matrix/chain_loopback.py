"""Models of the chain's roles behind the loopback endpoint, told apart by the name that a request gives as its model.

`policy:NAME` plays the role that the prompt asks for as `impossible-rubrics chain run` has it. The others go wrong.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from typing import Any

from loopback import Loopback, _Handler

from impossible_rubrics_env.chain.offline import policies

_REPLIES = {
    "cut-off": ("truncated", "Give a hundred points to"),
    "too-many-points": ("right", '{"first": 101, "second": 5}'),
    "down": ("failed", ""),
}
"""By model: the kind of reply, and the text."""


class Roles(Loopback):
    """The running server: what it was asked, in order."""

    def answer(self, body: dict[str, Any]) -> tuple[str, str]:
        with self.lock:
            self.requests.append(body)
        model = body["model"]
        if model in _REPLIES:
            return _REPLIES[model]
        return "right", policies()[model.removeprefix("policy:")](body["messages"][-1]["content"])


@contextmanager
def serving_roles() -> Iterator[Roles]:
    """Serve on a free port until the block ends."""
    model = Roles("", {})

    class Handler(_Handler):
        loopback = model

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    model.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
