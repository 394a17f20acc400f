"""Places in a text that a runner's code fills: ``{{WEATHER}}``.

A version may name its own in ``placeholders.toml``, each with the text that stands there in a turn
that gives none::

    WEATHER = "The sky is grey."
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from pydantic import TypeAdapter

from .modes import toml_as

PLACEHOLDERS: Final = "placeholders.toml"
_PLACE: Final = re.compile(r"\{\{[ \t]*([^\W\d][\w.-]*)[ \t]*\}\}")
_TEXTS: Final = TypeAdapter(dict[str, str])


def read_placeholders(content: bytes, label: str) -> dict[str, str]:
    """The texts in a file, by name.

    Raises:
        JsonError: it does not parse, or a text is none.
    """
    return toml_as(_TEXTS, content, label, 'it has lines like WEATHER = "The sky is grey."')


def placeholders_of(beside: Mapping[str, bytes]) -> dict[str, str]:
    """A version's own texts, of what stands beside its header."""
    return read_placeholders(beside[PLACEHOLDERS], PLACEHOLDERS) if PLACEHOLDERS in beside else {}


def named(text: str) -> list[str]:
    """The names of the placeholders in a text, in order, each once."""
    return [*dict.fromkeys(_PLACE.findall(text))] if "{{" in text else []


def filled(text: str, texts: Mapping[str, str]) -> str:
    """A text with its placeholders filled; those that ``texts`` does not have stay as they are."""
    if not texts or "{{" not in text:
        return text
    return _PLACE.sub(lambda match: texts.get(match[1], match[0]), text)
