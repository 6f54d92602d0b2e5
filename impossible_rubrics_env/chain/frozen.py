"""Frozen attacks: the same attack judged by several judges, shown to several oracles, or judged again.

What comes in is the rows of one or more runs; what goes out is one `Attack` for each attack that was made, with every
pair of scores and every verdict on it, in the order in which they were read. Rows are on one attack where they have
the same environment, generator, prompt, draw, attacker and attack, and the same `rubric_hash` and `attack_hash`;
without the hash of the attack, where they are of one run, or where all but one of the runs took the attack from another
run.

Scores and verdicts that a run took from another one are not repeated judgements, and the first of each counts.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from impossible_rubrics_env.chain.pairs import Agreement, Comparison, adjusted, agreement, all_pairs, compared
from impossible_rubrics_env.chain.rates import Rate, Retest, Sampling, rate_of
from impossible_rubrics_env.chain.results import EXACT, ResultRow, Run, Status


class Setting(NamedTuple):
    """What made the attacks of a set."""

    generator: str
    variant: str
    attacker: str


@dataclass(frozen=True, slots=True)
class Attack:
    """One attack and what was said of it."""

    task_id: str
    draw: int
    attack: int
    """Which of the attacks of its attacker on its rubric, from 0."""
    number: int
    """From 0, over different attacks with all of this in common, which are of different runs."""
    ahead: Mapping[str, tuple[bool, ...]]
    """By judge: whether it scores no less than the baseline, at first and again."""
    violates: Mapping[str, tuple[bool, ...]]
    """By oracle: whether it breaks the certificate, at first and again."""
    rubric: str
    """What it attacks: attacks of other attackers with the same text here, on one environment, are on one rubric."""
    mismatch: bool | None
    """Whether the prose says something else than the statements that the attacker named; None where not told."""
    rubric_generic: bool | None

    @property
    def name(self) -> str:
        """Its name in lists of ids."""
        parts = {"draw": self.draw, "attack": self.attack, "version": self.number}
        return self.task_id + "".join(f" {name} {number}" for name, number in parts.items() if number)

    def exploited(self, judge: str, oracle: str) -> bool | None:
        """Whether it exploits the rubric by the first scores and the first verdict; None where one is missing."""
        ahead, violates = self.ahead.get(judge), self.violates.get(oracle)
        return bool(ahead[0] and violates[0]) if ahead and violates else None


@dataclass(frozen=True, slots=True)
class Oracles:
    """Several oracles on the attacks of one setting and judge."""

    setting: Setting
    judge: str
    names: tuple[str, ...]
    attacks: int
    """Attacks with scores of the judge and verdicts of all oracles."""
    by_all: Rate
    """Exploited by the verdict of every oracle: the lower end."""
    by_any: Rate
    """Exploited by that of at least one: the upper end."""
    rates: Mapping[str, Rate]
    """By oracle, on its own attacks."""
    comparisons: tuple[Comparison, ...]
    agreements: tuple[Agreement, ...]
    """On the verdicts, whatever the scores, so they are the same for every judge of a setting."""


@dataclass(frozen=True, slots=True)
class Judges:
    """Several judges on the attacks of one setting, by one oracle."""

    setting: Setting
    oracle: str
    rates: Mapping[str, Rate]
    comparisons: tuple[Comparison, ...]
    agreements: tuple[Agreement, ...]
    """On whether the attack scores no less than the baseline."""


def attacks(runs: Sequence[Run]) -> dict[Setting, list[Attack]]:
    """The attacks on environments, controls left out, by what made them."""
    groups: dict[tuple[Setting, str, int, int], list[tuple[int, ResultRow]]] = defaultdict(list)
    for place, run in enumerate(runs):
        for row in run.rows:
            if not row.control and all(
                row.statuses.get(role, Status.OK) is Status.OK for role in ("generator", "attacker")
            ):
                setting = Setting(row.key.generator, str(row.key.variant), row.key.attacker)
                groups[setting, row.task_id, row.key.draw, row.key.attack].append((place, row))
    found: dict[Setting, list[Attack]] = defaultdict(list)
    for (setting, *_), rows in sorted(groups.items()):
        for number, same in enumerate(_same_attack(rows)):
            found[setting].append(_attack(same, number))
    return dict(found)


def _attack(rows: Sequence[tuple[int, ResultRow]], number: int) -> Attack:
    key = rows[0][1].key
    mismatches = [row.exact.mismatch for _, row in rows if row.exact is not None]
    generic = [row.rubric_generic for _, row in rows]
    told = _rubric(*rows[0]), _first_known(mismatches), _first_known(generic)
    return Attack(key.task_id, key.draw, key.attack, number, _judged(rows), _flagged(rows), *told)


def _rubric(place: int, row: ResultRow) -> str:
    """Which rubric a row is on. Without a hash it is one of its run alone: another run drew its own."""
    return f"run {place}" if row.rubric_hash is None else f"hash {row.rubric_hash}"


def _first_known(values: Sequence[bool | None]) -> bool | None:
    return next((value for value in values if value is not None), None)


def _same_attack(rows: Sequence[tuple[int, ResultRow]]) -> Iterator[list[tuple[int, ResultRow]]]:
    """The rows of one key, apart where they are on different attacks."""
    originals = {place for place, row in rows if "attacker" not in row.reused and row.attack_hash is None}
    groups: dict[tuple[str | None, str], list[tuple[int, ResultRow]]] = defaultdict(list)
    for place, row in rows:
        if row.attack_hash is not None:
            attack = f"hash {row.attack_hash}"
        else:
            attack = "the only one" if len(originals) <= 1 else f"run {place}"
        groups[row.rubric_hash, attack].append((place, row))
    yield from groups.values()


def _judged(rows: Sequence[tuple[int, ResultRow]]) -> dict[str, tuple[bool, ...]]:
    found: dict[str, list[bool]] = defaultdict(list)
    for _, row in sorted(rows, key=lambda one: "judge" in one[1].reused):  # what was asked goes before copies of it
        known = found[row.key.judge]
        repeated = "judge" in row.reused and bool(known)
        scores = [*(() if repeated or row.unscored() else (row.scores,)), *row.judge_retests]
        known.extend(one.ahead for one in scores if one.ahead is not None)
    return {judge: tuple(values) for judge, values in found.items() if values}


def _flagged(rows: Sequence[tuple[int, ResultRow]]) -> dict[str, tuple[bool, ...]]:
    """Verdicts by oracle. Rows of one run that differ in the judge share the verdict, since an oracle sees no score."""
    found: dict[str, list[bool]] = defaultdict(list)
    asked: set[tuple[str, int]] = set()
    for place, row in sorted(rows, key=lambda one: "oracle" in one[1].reused):
        for oracle in (*row.violates, *((EXACT,) if row.exact is not None else ())):
            verdict = row.verdict(oracle)
            repeated = "oracle" in row.reused and bool(found[oracle])
            if (oracle, place) in asked or verdict is None or repeated or not row.oracle_ok(oracle):
                continue
            asked.add((oracle, place))
            again = row.oracle_retests.get(oracle, ())
            found[oracle].extend((verdict, *(one for one in again if one is not None)))
    return {oracle: tuple(values[:1] if oracle == EXACT else values) for oracle, values in found.items() if values}


def judge_retests(found: Mapping[Setting, Sequence[Attack]]) -> dict[str, Retest]:
    """By judge: what repeated scoring of the same attacks says of which answer is ahead."""
    return _retests(one.ahead for several in found.values() for one in several)


def oracle_retests(found: Mapping[Setting, Sequence[Attack]]) -> dict[str, Retest]:
    """By oracle: what it says when asked again."""
    return _retests(one.violates for several in found.values() for one in several)


def _retests(judgements: Iterator[Mapping[str, tuple[bool, ...]]]) -> dict[str, Retest]:
    pairs: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for by_name in judgements:
        for name, values in by_name.items():
            pairs[name].extend((values[0], again) for again in values[1:])
    return {name: Retest(tuple(found)) for name, found in sorted(pairs.items()) if found}


def oracle_swaps(found: Mapping[Setting, Sequence[Attack]], sampling: Sampling) -> list[Oracles]:
    """Several oracles on the same attacks and scores: one result for each setting and judge."""
    swaps = []
    for setting, several in found.items():
        flagged = tuple(_agreements(_first_verdicts(several)))
        for judge in sorted({name for one in several for name in one.ahead}):
            judged = [one for one in several if judge in one.ahead]
            names = _swapped([list(one.violates) for one in judged])
            if names:
                swaps.append(_oracles(setting, judge, names, judged, flagged, sampling))
    return swaps


def _first_verdicts(several: Sequence[Attack]) -> dict[str, dict[str, bool]]:
    """By oracle and attack, of the oracles that share an attack with another one."""
    names = _swapped([list(one.violates) for one in several])
    return {name: {one.name: one.violates[name][0] for one in several if name in one.violates} for name in names}


def _oracles(
    setting: Setting,
    judge: str,
    names: tuple[str, ...],
    judged: Sequence[Attack],
    flagged: tuple[Agreement, ...],
    sampling: Sampling,
) -> Oracles:
    sides = {name: _outcomes(judged, judge, name) for name in names}
    common = [one for one in judged if all(name in one.violates for name in names)]
    ahead = [(one, [bool(one.exploited(judge, name)) for name in names]) for one in common]
    return Oracles(
        setting,
        judge,
        names,
        len(common),
        rate_of(_by_task((one, all(values)) for one, values in ahead), sampling),
        rate_of(_by_task((one, any(values)) for one, values in ahead), sampling),
        {name: rate_of(outcomes, sampling) for name, outcomes in sides.items()},
        tuple(adjusted(list(_oracle_pairs(judged, judge, names, sampling)))),
        flagged,
    )


def judge_swaps(found: Mapping[Setting, Sequence[Attack]], oracle: str, sampling: Sampling) -> list[Judges]:
    """Several judges on the same attacks: one result for each setting."""
    swaps = []
    for setting, several in found.items():
        names = _swapped([list(one.ahead) for one in several])
        if not names:
            continue
        common = [one for one in several if oracle in one.violates and all(name in one.ahead for name in names)]
        ratings = {name: {one.name: one.ahead[name][0] for one in several if name in one.ahead} for name in names}
        swaps.append(
            Judges(
                setting,
                oracle,
                {name: rate_of(_outcomes(several, name, oracle), sampling) for name in names},
                tuple(all_pairs({name: _outcomes(common, name, oracle) for name in names}, sampling)),
                tuple(_agreements(ratings)),
            )
        )
    return swaps


def _swapped(names: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Of the judges or oracles of some attacks, those that share an attack with another one."""
    return tuple(dict.fromkeys(name for several in names if len(several) > 1 for name in several))


def _oracle_pairs(
    judged: Sequence[Attack], judge: str, names: Sequence[str], sampling: Sampling
) -> Iterator[Comparison]:
    """Every two oracles on the attacks that both have judged; not adjusted yet."""
    for first, second in combinations(names, 2):
        both = [one for one in judged if first in one.violates and second in one.violates]
        yield compared(first, _outcomes(both, judge, first), second, _outcomes(both, judge, second), sampling)


def _outcomes(several: Sequence[Attack], judge: str, oracle: str) -> dict[str, list[bool]]:
    known = ((one, one.exploited(judge, oracle)) for one in several)
    return _by_task((one, value) for one, value in known if value is not None)


def _by_task(values: Iterator[tuple[Attack, bool]]) -> dict[str, list[bool]]:
    found: dict[str, list[bool]] = defaultdict(list)
    for one, value in values:
        found[one.task_id].append(value)
    return dict(found)


def _agreements(ratings: Mapping[str, Mapping[str, bool]]) -> Iterator[Agreement]:
    for first, second in combinations(ratings, 2):
        yield agreement(first, ratings[first], second, ratings[second])
