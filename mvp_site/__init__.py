"""Prompts, turns, rules, entities and memory for D&D-style game runners.

The names below are the public surface; each is imported on first use, so that importing the
package costs nothing and never brings torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import errors
from .settings import Settings
from .types import AssembledTurn, DroppedChunk, Message, PromptSegment, RetrievedChunk

if TYPE_CHECKING:
    from .archive.build import build_prompt_index
    from .archive.release import IndexManifest
    from .assembly.assembler import PromptAssembler
    from .engine.central_engine import CentralEngine
    from .engine.types import Answer
    from .entities.build import build_entities
    from .entities.index import EntityIndex
    from .library.library import Library
    from .rulebook.build import build_rulebook
    from .rulebook.query_parsing import RulebookQuery
    from .rulebook.results import RankedSection, RulebookResponse
    from .rulebook.rulebook import Rulebook
    from .sessions.session_notes import SessionNotes
    from .turns.handler import TurnHandler
    from .turns.types import TurnRequest, TurnResult

__all__ = [
    "Answer", "AssembledTurn", "CentralEngine", "DroppedChunk", "EntityIndex", "IndexManifest",
    "Library", "Message", "PromptAssembler", "PromptSegment", "RankedSection", "RetrievedChunk",
    "Rulebook", "RulebookQuery", "RulebookResponse", "SessionNotes", "Settings", "TurnHandler",
    "TurnRequest", "TurnResult", "build_entities", "build_prompt_index", "build_rulebook", "errors",
]

_LAZY = {
    "Answer": "engine.types",
    "CentralEngine": "engine.central_engine",
    "EntityIndex": "entities.index",
    "IndexManifest": "archive.release",
    "Library": "library.library",
    "PromptAssembler": "assembly.assembler",
    "RankedSection": "rulebook.results",
    "Rulebook": "rulebook.rulebook",
    "RulebookQuery": "rulebook.query_parsing",
    "RulebookResponse": "rulebook.results",
    "SessionNotes": "sessions.session_notes",
    "TurnHandler": "turns.handler",
    "TurnRequest": "turns.types",
    "TurnResult": "turns.types",
    "build_entities": "entities.build",
    "build_prompt_index": "archive.build",
    "build_rulebook": "rulebook.build",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_LAZY[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
