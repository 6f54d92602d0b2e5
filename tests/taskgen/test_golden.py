"""Same arguments, same tasks: on any machine, Python, hash seed and ground type."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import impossible_rubrics_env as ire

GOLDEN = Path(__file__).parents[1] / "golden"
_spec = importlib.util.spec_from_file_location("pin", GOLDEN / "pin.py")
pin = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(pin)
PINNED = {name: json.loads(pin.pins_path(name).read_text()) for name in ire.FAMILIES if pin.pins_path(name).exists()}
ROWS = [
    pytest.param(name, row, id=f"{name}-{row['arguments']}") for name, pins in PINNED.items() for row in pins["draws"]
]


@pytest.mark.parametrize(("family", "row"), ROWS)
def test_the_first_tasks_of_a_draw_are_the_pinned_ones(family, row):
    """A change here moves scores: bump the family's VERSION, run tests/golden/pin.py, and say so in the changelog."""
    assert pin.digest(family, pin.QUICK, row["arguments"]) == row["first_50"]
    if "first_1000" in row:
        assert pin.digest(family, pin.FULL, row["arguments"]) == row["first_1000"]


@pytest.mark.parametrize("family", ire.FAMILIES)
def test_the_pins_are_of_this_generator_version_and_cover_every_draw(family):
    assert ire.make_task(family).generator_version == PINNED[family]["generator_version"]
    assert [row["arguments"] for row in PINNED[family]["draws"]] == list(pin.draws(family))
    for place, row in enumerate(PINNED[family]["draws"]):
        assert ("first_1000" in row) == pin.is_full(family, place)


@pytest.mark.parametrize("family", ire.FAMILIES)
@pytest.mark.parametrize("hash_seed", ["0", "1", "random"])
def test_the_hash_seed_of_the_process_changes_nothing(family, hash_seed):
    code = f"import sys; sys.path.insert(0, {str(GOLDEN)!r}); import pin; print(pin.digest({family!r}, 50, {{}}))"
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert result.stdout.strip() == PINNED[family]["draws"][0]["first_50"]


def test_workers_by_fork_and_spawn_draw_the_same_tasks():
    import multiprocessing

    expected = list(ire.generate(n=60))
    names = [task.id for task in expected]
    for method in ("fork", "spawn"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            assert pool.map(ire.rebuild, names) == expected
