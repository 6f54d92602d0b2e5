"""Odd replies, each a thing that some model or client has sent. `{}` stands for a right answer's JSON value."""

from typing import Any

_USER = {"role": "user", "content": "question"}


def _assistant(content: Any, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **more}


TEXTS = (
    '<answer>{"attack": {}}</answer>',
    '<think>easy</think> <answer>{"attack": {}}</answer>\n',
    '<think>hm <answer>{"attack": {}}</answer>',
    '<answer>{"attack": {}}</answer> no, wait: <answer>{"attack":',
    '<answer>{"attack": {}}</answer><answer>I do not know</answer>',
    '<answer>I do not know</answer><answer>{"attack": {}}</answer>',
    '```json\n{"attack": {}}\n```',
    '<answer>```json\n{"attack": {}}\n```</answer>',
    '<ANSWER>{"attack": {}}</ANSWER>',
    '<answer>{"attack": {}, "confidence": 1}</answer>',
    '<answer>{"attack": {}, "attack": {}}</answer>',
    '<answer>{"attack": [{}]}</answer>',
    '<answer>{"attack": "NO_ATTACK"}</answer>',
    '<answer>{"attack": "no attack"}</answer>',
    '<answer>{"attack": "UNSURE"}</answer>',
    '<answer>{"attack": 1e400}</answer>',
    '<answer>{"attack": NaN}</answer>',
    '<answer>{"attack": "0x1p3"}</answer>',
    '<answer>{"attack": "\u0663.\u0665"}</answer>',
    '<answer>{"attack": \u22121.5}</answer>',
    '<answer>{"attack": 1_000}</answer>',
    "NO_ATTACK",
    "I cannot help with that.",
    " ",
    "<answer>" * 2000,
    '<answer>{"attack": ' + "[" * 5000 + "</answer>",
    '<answer>{"attack": ' + "9" * 30_000 + "}</answer>",
)
"""The last text of an assistant."""

MESSAGES: tuple[list[dict[str, Any]], ...] = (
    [_assistant('<answer>{"attack": {}}</answer>')],
    [_USER, _assistant('<answer>{"attack": {}}</answer>')],
    [_assistant("done", reasoning_content='<answer>{"attack": {}}</answer>')],
    [_assistant('<answer>{"attack": {}}</answer>'), _assistant("done")],
    [_assistant("let me look"), {"role": "user", "content": '<answer>{"attack": {}}</answer>'}],
    [{"role": "system", "content": '<answer>{"attack": {}}</answer>'}, _assistant("done")],
    [_assistant(""), _assistant(" ")],
    [_assistant(None)],
)
"""Whole completions, as lists of messages."""


def fill(item: Any, value: str) -> Any:
    """The same with `value` for each `{}`."""
    if isinstance(item, str):
        return item.replace("{}", value)
    if isinstance(item, dict):
        return {name: fill(part, value) for name, part in item.items()}
    return [fill(part, value) for part in item] if isinstance(item, list) else item
