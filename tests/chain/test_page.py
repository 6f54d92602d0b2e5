"""What docs/chain-engine.md shows works, and the fields it names are those of the records."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from wire import Step

from impossible_rubrics_env.chain.prices import Prices
from impossible_rubrics_env.chain.store import FILE, Store

PAGE = (Path(__file__).parents[2] / "docs" / "chain-engine.md").read_text()


def block(language):
    return re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL).group(1)


def test_the_program_on_the_page_runs_and_its_store_has_the_fields_on_the_page(wire, tmp_path):
    wire.script["?"] = [Step(500, headers={"retry-after": "0"})]
    (tmp_path / "prices.toml").write_text(block("toml"))
    env = {**os.environ, "OPENAI_API_KEY": "none", "OPENAI_BASE_URL": f"{wire.url}/v1"}
    line = [sys.executable, "-W", "error", "-c", block("python")]
    done = subprocess.run(line, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.startswith("complete: 1 calls have a reply in runs/first/calls.jsonl")
    folder = tmp_path / "runs" / "first"
    Store.resume(folder, {"model": "openai:some-model"}).close()
    records = {record["record"]: record for record in map(json.loads, (folder / FILE).read_text().splitlines())}
    rows = dict(re.findall(r"^\| `(\w+)` \| [^|]* \| ([^|]*) \|$", PAGE, re.MULTILINE))
    for name in ("header", "intent", "attempt", "reply", "resume", "end"):
        shown = set(re.findall(r"`(\w+)`", rows[name])) - {"complete", "partial", "interrupted"}
        common = {"sum", "record", "time", "announced", "arguments_hash"}
        assert shown == set(records[name]) - common, name


def test_the_price_file_on_the_page_is_one():
    prices = Prices.parse(block("toml").encode())
    assert (list(prices.exact), list(prices.beginnings)) == (["openai:some-model"], ["anthropic:some-family-"])
