"""Models of the chain's roles behind the loopback endpoint, told apart by the name that a request gives as its model.

`policy:NAME` plays the role that the prompt asks for as `impossible-rubrics chain run` has it. The others go wrong.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from loopback import Loopback, served

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
    with served(model):
        yield model
