"""The memory of the matrix: each job runs once a session, whoever asks for it first."""

import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from loopback import Loopback

TASKS = 12
"""Tasks an evaluation runs over: two of each kind of reply."""


def needs(job: Callable[..., Any], cases: Iterable[Any] = ((),)) -> pytest.MarkDecorator:
    """Run the test once for each case, with the result of `job(matrix, *case)` as its argument `needed`."""
    listed = [case if isinstance(case, tuple) else (case,) for case in cases]
    names = ["-".join(map(str, case)) or job.__name__ for case in listed]
    return pytest.mark.parametrize("needed", [(job, *case) for case in listed], ids=names, indirect=True)


class Matrix:
    """What jobs share, and what each has produced."""

    def __init__(self, work: Path, model: Loopback) -> None:
        self.work = work
        self.model = model
        self.measured: dict[str, str] = {}
        """Figures to print at the end of the session."""
        self._results: dict[tuple[Any, ...], Future[Any]] = {}
        self._lock = threading.Lock()

    def get(self, job: Callable[..., Any], *args: Any) -> Any:
        """The job's result. It runs here if nobody has started it, so jobs may ask for each other's results."""
        key = (job, *args)
        with self._lock:
            known = self._results.get(key)
            future = known or self._results.setdefault(key, Future())
        if known is None:
            start = time.perf_counter()
            try:
                future.set_result(job(self, *args))
            except BaseException as error:  # noqa: BLE001 - kept for the callers, who raise it
                future.set_exception(error)
            self.measured[" ".join([job.__name__, *map(str, args)])] = f"{time.perf_counter() - start:.1f} s"
        return future.result()

    def folder(self, name: str) -> Path:
        """A new folder for a job."""
        made = self.work / name
        made.mkdir(parents=True)
        return made
