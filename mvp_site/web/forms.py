"""Pages' forms: the fields of a request as they were typed, and what is wrong with each. Pure.

Nothing is believed: kinds, bounds and defaults are those of the request's type, in what is read and
in the HTML that asks for it. A page may call a field otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from werkzeug.datastructures import MultiDict

from ..errors import InvalidRequestError
from ..operations.requests import fields, read, wrong_fields
from ..text.strict_json import check, parse, read_object, short

MAX_TYPED: Final = 40_000
"""The most characters of any field."""
MOST_DIGITS: Final = 9
_NUMBER: Final = re.compile(rf"[0-9]{{0,{MOST_DIGITS}}}\.?[0-9]{{1,{MOST_DIGITS}}}")
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
    names: Mapping[str, str]

    def value(self, name: str) -> Any:
        """A field of the request; its default, where it was not given or is wrong."""
        return self.values.get(name, fields(self.type)[name].get("default"))

    def schema(self, name: str) -> Mapping[str, Any]:
        """The JSON Schema of the field that a page calls so."""
        return fields(self.type)[self.names[name]]

    def attributes(self, name: str) -> dict[str, str | int | None]:
        """The HTML attributes of the field that a page calls so: its bounds, and its error."""
        schema, is_wrong = self.schema(name), name in self.errors
        kind, text_room = schema["type"], min(schema.get("maxLength", MAX_TYPED), MAX_TYPED)
        needed = schema["required"] and ("minLength" in schema or "pattern" in schema)
        return {
            "id": name, "name": name, "pattern": schema.get("pattern"),
            "type": schema.get("format"), "required": "" if needed else None,
            "inputmode": {"integer": "numeric", "number": "decimal"}.get(kind),
            "maxlength": {"integer": MOST_DIGITS, "number": 2 * MOST_DIGITS + 1}.get(
                kind, text_room),
            "aria-invalid": "true" if is_wrong else None,
            "aria-describedby": f"{name}-error" if is_wrong else None,
        }

    def choices(self, name: str, options: Iterable[str | tuple[Any, str]] | None = None,
                ) -> list[tuple[Any, str]]:
        """The values that a field may have, each with its text.

        They are those of ``options`` (a text stands for itself), else what the field lists.
        """
        if options is not None:
            return [(row, row) if isinstance(row, str) else row for row in options]
        schema = self.schema(name)
        listed = schema.get("enum") or schema.get("items", {}).get("enum", ())
        return [(value, labelled(value)) for value in listed]

    def request(self) -> Any:
        """The request.

        Raises:
            InvalidRequestError: a field is wrong; the message names it.
        """
        for name, wrong in self.errors.items():
            raise InvalidRequestError(f"`{name}`: {wrong}")
        return read(self.type, self.values)


def labelled(name: str) -> str:
    """The name of a mode, an audience or a type as people write it."""
    return {"dm": "DM"}.get(name, name.capitalize())


def read_form(type_: Any, args: MultiDict[str, str], names: Mapping[str, str]) -> Form:
    """The form in ``args``. ``names`` are the page's names, each with the request's field."""
    schemas = fields(type_)
    written: dict[str, str] = {}
    values: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for name, field in names.items():
        texts = [text.replace("\r\n", "\n").strip() for text in args.getlist(name)]
        written[name], schema = texts[0] if texts else "", schemas[field]
        lines = [text for text in texts if text]
        if not lines and not (texts and schema["required"]):
            continue
        try:
            check(lines, "This")
            size = max(map(len, lines), default=0)
            if size > MAX_TYPED:
                raise ValueError(f"This has {size} characters; it must have at most {MAX_TYPED}")
            if schema["type"] == "array" and len(lines) == 1 and not _messages(schema):
                lines = [part for part in map(str.strip, _SPLIT.split(lines[0])) if part]
            values[field] = typed(schema, lines or [""], "This")
        except ValueError as error:
            errors[name] = f"{str(error).removesuffix('.')}."
    wrong = wrong_fields(type_, values)
    for name, field in names.items():
        if field in wrong and values.pop(field, None) is not None:
            errors.setdefault(name, wrong[field])
    return Form(type_, written, values, errors, names)


def typed(schema: Mapping[str, Any], texts: list[str], label: str) -> Any:
    """Texts as the value of a field; messages call them ``label``.

    Raises:
        ValueError: they cannot be one; the message says why.
    """
    kind, text = schema["type"], texts[0]
    if kind == "array" and _messages(schema):
        return read_messages(text, label)
    if kind == "array" and schema["items"].get("type") == "integer":
        return tuple(dict.fromkeys(whole_number(text, label) for text in texts))
    if kind == "boolean" and text not in _FLAGS:
        raise ValueError(f"{label} is {short(text)}; it must be true or false")
    reading: Mapping[str, Callable[[], Any]] = {
        "array": lambda: texts, "object": lambda: read_object(text, label),
        "boolean": lambda: _FLAGS[text], "integer": lambda: whole_number(text, label),
        "number": lambda: number(text, label), "string": lambda: text,
    }
    return reading[kind]()


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
    if not _NUMBER.fullmatch(text):
        raise ValueError(f"{label} is {short(text)}; it must be a number, as 0.35")
    return float(text)


def whole_number(text: str, label: str = "This") -> int:
    """The number that ``text`` is.

    Raises:
        ValueError: it is none, or a very long one.
    """
    if not (text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS):
        raise ValueError(f"{label} is {short(text)}; it must be a whole number")
    return int(text)
