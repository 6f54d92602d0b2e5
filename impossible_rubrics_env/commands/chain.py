"""Measure how often rubrics of models reward answers that break the certificate: generator, attacker, judge, oracle.

Examples:

  impossible-rubrics chain run --families answer --n 48 --generator policy:detailed --output runs/first

  impossible-rubrics chain run --help
"""

from importlib import import_module

import typer

SUBCOMMANDS = ("run", "prices", "report", "export-labels", "import-labels")
"""Each is the function `chain_<name>` of the module `commands.chain_<name>` (hyphens as underscores)."""


def _application() -> typer.Typer:
    app = typer.Typer(rich_markup_mode=None)
    app.callback()(_group)
    for name in SUBCOMMANDS:
        function = f"chain_{name.replace('-', '_')}"
        module = import_module(f"impossible_rubrics_env.commands.{function}")
        app.command(name, help=module.__doc__)(getattr(module, function))
    return app


def _group() -> None:
    """Keeps a single subcommand from taking the group's place."""


chain = _application()
"""The subcommands as one command of the application."""
