"""Reasoning efforts: one word for all models of providers, and others for some of them.

What comes in are options such as `low` and `openai:a=high`; what goes out is the word that a model is sent, or None.
"""

from collections.abc import Iterable, Mapping, Sequence

from impossible_rubrics_env.chain.calls import EFFORT, Model
from impossible_rubrics_env.errors import ArgumentError

ALL = "*"
NONE = "none"
"""Leaves the effort to the provider: for models that have none."""

Efforts = Mapping[str, str | None]
"""By model as text, or ALL for those that are not named."""


def read_efforts(options: Sequence[str], models: Iterable[Model]) -> Efforts:
    """Read `WORD` and `MODEL=WORD`. Raises ArgumentError on anything else, and on a model that is not asked.

    >>> read_efforts(["low", "openai:a=none"], [Model.parse("openai:a"), Model.parse("openai:b")])
    {'*': 'low', 'openai:a': None}
    """
    names = {str(model) for model in models if model.provider.paid}
    found: dict[str, str | None] = {}
    for option in options:
        name, equals, word = option.rpartition("=")
        name = name if equals else ALL
        if not EFFORT.fullmatch(word):
            raise ArgumentError(f"--effort={option[:200]!a} is neither WORD nor MODEL=WORD, with a word such as low")
        if name != ALL and name not in names:
            raise ArgumentError(f"--effort={option[:200]!a}: there is no such model here; there are {sorted(names)}")
        if name in found:
            raise ArgumentError(f"--effort={option[:200]!a}: given twice")
        found[name] = None if word == NONE else word
    return found


def effort_of(efforts: Efforts, model: Model) -> str | None:
    """What a model is sent; nothing to a policy."""
    if not model.provider.paid:
        return None
    return efforts.get(str(model), efforts.get(ALL))
