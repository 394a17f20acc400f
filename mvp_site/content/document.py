"""A document: one entity as plain values, as users write it and as searches give it back.

Keys that every type may have, all optional but ``name``: ``slug`` (else made from the name),
``desc`` (text, or a list of paragraphs), ``document``; the fields of its type
(:func:`.types.fields_of`); and texts of which each becomes passages of its own:
``higher_level`` (text), ``special_abilities``, ``actions``, ``legendary_actions``, ``reactions``
and ``sections`` (lists of ``{"name", "desc"}``). Values are JSON: no nulls, a text is Markdown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from ..retrieval.columns import Value
from ..retrieval.filters import FieldKind, fold
from .types import EntityType, fields_of

Document: TypeAlias = Mapping[str, Any]

TEXT: Final = ("desc", "higher_level")
NAMED_TEXTS: Final = (
    "special_abilities", "actions", "legendary_actions", "reactions", "sections",
)
"""Keys that hold ``[{"name": …, "desc": …}, …]``."""
SRD: Final = "SRD 5.1"


def values_of(type_: EntityType, document: Document) -> dict[str, Value]:
    """The fields that filters compare, texts folded.

    A flag that is missing is false, any other field that is missing is left out.
    """
    out: dict[str, Value] = {}
    for field in fields_of(type_):
        value = document.get(field.name)
        match field.kind:
            case FieldKind.FLAG if value is None or isinstance(value, bool):
                out[field.name] = bool(value)
            case FieldKind.NUMBER if isinstance(value, int | float):
                out[field.name] = float(value)
            case FieldKind.TEXT if isinstance(value, str):
                out[field.name] = fold(value)
            case FieldKind.TEXTS if isinstance(value, list | tuple):
                out[field.name] = tuple(dict.fromkeys(fold(str(entry)) for entry in value))
    return out


def listing_key(document: Document) -> tuple[str, str]:
    """What documents of a type are listed by: the name, then the slug."""
    return str(document["name"]).casefold(), str(document["slug"])
