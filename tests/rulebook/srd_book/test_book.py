"""The whole book: its chapters, a section for every record, all text, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import pytest

from mvp_site.rulebook.ids import slug
from mvp_site.rulebook.markdown import parse_rulebook
from mvp_site.rulebook.sections import Section, Sections
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
    kind_of,
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

LONG = 120
"""Shorter blocks may well occur within others."""


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


def test_there_are_about_two_thousand_sections(sections: Sections) -> None:
    assert 1_700 <= len(sections) <= 2_300
    assert max(section.tokens for section in sections) < 2_000


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


def test_ids_are_slugs_of_the_titles_alone(sections: Sections) -> None:
    for section in sections:
        assert section.id == "/".join(slug(title) for title in section.path)


def test_no_section_is_empty(sections: Sections) -> None:
    assert [one.id for one in sections if not one.content and not one.children_ids] == []


def test_every_section_has_a_category(sections: Sections) -> None:
    assert all(one.categories for one in sections)


NAMED_AFTER = [
    (Kind.RACES, "Races"),
    (Kind.SUBRACES, "Races"),
    (Kind.TRAITS, "Races"),
    (Kind.CLASSES, "Classes"),
    (Kind.FEATURES, "Classes"),
    (Kind.BACKGROUNDS, "Backgrounds"),
    (Kind.FEATS, "Feats"),
    (Kind.ALIGNMENTS, "Alignment"),
    (Kind.ARMOR, "Equipment"),
    (Kind.WEAPONS, "Equipment"),
    (Kind.WEAPON_PROPERTIES, "Equipment"),
    (Kind.SKILLS, "Using Ability Scores"),
    (Kind.ABILITY_SCORES, "Using Ability Scores"),
    (Kind.DAMAGE_TYPES, "Combat"),
    (Kind.CONDITIONS, "Conditions"),
    (Kind.MAGIC_SCHOOLS, "Spellcasting"),
    (Kind.SPELLS, "Spell Descriptions"),
    (Kind.MAGIC_ITEMS, "Magic Items"),
    (Kind.MONSTERS, "Monsters|Nonplayer Characters"),
    (Kind.RULES, "Using Ability Scores|Adventuring|Combat|Spellcasting|Equipment"),
    (Kind.RULE_SECTIONS, "|".join(CHAPTERS)),
]


@pytest.mark.parametrize(("kind", "chapter"), NAMED_AFTER)
def test_every_record_has_a_section_of_its_name(
    srd: Srd, sections: Sections, kind: Kind, chapter: str
) -> None:
    under = chapter.split("|")
    for record in srd.all(kind):
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


def test_things_with_a_text_of_their_own_have_a_section(srd: Srd, sections: Sections) -> None:
    shared: dict[str, int] = {}
    for one in srd.equipment:
        for block in one.text:
            shared[block] = shared.get(block, 0) + 1
    for one in srd.equipment:
        if one.contents or any(shared[block] == 1 for block in one.text):
            assert [f for f in sections.titled(one.name) if f.path[0] == "Equipment"], one.slug


def test_every_thing_and_its_price_stands_in_a_table(srd: Srd, text: str) -> None:
    for one in srd.equipment:
        name = f"{one.name} ({one.quantity})" if one.quantity > 1 else one.name
        assert f"| {name} | {one.cost or '—'} |" in text, one.slug


def test_all_text_of_the_records_is_in_the_book(srd: Srd, text: str) -> None:
    book = (plain(text), " ".join(text.replace("***", "").split()))
    missing = [
        (record.slug, block[:60]) for record in srd if kind_of(record) not in TOLD_BY_THE_RULES
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
        for record in srd.all(kind):
            found = letters(" ".join(
                one.content for named in sections.titled(record.name)
                for one in (named, *sections.children(named))
            ))
            for block in record.text:
                asked = letters(block)
                assert len(asked & found) >= 0.9 * len(asked), record.slug


def test_no_text_is_told_twice(srd: Srd, text: str) -> None:
    """No more often than records have it: spells of one effect share a paragraph, say."""
    once = {Kind.SPELLS, Kind.MAGIC_ITEMS, Kind.CONDITIONS, Kind.BACKGROUNDS, Kind.MONSTERS}
    source = "\n".join(block for record in srd for block in texts(record))
    for record in srd:
        if kind_of(record) in once:
            for block in texts(record):
                if len(block) > LONG:
                    assert text.count(block) <= source.count(block), (record.slug, block[:60])


JUNK = re.compile(
    r"(?:\*\*|\||^- |\()\s*(?:None|True|False|nan)\s*(?:$|\||\)|,|\.)"  # a value that is one
    r"|\b(?:None, |, None\b|Ref\(|Kind\.|Rarity\.|slug=)|\{'|\['|<[A-Z]\w+[.:]"  # a record's print
)


@pytest.mark.parametrize(
    ("line", "junk"),
    [
        ("**Range:** None", True),
        ("| Club | None |", True),
        ("(True)", True),
        ("Ref(kind=", True),
        ("<Kind.SPELLS: 'spells'>", True),
        ("{'a': 1}", True),
        ("- True Strike", False),
        ("None of these", False),
    ],
)
def test_junk_is_known(line: str, junk: bool) -> None:
    assert bool(JUNK.search(line)) is junk


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


def test_siblings_have_titles_of_their_own(sections: Sections) -> None:
    def titles(held: Iterable[Section]) -> list[str]:
        return [one.title for one in held]

    for section in sections:
        below = titles(sections.children(section))
        assert len(below) == len(set(below)), section.id


def test_what_there_are_no_records_for_is_left_out() -> None:
    found = parse_rulebook(render_srd(Srd([])))
    assert [root.title for root in found.roots] == ["About This Rulebook"]


def test_a_few_records_make_a_small_book(srd: Srd) -> None:
    few = Srd([*srd.all(Kind.SPELLS)[:3], *srd.all(Kind.CONDITIONS)[:2]])
    found = parse_rulebook(render_srd(few))
    assert [root.title for root in found.roots] == [
        "About This Rulebook", "Conditions", "Spell Descriptions", "Appendix: Reference Tables",
    ]
