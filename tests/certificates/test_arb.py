"""Every enclosure agrees with Arb (python-flint), evaluated from the proof data by other methods than the checkers'."""

import random
from itertools import product

import flint
import pytest
from flint import acb, acb_series, arb, fmpq, fmpq_mat, fmpz, fmpz_mat, fmpz_poly

from impossible_rubrics_env.certificates.ledger import check_record, load_ledger, record_from_json
from impossible_rubrics_env.certificates.names import NAMES
from impossible_rubrics_env.certificates.provers.parametric import PARAMETRIC_KINDS, draw_record

LEDGER = load_ledger()
EXACT_KINDS = {"arithmetic", "count", "exact-sum", "exact-probability"}
"""Kinds that test_exact_values.py compares with other algorithms."""
INF = fmpq(10**9)


@pytest.fixture(autouse=True)
def precision():
    before, flint.ctx.prec = flint.ctx.prec, 320
    yield
    flint.ctx.prec = before


def rational(text):
    over, _, under = text.partition("/")
    return fmpq(int(over), int(under or 1))


def real(text):
    return arb(rational(text))


def real_roots(poly):
    """Distinct real roots of an integer polynomial, as balls."""
    found = [root for root, _ in fmpz_poly(poly).complex_roots()]
    return [root.real for root in found if root.imag.contains(0)]


def power(proof):
    return real(proof["base"]) ** (arb(int(proof["over"])) / int(proof["under"]))


def poly_root(proof):
    start, end = (
        INF if text == "inf" else -INF if text == "-inf" else rational(text) for text in (proof["from"], proof["to"])
    )
    (root,) = [x for x in real_roots([int(c) for c in proof["coefficients"]]) if x > arb(start) and x < arb(end)]
    return root


def expression(node):
    if isinstance(node, str):
        return real(node)
    name, *parts = node
    if name == "pi":
        return arb.pi()
    values = [expression(part) for part in parts]
    if len(values) == 1:
        return getattr(values[0], {"ln": "log", "arctan": "atan"}.get(name, name))()
    x, y = values
    return {"add": lambda: x + y, "sub": lambda: x - y, "mul": lambda: x * y, "div": lambda: x / y}[name]()


def series(proof):
    """As a generalized hypergeometric function, whose parameters are read off the factors."""
    start, z, first = int(proof["start"]), real(proof["base"]), real(proof["base"]) ** int(proof["start"])
    over, under = [arb(1)], []
    for a, b, e in (map(int, factor) for factor in proof["linear"]):
        first *= arb(a * start + b) ** e
        shift = fmpq(a * start + b, a)
        for _ in range(abs(e)):
            (over if e > 0 else under).append(arb(shift + 1))
            (under if e > 0 else over).append(arb(shift))
    for a, b, e in (map(int, factor) for factor in proof["factorials"]):
        first *= arb(fmpz.fac_ui(a * start + b)) ** e
        z *= arb(a) ** (a * e)
        for _ in range(abs(e)):
            (over if e > 0 else under).extend(arb(fmpq(a * start + b + i, a)) for i in range(1, a + 1))
    return real(proof["scale"]) * first * acb(z).hypgeom([acb(x) for x in over], [acb(x) for x in under]).real


def alternating_series(proof):
    step, offset, s = (int(proof[name]) for name in ("step", "offset", "power"))
    near, far = arb(offset) / (2 * step), arb(offset + step) / (2 * step)
    gap = far.digamma() - near.digamma() if s == 1 else arb(s).zeta(near) - arb(s).zeta(far)
    return real(proof["scale"]) * gap / arb(2 * step) ** s


def power_sum(proof):
    step, offset, s = (int(proof[name]) for name in ("step", "offset", "power"))
    return arb(s).zeta(arb(offset) / step) / arb(step) ** s


def digamma(proof):
    return arb.const_euler() if proof["argument"] == "gamma" else real(proof["argument"]).digamma()


def binomial_integral(proof):
    m, n, c, b = int(proof["m"]), int(proof["n"]), int(proof["c"]), real(proof["b"])
    return acb.integral(lambda x, _: x**m / (c + x**n), 0, b).real


def quadrature(proof):
    over, under = ([int(c) for c in proof[side]] for side in ("numerator", "denominator"))

    def integrand(x, analytic):
        top = sum((c * x**e for e, c in enumerate(over)), acb(0))
        bottom = sum((c * x**e for e, c in enumerate(under)), acb(0))
        return top.real_sqrt(analytic) if proof["root"] == "2" else top / bottom

    return acb.integral(integrand, acb(real(proof["from"])), acb(real(proof["to"])), rel_tol=arb(2) ** -100).real


def eigenvalue(proof):
    rows = [[int(value) for value in row] for row in proof["matrix"]]
    poly = [int(c) for c in fmpz_mat(rows).charpoly().coeffs()]
    roots = [root.real for root, count in fmpz_poly(poly).complex_roots() for _ in range(count)]
    return sorted(roots, key=lambda x: float(x.mid()), reverse=True)[int(proof["index"]) - 1]


def chebyshev_sum(data):
    total = fmpz_poly([0])
    for weight, frequency in data:
        before, current = fmpz_poly([1]), fmpz_poly([0, 1])
        for _ in range(int(frequency)):
            before, current = current, 2 * fmpz_poly([0, 1]) * current - before
        total += int(weight) * before
    return total


def extremum(proof):
    poly = chebyshev_sum(proof["data"]) if proof["form"] == "cosines" else fmpz_poly([int(c) for c in proof["data"]])
    start, end = real(proof["from"]), real(proof["to"])
    points = [start, end, *(x for x in real_roots(poly.derivative().coeffs()) if x > start and x < end)]
    values = [sum((arb(c) * x**e for e, c in enumerate(poly.coeffs())), arb(0)) for x in points]
    best = values[0]
    for value in values[1:]:
        best = best.min(value) if proof["sense"] == "minimum" else best.max(value)
    return best


def random_walk(proof):
    """Hitting time by solving the linear system over the rationals."""
    name, size = proof["graph"], [int(n) for n in proof["size"]]
    sides = [2] * size[0] if name == "cube" else size
    wrap = name in ("cycle", "torus")
    vertices = list(product(*map(range, sides)))
    goal = tuple(n // 2 if wrap else n - 1 for n in sides)

    def adjacent(u, v):
        gaps = [min(abs(a - b), n - abs(a - b)) if wrap else abs(a - b) for a, b, n in zip(u, v, sides, strict=True)]
        return sum(gaps) == 1

    rest = [v for v in vertices if v != goal]
    degree = {u: sum(adjacent(u, v) for v in vertices) for u in vertices}
    rows = [[fmpq(u == v) - (fmpq(1, degree[u]) if adjacent(u, v) else 0) for v in rest] for u in rest]
    times = fmpq_mat(rows).solve(fmpq_mat([[1]] * len(rest)))
    return arb(times[rest.index((0,) * len(sides)), 0])


def agm(proof):
    value = real(proof["a"]).agm(real(proof["b"]))
    return 1 / value if proof["reciprocal"] == "yes" else value


def continued_fraction(proof):
    """A quotient of Bessel functions where the quotients progress, a quadratic irrational where they do not."""
    first, step, offset = (int(proof[name]) for name in ("first", "step", "offset"))
    if step == 0:
        return first + ((arb(offset) ** 2 + 4).sqrt() - offset) / 2
    order, z = arb(fmpq(offset, step)), arb(fmpq(2, step))
    return first + z.bessel_i(order + 1) / z.bessel_i(order)


def log_base(proof):
    return real(proof["number"]).log() / arb(int(proof["base"])).log()


def equation(proof):
    """By Newton's method on Arb's power series, and then a sign change next to the limit."""
    functions = {"exp(x)": lambda x: x.exp(), "exp(-x)": lambda x: (-x).exp(), "sin(x)": lambda x: x.sin()}
    functions |= {"cos(x)": lambda x: x.cos(), "ln(x)": lambda x: x.log(), "1": lambda _: acb_series([1], prec=2)}

    def left_side(x):
        point = acb_series([x, 1], prec=2)
        return sum(
            (int(c) * point ** int(p) * functions[g](point) for c, p, g in proof["terms"]), acb_series([0], prec=2)
        )

    low, high = fmpq(int(proof["from"])), fmpq(int(proof["to"]))
    rising = left_side(acb(arb(high) - arb(2) ** -40))[0].real > 0
    for _ in range(200):
        middle = (low + high) / 2
        above = left_side(acb(arb(middle)))[0].real > 0
        low, high = (low, middle) if above == rising else (middle, high)
    assert left_side(acb(arb(low)))[0].real * left_side(acb(arb(high)))[0].real < 0
    return arb(low).union(arb(high))


EVALUATORS = {
    "agm": agm,
    "alternating-series": alternating_series,
    "binomial-integral": binomial_integral,
    "continued-fraction": continued_fraction,
    "digamma": digamma,
    "eigenvalue": eigenvalue,
    "elementary": lambda proof: expression(proof["expression"]),
    "equation": equation,
    "extremum": extremum,
    "log-base": log_base,
    "machin": lambda proof: arb.pi() * real(proof["times"]),
    "poly-root": poly_root,
    "power": power,
    "power-sum": power_sum,
    "quadrature": quadrature,
    "random-walk": random_walk,
    "series": series,
}


def assert_inside(value, record):
    """The ball is small, and is not outside [lo, hi] on either side."""
    low, high = real(record.lo), real(record.hi)
    assert value.is_finite()
    assert value.rad() < arb(2) ** -80 * (1 + abs(value))
    assert not value < low
    assert not value > high
    if record.lo != record.hi:
        gap = high - low
        assert value > low - gap / 10**6
        assert value < high + gap / 10**6


@pytest.mark.parametrize("name", [r.id for r in LEDGER.values() if r.proof["kind"] not in EXACT_KINDS])
def test_the_enclosure_holds_the_value_that_arb_computes(name):
    record = LEDGER[name]
    assert_inside(EVALUATORS[record.proof["kind"]](record.proof), record)


def test_every_proof_kind_has_an_independent_evaluator():
    assert {record.proof["kind"] for record in LEDGER.values()} == set(EVALUATORS) | EXACT_KINDS


def integral(function, start, end):
    return acb.integral(lambda x, _: function(x), start, end).real


def known_names():
    pi = arb.pi()
    five = arb(5).sqrt()
    return {
        "the golden ratio": (1 + five) / 2,
        "the silver ratio": 1 + arb(2).sqrt(),
        "the bronze ratio": (3 + arb(13).sqrt()) / 2,
        "the plastic number": cubic(1, 1),
        "the tribonacci constant": cubic(1, 1, 1),
        "the supergolden ratio": cubic(1, 0, 1),
        "Lehmer's number": arb("1.17628081825991750654407033847403505 +/- 1e-34"),
        "the connective constant of the honeycomb lattice": (2 + arb(2).sqrt()).sqrt(),
        "Euler's number e": arb.const_e(),
        "Gelfond's constant": pi.exp(),
        "the Gelfond-Schneider constant": arb(2) ** arb(2).sqrt(),
        "the principal value of i^i": (acb(0, 1) ** acb(0, 1)).real,
        "the sine of one degree": arb.sin_pi_fmpq(fmpq(1, 180)),
        "the tangent of one radian": arb(1).tan(),
        "the golden angle in radians": 2 * pi * (1 - 2 / (1 + five)),
        "the magic angle in radians": (1 / arb(3).sqrt()).acos(),
        "Levy's constant": (pi**2 / (12 * arb.const_log2())).exp(),
        "Apery's constant zeta(3)": arb(3).zeta(),
        "the modified Bessel value I_0(2)": arb(2).bessel_i(0),
        "the Bessel value J_0(2)": arb(2).bessel_j(0),
        "the Bessel value J_0(5)": arb(5).bessel_j(0),
        "the integral of exp(-x^2) from 0 to 1": arb.const_sqrt_pi() / 2 * arb(1).erf(),
        "the integral of exp(-x^2) from 0 to 2": arb.const_sqrt_pi() / 2 * arb(2).erf(),
        "the integral of sin(x)/x from 0 to 1": arb(1).si(),
        "the integral of sin(x)/x from 0 to 10": arb(10).si(),
        "the integral of sin(x^2) from 0 to 1": integral(lambda t: (t * t).sin(), 0, 1),
        "the integral of cos(x^2) from 0 to 1": integral(lambda t: (t * t).cos(), 0, 1),
        "the integral of (exp(x) - 1)/x from 0 to 1": arb(1).ei() - arb.const_euler(),
        "the integral of ln(1 - x)/x from 0 to 1/2": -arb(fmpq(1, 2)).polylog(2),
        "the integral of ln(x)*exp(x) from 0 to 1": arb.const_euler() - arb(1).ei(),
        "the volume of the unit ball": 4 * pi / 3,
        "Catalan's constant": arb.const_catalan(),
        "the Dirichlet eta value eta(3)": acb(3).dirichlet_eta().real,
        "the Dirichlet beta value beta(3)": pi**3 / 32,
        "the Dirichlet beta value beta(4)": (arb(4).zeta(arb(1) / 4) - arb(4).zeta(arb(3) / 4)) / 256,
        "the integral of 1/(1 + x^3) from 0 to 1": integral(lambda t: 1 / (1 + t**3), 0, 1),
        "the integral of 1/(1 + x^4) from 0 to 1": integral(lambda t: 1 / (1 + t**4), 0, 1),
        "the trigamma value at 1/4 divided by 16": acb(arb(1) / 4).polygamma(1).real / 16,
        "Euler's constant gamma": arb.const_euler(),
        "the continued fraction constant": arb(2).bessel_i(1) / arb(2).bessel_i(0),
        "the hyperbolic tangent of 1": arb(1).tanh(),
        "the Dottie number": arb("0.739085133215160641655312087673873404 +/- 1e-35"),
        "the Omega constant": arb(1).lambertw(),
    }


def cubic(*weights):
    """The real root of x^3 = a x^2 + b x + c where the weights are (a, b, c), or (b, c), or (c)."""
    padded = [0] * (3 - len(weights)) + list(weights)
    (root,) = real_roots([-padded[2], -padded[1], -padded[0], 1])
    return root


def test_every_name_stands_for_the_quantity_that_bears_it():
    values = known_names()
    assert set(values) == set(NAMES)
    records = {record.statement.partition(", ")[0]: record for record in LEDGER.values()}
    for name, value in values.items():
        assert_inside(value, records[name])


def exact_value(proof):
    arguments = [int(text) for text in proof["arguments"]]
    if proof["function"] == "unit-fractions":
        return arb(sum((fmpq(1, m) for m in arguments), fmpq(0)))
    if proof["function"] == "binomial":
        return arb(fmpz.bin_uiui(*arguments))
    if proof["function"] == "power-mod":
        return arb(flint.nmod(arguments[0], arguments[2]).__pow__(arguments[1]).__int__())
    u, v, p, q, n = arguments
    state = fmpz_mat([[p, q], [1, 0]]) ** (n - 1) * fmpz_mat([[v], [u]])
    return arb(state[0, 0])


@pytest.mark.parametrize("kind", PARAMETRIC_KINDS)
def test_two_hundred_fresh_records_are_proved_and_agree_with_arb(kind):
    rng = random.Random(f"tests/{kind}")
    for _ in range(200):
        data = draw_record(kind, rng)
        check_record(data)
        record = record_from_json(data)
        value = EVALUATORS.get(record.proof["kind"], exact_value)(record.proof)
        assert_inside(value, record)
