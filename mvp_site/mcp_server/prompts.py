"""Prompts for common questions: what a user picks from a menu, and the assistant then does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

Arguments = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class PromptTemplate:
    """A text with its arguments in braces.

    ``arguments`` has what each is about, ``given`` a sentence for each that may be left out, which
    stands at the end where it is not.
    """

    title: str
    about: str
    text: str
    arguments: Arguments
    given: Arguments

    def filled(self, arguments: Arguments) -> str:
        """The text with the arguments.

        Raises:
            ValueError: one is missing or unknown; the message names it.
        """
        for name in arguments:
            if name not in self.arguments:
                names = ", ".join(self.arguments)
                raise ValueError(f"unknown argument {name[:40]!r}; it takes {names}")
        sent = {name: value.strip() for name, value in arguments.items() if value.strip()}
        for name, about in self.arguments.items():
            if name not in sent and name not in self.given:
                raise ValueError(f"`{name}` is missing: {about}")
        texts = (self.text, *(text for name, text in self.given.items() if name in sent))
        return " ".join(texts).format_map(sent)


PROMPTS: Final[Mapping[str, PromptTemplate]] = {
    "find_spell": PromptTemplate(
        "Find a spell for …", "Find spells that do what you want.",
        "Find spells for this wish: {wish}. Use lookup_spell, and find_similar_entities for "
        "alternatives. Name the best few, each with level, school and what it does, and say which "
        "you would take.",
        {"wish": "What the spell should do.", "character_class": "Who casts it.",
         "highest_level": "The highest level of spell."},
        {"character_class": "The caster is a {character_class}.",
         "highest_level": "Nothing above level {highest_level}."},
    ),
    "run_turn": PromptTemplate(
        "Run this turn", "Assemble the prompt of a turn and narrate it as game master.",
        "Run this turn of the game: {action}\n\nCall assemble_prompt with it. Take its header and "
        "passages as the rules of this table, look up whatever else the turn needs, and narrate "
        "what happens. Roll dice in the open.",
        {"action": "What the player says or does.", "mode": "story, dm or god."},
        {"mode": "The mode is {mode}."},
    ),
    "character_options": PromptTemplate(
        "What can my character choose?", "List what a character may take next.",
        "What can this character choose: {character}? Use lookup_character_option and "
        "query_rulebook for classes, features, feats and backgrounds, and lookup_spell for spells. "
        "List the options with what each gives, and where it is written.",
        {"character": "Class, level, and anything that matters.",
         "theme": "What the character is to be like."}, {"theme": "The theme is {theme}."},
    ),
    "answer_rule": PromptTemplate(
        "What do the rules say?", "Answer a question about the rules, with citations.",
        "Answer from the rules alone: {question} Use query_rulebook, and lookup_rule for "
        "conditions. Cite the section of each statement, and say so where the rules are silent.",
        {"question": "The question."}, {},
    ),
    "plan_encounter": PromptTemplate(
        "Plan an encounter", "Choose creatures and treasure for a scene.",
        "Plan an encounter for this party: {party}. Use lookup_creature for foes of a fitting "
        "challenge rating and lookup_equipment for treasure. Give each creature's tactics in a "
        "line, and the whole difficulty.",
        {"party": "How many characters, of which levels.", "scene": "Where it happens."},
        {"scene": "The scene: {scene}."},
    ),
}
