"""The connection to a Milvus: a cluster by URI, or Milvus Lite by a file that ends in ``.db``."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Final, Self

from .connection import Connection, Kind
from .connection import library as _library

_CONNECTING: Final = 10.0
_NO_COLLECTION: Final = 100
_NOT_REACHED: Final = frozenset({2, "UNAVAILABLE", "DEADLINE_EXCEEDED", "CANCELLED"})
_lite: Counter[str] = Counter()
_lite_lock: Final = threading.Lock()


class Milvus(Connection):
    """One connection, as :class:`pymilvus.MilvusClient` gives it."""

    engine = "Milvus"

    @classmethod
    def open(cls, uri: str, token: str | None = None, timeout: float = 10.0) -> Self:
        """The connection to ``uri``; ``timeout`` is in seconds and holds for each request.

        Raises:
            BackendError: the extra ``milvus`` is not installed, or nothing answers at ``uri``.
        """
        made, pymilvus = cls(uri, timeout), library()
        # It prints a traceback for each failure, all of which are raised and logged here.
        logging.getLogger("pymilvus").setLevel(logging.CRITICAL)
        if made._file is not None:
            library("milvus_lite")
            # Lite serves from this process and has no timestamps, which it says with a traceback
            # each time that something is listed.
            logging.getLogger("grpc._server").setLevel(logging.CRITICAL)
        with _lite_lock if made._file else nullcontext(), made.told("to connect"):
            made._client = pymilvus.MilvusClient(
                uri, token=token or "", timeout=min(timeout, _CONNECTING), dedicated=True
            )
            _lite[made._file or ""] += 1
        return made

    @property
    def check(self) -> str:
        """What to check where nothing answers."""
        if self._file:
            return "the folder, and that no other process has the file open"
        return "that it runs (GET /healthz on its port 9091), the host, the port, and the token"

    def failures(self) -> tuple[type[Exception], ...]:
        """What pymilvus and gRPC raise."""
        refusal, broken = library("pymilvus.exceptions"), library("grpc")
        return refusal.MilvusException, broken.RpcError, OSError, ValueError

    def kind(self, error: Exception) -> Kind:
        """What a failure says of the engine, by its code."""
        code = getattr(error, "code", None)
        code = code() if callable(code) else code
        if code == _NO_COLLECTION:
            return "gone"
        unreached = getattr(code, "name", code) in _NOT_REACHED or "imeout" in str(error)
        return "not reached" if unreached or self._client is None else "refused"

    def close(self) -> None:
        """Let go of the connection, and of a file that nobody else here has open."""
        with _lite_lock:
            client, self._client = self._client, None
            if client is None:
                return
            client.close()
            _lite[self._file or ""] -= 1
            if self._file and not _lite[self._file]:
                manager = library("milvus_lite.server_manager").server_manager_instance
                manager.release_server(self._uri)

    @property
    def _file(self) -> str | None:
        """The file of Milvus Lite."""
        is_file = self._uri.endswith(".db") and "://" not in self._uri
        return str(Path(self._uri).absolute()) if is_file else None


def library(module: str = "pymilvus") -> Any:
    """A module of the extra ``milvus``."""
    return _library(module, "milvus")
