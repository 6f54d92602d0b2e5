"""What the proof of a packet task settles: which answers are right, and which refusals are proved.

In: a task's JSON whose certificate is of kind "packet" (docs/format.md). Out: a `Proved`, plain integers and names that
grading looks up. Refused, with a CertificateError that names the part: a proof that fails anywhere.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.numerals import Ratio

OBSTRUCTIONS = (
    "insufficient_evidence",
    "objective_conflict",
    "false_premise",
    "missing_citation",
    "counterevidence_trap",
    "impossible_exhaustiveness",
)


class Dial(NamedTuple):
    """How close the task is to flipping: a margin and the unit it is measured in, or the length of a chain of facts."""

    value: Ratio | None
    unit: Ratio | None
    hops: int | None

    @property
    def rung(self) -> str:
        """`razor`, `narrow` or `wide`."""
        if self.hops is not None:
            return "razor" if self.hops >= 4 else "narrow" if self.hops >= 2 else "wide"
        if self.value is None or self.unit is None:
            raise ValueError("a dial has a value and a unit, or hops")
        (top, bottom), (step, parts) = self.value, self.unit
        if 10 * top * parts <= bottom * step:
            return "razor"
        return "narrow" if top * parts <= bottom * step else "wide"


@dataclass(frozen=True, slots=True)
class Proved:
    """What was proved about a packet task. Immutable, and can be pickled."""

    answerable: bool
    kind: str
    """Of the question: `number`, `yes_no`, `list`, `document` or `plan`."""
    main: str
    """Kind of the main proof: `dual_bounds`, `world`, `enumeration`, `findings`, `range`, `minimal_conflict` or
    `refutation`."""
    room: int | None
    """How many answers are admissible; None where they are not countable."""
    dial: Dial
    answer: Ratio | str | tuple[str, ...] | None
    """The only right answer (items of a list sorted); None on an impossible task, and for a plan."""
    document_ids: tuple[str, ...]
    sentence_ids: tuple[str, ...]
    item_ids: tuple[str, ...]
    """Candidates of the list asked about; empty where the proof is no enumeration."""
    variables: tuple[str, ...]
    """What a plan gives numbers to; empty for other questions."""

    @property
    def obstructions(self) -> tuple[str, ...]:
        """The obstructions for which some witness proves that the task is impossible."""
        raise NotImplementedError

    def accepts(self, value: Any) -> bool:
        """Whether the task is answerable and this is a right answer.

        number: Ratio, of any terms; yes_no: "YES" or "NO"; list: tuple of item ids, in any order; document: id; plan:
        mapping from exactly `variables` to Ratio. Any other value is no right answer; nothing raises.
        """
        raise NotImplementedError

    def proves(self, obstruction: str, witness: Any) -> bool:
        """Whether the witness proves that the task is impossible for this reason. False on an answerable task.

        Two numbers: tuple of two Ratios; ids: tuple of texts; missing_citation: mapping from every document id to an
        attribute. Order matters for counterevidence_trap alone. Any other witness proves nothing; nothing raises.
        """
        raise NotImplementedError


def prove(task: Mapping[str, Any]) -> Proved:
    """Check the whole proof of a packet task, given as its JSON: `certificate`, `packet`, `question` and `family` count.

    Raises CertificateError that names the failed part.
    """
    raise CertificateError(f"certificate: nothing checks {str(task.get('family'))[:60]} yet")
