"""Which models can play together, and on what: found before a run has a folder, and before anything is paid.

A model of a provider writes prose: no prompt asks it for a machine part, or for statements word for word. Policies
read nothing else: attackers and judges the machine part of a rubric, judges and oracles answers each line of which is
a statement of the list, generators documents of ours. docs/chain-run.md has the table.
"""

from collections.abc import Iterable, Iterator, Sequence

from impossible_rubrics_env.chain import offline
from impossible_rubrics_env.chain.calls import Model, Provider
from impossible_rubrics_env.chain.environments import WRITING, Environment
from impossible_rubrics_env.chain.stages import ROLES, Baseline, Setup
from impossible_rubrics_env.errors import ArgumentError

_OTHERS = "anthropic:NAME or openai:NAME"


def check(environments: Sequence[Environment], setup: Setup) -> None:
    """Raise ArgumentError where there is nothing to play on, or a call cannot bring what it is for."""
    if not environments:
        raise ArgumentError("there are no environments")
    for role in ROLES:
        models = setup.players(role)
        if not models or len(set(models)) != len(models):
            raise ArgumentError(f"--{role}: at least one model is needed, and none twice")
        for model in models:
            _check_role(model, role)
    without = sum(one.statements is None for one in environments)
    if without:
        _check_without_statements(setup, without)
    _check_readers(setup)
    _check_baseline(setup)
    _check_attacks(setup)


def _check_role(model: Model, role: str) -> None:
    if model.provider is Provider.FIXED and role != "generator":
        raise ArgumentError(f"{model} is no {role}: fixed models write rubrics")
    known = {Provider.POLICY: offline.ROLES[role], Provider.FIXED: offline.FIXED}.get(model.provider)
    if known is not None and model.name not in known:
        raise ArgumentError(
            f"{model} is no {role}; there are {', '.join(f'{model.provider}:{name}' for name in known)}"
        )


def _check_without_statements(setup: Setup, without: int) -> None:
    """Environments of others have no list of statements, and documents that no policy reads."""
    has = "1 environment has" if without == 1 else f"{without} environments have"
    of = f"{has} no list of statements, as only {WRITING} tasks have"
    playing = {role: found for role in ROLES if (found := _policies(setup.players(role)))}
    if playing:
        fixed = ", or as --generator fixed:NAME" if "generator" in playing else ""
        raise ArgumentError(f"{of}, and {_needing(playing)} such tasks: give {_given(playing)} {_OTHERS}{fixed}")
    if setup.statements:
        raise ArgumentError(f"{of}: leave out --statements")
    if setup.baseline is Baseline.STATEMENTS:
        raise ArgumentError(f"{of}: leave out --baseline statements")


def _check_readers(setup: Setup) -> None:
    """Policies that would have to read the prose of a model."""
    writers, attackers = _of_providers(setup.generators), _of_providers(setup.attackers)
    roles = ("attacker", "judge", "oracle") if writers else ("judge", "oracle") if attackers else ()
    stuck = {role: found for role in roles if (found := _policies(setup.players(role)))}
    if stuck:
        prose = ", ".join(map(str, dict.fromkeys([*writers, *attackers])))
        raise ArgumentError(f"{_named(stuck)} cannot read the prose of {prose}: give {_given(stuck)} {_OTHERS}")
    without_list = _policies(setup.attackers)
    if without_list and not setup.statements:
        raise ArgumentError(f"{_needing({'attacker': without_list})} the list of statements: give --statements")


def _check_baseline(setup: Setup) -> None:
    """Policies that would have to read the prose of a record."""
    readers = {"judge": _policies(setup.judges), "oracle": _policies(setup.oracles) if setup.audit else []}
    reading = {role: found for role, found in readers.items() if found}
    if reading and setup.baseline is not Baseline.STATEMENTS:
        audit = " or leave out --audit" if "judge" not in reading else ""
        raise ArgumentError(
            f"{_named(reading)} cannot read the prose of records as baselines: give --baseline statements{audit}"
        )


def _check_attacks(setup: Setup) -> None:
    """Policies that would have to attack a rubric in several ways."""
    alike = _policies(setup.attackers)
    if setup.attacks > 1 and alike:
        raise ArgumentError(
            f"--attacks {setup.attacks}: {_named({'attacker': alike})} would attack alike each time: leave it out, or "
            f"give --attacker {_OTHERS}"
        )


def _policies(models: Iterable[Model]) -> list[Model]:
    return [one for one in models if one.provider is Provider.POLICY]


def _of_providers(models: Iterable[Model]) -> list[Model]:
    return [one for one in models if one.provider.paid]


def _named(players: dict[str, list[Model]]) -> str:
    return ", ".join(_each(players))


def _needing(players: dict[str, list[Model]]) -> str:
    """As in `policy:best (attacker) needs`."""
    return f"{_named(players)} {'needs' if sum(map(len, players.values())) == 1 else 'need'}"


def _each(players: dict[str, list[Model]]) -> Iterator[str]:
    for role, models in players.items():
        yield from (f"{one} ({role})" for one in models)


def _given(roles: Iterable[str]) -> str:
    """As in `give --judge and --oracle`."""
    options = [f"--{role}" for role in roles]
    return " and ".join([", ".join(options[:-1]), options[-1]] if len(options) > 1 else options)
