"""Marks around lines that keep them for the game master: callouts, comments, folded parts. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import Final

from .hiding_keys import hiding
from .reserved import is_speech, opens_reserved, reserved

COMMENT_MARK: Final = re.compile(r"<!--|-->|%%")
_HTML: Final = re.compile(r"<!--(.*?)(?:-->|\Z)", re.DOTALL)
_ASIDE: Final = re.compile(r"(?<!\d)%%")
_LINE: Final = re.compile(r"(?m:^)[ \t]*%%[^\n]*")
"""A line that begins with a mark: if one ends there, what follows may be meant to be in it."""
_CALLOUT: Final = re.compile(r"[ \t]*((?:>[ \t]*)+)\[!([^\]\n]*)\][-+]?([^\n]*)")
_QUOTE: Final = re.compile(r"[ \t]*((?:>[ \t]*)+)")
_BLOCK: Final = re.compile(r"[ \t]*(?:$|[#<|`~]|[-*+][ \t]|\d+[.)][ \t])")
"""A line that goes on with nothing: it is blank, or begins a block of its own."""
_BOX: Final = re.compile(r"^[ \t]*(`{3,}|~{3,})ad-([\w-]+)(.*?)(?:\n[ \t]*\1|\Z)",
                         re.MULTILINE | re.DOTALL | re.IGNORECASE)
_BOX_TITLE: Final = re.compile(r"^\s*title:\s*(.*)$", re.MULTILINE)
_FOLD: Final = re.compile(r"<details\b[^>]*>|</details\s*>", re.IGNORECASE)
_SUMMARY: Final = re.compile(r"\s*<summary[^>]*>(.*?)</summary>", re.IGNORECASE | re.DOTALL)
_TAG: Final = re.compile(r"<[^<>]*>")
_PREFIXED: Final = re.compile(r"^[ \t]*%%[ \t]*\w[^%\n]*$", re.MULTILINE)
_CLOSED: Final = re.compile(r"%%[ \t]*$", re.MULTILINE)
_FEWEST: Final = 3
"""Lines that begin with ``%%`` and have no other, from which on they are a notation."""


def marked_lines(text: str, *, notation: bool = False, prompt: bool = False) -> dict[int, str]:
    """The 0-based lines that a mark reserves for the game master, each with the mark's words.

    Marks are callouts of Obsidian by their kind or title (``> [!gm]``, also as ``ad-gm`` blocks),
    ``<details>`` by their summary, ``<!-- GM: … -->``, paragraphs and items by their label
    (``[GM only] …``), and whatever stands between ``%%``. Each is looked for by itself, so that
    none hides what stands in it. With ``notation`` (:func:`prefixes_lines`) ``%%`` is no comment;
    of a ``prompt`` to a narrator "GM:" is no label.
    """
    marked: dict[int, str] = {}
    lines = text.split("\n")
    for words, first, last in (*_callouts(lines), *_spans(text, notation),
                               *_labelled(lines, prompt or is_speech(text))):
        marked.update(dict.fromkeys(range(first, last + 1), words))
    return marked


def prefixes_lines(text: str) -> bool:
    """Whether lines of a prompt begin with ``%%`` as with a field's name, and none closes it."""
    return len(_PREFIXED.findall(text)) >= _FEWEST and not _CLOSED.search(text)


def comments(text: str) -> list[tuple[int, int]]:
    """Where the comments of HTML and of Obsidian begin and end, in order; none is in another."""
    html = [match.span() for match in _HTML.finditer(text)]
    return sorted([*html, *_asides(text)])


def _asides(text: str) -> list[tuple[int, int]]:
    """The same of Obsidian's, outside of HTML's."""
    visible = _HTML.sub(lambda match: " " * len(match[0]), text)
    marks = [match.start() for match in _ASIDE.finditer(visible)]
    ends = {match.group().find("%%") + match.start(): match.end()
            for match in _LINE.finditer(visible)}
    return [(start, len(text) if end is None else ends.get(end, end + 2))
            for start, end in zip_longest(marks[::2], marks[1::2])]


def _spans(text: str, notation: bool) -> Iterator[tuple[str, int, int]]:
    """The words of comments, boxes and folded parts that reserve, with first and last line."""
    spans = [("%%", *span) for span in ([] if notation else _asides(text))
             if text[span[0] : span[1]].strip("% \t\n")]
    spans += [(_opening(match[1]), *match.span()) for match in _HTML.finditer(text)]
    for match in _BOX.finditer(text):
        title = _BOX_TITLE.search(match[3])
        spans.append((reserves_callout(match[2], title[1] if title else ""), *match.span()))
    for words, start, end in (*spans, *_folded(text)):
        if words:
            yield words, text.count("\n", 0, start), text.count("\n", 0, max(end - 1, start))


def _folded(text: str) -> Iterator[tuple[str, int, int]]:
    """Each ``<details>``, to where it ends or the text does."""
    opened: list[re.Match[str]] = []

    def fold(opening: re.Match[str], inside: int, end: int) -> tuple[str, int, int]:
        summary = _SUMMARY.match(text, opening.end(), inside)
        return (_opening(_TAG.sub("", summary[1] if summary else text[opening.end() : inside])),
                opening.start(), end)

    for match in _FOLD.finditer(text):
        if not match[0].startswith("</"):
            opened.append(match)
        elif opened:
            yield fold(opened.pop(), match.start(), match.end())
    yield from (fold(opening, len(text), len(text)) for opening in opened)


def _opening(text: str) -> str:
    """The words by which a text's first line reserves it; '' without."""
    first, _, rest = text.strip().partition("\n")
    return reserved(first, rest)


def _callouts(lines: list[str]) -> Iterator[tuple[str, int, int]]:
    """The callouts that reserve: their words, the first line and the last of their depth."""
    for first, line in enumerate(lines):
        callout = _CALLOUT.match(line)
        if callout is None or not (words := reserves_callout(callout[2], callout[3])):
            continue
        last, depth = first, callout[1].count(">")
        while last + 1 < len(lines):
            quote = _QUOTE.match(lines[last + 1])
            if quote[1].count(">") < depth if quote else _BLOCK.match(lines[last + 1]):
                break
            last += 1
        yield words, first, last


def _labelled(lines: list[str], speech: bool) -> Iterator[tuple[str, int, int]]:
    """The paragraphs and items whose label reserves them: its words, the first and last line."""
    for first, line in enumerate(lines):
        begins = not first or not lines[first - 1].strip() or _BLOCK.match(line)
        if not begins or line.lstrip()[:1] in "#|`~" or not (
                words := opens_reserved(line, speech=speech)):
            continue
        last = first
        while last + 1 < len(lines) and not _BLOCK.match(lines[last + 1]):
            last += 1
        yield words, first, last


def reserves_callout(kind: str, title: str) -> str:
    """The words by which a callout's kind or title reserves it; '' without."""
    words = re.sub(r"[\W_]+", " ", kind)
    return reserved(words) or (words if hiding("type", words) else "") or reserved(title)
