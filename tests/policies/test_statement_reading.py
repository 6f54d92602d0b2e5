"""The reader and the judge of statements: every frame that docs/frames.md lists, and every mark that is proved."""

import re
from pathlib import Path

import pytest

import impossible_rubrics_env as ire
from impossible_rubrics_env.exact import rational
from impossible_rubrics_env.reference_policies.statement_judging import judge
from impossible_rubrics_env.reference_policies.statement_reading import meanings, read
from impossible_rubrics_env.rubrics.marks import FALSE_MARKS

PACKETS = (
    "insufficient_evidence",
    "objective_conflict",
    "false_premise",
    "missing_citation",
    "counterevidence_trap",
    "impossible_exhaustiveness",
)
KINDS = ("number", "yes_no", "list", "document", "plan")
SPLITS = {"train": 24, "eval_wording": 24, "eval_domain": 10, "eval_harder": 6}
FILLED = {
    "{number}": "12.5",
    "{other}": "40/3",
    "{document}": "D3",
    "{notice}": "D11",
    "{sentence}": "D3.2",
    "{item}": "K-12",
    "{shown}": "D4.1",
    "{plan}": "arl = 3, bem = 4.5 and cor = 0",
    "{reasons}": "D1, D2 and D4 (subject); D3 (finding)",
}
NAMES = {"answer list": "K-1, K-2 and K-30", "objective_conflict": "D1.2 and D4.10", "false_premise": "D1"}
PAGE = Path(__file__).parents[2] / "docs" / "frames.md"


def frames():
    """Name and text of every frame of statements on the page."""
    name = None
    for line in PAGE.read_text("utf-8").partition("# Sentence frames of statements\n")[2].splitlines():
        if found := re.match(r"Statement `(.+?)`, which means", line):
            name = found[1]
        elif name and line.startswith("- `"):
            yield name, line[3:-1]


@pytest.mark.parametrize(("name", "frame"), list(frames()))
def test_every_frame_on_the_page_is_read_in_one_way(name, frame):
    text = frame
    for slot, value in FILLED.items():
        text = text.replace(slot, value)
    text = text.replace("{names}", next((value for key, value in NAMES.items() if key in name), ""))
    kind = name.rpartition(" ")[2]
    answered = {"answer yes": "yes_no", "answer no": "yes_no", "answer empty list": "list", "answer plan": "plan"}
    kinds = [answered.get(name, kind if kind in KINDS else "number")]
    for asked in kinds if "answer" in name or kind in KINDS or "bound" in name else KINDS:
        found = list(meanings(text, asked))
        assert len(found) == 1, (text, found)
        stated = found[0]
        assert stated["kind"] in {name.partition(" ")[0], "settled", "standing"}
        if stated["kind"] == "ground":
            assert stated["obstruction"] == name.split(" ")[1]


def drawn(n, split, packet, **arguments):
    return ire.generate("rubric_writing", n=n, split=split, packet=packet, seed=17, **arguments)


def canonical(value):
    """A meaning with its numbers as numbers."""
    if isinstance(value, dict):
        return {name: canonical(member) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [canonical(member) for member in value]
    try:
        return rational(value) if isinstance(value, str) else value
    except ValueError:
        return value


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("packet", PACKETS)
def test_every_drawn_statement_is_read_and_marked_as_it_is_proved(packet, split):
    for task in drawn(SPLITS[split], split, packet):
        reading = read(task.prompt)
        listed = task.question["target"]["statements"]
        assert {one["id"]: canonical(one["means"]) for one in listed} == canonical(reading.means), task.id
        judged, proved = judge(reading).marks, task.certificate["proof"]["marks"]
        for name, mark in proved.items():
            assert judged[name] == ("false" if mark in FALSE_MARKS else mark), (task.id, name, reading.means[name])


def test_the_drawn_tasks_are_of_all_kinds_and_labels():
    tasks = [task for packet in PACKETS for task in drawn(SPLITS["train"], "train", packet)]
    assert {task.question["target"]["question"]["kind"] for task in tasks} == set(KINDS)
    assert {task.label for task in tasks} == {"impossible", "hard_positive", "clear_positive"}


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda text: text.replace("\n\nStatements\n", "\n\nSentences\n"), "no statements"),
        (lambda text: text.replace("\n[S1] ", "\n[S1] Perhaps. "), "no frame has this statement"),
        (lambda text: text.replace('", "if": ', '", "when": ', 1), "no rubric"),
        (lambda text: text.replace("\n\nDocuments\n\n", "\n\nPapers\n\n"), "no documents"),
    ],
)
def test_what_cannot_be_read_is_named(change, complaint):
    task = ire.make_task("rubric_attack", index=0)
    with pytest.raises(ValueError, match=complaint):
        read(change(task.prompt))
