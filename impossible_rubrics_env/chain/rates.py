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
    """None where none counts, and where environments have several rows, which are not independent; but where these
    all say the same, so that a bootstrap has no width, it is that of the environments."""
    bootstrap: Estimate | None
    """Clustered by environment; None where fewer than two environments count."""
    flipped_ids: tuple[str, ...]
    """Environments of which the answer is yes in some draws and no in others."""

    @property
    def value(self) -> float | None:
        """The share; None where no row counts."""
        return self.hits / self.counted if self.counted else None

    @property
    def interval(self) -> Interval | None:
        """Wilson's interval where it is defined, else that of the bootstrap."""
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
    sampling: Sampling | None = None,
) -> Rate:
    """The rate of an answer over rows. Without `sampling` there is no bootstrap where Wilson's interval is defined."""
    outcomes = counted(rows, answer)
    excluded = Counter(reason(row) or "not known" for row in rows if answer(row) is None)
    return rate_of(outcomes, excluded, sampling)


def rate_of(outcomes: Outcomes, excluded: Mapping[str, int] | None = None, sampling: Sampling | None = None) -> Rate:
    """The rate of outcomes by environment; `excluded` says what is not among them."""
    excluded = dict(sorted((excluded or {}).items()))
    values = [value for found in outcomes.values() for value in found]
    draws = max(map(len, outcomes.values()), default=0)
    resampled = sampling or (Sampling() if draws > 1 else None)
    return Rate(
        rows=len(values) + sum(excluded.values()),
        counted=len(values),
        hits=sum(values),
        excluded=excluded,
        environments=len(outcomes),
        draws=draws,
        wilson=_wilson(outcomes, values, draws),
        bootstrap=bootstrap(outcomes, resampled) if resampled else None,
        flipped_ids=tuple(sorted(name for name, found in outcomes.items() if any(found) and not all(found))),
    )


def _wilson(outcomes: Outcomes, values: Sequence[bool], draws: int) -> Interval | None:
    if draws == 1:
        return wilson(sum(values), len(values))
    if values and len(set(values)) == 1:
        return wilson(len(outcomes) if values[0] else 0, len(outcomes))
    return None


def bootstrap(outcomes: Mapping[str, Sequence[float]], sampling: Sampling) -> Estimate | None:
    """The mean over all values with an interval clustered by environment, whatever the order of environments."""
    if len(outcomes) < 2:
        return None
    clusters = [[float(value) for value in outcomes[name]] for name in sorted(outcomes)]
    return cluster_bootstrap(clusters, resamples=sampling.resamples, seed=sampling.seed)


def with_noise(
    judged: Mapping[str, Sequence[tuple[bool, bool]]], judge: Retest, oracle: Retest, sampling: Sampling
) -> Estimate | None:
    """The rate of `ahead and violates`, with an interval that also holds the noise of judge and oracle.

    `judged` has (ahead, violates) of each row that counts, by environment. In every resample environments are drawn
    with all their rows; the flip rates of judge and oracle are drawn anew from their retests; and each drawn judgement
    flips with its rate. A state (yes, no) that was never retested gets the rate at which flips balance, so that a
    repetition of the whole has the same mean. None where there is no retest or fewer than two environments.
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
    return Estimate(observed, float(low), float(high))


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
