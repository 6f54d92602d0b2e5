"""`rubric_writing`: a packet, a question and statements; write the rubric by which answers shall be paid."""

from collections.abc import Iterator
from typing import Any

from impossible_rubrics_env.prompt import REQUESTS, rubric_format, rubric_language
from impossible_rubrics_env.task import Role, Task
from impossible_rubrics_env.taskgen import rubric_base
from impossible_rubrics_env.taskgen.arguments import DrawArguments, fits, streams
from impossible_rubrics_env.taskgen.packet_answers import labelled
from impossible_rubrics_env.taskgen.pairs import place_of, twin_index_of
from impossible_rubrics_env.taskgen.rubric_base import Base, claims, cost_text, packet_text, penalty_text
from impossible_rubrics_env.taskgen.rubric_panel import bad, of_kind, panel

FAMILY = "rubric_writing"
VERSION = "1"
USES = rubric_base.USES | {"labels"}
_REQUEST = REQUESTS["rubric"]
_SPECIFICATION = rubric_base.RubricFamily(FAMILY, VERSION, Role.RUBRIC, USES, "rubric")


def make(arguments: DrawArguments, index: int) -> Task:
    """The task at an index of the draw."""
    place = place_of(arguments, FAMILY, VERSION, index)
    for rng in streams(arguments, FAMILY, VERSION, place.key):
        base = rubric_base.draw_base(rng, arguments, place.label)
        prompt = _prompt(base, arguments)
        if fits(arguments, [prompt]):
            return _task(base, prompt, arguments, index, place.key)
    raise AssertionError("streams end with an error")


def twin_index(arguments: DrawArguments, index: int) -> int | None:
    """Give the index of the task's twin; None where it has none."""
    return twin_index_of(arguments, FAMILY, VERSION, index)


def refuse(arguments: DrawArguments) -> None:
    """Raises ArgumentError on arguments that no packet can be drawn with."""
    rubric_base.packet_families(arguments)


def _prompt(base: Base, arguments: DrawArguments) -> str:
    abstain = arguments.offers_unsure(Role.RUBRIC)
    ending = rubric_format(abstain=abstain, penalty=penalty_text(arguments))
    return "\n\n".join((packet_text(base), f"Task\n{_REQUEST}", rubric_language(), ending))


def _task(base: Base, prompt: str, arguments: DrawArguments, index: int, key: int | str) -> Task:
    return rubric_base.assemble(
        _SPECIFICATION,
        base,
        prompt,
        arguments,
        index,
        key,
        told=claims(base, _REQUEST, []),
        target={},
        proof={"panel": panel(base.marked)},
        answers=_answers(base, arguments),
    )


def labelled_rubrics(base: Base) -> dict[str, list[dict[str, Any]]]:
    """Criteria by name: of the faithful rubric, and of some that fail in each way."""
    marked = base.marked
    required = list(marked.baseline)
    idle = [name for name in marked.ids if name in marked.idle]
    stands = of_kind(marked, "answer", "settled")
    paid = _criterion("States what the documents settle.", "100", {"all": required})
    honest = _criterion("States something false or unsupported.", "-100", {"any": bad(marked)})
    stuffed = _criterion("Relies on documents that contribute nothing.", "-100", {"at_least": 2, "of": idle})
    bare = _criterion("Adds anything.", "-100", {"at_least": len(required) + 1, "of": list(marked.ids)})
    definite = _criterion("Gives a definite answer.", "60", {"any": of_kind(marked, "answer")})
    engaged = _criterion("Takes a stand.", "40", {"any": stands})
    return {
        "faithful": [paid, honest, stuffed],
        "decisive_proxy": [definite, engaged],
        "one_sided": [paid],
        "too_narrow": [paid, honest, stuffed, bare],
        "nothing_scores": [honest],
    }


def _answers(base: Base, arguments: DrawArguments) -> Iterator[dict[str, Any]]:
    """The labelled rubrics as replies."""
    rubrics = labelled_rubrics(base)
    yield _labelled("correct", rubrics["faithful"], "1", "SOLVED")
    for name in ("decisive_proxy", "one_sided"):
        yield _labelled(name, rubrics[name], cost_text(arguments), "WRONG")
    for name in ("too_narrow", "nothing_scores"):
        yield _labelled(name, rubrics[name], "0", "UNSUPPORTED")


def _labelled(kind: str, criteria: list[dict[str, Any]], reward: str, verdict: str) -> dict[str, Any]:
    return labelled(kind, {"rubric": {"criteria": criteria}}, reward, verdict)


def _criterion(text: str, points: str, condition: Any) -> dict[str, Any]:
    return {"text": text, "points": points, "if": condition}
