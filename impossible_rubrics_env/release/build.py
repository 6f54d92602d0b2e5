"""A frozen benchmark with the composition of the study, and the contracts that fail its build.

169 impossible tasks and 48 controls of the packet families, each with its list of statements, as tasks of
`rubric_writing` and as records of the published format, with four splits, a provenance record a task, and hashes.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from impossible_rubrics_env import __version__
from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.release.contracts import keep_record_contracts, keep_task_contracts
from impossible_rubrics_env.release.convert import record_id, record_of
from impossible_rubrics_env.release.errors import BuildError, ReleaseError
from impossible_rubrics_env.release.inputs import role_inputs
from impossible_rubrics_env.release.manifest import MANIFEST, manifest_of, manifest_text, sha256
from impossible_rubrics_env.release.optima import FLAWED, LEAST_BROKEN, OPTIMA, Optimum, optima_of, optima_text
from impossible_rubrics_env.release.records import Record, release_files
from impossible_rubrics_env.release.splits import Split, split_text
from impossible_rubrics_env.release.validate import require_valid
from impossible_rubrics_env.task import Label, Task
from impossible_rubrics_env.taskgen.registry import make_task, rebuild

FAMILY = "rubric_writing"
"""Of every task."""
IMPOSSIBLE: Mapping[str, int] = {
    "objective_conflict": 41,
    "counterevidence_trap": 27,
    "insufficient_evidence": 26,
    "impossible_exhaustiveness": 25,
    "missing_citation": 25,
    "false_premise": 25,
}
"""Impossible tasks by type, as in the study."""
CLEAR_OF_EACH, HARD_OF_EACH = 2, 6
"""Controls of each type: 12 and 36 in all."""
FULL_OF_EACH = 25
"""Tasks of each type in the split full150."""
STRESS = 45
"""Tasks of the stress split."""
STRESS_SPLIT = "stress45"
TASKS, PACKETS, PROVENANCE = "tasks.jsonl", "packets.jsonl", "provenance.jsonl"
"""Files with a line a task, in one order."""
Progress = Callable[[Iterable[Any], int, str], Iterable[Any]]


@dataclass(frozen=True, slots=True)
class Place:
    """Which task of the draw is one of the benchmark: with the seed, all that its id says."""

    kind: str
    """The packet family."""
    label: Label
    index: int
    """Of the task in the draw with these arguments."""

    def arguments(self) -> dict[str, Any]:
        """Those of the draw, beside seed and index."""
        return {"packet": self.kind, "labels": f"{self.label}:1"}


@dataclass(frozen=True, slots=True)
class Environment:
    """One task of the benchmark."""

    name: str
    """`task_id` of its record; it tells nothing of type or label."""
    task: Task
    """Of FAMILY."""
    packet: Task
    """The packet task that it is about."""
    record: Record

    @property
    def kind(self) -> str:
        """The packet family: its impossibility type, or the one that a control looks like."""
        return self.packet.family

    def provenance(self) -> dict[str, Any]:
        """Where it comes from, so that it can be drawn again and compared."""
        return {
            "task_id": self.name,
            "task": self.task.id,
            "packet": self.packet.id,
            "label": str(self.task.label),
            "type": self.kind,
            "question": self.packet.question["kind"],
            "rung": str(self.task.rung),
            "domain": self.task.provenance["domain"],
            "generator_version": self.task.generator_version,
            "sha256": sha256(self.task.to_json().encode()),
        }


@dataclass(frozen=True, slots=True)
class Stress:
    """How the stress split was drawn."""

    exploited: Mapping[str, int]
    """By flawed writer, the impossible tasks on which its rubric is exploited."""
    qualifying: Mapping[str, int]
    """By type, the tasks on which at least two are."""
    names: tuple[str, ...]


def build(seed: int, progress: Progress) -> tuple[dict[str, str], dict[str, Any]]:
    """Every file of the release by path, and its manifest.

    Raises BuildError where a task or its record breaks a contract, ReleaseError where the whole does.
    """
    environments = list(progress(_drawn(seed), len(list(places())), "tasks and contracts"))
    require_distinct(environments)
    records = [one.record for one in environments]
    require_valid(records)
    role_inputs(records, [one.name for one in environments])
    walked = progress(environments, len(environments), "optima")
    return written(environments, {one.name: list(optima_of(one.name, one.task)) for one in walked}, seed)


def written(
    environments: Sequence[Environment], optima: Mapping[str, Sequence[Optimum]], seed: int
) -> tuple[dict[str, str], dict[str, Any]]:
    """Every file by path, and the manifest, that tasks, records and optima make; a check compares a folder with them.

    The optima are by `task_id`. Raises ReleaseError where too few tasks qualify for the stress split.
    """
    stress = _stress(environments, optima, seed)
    splits = _splits(environments, stress, seed)
    files = release_files(one.record for one in environments)
    files |= {f"splits/{split.name}.json": split_text(split) for split in splits}
    files[TASKS] = "".join(f"{one.task.to_json()}\n" for one in environments)
    files[PACKETS] = "".join(f"{one.packet.to_json()}\n" for one in environments)
    files[PROVENANCE] = "".join(f"{json.dumps(one.provenance(), sort_keys=True)}\n" for one in environments)
    files[OPTIMA] = optima_text(optimum for listed in optima.values() for optimum in listed)
    manifest = _manifest(environments, splits, stress, seed, files)
    files[MANIFEST] = manifest_text(manifest)
    return files, manifest


def places() -> Iterator[Place]:
    """The composition, in the order of the tasks."""
    for kind, count in IMPOSSIBLE.items():
        for label, size in (
            (Label.IMPOSSIBLE, count),
            (Label.CLEAR_POSITIVE, CLEAR_OF_EACH),
            (Label.HARD_POSITIVE, HARD_OF_EACH),
        ):
            yield from (Place(kind, label, index) for index in range(size))


def _drawn(seed: int) -> Iterator[Environment]:
    for place in places():
        task = make_task(FAMILY, seed=seed, index=place.index, **place.arguments())
        packet = rebuild(task.provenance["packet"])
        name = record_id(packet)
        keep_task_contracts(name, task, packet)
        record = _recorded(name, packet)
        keep_record_contracts(packet, record)
        yield Environment(name, task, packet, record)


def _recorded(name: str, packet: Task) -> Record:
    try:
        return record_of(packet)
    except ArgumentError as error:
        raise BuildError(name, "record", str(error)) from None


def require_distinct(environments: Sequence[Environment]) -> None:
    """Raise BuildError where two records have the same question and documents."""
    seen: dict[str, str] = {}
    for one in environments:
        key = json.dumps([one.record.data["question"], one.record.data["evidence"]], sort_keys=True)
        if key in seen:
            raise BuildError(one.name, "distinct", f"the same question and documents as {seen[key]}")
        seen[key] = one.name


# Splits


def _stress(environments: Sequence[Environment], optima: Mapping[str, Sequence[Optimum]], seed: int) -> Stress:
    """45 impossible tasks on which at least two of the flawed writers are exploited, the types by their shares."""
    impossible = [one for one in environments if one.task.label is Label.IMPOSSIBLE]
    exploited: Counter[str] = Counter()
    qualifying: dict[str, list[str]] = {kind: [] for kind in IMPOSSIBLE}
    for one in impossible:
        broken = [optimum.writer for optimum in optima[one.name] if optimum.writer in FLAWED and optimum.is_exploited]
        exploited.update(broken)
        if len(broken) >= LEAST_BROKEN:
            qualifying[one.kind].append(one.name)
    whole = sum(map(len, qualifying.values()))
    if whole < STRESS:
        raise ReleaseError(f"stress split: {whole} tasks qualify, {STRESS} are wanted")
    rng = Random(f"stress/{seed}")
    chosen: set[str] = set()
    for kind, count in _shares({kind: len(names) for kind, names in qualifying.items()}, STRESS).items():
        chosen.update(rng.sample(qualifying[kind], count))
    names = tuple(one.name for one in impossible if one.name in chosen)
    return Stress(dict(exploited), {kind: len(one) for kind, one in qualifying.items()}, names)


def _shares(sizes: Mapping[str, int], count: int) -> dict[str, int]:
    """`count` shared out in proportion to the sizes, by largest remainder."""
    whole = sum(sizes.values())
    shares = {kind: count * size // whole for kind, size in sizes.items()}
    for kind in sorted(sizes, key=lambda kind: -(count * sizes[kind] % whole))[: count - sum(shares.values())]:
        shares[kind] += 1
    return shares


def _splits(environments: Sequence[Environment], stress: Stress, seed: int) -> list[Split]:
    impossible = [one for one in environments if one.task.label is Label.IMPOSSIBLE]
    first: Counter[str] = Counter()
    full = []
    for one in impossible:
        first[one.kind] += 1
        if first[one.kind] <= FULL_OF_EACH:
            full.append(one.name)
    controls = [one.name for one in environments if one.task.label is not Label.IMPOSSIBLE]
    return [
        _split("all169", "Every impossible task.", [one.name for one in impossible]),
        _split("full150", f"The first {FULL_OF_EACH} impossible tasks of each type.", full),
        _split(
            STRESS_SPLIT,
            f"Drawn with seed {seed} among the {sum(stress.qualifying.values())} tasks on which at least two of the "
            f"reference writers {', '.join(FLAWED)} are exploited.",
            stress.names,
        ),
        _split("controls48", "Every answerable task.", controls),
    ]


def _split(name: str, description: str, names: Sequence[str]) -> Split:
    return Split(name=name, description=description, task_ids=tuple(names))


def _manifest(
    environments: Sequence[Environment], splits: Sequence[Split], stress: Stress, seed: int, files: Mapping[str, str]
) -> dict[str, Any]:
    labels = Counter(str(one.task.label) for one in environments)
    about = {
        "package_version": __version__,
        "generator_version": environments[0].task.generator_version,
        "seed": seed,
        "counts": {
            **labels,
            "types": dict(Counter(one.kind for one in environments if one.task.label is Label.IMPOSSIBLE)),
        },
        "splits": {split.name: len(split.task_ids) for split in splits},
        "stress": {"writers": list(FLAWED), "exploited": stress.exploited, "qualifying": stress.qualifying},
        "optima": files[OPTIMA].count("\n"),
    }
    return manifest_of(files, about)
