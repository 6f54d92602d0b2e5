"""Figures of paired comparisons, each by a library function: Wilson, exact McNemar, Holm, Bonferroni, bootstrap, kappa.

What comes in is counts or values; what goes out is floats for people to read: nothing here decides a label or a reward.
Refused, with ArgumentError: counts that are none, empty data, probabilities out of range. Without the extra `release`
every function raises MissingExtraError.
"""

from collections.abc import Sequence
from math import isfinite, isnan, sqrt
from typing import Any, NamedTuple

from impossible_rubrics_env.errors import ArgumentError, MissingExtraError

CONFIDENCE = 0.95
RESAMPLES = 10_000
FEWEST_RESAMPLES, MOST_RESAMPLES = 100, 1_000_000
_BATCH_VALUES = 2_000_000
"""Values that the bootstrap holds at a time."""


class Interval(NamedTuple):
    """Ends of a confidence interval."""

    low: float
    high: float


class Estimate(NamedTuple):
    """A value and its confidence interval."""

    value: float
    low: float
    high: float


def need_libraries() -> None:
    """Raise MissingExtraError where the libraries of the extra `release` are not installed."""
    try:
        import scipy.stats  # noqa: F401
        import statsmodels.stats.proportion  # noqa: F401
    except ImportError as error:
        missing = str(error.name).partition(".")[0]
        raise MissingExtraError(
            f"release statistics need {missing}: pip install 'impossible-rubrics-env[release]'"
        ) from None


def wilson(successes: int, trials: int, *, confidence: float = CONFIDENCE) -> Interval:
    """Wilson's score interval of a rate (statsmodels `proportion_confint`).

    >>> [round(end, 4) for end in wilson(16, 45)]
    [0.2322, 0.5016]
    """
    _check_counts(successes=successes, trials=trials)
    _check_confidence(confidence)
    if trials < 1 or successes > trials:
        raise ArgumentError(f"successes={successes} of trials={trials} is no rate")
    need_libraries()
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(successes, trials, alpha=1 - confidence, method="wilson")
    exact_low, exact_high = successes == 0, successes == trials  # there the end is 0 or 1, but for rounding
    return Interval(0.0 if exact_low else float(low), 1.0 if exact_high else float(high))


def mcnemar_exact(only_first: int, only_second: int) -> float:
    """Two-sided p-value of McNemar's exact test from the two discordant counts (statsmodels `mcnemar`).

    >>> round(mcnemar_exact(12, 1), 6)
    0.003418
    """
    _check_counts(only_first=only_first, only_second=only_second)
    need_libraries()
    from statsmodels.stats.contingency_tables import mcnemar

    return float(mcnemar([[0, only_first], [only_second, 0]], exact=True).pvalue)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment of p-values, in their order (statsmodels `multipletests`)."""
    return _adjusted(p_values, "holm")


def bonferroni(p_values: Sequence[float]) -> list[float]:
    """Bonferroni's adjustment of p-values, in their order (statsmodels `multipletests`)."""
    return _adjusted(p_values, "bonferroni")


def cluster_bootstrap(
    values_by_cluster: Sequence[Sequence[float]],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    confidence: float = CONFIDENCE,
) -> Estimate:
    """Mean over all values, with the percentile interval of a bootstrap that draws whole clusters (scipy `bootstrap`).

    A cluster is what belongs together, such as all draws of one environment: its values enter a resample as often as it
    is drawn, all of them. At least two clusters, each with a value. The same seed gives the same ends.
    """
    _check_resampling(resamples, seed, confidence)
    if len(values_by_cluster) < 2 or not all(len(values) for values in values_by_cluster):
        raise ArgumentError("a clustered bootstrap needs at least two clusters, and a value in each")
    if not all(isfinite(value) for values in values_by_cluster for value in values):
        raise ArgumentError("a clustered bootstrap needs finite values")
    need_libraries()
    import numpy as np
    from scipy.stats import bootstrap

    sums = np.array([sum(values) for values in values_by_cluster], dtype=np.float64)
    sizes = np.array([len(values) for values in values_by_cluster], dtype=np.float64)
    found = bootstrap(
        (sums, sizes),
        _mean_of_clusters,
        paired=True,
        vectorized=True,
        n_resamples=resamples,
        batch=max(1, _BATCH_VALUES // len(sums)),
        confidence_level=confidence,
        method="percentile",
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return Estimate(float(sums.sum() / sizes.sum()), float(found.low), float(found.high))


def cohen_kappa(table: Sequence[Sequence[int]], *, confidence: float = CONFIDENCE) -> Estimate | None:
    """Cohen's kappa of two raters with its interval (statsmodels `cohens_kappa`); None where it is not defined.

    `table[i][j]` counts what the first rater put into category i and the second into category j. Kappa is not defined
    where both put everything into one and the same category. The interval is the normal one, cut to -1..1.

    >>> round(cohen_kappa([[20, 5], [10, 15]]).value, 3)
    0.4
    """
    size = len(table)
    if size < 2 or any(len(row) != size for row in table):
        raise ArgumentError("a table of agreement has as many rows as columns, and at least two")
    counts = {f"table[{i}][{j}]": count for i, row in enumerate(table) for j, count in enumerate(row)}
    _check_counts(**counts)
    _check_confidence(confidence)
    total = sum(counts.values())
    if total == 0:
        raise ArgumentError("a table of agreement without a count")
    if any(row[place] == total for place, row in enumerate(table)):
        return None
    need_libraries()
    import numpy as np
    from statsmodels.stats.inter_rater import cohens_kappa

    with np.errstate(divide="ignore", invalid="ignore"):  # of its z value, which is not used and may be 0/0
        found: Any = cohens_kappa(np.array(table), return_results=True)
    spread = _two_sided_z(confidence) * sqrt(max(0.0, float(found.var_kappa)))  # rounding may leave it below 0
    kappa = float(found.kappa)
    return Estimate(kappa, max(-1.0, kappa - spread), min(1.0, kappa + spread))


def _mean_of_clusters(sums: Any, sizes: Any, axis: int = -1) -> Any:
    return sums.sum(axis=axis) / sizes.sum(axis=axis)


def _two_sided_z(confidence: float) -> float:
    from scipy.stats import norm

    return float(norm.ppf((1 + confidence) / 2))


def _adjusted(p_values: Sequence[float], method: str) -> list[float]:
    for value in p_values:
        if isnan(value) or not 0 <= value <= 1:
            raise ArgumentError(f"p={value!r} is not a probability")
    if not p_values:
        return []
    need_libraries()
    from statsmodels.stats.multitest import multipletests

    return [float(value) for value in multipletests(list(p_values), method=method)[1]]


def _check_counts(**counts: Any) -> None:
    for name, value in counts.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise ArgumentError(f"{name}={value!r} is not a count")


def _check_confidence(confidence: float) -> None:
    if not 0 < confidence < 1:
        raise ArgumentError(f"confidence={confidence!r} is not between 0 and 1")


def _check_resampling(resamples: int, seed: int, confidence: float) -> None:
    _check_counts(resamples=resamples, seed=seed)
    if not FEWEST_RESAMPLES <= resamples <= MOST_RESAMPLES:
        raise ArgumentError(f"resamples={resamples} is not from {FEWEST_RESAMPLES} to {MOST_RESAMPLES}")
    _check_confidence(confidence)
