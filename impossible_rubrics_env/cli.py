"""The `impossible-rubrics` command line: options shared by the subcommands, errors as one line, exit codes."""

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from impossible_rubrics_env.errors import ImpossibleRubricsError

COMMANDS = (
    "tasks",
    "mix",
    "dial",
    "gate",
    "check",
    "sweep",
    "audit",
    "gallery",
    "goodhart",
    "writers",
    "eval",
    "score",
    "serve",
    "release",
    "chain",
)
_ClickException: type[Exception] = next(
    base for base in typer.BadParameter.__mro__ if base.__name__ == "ClickException"
)
"""Typer bundles click in some versions and depends on it in others; its own error base is found through it."""
OK, FAILED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130


class _Commands(TyperGroup):
    """All subcommands. Some versions of Typer end an interrupt as a mere exit code, which says nothing to the user."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise typer.Abort from None


def application() -> typer.Typer:
    """The command line with every subcommand registered."""
    app = typer.Typer(
        name="impossible-rubrics",
        cls=_Commands,
        help="Tasks whose right answer is sometimes 'this cannot be done', graded by exact proofs.",
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
    )
    app.callback(invoke_without_command=True)(_options)
    for name in COMMANDS:
        module = import_module(f"impossible_rubrics_env.commands.{name}")
        command = getattr(module, name)
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name, help=module.__doc__)
        else:
            app.command(name, help=module.__doc__)(command)
    return app


def _options(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.", is_eager=True)] = False,
) -> None:
    if version:
        print(import_module("impossible_rubrics_env").__version__)
        raise typer.Exit


def run(arguments: Sequence[str], app: typer.Typer | None = None) -> int:
    """Run one command line and return its exit code: 0 done, 1 a check failed, 2 bad input, 130 interrupted."""
    try:
        code = (app or application())(args=list(arguments) or ["--help"], standalone_mode=False)
        return code if isinstance(code, int) else OK
    except typer.Exit as stop:
        return stop.exit_code
    except (typer.Abort, KeyboardInterrupt):
        return _fail("interrupted", INTERRUPTED)
    except BrokenPipeError:
        sys.stderr.close()
        return OK
    except (ImpossibleRubricsError, OSError) as error:
        return _fail(str(error), BAD_INPUT)
    except _ClickException as error:
        return _fail(error.format_message(), BAD_INPUT)  # type: ignore[attr-defined]


def _fail(message: str, code: int) -> int:
    print("error: " + " ".join(message.split()), file=sys.stderr)
    return code
