"""Documents on which nothing turns, though they are about what is asked; notices are about them, too."""

import random
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from impossible_rubrics_env.exact import Rational, ratio_of, rational
from impossible_rubrics_env.taskgen.arguments import choose
from impossible_rubrics_env.taskgen.draft import Block, DraftDocument, DraftQuestion, document
from impossible_rubrics_env.taskgen.knobs import Knobs
from impossible_rubrics_env.taskgen.premise import GENRES
from impossible_rubrics_env.taskgen.scenes import Scene
from impossible_rubrics_env.taskgen.statements import (
    Figure,
    Name,
    Quantity,
    Statement,
    booked,
    difference,
    filler,
    finding,
    graded,
    together,
    value,
)

STALE = "stale"
"""Keys of documents that the rest contradicts begin so; notices put them out of force in both twins."""
TOPICS = ("method", "staffing", "status", "history")
LEAST = 4
"""Fewest decoys; one more beside a document with a figure that settles the question."""
STALE_DOCUMENTS = 2


class _Scale(NamedTuple):
    """How large the figures of a packet are."""

    least: Rational
    most: Rational
    figures: list[Rational]


def build(
    rng: random.Random,
    scene: Scene,
    knobs: Knobs,
    block: Block,
    others: Sequence[DraftDocument],
    decisive: DraftDocument | None,
    shared: Sequence[Statement],
) -> list[DraftDocument]:
    """Decoys beside the other documents, which they neither contradict nor help.

    What they restate and how large their figures are comes from `shared`, which must be the same for twins. The first
    decoy is about the same as the decisive document, where there is one: a notice may be on either.
    """
    question = block.question
    stated = [sentence.statement for one in others for sentence in one.sentences]
    used = {name for one in stated for fact in one.facts for name in fact.get("terms", ())}
    scale = _scale(shared)
    entries = [one for one in shared if one.kind == "entry" and one.words["grade"] is not None]
    # A plan gives numbers to all that it is tied to, and what documents find of another would carry over by a tie.
    tied = question.kind != "plan" and "attributes" not in question.target
    taken = {pair for one in stated for pair in _carried(one)}
    free = [pair for pair in _pairs(scene) if pair not in taken]
    required = [one for one in shared if one.words.get("requirement") and "figure" in one.words]
    spare = list(block.idle)
    stale = [[one] for one in block.withdrawn]
    few = len(stale)
    if tied and not entries and not required:
        stale = [[_stale(rng, choose(rng, _asked(question)), scale)] for _ in range(STALE_DOCUMENTS)]
        few = len(stale) // 2
    if decisive is not None and not entries:
        few -= 1
    documents = []
    for place in range(max(LEAST, knobs.documents - len(others)) - few):
        beside = list(_beside(rng, scene, knobs, free, used))
        idle: list[Statement] = beside
        if rng.randrange(6):
            idle = [_idle(rng, scene, choose(rng, _asked(question)), used, scale, tied=tied)]
        if entries:
            idle = [_restated(rng, choose(rng, entries))]
        if required:
            idle = [_weaker(rng, choose(rng, required))]
        if decisive is not None and place == 0 and not spare:
            idle = [_shadow(rng, decisive, entries)]
        if spare and (entries or rng.randrange(8)):
            idle = [spare.pop()]
        extra = [filler(choose(rng, TOPICS))] if not idle or (not entries and rng.randrange(2)) else []
        said = [*idle, *extra]
        rng.shuffle(said)
        documents.append(document(f"decoy{place}", choose(rng, GENRES), said))
    return documents + [document(f"{STALE}{place}", choose(rng, GENRES), said) for place, said in enumerate(stale)]


def _asked(question: DraftQuestion) -> list[Quantity]:
    """What the question names."""
    words = question.words
    return list(words["quantities"]) if question.kind == "plan" else [words["quantity"]]


def _pairs(scene: Scene) -> list[tuple[Name, Name]]:
    """Every period with every measure, but for those that are asked about."""
    return [(period, measure) for period in scene.periods for measure in scene.measures if period.key or measure.key]


def _idle(
    rng: random.Random, scene: Scene, quantity: Quantity, used: set[str], scale: _Scale, *, tied: bool
) -> Statement:
    """True of what is asked, but too weak to matter, or a relation to something of which nothing else is known."""
    alike = [Quantity(one, quantity.period, quantity.measure) for one in scene.subjects]
    free = [one for one in alike if one.variable not in used and one != quantity]
    if tied and free and rng.randrange(6):
        other = choose(rng, free)
        used.add(other.variable)
        # The other way round, the other quantity could be forced below 0.
        return difference(other, quantity, "=", _tenths(rng, 10, 1500))
    if rng.randrange(2):
        return value(quantity, ">=", _share(scale.least, rng.randrange(10, 40)))
    return value(quantity, "<=", _share(scale.most, rng.randrange(220, 300)))


def _shadow(rng: random.Random, decisive: DraftDocument, entries: Sequence[Statement]) -> Statement:
    """As the decisive document's statement, of the same names, but too weak to matter."""
    statement = next(one.statement for one in decisive.sentences if one.statement.facts)
    if "figure" not in statement.words and "low" not in statement.words:
        return _restated(rng, choose(rng, entries))
    return _weaker(rng, statement)


def _weaker(rng: random.Random, statement: Statement) -> Statement:
    """A comparison of the same quantities that follows from this one."""
    words = statement.words
    op = words["op"] if words.get("op") in (">=", "<=") else choose(rng, (">=", "<="))
    figure = words["low" if op == ">=" else "high"] if "low" in words else words["figure"]
    weak = _share(figure.value, rng.randrange(30, 70) if op == ">=" else rng.randrange(140, 200))
    return _with_figure(statement, op, weak)


def correction(rng: random.Random, decoy: DraftDocument) -> tuple[Statement, ...]:
    """What a notice may state instead of a decoy: as idle as that; nothing where the decoy states nothing."""
    statement = next((one.statement for one in decoy.sentences if one.statement.facts), None)
    if statement is None or "figure" not in statement.words:
        return () if statement is None else (statement,)
    words, figure = statement.words, statement.words["figure"]
    op = words["op"]
    if op == "=" and statement.facts[0]["kind"] == "finding":
        op = choose(rng, (">=", "<="))  # another exact figure would contradict what else is found of a group
    percent = {">=": rng.randrange(60, 100), "<=": rng.randrange(101, 140)}.get(op, 0)
    return (_with_figure(statement, op, _share(figure.value, percent or rng.randrange(80, 125))),)


def _with_figure(statement: Statement, op: str, figure: Figure) -> Statement:
    """A comparison of the same quantities with another figure; a requirement, or a finding, as that is."""
    words = statement.words
    required = words.get("requirement", False)
    if statement.kind == "together":
        return together(words["quantities"], op, figure, requirement=required)
    if statement.kind == "difference":
        return difference(words["first"], words["second"], op, figure, requirement=required)
    if statement.facts[0]["kind"] == "finding":
        return finding(words["quantity"], {">=": "at_least", "<=": "at_most", "=": "exactly"}[op], figure)
    return value(words["quantity"], op, figure, requirement=required)


def _scale(stated: Iterable[Statement]) -> _Scale:
    """The least and the greatest figure, and all of them."""
    figures = [one.words[name].value for one in stated for name in ("figure", "low", "high") if name in one.words]
    found = [figure for figure in figures if figure > 0] or [rational(100)]
    return _Scale(min(found), max(found), found)


def _share(number: Rational, percent: int) -> Figure:
    """So many percent of a number, to a tenth."""
    top, bottom = ratio_of(number)
    return Figure(rational(max(1, top * percent // (10 * bottom)), 10), 1)


def _restated(rng: random.Random, entry: Statement) -> Statement:
    """What an entry says already, in a document of its own."""
    item = entry.words["item"]
    return graded(item, entry.words["grade"]) if rng.randrange(2) else booked(item, entry.words["place"])


def _stale(rng: random.Random, quantity: Quantity, scale: _Scale) -> Statement:
    """An exact figure of what is asked, as large as others are, which all in force may contradict.

    It is out of force in both twins, so nothing turns on which.
    """
    return value(quantity, "=", _share(choose(rng, scale.figures), rng.randrange(80, 125)))


def _beside(
    rng: random.Random, scene: Scene, knobs: Knobs, free: Sequence[tuple[Name, Name]], used: set[str]
) -> Iterator[Statement]:
    """Figures of the asked subject and others, for another period or measure."""
    period, measure = choose(rng, free)
    near = rng.sample(scene.subjects[1:], rng.randrange(1, 2 + knobs.distractors // 3))
    for subject in (scene.subjects[0], *near):
        quantity = Quantity(subject, period, measure)
        if quantity.variable not in used:
            used.add(quantity.variable)
            yield value(quantity, choose(rng, ("=", "=", ">=", "<=")), _tenths(rng, 200, 6000))


def _carried(statement: Statement) -> Iterator[tuple[Name, Name]]:
    """The period and measure of a figure that says something of other subjects than it names, by groups or entries."""
    words = statement.words
    if words.get("topic") == "tally":
        yield words["period"], words["measure"]
    elif any(fact["kind"] == "finding" for fact in statement.facts):
        yield words["quantity"].period, words["quantity"].measure


def _tenths(rng: random.Random, low: int, high: int) -> Figure:
    return Figure(rational(rng.randrange(low, high), 10), 1)
