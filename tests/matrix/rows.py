"""The rows that each verifiers version saves, read into one shape. Written for the tests alone, and strict."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from impossible_rubrics_env.task import Task


@dataclass(frozen=True)
class Row:
    """One saved rollout."""

    task_id: str
    reward: float
    metrics: Mapping[str, float]
    failed: bool
    """The framework itself recorded an error."""
    reply: str | None


def read_rows(path: Path) -> list[Row]:
    """Every rollout of a results or traces file."""
    lines = path.read_text(encoding="utf-8").split("\n")
    return [row for line in lines if line for row in _rows(json.loads(line))]


def _rows(line: dict[str, Any]) -> Iterator[Row]:
    if "traces" in line:
        if not line["traces"]:
            raise AssertionError(f"an episode without a trace: {line.get('errors')}")
        for trace in line["traces"]:
            rewards = [value for value in trace["rewards"].values() if value is not None]
            yield _trace_row(trace, sum(value["score"] * value["weight"] for value in rewards))
    elif "nodes" in line:
        yield _trace_row(line, sum(line["rewards"].values()))
    else:
        yield _v0_row(line)


def _trace_row(trace: dict[str, Any], reward: float) -> Row:
    sampled = [node for node in trace["nodes"] if node.get("sampled")]
    reply = sampled[-1]["message"].get("content") if sampled else None
    return Row(_id(trace["task"]["data"]["spec"]), reward, trace["metrics"], bool(trace.get("errors")), reply)


def _v0_row(line: dict[str, Any]) -> Row:
    completion = line["completion"] or []
    reply = completion[-1].get("content") if completion else None
    return Row(_id(line["info"]["spec"]), line["reward"], line["metrics"], line.get("error") is not None, reply)


def _id(spec: str) -> str:
    return Task.from_json(spec).id
