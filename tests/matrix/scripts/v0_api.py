"""Run inside an environment with a verifiers that has v0: `v0_api.py URL COUNT RESULTS ODD`.

Evaluates through the Python API and writes the rows to RESULTS; scores the completions in ODD, in threads and in a
burst; tries wrong arguments; and times the load. Prints one line of JSON.
"""

import asyncio
import json
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import verifiers as vf
from verifiers.types import AssistantMessage, ClientConfig, SystemMessage, UserMessage

ID = "impossible-rubrics-env"
MESSAGES = {"assistant": AssistantMessage, "system": SystemMessage, "user": UserMessage}


def evaluate(env: Any, url: str, count: int) -> list[dict[str, Any]]:
    config = ClientConfig(api_key_var="OPENAI_API_KEY", api_base_url=url)
    results = asyncio.run(env.evaluate(config, model="stub", num_examples=count, rollouts_per_example=1))
    return list(results["outputs"])


def plain(item: Any) -> Any:
    """Message objects as dicts; anything else that JSON does not know as text."""
    return item.model_dump() if hasattr(item, "model_dump") else str(item)


def completion(case: dict[str, Any]) -> Any:
    """Message objects, as the framework makes them; a message whose text is None keeps it."""
    return [MESSAGES[message["role"]](**message) for message in case["completion"]]


async def score(env: Any, case: dict[str, Any], **more: Any) -> dict[str, float]:
    spec = case["spec"]
    prompt = [UserMessage(role="user", content="question")]
    state = vf.State(input={"prompt": prompt, "info": {"spec": spec}, "example_id": 0, "answer": ""})
    state.update(prompt=prompt, completion=completion(case), trajectory=[], error=None, is_truncated=False)
    state.update(more)
    await env.rubric.score_rollout(state)
    return {"reward": state["reward"], **state["metrics"]}


async def score_all(env: Any, cases: list[dict[str, Any]]) -> list[dict[str, float]]:
    return list(await asyncio.gather(*(score(env, case) for case in cases)))


def refused(**arguments: Any) -> str:
    try:
        vf.load_environment(ID, **arguments)
    except Exception as error:  # noqa: BLE001 - its text is the result
        return f"{type(error).__name__}: {error}"
    return "accepted"


def load_times(count: int) -> dict[str, float]:
    """Seconds of processor time in our code to import, gate and make the rows, and to load and build them in all."""
    start = time.process_time()
    from impossible_rubrics_env.bindings.draw import open_draw
    from impossible_rubrics_env.bindings.verifiers_v0 import row_of

    imported = time.process_time()
    draw = open_draw(seed=1)
    gated = time.process_time()
    rows = [row_of(task) for task in draw.tasks(count)]
    made = time.process_time()
    env = vf.load_environment(ID, num_train=count, seed=2)
    assert len(env.dataset_source()) == len(rows) == count
    whole = time.process_time() - made
    return {"import": imported - start, "gate": gated - imported, "rows": made - gated, "whole": whole}


def main() -> None:
    url, count, results, odd = sys.argv[1:]
    times = load_times(2000)
    env = vf.load_environment(ID, num_train=int(count), num_eval=int(count), split="eval", eval_split="train")
    outputs = evaluate(env, url, int(count))
    Path(results).write_text("".join(json.dumps(row, default=plain) + "\n" for row in outputs))
    cases = json.loads(Path(odd).read_text())
    with ThreadPoolExecutor(max_workers=2) as pool:
        threaded = pool.submit(lambda: (threading.current_thread().name, asyncio.run(score_all(env, cases)))).result()
    burst = asyncio.run(score_all(env, [cases[0]] * 2000))
    rows = env.get_dataset()
    printed = {
        "odd": asyncio.run(score_all(env, cases)),
        "threaded": threaded[1],
        "thread": threaded[0],
        "burst": sorted({row["reward"] for row in burst}),
        "burst_count": len(burst),
        "failed": asyncio.run(score(env, cases[0], error=RuntimeError("down"))),
        "empty": asyncio.run(score(env, {**cases[0], "completion": []})),
        "truncated": asyncio.run(score(env, cases[0], is_truncated=True)),
        "columns": {name: type(value).__name__ for name, value in rows[0].items()},
        "roles": [message["role"] for message in rows[0]["prompt"]],
        "typo": refused(num_trian=5),
        "same_split": refused(split="eval"),
        "bad_value": refused(penalty=0.5),
        "times": times,
    }
    sys.stdout.write(json.dumps(printed))


if __name__ == "__main__":
    main()
