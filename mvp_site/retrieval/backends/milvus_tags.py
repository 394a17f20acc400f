"""Tags: all texts and flags of a passage as one text, since a collection has only so many columns.

Each value is an entry that names its field, and texts have a last entry that closes the field:
``<entry>field<value>text``, as often as there are texts, then ``<entry>field<end>``. What is a
field's and what separates is in characters that the code of texts (:mod:`~.plain`) never has. So
LIKE asks exactly: a value is equal to what stands between its field and the next entry, and
whatever lies between a field's first entry and its last is a part of one of its texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from string import ascii_letters, digits
from typing import Final

from ..filters import FieldKind
from .plain import SEPARATOR, column, plain
from .protocol import Value

TAGS: Final = "tags"
ENTRY: Final = SEPARATOR
VALUE: Final = "\ue013"
END: Final = "\ue014"
_NAMES: Final = 0xE100
_PLACES: Final = {letter: place for place, letter in enumerate(f"{ascii_letters}{digits}_")}
_NO_LETTER: Final = len(_PLACES)


def field_code(field: str, kind: FieldKind) -> str:
    """A field in private characters, two letters of its name in each; one text or several is one.

    Raises:
        BackendError: the name cannot be a field's.
    """
    named = column(field, kind)
    letters = ("f" if kind is FieldKind.FLAG else "t") + named.partition("_")[2]
    places = [_PLACES[letter] for letter in letters] + [_NO_LETTER] * (len(letters) % 2)
    return "".join(
        chr(_NAMES + first * (_NO_LETTER + 1) + second)
        for first, second in zip(places[::2], places[1::2], strict=True)
    )


def tags(fields: Mapping[str, Value]) -> dict[str, str]:
    """The entries of each field that is no number; joined and with :data:`ENTRY`, a tags column."""
    return {name: _entries(name, value) for name, value in fields.items() if not is_number(value)}


def is_number(value: Value) -> bool:
    """Whether a value stands in a column of its own."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def flag_is(field: str, flag: bool) -> str:
    """The pattern of tags in which the flag is this."""
    return f"%{_flag(field, flag)}{ENTRY}%"


def text_is(field: str, text: str) -> str:
    """The pattern of tags in which the field, or one of its texts, is this text."""
    return f"%{ENTRY}{field_code(field, FieldKind.TEXT)}{VALUE}{plain(text)}{ENTRY}%"


def text_has(field: str, part: str) -> str:
    """The pattern of tags in which the field's text, or one of them, has this part."""
    entry = ENTRY + field_code(field, FieldKind.TEXT)
    return f"%{entry}{VALUE}%{plain(part)}%{entry}{END}%"


def has_texts(field: str) -> str:
    """The pattern of tags in which the field has a text at all."""
    return f"%{ENTRY}{field_code(field, FieldKind.TEXT)}{END}%"


def texts_in(stored: str, field: str) -> list[str]:
    """The field's texts, in code, in a column of tags."""
    start = field_code(field, FieldKind.TEXT) + VALUE
    return [one[len(start) :] for one in stored.split(ENTRY) if one.startswith(start)]


def flag_in(stored: str, field: str, flag: bool) -> bool:
    """Whether a column of tags says this of the flag."""
    return f"{_flag(field, flag)}{ENTRY}" in stored


def _entries(field: str, value: Value) -> str:
    if isinstance(value, bool):
        return _flag(field, value)
    texts = (value,) if isinstance(value, str) else value
    if isinstance(texts, int | float) or not texts:
        return ""
    entry = ENTRY + field_code(field, FieldKind.TEXT)
    return "".join(f"{entry}{VALUE}{plain(text)}" for text in texts) + entry + END


def _flag(field: str, flag: bool) -> str:
    return f"{ENTRY}{field_code(field, FieldKind.FLAG)}{VALUE}{int(flag)}"
