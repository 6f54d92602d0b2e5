"""RL environments whose right move is sometimes "this cannot be done", graded by exact proofs.

Importing this package loads neither sympy nor a framework: every public name is resolved on first use.
The v1 names exist only where a `verifiers` with the v1 API is installed.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from impossible_rubrics_env.checking import CheckReport, check
    from impossible_rubrics_env.errors import ArgumentError, CertificateError, GateError, ImpossibleRubricsError
    from impossible_rubrics_env.grading import Grade, Verdict, grade
    from impossible_rubrics_env.task import Label, Role, Rung, Task
    from impossible_rubrics_env.taskgen.registry import generate, make_task, rebuild, twin

FAMILIES = (
    "certified_interval",
    "insufficient_evidence",
    "objective_conflict",
    "false_premise",
    "missing_citation",
    "counterevidence_trap",
    "impossible_exhaustiveness",
    "rubric_attack",
    "rubric_writing",
    "rubric_reward",
)
"""Names of the task families."""

_CORE = {
    "ArgumentError": "errors",
    "CertificateError": "errors",
    "GateError": "errors",
    "ImpossibleRubricsError": "errors",
    "CheckReport": "checking",
    "check": "checking",
    "Grade": "grading",
    "Verdict": "grading",
    "grade": "grading",
    "Label": "task",
    "Role": "task",
    "Rung": "task",
    "Task": "task",
    "generate": "taskgen.registry",
    "make_task": "taskgen.registry",
    "rebuild": "taskgen.registry",
    "twin": "taskgen.registry",
    "with_rubric": "rubric_grading",
}
_V1 = ("ImpossibleRubricsTaskset", "ImpossibleRubricsHarness", "ImpossibleRubricsEnv")

__all__ = [
    "FAMILIES",
    "ArgumentError",
    "CertificateError",
    "CheckReport",
    "GateError",
    "Grade",
    "ImpossibleRubricsEnv",
    "ImpossibleRubricsError",
    "ImpossibleRubricsHarness",
    "ImpossibleRubricsTaskset",
    "Label",
    "Role",
    "Rung",
    "Task",
    "Verdict",
    "check",
    "generate",
    "grade",
    "load_environment",
    "make_task",
    "rebuild",
    "twin",
    "with_rubric",
]


def load_environment(**arguments: Any) -> Any:
    """The environment for `verifiers` v0 (`vf.load_environment("impossible-rubrics-env", ...)`).

    `num_train` and `num_eval` bound the two datasets; all other arguments are those of the draw.
    """
    from impossible_rubrics_env.bindings import verifiers_v0

    return verifiers_v0.load_environment(**arguments)


def __getattr__(name: str) -> Any:
    if name in _CORE:
        value = getattr(import_module(f"{__name__}.{_CORE[name]}"), name)
    elif name == "__version__":
        from importlib.metadata import version

        value = version("impossible-rubrics-env")
    elif name in _V1:
        value = _v1_name(name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_CORE})


def _v1_name(name: str) -> Any:
    try:
        module = import_module(f"{__name__}.bindings.verifiers_v1")
    except ImportError as error:
        message = f"{name} needs the v1 API of verifiers: pip install 'verifiers>=0.2.0' ({error})"
        raise AttributeError(message) from error
    value = getattr(module, name, None)
    if value is None:
        raise AttributeError(f"{name} needs a newer verifiers than the one installed")
    return value
