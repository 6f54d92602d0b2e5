"""How a run was made, read from its folder beside its rows.

What comes in is the folder of a run, or a file of rows; what goes out is the rows with their `Provenance`, where a
store and a copy of the environments stand beside them. Refused, with StoreError or ArgumentError: a damaged store, and
a copy that is not the one of the run.
"""

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from impossible_rubrics_env.chain import roles, store
from impossible_rubrics_env.chain.environments import Environment, read_copy
from impossible_rubrics_env.chain.history import History
from impossible_rubrics_env.chain.problems import StoreError
from impossible_rubrics_env.chain.results import FILE, Provenance, Run, Variant, read_results, results_file
from impossible_rubrics_env.release.records import Kind

ENVIRONMENTS = "environments.jsonl"
_KNOWN = ("setup", "environments", "prompts")


def read_run(path: str | os.PathLike[str]) -> Run:
    """Rows and provenance. Raises ArgumentError, StoreError, OSError."""
    run, file = read_results(path), results_file(path)
    folder = file.parent
    if file.name != FILE or not all((folder / name).is_file() for name in (store.FILE, ENVIRONMENTS)):
        return run
    return replace(run, provenance=_provenance(folder))


def environments_of(folder: Path, history: History) -> list[Environment]:
    """What a run was started on. Raises StoreError where the store is that of another program."""
    arguments = history.header["arguments"]
    missing = [name for name in _KNOWN if name not in arguments]
    if missing:
        raise StoreError(f"{folder / store.FILE}: not the store of a chain run: its header has no {', '.join(missing)}")
    return read_copy(folder / ENVIRONMENTS, arguments["environments"])


def _provenance(folder: Path) -> Provenance:
    history = store.read(folder)
    header, end = history.header, history.end or {}
    held = environments_of(folder, history)
    arguments = header["arguments"]
    setup = arguments["setup"]
    replies = [reply for several in history.replies.values() for reply in several]
    return Provenance(
        package=header["package"],
        started=str(header.get("time", "")),
        ended=end.get("time"),
        state=end.get("state"),
        reason=str(end.get("reason", "")),
        resumes=history.resumes,
        setup=setup,
        further={name: value for name, value in arguments.items() if name not in _KNOWN and value not in ("", None)},
        prompts=_prompts(setup) if arguments["prompts"] == roles.prompts_hash() else {},
        prompts_hash=arguments["prompts"],
        environments=len(held),
        controls=sum(one.record.kind is Kind.CONTROL for one in held),
        splits=Counter(one.split for one in held),
        environments_hash=arguments["environments"],
        model_ids=dict(sorted(Counter(reply.model_id for reply in replies).items())),
        input_tokens=sum(reply.input_tokens for reply in replies),
        output_tokens=sum(reply.output_tokens for reply in replies),
        cost_micro_usd=history.spent_micro_usd,
    )


def _prompts(setup: Mapping[str, Any]) -> dict[str, str]:
    return {
        "generator": roles.GENERATORS[Variant(setup["variant"])],
        "attacker": roles.ATTACKER_STATEMENTS if setup["statements"] else roles.ATTACKER,
        "judge": roles.JUDGE,
        "oracle": f"{roles.ORACLE}, on controls {roles.ORACLE_CONTROL}",
    }
