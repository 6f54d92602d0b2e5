"""Why a call has no reply, as exceptions, and what a failed attempt was."""

from dataclasses import dataclass
from enum import StrEnum

from impossible_rubrics_env.errors import ImpossibleRubricsError


class StoreError(ImpossibleRubricsError, ValueError):
    """A run store is damaged, in use, or belongs to another run; the message names the file and the remedy."""


class StoppedError(ImpossibleRubricsError, RuntimeError):
    """The call was not sent, or not repeated, because the run or its provider has stopped; the message says why."""


class CallError(ImpossibleRubricsError, RuntimeError):
    """The call failed for good in this run; the message says how. Other calls go on."""


class Outcome(StrEnum):
    """How an attempt ended that brought no reply."""

    STATUS = "status"
    """An HTTP error status. Providers do not bill these."""
    TIMEOUT = "timeout"
    """No whole answer in time. It may have been billed."""
    CONNECTION = "connection"
    """The connection was dropped. It may have been billed."""
    UNREACHABLE = "unreachable"
    """No connection was made, so nothing was sent."""
    BODY = "body"
    """An answer with status 200 that is not the JSON of a reply. It may have been billed."""
    INTERRUPTED = "interrupted"
    """It was given up because the run was told to stop. It may have been billed."""
    NOT_SENT = "not_sent"
    """The run was told to stop after the intent was written and before anything was sent."""
    POLICY = "policy"
    """A function in this process could not answer."""
    UNEXPECTED = "unexpected"
    """An error of another kind. It may have been billed."""

    @property
    def maybe_billed(self) -> bool:
        """Whether the provider may have charged for the attempt."""
        return self not in (Outcome.STATUS, Outcome.UNREACHABLE, Outcome.NOT_SENT, Outcome.POLICY)


class Remedy(StrEnum):
    """What is to be done about a failed attempt."""

    RETRY = "retry"
    """Wait and try again."""
    GIVE_UP = "give_up"
    """The provider will not take this request; others may do."""
    STOP_PROVIDER = "stop_provider"
    """Key, account, address or model name are wrong: no call to this provider can succeed."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One attempt without a reply."""

    outcome: Outcome
    remedy: Remedy
    detail: str
    """In words, as they came; the engine takes secrets out and shortens them."""
    status: int | None = None
    """HTTP status."""
    retry_after: float | None = None
    """Seconds the provider asked to wait."""

    def __str__(self) -> str:
        status = "" if self.status is None else f" {self.status}"
        return f"{self.outcome}{status}: {self.detail}"
