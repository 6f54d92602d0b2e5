"""What roles are asked about an environment, and in which order a judge sees two answers, whoever runs the chain."""

import hashlib
from collections.abc import Callable

from impossible_rubrics_env.chain.environments import Environment
from impossible_rubrics_env.chain.parsing import Attack, Read, read_attack, read_stated_attack
from impossible_rubrics_env.chain.results import Order
from impossible_rubrics_env.chain.roles import (
    ControlOracleInput,
    Prompt,
    Statement,
    StatementsInput,
    attacker_prompt,
    attacker_statements_prompt,
    oracle_prompt,
)
from impossible_rubrics_env.release.inputs import attacker_input, generator_input, oracle_input
from impossible_rubrics_env.release.records import Kind


def asked_of_attacker(
    one: Environment, rubric: str, *, by_statements: bool
) -> tuple[Prompt, Callable[[str], Read[Attack]]]:
    """The attacker's prompt and the reader of its reply; in prose where the environment has no statements."""
    seen = attacker_input(one.record, rubric)
    if one.statements is None or not by_statements:
        return attacker_prompt(seen), read_attack
    texts = one.statements.texts
    listed = tuple(Statement(name, text) for name, text in texts.items())
    prompt = attacker_statements_prompt(StatementsInput(seen, listed))
    return prompt, lambda text: read_stated_attack(text, list(texts))


def asked_of_oracle(one: Environment, answer: str) -> Prompt:
    """The oracle's prompt: with the certificate of an impossible task, with the ground truth of a control."""
    if one.record.kind is Kind.IMPOSSIBLE:
        return oracle_prompt(oracle_input(one.record, answer))
    public = generator_input(one.record)
    truth = one.record.data["ground_truth"]
    return oracle_prompt(ControlOracleInput(public.question, public.documents, truth, answer))


def order_of(text: str) -> Order:
    """The order in which the judge sees the answers, drawn by a text: the same for the same text."""
    return list(Order)[hashlib.sha256(text.encode()).digest()[0] % 2]
