"""Fields that follow from others or from an entity's texts, so that they need not be given.

- A spell's ``range_feet`` follows from ``range``, ``concentration`` from ``duration``;
- a monster's speeds and senses follow from ``speed`` and ``senses``, ``flying`` from ``fly``,
  ``legendary`` from its actions;
- a weapon's flags follow from ``properties``, ``damage_average`` from ``damage_dice``;
- the ``classes`` of weapons and armor are those that are proficient with them;
- of spells and monsters the texts say what they deal, heal, protect from, inflict and drain.

What they follow from is kept. ``derived`` has for each field that was read in texts where it says
so: the name of an ability or action, ``desc``, or the class.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ..retrieval.filters import FieldKind, fold
from ..text.names import names_of, words
from ..text.vocabulary import SENSES, SPEEDS
from . import effects
from .captions import flat
from .document import NAMED_TEXTS, TEXT, Document
from .types import EntityType, fields_of
from .wording import average, feet_of

_MEASURE: Final = re.compile(
    rf"(?:({'|'.join((*SPEEDS, *SENSES))})\s+)?([0-9]{{1,6}})\s*(?:ft|feet)\b", re.IGNORECASE
)
_NO_PROPERTY: Final = "magic"
_MOST: Final = 4_000
"""Characters of a text in which something is sought."""


DERIVED: Final = "derived"
USED: Final = (EntityType.WEAPONS, EntityType.ARMOR)
"""The types whose ``classes`` follow from the classes."""


def with_derived(type_: EntityType, document: Document) -> dict[str, Any]:
    """``document`` with the fields that follow from others, where it does not give them.

    Fields that were read in texts before are read again, as the texts may have changed.
    """
    before = document.get(DERIVED)
    read = {DERIVED, *(before if isinstance(before, Mapping) else ())}
    given = {name: value for name, value in document.items() if name not in read}
    follows = _DERIVED[type_](given) if type_ in _DERIVED else ()
    given |= {name: value for name, value in follows if name not in given}
    sources: dict[str, list[str]] = {}
    values: dict[str, Any] = {}
    for name, value, source in _SAID[type_](given) if type_ in _SAID else ():
        if name in given:
            continue
        if value is False:  # a flag is always there
            values.setdefault(name, False)
        if not value:
            continue
        sources.setdefault(name, []).append(source)
        if isinstance(value, list):
            values[name] = list(dict.fromkeys([*values.get(name, ()), *value]))
        elif not values.get(name):
            values[name] = value
    places = {name: ", ".join(dict.fromkeys(listed)) for name, listed in sources.items()}
    return {**given, **values, **({DERIVED: places} if places else {})}


def with_classes(entries: Sequence[tuple[EntityType, Document]],
                 ) -> list[tuple[EntityType, Document]]:
    """``entries`` with the ``classes`` that are proficient with each weapon and suit of armor."""
    proficient: dict[tuple[str, ...], set[str]] = {}
    for type_, document in entries:
        listed = document.get("proficiencies") if type_ is EntityType.CLASSES else None
        for name in listed if isinstance(listed, list | tuple) else ():
            proficient.setdefault(words(str(name)), set()).add(str(document["name"]))
    out: list[tuple[EntityType, Document]] = []
    for type_, document in entries:
        category, name = str(document.get("category", "")), str(document["name"])
        forms = {*names_of(name), words(f"{category} {type_}")}
        if type_ is EntityType.ARMOR and fold(category) in ("light", "medium", "heavy"):
            forms.add(("all", "armor"))
        classes = sorted({users for form in forms for users in proficient.get(form, ())})
        if classes and type_ in USED and "classes" not in document:
            places = {**document.get(DERIVED, {}), "classes": "proficiencies of the classes"}
            out.append((type_, {**document, "classes": classes, DERIVED: places}))
        else:
            out.append((type_, document))
    return out


def _spell(document: Document) -> Iterator[tuple[str, Any]]:
    if (feet := feet_of(str(document.get("range", "")))) is not None:
        yield "range_feet", feet
    if "concentration" in str(document.get("duration", "")).lower():
        yield "concentration", True


def _monster(document: Document) -> Iterator[tuple[str, Any]]:
    fly = document.get("fly")
    for key, names in (("speed", SPEEDS), ("senses", SENSES)):
        measures = _MEASURE.findall(flat(key, document.get(key)))
        if measures or (key == "senses" and key in document):  # it may have passive ones alone
            feet = {(name or "walk").lower(): int(number) for name, number in measures}
            yield from ((name, feet.get(name, 0)) for name in names)
            fly = feet.get("fly", 0) if fly is None and key == "speed" else fly
    if isinstance(fly, int | float):
        yield "flying", fly > 0
    if document.get("legendary_actions"):
        yield "legendary", True


def _weapon(document: Document) -> Iterator[tuple[str, Any]]:
    if (mean := average(str(document.get("damage_dice", "")))) is not None:
        yield "damage_average", mean
    traits = {fold(name).split("(")[0].strip() for name in document.get("properties", ())}
    yield from (
        (field.name, fold(field.name) in traits) for field in fields_of(EntityType.WEAPONS)
        if field.kind is FieldKind.FLAG and field.name != _NO_PROPERTY
    )


_DERIVED: Final = {
    EntityType.SPELLS: _spell, EntityType.MONSTERS: _monster, EntityType.WEAPONS: _weapon,
}


def _spell_says(document: Document) -> Iterator[tuple[str, Any, str]]:
    """What the texts of a spell say: field, value, and where."""
    texts = dict(_texts(document))
    text, higher = texts.get("desc", ""), texts.get("higher_level", "")
    for field, value in () if not text else (
        ("damage_type", effects.types_dealt(f"{text} {higher}")),
        ("resistances", effects.types_withstood(text, str(document.get("casting_time", "")))),
        ("healing", effects.heals(text)), ("save", effects.save(text)),
        ("attack", effects.spell_attack(text)), ("inflicts", effects.conditions_inflicted(text)),
        ("drains_life", effects.drains_life(text)),
        *(effects.area(str(document.get("range", ""))) or effects.area(text)).items(),
    ):
        yield field, value, "desc"


def _monster_says(document: Document) -> Iterator[tuple[str, Any, str]]:
    """What the abilities and actions of a monster say: field, value, and where."""
    name, abilities = str(document.get("name", "")), document.get("special_abilities", ())
    traits = {str(entry.get("name", "")) for entry in abilities if isinstance(entry, Mapping)}
    for title, text in _texts(document):
        yield "inflicts", effects.conditions_inflicted(text, name), title
        yield "drains_life", effects.drains_life(text), title
        yield "spellcaster", "spellcasting" in title.lower(), title
        if title not in {*traits, *TEXT}:  # a trait says what harms the monster itself, too
            yield "damage_types", effects.types_dealt(text), title


def _texts(document: Document) -> Iterator[tuple[str, str]]:
    """The texts of a document, each in one line, with the key or the name that it has."""
    for key in TEXT:
        value = document.get(key, "")
        text = " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        if text:
            yield key, " ".join(text[:_MOST].split())
    for key in NAMED_TEXTS:
        listed = document.get(key, ())
        for entry in listed if isinstance(listed, list | tuple) else ():
            if isinstance(entry, Mapping):
                text = " ".join(str(entry.get("desc", ""))[:_MOST].split())
                yield str(entry.get("name", "")), text


_SAID: Final = {EntityType.SPELLS: _spell_says, EntityType.MONSTERS: _monster_says}
