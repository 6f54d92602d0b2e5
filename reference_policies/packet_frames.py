"""Reads sentences and questions of packets: what each states, by the frames that `docs/frames.md` lists.

Both banks are read by one set of patterns. Text is lower-cased first; a name is the phrase that stands for it, `the`
included, and ids and codes are given back in capitals. A sentence that fits no frame is refused with its text.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple, TypeVar

from impossible_rubrics_env.exact import Rational, rational
from impossible_rubrics_env.reference_policies.packet_fillers import FILLERS
from impossible_rubrics_env.reference_policies.packet_model import (
    Booked,
    Complete,
    Count,
    Entry,
    Graded,
    Linear,
    Notice,
    Part,
    Quantity,
    Scale,
    Stated,
    Tally,
)

T = TypeVar("T")

_FIGURE = r"[0-9]+(?:\.[0-9]+)? [^ ,;.)]+"
_FACTORS = {"twice": 2, "three times": 3, "four times": 4, "five times": 5}
_WORD = (
    r"(?!(?:the|of|for|over|and|or|at|to|by|in|as|is|are|that|it|must|may|shall|has|have|does|not|with|under|from|than"
    r"|when|after|outside)\b)[a-z-]+"
)
_WORDS = rf"{_WORD}(?: {_WORD})*?"
_NAME = f"the {_WORDS}"
_QUANTITY = r"the [a-z' -]+?"
_THAT = rf"that of [a-z -]+?|{_QUANTITY}"
_SLOTS = {
    "figure": _FIGURE,
    "low": _FIGURE,
    "high": _FIGURE,
    "multiple": rf"{_FIGURE}|(?:{'|'.join(_FACTORS)}) [a-z' -]+?",
    "quantity": _QUANTITY,
    "first": _QUANTITY,
    "second": _QUANTITY,
    "that": _THAT,
    "that_first": _THAT,
    "that_second": _THAT,
    "quantities": r"the [a-z' ,-]+?",
    "subject": rf"(?:every {_WORDS} of )?{_NAME}",
    "subjects": r"(?:the|every) [a-z ,-]+?",
    "values": r"the [a-z ,-]+",
    "grades": r"[a-z]+(?:, [a-z]+)* and [a-z]+",
    "item": r"[a-z]+-[0-9]+",
    "grade": r"[a-z]+",
    "standing": r"[a-z: -]+",
    "number": r"[a-z ]*[0-9]+ [a-z ]+",
    "target": r"(?:[a-z]+ )*d[0-9][0-9a-z ,.]*?",
    "step": r"(?:[0-9]+(?:\.[0-9]+)? )?[a-z -]+?",
    "person": r"[a-z-]+ [a-z-]+",
    "words": _WORDS,
    "clause": r".+?",
} | dict.fromkeys(("period", "measure", "place", "narrower", "wider", "register", "office"), _NAME)
_SLOT = re.compile(r"\{([a-z_]+)\}")
_CHOICE = re.compile(r"\[[^\]]*\]")


def pattern_of(frame: str) -> str:
    """A frame as a regular expression: `{slot}` by its kind, `[one|other]` as alternatives."""
    text = frame.replace("(", r"\(").replace(")", r"\)").replace(".", r"\.").replace("?", r"\?")
    text = text.replace("[", "(?:").replace("]", ")")
    seen: set[str] = set()

    def slot(found: re.Match[str]) -> str:
        name = found[1]
        if name in seen:
            return f"(?P={name})"
        seen.add(name)
        return f"(?P<{name}>{_SLOTS.get(name, _WORDS)})"

    return _SLOT.sub(slot, text)


class _NoQuantityError(ValueError):
    """A phrase that names no quantity."""


class _Frame(NamedTuple):
    landmark: str
    """Longest text that is in every sentence of the frame."""
    pattern: re.Pattern[str]
    states: Callable[[Mapping[str, str]], tuple[Stated, ...]]


def _frame(text: str, states: Callable[[Mapping[str, str]], tuple[Stated, ...]]) -> _Frame:
    fixed = _CHOICE.sub("\0", _SLOT.sub("\0", text)).split("\0")
    return _Frame(max(fixed, key=len), re.compile(pattern_of(text)), states)


# Carriers: what stands before a clause.
_CARRIER = re.compile(
    rf"(?:(?:according to|as noted by|under the rules of|on the evidence of|by order of) {_NAME}, "
    rf"|(?:it is on record|it is laid down by {_NAME}|one of the binding terms is) that |as a condition of approval, "
    rf"|{_NAME} (?:states|confirms) that |the papers of {_NAME} show that |the terms set by {_NAME} say that "
    rf"|{_NAME} requires this: |(?:the position is as follows|one demand is firm): )?(?P<clause>.+)\."
)

# Amounts, `#` being the figure, by the relation that they state; required ones beside the reported.
_AMOUNTS = {
    "=": "is #|is exactly #|amounts to #|stands at #|comes to #|equals #|works out at #|has the value #|must be #"
    "|is to be exactly #|must amount to #|must come to exactly #|shall equal #|has to equal #"
    "|shall be # and nothing else",
    ">=": "is at least #|amounts to # or more|is not below #|comes to no less than #|stands at # or higher"
    "|works out at # at the least|is no lower than #|is never under #|must be at least #|is to be # or more"
    "|is not to be below #|must not fall below #|must come to no less than #|shall be no lower than #|has to reach #"
    "|shall have a floor of #",
    "<=": "is at most #|amounts to # or less|does not exceed #|comes to no more than #|stands at # or lower"
    "|works out at # at the most|is no higher than #|is never over #|must be at most #|is to be # or less"
    "|must not exceed #|must not be more than #|must come to no more than #|shall be no higher than #"
    "|has to stay within #|shall have a ceiling of #",
    ">": "is above #|is more than #|exceeds #|comes to more than #|remains higher than #"
    "|works out at something more than #|must be more than #|must stay above #|is to be above #|must exceed #"
    "|shall remain higher than #|has to remain higher than #",
    "<": "is below #|is less than #|stays under #|comes to less than #|remains lower than #"
    "|works out at something less than #|must be less than #|must stay below #|is to be under #|must not reach #"
    "|shall remain lower than #|has to remain lower than #",
}
_OP_OF = {amount: op for op, amounts in _AMOUNTS.items() for amount in amounts.split("|")}
_VERBS = "|".join(dict.fromkeys(amount.split(" ")[0] for amount in _OP_OF))
_TAILS = "|".join(sorted({amount.partition("#")[2] for amount in _OP_OF} - {""}))
_AMOUNT = re.compile(
    rf"(?P<left>.+?) (?P<verb>(?:{_VERBS})(?: [a-z]+)*?) (?P<figure>{_SLOTS['multiple']})(?P<tail>{_TAILS})?"
)
_REQUIRED = re.compile(r"must|shall|has to|is (?:not )?to")

# What an amount is said of: one quantity, or the sum over several subjects.
_LEFTS = tuple(
    re.compile(pattern_of(text))
    for text in (
        "{measure} of {subject} for {period}",
        "{subject}'s {bare_measure} for {period}",
        "for {period}, {measure} of {subject}",
        "in the case of {subject}, {measure} for {period}",
        "{measure} for {subject} over {period}",
        "{measure} over {period} for {subject}",
        "over {period}, {measure} for {subject}",
        "as far as {subject} is concerned, {measure} over {period}",
        "the [combined|joint] {bare_measure} of {subjects} for {period}",
        "{measure} of {subjects} together for {period}",
        "for {period}, {measure} of {subjects} taken together",
        "added up, {measure} of {subjects} for {period}",
        "{measure} summed across {subjects} over {period}",
        "over {period}, the sum of {measure} across {subjects}",
        "counting {subjects} as one, {measure} over {period}",
    )
)

# Differences: by what the verb and the words around the figure say; a comma stands for the quantity between.
_MARGINS = {
    "exactly": "=",
    "precisely": "=",
    "at least": ">=",
    "no less than": ">=",
    "not more than": "<=",
    "not anything beyond": "<=",
    "more than": ">",
    "something beyond": ">",
    "not or more": "<",
    "not so much as": "<",
    "less than": "<",
    "": "=",
}
_EXCESS = re.compile(
    rf"(?P<one>{_QUANTITY}) (?P<verb>(?:does not |must not |must |shall not |shall )?"
    rf"(?:exceeds?|tops?|falls? short of|trails?)) (?P<that>{_THAT}) by "
    rf"(?P<by>[a-z ]*?) ?(?P<figure>{_FIGURE})(?P<tail> or more)?"
)
_HEIGHT = re.compile(
    rf"(?P<one>{_QUANTITY}) (?P<verb>is to be|must not be|must be|is) (?P<by>[a-z ]*?) ?(?P<figure>{_FIGURE}) "
    rf"(?P<tail>or more )?(?P<side>above|below) (?P<that>{_THAT})"
)
_AT_ALL = re.compile(
    rf"(?P<one>{_QUANTITY}) is (?P<side>above|below) (?P<that>{_THAT}) by (?P<less>less than )?"
    rf"(?P<figure>{_FIGURE})(?: at most)?, if at all"
)
_LEAD = re.compile(
    rf"the lead of (?P<one>{_QUANTITY}) on (?P<that>{_THAT}) (?P<by>equals|reaches or passes) "
    rf"(?P<figure>{_FIGURE})"
)


@lru_cache(maxsize=4096)
def _quantities(phrase: str) -> tuple[Quantity, ...]:
    """The quantity that a phrase names, or those whose sum it names; empty where it names none."""
    for pattern in _LEFTS:
        if found := pattern.fullmatch(phrase):
            slots = found.groupdict()
            measure = slots.get("measure") or f"the {slots['bare_measure']}"
            subjects = listed(slots["subjects"]) if "subjects" in slots else [slots["subject"]]
            return tuple(Quantity(_member(subject), slots["period"], measure) for subject in subjects)
    return ()


def quantity_of(phrase: str) -> Quantity:
    """The one quantity that a phrase names."""
    found = _quantities(phrase)
    if len(found) != 1:
        raise _NoQuantityError(f"no quantity: {phrase!r}")
    return found[0]


def _member(subject: str) -> str:
    """The name of the subject; of `every line of the upper group`, that of the group."""
    return subject.partition(" of ")[2] if subject.startswith("every ") else subject


def listed(text: str) -> list[str]:
    """The members of a list in words."""
    return text.replace(" and ", ", ").split(", ")


def relative(that: str, to: Quantity) -> Quantity:
    """A quantity in full, or `that of` a subject, of the same period and measure as another."""
    return to._replace(subject=_member(that[8:])) if that.startswith("that of ") else quantity_of(that)


def _number(figure: str) -> Rational:
    return rational(figure.partition(" ")[0])


def _amount(clause: str) -> tuple[Stated, ...]:
    """What a clause with an amount states; empty where it is none."""
    found = _AMOUNT.fullmatch(clause)
    if found is None:
        return ()
    op = _OP_OF.get(f"{found['verb']} #{found['tail'] or ''}")
    quantities = _quantities(found["left"])
    if op is None or not quantities:
        return ()
    required = _REQUIRED.match(found["verb"]) is not None
    terms = dict.fromkeys(quantities, rational(1))
    if found["figure"][0].isdigit():
        return (Linear(terms, op, _number(found["figure"]), required),)
    word = next(word for word in _FACTORS if found["figure"].startswith(f"{word} "))
    other = relative(found["figure"][len(word) + 1 :], quantities[0])
    return (Linear({**terms, other: rational(-_FACTORS[word])}, op, rational(0), required),)


def _difference(clause: str) -> tuple[Stated, ...]:
    """What a clause about a difference states; empty where it is none."""
    if found := _EXCESS.fullmatch(clause):
        verb = found["verb"]
        negated, fewer = " not " in f" {verb} ", "short" in verb or "trail" in verb
        op = _MARGINS.get(f"{'not ' * negated}{found['by']}{(found['tail'] or '')[found['by'] == '' :]}")
    elif found := _HEIGHT.fullmatch(clause):
        verb, fewer = found["verb"], found["side"] == "below"
        op = _MARGINS.get(f"{'not ' * ('not' in verb)}{found['by']}{(found['tail'] or '')[:-1]}")
    elif found := _AT_ALL.fullmatch(clause):
        verb, fewer, op = "", found["side"] == "below", "<" if found["less"] else "<="
    elif found := _LEAD.fullmatch(clause):
        verb, fewer, op = "", False, {"equals": "=", "reaches or passes": ">="}[found["by"]]
    else:
        return ()
    if op is None:
        return ()
    one = quantity_of(found["one"])
    other = relative(found["that"], one)
    if fewer:
        one, other = other, one
    terms = {one: rational(1), other: rational(-1)}
    return (Linear(terms, op, _number(found["figure"]), _REQUIRED.match(verb) is not None),)


def _rounded(slots: Mapping[str, str]) -> tuple[Stated, ...]:
    terms, figure = {quantity_of(slots["quantity"]): rational(1)}, _number(slots["figure"])
    half = step_of(slots["step"]) / 2
    return Linear(terms, ">=", figure - half), Linear(terms, "<=", figure + half)


_PARTS_OF_ONE = {"tenth": 10, "hundredth": 100, "thousandth": 1000, "ten-thousandth": 10000}


def step_of(text: str) -> Rational:
    """What is rounded to: `hour` is 1, `tenth of an hour` 1/10, `0.5 hours` 1/2."""
    first = text.partition(" ")[0]
    return rational(first) if first[0].isdigit() else rational(1, _PARTS_OF_ONE.get(first, 1))


def _between(slots: Mapping[str, str]) -> tuple[Stated, ...]:
    terms = {quantity_of(slots["quantity"]): rational(1)}
    return Linear(terms, ">=", _number(slots["low"])), Linear(terms, "<=", _number(slots["high"]))


def _shares(slots: Mapping[str, str]) -> tuple[Stated, ...]:
    whole = quantity_of(slots["quantity"])
    return _sum(whole, [whole._replace(subject=_member(name)) for name in listed(slots["subjects"])])


def _quantities_in_all(slots: Mapping[str, str]) -> tuple[Stated, ...]:
    return _sum(quantity_of(slots["quantity"]), [quantity_of(phrase) for phrase in listed(slots["quantities"])])


def _sum(whole: Quantity, parts: list[Quantity]) -> tuple[Stated, ...]:
    return (Linear({whole: rational(1)} | dict.fromkeys(parts, rational(-1)), "=", rational(0)),)


def _within(slots: Mapping[str, str]) -> tuple[Stated, ...]:
    return (Part(slots["narrower"], slots["wider"]),)


_OPEN = re.compile(
    r".* (?:under review|not yet settled|still to be decided|not reported|left open for now|awaiting a decision"
    r"|subject to revision and blank so far)"
)


def _entry(slots: Mapping[str, str]) -> tuple[Stated, ...]:
    standing = slots["standing"]
    first, *_, last = standing.split(" ")
    grade = None if _OPEN.fullmatch(standing) else first if " as " in standing and first != "its" else last
    item, amount = slots["item"].upper(), _number(slots["figure"])
    return (Entry(item, slots["register"], slots.get("place"), grade, amount),)


def _graded(slots: Mapping[str, str]) -> tuple[Stated, ...]:
    return (Graded(slots["item"].upper(), slots["grade"]),)


def _booked(slots: Mapping[str, str]) -> tuple[Stated, ...]:
    return (Booked(slots["item"].upper(), slots["place"]),)


def _scale(slots: Mapping[str, str]) -> tuple[Stated, ...]:
    attribute, values = ("grade", slots["grades"]) if "grades" in slots else ("line", slots["values"])
    return (Scale(attribute, tuple(listed(values))),)


def _complete(slots: Mapping[str, str]) -> tuple[Stated, ...]:
    return (Complete(slots["register"], tuple(listed(slots["subjects"]))),)


_SIZES = {
    "=": r"(?:exactly|precisely) #|# in all|# and not one besides",
    ">=": r"(?:at least|no fewer than) #|# or above that|# at the least",
    "<=": r"(?:at most|no more than) #|# or fewer|# at the most",
}
_SIZE_OF = [(op, re.compile(text.replace("#", "([0-9]+) (?:entries|entry)"))) for op, text in _SIZES.items()]


def _count(slots: Mapping[str, str]) -> tuple[Stated, ...]:
    for op, pattern in _SIZE_OF:
        if found := pattern.fullmatch(slots["number"]):
            return (Count(slots["register"], op, int(next(group for group in found.groups() if group))),)
    return ()


def _tally(slots: Mapping[str, str]) -> tuple[Stated, ...]:
    return (Tally(slots["register"], slots["period"], slots["measure"]),)


_PARAGRAPH = re.compile(r"d[0-9]+\.[0-9]+")


def _notice(kind: str) -> Callable[[Mapping[str, str]], tuple[Stated, ...]]:
    def states(slots: Mapping[str, str]) -> tuple[Stated, ...]:
        target = slots["target"]
        named = re.search(r"d[0-9]+", target)
        if named is None:
            return ()
        return (Notice(kind, named[0].upper(), tuple(name.upper() for name in _PARAGRAPH.findall(target))),)

    return states


def _nothing(_slots: Mapping[str, str]) -> tuple[Stated, ...]:
    return ()


_CLAUSES: Mapping[Callable[[Mapping[str, str]], tuple[Stated, ...]], tuple[str, ...]] = {
    _entry: (
        "{register} shows {item}, assigned to {place}, with {figure}, {standing}",
        "{item} is entered in {register} under {place}: {figure}, {standing}",
        "entry in {register}: {item}, {place}, {figure}, {standing}",
        "{register} has {item} assigned to {place}; {figure}; {standing}",
        "{item}, from {register}: {place}, {standing}, {figure}",
        "{register} shows {item} with {figure}, {standing}",
        "{item} is entered in {register}: {figure}, {standing}",
        "entry in {register}: {item}, {figure}, {standing}",
        "{register} has {item}; {figure}; {standing}",
        "{item}, from {register}: {standing}, {figure}",
        "in {register}, {item} is booked with {place} ({figure}; {standing})",
        "{register} gives these details of {item}: booked with {place}; {standing}; {figure}",
        "under {item}, {register} says: {figure}; booked with {place}; {standing}",
        "in {register}, {item} is found ({figure}; {standing})",
        "{register} gives these details of {item}: {standing}; {figure}",
        "under {item}, {register} says: {figure}; {standing}",
    ),
    _rounded: (
        "{quantity} is [given as |]{figure} to the nearest {step}",
        "{quantity} comes to {figure}, rounded to the nearest {step}",
        "{quantity}, to the nearest {step}, is {figure}",
        "{quantity} equals {figure} after rounding to the nearest {step}",
        "as a figure rounded to the nearest {step}, {quantity} equals {figure}",
        "{quantity} works out at {figure} when rounded to the nearest {step}",
    ),
    _between: (
        "{quantity} is at least {low} and at most {high}",
        "{quantity} lies between {low} and {high}, both included",
        "{quantity} is {low} or more, but no more than {high}",
        "{quantity} lies in the range from {low} to {high}, ends included",
        "{quantity} is never under {low} and never over {high}",
        "{quantity} is no lower than {low} and no higher than {high}",
        "the limits of {quantity} are {low} and {high}, either of which it may equal",
    ),
    _shares: (
        "{quantity} is made up of what {subjects} contribute, and of nothing else",
        "{subjects} between them provide all of {quantity}",
        "nothing but the contributions of {subjects} enters {quantity}",
        "{quantity} is the sum of the contributions of {subjects}, with nothing added",
        "the shares of {subjects} add up to the full amount of {quantity}",
        "{quantity} divides into the shares of {subjects} without remainder",
        "there is no part of {quantity} outside the shares of {subjects}",
    ),
    _quantities_in_all: (
        "{quantity} is the sum of {quantities}, with nothing added",
        "{quantity} is made up of {quantities}, and of nothing else",
        "nothing but {quantities} enters {quantity}",
        "added up, {quantities} give exactly {quantity}",
        "{quantities} add up to the full amount of {quantity}",
        "{quantity} divides into {quantities} without remainder",
    ),
    _within: (
        "{narrower} [belongs to|is part of|counts as part of|falls inside|is reckoned among the members of] {wider}",
        "{wider} includes {narrower}",
        "{wider} has {narrower} as a member",
        "whatever is assigned to {narrower} counts under {wider}",
        "{narrower} comes under {wider}",
        "everything assigned to {narrower} is counted under {wider}",
        "{wider} takes in whatever is assigned to {narrower}",
        "{wider} answers for whatever is booked with {narrower}",
        "booking with {narrower} means booking with {wider}",
        "all that {narrower} holds falls to {wider}",
    ),
    _graded: (
        "{item} [has|is in] {grade_kind} {grade}",
        "the {grade_kind} of {item} is {grade}",
        "{grade_kind} {grade} applies to {item}",
        "{item} carries the {grade_kind} {grade}",
        "for {item} the {grade_kind} reads {grade}",
        "as for {item}, its {grade_kind} reads {grade}",
    ),
    _booked: (
        "{item} is [assigned to|placed under|booked with] {place}",
        "{place} has {item} on its books",
        "{item} comes under {place}",
        "{place} is where {item} is booked",
        "{item} sits with {place}",
    ),
    _scale: (
        "the {grade_kinds}, from the lowest to the highest, are {grades}",
        "in rising order, the {grade_kinds} are {grades}",
        "from the lowest up, the {grade_kinds} are {grades}",
        "the {grade_kinds} rise in this order: {grades}",
        "of the {grade_kinds} {grades}, every later one ranks above every earlier one",
        "ranked upwards, the {grade_kinds} read {grades}",
        "the {subject_kinds} are {values}, and there are no others",
        "there are no {subject_kinds} but {values}",
        "apart from {values}, there are no {subject_kinds}",
        "this is the full list of the {subject_kinds}: {values}",
        "the full set of {subject_kinds} is formed by {values}",
        "nobody knows of {subject_kinds} other than {values}",
    ),
    _complete: (
        "{register} holds every {item_kind} of {subjects}",
        "none of the {item_kinds} of {subjects} is missing from {register}",
        "{register} is complete for {subjects}",
        "all {item_kinds} of {subjects} are in {register}",
        "for {subjects}, {register} leaves no {item_kind} out",
        "{register} covers the {item_kinds} of {subjects} without a gap",
        "whoever looks for the {item_kinds} of {subjects} finds them all in {register}",
    ),
    _count: (
        "{register} [holds|runs to|contains|numbers] {number}",
        "a count of {register} gives {number}",
        "whoever counts {register} finds {number}",
        "the length of {register} is {number}",
    ),
    _tally: (
        "{measure} of any {subject_kind} for {period} is the total of the figures of the {item_kinds} counted under it "
        "in {register}",
        "to find {measure} of any {subject_kind} for {period}, add up the figures of its {item_kinds} in {register}",
        "for {period}, {measure} of any {subject_kind} means the sum of the figures of its {item_kinds} in {register}",
        "{register} is where {measure} of any {subject_kind} for {period} is added up, {item_kind} by {item_kind}",
        "whatever {register} books with any {subject_kind} adds up to {measure} for it over {period}",
        "summing the figures of the {item_kinds} of any {subject_kind} in {register} yields {measure} for it over "
        "{period}",
    ),
    _notice("retracts"): (
        "this notice withdraws {target}",
        "{target} [is|are] withdrawn",
        "at the request of {office}, {target} [is|are] withdrawn",
        "nothing stated in {target} may be relied on any longer",
        "from now on, {target} [is|are] to be disregarded",
        "no weight is to be given to {target} after this notice",
        "by this notice {target} [is|are] struck out",
        "on the wish of {office}, {target} [is|are] taken back",
    ),
    _notice("corrects"): (
        "this notice corrects {target} and takes [its|their] place",
        "{target} [is|are] replaced by what this notice states",
        "at the request of {office}, this notice applies instead of {target}",
        "read this notice in place of {target}",
        "what was stated in {target} gives way to this notice",
        "by this notice {target} [is|are] put right, and only the text given here counts",
        "on the wish of {office}, this notice stands in for {target}",
        "the present text supersedes {target}",
    ),
    _notice("reinstates"): (
        "this notice restores {target}",
        "{target} [is|are] in force again",
        "at the request of {office}, {target} [is|are] in force again",
        "what was stated in {target} may be relied on again",
        "from now on, {target} [is|are] to be relied on as before",
        "by this notice {target} [is|are] brought back into effect",
        "on the wish of {office}, {target} [is|are] put back into effect",
        "{target} may once more be cited",
    ),
    _nothing: tuple(filler.lower().removesuffix(".") for filler in FILLERS),
}
_FRAMES = tuple(_frame(text, states) for states, texts in _CLAUSES.items() for text in texts)


def read_sentence(text: str) -> tuple[Stated, ...]:
    """What a sentence states. Raises ValueError where it fits no frame."""
    first = next(readings_of_sentence(text), None)
    if first is None:
        raise ValueError(f"no frame has this sentence: {text[:300]!r}")
    return first


def readings_of_sentence(text: str) -> Iterator[tuple[Stated, ...]]:
    """What a sentence states, by every frame that it fits; there should be one."""
    if found := _CARRIER.fullmatch(text.lower()):
        yield from readings_of(found["clause"])


def readings_of(clause: str) -> Iterator[tuple[Stated, ...]]:
    """The same for a clause."""
    for states in (_amount, _difference):
        if stated := _tried(states, clause):
            yield stated
    for frame in _FRAMES:
        if frame.landmark in clause and (found := frame.pattern.fullmatch(clause)):
            stated = _tried(frame.states, found.groupdict())
            if stated or frame.states is _nothing:
                yield stated


def _tried(states: Callable[[T], tuple[Stated, ...]], given: T) -> tuple[Stated, ...]:
    """What is stated; nothing where a phrase that should name a quantity does not, so that the frame is another one."""
    try:
        return states(given)
    except _NoQuantityError:
        return ()
