"""The error tree: one root, drawn in the docstring as it is."""

from __future__ import annotations

import inspect
import re

import pytest

from mvp_site import errors

pytestmark = pytest.mark.serving

CLASSES = {
    name: value
    for name, value in vars(errors).items()
    if inspect.isclass(value) and issubclass(value, Exception)
}

PARENTS = [
    ("MvpSiteError", [Exception]),
    ("SettingsError", [errors.MvpSiteError, ValueError]),
    ("InvalidRequestError", [errors.MvpSiteError, ValueError]),
    ("InvalidTurnError", [errors.MvpSiteError, ValueError]),
    ("NotEntitledError", [errors.InvalidTurnError, PermissionError]),
    ("UnknownSectionError", [errors.InvalidTurnError, LookupError]),
    ("ArchiveError", [errors.MvpSiteError]),
    ("UnknownVersionError", [errors.ArchiveError, LookupError]),
    ("EmptyArchiveError", [errors.ArchiveError]),
    ("FrontMatterError", [errors.ArchiveError, ValueError]),
    ("LibraryError", [errors.MvpSiteError, ValueError]),
    ("UnknownSourceError", [errors.LibraryError, LookupError]),
    ("RulebookError", [errors.MvpSiteError, ValueError]),
    ("RulebookQueryError", [errors.MvpSiteError, ValueError]),
    ("UnknownIntentionError", [errors.RulebookQueryError, LookupError]),
    ("EntityTypeError", [errors.MvpSiteError, ValueError]),
    ("UnknownEntityError", [errors.MvpSiteError, LookupError]),
    ("EntityDataError", [errors.MvpSiteError, ValueError]),
    ("FilterError", [errors.MvpSiteError, ValueError]),
    ("BackendError", [errors.MvpSiteError]),
    ("EncoderError", [errors.MvpSiteError]),
    ("BuildError", [errors.MvpSiteError]),
    ("PromotionError", [errors.MvpSiteError]),
    ("IndexLoadError", [errors.MvpSiteError]),
    ("MissingIndexError", [errors.IndexLoadError, FileNotFoundError]),
    ("StaleIndexError", [errors.IndexLoadError]),
    ("CorruptIndexError", [errors.IndexLoadError]),
    ("DiceError", [errors.MvpSiteError, ValueError]),
    ("StateUpdateError", [errors.MvpSiteError, ValueError]),
    ("ModelError", [errors.MvpSiteError]),
    ("ModelUnavailableError", [errors.ModelError]),
    ("ModelRequestError", [errors.ModelError, ValueError]),
    ("SessionsError", [errors.MvpSiteError, ValueError]),
    ("UnknownCharacterError", [errors.SessionsError, LookupError]),
    ("EngineError", [errors.MvpSiteError]),
    ("RouterError", [errors.EngineError]),
    ("StoreError", [errors.MvpSiteError]),
    ("UnknownCampaignError", [errors.StoreError, LookupError]),
    ("CampaignExistsError", [errors.StoreError]),
    ("UnknownTurnError", [errors.StoreError, LookupError]),
    ("UnknownRoutingError", [errors.StoreError, LookupError]),
    ("CampaignConflictError", [errors.StoreError]),
]


def test_the_tree_and_the_messages() -> None:
    assert {name: list(value.__bases__) for name, value in CLASSES.items()} == dict(PARENTS)
    assert all(value.__doc__ for value in CLASSES.values())
    # FileNotFoundError and LookupError print one argument in their own ways.
    assert {str(value("the message")) for value in CLASSES.values()} == {"the message"}


def test_the_docstring_draws_the_tree() -> None:
    drawn: dict[str, str] = {}
    above: list[str] = []
    for line in (errors.__doc__ or "").splitlines():
        if match := re.match(r"    ([│ ├└─]*)(\w+Error)", line):
            above[len(match[1]) // 4 :] = [match[2]]
            drawn[match[2]] = above[-2] if len(above) > 1 else "Exception"
    assert drawn == {name: value.__bases__[0].__name__ for name, value in CLASSES.items()}
