"""Drawn tasks: every label proved, every answer graded as it says, twins one edit apart, splits apart."""

import re
from collections import Counter
from dataclasses import replace
from itertools import islice

import pytest

import impossible_rubrics_env as ire
from impossible_rubrics_env.certificates.ledger import load_ledger, record_digest
from impossible_rubrics_env.doubles import nearest
from impossible_rubrics_env.exact import ratio_of, rational
from impossible_rubrics_env.taskgen.arguments import TARGET_RUNGS
from impossible_rubrics_env.taskgen.certified_interval_wording import HELD_OUT, TRAINING

DRAWS = (
    {},
    {"mix": "balanced"},
    {"mix": "balanced", "order": "shuffled"},
    {"split": "eval"},
    {"split": "eval_wording"},
    {"split": "eval_domain"},
    {"split": "eval_harder"},
    {"source": "parametric"},
    {"tau": "0.51"},
    {"room": 7},
    {"shape": "rounding"},
    {"shape": "certificate"},
    {"abstain": True, "penalty": "3/2", "scheme": "train"},
)


def draw(n, **arguments):
    return list(ire.generate("certified_interval", n=n, **arguments))


@pytest.mark.parametrize("arguments", DRAWS, ids=str)
def test_every_drawn_task_is_proved_again_and_its_answers_are_graded_as_stated(arguments):
    for task in draw(120, **arguments):
        report = ire.check(task)
        assert (report.room, report.label, report.rung) == (task.room, task.label, task.rung)
        for answer in task.answers:
            grade = ire.grade(task, answer["reply"], scheme="seed")
            assert str(grade.verdict) == answer["expected"]["verdict"]
            assert rational(str(answer["expected"]["reward"])) == rational(*float(grade.reward).as_integer_ratio())
        assert ire.grade(task, task.prompt, scheme="seed").reward == 0
        assert ire.Task.from_json(task.to_json()) == task
        assert ire.rebuild(task.id) == task


def test_a_breakable_task_always_carries_a_witness_and_an_unbreakable_one_never():
    for task in draw(300):
        assert (task.certificate["proof"]["witness"] is not None) == (task.label == ire.Label.BREAKABLE)


def test_the_certificate_contains_the_nearest_doubles_to_key_and_midpoint():
    for task in draw(300):
        proof, key = task.certificate["proof"], task.question["grader"].get("key")
        first, last = map(int, proof["certified"])
        middle = (rational(proof["lo"]) + rational(proof["hi"])) / 2
        for value in (middle, rational(key)) if key else (middle,):
            assert first <= nearest(*ratio_of(value)) <= last


def test_the_realized_mix_is_within_two_points_of_the_target():
    tasks = [task for task in draw(4000) if task.question["grader"]["shape"] != "certificate"]
    counts = Counter(task.rung for task in tasks)
    for rung, percent in TARGET_RUNGS.items():
        assert abs(100 * counts[rung] / len(tasks) - percent) <= 2


def test_the_certificate_shape_is_the_rarest():
    counts = Counter(task.question["grader"]["shape"] for task in draw(2000))
    assert min(counts, key=counts.get) == "certificate"
    assert set(counts) == {"absolute", "relative", "rounding", "certificate"}


def test_at_least_a_fifth_of_the_impossible_tasks_have_a_real_band_without_a_double():
    impossible = [task for task in draw(2000) if task.room == 0]
    gaps = 0
    for task in impossible:
        proof = task.certificate["proof"]
        accept = proof["accept"]
        below = rational(accept["lo"]) < rational(proof["lo"])
        gaps += below or rational(accept["hi"]) > rational(proof["hi"])
    assert gaps >= len(impossible) / 5


def test_keys_sit_at_five_positions_and_every_grader_shape_meets_every_rung():
    positions, met = Counter(), Counter()
    for task in draw(3000):
        proof, grader = task.certificate["proof"], task.question["grader"]
        width = rational(proof["hi"]) - rational(proof["lo"])
        met[grader["shape"], task.rung] += 1
        if "key" in grader and width:
            positions[(rational(grader["key"]) - rational(proof["lo"])) / width * 4] += 1
    assert set(positions) == {rational(place) for place in range(5)}
    assert len(met) == 13


def test_balanced_draws_are_half_and_half_within_each_tolerance_shape():
    tasks = draw(1200, mix="balanced")
    counts = Counter((task.question["grader"]["shape"], task.label) for task in tasks)
    for shape in ("absolute", "relative", "rounding"):
        assert counts[shape, ire.Label.BREAKABLE] == counts[shape, ire.Label.UNBREAKABLE] > 100
    assert sum(counts.values()) == len(tasks)


def test_twins_differ_in_the_tolerance_alone():
    for task in draw(200, mix="balanced"):
        twin = ire.twin(task)
        assert ire.twin(twin) == task
        assert twin.pair_id == task.pair_id != task.id
        assert {task.label, twin.label} == {ire.Label.BREAKABLE, ire.Label.UNBREAKABLE}
        ours, theirs = re.findall(r"\S+", task.prompt), re.findall(r"\S+", twin.prompt)
        edits = sum(left != right for left, right in zip(ours, theirs, strict=True))
        assert 1 <= edits <= (2 if task.question["grader"]["shape"] == "rounding" else 1)


def test_paired_twins_are_side_by_side_and_shuffled_ones_are_all_there():
    paired = draw(512, mix="balanced")
    assert all(left.pair_id == right.pair_id for left, right in zip(paired[::2], paired[1::2], strict=True))
    shuffled = draw(512, mix="balanced", order="shuffled")
    assert sorted(task.prompt for task in shuffled) == sorted(task.prompt for task in paired)
    assert [task.prompt for task in shuffled] != [task.prompt for task in paired]


def test_the_first_of_a_pair_does_not_tell_the_label():
    firsts = Counter(task.label for task in draw(1000, mix="balanced")[::2])
    assert 200 < firsts[ire.Label.BREAKABLE] < 300


def test_a_task_without_a_twin_says_so():
    with pytest.raises(ValueError, match="mix='balanced'"):
        ire.twin(ire.make_task("certified_interval"))


def test_training_and_evaluation_never_share_a_quantity_with_its_key_and_shape():
    def drawn(split):
        return {
            (task.question["target"], task.question["grader"].get("key"), task.question["grader"]["shape"])
            for seed in (0, 1)
            for task in draw(600, split=split, seed=seed)
        }

    trained = drawn("train")
    for split in ("eval", "eval_wording", "eval_domain", "eval_harder"):
        assert not trained & drawn(split)


def test_seeds_of_one_split_share_next_to_nothing():
    prompts = Counter()
    for seed in range(4):
        prompts.update({task.prompt for task in draw(300, seed=seed)})
    assert sum(count - 1 for count in prompts.values()) <= 12


def test_stakes_and_order_of_listing_do_not_change_what_is_drawn():
    plain = draw(60)
    staked = draw(60, penalty="5/2", scheme="train", abstain=True)
    for left, right in zip(plain, staked, strict=True):
        assert left.certificate == right.certificate
        assert left.id != right.id
        assert "costs 2.5 points" in right.prompt
        assert "UNSURE" in right.prompt
        assert "UNSURE" not in left.prompt


def test_the_held_out_domain_shares_no_topic_with_training():
    topics = {record.id: record.topic for record in load_ledger().values()}
    held = {topics[task.provenance["record"]] for task in draw(400, split="eval_domain", source="ledger")}
    seen = {topics[task.provenance["record"]] for task in draw(800, source="ledger")}
    assert not held & seen
    assert len(held) >= len(held | seen) / 4


def test_the_held_out_wording_is_at_least_a_third_and_shares_no_frame():
    for held, seen in zip(_frames(HELD_OUT), _frames(TRAINING), strict=True):
        assert not set(held) & set(seen)
        assert 3 * len(held) >= len(held) + len(seen)


def _frames(bank):
    return [bank.certificate, *(bank.grader[shape] for shape in sorted(bank.grader)), bank.request]


def test_wording_does_not_depend_on_the_label():
    """Frames are drawn before the rung: their shares among impossible and possible tasks differ by chance alone."""
    for part in (0, 2):
        counts = Counter()
        for task in draw(2000, mix="balanced"):
            opening = re.sub(r"[-0-9./e]+", "#", task.prompt.split("\n\n")[part])[:12] if part else ""
            counts[opening or task.prompt.split("\n\n")[2][:12], task.label] += 1
        for opening in {name for name, _ in counts}:
            assert counts[opening, ire.Label.BREAKABLE] == counts[opening, ire.Label.UNBREAKABLE]


def test_tau_gives_the_closed_form_band():
    for tau in ("0.5", "0.6", "1", "10001"):
        task = ire.make_task("certified_interval", record="sqrt-2", tau=tau)
        proof = task.certificate["proof"]
        width = rational(proof["hi"]) - rational(proof["lo"])
        accepted = rational(proof["accept"]["hi"]) - rational(proof["accept"]["lo"])
        assert accepted - width == (2 * rational(tau) - 1) * width


def test_no_certificate_with_a_width_reaches_over_zero():
    """There the doubles crowd: such tasks would print tolerances of hundreds of digits."""
    for task in draw(3000, source="parametric"):
        lo, hi = (rational(task.certificate["proof"][end]) for end in ("lo", "hi"))
        assert lo == hi or lo > 0 or hi < 0
        assert len(task.prompt) < 3000


def test_a_wanted_room_is_landed_exactly():
    for room in (0, 1, 2, 15, 16, 999_999, 1_000_000, 10**9):
        assert ire.make_task("certified_interval", room=room).room == room


def test_a_seed_beyond_the_doubles_survives_json():
    task = ire.make_task("certified_interval", seed=2**63 - 1)
    assert ire.Task.from_json(task.to_json()) == task == ire.rebuild(task.id)


def test_check_refuses_a_wrong_labelled_answer_and_a_foreign_provenance():
    task = ire.make_task("certified_interval")
    first, *rest = task.answers
    wrong = {**first, "expected": {"reward": "0", "verdict": "UNSUPPORTED"}}
    for broken in (
        replace(task, answers=(wrong, *rest)),
        replace(task, answers=()),
        replace(task, answers=({**first, "expected": {**first["expected"], "reward": "17"}}, *rest)),
        replace(task, prompt="hello"),
        replace(task, prompt=task.prompt.replace(task.question["target"], "the number pi")),
        replace(task, prompt=ire.make_task("certified_interval", index=1).prompt),
        replace(task, family="nonsense"),
        replace(task, provenance={**task.provenance, "sha256": "0" * 64}),
    ):
        with pytest.raises(ire.CertificateError):
            ire.check(broken)


def test_an_endless_draw_is_lazy():
    first = list(islice(ire.generate("certified_interval"), 5))
    assert [task.id for task in first] == [task.id for task in draw(5)]


def test_every_number_in_the_prompt_is_exact():
    for task in draw(200):
        proof, grader = task.certificate["proof"], task.question["grader"]
        printed = {
            ratio_of(rational(text))
            for text in re.findall(r"-?[0-9]+(?:\.[0-9]+)?(?:e-?[0-9]+)?(?:/[0-9]+)?", task.prompt)
        }
        for text in (proof["lo"], proof["hi"], *(grader[name] for name in ("key", "tolerance") if name in grader)):
            assert ratio_of(rational(text)) in printed


def test_a_prompt_with_another_number_is_refused():
    task = next(task for task in ire.generate("certified_interval") if "tolerance" in task.question["grader"])
    for printed in re.findall(r"[0-9]+\.?[0-9]*(?:e-?[0-9]+)?", task.prompt.split("\n\n")[1]):
        other = printed.replace(printed[0], "7" if printed[0] != "7" else "8", 1)
        with pytest.raises(ire.CertificateError, match="prompt"):
            ire.check(replace(task, prompt=task.prompt.replace(printed, other)))


def test_every_record_of_the_ledger_can_be_drawn_from():
    for name in load_ledger():
        for task in draw(6, record=name):
            assert task.provenance["record"] == name


def test_a_task_may_not_bring_its_own_record_under_the_name_of_one_in_the_ledger():
    task = ire.make_task("certified_interval", source="parametric")
    proof = task.certificate["proof"]
    record = {**proof["record_data"], "id": "golden-ratio"}
    record["sha256"] = record_digest(record)
    forged = {**proof, "record": "golden-ratio", "sha256": record["sha256"], "record_data": record}
    with pytest.raises(ire.CertificateError, match="in the ledger"):
        ire.check(replace(task, certificate={**task.certificate, "proof": forged}))


def test_impossible_arguments_are_refused_rather_than_searched_for_ever():
    with pytest.raises(ire.ArgumentError, match="no quantity meets"):
        ire.make_task("certified_interval", record="factorial-10", tau="1")
    with pytest.raises(ire.ArgumentError, match="neither in the ledger"):
        ire.make_task("certified_interval", record="no-such-record")
