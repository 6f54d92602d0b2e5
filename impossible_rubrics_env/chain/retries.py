"""How long to wait before an attempt is repeated."""

import random
from dataclasses import dataclass, field

from impossible_rubrics_env.errors import ArgumentError


@dataclass(frozen=True, slots=True)
class Backoff:
    """Exponential waits with jitter. What a provider asks for is kept to, up to a limit."""

    first_seconds: float = 1.0
    longest_seconds: float = 60.0
    """Of our own waits."""
    longest_asked_seconds: float = 300.0
    """Of waits that the provider asked for: where it asks for more, the call is given up."""
    rng: random.Random = field(default_factory=random.Random, repr=False)

    def __post_init__(self) -> None:
        for name in ("first_seconds", "longest_seconds", "longest_asked_seconds"):
            value = getattr(self, name)
            if not 0 <= value <= 86_400:
                raise ArgumentError(f"{name}={value!r} is not a number of seconds up to a day")

    def wait(self, tries: int, asked: float | None) -> float | None:
        """Seconds to wait after this many tries; None where the provider asked for more than the limit.

        Our own wait doubles with each try and is drawn between half of it and all of it. Where the provider asked
        for a wait, that comes first and half of our first wait is added at most, so that calls do not all return
        at once.
        """
        if asked is not None:
            if asked > self.longest_asked_seconds:
                return None
            return asked + self.rng.uniform(0, self.first_seconds / 2)
        longest = min(self.longest_seconds, self.first_seconds * 2 ** min(tries - 1, 30))
        return self.rng.uniform(longest / 2, longest)
