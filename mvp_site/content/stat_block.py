"""An entity as people read it: a line at a glance, and its stat block. Pure.

A stat block is lines of a label and values, a monster's abilities, a class's levels, and texts. The
rulebook, pages and the terminal print it, each in its own way. A user's document may lack any
field, or hold one of another kind; it is then shown as it is, or left out.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..retrieval.filters import FieldKind, fold
from .captions import label, shown
from .document import NAMED_TEXTS, TEXT, Document
from .reading import Reading
from .types import ABILITIES, SENSES, SPEEDS, EntityType, fields_of
from .wording import commas, dice, joined, ordinal

_PRINTED: Final = (
    *SPEEDS, *SENSES, "flying", "challenge", "passive_perception", "hit_points_note", "languages",
)
"""What the lines of a monster say in other words."""
_LINKED: Final = (FieldKind.TEXT, FieldKind.TEXTS, FieldKind.FLAG)
_UNLINKED: Final = frozenset({"range", "duration", "damage_dice", "attunement_by", "attack"})
_LONGEST: Final = 600
_LEVELS: Final = "levels"


@dataclass(frozen=True, slots=True)
class Value:
    """A value in words; ``filter`` is the field and the value of all that have it."""

    text: str
    filter: tuple[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """What is labelled so."""

    label: str
    values: tuple[Value, ...]

    @property
    def text(self) -> str:
        """The values in one line."""
        return ", ".join(value.text for value in self.values)


@dataclass(frozen=True, slots=True)
class Ability:
    """An ability's score with its modifier, such as ``-1``."""

    name: str
    score: str
    modifier: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A text in Markdown; its name, with its usage, is '' for the description."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Section:
    """The texts under one key of a document; the description has no title."""

    key: str
    title: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class StatBlock:
    """An entity whole.

    Of a monster ``kind`` is the line under its name, ``head`` and ``lines`` what stands before and
    behind its abilities. ``facts`` are all other fields and keys that say something. ``levels`` are
    the columns and rows of a class's table.
    """

    kind: str
    head: tuple[Line, ...]
    abilities: tuple[Ability, ...]
    lines: tuple[Line, ...]
    facts: tuple[Line, ...]
    levels: tuple[list[str], list[list[str]]]
    sections: tuple[Section, ...]


def stat_block(type_: EntityType, document: Document) -> StatBlock:
    """The stat block of a document."""
    head: tuple[Line, ...] = ()
    lines: tuple[Line, ...] = ()
    abilities: tuple[Ability, ...] = ()
    kind, of = "", Reading(document)
    of.passed("range_feet", "damage_average")  # the range and the dice say so
    if type_ is EntityType.MONSTERS:
        what = joined(of("size"), of("type"), of("subtype", "({})"))
        kind = commas(what, of("alignment"))
        abilities = tuple(
            Ability(name.capitalize(), of(name), f"{int(score - 10) // 2:+d}")
            for name in ABILITIES if (score := of.number(name)) is not None
        )
        head, lines = _lines(_head(of)), _lines(_behind(of))
        of.passed(*_PRINTED)
    if levels := _rows(document):
        of.passed(_LEVELS)
    return StatBlock(kind, head, abilities, lines, tuple(_facts(type_, document, of.asked)),
                     _level_table(levels), tuple(_sections(document)))


def titled(one: Document) -> str:
    """The name of an ability or action with its usage: "Fire Breath (Recharge 5–6)"."""
    name, usage = str(one.get("name", "")), one.get("usage")
    if not isinstance(usage, str) or not usage or usage in name:
        return name
    return f"{name} ({usage})".strip()


def _lines(rows: Iterator[tuple[str, str | tuple[Value, ...]]]) -> tuple[Line, ...]:
    return tuple(Line(title, (Value(said),) if isinstance(said, str) else said)
                 for title, said in rows if said)


def _head(of: Reading) -> Iterator[tuple[str, str]]:
    yield "Armor Class", joined(of("armor_class"), of("armor_class_note", "({})"))
    rolled = dice(of.text("hit_dice") or of.text("hit_points_note"))
    yield "Hit Points", joined(of("hit_points"), f"({rolled})" if rolled else "")
    yield "Speed", of.text("speed") or _distances(of, SPEEDS)


def _behind(of: Reading) -> Iterator[tuple[str, str | tuple[Value, ...]]]:
    yield "Saving Throws", _bonuses(of, "saves")
    yield "Skills", _bonuses(of, "skills")
    for title, printed, field in (
        ("Damage Vulnerabilities", "vulnerable_to", "vulnerabilities"),
        ("Damage Resistances", "resists", "resistances"),
        ("Damage Immunities", "immune_to", "immunities"),
        ("Condition Immunities", "", "condition_immunities"),
    ):
        listed = of.texts(field)
        said = of(printed)
        if said.lower() not in {"", ", ".join(listed).lower()}:
            yield title, said
        else:
            yield title, tuple(Value(one.lower(), (field, one)) for one in listed)
    yield "Senses", of.text("senses") or _distances(of, SENSES)
    yield "Languages", of("languages_printed") or of("languages") or "—"
    yield "Challenge", joined(of("challenge_rating"), of("xp", "({} XP)"))


def _distances(of: Reading, names: Sequence[str]) -> str:
    return ", ".join(of(name, "{}" if name == "walk" else f"{name} {{}}")
                     for name in names if of.number(name))


def _bonuses(of: Reading, key: str) -> str:
    """``Dexterity +6, Wisdom +2`` of a mapping; another value as it is."""
    held = of.mapping(key)
    if held and all(type(bonus) is int for bonus in held.values()):
        return ", ".join(f"{name} {bonus:+d}" for name, bonus in held.items())
    return _flat(key, held) if held else of(key)


def _facts(type_: EntityType, document: Document, said: Collection[str]) -> Iterator[Line]:
    """The fields that say something, then the keys beside them: what is not goes without saying."""
    fields = fields_of(type_)
    properties = fold(shown("properties", document.get("properties")))
    for field in fields:
        value = document.get(field.name)
        text = shown(field.name, value)
        # The properties say so, or it has none.
        unsaid = value is False or (value is True and fold(field.name) in properties)
        if field.name in said or unsaid or not text:
            continue
        if field.kind not in _LINKED or field.name in _UNLINKED:
            yield Line(label(field.name), (Value(text),))
            continue
        several = value if isinstance(value, list | tuple) else [value]
        yield Line(label(field.name), tuple(
            Value(shown(field.name, one), (field.name, one)) for one in several
        ))
    known = {*said, *(field.name for field in fields)}
    for key, value in document.items():
        if key not in known and (text := _flat(key, value)):
            yield Line(label(key), (Value(textwrap.shorten(text, _LONGEST, placeholder=" …")),))


def _sections(document: Document) -> Iterator[Section]:
    for key, title in zip(TEXT, ("", "At higher levels"), strict=True):
        if text := markdown_of(document.get(key)):
            yield Section(key, title, (Entry("", text),))
    for key in NAMED_TEXTS:
        held = document.get(key)
        entries = tuple(
            Entry(titled(one), markdown_of(one.get("desc")))
            for one in (held if isinstance(held, list) else ()) if isinstance(one, Mapping)
        )
        if entries:
            yield Section(key, "In detail" if key == "sections" else label(key), entries)


def markdown_of(value: object) -> str:
    """A text, or a list of its paragraphs; '' for another value."""
    if isinstance(value, list):
        return "\n\n".join(str(one) for one in value)
    return value if isinstance(value, str) else ""


def _rows(document: Document) -> list[Mapping[str, Any]]:
    """The levels of a class; none where it has another value there."""
    held = document.get(_LEVELS)
    rows = held if isinstance(held, list) else []
    return rows if any(rows) and all(isinstance(row, Mapping) for row in rows) else []


def _level_table(rows: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """The columns and rows of a class's levels.

    What a level has several of, such as spell slots, is one column: "4/3/2" under "1/2/3".
    """
    parts: dict[str, dict[str, None]] = {}
    for row in rows:
        for key, value in row.items():
            named = value if isinstance(value, Mapping) else ()
            parts.setdefault(key, {}).update(dict.fromkeys(named))
    columns = [joined(label(key), "/".join(several)) for key, several in parts.items()]
    return columns, [[_cell(key, row.get(key), parts[key]) for key in parts] for row in rows]


def _cell(key: str, value: Any, parts: Mapping[str, None]) -> str:
    if not isinstance(value, Mapping):
        return _flat(key, value)
    return "/".join(_flat(key, value.get(part)) or "–" for part in parts).rstrip("/–")


def _flat(name: str, value: Any) -> str:
    """A value of any depth in one line."""
    if isinstance(value, Mapping):
        pairs = ((str(key), _flat(str(key), one)) for key, one in value.items())
        return ", ".join(
            f"{key}{':' * key.isdecimal()} {text}" for key, text in pairs if text
        )
    if isinstance(value, list | tuple):
        several = [text for one in value if (text := _flat(name, one))]
        return ("; " if any(", " in text for text in several) else ", ").join(several)
    return shown(name, value)


def caption(type_: EntityType, document: Document) -> str:
    """The line under an entity's name: what it is, from its fields alone."""
    return " · ".join(filter(None, _CAPTIONS[type_](Reading(document))))


def _spell(of: Reading) -> list[str]:
    level, school = of.number("level"), of("school").lower()
    if level is None:
        kind = of("school")
    elif level == 0:
        kind = joined(school, "cantrip").capitalize()
    else:
        kind = f"{ordinal(int(level))}-level {school or 'spell'}"
    flags = [name for name in ("concentration", "ritual") if of.has(name)]
    return [kind, of("casting_time"), of("range"), ", ".join(flags)]


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
