"""The operations' page: what it shows, who may see it, promotion from it; plots; the API's page."""

from __future__ import annotations

import datetime
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

from mvp_site import PromptAssembler, Settings
from mvp_site.archive.versions import PROMOTED
from mvp_site.errors import StoreError
from mvp_site.web import create_app
from mvp_site.web.plots import BOTTOM, TOP, plot

from .doubles import BEGAN, TellingHandler, manifest, record
from .test_every_page import assert_in_order

HERE = {"Sec-Fetch-Site": "same-origin"}


@pytest.fixture
def told(handler: TellingHandler) -> TellingHandler:
    """Turns of every kind."""
    handler.store.records += [
        record(1), record(2, fallback="contract", created=datetime.datetime.now(datetime.UTC)), record(5, fallback="model", user_input="long ago"), record(3, sparse=True, manifest=manifest(sparse_reason="below_floor", attempts=[{"seconds": 4.5}], tokens={"input": 9000, "output": 400})),
        record(4, sparse=True, manifest={"attempts": "none", "tokens": 3, "sent": {"counted": 77}}, user_input="<b>asdf</b>"),
    ]
    return handler


@pytest.fixture
def built(site_settings: Settings, tmp_path: Path) -> Settings:
    """Two versions with an index, one without."""
    for name in ("prompt_archive", "prompt_index"):
        shutil.copytree(getattr(site_settings, f"{name}_dir"), tmp_path / name)
    (tmp_path / "prompt_archive/jan_2020").mkdir()
    (tmp_path / "prompt_archive/jan_2020/a.md").write_text("# New\n\nNot built yet.\n", "utf-8")
    return replace(site_settings, prompt_version=None, prompt_archive_dir=tmp_path / "prompt_archive", prompt_index_dir=tmp_path / "prompt_index")


@pytest.fixture
def serve_built(built: Settings, site_assemblers: dict[str, PromptAssembler], handler: TellingHandler) -> Callable[..., FlaskClient]:
    return lambda **changed: create_app(replace(built, **changed), handler=handler, assemblers=site_assemblers, config={"RATELIMIT_ENABLED": False}).test_client()


def test_the_page_says_what_is_served_and_what_happened(dm: FlaskClient, told: TellingHandler) -> None:
    dm.get("/?q=a+creature+falls")
    dm.get("/?q=a+guard+sleeps")
    page = dm.get("/operations")
    assert page.status_code == 200
    assert_in_order(page.text)
    for text in (
        "mvp-site rulebook build", "mvp-site entities build", "mvp-site library scan FOLDER", 'href="/turns/turn-2"', "Fallback: the model’s answers broke the rules of the game",
        "1 error in the last day", "2 of the last 5 turns were sparse", "below_floor</span></th><td class=\"num\">1</td>", "&lt;b&gt;asdf&lt;/b&gt;", "half are under 4.4, nineteen of twenty under", "2 assembled without a turn", "Assembly time",
        'href="/metrics"', 'href="/healthz"', 'href="/openapi.json"', 'href="/docs/api"', 'href="/operations" aria-current="page"',
    ):
        assert text in page.text, text
    assert page.text.index("Needs attention") < page.text.index("Since ") < page.text.index("Errors of the last day") < page.text.index('id="releases"')
    assert "long ago" not in page.text


def test_a_failed_request_is_an_event(dm: FlaskClient, handler: TellingHandler) -> None:
    handler.fails = StoreError("the disk is full: free it")
    dm.post("/api/turn", json={"campaign_id": "c", "user_input": "x"})
    assert "Error 503</span>" in (page := dm.get("/operations").text)
    assert '<code>/api/turn</code> The disk is full: free it <a href="/turns?campaign=c">c</a>' in page


@pytest.mark.parametrize("path", ["/operations", "/operations/promote", "/operations/roll-back"])
def test_players_see_and_change_nothing(player: FlaskClient, path: str) -> None:
    assert (player.get(path) if path == "/operations" else player.post(path, headers=HERE)).status_code == 401
    assert 'href="/operations"' not in player.get("/").text


def test_versions_are_promoted_and_rolled_back(built: Settings, serve_built: Callable[..., FlaskClient]) -> None:
    """Another process takes it up with its next turn."""
    client, other = serve_built(), serve_built()
    file = built.prompt_index_dir / PROMOTED
    assert "Nothing is promoted" in client.get("/operations").text
    for path, version, served, held in (
        ("promote", "dec_2025", "dec_2025", "mar_2026\ndec_2025\n"), ("promote", "mar_2026", "mar_2026", "dec_2025\nmar_2026\n"), ("promote", "dec_2025", "dec_2025", "mar_2026\ndec_2025\n"),
        ("roll-back", "", "mar_2026", "mar_2026\n"),
    ):
        done = client.post(f"/operations/{path}", data={"version": version}, headers=HERE)
        assert (done.status_code, file.read_text("utf-8")) == (303, held)
        for one in (client, other):
            assert one.get("/api/releases").json["default"] == served
            assert one.post("/api/assemble", json={"text": "a fall"}).json["telemetry"]["version"] == served
        assert f"{served} is served where no version is named" in client.get(done.headers["Location"]).text


def test_of_many_promotions_at_once_none_is_lost(built: Settings, serve_built: Callable[..., FlaskClient]) -> None:
    """Each reads what was promoted before it, and goes where another is, to and fro."""
    clients = [serve_built() for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        for done in pool.map(lambda at: clients[at % 4].post("/operations/promote", data={"version": ("dec_2025", "mar_2026")[at % 2]}, headers=HERE), range(16)):
            assert done.status_code == 303
    assert sorted((built.prompt_index_dir / PROMOTED).read_text("utf-8").split()) == ["dec_2025", "mar_2026"]


@pytest.mark.parametrize(("path", "data", "settings", "status", "says"), [
    ("promote", {"version": "mar_2027"}, {}, 404, "Unknown prompt version"), ("promote", {}, {}, 400, "`version`"), ("roll-back", {}, {}, 409, "There is no other version that was served before"),
    ("promote", {"version": "<b>"}, {}, 404, "&lt;b&gt;"), ("promote", {"version": "mar_2026"}, {"prompt_version": "dec_2025"}, 409, "PROMPT_VERSION pins dec_2025"),
    ("promote", {"version": "jan_2020"}, {}, 409, "its index is missing: mvp-site index build --version jan_2020"),
])
def test_what_cannot_be_done_is_said(built: Settings, serve_built: Callable[..., FlaskClient], path: str, data: Any, settings: Any, status: int, says: str) -> None:
    page = serve_built(**settings).post(f"/operations/{path}", data=data, headers=HERE)
    assert (page.status_code, says in page.text) == (status, True)
    assert not (built.prompt_index_dir / PROMOTED).exists()


def test_another_site_promotes_nothing(local: FlaskClient) -> None:
    assert local.post("/operations/promote", data={"version": "dec_2025"}, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403


@given(st.lists(st.floats(0, 1e9), min_size=2, max_size=150))
def test_a_line_stays_within_its_scale(values: list[float]) -> None:
    times = [BEGAN + datetime.timedelta(minutes=place) for place in range(len(values))]
    found = plot("t", "s", times, {"a": values})
    assert found is not None
    points = [tuple(map(float, one.split(","))) for one in found.lines[0].points.split()]
    assert len(points) == len(values) == found.count
    assert all(TOP <= y <= BOTTOM for _, y in points)
    assert points == sorted(points, key=lambda one: one[0])
    order = sorted(range(len(values)), key=values.__getitem__)
    assert [points[at][1] for at in order] == sorted((y for _, y in points), reverse=True)
    assert plot("t", "s", times[:1], {"a": values[:1]}) is None


def test_the_api_is_listed_without_scripts(player: FlaskClient) -> None:
    page = player.get("/docs/api")
    assert_in_order(page.text)
    for text in ('<span class="tag">POST</span></td><th scope="row"><code>/api/turn</code>', "<code>/api/entities/{entity_type}/{slug}</code>", "Play a turn of a campaign."):
        assert text in page.text
    policy = page.headers["Content-Security-Policy"]
    assert "img-src 'self' data:;" in policy
    assert policy.replace(" data:", "") == player.get("/").headers["Content-Security-Policy"]
    for name in ("swagger-ui.css", "swagger-ui-bundle.js"):
        with player.get(f"/static/swagger-ui/{name}") as found:
            assert (found.status_code, len(found.data) > 100_000, found.headers["Cache-Control"]) == (200, True, "no-cache")
    for name in ("index.html", "..%2f__init__.py", "swagger-ui.js"):
        assert player.get(f"/static/swagger-ui/{name}").status_code == 404
