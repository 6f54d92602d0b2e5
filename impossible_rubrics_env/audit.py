"""Shortcut audit: whether models that read prompts alone, and shallowly, tell impossible tasks from their twins.

Samples come in with their side and their pair; reports go out, with an interval and the strongest cues. Twins are
always on one side of a split, and intervals resample pairs. Nothing here decides a label or a reward, so numbers are
floats. Needs the extra `audit`.
"""

import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from impossible_rubrics_env.audit_features import plain_figures, read_prompt, relations, role_tokens, tokens
from impossible_rubrics_env.errors import ArgumentError, MissingExtraError
from impossible_rubrics_env.summary import IMPOSSIBLE_LABELS
from impossible_rubrics_env.task import Label, Task

LEEWAY = 0.05
"""Farthest that an AUC may be from one half."""
CHANCE_FACTOR = 1.5
"""How many times as good as chance the family may be read off the question."""
FOLDS = 5
RESAMPLES = 1000
CONTRASTS: Mapping[str, frozenset[Label]] = {
    "hard_positive": frozenset({Label.HARD_POSITIVE, Label.BREAKABLE}),
    "clear_positive": frozenset({Label.CLEAR_POSITIVE}),
}
"""What impossible tasks are told from. Only for the first is there a verdict: the twins are to look the same."""
Array = Any
Progress = Callable[[str], None]


class Sample(NamedTuple):
    """What the audit needs of a task."""

    prompt: str
    impossible: bool
    pair: str


class Cue(NamedTuple):
    """A feature and how much a model leans on it."""

    name: str
    weight: float
    """Of a linear model: change of the log odds of `impossible` per standard deviation. Of trees: the AUC that is lost
    when the feature is shuffled, negative where high values speak against `impossible`."""


@dataclass(frozen=True, slots=True)
class View:
    """How well one model does on one part of the prompt."""

    name: str
    auc: float
    low: float
    high: float
    """95% interval of the AUC, by resampling pairs."""
    pairs_right: float | None
    """Share of pairs in which the impossible twin scores higher; ties count half. It bears on no verdict: no policy
    sees both twins. None where no sample has a twin."""
    passed: bool | None
    cues: tuple[Cue, ...]


@dataclass(frozen=True, slots=True)
class FamilyReport:
    """The audit of one family."""

    family: str
    contrast: str
    impossible: int
    possible: int
    views: tuple[View, ...]

    @property
    def passed(self) -> bool | None:
        """Whether every view passed; None where there is no verdict."""
        verdicts = [view.passed for view in self.views]
        return None if None in verdicts else all(verdicts)

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON data."""
        return {**asdict(self), "passed": self.passed}


@dataclass(frozen=True, slots=True)
class QuestionReport:
    """How well the family is read off the question alone."""

    families: int
    samples: int
    accuracy: float
    low: float
    high: float
    allowed: float
    cues: Mapping[str, tuple[str, ...]]
    """Strongest tokens by family."""

    @property
    def passed(self) -> bool:
        """Whether the accuracy stays within the allowed multiple of chance."""
        return self.accuracy <= self.allowed

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON data."""
        return {**asdict(self), "passed": self.passed}


def samples_of(tasks: Iterable[Task], contrast: str = "hard_positive") -> list[Sample]:
    """The impossible tasks and those that they are contrasted with; others are left out."""
    wanted = CONTRASTS[contrast]
    return [
        Sample(task.prompt, task.label in IMPOSSIBLE_LABELS, task.pair_id)
        for task in tasks
        if task.label in IMPOSSIBLE_LABELS or task.label in wanted
    ]


def audit_family(
    family: str,
    samples: Sequence[Sample],
    contrast: str = "hard_positive",
    cues: int = 10,
    progress: Progress = lambda _: None,
) -> FamilyReport:
    """Every view of one family. `progress` is told what is being done."""
    need_libraries()
    from threadpoolctl import threadpool_limits

    sides = np.array([sample.impossible for sample in samples])
    if min(sides.sum(), (~sides).sum()) < 2 * FOLDS:
        found = f"{sides.sum()} impossible and {(~sides).sum()} {contrast} tasks"
        raise ArgumentError(f"{family}: {found} are too few to audit; at least {2 * FOLDS} of each are needed")
    judge = contrast == "hard_positive"
    with threadpool_limits(1):  # sums are taken in one order, whatever the machine
        views = tuple(_views(samples, sides, cues, judge, progress))
    return FamilyReport(family, contrast, int(sides.sum()), int((~sides).sum()), views)


def need_libraries() -> None:
    """Raise MissingExtraError where the models' libraries are not installed."""
    try:
        import scipy.stats  # noqa: F401
        import sklearn.ensemble  # noqa: F401 - loads the threads that `audit_family` then limits
    except ImportError as error:
        missing = str(error.name).partition(".")[0]
        raise MissingExtraError(f"audit needs {missing}: pip install 'impossible-rubrics-env[audit]'") from None


# Views


def _views(samples: Sequence[Sample], sides: Array, cues: int, judge: bool, progress: Progress) -> Iterable[View]:
    groups = np.unique([sample.pair for sample in samples], return_inverse=True)[1]

    def view(name: str, scored: tuple[Array, list[Cue]]) -> View:
        scores, found = scored
        auc, low, high = pair_interval(scores, sides, groups)
        strongest = sorted(found, key=lambda cue: (-abs(cue.weight), cue.name))[:cues]
        passed = abs(auc - 0.5) <= LEEWAY if judge else None
        return View(name, auc, low, high, _pairs_right(scores, sides, groups), passed, tuple(strongest))

    progress("reading prompts")
    readings = [read_prompt(sample.prompt) for sample in samples]
    words = _Grams.of_words([reading.parts for reading in readings])
    lengths = [plain_figures(reading) for reading in readings]
    plain = _scaled_figures(*_dense(lengths))
    progress("words")
    yield view("words", _linear(_joined(words.table(), plain), sides, groups))
    progress("roles")
    roles = _Grams.of_roles([role_tokens(reading) for reading in readings])
    yield view("roles", _linear(_joined(roles.table(), plain), sides, groups))
    progress("relations")
    everything = [one | relations(reading) for one, reading in zip(lengths, readings, strict=True)]
    yield view("relations", _trees(*_dense(everything), sides, groups))
    if any(reading.question for reading in readings):
        progress("question")
        yield view("question", _linear(words.table(only=0), sides, groups))
    counts = [len(reading.documents) for reading in readings]
    for place in range(words.parts - FRONT):
        if sum(count > place for count in counts) * FEWEST < len(counts):
            break
        progress(f"without D{place + 1}")
        yield view(f"without D{place + 1}", _linear(words.table(without=FRONT + place, letters=False), sides, groups))


FEWEST = 20
"""A document is left out in turn if one prompt in so many has one at that place."""
REST, FRONT = 2, 3
"""Place of the reading rules and the reply format in the parts of a reading, and of the first document."""


class _Table(NamedTuple):
    """Features by name, one row a sample."""

    names: Array
    rows: Array


def _dense(found: Sequence[Mapping[str, float]]) -> tuple[Array, Array]:
    """Names and rows of what varies."""
    names = np.array(sorted({name for one in found for name in one}), dtype=object)
    rows = np.array([[one.get(name, -1.0) for name in names] for one in found])
    varies = rows.max(axis=0) > rows.min(axis=0)
    return names[varies], rows[:, varies]


def _scaled_figures(names: Array, dense: Array) -> _Table:
    """Figures as features of a linear model."""
    from scipy.sparse import csr_matrix

    columns = (dense - dense.mean(axis=0)) / dense.std(axis=0)
    return _Table(np.array([f"figure: {name}" for name in names], dtype=object), csr_matrix(columns))


def _joined(*tables: _Table) -> _Table:
    from scipy.sparse import hstack

    return _Table(
        np.concatenate([table.names for table in tables]), hstack([table.rows for table in tables], format="csr")
    )


class _Grams:
    """Counts of n-grams by part, so that a prompt without one of its parts is a sum and not a second reading."""

    def __init__(self, incidence: list[Array], counts: list[tuple[str, Array, Array]]) -> None:
        self._incidence = incidence
        """By part: which of the distinct texts each sample has there."""
        self._counts = counts
        """Kind of n-gram, names, and counts in each distinct text."""

    @property
    def parts(self) -> int:
        return len(self._incidence)

    @classmethod
    def of_words(cls, parts: Sequence[Sequence[str]]) -> "_Grams":
        from scipy.sparse import csr_matrix
        from sklearn.feature_extraction.text import CountVectorizer

        incidence, texts = _incidence(parts)
        listed = [tokens(text) for text in texts]
        kinds = [("words", *_counted(listed, (1, 2)))]
        same = {sample[REST] for sample in parts if len(sample) > REST}  # words do for what hardly varies
        names, counts = _counted(
            [[] if text in same else each for text, each in zip(texts, listed, strict=True)], (1, 1)
        )
        letters = CountVectorizer(analyzer="char_wb", ngram_range=(1, 4), lowercase=False)
        spelled = csr_matrix(letters.fit_transform(names))
        kinds.append(("letters", letters.get_feature_names_out(), counts @ spelled))
        return cls(incidence, kinds)

    @classmethod
    def of_roles(cls, parts: Sequence[Sequence[Sequence[str]]]) -> "_Grams":
        incidence, listed = _incidence([[tuple(part) for part in sample] for sample in parts])
        return cls(incidence, [("roles", *_counted(listed, (1, 3)))])

    def table(self, *, only: int | None = None, without: int | None = None, letters: bool = True) -> _Table:
        """Weighted counts over all parts, over one, or over all but one; with or without n-grams of characters."""
        chosen = [one for place, one in enumerate(self._incidence) if place != without and only in (None, place)]
        incidence = sum(chosen[1:], chosen[0])
        kinds = [one for one in self._counts if letters or one[0] != "letters"]
        return _joined(*(_weighted(kind, names, incidence @ counts) for kind, names, counts in kinds))


def _incidence(parts: Sequence[Sequence[Any]]) -> tuple[list[Array], list[Any]]:
    from scipy.sparse import csr_matrix

    places: dict[Any, int] = {}
    count = max(len(sample) for sample in parts)
    columns = [
        [(row, places.setdefault(sample[part], len(places))) for row, sample in enumerate(parts) if part < len(sample)]
        for part in range(count)
    ]
    shape = (len(parts), len(places))
    made = [
        csr_matrix((np.ones(len(cells)), tuple(np.array(cells, dtype=int).reshape(-1, 2).T)), shape=shape)
        for cells in columns
    ]
    return made, list(places)


def _counted(texts: Sequence[Any], sizes: tuple[int, int]) -> tuple[Array, Array]:
    from sklearn.feature_extraction.text import CountVectorizer

    counter = CountVectorizer(tokenizer=list, token_pattern=None, lowercase=False, ngram_range=sizes, dtype=np.float64)
    counts = counter.fit_transform(texts)
    return counter.get_feature_names_out(), counts


RAREST = 200
"""A feature is kept if one prompt in so many has it: a rarer one alone moves no AUC by much."""
MOST_FEATURES = {"words": 30_000, "roles": 30_000, "letters": 5_000}
"""By kind; those whose counts vary most."""


def _weighted(kind: str, names: Array, counts: Array) -> _Table:
    """Logarithms of counts, scaled by their spread; what is rare or the same everywhere is left out."""
    from scipy.sparse import csr_matrix, diags

    counts = csr_matrix(counts)
    counts.data = np.log1p(counts.data)
    rows = counts.shape[0]
    mean = np.asarray(counts.mean(axis=0)).ravel()
    variance = np.asarray(counts.multiply(counts).mean(axis=0)).ravel() - mean**2
    common = np.bincount(counts.indices, minlength=counts.shape[1]) >= max(3, math.ceil(rows / RAREST))
    kept = np.flatnonzero(common & (variance > 1e-9))
    kept = np.sort(kept[np.argsort(-variance[kept], kind="stable")[: MOST_FEATURES[kind]]])
    scaled = counts[:, kept] @ diags(1 / np.sqrt(variance[kept]))
    return _Table(np.array([f"{kind}: {name}" for name in names[kept]], dtype=object), csr_matrix(scaled))


# Models


def _folds(sides: Array, groups: Array) -> Any:
    from sklearn.model_selection import GroupKFold

    return GroupKFold(FOLDS).split(sides, sides, groups)


STRONGEST = 1000
"""How many features are looked at for cues."""
STEPS = 25
"""Iterations of a linear model; more move no AUC by 0.001."""
STRENGTH = 0.001
"""Inverse strength of the penalty on scaled features."""


def _linear(table: _Table, sides: Array, groups: Array) -> tuple[Array, list[Cue]]:
    """Scores of a logistic regression on samples it has not seen, and its mean weights."""
    scores, weights = np.zeros(len(sides)), np.zeros(len(table.names))
    if not len(table.names):
        return scores, []
    for seen, unseen in _folds(sides, groups):
        model = _logistic(table.rows[seen], sides[seen])
        scores[unseen] = model.decision_function(table.rows[unseen])
        weights += model.coef_[0] / FOLDS
    return scores, _grouped(table.names, weights)


def _logistic(rows: Array, truth: Array) -> Any:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a search that is cut short still ranks
        # A loose tolerance would be met by weights of zero, and hide a leak that many weak features share.
        return LogisticRegression(C=STRENGTH, solver="lbfgs", max_iter=STEPS, tol=1e-5).fit(rows, truth)


def _grouped(names: Array, weights: Array) -> list[Cue]:
    """The strongest cues; those of one weight occur together, and the most readable stands for them."""
    alike: dict[float, list[str]] = {}
    for place in np.argsort(-np.abs(weights), kind="stable")[:STRONGEST]:
        if weight := round(float(weights[place]), 9):
            alike.setdefault(weight, []).append(str(names[place]))
    cues = []
    for weight, group in alike.items():
        shown = max(group, key=lambda name: (not name.startswith("letters"), len(name)))
        cues.append(Cue(shown if len(group) == 1 else f"{shown} (and {len(group) - 1} alike)", weight))
    return cues


def _trees(names: Array, dense: Array, sides: Array, groups: Array) -> tuple[Array, list[Cue]]:
    """Scores of boosted trees on samples they have not seen, and what shuffling each feature there costs."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    scores, lost = np.zeros(len(sides)), np.zeros(len(names))
    if not len(names):
        return scores, []
    for seen, unseen in _folds(sides, groups):
        model = HistGradientBoostingClassifier(
            max_iter=80, max_leaf_nodes=8, min_samples_leaf=20, early_stopping=False, random_state=0
        )
        model.fit(dense[seen], sides[seen])
        scores[unseen] = model.decision_function(dense[unseen])
        lost += _lost(model, dense[unseen], sides[unseen]) / FOLDS
    lean = (dense[sides].mean(axis=0) - dense[~sides].mean(axis=0)) < 0
    return scores, [
        Cue(name, float(-cost if down else cost)) for name, cost, down in zip(names, lost, lean, strict=True)
    ]


def _lost(model: Any, rows: Array, sides: Array) -> Array:
    """By feature: the AUC that is lost when its values are shuffled among the rows."""
    from scipy.stats import rankdata

    order = np.random.default_rng(0).permutation(len(rows))
    versions = []
    for place in (None, *range(rows.shape[1])):
        changed = rows.copy()
        if place is not None:
            changed[:, place] = rows[order, place]
        versions.append(changed)
    scores = model.decision_function(np.concatenate(versions)).reshape(len(versions), len(rows))
    ranks = rankdata(scores, axis=1)[:, sides].sum(axis=1)
    count = int(sides.sum())
    auc = (ranks - count * (count + 1) / 2) / (count * (len(rows) - count))
    return auc[0] - auc[1:]


# Statistics


def pair_interval(scores: Array, sides: Array, groups: Array) -> tuple[float, float, float]:
    """AUC with a 95% interval from resampling pairs."""
    from scipy.stats import bootstrap

    places = np.arange(groups.max() + 1)
    order = np.argsort(scores, kind="stable")
    starts = np.flatnonzero(np.diff(scores[order], prepend=-np.inf) > 0)

    def weighted_auc(drawn: Array, axis: int = -1) -> Array:
        drawn = np.atleast_2d(np.moveaxis(drawn, axis, -1))
        times = np.stack([np.bincount(row, minlength=len(places)) for row in drawn]).astype(float)
        return _auc(times[:, groups[order]], sides[order], starts)

    whole = float(weighted_auc(places)[0])
    if len(starts) == 1:
        return whole, whole, whole
    found = bootstrap(
        (places,), weighted_auc, n_resamples=RESAMPLES, batch=100, method="percentile", vectorized=True, rng=0
    )
    low, high = found.confidence_interval
    return whole, float(low), float(high)


def _auc(times: Array, sides: Array, starts: Array) -> Array:
    """Share of (impossible, possible) that the scores put in order, each sample counted so many times; ties half.

    Columns are in the order of their scores; `starts` are the first of each run of equal scores.
    """
    above = np.add.reduceat(times * sides, starts, axis=1)
    below = np.add.reduceat(times * ~sides, starts, axis=1)
    passed = np.cumsum(below, axis=1) - below / 2
    return (above * passed).sum(axis=1) / (above.sum(axis=1) * below.sum(axis=1))


def _pairs_right(scores: Array, sides: Array, groups: Array) -> float | None:
    """Share of the pairs in which the impossible twin scores higher; None where no sample has a twin."""
    signed = np.where(sides, 1, -1)
    difference = np.bincount(groups, weights=scores * signed)
    whole = (np.bincount(groups) == 2) & (np.bincount(groups, weights=signed) == 0)
    if not whole.any():
        return None
    return float(np.mean((np.sign(difference[whole]) + 1) / 2))


def has_questions(samples: Sequence[Sample]) -> bool:
    """Whether the prompts have a part that is the question."""
    return any(read_prompt(sample.prompt).question for sample in samples[:10])


def audit_questions(samples: Mapping[str, Sequence[Sample]]) -> QuestionReport:
    """How well a multinomial logistic regression on n-grams tells the families apart from the question alone."""
    need_libraries()
    from threadpoolctl import threadpool_limits

    families = sorted(samples)
    rows = [(place, sample) for place, name in enumerate(families) for sample in samples[name]]
    truth = np.array([place for place, _ in rows])
    groups = np.unique([f"{place} {sample.pair}" for place, sample in rows], return_inverse=True)[1]
    table = _Grams.of_words([[read_prompt(sample.prompt).question] for _, sample in rows]).table()
    right, weights = np.zeros(len(rows)), np.zeros((len(families), len(table.names)))
    with threadpool_limits(1):
        for seen, unseen in _folds(truth, groups):
            model = _logistic(table.rows[seen], truth[seen])
            right[unseen] = model.predict(table.rows[unseen]) == truth[unseen]
            two_sided = np.vstack([-model.coef_, model.coef_]) if len(families) == 2 else model.coef_
            weights += two_sided / FOLDS
    low, high = _share_interval(right, groups)
    cues = {
        name: tuple(cue.name for cue in _grouped(table.names, np.maximum(weights[row], 0))[:5])
        for row, name in enumerate(families)
    }
    allowed = CHANCE_FACTOR / len(families)
    return QuestionReport(len(families), len(rows), float(right.mean()), low, high, allowed, cues)


def _share_interval(right: Array, groups: Array) -> tuple[float, float]:
    """95% interval of a share, by resampling pairs."""
    from scipy.stats import bootstrap

    interval = bootstrap(
        (np.bincount(groups, weights=right), np.bincount(groups)),
        lambda hits, sizes, axis=-1: hits.sum(axis=axis) / sizes.sum(axis=axis),
        paired=True,
        n_resamples=RESAMPLES,
        batch=100,
        method="percentile",
        vectorized=True,
        rng=0,
    ).confidence_interval
    return float(interval.low), float(interval.high)
