"""Generated pages are what their commands print now."""

import dataclasses
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_list_of_frames_is_up_to_date():
    from impossible_rubrics_env.taskgen.frames import page

    assert (ROOT / "docs/frames.md").read_text() == "\n".join(page()) + "\n"


def frames_in(held):
    """Every frame of a bank, however deep it lies."""
    if isinstance(held, str):
        yield held
    elif dataclasses.is_dataclass(held):
        yield from (frame for field in dataclasses.fields(held) for frame in frames_in(getattr(held, field.name)))
    else:
        for one in held.values() if isinstance(held, dict) else held:
            yield from frames_in(one)


def test_every_frame_of_packets_is_in_the_list_and_every_slot_is_explained():
    from impossible_rubrics_env.taskgen.packet_frames_wording import HELD_OUT, TRAINING

    text = (ROOT / "docs/frames.md").read_text()
    rules = text.split("# Sentence frames of packets")[1].split("## Packets: training bank")[0]
    titles = {"record", "study", "office_name", "field", "Field", "matter", "unit"}  # say nothing, so need no reading
    for bank in (TRAINING, HELD_OUT):
        for frame in frames_in(bank):
            assert f"- `{frame}`" in text
            for slot in re.findall(r"\{([A-Za-z_]+)\}", frame):
                assert slot in titles or slot in {"clause", "standing", "number"} or f"`{{{slot}}}`" in rules, slot


COMMANDS = {
    ("README.md", "dial"): ("dial",),
    ("README.md", "sweep"): ("sweep", "--families", "attack"),
    ("README.md", "balanced"): ("sweep", "--families", "attack", "--draw", "balanced"),
    ("docs/families.md", "sweep"): ("sweep", "--families", "answer", "--draw", "balanced", "--n", "100"),
    ("docs/rubrics.md", "sweep"): ("sweep", "--families", "rubric", "--draw", "balanced", "--n", "100"),
    ("docs/rubrics.md", "blind"): (
        *("sweep", "--families", "rubric_attack", "--draw", "balanced", "--n", "400"),
        *("--policies", "trusting,deducing,doubting,contrary,mixing,gap"),
    ),
    ("docs/rubrics.md", "writers"): ("writers",),
    ("README.md", "goodhart"): ("goodhart",),
    ("README.md", "calibrate"): ("release", "calibrate", "{release}"),
}
"""By page and block: the command that printed it. To change one, paste what the command prints."""
EXAMPLE = {"mix": "balanced", "kind": "number"}
"""What the README's twin pair is drawn with."""


def block(page, name):
    """Lines between the markers of this name on a page, without a code fence."""
    text = (ROOT / page).read_text()
    inside = text.split(f"<!-- {name} -->\n")[1].split(f"<!-- /{name} -->")[0]
    lines = inside.strip("\n").splitlines()
    return lines[1:-1] if len([line for line in lines if line.startswith("```")]) == 2 and lines[0] == "```" else lines


@pytest.mark.parametrize(("page", "name"), COMMANDS)
def test_a_page_shows_what_its_command_prints(page, name, capsys, tmp_path):
    from impossible_rubrics_env.cli import run

    arguments = [argument.format(release=tmp_path / "release") for argument in COMMANDS[page, name]]
    if "release" in arguments:
        assert run(["release", "build", "--output", str(tmp_path / "release")]) == 0
        capsys.readouterr()
    code = run(arguments)
    captured = capsys.readouterr()
    assert block(page, name) == [line.rstrip() for line in captured.out.splitlines()]
    assert (code, captured.err) == (0, "")


def players(lines):
    """The last section of a packet sweep, that of all families, as a Markdown table."""
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in lines if line.startswith("│")]
    names = [cell.strip() for cell in next(line for line in lines if line.startswith("┃")).split("┃")[1:-1]]
    start = next(place for place, row in enumerate(rows) if row[0] == "all")
    wanted = {
        "player": "player",
        "mean reward": "mean reward",
        "impossible": "impossible, solved",
        "hard": "answerable twins, solved",
        "pair accuracy": "pairs, both right",
        "proved": "refusals of impossible packets, proved",
    }
    yield f"| {' | '.join(wanted.values())} |"
    yield "|---" * len(wanted) + "|"
    for row in rows[start:]:
        cells = dict(zip(names, row, strict=True))
        yield f"| {' | '.join(cells[name] for name in wanted)} |"


def test_the_readme_has_the_players_of_the_packet_sweep():
    assert block("README.md", "players") == list(players(block("docs/families.md", "sweep")))


def notices(task):
    """Documents and what their notices name."""
    for document in task["packet"]["documents"]:
        for sentence in document["sentences"]:
            for fact in sentence["facts"]:
                if fact["kind"] in ("retracts", "corrects", "reinstates"):
                    yield document["id"], fact["target"]


def turning(impossible, possible):
    """Documents on which a pair turns: those that either task's edited notice bears on, and all notices about them."""
    pairs = {*notices(impossible), *notices(possible)}
    found = {target for _, target in set(notices(impossible)) ^ set(notices(possible))}
    while True:
        more = {one for pair in pairs if found & set(pair) for one in pair}
        if more <= found:
            return found
        found |= more


def leading_up(task):
    """Ids of the sentences that say which groups the asked subject is in, where findings are asked about."""
    target = task["question"]["target"]
    name = target["attributes"]["subject"] if "attributes" in target else None
    links = {
        fact["narrower"]: (fact["wider"], sentence["id"])
        for document in task["packet"]["documents"]
        for sentence in document["sentences"]
        for fact in sentence["facts"]
        if fact["kind"] == "contains"
    }
    while name in links:
        name, sentence = links[name]
        yield sentence


def example():
    """The README's twin pair: an excerpt of the impossible task, the edit, and the right replies."""
    import json

    import impossible_rubrics_env as ire
    from impossible_rubrics_env.gallery import RULES, edit

    tasks = list(ire.generate("counterevidence_trap", n=2, **EXAMPLE))
    possible, impossible = sorted(tasks, key=lambda task: task.label == "impossible")
    told = [json.loads(task.to_json()) for task in (impossible, possible)]
    shown, steps = turning(*told), {*leading_up(told[0])}
    opening, _, *documents, question = impossible.prompt.partition(RULES)[0].split("\n\n")
    yield from ("```text", opening, "")
    for text in documents:
        heading, *sentences = text.splitlines()
        if heading.split(" ")[0] not in shown:
            sentences = [line for line in sentences if line[1:].partition("]")[0] in steps]
        if sentences:
            yield from (heading, *sentences, "")
    yield from (*question.splitlines(), "```", "", "The edit (first impossible, then answerable):", "")
    yield from edit(impossible.prompt, possible.prompt)
    yield from ("", "The right replies:", "")
    for task in (impossible, possible):
        reply = next(one["reply"] for one in task.answers if one["expected"]["verdict"] == "SOLVED")
        yield f"- {task.label.replace('_', ' ')}: `{reply}`"


def test_the_readme_example_of_a_packet_is_a_twin_pair():
    assert block("README.md", "pair") == list(example())
    assert "--families counterevidence_trap --kind number --mix balanced --n 2" in (ROOT / "README.md").read_text()


def test_the_readme_example_of_an_attack_is_a_task_and_its_numbers_hold():
    import impossible_rubrics_env as ire
    from impossible_rubrics_env.doubles import count_in

    task = ire.make_task("certified_interval", seed=1, record="golden-ratio", tau="1/2")
    assert " ".join(block("README.md", "attack")).split() == " ".join(task.prompt.split("\n\n")[:3]).split()
    assert task.room == 0
    assert ire.make_task("certified_interval", record="queens-8", room=0).question["grader"]["key"] == "92"
    assert count_in((92 * 10**15 - 1, 10**15), (92 * 10**15 + 1, 10**15)) == 1
    assert "With tolerance 5.1e-14 there would be 9 doubles" in (ROOT / "README.md").read_text()
    assert ire.make_task("certified_interval", record="golden-ratio", tau="0.51").room == 9


def test_packet_prompts_are_about_as_long_as_the_readme_says():
    import impossible_rubrics_env as ire

    sizes = sorted(len(task.prompt) for task in ire.generate("answer", n=200))
    assert "about 8,000 to 10,500 characters" in (ROOT / "README.md").read_text()
    assert 7_500 < sizes[20] < sizes[-20] < 11_000
    assert "which happens at 8,000" in (ROOT / "README.md").read_text()
    with pytest.raises(ire.ArgumentError, match="max_chars=8000"):
        list(ire.generate("answer", n=100, max_chars=8_000))


def test_the_python_of_the_readme_runs():
    code = (ROOT / "README.md").read_text().split("Without a framework:\n\n```python\n")[1].split("```")[0]
    exec(compile(code, "README.md", "exec"), {})


def rows(page, heading):
    """First cells of the table under a heading, as the names in backticks that they hold."""
    table = (ROOT / page).read_text().split(f"\n## {heading}\n")[1].split("\n## ")[0]
    cells = [line.split(" | ")[0] for line in table.splitlines() if line.startswith("| `")]
    return [name for cell in cells for name in re.findall(r"`(\w+)`", cell)]


def test_the_tables_of_arguments_name_every_argument():
    import dataclasses

    from impossible_rubrics_env.bindings.draw import DEFAULT_FAMILIES
    from impossible_rubrics_env.taskgen.arguments import DrawArguments

    known = {item.name for item in dataclasses.fields(DrawArguments)}
    for page, heading in (("README.md", "Environment arguments"), ("docs/verifiers.md", "Arguments")):
        named = rows(page, heading)
        assert sorted(named) == sorted({*known, "families", "num_train", "num_eval", "eval_split", "num_tasks"})
        assert f"`{DEFAULT_FAMILIES}`" in (ROOT / page).read_text()


def test_the_tables_of_signals_families_and_commands_are_whole():
    import impossible_rubrics_env as ire
    from impossible_rubrics_env import cli
    from impossible_rubrics_env.bindings.signals import MEASURES, SIGNALS
    from impossible_rubrics_env.taskgen.registry import ANSWER

    assert sorted(rows("README.md", "Metrics")) == sorted({"reward", *SIGNALS, *MEASURES})
    assert sorted(rows("docs/verifiers.md", "Reward and metrics")) == sorted({*SIGNALS, *MEASURES})
    assert sorted(rows("README.md", "The families")) == sorted(ire.FAMILIES)
    assert sorted(rows("README.md", "Commands")) == sorted(cli.COMMANDS)
    headings = re.findall(r"\n## `(\w+)`\n", (ROOT / "docs/families.md").read_text())
    assert headings == list(ANSWER)


@pytest.mark.parametrize(
    "page", ["README.md", "CONTRIBUTING.md", *(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md"))]
)
def test_links_between_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)\)", (ROOT / page).read_text()):
        assert ((ROOT / page).parent / target).exists(), target
