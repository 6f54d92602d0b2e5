"""Expected hitting times, by solving the linear system with sympy."""

from collections.abc import Iterator
from itertools import product

from sympy import Matrix, Rational, eye

from impossible_rubrics_env.certificates.provers.drafts import Draft

STEPS = "the expected number of steps of the simple random walk on "


def _draft(graph: str, size: tuple[int, ...], words: str) -> Draft:
    wrap = graph in ("cycle", "torus")
    sides = (2,) * size[0] if graph == "cube" else size
    vertices = list(product(*map(range, sides)))
    place = {vertex: i for i, vertex in enumerate(vertices)}
    goal = place[tuple(side // 2 if wrap else side - 1 for side in sides)]
    walk = Matrix.zeros(len(vertices))
    for vertex in vertices:
        near = []
        for axis, side in enumerate(sides):
            for step in (-1, 1):
                moved = vertex[axis] + step
                if wrap or 0 <= moved < side:
                    near.append(place[(*vertex[:axis], moved % side, *vertex[axis + 1 :])])
        for other in near:
            walk[place[vertex], other] += Rational(1, len(near))
    keep = [i for i in range(len(vertices)) if i != goal]
    solved = (eye(len(keep)) - walk.extract(keep, keep)).LUsolve(Matrix.ones(len(keep), 1))
    times = dict(zip(keep, solved, strict=True))
    listed = [times.get(i, Rational(0)) for i in range(len(vertices))]
    proof = {
        "kind": "random-walk",
        "graph": graph,
        "size": [str(n) for n in size],
        "times": [str(time) for time in listed],
    }
    value = (int(listed[0].p), int(listed[0].q))
    slug = "-".join(["walk", graph, *map(str, size)])
    return Draft(slug, "probability", STEPS + words, proof, value[0] if value[1] == 1 else value)


def drafts() -> Iterator[Draft]:
    """Paths, cycles, grids, tori and cubes."""
    yield _draft("path", (8,), "the path 0, 1, ..., 7 from 0 to 7")
    yield _draft("cycle", (9,), "the cycle of 9 vertices from a vertex to the one 4 steps away")
    for m, n in ((3, 3), (4, 4), (3, 5)):
        yield _draft("grid", (m, n), f"the {m} x {n} grid graph from a corner to the opposite corner")
    for m, n in ((4, 5), (5, 5)):
        yield _draft("torus", (m, n), f"the {m} x {n} torus grid from (0, 0) to ({m // 2}, {n // 2})")
    for d in (3, 4, 5):
        yield _draft("cube", (d,), f"the {d}-dimensional hypercube from a vertex to the opposite vertex")
