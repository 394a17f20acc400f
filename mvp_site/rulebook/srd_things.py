"""The things of the default book: records of the SRD as typed documents, each with its section.

They are made at the build, where the records are at hand, and kept in the release.
"""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import shorten
from typing import Any, Final

from ..content.document import Document
from ..content.srd_documents import srd_documents
from ..content.types import EntityType, fields_of
from ..content.wording import ordinal
from ..srd import Srd
from ..text.names import names_of, title_key
from .sections import Section, Sections
from .srd_book.classes import level_rows

CHAPTERS: Final = {
    EntityType.SPELLS: ("spell-descriptions",),
    EntityType.MONSTERS: ("monsters", "nonplayer-characters"),
    EntityType.WEAPONS: ("equipment",),
    EntityType.ARMOR: ("equipment",),
    EntityType.EQUIPMENT: ("equipment",),
    EntityType.MAGIC_ITEMS: ("magic-items",),
    EntityType.CLASSES: ("classes",),
    EntityType.SUBCLASSES: ("classes",),
    EntityType.FEATURES: ("classes",),
    EntityType.RACES: ("races",),
}
"""The types that tables are made of, and the chapters of the default book that tell of them."""
_STEP: Final = " ("


@dataclass(frozen=True, slots=True, eq=False)
class SrdEntity:
    """A thing of the book: its document without long texts, and the section that tells of it.

    A class has ``levels`` as well, ``{"columns", "rows", "section_id"}``, a subclass ``spells``,
    ``[[class level, name], …]``, and a feature ``says``, the beginning of its text.
    """

    type: EntityType
    section_id: str
    document: Document

    @property
    def name(self) -> str:
        """The name as the book has it."""
        return str(self.document["name"])

    def goes_by(self) -> list[str]:
        """What the thing goes by (:func:`~mvp_site.text.names.title_key`)."""
        keys = {title_key(self.name), *(" ".join(name) for name in names_of(self.name))}
        if self.type is EntityType.ARMOR:
            keys |= {key.removesuffix(" armor") for key in keys}
        if self.type is EntityType.FEATURES:
            keys.add(title_key(self.name.partition(_STEP)[0].partition(": ")[0]))
        return sorted(filter(None, keys))


def level_of(thing: SrdEntity) -> str:
    """The level of a spell or a feature as it is printed."""
    level = thing.document["level"]
    return ordinal(level) if level else "cantrip"


def srd_things(srd: Srd, sections: Sections) -> tuple[SrdEntity, ...]:
    """The things of the SRD that ``sections``, the default book, tell of; by type, then by name."""
    documents = srd_documents(srd)
    return tuple(
        SrdEntity(type_, section.id, _fields(srd, type_, document, sections))
        for type_ in CHAPTERS for document in documents[type_]
        if (section := _section(type_, document, sections)) is not None
    )


def _section(type_: EntityType, document: Document, sections: Sections) -> Section | None:
    """The section of a thing's name, else that of its group, within the chapters of its type."""
    above = {document.get("class"), document.get("subclass")} - {None}
    name = str(document["name"]).partition(_STEP)[0] if above else str(document["name"])
    for title in (name, document.get("group"), document.get("category")):
        titled = sections.titled(str(title)) if title else ()
        for section in sorted(titled, key=lambda candidate: candidate.title != title):
            if section.id.partition("/")[0] in CHAPTERS[type_] and (above <= set(section.path)):
                return section
    return None


def _fields(srd: Srd, type_: EntityType, document: Document, sections: Sections) -> dict[str, Any]:
    field_names = {"two_handed_dice", *(field.name for field in fields_of(type_))}
    allowed_fields = {name: value for name, value in document.items() if name in field_names}
    if type_ is EntityType.FEATURES:
        text = document.get("desc", "").partition("\n")[0]
        allowed_fields["says"] = shorten(text, 240, placeholder=" …")
    if type_ is EntityType.SUBCLASSES:
        record = next(record for record in srd.subclasses if record.title == document["name"])
        allowed_fields["spells"] = [[spell.level, spell.spell.name] for spell in record.spells]
    if type_ is EntityType.CLASSES:
        own = next(record for record in srd.classes if record.name == document["name"])
        columns, rows = level_rows(srd, own)
        section = sections.titled(f"The {own.name} Table")[0]
        allowed_fields["levels"] = {"columns": columns, "rows": rows, "section_id": section.id}
    return allowed_fields
