"""The example of docs/plugs.md in Starlette, turns told on an event loop, and who goes away there."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from starlette.testclient import TestClient

from mvp_site import PromptAssembler
from mvp_site.errors import CampaignConflictError
from mvp_site.plugs import asgi
from mvp_site.store.campaigns import CampaignStore
from mvp_site.turns.handler import TurnHandler
from tests.turns.game import CAMPAIGN, STATE, STORY, Replying, broken, counted, first, raising

from ..web.test_streaming import events_of, shown, told

GUIDE = Path(__file__).parents[2] / "docs/plugs.md"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[CampaignStore]:
    with CampaignStore.from_url(f"sqlite:///{tmp_path}/campaigns.sqlite3") as opened:
        yield opened


def test_the_guides_example_runs(loopback: None, market: PromptAssembler, store: CampaignStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PromptAssembler, "open", lambda *_, **__: market)
    handler = TurnHandler(market._settings, market, Replying(raising(broken(), counted(1))), store)
    monkeypatch.setattr(TurnHandler, "open", lambda **_: handler)
    store.create(CAMPAIGN, STATE)
    (example,) = [code for code in re.findall(r"```python\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL) if "Starlette(" in code]
    names: dict[str, Any] = {}
    exec(compile(example, str(GUIDE), "exec"), names)
    with TestClient(names["app"]) as client:
        assert "half of the listed price" in client.post("/assemble", json={"text": "What does a merchant pay?"}).json()["prompt"]
        response = client.post("/turn", json={"campaign": CAMPAIGN, "text": "I ask for half the price"})
        found = list(events_of(response.content.splitlines()))
        assert response.headers["content-type"].startswith("text/event-stream")
        assert told(found) == ["assembled", "asked", "narrative", "rejected", "withdrawn", "asked", "narrative", "accepted", "result"]
        assert (shown(found), found[-1][1]["view"]) == (STORY, "player")
        (name, data), = events_of(client.post("/turn", json={"campaign": CAMPAIGN, "text": "x", "version": "no"}).content.splitlines())
        assert (name, data["error"]["kind"]) == ("error", "unknown_version")


def test_a_failure_at_the_end_is_told(market: PromptAssembler, store: CampaignStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> None:
        raise CampaignConflictError("another was faster")

    monkeypatch.setattr(store, "commit", fails)

    async def gathered() -> list[bytes]:
        return [line async for piece in asgi.events(TurnHandler(market._settings, market, Replying(), store), first(), entitled=True) for line in piece.splitlines()]

    assert list(events_of(asyncio.run(gathered())))[-1][1] == {"error": {"kind": "campaign_conflict", "message": "another was faster"}}


def test_signs_of_life_and_an_early_end_that_leaves_nothing(market: PromptAssembler, store: CampaignStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asgi, "SILENCE", 0.01)
    handler = TurnHandler(market._settings, market, model := Replying(), store)

    async def left() -> list[bytes]:
        model.agate = asyncio.Event()
        stream = cast(AsyncGenerator[bytes], asgi.events(handler, first()))
        pieces: list[bytes] = []
        while len(told(events_of(b"".join(pieces).splitlines()))) < 2 or pieces[-1] != b":\n\n":
            pieces.append(await anext(stream))
        await stream.aclose()
        model.agate = None
        return pieces

    pieces = asyncio.run(left())
    assert told(events_of(b"".join(pieces).splitlines())) == ["assembled", "asked"]
    assert store.campaigns() == ()
    assert handler.handle(first()).fallback is None  # the campaign's lock is free
