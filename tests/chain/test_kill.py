"""Runs that are killed anywhere lose no recorded reply, pay for none twice, and name what was in flight."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from nursery import ITEMS
from wire import Step

from impossible_rubrics_env.chain.store import read

KILLS = 15
"""For each seed."""
KEYS = {f"{number}/{part}" for number in range(ITEMS) for part in "ab"}
MODES = ("before", "half", "half", "written", "synced")


@pytest.fixture(scope="module")
def nursery():
    """A process that bears runs."""
    here = Path(__file__).parent
    env = {**os.environ, "PYTHONPATH": str(here), "OPENBLAS_NUM_THREADS": "1"}
    line = [sys.executable, "-W", "error", here / "nursery.py"]
    with subprocess.Popen(line, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:

        def bear(**order):
            process.stdin.write(json.dumps({"op": 0, "mode": "", "after": 0, **order}) + "\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())["ended"]

        yield bear
        process.stdin.close()
        process.wait(60)


class Watch:
    """What was seen of one store between its processes."""

    def __init__(self, folder, wire):
        self.folder = folder
        self.wire = wire
        self.replies = {}
        self.requests = {}

    def look(self):
        """Check the store and the server against what they said before."""
        history = read(self.folder)
        received = dict(self.wire.received)
        for key, texts in self.replies.items():
            assert history.replies[key] == texts, "a recorded reply is lost"
            assert received[key] == self.requests[key], "a recorded reply was asked for again"
        for key, count in received.items():
            assert count <= history.attempts.get(key, 0), "a request was sent that was not announced"
        self.replies = {key: list(replies) for key, replies in history.replies.items()}
        self.requests = received
        return history


def test_kills_at_writes_and_at_random_times(nursery, wire, tmp_path):
    """Whatever dies, and wherever: the store says so, and the next process goes on."""
    kills, torn, in_flight, stores = 0, 0, 0, 0
    for seed in range(4):
        rng = random.Random(seed)
        wire.default = Step(seconds=0.002)
        done = 0
        while done < KILLS:
            stores += 1
            watch = Watch(tmp_path / f"run{stores}", wire)
            wire.received.clear()
            wire.answered.clear()
            wire.script = {key: [faults(rng)] for key in rng.sample(sorted(KEYS), 8)}
            open_before, ended = (), -9
            while ended != 0:
                order = death(rng) if done < KILLS else {}
                ended = nursery(url=wire.url, folder=str(watch.folder), **order)
                assert ended in (0, -9)
                done += ended == -9
                kills += ended == -9
                if not (watch.folder / "calls.jsonl").exists():
                    continue
                check_named(watch.folder, open_before)
                history = watch.look()
                open_before = tuple(history.open)
                torn += history.torn_bytes > 0
                in_flight += len(history.open)
            assert set(history.replies) == KEYS
            assert all(len(replies) == 1 for replies in history.replies.values())
            assert history.end["state"] == "complete"
            lost = [flight.key for flight in history.lost]
            for key in KEYS:
                assert wire.answered[key] <= 1 + lost.count(key), "paid twice for another reason than a kill in flight"
    assert kills >= 60
    assert torn >= 3
    assert in_flight >= 50


def faults(rng):
    """One thing that goes wrong before all goes well."""
    return rng.choice([Step(429, headers={"retry-after": "0.01"}), Step(500), Step(529), Step(drop=True)])


def death(rng):
    """Where and how a run dies."""
    if rng.random() < 0.6:
        return {"op": rng.randint(1, 14), "mode": rng.choice(MODES)}
    return {"after": rng.uniform(0.02, 0.4)}


def check_named(folder, open_before):
    """A process that got as far as opening the store named what was in flight."""
    path = folder / "named.json"
    if path.exists():
        named = json.loads(path.read_text())
        assert {tuple(flight) for flight in named["named"]} == set(open_before)
        for key, attempt in open_before[:20]:
            assert any(f"{key} (attempt {attempt})" in note for note in named["notes"])
        path.unlink()
