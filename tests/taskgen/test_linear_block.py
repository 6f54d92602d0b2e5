import random
from collections import Counter

import pytest
from drafted import MANY, RUNGS, SEEDS, STATES, built, differing, packet_of, proved, scene_of, statements
from scipy.optimize import linprog

from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.exact import rational
from impossible_rubrics_env.numerals import Ratio
from impossible_rubrics_env.task import Rung
from impossible_rubrics_env.taskgen import linear_block
from impossible_rubrics_env.taskgen.knobs import Knobs
from impossible_rubrics_env.taskgen.packet_task import rung_of_dial

KINDS = ("number", "yes_no")


def right(answer):
    if answer in ("YES", "NO"):
        return answer
    number = rational(answer)
    return Ratio(int(number.numerator), int(number.denominator))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rung", RUNGS)
@pytest.mark.parametrize("state", STATES)
def test_the_checker_proves_label_answer_and_margin(kind, rung, state):
    """The margins are those that the checker computes: it refuses a dial that is not what the proof gives."""
    for seed in SEEDS:
        block = built(linear_block, seed, kind, state, rung)
        family = "counterevidence_trap" if state == "decisive" else "insufficient_evidence"
        found = proved(block, family)
        assert found.answerable == (state != "open")
        assert (block.answer is None) == (state == "open")
        assert state == "open" or found.accepts(right(block.answer))
        if state == "open":
            assert found.obstructions == ("insufficient_evidence",)
            assert found.room == 2 if kind == "yes_no" else 2 <= found.room <= 4


@pytest.mark.parametrize("kind", KINDS)
def test_the_decisive_document_alone_settles_the_open_block(kind):
    for seed in SEEDS:
        block = built(linear_block, seed, kind, "decisive", Rung.NARROW)
        rest = [one for one in block.documents if one.key != block.decisive]
        assert len(rest) == len(block.documents) - 1
        assert not proved(block, documents=rest).answerable


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rung", RUNGS)
def test_twins_differ_in_one_figure_which_moves_either_way(kind, rung):
    larger, kinds = 0, Counter()
    for seed in MANY:
        opened, settled = (built(linear_block, seed, kind, state, rung) for state in ("open", "settled"))
        assert opened.question == settled.question
        assert (opened.margin, opened.hops) == (settled.margin, settled.hops)
        [(sentence, changes)] = differing(opened, settled)
        assert len(changes) == 1
        larger += changes[0][0] > changes[0][1]
        kinds[sentence] += 1
    assert 0.4 < larger / len(MANY) < 0.6
    assert len(kinds) >= 3


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rung", [Rung.RAZOR, Rung.NARROW])
def test_the_rung_is_met(kind, rung):
    for seed in SEEDS:
        block = built(linear_block, seed, kind, "open", rung)
        assert rung_of_dial({"value": block.margin[0], "unit": block.margin[1]}) is rung


def test_a_wide_yes_or_no_has_a_margin_above_its_unit_and_a_wide_number_stays_below_the_resolution():
    for seed in SEEDS:
        for kind, rung in (("yes_no", Rung.WIDE), ("number", Rung.NARROW)):
            block = built(linear_block, seed, kind, "settled", Rung.WIDE)
            assert rung_of_dial({"value": block.margin[0], "unit": block.margin[1]}) is rung


def test_yes_and_no_above_and_below_are_equally_likely():
    counts = Counter()
    for seed in MANY:
        for rung in RUNGS:
            for state in ("settled", "decisive"):
                block = built(linear_block, seed, "yes_no", state, rung)
                counts[block.answer, block.question.words["above"]] += 1
    total = sum(counts.values())
    assert len(counts) == 4
    assert all(0.19 < count / total < 0.31 for count in counts.values())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("state", ["open", "settled"])
def test_no_sentence_states_both_bounds_of_the_asked_quantity(kind, state):
    for seed in SEEDS:
        block = built(linear_block, seed, kind, state, Rung.NARROW)
        asked = block.question.words["quantity"].variable
        for one in statements(block):
            alone = [fact for fact in one.facts if list(fact["terms"]) == [asked]]
            assert len(alone) <= 1
            assert all(fact["op"] != "=" for fact in alone)


@pytest.mark.parametrize("kind", KINDS)
def test_systems_have_many_shapes(kind):
    shapes = Counter(
        tuple(sorted(one.kind for one in statements(built(linear_block, seed, kind, "open", Rung.NARROW))))
        for seed in MANY
    )
    assert len(shapes) > 150
    assert max(shapes.values()) < 15


def test_the_other_quantity_is_pinned_and_its_value_is_not_printed_beside_its_name():
    for seed in SEEDS:
        block = built(linear_block, seed, "yes_no", "open", Rung.RAZOR)
        other = block.question.words["other"].variable
        facts = [fact for one in statements(block) for fact in one.facts if other in fact["terms"]]
        assert all(fact["op"] == "=" and len(fact["terms"]) > 1 for fact in facts)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("state", ["open", "settled"])
def test_an_outside_solver_finds_the_same_range(kind, state):
    for seed in range(40):
        block = built(linear_block, seed, kind, state, Rung.NARROW)
        low, high = solved(block)
        margin = number(block.margin[0])
        if kind == "yes_no":
            reach = min(-low, high) if state == "open" else max(low, -high)
        else:
            step = number(block.question.resolution)
            first, last = (round(end / step) for end in (low, high))
            assert (first == last) == (state == "settled")
            reach = min((first + 0.5) * step - low, high - (last - 0.5) * step)
            if state == "settled":
                reach = min(low - (first - 0.5) * step, (first + 0.5) * step - high)
        assert reach == pytest.approx(margin, abs=1e-6)


def number(text):
    value = rational(text)
    return int(value.numerator) / int(value.denominator)


def solved(block):
    """The range of what is compared, by HiGHS."""
    facts = [one.fact for one in packet_of(block.documents).in_force() if one.fact["kind"] == "linear"]
    names = sorted({name for fact in facts for name in fact["terms"]})
    target = block.question.target
    target = target.get("terms", target)
    rows, sides, equal, values = [], [], [], []
    for fact in facts:
        row = [number(fact["terms"].get(name, "0")) for name in names]
        if fact["op"] == "=":
            equal.append(row)
            values.append(number(fact["rhs"]))
        else:
            sign = 1 if fact["op"] in {"<=", "<"} else -1
            rows.append([sign * size for size in row])
            sides.append(sign * number(fact["rhs"]))
    cost = [number(target.get(name, "0")) for name in names]
    ends = []
    for sign in (1, -1):
        found = linprog(
            [sign * size for size in cost],
            A_ub=rows or None,
            b_ub=sides or None,
            A_eq=equal or None,
            b_eq=values or None,
            bounds=[(None, None)] * len(names),
            method="highs",
        )
        assert found.status == 0
        ends.append(sign * found.fun)
    return ends


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "knobs",
    [
        Knobs(digits=1),
        Knobs(digits=2),
        Knobs(digits=3),
        Knobs(digits=4),
        Knobs(hops=5),
        Knobs(hops=8),
        Knobs(documents=5, distractors=9),
    ],
)
def test_knobs(kind, knobs):
    for seed in range(60):
        for state in STATES:
            block = built(linear_block, seed, kind, state, RUNGS[seed % 3], knobs)
            found = proved(block, "counterevidence_trap" if state == "decisive" else "insufficient_evidence")
            assert found.answerable == (state != "open")
            stated = statements(block)
            if knobs.digits:
                places = [one.words[key].places for one in stated for key in ("figure", "low") if key in one.words]
                assert knobs.digits in places
                assert max(places) == knobs.digits
            if knobs.hops and state in ("open", "settled"):
                assert block.hops >= knobs.hops
            if knobs.documents:
                assert len(block.documents) >= 4


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("state", STATES)
def test_figures_are_positive_and_names_of_the_premise_stay_free(kind, state):
    for seed in SEEDS:
        block = built(linear_block, seed, kind, state, RUNGS[seed % 3])
        scene = scene_of(seed)
        assert 2 <= len(block.documents) <= 6
        assert all(one.sentences for one in block.documents)
        for one in statements(block):
            for key in ("figure", "low", "high"):
                assert key not in one.words or one.words[key].value > 0
        names = {name for one in statements(block) for fact in one.facts for name in fact["terms"]}
        taken = {scene.periods[2].key} | {f"{period.key}.{scene.measures[1].key}" for period in scene.periods[1:]}
        assert not any(name.partition(".")[2].startswith(key) for name in names for key in taken)


def test_a_block_is_a_function_of_its_arguments():
    first, second = (built(linear_block, 5, "number", "open", Rung.RAZOR) for _ in range(2))
    assert first == second


def test_other_kinds_and_states_are_refused():
    for kind, state in (("list", "open"), ("number", "ajar")):
        with pytest.raises(ArgumentError, match="linear block"):
            linear_block.build(random.Random(1), scene_of(1), kind, state, Rung.RAZOR, Knobs())
