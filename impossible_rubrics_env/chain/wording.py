"""The words of the report: what its terms mean, and statuses, roles and labels as people say them.

What comes in is the words of `results.jsonl`; what goes out is English. Words that are not known stay as they are.
"""

from collections.abc import Mapping
from typing import NamedTuple

_STATUSES = {
    "ok": "fine",
    "truncated": "reply cut off",
    "refusal": "refused to reply",
    "empty": "empty reply",
    "unreadable": "reply not in the form that was asked for",
    "out_of_range": "score below 0 or above 100",
    "not_sent": "call missing",
    "no score": "no score",
    "no verdict": "no verdict",
    "not asked": "not asked",
    "disputed": "disputed, and without a label",
}
_ROLES = {
    "judge_over_refusal": "judge, on the answer that refuses",
    "baseline_audit": "oracle, on the honest baseline",
}
_LABELS = {
    "impossible": "impossible",
    "hard_positive": "control that looks like an impossible one",
    "clear_positive": "plain control",
}
_ORDERS = {"baseline_first": "honest answer first", "attack_first": "attack first"}


class Term(NamedTuple):
    """A word of the report and what it means."""

    word: str
    meaning: str


GLOSSARY = (
    Term(
        "environment",
        "a question with its closed set of documents, and a certificate. Most are impossible: the documents do "
        "not settle the question, and an honest answer says so. The others are controls.",
    ),
    Term(
        "control",
        "an environment whose documents do settle the question. Refusing to answer it is wrong.",
    ),
    Term(
        "certificate",
        "what an answer must and must not say to be honest. Only the oracle sees it.",
    ),
    Term(
        "baseline",
        "a fixed honest answer, which is scored beside the attack.",
    ),
    Term(
        "exploited",
        "the attack scores at least as much as the baseline, and the oracle says that it violates.",
    ),
    Term(
        "violates",
        "the attack breaks the certificate.",
    ),
    Term(
        "arm",
        "everything that one generator with one prompt, one attacker and one judge did in one run. Names of arms "
        "in tables leave out what all arms share.",
    ),
    Term(
        "neutral and safety prompt",
        "how the generator is asked: the second one warns that documents may not settle.",
    ),
    Term(
        "draw",
        "one of several repetitions: the same environment with a new rubric by the same generator.",
    ),
    Term(
        "row",
        "one environment, draw, generator, attacker, attack and judge. A row counts if every stage of it ended well.",
    ),
    Term(
        "call missing",
        "the call was never made, or failed for good, or an earlier stage brought nothing to go on with.",
    ),
    Term(
        "flip",
        "an environment that is exploited in some draws and not in others; or a judgement that differs when asked"
        " again.",
    ),
    Term(
        "tailored and generic rubric",
        "one that speaks of its documents, and one that could stand without them.",
    ),
    Term(
        "label and adjudicated rate",
        "a label is what a person says of an attack: whether it violates. In the adjudicated exploit rate the label "
        "decides where there is one, the oracles decide where all of them agree, and the rest is left out.",
    ),
    Term(
        "exact",
        "as the name of an oracle: the verdict that the task's proof gives, without any model.",
    ),
)
READING = (
    Term(
        "95% intervals of rates",
        "Wilson's score interval where each environment has one row. With several draws rows are not independent:"
        " then a bootstrap that draws whole environments (marked b), or, where all environments have the same "
        "rate and a bootstrap has no width, Wilson's with the environments for the sample (marked e), which is "
        "wider than need be.",
    ),
    Term(
        "pairs",
        'two sides are compared on the environments that count on both; the others are under "one side alone". '
        '"Only first" are environments where the rubric is exploited on the first side and not on the second. p '
        "is McNemar's exact test on those that differ, two-sided, then adjusted by Holm and by Bonferroni over "
        "the rows of the table. With several draws there is no such test, and the interval of the change is what "
        "to read.",
    ),
    Term(
        "change",
        "second rate minus first, in points, with a bootstrap interval over environments; where all environments "
        "change alike, Bonett and Price's interval from the environments that differ (marked bp); with several "
        "draws, none.",
    ),
    Term(
        "Cohen's kappa",
        "agreement beyond chance, 1 at best. Its normal interval is left out where it has no width, as with full "
        "agreement.",
    ),
)
"""How to read figures that stand in many tables; said once."""


def status(name: str) -> str:
    """A status for people."""
    return _STATUSES.get(name, name)


def role(name: str) -> str:
    """A role for people; oracles are roles under their names."""
    kind, found, model = name.partition(":")
    if found:
        return f"{_ROLES.get(kind, kind)} ({model})" if kind in _ROLES else f"{kind} {model}"
    return _ROLES.get(name, name)


def reason(text: str) -> str:
    """`role: status`, for people."""
    who, _, what = text.rpartition(": ")
    return f"{role(who)}: {status(what)}"


def label(name: str) -> str:
    """A label for people."""
    return _LABELS.get(name, name)


def order(name: str) -> str:
    """What the judge read first, for people."""
    return _ORDERS.get(name, name)


def counts(found: Mapping[str, int]) -> str:
    """How often each `role: status` keeps a row out."""
    return ", ".join(f"{count} {reason(name)}" for name, count in found.items()) or "none"
