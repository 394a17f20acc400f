"""What is indexed of an entity: every text speaks, as windows under its name and as terms."""

from __future__ import annotations

from typing import Any

import pytest

from mvp_site.content.document import values_of
from mvp_site.content.types import EntityType
from mvp_site.entities.passages import NAME_WEIGHT, parts, terms_of, windows_of
from mvp_site.text.normalising import stem

from ..hashing import HashingEncoder
from .small_stock import index_of, stock

T = EntityType
DRAKE: dict[str, Any] = {
    "slug": "kiln-drake", "name": "Kiln Drake", "document": "d", "size": "Large", "type": "dragon",
    "challenge_rating": 6, "desc": ["Potters fear it.", "It bakes clay."],
    "special_abilities": [{"name": "Glaze", "desc": "Its scales are slick as porcelain."}],
    "actions": [{"name": "Shatter", "desc": "Shards fly in every direction."}],
    "legendary_actions": [{"name": "Stoke", "desc": "The furnace roars."}],
    "reactions": [{"name": "Flinch", "desc": "It recoils from water."}],
    "sections": [{"name": "Lair", "desc": "Old brickworks by canals."}],
}
SPELL: dict[str, Any] = {"slug": "s", "name": "Clay Hand", "document": "d", "level": 2, "desc": "Mud grips ankles.",
                         "higher_level": "Upcasting lengthens the squeeze."}


def test_the_card_comes_first_then_each_text_under_its_name() -> None:
    found = list(parts(T.MONSTERS, DRAKE))
    assert [name for name, _ in found] == ["", "", "Glaze", "Shatter", "Stoke", "Flinch", "Lair"]
    assert "dragon" in found[0][1]
    assert found[1][1] == "Potters fear it.\n\nIt bakes clay."
    assert [name for name, _ in parts(T.SPELLS, SPELL)] == ["", "", "At higher levels"]


@pytest.mark.parametrize(("query", "type_", "document"), [
    *((word, T.MONSTERS, DRAKE) for word in ("porcelain", "shards", "furnace", "recoils", "brickworks", "potters")),
    ("squeeze", T.SPELLS, SPELL), ("ankles", T.SPELLS, SPELL),
])
def test_every_text_is_in_both_lanes(query: str, type_: EntityType, document: dict[str, Any]) -> None:
    windows, _ = windows_of(type_, document, HashingEncoder())
    mine = [window for window in windows if query in window.casefold()]
    assert mine
    assert all(document["name"] in window for window in windows)
    assert stem(query) in terms_of(type_, document)
    index = index_of({**stock(), type_: (*stock()[type_], document)})
    assert document["slug"] in [slug for slug, _ in index.scored(type_, query)[:3]]


def test_a_long_text_is_not_cut() -> None:
    words = [f"word{n}" for n in range(3_000)]
    long = {**SPELL, "desc": " ".join(words)}
    windows, card = windows_of(T.SPELLS, long, HashingEncoder())
    assert card == 1
    assert len(windows) > 10
    assert {word for window in windows for word in window.split()} >= set(words)
    assert {*words} <= {*terms_of(T.SPELLS, long)}


def test_the_name_counts_more_than_once_and_an_entity_without_text_has_its_card() -> None:
    bare = {"slug": "x", "name": "Plumb Bob", "document": "d", "cost": 3}
    assert terms_of(T.EQUIPMENT, bare).count("plumb") >= NAME_WEIGHT
    windows, card = windows_of(T.EQUIPMENT, bare, HashingEncoder())
    assert len(windows) == card >= 1
    minimal = {"slug": "x", "name": "X", "document": "d"}
    for type_ in EntityType:
        assert windows_of(type_, minimal, HashingEncoder())[0]


def test_values_are_folded_and_a_flag_that_is_missing_is_false() -> None:
    values = values_of(T.SPELLS, {"name": "A-B", "slug": "a-b", "level": 3, "school": "EVOCATION",
                                  "classes": ["Wizard", "wizard", "Cleric"], "ritual": True, "unknown": 1})
    assert (values["level"], values["school"], values["classes"]) == (3.0, "evocation", ("wizard", "cleric"))
    assert (values["ritual"], values["concentration"]) == (True, False)
    assert (values["name"], values["slug"]) == ("a b", "a b")
    assert "unknown" not in values
    assert "save" not in values
