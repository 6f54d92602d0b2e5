"""The numbers and the names that a text prints."""

import re

from impossible_rubrics_env.exact import ratio_text, rational
from impossible_rubrics_env.numerals import read_exact

_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:e-?[0-9]+)?(?:/[0-9]+)?", re.ASCII)
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?", re.ASCII)


def printed_numbers(text: str) -> set[str]:
    """Every number of the text, as `p/q` in lowest terms.

    >>> sorted(printed_numbers("from 0.50 to 3e1 kg"))
    ['1/2', '30']
    """
    return {found for token in _NUMBER.findall(text) if (found := _ratio_text(token))}


def printed_names(text: str) -> set[str]:
    """Every word of the text that may be an id or a variable, without the stop that ends a sentence.

    >>> sorted(printed_names("Of K-1, harrow.late and D1.2."))
    ['D1.2', 'K-1', 'Of', 'and', 'harrow.late']
    """
    return set(_NAME.findall(text))


def _ratio_text(token: str) -> str | None:
    ratio = read_exact(token)
    return None if ratio is None else ratio_text(rational(ratio.numerator, ratio.denominator))
