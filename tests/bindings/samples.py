"""Tasks of every family, label and kind of question, and their right replies."""

from impossible_rubrics_env import Label, generate

TASKS = list(generate(n=40, abstain=True))
_ATTACK = list(generate("attack", n=40, abstain=True))
BREAKABLE = next(task for task in _ATTACK if task.label is Label.BREAKABLE)
UNBREAKABLE = next(task for task in _ATTACK if task.label is Label.UNBREAKABLE)
SAMPLES = list({(task.label, task.question["kind"]): task for task in [*_ATTACK, *TASKS]}.values())
"""One task of each label and kind of question."""


def answer(task, verdict):
    return next(item["reply"] for item in task.answers if item["expected"]["verdict"] == verdict)


def right(task):
    return answer(task, "SOLVED")


def name_of(task):
    return f"{task.label}-{task.question['kind']}"
