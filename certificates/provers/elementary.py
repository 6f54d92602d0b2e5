"""Values of elementary functions and classical constants made from them."""

from collections.abc import Iterator
from typing import Any

from mpmath import atan, cos, exp, log, mp, mpf, sin, sqrt

from impossible_rubrics_env.certificates.provers.drafts import Cut, Draft

_FUNCTIONS = {"exp": exp, "ln": log, "sqrt": sqrt, "arctan": atan, "sin": sin, "cos": cos}
PI = ["pi"]


def _value(node: Any) -> Any:
    if isinstance(node, str):
        over, _, under = node.partition("/")
        return mpf(over) / mpf(under or 1)
    name, *args = node
    if name == "pi":
        return +mp.pi
    if name in _FUNCTIONS:
        return _FUNCTIONS[name](_value(args[0]))
    left, right = map(_value, args)
    return {"add": left + right, "sub": left - right, "mul": left * right, "div": left / right if right else None}[name]


def _draft(slug: str, topic: str, text: str, node: Any, name: str = "", cut: Cut | None = None) -> Draft:
    angles = " with angles in radians" if "sin(" in text or "cos(" in text else ""
    statement = (f"{name}, " if name else "") + f"the number {text}{angles}"
    return Draft(slug, topic, statement, {"kind": "elementary", "expression": node}, lambda: _value(node), cut)


def _logs() -> Iterator[Draft]:
    for text in ("2", "3", "10", "1/3", "2/3", "99/100", "1000000", "1/1000000000"):
        slug = "ln-" + text.replace("/", "-over-")
        yield _draft(slug, "functions", f"ln({text})", ["ln", text])
    yield _draft("ln-pi", "functions", "ln(pi)", ["ln", PI])
    yield _draft("ln-ln-2", "functions", "ln(ln(2))", ["ln", ["ln", "2"]])
    yield _draft("e", "constants", "exp(1)", ["exp", "1"], "Euler's number e")
    yield _draft("exp-minus-1", "functions", "exp(-1)", ["exp", "-1"])
    yield _draft("exp-half", "functions", "exp(1/2)", ["exp", "1/2"])
    yield _draft("exp-27", "functions", "exp(27)", ["exp", "27"])
    yield _draft("exp-minus-27", "functions", "exp(-27)", ["exp", "-27"], cut=Cut(10**20, 3, 7))
    yield _draft("exp-minus-20", "functions", "exp(-20)", ["exp", "-20"], cut=Cut(10**15))
    yield _draft("exp-pi", "functions", "exp(pi)", ["exp", PI], "Gelfond's constant")
    half_turn = ["exp", ["div", PI, "2"]]
    yield _draft("i-to-the-i", "functions", "1/exp(pi/2)", ["div", "1", half_turn], "the principal value of i^i")
    root2_ln2 = ["mul", ["sqrt", "2"], ["ln", "2"]]
    yield _draft(
        "gelfond-schneider", "functions", "exp(sqrt(2)*ln(2))", ["exp", root2_ln2], "the Gelfond-Schneider constant"
    )
    almost = ["mul", PI, ["sqrt", "19"]]
    yield _draft("exp-pi-sqrt-19", "functions", "exp(pi*sqrt(19))", ["exp", almost])
    yield _draft("pi-to-e", "functions", "exp(exp(1)*ln(pi))", ["exp", ["mul", ["exp", "1"], ["ln", PI]]])
    gap = ["sub", ["exp", PI], ["exp", ["mul", ["exp", "1"], ["ln", PI]]]]
    yield _draft("exp-pi-minus-pi-to-e", "functions", "exp(pi) - exp(exp(1)*ln(pi))", gap)


def _angles() -> Iterator[Draft]:
    for text in ("1", "2", "10", "-1/2"):
        for name in ("sin", "cos"):
            slug = f"{name}-{text}".replace("/", "-over-").replace("--", "-minus-")
            yield _draft(slug, "functions", f"{name}({text})", [name, text])
    for text in ("1/2", "-2", "1/239"):
        slug = f"arctan-{text}".replace("/", "-over-").replace("--", "-minus-")
        yield _draft(slug, "functions", f"arctan({text})", ["arctan", text])
    degree = ["div", PI, "180"]
    yield _draft("sin-1-degree", "functions", "sin(pi/180)", ["sin", degree], "the sine of one degree")
    yield _draft(
        "tan-1", "functions", "sin(1)/cos(1)", ["div", ["sin", "1"], ["cos", "1"]], "the tangent of one radian"
    )
    golden = ["mul", PI, ["sub", "3", ["sqrt", "5"]]]
    yield _draft("golden-angle", "functions", "pi*(3 - sqrt(5))", golden, "the golden angle in radians")
    yield _draft("magic-angle", "functions", "arctan(sqrt(2))", ["arctan", ["sqrt", "2"]], "the magic angle in radians")
    yield _draft("arctan-22-over-7", "functions", "arctan(22/7)", ["arctan", "22/7"])


def _constants() -> Iterator[Draft]:
    pi_squared = ["mul", PI, PI]
    yield _draft("basel", "constants", "pi*pi/6", ["div", pi_squared, "6"])
    yield _draft("one-over-pi", "constants", "1/pi", ["div", "1", PI])
    yield _draft("sqrt-pi", "constants", "sqrt(pi)", ["sqrt", PI])
    yield _draft("sqrt-2-pi-inverse", "constants", "1/sqrt(2*pi)", ["div", "1", ["sqrt", ["mul", "2", PI]]])
    yield _draft("pi-minus-355-over-113", "constants", "pi - 355/113", ["sub", PI, "355/113"], cut=Cut(10**14))
    yield _draft("pi-minus-22-over-7", "constants", "pi - 22/7", ["sub", PI, "22/7"], cut=Cut(10**10))
    levy = ["exp", ["div", pi_squared, ["mul", "12", ["ln", "2"]]]]
    yield _draft("levy", "constants", "exp(pi*pi/(12*ln(2)))", levy, "Levy's constant")
    yield _draft("e-plus-pi", "constants", "exp(1) + pi", ["add", ["exp", "1"], PI])
    yield _draft("e-times-pi", "constants", "exp(1)*pi", ["mul", ["exp", "1"], PI])
    nested = ["sqrt", ["add", "2", ["sqrt", ["add", "2", ["sqrt", "2"]]]]]
    yield _draft("nested-root", "constants", "sqrt(2 + sqrt(2 + sqrt(2)))", nested)
    gap = ["sub", ["add", ["sqrt", "10"], ["sqrt", "17"]], ["sqrt", "53"]]
    yield _draft("root-gap", "constants", "sqrt(10) + sqrt(17) - sqrt(53)", gap)
    close = ["sub", ["sub", ["sqrt", "1000001"], ["sqrt", "1000000"]], "1/2000"]
    yield _draft("cancelling-roots", "constants", "sqrt(1000001) - sqrt(1000000) - 1/2000", close, cut=Cut(10**20))


def drafts() -> Iterator[Draft]:
    """Logarithms and exponentials, angles, classical constants."""
    yield from _logs()
    yield from _angles()
    yield from _constants()
