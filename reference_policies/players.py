"""The reference policies of every role under one name each: the prompt itself says which one is asked.

The policies for packets, for attacks on a rubric and for writing one are loaded with the first prompt of their kind.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from impossible_rubrics_env.reference_policies import policies
from impossible_rubrics_env.reference_policies.policies import Policy

Guesser = Callable[[str, bool], str]
"""From the prompt, and whether the task is impossible, to the reply."""
_PACKAGE = "impossible_rubrics_env.reference_policies"
_MODULES = (
    ("\n\nRubric, one criterion a line\n", "rubric_policies"),
    ('{"rubric": RUBRIC}', "rubric_writers"),
    ("\n\nStatements\n", "statement_answers"),
    ("\n\nReading rules\n", "answer_policies"),
)
"""Lines that all prompts of a kind have, and no prompts but those of the kinds before it; and who plays them."""
_RUBRIC_WRITERS = ("refusing", "decisive", "cautious", "one_sided", "literal", "detailed", "partial", "careful")


def _by_prompt(name: str, attack: Policy) -> Policy:
    def play(prompt: str) -> str:
        for line, module in _MODULES:
            if line in prompt:
                policy: Policy = _module(module).BASELINES[name]
                return policy(prompt)
        return attack(prompt)

    return play


def _rubric_attacker(name: str) -> Policy:
    def play(prompt: str) -> str:
        policy: Policy = _module("rubric_policies").GUESSERS[name]
        return policy(prompt)

    return play


def _writer(name: str) -> Policy:
    def play(prompt: str) -> str:
        policy: Policy = _module("rubric_writers").WRITERS[name]
        return policy(prompt)

    return play


def _guesser(prompt: str, impossible: bool) -> str:
    guess: Guesser = _module("answer_policies").guesser
    return guess(prompt, impossible)


def _module(name: str) -> Any:
    return import_module(f"{_PACKAGE}.{name}")


BASELINES: Mapping[str, Policy] = {name: _by_prompt(name, attack) for name, attack in policies.BASELINES.items()}
"""The players of the sweep table, worst to best."""
BLIND = policies.BLIND
ATTACK_ONLY: Mapping[str, Policy] = policies.GUESSERS
"""Cheaper guesses at an attack on a grader of numbers."""
RUBRIC_ATTACKERS: Mapping[str, Policy] = {
    name: _rubric_attacker(name) for name in ("trusting", "deducing", "doubting", "contrary", "mixing", "gap")
}
"""Players of attacks on a rubric that read the rubric and the statements, and not the documents."""
WRITERS: Mapping[str, Policy] = {name: _writer(name) for name in _RUBRIC_WRITERS}
"""Writers of rubrics, from bad to perfect."""
POLICIES: Mapping[str, Policy] = {**BASELINES, **ATTACK_ONLY, **RUBRIC_ATTACKERS}
ONLY_PLAYS: Mapping[str, str] = {
    **dict.fromkeys(ATTACK_ONLY, "certified_interval"),
    **dict.fromkeys(RUBRIC_ATTACKERS, "rubric_attack"),
}
"""The one family that some players play; all others play every family."""
TOLD: Mapping[str, Guesser] = {"guesser": _guesser}
"""Players of packets that are told which of them are impossible, and have only the witness to guess."""
