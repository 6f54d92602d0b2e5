"""A record with one part altered is refused, by a message that names the part, even where the hash is made again."""

import copy

import pytest

from impossible_rubrics_env.certificates.ledger import check_record, load_ledger, record_digest, record_to_json
from impossible_rubrics_env.certificates.provers.enclosures import lowest_terms
from impossible_rubrics_env.certificates.registry import PROOF_KINDS
from impossible_rubrics_env.errors import CertificateError

BY_KIND = {kind: [r for r in load_ledger().values() if r.proof["kind"] == kind] for kind in PROOF_KINDS}
SAMPLE = [record for kind in PROOF_KINDS for record in BY_KIND[kind][:6]]

EFFORT = {
    "agm": {"steps": "1"},
    "alternating-series": {"terms": "2"},
    "binomial-integral": {"terms": "1"},
    "continued-fraction": {"terms": "2"},
    "digamma": {"exponent": "1", "order": "0"},
    "equation": {},
    "extremum": {"point": "0"},
    "power-sum": {"terms": "1", "order": "0"},
    "quadrature": {"panels": "1"},
    "series": {"terms": "1", "ratio": "1/1000000"},
}
"""Fields that say how hard the proof works, with a value at which it establishes too little."""
WEAK_BUT_SOUND = {*EFFORT["series"], *EFFORT["digamma"], "steps", "pieces", "panels", "shape", "point", "from", "to"}
"""Fields whose change may leave a true claim with a proof that still holds."""


def hashed(data):
    return {**data, "sha256": record_digest(data)}


def refusal(data):
    with pytest.raises(CertificateError) as caught:
        check_record(data)
    return str(caught.value)


def mutable(record):
    return copy.deepcopy(record_to_json(record))


def moved(record, steps):
    """Both ends moved by some widths of the interval, or by whole units where it has no width."""
    (a, b), (c, d) = record.certified_lower, record.certified_upper
    over, under = c * b - a * d, b * d
    if over == 0:
        over = under
    low, high = (a * d + steps * over, under), (c * b + steps * over, under)
    return {**mutable(record), "lo": lowest_terms(*low), "hi": lowest_terms(*high)}


@pytest.mark.parametrize("field", ["id", "topic", "statement", "kind", "lo", "hi", "proof"])
def test_an_altered_field_without_a_new_hash_is_a_hash_mismatch(field):
    data = mutable(load_ledger()["golden-ratio"])
    changed = {
        "id": "golden-ratio-2",
        "topic": "primes",
        "statement": "the number 2",
        "kind": "integer",
        "lo": "1",
        "hi": "2",
        "proof": {**data["proof"], "from": "1"},
    }
    assert refusal({**data, field: changed[field]}).startswith("hash")


def test_an_altered_hash_is_a_hash_mismatch():
    data = mutable(load_ledger()["pi"])
    assert refusal({**data, "sha256": "0" * 64}).startswith("hash")
    assert refusal({**data, "sha256": data["sha256"].upper()}).startswith("hash")


@pytest.mark.parametrize("record", load_ledger().values(), ids=lambda record: record.id)
def test_an_interval_moved_off_the_value_is_refused_by_its_endpoint(record):
    for steps in (2, 3, 1000, -2, -3, -1000):
        assert refusal(hashed(moved(record, steps)))[:11] in ("lo endpoint", "hi endpoint")


@pytest.mark.parametrize("record", load_ledger().values(), ids=lambda record: record.id)
def test_an_end_moved_past_the_value_is_refused_by_its_name(record):
    if record.lo == record.hi:
        up, down = moved(record, 1), moved(record, -1)
        assert refusal(hashed({**mutable(record), "hi": down["hi"]}))[:11] in ("lo endpoint", "hi endpoint")
        assert refusal(hashed({**up, "hi": up["hi"]})).startswith("lo endpoint")
    else:
        up, down = moved(record, 2), moved(record, -2)
        assert refusal(hashed({**mutable(record), "lo": up["lo"], "hi": up["hi"]}))[:11] in (
            "lo endpoint",
            "hi endpoint",
        )
        assert refusal(hashed({**mutable(record), "lo": down["lo"], "hi": down["hi"]}))[:11] in (
            "lo endpoint",
            "hi endpoint",
        )


@pytest.mark.parametrize("kind", PROOF_KINDS)
def test_a_proof_of_one_quantity_does_not_carry_the_interval_of_another(kind):
    for first in BY_KIND[kind][:8]:
        for second in BY_KIND[kind][:8]:
            (a, b), (c, d) = first.certified_upper, second.certified_lower
            if a * d < c * b or first.certified_lower[0] * second.certified_upper[1] > (
                second.certified_upper[0] * first.certified_lower[1]
            ):
                mixed = {**mutable(first), "lo": second.lo, "hi": second.hi, "kind": second.kind}
                assert refusal(hashed(mixed)).startswith(("lo endpoint", "hi endpoint", "proof"))


@pytest.mark.parametrize("record", SAMPLE, ids=lambda record: record.id)
def test_a_removed_or_added_proof_field_is_refused(record):
    for name in record.proof:
        data = mutable(record)
        del data["proof"][name]
        assert refusal(hashed(data)).startswith("proof")
    data = mutable(record)
    data["proof"]["note"] = "0"
    assert refusal(hashed(data)).startswith("proof")


def leaves(node, path=()):
    if isinstance(node, dict | list):
        items = node.items() if isinstance(node, dict) else enumerate(node)
        for key, member in items:
            yield from leaves(member, (*path, key))
    else:
        yield path, node


def replaced(data, path, value):
    data = copy.deepcopy(data)
    target = data
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = value
    return data


@pytest.mark.parametrize("record", SAMPLE, ids=lambda record: record.id)
def test_an_altered_proof_value_is_refused(record):
    """The statement is rebuilt from the proof, so what the proof is about cannot change unnoticed."""
    data = mutable(record)
    for path, old in list(leaves(data["proof"]))[:60]:
        wrong_types = [None, 1, True, [], {}, "", "x", old + " ", "\u0663", "NaN", "1e99999", "0x10"]
        for new in wrong_types:
            message = refusal(hashed(replaced(data, ("proof", *path), new)))
            assert message.startswith(("proof", "statement")), (path, new)
        if path[0] in WEAK_BUT_SOUND or (path[0] == "terms" and record.proof["kind"] not in ("machin", "equation")):
            continue
        for new in (old + "7", "-" + old, "10001"):
            message = refusal(hashed(replaced(data, ("proof", *path), new)))
            assert message.startswith(("proof", "statement", "lo endpoint", "hi endpoint")), (path, new)


def narrowest(kind):
    def width(record):
        (a, b), (c, d) = record.certified_lower, record.certified_upper
        return (c * b - a * d) * 10**40 // (b * d)

    return min(BY_KIND[kind], key=width)


@pytest.mark.parametrize(("kind", "field"), [(kind, field) for kind in EFFORT for field in EFFORT[kind]])
def test_a_proof_that_does_too_little_is_refused(kind, field):
    data = mutable(narrowest(kind))
    data["proof"][field] = EFFORT[kind][field]
    assert refusal(hashed(data)).startswith(("proof", "lo endpoint", "hi endpoint"))


@pytest.mark.parametrize("record", SAMPLE, ids=lambda record: record.id)
def test_other_words_are_refused(record):
    for statement in (record.statement + "0", "the " + record.statement, record.statement.replace(" ", "  ", 1), "pi"):
        assert refusal(hashed({**mutable(record), "statement": statement})).startswith("statement")


def test_a_name_may_stand_only_before_its_own_quantity():
    data = mutable(load_ledger()["sqrt-2"])
    stolen = hashed({**data, "statement": f"the golden ratio, {data['statement']}"})
    assert refusal(stolen).startswith("statement")
    invented = hashed({**data, "statement": f"my favourite number, {data['statement']}"})
    assert refusal(invented).startswith("statement")


@pytest.mark.parametrize(
    ("name", "change", "part"),
    [
        ("sqrt-2", {"base": "3", "statement": "the square root of 3"}, "hi endpoint"),
        (
            "golden-ratio",
            {"coefficients": ["-2", "-1", "1"], "statement": "the only positive root of x^2 - x - 2"},
            "hi",
        ),
        ("factorial-10", {"arguments": ["11"], "statement": "11 factorial"}, "lo endpoint"),
        (
            "casus-largest",
            {"from": "-3", "statement": "the largest real root of x^3 - 3*x + 1"},
            "proof: not exactly one",
        ),
        ("pi", {"terms": [["4", "5"], ["-1", "240"]]}, "proof: terms do not add up"),
        ("pi", {"terms": [["4", "5"]]}, "proof: terms do not add up"),
        ("quad-log", {"shape": "concave"}, "proof: the integrand"),
        ("quad-arctan", {"shape": "increasing"}, "proof: the integrand"),
        ("tan-fixed-point", {"from": "2", "statement": None}, "proof: the derivative"),
        ("cosines-1-2-5", {"point": "2"}, "proof: point"),
        ("walk-path-8", {"times": ["0"] * 8}, "proof: times"),
        ("walk-path-8", {"times": ["1"] * 8}, "proof: times"),
        ("path-5-largest", {"index": "2", "statement": None}, "lo endpoint"),
        ("squares-over-powers", {"ratio": "9/10"}, "proof: ratio"),
    ],
)
def test_a_false_step_is_named(name, change, part):
    """Also where the words are changed along with the proof."""
    data = mutable(load_ledger()[name])
    statement = change.pop("statement", data["statement"])
    if statement is None:
        statement = data["statement"].replace("between 4", "between 2").replace("the largest", "the second largest")
    data["proof"].update(change)
    data["statement"] = statement
    message = refusal(hashed(data))
    assert message.startswith(part), message
