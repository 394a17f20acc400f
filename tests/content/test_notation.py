"""Filters as people type them: read as what searches take, and written back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.content.notation import read_filters, write_filters
from mvp_site.content.types import EntityType, fields_of
from mvp_site.errors import FilterError

SPELLS = fields_of(EntityType.SPELLS)
MONSTERS = fields_of(EntityType.MONSTERS)


@pytest.mark.parametrize(("written", "read"), [
    (["level=3"], {"level": 3.0}), ([" level = 3 "], {"level": 3.0}), (["level=1,2, 3"], {"level": [1.0, 2.0, 3.0]}),
    (["level=1..3"], {"level": {"min": 1.0, "max": 3.0}}), (["level=2.."], {"level": {"min": 2.0}}), (["level=..2"], {"level": {"max": 2.0}}),
    (["level_min=2", "level_max=4"], {"level_min": 2.0, "level_max": 4.0}), (["level=1", "level=2", "level=1"], {"level": [1.0, 2.0]}),
    (["school=evocation,illusion"], {"school": ["evocation", "illusion"]}), (['name="Lance, Ember",Rain'], {"name": ["Lance, Ember", "Rain"]}),
    (['name="a ""b"""'], {"name": 'a "b"'}), (["name=a=b"], {"name": "a=b"}), (["name=1..2"], {"name": "1..2"}),
    (["name~bolt, of"], {"name": {"contains": "bolt, of"}}), (["ritual=yes", "concentration=FALSE"], {"ritual": True, "concentration": False}),
    (["casting-time=1 action"], {"casting_time": "1 action"}), (["class=Wizard"], {"class": "Wizard"}), (["ritual=perhaps"], {"ritual": "perhaps"}),
    (["level=five"], {"level": "five"}), (["nonsense=1"], {"nonsense": "1"}), ([], {}), (["school=,"], {"school": ","}),
])
def test_filters_are_read(written: list[str], read: dict[str, Any]) -> None:
    assert read_filters(written, SPELLS) == read


@pytest.mark.parametrize(("written", "says"), [
    (["level"], "'level' is no filter: write key=value"), ([""], "'' is no filter"), (["=3"], "is no filter"), (["level="], "level= has no value"), (["name~ "], "name~ has no value"),
    (["level=1", "level=2..3"], "level is given twice"), (["name~a", "name~b"], "name is given twice"),
])
def test_what_is_no_filter_is_said(written: list[str], says: str) -> None:
    with pytest.raises(FilterError, match=says):
        read_filters(written, SPELLS)


texts = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1).map(str.strip).filter(lambda text: text.strip(', "'))
numbers = st.floats(-1e6, 1e6).map(lambda value: round(value, 3))
values = st.one_of(
    st.tuples(st.just("level"), numbers), st.tuples(st.just("ritual"), st.booleans()), st.tuples(st.just("school"), texts),
    st.tuples(st.just("school"), st.lists(texts, min_size=2, unique=True)), st.tuples(st.just("name"), texts.map(lambda text: {"contains": text})),
    st.tuples(st.just("level"), st.tuples(numbers, numbers).map(lambda ends: {"min": min(ends), "max": max(ends)})), st.tuples(st.just("level"), numbers.map(lambda end: {"max": end})),
)


@given(st.lists(values, unique_by=lambda pair: pair[0]).map(dict))
def test_what_is_written_is_read_as_the_same(filters: dict[str, Any]) -> None:
    assert read_filters(write_filters(filters), SPELLS) == filters


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        found = read_filters([text], SPELLS)
    except FilterError:
        return
    assert len(found) == 1
