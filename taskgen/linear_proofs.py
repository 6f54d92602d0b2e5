"""Proofs about the linear facts of a packet: which answers its worlds leave, or why it has no world.

In: the facts in force, the question, and the names of all variables. Out: the main proof as docs/format.md has it, for
a number, a yes-or-no question or a plan; or a world, for proofs about discrete facts. Refused, with an ArgumentError:
what no such proof fits, such as an unbounded quantity or two independent conflicts. Nothing here knows a family.

Facts that share no variable, directly or through others, are solved apart.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sympy import QQ

from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.exact import Rational, ratio_of, ratio_text
from impossible_rubrics_env.simplex import (
    Bound,
    Constraint,
    InfeasibleError,
    Point,
    Refutation,
    bounds,
    feasible,
)
from impossible_rubrics_env.taskgen.draft import DraftQuestion, Placed
from impossible_rubrics_env.taskgen.statements import Fact

PRESUPPOSED = "presupposed"
"""The id of the presupposition in a refutation."""
_ZERO = QQ(0)
Numbers = dict[str, Rational]


class Row(NamedTuple):
    """A linear fact to be solved, with its place."""

    document: str
    sentence: str
    requirement: bool
    constraint: Constraint


@dataclass(frozen=True, slots=True)
class Memo:
    """What has been worked out for one packet: its parts are the same in most of its proofs."""

    rows: dict[str, Row] = field(default_factory=dict)
    parts: dict[tuple[str, ...], list[list[Row]]] = field(default_factory=dict)
    """Components by the ids of the constraints that they are made of."""
    found: dict[tuple[str, ...], Point | Refutation] = field(default_factory=dict)
    """By the ids of the constraints."""
    ends: dict[tuple[tuple[str, ...], tuple[str, ...]], tuple[Bound, Bound]] = field(default_factory=dict)
    """By these and the names of the expression."""


@dataclass(frozen=True, slots=True)
class _Parts:
    """All rows, by component, and a world of them; or the component that has none."""

    rows: list[list[Row]]
    numbers: Numbers
    refuted: Refutation | None


@dataclass(frozen=True, slots=True)
class _Case:
    """What a proof is made from."""

    facts: list[Row]
    presupposed: list[Row]
    question: DraftQuestion
    variables: tuple[str, ...]
    memo: Memo

    def world(self, numbers: Numbers) -> dict[str, Any]:
        """The world as a proof shows it; a variable that no row names is 0."""
        return {"numbers": {name: ratio_text(numbers.get(name, _ZERO)) for name in self.variables}}


def prove(
    facts: Sequence[Placed],
    question: DraftQuestion,
    variables: Collection[str],
    memo: Memo | None = None,
    *,
    minimal: bool = True,
) -> dict[str, Any]:
    """The main proof from the facts in force; `variables` are all that a world gives numbers to.

    Proofs about one packet, the whole of it or without a document, may share a memo. Where facts conflict and it need
    not be shown which requirements do (not `minimal`), any sum that is false will do.
    """
    case = _case(facts, question.presupposes, question, variables, memo or Memo())
    asked = _compared(question)
    granted = _solve(case.memo, [*case.facts, *case.presupposed], asked)
    if granted.refuted is None and asked:
        try:
            return _number(case, granted) if question.kind == "number" else _yes_no(case, granted)
        except InfeasibleError:
            granted = _solve(case.memo, [*case.facts, *case.presupposed])
    if granted.refuted is not None:
        stated = _solve(case.memo, case.facts)
        if stated.refuted is None:
            return _refutation(case, stated)
        return _conflict(case, stated.refuted) if minimal else _contradiction(stated.refuted)
    if question.kind == "plan":
        return {"kind": "world", "world": case.world(granted.numbers)}
    raise ArgumentError(f"a linear proof answers number, yes_no and plan questions, not {question.kind!r}")


def world_of(
    facts: Sequence[Placed], presupposes: Sequence[Fact], variables: Collection[str], memo: Memo | None = None
) -> dict[str, Any] | None:
    """A world of all linear facts and the presuppositions; None where there is none."""
    case = _case(facts, presupposes, None, variables, memo or Memo())
    solved = _solve(case.memo, [*case.facts, *case.presupposed])
    return None if solved.refuted is not None else case.world(solved.numbers)


def variables_of(facts: Iterable[Placed], question: DraftQuestion) -> tuple[str, ...]:
    """Every variable of the linear facts (those of the whole packet, in force or not) and of the question, in order."""
    found = {name for one in facts if one.fact["kind"] == "linear" for name in one.fact["terms"]}
    for fact in question.presupposes:
        found.update(fact["terms"])
    if question.kind == "plan":
        found.update(question.target)
    else:
        found.update(*_expressions(question.target))
    return tuple(sorted(found))


def _compared(question: DraftQuestion) -> Mapping[str, str]:
    """The expression that a number or a yes_no question is about; none where it is about items or findings."""
    target = question.target
    if question.kind not in {"number", "yes_no"} or not _expressions(target):
        return {}
    terms: Mapping[str, str] = target.get("terms", target)
    return terms


def _expressions(target: Any) -> list[Collection[str]]:
    """What a target says about linear variables; nothing for one about items, findings or documents."""
    if not isinstance(target, Mapping) or not target.keys().isdisjoint(("attributes", "total", "set")):
        return []
    return [target["terms"], target.get("quantity", ())] if "terms" in target else [target]


def _case(
    facts: Sequence[Placed], presupposes: Sequence[Fact], question: Any, variables: Collection[str], memo: Memo
) -> _Case:
    rows = []
    for one in facts:
        fact = one.fact
        if fact["kind"] == "linear":
            rows.append(memo.rows.get(fact["id"]) or _row(memo, one.document, one.sentence, fact["id"], fact))
        elif fact["kind"] == "integer":
            raise ArgumentError(
                "linear proofs are about continuous quantities; the packet states that one is an integer"
            )
    presupposed = [_row(memo, "", "", f"{PRESUPPOSED} {place}", fact) for place, fact in enumerate(presupposes)]
    return _Case(rows, presupposed, question, tuple(variables), memo)


def _row(memo: Memo, document: str, sentence: str, key: str, fact: Fact) -> Row:
    terms = {name: _number_of(size) for name, size in fact["terms"].items()}
    constraint = Constraint(key, terms, fact["op"], _number_of(fact["rhs"]))
    row = Row(document, sentence, fact["role"] == "requirement", constraint)
    return memo.rows.setdefault(key, row)


def _number_of(text: str) -> Rational:
    top, _, bottom = text.partition("/")
    return QQ(int(top), int(bottom)) if bottom else int(top)


def _solve(memo: Memo, rows: list[Row], left: Collection[str] = ()) -> _Parts:
    """A world of the rows. Components with a variable that is `left` are not solved."""
    return _solve_parts(memo, _parts(memo, rows), left)


def _solve_parts(memo: Memo, parts: list[list[Row]], left: Collection[str] = ()) -> _Parts:
    """The same of rows that have been parted: component by component, up to the first one that has no world."""
    numbers: Numbers = {}
    for part in parts:
        if left and _touches(part, left):
            continue
        ids = _ids(part)
        found = memo.found.get(ids)
        if found is None:
            found = memo.found[ids] = _only(part) or feasible(row.constraint for row in part)
        if isinstance(found, Refutation):
            return _Parts(parts, {}, found)
        numbers.update(found.numbers)
    return _Parts(parts, numbers, None)


def _ids(rows: list[Row]) -> tuple[str, ...]:
    return tuple([row.constraint.id for row in rows])


def _parts(memo: Memo, rows: list[Row]) -> list[list[Row]]:
    """The components of these rows."""
    ids = _ids(rows)
    found = memo.parts.get(ids)
    if found is None:
        found = memo.parts[ids] = _components(rows)
    return found


def _touches(part: list[Row], names: Collection[str]) -> bool:
    return any(name in names for row in part for name in row.constraint.terms)


def _only(part: list[Row]) -> Point | None:
    """The solution of a single row about a single variable, which most quantities have."""
    constraint = part[0].constraint
    if len(part) > 1 or len(constraint.terms) > 1:
        return None
    [(name, size)] = constraint.terms.items()
    edge = QQ(constraint.rhs) / size
    if constraint.op in {"<", ">"}:
        edge += 1 if (constraint.op == ">") == (size > 0) else -1
    return Point({name: edge})


def _components(rows: list[Row]) -> list[list[Row]]:
    """The rows in groups that share no variable, in the order of their first rows."""
    group: dict[str, int] = {}
    parts: dict[int, list[Row]] = {}
    for place, row in enumerate(rows):
        names = row.constraint.terms
        joined = {group.get(name, place) for name in names}
        home = min(joined, default=place)
        part = parts.setdefault(home, [])
        if len(joined) > 1:
            for other in sorted(joined - {home, place}):
                moved = parts.pop(other)
                part += moved
                group.update((name, home) for one in moved for name in one.constraint.terms)
        part.append(row)
        for name in names:
            group[name] = home
    return list(parts.values())


def _contradiction(refuted: Refutation) -> dict[str, Any]:
    return {"kind": "farkas", "multipliers": _texts(refuted.multipliers)}


def _conflict(case: _Case, refuted: Refutation) -> dict[str, Any]:
    """The sentences whose requirements conflict, each with a world of all but its requirements."""
    home = {row.constraint.id: row for row in case.facts}
    used = {home[key].sentence: None for key in refuted.multipliers if home[key].requirement}
    if not used:
        raise ArgumentError(f"facts that are no requirements conflict: {', '.join(refuted.multipliers)}")
    hit, apart = _divided(
        _parts(case.memo, [*case.facts, *case.presupposed]), lambda row: row.constraint.id in refuted.multipliers
    )
    rest = _solve_parts(case.memo, apart)
    if rest.refuted is not None:
        raise ArgumentError(f"no unique minimal conflict: {', '.join(rest.refuted.multipliers)} conflict, too")
    worlds = {}
    for sentence in used:
        kept = [row for part in hit for row in part if row.sentence != sentence or not row.requirement]
        solved = _solve(case.memo, kept)
        worlds[sentence] = _shown(case, solved, f"conflict without {sentence}", rest.numbers)
    return {
        "kind": "minimal_conflict",
        "members": list(used),
        "multipliers": _texts(refuted.multipliers),
        "worlds": worlds,
    }


def _refutation(case: _Case, stated: _Parts) -> dict[str, Any]:
    """The documents that refute the first presupposition which cannot be met."""
    alone = ((place, _solve(case.memo, [*case.facts, one]).refuted) for place, one in enumerate(case.presupposed))
    place, refuted = next(((place, found) for place, found in alone if found is not None), (0, None))
    if refuted is None:
        raise ArgumentError("the presuppositions are refuted together, and none of them alone")
    home = {row.constraint.id: row.document for row in case.facts}
    multipliers = {PRESUPPOSED if key not in home else key: size for key, size in refuted.multipliers.items()}
    rows = [*case.facts, case.presupposed[place]]
    worlds = {}
    for document in dict.fromkeys(home[key] for key in multipliers if key in home):
        worlds[document] = _shown(case, _without(case.memo, rows, document), f"refutation without {document}")
    return {
        "kind": "refutation",
        "presupposition": place,
        "documents": list(worlds),
        "multipliers": _texts(multipliers),
        "worlds": worlds,
        "world": case.world(stated.numbers),
    }


def _without(memo: Memo, rows: list[Row], document: str) -> _Parts:
    """A world of the rows but those of a document; only the components that have some of these are parted again."""
    hit, apart = _divided(_parts(memo, rows), lambda row: row.document == document)
    again = {row.constraint.id for part in hit for row in part if row.document != document}
    return _solve_parts(memo, [*apart, *_components([row for row in rows if row.constraint.id in again])])


def _divided(parts: list[list[Row]], of: Callable[[Row], bool]) -> tuple[list[list[Row]], list[list[Row]]]:
    """The components that have such a row, and the others."""
    hit: list[list[Row]] = []
    apart: list[list[Row]] = []
    for part in parts:
        (hit if any(map(of, part)) else apart).append(part)
    return hit, apart


def _shown(case: _Case, solved: _Parts, what: str, known: Mapping[str, Rational] | None = None) -> dict[str, Any]:
    """The world that was found, which has the known numbers besides."""
    if solved.refuted is not None:
        raise ArgumentError(f"no unique minimal {what}: {', '.join(solved.refuted.multipliers)} still conflict")
    return case.world({**(known or {}), **solved.numbers})


def _number(case: _Case, granted: _Parts) -> dict[str, Any]:
    lower, upper = _ends(case, case.question.target, granted)
    _bounded(lower, upper)
    step = _number_of(str(case.question.resolution))
    first, last = _first_grid_value(lower, step), _last_grid_value(upper, step)
    if first == last:
        sums = {"lower": _texts(lower.multipliers), "upper": _texts(upper.multipliers)}
        return {"kind": "dual_bounds", **sums, "answer": ratio_text(first), "world": _shared(case, granted, lower)}
    return _range(case, granted, lower, upper) | {"answers": [ratio_text(first), ratio_text(last)]}


def _first_grid_value(lower: Bound, step: Rational) -> Rational:
    """The least multiple of the step that a value of the range is at most half a step away from."""
    place = lower.value / step - QQ(1, 2)
    top, bottom = ratio_of(place)
    touched = -(-top // bottom)
    return (touched if lower.attained or bottom > 1 else touched + 1) * step


def _last_grid_value(upper: Bound, step: Rational) -> Rational:
    place = upper.value / step + QQ(1, 2)
    top, bottom = ratio_of(place)
    touched = top // bottom
    return (touched if upper.attained or bottom > 1 else touched - 1) * step


def _yes_no(case: _Case, granted: _Parts) -> dict[str, Any]:
    target = case.question.target
    lower, upper = _ends(case, target["terms"], granted)
    edge = _number_of(target["rhs"])
    above = target["op"] in {">", ">="}
    if target["op"] not in {">", ">=", "<", "<="}:
        raise ArgumentError(f"a yes_no question compares by an inequality, got {target['op']!r}")
    strict = target["op"] in {">", "<="}
    passes = _clears(lower, edge, touching=not strict)
    misses = _clears(upper, edge, touching=strict)
    if passes or misses:
        sums = {"lower": _texts(lower.multipliers) if passes else None}
        sums["upper"] = None if passes else _texts(upper.multipliers)
        answer = "YES" if passes == above else "NO"
        return {"kind": "dual_bounds", **sums, "answer": answer, "world": _shared(case, granted, lower)}
    found = _range(case, granted, lower, upper)
    found["constant"] = _constant(case, granted)
    return found | {"answers": ["NO", "YES"] if above else ["YES", "NO"]}


def _clears(end: Bound, edge: Rational, *, touching: bool) -> bool:
    """Whether the bound keeps the expression on its side of the edge; on the edge itself only where `touching`."""
    if end.value is None:
        return False
    beyond = end.value > edge if end.direction == "lower" else end.value < edge
    return beyond or (end.value == edge and (touching or not end.attained))


def _ends(case: _Case, terms: Mapping[str, str], granted: _Parts) -> tuple[Bound, Bound]:
    """The exact bounds of an expression by the facts, shown by worlds that meet the presuppositions."""
    target = {name: _number_of(size) for name, size in terms.items()}
    rows = [row.constraint for row in _about(target, granted)]
    facts = [one for one in rows if not one.id.startswith(f"{PRESUPPOSED} ")]
    lower, upper = _bounds(case.memo, target, facts)
    if len(facts) == len(rows):
        return lower, upper
    granted_lower, granted_upper = _bounds(case.memo, target, rows)
    return _granting(lower, granted_lower), _granting(upper, granted_upper)


def _bounds(memo: Memo, target: Mapping[str, Rational], rows: list[Constraint]) -> tuple[Bound, Bound]:
    """Both bounds; within a packet, the names of an expression tell which it is."""
    key = (tuple([row.id for row in rows]), tuple(target))
    if key not in memo.ends:
        try:
            memo.ends[key] = bounds(target, rows)
        except InfeasibleError as error:
            memo.found[key[0]] = error.refutation  # what `feasible` would find of the same rows
            raise
    return memo.ends[key]


def _bounded(*found: Bound) -> None:
    for one in found:
        if one.value is None:
            raise ArgumentError(f"what is asked has no {one.direction} bound")


def _granting(stated: Bound, granted: Bound) -> Bound:
    """The bound as the facts prove it, with worlds that meet the presuppositions."""
    if (stated.value, stated.attained) != (granted.value, granted.attained):
        raise ArgumentError("a presupposition narrows what is asked")
    return Bound(
        stated.direction, stated.value, stated.attained, stated.multipliers, granted.world, granted.limit, None
    )


def _about(target: Mapping[str, Rational], parts: _Parts) -> list[Row]:
    """The rows of every component that has a variable of the target."""
    return [row for part in parts.rows if _touches(part, target) for row in part]


def _range(case: _Case, granted: _Parts, lower: Bound, upper: Bound) -> dict[str, Any]:
    ends = (lower, upper)
    _bounded(*ends)
    worlds = [_shared(case, granted, end) for end in ends]
    return {
        "kind": "range",
        "lower": _texts(lower.multipliers),
        "upper": _texts(upper.multipliers),
        "worlds": worlds,
        "limits": [None if end.attained else _limit(case, granted, end) for end in ends],
        "constant": {},
    }


def _shared(case: _Case, granted: _Parts, end: Bound) -> dict[str, Any]:
    """The world that shows an end, with the numbers of all other components."""
    return case.world(granted.numbers | end.world.numbers)


def _limit(case: _Case, granted: _Parts, end: Bound) -> dict[str, Any]:
    if end.limit is None:
        raise ArgumentError("an end that is not attained has a limit")
    return case.world(granted.numbers | end.limit.numbers)


def _constant(case: _Case, granted: _Parts) -> dict[str, str]:
    """Multipliers of equations whose sum gives the named quantity minus the compared expression a value."""
    target = case.question.target
    rest = {name: _number_of(size) for name, size in target.get("quantity", target["terms"]).items()}
    for name, size in target["terms"].items():
        rest[name] = rest.get(name, 0) - _number_of(size)
    rest = {name: size for name, size in rest.items() if size}
    if not rest:
        return {}
    equations = [row.constraint for row in _about(rest, granted) if row.constraint.op == "=" and row.document]
    _, upper = _bounds(case.memo, rest, equations)
    _bounded(upper)
    return _texts(upper.multipliers)


def _texts(multipliers: Mapping[str, Rational]) -> dict[str, str]:
    return {key: ratio_text(size) for key, size in multipliers.items()}
