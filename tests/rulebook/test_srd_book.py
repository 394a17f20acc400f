"""The whole book: its chapters, a section for every record, all text, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from mvp_site.rulebook.markdown import slug
from mvp_site.rulebook.sections import Sections
from mvp_site.rulebook.srd_book.part import BookPart
from mvp_site.srd import (
    ATTRIBUTION,
    CHANGES,
    ClassRecord,
    Kind,
    MonsterRecord,
    SpellRecord,
    Srd,
    TextRecord,
    WeaponRecord,
)

CHAPTERS = [
    "About This Rulebook", "Races", "Classes", "Backgrounds", "Feats", "Alignment", "Languages",
    "Equipment", "Using Ability Scores", "Adventuring", "Combat", "Conditions", "Spellcasting",
    "Spell Lists", "Spell Descriptions", "Running the Game", "Magic Items", "Monsters",
    "Nonplayer Characters", "Fantasy-Historical Pantheons", "The Planes of Existence",
    "Appendix: Reference Tables",
]  # fmt: skip

TOLD_BY_THE_RULES = {Kind.ABILITY_SCORES, Kind.DAMAGE_TYPES, Kind.MAGIC_SCHOOLS, Kind.SKILLS}
"""Kinds whose text stands in the rules as well, where it is told; wording and marks may differ."""


def flat(parts: Iterable[BookPart], level: int = 1) -> Iterator[tuple[str, int]]:
    for part in parts:
        yield part.title, level
        yield from flat(part.parts, level + 1)


def texts(record: TextRecord) -> Iterator[str]:
    yield from record.text
    match record:
        case SpellRecord():
            yield from record.higher_level
        case ClassRecord():
            yield from (block for one in record.spellcasting for block in one.text)
        case WeaponRecord():
            yield from record.special
        case MonsterRecord():
            actions = (*record.special_abilities, *record.actions, *record.reactions, *record.legendary_actions)
            yield from (block for action in actions for block in action.text)


def plain(text: str) -> str:
    """``text`` without what marks its headings and its names in bold, on one line."""
    return " ".join(re.sub(r"(?m)^#+ .*$|\*{3}[^*\n]+\.\*{3}|^- ", " ", text).split())


def test_it_parses_into_the_tree_it_was_made_of(parts: tuple[BookPart, ...], sections: Sections) -> None:
    assert [root.title for root in sections.roots] == CHAPTERS
    assert [(section.title, section.level) for section in sections] == list(flat(parts))
    assert max(one.level for one in sections) <= 5
    for section in sections:
        parent = sections.parent(section)
        assert section.level == (parent.level + 1 if parent else 1)
        assert section.id == "/".join(slug(title) for title in section.path)
        assert section.categories
        assert section.content or section.children_ids


def test_all_text_of_the_records_is_in_the_book(srd: Srd, text: str) -> None:
    book = (plain(text), " ".join(text.replace("***", "").split()))
    missing = [
        (record.slug, block[:60]) for record in srd if record.kind not in TOLD_BY_THE_RULES
        for block in texts(record)
        if plain(block) not in book[0] and " ".join(block.split()) not in book[1]
        and block not in headings(text)
    ]
    assert missing == []


def headings(text: str) -> set[str]:
    return {line.lstrip("# ") for line in text.split("\n") if line.startswith("#")}


def test_the_attribution_opens_the_book(sections: Sections) -> None:
    legal = sections["about-this-rulebook/legal-information"]
    assert ATTRIBUTION in legal.content
    assert CHANGES in legal.content
    assert "CC-BY-4.0" in legal.content
