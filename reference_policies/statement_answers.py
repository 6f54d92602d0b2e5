"""Reference policies for answers made of statements: from the prompt string to a reply. The grader judges them all."""

import json
from collections.abc import Callable, Iterable, Mapping

from impossible_rubrics_env.reference_policies.packet_guessing import shallow_answer
from impossible_rubrics_env.reference_policies.statement_judging import judge
from impossible_rubrics_env.reference_policies.statement_reading import Reading, read

Policy = Callable[[str], str]
"""A function from the prompt to the reply."""


def never(prompt: str) -> str:
    """Refuses everything, on the first ground of the list."""
    return _read_then(prompt, lambda reading: [*reading.settled(holds=False), *reading.of_kind("ground")[:1]])


def always(prompt: str) -> str:
    """Gives the first answer of the list."""
    return _read_then(prompt, lambda reading: reading.of_kind("answer")[:1])


def naive(prompt: str) -> str:
    """Gives the answer that a glance at the documents gives, if it is in the list, and every source."""

    def stated(reading: Reading) -> list[str]:
        found = reading.giving(shallow_answer(reading.packet)) or reading.of_kind("answer")[:1]
        return [*found, *reading.of_kind("cites")]

    return _read_then(prompt, stated)


def eager(prompt: str) -> str:
    """As careful where there is an answer, but never refuses."""

    def stated(reading: Reading) -> Iterable[str]:
        marked = judge(reading)
        return marked.baseline if marked.answerable else reading.of_kind("answer")[:1]

    return _read_then(prompt, stated)


def careful(prompt: str) -> str:
    """Says what an honest answer must say, and nothing else: always right."""
    return _read_then(prompt, lambda reading: judge(reading).baseline)


BASELINES: Mapping[str, Policy] = {
    "never": never,
    "always": always,
    "naive": naive,
    "eager": eager,
    "careful": careful,
}
"""The players of the sweep table, worst to best."""


def _read_then(prompt: str, stated: Callable[[Reading], Iterable[str]]) -> str:
    try:
        answer: str | list[str] = list(stated(read(prompt)))
    except ValueError:
        answer = "UNSURE"
    return f"<answer>{json.dumps({'answer': answer})}</answer>"
