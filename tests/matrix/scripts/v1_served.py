"""Run inside an environment with verifiers v1: `v1_served.py URL COUNT`.

Serves the taskset from worker processes, runs rollouts through the Python client, then kills the workers and asks
once more, for a bounded time. Prints one line of JSON.
"""

import asyncio
import json
import multiprocessing
import os
import signal
import sys
from pathlib import Path
from typing import Any

import verifiers.v1 as vf
from verifiers.v1.clients import EvalClientConfig
from verifiers.v1.serve import EnvClient, serve_env
from verifiers.v1.serve.pool import env_config_data

ID = "impossible-rubrics-env"
PATIENCE = 10.0
"""Seconds to wait for an answer after the workers are gone."""
EPISODES = hasattr(vf, "SingleAgentEnv")
"""Whether a request carries the task and a reply is an episode (0.3 and later)."""


def config_of(count: int) -> Any:
    data = {"taskset": {"id": ID, "num_tasks": count}}
    return vf.resolve_env_config(data) if EPISODES else vf.EnvServerConfig.model_validate(data)


def serve(queue: Any, data: dict[str, Any]) -> None:
    serve_env(max_workers=2, elastic=False, address="tcp://127.0.0.1:0", address_queue=queue, config_data=data)


async def ask(client: Any, model: Any, task: Any) -> dict[str, Any]:
    """One rollout, as its trace's numbers."""
    sampling = vf.SamplingConfig()
    if EPISODES:
        (trace,) = (await client.run(model, "stub", sampling, task.data.model_dump(mode="json"))).traces
    else:
        trace = await client.run_rollout(task.data.idx, model, "stub", sampling)
    return {"id": task.data.name, "reward": trace.reward, "metrics": trace.metrics, "failed": bool(trace.errors)}


def workers(pid: int) -> list[int]:
    """The worker processes of the server."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        parent = int(stat.read_text().rpartition(")")[2].split()[1])
        if parent == pid and b"spawn_main" in (stat.parent / "cmdline").read_bytes():
            found.append(int(stat.parent.name))
    return found


async def talk(address: str, url: str, tasks: list[Any], server: int) -> dict[str, Any]:
    client = EnvClient(address)
    model = EvalClientConfig(base_url=url, api_key_var="OPENAI_API_KEY")
    await client.wait_for_server_startup(timeout=90)
    rows = await asyncio.wait_for(asyncio.gather(*(ask(client, model, task) for task in tasks)), 90)
    killed = workers(server)
    for pid in killed:
        os.kill(pid, signal.SIGKILL)
    try:
        after = await asyncio.wait_for(ask(client, model, tasks[0]), PATIENCE)
    except TimeoutError:
        after = "no answer"
    except Exception as error:  # noqa: BLE001 - its kind is the result
        after = type(error).__name__
    await client.close()
    return {"rows": rows, "killed": len(killed), "after": after}


def main() -> None:
    url, count = sys.argv[1], int(sys.argv[2])
    config = config_of(count)
    data = config.model_dump(mode="json") if EPISODES else env_config_data(config)
    from impossible_rubrics_env import ImpossibleRubricsTaskset

    tasks = list(ImpossibleRubricsTaskset(config.taskset).load())
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    server = context.Process(target=serve, args=(queue, data))
    server.start()
    try:
        sys.stdout.write(json.dumps(asyncio.run(talk(queue.get(timeout=90), url, tasks, server.pid or 0))))
    finally:
        server.terminate()
        server.join(20)
        server.kill()


if __name__ == "__main__":
    main()
