"""Entry point of the `impossible-rubrics` command."""

import sys


def main() -> None:
    """Run the command line; where its extra is not installed, say how to install it and exit with 2."""
    try:
        from impossible_rubrics_env.cli import run
    except ImportError as error:
        missing = str(error.name).partition(".")[0]
        print(f"error: the command line needs {missing}: pip install 'impossible-rubrics-env[cli]'", file=sys.stderr)
        sys.exit(2)
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
