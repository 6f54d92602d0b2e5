"""A run to be interrupted: asks for calls k0, k1, ... at once, prints its summary, and ends with its exit code."""

import asyncio
import json
import sys
from pathlib import Path

from setting import Setting, ask

from impossible_rubrics_env.chain.retries import Backoff
from impossible_rubrics_env.chain.running import run, summary

if __name__ == "__main__":
    order = json.loads(sys.argv[1])
    options = {"concurrency": 4, "grace_seconds": order["grace"], "backoff": Backoff(0.01, 0.02, 60)}
    setting = Setting(order["url"], Path(order["folder"]), options, timeout=60)
    engine = setting.engine(resume=order["resume"])

    async def main():
        """Every call, whatever becomes of the others."""
        calls = (engine.call(f"k{number}", ask(f"k{number}")) for number in range(order["calls"]))
        await asyncio.gather(*calls, return_exceptions=True)

    ended = run(engine, main)
    sys.stderr.write(summary(engine, ended) + "\n")
    sys.exit(ended.exit_code)
