"""Whole packet proofs: a worked case of every family and question kind, what grading gets of it, and refusals."""

import copy
import functools
import pickle
import random
import time
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from impossible_rubrics_env.certificates.packet_proofs import Dial, prove
from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.numerals import Ratio, read_exact


def linear(key, terms, op, rhs, role="background"):
    return {"id": key, "kind": "linear", "terms": terms, "op": op, "rhs": rhs, "role": role}


def notice(key, kind, target, scope=None):
    return {"id": key, "kind": kind, "target": target, "scope": scope}


def member(key, item, holds=True):
    return {"id": key, "kind": "member", "item": item, "set": "quay", "holds": holds}


def attribute(key, item, name, value):
    return {"id": key, "kind": "attribute", "item": item, "name": name, "value": value}


def order(key, name, *values):
    return {"id": key, "kind": "order", "name": name, "values": list(values)}


def covers(key, *lines):
    return {"id": key, "kind": "covers", "set": "quay", "scope": {"line": list(lines)} if lines else None}


def size(key, op, value):
    return {"id": key, "kind": "size", "set": "quay", "op": op, "value": value}


def finding(key, subject, period, measure, direction, value):
    attributes = {"subject": subject, "period": period, "measure": measure}
    return {
        "id": key,
        "kind": "finding",
        "attributes": attributes,
        "bound": {"direction": direction, "value": value},
    }


def contains(key, name, narrower, wider):
    return {"id": key, "kind": "contains", "attribute": name, "wider": wider, "narrower": narrower}


def document(key, day, *sentences):
    """Each sentence is a list of facts."""
    listed = [{"id": f"{key}.{n}", "text": "As filed.", "facts": facts} for n, facts in enumerate(sentences, 1)]
    return {"id": key, "title": "Filed", "date": f"2031-05-{day:02}", "sentences": listed}


def task(documents, question, main, defeats=(), dial=None, family="insufficient_evidence"):
    listed = [{"notice": n, "document": d, "without": proof} for n, d, proof in defeats]
    proof = {"kind": "packet", "main": main, "defeats": listed, "dial": dial or {"hops": 2}}
    certificate = {"kind": "packet", "claims": {}, "proof": proof}
    return {"family": family, "packet": {"documents": documents}, "question": question, "certificate": certificate}


def question(kind, target, resolution=None, presupposes=()):
    return {"kind": kind, "target": target, "resolution": resolution, "presupposes": list(presupposes)}


def numbers(**values):
    return {"numbers": {key.replace("_", "."): value for key, value in values.items()}}


def dial(value, unit):
    return {"value": value, "unit": unit}


# Pumps: pump one takes at least 24.4 ML, and what pump two leaves of 61.0 ML to the nearest tenth. That it moved more
# than pump two in April is taken for granted and true. One exact figure is withdrawn.


def pumps(least="363/10", op=">=", reported="123/5"):
    return [
        document("D1", 4, [linear("D1.1.a", {"p1": "1", "p2": "1"}, ">=", "1219/20"),
                           linear("D1.1.b", {"p1": "1", "p2": "1"}, "<=", "1221/20")]),
        document("D2", 9, [linear("D2.1.a", {"p2": "1"}, op, least)]),
        document("D3", 7, [linear("D3.1.a", {"p1": "1"}, ">=", "122/5")],
                 [linear("D3.2.a", {"weir": "1"}, "=", "123/5")]),
        document("D4", 2, [linear("D4.1.a", {"p1.apr": "1"}, "=", "25"),
                           linear("D4.1.b", {"p2.apr": "1"}, "=", "239/10")],
                 [linear("D4.2.a", {"p1": "1"}, "=", reported)]),
        document("D5", 15, [notice("D5.1.a", "retracts", "D4", ["D4.2"])]),
    ]  # fmt: skip


APRIL = linear("p1", {"p1.apr": "1", "p2.apr": "-1"}, ">", "0")
PUMP_ONE = question("number", {"p1": "1"}, "1", [APRIL])
APART = {"terms": {"p1": "1", "weir": "-1"}, "op": ">", "rhs": "0", "quantity": {"p1": "1"}}
ABOVE_WEIR = question("yes_no", APART, None, [APRIL])


def pumped(p1, p2):
    return numbers(p1=p1, p2=p2, p1_apr="25", p2_apr="239/10", weir="123/5")


LOW, HIGH = pumped("122/5", "183/5"), pumped("99/4", "363/10")
STATED = {"kind": "dual_bounds", "lower": {"D4.2.a": "-1"}, "upper": {"D4.2.a": "1"}, "answer": "25",
          "world": pumped("123/5", "182/5")}  # fmt: skip
NOT_ABOVE = {"kind": "dual_bounds", "lower": None, "upper": {"D4.2.a": "1", "D3.2.a": "-1"}, "answer": "NO",
             "world": pumped("123/5", "182/5")}  # fmt: skip
UPPER = {"D1.1.b": "1", "D2.1.a": "1"}
SPREAD = {"kind": "range", "lower": {"D3.1.a": "1"}, "upper": UPPER, "worlds": [LOW, HIGH], "limits": [None, None],
          "constant": {}, "answers": ["24", "25"]}  # fmt: skip
EITHER = {**SPREAD, "lower": {"D3.1.a": "1", "D3.2.a": "1"}, "upper": {**UPPER, "D3.2.a": "-1"},
          "constant": {"D3.2.a": "1"}, "answers": ["NO", "YES"]}  # fmt: skip
BELOW_HIGH = pumped("247/10", "727/20")
OPEN = {**SPREAD, "worlds": [LOW, BELOW_HIGH], "limits": [None, HIGH]}
SETTLED = {"kind": "dual_bounds", "lower": {"D3.1.a": "1"}, "upper": UPPER, "answer": "24",
           "world": pumped("122/5", "183/5")}  # fmt: skip

# Withdrawn too: that pump one moved 25 ML, which the other facts rule out.
RULED_OUT = {"kind": "farkas", "multipliers": {**UPPER, "D4.2.a": "-1"}}

# Lots: the north and the south lot deliver 37.4 t together; the north lot is held to 15.1 t, the south one to 22.2 t.


def lots(south="111/5"):
    return [
        document("D1", 1, [linear("D1.1.a", {"n": "1", "s": "1"}, ">=", "187/5", "requirement")]),
        document("D2", 2, [linear("D2.1.a", {"n": "1"}, "<=", "151/10", "requirement")],
                 [linear("D2.2.a", {"n": "1"}, ">=", "5", "requirement")]),
        document("D3", 3, [linear("D3.1.a", {"s": "1"}, "<=", south, "requirement")]),
        document("D4", 4, [linear("D4.1.a", {"n": "1"}, ">=", "3")], [linear("D4.2.a", {"e": "1"}, "=", "9")]),
    ]  # fmt: skip


BOTH_LOTS = question("plan", ["n", "s"])
CLASH = {"kind": "minimal_conflict", "members": ["D1.1", "D2.1", "D3.1"],
         "multipliers": {"D1.1.a": "1", "D2.1.a": "1", "D3.1.a": "1"},
         "worlds": {"D1.1": numbers(n="15", s="22", e="9"), "D2.1": numbers(n="76/5", s="111/5", e="9"),
                    "D3.1": numbers(n="151/10", s="223/10", e="9")}}  # fmt: skip
FEASIBLE = {"kind": "world", "world": numbers(n="15", s="113/5", e="9")}
# Withdrawn: that the south lot must reach 40 t. With it there would be two conflicts, and neither is the only one.
FORTY = [
    *lots(),
    document("D5", 5, [linear("D5.1.a", {"s": "1"}, ">=", "40", "requirement")]),
    document("D6", 6, [notice("D6.1.a", "retracts", "D5", ["D5.1"])]),
]
TWICE = {"kind": "farkas", "multipliers": {"D3.1.a": "1", "D5.1.a": "1"}}

# Crushers: that the east crusher ran longer at night is taken for granted; it ran 0.2 h less.


def crushers(east="31/5"):
    return [
        document("D1", 1, [linear("D1.1.a", {"w.night": "1"}, "=", "32/5")]),
        document("D2", 2, [linear("D2.1.a", {"e.night": "1"}, "<=", east),
                           linear("D2.1.b", {"e.night": "1"}, ">=", "6")]),
        document("D3", 3, [linear("D3.1.a", {"e": "1"}, "=", "17/2")]),
    ]  # fmt: skip


NIGHT = linear("p1", {"e.night": "1", "w.night": "-1"}, ">", "0")
DAY_HOURS = question("number", {"e": "1"}, "1/2", [NIGHT])


def hours(e_night, w_night="32/5"):
    return numbers(e="17/2", e_night=e_night, w_night=w_night)


REFUTED = {"kind": "refutation", "presupposition": 0, "documents": ["D1", "D2"],
           "multipliers": {"presupposed": "1", "D1.1.a": "-1", "D2.1.a": "1"},
           "worlds": {"D1": hours("6", "5"), "D2": hours("7")}, "world": hours("6")}  # fmt: skip
DAY = {"kind": "dual_bounds", "lower": {"D3.1.a": "-1"}, "upper": {"D3.1.a": "1"}, "answer": "17/2",
       "world": hours("13/2")}  # fmt: skip

# Plots: growth on the cedar plot, which belongs to the north estate; one study is withdrawn.

CEDAR = {"subject": "cedar", "period": "asked", "measure": "asked"}
ELM = {**CEDAR, "subject": "elm"}


def plots(cedar="62/5", *, withdrawn="D4"):
    return [
        document("D1", 1, [finding("D1.1.a", "south", "asked", "asked", "at_least", "19")]),
        document("D2", 2, [finding("D2.1.a", "cedar", "asked", "asked", "at_least", cedar)],
                 [finding("D2.2.a", "elm", "asked", "asked", "exactly", "13")]),
        document("D3", 3, [finding("D3.1.a", "north", "asked", "roots", "at_least", "20"),
                           finding("D3.1.b", "north", "asked", "asked", "at_most", "69/5")]),
        document("D4", 4, [finding("D4.1.a", "north", "asked", "asked", "at_least", "68/5")]),
        document("D5", 5, [notice("D5.1.a", "retracts", withdrawn)]),
        document("D6", 6, [contains("D6.1.a", "subject", "cedar", "north"),
                           contains("D6.1.b", "subject", "pine", "south")],
                 [contains("D6.2.a", "subject", "north", "holding"),
                  finding("D6.2.b", "holding", "spring", "roots", "exactly", "3")]),
    ]  # fmt: skip


def claimed(value, direction="at_least"):
    return question("document", {"attributes": CEDAR, "bound": {"direction": direction, "value": value}})


NO_NUMBERS = {"numbers": {}}
FALLS_SHORT = {"D1": ["subject"], "D2": ["bound"], "D3": ["bound"], "D4": ["finding"], "D5": ["finding"],
               "D6": ["period", "measure"]}  # fmt: skip


def found(answer, lower=None, upper=None, **documents):
    short = {**FALLS_SHORT, **documents}
    named = {key: attributes for key, attributes in short.items() if attributes is not None}
    ends = {"lower": lower, "upper": upper, "world": NO_NUMBERS}
    return {"kind": "findings", "documents": named, "answer": answer, **ends}


def unretracted(answer, *ends, short=("bound",)):
    """Without D5 the study of the north estate stands."""
    return [("D5", "D4", found(answer, *ends, D4=list(short), D5=None))]


# Quay: five consignments, of which one is undecided; a sixth is out for its place.

ENTRIES = {"K-1": ("g1", "C", "62"), "K-2": ("g2", "D", "40"), "K-3": ("g2", None, "16"),
           "K-4": ("g3", "E", "77"), "K-5": ("tern", "B", "18")}  # fmt: skip


def quay(count="5", *, open_=True, scope=("wren", "tern"), grade="C", tern="18"):
    """D4 gives the grade of K-3, unless D5 withdraws it."""
    facts = []
    for n, (item, (place, level, amount)) in enumerate({**ENTRIES, "K-5": ("tern", "B", tern)}.items(), 1):
        key = f"D1.{n}"
        entry = [member(f"{key}.a", item), attribute(f"{key}.b", item, "line", place)]
        entry.append(linear(f"{key}.c", {item: "1"}, "=", amount))
        facts.append(entry + ([attribute(f"{key}.d", item, "grade", level)] if level else []))
    return [
        document("D1", 1, *facts),
        document("D2", 2, [covers("D2.1.a", *scope)], [size("D2.2.a", "=", count)]),
        document("D3", 3, [order("D3.1.a", "grade", "A", "B", "C", "D", "E")],
                 [order("D3.2.a", "line", "wren", "tern", "rook")],
                 [contains("D3.3.a", "line", "g1", "wren"), contains("D3.3.b", "line", "g2", "wren"),
                  contains("D3.3.c", "line", "g3", "rook")]),
        document("D4", 4, [attribute("D4.1.a", "K-3", "grade", grade)]),
        document("D5", 5, [notice("D5.1.a", "retracts", "D4")] if open_ else []),
    ]  # fmt: skip


WREN = {"set": "quay", "where": [{"attribute": "line", "values": ["wren"]}, {"attribute": "grade", "at_least": "C"}]}
TERN = {"set": "quay", "where": [{"attribute": "line", "values": ["tern"]}]}
IN_ONE = ["D1.1.b", "D3.3.a", "D1.1.d", "D3.1.a"]
TABLE = {
    "K-1": {"status": "in", "facts": IN_ONE},
    "K-2": {"status": "in", "facts": ["D1.2.b", "D3.3.b", "D1.2.d", "D3.1.a"]},
    "K-3": {"status": "undecided", "facts": []},
    "K-4": {"status": "out", "facts": ["D1.4.b", "D3.3.c", "D3.2.a"]},
    "K-5": {"status": "out", "facts": ["D1.5.b", "D3.2.a"]},
}
THIRD = {"status": "in", "facts": ["D1.3.b", "D3.3.b", "D4.1.a", "D3.1.a"]}


def listed(answer, closed=("D2.1.a", "D2.2.a"), tern="18", **items):
    table = {**TABLE, **{key.replace("_", "-"): value for key, value in items.items()}}
    closed = closed and list(closed)
    amounts = {key: amount for key, (_, _, amount) in ENTRIES.items()} | {"K-5": tern}
    return {"kind": "enumeration", "items": table, "closed": closed, "answer": answer, "world": {"numbers": amounts}}


ALL_THREE = ["K-1", "K-2", "K-3"]
TRAPPED = [("D5", "D4", listed(ALL_THREE, K_3=THIRD))]
TOTAL = question("number", {"total": WREN}, "1")
MORE = question("yes_no", {"total": WREN, "op": ">", "than": TERN})
LESS = question("yes_no", {"total": TERN, "op": "<", "than": WREN})


def total(answer):
    return [("D5", "D4", listed(answer, K_3=THIRD))]


TASKS = {
    "number left open": task(pumps(), PUMP_ONE, SPREAD, [("D5", "D4", STATED)], dial("1/10", "1")),
    "number with an open end": task(pumps(op=">"), PUMP_ONE, OPEN, [("D5", "D4", STATED)], dial("1/10", "1")),
    "number left open, with a report ruled out": task(pumps(reported="25"), PUMP_ONE, SPREAD, [("D5", "D4", RULED_OUT)],
                                                      dial("1/10", "1")),
    "number settled": task(pumps("183/5"), PUMP_ONE, SETTLED, (), dial("1/20", "1")),
    "yes_no left open": task(pumps(), ABOVE_WEIR, EITHER, [("D5", "D4", NOT_ABOVE)], dial("3/20", "1/10")),
    "plan in conflict": task(lots(), BOTH_LOTS, CLASH, (), dial("1/10", "1/10"), "objective_conflict"),
    "plan in conflict, with a demand withdrawn": task(FORTY, BOTH_LOTS, CLASH, [("D6", "D5", TWICE)],
                                                      dial("1/10", "1/10"), "objective_conflict"),
    "number in conflict": task(lots(), question("number", {"n": "1"}, "1"), CLASH, (), dial("1/10", "1/10"),
                               "objective_conflict"),
    "plan that can be met": task(lots("113/5"), BOTH_LOTS, FEASIBLE, (), dial("3/10", "1/10"), "objective_conflict"),
    "premise refuted": task(crushers(), DAY_HOURS, REFUTED, (), dial("1/5", "1/10"), "false_premise"),
    "premise kept": task(crushers("33/5"), DAY_HOURS, DAY, (), dial("1/5", "1/10"), "false_premise"),
    "no document": task(plots(), claimed("25/2"), found(None), unretracted("D4", short=()), None, "missing_citation"),
    "one document": task(plots("63/5"), claimed("25/2"), found("D2", D2=[]), (), None, "missing_citation"),
    "one document for the estate": task(plots(withdrawn="D1"), claimed("25/2"),
                                      found("D4", D1=["finding"], D4=[]), (), None, "missing_citation"),
    "number of findings left open": task(plots(), question("number", {"attributes": CEDAR}, "1"),
                                         found(None, "D2.1.a", "D3.1.b"),
                                         unretracted("14", "D4.1.a", "D3.1.b"), None, "counterevidence_trap"),
    "number of findings settled": task(plots(withdrawn="D1"), question("number", {"attributes": CEDAR}, "1"),
                                       found("14", "D4.1.a", "D3.1.b", D1=["finding"], D4=["bound"]), (), None,
                                       "counterevidence_trap"),
    "yes_no of findings left open": task(plots(), question("yes_no", {"attributes": CEDAR, "op": ">",
                                                                      "than": {"attributes": ELM}}),
                                         found(None, "D2.1.a", "D3.1.b"),
                                         unretracted("YES", "D4.1.a", "D3.1.b", short=()), None, "missing_citation"),
    "yes_no of findings settled": task(plots(withdrawn="D1"), question("yes_no", {"attributes": CEDAR, "op": ">",
                                                                                  "than": {"attributes": ELM}}),
                                       found("YES", "D4.1.a", "D3.1.b", D1=["finding"], D4=[]), (), None,
                                       "missing_citation"),
    "list with an undecided item": task(quay(), question("list", WREN), listed(None), TRAPPED, None,
                                        "impossible_exhaustiveness"),
    "list of another scope": task(quay(open_=False, scope=("tern", "rook")), question("list", WREN),
                                  listed(None, None, K_3=THIRD), (), None, "impossible_exhaustiveness"),
    "list with one unnamed": task(quay("6", open_=False), question("list", WREN), listed(None, None, K_3=THIRD), (),
                                  None, "impossible_exhaustiveness"),
    "list that is closed": task(quay(open_=False), question("list", WREN), listed(ALL_THREE, K_3=THIRD), (), None,
                                "impossible_exhaustiveness"),
    "total left open": task(quay(), TOTAL, listed(None), total("118"), None, "impossible_exhaustiveness"),
    "total settled": task(quay(open_=False, grade="B"), TOTAL,
                          listed("102", K_3={"status": "out", "facts": ["D4.1.a", "D3.1.a"]}), (), None,
                          "impossible_exhaustiveness"),
    "totals compared": task(quay(), MORE, listed("YES"), (), None, "impossible_exhaustiveness"),
    "totals left open": task(quay(tern="110"), MORE, listed(None, tern="110"),
                             [("D5", "D4", listed("YES", tern="110", K_3=THIRD))], None, "impossible_exhaustiveness"),
}  # fmt: skip


def number(text):
    return read_exact(text)


def pair(first, second):
    return number(first), number(second)


def first_of(short):
    return {key: names[0] for key, names in short.items()}


RIGHT = {
    "number settled": ([number("24"), Ratio(48, 2)], [number("25"), number("24.4"), "24", (24, 1), Ratio(-24, 1)]),
    "plan that can be met": (
        [{"n": number("15"), "s": number("22.5")}, {"n": number("15.1"), "s": number("22.3")},
         {"n": number("74/5"), "s": number("113/5")}],
        [{"n": number("15"), "s": number("22.3")}, {"n": number("15.11"), "s": number("22.6")}, {"n": number("15")}, {},
         {"n": number("15"), "s": number("22.5"), "e": number("9")}, {"n": 15, "s": 22}, None, ("n", "s"),
         {"n": number("4.9"), "s": number("22.6")}],
    ),
    "premise kept": ([number("8.5")], [number("8"), number("0.2")]),
    "one document": (["D2"], ["D1", "d2", ("D2",), "YES", None]),
    "one document for the estate": (["D4"], ["D3"]),
    "number of findings settled": ([number("14.0")], [number("13"), number("13.6")]),
    "yes_no of findings settled": (["YES"], ["NO", "yes", True, ("YES",)]),
    "list that is closed": ([("K-1", "K-2", "K-3"), ("K-3", "K-1", "K-2")],
                            [("K-1", "K-2"), ("K-1", "K-2", "K-3", "K-3"), ("K-1", "K-2", "K-4"), "K-1", (), [["K-1"]],
                             ["K-1", "K-2", "K-3"], ("K-1", "K-2", ["K-3"])]),
    "total settled": ([number("102")], [number("118"), number("103")]),
    "totals compared": (["YES"], ["NO"]),
}  # fmt: skip
"""Right answers and others, by task."""
WITNESSES = {
    "number left open": {
        "insufficient_evidence": ([pair("24", "25"), pair("25", "24"), (Ratio(48, 2), Ratio(25, 1))],
                                  [pair("24", "24"), pair("24", "26"), pair("23", "24"), pair("24.4", "24.75"),
                                   ("24", "25"), Ratio(24, 25), (number("24"),), ["24", "25"], None, ("D5", "D4")]),
        "counterevidence_trap": ([("D5", "D4")], [("D4", "D5"), ("D5",), ("D5", "D4", "D4"), ("D5", "D1"), None,
                                                  (["D5"], "D4"), pair("24", "25")]),
        "objective_conflict": ([], [("D1.1", "D2.1", "D3.1")]),
    },
    "number left open, with a report ruled out": {
        "insufficient_evidence": ([pair("24", "25")], [pair("25", "26")]),
        "counterevidence_trap": ([], [("D5", "D4"), ("D4", "D5")]),
    },
    "number with an open end": {"insufficient_evidence": ([pair("24", "25")], [pair("25", "26")])},
    "yes_no left open": {
        "insufficient_evidence": ([pair("24.4", "24.75"), pair("24.75", "24.4"), (Ratio(244, 10), Ratio(198, 8))],
                                  [pair("24.61", "24.6"), pair("24.5", "24.7"), pair("24.4", "24.6"),
                                   pair("24.41", "24.75"), pair("24.4", "24.74"), pair("24.75", "24.75"),
                                   pair("24.4", "24.76"), pair("24.39", "24.75"), pair("-0.2", "0.15"),
                                   ("YES", "NO"), ("24.4", "24.75"), (number("24.4"),), Ratio(244, 10), None]),
        "counterevidence_trap": ([("D5", "D4")], [("D5", "D3")]),
    },
    "plan in conflict": {
        "objective_conflict": ([("D1.1", "D2.1", "D3.1"), ("D3.1", "D1.1", "D2.1")],
                               [("D1.1", "D2.1"), ("D1.1", "D2.1", "D3.1", "D2.2"), ("D1.1", "D2.1", "D3.1", "D3.1"),
                                (), ("D1.1", "D2.1", "D2.1"), ("D1", "D2", "D3"), "D1.1", None, pair("1", "2")]),
        "insufficient_evidence": ([], [pair("15", "16")]),
    },
    "plan in conflict, with a demand withdrawn": {
        "objective_conflict": ([("D1.1", "D2.1", "D3.1")], [("D3.1", "D5.1"), ("D1.1", "D2.1", "D3.1", "D5.1")]),
        "counterevidence_trap": ([], [("D6", "D5")]),
    },
    "number in conflict": {"objective_conflict": ([("D1.1", "D2.1", "D3.1")], [("D2.2",)])},
    "premise refuted": {
        "false_premise": ([("D1", "D2"), ("D2", "D1")], [("D1",), ("D1", "D2", "D3"), ("D3",), ("D1.1",)]),
    },
    "no document": {
        "missing_citation": ([first_of(FALLS_SHORT), {key: names[-1] for key, names in FALLS_SHORT.items()},
                              *({**first_of(FALLS_SHORT), "D4": name, "D5": "period"}
                                for name in ("bound", "subject"))],
                             [{**first_of(FALLS_SHORT), "D4": "date"}, {**first_of(FALLS_SHORT), "D1": "finding"}, {},
                              None, ("subject",), {"D1": "subject"}, dict.fromkeys(FALLS_SHORT, "bound"),
                              {**first_of(FALLS_SHORT), "D7": "bound"}, {**first_of(FALLS_SHORT), "D1": ["subject"]}]),
        "counterevidence_trap": ([("D5", "D4")], [("D4", "D5")]),
        "insufficient_evidence": ([], [pair("12", "13")]),
    },
    "number of findings left open": {
        "insufficient_evidence": ([pair("12", "14"), pair("13", "12")], [pair("14", "15"), pair("11", "12"), ("K-1",)]),
        "missing_citation": ([first_of(FALLS_SHORT)], [{}]),
        "counterevidence_trap": ([("D5", "D4")], []),
    },
    "yes_no of findings left open": {
        "insufficient_evidence": ([pair("12.4", "13.8"), pair("13.8", "12.4")],
                                  [pair("13.1", "13"), pair("12.4", "13.1"), pair("13", "13.8"), pair("12.5", "13.8"),
                                   pair("12.4", "13"), pair("13.1", "13.8"), pair("12.3", "13.8"),
                                   pair("12.4", "13.9")]),
    },
    "list with an undecided item": {
        "impossible_exhaustiveness": ([("K-3",)], [("K-1",), ("D2.1",), ("D2.2",), ("D1.3",), ("K-3", "K-1"), "K-3",
                                                    ()]),
        "insufficient_evidence": ([("K-3",)], [("K-4",), pair("1", "2")]),
        "counterevidence_trap": ([("D5", "D4")], [("D5", "D1")]),
    },
    "list of another scope": {
        "impossible_exhaustiveness": ([("D2.1",)], [("D2.2",), ("D2",), ("D1.1",), ("K-3",)]),
        "insufficient_evidence": ([], [("K-3",)]),
    },
    "list with one unnamed": {"impossible_exhaustiveness": ([("D2.2",)], [("D2.1",), ("K-3",)])},
    "total left open": {
        "insufficient_evidence": ([pair("102", "118"), pair("118", "102")], [pair("102", "103"), pair("117", "118")]),
        "impossible_exhaustiveness": ([("K-3",)], [("K-2",), ("D2.2",)]),
        "counterevidence_trap": ([("D5", "D4")], []),
    },
    "totals left open": {
        "insufficient_evidence": ([pair("118", "102"), pair("102", "118")],
                                  [pair("102", "102"), pair("118", "110"), pair("103", "118"), pair("102", "111"),
                                   pair("118", "118"), pair("101", "118"), pair("-8", "8"), ("K-3",)]),
        "impossible_exhaustiveness": ([("K-3",)], [("K-5",)]),
    },
}  # fmt: skip
"""Valid witnesses and others, by task and obstruction."""


@functools.cache
def proved(name):
    return prove(TASKS[name])


@pytest.mark.parametrize("name", RIGHT)
def test_right_answers_are_accepted_and_nothing_else_is(name):
    right, wrong = RIGHT[name]
    assert proved(name).answerable
    assert proved(name).obstructions == ()
    assert all(proved(name).accepts(value) for value in right)
    assert not any(proved(name).accepts(value) for value in wrong)
    assert not any(proved(name).proves(*claim) for claim in every_witness())


@pytest.mark.parametrize("name", WITNESSES)
def test_valid_witnesses_prove_and_nothing_else_does(name):
    assert not proved(name).answerable
    for obstruction, (valid, invalid) in WITNESSES[name].items():
        assert all(proved(name).proves(obstruction, witness) for witness in valid), obstruction
        for witness in invalid:
            assert not proved(name).proves(obstruction, witness), (obstruction, witness)
        assert (obstruction in proved(name).obstructions) == bool(valid)
    assert not any(proved(name).accepts(value) for right, wrong in RIGHT.values() for value in right + wrong)
    assert not proved(name).proves("no such thing", ("D5", "D4"))


def every_witness():
    for cases in WITNESSES.values():
        for obstruction, (valid, invalid) in cases.items():
            yield from ((obstruction, witness) for witness in valid + invalid)


def test_every_task_is_covered():
    assert RIGHT.keys() | WITNESSES.keys() == TASKS.keys()


def test_room_is_the_number_of_admissible_answers():
    rooms = {name: proved(name).room for name in TASKS}
    assert {name for name, room in rooms.items() if room == 1} == RIGHT.keys() - {"plan that can be met"}
    assert {name: room for name, room in rooms.items() if room != 1} == {
        "plan that can be met": None, "number left open": 2, "number left open, with a report ruled out": 2,
        "number with an open end": 2, "yes_no left open": 2, "plan in conflict": 0, "number in conflict": 0,
        "plan in conflict, with a demand withdrawn": 0, "premise refuted": 0, "no document": 0,
        "number of findings left open": 3, "yes_no of findings left open": 2, "list with an undecided item": 2,
        "list of another scope": None, "list with one unnamed": None, "total left open": 2, "totals left open": 2,
    }  # fmt: skip


def test_what_was_proved_is_described():
    assert proved("list that is closed").answer == ("K-1", "K-2", "K-3")
    assert proved("list that is closed").item_ids == ("K-1", "K-2", "K-3", "K-4", "K-5")
    assert proved("premise kept").answer == (17, 2)
    assert proved("plan in conflict").variables == ("n", "s")
    assert proved("number left open").document_ids == ("D1", "D2", "D3", "D4", "D5")
    assert proved("number left open").sentence_ids == ("D1.1", "D2.1", "D3.1", "D3.2", "D4.1", "D4.2", "D5.1")
    assert {proved(name).main for name in TASKS} == {"range", "dual_bounds", "world", "minimal_conflict", "refutation",
                                                     "findings", "enumeration"}  # fmt: skip


def test_what_was_proved_survives_a_process_border():
    for name in TASKS:
        again = pickle.loads(pickle.dumps(proved(name)))
        assert again == proved(name)
        for obstruction, (valid, invalid) in WITNESSES.get(name, {}).items():
            assert all(again.proves(obstruction, witness) for witness in valid)
            assert not any(again.proves(obstruction, witness) for witness in invalid)


@pytest.mark.parametrize(
    ("stated", "rung"),
    [((Ratio(1, 10), Ratio(1, 1), None), "razor"), ((Ratio(11, 100), Ratio(1, 1), None), "narrow"),
     ((Ratio(1, 2), Ratio(1, 2), None), "narrow"), ((Ratio(51, 100), Ratio(1, 2), None), "wide"),
     ((Ratio(0, 1), Ratio(1, 1), None), "razor"), ((None, None, 4), "razor"), ((None, None, 3), "narrow"),
     ((None, None, 2), "narrow"), ((None, None, 1), "wide")],
)  # fmt: skip
def test_the_rung_follows_the_dial(stated, rung):
    assert Dial(*stated).rung == rung


@pytest.mark.parametrize("name", TASKS)
def test_a_count_is_no_dial_where_the_proof_gives_the_margin(name):
    """But in the family whose dial is the number of notices, and on an answerable task."""
    counted = {**TASKS[name], "certificate": {**TASKS[name]["certificate"]}}
    counted["certificate"]["proof"] = {**TASKS[name]["certificate"]["proof"], "dial": {"hops": 2}}
    if name in WITNESSES and name in PROVED_DIALS:
        assert refusal(counted).startswith("proof: dial")
    else:
        assert prove(counted).dial.hops == 2
    assert prove({**counted, "family": "counterevidence_trap"}).dial.hops == 2


# Alterations.


def at(data, path):
    return functools.reduce(lambda node, key: node[key], path, data)


def along(data, path):
    """The data, with containers of its own along the path, and the last of them."""
    data = copy.copy(data)
    node = data
    for key in path:
        node[key] = copy.copy(node[key])
        node = node[key]
    return data, node


def changed(data, path, value):
    data, node = along(data, path[:-1])
    node[path[-1]] = value
    return data


def without(data, path):
    data, node = along(data, path[:-1])
    del node[path[-1]]
    return data


def places(node, path=()):
    yield path
    if isinstance(node, dict | list):
        for key in node if isinstance(node, dict) else range(len(node)):
            yield from places(node[key], (*path, key))


def refusal(data):
    with pytest.raises(CertificateError) as caught:
        prove(data)
    return str(caught.value)


def stands(data):
    try:
        prove(data)
    except CertificateError:
        return False
    return True


PROOF = ("certificate", "proof")
ODD = [None, True, 7, 1.5, "", "x" * 61, "\u0663", "9" * 201, [], {}, [[]], {"x": 1}, {1: 2}, b"1", object()]


def proof_places(data):
    return [(*PROOF, *path) for path in places(data["certificate"]["proof"]) if path]


@pytest.mark.parametrize("name", TASKS)
def test_a_value_of_the_wrong_type_in_a_proof_is_refused(name):
    data = TASKS[name]
    for path in [*proof_places(data), PROOF, PROOF[:1], ("packet",), ("question",)]:
        for value in ODD:
            same = type(value) is type(at(data, path)) and value == at(data, path)
            hops = path[-1] == "hops" and type(value) is int
            if not same and not hops:
                assert refusal(changed(data, path, value)), (path, value)


@pytest.mark.parametrize("name", TASKS)
def test_a_missing_or_added_field_of_a_proof_is_refused(name):
    data = TASKS[name]
    for path in [*proof_places(data), PROOF]:
        if isinstance(path[-1], str):
            assert refusal(without(data, path))
        if isinstance(at(data, path), dict):
            assert refusal(changed(data, (*path, "note"), "1"))
        if isinstance(at(data, path), list):
            extra = [*at(data, path), *(at(data, path)[:1] or ["D9.9.z"])]
            assert refusal(changed(data, path, extra)), path
            for place in range(len(at(data, path))):
                assert refusal(without(data, (*path, place))), path


def name_pool(data):
    found = {"D9", "D1.9", "D9.1.a", "K-9", "in", "out", "undecided", "YES", "NO", "subject", "measure", "bound"}
    for each in data["packet"]["documents"]:
        found.add(each["id"])
        for sentence in each["sentences"]:
            found.add(sentence["id"])
            found.update(fact["id"] for fact in sentence["facts"])
    return sorted(found)


PROVED_DIALS = {"number left open", "number left open, with a report ruled out", "number with an open end",
                "number settled", "yes_no left open", "plan in conflict", "plan in conflict, with a demand withdrawn",
                "number in conflict", "premise refuted"}  # fmt: skip


@pytest.mark.parametrize("name", TASKS)
def test_every_other_name_or_figure_in_a_proof_is_refused(name):
    """But for the numbers of worlds, of which more below, and a dial that no proof gives."""
    data = TASKS[name]
    pool = name_pool(data)
    for path in proof_places(data):
        value = at(data, path)
        if not isinstance(value, str) or "numbers" in path or (path[2] == "dial" and name not in PROVED_DIALS):
            continue
        if path[2:] == ("dial", "unit") and ("in conflict" in name or data["question"]["resolution"] is None):
            continue
        if path[2:] == ("dial", "unit") and name == "premise refuted":
            continue
        figures = []
        if read_exact(value) is not None:
            figures = [str(Fraction(value) + shift) for shift in (1, -1, Fraction(1, 10**15), -2 * Fraction(value))]
        for other in [*random.Random(str(path)).sample(pool, 12), *figures]:
            if other != value:
                assert refusal(changed(data, path, other)), (path, other)


def true_in(fact, values, weak=False):
    gap = sum(Fraction(c) * values[x] for x, c in fact["terms"].items()) - Fraction(fact["rhs"])
    good = {"<": gap < 0, "<=": gap <= 0, "=": gap == 0, ">=": gap >= 0, ">": gap > 0}[fact["op"]]
    return good or (weak and gap == 0)


def still_good(task, path, values):
    """A second, naive reading of what the world at the path must satisfy."""
    inner = path.index("without") + 1 if "without" in path else 3
    main, part, where = at(task, path[:inner]), path[inner], path[inner + 1]
    gone = set()
    if "without" not in path:
        scopes = [fact["scope"] for fact in task["packet"]["documents"][-1]["sentences"][0]["facts"] if "scope" in fact]
        gone = {"D4.1", "D4.2"} if scopes == [None] else {*scopes[0]} if scopes else set()
    kind = main["kind"]
    for each in task["packet"]["documents"]:
        for sentence in each["sentences"]:
            for fact in sentence["facts"]:
                dropped = kind == "minimal_conflict" and where == sentence["id"] and fact.get("role") == "requirement"
                dropped |= (kind == "refutation" and where == each["id"]) or sentence["id"] in gone
                if fact["kind"] == "linear" and not dropped and not true_in(fact, values, part == "limits"):
                    return False
    aside = kind == "minimal_conflict" or (kind == "refutation" and part == "world")
    if not (aside or all(true_in(fact, values, part == "limits") for fact in task["question"]["presupposes"])):
        return False
    attains = kind == "range" and (part == "limits" or main["limits"][where] is None)
    return not attains or values["p1"] == Fraction(at(task, path)["p1"])


WORLDS = [(name, path) for name in TASKS for path in proof_places(TASKS[name]) if path[-1] == "numbers"]


@settings(max_examples=300, deadline=None)
@given(st.sampled_from([each for each in WORLDS if at(TASKS[each[0]], each[1])]), st.data())
def test_a_moved_number_of_a_world_is_refused_unless_it_still_is_one(where, data):
    name, path = where
    key = data.draw(st.sampled_from(sorted(at(TASKS[name], path))))
    shift = data.draw(st.fractions(-3, 3, max_denominator=20).filter(bool))
    values = {x: Fraction(text) for x, text in at(TASKS[name], path).items()}
    values[key] += shift
    altered = changed(TASKS[name], (*path, key), str(values[key]))
    assert stands(altered) == still_good(TASKS[name], path, values)


def test_a_contradiction_is_a_proof_without_a_document_and_never_the_main_one():
    """Also where a notice settles a pair: a correction whose own figure cannot be true."""
    data = TASKS["number left open, with a report ruled out"]
    standing = without(data, ("packet", "documents", 4))
    assert refusal(changed(changed(standing, (*PROOF, "defeats"), []), (*PROOF, "main"), RULED_OUT)).startswith(
        "proof: main: kind"
    )
    corrected = [*pumps(reported="25")[:4], document("D5", 15, [notice("D5.1.a", "corrects", "D4", ["D4.2"]),
                                                               linear("D5.1.b", {"p1": "1"}, "=", "25")])]  # fmt: skip
    main = {"kind": "farkas", "multipliers": {**UPPER, "D5.1.b": "-1"}}
    loose = [("D5", "D4", {**STATED, "lower": {"D4.2.a": "-1"}, "answer": "25", "world": pumped("25", "36")})]
    alone = task(corrected, PUMP_ONE, main, loose, dial("1/10", "1"))
    assert refusal(alone).startswith("proof: main: kind")


@pytest.mark.parametrize(
    "name", ["number left open, with a report ruled out", "plan in conflict, with a demand withdrawn"]
)
def test_an_altered_contradiction_is_refused(name):
    """Too few facts, too many, a weight of the wrong sign or size, a fact that is out of force or of no number."""
    data = TASKS[name]
    place = (*PROOF, "defeats", 0, "without", "multipliers")
    weights = at(data, place)
    for key, text in weights.items():
        assert refusal(changed(data, place, {other: weights[other] for other in weights if other != key}))
        for size in ("0", str(-Fraction(text)), str(2 * Fraction(text)), "x", "1/0", 1):
            assert refusal(changed(data, (*place, key), size)), (key, size)
    gone = "D5.1.a" if name.startswith("number") else "D6.1.a"
    for key in (gone, "D9.9.a", "D1", "presupposed"):
        assert refusal(changed(data, (*place, key), "1")), key
    doubled = {key: str(2 * Fraction(text)) for key, text in weights.items()}
    assert stands(changed(data, place, doubled))
    assert refusal(changed(data, place, {}))


def test_proving_takes_milliseconds():
    start = time.process_time()
    for data in TASKS.values():
        for _ in range(5):
            prove(data)
    assert (time.process_time() - start) / (5 * len(TASKS)) < 0.02
