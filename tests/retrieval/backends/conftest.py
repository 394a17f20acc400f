"""Engines are opened once for all the tests that only read.

Nothing here imports an engine's package until a test asks for one: tests of the local engine run
where the others are not installed.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from mvp_site.retrieval.collection import Collection

from ...llm.loopback import loopback_only
from .passages import records


@pytest.fixture(scope="session")
def quick_milvus() -> Iterator[None]:
    """pymilvus waits half a second between two looks at an index; Lite has built it at once."""
    quick = {**vars(time), "sleep": lambda seconds: time.sleep(min(seconds, 0.001))}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pymilvus.client.grpc_handler.time", SimpleNamespace(**quick))
        yield


@pytest.fixture(autouse=True)
def _loopback(_no_network: None) -> Iterator[None]:
    """Servers of engines are reached at 127.0.0.1, and nothing else is."""
    with loopback_only():
        yield


@pytest.fixture(scope="session", params=["local", "marqo", "milvus file", "milvus server"])
def backend(request: pytest.FixtureRequest, quick_milvus: None,
            tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collection]:
    """An engine with the small collection."""
    from .engines import ENGINES

    with loopback_only():
        opened = ENGINES[request.param](records(), tmp_path_factory.mktemp("engine"))
        engine = next(opened)
    yield engine
    with loopback_only():
        assert next(opened, None) is None
