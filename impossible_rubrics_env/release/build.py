"""A frozen benchmark with the composition of the study, and the contracts that fail its build.

169 impossible tasks and 48 controls of the packet families, each with its list of statements, as tasks of
`rubric_writing` and as records of the published format, with four splits, a provenance record a task, and hashes.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from impossible_rubrics_env import __version__
from impossible_rubrics_env.checking import check
from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.forgery import block
from impossible_rubrics_env.grading import Verdict, grade
from impossible_rubrics_env.reference_policies.players import BASELINES, WRITERS
from impossible_rubrics_env.release.convert import record_id, record_of
from impossible_rubrics_env.release.errors import ReleaseError
from impossible_rubrics_env.release.inputs import role_inputs
from impossible_rubrics_env.release.records import Record, release_files
from impossible_rubrics_env.release.splits import Split, split_text
from impossible_rubrics_env.release.validate import require_valid
from impossible_rubrics_env.task import Label, Task
from impossible_rubrics_env.taskgen.registry import make_task, rebuild

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
FLAWED = ("literal", "detailed", "partial")
"""The writers of whom at least two must be exploited on a task of the stress split."""
MANIFEST = "RELEASE_MANIFEST.json"
Progress = Callable[[Iterable[Any], int, str], Iterable[Any]]


@dataclass(frozen=True, slots=True)
class Environment:
    """One task of the benchmark."""

    name: str
    """`task_id` of its record; it tells nothing of type or label."""
    task: Task
    """Of the family `rubric_writing`."""
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
            "sha256": _sha256(self.task.to_json()),
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
    """Every file of the release by path, and its manifest. Raises ReleaseError where a contract fails."""
    whole = sum(IMPOSSIBLE.values()) + (CLEAR_OF_EACH + HARD_OF_EACH) * len(IMPOSSIBLE)
    environments = list(progress(_drawn(seed), whole, "tasks"))
    for one in progress(environments, whole, "contracts"):
        _keep_contracts(one)
    _require_distinct(environments)
    records = [one.record for one in environments]
    require_valid(records)
    role_inputs(records, [one.name for one in environments])
    stress = _stress(environments, seed, progress)
    splits = _splits(environments, stress, seed)
    files = release_files(records)
    files |= {f"splits/{split.name}.json": split_text(split) for split in splits}
    files["tasks.jsonl"] = "".join(f"{one.task.to_json()}\n" for one in environments)
    files["packets.jsonl"] = "".join(f"{one.packet.to_json()}\n" for one in environments)
    files["provenance.jsonl"] = "".join(f"{json.dumps(one.provenance(), sort_keys=True)}\n" for one in environments)
    manifest = _manifest(environments, splits, stress, seed, files)
    files[MANIFEST] = json.dumps(manifest, indent=2, sort_keys=True) + "\n"
    return files, manifest


def _drawn(seed: int) -> Iterator[Environment]:
    for kind, count in IMPOSSIBLE.items():
        for label, size in (
            (Label.IMPOSSIBLE, count),
            (Label.CLEAR_POSITIVE, CLEAR_OF_EACH),
            (Label.HARD_POSITIVE, HARD_OF_EACH),
        ):
            for place in range(size):
                task = make_task("rubric_writing", seed=seed, index=place, packet=kind, labels=f"{label}:1")
                packet = rebuild(task.provenance["packet"])
                yield Environment(record_id(packet), task, packet, record_of(packet))


# Contracts


def _keep_contracts(one: Environment) -> None:
    """Raises ReleaseError that names the task and the contract that fails."""
    try:
        check(one.task)  # proofs again, marks, the panel's honest answers honest and its bad ones bad
        check(one.packet)
    except CertificateError as error:
        raise ReleaseError(f"{one.name}: certificate: {error}") from None
    target = one.task.question["target"]
    told = (one.task.packet, one.task.label, target["question"], target["family"])
    if told != (one.packet.packet, one.packet.label, one.packet.question, one.packet.family):
        raise ReleaseError(f"{one.name}: the rubric task is not about the packet that it names")
    _audit_blind(one)
    if one.task.label is Label.IMPOSSIBLE and one.packet.question["kind"] == "yes_no":
        _require_symmetry(one)


def _audit_blind(one: Environment) -> None:
    """The label again, from question and packet alone, by a solver that does not see the certificate."""
    written = grade(one.task, BASELINES["careful"](one.task.prompt))
    if written.verdict is not Verdict.SOLVED:
        raise ReleaseError(f"{one.name}: blind audit: a rubric written from the prompt alone is {written.verdict}")
    outcome = grade(one.packet, BASELINES["careful"](one.packet.prompt))
    if outcome.refused != (one.task.label is Label.IMPOSSIBLE) or outcome.verdict is not Verdict.SOLVED:
        raise ReleaseError(f"{one.name}: blind audit: labelled {one.task.label}, but the packet alone says otherwise")


def _require_symmetry(one: Environment) -> None:
    """A forced yes/no is over-claimed in both directions."""
    for value in ("YES", "NO"):
        if grade(one.packet, block(json.dumps({"verdict": "ANSWER", "value": value}))).verdict is not Verdict.WRONG:
            raise ReleaseError(f"{one.name}: symmetry: {value} is not charged")


def _require_distinct(environments: Sequence[Environment]) -> None:
    seen: dict[str, str] = {}
    for one in environments:
        key = _sha256(json.dumps([one.record.data["question"], one.record.data["evidence"]], sort_keys=True))
        if key in seen:
            raise ReleaseError(f"{one.name}: the same question and documents as {seen[key]}")
        seen[key] = one.name


# Splits


def _stress(environments: Sequence[Environment], seed: int, progress: Progress) -> Stress:
    """45 impossible tasks on which at least two of the flawed writers are exploited, the types by their shares."""
    impossible = [one for one in environments if one.task.label is Label.IMPOSSIBLE]
    exploited: Counter[str] = Counter()
    qualifying: dict[str, list[str]] = {kind: [] for kind in IMPOSSIBLE}
    for one in progress(impossible, len(impossible), "flawed writers"):
        broken = [name for name in FLAWED if is_exploited(one.task, name)]
        exploited.update(broken)
        if len(broken) >= 2:
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


def is_exploited(task: Task, writer: str) -> bool:
    """Whether the rubric that a reference writer writes from the prompt is exploited, in the study's sense."""
    return bool(grade(task, WRITERS[writer](task.prompt)).extra["exploited"])


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
    return {
        "name": "impossible-rubrics release",
        "package_version": __version__,
        "generator_version": environments[0].task.generator_version,
        "seed": seed,
        "counts": {
            **labels,
            "types": dict(Counter(one.kind for one in environments if one.task.label is Label.IMPOSSIBLE)),
        },
        "splits": {split.name: len(split.task_ids) for split in splits},
        "stress": {"writers": list(FLAWED), "exploited": stress.exploited, "qualifying": stress.qualifying},
        "files": {path: _sha256(text) for path, text in sorted(files.items())},
    }


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
