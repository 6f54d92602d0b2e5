"""The store: what it refuses, what it tolerates, and that a reader makes no sense of damage."""

import asyncio
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from setting import ARGUMENTS, ask

from impossible_rubrics_env.chain.calls import MAX_REPLY_CHARS, Reply, Stop
from impossible_rubrics_env.chain.history import MAX_LINE_BYTES, History, decode, encode, read_history
from impossible_rubrics_env.chain.problems import Failure, Outcome, Remedy, StoreError
from impossible_rubrics_env.chain.store import FILE, Store, read
from impossible_rubrics_env.errors import ArgumentError

REPLY = Reply("text", Stop.END, "id", 3, 4, 0.25, 55)
FAILURE = Failure(Outcome.STATUS, Remedy.RETRY, "busy", 429, 0.5)


async def fill(store, calls=4):
    """Calls of which the first failed once and the last is in flight."""
    for number in range(calls):
        key, request = f"k{number}", ask(f"k{number}")
        await store.intend(key, 1, request, 100)
        if number == 0:
            await store.failed(key, 1, request, FAILURE, 0.1, 0)
            await store.intend(key, 2, request, 100)
        if number < calls - 1:
            await store.replied(key, 2 if number == 0 else 1, request, REPLY, reason="stop")


def filled(folder, calls=4):
    store = Store.create(folder, ARGUMENTS)
    asyncio.run(fill(store, calls))
    store.close()
    return folder / FILE


def test_what_was_written_is_what_is_read(tmp_path):
    filled(tmp_path)
    history = read(tmp_path)
    assert history.replies == {"k0": [REPLY], "k1": [REPLY], "k2": [REPLY]}
    assert history.attempts == {"k0": 2, "k1": 1, "k2": 1, "k3": 1}
    assert list(history.open) == [("k3", 1)]
    assert (history.failures, history.charged_micro_usd, history.spent_micro_usd) == (1, 165, 265)
    assert history.requests["k1"] == ask("k1").hash


def test_records_that_wait_together_are_synced_together(tmp_path, monkeypatch):
    store = Store.create(tmp_path, ARGUMENTS)
    syncs = []
    monkeypatch.setattr(os, "fsync", syncs.append)

    async def main():
        await asyncio.gather(*(store.intend(f"k{number}", 1, ask(f"k{number}"), 1) for number in range(50)))

    asyncio.run(main())
    store.close()
    assert len(read(tmp_path).open) == 50
    assert 1 <= len(syncs) <= 3


def test_resuming_names_what_was_in_flight_and_counts_it_as_spent(tmp_path):
    filled(tmp_path)
    store = Store.resume(tmp_path, ARGUMENTS)
    assert store.in_flight == (("k3", 1),)
    assert store.notes == (
        "3 recorded replies are used again",
        "1 in flight when the run ended, which may have been paid and are made again: k3 (attempt 1)",
    )
    assert (store.history.spent_micro_usd, store.history.lost, store.history.open) == (265, [("k3", 1)], {})
    store.close()
    assert Store.resume(tmp_path, ARGUMENTS).in_flight == ()


def test_a_folder_with_a_run_is_not_started_anew_and_one_without_is_not_resumed(tmp_path):
    with pytest.raises(StoreError, match="there is no run to resume"):
        Store.resume(tmp_path / "none", ARGUMENTS)
    with pytest.raises(StoreError, match="there is no run"):
        read(tmp_path / "none")
    filled(tmp_path)
    with pytest.raises(StoreError, match="go on with that run by --resume"):
        Store.create(tmp_path, ARGUMENTS)


def test_other_arguments_are_refused_by_name_and_the_store_stays_as_it_was(tmp_path):
    path = filled(tmp_path)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r'draws was 3 and is 4; seed was not given and is 1; tasks was "full150" and'):
        Store.resume(tmp_path, {"draws": 4, "seed": 1})
    assert path.read_bytes() == before
    Store.resume(tmp_path, dict(reversed(ARGUMENTS.items()))).close()


def test_arguments_that_differ_are_named_by_their_paths_and_long_ones_by_where_they_differ(tmp_path):
    long = [f"openai:model-{number}" for number in range(40)]
    arguments = {"setup": {"seed": 3, "judges": long, "text": "a" * 500, "same": {"x": 1}}, "tasks": "full150"}
    Store.create(tmp_path, arguments).close()
    setup = {**arguments["setup"], "seed": 4, "judges": [*long[:30], "openai:other", *long[31:]], "text": "a" * 501}
    with pytest.raises(StoreError) as caught:
        Store.resume(tmp_path, {**arguments, "setup": setup})
    message = str(caught.value).partition("with other arguments: ")[2]
    judges, seed, text = message.split("; ")
    assert judges.startswith("setup.judges was ...")
    assert "model-30" in judges.partition(" and is ")[0]
    assert "openai:other" in judges.partition(" and is ")[2]
    assert seed == "setup.seed was 3 and is 4"
    old, new = text.removeprefix("setup.text was ").split(" and is ")
    assert old != new
    assert len(message) < 600
    with pytest.raises(StoreError, match=r'setup was \{"judges":.{60,80}\.\.\. and is not given'):
        Store.resume(tmp_path, {"tasks": "full150"})


def test_arguments_with_a_key_in_them_are_refused_before_there_is_a_file(tmp_path):
    secret = 'a-long-"key"-of-someone'
    for arguments in ({"url": f"http://x/?k={secret}"}, {"a": [{"b": secret}]}, {secret: 1}):
        with pytest.raises(ArgumentError, match="an API key is a part of what is stored"):
            Store.create(tmp_path, arguments, secrets=[secret])
        with pytest.raises(ArgumentError, match="an API key is a part of what is stored"):
            Store.resume(tmp_path, arguments, secrets=[secret])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("opening", ["create", "resume"])
def test_two_processes_cannot_write_one_store(tmp_path, opening):
    filled(tmp_path)
    store = Store.resume(tmp_path, ARGUMENTS)
    code = (
        "import sys\nfrom impossible_rubrics_env.chain.store import Store\n"
        f"try:\n    Store.{opening}(sys.argv[1], {ARGUMENTS!r})\nexcept Exception as error:\n    print(error)"
    )
    line = [sys.executable, "-c", code, tmp_path]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ("in use by another process" if opening == "resume" else "exists") in done.stdout
    with pytest.raises(StoreError, match="in use by another process: two runs cannot write one store"):
        Store.resume(tmp_path, ARGUMENTS)
    store.close()
    Store.resume(tmp_path, ARGUMENTS).close()


@pytest.mark.parametrize("kept", ["nothing", "half a header"])
def test_a_run_that_died_before_its_header_is_started_by_a_resume(tmp_path, kept):
    path = filled(tmp_path)
    header = path.read_bytes().split(b"\n")[0]
    path.write_bytes(b"" if kept == "nothing" else header[: len(header) // 2])
    store = Store.resume(tmp_path, ARGUMENTS)
    assert (store.history.records, store.history.header["arguments"]) == (1, ARGUMENTS)
    assert bool(store.notes) == (kept != "nothing")
    store.close()


def test_another_version_of_the_package_is_named(tmp_path, monkeypatch):
    filled(tmp_path)
    monkeypatch.setattr("impossible_rubrics_env.__version__", "9.9")
    store = Store.resume(tmp_path, ARGUMENTS)
    assert store.notes[-1].endswith("this is 9.9")
    store.close()


def test_a_torn_end_at_every_byte_loses_at_most_the_last_record(tmp_path):
    path = filled(tmp_path)
    whole = path.read_bytes()
    last = whole[:-1].rfind(b"\n") + 1
    for end in range(last, len(whole), 7):
        path.write_bytes(whole[:end])
        store = Store.resume(tmp_path, ARGUMENTS)
        assert store.history.replies == {"k0": [REPLY], "k1": [REPLY], "k2": [REPLY]}
        assert (end > last) == any("was torn" in note for note in store.notes)
        store.close()
        assert read(tmp_path).torn_bytes == 0


@settings(max_examples=300)
@given(data=st.data())
def test_damage_is_named_or_it_is_a_torn_end(data, tmp_path_factory):
    """Bytes changed, lines lost, doubled or moved: an error with file and line, or all but the last record."""
    whole = WHOLE or _whole(tmp_path_factory.mktemp("whole"))
    lines = whole.splitlines(keepends=True)
    kind = data.draw(st.sampled_from(["byte", "cut", "drop", "double", "swap", "junk"]))
    at = data.draw(st.integers(0, len(lines) - 1))
    if kind == "byte":
        place = data.draw(st.integers(0, len(whole) - 1))
        changed = data.draw(st.integers(0, 255))
        damaged = whole[:place] + bytes([changed]) + whole[place + 1 :]
    elif kind == "cut":
        damaged = whole[: data.draw(st.integers(0, len(whole)))]
    elif kind == "drop":
        damaged = b"".join(lines[:at] + lines[at + 1 :])
    elif kind == "double":
        damaged = b"".join([*lines[: at + 1], *lines[at:]])
    elif kind == "swap":
        other = data.draw(st.integers(0, len(lines) - 1))
        lines[at], lines[other] = lines[other], lines[at]
        damaged = b"".join(lines)
    else:
        damaged = b"".join([*lines[:at], data.draw(st.binary(max_size=80)) + b"\n", *lines[at:]])
    check_reading(damaged, whole)


def check_reading(damaged, whole):
    try:
        history = read_history(io.BytesIO(damaged), Path("calls.jsonl"))
    except StoreError as error:
        assert str(error).startswith("calls.jsonl:")  # noqa: PT017 - either outcome is right
        return
    assert history.good_bytes + history.torn_bytes == len(damaged)
    assert all(replies == [REPLY] for replies in history.replies.values())
    assert set(damaged[: history.good_bytes].splitlines()) <= set(whole.splitlines())


WHOLE = b""


def _whole(folder):
    global WHOLE  # noqa: PLW0603 - made once
    WHOLE = filled(folder).read_bytes()
    return WHOLE


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20), lambda inner: st.lists(inner, max_size=3)
)
NAMES = st.sampled_from(
    ["record", "key", "attempt", "request", "reserved_micro_usd", "stop", "usage", "text", "announced", "in_flight"]
)
KINDS = st.sampled_from(["header", "intent", "attempt", "reply", "resume", "end", "other"])


@settings(max_examples=300)
@given(records=st.lists(st.builds(lambda data, kind: {**data, "record": kind}, st.dictionaries(NAMES, JSON), KINDS)))
def test_sound_lines_that_cannot_follow_on_each_other_are_named(records):
    header = {
        "record": "header",
        "format": 1,
        "package": "1",
        "arguments": {},
        "arguments_hash": "",
    }
    stream = io.BytesIO(b"".join(map(encode, [header, *records])))
    try:
        history = read_history(stream, Path("calls.jsonl"))
    except StoreError as error:
        assert str(error).startswith("calls.jsonl:")  # noqa: PT017 - either outcome is right
    else:
        assert history.records == len(records) + 1


@given(text=st.text(), number=st.integers(), more=JSON)
def test_a_line_gives_back_its_record(text, number, more):
    record = {"text": text, "number": number, "more": more}
    line = encode(record)
    assert line.isascii()
    assert line.count(b"\n") == 1
    assert decode(line[:-1]) == record
    assert json.loads(line) == {**record, "sum": json.loads(line)["sum"]}


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"record": "intent"}, "the header is missing"),
        ({"record": "header", "format": 2}, "format=2 is not 1"),
    ],
)
def test_a_history_begins_with_a_header_of_its_format(record, message):
    with pytest.raises(StoreError, match=message):
        History().add(record)


def test_a_record_that_a_reader_would_refuse_is_not_written(tmp_path, monkeypatch):
    path = filled(tmp_path)
    store = Store.resume(tmp_path, ARGUMENTS)
    before = path.read_bytes()

    async def main():
        with pytest.raises(StoreError, match="announced twice"):
            await store.intend("k1", 1, ask("k1"), 1)
        with pytest.raises(StoreError, match="stands for two requests"):
            await store.intend("k1", 2, ask("other"), 1)
        with pytest.raises(StoreError, match="was not announced"):
            await store.replied("k9", 1, ask("k9"), REPLY, reason=None)
        monkeypatch.setattr("impossible_rubrics_env.chain.history.MAX_LINE_BYTES", 1000)
        with pytest.raises(StoreError, match="longer than 1000, the longest that is read"):
            await store.end("partial", "x" * 1000)
        assert path.read_bytes() == before
        both = (store.intend("new", number, ask("new"), 1) for number in (1, 1))
        first, second = await asyncio.gather(*both, return_exceptions=True)
        assert first is None
        assert "two records at the same time" in str(second)
        await store.replied("new", 1, ask("new"), REPLY, reason=None)

    asyncio.run(main())
    store.close()
    assert read(tmp_path).replies["new"] == [REPLY]


def test_the_longest_reply_fits_into_a_line_that_is_read():
    assert 12 * MAX_REPLY_CHARS + 2**20 < MAX_LINE_BYTES
    assert len(encode({"text": "\U0001f600" * 1000})) < 12 * 1000 + 100


def test_after_a_failed_write_nothing_is_written(tmp_path, monkeypatch):
    store = Store.create(tmp_path, ARGUMENTS)
    monkeypatch.setattr(os, "write", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))

    async def main():
        for number in range(2):
            with pytest.raises(OSError, match="cannot be written"):
                await store.intend(f"k{number}", 1, ask("k"), 1)
            monkeypatch.undo()

    asyncio.run(main())
    store.close()
    assert read(tmp_path).records == 1
