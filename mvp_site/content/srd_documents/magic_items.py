"""Magic items as documents: rarity and attunement are fields, the text is without that line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...srd import MagicItemRecord, Srd
from ..document import Document
from .values import document

_BY: Final = "by "


def magic_items(srd: Srd) -> Iterator[Document]:
    """A document for each magic item."""
    return map(_item, srd.magic_items)


def _item(one: MagicItemRecord) -> Document:
    rarities = [str(rarity) for rarity in one.rarities]
    asked = one.attunement or ""
    by = asked.startswith(_BY)
    return document(
        one, item_type=one.item_type, subtype=one.subtype, rarity=rarities,
        rarity_printed=one.rarity_text if len(rarities) != 1 else None,
        attunement=one.attunement is not None,
        attunement_by=asked.removeprefix(_BY) if by else None,
        attunement_note=None if by else asked, magic=True,
    )
