"""Try to tell impossible tasks from their answerable twins by their looks; the families must not let that happen.

Models that read prompts alone, in a shallow way, are cross-validated on twin pairs: n-grams and numbers, n-grams with
names put into roles, boosted trees on counts and relations, the question alone, and the prompt without each document
in turn. A family passes where every AUC is within 0.05 of one half. Where several families are given, the family is
also guessed from the question alone, which may be right at most 1.5 times as often as chance. The exit code is 1 where
something fails.

Examples:

  impossible-rubrics audit

  impossible-rubrics audit --families certified_interval --n 1000 --cues 20

  impossible-rubrics audit --contrast clear_positive --json
"""

import sys
from typing import Annotated, Any

import typer
from rich.table import Table

from impossible_rubrics_env.commands.options import Families, Json, console, print_json, with_draw, with_progress
from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.taskgen.registry import family_weights, generate

AUDITED = "answer"
"""Families that promise to pass; the tolerance of an attack task shows its size to everyone."""
TASKS = 4000


@with_draw(without=("mix", "order", "shape", "record", "source", "tau", "room"))
def audit(
    families: Families = AUDITED,
    n: Annotated[int, typer.Option("--n", "-n", min=1, help="How many tasks to draw of each family.")] = TASKS,
    contrast: Annotated[
        str, typer.Option(help="What impossible tasks are told from: hard_positive (their twins) or clear_positive.")
    ] = "hard_positive",
    cues: Annotated[int, typer.Option(min=0, help="How many of the strongest cues to print for each model.")] = 10,
    as_json: Json = False,
    draw: dict[str, Any] | None = None,
) -> int:
    """Audit."""
    from impossible_rubrics_env import audit as auditing

    if contrast not in auditing.CONTRASTS:
        raise ArgumentError(f"contrast={contrast!r} is not one of {', '.join(auditing.CONTRASTS)}")
    auditing.need_libraries()
    mix = "balanced" if contrast == "hard_positive" else "seed"
    samples, reports = {}, []
    for family in family_weights(families):
        tasks = with_progress(generate(family, n=n, mix=mix, **draw or {}), n, f"{family}: drawing")
        samples[family] = auditing.samples_of(tasks, contrast)
        reports.append(auditing.audit_family(family, samples[family], contrast, cues, _said(family)))
        if not as_json:
            console().print(_table(reports[-1]))
            _print_cues(reports[-1])
    asked = {name: found for name, found in samples.items() if auditing.has_questions(found)}
    question = auditing.audit_questions(asked) if len(asked) > 1 else None
    if as_json:
        data = {"families": [one.as_dict() for one in reports], "question": question and question.as_dict()}
        print_json({"n": n, "contrast": contrast, "arguments": draw or {}, **data})
    elif question:
        _print_question(question)
    failed = [one.family for one in reports if one.passed is False]
    for name in failed:
        print(f"FAILED: {name}: impossible tasks can be told from their twins by their looks", file=sys.stderr)
    if question and not question.passed:
        print("FAILED: the family can be told from the question alone", file=sys.stderr)
    return 1 if failed or (question and not question.passed) else 0


def _said(family: str) -> Any:
    """Progress as lines, which stay readable in a log."""
    return lambda what: print(f"{family}: {what}", file=sys.stderr, flush=True)


VERDICTS = {True: "PASS", False: "FAIL", None: "-"}


def _table(report: Any) -> Table:
    title = f"{report.family}: {report.impossible} impossible against {report.possible} {report.contrast}"
    table = Table("what is read", "AUC", "95% interval", "pairs right", "verdict", title=title)
    for view in report.views:
        interval = f"{view.low:.3f} .. {view.high:.3f}"
        right = "-" if view.pairs_right is None else f"{view.pairs_right:.1%}"
        table.add_row(view.name, f"{view.auc:.3f}", interval, right, VERDICTS[view.passed])
    return table


def _print_cues(report: Any) -> None:
    """Cues of every whole view, and of one without a document where it fails."""
    for view in report.views:
        if view.passed is not False and view.name.startswith("without "):
            continue
        for place, cue in enumerate(view.cues):
            head = f"{report.family}, {view.name}:" if place == 0 else ""
            print(f"{head:<44}{cue.weight:+.4f}  {cue.name}")
    print()


def _print_question(question: Any) -> None:
    verdict = VERDICTS[question.passed]
    print(
        f"Family from the question alone: right in {question.accuracy:.1%} of {question.samples} questions "
        f"({question.low:.1%} .. {question.high:.1%}); at most {question.allowed:.1%} is allowed: {verdict}"
    )
    for name, strongest in question.cues.items():
        print(f"  {name}: {', '.join(strongest)}")
