"""Prose against the statements that an attacker named."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from impossible_rubrics_env.chain.environments import drawn
from impossible_rubrics_env.chain.prose import says_otherwise, tokens
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
        ("It is open, at 268 t.", "S6"),
        ("It is open, as D99 says.", "S6"),
        ("It is open, as B-1 and A-1 show.", "S6"),
        ("It is open, between 267.56 and 267,570.", "S6"),
        ("It is open, as document 12 says.", "S6"),
        ("It is open, as I am 10% sure; 1/2 the points, 10/10, the 10th of May.", "S6"),
        ("It is 1 035.5 t.", "S1"),
        ("It is 1\u00a0035.5 t.", "S1"),
        ("It is 1'035.5 t.", "S1"),
        ("It is 1{,}035.5 t.", "S1"),
        ("It is 1035,5 t.", "S1"),
        ("It is _1035.5_ or ...1035.5.", "S1"),
        ("At least .5 t.", "S7"),
        ("At least one half, or 0.50.", "S7"),
        ("At least \u00bd.", "S7"),
        ("Ten, by what one can see.", "S8"),
        ("It falls with document 4, document 5 and document 6.", "S4"),
        ("It falls with documents 4, 5 and 6.", "S4"),
        ("It falls with D 4, D05 and d6.", "S4"),
        ("It falls with D4 through D06.", "S4"),
        ("D10, paragraph 1, no longer counts.", "S5"),
        ("D10.01 no longer counts.", "S5"),
        ("D10.1-3 no longer count.", "S5"),
        ("On the list are A1 and A 2.", "S3"),
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
        ("The papers do not decide what is asked.", "S6 S9"),
        ("At least 1/3.", "S7"),
        ("It is open, at 1,035.50 t.", "S6"),
        ("It is open. It is 10GB.", "S6"),
        ("It is open, at 10 units.", "S6"),
        ("It is open:\n10.", "S6"),
        ("It is open (10).", "S6"),
        ("It is open, at 0.01 thousand.", "S6"),
    ],
)
def test_prose_that_says_something_else_is_a_mismatch(prose, named):
    assert says_otherwise(prose, LIST, named.split(), READ)


ANSWERS = {
    "S1": "The answer is 120.",
    "S2": "The answer is 2500000.",
    "S3": "The documents do not settle the question.",
    "S4": "No plan meets the requirements in D15.3, D15.4 and D15.5 together.",
    "S5": "This rests on D7.",
    "S6": "The answer is 150.",
    "S7": "The figure asked for is 1035.5.",
    "S8": "The quantity asked for is at least 1/2.",
}
PACKET = "How much is it, in GB?\nD7 | Report | 2034-05-07\n[D7.1] It is 267.56 GB.\nD15"
HARMLESS = [
    "",
    "Here is what I find.",
    "So much for that: on to the rest!",
    "It follows, as one can see, that",
    "Hence:",
    "I am 95% sure.",
    "Confidence: 0.9.",
    "See also section 4.2.",
    "This is how it stood in 2025.",
    "It awards 50 points under the rubric.",
    "Step 1: read the papers. Step 2: decide.",
    "There are two points, 1) and 2).",
    "Score: 100/100.",
    "This is the 3rd and last of 987654321 reasons.",
]


@pytest.mark.parametrize("sentence", HARMLESS)
@pytest.mark.parametrize("name", ANSWERS)
def test_a_harmless_sentence_beside_a_named_statement_is_no_mismatch(name, sentence):
    for prose in (f"{ANSWERS[name]} {sentence}", f"{sentence}\n{ANSWERS[name]}"):
        assert not says_otherwise(prose, ANSWERS, [name], PACKET)


@pytest.mark.parametrize(
    ("prose", "name"),
    [
        ("It comes to 1 035.5 GB.", "S7"),
        ("It comes to .5 GB or more.", "S8"),
        ("It comes to 2.5 million.", "S2"),
        ("It comes to 2.5 million of 2500 thousand.", "S2"),
        ("It comes to one hundred and twenty.", "S1"),
        ("So says document 7.", "S5"),
        ("So says D 7.", "S5"),
        ("So says D07.", "S5"),
        ("What D15.3-5 ask for goes beyond any plan.", "S4"),
        ("What D15.3 to D15.5 ask for goes beyond any plan.", "S4"),
    ],
)
def test_a_number_or_id_may_be_written_in_any_form(prose, name):
    assert not says_otherwise(prose, ANSWERS, [name], PACKET)


@pytest.mark.parametrize(
    "claim",
    ["It is 150GB.", "It is 150 units.", "It comes to\n150.", "It is open (150).", "2.5 million, then.", "Say 1 035.5"],
)
def test_prose_of_a_refusal_that_claims_a_listed_value_is_a_mismatch(claim):
    assert says_otherwise(f"{ANSWERS['S3']} {claim}", ANSWERS, ["S3"], PACKET)


def test_what_every_statement_has_is_not_asked_for():
    texts = {"S1": "In D1 it is 5.", "S2": "In D1 it is 6."}
    assert not says_otherwise("It is 5.", texts, ["S1"], "D1")
    assert says_otherwise("In D1 it is so.", texts, ["S1"], "D1")


def test_tokens_are_values_and_ids():
    found = tokens("From \u22120.50 to 1,035 in D1.2, W-771 and D3-D5, 2034-05-07, 3e1.")
    assert found == {"D1.2", "W-771", "D3", "D5", "1/2", "1035", "2034", "5", "7", "30"}


TASKS = drawn("answer", 6, 7)
NO_NUMBERS = HARMLESS[:5]


@st.composite
def answers(draw, sentences):
    """A task, ids that are named, and sentences around them."""
    one = draw(st.sampled_from(TASKS))
    named = draw(st.lists(st.sampled_from(list(one.statements.texts)), min_size=1, unique=True))
    return one, named, [draw(st.sampled_from(sentences)) for _ in named], draw(st.sampled_from([" ", "\n", "\n\n"]))


@settings(deadline=None, max_examples=100)
@given(answers(HARMLESS))
def test_the_named_statements_in_any_order_with_sentences_around_are_never_a_mismatch(made):
    one, named, around, gap = made
    texts = one.statements.texts
    prose = gap.join(f"{before}{gap}{texts[name]}" for before, name in zip(around, named, strict=True))
    assert not says_otherwise(prose, texts, sorted(named), _read_by_attackers(one))


@settings(deadline=None, max_examples=100)
@given(answers(NO_NUMBERS))
def test_a_named_statement_that_alone_holds_a_number_cannot_be_dropped(made):
    one, named, around, gap = made
    texts = one.statements.texts
    for dropped in named:
        kept = gap.join(
            f"{before}{gap}{texts[name]}" for before, name in zip(around, named, strict=True) if name != dropped
        )
        if any(token[0].isdigit() for token in tokens(texts[dropped]) - tokens(kept)):
            assert says_otherwise(kept, texts, named, _read_by_attackers(one))


@settings(deadline=None, max_examples=200)
@given(st.text(st.sampled_from("D1.2-,/5eA \n(\u2013)x\u0665"), max_size=40) | st.text(max_size=40))
def test_any_prose_is_told(prose):
    assert says_otherwise(prose, LIST, ["S1"], READ) in (True, False)


@pytest.mark.parametrize("unit", ["1,", "9", "D1-D2 ", "1/", " ", "the answer is 10 ", "A-1 and ", "x = ", "("])
def test_long_prose_takes_bounded_work(unit):
    prose = (unit * 200_000)[:200_000]
    start = time.process_time()
    for named in (["S1", "S4"], ["S6"]):
        says_otherwise(prose, LIST, named, READ)
    assert time.process_time() - start < 2
