"""The pages in a browser: no script of anybody's runs, everything works by keyboard, all can be read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from mvp_site import PromptAssembler

try:
    from axe_playwright_python import sync_playwright as axe
except ImportError:  # its rules come on top of those here
    axe = None

from mvp_site.rulebook.markdown import parse_rulebook

from ..doubles import assembler_of
from .books import WordsRulebook
from .conftest import TOKEN, Site
from .doubles import TellingHandler, answer, as_text, manifest, record

SHOT = "window.shot = (window.shot || 0) + 1"
SCRIPTS = (
    f"<script>{SHOT}</script>", f"\"><img src=x onerror='{SHOT}'>", f"'><svg onload=\"{SHOT}\">", f"</textarea><script>{SHOT}</script>", f"</pre><iframe srcdoc='<script>parent.{SHOT}</script>'>",
    f"javascript:{SHOT}", "{{ 7 * 7 }}{% raw %}", f"</title></style><script>{SHOT}</script>",
)
ALL = "".join(SCRIPTS)
PATHS = ["/", "/?text=how+much+damage+does+a+creature+take+that+falls&audience=dm", "/?text=&state=%7Bno&version=xx", "/compare?text=how+far+does+a+party+travel+on+foot", "/turns",
         "/turns/turn-1", "/turns/turn-2", "/turns/turn-1/prompt", "/play", "/play?campaign=ashen-keep", "/sign-in", "/nowhere", "/rulebook",
         "/rulebook?question=fire+creature+falls&intention=compare_entities&entities=ember+lance,quiet+step", "/rulebook?question=xyzzy&category=3", "/rulebook?section=playing/falling",
         "/rulebook?intention=comp&budget=3&category=77&hints=" + "x" * 300]


@pytest.fixture
def told(handler: TellingHandler) -> TellingHandler:
    """A campaign with a turn of each kind."""
    weighed = {"text": "Slip past", "description": "Blind side.", "risk_level": "high", "pros": ["quick"], "cons": ["wet"], "confidence": "low"}
    handler.store.records += [
        record(1), record(2, fallback="contract", sparse=True, manifest=manifest(chunks=[])), record(3, mode="god", audience="god"),
        record(4, answer=as_text(answer(narrative="", planning_block={"thinking": "Two ways.", "choices": {"a": weighed, "b": {**weighed, "risk_level": "safe"}}}))),
    ]
    return handler


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


# --- scripts ---------------------------------------------------------------------------------------


def follow(page: Any, selector: str) -> None:
    """Click what leads to another page, and wait for that page."""
    with page.expect_navigation():
        page.click(selector)


def unharmed(page: Any) -> None:
    """No script of a field has run, and none has become an element."""
    assert page.evaluate("window.shot") is None
    assert page.evaluate("document.querySelectorAll('script:not([src]), img, iframe, [onerror], [onload], svg [onload]').length") == 0
    assert page.evaluate("[...document.querySelectorAll('a, form')].every(e => /^(https?:|#|\\/)/.test(e.getAttribute('href') || e.getAttribute('action') || '#'))")


FIELDS = ["text", "mode", "audience", "version", "state", "a", "b", "nonsense"]


@pytest.mark.parametrize("page_of", ["/", "/compare"])
def test_scripts_in_a_query_are_text(serve: Callable[..., Site], open_page: Callable[..., Any], page_of: str) -> None:
    site = serve()
    page = open_page(site)
    for turn, script in enumerate((*SCRIPTS, ALL)):
        visit(page, site, f"{page_of}?{urlencode({'text': script})}")
        unharmed(page)
        assert script in page.locator("textarea#text").input_value()
        assert script in page.locator(".part.turn pre").first.text_content()
        # In every field at once, each time another script in another field.
        everywhere = {field: (*SCRIPTS, ALL)[(place + turn) % (len(SCRIPTS) + 1)] for place, field in enumerate(FIELDS)}
        visit(page, site, f"{page_of}?{urlencode(everywhere)}")
        unharmed(page)
        assert page.locator(".field-error").count() > 0


@pytest.mark.parametrize("query", [
    "/turns?campaign={}", "/turns?before={}", "/turns/{}", "/play?campaign={}", "/play?campaign=ashen-keep&mode={}", "/sign-in?next={}", "/{}", "/static/{}",
])
def test_scripts_in_an_address_are_text(serve: Callable[..., Site], open_page: Callable[..., Any], told: TellingHandler, query: str) -> None:
    from urllib.parse import quote

    site = serve(TOKEN) if "sign-in" in query else serve()
    page = open_page(site)
    for script in (*SCRIPTS, ALL):
        visit(page, site, query.format(quote(script, safe="")))
        unharmed(page)


def test_scripts_in_what_is_played_are_text(serve: Callable[..., Site], open_page: Callable[..., Any], handler: TellingHandler) -> None:
    handler.tell = lambda request: answer(narrative=request.user_input)
    site = serve()
    page = open_page(site)
    visit(page, site, "/play?campaign=ashen-keep")
    for script in (*SCRIPTS, ALL):
        page.fill("#user_input", script)
        follow(page, "text=Say it")
        assert script in page.locator(".latest .narrative").text_content()
        unharmed(page)


def scripted(value: Any) -> Any:
    """``value`` with every text in it, and every key, a script."""
    if isinstance(value, dict):
        return {f"{key}" if key in answer() or key in manifest() or key in KEYS else key + ALL: scripted(found) for key, found in value.items()}
    if isinstance(value, list):
        return [scripted(found) for found in value]
    return ALL if isinstance(value, str) else value


KEYS = {"thinking", "choices", "text", "description", "risk_level", "roll_id", "purpose", "expression", "dice", "total", "target", "kind", "value", "success", "modifier", "advantage",
        "rule", "path", "message", "violations", "usage", "seconds", "id", "score", "input_tokens", "output_tokens"}


def test_scripts_in_every_field_of_a_record_are_text(serve: Callable[..., Site], open_page: Callable[..., Any], handler: TellingHandler) -> None:
    response = scripted(answer())
    response["session_header"] = f"[SESSION_HEADER]\nTimestamp: {ALL}\nLocation: {ALL}\nStatus: {ALL} | {ALL}"
    handler.store.records += [
        record(1, answer=as_text(response), manifest=scripted(manifest()), state_before=scripted({"npc_data": {"a": "b"}}), user_input=ALL, fallback=ALL, mode="story", audience=ALL),
        record(2, answer=as_text({**response, "narrative": "", "god_mode_response": ALL}), user_input=ALL, mode=ALL),
        record(3, answer=ALL, user_input=ALL),
        record(4, id=ALL, user_input=ALL, campaign_id=ALL),
    ]
    site = serve()
    page = open_page(site)
    for path in ("/turns", "/turns/turn-1", "/turns/turn-2", "/turns/turn-3", "/play?campaign=ashen-keep"):
        assert visit(page, site, path).status == 200
        unharmed(page)
        assert SCRIPTS[0] in page.content().replace("&lt;", "<").replace("&gt;", ">")
        for summary in page.locator("summary").all():
            summary.click()
        unharmed(page)


def test_scripts_in_the_archive_are_text(serve: Callable[..., Site], open_page: Callable[..., Any], tmp_path: Path) -> None:
    files = {"falling.md": f"# Falling {ALL}\n\n## How {ALL}\n\nA creature that falls takes 1d6 bludgeoning damage. {ALL}\n"}
    assembler: PromptAssembler = assembler_of(tmp_path, files)
    site = serve(assemblers={"dec_2025": assembler})
    page = open_page(site)
    visit(page, site, "/?text=a+creature+falls&audience=god")
    assert "1d6 bludgeoning" in page.locator(".part.passage pre").first.text_content()
    unharmed(page)
    visit(page, site, "/compare?text=a+creature+falls")
    unharmed(page)


def test_an_inline_script_would_not_run_even_so(serve: Callable[..., Site], browser: Any) -> None:
    site = serve()
    context = browser.new_context()
    page = context.new_page()
    page.goto(site.url)
    page.evaluate(f"document.body.insertAdjacentHTML('beforeend', `<img src=x onerror=\"{SHOT}\"><b style='position:fixed' id=styled>x</b>`)")
    page.evaluate(f"() => {{ const s = document.createElement('script'); s.textContent = '{SHOT}'; document.body.append(s); }}")
    assert page.evaluate("window.shot") is None
    assert page.evaluate("getComputedStyle(document.getElementById('styled')).position") == "static"
    context.close()


# --- keyboard --------------------------------------------------------------------------------------


def active(page: Any) -> str:
    return page.evaluate("(e => e.id || e.name || e.className || e.tagName)(document.activeElement)")


def tab_to(page: Any, selector: str, most: int = 60) -> None:
    """Press Tab until the focus is on ``selector``."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("s => document.activeElement.matches(s)", selector):
            return
    raise AssertionError(f"{selector} is not reached by {most} tabs")


def test_a_turn_is_inspected_by_keyboard(serve: Callable[..., Site], open_page: Callable[..., Any]) -> None:
    site = serve()
    page = open_page(site)
    visit(page, site, "/")
    page.keyboard.press("Tab")
    assert active(page) == "skip"
    assert page.evaluate("document.activeElement.getBoundingClientRect().top >= 0")
    page.keyboard.press("Enter")
    assert active(page) == "content"
    tab_to(page, "#text")
    page.keyboard.type("how much damage does a creature take that falls")
    tab_to(page, "[name=mode]")
    page.keyboard.press("ArrowRight")
    tab_to(page, "[name=audience]")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    tab_to(page, "#version")
    page.keyboard.press("ArrowDown")
    tab_to(page, "summary")
    page.keyboard.press("Enter")
    tab_to(page, "#state")
    page.keyboard.type('{"combat_state": {"in_combat": true}}')
    tab_to(page, "button.primary")
    page.keyboard.press("Enter")
    page.wait_for_url("**/?text=**")
    asked = page.evaluate("Object.fromEntries(new URLSearchParams(location.search))")
    assert (asked["mode"], asked["audience"], asked["version"]) == ("dm", "god", "mar_2026")
    assert "in combat" in page.locator(".facts").text_content()
    tab_to(page, ".legend a[href='#part-2']")
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#part-2"
    tab_to(page, "details.part.header summary, .scroll")
    page.keyboard.press("Shift+Tab")


def test_ctrl_enter_sends_the_turn(serve: Callable[..., Site], open_page: Callable[..., Any]) -> None:
    site = serve()
    page = open_page(site)
    visit(page, site, "/")
    page.fill("#text", "a fall")
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/?text=a+fall**")


def test_a_turn_is_played_by_keyboard(serve: Callable[..., Site], open_page: Callable[..., Any]) -> None:
    site = serve()
    page = open_page(site)
    visit(page, site, "/play")
    tab_to(page, "#campaign")
    page.keyboard.type("ashen-keep")
    page.keyboard.press("Enter")
    page.wait_for_url("**/play?campaign=ashen-keep")
    tab_to(page, "#user_input")
    page.keyboard.type("I knock.")
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**#latest")
    tab_to(page, "button.choice")
    assert "Slip past" in page.evaluate("document.activeElement.textContent")
    page.keyboard.press("Enter")
    page.wait_for_selector("#turn-2")
    assert site.handler.asked[1].user_input == "Slip past"


def test_the_dm_signs_in_and_out_by_keyboard(serve: Callable[..., Site], open_page: Callable[..., Any], told: TellingHandler) -> None:
    site = serve(TOKEN)
    page = open_page(site)
    visit(page, site, "/turns")
    assert page.locator("h1").text_content() == "The DM token is needed"
    tab_to(page, "main a.button")
    page.keyboard.press("Enter")
    page.wait_for_url("**/sign-in?**")
    tab_to(page, "#token")
    page.keyboard.type("wrong")
    page.keyboard.press("Enter")
    page.wait_for_selector("[role=alert]")
    tab_to(page, "#token")
    page.keyboard.type(TOKEN)
    page.keyboard.press("Enter")
    page.wait_for_url("**/turns")
    assert page.locator("h1").text_content() == "Recent turns"
    tab_to(page, ".who button")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{site.url}/")
    assert page.locator(".who .tag").text_content() == "Player"


def test_everything_works_without_scripts(serve: Callable[..., Site], open_page: Callable[..., Any]) -> None:
    site = serve()
    page = open_page(site, java_script_enabled=False)
    visit(page, site, "/")
    page.fill("#text", "how much damage does a creature take that falls")
    follow(page, "text=Assemble the prompt")
    assert page.locator(".part.passage").count() > 0
    visit(page, site, "/play?campaign=ashen-keep")
    page.fill("#user_input", "I knock.")
    follow(page, "text=Say it")
    follow(page, "button.choice >> nth=1")
    assert [asked.user_input for asked in site.handler.asked] == ["I knock.", "Bluff"]


def test_a_turn_is_sent_once(serve: Callable[..., Site], open_page: Callable[..., Any]) -> None:
    site = serve()
    page = open_page(site)
    visit(page, site, "/play?campaign=ashen-keep")
    page.fill("#user_input", "I knock.")
    page.evaluate("() => { const f = document.querySelector('form.say'); f.requestSubmit(); f.requestSubmit(); }")
    page.wait_for_url("**#latest")
    assert len(site.handler.asked) == 1


# --- the rulebook ----------------------------------------------------------------------------------


def scripted_book() -> str:
    """A book whose titles, tables, lists and links are scripts."""
    cells = " | ".join(script.replace("|", "") for script in SCRIPTS)
    lines = [f"# {script}\n\nfire {script}\n\n## Under {script}\n\nfire <b>{script}</b>" for script in SCRIPTS]
    return "\n\n".join([
        *lines, f"# Tables\n\n| fire | {cells} |\n|{'---|' * (len(SCRIPTS) + 1)}\n| {cells} | fire |",
        f"# Links\n\nfire [a](javascript:{SHOT}) [b](data:text/html,{SHOT}) ![c](https://evil.example/x.png) <img src='https://evil.example/y.png' onerror='{SHOT}'> [d](https://evil.example)\n\n[e]: vbscript:{SHOT}\n\n[e]",
        f"# Code\n\n```\" onload=\"{SHOT}\nfire {ALL}\n```",
    ])


def test_scripts_in_a_book_are_text(serve: Callable[..., Site], open_page: Callable[..., Any]) -> None:
    sections = parse_rulebook(scripted_book())
    site = serve(rulebook=WordsRulebook(sections, page=50, source=ALL, attribution=ALL))
    page = open_page(site)
    for path in ("/rulebook", "/rulebook?question=fire", *(f"/rulebook?{urlencode({'section': section.id})}" for section in sections)):
        assert visit(page, site, path).status == 200
        unharmed(page)
        for details in page.locator("details:not([open]) > summary").all():
            if details.is_visible():
                details.click()
        unharmed(page)
    assert page.locator(".prose a").count() == 0
    visit(page, site, "/rulebook?section=links")
    assert "https://evil.example" in page.locator(".prose").text_content()


RULE_FIELDS = ["question", "intention", "entities", "hints", "category", "budget", "continuation"]


def test_scripts_in_a_question_are_text(serve: Callable[..., Site], open_page: Callable[..., Any]) -> None:
    site = serve()
    page = open_page(site)
    for turn, script in enumerate((*SCRIPTS, ALL)):
        for query in (
            {"question": script, "entities": script, "hints": script}, {"question": "x", "continuation": script}, {"section": script},
            {field: (*SCRIPTS, ALL)[(place + turn) % (len(SCRIPTS) + 1)] for place, field in enumerate(RULE_FIELDS)},
        ):
            visit(page, site, f"/rulebook?{urlencode(query)}")
            unharmed(page)


def test_the_rulebook_is_asked_by_keyboard(serve: Callable[..., Site], open_page: Callable[..., Any], book: WordsRulebook) -> None:
    site = serve()
    page = open_page(site)
    visit(page, site, "/rulebook")
    tab_to(page, ".skip-here")
    page.keyboard.press("Enter")
    tab_to(page, "#question")
    page.keyboard.type("a creature falls in water by the fire")
    page.keyboard.press("Enter")
    page.wait_for_selector("#result-1")
    tab_to(page, "#result-1 .scored summary")
    page.keyboard.press("Enter")
    assert page.locator("#result-1 .score-parts").is_visible()
    tab_to(page, ".more button")
    page.keyboard.press("Enter")
    page.wait_for_url("**continuation=from-3**")
    assert [asked["continuation"] for asked in book.asked] == [None, "from-3"]


def test_the_contents_are_walked_by_keyboard(serve: Callable[..., Site], open_page: Callable[..., Any]) -> None:
    site = serve()
    page = open_page(site)
    visit(page, site, "/rulebook")
    lance = '.contents a[href$="spells/ember-lance"]'
    tab_to(page, '.contents a[href$="section=spells"] + details > summary')
    assert not page.locator(lance).is_visible()
    page.keyboard.press("Enter")
    tab_to(page, lance)
    page.keyboard.press("Enter")
    page.wait_for_url("**section=spells/ember-lance")
    assert page.locator("h2").first.text_content() == "Ember Lance"
    assert page.locator(lance).is_visible()


def test_the_rulebook_works_without_scripts(serve: Callable[..., Site], open_page: Callable[..., Any], book: WordsRulebook) -> None:
    site = serve()
    page = open_page(site, java_script_enabled=False)
    visit(page, site, "/rulebook")
    page.fill("#question", "a creature falls in water by the fire")
    page.select_option("#intention", "rule_mechanics")
    page.click("text=Hints, budget, categories")
    page.fill("#budget", "700")
    page.check("text=Exploration & Environment")
    page.check("text=Spellcasting System")
    follow(page, "button >> text=Ask")
    assert page.locator("article.rule").count() == 3
    follow(page, ".more button")
    assert [(asked["max_tokens"], len(asked["categories"]), asked["continuation"]) for asked in book.asked] == [(700, 2, None), (700, 2, "from-3")]
    follow(page, ".contents >> text=Spells")
    follow(page, ".below >> text=Quiet Step")
    assert "Nobody hears" in page.locator(".prose").text_content()


def test_contents_fold_away_on_a_narrow_window(serve: Callable[..., Site], open_page: Callable[..., Any]) -> None:
    site = serve()
    for width, folded in ((390, True), (1280, False)):
        page = open_page(site, viewport={"width": width, "height": 800})
        visit(page, site, "/rulebook?section=playing/falling/water")
        assert page.locator(".contents-rows").is_visible() is not folded
    # Contents that are longer than the window show where the page is.
    long = parse_rulebook("\n\n".join(f"# Chapter {n}\n\nWords." for n in range(58)))
    site = serve(rulebook=WordsRulebook(long))
    page = open_page(site)
    visit(page, site, "/rulebook?section=chapter-50")
    assert page.evaluate("(() => { const a = document.querySelector('.contents [aria-current]').getBoundingClientRect(); return a.top > 0 && a.bottom < innerHeight; })()")
    assert page.evaluate("scrollY") == 0


# --- to be read ------------------------------------------------------------------------------------

FOCUS = """() => {
  const e = document.activeElement;
  const shows = (node) => node && (s => s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2)(getComputedStyle(node));
  return e === document.body || shows(e) || shows(e.closest('label'));
}"""

CONTRAST = """() => {
  const parse = (text) => { const n = text.match(/[\\d.]+/g).map(Number); return n.length === 4 ? n : [...n, 1]; };
  const over = (top, under) => top.slice(0, 3).map((v, i) => v * top[3] + under[i] * (1 - top[3]));
  const light = (rgb) => { const c = rgb.map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]; };
  const ground = (node) => {
    if (!node) return parse(getComputedStyle(document.documentElement).backgroundColor)[3] ? parse(getComputedStyle(document.documentElement).backgroundColor) : [255, 255, 255];
    const found = parse(getComputedStyle(node).backgroundColor);
    return found[3] === 1 ? found.slice(0, 3) : over(found, ground(node.parentElement));
  };
  const bad = [];
  for (const node of document.querySelectorAll('body *')) {
    const own = [...node.childNodes].some(child => child.nodeType === 3 && child.textContent.trim());
    const value = node.matches('input:not([type=hidden]):not([type=radio]):not([type=checkbox]), textarea');
    if (!own && !value || node.closest('svg, script, .visually-hidden, label:has(:disabled), option') || !node.checkVisibility()) continue;
    const style = getComputedStyle(node);
    let opacity = 1;
    for (let up = node; up; up = up.parentElement) opacity *= parseFloat(getComputedStyle(up).opacity);
    const under = ground(node), top = parse(style.color);
    const a = light(over([...top.slice(0, 3), top[3] * opacity], under)), b = light(under);
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const size = parseFloat(style.fontSize), large = size >= 24 || size >= 18.66 && parseInt(style.fontWeight) >= 700;
    if (ratio < (large ? 3 : 4.5)) bad.push([node.tagName, node.className, node.textContent.trim().slice(0, 30), ratio.toFixed(2)].join(' | '));
  }
  return bad;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PATHS)
def test_every_text_stands_out_from_its_ground(serve: Callable[..., Site], open_page: Callable[..., Any], told: TellingHandler, path: str, scheme: str) -> None:
    site = serve(TOKEN) if path == "/sign-in" else serve()
    page = open_page(site, color_scheme=scheme)
    visit(page, site, path)
    if axe is not None:
        found = axe.Axe().run(page).response["violations"]
        assert [(v["id"], [node["target"] for node in v["nodes"]]) for v in found] == []
    page.evaluate("document.querySelectorAll('details').forEach(node => node.open = true)")
    assert page.evaluate(CONTRAST) == []
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (int(re.findall(r"\d+", ground)[0]) > 128) is (scheme == "light")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_lines_that_mean_something_stand_out_too(serve: Callable[..., Site], open_page: Callable[..., Any], scheme: str) -> None:
    site = serve()
    page = open_page(site, color_scheme=scheme)
    visit(page, site, "/")
    colours = page.evaluate("""() => { const s = getComputedStyle(document.documentElement); const d = document.createElement('i'); document.body.append(d);
        return Object.fromEntries(['edge', 'accent', 'h', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8', 'paper', 'surface', 't1', 't2', 't3', 't4', 't5', 't6', 't7', 't8', 'h-tint'].map(n => {
        d.style.color = s.getPropertyValue('--' + n); return [n, getComputedStyle(d).color.match(/\\d+/g).map(Number)]; })); }""")

    def light(name: str) -> float:
        parts = [v / 255 / 12.92 if v / 255 <= 0.04045 else ((v / 255 + 0.055) / 1.055) ** 2.4 for v in colours[name]]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    def ratio(one: str, other: str) -> float:
        least, most = sorted((light(one), light(other)))
        return (most + 0.05) / (least + 0.05)

    for name in ("edge", "accent", "h", *(f"c{n}" for n in range(1, 9))):
        for ground in ("paper", "surface"):
            assert ratio(name, ground) >= 3, (name, ground)
    for number in range(1, 9):
        assert ratio(f"c{number}", f"t{number}") >= 3


def walk_through(page: Any) -> None:
    """Every control has a name, the focus is seen wherever it goes and leaves at the end, and nothing is too wide."""
    tree = page.locator("body").aria_snapshot()
    nameless = r"- (button|link|textbox|searchbox|combobox|checkbox|radio|region|navigation|article|search|table)\s*(:|$|\[)"
    assert not re.search(nameless, tree, re.MULTILINE), tree
    for landmark in ("- main", "- banner", "- contentinfo", "- navigation"):
        assert landmark in tree
    for _ in range(200):
        page.keyboard.press("Tab")
        assert page.evaluate(FOCUS), active(page)
        if page.evaluate("document.activeElement === document.body"):
            break
    else:
        raise AssertionError("Tab never leaves the page")
    for width in (768, 390, 320):  # from a small phone on
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("path", PATHS)
def test_a_page_fits_and_is_walked_through(serve: Callable[..., Site], open_page: Callable[..., Any], told: TellingHandler, path: str) -> None:
    site = serve(TOKEN) if path == "/sign-in" else serve()
    page = open_page(site)
    visit(page, site, path)
    walk_through(page)


def test_nothing_moves_for_who_asked_for_stillness(serve: Callable[..., Site], open_page: Callable[..., Any]) -> None:
    site = serve()
    for motion, behaviour in (("reduce", "auto"), ("no-preference", "smooth")):
        page = open_page(site, reduced_motion=motion)
        visit(page, site, "/")
        assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == behaviour
