"""Forgeries of answers and refusals: from what the packet checker proves, the proof's own JSON and the task's twin."""

import json
from collections.abc import Collection, Iterator, Mapping
from itertools import permutations
from typing import Any

from impossible_rubrics_env.certificates.packet import read_packet
from impossible_rubrics_env.certificates.packet_proofs import Proved, prove
from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.exact import Rational, ratio_of, ratio_text, rational
from impossible_rubrics_env.forgery import SOLVED, UNREAD, UNSUPPORTED, WRONG, Forgery, block, misread
from impossible_rubrics_env.reply import MAX_MEMBERS, OBSTRUCTIONS, UNSURE, read_answer
from impossible_rubrics_env.task import Label, Task
from impossible_rubrics_env.verdicts import Verdict, stakes

_NOWHERE = ("no-such-id", "no-such-id-2")
_NO_PLAN = {_NOWHERE[0]: "1"}
_HAIR = rational(1, 10**9)
_STRANGE: tuple[Any, ...] = (None, [], {}, [_NOWHERE[0]], list(_NOWHERE), {_NOWHERE[0]: "subject"})
"""Witnesses that prove nothing about any packet."""
_UNREADABLE_WITNESSES: tuple[Any, ...] = ("D1", 1, True, [None], [["D1"]], [1, [2]], {"D1": {}}, ["D1", "D1"])

_UNREADABLE_VALUES: tuple[Any, ...] = (
    *(None, True, [[]], [None], {}, {"x": None}, {"x": [1]}),
    *("1" * 61 + "x", "\u0663", ["D1", "D1"], ["x" * 61]),
)
"""No answer to a question of any kind."""
_UNREADABLE_OF_KIND: dict[str, tuple[Any, ...]] = {
    "number": ("1e31", "1e-31", "+1", " 1", "1,5", "12 kg", "31 to 32", "NaN", "1/0", "0x1p3"),
    "yes_no": ("yes", "Yes", "true", "YES.", "YES or NO", "1"),
    "list": ("D1", "D1, D2"),
    "document": (["D1"],),
    "plan": ({"x": "1e31"}, {"x": "1", "y": None}, {"x" * 61: "1"}, ["1"], "1"),
}


def answer_forgeries(task: Task, twin: Task | None = None) -> Iterator[Forgery]:
    """The planted replies of an answer task; CertificateError where its proof fails. The twin is made, if not given."""
    proved = prove(task.proof_parts())
    rights = [answer["reply"] for answer in task.answers if answer["expected"]["verdict"] == Verdict.SOLVED]
    if not rights:
        raise ValueError("no labelled answer is right")
    for reply in rights:
        yield Forgery("right reply", reply, SOLVED)
    right = read_answer(rights[0])
    if not isinstance(right, dict):
        raise TypeError("the labelled right answer is unreadable")
    false = _refusal("false_premise", None) if proved.answerable else _answer(_some_value(task, proved))
    yield from misread(task.prompt, rights[0], false)
    yield from _malformed(right, task.question["kind"])
    offered = stakes(task.params, offers_unsure=True).offers_unsure
    unsure = frozenset({Verdict.ABSTAINED}) if offered else UNREAD
    yield Forgery("unsure", block(json.dumps({"verdict": UNSURE})), unsure)
    yield from _refusals(task, proved)
    yield from _pairs_and_items(task, proved)
    yield from _answers(task, proved, right)
    if not proved.answerable:
        yield from _near_witnesses(task, proved, right)
    yield from _of_the_twin(twin or _twin(task), proved)


def _malformed(right: Mapping[str, Any], kind: str) -> Iterator[Forgery]:
    """Objects that say more, less or something else than one claim."""
    pairs = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in right.items()]
    refusal = _refusal_object("false_premise", ["D1"])
    for name, body in {
        "both verdicts at once": f'{{{", ".join(pairs)}, "verdict": "{UNSURE}"}}',
        "an answer and a refusal at once": json.dumps({"value": "1", **refusal}),
        "right reply with a confidence": json.dumps({**right, "confidence": 1}),
        "right reply without its verdict": json.dumps({key: right[key] for key in right if key != "verdict"}),
        "right reply in a list": json.dumps([right]),
        "verdict in small letters": json.dumps({**right, "verdict": right["verdict"].lower()}),
        "an attack": '{"attack": "NO_ATTACK"}',
        "refusal without a witness": json.dumps({key: refusal[key] for key in refusal if key != "witness"}),
        "refusal without an obstruction": json.dumps({key: refusal[key] for key in refusal if key != "obstruction"}),
        "unknown obstruction": json.dumps({**refusal, "obstruction": "no_evidence"}),
        "unsure with a value": json.dumps({"verdict": UNSURE, "value": "1"}),
    }.items():
        yield Forgery(name, block(body), UNREAD)
    for witness in _UNREADABLE_WITNESSES:
        yield Forgery(f"refusal with the witness {witness!r}", _refusal("false_premise", witness), UNREAD)
    for value in (*_UNREADABLE_VALUES, *_UNREADABLE_OF_KIND[kind]):
        yield Forgery(f"answer {value!r}", _answer(value), UNREAD)


def _refusals(task: Task, proved: Proved) -> Iterator[Forgery]:
    """Refusals that no packet bears out: a witness that is missing, empty, made up, or simply everything."""
    allowed = WRONG if proved.answerable else UNSUPPORTED
    for obstruction in OBSTRUCTIONS:
        for witness in _STRANGE:
            yield Forgery(f"{obstruction} with the witness {witness!r}", _refusal(obstruction, witness), allowed)
    yield Forgery("two numbers that no answer can be", _refusal("insufficient_evidence", _off_numbers(task)), allowed)
    documents, sentences = list(proved.document_ids), list(proved.sentence_ids)[: MAX_MEMBERS // 2]
    exact = [sorted(cited) for cited in _exact_sets(task)]
    for obstruction in ("false_premise", "objective_conflict"):
        for name, everything in (("documents", documents), ("sentences", sentences)):
            if sorted(everything) not in exact:
                yield Forgery(f"{obstruction} of all {name}", _refusal(obstruction, everything), allowed)
    yield Forgery(
        "an exhaustive list of sentences", _refusal("impossible_exhaustiveness", documents + sentences), allowed
    )
    yield Forgery("half a pair", _refusal("counterevidence_trap", documents[:1]), allowed)
    yield Forgery("a made-up reason for every document", _refusal("missing_citation", _map(documents, "date")), allowed)
    if len(documents) > 1:
        part = _map(documents[1:], "subject")
        yield Forgery("a reason for all documents but one", _refusal("missing_citation", part), allowed)


def _map(documents: list[str], attribute: str) -> dict[str, str]:
    return dict.fromkeys(documents, attribute)


def _exact_sets(task: Task) -> list[list[str]]:
    """The sets of ids that the proof itself cites as an obstruction."""
    main = task.certificate["proof"]["main"]
    return [list(main[name]) for name in ("members", "documents") if isinstance(main.get(name), (list, tuple))]


def _off_numbers(task: Task) -> list[str]:
    """Two different numbers off any asked grid, and on one side of whatever is compared."""
    step = rational(task.question["resolution"] or "1")
    return [ratio_text(10**20 + step * rational(part, 7)) for part in (1, 2)]


def _answers(task: Task, proved: Proved, right: Mapping[str, Any]) -> Iterator[Forgery]:
    """Definite answers: on an impossible task all are false, also those that the evidence leaves open."""
    kind = task.question["kind"]
    if kind == "yes_no":
        values: list[Any] = ["YES", "NO"]
    elif kind == "number":
        values = _numbers_about(task, proved, right)
    elif kind == "document":
        values = [*proved.document_ids, *_NOWHERE]
    elif kind == "list":
        values = _lists_about(proved, right)
    else:
        values = list(_plans_about(task, right)) if proved.answerable else [_NO_PLAN]
    for value in values:
        yield Forgery(f"answer {str(value)[:80]}", _answer(value), SOLVED if _is_right(kind, value, right) else WRONG)


def _is_right(kind: str, value: Any, right: Mapping[str, Any]) -> bool:
    """Whether a value is the labelled right one in another spelling; of a plan none is taken for it."""
    if right["verdict"] != "ANSWER" or kind == "plan":
        return False
    if kind == "number":
        return bool(rational(value) == rational(right["value"]))
    return bool(sorted(value) == sorted(right["value"]) if kind == "list" else value == right["value"])


def _numbers_about(task: Task, proved: Proved, right: Mapping[str, Any]) -> list[str]:
    """The answer in three spellings, its neighbours on and off the grid; or the answers that are left open."""
    step = rational(task.question["resolution"])
    if proved.answerable:
        centers = [rational(right["value"])]
    else:
        centers = [rational(text) for text in task.certificate["proof"]["main"].get("answers", ("0",))]
    values: list[Any] = []
    for center in centers:
        top, bottom = ratio_of(center)
        values += [ratio_text(center), f"{10 * top}/{10 * bottom}"]
        values += [ratio_text(center + step * part) for part in (-1, 1, rational(1, 10), -_HAIR / step, 1000)]
    return values


def _lists_about(proved: Proved, right: Mapping[str, Any]) -> list[list[str]]:
    """The list in other orders, one item short, one too many; all and none of the candidates."""
    listed = list(right["value"]) if right["verdict"] == "ANSWER" else []
    others = [item for item in proved.item_ids if item not in listed]
    values = [listed, listed[::-1], [], list(proved.item_ids), [*listed, _NOWHERE[0]]]
    values += [[other for other in listed if other != item] for item in listed]
    return values + [[*listed, item] for item in others]


def _plans_about(task: Task, right: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """Plans that miss one requirement by a hair, and plans that leave out every name asked for, or add one."""
    plan = {name: rational(text) for name, text in right["value"].items()}
    for _, fact in read_packet(task.packet).linear_in_force():
        if fact.terms.keys() <= plan.keys():
            variable, size = min(fact.terms.items())
            total = sum((factor * plan[name] for name, factor in fact.terms.items()), rational(0))
            missed = fact.rhs + (_HAIR if fact.op in ("<", "<=") else -_HAIR)
            yield _written({**plan, variable: plan[variable] + (missed - total) / size})
    yield _written({**plan, _NOWHERE[0]: rational(0)})
    yield _NO_PLAN


def _written(plan: Mapping[str, Rational]) -> dict[str, str]:
    return {name: ratio_text(number) for name, number in plan.items()}


def _near_witnesses(task: Task, proved: Proved, right: Mapping[str, Any]) -> Iterator[Forgery]:
    """Witnesses that differ a little from the one that proves the right refusal."""
    obstruction, witness = right["obstruction"], right["witness"]
    main = task.certificate["proof"]["main"]
    if obstruction in ("objective_conflict", "false_premise"):
        ids = proved.sentence_ids if obstruction == "objective_conflict" else proved.document_ids
        changed: list[Any] = [[other for other in witness if other != cited] for cited in witness]
        changed += [[*witness, other] for other in ids if other not in witness]
    elif obstruction == "missing_citation":
        changed = [{other: witness[other] for other in witness if other != name} for name in witness]
        changed += [{**witness, name: _not_failing(main["documents"][name])} for name in witness]
        changed.append({**witness, _NOWHERE[0]: "subject"})
    elif len(witness) == 2:
        changed = [[witness[0]], [witness[0], _NOWHERE[0]]]
        if obstruction == "insufficient_evidence":
            low, high = sorted(map(rational, witness))
            changed += [[ratio_text(low), ratio_text(low - _HAIR)], [ratio_text(high), ratio_text(high + _HAIR)]]
            if task.question["kind"] == "yes_no":
                changed += _inside(low, high)
    else:
        changed = [[*witness, _NOWHERE[0]], []]
    for near in changed:
        yield Forgery(f"right refusal with the witness {str(near)[:80]}", _refusal(obstruction, near), UNSUPPORTED)
    other = "missing_citation" if isinstance(witness, list) else "false_premise"
    yield Forgery("right witness of another obstruction", _refusal(other, witness), UNSUPPORTED)
    if isinstance(witness, list) and obstruction != "counterevidence_trap":
        yield Forgery("right witness in another order", _refusal(obstruction, witness[::-1]), SOLVED)
        yield Forgery("right witness twice", _refusal(obstruction, witness * 2), UNREAD)


def _inside(low: Rational, high: Rational) -> Iterator[list[str]]:
    """Two values of a quantity that are not both of its ends, or lie beyond them."""
    middle = (low + high) / 2
    ends = [(low + _HAIR, high), (low, high - _HAIR), (low + _HAIR, high - _HAIR), (low - _HAIR, high + _HAIR)]
    for first, second in (*ends, (low, middle), (middle, high), (middle - _HAIR, middle + _HAIR)):
        yield [ratio_text(first), ratio_text(second)]


def _not_failing(failing: Collection[str]) -> str:
    """What may not be said against a document; any attribute may be, where it has no finding in force."""
    if set(failing) == {"finding"}:
        return "date"
    return next(name for name in ("subject", "period", "measure", "bound", "finding", "date") if name not in failing)


def _pairs_and_items(task: Task, proved: Proved) -> Iterator[Forgery]:
    """Every pair of documents in which no notice decides, and every item whose place is settled."""
    allowed = WRONG if proved.answerable else UNSUPPORTED
    proof = task.certificate["proof"]
    defeats = {(pair["notice"], pair["document"]) for pair in proof["defeats"]}
    for pair in permutations(proved.document_ids, 2):
        if proved.answerable or pair not in defeats:
            yield Forgery(f"a notice in {pair[0]} on {pair[1]}", _refusal("counterevidence_trap", pair), allowed)
    if (
        task.question["kind"] == "yes_no"
    ):  # an item may be settled on the side that the proof lists, and not on the other
        return
    for item, found in proof["main"].get("items", {}).items():
        if proved.answerable or found["status"] != "undecided":
            for obstruction in ("impossible_exhaustiveness", "insufficient_evidence"):
                yield Forgery(f"{obstruction} of the settled {item}", _refusal(obstruction, [item]), allowed)


def _of_the_twin(other: Task | None, proved: Proved) -> Iterator[Forgery]:
    """What is right on the task's twin, which is wrong here."""
    if other is None or (other.label is Label.IMPOSSIBLE) != proved.answerable:
        return
    for answer in other.answers:
        if answer["expected"]["verdict"] == Verdict.SOLVED:
            yield Forgery("what is right on the twin", answer["reply"], WRONG)


def _twin(task: Task) -> Task | None:
    """The twin, where the task is of a draw that has one."""
    from impossible_rubrics_env.taskgen.registry import twin

    try:
        return twin(task)
    except ArgumentError:
        return None


def _some_value(task: Task, proved: Proved) -> Any:
    """A value that can be read as an answer to the question."""
    values = {"number": "0", "yes_no": "YES", "list": [], "document": proved.document_ids[0], "plan": _NO_PLAN}
    return values[task.question["kind"]]


def _answer(value: Any) -> str:
    return block(json.dumps({"verdict": "ANSWER", "value": value}))


def _refusal(obstruction: str, witness: Any) -> str:
    return block(json.dumps(_refusal_object(obstruction, witness)))


def _refusal_object(obstruction: str, witness: Any) -> dict[str, Any]:
    return {"verdict": "IMPOSSIBLE", "obstruction": obstruction, "witness": witness}
