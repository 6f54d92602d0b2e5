"""Result rows: what one arm scored on each task of a split, as the published benchmark writes it.

What comes in is a file that holds a JSON array of rows, an object `{"results": [...]}`, one lone row, or JSON lines
with or without blank ones. A row is `{"task_id", "baseline", "adv", "violates"}`; further keys are ignored. What goes
out is `Row`s with exact scores. Refused, with ArgumentError that names the file, the row from 1 and the value:
everything that the published scorer refuses (broken JSON, other shapes, no rows, a key that is missing or of another
type, scores outside of 0..100, an id twice), a name twice in one object, NaN and infinities, and too much of it.

Scores above 100 may be counted at 100, rows beyond the split may be left out: both only where it is asked for.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.numerals import Ratio, read_exact
from impossible_rubrics_env.release.files import (
    BLANKS,
    NumberText,
    RepeatedName,
    json_fault,
    listed,
    parse_value,
    plain,
    read_text,
    shown,
    starts_with_value,
)
from impossible_rubrics_env.release.splits import MAX_ID_CHARS, Split

MAX_ROWS_BYTES = 16 * 2**20
MAX_ROWS = 200_000
FULL_SCORE = 100
_INFINITE = 2**1024
"""A double reads a number of this size as infinite, so the published reader refuses it, whatever is asked for."""


class Row(NamedTuple):
    """The scores of one task: of the honest baseline, and of the attacker's answer."""

    task_id: str
    baseline: Ratio
    """Points of the baseline, exact, from 0 to 100."""
    adv: Ratio
    """Points of the attacker's answer, exact, from 0 to 100."""
    violates: bool
    """The attacker's answer breaks the certificate."""

    @property
    def margin_sign(self) -> int:
        """1 where the attacker's answer scores more than the baseline, 0 where both score the same, else -1."""
        ahead = self.adv.numerator * self.baseline.denominator
        behind = self.baseline.numerator * self.adv.denominator
        return (ahead > behind) - (ahead < behind)

    @property
    def exploited(self) -> bool:
        """The attacker's answer breaks the certificate and scores no less than the baseline."""
        return self.violates and self.margin_sign >= 0

    @property
    def tied(self) -> bool:
        """Both score the same, whether or not the certificate is broken."""
        return self.margin_sign == 0


class Clipped(NamedTuple):
    """A score above 100 that was counted at 100."""

    row: int
    """From 1, in the file."""
    task_id: str
    field: str
    written: str
    """The score as it stands in the file."""


@dataclass(frozen=True, slots=True)
class ResultRows:
    """The rows of one file."""

    path: str
    rows: tuple[Row, ...]
    """In the file's order, with different ids; after `on_split`, in the split's order."""
    clipped: tuple[Clipped, ...] = ()
    left_out: tuple[str, ...] = ()
    """Ids of rows that are not of the split."""

    def on_split(self, split: Split, *, subset: bool = False) -> "ResultRows":
        """The rows of the split's tasks, in its order.

        Raises ArgumentError where a task has no row and, unless `subset` is set, where a row is of another task.
        """
        by_id = {row.task_id: row for row in self.rows}
        wanted = set(split.task_ids)
        missing = [name for name in split.task_ids if name not in by_id]
        extra = tuple(name for name in by_id if name not in wanted)
        faults = []
        if missing:
            faults.append(f"{len(missing)} ids of the split {plain(split.name)} have no row: {listed(missing)}")
        if extra and not subset:
            faults.append(f"{len(extra)} ids are not in the split {plain(split.name)}: {listed(extra)}")
        if faults:
            hint = "" if missing else "; --subset leaves them out"
            raise ArgumentError(f"{plain(self.path)}: {'; '.join(faults)}{hint}")
        clipped = tuple(one for one in self.clipped if one.task_id in wanted)
        return ResultRows(self.path, tuple(by_id[name] for name in split.task_ids), clipped, extra)


class _Place(NamedTuple):
    """A row's place, for messages."""

    path: str
    row: int
    line: int | None = None

    def __str__(self) -> str:
        return f"{plain(self.path)}: row {self.row}" + (f" (line {self.line})" if self.line else "")


def read_rows(path: str | os.PathLike[str], *, clip: bool = False) -> ResultRows:
    """Read a file of result rows; with `clip`, scores above 100 are counted at 100 and listed.

    Raises ArgumentError, and OSError where the file cannot be read.
    """
    name = os.fspath(path)
    text = read_text(path, MAX_ROWS_BYTES)
    if not text.strip(BLANKS):
        raise ArgumentError(f"{plain(name)}: the file is empty")
    rows: list[Row] = []
    clipped: list[Clipped] = []
    first: dict[str, _Place] = {}
    for place, value in _values(text, name):
        row = _read_row(value, place, clip, clipped)
        if row.task_id in first:
            raise ArgumentError(f"{place}: task_id={shown(row.task_id)} stands in row {first[row.task_id].row} already")
        first[row.task_id] = place
        rows.append(row)
    return ResultRows(name, tuple(rows), tuple(clipped))


def _values(text: str, path: str) -> Iterable[tuple[_Place, Any]]:
    """The rows of the file as JSON values, whichever container they are in."""
    try:
        value = parse_value(text)
    except ValueError as error:
        if text.lstrip(BLANKS)[0] == "{" and starts_with_value(text):
            return _lines(text, path)
        raise ArgumentError(f"{plain(path)}: broken JSON: {plain(error)}") from None
    rows = _contained(value, path)
    if not rows:
        raise ArgumentError(f"{plain(path)}: there are no rows")
    if len(rows) > MAX_ROWS:
        raise ArgumentError(f"{plain(path)}: {len(rows)} rows; at most {MAX_ROWS} are read")
    return ((_Place(path, number), row) for number, row in enumerate(rows, start=1))


def _contained(value: Any, path: str) -> list[Any]:
    if isinstance(value, list):
        return value
    if not isinstance(value, dict):
        raise ArgumentError(f"{plain(path)}: the file holds {shown(value)}, neither rows nor an object")
    if "results" not in value:
        return [value]
    results = value["results"]
    if not isinstance(results, list):
        raise ArgumentError(f"{plain(path)}: results={shown(results)} is not a list")
    if "task_id" in value:
        raise ArgumentError(f"{plain(path)}: an object with both results and task_id")
    repeated = value.name if isinstance(value, RepeatedName) else None
    if repeated is not None:
        raise ArgumentError(f"{plain(path)}: the name {shown(repeated)} stands twice in one object")
    _refuse_fault([other for name, other in value.items() if name != "results"], plain(path))
    return results


def _lines(text: str, path: str) -> Iterator[tuple[_Place, Any]]:
    row = 0
    for line, content in enumerate(text.split("\n"), start=1):
        if not content.strip(BLANKS):
            continue
        row += 1
        place = _Place(path, row, line)
        if row > MAX_ROWS:
            raise ArgumentError(f"{place}: at most {MAX_ROWS} rows are read")
        try:
            value = parse_value(content)
        except ValueError as error:
            raise ArgumentError(f"{place}: broken JSON: {plain(error)}") from None
        yield place, value


def _read_row(value: Any, place: _Place, clip: bool, clipped: list[Clipped]) -> Row:
    if not isinstance(value, dict):
        raise ArgumentError(f"{place}: a row is an object, not {shown(value)}")
    name = _task_id(value, place)
    scores = {}
    for field in ("baseline", "adv"):
        scores[field], above = _score(value, field, place, clip)
        if above:
            clipped.append(Clipped(place.row, name, field, shown(value[field])))
    if "violates" not in value:
        raise ArgumentError(f"{place}: violates is missing")
    if not isinstance(value["violates"], bool):
        raise ArgumentError(f"{place}: violates={shown(value['violates'])} is neither true nor false")
    _refuse_fault(value, place)
    return Row(name, scores["baseline"], scores["adv"], value["violates"])


def _refuse_fault(value: Any, place: object) -> None:
    fault = json_fault(value)
    if fault:
        raise ArgumentError(f"{place}: {fault}")


def _task_id(value: Mapping[str, Any], place: _Place) -> str:
    if "task_id" not in value:
        raise ArgumentError(f"{place}: task_id is missing")
    name = value["task_id"]
    if not isinstance(name, str) or isinstance(name, NumberText) or not name.strip():
        raise ArgumentError(f"{place}: task_id={shown(name)} is not a text that names a task")
    if len(name) > MAX_ID_CHARS:
        raise ArgumentError(f"{place}: task_id is longer than {MAX_ID_CHARS} characters")
    return name


def _score(value: Mapping[str, Any], field: str, place: _Place, clip: bool) -> tuple[Ratio, bool]:
    """The score that counts, and whether the written one is above 100."""
    if field not in value:
        raise ArgumentError(f"{place}: {field} is missing")
    written = value[field]
    if not isinstance(written, NumberText):
        raise ArgumentError(f"{place}: {field}={shown(written)} is not a number")
    score = read_exact(written)
    if score is None or score.numerator >= _INFINITE * score.denominator:
        raise ArgumentError(f"{place}: {field}={shown(written)} is not finite, or too long to be read exactly")
    if score.numerator < 0:
        raise ArgumentError(f"{place}: {field}={shown(written)} is below 0")
    if score.numerator <= FULL_SCORE * score.denominator:
        return score, False
    if not clip:
        raise ArgumentError(
            f"{place}: {field}={shown(written)} is above {FULL_SCORE}; --clip counts it at {FULL_SCORE}"
        )
    return Ratio(FULL_SCORE, 1), True
