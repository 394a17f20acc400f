"""Filters as people type them, read into what searches take, and written back. Pure.

``level=3``, several values ``level=1,2`` (a value with a comma in double quotes), a range
``challenge_rating=5..6``, ``5..`` or ``..6``, also ``level_min=3``; ``name~bolt`` for a part of a
text; ``yes`` and ``no``, or ``true`` and ``false``, for a flag; ``cr=1/4`` for a fraction.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from ..errors import FilterError
from ..retrieval.filters import FieldKind, FilterField
from .wording import number

_FLAGS: Final = {"yes": True, "true": True, "no": False, "false": False}


def read_filters(written: Iterable[str], fields: Sequence[FilterField]) -> dict[str, Any]:
    """The filters of ``key=value`` texts; what is no value of its field's kind stays a text.

    A search then says what is wrong with it. The same key again adds to its values.

    Raises:
        FilterError: a text is no filter, has no value, or one key has a range and something else.
    """
    filters: dict[str, Any] = {}
    for text in written:
        match = re.fullmatch(r"\s*([\w-]+?)\s*(=|~)(.*)", text, flags=re.DOTALL)
        if match is None:
            raise FilterError(
                f"{text[:80]!r} is no filter: write key=value, key=a,b, key=5..6 or key~part"
            )
        key, operator, value = match[1].replace("-", "_"), match[2], match[3].strip()
        if not value:
            raise FilterError(f"the filter {key}{operator} has no value")
        add(filters, key, {"contains": value} if operator == "~" else _value(key, value, fields))
    return filters


def add(filters: dict[str, Any], key: str, value: Any) -> None:
    """Put ``value`` under ``key``, with the values that are there already.

    Raises:
        FilterError: there is one, and one of the two is a range or a part of a text.
    """
    if key not in filters:
        filters[key] = value
        return
    earlier = filters[key]
    if earlier == value:
        return
    if isinstance(earlier, Mapping) or isinstance(value, Mapping):
        raise FilterError(f"the filter {key} is given twice, and not as values: give it once")
    filters[key] = list(dict.fromkeys([*_several(earlier), *_several(value)]))


def typed(text: str, kind: FieldKind | None) -> str | float | bool:
    """``text`` as a value of ``kind``; itself where it is none."""
    stripped = text.strip()
    if kind is FieldKind.FLAG:
        return _FLAGS.get(stripped.casefold(), stripped)
    if kind is FieldKind.NUMBER:
        return _number(stripped)
    return stripped


def write_filters(filters: Mapping[str, Any]) -> list[str]:
    """``filters`` as texts that :func:`read_filters` reads as the same."""
    return [f"{key}{_written(value)}" for key, value in filters.items()]


def kinds_of(fields: Sequence[FilterField]) -> dict[str, FieldKind]:
    """The kind of every name that filters may use, ``level_min`` and ``level_max`` too."""
    kinds: dict[str, FieldKind] = {}
    for field in fields:
        for name in (field.name, *field.also):
            kinds[name] = field.kind
            if field.kind is FieldKind.NUMBER:
                kinds.update({f"{name}_min": field.kind, f"{name}_max": field.kind})
    return kinds


def _value(key: str, text: str, fields: Sequence[FilterField]) -> Any:
    kind = kinds_of(fields).get(key)
    if kind is FieldKind.NUMBER and ".." in text:
        low, _, high = text.partition("..")
        ends = (("min", low), ("max", high))
        return {name: _number(end.strip()) for name, end in ends if end.strip()}
    values = [typed(part, kind) for part in _parts(text)]
    return values[0] if len(values) == 1 else values


def _parts(text: str) -> list[str]:
    """The values between commas; what stands in double quotes is one."""
    line = text.replace("\r", " ").replace("\n", " ")
    (parts,) = csv.reader([line], skipinitialspace=True)
    return [part for part in parts if part.strip()] or [text]


def _number(text: str) -> str | float:
    if (fraction := re.fullmatch(r"\s*(\d{1,9})\s*/\s*(\d{1,9})\s*", text)) and int(fraction[2]):
        return int(fraction[1]) / int(fraction[2])
    try:
        return float(text)
    except ValueError:
        return text


def _several(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else [value]


def _written(value: Any) -> str:
    if isinstance(value, Mapping):
        if "contains" in value:
            return f"~{value['contains']}"
        low, high = (
            "" if value.get(end) is None else number(value[end]) for end in ("min", "max")
        )
        return f"={low}..{high}"
    return "=" + ",".join(_notation(choice) for choice in _several(value))


def _notation(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return number(value)
    text = str(value)
    if "," in text or text.startswith('"') or text != text.strip():
        return '"' + text.replace('"', '""') + '"'
    return text
