"""Run inside an environment with sympy, numpy and the wheel: makes, checks and grades tasks."""

import importlib.util
import json
import sys

import impossible_rubrics_env as ire

FRAMEWORKS = ("verifiers", "pydantic", "datasets", "openai", "httpx", "typer")


def main() -> None:
    tasks = list(ire.generate(n=50))
    for task in tasks:
        ire.check(task)
    verdicts = [ire.grade(task, answer["reply"]).verdict for task in tasks for answer in task.answers]
    expected = [answer["expected"]["verdict"] for task in tasks for answer in task.answers]
    printed = {
        "python": f"{sys.version_info[0]}.{sys.version_info[1]}",
        "verdicts": sorted(set(verdicts)),
        "as_expected": verdicts == expected,
        "v1_name": getattr(ire, "ImpossibleRubricsTaskset", None) is not None,
        "frameworks": [name for name in FRAMEWORKS if importlib.util.find_spec(name)],
    }
    try:
        ire.load_environment()
    except ImportError as error:
        printed["load_environment"] = str(error)
    sys.stdout.write(json.dumps(printed))


if __name__ == "__main__":
    main()
