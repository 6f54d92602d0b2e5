"""Runs that are killed: a process that has imported everything, and forks one child for each run it is told to make.

Each line of standard input is a JSON object; each gets one line of JSON back. A child is killed with SIGKILL, either by
itself at one of the writes of its store (`op` counts them, `mode` says where in it), or by its parent after `after`
seconds.
"""

import asyncio
import json
import os
import signal
import sys
import time
from pathlib import Path

from setting import Setting, ask

from impossible_rubrics_env.chain.engine import PAID
from impossible_rubrics_env.chain.running import run

ITEMS = 24


async def program(engine):
    """Two calls for each item; the second one's prompt holds the reply of the first."""

    async def item(number):
        first = await engine.call(f"{number}/a", ask(f"{number}/a", "openai:m"))
        second = ask(f"{number}/b", "anthropic:m", effort="low")
        longer = type(second)(second.model, first.text, second.prompt, second.max_tokens)
        await engine.call(f"{number}/b", longer)

    async with asyncio.TaskGroup() as group:
        for number in range(ITEMS):
            group.create_task(item(number))


def die():
    """End like a process that loses its machine."""
    os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(60)


def arm(op, mode):
    """Die at this write: before it, after half of it, after all of it, or when it is on disk."""
    write, fsync = os.write, os.fsync
    left = [op]

    def writing(descriptor, data):
        left[0] -= 1
        if left[0] == 0 and mode == "before":
            die()
        if left[0] == 0 and mode == "half":
            write(descriptor, bytes(data)[: len(data) // 2])
            die()
        done = write(descriptor, data)
        if left[0] == 0 and mode == "written":
            die()
        return done

    def syncing(descriptor):
        fsync(descriptor)
        if left[0] == 0 and mode == "synced":
            die()

    os.write, os.fsync = writing, syncing


def child(order, providers):
    """One run, to its end or to its death; the exit code."""
    setting = Setting(order["url"], Path(order["folder"]), {"concurrency": 6})
    resume = (setting.folder / "calls.jsonl").exists()
    if order["op"]:
        arm(order["op"], order["mode"])
    engine = setting.engine(resume=resume, providers=providers)
    names = [list(flight) for flight in engine.store.in_flight]
    Path(order["folder"], "named.json").write_text(json.dumps({"named": names, "notes": engine.store.notes}))
    return run(engine, lambda: program(engine)).exit_code


def bear(order, providers):
    """Fork a child for this order, kill it if it is late; how it ended."""
    pid = os.fork()
    if pid == 0:
        code = 99
        try:
            code = child(order, providers)
        finally:
            os._exit(code)
    late = time.monotonic() + (order["after"] or 1e9)
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > late:
            os.kill(pid, signal.SIGKILL)
            late = 1e9
        time.sleep(0.0005)


def main():
    """Bear a run for each line. The clients are made once: it takes them long to read certificates."""
    providers = None
    for line in sys.stdin:
        order = json.loads(line)
        if providers is None:
            providers = Setting(order["url"], Path(order["folder"]), timeout=60).providers()
            for provider in PAID:
                providers.sender(provider)
        sys.stdout.write(json.dumps({"ended": bear(order, providers)}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
