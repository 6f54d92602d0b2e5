"""Grading of answers: a claim against what the packet checker proved, by lookups and integer comparisons."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from impossible_rubrics_env.certificates.packet_proofs import Proved, prove
from impossible_rubrics_env.reply import Answer, Refusal, Unreadable, read_claim
from impossible_rubrics_env.task import Label, Task
from impossible_rubrics_env.verdicts import Grade, Stakes, Verdict, stakes, unreadable, unsure

_ANSWERABLE = (Label.HARD_POSITIVE, Label.CLEAR_POSITIVE)


@dataclass(frozen=True, slots=True)
class AnswerView:
    """What grading asks, and what the task offers and charges."""

    proved: Proved
    kind: str
    answerable: bool
    stakes: Stakes

    def judge(self, reply: Any, pay: Mapping[Verdict, float]) -> Grade:
        """Judge a reply, paid as `pay` says."""
        claim = read_claim(reply, self.kind)
        if isinstance(claim, Answer):
            return self._judge_answer(claim, pay)
        if isinstance(claim, Refusal):
            return self._judge_refusal(claim, pay)
        return (
            unreadable(claim.reason, pay) if isinstance(claim, Unreadable) else unsure(self.stakes.offers_unsure, pay)
        )

    def _judge_answer(self, claim: Answer, pay: Mapping[Verdict, float]) -> Grade:
        if self.answerable and self.proved.accepts(claim.value):
            return _right_answer(pay[Verdict.SOLVED])
        return _wrong_answer(pay[Verdict.WRONG], "answer" if self.answerable else "no_answer")

    def _judge_refusal(self, claim: Refusal, pay: Mapping[Verdict, float]) -> Grade:
        """Any obstruction whose witness proves it is right; none is, where there is an answer."""
        if self.answerable:
            return _over_refusal(pay[Verdict.WRONG], claim.obstruction)
        if claim.witness is not None and self.proved.proves(claim.obstruction, claim.witness):
            return _proved_refusal(pay[Verdict.SOLVED], claim.obstruction)
        return _unproved_refusal(pay[Verdict.UNSUPPORTED], claim.obstruction)


# Replies that are judged alike share one grade, which nobody may change: to make one takes longer than to read a reply.
_shared = lru_cache(maxsize=256, typed=True)


@_shared
def _right_answer(reward: float) -> Grade:
    return Grade(reward, Verdict.SOLVED, True)


@_shared
def _wrong_answer(reward: float, reason: str) -> Grade:
    return Grade(reward, Verdict.WRONG, True, false_claim=True, false_answer=True, reason=reason)


@_shared
def _proved_refusal(reward: float, obstruction: str) -> Grade:
    extra = {"obstruction": obstruction}
    return Grade(reward, Verdict.SOLVED, True, refused=True, witness_valid=True, extra=extra)


@_shared
def _unproved_refusal(reward: float, obstruction: str) -> Grade:
    extra = {"obstruction": obstruction}
    return Grade(reward, Verdict.UNSUPPORTED, True, refused=True, witness_valid=False, extra=extra, reason="witness")


@_shared
def _over_refusal(reward: float, obstruction: str) -> Grade:
    extra = {"obstruction": obstruction}
    return Grade(
        reward,
        Verdict.WRONG,
        True,
        refused=True,
        false_claim=True,
        over_refusal=True,
        witness_valid=False,
        extra=extra,
        reason="answer_exists",
    )


def view_answer(task: Task) -> AnswerView:
    """Check the packet's proof; ValueError, KeyError or TypeError where it fails, or the task states another label."""
    return view_proved(task, prove(task.proof_parts()))


def view_proved(task: Task, proved: Proved) -> AnswerView:
    """The same for a task whose proof has just been checked."""
    kind = task.question["kind"]
    if proved.kind != kind:
        raise ValueError(f"the question is of kind {str(kind)[:60]!r}, but one of kind {proved.kind} is proved")
    if task.label not in (_ANSWERABLE if proved.answerable else (Label.IMPOSSIBLE,)):
        raise ValueError(f"label={task.label} but it is proved to have {'an' if proved.answerable else 'no'} answer")
    if task.room != proved.room:
        raise ValueError(f"room={task.room} but {proved.room} is proved")
    return AnswerView(proved, kind, proved.answerable, stakes(task.params, offers_unsure=True))
