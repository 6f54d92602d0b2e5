"""Names of models, requests, prices, the budget, redaction, and the reading of headers."""

import asyncio
import time
from email.utils import formatdate
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st
from setting import PRICES, ask

from impossible_rubrics_env.chain.budget import Budget
from impossible_rubrics_env.chain.calls import Model, Provider, Request, Stop, well_formed
from impossible_rubrics_env.chain.engine import Options
from impossible_rubrics_env.chain.prices import Price, Prices, example_prices, read_usd, usd
from impossible_rubrics_env.chain.problems import Remedy
from impossible_rubrics_env.chain.providers import Providers, retry_after, status_failure, stop_of
from impossible_rubrics_env.chain.redaction import MAX_MESSAGE_CHARS, MIN_CHARS, Redactor
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
    assert PRICES.worst_case(plain) == PRICES.of(plain.model).cost(plain.input_bytes + 256, 100)


def test_a_worst_case_bounds_tokenizers_that_first_bring_text_into_a_longer_form():
    request = Request(Model.parse("openai:m"), "\ufdfa" * 10, "e\u0301", 100)
    normal = normalize("NFKC", request.system)
    assert len(normal.encode()) > len(request.system.encode())
    assert request.input_bytes == len(normal.encode()) + len(request.prompt.encode()), "each in its longer form"


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
        ("key known-secret-0123 here", "key [secret] here"),
        ("with blanks\n  and \x1b[31m colours", "with blanks and \ufffd[31m colours"),
        ("Incorrect API key provided: sk-proj-abc***xyz.", "Incorrect API key provided: [secret]."),
        ("header Authorization: Bearer abcdefgh12345", "header [secret]"),
        ("x-api-key: 0123456789", "[secret]"),
        ("http://user:pass@host/v1", "http://[secret]@host/v1"),
        ("max_tokens: 4096 is too large", "max_tokens: 4096 is too large"),
        ("The model gpt-9 does not exist", "The model gpt-9 does not exist"),
    ],
)
def test_messages_lose_what_looks_like_a_secret(message, clean):
    assert Redactor(["known-secret-0123", "short"], {}).message(message) == clean


def test_environment_values_named_as_secrets_are_known_and_others_are_not():
    environ = {
        "HF_TOKEN": "0123456789abcdef",
        "MONKEY": "0123456789abcdeg",
        "SSH_KEY": "short",
        "KEY_PATH": "/home/user/.ssh/some-key-file",
    }
    clean = Redactor((), environ).text(" ".join(environ.values()))
    assert clean == "[secret] 0123456789abcdeg short /home/user/.ssh/some-key-file"


@pytest.mark.parametrize("word", ["generator", "local-model", "a" * (MIN_CHARS - 1)])
def test_a_key_that_may_be_an_ordinary_word_is_no_secret(word):
    redactor = Redactor([word], {"OPENAI_API_KEY": word})
    redactor.check({"model": f"openai:{word}"})
    assert redactor.text(f"the {word} of this") == redactor.message(f"the {word} of this") == f"the {word} of this"


@given(st.integers(0, 700))
def test_text_is_cut_after_secrets_are_taken_out_of_it(place):
    """Wherever a cut would go through a secret, no part of it is left."""
    secret = "Zq97hTkP2vXw4Lm8RbN5Yc1d"
    redactor = Redactor([secret], {})
    text = f"{'.' * place}{secret}{'.' * 300}"
    for cut in (redactor.message(text), redactor.text(text, 100), redactor.text(text, 200)):
        assert secret[:3] not in cut
        assert len(cut) <= MAX_MESSAGE_CHARS + 3


def test_redaction_takes_time_in_proportion_to_the_text():
    """Errors come whole, and a server may say anything."""
    redactor = Redactor(["known-secret-0123"], {})
    hostile = ["-eyJ", "token ", "token=", "://", "sk-", "bearer ", "api key" + " " * 50]
    begun = time.process_time()
    for part in hostile:
        redactor.message(part * (200_000 // len(part)))
    assert time.process_time() - begun < 5


def test_an_address_that_nobody_asks_is_not_looked_at():
    environ = {"OPENAI_API_KEY": "a-key-of-openai", "ANTHROPIC_BASE_URL": "http://[::1"}
    providers = Providers(environ=environ, openai_base_url="http://[::1]:80/v1")
    assert providers.secrets() == ["a-key-of-openai"]
    providers.check([Model.parse("openai:m")])
    with pytest.raises(ArgumentError, match="base URL of anthropic is not"):
        Providers(environ={**environ, "ANTHROPIC_API_KEY": "k"}).check([Model.parse("anthropic:m")])


@pytest.mark.parametrize(
    "url",
    [
        *("http://[::1", "http://a b/v1", "http://host/a b", "http://h\u00f6st/", "http://999.1.1.1/", "http://h:0/"),
        *("http://host/v1?key=x", "http://host/#x", "http://host:80:80/", "http://[v1.a]/", "http://" + "a" * 9999),
    ],
)
def test_addresses_that_no_client_takes_are_refused(url):
    with pytest.raises(ArgumentError, match=r"base URL of openai is not http\(s\)://HOST"):
        Providers(environ={"OPENAI_API_KEY": "k"}, openai_base_url=url).check([Model.parse("openai:m")])


@pytest.mark.parametrize("who", ["user:passw0rd", "token", "user:p%40ss", ":"])
def test_addresses_with_a_user_are_refused_without_saying_the_password(who):
    providers = Providers(environ={"OPENAI_API_KEY": "k"}, openai_base_url=f"http://{who}@host/v1")
    with pytest.raises(ArgumentError, match="user name or password: leave it out, OPENAI_API_KEY is sent") as caught:
        providers.check([Model.parse("openai:m")])
    assert who == ":" or who not in str(caught.value)


def test_a_redirect_stops_its_provider_and_names_the_place():
    failure = status_failure(307, "", {"location": "http://elsewhere/v1"})
    assert failure.remedy is Remedy.STOP_PROVIDER
    assert "http://elsewhere/v1" in failure.detail


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
    ("status", "detail", "remedy"),
    [
        (429, "Rate limit reached for m. Add a payment method at https://example.com/account/billing", Remedy.RETRY),
        (429, "insufficient_quota: You exceeded your current quota", Remedy.STOP_PROVIDER),
        (400, "Your credit balance is too low", Remedy.STOP_PROVIDER),
        (400, "billing_error: see your plan", Remedy.STOP_PROVIDER),
        (400, "temperature is not supported", Remedy.GIVE_UP),
        (413, "request_too_large", Remedy.GIVE_UP),
        (422, "unprocessable", Remedy.GIVE_UP),
        (402, "pay", Remedy.STOP_PROVIDER),
        (599, "whatever", Remedy.RETRY),
    ],
)
def test_statuses_have_their_remedies(status, detail, remedy):
    assert status_failure(status, detail, {}).remedy is remedy


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
