"""Random registers and findings: what a naive reading says of them is what is proved, and nothing else is."""

import itertools
from fractions import Fraction
from math import ceil, floor

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from impossible_rubrics_env.certificates.checkers import enumeration, findings
from impossible_rubrics_env.errors import CertificateError

ASKED = [{"attribute": "line", "values": ["a"]}, {"attribute": "grade", "at_least": "B"}]
OTHER = [{"attribute": "line", "values": ["b"]}]


def accepted(check, data):
    try:
        return check(data)
    except CertificateError:
        return None


def packet(sentences, retracted):
    """One sentence a document; the last document retracts some of them."""
    listed = [
        {
            "id": f"D{n}.1",
            "text": "",
            "facts": [{"id": f"D{n}.{c}", **fact} for c, fact in zip("abcd", facts, strict=False)],
        }
        for n, facts in enumerate(sentences, 1)
    ]
    notices = [{"id": f"N.{key}", "kind": "retracts", "target": key, "scope": None} for key in retracted]
    listed.append({"id": "D99.1", "text": "", "facts": notices})
    return {
        "documents": [
            {
                "id": sentence["id"][:-2],
                "title": "",
                "date": f"2031-{1 + n // 28:02}-{1 + n % 28:02}",
                "sentences": [sentence],
            }
            for n, sentence in enumerate(listed)
        ]
    }


def in_force(data, kind):
    gone = {fact["target"] for fact in data["documents"][-1]["sentences"][0]["facts"]}
    facts = (f for d in data["documents"] if d["id"] not in gone for f in d["sentences"][0]["facts"])
    return [fact for fact in facts if fact["kind"] == kind]


def maybe(strategy):
    return st.none() | strategy


@st.composite
def registers(draw):
    """Entries with a line or a place, a grade and an amount; parts, orders, scope and count; some of it retracted."""
    sentences = []
    for n in range(draw(st.integers(1, 4))):
        item = f"K{n}"
        facts = [{"kind": "member", "item": item, "set": "book", "holds": True}]
        line, grade = draw(maybe(st.sampled_from("aabcpq"))), draw(maybe(st.sampled_from("ABBCZ")))
        if line:
            facts.append({"kind": "attribute", "item": item, "name": "line", "value": line})
        if grade:
            facts.append({"kind": "attribute", "item": item, "name": "grade", "value": grade})
        amount = str(draw(st.fractions(0, 9, max_denominator=4)))
        facts.append({"kind": "linear", "terms": {item: "1"}, "op": "=", "rhs": amount, "role": "background"})
        sentences.append(facts)
    count = len(sentences)
    for narrower, wider in (("p", "abq"), ("q", "abc")):
        if above := draw(maybe(st.sampled_from(wider))):
            sentences.append([{"kind": "contains", "attribute": "line", "narrower": narrower, "wider": above}])
    sentences.append([{"kind": "order", "name": "grade", "values": ["A", "B", "C"]}])
    sentences.append(
        [{"kind": "order", "name": "line", "values": draw(st.sampled_from([["a", "b"], ["b", "c", "a"], ["c"]]))}]
    )
    scope = draw(st.sampled_from([None, ["a"], ["a", "b"], ["b"]]))
    sentences.append([{"kind": "covers", "set": "book", "scope": scope and {"line": scope}}])
    op, more = draw(st.sampled_from([("=", 0), ("<=", 0), ("=", 1), (">=", 0)]))
    sentences.append([{"kind": "size", "set": "book", "op": op, "value": str(count + more)}])
    retracted = draw(st.sets(st.integers(1, len(sentences)), max_size=2))
    return packet(sentences, sorted(f"D{n}" for n in retracted))


def truth(data, item, condition):
    """Whether the item meets the condition, and the ids of the facts that say so."""
    name = condition["attribute"]
    own = [fact for fact in in_force(data, "attribute") if (fact["item"], fact["name"]) == (item, name)]
    orders = [fact for fact in in_force(data, "order") if fact["name"] == name]
    ranks = orders[0]["values"] if orders else []
    if not own:
        return None, []
    used, value = [own[0]["id"]], own[0]["value"]
    if "at_least" in condition:
        if value not in ranks:
            return None, []
        return ranks.index(value) >= ranks.index(condition["at_least"]), [*used, orders[0]["id"]]
    ruled_out = None
    while True:
        if value in condition["values"]:
            return True, used
        if value in ranks and ruled_out is None:
            ruled_out = [*used, orders[0]["id"]]
        above = [fact for fact in in_force(data, "contains") if fact["narrower"] == value]
        if not above:
            return (None, []) if ruled_out is None else (False, ruled_out)
        used, value = [*used, above[0]["id"]], above[0]["wider"]


def judged(data, item, where):
    found = [truth(data, item, condition) for condition in where]
    for meets, used in found:
        if meets is False:
            return {"status": "out", "facts": used}
    if any(meets is None for meets, _ in found):
        return {"status": "undecided", "facts": []}
    return {"status": "in", "facts": [key for _, used in found for key in used]}


def closing(data, lines, named):
    scopes = [f["id"] for f in in_force(data, "covers") if f["scope"] is None or lines <= set(f["scope"]["line"])]
    counts = [f["id"] for f in in_force(data, "size") if f["op"] != ">=" and int(f["value"]) <= named]
    return [scopes[0], counts[0]] if scopes and counts else None


def round_to(value, step):
    return set(range(ceil(value / step - Fraction(1, 2)), floor(value / step + Fraction(1, 2)) + 1))


CHOICES = {"in": [1], "out": [0], "undecided": [0, 1]}


def register_task(data, question, main):
    return {"packet": data, "question": {**question, "presupposes": []}, "certificate": {"proof": main}}


def amounts_of(data):
    facts = [fact for each in data["documents"] for fact in each["sentences"][0]["facts"] if fact["kind"] == "linear"]
    return {variable: fact["rhs"] for fact in facts for variable in fact["terms"]}


def admissible(kind, op, step, world, statuses):
    """Every answer of every choice of the undecided items; nothing is both of line a and of line b."""
    answers = set()
    options = [
        [pair for pair in itertools.product(CHOICES[one], CHOICES[two]) if (one, two) != UNSAID or pair != (1, 1)]
        for one, two in statuses.values()
    ]
    for choice in itertools.product(*options):
        chosen = dict(zip(statuses, choice, strict=True))
        first, second = (sum(pair[side] * Fraction(world[x]) for x, pair in chosen.items()) for side in (0, 1))
        if kind == "list":
            answers.add(tuple(item for item, pair in chosen.items() if pair[0]))
        elif kind == "number":
            answers |= {str(place * step) for place in round_to(first, step)}
        else:
            answers.add("YES" if (first > second if op == ">" else first < second) else "NO")
    return answers


UNSAID = ("undecided", "undecided")
FIRST, SECOND = {"set": "book", "where": ASKED}, {"set": "book", "where": OTHER}


@settings(max_examples=250, deadline=None)
@given(registers(), st.sampled_from(["list", "number", "yes_no"]), st.sampled_from(["1", "1/2"]), st.sampled_from("<>"))
def test_what_a_register_leaves_admissible_is_what_is_proved(data, kind, resolution, op):
    items = sorted(fact["item"] for fact in in_force(data, "member"))
    assume(not any(fact["op"] != ">=" and int(fact["value"]) < len(items) for fact in in_force(data, "size")))
    table = {item: judged(data, item, ASKED) for item in items}
    compared = kind == "yes_no"
    statuses = {x: (table[x]["status"], judged(data, x, OTHER)["status"] if compared else "out") for x in items}
    closed = closing(data, {"a", "b"} if compared else {"a"}, len(items))
    target = {"list": FIRST, "number": {"total": FIRST}, "yes_no": {"total": FIRST, "op": op, "than": SECOND}}[kind]
    question = {"kind": kind, "target": target, "resolution": resolution if kind == "number" else None}
    world = amounts_of(data)
    answers = admissible(kind, op, Fraction(resolution), world, statuses)
    answer = min(answers) if len(answers) == 1 and closed else None
    answer = list(answer) if isinstance(answer, tuple) else answer
    main = {"kind": "enumeration", "items": table, "closed": closed, "answer": answer, "world": {"numbers": world}}
    apart = any({"a", "b"} <= set(fact["values"]) for fact in in_force(data, "order"))
    provable = (closed or kind == "list") and (apart or UNSAID not in statuses.values())
    found = accepted(enumeration.check, register_task(data, question, main))
    assert (found is not None) == bool(provable)
    if found is not None:
        assert found.undecided == tuple(item for item in items if "undecided" in statuses[item])
        assert len(found.steps) == (len(answers) if kind == "number" else 0)
    check_register_alterations(data, question, main)


def check_register_alterations(data, question, main):
    items = list(main["items"])
    others = {
        "answer": (None, "YES", "NO", "0", "1", [], items, items[:1], "D1"),
        "closed": (None, ["D1.a", "D2.a"], main["closed"] and main["closed"][::-1]),
    }
    for field, values in others.items():
        for value in values:
            if value != main[field]:
                assert accepted(enumeration.check, register_task(data, question, {**main, field: value})) is None
    for item, status in itertools.product(items, ("in", "out", "undecided")):
        if status != main["items"][item]["status"]:
            table = {**main["items"], item: {**main["items"][item], "status": status}}
            assert accepted(enumeration.check, register_task(data, question, {**main, "items": table})) is None


@st.composite
def studies(draw):
    sentences = []
    for _ in range(draw(st.integers(1, 5))):
        facts = []
        for _ in range(draw(st.integers(0, 2))):
            named = {
                "subject": draw(st.sampled_from("sgth")),
                "period": draw(st.sampled_from(["asked", "asked", "may"])),
            }
            direction, value = draw(st.sampled_from(["at_least", "at_most", "exactly"])), draw(st.integers(4, 12))
            bound = {"direction": direction, "value": str(Fraction(value, 4))}
            facts.append({"kind": "finding", "attributes": {**named, "measure": "asked"}, "bound": bound})
        sentences.append(facts)
    for narrower, wider in (("s", "g"), ("g", "h"), ("t", "h")):
        if draw(st.booleans()):
            sentences.append([{"kind": "contains", "attribute": "subject", "narrower": narrower, "wider": wider}])
    return packet(sentences, sorted({f"D{n}" for n in draw(st.sets(st.integers(1, len(sentences)), max_size=2))}))


def above(data, value):
    found = [value]
    while up := [f["wider"] for f in in_force(data, "contains") if f["narrower"] == found[-1]]:
        found.append(up[0])
    return found


def ends(facts):
    low = [Fraction(f["bound"]["value"]) for f in facts if f["bound"]["direction"] != "at_most"]
    high = [Fraction(f["bound"]["value"]) for f in facts if f["bound"]["direction"] != "at_least"]
    return max(low, default=None), min(high, default=None)


QUARTERS = [Fraction(n, 8) for n in range(41)]
"""Values tried; every bound of `studies` is among them, with values below, between and above."""


def fits(value, low, high):
    return (low is None or low <= value) and (high is None or value <= high)


def left(facts, kind, claim, than):
    """The admissible answers that these findings leave."""
    low, high = ends(facts)
    values = [value for value in QUARTERS if fits(value, low, high)]
    if kind == "number":
        return {str(place) for value in values for place in round_to(value, 1)}
    if kind == "yes_no":
        return {"YES" if value > than else "NO" for value in values}
    meets = {
        "at_least": lambda v: v >= claim[1],
        "at_most": lambda v: v <= claim[1],
        "exactly": lambda v: v == claim[1],
    }
    return {"holds" if meets[claim[0]](value) else "may not hold" for value in values}


NAMED = {"subject": "s", "period": "asked", "measure": "asked"}


def asked_of(kind, claim):
    bound = {"direction": claim[0], "value": str(claim[1])}
    than = {"attributes": {**NAMED, "subject": "t"}}
    more = {"number": {}, "document": {"bound": bound}, "yes_no": {"op": ">", "than": than}}[kind]
    return {"kind": kind, "target": {"attributes": NAMED, **more}, "resolution": "1" if kind == "number" else None}


def missing(data, fact, subject="s"):
    """The attributes in which a finding does not apply."""
    fine = {
        "subject": fact["attributes"]["subject"] in above(data, subject),
        "period": fact["attributes"]["period"] == "asked",
    }
    return [name for name, good in fine.items() if not good]


def shortfalls(data, told):
    """What each document falls short in; `told` says whether findings settle the question."""
    table = {}
    for each in data["documents"]:
        own = [fact for fact in in_force(data, "finding") if fact["id"].startswith(f"{each['id']}.")]
        fit = [fact for fact in own if not missing(data, fact)]
        shared = [name for name in ("subject", "period") if all(name in missing(data, fact) for fact in own)]
        table[each["id"]] = (["bound"], [])[told(fit)] if fit else shared if own else ["finding"]
    return table


def binding(facts, other, end):
    ids = [f["id"] for f in facts if f["bound"]["direction"] != other and Fraction(f["bound"]["value"]) == end]
    return ids[0] if ids else None


claims = st.tuples(
    st.sampled_from(["at_least", "at_most", "exactly"]), st.integers(4, 12).map(lambda n: Fraction(n, 4))
)


@settings(max_examples=400, deadline=None)
@given(studies(), st.sampled_from(["number", "yes_no", "document"]), claims)
def test_what_findings_leave_admissible_is_what_is_proved(data, kind, claim):
    every = in_force(data, "finding")
    applying = [fact for fact in every if not missing(data, fact)]
    low, high = ends(applying)
    assume(low is None or high is None or low <= high)
    least, most = ends([fact for fact in every if not missing(data, fact, "t")])
    than = least if least is not None and least == most else None

    def settled(facts):
        if kind == "yes_no" and than is None:
            return False
        answers = left(facts, kind, claim, than)
        return answers == {"holds"} if kind == "document" else len(answers) == 1

    table = shortfalls(data, settled)
    answer = min(left(applying, kind, claim, than)) if kind != "document" and settled(applying) else None
    lower, upper = binding(applying, "at_most", low), binding(applying, "at_least", high)
    settling = [
        key for key, short in table.items() if not short and any(f["id"].startswith(f"{key}.") for f in applying)
    ]
    if kind == "document":
        answer, lower, upper = settling[0] if settling else None, None, None
    main = {"kind": "findings", "documents": table, "answer": answer, "lower": lower, "upper": upper}
    main["world"] = {"numbers": {}}
    provable = {"number": True, "yes_no": than is not None, "document": len(settling) < 2}[kind]
    found = accepted(findings.check, register_task(data, asked_of(kind, claim), main))
    assert (found is not None) == provable
    check_finding_alterations(data, asked_of(kind, claim), main)


def check_finding_alterations(data, question, main):
    for wrong in (None, "YES", "NO", "1", "2", "3", "D1", "D2"):
        if wrong != main["answer"]:
            assert accepted(findings.check, register_task(data, question, {**main, "answer": wrong})) is None
    table = main["documents"]
    for key, attribute in itertools.product(table, ("subject", "period", "measure", "bound", "finding")):
        if table[key] != [attribute]:
            altered = {**main, "documents": {**table, key: [attribute]}}
            assert accepted(findings.check, register_task(data, question, altered)) is None


@pytest.mark.parametrize("check", [enumeration.check, findings.check])
def test_a_question_of_the_other_kind_is_refused(check):
    data = packet([[]], [])
    fields = {"enumeration": ("items", "closed"), "findings": ("documents", "lower", "upper")}
    for kind, names in fields.items():
        main = {"kind": kind, "answer": None, "world": {"numbers": {}}, **dict.fromkeys(names)}
        question = {"kind": "plan", "target": ["x"], "resolution": None}
        assert accepted(check, register_task(data, question, main)) is None
