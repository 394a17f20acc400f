"""What is indexed of an entity: its texts as windows and as terms.

Every text speaks. The card of its fields, its description, what happens at higher levels, and
each ability, action and section make windows of their own under the entity's name, so that an
entity scores by its best passage and none is cut at the encoder's window. The lexical lane reads
the name twice, and all of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from ..content.cards import card
from ..content.document import NAMED_TEXTS, TEXT, Document, values_of
from ..content.types import EntityType, fields_of
from ..retrieval.collection import IndexedPassage
from ..retrieval.dense import DenseLane
from ..retrieval.encoder import Encoder
from ..retrieval.engine_releases import EnginePart
from ..retrieval.windows import windows
from ..text.normalising import clean, terms

NAME_WEIGHT: Final = 2
Parts = Sequence[tuple[str, str]]
KEPT: Final = EnginePart(
    "mvp_site_entities",
    tuple(dict.fromkeys(field for type_ in EntityType for field in fields_of(type_))),
    "the entities", "mvp-site entities build",
)
"""What an engine keeps of them."""


def parts(type_: EntityType, document: Document) -> Parts:
    """The names and texts of an entity, the card first; it and the description have no name."""
    return (
        ("", card(type_, document)),
        *((title, text_of(document[key])) for key, title in
          zip(TEXT, ("", "At higher levels"), strict=True) if document.get(key)),
        *((text_of(entry.get("name", "")), text_of(entry.get("desc", "")))
          for key in NAMED_TEXTS for entry in document.get(key, ())),
    )


def windows_of(document: Document, spoken: Parts, encoder: Encoder) -> tuple[list[str], int]:
    """The texts that the dense lane encodes, at least one, and how many of them are the card's.

    ``spoken`` are the document's parts.
    """
    name = text_of(document["name"])
    spans = dict[str, None]()
    card_windows = 0
    for title, text in spoken:
        spans.update(dict.fromkeys(windows((name, title), text, encoder)))
        card_windows = card_windows or len(spans)
    return list(spans), card_windows


def terms_of(document: Document, spoken: Parts) -> tuple[str, ...]:
    """What the lexical lane reads of a document and its parts."""
    name = terms(text_of(document["name"]))
    return (*name * NAME_WEIGHT, *(term for part in spoken for term in terms("\n".join(part))))


def text_of(value: Any) -> str:
    """A text, or paragraphs, as one text."""
    if isinstance(value, list | tuple):
        return "\n\n".join(text_of(part) for part in value)
    return clean(str(value))


def records(entries: Sequence[tuple[EntityType, Document]],
            lane: DenseLane) -> Iterator[IndexedPassage]:
    """The entities as engines keep them."""
    for number, (type_, document) in enumerate(entries):
        yield IndexedPassage(
            number, type_, terms_of(document, parts(type_, document)),
            lane.vectors(number, number + 1), values_of(type_, document),
        )
