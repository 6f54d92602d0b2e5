"""Serve a reference policy at an OpenAI-compatible chat endpoint, to try any client without a key or a model.

The policy sees the text of the last user message and nothing else. Any API key and any model name will do. Only this
machine can reach it unless --host says otherwise. Ctrl-C ends it.

Examples:

  impossible-rubrics serve

  impossible-rubrics serve --policy always --port 9000

  impossible-rubrics serve --policy careful --port 0 --json
"""

import json
import shlex
from contextlib import suppress
from typing import Annotated

import typer

from impossible_rubrics_env.commands.options import Json
from impossible_rubrics_env.errors import ArgumentError, MissingExtraError
from impossible_rubrics_env.reference_policies.players import POLICIES

ENVIRONMENT = "impossible-rubrics-env"
_TRIES = (  # `env`, because `eval` alone is a word of the shell
    ("0.4", "vf-eval {v1} --env.taskset.num-tasks 6 --run.name r1"),
    ("0.3", "env eval {v1} --env.taskset.num-tasks 6 --run.name r1"),
    ("0.2", "env eval {v1} --taskset.num-tasks 6"),
    ("0.2 and 0.3, v0 API", "vf-eval {environment} -m {model} -b {url} -k OPENAI_API_KEY -n 6 -r 2 -s"),
)
_V1 = (
    "{environment} -m {model} --client.base-url {url} --client.api-key-var OPENAI_API_KEY "
    "-n 6 -r 2 --no-rich --no-push -o outputs"
)


def serve(
    policy: Annotated[str, typer.Option(help=f"One of {', '.join(POLICIES)}.")] = "careful",
    host: Annotated[str, typer.Option(help="Address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen at; 0 takes a free one and prints it.")] = 8377,
    model_name: Annotated[str | None, typer.Option(help="Name of the model; the policy's own if not given.")] = None,
    as_json: Json = False,
) -> None:
    """Serve a policy."""
    if policy not in POLICIES:
        raise ArgumentError(f"policy={policy!r} is none of {', '.join(POLICIES)}")
    try:
        from impossible_rubrics_env import serve as server
    except ImportError as error:
        raise MissingExtraError(f"serve needs {error.name}: pip install '{ENVIRONMENT}[serve]'") from None
    model = model_name or policy
    with server.open_listener(host, port) as listener, suppress(KeyboardInterrupt):
        url = server.base_url(listener)
        if as_json:
            print(json.dumps({"policy": policy, "model": model, "base_url": url}, sort_keys=True), flush=True)
        else:
            print(_greeting(policy, model, url), flush=True)
        server.run(server.application(POLICIES[policy], model), listener)


def _greeting(policy: str, model: str, url: str) -> str:
    """Where it is, and one command to try for each version of verifiers."""
    names = {"environment": ENVIRONMENT, "model": shlex.quote(model), "url": url}
    lines = [f"{policy} answers at {url} (Ctrl-C ends it). Try, in another terminal:", "  export OPENAI_API_KEY=any"]
    for versions, command in _TRIES:
        lines += [f"verifiers {versions}:", f"  {command.format(v1=_V1.format(**names), **names)}"]
    return "\n".join(lines)
