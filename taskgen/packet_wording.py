"""Words of a packet: each statement as a sentence, titles, the opening and the question.

All variation comes from the number `pick`, which is drawn apart from everything that a label touches. The frames stand
in `packet_frames_wording`; here their slots are filled.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from impossible_rubrics_env.exact import rational
from impossible_rubrics_env.taskgen.draft import DraftDocument, DraftQuestion
from impossible_rubrics_env.taskgen.packet_frames_wording import FACTOR, HELD_OUT, STEP, TRAINING, PacketBank
from impossible_rubrics_env.taskgen.scenes import Scene
from impossible_rubrics_env.taskgen.statements import Figure, Group, Name, Quantity, Statement

FILLER_TOPICS = tuple(TRAINING.filler)
"""Topics that a filler may have; `tally` takes the words measure, period and register."""
T = TypeVar("T")
OFFICES = ("office_0", "office_1", "office_2")
PERSONS = ("person_0", "person_1", "person_2")
FRONTED = ("for ", "in ", "added ", "over ", "as ", "counting ", "from ", "apart ", "of ")
"""How clauses begin that open with a phrase of their own: they read badly after another one, or after `that`."""
_MIX = 0x9E3779B97F4A7C15


class _Words:
    """One rendering: the scene, the bank, and the choices that are left in the pick."""

    __slots__ = ("bank", "left", "scene")

    def __init__(self, scene: Scene, pick: int, held_out: bool) -> None:
        self.scene = scene
        self.bank: PacketBank = HELD_OUT if held_out else TRAINING
        self.left = (pick + 1) * _MIX & 0xFFFFFFFFFFFFFFFF

    def one(self, frames: Sequence[T]) -> T:
        """One of them. A choice among one is a choice too: twins must make the same number of choices."""
        chosen = (self.left >> 32) * len(frames) >> 32
        self.left = self.left * 0xD1342543DE82EF95 + 1 & 0xFFFFFFFFFFFFFFFF
        return frames[chosen]

    def office(self) -> str:
        return self.scene.words[self.one(OFFICES)]

    def person(self) -> str:
        return self.scene.words[self.one(PERSONS)]

    def figure(self, figure: Figure) -> str:
        return f"{figure.text} {self.scene.words['one_unit'] if figure.text == '1' else self.scene.unit}"

    def quantity(self, quantity: Quantity) -> str:
        frames = self.bank.each if isinstance(quantity.subject, Group) else self.bank.quantity
        return self.one(frames).format_map(parts(quantity))

    def that(self, quantity: Quantity, beside: Quantity) -> str:
        """`that of` a subject, where period and measure are those of the quantity beside it."""
        text = self.quantity(quantity)
        alike = quantity.period == beside.period and quantity.measure == beside.measure
        return f"that of {subject_text(quantity)}" if alike else text

    def carried(self, clause: str, requirement: bool = False) -> str:
        """The clause in a sentence of its own; half of the time in the plain one, which comes first."""
        carriers = self.bank.requirement_carrier if requirement else self.bank.carrier
        frame = self.one(carriers)
        if self.one((True, False)) or (clause.startswith(FRONTED) and ": {clause}" not in frame):
            frame = carriers[0]
        return capital(frame.format(clause=clause, office=self.office() if "{office}" in frame else ""))


def capital(text: str) -> str:
    """With a capital first letter, and nothing else changed."""
    return text[0].upper() + text[1:]


def bare(name: Name) -> str:
    """The name without its article."""
    return name.text.removeprefix("the ")


def listed(texts: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def subject_text(quantity: Quantity) -> str:
    """The subject; of a group, every member of it."""
    subject = quantity.subject
    return subject.each if isinstance(subject, Group) else subject.text


def parts(quantity: Quantity) -> dict[str, str]:
    """The slots of a quantity frame."""
    return {
        "measure": quantity.measure.text,
        "bare_measure": bare(quantity.measure),
        "subject": subject_text(quantity),
        "period": quantity.period.text,
    }


def step_text(places: int, scene: Scene) -> str:
    """What a figure with so many places is rounded to: `kg`, `tenth of a kg`."""
    return STEP[places].format(one_unit=scene.words["one_unit"], unit_a=scene.words["unit_a"])


def resolution_text(resolution: Figure, scene: Scene) -> str:
    """What an answer is rounded to: `kg`, `0.5 kg`."""
    whole = resolution.value == rational(1)
    return scene.words["one_unit"] if whole else f"{resolution.text} {scene.unit}"


def render(statement: Statement, scene: Scene, pick: int, held_out: bool) -> str:
    """One sentence that states it. Notices name documents and paragraphs by the ids in their words."""
    return _RENDERERS[statement.kind](_Words(scene, pick, held_out), statement.words)


def _value(words: _Words, given: Mapping[str, Any]) -> str:
    quantity = given["quantity"]
    amount = _amount(words, given, words.figure(given["figure"]))
    clauses = words.bank.value
    clause = words.one((clauses[0], *clauses))  # the plain one more often: the others go without a carrier
    slots = parts(quantity)
    if "{quantity}" in clause:
        slots["quantity"] = words.quantity(quantity)
    return words.carried(clause.format(amount=amount, **slots), given["requirement"])


def _amount(words: _Words, given: Mapping[str, Any], figure: str) -> str:
    bank = words.bank.requirement_amount if given["requirement"] else words.bank.amount
    return words.one(bank[given["op"]]).format(figure=figure)


def _together(words: _Words, given: Mapping[str, Any]) -> str:
    quantities = given["quantities"]
    slots = parts(quantities[0])
    slots["subjects"] = listed([subject_text(one) for one in quantities])
    slots["amount"] = _amount(words, given, words.figure(given["figure"]))
    return words.carried(words.one(words.bank.together).format_map(slots), given["requirement"])


def _difference(words: _Words, given: Mapping[str, Any]) -> str:
    bank = words.bank.requirement_difference if given["requirement"] else words.bank.difference
    frame = words.one(bank[given["op"]])
    slots = _pair(words, frame, given["first"], given["second"])
    return words.carried(frame.format(figure=words.figure(given["figure"]), **slots), given["requirement"])


def _pair(words: _Words, frame: str, first: Quantity, second: Quantity) -> dict[str, str]:
    """The slots of a frame that compares two quantities: one of them in full, the other as `that of`."""
    if "{first}" in frame:
        return {"first": words.quantity(first), "that_second": words.that(second, first)}
    return {"second": words.quantity(second), "that_first": words.that(first, second)}


def _multiple(words: _Words, given: Mapping[str, Any]) -> str:
    first, second = given["first"], given["second"]
    amount = _amount(words, given, f"{FACTOR[given['factor']]} {words.that(second, first)}")
    return words.carried(f"{words.quantity(first)} {amount}", given["requirement"])


def _rounded(words: _Words, given: Mapping[str, Any]) -> str:
    figure = given["figure"]
    slots = {"quantity": words.quantity(given["quantity"]), "figure": words.figure(figure)}
    step = step_text(figure.places, words.scene)
    return words.carried(words.one(words.bank.rounded).format(step=step, **slots))


def _between(words: _Words, given: Mapping[str, Any]) -> str:
    slots = {"low": words.figure(given["low"]), "high": words.figure(given["high"])}
    return words.carried(words.one(words.bank.between).format(quantity=words.quantity(given["quantity"]), **slots))


def _makes_up(words: _Words, given: Mapping[str, Any]) -> str:
    whole, pieces = given["whole"], given["parts"]
    if all(one.period == whole.period and one.measure == whole.measure for one in pieces):
        frame, slots = words.bank.makes_up, {"subjects": listed([subject_text(one) for one in pieces])}
    else:
        frame, slots = words.bank.makes_up_quantities, {"quantities": listed([words.quantity(one) for one in pieces])}
    return words.carried(words.one(frame).format(quantity=words.quantity(whole), **slots))


def _within(words: _Words, given: Mapping[str, Any]) -> str:
    frame = words.one(words.bank.within[given["attribute"]])
    return words.carried(frame.format(narrower=given["narrower"].text, wider=given["wider"].text))


def _entry(words: _Words, given: Mapping[str, Any]) -> str:
    return _filled(words, words.one(words.bank.entry), given, place=given["place"].text)


def _unplaced_entry(words: _Words, given: Mapping[str, Any]) -> str:
    return _filled(words, words.one(words.bank.unplaced_entry), given)


def _filled(words: _Words, frame: str, given: Mapping[str, Any], **more: str) -> str:
    grade = given["grade"]
    kind = words.scene.words["grade_kind"]
    standing = words.one(words.bank.unsettled if grade is None else words.bank.standing)
    return capital(
        frame.format(
            item=given["item"].text,
            register=given["register"].text,
            figure=words.figure(given["figure"]),
            standing=standing.format(grade_kind=kind, grade="" if grade is None else grade.text),
            **more,
        )
    )


def _graded(words: _Words, given: Mapping[str, Any]) -> str:
    slots = {"item": given["item"].text, "grade": given["grade"].text, "grade_kind": words.scene.words["grade_kind"]}
    return words.carried(words.one(words.bank.graded).format_map(slots))


def _booked(words: _Words, given: Mapping[str, Any]) -> str:
    return words.carried(words.one(words.bank.booked).format(item=given["item"].text, place=given["place"].text))


def _scale(words: _Words, given: Mapping[str, Any]) -> str:
    values = listed([name.text for name in given["values"]])
    frame = words.one(words.bank.scale[given["attribute"]])
    return words.carried(frame.format(values=values, **words.scene.words))


def _complete(words: _Words, given: Mapping[str, Any]) -> str:
    subjects = listed([name.text for name in given["subjects"]])
    frame = words.one(words.bank.complete)
    return words.carried(frame.format(register=given["register"].text, subjects=subjects, **words.scene.words))


def _count(words: _Words, given: Mapping[str, Any]) -> str:
    n = given["number"]
    number = words.one(words.bank.number[given["op"]]).format(n=n, entries="entry" if n == 1 else "entries")
    return words.carried(words.one(words.bank.count).format(register=given["register"].text, number=number))


def _notice(kind: str) -> Callable[[_Words, Mapping[str, Any]], str]:
    def render_notice(words: _Words, given: Mapping[str, Any]) -> str:
        scope = given["scope"]
        many = scope is not None and len(scope) > 1
        frame, office = words.one(words.bank.notice[kind]), words.office()
        if scope is None:
            target = words.one(words.bank.whole_document).format(document=given["document"])
        else:
            target = f"{'paragraphs' if many else 'paragraph'} {listed(scope)}"
        numbered = {"is_are": "are" if many else "is", "its_their": "their" if many else "its"}
        return capital(frame.format(target=target, office=office, **numbered))

    return render_notice


def _filler(words: _Words, given: Mapping[str, Any]) -> str:
    slots = dict(words.scene.words)
    slots |= {"office": words.office(), "person": words.person()}
    slots.update({name: given[name].text for name in ("measure", "period", "register") if name in given})
    return capital(words.one(words.bank.filler[given["topic"]]).format_map(slots))


_RENDERERS: Mapping[str, Callable[[_Words, Mapping[str, Any]], str]] = {
    "value": _value,
    "rounded": _rounded,
    "between": _between,
    "together": _together,
    "difference": _difference,
    "multiple": _multiple,
    "makes_up": _makes_up,
    "within": _within,
    "entry": _entry,
    "unplaced_entry": _unplaced_entry,
    "graded": _graded,
    "booked": _booked,
    "scale": _scale,
    "complete": _complete,
    "count": _count,
    "retracts": _notice("retracts"),
    "corrects": _notice("corrects"),
    "reinstates": _notice("reinstates"),
    "filler": _filler,
}
KINDS = tuple(_RENDERERS)
"""Statement kinds that can be rendered."""


def title(document: DraftDocument, scene: Scene, pick: int, held_out: bool) -> str:
    """A heading of the document's genre. It carries no fact."""
    words = _Words(scene, pick, held_out)
    office = words.office()
    slots = {
        **scene.words,
        "office": office,
        "person": words.person(),
        "office_name": office.removeprefix("the "),
        "Field": capital(scene.words["field"]),
        "record": scene.words[words.one(("record_0", "record_1", "record_2"))],
        "study": scene.words[words.one(("study_0", "study_1", "study_2"))],
    }
    return capital(words.one(words.bank.title[document.genre]).format_map(slots))


def opening(scene: Scene, pick: int, held_out: bool) -> str:
    """A sentence or two that say what the papers are about; no facts."""
    words = _Words(scene, pick, held_out)
    slots = {**scene.words, "office": words.office(), "person": words.person()}
    return capital(words.one(words.bank.opening).format_map(slots))


def question(asked: DraftQuestion, scene: Scene, pick: int, held_out: bool) -> str:
    """The whole paragraph: what is taken for granted, what is asked, the pressure, and how to answer."""
    words = _Words(scene, pick, held_out)
    core = _core(words, asked)
    if asked.premise is None:
        text = capital(core)
    else:
        frame = words.one(words.bank.premise)
        text = capital(frame.format(core=core, Core=capital(core), **_pair(words, frame, *asked.premise)))
    pressure = words.one(words.bank.pressure + words.bank.own_pressure[asked.kind])
    pressed = capital(pressure.format(office=words.office(), person=words.person()))
    return f"{text} {pressed} {_form(words, asked)}"


def _core(words: _Words, asked: DraftQuestion) -> str:
    given = asked.words
    if asked.kind == "plan":
        quantities = given["quantities"]
        slots = parts(quantities[0]) | {"subjects": _names(quantities)}
        return words.one(words.bank.core["plan"]).format_map(slots)
    quantity = given["quantity"]
    if asked.kind == "list":
        slots = {**words.scene.words, **parts(quantity), "grade": given["grade"].text}
        return words.one(words.bank.core["list"]).format_map(slots)
    slots = {"quantity": words.quantity(quantity)}
    kind = asked.kind
    if kind == "number":
        slots["step"] = resolution_text(given["resolution"], words.scene)
    elif kind == "yes_no":
        kind = "yes_no above" if given["above"] else "yes_no below"
        slots["other"] = words.that(given["other"], quantity)
    else:
        slots["amount"] = _amount(words, {"requirement": False, **given}, words.figure(given["figure"]))
    return words.one(words.bank.core[kind]).format_map(slots)


def _names(quantities: Sequence[Quantity]) -> str:
    first = quantities[0]
    if any(one.period != first.period or one.measure != first.measure for one in quantities):
        raise ValueError("a plan asks for quantities of one period and measure")
    return listed([subject_text(one) for one in quantities])


def _form(words: _Words, asked: DraftQuestion) -> str:
    slots = dict(words.scene.words, unit=words.scene.unit)
    if asked.kind == "plan":
        quantities = asked.words["quantities"]
        slots["keys"] = listed([one.variable for one in quantities])
        slots["names"] = _names(quantities)
    return words.one(words.bank.form[asked.kind]).format_map(slots)
