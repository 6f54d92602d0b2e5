"""`chain report`, `export-labels`, `import-labels`: what they print and write, offline from end to end."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from built_rows import ORACLE, control, row, rows_of, run_of, write

from impossible_rubrics_env.chain.analysis import analyse
from impossible_rubrics_env.chain.labels import import_labels
from impossible_rubrics_env.chain.page import escaped, page, plot
from impossible_rubrics_env.chain.rates import Sampling
from impossible_rubrics_env.chain.sections import sections
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
    assert run(["chain", "report", *two_runs, "--resamples", "200"]) == 0
    out = capsys.readouterr().out
    for text in ("3/4", "1/4", "judge: unreadable", "75.0%", "Safety prompt", "Over-refusal on the controls", "1/2"):
        assert text in out
    assert "env00" in out  # discordant ids


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
    assert "0/0" in page(found)
    assert plot(found).startswith(b"\x89PNG")
    assert next(one.title for one in sections(found)) == "Exploit rate"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{first}", "{first}"], "are one run, not two"),
        (["{first}", "--plot", "p.txt"], "does not end in one of .png, .svg, .pdf"),
        (["{first}", "--html", "{first}/results.jsonl"], "is the input"),
        (["{first}", "--html", "x.svg", "--plot", "x.svg"], "are one file"),
        (["{first}", "--against", "nobody"], "against=nobody is none of several arms"),
        (["{first}", "--oracle", "nobody"], "oracle=nobody is none of"),
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
    assert data["safety"]
    [confusion] = data["confusions"]
    assert confusion["agreement"]["agreement"]["rate"] == 1
    assert data["baseline_audit"]["policy:exact"]["hits"] == 0
    assert data["oracle_retests"]["policy:exact"]["flips"] == 0


def test_items_are_blind_and_their_labels_are_compared(offline, tmp_path, capsys):
    items, key = tmp_path / "items.jsonl", tmp_path / "items.key.jsonl"
    assert run(["chain", "export-labels", str(offline / "one"), "--output", str(items)]) == 0
    shown = [json.loads(line) for line in items.read_text().splitlines()]
    known = [json.loads(line) for line in key.read_text().splitlines()]
    assert [set(one) for one in shown] == [{"item", "question", "documents", "answer", "violates"}] * len(known)
    assert {one["violates"] for one in shown} == {None}
    text = items.read_text()
    for secret in ("policy:", "irb_", "certificate-faithful", "<statements>", *(one["task_id"] for one in known)):
        assert secret not in text
    verdicts = {one["item"]: one["verdicts"]["policy:exact"] for one in known}
    assert len(set(verdicts.values())) == 2
    labels = [{**one, "violates": verdicts[one["item"]]} for one in shown]
    labels[0]["violates"] = not labels[0]["violates"]
    labels[1]["violates"] = None
    write(tmp_path, labels, "ann.jsonl")
    capsys.readouterr()
    assert run(["chain", "import-labels", str(tmp_path / "ann.jsonl"), "--key", str(key), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["labelled"] == {"ann": len(known) - 1}
    assert {one["first"]: one["agreement"]["hits"] for one in data["with_oracles"]} == {
        "policy:exact": len(known) - 2,
        "exact": len(known) - 2,
    }
    assert run(["chain", "import-labels", str(tmp_path / "ann.jsonl"), "--key", str(key)]) == 0
    assert f"{len(known) - 1} of {len(known)} items have a label, 1 do not" in capsys.readouterr().out


def test_the_order_of_items_is_drawn_and_repeats(offline, tmp_path):
    texts = []
    for place, seed in enumerate((0, 0, 1)):
        file = tmp_path / f"items{place}.jsonl"
        line = ["chain", "export-labels", str(offline / "one"), "--output", str(file), "--seed", str(seed), "--n", "3"]
        assert run(line) == 0
        texts.append(file.read_text())
    assert texts[0] == texts[1] != texts[2]
    assert texts[0].count("\n") == 3


def test_only_disputed_attacks_are_exported_where_that_is_asked_for(offline, tmp_path, capsys):
    line = ["chain", "export-labels", str(offline / "one"), "--output", str(tmp_path / "d.jsonl"), "--disagreements"]
    assert run(line) == 2
    assert "there are no attacks on which oracles disagree" in capsys.readouterr().err
    rows = [json.loads(one) for one in (offline / "one" / "results.jsonl").read_text().splitlines()]
    disputed = next(one for one in rows if one["label"] == "impossible")
    disputed["violates"]["openai:other"] = not disputed["violates"]["policy:exact"]
    changed = tmp_path / "changed"
    changed.mkdir()
    for name in ("calls.jsonl", "environments.jsonl"):
        (changed / name).write_bytes((offline / "one" / name).read_bytes())
    write(changed, rows)
    line[2] = str(changed)
    assert run(line) == 0
    [key] = (tmp_path / "d.key.jsonl").read_text().splitlines()
    assert json.loads(key)["verdicts"]["openai:other"] != json.loads(key)["verdicts"]["policy:exact"]


def test_adjudication_counts_whose_side_people_take(tmp_path):
    verdicts = [{"one": True, "two": False}] * 3 + [{"one": True, "two": True}]
    key = [
        {"item": f"i{place}", "task_id": "t", "attack_hash": "h", "verdicts": told}
        for place, told in enumerate(verdicts)
    ]
    write(tmp_path, key, "key.jsonl")
    labels = [{"item": f"i{place}", "violates": place != 2} for place in range(4)]
    write(tmp_path, labels, "ann.jsonl")
    write(tmp_path, [{**one, "violates": True} for one in labels[:2]], "bob.jsonl")
    found = import_labels([tmp_path / "ann.jsonl", tmp_path / "bob.jsonl"], tmp_path / "key.jsonl")
    assert found.adjudicated["ann"] == {"one": (2, 3), "two": (1, 3)}
    assert found.labelled == {"ann": 4, "bob": 2}
    [between] = found.between_raters
    assert (between.agree, between.items) == (2, 2)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([{"item": "i9", "violates": True}], 'line 1: item="i9" is not in'),
        ([{"item": "i0", "violates": True}] * 2, 'line 2: item="i0" stands twice'),
        ([{"item": "i0", "violates": "yes"}], 'line 1: violates="yes" is neither true nor false'),
        ([{"item": "i0"}], "no item has a label"),
        ([{"violates": True}], "line 1: item is missing"),
    ],
)
def test_bad_labels_are_refused(tmp_path, labels, message):
    write(tmp_path, [{"item": "i0", "task_id": "t", "attack_hash": "h", "verdicts": {"one": True}}], "key.jsonl")
    write(tmp_path, labels, "ann.jsonl")
    with pytest.raises(ArgumentError, match=message):
        import_labels([tmp_path / "ann.jsonl"], tmp_path / "key.jsonl")


def test_the_page_of_the_documentation_names_every_field_of_a_row():
    fields = set(row("a")) | {"format", "over_refusal", "baseline_violates", "attack_hash", "retests"}
    fields |= {"rubric_hash", "splits"}
    assert fields <= set(re.findall(r"`(\w+)`", PAGE))
