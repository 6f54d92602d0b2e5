"""Whole packet proofs: a worked case of every family and question kind, what grading gets of it, and refusals."""





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


def pumps(least="363/10", op=">="):
    return [
        document("D1", 4, [linear("D1.1.a", {"p1": "1", "p2": "1"}, ">=", "1219/20"),
                           linear("D1.1.b", {"p1": "1", "p2": "1"}, "<=", "1221/20")]),
        document("D2", 9, [linear("D2.1.a", {"p2": "1"}, op, least)]),
        document("D3", 7, [linear("D3.1.a", {"p1": "1"}, ">=", "122/5")], [linear("D3.2.a", {"weir": "1"}, "=", "123/5")]),
        document("D4", 2, [linear("D4.1.a", {"p1.apr": "1"}, "=", "25"), linear("D4.1.b", {"p2.apr": "1"}, "=", "239/10")],
                 [linear("D4.2.a", {"p1": "1"}, "=", "123/5")]),
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

# Crushers: that the east crusher ran longer at night is taken for granted; it ran 0.2 h less.


def crushers(east="31/5"):
    return [
        document("D1", 1, [linear("D1.1.a", {"w.night": "1"}, "=", "32/5")]),
        document("D2", 2, [linear("D2.1.a", {"e.night": "1"}, "<=", east), linear("D2.1.b", {"e.night": "1"}, ">=", "6")]),
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

# Wards: falls in the cedar ward, which belongs to the north wing; one study is withdrawn.

CEDAR = {"subject": "cedar", "period": "asked", "measure": "asked"}
ELM = {**CEDAR, "subject": "elm"}


def wards(cedar="62/5", *, withdrawn="D4"):
    return [
        document("D1", 1, [finding("D1.1.a", "south", "asked", "asked", "at_least", "19")]),
        document("D2", 2, [finding("D2.1.a", "cedar", "asked", "asked", "at_least", cedar)],
                 [finding("D2.2.a", "elm", "asked", "asked", "exactly", "13")]),
        document("D3", 3, [finding("D3.1.a", "north", "asked", "nights", "at_least", "20"),
                           finding("D3.1.b", "north", "asked", "asked", "at_most", "69/5")]),
        document("D4", 4, [finding("D4.1.a", "north", "asked", "asked", "at_least", "68/5")]),
        document("D5", 5, [notice("D5.1.a", "retracts", withdrawn)]),
        document("D6", 6, [contains("D6.1.a", "subject", "cedar", "north"), contains("D6.1.b", "subject", "pine", "south")],
                 [contains("D6.2.a", "subject", "north", "house"),
                  finding("D6.2.b", "house", "spring", "nights", "exactly", "3")]),
    ]  # fmt: skip


def claimed(value, direction="at_least"):
    return question("document", {"attributes": CEDAR, "bound": {"direction": direction, "value": value}})


NO_NUMBERS = {"numbers": {}}
FALLS_SHORT = {"D1": ["subject"], "D2": ["bound"], "D3": ["bound"], "D4": ["finding"], "D5": ["finding"],
               "D6": ["period", "measure"]}  # fmt: skip


def found(answer, lower=None, upper=None, **documents):
    short = {**FALLS_SHORT, **documents}
    named = {key: attributes for key, attributes in short.items() if attributes is not None}
    return {"kind": "findings", "documents": named, "answer": answer, "lower": lower, "upper": upper, "world": NO_NUMBERS}


def unretracted(answer, *ends, short=("bound",)):
    """Without D5 the study of the north wing stands."""
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
    "number settled": task(pumps("183/5"), PUMP_ONE, SETTLED, (), dial("1/20", "1")),
    "yes_no left open": task(pumps(), ABOVE_WEIR, EITHER, [("D5", "D4", NOT_ABOVE)], dial("3/20", "1/10")),
    "plan in conflict": task(lots(), BOTH_LOTS, CLASH, (), dial("1/10", "1/10"), "objective_conflict"),
    "number in conflict": task(lots(), question("number", {"n": "1"}, "1"), CLASH, (), dial("1/10", "1/10"),
                               "objective_conflict"),
    "plan that can be met": task(lots("113/5"), BOTH_LOTS, FEASIBLE, (), dial("3/10", "1/10"), "objective_conflict"),
    "premise refuted": task(crushers(), DAY_HOURS, REFUTED, (), dial("1/5", "1/10"), "false_premise"),
    "premise kept": task(crushers("33/5"), DAY_HOURS, DAY, (), dial("1/5", "1/10"), "false_premise"),
    "no document": task(wards(), claimed("25/2"), found(None), unretracted("D4", short=()), None, "missing_citation"),
    "one document": task(wards("63/5"), claimed("25/2"), found("D2", D2=[]), (), None, "missing_citation"),
    "one document for the wing": task(wards(withdrawn="D1"), claimed("25/2"),
                                      found("D4", D1=["finding"], D4=[]), (), None, "missing_citation"),
    "number of findings left open": task(wards(), question("number", {"attributes": CEDAR}, "1"),
                                         found(None, "D2.1.a", "D3.1.b"),
                                         unretracted("14", "D4.1.a", "D3.1.b"), None, "counterevidence_trap"),
    "number of findings settled": task(wards(withdrawn="D1"), question("number", {"attributes": CEDAR}, "1"),
                                       found("14", "D4.1.a", "D3.1.b", D1=["finding"], D4=["bound"]), (), None,
                                       "counterevidence_trap"),
    "yes_no of findings left open": task(wards(), question("yes_no", {"attributes": CEDAR, "op": ">",
                                                                      "than": {"attributes": ELM}}),
                                         found(None, "D2.1.a", "D3.1.b"),
                                         unretracted("YES", "D4.1.a", "D3.1.b", short=()), None, "missing_citation"),
    "yes_no of findings settled": task(wards(withdrawn="D1"), question("yes_no", {"attributes": CEDAR, "op": ">",
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
