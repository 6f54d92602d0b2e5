"""Takes secrets out of what is about to be stored.

Known values are replaced everywhere: keys the providers were given, and values of environment variables that are named
as secrets. Error messages lose, besides, everything that looks like a key or an authorization header.
"""

import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

HIDDEN = "[secret]"
MIN_CHARS = 8
"""Shortest known secret that is replaced; a shorter one would be replaced inside ordinary words."""
_MIN_FOREIGN_CHARS = 16
_NAMED_AS_SECRET = re.compile(
    r"(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|AUTH)(?:$|_)", re.IGNORECASE
)
_VALUE = r"[\"']?[A-Za-z0-9._~+/=*-]{8,}"
_LOOKS_SECRET = re.compile(
    rf"(?i:x-api-key|api[-_ ]?key|authorization|password|token)[\"']?\s*[:=]\s*(?i:(?:bearer|basic)\s+)?{_VALUE}"
    rf"|(?i:\b(?:bearer|basic))\s+{_VALUE}"
    r"|\b(?:sk|pk|rk|key)-[A-Za-z0-9_*-]{6,}"
    r"|\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_.-]+"
    r"|(?<=://)[^/@\s]+(?=@)"
)


class Redactor:
    """Replaces secrets by HIDDEN."""

    def __init__(self, secrets: Iterable[str] = (), environ: Mapping[str, str] | None = None) -> None:
        environ = os.environ if environ is None else environ
        known = {secret for secret in secrets if len(secret) >= MIN_CHARS}
        known |= {
            value
            for name, value in environ.items()
            if _NAMED_AS_SECRET.search(name) and len(value) >= _MIN_FOREIGN_CHARS and not re.search(r"[\s/\\]", value)
        }
        ordered = sorted(known, key=lambda text: (-len(text), text))  # a secret that contains another goes first
        self._known = re.compile("|".join(map(re.escape, ordered))) if ordered else None

    def text(self, text: str) -> str:
        """The text without known secrets."""
        return self._known.sub(HIDDEN, text) if self._known else text

    def message(self, text: str) -> str:
        """An error message without known secrets and without what looks like one."""
        return _LOOKS_SECRET.sub(HIDDEN, self.text(text))

    def data(self, data: Any) -> Any:
        """JSON data with `text` applied to every string, names included."""
        if isinstance(data, str):
            return self.text(str(data))
        if isinstance(data, Mapping):
            return {self.text(str(name)): self.data(value) for name, value in data.items()}
        if isinstance(data, (list, tuple)):
            return [self.data(item) for item in data]
        return data
