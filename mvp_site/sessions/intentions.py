"""What may be asked of characters and of session notes, and what such questions name (design 5).

Definitions stand in ``character.toml`` and ``session_notes.toml``, and nowhere else.
"""

from __future__ import annotations

from typing import Any, Final

from ..content.prompt_helper import PromptHelper
from ..text.shipped_tables import shipped_tables
from .types import Kind

_HELP: Final[dict[Kind, dict[str, Any]]] = {
    "character": shipped_tables(__package__, "character.toml"),
    "session": shipped_tables(__package__, "session_notes.toml"),
}
NOTE_PARTS: Final = _HELP["session"]["parts"]
"""The parts of a session's notes by their keys: heading, what it is about, other headings."""

FOLDERS: Final[dict[str, list[str]]] = _HELP["session"]["folders"]
"""What the folders of a vault are called that hold notes on things, by the things' type."""
MONTHS: Final[list[str]] = _HELP["session"]["months"]
"""What each month is called, in several languages."""
TITLES: Final = frozenset(str(_HELP["session"]["titles"]).split())
"""Words before a name that are left out when names are compared."""


def parts_of(kind: Kind, intention: str | None) -> tuple[str, ...]:
    """The parts where an intention's answers usually stand; () for all."""
    return tuple(_HELP[kind]["intentions"][intention]["parts"]) if intention else ()


def _helper(kind: Kind) -> PromptHelper:
    intentions = _HELP[kind]["intentions"]
    return PromptHelper.of({name: row["description"] for name, row in intentions.items()},
                           _HELP[kind]["entity_types"])


CharacterPromptHelper: Final = _helper("character")
SessionNotesPromptHelper: Final = _helper("session")
