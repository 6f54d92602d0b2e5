"""Reference policies for answer tasks: from the prompt string to a reply. The grader judges them all.

`careful` and `eager` solve the packet exactly, the others look at its surface. What cannot be read gets UNSURE.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from impossible_rubrics_env.reference_policies import packet_guessing as guessing
from impossible_rubrics_env.reference_policies.packet_model import Document, Packet
from impossible_rubrics_env.reference_policies.packet_reading import read_packet
from impossible_rubrics_env.reference_policies.packet_solving import Refusal, Solution, Value, solve

Policy = Callable[[str], str]
"""A function from the prompt to the reply."""
Guesser = Callable[[str, bool], str]
"""A function from the prompt, and whether the task is impossible, to the reply."""
CUES = ("withdraw", "retract", "under review", "not reported", "supersede", "not settled", "set aside", "rescind")


def never(_prompt: str) -> str:
    """Refuses everything: the second document, it says, withdraws the first."""
    return _refusal(Refusal("counterevidence_trap", ["D2", "D1"]))


def always(prompt: str) -> str:
    """Answers everything by the shallow reading: the first figure stated of the asked name, YES, all entries ..."""
    return _read_then(prompt, lambda packet: _answer(guessing.shallow_answer(packet)))


def naive(prompt: str) -> str:
    """As always, but takes a cue word in a document that names the asked subject as a sign that there is no answer."""

    def reply(packet: Packet) -> str:
        asked = {packet.question.quantity.subject, *(one.subject for one in packet.question.plan.values())} - {""}
        cued = next(((one, place) for place, one in enumerate(packet.documents) if _cued(one, asked)), None)
        if cued is None:
            return _answer(guessing.shallow_answer(packet))
        document, place = cued
        return _refusal(Refusal("counterevidence_trap", [document.id, packet.documents[place - 1].id]))

    return _read_then(prompt, reply)


def careful(prompt: str) -> str:
    """Answers what the packet settles, and refuses the rest with a proof: always right."""

    def reply(solution: Solution) -> str:
        return _answer(solution.answer) if solution.refusal is None else _refusal(solution.refusal)

    return _read_then(prompt, lambda packet: reply(solve(packet)))


def eager(prompt: str) -> str:
    """As careful where there is an answer, but never refuses: it names the nearest definite answer."""
    return _read_then(prompt, lambda packet: _answer(solve(packet).answer))


def _told(strategy: Callable[[Packet], Refusal | None]) -> Guesser:
    def guess(prompt: str, impossible: bool) -> str:
        def reply(packet: Packet) -> str:
            if not impossible:
                return _answer(guessing.shallow_answer(packet))
            refusal = strategy(packet)
            return _UNSURE if refusal is None else _refusal(refusal)

        return _read_then(prompt, reply)

    return guess


BASELINES: Mapping[str, Policy] = {
    "never": never,
    "always": always,
    "naive": naive,
    "eager": eager,
    "careful": careful,
}
"""The players of the sweep table, worst to best."""
GUESSERS: Mapping[str, Guesser] = {name: _told(strategy) for name, strategy in guessing.STRATEGIES.items()}
"""Players that are told whether a task is impossible, and guess the witness without solving."""
guesser: Guesser = GUESSERS["mixed"]
"""The one that chooses the obstruction by the question and the cues."""
POLICIES: Mapping[str, Policy] = BASELINES


def _read_then(prompt: str, reply: Callable[[Packet], str]) -> str:
    try:
        return reply(read_packet(prompt))
    except ValueError:
        return _UNSURE


def _cued(document: Document, asked: set[str]) -> bool:
    text = " ".join(sentence.text.lower() for sentence in document.sentences)
    return any(name in text for name in asked) and any(cue in text for cue in CUES)


def _answer(value: Value) -> str:
    return _block({"verdict": "ANSWER", "value": value}, "The documents give this.")


def _refusal(refusal: Refusal) -> str:
    answer = {"verdict": "IMPOSSIBLE", "obstruction": refusal.obstruction, "witness": refusal.witness}
    return _block(answer, "No answer can be right.")


def _block(answer: Mapping[str, Any], why: str) -> str:
    return f"{why}\n<answer>{json.dumps(answer)}</answer>"


_UNSURE = _block({"verdict": "UNSURE"}, "I cannot tell.")
