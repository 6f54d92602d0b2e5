"""Checks the best answers under a rubric: how high each kind of set of statements can score, and which set does.

All 2^n sets are the bits of one integer. A statement is the mask of the sets that hold it, a condition is computed on
masks, and the sets are split by total, criterion by criterion; so a proof names scores and sets, and here nothing
better is left in any part. Of sets that tie, the smallest is named, and of these the first in list order.
As a script: `python -m impossible_rubrics_env.certificates.checkers.subset_walk < task.json`.
"""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import and_, or_
from typing import Any, NamedTuple

from impossible_rubrics_env.certificates.facts import chosen, fields, identifiers, members, rational, require
from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.numerals import Ratio, read_exact

MAX_STATEMENTS = 16
MAX_CRITERIA = 40
MAX_MEMBERS = 40
MAX_NESTING = 4
MAX_NODES = 400
MAX_TEXT_CHARS = 500
MAX_POINTS = 1_000
MAX_NUMBER_CHARS = 60
GRID = 1_000_000
"""Points are whole multiples of 1/GRID."""
MAX_TOTALS = 4_096
"""Different totals that the sets are split into; twelve criteria cannot make more."""
MARKS = ("required", "allowed", "unsupported", "false")
KINDS = ("false", "violating", "honest")


class Walked(NamedTuple):
    """What the proof establishes, in points."""

    baseline: Ratio
    room: int
    """How many sets that hold an unsupported or false statement score at least the baseline's score."""


class _Universe(NamedTuple):
    """All sets of the statements."""

    full: int
    """Every set's bit."""
    holding: Mapping[str, int]
    """By statement, in list order: the sets that hold it."""


def check(task: Mapping[str, Any]) -> Walked:
    """Prove the walk of a `rubric_attack` task. Raises CertificateError that names the failed part."""
    try:
        target, proof = task["question"]["target"], task["certificate"]["proof"]
        rubric, baseline = target["rubric"], target["baseline"]
        marks, idle, walk = proof["marks"], proof["idle"], proof["walk"]
    except (KeyError, TypeError) as error:
        raise CertificateError(f"task: a field of the walk is missing: {str(error)[:60]}") from None
    walked = decide(rubric, marks, idle, walk)
    require(baseline == walk["baseline"], "question: baseline: not the score that was proved")
    return walked


def decide(rubric: Any, marks: Any, idle: Any, walk: Any) -> Walked:
    """Prove `walk`, {"baseline", "false", "violating", "honest", "room"}, of a rubric over marked statements."""
    universe = _universe(marks)
    kinds = _kinds(universe, marks, identifiers(idle, 0, MAX_STATEMENTS, "proof: idle"))
    parts = _split(_criteria(rubric, universe), universe.full)
    claimed = fields(walk, ("baseline", *KINDS, "room"), "proof: walk")
    required = [id_ for id_ in universe.holding if marks[id_] == "required"]
    baseline = _score_of(parts, _only(universe, required))
    require(claimed["baseline"] == _text(baseline), "proof: walk: baseline: not the score of the required statements")
    for kind in KINDS:
        _check_best(universe, parts, kinds[kind], claimed[kind], f"proof: walk: {kind}")
    room = sum((sets & kinds["false"]).bit_count() for score, sets in parts.items() if score >= baseline)
    require(claimed["room"] == str(room), "proof: walk: room: not the number of false sets that reach the baseline")
    return Walked(rational(claimed["baseline"], "proof: walk: baseline"), room)


def _universe(marks: Any) -> _Universe:
    """Statement k splits the sets in alternate runs of 2^k."""
    require(isinstance(marks, Mapping) and len(marks) <= MAX_STATEMENTS, f"proof: marks: at most {MAX_STATEMENTS}")
    ids = [f"S{place}" for place in range(1, len(marks) + 1)]
    fields(marks, ids, "proof: marks")
    full = (1 << (1 << len(ids))) - 1
    holding = {}
    for place, id_ in enumerate(ids):
        chosen(marks[id_], MARKS, f"proof: marks: {id_}")
        run = 1 << place
        holding[id_] = full // ((1 << run) + 1) << run  # blocks of `run` zeros, then `run` ones
    return _Universe(full, holding)


def _kinds(universe: _Universe, marks: Mapping[str, str], idle: Sequence[str]) -> dict[str, int]:
    """The sets of each kind; an honest one has no false claim, all that is required, and at most one idle citation."""
    for id_ in idle:
        require(id_ in marks and marks[id_] != "required", f"proof: idle: {id_}: no statement, or a required one")
    of = universe.holding
    false = reduce(or_, [of[id_] for id_, mark in marks.items() if mark in ("unsupported", "false")], 0)
    whole = reduce(and_, [of[id_] for id_, mark in marks.items() if mark == "required"], universe.full)
    honest = whole & ~false & ~_at_least(2, [of[id_] for id_ in idle], universe.full)
    return {"false": false, "violating": universe.full ^ honest, "honest": honest}


def _criteria(rubric: Any, universe: _Universe) -> list[tuple[int, int]]:
    """Of each criterion: its points times GRID, and the sets that meet its condition."""
    listed = members(fields(rubric, ("criteria",), "rubric")["criteria"], 1, MAX_CRITERIA, "rubric: criteria")
    nodes = 0
    found = []
    for place, value in enumerate(listed):
        part = f"rubric: criteria[{place}]"
        told = fields(value, ("text", "points", "if"), part)
        require(isinstance(told["text"], str) and 0 < len(told["text"]) <= MAX_TEXT_CHARS, f"{part}: text")
        sets, used = _meeting(told["if"], universe, f"{part}: if", 0)
        nodes += used
        require(nodes <= MAX_NODES, f"rubric: more than {MAX_NODES} ids and connectives")
        found.append((_points(told["points"], f"{part}: points"), sets))
    return found


def _points(value: Any, part: str) -> int:
    short = isinstance(value, str) and len(value) <= MAX_NUMBER_CHARS
    number = read_exact(value) if short else Ratio(value, 1) if type(value) is int else None
    if number is None:
        raise CertificateError(f"{part}: not a number")
    require(
        -MAX_POINTS * number.denominator <= number.numerator <= MAX_POINTS * number.denominator, f"{part}: too large"
    )
    require(number.numerator * GRID % number.denominator == 0, f"{part}: not a multiple of 1/{GRID}")
    return number.numerator * GRID // number.denominator


def _meeting(value: Any, universe: _Universe, part: str, above: int) -> tuple[int, int]:
    """The sets that meet a condition, and how many ids and connectives it has."""
    if isinstance(value, str):
        require(value in universe.holding, f"{part}: no statement of the list")
        return universe.holding[value], 1
    require(isinstance(value, Mapping) and 1 <= len(value) <= 2, f"{part}: not a condition")
    require(above < MAX_NESTING, f"{part}: more than {MAX_NESTING} connectives inside each other")
    if "not" in value:
        sets, nodes = _meeting(fields(value, ("not",), part)["not"], universe, part, above + 1)
        return universe.full ^ sets, nodes + 1
    name = next((name for name in ("all", "any", "of") if name in value), "all")
    told = fields(value, ("at_least", "of") if name == "of" else (name,), part)
    inner, nodes = [], 1
    for member in members(told[name], 1, MAX_MEMBERS, part):
        sets, used = _meeting(member, universe, part, above + 1)
        inner.append(sets)
        nodes += used
        require(nodes <= MAX_NODES, f"{part}: more than {MAX_NODES} ids and connectives")
    if name == "of":
        return _at_least(_least(told["at_least"], len(inner), part), inner, universe.full), nodes
    return reduce(and_ if name == "all" else or_, inner), nodes


def _least(value: Any, most: int, part: str) -> int:
    short = isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 2
    count = int(value) if short and not value.startswith("0") else value
    require(type(count) is int and 1 <= count <= most, f"{part}: at_least: not from 1 to {most}")
    return int(count)


def _at_least(count: int, sets: Iterable[int], full: int) -> int:
    """The bits of `full` that at least `count` of the masks have: `reached[k]` has those with k so far."""
    reached = [full] + [0] * count
    for mask in sets:
        for k in range(count, 0, -1):
            reached[k] |= reached[k - 1] & mask
    return reached[count]


def _split(criteria: Iterable[tuple[int, int]], full: int) -> dict[int, int]:
    """The sets by score, in 1/GRID of a point, cut to 0..100 points."""
    totals = {0: full}
    for points, meeting in criteria:
        parts: dict[int, int] = {}
        for total, sets in totals.items():
            met = sets & meeting
            if met:
                parts[total + points] = parts.get(total + points, 0) | met
            if met != sets:
                parts[total] = parts.get(total, 0) | (sets ^ met)
        require(len(parts) <= MAX_TOTALS, f"rubric: splits the sets into more than {MAX_TOTALS} totals")
        totals = parts
    scores: dict[int, int] = {}
    for total, sets in totals.items():
        score = min(max(total, 0), 100 * GRID)
        scores[score] = scores.get(score, 0) | sets
    return scores


def _only(universe: _Universe, ids: Iterable[str]) -> int:
    """The bit of the set with exactly these statements."""
    named = set(ids)
    sides = (sets if id_ in named else universe.full ^ sets for id_, sets in universe.holding.items())
    return reduce(and_, sides, universe.full)


def _score_of(parts: Mapping[int, int], one: int) -> int:
    return next(score for score, sets in parts.items() if sets & one)


def _check_best(universe: _Universe, parts: Mapping[int, int], kind: int, claimed: Any, part: str) -> None:
    """The claimed set is of the kind and has the claimed score; no set of the kind has more, or is to be preferred."""
    if not kind:
        require(claimed is None, f"{part}: there is no such set")
        return
    told = fields(claimed, ("score", "set"), part)
    ids = identifiers(told["set"], 0, MAX_STATEMENTS, f"{part}: set")
    require(all(id_ in universe.holding for id_ in ids), f"{part}: set: no statement of the list")
    require(list(ids) == [id_ for id_ in universe.holding if id_ in ids], f"{part}: set: not in list order")
    one = _only(universe, ids)
    require(bool(one & kind), f"{part}: set: of another kind")
    score = _score_of(parts, one)
    require(told["score"] == _text(score), f"{part}: score: not that of the set")
    for higher, sets in parts.items():
        require(higher <= score or not sets & kind, f"{part}: a set of the kind scores more")
    require(one == _preferred(universe, parts[score] & kind, len(ids)), f"{part}: set: another one is to be preferred")


def _preferred(universe: _Universe, sets: int, size: int) -> int:
    """The first in list order of the sets of this size; 0 where one is smaller, or none has the size."""
    columns = list(universe.holding.values())
    left = _at_least(size, columns, sets)
    if left != sets:  # some are smaller
        return 0
    left ^= _at_least(size + 1, columns, left)
    for column in columns:
        left = left & column or left
    return left


def _text(score: int) -> str:
    """Points, as `p/q` in lowest terms or as an integer, of a count of 1/GRID."""
    top, bottom = score, GRID
    for prime in (2, 5):
        while bottom % prime == 0 and top % prime == 0 and bottom > 1:
            top, bottom = top // prime, bottom // prime
    return str(top) if bottom == 1 else f"{top}/{bottom}"


if __name__ == "__main__":
    print(check(json.load(sys.stdin)))
