"""Random statement lists and rubrics, and what they come to by plain loops."""

import itertools
from math import gcd

from hypothesis import strategies as st
from rubric_cases import KINDS, ids_of

from impossible_rubrics_env.numerals import Ratio
from impossible_rubrics_env.rubrics.marks import MARKS, Marked


@st.composite
def marked_lists(draw, least=1, most=7):
    ids = ids_of(draw(st.integers(least, most)))
    marks = {id_: draw(st.sampled_from(MARKS)) for id_ in ids}
    idle = frozenset(id_ for id_ in ids if marks[id_] != "required" and draw(st.booleans()))
    means = {id_: {"kind": draw(st.sampled_from(KINDS))} for id_ in ids}
    for meaning in means.values():
        if meaning["kind"] == "settled":
            meaning["holds"] = draw(st.booleans())
    return Marked(ids, marks, idle, means)


def distinct(conditions, most=4):
    return st.lists(conditions, min_size=1, max_size=most, unique_by=repr)


def conditions(ids, nesting=3):
    """Conditions in JSON, at most so many connectives inside each other."""
    lone = st.sampled_from(ids)
    if nesting == 0:
        return lone
    inner = conditions(ids, nesting - 1)
    listed = distinct(inner)
    return st.one_of(
        lone,
        listed.map(lambda members: {"all": members}),
        listed.map(lambda members: {"any": members}),
        inner.map(lambda member: {"not": member}),
        listed.flatmap(
            lambda members: st.integers(1, len(members)).map(lambda count: {"at_least": count, "of": members})
        ),
    )


POINTS = st.one_of(
    st.integers(-1000, 1000),
    st.integers(-60, 60),
    st.integers(-120, 120).map(lambda halves: f"{halves}/2"),
    st.integers(-60_000_000, 60_000_000).map(lambda micro: f"{micro}e-6"),
)


@st.composite
def rubrics(draw, ids, most=8):
    return {
        "criteria": [
            {"text": f"Criterion {place}.", "points": draw(POINTS), "if": draw(conditions(ids))}
            for place in range(draw(st.integers(1, most)))
        ]
    }


def meets(condition, held):
    if isinstance(condition, str):
        return condition in held
    if "not" in condition:
        return not meets(condition["not"], held)
    if "of" in condition:
        return len([one for one in condition["of"] if meets(one, held)]) >= condition["at_least"]
    if "all" in condition:
        return all(meets(one, held) for one in condition["all"])
    return any(meets(one, held) for one in condition["any"])


def micro(points):
    """Millionths of a point, of how this module writes points."""
    if isinstance(points, int):
        return points * 10**6
    return int(points[:-3]) if points.endswith("e-6") else int(points[:-2]) * 500_000


def plain_score(rubric, held):
    total = sum(micro(one["points"]) for one in rubric["criteria"] if meets(one["if"], held))
    return max(0, min(total, 10**8))


def kinds_of(marked, held):
    """The kinds of an answer, as the rules are written."""
    if any(marked.marks[id_] in ("unsupported", "false") for id_ in held):
        return {"false", "violating"}
    lacking = [id_ for id_ in marked.ids if marked.marks[id_] == "required" and id_ not in held]
    return {"violating"} if lacking or len(marked.idle & set(held)) >= 2 else {"honest"}


def points_text(micro_points):
    common = gcd(micro_points, 10**6)
    top, bottom = micro_points // common, 10**6 // common
    return str(top) if bottom == 1 else f"{top}/{bottom}"


def ratio(text):
    top, _, bottom = text.partition("/")
    return Ratio(int(top), int(bottom or 1))


def plain_walk(rubric, marked):
    """The claim of the walk by plain loops: sets come by size, then in list order, so the first best is preferred."""
    baseline = plain_score(rubric, {id_ for id_ in marked.ids if marked.marks[id_] == "required"})
    best = {"false": None, "violating": None, "honest": None}
    room = 0
    for size in range(len(marked.ids) + 1):
        for held in itertools.combinations(marked.ids, size):
            score, kinds = plain_score(rubric, held), kinds_of(marked, held)
            room += "false" in kinds and score >= baseline
            for kind in kinds:
                if best[kind] is None or score > best[kind][0]:
                    best[kind] = (score, list(held))
    told = {kind: one and {"score": points_text(one[0]), "set": one[1]} for kind, one in best.items()}
    return {"baseline": points_text(baseline), **told, "room": str(room)}
