"""What a chain runs on: records with their public and private sides, and for our own tasks the marked statements.

In: a folder that `release build` wrote, a release of others with a split, or a draw. Out: `Environment`s, and their
frozen copy in the folder of the run, from which results can be made again without anything else.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.release.convert import TYPES, record_id, record_of
from impossible_rubrics_env.release.errors import ReleaseError
from impossible_rubrics_env.release.files import listed, plain, read_text
from impossible_rubrics_env.release.inputs import honest_answer, input_line
from impossible_rubrics_env.release.manifest import require_unchanged
from impossible_rubrics_env.release.records import Kind, Record, read_records
from impossible_rubrics_env.release.splits import read_split
from impossible_rubrics_env.release.strict_json import parse
from impossible_rubrics_env.rubric_grading import is_honest, marks_of
from impossible_rubrics_env.rubrics.marks import FALSE_MARKS, Marked
from impossible_rubrics_env.task import Task
from impossible_rubrics_env.taskgen.registry import family_weights, make_task, rebuild

MAX_BYTES = 512 * 2**20
DRAW = "draw"
"""The split's name of drawn tasks."""
CONTROLS = "controls"
"""The split's name of controls that run beside a split."""


@dataclass(frozen=True, slots=True)
class Statements:
    """The list of a task of ours."""

    texts: Mapping[str, str]
    """By id, in list order."""
    marked: Marked
    """What the certificate proves of each."""

    def prose(self, stated: Iterable[str]) -> str:
        """The statements as an answer, in list order."""
        chosen = set(stated)
        return "\n".join(text for name, text in self.texts.items() if name in chosen)

    def is_false(self, stated: Iterable[str]) -> bool:
        """Whether one of these statements is false or unsupported."""
        return any(self.marked.marks[name] in FALSE_MARKS for name in stated)

    def violates(self, stated: Iterable[str]) -> bool:
        """Whether an answer of these statements violates the certificate."""
        return not is_honest(self.marked, tuple(stated))


@dataclass(frozen=True, slots=True)
class Environment:
    """One question with its documents."""

    record: Record
    type: str
    """`impossibility_type` of the record; of a control, the one it looks like; `control` where nothing says."""
    label: str
    split: str
    statements: Statements | None = None

    @property
    def task_id(self) -> str:
        """The record's id."""
        return self.record.task_id

    def baseline(self, *, by_statements: bool) -> str:
        """The honest answer: the record's own, or the smallest one that statements make. Fixed before any attack."""
        if by_statements and self.statements is not None:
            return self.statements.prose(self.statements.marked.baseline)
        return honest_answer(self.record)

    def refusing(self, *, by_statements: bool) -> str | None:
        """Of a control, an answer that refuses: made of statements, or the record's own; None where there is none."""
        if self.record.kind is not Kind.CONTROL:
            return None
        if by_statements and self.statements is not None:
            marked = self.statements.marked
            ground = [name for name in marked.refusing if marked.means[name]["kind"] == "ground"][:1]
            settled = [name for name in marked.refusing if marked.means[name]["kind"] == "settled"]
            return self.statements.prose([*settled, *ground])
        answers = self.record.data.get("fixed_stress_answers") or []
        texts = (one["text"] for one in answers if one.get("answer_type") == "over_refusal")
        return next(texts, None)

    def as_dict(self) -> dict[str, Any]:
        """JSON data that `from_dict` reads."""
        held = self.statements
        marked = None if held is None else held.marked
        return {
            "kind": str(self.record.kind),
            "record": self.record.data,
            "type": self.type,
            "label": self.label,
            "split": self.split,
            "statements": held
            and marked
            and {
                "texts": dict(held.texts),
                "marks": dict(marked.marks),
                "idle": sorted(marked.idle),
                "means": {name: dict(one) for name, one in marked.means.items()},
            },
        }

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> "Environment":
        """Read what `as_dict` gave."""
        record, held = Record(Kind(data["kind"]), data["record"], "the run's copy"), data["statements"]
        statements = None
        if held is not None:
            marked = Marked(tuple(held["texts"]), held["marks"], frozenset(held["idle"]), held["means"])
            statements = Statements(held["texts"], marked)
        return Environment(record, data["type"], data["label"], data["split"], statements)


def from_release(folder: Path, split: str, *, controls: bool = False) -> list[Environment]:
    """Of a folder that `release build` wrote: a split by name (`stress45`) or file; `controls` adds all controls.

    Files must be those of the manifest; marks are proved again. Raises ArgumentError and ReleaseError.
    """
    require_unchanged(folder)
    named = folder / "splits" / f"{split}.json"
    path = named if named.is_file() else Path(split)
    if not path.is_file():
        known = ", ".join(sorted(one.stem for one in (folder / "splits").glob("*.json"))) or "none"
        raise ArgumentError(f"split={plain(split)!r} is neither a split of {plain(folder)} ({known}) nor a file")
    tasks = {one["task_id"]: one for one in _lines(folder / "provenance.jsonl")}
    held = {task.id: task for task in (Task.from_json(one) for one in _lines(folder / "tasks.jsonl"))}
    chosen = list(_chosen(read_records(folder), path, controls=controls))
    for record, _ in chosen:
        if record.task_id not in tasks or tasks[record.task_id]["task"] not in held:
            raise ArgumentError(f"{plain(folder)}: {plain(record.task_id)} is in no line of provenance and tasks")
    found = ((tasks[record.task_id], record, name) for record, name in chosen)
    return [_own(record, held[entry["task"]], entry["type"], name) for entry, record, name in found]


def from_records(path: Path, split: Path | None, *, controls: bool = False) -> list[Environment]:
    """Of an imported release: the tasks of a split, or all impossible ones. There are no statements."""
    chosen = _chosen(read_records(path), split, controls=controls)
    return [_checked(Environment(record, _type_of(record), _label_of(record), name)) for record, name in chosen]


def drawn(families: str, n: int, seed: int) -> list[Environment]:
    """Tasks of the packet families, in the shares that their weights say, each with its statements.

    `families` is as in `generate`. Raises ArgumentError where one is no packet family.
    """
    weights = family_weights(families)
    foreign = [name for name in weights if name not in TYPES]
    if foreign:
        raise ArgumentError(f"families: {', '.join(foreign)} have no packet of their own; there are {', '.join(TYPES)}")
    found: dict[str, Environment] = {}
    counts = dict.fromkeys(weights, 0)
    for index in range(n):
        name = max(weights, key=lambda one: weights[one] * (index + 1) - counts[one] * sum(weights.values()))
        task = make_task("rubric_writing", seed=seed, index=counts[name], packet=name)
        counts[name] += 1
        packet = rebuild(task.provenance["packet"])
        found.setdefault(record_id(packet), _own(record_of(packet), task, packet.family, DRAW))
    return list(found.values())


def copy_text(environments: Sequence[Environment]) -> str:
    """The frozen copy: one line an environment."""
    return "".join(f"{json.dumps(one.as_dict(), ensure_ascii=True, allow_nan=False)}\n" for one in environments)


def read_copy(path: Path, digest: str) -> list[Environment]:
    """What a run froze. Raises ArgumentError where the file is not what the run's header says."""
    text = read_text(path, MAX_BYTES)
    if digest_of(text) != digest:
        raise ArgumentError(f"{plain(path)}: not the file that this run was started with")
    return [Environment.from_dict(json.loads(line)) for line in text.split("\n") if line]


def digest_of(text: str) -> str:
    """SHA-256 of a text, in hex."""
    return hashlib.sha256(text.encode()).hexdigest()


def _chosen(records: Sequence[Record], split: Path | None, *, controls: bool) -> Iterator[tuple[Record, str]]:
    """Records of the split in its order, then all controls that are not in it, each with the name of its split."""
    by_id = {one.task_id: one for one in records}
    if split is None:
        name, ids = "all", [one.task_id for one in records if one.kind is Kind.IMPOSSIBLE]
    else:
        read = read_split(split, need_name=False)
        name, ids = read.name, list(read.task_ids)
    missing = [one for one in ids if one not in by_id]
    if missing:
        raise ArgumentError(f"{len(missing)} ids of the split have no record: {listed(missing)}")
    yield from ((by_id[one], name) for one in ids)
    if controls:
        yield from ((one, CONTROLS) for one in records if one.kind is Kind.CONTROL and one.task_id not in set(ids))


def _own(record: Record, task: Task, family: str, split: str) -> Environment:
    listed_statements = task.question["target"]["statements"]
    texts = {one["id"]: one["text"] for one in listed_statements}
    return _checked(
        Environment(record, TYPES[family], str(task.label), split, Statements(texts, marks_of(task))),
    )


def _checked(one: Environment) -> Environment:
    """Raise ReleaseError now, and not amid the run, where a role could not be asked."""
    input_line(one.record)
    one.baseline(by_statements=False)
    name = "oracle_certificate" if one.record.kind is Kind.IMPOSSIBLE else "ground_truth"
    if not isinstance(one.record.data.get(name), Mapping):
        raise ReleaseError(f"{one.record.problem(name, 'missing: an oracle needs it')}")
    return one


def _type_of(record: Record) -> str:
    for name in ("impossibility_type", "looks_like_impossibility_type"):
        value = record.data.get(name)
        if isinstance(value, str) and value:
            return value
    return "control"


def _label_of(record: Record) -> str:
    if record.kind is Kind.IMPOSSIBLE:
        return "impossible"
    return "hard_positive" if record.data.get("looks_like_impossibility_type") else "clear_positive"


def _lines(path: Path) -> list[Any]:
    try:
        return [parse(line) for line in read_text(path, MAX_BYTES).split("\n") if line.strip()]
    except ValueError as error:
        raise ArgumentError(f"{plain(path)}: {plain(str(error))}") from None
