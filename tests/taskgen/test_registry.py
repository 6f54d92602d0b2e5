"""The draw over families, with a packet family of the test's own: each takes the arguments that it uses, twins stay
together, and an id holds only what made its task."""

import types
from collections import Counter

import pytest

import impossible_rubrics_env as ire
from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.task import Label, Role, Rung, Task
from impossible_rubrics_env.taskgen import registry
from impossible_rubrics_env.taskgen.arguments import (
    MAX_TRIES,
    dial_weights,
    draw_arguments,
    fits,
    streams,
    task_id,
)
from impossible_rubrics_env.taskgen.pairs import place_of, twin_index_of
from impossible_rubrics_env.taskgen.registry import draw_weights, family_arguments, generate, make_task, rebuild

NAME = "stub_packets"
USES = frozenset({"rungs", "labels", "kind", "depth", "documents", "distractors", "digits", "max_chars"})


STUBBED = pytest.mark.usefixtures("stub")


def make(arguments, index):
    """A task whose prompt is what its stream gave."""
    place = place_of(arguments, NAME, "1", index)
    for rng in streams(arguments, NAME, "1", place.key):
        prompt = f"{rng.getrandbits(64)} " + "x" * rng.randrange(1000)
        if fits(arguments, [prompt]):
            break
    return Task(
        id=task_id(NAME, "1", arguments, index),
        pair_id=task_id(NAME, "1", arguments, place.key),
        family=NAME,
        role=Role.ANSWER,
        label=place.label,
        rung=Rung.WIDE,
        room=1,
        generator_version="1",
        params=arguments.as_params(USES, Role.ANSWER),
        prompt=prompt,
        packet={},
        question={"kind": "number"},
        certificate={},
        answers=(),
    )


@pytest.fixture
def stub(monkeypatch):
    """The registry with the stub beside the real families."""
    module = types.SimpleNamespace(
        FAMILY=NAME,
        VERSION="1",
        USES=USES,
        KINDS=("number", "yes_no", "list"),
        make=make,
        twin_index=lambda arguments, index: twin_index_of(arguments, NAME, "1", index),
    )
    load = registry._load
    names = ("certified_interval", NAME)
    groups = {"answer": (NAME,), "attack": ("certified_interval",), "all": names}
    registry.family_arguments.cache_clear()
    monkeypatch.setattr(registry, "ANSWER", (NAME,))
    monkeypatch.setattr(registry, "GROUPS", groups)
    monkeypatch.setattr(registry, "_load", lambda name: module if name == NAME else load(name))
    yield
    registry.family_arguments.cache_clear()


def test_the_families_of_the_package_are_those_of_the_registry():
    assert registry.GROUPS["all"] == ire.FAMILIES
    assert set(registry.GROUPS["all"]) == {*registry.ANSWER, *registry.ATTACK, *registry.RUBRIC}
    for name in ire.FAMILIES:
        module = registry._load(name)
        task = make_task(name)
        assert (module.FAMILY, task.family, task.role) == (name, name, registry.role_of(name))
        assert rebuild(task.id) == task


@STUBBED
def test_an_argument_that_nothing_drawn_from_uses_is_refused_by_name():
    with pytest.raises(ArgumentError, match="depth=3 is used by none of: certified_interval"):
        generate("attack", depth=3)
    with pytest.raises(ArgumentError, match="tau='1/2' is used by none of: stub_packets"):
        make_task(NAME, tau="1/2")
    with pytest.raises(ArgumentError, match="depth"):
        rebuild("certified_interval@1/train/0/0?depth=3")
    generate("all", depth=3, tau="1/2")


@STUBBED
def test_of_several_families_each_takes_only_what_it_uses():
    tasks = list(generate("all", n=60, depth=3, shape="absolute", abstain=True, seed=4))
    assert {task.family for task in tasks} == {"certified_interval", NAME}
    for task in tasks:
        assert ("depth=3" in task.id) == ("depth" in task.params) == (task.family == NAME)
        assert ("shape=absolute" in task.id) == ("shape" in task.params) == (task.family != NAME)
        assert rebuild(task.id) == task
        arguments = {"depth": 3} if task.family == NAME else {"shape": "absolute"}
        index = int(task.id.partition("?")[0].rpartition("/")[2])
        assert make_task(task.family, index=index, seed=4, abstain=True, **arguments) == task


@STUBBED
def test_whether_unsure_is_offered_is_in_the_id_only_where_it_is_not_the_familys_default():
    for family, default in (("certified_interval", False), (NAME, True)):
        for given in (None, False, True):
            task = make_task(family, abstain=given)
            offered = default if given is None else given
            assert task.params["abstain"] is offered
            assert task.id.endswith(f"?abstain={str(offered).lower()}") == (offered != default)
    with pytest.raises(ArgumentError, match="as this package writes it"):
        rebuild(f"{NAME}@1/train/0/0?abstain=true")
    with pytest.raises(ArgumentError, match="as this package writes it"):
        rebuild("certified_interval@1/train/0/0?abstain=false")


@STUBBED
def test_presentation_and_a_cap_that_is_kept_change_no_packet():
    for index in range(40):
        plain = make_task(NAME, index=index)
        for given in ({"abstain": False}, {"penalty": 3, "scheme": "train"}, {"max_chars": 5000}):
            assert make_task(NAME, index=index, **given).prompt == plain.prompt
        if len(plain.prompt) <= 600:
            assert make_task(NAME, index=index, max_chars=600).prompt == plain.prompt


@STUBBED
def test_a_task_over_the_cap_is_drawn_again_and_no_cap_is_tried_forever():
    assert all(len(task.prompt) <= 300 for task in generate(NAME, n=100, max_chars=300))
    with pytest.raises(ArgumentError, match=f"max_chars=10: {MAX_TRIES} draws"):
        make_task(NAME, max_chars=10)


@STUBBED
def test_default_labels_are_two_to_two_to_one_and_twins_stand_side_by_side():
    tasks = list(generate(NAME, n=4000))
    counts = Counter(task.label for task in tasks)
    assert counts[Label.IMPOSSIBLE] == counts[Label.HARD_POSITIVE]
    assert abs(counts[Label.CLEAR_POSITIVE] - 800) < 100
    for first, second in zip(tasks[::2], tasks[1::2], strict=True):
        twins = first.label is not Label.CLEAR_POSITIVE
        assert (first.pair_id == second.pair_id) == twins
        assert (first.prompt == second.prompt) == twins
        if twins:
            assert ire.twin(first) == second
            assert ire.twin(second) == first
        else:
            assert first.pair_id == first.id
            with pytest.raises(ValueError, match="no twin"):
                ire.twin(first)
    sides = Counter(task.label for task in tasks[::2])
    assert abs(sides[Label.IMPOSSIBLE] - sides[Label.HARD_POSITIVE]) < 150


@STUBBED
@pytest.mark.parametrize(
    ("labels", "shares"),
    [
        ("impossible:1", {"impossible": 1}),
        ("impossible:3,hard_positive:1", {"impossible": 3 / 4, "hard_positive": 1 / 4}),
        ({"clear_positive": 1, "hard_positive": 1}, {"clear_positive": 1 / 2, "hard_positive": 1 / 2}),
    ],
)
def test_labels_come_by_their_shares(labels, shares):
    tasks = list(generate(NAME, n=2000, labels=labels))
    counts = Counter(task.label for task in tasks)
    assert {str(label): round(count / 2000, 1) for label, count in counts.items()} == {
        name: round(share, 1) for name, share in shares.items()
    }
    assert len({task.prompt for task in tasks if task.pair_id == task.id}) == sum(
        task.pair_id == task.id for task in tasks
    )
    assert all(rebuild(task.id) == task for task in tasks[:50])


@STUBBED
@pytest.mark.parametrize("order", ["paired", "shuffled"])
@pytest.mark.parametrize("families", [NAME, "all"])
def test_a_balanced_draw_holds_both_twins_of_every_pair(order, families):
    tasks = list(generate(families, n=512, mix="balanced", order=order))
    ids = {task.id for task in tasks}
    assert len(ids) == 512
    for task in tasks:
        assert ire.twin(task).id in ids
        assert rebuild(task.id) == task
    beside = sum(first.pair_id == second.pair_id for first, second in zip(tasks[::2], tasks[1::2], strict=True))
    assert beside == 256 if order == "paired" else beside < 20


def test_labels_are_fixed_in_a_balanced_draw():
    with pytest.raises(ArgumentError, match="without labels"):
        draw_arguments(mix="balanced", labels="impossible:1")


@STUBBED
def test_packets_have_no_impossible_rung():
    arguments = draw_arguments(rungs="impossible:3,razor:1,wide:1")
    assert dial_weights(arguments) == {Rung.RAZOR: 1, Rung.WIDE: 1}
    assert family_arguments(NAME, arguments).rungs == "razor:1,wide:1"
    assert family_arguments("certified_interval", arguments).rungs == "impossible:3,razor:1,wide:1"
    assert make_task(NAME, rungs="impossible:1,razor:1").id == make_task(NAME, rungs="razor:1").id
    for families in (NAME, "all"):
        with pytest.raises(ArgumentError, match="use labels"):
            generate(families, rungs="impossible:1")
    assert draw_weights("attack", draw_arguments(rungs="impossible:1"))


@STUBBED
def test_a_kind_leaves_out_the_families_that_never_ask_it():
    assert list(draw_weights("all", draw_arguments(kind="list"))) == ["certified_interval", NAME]
    assert list(draw_weights("all", draw_arguments(kind="number", depth=2))) == ["certified_interval", NAME]
    with pytest.raises(ArgumentError, match="kind='plan' is asked by none of: stub_packets"):
        make_task(NAME, kind="plan")
    with pytest.raises(ArgumentError, match="kind='list' is used by none of: certified_interval"):
        generate("attack", kind="list")
