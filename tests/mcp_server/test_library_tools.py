"""The library's tools, over books that are really scanned."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace

import anyio
import pytest
from mcp import Client

from mvp_site.mcp_server.server import Parts, make_server
from mvp_site.operations import library as operations
from mvp_site.operations.services import Services
from mvp_site.releases.bundles import building

from ..library.conftest import Shelf, marches, shelf  # noqa: F401 - fixtures
from ..web.entity_doubles import WordsIndex


@pytest.fixture
def parts(marches: Shelf, monkeypatch: pytest.MonkeyPatch) -> Parts:  # noqa: F811
    library = marches.open()
    scan = partial(library.scan, encoder=marches.encoder)
    services = Services(marches.settings, entities=WordsIndex())
    monkeypatch.setattr(library, "scan", scan)
    monkeypatch.setattr(services, "library", lambda: library)
    monkeypatch.setattr(operations, "rebuild_entities", lambda *_, **__: SimpleNamespace(refused=()))
    return Parts(lambda: services)


@pytest.mark.parametrize("stage", ["reading", "encoding passages"])
async def test_a_scan_that_is_given_up_leaves_no_half_written_index(
    parts: Parts, marches: Shelf, stage: str,  # noqa: F811
) -> None:
    index = marches.settings.mvp_site_data_dir / "library/index"
    before = sorted(path.name for path in index.iterdir())
    for number in range(3):
        marches.write(f"more-{number}.md", f"# Glass Harvest {number}\n\nThe reapers sing {number}.\n")

    async with Client(make_server(parts, lambda _: True)) as client:
        with anyio.CancelScope() as scope:
            async def give_up(_: float, __: float | None, told: str | None) -> None:
                if told == stage:
                    scope.cancel()

            await client.call_tool("scan_library", {}, progress_callback=give_up)
        assert scope.cancelled_caught
        with building(index):  # it waits until the scan has let go
            left = sorted(path.name for path in index.iterdir())
        assert [name for name in left if name.startswith(".staging")] == []
        assert (index / "CURRENT").read_text().strip() in left
        assert set(before) - {".lock"} <= set(left)
        found = await client.call_tool("scan_library", {})
        assert not found.is_error, found.content
        listed = await client.call_tool("list_sources", {})
        assert "Glass Harvest 2" in listed.content[0].text  # type: ignore[union-attr]
