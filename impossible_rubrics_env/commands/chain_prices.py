"""Print an example of a price file, to be saved and corrected.

Its figures are no quotation: check every line against the price page of your provider.

Examples:

  impossible-rubrics chain prices > prices.toml
"""

from impossible_rubrics_env.chain.prices import example_prices


def chain_prices() -> int:
    """Print the example."""
    print(example_prices(), end="")
    return 0
