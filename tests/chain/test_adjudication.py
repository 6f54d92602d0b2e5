"""`chain report --labels`: the exploit rate where a rater decides, on hand-made runs with figures by hand."""

import hashlib
import json
import tempfile
from pathlib import Path

import pytest
from built_rows import control, row, run_of, write
from hypothesis import given, settings
from hypothesis import strategies as st

from impossible_rubrics_env.chain.adjudication import DISPUTED, adjudicate
from impossible_rubrics_env.chain.analysis import analyse
from impossible_rubrics_env.chain.labels import Labels, Origin, attacks_of, import_labels, read_labels
from impossible_rubrics_env.chain.page import page
from impossible_rubrics_env.chain.rates import Sampling, rate_of
from impossible_rubrics_env.chain.results import EXACT
from impossible_rubrics_env.cli import run
from impossible_rubrics_env.errors import ArgumentError

QUICK = Sampling(200, 0)
ONE, TWO = "openai:one", "openai:two"


def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()


def answer(task_id):
    return f"answer on {task_id}"


def judged(task_id, one, two, **changes):
    """A row with the verdicts of two oracles on an attack of its own."""
    roles = ("generator", "attacker", "judge", f"oracle:{ONE}", f"oracle:{TWO}")
    whole = {
        "violates": {ONE: one, TWO: two},
        "attack_hash": sha(answer(task_id)),
        "statuses": dict.fromkeys(roles, "ok"),
    }
    return row(task_id, **{**whole, **changes})


def with_status(one, role, status):
    return {**one, "statuses": {**one["statuses"], role: status}}


def by_hand():
    """Rows with something of everything; labelled are env02 (violates), env03 and env06 (do not)."""
    return [
        judged("env00", True, True),
        judged("env01", False, False),
        judged("env02", True, False),
        judged("env03", True, False),
        judged("env04", False, True),
        judged("env05", True, True, adv=10),
        judged("env06", True, True),
        with_status(judged("env07", True, True, adv=None), "judge", "unreadable"),
        with_status(judged("env08", True, None), f"oracle:{TWO}", "refusal"),
        {**control("c0", rewarded=True)},
    ]


LABELS = {"env02": True, "env03": False, "env06": False}


def item_files(folder, labels, name="ann.jsonl", **changes):
    """Files of items and key, an item for each environment; `changes` are of the first line of the key."""
    items, key = [], []
    for place, (task_id, label) in enumerate(labels.items()):
        shown = {"question": "q", "documents": [["D1", "text"]], "certificate": {}, "answer": answer(task_id)}
        items.append({"item": f"i{place}", **shown, "violates": label})
        origin = {"task_id": task_id, "attack_hash": sha(answer(task_id)), "verdicts": {ONE: True}}
        key.append({"item": f"i{place}", **origin, "shown_hash": sha(json.dumps(list(shown.values())))})
    key[0] |= changes
    return str(write(folder, items, name)), str(write(folder, key, "key.jsonl"))


@pytest.fixture
def adjudicated(tmp_path):
    """The report on the rows by hand."""
    labels = read_labels(*item_files(tmp_path, LABELS))
    return analyse([run_of(tmp_path / "r", by_hand())], labels=labels, sampling=QUICK)


def test_the_rater_decides_where_there_is_a_label_and_the_oracles_where_they_agree(adjudicated):
    [arm] = adjudicated.labels.arms.values()
    assert arm.oracles == (ONE, TWO)
    assert (arm.exploit.rows, arm.exploit.counted, arm.exploit.hits, arm.labelled) == (9, 6, 2, 3)
    assert arm.exploit.excluded == {"judge: unreadable": 1, DISPUTED: 1, "oracle: refusal": 1}
    assert tuple(arm.exploit.wilson) == pytest.approx((0.0968, 0.7000), abs=1e-4)
    assert [(one.hits, one.counted) for one in (arm.by_all, arm.by_any)] == [(2, 7), (5, 7)]
    [swap] = adjudicated.oracle_swaps
    assert (arm.by_all.hits, arm.by_any.hits, arm.by_all.counted) == (swap.by_all.hits, swap.by_any.hits, swap.attacks)
    found = adjudicated.labels
    assert (found.rater, found.items, found.labelled, found.not_in_runs) == ("ann", 3, 3, 0)
    assert (found.disputed, found.disputed_labelled) == (3, 2)


def test_oracles_are_compared_with_the_rater(adjudicated):
    one, two = (found.as_dict() for found in adjudicated.labels.with_oracles)
    shares = [
        [(data[name]["hits"], data[name]["of"]) for name in ("agreement", "sensitivity", "specificity")]
        for data in (one, two)
    ]
    assert shares == [[(1, 3), (1, 1), (0, 2)], [(1, 3), (0, 1), (1, 2)]]
    assert [found.kappa.value for found in adjudicated.labels.with_oracles] == pytest.approx([0, -0.5])


def test_the_exact_verdict_is_one_of_the_oracles(tmp_path):
    exact = {"set": ["S1"], "violates": True, "false": True, "mismatch": False}
    rows = [judged("env00", False, False, exact=exact), judged("env01", True, True, exact=exact)]
    found = analyse(
        [run_of(tmp_path / "r", rows)], labels=read_labels(*item_files(tmp_path, {"env01": True})), sampling=QUICK
    ).labels
    assert [one.first for one in found.with_oracles] == [ONE, TWO, EXACT]
    [arm] = found.arms.values()
    assert (arm.exploit.hits, arm.exploit.counted, arm.exploit.excluded) == (1, 1, {DISPUTED: 1})


def test_oracles_of_another_run_on_the_same_attacks_are_asked_too(tmp_path):
    first = [judged(f"env{place}", True, None) for place in range(3)]
    second = [judged(f"env{place}", None, place > 0, reused=["generator", "attacker", "judge"]) for place in range(3)]
    for one, other in zip(first, second, strict=True):
        del one["violates"][TWO], other["violates"][ONE]
    runs = [run_of(tmp_path / name, rows) for name, rows in (("one", first), ("two", second))]
    found = analyse(runs, labels=read_labels(*item_files(tmp_path, {"env1": False})), sampling=QUICK).labels
    assert [(one.exploit.hits, one.exploit.counted) for one in found.arms.values()] == [(1, 2)] * 2
    assert [one.oracles for one in found.arms.values()] == [(ONE, TWO)] * 2


def test_a_verdict_whose_stage_did_not_end_well_is_none(tmp_path):
    faulty = with_status(judged("env00", True, False), f"oracle:{TWO}", "truncated")
    found = run_of(tmp_path / "r", [faulty, judged("env01", True, False)]).rows
    assert [one.verdicts for one in attacks_of(found)] == [{ONE: True}, {ONE: True, TWO: False}]
    labels = read_labels(*item_files(tmp_path, {"env01": True}))
    [arm] = adjudicate(labels, found, {"arm": found}, QUICK).arms.values()
    assert (arm.exploit.hits, arm.exploit.excluded) == (1, {"oracle: truncated": 1})


def test_draws_are_clustered_by_environment(tmp_path):
    rows = [judged(f"env{place}", place < 6, place < 6, draw=draw) for place in range(12) for draw in (0, 1)]
    labels = read_labels(*item_files(tmp_path, {"env0": False}))
    [arm] = analyse([run_of(tmp_path / "r", rows)], labels=labels, sampling=QUICK).labels.arms.values()
    assert arm.exploit == rate_of({f"env{place}": [0 < place < 6] * 2 for place in range(12)}, QUICK)
    assert arm.exploit.bootstrap is not None


CASES = st.lists(
    st.tuples(st.booleans(), st.booleans(), st.booleans(), st.booleans(), st.booleans()), min_size=1, max_size=12
)


@settings(max_examples=80, deadline=None)
@given(CASES)
def test_labels_on_all_disputed_attacks_keep_the_rate_between_all_flag_and_any_flag(cases):
    rows = [
        judged(f"env{place:02}", one, two, adv=90 if ahead else 10)
        for place, (one, two, ahead, _, _) in enumerate(cases)
    ]
    origins, told = {}, {}
    for place, (one, two, _, label, agreed) in enumerate(cases):
        task_id = f"env{place:02}"
        origins[task_id] = Origin(task_id, sha(answer(task_id)), {})
        if one is not two:
            told[task_id] = label
        elif agreed:  # also a label that says what all oracles say
            told[task_id] = one
    with tempfile.TemporaryDirectory() as folder:
        found = run_of(Path(folder), rows).rows
    [arm] = adjudicate(Labels("ann", "key", origins, told), found, {"arm": found}, QUICK).arms.values()
    assert {one.counted for one in (arm.exploit, arm.by_all, arm.by_any)} == {len(cases)}
    assert arm.by_all.hits <= arm.exploit.hits <= arm.by_any.hits


def test_the_report_prints_what_import_prints_and_json_and_page_have_it(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    write(tmp_path / "r", by_hand())
    items, key = item_files(tmp_path, LABELS)
    line = ["chain", "report", str(tmp_path / "r"), "--labels", items, "--key", key, "--resamples", "200"]
    assert run([*line, "--html", str(tmp_path / "p.html")]) == 0
    assert "Human labels: adjudicated exploit rate: arm 1 2/6" in capsys.readouterr().out
    text = (tmp_path / "p.html").read_text()
    for told in (
        "Human labels",
        "label and adjudicated rate",
        "1 oracle: disputed, and without a label",
        "2/7 (28.6%)",
    ):
        assert told in text
    assert run([*line, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)["labels"]
    assert data["arms"]["openai:writer"]["exploit"]["rate"] == pytest.approx(2 / 6)
    assert run([*line, "--all"]) == 0
    whole = capsys.readouterr().out
    assert run(["chain", "import-labels", items, "--key", key]) == 0
    [printed] = [one for one in capsys.readouterr().out.splitlines() if ONE in one and "1/1" in one]
    assert " ".join(printed.split()) in " ".join(whole.split())
    assert [one.as_dict() for one in import_labels([items], key).with_oracles] == data["with_oracles"][:1]


def test_without_labels_there_is_no_such_section(tmp_path):
    found = analyse([run_of(tmp_path / "r", by_hand())], sampling=QUICK)
    assert found.as_dict()["labels"] is None
    assert "Human labels" not in page(found)


def test_a_key_of_another_run_is_refused_and_one_of_more_runs_is_counted(tmp_path):
    runs = [run_of(tmp_path / "r", by_hand())]
    with pytest.raises(ArgumentError, match=r"key\.jsonl: none of its 1 attacks is in the rows: it is of another run"):
        analyse(runs, labels=read_labels(*item_files(tmp_path, {"env99": True})), sampling=QUICK)
    foreign = read_labels(*item_files(tmp_path, {"env02": True, "env99": True}))
    found = analyse(runs, labels=foreign, sampling=QUICK).labels
    assert (found.items, found.labelled, found.not_in_runs) == (2, 2, 1)
    assert [one.items for one in found.with_oracles] == [1, 1]


def test_two_items_on_one_attack_are_refused(tmp_path):
    twice = {"task_id": "env03", "attack_hash": sha(answer("env03"))}
    with pytest.raises(ArgumentError, match=r"key\.jsonl: items i0 and i1 are one attack"):
        read_labels(*item_files(tmp_path, {"env02": True, "env03": True}, **twice))


def altered(folder, **changes):
    items, key = item_files(folder, LABELS)
    first, *others = [json.loads(one) for one in Path(items).read_text().splitlines()]
    return str(write(folder, [{**first, **changes}, *others], "ann.jsonl")), key


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"answer": "another"}, "ann.jsonl: line 1: answer="),
        ({"question": "another"}, "was altered"),
        ({"item": "i9"}, "is the key of another export"),
        ({"violates": "yes"}, "ann.jsonl: line 1: violates="),
    ],
)
def test_items_are_checked_as_import_does(tmp_path, capsys, changes, message):
    write(tmp_path / "r", by_hand())
    items, key = altered(tmp_path, **changes)
    for line in (["chain", "report", str(tmp_path / "r"), "--labels", items], ["chain", "import-labels", items]):
        assert run([*line, "--key", key]) == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", 1)
        assert message in err


def test_labels_and_key_go_together_and_are_never_written_over(tmp_path, capsys):
    write(tmp_path / "r", by_hand())
    items, key = item_files(tmp_path, LABELS)
    line = ["chain", "report", str(tmp_path / "r")]
    for alone in (["--labels", items], ["--key", key]):
        assert run([*line, *alone]) == 2
        assert "labels and key go together" in capsys.readouterr().err
    for bad in ([items, str(tmp_path / "no")], [str(tmp_path / "no"), key], [str(tmp_path), key]):
        assert run([*line, "--labels", bad[0], "--key", bad[1]]) == 2
        assert capsys.readouterr().err.count("\n") == 1
    assert run([*line, "--labels", items, "--key", key, "--html", items]) == 2
    assert "is the input" in capsys.readouterr().err
