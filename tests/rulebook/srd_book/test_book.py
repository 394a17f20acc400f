"""The whole book: its chapters, a section for every record, all text, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import pytest

from mvp_site.rulebook.ids import slug
from mvp_site.rulebook.sections import Sections
from mvp_site.rulebook.srd_book import chapters, render_srd
from mvp_site.rulebook.srd_book.features import base_name
from mvp_site.rulebook.srd_book.part import Part
from mvp_site.srd import (
    ATTRIBUTION,
    CHANGES,
    ClassRecord,
    FeatureRecord,
    Kind,
    MonsterRecord,
    Record,
    Ref,
    RuleRecord,
    SpellRecord,
    Srd,
    TraitRecord,
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


def flat(parts: Iterable[Part], level: int = 1) -> Iterator[tuple[str, int]]:
    for part in parts:
        yield part.title, level
        yield from flat(part.parts, level + 1)


def texts(record: Record) -> Iterator[str]:
    yield from record.text
    match record:
        case SpellRecord():
            yield from record.higher_level
        case ClassRecord():
            yield from (block for one in record.spellcasting for block in one.text)
        case WeaponRecord():
            yield from record.special
        case MonsterRecord():
            actions = (
                *record.special_abilities, *record.actions, *record.reactions,
                *record.legendary_actions,
            )
            yield from (block for action in actions for block in action.text)


def plain(text: str) -> str:
    """``text`` without what marks its headings and its names in bold, on one line."""
    return " ".join(re.sub(r"(?m)^#+ .*$|\*{3}[^*\n]+\.\*{3}|^- ", " ", text).split())


def letters(text: str) -> set[str]:
    return set(re.findall(r"[a-z]+", text.lower()))


def test_the_chapters_stand_in_order(sections: Sections) -> None:
    assert [root.title for root in sections.roots] == CHAPTERS


def test_the_same_records_give_the_same_bytes(srd: Srd, text: str) -> None:
    assert render_srd(srd).encode() == text.encode()
    assert "\r" not in text
    assert not text.endswith("\n\n")


def test_it_parses_into_the_tree_it_was_made_of(srd: Srd, sections: Sections) -> None:
    assert [(one.title, one.level) for one in sections] == list(flat(chapters(srd)))
    assert max(one.level for one in sections) <= 5
    for section in sections:
        parent = sections.parent(section)
        assert section.level == (parent.level + 1 if parent else 1)
        assert section.id == "/".join(slug(title) for title in section.path)
        assert section.categories
        assert section.content or section.children_ids


NAMED_AFTER = [
    (Kind.RACES, "Races"), (Kind.SUBRACES, "Races"), (Kind.TRAITS, "Races"), (Kind.CLASSES, "Classes"),
    (Kind.FEATURES, "Classes"), (Kind.BACKGROUNDS, "Backgrounds"), (Kind.FEATS, "Feats"),
    (Kind.ALIGNMENTS, "Alignment"), (Kind.ARMOR, "Equipment"), (Kind.WEAPONS, "Equipment"),
    (Kind.WEAPON_PROPERTIES, "Equipment"), (Kind.SKILLS, "Using Ability Scores"),
    (Kind.ABILITY_SCORES, "Using Ability Scores"), (Kind.DAMAGE_TYPES, "Combat"), (Kind.CONDITIONS, "Conditions"),
    (Kind.MAGIC_SCHOOLS, "Spellcasting"), (Kind.SPELLS, "Spell Descriptions"), (Kind.MAGIC_ITEMS, "Magic Items"),
    (Kind.MONSTERS, "Monsters|Nonplayer Characters"),
    (Kind.RULES, "Using Ability Scores|Adventuring|Combat|Spellcasting|Equipment"),
    (Kind.RULE_SECTIONS, "|".join(CHAPTERS)),
]


@pytest.mark.parametrize(("kind", "chapter"), NAMED_AFTER)
def test_every_record_has_a_section_of_its_name(
    srd: Srd, sections: Sections, kind: Kind, chapter: str
) -> None:
    under = chapter.split("|")
    for record in getattr(srd, kind.name.lower()):
        title = shown_title(record)
        if title is not None:
            found = [one for one in sections.titled(title) if one.path[0] in under]
            assert found, (record.slug, title)


def shown_title(record: Record) -> str | None:
    """The title of a record's section; None for one that is told within another's."""
    title: str | None = record.name
    match record:
        case TraitRecord(parent=Ref()) | RuleRecord(slug="appendix"):
            title = None  # a row of its parent's table; sections that are chapters of their own
        case FeatureRecord(parent=Ref(slug="dragon-ancestor")):
            title = None  # an item of a list
        case FeatureRecord(parent=None):
            title = base_name(record.name)
            title = "Spellcasting" if title.startswith("Spellcasting: ") else title
        case FeatureRecord():
            title = base_name(record.name).rpartition(": ")[2]
        case _:
            pass
    return title


def test_every_thing_and_its_price_stands_in_a_table(srd: Srd, text: str) -> None:
    for one in srd.equipment:
        name = f"{one.name} ({one.quantity})" if one.quantity > 1 else one.name
        assert f"| {name} | {one.cost or '—'} |" in text, one.slug


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


def test_what_the_rules_tell_is_told_there(srd: Srd, sections: Sections) -> None:
    """A skill's text, say, is that of the section of its name, but for marks and some words."""
    for kind in TOLD_BY_THE_RULES:
        for record in getattr(srd, kind.name.lower()):
            found = letters(" ".join(
                one.content for named in sections.titled(record.name)
                for one in (named, *sections.children(named))
            ))
            for block in record.text:
                asked = letters(block)
                assert len(asked & found) >= 0.9 * len(asked), record.slug


JUNK = re.compile(
    r"(?:\*\*|\||^- |\()\s*(?:None|True|False|nan)\s*(?:$|\||\)|,|\.)"  # a value that is one
    r"|\b(?:None, |, None\b|Ref\(|Kind\.|Rarity\.|slug=)|\{'|\['|<[A-Z]\w+[.:]"  # a record's print
)


def test_words_of_the_machine_are_not_in_it(srd: Srd, text: str) -> None:
    told = {line for record in srd for block in texts(record) for line in block.split("\n")}
    assert [line for line in text.split("\n") if JUNK.search(line) and line not in told] == []


def test_no_value_is_left_open(text: str) -> None:
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if re.fullmatch(r"\*\*[^*]+:\*\*\s*", line):
            assert lines[number + 2].startswith("- "), line
        assert not re.search(r"\(\)|, ,|\( | \)", line), line


def test_tables_stay_tables(sections: Sections) -> None:
    """Every row of a table has the columns of its head, and a blank line stands before it."""
    for section in sections:
        above = ""
        columns = 0
        for line in section.content.split("\n"):
            if line.startswith("|"):
                cells = len(re.findall(r"(?<!\\)\|", line.rstrip().rstrip("|")))
                columns = columns if above.startswith("|") else cells
                assert cells == columns, (section.id, line)
                assert not above.strip() or above.startswith("|"), (section.id, line)
            above = line


def test_the_attribution_opens_the_book(sections: Sections) -> None:
    legal = sections["about-this-rulebook/legal-information"]
    assert ATTRIBUTION in legal.content
    assert CHANGES in legal.content
    assert "CC-BY-4.0" in legal.content
