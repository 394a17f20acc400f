"""The head of a stat block: the line under a name, and what stands before all other fields. Pure.

A head asks a document for what it says in its own words; fields that nobody asked for follow it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from .captions import flat
from .reading import Reading
from .types import SENSES, SPEEDS, EntityType
from .wording import commas, dice, joined, ordinal


@dataclass(frozen=True, slots=True)
class HeadValue:
    """A value in words; ``filter`` is the field and the value of all that have it."""

    text: str
    filter: tuple[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class HeadLine:
    """What is labelled so."""

    label: str
    values: tuple[HeadValue, ...]

    @property
    def text(self) -> str:
        """The values in one line."""
        return ", ".join(value.text for value in self.values)


_PRINTED: Final = (
    *SPEEDS, *SENSES, "flying", "challenge", "passive_perception", "hit_points_note", "languages",
)
"""What the lines of a monster say in other words."""
Rows: TypeAlias = Iterator[tuple[str, str | tuple[HeadValue, ...]]]



def head_of(type_: EntityType, of: Reading) -> tuple[str, tuple[HeadLine, ...], tuple[HeadLine,
                                                                                      ...]]:
    """The line under a name, the first lines, and of a monster those behind its abilities.

    What they say is asked for of the document that is read.
    """
    of.passed("range_feet", "damage_average")  # the range and the dice say so
    kind = _KINDS[type_](of) if type_ in _KINDS else ""
    first = _lines(_ROWS[type_](of)) if type_ in _ROWS else ()
    if type_ is not EntityType.MONSTERS:
        return kind, first, ()
    behind = _lines(_behind(of))
    of.passed(*_PRINTED)
    return kind, first, behind


def spell_kind(of: Reading) -> str:
    """"2nd-level evocation" or "Evocation cantrip"."""
    level, school = of.number("level"), of("school")
    if level is None:
        return school
    if level == 0:
        return joined(school.lower(), "cantrip").capitalize()
    return f"{ordinal(int(level))}-level {school.lower() or 'spell'}"


def _spell(of: Reading) -> Rows:
    yield "Casting Time", of("casting_time")
    yield "Range", of("range")
    yield "Area", joined(of("area_size"), of("area_shape"))
    material = of("material").removesuffix(".")
    material = f"({material[:1].lower()}{material[1:]})" if material else ""
    yield "Components", joined(of("components"), material)
    yield "Duration", _held(of)
    if save := of("save"):
        halves = " for half" if of.has("save_halves") else ""
        yield "Saving Throw", (HeadValue(f"{save}{halves}", ("save", save)),)
    yield "Attack", of("attack", "{} spell attack").capitalize()
    yield "Damage", _linked(of, "damage_type")
    by = of("grows_with") or "level"
    for key, label in (("damage_at", "Damage"), ("healing_at", "Healing"),
                      ("temporary_hit_points_at", "Temporary hit points")):
        yield f"{label} by {by}", flat(key, of.mapping(key)) or of(key)
    yield "Classes", _linked(of, "classes")
    if of.mapping("healing_at"):
        of.passed("healing")
    of.passed("save_halves")


def _held(of: Reading) -> str:
    """The duration; that it is held, where its words do not say so."""
    duration = of("duration")
    if not of.has("concentration") or "concentration" in duration.lower():
        return duration
    return commas("Concentration", duration[:1].lower() + duration[1:])


def _weapon(of: Reading) -> Rows:
    kind = of("damage_type")
    hurts = joined(of("damage_dice"), kind.lower())
    yield "Damage", commas(hurts, of("two_handed_dice", "{} in two hands"))
    near, far = of("range_normal").removesuffix(" ft"), of("range_long")
    yield "Range", f"{near}/{far}" if far else near and f"{near} ft"
    yield "Properties", _linked(of, "properties")


def _armor(of: Reading) -> Rows:
    yield "Armor Class", of("armor_class_printed") or of("armor_class")
    yield "Strength", of("strength") if of.number("strength") else ""
    yield "Stealth", "disadvantage" if of.has("stealth_disadvantage") else ""
    of.passed("armor_class", "adds_dexterity", "max_dexterity")


def _class(of: Reading) -> Rows:
    yield "Hit Die", of("hit_die")
    yield "Saving Throws", _linked(of, "saving_throws")
    since = of("spellcasting_level", " (from level {})").replace(" (from level 1)", "")
    casts = of("spellcasting_ability")
    yield "Spellcasting", f"{casts}{since}" if casts else ""
    yield "Proficiencies", _linked(of, "proficiencies")
    if casts:
        of.passed("spellcaster")


def _race(of: Reading) -> Rows:
    yield "Ability Scores", of("ability_increases") or of("ability_bonuses")
    yield "Size", _linked(of, "size")
    yield "Speed", of("speed")
    of.passed("ability_bonuses")


def _feat(of: Reading) -> Rows:
    yield "Prerequisites", of("prerequisite_scores") or _linked(of, "prerequisites")
    of.passed("prerequisites")


def _linked(of: Reading, key: str) -> tuple[HeadValue, ...]:
    return tuple(HeadValue(text, (key, text)) for text in of.texts(key))


def _lines(rows: Rows) -> tuple[HeadLine, ...]:
    return tuple(HeadLine(title, (HeadValue(text),) if isinstance(text, str) else text)
                 for title, text in rows if text)


def _monster(of: Reading) -> Rows:
    yield "Armor Class", joined(of("armor_class"), of("armor_class_note", "({})"))
    rolled = dice(of.text("hit_dice") or of.text("hit_points_note"))
    yield "Hit Points", joined(of("hit_points"), f"({rolled})" if rolled else "")
    yield "Speed", of.text("speed") or _distances(of, SPEEDS)
    if "hover" in of.text("speed"):
        of.passed("hover")


def _behind(of: Reading) -> Rows:
    yield "Saving Throws", _bonuses(of, "saves")
    yield "Skills", _bonuses(of, "skills")
    for title, printed, field in (
        ("Damage Vulnerabilities", "vulnerable_to", "vulnerabilities"),
        ("Damage Resistances", "resists", "resistances"),
        ("Damage Immunities", "immune_to", "immunities"),
        ("Condition Immunities", "", "condition_immunities"),
    ):
        listed = of.texts(field)
        printed_text = of(printed)
        if printed_text.lower() not in {"", ", ".join(listed).lower()}:
            yield title, printed_text
        else:
            yield title, tuple(HeadValue(entry.lower(), (field, entry)) for entry in listed)
    yield "Senses", of.text("senses") or _distances(of, SENSES)
    yield "Languages", of("languages_printed") or of("languages") or "—"
    yield "Challenge", joined(of("challenge_rating"), of("xp", "({} XP)"))


def _distances(of: Reading, names: Sequence[str]) -> str:
    return ", ".join(of(name, "{}" if name == "walk" else f"{name} {{}}")
                     for name in names if of.number(name))


def _bonuses(of: Reading, key: str) -> str:
    """``Dexterity +6, Wisdom +2`` of a mapping; another value as it is."""
    bonuses = of.mapping(key)
    if bonuses and all(type(bonus) is int for bonus in bonuses.values()):
        return ", ".join(f"{name} {bonus:+d}" for name, bonus in bonuses.items())
    return flat(key, bonuses) if bonuses else of(key)


def _creature_kind(of: Reading) -> str:
    return commas(joined(of("size"), of("type"), of("subtype", "({})")), of("alignment"))


def _armor_kind(of: Reading) -> str:
    weight = of("category")
    return f"{weight} armor" if weight and weight != "Shield" else weight


def _item_kind(of: Reading) -> str:
    rarity = of("rarity_printed") or " or ".join(of.texts("rarity")).lower()
    tuned = joined("requires attunement", of("attunement_by", "by {}"), of("attunement_note"))
    of.passed("magic", "rarity")
    return joined(commas(joined(of("item_type"), of("subtype", "({})")), rarity),
                  f"({tuned})" if of.has("attunement") else "")


_KINDS: Final[Mapping[EntityType, Callable[[Reading], str]]] = {
    EntityType.SPELLS: lambda of: joined(spell_kind(of), "(ritual)" if of.has("ritual") else ""),
    EntityType.MONSTERS: _creature_kind,
    EntityType.WEAPONS: lambda of: joined(of("category"), of("style").lower(), "weapon"),
    EntityType.ARMOR: _armor_kind,
    EntityType.EQUIPMENT: lambda of: commas(of("category"), of("group").lower()),
    EntityType.MAGIC_ITEMS: _item_kind,
    EntityType.SUBCLASSES: lambda of: joined(of("flavor"), of("class", "of the {}")),
    EntityType.FEATURES: lambda of: commas(
        joined(of("class"), of("subclass", "({})"), "feature"), of("level", "level {}")
    ),
    EntityType.RULES: lambda of: joined(of("category").capitalize(), of("chapter", "of “{}”")),
}
"""The line under a name."""
_ROWS: Final[Mapping[EntityType, Callable[[Reading], Rows]]] = {
    EntityType.SPELLS: _spell, EntityType.MONSTERS: _monster, EntityType.WEAPONS: _weapon,
    EntityType.ARMOR: _armor, EntityType.CLASSES: _class, EntityType.RACES: _race,
    EntityType.FEATS: _feat,
}
"""The first lines."""
