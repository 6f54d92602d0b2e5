"""Every sentence is read back into its meaning, by a reader that is made from the page of frames and nothing else."""

import functools
import json
import re

import pytest
from listed import ASKED, cases

from impossible_rubrics_env.exact import ratio_text, rational
from impossible_rubrics_env.taskgen.statement_wording import HELD_OUT, MEANINGS, TRAINING

CODE = r"[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?"
NUMBER = r"-?\d+(?:\.\d+|/\d+)?"
SLOTS = {
    "number": NUMBER,
    "other": NUMBER,
    "document": r"D\d+",
    "notice": r"D\d+",
    "sentence": r"D\d+\.\d+",
    "item": CODE,
    "shown": CODE,
    "names": rf"{CODE}(?:(?:, | and ){CODE})*",
    "plan": rf"{CODE} = {NUMBER}(?:(?:, | and ){CODE} = {NUMBER})*",
    "reasons": r"D\d+[^()]* \([a-z]+\)(?:; D\d+[^()]* \([a-z]+\))*",
}
MARKED = re.compile(r"number|other|names|name|document|reason|notice|item|shown|sentence")


def split(text):
    return re.split(r", | and ", text)


def read_slot(name, text):
    """What a slot holds, as meanings have it."""
    if name in ("number", "other"):
        return ratio_text(rational(text))
    if name == "names":
        return split(text)
    if name == "plan":
        return {key: ratio_text(rational(value)) for key, value in (one.split(" = ") for one in split(text))}
    if name == "reasons":
        groups = [re.fullmatch(r"(.*) \(([a-z]+)\)", group).groups() for group in text.split("; ")]
        return {document: reason for documents, reason in groups for document in split(documents)}
    return text


@functools.cache
def frames(page, bank):
    """By name of the frame: the meaning as the page prints it, and patterns for whole sentences."""
    section = page.split("# Sentence frames of statements")[1].split("## Statements: ")[bank]
    found = {}
    for name, meaning, listed in re.findall(r"Statement `(.*?)`, which means `(.*?)`:\n\n((?:- `.*`\n?)+)", section):
        patterns = []
        for frame in re.findall(r"- `(.*)`", listed):
            parts = re.split(r"\{([a-z]+)\}", frame)
            pattern = "".join(
                f"(?P<{part}>{SLOTS[part]})" if at % 2 else re.escape(part) for at, part in enumerate(parts)
            )
            patterns.append(re.compile(pattern))
        found[name] = (meaning, patterns)
    return found


def meant(meaning, slots):
    """The meaning with its slots filled."""
    if "{name: number}" in meaning:
        return {"kind": "answer", "value": slots["plan"]}
    if "{document: reason}" in meaning:
        return {"kind": "ground", "obstruction": "missing_citation", "witness": slots["reasons"]}
    quoted = re.sub(r"(?<![\"a-z_])(number|other|names|document|notice|item|shown|sentence)(?![\"a-z_])",
                    lambda one: json.dumps(slots[one[0]]), meaning)  # fmt: skip
    return json.loads(quoted.replace("[[", "[").replace("]]", "]"))


def readings(text, kind, known):
    """Every meaning that the sentence can have where a question of this kind is asked."""
    for name, (meaning, patterns) in known.items():
        parts = name.split()
        if parts[:2] == ["ground", "insufficient_evidence"] and parts[2] != kind:
            continue
        if parts[0] == "answer" and parts[-1] not in ANSWERS[kind]:
            continue
        for pattern in patterns:
            if match := pattern.fullmatch(text):
                slots = {slot: read_slot(slot, value) for slot, value in match.groupdict().items()}
                yield meant(meaning, slots)


ANSWERS = {
    "number": ("number",),
    "yes_no": ("yes", "no"),
    "list": ("list",),
    "document": ("document",),
    "plan": ("plan",),
}


@pytest.fixture
def page(pytestconfig):
    return (pytestconfig.rootpath / "docs/frames.md").read_text()


@pytest.mark.parametrize("held_out", [False, True])
@pytest.mark.parametrize(("family", "kind"), ASKED)
def test_every_sentence_has_its_meaning_and_no_other(family, kind, held_out, page):
    known = frames(page, 2 if held_out else 1)
    for task, listed in cases(family, kind, 4, seed=7, held_out=held_out):
        for one in listed.statements:
            assert list(readings(one["text"], kind, known)) == [plain(one["means"])], (task.id, one)


def plain(meaning):
    return json.loads(json.dumps(meaning))


def test_the_page_has_every_frame_and_its_meaning(page):
    for bank, held in ((1, TRAINING), (2, HELD_OUT)):
        assert {name: meaning for name, (meaning, _) in frames(page, bank).items()} == {
            name: f"{{{MEANINGS[name]}}}" for name in held
        }


def test_phrasings_are_enough_and_none_is_held_out_and_not():
    assert TRAINING.keys() == HELD_OUT.keys() == MEANINGS.keys()
    assert all(len(frames) >= 3 for frames in TRAINING.values())
    assert all(len(frames) >= 2 for frames in HELD_OUT.values())
    listed = [frame for bank in (TRAINING, HELD_OUT) for frames in bank.values() for frame in frames]
    assert len(listed) == len(set(listed))
    for frames in TRAINING.values():
        for frame in frames:
            assert "paper" not in frame or frame in (*TRAINING["hedge 0"], *TRAINING["hedge 1"], *TRAINING["hedge 2"])


def test_an_empty_list_and_a_list_of_one_are_read_back(page):
    from impossible_rubrics_env.taskgen.statement_wording import render

    for held_out in (False, True):
        for value in ([], ["K-1"], ["K-1", "and-2"], ["a", "b", "c"]):
            for pick in range(6):
                meaning = {"kind": "answer", "value": value}
                text = render(meaning, "list", pick, held_out)
                assert list(readings(text, "list", frames(page, 1 + held_out))) == [meaning]
