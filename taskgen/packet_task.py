"""A drawn packet as a task: proof, prompt, labelled answers, the certificate in words."""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from impossible_rubrics_env.exact import number_text, rational
from impossible_rubrics_env.prompt import claim_format, reading_rules
from impossible_rubrics_env.task import Label, Role, Rung, Task
from impossible_rubrics_env.taskgen import discrete_proofs, linear_proofs, packet_wording
from impossible_rubrics_env.taskgen.arguments import DrawArguments, stream
from impossible_rubrics_env.taskgen.draft import NOTICES, DraftPacket, DraftQuestion
from impossible_rubrics_env.taskgen.packet_answers import answers, claims, is_answerable, right_reply
from impossible_rubrics_env.taskgen.packet_draw import Drawn, Plan
from impossible_rubrics_env.taskgen.scenes import Scene
from impossible_rubrics_env.taskgen.statements import Statement


def make(plan: Plan, scene: Scene, drawn: Drawn, identity: Mapping[str, Any], arguments: DrawArguments) -> Task:
    """The task; `identity` has id, pair_id, generator_version and params."""
    question = _question(drawn)
    packet_json = drawn.packet.to_json(_render(plan, scene, drawn.packet), _title(plan, scene))
    memo = linear_proofs.Memo()
    main = _prove(drawn.packet, question, memo)
    proof: dict[str, Any] = {"kind": "packet", "main": main, "defeats": [], "dial": drawn.dial}
    answerable = is_answerable(main)
    if answerable != (plan.label is not Label.IMPOSSIBLE):
        raise AssertionError(f"{identity['id']}: drawn as {plan.label}, proved by {main['kind']}")
    if not answerable:
        proof["defeats"] = _defeats(drawn.packet, question, memo)
    question_json = {
        "kind": question.kind,
        "target": question.target,
        "resolution": question.resolution,
        "presupposes": list(question.presupposes),
    }
    right = right_reply(plan, drawn, question, proof)
    asked = packet_wording.question(question, scene, _pick(plan, "question"), _held_out(plan))
    certificate = {"kind": "packet", "claims": claims(plan, asked, proof, right), "proof": proof}
    return Task(
        family=plan.family.name,
        role=Role.ANSWER,
        label=plan.label,
        rung=rung_of_dial(drawn.dial),
        room=room(question, drawn.packet, main),
        prompt=_prompt(plan, scene, packet_json, asked, arguments),
        packet=packet_json,
        question=question_json,
        certificate=certificate,
        answers=tuple(answers(plan, drawn, question, proof, right, arguments)),
        provenance={"domain": scene.domain, "block": plan.block},
        **identity,
    )


def rung_of_dial(dial: Mapping[str, Any]) -> Rung:
    """The rung: by margin over unit, or by the number of facts that must be combined."""
    if "hops" in dial:
        return Rung.RAZOR if dial["hops"] >= 4 else Rung.NARROW if dial["hops"] >= 2 else Rung.WIDE
    ratio = rational(dial["value"]) / rational(dial["unit"])
    return Rung.RAZOR if ratio <= rational(1, 10) else Rung.NARROW if ratio <= 1 else Rung.WIDE


def room(question: DraftQuestion, packet: DraftPacket, main: Mapping[str, Any]) -> int | None:
    """How many answers are admissible; None where they are not countable."""
    kind = main["kind"]
    if kind == "world":
        return None
    if is_answerable(main):
        return 1
    if kind in ("minimal_conflict", "refutation") or question.kind == "document":
        return 0
    if question.kind == "yes_no":
        return 2
    if kind == "range":
        first, last = (rational(text) for text in main["answers"])
        return int((last - first) / rational(question.resolution)) + 1
    return discrete_proofs.room(packet.in_force(), question, main)


def _question(drawn: Drawn) -> DraftQuestion:
    """The block's question, with the premise that the packet's other part is about."""
    question = drawn.block.question
    return replace(question, presupposes=drawn.premise.presupposes, premise=drawn.premise.quantities)


def _prove(
    packet: DraftPacket, question: DraftQuestion, memo: linear_proofs.Memo, without: str | None = None
) -> dict[str, Any]:
    facts = packet.in_force(without)
    names = linear_proofs.variables_of(packet.placed(without), question)
    if not _is_discrete(question):
        return linear_proofs.prove(facts, question, names, memo, minimal=without is None)
    world = linear_proofs.world_of(facts, question.presupposes, names, memo)
    if world is None:  # then it is the linear facts and the premise that decide
        return linear_proofs.prove(facts, question, names, memo, minimal=without is None)
    documents = [name for name in packet.document_ids.values() if name != without]
    return discrete_proofs.prove(facts, question, world, documents)


def _is_discrete(question: DraftQuestion) -> bool:
    """Whether the question is about registers or findings, and not about linear facts alone."""
    if question.kind in ("list", "document"):
        return True
    return question.kind != "plan" and not {"total", "attributes"}.isdisjoint(question.target)


def _defeats(packet: DraftPacket, question: DraftQuestion, memo: linear_proofs.Memo) -> list[dict[str, Any]]:
    """Every pair of a notice in force and a document of which it puts a stated fact out, with what holds without it."""
    pairs: dict[tuple[str, str], None] = {}
    stating = {one.sentence: one for one in packet.placed() if one.fact["kind"] not in NOTICES}
    for sentence, notice in packet.decided().items():
        if sentence in stating and notice.fact["kind"] != "reinstates":
            pairs.setdefault((notice.document, stating[sentence].document))
    return [
        {"notice": notice, "document": document, "without": _prove(packet, question, memo, notice)}
        for notice, document in sorted(pairs)
    ]


def _pick(plan: Plan, part: str) -> int:
    return stream(f"{plan.text}/words/{part}").getrandbits(32)


def _held_out(plan: Plan) -> bool:
    return plan.split == "eval_wording"


def _render(plan: Plan, scene: Scene, packet: DraftPacket) -> Any:
    picks = stream(f"{plan.text}/words")
    documents, sentences = packet.document_ids, packet.sentence_ids
    held_out = _held_out(plan)

    def render(sentence: Any) -> str:
        statement = sentence.statement
        if statement.kind in NOTICES:
            scope = statement.words["scope"]
            words = {
                "document": documents[statement.words["document"]],
                "scope": None if scope is None else tuple(sentences[key] for key in scope),
            }
            statement = Statement(statement.kind, words, statement.facts)
        return packet_wording.render(statement, scene, picks.getrandbits(32), held_out)

    return render


def _title(plan: Plan, scene: Scene) -> Any:
    picks = stream(f"{plan.text}/titles")
    held_out = _held_out(plan)
    return lambda one: packet_wording.title(one, scene, picks.getrandbits(32), held_out)


def _prompt(plan: Plan, scene: Scene, packet: Mapping[str, Any], asked: str, arguments: DrawArguments) -> str:
    documents = []
    for one in packet["documents"]:
        lines = [f"{one['id']} | {one['title']} | {one['date']}"]
        lines += [f"[{sentence['id']}] {sentence['text']}" for sentence in one["sentences"]]
        documents.append("\n".join(lines))
    abstain = arguments.offers_unsure(Role.ANSWER)
    return "\n\n".join(
        (
            packet_wording.opening(scene, _pick(plan, "opening"), _held_out(plan)),
            "Documents",
            *documents,
            f"Question\n{asked}",
            reading_rules(),
            claim_format(plan.kind, abstain, _penalty_text(arguments.penalty)),
        )
    )


@lru_cache(maxsize=16)
def _penalty_text(penalty: str) -> str:
    return number_text(rational(penalty))
