"""The connection to a Milvus: a cluster by URI, or Milvus Lite by a file that ends in ``.db``.

Whatever goes wrong is logged and raised as one kind of error that names the URI, without what is
secret in it, and what to check.
"""

from __future__ import annotations

import importlib
import logging
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, Final

from ...errors import BackendError, MvpSiteError
from .addresses import shown

BUILD: Final = "mvp-site entities build"
CONNECT: Final = "to connect"
CONNECTING: Final = 10.0
_NO_COLLECTION: Final = 100
_NOT_REACHED: Final = frozenset({2, "UNAVAILABLE", "DEADLINE_EXCEEDED", "CANCELLED"})
_log = logging.getLogger("mvp_site.milvus")
_lite: Counter[str] = Counter()
_lite_lock: Final = threading.Lock()


class Milvus:
    """One connection, as :class:`pymilvus.MilvusClient` gives it; thread-safe."""

    def __init__(self, client: Any, uri: str, timeout: float) -> None:
        self._client = client
        self._uri = uri
        self._closing = threading.Lock()
        self.shown = shown(uri)
        self.timeout = timeout

    @classmethod
    def open(cls, uri: str, token: str | None = None, timeout: float = 10.0) -> Milvus:
        """The connection to ``uri``; ``timeout`` is in seconds and holds for each request.

        Raises:
            BackendError: the extra ``milvus`` is not installed, or nothing answers at ``uri``.
        """
        pymilvus = library()
        # It prints a traceback for each failure, all of which are raised and logged here.
        logging.getLogger("pymilvus").setLevel(logging.CRITICAL)
        if _is_file(uri):
            library("milvus_lite")
            # Lite serves from this process and has no timestamps, which it says with a traceback
            # each time that something is listed.
            logging.getLogger("grpc._server").setLevel(logging.CRITICAL)
        with _lite_lock if _is_file(uri) else nullcontext(), told(uri, CONNECT):
            client = pymilvus.MilvusClient(
                uri, token=token or "", timeout=min(timeout, CONNECTING), dedicated=True
            )
            _lite[_key(uri)] += _is_file(uri)
        return cls(client, uri, timeout)

    @contextmanager
    def asked(self, what: str) -> Iterator[Any]:
        """The client, whose failures inside become errors of this package.

        Raises:
            BackendError: it was closed, is not reached, or refuses.
        """
        client = self._client
        if client is None:
            raise BackendError(f"the connection to Milvus at {self.shown} was closed")
        with told(self._uri, what):
            yield client

    @contextmanager
    def or_closed(self, what: str) -> Iterator[Any]:
        """Like :meth:`asked`; after a failure the connection is closed."""
        try:
            with self.asked(what) as client:
                yield client
        except MvpSiteError:
            self.close()
            raise

    def close(self) -> None:
        """Let go of the connection, and of a file that nobody else here has open."""
        with self._closing:
            client, self._client = self._client, None
        if client is None:
            return
        client.close()
        if _is_file(self._uri):
            with _lite_lock:
                _lite[_key(self._uri)] -= 1
                if not _lite[_key(self._uri)]:
                    manager = library("milvus_lite.server_manager").server_manager_instance
                    manager.release_server(self._uri)


def library(module: str = "pymilvus") -> Any:
    """A module of the extra ``milvus``, imported when it is first needed.

    Raises:
        BackendError: the extra is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise BackendError(
            f"Milvus needs the package {error.name}: pip install 'mvp-site[milvus]'"
        ) from None


@contextmanager
def told(uri: str, what: str) -> Iterator[None]:
    """Within it a failure of the engine's is logged and raised with what to check.

    Raises:
        BackendError: the engine is not reached, has not the collection, or refuses ``what``.
    """
    refusal, broken = library("pymilvus.exceptions").MilvusException, library("grpc").RpcError
    try:
        yield
    except MvpSiteError:
        raise
    except (refusal, broken, OSError, ValueError) as error:
        _log.error("milvus at %s: %s failed: %s", shown(uri), what, _reason(error, uri))
        raise _meant(error, uri, what) from None


def _meant(error: Exception, uri: str, what: str) -> BackendError:
    code = getattr(error, "code", None)
    code = code() if callable(code) else code
    if code == _NO_COLLECTION:
        return BackendError(
            f"Milvus at {shown(uri)} has no such collection any more ({what}): "
            f"{_reason(error, uri)}; open the one that is served now, or build it: {BUILD}"
        )
    unreached = getattr(code, "name", code) in _NOT_REACHED or "imeout" in str(error)
    if unreached or what == CONNECT:
        where = "the folder, and that no other process has the file open" if _is_file(uri) else (
            "that it runs (GET /healthz on its port 9091), the host, the port, and the token"
        )
        return BackendError(
            f"Milvus at {shown(uri)} is not reached ({what}): check {where}; "
            f"it said: {_reason(error, uri)}"
        )
    return BackendError(f"Milvus at {shown(uri)} refuses {what}: {_reason(error, uri)}")


def _reason(error: Exception, uri: str) -> str:
    said = str(getattr(error, "message", "") or error).replace(uri, shown(uri))
    return " ".join(said.split())[:300]


def _is_file(uri: str) -> bool:
    return uri.endswith(".db") and "://" not in uri


def _key(uri: str) -> str:
    return str(Path(uri).absolute())
