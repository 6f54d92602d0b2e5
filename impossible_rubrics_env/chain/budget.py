"""A cap on what a run may cost: the worst case of every attempt is reserved before it is sent.

Amounts are whole micro-dollars. Used from one event loop.
"""

import asyncio

from impossible_rubrics_env.chain.prices import usd
from impossible_rubrics_env.errors import ArgumentError


class Budget:
    """What was spent, what is reserved for attempts in flight, and the most that both may come to."""

    def __init__(self, cap_micro_usd: int | None = None) -> None:
        if cap_micro_usd is not None and cap_micro_usd < 0:
            raise ArgumentError(f"budget={usd(cap_micro_usd)} is negative")
        self.cap_micro_usd = cap_micro_usd
        """None for no cap."""
        self.spent_micro_usd = 0
        self.reserved_micro_usd = 0
        self._settled = asyncio.Event()

    def spend(self, micro_usd: int) -> None:
        """Count what was spent before: a resumed run goes on under the same cap."""
        self.spent_micro_usd += micro_usd

    @property
    def exceeded(self) -> bool:
        """Whether more was spent than the cap: a provider may count more tokens than the worst case."""
        return self.cap_micro_usd is not None and self.spent_micro_usd > self.cap_micro_usd

    def fits(self, micro_usd: int) -> bool:
        """Whether this could be reserved now."""
        cap = self.cap_micro_usd
        return cap is None or self.spent_micro_usd + self.reserved_micro_usd + micro_usd <= cap

    async def reserve(self, micro_usd: int) -> bool:
        """Reserve the worst case of an attempt; False where it would break the cap.

        Attempts in flight mostly cost less than their worst case. So while there are some, and the amount would
        fit without them, this waits for one of them to be settled.
        """
        while not self.fits(micro_usd):
            cap = self.cap_micro_usd
            if not self.reserved_micro_usd or (cap is not None and self.spent_micro_usd + micro_usd > cap):
                return False
            await self._settled.wait()
        self.reserved_micro_usd += micro_usd
        return True

    def settle(self, reserved_micro_usd: int, actual_micro_usd: int) -> None:
        """Give a reservation back, and count what the attempt did cost, which may be more than was thought possible."""
        self.reserved_micro_usd -= reserved_micro_usd
        self.spent_micro_usd += actual_micro_usd
        self._settled.set()
        self._settled = asyncio.Event()
