"""JSON text from outside, read strictly and within bounds, so that what is read can be written again.

Refused: NaN and infinities, a name that occurs twice in one object (a field would be lost), nesting beyond a bound, and
lone surrogates, which no UTF-8 file can carry. Numbers keep their value, as Python reads them.
"""

import json
import math
from typing import Any, NoReturn

from impossible_rubrics_env.release.files import shown

MAX_DEPTH = 64
"""Deepest nesting of JSON containers."""


def parse(text: str) -> Any:
    """The JSON value of a text. Raises ValueError with one line on what is wrong."""
    try:
        value = json.loads(
            text, object_pairs_hook=_unique_names, parse_constant=_refuse_constant, parse_float=_finite_float
        )
    except RecursionError:
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON ({error.msg} in line {error.lineno}, column {error.colno})") from None
    _require_shallow(value)
    if "\\u" in text:  # a surrogate can enter by an escape alone
        _require_encodable(value)
    return value


def _unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = dict(pairs)
    if len(names) != len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise ValueError(f"the name {shown(name)} occurs twice in one object")
            seen.add(name)
    return names


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _finite_float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"the number {text[:40]} is too large")
    return value


def _require_shallow(value: Any) -> None:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [inner for one in level for inner in _containers(one)]
        if not level:
            return
    raise ValueError(f"nested deeper than {MAX_DEPTH} levels")


def _containers(value: Any) -> list[Any]:
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [one for one in members if isinstance(one, (dict, list))]


def _require_encodable(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("a lone surrogate, which is no character") from None
