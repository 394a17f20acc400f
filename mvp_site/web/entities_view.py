"""Entities as pages show them: results, one whole with its stat block. Pure.

Numbers and safe HTML only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from markupsafe import Markup

from ..content.captions import TITLES, caption, label, level_table, others, shown, titled
from ..content.document import NAMED_TEXTS
from ..content.types import EntityType, entity_type, fields_of
from ..entities.results import Result
from ..retrieval.filters import FieldKind, fold
from .entities_forms import text_of
from .rulebook_text import SHOWN, html_of

SNIPPET: Final = 220
"""How many characters of its text a result shows."""

_MARKS: Final = re.compile(r"[*_`>~]+|^\s*[-+]\s+", re.MULTILINE)
_NO_PROSE: Final = re.compile(r"^\s*[|#].*$", re.MULTILINE)
_ABILITIES: Final = ("strength", "dexterity", "constitution", "intelligence", "wisdom", "charisma")
_SPEEDS: Final = ("walk", "fly", "swim", "burrow", "climb")
_SENSES: Final = ("darkvision", "blindsight", "tremorsense", "truesight")
_BLOCK: Final = frozenset({
    *_ABILITIES, *_SPEEDS, *_SENSES, "armor_class", "hit_points", "flying", "challenge_rating",
    "xp", "size", "type", "subtype", "alignment",
})
_UNSHOWN: Final = frozenset({"slug", "name", "document", "range_feet", "damage_average"})
_LINKED: Final = (FieldKind.TEXT, FieldKind.TEXTS, FieldKind.FLAG)
_UNLINKED: Final = frozenset({"range", "duration", "damage_dice", "attunement_by", "attack"})


@dataclass(frozen=True, slots=True)
class TypeTab:
    """A type, with how many entities it has."""

    type: str
    title: str
    count: int


@dataclass(frozen=True, slots=True)
class Card:
    """A result. ``number`` is its place among all."""

    number: int
    type: str
    kind: str
    slug: str
    name: str
    caption: str
    snippet: str
    score: float
    document: str
    shadows: str


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a field; with ``pair`` it leads to all that have it."""

    text: str
    pair: tuple[str, str] | None


@dataclass(frozen=True, slots=True)
class Fact:
    """A field with its values."""

    title: str
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Ability:
    """An ability's score with its modifier."""

    name: str
    title: str
    score: str
    modifier: str


@dataclass(frozen=True, slots=True)
class Text:
    """A text of an entity, or one with a name of its own."""

    name: str
    html: Markup
    shortened: bool


@dataclass(frozen=True, slots=True)
class Part:
    """Texts under one heading; without a heading, the description."""

    title: str
    texts: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class EntityView:
    """One entity whole. ``levels`` are the columns and rows of a class's table."""

    type: EntityType
    kind: str
    slug: str
    name: str
    caption: str
    document: str
    shadows: str
    block: tuple[Fact, ...]
    abilities: tuple[Ability, ...]
    facts: tuple[Fact, ...]
    levels: tuple[list[str], list[list[str]]]
    parts: tuple[Part, ...]


def tabs(documents: Iterable[Mapping[str, Any]], current: EntityType | None) -> tuple[TypeTab, ...]:
    """The types that have entities, and the one that is looked at."""
    counts: dict[str, int] = {}
    for one in documents:
        for name, count in one["types"].items():
            counts[name] = counts.get(name, 0) + count
    return tuple(
        TypeTab(type_.value, TITLES[type_][1], counts.get(type_, 0))
        for type_ in EntityType if counts.get(type_) or type_ is current
    )


def cards(results: Iterable[Result], offset: int = 0) -> tuple[Card, ...]:
    """The results as cards, numbered from ``offset`` on."""
    return tuple(_card(number, result) for number, result in enumerate(results, offset + 1))


def _card(number: int, result: Result) -> Card:
    type_ = entity_type(result["entity_type"])
    return Card(
        number, type_.value, TITLES[type_][0], str(result["slug"]), str(result["name"]),
        caption(type_, result), snippet(_text(result.get("desc"))) or _named(result),
        float(result["_score"]),
        str(result.get("document", "")), str(result.get("shadows") or ""),
    )


def snippet(markdown: str) -> str:
    """The beginning of a text, without marks, headings and tables, cut at a word."""
    plain = " ".join(_MARKS.sub(" ", _NO_PROSE.sub("", markdown[:8 * SNIPPET])).split())
    if len(plain) <= SNIPPET:
        return plain
    return plain[:SNIPPET].rsplit(" ", 1)[0].rstrip(" ,;:.") + " …"


def _named(result: Result) -> str:
    """What an entity without a description has: the names of its abilities and actions."""
    names = {
        key: ", ".join(map(titled, _listed(result, key)))
        for key in NAMED_TEXTS
    }
    return snippet(" ".join(f"{label(key)}: {said}." for key, said in names.items() if said))


def entity_view(entity: Result) -> EntityView:
    """One entity with its fields and texts; of a monster, with its stat block."""
    type_ = entity_type(entity["entity_type"])
    monster = type_ is EntityType.MONSTERS
    hidden = _UNSHOWN | _BLOCK if monster else _UNSHOWN
    return EntityView(
        type_, TITLES[type_][0], str(entity["slug"]), str(entity["name"]),
        caption(type_, entity), str(entity.get("document", "")), str(entity.get("shadows") or ""),
        _block(entity) if monster else (), _abilities(entity) if monster else (),
        _facts(type_, entity, hidden), level_table(entity), _parts(entity),
    )


def _facts(type_: EntityType, entity: Mapping[str, Any], hidden: frozenset[str],
           ) -> tuple[Fact, ...]:
    """The fields that say something; what an entity has not goes without saying."""
    found = []
    properties = fold(shown("properties", entity.get("properties")))
    for field in fields_of(type_):
        value = entity.get(field.name)
        if field.name in hidden or value is False or not (text := shown(field.name, value)):
            continue
        if value is True and fold(field.name) in properties:
            continue  # the properties say so
        linked = field.kind in _LINKED and field.name not in _UNLINKED
        several = value if isinstance(value, list | tuple) else [value]
        found.append(Fact(label(field.name), tuple(
            Value(shown(field.name, one), (field.name, text_of(one))) for one in several
        ) if linked else (Value(text, None),)))
    found += [Fact(name, (Value(text, None),)) for name, text in others(type_, entity)]
    return tuple(found)


def _block(monster: Mapping[str, Any]) -> tuple[Fact, ...]:
    """The head of a stat block."""
    kind = " ".join(part for name in ("size", "type") if (part := shown(name, monster.get(name))))
    subtype = shown("subtype", monster.get("subtype"))
    challenge = shown("challenge_rating", monster.get("challenge_rating"))
    xp = shown("xp", monster.get("xp"))
    rows = (
        ("Kind", f"{kind} ({subtype})" if subtype else kind),
        ("Alignment", shown("alignment", monster.get("alignment"))),
        ("Armor class", shown("armor_class", monster.get("armor_class"))),
        ("Hit points", shown("hit_points", monster.get("hit_points"))),
        ("Speed", _distances(monster, _SPEEDS)),
        ("Senses", _distances(monster, _SENSES)),
        ("Challenge", f"{challenge} ({xp} XP)" if challenge and xp else challenge),
    )
    return tuple(Fact(title, (Value(text, None),)) for title, text in rows if text)


def _distances(monster: Mapping[str, Any], names: Sequence[str]) -> str:
    found = [(name, shown(name, value)) for name in names if (value := monster.get(name))]
    return ", ".join(text if name == "walk" else f"{name} {text}" for name, text in found)


def _abilities(monster: Mapping[str, Any]) -> tuple[Ability, ...]:
    found = []
    for name in _ABILITIES:
        score = monster.get(name)
        if isinstance(score, int | float) and not isinstance(score, bool):
            modifier = f"{int(score - 10) // 2:+d}".replace("-", "−")
            found.append(Ability(
                name[:3].upper(), name.capitalize(), shown(name, score), modifier
            ))
    return tuple(found)


def _parts(entity: Mapping[str, Any]) -> tuple[Part, ...]:
    """The texts of an entity; headings inside them go on from the page's own."""
    name = str(entity["name"])
    found = []
    if desc := _text(entity.get("desc")):
        found.append(Part("", (_one("", desc, name, 2),)))
    if higher := _text(entity.get("higher_level")):
        found.append(Part("At higher levels", (_one("", higher, name, 3),)))
    for key in NAMED_TEXTS:
        texts = tuple(
            _one(titled(one), _text(one.get("desc")), name, 4)
            for one in _listed(entity, key)
        )
        if texts:
            found.append(Part("In detail" if key == "sections" else label(key), texts))
    return tuple(found)


def _listed(entity: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    """The texts with names under a key."""
    found = entity.get(key)
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []


def _one(name: str, markdown: str, of: str, level: int) -> Text:
    return Text(name, html_of(markdown, f"{of}, {name}" if name else of, level),
                len(markdown) > SHOWN)


def _text(value: object) -> str:
    """A text, or a list of its paragraphs."""
    if isinstance(value, list):
        return "\n\n".join(str(one) for one in value)
    return value if isinstance(value, str) else ""
