"""Which rubrics of a run are generic: could have been written without reading the packet.

A rubric with a machine part tells by its conditions. Prose of a model tells by the other rubrics of the same generator:
it is generic where each environment of the run has one with the same text, blanks apart. One environment alone tells
nothing.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from impossible_rubrics_env.chain.offline import is_generic
from impossible_rubrics_env.chain.stages import Row


def tell_generic(rows: Iterable[Row], rubrics: Mapping[str, str]) -> None:
    """Set `rubric_generic` of all rows of a run; `rubrics` has the texts by `rubric_hash`."""
    written = [row for row in rows if row["rubric_hash"] is not None]
    machine = {name: is_generic(text) for name, text in rubrics.items()}
    texts = {name: " ".join(text.split()) for name, text in rubrics.items()}
    environments: dict[str, set[str]] = defaultdict(set)
    repeated: dict[tuple[str, str], set[str]] = defaultdict(set)
    for row in written:
        environments[row["generator"]].add(row["task_id"])
        repeated[row["generator"], texts[row["rubric_hash"]]].add(row["task_id"])
    for row in written:
        name, generator = row["rubric_hash"], row["generator"]
        everywhere = environments[generator]
        told = machine[name]
        if told is None and len(everywhere) > 1:
            told = repeated[generator, texts[name]] == everywhere
        row["rubric_generic"] = told
