"""What a chain runs on: records with their public and private sides, and for our own tasks the marked statements.

In: a folder that `release build` wrote, a release of others with a split, or tasks, from a file or drawn. Out:
`Environment`s, and their frozen copy in the folder of the run, from which results can be made again without anything
else.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

from impossible_rubrics_env.checking import check
from impossible_rubrics_env.errors import ArgumentError, CertificateError, ImpossibleRubricsError
from impossible_rubrics_env.release.convert import TYPES, record_of
from impossible_rubrics_env.release.errors import ReleaseError
from impossible_rubrics_env.release.files import listed, plain, read_text
from impossible_rubrics_env.release.inputs import honest_answer, input_line
from impossible_rubrics_env.release.manifest import require_unchanged
from impossible_rubrics_env.release.records import Kind, Record, read_records
from impossible_rubrics_env.release.splits import read_split
from impossible_rubrics_env.release.strict_json import parse
from impossible_rubrics_env.rubric_grading import is_honest, marks_of
from impossible_rubrics_env.rubrics.marks import FALSE_MARKS, Marked
from impossible_rubrics_env.task import Role, Task
from impossible_rubrics_env.taskgen.registry import family_weights, make_task, rebuild

MAX_BYTES = 512 * 2**20
WRITING = "rubric_writing"
"""The family whose tasks have statements."""
DRAW = "draw"
"""The split's name of drawn tasks."""
CONTROLS = "controls"
"""The split's name of controls that run beside a split."""
_OF_RELEASE = ("provenance.jsonl", "tasks.jsonl")
"""Files that a release of ours has beside its records."""


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
    """The one that was asked for."""
    statements: Statements | None = None
    splits: tuple[str, ...] = ()
    """All of the release that it is in."""

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
            "splits": list(self.splits),
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
        splits = tuple(data.get("splits", ()))
        return Environment(record, data["type"], data["label"], data["split"], statements, splits)


@dataclass(frozen=True, slots=True)
class Sample:
    """Some of a split, and as many of the controls beside it."""

    size: int
    seed: int = 0

    def of(self, records: Sequence[Record], split: str) -> list[Record]:
        """Drawn records in their order, of every type as many as of another as far as it has them.

        Raises ArgumentError where there are fewer than `size`; `split` names them.
        """
        if self.size > len(records):
            raise ArgumentError(f"n={self.size} is more than the split {plain(split)} has: {len(records)} environments")
        by_type: dict[str, list[str]] = {}
        for one in sorted(records, key=lambda one: self._place(one.task_id)):
            by_type.setdefault(_type_of(one), []).append(one.task_id)
        types = sorted(by_type, key=self._place)
        turns = zip_longest(*(by_type[name] for name in types))
        drawn_ids = [task_id for turn in turns for task_id in turn if task_id is not None][: self.size]
        return [one for one in records if one.task_id in set(drawn_ids)]

    def _place(self, name: str) -> str:
        return digest_of(f"{self.seed}/{name}")


def from_release(
    folder: Path, split: str, *, controls: bool = False, sample: Sample | None = None
) -> list[Environment]:
    """Of a folder that `release build` wrote: a split by name (`stress45`) or file; `controls` adds all controls.

    With `sample`, some of both. Files must be those of the manifest; marks are proved again. Raises ArgumentError and
    ReleaseError.
    """
    for file in _OF_RELEASE:
        if not (folder / file).is_file():
            raise ArgumentError(f"{plain(folder)} is no folder that `release build` wrote: it has no file {file}")
    require_unchanged(folder)
    named = folder / "splits" / f"{split}.json"
    path = named if named.is_file() else Path(split)
    if not path.is_file():
        known = ", ".join(sorted(one.stem for one in (folder / "splits").glob("*.json"))) or "none"
        raise ArgumentError(f"split={plain(split)!r} is neither a split of {plain(folder)} ({known}) nor a file")
    origins = folder / _OF_RELEASE[0]
    tasks = {one["task_id"]: one for _, one in _lines(origins, ("task_id", "task", "type"))}
    unknown = sorted({one["type"] for one in tasks.values()} - TYPES.keys())
    if unknown:
        raise ArgumentError(f"{plain(origins)}: type={plain(unknown[0])!r} is none of {', '.join(TYPES)}")
    held = {task.id: task for task in _tasks(folder / _OF_RELEASE[1])}
    chosen = list(_chosen(read_records(folder), path, controls=controls, sample=sample))
    for record, _ in chosen:
        if record.task_id not in tasks or tasks[record.task_id]["task"] not in held:
            raise ArgumentError(f"{plain(folder)}: {plain(record.task_id)} is in no line of provenance and tasks")
    found = ((tasks[record.task_id], record, name) for record, name in chosen)
    made = (_own(record, held[entry["task"]], entry["type"], name) for entry, record, name in found)
    return _with_splits(made, folder)


def from_records(
    path: Path, split: Path | None, *, controls: bool = False, sample: Sample | None = None
) -> list[Environment]:
    """Of an imported release: the tasks of a split, or all impossible ones; some of both with `sample`.

    There are no statements. Raises ArgumentError and ReleaseError.
    """
    chosen = _chosen(read_records(path), split, controls=controls, sample=sample)
    made = (_checked(Environment(record, _type_of(record), _label_of(record), name)) for record, name in chosen)
    return _with_splits(made, path if path.is_dir() else path.parent)


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
        one = of_task(make_task(WRITING, seed=seed, index=counts[name], packet=name), DRAW)
        counts[name] += 1
        found.setdefault(one.task_id, one)
    return list(found.values())


def from_tasks(path: Path) -> list[Environment]:
    """The tasks of a JSON-lines file, as `impossible-rubrics tasks --json` prints them, each proved again.

    Those of `rubric_writing` have statements, those of packet families have none. Raises ArgumentError where there is
    none, and one that names the line where one is no such task, its proof does not hold, or its packet stands in the
    file twice.
    """
    found: dict[str, tuple[int, Environment]] = {}
    for number, line in enumerate(read_text(path, MAX_BYTES).split("\n"), start=1):
        if line.strip():
            place = f"{plain(path)}: line {number}"
            try:
                task = Task.from_json(line)
                check(task)
                one = of_task(task, plain(path.stem))
            except (ArgumentError, CertificateError, ReleaseError) as error:
                raise ArgumentError(f"{place}: {plain(str(error))}") from None
            first, _ = found.setdefault(one.task_id, (number, one))
            if first != number:
                raise ArgumentError(f"{place}: has the packet of line {first}")
    if not found:
        raise ArgumentError(f"{plain(path)}: has no tasks")
    return [one for _, one in found.values()]


def of_task(task: Task, split: str) -> Environment:
    """The environment of a task: of `rubric_writing` with its statements and their proved marks, or of a packet family.

    Raises ArgumentError where it is neither, or its packet is not what is drawn now; CertificateError where a proof
    does not hold.
    """
    if task.role is not Role.RUBRIC:
        return _checked(Environment(record_of(task), TYPES[task.family], str(task.label), split))
    packet = rebuild(str(task.provenance.get("packet")))
    if packet.packet != task.packet or packet.question != task.question["target"]["question"]:
        raise ArgumentError(f"task {task.id[:200]!r}: another version drew it; its packet is not what is drawn now")
    return _own(record_of(packet), task, packet.family, split)


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


def _chosen(
    records: Sequence[Record], split: Path | None, *, controls: bool, sample: Sample | None
) -> Iterator[tuple[Record, str]]:
    """Records of the split in its order, then the controls that are not in it, each with the name of its split."""
    by_id = {one.task_id: one for one in records}
    if split is None:
        name, ids = "all", [one.task_id for one in records if one.kind is Kind.IMPOSSIBLE]
    else:
        read = read_split(split, need_name=False)
        name, ids = read.name, list(read.task_ids)
    missing = [one for one in ids if one not in by_id]
    if missing:
        raise ArgumentError(f"{len(missing)} ids of the split have no record: {listed(missing)}")
    groups = [(name, [by_id[one] for one in ids])]
    if controls:
        others = [one for one in records if one.kind is Kind.CONTROL and one.task_id not in set(ids)]
        groups.append((CONTROLS, others))
    for of, held in groups:
        yield from ((one, of) for one in (held if sample is None else sample.of(held, of)))


def _with_splits(environments: Iterable[Environment], folder: Path) -> list[Environment]:
    """The environments with the names of all splits in `folder/splits` that they are in, after the one asked for."""
    known = [read_split(path, need_name=False) for path in sorted((folder / "splits").glob("*.json"))]
    members = [(one.name, frozenset(one.task_ids)) for one in known]

    def names(one: Environment) -> tuple[str, ...]:
        return tuple(dict.fromkeys([one.split, *(name for name, ids in members if one.task_id in ids)]))

    return [replace(one, splits=names(one)) for one in environments]


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


def _tasks(path: Path) -> Iterator[Task]:
    for place, line in _lines(path):
        try:
            task = Task.from_json(line)
        except ImpossibleRubricsError as error:
            raise ArgumentError(f"{place}: {plain(error)}") from None
        if task.family != WRITING:
            raise ArgumentError(f"{place}: a task of {plain(task.family)}, not of {WRITING}")
        yield task


def _lines(path: Path, texts: Sequence[str] = ()) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of a file of JSON lines, which have these texts, each with its place. Raises ArgumentError."""
    for number, line in enumerate(read_text(path, MAX_BYTES).split("\n"), 1):
        place = f"{plain(path)}: line {number}"
        if line.strip():
            yield place, object_of(line, texts, place)


def object_of(line: str, texts: Sequence[str], place: str) -> dict[str, Any]:
    """The JSON object of a line, which has these texts. Raises ArgumentError that names the place."""
    try:
        value = parse(line)
    except ValueError as error:
        raise ArgumentError(f"{place}: {plain(str(error))}") from None
    if not isinstance(value, dict) or not all(isinstance(value.get(name), str) for name in texts):
        raise ArgumentError(f"{place}: no object" + (f" with the texts {', '.join(texts)}" if texts else ""))
    return value
