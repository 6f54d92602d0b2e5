"""Expected hitting times of simple random walks: the given times solve the linear system.

It is h = 0 at the target and h = 1 + the mean of the neighbours elsewhere. The graphs are connected, so by the maximum
principle it has one solution, the expected times (Norris, Markov Chains, 1.3).
"""

from itertools import product
from typing import Any

from impossible_rubrics_env.errors import CertificateError
from impossible_rubrics_env.numerals import read_exact

MAX_VERTICES = 128
Vertex = tuple[int, ...]


def _fields(record: dict[str, Any], *names: str) -> list[Any]:
    proof = record.get("proof")
    if not isinstance(proof, dict) or set(proof) != {"kind", *names}:
        raise CertificateError(f"proof: the fields must be kind, {', '.join(names)}")
    return [proof[name] for name in names]


def _ratio(value: object, part: str) -> tuple[int, int]:
    ratio = read_exact(value) if isinstance(value, str) else None
    if ratio is None:
        raise CertificateError(f"{part}: not an exact number in text")
    return ratio


def _integer(value: object, part: str, least: int, most: int) -> int:
    numerator, denominator = _ratio(value, part)
    if denominator != 1 or not least <= numerator <= most:
        raise CertificateError(f"{part}: must be an integer from {least} to {most}")
    return numerator


def _list(value: object, part: str, least: int, most: int) -> list[Any]:
    if not isinstance(value, list) or not least <= len(value) <= most:
        raise CertificateError(f"{part}: must be a list of {least} to {most} members")
    return value


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise CertificateError(message)


def _graph(name: object, size: list[int]) -> tuple[str, dict[Vertex, list[Vertex]], Vertex]:
    """Words, neighbours of every vertex, and the vertex farthest from the origin."""
    if name == "path" and len(size) == 1:
        _require(size[0] >= 4, "proof: size is too small for the words of a path")
        words = f"the path 0, 1, ..., {size[0] - 1} from 0 to {size[0] - 1}"
        wrap, sides = False, size
    elif name == "cycle" and len(size) == 1:
        _require(size[0] >= 4, "proof: size is too small for the words of a cycle")
        words = f"the cycle of {size[0]} vertices from a vertex to the one {size[0] // 2} steps away"
        wrap, sides = True, size
    elif name == "grid" and len(size) == 2:
        words = f"the {size[0]} x {size[1]} grid graph from a corner to the opposite corner"
        wrap, sides = False, size
    elif name == "torus" and len(size) == 2:
        words = f"the {size[0]} x {size[1]} torus grid from (0, 0) to ({size[0] // 2}, {size[1] // 2})"
        wrap, sides = True, size
    else:
        _require(name == "cube" and len(size) == 1 and size[0] <= 7, "proof: unknown graph")
        words = f"the {size[0]}-dimensional hypercube from a vertex to the opposite vertex"
        wrap, sides = False, [2] * size[0]
    count = 1
    for side in sides:
        _require(side >= (3 if wrap else 2), "proof: size is too small")
        count *= side
    _require(count <= MAX_VERTICES, "proof: the graph is too large")
    graph: dict[Vertex, list[Vertex]] = {}
    for vertex in product(*map(range, sides)):
        near = []
        for axis, side in enumerate(sides):
            for step in (-1, 1):
                place = vertex[axis] + step
                if wrap or 0 <= place < side:
                    near.append((*vertex[:axis], place % side, *vertex[axis + 1 :]))
        graph[vertex] = near
    return words, graph, tuple(side // 2 if wrap else side - 1 for side in sides)


def check(record: dict[str, Any]) -> None:
    """Prove that lo = hi = the expected number of steps. Raises CertificateError."""
    name, size_list, listed = _fields(record, "graph", "size", "times")
    size = [_integer(text, "proof: size", 1, MAX_VERTICES) for text in _list(size_list, "proof: size", 1, 2)]
    words, graph, target = _graph(name, size)
    phrase = f"the expected number of steps of the simple random walk on {words}"
    _require(record.get("statement") == phrase, "statement: does not say what the proof is about")
    times = [_ratio(text, "proof: times") for text in _list(listed, "proof: times", len(graph), len(graph))]
    common = 1
    for _, under in times:
        common = common if common % under == 0 else common * under
        _require(common.bit_length() < 4000, "proof: times have too many denominators")
    h = {vertex: over * (common // under) for vertex, (over, under) in zip(graph, times, strict=True)}
    for vertex, near in graph.items():
        if vertex == target:
            _require(h[vertex] == 0, "proof: times do not vanish at the target")
        else:
            balanced = len(near) * (h[vertex] - common) == sum(h[other] for other in near)
            _require(balanced, "proof: times do not solve the system")
    value = h[(0,) * len(target)]
    low, high = _ratio(record.get("lo"), "lo endpoint"), _ratio(record.get("hi"), "hi endpoint")
    _require(low[0] * common == value * low[1], "lo endpoint: not the exact value")
    _require(high[0] * common == value * high[1], "hi endpoint: not the exact value")
