"""Pinned digests of the first tasks of each draw; run as a script to write them for a new generator version."""

import hashlib
import json
from pathlib import Path

import impossible_rubrics_env as ire

PINS = Path(__file__).with_name("certified_interval.json")
DRAWS = (
    {},
    {"mix": "balanced"},
    {"split": "eval"},
    {"split": "eval_wording"},
    {"split": "eval_domain"},
    {"split": "eval_harder"},
    {"source": "parametric", "seed": 1},
    {"tau": "0.51"},
    {"mix": "balanced", "order": "shuffled", "abstain": True, "penalty": "3/2"},
)
QUICK, FULL = 50, 1000


def digest(n, arguments):
    """sha256 over the JSON of the first `n` tasks, a line each."""
    text = hashlib.sha256()
    for task in ire.generate("certified_interval", n=n, **arguments):
        text.update(task.to_json().encode() + b"\n")
    return text.hexdigest()


def pins():
    """Digests by draw, with the version they belong to."""
    version = ire.make_task("certified_interval").generator_version
    rows = [
        {"arguments": arguments, "first_50": digest(QUICK, arguments), "first_1000": digest(FULL, arguments)}
        for arguments in DRAWS
    ]
    return {"generator_version": version, "draws": rows}


if __name__ == "__main__":
    PINS.write_text(json.dumps(pins(), indent=1) + "\n")
