"""Pages' forms: the fields of a request as they were typed, and what is wrong with each. Pure.

Nothing is believed: kinds, bounds and defaults are those of the request's type. A page may call a
field otherwise, and may take less of a text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from werkzeug.datastructures import MultiDict

from ..operations.requests import fields, read, wrong_fields
from ..text.strict_json import check, parse, read_object, short

MAX_TYPED: Final = 40_000
"""The most characters of any field."""
_DIGITS: Final = 10
_FLAGS: Final = {"true": True, "false": False}
_SPLIT: Final = re.compile(r"[,\n]")
_SPEAKER: Final = re.compile(r"(?im)^(user|player|assistant|narrator|dm|gm)[ \t]*:")
_USERS: Final = frozenset({"user", "player"})


@dataclass(frozen=True, slots=True)
class Form:
    """A form as it was typed: texts and errors by the page's names.

    ``values`` are the request's fields that are right. With an error nothing is asked.
    """

    type: Any
    typed: Mapping[str, str]
    values: dict[str, Any]
    errors: dict[str, str]

    def value(self, name: str) -> Any:
        """A field of the request; its default, where it was not given or is wrong."""
        return self.values.get(name, fields(self.type)[name].get("default"))

    def request(self) -> Any:
        """The request, where nothing is wrong."""
        return read(self.type, self.values)


def read_form(type_: Any, args: MultiDict[str, str], names: Mapping[str, str],
              most: Mapping[str, int]) -> Form:
    """The form in ``args``. ``names`` are the page's names, each with the request's field.

    ``most`` are the characters that a name takes, where the page takes fewer than the field.
    """
    schemas = fields(type_)
    written: dict[str, str] = {}
    values: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for name, field in names.items():
        texts = [text.replace("\r\n", "\n").strip() for text in args.getlist(name)]
        written[name] = texts[0] if texts else ""
        lines = [text for text in texts if text]
        if not lines and not (texts and schemas[field]["required"]):
            continue
        try:
            for text in lines:
                check(text, "This")
                if len(text) > (limit := most.get(name, MAX_TYPED)):
                    size = f"This has {len(text)} characters"
                    raise ValueError(f"{size}; it must have at most {limit}")
            schema = schemas[field]
            if schema["type"] == "array" and len(lines) == 1 and not _messages(schema):
                lines = [part for part in map(str.strip, _SPLIT.split(lines[0])) if part]
            values[field] = typed(schemas[field], lines or [""], "This")
        except ValueError as error:
            errors[name] = f"{str(error).removesuffix('.')}."
    by_field = {field: name for name, field in names.items()}
    for field, wrong in wrong_fields(type_, values).items():
        if field in values:
            errors.setdefault(by_field[field], wrong)
            del values[field]
    return Form(type_, written, values, errors)


def typed(schema: Mapping[str, Any], texts: list[str], label: str) -> Any:
    """Texts as the value of a field; messages call them ``label``.

    Raises:
        ValueError: they cannot be one; the message says why.
    """
    kind, text = schema["type"], texts[0]
    if kind == "array" and _messages(schema):
        return read_messages(text, label)
    if kind == "array":
        whole = schema["items"].get("type") == "integer"
        return tuple(dict.fromkeys(whole_number(text, label) for text in texts)) if whole else texts
    if kind == "object":
        return read_object(text, label)
    if kind == "boolean" and text not in _FLAGS:
        raise ValueError(f"{label} is {short(text)}; it must be true or false")
    if kind == "integer":
        return whole_number(text, label)
    if kind == "number":
        return number(text, label)
    return _FLAGS[text] if kind == "boolean" else text


def read_messages(text: str, label: str = "This") -> list[Any]:
    """The messages of a pasted conversation: JSON, or lines that begin ``user:``, ``assistant:``.

    ``player:`` is a user, and ``dm:``, ``gm:`` and ``narrator:`` are the assistant; what stands
    before the first of these is the user's.

    Raises:
        JsonError: it begins as a list, and is no JSON.
    """
    if text.startswith("["):
        parsed = parse(text, label)
        check(parsed, label)
        return list(parsed)
    first, *rest = _SPEAKER.split(text)
    pairs = [("user", first), *zip(rest[::2], rest[1::2], strict=True)]
    return [
        {"role": "user" if who.lower() in _USERS else "assistant", "content": words.strip()}
        for who, words in pairs if words.strip()
    ]


def _messages(schema: Mapping[str, Any]) -> bool:
    """Whether a field is a list of objects; those are messages."""
    return "$ref" in schema["items"]


def number(text: str, label: str = "This") -> float:
    """The number that ``text`` is.

    Raises:
        ValueError: it is none.
    """
    if not re.fullmatch(r"[0-9]{0,9}\.?[0-9]{1,9}", text):
        raise ValueError(f"{label} is {short(text)}; it must be a number, as 0.35")
    return float(text)


def whole_number(text: str, label: str = "This") -> int:
    """The number that ``text`` is.

    Raises:
        ValueError: it is none, or a very long one.
    """
    if not (text.isascii() and text.isdecimal() and len(text) < _DIGITS):
        raise ValueError(f"{label} is {short(text)}; it must be a whole number")
    return int(text)
