"""Lorebooks, cards and the like (:mod:`mvp_site.formats`) as documents: one an entry or a text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from ...errors import ArchiveError
from ...formats import Sample, formats, recognise, refusal
from ...formats.json_text import json_value
from ...formats.lore import FormatError, Lore, LoreEntry, LoreText
from ...text.strict_json import JsonError
from .matter import document, fields, numbered
from .titles import first_words
from .types import ALWAYS, ASIDE, ImportSource, SourceLine, SourceText

_MOST: Final = 8
"""Entries that are not printed and are named one by one."""
_PART: Final = 0.5
"""What the order of constants adds, at most, to how much they are wanted."""


def read_lore(sample: Sample, notes: Sequence[str] = ()) -> ImportSource:
    """What another tool's file holds, an entry a document.

    Raises:
        ArchiveError: it is of an unknown or refused format, or something in it is wrong.
    """
    format_ = recognise(sample, "prompts")
    if format_ is None or format_.read is None:
        raise ArchiveError(f"{sample.name}: {refusal(sample, 'prompts')}")
    try:
        lore: Lore = format_.read(sample)
    except FormatError as error:
        raise ArchiveError(f"{sample.name} {error}") from None
    documents = _documents(lore)
    if not documents:
        raise ArchiveError(f"{sample.name} is {format_.name} and has no text to print")
    off = [place for place in lore.aside if "entries." in place or place.isdigit()]
    dropped = [f"{place} is switched off or without text: it is kept in {ASIDE} alone"
            for place in off[:_MOST]]
    if more := len(off) - _MOST:
        dropped += [f"and {more} entries more"] if more > 0 else []
    name = Path(sample.name).stem
    return ImportSource("lorebook", name, tuple(documents), fields(lore.aside, ""),
                        (*notes, f"it is {format_.name}, {format_.extent}", *lore.notes, *dropped),
                        uses=lore.uses, names=lore.names)


def sample_of(text: str, name: str, notes: list[str], *, stated: bool) -> Sample | None:
    """A text as a sample if it is JSON; None where it is prose.

    Raises:
        ArchiveError: it is JSON that cannot be read.
    """
    try:
        parsed = json_value(text, name, stated=stated)
    except JsonError as error:
        sample = Sample(name, text=text)
        format_ = next((format_ for format_ in formats("prompts")
                        if format_.extent == "refused" and format_.recognised(sample)), None)
        if format_ is not None:
            raise ArchiveError(f"{name} is {format_.name}: {format_.aside}") from None
        raise ArchiveError(f"{error}: mend it, or save its texts as .txt or .md") from None
    if parsed is None:
        return None
    notes += parsed[1]
    return Sample(name, text=text, value=parsed[0])


def _documents(lore: Lore) -> list[SourceText]:
    """The texts and entries, in the order in which the header has those that are wanted in it."""
    constants = sorted((entry for entry in lore.entries if entry.constant),
                       key=lambda entry: entry.order)
    rest = [entry for entry in lore.entries if not entry.constant]
    first, last = ([text for text in lore.texts if text.last == last] for last in (False, True))
    return [
        *(_text(text) for text in first),
        *(_entry(entry, ALWAYS + _PART * number / len(constants))
          for number, entry in enumerate(constants)),
        *(_text(text) for text in last), *(_entry(entry, 0.0) for entry in rest),
    ]


def _text(text: LoreText) -> SourceText:
    return document(text.title, _titled(text.place, text.title, numbered(text.text, text.place)),
                    wanted=text.always, lore=True)


def _titled(place: str, title: str, lines: Sequence[SourceLine]) -> list[SourceLine]:
    return [SourceLine(place, f"# {title}"), SourceLine("", ""), *lines]


def _entry(entry: LoreEntry, wanted: float) -> SourceText:
    name = entry.title or (entry.keys or (first_words(entry.text) or entry.place,))[0]
    name = name.replace("/", " ")  # no path
    own = document(name, numbered(entry.text, f"{entry.place}.text"))  # it may have front matter
    title = entry.title
    if not title and own.lines and not own.lines[0].text.startswith("#"):
        title = first_words("\n".join(line.text for line in own.lines))
    single = title and len(title.splitlines()) == 1
    lines = _titled(f"{entry.place}.title", title, own.lines) if single else own.lines
    entry_text = document(
        name, lines, (*fields(entry.fields, f"{entry.place}."), *own.kept),
        (*_sentences(entry.keys, entry.also), *own.when), wanted, unless=entry.unless,
        follows=entry.keys if entry.follows else (), brings=entry.brings, lore=True,
    )
    return replace(entry_text, audience="dm", wanted=0.0) if entry.reserved else entry_text


def _sentences(keys: Sequence[str], also: Sequence[str]) -> Iterator[str]:
    """Sentences that players say where an entry's keys would call for it."""
    if keys:
        listed = f"{', '.join(keys[:-1])} or {keys[-1]}" if len(keys) > 1 else keys[0]
        yield f"I ask about {listed}" + (f" with {', '.join(also)}" if also else "")
        yield from (f"what do I know of {key}?" for key in keys)
