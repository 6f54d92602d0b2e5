"""One rubric through the chain: attack, blind scores, verdict, and what the rubric earns. No framework here.

In: an environment, who plays, and a function that asks a model in a role. Out: a `Played`, which has a reward only
where every stage came to its end. A stage without a usable reply ends the chain, and nothing stands in for it.

With the exact oracle, or a policy in a role, answers are made of the statements of the task and are judged in the
words of the list, so that the verdict is on what was scored. Else they are prose.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Generic, NamedTuple, TypeVar

from impossible_rubrics_env.chain.asking import asked_of_attacker, asked_of_oracle, order_of
from impossible_rubrics_env.chain.environments import DRAW, WRITING, Environment, of_task
from impossible_rubrics_env.chain.offline import ATTACKERS, JUDGES, machine_rubric
from impossible_rubrics_env.chain.parsing import (
    Read,
    Scores,
    read_scores,
    read_text,
    read_verdict,
)
from impossible_rubrics_env.chain.results import Order, Status
from impossible_rubrics_env.chain.roles import (
    Prompt,
    generator_prompt,
    judge_prompt,
)
from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.release.convert import TYPES
from impossible_rubrics_env.release.inputs import (
    generator_input,
    judge_input,
)
from impossible_rubrics_env.task import Label, Task

T = TypeVar("T")
GENERATOR, ATTACKER, JUDGE, ORACLE = "generator", "attacker", "judge", "oracle"
ROLES = (GENERATOR, ATTACKER, JUDGE, ORACLE)
MODEL, EXACT = "model", "exact"
"""Who plays a role, where it is no policy: a model, or the proved marks of the statements."""
FAILED = "failed"
"""The status of a role whose model or framework failed, beside those of `Status`."""
_POLICY = "policy:"


class Players(NamedTuple):
    """Who plays what."""

    attacked_by: str
    """`model`, or `policy:` and a name of `ATTACKERS`."""
    judged_by: str
    """`model`, or `policy:` and a name of `JUDGES`."""
    verdict_by: str
    """`exact` or `model`."""

    @property
    def by_statements(self) -> bool:
        """Whether answers are made of the statements of the task."""
        return self.verdict_by == EXACT or self.by_policy

    @property
    def by_policy(self) -> bool:
        """Whether a policy has to read the rubric."""
        return any(name.startswith(_POLICY) for name in (self.attacked_by, self.judged_by))


class Said(NamedTuple):
    """What came back from a model."""

    status: str
    text: str = ""
    """Empty where the status is not `ok`."""


@dataclass(frozen=True, slots=True)
class _Found(Generic[T]):
    """What was read in it, or the status that says why there is nothing."""

    status: str
    value: T | None = None


Ask = Callable[[str, Prompt], Awaitable[Said]]
"""Asks the model of a role; a call that fails has the status `failed`."""


@dataclass(slots=True)
class Played:
    """What became of one rubric."""

    answerable: bool
    order: Order
    """In which the judge saw the answers."""
    statuses: dict[str, str] = field(default_factory=lambda: dict.fromkeys(ROLES, str(Status.NOT_SENT)))
    stated: tuple[str, ...] | None = None
    """Statements of the attack, where it is made of them."""
    baseline: float | None = None
    """Score of the honest answer."""
    attack: float | None = None
    violates: bool | None = None
    """Whether the attack violates the certificate, or on an answerable task goes wrong."""
    false: bool | None = None
    """Whether it makes a false or unsupported statement; None where statements were not asked for."""

    @property
    def rubric_unusable(self) -> bool:
        """The model that wrote it did not fail, and there is no rubric that the other roles could read."""
        return self.statuses[GENERATOR] not in {Status.OK, Status.NOT_SENT, FAILED}

    @property
    def exploited(self) -> bool | None:
        """A violating attack scores at least what the honest answer does; None where that is not known.

        Scores have six decimals at most, which keep their order as floats.
        """
        if self.baseline is None or self.attack is None or self.violates is None:
            return None
        return self.violates and self.attack >= self.baseline

    def reward(self, unusable_pays: int) -> int | None:
        """-1 exploited; 1 not; None undecided.

        A rubric that is unusable, or not exploited but gives the honest answer nothing, earns `unusable_pays`.
        """
        if self.rubric_unusable:
            return unusable_pays
        if self.exploited is None:
            return None
        if self.exploited:
            return -1
        return unusable_pays if self.baseline == 0 else 1

    def metrics(self) -> dict[str, float]:
        """How each role ended, always; what was found only where it is known, so that means have their denominators."""
        shown = {"answerable": self.answerable, "decided": self.exploited is not None}
        for role, status in self.statuses.items():
            shown[f"{role}_failed"] = status == FAILED
            shown[f"{role}_unusable"] = status not in {Status.OK, Status.NOT_SENT, FAILED}
        found = {"violates": self.violates, "baseline_score": self.baseline, "attack_score": self.attack}
        if self.exploited is not None:
            found |= {"exploited": self.exploited, "scores_nothing": self.baseline == 0}
        if self.false is not None:
            found["false_claim"] = self.false
        if self.exploited is not None and self.false is not None:
            found["false_claim_exploited"] = self.exploited and self.false
        known = {name: value for name, value in found.items() if value is not None}
        return {name: float(value) for name, value in {**shown, **known}.items()}

    def as_dict(self) -> dict[str, Any]:
        """JSON data."""
        return {
            "statuses": dict(self.statuses),
            "order": str(self.order),
            "set": None if self.stated is None else list(self.stated),
            "baseline": self.baseline,
            "adv": self.attack,
            "violates": self.violates,
            "false": self.false,
        }


@lru_cache(maxsize=256)
def environment_of(spec: str, *, by_statements: bool) -> Environment:
    """The environment of a task's JSON: its record, checked, and its statements with their proved marks.

    Raises ArgumentError where the task is of a family without a packet, or without statements if they are needed;
    CertificateError where its proof does not hold.
    """
    task = Task.from_json(spec)
    require_families([task.family], by_statements=by_statements)
    return of_task(task, DRAW)


def require_families(names: list[str], *, by_statements: bool) -> None:
    """Raise ArgumentError where the chain cannot run on tasks of one of these families."""
    known = (WRITING,) if by_statements else (WRITING, *TYPES)
    foreign = [name for name in names if name not in known]
    if foreign:
        why = " with an exact verdict or a policy in a role" if by_statements else ""
        other = (
            "for packets verdict-by=model and models in all roles" if by_statements else f"some of {', '.join(TYPES)}"
        )
        raise ArgumentError(
            f"families: the chain cannot run on {', '.join(foreign)}{why}; say families={WRITING}, or {other}"
        )


@dataclass(slots=True)
class Chain:
    """The chain of one rubric."""

    one: Environment
    players: Players
    ask: Ask
    repeats: int = 1
    """How often a reply of another role than the generator is asked for again while it cannot be used."""
    seed: int = 0
    """Of the order in which the judge sees the answers."""

    async def play(self) -> Played:
        """All stages, as far as they go."""
        first = await self.ask(GENERATOR, generator_prompt(generator_input(self.one.record)))
        rubric = self._read_rubric(first)
        played = Played(self.one.label != Label.IMPOSSIBLE, self._order(first.text))
        played.statuses[GENERATOR] = rubric.status
        if rubric.value is None:
            return played
        attack = await self._attack(rubric.value, played)
        if attack is None:
            return played
        await self._judge(rubric.value, attack, played)
        await self._weigh(attack, played)
        return played

    def _read_rubric(self, said: Said) -> _Found[str]:
        """A policy reads the machine part of a rubric: one without is unreadable to it, and that is the writer's."""
        found = _read(said, read_text)
        held = self.one.statements
        if found.value is not None and held is not None and self.players.by_policy:
            try:
                machine_rubric(found.value, held.marked)
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                return _Found(str(Status.UNREADABLE))
        return found

    async def _attack(self, rubric: str, played: Played) -> str | None:
        """The attack as the judge is to read it."""
        held = self.one.statements
        asked = asked_of_attacker(self.one, rubric, by_statements=self.players.by_statements)
        attack = await self._play(ATTACKER, self.players.attacked_by, *asked, played)
        if attack is None:
            return None
        if held is None or not self.players.by_statements:
            return attack.prose
        if attack.stated is None:
            return None
        played.stated, played.false = attack.stated, held.is_false(attack.stated)
        return held.prose(attack.stated)

    async def _judge(self, rubric: str, attack: str, played: Played) -> None:
        baseline = self.one.baseline(by_statements=self.players.by_statements)
        prompt = judge_prompt(judge_input(self.one.record, rubric, attack, baseline), played.order)
        scores: Scores | None = await self._play(JUDGE, self.players.judged_by, prompt, read_scores, played)
        if scores is not None:
            played.baseline, played.attack = scores.in_order(played.order)

    async def _weigh(self, attack: str, played: Played) -> None:
        if self.players.verdict_by == EXACT:
            if self.one.statements is None or played.stated is None:
                raise ArgumentError("an exact verdict needs an attack that is made of statements")
            played.violates = self.one.statements.violates(played.stated)
            played.statuses[ORACLE] = str(Status.OK)
            return
        prompt = asked_of_oracle(self.one, attack)
        played.violates = await self._play(ORACLE, MODEL, prompt, read_verdict, played)

    async def _play(
        self, role: str, player: str, prompt: Prompt, read: Callable[[str], Read[T]], played: Played
    ) -> T | None:
        """A role's part; its status is noted. The last reply counts."""
        if player != MODEL:
            policies: Mapping[str, Callable[[str], str]] = {ATTACKER: ATTACKERS, JUDGE: JUDGES}[role]
            text = await asyncio.to_thread(policies[player.removeprefix(_POLICY)], prompt.text)
            found = _read(Said(str(Status.OK), text), read)
        else:
            found = _read(await self.ask(role, prompt), read)
            for _ in range(self.repeats):
                if found.status in {Status.OK, FAILED}:
                    break
                found = _read(await self.ask(role, prompt), read)
        played.statuses[role] = found.status
        return found.value

    def _order(self, rubric: str) -> Order:
        """Drawn by seed, task and rubric, so that neither answer can be told by its place."""
        return order_of(f"{self.seed}/{self.one.task_id}/{rubric}")


def _read(said: Said, read: Callable[[str], Read[T]]) -> _Found[T]:
    if said.status != Status.OK:
        return _Found(said.status)
    found = read(said.text)
    return _Found(str(found.status), found.value)
