"""Packet tasks made by hand: every kind of question, every obstruction, each impossible one beside its twin.

A document is `(id, date, [sentence])`, a sentence `(text, [fact])`; ids of sentences and facts are given here.
"""

from impossible_rubrics_env import Label, Role, Rung, Task
from impossible_rubrics_env.exact import number_text, rational
from impossible_rubrics_env.prompt import claim_format, reading_rules

RETRACTS = {"kind": "retracts", "scope": None}


def linear(terms, op, rhs, role="background"):
    return {"kind": "linear", "terms": terms, "op": op, "rhs": rhs, "role": role}


def need(terms, op, rhs):
    return linear(terms, op, rhs, "requirement")


def numbers(**values):
    return {"numbers": values}


def packet(*documents):
    made = []
    for place, (date, sentences) in enumerate(documents, 1):
        listed = []
        for number, (text, facts) in enumerate(sentences, 1):
            key = f"D{place}.{number}"
            placed = [{"id": f"{key}.{letter}", **fact} for letter, fact in zip("abcdefgh", facts, strict=False)]
            listed.append({"id": key, "text": text, "facts": placed})
        made.append({"id": f"D{place}", "title": f"Paper {place}", "date": date, "sentences": listed})
    return {"documents": made}


def answer(value):
    return {"verdict": "ANSWER", "value": value}


def refusal(obstruction, witness):
    return {"verdict": "IMPOSSIBLE", "obstruction": obstruction, "witness": witness}


def block(data):
    import json

    return f"<answer>{json.dumps(data)}</answer>"


def make(name, documents, question, main, right, dial, *, wrong, room, asked, defeats=(), params=None):
    """A task whose parts agree; `right` is the right reply's object, `wrong` that of a false claim."""
    given = {"scheme": "seed", "penalty": "1", "abstain": True, **(params or {})}
    impossible = right["verdict"] == "IMPOSSIBLE"
    stated = packet(*documents)
    question = {"resolution": None, "presupposes": [], **question}
    cost = "0" if given["penalty"] == "0" else f"-{given['penalty']}"
    answers = [("correct", right, "1", "SOLVED"), ("wrong_confident", wrong, cost, "WRONG")]
    return Task(
        id=f"{name}@0/made/0/0",
        pair_id=f"{name}@0/made/0/0",
        family=name,
        role=Role.ANSWER,
        label=Label.IMPOSSIBLE if impossible else Label.HARD_POSITIVE,
        rung=rung(dial),
        room=room,
        generator_version="0",
        params=given,
        prompt=prompt(stated, question["kind"], asked, given),
        packet=stated,
        question=question,
        certificate={
            "kind": "packet",
            "claims": {},
            "proof": {"kind": "packet", "main": main, "defeats": list(defeats), "dial": dial},
        },
        answers=tuple(
            {"id": kind, "type": kind, "reply": block(reply), "expected": {"reward": reward, "verdict": verdict}}
            for kind, reply, reward, verdict in answers
        ),
    )


def rung(dial):
    if "hops" in dial:
        return Rung.RAZOR if dial["hops"] >= 4 else Rung.NARROW if dial["hops"] >= 2 else Rung.WIDE
    tenths = {"1/10 1": Rung.RAZOR, "3/10 1": Rung.NARROW, "1/10 1/10": Rung.NARROW, "3/10 1/10": Rung.WIDE}
    return tenths[f"{dial['value']} {dial['unit']}"]


def prompt(stated, kind, asked, given):
    documents = []
    for one in stated["documents"]:
        lines = [f"{one['id']} | {one['title']} | {one['date']}"]
        documents.append("\n".join(lines + [f"[{line['id']}] {line['text']}" for line in one["sentences"]]))
    ending = claim_format(kind, given["abstain"] is not False, number_text(rational(given["penalty"])))
    return "\n\n".join(["Papers of the works.", "Documents", *documents, f"Question\n{asked}", reading_rules(), ending])


def _amounts(other):
    """x + y = 60, x >= 31.2, y >= other, z = 31.5: x is between 31.2 and 60 - other."""
    return (
        ("2031-01-01", [("x and y came to 60 kg together.", [linear({"x": "1", "y": "1"}, "=", "60")])]),
        ("2031-01-02", [("x came to at least 31.2 kg.", [linear({"x": "1"}, ">=", "156/5")])]),
        ("2031-01-03", [("y came to some kg or more.", [linear({"y": "1"}, ">=", other)])]),
        ("2031-01-04", [("z came to 31.5 kg.", [linear({"z": "1"}, "=", "63/2")])]),
    )


_NUMBER = {"kind": "number", "target": {"x": "1"}, "resolution": "1"}
_LOWER, _UPPER = {"D2.1.a": "1"}, {"D1.1.a": "1", "D3.1.a": "1"}
_LOW = numbers(x="156/5", y="144/5", z="63/2")
_HIGH = numbers(x="159/5", y="141/5", z="63/2")
_RANGE = {
    "kind": "range",
    "lower": _LOWER,
    "upper": _UPPER,
    "worlds": [_LOW, _HIGH],
    "limits": [None, None],
    "constant": {},
    "answers": ["31", "32"],
}
_SETTLED = {"kind": "dual_bounds", "lower": _LOWER, "upper": _UPPER, "answer": "31", "world": _LOW}


def number_open(**params):
    """31.2 <= x <= 31.8: 31 and 32 both fit."""
    right = refusal("insufficient_evidence", ["31", "32"])
    dial = {"value": "3/10", "unit": "1"}
    return make(
        *("insufficient_evidence", _amounts("141/5"), _NUMBER, _RANGE, right, dial),
        wrong=answer("31"),
        room=2,
        asked="What is x, to the nearest kg?",
        params=params,
    )


def number_settled(**params):
    """31.2 <= x <= 31.4: 31."""
    dial = {"value": "1/10", "unit": "1"}
    return make(
        *("insufficient_evidence", _amounts("143/5"), _NUMBER, _SETTLED, answer("31"), dial),
        wrong=answer("32"),
        room=1,
        asked="What is x, to the nearest kg?",
        params=params,
    )


_COMPARED = {
    "kind": "yes_no",
    "target": {"terms": {"x": "1", "z": "-1"}, "op": ">", "rhs": "0", "quantity": {"x": "1"}},
}


def yes_no_open():
    """-0.3 <= x - z <= 0.3."""
    main = {
        **_RANGE,
        "lower": {"D2.1.a": "1", "D4.1.a": "1"},
        "upper": {**_UPPER, "D4.1.a": "-1"},
        "constant": {"D4.1.a": "1"},
        "answers": ["NO", "YES"],
    }
    right = refusal("insufficient_evidence", ["31.2", "31.8"])
    return make(
        *("insufficient_evidence", _amounts("141/5"), _COMPARED, main, right, {"value": "3/10", "unit": "1/10"}),
        wrong=answer("YES"),
        room=2,
        asked="Was x above z?",
    )


def yes_no_settled():
    """x - z <= -0.1."""
    main = {**_SETTLED, "lower": None, "upper": {**_UPPER, "D4.1.a": "-1"}, "answer": "NO"}
    return make(
        *("insufficient_evidence", _amounts("143/5"), _COMPARED, main, answer("NO"), {"value": "1/10", "unit": "1/10"}),
        wrong=answer("YES"),
        room=1,
        asked="Was x above z?",
    )


def _requirements(least):
    return (
        ("2031-01-01", [("x and z shall come to enough.", [need({"x": "1", "z": "1"}, ">=", least)])]),
        ("2031-01-02", [("x shall be at most 18.2.", [need({"x": "1"}, "<=", "91/5")])]),
        (
            "2031-01-03",
            [
                ("z shall be at most 23.2.", [need({"z": "1"}, "<=", "116/5")]),
                ("x shall be at least 5.", [need({"x": "1"}, ">=", "5")]),
            ],
        ),
    )


_PLAN = {"kind": "plan", "target": ["x", "z"]}


def plan_conflict():
    """x + z >= 41.5, x <= 18.2, z <= 23.2."""
    main = {
        "kind": "minimal_conflict",
        "members": ["D1.1", "D2.1", "D3.1"],
        "multipliers": {"D1.1.a": "1", "D2.1.a": "1", "D3.1.a": "1"},
        "worlds": {
            "D1.1": numbers(x="18", z="23"),
            "D2.1": numbers(x="20", z="23"),
            "D3.1": numbers(x="18", z="24"),
        },
    }
    right = refusal("objective_conflict", ["D1.1", "D2.1", "D3.1"])
    return make(
        *("objective_conflict", _requirements("83/2"), _PLAN, main, right, {"value": "1/10", "unit": "1/10"}),
        wrong=answer({"x": "18.2", "z": "23.2"}),
        room=0,
        asked="Give x and z.",
    )


def plan_feasible():
    """x + z >= 41.3, x <= 18.2, z <= 23.2."""
    main = {"kind": "world", "world": numbers(x="91/5", z="116/5")}
    right = answer({"x": "18.15", "z": "23.15"})
    return make(
        *("objective_conflict", _requirements("413/10"), _PLAN, main, right, {"value": "1/10", "unit": "1/10"}),
        wrong=answer({"x": "18.2", "z": "23"}),
        room=None,
        asked="Give x and z.",
    )


def _premise(second):
    return (
        ("2031-01-01", [("x came to 31.4 kg.", [linear({"x": "1"}, "=", "157/5")])]),
        ("2031-01-02", [("v came to 10.1 kg.", [linear({"v": "1"}, "=", "101/10")])]),
        ("2031-01-03", [("w came to its kg.", [linear({"w": "1"}, "=", second)])]),
    )


_PRESUPPOSES = [{"id": "p1", **linear({"v": "1", "w": "-1"}, ">", "0")}]


def premise_false():
    """Asked is x, given that v exceeds w; but v is 10.1 and w is 10.2."""
    main = {
        "kind": "refutation",
        "presupposition": 0,
        "documents": ["D2", "D3"],
        "multipliers": {"D2.1.a": "1", "D3.1.a": "-1", "presupposed": "1"},
        "worlds": {
            "D2": numbers(x="157/5", v="11", w="51/5"),
            "D3": numbers(x="157/5", v="101/10", w="10"),
        },
        "world": numbers(x="157/5", v="101/10", w="51/5"),
    }
    return make(
        "false_premise",
        _premise("51/5"),
        {**_NUMBER, "presupposes": _PRESUPPOSES},
        main,
        refusal("false_premise", ["D3", "D2"]),
        {"value": "1/10", "unit": "1/10"},
        wrong=answer("31"),
        room=0,
        asked="As v exceeded w, what is x, to the nearest kg?",
    )


def premise_true():
    """The same with w = 10.0."""
    world = numbers(x="157/5", v="101/10", w="10")
    main = {"kind": "dual_bounds", "lower": {"D1.1.a": "-1"}, "upper": {"D1.1.a": "1"}, "answer": "31", "world": world}
    return make(
        "false_premise",
        _premise("10"),
        {**_NUMBER, "presupposes": _PRESUPPOSES},
        main,
        answer("31"),
        {"value": "1/10", "unit": "1/10"},
        wrong=answer("32"),
        room=1,
        asked="As v exceeded w, what is x, to the nearest kg?",
    )


def found(subject, measure, value, direction="at_least"):
    attributes = {"subject": subject, "period": "asked", "measure": measure}
    return {"kind": "finding", "attributes": attributes, "bound": {"direction": direction, "value": value}}


def _studies(bound):
    within = {"kind": "contains", "attribute": "subject", "wider": "group", "narrower": "harrow"}
    return (
        ("2031-01-01", [("Another line.", [found("ellis", "asked", "13")])]),
        (
            "2031-01-02",
            [("Every line of the group.", [found("group", "asked", bound)]), ("Harrow is of it.", [within])],
        ),
        ("2031-01-03", [("Another measure.", [found("harrow", "hours", "19")])]),
        ("2031-01-04", [("No figure at all.", [])]),
    )


_CLAIM = {
    "kind": "document",
    "target": {
        "attributes": {"subject": "harrow", "period": "asked", "measure": "asked"},
        "bound": {"direction": "at_least", "value": "25/2"},
    },
}
_FAILING = {"D1": ["subject"], "D2": ["bound"], "D3": ["measure"], "D4": ["finding"]}


def document_missing():
    """At least 12.5 is asked, and the nearest document says 12.4."""
    main = {"kind": "findings", "documents": _FAILING, "answer": None, "lower": None, "upper": None, "world": numbers()}
    right = refusal("missing_citation", {key: names[0] for key, names in _FAILING.items()})
    return make(
        *("missing_citation", _studies("62/5"), _CLAIM, main, right, {"value": "1/10", "unit": "1/10"}),
        wrong=answer("D2"),
        room=0,
        asked="Which document establishes that Harrow had at least 12.5 kg?",
    )


def document_there():
    """The same with 12.6."""
    shown = {**_FAILING, "D2": []}
    main = {"kind": "findings", "documents": shown, "answer": "D2", "lower": None, "upper": None, "world": numbers()}
    return make(
        *("missing_citation", _studies("63/5"), _CLAIM, main, answer("D2"), {"value": "1/10", "unit": "1/10"}),
        wrong=answer("D1"),
        room=1,
        asked="Which document establishes that Harrow had at least 12.5 kg?",
    )


def _withdrawn(target, scope):
    notice = {"kind": "retracts", "target": target, "scope": scope}
    decisive = ("x came to at most 31.4 kg.", [linear({"x": "1"}, "<=", "157/5")])
    first, second, *others = _amounts("141/5")
    return (first, (second[0], [*second[1], decisive]), *others, ("2031-01-05", [("A notice.", [notice])]))


def trap():
    """x <= 31.4 is withdrawn, and without it x is between 31.2 and 31.8."""
    without = {**_SETTLED, "upper": {"D2.2.a": "1"}, "world": _LOW}
    return make(
        *("counterevidence_trap", _withdrawn("D2", ["D2.2"]), _NUMBER, _RANGE),
        refusal("counterevidence_trap", ["D5", "D2"]),
        {"hops": 2},
        wrong=answer("31"),
        room=2,
        asked="What is x, to the nearest kg?",
        defeats=[{"notice": "D5", "document": "D2", "without": without}],
    )


def trap_beside():
    """The notice withdraws something else."""
    main = {**_SETTLED, "upper": {"D2.2.a": "1"}, "world": numbers(x="156/5", y="144/5", z="63/2")}
    return make(
        *("counterevidence_trap", _withdrawn("D4", None), _NUMBER, main, answer("31"), {"hops": 2}),
        wrong=answer("32"),
        room=1,
        asked="What is x, to the nearest kg?",
    )


def _entry(item, line, grade, amount):
    facts = [
        {"kind": "member", "item": item, "set": "reg", "holds": True},
        {"kind": "attribute", "item": item, "name": "line", "value": line},
        linear({item: "1"}, "=", amount),
    ]
    graded = [] if grade is None else [{"kind": "attribute", "item": item, "name": "grade", "value": grade}]
    return (f"{item} is entered.", facts + graded)


def _register(first, second, scope=None, size="4"):
    """K-1 and K-2 have grade B or are open; the lines of K-3 and K-4 are `first` and `second`."""
    return (
        (
            "2031-01-01",
            [
                _entry("K-1", "harrow", "B", "10"),
                _entry("K-2", "harrow", "A", "20"),
                _entry("K-3", first, None, "4"),
                _entry("K-4", second, "C", "5"),
            ],
        ),
        (
            "2031-01-02",
            [
                ("It is complete.", [{"kind": "covers", "set": "reg", "scope": scope}]),
                ("It has so many entries.", [{"kind": "size", "set": "reg", "op": "=", "value": size}]),
            ],
        ),
        (
            "2031-01-03",
            [
                ("Grades are A, B, C.", [{"kind": "order", "name": "grade", "values": ["A", "B", "C"]}]),
                ("Lines are these.", [{"kind": "order", "name": "line", "values": ["harrow", "ellis"]}]),
            ],
        ),
    )


_WHERE = [{"attribute": "line", "values": ["harrow"]}, {"attribute": "grade", "at_least": "B"}]
_LIST = {"kind": "list", "target": {"set": "reg", "where": _WHERE}}
_STOCK = {"K-1": "10", "K-2": "20", "K-3": "4", "K-4": "5"}
_ORDERS = ("D3.1.a", "D3.2.a")


def _enumerated(third, fourth, answered, closed=("D2.1.a", "D2.2.a"), status="in"):
    other = {"status": "out", "facts": [third, "D3.2.a"]}
    open_item = {"status": "undecided", "facts": []}
    return {
        "kind": "enumeration",
        "items": {
            "K-1": {"status": status, "facts": ["D1.1.b", "D1.1.d", "D3.1.a"]},
            "K-2": {"status": "out", "facts": ["D1.2.d", "D3.1.a"]},
            "K-3": open_item if third is None else other,
            "K-4": {"status": "in", "facts": ["D1.4.b", "D1.4.d", "D3.1.a"]}
            if fourth
            else {"status": "out", "facts": ["D1.4.b", "D3.2.a"]},
        },
        "closed": list(closed) if closed else None,
        "answer": answered,
        "world": numbers(**_STOCK),
    }


def list_open():
    """The grade of K-3, of the line asked about, is not stated."""
    main = _enumerated(None, False, None)
    return make(
        *("impossible_exhaustiveness", _register("harrow", "ellis"), _LIST, main),
        refusal("impossible_exhaustiveness", ["K-3"]),
        {"hops": 4},
        wrong=answer(["K-1"]),
        room=2,
        asked="List all entries of harrow with B or higher.",
    )


def list_closed():
    """K-3 and K-4 have changed their lines."""
    main = _enumerated("D1.3.b", True, ["K-1", "K-4"])
    return make(
        *("impossible_exhaustiveness", _register("ellis", "harrow"), _LIST, main, answer(["K-4", "K-1"]), {"hops": 4}),
        wrong=answer(["K-1"]),
        room=1,
        asked="List all entries of harrow with B or higher.",
    )


def list_uncovered():
    """The register is said to hold the other line alone."""
    main = _enumerated("D1.3.b", True, None, closed=None)
    return make(
        *("impossible_exhaustiveness", _register("ellis", "harrow", {"line": ["ellis"]}), _LIST, main),
        refusal("impossible_exhaustiveness", ["D2.1"]),
        {"hops": 1},
        wrong=answer(["K-1", "K-4"]),
        room=None,
        asked="List all entries of harrow with B or higher.",
    )


def total_open():
    """10 or 14 kg, as K-3 belongs or not."""
    main = _enumerated(None, False, None)
    question = {"kind": "number", "target": {"total": {"set": "reg", "where": _WHERE}}, "resolution": "1"}
    return make(
        *("impossible_exhaustiveness", _register("harrow", "ellis"), question, main),
        refusal("impossible_exhaustiveness", ["K-3"]),
        {"hops": 3},
        wrong=answer("10"),
        room=2,
        asked="What is the total of harrow with B or higher, to the nearest kg?",
    )


PAIRS = (
    (number_open, number_settled),
    (yes_no_open, yes_no_settled),
    (plan_conflict, plan_feasible),
    (premise_false, premise_true),
    (document_missing, document_there),
    (trap, trap_beside),
    (list_open, list_closed),
)
MAKERS = {make.__name__: make for pair in PAIRS for make in pair} | {
    make.__name__: make for make in (list_uncovered, total_open)
}
TASKS = {name: make() for name, make in MAKERS.items()}
