"""The inspector: why a candidate is where it is, other budgets, the prompt as code, two versions and a turn that was played."""

from __future__ import annotations

import html
import json
import re
import shlex
from typing import Any
from urllib.parse import urlencode

import pytest
from flask.testing import FlaskClient

from mvp_site import PromptAssembler, Settings
from mvp_site.operations.services import Services
from mvp_site.web.forms import read_messages

from ..hashing import HashingEncoder
from .conftest import TOKEN, MakeApp
from .doubles import TellingHandler, record

FALL = "how much damage does a creature take that falls, and what does the harbour master hide?"
ASKED = {"q": FALL, "version": "dec_2025"}


def get(client: FlaskClient, path: str = "/", **query: Any) -> str:
    response = client.get(f"{path}?{urlencode(query)}")
    assert response.status_code == 200
    return html.unescape(response.text)


def code(page: str) -> str:
    found = re.search(r'<pre class="code whole".*?>(.*?)</pre>', page, re.DOTALL)
    assert found
    return found[1]


def test_every_candidate_says_why(local: FlaskClient) -> None:
    page = get(local, **ASKED)
    first = page.split('<details class="candidate')[1]
    for text in ("Printed", "tokens", '<span class="chip">damage</span>', "Lexical", "Dense", "mechanics.md:", "1d6 bludgeoning"):
        assert text in first
    assert re.search(r'class="section">([^<]+)<.*?<pre class="chunk-text"[^>]*>[^<]*#+ <mark>\1\n</mark>', first, re.DOTALL)
    assert re.search(r"Below the floor by 0\.\d{3}", get(local, **ASKED, floor="1"))
    assert "Sparse turn" in get(local, **ASKED, floor="1")
    assert re.search(r"Over budget: [\d,]+ tokens short", get(local, **ASKED, budget="40"))


def test_a_player_sees_no_hidden_candidate(player: FlaskClient, local: FlaskClient) -> None:
    whole, theirs = get(local, **ASKED), get(player, **ASKED)
    for secret in ("world/harbour", "dies on the last night", "mechanics.md:", "Hidden from this audience"):
        assert (secret in whole, secret in theirs) == (True, False)
    for view in ("json", "text", "messages", "python", "curl"):
        assert "world/harbour" not in get(player, **ASKED, view=view)
    for path in ("/?turn=turn-1", "/compare?turn=turn-1"):
        assert player.get(path).status_code == 401


def test_other_budgets_print_what_they_say(local: FlaskClient) -> None:
    page = get(local, **ASKED, budget="40")
    links = re.findall(r'<li><a href="/\?([^"]*)"><strong>([\d,]+)</strong>(.*?)</a>', page)
    assert links
    for query, tokens, says in links:
        assert f"budget={tokens.replace(',', '')}" in query
        there = html.unescape(local.get(f"/?{query}").text)
        for comes in re.findall(r"\+ ([^ <]+)", says):
            assert re.search(rf'printed hue-\d"[^>]*>\s*<summary>.*?<code>{re.escape(comes)}</code>', there)


STATE = {"combat_state": {"in_combat": True}, "note": "it's “quoted” \\ $HOME `x`"}
TURNS = [
    {"q": FALL}, {"q": "it's \"$(rm)\" `x` \\n é\nfalls", "mode": "dm", "audience": "dm"}, {"q": "god: a creature falls", "mode": "god", "audience": "god", "budget": "200", "floor": "0.1"},
    {"q": "and again?", "history": "player: a creature falls\nDM: it's hurt", "state": json.dumps(STATE), "version": "dec_2025"},
]


@pytest.mark.parametrize("asked", TURNS, ids=str)
def test_the_python_runs_and_the_curl_is_answered(local: FlaskClient, site_settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], asked: dict[str, str]) -> None:
    """Both give the prompt that the page shows."""
    shown = code(get(local, **asked, view="text"))
    monkeypatch.setenv("PROMPT_INDEX_DIR", str(site_settings.prompt_index_dir))
    monkeypatch.setenv("PROMPT_ARCHIVE_DIR", str(site_settings.prompt_archive_dir))
    monkeypatch.setenv("PROMPT_RETRIEVER_SCORE_FLOOR", "0.0")
    opened = PromptAssembler.open
    monkeypatch.setattr(PromptAssembler, "open", lambda settings: opened(settings, encoder=HashingEncoder()))
    exec(compile(code(get(local, **asked, view="python")), "page", "exec"), {})
    assert capsys.readouterr().out == f"{shown}\n"
    command = shlex.split(code(get(local, **asked, view="curl")))
    assert command[:3] == ["curl", "-s", "http://localhost/api/assemble"]
    answered = local.post("/api/assemble", data=command[command.index("--data-raw") + 1], content_type="application/json").json
    assert answered["prompt"] == shown
    told = json.loads(code(get(local, **asked, view="json")))
    for timed in (told, answered):
        del timed["telemetry"]["ms"], timed["telemetry"]["cached"]
    assert told == answered


def test_curl_shows_a_token_by_its_variable_alone(dm: FlaskClient) -> None:
    page = get(dm, **ASKED, view="curl")
    assert '-H "Authorization: Bearer $MVP_SITE_DM_TOKEN"' in page
    assert TOKEN not in page


@pytest.mark.parametrize(("text", "said"), [
    ("user: a\nassistant: b\nc", [("user", "a"), ("assistant", "b\nc")]), ("Player: a\nDM : b\nGM: c\nnarrator: d", [("user", "a"), ("assistant", "b"), ("assistant", "c"), ("assistant", "d")]),
    ("I knock.", [("user", "I knock.")]), ("before\nuser:\nassistant: b", [("user", "before"), ("assistant", "b")]), ('[{"role": "user", "content": "x"}]', [("user", "x")]),
])
def test_pasted_messages_are_read(text: str, said: list[tuple[str, str]]) -> None:
    assert [(one["role"], one["content"]) for one in read_messages(text)] == said


def test_versions_are_held_against_each_other(local: FlaskClient) -> None:
    page = get(local, "/compare", q="how far does a party travel on foot", a="dec_2025", b="mar_2026")
    assert "The core header is the same in both" in page
    assert re.search(r"(Removed|Added|Changed)</span>", page)
    assert "Nothing: header and passages are the same" in get(local, "/compare", q=FALL, a="dec_2025", b="dec_2025")


def test_an_empty_comparison_says_what_it_is_for(local: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    page = get(local, "/compare")
    assert ("One turn in two versions" in page, "Only one version" in page) == (True, False)
    assert "One turn in two versions" not in get(local, "/compare", q=FALL)
    monkeypatch.setattr(Services, "versions", lambda _: ("dec_2025",))
    assert "Only one version: dec_2025" in get(local, "/compare")


def test_a_played_turn_is_inspected_again_and_held_against_now(make_app: MakeApp, handler: TellingHandler, site_assemblers: dict[str, PromptAssembler]) -> None:
    client = make_app().test_client()
    handler.store.records.append(record(1, user_input=FALL, mode="dm", audience="dm"))
    page = get(client, turn="turn-1")
    for text in (FALL, '<option value="dm" selected', '"rumours"', "1d6 bludgeoning"):
        assert text in page
    handler.rebuilt = site_assemblers["dec_2025"].assemble(FALL, "dm", "dm", floor=0.0, max_tokens_retrieved=60)
    page = get(client, "/compare", turn="turn-1")
    for text in ("Turn 1 as it was sent", "as it is served now", "Added"):
        assert text in page
    assert client.get("/?turn=nowhere").status_code == 404


def test_a_section_is_asked_after_in_any_words(local: FlaskClient) -> None:
    """What is called otherwise is offered as links: by what it is about, and by a file's name."""
    page = local.get("/", query_string={"q": "I sneak past the guard.", "version": "dec_2025", "why": "what a fall does"}).text
    offered = page.split("Which one?")[1].split("</p>")[0]
    assert "why=" in offered
    assert "did you mean" not in page
