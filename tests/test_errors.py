"""The error tree: one root, drawn in the docstring as it is."""

from __future__ import annotations

import inspect
import re

import pytest

from mvp_site import errors

pytestmark = pytest.mark.serving

CLASSES = {name: value for name, value in vars(errors).items() if inspect.isclass(value) and issubclass(value, Exception)}

BUILTINS: dict[type[Exception], str] = {
    ValueError: "SettingsError InvalidRequestError InvalidTurnError FrontMatterError LibraryError RulebookError RulebookQueryError EntityTypeError "
                "EntityDataError FilterError DiceError StateUpdateError ModelRequestError SessionsError",
    LookupError: "UnknownSectionError UnknownVersionError UnknownSourceError UnknownIntentionError UnknownEntityError UnknownCharacterError "
                 "UnknownCampaignError UnknownTurnError UnknownRoutingError",
    PermissionError: "NotEntitledError", FileNotFoundError: "MissingIndexError",
}
"""Which errors are caught as those of Python too; of our own, the docstring says which is below which."""


def test_which_are_errors_of_python_too_and_what_they_print() -> None:
    found = {kind: {name for name, value in CLASSES.items() if kind in value.__bases__} for kind in BUILTINS}
    assert found == {kind: set(names.split()) for kind, names in BUILTINS.items()}
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
