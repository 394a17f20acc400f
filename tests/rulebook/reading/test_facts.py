"""Facts: the same things are read from every style of book, and any text is read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.rulebook.markdown import parse_rulebook
from mvp_site.rulebook.reading.damage import damage_types
from mvp_site.rulebook.reading.fact_book import FactBook
from mvp_site.rulebook.reading.fact_types import Facts
from mvp_site.rulebook.reading.facts import read_facts
from mvp_site.rulebook.reading.values import number

from ..books import LINES
from ..fact_styles import STYLES

ABILITIES = ("strength", "dexterity", "constitution", "intelligence", "wisdom", "charisma")


def read(text: str) -> tuple[Facts, ...]:
    return tuple(facts for section in parse_rulebook(text) for facts in read_facts(section))


@pytest.fixture(scope="module", params=STYLES)
def book(request: pytest.FixtureRequest) -> FactBook:
    return FactBook.build(parse_rulebook(STYLES[request.param]))


def one(book: FactBook, name: str) -> Facts:
    found = book.named(name)
    assert found, f"{name} was not found"
    return found[0]


@pytest.mark.parametrize(
    ("name", "level", "expected"),
    [
        ("Ember Lance", 3, {"school": "evocation", "range": "120 feet", "duration": "instantaneous", "components": "v, s, m (a charred twig)", "damage type": "fire"}),
        ("Reed Cage", 3, {"school": "conjuration", "range": "touch", "duration": "concentration, up to 1 minute", "components": "v, s", "damage type": None}),
        ("Pale Spark", 0, {"school": "evocation", "range": "30 feet", "components": "v", "damage type": "cold"}),
    ],
)
def test_a_spell(book: FactBook, name: str, level: int, expected: dict[str, str | None]) -> None:
    facts = one(book, name)
    assert number(facts.get("level") or "", "level") == level
    assert {field: (facts.get(field) or "").lower() or None for field in expected} == expected
    assert (facts.get("casting time") or "").lower().endswith("action")


@pytest.mark.parametrize(
    ("name", "expected", "scores"),
    [
        ("Marsh Imp", {"size": "small", "type": "fiend (imp)", "alignment": "neutral evil", "speed": "20 ft., fly 40 ft.", "challenge rating": "1/2", "xp": "100", "damage type": "piercing, poison"},
         (6, 16, 10, 11, 12, 14)),
        ("Old Toad", {"size": "large", "type": "beast", "alignment": "unaligned", "speed": "30 ft., swim 30 ft.", "challenge rating": "2", "xp": "450", "damage type": "bludgeoning"},
         (17, 12, 15, 2, 10, 3)),
    ],
)
def test_a_creature(book: FactBook, name: str, expected: dict[str, str], scores: tuple[int, ...]) -> None:
    facts = one(book, name)
    assert {field: (facts.get(field) or "").lower() for field in expected} == expected
    assert tuple(number(facts.get(ability) or "", ability) for ability in ABILITIES) == scores
    assert number(facts.get("armor class") or "", "armor class") == (13 if name == "Marsh Imp" else 11)
    assert number(facts.get("hit points") or "", "hit points") == (17 if name == "Marsh Imp" else 45)


@pytest.mark.parametrize(("name", "kind", "rarity"), [("Cloak of Reeds", "wondrous item", "rare"), ("Flask of Dawn", "potion", "uncommon")])
def test_a_magic_item(book: FactBook, name: str, kind: str, rarity: str) -> None:
    facts = one(book, name)
    assert (facts.get("type") or "").lower() == kind
    assert (facts.get("rarity") or "").lower() == rarity
    assert ("warden" in (facts.get("attunement") or "").lower()) is (rarity == "rare")


@pytest.mark.parametrize("style", ["setext", "revised", "quoted"])
def test_a_weapon(style: str) -> None:
    book = FactBook.build(parse_rulebook(STYLES[style]))
    facts = one(book, "thorn")
    assert (facts.origin, facts.get("damage").lower()) == ("row", "1d4 piercing")
    assert number(facts.get("cost"), "cost") == 80
    assert number(facts.get("weight"), "weight") == 0.5
    assert facts.get("properties").lower().startswith("finesse, light, thrown")


def test_armor_goes_by_its_noun() -> None:
    book = FactBook.build(parse_rulebook(STYLES["setext"]))
    assert one(book, "lamellar armor") == one(book, "Lamellar")
    assert one(book, "lamellar").group == "Heavy Armor"
    revised = FactBook.build(parse_rulebook(STYLES["revised"]))
    assert one(revised, "quilt") == one(revised, "Quilt Armor")


def test_an_action_list_with_its_own_heading_belongs_to_the_stat_block() -> None:
    book = FactBook.build(parse_rulebook(STYLES["revised"]))
    assert book.named("Actions") == ()
    assert dict(one(book, "marsh imp").traits) == {"sting": "Melee Attack Roll: +5, reach 5 ft.", "bog step": "The imp ignores difficult terrain."}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # a value on the next line, a wrapped one, one behind a break
        ("# A\n\n**Casting Time:**\n1 action", {"casting time": "1 action"}),
        ("# A\n\n**Components:** V, S, M (a twig\nand a leaf)\n**Range:** Touch", {"components": "V, S, M (a twig and a leaf)", "range": "Touch"}),
        ("# A\n\n**Range:** Touch<br>**Duration:** 1 hour", {"range": "Touch", "duration": "1 hour"}),
        ("# A (Potion, common)\n\nText.", {"type": "Potion", "rarity": "common", "attunement": "no"}),
        # another school is one where the entry is a spell's
        ("# A\n\n*2nd-level chronomancy*\n\n**Casting Time:** 1 action", {"level": "2nd", "school": "chronomancy", "ritual": "no", "casting time": "1 action"}),
        ("# A\n\n*2nd-level chronomancy*\n\nText.", None),
        # what stands in a fence is no text of the book
        ("# A\n\n```\n**Range:** Touch\n```", None),
        ("# A\n\nOnly prose. It has a cost: 5 gp.", None),
        ("# A\n\n**Cost:** 5 gp\n**Cost:** 7 gp", {"cost": "5 gp"}),
        ("# A\n\n**Cost:** —", None),
    ],
)
def test_fields_of_a_section(text: str, expected: dict[str, str] | None) -> None:
    found = read(text)
    assert (dict(found[0].fields) if found else None) == expected


def test_entries_inside_one_section_are_things_of_their_own() -> None:
    found = read(STYLES["quoted"])
    assert [facts.name for facts in found if facts.get("challenge rating")] == ["Marsh Imp", "Old Toad"]


def test_prose_under_a_label_is_a_trait() -> None:
    (facts,) = read("# Elf\n\n***Speed.*** Your speed is 30 feet. You run.\n\n**Age:** " + "Elves live for a very long time. They grow old late. " * 4)
    assert facts.fields == ()
    assert facts.traits == (("speed", "Your speed is 30 feet."), ("age", "Elves live for a very long time."))


def test_rows_in_an_entry_are_its_forms() -> None:
    found = read("# Bear Man\n\n*Medium humanoid, neutral*\n\n**Armor Class** 10\n\n**Hit Points** 9\n\n| Form | AC |\n|---|---|\n| Bear | 11 |")
    assert [facts.name for facts in found] == ["Bear Man", "Bear Man: Bear"]


def test_a_class_has_what_stands_below_it() -> None:
    text = (
        "# Classes\n\n## Warden\n\nText.\n\n### Class Features\n\n#### Hit Points\n\n**Hit Dice:** 1d10 per warden level\n\n#### Proficiencies\n\n**Armor:** Light\n\n"
        "## Mage\n\nText.\n\n### Class Features\n\n#### Hit Points\n\n**Hit Dice:** 1d6 per mage level\n\n#### Proficiencies\n\n**Armor:** None\n\n**Weapons:** Clubs\n"
    )
    book = FactBook.build(parse_rulebook(text))
    assert [(f.origin, dict(f.fields)) for f in book.named("Warden")] == [("below", {"hit dice": "1d10 per warden level", "armor": "Light"})]
    assert one(book, "mage").get("weapons") == "Clubs"


def test_a_list_of_alike_things_is_not_one_thing() -> None:
    text = "# Gear\n\n" + "\n\n".join(f"## Thing {at}\n\n**Cost:** {at} gp\n**Weight:** {at} lb." for at in range(1, 6))
    assert FactBook.build(parse_rulebook(text)).named("Gear") == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("takes 8d6 fire damage, or 10 (3d6) psychic damage", ("fire", "psychic")), ("an extra 2d6 + 3 cold damage", ("cold",)),
        ("Acid damage equal to your level", ("acid",)), ("takes 3d6 damage", ()), ("2d6 extra damage", ()), ("fire damage", ()), ("8d6 void damage", ("void",)),
    ],
)
def test_damage_types(text: str, expected: tuple[str, ...]) -> None:
    assert damage_types(text) == expected


_odd = st.sampled_from((
    *LINES, "**Cost:** 5 gp", "**Armor Class** 15", "*3rd-level evocation*", "*Small fiend, neutral evil*", "| STR | DEX |", "|---|---|", "| 10 | 11 |", "> **Range:** 5 ft", "**Bold line**",
    "> ## Imp", "STR DEX CON INT WIS CHA", "10 11 12 13 14 15", "***Trait.*** Text. More.", "**Label:**", "**A:** (", "<b>x:</b> y<br>**Z:** 1", "# H", "## Actions", "- Ember",
))


@given(st.lists(st.one_of(_odd, st.text(max_size=40)), max_size=20).map("\n".join))
def test_any_text_is_read(text: str) -> None:
    if not text.strip():
        return
    sections = parse_rulebook(f"# A\n{text}")
    book = FactBook.build(sections)
    for facts in book.facts:
        assert facts.name
        assert facts.section_id in sections
        names = [name for name, _ in facts.fields]
        assert len(names) == len(set(names))
        assert all(name and value for name, value in facts.fields)
    assert FactBook.load(book.dump(), sections).facts == book.facts
