"""The packet reader: what is in force, what a world satisfies, and malformed packets refused within bounded time."""

import copy
import dataclasses
import itertools
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from impossible_rubrics_env.certificates import facts as fact_kinds
from impossible_rubrics_env.certificates import linear as arithmetic
from impossible_rubrics_env.certificates import packet as world_model
from impossible_rubrics_env.certificates.linear import holds, read_world
from impossible_rubrics_env.certificates.packet import read_packet, variables
from impossible_rubrics_env.certificates.questions import read_question
from impossible_rubrics_env.errors import CertificateError


def linear(key, terms, op, rhs, role="background"):
    return {"id": key, "kind": "linear", "terms": terms, "op": op, "rhs": rhs, "role": role}


def notice(key, kind, target, scope=None):
    return {"id": key, "kind": kind, "target": target, "scope": scope}


def document(key, day, **sentences):
    """Sentences by number: `s1=[fact, ...]`."""
    listed = [{"id": f"{key}.{n[1:]}", "text": "As filed.", "facts": facts} for n, facts in sentences.items()]
    return {"id": key, "title": "Ward ledger", "date": day, "sentences": listed}


def packet(*documents):
    return {"documents": list(documents)}


def sentences_in_force(data):
    """By a tag fact that each sentence gets."""
    data = copy.deepcopy(data)
    for each in data["documents"]:
        for sentence in each["sentences"]:
            sentence["facts"].append(linear(f"tag.{sentence['id']}", {"x": "1"}, "<=", "1"))
    return {placed.sentence for placed in read_packet(data).in_force}


def refusal(data):
    with pytest.raises(CertificateError) as caught:
        read_packet(data)
    return str(caught.value)


CHAIN = packet(
    document("D5", "2031-05-01", s1=[notice("D5.1.a", "retracts", "D4", ["D4.2"])]),
    document("D1", "2031-01-01", s1=[linear("D1.1.a", {"x": "1"}, "=", "9")], s2=[], s3=[]),
    document(
        "D4",
        "2031-04-01",
        s1=[notice("D4.1.a", "reinstates", "D1", ["D1.1"])],
        s2=[notice("D4.2.a", "corrects", "D3", ["D3.2"]), linear("D4.2.b", {"x": "1"}, "=", "8")],
    ),
    document("D3", "2031-03-01", s1=[notice("D3.1.a", "retracts", "D1", ["D1.1", "D1.2"])], s2=[]),
)
"""D5 defeats part of D4, so D4 still reinstates D1.1 but its correction of D3.2 falls; D1.2 stays retracted by D3."""


def test_a_partial_chain_of_depth_three_given_out_of_order_is_resolved():
    assert sentences_in_force(CHAIN) == {"D1.1", "D1.3", "D3.1", "D3.2", "D4.1", "D5.1"}
    assert "D4.2.b" not in {placed.fact.id for placed in read_packet(CHAIN).in_force}


def test_the_deciding_notice_of_a_sentence_is_named():
    decided = read_packet(CHAIN).decided
    assert {sentence: placed.document for sentence, placed in decided.items()} == {
        "D4.2": "D5",
        "D1.1": "D4",
        "D1.2": "D3",
    }


@pytest.mark.parametrize(("kind", "stands"), [("retracts", False), ("corrects", False), ("reinstates", True)])
def test_the_newest_notice_in_force_decides(kind, stands):
    other = "reinstates" if kind != "reinstates" else "retracts"
    data = packet(
        document("D1", "2031-01-01", s1=[]),
        document("D2", "2031-01-02", s1=[notice("a", other, "D1")]),
        document("D3", "2031-01-03", s1=[notice("b", kind, "D1")]),
    )
    assert ("D1.1" in sentences_in_force(data)) is stands


def test_a_correction_brings_its_own_facts():
    data = packet(
        document("D1", "2031-01-01", s1=[linear("old", {"x": "1"}, "=", "1")]),
        document("D2", "2031-01-02", s1=[notice("n", "corrects", "D1"), linear("new", {"x": "1"}, "=", "2")]),
    )
    assert {placed.fact.id for placed in read_packet(data).in_force} == {"n", "new"}


def test_on_one_day_the_order_is_that_of_the_ids_with_shorter_ones_first():
    older, newer = (
        document("D2", "2031-01-01", s1=[]),
        document("D10", "2031-01-01", s1=[notice("n", "retracts", "D2")]),
    )
    assert sentences_in_force(packet(newer, older)) == {"D10.1"}
    swapped = document("D2", "2031-01-01", s1=[notice("n", "retracts", "D10")])
    assert "older" in refusal(packet(swapped, document("D10", "2031-01-01", s1=[])))


def test_a_notice_that_names_itself_something_newer_or_nothing_is_refused():
    for target in ("D2", "D3", "D9"):
        data = packet(
            document("D1", "2031-01-01", s1=[]),
            document("D2", "2031-01-02", s1=[notice("n", "retracts", target)]),
            document("D3", "2031-01-03", s1=[]),
        )
        assert "not an older document" in refusal(data)


def test_a_bad_notice_is_refused_even_out_of_force():
    data = packet(
        document("D2", "2031-01-02", s1=[notice("n", "retracts", "D2")]),
        document("D3", "2031-01-03", s1=[notice("m", "retracts", "D2")]),
    )
    assert "not an older document" in refusal(data)


@pytest.mark.parametrize("scope", [[], ["D1.1", "D1.1"], ["D1.9"], ["D2.1"], "D1.1", [1], [None], {}, [["D1.1"]]])
def test_a_bad_scope_is_refused(scope):
    first = document("D1", "2031-01-01", s1=[], s2=[])
    assert "scope" in refusal(packet(first, document("D2", "2031-01-02", s1=[notice("n", "retracts", "D1", scope)])))


def test_two_notices_of_one_document_on_one_sentence_are_refused():
    first = document("D1", "2031-01-01", s1=[], s2=[])
    both = [notice("n", "retracts", "D1"), notice("m", "reinstates", "D1", ["D1.2"])]
    assert "two notices" in refusal(packet(first, document("D2", "2031-01-02", s1=both)))
    assert "two notices" in refusal(packet(first, document("D2", "2031-01-02", s1=both[:1], s2=both[1:])))
    apart = [notice("n", "retracts", "D1", ["D1.1"]), notice("m", "reinstates", "D1", ["D1.2"])]
    assert sentences_in_force(packet(first, document("D2", "2031-01-02", s1=apart))) == {"D1.2", "D2.1"}


@st.composite
def notice_graphs(draw):
    """Documents on few days, listed in any order, with notices at random on older ones."""
    count = draw(st.integers(2, 6))
    keys = draw(st.lists(st.sampled_from([f"D{n}" for n in range(1, 13)]), min_size=count, max_size=count, unique=True))
    days = {key: draw(st.integers(1, 3)) for key in keys}
    ordered = sorted(keys, key=lambda key: (days[key], int(key[1:])))
    sizes = {key: draw(st.integers(1, 3)) for key in keys}
    documents = []
    for place, key in enumerate(ordered):
        facts = {f"s{n}": [] for n in range(1, sizes[key] + 1)}
        free = {target: [f"{target}.{n}" for n in range(1, sizes[target] + 1)] for target in ordered[:place]}
        for n in range(draw(st.integers(0, 3)) if place else 0):
            target = draw(st.sampled_from(ordered[:place]))
            if not free[target]:
                continue
            whole = len(free[target]) == sizes[target] and draw(st.booleans())
            scope = None if whole else draw(st.lists(st.sampled_from(free[target]), min_size=1, unique=True))
            free[target] = [] if whole else [sentence for sentence in free[target] if sentence not in scope]
            kind = draw(st.sampled_from(["retracts", "corrects", "reinstates"]))
            at = draw(st.sampled_from(sorted(facts)))
            facts[at].append(notice(f"{key}.n{n}", kind, target, scope))
        documents.append(document(key, f"2031-07-0{days[key]}", **facts))
    return packet(*draw(st.permutations(documents)))


def notices_newest_first(data):
    found = []
    for each in data["documents"]:
        for sentence in each["sentences"]:
            found += [
                ((each["date"], int(each["id"][1:])), sentence["id"], fact)
                for fact in sentence["facts"]
                if fact["kind"] != "linear"
            ]
    return sorted(found, key=lambda entry: entry[0], reverse=True)


def covers(fact, sentence):
    return sentence in fact["scope"] if fact["scope"] is not None else sentence.startswith(fact["target"] + ".")


def standing(data, sentence):
    """The definition, read backwards from one sentence."""
    for _, source, fact in notices_newest_first(data):
        if covers(fact, sentence) and standing(data, source):
            return fact["kind"] == "reinstates"
    return True


@settings(max_examples=300, deadline=None)
@given(notice_graphs())
def test_what_is_in_force_agrees_with_a_recursive_reading(data):
    every = {sentence["id"] for each in data["documents"] for sentence in each["sentences"]}
    assert sentences_in_force(data) == {sentence for sentence in every if standing(data, sentence)}


@settings(max_examples=100, deadline=None)
@given(notice_graphs())
def test_it_is_the_only_assignment_that_meets_the_definition(data):
    """Every subset of the sentences is tried against the definition."""
    every = sorted(sentence["id"] for each in data["documents"] for sentence in each["sentences"])[:9]
    outside = sentences_in_force(data).difference(every)
    notices = notices_newest_first(data)

    def meets(chosen):
        for sentence in every:
            deciding = [fact for _, at, fact in notices if at in chosen and covers(fact, sentence)]
            if (sentence in chosen) != (not deciding or deciding[0]["kind"] == "reinstates"):
                return False
        return True

    subsets = (outside | set(some) for size in range(len(every) + 1) for some in itertools.combinations(every, size))
    assert [some for some in subsets if meets(some)] == [sentences_in_force(data)]


QUESTION = {"kind": "number", "target": {"x": "1"}, "resolution": "1/10", "presupposes": []}


@pytest.mark.parametrize(
    ("op", "below", "at", "above"),
    [
        ("<", True, False, False),
        ("<=", True, True, False),
        ("=", False, True, False),
        (">=", False, True, True),
        (">", False, False, True),
    ],
)
def test_a_comparison_is_exact_at_its_boundary(op, below, at, above):
    fact = read_packet(packet(document("D1", "2031-01-01", s1=[linear("f", {"x": "1/3", "y": "-2"}, op, "1/7")])))
    hair = 10**60
    for shift, expected in ((-1, below), (0, at), (1, above)):
        x = f"{3 * hair + 7 * 3 * shift}/{7 * hair}" if shift else "3/7"
        world = read_world({"numbers": {"x": x, "y": "0"}}, {"x", "y"}, "world")
        assert holds(fact.in_force[0].fact, world) is expected


def test_an_integer_fact_holds_at_integers_only():
    data = packet(document("D1", "2031-01-01", s1=[{"id": "i", "kind": "integer", "variable": "x"}]))
    fact = read_packet(data).in_force[0].fact
    for text, expected in (("-3", True), ("0", True), ("5/2", False), (f"{10**50 + 1}/{10**50}", False)):
        assert holds(fact, read_world({"numbers": {"x": text, "y": "1/7"}}, {"x", "y"}, "world")) is expected


def test_a_world_has_numbers_for_what_facts_in_or_out_of_force_and_the_question_name():
    data = packet(
        document("D1", "2031-01-01", s1=[linear("f", {"a": "1"}, "=", "1")]),
        document(
            "D2", "2031-01-02", s1=[notice("n", "retracts", "D1"), {"id": "i", "kind": "integer", "variable": "b"}]
        ),
    )
    question = read_question({**QUESTION, "presupposes": [linear("q", {"c": "1"}, ">", "0")]})
    assert variables(read_packet(data).facts(), question) == {"a", "b", "c", "x"}


BASE = packet(
    document("D1", "2031-01-01", s1=[linear("f", {"x": "1", "y": "-1/2"}, "<=", "7/2")]),
    document("D2", "2031-01-02", s1=[notice("n", "retracts", "D1", ["D1.1"])]),
    document("D3", "2031-01-03", s1=[{"id": "i", "kind": "integer", "variable": "x"}]),
)


def places(node, path=()):
    yield path
    if isinstance(node, dict | list):
        for key in node if isinstance(node, dict) else range(len(node)):
            yield from places(node[key], (*path, key))


def changed(data, path, value):
    data = copy.deepcopy(data)
    if not path:
        return value
    target = data
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = value
    return data


def without(data, path):
    data = copy.deepcopy(data)
    target = data
    for key in path[:-1]:
        target = target[key]
    del target[path[-1]]
    return data


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


ODD = [None, True, 1, 10**5000, 1.5, float("nan"), "", "\ud800", "\u0663", "x" * 10**6, [], {}, [[]], {"x": 1}, {1: 2}]
TEXT_OR_NULL = {"title", "text", "scope"}


@pytest.mark.parametrize("path", [path for path in places(BASE) if path], ids=str)
def test_a_value_of_the_wrong_type_is_refused(path):
    for value in [*ODD, nested(50_000), b"x", object(), {"id": 5, "kind": []}]:
        if path[-1] in ("title", "text") and isinstance(value, str) and len(value) < 10**6:
            continue
        if (path[-1], value) == ("scope", None) or (path[-1] == "facts" and value == []):
            continue
        assert refusal(changed(BASE, path, value)).startswith("packet"), (path, str(value)[:40])


@pytest.mark.parametrize("path", [path for path in places(BASE) if path and isinstance(path[-1], str)], ids=str)
def test_a_missing_or_added_field_is_refused(path):
    if path[-2:-1] != ("terms",):
        assert refusal(without(BASE, path)).startswith("packet")
    parent = BASE
    for key in path[:-1]:
        parent = parent[key]
    if path[-2:-1] != ("terms",):
        assert refusal(changed(BASE, path[:-1], {**parent, "note": "0"})).startswith("packet")


@pytest.mark.parametrize(
    "text",
    ["1.5", "+1", "01", "-0", "2/4", "1/0", "3/1", "1/-2", " 1", "1 ", "1e3", "0x1", "1_0", "\u0661", "-", "/", "1/",
     "9" * 41, "1/" + "9" * 40, "NaN", "inf", "1\n"],
)  # fmt: skip
def test_a_rational_is_text_in_lowest_terms_within_its_bound(text):
    fact = ("documents", 0, "sentences", 0, "facts", 0)
    assert refusal(changed(BASE, (*fact, "rhs"), text)).startswith("packet: D1.1: f: rhs")
    assert refusal(changed(BASE, (*fact, "terms", "x"), text)).startswith("packet: D1.1: f: terms")
    longest = "9" * 40
    read_packet(changed(BASE, (*fact, "rhs"), longest))


@pytest.mark.parametrize("day", ["2031-02-29", "2031-13-01", "31-01-01", "2031-1-1", "2031-W01-1", "0000-01-01"])
def test_a_date_is_a_day_of_the_calendar(day):
    assert "date" in refusal(changed(BASE, ("documents", 0, "date"), day))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("documents", 1, "id"), "D1"),
        (("documents", 1, "sentences", 0, "id"), "D1.1"),
        (("documents", 2, "sentences", 0, "facts", 0, "id"), "f"),
        (("documents", 2, "sentences", 0, "facts", 0, "id"), "presupposed"),
        (("documents", 0, "sentences", 0, "facts", 0, "terms"), {"x": "0"}),
        (("documents", 0, "sentences", 0, "facts", 0, "terms"), {}),
        (("documents", 0, "sentences", 0, "facts", 0, "op"), "=="),
        (("documents", 0, "sentences", 0, "facts", 0, "role"), "goal"),
        (("documents", 0, "sentences", 0, "facts", 0, "kind"), "claims"),
        (("documents", 0, "id"), "D 1"),
        (("documents", 0, "id"), "D1\n"),
        (("documents", 0, "id"), "D" * 61),
    ],
)
def test_other_malformed_values_are_refused(path, value):
    assert refusal(changed(BASE, path, value)).startswith("packet")


def test_ids_that_occur_twice_in_one_document_are_refused():
    twice = document("D1", "2031-01-01", s1=[])
    twice["sentences"] *= 2
    assert "twice" in refusal(packet(twice))
    fact = linear("f", {"x": "1"}, "<", "1")
    assert "facts" in refusal(packet(document("D1", "2031-01-01", s1=[fact, fact])))


def big(documents, sentences, facts, terms):
    def fact(key):
        return linear(key, {f"x{t}": f"1/{10**36 + 97 * t + len(key)}" for t in range(terms)}, "<", "0")

    def listed(d):
        return {f"s{s}": [fact(f"{d}.{s}.{f}") for f in range(facts)] for s in range(sentences)}

    return packet(*(document(f"D{d}", "2031-01-01", **listed(d)) for d in range(documents)))


@pytest.mark.parametrize(
    "shape", [(65, 1, 1, 1), (1, 33, 1, 1), (1, 1, 9, 1), (1, 1, 1, 17), (32, 32, 8, 16), (9, 30, 1, 1)]
)
def test_sizes_beyond_the_bounds_are_refused_in_bounded_time(shape):
    data = big(*shape)
    start = time.process_time()
    refusal(data)
    assert time.process_time() - start < 3


def test_a_packet_at_its_bounds_is_read_and_evaluated_in_bounded_time():
    data = big(32, 1, 8, 16)
    wanted = {f"x{n}" for n in range(16)}
    numbers = {name: f"1/{10**153 + n}" if n < 2 else f"{10**198 + n}" for n, name in enumerate(sorted(wanted))}
    start = time.process_time()
    read = read_packet(data)
    world = read_world({"numbers": numbers}, wanted, "world")
    assert not any(holds(placed.fact, world) for placed in read.in_force)
    assert time.process_time() - start < 3


def test_what_was_read_cannot_be_changed():
    read = read_packet(BASE)
    question = read_question({**QUESTION, "presupposes": [linear("q", {"x": "1"}, ">", "0")]})
    facts = [placed.fact for document in read.documents for placed in document.placed()]
    for value in (read, read.documents[0], question, *facts):
        for name in value.__slots__:
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(value, name, None)


def test_the_largest_counts_are_accepted():
    assert len(read_packet(big(1, 32, 8, 16)).in_force) == 256
    facts = [linear(f"f{n}", {f"x{16 * n + t}": "1" for t in range(16)}, "<", "1") for n in range(4)]
    data = packet(document("D1", "2031-01-01", s1=facts))
    assert len(variables(read_packet(data).facts(), read_question({**QUESTION, "target": {"x0": "1"}}))) == 64
    with pytest.raises(CertificateError, match="variables"):
        variables(read_packet(data).facts(), read_question(QUESTION))


@pytest.mark.parametrize("count", [65, 66])
def test_a_sum_has_at_most_one_fact_more_than_there_may_be_variables(count):
    usable = {fact.id: fact for fact in read_packet(big(1, 32, 8, 1)).facts()}
    weights = dict.fromkeys(list(usable)[:count], "1")
    if count == 65:
        assert arithmetic.weighted_sum(weights, usable, "sum").op == "<"
    else:
        with pytest.raises(CertificateError, match="multipliers"):
            arithmetic.weighted_sum(weights, usable, "sum")


def test_too_many_variables_are_refused():
    facts = [linear(f"f{n}", {f"x{16 * n + t}": "1" for t in range(16)}, "<", "1") for n in range(5)]
    with pytest.raises(CertificateError, match="variables"):
        variables(read_packet(packet(document("D1", "2031-01-01", s1=facts))).facts(), read_question(QUESTION))


QUESTIONS = {
    "number": {**QUESTION, "presupposes": [linear("q", {"x": "1"}, ">", "0")]},
    "yes_no": {
        "kind": "yes_no",
        "target": {"terms": {"x": "1"}, "op": ">=", "rhs": "5"},
        "resolution": None,
        "presupposes": [],
    },
    "plan": {"kind": "plan", "target": ["x", "y"], "resolution": None, "presupposes": []},
}


@pytest.mark.parametrize("kind", QUESTIONS)
def test_a_malformed_question_is_refused(kind):
    question = QUESTIONS[kind]
    assert read_question(question).kind == kind
    for path in places(question):
        for value in [*ODD, nested(50_000), "number", "0", "-1"]:
            fits = (path[-1:] == ("presupposes",) and value == []) or (path[-1:] == ("resolution",) and value is None)
            numeric = path[-1:] in (("rhs",), ("x",)) and value in ("0", "-1")
            if path[-1:] == ("kind",) and value == "number" and kind == "number":
                continue
            if (path[:1] == ("target",) and kind == "plan" and value in ("number", "0", "-1")) or numeric:
                continue
            if path[-1:] == ("id",) and value in ("number", "0"):
                continue
            if fits and not (path == ("resolution",) and kind == "number"):
                continue
            with pytest.raises(CertificateError):
                read_question(changed(question, path, value))
        if path and isinstance(path[-1], str) and path[-2:-1] != ("terms",):
            with pytest.raises(CertificateError):
                read_question(without(question, path))


@pytest.mark.parametrize("fact", [notice("n", "retracts", "D1"), {"id": "i", "kind": "integer", "variable": "x"}])
def test_a_presupposition_is_linear(fact):
    with pytest.raises(CertificateError, match="linear"):
        read_question({**QUESTION, "presupposes": [fact]})


@pytest.mark.parametrize(
    "world",
    [None, [], {}, {"numbers": None}, {"numbers": {}}, {"numbers": {"x": "1"}}, {"numbers": {"x": "1", "z": "1"}},
     {"numbers": {"x": "1", "y": "1", "z": "1"}}, {"numbers": {"x": "1", "y": 1}}, {"numbers": {"x": "1", "y": "1.0"}},
     {"numbers": {"x": "1", "y": "2/2"}}, {"numbers": {"x": "1", "y": "1"}, "note": ""},
     {"numbers": {"x": "1", 5: "1"}},
     {"numbers": {"x": "1", "y": "9" * 201}}, {"numbers": {"x": "1", "y": None}}],
)  # fmt: skip
def test_a_malformed_world_is_refused(world):
    with pytest.raises(CertificateError, match="world"):
        read_world(world, {"x", "y"}, "world")


def test_the_bounds_are_those_of_the_format_page(pytestconfig):
    page = " ".join((pytestconfig.rootpath / "docs/format.md").read_text().split())
    m, f = world_model, fact_kinds
    for words in (
        f"{m.MAX_DOCUMENTS} documents, {m.MAX_SENTENCES} sentences a document, {m.MAX_SENTENCE_FACTS} facts a sentence",
        f"{m.MAX_FACTS} facts, {m.MAX_VARIABLES} variables, {f.MAX_TERMS} terms a fact",
        f"at most {f.MAX_STATED_CHARS} characters in a packet or question and {f.MAX_PROOF_CHARS} in a proof",
        f"1 to {m.MAX_VARIABLES + 1} of them",
        f"a common denominator of at most {arithmetic.MAX_DENOMINATOR_BITS} bits",
        f"a list of values has at most {f.MAX_VALUES}",
        f"the value at most {f.MAX_COUNT}",
    ):
        assert words in page
