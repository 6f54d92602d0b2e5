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


def block(name):
    """Lines of the README between the markers of this name, without the code fence."""
    text = (ROOT / "README.md").read_text()
    inside = text.split(f"<!-- {name} -->\n")[1].split(f"<!-- /{name} -->")[0]
    return inside.strip().removeprefix("```\n").removesuffix("\n```").splitlines()


def printed(capsys, *arguments):
    from impossible_rubrics_env.cli import run

    assert run(arguments) == 0
    return [line.rstrip() for line in capsys.readouterr().out.splitlines()]


def test_the_readme_shows_what_the_sweep_prints(capsys):
    assert block("dial") == printed(capsys, "dial")
    assert block("sweep") == printed(capsys, "sweep")
    assert block("balanced") == printed(capsys, "sweep", "--draw", "balanced")


def test_the_readme_example_is_a_task_and_its_numbers_hold():
    import impossible_rubrics_env as ire
    from impossible_rubrics_env.doubles import count_in

    task = ire.make_task("certified_interval", seed=1, record="golden-ratio", tau="1/2")
    shown = (ROOT / "README.md").read_text().split("```\n")[1]
    assert shown.split() == " ".join(task.prompt.split("\n\n")[:3]).split()
    assert task.room == 0
    assert ire.make_task("certified_interval", record="queens-8", room=0).question["grader"]["key"] == "92"
    assert count_in((92 * 10**15 - 1, 10**15), (92 * 10**15 + 1, 10**15)) == 1
    assert "With tolerance 5.1e-14 there would be 9 doubles" in (ROOT / "README.md").read_text()
    assert ire.make_task("certified_interval", record="golden-ratio", tau="0.51").room == 9


def test_the_python_of_the_readme_runs():
    code = (ROOT / "README.md").read_text().split("Without a framework:\n\n```python\n")[1].split("```")[0]
    exec(compile(code, "README.md", "exec"), {})


@pytest.mark.parametrize(
    "page", ["README.md", "CONTRIBUTING.md", *(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md"))]
)
def test_links_between_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)\)", (ROOT / page).read_text()):
        assert ((ROOT / page).parent / target).exists(), target
