"""The register block: what is asked depends on which entries of a register count, and on whether all are there.

Entries are assigned to places, places come under subjects by another document, grades may come later than the entries.
The block is open where one entry cannot be counted in or out, where the register is complete for other subjects only,
or where it holds one entry more than are shown. Its twin differs in two names, places, grades or counts that change
places, or in one figure. The layouts are in `register_layouts`.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from impossible_rubrics_env.exact import ratio_text, rational
from impossible_rubrics_env.task import Rung
from impossible_rubrics_env.taskgen import register_layouts as layouts
from impossible_rubrics_env.taskgen.draft import Block, DraftDocument, DraftQuestion, changed, document
from impossible_rubrics_env.taskgen.figures import figure_of
from impossible_rubrics_env.taskgen.knobs import Knobs
from impossible_rubrics_env.taskgen.register_layouts import Desk, Laid, Pages, Row
from impossible_rubrics_env.taskgen.scenes import Scene
from impossible_rubrics_env.taskgen.statements import (
    Name,
    Quantity,
    Statement,
    booked,
    complete,
    count,
    entry,
    filler,
    graded,
    scale,
    unplaced_entry,
    within,
)

KINDS = ("list", "number", "yes_no")
GENRES = ("record", "study", "minutes")
OLD = -1
"""Rank of the documents that others come after; notices, which come after all, have ranks from 1 up."""
Way = Callable[[Desk, Rung], Laid]
_WAYS: Mapping[tuple[str, Rung], tuple[Way, ...]] = {
    ("list", Rung.RAZOR): (
        layouts.review_places,
        layouts.review_tops,
        layouts.review_items,
        layouts.loose_places,
    ),
    ("list", Rung.NARROW): (
        layouts.review_places,
        layouts.review_tops,
        layouts.loose_places,
        layouts.loose_grades,
        layouts.coverage,
        layouts.counts,
        layouts.least_counts,
    ),
    ("list", Rung.WIDE): (layouts.review_places, layouts.loose_places),
    ("number", Rung.RAZOR): (layouts.total_figure, layouts.total_places),
    ("number", Rung.NARROW): (layouts.total_figure, layouts.total_places),
    ("number", Rung.WIDE): (layouts.total_items,),
    ("yes_no", Rung.RAZOR): (layouts.total_places,),
    ("yes_no", Rung.NARROW): (layouts.gap_figure, layouts.total_places),
    ("yes_no", Rung.WIDE): (layouts.gap_figure, layouts.total_items),
}
_CLEAR = (layouts.loose_places, layouts.total_items)
"""Ways whose settled block is plain."""
_COUNTS = (layouts.counts, layouts.least_counts)
"""Ways that no later document settles."""
_EITHER = (layouts.coverage, layouts.loose_grades, *_COUNTS)
"""Ways that suit their rung however long the chains of places are."""
_TWO = (layouts.total_figure, layouts.gap_figure, layouts.total_places, layouts.review_items)
"""Ways with two places, so that no step up from a place tells whether it is anyone's."""


def build(rng: random.Random, scene: Scene, kind: str, state: str, rung: Rung, knobs: Knobs) -> Block:
    """A block; open and settled ones are drawn alike, and differ in one edit."""
    if kind not in KINDS:
        raise ValueError(f"a register block asks {', '.join(KINDS)}, not {kind!r}")
    rung = Rung.WIDE if state == "clear" else rung
    if state == "decisive" and kind != "list" and rung is Rung.WIDE:
        rung = Rung.NARROW  # so that what settles it is of one kind, of which other documents state more
    ways = _WAYS[kind, rung]
    if state in {"clear", "decisive"}:
        ways = tuple(way for way in ways if (way in _CLEAR if state == "clear" else way not in _COUNTS))
    way = ways[rng.randrange(len(ways))]
    desk = Desk(rng, scene, kind, _length(rng, way, rung, knobs), knobs)
    laid = way(desk, rung)
    laid.pages.links += [[one.inside, one.place] for one in desk.spares if one.inside is not None]
    idle = [within("line", one.place, one.subject) for one in desk.spares]
    idle += [graded(row.item, desk.grade()) for row in laid.pages.review[: layouts.SPARE // 2]]
    rng.shuffle(idle)
    laid.pages.mix(rng)
    above, together = rng.randrange(2) == 0, rng.randrange(2) == 0
    opened = _documents(desk, laid.pages, together=together)
    edited: tuple[Statement, ...] = ()
    if state == "decisive":
        documents = (*opened, _late(desk, laid))
    else:
        laid.settle()
        settled = _documents(desk, laid.pages, together=together)
        documents, others = (opened, settled) if state == "open" else (settled, opened)
        edited = changed(documents, others)
    margin = None
    if laid.margin is not None:
        first, second = (ratio_text(rational(one, desk.tenfold)) for one in laid.margin)
        margin = (first, second)
    return Block(
        documents=documents,
        question=_question(desk, laid.step, above=above),
        answer=None if state == "open" else _answer(desk, laid, above=above),
        margin=margin,
        hops=1 if state == "clear" else laid.hops,
        decisive="late" if state == "decisive" else None,
        idle=tuple(idle),
        withdrawn=tuple(booked(item, place) for item, place in laid.pages.withdrawn),
        edited=edited,
    )


def _length(rng: random.Random, way: Way, rung: Rung, knobs: Knobs) -> int:
    """How many places an entry is passed up through, so that the facts to be combined suit the rung."""
    either = rng.randrange(1, 3)
    if way in _EITHER:
        length = either
    elif way in _TWO:
        length = 2
    else:
        length = {Rung.RAZOR: 3, Rung.NARROW: 2}.get(rung, 0)
    return max(length, min(layouts.MAX_CHAIN, knobs.hops - 1))


def _documents(desk: Desk, pages: Pages, *, together: bool) -> tuple[DraftDocument, ...]:
    scene = desk.scene
    sheets = [_sheet(desk, pages, place) for place in range(2)]
    if together:
        registers = [document("register", "register", [*sheets[0], *sheets[1]], OLD)]
    else:
        registers = [document(f"register{place}", "register", sheet, OLD) for place, sheet in enumerate(sheets)]
    links = [within("line", narrower, wider) for narrower, wider in pages.links]
    scales = [scale("line", pages.subjects), scale("grade", scene.grades)]
    closing = [complete(register, pages.covers[place]) for place, register in enumerate(scene.registers)]
    closing += [
        count(register, pages.ops[place], pages.counts[place]) for place, register in enumerate(scene.registers)
    ]
    later = [graded(item, grade) for item, grade in pages.graded]
    later += [booked(item, place) for item, place in pages.booked]
    return (
        *registers,
        document("places", "reference", [*scales[: pages.cut], *links, *scales[pages.cut :]], OLD),
        document("closing", "record", closing, OLD),
        document("later", "minutes", later),
    )


def _sheet(desk: Desk, pages: Pages, place: int) -> list[Statement]:
    """What a register is kept for, and its entries; the second one is kept for another period than the asked one."""
    scene = desk.scene
    register = scene.registers[place]
    kept = filler("tally", register=register, period=scene.periods[place], measure=scene.measures[0])
    return [kept, *(_entry(desk, register, row) for row in pages.rows if row.register == place)]


def _entry(desk: Desk, register: Name, row: Row) -> Statement:
    figure = figure_of(row.units, desk.digits)
    if row.place is not None:
        return entry(row.item, register, row.place, row.grade, figure)
    if row.grade is None:
        raise AssertionError("an entry states its place or its grade")
    return unplaced_entry(row.item, register, row.grade, figure)


def _late(desk: Desk, laid: Laid) -> DraftDocument:
    """The document that settles an open block."""
    pages, scene = laid.pages, desk.scene
    kind, first, second = laid.late
    if kind == "graded":
        statement = graded(first, second)
        pages.graded.append([first, second])
    elif kind == "booked":
        statement = booked(first, second)
        pages.booked.append([first, second])
    elif kind == "within":
        statement = within("line", first, second)
        pages.links.append([first, second])
    else:
        statement = complete(scene.registers[0], (first, second))
    return document("late", desk.rng.choice(GENRES), [statement])


def _question(desk: Desk, step: int, *, above: bool) -> DraftQuestion:
    scene = desk.scene
    asked, other = (Quantity(subject, scene.periods[0], scene.measures[0]) for subject in scene.subjects[:2])
    line = {"attribute": "line", "values": [asked.subject.key]}
    if desk.kind == "list":
        lowest = scene.grades[desk.lowest]
        target = _selection(desk, line, {"attribute": "grade", "at_least": lowest.key})
        return DraftQuestion("list", target, {"quantity": asked, "grade": lowest})
    if desk.kind == "number":
        words = {"quantity": asked, "resolution": figure_of(step, 0)}
        return DraftQuestion("number", {"total": _selection(desk, line)}, words, resolution=str(step))
    than = _selection(desk, {"attribute": "line", "values": [other.subject.key]})
    target = {"total": _selection(desk, line), "op": ">" if above else "<", "than": than}
    return DraftQuestion("yes_no", target, {"quantity": asked, "other": other, "above": above})


def _selection(desk: Desk, *where: Mapping[str, Any]) -> dict[str, Any]:
    return {"set": desk.scene.registers[0].key, "where": list(where)}


def _answer(desk: Desk, laid: Laid, *, above: bool) -> Any:
    """The answer to a settled block."""
    rows = [row for row in laid.pages.rows if row.register == 0]
    subjects = laid.pages.subjects_of(rows)
    asked, other = (subject.key for subject in desk.scene.subjects[:2])
    if desk.kind == "list":
        good = {grade.key for grade in desk.scene.grades[desk.lowest :]}
        later = {item.key: grade for item, grade in laid.pages.graded}
        grades = {row.item.key: row.grade or later.get(row.item.key) for row in rows}
        return sorted(
            item
            for item, grade in grades.items()
            if subjects[item] == asked and grade is not None and grade.key in good
        )
    totals = {name: _total(rows, subjects, name) for name in (asked, other)}
    if desk.kind == "yes_no":
        gap = totals[asked] - totals[other]
        return "YES" if (gap > 0 if above else gap < 0) else "NO"
    step = laid.step * desk.tenfold
    return str((2 * totals[asked] + step) // (2 * step) * laid.step)


def _total(rows: Sequence[Row], subjects: Mapping[str, str | None], name: str) -> int:
    return sum(row.units for row in rows if subjects[row.item.key] == name)
