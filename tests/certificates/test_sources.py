"""What checkers may import and use, read from their source; the same bytes under every ground type."""

import ast
import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from impossible_rubrics_env.certificates.registry import PROOF_KINDS

CERTIFICATES = Path(__file__).parents[2] / "certificates"
CHECKERS = [CERTIFICATES / "checkers" / f"{kind.replace('-', '_')}.py" for kind in PROOF_KINDS]
PROVERS = sorted((CERTIFICATES / "provers").glob("*.py"))
ALLOWED = {"impossible_rubrics_env.errors", "impossible_rubrics_env.numerals", "impossible_rubrics_env.exact"}
STANDARD = {"collections.abc", "functools", "itertools", "math", "typing"}
EXACT_MATH = {"comb", "factorial", "gcd", "isqrt", "lcm", "perm"}
FORBIDDEN = {"float", "eval", "exec", "compile", "complex", "round", "getattr", "__import__", "open", "fractions"}


def imports(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, ()) for alias in node.names)
        if isinstance(node, ast.ImportFrom):
            yield node.module, tuple(alias.name for alias in node.names)


@pytest.mark.parametrize("path", CHECKERS, ids=lambda path: path.stem)
def test_a_checker_imports_only_the_exact_numbers_and_exact_functions(path):
    for module, names in imports(ast.parse(path.read_text())):
        assert module in ALLOWED | STANDARD
        if module == "math":
            assert set(names) <= EXACT_MATH


@pytest.mark.parametrize("path", CHECKERS, ids=lambda path: path.stem)
def test_a_checker_uses_no_float_no_true_division_and_no_eval(path):
    for node in ast.walk(ast.parse(path.read_text())):
        assert not (isinstance(node, ast.Constant) and isinstance(node.value, float | complex))
        assert not (isinstance(node, ast.Name) and node.id in FORBIDDEN)
        assert not isinstance(node, ast.Div)
        assert not isinstance(node, ast.Assert)
        assert not isinstance(node, ast.Try)


@pytest.mark.parametrize("path", CHECKERS, ids=lambda path: path.stem)
def test_a_checker_is_short_and_says_what_it_proves(path):
    text = path.read_text()
    assert ast.get_docstring(ast.parse(text))
    assert len(text.splitlines()) <= 400


@pytest.mark.parametrize("path", PROVERS, ids=lambda path: path.stem)
def test_a_prover_imports_no_checker(path):
    for module, _ in imports(ast.parse(path.read_text())):
        assert "checkers" not in module


SCRIPT = """
import hashlib, json, random, sys
from sympy.external.gmpy import GROUND_TYPES
assert GROUND_TYPES == sys.argv[1], GROUND_TYPES
from impossible_rubrics_env.certificates.ledger import check_record, load_ledger
from impossible_rubrics_env.certificates.provers.build import build
from impossible_rubrics_env.certificates.provers.parametric import PARAMETRIC_KINDS, draw_record
digest = hashlib.sha256(json.dumps(build(), sort_keys=True).encode())
for kind in PARAMETRIC_KINDS:
    rng = random.Random(kind)
    for _ in range(100):
        record = draw_record(kind, rng)
        check_record(record)
        digest.update(json.dumps(record, sort_keys=True).encode())
for record in load_ledger().values():
    check_record(record)
print(digest.hexdigest())
"""


def test_python_gmpy_and_flint_give_the_same_bytes():
    digests = set()
    for types in ("python", "gmpy", "flint"):
        environment = {**os.environ, "SYMPY_GROUND_TYPES": types, "PYTHONHASHSEED": "random"}
        environment.pop("MPMATH_NOGMPY", None)
        run = subprocess.run(
            [sys.executable, "-c", SCRIPT, types], capture_output=True, text=True, env=environment, check=False
        )
        assert run.returncode == 0, run.stderr
        digests.add(run.stdout.strip())
    assert len(digests) == 1
    assert len(digests.pop()) == hashlib.sha256().digest_size * 2
