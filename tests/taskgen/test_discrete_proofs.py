import random
from dataclasses import replace

import pytest
from discrete_drafted import main_proof, task_of
from drafted import RUNGS, STATES, built, packet_of

from impossible_rubrics_env.certificates import packet_proofs
from impossible_rubrics_env.errors import ArgumentError, CertificateError
from impossible_rubrics_env.taskgen import discrete_proofs, finding_block, register_block
from impossible_rubrics_env.taskgen.draft import Block, DraftQuestion, document
from impossible_rubrics_env.taskgen.figures import figure_of
from impossible_rubrics_env.taskgen.statements import (
    Group,
    Name,
    Quantity,
    booked,
    complete,
    count,
    entry,
    filler,
    finding,
    finding_between,
    graded,
    scale,
    unplaced_entry,
    within,
)

A, B, C = (Name(key, f"the {key} line") for key in ("ash", "birch", "cedar"))
MILL, QUAY, YARD = (Name(key, f"the {key} depot") for key in ("mill", "quay", "yard"))
LOW, MID, TOP = (Name(key, key) for key in "NMT")
BOOK, ROLL = Name("book", "the book"), Name("roll", "the roll")
ITEMS = [Name(f"K-{number}", f"K-{number}") for number in range(10)]
ASKED, OTHER = Name("", "the spring"), Name("autumn", "the autumn")
LOAD, LOSS = Name("", "the load"), Name("loss", "the loss")
NORTH, COAST = (Group(key, f"the {key} group", f"every line of the {key} group") for key in ("north", "coast"))
LINE = {"attribute": "line", "values": ["ash"]}
SCALES = [scale("line", [A, B, C]), scale("grade", [LOW, MID, TOP])]


def block_of(question, *documents):
    drafted = tuple(document(f"d{place}", "record", stated) for place, stated in enumerate(documents, 1))
    return Block(drafted, question, None, None, 1)


def proof_of(question, *documents):
    """The proof, after the independent checker has accepted it or found that nothing can be proved of an open task."""
    block = block_of(question, *documents)
    packet = packet_of(block.documents)
    main = main_proof(packet, question)
    packet_proofs.prove(task_of(block, main, packet))
    return main


def list_question(*where):
    grade = {"attribute": "grade", "at_least": "M"}
    return DraftQuestion("list", {"set": "book", "where": [*(where or (LINE,)), grade]}, {})


def number_question(step="10"):
    return DraftQuestion("number", {"total": {"set": "book", "where": [LINE]}}, {}, resolution=step)


def compared(op=">"):
    than = {"set": "book", "where": [{"attribute": "line", "values": ["birch"]}]}
    return DraftQuestion("yes_no", {"total": {"set": "book", "where": [LINE]}, "op": op, "than": than}, {})


def of(subject, period=ASKED, measure=LOAD):
    return Quantity(subject, period, measure)


def claim(direction="at_least", value="50"):
    target = {"attributes": of(A).attributes, "bound": {"direction": direction, "value": value}}
    return DraftQuestion("document", target, {})


def asked_number(step="1"):
    return DraftQuestion("number", {"attributes": of(A).attributes}, {}, resolution=step)


def entries(*rows, register=BOOK):
    return [entry(item, register, place, grade, figure_of(units, 1)) for item, place, grade, units in rows]


def closing(number, *subjects):
    return [complete(BOOK, subjects or (A, B)), count(BOOK, "=", number)]


# Enumerations


def test_an_entry_passed_up_through_places_is_in_and_the_facts_say_why():
    rows = entries((ITEMS[0], MILL, MID, 155))
    links = [within("line", MILL, QUAY), within("line", QUAY, A)]
    main = proof_of(list_question(), rows, [*links, *SCALES], closing(1))
    assert main["answer"] == ["K-0"]
    assert main["items"]["K-0"] == {"status": "in", "facts": ["D1.1.b", "D2.1.a", "D2.2.a", "D1.1.d", "D2.4.a"]}
    assert main["closed"] == ["D3.1.a", "D3.2.a"]


def test_one_failing_condition_is_enough_to_be_out():
    rows = entries((ITEMS[0], YARD, LOW, 10), (ITEMS[1], B, None, 10))
    main = proof_of(list_question(), rows, SCALES, closing(2))
    assert [one["status"] for one in main["items"].values()] == ["out", "out"]
    assert main["items"]["K-0"]["facts"] == ["D1.1.d", "D2.2.a"]
    assert main["answer"] == []


@pytest.mark.parametrize(
    "row", [(ITEMS[0], YARD, TOP, 10), (ITEMS[0], A, None, 10)], ids=["place of nobody", "grade under review"]
)
def test_what_is_not_stated_leaves_an_entry_undecided(row):
    main = proof_of(list_question(), entries(row), SCALES, closing(1))
    assert main["items"]["K-0"] == {"status": "undecided", "facts": []}
    assert main["answer"] is None


def test_a_later_grade_and_a_later_place_settle():
    rows = [*entries((ITEMS[0], A, None, 10)), unplaced_entry(ITEMS[1], BOOK, TOP, figure_of(10, 1))]
    later = [graded(ITEMS[0], TOP), booked(ITEMS[1], A)]
    assert proof_of(list_question(), rows, later, SCALES, closing(2))["answer"] == ["K-0", "K-1"]


@pytest.mark.parametrize(
    "closed",
    [
        [complete(BOOK, [B]), count(BOOK, "=", 1)],
        [complete(ROLL, [A]), count(BOOK, "=", 1)],
        [complete(BOOK, [A]), count(BOOK, "=", 2)],
        [complete(BOOK, [A]), count(BOOK, ">=", 1)],
    ],
    ids=["other subject", "other register", "one more", "at least"],
)
def test_a_list_is_open_unless_covered_and_counted(closed):
    block = block_of(list_question(), entries((ITEMS[0], A, TOP, 10)), SCALES, closed)
    main = main_proof(packet_of(block.documents), block.question)
    assert main["closed"] is None
    assert main["answer"] is None
    assert discrete_proofs.room(packet_of(block.documents).in_force(), block.question, main) is None


def test_entries_of_another_register_are_no_candidates():
    rows = [*entries((ITEMS[0], A, TOP, 10)), *entries((ITEMS[1], A, TOP, 10), register=ROLL)]
    assert proof_of(list_question(), rows, SCALES, closing(1))["answer"] == ["K-0"]


def test_a_total_that_rounds_alike_with_and_without_the_undecided_entry_is_settled():
    rows = [(ITEMS[0], A, TOP, 160), (ITEMS[1], YARD, TOP, 40)]
    assert proof_of(number_question(), entries(*rows), SCALES, closing(2))["answer"] == "20"


def test_a_total_is_open_where_the_undecided_entry_moves_it_to_another_answer():
    rows = entries((ITEMS[0], A, TOP, 160), (ITEMS[1], YARD, TOP, 100))
    block = block_of(number_question(), rows, SCALES, closing(2))
    packet = packet_of(block.documents)
    main = main_proof(packet, block.question)
    assert main["answer"] is None
    assert discrete_proofs.room(packet.in_force(), block.question, main) == 2


def test_both_neighbours_are_admissible_at_a_tie():
    main = proof_of(number_question(), entries((ITEMS[0], A, TOP, 150)), SCALES, closing(1))
    assert main["answer"] is None


@pytest.mark.parametrize(("op", "answer"), [(">", "NO"), ("<", "NO")])
def test_equal_totals_are_neither_above_nor_below(op, answer):
    rows = entries((ITEMS[0], A, TOP, 150), (ITEMS[1], B, TOP, 150))
    assert proof_of(compared(op), rows, SCALES, closing(2))["answer"] == answer


@pytest.mark.parametrize(("units", "answer"), [(160, None), (190, "YES")])
def test_an_entry_that_may_be_anyones_counts_for_either_side(units, answer):
    rows = entries((ITEMS[0], A, TOP, units), (ITEMS[1], B, TOP, 120), (ITEMS[2], YARD, TOP, 50))
    assert proof_of(compared(), rows, SCALES, closing(3))["answer"] == answer


def test_totals_of_open_lists_and_too_many_undecided_entries_are_refused():
    rows = [(ITEMS[place], YARD, TOP, 10) for place in range(7)]
    for closed in (closing(9), closing(7)):
        block = block_of(number_question(), entries(*rows), SCALES, closed)
        with pytest.raises(ArgumentError):
            main_proof(packet_of(block.documents), block.question)


@pytest.mark.parametrize(
    "stated",
    [
        [graded(ITEMS[0], LOW)],
        [within("line", MILL, A), within("line", MILL, B)],
        [within("line", MILL, QUAY), within("line", QUAY, MILL)],
    ],
    ids=["two grades", "part of two", "circle"],
)
def test_contradictions_are_refused(stated):
    block = block_of(list_question(), entries((ITEMS[0], MILL, TOP, 10)), stated, SCALES, closing(1))
    with pytest.raises(ArgumentError):
        main_proof(packet_of(block.documents), block.question)


# Findings


def test_a_figure_for_every_member_of_a_group_holds_for_its_parts():
    links = [within("subject", A, NORTH), within("subject", Name(NORTH.key, NORTH.text), COAST)]
    main = proof_of(claim(), [finding(of(COAST), "at_least", figure_of(500, 1))], links)
    assert main["answer"] == "D1"
    assert main["documents"] == {"D1": [], "D2": ["finding"]}
    assert (main["lower"], main["upper"]) == (None, None)


def test_each_document_is_named_with_what_it_falls_short_in():
    main = proof_of(
        claim(),
        [finding(of(A), "at_least", figure_of(499, 1))],
        [finding(of(B), "at_least", figure_of(600, 1))],
        [finding(of(A, OTHER, LOSS), "exactly", figure_of(600, 1))],
        [finding(of(A), "at_most", figure_of(600, 1))],
        [filler("thanks")],
    )
    failing = [["bound"], ["subject"], ["period", "measure"], ["bound"], ["finding"]]
    assert list(main["documents"].values()) == failing
    assert main["answer"] is None


@pytest.mark.parametrize(
    ("direction", "stated", "answer"),
    [
        ("at_least", "exactly", "D1"),
        ("at_most", "exactly", "D1"),
        ("exactly", "exactly", "D1"),
        ("exactly", "at_least", None),
        ("at_most", "at_least", None),
    ],
)
def test_an_exact_figure_entails_bounds_and_bounds_no_exact_figure(direction, stated, answer):
    assert proof_of(claim(direction), [finding(of(A), stated, figure_of(500, 1))])["answer"] == answer


def test_bounds_of_several_documents_settle_a_number_together_and_none_does_alone():
    main = proof_of(
        asked_number(),
        [finding(of(A), "at_least", figure_of(497, 1))],
        [finding(of(NORTH), "at_most", figure_of(503, 1))],
        [within("subject", A, NORTH)],
        [finding_between(of(A, OTHER), figure_of(1, 0), figure_of(2, 0))],
    )
    assert main["answer"] == "50"
    assert (main["lower"], main["upper"]) == ("D1.1.a", "D2.1.a")
    assert list(main["documents"].values()) == [["bound"], ["bound"], ["finding"], ["period"]]


def test_the_answers_that_a_range_leaves_are_counted():
    stated = [finding(of(A), "at_least", figure_of(497, 1))], [finding(of(A), "at_most", figure_of(526, 1))]
    block = block_of(asked_number(), *stated)
    packet = packet_of(block.documents)
    main = main_proof(packet, block.question)
    assert main["answer"] is None
    assert discrete_proofs.room(packet.in_force(), block.question, main) == 4


@pytest.mark.parametrize(("op", "low", "answer"), [(">", 501, "YES"), (">", 500, None), ("<", 500, "NO")])
def test_a_comparison_needs_the_other_value_exactly(op, low, answer):
    target = {"attributes": of(A).attributes, "op": op, "than": {"attributes": of(B).attributes}}
    question = DraftQuestion("yes_no", target, {})
    own = [finding(of(A), "at_least", figure_of(low, 1))]
    assert proof_of(question, own, [finding(of(B), "exactly", figure_of(500, 1))])["answer"] == answer
    block = block_of(question, own, [finding(of(B), "at_most", figure_of(500, 1))])
    with pytest.raises(ArgumentError):
        main_proof(packet_of(block.documents), question)


def test_findings_that_contradict_each_other_are_refused():
    stated = [finding(of(A), "at_least", figure_of(600, 1))], [finding(of(A), "at_most", figure_of(500, 1))]
    block = block_of(asked_number(), *stated)
    with pytest.raises(ArgumentError):
        main_proof(packet_of(block.documents), block.question)


# Both, on drawn blocks


@pytest.mark.parametrize("module", [register_block, finding_block])
def test_a_tampered_proof_of_a_drawn_block_is_refused(module):
    """The checker works out the same, so it takes no other status, answer, attribute, end or closing facts."""
    rng = random.Random(5)
    for seed in range(40):
        for kind in module.KINDS:
            block = built(module, seed, kind, rng.choice(STATES), rng.choice(RUNGS))
            packet = packet_of(block.documents)
            main = main_proof(packet, block.question)
            packet_proofs.prove(task_of(block, main, packet))
            for forged in _forgeries(main):
                with pytest.raises(CertificateError):
                    packet_proofs.prove(task_of(block, forged, packet))


def _forgeries(main):
    yield {**main, "answer": "NO" if main["answer"] is None else None}
    if main["kind"] == "findings":
        for name, failing in main["documents"].items():
            other = "bound" if failing != ["bound"] else "subject"
            yield {**main, "documents": {**main["documents"], name: [other]}}
        yield {**main, "lower": None if main["lower"] else "D1.1.a"}
        return
    yield {**main, "closed": None if main["closed"] else ["D1.1.a", "D1.2.a"]}
    for item, found in main["items"].items():
        status = "out" if found["status"] != "out" else "in"
        yield {**main, "items": {**main["items"], item: {**found, "status": status}}}
        if found["facts"]:
            yield {**main, "items": {**main["items"], item: {**found, "facts": found["facts"][:-1]}}}


def test_the_order_of_facts_does_not_matter():
    for seed in range(40):
        for module in (register_block, finding_block):
            for kind in module.KINDS:
                block = built(module, seed, kind, "settled", RUNGS[seed % 3])
                shuffled = [*block.documents]
                random.Random(seed).shuffle(shuffled)
                turned = replace(block, documents=tuple(shuffled))
                first, second = (main_proof(packet_of(one.documents), block.question) for one in (block, turned))
                assert kind == "document" or first["answer"] == second["answer"]
