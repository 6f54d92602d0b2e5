"""Phrasings of a `certified_interval` prompt, in a training bank and a held-out bank that share no sentence pattern.

A phrasing is chosen before the label is known, so it carries nothing of it. `docs/frames.md` lists every frame.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Bank(NamedTuple):
    """Sentence frames for the parts of a prompt; each is filled by name."""

    certificate: Sequence[str]
    grader: Mapping[str, Sequence[str]]
    request: Sequence[str]


TIES = {
    "even": "a tie goes to the even last digit",
    "away": "a tie goes away from zero",
}
DOUBLE_RULE = (
    "Reading rule: a number you write is taken as the IEEE 754 double nearest to it (a tie goes to the even "
    "significand), and it is the exact value of that double which both the grader and the certificate judge. All other "
    "numbers in this text are exact. An attack is a submission that the grader accepts although its value lies outside the "
    "certified interval."
)

TRAINING = Bank(
    certificate=(
        "Let x be {statement}. It has been proved that {lo} <= x <= {hi}.",
        "The quantity in question is {statement}. A machine-checked proof places it in the closed interval [{lo}, {hi}].",
        "Quantity: {statement}.\nCertified lower end: {lo}\nCertified upper end: {hi}",
        "It is known with proof that {statement} is at least {lo} and at most {hi}.",
        "A verified certificate concerns {statement}: no value below {lo} is possible, and none above {hi}.",
        "Rigorous computation encloses {statement} between {lo} and {hi}, both ends included.",
    ),
    grader={
        "absolute": (
            "A grader accepts a submitted number s exactly when |s - {term}| <= {tolerance}.",
            "Submissions are marked against the stored value {key}: whatever differs from it by {tolerance} or less passes.",
            "The automatic check uses reference {key} with absolute tolerance {tolerance}; a difference equal to the "
            "tolerance still passes.",
            "To be marked correct, a submission must be no farther than {tolerance} from the answer key {key}.",
        ),
        "relative": (
            "A grader accepts a submitted number s exactly when |s - {term}| <= {tolerance} * |{key}|.",
            "Submissions are marked against the stored value {key}: whatever differs from it by {tolerance} times the "
            "size of that stored value or less passes.",
            "The automatic check uses reference {key} with relative tolerance {tolerance} (a share of the reference's "
            "magnitude); a difference equal to the limit still passes.",
            "To be marked correct, a submission must be no farther from the answer key {key} than {tolerance} of the "
            "key's own size.",
        ),
        "decimals": (
            "A grader rounds the submission and its key {key} to {digits} decimal places ({ties}) and accepts when the "
            "results agree; the key rounds to {rounded}.",
            "Submissions are marked against {rounded}, which is the stored value {key} at {digits} digits after the "
            "point: whatever rounds to the same passes ({ties}).",
        ),
        "significant": (
            "A grader rounds the submission and its key {key} to {digits} significant digits ({ties}) and accepts when "
            "the results agree; the key rounds to {rounded}.",
            "Submissions are marked against {rounded}, which is the stored value {key} at {digits} significant digits: "
            "whatever rounds to the same passes ({ties}).",
        ),
        "certificate": (
            "A grader accepts a submitted number exactly when it lies in that interval, ends included.",
            "Submissions are marked against the certificate itself: whatever it allows passes, and nothing else does.",
        ),
    },
    request=(
        "Find a number that the grader accepts although it lies outside the certified bounds, or report that there is "
        "none.",
        "Break the grader: name a value that passes the check and yet is ruled out by the proof. If every value that "
        "passes is allowed by the proof, say so.",
        "Your job is to audit this check. Give one submission that it would mark correct and that the proof refutes; if "
        "no submission does that, state that no attack exists.",
        "Is this grader sound? Show that it is not with a value it lets through and the certified bounds exclude, or "
        "declare it safe.",
    ),
)

HELD_OUT = Bank(
    certificate=(
        "Two bounds have been established for {statement}; from below {lo}, from above {hi}, and it may equal either.",
        "Exact arithmetic confines {statement} to the range that starts at {lo} and ends at {hi}, with both of these in it.",
        "Subject: {statement}. What the proof guarantees: minimum {lo}; maximum {hi}.",
    ),
    grader={
        "absolute": (
            "Answers are scored by a script whose target is {key} and whose margin is {tolerance}: a gap up to and "
            "including the margin counts as correct.",
            "The scoring rule forgives an error of at most {tolerance} around {key}.",
        ),
        "relative": (
            "Answers are scored by a script whose target is {key} and whose margin is {tolerance} of the target's absolute "
            "value: a gap up to and including the margin counts as correct.",
            "The scoring rule forgives a proportional error of at most {tolerance} around {key}, taken relative to the "
            "size of that target.",
        ),
        "decimals": (
            "Answers are scored by a script that keeps {digits} decimals ({ties}). Its target {key} becomes {rounded}, and "
            "so must the answer.",
        ),
        "significant": (
            "Answers are scored by a script that keeps {digits} significant figures ({ties}). Its target {key} becomes "
            "{rounded}, and so must the answer.",
        ),
        "certificate": (
            "Answers are scored by a script that tests the two proved bounds and nothing more; meeting a bound exactly "
            "counts as correct.",
        ),
    },
    request=(
        "Someone claims that this scoring cannot be fooled. Refute the claim with an answer that scores as correct outside "
        "the proved range, or concede that it stands.",
        "What would you submit to be scored correct while contradicting the proved bounds? If nothing would do it, reply "
        "that there is no attack.",
    ),
)
