"""Tasks of both labels, and their right replies."""

from impossible_rubrics_env import Label, generate

TASKS = list(generate(n=40, abstain=True))
BREAKABLE = next(task for task in TASKS if task.label is Label.BREAKABLE)
UNBREAKABLE = next(task for task in TASKS if task.label is Label.UNBREAKABLE)


def answer(task, verdict):
    return next(item["reply"] for item in task.answers if item["expected"]["verdict"] == verdict)


def right(task):
    return answer(task, "SOLVED")


def value_of(task):
    return right(task).removeprefix('<answer>{"attack": ').removesuffix("}</answer>")
