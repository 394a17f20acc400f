"""The thirty intentions of design 2: what a question wants of the rulebook.

Each has a description for whoever chooses one, the categories where its answers usually stand (a
bonus in scoring, never a wall), and the words that the rules themselves use for such answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from rapidfuzz import fuzz, process

from ..errors import UnknownIntentionError
from ..retrieval.names import fold
from .categories import Category

NEAR: Final = 5
NEAR_SCORE: Final = 55.0
_SHOWN: Final = 60


class Intention(StrEnum):
    """What is wanted; the values are the design's names."""

    DESCRIBE_ENTITY = "describe_entity"
    COMPARE_ENTITIES = "compare_entities"
    LEVEL_PROGRESSION = "level_progression"
    ACTION_OPTIONS = "action_options"
    RULE_MECHANICS = "rule_mechanics"
    CALCULATE_VALUES = "calculate_values"
    SPELL_DETAILS = "spell_details"
    CLASS_SPELL_ACCESS = "class_spell_access"
    MONSTER_STATS = "monster_stats"
    CONDITION_EFFECTS = "condition_effects"
    CHARACTER_CREATION = "character_creation"
    MULTICLASS_RULES = "multiclass_rules"
    EQUIPMENT_PROPERTIES = "equipment_properties"
    DAMAGE_TYPES = "damage_types"
    REST_MECHANICS = "rest_mechanics"
    SKILL_USAGE = "skill_usage"
    FIND_BY_CRITERIA = "find_by_criteria"
    PREREQUISITE_CHECK = "prerequisite_check"
    INTERACTION_RULES = "interaction_rules"
    TACTICAL_USAGE = "tactical_usage"
    ENVIRONMENTAL_RULES = "environmental_rules"
    CREATURE_ABILITIES = "creature_abilities"
    SAVING_THROWS = "saving_throws"
    MAGIC_ITEM_USAGE = "magic_item_usage"
    PLANAR_PROPERTIES = "planar_properties"
    DOWNTIME_ACTIVITIES = "downtime_activities"
    SUBCLASS_FEATURES = "subclass_features"
    COST_LOOKUP = "cost_lookup"
    LEGENDARY_MECHANICS = "legendary_mechanics"
    OPTIMIZATION_ADVICE = "optimization_advice"

    @property
    def description(self) -> str:
        """One line on when to choose it."""
        return _ABOUT[self].description

    @property
    def categories(self) -> tuple[Category, ...]:
        """Where its answers usually stand (design 2, section 4)."""
        return _ABOUT[self].categories

    @property
    def query_words(self) -> tuple[str, ...]:
        """What the rules call such answers, added to a query."""
        return _ABOUT[self].words

    @property
    def of_a_thing(self) -> bool:
        """Whether it wants the named things themselves, rather than a rule about them."""
        return self in _OF_A_THING

    @classmethod
    def describe_all(cls) -> str:
        """All intentions with their descriptions, one a line, for a prompt."""
        return "\n".join(f"- {intention}: {intention.description}" for intention in cls)

    @classmethod
    def for_category(cls, category: Category) -> tuple[Intention, ...]:
        """The intentions whose answers usually stand in ``category``."""
        return tuple(intention for intention in cls if category in intention.categories)

    @classmethod
    def from_name(cls, name: str) -> Intention:
        """The intention of that name, whatever its case and whether hyphens or spaces join it.

        Raises:
            UnknownIntentionError: there is none; lists the near ones, then all.
        """
        if name in cls._value2member_map_:
            return cls(name)
        wanted = "_".join(fold(name).replace("-", " ").replace("_", " ").split())
        try:
            return cls(wanted)
        except ValueError:
            names = [intention.value for intention in cls]
            found = process.extract(
                wanted[:_SHOWN], names, scorer=fuzz.WRatio, limit=NEAR, score_cutoff=NEAR_SCORE
            )
            near = f"near it: {', '.join(name for name, _, _ in found)}; " if found else ""
            shown = name if len(name) <= _SHOWN else f"{name[:_SHOWN]}…"
            raise UnknownIntentionError(
                f"unknown intention {shown!r}; {near}the {len(names)} intentions are: "
                f"{', '.join(names)}"
            ) from None


def query_text(
    intention: Intention | None, entities: Sequence[str] = (), context_hints: Sequence[str] = (),
    user_query: str | None = None,
) -> str:
    """What is searched for: the entities, the intention's words, the hints, the user's own words.

    ``entities`` are normalised already. Nothing is said twice; '' where nothing was said.
    """
    said = (
        *entities, *(intention.query_words if intention else ()), *context_hints, user_query or ""
    )
    return " ".join(_once(" ".join(part.split()) for part in said))


def _once(parts: Iterable[str]) -> list[str]:
    return list({part.lower(): part for part in parts if part}.values())


@dataclass(frozen=True, slots=True)
class _About:
    description: str
    categories: tuple[Category, ...]
    words: tuple[str, ...]


def _about(description: str, categories: Iterable[int], words: str) -> _About:
    return _About(
        description, tuple(map(Category, categories)), tuple(w.strip() for w in words.split(","))
    )


_OF_A_THING: Final = frozenset({
    Intention.DESCRIBE_ENTITY, Intention.COMPARE_ENTITIES, Intention.SPELL_DETAILS,
    Intention.MONSTER_STATS, Intention.CONDITION_EFFECTS, Intention.EQUIPMENT_PROPERTIES,
    Intention.CREATURE_ABILITIES, Intention.MAGIC_ITEM_USAGE, Intention.SUBCLASS_FEATURES,
    Intention.PLANAR_PROPERTIES,
})
_ANY_ENTITY: Final = (1, 2, 3, 6, 9)
_ABOUT: Final = {
    Intention.DESCRIBE_ENTITY: _about(
        "what one spell, class, creature, item or other thing of the game is, in full",
        _ANY_ENTITY, "description, features"),
    Intention.COMPARE_ENTITIES: _about(
        "how two or more things of the game differ, side by side",
        _ANY_ENTITY, "description, features"),
    Intention.LEVEL_PROGRESSION: _about(
        "what a class or feature gains at each level", (2,),
        "level, class features, table, proficiency bonus"),
    Intention.ACTION_OPTIONS: _about(
        "what a creature may do on its turn or in a given situation", (4, 7),
        "action, bonus action, reaction, turn"),
    Intention.RULE_MECHANICS: _about(
        "how a rule of the game works", (7,), "rule, how it works"),
    Intention.CALCULATE_VALUES: _about(
        "how a number is worked out: hit points, armor class, attack bonus, save DC", (1, 2, 7),
        "equals, modifier, bonus, calculate"),
    Intention.SPELL_DETAILS: _about(
        "what one spell does and how it is cast", (3,), "spell, casting, components, duration"),
    Intention.CLASS_SPELL_ACCESS: _about(
        "which classes have a spell, or which spells a class has", (2, 3),
        "spell list, class, spells"),
    Intention.MONSTER_STATS: _about(
        "the statistics of a creature", (9,), "creature, hit points, armor class, actions"),
    Intention.CONDITION_EFFECTS: _about(
        "what a condition does to a creature and how it ends", (5,),
        "condition, creature, effect, ends"),
    Intention.CHARACTER_CREATION: _about(
        "how a character is made: race, class, ability scores, background", (1,),
        "character, race, ability scores, background"),
    Intention.MULTICLASS_RULES: _about(
        "how levels in more than one class work together", (1, 2),
        "multiclassing, levels, prerequisites, spell slots"),
    Intention.EQUIPMENT_PROPERTIES: _about(
        "the statistics and properties of a weapon, armor or other gear", (6,),
        "equipment, weapon, armor, properties, weight"),
    Intention.DAMAGE_TYPES: _about(
        "what kinds of damage there are, and resistance, vulnerability or immunity to them",
        (4, 7), "damage type, resistance, vulnerability, immunity"),
    Intention.REST_MECHANICS: _about(
        "what short and long rests are and what they give back", (7, 8),
        "short rest, long rest, regain, hit dice"),
    Intention.SKILL_USAGE: _about(
        "what a skill or ability check covers and how it is made", (7,),
        "skill, ability check, proficiency"),
    Intention.FIND_BY_CRITERIA: _about(
        "which things of the game have certain values: level, school, rating, rarity, price",
        _ANY_ENTITY, "list, level, type"),
    Intention.PREREQUISITE_CHECK: _about(
        "what must be met before an option, item or class can be taken", (1, 2, 6),
        "prerequisite, requires, minimum"),
    Intention.INTERACTION_RULES: _about(
        "how a character deals with objects and things around: doors, traps, loads", (7, 8),
        "object, interact, use, check"),
    Intention.TACTICAL_USAGE: _about(
        "how something is used well in a fight", (4,), "combat, attack, position, advantage"),
    Intention.ENVIRONMENTAL_RULES: _about(
        "what surroundings do: falling, darkness, weather, water, travel", (8,),
        "environment, hazard, terrain, travel"),
    Intention.CREATURE_ABILITIES: _about(
        "the special traits and abilities of a creature", (9,),
        "creature, trait, special ability, senses"),
    Intention.SAVING_THROWS: _about(
        "how saving throws are made, and against what", (4, 7),
        "saving throw, ability modifier, difficulty class"),
    Intention.MAGIC_ITEM_USAGE: _about(
        "what a magic item does and how it is used, attuned or recharged", (6,),
        "magic item, attunement, charges, rarity"),
    Intention.PLANAR_PROPERTIES: _about(
        "what a plane of existence is like, and how to get there", (10,),
        "plane, planes of existence, planar travel"),
    Intention.DOWNTIME_ACTIVITIES: _about(
        "what characters do between adventures: crafting, training, research", (8,),
        "downtime, between adventures, days, crafting"),
    Intention.SUBCLASS_FEATURES: _about(
        "what a subclass, archetype, domain, oath or circle gives", (2,),
        "subclass, archetype, features, level"),
    Intention.COST_LOOKUP: _about(
        "what something costs", (6, 8), "cost, price, gold pieces"),
    Intention.LEGENDARY_MECHANICS: _about(
        "legendary actions, legendary resistance, lairs and regional effects", (9,),
        "legendary actions, legendary creature, lair"),
    Intention.OPTIMIZATION_ADVICE: _about(
        "which choices suit a character best", (1, 2),
        "class, ability scores, quick build, choose"),
}
