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

Document: TypeAlias = Mapping[str, Any]

TEXT: Final = ("desc", "higher_level")
NAMED_TEXTS: Final = (
    "special_abilities", "actions", "legendary_actions", "reactions", "sections",
)
"""Keys that hold ``[{"name": …, "desc": …}, …]``."""
SRD: Final = "SRD 5.1"
