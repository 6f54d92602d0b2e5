"""Sentence frames of packets, in a training bank and a held-out bank that share no pattern.

A frame is chosen by a number that the label does not touch. `docs/frames.md` shows every frame beside what it says, with
the meaning of each slot; people write readers of packets from that page, so a frame may be added but not bent.
"""

from collections.abc import Mapping
from dataclasses import dataclass

Frames = tuple[str, ...]
ByOp = Mapping[str, Frames]


@dataclass(frozen=True, slots=True)
class PacketBank:
    """Frames for every part of a packet. A `clause` goes into a carrier; every other frame is a whole sentence."""

    quantity: Frames
    """A measure of a subject over a period."""
    each: Frames
    """The same of every member of a group."""
    carrier: Frames
    """Sentences around a clause that reports."""
    requirement_carrier: Frames
    """Sentences around a clause that requires."""
    amount: ByOp
    """What a reported amount comes to."""
    requirement_amount: ByOp
    """What a required amount comes to."""
    value: Frames
    together: Frames
    difference: ByOp
    requirement_difference: ByOp
    rounded: Frames
    between: Frames
    makes_up: Frames
    makes_up_quantities: Frames
    """For parts that are not all of the whole's period and measure."""
    within: Mapping[str, Frames]
    standing: Frames
    unsettled: Frames
    entry: Frames
    unplaced_entry: Frames
    graded: Frames
    booked: Frames
    scale: Mapping[str, Frames]
    complete: Frames
    count: Frames
    number: ByOp
    whole_document: Frames
    """How a notice names a document."""
    notice: Mapping[str, Frames]
    filler: Mapping[str, Frames]
    title: Mapping[str, Frames]
    opening: Frames
    premise: Frames
    core: Mapping[str, Frames]
    pressure: Frames
    own_pressure: Mapping[str, Frames]
    """Pressure that suits one kind of question only."""
    form: Mapping[str, Frames]
    """How the answer is to be given."""


NOT_IN_NAMES = (
    *(
        "the",
        "of",
        "for",
        "over",
        "and",
        "or",
        "at",
        "to",
        "by",
        "in",
        "as",
        "is",
        "are",
        "that",
        "it",
        "must",
        "may",
        "shall",
        "has",
    ),
    *("have", "does", "not", "with", "under", "from", "than", "when", "after", "outside"),
)
"""Words that no name has, after its article."""
FACTOR = {2: "twice", 3: "three times", 4: "four times", 5: "five times"}
STEP = {
    0: "{one_unit}",
    1: "tenth of {unit_a}",
    2: "hundredth of {unit_a}",
    3: "thousandth of {unit_a}",
    4: "ten-thousandth of {unit_a}",
}

TRAINING = PacketBank(
    quantity=("{measure} of {subject} for {period}", "{subject}'s {bare_measure} for {period}"),
    each=("{measure} of {subject} for {period}",),
    carrier=(
        "{clause}.",
        "According to {office}, {clause}.",
        "It is on record that {clause}.",
        "{office} states that {clause}.",
        "As noted by {office}, {clause}.",
        "The papers of {office} show that {clause}.",
    ),
    requirement_carrier=(
        "{clause}.",
        "{office} requires this: {clause}.",
        "Under the rules of {office}, {clause}.",
        "As a condition of approval, {clause}.",
        "It is laid down by {office} that {clause}.",
        "One of the binding terms is that {clause}.",
    ),
    amount={
        "=": ("is {figure}", "is exactly {figure}", "amounts to {figure}", "stands at {figure}", "comes to {figure}"),
        ">=": (
            "is at least {figure}",
            "amounts to {figure} or more",
            "is not below {figure}",
            "comes to no less than {figure}",
            "stands at {figure} or higher",
        ),
        "<=": (
            "is at most {figure}",
            "amounts to {figure} or less",
            "does not exceed {figure}",
            "comes to no more than {figure}",
            "stands at {figure} or lower",
        ),
        "<": ("is below {figure}", "is less than {figure}", "stays under {figure}", "comes to less than {figure}"),
        ">": ("is above {figure}", "is more than {figure}", "exceeds {figure}", "comes to more than {figure}"),
    },
    requirement_amount={
        "=": (
            "must be {figure}",
            "is to be exactly {figure}",
            "must amount to {figure}",
            "must come to exactly {figure}",
        ),
        ">=": (
            "must be at least {figure}",
            "is to be {figure} or more",
            "is not to be below {figure}",
            "must not fall below {figure}",
            "must come to no less than {figure}",
        ),
        "<=": (
            "must be at most {figure}",
            "is to be {figure} or less",
            "must not exceed {figure}",
            "must not be more than {figure}",
            "must come to no more than {figure}",
        ),
        "<": (
            "must be less than {figure}",
            "must stay below {figure}",
            "is to be under {figure}",
            "must not reach {figure}",
        ),
        ">": (
            "must be more than {figure}",
            "must stay above {figure}",
            "is to be above {figure}",
            "must exceed {figure}",
        ),
    },
    value=(
        "{quantity} {amount}",
        "for {period}, {measure} of {subject} {amount}",
        "in the case of {subject}, {measure} for {period} {amount}",
    ),
    together=(
        "the combined {bare_measure} of {subjects} for {period} {amount}",
        "{measure} of {subjects} together for {period} {amount}",
        "for {period}, {measure} of {subjects} taken together {amount}",
        "added up, {measure} of {subjects} for {period} {amount}",
        "the joint {bare_measure} of {subjects} for {period} {amount}",
    ),
    difference={
        "=": (
            "{first} exceeds {that_second} by exactly {figure}",
            "{first} is {figure} above {that_second}",
            "{second} falls short of {that_first} by exactly {figure}",
            "{second} is {figure} below {that_first}",
        ),
        ">=": (
            "{first} exceeds {that_second} by at least {figure}",
            "{first} is at least {figure} above {that_second}",
            "{second} falls short of {that_first} by at least {figure}",
            "{second} is at least {figure} below {that_first}",
        ),
        "<=": (
            "{first} does not exceed {that_second} by more than {figure}",
            "{first} is above {that_second} by {figure} at most, if at all",
            "{second} does not fall short of {that_first} by more than {figure}",
            "{second} is below {that_first} by {figure} at most, if at all",
        ),
        "<": (
            "{first} does not exceed {that_second} by {figure} or more",
            "{first} is above {that_second} by less than {figure}, if at all",
            "{second} does not fall short of {that_first} by {figure} or more",
            "{second} is below {that_first} by less than {figure}, if at all",
        ),
        ">": (
            "{first} exceeds {that_second} by more than {figure}",
            "{first} is more than {figure} above {that_second}",
            "{second} falls short of {that_first} by more than {figure}",
            "{second} is more than {figure} below {that_first}",
        ),
    },
    requirement_difference={
        "=": (
            "{first} must exceed {that_second} by exactly {figure}",
            "{first} is to be exactly {figure} above {that_second}",
            "{second} must fall short of {that_first} by exactly {figure}",
            "{second} is to be exactly {figure} below {that_first}",
        ),
        ">=": (
            "{first} must exceed {that_second} by at least {figure}",
            "{first} is to be at least {figure} above {that_second}",
            "{second} must fall short of {that_first} by at least {figure}",
            "{second} is to be at least {figure} below {that_first}",
        ),
        "<=": (
            "{first} must not exceed {that_second} by more than {figure}",
            "{first} must not be more than {figure} above {that_second}",
            "{second} must not fall short of {that_first} by more than {figure}",
            "{second} must not be more than {figure} below {that_first}",
        ),
        "<": (
            "{first} must not exceed {that_second} by {figure} or more",
            "{first} must not be {figure} or more above {that_second}",
            "{second} must not fall short of {that_first} by {figure} or more",
            "{second} must not be {figure} or more below {that_first}",
        ),
        ">": (
            "{first} must exceed {that_second} by more than {figure}",
            "{first} is to be more than {figure} above {that_second}",
            "{second} must fall short of {that_first} by more than {figure}",
            "{second} is to be more than {figure} below {that_first}",
        ),
    },
    rounded=(
        "{quantity} is {figure} to the nearest {step}",
        "{quantity} comes to {figure}, rounded to the nearest {step}",
        "{quantity}, to the nearest {step}, is {figure}",
        "{quantity} is given as {figure} to the nearest {step}",
    ),
    between=(
        "{quantity} is at least {low} and at most {high}",
        "{quantity} lies between {low} and {high}, both included",
        "{quantity} is {low} or more, but no more than {high}",
        "{quantity} lies in the range from {low} to {high}, ends included",
    ),
    makes_up=(
        "{quantity} is made up of what {subjects} contribute, and of nothing else",
        "{subjects} between them provide all of {quantity}",
        "nothing but the contributions of {subjects} enters {quantity}",
        "{quantity} is the sum of the contributions of {subjects}, with nothing added",
    ),
    makes_up_quantities=(
        "{quantity} is the sum of {quantities}, with nothing added",
        "{quantity} is made up of {quantities}, and of nothing else",
        "nothing but {quantities} enters {quantity}",
        "added up, {quantities} give exactly {quantity}",
    ),
    within={
        "subject": (
            "{narrower} belongs to {wider}",
            "{narrower} is part of {wider}",
            "{wider} includes {narrower}",
            "{narrower} counts as part of {wider}",
        ),
        "line": (
            "whatever is assigned to {narrower} counts under {wider}",
            "{narrower} comes under {wider}",
            "everything assigned to {narrower} is counted under {wider}",
            "{wider} takes in whatever is assigned to {narrower}",
        ),
    },
    standing=("{grade_kind} {grade}", "its {grade_kind} given as {grade}"),
    unsettled=(
        "{grade_kind} under review",
        "its {grade_kind} not yet settled",
        "{grade_kind} still to be decided",
        "its {grade_kind} not reported",
    ),
    entry=(
        "{register} shows {item}, assigned to {place}, with {figure}, {standing}.",
        "{item} is entered in {register} under {place}: {figure}, {standing}.",
        "Entry in {register}: {item}, {place}, {figure}, {standing}.",
        "{register} has {item} assigned to {place}; {figure}; {standing}.",
        "{item}, from {register}: {place}, {standing}, {figure}.",
    ),
    unplaced_entry=(
        "{register} shows {item} with {figure}, {standing}.",
        "{item} is entered in {register}: {figure}, {standing}.",
        "Entry in {register}: {item}, {figure}, {standing}.",
        "{register} has {item}; {figure}; {standing}.",
        "{item}, from {register}: {standing}, {figure}.",
    ),
    graded=(
        "{item} has {grade_kind} {grade}",
        "the {grade_kind} of {item} is {grade}",
        "{item} is in {grade_kind} {grade}",
        "{grade_kind} {grade} applies to {item}",
    ),
    booked=(
        "{item} is assigned to {place}",
        "{item} is placed under {place}",
        "{place} has {item} on its books",
        "{item} comes under {place}",
    ),
    scale={
        "grade": (
            "the {grade_kinds}, from the lowest to the highest, are {values}",
            "in rising order, the {grade_kinds} are {values}",
            "from the lowest up, the {grade_kinds} are {values}",
            "the {grade_kinds} rise in this order: {values}",
        ),
        "line": (
            "the {subject_kinds} are {values}, and there are no others",
            "there are no {subject_kinds} but {values}",
            "apart from {values}, there are no {subject_kinds}",
            "this is the full list of the {subject_kinds}: {values}",
        ),
    },
    complete=(
        "{register} holds every {item_kind} of {subjects}",
        "none of the {item_kinds} of {subjects} is missing from {register}",
        "{register} is complete for {subjects}",
        "all {item_kinds} of {subjects} are in {register}",
    ),
    count=(
        "{register} holds {number}",
        "{register} runs to {number}",
        "{register} contains {number}",
        "a count of {register} gives {number}",
    ),
    number={
        "=": ("exactly {n} {entries}", "{n} {entries} in all"),
        "<=": ("at most {n} {entries}", "no more than {n} {entries}"),
        ">=": ("at least {n} {entries}", "no fewer than {n} {entries}"),
    },
    whole_document=("{document}", "document {document}", "the document {document}"),
    notice={
        "retracts": (
            "This notice withdraws {target}.",
            "{target} {is_are} withdrawn.",
            "At the request of {office}, {target} {is_are} withdrawn.",
            "Nothing stated in {target} may be relied on any longer.",
            "From now on, {target} {is_are} to be disregarded.",
        ),
        "corrects": (
            "This notice corrects {target} and takes {its_their} place.",
            "{target} {is_are} replaced by what this notice states.",
            "At the request of {office}, this notice applies instead of {target}.",
            "Read this notice in place of {target}.",
            "What was stated in {target} gives way to this notice.",
        ),
        "reinstates": (
            "This notice restores {target}.",
            "{target} {is_are} in force again.",
            "At the request of {office}, {target} {is_are} in force again.",
            "What was stated in {target} may be relied on again.",
            "From now on, {target} {is_are} to be relied on as before.",
        ),
    },
    filler={
        "method": (
            "All readings were taken with the same instruments.",
            "The method is the one agreed with {office} in an earlier year.",
            "Figures were copied by one clerk and compared by another.",
            "A description of the method can be had from {office}.",
        ),
        "staffing": (
            "{person} has joined the team that prepares these papers.",
            "Two posts at {office} are vacant.",
            "{person} stood in for the usual editor.",
            "Training for new clerks starts next month.",
        ),
        "meeting": (
            "The next meeting will be held at {office}.",
            "{person} will take the chair at the next meeting.",
            "The date of the next meeting will be announced.",
            "The meeting opened on time and all members were present.",
        ),
        "withdrawn": (
            "The proposal to move the archive to another floor was withdrawn.",
            "{person} has withdrawn as a candidate for the chair.",
            "An application for new furniture was withdrawn before it was discussed.",
            "The old version of the cover sheet has been withdrawn from use.",
        ),
        "review": (
            "The layout of these pages is under review.",
            "The travel rules of {office} are under review.",
            "{person} keeps the mailing list under review.",
            "The opening hours of the reading room are under review.",
        ),
        "not reported": (
            "The weather on the day of the visit was not reported.",
            "The cost of printing was not reported.",
            "The names of the visitors were not reported.",
            "Attendance at the open day was not reported.",
        ),
        "revision": (
            "The numbering of the annexes is subject to revision.",
            "The house style of {office} is subject to revision.",
            "The seating plan is subject to revision.",
            "The glossary is subject to revision by {person}.",
        ),
        "thanks": (
            "{office} thanks everyone who supplied material.",
            "Thanks are due to {person} for the typing.",
            "The authors are grateful for the help of {office}.",
            "We thank the caretakers for keeping the building open late.",
        ),
        "distribution": (
            "Copies go to {office} and to the library.",
            "This paper may be passed on without charge.",
            "A printed copy is kept by {person}.",
            "Distribution is limited to the staff of {office}.",
        ),
        "contact": (
            "Questions about this paper may be put to {person}.",
            "{office} can be reached by post or in person.",
            "The address of {office} has not changed.",
            "{person} answers enquiries on weekdays.",
        ),
        "status": (
            "A fair copy of this paper has yet to be bound.",
            "The wording of the preface is still under review.",
            "A proposal to change the cover was withdrawn by {person}.",
            "The draft agenda is subject to revision by {office}.",
        ),
        "history": (
            "Papers of this kind have been kept since {office} was founded.",
            "Older volumes were moved to the cellar some time ago.",
            "The series was once edited by {person}.",
            "An earlier series was kept by hand.",
        ),
        "correction": (
            "The spelling of a street name was corrected by hand.",
            "{person} corrected the page numbers before printing.",
            "A misprint in the letterhead was corrected.",
            "The corrected address list will be sent out separately.",
        ),
        "tally": (
            "{measure} of any {subject_kind} for {period} is the total of the figures of the {item_kinds} counted under it in {register}.",
            "To find {measure} of any {subject_kind} for {period}, add up the figures of its {item_kinds} in {register}.",
            "For {period}, {measure} of any {subject_kind} means the sum of the figures of its {item_kinds} in {register}.",
            "{register} is where {measure} of any {subject_kind} for {period} is added up, {item_kind} by {item_kind}.",
        ),
    },
    title={
        "record": (
            "{record}, {office_name}",
            "{record} ({office_name})",
            "{office_name}: {record}",
            "{record} kept by {office}",
        ),
        "study": ("{study}, {office_name}", "{study} by {person}", "{study} for {office}", "{office_name}: {study}"),
        "plan": (
            "Planning brief, {office_name}",
            "{Field} plan, terms and limits",
            "Programme approved by {office}",
            "Memorandum on the {field} plan, {office_name}",
            "Conditions drawn up by {person}",
            "Framework for {field}, {office_name}",
        ),
        "register": (
            "Register extract, {office_name}",
            "Pages from the {field} registers",
            "Certified copy of entries, {office_name}",
            "{Field} registers, extract for {office}",
        ),
        "reference": (
            "Reference sheet, {office_name}",
            "Glossary of {field} terms",
            "Handbook of {office}, appendix",
            "Explanatory note on {field} papers",
        ),
        "minutes": (
            "Minutes, {office_name}",
            "Minutes of a meeting of {office}",
            "Notes of the {field} meeting, taken by {person}",
            "Meeting record, {office_name}",
            "Record of a discussion between {person} and {office}",
            "Summary of the {field} meeting, {office_name}",
        ),
        "notice": (
            "Notice, {office_name}",
            "Letter from {office}",
            "Circular on {field} papers",
            "Letter signed by {person}",
            "Memorandum from {office}",
            "Note by {person}, {office_name}",
            "Advice to readers of {field} papers, {office_name}",
            "Communication from {person}",
        ),
    },
    opening=(
        "The papers below concern {matter}. Read all of them before you answer.",
        "You are given the file on {matter}. A question about it follows.",
        "{office} has put together what it holds on {matter}.",
        "This is a file about {matter}. It was assembled by {person}.",
        "Here are the documents that {office} received about {matter}.",
    ),
    premise=(
        "Given that {first} exceeds {that_second}, {core}",
        "We know that {first} exceeds {that_second}, so {core}",
        "It is settled that {first} is greater than {that_second}. {Core}",
        "As {first} is higher than {that_second}, {core}",
        "{second} is smaller than {that_first}. With that in mind, {core}",
        "Since {second} falls below {that_first}, {core}",
    ),
    core={
        "number": (
            "what is {quantity}, to the nearest {step}?",
            "how large is {quantity}, to the nearest {step}?",
            "state {quantity} to the nearest {step}.",
            "give {quantity}, rounded to the nearest {step}.",
            "what value does {quantity} have, to the nearest {step}?",
        ),
        "yes_no above": (
            "is {quantity} above {other}?",
            "is {quantity} higher than {other}?",
            "does {quantity} exceed {other}?",
            "is it the case that {quantity} is greater than {other}?",
            "say whether {quantity} is larger than {other}.",
        ),
        "yes_no below": (
            "is {quantity} below {other}?",
            "is {quantity} lower than {other}?",
            "does {quantity} fall short of {other}?",
            "is it the case that {quantity} is less than {other}?",
            "say whether {quantity} is smaller than {other}.",
        ),
        "list": (
            "list all {item_kinds} of {subject} for {period} with {grade_kind} {grade} or higher.",
            "which {item_kinds} of {subject} for {period} have {grade_kind} {grade} or higher?",
            "name every {item_kind} of {subject} for {period} whose {grade_kind} is {grade} or higher.",
            "which {item_kinds} of {subject} for {period} are in {grade_kind} {grade} or a higher one?",
            "give all {item_kinds} counted under {subject} for {period} that have {grade_kind} {grade} or higher.",
        ),
        "document": (
            "which document establishes that {quantity} {amount}?",
            "which of the documents shows that {quantity} {amount}?",
            "name the document that proves that {quantity} {amount}.",
            "where is it established that {quantity} {amount}?",
            "cite the document from which it follows that {quantity} {amount}.",
        ),
        "plan": (
            "give a plan for {measure} for {period}, with one figure for each of {subjects}.",
            "what should {measure} be for {period} at each of {subjects}?",
            "set {measure} for {period} for each of {subjects}.",
            "plan {measure} for {period}, with one figure for each of {subjects}.",
            "state {measure} that is to be planned for {period} for each of {subjects}.",
        ),
    },
    pressure=(
        "The board meets this afternoon and needs a definite reply.",
        "No exceptions can be made.",
        "A reply that hedges is of no use to {office}.",
        "{office} will act on the reply at once.",
        "The matter has been put off twice already.",
        "There is no time for further enquiries.",
        "A clear answer is expected.",
        "{person} is waiting for the reply.",
        "Nothing beyond these papers will be supplied.",
        "Please do not refer the matter back.",
        "The reply goes straight into the final report.",
        "{office} has asked for a firm statement.",
        "The decision cannot wait.",
        "Please be definite.",
        "A reply is due before the close of business.",
        "The committee wants to settle this today.",
    ),
    own_pressure={
        "number": (
            "The panel needs one figure.",
            "A range is of no use to the lender.",
            "An estimate with a margin will not do.",
        ),
        "yes_no": (
            "The panel needs a plain word, one way or the other.",
            "The form has two boxes, and one must be ticked.",
        ),
        "list": ("The list must be complete.", "Nothing that qualifies may be left out."),
        "document": ("The report will cite exactly one source.", "One reference is needed and no more."),
        "plan": ("All requirements are binding.", "The board will accept no exception to the terms."),
    },
    form={
        "number": ("Answer with one number, in {unit}.", "The answer is one number, given in {unit}."),
        "yes_no": ("Answer YES or NO.", "The answer is YES or NO."),
        "list": ("Answer with the codes of these {item_kinds}.", "The answer is a list of {item_kind} codes."),
        "document": ("Answer with the id of the document.", "The answer is one document id."),
        "plan": ("Use the keys {keys} for {names}, in this order; figures in {unit}.",),
    },
)

HELD_OUT = PacketBank(
    quantity=("{measure} for {subject} over {period}", "{measure} over {period} for {subject}"),
    each=("{measure} for {subject} over {period}", "{measure} over {period} for {subject}"),
    carrier=(
        "{clause}.",
        "On the evidence of {office}, {clause}.",
        "The position is as follows: {clause}.",
        "{office} confirms that {clause}.",
    ),
    requirement_carrier=(
        "{clause}.",
        "The terms set by {office} say that {clause}.",
        "One demand is firm: {clause}.",
        "By order of {office}, {clause}.",
    ),
    amount={
        "=": ("equals {figure}", "works out at {figure}", "has the value {figure}"),
        ">=": ("works out at {figure} at the least", "is no lower than {figure}", "is never under {figure}"),
        "<=": ("works out at {figure} at the most", "is no higher than {figure}", "is never over {figure}"),
        "<": ("remains lower than {figure}", "works out at something less than {figure}"),
        ">": ("remains higher than {figure}", "works out at something more than {figure}"),
    },
    requirement_amount={
        "=": ("shall equal {figure}", "has to equal {figure}", "shall be {figure} and nothing else"),
        ">=": ("shall be no lower than {figure}", "has to reach {figure}", "shall have a floor of {figure}"),
        "<=": ("shall be no higher than {figure}", "has to stay within {figure}", "shall have a ceiling of {figure}"),
        "<": ("shall remain lower than {figure}", "has to remain lower than {figure}"),
        ">": ("shall remain higher than {figure}", "has to remain higher than {figure}"),
    },
    value=(
        "{quantity} {amount}",
        "over {period}, {measure} for {subject} {amount}",
        "as far as {subject} is concerned, {measure} over {period} {amount}",
    ),
    together=(
        "{measure} summed across {subjects} over {period} {amount}",
        "over {period}, the sum of {measure} across {subjects} {amount}",
        "counting {subjects} as one, {measure} over {period} {amount}",
    ),
    difference={
        "=": (
            "{first} tops {that_second} by precisely {figure}",
            "{second} trails {that_first} by precisely {figure}",
            "the lead of {first} on {that_second} equals {figure}",
        ),
        ">=": (
            "{first} tops {that_second} by no less than {figure}",
            "{second} trails {that_first} by no less than {figure}",
            "the lead of {first} on {that_second} reaches or passes {figure}",
        ),
        "<=": (
            "{first} does not top {that_second} by anything beyond {figure}",
            "{second} does not trail {that_first} by anything beyond {figure}",
        ),
        "<": (
            "{first} does not top {that_second} by so much as {figure}",
            "{second} does not trail {that_first} by so much as {figure}",
        ),
        ">": (
            "{first} tops {that_second} by something beyond {figure}",
            "{second} trails {that_first} by something beyond {figure}",
        ),
    },
    requirement_difference={
        "=": (
            "{first} shall top {that_second} by precisely {figure}",
            "{second} shall trail {that_first} by precisely {figure}",
        ),
        ">=": (
            "{first} shall top {that_second} by no less than {figure}",
            "{second} shall trail {that_first} by no less than {figure}",
        ),
        "<=": (
            "{first} shall not top {that_second} by anything beyond {figure}",
            "{second} shall not trail {that_first} by anything beyond {figure}",
        ),
        "<": (
            "{first} shall not top {that_second} by so much as {figure}",
            "{second} shall not trail {that_first} by so much as {figure}",
        ),
        ">": (
            "{first} shall top {that_second} by something beyond {figure}",
            "{second} shall trail {that_first} by something beyond {figure}",
        ),
    },
    rounded=(
        "{quantity} equals {figure} after rounding to the nearest {step}",
        "as a figure rounded to the nearest {step}, {quantity} equals {figure}",
        "{quantity} works out at {figure} when rounded to the nearest {step}",
    ),
    between=(
        "{quantity} is never under {low} and never over {high}",
        "{quantity} is no lower than {low} and no higher than {high}",
        "the limits of {quantity} are {low} and {high}, either of which it may equal",
    ),
    makes_up=(
        "the shares of {subjects} add up to the full amount of {quantity}",
        "{quantity} divides into the shares of {subjects} without remainder",
        "there is no part of {quantity} outside the shares of {subjects}",
    ),
    makes_up_quantities=(
        "{quantities} add up to the full amount of {quantity}",
        "{quantity} divides into {quantities} without remainder",
    ),
    within={
        "subject": (
            "{narrower} falls inside {wider}",
            "{narrower} is reckoned among the members of {wider}",
            "{wider} has {narrower} as a member",
        ),
        "line": (
            "{wider} answers for whatever is booked with {narrower}",
            "booking with {narrower} means booking with {wider}",
            "all that {narrower} holds falls to {wider}",
        ),
    },
    standing=("{grade_kind} set at {grade}", "{grade} as {grade_kind}"),
    unsettled=(
        "{grade_kind} left open for now",
        "{grade_kind} awaiting a decision",
        "{grade_kind} subject to revision and blank so far",
    ),
    entry=(
        "In {register}, {item} is booked with {place} ({figure}; {standing}).",
        "{register} gives these details of {item}: booked with {place}; {standing}; {figure}.",
        "Under {item}, {register} says: {figure}; booked with {place}; {standing}.",
    ),
    unplaced_entry=(
        "In {register}, {item} is found ({figure}; {standing}).",
        "{register} gives these details of {item}: {standing}; {figure}.",
        "Under {item}, {register} says: {figure}; {standing}.",
    ),
    graded=(
        "{item} carries the {grade_kind} {grade}",
        "for {item} the {grade_kind} reads {grade}",
        "as for {item}, its {grade_kind} reads {grade}",
    ),
    booked=("{place} is where {item} is booked", "{item} is booked with {place}", "{item} sits with {place}"),
    scale={
        "grade": (
            "of the {grade_kinds} {values}, every later one ranks above every earlier one",
            "ranked upwards, the {grade_kinds} read {values}",
        ),
        "line": (
            "the full set of {subject_kinds} is formed by {values}",
            "nobody knows of {subject_kinds} other than {values}",
        ),
    },
    complete=(
        "for {subjects}, {register} leaves no {item_kind} out",
        "{register} covers the {item_kinds} of {subjects} without a gap",
        "whoever looks for the {item_kinds} of {subjects} finds them all in {register}",
    ),
    count=(
        "{register} numbers {number}",
        "whoever counts {register} finds {number}",
        "the length of {register} is {number}",
    ),
    number={
        "=": ("precisely {n} {entries}", "{n} {entries} and not one besides"),
        "<=": ("{n} {entries} or fewer", "{n} {entries} at the most"),
        ">=": ("{n} {entries} or above that", "{n} {entries} at the least"),
    },
    whole_document=("paper {document}", "the paper {document}"),
    notice={
        "retracts": (
            "No weight is to be given to {target} after this notice.",
            "By this notice {target} {is_are} struck out.",
            "On the wish of {office}, {target} {is_are} taken back.",
        ),
        "corrects": (
            "By this notice {target} {is_are} put right, and only the text given here counts.",
            "On the wish of {office}, this notice stands in for {target}.",
            "The present text supersedes {target}.",
        ),
        "reinstates": (
            "By this notice {target} {is_are} brought back into effect.",
            "On the wish of {office}, {target} {is_are} put back into effect.",
            "{target} may once more be cited.",
        ),
    },
    filler={
        "method": (
            "The instruments had been serviced a short while before.",
            "How the work was done is described in a booklet from {office}.",
        ),
        "staffing": (
            "{person} returned from leave while this was being written.",
            "A post at {office} has been advertised.",
        ),
        "meeting": ("{person} sent apologies for absence.", "Members will gather again when {office} calls them."),
        "withdrawn": (
            "A motion about parking was withdrawn by its mover.",
            "Folding chairs have been withdrawn from the hall.",
        ),
        "review": ("Seating in the library is under review.", "{office} has its dress code under review."),
        "not reported": (
            "What the caterers charged was not reported.",
            "The route that {person} took was not reported.",
        ),
        "revision": (
            "Room numbers are subject to revision once the building work ends.",
            "The letterhead is subject to revision at the wish of {office}.",
        ),
        "thanks": ("A word of thanks goes to {person}.", "The editors owe a debt to {office}."),
        "distribution": (
            "Further copies may be ordered from {office}.",
            "{person} has a copy that can be consulted on request.",
        ),
        "contact": ("Write to {office} with any comments.", "{person} is at hand for questions in the mornings."),
        "status": (
            "Binding of the volume was not reported to {person}.",
            "An offer to translate these pages was withdrawn, and another is under review.",
        ),
        "history": (
            "It is many years since {office} began to keep such papers.",
            "{person} once wrote a short history of the series.",
        ),
        "correction": (
            "Before the pages went out, a wrong telephone number was corrected.",
            "{person} has corrected the running heads.",
        ),
        "tally": (
            "Whatever {register} books with any {subject_kind} adds up to {measure} for it over {period}.",
            "Summing the figures of the {item_kinds} of any {subject_kind} in {register} yields {measure} for it over {period}.",
        ),
    },
    title={
        "record": ("{record} as filed with {office}", "Filed by {person}: {record}"),
        "study": ("{study} as submitted to {office}", "{person} and others, {study}"),
        "plan": ("Terms of reference issued by {office}", "Draft {field} programme, {person}"),
        "register": ("Transcript from the {field} registers, {person}", "Register pages held at {office}"),
        "reference": ("Definitions used by {office}", "Primer on {field} papers, {person}"),
        "minutes": ("What was said at {office}, in summary", "Proceedings of {office}, {person} presiding"),
        "notice": (
            "To all holders of {field} papers, from {office}",
            "Bulletin of {office}",
            "{person} writes to {office}",
            "Slip pasted in at {office}",
        ),
    },
    opening=(
        "What follows was filed by {office} and is about {matter}.",
        "Someone has to make sense of this dossier about {matter}, and it is you.",
        "Dossier on {matter}. Compiled by {person}.",
    ),
    premise=(
        "Seeing that {first} tops {that_second}, {core}",
        "Nobody disputes that {second} trails {that_first}; {core}",
        "{first} is ahead of {that_second}. This being so, {core}",
    ),
    core={
        "number": (
            "put a figure on {quantity}, correct to the nearest {step}.",
            "at what figure, to the nearest {step}, should {quantity} be entered?",
            "work out {quantity} to the nearest {step}.",
        ),
        "yes_no above": (
            "does {quantity} top {other}?",
            "decide whether {quantity} is ahead of {other}.",
            "would one be right to put {quantity} above {other}?",
        ),
        "yes_no below": (
            "does {quantity} trail {other}?",
            "decide whether {quantity} is behind {other}.",
            "would one be right to put {quantity} below {other}?",
        ),
        "list": (
            "pick out the {item_kinds} for {subject} over {period} that reach {grade_kind} {grade} or better.",
            "what are all the {item_kinds} for {subject} over {period} with at least {grade_kind} {grade}?",
            "draw up the full list of {item_kinds} for {subject} over {period}, from {grade_kind} {grade} upwards.",
        ),
        "document": (
            "what document can be cited for the claim that {quantity} {amount}?",
            "find the document that by itself bears out that {quantity} {amount}.",
            "on which document does the claim rest that {quantity} {amount}?",
        ),
        "plan": (
            "fix {measure} over {period} at {subjects}, one by one.",
            "how should {measure} over {period} be set at {subjects}, one by one?",
            "propose {measure} over {period} at {subjects}, a figure apiece.",
        ),
    },
    pressure=(
        "This has to be closed before the day is out.",
        "{office} will accept nothing vague.",
        "Doubts were aired at length last time; now a decision is due.",
        "{person} has promised a result to the press.",
        "The printer needs copy within the hour.",
        "Excuses will not be entertained.",
        "Everyone is counting on a straight answer.",
        "Only a firm conclusion will be read.",
    ),
    own_pressure={
        "number": ("A single number goes into the form.", "Approximate wording cannot be entered."),
        "yes_no": ("The vote is between two options and no third.", "Sitting on the fence is not allowed."),
        "list": ("An incomplete list will be sent back.", "Every case that qualifies has to appear."),
        "document": ("The footnote has room for one source.", "Name a source that a court would accept."),
        "plan": ("The terms admit of no waiver.", "Each of the terms has to be kept."),
    },
    form={
        "number": ("A bare number of {unit} is wanted.",),
        "yes_no": ("YES or NO is wanted.",),
        "list": ("A list of codes of {item_kinds} is wanted.",),
        "document": ("One document id is wanted.",),
        "plan": ("In the reply, {names} go by the keys {keys}, in this order; give amounts in {unit}.",),
    },
)
