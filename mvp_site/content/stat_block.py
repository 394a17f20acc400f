"""An entity as people read it: a line at a glance, and its stat block. Pure.

A stat block is lines of a label and values, a monster's abilities, a class's levels, and texts. The
rulebook, pages and the terminal print it, each in its own way. A user's document may lack any
field, or hold one of another kind; it is then shown as it is, or left out.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from ..retrieval.filters import FieldKind, fold
from .captions import flat, label, shown
from .document import NAMED_TEXTS, TEXT, Document
from .heads import HeadLine, HeadValue, head_of, spell_kind
from .levels import KEY as LEVELS
from .levels import LevelTable, level_table
from .reading import Reading
from .types import ABILITIES, EntityType, fields_of
from .wording import joined

_LINKED: Final = (FieldKind.TEXT, FieldKind.TEXTS, FieldKind.FLAG)
_UNLINKED: Final = frozenset({"range", "duration", "damage_dice", "attunement_by", "attack"})
_LONGEST: Final = 600
_NAMES: Final = {"parent": "Part of", "options": "Choices", "forms": "Other forms"}
"""Keys that say less than what stands under them."""


@dataclass(frozen=True, slots=True)
class Ability:
    """An ability's score with its modifier, such as ``-1``."""

    name: str
    score: str
    modifier: str


@dataclass(frozen=True, slots=True)
class StatBlockEntry:
    """A text in Markdown; its name, with its usage, is '' for the description."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class StatBlockSection:
    """The texts under one key of a document; the description has no title."""

    key: str
    title: str
    entries: tuple[StatBlockEntry, ...]


@dataclass(frozen=True, slots=True)
class StatBlock:
    """An entity whole.

    ``kind`` is the line under its name; of a monster ``head`` and ``lines`` stand before and
    behind its abilities. ``facts`` are all other fields and keys that say something.
    """

    kind: str
    head: tuple[HeadLine, ...]
    abilities: tuple[Ability, ...]
    lines: tuple[HeadLine, ...]
    facts: tuple[HeadLine, ...]
    levels: LevelTable
    sections: tuple[StatBlockSection, ...]


def stat_block(type_: EntityType, document: Document) -> StatBlock:
    """The stat block of a document."""
    of = Reading(document)
    kind, head, lines = head_of(type_, of)
    abilities: tuple[Ability, ...] = ()
    if type_ is EntityType.MONSTERS:
        abilities = tuple(
            Ability(name.capitalize(), of(name), f"{int(score - 10) // 2:+d}")
            for name in ABILITIES if (score := of.number(name)) is not None
        )
    levels = level_table(document)
    if levels.rows:
        of.passed(LEVELS, "features")
    for flag, key in (("legendary", "legendary_actions"), ("spellcaster", "spells")):
        if document.get(key):
            of.passed(flag)
    return StatBlock(kind, head, abilities, lines, tuple(_facts(type_, document, of.asked)),
                     levels, tuple(_sections(document)))


def titled(document: Document) -> str:
    """The name of an ability or action with its usage: "Fire Breath (Recharge 5–6)"."""
    name, usage = str(document.get("name", "")), document.get("usage")
    if not isinstance(usage, str) or not usage or usage in name:
        return name
    return f"{name} ({usage})".strip()


def _facts(type_: EntityType, document: Document, listed: Collection[str]) -> Iterator[HeadLine]:
    """The fields that say something, then the keys beside them: what is not goes without saying."""
    fields = fields_of(type_)
    properties = fold(shown("properties", document.get("properties")))
    for field in fields:
        value = document.get(field.name)
        text = shown(field.name, value)
        # The properties say so, or it has none.
        unsaid = value is False or (value is True and fold(field.name) in properties)
        if field.name in listed or unsaid or not text:
            continue
        if field.kind not in _LINKED or field.name in _UNLINKED:
            yield HeadLine(label(field.name), (HeadValue(text),))
            continue
        several = value if isinstance(value, list | tuple) else [value]
        yield HeadLine(label(field.name), tuple(
            HeadValue(shown(field.name, entry), (field.name, entry)) for entry in several
        ))
    keys = {*listed, *(field.name for field in fields)}
    for key, value in document.items():
        if key not in keys and value is not False and (text := flat(key, value)):
            excerpt = textwrap.shorten(text, _LONGEST, placeholder=" …")
            yield HeadLine(_NAMES.get(key) or label(key), (HeadValue(excerpt),))


def _sections(document: Document) -> Iterator[StatBlockSection]:
    for key, title in zip(TEXT, ("", "At higher levels"), strict=True):
        if text := markdown_of(document.get(key)):
            yield StatBlockSection(key, title, (StatBlockEntry("", text),))
    for key in NAMED_TEXTS:
        raw = document.get(key)
        entries = tuple(
            StatBlockEntry(titled(section), markdown_of(section.get("desc")))
            for section in (raw if isinstance(raw, list) else ()) if isinstance(section, Mapping)
        )
        if entries:
            yield StatBlockSection(key, "In detail" if key == "sections" else label(key), entries)


def markdown_of(value: object) -> str:
    """A text, or a list of its paragraphs; '' for another value."""
    if isinstance(value, list):
        return "\n\n".join(str(part) for part in value)
    return value if isinstance(value, str) else ""


def caption(type_: EntityType, document: Document) -> str:
    """The line under an entity's name: what it is, from its fields alone."""
    return " · ".join(filter(None, _CAPTIONS[type_](Reading(document))))


def _spell(of: Reading) -> list[str]:
    flags = [name for name in ("concentration", "ritual") if of.has(name)]
    return [spell_kind(of), of("casting_time"), of("range"), ", ".join(flags)]


def _monster(of: Reading) -> list[str]:
    kind = joined(of("size"), of("type"), of("subtype", "({})"))
    return [kind[:1].upper() + kind[1:], of("challenge_rating", "Challenge {}"),
            of("armor_class", "AC {}"), of("hit_points", "{} HP"),
            "flies" if of.has("flying") else ""]


_CAPTIONS: Final[Mapping[EntityType, Callable[[Reading], list[str]]]] = {
    EntityType.SPELLS: _spell,
    EntityType.MONSTERS: _monster,
    EntityType.WEAPONS: lambda of: [
        joined(of("category"), of("style").lower()),
        joined(of("damage_dice"), of("damage_type").lower()), of("properties").lower(), of("cost"),
    ],
    EntityType.ARMOR: lambda of: [
        of("category"), of("armor_class", "AC {}"), of("cost"), of("weight"),
        "disadvantage on Stealth" if of.has("stealth_disadvantage") else "",
    ],
    EntityType.EQUIPMENT: lambda of: [of("category"), of("group"), of("cost"), of("weight")],
    EntityType.MAGIC_ITEMS: lambda of: [
        of("item_type"), of("rarity").lower(),
        (of("attunement_by", "attunement by {}") or "attunement") if of.has("attunement") else "",
    ],
    EntityType.CLASSES: lambda of: [
        of("hit_die", "Hit die {}"), of("saving_throws", "saves {}"),
        of("spellcasting_ability", "casts by {}"),
    ],
    EntityType.SUBCLASSES: lambda of: [of("class")],
    EntityType.RACES: lambda of: [
        of("race", "of {}"), of("size"), of("speed"), of("ability_bonuses"),
    ],
    EntityType.FEATURES: lambda of: [of("class"), of("subclass"), of("level", "level {}")],
    EntityType.TRAITS: lambda of: [of("races"), of("damage_type")],
    EntityType.CONDITIONS: lambda _: [],
    EntityType.RULES: lambda of: [of("category").capitalize(), of("chapter")],
    EntityType.BACKGROUNDS: lambda of: [of("proficiencies")],
    EntityType.FEATS: lambda of: [of("prerequisites", "needs {}")],
}
