"""What a question takes for granted: that one quantity exceeds another, and the documents on it, for or against.

Every packet has this part. It is about another period or measure than the one asked, so nothing in it bears on the
answer; only the figures decide whether the premise holds. The twins differ in one figure.
"""

import random
from typing import NamedTuple

from impossible_rubrics_env.exact import Rational, ratio_text, rational
from impossible_rubrics_env.task import Rung
from impossible_rubrics_env.taskgen.arguments import choose
from impossible_rubrics_env.taskgen.draft import DraftDocument, document
from impossible_rubrics_env.taskgen.scenes import Scene
from impossible_rubrics_env.taskgen.statements import (
    Fact,
    Figure,
    Name,
    Quantity,
    Statement,
    difference,
    linear,
    multiple,
    together,
    value,
)


class Premise(NamedTuple):
    """The part of a packet that is about the premise."""

    documents: tuple[DraftDocument, ...]
    presupposes: tuple[Fact, ...]
    quantities: tuple[Quantity, Quantity]
    margin: tuple[str, str]
    """By how much the premise holds or fails, and the unit of the last printed digit."""


class _Ground(NamedTuple):
    """What a shape may use: the quantities by subject, the printed digits, the first figure, and the edit."""

    quantities: list[Quantity]
    places: int
    base: Rational
    gap: Rational
    """First quantity minus second: the margin, negative where the premise is false."""
    moved: bool
    """Whether the first quantity's figure carries the edit, and not the second's."""


GENRES = ("record", "study", "minutes")


def build(rng: random.Random, scene: Scene, rung: Rung, digits: int, *, holds: bool) -> Premise:
    """The premise part; draws do not depend on `holds`."""
    period, measure = choose(rng, ((scene.periods[2], scene.measures[0]), (scene.periods[1], scene.measures[1])))
    subjects: list[Name] = rng.sample(scene.subjects, 5)
    places = digits or choose(rng, (1, 1, 2))
    unit = rational(1, 10**places)
    steps, places = _steps(rng, rung, places)
    gap = rational(steps, 10**places)
    ground = _Ground(
        [Quantity(subject, period, measure) for subject in subjects],
        places,
        rational(rng.randrange(60 * 10**places, 400 * 10**places), 10**places),
        gap if holds else -gap,
        rng.randrange(2) == 0,
    )
    if rng.randrange(5) < 2:
        statements, decoys = choose(rng, (_whole_less_part, _chain))(rng, ground), _decoys(rng, ground)
    else:
        statements, decoys = choose(rng, (_bound_by_third, _both_by_thirds))(rng, ground), _looser(rng, ground)
    documents = [
        document(f"premise{place}", choose(rng, GENRES), [stated])
        for place, stated in enumerate((*statements, *decoys))
    ]
    first, second = ground.quantities[:2]
    presupposed = {"id": "p1", **linear({first.variable: 1, second.variable: -1}, ">", rational(0))}
    return Premise(tuple(documents), (presupposed,), (first, second), (ratio_text(abs(gap)), ratio_text(unit)))


def _steps(rng: random.Random, rung: Rung, places: int) -> tuple[int, int]:
    """The margin in printed units, and how many digits are printed to hold it."""
    if rung is Rung.RAZOR:
        return rng.randrange(1, 11), places + 2
    if rung is Rung.NARROW:
        return rng.randrange(2, 11), places + 1
    return rng.randrange(2, 40), places


def _unit(ground: _Ground) -> Rational:
    return rational(1, 10**ground.places)


def _figure(ground: _Ground, number: Rational) -> Figure:
    return Figure(number, ground.places)


def _ends(ground: _Ground) -> tuple[Rational, Rational]:
    """Figures of the first and the second quantity: one of them stays where it is, the other carries the edit."""
    if ground.moved:
        return ground.base + ground.gap, ground.base
    return ground.base, ground.base - ground.gap


def _bound_by_third(rng: random.Random, ground: _Ground) -> list[Statement]:
    """One of the two bounds goes by way of a third quantity."""
    most, least = _ends(ground)
    a, b, c = ground.quantities[:3]
    part = rational(rng.randrange(5 * 10**ground.places, 40 * 10**ground.places), 10**ground.places)
    if rng.randrange(2):
        first = [difference(a, c, "<=", _figure(ground, part)), value(c, "<=", _figure(ground, most - part))]
        return [*first, value(b, ">=", _figure(ground, least))]
    second = [difference(b, c, ">=", _figure(ground, part)), value(c, ">=", _figure(ground, least - part))]
    return [value(a, "<=", _figure(ground, most)), *second]


def _both_by_thirds(rng: random.Random, ground: _Ground) -> list[Statement]:
    """Each of the two bounds goes by way of another quantity."""
    most, least = _ends(ground)
    a, b, c, _, e = ground.quantities
    scale = 10**ground.places
    part, other = (rational(rng.randrange(5 * scale, 40 * scale), scale) for _ in range(2))
    return [
        difference(a, c, "<=", _figure(ground, part)),
        value(c, "<=", _figure(ground, most - part)),
        difference(b, e, ">=", _figure(ground, other)),
        value(e, ">=", _figure(ground, least - other)),
    ]


def _looser(rng: random.Random, ground: _Ground) -> list[Statement]:
    """Bounds of the same kind on the same two quantities, of which none is tight enough to matter."""
    a, b, _, d, _ = ground.quantities
    scale = 10**ground.places
    slack, more, part = (rational(rng.randrange(5 * scale, 45 * scale), scale) for _ in range(3))
    top, bottom = ground.base + abs(ground.gap) + slack, max(ground.base - abs(ground.gap) - more, _unit(ground))
    choices = [
        [value(a, "<=", _figure(ground, top))],
        [value(b, ">=", _figure(ground, bottom))],
        [difference(a, d, "<=", _figure(ground, part)), value(d, "<=", _figure(ground, top - part))],
        [
            difference(b, d, ">=", _figure(ground, part)),
            value(d, ">=", _figure(ground, max(bottom - part, _unit(ground)))),
        ],
    ]
    first = choose(rng, choices[:2])
    second = choose(rng, [one for one in choices if one is not first])
    return [*first, *second]


def _whole_less_part(rng: random.Random, ground: _Ground) -> list[Statement]:
    """The second is what the sum of two leaves: three documents together."""
    first, second = _ends(ground)
    other = _around(rng, ground)
    a, b, c = ground.quantities[:3]
    return [
        value(a, "=", _figure(ground, first)),
        together((c, b), "=", _figure(ground, second + other)),
        value(c, "=", _figure(ground, other)),
    ]


def _chain(rng: random.Random, ground: _Ground) -> list[Statement]:
    """The first by way of a multiple, the second by a gap from the same third."""
    a, b, c = ground.quantities[:3]
    first, second = _ends(ground)
    half = rational(int(_around(rng, ground) * 10**ground.places), 10**ground.places)
    if rng.randrange(2) == 0:
        return [
            value(c, "=", _figure(ground, half)),
            difference(a, c, "=", _figure(ground, first)),
            value(b, "=", _figure(ground, half + second)),
        ]
    return [
        value(c, "=", _figure(ground, half)),
        multiple(a, "=", 2, c),
        value(b, "=", _figure(ground, 2 * half - ground.gap)),
    ]


def _around(rng: random.Random, ground: _Ground) -> Rational:
    return rational(rng.randrange(40 * 10**ground.places, 300 * 10**ground.places), 10**ground.places)


def _decoys(rng: random.Random, ground: _Ground) -> list[Statement]:
    """True and idle: one of the two by way of a third of which only a loose bound is known, and a weak bound.

    They hang together as the refuting documents do, and only arithmetic tells that they prove too little.
    """
    a, b, _, d, e = ground.quantities
    first, op = choose(rng, ((True, "<="), (False, ">=")))
    named = a if first else b
    # The bound is far above, or below, all that the two can be; the third stays above 0.
    size = rational(rng.randrange(2 * 10**ground.places, 50 * 10**ground.places), 10**ground.places)
    edge = rational(rng.randrange(800 * 10**ground.places, 1200 * 10**ground.places), 10**ground.places)
    if op == "<=":
        loose = [difference(named, d, "=", _figure(ground, size)), value(d, "<=", _figure(ground, edge))]
    else:
        low = rational(rng.randrange(1, 20 * 10**ground.places), 10**ground.places)
        loose = [difference(d, named, "=", _figure(ground, size)), value(d, ">=", _figure(ground, size + low))]
    weak = choose(
        rng,
        (
            value(choose(rng, (a, b)), ">=", _figure(ground, rational(rng.randrange(5, 40)))),
            value(choose(rng, (a, b)), "<=", _figure(ground, rational(rng.randrange(800, 1500)))),
            value(e, choose(rng, ("<=", ">=")), _figure(ground, _around(rng, ground))),
        ),
    )
    return [*loose, weak][: rng.randrange(2, 4)]
