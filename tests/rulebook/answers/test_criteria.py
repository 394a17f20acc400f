"""Criteria: what words mean is read from the book, and what meets them is found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.rulebook.answers.criteria import Criterion, as_table, find
from mvp_site.rulebook.answers.criteria_reading import read_criteria
from mvp_site.rulebook.markdown import parse_rulebook
from mvp_site.rulebook.reading.fact_book import FactBook

from ..fact_styles import QUOTED, SETEXT, STYLES


@pytest.fixture(scope="module")
def book() -> FactBook:
    return FactBook.build(parse_rulebook(SETEXT))


def names(book: FactBook, *texts: str) -> list[str]:
    return [match.facts.name for match in find(book, read_criteria(texts, book).criteria)]


@pytest.mark.parametrize(
    ("text", "criteria", "found"),
    [
        # levels
        ("3rd level", ["level = 3"], ["Ember Lance", "Reed Cage"]), ("level 3", ["level = 3"], ["Ember Lance", "Reed Cage"]), ("third-level spells", ["level = 3", "kind: spell"], ["Ember Lance", "Reed Cage"]),
        ("cantrip", ["level: cantrip"], ["Pale Spark"]), ("level 2 or lower", ["level <= 2"], ["Pale Spark"]), ("between level 1 and 3", ["level >= 1", "level <= 3"], ["Ember Lance", "Reed Cage"]),
        ("spells of levels 0-2", ["kind: spell", "level >= 0", "level <= 2"], ["Pale Spark"]), ("at least level 1", ["level >= 1"], ["Ember Lance", "Reed Cage"]), ("level <= 2", ["level <= 2"], ["Pale Spark"]),
        # spells
        ("evocation", ["school: evocation"], ["Ember Lance", "Pale Spark"]), ("school: conjuration", ["school: conjuration"], ["Reed Cage"]), ("ritual", ["ritual: yes"], ["Reed Cage"]),
        ("spells that are not rituals", ["kind: spell", "not ritual: yes"], ["Ember Lance", "Pale Spark"]), ("concentration", ["duration: concentration"], ["Reed Cage"]),
        ("spells without concentration", ["kind: spell", "not duration: concentration"], ["Ember Lance", "Pale Spark"]), ("bonus action", ["casting time: bonus action"], ["Reed Cage"]),
        ("casting time: 1 bonus action", ["casting time: bonus action"], ["Reed Cage"]), ("range 120 feet", ["range = 120 feet"], ["Ember Lance"]), ("range of touch", ["range: touch"], ["Reed Cage"]),
        ("range of at least 60 feet", ["range >= 60 feet"], ["Ember Lance"]), ("spells with material components", ["kind: spell", "components: m"], ["Ember Lance"]),
        ("hedge mage spell", ["classes: hedge mage", "kind: spell"], ["Ember Lance", "Pale Spark"]), ("lasts at most 1 minute", ["duration <= 1 minute"], ["Reed Cage"]),
        ("3rd-level evocation spells of the hedge mage", ["level = 3", "school: evocation", "kind: spell", "classes: hedge mage"], ["Ember Lance"]),
        ("evocation or conjuration, level 3", ["school: evocation or conjuration", "level = 3"], ["Ember Lance", "Reed Cage"]),
        ("evocation and conjuration spells", ["school: evocation or conjuration", "kind: spell"], ["Ember Lance", "Pale Spark", "Reed Cage"]),
        ("deals fire damage", ["damage type: fire"], ["Ember Lance"]), ("spells dealing cold damage", ["kind: spell", "damage type: cold"], ["Pale Spark"]),
        # creatures
        ("CR 2", ["challenge rating = 2"], ["Old Toad"]), ("CR 1/2", ["challenge rating = 1/2"], ["Marsh Imp"]), ("CR 1 or lower", ["challenge rating <= 1"], ["Marsh Imp"]),
        ("challenge rating at least 2", ["challenge rating >= 2"], ["Old Toad"]), ("cr < 1", ["challenge rating < 1"], ["Marsh Imp"]), ("beasts", ["type: beasts"], ["Old Toad"]),
        ("Large", ["size: large"], ["Old Toad"]), ("medium or smaller creatures", ["size <= medium", "kind: creature"], None), ("monsters that can fly", ["kind: creature", "speed: fly"], ["Marsh Imp"]),
        ("flying", ["speed: flying"], ["Marsh Imp"]), ("fly speed of at least 40 feet", ["speed (fly) >= 40 feet"], ["Marsh Imp"]), ("darkvision 120 feet", ["senses (darkvision) = 120 feet"], ["Marsh Imp"]),
        ("darkvision of 60 feet or less", ["senses (darkvision) <= 60 feet"], []), ("immune to fire", ["damage immunities: fire"], ["Marsh Imp"]), ("speaks murk", ["languages: murk"], ["Marsh Imp"]),
        ("more than 20 hit points", ["hit points > 20"], ["Old Toad"]), ("AC 13 or higher", ["armor class >= 13"], ["Lamellar", "Marsh Imp"]), ("evil monsters", ["alignment: evil", "kind: creature"], ["Marsh Imp"]),
        ("creatures with bog step", ["kind: creature", "trait: bog step"], ["Marsh Imp"]), ("monsters that do not fly", ["kind: creature", "not speed: fly"], ["Old Toad"]),
        # items
        ("rare", ["rarity: rare"], ["Cloak of Reeds"]), ("uncommon or better items", ["rarity >= uncommon", "kind: item"], ["Cloak of Reeds", "Flask of Dawn"]), ("requires attunement", ["attunement: yes"], ["Cloak of Reeds"]),
        ("no attunement", ["not attunement: yes"], ["Flask of Dawn"]), ("potions", ["type: potions"], ["Flask of Dawn"]), ("magic items for a warden", ["kind: magic item", "attunement: warden"], ["Cloak of Reeds"]),
        ("under 5 gp", ["cost < 5 gp"], ["Thorn"]), ("costs at most 5 gp", ["cost <= 5 gp"], ["Quilt", "Thorn", "War pole"]), ("cheaper than 1 gp", ["cost < 1 gp"], ["Thorn"]), ("worth more than 100 gold pieces", ["cost > 100 gold"], ["Lamellar"]),
        ("weighs less than 5 lb", ["weight < 5 lb"], ["Long hook", "Thorn"]), ("finesse", ["properties: finesse"], ["Thorn"]), ("two-handed weapons", ["properties: two handed", "kind: weapon"], ["War pole"]),
        ("weapons that deal slashing damage", ["kind: weapon", "damage type: slashing"], ["Long hook"]), ("heavy armor", ["group: heavy armor"], ["Lamellar"]), ("armor with stealth disadvantage", ["kind: armor", "stealth: disadvantage"], ["Lamellar", "Quilt"]),
        ("weapons under 10 gp", ["kind: weapon", "cost < 10 gp"], ["Thorn", "War pole"]), ("weapons with a cost of 5 gp", ["kind: weapon", "cost = 5 gp"], ["War pole"]), ("cost >= 15 gp", ["cost >= 15 gp"], ["Lamellar", "Long hook"]), ("weapons with properties", ["kind: weapon", "properties"], ["Long hook", "Thorn", "War pole"]),
    ],
)
def test_words(book: FactBook, text: str, criteria: list[str], found: list[str] | None) -> None:
    reading = read_criteria([text], book)
    assert [str(criterion) for criterion in reading.criteria] == criteria
    assert reading.unread == ()
    if found is not None:
        assert names(book, text) == found


@pytest.mark.parametrize(
    ("text", "criteria", "unread"),
    [
        ("purple monkeys", [], ("purple", "monkeys")), ("spells that heal", ["kind: spell"], ("heal",)), ("", [], ()), ("the of and", [], ()), ("5", [], ("5",)), ("gp", [], ("gp",)),
        ("Ember Lance", [], ("ember", "lance")), ("<= 5", [], ("5",)), ("level", [], ("level",)), ("not", [], ()), ("ring: :::", [], ("ring",)),
    ],
)
def test_words_that_are_no_criterion_are_told(book: FactBook, text: str, criteria: list[str], unread: tuple[str, ...]) -> None:
    reading = read_criteria([text], book)
    assert [str(criterion) for criterion in reading.criteria] == criteria
    assert reading.unread == unread


def test_criteria_of_several_texts_hold_together(book: FactBook) -> None:
    assert names(book, "hedge mage", "level 3", "fire") == ["Ember Lance"]
    assert names(book, "level 3", "level 3") == ["Ember Lance", "Reed Cage"]


def test_no_criterion_meets_nothing(book: FactBook) -> None:
    assert find(book, ()) == ()
    assert names(book, "purple monkeys") == []


def test_a_match_has_the_values_that_met_it(book: FactBook) -> None:
    (match,) = find(book, read_criteria(["CR 2 beasts"], book).criteria)
    assert match.values == (("challenge rating", "2"), ("type", "beast"))


def test_the_words_that_asked_are_kept(book: FactBook) -> None:
    reading = read_criteria(["Beasts of CR 1 or higher"], book)
    assert reading.criteria == (
        Criterion("type", "is", ("beasts",), "beasts"),
        Criterion("challenge rating", ">=", ("1",), "cr 1 or higher"),
    )


def test_as_table(book: FactBook) -> None:
    criteria = read_criteria(["evocation", "level 3 or lower"], book).criteria
    table = as_table(find(book, criteria), criteria, book)
    assert table.title == "2 found (school: evocation; level <= 3)"
    assert table.columns == ("name", "school", "level", "where")
    assert table.rows[0] == ("Ember Lance", "evocation", "3rd", "Magic > Spell Descriptions > Ember Lance")
    short = as_table(find(book, criteria), criteria, book, limit=1)
    assert (short.title, len(short.rows), len(short.section_ids)) == ("2 found, the first 1 (school: evocation; level <= 3)", 1, 1)


def test_another_game_is_understood_by_its_own_words() -> None:
    text = "\n\n".join(
        f"## {name}\n\n*{level}-level {school}*\n\n**Casting Time:** 1 breath\n\n**Guild:** {guild}"
        for name, level, school, guild in (("Slow", "2nd", "chronomancy", "Clockmakers"), ("Halt", "3rd", "chronomancy", "Clockmakers"), ("Bloom", "2nd", "florimancy", "Gardeners"), ("Wilt", "3rd", "florimancy", "Gardeners"))
    )
    book = FactBook.build(parse_rulebook(f"# Powers\n\n{text}"))
    assert names(book, "2nd-level chronomancy") == ["Slow"]
    assert names(book, "florimancy of the gardeners, level 3") == ["Wilt"]
    assert names(book, "guild: clockmakers") == ["Halt", "Slow"]


@pytest.mark.parametrize("style", STYLES)
def test_in_every_style(style: str) -> None:
    book = FactBook.build(parse_rulebook(STYLES[style]))
    assert names(book, "evocation spells") == ["Ember Lance", "Pale Spark"]
    assert names(book, "cantrips") == ["Pale Spark"]
    assert names(book, "3rd level, bonus action") == ["Reed Cage"]
    assert names(book, "monsters of CR 1 or lower that can fly") == ["Marsh Imp"]
    assert names(book, "rare wondrous items with attunement") == ["Cloak of Reeds"]
    assert names(book, "potions without attunement") == ["Flask of Dawn"]
    assert names(book, "immune to fire") == ["Marsh Imp"]
    assert names(book, "hedge mage cantrips") == ["Pale Spark"]


def test_a_row_and_a_section_of_one_thing_are_one_match() -> None:
    text = "# Weapons\n\n| Name | Cost | Damage |\n|---|---|---|\n| Hook | 1 gp | 1d4 slashing |\n| Pike | 2 gp | 1d8 piercing |\n\n## Hook\n\n**Cost:** 1 gp\n**Damage:** 1d4 slashing"
    book = FactBook.build(parse_rulebook(text))
    assert [(match.facts.name, match.facts.origin) for match in find(book, read_criteria(["under 5 gp"], book).criteria)] == [("Hook", "section"), ("Pike", "row")]


_words = st.sampled_from((
    "level", "3", "3rd", "or", "lower", "between", "and", "1", "to", "5", "CR", "1/2", "gp", "under", "not", "without", "ritual", "evocation", "fire", "damage", "immune", "spells", "cost", ":", "=", "<",
    "fly", "speed", "feet", "of", "at", "least", "potion", "rare", "better", "heavy", "armor", "weapons", "with", "no", "darkvision", ",", "cantrips", "the", "1/0", "999999999999", "magic", "item", "\x00", "é",
))


@given(st.lists(st.lists(_words, max_size=12).map(" ".join), max_size=3))
def test_any_words_are_read(book_texts: list[str]) -> None:
    book = _quoted_book()
    reading = read_criteria(book_texts, book)
    found = find(book, reading.criteria)
    as_table(found, reading.criteria, book).markdown()
    assert [match.facts.name.lower() for match in found] == sorted(match.facts.name.lower() for match in found)
    assert all(str(criterion) and criterion.words for criterion in reading.criteria)


@given(st.text(max_size=120))
def test_any_text_is_read(text: str) -> None:
    book = _quoted_book()
    find(book, read_criteria([text], book).criteria)


_books: list[FactBook] = []


def _quoted_book() -> FactBook:
    if not _books:
        _books.append(FactBook.build(parse_rulebook(QUOTED)))
    return _books[0]
