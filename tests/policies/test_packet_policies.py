"""The policies for answer tasks: on prompts written by hand, one a kind of question, and on drawn tasks."""

import json

import pytest

import impossible_rubrics_env as ire
from impossible_rubrics_env.reference_policies.answer_policies import BASELINES, GUESSERS
from impossible_rubrics_env.reference_policies.packet_frames import readings_of_sentence
from impossible_rubrics_env.reference_policies.packet_reading import read_packet
from impossible_rubrics_env.taskgen.registry import ANSWER

FAMILIES = ANSWER
DRAWS = {"train": 60, "eval_wording": 40, "eval_domain": 20, "eval_harder": 20}
PREMISE = "Given that the dust of the Arl kiln for the winter exceeds that of the Bem kiln, "
ASIDE = """D1 | Minutes, the Ovar Office | 2031-01-05
[D1.1] The dust of the Arl kiln for the winter is 9.2 kg.

D2 | Letter signed by Ann Orrel | 2031-01-06
[D2.1] According to the Ovar Office, the Bem kiln's dust for the winter is 9.1 kg.
[D2.2] The cost of printing was not reported."""


def prompt(documents, question, premise=PREMISE):
    paragraph = premise + question[0].lower() + question[1:]
    return f"A file.\n\nDocuments\n\n{ASIDE}\n\n{documents}\n\nQuestion\n{paragraph}\n\nReading rules\n\nReply format"


def reply_of(policy, text):
    return json.loads(BASELINES[policy](text).partition("<answer>")[2].partition("</answer>")[0])


RANGE = """D3 | Return, the Ovar Office | 2031-02-01
[D3.1] The ash of the whole for the spring is 84.0 kg to the nearest tenth of a kg.
[D3.2] The Arl kiln and the Bem kiln between them provide all of the ash of the whole for the spring.

D4 | Study by Ann Orrel | 2031-02-02
[D4.1] The Arl kiln's ash for the spring is at least 31.2 kg.
[D4.2] As noted by the Ovar Office, the ash of the Bem kiln for the spring amounts to {rest} kg or more."""


@pytest.mark.parametrize(("rest", "answer"), [("52.3", None), ("52.6", "31")])
def test_a_number(rest, answer):
    text = prompt(RANGE.format(rest=rest), "What is the ash of the Arl kiln for the spring, to the nearest kg? Answer.")
    reply = reply_of("careful", text)
    if answer:
        assert reply == {"verdict": "ANSWER", "value": answer}
    else:
        assert reply == {"verdict": "IMPOSSIBLE", "obstruction": "insufficient_evidence", "witness": ["31", "32"]}
    assert reply_of("eager", text)["verdict"] == "ANSWER"


@pytest.mark.parametrize(("known", "verdict"), [("31.3", "IMPOSSIBLE"), ("31.9", "ANSWER")])
def test_a_comparison(known, verdict):
    note = f"D5 | Note | 2031-02-03\n[D5.1] The ash of the Cor kiln for the spring is {known} kg."
    documents = f"{RANGE.format(rest='52.3')}\n\n{note}"
    text = prompt(documents, "Is the ash of the Arl kiln for the spring above that of the Cor kiln? Answer YES or NO.")
    reply = reply_of("careful", text)
    assert reply["verdict"] == verdict
    assert reply.get("value") == (None if verdict == "IMPOSSIBLE" else "NO")


def test_a_refuted_premise():
    turned = "Given that the dust of the Bem kiln for the winter exceeds that of the Arl kiln, "
    question = "What is the ash of the Arl kiln for the spring, to the nearest kg? Answer."
    reply = reply_of("careful", prompt(RANGE.format(rest="52.6"), question, turned))
    assert reply == {"verdict": "IMPOSSIBLE", "obstruction": "false_premise", "witness": ["D1", "D2"]}


PLAN = """D3 | Planning brief, Ovar Office | 2031-02-01
[D3.1] The combined ash of the Arl kiln and the Bem kiln for the spring must be at least {demand} kg.
[D3.2] The Ovar Office requires this: the Arl kiln's ash for the spring must not exceed 18.2 kg.
[D3.3] Under the rules of the Ovar Office, for the spring, the ash of the Bem kiln must be at most 23.2 kg.
[D3.4] The ash of the Arl kiln for the spring must not fall below 5 kg."""


@pytest.mark.parametrize("demand", ["41.5", "41.3"])
def test_a_plan(demand):
    question = (
        "Give a plan for the ash for the spring, with one figure for each of the Arl kiln and the Bem kiln. "
        "No exceptions can be made. "
        "Use the keys arl and bem for the Arl kiln and the Bem kiln, in this order; figures in kg."
    )
    reply = reply_of("careful", prompt(PLAN.format(demand=demand), question))
    if demand == "41.5":
        assert reply["obstruction"] == "objective_conflict"
        assert reply["witness"] == ["D3.1", "D3.2", "D3.3"]
    else:
        assert set(reply["value"]) == {"arl", "bem"}


CLAIMS = """D3 | Study | 2031-02-01
[D3.1] The ash of every kiln of the upper row for the spring is at least 12.5 kg.

D4 | Study | 2031-02-02
[D4.1] The Arl kiln's ash for the spring is at least {bound} kg.

D5 | Study | 2031-02-03
[D5.1] The dust of the Arl kiln for the spring is at least 19 kg.

D6 | Glossary | 2031-02-04
[D6.1] The upper row includes the Bem kiln."""


@pytest.mark.parametrize("bound", ["12.4", "12.6"])
def test_a_document(bound):
    question = "Which document establishes that the ash of the Arl kiln for the spring is at least 12.5 kg? Cite one."
    reply = reply_of("careful", prompt(CLAIMS.format(bound=bound), question))
    if bound == "12.6":
        assert reply["value"] == "D4"
    else:
        failing = {"D1": "period", "D2": "subject", "D3": "subject", "D4": "bound", "D5": "measure", "D6": "finding"}
        assert reply["obstruction"] == "missing_citation"
        assert reply["witness"] == failing


REGISTER = """D3 | Register extract | 2031-02-01
[D3.1] The ash roll shows K-1, assigned to the Nor shed, with 10 kg, hazard class C.
[D3.2] K-2 is entered in the ash roll under the {first} shed: 20 kg, hazard class under review.
[D3.3] Entry in the ash roll: K-3, the {second} shed, 30 kg, its hazard class given as D.
[D3.4] The ash roll holds exactly 3 entries.
[D3.5] The ash roll is complete for the Arl kiln and the Bem kiln.

D4 | Glossary | 2031-02-02
[D4.1] Whatever is assigned to the Nor shed counts under the Arl kiln.
[D4.2] The Sou shed comes under the Bem kiln.
[D4.3] There are no kilns but the Arl kiln and the Bem kiln.
[D4.4] The hazard classes rise in this order: A, B, C and D.
[D4.5] For the spring, the ash of any kiln means the sum of the figures of its lots in the ash roll."""


@pytest.mark.parametrize(("first", "second"), [("Nor", "Sou"), ("Sou", "Nor")])
def test_a_list(first, second):
    question = "List all lots of the Arl kiln for the spring with hazard class C or higher. The list must be complete."
    reply = reply_of("careful", prompt(REGISTER.format(first=first, second=second), question))
    if first == "Nor":
        assert reply == {"verdict": "IMPOSSIBLE", "obstruction": "impossible_exhaustiveness", "witness": ["K-2"]}
    else:
        assert reply == {"verdict": "ANSWER", "value": ["K-1", "K-3"]}


def test_a_withdrawn_finding_counts_for_nothing():
    late = "D5 | Notice | 2031-03-01\n[D5.1] This notice withdraws paragraph {target}.\n"
    known = (
        "D6 | Note | 2031-02-03\n[D6.1] The ash of the Arl kiln for the spring is 31.3 kg.\n"
        "[D6.2] The seating plan is subject to revision."
    )
    question = "What is the ash of the Arl kiln for the spring, to the nearest kg? Answer."
    for target, verdict in (("D6.1", "IMPOSSIBLE"), ("D6.2", "ANSWER"), ("D2.1", "ANSWER")):
        documents = f"{RANGE.format(rest='52.3')}\n\n{late.format(target=target)}\n{known}"
        assert reply_of("careful", prompt(documents, question))["verdict"] == verdict


@pytest.mark.parametrize("policy", [name for name in BASELINES if name != "never"])
def test_a_prompt_that_cannot_be_read_gets_unsure(policy):
    assert reply_of(policy, "Read this.") == {"verdict": "UNSURE"}
    assert reply_of(policy, prompt("D3 | Note | 2031-02-01\n[D3.1] The moon is full.", "Why?")) == {"verdict": "UNSURE"}


@pytest.mark.parametrize("split", DRAWS)
@pytest.mark.parametrize("family", FAMILIES)
def test_careful_solves_every_drawn_task(family, split):
    for task in ire.generate(family, n=DRAWS[split], split=split):
        assert ire.grade(task, BASELINES["careful"](task.prompt)).verdict == ire.Verdict.SOLVED, task.id


@pytest.mark.parametrize("split", ["train", "eval_wording"])
@pytest.mark.parametrize("family", FAMILIES)
def test_every_drawn_sentence_is_read_in_one_way(family, split):
    for task in ire.generate(family, n=40, split=split):
        for document in read_packet(task.prompt).documents:
            for sentence in document.sentences:
                assert len(list(readings_of_sentence(sentence.text))) == 1, sentence.text


@pytest.mark.parametrize("family", FAMILIES)
def test_eager_is_right_where_there_is_an_answer_and_never_refuses(family):
    for task in ire.generate(family, n=60):
        grade = ire.grade(task, BASELINES["eager"](task.prompt))
        assert grade.verdict == (ire.Verdict.WRONG if task.label == "impossible" else ire.Verdict.SOLVED), task.id


@pytest.mark.parametrize("family", FAMILIES)
def test_every_reply_is_readable_and_blind_players_lose(family):
    tasks = list(ire.generate(family, n=120))
    for name, policy in BASELINES.items():
        grades = [ire.grade(task, policy(task.prompt)) for task in tasks]
        assert all(grade.well_formed for grade in grades), name
        if name not in {"careful", "eager"}:
            assert sum(grade.reward for grade in grades) < 0, name


@pytest.mark.parametrize("name", GUESSERS)
@pytest.mark.parametrize("family", FAMILIES)
def test_guesses_are_readable(family, name):
    for task in ire.generate(family, n=20):
        reply = GUESSERS[name](task.prompt, task.label == "impossible")
        assert ire.grade(task, reply).well_formed, (task.id, reply)
