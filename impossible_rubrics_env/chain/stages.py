"""The four stages on one environment: rubric, attack, blind scores, verdicts; and the row that they make.

In: an `Environment`, a `Setup`, and a caller, which is the engine, a dry run, or a finished store. Out: rows of
`results.jsonl` as JSON data. Everything but the calls is a function of environment and setup, so the same replies make
the same rows. A stage without a usable reply ends the row: what follows is `not_sent`, and nothing stands in for it.
"""

import asyncio
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Generic, TypeVar
from urllib.parse import quote

from impossible_rubrics_env.chain.asking import asked_of_attacker, asked_of_oracle, order_of
from impossible_rubrics_env.chain.calls import Model, Reply, Request
from impossible_rubrics_env.chain.efforts import Efforts, effort_of
from impossible_rubrics_env.chain.engine import Caller
from impossible_rubrics_env.chain.environments import Environment, digest_of
from impossible_rubrics_env.chain.parsing import (
    STATUS_OF,
    Attack,
    Read,
    Scores,
    read_scores,
    read_text,
    read_verdict,
)
from impossible_rubrics_env.chain.problems import CallError, StoppedError
from impossible_rubrics_env.chain.prose import says_otherwise
from impossible_rubrics_env.chain.results import Order, Status, Variant
from impossible_rubrics_env.chain.roles import (
    Prompt,
    generator_prompt,
    judge_prompt,
)
from impossible_rubrics_env.chain.text_format import format_of
from impossible_rubrics_env.release.inputs import (
    generator_input,
    judge_input,
)
from impossible_rubrics_env.release.records import Kind

T = TypeVar("T")
Row = dict[str, Any]
ROLES = ("generator", "attacker", "judge", "oracle")
_MAX_ID_CHARS = 100
"""Longer ids are shortened in keys."""


class Baseline(StrEnum):
    """Where the honest answer comes from. It is fixed before any attack."""

    RECORD = "record"
    """The record's own, in prose with its grounds."""
    STATEMENTS = "statements"
    """The smallest honest set of statements, in the words of the list: all that a policy can read."""


@dataclass(frozen=True, slots=True)
class Setup:
    """Who plays which role, and how."""

    generators: tuple[Model, ...]
    attackers: tuple[Model, ...]
    judges: tuple[Model, ...]
    oracles: tuple[Model, ...]
    draws: int = 1
    attacks: int = 1
    """How often each attacker attacks a rubric of an impossible environment; on controls it does once."""
    seed: int = 0
    """Of the order in which judges see the answers."""
    variant: Variant = Variant.NEUTRAL
    statements: bool = False
    """Attackers also name the statements that their answer makes."""
    baseline: Baseline = Baseline.RECORD
    """Which honest answer the judge scores beside the attack."""
    repeats: int = 1
    """How often a reply that cannot be used is asked for again."""
    retests: int = 0
    """How often judges and oracles are asked again about the same, to tell their noise."""
    audit: bool = False
    """Oracles are also asked about the honest baseline."""
    max_tokens: int = 8192
    temperature: float | None = None
    efforts: Efforts = field(default_factory=dict)
    """Reasoning efforts of models of providers."""

    def players(self, role: str) -> tuple[Model, ...]:
        """The models of one of ROLES."""
        models: tuple[Model, ...] = getattr(self, f"{role}s")
        return models

    @property
    def models(self) -> list[Model]:
        """All of them, each once."""
        return list(dict.fromkeys(one for role in ROLES for one in self.players(role)))


@dataclass(frozen=True, slots=True)
class Asked(Generic[T]):
    """What came of a role's part."""

    status: Status
    value: T | None = None
    reused: bool = False


_NOT_SENT: Asked[Any] = Asked(Status.NOT_SENT)


@dataclass(slots=True)
class Stages:
    """The stages of one run."""

    caller: Caller
    setup: Setup
    reused: Mapping[str, tuple[str, Reply]] = field(default_factory=dict)
    """By key: hash of the request and reply of another run, used where the request is the same."""
    rubrics: dict[str, str] = field(default_factory=dict)
    """By `rubric_hash`: the text of every rubric that was read."""

    async def rows(self, one: Environment, draw: int, generator: Model) -> list[Row]:
        """The rows of one rubric: one for each attacker, attack and judge."""
        place = f"{key_of(one)}/draw{draw}/{generator}"
        prompt = generator_prompt(generator_input(one.record), self.setup.variant)
        rubric = await self._ask(f"{place}/generator", generator, prompt, read_text)
        if rubric.value is not None:
            self.rubrics[digest_of(rubric.value)] = rubric.value
        numbers = range(self.setup.attacks if one.record.kind is Kind.IMPOSSIBLE else 1)
        chains = [
            self._attacked(one, draw, generator, attacker, number, rubric, place)
            for attacker in self.setup.attackers
            for number in numbers
        ]
        return [row for rows in await asyncio.gather(*chains) for row in rows]

    async def _attacked(
        self,
        one: Environment,
        draw: int,
        generator: Model,
        attacker: Model,
        number: int,
        rubric: Asked[str],
        place: str,
    ) -> list[Row]:
        # The first attack has the keys of a run with one, so that such runs are resumed and reused.
        held = f"{place}/{attacker}/attack{number}" if number else f"{place}/{attacker}"
        attack = await self._attack(one, attacker, rubric, f"{held}/attacker")
        verdicts, audits, *judged = await asyncio.gather(
            self._verdicts(one, attack, held),
            self._audits(one),
            *(self._judged(one, rubric, attack, judge, f"{held}/{judge}") for judge in self.setup.judges),
        )
        common = {**self._common(one, draw, generator, attacker, rubric, attack), "attack": number}
        statuses = {"generator": str(rubric.status), "attacker": str(attack.status)}
        rows = []
        for judge, scored in zip(self.setup.judges, judged, strict=True):
            row = {**common, "judge": str(judge), **scored["fields"]}
            row["violates"] = {name: told[0].value for name, told in verdicts.items()}
            row["statuses"] = {**statuses, **scored["statuses"], **_oracle_statuses(verdicts)}
            row |= _retests(scored["again"], verdicts)
            if audits:
                row["baseline_violates"] = {name: told.value for name, told in audits.items()}
            parts = {"generator": rubric, "attacker": attack, "judge": scored["asked"]}
            row["reused"] = [role for role, asked in parts.items() if asked.reused]
            row["reused"] += ["oracle"] if any(told[0].reused for told in verdicts.values()) else []
            rows.append(row)
        return rows

    def _common(
        self, one: Environment, draw: int, generator: Model, attacker: Model, rubric: Asked[str], attack: Asked[Attack]
    ) -> Row:
        baseline, prose = self._baseline(one), None if attack.value is None else attack.value.prose
        answers = {"baseline": baseline, "attack": prose}
        return {
            "task_id": one.task_id,
            "type": one.type,
            "label": one.label,
            "split": one.split,
            "splits": list(one.splits or [one.split]),
            "generator": str(generator),
            "draw": draw,
            "variant": str(self.setup.variant),
            "attacker": str(attacker),
            "exact": _exact(one, attack.value),
            "lengths": {"baseline": len(baseline), "attack": None if prose is None else len(prose)},
            "format": {name: _format(text) for name, text in answers.items()},
            "rubric_hash": None if rubric.value is None else digest_of(rubric.value),
            "attack_hash": None if prose is None else digest_of(prose),
            "rubric_generic": None,  # all rubrics of a run tell together
            "self_play": generator == attacker,
        }

    async def _attack(self, one: Environment, attacker: Model, rubric: Asked[str], key: str) -> Asked[Attack]:
        if rubric.value is None:
            return _NOT_SENT
        return await self._ask(
            key, attacker, *asked_of_attacker(one, rubric.value, by_statements=self.setup.statements)
        )

    async def _judged(
        self, one: Environment, rubric: Asked[str], attack: Asked[Attack], judge: Model, place: str
    ) -> dict[str, Any]:
        """Fields and statuses of one judge; on a control, the refusing answer is scored too."""
        order = self._order(place)
        attempts = range(1 + self.setup.retests)
        answer = None if attack.value is None else attack.value.prose
        asked, *again = await asyncio.gather(
            *(self._score(one, rubric.value, answer, judge, _numbered(f"{place}/judge", n), order) for n in attempts)
        )
        baseline, adv = _in_order(asked.value, order)
        fields: Row = {"order": str(order), "baseline": baseline, "adv": adv}
        statuses = {"judge": str(asked.status)}
        refusing = one.refusing(by_statements=self.setup.baseline is Baseline.STATEMENTS)
        if refusing is not None:
            over = await self._score(one, rubric.value, refusing, judge, f"{place}/judge_over_refusal", order)
            fields["over_refusal"] = _in_order(over.value, order)[1]
            statuses["judge_over_refusal"] = str(over.status)
        pairs = [_in_order(told.value, order) for told in again]
        return {"fields": fields, "statuses": statuses, "again": pairs, "asked": asked}

    async def _score(
        self, one: Environment, rubric: str | None, answer: str | None, judge: Model, key: str, order: Order
    ) -> Asked[Scores]:
        if rubric is None or answer is None:
            return _NOT_SENT
        seen = judge_input(one.record, rubric, answer, self._baseline(one))
        return await self._ask(key, judge, judge_prompt(seen, order), read_scores)

    async def _verdicts(self, one: Environment, attack: Asked[Attack], place: str) -> dict[str, list[Asked[bool]]]:
        """By oracle: its verdict, and those that it gave when it was asked again."""
        told = {}
        for oracle in self.setup.oracles:
            keys = [_numbered(f"{place}/oracle/{oracle}", number) for number in range(1 + self.setup.retests)]
            if attack.value is None:
                told[str(oracle)] = [_NOT_SENT] * len(keys)
                continue
            prompt = asked_of_oracle(one, attack.value.prose)
            asked = await asyncio.gather(*(self._ask(key, oracle, prompt, read_verdict) for key in keys))
            told[str(oracle)] = list(asked)
        return told

    async def _audits(self, one: Environment) -> dict[str, Asked[bool]]:
        """By oracle: whether it flags the honest baseline. Asked once an environment."""
        told = {}
        for oracle in self.setup.oracles if self.setup.audit else ():
            prompt = asked_of_oracle(one, self._baseline(one))
            told[str(oracle)] = await self._ask(f"{key_of(one)}/baseline/oracle/{oracle}", oracle, prompt, read_verdict)
        return told

    async def _ask(self, key: str, model: Model, prompt: Prompt, read: Callable[[str], Read[T]]) -> Asked[T]:
        """One role's part: repeated, under another key, while the reply cannot be used. The last one counts."""
        setup = self.setup
        effort = effort_of(setup.efforts, model)
        request = Request(model, prompt.system, prompt.text, setup.max_tokens, setup.temperature, effort)
        asked: Asked[T] = _NOT_SENT
        for attempt in range(1 + (setup.repeats if model.provider.paid else 0)):
            name = f"{key}/again{attempt}" if attempt else key
            kept = self.reused.get(name)
            reused = kept is not None and kept[0] == request.hash
            try:
                reply = kept[1] if kept is not None and reused else await self.caller.call(name, request)
            except (StoppedError, CallError):
                return asked if attempt else _NOT_SENT
            asked = _read(reply, read, reused=reused)
            if asked.status is Status.OK:
                break
        return asked

    def _baseline(self, one: Environment) -> str:
        return one.baseline(by_statements=self.setup.baseline is Baseline.STATEMENTS)

    def _order(self, place: str) -> Order:
        """Drawn by seed and place, so that it is the same at a resume."""
        return order_of(f"{self.setup.seed}/{place}")


def key_of(one: Environment) -> str:
    """The environment's part of a key: its id, or of one that is long or has odd characters a name of its own."""
    name = quote(one.task_id, safe="")
    if len(name) <= _MAX_ID_CHARS:
        return name
    return f"{name[:_MAX_ID_CHARS]}~{hashlib.sha256(one.task_id.encode()).hexdigest()[:12]}"


def _numbered(key: str, number: int) -> str:
    return f"{key}/retest{number}" if number else key


def _read(reply: Reply, read: Callable[[str], Read[T]], *, reused: bool) -> Asked[T]:
    status = STATUS_OF[reply.stop]
    if status is not Status.OK:
        return Asked(status, None, reused)
    found = read(reply.text)
    return Asked(found.status, found.value, reused)


def _in_order(scores: Scores | None, order: Order) -> tuple[float | None, float | None]:
    """Of the baseline and the attack."""
    if scores is None:
        return None, None
    baseline, attack = scores.in_order(order)
    return _plain(baseline), _plain(attack)


def _plain(number: float) -> float:
    return int(number) if number.is_integer() else number


def _exact(one: Environment, attack: Attack | None) -> Row | None:
    """What the proved marks say of the statements that the attacker named."""
    if attack is None or attack.stated is None or one.statements is None:
        return None
    held = one.statements
    return {
        "set": list(attack.stated),
        "violates": held.violates(attack.stated),
        "false": held.is_false(attack.stated),
        "mismatch": says_otherwise(attack.prose, held.texts, attack.stated, _read_by_attackers(one)),
    }


def _read_by_attackers(one: Environment) -> str:
    """The question and the documents."""
    seen = generator_input(one.record)
    return "\n".join([seen.question, *(f"{document.doc_id} {document.text}" for document in seen.documents)])


def _oracle_statuses(verdicts: Mapping[str, list[Asked[bool]]]) -> dict[str, str]:
    """Of every oracle; `oracle` is that of the first one that has no verdict."""
    each = {f"oracle:{name}": str(told[0].status) for name, told in verdicts.items()}
    worst = next((status for status in each.values() if status != Status.OK), str(Status.OK))
    return {"oracle": worst, **each}


def _format(text: str | None) -> dict[str, int] | None:
    return None if text is None else format_of(text)._asdict()


def _retests(
    judged: list[tuple[float | None, float | None]], verdicts: Mapping[str, list[Asked[bool]]]
) -> dict[str, Any]:
    if not judged:
        return {}
    return {
        "retests": {
            "judge": [{"baseline": baseline, "adv": adv} for baseline, adv in judged],
            "oracle": {name: [one.value for one in told[1:]] for name, told in verdicts.items()},
        }
    }
