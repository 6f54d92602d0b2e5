"""Scoring files: what is counted, what is named, what is refused, and what stays in memory."""

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import impossible_rubrics_env as ire
from impossible_rubrics_env import rollouts as reader
from impossible_rubrics_env.rollouts import Finding
from impossible_rubrics_env.score import UNSCORED, score_files

UNSURE = '<answer>{"attack": "UNSURE"}</answer>'


def counts(report):
    return dict(report.findings.counts)


def lines(report, finding):
    return [issue.place.line for issue in report.findings.first[finding]]


def verdicts(report):
    return {name: count for name, count in report.overall.total().as_dict()["verdicts"].items() if count}


def row(task, reply, **fields):
    return {"task": task.to_json(), "reply": reply, **fields}


def changed(task, **fields):
    """The task's JSON with other contents."""
    return json.dumps({**json.loads(task.to_json()), **fields})


def test_five_replies_get_five_grades_in_their_order(breakable, right, save, tmp_path):
    replies = [right, "", "I don't know.", right, right[:-12]]
    out = tmp_path / "graded.jsonl"
    score_files([save(*(row(breakable, reply, rollout=n) for n, reply in enumerate(replies)))], out=out)
    graded = [json.loads(line) for line in out.read_text().splitlines()]
    assert [item["grade"]["reward"] for item in graded] == [1, 0, 0, 1, 0]
    assert [item["place"].rpartition(":")[2] for item in graded] == ["1", "2", "3", "4", "5"]
    assert {item["task_id"] for item in graded} == {breakable.id}


def test_unreadable_replies_are_a_number_of_their_own(breakable, right, wrong, save):
    miss = '<answer>{"attack": 1.7976931348623157e308}</answer>'
    replies = [right] * 3 + [wrong] * 2 + [miss] + ["no idea"] * 4
    report = score_files([save(*(row(breakable, reply, rollout=n) for n, reply in enumerate(replies)))])
    assert verdicts(report) == {"SOLVED": 3, "WRONG": 2, "UNSUPPORTED": 1, "REFUSED_PARSE": 4}
    assert report.overall.total().mean_reward == pytest.approx(0.1)


def test_errors_stand_beside_the_rates_and_not_in_them(breakable, right, wrong, save):
    rows = [row(breakable, right, rollout=n) for n in range(2)] + [
        row(breakable, wrong, rollout=n) for n in range(2, 6)
    ]
    report = score_files([save(*rows, *({"task_id": breakable.id, "error": "500", "rollout": n} for n in (6, 7)))])
    total = report.overall.total()
    assert (total.solved, total.graded, total.failed) == (2, 6, 2)
    assert report.complete


def test_one_row_a_thousand_times_counts_once(breakable, right, save):
    path = save(*[row(breakable, right)] * 1000)
    report = score_files([path])
    assert (verdicts(report), counts(report)) == ({"SOLVED": 1}, {Finding.DUPLICATE: 999})
    assert lines(report, Finding.DUPLICATE) == [2, 3, 4, 5, 6]
    assert report.complete
    assert counts(score_files([path, path])) == {Finding.DUPLICATE: 1999}


@pytest.mark.parametrize(
    ("first", "second", "rollouts"),
    [
        ({"reply": "a"}, {"reply": "b"}, 2),
        ({"reply": "a"}, {"reply": "a"}, 1),
        ({"reply": "a", "at": 1}, {"reply": "a", "at": 2}, 2),
        ({"reply": "a", "rollout": 0}, {"reply": "a", "rollout": 1}, 2),
        ({"reply": "a", "rollout": 0}, {"reply": "late", "rollout": 0}, 1),
        ({"reply": "a", "attempt": 0}, {"reply": "a", "attempt": 1}, 2),
        ({"reply": "a", "rollout": 0, "attempt": 0}, {"reply": "a", "rollout": 0, "attempt": 1}, 2),
        ({"error": "500", "rollout": 0}, {"reply": "a", "rollout": 0}, 2),
    ],
)
def test_rollouts_of_one_task_are_told_apart(first, second, rollouts, breakable, save):
    report = score_files([save({"task_id": breakable.id, **first}, {"task_id": breakable.id, **second})])
    total = report.overall.total()
    assert total.graded + total.failed == rollouts
    assert report.findings.counts[Finding.DUPLICATE] == 2 - rollouts


def test_the_same_rollout_number_of_another_task_is_no_duplicate(twins, save):
    rows = [{"task_id": task.id, "reply": "x", "rollout": 0} for task in twins]
    assert counts(score_files([save(*rows)])) == {}


def test_two_tasks_of_one_id_are_refused_with_both_places(breakable, twins, right, save, tmp_path):
    impostor = changed(twins[2], id=breakable.id)
    out = tmp_path / "graded.jsonl"
    first = save(row(twins[4], right), row(breakable, right))
    second = save({"task": impostor, "reply": right}, name="second.jsonl")
    with pytest.raises(ire.ArgumentError, match=r"rows.jsonl:2 and .*second.jsonl:1 hold two different tasks"):
        score_files([first, second], out=out)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rows.jsonl", "second.jsonl"]
    with pytest.raises(ire.ArgumentError, match="two different tasks"):
        score_files([second], tasks=save(json.loads(breakable.to_json()), name="tasks.jsonl"))


def test_the_same_task_in_another_notation_is_the_same_task(breakable, right, save):
    other = json.dumps(dict(reversed(json.loads(breakable.to_json()).items())), indent=1)
    report = score_files([save(row(breakable, right), {"task": other, "reply": right})])
    assert (report.tasks, report.complete) == (1, True)


def broken(task, step):
    data = json.loads(task.to_json())
    step(data)
    return data


@pytest.mark.parametrize(
    "step",
    [
        lambda data: data["certificate"].pop("proof"),
        lambda data: data["certificate"]["proof"].pop("accepted"),
        lambda data: data["certificate"]["proof"].update(kind="trust-me"),
        lambda data: data["certificate"]["proof"].update(room="5"),
        lambda data: data["certificate"].update(proof=None),
        lambda data: data.update(room="0"),
        lambda data: data.update(room=5),
        lambda data: data.update(certificate="x"),
        lambda data: data.update(family="other"),
        lambda data: data.pop("prompt"),
        lambda data: data.update(reward=1),
        lambda data: data["params"].update(scheme=["seed"]),
        lambda data: data["params"].update(scheme="all-ones"),
        lambda data: data["params"].update(penalty="-1"),
    ],
)
def test_a_broken_task_never_pays(step, breakable, right, save):
    data = broken(breakable, step)
    report = score_files([save({"task": data, "reply": right}, {"task": json.dumps(data), "reply": right})])
    assert counts(report) == {Finding.REFUSED_TASK: 2}
    assert (report.overall.groups, report.complete) == ({}, False)


@pytest.mark.parametrize("text", ["", "{", "[]", "[" * 100_000, '{"format": NaN}', '{"format": ' + "9" * 5000 + "}"])
def test_a_task_that_is_no_task_is_named(text, save):
    assert counts(score_files([save({"task": text, "reply": "x"})])) == {Finding.REFUSED_TASK: 1}


def test_a_task_id_beside_another_task_is_refused(breakable, twins, right, save):
    other = next(task for task in twins if task.id != breakable.id)
    report = score_files([save(row(breakable, right, task_id=other.id))])
    assert counts(report) == {Finding.REFUSED_TASK: 1}


@pytest.mark.parametrize(
    ("name", "finding"),
    [
        ("certified_interval@0/train/0/1", Finding.OTHER_VERSION),
        ("certified_interval@99/train/0/1?mix=balanced", Finding.OTHER_VERSION),
        ("certified_intervall@1/train/0/1", Finding.UNKNOWN_TASK),
        ("certified_interval@1/train/0/-1", Finding.UNKNOWN_TASK),
        ("certified_interval@1/train/0/1?colour=red", Finding.UNKNOWN_TASK),
        ("", Finding.UNKNOWN_TASK),
        ("x" * 10_000, Finding.UNKNOWN_TASK),
        ("\ud835\x1b[31m", Finding.UNKNOWN_TASK),
    ],
)
def test_an_id_that_this_package_cannot_build_is_named(name, finding, save):
    report = score_files([save({"task_id": name, "reply": "x"})])
    assert counts(report) == {finding: 1}
    assert report.findings.first[finding][0].detail.isascii()
    assert report.findings.first[finding][0].detail.isprintable()


ODD = "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029\r"


@pytest.mark.parametrize("ensure_ascii", [True, False])
@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
def test_lines_end_at_line_feeds_only(ensure_ascii, ending, breakable, right, save):
    text = json.dumps(row(breakable, ODD + right + ODD), ensure_ascii=ensure_ascii).encode()
    report = score_files([save(text + ending, b"\xff" + ending, text.replace(b"{", b'{"rollout": 1, ', 1) + ending)])
    assert verdicts(report) == {"SOLVED": 2}
    assert counts(report) == {Finding.UNREADABLE_LINE: 1}
    assert lines(report, Finding.UNREADABLE_LINE) == [2]


def test_a_lone_surrogate_is_graded_and_written(breakable, right, save, tmp_path):
    out = tmp_path / "graded.jsonl"
    report = score_files([save(row(breakable, "\ud835 " + right))], out=out)
    assert verdicts(report) == {"SOLVED": 1}
    assert out.read_bytes().isascii()


@pytest.mark.parametrize(
    ("line", "finding"),
    [
        (b"{\n", Finding.UNREADABLE_LINE),
        (b"\x00\n", Finding.UNREADABLE_LINE),
        (b"[" * 100_000 + b"\n", Finding.UNREADABLE_LINE),
        (b'{"reply": ' + b"9" * 5000 + b"}\n", Finding.UNREADABLE_LINE),
        (b'{"reply": "a", "reply": "b", "task_id": "x"}\n', Finding.UNREADABLE_LINE),
        (b'{"task_id": "x", "reply": "a", "reward": NaN}\n', Finding.NOT_FINITE),
        (b'{"task_id": "x", "reply": "a", "reward": -Infinity}\n', Finding.NOT_FINITE),
        (b'{"task_id": "x", "reply": "a", "reward": 1e400}\n', Finding.NOT_FINITE),
        (b'{"task_id": "x", "reply": "a", "reward": 1' + b"0" * 400 + b"}\n", Finding.NOT_FINITE),
        (b'{"nodes": [], "rewards": {"a": {"score": 1e300, "weight": 1e300}}}\n', Finding.NOT_FINITE),
        (b"\n", Finding.BLANK_LINE),
        (b" \r\n", Finding.BLANK_LINE),
    ],
)
def test_a_bad_line_is_named_and_leaves_its_neighbours_alone(line, finding, breakable, right, save):
    report = score_files([save(row(breakable, right, rollout=1), line, row(breakable, right, rollout=2))])
    assert (verdicts(report), counts(report)) == ({"SOLVED": 2}, {finding: 1})
    assert lines(report, finding) == [2]
    assert report.complete == (finding is Finding.BLANK_LINE)


def test_a_truncated_last_line_is_named_and_a_whole_one_without_line_feed_is_scored(breakable, right, save):
    report = score_files([save(row(breakable, right), b'{"id": 7, "repl')])
    assert (verdicts(report), counts(report)) == ({"SOLVED": 1}, {Finding.TRUNCATED_LINE: 1})
    assert lines(report, Finding.TRUNCATED_LINE) == [2]
    report = score_files([save(json.dumps(row(breakable, right)).encode())])
    assert (verdicts(report), report.complete) == ({"SOLVED": 1}, True)


def test_a_byte_order_mark_at_the_start_of_a_file_is_no_error(breakable, right, save):
    report = score_files([save(b"\xef\xbb\xbf", row(breakable, right))])
    assert (verdicts(report), counts(report)) == ({"SOLVED": 1}, {})


@pytest.mark.parametrize("ended", [True, False])
def test_a_line_beyond_the_bound_is_passed_over(ended, breakable, right, save, monkeypatch):
    good = row(breakable, right)
    monkeypatch.setattr(reader, "MAX_LINE_BYTES", 10_000)
    long = b'{"reply": "' + b"x" * 3_000_000 + b'"}' + b"\n" * ended
    seen = []
    path = save({**good, "rollout": 1}, long, *[{**good, "rollout": 2}] * ended)
    report = score_files([path], on_bytes=seen.append)
    assert counts(report) == {Finding.LONG_LINE: 1}
    assert verdicts(report) == {"SOLVED": 1 + ended}
    assert sum(seen) == path.stat().st_size


def test_a_line_of_exactly_the_bound_is_read(breakable, right, save, monkeypatch):
    line = json.dumps(row(breakable, right)).encode()
    for ending in (b"", b"\n"):
        monkeypatch.setattr(reader, "MAX_LINE_BYTES", len(line))
        assert verdicts(score_files([save(line + ending)])) == {"SOLVED": 1}
        monkeypatch.setattr(reader, "MAX_LINE_BYTES", len(line) - 2)
        assert counts(score_files([save(line + ending)])) == {Finding.LONG_LINE: 1}


@pytest.mark.parametrize("length", [400, 10_000, 5_000_000])
def test_a_long_tail_does_not_change_the_grade(length, breakable, right, save):
    assert verdicts(score_files([save(row(breakable, right + "x" * length))])) == {"SOLVED": 1}


def test_unknown_fields_of_plain_rows_are_named_and_the_row_is_scored(breakable, right, save):
    report = score_files([save(row(breakable, right, colour="red", é=1))])
    assert (verdicts(report), counts(report)) == ({"SOLVED": 1}, {Finding.UNKNOWN_FIELD: 1})
    assert report.findings.first[Finding.UNKNOWN_FIELD][0].detail == "colour, \\xe9"


def test_a_plain_row_without_reply_or_error_is_unreadable_and_named(breakable, save):
    report = score_files([save({"task_id": breakable.id, "response": "x"}, {"task_id": breakable.id, "reply": None})])
    assert verdicts(report) == {"REFUSED_PARSE": 2}
    assert counts(report) == {Finding.NO_REPLY: 2, Finding.UNKNOWN_FIELD: 1}


def test_tasks_without_a_row_are_named(twins, save):
    tasks = save(*(json.loads(task.to_json()) for task in twins), name="tasks.jsonl")
    rows = save(*({"task_id": task.id, "reply": "x"} for task in twins[:13]))
    report = score_files([rows], tasks=tasks)
    assert counts(report) == {Finding.MISSING_TASK: 7}
    first = report.findings.first[Finding.MISSING_TASK][0]
    assert (report.place(first.place), first.detail) == (f"{tasks}:14", repr(twins[13].id))
    assert not report.complete


def test_rows_of_tasks_that_were_not_expected_are_named_and_scored(twins, save):
    tasks = save(json.loads(twins[0].to_json()), b"\n", name="tasks.jsonl")
    report = score_files([save(*({"task_id": task.id, "reply": "x"} for task in twins[:3]))], tasks=tasks)
    assert counts(report) == {Finding.UNEXPECTED_TASK: 2}
    assert report.overall.total().graded == 3


def test_a_task_named_by_id_is_taken_from_the_file_of_tasks(breakable, right, save, monkeypatch):
    from impossible_rubrics_env.taskgen import registry

    monkeypatch.setattr(registry, "rebuild", None)
    tasks = save(json.loads(breakable.to_json()), name="tasks.jsonl")
    report = score_files([save({"task_id": breakable.id, "reply": right})], tasks=tasks)
    assert verdicts(report) == {"SOLVED": 1}


@pytest.mark.parametrize("line", [b"{}\n", b"x", b'{"task": 1}\n', b"[1]\n", b"\xff\n"])
def test_a_file_of_tasks_with_a_bad_line_is_refused(line, breakable, save):
    tasks = save(json.loads(breakable.to_json()), line, name="tasks.jsonl")
    with pytest.raises(ire.ArgumentError, match=r"tasks.jsonl:2: not a task"):
        score_files([save()], tasks=tasks)


def test_fewer_tasks_or_rollouts_than_expected_are_counted(twins, save):
    rows = [{"task_id": task.id, "reply": "x", "rollout": n} for task in twins[:3] for n in range(2)]
    report = score_files([save(*rows[:-1])], expect=5, rollouts=2)
    assert counts(report) == {Finding.MISSING_TASK: 2, Finding.MISSING_ROLLOUT: 1}
    assert report.findings.first[Finding.MISSING_ROLLOUT][0].detail == "1 of 2 rows"
    assert counts(score_files([save(*rows)], expect=3, rollouts=2)) == {}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"paths": []}, "no file"),
        ({"scheme": "fair"}, "unknown scheme='fair'"),
        ({"expect": 0}, "expect=0"),
        ({"rollouts": -1}, "rollouts=-1"),
        ({"expect": 1, "tasks": "x"}, "one of them"),
        ({"out": "x"}, "one of the files"),
        ({"out": "/dev/null"}, "not a regular file"),
        ({"out": "/"}, "not a regular file"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ire.ArgumentError, match=message):
        score_files(**{"paths": ["x"], **arguments})


def test_files_that_cannot_be_read_or_written_are_os_errors(breakable, right, save, tmp_path):
    for path in (tmp_path / "none.jsonl", tmp_path):
        with pytest.raises(OSError, match=str(path)):
            score_files([path])
    with pytest.raises(OSError, match="no-such-folder"):
        score_files([save(row(breakable, right))], out=tmp_path / "no-such-folder/out.jsonl")


def test_the_output_appears_only_when_all_is_done(breakable, right, save, tmp_path):
    out = tmp_path / "graded.jsonl"
    out.write_text("earlier\n")
    with pytest.raises(OSError, match="none"):
        score_files([save(row(breakable, right)), tmp_path / "none.jsonl"], out=out)
    assert out.read_text() == "earlier\n"
    score_files([save(row(breakable, right), {"task_id": breakable.id, "error": "x"})], out=out)
    graded = [json.loads(line) for line in out.read_text().splitlines()]
    assert [(item["failed"], item["grade"] and item["grade"]["verdict"]) for item in graded] == [
        (False, "SOLVED"),
        (True, None),
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["graded.jsonl", "rows.jsonl"]


def test_a_link_to_the_output_stays_a_link(breakable, right, save, tmp_path):
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "graded.jsonl")
    score_files([save(row(breakable, right))], out=tmp_path / "link.jsonl")
    assert (tmp_path / "link.jsonl").is_symlink()
    assert len((tmp_path / "graded.jsonl").read_text().splitlines()) == 1


def test_schemes_change_rewards_and_not_what_the_stored_reward_is_compared_with(breakable, save):
    path = save(row(breakable, "unreadable", reward=0))
    for scheme, mean in ((None, 0), ("seed", 0), ("train", -1), ("unit", 0)):
        report = score_files([path], scheme=scheme)
        assert (report.overall.total().mean_reward, counts(report)) == (mean, {})


def test_a_task_is_paid_by_its_own_scheme_and_stakes(wrong, save):
    task = next(
        task
        for task in ire.generate("attack", n=20, mix="balanced", scheme="train", penalty="3/2", abstain=True)
        if task.room
    )
    rows = [row(task, "unreadable", reward=-1.5), row(task, wrong, reward=-1.5), row(task, UNSURE, reward=0)]
    report = score_files([save(*rows)])
    assert (report.overall.total().reward, counts(report)) == (-3.0, {})
    assert report.overall.total().shares()["unsure"] == 1


def test_twins_pair_rollout_by_rollout(twins, save):
    """Two rollouts of one half are no pair; the n-th of one half goes with the n-th of the other."""
    pair = [task for task in twins if task.pair_id == twins[0].pair_id]
    replies = [next(answer["reply"] for answer in task.answers if answer["type"] == "correct") for task in pair]
    first = [row(pair[0], replies[0], rollout=n) for n in range(3)]
    second = [row(pair[1], replies[1] if n else "x", rollout=n) for n in range(3)]
    assert score_files([save(*first)]).overall.pairs == 0
    for rows in (first + second, [item for both in zip(first, second, strict=True) for item in both], second + first):
        overall = score_files([save(*rows)]).overall
        assert (overall.pairs, overall.pairs_solved) == (3, 2)


def test_a_careful_player_is_perfect_in_every_figure(twins, save):
    from impossible_rubrics_env.reference_policies.policies import careful

    report = score_files([save(*(row(task, careful(task.prompt)) for task in twins))])
    overall = report.as_dict()["overall"]
    assert (overall["mean_reward"], overall["solved"]) == (1, len(twins))
    assert (report.as_dict()["label_balanced_mean"], report.as_dict()["pair_accuracy"]) == (1, 1)
    assert report.as_dict()["d_prime"] > 2


def test_verify_proves_tasks_from_their_source_and_compares_them_with_their_id(twins, breakable, right, save):
    report = score_files([save(*(row(task, "x", rollout=n) for n in range(2) for task in twins))], verify=True)
    assert (report.complete, report.overall.total().graded) == (True, 40)
    mislabelled = changed(breakable, label="unbreakable")
    renamed = changed(breakable, id=breakable.id.replace("/train/", "/eval/"))
    aged = changed(breakable, id=breakable.id.replace("@1/", "@0/"))
    rows = save(
        {"task": mislabelled, "reply": right}, {"task": renamed, "reply": right}, {"task": aged, "reply": right}
    )
    report = score_files([rows], verify=True)
    assert counts(report) == {Finding.REFUSED_TASK: 2, Finding.OTHER_VERSION: 1}
    assert score_files([rows]).complete


def test_no_rows_give_a_report_without_rates_that_is_not_complete(save):
    report = score_files([save()])
    assert not report.complete
    assert report.as_dict()["overall"]["mean_reward"] is None
    json.dumps(report.as_dict(), allow_nan=False)


def test_nothing_in_a_file_is_run(breakable, save, tmp_path):
    target = tmp_path / "harm"
    harm = f"__import__('pathlib').Path({str(target)!r}).touch()"
    texts = [
        harm,
        f"!!python/object/apply:os.system ['touch {target}']",
        f'{{"__reduce__": "{target}"}}',
        "../../etc/passwd",
    ]
    rows = [row(breakable, text, grade=text, verdict=text) for text in texts]
    rows += [{"task_id": text, "reply": text} for text in texts]
    report = score_files([save(*rows)])
    assert verdicts(report) == {"REFUSED_PARSE": 4}
    assert not target.exists()


INNER = ["role", "content", "spec", "data", "task", "name", "score", "x"]
OUTER = ["traces", "nodes", "completion", "reply", "task", "task_id", "info", "rewards", "errors", "ok", "error"]
values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(INNER), inner, max_size=3),
    max_leaves=8,
)


@given(rows=st.lists(st.binary(max_size=20) | st.dictionaries(st.sampled_from(OUTER), values, max_size=6), max_size=5))
def test_every_line_of_any_file_is_accounted_for(rows, tmp_path_factory):
    path = tmp_path_factory.mktemp("any") / "rows.jsonl"
    encoded = [item if isinstance(item, bytes) else json.dumps(item).encode() for item in rows]
    path.write_bytes(b"\n".join(encoded))
    report = score_files([path])
    total = report.overall.total()
    split = path.read_bytes().split(b"\n")
    expected = len(split) - (split[-1] == b"")
    notes = {Finding.NO_REPLY, Finding.UNKNOWN_FIELD, Finding.REWARD_MISMATCH}
    named = sum(count for finding, count in report.findings.counts.items() if finding not in notes)
    assert total.graded + total.failed + named >= expected
    json.dumps(report.as_dict(), allow_nan=False)


def test_embedded_tasks_are_graded_without_sympy(twins, save):
    path = save(*(row(task, "x") for task in twins))
    code = (
        "import sys; from impossible_rubrics_env.score import score_files;"
        f"assert score_files([{str(path)!r}]).overall.total().graded == {len(twins)};"
        "assert not {'sympy', 'numpy', 'verifiers', 'rich'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


MEASURE = """
import resource, sys
from impossible_rubrics_env.score import score_files
report = score_files([sys.argv[1]], tasks=sys.argv[2])
print(report.overall.total().graded, report.tasks, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
ROWS = 200_000
MOST_BYTES_A_ROW = 160
"""A digest of 16 bytes is an object of 64 in CPython, and a set keeps up to four places of 16 for each."""


def test_memory_grows_by_one_digest_a_row(twins, save):
    rng = random.Random(0)
    tasks = save(*(json.loads(task.to_json()) for task in twins), name="tasks.jsonl")
    used = {}
    for count in (ROWS // 10, ROWS):
        path = Path(tasks).with_name(f"{count}.jsonl")
        with path.open("w") as stream:
            for number in range(count):
                reply = f"{rng.random()} " + "and so on " * 20 + '<answer>{"attack": "NO_ATTACK"}</answer>'
                stream.write(json.dumps({"task_id": twins[number % 20].id, "reply": reply, "rollout": number}) + "\n")
        run = subprocess.run(
            [sys.executable, "-c", MEASURE, path, tasks], check=True, capture_output=True, text=True, timeout=300
        )
        graded, distinct, used[count] = map(int, run.stdout.split())
        assert (graded, distinct) == (count, 20)
    grown = (used[ROWS] - used[ROWS // 10]) * 1024
    assert grown <= MOST_BYTES_A_ROW * ROWS * 0.9


def test_what_leaves_rows_unscored_is_not_a_mere_note():
    assert UNSCORED | {
        Finding.UNEXPECTED_TASK,
        Finding.DUPLICATE,
        Finding.REWARD_MISMATCH,
        Finding.OTHER_AGENT,
        Finding.NO_REPLY,
        Finding.UNKNOWN_FIELD,
        Finding.BLANK_LINE,
    } == set(Finding)
