"""The chapters of rules: a chapter's sections in order, each with the tree of its own headings.

Some passages of theirs tell of things that are records too (skills, damage types, schools of
magic, poisons) one after the other, each behind its name in bold. There each becomes a section,
and the record's own text, which says the same, is not told again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Final

from ...srd import Paragraphs, Srd
from .part import BookPart, Content, part

_RUN_IN: Final = re.compile(r"\*{3}([^*\n]+?)\.\*{3}\s+")
_BREAKS_OFF: Final = re.compile(r"\A[*\w][^\n]*[.?!][*]* [^\n.?!]*\w\Z")
_SCHOOL: Final = re.compile(r"(?=\*\*([^*\n]+)\*\* spells )")  # the name stays
_TOLD_ONE_BY_ONE: Final = ("Damage Types", "Sample Poisons")


def chapter(srd: Srd, slug: str, *others: Content, leave: Iterable[str] = ()) -> BookPart:
    """The chapter of a rule, with ``others`` behind its sections, some of which are left out."""
    rule = next(record for record in srd.rules if record.slug == slug)
    sections = (section(srd, ref.slug) for ref in rule.sections if ref.slug not in leave)
    return part(rule.name, _rejoined(rule.text[1:]), sections, others)  # the first is its heading


def section(srd: Srd, slug: str) -> tuple[BookPart, ...]:
    """The parts of a section: one, or several where its text has more than one at the top."""
    record = next(record for record in srd.rule_sections if record.slug == slug)
    return tuple(_part_of(book_part) for book_part in part("", _rejoined(record.text)).parts)


def chapter_of_section(srd: Srd, slug: str) -> BookPart:
    """A section as a chapter of its own; what else stands at its top comes below the first."""
    first, *rest = section(srd, slug)
    return part(first.title, first.blocks, first.parts, rest)


def _rejoined(text: Paragraphs) -> list[str]:
    """The blocks of ``text``; a sentence that breaks off goes on with the block after it."""
    blocks: list[str] = []
    for block in text:
        if blocks and _BREAKS_OFF.search(blocks[-1]) and block[0].isalnum():
            blocks[-1] += f" {block}"
        else:
            blocks.append(block)
    return blocks


def _part_of(section_part: BookPart, above: str = "") -> BookPart:
    """``section_part`` with the things told in it one by one as parts of their own."""
    blocks, book_parts = section_part.blocks, list[BookPart]()
    if section_part.title in _TOLD_ONE_BY_ONE or section_part.title == f"{above} Checks":
        blocks, book_parts = _split(blocks, _RUN_IN)
    elif section_part.title == "The Schools of Magic":
        blocks, book_parts = _split(blocks, _SCHOOL)
    below = [_part_of(inner, section_part.title) for inner in section_part.parts]
    if below and below[0].title == section_part.title:  # a table's caption
        same = below.pop(0)
        blocks, book_parts = (*blocks, *same.blocks), [*book_parts, *same.parts]
    return part(section_part.title, blocks, book_parts, below)


def _split(blocks: Paragraphs, name: re.Pattern[str]) -> tuple[Paragraphs, list[BookPart]]:
    """What stands before the first block that opens with a name, and a part for each name.

    What ``name`` has matched goes out of the text.
    """
    starts = [n for n, block in enumerate(blocks) if name.match(block)]
    parts = []
    for start, end in pairwise([*starts, len(blocks)]):
        named = name.match(blocks[start])
        assert named
        text = (blocks[start][named.end() :], *blocks[start + 1 : end])
        parts.append(part(named[1], text))
    return blocks[: starts[0] if starts else None], parts
