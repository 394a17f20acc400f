"""What pages and API call: assemblers of each version, the turn handler, rulebook, entities.

They are opened when they are first needed. What could not be opened is tried again by the next
request, so that an index that has been built meanwhile is taken up without a restart.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from ..archive.versions import list_known, newest
from ..assembly.assembler import PromptAssembler
from ..entities.index import EntityIndex
from ..entities.results import Result, Results
from ..errors import (
    EncoderError,
    IndexLoadError,
    MissingIndexError,
    MvpSiteError,
    SettingsError,
    UnknownVersionError,
)
from ..rulebook.categories import Category
from ..rulebook.intentions import Intention
from ..rulebook.results import RankedSection, RulebookResponse
from ..rulebook.rulebook import Rulebook as OpenedRulebook
from ..rulebook.sections import Sections
from ..settings import Settings
from ..store.types import TurnRecord
from ..turns.handler import TurnHandler
from ..turns.replay import Replayed
from ..turns.types import TurnRequest, TurnResult
from ..types import AssembledTurn, Audience, Message, Mode


class Assembler(Protocol):
    """What the app needs of :class:`~mvp_site.assembly.assembler.PromptAssembler`."""

    @property
    def version(self) -> str:
        """The version it serves."""

    def assemble(self, text: str, mode: Mode = ..., audience: Audience = ...,
                 history: Sequence[Message] = ..., state: Mapping[str, Any] | None = ...,
                 ) -> AssembledTurn:
        """The prompt of one turn."""


class TurnStore(Protocol):
    """What the app reads of the campaign store."""

    def turns(self, limit: int = ..., campaign_id: str | None = ..., sparse: bool | None = ...,
              before: str | None = ...) -> Sequence[TurnRecord]:
        """The newest turns, newest first; those older than the turn ``before``."""

    def turn(self, turn_id: str) -> TurnRecord:
        """One turn. Raises UnknownTurnError."""


class Handler(Protocol):
    """What the app needs of :class:`~mvp_site.turns.handler.TurnHandler`."""

    @property
    def store(self) -> TurnStore:
        """Where its turns are kept."""

    def handle(self, request: TurnRequest) -> TurnResult:
        """What came of the turn."""

    def replay(self, turn_id: str) -> Replayed:
        """The prompt of a past turn, rebuilt. Raises UnknownTurnError."""


class Rulebook(Protocol):
    """What the app needs of :class:`~mvp_site.rulebook.rulebook.Rulebook`."""

    @property
    def sections(self) -> Sections:
        """Its sections, in the order of the book."""

    @property
    def source(self) -> str:
        """What citations call it."""

    @property
    def attribution(self) -> str:
        """What its licence asks to be said beside its text; '' for nothing."""

    @property
    def fingerprint(self) -> str:
        """What tells its build from any other."""

    def search(self, query: str = ..., intention: Intention | str | None = ...,
               entities: Sequence[str] = ..., context_hints: Sequence[str] = ...,
               categories: Sequence[Category] | None = ..., limit: int = ...,
               ) -> tuple[RankedSection, ...]:
        """The best sections, the best first. Raises RulebookQueryError."""

    def query(self, *, intention: Intention | str | None = ..., entities: Sequence[str] = ...,
              context_hints: Sequence[str] = ..., user_query: str | None = ...,
              categories: Sequence[Category] | None = ..., max_tokens: int = ...,
              continuation: str | None = ...) -> RulebookResponse:
        """The answer within a budget of tokens. Raises RulebookQueryError."""


class Entities(Protocol):
    """What the app needs of :class:`~mvp_site.entities.index.EntityIndex`."""

    def search_entities(self, entity_type: str, query: str = ...,
                        filters: Mapping[str, Any] | None = ..., limit: int = ...,
                        offset: int = ..., bind_stated: bool = ...) -> Results:
        """The best of a type. Raises EntityTypeError, FilterError, BackendError."""

    def find_similar_entities(self, entity_type: str, reference_slug: str, limit: int = ...,
                              ) -> Results:
        """What is like an entity. Raises UnknownEntityError."""

    def search_all(self, query: str, limit: int = ..., *, types: Sequence[str] | None = ...,
                   documents: Sequence[str] | None = ..., bind_stated: bool = ...) -> Results:
        """The best of all types."""

    def entity(self, entity_type: str, slug: str) -> Result:
        """One entity. Raises UnknownEntityError."""

    def list_documents(self) -> list[dict[str, Any]]:
        """Where the entities come from, with counts by type and attribution."""

    def facets(self, entity_type: str, filters: Mapping[str, Any] | None = ...,
               ) -> Mapping[str, Mapping[Any, int]]:
        """How often each value of each field is there under filters. Raises FilterError."""


class Services:
    """The assemblers, the handler, the rulebook and the entities of one app. Thread-safe."""

    def __init__(self, settings: Settings, handler: Handler | None = None,
                 assemblers: Mapping[str, Assembler] | None = None,
                 rulebook: Rulebook | None = None, entities: Entities | None = None) -> None:
        self.settings = settings
        self._handler = handler
        self._entities = entities
        self._rulebook = rulebook
        self._given = dict(assemblers) if assemblers is not None else None
        self._opened: dict[str, PromptAssembler] = {}
        self._opening = threading.RLock()
        self._default = ""

    def versions(self) -> list[str]:
        """The versions that exist, as authored text or as an index, by name."""
        if self._given is not None:
            return sorted(self._given)
        return list_known(self.settings)

    @property
    def default_version(self) -> str:
        """The version that is served where none is asked for; it need not exist, and may be ''."""
        if not self._default:
            self._default = self.settings.prompt_version or newest(self.settings) or ""
        wanted = self._default
        if self._given and wanted not in self._given:
            return min(self._given)
        return wanted

    def assembler(self, version: str | None = None) -> Assembler:
        """The assembler of ``version``, else of the default one.

        Raises:
            UnknownVersionError: there is no such version; lists those that exist.
            SettingsError: the default version does not exist.
            IndexLoadError, EncoderError: it cannot be served; the message has the command that
                mends it.
        """
        if version is not None and version not in self.versions():
            raise UnknownVersionError(
                f"unknown prompt version {version!r}; existing versions: "
                f"{', '.join(self.versions()) or 'none'}"
            )
        if self._given is None:
            return self._open(version)
        if not self._given:
            raise MissingIndexError("this app was given no assembler: hand one in")
        return self._given[version or self.default_version]

    def _open(self, version: str | None = None) -> PromptAssembler:
        name = version or self.default_version
        found = self._opened.get(name)
        if found is None:
            with self._opening:
                found = self._opened.get(name)
                if found is None:
                    try:
                        found = PromptAssembler.open(replace(self.settings, prompt_version=name))
                    except UnknownVersionError as error:
                        # Not the caller's mistake: nobody asked for it by name.
                        raise SettingsError(str(error)) from error
                    self._opened[name] = found
        return found

    def problem(self) -> str:
        """Why turns are played on the core header alone, and what mends it; '' if they are not."""
        try:
            self.assembler()
        except MvpSiteError as error:
            return str(error)
        return ""

    def handler(self) -> Handler:
        """The turn handler. It shares the default version's assembler, where there is one.

        Raises:
            MvpSiteError: it cannot be opened; the message says what mends it.
        """
        if self._handler is None:
            with self._opening:
                if self._handler is None:
                    self._handler = self._open_handler()
        return self._handler

    def _open_handler(self) -> TurnHandler:
        try:
            assembler = self._open()
        except (IndexLoadError, EncoderError):
            return TurnHandler.open(self.settings)  # which then takes turns on the header alone
        return TurnHandler.open(self.settings, assembler=assembler)

    def rulebook(self) -> Rulebook:
        """The rulebook.

        Raises:
            IndexLoadError, EncoderError: it cannot be served; the message has the command that
                mends it.
        """
        if self._rulebook is None:
            with self._opening:
                if self._rulebook is None:
                    self._rulebook = OpenedRulebook.open(self.settings)
        return self._rulebook

    def entities(self) -> Entities:
        """The index of entities.

        Raises:
            IndexLoadError, EncoderError, BackendError: it cannot be served; the message says what
                mends it.
        """
        if self._entities is None:
            with self._opening:
                if self._entities is None:
                    self._entities = EntityIndex.open(self.settings)
        return self._entities

    def store(self) -> TurnStore:
        """The campaigns' store.

        Raises:
            MvpSiteError: the handler, which owns it, cannot be opened.
        """
        return self.handler().store
