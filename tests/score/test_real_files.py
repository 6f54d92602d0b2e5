"""Files that real runs of verifiers 0.2.0, 0.3.1 and 0.4.0 saved are read to the rewards that those runs paid."""

import json
from pathlib import Path

import pytest

from impossible_rubrics_env.rollouts import Rollout, read_rollouts
from impossible_rubrics_env.score import score_files

FOLDER = Path(__file__).parents[1] / "data/rollouts"
NAMES = (
    "verifiers-0.2.0-v0-results.jsonl",
    "verifiers-0.2.0-v1-traces.jsonl",
    "verifiers-0.3.1-v0-results.jsonl",
    "verifiers-0.3.1-v1-traces.jsonl",
    "verifiers-0.4.0-v1-traces.jsonl",
)
in_every_file = pytest.mark.parametrize("name", NAMES)


@in_every_file
def test_every_row_is_scored_to_the_reward_that_the_run_paid(name):
    report = score_files([FOLDER / name])
    total = report.overall.total()
    assert not report.findings.counts
    assert {verdict: count for verdict, count in total.as_dict()["verdicts"].items() if count} == {
        "SOLVED": 1,
        "WRONG": 1,
        "UNSUPPORTED": 1,
        "REFUSED_PARSE": 2,
    }
    assert (total.graded, total.failed, total.truncated, report.tasks) == (5, 1, 1, 6)


@in_every_file
def test_the_stored_rewards_are_there_to_be_compared(name):
    """A reader that saw no stored reward would agree with everything."""
    rows = list(read_rollouts(FOLDER / name))
    assert all(isinstance(row, Rollout) for row in rows)
    assert sorted(row.stored_reward for row in rows if not row.failed) == [-1, 0, 0, 0, 1]


@in_every_file
def test_a_changed_reward_in_a_real_row_is_found(name, tmp_path):
    changed = []
    for line in (FOLDER / name).read_text().splitlines():
        row = json.loads(line)
        for holder in row.get("traces", [row]):
            if holder.get("rewards"):
                outcome = holder["rewards"]["outcome"]
                holder["rewards"]["outcome"] = {**outcome, "score": 0.5} if isinstance(outcome, dict) else 0.5
            elif "reward" in holder:
                holder["reward"] = 0.5
        changed.append(json.dumps(row))
    path = tmp_path / "changed.jsonl"
    path.write_text("\n".join(changed))
    report = score_files([path])
    assert report.findings.counts == {"reward_mismatch": 5}
    assert report.overall.total().mean_reward == 0


def test_the_five_files_hold_the_same_outcomes_rollout_by_rollout(tmp_path):
    out = tmp_path / "graded.jsonl"
    report = score_files([FOLDER / name for name in NAMES], out=out)
    assert (report.tasks, report.complete, report.overall.total().graded) == (6, True, 25)
    outcomes = {}
    for line in out.read_text().splitlines():
        row = json.loads(line)
        grade = row["grade"] or {"verdict": None}
        outcomes.setdefault(row["task_id"], set()).add((grade["verdict"], row["truncated"], row["failed"]))
    assert {task: len(found) for task, found in outcomes.items()} == dict.fromkeys(outcomes, 1)


def test_no_recorded_file_is_left_out():
    assert sorted(path.name for path in FOLDER.glob("*.jsonl")) == sorted(NAMES)
