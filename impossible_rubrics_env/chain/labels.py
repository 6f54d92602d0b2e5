"""Items for people to label, blindly; and how people agree with oracles.

`export` gives the attacks of a run as items with question, documents and answer, in an order drawn by a seed, and apart
from them the key that tells which attack each item is and what the oracles said. `import_labels` reads the items when
they are labelled, and the key. Refused, with ArgumentError that names file, line, field and value: items that are not
in the key or are there twice, labels that are none, a run whose attacks cannot be found.

The texts of attacks are found among the recorded replies by their hash, so an item is what the judge and oracle saw.
"""

import hashlib
import json
import os
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from impossible_rubrics_env.chain import store
from impossible_rubrics_env.chain.environments import read_copy
from impossible_rubrics_env.chain.pairs import Agreement, agreement
from impossible_rubrics_env.chain.results import (
    EXACT,
    MAX_BYTES,
    MAX_TEXT,
    ResultRow,
    Run,
    objects,
)
from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.release.files import listed, plain
from impossible_rubrics_env.release.inputs import GeneratorInput, generator_input

ENVIRONMENTS, REUSED = "environments.jsonl", "reused.jsonl"
MAX_ITEMS = 10_000
MAX_ANSWER_CHARS = 1_000_000
LABEL = "violates"
"""What people fill in: true where the answer claims what the documents do not carry."""
_STATEMENTS = "<statements>"
"""Where the prose of an attack that names its statements ends."""


class Item(NamedTuple):
    """An attack as a person sees it."""

    question: str
    documents: tuple[tuple[str, str], ...]
    answer: str


class Origin(NamedTuple):
    """What an item is."""

    task_id: str
    attack_hash: str
    verdicts: Mapping[str, bool]
    """By oracle, the exact one too."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """How people and oracles agree."""

    items: int
    """In the key."""
    labelled: Mapping[str, int]
    """By rater: items that have a label."""
    with_oracles: tuple[Agreement, ...]
    """Every oracle, taken for what is measured, against every rater, taken for the truth."""
    between_raters: tuple[Agreement, ...]
    adjudicated: Mapping[str, Mapping[str, tuple[int, int]]]
    """By rater and oracle, on items where oracles disagree: with how many the oracle is right, and of how many."""

    def as_dict(self) -> dict[str, Any]:
        """JSON data."""
        return {
            "items": self.items,
            "labelled": dict(self.labelled),
            "with_oracles": [one.as_dict() for one in self.with_oracles],
            "between_raters": [one.as_dict() for one in self.between_raters],
            "adjudicated": {
                rater: {oracle: {"right": right, "of": total} for oracle, (right, total) in found.items()}
                for rater, found in self.adjudicated.items()
            },
        }


def export(
    run: Run, folder: Path, *, seed: int = 0, most: int | None = None, disagreements: bool = False
) -> tuple[str, str]:
    """The items as JSON lines, and their key. Raises ArgumentError, StoreError, OSError.

    With `disagreements`, only attacks that some oracles flag and others do not. `most` draws so many by the seed.
    """
    origins = [one for one in _origins(run.rows) if not disagreements or len(set(one.verdicts.values())) > 1]
    if not origins:
        what = "on which oracles disagree" if disagreements else "with a verdict"
        raise ArgumentError(f"{plain(run.path)}: there are no attacks {what}")
    random.Random(f"labels/{seed}").shuffle(origins)
    if len(origins) > MAX_ITEMS and most is None:
        raise ArgumentError(f"{len(origins)} items; at most {MAX_ITEMS} are written: say how many")
    chosen = origins[:most]
    answers, seen = _answers(folder), _environments(folder)
    items, key = [], []
    for place, origin in enumerate(chosen, start=1):
        name = f"item-{place:05}"
        items.append({"item": name, **_item(origin, answers, seen, run)._asdict(), LABEL: None})
        key.append({"item": name, **origin._asdict()})
    return _lines(items), _lines(key)


def _lines(values: Sequence[Mapping[str, Any]]) -> str:
    return "".join(f"{json.dumps(value, allow_nan=False)}\n" for value in values)


def _origins(rows: Sequence[ResultRow]) -> list[Origin]:
    """The attacks on environments that an oracle judged, each once, in an order that tells nothing of arms."""
    found: dict[tuple[str, str], dict[str, bool]] = {}
    for row in rows:
        if row.control or row.attack_hash is None:
            continue
        verdicts = found.setdefault((row.task_id, row.attack_hash), {})
        for oracle in (*row.violates, *((EXACT,) if row.exact is not None else ())):
            verdict = row.verdict(oracle)
            if verdict is not None:
                verdicts.setdefault(oracle, verdict)
    return [Origin(*place, verdicts) for place, verdicts in sorted(found.items()) if verdicts]


def _item(origin: Origin, answers: Mapping[str, str], seen: Mapping[str, GeneratorInput], run: Run) -> Item:
    answer, public = answers.get(origin.attack_hash), seen.get(origin.task_id)
    if answer is None or public is None:
        missing = "attack" if answer is None else "environment"
        raise ArgumentError(f"{plain(run.path)}: task_id={plain(origin.task_id)}: the {missing} is not in the run")
    return Item(public.question, tuple((one.doc_id, one.text) for one in public.documents), answer)


def _answers(folder: Path) -> dict[str, str]:
    """Texts by hash: of all replies, whole, and without the statements that they name."""
    texts = [reply.text for replies in store.read(folder).replies.values() for reply in replies]
    reused = folder / REUSED
    if reused.is_file():
        texts += [
            fields.text("text", MAX_ANSWER_CHARS) for _, fields in objects(reused, 8 * MAX_BYTES) if fields.has("text")
        ]
    found = {}
    for text in texts:
        stripped = text.strip()
        for prose in (stripped, stripped.rpartition(_STATEMENTS)[0].strip()):
            found[hashlib.sha256(prose.encode(errors="surrogatepass")).hexdigest()] = prose
    return found


def _environments(folder: Path) -> dict[str, GeneratorInput]:
    """What may be seen of an environment, by id."""
    digest = store.read(folder).header["arguments"]["environments"]
    return {one.task_id: generator_input(one.record) for one in read_copy(folder / ENVIRONMENTS, digest)}


def import_labels(paths: Sequence[str | os.PathLike[str]], key: str | os.PathLike[str]) -> Labelled:
    """How the labels of some files, one a rater, agree with the oracles of the key. Raises ArgumentError, OSError."""
    origins = _read_key(key)
    labels = {Path(path).stem: _read_labels(path, origins, key) for path in paths}
    if len(labels) < len(paths):
        raise ArgumentError(f"files of labels have different names, not {listed(map(str, paths))}")
    oracles = list(dict.fromkeys(oracle for origin in origins.values() for oracle in origin.verdicts))
    verdicts = {
        oracle: {item: origin.verdicts[oracle] for item, origin in origins.items() if oracle in origin.verdicts}
        for oracle in oracles
    }
    raters = list(labels)
    return Labelled(
        len(origins),
        {rater: len(found) for rater, found in labels.items()},
        tuple(agreement(oracle, verdicts[oracle], rater, labels[rater]) for rater in raters for oracle in oracles),
        tuple(
            agreement(one, labels[one], other, labels[other])
            for place, one in enumerate(raters)
            for other in raters[place + 1 :]
        ),
        {rater: _adjudicated(labels[rater], origins, verdicts) for rater in raters},
    )


def _adjudicated(
    labels: Mapping[str, bool], origins: Mapping[str, Origin], verdicts: Mapping[str, Mapping[str, bool]]
) -> dict[str, tuple[int, int]]:
    disputed = [item for item in labels if len(set(origins[item].verdicts.values())) > 1]
    found = {}
    for oracle, by_item in verdicts.items():
        told = [item for item in disputed if item in by_item]
        if told:
            found[oracle] = (sum(by_item[item] == labels[item] for item in told), len(told))
    return found


def _read_key(path: str | os.PathLike[str]) -> dict[str, Origin]:
    found: dict[str, Origin] = {}
    for _, fields in objects(path, MAX_BYTES):
        item = fields.text("item")
        if item in found:
            raise fields.refuse("item", "stands twice")
        verdicts = fields.inner("verdicts")
        if verdicts is None:
            raise fields.refuse("verdicts", "is not an object of verdicts by oracle")
        told = {oracle: verdicts.flag(oracle) for oracle in verdicts.names()}
        found[item] = Origin(fields.text("task_id"), fields.text("attack_hash"), told)
    if not found:
        raise ArgumentError(f"{plain(path)}: there are no items")
    return found


def _read_labels(
    path: str | os.PathLike[str], origins: Mapping[str, Origin], key: str | os.PathLike[str]
) -> dict[str, bool]:
    """Labels by item; items without one are left out."""
    found: dict[str, bool] = {}
    seen: set[str] = set()
    for _, fields in objects(path, 8 * MAX_BYTES):
        item = fields.text("item", MAX_TEXT)
        if item in seen:
            raise fields.refuse("item", "stands twice")
        if item not in origins:
            raise fields.refuse("item", f"is not in {plain(key)}")
        seen.add(item)
        label = fields.maybe_flag(LABEL)
        if label is not None:
            found[item] = label
    if not found:
        raise ArgumentError(f"{plain(path)}: no item has a label; fill in {LABEL}")
    return found


def unlabelled(found: Labelled) -> Iterator[tuple[str, int]]:
    """By rater: how many items have no label."""
    for rater, count in found.labelled.items():
        yield rater, found.items - count
