"""Recomputes the label of a packet task from its JSON text alone, and imports nothing of the package.

Linear questions are decided by HiGHS, whose primal and dual solutions are turned into rationals and checked exactly:
a bound counts only where the multipliers prove it and the point attains it. Questions about registers and findings are
decided by trying every completion of what the documents leave open.

As a script: `python tests/oracle/relabel.py < tasks.jsonl` prints a line for every task.
"""

import itertools
import json
import sys

import numpy
from flint import fmpq
from scipy.optimize import linprog

ZERO = fmpq(0)


class OracleError(Exception):
    """HiGHS gave no solution that is exactly right."""


def relabel(task):
    """`(impossible, answer)` of a task's JSON as a mapping; the answer is None where there is none or many (a plan)."""
    facts = in_force(task["packet"]["documents"])
    question = task["question"]
    linear = [row_of(fact) for fact in facts if fact["kind"] == "linear"]
    assert not any(fact["kind"] == "integer" for fact in facts)
    if not feasible(linear):
        return True, None
    presupposed = [row_of(fact) for fact in question["presupposes"]]
    if not feasible([*linear, *presupposed]):
        return True, None
    if question["kind"] == "plan":
        return False, None
    answers = admissible(question, facts, linear)
    return len(answers) != 1, next(iter(answers)) if len(answers) == 1 else None


def in_force(documents):
    """The facts in force: every notice is tried against all newer ones, from the newest document down."""
    out = set()
    touched = set()
    for document in sorted(documents, key=lambda one: (one["date"], len(one["id"]), one["id"]), reverse=True):
        here = []
        for sentence in document["sentences"]:
            if sentence["id"] in out:
                continue
            here += [fact for fact in sentence["facts"] if fact["kind"] in ("retracts", "corrects", "reinstates")]
        for fact in here:
            target = next(one for one in documents if one["id"] == fact["target"])
            named = fact["scope"] or [sentence["id"] for sentence in target["sentences"]]
            for name in named:
                if name not in touched:
                    touched.add(name)
                    if fact["kind"] != "reinstates":
                        out.add(name)
    sentences = [sentence for document in documents for sentence in document["sentences"]]
    return [fact for sentence in sentences if sentence["id"] not in out for fact in sentence["facts"]]


def exact(text):
    top, _, bottom = text.partition("/")
    return fmpq(int(top), int(bottom or 1))


def row_of(fact):
    return {name: exact(size) for name, size in fact["terms"].items()}, fact["op"], exact(fact["rhs"])


def admissible(question, facts, linear):
    target = question["target"]
    if question["kind"] == "number":
        step = exact(question["resolution"])
        if "total" in target:
            return {text(g) for total in totals(facts, linear, target["total"]) for g in grid(total, step)}
        low, high = finding_range(facts, target) if "attributes" in target else linear_range(linear, target)
        if low is None or high is None:
            return {"unbounded", "below"}
        first, last = grid(low, step)[0], grid(high, step)[-1]
        return {text(first + step * k) for k in range(int((last - first) / step) + 1)}
    if question["kind"] == "yes_no":
        return sides(target, facts, linear)
    if question["kind"] == "document":
        return {one["id"] for one in establishing(facts, target)}
    return lists(facts, target)


def text(value):
    return str(value)


def grid(value, step):
    """The multiples of the step within half of it."""
    low = -((-(value / step - fmpq(1, 2))).floor())
    high = (value / step + fmpq(1, 2)).floor()
    return [step * int(k) for k in range(int(low), int(high) + 1)]


def sides(target, facts, linear):
    if "total" in target:
        pairs = paired_totals(facts, linear, target["total"], target["than"])
        return {"YES" if (a > b if target["op"] == ">" else a < b) else "NO" for a, b in pairs}
    if "attributes" in target:
        low, high = finding_range(facts, target)
        than_low, than_high = finding_range(facts, target["than"])
        assert than_low == than_high is not None
        above, below = high is None or high > than_low, low is None or low < than_low
        not_above, not_below = low is None or low <= than_low, high is None or high >= than_low
        yes, no = (above, not_above) if target["op"] == ">" else (below, not_below)
        return {answer for answer, possible in (("YES", yes), ("NO", no)) if possible}
    terms = {name: exact(size) for name, size in target["terms"].items()}
    rhs = exact(target["rhs"])
    opposite = {">": "<=", "<": ">=", ">=": "<", "<=": ">"}[target["op"]]
    found = set()
    if feasible([*linear, (terms, target["op"], rhs)]):
        found.add("YES")
    if feasible([*linear, (terms, opposite, rhs)]):
        found.add("NO")
    return found


def linear_range(linear, target):
    terms = {name: exact(size) for name, size in target.items()}
    negated = {name: -size for name, size in terms.items()}
    high = maximum(linear, terms)
    low = maximum(linear, negated)
    return (None if low is None else -low), high


def feasible(rows):
    """Strict rows get a slack that is made as large as possible, up to 1."""
    slack = "__slack__"
    weak = []
    for terms, op, rhs in rows:
        if op in ("<", ">"):
            sign = 1 if op == "<" else -1
            weak.append(({**terms, slack: fmpq(sign)}, op + "=", rhs))
        else:
            weak.append((terms, op, rhs))
    weak.append(({slack: fmpq(1)}, "<=", fmpq(1)))
    best = maximum(weak, {slack: fmpq(1)}, infeasible=ZERO)
    return best is not None and best > 0


def maximum(rows, objective, infeasible=None):
    """The exact maximum of an expression over weak rows; None where it is unbounded."""
    names = sorted({name for terms, _, _ in rows for name in terms} | set(objective))
    upper, upper_rhs, equal, equal_rhs = [], [], [], []
    for terms, op, rhs in rows:
        sign = -1 if op in (">=", ">") else 1
        row = [sign * terms.get(name, ZERO) for name in names]
        if op == "=":
            equal.append(row)
            equal_rhs.append(rhs)
        else:
            upper.append(row)
            upper_rhs.append(sign * rhs)
    cost = [-objective.get(name, ZERO) for name in names]
    found = linprog(
        floats(cost),
        A_ub=matrix(upper, names),
        b_ub=floats(upper_rhs),
        A_eq=matrix(equal, names),
        b_eq=floats(equal_rhs),
        bounds=[(None, None)] * len(names),
        method="highs",
    )
    if found.status == 3:
        return None
    if found.status == 2:
        if infeasible is None:
            raise OracleError("infeasible")
        return infeasible
    point = [near(value) for value in found.x]
    duals = [near(-value) for value in found.ineqlin.marginals]
    free = [near(-value) for value in found.eqlin.marginals]
    for place in range(len(names)):
        total = sum((d * row[place] for d, row in zip(duals, upper, strict=True)), ZERO)
        total += sum((d * row[place] for d, row in zip(free, equal, strict=True)), ZERO)
        if total != -cost[place]:
            raise OracleError("the multipliers do not give the objective")
    if any(d < 0 for d in duals):
        raise OracleError("a multiplier has the wrong sign")
    bound = sum((d * rhs for d, rhs in zip([*duals, *free], [*upper_rhs, *equal_rhs], strict=True)), ZERO)
    attained = -sum((c * x for c, x in zip(cost, point, strict=True)), ZERO)
    inside = all(dot(row, point) <= rhs for row, rhs in zip(upper, upper_rhs, strict=True))
    inside = inside and all(dot(row, point) == rhs for row, rhs in zip(equal, equal_rhs, strict=True))
    if attained != bound or not inside:
        raise OracleError("the point does not attain the bound")
    return bound


def dot(row, point):
    return sum((a * x for a, x in zip(row, point, strict=True)), ZERO)


def floats(values):
    return numpy.array([int(value.p) / int(value.q) for value in values])


def matrix(rows, names):
    return numpy.array([floats(row) for row in rows]) if rows else numpy.zeros((0, len(names)))


def near(value, largest=10**6):
    """The first convergent of a float's continued fraction that is equal to it but for rounding."""
    top, bottom = abs(value).as_integer_ratio()
    before, (p, q) = (0, 1), (1, 0)
    while bottom:
        whole = top // bottom
        before, (p, q) = (p, q), (whole * p + before[0], whole * q + before[1])
        if q > largest:
            raise OracleError(f"{value} is no small rational")
        if abs(p / q - abs(value)) <= 1e-12 * max(1, abs(value)):
            break
        top, bottom = bottom, top - whole * bottom
    return fmpq(-p if value < 0 else p, q)


def amounts(linear):
    fixed = [(*next(iter(terms.items())), rhs) for terms, op, rhs in linear if op == "=" and len(terms) == 1]
    return {name: rhs / size for name, size, rhs in fixed}


def completions(facts, target):
    """Every choice of the register's undecided items, as the set of items that belong."""
    where = target["where"]
    named = [f["item"] for f in facts if f["kind"] == "member" and f["holds"] and f["set"] == target["set"]]
    status = {item: belongs(facts, item, where) for item in dict.fromkeys(named)}
    sure = [item for item, found in status.items() if found == {True}]
    open_items = [item for item, found in status.items() if found == {True, False}]
    for chosen in itertools.product((False, True), repeat=len(open_items)):
        yield {*sure, *(item for item, taken in zip(open_items, chosen, strict=True) if taken)}


def belongs(facts, item, where):
    """Which truth values the conditions can take, whatever value an attribute without one has."""
    results = []
    for condition in where:
        name = condition["attribute"]
        stated = [f["value"] for f in facts if f["kind"] == "attribute" and f["item"] == item and f["name"] == name]
        order = next((f["values"] for f in facts if f["kind"] == "order" and f["name"] == name), None)
        if "at_least" in condition:
            results.append(reaches(stated, order, condition["at_least"]))
        else:
            results.append(lies_in(facts, name, stated, order or [], condition["values"]))
    if any(result == {False} for result in results):
        return {False}
    return {True} if all(result == {True} for result in results) else {True, False}


def reaches(stated, order, least):
    if not stated or order is None or stated[0] not in order or least not in order:
        return {True, False}
    return {order.index(stated[0]) >= order.index(least)}


def lies_in(facts, name, stated, final, asked):
    if not stated:
        return {True, False}
    value, above = stated[0], wider(facts, name)
    while True:
        if value in asked:
            return {True}
        if value in final:
            return {False}
        if value not in above:
            return {True, False}
        value = above[value]


def wider(facts, name):
    return {f["narrower"]: f["wider"] for f in facts if f["kind"] == "contains" and f["attribute"] == name}


def closed(facts, target):
    where = target["where"]
    asked = {value for condition in where if condition["attribute"] == "line" for value in condition["values"]}
    for fact in facts:
        if fact["kind"] != "covers" or fact["set"] != target["set"]:
            continue
        if fact["scope"] is not None and not asked <= set(fact["scope"]["line"]):
            continue
        named = {f["item"] for f in facts if f["kind"] == "member" and f["holds"] and f["set"] == fact["set"]}
        sizes = [f for f in facts if f["kind"] == "size" and f["set"] == fact["set"] and f["op"] in ("=", "<=")]
        if any(int(f["value"]) <= len(named) for f in sizes):
            return True
    return False


def totals(facts, linear, target):
    assert closed(facts, target)
    return {summed(linear, chosen) for chosen in completions(facts, target)}


def summed(linear, items):
    each = amounts(linear)
    return sum((each[item] for item in items), ZERO)


def paired_totals(facts, linear, first, second):
    """Totals of two subjects; an item that may belong to both belongs to one of them at most."""
    assert closed(facts, first)
    assert closed(facts, second)
    for one in completions(facts, first):
        for other in completions(facts, second):
            if not one & other:
                yield summed(linear, one), summed(linear, other)


def lists(facts, target):
    found = {json.dumps(sorted(chosen)) for chosen in completions(facts, target)}
    return found if closed(facts, target) else found | {"more"}


def applies(facts, finding, asked):
    for name, value in asked.items():
        above, at = wider(facts, name), value
        while at != finding["attributes"][name]:
            if at not in above:
                return False
            at = above[at]
    return True


def finding_range(facts, target):
    low = high = None
    for fact in facts:
        if fact["kind"] == "finding" and applies(facts, fact, target["attributes"]):
            value, direction = exact(fact["bound"]["value"]), fact["bound"]["direction"]
            if direction in ("at_least", "exactly"):
                low = value if low is None else max(low, value)
            if direction in ("at_most", "exactly"):
                high = value if high is None else min(high, value)
    return low, high


def establishing(facts, target):
    """Documents of which one finding alone entails the claim."""
    claim, direction = exact(target["bound"]["value"]), target["bound"]["direction"]
    found = {}
    for fact in facts:
        if fact["kind"] == "finding" and applies(facts, fact, target["attributes"]):
            value, stated = exact(fact["bound"]["value"]), fact["bound"]["direction"]
            enough = value >= claim if direction == "at_least" else value <= claim
            if stated in (direction, "exactly") and enough:
                found[fact["id"].partition(".")[0]] = {"id": fact["id"].partition(".")[0]}
    return list(found.values())


def main():
    for line in sys.stdin:
        task = json.loads(line)
        impossible, answer = relabel(task)
        agrees = impossible == (task["label"] == "impossible")
        print(f"{'agrees' if agrees else 'DIFFERS'} {task['label']} {answer} {task['id']}")


if __name__ == "__main__":
    main()
