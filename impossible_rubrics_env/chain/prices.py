"""What calls cost: a price file, exact sums in whole micro-dollars, and the worst case of a call.

A price file is TOML. Each key is a model, or the beginning of one and `*`; an exact name wins, then the longest
beginning:

    ["openai:some-model"]
    input = 1.25        # USD per million tokens
    output = 10

Sums are integers of micro-dollars, rounded up once for each attempt; prices may have six digits after the point.
Refused, with ArgumentError: anything else in the file, and a model of a paid provider without a price.
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from impossible_rubrics_env.chain.calls import Model, Request
from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.numerals import read_exact

MICRO = 10**6
INPUT_OVERHEAD_TOKENS = 1_000
"""Added to the bytes of a prompt for what providers put around messages; real overheads are a few dozen tokens."""
MAX_FILE_BYTES = 2**20
MAX_USD = 10**9
_FIELDS = {"input", "output"}


@dataclass(frozen=True, slots=True)
class Price:
    """Price of a model's tokens, in 10**-12 USD a token: USD per million tokens times 10**6."""

    input_pico_usd: int
    output_pico_usd: int

    def cost(self, input_tokens: int, output_tokens: int) -> int:
        """Micro-dollars for these tokens, rounded up."""
        return -(-(self.input_pico_usd * input_tokens + self.output_pico_usd * output_tokens) // MICRO)


FREE = Price(0, 0)


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices by model name; models that run in this process are free."""

    exact: Mapping[str, Price] = field(default_factory=dict)
    beginnings: Mapping[str, Price] = field(default_factory=dict)
    """By beginning, without the `*`."""
    source: str = ""
    """The file, for messages."""

    @classmethod
    def read(cls, path: str | Path) -> "Prices":
        """Read a price file. Raises ArgumentError where it is not one, OSError where it cannot be read."""
        with Path(path).open("rb") as stream:
            data = stream.read(MAX_FILE_BYTES + 1)
        if len(data) > MAX_FILE_BYTES:
            raise ArgumentError(f"prices={str(path)!r} is longer than {MAX_FILE_BYTES} bytes")
        return cls.parse(data, str(path))

    @classmethod
    def parse(cls, data: bytes, source: str = "the price file") -> "Prices":
        """Read the bytes of a price file."""
        try:
            table = tomllib.loads(data.decode("utf-8"), parse_float=str)
        except (ValueError, RecursionError) as error:
            raise ArgumentError(f"{source} is not TOML: {error}") from None
        exact: dict[str, Price] = {}
        beginnings: dict[str, Price] = {}
        for name, entry in table.items():
            place = f"{source}: {name[:200]!a}"
            price = _price(entry, place)
            if name.endswith("*"):
                _check_name(name[:-1] + "x", place)
                beginnings[name[:-1]] = price
            else:
                _check_name(name, place)
                exact[name] = price
        return cls(exact, beginnings, source)

    def of(self, model: Model) -> Price:
        """The price of a model. Raises ArgumentError where a paid model has none."""
        if not model.provider.paid:
            return FREE
        name = str(model)
        if name in self.exact:
            return self.exact[name]
        fitting = [beginning for beginning in self.beginnings if name.startswith(beginning)]
        if not fitting:
            where = self.source or "no price file was given"
            raise ArgumentError(
                f"there is no price for {name} ({where}): give --prices FILE with a table "
                f'["{name}"] of input and output in USD per million tokens (0 for a server of your own)'
            )
        return self.beginnings[max(fitting, key=len)]

    def check(self, models: Iterable[Model]) -> None:
        """Raise ArgumentError unless every model has a price."""
        for model in models:
            self.of(model)

    def worst_case(self, request: Request) -> int:
        """Most micro-dollars that one attempt can cost.

        Input: one token for each byte of UTF-8, and INPUT_OVERHEAD_TOKENS. Output: `max_tokens`.
        """
        price = self.of(request.model)
        return price.cost(request.input_bytes + INPUT_OVERHEAD_TOKENS, request.max_tokens)


def example_prices() -> str:
    """The text of the example price file that comes with the package."""
    return (files("impossible_rubrics_env.chain") / "prices.example.toml").read_text("utf-8")


def read_usd(text: str) -> int:
    """USD as a decimal such as `12.50`, to micro-dollars. Raises ArgumentError on signs, exponents, finer amounts.

    >>> read_usd("12.50")
    12500000
    """
    amount = _micro(text)
    if amount is None:
        raise ArgumentError(f"{text[:50]!a} is not an amount in USD with at most six digits after the point")
    return amount


def usd(micro_usd: int) -> str:
    """Micro-dollars as USD, cents at least.

    >>> usd(12_500_000), usd(1), usd(-2_340_000)
    ('12.50', '0.000001', '-2.34')
    """
    sign, size = ("-", -micro_usd) if micro_usd < 0 else ("", micro_usd)
    fraction = f"{size % MICRO:06d}".rstrip("0").ljust(2, "0")
    return f"{sign}{size // MICRO}.{fraction}"


def _micro(text: str) -> int | None:
    """Millionths of a plain decimal; None where it is negative, has an exponent, is finer or is beyond MAX_USD."""
    if set(text) - set("0123456789.") or (value := read_exact(text)) is None:
        return None
    scaled, rest = divmod(value.numerator * MICRO, value.denominator)
    return None if rest or scaled > MAX_USD * MICRO else scaled


def _check_name(name: str, place: str) -> None:
    try:
        model = Model.parse(name)
    except ArgumentError as error:
        raise ArgumentError(f"{place}: {error}") from None
    if not model.provider.paid:
        raise ArgumentError(f"{place}: models of {model.provider} run in this process and have no price")


def _price(entry: Any, place: str) -> Price:
    if not isinstance(entry, dict) or set(entry) != _FIELDS:
        raise ArgumentError(f"{place} must be a table with input and output, in USD per million tokens")
    amounts = {}
    for name in sorted(_FIELDS):
        value = entry[name]
        text = str(value) if isinstance(value, (int, str)) and not isinstance(value, bool) else ""
        amount = _micro(text)
        if amount is None:
            raise ArgumentError(f"{place}: {name} is not a number from 0 with at most six digits after the point")
        amounts[name] = amount
    return Price(amounts["input"], amounts["output"])
