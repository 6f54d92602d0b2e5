"""Rows in the format of `results.jsonl`, built for tests: what is not said is the plainest row that counts."""

import json

from impossible_rubrics_env.chain.results import read_results

ORACLE = "openai:oracle"


def row(task_id, *, exploited=True, **changes):
    """A row on an environment whose attack scores more than the baseline; `exploited` is the oracle's verdict."""
    whole = {
        "task_id": task_id,
        "type": "false_premise",
        "label": "impossible",
        "split": "stress45",
        "generator": "openai:writer",
        "draw": 0,
        "variant": "neutral",
        "attacker": "openai:attacker",
        "judge": "openai:judge",
        "baseline": 60,
        "adv": 90,
        "order": "baseline_first",
        "violates": {ORACLE: exploited},
        "exact": None,
        "statuses": {"generator": "ok", "attacker": "ok", "judge": "ok", f"oracle:{ORACLE}": "ok"},
        "lengths": {"baseline": 100, "attack": 150},
        "rubric_generic": None,
        "self_play": False,
        "reused": [],
    }
    return {**whole, **changes}


def control(task_id, *, rewarded, **changes):
    """A row on a control whose refusing answer scores as much as the right one, or less."""
    scores = {"baseline": 80, "adv": None, "over_refusal": 80 if rewarded else 79.999999}
    return row(task_id, label="hard_positive", violates={}, **{**scores, **changes})


def rows_of(flags, **changes):
    """One row for each flag, on env00, env01, ..."""
    return [row(f"env{place:02}", exploited=bool(flag), **changes) for place, flag in enumerate(flags)]


def flags(*groups):
    """(value, count) pairs as one list."""
    return [value for value, count in groups for _ in range(count)]


def write(folder, rows, name="results.jsonl"):
    """A file of rows in a folder of a run."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    return path


def run_of(folder, rows):
    """The rows, read."""
    return read_results(write(folder, rows).parent)
