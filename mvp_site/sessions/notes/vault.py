"""What a vault's folders, front matter and links say: types of things, names and aliases."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from ...text.dm_words import reserved_name
from ...text.languages import STOPWORDS
from ...text.names import fold, title_key
from ...text.obsidian import NoteLink
from ..intentions import FOLDERS, NOTE_PARTS
from ..types import KnownName
from .numbering import date_in, number_in, subtitle, unnumbered

UNTYPED: Final = ""
"""The type of a name that stands where nothing says what it is."""
_TYPES: Final = {name: kind for kind, names in FOLDERS.items()
                 for name in (kind.replace("_", " "), *names)}
_LEADING: Final = re.compile(r"^[\W\d_]+")
_WORD: Final = re.compile(r"[^\W\d_]+")
_EVENTS: Final = "key_events"


def type_of(places: Sequence[str]) -> str:
    """What the innermost of folders or tags that says so holds ("02 NPCs"); '' for none."""
    names = (_LEADING.sub("", part.replace("_", " ")) for place in reversed(places)
             for part in reversed(fold(place).split("/")))
    return next((_TYPES[name] for name in names if name in _TYPES), UNTYPED)


def default_part(kind: str) -> str:
    """The part of notes that things of a type are told in."""
    return next((key for key, part in NOTE_PARTS.items() if part.get("names") == kind), _EVENTS)


def is_nobody(name: str) -> bool:
    """Whether a name stands for no thing: "I", a date, a session, a recording."""
    letters = _WORD.findall(fold(name))
    return (not letters or all(word in STOPWORDS for word in letters)
            or date_in(name) is not None or bool(unnumbered(name))
            or (number_in(name) is not None and not subtitle(name)))


def aliases_of(name: str, others: Iterable[str]) -> tuple[str, ...]:
    """Those of ``others`` that are names, and other ones: capitals, and none that is nobody's."""
    return tuple(dict.fromkeys(
        other.strip() for other in others
        if title_key(other) not in {"", title_key(name)} and not is_nobody(other)
        and len(other.split()) <= 6 and _capital(other)))


def named_by(links: Iterable[NoteLink]) -> Iterator[KnownName]:
    """What links name: a note, by its own name, or by what is shown where its folder is secret."""
    for link in links:
        if reserved_name("/".join((*link.folders, link.name)), ""):
            name = KnownName(link.shown, type_of(link.folders))
        else:
            name = KnownName(link.name, type_of(link.folders), aliases_of(link.name, (link.shown,)))
        if not is_nobody(name.name):
            yield name


def _capital(name: str) -> bool:
    parts = name.split()
    return (parts[len(parts) > 1 and parts[0].lower() in {"the", "a", "an"} :])[0][:1].isupper()
