"""Reads a `certified_interval` prompt back into its numbers: the prompt string and nothing else.

Written from the list of sentence frames in `docs/frames.md`, not from the generator.
"""

import re
from dataclasses import dataclass

from impossible_rubrics_env.exact import Rational, rational

_NUMBER = r"-?[0-9]+(?:\.[0-9]+)?(?:e-?[0-9]+)?(?:/[0-9]+)?"
_LO, _HI = rf"(?P<lo>{_NUMBER})", rf"(?P<hi>{_NUMBER})"
_KEY, _TOLERANCE = rf"(?P<key>{_NUMBER})", rf"(?P<tolerance>{_NUMBER})"
_DIGITS = r"(?P<digits>[0-9]{1,4})"

_ENCLOSURES = (
    rf"It has been proved that {_LO} <= x <= {_HI}\.",
    rf"in the closed interval \[{_LO}, {_HI}\]\.",
    rf"Certified lower end: {_LO}\nCertified upper end: {_HI}",
    rf" is at least {_LO} and at most {_HI}\.",
    rf": no value below {_LO} is possible, and none above {_HI}\.",
    rf" between {_LO} and {_HI}, both ends included\.",
    rf"; from below {_LO}, from above {_HI}, and it may equal either\.",
    rf" starts at {_LO} and ends at {_HI}, with both of these in it\.",
    rf" guarantees: minimum {_LO}; maximum {_HI}\.",
)
_GRADERS = (
    ("relative", rf"\|s - \(?{_KEY}\)?\| <= {_TOLERANCE} \* \|"),
    ("relative", rf"stored value {_KEY}: whatever differs from it by {_TOLERANCE} times the size of that"),
    ("relative", rf"reference {_KEY} with relative tolerance {_TOLERANCE} "),
    ("relative", rf"from the answer key {_KEY} than {_TOLERANCE} of the key's own size"),
    ("relative", rf"target is {_KEY} and whose margin is {_TOLERANCE} of the target's absolute value"),
    ("relative", rf"proportional error of at most {_TOLERANCE} around {_KEY},"),
    ("absolute", rf"\|s - \(?{_KEY}\)?\| <= {_TOLERANCE}\."),
    ("absolute", rf"stored value {_KEY}: whatever differs from it by {_TOLERANCE} or less"),
    ("absolute", rf"reference {_KEY} with absolute tolerance {_TOLERANCE};"),
    ("absolute", rf"no farther than {_TOLERANCE} from the answer key {_KEY}\."),
    ("absolute", rf"target is {_KEY} and whose margin is {_TOLERANCE}:"),
    ("absolute", rf"error of at most {_TOLERANCE} around {_KEY}\."),
    ("decimals", rf"its key {_KEY} to {_DIGITS} decimal places"),
    ("decimals", rf"stored value {_KEY} at {_DIGITS} digits after the point"),
    ("decimals", rf"keeps {_DIGITS} decimals .*Its target {_KEY} becomes"),
    ("significant", rf"its key {_KEY} to {_DIGITS} significant digits"),
    ("significant", rf"stored value {_KEY} at {_DIGITS} significant digits"),
    ("significant", rf"keeps {_DIGITS} significant figures .*Its target {_KEY} becomes"),
    ("certificate", r"in that interval, ends included|the certificate itself|the two proved bounds"),
)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a prompt says, in exact numbers."""

    lo: Rational
    hi: Rational
    rule: str
    """`absolute`, `relative`, `decimals`, `significant` or `certificate`."""
    key: Rational
    """None where the grader has no key."""
    tolerance: Rational
    digits: int
    ties_to_even: bool

    def accepts(self, value: Rational) -> bool:
        """Whether the grader, as the prompt describes it, accepts this exact value."""
        if self.rule == "certificate":
            return bool(self.lo <= value <= self.hi)
        if self.rule == "absolute":
            return bool(abs(value - self.key) <= self.tolerance)
        if self.rule == "relative":
            return bool(abs(value - self.key) <= self.tolerance * abs(self.key))
        return bool(self.rounded(value) == self.rounded(self.key))

    def rounded(self, value: Rational) -> Rational:
        """The value at the grader's digits, found by the unit of its last kept digit."""
        unit = self.unit(value)
        steps = abs(value) / unit
        whole = int(steps.numerator) // int(steps.denominator)
        rest = steps - whole
        half = rational(1, 2)
        if rest > half or (rest == half and (whole % 2 == 1 or not self.ties_to_even)):
            whole += 1
        return whole * unit if value >= 0 else -whole * unit

    def unit(self, value: Rational) -> Rational:
        """Size of the last digit that the grader keeps of this value."""
        unit = rational(1)
        if self.rule == "significant" and value != 0:
            while unit * 10 <= abs(value):
                unit *= 10
            while unit > abs(value):
                unit /= 10
            unit *= 10
        return unit / 10**self.digits


def read(prompt: str) -> Reading:
    """The numbers of a prompt. Raises ValueError where no known sentence gives them."""
    certificate, _, rest = prompt.partition("\n\n")
    grader = rest.partition("\n\n")[0]
    enclosure = next((found for pattern in _ENCLOSURES if (found := re.search(pattern + r"\Z", certificate))), None)
    if enclosure is None:
        raise ValueError(f"no certified interval in: {certificate[:200]!r}")
    lo, hi = rational(enclosure["lo"]), rational(enclosure["hi"])
    for rule, pattern in _GRADERS:
        if found := re.search(pattern, grader):
            parts = found.groupdict()
            return Reading(
                lo,
                hi,
                rule,
                key=rational(parts["key"]) if "key" in parts else None,
                tolerance=rational(parts["tolerance"]) if "tolerance" in parts else None,
                digits=int(parts.get("digits", 0)),
                ties_to_even="even last digit" in grader,
            )
    raise ValueError(f"no grader in: {grader[:200]!r}")
