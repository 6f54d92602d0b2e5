"""The exact simplex: each certificate by substitution, each verdict and value against z3, HiGHS and sympy's lpmin."""

import hashlib
import json
import os
import pickle
import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
import z3
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from sympy import QQ, Eq, Ge, Le, Symbol
from sympy.solvers.simplex import InfeasibleLPError, UnboundedLPError, lpmin

from impossible_rubrics_env import simplex
from impossible_rubrics_env.errors import ArgumentError, ImpossibleRubricsError
from impossible_rubrics_env.exact import ratio_of, ratio_text
from impossible_rubrics_env.simplex import Constraint, InfeasibleError, Point, Refutation, bound, feasible

HOLDS = {
    "<=": Fraction.__le__,
    "<": Fraction.__lt__,
    "=": Fraction.__eq__,
    ">": Fraction.__gt__,
    ">=": Fraction.__ge__,
}
RELAXED = {"<": "<=", ">": ">="}


def back(value):
    return Fraction(*ratio_of(value)) if QQ.of_type(value) else Fraction(value)


def fractions_of(numbers):
    return {name: back(number) for name, number in numbers.items()}


def value_at(terms, numbers):
    return sum((back(factor) * numbers[name] for name, factor in terms.items()), Fraction(0))


def relaxed(system):
    return [Constraint(one.id, one.terms, RELAXED.get(one.op, one.op), one.rhs) for one in system]


# Substitution, by the rules of docs/format.md


def satisfies(system, numbers):
    return all(HOLDS[one.op](value_at(one.terms, numbers), back(one.rhs)) for one in system)


def weighted_sum(system, multipliers):
    """Coefficients, right-hand side and strictness of the sum of the facts, each read as <= or =; None if unlawful."""
    by_id = {one.id: one for one in system}
    coefficients, rhs, strict = {}, Fraction(0), False
    for name, multiplier in multipliers.items():
        one, weight = by_id[name], back(multiplier)
        if one.op != "=" and weight < 0:
            return None
        signed = -weight if one.op in (">", ">=") else weight
        for variable, factor in one.terms.items():
            coefficients[variable] = coefficients.get(variable, 0) + signed * back(factor)
        rhs += signed * back(one.rhs)
        strict = strict or (weight > 0 and one.op in ("<", ">"))
    return {variable: factor for variable, factor in coefficients.items() if factor}, rhs, strict


def refutes(system, multipliers):
    total = weighted_sum(system, multipliers)
    return total is not None and total[0] == {} and (total[1] < 0 or (total[1] == 0 and total[2]))


def check_bound(objective, system, found):
    """Everything that a bound says, by substitution alone."""
    world = fractions_of(found.world.numbers)
    assert satisfies(system, world)
    sign = 1 if found.direction == "upper" else -1
    if found.value is None:
        assert not found.attained
        assert found.multipliers == {}
        assert found.limit is None
        assert sign * value_at(objective, fractions_of(found.ray)) > 0
        for one in system:
            along = value_at(one.terms, fractions_of(found.ray))
            assert along <= 0 or one.op in (">", ">=")
            assert along >= 0 or one.op in ("<", "<=")
        return
    value, limit = back(found.value), fractions_of(found.limit.numbers)
    assert found.ray is None
    coefficients, rhs, strict = weighted_sum(system, found.multipliers)
    assert coefficients == {name: sign * back(factor) for name, factor in objective.items() if back(factor)}
    assert rhs == sign * value
    assert value_at(objective, limit) == value
    assert satisfies(relaxed(system), limit)
    if found.attained:
        assert limit == world
    else:
        assert strict
        middle = {name: (9 * limit[name] + world[name]) / 10 for name in world}
        assert satisfies(system, middle)
        assert abs(value - value_at(objective, middle)) * 10 == abs(value - value_at(objective, world)) > 0


def checked(system):
    """Whether the system has a point; what shows it is checked."""
    found = feasible(system)
    if isinstance(found, Point):
        assert set(found.numbers) == {name for one in system for name in one.terms}
        assert satisfies(system, fractions_of(found.numbers))
        return True
    assert refutes(system, found.multipliers)
    assert all(found.multipliers.values())
    return False


# Random systems


def random_terms(rng, names, size):
    chosen = rng.sample(names, rng.randint(min(1, len(names)), len(names)))
    return {name: rng.randint(-size, size) for name in chosen}


def random_system(seed):
    """Small and nasty: many pass through one point, some repeat another, some miss it by a hair."""
    rng = random.Random(f"simplex/{seed}")
    names = [f"x{place}" for place in range(rng.randint(1, 5))]
    size = rng.choice((1, 2, 9))
    ops = rng.choice((("<=", ">="), ("<=", "<", "=", ">", ">="), ("<", ">"), ("<=", "<", ">", ">=")))
    center = {name: rng.randint(-5, 5) for name in names}
    system = []
    for place in range(rng.randint(1, 11)):
        terms, op = random_terms(rng, names, size), rng.choice(ops)
        at_center = sum(factor * center[name] for name, factor in terms.items())
        kind = rng.random()
        if system and kind < 0.15:
            other, factor = rng.choice(system), rng.choice((-2, -1, 1, 3))
            terms = {name: factor * number for name, number in other.terms.items()}
            rhs = factor * other.rhs
        elif kind < 0.5:
            rhs = at_center
        elif kind < 0.6:
            rhs = at_center + rng.choice((-1, 1)) * QQ(1, 10**12)
        else:
            rhs = at_center + rng.randint(-6, 6)
        system.append(Constraint(f"c{place}", terms, op, rhs))
    names = sorted({name for one in system for name in one.terms})
    return system, random_terms(rng, names, size)


SEEDS = range(600)


def z3_number(value):
    return z3.Q(*back(value).as_integer_ratio())


def z3_terms(terms):
    return z3.Sum([z3.RealVal(0), *(z3_number(factor) * z3.Real(name) for name, factor in terms.items())])


def z3_relation(terms, op, rhs):
    left, right = z3_terms(terms), z3_number(rhs)
    return {"<=": left <= right, "<": left < right, "=": left == right, ">": left > right, ">=": left >= right}[op]


def z3_says(system, *more):
    solver = z3.SolverFor("QF_LRA")
    solver.add(*(z3_relation(one.terms, one.op, one.rhs) for one in system), *more)
    answer = solver.check()
    assert answer != z3.unknown
    return answer == z3.sat


@pytest.mark.parametrize("block", range(6))
def test_z3_agrees_on_every_system_and_on_every_bound(block):
    outcomes = set()
    for seed in SEEDS[block::6]:
        system, objective = random_system(seed)
        has_point = checked(system)
        assert has_point == z3_says(system), seed
        for direction, beyond in (("lower", "<"), ("upper", ">")):
            if not has_point:
                with pytest.raises(InfeasibleError) as raised:
                    bound(objective, system, direction)
                assert refutes(system, raised.value.refutation.multipliers)
                outcomes.add("infeasible")
                continue
            found = bound(objective, system, direction)
            check_bound(objective, system, found)
            if found.value is None:
                assert z3_says(system, z3_relation(objective, beyond, 10**6 if beyond == ">" else -(10**6))), seed
                outcomes.add("unbounded")
            else:
                assert not z3_says(system, z3_relation(objective, beyond, found.value)), seed
                assert z3_says(system, z3_relation(objective, "=", found.value)) == found.attained, seed
                outcomes.add("attained" if found.attained else "approached")
    assert outcomes == {"infeasible", "unbounded", "attained", "approached"}


def highs(objective, system):
    """Status and value of the minimum; strict constraints are relaxed, for HiGHS knows none."""
    names = sorted({name for one in system for name in one.terms})
    rows = {"upper": ([], []), "equal": ([], [])}
    for one in system:
        side = -1.0 if one.op in (">", ">=") else 1.0
        matrix, rhs = rows["equal" if one.op == "=" else "upper"]
        matrix.append([side * float(back(one.terms.get(name, 0))) for name in names])
        rhs.append(side * float(back(one.rhs)))
    return linprog(
        [float(objective.get(name, 0)) for name in names],
        *(rows["upper"] if rows["upper"][0] else (None, None)),
        *(rows["equal"] if rows["equal"][0] else (None, None)),
        bounds=(None, None),
        method="highs",
    )


def by_more_than_a_hair(system):
    return all(back(one.rhs).denominator == 1 for one in system)


def test_highs_agrees_on_status_and_value():
    compared = 0
    for seed in SEEDS:
        system, objective = random_system(seed)
        if not by_more_than_a_hair(system):
            continue
        system, compared = relaxed(system), compared + 1
        # Without a target first: HiGHS calls seed 340, which is unbounded, infeasible.
        assert highs({}, system).status == (0 if checked(system) else 2), seed
        if checked(system):
            result, found = highs(objective, system), bound(objective, system, "lower")
            assert (result.status == 0) == (found.value is not None), seed
            assert found.value is None or result.fun == pytest.approx(float(back(found.value)), abs=1e-6), seed
    assert compared > 250


def test_lpmin_agrees_exactly():
    compared = 0
    relation = {"<=": Le, "=": Eq, ">=": Ge}
    for seed in SEEDS:
        system, objective = random_system(seed)
        system = relaxed(system)
        if len(system) > 6 or not all(any(one.terms.values()) for one in system) or not any(objective.values()):
            continue
        linear = {one.id: sum(factor * Symbol(name, real=True) for name, factor in one.terms.items()) for one in system}
        rows = [relation[one.op](linear[one.id], QQ.to_sympy(QQ(one.rhs))) for one in system]
        target = sum(factor * Symbol(name, real=True) for name, factor in objective.items())
        try:
            expected = lpmin(target, rows)[0]
        except InfeasibleLPError:
            assert not checked(system), seed
        except UnboundedLPError:
            assert bound(objective, system, "lower").value is None, seed
        else:
            assert Fraction(int(expected.p), int(expected.q)) == back(bound(objective, system, "lower").value), seed
        compared += 1
        if compared == 60:
            break
    assert compared == 60


# Properties

numbers = st.one_of(st.integers(-3, 3), st.fractions(min_value=-20, max_value=20, max_denominator=12))
constraints = st.tuples(
    st.dictionaries(st.sampled_from("abcd"), numbers, max_size=4), st.sampled_from(simplex.OPS), numbers
)


def as_exact(value):
    return QQ(value.numerator, value.denominator)


def system_of(parts):
    return [
        Constraint(f"c{place}", {name: as_exact(number) for name, number in terms.items()}, op, as_exact(rhs))
        for place, (terms, op, rhs) in enumerate(parts)
    ]


@given(st.lists(constraints, max_size=8), st.dictionaries(st.sampled_from("abcde"), numbers, max_size=3))
def test_every_certificate_holds_by_substitution(parts, target):
    system, objective = system_of(parts), {name: as_exact(number) for name, number in target.items()}
    if checked(system):
        for direction in ("lower", "upper"):
            check_bound(objective, system, bound(objective, system, direction))


@given(st.lists(constraints, max_size=10), st.fixed_dictionaries(dict.fromkeys("abcd", numbers)))
def test_constraints_that_a_known_point_meets_have_a_point(parts, point):
    kept = [one for one in system_of(parts) if satisfies([one], point)]
    assert checked(kept)


@given(st.lists(constraints, min_size=1, max_size=8))
def test_a_refutation_is_minimal(parts):
    system = system_of(parts)
    found = feasible(system)
    if isinstance(found, Refutation):
        members = [one for one in system if one.id in found.multipliers]
        for left_out in members:
            assert checked([one for one in members if one is not left_out])


@given(st.lists(constraints, min_size=1, max_size=6), st.sampled_from("abcd"))
def test_the_order_of_terms_and_the_type_of_numbers_change_nothing(parts, name):
    system = system_of(parts)
    texts = [
        Constraint(
            one.id,
            {key: ratio_text(number) for key, number in reversed(one.terms.items())},
            one.op,
            ratio_text(one.rhs),
        )
        for one in system
    ]
    assert feasible(texts) == feasible(system)
    if isinstance(feasible(system), Point):
        assert bound({name: 1}, texts, "upper") == bound({name: "1"}, system, "upper")


def test_the_substitution_refuses_corrupted_certificates():
    """The judge above is not a rubber stamp: one more or less of any multiplier no longer refutes."""
    refuted = 0
    for seed in SEEDS:
        system, _ = random_system(seed)
        found = feasible(system)
        if isinstance(found, Point) or len(found.multipliers) < 3:
            continue
        refuted += 1
        for name in found.multipliers:
            if any(next(one for one in system if one.id == name).terms.values()):
                for step in (-1, 1):
                    assert not refutes(system, found.multipliers | {name: found.multipliers[name] + step})
            assert not refutes(system, {key: number for key, number in found.multipliers.items() if key != name})
    assert refuted > 50


# Single cases


def test_a_budget_short_by_the_smallest_unit_is_refuted_and_one_that_suffices_is_not():
    def system(budget):
        return [
            Constraint("first", {"x": 1}, ">=", "40.01"),
            Constraint("second", {"y": 3}, ">=", "60"),
            Constraint("budget", {"x": 1, "y": 1}, "<=", budget),
        ]

    assert feasible(system("60.01")) == Point({"x": QQ(4001, 100), "y": QQ(20)})
    assert feasible(system("60.00")) == Refutation({"first": QQ(3), "second": QQ(1), "budget": QQ(3)})


def test_a_strict_constraint_can_be_all_that_is_wrong():
    at_most = Constraint("at_most", {"x": 1}, "<=", 5)
    assert feasible([at_most, Constraint("above", {"x": 2}, ">", 10)]) == Refutation({"at_most": QQ(2), "above": QQ(1)})
    assert feasible([at_most, Constraint("at_least", {"x": 2}, ">=", 10)]) == Point({"x": QQ(5)})


def test_a_bound_that_is_approached_says_so():
    found = bound({"x": 1}, [Constraint("a", {"x": 2}, "<", 7), Constraint("b", {"x": 1}, ">=", 0)], "upper")
    assert (found.value, found.attained, found.multipliers) == (QQ(7, 2), False, {"a": QQ(1, 2)})
    assert found.limit == Point({"x": QQ(7, 2)})


def test_constraints_without_variables_and_empty_systems():
    assert feasible([]) == Point({})
    assert feasible([Constraint("true", {}, "<", 1)]) == Point({})
    assert feasible([Constraint("false", {"x": 0}, "=", 3)]) == Refutation({"false": QQ(-1)})
    assert feasible([Constraint("false", {}, ">", 0)]) == Refutation({"false": QQ(1)})
    assert bound({}, [], "lower").value == 0
    assert bound({"x": 1}, [], "lower").ray == {"x": QQ(-1)}


def signs(count):
    return [Constraint(f"s{place}", {f"x{place}": 1}, ">=", 0) for place in range(1, count + 1)]


def cycling(rows, more):
    return [
        *(
            Constraint(f"r{number}", {f"x{place}": factor for place, factor in enumerate(row, 1)}, "<=", 0)
            for number, row in enumerate(rows)
        ),
        *more,
        *signs(4),
    ]


def test_the_examples_of_beale_and_kuhn_that_cycle_under_other_rules_end():
    beale = cycling(
        [("1/4", -60, "-1/25", 9), ("1/2", -90, "-1/50", 3)],
        [Constraint("cap", {"x3": 1}, "<=", 1)],
    )
    objective = {"x1": "-3/4", "x2": 150, "x3": "-1/50", "x4": 6}
    found = bound(objective, beale, "lower")
    assert back(found.value) == Fraction(-1, 20)
    kuhn = cycling(
        [(-2, -9, 1, 9), ("1/3", 1, "-1/3", -2)],
        [Constraint("cap", {"x1": 2, "x2": 3, "x3": -1, "x4": -12}, "<=", 2)],
    )
    assert back(bound({"x1": -2, "x2": -3, "x3": 1, "x4": 12}, kuhn, "lower").value) == -2
    assert bound({"x1": -2, "x2": -3, "x3": 1, "x4": 12}, [one for one in kuhn if one.id != "cap"], "lower").ray


def test_a_system_that_cycles_where_the_largest_variable_enters_ends():
    rows = [(-3, 5, 4), (-5, -1, 2), (-2, 1, 4), (-5, -2, -4), (-3, 4, -3), (0, 2, 0), (-1, -2, -3)]
    right = (0, 0, -1, 0, 0, -1, -1)
    system = [
        Constraint(f"r{number}", dict(zip("abc", row, strict=True)), "<=", rhs)
        for number, (row, rhs) in enumerate(zip(rows, right, strict=True))
    ]
    assert checked(system) == z3_says(system)


def klee_minty(size):
    return [
        *(
            Constraint(
                f"k{row}",
                {f"x{place}": 2 ** (row - place + 1) if place < row else 1 for place in range(1, row + 1)},
                "<=",
                5**row,
            )
            for row in range(1, size + 1)
        ),
        *signs(size),
    ]


def test_klee_minty_cubes_end_at_their_optimum():
    objective = {f"x{place}": 2 ** (8 - place) for place in range(1, 9)}
    assert bound(objective, klee_minty(8), "upper").value == 5**8


def test_a_run_that_takes_too_many_pivots_is_refused(monkeypatch):
    monkeypatch.setattr(simplex, "MAX_PIVOTS", 3)
    with pytest.raises(ArgumentError, match="3 pivots"):
        feasible([Constraint(f"c{place}", {f"x{place}": 1}, ">", 1) for place in range(5)])
    with pytest.raises(ArgumentError, match="3 pivots"):
        bound({f"x{place}": 1 for place in range(1, 9)}, klee_minty(8), "upper")


# Refusals


def test_sizes_beyond_the_bounds_are_refused():
    longest = 2**simplex.MAX_BITS - 1
    assert isinstance(feasible([Constraint("a", {"x": longest}, ">=", longest)]), Point)
    many = [Constraint(f"c{place}", {"x": 1}, ">=", place) for place in range(simplex.MAX_CONSTRAINTS + 1)]
    assert back(bound({"x": 1}, many[:-1], "lower").value) == simplex.MAX_CONSTRAINTS - 1
    wide = {f"x{place}": 1 for place in range(simplex.MAX_VARIABLES + 1)}
    for system in (
        many,
        [Constraint("a", wide, ">=", 0)],
        [Constraint("a", {"x": longest + 1}, ">=", 0)],
        [Constraint("a", {"x": 1}, ">=", -longest - 1)],
        [Constraint("a", {"x": QQ(1, longest + 1)}, ">=", 0)],
        [Constraint("a", {"x": QQ(1, 3**100), "y": QQ(1, 2**150)}, ">=", 0)],
    ):
        with pytest.raises(ArgumentError, match="at most"):
            feasible(system)


def test_what_is_no_constraint_is_refused():
    with pytest.raises(ArgumentError, match="op must be one of"):
        feasible([Constraint("a", {"x": 1}, "==", 0)])
    with pytest.raises(ArgumentError, match="'a' twice"):
        feasible([Constraint("a", {"x": 1}, "<=", 0)] * 2)
    with pytest.raises(ArgumentError, match="direction must be"):
        bound({"x": 1}, [], "down")
    for value in (0.5, True, None, Fraction(1, 2)):
        with pytest.raises(TypeError):
            feasible([Constraint("a", {"x": value}, "<=", 0)])
        with pytest.raises(TypeError):
            bound({"x": value}, [], "lower")
    with pytest.raises(ArgumentError, match="not an exact number"):
        feasible([Constraint("a", {"x": "one"}, "<=", 0)])


def test_the_error_names_the_constraints_and_survives_pickling():
    with pytest.raises(InfeasibleError, match=r"no common solution: a, b$") as raised:
        bound({"x": 1}, [Constraint("a", {"x": 1}, "<", 0), Constraint("b", {"x": 1}, ">", 0)], "lower")
    copy = pickle.loads(pickle.dumps(raised.value))
    assert copy.refutation == raised.value.refutation
    assert isinstance(copy, (ImpossibleRubricsError, ValueError))


# The same bytes whatever does the arithmetic


def texts(numbers):
    return None if numbers is None else {name: ratio_text(number) for name, number in numbers.items()}


def digest(seeds):
    """Of all that is returned for the random systems, in the order in which it is returned."""
    lines = []
    for seed in seeds:
        system, objective = random_system(seed)
        found = feasible(system)
        if isinstance(found, Refutation):
            lines.append(texts(found.multipliers))
            continue
        lines.append(texts(found.numbers))
        for direction in ("lower", "upper"):
            end = bound(objective, system, direction)
            value = None if end.value is None else ratio_text(end.value)
            limit = end.limit and texts(end.limit.numbers)
            lines.append([value, end.attained, texts(end.multipliers), texts(end.world.numbers), limit, texts(end.ray)])
    return hashlib.sha256(json.dumps(lines).encode()).hexdigest()


@pytest.mark.parametrize("types", ["python", "gmpy", "flint"])
def test_results_are_the_same_under_every_ground_type(types):
    here = Path(__file__)
    code = (
        f"import sys; sys.path.insert(0, {str(here.parent)!r}); import {here.stem} as tests\n"
        "from sympy.external.gmpy import GROUND_TYPES; print(GROUND_TYPES, tests.digest(range(200)))"
    )
    environment = {**os.environ, "SYMPY_GROUND_TYPES": types, "PYTHONHASHSEED": "random"}
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert result.stdout.split() == [types, digest(range(200))]
