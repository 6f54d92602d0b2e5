"""The register world: which items of a list meet the conditions, whether the list is closed, what totals are left.

In: a case whose question selects items of a register. Out: every admissible answer. Refused, with a CertificateError:
counts that contradict the list, an item without an amount where amounts are summed, more undecided items than are
enumerated.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from impossible_rubrics_env.certificates.discrete import Discrete, Meaning, ordered, part_of, stated
from impossible_rubrics_env.certificates.facts import SCOPED, Covers, Linear, Size, require
from impossible_rubrics_env.certificates.linear import COMPARE, End, first_answer, last_answer
from impossible_rubrics_env.certificates.packet import Case, Packet, Placed
from impossible_rubrics_env.certificates.questions import Condition, Selection
from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.numerals import Ratio

MAX_UNDECIDED = 6
"""Undecided items of a total; their choices are enumerated."""


class Standing(NamedTuple):
    """Whether an item meets all conditions, and what decides so; of one that is out, by failing condition."""

    status: str
    """`in`, `out` or `undecided`."""
    reasons: tuple[frozenset[Meaning], ...]


class Closure(NamedTuple):
    """The facts that close a list; it is open where either is empty, and then some sentences show it."""

    covers: frozenset[str]
    sizes: frozenset[str]
    showing: tuple[str, ...]

    @property
    def closed(self) -> bool:
        """Whether the list holds every item asked about, and all of them are named."""
        return bool(self.covers and self.sizes)


class Totals(NamedTuple):
    """The totals of every choice, `value / scale`, in pairs of the asked selection and the one it is compared with."""

    pairs: frozenset[tuple[int, int]]
    scale: int


class Enumerated(NamedTuple):
    """Every admissible answer to what is asked of a register; `answer` is the only one, or None."""

    answer: int | str | tuple[str, ...] | None
    """Of a number question: in steps of the resolution."""
    items: tuple[str, ...]
    undecided: tuple[str, ...]
    closed: bool
    showing: tuple[str, ...]
    """Sentences that show the list open."""
    steps: frozenset[int] = frozenset()
    """number: every admissible answer, in steps."""
    yes: frozenset[int] = frozenset()
    """yes_no: every total, times `scale`, for which the comparison holds."""
    no: frozenset[int] = frozenset()
    scale: int = 1
    totals: frozenset[int] = frozenset()
    """number: every total, times `scale`."""


def standings(discrete: Discrete, selection: Selection) -> dict[str, Standing]:
    """Every candidate, an item that is in the register, with its standing."""
    named = sorted(item for (register, item), holds in discrete.members.items() if holds and register == selection.set)
    return {item: _standing(discrete, item, selection.where) for item in named}


def closure(discrete: Discrete, selections: Iterable[Selection], named: int) -> Closure:
    """What closes the register of the selections, of which so many items are named, for all lines that they ask of."""
    selections = list(selections)
    lines = [_lines(selection) for selection in selections]
    covers = [(at, fact) for at, fact in discrete.covers if fact.set == selections[0].set]
    sizes = [(at, fact) for at, fact in discrete.sizes if fact.set == selections[0].set]
    least = max([named, *(fact.value for _, fact in sizes if fact.op != "<=")])
    most = min([fact.value for _, fact in sizes if fact.op != ">="], default=least)
    require(least <= most, "packet: the counts in force contradict each other, or the items that are named")
    suited = {fact.id for _, fact in covers if all(_holds_all(fact, asked) for asked in lines)}
    closing = {fact.id for _, fact in sizes if fact.op != ">=" and fact.value <= named}
    showing = dict.fromkeys(_showing(covers, suited) + _showing(sizes, closing))
    return Closure(frozenset(suited), frozenset(closing), tuple(showing))


def totals(packet: Packet, asked: Mapping[str, str], other: Mapping[str, str], apart: bool) -> Totals:
    """The totals of the items by status; `apart`: no item can be in both selections."""
    statuses = {item: (asked[item], other.get(item, "out")) for item in asked}
    undecided = [item for item, both in statuses.items() if "undecided" in both]
    require(len(undecided) <= MAX_UNDECIDED, f"question: a total with more than {MAX_UNDECIDED} undecided items")
    counted = {item: both for item, both in statuses.items() if both != ("out", "out")}
    amounts = _amounts(packet, counted)
    scale = 1
    for _, bottom in amounts.values():
        scale *= bottom
    pairs = {(0, 0)}
    for item, both in counted.items():
        size = amounts[item].numerator * (scale // amounts[item].denominator)
        pairs = {(a + x * size, b + y * size) for a, b in pairs for x, y in _choices(both, apart)}
    return Totals(frozenset(pairs), scale)


def exclusive(discrete: Discrete, first: Selection, second: Selection) -> bool:
    """Whether the selections ask for different values of an attribute, of which an item has only one."""
    other = {condition.attribute: condition.values for condition in second.where}
    for condition in first.where:
        values, order = other.get(condition.attribute, frozenset()), discrete.orders.get(condition.attribute, ())
        if (
            values
            and condition.values
            and values.isdisjoint(condition.values)
            and values | condition.values <= {*order}
        ):
            return True
    return False


def compared(pairs: Totals, op: str) -> tuple[frozenset[int], frozenset[int]]:
    """The first totals of the choices for which the comparison holds, and of those for which it does not."""
    true = frozenset(first for first, second in pairs.pairs if COMPARE[op](first, second))
    return true, frozenset(first for first, second in pairs.pairs if not COMPARE[op](first, second))


def enumerate_answers(case: Case, discrete: Discrete, asked: Mapping[str, Standing], closing: Closure) -> Enumerated:
    """What the standings of the candidates, and of those that the question compares with, leave admissible."""
    question = case.question
    statuses = {item: standing.status for item, standing in asked.items()}
    found = Enumerated(None, tuple(statuses), _undecided(statuses), closing.closed, closing.showing)
    if question.kind == "list":
        named = tuple(item for item, status in statuses.items() if status == "in")
        return found._replace(answer=named) if closing.closed and not found.undecided else found
    require(closing.closed, "question: a total is asked of a list that the packet does not close")
    if isinstance(question.than, Selection) and isinstance(question.target, Selection):
        other = {item: standing.status for item, standing in standings(discrete, question.than).items()}
        sums = totals(case.packet, statuses, other, exclusive(discrete, question.target, question.than))
        yes, no = compared(sums, question.op)
        undecided = tuple(item for item in statuses if "undecided" in (statuses[item], other[item]))
        word = None if yes and no else "YES" if yes else "NO"
        return found._replace(answer=word, undecided=undecided, yes=yes, no=no, scale=sums.scale)
    if question.resolution is None:
        raise CertificateError("question: a total has a resolution, or is compared with another")
    sums = totals(case.packet, statuses, {}, True)
    steps: set[int] = set()
    for total, _ in sums.pairs:
        end = End(Ratio(total, sums.scale), False)
        steps.update((first_answer(end, question.resolution), last_answer(end, question.resolution)))
    answer = min(steps) if len(steps) == 1 else None
    every = frozenset(total for total, _ in sums.pairs)
    return found._replace(answer=answer, steps=frozenset(steps), totals=every, scale=sums.scale)


def _undecided(statuses: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(item for item, status in statuses.items() if status == "undecided")


def _standing(discrete: Discrete, item: str, where: Iterable[Condition]) -> Standing:
    judged = [_judge(discrete, item, condition) for condition in where]
    failing = tuple(frozenset(reason) for truth, reason in judged if truth is False)
    if failing:
        return Standing("out", failing)
    if any(truth is None for truth, _ in judged):
        return Standing("undecided", (frozenset(),))
    return Standing("in", (frozenset(meaning for _, reason in judged for meaning in reason),))


def _judge(discrete: Discrete, item: str, condition: Condition) -> tuple[bool | None, list[Meaning]]:
    """Whether the item meets the condition, None where that is undecided, and the facts that say so."""
    name = condition.attribute
    own = discrete.values.get((item, name))
    if own is None:
        return None, []
    order = discrete.orders.get(name, ())
    reason = [stated(item, name, own)]
    if condition.at_least is not None:
        if own not in order or condition.at_least not in order:
            return None, []
        return order.index(own) >= order.index(condition.at_least), [*reason, ordered(name, order)]
    failing: list[Meaning] = []
    below = own
    for value in discrete.upward(name, own):
        if value != own:
            reason.append(part_of(name, below, value))
        if value in condition.values:
            return True, reason
        if value in order and not failing:
            failing = [*reason, ordered(name, order)]
        below = value
    return (False, failing) if failing else (None, [])


def _lines(selection: Selection) -> frozenset[str] | None:
    """The asked lines; None where all are asked about."""
    for condition in selection.where:
        if condition.attribute == SCOPED and condition.at_least is None:
            return condition.values
    return None


def _holds_all(covers: Covers, asked: frozenset[str] | None) -> bool:
    return covers.lines is None or (asked is not None and asked <= covers.lines)


def _showing(facts: Iterable[tuple[Placed, Covers | Size]], good: set[str]) -> list[str]:
    """The sentences of facts that should close the list, where none does."""
    return [] if good else [at.sentence for at, _ in facts]


def _amounts(packet: Packet, items: Iterable[str]) -> dict[str, Ratio]:
    """Each item's amount: its variable's value by an `=` fact in force of it alone."""
    known: dict[str, Ratio] = {}
    for fact in packet.numeric:
        if isinstance(fact, Linear) and fact.op == "=" and len(fact.terms) == 1:
            ((variable, factor),) = fact.terms.items()
            known[variable] = Ratio(fact.rhs, factor) if factor > 0 else Ratio(-fact.rhs, -factor)
    try:
        return {item: known[item] for item in items}
    except KeyError as error:
        raise CertificateError(f"packet: no fact in force gives the amount of {error.args[0]}") from None


def _choices(both: tuple[str, str], apart: bool) -> list[tuple[int, int]]:
    """Whether an item of these two statuses is counted in the first and in the second selection."""
    options = {"in": (1,), "out": (0,), "undecided": (0, 1)}
    if both == ("undecided", "undecided"):
        require(apart, "question: an item is undecided in both selections, which may hold it together")
        return [(0, 0), (1, 0), (0, 1)]
    return [(x, y) for x in options[both[0]] for y in options[both[1]]]
