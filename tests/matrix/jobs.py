"""The real commands of the matrix: one function a command, each run at most once a session."""

import json
import os
from pathlib import Path
from typing import Any

import venvs
from loopback import reply_of
from rows import Row, read_rows
from running import Matrix

from impossible_rubrics_env import generate

PYTHONS = ("3.11", "3.12", "3.13")
ID = "impossible-rubrics-env"
SCRIPTS = venvs.HERE / "scripts"
TASKS = "12"


def odd_cases() -> list[dict[str, Any]]:
    """Completions, each on a task of every label and kind of question: a right one first, then the odd ones."""
    from odd_replies import MESSAGES, TEXTS, fill

    tasks = {(task.label, task.question["kind"]): task for task in generate(n=40, abstain=True)}
    cases = []
    for task in tasks.values():
        right = reply_of(task, "right")
        texts = [[{"role": "assistant", "content": text}] for text in (right, *TEXTS)]
        cases += [{"spec": task.to_json(), "completion": fill(item, right)} for item in (*texts, *MESSAGES)]
    return cases


def wheel(matrix: Matrix) -> Path:
    """The package's own wheel, built once from the tracked files."""
    return venvs.build_wheel(matrix.folder("build"))


def python(matrix: Matrix, version: str) -> Path:
    """The Python of the environment with this verifiers and our wheel."""
    made = venvs.venv(f"verifiers-{version}", venvs.HERE / f"requirements-verifiers-{version}.txt")
    venvs.install(made, "--reinstall", "--no-deps", matrix.get(wheel))
    return made


def tool(matrix: Matrix, version: str, name: str) -> Path:
    """A console script of that environment."""
    return matrix.get(python, version).parent / name


def command(matrix: Matrix, version: str, name: str, *args: str | Path, timeout: float = 300) -> str:
    """Run a console script in a folder of its own; its output."""
    home = matrix.folder(f"home-{version}-{name}-{len(list(matrix.work.iterdir()))}")
    env = venvs.environment(home)
    done = venvs.run([tool(matrix, version, name), *args], env=env, cwd=home, timeout=timeout)
    return done.stdout + done.stderr


def script(matrix: Matrix, version: str, name: str, *args: str, timeout: float = 300) -> Any:
    """Run one of our scripts in that environment; the JSON on its last line."""
    home = matrix.folder(f"home-{version}-{name}")
    env = venvs.environment(home)
    line = [matrix.get(python, version), SCRIPTS / f"{name}.py", *args]
    done = venvs.run(line, env=env, cwd=home, timeout=timeout)
    return json.loads(done.stdout.strip().split("\n")[-1])


def _client(matrix: Matrix) -> list[str]:
    return ["-m", "stub", "--client.base-url", matrix.model.url, "--client.api-key-var", "OPENAI_API_KEY"]


def _taskset(version: str) -> str:
    return "--taskset." if version == "0.2.0" else "--env.taskset."


def v1_folder(matrix: Matrix, version: str, served: bool) -> Path:
    """Evaluate with the version's own v1 command line; the folder of the run."""
    out = matrix.folder(f"v1-{version}-{'served' if served else 'here'}")
    name = "vf-eval" if version == "0.4.0" else "eval"
    run = [
        ID,
        f"{_taskset(version)}num-tasks",
        TASKS,
        *_client(matrix),
        "-n",
        TASKS,
        "-r",
        "1",
        "--no-rich",
        "--no-push",
    ]
    run += ["-o", str(out)] + ([] if version == "0.2.0" else ["--run.name", "r1"])
    run += {("0.2.0", True): ["--server"], ("0.3.1", False): ["--no-serve"]}.get((version, served), [])
    command(matrix, version, name, *run)
    return out if version == "0.2.0" else out / "r1"


def v1_rows(matrix: Matrix, version: str, served: bool) -> list[Row]:
    """What that evaluation saved."""
    return read_rows(matrix.get(v1_folder, version, served) / "traces.jsonl")


def replayed_rows(matrix: Matrix, version: str) -> list[Row]:
    """What the version's own replay of the same run saves."""
    source = matrix.get(v1_folder, version, version == "0.3.1")
    out = matrix.folder(f"replay-{version}")
    name = "vf-replay" if version == "0.4.0" else "replay"
    command(matrix, version, name, source, "--no-rich", "-o", out)
    (found,) = out.rglob("traces.jsonl")
    return read_rows(found)


def validated(matrix: Matrix, version: str) -> str:
    """What the version's own model-free check says."""
    name = "vf-validate" if version == "0.4.0" else "validate"
    run = [ID, "--runtime.type", "subprocess", "--no-rich", "-n", "6"]
    if version == "0.2.0":
        return command(matrix, version, name, *run)
    out = matrix.folder(f"validate-{version}")
    printed = command(matrix, version, name, *run, "-o", out, "--run.name", "r1")
    return printed + "".join(path.read_text() for path in sorted(out.rglob("*.json*")))


CONFIG = """
[taskset]
id = "impossible-rubrics-env"
num_tasks = 4
split = "eval"
seed = 5
mix = "balanced"
scheme = "train"
penalty = 3
abstain = true
"""


def configured(matrix: Matrix, version: str) -> str:
    """The model-free check of a draw that is set in a file, as trainers set it, and on the command line."""
    out = matrix.folder(f"configured-{version}")
    (out / "draw.toml").write_text(CONFIG)
    name = "vf-validate" if version == "0.4.0" else "validate"
    run = ["@", str(out / "draw.toml"), "--taskset.order", "shuffled", "--runtime.type", "subprocess", "--no-rich"]
    if version == "0.2.0":
        return command(matrix, version, name, *run)
    printed = command(matrix, version, name, *run, "-o", out, "--run.name", "r1")
    return printed + "".join(path.read_text() for path in sorted(out.rglob("results.jsonl")))


def endless_rows(matrix: Matrix, version: str) -> list[Row]:
    """An evaluation of the first tasks of the endless taskset."""
    out = matrix.folder(f"endless-{version}")
    name = "vf-eval" if version == "0.4.0" else "eval"
    run = ["impossible-rubrics-endless", *_client(matrix), "-n", "6", "-r", "1", "--no-rich", "--no-push"]
    command(matrix, version, name, *run, "-o", out, "--run.name", "r1")
    return read_rows(out / "r1" / "traces.jsonl")


def v0_cli_rows(matrix: Matrix, version: str) -> list[Row]:
    """What the v0 command line saved."""
    return read_rows(matrix.get(v0_cli_file, version))


def v0_cli_file(matrix: Matrix, version: str) -> Path:
    """An evaluation with the v0 command line, through its env server; the file it saved."""
    out = matrix.folder(f"v0-{version}")
    args = json.dumps({"num_train": int(TASKS), "num_eval": int(TASKS), "split": "eval", "eval_split": "train"})
    run = [ID, "-a", args, "-m", "stub", "-b", matrix.model.url, "-k", "OPENAI_API_KEY"]
    command(matrix, version, "vf-eval", *run, "-n", TASKS, "-r", "1", "-s", "--disable-tui", "-o", out)
    (found,) = out.rglob("results.jsonl")
    return found


def v0_api(matrix: Matrix, version: str) -> dict[str, Any]:
    """The v0 environment through its Python API; see scripts/v0_api.py."""
    folder = matrix.folder(f"v0-api-{version}")
    out = folder / "results.jsonl"
    (folder / "odd.json").write_text(json.dumps(odd_cases()))
    printed: dict[str, Any] = script(
        matrix, version, "v0_api", matrix.model.url, TASKS, str(out), str(folder / "odd.json")
    )
    return {**printed, "rows": read_rows(out)}


def v1_served(matrix: Matrix, version: str) -> dict[str, Any]:
    """The v1 taskset behind the version's env server, through its Python client; see scripts/v1_served.py."""
    printed: dict[str, Any] = script(matrix, version, "v1_served", matrix.model.url, "6")
    return printed


def refusal(matrix: Matrix, version: str, *arguments: str) -> str:
    """What the v1 command line prints when it is to run with these arguments, and how it ends."""
    home = matrix.folder(f"refusal-{version}-{'-'.join(arguments).replace('/', '')}")
    name = "vf-eval" if version == "0.4.0" else "eval"
    line = [tool(matrix, version, name), *arguments, *_client(matrix), "-n", "1", "-r", "1", "--no-rich", "--no-push"]
    done = venvs.run([*line, "-o", home / "out"], env=venvs.environment(home), cwd=home, timeout=120, check=False)
    return f"{done.returncode}\n{done.stdout}{done.stderr}"


def core_python(matrix: Matrix, python_version: str) -> Path:
    """The Python of an environment with sympy, numpy and our wheel, and nothing else."""
    made = venvs.venv(f"core-{python_version}", venvs.HERE / "requirements-core.txt", python_version)
    venvs.install(made, "--reinstall", "--no-deps", matrix.get(wheel))
    return made


def core_only(matrix: Matrix, python_version: str) -> dict[str, Any]:
    """The core without any framework; see scripts/core_only.py."""
    home = matrix.folder(f"core-{python_version}")
    line = [matrix.get(core_python, python_version), SCRIPTS / "core_only.py"]
    done = venvs.run(line, env=venvs.environment(home), cwd=home)
    printed: dict[str, Any] = json.loads(done.stdout)
    return printed


def prime_installed(matrix: Matrix) -> dict[str, Any]:
    """`prime env install` of a copy of the tracked files into an empty environment, and what works there."""
    prime = venvs.venv("prime", venvs.HERE / "requirements-prime.txt")
    target = venvs.fresh_venv("prime-target")
    home = matrix.folder("prime")
    venvs.source_copy(home / "source" / "impossible_rubrics_env")
    folder = target.parent.parent
    env = venvs.environment(
        home,
        PATH=f"{prime.parent}:{os.environ['PATH']}",
        VIRTUAL_ENV=str(folder),
        UV_PROJECT_ENVIRONMENT=str(folder),
    )
    done = venvs.run(
        [prime.parent / "prime", "env", "install", ID, "-p", home / "source"], env=env, cwd=home, timeout=900
    )
    used = venvs.run([target, SCRIPTS / "installed.py"], env=venvs.environment(home), cwd=home)
    return {"printed": done.stdout + done.stderr, **json.loads(used.stdout.strip().split("\n")[-1])}


def core_digests(matrix: Matrix, python_version: str) -> dict[str, Any]:
    """The digests of `tests/golden` by family, made again by the wheel alone under this Python."""
    home = matrix.folder(f"digests-{python_version}")
    code = (
        "import sys; sys.path.append(sys.argv[1])\n"
        "import json, pin\n"
        "print(json.dumps({family: pin.pins(family) for family in pin.ire.FAMILIES}))"
    )
    line = [matrix.get(core_python, python_version), "-c", code, venvs.ROOT / "tests" / "golden"]
    printed: dict[str, Any] = json.loads(venvs.run(line, env=venvs.environment(home), cwd=home).stdout)
    return printed


def v0_refused(matrix: Matrix, version: str) -> str:
    """What `load_environment` raises where the installed verifiers has no v0."""
    home = matrix.folder(f"refused-{version}")
    code = (
        "import impossible_rubrics_env as ire\n"
        "try:\n    ire.load_environment(num_train=5)\n"
        "except Exception as error:\n    print(f'{type(error).__name__}: {error}')"
    )
    return venvs.run([matrix.get(python, version), "-c", code], env=venvs.environment(home), cwd=home).stdout.strip()


def chain_tests(matrix: Matrix, clients: str) -> dict[str, Any]:
    """The tests of the engine and the stages with other versions of the two providers' clients, against the wheel."""
    made = venvs.venv(f"clients-{clients}", venvs.HERE / f"requirements-clients-{clients}.txt")
    venvs.install(made, "--reinstall", "--no-deps", matrix.get(wheel))
    home = matrix.folder(f"clients-{clients}")
    env = venvs.environment(home, SYMPY_GROUND_TYPES="python")
    code = "import json, openai, anthropic; print(json.dumps([openai.__version__, anthropic.__version__]))"
    versions = json.loads(venvs.run([made, "-c", code], env=env, cwd=home).stdout)
    names = ("engine", "eval", "kill", "page", "parts", "signals", "stages", "store")
    parts = [f"tests/chain/test_{name}.py" for name in names]
    line = [made.parent / "pytest", *parts, "-q", "-p", "no:cacheprovider", "--basetemp", home / "tests"]
    done = venvs.run(line, env=env, cwd=venvs.ROOT, timeout=900, check=False)
    return {"versions": versions, "ended": done.returncode, "printed": done.stdout[-6000:] + done.stderr[-2000:]}
