"""What graders are told about a packet: which documents matter and why, what is out of force, what the proof rests on.

In: the words of an explained task. Out: sentences and lists of ids for the private fields of a record.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from impossible_rubrics_env.explain import Words
from impossible_rubrics_env.release.prose import names_in_words

MAX_SUPPORTED = 24
"""Most paragraphs that are listed as supported claims."""
_NOTICES = ("retracts", "corrects", "reinstates")
_POINTS = ("world", "worlds", "limits")
"""Parts of proofs with points, whose variables are no facts."""


class Notes:
    """Lookups on one task."""

    def __init__(self, words: Words) -> None:
        if words.packet is None:
            raise ValueError("notes are about packets")
        self._words, self._packet = words, words.packet
        self.documents: list[Mapping[str, Any]] = list(words.task["packet"]["documents"])
        self._texts = {one["id"]: one["text"] for document in self.documents for one in document["sentences"]}
        self._places: dict[str, str] = {
            one["id"]: document["id"] for document in self.documents for one in document["sentences"]
        }
        self._in_force = {one.fact.id for one in self._packet.in_force}
        self._out = {
            sentence: one.sentence
            for sentence, one in self._packet.decided.items()
            if words.facts[one.fact.id]["kind"] != "reinstates"
        }
        self._used = [name for name in self._texts if name in set(self._used_sentences())]

    def document_of(self, name: str) -> str:
        """The document of a paragraph; of a document, itself."""
        return self._places.get(name, name)

    def paragraphs(self) -> list[str]:
        """Paragraphs that the proof rests on, in the order of the packet."""
        return list(self._used)

    def supporting(self) -> list[str]:
        """Documents that the answer rests on; at least one."""
        names = dict.fromkeys(self._places[name] for name in self._used)
        answer = self._main().get("answer")
        if self._words.question["kind"] == "document" and isinstance(answer, str):
            names.setdefault(answer)
        stating = (self._places[name] for name in self._texts if self._states(name))
        return list(names) or [next(stating, self.documents[0]["id"])]

    def supported(self) -> list[dict[str, Any]]:
        """What the proof rests on, as claims that the packet supports."""
        return [
            {"claim": self._texts[name], "supporting_docs": [self._places[name]]} for name in self._used[:MAX_SUPPORTED]
        ]

    def defeats(self) -> list[dict[str, Any]]:
        """Documents of which a notice in force puts a stated fact out of force."""
        return [
            {
                "claim": f"What {one['document']} states can be relied on.",
                "counter_docs": [one["notice"]],
                "reason": f"A notice in {one['notice']} puts it out of force.",
            }
            for one in self._words.task["certificate"]["proof"]["defeats"]
        ]

    def is_notice(self, document: Mapping[str, Any]) -> bool:
        """Whether the document withdraws, corrects or reinstates another."""
        return any(fact["kind"] in _NOTICES for one in document["sentences"] for fact in one["facts"])

    def relevance(self, document: Mapping[str, Any]) -> str:
        """The remark on one document."""
        parts = list(self._remarks(document))
        return " ".join(parts) or "States nothing that the question depends on."

    def _remarks(self, document: Mapping[str, Any]) -> Iterator[str]:
        names = [one["id"] for one in document["sentences"]]
        used = [name for name in names if name in self._used]
        if used:
            yield f"What is settled rests on {names_in_words(used)}."
        for name in names:
            if name in self._out:
                yield f"{name} is out of force, by {self._out[name]}."
        notices = [one["id"] for one in document["sentences"] if any(f["kind"] in _NOTICES for f in one["facts"])]
        for name in notices:
            decided = [other for other, one in self._packet.decided.items() if one.sentence == name]
            yield f"{name} decides on {names_in_words(decided)}." if decided else f"The notice {name} decides nothing."

    def _main(self) -> Mapping[str, Any]:
        main: Mapping[str, Any] = self._words.task["certificate"]["proof"]["main"]
        return main

    def _used_sentences(self) -> Iterator[str]:
        """Paragraphs of the facts that the main proof names, and of those that its kind implies."""
        main = self._main()
        if main["kind"] == "minimal_conflict":
            yield from main["members"]
        for name in _names({part: one for part, one in main.items() if part not in _POINTS}):
            if name in self._words.sentence:
                yield self._words.sentence[name]
        for fact in self._words.of_kind("linear", "finding"):
            if self._is_implied(fact, main):
                yield self._words.sentence[fact["id"]]

    def _is_implied(self, fact: Mapping[str, Any], main: Mapping[str, Any]) -> bool:
        """Requirements of a plan, amounts of entries in a total, and the finding that a quantity is compared with."""
        target = self._words.question["target"]
        if fact["kind"] == "finding":
            than = target.get("than", {}) if isinstance(target, Mapping) else {}
            return main["kind"] == "findings" and "attributes" in than and fact["attributes"] == than["attributes"]
        if main["kind"] == "world":
            return bool(fact["role"] == "requirement")
        if main["kind"] == "enumeration" and isinstance(target, Mapping) and "total" in target:
            (name, *others) = fact["terms"]
            return not others and main["items"].get(name, {}).get("status") == "in"
        return False

    def _states(self, sentence: str) -> bool:
        """Whether a paragraph has a fact in force that is no notice."""
        stating = (name for name in self._in_force if self._words.facts[name]["kind"] not in _NOTICES)
        return any(self._words.sentence[name] == sentence for name in stating)


def _names(value: Any) -> Iterator[str]:
    """Every text of a JSON value, names of objects included."""
    if isinstance(value, Mapping):
        for name, member in value.items():
            yield name
            yield from _names(member)
    elif isinstance(value, (list, tuple)):
        for member in value:
            yield from _names(member)
    elif isinstance(value, str):
        yield value
