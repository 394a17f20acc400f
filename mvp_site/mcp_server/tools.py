"""Tools, each an operation in words that a model can choose by, and resources to read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel

from . import texts


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationTool:
    """An operation as a tool.

    ``cut`` keeps a response short; ``response`` is what of it a model is given (None: all), and
    ``text`` the same in words. ``example`` are arguments to try it with. The last three are MCP's
    annotations.
    """

    operation: str
    title: str
    description: str
    example: Mapping[str, Any]
    response: type[BaseModel] | None = None
    cut: Callable[[Any], Any] = lambda answer: answer
    text: Callable[[Any], str] | None = None
    read_only: bool = True
    destructive: bool = False
    open_world: bool = False


def _entities(operation: str, title: str, description: str, example: Mapping[str,
                                                                             Any]) -> OperationTool:
    return OperationTool(
        operation=operation, title=title, example=example, cut=texts.cut_results,
        text=texts.results,
        description=f"{description} Best first, with scores; long texts are cut, and get_entity "
                    "has them whole.",
    )


TOOLS: Final[Mapping[str, OperationTool]] = {
    "ask_books": OperationTool(
        operation="library.ask", title="Ask the books", example={"query": "a tanky spellcaster"},
        text=texts.books, open_world=True,
        description="Ask a question across all of the user's own books and the SRD, in natural "
                    "language: options, themes, rules, lore. Start here when you do not know "
                    "which book or type holds the answer. Gives titles with book, page, type and "
                    "the lines that show why.",
    ),
    "extract_content": OperationTool(
        operation="library.extract", title="Extract from a book", read_only=False, destructive=True,
        text=texts.extracted, example={"source_id": "a-book", "content_name": "A Spell"},
        description="Take one entry (a spell, monster, class, item …) out of a book of the "
                    "library, whole and with its page, so that entity searches find it from then "
                    "on. Extracting again updates it.",
    ),
    "scan_library": OperationTool(
        operation="library.scan", title="Scan the library", read_only=False, example={},
        description="Read new and changed books of the library's folder, and forget deleted "
                    "ones. Takes minutes for many pages, and tells its progress.",
    ),
    "list_sources": OperationTool(
        operation="library.list", title="List the books", example={},
        cut=texts.cut_sources, text=texts.sources,
        description="List the books of the library, with how much of which kind each holds; with "
                    "a source_id, the contents of that one.",
    ),
    "search_entities": _entities(
        "entities.search", "Search one type",
        "Search one type of game entity (spells, monsters, weapons …) by meaning, by filters on "
        "its fields, or both; without a query it lists by name, in pages. list_documents names "
        "the fields.",
        {"entity_type": "spells", "query": "fire on many", "filters": {"level": {"max": 3}}},
    ),
    "find_similar_entities": _entities(
        "entities.similar", "Find similar entities",
        "Find what could stand in place of one entity that you know by type and slug.",
        {"entity_type": "spells", "slug": "fireball", "limit": 5},
    ),
    "get_entity": OperationTool(
        operation="entities.show", title="Read an entity", text=texts.one_entity,
        example={"entity_type": "spells", "slug": "fireball"},
        description="Read one entity whole, by the type and slug that a search gave.",
    ),
    "lookup_spell": _entities(
        "entities.lookup.spell", "Look a spell up",
        "Find spells by name or by what they do, held to level, school, class and so on.",
        {"name": "a wall that stops arrows", "class": ["wizard"], "level_max": 3},
    ),
    "lookup_creature": _entities(
        "entities.lookup.creature", "Look a creature up",
        "Find monsters and other creatures by name or by what they are like, held to challenge "
        "rating, type, size and so on.", {"name": "something in the swamp", "cr_max": "1/2"},
    ),
    "lookup_equipment": _entities(
        "entities.lookup.equipment", "Look equipment up",
        "Find weapons, armor, gear and magic items by name or by use, held to price, weight, "
        "rarity and so on.", {"name": "to climb a wall", "cost_max": 5},
    ),
    "lookup_rule": _entities(
        "entities.lookup.rule", "Look a rule up",
        "Find short rules and conditions (grappled, cover, falling) by name or by situation. For "
        "an answer from whole sections of the rulebook, take query_rulebook.", {"name": "grappled"},
    ),
    "lookup_character_option": _entities(
        "entities.lookup.character-option", "Look a character option up",
        "Find classes, subclasses, races, features, traits, backgrounds and feats by name or by "
        "what they offer.", {"name": "better at hiding"},
    ),
    "search_all": _entities(
        "entities.all", "Search all types",
        "Search every type of game entity at once, where the type of the answer is open.",
        {"query": "resist fire", "limit": 10},
    ),
    "list_documents": OperationTool(
        operation="entities.types", title="List documents and types", example={},
        response=texts.EntitySources, text=texts.stock,
        description="List the documents that entities come from, and each type with its fields: "
                    "what filters of search_entities may name.",
    ),
    "query_rulebook": OperationTool(
        operation="rulebook.query", title="Ask the rulebook", response=texts.RulebookAnswer,
        text=texts.rulebook,
        example={"query": "What happens when I fall from a roof?", "max_tokens": 1000},
        description="Answer a question about the rules with whole sections of the rulebook, best "
                    "first, within a budget of tokens, each with its citation. `continuation` of "
                    "an answer goes on where it ended.",
    ),
    "assemble_prompt": OperationTool(
        operation="assemble", title="Assemble a turn's prompt", response=texts.PromptAnswer,
        text=texts.prompt, example={"text": "I look around"},
        description="Assemble the prompt of one game turn: the user's pinned header and the "
                    "passages of the prompt archive that this turn needs. For running a turn, or "
                    "to see what the game's model is told.",
    ),
    "ask": OperationTool(
        operation="ask", title="Ask the campaign", open_world=True,
        cut=texts.cut_answer, text=texts.answered,
        example={"query": "Can I cast it while I am grappled?", "character": "Ilse"},
        description="Answer a question about a character and its campaign from the character's "
                    "sheet, the rules, the notes of past sessions and the campaign's books "
                    "together, with numbered evidence to cite. Ask in one sentence, and name the "
                    "character.",
    ),
}
"""Every tool by its name. One whose operation does not exist is not offered."""


@dataclass(frozen=True, slots=True)
class Resource:
    """An address whose variables are the fields of an operation's request."""

    uri: str
    operation: str
    name: str
    about: str
    text: Callable[[Any], str]


RESOURCES: Final = (
    Resource(
        "mvp-site://sources", "library.list", "sources", "The books of the library.", texts.sources,
    ),
    Resource(
        "mvp-site://sources/{source_id}", "library.list", "source",
        "A book of the library: what it holds, entry by entry.", texts.sources,
    ),
    Resource(
        "mvp-site://entities", "entities.types", "entities",
        "The documents that entities come from, and the types with their fields.", texts.stock,
    ),
    Resource(
        "mvp-site://entities/{entity_type}/{slug}", "entities.show", "entity",
        "A game entity whole: a spell, a monster, an entry taken out of a book.", texts.one_entity,
    ),
)
"""Every resource. One whose operation does not exist is not offered."""
