"""Register and finding blocks: proofs of them alone, what twins differ in, and every answer by brute force."""

from fractions import Fraction
from itertools import product

from drafted import packet_of, statements

from impossible_rubrics_env.certificates import packet_proofs
from impossible_rubrics_env.taskgen import discrete_proofs, linear_proofs
from impossible_rubrics_env.taskgen.statements import Figure, Group, Name, Quantity


def main_proof(packet, question):
    facts, documents = packet.in_force(), [*packet.document_ids.values()]
    names = linear_proofs.variables_of(packet.placed(), question)
    world = linear_proofs.world_of(facts, question.presupposes, names)
    return discrete_proofs.prove(facts, question, world, documents)


def task_of(block, main, packet):
    dial = {"hops": block.hops} if block.margin is None else dict(zip(("value", "unit"), block.margin, strict=True))
    question = block.question
    return {
        "family": "missing_citation",
        "packet": packet.to_json(lambda _: "As filed.", lambda _: "Filed"),
        "question": {
            "kind": question.kind,
            "target": question.target,
            "resolution": question.resolution,
            "presupposes": list(question.presupposes),
        },
        "certificate": {
            "kind": "packet",
            "claims": {},
            "proof": {"kind": "packet", "main": main, "defeats": [], "dial": dial},
        },
    }


def proved(block):
    """What the independent checker proves of the block alone."""
    packet = packet_of(block.documents)
    return packet_proofs.prove(task_of(block, main_proof(packet, block.question), packet))


def answer_of(block):
    """The block's claim as a proof gives it: a document by its id."""
    if block.question.kind != "document" or block.answer is None:
        return block.answer
    return packet_of(block.documents).document_ids[block.answer]


def tokens(block):
    """All that the sentences of a block name, in order."""
    return [token for one in statements(block) for token in (one.kind, *_flat(one.words))]


def _flat(value):
    if isinstance(value, dict):
        return [token for key in sorted(value) for token in _flat(value[key])]
    if isinstance(value, Quantity):
        return _flat([value.subject, value.period, value.measure])
    if isinstance(value, Name | Group):
        return [value.text]
    if isinstance(value, Figure):
        return [("figure", value.text)]
    if isinstance(value, list | tuple):
        return [token for part in value for token in _flat(part)]
    return [str(value)]


def edit(first, second):
    """The one edit between twins: two names that change places, or a figure before and after."""
    one, other = tokens(first), tokens(second)
    assert len(one) == len(other)
    changed = [(a, b) for a, b in zip(one, other, strict=True) if a != b]
    if len(changed) == 1:
        [((kind, a), (other_kind, b))] = changed
        assert kind == other_kind == "figure"
        return Fraction(a), Fraction(b)
    [(a, b), (c, d)] = changed
    assert (a, b) == (d, c)
    return a, b


# Registers, from words alone


def register_answers(block):
    """Every answer that some completion leaves; {"open"} is among them where entries may be missing."""
    said = statements(block)
    question, target = block.question, block.question.target
    key = target["set"] if question.kind == "list" else target["total"]["set"]
    entries = [one.words for one in said if "entry" in one.kind and one.words["register"].key == key]
    subjects = next(one.words["values"] for one in said if one.kind == "scale" and one.words["attribute"] == "line")
    grades = next(one.words["values"] for one in said if one.kind == "scale" and one.words["attribute"] == "grade")
    asked = question.words["quantity"].subject
    other = question.words.get("other")
    options = []
    for entry in entries:
        item = entry["item"]
        places = [_subjects(place, said, subjects) for place in _of(said, "booked", item, "place", entry)]
        known = [[grade] for grade in _of(said, "graded", item, "grade", entry)]
        amount = Fraction(entry["figure"].text)
        cases = product(*(found or [every] for found, every in ((places, subjects), (known, grades))))
        outcomes = {
            _outcome(question, grades, asked, other, item, amount, subject, grade)
            for whose, which in cases
            for subject, grade in product(whose, which)
        }
        options.append(sorted(outcomes))
    answers = {_conclude(question, chosen) for chosen in product(*options)}
    return (
        answers
        if _closed(said, key, [one for one in (asked, other and other.subject) if one], entries)
        else {
            *answers,
            "open",
        }
    )


def _of(said, kind, item, field, entry):
    stated = [one.words[field] for one in said if one.kind == kind and one.words["item"] == item]
    return [value for value in (entry.get(field), *stated) if value is not None]


def _subjects(place, said, subjects):
    """Whose an entry at a place may be."""
    while place not in subjects:
        above = [one.words["wider"] for one in said if one.kind == "within" and one.words["narrower"] == place]
        if not above:
            return subjects
        [place] = above
    return [place]


def _outcome(question, grades, asked, other, item, amount, subject, grade):
    """What an item adds to the answer, were it this subject's and of this grade."""
    if question.kind == "list":
        lowest = grades.index(question.words["grade"])
        return item.key if subject == asked and grades.index(grade) >= lowest else ""
    sign = 1 if subject == asked else -1 if other and subject == other.subject else 0
    return sign * amount


def _conclude(question, chosen):
    if question.kind == "list":
        return tuple(sorted(item for item in chosen if item))
    total = sum(chosen)
    if question.kind == "yes_no":
        return "YES" if (total > 0 if question.words["above"] else total < 0) else "NO"
    step = Fraction(question.resolution)
    nearest = [step * (total // step), step * (total // step + 1)]
    best = min(abs(one - total) for one in nearest)
    return tuple(str(one) for one in nearest if abs(one - total) == best)


def _closed(said, key, subjects, entries):
    covers = [one.words for one in said if one.kind == "complete" and one.words["register"].key == key]
    counts = [one.words for one in said if one.kind == "count" and one.words["register"].key == key]
    return any(set(subjects) <= set(one["subjects"]) for one in covers) and any(
        one["op"] in ("=", "<=") and one["number"] == len(entries) for one in counts
    )


# Findings, from words alone


def finding_answers(block):
    """Every answer that the findings which apply leave; of a document question, the documents that establish it."""
    question = block.question
    low, high = finding_range(block, question.words["quantity"], [one.key for one in block.documents])
    if question.kind == "document":
        found = set()
        for one in block.documents:
            low, high = finding_range(block, question.words["quantity"], [one.key])
            claimed = Fraction(question.words["figure"].text)
            if (
                low is not None and low >= claimed
                if question.words["op"] == ">="
                else high is not None and high <= claimed
            ):
                found.add(one.key)
        return found
    if question.kind == "number":
        step = Fraction(question.resolution)
        first = -((step / 2 - low) // step)
        return {
            str(step * place) for place in range(int(first) - 2, int(high // step) + 3) if _near(place, step, low, high)
        }
    than, same = finding_range(block, question.words["other"], [one.key for one in block.documents])
    assert than == same
    above = question.words["above"]
    can_hold = (high is None or high > than) if above else (low is None or low < than)
    can_fail = (low is None or low <= than) if above else (high is None or high >= than)
    return {word for word, can in (("YES", can_hold), ("NO", can_fail)) if can}


def _near(place, step, low, high):
    return low - step / 2 <= step * place <= high + step / 2


def finding_range(block, quantity, keys):
    names = [quantity.subject.key]
    said = statements(block)
    while True:
        above = [
            one.words["wider"].key for one in said if one.kind == "within" and one.words["narrower"].key == names[-1]
        ]
        if not above:
            break
        names += above
    lows, highs = [], []
    for document in block.documents:
        for one in (sentence.statement for sentence in document.sentences):
            if document.key not in keys or one.kind not in ("value", "between"):
                continue
            stated = one.words["quantity"]
            if stated.subject.key not in names or (stated.period, stated.measure) != (
                quantity.period,
                quantity.measure,
            ):
                continue
            ends = [("=", one.words["figure"])] if "figure" in one.words else []
            ends = [(one.words["op"], one.words["figure"])] if "op" in one.words else ends
            ends = ends or [(">=", one.words["low"]), ("<=", one.words["high"])]
            lows += [Fraction(figure.text) for op, figure in ends if op != "<="]
            highs += [Fraction(figure.text) for op, figure in ends if op != ">="]
    return max(lows, default=None), min(highs, default=None)
