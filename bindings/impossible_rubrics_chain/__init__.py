"""The chain as an environment of `verifiers` 0.3 and later, selected by `--env.id impossible-rubrics-chain`.

A module of its own, because an environment in the taskset's module would become the default.
"""

import verifiers.v1 as vf

if not hasattr(vf, "SingleAgentEnv"):
    raise ImportError("the chain needs verifiers>=0.3: 0.2 has no environments of several agents")

from impossible_rubrics_chain.environment import ImpossibleRubricsChainEnv

__all__ = ["ImpossibleRubricsChainEnv"]
