"""What the reader of rubrics takes, what it refuses and where, and that the shipped schema says the same."""

import copy
import json
import pickle
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from rubric_cases import ids_of, worst_case
from rubric_drawing import conditions, rubrics

from impossible_rubrics_env.errors import ImpossibleRubricsError
from impossible_rubrics_env.reply import MAX_RUBRIC_DEPTH
from impossible_rubrics_env.rubrics.language import (
    MAX_JSON_DEPTH,
    AllOf,
    AnyOf,
    AtLeast,
    Criterion,
    Not,
    Rubric,
    RubricError,
    States,
    read_rubric,
    rubric_schema,
)
from impossible_rubrics_env.rubrics.scoring import score

IDS = ids_of(14)
SCHEMA = Draft202012Validator(rubric_schema())


def one(**changes):
    return {"criteria": [{"text": "Names the notice.", "points": "12.5", "if": "S3"} | changes]}


def place_of(value):
    with pytest.raises(RubricError) as caught:
        read_rubric(value, IDS)
    assert str(caught.value) == f"{caught.value.place}: {caught.value.message}"
    assert len(caught.value.message) < 120
    return caught.value.place


def nested(levels, inner="S1"):
    for _ in range(levels):
        inner = {"all": [inner]}
    return inner


def test_every_form_of_a_condition_is_read():
    value = {
        "criteria": [
            {"text": "a", "points": 40, "if": "S1"},
            {"text": "b", "points": "-25/2", "if": {"all": ["S1", {"any": ["S2", "S3"]}]}},
            {"text": "c", "points": "1e-6", "if": {"at_least": "2", "of": ["S1", "S2", {"not": "S4"}]}},
            {"text": "d", "points": "-0.25", "if": {"at_least": 1, "of": ["S14"]}},
        ]
    }
    s1, s2, s3, s4, s14 = map(States, ("S1", "S2", "S3", "S4", "S14"))
    assert read_rubric(value, IDS) == Rubric(
        IDS,
        (
            Criterion("a", 40_000_000, s1),
            Criterion("b", -12_500_000, AllOf((s1, AnyOf((s2, s3))))),
            Criterion("c", 1, AtLeast(2, (s1, s2, Not(s4)))),
            Criterion("d", -250_000, AtLeast(1, (s14,))),
        ),
    )


@pytest.mark.parametrize(
    ("value", "place"),
    [
        (None, "rubric"),
        ([], "rubric"),
        ("S1", "rubric"),
        ({}, "rubric"),
        ({"criteria": [], "title": "x"}, "rubric"),
        ({"criterion": []}, "rubric"),
        ({"criteria": []}, "criteria"),
        ({"criteria": {}}, "criteria"),
        ({"criteria": one()["criteria"] * 41}, "criteria"),
        ({"criteria": [one()["criteria"][0], None]}, "criteria[1]"),
        (one(note="x"), "criteria[0]"),
        ({"criteria": [{"text": "x", "points": 1}]}, "criteria[0]"),
        ({"criteria": [{"text": "x", "points": 1, "when": "S1"}]}, "criteria[0]"),
        (one(text=""), "criteria[0].text"),
        (one(text="x" * 501), "criteria[0].text"),
        (one(text=7), "criteria[0].text"),
        (one(text="a\nb"), "criteria[0].text"),
        (one(text="a\x00"), "criteria[0].text"),
        (one(text="a\x9f"), "criteria[0].text"),
        (one(text="a\u2028b"), "criteria[0].text"),
        (one(text="a\u202eb"), "criteria[0].text"),
        (one(text="a\ud800"), "criteria[0].text"),
        *[
            (one(points=points), "criteria[0].points")
            for points in (
                *(True, False, None, [], {}, 1.5, float("nan"), float("inf"), 1001, -1001, 10**400),
                *("NaN", "Infinity", "-Infinity", "", "+1", "1_0", " 1", "\u0661", "1/0", "1/-2", "0x1", "1e99999"),
                *("1000.000001", "-1001", "1e4", "0.0000001", "1/3", "1e-7", "0." + "0" * 59, "0" * 5 + "1", "true"),
            )
        ],
        *[
            (one(**{"if": condition}), f"criteria[0].if{place}")
            for condition, place in (
                (None, ""),
                (3, ""),
                ("", ""),
                ("S15", ""),
                ("s1", ""),
                ("S01", ""),
                ("S1 ", ""),
                ("\uff331", ""),
                ([], ""),
                (["S1"], ""),
                ({}, ""),
                ({"all": ["S1"], "any": ["S2"]}, ""),
                ({"none": ["S1"]}, ""),
                ({"at_least": 1}, ""),
                ({"of": ["S1"]}, ""),
                ({"at_least": 1, "of": ["S1"], "not": "S2"}, ""),
                ({"all": []}, ".all"),
                ({"any": "S1"}, ".any"),
                ({"all": {"0": "S1"}}, ".all"),
                ({"any": ["S1"] * 41}, ".any"),
                ({"all": ["S1", "S2", "S1"]}, ".all[2]"),
                ({"all": ["S1", "S99"]}, ".all[1]"),
                ({"any": [{"not": "S1"}, {"not": "S1"}]}, ".any[1]"),
                ({"not": {"all": ["S1", ["S2"]]}}, ".not.all[1]"),
                ({"not": ["S1"]}, ".not"),
                ({"at_least": 2, "of": [{"any": ["S1", None]}, "S2"]}, ".of[0].any[1]"),
                *[
                    ({"at_least": count, "of": ["S1", "S2"]}, ".at_least")
                    for count in (
                        0,
                        3,
                        -1,
                        True,
                        1.0,
                        "0",
                        "3",
                        "02",
                        "1.0",
                        "+1",
                        "\u00b2",
                        "\u0662",
                        None,
                        "",
                        10**99,
                    )
                ],
                (nested(5), ".all[0]" * 4),
                ({"not": {"not": {"not": {"not": {"not": "S1"}}}}}, ".not" * 4),
            )
        ],
    ],
    ids=str,
)
def test_a_malformed_rubric_is_refused_with_its_place(value, place):
    assert place_of(value) == place


def test_the_bounds_themselves_are_inside():
    widest = [f"S{k}" for k in range(1, 15)]
    for value in (
        one(text="x" * 500),
        one(text="\u540d\u524d \u0627\u0644 e\u0301 \u00a0 \U0001f469\u200d\U0001f680"),
        one(points="-1000"),
        one(points=1000),
        one(points="1000.000000"),
        one(points="0." + "0" * 58),
        one(points="-0"),
        one(points="2/4"),
        one(**{"if": nested(4)}),
        one(**{"if": {"at_least": 14, "of": widest}}),
        {"criteria": one()["criteria"] * 40},
        worst_case(14)[1],
    ):
        assert read_rubric(value, IDS).ids == IDS


def test_one_node_more_than_the_bound_is_refused_where_it_stands():
    value = worst_case(14)[1]
    *others, last = value["criteria"]
    more = last | {"if": {"not": last["if"]}}
    assert place_of({"criteria": [*others, more]}).startswith("criteria[39].if.not.of[")
    assert place_of({"criteria": [more, *others]}).startswith("criteria[39].if.of[")


def test_the_depth_of_a_rubric_is_bounded():
    def depth(value):
        if isinstance(value, dict):
            return 1 + max(map(depth, value.values()))
        return 1 + max(map(depth, value)) if isinstance(value, list) else 0

    value = one(**{"if": nested(4)})
    read_rubric(value, IDS)
    assert depth(value) == MAX_JSON_DEPTH == MAX_RUBRIC_DEPTH - 1  # one more for the object around a rubric in a reply


def endless():
    loop = {}
    loop["all"] = [loop]
    return one(**{"if": loop})


@pytest.mark.parametrize(
    "value",
    [
        endless(),
        one(**{"if": nested(100_000)}),
        one(**{"if": {"all": [str(k) for k in range(10**6)]}}),
        one(**{"if": {str(k): 0 for k in range(10**5)}}),
        one(**{"if": "S" * 10**7}),
        one(text="x" * 10**7),
        one(points="9" * 10**6),
        one(points="1e-2000"),
        one(points=10**10_000),
        {str(k): 0 for k in range(10**5)},
        {"criteria": [None] * 10**6},
        {"criteria": [{"text": "x", "points": 1, "if": {"all": [{"any": [nested(2, s) for s in IDS]}]}}] * 40},
        {"criteria": [{"text": "x", "points": 1, "if": {"at_least": 10**5000, "of": ["S1"]}}]},
    ],
    ids=range(13),
)
def test_hostile_values_are_refused_at_once(value):
    start = time.process_time()
    place_of(value)
    assert time.process_time() - start < 0.1


def test_the_error_is_a_value_error_of_the_package_and_can_be_pickled():
    error = RubricError("criteria[2].if.all[1]", "occurs twice in its list")
    assert isinstance(error, ImpossibleRubricsError)
    assert isinstance(error, ValueError)
    again = pickle.loads(pickle.dumps(error))
    assert (again.place, again.message, str(again)) == (error.place, error.message, str(error))


def as_text(value):
    """JSON in which numbers are text, as replies are read."""
    return json.loads(json.dumps(value), parse_int=str, parse_float=str)


@settings(max_examples=60)
@given(rubrics(IDS))
def test_numbers_may_be_text(value):
    assert read_rubric(as_text(value), IDS) == read_rubric(value, IDS)


JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2000, 2000),
    st.sampled_from(
        ["", "S1", "S2", "S17", "x\n", "S1\n", "1/2", "1e3", "-7.25", "+1", "1.", ".5", "1/0", "k", "0", "40"]
    ),
    st.just([]),
    st.just(["S1"]),
    st.just(["S1", "S1"]),
    st.just({}),
    conditions(IDS, 4),
    st.just(nested(5)),
)


def paths(value, above=()):
    yield above
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from paths(inner, (*above, key))


@st.composite
def altered(draw):
    """A rubric with one part replaced by junk, left out, doubled or renamed."""
    value = draw(rubrics(IDS, most=3))
    path = draw(st.sampled_from(sorted(paths(value), key=str)))
    if not path:
        return draw(JUNK)
    value = copy.deepcopy(value)
    inner = value
    for key in path[:-1]:
        inner = inner[key]
    change = draw(st.sampled_from(("replace", "replace", "drop", "double")))
    if change == "replace":
        inner[path[-1]] = draw(JUNK)
    elif change == "drop":
        del inner[path[-1]]
    elif isinstance(inner, list):
        inner.append(copy.deepcopy(inner[path[-1]]))
    else:
        inner[draw(st.sampled_from(("all", "any", "not", "of", "at_least", "note")))] = inner[path[-1]]
    return value


def part_at(value, place):
    """The part of a rubric that a place names; raises where there is none."""
    for name, number in re.findall(r"([a-z_]+)|\[([0-9]+)\]", place if place != "rubric" else ""):
        value = value[name or int(number)]
    return value


def expressible(value, error):
    """Whether a schema that knows neither the list nor sums can say what is wrong at the place of an error."""
    part = part_at(value, error.place)
    if "is no statement" in error.message:
        return re.fullmatch("S[1-9][0-9]?", part) is None
    if error.place.endswith("at_least"):
        return isinstance(part, bool) or str(part) not in map(str, range(1, 41))
    if "must be from -" in error.message:
        return isinstance(part, int)
    return "must be a multiple" not in error.message and "more than 400" not in error.message


@settings(max_examples=400)
@given(altered())
def test_the_schema_and_the_reader_agree(value):
    error = None
    try:
        read_rubric(value, IDS)
    except RubricError as caught:
        error = caught
    if error is None or expressible(value, error):
        assert SCHEMA.is_valid(value) == (error is None), (error, list(SCHEMA.iter_errors(value)))


@settings(max_examples=60)
@given(rubrics(IDS))
def test_the_schema_takes_what_is_well_formed(value):
    assert SCHEMA.is_valid(value)
    assert SCHEMA.is_valid(as_text(value))


def test_the_schema_is_one_and_takes_the_bounds():
    Draft202012Validator.check_schema(rubric_schema())
    assert rubric_schema()["$defs"]["statement"]["pattern"] == "^S[1-9][0-9]?$"
    assert SCHEMA.is_valid(worst_case(14)[1])
    assert SCHEMA.is_valid(one(points=12.5, **{"if": nested(4)}))
    for bad in (
        one(points=1000.5),
        one(points="1/0"),
        one(text="a\x9f"),
        one(text="x" * 501),
        one(**{"if": nested(5)}),
        one(**{"if": {"all": ["S1", "S1"]}}),
        one(**{"if": {"at_least": 0, "of": ["S1"]}}),
        one(**{"if": {"at_least": 41, "of": ["S1"]}}),
        {"criteria": one()["criteria"] * 41},
    ):
        assert not SCHEMA.is_valid(bad), bad


def test_a_set_is_scored_without_a_walk():
    rubric = read_rubric({"criteria": [*one()["criteria"], *one(points=99, **{"if": {"not": "S1"}})["criteria"]]}, IDS)
    assert score(rubric, ["S3"]) == 100_000_000
    assert score(rubric, {"S3", "S1"}) == 12_500_000
    assert score(rubric, ["S1"]) == 0
