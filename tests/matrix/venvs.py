"""Real virtual environments for the matrix: made once under `.venvs/`, and made again when what they hold changes."""

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENVS = ROOT / ".venvs"
HERE = Path(__file__).parent
_STAMP = "matrix-stamp"
_QUIET = {
    "DO_NOT_TRACK": "1",
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
    "PRIME_DISABLE_VERSION_CHECK": "1",
    "NO_COLOR": "1",
    "OPENAI_API_KEY": "stub",
    "UV_PYTHON_DOWNLOADS": "never",
}
_DROPPED = ("PRIME_API_KEY", "PRIME_TEAM_ID", "WANDB_API_KEY", "HF_TOKEN", "PYTHONPATH", "VIRTUAL_ENV", "PYENV_VERSION")
_locks: dict[str, threading.Lock] = {}
_locks_lock = threading.Lock()


def environment(home: Path, **extra: str) -> dict[str, str]:
    """This process's variables without keys, with a home of its own, and with telemetry and uploads off."""
    kept = {name: value for name, value in os.environ.items() if name not in _DROPPED}
    own = {
        "UV_CACHE_DIR": os.environ.get("UV_CACHE_DIR") or str(Path.home() / ".cache" / "uv"),
        "XDG_CONFIG_HOME": os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config"),
    }
    return {**kept, **_QUIET, **own, "HOME": str(home), **extra}


def run(
    command: Sequence[str | Path],
    *,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    timeout: float = 300,
    check: bool = True,
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; what it printed is in the error where it fails.

    It leads a process group of its own, so that one which takes too long ends with all that it started.
    """
    with subprocess.Popen(
        [str(part) for part in command],
        env=None if env is None else dict(env),
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    if check and process.returncode != 0:
        raise AssertionError(
            f"{' '.join(map(str, command))[:500]} ended with {process.returncode}\n"
            f"--- stdout\n{out[-6000:]}\n--- stderr\n{err[-6000:]}"
        )
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def interpreter(version: str) -> Path:
    """The Python of this minor version, or an AssertionError that says what to install: never a skip."""
    if sys.version_info[:2] == tuple(map(int, version.split("."))):
        return Path(sys.executable)
    ask = ("-c", "import sys; print(sys.executable)")
    choices: list[dict[str, str]] = [{}]
    if shutil.which("pyenv"):
        known = run(["pyenv", "versions", "--bare"], check=False).stdout.split()
        choices += [{"PYENV_VERSION": name} for name in known if name.startswith(f"{version}.")]
    if shutil.which(f"python{version}"):
        for choice in choices:
            found = run([f"python{version}", *ask], env={**os.environ, **choice}, check=False)
            if found.returncode == 0:
                return Path(found.stdout.strip())
    raise AssertionError(f"no python{version} on PATH: the matrix needs it; install Python {version} and run again")


def venv(name: str, requirements: Path | None = None, python: str = "3.11") -> Path:
    """The Python of the environment `name`, with exactly the pinned requirements and what tests added since."""
    with _locks_lock:
        lock = _locks.setdefault(name, threading.Lock())
    with lock:
        base = interpreter(python)
        pins = requirements.read_bytes() if requirements else b""
        stamp = hashlib.sha256(b"1\n" + str(base).encode() + b"\n" + pins).hexdigest()
        folder = VENVS / name
        made = folder / "bin" / "python"
        if not made.exists() or _read(folder / _STAMP) != stamp:
            shutil.rmtree(folder, ignore_errors=True)
            _make(base, folder)
            if requirements:
                install(made, "-r", requirements, compile_bytecode=True)
            (folder / _STAMP).write_text(stamp)
        return made


def fresh_venv(name: str, python: str = "3.11") -> Path:
    """An empty environment, made anew."""
    folder = VENVS / name
    shutil.rmtree(folder, ignore_errors=True)
    _make(interpreter(python), folder)
    return folder / "bin" / "python"


def install(python: Path, *what: str | Path, compile_bytecode: bool = False) -> None:
    """Install into an environment, with uv where there is one."""
    uv = uv_path()
    if uv:
        extra = ["--compile-bytecode"] if compile_bytecode else []
        run([uv, "pip", "install", "--quiet", "--python", python, *extra, *what], timeout=900)
    else:
        names = [part if part != "--reinstall" else "--force-reinstall" for part in what]
        run([python, "-m", "pip", "install", "--quiet", *names], timeout=900)


def uv_path() -> Path | None:
    """The uv of this environment, else one on PATH."""
    own = Path(sys.executable).parent / "uv"
    if own.exists():
        return own
    found = shutil.which("uv")
    return Path(found) if found else None


def _make(base: Path, folder: Path) -> None:
    folder.parent.mkdir(exist_ok=True)
    uv = uv_path()
    if uv:
        run([uv, "venv", "--quiet", "--python", base, folder])
    else:
        run([base, "-m", "venv", folder])


def _read(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def source_copy(target: Path) -> Path:
    """The tracked files as they are now, in `target`, so that a build leaves nothing in the checkout."""
    listed = run(["git", "ls-files", "-z"], cwd=ROOT).stdout.split("\0")
    for name in filter(None, listed):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, target / name)
    return target


def build_wheel(work: Path) -> Path:
    """Build the wheel from a copy of the tracked files."""
    source = source_copy(work / "source")
    out = work / "wheel"
    uv = uv_path()
    if uv:
        run([uv, "build", "--wheel", "--quiet", "--python", sys.executable, "--out-dir", out, source], timeout=600)
    else:
        run([sys.executable, "-m", "pip", "wheel", "--no-deps", "--quiet", "--wheel-dir", out, source], timeout=600)
    (wheel,) = out.glob("*.whl")
    return wheel
