"""Lookups: what players of such games ask a server for, in the words of its parameters.

Free text goes to the search as it is (design 3, "Tool functions use semantic search by default";
its fallback to a remote interface is dropped). What the text states binds, unless it stands beside
the name of something. A parameter is a filter on each type that has its field; a type that lacks
it is left out. Of results that several types give, the better score comes first.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from ..content.notation import typed
from ..content.types import EntityType, fields_of
from ..errors import EntityTypeError, FilterError
from ..retrieval.filters import FieldKind
from ..text.normalising import normalise
from .results import Results

LIMIT: Final = 20
_ACTIONS: Final = frozenset({"action", "bonus action", "reaction", "minute", "hour"})
Texts: TypeAlias = str | Sequence[str] | None
Number: TypeAlias = float | None
Challenge: TypeAlias = float | str | Sequence[float | str] | None
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


class Lookups(ABC):
    """The lookups over a search that takes several types."""

    @abstractmethod
    def search_types(self, types: Sequence[EntityType], query: str,
                     filters: Mapping[EntityType, Mapping[str, Any]] | None = None,
                     limit: int = LIMIT, offset: int = 0, *, bind_stated: bool = False,
                     names_first: bool = False) -> Results:
        """The results of several types, the better score first."""

    def lookup_spell(  # noqa: PLR0913 - the parameters that users know
            self, name: str = "", *, level: Number = None, level_min: Number = None,
            level_max: Number = None, school: Texts = None, class_: Texts = None,
            concentration: bool | None = None, ritual: bool | None = None,
            casting_time: Texts = None, damage_type: Texts = None,
            documents: Texts = None, limit: int = LIMIT, **also: Any) -> Results:
        """The spells that ``name`` means, by their name or by what they do.

        ``class`` may be given as it is spelt (``**{"class": "wizard"}``), or as ``dnd_class``.
        """
        return self._lookup(LOOKUPS["lookup_spell"], name, limit, {
            "level": level, "level_min": level_min, "level_max": level_max, "school": school,
            "classes": class_ if class_ is not None else _only(also, "class", "dnd_class"),
            "concentration": concentration, "ritual": ritual, "casting_time": _time(casting_time),
            "damage_type": damage_type, "document": documents,
        })

    def lookup_creature(  # noqa: PLR0913 - the parameters that users know
            self, name: str = "", *, cr: Challenge = None, cr_min: Challenge = None,
            cr_max: Challenge = None, type: Texts = None,  # noqa: A002 - as users say
            size: Texts = None, armor_class_min: Number = None,
            hit_points_min: Number = None, documents: Texts = None,
            limit: int = LIMIT) -> Results:
        """The monsters that ``name`` means; a challenge rating may be written ``"1/4"``."""
        return self._lookup(LOOKUPS["lookup_creature"], name, limit, {
            "challenge_rating": _challenge(cr), "challenge_rating_min": _challenge(cr_min),
            "challenge_rating_max": _challenge(cr_max), "type": type, "size": size,
            "armor_class_min": armor_class_min, "hit_points_min": hit_points_min,
            "document": documents,
        })

    def lookup_equipment(  # noqa: PLR0913 - the parameters that users know
            self, name: str = "", *,
            type: Texts = None,  # noqa: A002 - as users say
            rarity: Texts = None, attunement: bool | None = None,
            cost_min: Number = None, cost_max: Number = None,
            weight_max: Number = None, finesse: bool | None = None,
            light: bool | None = None, magic: bool | None = None,
            documents: Texts = None, limit: int = LIMIT) -> Results:
        """The weapons, armor, gear and magic items that ``name`` means; costs are in gp.

        ``type`` is one or several of weapon, armor, gear (equipment) and magic-item.
        """
        return self._lookup(_types(type, LOOKUPS["lookup_equipment"]), name, limit, {
            "rarity": rarity, "attunement": attunement, "cost_min": cost_min,
            "cost_max": cost_max, "weight_max": weight_max, "finesse": finesse, "light": light,
            "magic": magic, "document": documents,
        })

    def lookup_rule(self, name: str = "", *,
                    type: Texts = None,  # noqa: A002 - as users say
                    documents: Texts = None, limit: int = LIMIT) -> Results:
        """The rules and conditions that ``name`` means; ``type`` is one of the two."""
        types = _types(type, LOOKUPS["lookup_rule"])
        return self._lookup(types, name, limit, {"document": documents})

    def lookup_character_option(self, name: str = "", *,
                                type: Texts = None,  # noqa: A002 - as users say
                                documents: Texts = None, limit: int = LIMIT) -> Results:
        """The classes, subclasses, races, features, traits, backgrounds and feats it means."""
        types = _types(type, LOOKUPS["lookup_character_option"])
        return self._lookup(types, name, limit, {"document": documents})

    def search_all(self, query: str = "", limit: int = LIMIT, *, name: str = "",
                   types: Texts = None, documents: Texts = None, bind_stated: bool = True,
                   ) -> Results:
        """What the query means among all types, the better score first; each has its type."""
        return self._lookup(
            _types(types, LOOKUPS["search_all"]), query or name, limit, {"document": documents},
            bind_stated,
        )

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
    names = {name for field in fields_of(type_) for name in (field.name, *field.also)}
    return key in names or key.removesuffix("_min").removesuffix("_max") in names


def _time(value: Texts) -> Any:
    """A casting time as people say it: "reaction", "bonus action"."""
    if isinstance(value, list | tuple):
        return [_time(entry) for entry in value]
    text = normalise(value) if isinstance(value, str) else ""
    return f"1 {text}" if text in _ACTIONS else value


def _challenge(value: Challenge) -> Any:
    if isinstance(value, list | tuple | set):
        return [_challenge(entry) for entry in value]
    if not isinstance(value, str):
        return value
    rating = typed(normalise(value).replace("\u2044", "/"), FieldKind.NUMBER)
    if isinstance(rating, str):
        raise FilterError(
            f"challenge_rating is a number, which {value[:40]!r} is not: write 5 or 1/4"
        )
    return rating


def _only(also: dict[str, Any], *names: str) -> Any:
    """The value under one of ``names``, which signatures cannot have; any other is a mistake."""
    values = [also.pop(name) for name in names if name in also]
    if also:
        raise TypeError(f"unexpected keyword argument {next(iter(also))!r}")
    return next((value for value in values if value is not None), None)
