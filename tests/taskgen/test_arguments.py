"""Arguments of the draw: canonical, validated with one clear line, and carried by the task id."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from impossible_rubrics_env import FAMILIES
from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.exact import rational
from impossible_rubrics_env.taskgen.arguments import (
    KINDS,
    MIXES,
    ORDERS,
    SHAPES,
    SOURCES,
    SPLITS,
    draw_arguments,
    parse_task_id,
    task_id,
)
from impossible_rubrics_env.taskgen.registry import ANSWER, ATTACK, family_weights, generate, make_task, rebuild

arguments = st.fixed_dictionaries(
    {},
    optional={
        "seed": st.integers(0, 2**63 - 1),
        "split": st.sampled_from(SPLITS),
        "mix": st.sampled_from(MIXES),
        "shape": st.sampled_from(("any", *SHAPES)),
        "source": st.sampled_from(SOURCES),
        "order": st.sampled_from(ORDERS),
        "record": st.sampled_from(("any", "sqrt-2", "a/b c&d=e?#%")),
        "penalty": st.sampled_from(("1", "3/2", "0.25")),
        "abstain": st.sampled_from((None, False, True, "true")),
        "rungs": st.sampled_from(("", "razor:3", "impossible:1,wide:2")),
        "tau": st.sampled_from(("", "0.51", "10001")),
        "room": st.sampled_from(("", "0", "17", 3)),
        "labels": st.sampled_from(("", "impossible:1", {"clear_positive": 2, "impossible": 1})),
        "kind": st.sampled_from(("any", *KINDS)),
        "depth": st.integers(0, 8),
        "documents": st.integers(0, 12),
        "distractors": st.integers(0, 20),
        "digits": st.integers(0, 4),
        "max_chars": st.sampled_from((0, 6000, "8000")),
    },
)


@given(arguments, st.integers(0, 10**9))
def test_a_task_id_carries_every_argument(given_arguments, index):
    try:
        drawn = draw_arguments(**given_arguments)
    except ArgumentError:
        return
    parsed = parse_task_id(task_id("certified_interval", "1", drawn, index))
    assert (parsed.family, parsed.version, parsed.index, parsed.arguments) == ("certified_interval", "1", index, drawn)


@pytest.mark.parametrize(
    ("given_arguments", "named"),
    [
        ({"sede": 1}, "did you mean 'seed'"),
        ({"nonsense": 1}, "unknown argument"),
        ({"seed": -1}, "seed=-1"),
        ({"seed": 1.5}, "seed=1.5"),
        ({"seed": True}, "seed=True"),
        ({"seed": 2**63}, "seed="),
        ({"split": "test"}, "split='test'"),
        ({"mix": "even"}, "mix='even'"),
        ({"tau": 0.51}, "write it as text"),
        ({"tau": "half"}, "tau='half'"),
        ({"tau": "-1"}, "tau='-1'"),
        ({"room": "-3"}, "room='-3'"),
        ({"room": 10**13}, "room="),
        ({"room": 5, "shape": "rounding"}, "room=5"),
        ({"tau": "1", "room": 5}, "tau"),
        ({"rungs": "razr:1"}, "razr"),
        ({"rungs": "razor:1,razor:2"}, "twice"),
        ({"rungs": "razor:0"}, "no positive weight"),
        ({"rungs": "razor:x"}, "razor has the weight 'x'"),
        ({"rungs": 7}, "rungs=7"),
        ({"labels": "breakable:1"}, "breakable"),
        ({"labels": "impossible:0"}, "no positive weight"),
        ({"labels": "impossible:1", "mix": "balanced"}, "without labels"),
        ({"kind": "essay"}, "kind='essay'"),
        ({"depth": 9}, "depth=9"),
        ({"depth": -1}, "depth=-1"),
        ({"documents": "many"}, "documents='many'"),
        ({"distractors": 2.0}, "distractors=2.0"),
        ({"digits": 5}, "from 0 to 4"),
        ({"max_chars": True}, "max_chars=True"),
        ({"abstain": "maybe"}, "abstain='maybe'"),
        ({"penalty": "1e99999"}, "penalty"),
        ({"record": ""}, "record=''"),
        ({"record": "x" * 300}, "record="),
        ({"shape": "certificate", "mix": "balanced"}, "unbreakable"),
        ({"scheme": "SEED"}, "scheme='SEED'"),
        ({"penalty": True}, "penalty=True"),
        ({"penalty": Decimal("0.5")}, "penalty=Decimal"),
        ({"tau": b"1"}, "tau=b'1'"),
        ({"tau": "1e-640"}, "10^60"),
        ({"split": ["train"]}, "split=['train']"),
        ({"order": "shuffled"}, "needs mix='balanced'"),
        ({"room": True}, "room=True"),
    ],
)
def test_a_wrong_argument_is_one_clear_line(given_arguments, named):
    with pytest.raises(ArgumentError) as caught:
        draw_arguments(**given_arguments)
    assert named in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    "text", ["", "x", "a@1/train/0", "a@1/train/0/x", "a@1/train/0/1/2", "a/train/0/1", None, "x" * 9000]
)
def test_text_that_is_no_task_id_is_refused(text):
    with pytest.raises(ArgumentError):
        parse_task_id(text)


def test_unknown_families_are_refused_with_the_near_one_named():
    with pytest.raises(ArgumentError, match="did you mean 'certified_interval'"):
        make_task("certified_intervall")
    with pytest.raises(ArgumentError, match="unknown family"):
        generate("everything")


def test_families_are_read_as_names_groups_lists_and_weights():
    for families in ("certified_interval", "attack", "certified_interval:3", {"certified_interval": 2}):
        assert list(family_weights(families)) == ["certified_interval"]
    assert list(family_weights("all")) == list(family_weights("rubric,answer,attack")) == list(FAMILIES)
    assert family_weights("attack:2,answer") == {name: 2 if name in ATTACK else 1 for name in (*ATTACK, *ANSWER)}
    for families in ("certified_interval,attack", "certified_interval:0", "certified_interval:x", 5, ""):
        with pytest.raises(ArgumentError):
            family_weights(families)


@pytest.mark.parametrize("index", [-1, 1.0, True, "0", 2**63])
def test_an_index_out_of_range_is_refused(index):
    with pytest.raises(ArgumentError):
        make_task("certified_interval", index=index)


def test_generate_checks_its_arguments_at_the_call():
    for bad in ({"n": -1}, {"n": 1.5}, {"seed": "x"}, {"tau": "x"}):
        with pytest.raises(ArgumentError):
            generate("all", **bad)


@pytest.mark.parametrize(
    "query", ["seed=1", "split=eval", "mix=balanced&mix=seed", "tau=2/4", "mix=seed", "tau=1/1" + "0" * 700]
)
def test_an_id_that_is_not_in_its_one_written_form_is_refused(query):
    with pytest.raises(ArgumentError):
        rebuild(f"certified_interval@1/train/0/0?{query}")
    with pytest.raises(ArgumentError):
        rebuild("certified_interval@1/train/00/0")


def test_exact_amounts_and_integers_of_any_library_are_taken_as_they_are():
    import numpy as np

    assert draw_arguments(penalty=rational("1/2")).penalty == "1/2"
    assert draw_arguments(seed=np.int64(7), room=np.int32(3)) == draw_arguments(seed=7, room=3)
    assert draw_arguments(depth=np.int8(2), digits="1") == draw_arguments(depth=2, digits=1)
    assert make_task("certified_interval", index=np.int64(2)) == make_task("certified_interval", index=2)


def test_things_that_are_no_tasks_or_families_are_refused_by_name():
    import impossible_rubrics_env as ire

    for call in (
        lambda: generate({}),
        lambda: make_task(["certified_interval"]),
        lambda: ire.twin("x"),
        lambda: ire.check(None),
    ):
        with pytest.raises(ire.ImpossibleRubricsError):
            call()
    with pytest.raises(ArgumentError):
        generate("attack:00000019999999999")


def test_an_id_of_another_version_is_refused():
    with pytest.raises(ArgumentError, match="another version"):
        rebuild("certified_interval@0/train/0/0")
