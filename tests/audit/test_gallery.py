"""The gallery explains each kind of proof from a task's JSON, and marks the edit between twins."""

import copy
import json
from pathlib import Path

import pytest

import impossible_rubrics_env as ire
from impossible_rubrics_env.cli import run
from impossible_rubrics_env.explain import comparison, explain, expression
from impossible_rubrics_env.gallery import edit, page

ROOT = Path(__file__).parents[2]


def linear(key, terms, op, rhs, role="background"):
    return {"id": key, "kind": "linear", "terms": terms, "op": op, "rhs": rhs, "role": role}


def attribute(key, item, name, value):
    return {"id": key, "kind": "attribute", "item": item, "name": name, "value": value}


def task(documents, question, main, *, defeats=(), dial=None, rung="razor"):
    """A task as JSON data; `documents` maps a date to the facts of each sentence, in order."""
    packet = [
        {
            "id": f"D{place}",
            "title": "Paper",
            "date": date,
            "sentences": [
                {"id": f"D{place}.{number}", "text": "Text.", "facts": facts} for number, facts in enumerate(said, 1)
            ],
        }
        for place, (date, said) in enumerate(documents, 1)
    ]
    proof = {"kind": "packet", "main": main, "defeats": list(defeats), "dial": dial or {"value": "1/20", "unit": "1"}}
    filled = {"resolution": None, "presupposes": [], **question}
    return {
        "packet": {"documents": packet},
        "question": filled,
        "rung": rung,
        "certificate": {"kind": "packet", "claims": {}, "proof": proof},
    }


def told(data):
    before = copy.deepcopy(data)
    text = "\n".join(explain(data))
    assert data == before
    return text


INTAKE = [
    ("2031-01-01", [[linear("D1.1.a", {"whole": "1", "kiln": "1", "rest": "-1"}, "=", "0")]]),
    ("2031-01-02", [[linear("D2.1.a", {"kiln": "1"}, ">=", "56/5")], [linear("D2.2.a", {"rest": "1"}, "<=", "24")]]),
    ("2031-01-03", [[linear("D3.1.a", {"whole": "2"}, ">=", "49/2")]]),
]
WORLD = {"numbers": {"kiln": "56/5", "whole": "49/4", "rest": "469/20"}}


def test_bounds_show_the_facts_and_their_sum():
    main = {
        "kind": "dual_bounds",
        "lower": {"D2.1.a": "1"},
        "upper": {"D1.1.a": "1", "D2.2.a": "1", "D3.1.a": "1/2"},
        "answer": "11",
        "world": WORLD,
    }
    text = told(task(INTAKE, {"kind": "number", "target": {"kiln": "1"}, "resolution": "1"}, main))
    assert "- 1 times `-kiln <= -11.2` [D2.1]" in text
    assert "add up to `kiln >= 11.2`" in text
    assert "- 0.5 times `-2 whole <= -24.5` [D3.1]" in text
    assert "add up to `kiln <= 11.75`" in text
    assert "nearest to 11 among the multiples of 1" in text
    assert "`kiln = 11.2`" in text
    assert "a margin of 0.05 at a unit of 1, a ratio of 0.05, which makes it razor" in text


def test_bounds_of_a_yes_no_question_name_the_comparison():
    main = {"kind": "dual_bounds", "lower": {"D2.1.a": "1"}, "upper": None, "answer": "YES", "world": WORLD}
    question = {"kind": "yes_no", "target": {"terms": {"kiln": "1"}, "op": ">", "rhs": "11"}}
    text = told(task(INTAKE, question, main))
    assert "So `kiln > 11` holds in every world: the answer is YES." in text
    assert "From above" not in text


RANGE = {
    "kind": "range",
    "lower": {"D2.1.a": "1"},
    "upper": {"D1.1.a": "1", "D2.2.a": "1", "D3.1.a": "1/2"},
    "worlds": [WORLD, {"numbers": {"kiln": "117/10", "whole": "123/10", "rest": "24"}}],
    "limits": [None, {"numbers": {"kiln": "47/4", "whole": "49/4", "rest": "24"}}],
    "constant": {},
    "answers": ["11", "12"],
}


def test_a_range_shows_both_ends_and_two_worlds():
    text = told(task(INTAKE, {"kind": "number", "target": {"kiln": "1"}, "resolution": "1"}, RANGE))
    assert "add up to `kiln >= 11.2`" in text
    assert "- `kiln = 11.2`: the answer would be 11." in text
    assert "- `kiln = 11.7` (the end, 11.75, is approached but not reached): the answer would be 12." in text
    assert "Both 11 and 12 are admissible" in text


def test_a_range_of_a_comparison_says_which_side_each_world_is_on():
    main = {**RANGE, "answers": ["NO", "YES"], "constant": {"D1.1.a": "-1"}, "limits": [None, None]}
    target = {"terms": {"kiln": "1", "rest": "-1/2"}, "op": ">", "rhs": "0", "quantity": {"kiln": "1"}}
    text = told(task(INTAKE, {"kind": "yes_no", "target": target}, main))
    assert "`kiln = 11.2`, `rest = 23.45`, so `kiln - 0.5 rest = -0.525`" in text
    assert "`kiln - 0.5 rest > 0` fails, the answer would be NO" in text
    assert "differs from what is compared by a constant" in text
    assert "Both NO and YES are admissible" in text
    assert "The least value of `kiln` is 11.2 and the greatest 11.7: the two are the witness, in any order." in text
    text = told(task(INTAKE, {"kind": "yes_no", "target": target}, {**main, "limits": RANGE["limits"]}))
    assert "The least value of `kiln` is 11.2 and the greatest 11.75 (a limit, not reached)" in text
    del target["quantity"]
    text = told(task(INTAKE, {"kind": "yes_no", "target": target}, {**main, "constant": {}}))
    assert "The least value of `kiln - 0.5 rest` is -0.525 and the greatest -0.3" in text


def test_the_witness_of_a_number_is_two_answers_and_no_ends_are_told():
    text = told(task(INTAKE, {"kind": "number", "target": {"kiln": "1"}, "resolution": "1"}, RANGE))
    assert "least value" not in text


def test_two_worlds_alone_are_explained_and_a_bare_proof_is_read():
    data = task(INTAKE, {"kind": "number", "target": {"kiln": "1"}, "resolution": "1"}, {})
    data["certificate"]["proof"] = {"kind": "two_worlds", "worlds": RANGE["worlds"], "answers": ["11", "12"]}
    assert "Both 11 and 12 are admissible" in told(data)


LOADS = [
    ("2031-01-01", [[linear("D1.1.a", {"barge": "1", "cart": "1"}, ">=", "30", "requirement")]]),
    ("2031-01-02", [[linear("D2.1.a", {"barge": "1"}, "<=", "17", "requirement")]]),
    ("2031-01-03", [[linear("D3.1.a", {"cart": "1"}, "<=", "64/5", "requirement")]]),
]


def test_a_conflict_shows_the_contradiction_and_why_nothing_can_be_left_out():
    main = {
        "kind": "minimal_conflict",
        "members": ["D1.1", "D2.1", "D3.1"],
        "multipliers": {"D1.1.a": "1", "D2.1.a": "1", "D3.1.a": "1"},
        "worlds": {
            "D1.1": {"numbers": {"barge": "1", "cart": "1"}},
            "D2.1": {"numbers": {"barge": "20", "cart": "10"}},
            "D3.1": {"numbers": {"barge": "10", "cart": "20"}},
        },
    }
    text = told(task(LOADS, {"kind": "plan", "target": ["barge", "cart"]}, main))
    assert "- 1 times `-barge - cart <= -30` [D1.1]" in text
    assert "add up to `0 <= -0.2`, which is false" in text
    assert "[D1.1], [D2.1] and [D3.1] are the only minimal conflict" in text
    assert "- without [D2.1]: `barge = 20`, `cart = 10`" in text


def test_a_plan_is_shown_requirement_by_requirement():
    main = {"kind": "world", "world": {"numbers": {"barge": "17", "cart": "13"}}}
    text = told(task(LOADS, {"kind": "plan", "target": ["barge", "cart"]}, main))
    assert "`barge = 17`, `cart = 13`" in text
    assert "- [D1.1] `barge + cart >= 30`: 30" in text


def test_a_refutation_names_the_premise_and_the_documents():
    documents = [
        ("2031-01-01", [[linear("D1.1.a", {"mill": "1"}, "=", "71/5")]]),
        ("2031-01-02", [[linear("D2.1.a", {"forge": "1"}, "=", "141/10")]]),
    ]
    granted = linear("p1", {"forge": "1", "mill": "-1"}, ">", "0")
    main = {
        "kind": "refutation",
        "presupposition": 0,
        "documents": ["D1", "D2"],
        "multipliers": {"presupposed": "1", "D1.1.a": "-1", "D2.1.a": "1"},
        "worlds": {
            "D1": {"numbers": {"mill": "14", "forge": "141/10"}},
            "D2": {"numbers": {"mill": "71/5", "forge": "15"}},
        },
        "world": {"numbers": {"mill": "71/5", "forge": "141/10"}},
    }
    question = {"kind": "number", "target": {"kiln": "1"}, "resolution": "1", "presupposes": [granted]}
    text = told(task(documents, question, main))
    assert "takes for granted that `forge - mill > 0`" in text
    assert "1 times `-forge + mill < 0` what the question takes for granted" in text
    assert "add up to `0 < -0.1`, which is false." in text
    assert "Leave out any one of D1 and D2" in text
    assert "- without D1: `forge = 14.1`, `mill = 14`" in text
    assert "The documents by themselves agree: `forge = 14.1`, `mill = 14.2`." in text


def member(key, item):
    return {"id": key, "kind": "member", "item": item, "set": "roll", "holds": True}


ROLL = [
    (
        "2031-01-01",
        [
            [
                member("D1.1.a", "K-1"),
                attribute("D1.1.b", "K-1", "line", "north"),
                attribute("D1.1.c", "K-1", "grade", "C"),
            ],
            [member("D1.2.a", "K-2"), attribute("D1.2.b", "K-2", "line", "north")],
            [{"id": "D1.3.a", "kind": "order", "name": "grade", "values": ["A", "B", "C"]}],
            [{"id": "D1.4.a", "kind": "covers", "set": "roll", "scope": {"line": ["north", "south"]}}],
            [{"id": "D1.5.a", "kind": "size", "set": "roll", "op": "=", "value": "2"}],
        ],
    )
]
LISTED = {
    "kind": "list",
    "target": {
        "set": "roll",
        "where": [{"attribute": "line", "values": ["north"]}, {"attribute": "grade", "at_least": "B"}],
    },
}
ITEMS = {
    "K-1": {"status": "in", "facts": ["D1.1.b", "D1.1.c", "D1.3.a"]},
    "K-2": {"status": "undecided", "facts": []},
}


def test_an_enumeration_goes_through_the_items():
    main = {"kind": "enumeration", "items": ITEMS, "closed": ["D1.4.a", "D1.5.a"], "answer": None, "world": None}
    text = told(task(ROLL, LISTED, main, dial={"hops": 3}, rung="narrow"))
    assert "roll where line is north and grade is B or higher" in text
    assert "- K-1 is in: line of K-1 is north [D1.1]; grade of K-1 is C [D1.1]; grade runs over A, B, C [D1.3]" in text
    assert "- K-2 is undecided: nothing in force settles a condition" in text
    assert "The list is closed: roll holds everything of north and south [D1.4], roll has = 2 entries [D1.5]" in text
    assert "With K-2 undecided" in text
    assert "Dial: 3 facts have to be combined, which makes it narrow." in text


def test_totals_that_are_compared_show_the_least_and_the_greatest():
    amounts = {"numbers": {"K-1": "12", "K-2": "7/2"}}
    main = {"kind": "enumeration", "items": ITEMS, "closed": ["D1.4.a", "D1.5.a"], "answer": None, "world": amounts}
    where = [{"attribute": "line", "values": ["south"]}]
    target = {"total": LISTED["target"], "op": ">", "than": {"set": "roll", "where": where}}
    text = told(task(ROLL, {"kind": "yes_no", "target": target}, main))
    assert "The least value of the first total is 12 and the greatest 15.5: the two are the witness" in text
    settled = {**main, "items": {"K-1": ITEMS["K-1"]}}
    assert "least value" not in told(task(ROLL, {"kind": "yes_no", "target": target}, settled))


def test_an_open_list_shows_what_is_said_of_its_extent():
    main = {"kind": "enumeration", "items": ITEMS, "closed": None, "answer": None, "world": None}
    text = told(task(ROLL, LISTED, main))
    assert "The list is open" in text
    assert "- roll has = 2 entries [D1.5]" in text


@pytest.mark.parametrize(("answer", "shown"), [(["K-1", "K-2"], "K-1, K-2"), ([], "the empty list"), ("7/2", "3.5")])
def test_an_enumeration_with_an_answer_says_it(answer, shown):
    main = {"kind": "enumeration", "items": ITEMS, "closed": ["D1.4.a", "D1.5.a"], "answer": answer, "world": None}
    assert f"The answer is {shown}." in told(task(ROLL, LISTED, main))


def about(subject, period="asked"):
    return {"subject": subject, "period": period, "measure": "asked"}


def test_findings_go_through_the_documents():
    claim = {"direction": "at_least", "value": "25/2"}
    weak = {"direction": "at_least", "value": "62/5"}
    documents = [
        ("2031-01-01", [[{"id": "D1.1.a", "kind": "finding", "attributes": about("tern"), "bound": weak}]]),
        ("2031-01-02", [[{"id": "D2.1.a", "kind": "finding", "attributes": about("rook", "past"), "bound": claim}]]),
        (
            "2031-01-03",
            [[{"id": "D3.1.a", "kind": "contains", "attribute": "subject", "wider": "gulls", "narrower": "tern"}]],
        ),
    ]
    question = {"kind": "document", "target": {"attributes": about("tern"), "bound": claim}}
    failing = {"D1": ["bound"], "D2": ["subject", "period"], "D3": ["finding"]}
    main = {"kind": "findings", "documents": failing, "answer": None, "lower": None, "upper": None, "world": None}
    text = told(task(documents, question, main))
    assert "Asked is about at least 12.5 for subject tern" in text
    assert "- D1 has figures that are not enough (at least 12.4 for subject tern, period asked, measure asked)" in text
    assert "- D2 is about another subject and period (at least 12.5 for subject rook" in text
    assert "- D3 states no finding in force" in text
    assert "tern is part of gulls [D3.1]" in text
    assert "Nothing in force gives the answer." in text
    settled = {**main, "documents": {**failing, "D1": []}, "answer": "D1", "lower": "D1.1.a"}
    text = told(task(documents, question, settled))
    assert "- D1 establishes it" in text
    assert "The answer is D1." in text
    other = {
        "kind": "yes_no",
        "target": {"attributes": about("tern"), "op": ">", "than": {"attributes": about("rook")}},
    }
    assert "least value" not in told(task(documents, other, main))
    ends = {"lower": "D1.1.a", "upper": "D2.1.a"}
    text = told(task(documents, other, {**main, **ends}))
    assert "The least value of the first quantity is 12.4 and the greatest 12.5: the two are the witness" in text
    text = told(task(documents, other, {**main, "answer": "YES"}))
    assert "whether subject tern, period asked, measure asked is > subject rook" in text
    assert "The answer is YES." in text


def test_what_is_in_force_is_told_from_the_newest_notice_down():
    documents = [
        *INTAKE,
        ("2031-01-04", [[{"id": "D4.1.a", "kind": "retracts", "target": "D2", "scope": ["D2.1"]}]]),
        ("2031-01-05", [[{"id": "D5.1.a", "kind": "retracts", "target": "D4", "scope": None}]]),
        ("2031-01-06", [[{"id": "D6.1.a", "kind": "reinstates", "target": "D4", "scope": None}]]),
        ("2031-01-07", [[{"id": "D7.1.a", "kind": "corrects", "target": "D3", "scope": None}]]),
        ("2031-01-08", [[{"id": "D8.1.a", "kind": "retracts", "target": "D7", "scope": None}]]),
    ]
    defeats = [
        {"notice": "D4", "document": "D2", "without": {"kind": "dual_bounds", "answer": "11"}},
        {"notice": "D4", "document": "D1", "without": {"kind": "range", "answers": ["1", "2"]}},
        {"notice": "D4", "document": "D3", "without": {"kind": "world"}},
        {"notice": "D6", "document": "D3", "without": {"kind": "farkas", "multipliers": {"D1.1.a": "1"}}},
    ]
    question = {"kind": "number", "target": {"kiln": "1"}, "resolution": "1"}
    data = task(documents, question, RANGE, defeats=defeats)
    text = told(data)
    assert text.index("[D8.1]") < text.index("[D7.1] (") < text.index("[D4.1] (")
    assert "- [D8.1] (2031-01-08) withdraws D7: it counts and decides on [D7.1]." in text
    assert "- [D7.1] (2031-01-07) corrects D3: it is itself out of force, by [D8.1]." in text
    assert "- [D5.1] (2031-01-05) withdraws D4: it counts, but a newer notice decides." in text
    assert "withdraws [D2.1]: it counts (it was put back in force) and decides on [D2.1]." in text
    assert "So out of force: [D2.1], [D7.1]." in text
    assert "The same is in force as in the twin." in explain(data, data)
    assert "- D4 defeats D2. Without D4, the answer would be 11: this pair is a witness." in text
    assert "Without D4, no answer would follow either: this pair proves nothing." in text
    assert "Without D4, a plan would meet every requirement" in text
    assert "Without D6, what is in force could not all be true: this pair proves nothing." in text


def test_formulas_read_as_a_person_writes_them():
    assert expression({"x": "1", "y": "-1/2", "z": "3"}) == "x - 0.5 y + 3 z"
    assert expression({"x": "-1", "y": "-1/3"}) == "-x - 1/3 y"
    assert comparison({"terms": {"x": "-2"}, "op": "<", "rhs": "-1/4"}) == "-2 x < -0.25"


def test_the_edit_is_marked_where_it_is():
    first = "Same.\nThe Voss line took 12.4 kg_net.\nSame too."
    assert list(edit(first, first.replace("12.4", "12.6"))) == [
        "- The Voss line took **12.4** kg\\_net.",
        "- The Voss line took **12.6** kg\\_net.",
    ]
    assert list(edit("a\nb", "a")) == ["- gone: b"]


def test_the_page_shows_twins_edit_reasons_and_replies():
    text = "\n".join(page("certified_interval"))
    assert text == "\n".join(page("certified_interval"))
    assert "## `certified_interval`" in text
    assert "**Why the first is unbreakable**" in text
    assert "there is no attack" in text
    assert '`{"attack": "NO_ATTACK"}` | missed_attack | WRONG | -1 |' in text
    assert text.count("**The edit**") == 1


def test_the_page_in_docs_is_up_to_date():
    """`make docs` writes it."""
    assert (ROOT / "docs/gallery.md").read_text() == "\n".join(page()) + "\n"


def test_band_counts_are_those_of_the_task():
    made = ire.make_task("certified_interval", record="golden-ratio", tau="0.51")
    text = told(json.loads(made.to_json()))
    assert "9 of the accepted doubles lie outside the certificate" in text


def test_the_command_prints_the_page(capsys):
    assert run(["gallery", "--families", "certified_interval"]) == 0
    assert capsys.readouterr().out == "\n".join(page("certified_interval")) + "\n"
    assert run(["gallery", "--seed", "-1"]) == 2
    assert "seed=-1" in capsys.readouterr().err
