"""Paired comparisons: the same environments under two arms, judges, oracles, attackers or prompts.

What comes in is outcomes by environment; what goes out is discordant counts and ids, the exact McNemar test, Holm's and
Bonferroni's adjustments over the comparisons of one family, and the change of the rate with a bootstrap interval that
is clustered by environment. Where all environments change alike such an interval has no width: then it is that of
Bonett and Price, which follows from the discordant counts, or none.

McNemar's test takes one outcome an environment. Where one has several, the comparison has a change and no p-value.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import sqrt
from statistics import NormalDist
from typing import Any, NamedTuple

from impossible_rubrics_env.chain.rates import Outcomes, Sampling, bootstrap, has_width
from impossible_rubrics_env.release.statistics import (
    CONFIDENCE,
    Interval,
    bonferroni,
    cohen_kappa,
    holm,
    mcnemar_exact,
    wilson,
)

BOOTSTRAP, BONETT_PRICE, NORMAL = "bootstrap", "bonett-price", "normal"


class Figure(NamedTuple):
    """A value and its interval, if there is one that has a width."""

    value: float
    low: float | None = None
    high: float | None = None
    method: str | None = None
    """Of the interval."""

    @property
    def interval(self) -> Interval | None:
        """The ends."""
        return None if self.low is None or self.high is None else Interval(self.low, self.high)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two sides on the environments that count on both."""

    first: str
    second: str
    environments: int
    """Environments that count on both sides."""
    left_out: int
    """Environments that count on one side alone."""
    first_rate: float | None
    second_rate: float | None
    both: int | None
    """Environments where the answer is yes on both sides; None, as all to `bonferroni`, where one has several draws."""
    neither: int | None
    only_first: tuple[str, ...] | None
    only_second: tuple[str, ...] | None
    p: float | None
    holm: float | None
    bonferroni: float | None
    change: Figure | None
    """Second rate minus first, over environments; None where no environment counts on both sides."""

    def as_dict(self) -> dict[str, Any]:
        """JSON data."""
        ids = {"only_first": self.only_first, "only_second": self.only_second}
        return {
            "first": self.first,
            "second": self.second,
            "environments": self.environments,
            "left_out": self.left_out,
            "first_rate": self.first_rate,
            "second_rate": self.second_rate,
            "both": self.both,
            "neither": self.neither,
            **{name: None if found is None else len(found) for name, found in ids.items()},
            **{f"{name}_ids": None if found is None else list(found) for name, found in ids.items()},
            "p": self.p,
            "p_holm": self.holm,
            "p_bonferroni": self.bonferroni,
            "change": self.change and self.change._asdict(),
        }


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two raters on the same items."""

    first: str
    second: str
    both: int
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    neither: int
    kappa: Figure | None
    """Cohen's; None where it is not defined. It has no interval where its variance is 0, as with full agreement."""

    @property
    def items(self) -> int:
        """Items that both have rated."""
        return self.both + len(self.only_first) + len(self.only_second) + self.neither

    @property
    def agree(self) -> int:
        """Items on which both say the same."""
        return self.both + self.neither

    def as_dict(self) -> dict[str, Any]:
        """JSON data. Sensitivity and specificity take the second rater for the truth."""
        yes, no = self.both + len(self.only_second), self.neither + len(self.only_first)
        return {
            "first": self.first,
            "second": self.second,
            "items": self.items,
            "both": self.both,
            "only_first": len(self.only_first),
            "only_second": len(self.only_second),
            "neither": self.neither,
            "only_first_ids": list(self.only_first),
            "only_second_ids": list(self.only_second),
            "agreement": share(self.agree, self.items),
            "sensitivity": share(self.both, yes),
            "specificity": share(self.neither, no),
            "kappa": self.kappa and self.kappa._asdict(),
        }


def share(hits: int, total: int) -> dict[str, Any]:
    """A share as JSON data, with its counts and Wilson's interval."""
    found: Interval | None = wilson(hits, total) if total else None
    return {
        "hits": hits,
        "of": total,
        "rate": hits / total if total else None,
        "wilson": found and found._asdict(),
    }


def agreement(first: str, ratings: Mapping[str, bool], second: str, others: Mapping[str, bool]) -> Agreement:
    """How two raters agree on the items that both have rated."""
    common = sorted(ratings.keys() & others.keys())
    groups: dict[tuple[bool, bool], list[str]] = {(one, other): [] for one in (True, False) for other in (True, False)}
    for item in common:
        groups[ratings[item], others[item]].append(item)
    both, neither = len(groups[True, True]), len(groups[False, False])
    table = [[both, len(groups[True, False])], [len(groups[False, True]), neither]]
    return Agreement(
        first,
        second,
        both,
        tuple(groups[True, False]),
        tuple(groups[False, True]),
        neither,
        _kappa(table) if common else None,
    )


def _kappa(table: Sequence[Sequence[int]]) -> Figure | None:
    found = cohen_kappa(table)
    if found is None:
        return None
    return Figure(*found, NORMAL) if has_width(found) else Figure(found.value)


def compared(first: str, one: Outcomes, second: str, other: Outcomes, sampling: Sampling) -> Comparison:
    """One comparison, whose p-value is not adjusted yet."""
    common = sorted(one.keys() & other.keys())
    mine, yours = ({name: side[name] for name in common} for side in (one, other))
    changes = {name: [_mean(yours[name]) - _mean(mine[name])] for name in common}
    whole = Comparison(
        first,
        second,
        len(common),
        len(one.keys() ^ other.keys()),
        _mean([_mean(found) for found in mine.values()]) if common else None,
        _mean([_mean(found) for found in yours.values()]) if common else None,
        *(None,) * 7,
        _change(changes, sampling) if common else None,
    )
    if not common or any(len(side[name]) != 1 for side in (mine, yours) for name in common):
        return whole
    pairs = {name: (mine[name][0], yours[name][0]) for name in common}
    only_first = tuple(name for name, pair in pairs.items() if pair == (True, False))
    only_second = tuple(name for name, pair in pairs.items() if pair == (False, True))
    change = whole.change
    if change is not None and change.method is None:
        ends = bonett_price(len(only_first), len(only_second), len(common))
        change = Figure(change.value, *ends, BONETT_PRICE)
    return replace(
        whole,
        change=change,
        both=sum(pair == (True, True) for pair in pairs.values()),
        neither=sum(pair == (False, False) for pair in pairs.values()),
        only_first=only_first,
        only_second=only_second,
        p=mcnemar_exact(len(only_first), len(only_second)),
    )


def _change(changes: Mapping[str, Sequence[float]], sampling: Sampling) -> Figure:
    found = bootstrap(changes, sampling)
    return Figure(_mean([change for [change] in changes.values()])) if found is None else Figure(*found, BOOTSTRAP)


def bonett_price(only_first: int, only_second: int, pairs: int) -> Interval:
    """The interval of a change between paired rates, second minus first, from the discordant counts.

    Bonett and Price, J. Educ. Behav. Stat. 37 (2012) 479: Wald's interval with 1 added to both discordant counts and 2
    to the pairs, cut to -1..1. It has a width whatever the counts, as a bootstrap of equal pairs has not.

    >>> [round(end, 3) for end in bonett_price(0, 0, 12)]
    [-0.198, 0.198]
    """
    first, second = (only_first + 1) / (pairs + 2), (only_second + 1) / (pairs + 2)
    middle = second - first
    spread = NormalDist().inv_cdf((1 + CONFIDENCE) / 2) * sqrt((first + second - middle**2) / (pairs + 2))
    return Interval(max(-1.0, middle - spread), min(1.0, middle + spread))


def all_pairs(sides: Mapping[str, Outcomes], sampling: Sampling) -> list[Comparison]:
    """Every pair of sides, adjusted over all of them."""
    return adjusted([compared(*one, *other, sampling) for one, other in combinations(sides.items(), 2)])


def adjusted(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """The comparisons of one family, with p-values adjusted over those that have one."""
    p_values = [one.p for one in comparisons if one.p is not None]
    found = iter(zip(holm(p_values), bonferroni(p_values), strict=True))
    whole = []
    for one in comparisons:
        by_holm, by_bonferroni = (None, None) if one.p is None else next(found)
        whole.append(replace(one, holm=by_holm, bonferroni=by_bonferroni))
    return whole


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
