import random
from collections import Counter
from fractions import Fraction

import pytest
from discrete_drafted import answer_of, edit, finding_answers, finding_range, main_proof, proved
from drafted import MANY, RUNGS, SEEDS, STATES, built, packet_of, scene_of, shape_of, statements

from impossible_rubrics_env.task import Rung
from impossible_rubrics_env.taskgen import discrete_proofs, finding_block
from impossible_rubrics_env.taskgen.knobs import Knobs
from impossible_rubrics_env.taskgen.packet_task import rung_of_dial
from impossible_rubrics_env.taskgen.statements import Group

KINDS = finding_block.KINDS


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rung", RUNGS)
@pytest.mark.parametrize("state", STATES)
def test_the_answer_is_the_only_one_that_brute_force_leaves(kind, rung, state):
    for seed in SEEDS:
        block = built(finding_block, seed, kind, state, rung)
        left = finding_answers(block)
        packet = packet_of(block.documents)
        main = main_proof(packet, block.question)
        assert main["answer"] == answer_of(block)
        if state != "open":
            assert left == {block.answer}
            continue
        assert block.answer is None
        assert all(main["documents"].values())
        assert len(left) == discrete_proofs.room(packet.in_force(), block.question, main)
        assert len(left) == {"document": 0, "yes_no": 2}.get(kind, len(left))
        assert kind != "number" or 2 <= len(left) <= 4


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rung", RUNGS)
def test_twins_differ_in_two_names_that_change_places_or_in_one_figure(kind, rung):
    larger, figures = 0, 0
    for seed in MANY:
        opened, settled = (built(finding_block, seed, kind, state, rung) for state in ("open", "settled"))
        assert shape_of(opened) == shape_of(settled)
        assert opened.question == settled.question
        assert (opened.margin, opened.hops) == (settled.margin, settled.hops)
        before, after = edit(opened, settled)
        assert (opened.margin is not None) == isinstance(before, Fraction)
        if opened.margin is not None:
            figures += 1
            larger += before > after
    assert figures == 0 or 0.35 < larger / figures < 0.65


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rung", RUNGS)
def test_the_rung_is_met(kind, rung):
    for seed in SEEDS:
        block = built(finding_block, seed, kind, "open", rung)
        dial = {"hops": block.hops} if block.margin is None else dict(zip(("value", "unit"), block.margin, strict=True))
        assert rung_of_dial(dial) is rung


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("state", STATES)
def test_the_independent_checker_agrees(kind, state):
    for seed in SEEDS[:100]:
        for rung in RUNGS:
            block = built(finding_block, seed, kind, state, rung)
            found = proved(block)
            assert found.answerable == (state != "open")
            assert state != "open" or "missing_citation" in found.obstructions


@pytest.mark.parametrize("kind", KINDS)
def test_the_decisive_document_alone_settles_the_open_block(kind):
    for seed in SEEDS:
        block = built(finding_block, seed, kind, "decisive", Rung.NARROW)
        rest = [one for one in block.documents if one.key != block.decisive]
        assert len(rest) == len(block.documents) - 1
        assert main_proof(packet_of(block.documents), block.question)["documents"][f"D{len(rest) + 1}"] == []
        assert main_proof(packet_of(rest), block.question)["answer"] is None


@pytest.mark.parametrize("kind", KINDS)
def test_names_alone_do_not_tell_in_what_a_document_falls_short(kind):
    """A witness that compares names, without the document that says who is in which group, is refused."""
    for seed in SEEDS:
        for rung in RUNGS:
            block = built(finding_block, seed, kind, "open", rung)
            asked = block.question.words["quantity"]
            main = main_proof(packet_of(block.documents), block.question)
            guessed = []
            for one in block.documents:
                stated = [x.statement.words["quantity"] for x in one.sentences if "quantity" in x.statement.words]
                differing = [name for name in ("period", "measure", "subject") if _all_differ(stated, asked, name)]
                guessed.append([*differing, "bound"][0] if stated else "finding")
            assert any(guess not in found for guess, found in zip(guessed, main["documents"].values(), strict=True))


def _all_differ(stated, asked, name):
    return all(getattr(one, name) != getattr(asked, name) for one in stated)


def upwards(block, name):
    """A subject and the groups that it is in, the narrowest first."""
    wider = {one.words["narrower"].key: one.words["wider"].key for one in statements(block) if one.kind == "within"}
    names = [name.key]
    while names[-1] in wider:
        names.append(wider[names[-1]])
    return names


def bounds_by_name(block):
    """Of the asked period and measure: least and greatest values that are stated of each name."""
    asked, bounds = block.question.words["quantity"], {}
    for one in _found(block):
        stated, words = one.words["quantity"], one.words
        if (stated.period, stated.measure) == (asked.period, asked.measure):
            low, high = words.get("low", words.get("figure")), words.get("high", words.get("figure"))
            lows, highs = bounds.setdefault(stated.subject.key, ([], []))
            lows += [Fraction(low.text)] if words.get("op") != "<=" else []
            highs += [Fraction(high.text)] if words.get("op") != ">=" else []
    return bounds


@pytest.mark.parametrize("kind", ["number", "yes_no"])
def test_what_ends_the_range_is_stated_of_groups_two_steps_up_and_so_is_what_it_is_compared_with(kind):
    for seed in SEEDS:
        for rung in RUNGS:
            block = built(finding_block, seed, kind, "open", rung)
            asked, bounds = block.question.words["quantity"], bounds_by_name(block)
            low, high = finding_range(block, asked, [one.key for one in block.documents])
            for name in upwards(block, asked.subject)[:2]:
                lows, highs = bounds.get(name, ([], []))
                assert low not in lows
                assert high not in highs
            if kind == "yes_no":
                other = block.question.words["other"]
                assert not {*upwards(block, other.subject)[:2]} & {*bounds}
                assert bounds[upwards(block, other.subject)[2]]


@pytest.mark.parametrize("kind", ["number", "yes_no"])
def test_no_group_with_both_bounds_has_the_range_that_matters(kind):
    for seed in MANY:
        for rung in RUNGS:
            block = built(finding_block, seed, kind, "open", rung)
            low, high = finding_range(block, block.question.words["quantity"], [one.key for one in block.documents])
            ranges = [
                (max(lows), min(highs))
                for lows, highs in bounds_by_name(block).values()
                if len(lows) + len(highs) > 1 and lows and highs and max(lows) < min(highs)
            ]
            assert (low, high) not in ranges


def test_what_is_asked_is_never_stated_between_two_bounds_nor_twice_by_its_own_name():
    for seed in SEEDS:
        for rung in RUNGS:
            block = built(finding_block, seed, "number", "open", rung)
            asked = block.question.words["quantity"]
            own = [one for one in statements(block) if one.words.get("quantity") == asked and one.kind == "between"]
            assert not own
            bounds = [one.words["op"] for one in statements(block) if one.words.get("quantity") == asked]
            low, high = finding_range(block, asked, [one.key for one in block.documents])
            assert low is not None
            assert high is not None
            assert len(set(bounds)) < 2 or not _tight(block, asked, low, high)


def _tight(block, asked, low, high):
    """Whether both ends are stated of the asked name."""
    own = {one.words["figure"].text for one in statements(block) if one.words.get("quantity") == asked}
    return {low, high} <= {Fraction(text) for text in own}


@pytest.mark.parametrize("rung", RUNGS)
def test_the_neighbours_of_a_printed_figure_are_seldom_two_right_answers(rung):
    hits = []
    for seed in MANY:
        block = built(finding_block, seed, "number", "open", rung)
        step, left = Fraction(block.question.resolution), finding_answers(block)
        printed = [
            Fraction(one.words[name].text)
            for one in statements(block)
            for name in ("figure", "low", "high")
            if name in one.words
        ]
        pairs = [{str(step * (one // step)), str(step * (one // step + 1))} for one in printed]
        hits.append(sum(pair <= left for pair in pairs) / len(pairs))
    assert sum(hits) / len(hits) < 0.2


def test_no_two_findings_contradict_each_other_about_any_subject():
    """Neither about the asked one nor about others, in any state."""
    for seed in SEEDS[:30]:
        for kind in KINDS:
            for state in STATES:
                for rung in RUNGS:
                    block = built(finding_block, seed, kind, state, rung)
                    keys = [one.key for one in block.documents]
                    for subject in scene_of(seed).subjects:
                        for about in {
                            (one.words["quantity"].period, one.words["quantity"].measure) for one in _found(block)
                        }:
                            quantity = block.question.words["quantity"]._replace(subject=subject)
                            quantity = quantity._replace(period=about[0], measure=about[1])
                            low, high = finding_range(block, quantity, keys)
                            assert low is None or high is None or low <= high


def _found(block):
    return [one for one in statements(block) if one.kind in ("value", "between")]


def test_documents_number_five_to_nine_and_groups_are_named():
    for seed in SEEDS:
        for kind in KINDS:
            block = built(finding_block, seed, kind, "open", Rung.RAZOR)
            assert 5 <= len(block.documents) <= 9
            assert any(isinstance(one.words["quantity"].subject, Group) for one in _found(block))


def test_answers_of_yes_or_no_and_directions_of_claims_are_balanced():
    said, claims = Counter(), Counter()
    for seed in MANY:
        for rung in RUNGS:
            said[built(finding_block, seed, "yes_no", "settled", rung).answer] += 1
            claims[built(finding_block, seed, "document", "settled", rung).question.words["op"]] += 1
    assert 0.4 < said["YES"] / said.total() < 0.6
    assert 0.4 < claims[">="] / claims.total() < 0.6


def test_more_depth_and_distractors_still_fit_and_prove():
    for seed in SEEDS[:60]:
        for kind in KINDS:
            for state in STATES:
                block = built(finding_block, seed, kind, state, Rung.RAZOR, Knobs(distractors=9, hops=6, digits=3))
                assert main_proof(packet_of(block.documents), block.question)["answer"] == answer_of(block)
                assert state == "clear" or block.margin or block.hops == 4


def test_findings_do_not_answer_lists():
    with pytest.raises(ValueError, match="list"):
        finding_block.build(random.Random(0), scene_of(0), "list", "open", Rung.WIDE, Knobs())
