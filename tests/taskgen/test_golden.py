"""Same arguments, same tasks: on any machine, Python, hash seed and ground type."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parents[1] / "golden"
_spec = importlib.util.spec_from_file_location("pin", GOLDEN / "pin.py")
pin = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(pin)
PINNED = json.loads(pin.PINS.read_text())


@pytest.mark.parametrize("row", PINNED["draws"], ids=lambda row: str(row["arguments"]))
def test_the_first_tasks_of_a_draw_are_the_pinned_ones(row):
    """A change here moves scores: bump the family's VERSION, run tests/golden/pin.py, and say so in the changelog."""
    assert pin.digest(pin.QUICK, row["arguments"]) == row["first_50"]
    assert pin.digest(pin.FULL, row["arguments"]) == row["first_1000"]


def test_the_pins_are_of_this_generator_version_and_cover_every_draw():
    import impossible_rubrics_env as ire

    assert ire.make_task("certified_interval").generator_version == PINNED["generator_version"]
    assert [row["arguments"] for row in PINNED["draws"]] == list(pin.DRAWS)


@pytest.mark.parametrize("hash_seed", ["0", "1", "random"])
def test_the_hash_seed_of_the_process_changes_nothing(hash_seed):
    code = f"import sys; sys.path.insert(0, {str(GOLDEN)!r}); import pin; print(pin.digest(50, {{}}))"
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert result.stdout.strip() == PINNED["draws"][0]["first_50"]


def test_workers_by_fork_and_spawn_draw_the_same_tasks():
    import multiprocessing

    import impossible_rubrics_env as ire

    expected = list(ire.generate(n=60))
    names = [task.id for task in expected]
    for method in ("fork", "spawn"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            assert pool.map(ire.rebuild, names) == expected
