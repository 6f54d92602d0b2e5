"""Packets at the edges of the definitions: what is in force, ties, ends, orders, counts, parts of parts, defeats."""

import copy
import itertools
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from impossible_rubrics_env.certificates.discrete import read_discrete
from impossible_rubrics_env.certificates.packet import read_packet
from impossible_rubrics_env.certificates.packet_proofs import OBSTRUCTIONS, prove
from impossible_rubrics_env.certificates.questions import read_question
from impossible_rubrics_env.certificates.register import closure, standings
from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.numerals import Ratio


def fact(kind, **rest):
    return {"kind": kind, **rest}


def linear(terms, op, rhs, role="background"):
    return fact("linear", terms=terms, op=op, rhs=rhs, role=role)


def attribute(item, name, value):
    return fact("attribute", item=item, name=name, value=value)


def contains(narrower, wider, name="line"):
    return fact("contains", attribute=name, wider=wider, narrower=narrower)


def order(name, *values):
    return fact("order", name=name, values=list(values))


def covers(*lines):
    return fact("covers", set="list", scope={"line": list(lines)} if lines else None)


def size(op, value):
    return fact("size", set="list", op=op, value=str(value))


def retracts(target, scope=None):
    return fact("retracts", target=target, scope=scope)


def finding(subject, direction, value, period="asked"):
    attributes = {"subject": subject, "period": period, "measure": "asked"}
    return fact("finding", attributes=attributes, bound={"direction": direction, "value": value})


def packet(*documents):
    """Documents of sentences of facts; all get ids, and dates in their order."""
    listed = []
    for d, sentences in enumerate(documents, 1):
        made = [
            {
                "id": f"D{d}.{n}",
                "text": "",
                "facts": [{"id": f"D{d}.{n}.{c}", **f} for c, f in zip("abcdefgh", facts, strict=False)],
            }
            for n, facts in enumerate(sentences, 1)
        ]
        listed.append({"id": f"D{d}", "title": "", "date": f"2031-01-{d:02}", "sentences": made})
    return {"documents": listed}


def task(documents, question, main, defeats=(), dial=None):
    """Of the family whose dial is a count, whatever the main proof."""
    listed = [{"notice": n, "document": d, "without": proof} for n, d, proof in defeats]
    proof = {"kind": "packet", "main": main, "defeats": listed, "dial": dial or {"hops": 1}}
    certificate = {"kind": "packet", "claims": {}, "proof": proof}
    return {"family": "counterevidence_trap", "packet": documents, "question": question, "certificate": certificate}


def question(kind, target, resolution=None, presupposes=()):
    return {"kind": kind, "target": target, "resolution": resolution, "presupposes": list(presupposes)}


def refusal(data):
    with pytest.raises(CertificateError) as caught:
        prove(data)
    return str(caught.value)


# Registers

LINE, GRADE = {"attribute": "line", "values": ["a"]}, {"attribute": "grade", "at_least": "C"}
ASKED = {"set": "list", "where": [LINE, GRADE]}


def entry(item, line=None, grade=None, amount=None):
    facts = [fact("member", item=item, set="list", holds=True)]
    if line:
        facts.append(attribute(item, "line", line))
    if grade:
        facts.append(attribute(item, "grade", grade))
    return [*facts, *([linear({item: "1"}, "=", amount)] if amount else [])]


def statuses(*documents, where=(LINE, GRADE)):
    discrete = read_discrete(read_packet(packet(*documents)))
    asked = read_question(question("list", {"set": "list", "where": list(where)})).target
    return {item: standing.status for item, standing in standings(discrete, asked).items()}


RULES = [[order("grade", "A", "B", "C", "D")], [order("line", "a", "b")]]


@pytest.mark.parametrize(
    ("line", "grade", "status"),
    [("a", "C", "in"), ("a", "D", "in"), ("a", "B", "out"), ("a", "E", "undecided"), ("a", None, "undecided"),
     ("b", "C", "out"), ("b", None, "out"), ("b", "E", "out"), (None, "B", "out"), (None, "C", "undecided"),
     (None, None, "undecided"), ("z", "D", "undecided"), ("z", "A", "out")],
)  # fmt: skip
def test_an_item_is_in_out_or_undecided(line, grade, status):
    assert statuses([entry("K", line, grade)], RULES) == {"K": status}


def test_without_an_order_another_line_rules_nothing_out_and_no_grade_counts():
    assert statuses([entry("K", "b", "D")], [RULES[0]]) == {"K": "undecided"}
    assert statuses([entry("K", "a", "D")], [RULES[1]]) == {"K": "undecided"}


@pytest.mark.parametrize(("wider", "status"), [("a", "in"), ("b", "out"), ("c", "undecided")])
def test_a_place_belongs_to_a_line_by_a_chain_of_parts(wider, status):
    chain = [[contains("p", "q"), contains("q", "r")], [contains("r", wider)]]
    assert statuses([entry("K", "p", "D")], RULES, chain) == {"K": status}
    broken = [*chain, [retracts("D3", ["D3.2"])]]
    assert statuses([entry("K", "p", "D")], RULES, chain, broken[2:]) == {"K": "undecided"}


def test_parts_of_another_attribute_do_not_count():
    assert statuses([entry("K", "p", "D")], RULES, [[contains("p", "a", "subject")]]) == {"K": "undecided"}


def test_only_members_in_force_are_candidates():
    both = [[*entry("K", "a", "C"), fact("member", item="M", set="list", holds=False)], entry("N", "a", "C")]
    other = [[fact("member", item="O", set="other", holds=True)]]
    assert statuses(both, RULES, other, [[retracts("D1", ["D1.2"])]]) == {"K": "in"}


def test_a_correction_that_is_withdrawn_leaves_the_old_value():
    first, second = [entry("K", "a", "B")[:2], entry("K", None, "B")[1:]], [[attribute("K", "grade", "D")]]
    corrected = [*second, [fact("corrects", target="D1", scope=["D1.2"])]]
    assert statuses(first, RULES, corrected) == {"K": "in"}
    assert statuses(first, RULES, corrected, [[retracts("D3")]]) == {"K": "out"}
    assert statuses(first, RULES, corrected, [[retracts("D3", ["D3.2"]), retracts("D1", ["D1.2"])]]) == {"K": "in"}


@pytest.mark.parametrize(
    "facts",
    [
        [attribute("K", "grade", "A"), attribute("K", "grade", "B")],
        [fact("member", item="K", set="list", holds=True), fact("member", item="K", set="list", holds=False)],
        [order("grade", "A", "B"), order("grade", "B", "A")],
        [contains("p", "a"), contains("p", "b")],
        [contains("p", "q"), contains("q", "p")],
        [contains("s", "q"), contains("p", "q"), contains("q", "r"), contains("r", "s")],
    ],
)
def test_facts_in_force_that_contradict_each_other_are_refused(facts):
    documents = [[facts[:1]], [facts[1:]], [[retracts("D1")]]]
    assert read_discrete(read_packet(packet(*documents)))
    with pytest.raises(CertificateError, match=r"contradicts|part of itself"):
        read_discrete(read_packet(packet(*documents[:2])))
    stated = question("number", {"x": "1"}, "1")
    point = {"lower": {"D3.1.a": "-1"}, "upper": {"D3.1.a": "1"}, "answer": "1", "world": {"numbers": {"x": "1"}}}
    data = task(packet(*documents[:2], [[linear({"x": "1"}, "=", "1")]]), stated, {"kind": "dual_bounds", **point})
    assert refusal(data)


def test_nothing_is_a_part_of_itself():
    with pytest.raises(CertificateError, match="part of itself"):
        read_packet(packet([[contains("p", "p")]]))


def test_equal_facts_do_not_contradict_each_other():
    twice = [[attribute("K", "grade", "A"), contains("p", "q"), order("grade", "A")]] * 2
    assert read_discrete(read_packet(packet(twice)))


def closed(*facts, named=3, lines=("a",)):
    discrete = read_discrete(read_packet(packet([list(facts)])))
    where = [{"attribute": "line", "values": list(lines)}] if lines else [GRADE]
    asked = read_question(question("list", {"set": "list", "where": where})).target
    return closure(discrete, [asked], named)


@pytest.mark.parametrize(
    ("facts", "lines", "shows"),
    [
        ([covers("a", "b"), size("=", 3)], ("a",), None),
        ([covers(), size("<=", 3)], ("a", "b"), None),
        ([covers(), size("<=", 3)], (), None),
        ([covers("a"), size("=", 3)], (), ("D1.1",)),
        ([covers("a"), size("=", 3)], ("a", "b"), ("D1.1",)),
        ([covers("a"), covers("a", "b"), size("=", 3)], ("a", "b"), None),
        ([covers("a"), size("=", 4)], ("a",), ("D1.1",)),
        ([covers("a"), size("<=", 4)], ("a",), ("D1.1",)),
        ([covers("a"), size(">=", 3)], ("a",), ("D1.1",)),
        ([covers("a"), size(">=", 3), size("<=", 3)], ("a",), None),
        ([covers("a")], ("a",), ()),
        ([size("=", 3)], ("a",), ()),
        ([covers("b"), size("=", 4)], ("a",), ("D1.1",)),
    ],
)
def test_a_list_is_closed_by_a_scope_and_a_count(facts, lines, shows):
    found = closed(*facts, lines=lines)
    assert found.closed == (shows is None)
    assert found.showing == (shows or ())


@pytest.mark.parametrize(
    "facts", [[size("=", 2)], [size("<=", 2)], [size("=", 3), size("=", 4)], [size(">=", 5), size("<=", 4)]]
)
def test_counts_that_contradict_the_list_or_each_other_are_refused(facts):
    with pytest.raises(CertificateError, match="counts"):
        closed(covers("a"), *facts)


def total_task(amounts, resolution, answer, undecided=(), where=(LINE, GRADE)):
    """Items of line a; a grade is missing for the undecided ones."""
    items = [entry(f"K{n}", "a", None if n in undecided else "D", text) for n, text in enumerate(amounts)]
    documents = packet(items, RULES, [[covers("a")], [size("=", len(amounts))]])
    listed = {
        f"K{n}": {"status": "undecided", "facts": []}
        if n in undecided
        else {"status": "in", "facts": [f"D1.{n + 1}.b", f"D1.{n + 1}.c", "D2.1.a"]}
        for n in range(len(amounts))
    }
    world = {"numbers": {f"K{n}": text for n, text in enumerate(amounts)}}
    main = {"kind": "enumeration", "items": listed, "closed": ["D3.1.a", "D3.2.a"], "answer": answer, "world": world}
    target = {"total": {"set": "list", "where": list(where)}}
    return task(documents, question("number", target, resolution), main)


@pytest.mark.parametrize(
    "facts",
    [
        ["D3.1.a", "D3.2.b"],
        ["D3.1.b", "D3.2.a"],
        ["D3.2.a", "D3.1.a"],
        ["D3.1.a"],
        ["D3.1.a", "D3.2.c"],
        ["D3.1.a"] * 2,
    ],
)
def test_only_facts_that_close_the_list_are_named_for_it(facts):
    data = total_task(["1"], "1", "1")
    for sentence, more in zip(data["packet"]["documents"][2]["sentences"], (covers("b"), size(">=", 1)), strict=True):
        sentence["facts"].append({"id": f"{sentence['id']}.b", **more})
    assert prove(data).room == 1
    data["certificate"]["proof"]["main"]["closed"] = facts
    assert refusal(data).startswith("proof: closed")


def test_a_total_at_a_tie_has_both_neighbours():
    proved = prove(total_task(["3/2", "1"], "1", None))
    assert (proved.room, proved.obstructions) == (2, ("insufficient_evidence",))
    assert proved.proves("insufficient_evidence", (Ratio(2, 1), Ratio(3, 1)))
    assert not proved.proves("insufficient_evidence", (Ratio(2, 1), Ratio(5, 2)))
    assert refusal(total_task(["3/2", "1"], "1", "3")).startswith("proof: answer")
    assert prove(total_task(["3/2", "1"], "1/2", "5/2")).answer == (5, 2)
    assert prove(total_task(["37/25", "1"], "1", "2")).accepts(Ratio(2, 1))


def test_undecided_items_that_round_away_leave_one_answer():
    assert prove(total_task(["10", "1/3"], "1", "10", undecided=(1,))).room == 1
    assert prove(total_task(["10", "2/3"], "1", None, undecided=(1,))).room == 2
    assert prove(total_task(["10", "1", "-1"], "1", None, undecided=(1, 2))).room == 3


def test_at_most_six_undecided_items_are_summed():
    six = prove(total_task([str(2**n) for n in range(7)], "1", None, undecided=range(6)))
    assert six.room == 64
    assert "more than 6 undecided" in refusal(total_task(["1"] * 8, "1", None, undecided=range(7)))


def test_an_item_that_counts_needs_an_amount():
    data = total_task(["3", "1"], "1", "4")
    data["packet"]["documents"][0]["sentences"][1]["facts"][-1]["op"] = ">="
    assert "amount of K1" in refusal(data)


def test_a_total_of_an_open_list_is_refused():
    data = total_task(["3", "1"], "1", None)
    data["packet"]["documents"][2]["sentences"][1]["facts"][0]["value"] = "3"
    data["certificate"]["proof"]["main"]["closed"] = None
    assert "does not close" in refusal(data)


def compared(op, items, listed, answer, *, ordered=True, other=("b",)):
    """Whether the total of line a compares with that of another; items are (line, amount)."""
    stated = [entry(f"K{n}", line, None, amount) for n, (line, amount) in enumerate(items)]
    rules = [[covers("a", "b")], [size("=", len(items))], *([[order("line", "a", "b")]] if ordered else [])]
    first = {"set": "list", "where": [LINE]}
    than = {"set": "list", "where": [{"attribute": "line", "values": list(other)}]}
    main = {"kind": "enumeration", "items": listed, "closed": ["D2.1.a", "D2.2.a"], "answer": answer,
            "world": {"numbers": {f"K{n}": amount for n, (_, amount) in enumerate(items)}}}  # fmt: skip
    return task(packet(stated, rules), question("yes_no", {"total": first, "op": op, "than": than}), main)


IN = {"status": "in", "facts": ["D1.1.b"]}
NOT_SAID = {"status": "undecided", "facts": []}


def test_an_item_in_neither_place_counts_for_one_of_them_at_most():
    """K1 may be of line a, of line b, or of another; so a is above b, or equal to it, or below."""
    out = {"status": "out", "facts": ["D1.3.b", "D2.3.a"]}
    proved = prove(compared(">", [("a", "3"), (None, "2"), ("b", "3")], {"K0": IN, "K1": NOT_SAID, "K2": out}, None))
    assert proved.proves("insufficient_evidence", (Ratio(5, 1), Ratio(3, 1)))
    assert not proved.proves("insufficient_evidence", (Ratio(5, 1), Ratio(5, 1)))
    assert not proved.proves("insufficient_evidence", (Ratio(3, 1), Ratio(4, 1)))
    assert proved.proves("impossible_exhaustiveness", ("K1",))
    settled = compared(">", [("a", "6"), (None, "2"), ("b", "3")], {"K0": IN, "K1": NOT_SAID, "K2": out}, "YES")
    assert prove(settled).answer == "YES"
    equal = compared(
        ">", [("a", "3"), ("b", "3")], {"K0": IN, "K1": {"status": "out", "facts": ["D1.2.b", "D2.3.a"]}}, "NO"
    )
    assert prove(equal).answer == "NO"


def test_a_total_that_is_settled_has_no_two_ends_to_be_named():
    """K1 is of line b, and its grade is not stated: what a is compared with is open, and a is not."""
    out = {"status": "out", "facts": ["D1.2.b", "D2.3.a"]}
    data = compared(">", [("a", "3"), ("b", "4")], {"K0": IN, "K1": out}, None)
    data["question"]["target"]["than"]["where"].append({"attribute": "grade", "at_least": "C"})
    proved = prove(data)
    assert proved.obstructions == ("impossible_exhaustiveness",)
    assert proved.proves("impossible_exhaustiveness", ("K1",))
    assert not proved.proves("insufficient_evidence", (Ratio(3, 1), Ratio(3, 1)))


def test_an_item_that_both_totals_might_hold_is_refused():
    items = [("a", "3"), (None, "2")]
    listed = {"K0": IN, "K1": NOT_SAID}
    assert "may hold it together" in refusal(compared(">", items, listed, "YES", ordered=False))
    assert "may hold it together" in refusal(compared(">", items, listed, "YES", other=("a", "b")))


def test_both_totals_are_of_one_register_and_of_covered_lines():
    data = compared("<", [("a", "3")], {"K0": IN}, "NO")
    assert prove(data).accepts("NO")
    other = copy.deepcopy(data)
    other["question"]["target"]["than"]["set"] = "other"
    assert refusal(other).startswith("question")
    other = copy.deepcopy(data)
    other["packet"]["documents"][1]["sentences"][0]["facts"][0]["scope"]["line"] = ["a"]
    assert refusal(other).startswith("proof: closed")


def test_an_open_list_without_a_sentence_that_shows_it_has_no_refusal():
    data = total_task(["1"], "1", "1")
    data["question"] = question("list", ASKED)
    main = data["certificate"]["proof"]["main"]
    main["answer"] = ["K0"]
    assert prove(data).accepts(("K0",))
    del data["packet"]["documents"][2]["sentences"][1]
    main.update(answer=None, closed=None)
    assert "no refusal" in refusal(data)


def test_facts_of_one_meaning_may_stand_for_each_other_and_membership_may_be_named():
    data = total_task(["1"], "1", "1")
    data["packet"]["documents"][1]["sentences"][0]["facts"].append({"id": "again", **attribute("K0", "grade", "D")})
    shown = data["certificate"]["proof"]["main"]["items"]["K0"]
    for facts in (["D1.1.b", "again", "D2.1.a"], ["D2.1.a", "D1.1.a", "D1.1.c", "D1.1.b"]):
        shown["facts"] = facts
        assert prove(data).room == 1
    for facts in (
        ["D1.1.b", "again", "D1.1.c", "D2.1.a"],
        ["D1.1.b", "again"],
        ["D1.1.b", "again", "D2.1.a", "D2.2.a"],
    ):
        shown["facts"] = facts
        assert refusal(data).startswith("proof: items: K0: facts")


def test_the_first_listed_line_on_the_way_up_rules_an_item_out_and_an_asked_one_above_it_in():
    data = total_task(["1"], "1", "0", where=[{"attribute": "line", "values": ["b"]}])
    rules = data["packet"]["documents"][1]["sentences"]
    rules[1]["facts"].append({"id": "up", **contains("a", "c")})
    rules[1]["facts"][0]["values"].append("c")
    data["packet"]["documents"][2]["sentences"][0]["facts"][0]["scope"] = None
    items = data["certificate"]["proof"]["main"]["items"]
    items["K0"] = {"status": "out", "facts": ["D1.1.b", "D2.2.a"]}
    assert prove(data).room == 1
    items["K0"] = {"status": "out", "facts": ["D1.1.b", "up", "D2.2.a"]}
    assert refusal(data).startswith("proof: items: K0: facts")
    data["question"]["target"]["total"]["where"][0]["values"] = ["c"]
    data["certificate"]["proof"]["main"]["answer"] = "1"
    items["K0"] = {"status": "in", "facts": ["D1.1.b", "up"]}
    assert prove(data).room == 1


def test_an_item_may_not_be_called_like_a_sentence():
    data = total_task(["3/2", "1"], "1", None)
    text = str(data).replace("'K1'", "'D9.1'").replace("'D3.2'", "'D9.1'")
    assert "id of a sentence" in refusal(eval(text))


# Findings


def asked(subject="s"):
    return {"attributes": {"subject": subject, "period": "asked", "measure": "asked"}}


def findings_task(documents, asked_question, answer, lower=None, upper=None, **short):
    main = {"kind": "findings", "documents": short, "answer": answer, "lower": lower, "upper": upper,
            "world": {"numbers": {}}}  # fmt: skip
    return task(packet(*documents), asked_question, main)


NUMBER = question("number", asked(), "1")


def test_a_bound_at_a_tie_admits_both_neighbours():
    data = findings_task([[[finding("s", "exactly", "5/2")]]], NUMBER, None, "D1.1.a", "D1.1.a", D1=["bound"])
    assert prove(data).room == 2
    data = findings_task([[[finding("s", "exactly", "3")]]], NUMBER, "3", "D1.1.a", "D1.1.a", D1=[])
    assert prove(data).accepts(Ratio(3, 1))


def test_a_missing_end_leaves_answers_without_end():
    data = findings_task([[[finding("s", "at_least", "5/2")]]], NUMBER, None, "D1.1.a", None, D1=["bound"])
    proved = prove(data)
    assert proved.room is None
    assert proved.proves("insufficient_evidence", (Ratio(2, 1), Ratio(10**30, 1)))
    assert not proved.proves("insufficient_evidence", (Ratio(1, 1), Ratio(5, 1)))
    nothing = findings_task([[[finding("t", "exactly", "3")]]], NUMBER, None, D1=["subject"])
    assert prove(nothing).proves("insufficient_evidence", (Ratio(-7, 1), Ratio(5, 1)))


def test_two_documents_settle_together_what_neither_does():
    documents = [[[finding("s", "at_least", "14/5")]], [[finding("s", "at_most", "16/5")]]]
    documents.append([[finding("s", "at_least", "2"), finding("t", "at_least", "14/5")]])
    short = {"D1": ["bound"], "D2": ["bound"], "D3": ["bound"]}
    assert prove(findings_task(documents, NUMBER, "3", "D1.1.a", "D2.1.a", **short)).room == 1
    for lower, upper in (("D2.1.a", "D2.1.a"), ("D3.1.a", "D2.1.a"), ("D3.1.b", "D2.1.a"), (None, "D2.1.a"),
                         ("D1.1.a", "D1.1.a"), ("D1.1.a", None), ("D1", "D2.1.a")):  # fmt: skip
        assert refusal(findings_task(documents, NUMBER, "3", lower, upper, **short)).startswith("proof: ")


@pytest.mark.parametrize(
    ("op", "low", "high", "answer"),
    [(">", "3", "4", None), (">", "31/10", "4", "YES"), (">", "2", "3", "NO"), ("<", "3", "4", "NO"),
     ("<", "2", "3", None), ("<", "2", "29/10", "YES")],
)  # fmt: skip
def test_a_comparison_of_findings_is_strict(op, low, high, answer):
    documents = [[[finding("s", "at_least", low), finding("s", "at_most", high)]], [[finding("t", "exactly", "3")]]]
    compare = question("yes_no", {**asked(), "op": op, "than": asked("t")})
    short = {"D1": [] if answer else ["bound"], "D2": ["subject"]}
    assert prove(findings_task(documents, compare, answer, "D1.1.a", "D1.1.b", **short)).answer == answer
    if answer is None:
        ends = tuple(Ratio(int(end), 1) for end in (low, high))
        proved = prove(findings_task(documents, compare, answer, "D1.1.a", "D1.1.b", **short))
        assert proved.proves("insufficient_evidence", ends)
        assert proved.proves("insufficient_evidence", ends[::-1])
        assert not proved.proves("insufficient_evidence", (ends[0], Ratio(7, 2)))
        assert not proved.proves("insufficient_evidence", (Ratio(5, 2), ends[1]))
    loose = [documents[0], [[finding("t", "at_least", "3")]]]
    assert "exactly" in refusal(findings_task(loose, compare, answer, "D1.1.a", "D1.1.b", **short))


@pytest.mark.parametrize(("direction", "ends"), [("at_least", ("D1.1.a", None)), ("at_most", (None, "D1.1.a"))])
def test_a_comparison_of_findings_without_an_end_has_no_two_values_to_be_named(direction, ends):
    documents = [[[finding("s", direction, "3")]], [[finding("t", "exactly", "3")]]]
    compare = question("yes_no", {**asked(), "op": "<" if direction == "at_most" else ">", "than": asked("t")})
    proved = prove(findings_task(documents, compare, None, *ends, D1=["bound"], D2=["subject"]))
    assert proved.obstructions == ("missing_citation",)
    for reason, good in (("subject", True), ("bound", True), ("period", False), ("finding", False)):
        assert proved.proves("missing_citation", {"D1": "bound", "D2": reason}) is good
    assert not any(
        proved.proves("insufficient_evidence", pair)
        for pair in itertools.permutations(map(Ratio, range(7), [1] * 7), 2)
    )


def test_findings_in_force_that_contradict_each_other_are_refused():
    clash = [[[finding("s", "at_least", "3")]], [[finding("s", "at_most", "2")]]]
    assert "contradict" in refusal(findings_task(clash, NUMBER, None, D1=["bound"], D2=["bound"]))


def claimed(direction, value):
    return question("document", {**asked(), "bound": {"direction": direction, "value": value}})


@pytest.mark.parametrize("claim", ["at_least", "at_most", "exactly"])
@pytest.mark.parametrize("stated", ["at_least", "at_most", "exactly"])
@pytest.mark.parametrize("value", ["2", "3", "4"])
def test_a_finding_entails_a_claim_by_direction_and_value(claim, stated, value):
    reaches = {"at_least": int(value) >= 3, "at_most": int(value) <= 3, "exactly": value == "3"}[claim]
    entails = stated in (claim, "exactly") and reaches
    documents = [[[finding("s", stated, value)]]]
    good = findings_task(documents, claimed(claim, "3"), "D1" if entails else None, D1=[] if entails else ["bound"])
    assert prove(good).accepts("D1") is entails
    bad = findings_task(documents, claimed(claim, "3"), None if entails else "D1", D1=["bound"] if entails else [])
    assert refusal(bad).startswith("proof: documents: D1")


def test_two_documents_that_establish_a_claim_are_refused():
    documents = [[[finding("s", "at_least", "4")]], [[finding("s", "exactly", "5")]]]
    data = findings_task(documents, claimed("at_least", "3"), "D1", D1=[], D2=[])
    assert "several documents" in refusal(data)


def test_a_document_of_which_no_attribute_fails_in_every_finding_leaves_no_refusal():
    """Its two findings fail in different attributes, so no one attribute can be named for it."""
    both = [[finding("t", "exactly", "5"), finding("s", "exactly", "5", period="spring")]]
    assert "no refusal" in refusal(findings_task([both], claimed("at_least", "3"), None, D1=[]))
    both[0].append(finding("s", "at_least", "2"))
    assert prove(findings_task([both], claimed("at_least", "3"), None, D1=["bound"])).room == 0


# Linear facts


def plan_task(facts, numbers, target=("x",), defeats=()):
    main = {"kind": "world", "world": {"numbers": numbers}}
    return task(packet(*facts), question("plan", list(target)), main, defeats)


def test_a_plan_is_judged_by_the_facts_in_force_on_its_variables_alone():
    need = linear({"x": "2", "y": "1/2"}, ">=", "3", "requirement")
    facts = [
        [[need], [linear({"y": "1"}, "<", "4")], [fact("integer", variable="x")]],
        [[linear({"z": "1"}, "=", "1")]],
    ]
    proved = prove(plan_task(facts, {"x": "1", "y": "3", "z": "1"}, ("x", "y")))
    assert proved.accepts({"x": Ratio(1, 1), "y": Ratio(2, 1)})
    assert proved.accepts({"y": Ratio(-1, 1), "x": Ratio(4, 2)})
    for x, y in ((Ratio(3, 2), Ratio(1, 1)), (Ratio(1, 1), Ratio(4, 1)), (Ratio(1, 1), Ratio(199, 100))):
        assert not proved.accepts({"x": x, "y": y})
    tied = [*facts, [[linear({"z": "1", "y": "1"}, "<=", "9")]]]
    assert "ties the plan" in refusal(plan_task(tied, {"x": "1", "y": "3", "z": "1"}, ("x", "y")))
    tied.append([[retracts("D3")]])
    assert prove(plan_task(tied, {"x": "1", "y": "3", "z": "1"}, ("x", "y"))).answerable


@pytest.mark.parametrize("target", [("x",), ("x", "y", "z")])
def test_a_plan_gives_numbers_to_the_variables_of_all_requirements(target):
    need = linear({"x": "2", "y": "1/2"}, ">=", "3", "requirement")
    numbers = dict.fromkeys(("x", "y", *target), "3")
    assert "variables of all requirements" in refusal(plan_task([[[need]]], numbers, target))


def bounds(numbers, answer="1", lower=None, upper=None):
    lower, upper = lower or {"D1.1.a": "-1"}, upper or {"D1.1.a": "1"}
    return {"kind": "dual_bounds", "lower": lower, "upper": upper, "answer": answer, "world": {"numbers": numbers}}


def test_only_a_plan_is_settled_by_a_world_and_no_task_by_two():
    stated = packet([[linear({"x": "1"}, "=", "1")]])
    point = {"numbers": {"x": "1"}}
    pair = {"kind": "two_worlds", "worlds": [point] * 2, "answers": ["1", "2"]}
    alone = ({"kind": "world", "world": point}, pair, {"kind": "farkas", "multipliers": {"D1.1.a": "1"}})
    for main in (*alone, {"kind": "packet"}, {"kind": ["world"]}, {}, None):
        assert refusal(task(stated, question("number", {"x": "1"}, "1"), main)).startswith("proof: main")
    assert prove(task(stated, question("number", {"x": "1"}, "1"), bounds({"x": "1"}))).room == 1


def ranged(facts, lower, upper, ends, answers, asked_question=None, limits=(None, None), **more):
    main = {"kind": "range", "lower": lower, "upper": upper, "worlds": [{"numbers": end} for end in ends],
            "limits": list(limits), "constant": {}, "answers": answers, **more}  # fmt: skip
    return task(packet(*facts), asked_question or question("number", {"x": "1"}, "1"), main)


def test_the_values_of_integers_have_gaps_so_their_range_proves_nothing():
    facts = [
        [[linear({"x": "1"}, ">=", "1"), linear({"x": "1"}, "<=", "2")], [linear({"x": "1", "y": "-2"}, "=", "0")]]
    ]
    ends = [{"x": "1", "y": "1/2"}, {"x": "2", "y": "1"}]
    data = ranged(facts, {"D1.1.a": "1"}, {"D1.1.b": "1"}, ends, ["1", "2"])
    assert prove(data).room == 2
    far = copy.deepcopy(facts)
    far[0].append([fact("integer", variable="z")])
    assert (
        prove(ranged(far, {"D1.1.a": "1"}, {"D1.1.b": "1"}, [{**end, "z": "4"} for end in ends], ["1", "2"])).room == 2
    )
    near = copy.deepcopy(facts)
    near[0].append([fact("integer", variable="y")])
    assert "integers" in refusal(ranged(near, {"D1.1.a": "1"}, {"D1.1.b": "1"}, ends, ["1", "2"]))


@pytest.mark.parametrize(
    ("low_op", "high_op", "answers"),
    [(">=", "<=", ["0", "2"]), (">", "<=", ["1", "2"]), (">=", "<", ["0", "1"]), (">", "<", None)],
)
def test_ends_at_rounding_boundaries_count_where_they_are_attained(low_op, high_op, answers):
    """From 1/2 to 3/2."""
    facts = [[[linear({"x": "1"}, low_op, "1/2"), linear({"x": "1"}, high_op, "3/2")]]]
    points = [{"x": "1/2"}, {"x": "3/2"}]
    ends = [point if "=" in op else {"x": "1"} for point, op in zip(points, (low_op, high_op), strict=True)]
    limits = [None if "=" in op else {"numbers": point} for point, op in zip(points, (low_op, high_op), strict=True)]
    data = ranged(facts, {"D1.1.a": "1"}, {"D1.1.b": "1"}, ends, answers or ["0", "2"], limits=limits)
    if answers is None:
        assert refusal(data).startswith("proof: answers")
        data["certificate"]["proof"]["main"]["answers"] = ["1", "1"]
        assert "only one" in refusal(data)
        return
    assert prove(data).room == int(answers[1]) - int(answers[0]) + 1
    for place, limit in enumerate(limits):
        for wrong in (None, {"numbers": {"x": "1"}}, {"numbers": points[place]}, {"numbers": points[1 - place]}):
            if wrong != limit:
                data["certificate"]["proof"]["main"]["limits"] = [*limits[:place], wrong, *limits[place + 1 :]]
                assert refusal(data).startswith(f"proof: limits: {place}")
    data["certificate"]["proof"]["main"]["limits"] = limits
    for wrong in (["0", "2"], ["1", "2"], ["0", "1"], answers[::-1]):
        if wrong != answers:
            data["certificate"]["proof"]["main"]["answers"] = wrong
            assert refusal(data).startswith("proof: answers")


@pytest.mark.parametrize("op", ["<", "<=", "=", ">=", ">"])
@pytest.mark.parametrize("edge", ["0", "1", "3/2", "2", "3"])
@pytest.mark.parametrize("low_op", [">=", ">"])
def test_a_comparison_is_open_where_both_answers_have_values(op, edge, low_op):
    """From 1, included or not, to 2, included: these two are the witness, as 1 is the limit where it is left out."""
    facts = [[[linear({"x": "1"}, low_op, "1"), linear({"x": "1"}, "<=", "2")]]]
    asked_question = question("yes_no", {"terms": {"x": "1"}, "op": op, "rhs": edge})
    ends = [{"x": "1"} if low_op == ">=" else {"x": "5/4"}, {"x": "2"}]
    limits = [None if low_op == ">=" else {"numbers": {"x": "1"}}, None]
    data = ranged(facts, {"D1.1.a": "1"}, {"D1.1.b": "1"}, ends, ["YES", "NO"], asked_question, limits)
    tried = [Fraction(n, 100) for n in range(100 if low_op == ">=" else 101, 201)]
    told = {true(op, x, edge) for x in tried}
    if len(told) == 1:
        assert "only one" in refusal(data)
        return
    proved = prove(data)
    low, high = Ratio(1, 1), Ratio(2, 1)
    assert proved.proves("insufficient_evidence", (low, high))
    assert proved.proves("insufficient_evidence", (high, low))
    inside = [Ratio(*next(x for x in tried if true(op, x, edge) == said).as_integer_ratio()) for said in (True, False)]
    near = [Ratio(99, 100), Ratio(101, 100), Ratio(199, 100), Ratio(201, 100), Ratio(3, 2)]
    for first, second in itertools.product([low, high, *inside, *near], repeat=2):
        if {first, second} != {low, high}:
            assert not proved.proves("insufficient_evidence", (first, second)), (first, second)


def true(op, value, edge):
    gap = value - Fraction(edge)
    return {"<": gap < 0, "<=": gap <= 0, "=": gap == 0, ">=": gap >= 0, ">": gap > 0}[op]


def test_the_first_quantity_must_differ_from_what_is_compared_by_a_constant():
    facts = [[[linear({"x": "1"}, ">=", "1"), linear({"x": "1"}, "<=", "3")], [linear({"y": "1"}, "=", "2")],
              [linear({"y": "1"}, "<=", "2")]]]  # fmt: skip
    target = {"terms": {"x": "1", "y": "-1"}, "op": ">", "rhs": "0", "quantity": {"x": "1"}}
    ends = [{"x": "1", "y": "2"}, {"x": "3", "y": "2"}]
    sides = ({"D1.1.a": "1", "D1.2.a": "1"}, {"D1.1.b": "1", "D1.2.a": "-1"})
    data = ranged(facts, *sides, ends, ["NO", "YES"], question("yes_no", target), constant={"D1.2.a": "1"})
    assert prove(data).proves("insufficient_evidence", (Ratio(1, 1), Ratio(3, 1)))
    for others in ((2, 3), (1, 2), (-1, 1), (0, 1)):
        assert not prove(data).proves("insufficient_evidence", tuple(Ratio(one, 1) for one in others))
    for constant in ({}, {"D1.2.a": "2"}, {"D1.2.a": "-1"}, {"D1.3.a": "1"}, {"D1.1.a": "1"}):
        data["certificate"]["proof"]["main"]["constant"] = constant
        assert refusal(data).startswith("proof: constant")
    target["quantity"] = {"x": "2", "y": "-2"}
    assert refusal(data).startswith("proof: constant")
    target["quantity"] = {"x": "1", "y": "-1"}
    data["certificate"]["proof"]["main"]["constant"] = {}
    assert prove(data).proves("insufficient_evidence", (Ratio(-1, 1), Ratio(1, 1)))
    assert not prove(data).proves("insufficient_evidence", (Ratio(1, 1), Ratio(3, 1)))
    del target["quantity"]
    assert prove(data).proves("insufficient_evidence", (Ratio(-1, 1), Ratio(1, 1)))


# Defeats

LOOSE = [[linear({"x": "1"}, ">=", "1"), linear({"x": "1"}, "<=", "2")]]
POINT = [[linear({"x": "1"}, "=", "1")], [linear({"y": "1"}, "=", "1")]]


def defeated(notices, pairs, answers=("1", "2")):
    """D1 leaves x open, D2 settles it; then documents of notices."""
    ends = [{"x": "1", "y": "1"}, {"x": "2", "y": "1"}]
    data = ranged([LOOSE, POINT, *notices], {"D1.1.a": "1"}, {"D1.1.b": "1"}, ends, list(answers))
    entries = []
    for n, d, settles in pairs:
        main = copy.deepcopy(data["certificate"]["proof"]["main"])
        if settles:
            main = bounds({"x": "1", "y": "1"}, "1", {"D2.1.a": "-1"}, {"D2.1.a": "1"})
        entries.append({"notice": n, "document": d, "without": main})
    data["certificate"]["proof"]["defeats"] = entries
    return data


CASES = {
    "a whole document": ([[[retracts("D2")]]], [("D3", "D2", True)]),
    "the sentence that counts": ([[[retracts("D2", ["D2.1"])]]], [("D3", "D2", True)]),
    "in two sentences": ([[[retracts("D2", ["D2.1"])], [retracts("D2", ["D2.2"])]]], [("D3", "D2", True)]),
    "by two documents": ([[[retracts("D2", ["D2.1"])]], [[retracts("D2", ["D2.2"])]]],
                         [("D3", "D2", True), ("D4", "D2", False)]),
    "twice over, the newest decides": ([[[retracts("D2")]], [[retracts("D2")]]], [("D4", "D2", False)]),
    "after a reinstatement was itself withdrawn": (
        [[[retracts("D2")]], [[fact("reinstates", target="D2", scope=None)]], [[retracts("D4")]]],
        [("D3", "D2", True)]),
    "a notice about a notice is no defeat of its own": (
        [[[retracts("D2")]], [[retracts("D3")]], [[retracts("D4")]]], [("D3", "D2", True)]),
    "a notice with a fact of its own": (
        [[[retracts("D2"), linear({"y": "1"}, "<=", "3")]], [[retracts("D1", ["D1.1"])]], [[retracts("D4")]]],
        [("D3", "D2", True)]),
    "a correction": ([[[fact("corrects", target="D2", scope=["D2.1"])]]], [("D3", "D2", True)]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_every_pair_of_a_notice_and_what_it_defeats_is_listed(name):
    notices, pairs = CASES[name]
    proved = prove(defeated(notices, pairs))
    valid = {(n, d) for n, d, settles in pairs if settles}
    every = [f"D{n}" for n in range(1, 7)]
    for first in every:
        for second in every:
            assert proved.proves("counterevidence_trap", (first, second)) == ((first, second) in valid)
    for dropped in range(len(pairs)):
        less = pairs[:dropped] + pairs[dropped + 1 :]
        assert refusal(defeated(notices, less)).startswith("proof: defeats")
    for more in (("D3", "D1", False), ("D2", "D1", True), pairs[0], ("D9", "D2", False)):
        assert refusal(defeated(notices, [*pairs, more])).startswith("proof: defeats")
    turned = [(n, d, not settles) for n, d, settles in pairs]
    assert refusal(defeated(notices, turned))


def test_without_a_document_nothing_is_said_of_it():
    """D4 withdraws the notice D3 for one sentence, D5 all that D4 says: without D4, D5 says nothing."""
    notices = [[[retracts("D2", ["D2.1"])], [retracts("D2", ["D2.2"])]], [[retracts("D3", ["D3.2"])]]]
    assert prove(defeated(notices, [("D3", "D2", True)])).answerable is False
    packet_read = read_packet(defeated(notices, [])["packet"])
    assert {placed.sentence for placed in packet_read.in_force} == {"D1.1", "D2.2", "D3.1", "D4.1"}
    without = packet_read.without("D3")
    assert {placed.sentence for placed in without.in_force} == {"D1.1", "D2.1", "D2.2"}
    assert {placed.sentence for placed in packet_read.without("D4").in_force} == {"D1.1", "D3.1", "D3.2"}


def test_an_answerable_task_lists_no_defeat():
    stated = packet([[linear({"x": "1"}, "=", "1")]], [[linear({"x": "1"}, "=", "7")]], [[retracts("D2")]])
    data = task(stated, question("number", {"x": "1"}, "1"), bounds({"x": "1"}))
    assert prove(data).room == 1
    data["certificate"]["proof"]["defeats"] = [{"notice": "D3", "document": "D2", "without": {}}]
    assert "must be empty" in refusal(data)


# The whole


@pytest.mark.parametrize(
    "value",
    [{"hops": 0}, {"hops": 257}, {"hops": True}, {"hops": "2"}, {"hops": 2, "value": "1"},
     {"value": "-1/10", "unit": "1"},
     {"value": "1", "unit": "0"}, {"value": "1"}, {}, {"value": 1, "unit": 1}, {"value": "0.1", "unit": "1"}, None, [],
     "razor"],
)  # fmt: skip
def test_a_malformed_dial_is_refused(value):
    data = total_task(["1"], "1", "1")
    data["certificate"]["proof"]["dial"] = value
    assert refusal(data).startswith("proof: dial")


def test_a_dial_that_no_proof_gives_is_taken_as_it_is():
    data = total_task(["1"], "1", "1")
    data["certificate"]["proof"]["dial"] = {"value": "3/10", "unit": "1/10"}
    assert prove(data).dial == (Ratio(3, 10), Ratio(1, 10), None)


@pytest.mark.parametrize(
    "value",
    [None, [], 5, "task", {}, {"certificate": None}, {"certificate": {"kind": "band"}},
     {"certificate": {"kind": "packet"}},
     {"certificate": {"kind": "packet", "proof": 1}}],
)  # fmt: skip
def test_what_is_no_packet_task_is_refused(value):
    assert refusal(value)


RATIOS = st.builds(Ratio, st.integers(), st.integers(1, 9))
REPLIES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3) | RATIOS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.sampled_from(["x", "y", "D1", "K0"]), inner, max_size=3)
    ),
    max_leaves=6,
)
SOME = [
    total_task(["3/2", "1"], "1", None),
    total_task(["1"], "1", "1"),
    defeated(*CASES["by two documents"]),
    compared("<", [("a", "3")], {"K0": IN}, "NO"),
    plan_task([[[linear({"x": "1"}, ">=", "3", "requirement")]]], {"x": "3"}),
    findings_task([[[finding("s", "at_least", "5/2")]]], NUMBER, None, "D1.1.a", None, D1=["bound"]),
]
PROVED = [prove(each) for each in SOME]


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(PROVED), REPLIES)
def test_no_reply_raises(proved, reply):
    assert proved.accepts(reply) in (True, False)
    for obstruction in OBSTRUCTIONS:
        assert proved.proves(obstruction, reply) in (True, False)
