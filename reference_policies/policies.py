"""Reference policies: from the prompt string to a reply. Proposers, never authorities; the grader judges them all.

`careful` checks both doubles next to the certificate against the grader's stated rule, in exact arithmetic, by
`math.nextafter`: it shares nothing with the generator's ordinals.
"""

import math
from collections.abc import Callable, Mapping

from impossible_rubrics_env.exact import Rational, rational
from impossible_rubrics_env.reference_policies.reading import Reading, read

_DIGITS_OF_A_DOUBLE = 17
Policy = Callable[[str], str]
"""A function from the prompt to the reply."""


def never(_prompt: str) -> str:
    """Always reports that there is no attack."""
    return _reply("NO_ATTACK", "No attack exists.")


def always(prompt: str) -> str:
    """Always submits the first double past the certificate's upper end."""
    return _attack(_first_above(read(prompt).hi))


def naive(prompt: str) -> str:
    """Always submits the upper end plus half the tolerance."""
    reading = read(prompt)
    return _attack(_nearest(reading.hi + _reach(reading) / 2))


def careful(prompt: str) -> str:
    """Submits a double next to the certificate if the grader accepts one, and otherwise refuses: always right."""
    attack = _attack_next_to(read(prompt))
    return never(prompt) if attack is None else _attack(attack)


def eager(prompt: str) -> str:
    """As careful where there is an attack, but never refuses."""
    attack = _attack_next_to(read(prompt))
    return always(prompt) if attack is None else _attack(attack)


def edge(prompt: str) -> str:
    """Guesses the far end of what the grader accepts: the key plus the tolerance."""
    reading = read(prompt)
    return _attack(_nearest((reading.hi if reading.key is None else reading.key) + _reach(reading)))


def key(prompt: str) -> str:
    """Guesses the grader's own key."""
    reading = read(prompt)
    return _attack(_nearest(reading.hi if reading.key is None else reading.key))


def midpoint(prompt: str) -> str:
    """Guesses the middle of the certificate."""
    reading = read(prompt)
    return _attack(_nearest((reading.lo + reading.hi) / 2))


def zero(_prompt: str) -> str:
    """Guesses 0."""
    return _attack(0.0)


def one(_prompt: str) -> str:
    """Guesses 1."""
    return _attack(1.0)


def surface(prompt: str) -> str:
    """Looks at the form of the prompt alone: refuses where a grader keeps 17 digits or is the certificate itself."""
    reading = read(prompt)
    many_digits = reading.rule == "significant" and reading.digits >= _DIGITS_OF_A_DOUBLE
    if many_digits or reading.rule == "certificate":
        return never(prompt)
    return always(prompt)


BASELINES: Mapping[str, Policy] = {
    "never": never,
    "always": always,
    "naive": naive,
    "eager": eager,
    "careful": careful,
}
"""The players of the sweep table, worst to best."""
BLIND = ("never", "always", "naive")
"""Players that do not do the arithmetic; careful must stay well above all of them."""
GUESSERS: Mapping[str, Policy] = {
    "surface": surface,
    "edge": edge,
    "key": key,
    "midpoint": midpoint,
    "zero": zero,
    "one": one,
}
"""Cheaper guesses, for those who look for a shortcut."""
POLICIES: Mapping[str, Policy] = {**BASELINES, **GUESSERS}


def _reply(attack: str, why: str) -> str:
    return f'{why}\n<answer>{{"attack": "{attack}"}}</answer>'


def _attack(value: float) -> str:
    return _reply(repr(value), f"The grader may accept {value!r}.")


def _attack_next_to(reading: Reading) -> float | None:
    """A double next to the certificate that the grader accepts. It accepts an interval, so no farther one is needed."""
    for value in (_first_above(reading.hi), -_first_above(-reading.lo)):
        if reading.accepts(_exact(value)):
            return value
    return None


def _first_above(bound: Rational) -> float:
    value = _nearest(bound)
    while _exact(value) <= bound:
        value = math.nextafter(value, math.inf)
    return value


def _nearest(value: Rational) -> float:
    return int(value.numerator) / int(value.denominator)


def _exact(value: float) -> Rational:
    return rational(*value.as_integer_ratio())


def _reach(reading: Reading) -> Rational:
    """How far from its key the grader looks, in the plainest reading."""
    if reading.key is None:
        return rational(0)
    if reading.rule == "absolute":
        return reading.tolerance
    if reading.rule == "relative":
        return reading.tolerance * abs(reading.key)
    return reading.unit(reading.key) / 2
