"""Write `tests/data/rollouts/`: one saved row of each kind of reply from each version, for the offline scorer's tests.

Run by hand when a row format or the tasks have changed: `python tests/matrix/save_rollouts.py` in this folder's
environment. Rows are as the versions save them, less paths, hosts, and the second copy of a task in an episode.
"""

import json
import re
import tempfile
from pathlib import Path
from typing import Any

import jobs
import venvs
from loopback import kind_of, serving
from running import TASKS, Matrix

from impossible_rubrics_env import generate
from impossible_rubrics_env.bindings.draw import DEFAULT_FAMILIES

TARGET = venvs.ROOT / "tests" / "data" / "rollouts"
_PATH = re.compile(r"/[^\s\"']*/(?=[0-9a-f]{32})|http://127\.0\.0\.1:\d+")


def trimmed(source: Path) -> str:
    """One row of each kind, in the file's order: the shorter of those there are."""
    index_of = {task.id: index for index, task in enumerate(generate(DEFAULT_FAMILIES, n=TASKS))}
    rows = [json.loads(line) for line in source.read_text().split("\n") if line]
    shortest: dict[str, dict[str, Any]] = {}
    for row in sorted(rows, key=lambda row: len(json.dumps(row))):
        shortest.setdefault(kind_of(index_of[_task_id(row)]), row)
    kept = [_clean(row) for row in rows if any(row is chosen for chosen in shortest.values())]
    return "".join(json.dumps(row, ensure_ascii=True) + "\n" for row in kept)


def _task_id(row: dict[str, Any]) -> str:
    holder = row["info"] if "info" in row and "task" not in row else row["task"]["data"]
    return str(json.loads(holder["spec"])["id"])


def _clean(row: dict[str, Any]) -> dict[str, Any]:
    if "traces" in row and "task" in row:
        row["task"]["data"] = {name: row["task"]["data"][name] for name in ("idx", "name")}
    cleaned: dict[str, Any] = json.loads(_PATH.sub("", json.dumps(row)))
    return cleaned


def main() -> None:
    """Evaluate with every version and write the files."""
    with tempfile.TemporaryDirectory() as work, serving(generate(DEFAULT_FAMILIES, n=TASKS)) as model:
        matrix = Matrix(Path(work), model)
        TARGET.mkdir(parents=True, exist_ok=True)
        for version, served in (("0.2.0", False), ("0.3.1", True), ("0.4.0", False)):
            source = matrix.get(jobs.v1_folder, version, served) / "traces.jsonl"
            (TARGET / f"verifiers-{version}-v1-traces.jsonl").write_text(trimmed(source))
        for version in ("0.2.0", "0.3.1"):
            (TARGET / f"verifiers-{version}-v0-results.jsonl").write_text(
                trimmed(matrix.get(jobs.v0_cli_file, version))
            )


if __name__ == "__main__":
    main()
