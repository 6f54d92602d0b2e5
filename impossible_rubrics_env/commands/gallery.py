"""Print the gallery: one twin pair a family, the edit marked, the proofs in words, replies with their verdicts.

It is a Markdown page on standard output; `make docs` writes it to docs/gallery.md.

Examples:

  impossible-rubrics gallery > docs/gallery.md

  impossible-rubrics gallery --families certified_interval --seed 5
"""

from typing import Annotated

import typer

from impossible_rubrics_env.commands.options import Families
from impossible_rubrics_env.taskgen.arguments import draw_arguments


def gallery(
    families: Families = "answer,certified_interval",
    seed: Annotated[int | None, typer.Option(help="Seed of the draw; the page in docs/ has the default.")] = None,
) -> None:
    """Print the gallery."""
    from impossible_rubrics_env.gallery import SEED, page

    chosen = SEED if seed is None else draw_arguments(seed=seed).seed
    print("\n".join(page(families, chosen)))
