"""The parts of the System Reference Document 5.2, from a folder of its Markdown files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from mvp_site.library.types import ContentType as Type

from .outline import Part, folded, plain, read_outline, typed

_STAT_BLOCK = frozenset({"Actions", "Bonus Actions", "Reactions", "Legendary Actions", "Traits"})


def parts(folder: Path) -> tuple[Part, ...]:
    """The parts of all files in the order of their names; a class stands below "Classes"."""
    files = sorted(folder.glob("[0-9][0-9]_*.md"))
    text = "\n\n".join(path.read_text(encoding="utf-8") for path in files)
    return tuple(_typed(part, kinds) for part, kinds in _with_types(text))


def _with_types(text: str) -> Iterator[tuple[Part, Type]]:
    chapters = {"Classes": Type.CLASS, "Feats": Type.FEAT, "Equipment": Type.EQUIPMENT,
                "Spells": Type.SPELL, "Magic Items": Type.MAGIC_ITEM,
                "Monsters A–Z": Type.MONSTER, "Animals": Type.MONSTER}
    for part in read_outline(text):
        yield part, chapters.get(plain(part.title).strip(), Type.RULE)


def _typed(part: Part, kind: Type) -> Part:
    part = folded(typed(part, kind), _STAT_BLOCK)
    return replace(part, children=tuple(_special(one, kind) for one in part.children))


def _special(part: Part, kind: Type) -> Part:
    if plain(part.title) == "Character Backgrounds":
        return typed(part, Type.BACKGROUND)
    if plain(part.title) == "Character Species":
        return typed(part, Type.RACE)
    if kind is Type.CLASS:
        return replace(part, children=tuple(
            typed(one, Type.SUBCLASS) if "Subclass:" in one.title else one
            for one in part.children))
    return part
