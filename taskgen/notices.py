"""Notices: which documents are withdrawn, by what, and what that is withdrawn by in turn.

Every packet has this part. A stack of notices stands on each of several documents; every notice withdraws the one
below it, or puts the document itself back or out, so each turns its document's standing over. One notice stands on top
of one of two stacks: that reference is the only difference between twins, and it decides which of the two documents is
in force.
"""

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from impossible_rubrics_env.task import Rung
from impossible_rubrics_env.taskgen.arguments import choose
from impossible_rubrics_env.taskgen.draft import DraftDocument, DraftSentence
from impossible_rubrics_env.taskgen.statements import Statement, filler, notice

OTHER_SIZES = (1, 1, 1, 3)
"""Of the stacks on all further targets: odd, so that these are out of force, each a false trail."""
LATEST = 4
"""How much later, in ranks, a stack may begin than another."""
TOPICS = ("distribution", "contact", "meeting")


class Target(NamedTuple):
    """A document that notices are about."""

    key: str
    sentences: tuple[str, ...] | None
    """The sentences that matter, where a notice may name these alone; None to act on the whole document."""
    correction: tuple[Statement, ...] = ()
    """What its correction states instead; then the first notice corrects, and all later ones withdraw a notice."""


class Heights(NamedTuple):
    """How many notices stand on the two documents that the turning one chooses between, that one left out."""

    first: int
    second: int


TOTALS = {Rung.WIDE: 1, Rung.NARROW: 3, Rung.RAZOR: 5}
"""Notices on both stacks together, the turning one counted. They are odd: an even number, shared out between a stack
whose document is in force and one whose document is not, would tell twins apart by the heights alone."""


def heights(rng: random.Random, rung: Rung, depth: int, *, corrects: bool) -> Heights:
    """Heights for the rung, or for a depth, which is made odd.

    Where the first notice of the first stack `corrects`, it has to be there in both twins.
    """
    total = depth + 1 - depth % 2 if depth else TOTALS[rung]
    if corrects:
        total = max(3, total)
        first = rng.randrange(1, total, 2)
    else:
        first = rng.randrange(total)
    return Heights(first, total - 1 - first)


def build(
    rng: random.Random, targets: Sequence[Target], height: Heights, *, turning_on_first: bool
) -> tuple[DraftDocument, ...]:
    """Notices on all targets, the first two with the given heights. Draws do not depend on `turning_on_first`."""
    documents: list[DraftDocument] = []
    sizes = [*height, *(choose(rng, OTHER_SIZES) for _ in targets[2:])]
    tops: list[tuple[str, int]] = []
    for place, (target, size) in enumerate(zip(targets, sizes, strict=True)):
        # Stacks begin at any time, some when the turning notice comes, so that none stands out by its age. A first
        # notice that corrects is never the turning one.
        stack, top = _stack(rng, target, f"notice{place}", size)
        later = rng.randrange(LATEST)
        if place > 1 and not targets[0].correction and rng.randrange(3) == 0:
            later = max(*(newest for _, newest in tops[:2]), later * (height == (0, 0)))
        documents += [replace(one, rank=one.rank + later) for one in stack]
        tops.append((top, len(stack) + later if stack else 0))
    top, _ = tops[0 if turning_on_first else 1]
    rank = 1 + max(newest for _, newest in tops[:2])
    if rank == 1:
        rank += rng.randrange(LATEST)
    documents.append(_document("notice-turning", [notice("retracts", top), *_extra(rng)], rank))
    return tuple(documents)


def _stack(rng: random.Random, target: Target, name: str, size: int) -> tuple[list[DraftDocument], str]:
    """`size` notices on the target, and the key of the topmost, or of the target itself."""
    documents: list[DraftDocument] = []
    top, standing = target.key, True
    for level in range(size):
        key = f"{name}-{level}"
        directly = top == target.key or (not target.correction and rng.randrange(3) == 0)
        statements: list[Statement]
        if top == target.key and target.correction:
            statements = [notice("corrects", target.key, target.sentences), *target.correction]
        elif directly:
            statements = [notice("retracts" if standing else "reinstates", target.key, target.sentences)]
        else:
            statements = [notice("retracts", top)]
        documents.append(_document(key, [*statements, *_extra(rng)], level + 1))
        top, standing = key, not standing
    return documents, top


def _extra(rng: random.Random) -> list[Statement]:
    return [filler(choose(rng, TOPICS))] if rng.randrange(3) == 0 else []


def _document(key: str, statements: Sequence[Statement], rank: int) -> DraftDocument:
    sentences = tuple(DraftSentence(f"{key}.{place}", one) for place, one in enumerate(statements, 1))
    return DraftDocument(key, "notice", sentences, rank)
