"""Ctrl-C and SIGTERM: nothing more is sent, what is in flight is recorded, and the run says how to go on."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from setting import PRICES, ask
from wire import Step

from impossible_rubrics_env.chain.store import read

HERE = Path(__file__).parent
WORST = PRICES.worst_case(ask("k0"))


@pytest.fixture
def start(wire, tmp_path):
    """Start a run in a process of its own."""
    started = []

    def starting(calls=12, grace=30.0, resume=False):
        order = {"url": wire.url, "folder": str(tmp_path), "calls": calls, "grace": grace, "resume": resume}
        line = [sys.executable, "-W", "error", HERE / "interrupted.py", json.dumps(order)]
        env = {**os.environ, "PYTHONPATH": str(HERE)}
        process = subprocess.Popen(line, env=env, stderr=subprocess.PIPE, text=True)
        started.append(process)
        return process

    yield starting
    for process in started:
        process.kill()
        process.wait()
        process.stderr.close()


def until(condition):
    """Wait for what another process does."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.005)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_attempts_in_flight_may_finish_and_nothing_more_is_sent(start, wire, tmp_path, number):
    wire.default = Step(seconds=1.5)
    process = start()
    until(lambda: wire.now == 4)
    process.send_signal(number)
    _, message = process.communicate(timeout=60)
    assert process.returncode == 130, message
    assert sum(wire.received.values()) == 4
    history = read(tmp_path)
    assert len(history.replies) == 4
    assert history.end["state"] == "interrupted"
    assert message.startswith("interrupted: 4 calls have a reply in ")
    assert message.endswith("; interrupted; the same command with --resume goes on\n")
    wire.default = Step()
    process = start(resume=True)
    _, message = process.communicate(timeout=60)
    assert process.returncode == 0, message
    assert set(wire.received.values()) == {1}
    assert len(read(tmp_path).replies) == 12


def test_attempts_that_outlast_the_grace_are_given_up_and_charged(start, wire, tmp_path):
    wire.default = Step(seconds=40)
    process = start(grace=0.2)
    until(lambda: wire.now == 4)
    process.send_signal(signal.SIGINT)
    _, message = process.communicate(timeout=30)
    assert process.returncode == 130, message
    history = read(tmp_path)
    assert (history.open, history.failures, history.replies) == ({}, 4, {})
    assert history.spent_micro_usd == 4 * WORST


def test_a_second_signal_ends_the_grace(start, wire, tmp_path):
    wire.default = Step(seconds=40)
    process = start(grace=600)
    until(lambda: wire.now == 4)
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 130
    assert read(tmp_path).failures == 4


def test_a_call_that_waits_to_be_repeated_does_not_hold_the_run_up(start, wire, tmp_path):
    wire.default = Step(429, headers={"retry-after": "50"})
    process = start()
    until(lambda: sum(wire.received.values()) == 4 and read(tmp_path).failures == 4)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert process.returncode == 130
    assert read(tmp_path).spent_micro_usd == 0
