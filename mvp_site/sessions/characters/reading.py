"""A sheet read from own JSON or YAML or a D&D Beyond export, and written as canonical JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields, replace
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from ...content.slugs import problem, shown
from ...errors import SessionsError
from ...formats import Sample, recognise, refusal
from ...formats.free_sheet import NAME as FREE
from ...text.names import title_key
from ...text.strict_json import JsonError, check, read_object, write
from ...text.yaml_values import YamlError, read_yaml, write_yaml
from .character import Base, Character, Headed
from .class_levels import BESIDE, UNCLEAR
from .parts import SheetPart, names_of, whole

_SHEET: Final[TypeAdapter[Any]] = TypeAdapter(Character)
_OBJECTS: Final[dict[str, type[SheetPart]]] = {"base": Base, **{
    one.name: type(one.default) for one in fields(Character) if isinstance(one.default, SheetPart)
}}
_KEYS: Final = {part: [key for one in fields(type_) for key in names_of(type_, one.name)]
                for part, type_ in _OBJECTS.items()}
FIELD_NAMES: Final = frozenset(title_key(key.replace("_", " ")) for keys in _KEYS.values()
                               for key in keys if "_" in key)
"""What fields of a sheet are called in more than one word."""
_HOMES: Final = {
    **{key: part for part, keys in _KEYS.items() for key in keys
       if sum(key in others for others in _KEYS.values()) == 1},
    **dict.fromkeys((*_KEYS["base"], *BESIDE), "base"),
}
"""The part of each field that may stand outside of all: the base, or the only one that has it."""
_PARTS: Final = {key: field.name for field in fields(Character)
                 for key in names_of(Character, field.name)}
_SHORTEST: Final = "base: {name: …}"
_MOST: Final = 20
_SECRET: Final = re.compile(r"(?:^|[^a-z])[dg]m|master(?!y)|secret|hidden", re.IGNORECASE)
_WORDS: Final = (("Input should", "must"), ("String should", "must"), ("a valid tuple", "a list"),
                 ("string", "text"), ("a dictionary or an instance of", "an object:"))


def read_sheet(text: str, file: str) -> tuple[Character, tuple[str, ...]]:
    """The sheet that ``text`` is, and the places of the keys that were moved to its notes.

    ``file`` is what messages call it. It is JSON where it begins with a brace, else YAML; an export
    of D&D Beyond is known by its shape. Nulls count as missing. What stands under keys that no part
    has is kept in the notes, and in the DM's where the key, or one above it, speaks of a DM or of
    secrets.

    Raises:
        SessionsError: it cannot be read or has wrong values; the message tells all of them.
    """
    raw = _values(text.removeprefix("\ufeff"), file)
    sample = Sample(file, value=raw)
    export = recognise(sample, "sheets")
    if export is None and "base" not in raw and recognise(sample):
        raise SessionsError(f"{file}: {refusal(sample, 'sheets')}; or write a sheet with at least "
                            f"{_SHORTEST}")
    if export and export.name == FREE and _is_own(raw):
        export = None
    try:
        values = export.read(sample) if export and export.read else raw
    except (AttributeError, TypeError, ValueError, KeyError) as error:
        kind = export.name if export else "a sheet"
        raise SessionsError(f"{file}: it is {kind}, and damaged: export it anew ({error})"
                            ) from None
    return character_of(values, file)


def character_of(values: Mapping[str, Any], file: str) -> tuple[Character, tuple[str, ...]]:
    """The sheet of values, as :func:`read_sheet` has it.

    Raises:
        SessionsError: it has wrong values; the message tells all of them.
    """
    placed = _without_nulls(_placed(values))
    try:
        return _SHEET.validate_python(placed, extra="forbid"), ()
    except ValidationError as error:
        errors = error.errors(include_url=False)
    unknown = [fault for fault in errors if fault["type"] == "unexpected_keyword_argument"]
    if wrong := [_fault(fault) for fault in errors if fault not in unknown]:
        raise SessionsError(f"{file} is no character's sheet: " + "\n- ".join(
            [*(["mend these:"] if len(wrong) > 1 else []), *wrong[:_MOST],
             *([f"and {len(wrong) - _MOST} more"] if len(wrong) > _MOST else [])]))
    notes = [_note(fault) for fault in unknown]
    character = _SHEET.validate_python(placed)
    if character == Character(Base(character.base.name)) and not _PARTS & values.keys():
        keys = ", ".join(map(shown, list(values)[:_MOST]))
        raise SessionsError(f"{file} is no character's sheet: of its keys ({keys}) only the name "
                            f"is one of a sheet's; write {_SHORTEST}, and parts as combat_stats: "
                            "{max_hit_points: …, armor_class: …}")
    return replace(
        character, notes=(*character.notes, *(headed for secret, headed in notes if not secret)),
        dm_notes=(*character.dm_notes, *(headed for secret, headed in notes if secret)),
    ), tuple(headed.title for _, headed in notes)


def _is_own(raw: Mapping[str, Any]) -> bool:
    """Whether values that could be written freely are a sheet as this program has it."""
    with suppress(ValidationError):
        _SHEET.validate_python(_without_nulls(_placed(raw)))
        return True
    return False


def form_text(content: bytes, file: str) -> str:
    """The text of the own sheet that a form in PDF is; '' for what is no PDF.

    Raises:
        SessionsError: it has no filled form fields, or none of a character's name.
    """
    sample = Sample(file, content)
    if not content.startswith(b"%PDF-") or (form := recognise(sample, "sheets")) is None or (
            form.read is None):
        return ""
    values: Mapping[str, Any] = form.read(sample)
    if not values["base"]["name"]:
        raise SessionsError(f"{file} is a PDF without the filled form fields of a character's "
                            f"sheet: write a sheet with at least {_SHORTEST}, or scan it as a book")
    return write(_without_nulls(values), file)


def write_character(character: Character) -> str:
    """The sheet as canonical JSON, without what is missing; :func:`read_sheet` gives it back.

    Raises:
        SessionsError: a text has half a surrogate pair or a NUL.
    """
    try:
        plain = _SHEET.dump_python(character, mode="json", exclude_defaults=True)
        check(plain, "the sheet")
        return write(plain, "the sheet")
    except (JsonError, UnicodeError) as error:
        raise SessionsError(f"{error}") from None


def schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a sheet with all in full, as it is written."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **_SHEET.json_schema()}


def _values(text: str, file: str) -> Mapping[str, Any]:
    try:
        if text.lstrip().startswith("{"):
            return read_object(text, file)
        parsed = read_yaml(text)
        check(parsed, file)
    except JsonError as error:
        raise SessionsError(str(error)) from None
    except YamlError as error:
        raise SessionsError(f"{file} {error}") from None
    if len(parsed) != 1 or not isinstance(parsed[0], Mapping):
        raise SessionsError(f"{file} holds no character's sheet; write a mapping with at least "
                            f"{_SHORTEST}, or send the JSON of a D&D Beyond export")
    values: Mapping[str, Any] = parsed[0]
    return values


def _without_nulls(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_nulls(entry) for key, entry in value.items() if entry is not None}
    if isinstance(value, list):
        return [_without_nulls(entry) for entry in value if entry is not None]
    return value


def _fault(error: ErrorDetails) -> str:
    """Where it is wrong, what is wanted there, and what was found."""
    if error["type"] == "missing":
        return problem(error["loc"], f"is missing; write at least {_SHORTEST}")
    if error["type"] == UNCLEAR:
        return problem(error["loc"], error["msg"])
    message = error["msg"]
    for theirs, ours in _WORDS:
        message = message.replace(theirs, ours)
    return problem(error["loc"], f"{message}; found {shown(error['input'])}")


def _note(unknown: ErrorDetails) -> tuple[bool, Headed]:
    """What no part has a key for as a note under its path, and whether it is the DM's."""
    value, path = unknown["input"], unknown["loc"]
    text = value if isinstance(value, str) else write_yaml(value).removesuffix("...\n")
    secret = any(isinstance(step, str) and _SECRET.search(step) for step in path)
    return secret, Headed(problem(path[:-1], str(path[-1])), text.strip())


def _placed(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a sheet, with fields that stand outside of all parts in theirs."""
    placed = {key: value for key, value in values.items() if key in _PARTS or key not in _HOMES}
    for key in [key for key in values if key not in placed]:
        home = _HOMES[key]
        part = next((given for given in placed if _PARTS.get(given) == home), home)
        inside = whole(_OBJECTS[home], placed.get(part, {}))
        if isinstance(inside, Mapping) and key not in inside:
            placed[part] = {**inside, key: values[key]}
        else:
            placed[key] = values[key]
    return placed
