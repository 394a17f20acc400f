"""The error tree. Every message names the thing, what was found, and what mends it.

::

    MvpSiteError
    ├── SettingsError            a setting or environment variable cannot be used
    ├── InvalidTurnError         a turn was asked for with an unknown mode, audience or role
    ├── ArchiveError             authored text cannot be used
    │   ├── UnknownVersionError  no such version; the message lists those that exist
    │   ├── EmptyArchiveError    a version without a passage to index
    │   └── FrontMatterError     front matter that does not parse or has a wrong value
    ├── EncoderError             no encoder for the model, or it cannot be exported
    ├── BuildError               an index could not be built or published
    └── IndexLoadError           no release can be served
        ├── MissingIndexError    nothing was built for this version
        ├── StaleIndexError      the archive has changed since the build
        └── CorruptIndexError    an artifact is missing, cut or altered
"""

from __future__ import annotations


class MvpSiteError(Exception):
    """Root of every error this package raises on purpose."""


class SettingsError(MvpSiteError, ValueError):
    """A setting has a value that cannot be used."""


class InvalidTurnError(MvpSiteError, ValueError):
    """A turn names a mode, audience or role that does not exist."""


class ArchiveError(MvpSiteError):
    """Authored text cannot be used."""


class UnknownVersionError(ArchiveError, LookupError):
    """The archive and the index have no version of this name."""


class EmptyArchiveError(ArchiveError):
    """A version holds no text to index."""


class FrontMatterError(ArchiveError, ValueError):
    """A file's front matter does not parse or holds a wrong value."""


class EncoderError(MvpSiteError):
    """No encoder can be opened or exported for the model."""


class BuildError(MvpSiteError):
    """An index could not be built or published; the one before it stands."""


class IndexLoadError(MvpSiteError):
    """No release can be served."""


class MissingIndexError(IndexLoadError, FileNotFoundError):
    """Nothing has been built for the version."""


class StaleIndexError(IndexLoadError):
    """The archive's content differs from what the index was built from."""


class CorruptIndexError(IndexLoadError):
    """An artifact is missing, cut short or altered."""
