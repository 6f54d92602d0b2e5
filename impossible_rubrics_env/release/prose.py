"""Claims about a packet in sentences that a person would write: definite answers, proved refusals, unproved ones.

In: a claim as `reply.read_claim` reads it, and the kind of its question. Out: English text with exact numbers.
"""

from collections.abc import Iterable, Mapping, Sequence

from impossible_rubrics_env.exact import number_text, rational
from impossible_rubrics_env.numerals import Ratio
from impossible_rubrics_env.reply import Refusal, Value

MAX_NAMED = 12
"""Most documents or paragraphs that a sentence names one by one."""
UNDECIDED = "I cannot tell from these documents whether the question has an answer."
"""The honest reply that claims nothing."""
_FAILS = {
    "subject": "about another subject",
    "period": "about another period",
    "measure": "about another measure",
    "bound": "not tight enough to settle it",
    "finding": "without a finding in force",
}
_HEADS = {
    "insufficient_evidence": "The documents in force leave more than one answer open.",
    "objective_conflict": "The requirements in force cannot all be met.",
    "false_premise": "What the question takes for granted is not so.",
    "missing_citation": "No document in force establishes what is asked.",
    "counterevidence_trap": "The document that would have settled the question is out of force.",
    "impossible_exhaustiveness": "The documents in force do not close the list that the question is about.",
}
_LOW_HIGH = (
    "By the documents in force, what the quantity named first in the question can be ranges from {} to {}, and the "
    "answer is yes at one end and no at the other, so neither follows."
)


def names_in_words(names: Iterable[str], most: int = MAX_NAMED) -> str:
    """`D1, D2 and D7`; of many, the first ones and how many more there are."""
    listed = list(names)
    if len(listed) > most:
        return f"{', '.join(listed[:most])} and {len(listed) - most} more"
    return " and ".join(filter(None, [", ".join(listed[:-1]), *listed[-1:]]))


def number_in_words(value: Ratio) -> str:
    """An exact number as a person writes it."""
    return number_text(rational(value.numerator, value.denominator))


def definite(kind: str, value: Value) -> str:
    """A definite answer to a question of this kind, as a sentence."""
    if isinstance(value, Ratio):
        return f"The value asked for is {number_in_words(value)}."
    if isinstance(value, Mapping):
        parts = [f"{name} = {number_in_words(number)}" for name, number in value.items()]
        return f"This plan meets every requirement: {names_in_words(parts, len(parts))}."
    if isinstance(value, str):
        if kind == "document":
            return f"Document {value} establishes the claim."
        return "Yes, that is the case." if value == "YES" else "No, that is not the case."
    if not value:
        return "No entry belongs, so the complete list is empty."
    entries = "one entry" if len(value) == 1 else f"{len(value)} entries"
    return f"The complete list has {entries}: {names_in_words(value, len(value))}."


def heading(obstruction: str) -> str:
    """What an obstruction says, in one sentence."""
    return _HEADS[obstruction]


def proved_refusal(kind: str, refusal: Refusal) -> str:
    """What an honest reply says instead of an answer: what does not follow, and what shows it."""
    return f"{_HEADS[refusal.obstruction]} {shown_by(kind, refusal)} No definite answer is justified."


def shown_by(kind: str, refusal: Refusal) -> str:
    """The witness of a refusal as a sentence."""
    witness = refusal.witness
    if isinstance(witness, Mapping):
        return _failing(witness)
    if witness is None:
        raise ValueError(f"a refusal without a witness shows nothing: {refusal.obstruction}")
    if refusal.obstruction == "insufficient_evidence" and isinstance(witness[0], Ratio):
        return _two_numbers(kind, [one for one in witness if isinstance(one, Ratio)])
    names = [str(name) for name in witness]
    if refusal.obstruction == "objective_conflict":
        return (
            f"Paragraphs {names_in_words(names, len(names))} ask for things that cannot all be had, given the rest; "
            "without any one of them they could."
        )
    if refusal.obstruction == "false_premise":
        documents = names_in_words(names, len(names))
        return f"Taken together, {documents} refute it." if len(names) > 1 else f"Document {documents} refutes it."
    if refusal.obstruction == "counterevidence_trap":
        return f"A notice in {names[0]} puts {names[1]} out of force, and what is left does not settle the question."
    return _open_entry(names[0])


def _two_numbers(kind: str, pair: Sequence[Ratio]) -> str:
    first, second = (number_in_words(one) for one in sorted(pair, key=lambda one: rational(*one)))
    if kind == "yes_no":
        return _LOW_HIGH.format(first, second)
    return f"Both {first} and {second} fit everything in force, so no single value follows."


def _open_entry(name: str) -> str:
    if "." in name:
        return f"Paragraph {name} shows that the list is not complete: it does not cover all that is asked about."
    return f"The documents in force leave it open whether {name} belongs."


def _failing(reasons: Mapping[str, str]) -> str:
    parts = []
    for reason, words in _FAILS.items():
        documents = [name for name, found in reasons.items() if found == reason]
        if documents:
            parts.append(
                f"{names_in_words(documents, len(documents))} {'is' if len(documents) == 1 else 'are'} {words}"
            )
    return f"Document by document: {'; '.join(parts)}."


def unproved_refusal(refusal: Refusal) -> str:
    """A refusal whose ground is not so, as its author would put it."""
    witness = refusal.witness
    names = [str(name) for name in witness] if isinstance(witness, tuple) else []
    if refusal.obstruction == "objective_conflict" and names:
        verb = "sets a requirement that cannot be met"
        many = "set requirements that cannot be met together"
        said = f"paragraph {names[0]} {verb}" if len(names) == 1 else f"paragraphs {names_in_words(names)} {many}"
        return f"This cannot be answered: {said}, so the documents contradict themselves."
    return f"This cannot be answered. {_HEADS[refusal.obstruction]}"


def stuffed(sentence: str, documents: Sequence[str]) -> str:
    """A definite answer that cites every document there is."""
    return f"{sentence} Every document of the file supports this: {names_in_words(documents, len(documents))}."
