"""What the engines outside of this process have in common: a connection, a reader and a writer.

Whatever goes wrong is logged and raised as an error that names the address, without what is secret
in it, and what to check.

A collection is filled in generations, each of which has the collection's name, a count and a token.
Older ones stay until they are pruned, so that whoever has one open can go on. Newer ones stay in
any case, as another writer may be filling them.
"""

from __future__ import annotations

import importlib
import logging
import re
import secrets
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from operator import itemgetter
from typing import Any, ClassVar, Final, Generic, Literal, TypeVar
from urllib.parse import urlsplit

import numpy as np

from ...errors import BackendError, MvpSiteError, SettingsError
from ..collection import Hits, IndexedPassage, SearchRequest
from ..encoder import Vectors
from .term_stats import Row, TermStatistics, rescored

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,199}\Z")
BUILD: Final = "mvp-site entities build"
Kind = Literal["gone", "released", "not reached", "refused"]
T = TypeVar("T")


class EngineFailureError(BackendError):
    """What an engine said, with its ``kind``: some kinds can be mended and asked again."""

    def __init__(self, message: str, kind: Kind) -> None:
        super().__init__(message)
        self.kind = kind


class Connection(ABC):
    """One client of an engine; thread-safe. ``timeout`` is in seconds and holds for a request."""

    engine: ClassVar[str]

    def __init__(self, uri: str, timeout: float) -> None:
        self._client: Any = None
        self._uri = uri
        self.log = logging.getLogger(f"mvp_site.{self.engine.lower()}")
        self.shown = shown(uri)
        self.timeout = timeout

    @contextmanager
    def asked(self, action: str, *, or_close: bool = False) -> Iterator[Any]:
        """The client, whose failures inside become errors of this package.

        ``action`` is what is asked for, as in "to search". ``or_close`` closes after a failure.

        Raises:
            BackendError: it was closed, is not reached, has not what is asked for, or refuses.
        """
        if self._client is None:
            raise BackendError(f"the connection to {self.engine} at {self.shown} was closed")
        try:
            with self.told(action):
                yield self._client
        except MvpSiteError:
            if or_close:
                self.close()
            raise

    @contextmanager
    def told(self, action: str) -> Iterator[None]:
        """Within it a failure of the engine's is logged and raised with what to check."""
        failures = self.failures()
        try:
            yield
        except MvpSiteError:
            raise
        except failures as error:
            text = str(getattr(error, "message", "") or error).replace(self._uri, self.shown)
            text = " ".join(text.split())[:300]
            self.log.error(  # noqa: TRY400 (a traceback would show the address)
                "%s at %s: %s failed: %s", self.engine.lower(), self.shown, action, text
            )
            kind = self.kind(error)
            message = {
                "gone": f"no longer has it ({action}): {text}; open the one that is served now, "
                        f"or build it: {BUILD}",
                "released": f"has it, and not in memory ({action}): {text}; ask again",
                "not reached": f"is not reached ({action}): check {self.check}; it said: {text}",
                "refused": f"refuses {action}: {text}; check {self.check}",
            }[kind]
            raise EngineFailureError(f"{self.engine} at {self.shown} {message}", kind) from None

    def close(self) -> None:
        """Let go of the connection."""
        self._client = None

    @property
    @abstractmethod
    def check(self) -> str:
        """What to check where nothing answers."""

    @abstractmethod
    def failures(self) -> tuple[type[Exception], ...]:
        """What the client raises."""

    @abstractmethod
    def kind(self, error: Exception) -> Kind:
        """What a failure says of the engine."""


C = TypeVar("C", bound=Connection)


class CollectionReader(ABC, Generic[C]):
    """One generation of a collection, opened for reading: a :class:`~..collection.Collection`."""

    def __init__(self, connection: C, generation: str, stats: TermStatistics) -> None:
        self._connection = connection
        self._stats = stats
        self.passages = stats.passages
        self.generation = generation

    def search(self, query: SearchRequest) -> Hits:
        """What the query finds in either lane, and its ``also``, scored exactly."""
        if query.vector is not None or query.terms:
            return rescored(query, self._stats, self._asked(
                "to search", lambda client: self._candidates(client, query)))
        numbers = np.unique(np.asarray(
            self._asked("to search", lambda client: self._matching(client, query)), np.int64))
        nothing = np.zeros(len(numbers), np.float32)
        return Hits(numbers, nothing, nothing)

    def vectors(self, number: int) -> Vectors:
        """The windows' vectors of one passage, in their order.

        Raises:
            BackendError: the generation has no such passage, or the engine is not reached.
        """
        rows = sorted(
            self._asked("to read vectors", lambda client: self._windows(client, number)),
            key=itemgetter("window"),
        )
        if rows:
            return np.asarray([row["vector"] for row in rows], np.float32)
        engine = self._connection.engine
        raise BackendError(f"{self.generation} in {engine} has no passage {number}")

    def close(self) -> None:
        """Let go of the connection."""
        self._connection.close()

    def _asked(self, action: str, ask: Callable[[Any], T]) -> T:
        """What the engine answers; each kind of failure is mended once, if it can be."""
        mended: set[Kind] = set()
        while True:
            try:
                with self._connection.asked(action) as client:
                    return ask(client)
            except EngineFailureError as failure:
                if failure.kind in mended or not self._mended(failure.kind):
                    raise
                mended.add(failure.kind)

    def _mended(self, kind: Kind) -> bool:  # noqa: ARG002 (for those that can)
        """Whether what failed so was mended."""
        return False

    @abstractmethod
    def _candidates(self, client: Any, query: SearchRequest) -> list[Row]:
        """All windows of what both lanes find, and of those of ``also`` that may be found."""

    @abstractmethod
    def _matching(self, client: Any, query: SearchRequest) -> list[int]:
        """The passages that fulfil the conditions."""

    @abstractmethod
    def _windows(self, client: Any, number: int) -> list[Row]:
        """The windows of a passage, each with its place and vector, in any order."""


class Writer(ABC, Generic[C]):
    """Fills a generation of a collection, which is served only once it is published.

    Raises from every method but :meth:`prune` and :meth:`close`:
        BackendError: the engine is not reached or refuses; what it served it still serves.
    """

    separator: ClassVar[str]
    batch: ClassVar[int]

    def __init__(self, connection: C, name: str, generation: str, columns: Sequence[str]) -> None:
        self._connection = connection
        self._columns = tuple(columns)
        self._rows = 0
        self.name = name
        self.generation = generation

    @classmethod
    def next_name(cls, name: str, existing: Iterable[str]) -> str:
        """The name of the generation that comes after those that the engine holds.

        Raises:
            SettingsError: ``name`` cannot name a collection.
        """
        if not _NAME.match(name):
            raise SettingsError(f"{name[:60]!r} cannot name a collection: letters, digits and "
                                "underscores, not a digit first")
        count = max((count_of(name, cls.separator, other) for other in existing), default=0) + 1
        return f"{name}{cls.separator}{count:06d}{cls.separator}{secrets.token_hex(4)}"

    def write(self, records: Iterable[IndexedPassage]) -> None:
        """Add the records in batches of rows."""
        pending = (row for record in records for row in self._rows_of(record))
        while batch := list(islice(pending, self.batch)):
            with self._connection.asked(f"to write to {self.generation}") as client:
                self._insert(client, batch)
            self._rows += len(batch)

    @abstractmethod
    def publish(self) -> None:
        """Make the generation the one that is served, in one step. Nothing is dropped."""

    def prune(self, keep: Collection[str]) -> None:
        """Drop older generations but those of ``keep``; that this fails is logged, not raised."""
        log, address = self._connection.log, self._connection.shown
        try:
            with self._connection.asked("to drop old generations") as client:
                own = count_of(self.name, self.separator, self.generation)
                for other in self._names(client):
                    if 0 < count_of(self.name, self.separator, other) < own and other not in keep:
                        self._drop(client, other)
                        log.info("%s at %s: dropped %s", self._connection.engine, address, other)
        except BackendError:
            log.warning("%s at %s: old generations of %s remain", self._connection.engine, address,
                        self.name)

    def discard(self) -> None:
        """Drop the generation, which was not published, and close, also where that fails."""
        with self._connection.asked(f"to drop {self.generation}", or_close=True) as client:
            self._drop(client, self.generation)
        self.close()

    def close(self) -> None:
        """Let go of the connection."""
        self._connection.close()

    @abstractmethod
    def _rows_of(self, record: IndexedPassage) -> Iterator[Row]:
        """The rows of a passage, one a window."""

    @abstractmethod
    def _insert(self, client: Any, rows: list[Row]) -> None:
        """Add rows to the generation."""

    @abstractmethod
    def _names(self, client: Any) -> list[str]:
        """All that the engine holds, of any collection."""

    @abstractmethod
    def _drop(self, client: Any, generation: str) -> None:
        """Drop a generation."""


def count_of(name: str, separator: str, generation: str) -> int:
    """Which generation of ``name`` it is, from 1; 0 if it is none."""
    parts = rf"{re.escape(name)}{separator}(\d{{6,}}){separator}[0-9a-f]{{8}}"
    match = re.fullmatch(parts, generation)
    return int(match[1]) if match else 0


def library(module: str, extra: str) -> Any:
    """A module of an extra, imported when it is first needed.

    Raises:
        BackendError: the extra is not installed.
    """
    with warnings.catch_warnings():
        # Marqo's client declares its models as pydantic did before version 2.
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            return importlib.import_module(module)
        except ImportError as error:
            raise BackendError(
                f"{extra.title()} needs the package {error.name}: pip install 'PATH[{extra}]' "
                "(PATH: a checkout of mvp-site)"
            ) from None


def shown(uri: str) -> str:
    """``uri`` without user, password and query, for logs and errors."""
    if "://" not in uri:
        return uri
    try:
        parts = urlsplit(uri)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    except ValueError:
        return uri.partition("://")[0] + "://…"
