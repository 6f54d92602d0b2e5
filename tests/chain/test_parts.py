"""Names of models, requests, prices, the budget, redaction, and the reading of headers."""

import asyncio
import time
from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st
from setting import PRICES, ask

from impossible_rubrics_env.chain.budget import Budget
from impossible_rubrics_env.chain.calls import Model, Provider, Request, Stop, well_formed
from impossible_rubrics_env.chain.engine import Options
from impossible_rubrics_env.chain.prices import Price, Prices, example_prices, read_usd, usd
from impossible_rubrics_env.chain.providers import Providers, retry_after, stop_of
from impossible_rubrics_env.chain.redaction import Redactor
from impossible_rubrics_env.errors import ArgumentError


@pytest.mark.parametrize("text", ["anthropic:claude-x", "openai:org/llama3:8b", "policy:careful", "fixed:decisive"])
def test_models_are_read_and_written_the_same(text):
    assert str(Model.parse(text)) == text


@pytest.mark.parametrize(
    "text", ["", "gpt", "openai:", "OpenAI:x", "openai:a b", "google:x", "openai:é", "fixed", "x" * 999]
)
def test_other_names_are_refused_with_the_list(text):
    with pytest.raises(ArgumentError, match="anthropic:NAME, openai:NAME, policy:NAME, fixed:NAME"):
        Model.parse(text)


def test_a_hash_stands_for_all_that_is_sent():
    base = ask("k")
    others = [
        ask("k", "openai:n"),
        ask("k", "anthropic:m"),
        ask("l"),
        ask("k", max_tokens=101),
        ask("k", temperature=0),
        ask("k", temperature=1),
        ask("k", effort="low"),
        Request(base.model, "", base.system + base.prompt, 100),
    ]
    assert len({request.hash for request in [base, *others]}) == len(others) + 1
    assert ask("k", temperature=1).hash == ask("k", temperature=1.0).hash
    assert base.prompt_hash == others[0].prompt_hash != others[2].prompt_hash
    assert base.hash == "f70d305814ea51fc640f737070ca8a2dad4119ee7cc174e1743ef989bf4403f6", (
        "pinned: a resume depends on it"
    )


@pytest.mark.parametrize(
    "bad",
    [
        {"max_tokens": 0},
        {"max_tokens": True},
        {"max_tokens": 10**7},
        {"temperature": -1},
        {"temperature": float("nan")},
        {"temperature": 2.5},
        {"effort": "High effort"},
    ],
)
def test_parameters_out_of_range_are_refused(bad):
    with pytest.raises(ArgumentError, match=next(iter(bad))):
        ask("k", **bad)


@pytest.mark.parametrize(
    ("text", "message"), [("a\ud800", "lone surrogate"), (b"x", "not text"), ("x" * 8_000_001, "more")]
)
def test_prompts_are_unicode_text_of_bounded_length(text, message):
    with pytest.raises(ArgumentError, match=message):
        Request(Model.parse("openai:m"), "", text, 1)


@given(st.text(alphabet=st.characters()))
def test_text_is_made_well_formed_and_otherwise_left_alone(text):
    fixed = well_formed(text)
    fixed.encode("utf-8")
    assert fixed == text or any("\ud800" <= char <= "\udfff" for char in text)


def test_prices_are_exact_and_rounded_up():
    prices = Prices.parse(b'["openai:a"]\ninput = 0.1\noutput = "0.000001"\n')
    price = prices.of(Model.parse("openai:a"))
    assert price == Price(100_000, 1)
    assert (price.cost(10, 0), price.cost(11, 0), price.cost(0, 1), price.cost(0, 0)) == (1, 2, 1, 0)


def test_an_exact_name_wins_then_the_longest_beginning():
    text = '["openai:*"]\ninput=1\noutput=1\n["openai:big-*"]\ninput=2\noutput=2\n["openai:big-x"]\ninput=3\noutput=3\n'
    prices = Prices.parse(text.encode())
    amounts = [prices.of(Model.parse(f"openai:{name}")).input_pico_usd for name in ("z", "big-z", "big-x", "big-xy")]
    assert amounts == [1_000_000, 2_000_000, 3_000_000, 2_000_000]
    assert prices.of(Model.parse("policy:p")) == Price(0, 0)
    with pytest.raises(ArgumentError, match="there is no price for anthropic:m"):
        prices.check([Model.parse("openai:z"), Model.parse("anthropic:m")])


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "\xff",
        "a = 1",
        '["openai:m"]\ninput = 1',
        '["openai:m"]\ninput = -1\noutput = 1',
        '["openai:m"]\ninput = 1e3\noutput = 1',
        '["openai:m"]\ninput = nan\noutput = 1',
        '["openai:m"]\ninput = 0.0000001\noutput = 1',
        '["openai:m"]\ninput = true\noutput = 1',
        '["openai:m"]\ninput = 1\noutput = 1\ncached = 1',
        '["policy:m"]\ninput = 1\noutput = 1',
        '["m"]\ninput = 1\noutput = 1',
        '["openai:m"]\ninput = 99999999999\noutput = 1',
    ],
)
def test_files_that_are_no_price_files_are_refused(text):
    with pytest.raises(ArgumentError, match="price file"):
        Prices.parse(text.encode("latin-1"))


def test_the_example_price_file_is_one_and_says_that_it_must_be_checked(tmp_path):
    path = tmp_path / "prices.toml"
    path.write_text(example_prices())
    prices = Prices.read(path)
    assert prices.of(Model.parse("anthropic:claude-opus-9")).output_pico_usd > 0
    assert "CHECK EVERY LINE" in example_prices()


@given(st.integers(0, 10**15))
def test_usd_is_read_as_it_is_written(amount):
    assert read_usd(usd(amount)) == amount


@pytest.mark.parametrize("text", ["", "-1", "1e3", "0.0000001", "1/3", "nan", "10 USD", "1" * 30])
def test_amounts_that_are_no_usd_are_refused(text):
    with pytest.raises(ArgumentError, match="not an amount in USD"):
        read_usd(text)


def test_a_worst_case_bounds_every_tokenizer_over_bytes():
    plain, wide = ask("k"), Request(Model.parse("openai:m"), "", "💡" * 10, 100)
    assert wide.input_bytes == 40
    assert PRICES.worst_case(plain) == PRICES.of(plain.model).cost(plain.input_bytes + 1000, 100)


def test_a_reservation_waits_for_others_to_be_settled():
    async def main():
        budget = Budget(100)
        assert await budget.reserve(80)
        waiting = asyncio.create_task(budget.reserve(60))
        await asyncio.sleep(0)
        assert not waiting.done()
        budget.settle(80, 30)
        assert await waiting
        assert (budget.spent_micro_usd, budget.reserved_micro_usd) == (30, 60)
        assert not await budget.reserve(71), "never fits, so it does not wait"
        budget.settle(60, 90)
        assert (budget.fits(0), await budget.reserve(1)) == (False, False)

    asyncio.run(main())


def test_a_budget_below_nothing_is_refused():
    with pytest.raises(ArgumentError, match=r"budget=-0\.01 is negative"):
        Budget(-10_000)


@pytest.mark.parametrize(
    ("message", "clean"),
    [
        ("key known-secret-1 here", "key [secret] here"),
        ("Incorrect API key provided: sk-proj-abc***xyz.", "Incorrect API key provided: [secret]."),
        ("header Authorization: Bearer abcdefgh12345", "header [secret]"),
        ("x-api-key: 0123456789", "[secret]"),
        ("http://user:pass@host/v1", "http://[secret]@host/v1"),
        ("max_tokens: 4096 is too large", "max_tokens: 4096 is too large"),
        ("The model gpt-9 does not exist", "The model gpt-9 does not exist"),
    ],
)
def test_messages_lose_what_looks_like_a_secret(message, clean):
    assert Redactor(["known-secret-1", "short"], {}).message(message) == clean


def test_environment_values_named_as_secrets_are_known_and_others_are_not():
    environ = {
        "HF_TOKEN": "0123456789abcdef",
        "MONKEY": "0123456789abcdeg",
        "SSH_KEY": "short",
        "KEY_PATH": "/home/user/.ssh/some-key-file",
    }
    redactor = Redactor((), environ)
    data = {"0123456789abcdef": ["0123456789abcdef", 5, None], "b": list(environ.values())}
    assert redactor.data(data) == {
        "[secret]": ["[secret]", 5, None],
        "b": ["[secret]", *list(environ.values())[1:]],
    }


def test_passwords_in_addresses_are_secrets():
    providers = Providers(environ={"OPENAI_API_KEY": "abc"}, openai_base_url="http://user:passw0rd@host/v1")
    assert providers.secrets() == ["abc", "passw0rd"]


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3),
        ({"retry-after": "0.25"}, 0.25),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "1e9"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Fri, 99 Foo 2026 00:00:00 GMT"}, None),
        ({"retry-after": "Mon, 01 Jan 2001 00:00:00 GMT"}, 0),
    ],
)
def test_waits_that_are_asked_for_are_read(headers, seconds):
    assert retry_after(headers, time.time()) == seconds


def test_a_date_to_wait_for_is_read():
    now = 1_796_000_000.0
    assert retry_after({"retry-after": formatdate(now + 30, usegmt=True)}, now) == 30


@pytest.mark.parametrize(
    ("text", "reason", "stop"),
    [
        ("x", "stop", Stop.END),
        ("", "end_turn", Stop.EMPTY),
        ("", "length", Stop.LENGTH),
        ("x", "pause_turn", Stop.LENGTH),
        ("x", "model_context_window_exceeded", Stop.LENGTH),
        ("x", None, Stop.LENGTH),
        ("x", "content_filter", Stop.REFUSAL),
    ],
)
def test_only_reasons_known_to_mean_a_whole_reply_make_one(text, reason, stop):
    assert stop_of(text, reason) is stop


@pytest.mark.parametrize(
    "bad",
    [
        {"concurrency": 0},
        {"concurrency": 1.5},
        {"attempts": 0},
        {"replies": 0},
        {"give_up_after": 0},
        {"retry_stops": {Stop.END}},
    ],
)
def test_options_out_of_range_are_refused(bad):
    with pytest.raises(ArgumentError, match=next(iter(bad))):
        Options(**bad)


@pytest.mark.parametrize("bad", [{"timeout": 0}, {"timeout": float("nan")}, {"output_limit": "limit"}])
def test_provider_options_out_of_range_are_refused(bad):
    with pytest.raises(ArgumentError, match=next(iter(bad))):
        Providers(**bad)


def test_only_two_providers_are_paid():
    assert [provider for provider in Provider if provider.paid] == [Provider.ANTHROPIC, Provider.OPENAI]
