"""What users' files may say of an entity: one strict model of each type.

Numbers may be written as people write them, with the unit of their field, flags as ``yes`` and
``no``, several texts as one, named texts as a mapping, and keys by their other names; what follows
from something else need not be given (:mod:`.derived`). Anything else is refused.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from fractions import Fraction
from functools import cache, partial
from typing import Annotated, Any, Final

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    ValidationInfo,
    create_model,
)
from pydantic_core import ErrorDetails

from ..retrieval.filters import FieldKind, FilterField
from ..text.vocabulary import COINS
from .derived import with_derived
from .document import NAMED_TEXTS, TEXT
from .slugs import MAX_SLUG, problem, shown, slug_of
from .types import DESCRIPTIONS, NAMES, UNITS, EntityType, field_names, fields_of
from .wording import whole

MAX_NAME: Final = 200
MAX_VALUE: Final = 1_000
"""Characters in a field, and texts in a field of several."""
_MAX_NUMBER: Final = 1e9
_RESERVED: Final = ("shadows", "entity_type")
"""Keys that a search sets."""
_NAMING: Final = frozenset({"slug", "name", "document"})
_WRITTEN: Final = {
    "level": r"(?i)(?:level )?([0-9]{1,2})(?:st|nd|rd|th)?(?:[ -]level)?|cantrip",
    "die": "(?i)1?d([0-9]{1,4})",
}
"""What a number of a unit may stand in."""
_NUMBER: Final = re.compile(
    r"([0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,15}(?:\.[0-9]{1,9})?)(?:/([1-9][0-9]{0,3}))?\s*([a-z]*)\.?"
    r"\s*(?:\(([^()]*)\))?", re.IGNORECASE,
)
_ITEM: Final = re.compile(r"(?:[^,()]++|\((?:[^()]*+\))?+|\))++")
"""What stands between commas that are in no brackets."""
_WORTH: Final[Mapping[str, Mapping[str, Fraction]]] = {
    "gp": {coin: Fraction(worth, COINS["gp"]) for coin, worth in COINS.items()},
    "ft": dict.fromkeys(("ft", "feet", "foot"), Fraction(1)),
    "lb": dict.fromkeys(("lb", "lbs", "pound", "pounds"), Fraction(1)),
}
"""What a unit that is written is worth in that of the field."""


class _Entity(BaseModel):
    """What all types have; keys that are no field may hold any JSON value."""

    model_config = ConfigDict(extra="allow", coerce_numbers_to_str=True)


def _paragraphs(value: Any) -> Any:
    return "\n\n".join(value) if isinstance(value, list) and all(
        isinstance(part, str) for part in value) else value


def _entries(value: Any) -> Any:
    """A list of named texts, also of a mapping from name to text."""
    if isinstance(value, Mapping):
        return [{"name": name, "desc": text} for name, text in value.items()]
    return value


def _parted(value: Any) -> Any:
    """Several texts, also of one: parted by semicolons, or by commas and a last "and"."""
    if not isinstance(value, str):
        return value
    if ";" in value or " from " in value:  # of damage "from nonmagical attacks" the words are one
        return [part.strip() for part in value.split(";") if part.strip()]
    *parts, last = _ITEM.findall(value) or [""]
    parts += last.strip().removeprefix("and ").split(" and ")
    return [part.strip() for part in parts if part.strip()]


def _number(field: FilterField, value: Any, info: ValidationInfo[dict[str, str]]) -> Any:
    """The number that a text writes; what stands behind it in brackets becomes a note."""
    if not isinstance(value, str):
        return whole(value) if isinstance(value, float) else value
    text, unit = " ".join(value.split()), UNITS.get(field.name, "")
    if unit in _WRITTEN and (match := re.fullmatch(_WRITTEN[unit], text)):
        return int(match[1] or 0)
    match = _NUMBER.fullmatch(unicodedata.normalize("NFKC", text).replace("\u2044", "/"))
    worth = {**_WORTH.get(unit, {}), "": Fraction(1)}.get(match[3].lower()) if match else None
    if match is None or worth is None:
        return value
    if match[4] and match[4].strip():
        info.context[f"{field.name}_note"] = match[4].strip()
    return whole(float(Fraction(match[1].replace(",", "")) / int(match[2] or 1) * worth))


_Written = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
_Name = Annotated[_Written, StringConstraints(max_length=MAX_NAME),
                  AfterValidator(lambda name: " ".join(name.split()))]
_Short = Annotated[_Written, StringConstraints(max_length=MAX_VALUE)]
_Prose = Annotated[_Written, BeforeValidator(_paragraphs)]


class EntityText(_Entity):
    """An ability, action or section."""

    name: _Name
    desc: _Prose


def _annotated(type_: EntityType, field: FilterField) -> tuple[Any, str]:
    """The type of a field's values, and what they must be, in words."""
    about = f"{field.kind}{f' ({field.about})' if field.about else ''}"
    match field.kind:
        case FieldKind.NUMBER if (type_, field.name) == (EntityType.SPELLS, "level"):
            kind: Any = Annotated[int, Field(strict=True, ge=0, le=9)]
            about = "a whole number from 0, for a cantrip, to 9"
        case FieldKind.NUMBER:
            kind = Annotated[
                float, Field(strict=True, ge=0, le=_MAX_NUMBER), AfterValidator(whole)]
            about = f"{about} from 0 on"
        case FieldKind.FLAG:
            return bool, about
        case FieldKind.TEXT:
            return _Short, f"{about} of at most {MAX_VALUE} characters"
        case FieldKind.TEXTS:
            several = Annotated[list[_Short], Field(max_length=MAX_VALUE), BeforeValidator(_parted)]
            return several, f"{about}, at most {MAX_VALUE}, in a list"
    return Annotated[kind, BeforeValidator(partial(_number, field))], about


@cache
def _model(type_: EntityType) -> tuple[type[_Entity], Mapping[str, str]]:
    """The model of a type, and of each of its keys what it must be, in words."""
    entries = Annotated[list[EntityText], BeforeValidator(_entries)]
    keys: dict[str, tuple[Any, str]] = {
        **{field.name: _annotated(type_, field) for field in fields_of(type_)},
        **dict.fromkeys(TEXT, (_Prose, "a text or a list of paragraphs")),
        **dict.fromkeys(NAMED_TEXTS, (entries, 'a list of {"name": …, "desc": …}')),
    }
    keys["name"] = _Name, f"a text of at most {MAX_NAME} characters"
    keys["slug"] = _Written, "a text"
    columns: dict[str, Any] = {
        key: (kind, ... if key == "name" else None) for key, (kind, _) in keys.items()
    }
    model = create_model(str(type_), __base__=_Entity, **columns)
    return model, {key: about for key, (_, about) in keys.items()}


def read_entity(type_: EntityType, raw: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """``raw``, which is JSON, as a document with a slug, and what is wrong with it.

    Where anything is wrong the document is empty. One that was read before stays as it is.
    """
    model, forms = _model(type_)
    values, problems = _by_field(type_, raw)
    notes: dict[str, str] = {}
    try:
        entity = model.model_validate(values, context=notes)
    except ValidationError as error:
        return {}, [*problems, *(_worded(row, forms) for row in error.errors())]
    document = with_derived(type_, entity.model_dump(exclude_unset=True, exclude_none=True))
    slug = str(document.get("slug") or slug_of(document["name"]))
    if not slug:
        problems.append("slug: the name has no letter or digit to make it from; give one, such as "
                        '"my-spell"')
    elif (proper := slug_of(slug)) != re.sub("-+", "-", slug):
        instead = f"; write {shown(proper)}" if proper else ""
        problems.append(f"slug: must be lower-case letters, digits and hyphens between them, at "
                        f"most {MAX_SLUG}; found {shown(slug)}{instead}")
    return ({}, problems) if problems else ({"slug": slug, **notes, **document}, [])


def lacking(type_: EntityType, document: Mapping[str, Any]) -> str:
    """What a document of the type needs and does not have; '' where it has all."""
    # That it is none of something says nothing.
    if not any(document.get(key, False) is not False for key in _model(type_)[1].keys() - _NAMING):
        return f"has nothing that {type_} have but a name"
    missing = [need for need in DESCRIPTIONS[type_].needs
               if not any(key in document for key in need.split(" or "))]
    return f"lacks {' and '.join(missing)}, which {type_} need" if missing else ""


def is_field(type_: EntityType, key: str) -> bool:
    """Whether the key is that of a field or a text of the type."""
    return key in _model(type_)[1]


def _by_field(type_: EntityType, raw: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The values by the names of their fields, and what is wrong with keys."""
    own = _model(type_)[1]
    names = {**NAMES, **DESCRIPTIONS[type_].names, **field_names(type_),
             **{name: name for name in own}}
    values: dict[str, Any] = {}
    problems = []
    for key, value in raw.items():
        if value in (None, "", [], {}):
            continue
        name = names.get(key.strip().lower().replace(" ", "_").replace("-", "_"), key)
        if name in _RESERVED:
            problems.append(problem((key,), "is set by the search; remove it"))
        elif not 0 < len(key) <= MAX_SLUG or key.startswith("_"):
            problems.append(problem((key,), f"a key has 1 to {MAX_SLUG} characters and does not "
                                            "begin with an underscore; remove it"))
        elif values.setdefault(name, value) != value:
            problems.append(problem((key,), f"{name} is given twice, as {shown(values[name])} "
                                            f"and as {shown(value)}; keep one of them"))
    return values, problems


def _worded(error: ErrorDetails, forms: Mapping[str, str]) -> str:
    """Where it is wrong, what is wanted there, and what was found."""
    field, *inner = error["loc"]
    if error["type"] == "missing":
        return problem((field, *inner), "is missing")
    named = field in NAMED_TEXTS and len(inner) == 1
    about = ("a name and its text" if named else "a text") if inner else forms[str(field)]
    return problem((field, *inner), f"must be {about}; found {shown(error['input'])}")
