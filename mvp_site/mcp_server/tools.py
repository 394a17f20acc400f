"""Tools, each an operation in words that a model can choose by, and resources to read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from . import texts


@dataclass(frozen=True, slots=True)
class OperationTool:
    """An operation as a tool.

    ``cut`` keeps a response short; ``response`` is what of it a model is given (None: all), and
    ``text`` the same in words (None: as YAML). The last four are MCP's annotations.
    """

    operation: str
    description: str
    response: Any = None
    cut: Callable[[Any], Any] = lambda answer: answer
    text: Callable[[Any], str] | None = None
    read_only: bool = True
    destructive: bool = False
    idempotent: bool = True
    open_world: bool = False


def _entities(operation: str, description: str) -> OperationTool:
    return OperationTool(
        operation, f"{description} Best first, with scores; long texts are cut, and get_entity "
                   "has them whole.", cut=texts.cut_results, text=texts.results,
    )


TOOLS: Final[Mapping[str, OperationTool]] = {
    "ask_books": OperationTool(
        "library.ask",
        "Ask a question across all of the user's own books and the SRD, in natural language: "
        "options, themes, rules, lore. Start here when you do not know which book or type holds "
        "the answer. Gives titles with book, page, type and the lines that show why.",
        text=texts.books, open_world=True,
    ),
    "extract_content": OperationTool(
        "library.extract",
        "Take one entry (a spell, monster, class, item …) out of a book of the library, whole and "
        "with its page, so that entity searches find it from then on. Extracting again updates it.",
        read_only=False, destructive=True,
    ),
    "scan_library": OperationTool(
        "library.scan",
        "Read new and changed books of the library's folder, and forget deleted ones. Takes "
        "minutes for many pages, and tells its progress.", read_only=False,
    ),
    "list_sources": OperationTool(
        "library.list",
        "List the books of the library, with how much of which kind each holds; with a source_id, "
        "the contents of that one.", cut=texts.cut_sources,
    ),
    "search_entities": _entities(
        "entities.search",
        "Search one type of game entity (spells, monsters, weapons …) by meaning, by filters on "
        "its fields, or both; without a query it lists by name, in pages. list_documents names "
        "the fields.",
    ),
    "find_similar_entities": _entities(
        "entities.similar",
        "Find what could stand in place of one entity that you know by type and slug.",
    ),
    "get_entity": OperationTool(
        "entities.show", "Read one entity whole, by the type and slug that a search gave.",
    ),
    "lookup_spell": _entities(
        "entities.lookup.spell",
        "Find spells by name or by what they do, held to level, school, class and so on.",
    ),
    "lookup_creature": _entities(
        "entities.lookup.creature",
        "Find monsters and other creatures by name or by what they are like, held to challenge "
        "rating, type, size and so on.",
    ),
    "lookup_equipment": _entities(
        "entities.lookup.equipment",
        "Find weapons, armor, gear and magic items by name or by use, held to price, weight, "
        "rarity and so on.",
    ),
    "lookup_rule": _entities(
        "entities.lookup.rule",
        "Find short rules and conditions (grappled, cover, falling) by name or by situation. For "
        "an answer from whole sections of the rulebook, take query_rulebook.",
    ),
    "lookup_character_option": _entities(
        "entities.lookup.character-option",
        "Find classes, subclasses, races, features, traits, backgrounds and feats by name or by "
        "what they offer.",
    ),
    "search_all": _entities(
        "entities.all",
        "Search every type of game entity at once, where the type of the answer is open.",
    ),
    "list_documents": OperationTool(
        "entities.types",
        "List the documents that entities come from, and each type with its fields: what filters "
        "of search_entities may name.", texts.ENTITY_TYPES,
    ),
    "query_rulebook": OperationTool(
        "rulebook.query",
        "Answer a question about the rules with whole sections of the rulebook, best first, within "
        "a budget of tokens, each with its citation. `continuation` of an answer goes on where it "
        "ended; `left` is how many sections that is.", texts.RULEBOOK_ANSWER,
    ),
    "get_sections_by_category": OperationTool(
        "rulebook.sections",
        "List the rulebook's sections with ids, titles and tokens: all, those of some categories "
        "(numbers 1 to 10), or those `under` one, to a `depth`.", cut=texts.cut_sections,
    ),
    "assemble_prompt": OperationTool(
        "assemble",
        "Assemble the prompt of one game turn: the user's pinned header and the passages of the "
        "prompt archive that this turn needs. For running a turn, or to see what the game's model "
        "is told.", texts.PROMPT,
    ),
    "retrieve_passages": OperationTool(
        "retrieve",
        "Show which passages of the prompt archive one game turn retrieves, and why the others are "
        "not among them. With `why`, the id, title or file of a passage: its rank, its score by "
        "part, what it missed and by how much, and the words or `when:` line that would bring it. "
        "For improving an archive.", texts.RETRIEVED,
    ),
    "take_turn": OperationTool(
        "turn",
        "Take one turn of a campaign: the game's own model narrates what comes of the player's "
        "words, the dice are rolled here, and the turn is kept. A campaign begins with its first "
        "turn. Send an `idempotency_key` of your making (a UUID), and the same one when you try "
        "again: the turn is then taken once.", texts.TURN,
        read_only=False, idempotent=False, open_world=True,
    ),
    "archive_usage": OperationTool(
        "archive.usage",
        "Tell what past turns made of the prompt archive: how often each section was a candidate, "
        "printed, or dropped and why, which sections were never used, and the turns that got "
        "nothing, grouped by what was asked. For improving an archive.", cut=texts.cut_usage,
    ),
    "ask": OperationTool(
        "ask",
        "Answer a question about a character and its campaign from the character's sheet, the "
        "rules, the notes of past sessions and the campaign's books together, with numbered "
        "evidence to cite. Ask in one sentence, and name the character.",
        texts.CAMPAIGN_ANSWER, texts.cut_answer, open_world=True,
    ),
    "list_corrections": OperationTool(
        "corrections.list",
        "List what users corrected of how a campaign's questions were understood, and what the "
        "corrections are worth on questions like them.",
    ),
    "correct_routing": OperationTool(
        "corrections.add",
        "Say what should have been asked of one domain for a question: the `routing` of its "
        "answer, the domain, whether it is needed, with which intention. It counts at once for "
        "the same question and near ones. Only when the user has said so.", read_only=False,
    ),
    "remove_correction": OperationTool(
        "corrections.remove", "Take a correction back.", read_only=False, destructive=True,
    ),
    "limit_spending": OperationTool(
        "campaign.limit",
        "Tell what the turns of a campaign have cost in US dollars and what they may cost, and "
        "with `usd` set that limit: turns are refused once it is reached. Raise it only when the "
        "user has said so.", read_only=False,
    ),
}
"""Every tool by its name. One whose operation does not exist is not offered."""


@dataclass(frozen=True, slots=True)
class Resource:
    """An address whose variables are arguments of a tool, which says what stands there."""

    uri: str
    tool: str
    name: str
    about: str


RESOURCES: Final = (
    Resource("mvp-site://sources", "list_sources", "sources", "The books of the library."),
    Resource("mvp-site://sources/{source_id}", "list_sources", "source",
             "A book of the library: what it holds, entry by entry."),
    Resource("mvp-site://entities", "list_documents", "entities",
             "The documents that entities come from, and the types with their fields."),
    Resource("mvp-site://entities/{entity_type}/{slug}", "get_entity", "entity",
             "A game entity whole: a spell, a monster, an entry taken out of a book."),
)
"""Every resource. One whose tool is not offered is not either."""
