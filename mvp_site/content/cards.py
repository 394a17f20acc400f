"""A document's fields as prose: what an entity without a text of its own has to say.

The words are those that players use, general facts of the fields: what finesse is good for, that
a flying speed means that it flies. A card follows from the keys of the document alone, so that a
user's own entity has one as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..text.normalising import clean
from .captions import label, shown
from .document import NAMED_TEXTS, TEXT, Document
from .templates import is_number, keys_of, render
from .types import DESCRIPTIONS, EntityDescription, EntityType
from .wording import sentence

APART: Final = frozenset({
    *TEXT, *NAMED_TEXTS, "slug", "name", "document", "shadows", "entity_type", "derived", "_score",
})
"""Keys that speak for themselves, or are no property of the entity."""


def card(type_: EntityType, document: Document) -> str:
    """The fields of a document in a few sentences, which begin with its name; never empty.

    Fields that are missing, or hold nothing of their kind, are passed over. Keys that the type
    does not know follow as "Key: value.", where the value is one text, number or flag.
    """
    described = DESCRIPTIONS[type_]
    kind, *more = (render(template, document) for template in described.card)
    opening = f"{render('{name}', document) or 'Unnamed'}: {kind}."
    texts = (*more, *_others(described, document))
    return " ".join((opening, *(sentence(text) for text in texts if text)))


def _others(described: EntityDescription, document: Document) -> Iterator[str]:
    """A sentence for each scalar that the card does not mention."""
    mentioned = {*APART, *keys_of(described.card), *described.unsaid.split()}
    for key, value in document.items():
        scalar = isinstance(value, str | bool) or is_number(value)
        if scalar and key not in mentioned and not key.startswith("_"):
            text = clean(shown(key, value))
            yield f"{label(key)}: {text}" if text else ""
