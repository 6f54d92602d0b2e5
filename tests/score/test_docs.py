"""The example in docs/score.md does what the page says."""

from pathlib import Path

from impossible_rubrics_env.cli import run

PAGE = Path(__file__).parents[2] / "docs/score.md"


def block(name):
    """Lines of the code block between the markers of this name."""
    inside = PAGE.read_text().split(f"<!-- {name} -->\n")[1].split(f"<!-- /{name} -->")[0]
    return inside.strip().splitlines()[1:-1]


def test_the_example_of_the_page_prints_what_the_page_shows(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    exec(compile("\n".join(block("rows")), str(PAGE), "exec"), {})
    assert run(["score", "replies.jsonl", "--by", "label"]) == 1
    captured = capsys.readouterr()
    assert [line.rstrip() for line in (captured.out + captured.err).splitlines()] == block("table")
