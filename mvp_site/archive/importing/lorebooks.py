"""Lorebooks: the entries of World Info and of character cards, one document each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from ...errors import ArchiveError
from ...text.strict_json import named
from .json_kinds import refuse_lore
from .matter import document, fields, numbered
from .titles import first_words
from .types import ASIDE, ImportSource, SourceLine, SourceText

_CONTENT: Final = ("content", "text")
_TITLES: Final = ("comment", "name", "displayName")
_KEYS: Final = ("key", "keys")
_SECOND: Final = ("keysecondary", "secondary_keys")
_REGEX: Final = re.compile(r"/(.+)/[a-z]*")
_SIGNS: Final = re.compile(r"\w\?(?!\w)|\\[a-zA-Z]|[^\w\s'’-]+")
_PLACEHOLDER: Final = re.compile(r"\{\{.*?\}\}")
_NAMES: Final = 5
_ALWAYS: Final = ("system_prompt", "post_history_instructions")
"""Texts of a card that stand in every prompt."""


def read_lorebook(value: Mapping[str, Any], path: Path, notes: list[str]) -> ImportSource:
    """A lorebook, or a character card with its book; the card's own texts are one document.

    Raises:
        ArchiveError: it has no entries and no text, something in it is of a wrong kind, or it has
            lore elsewhere.
    """
    card = value["data"] if isinstance(value.get("data"), dict) else value
    book = card if "entries" in card else card.get("character_book")
    book = book if isinstance(book, dict) else {}
    entries = book.get("entries")
    entries = entries if isinstance(entries, (dict, list)) else ()
    texts = {} if book is card else {key: field for key, field in card.items()  # no name, no number
                                     if isinstance(field, str) and len(field.split()) > _NAMES}
    always = {key: texts.pop(key) for key in _ALWAYS if key in texts}
    documents = [document(path.stem, [
        line for key, text in texts.items() for line in _headed(key, text)])] if texts else []
    documents += [document(key, _headed(key, text), wanted=True) for key, text in always.items()]
    rest = {}
    for name, layer in {id(value): ("file", value), id(card): ("card", card),
                        id(book): ("book", book)}.values():
        rest[name] = {key: field for key, field in layer.items()
                      if not any(field is inner for inner in (card, book, entries))
                      and not (layer is card and key in {**texts, **always})}
    for layer in rest.values():
        refuse_lore(layer, str(path))
    for key, entry in entries.items() if isinstance(entries, dict) else enumerate(entries):
        place = f"entries.{key}"
        if not isinstance(entry, dict):
            raise ArchiveError(f"{path}: {place} is {named(entry)}; it must be an object")
        off = entry.get("disable") is True or entry.get("enabled") is False
        if off or not _first(entry, _CONTENT):
            refuse_lore({} if off else {place: entry}, str(path))
            rest[place] = entry
            notes.append(f"{place} is {'switched off' if off else 'without text'}: it is kept in "
                         f"{ASIDE} alone")
        else:
            documents.append(_entry(place, entry))
    if not documents:
        raise ArchiveError(f"{path} has no `entries` with text: a lorebook is a JSON object whose "
                           "`entries` have `content` (or a character card with `character_book`)")
    return ImportSource("lorebook", path.stem, tuple(documents), fields(rest, ""), tuple(notes))


def _headed(key: str, text: str) -> list[SourceLine]:
    return [SourceLine(key, f"# {key}"), SourceLine("", ""), *numbered(text, key)]


def _entry(place: str, entry: Mapping[str, Any]) -> SourceText:
    body, heading = _first(entry, _CONTENT), _first(entry, _TITLES)
    keys, also = _words(entry, _KEYS), _words(entry, _SECOND) if _narrows(entry) else []
    name = entry[heading] if heading else (keys or [first_words(entry[body]) or place])[0]
    name = name.replace("/", " ")  # no path
    own = document(name, numbered(entry[body], f"{place}.{body}"))  # it may have front matter
    title = [heading] if heading and len(entry[heading].splitlines()) == 1 else []
    other_fields = {key: value for key, value in entry.items() if key not in (body, *title)}
    titles = [(f"{place}.{key}", entry[key].strip()) for key in title]
    if not heading and own.lines and not own.lines[0].text.startswith("#"):
        titles = [(place, first_words("\n".join(line.text for line in own.lines)))]
    return document(
        name, (*(SourceLine(at, text) for at, head in titles if head for text in (f"# {head}", "")),
               *own.lines),
        (*fields(other_fields, f"{place}."), *own.kept), (*_sentences(keys, also), *own.when),
        entry.get("constant") is True,
    )


def _narrows(entry: Mapping[str, Any]) -> bool:
    """Whether an entry's second keys say more of where it is called for; else they bar it.

    ``selectiveLogic`` 1 is "not all" of them, 2 "not any"; 0 and 3 take them.
    """
    more = entry.get("extensions")
    logic = entry.get("selectiveLogic", more.get("selectiveLogic") if isinstance(more, dict) else 0)
    return entry.get("selective") is not False and logic not in (1, 2)


def _first(entry: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """The first of the fields that holds a text; '' where none does."""
    texts = (name for name in names if isinstance(entry.get(name), str))
    return next((name for name in texts if entry[name].removeprefix("\ufeff").strip()), "")


def _words(entry: Mapping[str, Any], names: tuple[str, ...]) -> list[str]:
    """The keys of an entry as words, from a list or a text with commas; no pattern's signs."""
    fields = (entry[name] for name in names if isinstance(entry.get(name), (str, list)))
    raw: Any = next(fields, [])
    phrases = []
    for key in raw.split(",") if isinstance(raw, str) else raw:
        if isinstance(key, str):
            pattern = _REGEX.fullmatch(key.strip())
            plain = _SIGNS.sub(" ", pattern[1]) if pattern else key
            phrases.append(" ".join(_PLACEHOLDER.sub(" ", plain).split()))
    return list(dict.fromkeys(filter(None, phrases)))


def _sentences(keys: list[str], also: list[str]) -> tuple[str, ...]:
    """Sentences that players say where an entry's keys would call for it."""
    if not keys:
        return ()
    listed = f"{', '.join(keys[:-1])} or {keys[-1]}" if len(keys) > 1 else keys[0]
    about = f" with {', '.join(also)}" if also else ""
    return (f"I ask about {listed}{about}", *(f"what do I know of {key}?" for key in keys))
