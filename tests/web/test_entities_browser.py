"""The entities' pages in a browser: no script of a document runs, the keyboard does it all, everything can be read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import pytest

from mvp_site.content.types import EntityType

from .conftest import Site
from .entity_doubles import DOCUMENTS, WordsIndex
from .test_browser import (
    ALL,
    CONTRAST,
    SCRIPTS,
    axe,
    follow,
    open_page,  # noqa: F401 (a fixture)
    unharmed,
    visit,
    walk_through,
)

PATHS = [
    "/entities", "/entities?q=fire", "/entities/spells?q=fire+level+3&school=Evocation&level_min=1", "/entities/monsters?type=undead", "/entities/spells?q=xyzzy", "/entities/spells?level=five",
    "/entities/spells?like=ember-lance", "/entities/monsters/bog-wyrm", "/entities/spells/ember-lance", "/entities/spells/lamp", "/entities/nothing",
]


@pytest.fixture
def site(serve: Callable[..., Site]) -> Site:
    """The app over a few entities."""
    return serve(entities=WordsIndex())


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PATHS)
def test_every_text_stands_out_from_its_ground(site: Site, open_page: Callable[..., Any], path: str, scheme: str) -> None:  # noqa: F811
    page = open_page(site, color_scheme=scheme)
    visit(page, site, path)
    if axe is not None:
        found = axe.Axe().run(page).response["violations"]
        assert [(v["id"], [node["target"] for node in v["nodes"]]) for v in found] == []
    page.evaluate("document.querySelectorAll('details').forEach(node => node.open = true)")
    assert page.evaluate(CONTRAST) == []


@pytest.mark.parametrize("path", PATHS)
def test_a_page_fits_and_is_walked_through(site: Site, open_page: Callable[..., Any], path: str) -> None:  # noqa: F811
    page = open_page(site)
    visit(page, site, path)
    walk_through(page)


def scripted(value: Any) -> Any:
    """``value`` with a script behind every text, and slugs as they are."""
    if isinstance(value, Mapping):
        return {key: found if key == "slug" else scripted(found) for key, found in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [scripted(found) for found in value]
    return value + ALL if isinstance(value, str) else value


def test_scripts_of_a_document_are_text(serve: Callable[..., Site], open_page: Callable[..., Any]) -> None:  # noqa: F811
    site = serve(entities=WordsIndex({type_: scripted(documents) for type_, documents in DOCUMENTS.items()}, attribution=ALL))
    page = open_page(site)
    for path in ("/entities", "/entities/spells?q=fire", "/entities?q=fire", "/entities/spells?like=ember-lance", *(f"/entities/{type_}/{one['slug']}" for type_, found in DOCUMENTS.items() for one in found)):
        assert visit(page, site, path).status == 200
        unharmed(page)
    assert SCRIPTS[0] in page.locator("h1").text_content()


def test_scripts_of_an_address_are_text(site: Site, open_page: Callable[..., Any]) -> None:  # noqa: F811
    page = open_page(site)
    for script in (*SCRIPTS, ALL):
        for path in ("/entities", "/entities/spells", f"/entities/{EntityType.MONSTERS}"):
            visit(page, site, f"{path}?{urlencode({'q': script, 'page': script})}")
            unharmed(page)
            assert page.locator("#q").input_value() == script
        for query in ({"school": script}, {"name_contains": script}, {"level": script}, {script: script}, {"like": script}):
            visit(page, site, f"/entities/spells?{urlencode(query)}")
            unharmed(page)


def test_filters_are_set_by_keyboard(site: Site, open_page: Callable[..., Any]) -> None:  # noqa: F811
    page = open_page(site)
    visit(page, site, "/entities/spells?q=fire")
    page.focus('input[name="level"][value="3"]')
    page.keyboard.press("Space")
    page.focus("text=Apply the filters")
    page.keyboard.press("Enter")
    page.wait_for_url("**level=3")
    assert page.locator(".entities h3").all_text_contents() == ["Ember Rain"]
    assert page.locator('input[name="level"][value="3"]').is_checked()
    page.focus(".constraints .chip")
    page.keyboard.press("Enter")
    page.wait_for_url("**/entities/spells?q=fire")
    assert page.locator(".entities li").count() == 3
    page.focus(".entities h3 a")
    page.keyboard.press("Enter")
    page.wait_for_url("**/entities/spells/ember-lance")
    follow(page, "text=More like this")
    assert page.locator("h2").first.text_content() == "Like Ember Lance"


def test_all_works_without_scripts(site: Site, open_page: Callable[..., Any]) -> None:  # noqa: F811
    page = open_page(site, java_script_enabled=False)
    visit(page, site, "/entities/monsters")
    page.fill("#q", "life")
    follow(page, "text=Search >> nth=-1")
    page.locator('input[name="type"][value="undead"]').check()
    follow(page, "text=Apply the filters")
    assert "type=undead" in page.url
    assert page.locator(".entities h3").all_text_contents() == ["Reed Wight"]


@pytest.mark.parametrize(("width", "open_"), [(1280, True), (400, False)])
def test_filters_are_folded_on_a_narrow_window(site: Site, open_page: Callable[..., Any], width: int, open_: bool) -> None:  # noqa: F811
    page = open_page(site, viewport={"width": width, "height": 800})
    visit(page, site, "/entities/conditions/soaked")
    visit(page, site, "/entities/spells?q=fire")
    assert page.locator(".facet-rows").is_visible() is open_
    # The tab that is open is seen.
    assert page.evaluate("(() => { const a = document.querySelector('.types [aria-current]').getBoundingClientRect(); return a.left >= 0 && a.right <= innerWidth; })()")
