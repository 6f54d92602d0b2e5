"""Build, exchange and evaluate frozen benchmarks in the format of the published release.

Examples:

  impossible-rubrics release --help

  impossible-rubrics release evaluate rows.jsonl --split split.json
"""

from importlib import import_module

import typer

SUBCOMMANDS = ("build", "check", "calibrate", "import", "export", "inputs", "evaluate")
"""Each is the function `release_<name>` of the module `commands.release_<name>`, whose docstring is its help."""


def _application() -> typer.Typer:
    app = typer.Typer(rich_markup_mode=None)
    for name in SUBCOMMANDS:
        module = import_module(f"impossible_rubrics_env.commands.release_{name}")
        app.command(name, help=module.__doc__)(getattr(module, f"release_{name}"))
    return app


release = _application()
"""The subcommands as one command of the application."""
