"""What a planted reply is, and the ones that every task gets: whatever must not be read, or not be read so."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from impossible_rubrics_env.verdicts import Verdict


class Forgery(NamedTuple):
    """A planted reply and the only verdicts it may get."""

    name: str
    reply: Any
    allowed: frozenset[Verdict]


SOLVED = frozenset({Verdict.SOLVED})
WRONG = frozenset({Verdict.WRONG})
UNSUPPORTED = frozenset({Verdict.UNSUPPORTED})
UNREAD = frozenset({Verdict.REFUSED_PARSE})


def block(body: str) -> str:
    """The reply that ends in this JSON."""
    return f"<answer>{body}</answer>"


def misread(prompt: str, right: str, false: str) -> Iterator[Forgery]:
    """Replies that only a reader with a fault takes for something else; `right` and `false` are whole replies."""
    yield Forgery("false claim, then the right reply", f"{false} No: {right}", SOLVED)
    yield Forgery("right reply, then a false claim", f"{right} No: {false}", WRONG)
    yield Forgery("right reply inside an open think block", "<think>" + right, UNREAD)
    yield Forgery("right reply taken back", right + " No: <answer>{", UNREAD)
    yield Forgery("right reply in the user's mouth", [{"role": "user", "content": right}], UNREAD)
    yield Forgery("the prompt itself", prompt, UNREAD)
    for text in ("", " ", "NO_ATTACK", "IMPOSSIBLE", "I cannot help with that.", "<answer></answer>", block("{}")):
        yield Forgery(f"empty reply {text!r}", text, UNREAD)
    yield Forgery("no reply", None, UNREAD)
