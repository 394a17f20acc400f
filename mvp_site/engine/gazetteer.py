"""Which names a question has, of a campaign's sheets and notes and of the rulebook.

The longest name at each place counts, by words (:mod:`mvp_site.retrieval.names`); so does a part
of a campaign's name that no other has ("Mayor Crane"), and a misspelt word that nobody knows. A
single word that people use every day ("light", "help") is a name only where it is marked as one:
by a capital within a sentence, by quotes, or by a word beside it that says what it is ("cast").
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, NamedTuple

from ..content.prompt_helper import PromptHelper
from ..retrieval.names import name_spans, names_of, words
from ..retrieval.text import STOPWORDS, clean
from ..rulebook.intentions import RulebookPromptHelper
from ..rulebook.query_parsing import KINDS
from ..sessions.intentions import CharacterPromptHelper, SessionNotesPromptHelper
from ..sessions.types import Known
from ..typos import Keys, closest
from .titles import Titles
from .types import Domain, Named

HELPERS: Final[Mapping[Domain, PromptHelper]] = {
    "character": CharacterPromptHelper, "rulebook": RulebookPromptHelper,
    "session_notes": SessionNotesPromptHelper,
}
SAME: Final[Mapping[str, tuple[str, ...]]] = {
    "item": ("item", "weapon", "armor", "magic_item", "artifact", "resource"),
    "ability": ("ability", "feature", "feat", "skill", "action"),
    "feature": ("feature", "ability", "feat"), "class": ("class", "subclass"),
    "race": ("race", "subrace"), "character": ("character", "player_character"),
    "player_character": ("player_character", "character"),
    "non_player_character": ("non_player_character", "ally", "enemy"),
    "ally": ("ally", "non_player_character"), "enemy": ("enemy", "creature"),
    "creature": ("creature", "enemy"), "location": ("location", "plane"),
    "quest": ("quest", "objective"), "objective": ("objective", "quest"),
}
"""A domain's type of entity, and the types of other domains whose things are of that type there."""
SURE: Final = 1.0
ELSEWHERE: Final = 0.6
"""The confidence of a name that another domain knows."""
MISSPELT: Final = 0.8
UNKNOWN: Final = 0.3
"""The confidence of a name that nobody knows."""
_PERSON: Final = "non_player_character"
_TASKS: Final = frozenset({"event", "quest", "puzzle", "objective"})
"""Types whose names are made of others' names: "Clear Torvald's name"."""
_MARKS: Final = KINDS | {"cast", "casting", "called", "named"}
_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_STOP: Final = re.compile(r"[.?!:]\W*\Z")
_QUOTES: Final = frozenset("\"'\u201c\u201d\u2018\u2019*_\u00ab\u00bb")
_JOINED: Final = frozenset({"of", "the"})
_MOST_WORDS: Final = 8
_MOST_PARTS: Final = 5
_SPLIT: Final = 6
"""The fewest letters of a name that is known in spite of a space in it or left out."""


@dataclass(frozen=True, slots=True)
class Spotted:
    """A name in a question, from ``start`` to ``end`` in its characters.

    ``types`` has the type and the confidence for each domain that may know it. ``by`` says who
    does: ``sheet``, ``notes``, ``rulebook``; nobody where it only looks like a name.
    """

    start: int
    end: int
    name: str
    types: Mapping[Domain, tuple[str, float]]
    by: frozenset[str]

    def named(self, domain: Domain) -> Named | None:
        """The name as that domain has it, or None where it is none of its names."""
        if domain == "books":
            type_, sure = max(self.types.values(), key=lambda one: one[1])
            return Named(self.name, type_, sure)
        held = self.types.get(domain)
        return Named(self.name, *held) if held else None


class _Word(NamedTuple):
    said: str
    key: str
    start: int
    end: int
    opens: bool

    @property
    def capital(self) -> bool:
        return self.said[:1].isupper() and not self.opens


class Gazetteer:
    """The names of one campaign and one rulebook. Immutable and thread-safe."""

    def __init__(self, known: Iterable[Known] = (), titles: Titles | None = None,
                 said: Container[str] = frozenset(), everyday: Container[str] = frozenset(),
                 ) -> None:
        """Of words as :func:`~mvp_site.retrieval.names.words` gives them.

        Words that are ``said`` at the table are no misspelt names, and ``everyday`` ones no names
        unless they are marked as such.
        """
        self._titles = titles or Titles.of()
        self._said, self._everyday = said, everyday
        self._known: dict[str, tuple[Known, ...]] = {}
        held = sorted(known, key=lambda one: one.name)
        for one in held:
            for key in _keys(one):
                self._known[key] = (*self._known.get(key, ()), one)
        self._parts: dict[str, Known | None] = {}
        for tasks in (False, True):
            of = [one for one in held if (one.type in _TASKS) == tasks]
            taken = {*self._known, *self._titles.names, *self._parts}
            for one in of:
                for key in _parts(one) - taken:
                    self._parts[key] = one if self._parts.get(key, one) == one else None
        self._near = Keys(sorted({w for key in self._known for w in key.split()}))
        self._letters = {key.replace(" ", ""): key for key in self._known}

    def find(self, question: str) -> tuple[Spotted, ...]:
        """The names that stand in ``question``, in order."""
        text = clean(question)
        held = [*_words(text)]
        mended = [self._mended(word) for word in held]
        spans = name_spans(mended, lambda key: bool(self._entries(key)), _MOST_WORDS)
        found = []
        for start, end in spans:
            key = " ".join(mended[start:end])
            if not self._is_meant(key, held, start, end, text):
                continue
            sure = MISSPELT if any(
                word.key != mend for word, mend in zip(held[start:end], mended[start:end], strict=True)
            ) else SURE
            found.append(self._spotted(key, held[start].start, held[end - 1].end, sure))
        taken = {n for one in found for n, word in enumerate(held)
                 if one.start <= word.start < one.end}
        found += [
            Spotted(start, end, text[start:end], {"session_notes": (_PERSON, UNKNOWN)}, frozenset())
            for start, end in self._unknown(held, taken)
        ]
        return tuple(sorted(found, key=lambda one: one.start))

    def _entries(self, key: str) -> tuple[str, ...] | Known | tuple[Known, ...] | None:
        letters = key.replace(" ", "")
        return (
            self._known.get(key) or self._titles.names.get(key) or self._parts.get(key)
            or (len(letters) >= _SPLIT and self._respaced(letters)) or None
        )

    def _respaced(self, letters: str) -> tuple[str, ...] | tuple[Known, ...] | None:
        key = self._letters.get(letters) or self._titles.letters.get(letters)
        return (self._known.get(key) or self._titles.names.get(key)) if key else None

    def _spotted(self, key: str, start: int, end: int, sure: float) -> Spotted:
        if not (self._known.get(key) or key in self._titles.names or self._parts.get(key)):
            letters = key.replace(" ", "")
            key = self._letters.get(letters) or self._titles.letters.get(letters) or key
        part = self._parts.get(key)
        known = self._known.get(key) or ((part,) if part else ())
        title = self._titles.names.get(key)
        by, types = set(), dict[Domain, tuple[str, float]]()
        for one in known:
            own: Domain = "session_notes" if one.sessions else "character"
            by.add("notes" if one.sessions else "sheet")
            if one.type in CharacterPromptHelper.entity_types and one.sessions:
                by.add("sheet") if one.type not in SessionNotesPromptHelper.entity_types else None
            for domain in ("character", "session_notes"):
                _put(types, domain, one.type, sure if domain == own else sure * ELSEWHERE)
        if title:
            by.add("rulebook")
            for domain in HELPERS:
                _put(types, domain, title[1], sure if domain == "rulebook" else sure * ELSEWHERE)
        name = known[0].name if known else title[0] if title else key
        return Spotted(start, end, name, types, frozenset(by))

    def _mended(self, word: _Word) -> str:
        key = word.key
        if key in self._said or key in self._titles.known or self._entries(key) or key in STOPWORDS:
            return key
        return closest(key, self._near) or closest(key, self._titles.near) or key

    def _is_meant(self, key: str, held: Sequence[_Word], start: int, end: int, text: str) -> bool:
        """Whether words that are a name stand for it here."""
        part = key not in self._known and key not in self._titles.names
        if end - start > 1:
            return True
        word = held[start]
        if word.capital or (
            text[word.start - 1 : word.start] in _QUOTES and text[word.end : word.end + 1] in _QUOTES
            and word.start
        ):
            return True
        if key in self._everyday or key in STOPWORDS or (part and key in self._said):
            beside = held[max(start - 2, 0) : start] + held[end : end + 1]
            return any(one.key in _MARKS for one in beside) and not part
        return True

    def _unknown(self, held: Sequence[_Word], taken: Container[int]) -> Iterator[tuple[int, int]]:
        """Where names stand that nobody knows: capitals within a sentence, or a word of no use."""
        at = 0
        while at < len(held):
            end = at
            while end < len(held) and end not in taken and (
                (held[end].said[0].isupper() and not held[end].said.isupper()
                 and held[end].key not in STOPWORDS)
                or (end > at and held[end].key in _JOINED)
            ):
                end += 1
            while end > at and held[end - 1].key in _JOINED:
                end -= 1
            if end > at and held[at].opens and self._is_common(held[at].key):
                at += 1
            elif end > at + 1 or (end > at and not self._is_common(held[at].key)):
                yield held[at].start, held[end - 1].end
            at = max(end, at + 1)

    def _is_common(self, key: str) -> bool:
        return key in self._said or key in self._titles.known


def _put(types: dict[Domain, tuple[str, float]], domain: Domain, type_: str, sure: float) -> None:
    """Add what a domain has a thing of ``type_`` for, if anything, where it is surer."""
    has = HELPERS[domain].entity_types
    same = type_ if type_ in has else next((own for own in has if type_ in SAME.get(own, ())), None)
    if same and sure > types.get(domain, ("", 0.0))[1]:
        types[domain] = same, sure


def _keys(known: Known) -> set[str]:
    return {" ".join(name) for said in (known.name, *known.aliases) for name in names_of(said) if name}


def _parts(known: Known) -> set[str]:
    """The parts of a name that people may say for the whole: some of its words, in order."""
    own = [word for word in words(known.name) if word not in STOPWORDS]
    counts = range(1, len(own)) if len(own) <= _MOST_PARTS else ()
    return {" ".join(part) for count in counts for part in combinations(own, count)}


def _words(text: str) -> Iterator[_Word]:
    behind = 0
    for found in _WORD.finditer(text):
        if key := words(found[0]):
            opens = not behind or bool(_STOP.search(text, behind, found.start()))
            yield _Word(found[0], key[0], *found.span(), opens)
            behind = found.end()
