"""What holds of every page: order, who may read it, what is said of what cannot be asked or is not built."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st
from werkzeug.datastructures import MultiDict

from mvp_site import Settings
from mvp_site.content.types import EntityType
from mvp_site.operations.asking import Ask
from mvp_site.operations.library import AskBooks
from mvp_site.operations.prompts import AssembleRequest
from mvp_site.operations.rulebook import RulebookQueryRequest
from mvp_site.operations.turns import TakeTurn
from mvp_site.srd import ATTRIBUTION, CHANGES
from mvp_site.web import chat, create_app, inspector, library, play, rulebook, turn_pages
from mvp_site.web.entities_forms import read_search
from mvp_site.web.forms import read_form

from .books import WordsRulebook
from .conftest import TOKEN, MakeApp
from .entity_doubles import WordsIndex

ELSEWHERE = {"REMOTE_ADDR": "8.8.8.8", "HTTP_HOST": "play.example"}
OPEN = {
    "/?q=a+creature+falls": 200, "/?q=": 200, "/?q=a+creature+falls&view=messages&budget=60&history=player:+I+jump": 200, "/?q=a+creature+falls&view=python&floor=1": 200, "/": 200,
    "/?q=x&state=%7Bno&version=xx&budget=x&floor=x&history=%5B": 400, "/play": 200, "/play?campaign=ashen-keep": 200, "/play?campaign=new": 200, "/play?campaign=%2F": 400, "/sign-in": 200, "/nowhere": 404, "/docs/api": 200,
    "/rulebook": 200, "/rulebook?q=": 200, "/rulebook?q=a+creature+falls+in+water&intention=compare_entities&entities=ember+lance,quiet+step&category=3&category=8&hints=deep,+hurt&budget=900": 200, "/rulebook?q=xyzzy": 200,
    "/rulebook?section=playing/falling": 200, "/rulebook?section=armor": 200, "/rulebook?section=_preface": 200, "/rulebook?section=no": 404, "/rulebook?budget=x&category=77": 400, "/rulebook?q=x&continuation=made+up": 400,
    "/entities": 200, "/entities?q=fire": 200, "/entities?q=xyzzy": 200, "/entities/spells?level=2&level=3&concentration=false": 200, "/entities/spells?like=ember-lance": 200, "/entities/monsters?challenge_rating_min=1&challenge_rating_max=5&q=life": 200,
    "/entities/magic_items": 200, "/entities/feats": 200, "/entities/spells/ember-lance": 200, "/entities/spells/lamp": 200, "/entities/monsters/bog-wyrm": 200, "/entities/weapons/hook-blade": 200, "/entities/classes/reaver": 200, "/entities/conditions/soaked": 200,
    "/entities/spells?q=fire&sort=level": 200, "/entities/spells/compare?slug=lamp&slug=quiet-step": 200, "/entities/monsters/compare": 200, "/entities/spells?level=five": 400, "/entities/spells?page=9": 200, "/entities/spels": 404, "/entities/spells/ember-lanc": 404,
    "/?q=a+creature+falls&why=mechanics%231": 200, "/compendium": 200, "/compendium?q=ember+lance": 200, "/compendium?q=xyzzy": 200, "/compendium?q=a%00": 400, "/play/look-up": 200, "/play/look-up?campaign=ashen-keep": 200, "/play/look-up?campaign=ashen-keep&q=fire": 200,
    "/library": 200, "/library?q=otter+under+the+ice": 200, "/library?q=zzz+qqq&type=race": 200, "/library?q=": 400, "/library?q=water&type=spell&source=atlas": 200, "/library?q=x&type=hat&limit=1000": 400, "/library?q=x&source=nothing": 404, "/library/atlas?type=spell": 200,
    "/library/atlas?under=0": 200, "/library/torn": 200, "/library/tales/entries/1": 200, "/library/beasts/entries/1": 200, "/library/beasts/pages/2": 200, "/library/nothing": 404, "/ask": 200, "/ask?campaign=lantern_road&q=who%3F": 200, "/ask?campaign=a%20b": 200,
}
"""Pages for everybody, each with its status."""
FOR_THE_DM = (
    "/?q=a+creature+falls&audience=dm&budget=120", "/?turn=turn-1", "/compare", "/compare?q=a+creature+falls&a=dec_2025&b=mar_2026", "/compare?turn=turn-2", "/turns", "/turns?sparse=true", "/turns/turn-1", "/turns/turn-2", "/archive", "/archive?only=unused&order=tokens&q=fall", "/archive?order=notes&version=mar_2026", "/archive/sections/mechanics%231", "/operations", "/operations?done=promote",
)


class Outline(HTMLParser):
    """Tags that stay open, headings, ids, labels and controls of a page."""

    VOID = frozenset({"meta", "link", "input", "br", "rect", "path", "polygon", "img", "hr"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.headings: list[int] = []
        self.ids: list[str] = []
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.handle_startendtag(tag, attrs)
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        found = {name: value or "" for name, value in attrs}
        self.tags.append((tag, found))
        self.ids += [found["id"]] if "id" in found else []

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes another tag"

    def named(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.tags if name == tag]


def assert_in_order(page: str) -> None:
    """What holds of every page: headings, names, landmarks, tables, nothing inline or from elsewhere."""
    outline = Outline(page)
    assert outline.open == []
    assert outline.headings[0] == 1
    assert outline.headings.count(1) == 1
    assert all(after <= before + 1 for before, after in zip(outline.headings, outline.headings[1:], strict=False)), outline.headings
    assert len(outline.ids) == len(set(outline.ids))
    assert outline.named("html")[0]["lang"] == "en"
    assert [len(outline.named(tag)) for tag in ("main", "title")] == [1, 1]
    assert outline.named("a")[0] == {"class": "skip", "href": "#content"}
    for nav in outline.named("nav"):
        assert nav["aria-label"]
    for table in re.findall(r"<table.*?</table>", page, re.DOTALL):
        assert "<caption" in table
        assert "<th scope=" in table
        assert not re.search(r"<th(?![^>]*scope)[ >]", table)
    for attributes in (a for _, a in outline.tags):
        assert not {name for name in attributes if name.startswith("on") or name == "style"}
        for name in ("aria-labelledby", "aria-describedby", "for"):
            for target in attributes.get(name, "").split():
                assert target in outline.ids, (name, target)
        if attributes.get("href", "").startswith("#") and attributes["href"] != "#":
            assert attributes["href"][1:] in outline.ids
    labelled = {label["for"] for label in outline.named("label") if "for" in label}
    for control in (*outline.named("input"), *outline.named("textarea"), *outline.named("select")):
        assert control.get("id") in labelled or control.get("type") in {"hidden", "radio", "checkbox"}
    for script in outline.named("script"):
        assert script["src"].startswith("/static/")
    assert not re.search(r"(src|href)=\"https?://(?!dnd\.wizards|creativecommons)", page)


@pytest.mark.parametrize("path", [*OPEN, *FOR_THE_DM])
def test_a_page_is_in_order_and_for_whom_it_is(whole: FlaskClient, whole_player: FlaskClient, path: str) -> None:
    theirs = whole_player.get(path, environ_overrides=ELSEWHERE)
    seen = whole.get(path) if path in FOR_THE_DM else theirs
    assert (theirs.status_code, seen.status_code) == ((401, 200) if path in FOR_THE_DM else (OPEN[path], OPEN[path]))
    assert_in_order(seen.text)
    top = re.match("/(compendium|rulebook|entities|library|ask|play|archive|turns|compare|operations)", path)
    assert top is None or seen.text.count("aria-current=\"") > 0
    entries = re.search('aria-label="Pages">(.*?)</nav>', seen.text, re.DOTALL)[1]
    assert re.findall(">(\\w+)</a>", entries) == ["Play", "Prompts", "Compendium", "Operations"]


@pytest.mark.parametrize(("path", "status", "says"), [
    *((f"/?q=x&{query}", 400, says) for query, says in (
        ("state=%7Bno", "This is not JSON"), ("state=%5B%5D", "it must be a JSON object"), ("state=" + "%5B" * 3000, "nested deeper"),
        ("audience=bard", "it must be one of player, dm, god"), ("version=bard", "There is no version"), ("state=" + "x" * 40_001, "at most 40000"), ("state=%7B%22a%22%3A1%2C%22a%22%3A2%7D", "twice"), ("history=%5B1", "JSON"),
        ("history=" + quote('[{"role": "x", "content": "y"}]'), "One of these is &#39;x&#39;"), ("budget=-1", "whole number"), ("budget=9999999", "at most 1000000"), ("floor=x", "must be a number"), ("floor=1.5", "at most 1"),
    )),
    ("/?q=x&mode=bard", 404, "Unknown mode &#39;bard&#39;; the modes are story, dm, god"), ("/?q=" + "x" * 40_001, 400, "at most 40000"), ("/?q=a%00b", 400, "NUL"),
    *((f"/rulebook?{query}", 400, says) for query, says in (
        ("intention=comparing", "nknown intention &#39;comparing&#39;; near it: compare_entities"), ("q=" + "x" * 4001, "4001 characters; it must have at most 4000"), ("entities=" + ",".join(f"e{n}" for n in range(65)), "This has 65 entries; it must have at most 64"),
        ("entities=" + "x" * 201, "One of these has 201 characters"), ("budget=199", "This is 199; it must be at least 200"), ("budget=32001", "at most 32000"), ("budget=" + "9" * 5000, "a whole number"), ("category=11", "One of these is 11; it must be at most 10"),
        ("category=combat", "a whole number"), ("q=x&continuation=made-up", "is no continuation"), ("q=x&continuation=a%00", "The continuation is none"),
    )),
    ("/rulebook?section=a%00", 404, "No such section"), ("/rulebook?section=playing/faling", 404, '<a href="/rulebook?section=playing/falling">Falling</a>'),
    *((f"/entities/spells?{query}", 400, says) for query, says in (
        ("level=five", "Level of spells is a number (0 for a cantrip), which &#39;five&#39; is not."), ("nonsense=1", "no field &#39;nonsense&#39;"), ("q=a%00b", "NUL"), ("q=" + "x" * 4001, "4001 characters"), ("level_min=4&level_max=2", "min 4 is greater than max 2"),
        ("ritual=perhaps", "true or false"), ("name_contains=a&name_contains=b", "given twice"), ("level_contains=2", "only texts contain"), ("q=fire&school=evocaton", "there are Evocation, Illusion"), ("documents=nope", "there are "),
        ("sort=levl", "cannot be sorted by &#39;levl&#39;: sort by level"),
    )),
    ("/entities/spels", 404, '<a href="/entities/spells">Spells</a>'), ("/entities/spells/ember-lanc", 404, '<a href="/entities/spells/ember-lance">Ember Lance</a>'), ("/entities/spells?like=nothing", 404, "have no &#39;nothing&#39;"),
    ("/entities/monsters/compare?slug=bog-wyrm&slug=nothing", 404, "have no &#39;nothing&#39;"), ("/library?q=x&limit=1000", 400, "at most 100"), ("/library?q=x&type=hat", 400, "it must be one of"), ("/turns/none", 404, "no turn"), ("/?turn=none", 404, "no turn"),
])
def test_what_cannot_be_asked_is_said(whole: FlaskClient, path: str, status: int, says: str) -> None:
    response = whole.get(path)
    assert (response.status_code, says in response.text) == (status, True)
    assert any(mark in response.text for mark in ('class="field-error"', 'role="alert"', 'class="note warn"'))
    assert_in_order(response.text)


FORMS: Any = [
    (AssembleRequest, inspector.FIELDS), (RulebookQueryRequest, rulebook.FIELDS), (AskBooks, library.FIELDS), (Ask, chat.FIELDS), (TakeTurn, play.SAID), (turn_pages.RecentTurns, turn_pages.FIELDS),
]


@given(st.sampled_from(FORMS), st.data())
def test_any_form_is_read(form: Any, data: st.DataObject) -> None:
    type_, names = form
    args = data.draw(st.lists(st.tuples(st.sampled_from(list(names)), st.text() | st.integers().map(str))))
    found = read_form(type_, MultiDict(args), names)
    assert all(found.typed[name] == "" or name in dict(args) for name in names)
    if not found.errors and all(field in found.values for name, field in names.items() if found.schema(name)["required"]):
        assert isinstance(found.request(), type_)


@given(st.sampled_from([None, *EntityType]), st.lists(st.tuples(st.sampled_from(["q", "page", "like", "sort", "level", "level_min", "name_contains", "flying", "document"]) | st.text(), st.text() | st.integers().map(str))))
def test_any_search_of_entities_is_read(type_: EntityType | None, args: list[tuple[str, str]]) -> None:
    form = read_search(MultiDict(args), type_)
    assert form.page >= 1
    assert not (form.error and form.condition)


@pytest.mark.parametrize(("part", "path"), [
    *(("rulebook", path) for path in ("/rulebook", "/rulebook?q=x", "/rulebook?section=armor", "/api/rulebook/query", "/api/rulebook/search")),
    *(("entities", path) for path in ("/entities", "/entities/spells?q=x", "/entities/spells/fireball", *(f"/api/entities{path}" for path in ("", "/spells", "/search", "/spells/x")))),
])
def test_what_is_not_built_tells_its_command_to_who_may_know(tmp_path: Path, part: str, path: str) -> None:
    for token in (None, TOKEN):
        client = create_app(Settings(mvp_site_data_dir=tmp_path, mvp_site_dm_token=token), assemblers={}, config={"RATELIMIT_ENABLED": False}).test_client()
        told = client.post(path, json={"query": "x"}) if path.startswith("/api/rulebook") else client.get(path)
        assert (told.status_code, f"mvp-site {part} build" in told.text) == (503, token is None)
        assert (str(tmp_path) in told.text) is (token is None and path.startswith("/api"))
        if not path.startswith("/api"):
            assert_in_order(told.text)


@pytest.mark.parametrize("given_", [ATTRIBUTION, f"{ATTRIBUTION} {CHANGES}", "By me.", ""])
def test_the_foot_says_what_the_licence_of_the_text_asks(make_app: MakeApp, given_: str) -> None:
    client = make_app(rulebook=WordsRulebook(attribution=given_), entities=WordsIndex(attribution=given_)).test_client()
    for path in ("/rulebook?q=falls", "/entities/spells?q=fire", "/entities/spells/ember-lance"):
        page = client.get(path).text
        foot = re.findall("<footer>(.*?)</footer>", page, re.DOTALL)
        assert [unescape(re.sub("<[^>]*>", "", one)).strip() for one in foot] == ([given_] if given_ else [])
        assert (f'href="{ATTRIBUTION.split()[-1][:-1]}"' in page) is (ATTRIBUTION in given_)
