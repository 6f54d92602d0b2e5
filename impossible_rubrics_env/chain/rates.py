"""Rates of a chain: counts with every denominator and every exclusion, intervals, draws, and the noise of retests.

What comes in is rows and a question about one row, whose answer is yes, no, or None with the reason why the row does
not count. What goes out is counts and intervals for people to read; nothing here decides a label or a reward.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from impossible_rubrics_env.chain.results import ResultRow
from impossible_rubrics_env.release.statistics import (
    CONFIDENCE,
    RESAMPLES,
    Estimate,
    Interval,
    cluster_bootstrap,
    need_libraries,
    wilson,
)

Outcomes = Mapping[str, Sequence[bool]]
"""By environment: what was found there, once for each draw that counts."""
_NO_WIDTH = 1e-6
"""Ends that are no further apart differ by rounding alone: a variance that should be 0 can come out as 1e-16."""
LEAST_OF_EACH = 5
"""Environments with a yes, and with a no, that a bootstrapped rate needs."""
_BATCH_VALUES = 2_000_000
"""Values that the simulation of retests holds at a time."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the bootstrap is drawn."""

    resamples: int = RESAMPLES
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Rate:
    """How often something holds of the rows that count."""

    rows: int
    """Rows that were looked at, those that do not count included."""
    counted: int
    hits: int
    excluded: Mapping[str, int]
    """Rows that do not count, by `role: status`."""
    environments: int
    """Environments with a row that counts."""
    draws: int
    """Most rows that count of one environment."""
    wilson: Interval | None
    """Of the rows, where every environment has one. With several rows, which are not independent, it is there where the
    bootstrap has no width, and takes the environments for the sample."""
    bootstrap: Estimate | None
    """Clustered by environment, where one has several rows; None where it has no width, since all clusters are equal or
    there is one alone."""
    flipped_ids: tuple[str, ...]
    """Environments of which the answer is yes in some draws and no in others."""

    @property
    def value(self) -> float | None:
        """The share; None where no row counts."""
        return self.hits / self.counted if self.counted else None

    @property
    def interval(self) -> Interval | None:
        """Wilson's interval or that of the bootstrap, whichever is there; None where no row counts."""
        if self.wilson is not None:
            return self.wilson
        return self.bootstrap and Interval(self.bootstrap.low, self.bootstrap.high)

    def as_dict(self) -> dict[str, Any]:
        """JSON data."""
        return {
            "rows": self.rows,
            "counted": self.counted,
            "hits": self.hits,
            "rate": self.value,
            "excluded": dict(self.excluded),
            "environments": self.environments,
            "draws": self.draws,
            "wilson": self.wilson and self.wilson._asdict(),
            "bootstrap": self.bootstrap and self.bootstrap._asdict(),
            "flips": len(self.flipped_ids),
            "flipped_ids": list(self.flipped_ids),
        }


@dataclass(frozen=True, slots=True)
class Retest:
    """What repeated judgements of the same attacks said, each against the first one."""

    pairs: tuple[tuple[bool, bool], ...]
    """First and repeated judgement."""

    @property
    def flips(self) -> int:
        """Repeated judgements that differ from the first."""
        return sum(first != again for first, again in self.pairs)

    def flips_from(self, state: bool) -> tuple[int, int]:
        """Of the judgements that were `state` at first: how many flipped, and how many there are."""
        after = [again for first, again in self.pairs if first is state]
        return sum(again is not state for again in after), len(after)

    def as_dict(self) -> dict[str, Any]:
        """JSON data."""
        yes, no = self.flips_from(True), self.flips_from(False)
        return {
            "retests": len(self.pairs),
            "flips": self.flips,
            "rate": self.flips / len(self.pairs) if self.pairs else None,
            "wilson": wilson(self.flips, len(self.pairs))._asdict() if self.pairs else None,
            "first_yes": {"flips": yes[0], "retests": yes[1]},
            "first_no": {"flips": no[0], "retests": no[1]},
        }


def counted(rows: Iterable[ResultRow], answer: Callable[[ResultRow], bool | None]) -> dict[str, list[bool]]:
    """The answers of the rows that count, by environment, in the order of draws."""
    found: dict[str, list[bool]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: row.key):
        value = answer(row)
        if value is not None:
            found[row.task_id].append(value)
    return dict(found)


def rate(
    rows: Sequence[ResultRow],
    answer: Callable[[ResultRow], bool | None],
    reason: Callable[[ResultRow], str | None],
    sampling: Sampling,
) -> Rate:
    """The rate of an answer over rows."""
    excluded = Counter(reason(row) or "not known" for row in rows if answer(row) is None)
    return rate_of(counted(rows, answer), sampling, excluded)


def rate_of(outcomes: Outcomes, sampling: Sampling, excluded: Mapping[str, int] | None = None) -> Rate:
    """The rate of outcomes by environment; `excluded` says what is not among them."""
    excluded = dict(sorted((excluded or {}).items()))
    values = [value for found in outcomes.values() for value in found]
    draws = max(map(len, outcomes.values()), default=0)
    resampled = bootstrap(outcomes, sampling) if draws > 1 and not _one_sided(outcomes) else None
    return Rate(
        rows=len(values) + sum(excluded.values()),
        counted=len(values),
        hits=sum(values),
        excluded=excluded,
        environments=len(outcomes),
        draws=draws,
        wilson=_wilson(len(outcomes), sum(values), len(values)) if values and resampled is None else None,
        bootstrap=resampled,
        flipped_ids=tuple(sorted(name for name, found in outcomes.items() if any(found) and not all(found))),
    )


def _one_sided(outcomes: Outcomes) -> bool:
    """Whether so few environments have a yes, or a no, that resampling them says little of how many others have.

    Near 0 and 1 the ends of a percentile bootstrap close in on the rate: with one yes in 24 it is narrower than none.
    """
    return any(sum(side in found for found in outcomes.values()) < LEAST_OF_EACH for side in (True, False))


def _wilson(environments: int, hits: int, rows: int) -> Interval:
    """Wilson's interval with the environments for the sample.

    Rows of one environment are taken to say the same, so that the effective sample size, rows over the design effect
    1 + (m - 1) * 1 with m rows an environment (Kish 1965), is that of the environments: the most cautious choice.
    Where the rate is no whole number of environments, the ends are those of the whole numbers beside it.
    """
    below, above = hits * environments // rows, -(-hits * environments // rows)
    return Interval(wilson(below, environments).low, wilson(above, environments).high)


def bootstrap(outcomes: Mapping[str, Sequence[float]], sampling: Sampling) -> Estimate | None:
    """The mean over all values with an interval clustered by environment, whatever the order of environments.

    None where the interval has no width: with fewer than two environments, or where all have the same mean, every
    resample is like the other, and says nothing of what other environments would do.
    """
    if len(outcomes) < 2:
        return None
    clusters = [[float(value) for value in outcomes[name]] for name in sorted(outcomes)]
    return _with_width(cluster_bootstrap(clusters, resamples=sampling.resamples, seed=sampling.seed))


def _with_width(found: Estimate) -> Estimate | None:
    return found if has_width(found) else None


def has_width(found: Estimate) -> bool:
    """Whether the ends of an interval are apart by more than rounding."""
    return found.high - found.low > _NO_WIDTH


def with_noise(
    judged: Mapping[str, Sequence[tuple[bool, bool]]], judge: Retest, oracle: Retest, sampling: Sampling
) -> Estimate | None:
    """The rate of `ahead and violates`, with an interval that also holds the noise of judge and oracle.

    `judged` has (ahead, violates) of each row that counts, by environment. In every resample environments are drawn
    with all their rows; the flip rates of judge and oracle are drawn anew from their retests; and each drawn judgement
    flips with its rate. A state (yes, no) that was never retested gets the rate at which flips balance, so that a
    repetition of the whole has the same mean. None where there is no retest, where there are fewer than two
    environments, and where the interval has no width.
    """
    if len(judged) < 2 or not (judge.pairs or oracle.pairs):
        return None
    need_libraries()
    import numpy as np

    rows = [(place, *one) for place, name in enumerate(sorted(judged)) for one in judged[name]]
    cluster = np.array([row[0] for row in rows])
    states = [np.array([row[1] for row in rows]), np.array([row[2] for row in rows])]
    retests = [(judge, float(states[0].mean())), (oracle, float(states[1].mean()))]
    generator = np.random.default_rng(sampling.seed)
    rates = np.empty(sampling.resamples)
    batch = max(1, _BATCH_VALUES // len(rows))
    for start in range(0, sampling.resamples, batch):
        size = min(batch, sampling.resamples - start)
        exploited = np.ones((size, len(rows)), dtype=bool)
        for state, (retest, share) in zip(states, retests, strict=True):
            yes, no = _drawn_flip_rates(retest, share, size, generator)
            chance = np.where(state[None, :], yes[:, None], no[:, None])
            exploited &= state[None, :] ^ (generator.random((size, len(rows))) < chance)
        drawn = generator.multinomial(len(judged), np.full(len(judged), 1 / len(judged)), size=size)
        weights = drawn[:, cluster]
        rates[start : start + size] = (exploited * weights).sum(axis=1) / weights.sum(axis=1)
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(rates, [tail, 1 - tail])
    observed = float((states[0] & states[1]).mean())
    return _with_width(Estimate(observed, float(low), float(high)))


def _drawn_flip_rates(retest: Retest, share: float, size: int, generator: Any) -> tuple[Any, Any]:
    """Flip rates of the judgements that are yes and of those that are no, `size` of each; `share` is that of yes."""
    import numpy as np

    found: list[Any] = []
    for state in (True, False):
        flips, retests = retest.flips_from(state)
        found.append(generator.binomial(retests, flips / retests, size) / retests if retests else None)
    yes, no = found
    if yes is None and no is None:
        return np.zeros(size), np.zeros(size)
    if no is None:
        no = np.minimum(1.0, yes * share / (1 - share)) if share < 1 else np.zeros(size)
    if yes is None:
        yes = np.minimum(1.0, no * (1 - share) / share) if share > 0 else np.zeros(size)
    return yes, no
