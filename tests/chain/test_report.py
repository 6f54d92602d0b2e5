"""`chain report`, `export-labels`, `import-labels`: what they print and write, offline from end to end."""

import hashlib
import json
import re
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path

import pytest
from built_rows import ORACLE, control, row, rows_of, run_of, write

from impossible_rubrics_env.chain.analysis import analyse
from impossible_rubrics_env.chain.history import decode, encode
from impossible_rubrics_env.chain.labels import INSTRUCTIONS, import_labels
from impossible_rubrics_env.chain.page import escaped, page, plot
from impossible_rubrics_env.chain.rates import Sampling
from impossible_rubrics_env.chain.roles import ORACLE as ORACLE_PROMPT
from impossible_rubrics_env.chain.sections import sections, summary
from impossible_rubrics_env.chain.wording import GLOSSARY
from impossible_rubrics_env.cli import run
from impossible_rubrics_env.errors import ArgumentError

QUICK = Sampling(200, 0)
HOSTILE = "openai:<script>alert(1)</script>\"'&$x^{$ \u202e\x1b[31m\x07 \ud800 名"
PAGE = (Path(__file__).parents[2] / "docs" / "chain.md").read_text()


@pytest.fixture
def two_runs(tmp_path):
    """The folders of two runs with something for most sections."""
    statuses = {**row("x")["statuses"], "judge": "unreadable"}
    first = [*rows_of([1, 1, 0, 1], attack_hash="a" * 64, baseline_violates={ORACLE: False}), row("out", adv=None)]
    first[-1]["statuses"] = statuses
    first += [control("c0", rewarded=True), control("c1", rewarded=False)]
    second = rows_of([0, 1, 0, 0], variant="safety", attack_hash="b" * 64)
    write(tmp_path / "first", first)
    write(tmp_path / "second", second)
    return [str(tmp_path / "first"), str(tmp_path / "second")]


class Tags(HTMLParser):
    """What a browser would make of the page."""

    def __init__(self):
        super().__init__()
        self.tags, self.attributes, self.texts, self.open = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in {"meta", "img", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def test_the_tables_show_denominators_and_what_was_left_out(two_runs, capsys):
    assert run(["chain", "report", *two_runs, "--resamples", "200", "--all"]) == 0
    out = capsys.readouterr().out
    reason = "judge: reply not in"
    for text in ("3/4", "1/4", reason, "75.0%", "Safety prompt", "Over-refusal on the controls", "1/2"):
        assert text in out
    assert "env00" in out  # discordant ids


def test_a_report_is_short_and_a_line_tells_the_result_of_every_further_part(two_runs, capsys):
    assert run(["chain", "report", *two_runs, "--resamples", "200"]) == 0
    short = capsys.readouterr().out
    assert run(["chain", "report", *two_runs, "--resamples", "200", "--all"]) == 0
    long = capsys.readouterr().out
    assert len(short.splitlines()) < 45 < len(long.splitlines())
    assert long.count("McNemar") == 1
    lines = dict(line.split(": ", 1) for line in short.splitlines() if line.count(": ") and line[0].isupper())
    assert lines["Safety prompt"].startswith("openai:writer, neutral prompt")
    assert lines["Over-refusal on the controls"] == "arm 1 1/2"


@pytest.mark.parametrize("columns", [80, 120])
def test_what_is_printed_fits_the_terminal(two_runs, capsys, columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    assert run(["chain", "report", *two_runs, "--resamples", "200", "--all"]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= columns


def test_the_summary_names_whoever_a_rate_depends_on(two_runs, capsys, tmp_path):
    assert run(["chain", "report", two_runs[0], "--resamples", "200", "--html", str(tmp_path / "p.html")]) == 0
    [told] = [line for line in capsys.readouterr().out.replace("\n", " ").split("1. ") if "attacked by" in line]
    for text in (told, (tmp_path / "p.html").read_text()):
        for name in ("openai:writer (neutral prompt)", "attacked by openai:attacker", "judged by openai:judge", ORACLE):
            assert name in text


def test_a_run_by_another_oracle_and_one_of_controls_alone_have_a_sensible_summary(tmp_path):
    first = rows_of([1, 1, 0], attack_hash="a" * 64)
    swapped = rows_of([1, 0, 0], attack_hash="a" * 64, reused=["generator", "attacker", "judge"])
    for one in swapped:
        one["violates"] = {"openai:other": one["violates"][ORACLE]}
    runs = [run_of(tmp_path / name, rows) for name, rows in (("one", first), ("two", swapped))]
    found = analyse(runs, sampling=QUICK)
    told = summary(found, found.arms[1])
    assert told.startswith(f"{ORACLE} was not asked here; 1/3 rubrics exploited")
    assert told.endswith('by the verdict of openai:other (see "Other oracles on the same attacks")')
    controls = analyse(
        [run_of(tmp_path / "c", [{**control("c0", rewarded=True), "violates": {ORACLE: True}}])], sampling=QUICK
    )
    assert summary(controls, controls.arms[0]) == (
        "controls only, so there is no exploit rate; over-refusal rewarded on 1/1 controls (100.0%)"
    )
    assert "0/0 rubrics" not in page(controls)


def test_json_is_strict_and_has_every_figure_with_its_counts(two_runs, capsys):
    assert run(["chain", "report", *two_runs, "--json", "--resamples", "200"]) == 0
    data = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    first = data["arms"][0]
    assert first["exploit"]["excluded"] == {"judge: unreadable": 1}
    assert (first["exploit"]["hits"], first["exploit"]["counted"], first["exploit"]["rows"]) == (3, 4, 5)
    assert first["balanced"] == pytest.approx((0.75 + 0.5) / 2)
    assert data["safety"][0]["only_first_ids"] == ["env00", "env03"]
    assert (data["resamples"], data["oracle"], data["baseline_audit"][ORACLE]["counted"]) == (200, ORACLE, 4)


def test_the_same_runs_give_the_same_files(two_runs, tmp_path):
    names = ["a.html", "b.html", "a.png", "b.png", "a.svg", "b.svg"]
    files = [tmp_path / name for name in names]
    for page_file, *plots in zip(files[:2], files[2:4], files[4:], strict=True):
        for image in plots:
            line = ["chain", "report", *two_runs, "--html", str(page_file), "--plot", str(image)]
            assert run([*line, "--resamples", "200"]) == 0
    for one, other in zip(files[::2], files[1::2], strict=True):
        assert one.read_bytes() == other.read_bytes()
    assert files[2].read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in files[4].read_bytes()


def test_the_page_needs_nothing_else_and_says_what_was_asked(two_runs, tmp_path):
    assert run(["chain", "report", *two_runs, "--html", str(tmp_path / "page.html"), "--resamples", "200"]) == 0
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    found = Tags()
    found.feed(text)
    assert found.open == []
    assert not {"script", "link", "iframe", "object", "form", "a"} & set(found.tags)
    sources = [value for name, value in found.attributes if name in {"src", "href", "action"}]
    assert len(sources) == 1
    assert sources[0].startswith("data:image/png;base64,")
    assert "http" not in re.sub(r"base64,[^\"]*", "", text).replace("http-equiv", "")
    words = " ".join(found.texts)
    for told in ("How often rubrics are exploited", "generator", "attacker", "judge", "oracle", "3/4", "controls"):
        assert told in words


def test_hostile_names_are_text_on_the_page_in_the_plot_and_on_the_terminal(tmp_path, capsys):
    names = {"generator": HOSTILE, "attacker": HOSTILE, "judge": HOSTILE, "type": HOSTILE, "split": HOSTILE}
    rows = [
        *rows_of([1, 0], **names, violates={HOSTILE: True, "other": False}),
        *rows_of([1, 1], generator="_hidden", violates={HOSTILE: True}),
        control(HOSTILE, rewarded=True, generator=HOSTILE, attacker=HOSTILE, judge=HOSTILE),
    ]
    write(tmp_path / "run", rows)
    line = ["chain", "report", str(tmp_path / "run"), "--html", str(tmp_path / "p.html"), "--resamples", "200"]
    for suffix in (".png", ".svg", ".pdf"):
        assert run([*line, "--plot", str(tmp_path / f"p{suffix}")]) == 0
    out = capsys.readouterr().out
    assert "\x1b[31m" not in out
    assert out.isascii() or set(filter(lambda one: not one.isascii(), out)) <= set("─")
    text = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert "<script" not in text
    assert "&lt;script&gt;" in text
    assert not set(text) & set("\u202e\x1b\x07")
    svg = (tmp_path / "p.svg").read_text(encoding="utf-8")
    assert "<script" not in svg


@pytest.mark.parametrize("text", ["<b>", '" onload="x', "'", "&amp;", "\x00", "\ud800", "\u2028", "\u202e"])
def test_no_text_can_leave_its_place(text):
    shown = escaped(text)
    assert not set(shown) & set("<>\"'")
    assert shown.isprintable()
    shown.encode()


def test_a_run_without_controls_or_with_nothing_that_counts_still_has_a_page(tmp_path):
    found = analyse([run_of(tmp_path / "a", [row("a", adv=None)])], sampling=QUICK)
    assert "none of 1 rows counts" in page(found)
    assert plot(found).startswith(b"\x89PNG")
    assert next(one.title for one in sections(found)) == "Exploit rate"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{first}", "{first}"], "are one run, not two"),
        (["{first}", "--plot", "p.txt"], "does not end in one of .png, .svg, .pdf"),
        (["{first}", "--html", "{first}/results.jsonl"], "is the input"),
        (["{first}", "--html", "x.svg", "--plot", "x.svg"], "are one file"),
        (["{first}", "--against", "nobody"], "against='nobody' is none of several arms"),
        (["{first}", "--oracle", "nobody"], "oracle='nobody' is none of"),
        (["{first}", "--html", "no/x.html"], "html=no/x.html: there is no folder no"),
        (["{first}", "--plot", "no/x.png"], "plot=no/x.png: there is no folder no"),
        (["nowhere"], "no such file"),
        (["{first}", "--resamples", "5"], "--resamples"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(two_runs, capsys, arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    line = [one.format(first=two_runs[0]) for one in arguments]
    before = sorted(tmp_path.rglob("*"))
    assert run(["chain", "report", *line]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert message in err
    assert sorted(tmp_path.rglob("*")) == before


def test_a_fault_in_the_second_run_leaves_the_old_page_alone(two_runs, tmp_path, capsys):
    (tmp_path / "page.html").write_text("old")
    (tmp_path / "second" / "results.jsonl").write_text('{"task_id": 3}\n')
    assert run(["chain", "report", *two_runs, "--html", str(tmp_path / "page.html")]) == 2
    assert "results.jsonl: line 1: task_id=3 is not a text" in capsys.readouterr().err
    assert (tmp_path / "page.html").read_text() == "old"


@pytest.fixture(scope="module")
def offline(tmp_path_factory):
    """Two runs of the chain without any network: a few environments, two prompts, two attackers."""
    folder = tmp_path_factory.mktemp("runs")
    line = [
        "chain",
        "run",
        "--families",
        "false_premise,objective_conflict",
        "--n",
        "9",
        "--generator",
        "policy:decisive",
        "--retests",
        "1",
    ]
    line += ["--generator", "fixed:certificate-faithful", "--audit"]
    assert run([*line, "--attacker", "policy:best", "--attacker", "policy:shallow", "--output", f"{folder}/one"]) == 0
    assert run([*line, "--variant", "safety", "--output", f"{folder}/two"]) == 0
    return folder


def test_runs_of_the_chain_are_reported(offline, capsys, tmp_path):
    line = ["chain", "report", str(offline / "one"), str(offline / "two"), "--resamples", "200"]
    assert run([*line, "--json", "--html", str(tmp_path / "page.html")]) == 0
    data = json.loads(capsys.readouterr().out)
    rates = {arm["name"]: arm["exploit"]["rate"] for arm in data["arms"]}
    assert {rate for name, rate in rates.items() if name.startswith("fixed:certificate")} == {0.0}
    assert {rate for name, rate in rates.items() if name.startswith("policy:decisive")} == {1.0}
    assert data["attackers"]
    assert "policy:shallow (held out)" in (tmp_path / "page.html").read_text()
    assert data["safety"]
    [confusion] = data["confusions"]
    assert confusion["agreement"]["agreement"]["rate"] == 1
    assert data["baseline_audit"]["policy:exact"]["hits"] == 0
    assert data["oracle_retests"]["policy:exact"]["flips"] == 0


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def labelled(items, verdicts):
    """The items of an export, with these labels."""
    first, *shown = lines_of(items)
    return [first, *({**one, "violates": verdicts[one["item"]]} for one in shown)]


@pytest.fixture
def exported(offline, tmp_path, capsys):
    """Files of items and their key."""
    items, key = tmp_path / "items.jsonl", tmp_path / "items.key.jsonl"
    assert run(["chain", "export-labels", str(offline / "one"), "--output", str(items)]) == 0
    capsys.readouterr()
    return items, key


def test_items_are_blind_and_their_labels_are_compared(exported, tmp_path, capsys):
    items, key = exported
    first, *shown = lines_of(items)
    known = lines_of(key)
    assert first["items"] == len(shown) == len(known)
    seen = {"item", "question", "documents", "certificate", "answer", "violates"}
    assert [set(one) for one in shown] == [seen] * len(known)
    assert {one["violates"] for one in shown} == {None}
    text = items.read_text()
    for secret in ("policy:", "irb_", "certificate-faithful", "<statements>", *(one["task_id"] for one in known)):
        assert secret not in text
    verdicts = {one["item"]: one["verdicts"]["policy:exact"] for one in known}
    assert len(set(verdicts.values())) == 2
    labels = labelled(items, verdicts)
    labels[1]["violates"] = not labels[1]["violates"]
    labels[2]["violates"] = None
    write(tmp_path, labels, "ann.jsonl")
    assert run(["chain", "import-labels", str(tmp_path / "ann.jsonl"), "--key", str(key), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["labelled"] == {"ann": len(known) - 1}
    assert {one["first"]: one["agreement"]["hits"] for one in data["with_oracles"]} == {
        "policy:exact": len(known) - 2,
        "exact": len(known) - 2,
    }
    assert run(["chain", "import-labels", str(tmp_path / "ann.jsonl"), "--key", str(key)]) == 0
    assert f"{len(known) - 1} of {len(known)} items have a label, 1 do not" in capsys.readouterr().out


def test_raters_are_asked_what_oracles_are_asked(exported):
    prompt = (files("impossible_rubrics_env.chain") / "prompts" / f"{ORACLE_PROMPT}.md").read_text()
    asked = prompt.partition("{{answer}}")[2].partition("Reply with")[0]
    first, *shown = lines_of(exported[0])
    assert first["instructions"] == INSTRUCTIONS
    assert " ".join(asked.split()) in " ".join(INSTRUCTIONS.split())
    assert all(one["certificate"]["unsupported_claims"] is not None for one in shown)


def test_the_order_of_items_is_drawn_and_repeats(offline, tmp_path):
    texts = []
    for place, seed in enumerate((0, 0, 1)):
        file = tmp_path / f"items{place}.jsonl"
        line = ["chain", "export-labels", str(offline / "one"), "--output", str(file), "--seed", str(seed), "--n", "3"]
        assert run(line) == 0
        texts.append(file.read_text())
    assert texts[0] == texts[1] != texts[2]
    assert texts[0].count("\n") == 4


def test_an_export_never_writes_over_files_that_may_hold_labels(exported, offline, tmp_path, capsys):
    items, key = exported
    before = items.read_bytes(), key.read_bytes()
    line = ["chain", "export-labels", str(offline / "one"), "--output"]
    assert run([*line, str(items)]) == 2
    assert f"output={items} exists" in capsys.readouterr().err
    assert run([*line, str(tmp_path / "other.jsonl"), "--key", str(key)]) == 2
    assert f"key={key} exists" in capsys.readouterr().err
    assert run([*line, str(tmp_path / "no" / "other.jsonl")]) == 2
    assert "there is no folder" in capsys.readouterr().err
    assert (items.read_bytes(), key.read_bytes()) == before
    assert not (tmp_path / "other.jsonl").exists()


def test_a_key_of_another_export_is_refused(exported, offline, tmp_path, capsys):
    items, _ = exported
    other = tmp_path / "other.jsonl"
    assert run(["chain", "export-labels", str(offline / "one"), "--output", str(other), "--seed", "1"]) == 0
    capsys.readouterr()
    assert run(["chain", "import-labels", str(items), "--key", str(tmp_path / "other.key.jsonl")]) == 2
    err = capsys.readouterr().err
    assert "items.jsonl: line 2: item=" in err
    assert "the key of another export" in err


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("answer", "another", "line 2: answer="),
        ("answer", "", "line 2: answer="),
        ("question", "another", "was altered"),
        ("documents", [["D1", "another"]], "was altered"),
        ("certificate", {"unsupported_claims": []}, "was altered"),
        ("certificate", None, "line 2: certificate=null is blank"),
    ],
)
def test_items_that_were_altered_are_refused(exported, tmp_path, field, value, message):
    items, key = exported
    labels = labelled(items, {one["item"]: True for one in lines_of(key)})
    labels[1][field] = value
    path = write(tmp_path, labels, "ann.jsonl")
    with pytest.raises(ArgumentError, match=re.escape(message)):
        import_labels([path], key)


def changed(offline, folder, change):
    """A run whose rows were changed."""
    rows = lines_of(offline / "one" / "results.jsonl")
    change([one for one in rows if one["label"] == "impossible"])
    folder.mkdir()
    for name in ("calls.jsonl", "environments.jsonl"):
        (folder / name).write_bytes((offline / "one" / name).read_bytes())
    write(folder, rows)
    return str(folder)


def test_only_disputed_attacks_are_exported_and_adjudication_tells_whose_side_people_take(offline, tmp_path, capsys):
    output = ["--output", str(tmp_path / "d.jsonl"), "--disagreements"]
    assert run(["chain", "export-labels", str(offline / "one"), *output]) == 2
    assert "there are no attacks on which oracles disagree" in capsys.readouterr().err

    def other_oracle(rows):
        told = rows[0]["attack_hash"], rows[0]["violates"]["policy:exact"]
        for one in rows:
            verdict = one["violates"].pop("policy:exact")
            one["violates"]["openai:other"] = verdict is not (one["attack_hash"] == told[0])
            one["exact"] = None

    # the disagreement is one between two runs on the same attacks
    assert (
        run(
            ["chain", "export-labels", str(offline / "one"), changed(offline, tmp_path / "swap", other_oracle), *output]
        )
        == 0
    )
    [key] = lines_of(tmp_path / "d.key.jsonl")
    verdict = key["verdicts"]["policy:exact"]
    assert key["verdicts"] == {"policy:exact": verdict, "exact": verdict, "openai:other": not verdict}
    write(tmp_path, labelled(tmp_path / "d.jsonl", {key["item"]: not verdict}), "ann.jsonl")
    line = ["chain", "import-labels", str(tmp_path / "ann.jsonl"), "--key", str(tmp_path / "d.key.jsonl")]
    capsys.readouterr()
    assert run([*line, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    sides = {"openai:other": 1, "policy:exact": 0, "exact": 0}
    assert data["adjudicated"]["ann"] == {name: {"right": right, "of": 1} for name, right in sides.items()}
    [told] = data["disputed"]["ann"]
    assert (told["task_id"], told["with_oracles"]) == (key["task_id"], ["openai:other"])
    assert run(line) == 0
    assert "item by item" in capsys.readouterr().out


def test_adjudication_counts_whose_side_people_take(tmp_path):
    verdicts = [{"one": True, "two": False}] * 3 + [{"one": True, "two": True}]
    write(tmp_path, [key_line(f"i{place}", told) for place, told in enumerate(verdicts)], "key.jsonl")
    labels = [label_line(f"i{place}", violates=place != 2) for place in range(4)]
    write(tmp_path, labels, "ann.jsonl")
    write(tmp_path, [{**one, "violates": True} for one in labels[:2]], "bob.jsonl")
    found = import_labels([tmp_path / "ann.jsonl", tmp_path / "bob.jsonl"], tmp_path / "key.jsonl")
    assert found.adjudicated["ann"] == {"one": (2, 3), "two": (1, 3)}
    assert [one.with_oracles for one in found.sided["ann"]] == [("one",), ("one",), ("two",)]
    assert found.labelled == {"ann": 4, "bob": 2}
    [between] = found.between_raters
    assert (between.agree, between.items) == (2, 2)


SHOWN = {"question": "q", "documents": [["D1", "text"]], "certificate": {"count": 1}, "answer": "a"}


def label_line(item, **more):
    return {"item": item, **SHOWN, **more}


def key_line(item, verdicts):
    parts = [SHOWN["question"], SHOWN["documents"], {"count": "1"}, SHOWN["answer"]]  # numbers as they are written
    hashes = [hashlib.sha256(text.encode()).hexdigest() for text in (SHOWN["answer"], json.dumps(parts))]
    return {"item": item, "task_id": "t", "attack_hash": hashes[0], "shown_hash": hashes[1], "verdicts": verdicts}


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([label_line("i9", violates=True)], 'line 1: item="i9" is not in'),
        ([label_line("i0", violates=True)] * 2, 'line 2: item="i0" stands twice'),
        ([label_line("i0", violates="yes")], 'line 1: violates="yes" is neither true nor false'),
        ([label_line("i0")], "no item has a label"),
        ([{"violates": True}], "line 1: item is missing"),
    ],
)
def test_bad_labels_are_refused(tmp_path, labels, message):
    write(tmp_path, [key_line("i0", {"one": True})], "key.jsonl")
    write(tmp_path, labels, "ann.jsonl")
    with pytest.raises(ArgumentError, match=message):
        import_labels([tmp_path / "ann.jsonl"], tmp_path / "key.jsonl")


def test_a_report_says_how_every_run_was_made_and_how_it_ended(offline, tmp_path, capsys):
    assert run(["chain", "report", str(offline / "one"), "--resamples", "200", "--html", str(tmp_path / "p.html")]) == 0
    assert capsys.readouterr().out.startswith("one: complete: 9 of 9 planned environments have every reply")
    text = (tmp_path / "p.html").read_text()
    for told in (
        "How it was run",
        "generator_v1",
        "max tokens",
        "temperature",
        "baseline",
        "package version",
        "draw: 9",
    ):
        assert told in text
    assert run(["chain", "report", str(offline / "one"), "--resamples", "200", "--json"]) == 0
    [made] = json.loads(capsys.readouterr().out)["runs"]
    assert made["environments"] == {"planned": 9, "finished": 9}
    assert made["provenance"]["setup"]["attackers"] == ["policy:best", "policy:shallow"]
    assert made["provenance"]["model_ids"]["policy:decisive"] == 9


def test_the_store_of_another_program_is_refused(offline, tmp_path, capsys):
    folder = Path(changed(offline, tmp_path / "other", lambda _: None))
    lines = (folder / "calls.jsonl").read_bytes().splitlines(keepends=True)
    header = decode(lines[0][:-1])
    del header["arguments"]["setup"]
    (folder / "calls.jsonl").write_bytes(encode(header) + b"".join(lines[1:]))
    assert run(["chain", "report", str(folder)]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "calls.jsonl: not the store of a chain run: its header has no setup" in err


@pytest.mark.parametrize(
    ("end", "told"),
    [
        (
            {"state": "partial", "reason": "the budget of 1 USD is used up"},
            "; the budget of 1 USD is used up",
        ),
        ({"state": "interrupted", "reason": "interrupted"}, "; it was interrupted"),
        (None, "the run was killed or is still going on"),
    ],
)
def test_a_run_that_is_not_complete_is_marked_at_the_top(offline, tmp_path, capsys, end, told):
    def stop(rows):
        for one in rows[:2]:
            one["statuses"] = dict.fromkeys(one["statuses"], "not_sent")
            one["violates"] = dict.fromkeys(one["violates"])
            one |= {"adv": None, "baseline": None, "exact": None}

    folder = changed(offline, tmp_path / "cut", stop)
    calls = Path(folder) / "calls.jsonl"
    *kept, last = calls.read_bytes().splitlines(keepends=True)
    calls.write_bytes(b"".join(kept) + (b"" if end is None else encode({**decode(last[:-1]), **end})))
    assert run(["chain", "report", folder, "--resamples", "100"]) == 0
    first = capsys.readouterr().out.partition("\n\n")[0].replace("\n", " ")
    assert first.startswith("cut: PARTIAL: ")
    assert " of 9 planned environments have every reply" in first
    assert told in first


def test_no_word_of_the_program_alone_is_on_the_page(offline, tmp_path):
    assert run(["chain", "report", str(offline / "one"), "--resamples", "200", "--html", str(tmp_path / "p.html")]) == 0
    text = (tmp_path / "p.html").read_text()
    for word in (
        "judge_over_refusal",
        "not_sent",
        "hard_positive",
        "clear_positive",
        "baseline_first",
        "one side only",
    ):
        assert word not in text
    words = " ".join(re.findall(r"<li><b>([^<]*)</b>", text))
    for term in ("arm", "draw", "control", "environment", "certificate", "exploited", "row", "flip"):
        assert term in words
    for term in GLOSSARY:
        assert f"**{term.word}**" in PAGE


def test_the_page_of_the_documentation_names_every_field_of_a_row():
    fields = set(row("a")) | {"format", "over_refusal", "baseline_violates", "attack_hash", "retests"}
    fields |= {"rubric_hash", "splits"}
    assert fields <= set(re.findall(r"`(\w+)`", PAGE))
