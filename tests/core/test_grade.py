"""Grading against a brute-force judge, and everything that must not move a grade."""

import asyncio
import dataclasses
import decimal
import json
import locale
import multiprocessing
import pickle
import random
import signal
import sys
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import impossible_rubrics_env as ire
from impossible_rubrics_env.doubles import MAX_ORDINAL, from_ordinal, ordinal
from impossible_rubrics_env.errors import ArgumentError, CertificateError
from impossible_rubrics_env.grading import SCHEMES, Verdict
from impossible_rubrics_env.task import Task

FIXTURES = json.loads(Path(__file__).with_name("grading_cases.json").read_text(encoding="ascii"))["tasks"]
TASKS = {name: Task.from_json(data) for name, data in FIXTURES.items()}
NO_ATTACK = '<answer>{"attack": "NO_ATTACK"}</answer>'


@cache
def drawn(count=40):
    rarest = ire.generate("certified_interval", n=8, seed=3, shape="certificate")
    return [*ire.generate("certified_interval", n=count, seed=11), *rarest]


def attack(text):
    return f'<answer>{{"attack": {text}}}</answer>'


def judged(task, value):
    """The verdict of a double by its exact value and the interval ends alone."""
    proof = task.certificate["proof"]
    exact = Fraction(value)
    accept = proof["accept"]
    if Fraction(proof["lo"]) <= exact <= Fraction(proof["hi"]):
        return Verdict.WRONG
    low, high = Fraction(accept["lo"]), Fraction(accept["hi"])
    above = exact > low or (accept["lo_closed"] and exact == low)
    below = exact < high or (accept["hi_closed"] and exact == high)
    return Verdict.SOLVED if above and below else Verdict.UNSUPPORTED


def boundary_doubles(task):
    """Doubles within three steps of every end that matters, and a few everywhere."""
    proof = task.certificate["proof"]
    ends = [proof["lo"], proof["hi"], proof["accept"]["lo"], proof["accept"]["hi"]]
    places = {ordinal(float(Fraction(end))) + step for end in ends for step in range(-3, 4)}
    return [from_ordinal(place) for place in sorted(places)] + [0.0, -0.0, 1.0, -1e300, 5e-324]


@pytest.mark.parametrize("name", TASKS)
def test_every_double_near_an_end_is_judged_by_its_exact_value(name):
    for value in boundary_doubles(TASKS[name]):
        assert ire.grade(TASKS[name], attack(repr(value))).verdict == judged(TASKS[name], value), value


def test_drawn_tasks_judge_doubles_near_their_ends_exactly():
    verdicts = set()
    for task in drawn():
        for value in boundary_doubles(task):
            verdict = ire.grade(task, attack(repr(value))).verdict
            assert verdict == judged(task, value), (task.id, value)
            verdicts.add((verdict, task.label))
    assert len(verdicts) == 5, "an unbreakable task has no SOLVED number; every other verdict occurs"


@given(st.sampled_from(sorted(TASKS)), st.floats(allow_nan=False, allow_infinity=False))
def test_any_double_is_judged_by_its_exact_value(name, value):
    assert ire.grade(TASKS[name], attack(repr(value))).verdict == judged(TASKS[name], value)


@given(st.sampled_from(sorted(TASKS)), st.integers(-MAX_ORDINAL, MAX_ORDINAL))
def test_room_is_what_a_count_of_doubles_gives_on_random_stretches(name, place):
    """Along any stretch of doubles, SOLVED occurs exactly on the accepted and refuted ones."""
    for step in range(4):
        value = from_ordinal(min(place + step, MAX_ORDINAL))
        assert ire.grade(TASKS[name], attack(repr(value))).verdict == judged(TASKS[name], value)


def test_small_rooms_are_counted_by_trying_every_double():
    tried = 0
    for task in (TASKS["subnormal"], *(task for task in drawn(120) if 0 < task.room <= 15)):
        ends = [Fraction(task.certificate["proof"]["accept"][end]) for end in ("lo", "hi")]
        first, last = (ordinal(float(end)) for end in ends)
        if last - first < 5_000:
            solving = sum(
                ire.grade(task, attack(repr(from_ordinal(place)))).verdict is Verdict.SOLVED
                for place in range(first - 2, last + 3)
            )
            assert solving == task.room, task.id
            tried += 1
    assert tried > 3


def check_consistency(grade, scheme, params):
    penalty = Fraction(params.get("penalty", "1"))
    worst = -max(penalty, 1)
    pays = {
        "seed": {Verdict.SOLVED: 1, Verdict.WRONG: -penalty},
        "train": {Verdict.SOLVED: 1, Verdict.WRONG: -penalty, Verdict.REFUSED_PARSE: worst},
    }
    pays["unit"] = {
        verdict: (pays["train"].get(verdict, Fraction(0)) - worst) / (1 - worst)
        for verdict in (Verdict.SOLVED, Verdict.WRONG, Verdict.UNSUPPORTED, Verdict.ABSTAINED, Verdict.REFUSED_PARSE)
    }
    assert grade.reward == float(pays[scheme].get(grade.verdict, 0))
    split = (grade.false_answer, grade.over_refusal, grade.false_break, grade.missed_attack)
    flags = (grade.well_formed, grade.abstained, grade.refused, grade.false_claim, *split)
    assert all(type(flag) is bool for flag in flags)
    assert grade.false_claim == (grade.verdict is Verdict.WRONG)
    assert sum(split) == grade.false_claim
    assert grade.well_formed == (grade.verdict is not Verdict.REFUSED_PARSE)
    assert grade.abstained == (grade.verdict is Verdict.ABSTAINED)
    assert not (grade.refused and not grade.well_formed)
    assert not (grade.missed_attack and not grade.refused)
    assert not (grade.refused and grade.false_break)
    assert ("submitted" in grade.extra) == (grade.well_formed and not grade.refused and not grade.abstained)
    assert (grade.reason == "") == (grade.verdict in {Verdict.SOLVED, Verdict.ABSTAINED})


FRAGMENTS = (
    *(
        "<answer>",
        "</answer>",
        "<think>",
        "</think>",
        '{"attack": 64}',
        '{"attack": "NO_ATTACK"}',
        "prose",
        "{",
        '"',
        "1",
    ),
    *(NO_ATTACK, attack("64"), attack("64.05"), attack('"UNSURE"'), attack("2"), attack('"1/3"'), attack("-0")),
)
replies = st.one_of(
    st.lists(st.sampled_from(FRAGMENTS), max_size=5).map("".join),
    st.text(max_size=20),
    st.binary(max_size=20),
    st.none(),
    st.lists(
        st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant"]), "content": st.sampled_from(FRAGMENTS)})
    ),
    st.integers(),
)


@settings(max_examples=400)
@given(st.sampled_from(sorted(TASKS)), replies, st.sampled_from(SCHEMES))
def test_every_grade_is_consistent_under_every_scheme(name, reply, scheme):
    check_consistency(ire.grade(TASKS[name], reply, scheme), scheme, TASKS[name].params)
    own = ire.grade(TASKS[name], reply)
    assert own == ire.grade(TASKS[name], reply, TASKS[name].params["scheme"])


@pytest.mark.parametrize("penalty", ["0", "1/3", "1", "2", "1000000000"])
def test_the_order_of_payments_is_the_same_under_every_penalty(penalty):
    data = {**FIXTURES["breakable64"], "params": {"penalty": penalty, "abstain": True}}
    task = Task.from_json(data)
    for scheme in SCHEMES:
        pay = {
            verdict: ire.grade(task, reply, scheme).reward
            for verdict, reply in {
                "solved": attack("64.05"),
                "wrong": attack("64"),
                "miss": attack("2"),
                "unsure": attack('"UNSURE"'),
                "unread": "",
            }.items()
        }
        assert pay["solved"] == 1 > pay["miss"] == pay["unsure"] >= pay["wrong"]
        assert pay["unread"] <= pay["miss"]
        if scheme != "seed":
            assert pay["unread"] <= pay["wrong"], "an unreadable reply is no way out of a false claim"
        if scheme == "unit":
            assert min(pay.values()) >= 0


@pytest.mark.parametrize("scheme", ["", "SEED", "Train", "none", b"seed", 1, True, ["seed"], {"seed": 1}, object()])
def test_an_unknown_scheme_is_an_argument_error(scheme):
    with pytest.raises(ArgumentError, match="scheme"):
        ire.grade(TASKS["breakable64"], NO_ATTACK, scheme)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(
            ("penalty", value)
            for value in ("-1", "", "x", "1e400", "1e10", "9" * 400 + ".5", "nan", None, 1, 0.5, True, [], {})
        ),
        *(("scheme", value) for value in ("", "SEED", None, 1, [], {})),
        *(("abstain", value) for value in ("false", "true", 1, 0, [])),
    ],
)
def test_odd_parameters_are_a_task_error_before_any_reply_is_scored(name, value):
    task = Task.from_json({**FIXTURES["breakable64"], "params": {name: value}})
    with pytest.raises(CertificateError, match=f"params: {name}"):
        ire.grade(task, attack("64.05"))


def test_the_prompt_echoed_earns_nothing():
    draws = [
        {"seed": 1},
        {"seed": 2, "abstain": True, "penalty": "3/2"},
        {"seed": 3, "split": "eval_wording"},
        {"seed": 4, "mix": "balanced"},
    ]
    count = 0
    for draw in draws:
        for task in ire.generate("certified_interval", n=50, **draw):
            for echo in (
                task.prompt,
                task.prompt + "\n" + task.prompt,
                [{"role": "assistant", "content": task.prompt}],
            ):
                grade = ire.grade(task, echo, "seed")
                assert (grade.verdict, grade.reward) == (Verdict.REFUSED_PARSE, 0), task.id
            count += 1
    assert count == 200


def test_the_labelled_answers_get_what_their_task_says():
    for task in (*drawn(), ire.make_task("certified_interval", penalty="5/2")):
        for answer in task.answers:
            grade = ire.grade(task, answer["reply"], "seed")
            expected = answer["expected"]
            assert (grade.reward, grade.verdict) == (float(Fraction(expected["reward"])), expected["verdict"]), task.id


@given(st.sampled_from(sorted(TASKS)), st.sampled_from(FRAGMENTS), st.text(max_size=40))
def test_prose_after_the_block_never_changes_a_grade(name, reply, tail):
    if "<" not in tail and reply.endswith("</answer>"):
        assert ire.grade(TASKS[name], reply + " " + tail) == ire.grade(TASKS[name], reply)


@pytest.mark.parametrize("name", TASKS)
def test_every_spelling_of_zero_is_one_submission(name):
    spellings = ("0", "-0", "0.0", "-0.0", '"-0e5"', "-1e-400", '"0/1"', '"-0/3"', '"1/1%s"' % ("0" * 400))
    grades = [ire.grade(TASKS[name], attack(text)) for text in spellings]
    assert all(grade == grades[0] for grade in grades)


def test_a_batch_keeps_its_order_whatever_stands_between():
    """S103: right, empty, prose, right, cut off."""
    task = TASKS["gap64"]
    batch = [NO_ATTACK, "", "I don't know.", NO_ATTACK, NO_ATTACK[:-3]]
    assert [ire.grade(task, reply).reward for reply in batch] == [1, 0, 0, 1, 0]


def _pairs():
    """A thousand fixed pairs of task name and reply."""
    rng = random.Random("pairs")
    return [
        (rng.choice(sorted(TASKS)), "".join(rng.choice(FRAGMENTS) for _ in range(rng.randrange(4))))
        for _ in range(1_000)
    ]


def _grade_chunk(pairs):
    tasks = {name: Task.from_json(data) for name, data in FIXTURES.items()}
    return [_plain(ire.grade(tasks[name], reply)) for name, reply in pairs]


def _plain(grade):
    return tuple(str(getattr(grade, item.name)) for item in dataclasses.fields(grade))


@pytest.fixture(scope="module")
def expected_grades():
    return _grade_chunk(_pairs())


def test_threads_grade_the_same(expected_grades):
    handler = signal.getsignal(signal.SIGALRM)
    pairs = _pairs()
    chunks = [pairs[place : place + 125] for place in range(0, 1_000, 125)]
    with ThreadPoolExecutor(8) as pool:
        assert [grade for chunk in pool.map(_grade_chunk, chunks) for grade in chunk] == expected_grades
    assert signal.getsignal(signal.SIGALRM) is handler


def test_tasks_shared_by_threads_grade_the_same(expected_grades):
    """All threads start on tasks whose proof none has checked yet."""
    pairs = _pairs()
    tasks = {name: Task.from_json(data) for name, data in FIXTURES.items()}
    start = threading.Barrier(8)

    def work(_):
        start.wait()
        return [_plain(ire.grade(tasks[name], reply)) for name, reply in pairs[:200]]

    with ThreadPoolExecutor(8) as pool:
        assert all(result == expected_grades[:200] for result in pool.map(work, range(8)))


def test_asyncio_grades_the_same(expected_grades):
    async def run():
        pairs = _pairs()
        chunks = [pairs[place : place + 125] for place in range(0, 1_000, 125)]
        results = await asyncio.gather(*(asyncio.to_thread(_grade_chunk, chunk) for chunk in chunks))
        return [grade for chunk in results for grade in chunk]

    assert asyncio.run(run()) == expected_grades


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # of a process with threads, from 3.12 on
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_grade_the_same(method, expected_grades, tmp_path):
    """The worker is a script of its own, so that a spawned process can import it."""
    worker = tmp_path / f"grading_worker_{method}.py"
    worker.write_text(
        "import dataclasses, json\n"
        "import impossible_rubrics_env as ire\n"
        "from impossible_rubrics_env.task import Task\n"
        "def grade_chunk(work):\n"
        "    fixtures, pairs = json.loads(work)\n"
        "    tasks = {name: Task.from_json(data) for name, data in fixtures.items()}\n"
        "    grades = [ire.grade(tasks[name], reply) for name, reply in pairs]\n"
        "    return [tuple(str(getattr(g, f.name)) for f in dataclasses.fields(g)) for g in grades]\n",
        encoding="ascii",
    )
    sys.path.insert(0, str(tmp_path))
    try:
        grade_chunk = __import__(worker.stem).grade_chunk
        pairs = _pairs()
        work = [json.dumps([FIXTURES, pairs[place : place + 250]]) for place in range(0, 1_000, 250)]
        with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
            assert [grade for chunk in pool.map(grade_chunk, work) for grade in chunk] == expected_grades
    finally:
        sys.path.remove(str(tmp_path))


def test_global_numeric_state_neither_matters_nor_changes(expected_grades):
    """S116: precision, traps, locale and digit limit are other people's."""
    import mpmath

    context = decimal.getcontext()
    kept = context.copy()
    limit = sys.get_int_max_str_digits()
    precision = mpmath.mp.dps
    spoken = locale.setlocale(locale.LC_ALL)
    try:
        context.prec = 2
        context.traps[decimal.Inexact] = True
        sys.set_int_max_str_digits(640)
        mpmath.mp.dps = 3
        for name in ("de_DE.UTF-8", "C.UTF-8"):
            try:
                locale.setlocale(locale.LC_ALL, name)
                break
            except locale.Error:
                continue
        assert _grade_chunk(_pairs()) == expected_grades
        long_ratio = attack('"{}/{}"'.format("641" + "0" * 900, "1" + "0" * 901))
        assert ire.grade(TASKS["breakable64"], long_ratio).extra == {"submitted": "64.1"}
        for task in drawn()[:10]:
            ire.check(task)
        assert (context.prec, sys.get_int_max_str_digits(), mpmath.mp.dps) == (2, 640, 3)
    finally:
        decimal.setcontext(kept)
        sys.set_int_max_str_digits(limit)
        mpmath.mp.dps = precision
        locale.setlocale(locale.LC_ALL, spoken)


def test_grades_and_graded_tasks_travel_between_processes():
    task = Task.from_json(FIXTURES["breakable64"])
    grade = ire.grade(task, NO_ATTACK)
    assert pickle.loads(pickle.dumps(grade)) == grade
    assert ire.grade(pickle.loads(pickle.dumps(task)), NO_ATTACK) == grade


def test_a_changed_copy_of_a_graded_task_is_proved_again():
    task = Task.from_json(FIXTURES["breakable64"])
    ire.grade(task, NO_ATTACK)
    with pytest.raises(CertificateError, match="room"):
        ire.grade(dataclasses.replace(task, room=0), NO_ATTACK)
