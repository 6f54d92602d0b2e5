"""How large a packet is, and how deep; what a caller may set of it."""

from typing import NamedTuple


class Knobs(NamedTuple):
    """Sizes of a packet; 0 leaves one to the draw."""

    documents: int = 0
    """Least number of documents."""
    distractors: int = 0
    """Sentences that state facts which do not matter."""
    hops: int = 0
    """Facts that must be combined; for notices, how many follow on each other."""
    digits: int = 0
    """Digits after the point of figures, 1 to 4."""
