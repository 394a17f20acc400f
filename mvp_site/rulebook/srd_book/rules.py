"""The chapters of rules: a chapter's sections in order, each with the tree of its own headings.

Some passages of theirs tell of things that are records too (skills, damage types, schools of
magic, poisons) one after the other, each behind its name in bold. There each becomes a section,
and the record's own text, which says the same, is not told again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from ...srd import Paragraphs, RuleRecord, RuleSectionRecord, Srd
from .part import Part, split_at_headings

_RUN_IN: Final = re.compile(r"\*{3}([^*\n]+?)\.\*{3}\s+")
_BREAKS_OFF: Final = re.compile(r"\A[*\w][^\n]*[.?!][*]* [^\n.?!]*\w\Z")
_SCHOOL: Final = re.compile(r"\*\*([^*\n]+)\*\*(?= spells )")
_TOLD_ONE_BY_ONE: Final = ("Damage Types", "Sample Poisons")
_SCHOOLS: Final = "The Schools of Magic"


def chapter(srd: Srd, slug: str, *others: Part, leave: Iterable[str] = ()) -> Part:
    """The chapter of a rule, with ``others`` behind its sections, some of which are left out."""
    rule = srd.get(RuleRecord, slug)
    if rule is None:
        return Part(_titled(slug), parts=others)
    left = set(leave)
    sections = [section(srd, ref.slug) for ref in rule.sections if ref.slug not in left]
    opening, below = split_at_headings(_rejoined(rule.text))
    own = below[0] if below else Part(rule.name)
    found = (one for parts in sections for one in parts)
    return Part(own.title, (*opening, *own.blocks), (*own.parts, *below[1:], *found, *others))


def section(srd: Srd, slug: str) -> tuple[Part, ...]:
    """The parts of a section: one, or several where its text has more than one at the top."""
    record = srd.get(RuleSectionRecord, slug)
    if record is None:
        return ()
    opening, parts = split_at_headings(_rejoined(record.text))
    if opening:
        parts = (Part(record.name, opening), *parts)
    return tuple(_told(part) for part in parts)


def chapter_of_section(srd: Srd, slug: str) -> Part:
    """A section as a chapter of its own; what else stands at its top comes below the first."""
    first, *rest = section(srd, slug) or (Part(_titled(slug)),)
    return first.with_parts(rest)


def _titled(slug: str) -> str:
    return slug.replace("-", " ").title()


def _rejoined(text: Paragraphs) -> Iterator[str]:
    """The blocks of ``text``; a sentence that breaks off goes on with the block after it."""
    held = ""
    for block in text:
        if held and _BREAKS_OFF.search(held) and block[0].isalnum():
            held = f"{held} {block}"
            continue
        if held:
            yield held
        held = block
    if held:
        yield held


def _told(part: Part, above: str = "") -> Part:
    """``part`` with the things told in it one by one as parts of their own."""
    below = tuple(_told(one, part.title) for one in part.parts)
    by_one = part.title in _TOLD_ONE_BY_ONE or part.title == f"{above} Checks"
    if by_one:
        blocks, found = _split(part.blocks, _RUN_IN.match, cut=True)
    elif part.title == _SCHOOLS:
        blocks, found = _split(part.blocks, _SCHOOL.match, cut=False)
    else:
        blocks, found = part.blocks, ()
    return _folded(Part(part.title, blocks, (*found, *below)))


def _folded(part: Part) -> Part:
    """``part`` with its first part taken in where that has the same title: a table's caption."""
    if not part.parts or part.parts[0].title != part.title:
        return part
    first, *rest = part.parts
    return Part(part.title, (*part.blocks, *first.blocks), (*first.parts, *rest))


def _split(
    blocks: Iterable[str], named: Callable[[str], re.Match[str] | None], cut: bool
) -> tuple[Paragraphs, tuple[Part, ...]]:
    """What stands before the first block that opens with a name, and a part for each name.

    ``cut`` takes the name out of the text.
    """
    opening: list[str] = []
    found: list[tuple[str, list[str]]] = []
    for block in blocks:
        name = named(block)
        if name is not None:
            found.append((name[1], [block[name.end() :] if cut else block]))
        elif found:
            found[-1][1].append(block)
        else:
            opening.append(block)
    return tuple(opening), tuple(Part(name, tuple(text)) for name, text in found)
