"""What may be asked of characters and of session notes, and what such questions name (design 5).

Definitions stand in ``character.toml`` and ``session_notes.toml``, and nowhere else.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from ..content.prompt_helper import PromptHelper, told

_CHARACTER: Final = told(__package__, "character.toml")
_NOTES: Final = told(__package__, "session_notes.toml")


class CharacterIntention(StrEnum):
    """What is wanted of a character's sheet."""

    CHARACTER_BASICS = "character_basics"
    COMBAT_INFO = "combat_info"
    ABILITIES_INFO = "abilities_info"
    INVENTORY_INFO = "inventory_info"
    MAGIC_INFO = "magic_info"
    STORY_INFO = "story_info"
    SOCIAL_INFO = "social_info"
    PROGRESS_INFO = "progress_info"
    FULL_CHARACTER = "full_character"
    CHARACTER_SUMMARY = "character_summary"

    @property
    def description(self) -> str:
        """When to choose it."""
        return CharacterPromptHelper.intents[self]

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of a sheet where its answers usually stand; () for all."""
        return tuple(_CHARACTER["intentions"][self]["parts"])


class SessionIntention(StrEnum):
    """What is wanted of the notes of past sessions."""

    CHARACTER_STATUS = "character_status"
    EVENT_SEQUENCE = "event_sequence"
    NPC_INFO = "npc_info"
    LOCATION_DETAILS = "location_details"
    ITEM_TRACKING = "item_tracking"
    COMBAT_RECAP = "combat_recap"
    SPELL_ABILITY_USAGE = "spell_ability_usage"
    CHARACTER_DECISIONS = "character_decisions"
    PARTY_DYNAMICS = "party_dynamics"
    QUEST_TRACKING = "quest_tracking"
    PUZZLE_SOLUTIONS = "puzzle_solutions"
    LOOT_REWARDS = "loot_rewards"
    DEATH_REVIVAL = "death_revival"
    DIVINE_RELIGIOUS = "divine_religious"
    MEMORY_VISION = "memory_vision"
    RULES_MECHANICS = "rules_mechanics"
    HUMOR_MOMENTS = "humor_moments"
    UNRESOLVED_MYSTERIES = "unresolved_mysteries"
    FUTURE_IMPLICATIONS = "future_implications"
    CROSS_SESSION = "cross_session"

    @property
    def description(self) -> str:
        """When to choose it."""
        return SessionNotesPromptHelper.intents[self]

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of a session's notes where its answers usually stand."""
        return tuple(_NOTES["intentions"][self]["parts"])


class SessionEntityType(StrEnum):
    """What the notes of a session name."""

    PLAYER_CHARACTER = "player_character"
    NON_PLAYER_CHARACTER = "non_player_character"
    LOCATION = "location"
    ITEM = "item"
    ARTIFACT = "artifact"
    SPELL = "spell"
    ABILITY = "ability"
    ORGANIZATION = "organization"
    DEITY = "deity"
    CREATURE = "creature"
    EVENT = "event"
    QUEST = "quest"
    PUZZLE = "puzzle"


CharacterPromptHelper: Final = PromptHelper.of(
    {name: one["description"] for name, one in _CHARACTER["intentions"].items()},
    _CHARACTER["entity_types"],
)
SessionNotesPromptHelper: Final = PromptHelper.of(
    {name: one["description"] for name, one in _NOTES["intentions"].items()},
    _NOTES["entity_types"],
)
NOTE_PARTS: Final = _NOTES["parts"]
"""The parts of a session's notes by their keys: heading, what it is about, other headings."""
