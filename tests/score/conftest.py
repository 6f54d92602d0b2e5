"""Tasks, right and wrong replies to them, and files of rows."""

import json

import pytest

import impossible_rubrics_env as ire


def answer(task, kind):
    """The labelled reply of a task with this type."""
    return next(item["reply"] for item in task.answers if item["type"] == kind)


def line(row, ensure_ascii):
    return json.dumps(row, ensure_ascii=ensure_ascii).encode() + b"\n"


@pytest.fixture(scope="session")
def twins():
    """Twenty tasks: ten twin pairs, one half breakable and the other not."""
    return list(ire.generate("attack", n=20, mix="balanced"))


@pytest.fixture(scope="session")
def breakable(twins):
    return next(task for task in twins if task.room)


@pytest.fixture(scope="session")
def right(breakable):
    return answer(breakable, "correct")


@pytest.fixture(scope="session")
def wrong():
    """A false claim on every breakable task."""
    return '<answer>{"attack": "NO_ATTACK"}</answer>'


@pytest.fixture
def save(tmp_path):
    """Write rows to a new file: objects as JSON lines, bytes as they are."""

    def write(*rows, name="rows.jsonl", ensure_ascii=True):
        path = tmp_path / name
        lines = [row if isinstance(row, bytes) else line(row, ensure_ascii) for row in rows]
        path.write_bytes(b"".join(lines))
        return path

    return write
