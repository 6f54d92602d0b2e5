"""Proofs about linear packets: hand-made ones hold, and with any one part altered they are refused.

Alterations that could leave a proof good are judged by a second, naive checker that is written here.
"""

import copy
import functools
import itertools
import json
import math
import subprocess
import sys
import time
from fractions import Fraction

import pytest

from impossible_rubrics_env.certificates.checkers import (
    dual_bounds,
    farkas,
    minimal_conflict,
    refutation,
    two_worlds,
    world,
)
from impossible_rubrics_env.errors import CertificateError

CHECKERS = {
    "world": world.check,
    "two_worlds": two_worlds.check,
    "farkas": farkas.check,
    "dual_bounds": dual_bounds.check,
    "minimal_conflict": minimal_conflict.check,
    "refutation": refutation.check,
}


def check(data):
    """By the checker of the proof's kind; what names no kind has to be refused by all of them."""
    try:
        checker = CHECKERS[data["certificate"]["proof"]["kind"]]
    except (LookupError, TypeError):
        for each in CHECKERS.values():
            with pytest.raises(CertificateError):
                each(data)
        checker = world.check
    return checker(data)


def refusal(data):
    with pytest.raises(CertificateError) as caught:
        check(data)
    return str(caught.value)


def at(data, path):
    return functools.reduce(lambda node, key: node[key], path, data)


def changed(data, path, value):
    data = copy.deepcopy(data)
    at(data, path[:-1])[path[-1]] = value
    return data


def linear(key, terms, op, rhs, role="background"):
    return {"id": key, "kind": "linear", "terms": terms, "op": op, "rhs": rhs, "role": role}


def integer(key, variable):
    return {"id": key, "kind": "integer", "variable": variable}


def notice(key, kind, target, scope=None):
    return {"id": key, "kind": kind, "target": target, "scope": scope}


def document(key, day, *sentences):
    """Each sentence is its text and its facts."""
    listed = [{"id": f"{key}.{n}", "text": text, "facts": facts} for n, (text, *facts) in enumerate(sentences, 1)]
    return {"id": key, "title": "Filed with the board", "date": day, "sentences": listed}


def task(documents, question, /, **proof):
    return {"packet": {"documents": documents}, "question": question, "certificate": {"proof": proof}}


def number(target, resolution, *presupposes):
    return {"kind": "number", "target": target, "resolution": resolution, "presupposes": list(presupposes)}


def yes_no(terms, op, rhs, *presupposes):
    target = {"terms": terms, "op": op, "rhs": rhs}
    return {"kind": "yes_no", "target": target, "resolution": None, "presupposes": list(presupposes)}


def plan(*variables):
    return {"kind": "plan", "target": list(variables), "resolution": None, "presupposes": []}


def numbers(**values):
    return {"numbers": values}


def weir(op, least):
    """The reach takes at least 44.2 ML, and what the sluice leaves of 120.0 ML to the nearest tenth."""
    total = [linear("T.lo", {"t": "1"}, ">=", "2399/20"), linear("T.hi", {"t": "1"}, "<=", "2401/20")]
    return [
        document("D1", "2031-03-04", ("Sedge Weir passed 120.0 ML in March.", *total)),
        document("D2", "2031-03-09", ("The reach took no less than 44.2 ML.", linear("r", {"r": "1"}, ">=", "221/5"))),
        document(
            "D3",
            "2031-03-07",
            ("The rest went over the sluice.", linear("sum", {"r": "1", "s": "1", "t": "-1"}, "=", "0")),
            ("The sluice log.", linear("s", {"s": "1"}, op, least)),
        ),
        document("D4", "2031-03-01", ("An old reading.", linear("old", {"s": "1"}, "=", "90"))),
        document("D5", "2031-03-02", ("The old reading is void.", notice("void", "retracts", "D4"))),
    ]


REACH = number({"r": "1"}, "1")
UPPER = {"T.hi": "1", "sum": "1", "s": "1"}
HAIR = 10**15


def only(op, least, **change):
    low = numbers(r="221/5", s="303/4", t="2399/20")
    proof = {"kind": "dual_bounds", "lower": {"r": "1"}, "upper": UPPER, "answer": "44", "world": low}
    return task(weir(op, least), REACH, **{**proof, **change})


def two(op, least, r, s, **change):
    worlds = [numbers(r="221/5", s="303/4", t="2399/20"), numbers(r=r, s=s, t="2401/20")]
    return task(weir(op, least), REACH, **{"kind": "two_worlds", "worlds": worlds, "answers": ["44", "45"], **change})


def ratio(value):
    return str(Fraction(value))


SPLIT, HALF = Fraction("75.55"), Fraction("44.5")
"""The sluice figure at which the reach takes at most 44.5 ML."""
TINY = Fraction(1, HAIR)


def crates(question, low, high, **proof):
    """Two bays hold whole crates, forty together."""
    return task(
        [
            document("D1", "2031-06-01", ("Bays A and B hold 40.", linear("sum", {"a": "1", "b": "1"}, "=", "40"))),
            document("D2", "2031-06-02", ("Crates are not split.", integer("ia", "a"), integer("ib", "b"))),
            document("D3", "2031-06-03", ("Bay A.", linear("lo", {"a": "1"}, *low), linear("hi", {"a": "1"}, *high))),
        ],
        question,
        **proof,
    )


def whole(low, high, question=None, answer="13", **change):
    proof = {"kind": "dual_bounds", "lower": {"lo": "1"}, "upper": {"hi": "1"}, "answer": answer}
    proof = {**proof, "world": numbers(a="13", b="27"), **change}
    return crates(question or number({"a": "1"}, "1"), low, high, **proof)


SCALED = {"lower": {"lo": "3", "sum": "1"}, "upper": {"hi": "3", "sum": "-1"}}
"""2a - b = 3a - 40."""


def kiln(question, **proof):
    """Kiln one burns more than 5 and less than 7, twice what kiln two does; an errata chain of depth three."""
    two_thirds = {"k": "1", "j": "-2"}
    return task(
        [
            document("D4", "2031-09-04", ("D3 stands, but for its errata.", notice("n4", "retracts", "D3", ["D3.2"]))),
            document(
                "D1",
                "2031-09-01",
                ("Above 5.", linear("lo", {"k": "1"}, ">", "5")),
                ("Junk.", linear("x", {"k": "1"}, "<", "0")),
            ),
            document(
                "D3",
                "2031-09-03",
                ("D2 is restored in part.", notice("n3", "reinstates", "D1", ["D1.1"])),
                ("And void in part.", notice("m3", "corrects", "D2", ["D2.2"])),
            ),
            document(
                "D2",
                "2031-09-02",
                ("D1 is withdrawn.", notice("n2", "retracts", "D1")),
                ("Below 7.", linear("hi", {"k": "1"}, "<", "7"), linear("link", two_thirds, "=", "0")),
            ),
        ],
        question,
        **proof,
    )


def side(answer, lower, upper, k="6", j="3"):
    return {"kind": "dual_bounds", "lower": lower, "upper": upper, "answer": answer, "world": numbers(k=k, j=j)}


DOSE_LO = {"lo": "1"}


def routes(cold, **change):
    """The depots must ship 41.5 t together; the dock and the store cap them."""
    proof = {
        "kind": "minimal_conflict",
        "members": ["D1.1", "D2.1", "D3.1"],
        "multipliers": {"need": "1", "dock": "1", "store": "1/2", "twice": "-1/2"},
        "worlds": {
            "D1.1": numbers(n="91/5", s="116/5", c="232/5"),
            "D2.1": numbers(n="183/10", s="116/5", c="232/5"),
            "D3.1": numbers(n="91/5", s="233/10", c="233/5"),
        },
    }
    return task(
        [
            document(
                "D1", "2031-02-01", ("Both depots.", linear("need", {"n": "1", "s": "1"}, ">=", "83/2", "requirement"))
            ),
            document(
                "D2",
                "2031-02-02",
                (
                    "The dock.",
                    linear("dock", {"n": "1"}, "<=", "91/5", "requirement"),
                    linear("n.lo", {"n": "1"}, ">=", "5"),
                ),
                ("The road.", linear("road", {"n": "1"}, "<=", "30", "requirement")),
            ),
            document("D3", "2031-02-03", ("The store.", linear("store", {"c": "1"}, "<=", cold, "requirement"))),
            document("D4", "2031-02-04", ("A bale is two.", linear("twice", {"c": "1", "s": "-2"}, "=", "0"))),
        ],
        plan("n", "s"),
        **{**proof, **change},
    )


STACKS = yes_no({"b": "1"}, ">", "14", linear("q", {"b": "1", "a": "-1"}, ">", "0"))
STACKS["presupposes"].insert(0, linear("p", {"a": "1"}, ">", "0"))


def stacks(reading, **change):
    """Stack B is presupposed to run above stack A."""
    proof = {
        "kind": "refutation",
        "presupposition": 1,
        "documents": ["D1", "D2"],
        "multipliers": {"presupposed": "1", "a": "-1", "b": "1"},
        "worlds": {"D1": numbers(a="14", b="141/10"), "D2": numbers(a="71/5", b="15")},
        "world": numbers(a="71/5", b="141/10"),
    }
    return task(
        [
            document("D1", "2031-08-01", ("Stack A averaged 14.2.", linear("a", {"a": "1"}, "=", "71/5"))),
            document("D2", "2031-08-02", ("Stack B at most.", linear("b", {"b": "1"}, "<=", reading))),
            document("D3", "2031-08-03", ("Both stacks.", linear("both", {"a": "1", "b": "1"}, "<=", "30"))),
            document("D4", "2031-08-04", ("Void.", linear("out", {"b": "1"}, "<=", "1"))),
            document("D5", "2031-08-05", ("D4 is void.", notice("void", "retracts", "D4"))),
        ],
        STACKS,
        **{**proof, **change},
    )


def permits():
    """One sentence holds two requirements, each of which another member breaks alone; x counts whole permits."""
    cap = linear("cap", {"x": "1", "y": "1"}, "<", "10", "requirement")
    pair = [linear("x.lo", {"x": "1"}, ">=", "6", "requirement"), linear("y.lo", {"y": "1"}, ">=", "4", "requirement")]
    return task(
        [
            document("D2", "2031-05-02", ("Under ten in all.", cap)),
            document("D1", "2031-05-01", ("Six and four.", *pair), ("Whole permits.", integer("ix", "x"))),
        ],
        plan("x", "y"),
        kind="minimal_conflict",
        members=["D1.1", "D2.1"],
        multipliers={"cap": "2/7", "x.lo": "2/7", "y.lo": "2/7"},
        worlds={"D1.1": numbers(x="9", y="1/2"), "D2.1": numbers(x="6", y="4")},
    )


def gauges():
    """That two gauges agree is presupposed; they are three apart."""
    premise = linear("agree", {"g": "1", "h": "-1"}, "=", "0")
    return task(
        [
            document("D1", "2031-05-01", ("Gauge G.", linear("g", {"g": "1/3"}, ">=", "1"))),
            document("D2", "2031-05-02", ("Gauge H.", linear("h", {"h": "1"}, "<", "3"))),
        ],
        number({"g": "1"}, "1", premise),
        kind="refutation",
        presupposition=0,
        documents=["D2", "D1"],
        multipliers={"presupposed": "1/2", "g": "3/2", "h": "1/2"},
        worlds={"D1": numbers(g="0", h="0"), "D2": numbers(g="3", h="3")},
        world=numbers(g="3", h="2"),
    )


VALID = {
    "crosses a boundary by a hair": two(">=", ratio(SPLIT - TINY), ratio(HALF + TINY), ratio(SPLIT - TINY)),
    "meets the boundary": two(">=", ratio(SPLIT), "89/2", ratio(SPLIT)),
    "stays inside by a hair": only(">=", ratio(SPLIT + TINY)),
    "touches the boundary strictly": only(">", ratio(SPLIT), world=numbers(r="221/5", s="1517/20", t="2401/20")),
    "whole crates": whole((">=", "62/5"), ("<=", "139/10")),
    "whole crates strictly between": whole((">", "12"), ("<", "14")),
    "whole crates on a finer grid": whole((">", "12"), ("<", "14"), number({"a": "1"}, "1/3")),
    "whole expression": whole((">=", "62/5"), ("<=", "13"), number({"a": "2", "b": "-1"}, "5"), "0", **SCALED),
    "yes above an open bound": kiln(yes_no({"k": "1"}, ">", "5"), **side("YES", DOSE_LO, None)),
    "yes at or above": kiln(yes_no({"j": "1"}, ">=", "5/2"), **side("YES", {"lo": "1/2", "link": "1/2"}, None)),
    "no at an open bound": kiln(yes_no({"k": "1"}, ">=", "7"), **side("NO", None, {"hi": "1"})),
    "no to an equality": kiln(yes_no({"k": "1"}, "=", "5"), **side("NO", DOSE_LO, None)),
    "yes to an equality": kiln(yes_no({"k": "2", "j": "-4"}, "=", "0"), **side("YES", {"link": "-2"}, {"link": "2"})),
    "yes and no": kiln(
        yes_no({"j": "1"}, "<", "3"),
        kind="two_worlds",
        worlds=[numbers(k="6", j="3"), numbers(k="11/2", j="11/4")],
        answers=["NO", "YES"],
    ),
    "a plan": crates(plan("a", "b"), (">", "12"), ("<", "14"), kind="world", world=numbers(a="13", b="27")),
    "open ends meet": kiln(plan("k"), kind="farkas", multipliers={"lo": "1", "hi": "1"}),
    "short by a tenth": routes("232/5"),
    "two requirements in one sentence": permits(),
    "refuted": stacks("141/10"),
    "refuted equality": gauges(),
    "refuted where both are equal": stacks("71/5"),
}
VALID["open ends meet"]["packet"]["documents"][3]["sentences"][1]["facts"][0]["rhs"] = "5"


@pytest.mark.parametrize("name", VALID)
def test_a_valid_proof_holds(name):
    assert check(VALID[name])
    assert second_opinion(VALID[name])


def test_what_was_proved_is_returned():
    assert check(VALID["crosses a boundary by a hair"]) == ("44", "45")
    assert check(VALID["stays inside by a hair"]).answer == "44"
    assert check(VALID["a plan"]).facts == ("sum", "ia", "ib", "lo", "hi")
    assert check(VALID["open ends meet"]).facts == ("lo", "hi")
    assert check(VALID["short by a tenth"]).members == ("D1.1", "D2.1", "D3.1")
    assert check(VALID["refuted"])[:2] == (1, ("D1", "D2"))


TWINS = {
    "half of a sentence's requirements is not enough": (
        changed(
            VALID["two requirements in one sentence"],
            ("certificate", "proof", "worlds", "D1.1", "numbers", "x"),
            "19/2",
        ),
        "proof: worlds: D1.1: does not satisfy ix",
    ),
    "a reversed presupposition": (
        changed(VALID["refuted equality"], ("certificate", "proof", "multipliers", "presupposed"), "-1/2"),
        "proof: multipliers: the sum",
    ),
    "a hair past the boundary admits the neighbour": (only(">=", ratio(SPLIT - TINY)), "proof: upper"),
    "a bound at the boundary admits the neighbour": (only(">=", ratio(SPLIT)), "proof: upper"),
    "a hair short of the boundary": (two(">=", ratio(SPLIT + TINY), "89/2", ratio(SPLIT)), "proof: worlds: 1"),
    "the boundary is open": (two(">", ratio(SPLIT), "89/2", ratio(SPLIT)), "proof: worlds: 1: does not satisfy s"),
    "a world that rounds elsewhere": (two(">=", "70", ratio(HALF - TINY), ratio(SPLIT + TINY)), "proof: answers: 1"),
    "closed ends meet at one point": (
        kiln(yes_no({"k": "1"}, ">", "6"), **side("YES", DOSE_LO, None)),
        "proof: lower: does not imply",
    ),
    "two whole crates": (whole((">=", "62/5"), ("<=", "14")), "proof: upper"),
    "a fraction of a crate": (
        whole((">", "12"), ("<", "14"), number({"a": "1/2"}, "1/2"), "13/2", lower={"lo": "1/2"}, upper={"hi": "1/2"}),
        "proof: lower",
    ),
    "no conflict at an even budget": (routes("233/5"), "proof: multipliers"),
    "a premise that may hold": (stacks("143/10"), "proof: multipliers"),
}


@pytest.mark.parametrize("name", TWINS)
def test_its_twin_is_refused(name):
    twin, part = TWINS[name]
    assert refusal(twin).startswith(part)
    assert not second_opinion(twin)


def test_at_a_tie_one_world_admits_both_neighbours():
    data = VALID["meets the boundary"]
    tie = data["certificate"]["proof"]["worlds"][1]
    assert check(changed(data, ("certificate", "proof", "worlds", 0), tie)) == ("44", "45")


def test_integers_out_of_force_move_no_bound():
    data = copy.deepcopy(VALID["whole crates strictly between"])
    data["packet"]["documents"].append(
        document("D9", "2031-07-01", ("Split crates occur.", notice("n", "corrects", "D2")))
    )
    assert refusal(data).startswith("proof: lower")


def test_the_shown_worlds_meet_the_presuppositions():
    premise = linear("q", {"r": "1"}, ">=", "89/2")
    for name in ("crosses a boundary by a hair", "stays inside by a hair"):
        data = copy.deepcopy(VALID[name])
        data["question"]["presupposes"] = [premise]
        assert "the presupposition q" in refusal(data)
    data = copy.deepcopy(VALID["a plan"])
    data["question"]["presupposes"] = [linear("q", {"a": "1"}, ">", "13")]
    assert "the presupposition q" in refusal(data)


# A second, naive checker of well-formed tasks.


def standing(documents, sentence):
    for source in sorted(documents, key=lambda each: (each["date"], int(each["id"][1:])), reverse=True):
        for where, fact in ((s["id"], fact) for s in source["sentences"] for fact in s["facts"] if "target" in fact):
            reached = fact["scope"] or [s["id"] for d in documents if d["id"] == fact["target"] for s in d["sentences"]]
            if sentence in reached and standing(documents, where):
                return fact["kind"] == "reinstates"
    return True


def in_force(data):
    documents = data["packet"]["documents"]
    days = {each["id"]: (each["date"], int(each["id"][1:])) for each in documents}
    for each in documents:
        for sentence in each["sentences"]:
            for fact in sentence["facts"]:
                if "target" in fact and days[fact["target"]] >= days[each["id"]]:
                    raise ValueError(fact["id"])
    places = [(each["id"], sentence) for each in documents for sentence in each["sentences"]]
    return [(d, s["id"], fact) for d, s in places if standing(documents, s["id"]) for fact in s["facts"]]


def difference(fact, values):
    return sum(Fraction(c) * values[x] for x, c in fact["terms"].items()) - Fraction(fact["rhs"])


def true_in(fact, values):
    if fact["kind"] == "integer":
        return values[fact["variable"]].denominator == 1
    if fact["kind"] != "linear":
        return True
    gap = difference(fact, values)
    return {"<": gap < 0, "<=": gap <= 0, "=": gap == 0, ">=": gap >= 0, ">": gap > 0}[fact["op"]]


def is_world(shown, facts):
    values = {x: Fraction(text) for x, text in shown["numbers"].items()}
    return all(true_in(fact, values) for fact in facts)


def summed(multipliers, facts):
    """Coefficients, right hand side and strictness of the sum, or None where a multiplier is out of order."""
    usable = {fact["id"]: fact for fact in facts if fact["kind"] == "linear"}
    total, rhs, strict = {}, Fraction(0), False
    for key, text in multipliers.items():
        weight = Fraction(text)
        if key not in usable or weight == 0 or (weight < 0 and usable[key]["op"] != "="):
            return None
        weight *= -1 if usable[key]["op"] in (">=", ">") else 1
        rhs += weight * Fraction(usable[key]["rhs"])
        strict |= usable[key]["op"] in ("<", ">")
        for x, c in usable[key]["terms"].items():
            total[x] = total.get(x, 0) + weight * Fraction(c)
    return {x: c for x, c in total.items() if c}, rhs, strict


def absurd(multipliers, facts):
    total = summed(multipliers, facts)
    return total is not None and not total[0] and (total[1] < 0 or (total[1] == 0 and total[2]))


def bound(multipliers, facts, target, sign):
    total = summed(multipliers, facts)
    if total is None or total[0] != {x: sign * Fraction(c) for x, c in target.items()}:
        return None
    value, strict = total[1:]
    whole = {fact["variable"] for fact in facts if fact["kind"] == "integer"}
    if whole >= set(target) and all(Fraction(c).denominator == 1 for c in target.values()):
        value, strict = Fraction(math.ceil(value) - 1 if strict else math.floor(value)), False
    return value, strict


def admits(question, shown, answer):
    values = {x: Fraction(text) for x, text in shown["numbers"].items()}
    if question["kind"] == "yes_no":
        return answer == ("YES" if true_in({**question["target"], "kind": "linear"}, values) else "NO")
    value = sum(Fraction(c) * values[x] for x, c in question["target"].items())
    step = Fraction(question["resolution"])
    return (Fraction(answer) / step).denominator == 1 and abs(value - Fraction(answer)) <= step / 2


def settles(question, proof, facts):
    terms = question["target"] if question["kind"] == "number" else question["target"]["terms"]
    sides = {"lower": -1, "upper": 1}
    bounds = {s: bound(proof[s], facts, terms, sign) for s, sign in sides.items() if proof[s] is not None}
    if None in bounds.values():
        return False
    if question["kind"] == "number":
        step, answer = Fraction(question["resolution"]), Fraction(proof["answer"])
        if (answer / step).denominator != 1 or len(bounds) != 2:
            return False
        edges = {"lower": -answer + step / 2, "upper": answer + step / 2}
        return all(bounds[s][0] < edge or (bounds[s][0] == edge and bounds[s][1]) for s, edge in edges.items())
    edge, op = Fraction(question["target"]["rhs"]), question["target"]["op"]
    below = bounds["upper"] if "upper" in bounds else (edge + 1, False)
    above = bounds["lower"] if "lower" in bounds else (1 - edge, False)
    at_most, less = below[0] <= edge, below[0] < edge or (below[0] == edge and below[1])
    at_least, more = above[0] <= -edge, above[0] < -edge or (above[0] == -edge and above[1])
    proves = {"<=": (at_most, more), "<": (less, at_least), ">=": (at_least, less), ">": (more, at_most)}
    proves["="] = (at_most and at_least, less or more)
    needed = 2 if op == "=" and proof["answer"] == "YES" else 1
    return len(bounds) == needed and proves[op][proof["answer"] == "NO"]


def second_opinion(data):
    question, proof = data["question"], data["certificate"]["proof"]
    try:
        placed = in_force(data)
    except ValueError:
        return False
    facts, premises = [fact for _, _, fact in placed], question["presupposes"]
    kind = proof["kind"]
    if kind == "world":
        return is_world(proof["world"], facts + premises)
    if kind == "two_worlds":
        pairs = zip(proof["worlds"], proof["answers"], strict=True)
        good = all(is_world(shown, facts + premises) and admits(question, shown, answer) for shown, answer in pairs)
        return good and len(set(proof["answers"])) == 2
    if kind == "farkas":
        return absurd(proof["multipliers"], facts)
    if kind == "dual_bounds":
        return is_world(proof["world"], facts + premises) and settles(question, proof, facts)
    if kind == "minimal_conflict":
        required = {id(f): s for _, s, f in placed if f.get("role") == "requirement"}
        used = [fact for fact in facts if required.get(id(fact)) in (None, *proof["members"])]
        return absurd(proof["multipliers"], used) and all(
            member in required.values()
            and is_world(proof["worlds"][member], [fact for fact in facts if required.get(id(fact)) != member])
            for member in proof["members"]
        )
    premise = {**premises[proof["presupposition"]], "id": "presupposed"}
    used = [fact for d, _, fact in placed if d in proof["documents"]]
    return (
        "presupposed" in proof["multipliers"]
        and is_world(proof["world"], facts)
        and absurd(proof["multipliers"], [*used, premise])
        and all(
            is_world(proof["worlds"][d], [premise, *(fact for at, _, fact in placed if at != d)])
            for d in proof["documents"]
        )
    )


# Alterations.


def places(node, path=()):
    yield path
    if isinstance(node, dict | list):
        for key in node if isinstance(node, dict) else range(len(node)):
            yield from places(node[key], (*path, key))


def without(data, path):
    data = copy.deepcopy(data)
    del at(data, path[:-1])[path[-1]]
    return data


PROOF = ("certificate", "proof")


def proof_places(data):
    return [(*PROOF, *path) for path in places(data["certificate"]["proof"]) if path]


def moved(text):
    value = Fraction(text)
    shifts = [1, -1, TINY, -TINY, value, -2 * value, -value]
    return [str(value + shift) for shift in shifts if shift]


def agrees(data):
    """Whether the task is accepted; the two checkers must agree."""
    try:
        check(data)
    except CertificateError:
        accepted = False
    else:
        accepted = True
    assert accepted == second_opinion(data)
    return accepted


@pytest.mark.parametrize("name", VALID)
def test_every_altered_or_dropped_multiplier_is_refused(name):
    data = VALID[name]
    for path in proof_places(data):
        if path[2] not in ("multipliers", "lower", "upper"):
            continue
        if isinstance(at(data, path), str):
            for text in moved(at(data, path)):
                altered = changed(data, path, text)
                if len(at(data, path[:-1])) > 1 or path[2] in ("lower", "upper"):
                    assert not agrees(altered), (path, text)
            assert not agrees(without(data, path)), path
        elif at(data, path) is not None:
            for key in ("void", "out", "old", "x", "absent", "ia", "presupposed", "n2", "q"):
                assert key in at(data, path) or not agrees(changed(data, (*path, key), "1")), key


@pytest.mark.parametrize("name", VALID)
def test_every_altered_number_of_a_world_is_refused(name):
    """Each world satisfies an equation in each of its variables, or has nothing to spare."""
    data = VALID[name]
    free = {"D2.1": "n", "D1": "a", "D2": "b", "D1.1": "n", "D3.1": "s"}
    for path in proof_places(data):
        if path[-2:-1] == ("numbers",):
            refused = [not agrees(changed(data, path, text)) for text in moved(at(data, path))]
            loose = path[3] in free or (path[2] == "world" and name.startswith("refuted"))
            assert all(refused) or (loose and any(refused)), path
            assert "numbers" in refusal(without(data, path))
            assert "numbers" in refusal(changed(data, (*path[:-1], "extra"), "0"))


@pytest.mark.parametrize("name", [name for name in VALID if "answer" in str(VALID[name]["certificate"]["proof"])])
def test_every_other_answer_is_refused(name):
    data = VALID[name]
    for path in proof_places(data):
        if path[2] in ("answer", "answers") and isinstance(at(data, path), str):
            for text in (
                "43",
                "44",
                "45",
                "46",
                "89/2",
                "13",
                "12",
                "14",
                "-1",
                "0",
                "5",
                "YES",
                "NO",
                "yes",
                "",
                "44.0",
                "88/2",
            ):
                if text != at(data, path):
                    assert refusal(changed(data, path, text)).startswith("proof"), text
    if "answers" in data["certificate"]["proof"]:
        for key in ("answers", "worlds"):
            listed = data["certificate"]["proof"][key]
            for other in (listed[::-1], listed[:1], listed * 2, [listed[0]] * 2, []):
                assert refusal(changed(data, (*PROOF, key), other)).startswith("proof"), other


@pytest.mark.parametrize("name", ["short by a tenth", "refuted"])
def test_every_other_set_of_members_or_documents_is_refused(name):
    """Also where worlds and multipliers are made to fit the set as well as they can."""
    data = VALID[name]
    field = "members" if "members" in data["certificate"]["proof"] else "documents"
    listed = data["certificate"]["proof"][field]
    every = [s["id"] if field == "members" else d["id"] for d in data["packet"]["documents"] for s in d["sentences"]]
    worlds = data["certificate"]["proof"]["worlds"]
    for size in range(len(listed) + 2):
        for some in itertools.combinations([*dict.fromkeys(every), "D9"], size):
            assert set(some) == set(listed) or refusal(changed(data, (*PROOF, field), list(some)))
            for spare in worlds.values():
                fitted = changed(data, (*PROOF, field), list(some))
                fitted["certificate"]["proof"]["worlds"] = {key: worlds.get(key, spare) for key in some}
                assert set(some) == set(listed) or refusal(fitted).startswith("proof")
    for order in itertools.permutations(listed):
        assert check(changed(data, (*PROOF, field), list(order)))
    assert refusal(changed(data, (*PROOF, field), [*listed, listed[0]])).startswith(f"proof: {field}")
    for first, second in itertools.combinations(listed, 2):
        swapped = changed(data, (*PROOF, "worlds", first), worlds[second])
        assert refusal(changed(swapped, (*PROOF, "worlds", second), worlds[first])).startswith("proof: worlds")


@pytest.mark.parametrize("place", [0, 2, -1, "1", None, True, 1.0, 10**5000], ids=type)
def test_another_presupposition_is_refused(place):
    assert refusal(changed(VALID["refuted"], (*PROOF, "presupposition"), place)).startswith("proof")


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


ODD = [None, True, 7, 10**5000, 1.5, float("nan"), "", "\ud800", "\u0663", "9" * 201, "x" * 10**6, "1e9", "+1", "01",
       [], {}, [[]], {"x": 1}, {1: 2}, {"": ""}, b"1", object(), nested(50_000)]  # fmt: skip


@pytest.mark.parametrize("name", VALID)
def test_a_value_of_the_wrong_type_in_a_proof_is_refused(name):
    data = VALID[name]
    for path in [*proof_places(data), PROOF, PROOF[:1], ("packet",), ("question",)]:
        for value in ODD:
            if value is None and at(data, path) is None:
                continue
            start = time.process_time()
            assert refusal(changed(data, path, value)), path
            assert time.process_time() - start < 1


@pytest.mark.parametrize("name", VALID)
def test_a_missing_or_added_field_of_a_proof_is_refused(name):
    data = VALID[name]
    for path in proof_places(data):
        if isinstance(path[-1], str):
            assert refusal(without(data, path))
        if isinstance(at(data, path), dict):
            assert refusal(changed(data, (*path, "note"), "1"))
    assert refusal(changed(data, (*PROOF, "note"), "1")) == refusal(changed(data, (*PROOF, "extra"), None))
    for key in data:
        assert refusal(without(data, (key,)))


@pytest.mark.parametrize("kind", CHECKERS)
@pytest.mark.parametrize("value", [None, [], 5, "task", {}, {"certificate": {}}, {"certificate": {"proof": {}}}])
def test_what_is_no_task_is_refused(kind, value):
    with pytest.raises(CertificateError):
        CHECKERS[kind](value)


@pytest.mark.parametrize("kind", CHECKERS)
def test_a_proof_of_another_kind_is_refused(kind):
    for data in VALID.values():
        if data["certificate"]["proof"]["kind"] != kind:
            with pytest.raises(CertificateError):
                CHECKERS[kind](data)
            with pytest.raises(CertificateError):
                CHECKERS[kind](changed(data, (*PROOF, "kind"), kind))


@pytest.mark.parametrize("name", ["stays inside by a hair", "crosses a boundary by a hair"])
def test_a_plan_has_no_single_number_to_bound(name):
    assert refusal(changed(VALID[name], ("question",), plan("r"))).startswith("question")


def linear_facts(data):
    for path in places(data["packet"], ("packet",)):
        if isinstance(at(data, path), dict) and at(data, path).get("kind") == "linear":
            yield path


def packet_changes(data):
    """Every number moved, every comparison and role replaced, every term dropped or moved to another variable."""
    for path in linear_facts(data):
        fact = at(data, path)
        for text in [*moved(fact["rhs"]), "100000", "-100000"]:
            yield path, changed(data, (*path, "rhs"), text)
        for op in ("<", "<=", "=", ">=", ">"):
            yield path, changed(data, (*path, "op"), op)
        yield path, changed(data, (*path, "role"), "requirement")
        yield path, changed(data, (*path, "role"), "background")
        for variable, text in fact["terms"].items():
            for other in moved(text):
                if other != "0":
                    yield path, changed(data, (*path, "terms", variable), other)
            if len(fact["terms"]) > 1:
                yield path, changed(data, (*path, "terms"), {x: c for x, c in fact["terms"].items() if x != variable})
            for other in {x for at_ in linear_facts(data) for x in at(data, at_)["terms"]} - set(fact["terms"]):
                yield path, changed(data, (*path, "terms"), {**fact["terms"], other: "1"})


def used_facts(data):
    """What the proof's sums name; what its worlds satisfy is judged by the second opinion."""
    proof = data["certificate"]["proof"]
    return {key for part in ("multipliers", "lower", "upper") for key in proof.get(part) or ()}


@pytest.mark.parametrize("name", VALID)
def test_an_altered_packet_carries_the_proof_only_where_it_still_holds(name):
    data = VALID[name]
    refused = {}
    for path, altered in packet_changes(data):
        refused.setdefault(at(data, path)["id"], []).append(not agrees(altered))
    for key in used_facts(data) - {"presupposed"}:
        assert sum(refused[key]) >= 4, key
    assert any(any(marks) for marks in refused.values())


@pytest.mark.parametrize("name", VALID)
def test_an_altered_question_carries_the_proof_only_where_it_still_holds(name):
    data = VALID[name]
    target = data["question"]["target"]
    for path in places(target, ("question", "target")):
        value = at(data, path)
        if data["question"]["kind"] == "plan" or not isinstance(value, str):
            continue
        options = ("<", "<=", "=", ">=", ">") if path[-1] == "op" else [text for text in moved(value) if text != "0"]
        for other in options:
            accepted = agrees(changed(data, path, other))
            assert not accepted or path[-1] in ("rhs", "op") or "worlds" in data["certificate"]["proof"], path
    if data["question"]["resolution"] is not None:
        for step in ("1/2", "2", "1/10", "3", "10", "1/1000"):
            agrees(changed(data, ("question", "resolution"), step))
    for place, premise in enumerate(data["question"]["presupposes"]):
        for text in moved(premise["rhs"]):
            agrees(changed(data, ("question", "presupposes", place, "rhs"), text))


@pytest.mark.parametrize("name", VALID)
def test_facts_go_out_of_force_with_a_new_notice(name):
    """Each sentence in turn is retracted by a new document, and each document goes first and last in time."""
    data = VALID[name]
    for each in data["packet"]["documents"]:
        for sentence in each["sentences"]:
            altered = copy.deepcopy(data)
            later = document("D8", "2031-12-31", ("Void.", notice("new", "retracts", each["id"], [sentence["id"]])))
            altered["packet"]["documents"].append(later)
            gone = {fact["id"] for fact in sentence["facts"]} & used_facts(data)
            assert not (agrees(altered) and gone)
            reverted = copy.deepcopy(altered)
            again = document("D9", "2031-12-31", ("Not void.", notice("newer", "retracts", "D8")))
            reverted["packet"]["documents"].append(again)
            assert agrees(reverted)
        for day in ("2030-01-01", "2032-01-01"):
            altered = copy.deepcopy(data)
            next(d for d in altered["packet"]["documents"] if d["id"] == each["id"])["date"] = day
            agrees(altered)


@pytest.mark.parametrize("name", VALID)
def test_the_order_in_which_documents_are_listed_does_not_matter(name):
    data = copy.deepcopy(VALID[name])
    data["packet"]["documents"].reverse()
    assert check(data)


def test_a_fact_id_that_occurs_twice_is_refused():
    data = copy.deepcopy(VALID["short by a tenth"])
    data["packet"]["documents"][3]["sentences"][0]["facts"][0]["id"] = "road"
    assert "occurs twice" in refusal(data)


def test_proofs_at_the_bounds_take_bounded_time():
    """The longest coprime numbers in every place that a proof may fill."""
    spread = [f"1/{10**37 + 97 * n + 1}" for n in range(16)]
    facts = [linear(f"f{n}", {f"x{t}": spread[t] for t in range(16)}, "<=", "1") for n in range(64)]
    documents = [document(f"D{n}", "2031-01-01", ("Meter.", *facts[8 * n : 8 * n + 8])) for n in range(8)]
    heavy = {f"f{n}": f"1/{10**195 + 99 * n + 1}" for n in range(64)}
    shown = numbers(**{f"x{t}": f"-1/{10**153 + t}" if t < 2 else f"-{10**198 + t}" for t in range(16)})
    shape = number({"x0": "1"}, "1")
    start = time.process_time()
    sides = {"lower": heavy, "upper": heavy, "answer": "0", "world": shown}
    assert refusal(task(documents, shape, kind="dual_bounds", **sides)).startswith("proof: lower")
    assert refusal(task(documents, shape, kind="farkas", multipliers=heavy)).startswith("proof: multipliers")
    assert check(task(documents, shape, kind="world", world=shown))
    apart = numbers(**{f"x{t}": f"-1/{10**153 + t}" for t in range(16)})
    assert "common denominator" in refusal(task(documents, shape, kind="world", world=apart))
    too_many = {f"f{n}": "1" for n in range(66)}
    assert refusal(task(documents, shape, kind="farkas", multipliers=too_many)).startswith("proof: multipliers")
    assert time.process_time() - start < 3


def test_a_checker_runs_as_a_script():
    data = VALID["stays inside by a hair"]
    command = [sys.executable, "-m", "impossible_rubrics_env.certificates.checkers.dual_bounds"]
    good = subprocess.run(command, input=json.dumps(data), capture_output=True, text=True, check=True)
    assert good.stdout == f"{check(data)}\n"
    bad = json.dumps(TWINS["a bound at the boundary admits the neighbour"][0])
    refused = subprocess.run(command, input=bad, capture_output=True, text=True, check=False)
    assert (refused.returncode, refused.stdout) == (1, "")


def test_a_check_takes_milliseconds():
    for data in VALID.values():
        start = time.process_time()
        for _ in range(20):
            check(data)
        assert (time.process_time() - start) / 20 < 0.01
