"""Marks around lines that keep them for the game master: callouts, comments, folded parts. Pure."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import zip_longest
from typing import Final

from .dm_words import (
    is_speech,
    mentions_reserved,
    opens_reserved,
    reserved,
    reserved_by_name,
)
from .hiding_keys import hiding

COMMENT_MARK: Final = re.compile(r"<!--|-->|%%")
_HTML: Final = re.compile(r"<!--(.*?)(?:-->|\Z)", re.DOTALL)
_ASIDE: Final = re.compile(r"(?<!\d)%%")
_LINE: Final = re.compile(r"(?m:^)[ \t]*%%[^\n]*")
"""A line that begins with a mark: if one ends there, what follows may be meant to be in it."""
_CALLOUT: Final = re.compile(r"[ \t]*((?:>[ \t]*)+)\[!([^\]\n]*)\][-+]?([^\n]*)")
_QUOTE: Final = re.compile(r"[ \t]*((?:>[ \t]*)+)")
_BLOCK: Final = re.compile(r"[ \t]*(?:$|[#<|`~]|[-*+▶▸►▾▼][ \t]|\d+[.)][ \t]|"
                           r"(?:-{3,}|\*{3,}|_{3,})\s*$)")
"""A line that goes on with nothing: it is blank, or begins a block of its own."""
_ITEM: Final = re.compile(r"[ \t]*(?:[-*+▶▸►▾▼]|\d+[.)])[ \t]+(?:\[.\][ \t])?")
_FIELD: Final = re.compile(r"[ \t]*[*_]{2}[^*_\n]{1,60}(?::[*_]{2}|[*_]{2}[ \t]?:)")
"""A label in bold: a line of several such has a field of its own."""
_LABEL: Final = re.compile(r"[ \t]*(?:[A-ZÀ-ÖØ-ÞА-Я][^\s:.!?]*|\w+[ -]\w+)"
                           r"(?: [^\s:.!?]+){0,2}[ ]?::?[ \t]")
"""The same of up to three words; a single one in small letters may end a sentence."""
_BOLD: Final = re.compile(r"([*_]{2,3})[^*_]+\1")
_DELIMITERS: Final = re.compile(r"[ \t]*\|?(?:[ \t]*:?-+:?[ \t]*\|)+[ \t:-]*")
_HEADING: Final = re.compile(r" {0,3}#{1,6}[ \t]")
_STATES: Final = frozenset({"", "hidden", "private", "twist", "twists"})
"""What columns and rows of rules are called, too."""
_TITLE_CHARS: Final = 40
"""A line of up to so many characters may be a title."""
_BOX: Final = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*(?:ad-)?([\w-]+)(.*?)(?:\n[ \t]*\1|\Z)",
                         re.MULTILINE | re.DOTALL | re.IGNORECASE)
_BOX_TITLE: Final = re.compile(r"^\s*title:\s*(.*)$", re.MULTILINE)
_FOLD: Final = re.compile(r"<details\b[^>]*>|</details\s*>", re.IGNORECASE)
_SUMMARY: Final = re.compile(r"\s*<summary[^>]*>(.*?)</summary>", re.IGNORECASE | re.DOTALL)
_TAG: Final = re.compile(r"<[^<>]*>")
_LINE_END: Final = re.compile(r"\n")
_ELEMENT: Final = re.compile(r"<(/?)([a-z][\w-]*)((?:\s[^<>]*)?)(?<!/)>", re.IGNORECASE)
_VALUE: Final = re.compile(
    r"""(?:class|data-[\w-]+|role|type|id)\s*=\s*["']?([^"'>]+)|data-([\w-]+)""", re.IGNORECASE)
_CONTAINER: Final = re.compile(r"[ \t]*:{3,}[ \t]*(?:\{?\.?(\w[\w -]*)|$)")
_BRACKETS: Final = re.compile(r"[\[{](/?)[ ]?(\w[\w -]{1,20})[\]}]")
_BARS: Final = re.compile(r"(?<![|\w])\|\|(?=[^|\s])[^|\n]*[^|\s]\|\|(?![|\w])")
_BEGINS: Final = re.compile(r"\b(?:begin|start|open)s?\b|:", re.IGNORECASE)
_ENDS: Final = re.compile(r"^\s*/|\b(?:end|stop|close)s?\b", re.IGNORECASE)
_PREFIXED: Final = re.compile(r"^[ \t]*%%[ \t]*\w[^%\n]*$", re.MULTILINE)
_CLOSED: Final = re.compile(r"%%[ \t]*$", re.MULTILINE)
_FEWEST: Final = 3
"""Lines that begin with ``%%`` and have no other, from which on they are a notation."""


def marked_lines(text: str, *, notation: bool = False, prompt: bool = False) -> dict[int, str]:
    """The 0-based lines that a mark reserves for the game master, each with the mark's words.

    Marks are callouts of Obsidian by their kind or title (``> [!gm]``, also as ``ad-gm`` blocks),
    ``<details>`` by their summary, other elements by their class, ``<!-- GM: … -->``,
    ``<!-- secret -->`` to ``<!-- /secret -->``, ``:::secret``, ``[secret]``, spoiler bars,
    paragraphs and items by their label (``[GM only] …``) or a tag, with all below an item, tables
    by a column, rows by their first cell, and whatever stands between ``%%``. Each is looked for by
    itself, so that none hides what stands in it. With ``notation`` (:func:`prefixes_lines`) ``%%``
    is no comment; of a ``prompt`` to a narrator "GM:" is no label.
    """
    marked: dict[int, str] = {}
    lines = text.split("\n")
    speech = prompt or is_speech(text)
    for words, first, last in (*_callouts(lines), *_spans(text, notation), *_tables(lines, prompt),
                               *_containers(lines), *_labelled(lines, speech)):
        if words:
            marked.update(dict.fromkeys(range(first, last + 1), words))
    return marked


def open_title(text: str) -> str:
    """The words of a line of a text that reserves as a title does, up to the end; '' without."""
    lines = text.split("\n")
    return next((words for at, line in enumerate(lines) if not _ITEM.match(line) and (
        words := _titled(line.strip(), False, lines[max(at - 1, 0) : at], lines[at + 1 : at + 2]))
        and _end_of_title(lines, at) == len(lines) - 1), "")


def prefixes_lines(text: str) -> bool:
    """Whether lines of a prompt begin with ``%%`` as with a field's name, and none closes it."""
    return len(_PREFIXED.findall(text)) >= _FEWEST and not _CLOSED.search(text)


def comments(text: str) -> list[tuple[int, int]]:
    """Where the comments of HTML and of Obsidian begin and end, in order; none is in another."""
    html = [(start, end) for start, end, _ in _html(text)]
    return sorted([*html, *_asides(text, html)])


def _html(text: str) -> Iterator[tuple[int, int, str]]:
    """The same of HTML's, each with the words that reserve it; with what a pair encloses."""
    matches = [*_HTML.finditer(text)]
    closing = {_name(match[1], _ENDS): match.end() for match in reversed(matches)
               if _ENDS.search(match[1])}
    last = {_name(match[1], _ENDS): match.start() for match in matches if _ENDS.search(match[1])}
    end = 0
    for match in matches:
        if match.start() < end:
            continue
        end, name = match.end(), _name(match[1], _BEGINS)
        words = _opening(match[1]) or (_opening(name) if name in last else "")
        if words and last.get(name, 0) > end:
            end = closing[name] if closing[name] > end else last[name]
        yield match.start(), end, words


def _name(comment: str, mark: re.Pattern[str]) -> str:
    return " ".join(re.findall(r"\w+", mark.sub(" ", comment.casefold())))


def _asides(text: str, html: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same of Obsidian's, outside of HTML's."""
    parts, at = list[str](), 0
    for start, end in html:
        parts += [text[at:start], " " * (end - start)]
        at = end
    visible = "".join([*parts, text[at:]])
    marks = [match.start() for match in _ASIDE.finditer(visible)]
    ends = {match.group().find("%%") + match.start(): match.end()
            for match in _LINE.finditer(visible)}
    return [(start, len(text) if end is None else ends.get(end, end + 2))
            for start, end in zip_longest(marks[::2], marks[1::2])]


def _spans(text: str, notation: bool) -> Iterator[tuple[str, int, int]]:
    """The words of comments, boxes and folded parts that reserve, with first and last line."""
    html = [*_html(text)] if "<!--" in text else []
    asides = [] if notation else _asides(text, (span[:2] for span in html))
    spans = [("%%", *span) for span in asides if text[span[0] : span[1]].strip("% \t\n")]
    spans += [(words, start, end) for start, end, words in html]
    spans += [(match[0], *match.span()) for match in _BARS.finditer(text)]
    for match in _BOX.finditer(text):
        title = _BOX_TITLE.search(match[3])
        spans.append((reserves_callout(match[2], title[1] if title else ""), *match.span()))
    ends = [match.start() for match in _LINE_END.finditer(text)]
    for words, start, end in (*spans, *_folded(text), *_elements(text), *_bracketed(text)):
        if words:
            yield words, bisect_left(ends, start), bisect_left(ends, max(end - 1, start))


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


def _elements(text: str) -> Iterator[tuple[str, int, int]]:
    """Each element that its class or other data reserve, to where it ends or the text does."""
    opened: list[tuple[str, str, int]] = []
    names = Counter[str]()
    for match in _ELEMENT.finditer(text) if "<" in text else ():
        name = match[2].casefold()
        if not match[1]:
            values = [value for pair in _VALUE.findall(match[3]) for value in pair if value]
            words = next(filter(None, (reserves_callout(word, "") for value in values
                                       for word in (value, *value.split()))), "")
            opened.append((name, words, match.start()))
            names[name] += 1
        elif names[name]:
            other = ""
            while other != name:
                other, words, start = opened.pop()
                names[other] -= 1
                yield words, start, match.end() if other == name else match.start()
    yield from ((words, start, len(text)) for _, words, start in opened)


def _bracketed(text: str) -> Iterator[tuple[str, int, int]]:
    """What stands in ``[secret] … [/secret]`` or the like."""
    opened: dict[str, int] = {}
    for match in _BRACKETS.finditer(text) if "[/" in text or "{/" in text else ():
        name = match[2].casefold().strip()
        if not match[1]:
            opened.setdefault(name, match.start())
        elif name in opened:
            yield reserves_callout(name, ""), opened.pop(name), match.end()


def _containers(lines: list[str]) -> Iterator[tuple[str, int, int]]:
    """What stands between ``:::secret`` and ``:::``, or the end."""
    opened: list[tuple[str, int]] = []
    for at, line in enumerate(lines):
        match = _CONTAINER.match(line) if ":::" in line else None
        if match and match[1]:
            opened.append((reserves_callout(match[1].strip(), ""), at))
        elif match and opened:
            yield (*opened.pop(), at)
    yield from ((words, first, len(lines) - 1) for words, first in opened)


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
    """The paragraphs and items whose label, brackets or tags reserve them: words, first and last.

    An item goes with all below it, and a title on a line of its own with all up to the next.
    """
    start, last = 0, -1
    for first, line in enumerate(lines):
        if _BLOCK.match(line) or not first or not lines[first - 1].strip():
            start = first
        if first <= last or not line.strip() or line.lstrip()[:1] in "#|`~":
            continue
        item = _ITEM.match(line)
        text = line[item.end() if item else 0 :].strip()
        begins = start == first or _FIELD.match(line) or _LABEL.match(line)
        if words := opens_reserved(text, speech=speech) if begins else "":
            last = _end_of(lines, first)
            yield words, first, last
        elif words := "" if speech else mentions_reserved(line):
            last = _end_of(lines, start if _ITEM.match(lines[start]) else first)
            yield words, start, last
        elif words := "" if speech else _titled(text, bool(item), lines[max(first - 1, 0) : first],
                                                lines[first + 1 : first + 2]):
            leads = item or "".join(lines[first + 1 : first + 2]).strip()
            last = _end_of(lines, first) if leads else _end_of_title(lines, first)
            if not item or last > first:
                yield words, first, last


def _end_of(lines: list[str], first: int) -> int:
    """The last line of a paragraph, field or item, with a list that it leads in or all below it."""
    item, last = _ITEM.match(lines[first]), first
    field = _FIELD.match(lines[first])
    if not item and _ITEM.match("".join(lines[first + 1 : first + 2])) and (
            lines[first].rstrip("*_ ").endswith(":") or len(lines[first]) <= _TITLE_CHARS):
        return next((at for at in range(first + 1, len(lines)) if not lines[at].strip()),
                    len(lines)) - 1
    for at in range(first + 1, len(lines)):
        text = lines[at]
        if item and text.strip() and indent(text) > indent(lines[first]):
            last = at
        elif not (item and not text.strip()):
            if _BLOCK.match(text) or last < at - 1 or (field and _FIELD.match(text)):
                break
            last = at
    return last


def _titled(title: str, item: bool, before: list[str], after: list[str]) -> str:
    """The words by which a line that is a title reserves what is below; '' without.

    It stands alone, or is an item.
    """
    if len(title) > _TITLE_CHARS or title[-1:] in ".!?…" or not (
            item or not ("".join(before).strip() or (
                "".join(after).strip() and not _ITEM.match(after[0])))):
        return ""
    return reserved(title) if item or _BOLD.fullmatch(title) or reserved_by_name(title) else ""


def _end_of_title(lines: list[str], first: int) -> int:
    """The last line before the next title: a heading, or capitals as the first ones are."""
    capitals = lines[first].isupper()
    return next((at for at in range(first + 1, len(lines)) if _HEADING.match(lines[at]) or (
        capitals and lines[at].isupper() and not lines[at - 1].strip())), len(lines)) - 1


def indent(line: str) -> int:
    """The columns of blanks and tabs that a line begins with."""
    line = line.expandtabs(4)
    return len(line) - len(line.lstrip())


def _tables(lines: list[str], prompt: bool) -> Iterator[tuple[str, int, int]]:
    """The tables that a column reserves, and of others the rows that their first cell does."""
    for head, line in enumerate(lines[:-1]):
        if "|" not in line or not _DELIMITERS.fullmatch(lines[head + 1]):
            continue
        end = next((at for at in range(head + 2, len(lines)) if "|" not in lines[at]), len(lines))
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if words := next(filter(None, (_of_cell(cell, prompt) for cell in cells)), ""):
            yield words, head, end - 1
            continue
        for at in range(head + 2, end):
            cell = lines[at].strip().strip("|").partition("|")[0].strip()
            if words := _of_cell(cell, prompt=True):
                yield words, at, at


def _of_cell(cell: str, prompt: bool) -> str:
    return "" if cell.casefold() in _STATES or "`" in cell else reserved(cell, prompt=prompt)


@lru_cache(1024)
def reserves_callout(kind: str, title: str) -> str:
    """The words by which a callout's kind or title reserves it; '' without."""
    words = re.sub(r"[\W_]+", " ", kind)
    return reserved(words) or (words if hiding("type", words) else "") or reserved(title)
