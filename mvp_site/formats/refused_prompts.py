"""Prompts of other tools that nothing reads yet, so that a refusal can name them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from .types import Format, Sample

_LORE: Final = "export it for SillyTavern (World Info, or a character card)"
_CHAT: Final = "a chat is no prompt; save what it says of the game as .txt or .md"
_SETTINGS: Final = "settings of a model are no prompt; save its texts as .txt or .md"
_PICTURE: Final = "export the card as JSON or PNG"


def _keys(*alternatives: str) -> Callable[[Sample], bool]:
    """Recognises an object that has all keys of one of these lists."""
    return lambda sample: any(sample.has(*keys.split()) for keys in alternatives)


def _of(key: str, *values: str) -> Callable[[Sample], bool]:
    """Recognises an object by a key's value."""
    return lambda sample: sample.has(key) and sample.value[key] in values


def _listed(*alternatives: str) -> Callable[[Sample], bool]:
    """Recognises a list whose first object has all keys of one of these."""
    def recognised(sample: Sample) -> bool:
        first: Any = sample.value[0] if isinstance(sample.value, list) and sample.value else None
        return isinstance(first, Mapping) and any(
            first.keys() >= {*keys.split()} for keys in alternatives)
    return recognised


_REFUSED: Final = (
    ("a RisuAI lorebook or module", _of("type", "risu", "risuModule", "risuPreset"), _LORE),
    ("an Agnai memory book", _of("kind", "memory"), _LORE),
    ("an Agnai character", _of("kind", "character"), _LORE),
    ("a Backyard AI character", _keys("character version", "aiPersona"), _LORE),
    ("a chat", lambda sample: _keys("chat_metadata", "current_node", "messages")(sample)
     or _listed("role content", "mes name", "mapping current_node")(sample), _CHAT),
    ("a chat in JSON lines", lambda sample: sample.value is None and sample.text.startswith("{")
     and any(f'"{key}"' in sample.text.partition("\n")[0]
             for key in ("chat_metadata", "user_name", "role")), _CHAT),
    ("a SillyTavern preset", _keys("prompts prompt_order", "story_string", "input_sequence",
                                   "qrList", "personas persona_descriptions"), _SETTINGS),
    ("a character card in a zip (.charx)", lambda sample: sample.content.startswith(b"PK\x03\x04")
     and b"card.json" in sample.content[:4096], _PICTURE),
    ("a JPEG or WebP picture",
     lambda sample: sample.content.startswith((b"\xff\xd8\xff", b"RIFF")), _PICTURE),
)

FORMATS: Final[tuple[Format, ...]] = tuple(
    Format(name, "prompts", recognised, aside=why, extent="refused")
    for name, recognised, why in _REFUSED)
