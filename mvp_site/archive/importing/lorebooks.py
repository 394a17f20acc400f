"""Lorebooks: the entries of World Info and of character cards, one document each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ...errors import ArchiveError
from ...retrieval.markdown import split_lines
from ...strict_json import named
from .types import Document, Line, values_of

_CONTENT: Final = ("content", "text")
_TITLES: Final = ("comment", "name", "displayName")
_KEYS: Final = ("key", "keys")
_SECOND: Final = ("keysecondary", "secondary_keys")
_BODIES: Final = frozenset({"system_prompt", "post_history_instructions"})
"""What a card tells the model in every turn."""
_REGEX: Final = re.compile(r"/(.+)/[a-z]*")
_OPTIONAL: Final = re.compile(r"\w\?(?!\w)")
_SIGNS: Final = re.compile(r"\\[a-zA-Z]|[^\w\s'’-]+")
_PLACEHOLDER: Final = re.compile(r"\{\{.*?\}\}")


def lorebook_documents(value: Mapping[str, Any], file: str, notes: list[str],
                       ) -> tuple[Document, ...]:
    """The documents of a lorebook, or of a character card with its book.

    Raises:
        ArchiveError: it has no entries and no text, or something in it is of a wrong kind.
    """
    card = value.get("data") if isinstance(value.get("data"), dict) else None
    outer: Mapping[str, Any] = value if card is None else card
    book = outer if "entries" in outer else outer.get("character_book")
    found: list[Document] = []
    rest: dict[str, Any] = {}
    if card is not None:
        rest["file"] = {key: one for key, one in value.items() if key != "data"}
    if book is not outer:
        found += _card(outer)
        rest["card"] = {key: one for key, one in outer.items()
                        if not _is_body(one) and (key != "character_book" or book is None)}
    if isinstance(book, dict):
        entries = book.get("entries")
        if not isinstance(entries, (dict, list)):
            entries = ()
        pairs = entries.items() if isinstance(entries, dict) else enumerate(entries or ())
        found += [_entry(str(key), one, file, notes) for key, one in pairs]
        rest["book"] = {key: one for key, one in book.items() if one is not entries}
    if not any(one.lines for one in found):
        raise ArchiveError(f"{file} has no `entries` with text: a lorebook is a JSON object whose "
                           "`entries` have `content` (or a character card with `character_book`)")
    return (*found, _aside("lorebook", {key: one for key, one in rest.items() if one}, ""))


def _card(card: Mapping[str, Any]) -> Iterator[Document]:
    for key, text in card.items():
        if _is_body(text) and key != "character_book":
            role = "header" if key in _BODIES else "file"
            yield Document(key, _lines(text, key), role=role)  # type: ignore[arg-type]


def _is_body(value: object) -> bool:
    """Whether a card's value is text for a model, and no name or number of a version."""
    return isinstance(value, str) and len(value.split()) > 5


def _entry(key: str, entry: Any, file: str, notes: list[str]) -> Document:
    place = f"entries.{key}"
    if not isinstance(entry, dict):
        raise ArchiveError(f"{file}: {place} is {named(entry)}; it must be an object")
    body, heading = _first(entry, _CONTENT), _first(entry, _TITLES)
    keys, also = _keys(entry, _KEYS), _keys(entry, _SECOND)
    name = str(entry.get(heading) or (keys[0] if keys else f"entry {key}"))
    text = str(entry.get(body) or "").removeprefix("\ufeff")
    off = entry.get("disable") is True or entry.get("enabled") is False
    if off or not text.strip():
        notes.append(f"{place} ({name[:60]}) {'is switched off' if off else 'has no text'}: it is "
                     "kept in imported.yaml alone")
        return _aside(name, entry, f"{place}.")
    title = Line(f"{place}.{heading}", entry[heading]) if (
        heading and len(entry[heading].splitlines()) == 1) else None
    kept = {field: one for field, one in entry.items()
            if field != body and not (title and field == heading)}
    return Document(
        name, _lines(text, f"{place}.{body}"), title, _sentences(keys, also),
        values_of(kept, f"{place}."), kept, "header" if entry.get("constant") is True else "file",
    )


def _aside(name: str, kept: Mapping[str, Any], place: str) -> Document:
    return Document(name, values=values_of(kept, place), kept=kept, role="aside")


def _lines(text: str, place: str) -> tuple[Line, ...]:
    return tuple(Line(f"{place} line {at}", line) for at, line in enumerate(split_lines(text), 1))


def _first(entry: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """The first of the fields that holds a text; '' where none does."""
    return next((name for name in names
                 if isinstance(entry.get(name), str) and entry[name].strip()), "")


def _keys(entry: Mapping[str, Any], names: tuple[str, ...]) -> list[str]:
    """The keys of an entry as words, from a list or a text with commas; no pattern's signs."""
    given = (entry[name] for name in names if isinstance(entry.get(name), (str, list)))
    said: Any = next(given, [])
    found = []
    for key in said.split(",") if isinstance(said, str) else said:
        if not isinstance(key, str):
            continue
        pattern = _REGEX.fullmatch(key.strip())
        plain = _SIGNS.sub(" ", _OPTIONAL.sub("", pattern[1]).replace("?", "")) if pattern else key
        if words := " ".join(_PLACEHOLDER.sub(" ", plain).split()):
            found.append(words)
    return list(dict.fromkeys(found))


def _sentences(keys: list[str], also: list[str]) -> tuple[str, ...]:
    """Sentences that players say where an entry's keys would call for it."""
    if not keys:
        return ()
    listed = f"{', '.join(keys[:-1])} or {keys[-1]}" if len(keys) > 1 else keys[0]
    about = f" with {', '.join(also)}" if also else ""
    return (f"I ask about {listed}{about}", *(f"what do I know of {key}?" for key in keys))
