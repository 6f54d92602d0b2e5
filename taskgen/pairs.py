"""From an index to its task or twin pair: which stream it is drawn from, and which label it has.

In a packet family, indices 2k and 2k + 1 are one place of the draw. By the shares of the labels it holds either the two
twins of a pair, drawn from the stream of the key `pair-k`, or two tasks of one label, each drawn from the stream of its
own index. So four of five default tasks (labels 2:2:1) come as twins side by side, and in a balanced draw all do.
"""

from functools import lru_cache
from typing import NamedTuple

from impossible_rubrics_env.task import Label
from impossible_rubrics_env.taskgen.arguments import DrawArguments, choose_weighted, label_weights, stream

SHUFFLE_BLOCK = 256
_TWINS = "twins"


class Place(NamedTuple):
    """What a packet family draws at an index."""

    key: int | str
    """Names the random stream (`streams(arguments, FAMILY, VERSION, key)`) and, with `task_id`, the pair id."""
    label: Label
    twins: bool
    """Whether the other label of the pair is drawn from the same stream."""


def place_of(arguments: DrawArguments, family: str, version: str, index: int) -> Place:
    """What to draw at `index` in a packet family."""
    pair, side = divmod(position_of(arguments, family, version, index), 2)
    weights = label_weights(arguments)
    impossible, hard = weights.get(Label.IMPOSSIBLE, 0), weights.get(Label.HARD_POSITIVE, 0)
    rng = stream(f"{arguments.stream_text(family, version, _pair_key(pair))}#label")
    flip = rng.randrange(2)
    shares: dict[str, int] = {
        _TWINS: 2 * min(impossible, hard),
        Label.IMPOSSIBLE: impossible - min(impossible, hard),
        Label.HARD_POSITIVE: hard - min(impossible, hard),
        Label.CLEAR_POSITIVE: weights.get(Label.CLEAR_POSITIVE, 0),
    }
    drawn = choose_weighted(rng, shares)
    if drawn != _TWINS:
        return Place(index, Label(drawn), twins=False)
    return Place(_pair_key(pair), (Label.IMPOSSIBLE, Label.HARD_POSITIVE)[side ^ flip], twins=True)


def twin_index_of(arguments: DrawArguments, family: str, version: str, index: int) -> int | None:
    """Index of the minimal-edit partner in a packet family; None where the draw has none."""
    if not place_of(arguments, family, version, index).twins:
        return None
    return index_of(arguments, family, version, position_of(arguments, family, version, index) ^ 1)


def position_of(arguments: DrawArguments, family: str, version: str, index: int) -> int:
    """Where the task of an index stands in the paired order, where 2k and 2k + 1 are twins."""
    if arguments.order != "shuffled":
        return index
    return shuffled(arguments.stream_text(family, version, 0), index)


def index_of(arguments: DrawArguments, family: str, version: str, position: int) -> int:
    """The index whose task stands at this place of the paired order."""
    if arguments.order != "shuffled":
        return position
    block, offset = divmod(position, SHUFFLE_BLOCK)
    return block * SHUFFLE_BLOCK + _block_order(arguments.stream_text(family, version, 0), block).index(offset)


def shuffled(text: str, index: int) -> int:
    """The index moved within its block of 256, by a permutation that the text seeds."""
    block, offset = divmod(index, SHUFFLE_BLOCK)
    return block * SHUFFLE_BLOCK + _block_order(text, block)[offset]


@lru_cache(maxsize=64)
def _block_order(text: str, block: int) -> tuple[int, ...]:
    """A seeded permutation of one block (Fisher-Yates)."""
    rng = stream(f"{text}#order/{block}")
    places = list(range(SHUFFLE_BLOCK))
    for last in range(SHUFFLE_BLOCK - 1, 0, -1):
        other = rng.randrange(last + 1)
        places[last], places[other] = places[other], places[last]
    return tuple(places)


def _pair_key(pair: int) -> str:
    return f"pair-{pair}"
