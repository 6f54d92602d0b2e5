"""What tests of the engine share: requests, prices, and engines on one store."""

import asyncio
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from impossible_rubrics_env.chain.budget import Budget
from impossible_rubrics_env.chain.calls import Model, Request
from impossible_rubrics_env.chain.engine import Engine, Options
from impossible_rubrics_env.chain.prices import Prices
from impossible_rubrics_env.chain.providers import Providers
from impossible_rubrics_env.chain.retries import Backoff
from impossible_rubrics_env.chain.running import run
from impossible_rubrics_env.chain.store import Store

BOTH = ("anthropic:m", "openai:m")
KEYS = {"ANTHROPIC_API_KEY": "planted-anthropic-key-1", "OPENAI_API_KEY": "planted-openai-key-22"}
PRICES = Prices.parse(b'["anthropic:*"]\ninput = 3\noutput = 15\n["openai:*"]\ninput = "1.25"\noutput = 10\n')
FAST = Backoff(0.01, 0.04, 2.0, random.Random(1))
ARGUMENTS = {"draws": 3, "tasks": "full150"}


def ask(key: str, model: str = "openai:m", **more: Any) -> Request:
    """A request whose prompt names its call."""
    return Request(Model.parse(model), "system text", f"the prompt of [key:{key}]", **{"max_tokens": 100, **more})


@dataclass
class Setting:
    """One store and one server."""

    url: str
    folder: Path
    options: dict[str, Any] = field(default_factory=dict)
    timeout: float = 5.0
    prices: Prices = PRICES

    def providers(self, **more: Any) -> Providers:
        """Providers that reach the server alone."""
        urls = {"anthropic_base_url": self.url, "openai_base_url": f"{self.url}/v1"}
        return Providers(environ=KEYS, timeout=self.timeout, **urls, **more)

    def engine(
        self,
        resume: bool = False,
        cap: int | None = None,
        on_progress: Any = None,
        providers: Any = None,
        **more: Any,
    ) -> Engine:
        """An engine on the store."""
        providers = providers or self.providers(**more)
        opened = (Store.resume if resume else Store.create)(self.folder, ARGUMENTS, secrets=providers.secrets())
        options = Options(**{"backoff": FAST, **self.options})
        return Engine(opened, providers, self.prices, Budget(cap), options, on_progress)

    def run(self, main: Any, **more: Any) -> Any:
        """Run `main(engine)` on a new engine; the engine, and how it ended."""
        engine = self.engine(**more)
        return engine, run(engine, lambda: main(engine))

    def ask_all(self, keys: Any, model: str = "openai:m", **more: Any) -> Any:
        """Ask for all these calls at once; the engine, how it ended, replies by key."""
        replies: dict[str, Any] = {}

        async def one(engine: Engine, key: str) -> None:
            replies[key] = await engine.call(key, ask(key, model))

        async def main(engine: Engine) -> None:
            results = await asyncio.gather(*(one(engine, key) for key in keys), return_exceptions=True)
            for result in results:
                if isinstance(result, BaseException):
                    raise result

        engine, ended = self.run(main, **more)
        return engine, ended, replies
