"""The statements that an answer to a packet task may make, drawn for both twins at once, with the mark of each.

The list is the same for both twins, and made in the same way for a control without a twin: right and wrong answers,
that the question is settled and that it is not, three grounds of which one proves the impossible twin, notes on
paragraphs, citations, bounds, the premise, hedges. Marks follow from how a statement was drawn and from the two proofs;
`certificates.statements` derives them again in its own way.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple

from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.exact import Rational, ratio_text, rational
from impossible_rubrics_env.task import Label, Task
from impossible_rubrics_env.taskgen import statement_facts, statement_grounds, statement_wording
from impossible_rubrics_env.taskgen.draft import NOTICES
from impossible_rubrics_env.taskgen.statement_facts import Known
from impossible_rubrics_env.taskgen.statement_grounds import Pair

REQUIRED, ALLOWED, UNSUPPORTED, FALSE = "required", "allowed", "unsupported", "false"
EXTRAS: Mapping[str, tuple[str, ...]] = {
    "number": ("answer", "bound", "cites", "cites", "hedge", "", "", ""),
    "yes_no": ("cites", "cites", "hedge", ""),
    "list": ("answer", "cites", "cites", "hedge", ""),
    "document": ("answer", "cites", "cites", "hedge", ""),
    "plan": ("answer", "cites", "cites", "hedge", ""),
}
"""What a list has one more of, or nothing, by kind of question."""
Meaning = dict[str, Any]


class StatementList(NamedTuple):
    """A list of statements as a task's JSON has it, with what the certificate says of each."""

    statements: list[dict[str, Any]]
    """`{"id": "S1", "text": sentence, "means": {"kind": ...}}`."""
    marks: dict[str, str]
    """By id: `required`, `allowed`, `unsupported` or `false`."""
    idle: list[str]
    """Ids of allowed citations that bear on nothing."""


@dataclass(frozen=True, slots=True)
class _Side:
    """What the marks of one task of a pair follow from."""

    known: Known
    lead: Mapping[str, Any]
    """The ground that proves the impossible twin."""
    right: Any
    """The right answer of the answerable twin, as a reply gives it."""
    named: frozenset[str]


def build(task: Task, twin: Task | None, text: str, held_out: bool = False) -> StatementList:
    """The list for a packet task and its twin; None for a `clear_positive` control, which has none.

    `text` seeds the draw: with the same text the list is the same for both twins, its marks are those of `task`.
    `held_out` takes the phrasings of `eval_wording`. Raises ArgumentError on tasks that are no such pair.
    """
    pair = _pair(task, twin)
    rng = Random(f"{text}/statements")
    named = {id(one): frozenset(statement_facts.named(one)) for one in pair.sides}
    right = _right(rng, pair.possible)
    kind = pair.possible.question["kind"]
    extra = rng.choice(EXTRAS[kind])
    answers = _answers(rng, pair, right, 2 + (extra == "answer"))
    grounds = statement_grounds.draw(rng, pair, answers)
    meanings: list[Meaning] = [
        *({"kind": "answer", "value": value} for value in answers),
        {"kind": "settled", "holds": True},
        {"kind": "settled", "holds": False},
        *grounds,
        *_standings(rng, pair),
        *_citations(rng, pair, named, 2 + (extra == "cites")),
        *(_bounds(rng, pair, answers, 1 + (extra == "bound")) if kind == "number" else ()),
        {"kind": "premise"},
        *_hedges(rng, 1 + (extra == "hedge")),
    ]
    rng.shuffle(meanings)
    own = next(one for one in pair.sides if one.task is task)
    side = _Side(own, grounds[0], right, named[id(own)])
    return _listed(rng, side, meanings, kind, held_out)


def _pair(task: Task, twin: Task | None) -> Pair:
    labels = [one.label for one in (task, twin) if one is not None]
    if labels == [Label.CLEAR_POSITIVE]:
        return Pair(statement_facts.read(task), None)
    if sorted(labels) != sorted((Label.IMPOSSIBLE, Label.HARD_POSITIVE)):
        raise ArgumentError(f"statements are about twins, or a clear_positive task, not about {', '.join(labels)}")
    known = {one.label: statement_facts.read(one) for one in (task, twin) if one is not None}
    return Pair(known[Label.HARD_POSITIVE], known[Label.IMPOSSIBLE])


def _right(rng: Random, possible: Known) -> Any:
    if possible.main["kind"] != "world":
        return possible.main["answer"]
    plan = {name: possible.main["world"]["numbers"][name] for name in possible.question["target"]}
    for name in [name for name, text in plan.items() if text == "0"]:  # what a proof takes where much would do
        tried = ({**plan, name: ratio_text(rational(rng.randrange(1, 1000), 10))} for _ in range(12))
        plan = next((other for other in tried if statement_facts.is_met(possible, other)), plan)
    return plan


def _listed(rng: Random, side: _Side, meanings: Iterable[Meaning], kind: str, held_out: bool) -> StatementList:
    statements: list[dict[str, Any]] = []
    marks: dict[str, str] = {}
    idle: list[str] = []
    for place, meaning in enumerate(meanings, 1):
        key = f"S{place}"
        words = statement_wording.render(meaning, kind, rng.getrandbits(32), held_out)
        statements.append({"id": key, "text": words, "means": meaning})
        marks[key] = _mark(side, meaning)
        if meaning["kind"] == "cites" and marks[key] == ALLOWED and meaning["document"] not in side.named:
            idle.append(key)
    return StatementList(statements, marks, idle)


# Marks


def _mark(side: _Side, meaning: Meaning) -> str:
    known, kind = side.known, meaning["kind"]
    if kind == "answer":
        return _answer_mark(side, meaning["value"])
    if kind == "settled":
        return FALSE if meaning["holds"] != known.answerable else ALLOWED if known.answerable else REQUIRED
    if kind == "ground":
        return FALSE if known.answerable else REQUIRED if meaning == side.lead else UNSUPPORTED
    if kind == "standing":
        return ALLOWED if meaning["in_force"] == known.stands(meaning["sentence"]) else FALSE
    if kind == "cites":
        return UNSUPPORTED if meaning["document"] in known.vain else ALLOWED
    if kind == "bound":
        return _bound_mark(side, meaning)
    return FALSE if kind == "premise" and known.main["kind"] == "refutation" else ALLOWED


def _answer_mark(side: _Side, value: Any) -> str:
    known = side.known
    if known.answerable:
        return REQUIRED if value == side.right else FALSE
    kind = known.question["kind"]
    if kind == "number":
        return UNSUPPORTED if statement_facts.is_admissible(known, rational(value)) else FALSE
    open_ = kind in {"yes_no", "list"} and known.main["kind"] not in {"minimal_conflict", "refutation"}
    return UNSUPPORTED if open_ else FALSE


def _bound_mark(side: _Side, meaning: Meaning) -> str:
    value, above = rational(meaning["value"]), meaning["op"] == ">="
    if side.known.answerable:  # a whole step away from the answer, so outside its cell
        return ALLOWED if (value < rational(side.right)) == above else FALSE
    span = statement_facts.ends(side.known)
    if span is None:
        return UNSUPPORTED
    near, far = (span.low, span.high) if above else (span.high, span.low)
    if near is not None and (near >= value if above else near <= value):
        return ALLOWED
    return FALSE if far is not None and (far < value if above else far > value) else UNSUPPORTED


# Draws


def _answers(rng: Random, pair: Pair, right: Any, count: int) -> list[Any]:
    """The right answer, and others."""
    kind = pair.possible.question["kind"]
    found = [right]
    for value in _WRONG[kind](rng, pair, right):
        if len(found) == count:
            break
        if value not in found:
            found.append(value)
    return found


def _numbers(rng: Random, pair: Pair, right: str) -> Iterator[str]:
    """The right answer's rival on the grid; then one more answer, on the grid or too precise, beside either of the two.

    Nothing that the list says beside tells the two apart: grounds name both, and all else is drawn about either.
    """
    step = rational(pair.possible.question["resolution"])
    rival = statement_grounds.rival_of(rng, pair, rational(right))
    yield ratio_text(rival)
    anchor = rng.choice((rational(right), rival))
    gap = rng.choice((rational(rng.randrange(2, 9)), rational(rng.randrange(1, 5), 10))) * rng.choice((1, -1))
    yield ratio_text(abs(anchor + gap * step))


def _words(_: Random, __: Pair, right: str) -> Iterator[str]:
    yield "NO" if right == "YES" else "YES"


def _lists(rng: Random, pair: Pair, right: list[str]) -> Iterator[list[str]]:
    """An entry too many, one too few, one in the place of another; those that the twin leaves open come first."""
    items = pair.possible.main["items"]
    open_ = {} if pair.impossible is None else pair.impossible.main.get("items", {})
    wrong = [item for item in items if item not in right]
    rng.shuffle(wrong)
    wrong.sort(key=lambda item: open_.get(item, {}).get("status") != "undecided")
    taken = [item for item in right if open_.get(item, {}).get("status") == "undecided"] or right
    fewer = [item for item in right if item != rng.choice(taken)] if right else None
    more = sorted([*right, wrong[0]]) if wrong else None
    swapped = sorted([*fewer, wrong[-1]]) if wrong and fewer is not None else None
    found = [one for one in (fewer, more) if one is not None]
    rng.shuffle(found)
    yield from found
    if swapped is not None:
        yield swapped


def _documents(rng: Random, pair: Pair, right: str) -> Iterator[str]:
    """Documents with findings first."""
    stating = {one.document for one in pair.possible.placed if one.fact["kind"] == "finding"} - {right}
    for pool in (sorted(stating), list(pair.possible.documents)):
        rng.shuffle(pool)
        yield from pool


def _plans(rng: Random, pair: Pair, right: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """The right plan with one figure moved until a requirement fails."""
    names = list(right)
    rng.shuffle(names)
    for size in (1, 5, 20, 100, 1000, 1_000_000):
        for name in names:
            for sign in rng.sample((1, -1), 2):
                value = rational(right[name]) + sign * size
                plan = {**right, name: ratio_text(value)}
                if value >= 0 and not statement_facts.is_met(pair.possible, plan):
                    yield plan


_WRONG: Mapping[str, Callable[[Random, Pair, Any], Iterator[Any]]] = {
    "number": _numbers,
    "yes_no": _words,
    "list": _lists,
    "document": _documents,
    "plan": _plans,
}
"""Wrong answers by kind of question, the likeliest first."""


def _standings(rng: Random, pair: Pair) -> Iterator[Meaning]:
    """One true note on a paragraph and one untrue one, the same in both twins; on those that notices touch, first."""
    touched: dict[str, None] = {}
    others: dict[str, None] = {}
    about = {one.fact["target"] for side in pair.sides for one in side.placed if one.fact["kind"] in NOTICES}
    for one in pair.possible.placed:
        if len({side.stands(one.sentence) for side in pair.sides}) == 1:
            (touched if one.document in about else others)[one.sentence] = None
    left = [rng.sample(list(pool), len(pool)) for pool in (touched, others)]
    for true in (True, False):
        wanted = rng.randrange(2) == 0
        sentence = _first(pair.possible, left, wanted)
        yield {"kind": "standing", "sentence": sentence, "in_force": pair.possible.stands(sentence) == true}


def _first(known: Known, pools: list[list[str]], wanted: bool) -> str:
    """Take a paragraph that is (not) in force; another one where there is none."""
    for pool in pools:
        for sentence in pool:
            if known.stands(sentence) == wanted:
                pool.remove(sentence)
                return sentence
    pool = next(pool for pool in pools if pool)
    return pool.pop()


def _citations(rng: Random, pair: Pair, named: Mapping[int, frozenset[str]], count: int) -> Iterator[Meaning]:
    """Two documents that bear on nothing in either twin; a third is relevant, or out of force."""
    known = pair.possible
    bearing = frozenset().union(*named.values())
    vain = frozenset().union(*(side.vain for side in pair.sides))
    loud = _loud(pair)
    quiet = [one for one in known.documents if one not in bearing and one not in vain]
    rng.shuffle(quiet)
    quiet.sort(key=loud.__contains__)
    pools = [[one for one in known.documents if one in vain], [one for one in known.documents if one in bearing - vain]]
    rng.shuffle(pools)
    telling = [rng.choice(pool) for pool in pools if pool]
    chosen = [*quiet[:2], *(*telling, *quiet[2:])[: count - 2]]
    if len(quiet) < 2:
        raise ArgumentError(f"{known.task.id}: fewer than two documents bear on nothing, so no list can be drawn")
    return ({"kind": "cites", "document": one} for one in chosen)


def _loud(pair: Pair) -> set[str]:
    """Documents with notices, those that notices are about, and those that state what the question names."""
    found: set[str] = set()
    for side in pair.sides:
        asked = statement_facts.asked_names(side)
        for one in side.placed:
            kind = one.fact["kind"]
            if kind in NOTICES:
                found |= {one.document, one.fact["target"]}
            elif kind == "linear" and not asked.isdisjoint(one.fact["terms"]):
                found.add(one.document)
    return found


def _bounds(rng: Random, pair: Pair, answers: Sequence[str], count: int) -> Iterator[Meaning]:
    """Bounds between the steps of the grid, about either of two answers and more than a step from both.

    None is on an end of what the impossible twin leaves open.
    """
    step = rational(pair.possible.question["resolution"])
    span = None if pair.impossible is None else statement_facts.ends(pair.impossible)
    about = [rational(one) for one in answers[:2]]
    values = [
        one + rational(2 * size + 1, 2) * sign * step for one in about for size in range(1, 6) for sign in (1, -1)
    ]
    rng.shuffle(values)
    clear = (one for one in values if _is_clear(one, span) and all(abs(one - other) > step for other in about))
    for op, value in zip(rng.sample((">=", "<="), count), clear, strict=False):
        yield {"kind": "bound", "op": op, "value": ratio_text(value)}


def _hedges(rng: Random, count: int) -> Iterator[Meaning]:
    return ({"kind": "hedge", "place": place} for place in rng.sample(range(statement_wording.PLACES), count))


def _is_clear(value: Rational, span: statement_facts.Ends | None) -> bool:
    return value > 0 and (span is None or value not in span)
