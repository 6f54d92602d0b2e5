"""The finding block: several documents each find something, and what is asked must follow from those that apply.

Findings are about subjects or groups of them, periods and measures; another document says who is in which group. The
block is open where no document establishes the claim, or where what applies leaves several answers. Its twin differs in
two subjects, periods or measures that change places, or in one figure. The layouts are in `finding_layouts`.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from impossible_rubrics_env.exact import ratio_text, rational
from impossible_rubrics_env.task import Rung
from impossible_rubrics_env.taskgen import finding_layouts as layouts
from impossible_rubrics_env.taskgen.draft import Block, DraftDocument, DraftQuestion, changed, document
from impossible_rubrics_env.taskgen.figures import figure_of
from impossible_rubrics_env.taskgen.finding_layouts import TICKS, Desk, Laid, Note
from impossible_rubrics_env.taskgen.knobs import Knobs
from impossible_rubrics_env.taskgen.scenes import Scene
from impossible_rubrics_env.taskgen.statements import Figure, Quantity, Statement, finding, finding_between, within

KINDS = ("document", "number", "yes_no")
GENRES = ("record", "study", "minutes")
Way = Callable[[Desk, Rung], Laid]
_WAYS: Mapping[tuple[str, Rung], tuple[Way, ...]] = {
    ("document", Rung.RAZOR): (layouts.figure, layouts.attributes),
    ("document", Rung.NARROW): (layouts.figure, layouts.attributes, layouts.members),
    ("document", Rung.WIDE): (layouts.figure, layouts.attributes),
    ("number", Rung.RAZOR): (layouts.figure, layouts.attributes),
    ("number", Rung.NARROW): (layouts.figure, layouts.attributes, layouts.members),
    ("number", Rung.WIDE): (layouts.attributes,),
    ("yes_no", Rung.RAZOR): (layouts.figure, layouts.attributes),
    ("yes_no", Rung.NARROW): (layouts.figure, layouts.attributes, layouts.members),
    ("yes_no", Rung.WIDE): (layouts.figure, layouts.attributes),
}
MAX_DEPTH = 3
"""Most groups that lead to the decisive finding."""


def build(rng: random.Random, scene: Scene, kind: str, state: str, rung: Rung, knobs: Knobs) -> Block:
    """A block; open and settled ones are drawn alike, and differ in one edit."""
    if kind not in KINDS:
        raise ValueError(f"a finding block asks {', '.join(KINDS)}, not {kind!r}")
    rung = Rung.WIDE if state == "clear" else rung
    ways = _WAYS[kind, rung]
    way = layouts.attributes if state == "clear" else ways[rng.randrange(len(ways))]
    depth = _depth(rng, way, rung, knobs)
    desk = Desk(rng, scene, kind, depth, knobs)
    laid = way(desk, rung)
    above = rng.randrange(2) == 0
    idle = layouts.spare(desk, laid)
    rng.shuffle(desk.links)
    for notes in laid.sheets:
        rng.shuffle(notes)
    rng.shuffle(laid.sheets)
    genres = [_genre(rng) for _ in laid.sheets]
    opened = _documents(desk, laid, genres)
    edited: tuple[Statement, ...] = ()
    if state == "decisive":
        documents = (*opened, _document(desk, "late", _genre(rng), [laid.late]))
    else:
        laid.settle()
        settled = _documents(desk, laid, genres)
        documents, others = (opened, settled) if state == "open" else (settled, opened)
        edited = changed(documents, others)
    margin = None
    if laid.margin is not None:
        first, second = (ratio_text(rational(one, desk.tenfold)) for one in laid.margin)
        margin = (first, second)
    return Block(
        documents=documents,
        question=_question(desk, laid, above=above),
        answer=None if state == "open" else _answer(desk, laid, state, above=above),
        margin=margin,
        hops=1 if state == "clear" else laid.hops,
        decisive="late" if state == "decisive" else None,
        idle=tuple(_finding(desk, note) for note in idle),
        edited=edited,
    )


def _depth(rng: random.Random, way: Way, rung: Rung, knobs: Knobs) -> int:
    """How many groups lead to the decisive finding, so that the facts to be combined suit the rung."""
    either = rng.randrange(1, 3)
    if way is layouts.figure or rung is Rung.NARROW:
        depth = either
    else:
        depth = 3 if rung is Rung.RAZOR else 0
    return max(depth, min(MAX_DEPTH, knobs.hops - 1))


def _genre(rng: random.Random) -> str:
    return GENRES[rng.randrange(len(GENRES))]


def _documents(desk: Desk, laid: Laid, genres: Sequence[str]) -> tuple[DraftDocument, ...]:
    links = [within("subject", link.narrower, link.wider) for link in desk.links]
    sheets = zip(genres, laid.sheets, strict=True)
    found = [_document(desk, f"finding{place}", genre, notes) for place, (genre, notes) in enumerate(sheets)]
    return (*found, document("groups", "reference", links))


def _document(desk: Desk, key: str, genre: str, notes: Sequence[Note]) -> DraftDocument:
    return document(key, genre, [_finding(desk, note) for note in notes])


def _finding(desk: Desk, note: Note) -> Statement:
    quantity = Quantity(note.label, note.period, note.measure)
    if note.low is None or note.high is None or note.low == note.high:
        direction = "at_most" if note.low is None else "at_least" if note.high is None else "exactly"
        return finding(quantity, direction, _figure(desk, note.high if note.low is None else note.low))
    return finding_between(quantity, _figure(desk, note.low), _figure(desk, note.high))


def _figure(desk: Desk, ticks: int | None) -> Figure:
    """The figure, with one digit more than others where it needs it."""
    if ticks is None:
        raise AssertionError("a finding states a bound")
    return figure_of(ticks, desk.digits + 1) if ticks % TICKS else figure_of(ticks // TICKS, desk.digits)


def _question(desk: Desk, laid: Laid, *, above: bool) -> DraftQuestion:
    scene = desk.scene
    asked, other = (Quantity(subject, scene.periods[0], scene.measures[0]) for subject in scene.subjects[:2])
    target: dict[str, Any] = {"attributes": asked.attributes}
    if desk.kind == "number":
        words = {"quantity": asked, "resolution": figure_of(desk.step, 0)}
        return DraftQuestion("number", target, words, resolution=str(desk.step))
    if desk.kind == "yes_no":
        target |= {"op": ">" if above else "<", "than": {"attributes": other.attributes}}
        return DraftQuestion("yes_no", target, {"quantity": asked, "other": other, "above": above})
    direction, op = ("at_least", ">=") if desk.sign > 0 else ("at_most", "<=")
    claimed = _figure(desk, laid.figure)
    target["bound"] = {"direction": direction, "value": ratio_text(claimed.value)}
    return DraftQuestion("document", target, {"quantity": asked, "op": op, "figure": claimed})


def _answer(desk: Desk, laid: Laid, state: str, *, above: bool) -> str:
    """The answer to a settled block: a document's key, or what the findings that apply leave of the asked quantity."""
    sheets = {f"finding{place}": notes for place, notes in enumerate(laid.sheets)}
    if state == "decisive":
        sheets["late"] = [laid.late]
    if desk.kind == "document":
        return next(key for key, notes in sheets.items() if _establishes(desk, notes, laid.figure))
    low, high = _range(_applying(desk, [note for notes in sheets.values() for note in notes], desk.asked.key))
    if desk.kind == "number":
        size = desk.step * desk.tenfold
        return str((low + high + size) // (2 * size) * desk.step)
    than = _range(_applying(desk, [note for notes in sheets.values() for note in notes], desk.scene.subjects[1].key))[0]
    return "YES" if (low > than) == above else "NO"


def _applying(desk: Desk, notes: Sequence[Note], name: str) -> list[Note]:
    """The findings for the asked period and measure that are about a subject or a group that it is in."""
    wider = {link.narrower.key: link.wider.key for link in desk.links}
    names = set()
    while name:
        names.add(name)
        name = wider.get(name, "")
    return [note for note in notes if note.label.key in names and not note.period.key + note.measure.key]


def _range(notes: Sequence[Note]) -> tuple[int, int]:
    """The ends that findings leave."""
    lows = [note.low for note in notes if note.low is not None]
    highs = [note.high for note in notes if note.high is not None]
    return max(lows), min(highs)


def _establishes(desk: Desk, notes: Sequence[Note], claimed: int) -> bool:
    """Whether one of these findings applies and entails the claim."""
    if desk.sign > 0:
        return any(note.low is not None and note.low >= claimed for note in _applying(desk, notes, desk.asked.key))
    return any(note.high is not None and note.high <= claimed for note in _applying(desk, notes, desk.asked.key))
