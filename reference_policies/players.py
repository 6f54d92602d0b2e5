"""The reference policies of every role under one name each: the prompt itself says which one is asked.

The policies for packets are loaded with the first packet.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from impossible_rubrics_env.reference_policies import policies
from impossible_rubrics_env.reference_policies.policies import Policy

Guesser = Callable[[str, bool], str]
"""From the prompt, and whether the task is impossible, to the reply."""
_PACKET = "\n\nReading rules\n"
"""A line that every packet prompt has, and no other."""


def _either(name: str, attack: Policy) -> Policy:
    def play(prompt: str) -> str:
        if _PACKET not in prompt:
            return attack(prompt)
        answer: Policy = _answer_policies().BASELINES[name]
        return answer(prompt)

    return play


def _guesser(prompt: str, impossible: bool) -> str:
    guess: Guesser = _answer_policies().guesser
    return guess(prompt, impossible)


def _answer_policies() -> Any:
    return import_module("impossible_rubrics_env.reference_policies.answer_policies")


BASELINES: Mapping[str, Policy] = {name: _either(name, attack) for name, attack in policies.BASELINES.items()}
"""The players of the sweep table, worst to best."""
BLIND = policies.BLIND
ATTACK_ONLY: Mapping[str, Policy] = policies.GUESSERS
"""Cheaper guesses at an attack."""
POLICIES: Mapping[str, Policy] = {**BASELINES, **ATTACK_ONLY}
TOLD: Mapping[str, Guesser] = {"guesser": _guesser}
"""Players of packets that are told which of them are impossible, and have only the witness to guess."""
