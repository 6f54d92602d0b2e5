"""A real server process on loopback, and the real `openai` client."""

import json
import os
import signal
import subprocess
import sys

import httpx
import pytest
from openai import OpenAI

SECONDS = 60


def start(*arguments):
    command = [sys.executable, "-m", "impossible_rubrics_env", "serve", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def stop(process, number=signal.SIGINT):
    """End a server and return its exit code and what it still had to say."""
    process.send_signal(number)
    code = process.wait(timeout=SECONDS)
    with process.stdout as out, process.stderr as err:
        return code, out.read(), err.read()


@pytest.fixture
def serving():
    """Start a server, read its first line, end it: returns that line, the exit code and the rest."""

    def run(*arguments, number=signal.SIGINT):
        process = start(*arguments)
        first = process.stdout.readline()
        return first, *stop(process, number)

    return run


@pytest.fixture(scope="session")
def careful():
    """Where `careful` answers. It must have had nothing to say on standard error when all tests are done."""
    process = start("--port", "0", "--json")
    yield json.loads(process.stdout.readline())
    code, out, err = stop(process)
    assert (code, out, err) == (0, "", "")


@pytest.fixture(scope="session")
def client(careful):
    os.environ["NO_PROXY"] = "127.0.0.1"
    with OpenAI(base_url=careful["base_url"], api_key="any", max_retries=0, timeout=SECONDS) as made:
        yield made


@pytest.fixture(scope="session")
def post(careful):
    """Post a raw body to the chat endpoint."""
    with httpx.Client(trust_env=False, timeout=SECONDS) as made:
        yield lambda body: made.post(f"{careful['base_url']}/chat/completions", content=body)
