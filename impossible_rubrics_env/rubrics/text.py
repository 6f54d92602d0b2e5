"""A rubric as the plain text that a person or a model judge would read."""

from collections.abc import Mapping

from impossible_rubrics_env.rubrics.language import MICRO, AllOf, AnyOf, AtLeast, Condition, Not, Rubric, States

_RULE = (
    "An answer gets the points of every criterion whose condition it meets; a total below 0 counts as 0, and one above "
    "100 as 100. A condition speaks of the statements listed below: S1 holds where the answer makes statement S1."
)


def render(rubric: Rubric, statements: Mapping[str, str]) -> str:
    """The whole rubric; `statements` gives the text of each id of the rubric's list.

    >>> from impossible_rubrics_env.rubrics.language import read_rubric
    >>> one = {"text": "Names a district.", "points": "12.5", "if": {"any": ["S1", {"not": "S2"}]}}
    >>> text = render(read_rubric({"criteria": [one]}, ["S1", "S2"]), {"S1": "It is Mervavell.", "S2": "It is small."})
    >>> print(text.partition("Criteria")[2])
    <BLANKLINE>
    1. Names a district. (+12.5 points)
       Met if: any of (S1, not S2)
    <BLANKLINE>
    Statements
    S1: It is Mervavell.
    S2: It is small.
    """
    lines = [_RULE, "", "Criteria"]
    for number, criterion in enumerate(rubric.criteria, 1):
        sign = "+" if criterion.points_micro > 0 else ""
        lines.append(f"{number}. {criterion.text} ({sign}{points_text(criterion.points_micro)} points)")
        lines.append(f"   Met if: {condition_text(criterion.condition)}")
    lines += ["", "Statements", *(f"{id_}: {statements[id_]}" for id_ in rubric.ids)]
    return "\n".join(lines)


def points_text(micro: int) -> str:
    """Points in 1/1,000,000, as the shortest exact decimal.

    >>> points_text(-12_500_000), points_text(1), points_text(40_000_000)
    ('-12.5', '0.000001', '40')
    """
    whole, part = divmod(abs(micro), MICRO)
    sign = "-" if micro < 0 else ""
    return f"{sign}{whole}.{part:06}".rstrip("0").rstrip(".")


def condition_text(condition: Condition) -> str:
    """A condition in words and parentheses, so that it can be read in one way only."""
    match condition:
        case States(id):
            return id
        case Not(member):
            return f"not {condition_text(member)}"
        case AllOf(members):
            return f"all of ({_listed(members)})"
        case AnyOf(members):
            return f"any of ({_listed(members)})"
        case AtLeast(count, members):
            return f"at least {count} of ({_listed(members)})"


def _listed(members: tuple[Condition, ...]) -> str:
    return ", ".join(condition_text(member) for member in members)
