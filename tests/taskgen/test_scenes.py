"""Scenes: names that are not mistaken for each other, keys that facts may carry, and domains kept apart by split."""

import random
import re

import pytest

from impossible_rubrics_env.taskgen.packet_frames_wording import NOT_IN_NAMES
from impossible_rubrics_env.taskgen.scene_words import DOMAINS, ENDINGS, GRADES, ONSETS
from impossible_rubrics_env.taskgen.scenes import HELD_OUT_DOMAINS, TRAINING_DOMAINS, draw_scene, scene_of

NAME = re.compile(r"the( [A-Za-z-]+){1,4}")
KEY = re.compile(r"[A-Za-z0-9-]{1,20}")


def names_of(scene):
    return [
        *scene.measures,
        *scene.periods,
        *scene.subjects,
        *scene.places,
        *scene.registers,
        *scene.groups,
        scene.whole,
    ]


@pytest.fixture(params=DOMAINS, ids=lambda one: one.name)
def scene(request):
    return scene_of(random.Random(request.param.name), request.param)


def test_at_least_a_third_of_the_domains_is_held_out():
    assert len(DOMAINS) == 15
    assert 3 * len(HELD_OUT_DOMAINS) >= len(DOMAINS)
    assert len({one.name for one in DOMAINS}) == len(DOMAINS)


def test_a_split_draws_from_its_own_domains():
    drawn = {
        split: {draw_scene(random.Random(f"{split}{seed}"), split).domain for seed in range(300)}
        for split in ("train", "eval", "eval_wording", "eval_domain", "eval_harder")
    }
    assert drawn.pop("eval_domain") == {one.name for one in HELD_OUT_DOMAINS}
    assert all(names == {one.name for one in TRAINING_DOMAINS} for names in drawn.values())


def test_a_scene_has_the_parts_that_blocks_count_on(scene):
    sizes = [len(part) for part in (scene.measures, scene.periods, scene.subjects, scene.groups, scene.places)]
    assert sizes == [3, 4, 8, 3, 8]
    assert (len(scene.items), len(scene.registers)) == (20, 2)
    assert 4 <= len(scene.grades) <= 5
    assert scene.measures[0].key == scene.periods[0].key == ""
    assert all(name.key for name in (*scene.measures[1:], *scene.periods[1:]))
    assert all(name.key == name.text for name in (*scene.items, *scene.grades))


def test_names_are_ascii_phrases_without_the_words_that_frames_are_made_of(scene):
    for name in names_of(scene):
        assert NAME.fullmatch(name.text), name
        assert not set(name.text.split()[1:]) & set(NOT_IN_NAMES), name
        assert not name.text.endswith("s"), f"{name.text}'s"
    offices = [scene.words[f"office_{place}"] for place in range(3)]
    assert all(NAME.fullmatch(name) and not set(name.split()[1:]) & set(NOT_IN_NAMES) for name in offices)


def test_nothing_in_a_scene_shares_its_name_or_key_with_another(scene):
    names = [*names_of(scene), *scene.items]
    assert len({name.text for name in names}) == len(names)
    keys = [name.key for name in names if name.key]
    assert len(set(keys)) == len(keys)
    assert all(KEY.fullmatch(key) for key in (*keys, *(name.key for name in scene.grades)))
    assert "asked" not in keys


def test_made_up_names_begin_differently_so_that_none_is_mistaken_for_another(scene):
    stems = [name.key for name in (*scene.subjects, *scene.places)]
    assert not any(one[:3] == other[:3] for place, one in enumerate(stems) for other in stems[:place])


def test_there_are_enough_syllables_and_no_ending_is_a_word_of_place_names():
    assert len(set(ONSETS)) == len(ONSETS) >= 40
    assert len(set(ENDINGS)) == len(ENDINGS) >= 25
    assert not {"ton", "ham", "ford", "wick", "bury", "ville", "dale", "burg", "borough", "land"} & set(ENDINGS)


def test_grades_are_single_words_of_letters():
    assert all(word.isalpha() and word.isascii() for grades in GRADES for word in grades)
    assert all(len(set(grades)) == len(grades) for grades in GRADES)


def test_the_same_stream_draws_the_same_scene_and_other_streams_other_names():
    assert draw_scene(random.Random("a"), "train") == draw_scene(random.Random("a"), "train")
    drawn = [draw_scene(random.Random(seed), "train") for seed in range(200)]
    assert len({scene.subjects[0].text.split()[1] for scene in drawn}) > 150
    assert len({(scene.domain, scene.measures[0], scene.periods[0]) for scene in drawn}) > 60
