"""What is wrong with records of the published format, as values: file, record, field and rule."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from impossible_rubrics_env.errors import ArgumentError

MAX_LISTED = 50
"""Most problems that a message lists."""


class ReleaseError(ArgumentError):
    """A file, split or record of a release cannot be used; the message names it."""


class BuildError(ReleaseError):
    """A task of a release breaks a contract; the message names both."""

    def __init__(self, task_id: str, contract: str, message: str) -> None:
        self.task_id, self.contract, self.fault = task_id, contract, message
        super().__init__(f"{task_id}: {contract}: {message}")

    def __reduce__(self) -> tuple[type["BuildError"], tuple[str, str, str]]:
        return type(self), (self.task_id, self.contract, self.fault)


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault: where it is, and which rule it breaks."""

    source: str
    """The file of the record, with the line or place in it where it holds several."""
    task_id: str
    """The record's `task_id`; empty where it has none."""
    field: str
    """Path of the field, such as `evidence[2].doc_id`; empty where the whole record or file is meant."""
    message: str

    def __str__(self) -> str:
        named = (self.source, self.task_id[:120], self.field, self.message)
        return ": ".join("".join(map(_printable, part)) for part in named if part)


class RecordsError(ReleaseError):
    """Records break rules of the published format. `problems` has what is wrong, as far as it was looked for."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(problems)
        super().__init__(listing(self.problems))

    def __reduce__(self) -> tuple[type["RecordsError"], tuple[tuple[Problem, ...]]]:
        return type(self), (self.problems,)


def listing(problems: Sequence[Problem]) -> str:
    """The problems, one a line, at most MAX_LISTED of them."""
    lines = [str(one) for one in islice(problems, MAX_LISTED)]
    if len(problems) > MAX_LISTED:
        lines.append(f"and {len(problems) - MAX_LISTED} more problems")
    return "\n".join(lines)


def _printable(character: str) -> str:
    return character if character.isprintable() else " "
