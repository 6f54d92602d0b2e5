"""Print `docs/frames.md`: every sentence frame of a prompt beside what it says, for people and readers of prompts."""

from collections.abc import Iterator, Sequence

from impossible_rubrics_env.prompt import attack_number_format
from impossible_rubrics_env.taskgen.certified_interval_wording import DOUBLE_RULE, HELD_OUT, TIES, TRAINING, Bank

_MEANINGS = {
    "absolute": "accepts s with |s - key| <= tolerance",
    "relative": "accepts s with |s - key| <= tolerance |key|",
    "decimals": "accepts s that rounds to what the key rounds to, at so many digits after the point",
    "significant": "accepts s that rounds to what the key rounds to, at so many significant digits",
    "certificate": "accepts s with lo <= s <= hi",
}


def page() -> Iterator[str]:
    """Lines of the page."""
    yield "# Sentence frames of `certified_interval`"
    yield ""
    yield "Made by `make docs`. A prompt is one frame of each part, then the reading rule and the reply format."
    yield "Numbers are exact: decimals, `p/q`, or scientific notation such as `3e-15`."
    for title, bank in (("Training bank", TRAINING), ('Held-out bank (`split="eval_wording"`)', HELD_OUT)):
        yield from ("", f"## {title}")
        yield from _bank(bank)
    yield from ("", "## Ties", "")
    for rule, words in TIES.items():
        yield f"- `{rule}`: {words}"
    yield from ("", "## Reading rule", "", f"> {DOUBLE_RULE}", "", "## Reply format", "")
    for line in attack_number_format(abstain=True, penalty="3/2").splitlines():
        yield f"    {line}"


def _bank(bank: Bank) -> Iterator[str]:
    yield from _part("The quantity lies in [lo, hi]", bank.certificate)
    for shape, frames in bank.grader.items():
        yield from _part(f"The grader ({shape}) {_MEANINGS[shape]}", frames)
    yield from _part("Asked is a double that the grader accepts outside [lo, hi], or NO_ATTACK", bank.request)


def _part(meaning: str, frames: Sequence[str]) -> Iterator[str]:
    yield from ("", f"{meaning}:", "")
    for frame in frames:
        yield f"- `{frame}`".replace("\n", " / ")


if __name__ == "__main__":
    print("\n".join(page()))  # noqa: T201 - this module is the command that writes the page
