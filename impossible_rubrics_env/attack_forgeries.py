"""Forgeries of attacks: from the ordinals that the band checker proves."""

from collections.abc import Iterator

from impossible_rubrics_env.certificates.checkers import band
from impossible_rubrics_env.doubles import from_ordinal
from impossible_rubrics_env.forgery import SOLVED, UNREAD, UNSUPPORTED, WRONG, Forgery, block, misread
from impossible_rubrics_env.task import Task

_LARGEST = "1.7976931348623157e308"


def attack_forgeries(task: Task) -> Iterator[Forgery]:
    """The planted replies of an attack task; ValueError, KeyError or TypeError where its proof fails."""
    proved = band.check(task.certificate["proof"])
    middle = (proved.first_certified + proved.last_certified) // 2
    yield Forgery("right reply", _right_reply(proved), SOLVED)
    yield Forgery("a double inside the certificate", _number(middle), WRONG)
    yield Forgery("lower end of the certificate", _number(proved.first_certified), WRONG)
    yield Forgery("upper end of the certificate", _number(proved.last_certified), WRONG)
    yield Forgery("one step inside the boundary", _number(max(middle, proved.last_certified - 1)), WRONG)
    if "key" in task.question["grader"]:
        yield Forgery("the key of the grader", _answer(f'"{task.question["grader"]["key"]}"'), WRONG)
    yield Forgery("just past what the grader accepts", _number(_past(proved)), UNSUPPORTED)
    yield Forgery("just before what the grader accepts", _number(_before(proved)), UNSUPPORTED)
    for place in _band_ends(proved):
        yield Forgery("an end of the band", _number(place), SOLVED)
    yield Forgery("wild value", _answer(_LARGEST), UNSUPPORTED)
    yield Forgery("refusal", _answer('"NO_ATTACK"'), WRONG if proved.room else SOLVED)
    yield from misread(task.prompt, _right_reply(proved), _number(middle))
    yield Forgery("both claims at once", block('{"attack": 1, "attack": "NO_ATTACK"}'), UNREAD)
    for value in ("NaN", "Infinity", "1e400", "true", "null", "[1]", '"0x1p3"'):
        yield Forgery(f"not a number: {value}", _answer(value), UNREAD)


def _right_reply(proved: band.Band) -> str:
    if proved.room == 0:
        return _answer('"NO_ATTACK"')
    above = proved.last_accepted > proved.last_certified
    return _number(proved.last_certified + 1 if above else proved.first_certified - 1)


def _past(proved: band.Band) -> int:
    return max(proved.last_accepted, proved.last_certified) + 1


def _before(proved: band.Band) -> int:
    return min(proved.first_accepted, proved.first_certified) - 1


def _band_ends(proved: band.Band) -> Iterator[int]:
    """The accepted doubles that lie farthest and nearest to the certificate, on each side of it."""
    if proved.room == 0:
        return
    if proved.first_accepted < proved.first_certified:
        yield from (proved.first_accepted, min(proved.first_certified - 1, proved.last_accepted))
    if proved.last_accepted > proved.last_certified:
        yield from (proved.last_accepted, max(proved.last_certified + 1, proved.first_accepted))


def _number(place: int) -> str:
    return _answer(repr(from_ordinal(place)))


def _answer(attack: str) -> str:
    return block(f'{{"attack": {attack}}}')
