"""Spell access: the same lists in many styles, parts of classes, and the three questions."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from mvp_site.errors import CorruptIndexError
from mvp_site.rulebook.answer_table import AnswerTable
from mvp_site.rulebook.markdown import parse_rulebook
from mvp_site.rulebook.reading.spell_lists import Access, LevelSpells, Spell, SpellAccess
from mvp_site.rulebook.reading.tables import section_tables

from ..books import anything
from ..spell_books import (
    ENTRIES,
    EXPANDED,
    HEXER,
    IN_BULLETS,
    LAND,
    LISTS,
    NO_LISTS,
    PARTS,
    SINGER,
    WITHOUT_ENTRIES,
)

BULLETS = LISTS["bullets under headings"]


def access(markdown: str, *classes: str) -> SpellAccess:
    return SpellAccess.build(parse_rulebook(markdown), classes=classes)


def held(found: SpellAccess) -> dict[str, tuple[tuple[int | None, tuple[str, ...]], ...]]:
    return {name: tuple((level.level, level.spells) for level in found.spells_of(name)) for name in found.classes()}


@pytest.mark.parametrize("lists", LISTS.values(), ids=LISTS)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_every_style_of_list(lists: str, end: str) -> None:
    found = access((lists + ENTRIES).replace("\n", end))
    assert held(found) == {"Hexer": HEXER, "Singer": SINGER}


def test_lists_of_spells_that_the_book_does_not_describe() -> None:
    assert held(access(WITHOUT_ENTRIES)) == {"Hexer": HEXER, "Singer": SINGER}


def test_entries_name_the_classes() -> None:
    entries = ENTRIES.replace("*2nd-level", "**Classes:** hexer, Singer (College of Ash)\n\n*2nd-level").replace("3rd-level evocation", "Level 3 Evocation (Hexer)")
    found = access(entries)
    assert held(found) == {"Hexer": ((2, ("Iron Skin", "Light/Dark")), (3, ("Big Fire",))), "Singer": ()}
    assert [(one.class_name, one.part) for one in found.classes_of("iron skin")] == [("Hexer", ""), ("Singer", "College of Ash")]


@pytest.mark.parametrize("markdown", PARTS.values(), ids=PARTS)
def test_tables_of_parts_of_classes(markdown: str) -> None:
    found = access(markdown + BULLETS + ENTRIES)
    assert found.classes() == ("Hexer", "Singer")
    assert [(one.class_name, one.part, one.level, one.gained) for one in found.classes_of("Big Fire")] == [
        ("Singer", "", 3, None), ("Hexer", "Path of Ash", 3, 3),
    ]
    assert held(found) == {"Hexer": HEXER, "Singer": SINGER}


@pytest.mark.parametrize("markdown", [EXPANDED, IN_BULLETS], ids=["expanded", "bullets"])
def test_lists_of_parts_of_classes(markdown: str) -> None:
    found = access(markdown + BULLETS + ENTRIES)
    assert [(one.class_name, one.part, one.gained) for one in found.classes_of("Big Fire")] == [
        ("Singer", "", None), ("Hexer", "Path of Ash", None),
    ]


def test_a_part_of_a_part_is_known_by_each_name() -> None:
    found = access(LAND + BULLETS + ENTRIES)
    assert [one.part for one in found.classes_of("Big Fire")] == ["", "Circle of Ash (Desert)"]
    for name in ("Circle of Ash", "Desert", "circle of ash (desert)"):
        assert found.spells_of(name) == (
            LevelSpells(1, ("Warm Hand",)), LevelSpells(2, ("Iron Skin", "Light/Dark")), LevelSpells(3, ("Big Fire",)),
        )


def test_what_lists_spells_for_no_class() -> None:
    assert access(NO_LISTS + ENTRIES).classes() == ()


def test_levels_are_those_of_the_entries() -> None:
    found = access(BULLETS.replace("#### 3rd Level", "#### 9th Level") + ENTRIES)
    assert [one.level for one in found.classes_of("Big Fire")] == [3]
    assert found.spell("Big  fire") == Spell("Big Fire", 3, "spell-descriptions/big-fire")
    assert found.spell("Nothing") is None
    assert found.classes_of("Nothing") == ()
    assert found.spells_of("Nothing") == ()


def test_the_places_that_say_so() -> None:
    found = access(BULLETS + ENTRIES)
    assert found.classes_of("big fire") == (
        Access("Singer", "", 3, None, ("magic/spell-lists/singer-spells/3rd-level",)),
    )


def table(*names: str, classes: tuple[str, ...] = ("Warden", "Hexer")) -> AnswerTable | None:
    return access(PARTS["by class level"] + BULLETS + ENTRIES, *classes).table_for(names)


@pytest.mark.parametrize(
    ("names", "columns", "rows"),
    [
        (("big fire",), ("Spell", "Level", "Classes", "Through a part of a class"),
         (("Big Fire", "3rd", "Singer", "Path of Ash (Hexer at 3rd level)"),)),
        (("ash bolt", "Warm Hands"), ("Spell", "Level", "Classes", "Through a part of a class"),
         (("Ash Bolt", "cantrip", "Hexer", "—"), ("Warm Hand", "1st", "Hexer, Singer", "Path of Ash (Hexer at 1st level)"))),
        (("Singers",), ("Class", "Level", "Spells"), (("Singer", "1st", "Warm Hand"), ("Singer", "3rd", "Big Fire"))),
        (("the singer spell list",), ("Class", "Level", "Spells"), (("Singer", "1st", "Warm Hand"), ("Singer", "3rd", "Big Fire"))),
        (("path of ash",), ("Class", "Level", "Spells"),
         (("Path of Ash", "1st", "Warm Hand"), ("Path of Ash", "2nd", "Iron Skin, Light/Dark"), ("Path of Ash", "3rd", "Big Fire"))),
        (("singer", "big fire", "something else"), ("Class", "Spell", "Level", "May cast it", "Why"),
         (("Singer", "Big Fire", "3rd", "yes", "Big Fire is on the spell list of Singer"),)),
        (("hexer", "big fire"), ("Class", "Spell", "Level", "May cast it", "Why"),
         (("Hexer", "Big Fire", "3rd", "only in part", "Big Fire is granted by Path of Ash (Hexer at 3rd level)"),)),
        (("Path of Ash", "big fire", "cold hand"), ("Class", "Spell", "Level", "May cast it", "Why"),
         (("Path of Ash", "Big Fire", "3rd", "yes", "Big Fire is granted by Path of Ash (Hexer at 3rd level)"),
          ("Path of Ash", "Cold Hand", "1st", "yes", "Cold Hand is on the spell list of Hexer"))),
        (("singer", "cold hand"), ("Class", "Spell", "Level", "May cast it", "Why"),
         (("Singer", "Cold Hand", "1st", "no", "Cold Hand is listed for Hexer"),)),
        (("warden", "cold hnad"), ("Class", "Spell", "Level", "May cast it", "Why"),
         (("Warden", "Cold Hand", "1st", "no", "Warden has no spell list; Cold Hand is listed for Hexer"),)),
    ],
)
def test_table_for(names: tuple[str, ...], columns: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> None:
    answer = table(*names)
    assert answer is not None
    assert (answer.columns, answer.rows) == (columns, rows)
    assert answer.section_ids
    assert len(set(answer.section_ids)) == len(answer.section_ids)


@pytest.mark.parametrize("names", [(), ("",), ("sword",), ("warden",), ("!",)])
def test_no_table(names: tuple[str, ...]) -> None:
    assert table(*names) is None


def test_a_name_is_resolved_where_it_is_unknown() -> None:
    found = access(BULLETS + ENTRIES)
    answer = found.table_for(["bf"], {"bf": "Big Fire"}.get)
    assert answer is not None
    assert answer.rows[0][0] == "Big Fire"
    assert found.table_for(["bf"], lambda name: None) is None
    assert found.table_for(["bf"]) is None


def test_a_spell_of_no_list() -> None:
    found = access(ENTRIES, "Warden")
    answer = found.table_for(["big fire"])
    assert answer is not None
    assert answer.rows == (("Big Fire", "3rd", "—", "—"),)
    answer = found.table_for(["big fire", "warden"])
    assert answer is not None
    assert answer.rows[0][3:] == ("no", "Warden has no spell list; no list of the book has Big Fire")


def test_tables_may_be_handed_in() -> None:
    sections = parse_rulebook(LISTS["a row a spell"] + ENTRIES)
    assert SpellAccess.build(sections, section_tables(sections)).dump() == SpellAccess.build(sections).dump()


def test_dump_and_load() -> None:
    found = access(LAND + BULLETS + ENTRIES, "Warden")
    again = SpellAccess.load(found.dump())
    assert again.dump() == found.dump()
    assert held(again) == held(found)
    for names in (["big fire"], ["hexer"], ["desert"], ["warden", "big fire"]):
        assert again.table_for(names) == found.table_for(names)


@pytest.mark.parametrize(
    "data",
    [b"", b"[]", b"{}", b"\xff", b'{"spells": [["a", "b", "c"]], "accesses": [], "others": []}',
     b'{"spells": [], "accesses": [["a", "b", "", 1, null, []]], "others": []}', b'{"spells": [["a", true, ""]], "accesses": [], "others": []}'],
)
def test_damaged_data_is_refused(data: bytes) -> None:
    with pytest.raises(CorruptIndexError, match=r"spell lists of the rulebook cannot be read .* rulebook build"):
        SpellAccess.load(data)


@settings(max_examples=150, deadline=None)
@given(anything)
def test_any_book_is_read(text: str) -> None:
    try:
        sections = parse_rulebook(text)
    except ValueError:
        return
    found = SpellAccess.build(sections)
    assert SpellAccess.load(found.dump()).dump() == found.dump()
