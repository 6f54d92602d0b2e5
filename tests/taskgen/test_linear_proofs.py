import random
from collections import Counter

import pytest
from drafted import packet_of, task_of
from scipy.optimize import linprog

from impossible_rubrics_env.certificates import packet_proofs
from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.exact import rational
from impossible_rubrics_env.numerals import Ratio
from impossible_rubrics_env.taskgen.draft import DraftQuestion, document
from impossible_rubrics_env.taskgen.linear_proofs import prove, variables_of, world_of
from impossible_rubrics_env.taskgen.statements import Statement, linear, notice

PREMISE = ({"id": "p1", **linear({"a": 1, "b": -1}, ">", rational(0))},)


def stated(*facts):
    return Statement("value", {}, facts)


def asked(terms=None, resolution="1", presupposes=()):
    return DraftQuestion("number", terms or {"q": "1"}, {}, resolution, presupposes)


def compared(terms, op, rhs="0", quantity=None, presupposes=()):
    target = {"terms": terms, "op": op, "rhs": rhs}
    if quantity:
        target["quantity"] = quantity
    return DraftQuestion("yes_no", target, {}, None, presupposes)


def fact(terms, op, rhs, requirement=False):
    return linear(terms, op, rational(rhs), requirement=requirement)


def checked(statements, question):
    """The main proof, once the checker accepts it; each statement is a document of its own."""
    documents = [document(f"d{place}", "record", [one]) for place, one in enumerate(statements)]
    task = task_of(packet_of(documents), question, None, "counterevidence_trap")  # whose dial is a count
    return task["certificate"]["proof"]["main"], packet_proofs.prove(task)


WHOLE = [
    stated(fact({"w": 1}, ">=", "83.95"), fact({"w": 1}, "<=", "84.05")),
    stated(fact({"w": 1, "q": -1, "o": -1}, "=", "0")),
    stated(fact({"q": 1}, ">=", "31.2")),
]


def test_an_open_number_has_its_exact_range():
    main, found = checked([*WHOLE, stated(fact({"o": 1}, ">=", "52.3"))], asked())
    assert main["kind"] == "range"
    assert main["answers"] == ["31", "32"]
    assert main["limits"] == [None, None]
    assert main["constant"] == {}
    assert [world["numbers"]["q"] for world in main["worlds"]] == ["156/5", "127/4"]
    assert found.room == 2


def test_a_settled_number_has_bounds_within_its_cell():
    main, found = checked([*WHOLE, stated(fact({"o": 1}, ">=", "52.6"))], asked())
    assert main["kind"] == "dual_bounds"
    assert main["answer"] == "31"
    assert found.answer == Ratio(31, 1)


def test_an_end_on_a_rounding_boundary_admits_both_neighbours_unless_it_is_left_out():
    for op, room in (("<=", 2), ("<", 1)):
        low, high = stated(fact({"q": 1}, ">=", "31.2")), stated(fact({"q": 1}, op, "31.5"))
        main, found = checked([low, high], asked())
        assert main["kind"] == ("range" if room == 2 else "dual_bounds")
        assert found.room == room


def test_an_end_that_is_not_attained_has_a_limit():
    low, high = stated(fact({"q": 1}, ">", "30.5")), stated(fact({"q": 1}, "<", "32.5"))
    main, found = checked([low, high], asked())
    assert main["answers"] == ["31", "32"]
    assert [point["numbers"]["q"] for point in main["limits"]] == ["61/2", "65/2"]
    assert found.room == 2


def test_a_comparison_is_decided_on_either_side_and_at_its_edge():
    pinned = stated(fact({"r": 1}, "=", "4"))
    for op, bound, answer in (
        (">", (">", "4"), "YES"),
        (">", ("<=", "4"), "NO"),
        (">=", (">=", "4"), "YES"),
        (">=", ("<", "4"), "NO"),
        ("<", ("<", "4"), "YES"),
        ("<", (">=", "4"), "NO"),
        ("<=", ("<=", "4"), "YES"),
        ("<=", (">", "4"), "NO"),
    ):
        other = stated(
            fact({"q": 1}, "<=" if bound[0] in {">", ">="} else ">=", "9" if bound[0] in {">", ">="} else "1")
        )
        sentences = [pinned, stated(fact({"q": 1}, *bound)), other]
        main, found = checked(sentences, compared({"q": "1", "r": "-1"}, op, quantity={"q": "1"}))
        assert main["answer"] == answer
        assert found.accepts(answer)


def test_one_bound_decides_a_comparison_where_there_is_no_other():
    pinned = stated(fact({"r": 1}, "=", "4"))
    main, found = checked([pinned, stated(fact({"q": 1}, ">", "4"))], compared({"q": "1", "r": "-1"}, "<"))
    assert main["answer"] == "NO"
    assert found.accepts("NO")


def test_an_undecided_comparison_tells_the_values_of_the_quantity():
    sentences = [
        stated(fact({"r": 1, "s": -1}, "=", "3")),
        stated(fact({"s": 2}, "=", "10")),
        stated(fact({"q": 1}, ">=", "7.5"), fact({"q": 1}, "<", "8.25")),
    ]
    main, found = checked(sentences, compared({"q": "1", "r": "-1"}, ">", quantity={"q": "1"}))
    assert main["answers"] == ["NO", "YES"]
    assert main["constant"] == {"D1.1.a": "1", "D2.1.a": "1/2"}
    assert found.proves("insufficient_evidence", (Ratio(15, 2), Ratio(33, 4)))
    assert not found.proves("insufficient_evidence", (Ratio(15, 2), Ratio(81, 10)))


def test_without_a_name_the_compared_expression_is_the_quantity():
    sentences = [stated(fact({"q": 1}, ">=", "1")), stated(fact({"q": 1}, "<=", "3"))]
    main, _ = checked(sentences, compared({"q": "1"}, "<", "2"))
    assert main["answers"] == ["YES", "NO"]
    assert main["constant"] == {}


def test_requirements_conflict_in_one_minimal_set():
    sentences = [
        stated(fact({"x": 1, "y": 1}, ">=", "41.5", True)),
        stated(fact({"x": 1}, "<=", "18.2", True)),
        stated(fact({"y": 1}, "<=", "23.2", True)),
        stated(fact({"x": 1}, ">=", "5", True)),
        stated(fact({"z": 1}, ">", "5")),
    ]
    main, found = checked(sentences, DraftQuestion("plan", ["x", "y"], {}, None, ()))
    assert main["kind"] == "minimal_conflict"
    assert found.proves("objective_conflict", ("D1.1", "D2.1", "D3.1"))
    assert set(main["worlds"]) == set(main["members"])


def test_a_plan_has_a_world_and_other_variables_are_in_it():
    sentences = [stated(fact({"x": 1, "y": 1}, "=", "4", True)), stated(fact({"z": 1}, "<", "1"))]
    main, found = checked(sentences, DraftQuestion("plan", ["x", "y"], {}, None, PREMISE))
    assert main["kind"] == "world"
    assert set(main["world"]["numbers"]) == {"a", "b", "x", "y", "z"}
    assert found.accepts({"x": Ratio(1, 1), "y": Ratio(3, 1)})
    assert not found.accepts({"x": Ratio(1, 1), "y": Ratio(4, 1)})


@pytest.mark.parametrize("question", [asked(), compared({"q": "1"}, ">"), DraftQuestion("plan", ["q"], {}, None, ())])
def test_a_presupposition_is_refuted_by_the_documents_that_are_needed(question):
    question = DraftQuestion(question.kind, question.target, {}, question.resolution, PREMISE)
    sentences = [
        stated(fact({"q": 1}, "=", "3", True)),
        stated(fact({"a": 1}, "=", "14.2")),
        stated(fact({"b": 1, "c": -1}, "=", "1")),
        stated(fact({"c": 1}, "=", "13.3")),
        stated(fact({"b": 1}, ">=", "2")),
    ]
    main, found = checked(sentences, question)
    assert main["kind"] == "refutation"
    assert sorted(main["documents"]) == ["D2", "D3", "D4"]
    assert found.proves("false_premise", ("D2", "D3", "D4"))
    assert not found.proves("false_premise", ("D2", "D3"))


def test_a_presupposition_about_the_asked_quantity_may_hold():
    presupposed = ({"id": "p1", **fact({"q": 1, "a": -1}, ">", "0")},)
    sentences = [stated(fact({"q": 1}, ">=", "3"), fact({"q": 1}, "<=", "4")), stated(fact({"a": 1}, "<=", "2"))]
    main, found = checked(sentences, asked(presupposes=presupposed))
    assert main["answers"] == ["3", "4"]
    assert found.room == 2


def test_a_presupposition_that_narrows_the_answer_is_refused():
    presupposed = ({"id": "p1", **fact({"q": 1}, ">", "3.7")},)
    with pytest.raises(ArgumentError, match="narrows"):
        checked([stated(fact({"q": 1}, ">=", "3"), fact({"q": 1}, "<=", "4"))], asked(presupposes=presupposed))


def test_what_no_proof_fits_is_refused():
    demand = [stated(fact({"x": 1}, ">=", "4", True)), stated(fact({"x": 1}, "<=", "3", True))]
    other = [stated(fact({"y": 1}, ">=", "4", True)), stated(fact({"y": 1}, "<=", "3", True))]
    plan = DraftQuestion("plan", ["x"], {}, None, ())
    with pytest.raises(ArgumentError, match="no unique minimal conflict"):
        checked([*demand, *other], plan)
    with pytest.raises(ArgumentError, match="no requirements conflict"):
        checked([stated(fact({"x": 1}, ">=", "4")), stated(fact({"x": 1}, "<=", "3"))], plan)
    with pytest.raises(ArgumentError, match="no upper bound"):
        checked([stated(fact({"q": 1}, ">=", "4"))], asked())
    with pytest.raises(ArgumentError, match="an integer"):
        checked([stated({"kind": "integer", "variable": "q"})], asked())
    with pytest.raises(ArgumentError, match="not 'list'"):
        checked([stated(fact({"q": 1}, ">=", "4"))], DraftQuestion("list", {"set": "r", "where": []}, {}, None, ()))
    twice = ({"id": "p1", **fact({"q": 1}, ">", "4")}, {"id": "p2", **fact({"q": 1}, "<", "4")})
    with pytest.raises(ArgumentError, match="none of them alone"):
        checked([stated(fact({"q": 1}, ">=", "0"), fact({"q": 1}, "<=", "9"))], asked(presupposes=twice))


def test_two_documents_that_each_refute_a_presupposition_are_no_witness():
    sentences = [stated(fact({"a": 1, "b": -1}, "=", "-1")), stated(fact({"a": 1, "b": -1}, "<=", "-1"))]
    with pytest.raises(ArgumentError, match="no unique minimal refutation"):
        checked([*sentences, stated(fact({"q": 1}, "=", "1"))], asked(presupposes=PREMISE))


def test_facts_out_of_force_give_variables_and_nothing_else():
    kept = document("kept", "record", [stated(fact({"q": 1}, "=", "4.2"))])
    gone = document("gone", "record", [stated(fact({"q": 1, "u": 1}, "=", "1"), fact({"u": 1}, ">=", "7"))])
    late = document("late", "notice", [notice("retracts", "gone")])
    packet = packet_of([kept, gone, late])
    names = variables_of(packet.placed(), asked())
    assert names == ("q", "u")
    main = prove(packet.in_force(), asked(), names)
    assert main["world"] == {"numbers": {"q": "21/5", "u": "0"}}


def test_a_world_of_everything_linear():
    item = Statement(
        "entry", {}, (fact({"K-1": 1}, "=", "3"), {"kind": "member", "item": "K-1", "set": "r", "holds": True})
    )
    packet = packet_of([document("one", "register", [item, stated(fact({"a": 1}, "<", "2"))])])
    facts = packet.in_force()
    names = variables_of(facts, DraftQuestion("list", {"set": "r", "where": []}, {}, None, PREMISE))
    assert names == ("K-1", "a", "b")
    numbers = world_of(facts, PREMISE, names)["numbers"]
    assert numbers["K-1"] == "3"
    assert rational(numbers["b"]) < rational(numbers["a"]) < 2
    refuted = ({"id": "p1", **fact({"a": 1}, ">=", "2")},)
    assert world_of(facts, refuted, names) is None


def test_targets_about_items_and_findings_name_no_variable():
    for kind, target in (
        ("number", {"total": {"set": "r", "where": []}}),
        ("number", {"attributes": {"subject": "x", "period": "asked", "measure": "asked"}}),
        ("yes_no", {"attributes": {}, "op": ">", "than": {"attributes": {}}}),
        ("document", {"attributes": {}, "bound": {"direction": "at_least", "value": "1"}}),
    ):
        assert variables_of([], DraftQuestion(kind, target, {}, None, PREMISE)) == ("a", "b")


def random_facts(rng, names, count):
    found = []
    for _ in range(count):
        terms = {
            name: rng.choice((-2, -1, 1, 1, 2)) for name in rng.sample(names, min(len(names), rng.choice((1, 1, 2, 3))))
        }
        op = rng.choice(("<=", ">=", "<=", ">=", "=", "<", ">"))
        found.append(fact(terms, op, str(rng.randint(-6, 12)), rng.random() < 0.5))
    return found


def feasible_by_highs(facts, names):
    """Whether the facts have a common solution; strict ones by a margin."""
    rows, sides, equal, values = [], [], [], []
    for one in facts:
        row = [int(one["terms"].get(name, 0)) for name in names]
        sign = 1 if one["op"] in {"<=", "<"} else -1
        if one["op"] == "=":
            equal.append(row)
            values.append(int(one["rhs"]))
        else:
            rows.append([sign * size for size in row])
            sides.append(sign * int(one["rhs"]) - (1e-6 if one["op"] in {"<", ">"} else 0))
    found = linprog(
        [0] * len(names),
        A_ub=rows or None,
        b_ub=sides or None,
        A_eq=equal or None,
        b_eq=values or None,
        bounds=[(None, None)] * len(names),
        method="highs",
        options={"primal_feasibility_tolerance": 1e-9},
    )
    return found.status == 0


def test_whatever_is_proved_of_random_packets_the_checker_proves_too():
    counts = Counter()
    for seed in range(900):
        rng = random.Random(f"random packet {seed}")
        names = ["q", "r", "s", "t", "u"][: rng.randint(2, 5)]
        facts = random_facts(rng, names, rng.randint(2, 9))
        sentences = [stated(one) for one in facts]
        used = sorted({name for one in facts for name in one["terms"]})
        question = rng.choice((asked({used[0]: "1"}, "2"), compared({used[0]: "1"}, rng.choice("<>"), "2")))
        try:
            main, found = checked(sentences, question)
        except ArgumentError as error:
            counts[str(error).split(" ")[0]] += 1
            if "bound" in str(error):
                assert feasible_by_highs(facts, used)
            continue
        counts[main["kind"]] += 1
        assert feasible_by_highs(facts, used) == (main["kind"] != "minimal_conflict")
        assert found.answerable == (main["kind"] == "dual_bounds")
    assert min(counts[kind] for kind in ("minimal_conflict", "dual_bounds", "range")) >= 20


def test_sentences_with_requirements_and_background_drop_their_requirements_only():
    mixed = document("one", "plan", [stated(fact({"x": 1}, ">=", "4", True), fact({"y": 1}, "<=", "1"))])
    rest = document("two", "plan", [stated(fact({"x": 1, "y": -1}, "<=", "2", True))])
    packet = packet_of([mixed, rest])
    question = DraftQuestion("plan", ["x", "y"], {}, None, ())
    main = prove(packet.in_force(), question, ("x", "y"))
    assert sorted(main["members"]) == ["D1.1", "D2.1"]
    assert rational(main["worlds"]["D1.1"]["numbers"]["y"]) <= 1
