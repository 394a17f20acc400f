"""JSON by its content, whatever a file is called: what an import reads, and what others are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

from ...errors import ArchiveError
from ...text.strict_json import JsonError, named, parse_at, read_object

_OPENS: Final = re.compile(r"\s*(?:\{\s*[\"}]|\[\s*[{\[])")
_CARD: Final = frozenset({
    "character_book", "first_mes", "mes_example", "personality", "scenario", "system_prompt",
    "char_persona", "char_greeting",
})
_OTHERS: Final = (
    ("a NovelAI lorebook", {"lorebookVersion"}), ("a NovelAI scenario", {"scenarioVersion"}),
    ("a NovelAI story", {"storyContainerVersion"}), ("a KoboldAI save", {"gamestarted"}),
    ("a KoboldAI save", {"worldinfo"}),
    ("a chat", {"chat_metadata"}), ("a chat", {"current_node"}), ("a chat", {"messages"}),
)
"""What JSON of other tools is called, and the keys by which it is known."""
_TEXTS: Final = ("content", "text", "entry", "value", "description", "body")
_KEYS: Final = ("key", "keys", "keywords", "triggers")
_READ: Final = (
    "an import reads lorebooks (World Info: an object whose `entries` have `content`) and "
    "character cards; export it as one, or save its texts as .txt or .md"
)


def read_json(text: str, path: str, stated: bool) -> dict[str, Any] | None:
    """The lorebook or card that a text is; None where it is prose.

    ``stated`` says that the file is named as JSON. Prose may begin with a value.

    Raises:
        ArchiveError: it is JSON that an import does not understand; says what it looks like.
    """
    if not stated:
        if not _OPENS.match(text):
            return None
        try:
            _, end = parse_at(text, len(text) - len(text.lstrip()))
        except JsonError:
            if not text.rstrip().endswith(("}", "]")):
                return None
        else:
            if (rest := text[end:].strip()) and not rest.startswith(("{", "[")):
                return None
    try:
        value = read_object(text, path)
    except JsonError as error:
        likeness = ""
        with suppress(JsonError):
            likeness = f"it looks like {_kind(parse_at(text, len(text) - len(text.lstrip()))[0])}; "
        raise ArchiveError(f"{error}: {likeness}{_READ}") from None
    inner = value["data"] if isinstance(value.get("data"), dict) else value
    is_card = "entries" in value or "entries" in inner or _CARD & inner.keys() or "spec" in value
    if not is_card or _other(value):
        raise ArchiveError(f"{path} is JSON that no import understands, and looks like "
                           f"{_kind(value)}: {_READ}")
    return value


def refuse_lore(value: Mapping[str, Any], path: str) -> None:
    """Refuse what an import would leave aside where it has lore: a text with words that call it.

    Raises:
        ArchiveError: names the place.
    """
    for place in _lore(value, ""):
        raise ArchiveError(f"{path} has lore at {place}, where no import reads it: {_READ}")


def _lore(value: Any, place: str) -> Iterator[str]:
    if isinstance(value, Mapping):
        if any(isinstance(value.get(key), str) and value[key].strip() for key in _TEXTS) and any(
                value.get(key) for key in _KEYS):
            yield place
        parts: Any = value.items()
    else:
        parts = enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from _lore(part, f"{place}.{key}".lstrip("."))


def _kind(value: Any) -> str:
    """What a value looks like, in words."""
    if isinstance(value, Mapping):
        keys = ", ".join([*value][:5]) + ", …" * (len(value) > 5)
        return _other(value) or (f"an object with the keys {keys}" if value else "an empty object")
    if isinstance(value, list) and value and isinstance(value[0], Mapping):
        return "story cards of AI Dungeon" if any(_lore(value[0], "0")) else (
            "a chat" if "role" in value[0] else f"a list of objects with the keys "
            f"{', '.join([*value[0]][:5])}")
    return named(value)


def _other(value: Mapping[str, Any]) -> str:
    return next((name for name, keys in _OTHERS if keys <= value.keys()), "")
