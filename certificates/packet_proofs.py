"""What the proof of a packet task settles: which answers are right, and which refusals are proved.

In: a task's JSON whose certificate is of kind "packet" (docs/format.md). Out: a `Proved`, plain integers and names that
grading looks up. Refused, with a CertificateError that names the part: a proof that fails anywhere.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from impossible_rubrics_env.certificates.facts import MAX_STATED_CHARS, fields, members, rational, require
from impossible_rubrics_env.certificates.linear import compare
from impossible_rubrics_env.certificates.packet import MAX_FACTS, Packet, read_packet
from impossible_rubrics_env.certificates.packet_lookups import Answers, PairOf, Witnesses
from impossible_rubrics_env.certificates.packet_mains import Ends, Settled, settle
from impossible_rubrics_env.certificates.questions import Question, read_question
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
MAX_DEFEATS = 32
_MEASURED = "insufficient_evidence"
"""The family whose answerable tasks have the distance of the bounds as their dial."""


_COUNTED = "counterevidence_trap"
"""The family whose dial is the number of notices, whatever the main proof."""


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
    """In the order they are printed."""
    sentence_ids: tuple[str, ...]
    item_ids: tuple[str, ...]
    """Candidates of the list asked about; empty where the proof is no enumeration."""
    variables: tuple[str, ...]
    """What a plan gives numbers to; empty for other questions."""
    right: Answers | None = field(repr=False)
    """None on an impossible task."""
    witnesses: Mapping[str, Witnesses] = field(repr=False)
    """By obstruction; empty on an answerable task."""
    ends: Ends = field(default=Ends(), repr=False)
    """What was proved of the quantity that a number question asks for."""

    @property
    def obstructions(self) -> tuple[str, ...]:
        """The obstructions for which some witness proves that the task is impossible."""
        return tuple(self.witnesses)

    def accepts(self, value: Any) -> bool:
        """Whether the task is answerable and this is a right answer.

        number: Ratio, of any terms; yes_no: "YES" or "NO"; list: tuple of item ids, in any order; document: id; plan:
        mapping from exactly `variables` to Ratio. Any other value is no right answer; nothing raises.
        """
        return self.right is not None and self.right.accepts(value)

    def proves(self, obstruction: str, witness: Any) -> bool:
        """Whether the witness proves that the task is impossible for this reason. False on an answerable task.

        Two numbers: tuple of two Ratios; ids: tuple of texts; missing_citation: mapping from every document id to an
        attribute. Order matters for counterevidence_trap alone. Any other witness proves nothing; nothing raises.
        """
        known = self.witnesses.get(obstruction)
        return known is not None and known.accepts(witness)


def prove(task: Mapping[str, Any]) -> Proved:
    """Check the whole proof of a packet task, given as its JSON.

    Raises CertificateError that names the failed part.
    """
    require(isinstance(task, Mapping), "task: must be an object")
    certificate = task.get("certificate")
    if not isinstance(certificate, Mapping) or certificate.get("kind") != "packet":
        raise CertificateError("certificate: must be an object of kind packet")
    proof = fields(certificate.get("proof"), ("kind", "main", "defeats", "dial"), "proof")
    require(proof["kind"] == "packet", "proof: kind: must be packet")
    packet, question = read_packet(task.get("packet")), read_question(task.get("question"))
    settled = settle(packet, question, proof["main"])
    answerable = settled.right is not None
    witnesses = dict(settled.witnesses)
    if answerable:
        empty = not members(proof["defeats"], 0, MAX_DEFEATS, "proof: defeats")
        require(empty, "proof: defeats: must be empty where the task is answerable")
    elif deciding := _deciding(packet, question, proof["defeats"]):
        witnesses["counterevidence_trap"] = PairOf(deciding)
    require(answerable or bool(witnesses), "proof: no refusal of this task can be proved")
    printed = task["packet"]["documents"]
    return Proved(
        answerable,
        question.kind,
        proof["main"]["kind"],
        settled.room,
        _dial(proof["dial"], settled, answerable and task.get("family") != _MEASURED, task.get("family") == _COUNTED),
        settled.answer,
        tuple(document["id"] for document in printed),
        tuple(sentence["id"] for document in printed for sentence in document["sentences"]),
        settled.items,
        question.target if isinstance(question.target, tuple) else (),
        settled.right,
        witnesses,
        settled.ends,
    )


def _deciding(packet: Packet, question: Question, value: Any) -> frozenset[tuple[str, str]]:
    """The pairs of documents such that without the first, and what is said of it, the packet would be answerable."""
    listed = members(value, 0, MAX_DEFEATS, "proof: defeats")
    entries = [fields(entry, ("notice", "document", "without"), "proof: defeats") for entry in listed]
    named = [(entry["notice"], entry["document"]) for entry in entries]
    require(all(isinstance(key, str) for pair in named for key in pair), "proof: defeats: must name documents")
    complete = len(set(named)) == len(named) and set(named) == packet.defeats()
    require(complete, "proof: defeats: not every pair of a notice and a document that it defeats, or another one")
    answerable: dict[str, list[tuple[Any, bool]]] = {}
    for entry in entries:
        known = answerable.setdefault(entry["notice"], [])
        if not any(proof == entry["without"] for proof, _ in known):
            settled = settle(packet.without(entry["notice"]), question, entry["without"], without=True)
            known.append((entry["without"], settled.right is not None))
    return frozenset(pair for pair in named if any(good for _, good in answerable[pair[0]]))


def _dial(value: Any, settled: Settled, unmeasured: bool, counted: bool) -> Dial:
    """The dial; where the proof gives its value, that one."""
    if isinstance(value, Mapping) and "hops" in value:
        measured = bool(settled.margins) and settled.right is None and not counted
        require(not measured, "proof: dial: must be the margin that the proof gives, and no count")
        hops = fields(value, ("hops",), "proof: dial")["hops"]
        require(type(hops) is int and 1 <= hops <= MAX_FACTS, "proof: dial: hops: must be a count of facts")
        return Dial(None, None, hops)
    stated = fields(value, ("value", "unit"), "proof: dial")
    margin, unit = (rational(stated[name], f"proof: dial: {name}", MAX_STATED_CHARS) for name in ("value", "unit"))
    require(margin.numerator >= 0 and unit.numerator > 0, "proof: dial: must not be negative, nor its unit zero")
    if settled.margins and not unmeasured:
        require(any(not compare(margin, known) for known in settled.margins), "proof: dial: value: not what is proved")
        require(settled.unit in (None, unit), "proof: dial: unit: not the resolution")
    return Dial(margin, unit, None)
