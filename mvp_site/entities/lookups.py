"""Lookups: what players of such games ask a server for, in the words of its parameters.

Free text goes to the search as it is (design 3, "Tool functions use semantic search by default";
its fallback to a remote interface is dropped). What the text states binds, unless it stands beside
the name of something. A parameter is a filter on each type that has its field; a type that lacks
it is left out. Of results that several types give, the better score comes first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from ..content.notation import typed
from ..content.types import EntityType, field_names
from ..errors import EntityTypeError, FilterError
from ..retrieval.filters import FieldKind
from ..text.normalising import normalise
from .results import Results

LIMIT: Final = 20
_ACTIONS: Final = frozenset({"action", "bonus action", "reaction", "minute", "hour"})
Texts: TypeAlias = str | Sequence[str] | None
_T = EntityType
LOOKUPS: Final[Mapping[str, tuple[EntityType, ...]]] = {
    "lookup_spell": (_T.SPELLS,), "lookup_creature": (_T.MONSTERS,),
    "lookup_equipment": (_T.WEAPONS, _T.ARMOR, _T.EQUIPMENT, _T.MAGIC_ITEMS),
    "lookup_rule": (_T.RULES, _T.CONDITIONS),
    "lookup_character_option": (
        _T.CLASSES, _T.SUBCLASSES, _T.RACES, _T.FEATURES, _T.TRAITS, _T.BACKGROUNDS, _T.FEATS,
    ),
    "search_all": tuple(EntityType),
}
"""The lookups and the types that each looks through."""
_SPOKEN: Final[Mapping[str, EntityType]] = {
    **{form: type_ for type_ in EntityType
       for form in (type_.removesuffix("es"), type_.removesuffix("s"), type_)},
    **dict.fromkeys(("gear", "item", "items"), _T.EQUIPMENT),
}
"""The types as callers name them."""


class Lookups:
    """The lookups over a search that takes several types.

    ``parameters`` are ``limit``, ``documents`` and the filters; one that is None asks for nothing.
    """

    search_types: Callable[..., Results]

    def lookup_spell(self, name: str = "", **parameters: Any) -> Results:
        """The spells that ``name`` means, by their name or by what they do."""
        return self._lookup_of("lookup_spell", name, parameters)

    def lookup_creature(self, name: str = "", **parameters: Any) -> Results:
        """The monsters that ``name`` means; a challenge rating may be written ``"1/4"``."""
        return self._lookup_of("lookup_creature", name, parameters)

    def lookup_equipment(self, name: str = "", **parameters: Any) -> Results:
        """The weapons, armor, gear and magic items that ``name`` means; costs are in gp.

        ``type`` is one or several of weapon, armor, gear (equipment) and magic-item.
        """
        return self._lookup_of("lookup_equipment", name, parameters)

    def lookup_rule(self, name: str = "", **parameters: Any) -> Results:
        """The rules and conditions that ``name`` means; ``type`` is one of the two."""
        return self._lookup_of("lookup_rule", name, parameters)

    def lookup_character_option(self, name: str = "", **parameters: Any) -> Results:
        """The classes, subclasses, races, features, traits, backgrounds and feats it means."""
        return self._lookup_of("lookup_character_option", name, parameters)

    def search_all(self, query: str = "", limit: int = LIMIT, *, name: str = "",
                   types: Texts = None, documents: Texts = None, bind_stated: bool = True,
                   ) -> Results:
        """What the query means among all types, the better score first; each has its type."""
        return self._lookup(
            _types(types, LOOKUPS["search_all"]), query or name, limit, {"documents": documents},
            bind_stated,
        )

    def _lookup_of(self, lookup: str, name: str, parameters: Mapping[str, Any]) -> Results:
        # ``class`` is a word of Python's own.
        filters = {key.rstrip("_"): _value(key, value) for key, value in parameters.items()}
        limit, types = filters.pop("limit", LIMIT), LOOKUPS[lookup]
        if lookup != "lookup_creature":  # of a monster it is a field
            types = _types(filters.pop("type", None), types)
        return self._lookup(types, name, limit, filters)

    def _lookup(self, types: Sequence[EntityType], name: str, limit: int,
                parameters: Mapping[str, Any], bind_stated: bool = True) -> Results:
        present = {key: value for key, value in parameters.items() if value is not None}
        having = [type_ for type_ in types if all(_has(type_, key) for key in present)]
        if not having:
            lacking = [key for key in present if not any(_has(type_, key) for type_ in types)]
            raise FilterError(
                f"{' and '.join(types)} have no field {' or '.join(lacking)}: leave it out, or "
                "look up another type" if lacking else
                f"no type among {', '.join(types)} has all of {', '.join(present)}: ask for less"
            )
        filters = dict.fromkeys(having, present)
        results = self.search_types(having, name, filters, limit, bind_stated=bind_stated,
                                  names_first=True)
        if not results and results.bound:
            # What the words state may have been meant as a name: better told than nothing.
            return self.search_types(having, name, filters, limit)
        return results


def _types(texts: Texts, allowed: Sequence[EntityType]) -> tuple[EntityType, ...]:
    """The types that a caller names, in any form ("weapon", "magic_items"), or all ``allowed``."""
    if texts is None:
        return tuple(allowed)
    entity_types = []
    several: Iterable[Any] = texts if isinstance(texts, list | tuple | set | frozenset) else [texts]
    if not several:
        raise FilterError("type: an empty list asks for nothing: give a type, or leave it out")
    for name in several:
        entity_type = _SPOKEN.get(str(name).strip().casefold().replace("_", "-").replace(" ", "-"))
        if entity_type is None or entity_type not in allowed:
            raise (FilterError if entity_type else EntityTypeError)(
                f"Invalid entity type {str(name)[:60]!r}: looked up here are {', '.join(allowed)}"
            )
        entity_types.append(entity_type)
    return tuple(dict.fromkeys(entity_types))


def _has(type_: EntityType, key: str) -> bool:
    names = field_names(type_)
    return key in names or key.removesuffix("_min").removesuffix("_max") in names


def _value(key: str, value: Any) -> Any:
    """A parameter's value as its field has it: "reaction" as "1 reaction", "1/4" as .25."""
    if isinstance(value, list | tuple):
        return [_value(key, entry) for entry in value]
    if not isinstance(value, str):
        return value
    text = normalise(value)
    if key == "casting_time":
        return f"1 {text}" if text in _ACTIONS else value
    if not key.startswith("cr"):
        return value
    rating = typed(text.replace("\u2044", "/"), FieldKind.NUMBER)
    if isinstance(rating, str):
        raise FilterError(
            f"challenge_rating is a number, which {value[:40]!r} is not: write 5 or 1/4"
        )
    return rating
