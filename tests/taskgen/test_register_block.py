import random
from collections import Counter
from fractions import Fraction

import pytest
from discrete_drafted import edit, main_proof, proved, register_answers
from drafted import MANY, RUNGS, SEEDS, STATES, built, packet_of, scene_of, shape_of, statements

from impossible_rubrics_env.task import Rung
from impossible_rubrics_env.taskgen import discrete_proofs, register_block
from impossible_rubrics_env.taskgen.knobs import Knobs
from impossible_rubrics_env.taskgen.packet_task import rung_of_dial

KINDS = register_block.KINDS


def flagged(block, register=None):
    """Entries under review."""
    return [
        one.words
        for one in statements(block)
        if one.kind == "entry" and one.words["grade"] is None and register in (None, one.words["register"])
    ]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rung", RUNGS)
@pytest.mark.parametrize("state", STATES)
def test_the_answer_is_the_only_one_that_brute_force_leaves(kind, rung, state):
    for seed in SEEDS:
        block = built(register_block, seed, kind, state, rung)
        left = register_answers(block)
        packet = packet_of(block.documents)
        main = main_proof(packet, block.question)
        assert main["answer"] == block.answer
        assert (block.answer is None) == (state == "open") == (len(left) > 1)
        if state != "open":
            assert left == {
                tuple(block.answer) if kind == "list" else (block.answer,) if kind == "number" else block.answer
            }
        elif kind == "list":
            assert discrete_proofs.room(packet.in_force(), block.question, main) == (
                None if "open" in left else len(left)
            )
        else:
            assert discrete_proofs.room(packet.in_force(), block.question, main) == len(left)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rung", RUNGS)
def test_twins_differ_in_two_names_that_change_places_or_in_one_figure(kind, rung):
    larger, figures = 0, 0
    for seed in MANY:
        opened, settled = (built(register_block, seed, kind, state, rung) for state in ("open", "settled"))
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
        block = built(register_block, seed, kind, "open", rung)
        dial = {"hops": block.hops} if block.margin is None else dict(zip(("value", "unit"), block.margin, strict=True))
        assert rung_of_dial(dial) is rung


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("state", STATES)
def test_the_independent_checker_agrees(kind, state):
    for seed in SEEDS[:100]:
        for rung in RUNGS:
            block = built(register_block, seed, kind, state, rung)
            found = proved(block)
            assert found.answerable == (state != "open")
            assert state == "open" or found.accepts(tuple(block.answer) if kind == "list" else found.answer)


@pytest.mark.parametrize("kind", KINDS)
def test_the_decisive_document_alone_settles_the_open_block(kind):
    for seed in SEEDS:
        block = built(register_block, seed, kind, "decisive", Rung.NARROW)
        rest = [one for one in block.documents if one.key != block.decisive]
        assert len(rest) == len(block.documents) - 1
        assert main_proof(packet_of(block.documents), block.question)["answer"] is not None
        assert main_proof(packet_of(rest), block.question)["answer"] is None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rung", RUNGS)
def test_every_packet_has_entries_under_review_and_most_of_them_do_not_matter(kind, rung):
    for seed in SEEDS:
        asked = scene_of(seed).subjects[0]
        for state in STATES:
            block = built(register_block, seed, kind, state, rung)
            assert len(flagged(block)) >= 3
            assert state == "clear" or rung is Rung.WIDE or all(one["place"] != asked for one in flagged(block))


def test_of_the_entries_under_review_at_most_one_matters_and_a_guess_seldom_hits_it():
    """Even one who reads which entries are graded later, and which register is asked about."""
    hits = []
    for seed in MANY:
        block = built(register_block, seed, "list", "open", Rung.RAZOR)
        main = main_proof(packet_of(block.documents), block.question)
        undecided = {item for item, found in main["items"].items() if found["status"] == "undecided"}
        later = {one.words["item"] for one in statements(block) if one.kind == "graded"}
        first = scene_of(seed).registers[0]
        pending = [one["item"].key for one in flagged(block, first) if one["item"] not in later]
        assert len(undecided & set(pending)) <= 1
        hits.append(len(undecided & set(pending)) / len(pending))
    assert sum(hits) / len(hits) < 0.2


def _places(block, register):
    """By code: the place of an entry of a register, stated with it or later."""
    later = {one.words["item"]: one.words["place"] for one in statements(block) if one.kind == "booked"}
    entries = [one.words for one in statements(block) if "entry" in one.kind and one.words["register"] == register]
    return {one["item"].key: one.get("place") or later.get(one["item"]) for one in entries}


def _undecided(block):
    items = main_proof(packet_of(block.documents), block.question)["items"]
    return {item for item, found in items.items() if found["status"] == "undecided"}


def _hits(guess, kind, rungs):
    """How often an entry that a guess picks is an undecided one."""
    rates = []
    for seed in MANY:
        for rung in rungs:
            block = built(register_block, seed, kind, "open", rung)
            picked = guess(block, _places(block, scene_of(seed).registers[0]))
            rates.append(len(_undecided(block) & set(picked)) / len(picked) if picked else 0)
    return sum(rates) / len(rates)


def _unplaced(block, places):
    return [
        one.words["item"].key
        for one in statements(block)
        if one.kind == "unplaced_entry" and one.words["item"].key in places
    ]


def _unmentioned(block, places):
    """Entries without a place or a grade of which nothing is said again."""
    entries = [one for one in statements(block) if "entry" in one.kind and one.words["item"].key in places]
    pending = {one.words["item"].key for one in entries if one.words.get("place") is None or one.words["grade"] is None}
    return sorted(pending - {one.words["item"].key for one in statements(block) if one.kind in ("booked", "graded")})


def _lonely_places(block, places):
    """Entries at places that come under something, and have no other entry."""
    wider = {one.words["narrower"] for one in statements(block) if one.kind == "within"}
    named = Counter(places.values())
    return [item for item, place in places.items() if named[place] == 1 and place in wider]


def _unused_tops(block, places):
    """Entries at places under a place that has no entries."""
    wider = {one.words["narrower"]: one.words["wider"] for one in statements(block) if one.kind == "within"}
    used, subjects = {*places.values()}, {*wider.values()} - {*wider}
    subjects = {one for one in subjects if one in scene_subjects(block)}
    return [item for item, place in places.items() if place in wider and wider[place] not in used | subjects]


def scene_subjects(block):
    return next(
        one.words["values"] for one in statements(block) if one.kind == "scale" and one.words["attribute"] == "line"
    )


@pytest.mark.parametrize("kind", ["number", "yes_no"])
@pytest.mark.parametrize("guess", [_unplaced, _unmentioned, _lonely_places, _unused_tops])
def test_how_often_an_entry_or_its_place_is_named_does_not_tell_which_matters(kind, guess):
    assert _hits(guess, kind, RUNGS) < 0.23


@pytest.mark.parametrize("kind", ["number", "yes_no"])
def test_the_entry_that_matters_is_placed_as_others_are(kind):
    """Its place comes under another one, of which nobody says whose it is."""
    for seed in SEEDS:
        for rung in (Rung.RAZOR, Rung.NARROW):
            block = built(register_block, seed, kind, "open", rung)
            places, (crux,) = _places(block, scene_of(seed).registers[0]), _undecided(block)
            wider = {one.words["narrower"]: one.words["wider"] for one in statements(block) if one.kind == "within"}
            assert wider[places[crux]] not in scene_subjects(block)
            assert sum(item != crux and wider.get(place) in wider for item, place in places.items()) >= 2


def test_the_count_of_the_asked_register_is_the_higher_one_as_often_in_open_blocks():
    seen = Counter()
    for seed in range(600):
        for state in ("open", "settled"):
            block = built(register_block, seed % 300, "list", state, (Rung.RAZOR, Rung.NARROW)[seed // 300])
            counts = {one.words["register"]: one.words["number"] for one in statements(block) if one.kind == "count"}
            first, second = (counts[register] for register in scene_of(seed % 300).registers)
            seen[state, first > second] += 1
    assert abs(seen["open", True] - seen["settled", True]) < 60


def test_ways_to_open_a_list_vary():
    shown = Counter()
    for seed in MANY:
        opened, settled = (built(register_block, seed, "list", state, Rung.NARROW) for state in ("open", "settled"))
        pairs = zip(statements(opened), statements(settled), strict=True)
        shown[next(one.kind for one, other in pairs if one != other)] += 1
    assert set(shown) >= {"entry", "within", "complete", "count"}
    assert max(shown.values()) < 0.75 * len(MANY)


def test_answers_of_yes_or_no_are_balanced():
    said = Counter(built(register_block, seed, "yes_no", "settled", rung).answer for seed in MANY for rung in RUNGS)
    assert 0.4 < said["YES"] / said.total() < 0.6


def test_more_depth_and_distractors_still_fit_and_prove():
    for seed in SEEDS[:60]:
        for kind in KINDS:
            for state in STATES:
                knobs = Knobs(distractors=9, hops=6, digits=3)
                block = built(register_block, seed, kind, state, Rung.RAZOR, knobs)
                main = main_proof(packet_of(block.documents), block.question)
                assert main["answer"] == block.answer
                assert state == "clear" or block.margin or block.hops >= 4


def test_a_register_does_not_answer_document_questions():
    with pytest.raises(ValueError, match="document"):
        register_block.build(random.Random(0), scene_of(0), "document", "open", Rung.WIDE, Knobs())
