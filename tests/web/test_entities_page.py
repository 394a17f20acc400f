"""The entities' pages: tabs, facets, results with scores, chips, one entity whole; text is data; refusals are clear."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from hypothesis import given, settings
from hypothesis import strategies as st
from werkzeug.datastructures import MultiDict

from mvp_site import Settings
from mvp_site.content.types import EntityType, fields_of
from mvp_site.errors import BackendError
from mvp_site.operations.elsewhere import places
from mvp_site.srd import ATTRIBUTION, CHANGES
from mvp_site.web import create_app
from mvp_site.web.entities import SNIPPET, card
from mvp_site.web.entities_forms import (
    BrowseForm,
    facets_of,
    read_form,
)

from .conftest import TOKEN, MakeApp
from .entity_doubles import DOCUMENTS, WordsIndex, spell
from .library_doubles import HereLibrary
from .test_pages import assert_in_order

PATHS = [
    "/entities", "/entities?q=fire", "/entities?q=xyzzy", "/entities/spells", "/entities/spells?q=fire+level+3", "/entities/spells?level=2&level=3&concentration=false", "/entities/spells?like=ember-lance",
    "/entities/monsters?challenge_rating_min=1&challenge_rating_max=5&q=life", "/entities/magic_items", "/entities/feats", "/entities/spells/ember-lance", "/entities/spells/lamp", "/entities/monsters/bog-wyrm",
    "/entities/monsters/marsh-imp", "/entities/weapons/hook-blade", "/entities/magic-items/ring-of-dusk", "/entities/spells?q=fire&sort=level", "/entities/spells/compare?slug=lamp&slug=quiet-step", "/entities/monsters/compare", "/entities/conditions/soaked", "/entities/spells?level=five", "/entities/spells?page=9", "/entities/spels", "/entities/spells/nothing",
]


@pytest.fixture
def index() -> WordsIndex:
    """An index that finds words."""
    return WordsIndex()


@pytest.fixture
def local(make_app: MakeApp, index: WordsIndex) -> FlaskClient:
    """A client on the machine of an app without a token, over a few entities."""
    return make_app(entities=index).test_client()


@pytest.fixture
def player(make_app: MakeApp, index: WordsIndex) -> FlaskClient:
    """A client without the token of an app that has one."""
    return make_app(TOKEN, entities=index).test_client()


@pytest.mark.parametrize("path", PATHS)
def test_every_page_is_in_order_and_for_players_too(player: FlaskClient, path: str) -> None:
    response = player.get(path, environ_overrides={"REMOTE_ADDR": "8.8.8.8", "HTTP_HOST": "play.example"})
    assert response.status_code == (404 if "spels" in path or "nothing" in path else 400 if "five" in path else 200)
    assert 'href="/entities" aria-current="page"' in response.text
    assert_in_order(response.text)


def test_a_search_goes_to_the_index_as_it_was_typed(local: FlaskClient, index: WordsIndex) -> None:
    local.get("/entities/spells?q=+fire+&level=2&level=3&concentration=true&class=Druid&range_feet_min=30&duration_contains=inst&page=2&save=")
    assert index.asked == [{
        "entity_type": "spells", "query": "fire", "limit": 20, "offset": 20, "bind_stated": False,
        "filters": {"level": [2.0, 3.0], "concentration": True, "class": "Druid", "range_feet_min": 30.0, "duration": {"contains": "inst"}},
    }]


def cards(page: str) -> list[str]:
    return re.findall(r'<(?:h3 id="result-\d+-head"|th scope="row")><a href="/entities/[\w-]+/([\w-]+)"', page)


def test_results_have_scores_and_lead_on(local: FlaskClient) -> None:
    page = local.get("/entities/spells?q=ember+lance").text
    assert cards(page)[0] == "ember-lance"
    assert re.search(r'class="value">[01]\.\d{3}<', page)
    # The text without its marks, without its table.
    for text in ("the best first", "A lance of fire flies at one creature. It burns."):
        assert text in page
    assert "Slot" not in page
    assert "Our Table, in place of SRD 5.1" in local.get("/entities/spells").text


def test_more_like_this_leaves_the_reference_out(local: FlaskClient) -> None:
    page = local.get("/entities/spells?like=ember-lance").text
    assert "Like Ember Lance" in page
    assert cards(page)[0] == "ember-rain"
    assert "ember-lance" not in cards(page)


def test_all_types_are_searched_at_once(local: FlaskClient) -> None:
    page = local.get("/entities?q=fire").text
    assert set(cards(page)) >= {"ember-lance", "ember-rain", "ring-of-dusk", "soaked"}
    assert '<span class="tag">Magic item</span>' in page
    assert 'href="/entities/monsters?q=fire"' in page


@pytest.mark.parametrize(("query", "says"), [
    ("level=five", "Level of spells is a number (0 for a cantrip), which &#39;five&#39; is not."), ("nonsense=1", "no field &#39;nonsense&#39;"), ("q=a%00b", "NUL"), ("q=" + "x" * 4001, "4001 characters"),
    ("level_min=4&level_max=2", "min 4 is greater than max 2"), ("ritual=perhaps", "true or false"), ("name_contains=a&name_contains=b", "given twice"), ("level_contains=2", "only texts contain"),
])
def test_what_cannot_be_searched_is_said(local: FlaskClient, index: WordsIndex, query: str, says: str) -> None:
    response = local.get(f"/entities/spells?{query}")
    assert response.status_code == 400
    assert says in response.text
    assert 'role="alert"' in response.text
    assert index.asked == []
    assert_in_order(response.text)


@pytest.mark.parametrize(("path", "says"), [("/entities/spels", "did you mean spells"), ("/entities/spells/ember-lanc", "ember-lance"), ("/entities/spells?like=nothing", "have no &#39;nothing&#39;"), ("/entities/x/y", "Invalid entity type")])
def test_what_is_not_there_is_said(player: FlaskClient, path: str, says: str) -> None:
    response = player.get(path)
    assert response.status_code == 404
    assert says in response.text


def test_facets_have_counts_that_their_own_filter_does_not_narrow(local: FlaskClient) -> None:
    page = local.get("/entities/spells?school=Evocation").text
    boxes = {(name, value): int(count) for name, value, count in re.findall(
        r'type="checkbox" form="search" name="(\w+)" value="([^"]+)"[^>]*><span class="name">[^<]*</span> <span class="count">(\d+)', page)}
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
    found = facets(EntityType.SPELLS, BrowseForm(), many())
    assert [(found[name].choices, found[name].ends) for name in ("level", "duration")] == [(None, ("0", "29")), (None, ())]
    assert (len(found["school"].choices), len(found["subclasses"].choices)) == (2, 12)
    assert "casting_time" not in found
    form = read_form(MultiDict([("level", "3"), ("duration", "4 rounds")]), EntityType.SPELLS)
    asked = facets(EntityType.SPELLS, form, many())
    assert asked["level"].given == {"level_min": "3", "level_max": "3"}
    assert asked["duration"].given == {"duration_contains": "4 rounds"}
    ranged = facets(EntityType.SPELLS, read_form(MultiDict([("concentration", "true"), ("school_contains", "evo")]), EntityType.SPELLS), WordsIndex())
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


def test_pages_are_turned_with_all_that_was_asked(make_app: MakeApp) -> None:
    client = make_app(entities=many()).test_client()
    page = client.get("/entities/spells?level_min=0&school=Illusion").text
    assert "1 to 20 of 30" in page
    assert 'class="next" href="/entities/spells?level_min=0&amp;school=Illusion&amp;page=2"' in page
    second = client.get("/entities/spells?level_min=0&school=Illusion&page=2").text
    assert [text in second for text in ("21 to 30 of 30", 'rel="prev"', 'rel="next"')] == [True, True, False]
    assert not set(cards(page)) & set(cards(second))
    assert "There is no such page." in client.get("/entities/spells?page=7").text
    for odd in ("0", "-1", "x", "9" * 30, "٣"):
        assert client.get(f"/entities/spells?page={odd}").status_code == 200


def test_a_monster_has_a_stat_block(local: FlaskClient) -> None:
    page = local.get("/entities/monsters/bog-wyrm").text
    for text in ("<dt>Armor Class</dt><dd>12</dd>", "<dt>Speed</dt><dd>30 ft, fly 60 ft</dd>", "<dt>Senses</dt><dd>darkvision 60 ft</dd>", "Large dragon, neutral", "<dt>Challenge</dt><dd>6 (50 XP)</dd>",
                 '<abbr title="Dexterity">DEX</abbr></dt><dd>15 <span>(+2)</span>', '8 <span>(−1)</span>', "<h2>Legendary actions</h2>", "<h2>Actions</h2>", "<h3>Breath (Recharge 5–6).</h3>", "<h3>Tail.</h3>", "It strikes.", "<h2>Reactions</h2>",
                 'href="/entities/monsters?immunities=Fire"', "monsters/bog-wyrm"):
        assert text in page, text
    assert page.index("<h2>Actions") < page.index("<h2>Reactions") < page.index("<h2>Legendary actions")
    assert "<em>unseen</em>" in local.get("/entities/monsters/marsh-imp").text


def test_a_spell_has_its_fields_text_and_what_is_like_it(local: FlaskClient) -> None:
    page = local.get("/entities/spells/ember-lance").text
    for text in ("2nd-level evocation", "<dt>Casting Time</dt><dd>1 action</dd>", "<dt>Components</dt><dd>V, S</dd>", 'href="/entities/spells?school=Evocation"', "<strong>fire</strong>", "At higher levels</h2>", '<th scope="col">Slot</th>', "Table 1 of Ember Lance", 'href="/entities/spells?classes=Wizard"',
                 'href="/entities/spells/ember-rain"', 'href="/entities/spells?like=ember-lance"'):
        assert text in page, text
    assert "Range feet" not in page
    assert "Ritual" not in page
    assert "in place of what SRD 5.1 has under this name" in local.get("/entities/spells/lamp").text
    blade = local.get("/entities/weapons/hook-blade").text
    assert "2 sp" in blade
    assert "<dt>Damage</dt><dd>1d6 slashing</dd>" in blade
    assert "<dt>Finesse</dt>" not in blade  # its properties say so


@pytest.mark.parametrize(("type_", "sort", "slugs"), [
    ("spells", "", ["ember-lance", "ember-rain", "lamp", "quiet-step"]), ("spells", "level", ["lamp", "quiet-step", "ember-lance", "ember-rain"]), ("spells", "-level", ["ember-rain", "ember-lance", "quiet-step", "lamp"]),
    ("spells", "-damage_type", ["ember-lance", "ember-rain", "lamp", "quiet-step"]), ("monsters", "-cr", ["bog-wyrm", "reed-wight", "marsh-imp"]), ("monsters", "size", ["marsh-imp", "reed-wight", "bog-wyrm"]), ("monsters", "-subtype", ["marsh-imp", "bog-wyrm", "reed-wight"]),
])
def test_a_list_is_sorted_by_a_click_on_a_column(local: FlaskClient, type_: str, sort: str, slugs: list[str]) -> None:
    page = local.get(f"/entities/{type_}?sort={sort}").text
    assert cards(page) == slugs
    assert page.count("aria-sort") == (sort in {"level", "-level", "size", "-cr"})


def test_what_sorts_a_list_stays_with_it(make_app: MakeApp) -> None:
    client = make_app(entities=many()).test_client()
    page = client.get("/entities/spells?school=Illusion&sort=-level").text
    for text in ('aria-sort="descending" class="num"><a href="/entities/spells?school=Illusion&amp;sort=level">', 'href="/entities/spells?school=Illusion&amp;sort=-level&amp;page=2"', '<input type="hidden" name="sort" value="-level">', 'data-label="Time">1 action</td>'):
        assert text in page, text
    assert cards(page)[0] == "spell-28"
    assert cards(client.get("/entities/spells?school=Illusion&sort=-level&page=2").text)[-1] == "spell-30"
    refused = client.get("/entities/spells?sort=levl")
    assert (refused.status_code, "cannot be sorted by &#39;levl&#39;: sort by level" in refused.text) == (400, True)
    assert [one["slug"] for one in client.get("/api/entities/spells?sort=-level&limit=2&offset=1").json["results"]] == ["spell-59", "spell-28"]


@pytest.mark.parametrize(("query", "shows", "hides"), [
    ("slug=bog-wyrm&slug=marsh-imp&slug=bog-wyrm", ("Bog Wyrm</a>", "Marsh Imp</a>", "Armor Class</th><td>12</td><td>12</td>", "differs</span></span></th><td>Large dragon, neutral</td><td>Small humanoid (imp), neutral</td>", "Slip Away", "<td>–</td>"), ("Tick two",)),
    ("", ("Tick two or more",), ("<table",)), ("slug=bog-wyrm", ("Tick two or more", "Bog Wyrm</a>"), ("differs</span>",)),
])
def test_ticked_rows_are_compared(player: FlaskClient, query: str, shows: tuple[str, ...], hides: tuple[str, ...]) -> None:
    page = player.get(f"/entities/monsters/compare?{query}").text
    assert [text for text in shows if text not in page] == [text for text in hides if text in page] == []
    assert_in_order(page)


def test_what_cannot_be_compared_is_said(player: FlaskClient, make_app: MakeApp) -> None:
    assert player.get("/entities/monsters/compare?slug=bog-wyrm&slug=nothing").status_code == 404
    many_ = many()
    page = make_app(entities=many_).test_client().get("/entities/spells/compare?" + "&".join(f"slug=spell-{n}" for n in range(9))).text
    assert (page.count('scope="col"'), "3 more did not fit" in page) == (6, True)
    named = WordsIndex({EntityType.FEATS: [{"name": "Compare", "slug": "compare", "document": "x", "desc": "You compare."}]})
    assert "You compare." in make_app(entities=named).test_client().get("/entities/feats/compare").text


def test_near_names_are_links(player: FlaskClient) -> None:
    page = player.get("/entities/spells/ember-lanc")
    assert page.status_code == 404
    assert '<a href="/entities/spells/ember-lance">Ember Lance</a>' in page.text
    assert_in_order(page.text)
    assert '<a href="/entities/spells">Spells</a>' in player.get("/entities/spels").text


def test_a_class_has_a_table_of_its_levels(local: FlaskClient) -> None:
    page = local.get("/entities/classes/reaver").text
    for text in ("<dt>Hit Die</dt><dd>d12</dd>", 'colspan="2" class="parts">Spell slots</th>', '<th scope="col" class="part-of">2nd</th>', 'href="/entities/features?class=Reaver&amp;level=2">2</a></th><td>+2</td><td>–</td><td>3</td><td>1</td><td>—</td>'):
        assert text in page, text
    assert "<dt>Features</dt>" not in page  # the levels say so
    assert_in_order(page)


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


def test_what_is_not_built_has_no_place(make_app: MakeApp, site_settings: Settings) -> None:
    services = make_app(entities=WordsIndex(fails=BackendError("x"))).extensions["services"]
    assert [one.kind for one in places(services, "ember lance", True)] == ["rule"]
    assert places(services, " ", True) == places(services, "nowhere", True) == ()


def test_links_of_fields_find_the_entity_again(local: FlaskClient) -> None:
    for type_, documents in DOCUMENTS.items():
        for document in documents:
            page = local.get(f"/entities/{type_}/{document['slug']}").text
            for href in re.findall(rf'<dd>.*?href="(/entities/{type_}\?[^"]+)"', page):
                assert document["slug"] in cards(local.get(unescape(href)).text), href


@pytest.mark.parametrize("given_", [ATTRIBUTION, f"{ATTRIBUTION} {CHANGES}", "By me.", ""])
@pytest.mark.parametrize("path", ["/entities/spells?q=fire", "/entities/spells/ember-lance"])
def test_the_foot_says_what_the_licence_of_the_text_asks(make_app: MakeApp, path: str, given_: str) -> None:
    page = make_app(entities=WordsIndex(attribution=given_)).test_client().get(path).text
    foot = re.findall("<footer>(.*?)</footer>", page, re.DOTALL)
    assert [unescape(re.sub("<[^>]*>", "", one)).strip() for one in foot] == ([given_] if given_ else [])
    assert (f'href="{ATTRIBUTION.split()[-1][:-1]}"' in page) is (ATTRIBUTION in given_)


ODD: Any = st.recursive(st.one_of(st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()), lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(), inner, max_size=2)))


@settings(deadline=None)
@given(st.sampled_from(EntityType), st.data())
def test_any_document_can_be_viewed(type_: EntityType, data: st.DataObject) -> None:
    keys = [*(field.name for field in fields_of(type_)), "desc", "higher_level", "actions", "sections", "shadows", "levels"]
    document = {key: data.draw(ODD) for key in data.draw(st.lists(st.sampled_from(keys), unique=True, max_size=8))}
    entity = {"name": "x", "slug": "x", **document, "entity_type": type_.value, "_score": 0.5}
    found = card(entity)
    assert found["slug"] == str(entity["slug"] or "")
    assert len(found["snippet"]) <= SNIPPET + 2


@given(st.sampled_from([None, *EntityType]), st.lists(st.tuples(st.one_of(st.sampled_from(["q", "page", "like", "level", "level_min", "name_contains", "flying", "document"]), st.text()), st.one_of(st.text(), st.integers().map(str)))))
def test_any_query_string_is_read(type_: EntityType | None, args: list[tuple[str, str]]) -> None:
    form = read_form(MultiDict(args), type_)
    assert form.page >= 1
    assert not (form.error and form.condition)


@pytest.mark.parametrize("path", ["/entities", "/entities/spells?q=x", "/entities/spells/fireball", *(f"/api/entities{path}" for path in ("", "/spells", "/search", "/spells/x"))])
def test_without_an_index_the_command_is_for_who_may_know(tmp_path: Path, path: str) -> None:
    for token in (None, TOKEN):
        client = create_app(Settings(mvp_site_data_dir=tmp_path, mvp_site_dm_token=token), assemblers={}, config={"RATELIMIT_ENABLED": False}).test_client()
        told = client.get(path)
        assert (told.status_code, told.headers["Retry-After"]) == (503, "30")
        assert ("mvp-site entities build" in told.text) is (token is None)
        assert (str(tmp_path) in told.text) is (token is None and path.startswith("/api"))
        if not path.startswith("/api"):
            assert_in_order(told.text)


def test_an_engine_that_is_down_is_never_an_empty_page(make_app: MakeApp) -> None:
    client = make_app(entities=WordsIndex(fails=BackendError("milvus at x is not reached"))).test_client()
    for path in ("/entities/spells?q=fire", "/entities/spells/ember-lance", "/entities?q=fire"):
        response = client.get(path)
        assert response.status_code == 503
        assert "Milvus at x is not reached" in response.text


@pytest.mark.parametrize("path", ["/entities/spells?q=fire&school=evocaton", "/api/entities/spells?query=fire&school=evocaton", "/entities/spells?documents=nope"])
def test_a_value_that_there_is_not_names_those_there_are(local: FlaskClient, path: str) -> None:
    response = local.get(path)
    assert response.status_code == 400
    assert ("there are Evocation, Illusion" if "school" in path else "there are ") in response.text
    if not path.startswith("/api"):
        assert "Nothing was searched." in response.text
        assert_in_order(response.text)
