"""A question to what is looked up: names to match, terms to weigh, one text to encode."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from ..retrieval.ranking import ParsedQuery, QueryName
from ..text.names import without_article, words
from ..text.normalising import clean, terms
from ..text.spelling import Spelling
from .categories import Category
from .entities import EntityNames, ResolvedEntity
from .intentions import Intention, query_text
from .name_index import TitleIndex, WordIndex
from .results import RulebookQuery
from .sections import Sections

READ_CHARS: Final = 4_000
"""How much of a question in the user's own words is read."""
KINDS: Final = frozenset({
    "spell", "cantrip", "class", "subclass", "race", "subrace", "feat", "background", "condition",
    "monster", "creature", "weapon", "armor", "item", "skill", "feature", "trait", "action",
    "rule", "ability", "plane", "god", "deity",
})
"""Words that people put beside a name to say what it is."""


@dataclass(frozen=True, slots=True, eq=False)
class BookQuery(ParsedQuery):
    """One question to a rulebook; ``query`` is all of it in words, ``said`` the user's part."""

    intention: Intention | None = None
    categories: tuple[Category, ...] | None = None
    entities: tuple[ResolvedEntity, ...] = ()
    hints: tuple[tuple[str, ...], ...] = ()
    query: str = ""
    said: str = ""


class RulebookQueryReader:
    """Reads questions to one book; no word of ``said`` is taken for a misspelt one."""

    def __init__(self, sections: Sections, titles: TitleIndex, known: WordIndex,
                 said: Iterable[str] = ()) -> None:
        self._titles = titles
        self._names = EntityNames((section.title for section in sections), known)
        self._spelling = Spelling(frozenset(said).union(known), titles.words())

    def read(self, query: RulebookQuery) -> BookQuery:
        """What ``query`` asks for."""
        resolved = map(self._resolved, query.entities)
        entities = tuple({entity.name: entity for entity in resolved if entity.name}.values())
        hints = query.context_hints
        said, corrected = self._spelling.read(clean(query.query)[:READ_CHARS])
        said_words = words(said)
        given = [tuple(without_article(words(entity.name))) for entity in entities]
        found = [name for name in self._titles.named_in(said_words) if name not in given]
        asked = [entity.name for entity in entities]
        own = query_text(query.intention) if query.intention else ""
        return BookQuery(
            intention=query.intention, categories=query.categories, entities=entities,
            names=(*(QueryName(name, True) for name in given if name),
                   *(QueryName(name, False) for name in found)),
            hints=tuple(dict.fromkeys(
                tuple(without_article(words(hint))) for hint in hints if words(hint)
            )),
            query=query_text(query.intention, asked, hints, said),
            text=query_text(None, asked, hints, said) or own,
            terms=tuple(dict.fromkeys(term for part in (*asked, said) for term in terms(part))),
            context=tuple(dict.fromkeys(term for part in (*hints, own) for term in terms(part))),
            said=said, words=tuple(said_words), corrected=corrected,
        )

    def _resolved(self, entity: str) -> ResolvedEntity:
        """What an entity is taken for; of one that is no title, misspelt words are mended."""
        resolved_entity = self._names.resolve(entity)
        if resolved_entity.how != "as given":
            return resolved_entity
        for bare in _without_kind(resolved_entity.name):  # "the fireball spell", "class wizard"
            named = self._names.resolve(bare)
            if named.how != "as given":
                return ResolvedEntity(entity, named.name, named.how)
        spelled, taken = self._spelling.read(resolved_entity.name)
        return ResolvedEntity(entity, spelled, "typo") if taken else resolved_entity


def _without_kind(name: str) -> tuple[str, ...]:
    """``name`` without the word at either end that says what kind of thing it is."""
    parts = name.split()
    if len(parts) < 2:
        return ()
    last, first = words(parts[-1]), words(parts[0])
    return tuple(
        bare for kind, bare in ((last, " ".join(parts[:-1])), (first, " ".join(parts[1:])))
        if kind and kind[0] in KINDS
    )
