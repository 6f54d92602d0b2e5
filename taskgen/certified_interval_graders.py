"""Graders of `certified_interval`: the exact rule, what it accepts, and the count of breaking doubles."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from impossible_rubrics_env.doubles import ordinals_in
from impossible_rubrics_env.exact import Rational, number_text, ratio_of, ratio_text, rational
from impossible_rubrics_env.task import NARROW_ROOM, RAZOR_ROOM, Rung, rung_of
from impossible_rubrics_env.taskgen.acceptance import Acceptance, Rounding, leading_exponent, rounds_alike, within
from impossible_rubrics_env.taskgen.arguments import DrawArguments
from impossible_rubrics_env.taskgen.certified_interval_wording import TIES
from impossible_rubrics_env.taskgen.tolerance import (
    Placement,
    empty_tolerance,
    shortest_decimal,
    tolerance_text,
    tolerances_for_room,
)

MAX_ROUNDING_DIGITS = 30


@dataclass(frozen=True, slots=True)
class Plan:
    """What is drawn before any quantity is looked at."""

    shape: str
    rungs: tuple[Rung, ...]
    """One wanted rung, or the two of a twin pair."""
    breakable_rung: Rung
    """The breakable one of them; of an unbreakable task, that whose length of tolerance it imitates."""
    frames: tuple[int, int, int]
    """Places of the phrasings in the bank, reduced by its sizes."""
    gap: bool
    mode: str
    ties: str


@dataclass(frozen=True, slots=True)
class Rule:
    """A grader: its exact parameters, what it accepts, and the count that decides the label."""

    shape: str
    key: Rational
    grader: Mapping[str, Any]
    """As the interchange format carries it."""
    words: Mapping[str, str]
    """As the prompt prints it."""
    acceptance: Acceptance
    accepted: tuple[int, int]
    room: int


def rule_for(rng: random.Random, plan: Plan, rung: Rung, placement: Placement, arguments: DrawArguments) -> Rule | None:
    """A grader of the planned shape that should land on the rung; None where this placement has none."""
    if plan.shape == "certificate":
        certificate = placement.certificate
        return _counted(placement, "certificate", {}, {}, Acceptance(certificate.lo, True, certificate.hi, True))
    if arguments.tau:
        width = placement.certificate.hi - placement.certificate.lo
        tolerance = rational(arguments.tau) * width
        return _tolerance_rule(placement, "absolute", tolerance, tolerance_text(tolerance)) if width else None
    if plan.shape != "absolute" and placement.key == 0:
        return None
    room = _wanted_room(rng, rung, arguments)
    if plan.shape == "rounding":
        return _rounding_rule(rng, plan, placement, room)
    scale = abs(placement.key) if plan.shape == "relative" else rational(1)
    imitated = room or _wanted_room(rng, plan.breakable_rung, arguments)
    tolerances = tolerances_for_room(placement, imitated)
    decimal = shortest_decimal(tolerances.low / scale, tolerances.high / scale, rng)
    if room == 0:
        digits, close = len(str(decimal.units)), arguments.split == "eval_harder"
        decimal = empty_tolerance(placement, rng, scale=scale, digits=digits, gap=plan.gap, close=close)
    return _tolerance_rule(placement, plan.shape, decimal.value(), decimal.text())


def _wanted_room(rng: random.Random, rung: Rung, arguments: DrawArguments) -> int:
    """A room in the rung: uniform in the razor, log-uniform above."""
    if arguments.room and rung == rung_of(int(arguments.room)):
        return int(arguments.room)
    if rung == Rung.IMPOSSIBLE:
        return 0
    if rung == Rung.RAZOR:
        return rng.randrange(1, 3 if arguments.split == "eval_harder" else RAZOR_ROOM + 1)
    bits = rng.randrange(4, 20) if rung == Rung.NARROW else rng.randrange(20, 40)
    room = rng.randrange(2**bits, 2 ** (bits + 1))
    return min(room, NARROW_ROOM) if rung == Rung.NARROW else max(room, NARROW_ROOM + 1)


def _tolerance_rule(placement: Placement, shape: str, tolerance: Rational, text: str) -> Rule:
    reach = tolerance * abs(placement.key) if shape == "relative" else tolerance
    return _counted(
        placement, shape, {"tolerance": ratio_text(tolerance)}, {"tolerance": text}, within(placement.key, reach)
    )


def _rounding_rule(rng: random.Random, plan: Plan, placement: Placement, room: int) -> Rule | None:
    """Digits whose rounding cell leaves about the wanted room; the rung decides whether it lands."""
    reach = tolerances_for_room(placement, room).low if room else min(placement.above, placement.below)
    places = -leading_exponent(2 * reach) + rng.randrange(-1, 2 if room else 4)
    digits = places
    if plan.mode == "significant":
        digits += leading_exponent(placement.key) + 1
    if not (plan.mode == "significant") <= digits <= MAX_ROUNDING_DIGITS:
        return None
    rounding = Rounding(plan.mode, digits, plan.ties)
    acceptance, rounded = rounds_alike(placement.key, rounding)
    grader = {"mode": plan.mode, "digits": digits, "ties": plan.ties, "rounded": ratio_text(rounded)}
    words = {"digits": str(digits), "ties": TIES[plan.ties], "rounded": number_text(rounded)}
    return _counted(placement, "rounding", grader, words, acceptance)


def _counted(
    placement: Placement, shape: str, grader: Mapping[str, Any], words: Mapping[str, str], acceptance: Acceptance
) -> Rule:
    """The rule with its accepted doubles counted: the room is what lies outside the certificate."""
    certificate = placement.certificate
    first, last = ordinals_in(
        ratio_of(acceptance.lo),
        ratio_of(acceptance.hi),
        low_closed=acceptance.lo_closed,
        high_closed=acceptance.hi_closed,
    )
    common = max(0, min(last, certificate.last) - max(first, certificate.first) + 1)
    room = max(0, last - first + 1) - common
    key = {} if shape == "certificate" else {"key": ratio_text(placement.key)}
    return Rule(shape, placement.key, {"shape": shape, **key, **grader}, words, acceptance, (first, last), room)
