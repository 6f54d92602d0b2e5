"""Marked statement lists and rubrics of a stated size, drawn without the generator: for tests and for the bench."""

import random

from impossible_rubrics_env.rubrics.marks import Marked

KINDS = ("answer", "settled", "ground", "standing", "cites", "bound", "premise", "hedge")


def ids_of(n):
    return tuple(f"S{place}" for place in range(1, n + 1))


def marked_list(rng, n):
    """A list with marks in about the shares that a task has."""
    ids = ids_of(n)
    marks = dict(zip(ids, rng.choices(("required", "allowed", "unsupported", "false"), (2, 4, 3, 4), k=n), strict=True))
    idle = frozenset(id_ for id_ in ids if marks[id_] == "allowed" and rng.random() < 0.5)
    return Marked(ids, marks, idle, {id_: {"kind": rng.choice(KINDS), "holds": rng.random() < 0.5} for id_ in ids})


def condition(rng, ids, nesting):
    form = rng.choice(("lone", "not", "all", "any", "of"))
    if form == "lone" or nesting == 0:
        return rng.choice(ids)
    if form == "not":
        return {"not": condition(rng, ids, nesting - 1)}
    members = rng.sample(ids, rng.randint(1, 5))
    if nesting > 1:
        members.append({"not": condition(rng, ids, nesting - 2)})
    return {"at_least": rng.randint(1, len(members)), "of": members} if form == "of" else {form: members}


def case(seed, n, criteria):
    """A marked list and a rubric over it in JSON, of at most so many criteria, points in halves."""
    rng = random.Random(seed)
    marked = marked_list(rng, n)
    listed = [
        {"text": "x", "points": f"{rng.randint(-80, 120)}/2", "if": condition(rng, marked.ids, 3)}
        for _ in range(rng.randint(1, criteria))
    ]
    return marked, {"criteria": listed}


def worst_case(n):
    """As many criteria, ids and connectives as the bounds allow."""
    rng = random.Random(7)
    marked = marked_list(rng, n)
    listed = []
    for _ in range(40):
        *inner, last = rng.sample(marked.ids, 5)
        members = [*({"not": id_} for id_ in inner), last]
        points = f"{rng.randint(-30_000_000, 40_000_000)}/1000000"
        listed.append({"text": "x" * 500, "points": points, "if": {"at_least": rng.randint(1, 5), "of": members}})
    return marked, {"criteria": listed}
