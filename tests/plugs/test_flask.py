"""The site within another Flask app: below a prefix, with all that is its own."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from flask import Flask, Response, session, url_for
from flask.testing import FlaskClient

from mvp_site.plugs.flask import blueprint

from ..web.conftest import TOKEN, MakeApp


@pytest.fixture
def host(make_app: MakeApp) -> Callable[..., Flask]:
    """Makes an app of somebody else's, with a page, a session and a header of its own."""

    def make(prefix: str = "/game", token: str | None = None, **parts: object) -> Flask:
        app = Flask("somebody_else")
        app.secret_key = "theirs"
        app.register_blueprint(blueprint(make_app(token, **parts)), url_prefix=prefix)

        @app.get("/own")
        def own() -> str:
            session["seen"] = "yes"
            return url_for("mvp_site.answer", path="play") if "<" not in prefix else "own"

        @app.after_request
        def mark(response: Response) -> Response:
            response.headers["X-Theirs"] = "1"
            return response

        return app

    return make


@pytest.mark.parametrize(("prefix", "root"), [("/game", "/game"), ("/a/b", "/a/b"), ("/<tenant>/game", "/müller/game")])
def test_pages_files_and_api_stand_below_the_prefix(host: Callable[..., Flask], prefix: str, root: str) -> None:
    client = host(prefix).test_client()
    page = client.get(f"{root}/?text=I+jump")
    assert (page.status_code, page.headers["X-Theirs"], "frame-ancestors" in page.headers["Content-Security-Policy"]) == (200, "1", True)
    links = [link for link in re.findall(r'(?:href|src|action)="([^"#?]+)', page.text) if "//" not in link]
    assert len(links) > 8
    for link in set(links):
        assert client.get(link, buffered=True).status_code in {200, 503}, link  # 503: an index that these tests do not build
    found = client.post(f"{root}/api/assemble", json={"text": "I jump"})
    assert (found.status_code, found.json["view"]) == (200, "dm")
    assert client.get(f"{root}/openapi.json").json.get("servers", [{"url": ""}])[0]["url"] in {root, "/m%C3%BCller/game"}
    missing = client.get(f"{root}/api/nothing")
    assert (missing.status_code, missing.json["error"]["kind"]) == (404, "not_found")
    assert client.open(f"{root}/api/turn", method="DELETE").json["error"]["message"].startswith("this address does not take that method")


def test_the_hosts_own_pages_and_session_stay_its_own(host: Callable[..., Flask]) -> None:
    client = host().test_client()
    assert client.get("/own").text == "/game/play"
    client.get("/game/play")
    with client.session_transaction() as kept:
        assert kept["seen"] == "yes"
    assert client.get("/api/assemble").status_code == 404
    assert client.get("/game").headers["Location"].endswith("/game/")


def test_access_is_held(host: Callable[..., Flask], dm_headers: dict[str, str]) -> None:
    app = host(token=TOKEN)
    client: FlaskClient = app.test_client()
    body = {"text": "I jump", "audience": "dm"}
    refused = client.post("/game/api/assemble", json=body)
    assert (refused.status_code, "sign in at /game/sign-in" in refused.json["error"]["message"]) == (401, True)
    assert client.post("/game/api/assemble", json=body, headers=dm_headers).status_code == 200
    signed = client.post("/game/sign-in", data={"token": TOKEN, "next": "/game/turns?sparse=1"})
    assert (signed.status_code, signed.headers["Location"]) == (303, "/game/turns?sparse=1")
    assert "Path=/game;" in signed.headers["Set-Cookie"]
    assert client.get("/game/turns").status_code == 200
    assert client.post("/game/sign-in", data={"token": TOKEN, "next": "//elsewhere"}).headers["Location"] == "/game/"
    assert app.test_client().get("/game/turns").status_code == 401
    far = host().test_client().get("/game/", environ_overrides={"REMOTE_ADDR": "8.8.8.8"})
    assert far.status_code == 403
