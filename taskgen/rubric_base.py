"""What both rubric families start from: a packet task, its statement list, and what the certificate says of each."""

from collections.abc import Iterable, Mapping
from importlib import import_module
from random import Random
from typing import Any, NamedTuple

from impossible_rubrics_env.errors import ArgumentError
from impossible_rubrics_env.exact import number_text, rational
from impossible_rubrics_env.prompt import claim_format, statement_rules
from impossible_rubrics_env.rubrics.marks import Marked
from impossible_rubrics_env.task import Label, Role, Task
from impossible_rubrics_env.taskgen import statement_list
from impossible_rubrics_env.taskgen.arguments import ANY, COMMON, DrawArguments, choose_weighted, task_id
from impossible_rubrics_env.taskgen.registry import ANSWER

USES = COMMON | {"rungs", "depth", "documents", "distractors", "digits", "kind", "max_chars", "packet"}
"""Arguments of the draw that both families use."""
_WEIGHTS = {"false_premise": 4, "counterevidence_trap": 4}
"""Of families that have packets of all four kinds of main block; the other four have one each. So every list, which
names the block's own obstruction and these two, is about each of the three equally often."""
_PASSED_ON = ("split", "depth", "documents", "distractors", "digits", "kind")


class Base(NamedTuple):
    """A packet task with its list of statements."""

    task: Task
    statements: list[dict[str, Any]]
    marked: Marked

    @property
    def target(self) -> dict[str, Any]:
        """The target of a rubric task's question."""
        return {"family": self.task.family, "question": dict(self.task.question), "statements": self.statements}

    @property
    def proof(self) -> dict[str, Any]:
        """The proof of the marks."""
        marks = {name: str(self.marked.marks[name]) for name in self.marked.ids}
        packet = self.task.certificate["proof"]
        return {"kind": "statements", "packet": packet, "marks": marks, "idle": sorted(self.marked.idle)}

    def texts(self, *marks: str) -> list[str]:
        """The texts of the statements with these marks."""
        return [one["text"] for one in self.statements if self.marked.marks[one["id"]] in marks]


def draw_base(rng: Random, arguments: DrawArguments, label: Label) -> Base:
    """A packet task with this label, from a packet family that the arguments allow."""
    family = choose_weighted(rng, {name: _WEIGHTS.get(name, 1) for name in packet_families(arguments)})
    given = {name: getattr(arguments, name) for name in _PASSED_ON}
    given |= {"seed": rng.getrandbits(62), "rungs": _dials(arguments)}
    held_out = arguments.split == "eval_wording"
    text = f"{rng.getrandbits(64):x}"
    make = import_module(f"impossible_rubrics_env.taskgen.{family}").make
    if label is Label.CLEAR_POSITIVE:
        tasks = [make(DrawArguments(**given, labels=f"{label}:1"), 0)]
    else:
        pair = (make(DrawArguments(**given, mix="balanced"), side) for side in (0, 1))
        tasks = sorted(pair, key=lambda one: one.label != label)
    listed = statement_list.build(tasks[0], tasks[1] if len(tasks) == 2 else None, text, held_out)
    means = {one["id"]: one["means"] for one in listed.statements}
    return Base(tasks[0], listed.statements, Marked(tuple(means), listed.marks, frozenset(listed.idle), means))


def packet_families(arguments: DrawArguments) -> tuple[str, ...]:
    """The packet families that a rubric may be about. Raises ArgumentError where none asks the wanted kind."""
    named = ANSWER if arguments.packet == ANY else (arguments.packet,)
    asking = tuple(name for name in named if arguments.kind in (ANY, *_kinds(name)))
    if not asking:
        raise ArgumentError(f"kind={arguments.kind!r} is asked by none of: {', '.join(named)}")
    return asking


def _kinds(family: str) -> tuple[str, ...]:
    kinds: tuple[str, ...] = import_module(f"impossible_rubrics_env.taskgen.{family}").KINDS
    return kinds


def _dials(arguments: DrawArguments) -> str:
    """The shares of the rungs, as a packet family takes them: `impossible` is no rung of a packet."""
    return ",".join(part for part in arguments.rungs.split(",") if part and not part.startswith("impossible:"))


def packet_text(base: Base) -> str:
    """The packet, the question, the reading rules, the statements and their rules, as a prompt has them."""
    ending = "\n\n" + claim_format(base.task.question["kind"], abstain=True)
    packet = base.task.prompt.removesuffix(ending)
    if packet == base.task.prompt:
        raise AssertionError("a packet's prompt ends with the reply format")
    listed = "\n".join(f"[{one['id']}] {one['text']}" for one in base.statements)
    return f"{packet}\n\nStatements\n{listed}\n\n{statement_rules()}"


class RubricFamily(NamedTuple):
    """What tells one rubric family from another."""

    name: str
    version: str
    role: Role
    uses: frozenset[str]
    """Names of the arguments of the draw that it uses."""
    question: str
    """Kind of the question."""


def assemble(
    family: RubricFamily,
    base: Base,
    prompt: str,
    arguments: DrawArguments,
    index: int,
    key: int | str,
    *,
    told: Mapping[str, Any],
    target: Mapping[str, Any],
    proof: Mapping[str, Any],
    answers: Iterable[Mapping[str, Any]],
) -> Task:
    """The task, with the packet's label and rung; `told` are the claims in words, `target` and `proof` are added."""
    return Task(
        id=task_id(family.name, family.version, arguments, index),
        pair_id=task_id(family.name, family.version, arguments, key),
        family=family.name,
        role=family.role,
        label=base.task.label,
        rung=base.task.rung,
        room=None,
        generator_version=family.version,
        params=arguments.as_params(family.uses, family.role),
        prompt=prompt,
        packet=base.task.packet,
        question={
            "kind": family.question,
            "target": {**base.target, **target},
            "resolution": None,
            "presupposes": [],
        },
        certificate={"kind": "statements", "claims": told, "proof": {**base.proof, **proof}},
        answers=tuple(answers),
        provenance={"packet": base.task.id, **base.task.provenance},
    )


def claims(base: Base, request: str, refusals: list[str]) -> dict[str, Any]:
    """The six parts of the published benchmark's certificates, about the statements."""
    known: Mapping[str, Any] = base.task.certificate["claims"]
    return {
        "impossibility_claim": known["impossibility_claim"],
        "required_honest_behavior": [request],
        "unsupported_claims": base.texts("unsupported", "false"),
        "contradicted_or_weakening_evidence": list(known["contradicted_or_weakening_evidence"]),
        "reward_hacking_behaviors": list(known["reward_hacking_behaviors"]),
        "evaluation_specification": {
            "must_state": base.texts("required"),
            "must_not_state": base.texts("unsupported", "false"),
            "may_state": base.texts("allowed"),
            "acceptable_refusals": refusals,
        },
    }


def penalty_text(arguments: DrawArguments) -> str:
    """What a false claim costs, as a prompt prints it."""
    return number_text(rational(arguments.penalty))


def cost_text(arguments: DrawArguments) -> str:
    """What a false claim is paid, as a labelled reply states it."""
    return "0" if arguments.penalty == "0" else f"-{arguments.penalty}"
