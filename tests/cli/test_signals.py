"""The command as a shell meets it: standard streams that are closed, Ctrl-C at any time, terminals of any width."""

import os
import signal
import subprocess
import sys
import time

import pytest

MODULE = [sys.executable, "-m", "impossible_rubrics_env"]
MARKED = (
    "import sys\nfrom impossible_rubrics_env.__main__ import main\nsys.stderr.write('.')\nsys.stderr.flush()\nmain()"
)
"""The command, which says when the interpreter itself is up: before that, no code of this package is there to help."""
SECONDS = 60


def run(command, **options):
    return subprocess.run(command, text=True, check=False, timeout=SECONDS, stdin=subprocess.DEVNULL, **options)


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "rows.jsonl"
    name = "certified_interval@"
    printed = run([*MODULE, "tasks", "--families", "attack", "--n", "1"], capture_output=True).stdout
    task_id = next(word for word in printed.split() if word.startswith(name))
    path.write_text(f'{{"task_id": "{task_id}", "reply": "x"}}\n')
    return path


COMMANDS = (
    "mix --n 40",
    "sweep --families attack --n 20",
    "dial",
    "check --n 3",
    "score {rows}",
    "tasks --n 1",
    "--version",
)


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("arguments", COMMANDS)
def test_a_closed_standard_stream_is_no_terminal_and_no_traceback(rows, arguments, closed):
    words = [*MODULE, *arguments.format(rows=rows).split()]
    result = run(["sh", "-c", f'"$@" {closed}', "sh", *words], capture_output=True)
    assert (result.returncode, result.stderr) == (0, "")
    assert (result.stdout == "") == (">&-" in closed.split())


def test_an_error_that_nobody_can_read_does_not_go_to_standard_output():
    result = run(["sh", "-c", '"$@" 2>&-', "sh", *MODULE, "frobnicate"], capture_output=True)
    assert (result.returncode, result.stdout) == (2, "")


def test_a_file_that_is_written_never_takes_the_number_of_a_closed_stream(rows, tmp_path):
    """Else what is printed would land in it."""
    out = tmp_path / "out.jsonl"
    run(["sh", "-c", '"$@" >&- 2>&-', "sh", *MODULE, "score", str(rows), "--out", str(out)])
    assert out.read_text().count("\n") == 1


@pytest.mark.parametrize("arguments", ["mix --n 50000", "serve --port 0"])
def test_an_interrupt_at_any_time_ends_the_command_quietly(arguments):
    for delay in (20, 40, 60, 85, 95, 105, 120, 150, 200, 250, 300, 400):
        process = subprocess.Popen(
            [sys.executable, "-c", MARKED, *arguments.split()],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stderr.read(1) == "."
        time.sleep(delay / 1000)
        process.send_signal(signal.SIGINT)
        try:
            _, err = process.communicate(timeout=10)
        finally:
            process.kill()
        served = {0} if arguments.startswith("serve") else set()
        assert process.returncode in {-signal.SIGINT, 130} | served, (delay, err)
        assert err in ("", "error: interrupted\n"), (delay, err)


def test_an_interrupt_of_a_command_at_work_is_one_line_and_130():
    process = subprocess.Popen(
        [*MODULE, "tasks", "--n", "1000000", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 130
    assert err == "error: interrupted\n"


def test_a_caller_that_ignores_interrupts_is_obeyed():
    """As `nohup` and background jobs of scripts do."""
    process = subprocess.Popen(
        ["sh", "-c", "trap '' INT; exec \"$@\"", "sh", *MODULE, "tasks", "--n", "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    for _ in range(5):
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=SECONDS)
    assert (process.returncode, err) == (0, "")
    assert "@1/train/0/0" in out


@pytest.mark.parametrize(
    "arguments",
    [
        "mix --n 40",
        "sweep --families attack --n 400 --draw balanced",
        "sweep --families missing_citation --n 10",
        "dial",
        "score {rows}",
    ],
)
def test_no_number_is_cut_however_narrow_the_terminal(rows, arguments):
    def printed(columns):
        words = [*MODULE, *arguments.format(rows=rows).split()]
        return run(words, capture_output=True, env={**os.environ, "COLUMNS": columns}).stdout

    whole = printed("300")
    assert "\N{HORIZONTAL ELLIPSIS}" not in whole
    for columns in ("0", "1", "20", "80"):
        assert printed(columns).split() == whole.split()
