"""A query as search reads it: its text mended, its words, its terms, and what it states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ..content.constraints.reading import ConstraintReader, Constraints
from ..content.types import EntityType
from ..retrieval.ranking import ParsedQuery
from ..text.names import without_article, word_spans, words
from ..text.normalising import clean, terms
from ..text.spelling import Spelling
from .names import EXACT, IDLE, STOPPED, NameIndex

_SHORT: Final = 2
NAMED: Final = 0.9
"""How far a query agrees with a name that is all that it says."""
READ_CHARS: Final = 2_000
"""How much of a query is read."""

_ALSO: Final[Mapping[EntityType, str]] = {
    EntityType.SPELLS: "cantrip magic", EntityType.MONSTERS: "creature enemy foe",
    EntityType.ARMOR: "armour", EntityType.EQUIPMENT: "gear item tool",
    EntityType.MAGIC_ITEMS: "magical treasure", EntityType.SUBCLASSES: "archetype",
    EntityType.RACES: "subrace species ancestry", EntityType.FEATURES: "ability",
    EntityType.CONDITIONS: "status", EntityType.RULES: "section chapter",
}
KINDS: Final[Mapping[EntityType, frozenset[str]]] = {
    type_: frozenset((*words(type_), *_ALSO.get(type_, "").split())) for type_ in EntityType
}
"""Words that say of what type the things are that somebody looks for, in the singular."""


@dataclass(frozen=True, slots=True, eq=False)
class EntityQuery(ParsedQuery):
    """One query to one type.

    Its text is without what it states (``constraints``) where more is asked; its words are those to
    match names by. ``bound``: what it states binds. ``only_stated``: it asks for nothing else.
    """

    type: EntityType = EntityType.SPELLS
    bound: bool = False
    only_stated: bool = False


class EntityQueryReader:
    """Reads queries.

    ``known_words`` are those of the entities' texts; what is ``spoken`` at tables is no typo.
    """

    def __init__(self, names: NameIndex, known_words: frozenset[str], spoken: frozenset[str],
                 vocabularies: Mapping[EntityType, Mapping[str, Iterable[str]]]) -> None:
        self._names = names
        self._known = known_words
        self._spelling = Spelling(known_words, names.words(), spoken)
        self._stated = {
            type_: ConstraintReader(type_, values) for type_, values in vocabularies.items()
        }

    def mend(self, query: str) -> str:
        """``query`` folded, with the words that nothing knows as the names have them."""
        return self._spelling.read(clean(query)[:READ_CHARS])[0]

    def read(self, query: str, type_: EntityType, *, bind: bool = False,
             names_first: bool = False, groups: Sequence[EntityType] = ()) -> EntityQuery:
        """What a query asks of a type.

        What it states is taken out of its words, where more is left, and binds with ``bind``;
        ``names_first``: unless what is left is a name. Names of any of the ``groups``, or else of
        the type, state nothing.
        """
        text, groups = self.mend(query), groups or (type_,)
        spans = word_spans(text)
        query_words = [word for word, _, _ in spans]
        named = [
            (spans[first][1], spans[last - 1][2])
            for first, last in self._names.named_in(query_words, groups)
            if last - first > 1 or last - first == len(query_words)
        ]
        reader = self._stated.get(type_)
        stated = Constraints((), text) if reader is None else reader.read(text, named)
        if stated.condition and self._all_named(query_words, groups):
            stated = Constraints((), text)
        more = any(term not in _EMPTY | KINDS[type_] for term in terms(stated.rest))
        if stated.condition and more:
            text = stated.rest
        plain = tuple(without_article([word for word, _, _ in word_spans(text)]))
        bound = bind and bool(stated.condition)
        if bound and names_first:
            matches = self._names.matches(plain, type_, unknown=False)
            bound = max(matches.values(), default=0.0) < EXACT
        return EntityQuery(
            text, plain, tuple(dict.fromkeys(terms(text))), constraints=stated.condition,
            unknown=self._unknown(plain), type=type_, bound=bound,
            only_stated=bool(stated.condition) and not more,
        )

    def _all_named(self, query_words: Sequence[str], groups: Sequence[EntityType]) -> bool:
        """Whether all of a query is the name of something, misspelt or not."""
        plain = without_article(query_words)
        unknown = self._unknown(plain) > 0
        return any(
            max(self._names.matches(plain, group, unknown=unknown).values(), default=0.0) >= NAMED
            for group in groups
        )

    def _unknown(self, query_words: Sequence[str]) -> float:
        """The part of the telling words that no text has."""
        telling = {word for word in query_words if len(word) > _SHORT and word not in STOPPED}
        return sum(word not in self._known for word in telling) / max(len(telling), 1)


_EMPTY: Final = frozenset(term for word in IDLE for term in terms(word))
