"""Every exception this package raises on purpose. Each is also a standard-library type."""


class ImpossibleRubricsError(Exception):
    """Base of all errors of this package."""


class ArgumentError(ImpossibleRubricsError, ValueError):
    """An argument of the draw, a command or a function is unknown or out of range."""


class CertificateError(ImpossibleRubricsError, ValueError):
    """A proof, a ledger record or a task does not hold up; the message names the failed part."""


class GateError(ImpossibleRubricsError, RuntimeError):
    """A planted forgery scored, or a right reply did not: nothing may be scored in this state."""


class MissingExtraError(ImpossibleRubricsError, ImportError):
    """An optional dependency is not installed; the message names the `pip install` line."""
