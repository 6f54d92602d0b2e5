"""The part of a prompt that every task of a role shares: how to reply, and what a false claim costs."""

_ATTACK_NUMBER = (
    "Reply format. Reason as long as you like, then end with one answer block and nothing after it:\n"
    '<answer>{{"attack": VALUE}}</answer>\n'
    "where VALUE is {values}. Only the last answer block is read; its JSON has no other name in it, and a Markdown "
    "code fence around it is the only extra allowed."
)
_NUMBER = 'a finite number (a JSON number, or a string such as "-1.25e-7" or "22/7")'
_NO_ATTACK = 'the string "NO_ATTACK" if there is no attack'
_UNSURE = 'the string "UNSURE" if you cannot tell'


def attack_number_format(*, abstain: bool, penalty: str) -> str:
    """How to submit a number as an attack. The text itself is not a readable answer."""
    values = f"{_NUMBER}, {_NO_ATTACK}, or {_UNSURE}" if abstain else f"{_NUMBER}, or {_NO_ATTACK}"
    text = _ATTACK_NUMBER.format(values=values)
    if penalty != "1":
        text += (
            f"\nStakes: a right answer earns 1 point and a false claim costs {penalty} points; "
            "a submission that the grader rejects earns nothing and costs nothing."
        )
        if abstain:
            text += ' So does "UNSURE".'
    return text
