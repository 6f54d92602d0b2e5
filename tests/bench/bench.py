"""Speed of grading, making and loading tasks, beside two well-known packages on the same machine in the same run.

Prints a table (or JSON with --json). Nothing is asserted: wall times are the machine's, ratios are ours. Each figure is
the best of several rounds on one core.
"""

import json
import random
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from typing import NamedTuple

import impossible_rubrics_env as ire
from impossible_rubrics_env.taskgen.registry import GROUPS

ROUNDS = 5
REPLY_CHARS = 2_000


class Figure(NamedTuple):
    what: str
    value: float
    unit: str
    target: str
    """What the project asks for, or the ratio to the anchor named in it."""


def best_rate(work: Callable[[], int]) -> float:
    """Most items a second over the rounds; `work` returns how many items it did."""
    rates = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        count = work()
        rates.append(count / (time.perf_counter() - start))
    return max(rates)


def best_seconds(work: Callable[[], object]) -> float:
    return 1 / best_rate(lambda: (work(), 1)[1])


def graded_pairs(families: str, n: int, **arguments: str) -> list[tuple[ire.Task, str]]:
    """Distinct tasks with replies of every verdict, each of 2,000 characters, no reply twice."""
    pairs = []
    for task in ire.generate(families, n=n, seed=1, **arguments):
        for answer in task.answers:
            prose = f"Task {task.id}. " + "What is proved here is what the documents say. " * 60
            pairs.append((task, prose[: REPLY_CHARS - len(answer["reply"])] + answer["reply"]))
    return pairs


def grade_all(pairs: list[tuple[ire.Task, str]]) -> Callable[[], int]:
    """Grade every pair; the first round also proves the tasks, and is no round's best."""

    def work() -> int:
        for task, reply in pairs:
            ire.grade(task, reply)
        return len(pairs)

    return work


def grading() -> list[Figure]:
    pairs = graded_pairs("attack", 1000)
    specs = [(task.to_json(), reply) for task, reply in pairs]
    junk = {"digits": "9" * 10**7, "openings": "<answer>" * 1_250_000, "braces": "<answer>" + "{" * 10**7}
    task = pairs[0][0]

    def cold() -> int:
        for spec, reply in specs:
            ire.grade(ire.Task.from_json(spec), reply)
        return len(specs)

    slowest = max(best_seconds(lambda text=text: ire.grade(task, text)) for text in junk.values())
    return [
        Figure("grade a 2,000-character reply", best_rate(grade_all(pairs)), "/s", ">= 100,000"),
        Figure("the same, task read from JSON and proof re-checked each time", best_rate(cold), "/s", ""),
        Figure("grade a 10 MB reply, slowest of three kinds", 1000 * slowest, "ms", "< 50"),
    ]


def making() -> list[Figure]:
    list(ire.generate("attack", n=50))

    def make(n: int, **arguments: str) -> Callable[[], int]:
        seeds = iter(range(100, 100 + ROUNDS))
        return lambda: len(list(ire.generate("attack", n=n, seed=next(seeds), **arguments)))

    return [
        Figure("make a task with its proof, ledger", best_rate(make(2000, source="ledger")), "/s", ">= 3,000"),
        Figure("make a task with its proof, parametric", best_rate(make(600, source="parametric")), "/s", ">= 300"),
        Figure("make a task with its proof, default draw", best_rate(make(2000)), "/s", ""),
        Figure("make a twin pair's task", best_rate(make(2000, mix="balanced")), "/s", ""),
    ]


def checking() -> list[Figure]:
    from impossible_rubrics_env.certificates.ledger import check_record, load_ledger

    tasks = list(ire.generate("attack", n=500, source="ledger", seed=2))
    for task in tasks:
        ire.check(task)

    def check_all() -> int:
        for task in tasks:
            ire.check(task)
        return len(tasks)

    start = time.perf_counter()
    for record in load_ledger().values():
        check_record(record)
    ledger = time.perf_counter() - start
    return [
        Figure("check a task, its record already proved", best_rate(check_all), "/s", ""),
        Figure(f"re-prove the ledger ({len(load_ledger())} records)", ledger, "s", "< 60"),
    ]


def packets() -> list[Figure]:
    """The same of packets: a row a family to make and to check them, and a row a kind of reply to grade."""
    families = GROUPS["answer"]
    if not families:
        return []
    figures = []
    for name in families:
        list(ire.generate(name, n=50))
        seeds = iter(range(100, 100 + ROUNDS))
        work = lambda name=name, seeds=seeds: len(list(ire.generate(name, n=300, seed=next(seeds))))  # noqa: E731
        figures.append(Figure(f"make a task with its proof, {name}, twins included", best_rate(work), "/s", ">= 300"))
    figures += [
        Figure(f"check a task, prompt included, {name}", best_rate(checked(name)), "/s", ">= 500") for name in families
    ]
    texts = [task.to_json() for task in ire.generate("answer", n=300, seed=2)]
    replies = graded_pairs("answer", 600)
    for what, pairs in by_reply(replies).items():
        figures.append(
            Figure(f"grade a 2,000-character reply, {what}", best_rate(grade_all(pairs)), "/s", ">= 100,000")
        )
    plans = graded_pairs("answer", 100, kind="plan")
    cold = [(task.to_json(), reply) for task, reply in replies[:600]]

    def grade_cold() -> int:
        for spec, reply in cold:
            ire.grade(ire.Task.from_json(spec), reply)
        return len(cold)

    return [
        *figures,
        Figure("grade a 2,000-character reply to a packet", best_rate(grade_all(replies)), "/s", ">= 100,000"),
        Figure("grade a 2,000-character plan", best_rate(grade_all(plans)), "/s", ">= 50,000"),
        Figure("grade a reply to a packet, read from JSON and proved each time", best_rate(grade_cold), "/s", ""),
        Figure("size of a packet task as JSON, mean", sum(map(len, texts)) / len(texts) / 1000, "kB", ""),
    ]


def checked(family: str) -> Callable[[], int]:
    """Check tasks that have just been read, so that nothing about them is known."""
    texts = [task.to_json() for task in ire.generate(family, n=200, seed=2, mix="balanced")]
    rounds = iter([[ire.Task.from_json(text) for text in texts] for _ in range(ROUNDS)])
    return lambda: len([ire.check(task) for task in next(rounds)])


def by_reply(pairs: list[tuple[ire.Task, str]]) -> dict[str, list[tuple[ire.Task, str]]]:
    """The pairs by what is claimed: an answer to which kind of question, a refusal for which reason."""
    found: dict[str, list[tuple[ire.Task, str]]] = {}
    for task, reply in pairs:
        claim = json.loads(reply.partition("<answer>")[2].removesuffix("</answer>"))
        kind = (
            f"{task.question['kind']} answered" if claim["verdict"] == "ANSWER" else claim.get("obstruction", "unsure")
        )
        if claim.get("obstruction") == "insufficient_evidence":
            kind += ", two numbers" if len(claim["witness"]) == 2 else ", one entry"
        found.setdefault(kind, []).append((task, reply))
    return {kind: (chosen * (1000 // len(chosen) + 1))[:1000] for kind, chosen in sorted(found.items())}


def rubrics() -> list[Figure]:
    from rubric_cases import case, worst_case

    from impossible_rubrics_env.certificates.checkers import subset_walk
    from impossible_rubrics_env.rubrics.exploit import exploit
    from impossible_rubrics_env.rubrics.language import read_rubric

    cases = [case(seed, 14, 12) for seed in range(200)]
    proofs = [(marked, value, exploit(read_rubric(value, marked.ids), marked).claim()) for marked, value in cases]
    widest, largest = worst_case(16)

    def walk_all() -> int:
        return len([exploit(read_rubric(value, marked.ids), marked) for marked, value in cases])

    def prove_all() -> int:
        return len(
            [subset_walk.decide(value, marked.marks, sorted(marked.idle), claim) for marked, value, claim in proofs]
        )

    worst = best_seconds(lambda: exploit(read_rubric(largest, widest.ids), widest))
    families = [
        Figure(
            f"make a task with its proof, {name}, twins included",
            best_rate(lambda name=name: len(list(ire.generate(name, n=40, mix="balanced")))),
            "/s",
            "",
        )
        for name in GROUPS["rubric"]
    ]
    replies = [
        Figure(f"grade a 2,000-character reply, {name}", best_rate(grade_all(graded_pairs(name, 20))), "/s", "")
        for name in GROUPS["rubric"]
    ]
    return [
        *families,
        *replies,
        Figure("rubrics walked a second, 14 statements", best_rate(walk_all), "/s", ">= 100"),
        Figure("rubrics proved again a second, 14 statements", best_rate(prove_all), "/s", ""),
        Figure("worst case, 16 statements", 1000 * worst, "ms", "< 200"),
    ]


def solving() -> list[Figure]:
    from impossible_rubrics_env.simplex import OPS, Constraint, feasible

    rng = random.Random(12)
    systems = [
        [
            Constraint(f"c{row}", {f"x{place}": rng.randint(-9, 9) for place in range(6)}, op, rng.randint(-20, 20))
            for row, op in enumerate(rng.choices(OPS, weights=(4, 1, 1, 1, 4), k=12))
        ]
        for _ in range(300)
    ]
    rate = best_rate(lambda: len([feasible(system) for system in systems]))
    return [Figure("a point or a refutation of a random system, 12 rows, 6 variables", rate, "/s", "")]


def loading() -> list[Figure]:
    def seconds(code: str) -> float:
        return best_seconds(lambda: subprocess.run([sys.executable, "-c", code], check=True))

    bare = seconds("pass")
    from impossible_rubrics_env.bindings.draw import open_draw
    from impossible_rubrics_env.bindings.verifiers_v0 import row_of
    from impossible_rubrics_env.bindings.verifiers_v1 import ImpossibleRubricsConfig, ImpossibleRubricsTaskset

    seeds = iter(range(1000, 1100))  # a draw passes the gate once a process, so every round takes a new one

    def rows() -> int:
        return len([row_of(task) for task in open_draw(seed=next(seeds)).tasks(2000)])

    def taskset() -> int:
        config = ImpossibleRubricsConfig(id="impossible-rubrics-env", num_tasks=2000, seed=next(seeds))
        return len(list(ImpossibleRubricsTaskset(config).load()))

    return [
        Figure("import impossible_rubrics_env", seconds("import impossible_rubrics_env") - bare, "s", "< 0.15"),
        Figure("load_environment(num_train=2000): gate and rows, our code", best_seconds(rows), "s", "< 2"),
        Figure("v1 taskset of 2,000 tasks, gate included", best_seconds(taskset), "s", "< 2"),
    ]


def anchors(grade_rate: float, make_rate: float) -> list[Figure]:
    """The two packages people compare with. Inputs are distinct, because theirs are cached."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import reasoning_gym
        from math_verify import parse, verify

    def verify_fractions(low: int) -> int:
        for number in range(low, low + 200):
            gold, answer = f"${number}/{number + 7}$", f"The answer is $\\frac{{{2 * number}}}{{{2 * number + 14}}}$"
            verify(parse(gold, parsing_timeout=None), parse(answer, parsing_timeout=None), timeout_seconds=None)
        return 200

    lows = iter(range(1000, 1000 + 1000 * ROUNDS, 1000))
    math_verify = best_rate(lambda: verify_fractions(next(lows)))
    figures = [
        Figure("math-verify: parse and verify a fraction", math_verify, "/s", f"ours {grade_rate / math_verify:,.0f}x")
    ]
    for name in ("simple_equations", "knights_knaves", "polynomial_equations"):
        dataset = reasoning_gym.create_dataset(name, size=300, seed=5)
        entries = [dataset[place] for place in range(60)]
        others = [f"<answer>{entry['answer']}</answer> and more" for entry in entries]

        def score(dataset=dataset, entries=entries, others=others) -> int:
            for _ in range(20):
                for entry, other in zip(entries, others, strict=True):
                    dataset.score_answer(other, entry)
            return 20 * len(entries)

        def make(dataset=dataset) -> int:
            return sum(1 for place in range(100) if dataset[place])

        scored, made = best_rate(score), best_rate(make)
        figures += [
            Figure(f"reasoning-gym {name}: score_answer", scored, "/s", f"ours {grade_rate / scored:,.2f}x"),
            Figure(f"reasoning-gym {name}: make an item", made, "/s", f"ours {make_rate / made:,.2f}x"),
        ]
    return figures


def main() -> None:
    figures = [*grading(), *making(), *checking(), *packets(), *rubrics(), *solving(), *loading()]
    rate = {figure.what: figure.value for figure in figures}
    figures += anchors(rate["grade a 2,000-character reply"], rate["make a task with its proof, ledger"])
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    figures.append(Figure("peak memory of this run", memory, "MiB", ""))
    if "--json" in sys.argv[1:]:
        print(json.dumps([figure._asdict() for figure in figures], allow_nan=False))
        return
    from rich.console import Console
    from rich.table import Table
    from sympy.external.gmpy import GROUND_TYPES

    title = f"Python {sys.version.split()[0]}, ground types {GROUND_TYPES}, one core, best of {ROUNDS}"
    table = Table("figure", "value", "target or ratio", title=title)
    for figure in figures:
        digits = 0 if figure.value >= 100 else 3
        table.add_row(figure.what, f"{figure.value:,.{digits}f} {figure.unit}", figure.target)
    Console(width=120, highlight=False).print(table)


if __name__ == "__main__":
    main()
