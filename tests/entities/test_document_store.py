"""The catalogue: numbers, order, slugs and copies; and the values that results are made with."""

from __future__ import annotations

import re

import pytest

from mvp_site.content.slugs import slug_of
from mvp_site.content.types import EntityType
from mvp_site.entities.document_store import DocumentStore
from mvp_site.entities.release import in_order
from mvp_site.errors import EntityDataError

T = EntityType


@pytest.mark.parametrize("name", ["ΐ", "Ὦ ΰ", "Straße", "İzmir", "вий"])
def test_a_slug_is_found_as_it_is_and_in_capitals(name: str) -> None:
    slug = slug_of(name)
    catalogue = DocumentStore(in_order({T.SPELLS: [{"name": name}]}))
    assert catalogue.slugs == [slug]
    for said in (slug, slug.upper(), f" {slug}\n"):
        assert catalogue.number(T.SPELLS, said) == 0


@pytest.mark.parametrize(("documents", "says"), [
    ({}, "there is no entity to make an index of"),
    ({T.SPELLS: []}, "there is no entity to make an index of"),
    ({T.SPELLS: [{"name": "X"}, {}]}, "spells: document 2: name: is missing"),
    ({T.SPELLS: [{"slug": "x", "name": " "}]}, "spells: document 1: name: is missing"),
    ({T.SPELLS: [{"name": "?!"}]}, 'spells: document 1: slug: is missing, and the name "?!" has no letter or digit'),
    ({T.SPELLS: [{"name": "X"}, {"name": "x!"}]}, 'spells: document 2: slug: "x" is also that of "X"'),
])
def test_what_can_not_be_indexed_is_told(documents: dict[T, list[dict[str, object]]], says: str) -> None:
    with pytest.raises(EntityDataError, match=re.escape(says)):
        in_order(documents)
