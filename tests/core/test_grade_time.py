"""Grading takes time linear in the reply, and a bounded time for what is bounded: no clock decides a verdict.

The bound: reading a reply walks its text a fixed number of times with `rfind` and `find`; a block is looked at up to
20,000 characters, a number up to 2,000. So doubling a reply at most doubles the time (the test allows a factor of
three, on the best of several runs, and adds a floor under which timers are noise).
"""

import gc
import json
import time
from pathlib import Path

import pytest

import impossible_rubrics_env as ire
from impossible_rubrics_env.grading import Verdict
from impossible_rubrics_env.task import Task

FIXTURES = json.loads(Path(__file__).with_name("grading_cases.json").read_text(encoding="ascii"))["tasks"]
TASK = Task.from_json(FIXTURES["breakable64"])
RIGHT = '<answer>{"attack": 64.05}</answer>'
FLOOR = 0.002
"""Seconds added to both times, so that noise on fast inputs cannot fail the ratio."""
GENEROUS = 5
"""Seconds for 10 MB: a hundred times what is needed, and far below what any superlinear step would take."""
MEGABYTES_10 = 10_000_000

JUNK = {
    "open answers": "<answer>",
    "open thinks": "<think>",
    "closed answers": "</answer>",
    "closed thinks": "</think>",
    "almost tags": "<answe",
    "angle brackets": "<",
    "braces": "{",
    "brackets": "[",
    "objects": '{"a":',
    "digits": "9",
    "dots": "1.",
    "minus signs": "-",
    "blanks": " ",
    "newlines": "\n",
    "quotes": '"',
    "backslashes": "\\",
    "fences": "```json\n",
    "non-ASCII digits": "\u0663",
    "surrogates": "\ud835",
    "astral": "\U0001d7d8",
    "answers": '<answer>{"attack": 64}</answer>',
}
FRAMES = {
    "alone": "{}",
    "before the answer": "{}" + RIGHT.replace("{", "{{").replace("}", "}}"),
    "after the answer": RIGHT.replace("{", "{{").replace("}", "}}") + "{}",
    "in the block": "<answer>{}</answer>",
    "as a number": '<answer>{{"attack": {}}}</answer>',
    "as a text": '<answer>{{"attack": "{}x"}}</answer>',
    "in a think block": "<think>{}</think>" + RIGHT.replace("{", "{{").replace("}", "}}"),
    "in an open block": '<answer>{{"attack": "{}',
}


def _reply(frame, junk, size):
    return FRAMES[frame].format(JUNK[junk] * (size // len(JUNK[junk])))


def _seconds(reply, runs=5):
    best = float("inf")
    gc.disable()
    try:
        for _ in range(runs):
            start = time.process_time()
            ire.grade(TASK, reply)
            best = min(best, time.process_time() - start)
    finally:
        gc.enable()
    return best


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("junk", JUNK)
def test_time_is_linear_in_the_length(junk, frame):
    """S035 to S038."""
    for size in (10_000, 500_000):
        single, double = _reply(frame, junk, size), _reply(frame, junk, 2 * size)
        ratios = [(FLOOR + _seconds(double)) / (FLOOR + _seconds(single)) for _ in range(2)]
        assert min(ratios) < 3, ratios


@pytest.mark.parametrize("junk", JUNK)
def test_ten_megabytes_of_junk_are_refused_in_time(junk):
    reply = JUNK[junk] * (MEGABYTES_10 // len(JUNK[junk]))
    start = time.process_time()
    grade = ire.grade(TASK, reply)
    assert time.process_time() - start < GENEROUS
    assert grade.verdict is (Verdict.WRONG if junk == "answers" else Verdict.REFUSED_PARSE)


@pytest.mark.parametrize("junk", sorted(set(JUNK) - {"open thinks", "open answers", "answers"}))
def test_ten_megabytes_of_junk_around_an_answer_do_not_matter(junk):
    filler = JUNK[junk] * (MEGABYTES_10 // len(JUNK[junk]) // 2)
    start = time.process_time()
    grade = ire.grade(TASK, filler + RIGHT + (filler if junk != "closed thinks" else ""))
    assert time.process_time() - start < GENEROUS
    assert (grade.verdict, grade.extra) == (Verdict.SOLVED, {"submitted": "64.05"})


@pytest.mark.parametrize(
    "text", ["1e300000", "1e-300000", "1e99999999", "1/1e99999999", "123e-999999999", "9**9**9**9"]
)
def test_exponent_bombs_cost_as_little_as_any_number(text):
    """S031, S034, S037: the text is bounded before anything is built."""
    assert _seconds(f'<answer>{{"attack": "{text}"}}</answer>') < 0.01


@pytest.mark.parametrize(
    "reply",
    [
        [{"role": "assistant", "content": "x"}] * 90_000,
        [{"role": "user", "content": "x"}] * 90_000,
        {"role": "assistant", "content": [{"type": "text", "text": "<answer>"}] * 90_000},
        [{"type": "text", "text": "x"}] * 1_000_000,
    ],
    ids=["assistant messages", "user messages", "parts", "a million parts"],
)
def test_long_conversations_are_read_in_time(reply):
    start = time.process_time()
    assert ire.grade(TASK, reply).verdict is Verdict.REFUSED_PARSE
    assert time.process_time() - start < GENEROUS


def test_the_first_grade_of_a_task_pays_for_its_proof_once():
    task = Task.from_json(FIXTURES["breakable64"])
    ire.grade(task, RIGHT)
    proved = task._grading
    ire.grade(task, RIGHT)
    assert task._grading is proved
