"""The thirty intentions of design 2: what a question wants of the rulebook.

Each has a description for whoever chooses one, the categories where its answers usually stand (a
hint for them: categories order nothing), and the words that the rules themselves use for such
answers. They stand in ``intentions.toml``.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from ..content.prompt_helper import PromptHelper
from ..errors import UnknownIntentionError
from ..text.names import fold
from ..text.shipped_tables import shipped_tables
from ..text.typos import near
from .categories import Category

_EXCERPT: Final = 60
_ABOUT: Final = shipped_tables(__package__, "intentions.toml")


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
        return str(_ABOUT[self]["description"])

    @property
    def categories(self) -> tuple[Category, ...]:
        """Where its answers usually stand (design 2, section 4)."""
        return tuple(map(Category, _ABOUT[self]["categories"]))

    @property
    def query_words(self) -> tuple[str, ...]:
        """What the rules call such answers, added to a query."""
        return tuple(_ABOUT[self]["words"])

    @property
    def of_a_thing(self) -> bool:
        """Whether it wants the named things themselves, rather than a rule about them."""
        return bool(_ABOUT[self].get("of_a_thing"))

    @classmethod
    def describe_all(cls) -> str:
        """All intentions with their descriptions, one a line, for a prompt."""
        return "\n".join(f"- {intention}: {intention.description}" for intention in cls)

    @classmethod
    def from_name(cls, name: str) -> Intention:
        """The intention of that name, whatever its case and whether hyphens or spaces join it.

        Raises:
            UnknownIntentionError: there is none; lists the near ones, then all.
        """
        key = "_".join(fold(name).replace("-", " ").replace("_", " ").split())
        if key in cls._value2member_map_:
            return cls(key)
        names = [intention.value for intention in cls]
        nearest = near(key, names, 5)
        hint = f"near it: {', '.join(nearest)}; " if nearest else ""
        excerpt = name if len(name) <= _EXCERPT else f"{name[:_EXCERPT]}…"
        raise UnknownIntentionError(f"unknown intention {excerpt!r}; {hint}the {len(names)} "
                                    f"intentions are: {', '.join(names)}")


RulebookPromptHelper: Final = PromptHelper.of(
    {intention.value: intention.description for intention in Intention}, _ABOUT["entity_types"]
)


def query_text(intention: Intention | None, entities: Sequence[str] = (),
               context_hints: Sequence[str] = (), user_query: str | None = None) -> str:
    """What is searched for: the entities, the intention's words, the hints, the user's own words.

    ``entities`` are normalised already. Nothing is said twice; '' where nothing was said.
    """
    text = (
        *entities, *(intention.query_words if intention else ()), *context_hints, user_query or ""
    )
    parts = filter(None, (" ".join(part.split()) for part in text))
    return " ".join({part.lower(): part for part in parts}.values())
