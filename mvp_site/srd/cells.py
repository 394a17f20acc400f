"""Where a value stands in the data, and the forms of cells: text in blocks, lengths, defaults.

A form gives plain data, which is shaped (:func:`shaped`) and, by ``reader``, converted and so
checked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from itertools import pairwise
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    NamedTuple,
    TypeAlias,
    get_args,
    get_origin,
    get_type_hints,
)

_RULE: Final = re.compile(r"\|[\s:|-]*-[\s:|-]*\|")
_NUMBERED: Final = re.compile(r"\d+\. ")
Paragraphs: TypeAlias = tuple[str, ...]
"""Text as Markdown blocks: paragraphs, lists, tables or headings, none of them empty."""


class At(NamedTuple):
    """The place of a field in its row, and its form there.

    The place is the field's name unless another is said (``armor_class.base``; empty for the row).
    """

    place: str | None = None
    form: Callable[[Any], Any] | None = None


def shaped(kind: Any, cell: Any) -> Any:
    """``cell`` with the fields of a ``kind`` where that is a value or a tuple of values.

    What is not there is None, or missing where the field has a default.
    """
    if isinstance(kind, UnionType):
        kind = next(arg for arg in get_args(kind) if arg is not NoneType)
    if get_origin(kind) is tuple and is_dataclass(inner := get_args(kind)[0]):
        return [shaped(inner, arg) for arg in cell or ()]
    if not hasattr(kind, "__dataclass_fields__") or not isinstance(cell, dict | NoneType):
        return cell
    fields = {}
    for name, (hint, at, required) in _fields(kind).items() if cell else ():
        value: Any = cell
        for key in (at.place if at and at.place is not None else name).split("."):
            value = value.get(key) if key and value is not None else value
        if at and at.form:
            value = at.form(value)
        if required or at or value is not None:
            fields[name] = shaped(hint, value)
    return fields or None


@cache
def _fields(kind: Any) -> dict[str, tuple[Any, At | None, bool]]:
    """The type of each field, where it stands, and whether it has no default."""
    columns = {}
    hints = get_type_hints(kind, include_extras=True)
    for field in fields(kind):
        hint, at = hints[field.name], None
        if get_origin(hint) is Annotated:
            hint, at = get_args(hint)
        columns[field.name] = (hint, at, field.default is MISSING)
    return columns


def paragraphs(text: str | Iterable[str] | None) -> Paragraphs:
    """Text in Markdown blocks: each line a paragraph, neighbouring rows and items one block."""
    texts = [text] if isinstance(text, str) else text or ()
    lines = [line.strip() for part in texts for line in part.split("\n")]
    blocks: list[str] = []
    form, fresh = "", True
    for line, following in pairwise([*lines, ""]):
        if not line:
            fresh = True
            continue
        kind = _form(line)
        # A row above a rule opens a table, even right behind another.
        opens = kind == "|" and _RULE.fullmatch(following) is not None
        if kind and kind == form and not opens and not (fresh and kind == "1"):
            blocks[-1] += "\n" + line
        else:
            blocks.append(line)
        form, fresh = kind, False
    return tuple(blocks)


def blocks(markdown: str) -> Paragraphs:
    """Markdown at its blank lines, the lines of a block as they are."""
    return tuple(block.strip("\n") for block in re.split(r"\n\s*\n", markdown) if block.strip())


def _form(line: str) -> str:
    if line.startswith("|"):
        return "|"
    if line.startswith(("- ", "* ")):
        return "-"
    return "1" if _NUMBERED.match(line) else ""


def number(cell: Any) -> int:
    """The first number of a printed length (``30 ft.``), 0 for an empty cell."""
    match = re.match(r"\d+", str(cell or "0"))
    return int(match[0]) if match else 0


def filled(default: Any) -> Callable[[Any], Any]:
    """A form with ``default`` for an empty cell."""
    return lambda cell: default if cell is None else cell


Text: TypeAlias = Annotated[Paragraphs, At(form=paragraphs)]
"""A text of the record's own name for it."""
