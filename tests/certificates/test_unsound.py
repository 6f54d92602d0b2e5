"""Proofs of false or garbled statements are refused, and the true neighbours of each still hold."""

import json
import subprocess
import sys

import pytest

from impossible_rubrics_env.certificates.checkers import arithmetic, quadrature, random_walk, series
from impossible_rubrics_env.certificates.ledger import check_record, load_ledger, record_digest, record_to_json
from impossible_rubrics_env.errors import CertificateError


def integral(body, over, ends, shape, interval, root="2", panels="400", under=("1",)):
    proof = {
        "kind": "quadrature",
        "numerator": [str(value) for value in over],
        "denominator": [str(value) for value in under],
        "root": root,
        "from": ends[0],
        "to": ends[1],
        "panels": panels,
        "shape": shape,
    }
    statement = f"the integral of {body} from {ends[0]} to {ends[1]}"
    return {"statement": statement, "lo": interval[0], "hi": interval[1], "proof": proof}


UNIT = ("-1", "1")
KINKS = {
    "double zero between the ends": ("sqrt(-x^4 + x^2)", [0, 0, 1, 0, -1], UNIT, ("-1/1000000", "1/1000000"), "1"),
    "absolute value": ("sqrt(x^2)", [0, 0, 1], UNIT, ("-1/100", "3"), "1"),
    "zero off the middle": ("sqrt(9*x^2 - 6*x + 1)", [1, -6, 9], ("0", "1"), ("0", "3"), "1"),
    "irrational zeros": ("sqrt(x^4 - 4*x^2 + 4)", [4, 0, -4, 0, 1], ("0", "2"), ("0", "8"), "1"),
    "zero at a point of halving": ("sqrt(16*x^2 - 8*x + 1)", [1, -8, 16], ("0", "1"), ("0", "8"), "1"),
    "zero inside and at an end": ("sqrt(-x^3 + x^2)", [0, 0, 1, -1], UNIT, ("-1", "4"), "2"),
}


@pytest.mark.parametrize("name", KINKS)
def test_a_root_with_a_zero_inside_is_not_concave(name):
    body, over, ends, interval, panels = KINKS[name]
    with pytest.raises(CertificateError, match=r"^proof: the radicand is not shown to be > 0 inside"):
        quadrature.check(integral(body, over, ends, "concave", interval, panels=panels))


TRUE_INTEGRALS = [
    integral("sqrt(-x^2 + 1)", [1, 0, -1], UNIT, "concave", ("157/100", "1571/1000")),
    integral("sqrt(-x^2 + x)", [0, 1, -1], ("0", "1"), "concave", ("39/100", "393/1000")),
    integral("sqrt(x)", [0, 1], ("0", "1"), "concave", ("666/1000", "667/1000")),
    integral("sqrt(-x^4 + x^2)", [0, 0, 1, 0, -1], ("0", "1"), "concave", ("333/1000", "334/1000")),
    integral("sqrt(x^2)", [0, 0, 1], UNIT, "convex", ("999/1000", "1001/1000")),
    integral("sqrt(4*x^2 - 4*x + 1)", [1, -4, 4], ("0", "1"), "convex", ("499/1000", "501/1000")),
    integral("sqrt(x^3)", [0, 0, 0, 1], ("0", "1"), "increasing", ("398/1000", "402/1000")),
    integral("sqrt(-x^3)", [0, 0, 0, -1], ("-1", "0"), "decreasing", ("398/1000", "402/1000")),
]


@pytest.mark.parametrize("record", TRUE_INTEGRALS, ids=lambda r: f"{r['statement'][16:]} {r['proof']['shape']}")
def test_zeros_that_do_no_harm_are_let_pass(record):
    quadrature.check(record)
    for lo, hi in (("-9", record["lo"]), (record["hi"], "9")):
        with pytest.raises(CertificateError, match=r"endpoint"):
            quadrature.check({**record, "lo": lo, "hi": hi})


@pytest.mark.parametrize("root", ["1", "2"])
@pytest.mark.parametrize("over", [[0], [0, 0, 0]])
@pytest.mark.parametrize("shape", ["convex", "concave", "increasing", "decreasing"])
def test_the_zero_integrand_is_refused(root, over, shape):
    for body in ("", "sqrt()", "0"):
        with pytest.raises(CertificateError, match=r"^proof: the numerator is zero"):
            quadrature.check(integral(body, over, ("0", "1"), shape, ("0", "0"), root))


def test_a_denominator_with_a_zero_at_an_end_or_inside_is_refused():
    for under, text in (
        ([0, 1], "x"),
        ([0, 0, 1], "x^2"),
        ([1, -2, 1], "x^2 - 2*x + 1"),
        ([1, -4, 4], "4*x^2 - 4*x + 1"),
    ):
        with pytest.raises(CertificateError, match=r"^proof: the denominator is not shown to be positive"):
            quadrature.check(integral(f"1/({text})", [1], ("0", "1"), "convex", ("0", "9"), "1", under=under))


def half_powers(words):
    """The sum over k >= 1 of (1/2)^k over 2k is ln(2)/2 = 0.3465..."""
    proof = {
        "kind": "series",
        "scale": "1",
        "start": "1",
        "base": "1/2",
        "linear": [["2", "0", "-1"]],
        "factorials": [],
        "terms": "60",
        "ratio": "1/2",
    }
    return {"statement": f"the sum over k >= 1 of {words}", "lo": "346/1000", "hi": "347/1000", "proof": proof}


def test_a_denominator_of_two_factors_is_bracketed():
    series.check(half_powers("(1/2)^k/(2k)"))
    with pytest.raises(CertificateError, match=r"^statement"):
        series.check(half_powers("(1/2)^k/2k"))


@pytest.mark.parametrize(
    ("linear", "factorials", "text"),
    [
        ([(1, 0, -1)], [], "1/k"),
        ([(2, 0, -1)], [], "1/(2k)"),
        ([(2, 0, -2)], [], "1/(2k)^2"),
        ([(1, 3, -1)], [], "1/(k + 3)"),
        ([(3, 0, 1), (2, 0, -1)], [], "3k/(2k)"),
        ([(1, 0, -1), (2, 0, -1)], [], "1/(k*(2k))"),
        ([(2, 0, -1)], [(1, 0, -1)], "1/((2k)*k!)"),
        ([], [(2, 0, -1)], "1/(2k)!"),
        ([], [(1, 0, -2)], "1/(k!)^2"),
    ],
)
def test_what_is_below_the_line_is_a_letter_or_in_brackets(linear, factorials, text):
    assert series._term_text("1", linear, factorials) == text


SHORT = """
import json, sys
sys.set_int_max_str_digits(640)
from impossible_rubrics_env.certificates.checkers import arithmetic
for record in json.load(sys.stdin):
    arithmetic.check(record)
from impossible_rubrics_env.certificates.ledger import check_record, load_ledger
print(sum(check_record(record) is None for record in load_ledger().values()))
"""


def test_checkers_work_under_the_shortest_digit_limit():
    """Also those of the whole ledger."""
    records = [
        {
            "statement": arithmetic.TABLE[name][0].format(n),
            "lo": str(value),
            "hi": str(value),
            "proof": {"kind": "arithmetic", "function": name, "arguments": [str(n)]},
        }
        for name, n, value in (("digit-sum-power", 10000, 13561), ("factorial-digits", 1000, 2568))
    ]
    done = subprocess.run(
        [sys.executable, "-c", SHORT], check=False, input=json.dumps(records), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == len(load_ledger())


@pytest.mark.parametrize(
    "n", [1, 9, 10, 10**599, 10**600 - 1, 10**600, 10**600 + 1, 7 * 10**1200, 10**1200 - 1, 3**4000, 2**10000]
)
def test_long_numbers_are_written_in_pieces(n):
    assert arithmetic._decimal(n) == str(n)


def walk(graph, n, words, times):
    proof = {"kind": "random-walk", "graph": graph, "size": [str(n)], "times": times}
    statement = f"the expected number of steps of the simple random walk on {words}"
    return {"statement": statement, "lo": times[0], "hi": times[0], "proof": proof}


def test_walks_whose_sentence_does_not_fit_are_refused():
    for n, times in ((2, ["1", "0"]), (3, ["4", "3", "0"])):
        with pytest.raises(CertificateError, match=r"^proof: size is too small"):
            random_walk.check(walk("path", n, f"the path 0, 1, ..., {n - 1} from 0 to {n - 1}", times))
    words = "the cycle of 3 vertices from a vertex to the one 1 steps away"
    with pytest.raises(CertificateError, match=r"^proof: size is too small"):
        random_walk.check(walk("cycle", 3, words, ["2", "0", "2"]))
    random_walk.check(walk("path", 4, "the path 0, 1, ..., 3 from 0 to 3", ["9", "8", "5", "0"]))
    words = "the cycle of 4 vertices from a vertex to the one 2 steps away"
    random_walk.check(walk("cycle", 4, words, ["4", "3", "0", "3"]))


@pytest.mark.parametrize(("name", "field"), [("sqrt-2", "base"), ("pi", "times")])
def test_a_number_too_long_to_print_under_a_digit_limit_is_refused(name, field):
    record = {**record_to_json(load_ledger()[name])}
    record["proof"] = {**record["proof"], field: "1" + "0" * 700}
    record["sha256"] = record_digest(record)
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        with pytest.raises(CertificateError):
            check_record(record)
    finally:
        sys.set_int_max_str_digits(before)
