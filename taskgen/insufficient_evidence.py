"""Two worlds give different answers: the documents do not decide the question at the asked resolution."""

from impossible_rubrics_env.task import Task
from impossible_rubrics_env.taskgen import packet_family
from impossible_rubrics_env.taskgen.arguments import DrawArguments
from impossible_rubrics_env.taskgen.packet_draw import Family
from impossible_rubrics_env.taskgen.pairs import twin_index_of

FAMILY = "insufficient_evidence"
VERSION = "1"
USES = packet_family.USES
SPECIFICATION = Family(
    name=FAMILY,
    broken="block",
    kinds={"number": 42, "yes_no": 43, "list": 15},
    blocks={
        "number": ("linear",),
        "yes_no": ("linear",),
        "list": ("register",),
    },
)
KINDS = tuple(SPECIFICATION.kinds)


def make(arguments: DrawArguments, index: int) -> Task:
    """Make the task at `index`."""
    return packet_family.make(SPECIFICATION, VERSION, arguments, index)


def twin_index(arguments: DrawArguments, index: int) -> int | None:
    """Give the index of the task's twin; None where it has none."""
    return twin_index_of(arguments, FAMILY, VERSION, index)
