"""The wheel, the core on its own, the Python versions, and what `prime env install` leaves behind."""

import json
import zipfile

import jobs
import pytest
import venvs
from running import needs

FOLDERS = {"taskgen", "certificates", "reference_policies", "bindings"}


@needs(jobs.wheel)
def test_the_wheel_holds_the_five_folders_in_one_package_and_takes_no_common_name(needed):
    names = zipfile.ZipFile(needed).namelist()
    tops = {name.split("/")[0] for name in names if ".dist-info/" not in name}
    assert tops == {"impossible_rubrics_env", "impossible_rubrics_endless", "impossible_rubrics_chain"}
    assert {name.split("/")[1] for name in names if name.startswith("impossible_rubrics_env/")} >= FOLDERS
    assert sum(name.startswith("impossible_rubrics_env/certificates/records/") for name in names) > 200
    assert "impossible_rubrics_env/py.typed" in names
    assert not [name for name in names if "test" in name.lower() or name.endswith((".pyc", ".tsv"))]


@needs(jobs.wheel)
def test_the_wheel_asks_for_sympy_numpy_and_verifiers_and_nothing_else(needed):
    archive = zipfile.ZipFile(needed)
    (metadata,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
    lines = archive.read(metadata).decode().split("\n")
    required = [line.split(": ")[1] for line in lines if line.startswith("Requires-Dist") and "extra ==" not in line]
    assert sorted(name.split(">")[0] for name in required) == ["numpy", "sympy", "verifiers"]


@needs(jobs.core_only, jobs.PYTHONS)
def test_the_core_makes_checks_and_grades_tasks_with_sympy_and_numpy_alone(needed, version):
    assert needed["python"] == version
    assert needed["frameworks"] == []
    assert needed["as_expected"]
    assert {"SOLVED", "WRONG", "UNSUPPORTED"} <= set(needed["verdicts"])


@needs(jobs.core_only, jobs.PYTHONS)
def test_without_a_framework_the_bindings_are_absent_and_name_what_to_install(needed):
    assert needed["v1_name"] is False
    assert "pip install 'verifiers" in needed["load_environment"]


@needs(jobs.core_digests, jobs.PYTHONS)
def test_the_first_thousand_tasks_of_every_draw_are_the_pinned_ones_under_every_python(needed):
    pinned = {path.stem: json.loads(path.read_text()) for path in (venvs.ROOT / "tests" / "golden").glob("*.json")}
    assert needed == pinned
    assert "counterevidence_trap" in pinned


def test_a_python_that_is_missing_fails_with_its_name():
    with pytest.raises(AssertionError, match=r"no python3\.99 on PATH"):
        venvs.interpreter("3.99")


@needs(jobs.prime_installed)
def test_prime_env_install_alone_gives_a_loadable_environment(needed):
    assert "Successfully installed impossible-rubrics-env" in needed["printed"]
    assert needed["valid"] == [True] * 4
    assert needed["rewards"] == [-1, 0, 1]
    assert needed["env"] == "impossible_rubrics_env.bindings.verifiers_v1"
    assert needed["endless"] is True
