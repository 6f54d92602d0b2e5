"""What the solver makes of packets that were put together by hand, one idea each."""

import pytest

from impossible_rubrics_env.exact import rational
from impossible_rubrics_env.reference_policies.packet_model import (
    Booked,
    Complete,
    Count,
    Document,
    Entry,
    Graded,
    Linear,
    Notice,
    Packet,
    Part,
    Quantity,
    Question,
    Scale,
    Sentence,
    Tally,
)
from impossible_rubrics_env.reference_policies.packet_solving import Refusal, solve


def quantity(subject, period="spring", measure="load"):
    return Quantity(subject, period, measure)


A, B, C = quantity("a"), quantity("b"), quantity("c")


def linear(op, rhs, *plus, minus=(), requirement=False):
    terms = {one: rational(1) for one in plus} | {one: rational(-1) for one in minus}
    return Linear(terms, op, rational(rhs), requirement)


def packet(question, *documents, dates=None):
    """Every document is a list of statements, one sentence each."""
    built = []
    for place, states in enumerate(documents, 1):
        sentences = tuple(
            Sentence(f"D{place}.{number}", "", states=one if isinstance(one, tuple) else (one,))
            for number, one in enumerate(states, 1)
        )
        date = dates[place - 1] if dates else f"2031-01-{place:02}"
        built.append(Document(f"D{place}", "", date, sentences))
    return Packet(tuple(built), question)


def number(step="1", premise=None):
    return Question("number", A, figure=rational(step), premise=premise)


@pytest.mark.parametrize(
    ("rest", "answer"),
    [("52.3", None), ("52.6", "31")],
)
def test_a_number_is_what_all_worlds_round_to(rest, answer):
    found = solve(
        packet(
            number(),
            [(linear(">=", "83.95", C), linear("<=", "84.05", C)), linear("=", 0, C, minus=(A, B))],
            [linear(">=", "31.2", A)],
            [linear(">=", rest, B)],
        )
    )
    if answer:
        assert (found.answer, found.refusal) == (answer, None)
    else:
        assert found.refusal == Refusal("insufficient_evidence", ["31", "32"])


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        ([linear("=", "2.5", A)], ["2", "3"]),
        ([linear(">", "2.5", A), linear("<=", "3.4", A)], "3"),
        ([linear(">=", "2.5", A), linear("<=", "3.4", A)], ["2", "3"]),
        ([linear(">=", "2.6", A), linear("<", "3.5", A)], "3"),
        ([linear(">=", "2.6", A), linear("<=", "3.5", A)], ["3", "4"]),
        ([linear(">=", "2.6", A)], ["3", "4"]),
        ([linear("<=", "-2.6", A)], ["-4", "-3"]),
        ([linear("=", "1", B)], ["0", "1"]),
    ],
)
def test_ends_of_a_range_and_ties(states, expected):
    found = solve(packet(number(), states))
    if isinstance(expected, str):
        assert (found.answer, found.refusal) == (expected, None)
    else:
        assert found.refusal == Refusal("insufficient_evidence", expected)


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        ([linear("=", "3", A), linear("=", "2", B)], "YES"),
        ([linear("=", "2", A), linear("=", "2", B)], "NO"),
        ([linear(">", "0", A, minus=(B,))], "YES"),
        ([linear(">=", "0", A, minus=(B,))], None),
        ([linear("<=", "0", A, minus=(B,))], "NO"),
    ],
)
def test_a_comparison_is_settled_where_all_worlds_agree(states, expected):
    found = solve(packet(Question("yes_no", A, B), states))
    assert (None if found.refusal else found.answer) == expected


@pytest.mark.parametrize("op", ["<", ">"])
@pytest.mark.parametrize(("low", "high"), [(">=", "<="), (">", "<"), (">=", "<"), (">", "<=")])
def test_the_ends_of_an_open_comparison_are_named_reached_or_not(op, low, high):
    facts = [linear("=", "5", B), linear(low, "4.2", A), linear(high, "6.1", A)]
    found = solve(packet(Question("yes_no", A, B, op=op), facts))
    assert found.refusal == Refusal("insufficient_evidence", ["4.2", "6.1"])


@pytest.mark.parametrize(
    ("notices", "answer"),
    [
        ([], "9"),
        ([[Notice("retracts", "D1", ())]], "7"),
        ([[Notice("retracts", "D1", ("D1.1",))]], "7"),
        ([[Notice("retracts", "D1", ("D1.2",))]], "9"),
        ([[Notice("retracts", "D1", ())], [Notice("retracts", "D3", ())]], "9"),
        ([[Notice("retracts", "D1", ())], [Notice("reinstates", "D1", ())]], "9"),
        ([[Notice("retracts", "D1", ())], [Notice("retracts", "D3", ())], [Notice("retracts", "D4", ())]], "7"),
        ([[(Notice("corrects", "D1", ()), linear("=", "8", A))]], "8"),
    ],
)
def test_the_newest_notice_in_force_decides(notices, answer):
    """D1 gives 9, the older D2 bounds what is left without it."""
    first = [linear("=", 9, A), linear("=", 1, quantity("z"))]
    second = [linear(">=", "6.8", A), linear("<=", "7.2", A)]
    dates = ["2031-02-01", "2031-01-01", "2031-03-01", "2031-04-01", "2031-05-01"]
    if answer != "7":
        second = []
    found = solve(packet(number(), first, second, *notices, dates=dates))
    assert (found.answer, found.refusal) == (answer, None)


def test_of_one_date_the_longer_id_is_newer():
    documents = [[linear("=", 9, A)], *([linear("=", 1, quantity(f"z{place}"))] for place in range(7))]
    documents += [[Notice("retracts", "D1", ())], [Notice("reinstates", "D1", ())]]
    found = solve(packet(number(), *documents, dates=["2031-01-01"] * 10))
    assert found.answer == "9"
    assert found.refusal is None


def test_requirements_in_conflict_are_named_and_no_others():
    caps = [linear("<=", "18.2", A, requirement=True), linear("<=", "23.2", B, requirement=True)]
    other = [linear(">=", "5", A, requirement=True), linear("<=", "40", C, requirement=True)]
    demand = [linear(">=", "41.5", A, B, requirement=True)]
    question = Question("plan", plan={"a": A, "b": B, "c": C})
    found = solve(packet(question, caps, other, demand))
    assert found.refusal == Refusal("objective_conflict", ["D1.1", "D1.2", "D3.1"])
    assert set(found.answer) == {"a", "b", "c"}
    feasible = solve(packet(question, caps, other, [linear(">=", "41.3", A, B, requirement=True)]))
    assert feasible.refusal is None
    plan = {name: rational(value) for name, value in feasible.answer.items()}
    assert plan["a"] + plan["b"] >= rational("41.3")
    assert rational(5) <= plan["a"] <= rational("18.2")
    assert plan["b"] <= rational("23.2")


def test_a_refuted_premise_names_the_documents_that_are_needed():
    early = [quantity(name, "winter") for name in "abc"]
    question = number(premise=(early[1], early[0]))
    facts = [
        [linear("=", 4, A)],
        [linear("=", "14.2", early[0])],
        [linear("=", "34.1", early[1], early[2])],
        [linear("=", "20", early[2])],
        [linear(">=", "1", early[1])],
    ]
    assert solve(packet(question, *facts)).refusal == Refusal("false_premise", ["D2", "D3", "D4"])
    facts[2] = [linear("=", "34.3", early[1], early[2])]
    assert solve(packet(question, *facts)).refusal is None


def test_group_figures_carry_over_to_parts_that_are_named():
    stated = quantity("g")
    facts = [linear("=", "12", stated), Part("b", "g")]
    assert solve(packet(number(), facts)).refusal is not None
    found = solve(packet(number(), facts, [Part("a", "g")]))
    assert (found.answer, found.refusal) == ("12", None)


def claim(figure, op=">="):
    return Question("document", A, op=op, figure=rational(figure))


def test_the_document_whose_own_figures_imply_the_claim():
    documents = [
        [linear(">=", "12.5", quantity("b"))],
        [linear(">=", "12.4", A)],
        [linear(">=", "19", quantity("a", "winter"))],
        [linear(">=", "14", quantity("a", measure="flow"))],
        [linear("=", "1", A, minus=(B,))],
        [Notice("retracts", "D1", ())],
    ]
    found = solve(packet(claim("12.5"), *documents))
    expected = {"D1": "finding", "D2": "bound", "D3": "period", "D4": "measure", "D5": "finding", "D6": "finding"}
    assert found.refusal == Refusal("missing_citation", expected)
    assert found.answer == "D2"
    documents[1] = [linear(">=", "12.6", A)]
    settled = solve(packet(claim("12.5"), *documents))
    assert (settled.answer, settled.refusal) == ("D2", None)


@pytest.mark.parametrize(
    ("stated", "asked", "entailed"),
    [
        ((">=", 5), (">=", 5), True),
        (("=", 5), (">=", 5), True),
        (("=", 5), ("<=", 5), True),
        (("<=", 5), (">=", 5), False),
        ((">=", 5), (">", 5), False),
        ((">", 5), (">", 5), True),
        ((">=", 6), (">", 5), True),
        (("<=", 4), ("<=", 5), True),
        ((">=", 5), ("=", 5), False),
        (("=", 5), ("=", 5), True),
    ],
)
def test_which_bounds_imply_which_claims(stated, asked, entailed):
    found = solve(packet(claim(asked[1], asked[0]), [linear(stated[0], stated[1], A)]))
    assert (found.refusal is None) == entailed


BASIC = [
    Entry("K-1", "roll", "north", "C", rational(10)),
    Entry("K-2", "roll", "a", "D", rational(20)),
    Entry("K-3", "roll", "south", None, rational(5)),
    Entry("K-4", "roll", "a", "A", rational(7)),
]
PLACES = [Part("north", "a"), Part("south", "b"), Scale("line", ("a", "b"))]
GRADES = [Scale("grade", ("A", "B", "C", "D"))]
CLOSED = [Complete("roll", ("a", "b")), Count("roll", "=", 4), Tally("roll", "spring", "load")]


def listing(*documents):
    return solve(packet(Question("list", A, grade="C"), *documents))


def test_a_list_is_complete_where_every_entry_is_decided():
    found = listing(BASIC, PLACES, GRADES, CLOSED)
    assert (found.answer, found.refusal) == (["K-1", "K-2"], None)


def test_an_entry_that_is_open_in_the_asked_place_is_named():
    found = listing(BASIC, [Part("north", "a"), Part("south", "a"), *PLACES[2:]], GRADES, CLOSED)
    assert found.refusal == Refusal("impossible_exhaustiveness", ["K-3"])
    settled = listing(
        BASIC, [Part("north", "a"), Part("south", "a"), *PLACES[2:]], GRADES, CLOSED, [Graded("K-3", "C")]
    )
    assert (settled.answer, settled.refusal) == (["K-1", "K-2", "K-3"], None)


def test_the_sentence_that_leaves_a_list_open_is_named():
    more = listing(BASIC, PLACES, GRADES, [CLOSED[0], Count("roll", "=", 5), CLOSED[2]])
    assert more.refusal == Refusal("impossible_exhaustiveness", ["D4.2"])
    others = listing(BASIC, PLACES, GRADES, [Complete("roll", ("b",)), *CLOSED[1:]])
    assert others.refusal == Refusal("impossible_exhaustiveness", ["D4.1"])


def test_totals_of_a_register():
    question = number("10")
    rest = (BASIC, PLACES, GRADES, CLOSED)
    found = solve(packet(question, *rest))
    assert (found.answer, found.refusal) == ("40", None)
    unplaced = Entry("K-5", "roll", None, "A", rational(9))
    refused = solve(packet(question, *rest, [unplaced]))
    assert refused.refusal == Refusal("insufficient_evidence", ["40", "50"])
    settled = solve(packet(question, *rest, [unplaced], [Booked("K-5", "south")]))
    assert (settled.answer, settled.refusal) == ("40", None)


def test_totals_of_a_register_compared():
    rest = (BASIC, PLACES, GRADES, CLOSED)
    assert solve(packet(Question("yes_no", A, B), *rest)).answer == "YES"
    unplaced = Entry("K-5", "roll", None, "A", rational(40))
    refused = solve(packet(Question("yes_no", A, B), *rest, [unplaced]))
    assert sorted(refused.refusal.witness) == ["37", "77"]
