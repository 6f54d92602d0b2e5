"""The two parts that every packet has: figures for what is taken for granted, and notices."""

import random
from collections import Counter

import pytest

from impossible_rubrics_env.exact import rational
from impossible_rubrics_env.simplex import Constraint, Point, feasible
from impossible_rubrics_env.task import Rung
from impossible_rubrics_env.taskgen import notices, premise
from impossible_rubrics_env.taskgen.draft import DraftPacket, document
from impossible_rubrics_env.taskgen.scenes import draw_scene
from impossible_rubrics_env.taskgen.statements import filler

SEEDS = range(200)
RUNGS = (Rung.RAZOR, Rung.NARROW, Rung.WIDE)


def built(seed, rung, *, holds, digits=0):
    scene = draw_scene(random.Random(f"scene {seed}"), "train")
    return premise.build(random.Random(f"premise {seed}"), scene, rung, digits, holds=holds)


def constraints(part):
    facts = [fact for one in part.documents for sentence in one.sentences for fact in sentence.statement.facts]
    return [Constraint(str(at), fact["terms"], fact["op"], fact["rhs"]) for at, fact in enumerate(facts)]


def presupposed(part):
    (fact,) = part.presupposes
    return Constraint("p1", fact["terms"], fact["op"], fact["rhs"])


@pytest.mark.parametrize("rung", RUNGS)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_premise_can_hold_or_is_refuted_as_asked(seed, rung):
    true, false = built(seed, rung, holds=True), built(seed, rung, holds=False)
    assert isinstance(feasible([*constraints(true), presupposed(true)]), Point)
    assert isinstance(feasible(constraints(false)), Point)
    assert not isinstance(feasible([*constraints(false), presupposed(false)]), Point)


@pytest.mark.parametrize("rung", RUNGS)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_twins_of_a_premise_differ_in_one_figure(seed, rung):
    true, false = built(seed, rung, holds=True), built(seed, rung, holds=False)
    pairs = [
        (one, other)
        for first, second in zip(true.documents, false.documents, strict=True)
        for one, other in zip(first.sentences, second.sentences, strict=True)
        if one != other
    ]
    ((one, other),) = pairs
    changed = [name for name in one.statement.words if one.statement.words[name] != other.statement.words[name]]
    assert changed == ["figure"]
    moved = abs(one.statement.words["figure"].value - other.statement.words["figure"].value)
    assert moved == 2 * rational(true.margin[0])


def test_the_figure_that_changes_goes_up_as_often_as_down():
    rises = sum(
        figure_of(built(seed, Rung.RAZOR, holds=True)) > figure_of(built(seed, Rung.RAZOR, holds=False))
        for seed in range(400)
    )
    assert 150 < rises < 250


def figure_of(part):
    figures = (s.statement.words.get("figure") for one in part.documents for s in one.sentences)
    return sum((figure.value for figure in figures if figure), rational(0))


@pytest.mark.parametrize("rung", RUNGS)
def test_the_margin_of_a_premise_has_its_rung(rung):
    for seed in SEEDS:
        margin, unit = (rational(text) for text in built(seed, rung, holds=True).margin)
        ratio = margin / unit
        assert (ratio <= rational(1, 10)) == (rung is Rung.RAZOR)
        assert (ratio > 1) == (rung is Rung.WIDE)


def stacked(seed, *, turning_on_first, rung=Rung.RAZOR, depth=0, scope=False):
    rng = random.Random(f"notices {seed}")
    data = [document(f"data{place}", "record", [filler("method"), filler("method")]) for place in range(3)]
    targets = [notices.Target(one.key, (f"{one.key}.1",) if scope else None) for one in data]
    height = notices.heights(rng, rung, depth, corrects=False)
    stack = notices.build(rng, targets, height, turning_on_first=turning_on_first)
    shown = sorted([*data, *stack], key=lambda one: one.rank)
    return height, DraftPacket(tuple(shown), tuple(f"2030-01-{place:02}" for place in range(1, len(shown) + 1)))


@pytest.mark.parametrize("scope", [False, True])
@pytest.mark.parametrize("turning_on_first", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_every_notice_turns_the_standing_of_its_document_over(seed, turning_on_first, scope):
    height, packet = stacked(seed, turning_on_first=turning_on_first, scope=scope)
    decided, sentences = packet.decided(), packet.sentence_ids
    for place, size in enumerate(height):
        on_it = size + ((place == 0) == turning_on_first)
        notice = decided.get(sentences[f"data{place}.1"])
        out = notice is not None and notice.fact["kind"] != "reinstates"
        assert out == (on_it % 2 == 1)


@pytest.mark.parametrize("seed", SEEDS)
def test_twins_differ_in_one_reference_alone(seed):
    packets = [stacked(seed, turning_on_first=first)[1] for first in (True, False)]
    differing = [
        one.key
        for one, other in zip(packets[0].documents, packets[1].documents, strict=True)
        if one.sentences != other.sentences
    ]
    assert differing == ["notice-turning"]


@pytest.mark.parametrize(("rung", "total"), notices.TOTALS.items())
def test_the_number_of_notices_has_its_rung(rung, total):
    assert {sum(stacked(seed, turning_on_first=True, rung=rung)[0]) + 1 for seed in SEEDS} == {total}
    assert sum(stacked(0, turning_on_first=True, depth=7)[0]) == sum(stacked(0, turning_on_first=True, depth=6)[0]) == 6


@pytest.mark.parametrize("corrects", [False, True])
@pytest.mark.parametrize("rung", notices.TOTALS)
def test_heights_alone_do_not_tell_whether_the_first_document_is_in_force(rung, corrects):
    """The heights of twins, without their order, are the same over all draws, so shape tells nothing."""
    shapes = {True: Counter(), False: Counter()}
    for seed in range(3000):
        first, second = notices.heights(random.Random(seed), rung, 0, corrects=corrects)
        for turning in (0, 1):
            pair = (first + 1 - turning, second + turning)
            shapes[pair[0] % 2 == 1][tuple(sorted(pair))] += 1
    assert shapes[True].keys() == shapes[False].keys()
    assert all(abs(count - shapes[False][pair]) < 200 for pair, count in shapes[True].items())
