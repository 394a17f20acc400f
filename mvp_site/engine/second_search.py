"""Questions in two steps: what the first search found is looked up again, in the rules.

"What spells can I cast that help in the Underdark?" needs the sheet's spells first, and then the
rule of each, held against the situation. "Spells to counter invisibility" needs what the rules call
such a thing first, and then what ends or reveals it. Both are worked out from the rules' texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from ..rulebook.categories import Category
from ..rulebook.rulebook import MAX_LIMIT, Rulebook
from ..rulebook.sections import Section
from ..text.names import title_key, words
from ..text.normalising import content_words
from ..text.sentences import sentences
from ..text.typos import closest
from .gazetteer import type_of
from .sources import TABLE_RELEVANCE
from .types import Decision, Domain, Evidence, Question

Results = Mapping[Domain, Sequence[Evidence]]
WORKED_OUT: Final = "rulebook/steps/"
"""How the ids of evidence begin that was worked out for a question."""
LISTED: Final = 6
"""The most things that an answer in steps names."""
OWN: Final = 0.5
"""The least chance that sheet, rules and notes are needed where own spells are meant."""
FITTING: Final = 3
"""Of the sheet's spells the rules of so many are given."""
UNREADY: Final = 0.5
"""What a spell counts that cannot be cast now."""
_CANNOT: Final = " cannot be cast now"
_KINDS: Final = {"spell": "spell", "cantrip": "spell", "item": "magic_item",
                 "feature": "feature", "potion": "magic_item", "scroll": "magic_item"}
_SPELLS: Final = "/spell_list/"
_WHICH: Final = re.compile(
    r"\b(?:wh?ich|wh?at'?s?|any|some|have|got|know|list|show|give|need|want|best|good|other|are|all)\b")
"""What stands before the things that are asked for; "can I cast two spells" asks for none."""
_CAST: Final = re.compile(r"\bwh?at(?:'?s| else)? (?:can|could|should|do|would) \w+ cast(?= )")
"""How spells are asked for without the word: "what can I cast that …"."""
_BEHIND: Final = re.compile(
    r"\b(?:to|that|which|for|against|in|inside|when|while|if|during|on|under|useful|handy|good|"
    r"best|help\w*)\b\W*", re.IGNORECASE)
"""What stands between the things that are asked for and what they are to do."""
_FURTHER_LINK: Final = re.compile(
    rf"(?:(?:would|could|can|might|will|be|are|is|me|us)\W+)*{_BEHIND.pattern}", re.IGNORECASE)
"""The same again: "that would be useful in"."""
_VERBS: Final = {
    "ends": r"counter\w*|dispel\w*|cur(?:e[sd]?|ing)|end(?:s|ed|ing)?|remov\w*|"
            r"(?:get\w*|got) rid of|negat\w*|neutrali[sz]\w*|suppress\w*|"
            r"revers\w*|revert\w*|break\w*|undo\w*|lift\w*|"
            r"heal\w*|stop\w*|no longer|free[ds]? (?:of|from)|can(?:'t|not) b(?:enefit from|ecome)",
    "shows": r"reveal\w*|detect\w*|see(?:s|ing)?|perceiv\w*|spot\w*|find(?:s|ing)?|notic\w*|"
             r"sense[sd]?",
    "wards": r"protect\w*|immun\w*|resist\w*|prevent\w*|ward\w*|against|safe from|beat\w*|fight\w*|"
             r"can(?:'t|not) be(?! \w+ (?:through|by))",
}
"""How questions and rules say that something is ended, shown, or kept off."""
_SPOKEN: Final = re.compile("|".join(rf"\b(?P<{name}>{verbs})\b" for name, verbs in _VERBS.items()),
                            re.IGNORECASE)
_BULLET: Final = re.compile(r"\n\s*[-*] ")
_REACH: Final = 110
"""Characters in which stands what is done to it."""
_PASSIVE: Final = re.compile(r"\b(?:is|are|be)\s+\Z")
"""Before a verb: what it is done to stands in front."""
_SPEAKING: Final = re.compile(r"following|condition|effects?\b")
_FURTHER: Final = 320
"""The same where what is meant is told behind: "one of the following effects"."""
_CHARS: Final = 120


@dataclass(frozen=True, slots=True)
class Countering:
    """A sentence by which a thing of the rules ends, shows or keeps off something."""

    section: Section
    type: str
    verb: str
    sentence: str
    behind: frozenset[str]


@dataclass(frozen=True, slots=True)
class _SpellQuestion:
    """What a question asks for: kind of things, purpose, how they do it, whether own ones."""

    type: str = ""
    purpose: str = ""
    verb: str = ""
    own: bool = False


class Steps:
    """The second look-up. Thread-safe; ``rulebook`` opens the rules."""

    def __init__(self, rulebook: Callable[[], Rulebook]) -> None:
        self._rulebook = rulebook

    def second_look_up(self, results: Results, question: Question) -> tuple[Evidence, ...]:
        """Further evidence of the rules, the likeliest first; () where a question has one step.

        Raises:
            MvpSiteError: the rules cannot be asked.
        """
        asked = _read(question)
        own = {title_key(piece.title): piece for piece in results.get("character", ())
               if _SPELLS in piece.id and not piece.id.endswith(("/all", "/slots"))
               and not piece.fields} if asked.own else {}
        if asked.verb:
            return tuple(self._countering(asked.type, asked.purpose, asked.verb, own))
        return tuple(self._fitting(own, asked.purpose, question, results)) if own else ()

    def needed(self, question: Question, decisions: Sequence[Decision]) -> tuple[Decision, ...]:
        """The decisions, with sheet, rules and notes needed where the asker's own spells are meant.

        Such a question is answered out of all three, whatever it sounds like.
        """
        asked = _read(question)
        return tuple(
            replace(row, is_needed=True, confidence=max(row.chance, OWN))
            if asked.own and asked.purpose and row.domain != "books" and not row.is_needed else row
            for row in decisions)

    def _countering(self, kind: str, purpose: str, verb: str, own: Mapping[str, Evidence],
                    ) -> Iterator[Evidence]:
        """The things of a kind that end, show or keep off what is named."""
        book = self._rulebook()
        named = _SPOKEN.sub(" ", purpose)
        if not (target := content_words(named)):
            return
        conditions = {word for section in book.sections if type_of(section) == "condition"
                      for word in content_words(section.title)}
        targets = target | {closest(word, conditions) or word for word in target} | {
            word for hit in book.search(named, categories=[Category.CONDITIONS], limit=1)
            if hit.relevance >= book.floor and type_of(hit.section) == "condition"
            for word in content_words(hit.section.title)}
        verbs = {verb, "shows"} if verb == "ends" else {verb}
        rows = [row for row in countering(book) if row.type == kind and row.verb in verbs
                and (not own or title_key(row.section.title) in own)
                and targets & row.behind]
        unique = {row.section.id: row for row in reversed(rows)}
        order = {hit.section.id: at for at, hit in enumerate(
            book.search(f"{kind} {purpose}", limit=MAX_LIMIT))}
        best = sorted(unique.values(), key=lambda row: (
            order.get(row.section.id, len(order)), row.section.title))[:LISTED]
        if best:
            text = "; ".join(f"{row.section.title}: {_short(row.sentence)}" for row in best)
            whose = "of the sheet " if own else ""
            yield _listing(f"{kind.replace('_', ' ')}s {whose}{purpose}".capitalize(), text,
                           [row.section.title for row in best], book.source)

    def _fitting(self, own: Mapping[str, Evidence], situation: str, question: Question,
                 results: Results) -> Iterator[Evidence]:
        """The sheet's spells by how far their rules, the sheet and the notes fit a situation."""
        book = self._rulebook()
        about = content_words(situation)
        others: tuple[Domain, ...] = ("session_notes", "books", "character")
        hints = [piece.text[:_CHARS] for domain in others for piece in results.get(domain, ())
                 if piece.id not in {row.id for row in own.values()}
                 and about & content_words(piece.text)][:3]
        fits = {title_key(hit.section.title): hit.relevance for hit in book.search(
            situation, "spell_details", context_hints=hints, categories=[Category.SPELLCASTING],
            limit=MAX_LIMIT)}
        hits = {title_key(section.title): section for section in book.sections
                if type_of(section) == "spell"}
        scores = [
            _share({key: fits.get(key, 0.0) for key in own}),
            _share({key: piece.relevance * _tells(piece, about) for key, piece in own.items()}),
            _share({key: max((note.relevance * _tells(note, about)
                              for note in results.get("session_notes", ())
                              if key in map(title_key, note.names)), default=0.0) for key in own}),
        ]
        order = sorted(own, key=lambda key: (-sum(score[key] for score in scores) * (
            UNREADY if _CANNOT in own[key].text else 1), key))
        best = [key for key in order if key in hits][:FITTING]
        if best:
            text = "; ".join(f"{own[key].title}: {_first(hits[key].content)}" for key in best)
            yield _listing(f"{question.character}'s spells for this, by their rules", text,
                           [own[key].title for key in best], book.source)
        for at, key in enumerate(best):
            rule = hits[key]
            yield Evidence(
                f"rulebook/{rule.id}", "rulebook", rule.title, rule.content,
                f"{book.source}, {rule.heading_path}", TABLE_RELEVANCE - 0.1 * (at + 1),
                (rule.title,))


def _tells(piece: Evidence, about: AbstractSet[str]) -> bool:
    """Whether a piece of a sheet or of notes is about a situation."""
    return not about.isdisjoint(content_words(piece.text))


def _read(question: Question) -> _SpellQuestion:
    """What a question in two steps asks for; without a purpose where it has one step."""
    text = question.text.lower()
    first = next((word for word in text.split() if _kind(word)), "")
    before, _, behind = text.partition(first) if first else ("", "", "")
    cast = _CAST.search(text) if not first else None
    if cast:
        first, before, behind = "spell", "which", text[cast.end():]
    verb, link = _SPOKEN.search(behind), _BEHIND.search(behind)
    if not (verb or link) or (before.strip() and not _WHICH.search(before)):
        return _SpellQuestion()
    own = _kind(first) == "spell" and bool(question.character) and _is_own(question)
    if verb:
        start = min(match.start() for match in (verb, link) if match)
        return _SpellQuestion(_kind(first), behind[start:].strip(" ?!."), str(verb.lastgroup), own)
    end = link.end() if link else len(behind)
    while further := _FURTHER_LINK.match(behind, end):
        end = further.end()
    return _SpellQuestion(_kind(first), behind[end:], "", own)


def _is_own(question: Question) -> bool:
    """Whether a question is of the asker's own things: it says so, or names the asker."""
    tokens = words(question.text)
    return bool({"i", "my", "mine", "we", "our", "me"} & {*tokens}) or any(
        word in tokens for word in words(question.character))


def _listing(title: str, text: str, names: Iterable[str], source: str) -> Evidence:
    return Evidence(f"{WORKED_OUT}{title_key(title).replace(' ', '-')}", "rulebook", title, text,
                    f"{source}, worked out from its rules", TABLE_RELEVANCE, tuple(names))


def countering(book: Rulebook) -> tuple[Countering, ...]:
    """Every sentence of a spell, magic item or feature that ends, shows or keeps off something."""
    return _countering(book, book.fingerprint)


@lru_cache(maxsize=2)
def _countering(book: Rulebook, _: str) -> tuple[Countering, ...]:
    kinds = {*_KINDS.values()}
    rows = []
    for section in book.sections:
        if (type_ := type_of(section)) not in kinds or not _prose(section.content):
            continue
        body = "\n".join(line for line in section.content.splitlines() if line[:2] != "**")
        text = " ".join(_BULLET.sub("; ", body).replace("*", "").split())
        for sentence in sentences(text):
            for match in _SPOKEN.finditer(sentence):
                verb = str(match.lastgroup)
                near = sentence[match.end():match.end() + _REACH]
                if _PASSIVE.search(sentence[:match.start()]) or match[0].lower() == "end":
                    near += " " + sentence[max(match.start() - _REACH, 0):match.start()]
                if verb == "ends" and _SPEAKING.search(near):
                    start = text.index(sentence) + match.end()
                    near = text[start:start + _FURTHER]
                rows.append(Countering(section, type_, verb, sentence,
                                       frozenset(content_words(near))))
        if titled := _SPOKEN.search(section.title):
            rows.append(Countering(section, type_, str(titled.lastgroup), _first(section.content),
                                   frozenset(content_words(section.title))))
    return tuple(rows)


def _kind(word: str) -> str:
    """The type of the things that a word of a question asks for, '' for none."""
    return next((_KINDS[key] for key in words(word) if key in _KINDS), "")


def _prose(content: str) -> bool:
    """Whether a section tells something, and is not a list of names alone."""
    return any(line[:1] not in {"-", "|", "*", "#", ""} for line in content.splitlines())


def _share(scores: Mapping[str, float]) -> dict[str, float]:
    most = max(scores.values(), default=0.0) or 1.0
    return {key: score / most for key, score in scores.items()}


def _first(content: str) -> str:
    """The first sentence of a rule that is no field of it."""
    lines = [line for line in content.splitlines() if line.strip() and line.strip()[0] not in "*#|"]
    return _short(sentences(" ".join(lines))[0] if lines else content)


def _short(text: str) -> str:
    text = " ".join(text.replace("*", "").split()).rstrip(".;")
    return text if len(text) <= _CHARS else f"{text[:_CHARS].rpartition(' ')[0]} …"
