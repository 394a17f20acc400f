"""The tables of the default book, made of typed records."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mvp_site.content.srd_documents import srd_documents
from mvp_site.content.types import EntityType
from mvp_site.rulebook import build
from mvp_site.rulebook.intentions import Intention
from mvp_site.rulebook.name_index import TitleIndex, WordIndex
from mvp_site.rulebook.query_parsing import RulebookQuery, RulebookQueryReader
from mvp_site.rulebook.results import Promise
from mvp_site.rulebook.sections import Sections
from mvp_site.rulebook.srd_tables import SrdTables
from mvp_site.rulebook.srd_things import CHAPTERS, SrdEntity, srd_things
from mvp_site.srd import Srd

from .small_book import opened

Ask = Callable[..., Promise]


@pytest.fixture(scope="module")
def things(srd: Srd, sections: Sections) -> tuple[SrdEntity, ...]:
    return srd_things(srd, sections)


@pytest.fixture(scope="module")
def ask(sections: Sections, things: tuple[SrdEntity, ...]) -> Ask:
    mentions = WordIndex.build(sections)
    reader = RulebookQueryReader(sections, TitleIndex(sections), mentions)
    tables = SrdTables(things, sections)

    def asked(intention: str | None, *entities: str, words: str = "") -> Promise:
        query = RulebookQuery(query=words, entities=entities, intention=intention and Intention(intention))
        return tables.promise(reader.read(query))

    return asked


def test_every_record_has_its_section(srd: Srd, sections: Sections, things: tuple[SrdEntity, ...]) -> None:
    documents = srd_documents(srd)
    for type_ in set(CHAPTERS) - {EntityType.FEATURES}:
        assert len([one for one in things if one.type is type_]) == len(documents[type_]), type_
    named = [one for one in things if one.type is not EntityType.EQUIPMENT]
    assert all(one.name.partition(" (")[0] in sections[one.section_id].title for one in named)


def test_a_recipe_knows_what_tables_are_made_of(monkeypatch: pytest.MonkeyPatch) -> None:
    srd, own = build.Manuscript("# A", "A", default=True), build.Manuscript("# A", "A")
    before = [build.recipe_of(one) for one in (srd, own)]
    monkeypatch.setattr(build, "srd_documents", lambda _: {})
    after = [build.recipe_of(one) for one in (srd, own)]
    assert [one == other for one, other in zip(before, after, strict=True)] == [False, True]


# intention, entities, words; the title, a row that is in the table, how many rows, a cited section
CASES = [
    ("compare_entities", ("longsword", "greatsword"), "", "Longsword and Greatsword: 4 fields differ",
     ("damage dice", "1d8 (1d10 with two hands)", "2d6"), 4, "equipment/weapons/martial-melee-weapons/longsword"),
    ("compare_entities", ("hold person", "hold monster"), "", "4 fields differ",
     ("level", "2nd", "5th"), 4, "spell-descriptions/hold-monster"),
    ("compare_entities", ("longsword", "longbow"), "", "fields differ",
     ("normal range", "5 ft", "150 ft"), 8, "equipment/weapons/martial-ranged-weapons/longbow"),
    ("compare_entities", (), "is chain mail better than plate", "Chain Mail and Plate Armor",
     ("armor class", "16", "18"), 4, "equipment/armor/heavy-armor/plate-armor"),
    ("level_progression", ("barbarian",), "", "The Barbarian Table",
     ("1st", "+2", "Rage, Unarmored Defense", "2", "2", "—"), 20, "classes/barbarian/the-barbarian-table"),
    ("level_progression", ("sneak attack",), "", "The Rogue Table", None, 20, "classes/rogue/the-rogue-table"),
    ("level_progression", ("champion",), "", "Champion: gained by level", None, 5,
     "classes/fighter/champion/survivor"),
    ("class_spell_access", ("fireball", "wizard"), "", "Who may cast it",
     ("Wizard", "Fireball", "3rd", "yes", "Fireball is among the spells of Wizard"), 1,
     "spell-lists/wizard-spells/3rd-level"),
    ("class_spell_access", ("fireball", "bard"), "", "Who may cast it",
     ("Bard", "Fireball", "3rd", "no", "Fireball is not on the spell list of Bard"), 1, "spell-lists/bard-spells/3rd-level"),
    ("class_spell_access", ("fireball",), "", "Classes of Fireball",
     ("Fireball", "3rd", "Sorcerer, Wizard", "The Fiend (Warlock at 5th level)"), 1,
     "classes/warlock/the-fiend/fiend-spells"),
    ("class_spell_access", ("life domain",), "", "Spells of Life Domain",
     ("Life Domain", "1st", "Bless, Cure Wounds"), 5, "classes/cleric/life-domain/life-domain-spells"),
    ("class_spell_access", ("wizard",), "", "Spells of Wizard", None, 10, "spell-lists/wizard-spells/9th-level"),
    ("cost_lookup", ("rope",), "", "Prices: rope", None, 2,
     "equipment/adventuring-gear/standard-gear/rope-silk-50-feet"),
    ("cost_lookup", ("armor",), "", "Prices: armor", None, 13, "equipment/armor/heavy-armor"),
    ("find_by_criteria", (), "CR 2 undead", "Monsters: 4 found (challenge 2; type undead)",
     ("Ghast", "2", "undead", "Monsters > Undead > Ghast"), 4, "monsters/undead/ghast"),
    ("find_by_criteria", ("spells",), "of level 3 that deal fire damage", "Spells: 2 found",
     ("Fireball", "Fire", "3rd", "Spell Descriptions > Fireball"), 2, "spell-descriptions/fireball"),
    ("find_by_criteria", ("armor",), "under 100 gp", "Armor: 9 found", None, 9, "equipment/armor/shields/shield"),
    ("find_by_criteria", ("legendary rings",), "", "Magic items: 5 found", None, 5,
     "magic-items/rings/ring-of-three-wishes"),
]


def test_the_promised_table(ask: Ask, sections: Sections) -> None:
    for intention, entities, words, title, row, count, cited in CASES:
        promise = ask(intention, *entities, words=words)
        (table,) = promise.tables
        assert title in table.title
        assert len(table.rows) == count, title
        assert row is None or row in table.rows
        assert {len(cells) for cells in table.rows} == {len(table.columns)}
        assert cited in table.section_ids
        assert [sections.at(number).id for number in promise.numbers] == list(table.section_ids)


def test_without_what_it_takes_there_is_no_table(ask: Ask) -> None:
    for intention, entities, words, note in (
        (None, ("longsword", "greatsword"), "", ""), ("describe_entity", ("longsword", "greatsword"), "", ""),
        ("compare_entities", ("longsword",), "", "a comparison takes two"),
        ("compare_entities", ("longsword", "fireball"), "", "a comparison takes two"),
        ("compare_entities", ("stunned", "prone"), "", "nothing to compare is told of stunned, prone"),
        ("level_progression", ("fireball",), "", ""), ("class_spell_access", ("longsword",), "", ""),
        ("cost_lookup", ("fireball",), "", ""), ("cost_lookup", (), "", ""), ("find_by_criteria", ("fire elemental",), "", ""),
        ("find_by_criteria", ("spells",), "that are fun", ""),
        ("find_by_criteria", (), "undead of CR 29", "Monsters: 0 meet challenge 29; type undead"),
    ):
        promise = ask(intention, *entities, words=words)
        assert (promise.tables, promise.numbers) == ((), ())
        assert note in promise.note


def test_a_table_of_a_book_of_ones_own_is_given_with_its_section() -> None:
    table = "| Name | Cost |\n| --- | --- |\n| Long blade | 15 gp |"
    response = opened(f"# Goods\n\nWares.\n\n## Blades\n\n{table}\n").query("cost_lookup", ["blades"])
    assert response.tables == ()
    assert table in response.text
