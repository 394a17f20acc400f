"""The error tree. Every message names the thing, what was found, and what mends it.

::

    MvpSiteError
    ├── SettingsError            a setting or environment variable cannot be used
    ├── InvalidRequestError      a request to an operation lacks a field, or has a wrong one
    ├── InvalidTurnError         a turn has an unknown mode, audience or role
    │   ├── NotEntitledError     the caller's audience may not do this
    │   ├── UnknownModeError     no such mode; the message lists those that exist
    │   └── UnknownSectionError  no such file or section; the message names a near one
    ├── ArchiveError             authored text cannot be used
    │   ├── UnknownVersionError  no such version; the message lists those that exist
    │   ├── EmptyArchiveError    a version without a passage to index
    │   └── FrontMatterError     front matter that does not parse or has a wrong value
    ├── LibraryError             a book, or a folder of books, cannot be used
    │   └── UnknownSourceError   no such source, or it has no such entry
    ├── RulebookError            a rulebook cannot be read
    ├── RulebookQueryError       a question to the rulebook is not valid
    │   └── UnknownIntentionError  no such intention; the message names near ones
    ├── EntityTypeError          there is no such type of entity; the message lists them
    ├── UnknownEntityError       no entity of this slug; the message names near ones
    ├── EntityDataError          a folder of entities cannot be read, or an entity not used
    ├── FilterError              a filter has an unknown field, or a value of the wrong kind
    ├── BackendError             the storage backend of passages is not reached or refuses
    ├── EncoderError             no encoder for the model, or it cannot be exported
    ├── BuildError               an index could not be built or published
    ├── PromotionError           a version cannot be promoted, or a promotion not rolled back
    ├── DiceError                a dice expression cannot be rolled
    ├── StateUpdateError         a state update cannot be applied; ``path`` says where
    ├── ModelError               a language model gave no answer
    │   ├── ModelUnavailableError  not reached, overloaded, too slow, or its answer was damaged
    │   └── ModelRequestError    it refuses the request: key, model name or size
    ├── SessionsError            a character's sheet or a session's notes cannot be used
    │   └── UnknownCharacterError  no such character; the message names near ones
    ├── EngineError              every domain that the question needs failed
    │   └── RouterError          a router's answer is not a decision
    ├── StoreError               campaigns cannot be read or written
    │   ├── UnknownCampaignError no such campaign
    │   ├── CampaignExistsError  a campaign of this id exists already
    │   ├── UnknownTurnError     no such turn
    │   ├── UnknownRoutingError  no such routing of a question
    │   └── CampaignConflictError  another writer came first; nothing was written
    └── IndexLoadError           no release can be served
        ├── MissingIndexError    nothing was built for this version
        ├── StaleIndexError      the archive has changed since the build
        └── CorruptIndexError    an artifact is missing, cut or altered
"""

from __future__ import annotations

from collections.abc import Sequence


class MvpSiteError(Exception):
    """Root of every error this package raises on purpose."""


class SettingsError(MvpSiteError, ValueError):
    """A setting has a value that cannot be used."""


class InvalidRequestError(MvpSiteError, ValueError):
    """A request has a field that is missing, unknown or wrong; the message names it."""


class InvalidTurnError(MvpSiteError, ValueError):
    """A turn names a mode, audience or role that does not exist."""


class NotEntitledError(InvalidTurnError, PermissionError):
    """The caller's audience does not entitle it to what it asked for."""


class UnknownModeError(InvalidTurnError, LookupError):
    """A turn names a mode that neither the product nor the version has; the message lists them."""


class UnknownSectionError(InvalidTurnError, LookupError):
    """A turn names a file or section that the version does not have for its audience."""


class ArchiveError(MvpSiteError):
    """Authored text cannot be used."""


class UnknownVersionError(ArchiveError, LookupError):
    """The archive and the index have no version of this name."""


class EmptyArchiveError(ArchiveError):
    """A version holds no text to index."""


class FrontMatterError(ArchiveError, ValueError):
    """A file's front matter does not parse or holds a wrong value."""


class LibraryError(MvpSiteError, ValueError):
    """A book, or a folder of books, cannot be used."""


class UnknownSourceError(LibraryError, LookupError):
    """The library has no source of this id, or a source no entry of this name."""


class RulebookError(MvpSiteError, ValueError):
    """A rulebook cannot be read: it is empty, or it is not text."""


class RulebookQueryError(MvpSiteError, ValueError):
    """A question to the rulebook is not valid."""


class UnknownIntentionError(RulebookQueryError, LookupError):
    """There is no such intention; the message names near ones and lists all."""


class EntityTypeError(MvpSiteError, ValueError):
    """There is no such type of entity; the message lists the types."""


class UnknownEntityError(MvpSiteError, LookupError):
    """The type has no entity of this slug; the message names near ones, ``near`` has them."""

    def __init__(self, message: str, near: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.near = tuple(near)


class EntityDataError(MvpSiteError, ValueError):
    """A folder of entities cannot be read, or an entity cannot be used."""


class FilterError(MvpSiteError, ValueError):
    """A filter has an unknown field, or a value of the wrong kind for its field."""


class BackendError(MvpSiteError):
    """The storage backend of passages cannot be reached, or refuses; nothing was answered."""


class EncoderError(MvpSiteError):
    """No encoder can be opened or exported for the model."""


class BuildError(MvpSiteError):
    """An index could not be built or published; the previous one is still in use."""


class PromotionError(MvpSiteError):
    """A version cannot be promoted, or there is no promotion to roll back; nothing has changed."""


class IndexLoadError(MvpSiteError):
    """No release can be served."""


class MissingIndexError(IndexLoadError, FileNotFoundError):
    """Nothing has been built for the version."""


class StaleIndexError(IndexLoadError):
    """The archive's content differs from what the index was built from."""


class CorruptIndexError(IndexLoadError):
    """An artifact is missing, cut short or altered."""


class DiceError(MvpSiteError, ValueError):
    """A dice expression does not parse or asks for more than will be rolled."""


class StateUpdateError(MvpSiteError, ValueError):
    """A state update cannot be applied; the state is unchanged. ``path`` is its dotted path."""

    def __init__(self, message: str, path: str = "") -> None:
        super().__init__(message)
        self.path = path


class ModelError(MvpSiteError):
    """A language model gave no answer."""


class ModelUnavailableError(ModelError):
    """The model was not reached, was overloaded or too slow, or its answer arrived damaged."""


class ModelRequestError(ModelError, ValueError):
    """The model refuses the request: its key, the model's name, or its size."""


class SessionsError(MvpSiteError, ValueError):
    """A character's sheet or a session's notes cannot be read or used."""


class UnknownCharacterError(SessionsError, LookupError):
    """There is no character of this name, or several campaigns have one."""


class EngineError(MvpSiteError):
    """A question was not answered: every domain that it needs failed, or it cannot be asked."""


class RouterError(EngineError):
    """A router's answer is not a decision."""


class StoreError(MvpSiteError):
    """Campaigns cannot be read or written."""


class UnknownCampaignError(StoreError, LookupError):
    """The store has no campaign of this id."""


class CampaignExistsError(StoreError):
    """The store has a campaign of this id already."""


class UnknownTurnError(StoreError, LookupError):
    """The store has no turn of this id."""


class UnknownRoutingError(StoreError, LookupError):
    """The store has no routing of this id."""


class CampaignConflictError(StoreError):
    """The campaign has moved on since it was read; nothing was written."""


def require_text(value: object, label: str, error: type[MvpSiteError]) -> None:
    """Raise ``error`` if ``value`` is not a text; the message calls the value ``label``."""
    if not isinstance(value, str):
        raise error(f"{label} is of the type {type(value).__name__}: give a text")
