"""A task's proof in words, as Markdown lines: what adds up, which worlds there are, what is in force and why.

In: the task's JSON as a mapping, and nothing else. Numbers are exact. What the proof claims is put into words and not
checked; `check` does that.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from impossible_rubrics_env.certificates.packet import Packet, read_packet
from impossible_rubrics_env.exact import Rational, number_text, rational

Json = Mapping[str, Any]
_TURNED = {"<=": ">=", "<": ">", "=": "=", ">=": "<=", ">": "<"}
_NOTICE = {"retracts": "withdraws", "corrects": "corrects", "reinstates": "reinstates"}
_ABOUT = ("subject", "period", "measure")
_FAILS = {"bound": "has figures that are not enough", "finding": "states no finding in force"}


class Words:
    """A task's JSON with what several explanations look up."""

    def __init__(self, task: Json) -> None:
        self.task = task
        self.question: Json = task["question"]
        self.packet: Packet | None = read_packet(task["packet"]) if task["packet"] else None
        self.facts: dict[str, Json] = {}
        self.sentence: dict[str, str] = {}
        for document in task["packet"]["documents"] if task["packet"] else ():
            for sentence in document["sentences"]:
                for fact in sentence["facts"]:
                    self.facts[fact["id"]] = fact
                    self.sentence[fact["id"]] = sentence["id"]
        if self.question["presupposes"]:
            self.facts["presupposed"] = self.question["presupposes"][0]

    def of_kind(self, *kinds: str) -> list[Json]:
        """Facts in force of these kinds, as JSON."""
        in_force = [one.fact.id for one in self.packet.in_force] if self.packet else []
        return [self.facts[name] for name in in_force if self.facts[name]["kind"] in kinds]

    def where(self, fact: str) -> str:
        """Which sentence states a fact."""
        return f"[{self.sentence[fact]}]" if fact in self.sentence else "what the question takes for granted"


def explain(task: Json, twin: Json | None = None) -> list[str]:
    """Why the task's label is right; where the same is in force as in the twin, that is not told again."""
    words = Words(task)
    proof = task["certificate"]["proof"]
    if proof["kind"] == "band":
        return list(_band(proof))
    main = proof["main"] if proof["kind"] == "packet" else proof
    standing = list(_in_force(words))
    if standing and twin is not None and standing == list(_in_force(Words(twin))):
        standing = ["The same is in force as in the twin.", ""]
    lines = [*standing, *explain_main(words, main)]
    if proof["kind"] == "packet":
        lines += [*_defeats(proof["defeats"]), *_dial(proof["dial"], task["rung"])]
    return lines


def explain_main(words: Words, main: Json) -> list[str]:
    """One proof about the packet, without what is in force."""
    return list(_KINDS[main["kind"]](words, main))


# Texts


def number(text: Any) -> str:
    """An exact number as a person writes it."""
    return number_text(rational(text))


def expression(terms: Json) -> str:
    """`x - 2 y`."""
    parts = []
    for name, size in terms.items():
        value = rational(size)
        sign = "-" if value < 0 else "+"
        factor = "" if abs(value) == 1 else f"{number_text(abs(value))} "
        parts.append(f"{sign} {factor}{name}")
    text = " ".join(parts) or "0"
    return text[2:] if text.startswith("+ ") else text.replace("- ", "-", 1)


def comparison(fact: Json) -> str:
    """A linear fact as a formula."""
    return f"{expression(fact['terms'])} {fact['op']} {number(fact['rhs'])}"


def evaluated(terms: Json, world: Json) -> Rational:
    """The value of a linear expression in a world."""
    total = rational(0)
    for name, size in terms.items():
        total += rational(size) * rational(world["numbers"][name])
    return total


def _world(world: Json, names: Sequence[str]) -> str:
    """The numbers of a world that matter to a reader."""
    numbers = world["numbers"]
    return ", ".join(f"`{name} = {number(numbers[name])}`" for name in names if name in numbers)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else "".join(names)


# What is in force


def _in_force(words: Words) -> Iterator[str]:
    notices = [fact for fact in words.facts.values() if fact["kind"] in _NOTICE]
    if not notices or words.packet is None:
        return
    yield "What is in force, from the newest document down:"
    yield ""
    for document in reversed(words.packet.documents):
        for name, facts in document.sentences.items():
            for fact in facts:
                if words.facts[fact.id]["kind"] in _NOTICE:
                    yield _notice(words, words.packet, name, document.date, words.facts[fact.id])
    out = [name for name, one in words.packet.decided.items() if words.facts[one.fact.id]["kind"] != "reinstates"]
    yield ""
    yield f"So out of force: {', '.join(f'[{name}]' for name in sorted(out, key=_age)) or 'nothing'}."
    yield ""


def _age(sentence: str) -> tuple[int, ...]:
    return tuple(int(part) for part in sentence.replace("D", "").split(".") if part.isdigit())


def _notice(words: Words, packet: Packet, sentence: str, date: str, fact: Json) -> str:
    scope = ", ".join(f"[{name}]" for name in fact["scope"] or ()) or fact["target"]
    head = f"- [{sentence}] ({date}) {_NOTICE[fact['kind']]} {scope}: "
    over = packet.decided.get(sentence)
    if over is not None and words.facts[over.fact.id]["kind"] != "reinstates":
        return f"{head}it is itself out of force, by [{over.sentence}]."
    decides = [name for name, one in packet.decided.items() if one.fact.id == fact["id"]]
    if not decides:
        return f"{head}it counts, but a newer notice decides."
    restored = " (it was put back in force)" if over is not None else ""
    return f"{head}it counts{restored} and decides on {_listed([f'[{name}]' for name in sorted(decides, key=_age)])}."


def _defeats(defeats: Sequence[Json]) -> Iterator[str]:
    if not defeats:
        return
    yield ""
    yield "What the notices in force put out of force, and what would hold without each:"
    yield ""
    for one in defeats:
        yield f"- {one['notice']} defeats {one['document']}. Without {one['notice']}, {_outcome(one['without'])}."


def _outcome(main: Json) -> str:
    if main["kind"] == "world":
        return "a plan would meet every requirement: this pair is a witness"
    if main["kind"] == "farkas":
        return "what is in force could not all be true: this pair proves nothing"
    if main.get("answer") is not None:
        answer = main["answer"]
        shown = ", ".join(answer) if isinstance(answer, (list, tuple)) else answer
        return f"the answer would be {shown}: this pair is a witness"
    return "no answer would follow either: this pair proves nothing"


def _dial(dial: Json, rung: str) -> Iterator[str]:
    yield ""
    if "hops" in dial:
        yield f"Dial: {dial['hops']} facts have to be combined, which makes it {rung}."
    else:
        ratio = rational(dial["value"]) / rational(dial["unit"])
        yield (
            f"Dial: a margin of {number(dial['value'])} at a unit of {number(dial['unit'])}, "
            f"a ratio of {number_text(ratio)}, which makes it {rung}."
        )


# Sums of facts


def _sum_lines(words: Words, multipliers: Json) -> Iterator[str]:
    """The weighted facts, and what they add up to."""
    for name, size in multipliers.items():
        fact = words.facts[name]
        yield f"- {number(size)} times `{_as_at_most(fact)}` {words.where(name)}"


def _as_at_most(fact: Json) -> str:
    """The fact the way it enters a sum: turned round where it is a lower bound."""
    if fact["op"] not in (">=", ">"):
        return comparison(fact)
    terms = {name: -rational(size) for name, size in fact["terms"].items()}
    return f"{expression(terms)} {_TURNED[fact['op']]} {number_text(-rational(fact['rhs']))}"


def _sum(words: Words, multipliers: Json) -> tuple[dict[str, Rational], str, Rational]:
    """Terms, `<=` or `<`, and right-hand side of the weighted sum."""
    terms: dict[str, Rational] = {}
    rhs, op = rational(0), "<="
    for name, text in multipliers.items():
        fact = words.facts[name]
        size = rational(text) * (-1 if fact["op"] in (">=", ">") else 1)
        for variable, part in fact["terms"].items():
            terms[variable] = terms.get(variable, rational(0)) + size * rational(part)
        rhs += size * rational(fact["rhs"])
        op = "<" if fact["op"] in ("<", ">") else op
    return {name: size for name, size in terms.items() if size}, op, rhs


def _bound(words: Words, multipliers: Json | None, upper: bool) -> Iterator[str]:
    """One end of the target, as a sum of facts."""
    if not multipliers:
        return
    terms, op, rhs = _sum(words, multipliers)
    shown = f"{expression(terms)} {op} {number_text(rhs)}"
    if not upper:
        positive = {name: -size for name, size in terms.items()}
        shown = f"{expression(positive)} {_TURNED[op]} {number_text(-rhs)}"
    yield f"From {'above' if upper else 'below'}:"
    yield ""
    yield from _sum_lines(words, multipliers)
    yield ""
    yield f"add up to `{shown}`."
    yield ""


def _target(words: Words) -> Json:
    """The linear expression that the question is about."""
    target = words.question["target"]
    terms: Json = target["terms"] if words.question["kind"] == "yes_no" else target
    return terms


def _asked_comparison(words: Words) -> str:
    return comparison(words.question["target"])


def _dual_bounds(words: Words, main: Json) -> Iterator[str]:
    yield from _bound(words, main["lower"], upper=False)
    yield from _bound(words, main["upper"], upper=True)
    if words.question["kind"] == "yes_no":
        settled = "holds" if main["answer"] == "YES" else "fails"
        yield f"So `{_asked_comparison(words)}` {settled} in every world: the answer is {main['answer']}."
    else:
        step = number(words.question["resolution"])
        yield f"Every value in between is nearest to {number(main['answer'])} among the multiples of {step}."
    yield f"There is such a world: {_world(main['world'], list(_target(words)))}."


def _range(words: Words, main: Json) -> Iterator[str]:
    yield from _bound(words, main["lower"], upper=False)
    yield from _bound(words, main["upper"], upper=True)
    yield from _worlds(words, main, main["limits"])
    if main["constant"]:
        yield ""
        yield "The first-named quantity differs from what is compared by a constant, which these add up to:"
        yield ""
        yield from _sum_lines(words, main["constant"])
    if words.question["kind"] == "yes_no":
        terms = words.question["target"].get("quantity") or _target(words)
        ends = [evaluated(terms, limit or world) for world, limit in zip(main["worlds"], main["limits"], strict=True)]
        yield ""
        yield from _both_ends(f"`{expression(terms)}`", ends, main["limits"])


def _both_ends(name: str, ends: Sequence[Rational], limits: Sequence[Json | None] = (None, None)) -> Iterator[str]:
    """The witness of a yes_no question that is left open."""
    least, greatest = (
        f"{number_text(end)}{' (a limit, not reached)' if limit else ''}"
        for end, limit in zip(ends, limits, strict=True)
    )
    yield f"The least value of {name} is {least} and the greatest {greatest}: the two are the witness, in any order."


def _two_worlds(words: Words, main: Json) -> Iterator[str]:
    yield from _worlds(words, main, [None, None])


def _worlds(words: Words, main: Json, limits: Sequence[Json | None]) -> Iterator[str]:
    target = _target(words)
    yield "Two worlds satisfy everything in force and what the question takes for granted:"
    yield ""
    for world, answer, limit in zip(main["worlds"], main["answers"], limits, strict=True):
        shown = f"`{expression(target)} = {number_text(evaluated(target, world))}`"
        numbers = "" if list(target) == [expression(target)] else f"{_world(world, list(target))}, so "
        end = number_text(evaluated(target, limit)) if limit else ""
        near = f" (the end, {end}, is approached but not reached)" if limit else ""
        yield f"- {numbers}{shown}{near}: {_admits(words, answer)}."
    yield ""
    yield f"Both {_listed([number_or_word(one) for one in main['answers']])} are admissible, so no answer is right."


def number_or_word(answer: str) -> str:
    """YES and NO as they are, numbers as a person writes them."""
    return answer if answer in ("YES", "NO") else number(answer)


def _admits(words: Words, answer: str) -> str:
    if words.question["kind"] == "yes_no":
        return f"`{_asked_comparison(words)}` {'holds' if answer == 'YES' else 'fails'}, the answer would be {answer}"
    return f"the answer would be {number(answer)}"


# Plans


def _plan(words: Words, main: Json) -> Iterator[str]:
    names = words.question["target"]
    names = list(names) if isinstance(names, (list, tuple)) else sorted(main["world"]["numbers"])
    yield f"One plan that meets every requirement: {_world(main['world'], names)}. Requirement by requirement:"
    yield ""
    for fact in words.of_kind("linear"):
        if fact["role"] == "requirement":
            value = number_text(evaluated(fact["terms"], main["world"]))
            yield f"- {words.where(fact['id'])} `{comparison(fact)}`: {value}"
    yield ""
    yield "Any other plan that meets all of it is as right."


def _farkas(words: Words, main: Json) -> Iterator[str]:
    _, op, rhs = _sum(words, main["multipliers"])
    yield "These facts cannot all hold:"
    yield ""
    yield from _sum_lines(words, main["multipliers"])
    yield ""
    yield f"add up to `0 {op} {number_text(rhs)}`, which is false."


def _minimal_conflict(words: Words, main: Json) -> Iterator[str]:
    yield from _farkas(words, main)
    yield ""
    members = _listed([f"[{name}]" for name in main["members"]])
    yield f"{members} are the only minimal conflict, since without any one of them all else can be met:"
    yield ""
    names = words.question["target"] if words.question["kind"] == "plan" else _used(words, main["multipliers"])
    for member, world in main["worlds"].items():
        yield f"- without [{member}]: {_world(world, list(names))}"


def _used(words: Words, multipliers: Json) -> list[str]:
    """The variables of the facts in a sum."""
    return list(dict.fromkeys(name for fact in multipliers for name in words.facts[fact]["terms"]))


def _refutation(words: Words, main: Json) -> Iterator[str]:
    granted = words.question["presupposes"][main["presupposition"]]
    words.facts["presupposed"] = granted
    yield f"The question takes for granted that `{comparison(granted)}`. With the documents this cannot be:"
    yield ""
    yield from _sum_lines(words, main["multipliers"])
    yield ""
    _, op, rhs = _sum(words, main["multipliers"])
    yield f"add up to `0 {op} {number_text(rhs)}`, which is false."
    yield ""
    yield f"Leave out any one of {_listed(main['documents'])}, and it could be true:"
    yield ""
    names = list(dict.fromkeys([*granted["terms"], *_used(words, main["multipliers"])]))
    for document, world in main["worlds"].items():
        yield f"- without {document}: {_world(world, names)}"
    if main.get("world"):
        yield ""
        yield f"The documents by themselves agree: {_world(main['world'], names)}."


# Registers


def _enumeration(words: Words, main: Json) -> Iterator[str]:
    yield f"Asked is about {_selection(_selected(words))}. Item by item:"
    yield ""
    for item, found in main["items"].items():
        reasons = [f"{statement(words.facts[name])} {words.where(name)}" for name in found["facts"]]
        because = "; ".join(reasons) or "nothing in force settles a condition"
        yield f"- {item} is {found['status']}: {because}"
    yield ""
    yield from _closed(words, main)
    answer = main["answer"]
    if answer is None:
        return
    shown = ", ".join(answer) if isinstance(answer, (list, tuple)) else number_or_word(answer)
    yield f"The answer is {shown or 'the empty list'}."


def _selected(words: Words) -> Json:
    target = words.question["target"]
    selected: Json = target.get("total", target)
    return selected


def _selection(selected: Json) -> str:
    return f"{selected['set']} where {' and '.join(_condition(one) for one in selected['where'])}"


def _condition(one: Json) -> str:
    if "at_least" in one:
        return f"{one['attribute']} is {one['at_least']} or higher"
    return f"{one['attribute']} is {' or '.join(one['values'])}"


def _closed(words: Words, main: Json) -> Iterator[str]:
    register = _selected(words)["set"]
    named = {fact["item"] for fact in words.of_kind("member") if fact["holds"] and fact["set"] == register}
    if main["closed"]:
        covers, size = (words.facts[name] for name in main["closed"])
        yield (
            f"The list is closed: {statement(covers)} {words.where(covers['id'])}, "
            f"{statement(size)} {words.where(size['id'])}, and {len(named)} are named."
        )
        undecided = [item for item, found in main["items"].items() if found["status"] == "undecided"]
        if main["answer"] is None:
            yield f"With {_listed(undecided) or 'nothing'} undecided, more than one answer is admissible."
            if words.question["kind"] == "yes_no" and undecided:
                yield from _both_ends("the first total", _totals(main))
        return
    yield "The list is open: no statement in force that the register holds all that is asked about goes with one that"
    yield f"it has no more than the {len(named)} entries that are named. In force are:"
    yield ""
    yield from (
        f"- {statement(fact)} {words.where(fact['id'])}"
        for fact in words.of_kind("covers", "size")
        if fact["set"] == register
    )


def _totals(main: Json) -> list[Rational]:
    """The least and the greatest total of the items that are in, by choice of the undecided ones."""
    totals = [rational(0), rational(0)]
    for item, found in main["items"].items():
        amount = rational(main["world"]["numbers"][item]) if found["status"] != "out" else rational(0)
        least, greatest = (amount, amount) if found["status"] == "in" else (min(amount, 0), max(amount, 0))
        totals = [totals[0] + least, totals[1] + greatest]
    return totals


def statement(fact: Json) -> str:
    """Any fact that is no notice, as a short clause."""
    return _STATEMENTS[fact["kind"]](fact)


def _covers_text(fact: Json) -> str:
    if fact["scope"] is None:
        return f"{fact['set']} holds everything"
    return f"{fact['set']} holds everything of {_listed(list(fact['scope']['line']))}"


def _finding_text(fact: Json) -> str:
    bound = fact["bound"]
    return f"{bound['direction'].replace('_', ' ')} {number(bound['value'])} for {_attributes(fact['attributes'])}"


_STATEMENTS: Mapping[str, Callable[[Json], str]] = {
    "linear": lambda fact: f"`{comparison(fact)}`",
    "integer": lambda fact: f"{fact['variable']} is a whole number",
    "member": lambda fact: f"{fact['item']} is {'' if fact['holds'] else 'not '}in {fact['set']}",
    "attribute": lambda fact: f"{fact['name']} of {fact['item']} is {fact['value']}",
    "order": lambda fact: f"{fact['name']} runs over {', '.join(fact['values'])}",
    "covers": _covers_text,
    "size": lambda fact: f"{fact['set']} has {fact['op']} {fact['value']} entries",
    "contains": lambda fact: f"{fact['narrower']} is part of {fact['wider']}",
    "finding": _finding_text,
}


# Findings


def _findings(words: Words, main: Json) -> Iterator[str]:
    yield f"Asked is about {_asked_finding(words.question)}. Document by document:"
    yield ""
    for document, failing in sorted(main["documents"].items(), key=lambda one: _age(one[0])):
        stated = [fact for fact in words.of_kind("finding") if words.sentence[fact["id"]].split(".")[0] == document]
        shown = f" ({'; '.join(_finding_text(fact) for fact in stated)})" if stated else ""
        reason = _failing(failing) if failing else "establishes it"
        yield f"- {document} {reason}{shown}"
    groups = words.of_kind("contains")
    if groups:
        yield "- groups in force: " + "; ".join(f"{statement(fact)} {words.where(fact['id'])}" for fact in groups)
    yield ""
    bounds = [main[name] for name in ("lower", "upper") if main[name]]
    if bounds:
        yield f"What bounds it: {'; '.join(f'{statement(words.facts[name])} {words.where(name)}' for name in bounds)}."
    if main["answer"] is None:
        yield "Nothing in force gives the answer."
        if words.question["kind"] == "yes_no" and main["lower"] and main["upper"]:
            ends = [rational(words.facts[main[name]]["bound"]["value"]) for name in ("lower", "upper")]
            yield from _both_ends("the first quantity", ends)
    else:
        is_document = words.question["kind"] == "document"
        yield f"The answer is {main['answer'] if is_document else number_or_word(main['answer'])}."


def _failing(names: Sequence[str]) -> str:
    about = [name for name in _ABOUT if name in names]
    return f"is about another {_listed(about)}" if about else _listed([_FAILS[name] for name in names])


def _attributes(attributes: Json) -> str:
    return ", ".join(f"{name} {attributes[name]}" for name in _ABOUT)


def _asked_finding(question: Json) -> str:
    target = question["target"]
    about = _attributes(target["attributes"])
    if "bound" in target:
        return _finding_text(target)
    if "than" in target:
        return f"whether {about} is {target['op']} {_attributes(target['than']['attributes'])}"
    return about


# Graders of attack tasks


def _band(proof: Json) -> Iterator[str]:
    accept = proof["accept"]
    left, right = ("[" if accept["lo_closed"] else "("), ("]" if accept["hi_closed"] else ")")
    yield f"- certified: [{number(proof['lo'])}, {number(proof['hi'])}]"
    yield f"- accepted: {left}{number(accept['lo'])}, {number(accept['hi'])}{right}"
    accepted, certified = _count(proof["accepted"]), _count(proof["certified"])
    yield f"- the grader accepts {accepted} doubles; the certificate holds {certified}"
    if proof["witness"] is None:
        yield "- none of the accepted doubles lies outside the certificate: there is no attack"
    else:
        yield f"- {proof['room']} of the accepted doubles lie outside the certificate; one is {proof['witness']}"


def _count(ordinals: Sequence[str]) -> int:
    first, last = (int(one) for one in ordinals)
    return max(0, last - first + 1)


_KINDS: Mapping[str, Callable[[Words, Json], Iterator[str]]] = {
    "dual_bounds": _dual_bounds,
    "range": _range,
    "two_worlds": _two_worlds,
    "world": _plan,
    "farkas": _farkas,
    "minimal_conflict": _minimal_conflict,
    "refutation": _refutation,
    "enumeration": _enumeration,
    "findings": _findings,
}
