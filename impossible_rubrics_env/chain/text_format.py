"""How a text is laid out, in counts: to see whether attacks look different from the honest answers that they beat."""

import re
from typing import NamedTuple

_LIST_ITEM = re.compile(r"[ \t]*(?:[-*+•]|[0-9]{1,4}[.)])[ \t]+\S")
_HEADING = re.compile(r"[ \t]*(?:#{1,6}[ \t]+\S|\*\*[^*]+\*\*:?[ \t]*$)")
_NUMBER = re.compile(r"[0-9]+(?:[.,][0-9]+)*", re.ASCII)


class Format(NamedTuple):
    """Counts of one text."""

    lines: int
    """Lines that are not blank."""
    list_items: int
    headings: int
    """Markdown headings, and lines that are all bold."""
    numbers: int


def format_of(text: str) -> Format:
    r"""The counts of a text.

    >>> format_of("# Answer\n\n- It is 1,200.5 h.\n- No.")
    Format(lines=3, list_items=2, headings=1, numbers=1)
    """
    lines = [line for line in text.splitlines() if line.strip()]
    items = sum(_LIST_ITEM.match(line) is not None for line in lines)
    headings = sum(_HEADING.match(line) is not None for line in lines)
    return Format(len(lines), items, headings, len(_NUMBER.findall(text)))
