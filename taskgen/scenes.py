"""Scenes: a domain's vocabulary with fictional names, drawn for one packet.

A scene comes in from a random stream and a split; held-out domains are used by `eval_domain` and by nothing else.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass

from impossible_rubrics_env.taskgen.scene_words import (
    DOMAINS,
    ENDINGS,
    FIRST_NAMES,
    GRADES,
    GROUPS,
    ONSETS,
    Domain,
)
from impossible_rubrics_env.taskgen.statements import Group, Name

SUBJECTS, PLACES, ITEMS, OFFICES, PERSONS = 8, 8, 20, 3, 3
TRAINING_DOMAINS = tuple(domain for domain in DOMAINS if not domain.held_out)
HELD_OUT_DOMAINS = tuple(domain for domain in DOMAINS if domain.held_out)


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that the documents of one packet may name."""

    domain: str
    held_out: bool
    unit: str
    measures: tuple[Name, ...]
    """Three; the first is the one asked about and has no key."""
    periods: tuple[Name, ...]
    """Four; likewise."""
    subjects: tuple[Name, ...]
    """Eight, in no order."""
    groups: tuple[Group, ...]
    """Three."""
    places: tuple[Name, ...]
    """Eight."""
    items: tuple[Name, ...]
    """Twenty codes such as `K-114`."""
    grades: tuple[Name, ...]
    """Four or five, the lowest first."""
    registers: tuple[Name, ...]
    """Two."""
    whole: Name
    """An account that some subjects share; of the others it says nothing, so their figures cannot contradict it."""
    words: Mapping[str, str]
    """Nouns and titles of the domain; keys as `_words` makes them."""


def draw_scene(rng: random.Random, split: str) -> Scene:
    """A scene for a split: of the held-out domains for `eval_domain`, of the others for every other split."""
    return scene_of(rng, rng.choice(HELD_OUT_DOMAINS if split == "eval_domain" else TRAINING_DOMAINS))


def scene_of(rng: random.Random, domain: Domain) -> Scene:
    """A scene of the domain."""
    stems = _stems(rng, SUBJECTS + PLACES + OFFICES + PERSONS)
    proper = stems[SUBJECTS + PLACES :]
    return Scene(
        domain=domain.name,
        held_out=domain.held_out,
        unit=domain.unit,
        measures=_asked_first(rng, domain.measures),
        periods=_asked_first(rng, domain.periods),
        subjects=tuple(_named(stem, domain.subject) for stem in stems[:SUBJECTS]),
        groups=tuple(_group(word, domain) for word in rng.sample(GROUPS, 3)),
        places=tuple(_named(stem, domain.place) for stem in stems[SUBJECTS : SUBJECTS + PLACES]),
        items=_items(rng, domain.codes),
        grades=tuple(Name(word, word) for word in rng.choice(GRADES)),
        registers=tuple(Name(word.replace(" ", "-"), f"the {word}") for word in domain.registers),
        whole=Name("whole", f"the {domain.whole}"),
        words=_words(domain, proper, rng.sample(FIRST_NAMES, PERSONS)),
    )


def _stems(rng: random.Random, number: int) -> list[str]:
    """Made-up names that begin differently from each other, so that none is mistaken for another."""
    return [onset + rng.choice(ENDINGS) for onset in rng.sample(ONSETS, number)]


def _named(stem: str, noun: str) -> Name:
    return Name(stem.lower(), f"the {stem} {noun}")


def _group(word: str, domain: Domain) -> Group:
    text = f"the {word} {domain.group}"
    return Group(word, text, f"every {domain.subject} of {text}")


def _asked_first(rng: random.Random, texts: tuple[str, ...]) -> tuple[Name, ...]:
    """Names in a drawn order; the first, which the question asks about, has no key."""
    drawn = rng.sample(texts, len(texts))
    return tuple(Name(text.split()[0] if place else "", f"the {text}") for place, text in enumerate(drawn))


def _items(rng: random.Random, letters: str) -> tuple[Name, ...]:
    letter = rng.choice(letters)
    codes = (f"{letter}-{number}" for number in rng.sample(range(101, 1000), ITEMS))
    return tuple(Name(code, code) for code in codes)


def _words(domain: Domain, stems: list[str], first_names: list[str]) -> dict[str, str]:
    """`subject_kind`, `item_kinds` and so on; three offices, three persons, and what titles are made of."""
    kinds = {
        "subject": (domain.subject, domain.subjects),
        "place": (domain.place, domain.places),
        "item": (domain.item, domain.items),
        "grade": (domain.grade, domain.grades),
    }
    words = {f"{name}_kind": one for name, (one, _) in kinds.items()}
    words |= {f"{name}_kinds": many for name, (_, many) in kinds.items()}
    offices = zip(stems[:OFFICES], domain.offices, strict=True)
    words |= {f"office_{place}": f"the {stem} {noun}" for place, (stem, noun) in enumerate(offices)}
    persons = zip(first_names, stems[OFFICES:], strict=True)
    words |= {f"person_{place}": f"{first} {stem}" for place, (first, stem) in enumerate(persons)}
    words |= {f"record_{place}": text for place, text in enumerate(domain.records)}
    words |= {f"study_{place}": text for place, text in enumerate(domain.studies)}
    return words | {
        "group_kind": domain.group,
        "one_unit": domain.one_unit,
        "unit_a": f"{domain.unit_article} {domain.one_unit}",
        "matter": domain.matter,
        "field": domain.field,
    }
