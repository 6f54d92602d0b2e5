"""Serve an offline writer of rubrics at a chat endpoint, to try the chain without a key or a model.

`python -m impossible_rubrics_chain literal` answers the prompts of generators at http://127.0.0.1:8378/v1 as
`policy:literal` does, and refuses others. Ctrl-C ends it. A bad name or port ends it at once, with exit code 2.
"""

import sys
from contextlib import suppress

from impossible_rubrics_env.chain.offline import GENERATORS, policies
from impossible_rubrics_env.errors import ArgumentError

PORT = 8378


def main(arguments: list[str]) -> int:
    """Serve until Ctrl-C; the exit code."""
    name, port = (*arguments, *("careful", str(PORT))[len(arguments) :])[:2]
    if name not in GENERATORS or not port.isascii() or not port.isdigit():
        sys.stderr.write(f"usage: python -m impossible_rubrics_chain [{'|'.join(GENERATORS)}] [PORT]\n")
        return 2
    try:
        from impossible_rubrics_env import serve
    except ImportError as error:
        sys.stderr.write(f"this needs {error.name}: pip install 'impossible-rubrics-env[serve]'\n")
        return 2
    try:
        listener = serve.open_listener("127.0.0.1", int(port))
    except ArgumentError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    with listener, suppress(KeyboardInterrupt):
        sys.stderr.write(f"policy:{name} writes rubrics at {serve.base_url(listener)} (Ctrl-C ends it)\n")
        serve.run(serve.application(policies()[name], f"policy:{name}"), listener)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
