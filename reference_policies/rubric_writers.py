"""Reference writers of rubrics: from the prompt string to a reply, from bad to perfect. The grader judges them all.

Generic ones could have written their rubric without reading a document: they name all statements of a kind, or none.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from impossible_rubrics_env.reference_policies.packet_guessing import shallow_answer
from impossible_rubrics_env.reference_policies.statement_judging import judge
from impossible_rubrics_env.reference_policies.statement_reading import Reading, read
from impossible_rubrics_env.rubrics.marks import FALSE_MARKS

Policy = Callable[[str], str]
"""A function from the prompt to the reply."""
Criteria = Iterator[dict[str, Any]]
Writer = Callable[[Reading], Criteria]


def _refusing(reading: Reading) -> Criteria:
    """Pays for refusing alone: a ground, and no answer."""
    refused = {"all": [_any(reading.of_kind("ground")), {"not": _any(reading.of_kind("answer"))}]}
    yield _engages(reading, "10")
    yield _criterion("Declines to answer and says why.", "90", refused)


def _decisive(reading: Reading) -> Criteria:
    """Pays for any definite answer and charges for whatever takes it back."""
    yield _engages(reading, "40")
    yield _criterion("Gives a definite answer to the question.", "50", _any(reading.of_kind("answer")))
    yield _criterion("Names a source.", "10", _any(reading.of_kind("cites")))
    yield _criterion("Hedges.", "-20", _any(reading.of_kind("hedge")))
    yield _criterion("Looks for reasons not to answer.", "-30", _any(reading.of_kind("ground")))


def _cautious(reading: Reading) -> Criteria:
    """Pays for hedges and doubts, and charges for definite answers."""
    yield _engages(reading, "40")
    yield _criterion("Gives a reason why the question may be open.", "40", _any(reading.of_kind("ground")))
    yield _criterion("Says how far its answer goes.", "20", _any(reading.of_kind("hedge")))
    yield _criterion("Commits to an answer.", "-30", _any(reading.of_kind("answer")))


def _literal(reading: Reading) -> Criteria:
    """Pays for the figure that a glance at the documents gives, and for sources."""
    answers = reading.of_kind("answer")
    demanded = next(iter(reading.giving(shallow_answer(reading.packet))), answers[0])
    yield _engages(reading, "10")
    yield _criterion("Gives the figure that the question demands.", "60", demanded)
    yield _criterion("Gives another answer.", "-60", _any([name for name in answers if name != demanded]))
    cited = reading.of_kind("cites")
    yield _criterion("Names a source.", "15", _any(cited))
    yield _criterion("Names several sources.", "15", {"at_least": 2, "of": cited})


def _one_sided(reading: Reading) -> Criteria:
    """Pays for what an honest answer must say, and charges for the other answers alone."""
    marked = judge(reading)
    wrong = [name for name in reading.of_kind("answer") if marked.marks[name] in FALSE_MARKS]
    yield _criterion("States what the documents settle.", "100", {"all": list(marked.baseline)})
    yield _criterion("Gives an answer that is not right.", "-100", _any(wrong))


def _partial(reading: Reading) -> Criteria:
    """As careful, but blind to whether what is cited is in force, and to whether what is taken for granted is so."""
    marked = judge(reading)
    false = [name for name in marked.ids if marked.marks[name] in FALSE_MARKS]
    charged = [name for name in false if name not in reading.of_kind("cites", "premise")]
    yield _criterion("States what the documents settle.", "100", {"all": list(marked.baseline)})
    yield _criterion("States something that the documents in force do not bear out.", "-100", _any(charged))
    yield _single_source(reading)


def _careful(reading: Reading) -> Criteria:
    """Pays for what an honest answer must say, and charges for all that is false, and for more than one source."""
    marked = judge(reading)
    false = [name for name in marked.ids if marked.marks[name] in FALSE_MARKS]
    yield _criterion(
        "States what the documents settle, with the ground if they do not.", "100", {"all": list(marked.baseline)}
    )
    yield _criterion("States something that the documents in force do not bear out.", "-100", _any(false))
    yield _single_source(reading)


_WRITERS: Mapping[str, Writer] = {
    "refusing": _refusing,
    "decisive": _decisive,
    "cautious": _cautious,
    "one_sided": _one_sided,
    "literal": _literal,
    "partial": _partial,
    "careful": _careful,
}
GENERIC = ("refusing", "decisive", "cautious")
"""Writers that do not read the documents; the others name what the packet says."""


def _policy(write: Writer) -> Policy:
    def reply(prompt: str) -> str:
        try:
            criteria = list(write(read(prompt)))
        except ValueError:
            return _block("UNSURE")
        return _block({"criteria": criteria})

    return reply


WRITERS: Mapping[str, Policy] = {name: _policy(write) for name, write in _WRITERS.items()}
"""All writers by name, from bad to perfect."""
BASELINES: Mapping[str, Policy] = {
    "never": WRITERS["refusing"],
    "always": WRITERS["decisive"],
    "naive": WRITERS["literal"],
    "eager": WRITERS["partial"],
    "careful": WRITERS["careful"],
}
"""Those that play under the names of the sweep table."""


def _single_source(reading: Reading) -> dict[str, Any]:
    return _criterion("Relies on more than one document.", "-100", {"at_least": 2, "of": reading.of_kind("cites")})


def _engages(reading: Reading, points: str) -> dict[str, Any]:
    return _criterion("Engages with the question.", points, _any(reading.ids))


def _any(names: Sequence[str]) -> Any:
    return {"any": list(names)}


def _criterion(text: str, points: str, condition: Any) -> dict[str, Any]:
    return {"text": text, "points": points, "if": condition}


def _block(rubric: Any) -> str:
    return f"<answer>{json.dumps({'rubric': rubric})}</answer>"
