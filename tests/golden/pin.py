"""Pinned digests of the first tasks of each family's draws, a file a family.

Run as a script to write them for a new generator version: `pin.py [family ...]`, every family if none is named.
"""

import hashlib
import json
import sys
from pathlib import Path

import impossible_rubrics_env as ire
from impossible_rubrics_env.taskgen.registry import ATTACK, RUBRIC

FOLDER = Path(__file__).parent
ATTACK_DRAWS = (
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
PACKET_DRAWS = (
    {},
    {"mix": "balanced"},
    {"split": "eval_wording"},
    {"split": "eval_domain"},
    {"split": "eval_harder"},
    {"labels": "clear_positive:1", "kind": "number", "seed": 1},
    {"depth": 2, "documents": 9, "distractors": 6, "digits": 1, "rungs": "razor:1,narrow:1"},
    {"mix": "balanced", "order": "shuffled", "abstain": False, "penalty": "3/2", "max_chars": 12000},
)
RUBRIC_DRAWS = (
    {},
    {"mix": "balanced"},
    {"split": "eval_wording"},
    {"split": "eval_domain"},
    {"split": "eval_harder"},
    {"packet": "objective_conflict", "kind": "plan", "rungs": "razor:1", "seed": 1},
    {"mix": "balanced", "order": "shuffled", "abstain": True, "penalty": "3/2"},
)
QUICK, FULL = 50, 1000


def pins_path(family):
    """Where a family's digests are."""
    return FOLDER / f"{family}.json"


def draws(family):
    """The arguments of the draws that are pinned."""
    return RUBRIC_DRAWS if family in RUBRIC else ATTACK_DRAWS if family in ATTACK else PACKET_DRAWS


def is_full(family, place):
    """Whether the first 1,000 tasks of a draw are pinned, and not only 50: of most families, those of the first."""
    return family in ATTACK or place == 0


def digest(family, n, arguments):
    """sha256 over the JSON of the first `n` tasks, a line each."""
    text = hashlib.sha256()
    for task in ire.generate(family, n=n, **arguments):
        text.update(task.to_json().encode() + b"\n")
    return text.hexdigest()


def pins(family):
    """Digests by draw, with the version they belong to."""
    rows = []
    for place, arguments in enumerate(draws(family)):
        row = {"arguments": arguments, "first_50": digest(family, QUICK, arguments)}
        if is_full(family, place):
            row["first_1000"] = digest(family, FULL, arguments)
        rows.append(row)
    return {"generator_version": ire.make_task(family).generator_version, "draws": rows}


if __name__ == "__main__":
    for name in sys.argv[1:] or ire.FAMILIES:
        pins_path(name).write_text(json.dumps(pins(name), indent=1) + "\n")
