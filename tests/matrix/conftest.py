"""Runs every real command of the matrix once, two at a time, and hands the results to the tests.

A test names what it needs with `@needs(job)`; the jobs of all collected tests start in that order when the
session starts, and a test only waits for its own.
"""

import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "bindings")]
from loopback import Loopback, serving

from impossible_rubrics_env import generate

TASKS = 12
"""Tasks an evaluation runs over: two of each kind of reply."""


class Matrix:
    """What jobs share, and the memory of what each has produced."""

    def __init__(self, work: Path, model: Loopback) -> None:
        self.work = work
        self.model = model
        self._results: dict[tuple[Any, ...], Future[Any]] = {}
        self._lock = threading.Lock()

    def get(self, job: Callable[..., Any], *args: Any) -> Any:
        """The job's result; it runs here if nobody has started it, and a failure is every caller's failure."""
        key = (job, *args)
        with self._lock:
            known = self._results.get(key)
            future = known or self._results.setdefault(key, Future())
        if known is None:
            try:
                future.set_result(job(self, *args))
            except BaseException as error:  # noqa: BLE001 - kept for the callers, who raise it
                future.set_exception(error)
        return future.result()

    def folder(self, name: str) -> Path:
        """A new folder for a job."""
        made = self.work / name
        made.mkdir(parents=True)
        return made


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "needs(job, *args): a job of the matrix whose result the test reads")


@pytest.fixture(scope="session")
def matrix(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Matrix]:
    """The running matrix; two jobs at a time."""
    with serving(generate(n=TASKS)) as model:
        shared = Matrix(tmp_path_factory.mktemp("matrix"), model)
        pool = ThreadPoolExecutor(max_workers=2)
        for item in request.session.items:
            for mark in item.iter_markers("needs"):
                pool.submit(shared.get, *mark.args)
        try:
            yield shared
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


@pytest.fixture
def needed(request: pytest.FixtureRequest, matrix: Matrix) -> Any:
    """The result of the test's job."""
    (mark,) = request.node.iter_markers("needs")
    return matrix.get(*mark.args)


@pytest.fixture(scope="session", autouse=True)
def no_stray_prompts(matrix: Matrix) -> Iterator[None]:
    """Every prompt that reached the model was one of ours, unchanged."""
    yield
    assert not matrix.model.unknown, f"the model was asked something else: {matrix.model.unknown[0]}"
