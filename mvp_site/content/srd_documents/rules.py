"""Everything that explains how the game is played, as documents.

Chapters and sections of the rules, and the entries that a glossary would have: skills, abilities,
types of damage, schools of magic, properties of weapons, languages, alignments. ``category`` says
which an entity is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from ...srd import Paragraphs, RuleRecord, RuleSectionRecord, Srd
from ...text.markdown import blocks
from ..document import Document
from .values import document, names, passage, told


def rules(srd: Srd) -> Iterator[Document]:
    """A document for each chapter, section and entry of the glossary."""
    for chapter in srd.rules:
        yield _of_text(chapter, category="chapter", contents=names(chapter.sections))
    for section in srd.rule_sections:
        yield _of_text(section, category="section", chapter=section.rule.name)
    for skill in srd.skills:
        yield document(skill, category="skill", ability=skill.ability.name)
    for ability in srd.ability_scores:
        yield document(
            ability, category="ability score", abbreviation=ability.abbreviation,
            skills=names(ability.skills),
        )
    for language in srd.languages:
        yield document(
            language, category="language", rarity=language.rarity.lower(),
            speakers=list(language.speakers), script=language.script,
        )
    for alignment in srd.alignments:
        yield document(alignment, category="alignment", abbreviation=alignment.abbreviation)
    for category, records in (
        ("damage type", srd.damage_types), ("school of magic", srd.magic_schools),
        ("weapon property", srd.weapon_properties),
    ):
        yield from (document(record, category=category) for record in records)


def _of_text(record: RuleRecord | RuleSectionRecord, **fields: Any) -> Document:
    opening, sections = cut(record.text)
    return document(record, desc=(opening,), **fields, sections=sections)


def cut(text: Paragraphs) -> tuple[str, list[dict[str, str]]]:
    """The text before the first inner name, and each name with its text, in their order.

    Names are headings, and what is set in bold italics before a paragraph. The text's own title, a
    heading at its very beginning, is dropped; so is a name under which nothing stands before the
    next. A name that comes more than once says what it stands under.
    """
    lines = told(text).split("\n")
    opened = [(0, "", 0, 0)]  # depth, name, the line of the name, the first behind it
    for block in blocks(lines):
        depth, name, first = block.level, block.title.strip(), block.end
        if run_in := re.match(r"\*{3}([^*\n]+?)[.:]\*{3}\s*", lines[block.start]):
            depth, name, first = 7, run_in[1].strip(), block.start
            lines[first] = lines[first][run_in.end():]
        if depth:
            title = block.start == 0
            opened.append((0, "", 0, first) if title else (depth, name, block.start, first))
    pieces: list[tuple[int, str, str, str]] = []  # depth, name, what it stands under, its text
    ends = [start for _, _, start, _ in opened[1:]]
    for (depth, name, _, first), end in zip(opened, [*ends, len(lines)], strict=True):
        above = next((other for deep, other, *_ in reversed(pieces) if deep < depth), "")
        pieces.append((depth, name, above, "\n".join(lines[first:end]).strip()))
    count = Counter(name for depth, name, _, text in pieces if depth and text)
    return told(text for depth, *_, text in pieces if not depth and text), [
        passage(name if count[name] == 1 or above in {"", name} else f"{above}: {name}", (text,))
        for depth, name, above, text in pieces if depth and text
    ]
