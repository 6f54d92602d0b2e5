"""The reply reader: total on any object, the same through every message form, bounded in size and depth."""

import collections
import json
import sys
import types
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from impossible_rubrics_env import reply as reply_module
from impossible_rubrics_env.reply import (
    MAX_BLOCK_CHARS,
    MAX_DEPTH,
    MAX_ITEMS,
    AttackNumber,
    NoAttack,
    Unreadable,
    assistant_text,
    read_answer,
    read_attack_number,
)

RIGHT = '<answer>{"attack": 2.5}</answer>'
FRAGMENTS = (
    "<answer>",
    "</answer>",
    "<think>",
    "</think>",
    '{"attack": 2.5}',
    '{"attack": "NO_ATTACK"}',
    '{"attack": ',
    "{",
    "}",
    "[",
    '"',
    "\\",
    "```json\n",
    "\n```",
    "1e400",
    "NaN",
    " ",
    "\n",
    "so",
    "\ud835",
    "\u0663",
)
replies = st.lists(st.sampled_from(FRAGMENTS), max_size=14).map("".join)


class Raises:
    """Every door of this object raises."""

    def __getattr__(self, name):
        raise RuntimeError(name)

    def __eq__(self, other):
        raise RuntimeError("eq")

    __hash__ = None

    def __str__(self):
        raise RuntimeError("str")

    def __len__(self):
        raise RuntimeError("len")

    def __iter__(self):
        raise RuntimeError("iter")


class LiesAboutItsClass:
    @property
    def __class__(self):
        raise RuntimeError("class")


class RaisingMapping(collections.abc.Mapping):
    def __getitem__(self, name):
        raise RuntimeError("getitem")

    def __iter__(self):
        raise RuntimeError("iter")

    def __len__(self):
        return 3


class RaisingSequence(collections.abc.Sequence):
    def __getitem__(self, place):
        raise RuntimeError("getitem")

    def __len__(self):
        return 3


class RaisingText(str):
    """A str subclass that redefines what the reader calls."""

    __slots__ = ()

    def rfind(self, *_):
        raise RuntimeError("rfind")

    def find(self, *_):
        raise RuntimeError("find")

    def __getitem__(self, _):
        raise RuntimeError("getitem")

    def __str__(self):
        raise RuntimeError("str")


class EndlessProperty:
    @property
    def role(self):
        return self.role


@dataclass
class Message:
    role: Any = "assistant"
    content: Any = RIGHT


@dataclass
class Part:
    text: Any = RIGHT
    type: Any = "text"


def _cycle():
    knot = []
    knot.append(knot)
    return knot


HOSTILE = {
    "bytes": RIGHT.encode(),
    "bytearray": bytearray(RIGHT.encode()),
    "memoryview": memoryview(RIGHT.encode()),
    "raising object": Raises(),
    "raising object in a list": [Raises()],
    "raising role": Message(role=Raises()),
    "raising content": Message(content=Raises()),
    "raising part": Message(content=[Raises()]),
    "raising part type": Message(content=[Part(type=Raises())]),
    "raising part text": Message(content=[Part(text=Raises())]),
    "class property raises": LiesAboutItsClass(),
    "mapping that raises": RaisingMapping(),
    "sequence that raises": RaisingSequence(),
    "message with a mapping that raises": [RaisingMapping()],
    "property without end": EndlessProperty(),
    "range": range(10**18),
    "range beyond a word": range(10**30),
    "range as content": Message(content=range(10**18)),
    "generator": (item for item in [Message()]),
    "generator as content": Message(content=(item for item in [Part()])),
    "set": {1, 2},
    "cycle": _cycle(),
    "cycle as content": Message(content=_cycle()),
    "huge integer": 10**5000,
    "huge integer as content": Message(content=10**5000),
    "nan": float("nan"),
    "class": int,
    "module": json,
    "function": len,
    "exception": ValueError(RIGHT),
    "too many messages": [Message(role="user")] * (MAX_ITEMS + 1) + [Message()],
    "too many parts": Message(content=[Part()] * (MAX_ITEMS + 1)),
    "namespace without content": types.SimpleNamespace(role="assistant"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_object_holds_no_text(name):
    assert assistant_text(HOSTILE[name]) is None
    assert read_attack_number(HOSTILE[name]) == Unreadable("no_text")


@pytest.mark.parametrize(
    "reply",
    [
        RIGHT,
        RaisingText(RIGHT),
        Message(),
        Message(content=RaisingText(RIGHT)),
        [Message()],
        (Message(role="user"), Message()),
        collections.deque([Message()]),
        collections.UserList([Message()]),
        types.MappingProxyType({"role": "assistant", "content": RIGHT}),
        collections.UserDict({"role": "assistant", "content": RIGHT}),
        [Part()],
        Message(content=[Part()]),
        Message(content=(Part(RIGHT[:9]), Part(RaisingText(RIGHT[9:])))),
        [{"role": "user", "content": "?"}, Message(), {"role": "tool", "content": "x"}],
        [Message(role="user")] * (MAX_ITEMS - 1) + [Message()],
        types.SimpleNamespace(role="assistant", content=RIGHT, extra=1),
    ],
    ids=lambda reply: f"{type(reply).__name__}-{len(reply) if hasattr(reply, '__len__') else 1}",
)
def test_every_honest_form_of_a_message_is_read(reply):
    assert read_attack_number(reply) == AttackNumber(2.5)


def test_pydantic_messages_are_read():
    import pydantic

    class TextPart(pydantic.BaseModel):
        type: str = "text"
        text: str | None = RIGHT

    class ChatMessage(pydantic.BaseModel):
        role: str = "assistant"
        content: str | list[TextPart] | None = RIGHT
        reasoning_content: str | None = None

    for reply in (
        ChatMessage(),
        [ChatMessage()],
        ChatMessage(content=[TextPart()]),
        [ChatMessage(role="user"), ChatMessage()],
    ):
        assert read_attack_number(reply) == AttackNumber(2.5)
    assert read_attack_number(ChatMessage(content=None, reasoning_content=RIGHT)) == Unreadable("no_text")
    assert read_attack_number(ChatMessage(role="user")) == Unreadable("no_text")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(FRAGMENTS),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["role", "content", "type", "text", "x"]), inner, max_size=4)
    ),
    max_leaves=8,
)


@given(json_values | st.binary(max_size=20) | replies)
def test_any_value_is_read_or_refused_with_a_reason(value):
    answer = read_attack_number(value)
    assert not isinstance(answer, Unreadable) or answer.reason.isidentifier()


@given(replies)
def test_every_form_of_the_same_text_reads_the_same(text):
    expected = read_attack_number(text)
    middle = len(text) // 2
    parts = [{"type": "text", "text": text[:middle]}, {"type": "image_url"}, {"type": "text", "text": text[middle:]}]
    for form in (
        {"role": "assistant", "content": text},
        [{"role": "user", "content": RIGHT}, {"role": "assistant", "content": text}],
        [{"role": "assistant", "content": RIGHT}, Message(content=text), {"role": "tool", "content": RIGHT}],
        [{"type": "text", "text": text}],
        {"role": "assistant", "content": parts},
        Message(content=[Part(text)]),
    ):
        assert read_attack_number(form) == expected


@given(replies, st.text(max_size=30))
def test_prose_after_the_last_block_never_changes_what_is_read(text, tail):
    """Prose: text without any of the four tags, alone or together with what stands before it."""
    if any(tag in tail for tag in ("<answer>", "</think>", "<think>")):
        return
    assert read_attack_number(text + RIGHT + "\n" + tail) == read_attack_number(text + RIGHT)


@given(replies)
def test_what_precedes_the_last_closing_think_tag_never_matters(text):
    assert read_attack_number(text + "</think>" + RIGHT) == AttackNumber(2.5)
    assert read_attack_number(text + "</think>") == Unreadable("no_answer")


@given(replies)
def test_what_precedes_the_last_block_matters_only_by_an_open_think_block(text):
    opened = text.rfind("<think>") > text.rfind("</think>") or (
        "<think>" in text[text.rfind("</think>") + len("</think>") if "</think>" in text else 0 :]
    )
    expected = Unreadable("open_think") if opened else AttackNumber(2.5)
    assert read_attack_number(text + RIGHT) == expected


@given(st.dictionaries(st.text(max_size=4), json_values, max_size=3))
def test_only_the_exact_object_is_an_attack(answer):
    text = f"<answer>{json.dumps(answer)}</answer>"
    if set(answer) != {"attack"}:
        assert isinstance(read_attack_number(text), Unreadable)


def test_the_block_bound_is_exact():
    pad = " " * (MAX_BLOCK_CHARS - len('{"attack": 2.5}'))
    assert read_attack_number(f'<answer>{{"attack": 2.5}}{pad}</answer>') == AttackNumber(2.5)
    assert read_attack_number(f'<answer>{{"attack": 2.5}}{pad} </answer>') == Unreadable("too_long")


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_the_depth_bound_is_exact_and_ours(opening, closing):
    for depth in (MAX_DEPTH - 1, MAX_DEPTH, 500, 2_000):
        value = opening * depth + "1" + closing * depth
        expected = "shape" if depth < MAX_DEPTH else "depth"
        assert read_attack_number(f'<answer>{{"attack": {value}}}</answer>') == Unreadable(expected)
    strings = ", ".join(['"[{\\"["'] * 50)
    assert read_attack_number(f'<answer>{{"attack": [{strings}]}}</answer>') == Unreadable("shape")
    siblings = ", ".join(["[]"] * 50)
    assert read_attack_number(f'<answer>{{"attack": [{siblings}]}}</answer>') == Unreadable("shape")


def _deep_in_the_stack(frames, call):
    return call() if frames == 0 else _deep_in_the_stack(frames - 1, call)


@pytest.mark.parametrize("frames", [0, 400, 800])
def test_the_callers_stack_does_not_decide(frames):
    deepest = "[" * (MAX_DEPTH - 1) + "]" * (MAX_DEPTH - 1)
    limit = sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(frames + 300)
        shallow = _deep_in_the_stack(frames, lambda: read_attack_number(RIGHT))
        nested = _deep_in_the_stack(frames, lambda: read_attack_number(f'<answer>{{"attack": {deepest}}}</answer>'))
    finally:
        sys.setrecursionlimit(limit)
    assert (shallow, nested) == (AttackNumber(2.5), Unreadable("shape"))


def test_the_pure_python_json_scanner_reads_the_same(monkeypatch):
    blocks = [
        *(
            '{"attack": 1\uff10}',
            '{"attack": 1.\uff10}',
            '{"attack": 1e\u0663}',
            '{"attack": 2.5}',
            '{"attack": "2.5"}',
        ),
        *(
            '{"attack": NaN}',
            '{"attack": 1, "attack": 2}',
            '{"attack": -}',
            '{"attack": "NO_ATTACK"}',
            '{"attack": 01}',
        ),
    ]

    def outcomes():
        read = [read_attack_number(f"<answer>{block}</answer>") for block in blocks]
        return [None if isinstance(answer, Unreadable) else answer for answer in read]

    expected = [None, None, None, AttackNumber(2.5), AttackNumber(2.5), None, None, None, NoAttack(), None]
    assert outcomes() == expected
    decoder = json.JSONDecoder(
        object_pairs_hook=reply_module._unique_names,
        parse_float=str,
        parse_int=str,
        parse_constant=reply_module._refuse_constant,
    )
    decoder.parse_object, decoder.parse_string = json.decoder.JSONObject, json.decoder.py_scanstring
    decoder.scan_once = json.scanner.py_make_scanner(decoder)
    monkeypatch.setattr(reply_module, "_DECODER", decoder)
    assert outcomes() == expected


def test_numbers_stay_text():
    """A JSON number is read from its text: no float or int stands between the reply and the reader."""
    answer = read_answer('<answer>{"a": 0.10000000000000000001, "b": 12345678901234567890123, "c": [1e5]}</answer>')
    assert answer == {"a": "0.10000000000000000001", "b": "12345678901234567890123", "c": ["1e5"]}


def test_nothing_in_a_reply_is_executed():
    """S070: no import, exec, open or compile happens while code-like replies are read."""
    seen = []
    watching = [True]

    def hook(event, _):
        if watching[0] and event in (
            "import",
            "exec",
            "open",
            "compile",
            "os.system",
            "subprocess.Popen",
            "pickle.find_class",
        ):
            seen.append(event)

    texts = [
        '__import__(\\"os\\").getpid()',
        "().__class__.__base__",
        "sqrt(4)",
        "9**9**9",
        "lambda: 0",
        "!!python/object",
    ]
    replies_ = [f'<answer>{{"attack": "{text}"}}</answer>' for text in texts]
    read_attack_number(replies_[0])
    sys.addaudithook(hook)
    try:
        outcomes = [read_attack_number(text) for text in replies_]
    finally:
        watching[0] = False
    assert outcomes == [Unreadable("number")] * len(texts)
    assert seen == []


def test_one_place_in_the_package_knows_where_an_answer_stands():
    """S058: whoever cuts an answer out of a reply must know the think tags; a second copy would be a second grader."""
    root = Path(__file__).parents[2]
    folders = ("impossible_rubrics_env", "taskgen", "certificates", "bindings", "reference_policies")
    sources = [path for folder in folders for path in (root / folder).rglob("*.py")]
    assert len(sources) > 20
    readers = [path.name for path in sources if "</think>" in path.read_text(encoding="utf-8")]
    assert readers == ["reply.py"]
