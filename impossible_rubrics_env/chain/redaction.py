"""Takes secrets out of text that comes from outside, before it is stored, returned or printed.

A secret is a value of MIN_CHARS characters or more: of keys the providers were given, and of environment variables
that are named as secrets. Error messages lose, besides, everything that looks like a key or an authorization header.

What the program itself writes, such as names of calls and models, is left as it is: a store whose keys were changed
could not be read. Run arguments that hold a key are refused instead, see `Redactor.check`.

Text is cut to a length here and nowhere before: the beginning of a key that was cut would not be known as one.
"""

import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

from impossible_rubrics_env.chain.calls import canonical, well_formed
from impossible_rubrics_env.errors import ArgumentError

HIDDEN = "[secret]"
MIN_CHARS = 16
"""Shortest value that is taken for a secret. A shorter one, such as the text that stands for the key of a server
without keys, may be an ordinary word, and would be replaced wherever a reply has it."""
MAX_MESSAGE_CHARS = 500
_NAMED_AS_SECRET = re.compile(
    r"(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|AUTH)(?:$|_)", re.IGNORECASE
)
_VALUE = r"[\"']?[A-Za-z0-9._~+/=*-]{8,}"
_LOOKS_SECRET = re.compile(
    rf"(?i:x-api-key|api[-_ ]?key|authorization|password|token)[\"']?\s*[:=]\s*(?i:(?:bearer|basic)\s+)?{_VALUE}"
    rf"|(?i:\b(?:bearer|basic))\s+{_VALUE}"
    r"|\b(?:sk|pk|rk|key)-[A-Za-z0-9_*-]{6,}"
    r"|(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_.-]+"  # once a run of these characters: linear in the text
    r"|(?<=://)[^/@\s]+(?=@)"
)


class Redactor:
    """Replaces secrets by HIDDEN."""

    def __init__(self, secrets: Iterable[str] = (), environ: Mapping[str, str] | None = None) -> None:
        environ = os.environ if environ is None else environ
        self._given = {secret for secret in secrets if len(secret) >= MIN_CHARS}
        named = {
            value
            for name, value in environ.items()
            if _NAMED_AS_SECRET.search(name) and len(value) >= MIN_CHARS and not re.search(r"[\s/\\]", value)
        }
        ordered = sorted(self._given | named, key=lambda text: (-len(text), text))  # one that contains another first
        self._known = re.compile("|".join(map(re.escape, ordered))) if ordered else None

    def check(self, arguments: Any) -> None:
        """Raise ArgumentError where JSON data that are to be stored as they are hold a key that was given."""
        stored = canonical(arguments)
        if any(canonical(secret)[1:-1] in stored for secret in self._given):
            raise ArgumentError(
                "an API key is a part of what is stored of the run, such as a model's name: "
                "take it out there, or give a server of your own another key"
            )

    def text(self, text: str, most: int | None = None) -> str:
        """The text without known secrets, and cut to `most` characters."""
        return (self._known.sub(HIDDEN, text) if self._known else text)[:most]

    def message(self, text: str) -> str:
        """An error message as one printable line of MAX_MESSAGE_CHARS, without secrets and what looks like one."""
        clean = " ".join(_LOOKS_SECRET.sub(HIDDEN, self.text(well_formed(text))).split())
        line = "".join(char if char.isprintable() else "\ufffd" for char in clean[:MAX_MESSAGE_CHARS])
        return line + "..." if len(clean) > MAX_MESSAGE_CHARS else line
