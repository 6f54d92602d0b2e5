"""Every run knows which ground types it is under: sympy falls back silently where a library is missing."""

import os
import signal

import pytest
from hypothesis import settings

settings.register_profile("exact", deadline=None, derandomize=True)
settings.load_profile("exact")
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it in what it starts in the background


@pytest.fixture(autouse=True, scope="session")
def ground_types():
    """The ground types in use are the ones asked for."""
    from sympy.external.gmpy import GROUND_TYPES

    wanted = os.environ.get("SYMPY_GROUND_TYPES", "flint")
    assert wanted == GROUND_TYPES, f"sympy runs under {GROUND_TYPES}, not {wanted}"
    return GROUND_TYPES


@pytest.fixture(autouse=True)
def wide_output(monkeypatch):
    """Tables are as wide as for a file, whatever terminal the tests are started from."""
    monkeypatch.delenv("COLUMNS", raising=False)
