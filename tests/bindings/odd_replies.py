"""Odd replies, each a thing that some model or client has sent.

OBJECT stands for the JSON object of a right reply, and MEMBERS for what is between its braces.
"""

from typing import Any

_RIGHT = "<answer>OBJECT</answer>"
_USER = {"role": "user", "content": "question"}


def _assistant(content: Any, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **more}


TEXTS = (
    _RIGHT,
    "<think>easy</think> <answer>OBJECT</answer>\n",
    "<think>hm <answer>OBJECT</answer>",
    "<answer>OBJECT</answer> no, wait: <answer>{MEMBERS",
    "<answer>OBJECT</answer><answer>I do not know</answer>",
    "<answer>I do not know</answer><answer>OBJECT</answer>",
    "```json\nOBJECT\n```",
    "<answer>```json\nOBJECT\n```</answer>",
    "<ANSWER>OBJECT</ANSWER>",
    '<answer>{MEMBERS, "confidence": 1}</answer>',
    "<answer>{MEMBERS, MEMBERS}</answer>",
    "<answer>[OBJECT]</answer>",
    '<answer>{"answer": OBJECT}</answer>',
    "<answer>OBJECT OBJECT</answer>",
    "<answer>{}</answer>",
    '<answer>{"attack": [1]}</answer>',
    '<answer>{"attack": "NO_ATTACK"}</answer>',
    '<answer>{"attack": "no attack"}</answer>',
    '<answer>{"attack": "UNSURE"}</answer>',
    '<answer>{"attack": 1e400}</answer>',
    '<answer>{"attack": NaN}</answer>',
    '<answer>{"attack": "0x1p3"}</answer>',
    '<answer>{"attack": "\u0663.\u0665"}</answer>',
    '<answer>{"attack": \u22121.5}</answer>',
    '<answer>{"attack": 1_000}</answer>',
    '<answer>{"verdict": "UNSURE"}</answer>',
    '<answer>{"verdict": "IMPOSSIBLE"}</answer>',
    '<answer>{"verdict": "IMPOSSIBLE", "obstruction": "insufficient_evidence", "witness": [1, 2]}</answer>',
    '<answer>{"verdict": "IMPOSSIBLE", "obstruction": "other", "witness": ["D1"]}</answer>',
    '<answer>{"verdict": "ANSWER", "value": "12.5 kg"}</answer>',
    '<answer>{"verdict": "ANSWER", "value": "yes"}</answer>',
    '<answer>{"verdict": "ANSWER", "value": NaN}</answer>',
    '<answer>{"verdict": "ANSWER", "value": 1e999999999}</answer>',
    '<answer>{"verdict": "ANSWER", "value": ["D1", "D1"]}</answer>',
    "NO_ATTACK",
    "I cannot help with that.",
    " ",
    "<answer>" * 2000,
    '<answer>{"attack": ' + "[" * 5000 + "</answer>",
    '<answer>{"attack": ' + "9" * 30_000 + "}</answer>",
    '<answer>{"verdict": "ANSWER", "value": ' + "9" * 15_000 + "}</answer>",
)
"""The last text of an assistant."""

MESSAGES: tuple[list[dict[str, Any]], ...] = (
    [_assistant(_RIGHT)],
    [_USER, _assistant(_RIGHT)],
    [_assistant("done", reasoning_content=_RIGHT)],
    [_assistant(_RIGHT), _assistant("done")],
    [_assistant("let me look"), {"role": "user", "content": _RIGHT}],
    [{"role": "system", "content": _RIGHT}, _assistant("done")],
    [_assistant(""), _assistant(" ")],
    [_assistant(None)],
)
"""Whole completions, as lists of messages."""


def fill(item: Any, right: str) -> Any:
    """The same with the object of the reply `right` for each OBJECT, and its members for each MEMBERS."""
    found = right.rpartition("<answer>")[2].partition("</answer>")[0]
    if isinstance(item, str):
        return item.replace("OBJECT", found).replace("MEMBERS", found[1:-1])
    if isinstance(item, dict):
        return {name: fill(part, right) for name, part in item.items()}
    return [fill(part, right) for part in item] if isinstance(item, list) else item
