"""The score of one answer, without walking all of them."""

from collections.abc import Collection

from impossible_rubrics_env.rubrics.language import MICRO, AllOf, AnyOf, AtLeast, Condition, Not, Rubric, States


def score(rubric: Rubric, stated: Collection[str]) -> int:
    """What the rubric pays the set of statements, in 1/1,000,000 of a point, cut to 0..100 points."""
    total = sum(one.points_micro for one in rubric.criteria if meets(one.condition, stated))
    return min(max(total, 0), 100 * MICRO)


def meets(condition: Condition, stated: Collection[str]) -> bool:
    """Whether the set of statements meets the condition."""
    match condition:
        case States(id):
            return id in stated
        case Not(member):
            return not meets(member, stated)
        case AllOf(members):
            return all(meets(member, stated) for member in members)
        case AnyOf(members):
            return any(meets(member, stated) for member in members)
        case AtLeast(count, members):
            return sum(meets(member, stated) for member in members) >= count
