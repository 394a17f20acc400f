"""What a domain may be asked and what it names, told once for prompts, checks, help and docs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class PromptHelper:
    """The intentions and entity types of one domain, each by its name (design 5, type system)."""

    intents: Mapping[str, str]
    entity_types: Mapping[str, str]

    @classmethod
    def of(cls, intents: Mapping[str, str], entity_types: Mapping[str, str]) -> PromptHelper:
        """A helper that nobody changes; of both each name has its definition."""
        return cls(MappingProxyType(dict(intents)), MappingProxyType(dict(entity_types)))

    def get_intent_definitions(self) -> Mapping[str, str]:
        """What each intention is chosen for, by its name, in the order of prompts."""
        return self.intents

    def get_entity_type_definitions(self) -> Mapping[str, str]:
        """What each type of entity is, with examples, by its name."""
        return self.entity_types

    def get_all_intents(self) -> list[str]:
        """The names of all intentions."""
        return list(self.intents)

    def get_all_entity_types(self) -> list[str]:
        """The names of all types of entities."""
        return list(self.entity_types)
