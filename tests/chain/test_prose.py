"""Prose against the statements that an attacker named."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from impossible_rubrics_env.chain.environments import drawn
from impossible_rubrics_env.chain.prose import Tokens, says_otherwise
from impossible_rubrics_env.chain.stages import _read_by_attackers

LIST = {
    "S1": "The answer is 1035.5.",
    "S2": "The full list reads A-1.",
    "S3": "The full list reads A-1 and A-2.",
    "S4": "What the question takes for granted is refuted by D4, D5 and D6.",
    "S5": "Paragraph D10.1 is out of force.",
    "S6": "The papers do not decide what is asked.",
    "S7": "The quantity asked for is at least 1/2.",
    "S8": "The answer is 10.",
    "S9": "The papers decide what is asked.",
}
READ = "How much, to the nearest 5 t?\nD1 | Report | 2034-05-07\n[D1.1] It is 267.56 t for A-1, A-2 and A-3.\nD4\nD12"


@pytest.mark.parametrize(
    ("prose", "named"),
    [
        ("It comes to 1,035.50 t in all.", "S1"),
        ("So: THE  ANSWER is 1035.5!", "S1"),
        ("The full list reads A-1 and A-2.", "S3"),
        ("The full list reads A-1, A-2 as shown.", "S3"),
        ("On the list there is A\u20111, nothing more.", "S2"),
        ("The premise falls with D4, D5, and D6; see also D12.", "S4"),
        ("The premise falls with D4 to D6, by the report of 7 May 2034.", "S4"),
        ("The premise falls with D4\u2013D6.", "S4"),
        ("As to d10.1, it has been withdrawn.", "S5"),
        ("1. It is at least 0.5 t.\n2. (1) No more is known.", "S7"),
        ("It stays open, whatever one takes from A-3 or the 267.56 t.", "S6"),
        ("The papers do not decide what is asked. The answer is 10.", "S6 S8"),
        ("The answer is 10 t.", "S8"),
        ("It is no more than that: 10t, a top-3 result, as S2 does not say.", "S8"),
    ],
)
def test_prose_that_says_no_more_is_no_mismatch(prose, named):
    assert not says_otherwise(prose, LIST, named.split(), READ)


@pytest.mark.parametrize(
    ("prose", "named"),
    [
        ("The papers do not decide what is asked. Yet the papers  decide what is asked, too.", "S6"),
        ("It is open. The answer is 10", "S6"),
        ("The answer is 1035.", "S1"),
        ("The answer is 10355.", "S1"),
        ("The premise falls with D4 and D5.", "S4"),
        ("The premise falls with D4 and D50.", "S4"),
        ("Paragraph D10 is out of force.", "S5"),
        ("The full list reads A-1.", "S3"),
        ("It is open, at 268 t.", "S6"),
        ("It is open, as D99 says.", "S6"),
        ("It is open, as B-1 and A-1 show.", "S6"),
        ("It is open, between 267.56 and 267,570.", "S6"),
        ("The papers do not decide what is asked.", "S6 S9"),
        ("At least 1/3, or half.", "S7"),
    ],
)
def test_prose_that_says_something_else_is_a_mismatch(prose, named):
    assert says_otherwise(prose, LIST, named.split(), READ)


def test_what_every_statement_has_is_not_asked_for():
    texts = {"S1": "In D1 it is 5.", "S2": "In D1 it is 6."}
    assert not says_otherwise("It is 5.", texts, ["S1"], "D1")
    assert says_otherwise("In D1 it is so.", texts, ["S1"], "D1")


def test_tokens_are_values_and_ids():
    found = Tokens.of("From \u22120.50 to 1,035 in D1.2, W-771 and D3-D5, 2034-05-07, 3e1.")
    assert found.ids == {"D1.2", "W-771", "D3", "D5"}
    assert {"-1/2", "1035", "2034", "5", "7", "30"} <= found.numbers
    assert not {"771", "2"} & found.numbers


TASKS = drawn("answer", 6, 7)
AROUND = ["", "Here is what I find.", "So much for that: on to the rest!", "It follows, as one can see, that", "Hence:"]


@st.composite
def answers(draw):
    """A task, ids that are named, and sentences around them."""
    one = draw(st.sampled_from(TASKS))
    named = draw(st.lists(st.sampled_from(list(one.statements.texts)), min_size=1, unique=True))
    return one, named, [draw(st.sampled_from(AROUND)) for _ in named], draw(st.sampled_from([" ", "\n", "\n\n"]))


@settings(deadline=None, max_examples=100)
@given(answers())
def test_the_named_statements_in_any_order_with_sentences_around_are_never_a_mismatch(made):
    one, named, around, gap = made
    texts = one.statements.texts
    prose = gap.join(f"{before}{gap}{texts[name]}" for before, name in zip(around, named, strict=True))
    assert not says_otherwise(prose, texts, sorted(named), _read_by_attackers(one))


@settings(deadline=None, max_examples=100)
@given(answers())
def test_a_named_statement_that_alone_holds_a_number_cannot_be_dropped(made):
    one, named, around, gap = made
    texts = one.statements.texts
    for dropped in named:
        kept = gap.join(
            f"{before}{gap}{texts[name]}" for before, name in zip(around, named, strict=True) if name != dropped
        )
        if Tokens.of(texts[dropped]).numbers - Tokens.of(kept).numbers:
            assert says_otherwise(kept, texts, named, _read_by_attackers(one))


@settings(deadline=None, max_examples=200)
@given(st.text(st.sampled_from("D1.2-,/5eA \n(\u2013)x\u0665"), max_size=40) | st.text(max_size=40))
def test_any_prose_is_told(prose):
    assert says_otherwise(prose, LIST, ["S1"], READ) in (True, False)


@pytest.mark.parametrize("unit", ["1,", "9", "D1-D2 ", "1/", " ", "the answer is 10 ", "A-1 and ", "x = ", "("])
def test_long_prose_takes_bounded_work(unit):
    prose = (unit * 200_000)[:200_000]
    start = time.process_time()
    says_otherwise(prose, LIST, ["S1", "S4"], READ)
    assert time.process_time() - start < 2
