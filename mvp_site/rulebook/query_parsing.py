"""A question to a rulebook: names to match, terms to weigh, one text to encode.

Entities as players write them are taken to the names that the rulebook has. Normalising folds case,
quotes and white space, drops an article in front and a possessive at the end, and looks the whole
up in the variation table. What stands inside a name stays: "Heroes' Feast" keeps its apostrophe and
"Bless" its last letter, and two spellings are compared by their words (:mod:`..text.names`), where
neither matters.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import Annotated, Final

import msgspec

from ..retrieval.ranking import ParsedQuery, QueryName
from ..text.languages import ENGLISH, Language
from ..text.names import fold, title_key, without_article, words
from ..text.normalising import clean, terms
from ..text.spelling import VARIATIONS, Spelling
from ..text.typos import Keys, closest, respaced
from .categories import Category
from .intentions import Intention, query_text
from .name_index import TitleIndex, WordIndex
from .results import ResolvedEntity
from .sections import Sections

_ENDS: Final = "\"'*_ "
_DOTTED: Final = re.compile(r"(?:[^\W\d_]\.){2,}")
KINDS: Final = frozenset({
    "spell", "cantrip", "class", "subclass", "race", "subrace", "feat", "background", "condition",
    "monster", "creature", "weapon", "armor", "item", "skill", "feature", "trait", "action",
    "rule", "ability", "plane", "god", "deity",
})
"""Words that people put beside a name to say what it is."""


READ_CHARS: Final = 4_000
"""How much of a question in the user's own words is read."""
MAX_ENTITIES: Final = 64
MAX_ENTITY_CHARS: Final = 200
_Names = Annotated[
    tuple[Annotated[str, msgspec.Meta(max_length=MAX_ENTITY_CHARS)], ...],
    msgspec.Meta(max_length=MAX_ENTITIES),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class RulebookQuery:
    """A question to a rulebook; ``categories`` is a hard filter, None for all."""

    query: str = ""
    intention: Intention | None = None
    entities: _Names = ()
    context_hints: _Names = ()
    categories: Annotated[tuple[Category, ...], msgspec.Meta(min_length=1)] | None = None


class EntityNames:
    """The titles of one rulebook, for taking entities to them.

    ``known`` are the words of its text as :func:`~.names.words` gives them: an entity of known
    words is no typo, however close a title is.
    """

    def __init__(self, titles: Iterable[str], vocabulary: Container[str] = frozenset()) -> None:
        self._titles: dict[str, str] = {}
        for title in titles:
            if key := title_key(title):
                self._titles.setdefault(key, _cleaned(title))
        self._respaced = respaced(self._titles)
        self._keys = Keys(self._titles)
        self._known = vocabulary

    def resolve(self, entity: str) -> ResolvedEntity:
        """What ``entity`` is taken for; a title of the book is never taken for another one."""
        name = _cleaned(entity)
        key = title_key(name)
        if key in self._titles:
            return ResolvedEntity(entity, self._titles[key], "title")
        if name in VARIATIONS:
            name = VARIATIONS[name]
            return ResolvedEntity(entity, self._titles.get(title_key(name), name), "variation")
        if owned := self._without_owner(name):
            return ResolvedEntity(entity, self._titles[owned], "owner")
        near = self._respaced.get(key.replace(" ", ""))
        if not near and not all(word in self._known for word in key.split()):
            near = closest(key, self._keys)
        if not near:
            return ResolvedEntity(entity, name, "as given")
        return ResolvedEntity(entity, self._titles[near], "typo")

    def _without_owner(self, name: str) -> str | None:
        """The title that is left without a first word which is somebody the book does not know.

        "hut" alone is not enough where the apostrophe was left out as well.
        """
        first, _, rest = name.partition(" ")
        owner, key = title_key(first), title_key(rest)
        if key not in self._titles or owner in self._titles or owner in self._known:
            return None
        marked = first.endswith(("'s", "'"))
        unmarked = first.endswith("s") and len(key.split()) >= 2
        return key if marked or unmarked else None


def _cleaned(entity: str) -> str:
    """``entity`` folded, without what stands around the name; '' where there is no name."""
    text, before = fold(entity), ""
    while text != before:  # what is taken off may lay bare more of the same
        before, text = text, _peeled(text)
    return text if any(map(str.isalnum, text)) else ""


def _peeled(text: str) -> str:
    text = re.sub(r"\[+([^\[\]]*)\]+", r"\1", text).strip(_ENDS).rstrip(".,;:!?" + _ENDS)
    if _DOTTED.fullmatch(f"{text}."):
        text = text.replace(".", "")
    return " ".join(without_article(re.sub(r"'s?$", "", text).split()))


@dataclass(frozen=True, slots=True, eq=False)
class BookQuery(ParsedQuery):
    """One question to a rulebook; ``query`` is all of it in words, ``said`` the user's part.

    ``absent`` are entities that the book has neither as a title nor in its texts. Where something
    else is asked, they are not looked for.
    """

    intention: Intention | None = None
    categories: tuple[Category, ...] | None = None
    entities: tuple[ResolvedEntity, ...] = ()
    hints: tuple[tuple[str, ...], ...] = ()
    query: str = ""
    said: str = ""
    absent: tuple[str, ...] = ()

    @property
    def nothing_else(self) -> bool:
        """Whether it names only what the book does not have, and says no more."""
        return bool(self.absent) and len(self.absent) == len(self.entities) and not self.said


class RulebookQueryReader:
    """Reads questions to one book; no word of ``said`` is taken for a misspelt one."""

    def __init__(self, sections: Sections, titles: TitleIndex, texts: WordIndex,
                 spoken: Iterable[str] = (), language: Language = ENGLISH) -> None:
        self._language = language
        self._titles, self._texts = titles, texts
        self._names = EntityNames((section.title for section in sections), texts)
        self._spelling = Spelling(texts, titles.words(), frozenset(spoken))

    def read(self, query: RulebookQuery) -> BookQuery:
        """What ``query`` asks for."""
        resolved = map(self._resolved, query.entities)
        entities = tuple({entity.name: entity for entity in resolved if entity.name}.values())
        text, corrected = self._spelling.read(clean(query.query)[:READ_CHARS])
        said_words = words(text)
        entity_names = [tuple(without_article(words(entity.name))) for entity in entities]
        titles = [title for title in self._titles.named_in(said_words) if title not in entity_names]
        absent = tuple(entity.name for entity in entities if self._is_absent(entity))
        names = [entity.name for entity in entities if entity.name not in absent or not text]
        hints = query.context_hints
        own = query_text(query.intention) if query.intention else ""
        hinted = (tuple(without_article(words(hint))) for hint in hints)
        return BookQuery(
            intention=query.intention, categories=query.categories, entities=entities,
            names=(*(QueryName(name, True) for name in entity_names if name),
                   *(QueryName(title, False) for title in titles)),
            hints=tuple(dict.fromkeys(filter(None, hinted))),
            query=query_text(query.intention, names, hints, text),
            text=query_text(None, names, hints, text) or own,
            terms=self._terms(*names, text), context=self._terms(*hints, own),
            said=text, words=said_words, corrected=corrected, absent=absent,
        )

    def _is_absent(self, entity: ResolvedEntity) -> bool:
        name = words(entity.name)
        return (entity.how == "as given" and bool(name) and not self._titles.contains(name)
                and not len(self._texts.mentioning(name)))

    def _resolved(self, entity: str) -> ResolvedEntity:
        """What an entity is taken for; of one that is no title, misspelt words are mended."""
        resolved = self._names.resolve(entity)
        if resolved.how != "as given":
            return resolved
        parts = resolved.name.split()  # "the fireball spell", "class wizard"
        for kind, bare in ((parts[-1:], parts[:-1]), (parts[:1], parts[1:])):
            if bare and KINDS.intersection(words(kind[0])[:1]):
                named = self._names.resolve(" ".join(bare))
                if named.how != "as given":
                    return ResolvedEntity(entity, named.name, named.how)
        spelled, corrected = self._spelling.read(resolved.name)
        return ResolvedEntity(entity, spelled, "typo") if corrected else resolved

    def _terms(self, *texts: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(term for text in texts for term in terms(text, self._language)))
