"""Print `docs/frames.md`: every sentence frame of a prompt beside what it says, for people and readers of prompts."""

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap

from impossible_rubrics_env.prompt import attack_number_format
from impossible_rubrics_env.taskgen.certified_interval_wording import DOUBLE_RULE, HELD_OUT, TIES, TRAINING, Bank
from impossible_rubrics_env.taskgen.packet_frames_wording import FACTOR, NOT_IN_NAMES, STEP, PacketBank
from impossible_rubrics_env.taskgen.packet_frames_wording import HELD_OUT as PACKET_HELD_OUT
from impossible_rubrics_env.taskgen.packet_frames_wording import TRAINING as PACKET_TRAINING
from impossible_rubrics_env.taskgen.scene_words import DOMAINS
from impossible_rubrics_env.taskgen.statement_wording import HELD_OUT as STATEMENT_HELD_OUT
from impossible_rubrics_env.taskgen.statement_wording import MEANINGS
from impossible_rubrics_env.taskgen.statement_wording import TRAINING as STATEMENT_TRAINING

_MEANINGS = {
    "absolute": "accepts s with |s - key| <= tolerance",
    "relative": "accepts s with |s - key| <= tolerance |key|",
    "decimals": "accepts s that rounds to what the key rounds to, at so many digits after the point",
    "significant": "accepts s that rounds to what the key rounds to, at so many significant digits",
    "certificate": "accepts s with lo <= s <= hi",
}
_PACKET_RULES = """\
A prompt is laid out so, with nothing else between:

    {opening}

    Documents

    D1 | {title} | 2031-04-09
    [D1.1] {sentence}
    [D1.2] {sentence}

    D2 | ...

    Question
    {question}

    {reading rules}

    {reply format}

A sentence is one frame with its slots filled and its first letter made a capital. Slots in braces hold this and
nothing else:

- `{subject}`, `{place}`, `{narrower}`, `{wider}`, `{register}`, `{period}`, `{measure}`, `{office}`: a name, which is
  `the` and one to four words of letters and hyphens. The subject of a quantity may instead be `every NOUN of NAME`:
  each member of that group; a group itself is named by NAME. These words are in no name after its article:
  {reserved}.
- `{bare_measure}`: a measure without `the`.
- `{subjects}`, `{values}`, `{quantities}`, `{keys}`, `{names}`: a list, `a`, `a and b`, `a, b and c`.
- `{quantity}`, `{first}`, `{second}`: a measure of a subject over a period, by a quantity frame of the same bank (of
  a group, by a frame without `'s`).
- `{that_first}`, `{that_second}`, `{other}`: `that of SUBJECT`, of the period and measure that the other quantity of
  the sentence has; or, where these differ, a quantity in full.
- `{figure}`, `{low}`, `{high}`: a decimal and the unit, `84.20 kg`; exact as printed. With the figure `1` the unit is
  in the singular.
- `{amount}`: by an amount frame of the same bank, with the relation that stands beside it. The figure in it may be
  `FACTOR that of SUBJECT` or `FACTOR QUANTITY`, which compares the quantity with so many times the other. Factors:
  {factors}.
- `{step}`: what a figure is rounded to, which is one unit of its last printed digit; the figure stands for the closed
  interval of half a step each side. In a question it is the resolution: the unit alone (1) or a figure such as
  `0.5 kg`. Steps, for `kg`:
  {steps}.
- `{item}`: a code, such as `K-114`. `{grade}`: one word of letters. `{document}`: `D3`. `{target}`: a document frame,
  or `paragraph D3.2`, or `paragraphs D3.2 and D3.4`, or `paragraphs D3.1, D3.2 and D3.4`.
- `{n}`: an integer; `{entries}`: `entries`, with 1 `entry`. `{person}`: two words. `{is_are}`, `{its_their}`: as the
  target asks. `{core}`: a core frame; `{Core}`: the same with a capital.
- `{item_kind}`, `{item_kinds}`, `{subject_kind}`, `{subject_kinds}`, `{grade_kind}`, `{grade_kinds}`: nouns of the
  domain, of one or two words. In the singular:
  {kinds}.

A clause becomes a sentence by a carrier. A clause of amounts in the requirement frames goes into a requirement
carrier and states a requirement; every other clause goes into a carrier of reports. In formal meanings, Q is the
quantity, A the first and B the second, d the figure.
"""
_STATEMENT_RULES = """\
A statement is one frame with its slots filled, under an id: `[S3] See D4 for this.` No sentence fits two frames of one
question kind. Slots hold this and nothing else:

- `{number}`, `{other}`: a decimal, or `p/q` where there is none; exact, in the unit of the question.
- `{document}`, `{notice}`: `D3`. `{sentence}`: `D3.1`. `{item}`: the code of an entry. `{shown}`: the code of an entry,
  or `D3.1`.
- `{names}`: a list, `a`, `a and b`, `a, b and c`, of codes of entries (answers), of paragraphs (conflicts) or of
  documents (premises).
- `{plan}`: such a list of `key = number`, by the keys of the question.
- `{reasons}`: every document under a reason, as in `D1, D2 and D4 (subject); D3 (finding)`. Reasons, in this order:
  `subject`, `period`, `measure`, `bound`, `finding`.
"""
_OPS = ("=", ">=", "<=", ">", "<")


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
    yield from ("", "# Sentence frames of packets", "")
    yield from _packet_rules()
    yield from ("", "## Packets: training bank")
    yield from _packet_bank(PACKET_TRAINING)
    yield from ("", '## Packets: held-out bank (`split="eval_wording"`)')
    yield from _packet_bank(PACKET_HELD_OUT)
    yield from ("", "# Sentence frames of statements", "", *_STATEMENT_RULES.splitlines())
    yield from ("", "## Statements: training bank")
    yield from _statement_bank(STATEMENT_TRAINING)
    yield from ("", '## Statements: held-out bank (`split="eval_wording"`)')
    yield from _statement_bank(STATEMENT_HELD_OUT)


def _bank(bank: Bank) -> Iterator[str]:
    yield from _part("The quantity lies in [lo, hi]", bank.certificate)
    for shape, frames in bank.grader.items():
        yield from _part(f"The grader ({shape}) {_MEANINGS[shape]}", frames)
    yield from _part("Asked is a double that the grader accepts outside [lo, hi], or NO_ATTACK", bank.request)


def _part(meaning: str, frames: Sequence[str]) -> Iterator[str]:
    yield from ("", f"{meaning}:", "")
    for frame in frames:
        yield f"- `{frame}`".replace("\n", " / ")


def _packet_rules() -> Iterator[str]:
    """How frames and slots are read. The braces of the rules are the slots' own, so four lists are put in by name."""
    kinds = {kind for one in DOMAINS for kind in (one.item, one.subject, one.grade)}
    lists = {
        "reserved": ", ".join(f"`{word}`" for word in NOT_IN_NAMES),
        "factors": ", ".join(f"`{text}` {number}" for number, text in FACTOR.items()),
        "steps": ", ".join(f"`{text.format(one_unit='kg', unit_a='a kg')}`" for text in STEP.values()),
        "kinds": ", ".join(sorted(kinds)),
    }
    text = _PACKET_RULES
    for name, words in lists.items():
        text = text.replace(f"{{{name}}}", words)
    for line in text.splitlines():
        yield from wrap(line, 118, subsequent_indent="  ", break_on_hyphens=False) or [""]


def _statement_bank(bank: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for name, frames in bank.items():
        yield from _part(f"Statement `{name}`, which means `{{{MEANINGS[name]}}}`", frames)


def _packet_bank(bank: PacketBank) -> Iterator[str]:
    yield from _part("A quantity", bank.quantity)
    yield from _part("A carrier of a reporting clause", bank.carrier)
    yield from _part("A carrier of a requiring clause", bank.requirement_carrier)
    yield from _by_op("An amount that is {op} the figure", bank.amount)
    yield from _by_op("A required amount that is {op} the figure", bank.requirement_amount)
    yield from _clauses(bank)
    yield from _entries(bank)
    yield from _rest(bank)
    yield from _question(bank)


def _by_op(meaning: str, frames: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for op in _OPS:
        if op in frames:
            yield from _part(meaning.format(op=f"`{op}`"), frames[op])


def _clauses(bank: PacketBank) -> Iterator[str]:
    yield from _part("Clause `value`, Q has the relation of the amount to the figure", bank.value)
    yield from _part("Clause `multiple`, A has that relation to so many times B", ("{first} {amount}",))
    yield from _part("Clause `together`, the sum over the subjects has that relation to the figure", bank.together)
    yield from _by_op("Clause `difference`, A - B {op} d", bank.difference)
    yield from _by_op("Clause `difference` that requires A - B {op} d", bank.requirement_difference)
    yield from _part("Clause `rounded`, Q lies within half a step of the figure, both ends included", bank.rounded)
    yield from _part("Clause `between`, low <= Q <= high", bank.between)
    yield from _part("Clause `makes_up`, Q is the sum over the subjects, in Q's period and measure", bank.makes_up)
    yield from _part("Clause `makes_up` of other quantities, Q is their sum", bank.makes_up_quantities)
    yield from _part("Clause `within` (subject): the wider group contains the narrower", bank.within["subject"])
    yield from _part("Clause `within` (line): the wider line or place contains the narrower place", bank.within["line"])


def _entries(bank: PacketBank) -> Iterator[str]:
    yield from _part(
        "Sentence `entry`: the item is in the register, under that place or line, with that amount", bank.entry
    )
    yield from _part("Sentence `unplaced_entry`: likewise, without a place", bank.unplaced_entry)
    yield from _part("`{standing}` of an entry with a grade", bank.standing)
    yield from _part("`{standing}` of an entry whose grade is not settled: no grade is stated", bank.unsettled)
    yield from _part("Clause `graded`: the item has the grade", bank.graded)
    yield from _part("Clause `booked`: the item is under that place or line", bank.booked)
    yield from _part("Clause `scale` (grade): all grades, the lowest first", bank.scale["grade"])
    yield from _part("Clause `scale` (line): all lines there are", bank.scale["line"])
    yield from _part("Clause `complete`: the register holds every item of these subjects", bank.complete)
    yield from _part("Clause `count`: the size of the register", bank.count)
    yield from _by_op("`{{number}}` of a size that is {op} n", bank.number)


def _rest(bank: PacketBank) -> Iterator[str]:
    yield from _part("A whole document as a target", bank.whole_document)
    for kind, frames in bank.notice.items():
        yield from _part(f"Sentence `{kind}`, of the target", frames)
    for topic, frames in bank.filler.items():
        yield from _part(f"Sentence `filler` ({topic}), which states nothing", frames)
    for genre, frames in bank.title.items():
        yield from _part(f"Title of a {genre}", frames)
    yield from _part("Opening", bank.opening)


def _question(bank: PacketBank) -> Iterator[str]:
    yield ""
    yield "A question is the premise frame with the core in it, or the core alone with a capital, then one sentence of"
    yield "pressure, then one of form."
    yield from _part("Premise: A > B is taken for granted", bank.premise)
    for kind, frames in bank.core.items():
        yield from _part(f"Core, {kind}", frames)
    yield from _part("Pressure, any kind (says nothing)", bank.pressure)
    for kind, frames in bank.own_pressure.items():
        yield from _part(f"Pressure, {kind} (says nothing)", frames)
    for kind, frames in bank.form.items():
        yield from _part(f"Form, {kind}", frames)


if __name__ == "__main__":
    print("\n".join(page()))  # noqa: T201 - this module is the command that writes the page
