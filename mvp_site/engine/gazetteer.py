"""Which names a question has, of a campaign's sheets and notes and of the rulebook.

The longest name at each place counts, by words (:mod:`mvp_site.text.names`); so does a part
of a campaign's name that no other has ("Mayor Crane"), the word that says what a thing is of the
one that comes up in most sessions ("the mill"), and a misspelt word that nobody knows. A
single word that people use every day ("light", "help") is a name only where it is marked as one:
by a capital within a sentence, by quotes, or by a word beside it that says what it is ("cast").
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, NamedTuple

from ..content.prompt_helper import PromptHelper
from ..rulebook.intentions import RulebookPromptHelper
from ..rulebook.query_parsing import KINDS
from ..rulebook.sections import Section, Sections
from ..sessions.intentions import CharacterPromptHelper, SessionNotesPromptHelper
from ..sessions.types import KnownName
from ..text.languages import STOPWORDS
from ..text.names import names_of, title_key, words
from ..text.normalising import clean
from ..text.spelling import VARIATIONS
from ..text.typos import Keys, closest
from .types import Domain, NamedEntity

Titles = Mapping[str, tuple[str, str]]
"""Names by their keys (:func:`~mvp_site.text.names.title_key`): the title, and its type."""
RULE: Final = "rule"
_WHOLE: Final = {"spell": "spell", "monster": "creature", "creature": "creature",
                 "bestiary": "creature", "nonplayer": "creature", "magic": "magic_item"}
"""First words of chapters all of whose entries are of one type, however they are divided."""
_NEAREST: Final = {
    "condition": "condition", "weapon": "weapon", "armor": "armor", "action": "action",
    "feat": "feat", "background": "background", "language": "language", "plane": "plane",
    "pantheon": "deity", "god": "deity", "deity": "deity", "ability": "ability",
    "equipment": "item", "gear": "item", "tool": "item", "check": "skill", "type": "damage_type",
    "pack": "item",
}
"""What a heading above tells that its entries are: "Martial Weapons", "Actions in Combat"."""
_OWNED: Final = {"class": ("class", "subclass"), "race": ("race", "race")}
"""Chapters of things that have parts: the type of the things, and of their own kinds."""
_BEHIND: Final = frozenset({"of", "in", "for", "by"})
_GROUP: Final = 3
_PLACES: Final = 8
HELPERS: Final[Mapping[Domain, PromptHelper]] = {
    "character": CharacterPromptHelper, "rulebook": RulebookPromptHelper,
    "session_notes": SessionNotesPromptHelper,
}
SAME: Final[Mapping[str, tuple[str, ...]]] = {
    "item": ("weapon", "armor", "magic_item", "artifact", "resource"),
    "ability": ("feature", "feat", "skill", "action"), "feature": ("ability", "feat"),
    "class": ("subclass",), "character": ("player_character",), "enemy": ("creature",),
    "player_character": ("character",), "non_player_character": ("ally", "enemy"),
    "ally": ("non_player_character",), "creature": ("enemy",), "location": ("plane",),
    "quest": ("objective",), "objective": ("quest",),
}
"""A type of a domain's, and the types of others whose things are of that type there."""
ELSEWHERE: Final = 0.6
"""The confidence of a name that another domain knows; of one's own it is 1."""
MISSPELT: Final = 0.8
UNKNOWN: Final = 0.3
"""The confidence of what only looks like a name: it is taken for a person of the notes."""
_PERSON: Final = "non_player_character"
_TASKS: Final = frozenset({"event", "quest", "puzzle", "objective"})
"""Types whose names are made of others' names: "Clear Torvald's name"."""
_MARKS: Final = {
    **{kind: frozenset({kind}) for kind in KINDS},
    "spell": frozenset({"spell", "cantrip", "cast", "casting", "know",
                        "prepare", "prepared"}),
    "creature": frozenset({"creature", "monster"}),
    "race": frozenset({"race", "subrace"}), "deity": frozenset({"god", "deity"}),
    "damage_type": frozenset({"damage", "resistance", "resistant", "immune", "immunity",
                              "vulnerable", "vulnerability"}),
    "skill": frozenset({"skill", "check"}),
    "ability": frozenset({"ability", "save", "check"}), "feature": frozenset({"feature", "trait"}),
    "magic_item": frozenset({"item"}), "rule": frozenset({"rule", "property"}),
}
"""For each type the words beside a name that say that it is one of the type."""
_NAMED: Final = frozenset({"called", "named"})
_UNMARKED: Final = frozenset({RULE, "feature", "magic_item", "background", "deity", "language"})
"""Types whose titles are words of every day: rules' always, others' where they are one word."""
_DEFINITE: Final = frozenset({"the", "my", "our", "his", "her", "their"})
"""Words that say that a thing is meant which everybody at the table knows."""
_THINGS: Final = frozenset({"item", "artifact", "magic_item", "weapon", "armor"})
_PRESENT: Final = frozenset({"spell", "creature", "item"})
"""Types whose titles are words for somebody or something at the table too: "the guard"."""
_NAMING: Final = frozenset({"class", "race", "condition"})
"""Types whose titles are theirs even where they are words of every day."""
_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_PROPER: Final = re.compile(r"(?<=[a-z] )[A-Z][a-z]+ (?:[A-Z][a-z]+ )?[A-Z][a-z]+s?\b")
"""A name that a text has within a sentence: "from the Ethereal Plane"."""
FREQUENT: Final = 0.02
_MARKUP: Final = ".,;:()*_"
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

    ``types`` has the type and the confidence for each domain that may have it. ``by`` are those
    that know it; none where it only looks like a name.
    """

    start: int
    end: int
    name: str
    types: Mapping[Domain, tuple[str, float]]
    by: frozenset[Domain] = frozenset()

    def named(self, domain: Domain) -> NamedEntity | None:
        """The name as that domain has it, or None where it has none such; books may have all."""
        likeliest = max(self.types.values(), key=lambda pair: pair[1])
        best = likeliest if domain == "books" else self.types.get(domain)
        return NamedEntity(self.name, *best) if best else None


class _Name(NamedTuple):
    """Who has a name, and whether it is only a part of theirs."""

    known: tuple[KnownName, ...] = ()
    title: tuple[str, str] | None = None
    part: bool = False


class _Word(NamedTuple):
    said: str
    key: str
    start: int
    end: int
    opens: bool

    @property
    def is_proper(self) -> bool:
        return self.said[0].isupper() and not (len(self.said) > 1 and self.said.isupper())


class Gazetteer:
    """The names of one campaign and one rulebook. Immutable and thread-safe."""

    def __init__(self, entities: Iterable[KnownName] = (), titles: Titles | None = None,
                 common: Container[str] = frozenset(), everyday: Container[str] = frozenset(),
                 ) -> None:
        """Of words as :func:`~mvp_site.text.names.words` gives them.

        ``common`` ones are no misspelt names, and ``everyday`` ones none unless marked as such.
        """
        self._common, self._everyday = common, everyday
        self._names = {key: _Name(title=title) for key, title in (titles or {}).items()}
        for entity in (ordered := sorted(entities, key=lambda entity: entity.name)):
            for key in _keys(entity):
                had = self._names.get(key, _Name())
                self._names[key] = had._replace(known=(*had.known, entity))
        parts: dict[str, list[KnownName]] = {}
        for entity in ordered:
            for key in _parts(entity) - self._names.keys():
                parts.setdefault(key, []).append(entity)
        for key, of in parts.items():
            meant = [entity for entity in of if entity.type not in _TASKS] or of
            heads = sorted((entity for entity in meant if _head(entity) == key),
                           key=lambda entity: -len(entity.sessions))
            if heads and (len(heads) == 1 or len(heads[0].sessions) > len(heads[1].sessions)):
                meant = heads[:1]
            if len(meant) == 1:
                self._names[key] = _Name(tuple(meant), part=True)
            tasks = [entity for entity in of if entity.type in _TASKS]
            if len(tasks) == 1:  # "the lantern quest"
                self._names.setdefault(f"{key} {tasks[0].type}", _Name(tuple(tasks)))
        whole = [key for key, name in self._names.items() if not name.part]
        self._letters = {key.replace(" ", ""): key for key in whole}
        self._near = Keys(sorted({word for key in self._names for word in key.split()}))

    def find(self, question: str) -> tuple[Spotted, ...]:
        """The names that stand in ``question``, in order."""
        text = clean(question)
        spans = [*_words(text)]
        keys = [self._mended(word.key) for word in spans]
        hits, used, at = [], set[int](), 0
        while at < len(keys):
            start, ends = at, range(min(at + _MOST_WORDS, len(keys)), at, -1)
            at = next((end for end in ends if (key := self._key(" ".join(keys[start:end])))
                       and self._is_meant(key, spans, start, end, text)), start)
            if at > start:
                place = range(start, at)
                certainty = 1.0 if keys[start:at] == [spans[word].key for word in place] \
                    else MISSPELT
                hits.append(self._spotted(key, spans[start].start, spans[at - 1].end, certainty))
                used.update(place)
            else:
                at += 1
        hits += [
            Spotted(start, end, text[start:end], {"session_notes": (_PERSON, UNKNOWN)})
            for start, end in self._unknown(spans, used)
        ]
        return tuple(sorted(hits, key=lambda hit: hit.start))

    def _key(self, word: str) -> str:
        """The key of the name ``word``, whatever its spaces and small words, '' for none."""
        letters = word.replace(" ", "")
        near = self._letters.get(letters, "") if len(letters) >= _SPLIT else ""
        if near or word in self._names:
            return word if word in self._names else near
        first, *rest = word.split()
        part = " ".join((first, *(term for term in rest if term not in _JOINED)))
        return part if rest and rest[-1] not in _JOINED and part in self._names else ""

    def _spotted(self, key: str, start: int, end: int, certainty: float) -> Spotted:
        name = self._names[key]
        domain_types: list[tuple[Domain, str]] = [
            ("session_notes" if fact.sessions else "character", fact.type) for fact in name.known
        ]
        if name.title:
            domain_types.append(("rulebook", name.title[1]))
        types: dict[Domain, tuple[str, float]] = {}
        for domain, helper in HELPERS.items():
            for own, type_ in domain_types if name.title or domain != "rulebook" else ():
                chance = certainty if own == domain else certainty * ELSEWHERE
                same = _same(type_, helper)
                if same and chance > types.get(domain, ("", 0.0))[1]:
                    types[domain] = same, chance
        spelling = name.known[0].name if name.known else name.title[0] if name.title else key
        return Spotted(start, end, spelling, types, frozenset(own for own, _ in domain_types))

    def _mended(self, key: str) -> str:
        is_word = key in self._common or key in STOPWORDS or self._key(key)
        return key if is_word else closest(key, self._near) or key

    def _is_meant(self, key: str, spans: Sequence[_Word], start: int, end: int, text: str) -> bool:
        """Whether words that are a name stand for it."""
        name, first, last = self._names[key], spans[start], spans[end - 1]
        another = name.part and end - start == 1 and self._is_of_another(spans, start)
        quotes = text[max(first.start - 1, 0) : first.start], text[last.end : last.end + 1]
        if (first.is_proper and not first.opens) or all(quote in _QUOTES for quote in quotes):
            return not another
        before = [word.key for word in spans[max(start - 2, 0) : start]]
        is_one = not _DEFINITE.isdisjoint(before[-1:])
        if name.part:
            is_head = key not in KINDS and key not in self._everyday and any(
                _head(entity) == key and entity.type not in _TASKS - {"puzzle"}
                for entity in name.known)
            is_plain = all(word in self._common for word in key.split()) and (
                end - start == 1 or not any(entity.sessions for entity in name.known))
            return not another and (not is_plain or (is_one and is_head))
        of = [*(entity.type for entity in name.known), *((name.title or ())[1:])]
        if of == ["organization"] and last.said[-1] not in "sS" and all(
                spelling.endswith("s") for entity in name.known
                for spelling in (entity.name, *entity.aliases) if title_key(spelling) == key):
            return False  # a member: "the warden" of the Tide Wardens
        marks = _NAMED.union(*(_MARKS.get(type_, ()) for type_ in of))
        if not marks.isdisjoint([*before, *(word.key for word in spans[end : end + 1])]):
            return True
        if end - start > 1:
            return bool(name.known) or of != [RULE]
        return self._is_alone(key, name, before[-1:], is_one=is_one)

    def _is_alone(self, key: str, name: _Name, before: Sequence[str], *, is_one: bool) -> bool:
        """Whether a single word that nothing marks is the name of a thing."""
        type_ = "" if name.known or not name.title else name.title[1]
        called = [entity.type for entity in name.known if title_key(entity.name) != key]
        if called and key in self._everyday:
            return before == ["the"] or (is_one and not _THINGS.isdisjoint(called))
        return type_ in _NAMING or not (
            (type_ in _PRESENT and is_one) or type_ in _UNMARKED or key in self._everyday
            or key in STOPWORDS)

    def _is_of_another(self, spans: Sequence[_Word], at: int) -> bool:
        """Whether a word that is a part of a name stands in another: "Sister Perpetua"."""
        beside = [spans[near] for near in (at - 1, at + 1) if 0 <= near < len(spans)]
        return spans[at].is_proper and any(
            word.is_proper and not word.opens and word.key not in STOPWORDS
            and word.key not in self._common and not self._key(word.key) for word in beside)

    def _unknown(self, spans: Sequence[_Word], used: Container[int]) -> Iterator[tuple[int, int]]:
        """Where names stand that nobody knows: by their capitals, but for common words alone."""
        at = 0
        while at < len(spans):
            end = at
            while end < len(spans) and end not in used and (
                (spans[end].is_proper and spans[end].key not in STOPWORDS)
                or (end > at and spans[end].key in _JOINED)
            ):
                end += 1
            while end > at and spans[end - 1].key in _JOINED:
                end -= 1
            if end > at and spans[at].opens and spans[at].key in self._common:
                at += 1  # the first word of a sentence
            if end > at + 1 or (end > at and spans[at].key not in self._common):
                yield spans[at].start, spans[end - 1].end
            at = max(end, at + 1)


def _same(type_: str, helper: PromptHelper) -> str | None:
    """The type that a domain has for a thing of another's ``type_``."""
    if type_ in helper.entity_types:
        return type_
    return next((own for own in helper.entity_types if type_ in SAME.get(own, ())), None)


def _keys(entity: KnownName) -> set[str]:
    spellings = (entity.name, *entity.aliases)
    return {" ".join(name) for spelling in spellings for name in names_of(spelling) if name}


def _parts(entity: KnownName) -> set[str]:
    """The parts of a name that people may say for the whole: some of its words, in order."""
    own = [word for word in words(entity.name) if word not in STOPWORDS
           and not (len(word) == 1 and word.isascii())]
    counts = range(1, len(own)) if len(own) <= _MOST_PARTS else ()
    return {" ".join(part) for count in counts for part in combinations(own, count)}


def _head(entity: KnownName) -> str:
    """The word of a name that says what it is: "Lantern of the Drowned"; '' of a deed's."""
    own = words(entity.name)
    behind = next((at for at, word in enumerate(own) if at and word in STOPWORDS), len(own))
    is_deed = entity.type in {"ability", "spell"} and own[behind:behind + 1] == ("the",)
    return own[behind - 1] if own and not is_deed else ""


def _words(text: str) -> Iterator[_Word]:
    behind = 0
    for match in _WORD.finditer(text):
        if key := words(match[0]):
            opens = not behind or bool(_STOP.search(text, behind, match.start()))
            yield _Word(match[0], key[0], *match.span(), opens)
            behind = match.end()


def titles_of(sections: Sections, known_keys: Container[str]) -> Titles:
    """The names of all sections, their nicknames, and what the texts call a plane or the like.

    ``known_keys`` are no nicknames.
    """
    names: dict[str, tuple[str, str]] = {}
    for section in sections:
        if section.parent_id is None or _is_heading(section, sections):
            continue
        for key in map(" ".join, names_of(section.title)):
            if key and not key[0].isdigit() and key not in KINDS and names.get(
                    key, ("", RULE))[1] == RULE:
                names[key] = section.title, type_of(section)
    for key, title in [*names.items()]:
        own, _, kind = key.rpartition(" ")
        if own and kind == title[1] == "armor":
            names.setdefault(own, title)
    for phrase in sorted({match[0] for section in sections
                          for match in _PROPER.finditer(section.content)}):
        kind = words(phrase)[-1]
        if kind in KINDS & _NEAREST.keys():
            names.setdefault(title_key(phrase), (phrase, _NEAREST[kind]))
    for variation, canonical in VARIATIONS.items():
        key, stands = " ".join(words(variation)), " ".join(words(canonical))
        if stands in names and (
                " " in key or key not in known_keys or names[stands][1] in _NAMING):
            names.setdefault(key, names[stands])
    return names


def frequent_spells(sections: Sections, titles: Titles) -> frozenset[str]:
    """Names of spells that are words of the rules too: many sections have them in lower case."""
    counts = Counter(word for section in sections for word in {
        text.strip(_MARKUP) for text in section.content.split()}
        if titles.get(word, ("", ""))[1] == "spell")
    return frozenset(word for word, count in counts.items() if count > FREQUENT * len(sections))


def type_of(section: Section) -> str:
    """The type of entity that a section tells of, ``rule`` where the headings tell of none."""
    above, own = [words(title) for title in section.path[:-1]], words(section.title)
    for depth, heading in enumerate(above):
        if heading and heading[0] in _WHOLE:
            return _WHOLE[heading[0]]
        if _subject(heading) in _OWNED:
            parts, (thing, kind) = above[depth + 1 :], _OWNED[_subject(heading)]
            if not parts:
                return thing
            is_kind = section.children_ids or own[-1:] == parts[0][-1:]
            return kind if len(parts) == 1 and is_kind else "feature"
    nearest = next((path for path in reversed(above) if not _NEAREST.keys().isdisjoint(path)), ())
    return _NEAREST.get(_subject(nearest), RULE)


def _is_heading(section: Section, sections: Sections) -> bool:
    """Whether a section is no thing itself: it stands over such as it, or in many places."""
    below = [type_of(child) for child in sections.children(section)]
    own = type_of(section)
    over = len(below) >= _GROUP and set(below) == {own} and own not in {"ability", "feature"}
    return over or len(sections.titled(section.title)) > _PLACES


def _subject(heading: tuple[str, ...]) -> str:
    """The word of a heading that says what stands below it."""
    behind = next((at for at, word in enumerate(heading) if word in _BEHIND), len(heading))
    return heading[behind - 1] if behind else ""
