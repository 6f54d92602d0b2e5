"""Starts the real commands that the collected tests need, two at a time, and hands the tests their results.

A test names what it needs with `@needs(job, cases)`. The jobs start in the order of the tests when the
session starts; a test waits for its own, and a job that fails fails every test that needs it.
"""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "bindings")]

from loopback import serving  # noqa: E402 - importable only now
from running import TASKS, Matrix  # noqa: E402

from impossible_rubrics_env import generate  # noqa: E402
from impossible_rubrics_env.bindings.draw import DEFAULT_FAMILIES  # noqa: E402

_MATRIX = pytest.StashKey[Matrix]()


@pytest.fixture(scope="session")
def matrix(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Matrix]:
    """The running matrix."""
    with serving(generate(DEFAULT_FAMILIES, n=TASKS)) as model:
        shared = request.config.stash[_MATRIX] = Matrix(tmp_path_factory.mktemp("matrix"), model)
        pool = ThreadPoolExecutor(max_workers=2)
        for item in request.session.items:
            call = getattr(item, "callspec", None)
            if call and "needed" in call.params:
                pool.submit(shared.get, *call.params["needed"])
        try:
            yield shared
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


@pytest.fixture
def needed(request: pytest.FixtureRequest, matrix: Matrix) -> Any:
    """The result of the test's job."""
    return matrix.get(*request.param)


@pytest.fixture
def version(request: pytest.FixtureRequest) -> str:
    """The version that the test's job ran on."""
    return str(request.node.callspec.params["needed"][1])


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """The figures, which no test judges: a slow machine is no fault of the package."""
    shared = config.stash.get(_MATRIX, None)
    if shared is not None:
        terminalreporter.section("measured")
        for name, value in shared.measured.items():
            terminalreporter.line(f"{name}: {value}")
