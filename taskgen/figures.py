"""Natural numbers for documents: figures with a fixed count of digits, drawn by or made from their last one."""

import random

from impossible_rubrics_env.exact import rational
from impossible_rubrics_env.taskgen.statements import Figure


def figure_of(units: int, places: int) -> Figure:
    """The figure of so many units of its last digit.

    >>> figure_of(1250, 2).text
    '12.50'
    """
    return Figure(rational(units, 10**places), places)


def draw_units(rng: random.Random, low: int, high: int, places: int) -> int:
    """A number of units of the last digit; the figure lies from `low` to `high`, both included."""
    scale: int = 10**places
    return rng.randint(low * scale, high * scale)
