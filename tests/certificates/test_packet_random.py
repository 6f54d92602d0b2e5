"""Random small linear packets: what HiGHS says of them floating, and elimination exactly, is what has a proof.

The proofs are made here by Fourier-Motzkin elimination over the standard library's fractions, which keeps the
multipliers of every row; nothing of the package takes part in making them.
"""

import copy
import itertools
import random
from fractions import Fraction
from math import floor

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from impossible_rubrics_env.certificates.checkers import (
    dual_bounds,
    farkas,
    minimal_conflict,
    refutation,
    two_worlds,
    world,
)
from impossible_rubrics_env.certificates.checkers import range as range_checker
from impossible_rubrics_env.errors import CertificateError

VARIABLES = ("x", "y", "z")
CLOSE = 1e-7


def row(terms, rhs, strict, key, weight):
    return {x: c for x, c in terms.items() if c}, rhs, strict, {key: weight}


def rows_of(facts):
    """Each fact as one or two rows `terms <= rhs`."""
    found = []
    for fact in facts:
        terms, rhs = {x: Fraction(c) for x, c in fact["terms"].items()}, Fraction(fact["rhs"])
        below, above = (terms, rhs), ({x: -c for x, c in terms.items()}, -rhs)
        strict = fact["op"] in ("<", ">")
        if fact["op"] in ("<", "<=", "="):
            found.append(row(*below, strict, fact["id"], Fraction(1)))
        if fact["op"] in (">", ">=", "="):
            found.append(row(*above, strict, fact["id"], Fraction(-1 if fact["op"] == "=" else 1)))
    return found


def joined(first, second, variable):
    """The sum of two rows in which the variable cancels."""
    a, b = -second[0][variable], first[0][variable]
    terms = {x: a * first[0].get(x, 0) + b * second[0].get(x, 0) for x in {**first[0], **second[0]}}
    weights = {key: a * first[3].get(key, 0) + b * second[3].get(key, 0) for key in {**first[3], **second[3]}}
    kept = {key: weight for key, weight in weights.items() if weight}
    return {x: c for x, c in terms.items() if c}, a * first[1] + b * second[1], first[2] or second[2], kept


def eliminate(rows, variable):
    over = [each for each in rows if each[0].get(variable, 0) > 0]
    under = [each for each in rows if each[0].get(variable, 0) < 0]
    rest = [each for each in rows if variable not in each[0]]
    tightest = {}
    for each in rest + [joined(first, second, variable) for first in over for second in under]:
        size = sum(abs(c) for c in each[0].values()) or Fraction(1)
        key = frozenset((x, c / size) for x, c in each[0].items())
        rank = (each[1] / size, not each[2])
        if key not in tightest or rank < tightest[key][0]:
            tightest[key] = (rank, each)
    return [each for _, each in tightest.values()]


def contradiction(rows):
    """The multipliers of a row that is false, or None."""
    for terms, rhs, strict, weights in rows:
        if not terms and (rhs < 0 or (rhs == 0 and strict)):
            return weights
    return None


def limits(rows, variable, values):
    """Lower and upper limit of one variable, each as (value, strict, row), None where there is none."""
    low = high = None
    for each in rows:
        if (factor := each[0].get(variable, 0)) == 0:
            continue
        value = (each[1] - sum(c * values[x] for x, c in each[0].items() if x != variable)) / factor
        if factor > 0 and (high is None or (value, not each[2]) < (high[0], not high[1])):
            high = (value, each[2], each)
        if factor < 0 and (low is None or (-value, not each[2]) < (-low[0], not low[1])):
            low = (value, each[2], each)
    return low, high


def solve(rows, order):
    """A point, or the multipliers of a contradiction."""
    stages = [rows]
    for variable in order:
        stages.append(eliminate(stages[-1], variable))
    if (weights := contradiction(stages[-1])) is not None:
        return None, weights
    values = {}
    for variable, stage in zip(reversed(order), reversed(stages[:-1]), strict=True):
        low, high = limits(stage, variable, values)
        if low and high:
            values[variable] = (low[0] + high[0]) / 2
        else:
            values[variable] = low[0] + 1 if low else high[0] - 1 if high else Fraction(0)
    return values, None


def spread(facts, target):
    """Limits of the target over the worlds, each with the multipliers that prove it."""
    rows = rows_of([*facts, {"id": "_", "terms": {**target, "_": "-1"}, "op": "=", "rhs": "0"}])
    for variable in VARIABLES:
        rows = eliminate(rows, variable)
    found = []
    for end in limits(rows, "_", {}):
        if end is None:
            found.append(None)
            continue
        value, strict, (terms, _, _, weights) = end
        found.append((value, strict, {key: w / abs(terms["_"]) for key, w in weights.items() if key != "_"}))
    return found


def texts(weights):
    return {key: str(weight) for key, weight in weights.items()}


def shown(values):
    return {"numbers": {x: str(values.get(x, 0)) for x in VARIABLES}}


def linear(key, terms, op, rhs, role="background"):
    return {"id": key, "kind": "linear", "terms": terms, "op": op, "rhs": str(rhs), "role": role}


def document(key, day, *facts):
    return {"id": key, "title": "", "date": day, "sentences": [{"id": f"{key}.1", "text": "", "facts": list(facts)}]}


DECOY = [
    document("D20", "2031-01-01", linear("decoy", {"x": "1", "y": "1", "z": "1"}, "<", "-1000")),
    document("D21", "2031-01-02", {"id": "void", "kind": "retracts", "target": "D20", "scope": None}),
]
"""Contradicts nearly everything, and is out of force."""


def task(facts, question, **proof):
    documents = [document(f"D{n}", "2031-02-01", fact) for n, fact in enumerate(facts, 1)]
    return {"packet": {"documents": [*DECOY, *documents]}, "question": question, "certificate": {"proof": proof}}


PLAN = {"kind": "plan", "target": list(VARIABLES), "resolution": None, "presupposes": []}


def accepted(check, data):
    try:
        check(data)
    except CertificateError:
        return False
    return True


def margin(facts):
    """By HiGHS: by how much, up to 1, all strict facts can be met at once; None where the closure is empty."""
    upper, equal = [], []
    for fact in facts:
        sign = -1 if fact["op"] in (">", ">=") else 1
        line = [sign * float(Fraction(fact["terms"].get(x, 0))) for x in VARIABLES]
        strict = float(fact["op"] in ("<", ">"))
        (equal if fact["op"] == "=" else upper).append([*line, strict, sign * float(Fraction(fact["rhs"]))])
    result = highs([0, 0, 0, -1], upper, equal, [(None, None)] * 3 + [(0, 1)])
    return None if result.status == 2 else -result.fun


def highs(objective, upper, equal, bounds):
    parts = {}
    for names, lines in ((("A_ub", "b_ub"), upper), (("A_eq", "b_eq"), equal)):
        if lines:
            table = np.array(lines)
            parts.update(zip(names, (table[:, :-1], table[:, -1]), strict=True))
    return linprog(objective, **parts, bounds=bounds, method="highs")


def extreme(facts, target, sign):
    """By HiGHS: the least value of sign * target over the closure, None where there is none."""
    upper, equal = [], []
    for fact in facts:
        turn = -1 if fact["op"] in (">", ">=") else 1
        line = [turn * float(Fraction(fact["terms"].get(x, 0))) for x in VARIABLES]
        (equal if fact["op"] == "=" else upper).append([*line, turn * float(Fraction(fact["rhs"]))])
    objective = [sign * float(Fraction(target.get(x, 0))) for x in VARIABLES]
    result = highs(objective, upper, equal, [(None, None)] * 3)
    return sign * result.fun if result.status == 0 else None


factors = st.sampled_from(["-3", "-2", "-1", "1", "2", "3", "1/2", "-3/2"])
expressions = st.dictionaries(st.sampled_from(VARIABLES), factors, min_size=1, max_size=3)
figures = st.integers(-12, 12).map(lambda n: str(Fraction(n, 2)))
comparisons = st.sampled_from(["<=", "<", "=", ">=", ">", "<=", ">="])


@st.composite
def systems(draw, least=1, most=6):
    parts = draw(st.lists(st.tuples(expressions, comparisons, figures), min_size=least, max_size=most))
    return [linear(f"f{n}", *each) for n, each in enumerate(parts, 1)]


@st.composite
def boxes(draw):
    """Systems whose variables are bounded, so that targets are."""
    ends = [(draw(st.integers(-6, 6)), draw(st.integers(0, 6))) for _ in VARIABLES]
    ops = [draw(st.sampled_from([("<=", ">="), ("<", ">"), ("<", ">=")])) for _ in VARIABLES]
    box = []
    for x, (low, width), (under, over) in zip(VARIABLES, ends, ops, strict=True):
        if draw(st.booleans()) or x == "x":
            box += [
                linear(f"{x}.lo", {x: "1"}, over, Fraction(low, 4)),
                linear(f"{x}.hi", {x: "1"}, under, Fraction(low + width, 4)),
            ]
    return box + draw(systems(0, 2))


def noise(seed, facts):
    """Multipliers that a careless prover might send."""
    rng = random.Random(seed)
    return {fact["id"]: str(Fraction(rng.randint(-3, 6), rng.choice([1, 2]))) for fact in facts if rng.random() < 0.8}


@settings(max_examples=400, deadline=None)
@given(systems(), st.integers(0, 10**6))
def test_a_system_has_a_world_or_a_contradiction_and_never_both(facts, seed):
    values, weights = solve(rows_of(facts), VARIABLES)
    slack = margin(facts)
    feasible = slack is not None and (slack > CLOSE or not any(fact["op"] in ("<", ">") for fact in facts))
    assert feasible == (values is not None)
    guesses = [noise(seed + n, facts) for n in range(5)]
    if values is None:
        assert accepted(farkas.check, task(facts, PLAN, kind="farkas", multipliers=texts(weights)))
        guess = {x: Fraction(seed % (n + 7), n + 1) for n, x in enumerate(VARIABLES)}
        assert not accepted(world.check, task(facts, PLAN, kind="world", world=shown(guess)))
    else:
        assert accepted(world.check, task(facts, PLAN, kind="world", world=shown(values)))
        for guess in guesses:
            assert not accepted(farkas.check, task(facts, PLAN, kind="farkas", multipliers=guess))


def at_value(facts, target, value):
    """A world that gives the target this value."""
    pinned = {"id": "pin", "terms": target, "op": "=", "rhs": str(value)}
    values, _ = solve(rows_of([*facts, pinned]), VARIABLES)
    assert values is not None
    return shown(values)


def neighbour(low, high, answer, step):
    """A value that another answer rounds, and that answer; None where the range lies inside the cell."""
    for end, sign in ((low, -1), (high, 1)):
        edge = answer + sign * step / 2
        gap = None if end is None else sign * (end[0] - edge)
        if gap is None or gap > 0 or (gap == 0 and not end[1]):
            beyond = step / 2 if gap is None else min(gap / 2, step / 2)
            return edge + sign * beyond, answer + sign * step
    return None


@settings(max_examples=400, deadline=None)
@given(st.one_of(boxes(), systems()), expressions, st.sampled_from(["1", "1/2", "2", "1/3"]))
def test_a_number_has_one_answer_or_two_worlds_and_never_both(facts, target, resolution):
    values, _ = solve(rows_of(facts), VARIABLES)
    assume(values is not None)
    low, high = spread(facts, target)
    for end, sign in ((low, 1), (high, -1)):
        floating = extreme(facts, target, sign)
        assert (floating is None) == (end is None)
        assert end is None or abs(floating - end[0]) < CLOSE
    step = Fraction(resolution)
    value = sum(Fraction(c) * values[x] for x, c in target.items())
    answer = floor(value / step + Fraction(1, 2)) * step
    question = {"kind": "number", "target": target, "resolution": resolution, "presupposes": []}
    other = neighbour(low, high, answer, step)
    bounds = {"lower": texts(low[2]) if low else {}, "upper": texts(high[2]) if high else {}}
    single = {**bounds, "kind": "dual_bounds", "answer": str(answer), "world": shown(values)}
    assert accepted(dual_bounds.check, task(facts, question, **single)) == (other is None)
    for wrong in (answer - step, answer + step, answer + step / 2):
        assert not accepted(dual_bounds.check, task(facts, question, **{**single, "answer": str(wrong)}))
    if other is not None:
        worlds = [shown(values), at_value(facts, target, other[0])]
        pair = {"kind": "two_worlds", "worlds": worlds, "answers": [str(answer), str(other[1])]}
        assert accepted(two_worlds.check, task(facts, question, **pair))
        assert not accepted(two_worlds.check, task(facts, question, **{**pair, "answers": pair["answers"][::-1]})) or (
            worlds[0] == worlds[1] or abs(value - answer) == step / 2
        )


def weak(facts):
    return [{**fact, "op": {"<": "<=", ">": ">="}.get(fact["op"], fact["op"])} for fact in facts]


def range_of(facts, target, answers):
    """The proof of both ends of a bounded target, each attained or, where it is open, approached."""
    any_world = shown(solve(rows_of(facts), VARIABLES)[0])
    low, high = spread(facts, target)
    proof = {"kind": "range", "lower": texts(low[2]), "upper": texts(high[2]), "constant": {}, "answers": answers}
    ends = (low, high)
    proof["worlds"] = [any_world if strict else at_value(facts, target, value) for value, strict, _ in ends]
    proof["limits"] = [at_value(weak(facts), target, value) if strict else None for value, strict, _ in ends]
    return proof


def rounded(low, high, step):
    """Every multiple of the step, in order, within half a step of a value between the ends, by definition."""
    found = []
    for place in range(floor(low[0] / step) - 1, floor(high[0] / step) + 3):
        near, far = place * step - step / 2, place * step + step / 2
        above = far > low[0] or (far == low[0] and not low[1])
        if above and (near < high[0] or (near == high[0] and not high[1])):
            found.append(place * step)
    return found


@settings(max_examples=150, deadline=None)
@given(boxes(), expressions, st.sampled_from(["1", "1/2", "2", "1/3"]))
def test_a_range_is_proved_where_it_leaves_more_than_one_answer(facts, target, resolution):
    values, _ = solve(rows_of(facts), VARIABLES)
    low, high = spread(facts, target) if values is not None else (None, None)
    assume(low is not None and high is not None)
    step = Fraction(resolution)
    admissible = rounded(low, high, step)
    question = {"kind": "number", "target": target, "resolution": resolution, "presupposes": []}
    proof = range_of(facts, target, [str(admissible[0]), str(admissible[-1])])
    assert accepted(range_checker.check, task(facts, question, **proof)) == (len(admissible) > 1)
    for moved in (proof["answers"][::-1], [str(admissible[0] - step), str(admissible[-1])],
                  [str(admissible[0]), str(admissible[-1] + step)]):  # fmt: skip
        if moved != proof["answers"]:
            assert not accepted(range_checker.check, task(facts, question, **{**proof, "answers": moved}))
    if len(admissible) > 1:
        other = [None if limit else proof["worlds"][n] for n, limit in enumerate(proof["limits"])]
        assert not accepted(range_checker.check, task(facts, question, **{**proof, "limits": other}))
        for side in ("lower", "upper"):
            for weights in (noise(0, facts), {}, {**proof[side], facts[0]["id"]: "7"}):
                altered = {**proof, side: weights}
                if weights != proof[side]:
                    assert not accepted(range_checker.check, task(facts, question, **altered))


@settings(max_examples=120, deadline=None)
@given(boxes(), expressions, comparisons, st.data())
def test_a_range_answers_yes_and_no_exactly_where_both_are_some_worlds(facts, terms, op, data):
    values, _ = solve(rows_of(facts), VARIABLES)
    low, high = spread(facts, terms) if values is not None else (None, None)
    assume(low is not None and high is not None)
    rhs = data.draw(st.one_of(st.sampled_from([str(low[0]), str(high[0])]), figures))
    asked = {"terms": terms, "op": op, "rhs": rhs}
    question = {"kind": "yes_no", "target": asked, "resolution": None, "presupposes": []}
    negated = {"<=": [">"], "<": [">="], "=": ["<", ">"], ">=": ["<"], ">": ["<="]}[op]
    said = [
        any(solve(rows_of([*facts, {"id": "q", **asked, "op": one}]), VARIABLES)[0] for one in ops)
        for ops in ([op], negated)
    ]
    proof = range_of(facts, terms, ["YES", "NO"])
    assert accepted(range_checker.check, task(facts, question, **proof)) == all(said)


OPERATIONS = {
    "<=": lambda a, b: a <= b,
    "<": lambda a, b: a < b,
    "=": lambda a, b: a == b,
    ">=": lambda a, b: a >= b,
    ">": lambda a, b: a > b,
}


@settings(max_examples=400, deadline=None)
@given(st.one_of(boxes(), systems()), expressions, comparisons, st.data())
def test_a_yes_or_no_has_one_answer_or_two_worlds_and_never_both(facts, terms, op, data):
    values, _ = solve(rows_of(facts), VARIABLES)
    assume(values is not None)
    low, high = spread(facts, terms)
    ends = [str(end[0]) for end in (low, high) if end is not None]
    rhs = data.draw(st.one_of(st.sampled_from(ends), figures) if ends else figures)
    asked = {"terms": terms, "op": op, "rhs": rhs}
    question = {"kind": "yes_no", "target": asked, "resolution": None, "presupposes": []}
    negated = {"<=": [">"], "<": [">="], "=": ["<", ">"], ">=": ["<"], ">": ["<="]}[op]
    yes, _ = solve(rows_of([*facts, {"id": "q", **asked}]), VARIABLES)
    noes = [solve(rows_of([*facts, {"id": "q", **asked, "op": other}]), VARIABLES)[0] for other in negated]
    no = next((point for point in noes if point is not None), None)
    assert yes or no
    if yes and no:
        pair = {"kind": "two_worlds", "worlds": [shown(yes), shown(no)], "answers": ["YES", "NO"]}
        assert accepted(two_worlds.check, task(facts, question, **pair))
        assert not accepted(two_worlds.check, task(facts, question, **{**pair, "answers": ["NO", "YES"]}))
    proved = set()
    sides = (texts(low[2]) if low else None, texts(high[2]) if high else None)
    for lower, upper in itertools.product((None, sides[0]), (None, sides[1])):
        for answer in ("YES", "NO"):
            single = {"kind": "dual_bounds", "lower": lower, "upper": upper, "answer": answer, "world": shown(values)}
            if accepted(dual_bounds.check, task(facts, question, **single)):
                proved.add(answer)
    expected = set() if yes and no else {"YES"} if yes else {"NO"}
    assert proved == expected


def minimal_sets(members, infeasible):
    found = []
    for size in range(len(members) + 1):
        for some in itertools.combinations(members, size):
            if not any(set(old) <= set(some) for old in found) and infeasible(some):
                found.append(some)
    return found


def random_system(rng, size):
    """Facts that conflict more often than not."""
    facts = []
    for n in range(1, size + 1):
        terms = {x: str(rng.choice([-2, -1, 1, 1, 2])) for x in rng.sample(VARIABLES[:2], rng.choice([1, 1, 2]))}
        facts.append(linear(f"f{n}", terms, rng.choice(["<=", ">=", "<", ">", "="]), Fraction(rng.randint(-6, 6), 2)))
    return facts


@pytest.mark.parametrize("seed", range(80))
def test_a_conflict_has_a_proof_exactly_where_it_is_the_only_minimal_one(seed):
    rng = random.Random(f"conflict {seed}")
    facts = random_system(rng, 6)
    for fact in facts:
        fact["role"] = rng.choice(["requirement", "requirement", "background"])
    required = [f"D{n}.1" for n, fact in enumerate(facts, 1) if fact["role"] == "requirement"]
    fact_of = {f"D{n}.1": fact for n, fact in enumerate(facts, 1)}
    background = [fact for fact in facts if fact["role"] == "background"]

    def solved(members):
        return solve(rows_of([*background, *(fact_of[member] for member in members)]), VARIABLES)

    conflicts = minimal_sets(required, lambda some: solved(some)[0] is None)
    whole = len(conflicts) == 1 and conflicts[0]
    for size in range(1, len(required) + 1):
        for some in itertools.combinations(required, size):
            weights = solved(some)[1] or {fact["id"]: 1 for fact in facts}
            worlds = {m: solved([x for x in required if x != m])[0] or {} for m in some}
            proof = {"kind": "minimal_conflict", "members": list(some), "multipliers": texts(weights)}
            proof["worlds"] = {member: shown(values) for member, values in worlds.items()}
            assert accepted(minimal_conflict.check, task(facts, PLAN, **proof)) == (some == whole), some


@pytest.mark.parametrize("seed", range(80))
def test_documents_refute_a_premise_exactly_where_none_is_idle(seed):
    rng = random.Random(f"premise {seed}")
    *facts, premise = random_system(rng, 5)
    question = {**PLAN, "presupposes": [copy.deepcopy(premise)]}
    premise = {**premise, "id": "presupposed"}
    every = [f"D{n}" for n in range(1, len(facts) + 1)]

    def solved(documents):
        return solve(rows_of([premise, *(facts[int(key[1:]) - 1] for key in documents)]), VARIABLES)

    agreed = solve(rows_of(facts), VARIABLES)[0]
    for size in range(1, len(every) + 1):
        for some in itertools.combinations(every, size):
            needed = solved(some)[0] is None and all(solved([x for x in every if x != d])[0] is not None for d in some)
            weights = solved(some)[1] or {"presupposed": Fraction(1)}
            worlds = {d: shown(solved([x for x in every if x != d])[0] or {}) for d in some}
            proof = {"kind": "refutation", "presupposition": 0, "documents": list(some), "world": shown(agreed or {})}
            data = task(facts, question, **proof, multipliers=texts(weights), worlds=worlds)
            assert accepted(refutation.check, data) == (needed and agreed is not None), some


def test_the_seeds_reach_both_outcomes():
    """Else the two tests above would be empty."""
    unique = refuted = 0
    for seed in range(80):
        facts = random_system(random.Random(f"conflict {seed}"), 6)
        unique += solve(rows_of(facts), VARIABLES)[0] is None
        facts = random_system(random.Random(f"premise {seed}"), 5)
        refuted += solve(rows_of(facts), VARIABLES)[0] is None and solve(rows_of(facts[:-1]), VARIABLES)[0] is not None
    assert 10 < unique < 80
    assert refuted > 8


@settings(max_examples=300, deadline=None)
@given(
    st.integers(-24, 24),
    st.integers(0, 16),
    st.sampled_from(["<=", "<"]),
    st.sampled_from([">=", ">"]),
    st.sampled_from([1, -1, 2, -3]),
    st.sampled_from(["1", "1/2", "2", "3", "5/2"]),
)
def test_a_whole_number_is_settled_exactly_where_counting_settles_it(low, width, under, over, factor, resolution):
    ends = Fraction(low, 4), Fraction(low + width, 4)
    box = [linear("lo", {"x": "1"}, over, ends[0]), linear("hi", {"x": "1"}, under, ends[1])]
    inside = [
        n for n in range(-30, 31) if OPERATIONS[over](Fraction(n), ends[0]) and OPERATIONS[under](Fraction(n), ends[1])
    ]
    assume(inside)
    step = Fraction(resolution)
    grid = [n * step for n in range(-100, 101)]
    admissible = {g for g in grid for n in inside if abs(factor * n - g) <= step / 2}
    question = {"kind": "number", "target": {"x": str(factor)}, "resolution": resolution, "presupposes": []}
    facts = [*box, {"id": "whole", "kind": "integer", "variable": "x"}]
    weights = {"lo" if factor > 0 else "hi": str(abs(factor))}, {"hi" if factor > 0 else "lo": str(abs(factor))}
    proof = {"kind": "dual_bounds", "lower": weights[0], "upper": weights[1]}
    space = shown({"x": inside[0]})
    for answer in admissible:
        settled = accepted(dual_bounds.check, task(facts, question, **proof, answer=str(answer), world=space))
        assert not settled or admissible == {answer}
        if abs(factor) == 1:
            assert settled == (admissible == {answer})
