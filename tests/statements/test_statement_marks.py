"""What the draw says of each statement is what the certificate derives, for every family, label and kind."""

import ast
import collections
import json
import os
import statistics
import time
from pathlib import Path

import pytest
from listed import ASKED, cases, certified, control, pair

from impossible_rubrics_env.certificates.packet_proofs import prove
from impossible_rubrics_env.certificates.statements import KINDS, check_marks, mark
from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.taskgen import statement_facts, statement_list

COUNT = 40 if os.environ.get("ALL_SEEDS") else 12
"""Tasks of each family, kind and label."""


@pytest.mark.parametrize(("family", "kind"), ASKED)
def test_the_marks_of_the_draw_are_those_of_the_certificate(family, kind):
    for task, listed in cases(family, kind, COUNT):
        marked = mark(json.loads(task.to_json()), listed.statements)
        assert dict(marked.marks) == listed.marks, task.id
        assert marked.idle == set(listed.idle), task.id
        assert marked.ids == tuple(one["id"] for one in listed.statements)
        assert dict(marked.means) == {one["id"]: one["means"] for one in listed.statements}


@pytest.mark.parametrize(("family", "kind"), ASKED)
def test_a_list_has_what_every_list_has_and_an_honest_answer(family, kind):
    for task, listed in cases(family, kind, 6, seed=1):
        means = {one["id"]: one["means"] for one in listed.statements}
        counts = collections.Counter(one["kind"] for one in means.values())
        assert 13 <= len(means) <= 15
        assert counts.keys() <= {*KINDS}
        assert (counts["settled"], counts["ground"], counts["standing"], counts["premise"]) == (2, 3, 2, 1)
        assert counts["bound"] in ((1, 2) if kind == "number" else (0,))
        assert counts["cites"] in (2, 3)
        assert counts["hedge"] in (1, 2)
        assert counts["answer"] in ((2,) if kind == "yes_no" else (2, 3))
        assert len({one["obstruction"] for one in means.values() if one["kind"] == "ground"}) == 3
        assert len(listed.idle) >= 2
        required = [means[name] for name, given in listed.marks.items() if given == "required"]
        if task.label == "impossible":
            assert sorted(one["kind"] for one in required) == ["ground", "settled"]
        else:
            assert [one["kind"] for one in required] == ["answer"]
        notes = sorted(listed.marks[name] for name, one in means.items() if one["kind"] == "standing")
        assert notes == ["allowed", "false"]


@pytest.mark.parametrize(("family", "kind"), ASKED)
def test_twins_have_one_list_whichever_is_asked_first(family, kind):
    for place in range(6):
        impossible, hard = pair(family, kind, place, seed=2)
        first, second = statement_list.build(impossible, hard, "x"), statement_list.build(hard, impossible, "x")
        assert json.dumps(first.statements) == json.dumps(second.statements)
        assert first.marks != second.marks
        assert statement_list.build(impossible, hard, "x") == first
        assert statement_list.build(impossible, hard, "y").statements != first.statements


def test_controls_have_as_many_statements_of_each_kind_as_twins():
    for kind in ("number", "yes_no"):
        shares = {}
        for task, listed in (
            one for family, asked in ASKED if asked == kind for one in cases(family, kind, 30, seed=3)
        ):
            counts = collections.Counter(one["means"]["kind"] for one in listed.statements)
            shares.setdefault(task.label == "clear_positive", []).append(counts)
        means = [{name: sum(one[name] for one in counts) / len(counts) for name in KINDS} for counts in shares.values()]
        for name in KINDS:
            assert abs(means[0][name] - means[1][name]) < 0.15, (kind, name)


def test_the_grounds_of_a_list_do_not_tell_the_family():
    shown = {}
    for family, kind in ASKED:
        for task, listed in cases(family, kind, 12, seed=11):
            named = {one["means"]["obstruction"] for one in listed.statements if one["means"]["kind"] == "ground"}
            shown.setdefault((task.provenance["block"], kind), {}).setdefault(family, set()).add(frozenset(named))
    for (_, kind), families in shown.items():
        for family, named in families.items():
            assert family in frozenset.union(*named)
            assert len(named) == 1 or kind == "list"
            assert kind == "list" or named == next(iter(families.values()))


def test_a_list_needs_twins_or_a_clear_control():
    impossible, hard = pair("false_premise", "number", 0)
    for tasks in (
        (impossible, None),
        (hard, None),
        (impossible, impossible),
        (hard, control("false_premise", "number", 0)),
    ):
        with pytest.raises(ArgumentError):
            statement_list.build(*tasks, "x")


def test_neither_side_uses_the_other():
    root = Path(statement_list.__file__).resolve().parents[1]

    def imported(path):
        return {node.module for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)}

    for path in (root / "taskgen").glob("statement_*.py"):
        assert not any("certificates" in name for name in imported(path)), path
    assert not any("taskgen" in name for name in imported(root / "certificates/statements.py"))


def test_the_proved_ends_hold_what_the_draw_knows():
    seen = collections.Counter()
    for family, kind in ASKED:
        for place in range(8):
            for task in pair(family, kind, place, seed=4):
                ends = prove(json.loads(task.to_json())).ends
                known = statement_facts.read(task)
                if kind != "number" or known.main["kind"] in ("refutation", "minimal_conflict"):
                    assert ends == (None, None, False)
                    continue
                seen[known.main["kind"]] += 1
                if known.main["kind"] == "dual_bounds":
                    value = statement_facts.evaluate(task.question["target"], known.main["world"]["numbers"])
                    assert not ends.exact
                    assert ends.low.numerator <= value * ends.low.denominator
                    assert ends.high.numerator >= value * ends.high.denominator
                    continue
                assert ends.exact
                for end, same in zip(ends[:2], statement_facts.ends(known), strict=True):
                    assert (end is None) == (same is None)
                    assert end is None or end.numerator == same * end.denominator
    assert seen.keys() == {"dual_bounds", "range", "enumeration", "findings"}


def test_a_task_about_a_list_is_checked_whole():
    impossible, hard = pair("counterevidence_trap", "yes_no", 0)
    listed = statement_list.build(impossible, hard, "x")
    assert dict(check_marks(certified(impossible, listed)).marks) == listed.marks


def test_a_list_takes_a_millisecond():
    pairs = [pair(family, "any", place, seed=10) for family, kind in ASKED if kind == "number" for place in range(5)]
    times = []
    for _ in range(3):
        for impossible, hard in pairs:
            start = time.process_time()
            statement_list.build(impossible, hard, "x")
            times.append(time.process_time() - start)
    assert statistics.median(times) < 0.002  # twice what is promised: a busy machine is slower
