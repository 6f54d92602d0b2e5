"""Run inside an environment that `prime env install` filled: loads the v1 taskset by its id and grades a reply."""

import asyncio
import itertools
import json
import sys
from importlib.metadata import version

import impossible_rubrics_env as ire


def main() -> None:
    import impossible_rubrics_endless
    import verifiers.v1 as vf

    config = vf.resolve_env_config({"taskset": {"id": "impossible-rubrics-env", "num_tasks": 4}})
    tasks = list(itertools.islice(ire.ImpossibleRubricsTaskset(config.taskset).load(), 4))
    task = ire.Task.from_json(tasks[0].data.spec)
    rewards = [ire.grade(task, answer["reply"]).reward for answer in task.answers]
    printed = {
        "verifiers": version("verifiers"),
        "env": type(config).__module__,
        "valid": [asyncio.run(task.validate()) for task in tasks],
        "rewards": sorted(set(rewards)),
        "endless": impossible_rubrics_endless.EndlessRubricsTaskset.INFINITE,
    }
    sys.stdout.write(json.dumps(printed))


if __name__ == "__main__":
    main()
