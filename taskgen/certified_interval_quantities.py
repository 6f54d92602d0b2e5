"""Quantities of `certified_interval`: ledger records and fresh parametric ones, with the places a key may take.

Combinations of quantity, key and grader shape are divided between training and evaluation, so that the two never
share a task.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from zlib import crc32

from impossible_rubrics_env.certificates.ledger import Record, check_record, load_ledger, record_from_json
from impossible_rubrics_env.certificates.provers.parametric import PARAMETRIC_KINDS, draw_record
from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.exact import rational
from impossible_rubrics_env.taskgen.arguments import ANY, SHAPES, DrawArguments, choose
from impossible_rubrics_env.taskgen.tolerance import Placement, certificate_of, key_positions, place_key

PARAMETRIC_PERCENT = 25
EVALUATION_PART = 4
"""One in so many combinations of quantity, key and shape is for evaluation and never drawn for training."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A certified number as the draw uses it."""

    record: Record
    embedded: Mapping[str, Any] | None
    """The whole record, for one that is in no ledger."""
    placements: Mapping[tuple[str, bool], tuple[Placement, ...]]
    """By grader shape and whether they are for evaluation."""


def refuse(arguments: DrawArguments) -> None:
    """Raise ArgumentError on a record that does not exist, or that goes with a source."""
    if arguments.record == ANY:
        return
    if arguments.source != "mixed":
        raise ArgumentError(f"record={arguments.record!r} fixes the quantity: it goes without source")
    if arguments.record not in load_ledger() and arguments.record not in PARAMETRIC_KINDS:
        raise ArgumentError(f"record={arguments.record!r} is neither in the ledger nor a parametric kind")


def draw_quantity(rng: random.Random, arguments: DrawArguments) -> Quantity:
    """A quantity that the arguments allow. Raises ArgumentError on a record that does not exist."""
    held_out = arguments.split == "eval_domain"
    parametric = arguments.source == "parametric"
    if arguments.source == "mixed":
        parametric = rng.randrange(100) < PARAMETRIC_PERCENT
    if arguments.record != ANY:
        refuse(arguments)
        in_ledger = arguments.record in load_ledger()
        return _ledger_quantity(arguments.record) if in_ledger else _drawn_quantity(rng, arguments.record)
    if parametric:
        return _drawn_quantity(rng, choose(rng, _parametric_kinds(held_out)))
    return _ledger_quantity(choose(rng, _ledger_names(held_out)))


def placements_for(quantity: Quantity, shape: str, arguments: DrawArguments) -> Sequence[Placement]:
    """Placements open to this draw: those of its side of the split, or all where the caller fixes the record."""
    sides = [quantity.placements.get((shape, held_out), ()) for held_out in (False, True)]
    if arguments.record == ANY:
        return [
            placement for placement in sides[arguments.split != "train"] if not arguments.tau or placement.is_middle
        ]
    return [placement for side in sides for placement in side if not arguments.tau or placement.is_middle]


@lru_cache(maxsize=2)
def _parametric_kinds(held_out: bool) -> tuple[str, ...]:
    """Parametric kinds of the training draw, or the held-out third."""
    return tuple(kind for place, kind in enumerate(sorted(PARAMETRIC_KINDS)) if (place % 3 == 2) == held_out)


@lru_cache(maxsize=2)
def _ledger_names(held_out: bool) -> tuple[str, ...]:
    """Ledger records of the training draw, or those of the held-out third of topics."""
    topics = sorted({record.topic for record in load_ledger().values()})
    chosen = {topic for place, topic in enumerate(topics) if (place % 3 == 2) == held_out}
    return tuple(record.id for record in load_ledger().values() if record.topic in chosen)


@lru_cache(maxsize=1024)
def _ledger_quantity(name: str) -> Quantity:
    record = load_ledger()[name]
    return Quantity(record, None, _placements(record))


def _drawn_quantity(rng: random.Random, kind: str) -> Quantity:
    """A fresh record of a parametric kind; its proof is checked before anything is built on it."""
    data = draw_record(kind, rng)
    check_record(data)
    record = record_from_json(data)
    return Quantity(record, data, _placements(record))


def _placements(record: Record) -> dict[tuple[str, bool], tuple[Placement, ...]]:
    """Placements of the key, divided between training and evaluation so that they never share a task."""
    certificate = certificate_of(rational(record.lo), rational(record.hi))
    if certificate.lo <= 0 <= certificate.hi and certificate.lo != certificate.hi:
        return {}  # the doubles crowd at zero: every room is astronomical and every tolerance hundreds of digits long
    divided: dict[tuple[str, bool], tuple[Placement, ...]] = {}
    for position in key_positions(certificate):
        placement = place_key(certificate, position)
        for shape in SHAPES:
            place = "" if shape == "certificate" else position
            held_out = crc32(f"{record.statement}/{place}/{shape}".encode()) % EVALUATION_PART == 0
            divided[shape, held_out] = (*divided.get((shape, held_out), ()), placement)
    return divided
