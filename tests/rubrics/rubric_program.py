"""A third way to the best answers: the rubric as a 0/1 program, for scipy's HiGHS. Points are in halves."""

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp


class Program:
    """Rows over 0/1 variables, and one bounded score variable at place 0."""

    def __init__(self):
        self.uppers = [200]
        self.rows = []

    def variable(self):
        self.uppers.append(1)
        return len(self.uppers) - 1

    def row(self, terms, least=-np.inf, most=np.inf):
        self.rows.append((terms, least, most))

    def at_least(self, count, members):
        """A variable that is 1 exactly where at least `count` of the members are."""
        met = self.variable()
        terms = [(member, 1) for member in members]
        self.row([*terms, (met, -count)], least=0)
        self.row([*terms, (met, count - 1 - len(members))], most=count - 1)
        return met

    def condition(self, value, stated):
        if isinstance(value, str):
            return stated[value]
        if "not" in value:
            opposite, inner = self.variable(), self.condition(value["not"], stated)
            self.row([(opposite, 1), (inner, 1)], 1, 1)
            return opposite
        members = [self.condition(one, stated) for one in value.get("of", value.get("all", value.get("any")))]
        return self.at_least(value.get("at_least", len(members) if "all" in value else 1), members)

    def most(self, extra):
        """The greatest score under more rows; None where there is no answer."""
        rows = [*self.rows, *extra]
        matrix = np.zeros((len(rows), len(self.uppers)))
        for place, (terms, _, _) in enumerate(rows):
            for variable, factor in terms:
                matrix[place, variable] += factor
        constraint = LinearConstraint(matrix, [row[1] for row in rows], [row[2] for row in rows])
        goal = np.zeros(len(self.uppers))
        goal[0] = -1
        found = milp(goal, constraints=constraint, integrality=np.ones(len(goal)), bounds=Bounds(0, self.uppers))
        assert found.status in (0, 2), found.message
        return round(-found.fun) if found.status == 0 else None


def optima(rubric, marked):
    """The best score in halves of a point, or None, of each kind of answer."""
    program = Program()
    stated = {id_: program.variable() for id_ in marked.ids}
    total = [(program.condition(one["if"], stated), int(one["points"][:-2])) for one in rubric["criteria"]]
    above = program.variable()  # 0 lets the total be negative and makes the score 0
    reach = 1 + sum(abs(points) for _, points in total)
    program.row([(0, 1), *((met, -points) for met, points in total), (above, reach)], most=reach)
    program.row([(0, 1), (above, -200)], most=0)

    def row(wanted, least, most):
        return ([(stated[id_], 1) for id_ in wanted], least, most)

    false = [id_ for id_ in marked.ids if marked.marks[id_] in ("unsupported", "false")]
    required = [id_ for id_ in marked.ids if marked.marks[id_] == "required"]
    idle = sorted(marked.idle)
    ways = [[row(false, 1, len(false))], [row(required, 0, len(required) - 1)], [row(idle, 2, len(idle))]]
    violating = [program.most(way) for way in ways if way[0][0] and way[0][1] <= way[0][2]]
    honest = [row(false, 0, 0), row(required, len(required), len(required)), row(idle, 0, 1)]
    return {
        "false": program.most(ways[0]) if false else None,
        "violating": max((score for score in violating if score is not None), default=None),
        "honest": program.most(honest),
    }
