"""The chain as a multi-agent environment of `verifiers` 0.3 and later: the rubric's writer is trained, no one else.

The seed task gives question, documents and statements; every role gets a task of its own that has its prompt and no
reward. What a rubric earned and why stands on the writer's trace: the reward `outcome`, metrics, and `info["chain"]`.
"""

import asyncio
from typing import Any, Literal, Self

import verifiers.v1 as vf
from impossible_rubrics_chain.playing import (
    ATTACKER,
    FAILED,
    GENERATOR,
    JUDGE,
    ORACLE,
    Chain,
    Players,
    Said,
    environment_of,
    require_families,
)
from pydantic import Field, model_validator

from impossible_rubrics_env.bindings.verifiers_v1 import DrawConfig
from impossible_rubrics_env.chain.results import Status
from impossible_rubrics_env.chain.roles import Prompt
from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.taskgen.registry import family_weights

INFO = "chain"
"""Where the trace's `info` has what was found."""


class UndecidedError(Exception):
    """A role other than the writer gave no usable reply, so that the rubric has no reward."""


class RoleTask(vf.Task[vf.TaskData]):
    """What one role is asked. It scores nothing by itself."""

    @property
    def key(self) -> str:
        """Seed task and role: the same under every version."""
        return str(self.data.name)


class ChainConfig(vf.EnvConfig):
    """Who plays which role. Models and clients of the roles are set as `--env.attacker.model` and the like."""

    generator: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())
    """The trained one."""
    attacker: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())
    judge: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())
    oracle: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())
    attacked_by: Literal["model", "policy:best", "policy:shallow"] = "model"
    judged_by: Literal["model", "policy:literal"] = "model"
    verdict_by: Literal["exact", "model"] = "exact"
    """`exact`: by the proved marks of the statements that the attacker names."""
    unusable_pays: int = Field(0, ge=-1, le=0)
    """For a rubric that is cut off, empty or unreadable, or is not exploited but gives the honest answer nothing."""
    repeats: int = Field(1, ge=0, le=10)
    """How often a reply of attacker, judge or oracle is asked for again while it cannot be used."""
    order_seed: int = 0
    """Of the order in which the judge sees the answers."""

    @property
    def players(self) -> Players:
        """Who plays what."""
        return Players(self.attacked_by, self.judged_by, self.verdict_by)

    @model_validator(mode="after")
    def _can_run_on_the_taskset(self) -> Self:
        """Refuse others here: of an environment that does not load, the server of 0.3 tells its client nothing.

        The command lines make this config first from the ids alone, before they know the arguments of the taskset.
        """
        if "taskset" not in self.model_fields_set:
            return self
        if isinstance(self.taskset, DrawConfig):
            require_families(list(family_weights(self.taskset.families)), by_statements=self.players.by_statements)
        elif self.taskset.id:
            raise ArgumentError("impossible-rubrics-chain runs on impossible-rubrics-env or impossible-rubrics-endless")
        return self


class ImpossibleRubricsChainEnv(vf.Env[ChainConfig]):
    """A rubric is written, attacked, scored by and weighed."""

    async def setup(self, agents: vf.Agents) -> None:
        """Only the writer of the rubric is trained."""
        for agent in (agents.attacker, agents.judge, agents.oracle):
            agent.trainable = False

    async def run(self, task: vf.Task, agents: vf.Agents) -> None:
        """One rubric through the chain."""
        config = self.config
        by_statements = config.players.by_statements
        one = await asyncio.to_thread(environment_of, task.data.spec, by_statements=by_statements)
        seats = {GENERATOR: agents.generator, ATTACKER: agents.attacker, JUDGE: agents.judge, ORACLE: agents.oracle}
        first: Any = None

        async def ask(role: str, prompt: Prompt) -> Said:
            nonlocal first
            name = f"{task.data.name}/{role}"
            data = vf.TaskData(idx=task.data.idx, name=name, prompt=prompt.text, system_prompt=prompt.system)
            trace = await seats[role].run(RoleTask(data))
            first = trace if first is None else first
            return _said(trace)

        played = await Chain(one, config.players, ask, config.repeats, config.order_seed).play()
        first.info[INFO] = {**played.as_dict(), "reward": played.reward(config.unusable_pays)}
        first.record_metrics(played.metrics())

    async def finalize(self, task: vf.Task, episode: vf.Episode) -> None:  # noqa: ARG002 - the framework's name
        """Pay the writer. Raises UndecidedError where another role left that open, so that no zero stands in for it."""
        (trace,) = [one for one in episode.traces if one.agent.name == GENERATOR]
        found = trace.info[INFO]
        if found["reward"] is not None:
            trace.record_reward("outcome", found["reward"])
        elif FAILED not in found["statuses"].values():
            ended = ", ".join(f"{role} {status}" for role, status in found["statuses"].items())
            raise UndecidedError(f"no verdict on this rubric: {ended}")


def _said(trace: Any) -> Said:
    """What the last message says, and how it ended."""
    messages = trace.assistant_messages
    if not trace.ok or not messages:
        return Said(FAILED)
    if trace.is_truncated:
        return Said(str(Status.TRUNCATED))
    text = messages[-1].content or ""
    return Said(str(Status.OK), text) if text.strip() else Said(str(Status.EMPTY))
