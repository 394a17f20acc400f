"""``mvp-site serve``: where it listens, what it refuses, and that its server hides nothing from the app."""

from __future__ import annotations

import gc
import http.client
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest
from click.testing import CliRunner

from mvp_site import Settings
from mvp_site.cli import cli
from mvp_site.cli.serve import make_server

Ask = Callable[..., tuple[int, dict[str, str], bytes]]


@pytest.fixture
def ask(loopback: None, site_settings: Settings) -> Iterator[Ask]:
    """Asks a server over a real connection."""
    with running(make_server(site_settings, "127.0.0.1", 0, threads=2)) as send:
        yield send


@contextmanager
def running(server: Any) -> Iterator[Ask]:
    """Asks a server that waitress runs for the block."""
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()

    def send(method: str, path: str, body: bytes | None = None, **headers: str) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", server.effective_port, timeout=10)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, {"Connection": "close", **named})
        response = connection.getresponse()
        found = response.status, dict(response.getheaders()), response.read()
        connection.close()
        return found

    try:
        yield send
    finally:
        with suppress(OSError):  # what woke the server for another reason may have closed it by now
            server.trigger.pull_trigger(server.close)
        thread.join(timeout=10)
        server.task_dispatcher.shutdown()


@pytest.mark.parametrize("header", ["X_Forwarded_For", "X_Forwarded_Host", "X_Forwarded_Proto", "Forwarded", "Via", "X_Real_IP", "Host"])
def test_what_a_proxy_adds_or_another_name_reaches_the_app(ask: Ask, header: str) -> None:
    status, _, body = ask("GET", "/api/releases", **{header: "for=10.0.0.1" if header == "Forwarded" else "10.0.0.1"})
    assert (status, json.loads(body)["error"]["kind"]) == (403, "not_local")


def test_it_says_at_its_start_that_there_is_no_index(loopback: None, site_settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for settings, said in ((site_settings, 0), (replace(site_settings, prompt_index_dir=tmp_path), 1)):
        server = make_server(settings, "127.0.0.1", 0)
        server.close()
        server.task_dispatcher.shutdown()
        told = " ".join(capsys.readouterr().err.split())
        assert told.count("warning: there is no release of version 'dec_2025'") == told.count("build it: mvp-site index build") == said


@pytest.mark.parametrize("begun", [
    b"", b"GET / HT", b"POST /api/assemble HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900000\r\n\r\n{",
])
def test_half_open_connections_shut_nobody_out(loopback: None, site_settings: Settings, begun: bytes) -> None:
    server = make_server(site_settings, "127.0.0.1", 0, threads=2)
    with running(server) as ask, ExitStack() as held:
        for _ in range(200):
            held.enter_context(socket.create_connection(("127.0.0.1", server.effective_port))).sendall(begun)
        assert ask("GET", "/")[0] == 200


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.1", "example.org", ""])
def test_without_a_token_it_listens_here_alone(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    monkeypatch.delenv("MVP_SITE_DM_TOKEN", raising=False)
    found = CliRunner().invoke(cli, ["serve", "--host", host])
    assert found.exit_code == 1
    assert "set MVP_SITE_DM_TOKEN, or listen on 127.0.0.1" in found.output


@pytest.mark.parametrize(("arguments", "token"), [([], None), (["--host", "localhost"], None), (["--host", "::1"], None), (["--host", "0.0.0.0"], "a secret of the DM")])
def test_it_says_where_it_serves(monkeypatch: pytest.MonkeyPatch, arguments: list[str], token: str | None) -> None:
    asked: list[Any] = []
    fake = SimpleNamespace(effective_host="127.0.0.1", effective_port=8123, run=lambda: None)
    monkeypatch.delenv("PROMPT_VERSION", raising=False)
    if token:
        monkeypatch.setenv("MVP_SITE_DM_TOKEN", token)
    monkeypatch.setattr("mvp_site.cli.serve.make_server", lambda *given, warm: asked.append((*given, warm)) or fake)
    found = CliRunner().invoke(cli, ["serve", *arguments])
    assert found.exit_code == 0, found.output
    assert asked[0][0].mvp_site_dm_token == token
    assert asked[0][0].prompt_version is None  # what is promoted while it runs is served


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # waitress leaves its socket to the collector
def test_a_port_that_is_taken_is_said_so(loopback: None, site_settings: Settings) -> None:
    first = make_server(site_settings, "127.0.0.1", 0)
    with pytest.raises(click.ClickException, match="try another --port"):
        make_server(site_settings, "127.0.0.1", first.effective_port)
    first.close()
    first.task_dispatcher.shutdown()
    gc.collect()


def test_a_token_opens_it_to_others(loopback: None, site_settings: Settings) -> None:
    server = make_server(replace(site_settings, mvp_site_dm_token="a secret of the DM"), "127.0.0.1", 0, proxies=1)
    app = server.application
    assert app.config["TRUSTED_PROXIES"] == 1
    assert app.test_client().get("/", environ_overrides={"REMOTE_ADDR": "8.8.8.8"}).status_code == 200
    server.close()
    server.task_dispatcher.shutdown()
