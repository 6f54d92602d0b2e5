"""The taskset for `verifiers` v1 (0.2 to 0.4), with a harness that makes one chat call and, from 0.3, a local env.

Tasks carry their JSON as one string, because integers beyond 64 bits do not survive the framework's wire.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import httpx
import verifiers.v1 as vf

from impossible_rubrics_env.bindings.draw import DEFAULT_FAMILIES, Draw, open_draw, task_count
from impossible_rubrics_env.bindings.signals import failure, judge
from impossible_rubrics_env.task import Task as CoreTask

HAS_LOCAL_ENV = hasattr(vf, "SingleAgentEnv")
"""Whether this verifiers selects environments and takes any iterable from `load` (0.3 and later)."""
_UNREADABLE = "No answer block."


class ImpossibleRubricsData(vf.TaskData):
    """What travels: the framework's own fields and the task as JSON."""

    spec: str
    """`Task.to_json()`; everything that scoring needs."""


class ImpossibleRubricsTask(vf.Task[ImpossibleRubricsData]):
    """One task. It grades a reply once and records every signal on the trace."""

    @property
    def key(self) -> str:
        """The task id: the same under every version, unlike a hash of the framework's fields."""
        return str(self.data.name)

    @vf.reward
    async def outcome(self, trace: Any) -> float:
        """What the last assistant message earns, from its raw text alone."""
        messages = trace.assistant_messages
        if messages:
            judged = judge(self.data.spec, messages[-1].content, truncated=bool(trace.is_truncated))
        else:
            judged = failure()
        trace.record_metrics(judged.signals)
        return judged.reward

    async def validate(self, runtime: Any = None) -> bool:  # noqa: ARG002 - the framework's name
        """Without a model: a right reply earns full marks on the scoring path, and an unreadable one does not."""
        replies = [answer["reply"] for answer in CoreTask.from_json(self.data.spec).answers if _is_right(answer)]
        best = [judge(self.data.spec, reply) for reply in replies]
        unreadable = judge(self.data.spec, _UNREADABLE)
        return (
            bool(best)
            and all(judged.signals["solved"] == 1.0 and judged.reward == 1.0 for judged in best)
            and unreadable.signals["unreadable"] == 1.0
            and unreadable.reward < 1.0
        )


def _is_right(answer: Any) -> bool:
    return bool(answer["expected"]["verdict"] == "SOLVED")


class DrawConfig(vf.TasksetConfig):
    """Which tasks are drawn; names and defaults are those of `impossible_rubrics_env.generate`."""

    families: str = DEFAULT_FAMILIES
    """Names, groups or `name:weight,...`."""
    seed: int = 0
    split: str = "train"
    """`train`, `eval`, or a held-out split; no task is in two."""
    mix: str = "seed"
    rungs: str = ""
    labels: str = ""
    kind: str = "any"
    packet: str = "any"
    paid_by: str = "certificate"
    depth: int = 0
    documents: int = 0
    distractors: int = 0
    digits: int = 0
    max_chars: int = 0
    shape: str = "any"
    record: str = "any"
    source: str = "mixed"
    tau: str | int = ""
    room: str | int = ""
    order: str = "paired"
    scheme: str = "seed"
    penalty: str | int = "1"
    """Exact: an integer, or text such as "1/2"; a float is refused."""
    abstain: bool | None = None
    """Whether UNSURE is offered; unset, in answer families alone."""


class ImpossibleRubricsConfig(DrawConfig):
    """A draw, and how much of it."""

    num_tasks: int = 1000
    """How many tasks, from index 0 on."""


_FRAMEWORK_FIELDS = frozenset(vf.TasksetConfig.model_fields)


def draw_of(config: vf.TasksetConfig) -> Draw:
    """The draw that a config names, validated and gated."""
    own = type(config).model_fields.keys() - _FRAMEWORK_FIELDS - {"num_tasks"}
    return open_draw(**{name: getattr(config, name) for name in own})


def as_tasks(draw: Draw, count: int | None, config: Any) -> Iterator[ImpossibleRubricsTask]:
    """The draw's tasks as the framework's, one at a time."""
    for index, task in enumerate(draw.tasks(count)):
        data = ImpossibleRubricsData(idx=index, name=task.id, prompt=task.prompt, spec=task.to_json())
        yield ImpossibleRubricsTask(data, config)


class ImpossibleRubricsTaskset(vf.Taskset[ImpossibleRubricsTask, ImpossibleRubricsConfig]):
    """A finite draw. Bad arguments and a failing gate stop it from being built."""

    def __init__(self, config: ImpossibleRubricsConfig) -> None:
        super().__init__(config)
        self._draw = draw_of(config)
        self._count = task_count("num_tasks", config.num_tasks)

    def load(self) -> Iterable[ImpossibleRubricsTask]:
        """The tasks: made as they are asked for, and a list where the framework needs one (0.2)."""
        tasks = as_tasks(self._draw, self._count, self.config.task)
        return tasks if HAS_LOCAL_ENV else list(tasks)


class ImpossibleRubricsHarness(vf.Harness[vf.HarnessConfig]):
    """One chat call in this process: no program, no container, no tools. Prompts are strings."""

    APPENDS_SYSTEM_PROMPT = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: Any,
        trace: Any,
        runtime: Any,  # noqa: ARG002 - the call is made from here
        endpoint: str,
        secret: str,
        mcp_urls: Any,  # noqa: ARG002 - the tasks have no tools
        data: Any = None,
        **_: Any,
    ) -> vf.ProgramResult:
        """Post the prompt. A call that fails fails the rollout, and its metrics say so."""
        system, prompt = self.resolve_prompt(trace.task.data if data is None else data)
        messages = [{"role": "system", "content": system}] if system is not None else []
        messages.append({"role": "user", "content": prompt})
        try:
            # The endpoint is the framework's own server: no proxy belongs in between, and it owns the time limits.
            async with httpx.AsyncClient(timeout=None, trust_env=False) as client:  # noqa: S113
                response = await client.post(
                    f"{endpoint}/chat/completions",
                    headers={"Authorization": f"Bearer {secret}"},
                    json={"model": ctx.model, "messages": messages},
                )
                response.raise_for_status()
        except httpx.HTTPError as error:
            trace.record_metrics(failure().signals)
            return vf.ProgramResult(exit_code=1, stdout="", stderr=f"{type(error).__name__}: {error}")
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")


if HAS_LOCAL_ENV:

    class LocalEnvConfig(vf.SingleAgentEnvConfig):
        """The single agent's config, with a runtime on this machine instead of a remote sandbox."""

        agent: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())

    class ImpossibleRubricsEnv(vf.SingleAgentEnv, vf.Env[LocalEnvConfig]):
        """One agent on one task, run here."""
