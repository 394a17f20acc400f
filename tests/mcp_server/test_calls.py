"""Calls side by side: progress, what is given up, many at once; and who may ask for what."""

from __future__ import annotations

import threading
from pathlib import Path

import anyio
import pytest
from mcp import Client

from mvp_site.errors import MissingIndexError, MvpSiteError
from mvp_site.mcp_server.server import Parts, make_server
from mvp_site.operations.all import OPERATIONS
from mvp_site.operations.services import Services

from ..web.entity_doubles import WordsIndex
from .conftest import Connects
from .stray import SCAN

EVERY = (*OPERATIONS, SCAN)


async def test_a_tool_is_there_when_its_operation_is(connects: Connects) -> None:
    async with connects((SCAN,)) as client:
        tools = {one.name: one for one in (await client.list_tools()).tools}
        assert set(tools) == {"scan_library"}
        assert not (await client.list_resources()).resources
        found = tools["scan_library"].annotations
        assert found is not None
        assert (found.read_only_hint, found.idempotent_hint, found.destructive_hint) == (False, True, False)


async def test_progress_grows_until_all_is_done(connects: Connects) -> None:
    told: list[tuple[float, float | None, str | None]] = []

    async def tell(done: float, of: float | None, message: str | None) -> None:
        told.append((done, of, message))

    async with connects(EVERY) as client:
        found = await client.call_tool("scan_library", {"pages": 40}, progress_callback=tell)
        assert found.structured_content == {"pages": 40}
        assert found.content[0].text == '> pages: 40'  # type: ignore[union-attr]
    assert [done for done, *_ in told] == sorted({done for done, *_ in told})
    assert told[-1] == (40.0, 40.0, "pages")


async def test_a_call_that_is_given_up_ends_and_leaves_nothing_half_done(connects: Connects, tmp_path: Path) -> None:
    async with connects(EVERY) as client:
        with anyio.CancelScope() as scope:
            async def give_up(*_: object) -> None:
                scope.cancel()

            await client.call_tool("scan_library", {"at": str(tmp_path / "index")}, progress_callback=give_up)
        while not (tmp_path / "index.ended").exists():
            await anyio.sleep(0)
        assert [one.name for one in tmp_path.iterdir()] == ["index.ended"]
        # The server answers as before.
        assert not (await client.call_tool("list_documents", {})).is_error


async def test_others_are_answered_while_a_call_works(connects: Connects, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = threading.Event()
    monkeypatch.setattr(WordsIndex, "list_documents", lambda _: gate.wait(60) and [])

    async with connects() as client, anyio.create_task_group() as group:
        group.start_soon(client.call_tool, "list_documents", {})
        assert (await client.call_tool("query_rulebook", {"query": "falling"})).structured_content["text"]
        gate.set()


async def test_a_player_is_refused_what_needs_the_dm(connects: Connects) -> None:
    async with connects(EVERY, entitled=False) as client:
        for name, arguments, what in (
            ("assemble_prompt", {"text": "x", "audience": "dm"}, "audience 'dm'"), ("assemble_prompt", {"text": "x", "mode": "god"}, "mode 'god'"), ("scan_library", {"at": "/tmp/x"}, "`at`"), ("retrieve_passages", {"text": "x", "why": "Falling"}, "`why`"), ("archive_usage", {}, "the usage of an archive"),
        ):
            refused = await client.call_tool(name, arguments)
            assert refused.is_error
            assert refused.content[0].text == f"> {what} needs the DM token: send it as 'Authorization: Bearer …'"  # type: ignore[union-attr]


async def test_why_not_a_passage(client: Client) -> None:
    found = await client.call_tool("retrieve_passages", {"text": "When does the harbour master die?", "why": "Fate"})
    assert found.structured_content["why"]["missed"] == [{"bar": "audience", "value": "player", "needed": "god"}]


@pytest.mark.parametrize(("error", "entitled", "says"), [
    (MissingIndexError("nothing in /secret: run mvp-site entities build"), True, "> nothing in /secret: run mvp-site entities build"),
    (MissingIndexError("nothing in /secret: run mvp-site entities build"), False, "this part of the server is not ready; its log says why"),
    (ZeroDivisionError("/secret"), True, "something went wrong here; the server's log says what"),
])
async def test_a_failure_tells_no_more_than_the_caller_may_know(error: Exception, entitled: bool, says: str) -> None:
    assert issubclass(MissingIndexError, MvpSiteError)
    parts = Parts(lambda: Services(settings=None, entities=WordsIndex(fails=error)))  # type: ignore[arg-type]

    async with Client(make_server(parts, lambda _: entitled)) as client:
        found = await client.call_tool("lookup_spell", {"name": "ember"})
        assert (found.is_error, found.content[0].text) == (True, says)  # type: ignore[union-attr]
