"""Statistics: against scipy, against plain counting, and what is refused."""

import builtins
import itertools
import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from impossible_rubrics_env.errors import ArgumentError, MissingExtraError
from impossible_rubrics_env.release.statistics import (
    bonferroni,
    cluster_bootstrap,
    cohen_kappa,
    holm,
    mcnemar_exact,
    wilson,
)

PUBLISHED = {(12, 1): 0.003418, (13, 2): 0.007385, (9, 2): 0.065430, (6, 7): 1.0, (15, 1): 0.000519}
"""Discordant counts of the study's stress cut against gpt55 (rescore), and the exact p-values."""
p_values = st.lists(st.floats(0, 1), max_size=12)


@pytest.mark.parametrize(("counts", "p"), PUBLISHED.items())
def test_the_published_p_values_follow_from_the_discordant_counts(counts, p):
    assert round(mcnemar_exact(*counts), 6) == p
    assert mcnemar_exact(*counts) == mcnemar_exact(*reversed(counts))


@given(st.integers(0, 300), st.integers(0, 300))
def test_mcnemar_is_the_exact_binomial_test(first, second):
    wanted = binomtest(first, first + second).pvalue if first + second else 1
    assert mcnemar_exact(first, second) == pytest.approx(wanted, rel=1e-9)


@given(st.integers(1, 10_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.5, 0.999))
def test_wilson_is_that_of_scipy(counts, confidence):
    found = wilson(*counts, confidence=confidence)
    wanted = binomtest(*counts).proportion_ci(confidence, method="wilson")
    assert found == pytest.approx((wanted.low, wanted.high), abs=1e-9)
    assert 0 <= found.low <= counts[0] / counts[1] <= found.high <= 1


@settings(max_examples=25)  # multipletests collects garbage at every call
@given(p_values)
def test_bonferroni_and_holm_are_their_definitions(given_p):
    size = len(given_p)
    assert bonferroni(given_p) == pytest.approx([min(1, size * p) for p in given_p])
    wanted, highest = [0.0] * size, 0.0
    for rank, place in enumerate(sorted(range(size), key=lambda place: given_p[place])):
        highest = max(highest, min(1, (size - rank) * given_p[place]))
        wanted[place] = highest
    assert holm(given_p) == pytest.approx(wanted)


def test_one_cluster_a_value_bootstraps_the_mean():
    """Every resample of two clusters is one of four, so the ends are known."""
    assert cluster_bootstrap([[0], [1]]) == (0.5, 0, 1)
    assert cluster_bootstrap([[1], [1], [1]]) == (1, 1, 1)


def test_a_cluster_is_drawn_with_all_its_values():
    """Of two clusters, three of four resamples hold the first: no mean but 0, 3/4 and 1 comes up."""
    found = cluster_bootstrap([[1, 1, 1], [0]], confidence=0.4)
    assert found.value == 0.75
    assert {found.low, found.high} <= {0, 0.75, 1}


def test_draws_that_agree_add_no_certainty():
    """Ten equal draws of each environment are worth one; drawn row by row the interval would shrink."""
    once = [[value] for value in (0, 1, 1, 0, 1, 0, 0, 0)]
    assert cluster_bootstrap([values * 10 for values in once]) == cluster_bootstrap(once)


def test_the_interval_is_that_of_all_resamples():
    """Against every resample of four clusters, counted out."""
    clusters = [[1, 0], [0, 0, 0], [1, 1], [1]]
    means = sorted(
        sum(sum(one) for one in drawn) / sum(len(one) for one in drawn)
        for drawn in itertools.product(clusters, repeat=4)
    )
    found = cluster_bootstrap(clusters, resamples=200_000, confidence=0.8)
    assert found.low == pytest.approx(means[len(means) // 10], abs=0.04)
    assert found.high == pytest.approx(means[-len(means) // 10], abs=0.04)


@settings(max_examples=30)
@given(st.integers(0, 2**63 - 1))
def test_one_seed_gives_one_interval(seed):
    clusters = [[random.Random(place).random()] * 3 for place in range(20)]
    found = cluster_bootstrap(clusters, seed=seed, resamples=100)
    assert found == cluster_bootstrap(clusters, seed=seed, resamples=100)
    assert found.low <= found.high
    assert found.value == pytest.approx(sum(map(sum, clusters)) / 60)


def test_other_seeds_give_other_intervals():
    clusters = [[random.Random(place).random()] for place in range(20)]
    assert len({cluster_bootstrap(clusters, seed=seed) for seed in range(5)}) == 5


def test_kappa_of_a_known_table():
    """The textbook table: agreement 0.7, expected 0.5."""
    found = cohen_kappa([[20, 5], [10, 15]])
    assert found.value == pytest.approx(0.4)
    assert (found.low, found.high) == pytest.approx((0.1511, 0.6489), abs=1e-4)


@pytest.mark.parametrize(
    ("table", "kappa"),
    [
        ([[3, 0], [0, 4]], 1),
        ([[5, 5], [5, 5]], 0),
        ([[0, 5], [0, 5]], 0),
        ([[0, 5], [0, 0]], 0),
        ([[0, 3], [3, 0]], -1),
        ([[2, 0, 0], [0, 2, 0], [0, 0, 2]], 1),
    ],
)
def test_kappa_at_its_ends(table, kappa):
    found = cohen_kappa(table)
    assert found.value == pytest.approx(kappa)
    assert -1 <= found.low <= found.value <= found.high <= 1


@given(
    st.integers(2, 4).flatmap(
        lambda n: st.lists(st.lists(st.integers(0, 50), min_size=n, max_size=n), min_size=n, max_size=n)
    )
)
def test_kappa_is_its_definition(table):
    total = sum(map(sum, table))
    if not total:
        with pytest.raises(ArgumentError, match="without a count"):
            cohen_kappa(table)
        return
    agreed = sum(row[place] for place, row in enumerate(table)) / total
    by_chance = sum(sum(row) * sum(one[place] for one in table) for place, row in enumerate(table)) / total**2
    found = cohen_kappa(table)
    if by_chance == 1:
        assert found is None
    else:
        assert found.value == pytest.approx((agreed - by_chance) / (1 - by_chance))


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: wilson(1, 0), "successes=1 of trials=0"),
        (lambda: wilson(3, 2), "successes=3 of trials=2"),
        (lambda: wilson(-1, 2), "successes=-1"),
        (lambda: wilson(True, 2), "successes=True"),
        (lambda: wilson(1.0, 2), "successes=1.0"),
        (lambda: wilson(1, 2, confidence=1), "confidence=1"),
        (lambda: wilson(1, 2, confidence=float("nan")), "confidence=nan"),
        (lambda: mcnemar_exact(-1, 2), "only_first=-1"),
        (lambda: mcnemar_exact(1, 2.5), "only_second=2.5"),
        (lambda: holm([0.5, 1.5]), "p=1.5"),
        (lambda: bonferroni([float("nan")]), "p=nan"),
        (lambda: cluster_bootstrap([]), "at least two clusters"),
        (lambda: cluster_bootstrap([[1]]), "at least two clusters"),
        (lambda: cluster_bootstrap([[1], []]), "a value in each"),
        (lambda: cluster_bootstrap([[1], [float("inf")]]), "finite"),
        (lambda: cluster_bootstrap([[1], [2]], resamples=99), "resamples=99"),
        (lambda: cluster_bootstrap([[1], [2]], resamples=10**9), "resamples=1000000000"),
        (lambda: cluster_bootstrap([[1], [2]], seed=-1), "seed=-1"),
        (lambda: cohen_kappa([[1]]), "at least two"),
        (lambda: cohen_kappa([[1, 2], [3]]), "as many rows as columns"),
        (lambda: cohen_kappa([[1, 2], [3, -4]]), "-4 is not a count"),
    ],
)
def test_bad_arguments_are_named(call, named):
    with pytest.raises(ArgumentError) as caught:
        call()
    assert named in str(caught.value)


def test_a_missing_library_is_named_with_its_extra(monkeypatch):
    real = builtins.__import__

    def refuse(name, *rest, **options):
        if name.startswith("statsmodels"):
            raise ModuleNotFoundError("No module named 'statsmodels'", name="statsmodels")
        return real(name, *rest, **options)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(MissingExtraError, match=re.escape("pip install 'impossible-rubrics-env[release]'")):
        wilson(1, 2)
