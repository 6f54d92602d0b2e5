"""Engines that talk to a server on loopback through the real clients."""

import asyncio
import gc
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from setting import Setting
from wire import serving


@pytest.fixture(autouse=True)
def no_outside(monkeypatch):
    """No key and no address but those of the tests."""
    for name in ("ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


@pytest.fixture
def wire():
    """The server."""
    with serving() as running:
        yield running


@pytest.fixture
def setting(wire, tmp_path):
    """A run store, and engines on it that talk to the server."""
    return Setting(wire.url, tmp_path / "run")


@pytest.fixture(autouse=True)
def nothing_left_behind():
    """No task, socket or exception is left for the collector to complain about."""
    yield
    gc.collect()
    with pytest.raises(RuntimeError):
        asyncio.get_running_loop()
