"""The numbers that a text prints, exactly."""

import re

from impossible_rubrics_env.exact import ratio_text, rational
from impossible_rubrics_env.numerals import read_exact

_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:e-?[0-9]+)?(?:/[0-9]+)?", re.ASCII)


def printed_numbers(text: str) -> set[str]:
    """Every number of the text, as `p/q` in lowest terms.

    >>> sorted(printed_numbers("from 0.50 to 3e1 kg"))
    ['1/2', '30']
    """
    return {found for token in _NUMBER.findall(text) if (found := _ratio_text(token))}


def _ratio_text(token: str) -> str | None:
    ratio = read_exact(token)
    return None if ratio is None else ratio_text(rational(ratio.numerator, ratio.denominator))
