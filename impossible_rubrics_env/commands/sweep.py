"""Play the reference policies on freshly generated tasks of each family and print the tables.

The reference draw (the default) is stratified: attack tasks are exactly 30% impossible, packets 40% impossible and 40%
their twins. The command fails, with exit code 1, where careful is not perfect, a player that never refuses solves an
impossible task, careful is less than 0.25 above the best blind player on the reference draw of an attack family, or,
on the twins of a packet family, a blind player earns more than +0.10 or solves more than 15% of the pairs, or the
guesser, which is told when to refuse, proves more than 20% of its refusals.

Examples:

  impossible-rubrics sweep

  impossible-rubrics sweep --n 2000 --draw balanced

  impossible-rubrics sweep --families certified_interval --policies careful,edge,key,midpoint,zero,one --json
"""

import sys
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import typer
from rich.table import Table

from impossible_rubrics_env.commands.options import Families, Json, console, print_json, with_draw, with_progress
from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.gate import gate_tasks, run_gate
from impossible_rubrics_env.reference_policies.players import BASELINES, POLICIES, TOLD
from impossible_rubrics_env.summary import Summary
from impossible_rubrics_env.sweep import REFERENCE_TASKS, drawn_tasks, faults, play, reference_tasks
from impossible_rubrics_env.task import Label, Role
from impossible_rubrics_env.taskgen.arguments import MIXES, draw_arguments
from impossible_rubrics_env.taskgen.registry import draw_weights, role_of

DRAWS = ("reference", *MIXES)
DEFAULT_PLAYERS = (*BASELINES, *TOLD)
_PLAYERS = (*POLICIES, *TOLD)
_SHOWN_LABELS = {
    Label.IMPOSSIBLE: "impossible",
    Label.HARD_POSITIVE: "hard",
    Label.CLEAR_POSITIVE: "clear",
}


@with_draw(without=("mix", "paid_by"))
def sweep(
    families: Families = "all",
    n: Annotated[int, typer.Option("--n", "-n", min=1, help="How many tasks of each family.")] = REFERENCE_TASKS,
    of: Annotated[str, typer.Option("--draw", help=f"One of {', '.join(DRAWS)}.")] = "reference",
    policies: Annotated[str, typer.Option(help=f"Players, from {', '.join(_PLAYERS)}.")] = ",".join(DEFAULT_PLAYERS),
    as_json: Json = False,
    draw: dict[str, Any] | None = None,
) -> int:
    """Play the policies."""
    if of not in DRAWS:
        raise ArgumentError(f"draw={of!r} is not one of {', '.join(DRAWS)}")
    players = _players(policies)
    given = draw or {}
    drawn = draw_weights(families, draw_arguments(**given))
    run_gate(gate_tasks(families, **given))
    tasks = reference_tasks(n, families, **given) if of == "reference" else drawn_tasks(n, families, mix=of, **given)
    summaries = play(
        {name: POLICIES[name] for name in players if name in POLICIES},
        with_progress(tasks, n * len(drawn), "tasks"),
        told={name: TOLD[name] for name in players if name in TOLD},
    )
    if not summaries:
        raise ArgumentError(f"policies={policies!r}: none of them plays {', '.join(drawn)}")
    found = faults(summaries, reference=of == "reference")
    if as_json:
        print_json({"draw": of, "n": n, "arguments": given, **_data(summaries), "faults": found})
    else:
        for one in _tables(summaries, f"{n} tasks, {of} draw", pairs=of == "balanced"):
            console().print(one)
        for fault in found:
            print(f"FAILED: {fault}", file=sys.stderr)
    return 1 if found else 0


def _players(names: str) -> list[str]:
    players = [name.strip() for name in names.split(",")]
    for name in players:
        if name not in _PLAYERS:
            raise ArgumentError(f"policies={names!r}: {name!r} is none of {', '.join(_PLAYERS)}")
    return players


def _data(summaries: Mapping[str, Summary]) -> dict[str, Any]:
    return {
        "players": {name: summary.as_dict() for name, summary in summaries.items()},
        "families": {
            family: {name: summary.as_dict() for name, summary in own.items()}
            for family, own in _by_family(summaries).items()
        },
    }


def _by_family(summaries: Mapping[str, Summary]) -> dict[str, dict[str, Summary]]:
    """Summaries by family and player."""
    split: dict[str, dict[str, Summary]] = {}
    for name, summary in summaries.items():
        for family in summary.families():
            split.setdefault(family, {})[name] = summary.family(family)
    return split


def _tables(summaries: Mapping[str, Summary], title: str, *, pairs: bool) -> Iterator[Table]:
    """A table for each attack family, and one for all packet families."""
    split = _by_family(summaries)
    for family, own in split.items():
        if role_of(family) is Role.ATTACK:
            yield attack_table(own, title if len(split) == 1 else f"{family}: {title}", pairs=pairs)
    for role, what in ((Role.ANSWER, "packets"), (Role.RUBRIC, "rubrics for packets")):
        packets = {family: own for family, own in split.items() if role_of(family) is role}
        if packets:
            yield packet_table(packets, f"{what}, of each family {title}")


def attack_table(summaries: Mapping[str, Summary], title: str, *, pairs: bool) -> Table:
    """One row a player: mean reward, shares, false claims, solved of graded by rung; on twins also pair columns."""
    columns = ["player", "n", "mean reward", "solved", "false claims"]
    result = Table(*columns, title=title)
    for rung, _ in next(iter(summaries.values())).rungs():
        result.add_column(str(rung), justify="right")
    for name in ("pair accuracy", "d'", "criterion") if pairs else ():
        result.add_column(name, justify="right")
    for name, summary in summaries.items():
        whole = summary.total()
        mean, share = whole.reward / whole.graded, whole.solved / whole.graded
        row = [name, str(whole.graded), f"{mean:+.3f}", f"{share:.1%}", str(whole.signals["false_claim"])]
        row += [f"{tally.solved}/{tally.graded}" for _, tally in summary.rungs()]
        result.add_row(*row, *(_pair_cells(summary) if pairs else ()))
    return result


def packet_table(families: Mapping[str, Mapping[str, Summary]], title: str) -> Table:
    """A row a family and player: means, solved of graded by label, twin pairs, and what was refused without a proof."""
    caption = "proved: refusals of impossible packets with a witness that proves them; guesser is told when to refuse"
    result = Table("family", "player", "n", title=title, caption=caption)
    for name in ("mean reward", "on twins", *_SHOWN_LABELS.values(), "pair accuracy", "d'"):
        result.add_column(name, justify="right")
    for name in ("false claims", "over-refusals", "proved"):
        result.add_column(name, justify="right")
    for family, summaries in families.items():
        result.add_section()
        for place, (name, summary) in enumerate(summaries.items()):
            result.add_row("" if place else family, name, *_packet_cells(summary))
    if len(families) > 1:
        result.add_section()
        names = dict.fromkeys(name for summaries in families.values() for name in summaries)
        for place, name in enumerate(names):
            parts = [summaries[name] for summaries in families.values() if name in summaries]
            result.add_row("" if place else "all", name, *_packet_cells(Summary.merged(parts)))
    return result


def _packet_cells(summary: Summary) -> Iterator[str]:
    whole, twins = summary.total(), summary.twins()
    impossible = summary.total(label=str(Label.IMPOSSIBLE))
    accuracy, apart, _ = _pair_cells(summary)
    yield str(whole.graded)
    for tally in (whole, twins):
        yield "-" if tally.mean_reward is None else f"{tally.mean_reward:+.3f}"
    for label in _SHOWN_LABELS:
        tally = summary.total(label=str(label))
        yield f"{tally.solved}/{tally.graded}"
    yield from (accuracy, apart)
    yield str(whole.signals["false_claim"])
    yield str(whole.signals["over_refusal"])
    yield f"{impossible.signals['witness_valid']}/{impossible.signals['refused']}"


def _pair_cells(summary: Summary) -> tuple[str, str, str]:
    accuracy, apart = summary.pair_accuracy(), summary.discrimination()
    return (
        "-" if accuracy is None else f"{accuracy:.1%}",
        "-" if apart is None else f"{apart.d_prime:+.2f}",
        "-" if apart is None else f"{apart.criterion:+.2f}",
    )
