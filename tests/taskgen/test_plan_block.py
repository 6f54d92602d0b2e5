import random
from collections import Counter
from dataclasses import replace

import pytest
from drafted import (
    MANY,
    RUNGS,
    SEEDS,
    STATES,
    built,
    differing,
    main_proof,
    packet_of,
    proved,
    scene_of,
    statements,
)

from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.exact import rational
from impossible_rubrics_env.numerals import Ratio
from impossible_rubrics_env.task import Rung
from impossible_rubrics_env.taskgen import plan_block
from impossible_rubrics_env.taskgen.draft import document
from impossible_rubrics_env.taskgen.knobs import Knobs
from impossible_rubrics_env.taskgen.packet_task import rung_of_dial
from impossible_rubrics_env.taskgen.plan_shapes import SHAPES, ways

KINDS = ("plan", "number", "yes_no")


def right(answer):
    if answer in ("YES", "NO"):
        return answer
    number = rational(answer)
    return Ratio(int(number.numerator), int(number.denominator))


def plan_of(block):
    """A plan that meets everything, as a reply would give it."""
    numbers = main_proof(packet_of(block.documents), block.question)["world"]["numbers"]
    ratios = {name: rational(numbers[name]) for name in block.question.target}
    return {name: Ratio(int(one.numerator), int(one.denominator)) for name, one in ratios.items()}


def corrected(block):
    """The block in which the decisive document says what a correction of it would say."""
    return replace(
        block,
        documents=tuple(
            document(one.key, one.genre, block.correction) if one.key == block.decisive else one
            for one in block.documents
        ),
    )


def required(block):
    return [one for one in statements(block) if any(fact["role"] == "requirement" for fact in one.facts)]


def accepts(found, block):
    return found.accepts(plan_of(block) if block.question.kind == "plan" else right(block.answer))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rung", RUNGS)
@pytest.mark.parametrize("state", ["open", "settled"])
def test_the_checker_proves_label_and_answer(kind, rung, state):
    """The conflict's margin is the one that the checker computes from the sum."""
    for seed in SEEDS:
        block = built(plan_block, seed, kind, state, rung)
        found = proved(block, "objective_conflict")
        assert found.answerable == (state == "settled")
        assert rung_of_dial({"value": block.margin[0], "unit": block.margin[1]}) is rung
        if state == "settled":
            assert accepts(found, block)
            continue
        assert found.obstructions == ("objective_conflict",)
        members = main_proof(packet_of(block.documents), block.question)["members"]
        assert 3 <= len(members) <= 5
        assert len(members) == block.hops
        assert found.proves("objective_conflict", tuple(members))
        assert not found.proves("objective_conflict", tuple(members[1:]))


@pytest.mark.parametrize("kind", KINDS)
def test_the_slack_of_the_settled_twin_mirrors_the_violation(kind):
    """The same weighted sum over the settled twin's facts leaves just what it lacked over the open one's."""
    for seed in SEEDS:
        for rung in RUNGS:
            opened, settled = (built(plan_block, seed, kind, state, rung) for state in ("open", "settled"))
            weights = main_proof(packet_of(opened.documents), opened.question)["multipliers"]
            left = []
            for block in (opened, settled):
                facts = {one.fact["id"]: one.fact for one in packet_of(block.documents).in_force()}
                signs = {key: -1 if facts[key]["op"] == ">=" else 1 for key in weights}
                left.append(sum(signs[key] * rational(weights[key]) * rational(facts[key]["rhs"]) for key in weights))
                changed = facts
            edited = [
                key
                for key in weights
                if next(one.fact for one in packet_of(opened.documents).in_force() if one.fact["id"] == key)
                != changed[key]
            ]
            assert len(edited) == 1
            scale = abs(rational(weights[edited[0]]))
            assert left[0] == -left[1] == -rational(opened.margin[0]) * scale


@pytest.mark.parametrize("kind", ["number", "yes_no"])
def test_what_is_asked_of_the_settled_twin_keeps_the_same_margin(kind):
    """As an insufficient_evidence task it is measured by the checker, in the same unit."""
    for seed in SEEDS:
        for rung in (Rung.RAZOR, Rung.NARROW):
            assert proved(built(plan_block, seed, kind, "settled", rung)).answerable


@pytest.mark.parametrize("kind", KINDS)
def test_a_correction_of_the_decisive_document_brings_the_conflict(kind):
    for seed in SEEDS:
        block = built(plan_block, seed, kind, "decisive", RUNGS[seed % 3])
        assert accepts(proved(block, "counterevidence_trap"), block)
        [alone] = [one for one in block.documents if one.key == block.decisive]
        assert len(alone.sentences) == 1
        found = proved(corrected(block), "objective_conflict")
        assert found.obstructions == ("objective_conflict",)


@pytest.mark.parametrize("kind", KINDS)
def test_clear_blocks_are_answerable(kind):
    for seed in SEEDS:
        block = built(plan_block, seed, kind, "clear", RUNGS[seed % 3])
        assert accepts(proved(block, "objective_conflict"), block)
        assert block.hops == 1
        assert required(block)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rung", RUNGS)
def test_twins_differ_in_one_figure_which_moves_either_way(kind, rung):
    larger, kinds = 0, Counter()
    for seed in MANY:
        opened, settled = (built(plan_block, seed, kind, state, rung) for state in ("open", "settled"))
        assert opened.question == settled.question
        assert (opened.margin, opened.hops) == (settled.margin, settled.hops)
        [(sentence, changes)] = differing(opened, settled)
        assert len(changes) == 1
        larger += changes[0][0] > changes[0][1]
        kinds[sentence] += 1
    assert 0.4 < larger / len(MANY) < 0.6
    assert len(kinds) == 3


def test_yes_and_no_above_and_below_are_equally_likely():
    counts = Counter()
    for seed in MANY:
        for rung in RUNGS:
            block = built(plan_block, seed, "yes_no", "settled", rung)
            counts[block.answer, block.question.words["above"]] += 1
    total = sum(counts.values())
    assert len(counts) == 4
    assert all(0.19 < count / total < 0.31 for count in counts.values())


@pytest.mark.parametrize("kind", KINDS)
def test_requirements_are_many_and_no_two_are_about_the_same(kind):
    counts = Counter()
    for seed in MANY:
        block = built(plan_block, seed, kind, "open", RUNGS[seed % 3])
        stated = required(block)
        counts[len(stated)] += 1
        keys = [(fact["op"], tuple(sorted(fact["terms"].items()))) for one in stated for fact in one.facts]
        assert len(set(keys)) == len(keys)
    assert set(counts) <= {6, 7, 8, 9, 10}
    assert counts[6] < len(MANY) / 50


def test_a_plan_gives_exactly_the_quantities_that_requirements_name():
    for seed in SEEDS:
        block = built(plan_block, seed, "plan", "open", RUNGS[seed % 3])
        names = {name for one in required(block) for fact in one.facts for name in fact["terms"]}
        assert sorted(names) == block.question.target
        assert [one.variable for one in block.question.words["quantities"]] == block.question.target
        assert 3 <= len(names) <= 5
        for one in statements(block):
            for fact in one.facts:
                assert names.issuperset(fact["terms"]) or names.isdisjoint(fact["terms"])


@pytest.mark.parametrize("kind", KINDS)
def test_every_shape_of_conflict_occurs(kind):
    found = {pick.shape for larger in (False, True) for pick in plan_block.picks(kind, larger=larger)}
    assert len(found) >= (2 * len(SHAPES) if kind == "plan" else 20)


def test_sums_of_shapes_have_no_quantity_left_and_corners_leave_one_row_loose():
    for place, shape in enumerate(SHAPES):
        total = Counter()
        for row in shape.rows:
            for name, size in row.excess.items():
                total[name] += row.weight * size
        assert not any(total.values())
        for edited, moves in ways(place).items():
            for move in moves:
                used = [sum(size * move[name] for name, size in row.excess.items()) for row in shape.rows]
                assert used[edited] in (0, 1)
                assert sum(1 for one in used if one < 0) <= 1
                assert sum(row.weight * one for row, one in zip(shape.rows, used, strict=True)) == 0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "knobs", [Knobs(digits=1), Knobs(digits=3), Knobs(digits=4), Knobs(hops=6), Knobs(documents=5, distractors=9)]
)
def test_knobs(kind, knobs):
    for seed in range(60):
        for state in STATES:
            block = built(plan_block, seed, kind, state, RUNGS[seed % 3], knobs)
            assert proved(block, "objective_conflict").answerable == (state != "open")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("state", STATES)
def test_figures_are_positive_and_names_of_the_premise_stay_free(kind, state):
    for seed in SEEDS:
        block = built(plan_block, seed, kind, state, RUNGS[seed % 3])
        scene = scene_of(seed)
        assert 2 <= len(block.documents) <= 7
        assert all(one.sentences for one in block.documents)
        for one in statements(block):
            for key in ("figure", "low", "high"):
                assert key not in one.words or one.words[key].value > 0
        names = {name for one in statements(block) for fact in one.facts for name in fact["terms"]}
        taken = {scene.periods[2].key} | {f"{period.key}.{scene.measures[1].key}" for period in scene.periods[1:]}
        assert not any(name.partition(".")[2].startswith(key) for name in names for key in taken)


def test_other_kinds_and_states_are_refused():
    for kind, state in (("list", "open"), ("plan", "ajar")):
        with pytest.raises(ArgumentError, match="plan block"):
            plan_block.build(random.Random(1), scene_of(1), kind, state, Rung.RAZOR, Knobs())
