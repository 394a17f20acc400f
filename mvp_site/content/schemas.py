"""The JSON Schema of each type's documents, and what it finds wrong with one, told for a person.

The schema is of documents in the form that is kept; :mod:`.own_forms` brings what people write
into it first.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import islice
from typing import Any, Final

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from ..retrieval.filters import FieldKind, FilterField
from .document import NAMED_TEXTS, TEXT
from .types import EntityType, fields_of

MAX_SLUG: Final = 100
MAX_NAME: Final = 200
MAX_VALUE: Final = 1_000
"""Characters in a field, and texts in a field of several."""
MAX_NUMBER: Final = 1e9
RESERVED: Final = ("shadows", "entity_type")
"""Keys that a search sets."""
NEEDS: Final[Mapping[EntityType, tuple[str, ...]]] = {
    EntityType.SPELLS: ("level",), EntityType.MONSTERS: ("armor_class", "hit_points"),
    EntityType.ARMOR: ("armor_class",), EntityType.CLASSES: ("hit_die",),
    EntityType.MAGIC_ITEMS: ("rarity or desc",),
    **dict.fromkeys((EntityType.FEATURES, EntityType.TRAITS, EntityType.CONDITIONS,
                     EntityType.RULES, EntityType.FEATS), ("desc",)),
}
"""What every entity of a type has, beside a name."""
_NAMING: Final = frozenset({"slug", "name", "document"})
_LETTERS: Final = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ł": "l", "þ": "th", "\u0131": "i"}
    | dict.fromkeys("'’‘\u02bc`", "")
)
_READ: Final = 1_000
"""Characters of a name that a slug is made of; more are no name."""
_ERRORS: Final = 20


def problem(path: Iterable[str | int], why: str) -> str:
    """``actions: entry 2: desc: must be a text; found 4``; entries count from 1."""
    steps = [f"entry {step + 1}" if isinstance(step, int) else step[:MAX_SLUG] for step in path]
    return ": ".join([*steps, why])


def slug_of(name: str) -> str:
    """The words of ``name``, lower case, joined by hyphens; '' without a letter or digit.

    Latin letters lose their accents; those of other scripts stay. At most :data:`MAX_SLUG`
    characters, cut behind a word where there is one to cut behind.
    """
    folded = unicodedata.normalize("NFKD", name[:_READ]).casefold()
    letters = ""
    for char in unicodedata.normalize("NFKD", folded.translate(_LETTERS)):
        if char.isalnum():
            letters += char
        elif not unicodedata.category(char).startswith("M"):
            letters += " "
        elif not letters.isascii() and not letters[-1].isascii():
            letters += char  # a vowel sign or the like: without it the word is another
    slug = unicodedata.normalize("NFC", "-".join(letters.split()))
    if len(slug) <= MAX_SLUG:
        return slug
    cut = slug[: MAX_SLUG + 1].rpartition("-")[0] or slug[:MAX_SLUG]
    return cut.strip("-")


@cache
def schema_of(type_: EntityType) -> Mapping[str, Any]:
    """The JSON Schema (draft 2020-12) of the documents of a type.

    ``name`` is required; the type's fields have their kind; keys that are none of them may hold
    any JSON value, but for those that begin with "_" and those of :data:`RESERVED`. What a
    ``description`` says follows "must be" in an error.
    """
    named = _object("a name and its text", {"name": _name(), "desc": _string("a text")})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema", "title": str(type_),
        **_object("an object", {
            **{field.name: _field(type_, field) for field in fields_of(type_)},
            "name": _name(), "slug": _string("a text"),
            **{key: _string("a text") for key in TEXT},
            "desc": {"type": ["string", "array"], "items": _string("a text"),
                     "description": "a text or a list of paragraphs"},
            **{key: {"type": "array", "items": named,
                     "description": 'a list of {"name": …, "desc": …}'} for key in NAMED_TEXTS},
            **{key: {"not": {}} for key in RESERVED},
        }, required=["name"]),
        "propertyNames": {"pattern": "^[^_]", "maxLength": MAX_SLUG},
    }


def problems(type_: EntityType, document: Mapping[str, Any]) -> list[str]:
    """What the schema of the type finds wrong with ``document``, at most 20 problems."""
    texts = [_told(error) for error in islice(_validator(type_).iter_errors(document), _ERRORS)]
    slug = document.get("slug")
    if isinstance(slug, str) and slug and (proper := slug_of(slug)) != re.sub("-+", "-", slug):
        instead = f"; write {shown(proper)}" if proper else ""
        texts.append(f"slug: must be lower-case letters, digits and hyphens between them, at most "
                     f"{MAX_SLUG}; found {shown(slug)}{instead}")
    return list(dict.fromkeys(texts))


def lacking(type_: EntityType, document: Mapping[str, Any]) -> str:
    """What a document of the type needs and does not have; '' where it has all."""
    own = schema_of(type_)["properties"].keys() - _NAMING
    if not own & document.keys():
        return f"has nothing that {type_} have but a name"
    missing = [need for need in NEEDS.get(type_, ())
               if not any(key in document for key in need.split(" or "))]
    return f"lacks {' and '.join(missing)}, which {type_} need" if missing else ""


def shown(value: object) -> str:
    """``value`` as JSON, cut to what a message can hold."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else f"{text[:60]}…"


@cache
def _validator(type_: EntityType) -> Draft202012Validator:
    return Draft202012Validator(schema_of(type_))


def _object(about: str, properties: Mapping[str, Any], required: list[str] | None = None,
            ) -> dict[str, Any]:
    return {"type": "object", "description": about, "properties": dict(properties),
            "required": [*properties] if required is None else required}


def _string(about: str, **more: Any) -> dict[str, Any]:
    return {"type": "string", "minLength": 1, "description": about, **more}


def _name() -> dict[str, Any]:
    return _string(f"a text of at most {MAX_NAME} characters", maxLength=MAX_NAME)


def _field(type_: EntityType, field: FilterField) -> dict[str, Any]:
    about = f"{field.kind}{f' ({field.about})' if field.about else ''}"
    match field.kind:
        case FieldKind.NUMBER if (type_, field.name) == (EntityType.SPELLS, "level"):
            return {"type": "integer", "minimum": 0, "maximum": 9,
                    "description": "a whole number from 0, for a cantrip, to 9"}
        case FieldKind.NUMBER:
            return {"type": "number", "minimum": 0, "maximum": MAX_NUMBER,
                    "description": f"{about} from 0 on"}
        case FieldKind.FLAG:
            return {"type": "boolean", "description": about}
        case FieldKind.TEXT:
            return _string(f"{about} of at most {MAX_VALUE} characters", maxLength=MAX_VALUE)
        case FieldKind.TEXTS:
            return {"type": "array", "maxItems": MAX_VALUE, "description": f"{about} in a list",
                    "items": _string("a text", maxLength=MAX_VALUE)}


def _told(error: ValidationError) -> str:
    path, schema, instance = [*error.absolute_path], error.schema, error.instance
    if "propertyNames" in error.absolute_schema_path:
        return problem([*path, str(instance)], f"a key has 1 to {MAX_SLUG} characters and does not "
                                            "begin with an underscore; remove it")
    if error.validator == "not":
        return problem(path, "is set by the search; remove it")
    assert isinstance(schema, dict)  # no other subschema of ours is true or false
    if error.validator == "required":
        # jsonschema has an error for each key, and names the key in its message alone.
        missing = next(key for key in schema["required"] if error.message.startswith(repr(key)))
        return problem([*path, missing], "is missing")
    return problem(path, f"must be {schema['description']}; found {shown(instance)}")
