"""Entities as players write them to the names that the rulebook has.

Normalising folds case, quotes and white space, drops an article in front and a possessive at the
end, and looks the whole up in the variation table. What stands inside a name stays: "Heroes'
Feast" keeps its apostrophe and "Bless" its last letter, and two spellings are compared by their
words (:mod:`~.names`), where neither matters.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import Final, Literal

from ..errors import RulebookQueryError
from ..text.names import fold, title_key, without_article
from ..text.synonyms import VARIATIONS
from ..text.typos import Keys, closest, respaced

MAX_ENTITIES: Final = 64
MAX_ENTITY_CHARS: Final = 200
_WRAPPED: Final = re.compile(r"\[+([^\[\]]*)\]+")
_ENDS: Final = "\"'*_ "
_STOPS: Final = ".,;:!?"
_POSSESSIVE: Final = re.compile(r"'s?$")
_DOTTED: Final = re.compile(r"(?:[^\W\d_]\.){2,}")
_MIN_UNMARKED: Final = 2

How = Literal["title", "variation", "owner", "typo", "as given"]


@dataclass(frozen=True, slots=True)
class ResolvedEntity:
    """What an entity was taken for: ``name`` is normalised, and ``how`` says why it is that one.

    ``title``: it is a title of the book. ``variation``: it stands in the variation table.
    ``owner``: it is a title once whoever the book does not know is left out in front ("Somebody's
    Tiny Hut"). ``typo``: one title alone is that close (:mod:`mvp_site.text.typos`), or differs
    in spaces only. ``as given``: none of these.
    """

    given: str
    name: str
    how: How


def normalise_entities(entities: Iterable[str]) -> tuple[str, ...]:
    """The normal forms in order, each once; none of an entity of which nothing is left.

    Raises:
        RulebookQueryError: there are too many, or one is too long.
    """
    names = map(_cleaned, checked_texts(entities, "entities"))
    return tuple(dict.fromkeys(VARIATIONS.get(name, name) for name in names if name))


def checked_texts(texts: Iterable[str], what: str) -> tuple[str, ...]:
    """``texts`` themselves, which an error calls ``what``.

    Raises:
        RulebookQueryError: they are no texts, there are more than :data:`MAX_ENTITIES`, or one is
            longer than :data:`MAX_ENTITY_CHARS`.
    """
    listed = isinstance(texts, Iterable) and not isinstance(texts, str)
    given = tuple(texts) if listed else ()
    if not listed or not all(isinstance(text, str) for text in given):
        raise RulebookQueryError(f"{what}={str(texts)[:80]!r}: give a list of texts")
    if len(given) > MAX_ENTITIES:
        raise RulebookQueryError(
            f"{len(given)} {what} in one query; at most {MAX_ENTITIES} are taken: "
            "ask in several queries, or put free text into user_query"
        )
    for text in given:
        if len(text) > MAX_ENTITY_CHARS:
            raise RulebookQueryError(
                f"{what}: one has {len(text)} characters ({text[:40]!r}…), and at most "
                f"{MAX_ENTITY_CHARS} are taken: put free text into user_query"
            )
    return given


class EntityNames:
    """The titles of one rulebook, for taking entities to them.

    ``known`` are the words of its text as :func:`~.names.words` gives them: an entity of known
    words is no typo, however close a title is.
    """

    def __init__(self, titles: Iterable[str], known: Container[str] = frozenset()) -> None:
        self._titles: dict[str, str] = {}
        for title in titles:
            key = title_key(title)
            if key:
                self._titles.setdefault(key, _cleaned(title))
        self._respaced = respaced(self._titles)
        self._keys = Keys(self._titles)
        self._known = known

    def resolve(self, entity: str) -> ResolvedEntity:
        """What ``entity`` is taken for; a title of the book is never taken for another one."""
        name = _cleaned(entity)
        key = title_key(name)
        if key in self._titles:
            return ResolvedEntity(entity, self._titles[key], "title")
        if name in VARIATIONS:
            name = VARIATIONS[name]
            return ResolvedEntity(entity, self._titles.get(title_key(name), name), "variation")
        owned = self._without_owner(name)
        if owned:
            return ResolvedEntity(entity, self._titles[owned], "owner")
        near = self._respaced.get(key.replace(" ", ""))
        if not near and not all(word in self._known for word in key.split()):
            near = closest(key, self._keys)
        if near:
            return ResolvedEntity(entity, self._titles[near], "typo")
        return ResolvedEntity(entity, name, "as given")

    def _without_owner(self, name: str) -> str | None:
        """The title that is left without a first word which is somebody the book does not know.

        "hut" alone is not enough where the apostrophe was left out as well.
        """
        first, _, rest = name.partition(" ")
        owner, key = title_key(first), title_key(rest)
        if key not in self._titles or owner in self._titles or owner in self._known:
            return None
        marked = first.endswith(("'s", "'"))
        unmarked = first.endswith("s") and len(key.split()) >= _MIN_UNMARKED
        return key if marked or unmarked else None


def _cleaned(entity: str) -> str:
    """``entity`` folded, without what stands around the name; '' where there is no name."""
    text, before = fold(entity), ""
    while text != before:  # what is taken off may lay bare more of the same
        before, text = text, _peeled(text)
    return text if any(map(str.isalnum, text)) else ""


def _peeled(text: str) -> str:
    text = _WRAPPED.sub(r"\1", text).strip(_ENDS).rstrip(_STOPS + _ENDS)
    if _DOTTED.fullmatch(f"{text}."):
        text = text.replace(".", "")
    return " ".join(without_article(_POSSESSIVE.sub("", text).split()))
