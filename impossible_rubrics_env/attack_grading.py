"""Grading of attacks: a submitted double against the ordinals that the band checker proved."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from impossible_rubrics_env.certificates.checkers import band
from impossible_rubrics_env.doubles import ordinal
from impossible_rubrics_env.reply import AttackNumber, NoAttack, Unreadable, read_attack_number
from impossible_rubrics_env.task import Task
from impossible_rubrics_env.verdicts import Grade, Stakes, Verdict, false_break, no_attack, stakes, unreadable, unsure


@dataclass(frozen=True, slots=True)
class AttackView:
    """What grading compares, and what the task offers and charges."""

    band: band.Band
    stakes: Stakes

    def judge(self, reply: Any, pay: Mapping[Verdict, float]) -> Grade:
        """Judge a reply, paid as `pay` says."""
        submission = read_attack_number(reply)
        if isinstance(submission, AttackNumber):
            return _grade_number(self.band, submission.value, pay)
        if isinstance(submission, Unreadable):
            return unreadable(submission.reason, pay)
        if not isinstance(submission, NoAttack):
            return unsure(self.stakes.offers_unsure, pay)
        return no_attack(self.band.room > 0, pay)


def view_attack(task: Task) -> AttackView:
    """Check the band proof; ValueError, KeyError or TypeError where it fails."""
    proved = band.check(task.certificate["proof"])
    if task.room != proved.room:
        raise ValueError(f"room={task.room} but {proved.room} is proved")
    return AttackView(proved, stakes(task.params, offers_unsure=False))


def _grade_number(proved: band.Band, value: float, pay: Mapping[Verdict, float]) -> Grade:
    place = ordinal(value)
    extra = {"submitted": repr(value)}
    if proved.first_certified <= place <= proved.last_certified:
        return false_break("inside_certificate", pay, extra)
    if proved.first_accepted <= place <= proved.last_accepted:
        return Grade(pay[Verdict.SOLVED], Verdict.SOLVED, True, extra=extra)
    return Grade(pay[Verdict.UNSUPPORTED], Verdict.UNSUPPORTED, True, extra=extra, reason="rejected_by_grader")
