"""Entry point of the `impossible-rubrics` command."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager


def main() -> None:
    """Run the command line; where its extra is not installed, say how to install it and exit with 2."""
    _open_closed_streams()
    try:
        code = _run()
    except KeyboardInterrupt:  # in the instants that neither `run` nor the system covers
        code = 130
    with _interrupt_ends_the_process():
        sys.exit(code)


def _run() -> int:
    try:
        with _interrupt_ends_the_process():
            from impossible_rubrics_env.cli import application, run

            app = application()
    except ImportError as error:
        missing = str(error.name).partition(".")[0]
        print(f"error: the command line needs {missing}: pip install 'impossible-rubrics-env[cli]'", file=sys.stderr)
        return 2
    return run(sys.argv[1:], app)


def _open_closed_streams() -> None:
    """Give the null device to every standard stream that the caller closed.

    Otherwise Python has None in its place, and the next file that is opened gets its number and what is meant for it.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 - open to the end


@contextmanager
def _interrupt_ends_the_process() -> Iterator[None]:
    """Leave Ctrl-C to the system: while modules are imported, Python's exception for it may be lost in C code.

    After an exit inside this, it stays so: nothing is half-written then. Whoever ignores the signal goes on doing so.
    """
    handler = signal.getsignal(signal.SIGINT)
    if handler is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGINT, handler)


if __name__ == "__main__":
    main()
