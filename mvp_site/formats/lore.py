"""What prompts of other tools come to: entries with the words that call for them, and texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

Use = Literal["used", "approximated", "not used"]
USES: Final[tuple[Use, ...]] = ("used", "approximated", "not used")
MOST_ENTRIES: Final = 10_000
"""Entries of a book; a larger one is refused."""


class FormatError(ValueError):
    """A file cannot be read as what it is; the message says what is wrong and where."""


@dataclass(frozen=True, slots=True)
class FieldUse:
    """What is made of a field of the source: ``count`` is in how many entries it says anything."""

    field: str
    use: Use
    count: int
    why: str


@dataclass(frozen=True, slots=True)
class LoreEntry:
    """A text that its tool prints where one of its ``keys`` is named.

    ``place`` is where it stands in the file. ``title`` is '' for an entry without. ``fields`` are
    kept and not used. ``also`` say more of where it is called for; ``unless`` are words of which
    each of one group, all named, keeps it out. ``constant`` ones are in every prompt, by ``order``.
    ``follows`` says that a printed text which names a key brings it, ``brings`` that its own text
    brings others. ``reserved`` says that it is for the
    game master.
    """

    place: str
    title: str
    text: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    keys: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    unless: tuple[tuple[str, ...], ...] = ()
    constant: bool = False
    order: float = 0.0
    follows: bool = False
    brings: bool = True
    reserved: bool = False


@dataclass(frozen=True, slots=True)
class LoreText:
    """A text that belongs to no entry, such as a card's description; ``place`` is its field.

    ``always`` is how much it is wanted in every prompt, from 0; ``last`` says that it ends them.
    """

    place: str
    title: str
    text: str
    always: float = 0.0
    last: bool = False


@dataclass(frozen=True, slots=True)
class Lore:
    """All that a file holds: nothing of it is in two places, and what is not used is ``aside``."""

    entries: tuple[LoreEntry, ...] = ()
    texts: tuple[LoreText, ...] = ()
    aside: Mapping[str, Any] = field(default_factory=dict)
    uses: tuple[FieldUse, ...] = ()
    notes: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    """Texts of placeholders that the source knows, such as a card's ``char``."""


class Tally:
    """Counts in how many entries each field says anything; fields are told in order of use."""

    def __init__(self) -> None:
        self._counts = Counter[tuple[Use, str, str]]()

    def add(self, name: str, use: Use, why: str = "", count: int = 1) -> None:
        """Count a field."""
        self._counts[use, name, why] += count

    def uses(self) -> tuple[FieldUse, ...]:
        """What was counted: used, approximated, not used; the most frequent first."""
        rows = sorted(self._counts.items(),
                      key=lambda row: (USES.index(row[0][0]), -row[1], row[0]))
        return tuple(FieldUse(name, use, count, why) for (use, name, why), count in rows)


def folded(name: str) -> str:
    """A field's name as all spellings share it: ``secondary_keys``, ``secondaryKeys``."""
    return "".join(filter(str.isalnum, name)).casefold()


def flag(value: Any) -> bool | None:
    """What a switch says, in any spelling; None for a value that is none."""
    if isinstance(value, bool | int | float):
        return bool(value)
    word = value.strip().casefold() if isinstance(value, str) else ""
    return {"true": True, "1": True, "yes": True, "on": True,
            "false": False, "0": False, "no": False, "off": False}.get(word)


def objects(value: Any, place: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The objects of a list, or of an object by key, each with its place.

    Raises:
        FormatError: one is no object, or there are more than :data:`MOST_ENTRIES`.
    """
    pairs: Sequence[tuple[Any, Any]] = (
        [*value.items()] if isinstance(value, Mapping) else
        [*enumerate(value)] if isinstance(value, list) else [])
    if len(pairs) > MOST_ENTRIES:
        raise FormatError(f"has {len(pairs):,} entries; at most {MOST_ENTRIES:,} are read: split "
                          "the file")
    for key, part in pairs:
        if not isinstance(part, Mapping):
            raise FormatError(f"{place}.{key} must be an object; found {type(part).__name__}")
        yield f"{place}.{key}".lstrip("."), part
