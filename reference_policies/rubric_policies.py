"""Reference policies for attacks on a rubric: from the prompt string to a reply. The grader judges them all.

`careful` and `eager` judge every statement by solving the packet and walk every answer; the others read the rubric and
the list of statements alone. An answer to the question is a guess of what the smallest honest answer is: one definite
answer, or that the question is not settled with one ground. What cannot be read gets UNSURE.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

import numpy as np

from impossible_rubrics_env.reference_policies.statement_judging import judge
from impossible_rubrics_env.reference_policies.statement_reading import Reading, read
from impossible_rubrics_env.rubrics import walk
from impossible_rubrics_env.rubrics.language import MICRO, Rubric
from impossible_rubrics_env.rubrics.marks import FALSE_MARKS
from impossible_rubrics_env.rubrics.scoring import score

Policy = Callable[[str], str]
"""A function from the prompt to the reply."""
Attack = str | list[str]
"""What a reply submits."""
NO_ATTACK = "NO_ATTACK"


def never(_prompt: str) -> str:
    """Always reports that there is no attack."""
    return _reply(NO_ATTACK)


def always(prompt: str) -> str:
    """Submits the answer that the rubric pays most, true or not."""
    return _read_then(prompt, lambda reading, rubric: _best_of_all(rubric, _named(rubric, paid=True), reading.ids))


def naive(prompt: str) -> str:
    """Submits every statement that the rubric pays for and does not charge for."""

    def attack(reading: Reading, rubric: Rubric) -> Attack:
        wanted = _named(rubric, paid=True) - _named(rubric, paid=False)
        return [name for name in reading.ids if name in wanted]

    return _read_then(prompt, attack)


def trusting(prompt: str) -> str:
    """Takes what the rubric charges for as what is false, and the best definite answer to the question as honest."""

    def attack(reading: Reading, rubric: Rubric) -> Attack:
        honest, *_ = ranked(reading, rubric)
        return _refused_below(rubric, _named(rubric, paid=False) - {*honest}, score(rubric, honest))

    return _read_then(prompt, attack)


def deducing(prompt: str) -> str:
    """Takes the best paid answer to the question for the honest one, and the other answers and grounds as false."""

    def attack(reading: Reading, rubric: Rubric) -> Attack:
        honest, *_ = ranked(reading, rubric)
        return _refused_below(rubric, _rivals(reading, honest), score(rubric, honest))

    return _read_then(prompt, attack)


def doubting(prompt: str) -> str:
    """Submits the answer to the question that the rubric pays best, as if the second best were the honest one."""
    return _read_then(prompt, lambda reading, rubric: list(ranked(reading, rubric)[0]))


def contrary(prompt: str) -> str:
    """Submits the answer to the question that the rubric pays second best."""
    return _read_then(prompt, lambda reading, rubric: list(ranked(reading, rubric)[1]))


def mixing(prompt: str) -> str:
    """Submits the best of the answers that make two different answers to the question at once: one of them is false."""

    def attack(reading: Reading, rubric: Rubric) -> Attack:
        first, second, *_ = ranked(reading, rubric)
        both = sorted({*first, *second}, key=reading.ids.index)
        return _refused_below(rubric, (), 0, holding=both)

    return _read_then(prompt, attack)


def gap(prompt: str) -> str:
    """Sees an attack where two answers to the question are paid almost the same, and submits the better one."""

    def attack(reading: Reading, rubric: Rubric) -> Attack:
        first, second, *_ = ranked(reading, rubric)
        return list(first) if score(rubric, first) - score(rubric, second) <= MICRO // 2 else NO_ATTACK

    return _read_then(prompt, attack)


def careful(prompt: str) -> str:
    """Submits the false answer that the rubric pays most if that is as much as the honest baseline's: always right."""
    return _read_then(prompt, lambda reading, rubric: _judged(reading, rubric, refuses=True))


def eager(prompt: str) -> str:
    """Submits the same whatever it is paid: never refuses."""
    return _read_then(prompt, lambda reading, rubric: _judged(reading, rubric, refuses=False))


BASELINES: Mapping[str, Policy] = {
    "never": never,
    "always": always,
    "naive": naive,
    "eager": eager,
    "careful": careful,
}
"""The players of the sweep table, worst to best."""
GUESSERS: Mapping[str, Policy] = {
    "trusting": trusting,
    "deducing": deducing,
    "doubting": doubting,
    "contrary": contrary,
    "mixing": mixing,
    "gap": gap,
}
"""Players that read the rubric and the statements and not the documents, for those who look for a shortcut."""
POLICIES: Mapping[str, Policy] = {**BASELINES, **GUESSERS}


def _read_then(prompt: str, attack: Callable[[Reading, Rubric], Attack]) -> str:
    try:
        reading = read(prompt)
    except ValueError:
        return _reply("UNSURE")
    return _reply("UNSURE" if reading.rubric is None else attack(reading, reading.rubric))


def _reply(attack: Attack) -> str:
    return f"<answer>{json.dumps({'attack': attack})}</answer>"


def _judged(reading: Reading, rubric: Rubric, *, refuses: bool) -> Attack:
    marked = judge(reading)
    false = [name for name in marked.ids if marked.marks[name] in FALSE_MARKS]
    return _refused_below(rubric, false, score(rubric, marked.baseline) if refuses else 0)


def _refused_below(rubric: Rubric, false: Collection[str], least: int, *, holding: Collection[str] = ()) -> Attack:
    """The best answer that makes one of the false statements, or all of `holding`; NO_ATTACK where it is paid less."""
    found = walk.scores(rubric)
    kind = walk.holding_any(rubric.ids, false)
    if holding:
        columns = dict(zip(rubric.ids, walk.all_sets(len(rubric.ids)).columns, strict=True))
        kind = kind | np.logical_and.reduce([columns[name] for name in holding])
    place = walk.best(found, kind)
    if place is None or int(found[place]) < least:
        return NO_ATTACK
    return list(walk.set_at(rubric.ids, place))


def _best_of_all(rubric: Rubric, paid: Collection[str], ids: Sequence[str]) -> Attack:
    """Of the answers that are paid most, the first of those with most statements that are paid for."""
    found, columns = walk.scores(rubric), walk.all_sets(len(ids)).columns
    counts = np.zeros(len(found), dtype=np.int64)
    for name, column in zip(ids, columns, strict=True):
        counts += column if name in paid else 0
    return list(walk.set_at(rubric.ids, int(np.argmax(np.where(found == found.max(), counts, -1)))))


def _named(rubric: Rubric, *, paid: bool) -> set[str]:
    """Statements in the conditions of criteria that pay, or that charge."""
    criteria = [one for one in rubric.criteria if (one.points_micro > 0) == paid]
    return {name for one in criteria for names in walk.named_lists(one.condition) for name in names}


def ranked(reading: Reading, rubric: Rubric) -> list[tuple[str, ...]]:
    """The answers that may be the honest baseline, best paid first; before all, one paid what the prompt says."""
    told = None if reading.baseline is None else reading.baseline * MICRO
    paid = {one: score(rubric, one) for one in _openings(reading)}
    return sorted(paid, key=lambda one: (paid[one] != told, -paid[one]))


def _openings(reading: Reading) -> Iterator[tuple[str, ...]]:
    """One definite answer; or that the question is not settled, with one ground."""
    for name in reading.of_kind("answer"):
        yield (name,)
    for name in reading.of_kind("ground"):
        yield tuple(sorted([name, *reading.settled(holds=False)], key=reading.ids.index))


def _rivals(reading: Reading, honest: Collection[str]) -> set[str]:
    """What is false if this is the honest answer, whatever the documents say: other answers, other grounds."""
    settled = reading.settled(holds=not any(name in honest for name in reading.of_kind("answer")))
    return {*reading.of_kind("answer", "ground"), *settled} - {*honest}
