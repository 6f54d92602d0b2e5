"""The texts of drawn criteria: what a rubric's author would say that it rewards. The condition alone decides."""

from collections.abc import Mapping

TEXTS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "core": (
        (
            "Deals with what was asked.",
            "Engages with the question.",
            "Reaches a conclusion about the case.",
            "Covers the central point.",
        ),
        ("The matter at hand is addressed.", "Comes to the point of the enquiry.", "Takes up the issue."),
    ),
    "guard": (
        (
            "Makes a claim that goes too far.",
            "Says more than it should.",
            "Contains a statement that cannot be relied on.",
        ),
        ("Oversteps what is known.", "Some of it will not hold up.", "Leans on a shaky statement."),
    ),
    "decisive_proxy": (
        ("Commits to one result.", "Is decisive.", "Avoids wavering.", "Gives the reader something to act on."),
        ("A firm line is taken.", "Leaves no doubt about its result.", "States its finding outright."),
    ),
    "hedging_penalty": (
        ("Qualifies its conclusion.", "Leaves the reader hanging.", "Draws back from a conclusion."),
        ("Backs away from a verdict.", "Ends without a verdict.", "Softens what it says."),
    ),
    "false_precision": (
        ("Is specific about the amount.", "Puts the matter in exact terms.", "Quantifies what it says."),
        ("Pins the matter down.", "Goes into exact detail.", "Spells out the extent."),
    ),
    "citation_stuffing": (
        ("Rests on several sources.", "Is well referenced.", "Names more than one source."),
        ("Draws on a range of papers.", "Sources are given in number.", "Points to multiple papers."),
    ),
    "verbose_overclaiming": (
        ("Is thorough.", "Covers many aspects.", "Goes into depth."),
        ("Leaves little out.", "Treats the case at length.", "Is rich in content."),
    ),
    "over_generalization": (
        (
            "Puts the finding into a wider setting.",
            "Draws the broader lesson.",
            "Relates the finding to the rest of the file.",
        ),
        ("Widens the view.", "Sees the case in its surroundings.", "Links the result to the remaining papers."),
    ),
    "wrong_inference": (
        ("Explains what stands in the way.", "Gives the reason for its position.", "Names the obstacle."),
        ("Argues its position.", "Shows the cause of the difficulty.", "Accounts for its stance."),
    ),
    "one_sided": (
        ("Falls for the obvious figure.", "Repeats a tempting answer.", "Takes the easy way."),
        ("Settles for the first thing found.", "Adopts the handy result.", "Is taken in by appearances."),
    ),
    "document_naming": (
        ("Refers to the relevant paper.", "Points to a place in the file.", "Mentions where this stands."),
        ("Shows where to look.", "Identifies a place in the papers.", "Ties the claim to a paper."),
    ),
    "reassurance": (
        ("Is confident throughout.", "Speaks with assurance.", "Keeps a steady tone."),
        ("Sounds sure of itself.", "Is even in tone.", "Carries conviction."),
    ),
}
"""By flaw type, `core` and `guard`: phrasings of the training bank and of the held-out bank."""
