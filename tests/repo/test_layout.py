"""The repository's own rules: one-way imports, no stdlib fractions, no eval, one reader of replies."""

import ast
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("impossible_rubrics_env", "taskgen", "certificates", "reference_policies", "bindings")
CORE = "impossible_rubrics_env"
EXACT = {f"{CORE}.{name}" for name in ("exact", "numerals", "errors")}
FACTS, LINEAR = f"{CORE}.certificates.facts.", f"{CORE}.certificates.linear."
MODEL = {FACTS, LINEAR} | {
    f"{CORE}.certificates.{name}." for name in ("discrete", "findings", "packet", "questions", "register")
}
"""Of packets; the last dot keeps checkers away from `packet_proofs`."""
# What a part may import from the project; parts are matched by the longest prefix of the path.
ALLOWED = {
    "certificates/checkers": EXACT | MODEL,
    "certificates/facts.py": EXACT,
    "certificates/linear.py": EXACT | {FACTS},
    "certificates/questions.py": EXACT | {FACTS, LINEAR},
    **{f"certificates/{name}.py": EXACT | MODEL for name in ("discrete", "findings", "packet", "register")},
    "certificates/packet_lookups.py": EXACT | {LINEAR},
    "certificates/provers": EXACT | {f"{CORE}.certificates"},
    "certificates": EXACT | {f"{CORE}.certificates"},
    "taskgen": EXACT
    | {
        f"{CORE}.{name}"
        for name in ("certificates", "doubles", "prompt", "reply", "rubrics", "simplex", "task", "taskgen")
    },
    "reference_policies": {
        f"{CORE}.{name}" for name in ("exact", "errors", "rubrics", "simplex", "reference_policies")
    },
    "impossible_rubrics_env/errors.py": set(),
    "impossible_rubrics_env/numerals.py": set(),
    "impossible_rubrics_env/doubles.py": set(),
    "impossible_rubrics_env/exact.py": EXACT,
    **dict.fromkeys(
        (
            f"impossible_rubrics_env/chain/{name}.py"
            for name in (
                *("budget", "calls", "engine", "history", "prices", "problems"),
                *("providers", "redaction", "retries", "running", "store"),
            )
        ),
        EXACT | {f"{CORE}.{name}" for name in ("__version__", "chain")},
    ),
    "impossible_rubrics_env/task.py": EXACT,
    "impossible_rubrics_env/prompt.py": set(),
    "impossible_rubrics_env/rubrics": EXACT | {f"{CORE}.rubrics"},
    "impossible_rubrics_env/reply.py": {f"{CORE}.numerals"},
    "impossible_rubrics_env/verdicts.py": {f"{CORE}.numerals"},
    "impossible_rubrics_env/attack_grading.py": {
        f"{CORE}.{name}" for name in ("certificates.checkers", "doubles", "reply", "task", "verdicts")
    },
    "impossible_rubrics_env/answer_grading.py": {
        f"{CORE}.{name}" for name in ("certificates.packet_proofs", "reply", "task", "verdicts")
    },
    "impossible_rubrics_env/forgery.py": {f"{CORE}.verdicts"},
    "impossible_rubrics_env/attack_forgeries.py": {
        f"{CORE}.{name}" for name in ("certificates.checkers", "doubles", "forgery", "task")
    },
    "impossible_rubrics_env/printed.py": EXACT,
    "impossible_rubrics_env/attack_checking.py": EXACT
    | {f"{CORE}.{name}" for name in ("certificates", "doubles", "printed", "task")},
    "impossible_rubrics_env/answer_checking.py": EXACT
    | {f"{CORE}.{name}" for name in ("certificates.packet_proofs", "printed", "prompt", "task", "verdicts")},
    "impossible_rubrics_env/rubric_grading.py": EXACT
    | {
        f"{CORE}.{name}"
        for name in ("certificates.checkers", "certificates.statements", "reply", "rubrics", "task", "verdicts")
    },
    "impossible_rubrics_env/rubric_checking.py": EXACT
    | {
        f"{CORE}.{name}"
        for name in (
            "answer_checking",
            "certificates.packet_proofs",
            "prompt",
            "reference_policies.statement_reading",
            "reply",
            "rubric_grading",
            "rubrics",
            "task",
            "verdicts",
        )
    },
    "impossible_rubrics_env/rubric_forgeries.py": {
        f"{CORE}.{name}" for name in ("forgery", "rubric_grading", "rubrics", "task", "verdicts")
    },
    "impossible_rubrics_env/grading.py": {
        f"{CORE}.{name}"
        for name in ("answer_grading", "attack_grading", "errors", "rubric_grading", "task", "verdicts")
    },
}
SOURCES = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))


def name_of(path):
    return path.relative_to(ROOT).as_posix()


def imports(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name_of(path)}: a relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from names
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_imports_go_one_way(path):
    own = next(
        (ALLOWED[part] for part in sorted(ALLOWED, key=len, reverse=True) if name_of(path).startswith(part)), None
    )
    for name in imports(path):
        top = name.partition(".")[0]
        assert top not in FOLDERS[1:], f"{name_of(path)} imports {name} past the package"
        assert top != "fractions", f"{name_of(path)} imports the standard library's fractions"
        if own is not None and top == CORE:
            assert any(name.startswith(allowed) for allowed in own), f"{name_of(path)} imports {name}"


def test_checkers_do_not_import_each_other_or_the_provers():
    for path in (ROOT / "certificates/checkers").glob("*.py"):
        for name in imports(path):
            allowed = any(map(name.startswith, MODEL)) or not name.startswith(f"{CORE}.certificates")
            assert allowed, f"{path.name} imports {name}"


def test_the_core_imports_no_binding():
    for path in SOURCES:
        if name_of(path).startswith(CORE) and path.name != "__init__.py":
            assert not any(name.startswith(f"{CORE}.bindings") for name in imports(path)), path.name


@pytest.mark.parametrize("path", [path for path in SOURCES if "provers" not in path.parts], ids=name_of)
def test_nothing_evaluates_text(path):
    """Provers may build sympy expressions from their own constants; nothing that reads text from outside may."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            called = node.func.id if isinstance(node.func, ast.Name) else ""
            assert called not in ("eval", "exec", "sympify", "parse_expr", "nsimplify"), f"{name_of(path)}: {called}"
    assert not {"pickle", "marshal", "yaml"} & {name.partition(".")[0] for name in imports(path)}


def test_one_function_turns_reply_text_into_an_answer():
    """Everything that reads the answer tags is in reply.py."""
    readers = [name_of(path) for path in SOURCES if "</answer>" in path.read_text()]
    allowed = {
        "impossible_rubrics_env/reply.py",  # reads
        "impossible_rubrics_env/prompt.py",  # describes
        "impossible_rubrics_env/attack_forgeries.py",  # forges
        "impossible_rubrics_env/answer_forgeries.py",
        "impossible_rubrics_env/forgery.py",
        "taskgen/certified_interval_task.py",  # labelled answers
        "taskgen/packet_answers.py",
        "reference_policies/policies.py",  # replies
        "reference_policies/answer_policies.py",
        "reference_policies/rubric_policies.py",
        "reference_policies/rubric_writers.py",
        "reference_policies/statement_answers.py",
    }
    assert set(readers) <= allowed


@pytest.mark.parametrize(
    "path",
    [
        path
        for path in SOURCES
        if path.parent.name in ("taskgen", "checkers") or (path.parent.name == "certificates" and path.stem != "ledger")
    ],
    ids=name_of,
)
def test_no_float_takes_part_in_a_draw_or_a_check(path):
    allowed = {"certificates/checkers/band.py"}  # reads the repr of a submitted double, and compares it exactly
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Constant):
            assert not isinstance(node.value, float), f"{name_of(path)}:{node.lineno}"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "float":
            assert name_of(path) in allowed, f"{name_of(path)}:{node.lineno}"


def test_tracked_files_are_small_and_only_the_agreed_folders_hold_code():
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    for name in tracked:
        assert (ROOT / name).stat().st_size <= 1_000_000, name
        if name.endswith(".py"):
            assert name.split("/")[0] in (*FOLDERS, "tests"), name


def test_the_lock_holds_plain_pins():
    for line in (ROOT / "requirements.lock").read_text().splitlines():
        name, _, version = line.partition("==")
        assert name, line
        assert version, line
        assert not set(" ;@[") & set(line), line


def test_the_version_is_written_once():
    import impossible_rubrics_env as ire

    assert f'version = "{ire.__version__}"' in (ROOT / "pyproject.toml").read_text()
    assert f"## {ire.__version__}" in (ROOT / "CHANGELOG.md").read_text()
