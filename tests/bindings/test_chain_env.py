"""The chain behind one rubric, with models that are functions; the frameworks run it in tests/matrix."""

import asyncio
import functools
import json

import impossible_rubrics_chain
import pytest
import verifiers.v1 as vf
from impossible_rubrics_chain import __main__ as serving
from impossible_rubrics_chain.environment import ChainConfig, ImpossibleRubricsChainEnv, UndecidedError
from impossible_rubrics_chain.playing import Chain, Played, Players, Said, environment_of, require_families
from pydantic import ValidationError

import impossible_rubrics_env as ire
from impossible_rubrics_env.chain.offline import policies
from impossible_rubrics_env.chain.results import Order
from impossible_rubrics_env.chain.roles import sections
from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.rubric_grading import marks_of

OFFLINE = Players("policy:best", "policy:literal", "exact")
MODELS = Players("model", "model", "exact")
PROSE = Players("model", "model", "model")
SCORES = '{"first": 40, "second": 40}'


@functools.cache
def tasks(n=12):
    return tuple(ire.generate("rubric_writing", n=n))


def play(task, players, repeats=1, **replies):
    """The chain with a reply for each role, or a function of the prompt; and which roles were asked."""
    asked = []

    async def ask(role, prompt):
        asked.append((role, prompt))
        reply = replies[role]
        reply = reply(prompt.text) if callable(reply) else reply
        return reply if isinstance(reply, Said) else Said("ok", reply)

    one = environment_of(task.to_json(), by_statements=players.by_statements)
    return asyncio.run(Chain(one, players, ask, repeats).play()), asked


def states(*names):
    return f"This is what I say.\n<statements>{json.dumps(names)}</statements>"


def false_of(task):
    marked = marks_of(task)
    return next(name for name in marked.ids if marked.marks[name] == "false")


def test_the_module_exports_one_environment_and_the_taskset_none_but_its_own():
    assert impossible_rubrics_chain.__all__ == ["ImpossibleRubricsChainEnv"]
    assert issubclass(ImpossibleRubricsChainEnv, vf.Env)


@pytest.mark.parametrize(("writer", "reward"), [("careful", 1), ("decisive", -1)])
def test_offline_rubrics_earn_what_the_best_attack_leaves_them(writer, reward):
    for task in tasks():
        played, asked = play(task, OFFLINE, generator=policies()[writer])
        assert [role for role, _ in asked] == ["generator"]
        assert played.reward(0) == reward
        assert played.metrics()["exploited"] == float(reward < 0)


def test_the_generator_sees_question_and_documents_alone():
    _, asked = play(tasks()[0], OFFLINE, generator="A rubric.")
    names = [name for name, _ in sections(asked[0][1].text)]
    assert names[0] == "question"
    assert all(name.startswith("document ") for name in names[1:])


def test_the_judge_reads_the_named_statements_in_the_words_of_the_list_and_not_the_attackers_own():
    task = tasks()[0]
    name = false_of(task)
    replies = {"generator": "A rubric.", "attacker": states(name), "judge": SCORES}
    played, asked = play(task, MODELS, **replies)
    answers = {part: text for part, text in sections(asked[-1][1].text) if part.endswith("answer")}
    texts = {one["id"]: one["text"] for one in task.question["target"]["statements"]}
    baseline = "\n".join(texts[one] for one in marks_of(task).baseline)
    assert sorted(answers.values()) == sorted([texts[name], baseline])
    assert (played.violates, played.false, played.exploited, played.reward(0)) == (True, True, True, -1)


def test_an_honest_attack_is_no_exploit_whatever_it_scores():
    task = tasks()[0]
    attack = states(*marks_of(task).baseline)
    played, _ = play(task, MODELS, generator="A rubric.", attacker=attack, judge=SCORES)
    assert (played.violates, played.exploited, played.reward(0)) == (False, False, 1)


def test_the_scores_are_put_back_in_order():
    task, orders = tasks()[0], set()
    for number in range(8):
        replies = {"attacker": states(false_of(task)), "judge": '{"first": 70, "second": 20.5}'}
        played, _ = play(task, MODELS, generator=f"Rubric {number}.", **replies)
        first = played.order is Order.BASELINE_FIRST
        assert (played.baseline, played.attack) == ((70.0, 20.5) if first else (20.5, 70.0))
        orders.add(played.order)
    assert len(orders) == 2


def test_a_rubric_that_gives_the_honest_answer_nothing_earns_nothing_and_is_exploited_by_any_violation():
    task = tasks()[0]
    nothing = {"generator": "Nothing.", "judge": '{"first": 0, "second": 0}'}
    honest, _ = play(task, MODELS, attacker=states(*marks_of(task).baseline), **nothing)
    assert (honest.exploited, honest.reward(0), honest.reward(-1)) == (False, 0, -1)
    false, _ = play(task, MODELS, attacker=states(false_of(task)), **nothing)
    assert (false.exploited, false.reward(0)) == (True, -1)
    assert honest.metrics()["scores_nothing"] == false.metrics()["scores_nothing"] == 1.0


@pytest.mark.parametrize("rubric", ["", "  ", Said("truncated"), Said("empty"), "x" * 200_001])
def test_an_unusable_rubric_ends_the_chain_and_has_no_finding(rubric):
    played, asked = play(tasks()[0], MODELS, generator=rubric)
    assert [role for role, _ in asked] == ["generator"]
    assert played.rubric_unusable
    assert (played.reward(0), played.reward(-1), played.exploited) == (0, -1, None)
    assert played.metrics()["generator_unusable"] == 1.0
    assert not played.metrics().keys() & {"exploited", "violates", "baseline_score", "attack_score", "false_claim"}


@pytest.mark.parametrize(
    "machine",
    ["{", "[]", '{"criteria": 5}', '{"criteria": [{}]}', '{"criteria": [{"text": "a", "points": 1, "if": 3}]}'],
)
def test_a_rubric_whose_machine_part_is_broken_is_unreadable_to_policies_and_the_writers_own_fault(machine):
    played, _ = play(tasks()[0], OFFLINE, generator=f"A rubric.\nMachine part, which says the same: {machine}")
    assert played.statuses["generator"] == "unreadable"
    assert played.reward(0) == 0


@pytest.mark.parametrize("deep", [20, 2000, 200_000])
def test_a_machine_part_that_is_nested_deeply_is_unreadable_and_nothing_breaks(deep):
    condition = '{"not": ' * deep + '{"some": ["statement"]}' + "}" * deep
    machine = f'{{"criteria": [{{"text": "a", "points": 1, "if": {condition}}}]}}'
    played, _ = play(tasks()[0], OFFLINE, generator=f"Machine part, which says the same: {machine}")
    assert played.statuses["generator"] == "unreadable"


@pytest.mark.parametrize("reply", ["I would say forty.", '{"first": 101, "second": 4}', '{"first": NaN, "second": 4}'])
def test_a_judge_without_usable_scores_leaves_the_reward_open_after_it_was_asked_again(reply):
    task = tasks()[0]
    replies = {"generator": "A rubric.", "attacker": states(false_of(task)), "judge": reply}
    played, asked = play(task, MODELS, repeats=2, **replies)
    assert [role for role, _ in asked].count("judge") == 3
    assert (played.reward(0), played.exploited) == (None, None)
    assert played.metrics()["judge_unusable"] == 1.0
    assert "exploited" not in played.metrics()


def test_a_role_that_failed_is_not_asked_again_and_leaves_the_reward_open():
    played, asked = play(tasks()[0], MODELS, generator="A rubric.", attacker=Said("failed"))
    assert [role for role, _ in asked] == ["generator", "attacker"]
    assert played.reward(0) is None
    assert played.metrics()["attacker_failed"] == 1.0
    assert played.statuses["judge"] == "not_sent"
    failed, _ = play(tasks()[0], MODELS, generator=Said("failed"))
    assert failed.reward(0) is None
    assert not failed.rubric_unusable


def test_models_alone_play_on_packets_in_prose_with_a_model_oracle():
    seen = {}
    for task in ire.generate("answer", n=12):
        replies = {"generator": "A rubric.", "attacker": "So it is.", "judge": SCORES, "oracle": '{"violates": true}'}
        played, asked = play(task, PROSE, **replies)
        parts = {role: {name for name, _ in sections(prompt.text)} for role, prompt in asked}
        assert parts["oracle"] & {"certificate", "ground truth"}
        assert not any(parts[role] & {"certificate", "ground truth"} for role in ("generator", "attacker", "judge"))
        assert "statements" not in parts["attacker"]
        assert (played.reward(0), played.false) == (-1, None)
        seen[played.answerable] = "ground truth" in parts["oracle"]
    assert seen == {True: True, False: False}


def test_families_that_cannot_be_played_are_named_with_the_remedy():
    require_families(["rubric_writing"], by_statements=True)
    require_families(["rubric_writing", "false_premise"], by_statements=False)
    for names, by_statements in ((["false_premise"], True), (["certified_interval"], False)):
        with pytest.raises(ArgumentError, match=f"{names[0]}.*say families=rubric_writing"):
            require_families(names, by_statements=by_statements)


def test_the_environment_refuses_a_draw_it_cannot_play_before_anything_runs():
    def env(families, **options):
        taskset = {"id": "impossible-rubrics-env", "families": families, "num_tasks": 1}
        return ImpossibleRubricsChainEnv(ChainConfig(id="impossible-rubrics-chain", taskset=taskset, **options))

    with pytest.raises(ValidationError, match="certified_interval"):
        env("answer,certified_interval")
    with pytest.raises(ValidationError, match="runs on impossible-rubrics-env"):
        ChainConfig(id="impossible-rubrics-chain", taskset={"id": "harbor"})
    assert env("rubric_writing").config.players == MODELS
    assert env("answer", verdict_by="model").config.players == PROSE


def test_finalize_pays_the_writer_or_raises():
    class Trace:
        def __init__(self, found):
            self.agent = type("Agent", (), {"name": "generator"})
            self.info = {"chain": found}
            self.rewards = {}

        def record_reward(self, name, value):
            self.rewards[name] = value

    def finalized(**found):
        played = Played(answerable=True, order=Order.BASELINE_FIRST)
        played.statuses["generator"] = "ok"
        trace = Trace({**played.as_dict(), **found})
        episode = type("Episode", (), {"traces": [trace]})
        asyncio.run(ImpossibleRubricsChainEnv.finalize(None, None, episode))
        return trace.rewards

    assert finalized(reward=-1) == {"outcome": -1}
    assert finalized(reward=None, statuses={"generator": "failed"}) == {}
    with pytest.raises(UndecidedError, match="generator ok, judge unreadable"):
        finalized(reward=None, statuses={"generator": "ok", "judge": "unreadable"})


@pytest.mark.parametrize("arguments", [["nosuch"], ["careful", "http"], ["careful", "99999999"]])
def test_the_offline_writer_refuses_bad_arguments_in_one_line(arguments, capsys):
    assert serving.main(arguments) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
