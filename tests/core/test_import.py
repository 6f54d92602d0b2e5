"""Importing the package is cheap and pulls in nothing heavy."""

import json
import subprocess
import sys

HEAVY = ("sympy", "numpy", "verifiers", "typer", "rich", "pydantic", "datasets", "openai", "starlette")


def modules_after(code):
    script = f"import sys, json\n{code}\nprint(json.dumps(sorted(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(json.loads(result.stdout.splitlines()[-1]))


def test_importing_the_package_loads_no_framework_and_no_sympy():
    assert not modules_after("import impossible_rubrics_env").intersection(HEAVY)


def test_grading_a_task_from_json_loads_no_framework_and_no_sympy(tmp_path):
    from impossible_rubrics_env import make_task

    path = tmp_path / "task.json"
    path.write_text(make_task("certified_interval").to_json())
    code = (
        "import impossible_rubrics_env as ire\n"
        f"task = ire.Task.from_json(open({str(path)!r}).read())\n"
        "assert all(ire.grade(task, a['reply']).verdict == a['expected']['verdict'] for a in task.answers)"
    )
    assert not modules_after(code).intersection(HEAVY)


def test_every_public_name_resolves_where_verifiers_has_the_v1_api():
    import impossible_rubrics_env as ire

    for name in ire.__all__:
        assert getattr(ire, name) is not None
    assert ire.__version__


def test_public_names_complete_and_the_families_are_those_that_are_made():
    import impossible_rubrics_env as ire
    from impossible_rubrics_env.taskgen.registry import GROUPS

    assert {"make_task", "generate", "grade", "check", "load_environment"} <= set(dir(ire))
    assert GROUPS["all"] == ire.FAMILIES


def test_an_unknown_name_is_an_attribute_error():
    import impossible_rubrics_env as ire

    assert getattr(ire, "no_such_name", None) is None
