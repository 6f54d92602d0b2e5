"""Every sentence that can be rendered is read back to what it states, in exactly one way; so is every question."""

import random

import pytest

from impossible_rubrics_env.exact import ratio_text, rational
from impossible_rubrics_env.reference_policies import packet_model as model
from impossible_rubrics_env.reference_policies.packet_frames import read_sentence, readings_of
from impossible_rubrics_env.reference_policies.packet_questions import read_question
from impossible_rubrics_env.taskgen import packet_wording as wording
from impossible_rubrics_env.taskgen import statements as made
from impossible_rubrics_env.taskgen.draft import DraftQuestion
from impossible_rubrics_env.taskgen.scenes import DOMAINS, scene_of

OPS = ("=", "<=", ">=", "<", ">")
BANKS = (False, True)


def scenes():
    rng = random.Random("frames")
    return [scene_of(rng, domain) for domain in DOMAINS for _ in range(2)]


SCENES = scenes()


def name_of(name):
    return name.text.lower()


def quantity_of(quantity):
    return model.Quantity(*map(name_of, quantity))


def quantities_in(words):
    found = []
    for value in words.values():
        found += [one for one in (value if isinstance(value, tuple) else (value,)) if isinstance(one, made.Quantity)]
        if isinstance(value, made.Quantity):
            found.append(value)
    return found


def linear_of(statement):
    by_variable = {one.variable: quantity_of(one) for one in quantities_in(statement.words)}
    return tuple(
        model.Linear(
            {by_variable[name]: rational(size) for name, size in fact["terms"].items()},
            fact["op"],
            rational(fact["rhs"]),
            fact["role"] == "requirement",
        )
        for fact in statement.facts
    )


def any_figure(rng):
    places = rng.randrange(3)
    return made.Figure(rational(rng.randrange(1, 9000), 10**places), places)


def linear_statements(rng, scene):
    """One statement of each kind that has figures, with what it should be read as."""
    a, b, c = rng.sample(scene.subjects, 3)
    period, measure = rng.choice(scene.periods), rng.choice(scene.measures)
    first, second, third = (made.Quantity(one, period, measure) for one in (a, b, c))
    elsewhere = made.Quantity(b, rng.choice(scene.periods), rng.choice(scene.measures))
    group = made.Quantity(rng.choice(scene.groups), period, measure)
    whole = made.Quantity(scene.whole, period, measure)
    op, required = rng.choice(OPS), rng.random() < 1 / 2
    low, high = any_figure(rng), any_figure(rng)
    yield made.value(first, op, low, requirement=required)
    yield made.value(group, op, low)
    yield made.rounded(first, low)
    yield made.between(first, low, high)
    yield made.together([first, second], op, low, requirement=required)
    yield made.together([first, second, third], op, low, requirement=required)
    yield made.difference(first, rng.choice([second, elsewhere]), op, low, requirement=required)
    yield made.multiple(
        first, rng.choice(OPS[:3]), rng.randrange(2, 6), rng.choice([second, elsewhere]), requirement=required
    )
    yield made.makes_up(whole, [first, second, third])
    yield made.makes_up(first, [second, elsewhere] if elsewhere.variable != second.variable else [second, third])


def other_statements(rng, scene):
    """Statements about names, and what each should be read as."""
    a, b = rng.sample(scene.subjects, 2)
    place, item, register = rng.choice(scene.places), rng.choice(scene.items), rng.choice(scene.registers)
    grade, group, figure = rng.choice(scene.grades), rng.choice(scene.groups), any_figure(rng)
    code, roll, amount = item.key, name_of(register), figure.value
    for given in (grade, None):
        word = None if given is None else name_of(given)
        yield made.entry(item, register, place, given, figure), model.Entry(code, roll, name_of(place), word, amount)
    yield (
        made.unplaced_entry(item, register, grade, figure),
        model.Entry(code, roll, None, name_of(grade), amount),
    )
    yield made.graded(item, grade), model.Graded(code, name_of(grade))
    for holder in (place, a):
        yield made.booked(item, holder), model.Booked(code, name_of(holder))
    yield made.within("subject", a, group), model.Part(name_of(a), name_of(group))
    yield made.within("line", place, a), model.Part(name_of(place), name_of(a))
    yield made.scale("grade", scene.grades), model.Scale("grade", tuple(map(name_of, scene.grades)))
    yield made.scale("line", scene.subjects), model.Scale("line", tuple(map(name_of, scene.subjects)))
    for subjects in ((a,), (a, b), scene.subjects[:3]):
        yield made.complete(register, subjects), model.Complete(roll, tuple(map(name_of, subjects)))
    number, op = rng.randrange(1, 15), rng.choice(OPS[:3])
    yield made.count(register, op, number), model.Count(roll, op, number)
    for kind in ("retracts", "corrects", "reinstates"):
        for scope in (None, ("D11.2",), ("D11.2", "D11.4"), ("D11.1", "D11.2", "D11.13")):
            yield made.notice(kind, "D11", scope), model.Notice(kind, "D11", scope or ())


@pytest.mark.parametrize("held_out", BANKS)
def test_every_statement_is_read_back_in_one_way(held_out):
    for seed in range(120):
        rng = random.Random(f"statements {seed}")
        scene = rng.choice(SCENES)
        cases = [(one, linear_of(one)) for one in linear_statements(rng, scene)]
        cases += [(one, (expected,)) for one, expected in other_statements(rng, scene)]
        for statement, expected in cases:
            for _ in range(4):
                text = wording.render(statement, scene, rng.getrandbits(32), held_out)
                assert read_sentence(text) == expected, text


@pytest.mark.parametrize("held_out", BANKS)
def test_fillers_state_nothing_but_which_register_is_added_up(held_out):
    for seed in range(300):
        rng = random.Random(f"fillers {seed}")
        scene = rng.choice(SCENES)
        measure, period, register = scene.measures[0], scene.periods[0], scene.registers[0]
        tally = (model.Tally(name_of(register), name_of(period), name_of(measure)),)
        for topic in wording.FILLER_TOPICS:
            words = {"measure": measure, "period": period, "register": register} if topic == "tally" else {}
            text = wording.render(made.filler(topic, **words), scene, rng.getrandbits(32), held_out)
            assert read_sentence(text) == (tally if topic == "tally" else ()), text


def questions(rng, scene):
    """A question of every kind, with what it should be read as."""
    a, b, c = scene.subjects[:3]
    asked, other = (made.Quantity(one, scene.periods[0], scene.measures[0]) for one in (a, b))
    step = rng.choice([made.Figure(rational(1), 0), made.Figure(rational("0.5"), 1), made.Figure(rational("0.01"), 2)])
    words = {"quantity": asked, "resolution": step}
    yield "number", words, model.Question("number", quantity_of(asked), figure=step.value)
    for above in (True, False):
        words = {"quantity": asked, "other": other, "above": above}
        op = ">" if above else "<"
        yield "yes_no", words, model.Question("yes_no", quantity_of(asked), quantity_of(other), op)
    grade = rng.choice(scene.grades)
    expected = model.Question("list", quantity_of(asked)._replace(measure=""), grade=name_of(grade))
    yield "list", {"quantity": asked, "grade": grade}, expected
    op, figure = rng.choice(OPS[:3]), any_figure(rng)
    expected = model.Question("document", quantity_of(asked), op=op, figure=figure.value)
    yield "document", {"quantity": asked, "op": op, "figure": figure}, expected
    planned = tuple(made.Quantity(one, scene.periods[0], scene.measures[0]) for one in (a, b, c))
    expected = model.Question("plan", plan={one.variable: quantity_of(one) for one in planned})
    yield "plan", {"quantities": planned}, expected


@pytest.mark.parametrize("held_out", BANKS)
def test_every_question_is_read_back(held_out):
    for seed in range(150):
        rng = random.Random(f"questions {seed}")
        scene = rng.choice(SCENES)
        period, measure = rng.choice(scene.periods[1:]), rng.choice(scene.measures)
        premise = tuple(made.Quantity(one, period, measure) for one in rng.sample(scene.subjects, 2))
        for kind, words, expected in questions(rng, scene):
            for granted in (premise, None):
                asked = DraftQuestion(kind, None, words, premise=granted)
                text = wording.question(asked, scene, rng.getrandbits(32), held_out)
                read = read_question(text)
                assert read.premise == (None if granted is None else tuple(map(quantity_of, granted))), text
                for part in ("kind", "quantity", "other", "figure", "grade", "plan"):
                    assert getattr(read, part) == getattr(expected, part), (part, text)
                if kind in {"yes_no", "document"}:
                    assert read.op == expected.op, text


def test_a_sentence_of_no_frame_is_refused_with_its_text():
    with pytest.raises(ValueError, match=r"no frame has this sentence: 'The moon is full\.'"):
        read_sentence("The moon is full.")
    with pytest.raises(ValueError, match="no frame has this question"):
        read_question("Why is the moon full?")


def test_readings_differ_by_frame():
    assert list(readings_of("the moon is full")) == []
    assert ratio_text(read_sentence("The load of the Aber line for the spring is exactly 84.20 kg.")[0].rhs) == "421/5"
