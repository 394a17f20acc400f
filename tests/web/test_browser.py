"""The pages in a browser: no script of anybody's runs, everything works by keyboard, all can be read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from axe_playwright_python import sync_playwright as axe

from mvp_site import Settings
from mvp_site.engine.types import CitedSentence
from mvp_site.errors import ModelError
from mvp_site.rulebook.markdown import parse_rulebook
from mvp_site.turns.handler import TurnHandler
from mvp_site.turns.types import TurnRequest

from ..doubles import assembler_of
from ..engine_doubles import EVIDENCE, KeptNotes, TellingEngine
from .books import WordsRulebook
from .conftest import TOKEN, Site
from .doubles import STATE, TellingHandler, answer, as_text, manifest, record, records_of_all_kinds
from .entity_doubles import DOCUMENTS, WordsIndex
from .library_doubles import HereLibrary, open_library
from .test_every_page import FOR_THE_DM, OPEN

# A browser that goes to another page breaks its requests off, and their files are left to the collector.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

Serve = Callable[..., Site]
Open = Callable[..., Any]
SHOT = "window.shot = (window.shot || 0) + 1"
SCRIPTS = (
    f"<script>{SHOT}</script>", f"\"><img src=x onerror='{SHOT}'>", f"'><svg onload=\"{SHOT}\">", f"</textarea><script>{SHOT}</script>", f"</pre><iframe srcdoc='<script>parent.{SHOT}</script>'>",
    f"javascript:{SHOT}", "{{ 7 * 7 }}{% raw %}", f"</title></style><script>{SHOT}</script>",
)
ALL = "".join(SCRIPTS)
ASKED = "/ask?campaign=lantern_road&character=Ilse+Varn&q=Could+I+counter+it%3F&corrected=books"
"""A question at the table, with its answer."""


@pytest.fixture
def told(handler: TellingHandler) -> TellingHandler:
    """A campaign with a turn of each kind."""
    handler.store.records += records_of_all_kinds()
    return handler


@pytest.fixture
def site(serve: Serve, told: TellingHandler, library: HereLibrary) -> Site:
    """A site of all parts, with no token."""
    return serve(entities=WordsIndex(), library=library, notes=KeptNotes(), engine=TellingEngine())


@pytest.fixture
def open_page(browser: Any) -> Iterator[Callable[..., Any]]:
    """Opens pages; at the end none has asked for anything from elsewhere, nor had an error."""
    contexts: list[Any] = []
    said: list[str] = []

    def make(site: Site, **options: Any) -> Any:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce", **options})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("pageerror", lambda error: said.append(f"error: {error}"))
        page.on("dialog", lambda dialog: said.append(f"dialog: {dialog.message}"))
        page.on("console", lambda line: said.append(f"console: {line.text}") if line.type == "error" and "status of 4" not in line.text else None)
        page.on("request", lambda request: said.append(f"request: {request.url}") if not request.url.startswith(site.url) else None)
        return page

    yield make
    for context in contexts:
        context.close()
    assert said == []


def visit(page: Any, site: Site, path: str) -> Any:
    return page.goto(f"{site.url}{path}")


def follow(page: Any, selector: str) -> None:
    """Click what leads to another page, and wait for that page."""
    with page.expect_navigation():
        page.click(selector)


def unharmed(page: Any) -> None:
    """No script of a field has run, and none has become an element."""
    assert page.evaluate("window.shot") is None
    assert page.evaluate("document.querySelectorAll('script:not([src]), img, iframe, [onerror], [onload], svg [onload]').length") == 0
    assert page.evaluate("[...document.querySelectorAll('a, form')].every(e => /^(https?:|#|\\/)/.test(e.getAttribute('href') || e.getAttribute('action') || '#'))")


FIELDS = ["q", "mode", "audience", "version", "state", "a", "b", "budget", "floor", "history", "view", "nonsense"]
RULE_FIELDS = ["q", "intention", "entities", "hints", "category", "budget", "continuation"]
ADDRESSES = ["/turns?campaign={}", "/turns?before={}", "/turns/{}", "/play?campaign={}", "/play?campaign=ashen-keep&mode={}", "/sign-in?next={}", "/{}", "/static/{}",
             "/rulebook?q={0}&entities={0}&hints={0}", "/rulebook?q=x&continuation={}", "/rulebook?section={}", "/entities?q={0}&page={0}", "/entities/spells?q={0}&page={0}",
             "/entities/monsters?q={0}&page={0}", "/entities/spells?school={}", "/entities/spells?name_contains={}", "/entities/spells?level={}", "/entities/spells?{0}={0}", "/entities/spells?like={}", "/entities/spells?sort={}", "/entities/spells/compare?slug={}",
             "/archive?q={0}&file={0}&order={0}&version={0}", "/archive/sections/{}", "/?q=a+creature+falls&why={}", "/compendium?q={}", "/play/look-up?campaign=ashen-keep&q={}",
             "/library?q={0}&source={0}", "/library/{}", "/library/beasts?type={}", "/ask?q={0}&campaign={0}&character={0}&corrected={0}"]


@pytest.mark.parametrize("address", ADDRESSES)
def test_scripts_in_an_address_are_text(serve: Serve, site: Site, open_page: Open, address: str) -> None:
    site = serve(TOKEN) if "sign-in" in address else site
    page = open_page(site)
    for script in (*SCRIPTS, ALL):
        visit(page, site, address.format(quote(script, safe="")))
        unharmed(page)


@pytest.mark.parametrize(("page_of", "fields"), [("/", FIELDS), ("/compare", FIELDS), ("/rulebook", RULE_FIELDS)])
def test_scripts_in_every_field_are_text(site: Site, open_page: Open, page_of: str, fields: list[str]) -> None:
    """In every field at once, each time another script in another field."""
    page = open_page(site)
    for turn, script in enumerate((*SCRIPTS, ALL)):
        everywhere = {field: (*SCRIPTS, ALL)[(place + turn) % (len(SCRIPTS) + 1)] for place, field in enumerate(fields)}
        visit(page, site, f"{page_of}?{urlencode(everywhere)}")
        unharmed(page)
        assert page.locator(".field-error").count() > 0
        visit(page, site, f"{page_of}?{urlencode({'q': script})}")
        unharmed(page)
        assert script in page.locator("#q").input_value()


def scripted(value: Any) -> Any:
    """``value`` with every text in it, and every key, a script."""
    if isinstance(value, dict):
        known = {*answer(), *manifest(), *KEYS}
        return {key if key in known else key + ALL: scripted(found) for key, found in value.items()}
    if isinstance(value, list):
        return [scripted(found) for found in value]
    return ALL if isinstance(value, str) else value


KEYS = {"thinking", "choices", "text", "description", "risk_level", "roll_id", "purpose", "expression", "dice", "total", "target", "kind", "value", "success", "modifier", "advantage",
        "rule", "path", "message", "violations", "usage", "seconds", "id", "score", "input_tokens", "output_tokens", *(key for found in DOCUMENTS.values() for one in found for key in one), "name", "desc"}


BOOK = "\n\n".join([
    *(f"# {script}\n\nfire {script}\n\n## Under {script}\n\nfire <b>{script}</b>" for script in SCRIPTS), f"# Links\n\nfire [a](javascript:{SHOT}) [b](data:text/html,{SHOT}) ![c](https://evil.example/x.png) [d](https://evil.example)\n\n[e]: vbscript:{SHOT}\n\n[e]",
    f"# Tables\n\n| fire | {ALL.replace('|', '')} |\n|---|---|\n| {ALL.replace('|', '')} | fire |", f"# Code\n\n```\" onload=\"{SHOT}\nfire {ALL}\n```",
])
"""A book whose titles, tables, lists and links are scripts."""


def test_scripts_in_all_that_is_kept_are_text(serve: Serve, open_page: Open, handler: TellingHandler, tmp_path: Path) -> None:
    """In records, the archive, the rulebook, entities, books, and the engine's answers."""
    response = {**scripted(answer()), "session_header": f"[SESSION_HEADER]\nTimestamp: {ALL}\nLocation: {ALL}\nStatus: {ALL} | {ALL}"}
    handler.store.records += [
        record(1, answer=as_text(response), manifest=scripted(manifest()), state_before=scripted({"npc_data": {"a": "b"}}), user_input=ALL, fallback=ALL, mode="story", audience=ALL),
        record(2, answer=as_text({**response, "narrative": "", "god_mode_response": ALL}), user_input=ALL, mode=ALL), record(3, answer=ALL, user_input=ALL), record(4, id=ALL, user_input=ALL, campaign_id=ALL),
    ]
    handler.tell = lambda request: answer(narrative=request.user_input)
    (tmp_path / "books").mkdir()
    (tmp_path / "books/fire.txt").write_text(f"{ALL}\n\n" + "\n\n".join(f"# Fire {number}\n\nfire {script} fire {ALL}\n" for number, script in enumerate(SCRIPTS)), "utf-8")
    books = open_library(tmp_path / "data")
    books.scan(tmp_path / "books")
    evil = tuple(replace(EVIDENCE[0], id=str(place), title=script, text=script, citation=script) for place, script in enumerate((*SCRIPTS, ALL)))
    engine = TellingEngine(changed={
        "evidence": evil, "left_out": evil, "text": ALL, "notes": SCRIPTS, "attribution": ALL, "id": ALL, "by": ALL, "sentences": tuple(CitedSentence(script, (str(place),)) for place, script in enumerate(SCRIPTS)),
    })
    documents = {type_: [{**scripted(one), "slug": one["slug"]} for one in found] for type_, found in DOCUMENTS.items()}
    site = serve(
        assemblers={"dec_2025": assembler_of(tmp_path, {"falling.md": f"# Falling {ALL}\n\n## How {ALL}\n\nA creature that falls takes 1d6 bludgeoning damage. {ALL}\n"})}, rulebook=WordsRulebook(BOOK, source=ALL, attribution=ALL),
        entities=WordsIndex(documents, attribution=ALL), library=books, notes=KeptNotes([replace(one, title=ALL, campaign="c") for one in KeptNotes().kept]), engine=engine,
    )
    page = open_page(site)
    for path in (
        "/turns", "/turns/turn-1", "/turns/turn-2", "/turns/turn-3", "/play?campaign=ashen-keep", "/?q=a+creature+falls&audience=god", "/compare?q=a+creature+falls", "/rulebook", "/rulebook?q=fire", "/rulebook?section=links",
        *(f"/rulebook?{urlencode({'section': section.id})}" for section in parse_rulebook(BOOK)), "/entities", "/entities/spells?q=fire", "/entities?q=fire", "/entities/spells?like=ember-lance",
        *(f"/entities/{type_}/{one['slug']}" for type_, found in DOCUMENTS.items() for one in found), "/library", "/library?q=fire", "/library/fire", "/library/fire/entries/0", "/operations",
    ):
        assert visit(page, site, path).status == 200
        page.evaluate("document.querySelectorAll('details').forEach(node => node.open = true)")
        unharmed(page)
        assert SHOT in page.locator("main").text_content() or "q=" in path or path in {"/operations", "/library", "/library/fire"}
    for script in (*SCRIPTS, ALL):
        visit(page, site, "/play?campaign=told")
        page.fill("#user_input", script)
        page.click("text=Send")
        page.wait_for_function("said => document.querySelector('#latest .narrative')?.textContent.includes(said)", arg=script)
        unharmed(page)
        visit(page, site, "/ask?campaign=c")
        page.select_option("#character", "")
        page.fill("#q", script)
        follow(page, "button.primary")
        assert page.locator("#answer q").text_content() == script
        page.evaluate("document.querySelectorAll('details').forEach(node => node.open = true)")
        unharmed(page)


def test_an_inline_script_would_not_run_even_so(serve: Serve, browser: Any) -> None:
    site = serve()
    context = browser.new_context()
    page = context.new_page()
    page.goto(site.url)
    page.evaluate(f"document.body.insertAdjacentHTML('beforeend', `<img src=x onerror=\"{SHOT}\"><b style='position:fixed' id=styled>x</b>`)")
    page.evaluate(f"() => {{ const s = document.createElement('script'); s.textContent = '{SHOT}'; document.body.append(s); }}")
    assert page.evaluate("window.shot") is None
    assert page.evaluate("getComputedStyle(document.getElementById('styled')).position") == "static"
    context.close()


def active(page: Any) -> str:
    return page.evaluate("(e => e.id || e.name || e.className || e.tagName)(document.activeElement)")


def tab_to(page: Any, selector: str, most: int = 60) -> None:
    """Press Tab until the focus is on ``selector``."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("s => document.activeElement.matches(s)", selector):
            return
    raise AssertionError(f"{selector} is not reached by {most} tabs")


def enter(page: Any, selector: str, text: str = "") -> None:
    """Press Tab until the focus is on ``selector``; type a text there, and Enter."""
    tab_to(page, selector)
    page.keyboard.type(text)
    page.keyboard.press("Enter")


def test_a_turn_is_inspected_by_keyboard(serve: Serve, open_page: Open) -> None:
    site = serve()
    page = open_page(site)
    visit(page, site, "/")
    page.keyboard.press("Tab")
    assert active(page) == "skip"
    assert page.evaluate("document.activeElement.getBoundingClientRect().top >= 0")
    page.keyboard.press("Enter")
    assert active(page) == "content"
    page.keyboard.press("/")
    assert active(page) == "q"
    page.keyboard.type("how much damage does a creature take that falls")
    tab_to(page, "#version")
    page.keyboard.press("ArrowDown")
    tab_to(page, "#mode")
    page.keyboard.press("ArrowDown")
    tab_to(page, "#audience")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    enter(page, "summary:has(+ .card #state)")
    tab_to(page, "#state")
    page.keyboard.type('{"combat_state": {"in_combat": true}}')
    page.focus("#q")
    page.keyboard.press("Enter")
    page.wait_for_url("**/?q=**")
    asked = page.evaluate("Object.fromEntries(new URLSearchParams(location.search))")
    assert (asked["mode"], asked["audience"], asked["version"]) == ("dm", "god", "mar_2026")
    enter(page, ".legend a[href='#part-2']")
    assert page.evaluate("location.hash") == "#part-2"
    enter(page, ".candidate summary")
    assert page.locator(".candidate .chunk-text").first.is_visible()
    enter(page, "summary:has(+ .facts .chip)")
    assert "in combat" in page.locator(".weighing > .document .facts").text_content()


def test_views_and_budgets_change_in_place(serve: Serve, open_page: Open) -> None:
    site = serve()
    page = open_page(site)
    visit(page, site, "/?q=how+much+damage+does+a+creature+take+that+falls")
    page.evaluate("window.kept = true")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    printed = page.locator(".candidate.printed").count()
    page.click(".tabs >> text=Text")
    page.wait_for_selector("pre#code")
    page.click("[data-copy=code]")
    page.wait_for_selector("text=Copied")
    assert page.evaluate("navigator.clipboard.readText()") == page.locator("#code").text_content()
    page.focus("#budget-slider")
    page.keyboard.press("Home")
    page.wait_for_function("n => document.querySelectorAll('.candidate.printed').length < n", arg=printed)
    assert (page.locator("#budget").input_value(), active(page)) == ("0", "budget-slider")
    page.wait_for_url("**budget=0**")
    assert page.locator("pre#code").is_visible()  # the view stays
    page.fill("#budget", "1500")
    assert page.locator("#budget-slider").input_value() != "0"
    assert page.evaluate("window.kept")
    page.fill("#floor", "no number")
    page.focus("#budget-slider")
    with page.expect_navigation():
        page.keyboard.press("Home")
    assert "must be a number" in page.locator("#floor-error").text_content()  # what is wrong is shown whole
    page.go_back()
    assert page.locator("#q").input_value().startswith("how much damage")


def test_a_campaign_is_played_and_asked_and_the_library_by_keyboard(site: Site, open_page: Open) -> None:
    page = open_page(site)
    visit(page, site, "/play?campaign=new")
    enter(page, "#user_input", "I knock.")
    page.wait_for_url("**#latest")
    enter(page, "button.choice")
    page.wait_for_selector("#turn-6")
    assert [asked.user_input for asked in site.handler.asked] == ["I knock.", "Slip past"]
    visit(page, site, "/ask?campaign=lantern_road")
    enter(page, "#q", "Could I counter it?")
    page.wait_for_selector("#answer")
    enter(page, ".told a[href='#evidence-2']")
    assert page.locator("#evidence-2 .prose").is_visible()
    visit(page, site, "/library")
    enter(page, "#q", "otter under the ice")
    page.wait_for_selector("#result-1")
    assert page.evaluate("(async () => { const i = document.querySelector('.page-picture img'); i.loading = 'eager'; await i.decode(); return i.naturalWidth; })()") > 200
    box = page.locator(".page-picture").first.bounding_box()
    assert abs(box["height"] / box["width"] - 4 / 3) < 0.05


def test_books_and_entities_are_searched_by_keyboard(site: Site, open_page: Open) -> None:
    page = open_page(site)
    visit(page, site, "/rulebook")
    page.keyboard.press("/")
    page.keyboard.type("a creature falls in water by the fire")
    page.keyboard.press("Enter")
    page.wait_for_selector("#result-1")
    enter(page, "#result-2 summary")
    assert page.locator("#result-2 .prose").is_visible()
    visit(page, site, "/rulebook")
    lance = '.contents a[href$="spells/ember-lance"]'
    tab_to(page, '.contents a[href$="section=spells"] + details > summary')
    assert not page.locator(lance).is_visible()
    page.keyboard.press("Enter")
    enter(page, lance)
    page.wait_for_url("**section=spells/ember-lance")
    assert page.locator(lance).is_visible()
    visit(page, site, "/entities/spells?q=fire")
    page.focus('input[name="level"][value="3"]')
    page.keyboard.press("Space")
    page.wait_for_url("**level=3")
    assert page.evaluate("document.activeElement.value") == "3"
    assert page.locator(".list tbody th a").all_text_contents() == ["Ember Rain"]
    page.focus(".constraints .chip")
    page.keyboard.press("Enter")
    page.wait_for_url("**/entities/spells?q=fire")


@pytest.mark.parametrize("width", [1280, 390])
def test_everything_works_without_scripts(site: Site, open_page: Open, width: int) -> None:
    page = open_page(site, java_script_enabled=False, viewport={"width": width, "height": 900})
    visit(page, site, "/")
    page.fill("#q", "how much damage does a creature take that falls")
    page.fill("#budget", "40")
    follow(page, "text=Assemble")
    assert not page.locator("#budget-slider, .copy").first.is_visible()
    follow(page, ".budgets a >> nth=-1")
    follow(page, ".tabs >> text=Python")
    assert "PromptAssembler" in page.locator("#code").text_content()
    page.click(".candidate summary >> nth=0")
    assert page.locator(".chunk-text").first.is_visible()
    visit(page, site, "/turns/turn-1")
    page.click(".moment summary >> nth=1")
    assert page.locator(".moment:nth-child(2) .hint").first.is_visible()
    follow(page, "text=Inspect what was sent")
    assert page.locator("#q").input_value() == "I slip past the brazier."
    visit(page, site, "/play?campaign=new")
    page.fill("#user_input", "I knock.")
    follow(page, "text=Send")
    follow(page, "button.choice >> nth=1")
    assert [asked.user_input for asked in site.handler.asked] == ["I knock.", "Bluff"]
    visit(page, site, "/rulebook")
    page.fill("#q", "a creature falls in water by the fire")
    page.click("#options > summary")
    page.select_option("#intention", "rule_mechanics")
    page.fill("#budget", "200")
    page.check("text=Exploration & Environment")
    follow(page, "button >> text=Ask")
    page.click("#result-2 summary")
    assert page.locator("#result-2 .prose").is_visible()
    page.click(".contents > details > summary")
    follow(page, ".contents >> text=Spells")
    follow(page, ".below >> text=Quiet Step")
    assert "Nobody hears" in page.locator(".prose").text_content()
    visit(page, site, "/ask?campaign=lantern_road")
    for question in ("Who sank it?", "And why?"):
        page.select_option("#character", "Ilse Varn")
        page.fill("#q", question)
        follow(page, "button.primary")
    page.click("text=Wrong sources? Correct it")
    page.select_option("#domain", "books")
    follow(page, "button >> text=Save")
    assert "correction for “Books” is kept" in page.locator("[role=status].note").text_content()
    visit(page, site, "/play?campaign=ashen-keep")
    follow(page, "text=Look up")
    page.fill("#look-q", "ember lance")
    follow(page, "text=Search")
    assert "A lance of fire flies" in page.locator(".thing.best").text_content()


def test_the_dm_signs_in_and_out_by_keyboard(serve: Serve, open_page: Open, told: TellingHandler) -> None:
    site = serve(TOKEN)
    page = open_page(site)
    visit(page, site, "/turns")
    assert page.locator("h1").text_content() == "The DM token is needed"
    enter(page, "main a.button")
    page.wait_for_url("**/sign-in?**")
    enter(page, "#token", "wrong")
    page.wait_for_selector("[role=alert]")
    enter(page, "#token", TOKEN)
    page.wait_for_url("**/turns")
    assert page.locator("h1").text_content() == "Turns"
    enter(page, ".who button")
    page.wait_for_url(f"{site.url}/")
    assert page.locator(".who .tag").text_content() == "Player"


def test_a_turn_is_told_as_it_comes_and_the_page_stays(site: Site, open_page: Open) -> None:
    page = open_page(site)
    visit(page, site, "/play?campaign=ashen-keep")
    page.evaluate("() => { window.stayed = true; window.seen = []; new MutationObserver(() => { const e = document.querySelector('.unchecked .narrative'); if (e) window.seen.push(e.textContent); }).observe(document.body, {subtree: true, childList: true, characterData: true}); }")
    page.fill("#user_input", "I knock.")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("Twice.")
    page.keyboard.press("Enter")
    page.wait_for_selector("#latest #turn-5")
    assert site.handler.asked[0].user_input == "I knock.\nTwice."
    assert (page.evaluate("window.stayed"), page.input_value("#user_input"), active(page)) == (True, "", "user_input")
    assert any("The bar gives" in text for text in page.evaluate("window.seen"))
    site.handler.fails = ModelError("the model <b>is</b> asleep")
    page.fill("#user_input", "I shout.")
    page.keyboard.press("Enter")
    page.wait_for_selector(".say [role=alert]")
    assert "the model <b>is</b> asleep" in page.locator("[role=alert]").text_content()
    assert (page.input_value("#user_input"), page.locator(".unchecked").count(), page.locator(".choice").count()) == ("I shout.", 0, 3)
    site.handler.fails = None
    visit(page, site, "/play?campaign=new")
    page.fill("#user_input", "I knock.")
    asked = len(site.handler.asked)
    page.evaluate("() => { const f = document.querySelector('form.say'); f.requestSubmit(); f.requestSubmit(); }")
    page.wait_for_selector("text=Export")
    assert len(site.handler.asked) == asked + 1  # it is sent once


@pytest.mark.parametrize("options", [{}, {"viewport": {"width": 390, "height": 800}}])
def test_a_table_looks_up_without_leaving_and_opens_at_its_newest_turn(site: Site, open_page: Open, options: dict[str, Any]) -> None:
    page = open_page(site, **options)
    visit(page, site, "/play?campaign=ashen-keep")
    assert active(page) == "user_input"
    assert page.evaluate("(b => b.top >= 0 && b.top < innerHeight)(document.getElementById('latest').getBoundingClientRect())")
    page.evaluate("window.stayed = true")
    page.fill("#user_input", "I wait")
    page.click("text=Look up")
    page.wait_for_selector("#look-q:focus")
    at = page.evaluate("scrollY")
    page.keyboard.type("ember lance")
    page.wait_for_selector("#looked-up .thing.best")
    assert "A lance of fire flies" in page.locator("#drawer").text_content()
    page.click("#looked-up .thing.best h2 a")
    page.wait_for_selector("#looked-up .entity-whole")
    assert page.url.endswith("/play?campaign=ashen-keep")
    page.keyboard.press("Escape")
    assert (page.locator("#drawer").is_visible(), page.evaluate("window.stayed"), page.evaluate("scrollY"), page.input_value("#user_input"), active(page)) == (False, True, at, "I wait", "user_input")


@pytest.mark.parametrize("options", [{}, {"java_script_enabled": False}, {"viewport": {"width": 390, "height": 800}}])
def test_undo_branch_and_export_stand_under_a_turn(serve: Serve, open_page: Open, tmp_path: Path, site_settings: Settings, options: dict[str, Any]) -> None:
    settings = replace(site_settings, mvp_site_database_url=f"sqlite:///{tmp_path}/c.sqlite3", mvp_site_max_attempts=1)
    with TurnHandler.open(settings) as real:
        real.handle(TurnRequest("keep", "I wait.", state=STATE))
        site = serve(handler=real)
        page = open_page(site, **options)
        visit(page, site, "/play")
        follow(page, "text=keep")
        page.click("article .branch summary")
        page.fill("article [name=title]", "what-if")
        follow(page, "text=Begin")
        assert page.locator("h1").text_content() == "what-if"
        if "java_script_enabled" not in options:
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.click("text=Retry")
        page.wait_for_selector("#turn-2")
        assert (page.locator(".taken-back").count(), page.locator(".versions .version").count()) == (0, 1)
        follow(page, "text=Undo")
        assert page.locator("article").count() == 0
        assert [one.withdrawn for one in real.store.turns(5, "what-if")] == [2, 1]


TASKS: Any = {
    # Where one begins, what is clicked and typed, what is read then, and how many clicks it may take.
    "why a section was not retrieved in a turn": ("/turns/turn-1", ["text=Inspect what was sent", ("#why-name", "harbour"), "text=Why?"], "#why .note", "is not printed", 3),
    "why a section is not retrieved for words": ("/?q=a+creature+falls", [("#why-name", "harbour"), "text=Why?"], "#why .note", "is not printed", 3),
    "a creature's AC during play": ("/play?campaign=ashen-keep", [".look-up-link", ("#look-q", "bog wyrm")], ".thing.best .facts", "Armor Class", 2),
    "who is somebody in the story": ("/play?campaign=ashen-keep", [".look-up-link", ("#look-q", "reeve")], ".of-campaign details[open] .sheet-rows", "friendly", 2),
    "who is somebody in the notes": ("/play?campaign=lantern_road", ["text=Ask", ("#q", "Who is Brannoc?"), "button.primary"], ".answered .told", "Brannoc", 2),
}


@pytest.mark.parametrize("options", [{}, {"viewport": {"width": 390, "height": 800}, "has_touch": True}, {"java_script_enabled": False}])
@pytest.mark.parametrize("task", TASKS)
def test_what_people_look_for_is_few_clicks_away(site: Site, open_page: Open, task: str, options: dict[str, Any]) -> None:
    start, steps, where, words, most = TASKS[task]
    page = open_page(site, **options)
    visit(page, site, start)
    page.wait_for_load_state("networkidle")
    clicks = 0
    for step in steps:
        if isinstance(step, tuple):
            page.wait_for_selector(step[0] if "java_script_enabled" in options or step[0] != "#look-q" else "#look-q:focus")
            page.fill(*step)
        else:
            clicks += 1
            page.click(step)
    if page.locator("#looked-up").count() and "java_script_enabled" in options:
        page.keyboard.press("Enter")
    page.wait_for_selector(where)
    assert words in page.locator(where).first.inner_text()
    assert clicks <= most
    if "/play" in page.url and "look-up" not in page.url:
        place = page.evaluate("scrollY")
        page.keyboard.press("Escape")
        assert (page.evaluate("scrollY"), page.locator("#latest").count()) == (place, 1)  # the story stands where it stood


def test_a_list_is_searched_as_one_types_sorted_and_compared(serve: Serve, open_page: Open) -> None:
    site = serve(entities=WordsIndex())
    for scripts in (True, False):
        page = open_page(site, java_script_enabled=scripts)
        visit(page, site, "/entities/spells?level_min=1")
        if scripts:
            page.keyboard.press("/")
            page.keyboard.type("quiet step")
            page.wait_for_url("**q=quiet%20step*")
        else:
            page.fill("#q", "quiet step")
            follow(page, ".entity-search button")
        assert page.locator(".list tbody th a").first.text_content() == "Quiet Step"
        assert "q=quiet" in page.locator("#types a").nth(2).get_attribute("href")
        assert not scripts or page.evaluate("document.activeElement.id") == "q"
        visit(page, site, "/entities/spells")
        follow(page, ".list thead >> text=Level")
        assert page.locator(".list tbody th a").first.text_content() == "Lamp"
        for name in ("lamp", "ember-rain"):
            page.check(f'.tick input[value="{name}"]')
        follow(page, "text=Compare ticked")
        assert page.locator(".side-by-side thead th").all_text_contents() == ["Lamp", "Ember Rain"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("scripts", [True, False])
def test_on_a_phone_lists_and_cards_are_read_without_scrolling_aside(serve: Serve, open_page: Open, scheme: str, scripts: bool) -> None:
    site = serve(entities=WordsIndex())
    page = open_page(site, viewport={"width": 390, "height": 800}, color_scheme=scheme, java_script_enabled=scripts)
    for path, seen in (("/entities/monsters?q=fire+reed", ".list"), ("/entities/monsters/bog-wyrm", ".stat-block"), ("/rulebook?q=a+creature+falls", "#result-1")):
        visit(page, site, path)
        box = page.locator(seen).bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
        assert path.startswith("/entities/monsters?") or box["y"] < 400
        assert page.evaluate("document.documentElement.scrollWidth") <= 390 if scripts else True


SEEN = "(() => { const a = document.querySelector('%s [aria-current]').getBoundingClientRect(); return a.top > 0 && a.bottom < innerHeight && a.left >= 0 && a.right <= innerWidth; })()"


def test_contents_and_filters_fold_away_on_a_narrow_window(serve: Serve, open_page: Open) -> None:
    long = "\n\n".join(f"# Chapter {n}\n\nWords." for n in range(58))
    site = serve(rulebook=WordsRulebook(long), entities=WordsIndex())
    for width, folded in ((400, True), (1280, False)):
        page = open_page(site, viewport={"width": width, "height": 800})
        for path, rows, row in (("/rulebook?section=chapter-50", ".contents-rows", ".contents"), ("/entities/spells?q=fire", ".facet-rows", ".types")):
            visit(page, site, path)
            assert page.locator(rows).is_visible() is not folded
            # What is looked at is seen, of contents that are longer than the window as well.
            assert (folded and row == ".contents") or page.evaluate(SEEN % row)
            assert page.evaluate("scrollY") == 0


FOCUS = """() => {
  const e = document.activeElement;
  const shows = (node) => node && (s => s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2)(getComputedStyle(node));
  return e === document.body || shows(e) || shows(e.closest('label'));
}"""
PAGES = [*OPEN, *FOR_THE_DM, ASKED, "/turns/turn-4"]


@pytest.mark.parametrize("first", sorted({re.match("/[a-z]*", path)[0] for path in PAGES}))  # type: ignore[index]
def test_every_page_is_accessible_fits_and_is_walked_through(serve: Serve, site: Site, open_page: Open, first: str) -> None:
    """By axe: as a page opens, on a phone with all that is folded away, and its contrast in the dark.

    The focus is seen wherever it goes and leaves at the end, and nothing is too wide.
    """
    site = serve(TOKEN) if first == "/sign" else site
    for path in (path for path in PAGES if re.match("/[a-z]*", path)[0] == first):  # type: ignore[index]
        page = open_page(site, color_scheme="light")
        visit(page, site, path)
        for _ in range(200):
            page.keyboard.press("Tab")
            assert page.evaluate(FOCUS), (path, active(page))
            if page.evaluate("document.activeElement === document.body"):
                break
        else:
            raise AssertionError(f"Tab never leaves {path}")
        for width in (1280, 768, 390, 320):  # from a small phone on
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        for width, scheme, rules in ((1280, "light", {}), (390, "light", {}), (390, "dark", {"runOnly": ["color-contrast"]}), (1280, "dark", {"runOnly": ["color-contrast"]})):
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=scheme)
            found = axe.Axe().run(page, options=rules).response["violations"]
            assert [(path, v["id"], [node["target"] for node in v["nodes"]]) for v in found] == []
            ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert (int(re.findall(r"\d+", ground)[0]) > 128) is (scheme == "light")
            page.evaluate("document.querySelectorAll('details').forEach(node => node.open = true)")
        page.close()


def test_a_change_is_confirmed_and_the_api_is_viewed(serve: Serve, open_page: Open, told: TellingHandler) -> None:
    """What a version's button does is said before it is done, without scripts too."""
    site = serve()
    services = site.app.extensions["services"]
    services.settings = replace(services.settings, prompt_version=None)
    for scripts in (True, False):
        page = open_page(site, java_script_enabled=scripts)
        visit(page, site, "/operations")
        assert not page.locator("button:has-text('Promote')").first.is_visible()
        page.locator(".change > summary").first.click()
        assert page.locator("button:has-text('Promote')").first.is_visible()
        visit(page, site, "/docs/api")
        page.wait_for_selector("#plain td" if not scripts else "#viewer .opblock")
        assert page.locator("#plain").is_visible() is not scripts


# --- an evening at the table ----------------------------------------------------------------------


@pytest.fixture
def table(browser: Any, serve: Serve, tmp_path: Path, site_settings: Settings, site_assemblers: Any) -> Iterator[tuple[Any, Site, TurnHandler]]:
    """A page at the table of a campaign of one turn, whose server may be out of reach."""
    settings = replace(site_settings, mvp_site_database_url=f"sqlite:///{tmp_path}/table.sqlite3")
    with TurnHandler.open(settings, assembler=site_assemblers["dec_2025"]) as handler:
        handler.handle(TurnRequest("evening", "I look around.", state=STATE))
        site = serve(handler=handler)
        context = browser.new_context(viewport={"width": 390, "height": 844})
        page = context.new_page()
        page.set_default_timeout(10_000)
        visit(page, site, "/play?campaign=evening")
        yield page, site, handler
        context.close()


def inputs(handler: TurnHandler) -> list[str]:
    return [turn.user_input for turn in reversed(handler.store.turns(9, "evening"))]


def test_a_mode_holds_for_one_turn_and_is_seen(table: tuple[Any, Site, TurnHandler]) -> None:
    page, _, handler = table
    page.click(".say-more > summary")
    page.check("input[value=god][name=mode]", force=True)
    page.click(".say-more > summary")
    assert page.inner_text(".say-more > summary").endswith(": God")
    for text in ("god: note that the guard is gone", "I nod."):
        page.fill("#user_input", text)
        page.click(".say >> text=Send")
        page.locator(".entry.latest", has_text=text).wait_for()
        page.locator("body:not(.playing)").wait_for()
    assert [turn.mode for turn in handler.store.turns(2, "evening")] == ["story", "god"]
    assert ":" not in page.inner_text(".say-more > summary")


def test_a_draft_and_a_turn_under_way_outlive_a_reload(table: tuple[Any, Site, TurnHandler]) -> None:
    """The turn was taken, and its answer lost: it is picked up, and taken once."""
    page, site, handler = table
    page.fill("#user_input", "I wait.")
    visit(page, site, "/play")
    visit(page, site, "/play?campaign=evening")
    assert page.input_value("#user_input") == "I wait."
    page.route("**/play", lambda route: (route.fetch(), route.abort()) if route.request.method == "POST" else route.continue_())
    page.click(".say >> text=Send")
    page.locator("#said-wrong", has_text="The server is not reached. Your words are kept.").wait_for()
    assert (page.input_value("#user_input"), inputs(handler)) == ("I wait.", ["I look around.", "I wait."])
    page.unroute("**/play")
    page.reload()
    page.locator("#latest", has_text="I wait.").wait_for()
    page.locator("body:not(.playing)").wait_for()
    assert page.locator(".entry", has_text="I wait.").count() == 1
    assert (page.input_value("#user_input"), inputs(handler)) == ("", ["I look around.", "I wait."])
    page.reload()
    assert page.input_value("#user_input") == ""
    assert inputs(handler) == ["I look around.", "I wait."]


def test_the_drawer_tells_that_the_server_is_away_and_closes_by_back(table: tuple[Any, Site, TurnHandler]) -> None:
    page, _, _ = table
    page.route("**/play/look-up*", lambda route: route.abort())
    page.click(".look-up-link")
    page.locator("#drawer-body [role=alert]", has_text="The server is not reached.").wait_for()
    page.unroute("**/play/look-up*")
    page.go_back()
    page.locator("#drawer:not([open])").wait_for(state="attached")
    assert "/play?campaign=evening" in page.url
    page.click(".look-up-link")
    page.locator("#look-q").wait_for()
    page.click("#drawer >> text=Close")
    assert not page.is_visible("#drawer")


def test_a_text_that_is_too_long_is_said_to_be(table: tuple[Any, Site, TurnHandler]) -> None:
    page, _, handler = table
    page.fill("#user_input", "x" * 21_000)
    page.click(".say >> text=Send")
    assert "21,000 characters; at most 20,000" in page.evaluate("document.querySelector('#user_input').validationMessage")
    assert (len(page.input_value("#user_input")), inputs(handler)) == (21_000, ["I look around."])
