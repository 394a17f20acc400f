"""The SRD's own entities: every name finds its own, filters hold, and it is built as one release."""

from __future__ import annotations

import pytest

from mvp_site.content.srd_documents import srd_documents
from mvp_site.content.types import EntityType
from mvp_site.entities.build import build_entities
from mvp_site.entities.index import EntityIndex
from mvp_site.srd import ATTRIBUTION, load_srd

from ..hashing import HashingEncoder
from .small_stock import settings_in, slugs

pytestmark = pytest.mark.slow

T = EntityType


@pytest.fixture(scope="module")
def srd(tmp_path_factory: pytest.TempPathFactory) -> EntityIndex:
    """The SRD as it is built and opened, with the double."""
    settings = settings_in(tmp_path_factory.mktemp("srd"))
    manifest = build_entities(settings, encoder=HashingEncoder())
    assert manifest.entities > 1_500
    return EntityIndex.open(settings, encoder=HashingEncoder())


def test_every_type_is_there_and_the_srd_is_attributed(srd: EntityIndex) -> None:
    held = {type_: len(documents) for type_, documents in srd_documents(load_srd()).items()}
    assert srd.manifest.types == held
    assert set(held) == set(EntityType)
    (document,) = srd.list_documents()
    assert document["document"] == "SRD 5.1"
    assert document["attribution"] == ATTRIBUTION
    assert document["entities"] == sum(held.values())
    assert document["types"] == held


@pytest.mark.parametrize("type_", [T.SPELLS, T.MONSTERS, T.WEAPONS, T.MAGIC_ITEMS, T.CONDITIONS, T.RACES])
def test_every_name_finds_its_own_first_even_where_it_states_something(srd: EntityIndex, type_: EntityType) -> None:
    lost = []
    for entity in srd.search_entities(type_, limit=1_000)[::3]:
        for bind in (False, True):
            found = srd.search_entities(type_, entity["name"], limit=5, bind_stated=bind)
            best = [one for one in found if one["_score"] == found[0]["_score"]]
            if entity["slug"] not in slugs(best):  # type: ignore[arg-type]
                lost.append((entity["name"], bind, slugs(found)))
    assert lost == []


@pytest.mark.parametrize(("type_", "query", "slug"), [
    (T.SPELLS, "fire ball", "fireball"), (T.SPELLS, "magic misile", "magic-missile"), (T.SPELLS, "firebal", "fireball"),
    (T.MONSTERS, "owl bear", "owlbear"), (T.MONSTERS, "goblins", "goblin"), (T.MONSTERS, "tarasque", "tarrasque"),
    (T.WEAPONS, "crossbow, light", "crossbow-light"), (T.WEAPONS, "light crossbow", "crossbow-light"),
    (T.MAGIC_ITEMS, "bag of holdin", "bag-of-holding"), (T.CONDITIONS, "paralysed", "paralyzed"),
])
def test_names_as_people_write_them(srd: EntityIndex, type_: EntityType, query: str, slug: str) -> None:
    assert slugs(srd.search_entities(type_, query))[:1] == [slug]
