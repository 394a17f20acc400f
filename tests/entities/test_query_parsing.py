"""A query as search reads it: mended words, what is stated, what is unknown, what is left."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import settings as deadline
from hypothesis import strategies as st

from mvp_site.content.types import EntityType
from mvp_site.entities.query_parsing import READ_CHARS, EntityQuery, EntityQueryReader
from mvp_site.retrieval.filters import as_filters
from mvp_site.text.names import words

from .small_stock import small_index

T = EntityType


def reader() -> EntityQueryReader:
    return small_index()._now()._reader


def read(query: str, type_: EntityType = T.SPELLS, *, bind: bool = False) -> EntityQuery:
    return reader().read(query, type_, bind=bind)


@pytest.mark.parametrize(("query", "mended"), [
    ("Ember Lash", "ember lash"), ("gentel mending", "gentle mending"), ("hollow footsteeps", "hollow footsteps"),
    ("Speak  with\tRivers", "speak with rivers"), ("", ""), ("   ", ""), ("coals", "coals"),
    ("one, two", "one, two"),
    ("x" * (READ_CHARS + 50), "x" * READ_CHARS),
])
def test_words_are_mended_by_the_names(query: str, mended: str) -> None:
    assert words(reader().mend(query)) == words(mended)


@pytest.mark.parametrize(("type_", "query", "filters", "rest"), [
    (T.SPELLS, "level 3 ritual", {"level": 3, "ritual": True}, ""), (T.SPELLS, "frost veil", {}, ""),
    (T.SPELLS, "druid spells that mend", {"classes": "druid"}, "spells that mend"), (T.MONSTERS, "ash wyrm", {}, ""),
    (T.MONSTERS, "dragon", {"type": "dragon"}, ""), (T.WEAPONS, "pocket crossbow", {}, ""),
    (T.FEATS, "level 3 dragon", {}, ""), (T.CLASSES, "druid", {}, ""), (T.SUBCLASSES, "druid", {"class": "druid"}, ""),
    (T.TRAITS, "marshfolk", {"races": "marshfolk"}, ""),
    (T.MONSTERS, "undead that write names", {"type": "undead"}, "that write names"),
])
def test_what_is_stated_depends_on_the_type(type_: EntityType, query: str, filters: dict[str, object], rest: str) -> None:
    for bind in (False, True):
        asked = read(query, type_, bind=bind)
        assert as_filters(asked.constraints) == filters
        assert asked.bound is (bind and bool(filters))
        assert asked.text == (rest or query)


def test_what_is_stated_is_taken_out_where_more_is_left() -> None:
    for bind in (False, True):
        asked = read("level 3 ward of bark", bind=bind)
        assert asked.text == "ward of bark"
        assert "level" not in asked.words
    only = read("show me all level 3 spells", bind=True)
    assert only.only_stated
    assert only.bound
    assert not read("level 3 ward of bark", bind=True).only_stated
    assert not read("show me all level 3 spells").only_stated


def test_names_of_the_other_types_that_are_asked_state_nothing() -> None:
    beside = reader().read("druid", T.SUBCLASSES, bind=True, groups=(T.SUBCLASSES, T.CLASSES))
    assert not beside.constraints  # it is the name of a class
    assert reader().read("druid", T.SUBCLASSES, bind=True).constraints


def test_articles_in_front_are_no_words_and_terms_are_once() -> None:
    asked = read("the frost veil frost")
    assert asked.words == ("frost", "veil", "frost")
    assert len(asked.terms) == len(set(asked.terms))
    assert (read("").text, read("?").text) == ("", "?")


@deadline(max_examples=150, deadline=None)
@given(st.text(max_size=120) | st.lists(st.sampled_from(
    ["level", "3", "ember", "lash", "druid", ",", "ritual", "no", "or", "embr", "\0", "½", "the", "İ", "ﬁ"]), max_size=20,
).map(" ".join), st.sampled_from(EntityType), st.booleans())
def test_any_text_is_read(query: str, type_: EntityType, bind: bool) -> None:
    mended = reader().mend(query)
    asked = reader().read(query, type_, bind=bind, groups=(type_, T.FEATS))
    assert asked.bound == (bind and bool(asked.constraints))
    assert bool(asked.text) == bool(mended)
