"""The entities' pages: tabs, facets, results with scores, chips, one entity whole; text is data; refusals are clear."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st
from werkzeug.datastructures import MultiDict

from mvp_site.content.types import EntityType, fields_of
from mvp_site.errors import BackendError
from mvp_site.web.entities import SNIPPET, card
from mvp_site.web.entities_forms import BrowseForm, facets_of, read_search

from .conftest import TOKEN, MakeApp
from .entity_doubles import DOCUMENTS, WordsIndex, spell
from .library_doubles import HereLibrary


@pytest.fixture
def index() -> WordsIndex:
    """An index that finds words."""
    return WordsIndex()


@pytest.fixture
def parts(index: WordsIndex) -> dict[str, Any]:
    return {"entities": index}


def test_a_search_goes_to_the_index_as_it_was_typed(local: FlaskClient, index: WordsIndex) -> None:
    local.get("/entities/spells?q=+fire+&level=2&level=3&concentration=true&class=Druid&range_feet_min=30&duration_contains=inst&page=2&save=")
    assert index.asked == [{
        "entity_type": "spells", "query": "fire", "limit": 20, "offset": 20, "bind_stated": False,
        "filters": {"level": [2.0, 3.0], "concentration": True, "class": "Druid", "range_feet_min": 30.0, "duration": {"contains": "inst"}},
    }]


def cards(page: str) -> list[str]:
    return re.findall(r'<(?:h3 id="result-\d+-head"|th scope="row")><a href="/entities/[\w-]+/([\w-]+)"', page)


NINE = "/entities/spells/compare?" + "&".join(f"slug=spell-{n}" for n in range(9))


@pytest.mark.parametrize(("path", "shows", "hides"), [
    ("/entities/spells?q=ember+lance", ("the best first", "A lance of fire flies at one creature. It burns.", 'class="value">'), ("Slot",)), ("/entities/spells", ("Our Table, in place of SRD 5.1",), ()),
    ("/entities/spells?like=ember-lance", ("Like Ember Lance", 'href="/entities/spells/ember-rain"'), ('<th scope="row"><a href="/entities/spells/ember-lance"',)),
    ("/entities?q=fire", ("/spells/ember-lance", "/magic-items/ring-of-dusk", "/conditions/soaked", 'href="/entities/magic-items?q=fire">Magic items</a>', 'href="/entities/monsters?q=fire"'), ()),
    ("/entities/monsters/bog-wyrm", (
        "<dt>Armor Class</dt><dd>12</dd>", "<dt>Speed</dt><dd>30 ft, fly 60 ft</dd>", "<dt>Senses</dt><dd>darkvision 60 ft</dd>", "Large dragon, neutral", "<dt>Challenge</dt><dd>6 (50 XP)</dd>", '<abbr title="Dexterity">DEX</abbr></dt><dd>15 <span>(+2)</span>',
        '8 <span>(−1)</span>', "<h2>Legendary actions</h2>", "<h2>Actions</h2>", "<h3>Breath (Recharge 5–6).</h3>", "It strikes.", "<h2>Reactions</h2>", 'href="/entities/monsters?immunities=Fire"', "monsters/bog-wyrm",
    ), ()),
    ("/entities/monsters/marsh-imp", ("<em>unseen</em>",), ()),
    ("/entities/spells/ember-lance", (
        "2nd-level evocation", "<dt>Casting Time</dt><dd>1 action</dd>", "<dt>Components</dt><dd>V, S</dd>", 'href="/entities/spells?school=Evocation"', "<strong>fire</strong>", "At higher levels</h2>", '<th scope="col">Slot</th>', "Table 1 of Ember Lance",
        'href="/entities/spells?classes=Wizard"', 'href="/entities/spells/ember-rain"', 'href="/entities/spells?like=ember-lance"',
    ), ("Range feet", "Ritual")),
    ("/entities/spells/lamp", ("in place of what SRD 5.1 has under this name",), ()), ("/entities/weapons/hook-blade", ("2 sp", "<dt>Damage</dt><dd>1d6 slashing</dd>"), ("<dt>Finesse</dt>",)),
    ("/entities/classes/reaver", ("<dt>Hit Die</dt><dd>d12</dd>", 'colspan="2" class="parts">Spell slots</th>', 'href="/entities/features?class=Reaver&amp;level=2">2</a></th><td>+2</td><td>–</td><td>3</td><td>1</td><td>—</td>'), ("<dt>Features</dt>",)),
    ("/entities/monsters/compare?slug=bog-wyrm&slug=marsh-imp&slug=bog-wyrm", (
        "Bog Wyrm</a>", "Marsh Imp</a>", "Armor Class</th><td>12</td><td>12</td>", "differs</span></span></th><td>Large dragon, neutral</td><td>Small humanoid (imp), neutral</td>", "Slip Away", "<td>–</td>",
    ), ("Tick two",)),
    ("/entities/monsters/compare", ("Tick two or more",), ("<table",)), ("/entities/monsters/compare?slug=bog-wyrm", ("Tick two or more", "Bog Wyrm</a>"), ("differs</span>",)),
])
def test_what_a_page_shows(whole: FlaskClient, path: str, shows: tuple[str, ...], hides: tuple[str, ...]) -> None:
    page = whole.get(path).text
    assert [text for text in shows if text not in page] == [text for text in hides if text in page] == []


def test_a_long_list_is_turned_sorted_and_compared(make_app: MakeApp) -> None:
    """Each with all that was asked."""
    client = make_app(entities=many()).test_client()
    page, second = (client.get(f"/entities/spells?level_min=0&school=Illusion{more}").text for more in ("", "&page=2"))
    assert 'class="next" href="/entities/spells?level_min=0&amp;school=Illusion&amp;page=2"' in page
    assert ["1 to 20 of 30" in page, "21 to 30 of 30" in second, 'rel="prev"' in second, 'rel="next"' in second] == [True, True, True, False]
    assert not set(cards(page)) & set(cards(second))
    assert "There is no such page." in client.get("/entities/spells?page=7").text
    for odd in ("0", "-1", "x", "9" * 30, "٣"):
        assert client.get(f"/entities/spells?page={odd}").status_code == 200
    page = client.get("/entities/spells?school=Illusion&sort=-level").text
    for text in ('aria-sort="descending" class="num"><a href="/entities/spells?school=Illusion&amp;sort=level">', 'href="/entities/spells?school=Illusion&amp;sort=-level&amp;page=2"', '<input type="hidden" name="sort" value="-level">', 'data-label="Time">1 action</td>'):
        assert text in page, text
    assert [cards(page)[0], cards(client.get("/entities/spells?school=Illusion&sort=-level&page=2").text)[-1]] == ["spell-28", "spell-30"]
    assert [one["slug"] for one in client.get("/api/entities/spells?sort=-level&limit=2&offset=1").json["results"]] == ["spell-59", "spell-28"]
    page = client.get(NINE).text
    assert (page.count('scope="col"'), "3 more did not fit" in page) == (6, True)


def test_facets_have_counts_that_their_own_filter_does_not_narrow(local: FlaskClient) -> None:
    page = local.get("/entities/spells?school=Evocation").text
    boxes = {(name, value): int(count) for name, value, count in re.findall(
        r'type="checkbox" id="[^"]*" form="search" name="(\w+)" value="([^"]+)"[^>]*><span class="name">[^<]*</span> <span class="count">(\d+)', page)}
    assert boxes["school", "Evocation"] == 3
    assert boxes["school", "Illusion"] == 1
    assert boxes["level", "0"] == 1
    assert ("level", "1") not in boxes
    assert boxes["concentration", "true"] == 1
    assert ("range", "60 feet") not in boxes  # all have it
    assert '<span class="name">Cantrip</span>' in page


def facets(type_: EntityType, form: BrowseForm, index: Any) -> dict[str, Any]:
    first, more = facets_of(type_, form, lambda filters: index.facets(type_, filters))
    return {facet.name: facet for facet in (*first, *more)}


def many(number: int = 60) -> WordsIndex:
    return WordsIndex({EntityType.SPELLS: [spell(f"Spell {n}", n % 30, "Evocation" if n % 2 else "Illusion", "x", duration=f"{n} rounds", subclasses=[f"S{n % 12}"]) for n in range(number)]})


def test_a_facet_is_boxes_a_range_or_a_part() -> None:
    found = facets(EntityType.SPELLS, read_search(MultiDict(), EntityType.SPELLS), many())
    assert [(found[name].choices, found[name].ends) for name in ("level", "duration")] == [(None, ("0", "29")), (None, ())]
    assert (len(found["school"].choices), len(found["subclasses"].choices)) == (2, 12)
    assert "casting_time" not in found
    form = read_search(MultiDict([("level", "3"), ("duration", "4 rounds")]), EntityType.SPELLS)
    asked = facets(EntityType.SPELLS, form, many())
    assert asked["level"].given == {"level_min": "3", "level_max": "3"}
    assert asked["duration"].given == {"duration_contains": "4 rounds"}
    ranged = facets(EntityType.SPELLS, read_search(MultiDict([("concentration", "true"), ("school_contains", "evo")]), EntityType.SPELLS), WordsIndex())
    assert ranged["school"].given == {"school_contains": "evo"}
    assert [choice.chosen for choice in ranged["concentration"].choices] == [True, False]


def links(page: str, text: str) -> list[str]:
    return [unescape(href) for href, inside in re.findall(r'<a class="chip link[^"]*" href="([^"]+)">(.*?)</a>', page) if text in inside]


def test_chips_take_filters_away_and_apply_what_is_stated(local: FlaskClient, index: WordsIndex) -> None:
    page = local.get("/entities/spells?q=fire+level+3&school=Evocation&level_min=1&page=1").text
    assert links(page, "school Evocation") == ["/entities/spells?q=fire+level+3&level_min=1"]
    assert links(page, "level 1 or more") == ["/entities/spells?q=fire+level+3&school=Evocation"]
    assert links(page, "apply: level 3") == ["/entities/spells?q=fire+level+3&school=Evocation&level=3"]
    applied = local.get(links(page, "apply: level 3")[0]).text
    assert index.asked[-1]["filters"] == {"school": "Evocation", "level": 3.0}
    assert links(applied, "apply") == []
    turned = cards(local.get("/entities/spells?q=fire&sort=-name").text)
    assert len(turned) > 1
    assert turned == sorted(turned, reverse=True)
    assert cards(applied) == ["ember-rain"]


@pytest.mark.parametrize(("type_", "sort", "slugs"), [
    ("spells", "", ["ember-lance", "ember-rain", "lamp", "quiet-step"]), ("spells", "level", ["lamp", "quiet-step", "ember-lance", "ember-rain"]), ("spells", "-level", ["ember-rain", "ember-lance", "quiet-step", "lamp"]),
    ("spells", "-damage_type", ["ember-lance", "ember-rain", "lamp", "quiet-step"]), ("monsters", "-cr", ["bog-wyrm", "reed-wight", "marsh-imp"]), ("monsters", "size", ["marsh-imp", "reed-wight", "bog-wyrm"]), ("monsters", "-subtype", ["marsh-imp", "bog-wyrm", "reed-wight"]),
])
def test_a_list_is_sorted_by_a_click_on_a_column(local: FlaskClient, type_: str, sort: str, slugs: list[str]) -> None:
    page = local.get(f"/entities/{type_}?sort={sort}").text
    assert cards(page) == slugs
    assert page.count("aria-sort") == (sort in {"level", "-level", "size", "-cr"})


def test_an_entity_its_rule_and_its_page_lead_to_each_other(make_app: MakeApp, index: WordsIndex, library: HereLibrary, dm_headers: dict[str, str]) -> None:
    """Of a book that is not for players, a player is not told."""
    client = make_app(TOKEN, entities=index, library=library).test_client()
    assert '<span class="tag">Rulebook</span> <a href="/rulebook?section=spells/ember-lance">Ember Lance</a>' in client.get("/entities/spells/ember-lance").text
    assert '<a href="/entities/spells/ember-lance">Ember Lance</a> <span class="aside">Spell, 2nd-level evocation</span>' in client.get("/rulebook?section=spells/ember-lance").text
    for source, told in (("beasts", (True, True)), ("secrets", (False, True))):
        title = library.book(source).entries[0].title
        held = make_app(TOKEN, library=library, entities=WordsIndex({EntityType.MONSTERS: [{"name": title.upper(), "slug": "one", "document": "x"}]})).test_client()
        pages = [held.get("/entities/monsters/one", headers=headers).text for headers in ({}, dm_headers)]
        assert tuple(f'href="/library/{source}/entries/0">{title}</a>' in page for page in pages) == told


def test_links_of_fields_find_the_entity_again(local: FlaskClient) -> None:
    for type_, documents in DOCUMENTS.items():
        for document in documents:
            page = local.get(f"/entities/{type_}/{document['slug']}").text
            for href in re.findall(rf'<dd>.*?href="(/entities/{type_}\?[^"]+)"', page):
                assert document["slug"] in cards(local.get(unescape(href)).text), href


ODD: Any = st.recursive(st.one_of(st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()), lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(), inner, max_size=2)))


@given(st.sampled_from(EntityType), st.data())
def test_any_document_can_be_viewed(type_: EntityType, data: st.DataObject) -> None:
    keys = [*(field.name for field in fields_of(type_)), "desc", "higher_level", "actions", "sections", "shadows", "levels"]
    document = {key: data.draw(ODD) for key in data.draw(st.lists(st.sampled_from(keys), unique=True, max_size=8))}
    entity = {"name": "x", "slug": "x", **document, "entity_type": type_.value, "_score": 0.5}
    found = card(entity)
    assert found["slug"] == str(entity["slug"] or "")
    assert len(found["snippet"]) <= SNIPPET + 2


def test_an_engine_that_is_down_is_never_an_empty_page(make_app: MakeApp) -> None:
    client = make_app(entities=WordsIndex(fails=BackendError("milvus at x is not reached"))).test_client()
    for path in ("/entities/spells?q=fire", "/entities/spells/ember-lance", "/entities?q=fire"):
        response = client.get(path)
        assert response.status_code == 503
        assert "Milvus at x is not reached" in response.text
